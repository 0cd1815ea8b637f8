-- OPML lists that are followed, by the source that reads them. Both texts are like sources.toml.
CREATE TABLE followed_list (
    source  INTEGER PRIMARY KEY REFERENCES source(key) ON DELETE CASCADE,
    listed  TEXT NOT NULL DEFAULT '',          -- what the list has
    whole   INTEGER NOT NULL DEFAULT 0,        -- 1: that is all of it
    taken   TEXT NOT NULL DEFAULT '',          -- what was taken over from it
    accept  INTEGER NOT NULL DEFAULT 0,        -- 1: the user has confirmed that many sources leave
    changes TEXT NOT NULL DEFAULT ''           -- what it changed last
) STRICT;

-- List pages of websites as they were when their selectors last worked, one a day.
CREATE TABLE copy (
    source     INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    day        INTEGER NOT NULL,               -- since the epoch
    at         INTEGER NOT NULL,
    url        TEXT NOT NULL,
    media_type TEXT,
    body       BLOB NOT NULL,                  -- zlib
    PRIMARY KEY (source, day)
) WITHOUT ROWID, STRICT;

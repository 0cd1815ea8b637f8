-- Where an article was left, in characters from its start that are no white space.
CREATE TABLE place (
    item     INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    position INTEGER NOT NULL
) STRICT;

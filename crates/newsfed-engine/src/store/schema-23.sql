-- What a data file contained when it was last read, for the next comparison: its tables as text, compressed
-- (zlib). The text of its item says what changed.
CREATE TABLE dataset (
    item  INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    state BLOB NOT NULL
) STRICT;

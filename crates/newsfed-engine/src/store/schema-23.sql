-- Data files: what each contained when it was last read, for the next comparison (its tables as text, compressed
-- with zlib), and for the files of crawled sites when they are checked again. The text of an item says what changed.
CREATE TABLE dataset (
    item    INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    source  INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    state   BLOB,                              -- NULL: not stored
    checked INTEGER,                           -- the last check of a file of a crawled site
    next    INTEGER                            -- the next one; NULL: none
) STRICT;
CREATE INDEX dataset_next ON dataset (source, next);

-- Pages that are polled again: what their servers gave to ask by.
CREATE TABLE validator (
    link          INTEGER PRIMARY KEY,
    etag          BLOB,
    last_modified BLOB
);

-- Links that the last visit wanted to ask for and had no time for, in order.
CREATE TABLE waiting (
    id   INTEGER PRIMARY KEY,
    link INTEGER NOT NULL
);

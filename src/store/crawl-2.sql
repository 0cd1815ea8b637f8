CREATE TABLE validator (
    link          INTEGER PRIMARY KEY,
    etag          BLOB,
    last_modified BLOB
);
CREATE TABLE waiting (
    id   INTEGER PRIMARY KEY,
    link INTEGER NOT NULL
);

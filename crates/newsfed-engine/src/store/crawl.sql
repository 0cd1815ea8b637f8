-- The record of one crawl. Numbers of links, paths and anchors are those of the crawl itself: they
-- follow the order in which things were seen, so reading in order builds everything up again.

CREATE TABLE note (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE path (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL
);

CREATE TABLE anchor (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL
);

CREATE TABLE link (
    id     INTEGER PRIMARY KEY,
    url    TEXT NOT NULL,
    path   INTEGER NOT NULL,
    anchor INTEGER NOT NULL
);

-- One row for each answer. links: the numbers of the links on the page, in order, each as its
-- difference from the one before.
CREATE TABLE request (
    id      INTEGER PRIMARY KEY,
    link    INTEGER NOT NULL,
    head    INTEGER NOT NULL,
    sent    INTEGER NOT NULL,
    status  INTEGER NOT NULL,
    class   INTEGER NOT NULL,
    article INTEGER NOT NULL,
    bytes   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    links   BLOB NOT NULL
);

-- What was saved, one row for each file.
CREATE TABLE saved (
    request INTEGER PRIMARY KEY,
    json    TEXT NOT NULL
);

-- What later visits have learned: whether links were what is looked for, and how often pages led
-- to that.
CREATE TABLE label (
    id   INTEGER PRIMARY KEY,
    link INTEGER NOT NULL,
    hit  INTEGER NOT NULL
);

CREATE TABLE hub (
    link INTEGER PRIMARY KEY,
    led  INTEGER NOT NULL
);

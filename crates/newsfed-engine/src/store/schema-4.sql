-- The article of an item has changed since the user last opened it.
ALTER TABLE item ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX item_changed ON item (date, key) WHERE changed = 1;

-- What came of asking for the page of an item: when that was and when it may be by itself again,
-- failures in a row and the last one in words, how its text is looked for (JSON), the hash of what
-- the page by itself gives, bytes received in the last full answer, and its validators.
CREATE TABLE fetch (
    item          INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    source        INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    asked         INTEGER NOT NULL,
    next          INTEGER,
    tries         INTEGER NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 4294967295),
    error         TEXT,
    way           TEXT NOT NULL,
    page_hash     INTEGER,
    bytes         INTEGER NOT NULL DEFAULT 0,
    etag          BLOB,
    last_modified BLOB,
    validators_of TEXT
) STRICT;
CREATE INDEX fetch_next ON fetch (next) WHERE next IS NOT NULL;
CREATE INDEX fetch_source ON fetch (source, asked);

-- Texts of pages, and of feeds with whole articles once they have changed one: safe HTML, compressed
-- (zlib), when it was first seen and where it was found (JSON). The one with the largest key is the
-- item's, the others are earlier versions.
CREATE TABLE article (
    key    INTEGER PRIMARY KEY AUTOINCREMENT,
    item   INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    origin TEXT NOT NULL,
    body   BLOB NOT NULL
) STRICT;
CREATE INDEX article_item ON article (item, key);

-- What the pages of a source have taught: what they have in common (JSON), and whether its feed
-- carries whole articles.
CREATE TABLE site (
    source   INTEGER PRIMARY KEY REFERENCES source(key) ON DELETE CASCADE,
    template TEXT,
    whole    INTEGER
) STRICT;

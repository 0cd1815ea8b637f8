-- Files that newsfed downloaded: for which item and when (seconds), and how they were then: size in
-- bytes and modification time (seconds). Retention removes only those that are still so.
CREATE TABLE download (
    path     TEXT PRIMARY KEY,
    item     INTEGER REFERENCES item(key) ON DELETE SET NULL,
    at       INTEGER NOT NULL,
    size     INTEGER NOT NULL,
    modified INTEGER NOT NULL
) STRICT;
CREATE INDEX download_item ON download (item);

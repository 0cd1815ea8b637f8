-- One row per source that sources.toml declares or has declared.
CREATE TABLE source (
    key            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    url            TEXT NOT NULL,
    declared       INTEGER NOT NULL DEFAULT 1, -- 0: no longer in sources.toml, kept for an undo
    enabled        INTEGER NOT NULL DEFAULT 1,
    undeclared_at  INTEGER,
    moved_to       TEXT,
    move_refused   TEXT,                       -- a permanent redirect that the user took back
    move_candidate TEXT,                       -- JSON
    feed_title     TEXT,
    home_url       TEXT,
    etag           BLOB,
    last_modified  BLOB,
    validators_of  TEXT,
    body_hash      BLOB CHECK (length(body_hash) = 32),
    last_poll      INTEGER,
    last_ok        INTEGER,
    last_full    INTEGER,
    next_poll      INTEGER,
    hold_until     INTEGER,
    hold_reason    TEXT,
    fail_count     INTEGER NOT NULL DEFAULT 0 CHECK (fail_count BETWEEN 0 AND 4294967295),
    last_outcome   TEXT,                       -- JSON
    hints          TEXT NOT NULL DEFAULT '{}', -- JSON
    schedule       BLOB NOT NULL DEFAULT x'',
    items          INTEGER NOT NULL DEFAULT 0, -- these three are kept by triggers
    unread         INTEGER NOT NULL DEFAULT 0,
    pinned         INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX source_undeclared ON source (key) WHERE declared = 0;
CREATE INDEX source_due ON source (next_poll) WHERE declared = 1 AND enabled = 1;

-- What lists need. Keys grow in the order of discovery and are never used twice.
CREATE TABLE item (
    key          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    source       INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    date         INTEGER NOT NULL,             -- published, never later than discovered
    discovered   INTEGER NOT NULL,
    pinned       INTEGER NOT NULL DEFAULT 0,
    read         INTEGER NOT NULL DEFAULT 0,
    words        INTEGER NOT NULL DEFAULT 0 CHECK (words BETWEEN 0 AND 4294967295), -- 0: not counted yet
    title        TEXT NOT NULL,
    url          TEXT,
    guid_hash    INTEGER,                      -- 64 bits of SHA-256 each, for deduplication
    url_hash     INTEGER NOT NULL,             -- of the normalised address; without one, of the title
    content_hash INTEGER NOT NULL,             -- of the text alone
    version_hash INTEGER NOT NULL              -- of everything the publisher can change
) STRICT;
CREATE INDEX item_date          ON item (date, key);
CREATE INDEX item_unread        ON item (date, key) WHERE read = 0;
CREATE INDEX item_pinned        ON item (date, key) WHERE pinned = 1;
CREATE INDEX item_source        ON item (source, date, key);
CREATE INDEX item_source_unread ON item (source, date, key) WHERE read = 0;
CREATE INDEX item_guid          ON item (source, guid_hash) WHERE guid_hash IS NOT NULL;
CREATE INDEX item_url           ON item (source, url_hash);
CREATE INDEX item_content       ON item (source, content_hash);

-- Items that retention has removed and the feed still lists: they do not come back.
CREATE TABLE pruned (
    source INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    hash   INTEGER NOT NULL,                   -- guid_hash, else url_hash
    seen   INTEGER NOT NULL,                   -- when the feed last listed it
    PRIMARY KEY (source, hash)
) WITHOUT ROWID, STRICT;

-- What only the reader needs.
CREATE TABLE detail (
    item       INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    guid       TEXT,
    publisher  TEXT,
    authors    TEXT NOT NULL DEFAULT '[]',     -- JSON
    published  INTEGER,
    updated    INTEGER,
    summary    TEXT,
    content    TEXT,
    enclosures TEXT NOT NULL DEFAULT '[]',     -- JSON
    categories TEXT NOT NULL DEFAULT '[]',     -- JSON
    comments   TEXT,
    language   TEXT,
    indexed    INTEGER NOT NULL DEFAULT 0      -- 1: its text is in the full-text index
) STRICT;
CREATE INDEX detail_unindexed ON detail (item) WHERE indexed = 0;

-- One row per look, kept for two weeks.
CREATE TABLE poll (
    key     INTEGER PRIMARY KEY,
    source  INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    at      INTEGER NOT NULL,
    status  INTEGER CHECK (status BETWEEN 0 AND 65535),
    millis  INTEGER NOT NULL CHECK (millis BETWEEN 0 AND 4294967295),
    bytes   INTEGER NOT NULL,
    failed  INTEGER NOT NULL,
    outcome TEXT NOT NULL,                     -- JSON
    repairs TEXT NOT NULL DEFAULT '[]'         -- JSON
) STRICT;
CREATE INDEX poll_source ON poll (source, at);
CREATE INDEX poll_at     ON poll (at);
CREATE INDEX poll_failed ON poll (at) WHERE failed = 1;

-- Titles are indexed with the item, bodies later in the background. Only the index is stored.
CREATE VIRTUAL TABLE item_text USING fts5 (
    title, authors, body,
    content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER item_insert AFTER INSERT ON item BEGIN
    UPDATE source SET items = items + 1, unread = unread + (new.read = 0), pinned = pinned + new.pinned
    WHERE key = new.source;
END;
CREATE TRIGGER item_delete AFTER DELETE ON item BEGIN
    UPDATE source SET items = items - 1, unread = unread - (old.read = 0), pinned = pinned - old.pinned
    WHERE key = old.source;
    DELETE FROM item_text WHERE rowid = old.key;
END;
CREATE TRIGGER item_marks AFTER UPDATE OF read, pinned ON item
WHEN old.read <> new.read OR old.pinned <> new.pinned BEGIN
    UPDATE source SET unread = unread + (new.read = 0) - (old.read = 0), pinned = pinned + new.pinned - old.pinned
    WHERE key = new.source;
END;

-- The schema of a new database: what all steps (schema*.sql) result in.
-- A test compares them; UPDATE_EXPECT=1 writes this file.

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
    paused_until     INTEGER,
    pause_reason    TEXT,
    fail_count     INTEGER NOT NULL DEFAULT 0 CHECK (fail_count BETWEEN 0 AND 4294967295),
    last_outcome   TEXT,                       -- JSON
    hints          TEXT NOT NULL DEFAULT '{}', -- JSON
    schedule       BLOB NOT NULL DEFAULT x'',
    items          INTEGER NOT NULL DEFAULT 0, -- these three are kept by triggers
    unread         INTEGER NOT NULL DEFAULT 0,
    pinned         INTEGER NOT NULL DEFAULT 0
, planned TEXT, website TEXT NOT NULL DEFAULT '{}', poll_begun INTEGER, polls_broken INTEGER NOT NULL DEFAULT 0, account INTEGER REFERENCES account(key), stream TEXT, folder TEXT) STRICT;

CREATE INDEX source_undeclared ON source (key) WHERE declared = 0;

CREATE INDEX source_due ON source (next_poll) WHERE declared = 1 AND enabled = 1;

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
, changed INTEGER NOT NULL DEFAULT 0, substantial INTEGER NOT NULL DEFAULT 0, comment_count INTEGER CHECK (comment_count BETWEEN 0 AND 4294967295), comments_seen INTEGER CHECK (comments_seen BETWEEN 0 AND 4294967295), later INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX item_guid          ON item (source, guid_hash) WHERE guid_hash IS NOT NULL;

CREATE INDEX item_url           ON item (source, url_hash);

CREATE INDEX item_content       ON item (source, content_hash);

CREATE TABLE pruned (
    source INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    hash   INTEGER NOT NULL,                   -- guid_hash, else url_hash
    seen   INTEGER NOT NULL,                   -- when the feed last listed it
    PRIMARY KEY (source, hash)
) WITHOUT ROWID, STRICT;

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
, comment_feed TEXT, page_tags TEXT NOT NULL DEFAULT '[]', date_from TEXT) STRICT;

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
, automatic INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX poll_source ON poll (source, at);

CREATE INDEX poll_at     ON poll (at);

CREATE INDEX poll_failed ON poll (at) WHERE failed = 1;

CREATE VIRTUAL TABLE item_text USING fts5 (
    title, authors, body,
    content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = 'unicode61 remove_diacritics 2'
);

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

CREATE TABLE memo (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL                        -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE page (
    source INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    hash   INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    PRIMARY KEY (source, hash)
) WITHOUT ROWID, STRICT;

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
, page_text BLOB) STRICT;

CREATE INDEX fetch_next ON fetch (next) WHERE next IS NOT NULL;

CREATE INDEX fetch_source ON fetch (source, asked);

CREATE TABLE article (
    key    INTEGER PRIMARY KEY AUTOINCREMENT,
    item   INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    origin TEXT NOT NULL,
    body   BLOB NOT NULL
, revisions TEXT, indexed INTEGER) STRICT;

CREATE TABLE site (
    source   INTEGER PRIMARY KEY REFERENCES source(key) ON DELETE CASCADE,
    template TEXT,
    whole    INTEGER
) STRICT;

CREATE TABLE place (
    item     INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    position INTEGER NOT NULL
) STRICT;

CREATE TABLE copy (
    source     INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    day        INTEGER NOT NULL,               -- since the epoch
    at         INTEGER NOT NULL,
    url        TEXT NOT NULL,
    media_type TEXT,
    body       BLOB NOT NULL,                  -- zlib
    PRIMARY KEY (source, day)
) WITHOUT ROWID, STRICT;

CREATE INDEX article_unindexed ON article (key) WHERE indexed = 0;

CREATE TABLE headline (
    key         INTEGER PRIMARY KEY AUTOINCREMENT,
    item        INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    until       INTEGER NOT NULL,
    title       TEXT NOT NULL,
    substantial INTEGER NOT NULL
) STRICT;

CREATE VIRTUAL TABLE version_text USING fts5 (
    title, authors, body,
    content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER article_delete AFTER DELETE ON article WHEN old.indexed = 1 BEGIN
    DELETE FROM version_text WHERE rowid = old.key;
END;

CREATE TRIGGER headline_delete AFTER DELETE ON headline BEGIN
    DELETE FROM version_text WHERE rowid = -old.key;
END;

CREATE TRIGGER item_comments_seen AFTER UPDATE OF read ON item
WHEN new.read = 1 AND old.read = 0 AND new.comments_seen IS NULL AND new.comment_count IS NOT NULL BEGIN
    UPDATE item SET comments_seen = comment_count WHERE key = new.key;
END;

CREATE TABLE unindexed (
    item INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE
) STRICT;

CREATE TABLE snooze (
    item     INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    until    INTEGER NOT NULL,
    was_read INTEGER NOT NULL
) STRICT;

CREATE INDEX snooze_until ON snooze (until);

CREATE TRIGGER item_shown AFTER UPDATE OF read, pinned ON item
WHEN old.hidden <> 0 AND new.hidden <> 0 AND (new.read = 0 OR new.pinned > old.pinned) BEGIN
    UPDATE item SET hidden = 0, read = CASE WHEN new.read = 0 THEN 0
        ELSE coalesce((SELECT was_read FROM snooze WHERE item = new.key), 1) END
    WHERE key = new.key;
    DELETE FROM snooze WHERE item = new.key;
END;

CREATE TABLE item_tag (
    item INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    form TEXT NOT NULL,
    tag  TEXT NOT NULL,
    PRIMARY KEY (item, form)
) STRICT, WITHOUT ROWID;

CREATE INDEX item_tag_form ON item_tag (form, item);

CREATE TABLE story_item (
    item  INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    story INTEGER NOT NULL
) STRICT;

CREATE INDEX story_items ON story_item (story, item);

CREATE TRIGGER story_item_delete AFTER DELETE ON story_item
WHEN (SELECT count(*) FROM story_item WHERE story = old.story) = 1 BEGIN
    DELETE FROM story_item WHERE story = old.story;
END;

CREATE TABLE signature (
    item INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

CREATE TABLE story_key (
    key  INTEGER NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (key, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE download (
    path     TEXT PRIMARY KEY,
    item     INTEGER REFERENCES item(key) ON DELETE SET NULL,
    at       INTEGER NOT NULL,
    size     INTEGER NOT NULL,
    modified INTEGER NOT NULL
) STRICT;

CREATE INDEX download_item ON download (item);

CREATE TABLE account (
    key   INTEGER PRIMARY KEY AUTOINCREMENT,
    id    TEXT NOT NULL UNIQUE,
    url   TEXT NOT NULL,
    user  TEXT NOT NULL,
    auth  TEXT,                                -- token of the login
    token TEXT,                                -- token of changes
    state TEXT NOT NULL DEFAULT '{}'
, requested INTEGER NOT NULL DEFAULT 0, accept INTEGER NOT NULL DEFAULT 0, relink INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX source_account ON source (account, stream) WHERE account IS NOT NULL;

CREATE TABLE remote_item (
    account     INTEGER NOT NULL REFERENCES account(key) ON DELETE CASCADE,
    remote      ANY NOT NULL,                  -- a number, or the server's text
    item        INTEGER REFERENCES item(key) ON DELETE SET NULL,
    base_read   INTEGER NOT NULL,
    base_pinned INTEGER NOT NULL,
    read        INTEGER NOT NULL,
    pinned      INTEGER NOT NULL,
    tries       INTEGER NOT NULL DEFAULT 0,    -- sent in vain
    gone        INTEGER NOT NULL DEFAULT 0,    -- 1: the server no longer has it
    PRIMARY KEY (account, remote)
) STRICT, WITHOUT ROWID;

CREATE INDEX remote_item_item ON remote_item (item);

CREATE INDEX remote_item_waiting ON remote_item (account)
    WHERE gone = 0 AND (read <> base_read OR pinned <> base_pinned);

CREATE TRIGGER remote_item_marks AFTER UPDATE OF read, pinned ON item
WHEN old.read <> new.read OR old.pinned <> new.pinned BEGIN
    UPDATE remote_item SET read = new.read, pinned = new.pinned, tries = 0 WHERE item = new.key;
END;

CREATE TABLE "rule_effect" (
    item     INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    effect   TEXT NOT NULL,                    -- read, pin, hide, later, tag:NAME, notify, run
    rule     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    was_read INTEGER NOT NULL,
    PRIMARY KEY (item, effect, rule)
) STRICT, WITHOUT ROWID;

CREATE INDEX remote_item_open ON remote_item (account)
    WHERE base_read = 0 OR base_pinned = 1 OR read <> base_read OR pinned <> base_pinned;

CREATE TABLE account_op (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES account(key) ON DELETE CASCADE,
    source  INTEGER REFERENCES source(key) ON DELETE CASCADE,
    op      TEXT NOT NULL,                     -- JSON
    tries   INTEGER NOT NULL DEFAULT 0,        -- sent in vain
    error   TEXT                               -- why the last try failed
) STRICT;

CREATE INDEX account_op_account ON account_op (account, seq);

CREATE INDEX account_op_source ON account_op (source);

CREATE TABLE account_moved (
    source     INTEGER PRIMARY KEY REFERENCES source(key) ON DELETE CASCADE,
    account    INTEGER NOT NULL REFERENCES account(key) ON DELETE CASCADE,
    entry      TEXT NOT NULL,                  -- of sources.toml
    subscribed INTEGER NOT NULL                -- 1: the server did not have it before
, id TEXT, stream TEXT) STRICT;

CREATE TABLE shared_mark (
    key     INTEGER PRIMARY KEY,
    source  INTEGER NOT NULL,                  -- hashes of the URL of the source,
    guid    INTEGER,                           -- of the guid if that identifies the item,
    url     INTEGER NOT NULL,                  -- and item.url_hash
    form    TEXT NOT NULL,                     -- the mark in comparable form
    mark    TEXT NOT NULL,
    is_on   INTEGER NOT NULL,
    millis  INTEGER NOT NULL,                  -- the stamp
    count   INTEGER NOT NULL CHECK (count BETWEEN 0 AND 4294967295),
    machine TEXT NOT NULL,
    written INTEGER NOT NULL                   -- 0: to be added to the file of this machine
) STRICT;

CREATE UNIQUE INDEX shared_mark_guid ON shared_mark (source, guid, form) WHERE guid IS NOT NULL;

CREATE UNIQUE INDEX shared_mark_url ON shared_mark (source, url, form) WHERE guid IS NULL;

CREATE INDEX shared_mark_any ON shared_mark (source, url);

CREATE INDEX shared_mark_unwritten ON shared_mark (key) WHERE written = 0;

CREATE INDEX shared_mark_machine ON shared_mark (machine, key);

CREATE TABLE marked (
    item INTEGER NOT NULL,
    form TEXT NOT NULL,                        -- the mark in comparable form
    old  INTEGER NOT NULL DEFAULT 0,           -- 1: from before this machine took part
    PRIMARY KEY (item, form)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER marked_item AFTER UPDATE OF read, pinned, later ON item
WHEN (old.read <> new.read OR old.pinned <> new.pinned OR old.later <> new.later)
AND EXISTS (SELECT 1 FROM memo WHERE name = 'machine') BEGIN
    INSERT OR REPLACE INTO marked (item, form)
        SELECT new.key, 'read' WHERE old.read <> new.read
        UNION ALL SELECT new.key, 'pin' WHERE old.pinned <> new.pinned
        UNION ALL SELECT new.key, 'later' WHERE old.later <> new.later;
END;

CREATE TRIGGER marked_tag AFTER INSERT ON item_tag
WHEN EXISTS (SELECT 1 FROM memo WHERE name = 'machine') BEGIN
    INSERT OR REPLACE INTO marked (item, form) VALUES (new.item, 'tag:' || new.form);
END;

CREATE TRIGGER marked_untag AFTER DELETE ON item_tag
WHEN EXISTS (SELECT 1 FROM memo WHERE name = 'machine') BEGIN
    INSERT OR REPLACE INTO marked (item, form) VALUES (old.item, 'tag:' || old.form);
END;

CREATE TABLE remote_label (
    account INTEGER NOT NULL,
    remote  ANY NOT NULL,
    form    TEXT NOT NULL,                     -- the tag in comparable form
    tag     TEXT NOT NULL,
    base    INTEGER NOT NULL,
    ours    INTEGER NOT NULL,
    sent    INTEGER NOT NULL DEFAULT 0,        -- 1: sent since; the server may have either
    tries   INTEGER NOT NULL DEFAULT 0,        -- sent in vain
    PRIMARY KEY (account, form, remote),
    FOREIGN KEY (account, remote) REFERENCES remote_item(account, remote) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX remote_label_item ON remote_label (account, remote);

CREATE INDEX remote_label_waiting ON remote_label (account) WHERE base <> ours OR sent = 1;

CREATE TRIGGER remote_label_set AFTER INSERT ON item_tag BEGIN
    INSERT INTO remote_label (account, remote, form, tag, base, ours)
        SELECT account, remote, new.form, new.tag, 0, 1 FROM remote_item WHERE item = new.item
        ON CONFLICT DO UPDATE SET ours = 1, tries = 0;
END;

CREATE TRIGGER remote_label_removed AFTER DELETE ON item_tag
WHEN EXISTS (SELECT 1 FROM item WHERE key = old.item) BEGIN
    UPDATE remote_label SET ours = 0, tries = 0 WHERE form = old.form
        AND (account, remote) IN (SELECT account, remote FROM remote_item WHERE item = old.item);
    DELETE FROM remote_label WHERE form = old.form AND base = 0 AND ours = 0 AND sent = 0
        AND (account, remote) IN (SELECT account, remote FROM remote_item WHERE item = old.item);
END;

CREATE TRIGGER remote_label_tied AFTER INSERT ON remote_item WHEN new.item IS NOT NULL BEGIN
    INSERT INTO remote_label (account, remote, form, tag, base, ours)
        SELECT new.account, new.remote, form, tag, 0, 1 FROM item_tag WHERE item = new.item
        ON CONFLICT DO UPDATE SET ours = 1;
END;

CREATE TRIGGER remote_label_joined AFTER UPDATE OF item ON remote_item
WHEN new.item IS NOT NULL AND new.item IS NOT old.item BEGIN
    INSERT INTO remote_label (account, remote, form, tag, base, ours)
        SELECT new.account, new.remote, form, tag, 0, 1 FROM item_tag WHERE item = new.item
        ON CONFLICT DO UPDATE SET ours = 1;
END;

CREATE TABLE account_override (
    account  TEXT NOT NULL,                    -- its identifier
    id       TEXT NOT NULL,
    url      TEXT NOT NULL,
    settings TEXT NOT NULL,                    -- JSON
    PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_override_url ON account_override (account, url);

CREATE TRIGGER source_key_used AFTER DELETE ON source
WHEN NOT EXISTS (SELECT 1 FROM source WHERE key > old.key) BEGIN
    INSERT INTO memo (name, value) VALUES ('source_key', old.key)
        ON CONFLICT (name) DO UPDATE SET
            value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER));
END;

CREATE TABLE episode (
    item     INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    url      TEXT NOT NULL,                    -- of the enclosure
    rank     INTEGER,                          -- its place in the queue
    position REAL NOT NULL DEFAULT 0,
    length   REAL,                             -- as the player measured it
    finished INTEGER NOT NULL DEFAULT 0,       -- 1: it was heard to its end
    PRIMARY KEY (item, url)
) STRICT, WITHOUT ROWID;

CREATE INDEX episode_rank ON episode (rank, item) WHERE rank IS NOT NULL;

CREATE TABLE followed_list (
    source  INTEGER PRIMARY KEY REFERENCES source(key) ON DELETE CASCADE,
    listed  TEXT NOT NULL DEFAULT '',          -- what the list has
    whole   INTEGER NOT NULL DEFAULT 0,        -- 1: that is all of it
    taken   TEXT NOT NULL DEFAULT '',          -- what was taken over from it
    accept  INTEGER NOT NULL DEFAULT 0,        -- 1: the user has confirmed that many sources leave
    changes TEXT NOT NULL DEFAULT ''           -- what it changed last
, refused BLOB, confirmed BLOB) STRICT;

CREATE TABLE dataset (
    item    INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    source  INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    state   BLOB,                              -- NULL: not stored
    checked INTEGER,                           -- the last check of a file of a crawled site
    next    INTEGER                            -- the next one; NULL: none
) STRICT;

CREATE INDEX dataset_next ON dataset (source, next);

CREATE INDEX item_date ON item (date);

CREATE INDEX item_unread ON item (date) WHERE read = 0;

CREATE INDEX item_pinned ON item (date) WHERE pinned = 1;

CREATE INDEX item_source ON item (source, date);

CREATE INDEX item_source_unread ON item (source, date) WHERE read = 0;

CREATE INDEX item_changed ON item (date) WHERE changed = 1;

CREATE INDEX item_substantial ON item (date) WHERE substantial = 1;

CREATE INDEX item_later ON item (date) WHERE later = 1;

CREATE INDEX item_hidden ON item (date) WHERE hidden <> 0;

CREATE INDEX article_item ON article (item);

CREATE INDEX headline_item ON headline (item);

INSERT INTO item_text (item_text, rank) VALUES ('automerge', 16);

INSERT INTO item_text (item_text, rank) VALUES ('crisismerge', 64);

INSERT INTO item_text (item_text, rank) VALUES ('hashsize', 16000000);

INSERT INTO version_text (version_text, rank) VALUES ('automerge', 16);

INSERT INTO version_text (version_text, rank) VALUES ('crisismerge', 64);

INSERT INTO version_text (version_text, rank) VALUES ('hashsize', 16000000);

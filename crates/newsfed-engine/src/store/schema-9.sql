-- What a version changed (JSON), and whether it is an earlier one: NULL is the newest, 0 an earlier one
-- that cannot be searched yet, 1 one that can.
ALTER TABLE article ADD COLUMN revisions TEXT;
ALTER TABLE article ADD COLUMN indexed INTEGER;
UPDATE article SET indexed = 0
    WHERE key < (SELECT max(newer.key) FROM article newer WHERE newer.item = article.item);
CREATE INDEX article_unindexed ON article (key) WHERE indexed = 0;

-- Earlier titles: until when they were seen, and whether the next one says something else.
CREATE TABLE headline (
    key         INTEGER PRIMARY KEY AUTOINCREMENT,
    item        INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    until       INTEGER NOT NULL,
    title       TEXT NOT NULL,
    substantial INTEGER NOT NULL
) STRICT;
CREATE INDEX headline_item ON headline (item, key);

-- Earlier versions (rows of article), and earlier titles (rows of headline, with a minus).
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

-- The article has changed by more than typing errors since the user last opened it.
ALTER TABLE item ADD COLUMN substantial INTEGER NOT NULL DEFAULT 0;
UPDATE item SET substantial = 1 WHERE changed = 1;
CREATE INDEX item_substantial ON item (date, key) WHERE substantial = 1;

-- Comments on the item according to its feed, now and when the user last opened it, and their own feed.
ALTER TABLE item ADD COLUMN comment_count INTEGER CHECK (comment_count BETWEEN 0 AND 4294967295);
ALTER TABLE item ADD COLUMN comments_seen INTEGER CHECK (comments_seen BETWEEN 0 AND 4294967295);
ALTER TABLE detail ADD COLUMN comment_feed TEXT;
-- Reading an item without opening it starts the count; it hides no new comments, because the mark can be undone.
CREATE TRIGGER item_comments_seen AFTER UPDATE OF read ON item
WHEN new.read = 1 AND old.read = 0 AND new.comments_seen IS NULL AND new.comment_count IS NOT NULL BEGIN
    UPDATE item SET comments_seen = comment_count WHERE key = new.key;
END;

-- Tags that the page of the item gives (JSON).
ALTER TABLE detail ADD COLUMN page_tags TEXT NOT NULL DEFAULT '[]';

-- The text of the page alone (zlib), if it is another one than the newest in article.
ALTER TABLE fetch ADD COLUMN page_text BLOB;

-- Where the publication date comes from (JSON); NULL: the feed states it.
ALTER TABLE detail ADD COLUMN date_from TEXT;

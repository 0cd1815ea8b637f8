-- Marks that machines exchange through a folder: the newest of each, by the greater stamp.
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

-- Marks of items that have changed since they were last compared with the table above. Only filled since
-- this machine takes part.
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

-- Sources that move to a server are recorded before anything is done, so that what is interrupted can be
-- completed or undone.
ALTER TABLE account_moved ADD COLUMN id TEXT;     -- in sources.toml; NULL: that of the source
ALTER TABLE account_moved ADD COLUMN stream TEXT; -- its name on the server, once it leaves sources.toml

-- Tags of items as labels on servers: as last seen there (base), and as they are here. A row without
-- either is removed once the server's list shows it.
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

INSERT INTO remote_label (account, remote, form, tag, base, ours)
    SELECT r.account, r.remote, t.form, t.tag, 0, 1 FROM remote_item r JOIN item_tag t ON t.item = r.item;

CREATE TRIGGER remote_label_set AFTER INSERT ON item_tag BEGIN
    INSERT INTO remote_label (account, remote, form, tag, base, ours)
        SELECT account, remote, new.form, new.tag, 0, 1 FROM remote_item WHERE item = new.item
        ON CONFLICT DO UPDATE SET ours = 1, tries = 0;
END;
-- Not where retention removes the item.
CREATE TRIGGER remote_label_removed AFTER DELETE ON item_tag
WHEN EXISTS (SELECT 1 FROM item WHERE key = old.item) BEGIN
    UPDATE remote_label SET ours = 0, tries = 0 WHERE form = old.form
        AND (account, remote) IN (SELECT account, remote FROM remote_item WHERE item = old.item);
    DELETE FROM remote_label WHERE form = old.form AND base = 0 AND ours = 0 AND sent = 0
        AND (account, remote) IN (SELECT account, remote FROM remote_item WHERE item = old.item);
END;
-- An item that is tied to one of a server has tags already.
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

-- The user's own settings of sources of accounts, as sources.toml has them, also of those that a server
-- does not list.
CREATE TABLE account_override (
    account  TEXT NOT NULL,                    -- its identifier
    id       TEXT NOT NULL,
    url      TEXT NOT NULL,
    settings TEXT NOT NULL,                    -- JSON
    PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_override_url ON account_override (account, url);

-- Keys of sources are identifiers of feeds for apps: the highest one that was used is remembered, so that
-- none is used twice.
CREATE TRIGGER source_key_used AFTER DELETE ON source
WHEN NOT EXISTS (SELECT 1 FROM source WHERE key > old.key) BEGIN
    INSERT INTO memo (name, value) VALUES ('source_key', old.key)
        ON CONFLICT (name) DO UPDATE SET
            value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER));
END;

-- Accounts on servers. state: JSON, what is remembered between two synchronisations.
CREATE TABLE account (
    key   INTEGER PRIMARY KEY AUTOINCREMENT,
    id    TEXT NOT NULL UNIQUE,
    url   TEXT NOT NULL,
    user  TEXT NOT NULL,
    auth  TEXT,                                -- token of the login
    token TEXT,                                -- token of changes
    state TEXT NOT NULL DEFAULT '{}'
) STRICT;

-- Sources that a server collects. They are not in sources.toml, are disabled, and are never polled.
ALTER TABLE source ADD COLUMN account INTEGER REFERENCES account(key);
ALTER TABLE source ADD COLUMN stream TEXT;     -- its name on the server, as in feed/7
ALTER TABLE source ADD COLUMN folder TEXT;
CREATE INDEX source_account ON source (account, stream) WHERE account IS NOT NULL;

-- Items of servers: the marks that were last seen there (base), and those here. What differs waits to
-- be sent, also after retention has removed the item here.
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

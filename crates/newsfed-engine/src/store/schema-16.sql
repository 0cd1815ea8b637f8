-- What the user requests of an account, perhaps in another process than the one that synchronises.
ALTER TABLE account ADD COLUMN requested INTEGER NOT NULL DEFAULT 0; -- counts such requests
ALTER TABLE account ADD COLUMN accept INTEGER NOT NULL DEFAULT 0;    -- 1: large changes are taken over
ALTER TABLE account ADD COLUMN relink INTEGER NOT NULL DEFAULT 0;    -- 1: items are tied to those of a new server

-- Items that lists of unread and starred items can change; all others are read and not pinned.
CREATE INDEX remote_item_open ON remote_item (account)
    WHERE base_read = 0 OR base_pinned = 1 OR read <> base_read OR pinned <> base_pinned;
DELETE FROM remote_item WHERE gone = 1 AND item IS NULL;

-- Changes of subscriptions that wait to be sent, in order.
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

-- Sources of the user that were moved to a server, for moving them back.
CREATE TABLE account_moved (
    source     INTEGER PRIMARY KEY REFERENCES source(key) ON DELETE CASCADE,
    account    INTEGER NOT NULL REFERENCES account(key) ON DELETE CASCADE,
    entry      TEXT NOT NULL,                  -- of sources.toml
    subscribed INTEGER NOT NULL                -- 1: the server did not have it before
) STRICT;

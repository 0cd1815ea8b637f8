-- Kept for later; hidden: 1 by a rule, 2 until a moment.
ALTER TABLE item ADD COLUMN later INTEGER NOT NULL DEFAULT 0;
ALTER TABLE item ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
CREATE INDEX item_later  ON item (date, key) WHERE later = 1;
CREATE INDEX item_hidden ON item (date, key) WHERE hidden <> 0;

-- Items that come back at a moment, and whether they were read before.
CREATE TABLE snooze (
    item     INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    until    INTEGER NOT NULL,
    was_read INTEGER NOT NULL
) STRICT;
CREATE INDEX snooze_until ON snooze (until);

-- A hidden item is read, so that it is not counted. What makes it unread or pinned shows it again.
CREATE TRIGGER item_shown AFTER UPDATE OF read, pinned ON item
WHEN old.hidden <> 0 AND new.hidden <> 0 AND (new.read = 0 OR new.pinned > old.pinned) BEGIN
    UPDATE item SET hidden = 0, read = CASE WHEN new.read = 0 THEN 0
        ELSE coalesce((SELECT was_read FROM snooze WHERE item = new.key), 1) END
    WHERE key = new.key;
    DELETE FROM snooze WHERE item = new.key;
END;

-- Tags of items: as written, and in comparable form.
CREATE TABLE item_tag (
    item INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    form TEXT NOT NULL,
    tag  TEXT NOT NULL,
    PRIMARY KEY (item, form)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_tag_form ON item_tag (form, item);

-- What rules did to items: the rule's name, when, and the mark that it set.
CREATE TABLE rule_effect (
    item     INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    effect   TEXT NOT NULL,                    -- read, pin, hide, later, tag:NAME
    rule     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    was_read INTEGER NOT NULL,
    PRIMARY KEY (item, effect)
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_effect_rule ON rule_effect (rule, at);

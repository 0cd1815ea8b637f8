-- Several rules can notify of one item, or run their commands for it: each is remembered.
CREATE TABLE effect (
    item     INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    effect   TEXT NOT NULL,                    -- read, pin, hide, later, tag:NAME, notify, run
    rule     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    was_read INTEGER NOT NULL,
    PRIMARY KEY (item, effect, rule)
) STRICT, WITHOUT ROWID;
INSERT INTO effect SELECT item, effect, rule, at, was_read FROM rule_effect;
DROP TABLE rule_effect;
ALTER TABLE effect RENAME TO rule_effect;
CREATE INDEX rule_effect_rule ON rule_effect (rule, at);

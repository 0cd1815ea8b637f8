-- Rules that are listed or undone read the whole table, which is rare. To keep this index, each mark that a
-- rule sets wrote one more page.
DROP INDEX rule_effect_rule;

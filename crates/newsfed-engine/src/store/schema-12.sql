-- Items of different sources about one story: groups of two or more, each named after the first key it had.
CREATE TABLE story_item (
    item  INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE,
    story INTEGER NOT NULL
) STRICT;
CREATE INDEX story_items ON story_item (story, item);
-- One item alone is no group.
CREATE TRIGGER story_item_delete AFTER DELETE ON story_item
WHEN (SELECT count(*) FROM story_item WHERE story = old.story) = 1 BEGIN
    DELETE FROM story_item WHERE story = old.story;
END;

-- What the items of the last days are compared by, and the keys under which they are found. Both are
-- removed together, in the background.
CREATE TABLE signature (
    item INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE story_key (
    key  INTEGER NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (key, item)
) STRICT, WITHOUT ROWID;

-- The texts of the last days are read again, so that new items find the stories of the stored ones.
INSERT OR IGNORE INTO unindexed SELECT key FROM item WHERE date > unixepoch() - 7 * 86400;

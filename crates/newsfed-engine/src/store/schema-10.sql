-- New items are counted once per document, by the statement that follows their insertion: this trigger
-- wrote the row of the source for each, and made SQLite keep a journal of each insertion.
DROP TRIGGER item_insert;

-- Texts are indexed in batches, so segments are merged sixteen at a time instead of four, and a batch is
-- one segment (bytes): less is written, and searches still read few segments.
INSERT INTO item_text (item_text, rank) VALUES ('automerge', 16), ('crisismerge', 64), ('hashsize', 16000000);
INSERT INTO version_text (version_text, rank) VALUES ('automerge', 16), ('crisismerge', 64), ('hashsize', 16000000);

-- Items whose text is not in the index yet. detail.indexed is not used any more: to change it, a page
-- with all of the text was written again.
CREATE TABLE unindexed (
    item INTEGER PRIMARY KEY REFERENCES item(key) ON DELETE CASCADE
) STRICT;
INSERT INTO unindexed SELECT item FROM detail WHERE indexed = 0;
DROP INDEX detail_unindexed;

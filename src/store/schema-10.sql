-- New items are counted once per document, by the statement that follows their insertion: this trigger
-- wrote the row of the source for each, and made SQLite keep a journal of each insertion.
DROP TRIGGER item_insert;

-- A poll that has begun and is not stored yet. What remains after a start was not finished.
ALTER TABLE source ADD COLUMN poll_begun INTEGER;
-- Polls in a row during which the program ended.
ALTER TABLE source ADD COLUMN polls_broken INTEGER NOT NULL DEFAULT 0;

-- How the next poll of a source was decided on.
ALTER TABLE source ADD COLUMN planned TEXT; -- JSON
-- Looks that nobody asked for; a budget limits them.
ALTER TABLE poll ADD COLUMN automatic INTEGER NOT NULL DEFAULT 0;

-- What the program remembers beside sources and items.
CREATE TABLE memo (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL                        -- JSON
) STRICT, WITHOUT ROWID;

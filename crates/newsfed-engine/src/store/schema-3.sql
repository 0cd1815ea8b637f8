-- JSON: whether the rules of a website still fit.
ALTER TABLE source ADD COLUMN website TEXT NOT NULL DEFAULT '{}';

-- Pages that a website or sitemap lists and that are not asked for before a moment: they were refused,
-- or were there before the source was followed. Hashes as in item.url_hash.
CREATE TABLE page (
    source INTEGER NOT NULL REFERENCES source(key) ON DELETE CASCADE,
    hash   INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    PRIMARY KEY (source, hash)
) WITHOUT ROWID, STRICT;

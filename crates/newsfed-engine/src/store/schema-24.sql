-- Each Han or Kana character is a word of its own in the full-text index now. Items and versions with such
-- characters are indexed again in the background: those with a word in the index that begins with one, and
-- those with one in the title. The character between such words is U+0001, as for new texts. The characters
-- are a superset of those in `segment::is_word`.
CREATE VIRTUAL TABLE temp.item_words USING fts5vocab(main, item_text, instance);
CREATE TEMP TABLE outdated AS
    SELECT DISTINCT doc AS key FROM temp.item_words WHERE term >= '々' AND term GLOB '*[々-〇ぁ-ヿㇰ-ㇿ㐀-鿿豈-﫿ｦ-ﾟ𛀀-𛅯𠀀-𿿽]*';
DROP TABLE temp.item_words;
INSERT OR IGNORE INTO unindexed
    SELECT key FROM item WHERE key IN (SELECT key FROM outdated) OR title GLOB '*[々-〇ぁ-ヿㇰ-ㇿ㐀-鿿豈-﫿ｦ-ﾟ𛀀-𛅯𠀀-𿿽]*';
DROP TABLE outdated;

CREATE VIRTUAL TABLE temp.version_words USING fts5vocab(main, version_text, instance);
CREATE TEMP TABLE outdated AS
    SELECT DISTINCT doc AS key FROM temp.version_words WHERE doc > 0 AND term >= '々' AND term GLOB '*[々-〇ぁ-ヿㇰ-ㇿ㐀-鿿豈-﫿ｦ-ﾟ𛀀-𛅯𠀀-𿿽]*'
    UNION
    SELECT a.key FROM article a JOIN item i ON i.key = a.item WHERE a.indexed = 1 AND i.title GLOB '*[々-〇ぁ-ヿㇰ-ㇿ㐀-鿿豈-﫿ｦ-ﾟ𛀀-𛅯𠀀-𿿽]*';
DROP TABLE temp.version_words;
DELETE FROM version_text WHERE rowid IN (SELECT key FROM outdated);
UPDATE article SET indexed = 0 WHERE indexed = 1 AND key IN (SELECT key FROM outdated);
DROP TABLE outdated;

-- Earlier titles are indexed at once.
DELETE FROM version_text WHERE rowid IN (
    SELECT -key FROM headline WHERE title GLOB '*[々-〇ぁ-ヿㇰ-ㇿ㐀-鿿豈-﫿ｦ-ﾟ𛀀-𛅯𠀀-𿿽]*');
INSERT INTO version_text (rowid, title, authors, body)
    WITH RECURSIVE letter (key, at, c, rest) AS (
        SELECT key, 0, '', title FROM headline
            WHERE title GLOB '*[々-〇ぁ-ヿㇰ-ㇿ㐀-鿿豈-﫿ｦ-ﾟ𛀀-𛅯𠀀-𿿽]*'
        UNION ALL SELECT key, at + 1, substr(rest, 1, 1), substr(rest, 2) FROM letter WHERE rest <> '')
    SELECT -key, group_concat(
            CASE WHEN c GLOB '[々-〇ぁ-ヿㇰ-ㇿ㐀-鿿豈-﫿ｦ-ﾟ𛀀-𛅯𠀀-𿿽]' THEN char(1, unicode(c), 1) ELSE c END, '' ORDER BY at),
        '', ''
    FROM letter GROUP BY key;

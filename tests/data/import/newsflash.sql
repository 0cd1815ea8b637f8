-- The tables of NewsFlash, with invented items. In `marked`, 0 is marked and 1 is not.
CREATE TABLE feeds (feed_id TEXT PRIMARY KEY NOT NULL, label VARCHAR NOT NULL, website TEXT, feed_url TEXT, icon_url TEXT);
CREATE TABLE tags (tag_id TEXT PRIMARY KEY NOT NULL, label TEXT NOT NULL, color TEXT);
CREATE TABLE articles (article_id TEXT PRIMARY KEY NOT NULL, title TEXT, author TEXT, feed_id TEXT NOT NULL, url TEXT, date TEXT NOT NULL,
    synced TEXT DEFAULT CURRENT_TIMESTAMP NOT NULL, html TEXT, summary TEXT, direction INTEGER, unread INTEGER NOT NULL,
    marked INTEGER NOT NULL, scraped_content TEXT, plain_text TEXT, thumbnail_url TEXT, updated TEXT);
CREATE TABLE enclosures (article_id TEXT NOT NULL, url TEXT NOT NULL, mime_type TEXT, PRIMARY KEY (article_id, url));
CREATE TABLE taggings (article_id TEXT NOT NULL, tag_id TEXT NOT NULL, PRIMARY KEY (article_id, tag_id));
INSERT INTO feeds VALUES ('f1', 'Tides', 'https://tide.example/', 'https://tide.example/rss', NULL);
INSERT INTO tags VALUES ('t1', 'sea', NULL);
INSERT INTO articles (article_id, title, author, feed_id, url, date, html, summary, unread, marked) VALUES
    ('a1', 'Spring tide', 'M. Moon', 'f1', 'https://tide.example/1', '2020-09-13 12:26:40', '<p>High</p>', 'High', 0, 0),
    ('a2', 'Neap tide', NULL, 'f1', 'https://tide.example/2', '2020-09-13 12:28:20', NULL, NULL, 1, 1);
INSERT INTO enclosures VALUES ('a1', 'https://tide.example/1.mp3', 'audio/mpeg');
INSERT INTO taggings VALUES ('a1', 't1');

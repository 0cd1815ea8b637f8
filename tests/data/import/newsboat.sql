-- The tables of cache.db, with invented items.
CREATE TABLE rss_feed (rssurl VARCHAR(1024) PRIMARY KEY NOT NULL, url VARCHAR(1024) NOT NULL, title VARCHAR(1024) NOT NULL,
    lastmodified INTEGER(11) NOT NULL DEFAULT 0, is_rtl INTEGER(1) NOT NULL DEFAULT 0, etag VARCHAR(128) NOT NULL DEFAULT '');
CREATE TABLE rss_item (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, guid VARCHAR(64) NOT NULL, title VARCHAR(1024) NOT NULL,
    author VARCHAR(1024) NOT NULL, url VARCHAR(1024) NOT NULL, feedurl VARCHAR(1024) NOT NULL, pubDate INTEGER NOT NULL,
    content VARCHAR(65535) NOT NULL, unread INTEGER(1) NOT NULL, enclosure_url VARCHAR(1024), enclosure_type VARCHAR(1024),
    enqueued INTEGER(1) NOT NULL DEFAULT 0, flags VARCHAR(52), deleted INTEGER(1) NOT NULL DEFAULT 0,
    base VARCHAR(128) NOT NULL DEFAULT '', content_mime_type VARCHAR(255) NOT NULL DEFAULT '');
INSERT INTO rss_feed (rssurl, url, title) VALUES ('https://tide.example/rss', 'https://tide.example/', 'Tides');
INSERT INTO rss_item (guid, title, author, url, feedurl, pubDate, content, unread, flags, deleted, content_mime_type, enclosure_url, enclosure_type) VALUES
    ('tide-1', 'Spring tide', 'M. Moon', 'https://tide.example/1', 'https://tide.example/rss', 1600000000, '<p>High &amp; low</p>', 0, 's', 0, 'text/html', 'https://tide.example/1.mp3', 'audio/mpeg'),
    ('tide-2', 'Neap tide', '', 'https://tide.example/2', 'https://tide.example/rss', 1600000100, 'a < b', 1, 'bx', 0, 'text/plain', '', ''),
    ('tide-3', 'Removed', '', 'https://tide.example/3', 'https://tide.example/rss', 1600000200, '', 1, '', 1, '', '', ''),
    ('lost-1', 'Elsewhere', '', 'https://lost.example/1', 'https://lost.example/rss', 1600000300, '', 0, '', 0, '', '', ''),
    ('exec-1', 'From a program', '', 'https://lost.example/2', 'exec:~/feed', 1600000400, '', 0, '', 0, '', '', '');

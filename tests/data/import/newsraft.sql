-- The tables of newsraft, with invented items.
CREATE TABLE feeds (feed_url TEXT NOT NULL UNIQUE, title TEXT, link TEXT, content TEXT, attachments TEXT, persons TEXT, extras TEXT,
    download_date INTEGER NOT NULL DEFAULT 0, update_date INTEGER NOT NULL DEFAULT 0, time_to_live INTEGER NOT NULL DEFAULT 0,
    http_header_etag TEXT, http_header_last_modified INTEGER NOT NULL DEFAULT 0, http_header_expires INTEGER NOT NULL DEFAULT 0);
CREATE TABLE items (feed_url TEXT NOT NULL, guid TEXT, title TEXT, link TEXT, content TEXT, attachments TEXT, persons TEXT, extras TEXT,
    publication_date INTEGER NOT NULL DEFAULT 0, update_date INTEGER NOT NULL DEFAULT 0, unread INTEGER NOT NULL DEFAULT 0,
    important INTEGER NOT NULL DEFAULT 0);
INSERT INTO items (feed_url, guid, title, link, content, attachments, persons, publication_date, unread, important) VALUES
    ('https://tide.example/rss', 'tide-1', 'Spring tide', 'https://tide.example/1',
     char(31) || '^' || char(31) || 'type=text/plain' || char(31) || 'text=short' || char(31) || '^' || char(31) || 'type=text/html' || char(31) || 'text=<p>High = low</p>',
     char(31) || '^' || char(31) || 'url=https://tide.example/1.mp3' || char(31) || 'type=audio/mpeg',
     char(31) || '^' || char(31) || 'type=author' || char(31) || 'name=M. Moon', 1600000000, 0, 1),
    ('https://tide.example/rss', 'tide-2', 'Neap tide', 'https://tide.example/2', NULL, NULL, NULL, 1600000100, 1, 0);

-- Episodes: how far each was heard (seconds), and its place in the queue, if it is in it.
CREATE TABLE episode (
    item     INTEGER NOT NULL REFERENCES item(key) ON DELETE CASCADE,
    url      TEXT NOT NULL,                    -- of the enclosure
    rank     INTEGER,                          -- its place in the queue
    position REAL NOT NULL DEFAULT 0,
    length   REAL,                             -- as the player measured it
    finished INTEGER NOT NULL DEFAULT 0,       -- 1: it was heard to its end
    PRIMARY KEY (item, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_rank ON episode (rank, item) WHERE rank IS NOT NULL;

//! The publishing history of sources, for the schedule and for sparklines.

use super::error::Result;
use super::reader::Reader;
use super::rows::{counts_as_published, time};
use crate::model::Time;
use rusqlite::{Rows, params};
use std::collections::HashMap;

/// The publication times of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// Row key of the source.
    pub source: i64,
    /// When the first of its items was discovered.
    pub since: Time,
    /// Publication times in seconds since the epoch, oldest first; never later than the time of discovery.
    pub published: Vec<i64>,
}

/// Reads rows of source, date and time of discovery, which must be ordered by source.
fn read_histories(mut rows: Rows<'_>) -> Result<Vec<History>> {
    let mut histories: Vec<History> = Vec::new();
    while let Some(row) = rows.next()? {
        let (source, date, discovered) = (row.get(0)?, row.get(1)?, time(row.get(2)?));
        match histories.last_mut().filter(|h| h.source == source) {
            Some(history) => {
                history.since = history.since.min(discovered);
                history.published.push(date);
            }
            None => histories.push(History { source, since: discovered, published: vec![date] }),
        }
    }
    Ok(histories)
}

impl Reader {
    /// The publication times of all declared sources.
    pub fn histories(&self) -> Result<Vec<History>> {
        let mut query = self.conn.prepare_cached(
            "SELECT i.source, i.date, i.discovered FROM item i JOIN source s ON s.key = i.source
             WHERE s.declared = 1 ORDER BY i.source, i.date, i.key",
        )?;
        read_histories(query.query([])?)
    }

    /// The publication times of a source (row key); `None` without items.
    pub fn history(&self, source: i64) -> Result<Option<History>> {
        let mut query = self.conn.prepare_cached(
            "SELECT source, date, discovered FROM item WHERE source = ?1 ORDER BY date, key",
        )?;
        Ok(read_histories(query.query([source])?)?.pop())
    }

    /// The dates of the newest items of a source, newest first, at most `limit`.
    pub fn dates(&self, source: i64, limit: usize) -> Result<Vec<Time>> {
        let mut query = self.conn.prepare_cached(
            "SELECT date FROM item WHERE source = ?1 ORDER BY date DESC, key DESC LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = query.query_map(params![source, limit], |r| r.get(0).map(time))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The number of automatic polls that began after `since`, up to `until`, by the row keys of their
    /// sources.
    pub fn automatic_polls(&self, since: Time, until: Time) -> Result<HashMap<i64, u32>> {
        let mut query = self.conn.prepare_cached(
            "SELECT source, count(*) FROM poll WHERE at > ?1 AND at <= ?2 AND automatic = 1
             GROUP BY source",
        )?;
        let span = params![since.timestamp(), until.timestamp()];
        let rows = query.query_map(span, |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// When the oldest recorded poll of a source began.
    pub fn oldest_poll(&self, source: i64) -> Result<Option<Time>> {
        let mut query = self.conn.prepare_cached("SELECT min(at) FROM poll WHERE source = ?1")?;
        let oldest: Option<i64> = query.query_row([source], |r| r.get(0))?;
        Ok(oldest.map(time))
    }

    /// Numbers of items of a source (row key) on each of the last `days` days, by their dates; the last
    /// number is for the 24 hours that end at `until`. Items without a date that the source had when it was
    /// first polled are not counted.
    pub fn items_per_day(&self, source: i64, until: Time, days: usize) -> Result<Vec<u32>> {
        let (until, days) = (until.timestamp(), days.min(MAX_DAYS));
        let since = until - 86_400 * i64::try_from(days).unwrap_or(0);
        let mut query = self.conn.prepare_cached(concat!(
            "SELECT (date - ?2 - 1) / 86400 AS day, count(*) FROM item i INDEXED BY item_source
                 WHERE source = ?1 AND date > ?2 AND date <= ?3 AND ",
            counts_as_published!(),
            " GROUP BY day"
        ))?;
        let mut rows = query.query([source, since, until])?;
        let mut counts = vec![0; days];
        while let Some(row) = rows.next()? {
            let (day, count): (i64, u32) = (row.get(0)?, row.get(1)?);
            if let Some(slot) = usize::try_from(day).ok().and_then(|day| counts.get_mut(day)) {
                *slot = count;
            }
        }
        Ok(counts)
    }
}

/// Maximum number of days in a sparkline.
const MAX_DAYS: usize = 366;

impl Reader {
    /// For each poll of a source since `since`, by the second in which it began: the mean delay in seconds
    /// between publication and discovery of the items that it found. Items published before `watched`, when
    /// the source was first polled, are left out, because they could not have been found sooner, as are items
    /// without a date of their own.
    pub fn delays(&self, source: i64, since: Time, watched: Time) -> Result<HashMap<i64, i64>> {
        let mut query = self.conn.prepare_cached(
            "SELECT discovered, cast(avg(discovered - date) AS INTEGER)
             FROM (SELECT discovered, date FROM item INDEXED BY item_source
                   WHERE source = ?1 ORDER BY date DESC, key DESC LIMIT 5000)
             WHERE discovered >= ?2 AND date >= ?3 AND date < discovered GROUP BY discovered",
        )?;
        let bounds = params![source, since.timestamp(), watched.timestamp()];
        let rows = query.query_map(bounds, |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// The cost of polls: their number, and the bytes on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Spent {
    pub polls: u32,
    /// Requests sent, including redirects but not robots.txt.
    pub requests: u32,
    pub bytes: u64,
    /// Number of 304 responses.
    pub unchanged: u32,
    /// Bytes that the 304 responses saved: for each, the mean size of a full response.
    pub bytes_saved: u64,
}

impl Reader {
    /// The cost of a source's polls after `since`.
    pub fn spent(&self, source: i64, since: Time) -> Result<Spent> {
        let mut query = self.conn.prepare_cached(
            "SELECT count(*), coalesce(sum(bytes), 0), coalesce(sum(status = 304), 0),
                coalesce(avg(CASE WHEN status BETWEEN 200 AND 299 THEN bytes END), 0.0),
                coalesce(sum(CASE WHEN json_valid(outcome)
                    THEN coalesce(outcome ->> 'requests', 1) ELSE 1 END), 0)
             FROM poll WHERE source = ?1 AND at > ?2",
        )?;
        let spent = query.query_row(params![source, since.timestamp()], |r| {
            let (bytes, unchanged, whole): (i64, u32, f64) = (r.get(1)?, r.get(2)?, r.get(3)?);
            Ok(Spent {
                polls: r.get(0)?,
                requests: r.get(4)?,
                bytes: bytes.try_into().unwrap_or(0),
                unchanged,
                bytes_saved: (whole * f64::from(unchanged)) as u64,
            })
        })?;
        Ok(spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_history_and_cost_of_polls() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let conn = super::super::connect::open_writer(&path).unwrap();
        let reader = Reader::open(&path).unwrap();
        conn.execute_batch(
            "INSERT INTO source (id, url) VALUES ('a', 'http://a/'), ('b', 'http://b/');
             INSERT INTO poll (source, at, status, millis, bytes, failed, outcome, automatic) VALUES
                (1, 100, 200, 0, 3000, 0, '', 1), (1, 200, 304, 0, 50, 0, '', 1),
                (1, 300, 304, 0, 50, 0, '{}', 0), (1, 400, 200, 0, 1000, 0, '{\"requests\":11}', 1);",
        )
        .unwrap();
        let mut item = conn
            .prepare(
                "INSERT INTO item (id, source, date, discovered, title, url_hash, content_hash,
                    version_hash) VALUES (randomblob(16), 1, ?1, ?2, '', 0, 0, 0)",
            )
            .unwrap();
        let day = 86_400;
        let until = 20 * day;
        for (date, discovered) in
            [(until - 14 * day, until), (until - day + 1, until), (until, until), (until - 60, 7)]
        {
            item.execute([date, discovered]).unwrap();
        }
        let counts = |source| reader.items_per_day(source, time(until), 14).unwrap();
        assert_eq!(counts(1), [[0; 13].as_slice(), &[3]].concat(), "the day begins after midnight");
        assert_eq!(counts(2), [0; 14]);
        assert_eq!(reader.dates(1, 2).unwrap(), [time(until), time(until - 60)]);
        let delays = reader.delays(1, time(until - day), time(0)).unwrap();
        assert_eq!(delays, [(until, (14 * day + day - 1) / 2)].into(), "by time of discovery");
        assert_eq!(reader.automatic_polls(time(100), time(400)).unwrap(), [(1, 2)].into());
        assert_eq!([1, 2].map(|s| reader.oldest_poll(s).unwrap()), [Some(time(100)), None]);
        let spent = reader.spent(1, time(0)).unwrap();
        let want = Spent { polls: 4, requests: 14, bytes: 4100, unchanged: 2, bytes_saved: 4000 };
        assert_eq!(spent, want);
        let history = &reader.histories().unwrap()[0];
        assert_eq!((history.since, history.published.len()), (time(7), 4));
    }
}

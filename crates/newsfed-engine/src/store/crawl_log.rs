//! The log of one crawl, in a separate file: the links and the responses, one transaction for each response.
//! A killed crawl reads its log from the start, and resumes.

use super::connect::create_private;
use super::error::{Result, StoreError};
use crate::model::Validators;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;
use std::time::Duration;

/// How long to wait for the file while another crawl uses it.
const BUSY_TIMEOUT: Duration = Duration::from_millis(500);
/// One step per version; a released step is never edited.
pub(super) const STEPS: [&str; 3] =
    [include_str!("crawl.sql"), include_str!("crawl-2.sql"), include_str!("crawl-3.sql")];

/// A link that was seen for the first time.
#[derive(Debug, Clone, Copy)]
pub struct LinkRow<'a> {
    pub url: &'a str,
    /// Number and text of the tag path that leads to the link.
    pub path: (u32, &'a str),
    /// Number and text of the link's anchor.
    pub anchor: (u32, &'a str),
}

/// A response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestRow {
    /// The link that was fetched.
    pub link: u32,
    /// Whether only the headers were requested.
    pub head: bool,
    /// Number of requests that were sent: 0 if robots.txt forbids the link, several after retries.
    pub sent: u32,
    /// HTTP status; 0 without a response.
    pub status: u16,
    /// The class of the response, as numbered by the crawl.
    pub class: u8,
    /// Whether it was an article.
    pub article: bool,
    pub bytes: u64,
    /// Unix time in milliseconds.
    pub at: i64,
    pub links: Vec<u32>,
    /// Whether there was no connection.
    pub lost: bool,
}

/// The open log. No other process can open it at the same time.
pub struct CrawlLog {
    pub(super) conn: Connection,
    /// Number of stored responses.
    requests: u32,
    links: u32,
    paths: u32,
    anchors: u32,
}

impl CrawlLog {
    /// Opens the log, and creates it if there is none.
    ///
    /// # Errors
    /// If the log cannot be opened or was written by a newer version; [`StoreError::Busy`] if another crawl
    /// has it open.
    pub fn open(path: &Path) -> Result<Self> {
        create_private(path)?;
        let fail = |e: rusqlite::Error| StoreError::Open { path: path.into(), why: e.to_string() };
        let mut conn = Connection::open(path).map_err(fail)?;
        conn.busy_timeout(BUSY_TIMEOUT)?;
        conn.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        conn.pragma_update(None, "journal_mode", "WAL")?;
        conn.pragma_update(None, "synchronous", "NORMAL")?;
        conn.pragma_update(None, "cache_size", -1024)?;
        let begin = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for step in &STEPS[version(&begin, path)?..] {
            begin.execute_batch(step)?;
        }
        begin.pragma_update(None, "user_version", STEPS.len() as i64)?;
        begin.commit()?;
        Self::of(conn)
    }

    pub(super) fn of(conn: Connection) -> Result<Self> {
        let mut log = Self { conn, requests: 0, links: 0, paths: 0, anchors: 0 };
        log.count()?;
        Ok(log)
    }

    fn count(&mut self) -> Result<()> {
        let count = |table: &str| {
            let sql = format!("SELECT coalesce(max(id) + 1, 0) FROM {table}");
            self.conn.query_row(&sql, [], |r| r.get(0))
        };
        (self.requests, self.links) = (count("request")?, count("link")?);
        (self.paths, self.anchors) = (count("path")?, count("anchor")?);
        Ok(())
    }

    /// Number of stored responses.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Number of stored links.
    pub fn links(&self) -> u32 {
        self.links
    }

    /// The value stored under a name.
    pub fn note(&self, name: &str) -> Result<Option<String>> {
        let mut query = self.conn.prepare_cached("SELECT value FROM note WHERE name = ?1")?;
        Ok(query.query_row([name], |r| r.get(0)).optional()?)
    }

    /// Stores a value under a name.
    pub fn set_note(&self, name: &str, value: &str) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO note (name, value) VALUES (?1, ?2)";
        self.conn.prepare_cached(sql)?.execute([name, value])?;
        Ok(())
    }

    /// Stores several values, or none of them.
    pub fn set_notes(&mut self, notes: &[(&str, String)]) -> Result<()> {
        let tx = self.conn.transaction()?;
        for (name, value) in notes {
            tx.prepare_cached("INSERT OR REPLACE INTO note (name, value) VALUES (?1, ?2)")?
                .execute([name, value.as_str()])?;
        }
        Ok(tx.commit()?)
    }

    /// Stores a response, the new links on it in order, and the target saved from it, in one transaction.
    pub fn append<'a>(
        &mut self,
        request: &RequestRow,
        new: impl Iterator<Item = LinkRow<'a>>,
        saved: Option<&str>,
    ) -> Result<()> {
        let tx = self.conn.transaction()?;
        let mut counts = (self.links, self.paths, self.anchors);
        put_links(&tx, new, &mut counts)?;
        let RequestRow { link, head, sent, status, class, article, bytes, at, links, lost } =
            request;
        let bytes = i64::try_from(*bytes).unwrap_or(i64::MAX);
        let sql =
            "INSERT INTO request (id, link, head, sent, status, class, article, bytes, at, links, lost)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        tx.prepare_cached(sql)?.execute(params![
            self.requests,
            link,
            head,
            sent,
            status,
            class,
            article,
            bytes,
            at,
            pack(links),
            lost
        ])?;
        if let Some(json) = saved {
            tx.prepare_cached("INSERT INTO saved VALUES (?1, ?2)")?
                .execute(params![self.requests, json])?;
        }
        tx.commit()?;
        self.requests += 1;
        (self.links, self.paths, self.anchors) = counts;
        Ok(())
    }

    /// The requests and bytes of the last responses.
    pub fn spent(&self, responses: u32) -> Result<(u64, u64)> {
        let from = self.requests.saturating_sub(responses);
        let sql =
            "SELECT coalesce(sum(sent), 0), coalesce(sum(bytes), 0) FROM request WHERE id >= ?1";
        let sums = |r: &rusqlite::Row<'_>| Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?));
        let (sent, bytes) = self.conn.query_row(sql, [from], sums)?;
        Ok((u64::try_from(sent).unwrap_or(0), u64::try_from(bytes).unwrap_or(0)))
    }

    /// Removes the last responses, which must not have added links.
    pub fn drop_last(&mut self, responses: u32) -> Result<()> {
        let keep = self.requests.saturating_sub(responses);
        self.conn.execute("DELETE FROM request WHERE id >= ?1", [keep])?;
        self.requests = keep;
        Ok(())
    }

    /// Reads all responses in order. `each` gets a response, and access to the stored links.
    ///
    /// # Errors
    /// If the file cannot be read, or `each` fails.
    pub fn replay<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(RequestRow, &mut Stored<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let sql = "SELECT link, head, sent, status, class, article, bytes, at, links, lost
                   FROM request ORDER BY id";
        let mut query = self.conn.prepare(sql).map_err(StoreError::from)?;
        let mut rows = query.query([]).map_err(StoreError::from)?;
        let mut stored = Stored { conn: &self.conn };
        while let Some(row) = rows.next().map_err(StoreError::from)? {
            each(read_request(row).map_err(StoreError::from)?, &mut stored)?;
        }
        Ok(())
    }

    pub fn stored(&self) -> Stored<'_> {
        Stored { conn: &self.conn }
    }

    /// The saved targets, as passed to [`CrawlLog::append`], in order.
    pub fn saved(&self) -> Result<Vec<String>> {
        let mut query = self.conn.prepare("SELECT json FROM saved ORDER BY request")?;
        let rows = query.query_map([], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Stores what a later visit saw and learned, in one transaction.
    pub fn learn<'a>(
        &mut self,
        new: impl Iterator<Item = LinkRow<'a>>,
        visit: &LearnedLinks,
    ) -> Result<()> {
        let LearnedLinks { labels, hubs, validators, waiting } = visit;
        let tx = self.conn.transaction()?;
        let mut counts = (self.links, self.paths, self.anchors);
        put_links(&tx, new, &mut counts)?;
        for (link, hit) in labels {
            tx.prepare_cached("INSERT INTO label (link, hit) VALUES (?1, ?2)")?
                .execute(params![link, hit])?;
        }
        for (link, led) in hubs {
            tx.prepare_cached("INSERT OR REPLACE INTO hub VALUES (?1, ?2)")?
                .execute([link, led])?;
        }
        for (link, Validators { etag, last_modified }) in validators {
            tx.prepare_cached("INSERT OR REPLACE INTO validator VALUES (?1, ?2, ?3)")?
                .execute(params![link, etag, last_modified])?;
        }
        tx.execute("DELETE FROM waiting", [])?;
        for link in waiting {
            tx.prepare_cached("INSERT INTO waiting (link) VALUES (?1)")?.execute([link])?;
        }
        tx.commit()?;
        (self.links, self.paths, self.anchors) = counts;
        Ok(())
    }

    /// What was learned from visits, with the newest `most` labels.
    pub fn learned(&self, most: u32) -> Result<LearnedLinks> {
        let sql =
            "SELECT link, hit FROM (SELECT * FROM label ORDER BY id DESC LIMIT ?1) ORDER BY id";
        let mut query = self.conn.prepare(sql)?;
        let labels = query.query_map([most], |r| Ok((r.get(0)?, r.get(1)?)))?;
        let labels = labels.collect::<rusqlite::Result<_>>()?;
        let mut query = self.conn.prepare("SELECT link, led FROM hub ORDER BY link")?;
        let hubs = query.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        let hubs = hubs.collect::<rusqlite::Result<_>>()?;
        let mut query = self.conn.prepare("SELECT link, etag, last_modified FROM validator")?;
        let validators = query.query_map([], |r| {
            Ok((r.get(0)?, Validators { etag: r.get(1)?, last_modified: r.get(2)? }))
        })?;
        let validators = validators.collect::<rusqlite::Result<_>>()?;
        let mut query = self.conn.prepare("SELECT link FROM waiting ORDER BY id")?;
        let waiting = query.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(LearnedLinks { labels, hubs, validators, waiting })
    }
}

/// What was learned from visits to a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedLinks {
    /// Links that were fetched, in order, and whether they were targets.
    pub labels: Vec<(u32, bool)>,
    /// Pages and the number of targets that each led to, by link.
    pub hubs: Vec<(u32, u32)>,
    /// Validators of pages, by link.
    pub validators: Vec<(u32, Validators)>,
    /// Links that were not fetched yet, in order.
    pub waiting: Vec<u32>,
}

/// The stored links.
pub struct Stored<'a> {
    conn: &'a Connection,
}

impl Stored<'_> {
    /// URL, path and anchor of a link; `None` if there is no link with that number.
    pub fn link(&mut self, id: u32) -> Result<Option<(String, String, String)>> {
        let sql = "SELECT url, path.text, anchor.text FROM link
                   JOIN path ON path.id = link.path JOIN anchor ON anchor.id = link.anchor
                   WHERE link.id = ?1";
        let mut query = self.conn.prepare_cached(sql)?;
        Ok(query.query_row([id], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).optional()?)
    }
}

/// The version of a log.
pub(super) fn version(conn: &Connection, path: &Path) -> Result<usize> {
    let found: i64 = conn.query_row("PRAGMA user_version", [], |r| r.get(0))?;
    let found = usize::try_from(found).unwrap_or(usize::MAX);
    if found > STEPS.len() {
        let (path, known) = (path.to_owned(), STEPS.len());
        return Err(StoreError::TooNew { path, found, known });
    }
    Ok(found)
}

fn put_links<'a>(
    conn: &Connection,
    new: impl Iterator<Item = LinkRow<'a>>,
    (links, paths, anchors): &mut (u32, u32, u32),
) -> Result<()> {
    let texts = |table: &str, count: &mut u32, (number, text): (u32, &str)| -> Result<()> {
        if number >= *count {
            let sql = format!("INSERT INTO {table} VALUES (?1, ?2)");
            conn.prepare_cached(&sql)?.execute(params![number, text])?;
            *count = number + 1;
        }
        Ok(())
    };
    for link in new {
        texts("path", paths, link.path)?;
        texts("anchor", anchors, link.anchor)?;
        conn.prepare_cached("INSERT INTO link VALUES (?1, ?2, ?3, ?4)")?.execute(params![
            *links,
            link.url,
            link.path.0,
            link.anchor.0
        ])?;
        *links += 1;
    }
    Ok(())
}

fn read_request(row: &rusqlite::Row<'_>) -> rusqlite::Result<RequestRow> {
    let packed: Vec<u8> = row.get(8)?;
    Ok(RequestRow {
        link: row.get(0)?,
        head: row.get(1)?,
        sent: row.get(2)?,
        status: row.get(3)?,
        class: row.get(4)?,
        article: row.get(5)?,
        bytes: row.get::<_, i64>(6)?.max(0) as u64,
        at: row.get(7)?,
        links: unpack(&packed),
        lost: row.get(9)?,
    })
}

/// Differences in 7 bits per byte, with the sign in the lowest bit: mostly one byte per link.
fn pack(numbers: &[u32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(numbers.len() + 4);
    let mut last = 0i64;
    for number in numbers {
        let difference = i64::from(*number) - last;
        last = i64::from(*number);
        let mut rest = ((difference << 1) ^ (difference >> 63)) as u64;
        while rest >= 0x80 {
            out.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
    out
}

fn unpack(bytes: &[u8]) -> Vec<u32> {
    let (mut out, mut last, mut value, mut shift) = (Vec::new(), 0i64, 0u64, 0);
    for byte in bytes {
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 || shift > 42 {
            last += (value >> 1) as i64 ^ -((value & 1) as i64);
            out.push(u32::try_from(last).unwrap_or(u32::MAX));
            (value, shift) = (0, 0);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link<'a>(url: &'a str, path: (u32, &'a str)) -> LinkRow<'a> {
        LinkRow { url, path, anchor: (0, "") }
    }

    fn read(log: &CrawlLog) -> Vec<(RequestRow, Option<String>)> {
        let mut rows = Vec::new();
        log.replay::<StoreError>(|row, stored| {
            let url = stored.link(row.link)?.map(|(url, _, _)| url);
            rows.push((row, url));
            Ok(())
        })
        .unwrap();
        rows
    }

    #[test]
    fn packed_numbers_round_trip() {
        let numbers = [0, 1, 2, 700_000, 5, u32::MAX, 0, 64, 128];
        assert_eq!(unpack(&pack(&numbers)), numbers);
        assert_eq!(pack(&[7, 8, 9, 10]).len(), 4);
        assert!(!unpack(&[0xff; 99]).is_empty(), "damaged data ends the loop");
    }

    #[test]
    fn a_crawl_log_keeps_its_responses_when_reopened() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/crawl.db");
        let first = RequestRow {
            status: 200,
            class: 1,
            sent: 3,
            links: vec![0, 2, 1],
            ..RequestRow::default()
        };
        let mut log = CrawlLog::open(&path).unwrap();
        let links = ["http://a/", "http://a/1", "http://a/2"].map(|u| link(u, (0, "/a")));
        log.append(&first, links.into_iter(), Some("{}")).unwrap();
        let second = RequestRow { link: 2, status: 404, bytes: 9, at: 5, ..RequestRow::default() };
        log.append(&second, std::iter::empty(), None).unwrap();
        log.append(&second, std::iter::empty(), None).unwrap();
        assert_eq!(log.spent(1).unwrap(), (0, 9));
        assert_eq!(log.spent(9).unwrap(), (3, 18));
        log.drop_last(1).unwrap();
        log.set_note("seed", "7").unwrap();
        drop(log);
        let mut log = CrawlLog::open(&path).unwrap();
        assert_eq!((log.requests(), log.links(), log.paths), (2, 3, 1));
        assert_eq!(log.note("seed").unwrap().as_deref(), Some("7"));
        assert_eq!(log.saved().unwrap(), ["{}"]);
        let urls = ["http://a/", "http://a/2"].map(|u| Some(u.to_owned()));
        let [a, b] = urls;
        assert_eq!(read(&log), [(first, a), (second, b)]);
        let tag = |tag: &[u8]| Validators { etag: Some(tag.to_owned()), last_modified: None };
        let visit = LearnedLinks {
            labels: vec![(0, true), (1, false)],
            hubs: vec![(0, 3)],
            validators: vec![(0, tag(b"1"))],
            waiting: vec![2, 1],
        };
        log.learn([link("http://a/3", (1, "/b"))].into_iter(), &visit).unwrap();
        assert_eq!(log.learned(2).unwrap(), visit);
        let visit = LearnedLinks {
            labels: vec![(3, true)],
            hubs: vec![(0, 4)],
            validators: vec![(0, tag(b"2"))],
            waiting: vec![],
        };
        log.learn(std::iter::empty(), &visit).unwrap();
        assert_eq!(
            log.learned(2).unwrap(),
            LearnedLinks { labels: vec![(1, false), (3, true)], ..visit }
        );
        let stored = log.stored().link(3).unwrap().unwrap();
        assert_eq!(stored, ("http://a/3".to_owned(), "/b".to_owned(), String::new()));
    }

    #[test]
    fn migrates_an_older_log() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("crawl.db");
        let log = CrawlLog::open(&path).unwrap();
        let older =
            "DROP TABLE validator; DROP TABLE waiting; ALTER TABLE request DROP COLUMN lost";
        log.conn.execute_batch(older).unwrap();
        log.conn.pragma_update(None, "user_version", 1).unwrap();
        drop(log);
        let mut log = CrawlLog::open(&path).unwrap();
        let visit = LearnedLinks { waiting: vec![0], ..LearnedLinks::default() };
        log.learn([link("http://a/", (0, ""))].into_iter(), &visit).unwrap();
        assert_eq!(log.learned(1).unwrap(), visit);
    }

    #[test]
    fn only_one_crawl_opens_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("crawl.db");
        let _open = CrawlLog::open(&path).unwrap();
        assert!(matches!(CrawlLog::open(&path), Err(StoreError::Busy)));
    }
}

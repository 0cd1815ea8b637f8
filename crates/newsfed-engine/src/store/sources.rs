//! The rows of declared sources, and which of them are due.

use super::account;
use super::error::Result;
use super::reader::Reader;
use super::rows::{
    BRIEF_FACTS, FACTS, LISTED_FACTS, POLL, brief_facts, facts, json, opt_time, pause_of, poll,
    time, to_json,
};
use crate::model::{
    BriefFacts, OwnSettings, Pause, PauseReason, PollRecord, Source, SourceFacts, SourceId, Time,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::{HashMap, HashSet};

/// Updates the rows to match the sources declared in `sources.toml`. Sources of accounts are declared by
/// their servers; the file has some of their settings.
///
/// A source that is no longer declared keeps its items until [`super::retention`] removes it, so adding it
/// again restores everything. If a new id has the URL of a source that is no longer declared, the source was
/// renamed. A changed URL resets what was learned about the old URL, but keeps the items.
pub(super) fn reconcile(conn: &Connection, declared: &[Source], now: Time) -> Result<()> {
    if is_settled(conn, declared.iter(), |_| Ok(()))? {
        return Ok(());
    }
    set_overrides(conn, declared)?;
    let (settled, declared) = (settled(conn)?, local(declared.iter()));
    let ids: HashSet<&str> = declared.iter().map(|source| source.id.as_str()).collect();
    for gone in settled.keys().filter(|id| !ids.contains(id.as_str())) {
        conn.prepare_cached("UPDATE source SET undeclared_at = ?1, declared = 0 WHERE id = ?2")?
            .execute(params![now.timestamp(), gone])?;
    }
    for source in declared {
        let (id, url) = (source.id.as_str(), source.url.as_str());
        if settled.get(id).is_some_and(|(u, enabled)| u == url && *enabled == source.enabled) {
            continue;
        }
        account::make_way(conn, id)?;
        let known = known(conn, id, url)?;
        match known {
            None => insert(conn, source)?,
            Some((key, known_url)) => {
                conn.prepare_cached(
                    "UPDATE source SET id = ?2, enabled = ?3, declared = 1, undeclared_at = NULL
                     WHERE key = ?1 AND (id <> ?2 OR enabled <> ?3 OR declared = 0)",
                )?
                .execute(params![key, id, source.enabled])?;
                if known_url != url {
                    readdress(conn, key, url)?;
                }
            }
        }
    }
    Ok(())
}

fn local<'a>(declared: impl Iterator<Item = &'a Source>) -> Vec<&'a Source> {
    declared.filter(|source| source.account.is_none()).collect()
}

/// Account, identifier and URL of an entry, with its settings as JSON.
type Override = (String, String, String, String);

fn overrides(conn: &Connection) -> Result<Vec<Override>> {
    let mut query = conn.prepare_cached(
        "SELECT account, id, url, settings FROM account_override ORDER BY account, id",
    )?;
    let rows = query.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn overrides_of<'a>(declared: impl Iterator<Item = &'a Source>) -> Result<Vec<Override>> {
    let mut all = Vec::new();
    for source in declared {
        let Some(account) = source.account.clone() else { continue };
        let settings = to_json(&OwnSettings::of(source))?;
        all.push((account, source.id.0.clone(), source.url.to_string(), settings));
    }
    all.sort();
    Ok(all)
}

fn set_overrides(conn: &Connection, declared: &[Source]) -> Result<()> {
    let new = overrides_of(declared.iter())?;
    if overrides(conn)? == new {
        return Ok(());
    }
    conn.execute("DELETE FROM account_override", [])?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO account_override (account, id, url, settings) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for row in &new {
        insert.execute(params![row.0, row.1, row.2, row.3])?;
    }
    Ok(())
}

/// Whether [`reconcile`] would change nothing. `each` is called for each declared row, until one differs.
fn is_settled<'a>(
    conn: &Connection,
    declared: impl Iterator<Item = &'a Source> + Clone,
    mut each: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> Result<bool> {
    if overrides(conn)? != overrides_of(declared.clone())? {
        return Ok(false);
    }
    let declared: HashMap<&str, &Source> =
        local(declared).into_iter().map(|source| (source.id.as_str(), source)).collect();
    let is_declared = |row: &Row<'_>| -> rusqlite::Result<bool> {
        let Some(source) = declared.get(row.get_ref(1)?.as_str()?) else { return Ok(false) };
        Ok(row.get_ref(2)?.as_str()? == source.url.as_str()
            && row.get::<_, bool>(3)? == source.enabled)
    };
    let mut query = conn.prepare_cached(&format!("{BRIEF_FACTS} WHERE declared = 1"))?;
    let (mut rows, mut same) = (query.query([])?, 0);
    while let Some(row) = rows.next()? {
        let is_local = row.get_ref(4)? == ValueRef::Null;
        if is_local && !is_declared(row)? {
            return Ok(false);
        }
        same += usize::from(is_local);
        each(row)?;
    }
    Ok(same == declared.len())
}

/// URL and state of the declared rows by id, all read in one query, because usually few have changed.
fn settled(conn: &Connection) -> Result<HashMap<String, (String, bool)>> {
    let sql = "SELECT id, url, enabled FROM source WHERE declared = 1 AND account IS NULL";
    let mut query = conn.prepare_cached(sql)?;
    let rows = query.query_map([], |r| Ok((r.get(0)?, (r.get(1)?, r.get(2)?))))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn known(conn: &Connection, id: &str, url: &str) -> Result<Option<(i64, String)>> {
    let found = conn
        .prepare_cached("SELECT key, url FROM source WHERE id = ?1")?
        .query_row([id], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    if found.is_some() {
        return Ok(found);
    }
    let renamed = conn
        .prepare_cached("SELECT key, url FROM source WHERE url = ?1 AND declared = 0 AND account IS NULL LIMIT 1")?
        .query_row([url], |r| Ok((r.get(0)?, r.get(1)?)))
        .optional()?;
    Ok(renamed)
}

fn insert(conn: &Connection, source: &Source) -> Result<()> {
    let key = next_key(conn)?;
    conn.prepare_cached("INSERT INTO source (key, id, url, enabled) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![key, source.id.as_str(), source.url.as_str(), source.enabled])?;
    Ok(())
}

/// A key that no source has or has ever had, because apps identify feeds by their keys.
pub(super) fn next_key(conn: &Connection) -> Result<i64> {
    let sql = "SELECT 1 + max(coalesce((SELECT max(key) FROM source), 0),
        coalesce((SELECT CAST(value AS INTEGER) FROM memo WHERE name = 'source_key'), 0))";
    Ok(conn.prepare_cached(sql)?.query_row([], |r| r.get(0))?)
}

fn readdress(conn: &Connection, key: i64, url: &str) -> Result<()> {
    conn.prepare_cached(
        "UPDATE source SET url = ?2, moved_to = NULL, move_refused = NULL, move_candidate = NULL,
            etag = NULL, last_modified = NULL, validators_of = NULL, body_hash = NULL, next_poll = NULL,
            paused_until = NULL, pause_reason = NULL, fail_count = 0, last_outcome = NULL, hints = '{}',
            schedule = x'', planned = NULL, website = '{}'
         WHERE key = ?1",
    )?
    .execute(params![key, url])?;
    conn.prepare_cached("DELETE FROM site WHERE source = ?1")?.execute([key])?;
    Ok(())
}

/// The facts of every declared source, in order of id.
pub(super) fn all(conn: &Connection) -> Result<Vec<SourceFacts>> {
    let mut query = conn.prepare_cached(&format!("{FACTS} WHERE declared = 1 ORDER BY id"))?;
    Ok(query.query_map([], facts)?.collect::<rusqlite::Result<_>>()?)
}

impl Reader {
    /// The facts of every declared source, in no particular order, for display. The facts that only polls
    /// need are empty: validators, hints, the state and the plan of the schedule, and permanent redirects
    /// that are not followed.
    pub fn listed_sources(&self) -> Result<Vec<SourceFacts>> {
        let mut query = self.conn.prepare_cached(&format!("{LISTED_FACTS} WHERE declared = 1"))?;
        Ok(query.query_map([], facts)?.collect::<rusqlite::Result<_>>()?)
    }

    /// The most important facts of every declared source, in no particular order.
    pub fn brief_sources(&self) -> Result<Vec<BriefFacts>> {
        let mut query = self.conn.prepare_cached(&format!("{BRIEF_FACTS} WHERE declared = 1"))?;
        Ok(query.query_map([], brief_facts)?.collect::<rusqlite::Result<_>>()?)
    }

    /// Like [`Self::brief_sources`], if the rows match the declared sources, and no snoozed item is due.
    pub fn settled_sources<'a>(
        &self,
        declared: impl Iterator<Item = &'a Source> + Clone,
        now: Time,
    ) -> Result<Option<Vec<BriefFacts>>> {
        let mut all = Vec::new();
        let mut add = |row: &Row<'_>| -> rusqlite::Result<()> {
            all.push(brief_facts(row)?);
            Ok(())
        };
        let wakes = self.next_wake()?.is_some_and(|at| at <= now);
        let is_settled = !wakes && is_settled(&self.conn, declared, &mut add)?;
        Ok(is_settled.then_some(all))
    }

    /// Identifiers and URLs of the entries in `sources.toml` for sources that the account with this
    /// identifier does not have.
    pub fn unused_overrides(&self, account: &str) -> Result<Vec<(String, String)>> {
        let mut query = self.conn.prepare_cached(
            "SELECT o.id, o.url FROM account_override o WHERE o.account = ?1 AND NOT EXISTS
                (SELECT 1 FROM source s JOIN account a ON a.key = s.account WHERE a.id = o.account
                    AND s.declared = 1 AND (s.url = o.url OR s.id = o.id)) ORDER BY o.id",
        )?;
        let rows = query.query_map([account], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Permanent redirects of declared sources, by row key; if a source is given, only that source's.
    pub fn moved(&self, source: Option<i64>) -> Result<Vec<(i64, String)>> {
        let sql = "SELECT key, moved_to FROM source
                   WHERE declared = 1 AND moved_to IS NOT NULL AND (?1 IS NULL OR key = ?1)";
        let mut query = self.conn.prepare_cached(sql)?;
        let rows = query.query_map([source], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The ids of all stored sources, including those that are no longer declared.
    pub fn kept_ids(&self) -> Result<HashSet<String>> {
        let mut query = self.conn.prepare("SELECT id FROM source")?;
        Ok(query.query_map([], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?)
    }

    /// The URLs of sources that are paused at `now`, each with its pause.
    pub fn paused(&self, now: Time) -> Result<Vec<(String, Pause)>> {
        let mut query = self.conn.prepare_cached(
            "SELECT coalesce(moved_to, url), paused_until, pause_reason FROM source WHERE paused_until > ?1",
        )?;
        let rows = query.query_map([now.timestamp()], |r| {
            let reason = json(r.get(2)?);
            Ok(reason.map(|reason| (r.get(0), r.get(1), reason)))
        })?;
        let mut paused = Vec::new();
        for row in rows {
            if let Some((address, until, reason)) = row? {
                paused.push((address?, Pause { until: time(until?), reason }));
            }
        }
        Ok(paused)
    }
}

impl super::Store {
    /// Changes the facts of a source without a poll.
    pub async fn change_facts(
        &self,
        source: i64,
        change: impl Fn(&mut SourceFacts) + Send + 'static,
    ) -> Result<()> {
        self.change_all_facts(vec![source], change).await
    }

    /// Changes the facts of several sources (row keys).
    pub async fn change_all_facts(
        &self,
        sources: Vec<i64>,
        change: impl Fn(&mut SourceFacts) + Send + 'static,
    ) -> Result<()> {
        self.call(move |conn| {
            for source in &sources {
                if let Some(mut facts) = super::rows::load_facts(conn, *source)? {
                    change(&mut facts);
                    super::rows::save_facts(conn, &facts)?;
                }
            }
            Ok(())
        })
        .await
    }
}

/// What the plan needs to know about a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub key: i64,
    pub id: SourceId,
    /// When the next poll is due; `None` means at once.
    pub next_poll: Option<Time>,
    /// The pause that also prevents a manual refresh.
    pub pause: Option<Pause>,
    /// State of the schedule policy.
    pub schedule: Vec<u8>,
}

impl Reader {
    /// The enabled sources in the order of their next poll, at most `limit`.
    pub fn by_next_poll(&self, limit: usize) -> Result<Vec<Due>> {
        let mut query = self.conn.prepare_cached(
            "SELECT key, id, next_poll, paused_until, pause_reason, schedule
             FROM source INDEXED BY source_due WHERE declared = 1 AND enabled = 1
             ORDER BY next_poll LIMIT ?1",
        )?;
        let rows = query.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |r| {
            Ok(Due {
                key: r.get(0)?,
                id: SourceId(r.get(1)?),
                next_poll: opt_time(r.get(2)?),
                pause: pause_of(opt_time(r.get(3)?), r.get(4)?),
                schedule: r.get(5)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

/// Pauses sources, unless they are already paused for longer.
pub(super) fn pause(conn: &Connection, keys: &[i64], pause: Pause) -> Result<()> {
    let mut update = conn.prepare_cached(
        "UPDATE source SET paused_until = ?2, pause_reason = ?3, next_poll = max(coalesce(next_poll, 0), ?2)
         WHERE key = ?1 AND coalesce(paused_until, 0) < ?2",
    )?;
    let reason = to_json(&pause.reason)?;
    for key in keys {
        update.execute(params![key, pause.until.timestamp(), reason])?;
    }
    Ok(())
}

impl Reader {
    /// When the newest poll of all sources started. This can be in the future after the clock was set back.
    pub fn newest_poll(&self) -> Result<Option<Time>> {
        let newest: Option<i64> =
            self.conn.query_row("SELECT max(last_poll) FROM source", [], |row| row.get(0))?;
        Ok(newest.map(super::rows::time))
    }
}

/// See [`super::Store::set_back`]. A permanent pause (410) does not change.
pub(super) fn set_back(conn: &Connection, by: chrono::TimeDelta) -> Result<()> {
    conn.execute(
        "UPDATE source SET last_poll = last_poll - ?1,
            next_poll = CASE WHEN pause_reason IS ?2 THEN next_poll ELSE next_poll - ?1 END,
            paused_until = CASE WHEN pause_reason IS ?2 THEN paused_until ELSE paused_until - ?1 END",
        params![by.num_seconds(), to_json(&PauseReason::Gone)?],
    )?;
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PollFilter {
    /// If set, only polls of this source (row key).
    pub source: Option<i64>,
    /// Only polls that failed or needed repairs.
    pub noteworthy: bool,
}

impl Reader {
    /// When the newest item of a source (row key) arrived.
    pub fn newest_arrival(&self, source: i64) -> Result<Option<Time>> {
        let mut query =
            self.conn.prepare_cached("SELECT max(discovered) FROM item WHERE source = ?1")?;
        let newest: Option<i64> = query.query_row([source], |r| r.get(0))?;
        Ok(newest.map(super::rows::time))
    }

    /// Whether the user has pinned or tagged an item of a source (row key), or kept one for later.
    pub fn has_kept(&self, source: i64) -> Result<bool> {
        let mut query = self.conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM item WHERE source = ?1 AND (pinned <> 0 OR later <> 0
                 OR EXISTS (SELECT 1 FROM item_tag t WHERE t.item = item.key)))",
        )?;
        Ok(query.query_row([source], |r| r.get(0))?)
    }

    /// The newest polls with the id of their source.
    pub fn polls(&self, filter: PollFilter, limit: usize) -> Result<Vec<(SourceId, PollRecord)>> {
        let source = if filter.source.is_some() { "p.source = ?2" } else { "?2 IS NULL" };
        let worth = if filter.noteworthy { "AND (p.failed = 1 OR p.repairs <> '[]')" } else { "" };
        let mut query = self.conn.prepare_cached(&format!(
            "SELECT {POLL}, s.id FROM poll p JOIN source s ON s.key = p.source
             WHERE s.declared = 1 AND {source} {worth} ORDER BY p.at DESC, p.key DESC LIMIT ?1"
        ))?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = query
            .query_map(params![limit, filter.source], |r| Ok((SourceId(r.get(6)?), poll(r)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

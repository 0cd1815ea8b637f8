//! Polls that have started. If a poll is still recorded when the program starts, it was interrupted by the
//! end of the program, which may have been caused by what the poll read.

use super::Store;
use super::error::Result;
use super::ingest::save_poll;
use super::rows::{load_facts, save_facts, time};
use crate::model::{Outcome, PollRecord, SourceFacts, Time};
use rusqlite::{Connection, params};

impl Store {
    /// Returns the facts of a source (row key) and, if they allow the poll, records that it has started,
    /// until the poll is stored. `None` if the source is gone.
    pub async fn begin_poll(
        &self,
        source: i64,
        now: Time,
        begins: impl Fn(&SourceFacts) -> bool + Send + 'static,
    ) -> Result<Option<SourceFacts>> {
        let begin = move |conn: &Connection| {
            let facts = load_facts(conn, source)?;
            if facts.as_ref().is_some_and(&begins) {
                begin(conn, source, now)?;
            }
            Ok(facts)
        };
        self.call_quietly(begin).await
    }

    /// Deletes the record of the started poll of a source (row key), or of all sources, because nothing from
    /// the poll will be stored.
    pub async fn clear_begun_poll(&self, source: Option<i64>) -> Result<()> {
        self.call_quietly(move |conn| clear_begun(conn, source)).await
    }

    /// Stores the failures of polls that were running when an earlier process ended; returns their number.
    /// `fail` changes the facts, and gets the number of interrupted polls in a row.
    pub async fn fail_unfinished_polls(
        &self,
        outcome: Outcome,
        fail: impl Fn(&mut SourceFacts, u32) + Send + 'static,
    ) -> Result<usize> {
        self.call(move |conn| fail_unfinished(conn, &outcome, &fail)).await
    }
}

/// Records that a poll has started.
pub(super) fn begin(conn: &Connection, source: i64, now: Time) -> Result<()> {
    conn.prepare_cached("UPDATE source SET poll_begun = ?2 WHERE key = ?1")?
        .execute(params![source, now.timestamp()])?;
    Ok(())
}

/// Deletes the record of a started poll, because nothing from it will be stored; without a source, the
/// records of all sources.
pub(super) fn clear_begun(conn: &Connection, source: Option<i64>) -> Result<()> {
    conn.prepare_cached(
        "UPDATE source SET poll_begun = NULL WHERE poll_begun IS NOT NULL AND (?1 IS NULL OR key = ?1)",
    )?
    .execute([source])?;
    Ok(())
}

/// Stores the failures of polls that were not finished. `fail` changes the facts, and gets the number of
/// unfinished polls in a row.
pub(super) fn fail_unfinished(
    conn: &Connection,
    outcome: &Outcome,
    fail: impl Fn(&mut SourceFacts, u32),
) -> Result<usize> {
    let mut query = conn.prepare(
        "UPDATE source SET polls_broken = polls_broken + 1 WHERE poll_begun IS NOT NULL
         RETURNING key, poll_begun, polls_broken",
    )?;
    let rows = query.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
    let unfinished: Vec<(i64, i64, u32)> = rows.collect::<rusqlite::Result<_>>()?;
    for (source, begun, broken) in &unfinished {
        let Some(mut facts) = load_facts(conn, *source)? else { continue };
        facts.last_outcome = Some(outcome.clone());
        fail(&mut facts, *broken);
        save_facts(conn, &facts)?;
        let record = PollRecord {
            at: time(*begun),
            status: None,
            millis: 0,
            requests: 0,
            bytes: 0,
            outcome: outcome.clone(),
            repairs: Vec::new(),
            left_out: Vec::new(),
        };
        save_poll(conn, *source, &record, false)?;
    }
    clear_begun(conn, None)?;
    Ok(unfinished.len())
}

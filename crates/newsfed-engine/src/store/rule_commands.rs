//! Records how the commands of rules ended, one record per rule, stored as a named value (memo).

use super::Store;
use super::error::Result;
use super::memo;
use super::reader::Reader;
use super::rule_effects::record_outside;
use crate::model::{CommandRecord, Effect, Time};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

/// Prefix of a record's name, before the name of the rule.
const PREFIX: &str = "rule command: ";
/// A name that sorts after all names of records.
const END: &str = "rule command:!";

/// Prefix of the names under which hooks are recorded; hooks are not rules.
pub const HOOK_PREFIX: &str = "[[hook]] ";

fn record_name(rule: &str) -> String {
    format!("{PREFIX}{rule}")
}

/// Changes the record of a rule in the transaction that reads it, and records the item (row key) for which
/// its command ran.
fn change(
    conn: &Connection,
    rule: &str,
    ran: Option<i64>,
    change: &impl Fn(&mut CommandRecord),
    now: Time,
) -> Result<()> {
    let name = record_name(rule);
    let stored: Option<String> = conn
        .prepare_cached("SELECT value FROM memo WHERE name = ?1")?
        .query_row([&name], |r| r.get(0))
        .optional()?;
    let mut record =
        stored.and_then(|stored| serde_json::from_str(&stored).ok()).unwrap_or_default();
    change(&mut record);
    memo::set(conn, &name, &super::rows::to_json(&record)?)?;
    record_outside(conn, rule, &Effect::Run, ran.as_slice(), now)
}

/// Deletes the record of how the commands of a rule ended.
pub(super) fn delete_record(conn: &Connection, rule: &str) -> Result<()> {
    conn.prepare_cached("DELETE FROM memo WHERE name = ?1")?.execute([record_name(rule)])?;
    Ok(())
}

/// The records, by the names of the rules.
fn all(conn: &Connection) -> Result<HashMap<String, CommandRecord>> {
    let mut query =
        conn.prepare_cached("SELECT name, value FROM memo WHERE name >= ?1 AND name < ?2")?;
    let rows = query.query_map(params![PREFIX, END], |r| {
        Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?))
    })?;
    let mut records = HashMap::new();
    for row in rows {
        let (name, value) = row?;
        let rule = name.strip_prefix(PREFIX).unwrap_or(&name);
        if let Ok(record) = serde_json::from_str(&value) {
            records.insert(rule.to_owned(), record);
        }
    }
    Ok(records)
}

impl Store {
    /// Changes the record of a rule's commands in one transaction; `ran` is the item (row key) for which
    /// its command ran. The change may be applied twice to the same record.
    pub async fn record_commands(
        &self,
        rule: String,
        ran: Option<i64>,
        record: impl Fn(&mut CommandRecord) + Send + 'static,
        now: Time,
    ) -> Result<()> {
        self.call(move |conn| change(conn, &rule, ran, &record, now)).await
    }

    /// Deletes the records of how commands of rules ended, except for these rules.
    pub async fn delete_other_records(&self, except: Vec<String>) -> Result<()> {
        self.call(move |conn| {
            let mut gone = all(conn)?.into_keys().filter(|rule| !except.contains(rule));
            gone.try_for_each(|rule| delete_record(conn, &rule))
        })
        .await
    }
}

impl Reader {
    /// How the commands recorded under a name ended.
    pub fn command_record(&self, name: &str) -> Result<Option<CommandRecord>> {
        Ok(all(&self.conn)?.remove(name))
    }

    /// How the commands of rules ended, by the names of the rules.
    pub(super) fn command_records(&self) -> Result<HashMap<String, CommandRecord>> {
        all(&self.conn)
    }
}

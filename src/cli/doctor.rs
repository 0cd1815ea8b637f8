//! `newsfed doctor`: checks the installation.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::output::Output;
use super::{doctor_accounts, doctor_checks};
use crate::config::{self, Loaded};
use crate::store::{self, Poller, PollerLock, Store};
use crate::util::text;
use serde::Serialize;
use std::path::Path;

#[derive(Debug, clap::Args)]
#[command(after_help = DOCTOR)]
pub(super) struct DoctorArgs {
    /// Build a new database from whatever can be read of a damaged one
    #[arg(long)]
    rebuild: bool,
}

const DOCTOR: &str = "\
Each line starts with ok, warning or problem. Exits with 1 if there is a
problem. Logs in to account servers; everything else is checked without
a network connection.

Examples:
  newsfed doctor
  newsfed doctor --json
  newsfed doctor --rebuild";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Level {
    Ok,
    /// Something is unusual, but nothing is broken.
    Warning,
    Problem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    level: Level,
    /// The subject of the check.
    topic: &'static str,
    /// The result of the check, and what the user can do.
    message: String,
}

impl Finding {
    pub(super) fn ok(topic: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Ok, topic, message: message.into() }
    }

    pub(super) fn warning(topic: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Warning, topic, message: message.into() }
    }

    pub(super) fn problem(topic: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Problem, topic, message: message.into() }
    }
}

pub(super) fn run(args: &DoctorArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let paths = global.paths()?;
    if args.rebuild {
        rebuild(&paths.database(), out)?;
    }
    let mut findings = vec![Finding::ok("version", doctor_checks::version())];
    let loaded = match config::load(&paths, &global.set) {
        Ok(loaded) => {
            findings.extend(doctor_checks::configuration(&paths, &loaded));
            loaded
        }
        Err(errors) => {
            let errors = errors.errors.iter().map(|e| Finding::problem("config", e.to_string()));
            findings.extend(errors);
            Loaded::default()
        }
    };
    findings.extend(doctor_checks::clock());
    findings.extend(doctor_checks::permissions(&paths));
    findings.extend(doctor_checks::crashes(&paths));
    // The files are loaded without the overrides of this run, because only the files are checked.
    let files = config::load(&paths, &[]).unwrap_or_default();
    findings.extend(doctor_checks::secrets(&paths, &files));
    if paths.database().exists() {
        match Store::open(&paths.database()) {
            Ok(store) => {
                findings.extend(doctor_checks::database(&store, &loaded));
                findings.extend(doctor_checks::hooks(&store, &loaded.settings));
            }
            Err(e) => findings.push(Finding::problem("database", e.to_string())),
        }
    } else {
        let message = "does not exist yet; the first `newsfed add` or `newsfed sync` creates it";
        findings.push(Finding::ok("database", message));
    }
    findings.extend(doctor_checks::surroundings(&loaded.settings));
    if !loaded.settings.accounts.is_empty() && paths.database().exists() {
        findings.extend(doctor_accounts::check(&paths, global, loaded, out));
    }
    for finding in &findings {
        if out.json {
            out.value(finding)?;
        } else {
            let level = match finding.level {
                Level::Ok => out.faint("ok     "),
                Level::Warning => out.bold("warning"),
                Level::Problem => out.bold("problem"),
            };
            out.line(format!("{level}  {:<11} {}", finding.topic, text::line(&finding.message)))?;
        }
    }
    let problem = findings.iter().any(|f| f.level == Level::Problem);
    Ok(if problem { Exit::Failed } else { Exit::Ok })
}

/// Rebuilds the database, keeping the damaged file, and reports the content of the new one.
fn rebuild(database: &Path, out: &mut Output) -> Result<(), Failure> {
    let shown = database.display();
    if !database.exists() {
        return Err(Failure::Plain(format!("there is no database {shown} to rebuild")));
    }
    let _lock = match PollerLock::acquire(database)? {
        Poller::Mine(lock) => lock,
        Poller::Other(pid) => {
            let who = pid
                .map_or("another newsfed process".to_owned(), |p| format!("newsfed (process {p})"));
            return Err(Failure::Plain(format!("{who} uses the database; stop it first")));
        }
    };
    let rebuilt = store::rebuild(database)?;
    out.note(format!(
        "rebuilt the database; the damaged one was kept as {}",
        rebuilt.damaged.display()
    ));
    for table in rebuilt.tables {
        let rest = if table.lost_some { "; some could not be read and are lost" } else { "" };
        out.note(format!("  {}: {} saved{rest}", table.what, table.saved));
    }
    Ok(())
}

//! `newsfed doctor`: everything that may be wrong, and what to do about it.

use super::args::Global;
use super::checks;
use super::exit::{Exit, Failure};
use super::output::Output;
use crate::config::{self, Loaded};
use crate::store::Store;
use crate::util::text;
use serde::Serialize;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// Odd, but nothing is broken.
    Warn,
    /// Something does not work.
    Problem,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    level: Level,
    /// What was looked at.
    topic: &'static str,
    /// What was found, and what to do.
    message: String,
}

impl Finding {
    pub(super) fn ok(topic: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Ok, topic, message: message.into() }
    }

    pub(super) fn warn(topic: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Warn, topic, message: message.into() }
    }

    pub(super) fn problem(topic: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Problem, topic, message: message.into() }
    }
}

/// Runs `doctor`.
pub(super) fn run(global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let paths = global.paths()?;
    let mut findings = vec![Finding::ok("version", checks::version())];
    let loaded = match config::load(&paths, &global.set) {
        Ok(loaded) => {
            findings.extend(checks::configuration(&paths, &loaded));
            loaded
        }
        Err(errors) => {
            let faults = errors.errors.iter().map(|e| Finding::problem("config", e.to_string()));
            findings.extend(faults);
            Loaded::default()
        }
    };
    findings.extend(checks::clock());
    findings.extend(checks::permissions(&paths));
    if paths.database().exists() {
        match Store::open(&paths.database()) {
            Ok(store) => findings.extend(checks::database(&store, &loaded)),
            Err(e) => findings.push(Finding::problem("database", e.to_string())),
        }
    } else {
        let message = "there is none yet; the first `newsfed add` or `newsfed sync` makes it";
        findings.push(Finding::ok("database", message));
    }
    findings.extend(checks::surroundings(&loaded.settings));
    for finding in &findings {
        if out.json {
            out.value(finding)?;
        } else {
            let level = match finding.level {
                Level::Ok => out.faint("ok     "),
                Level::Warn => out.bold("warn   "),
                Level::Problem => out.bold("problem"),
            };
            out.line(format!("{level}  {:<11} {}", finding.topic, text::line(&finding.message)))?;
        }
    }
    let problem = findings.iter().any(|f| f.level == Level::Problem);
    Ok(if problem { Exit::Failed } else { Exit::Ok })
}

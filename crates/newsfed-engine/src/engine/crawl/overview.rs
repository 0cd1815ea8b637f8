//! The state of a crawl in a folder for a list, read from its log without replaying it.

use super::record::{beside, class, open_for_reading, read_spec};
use super::state::{CrawlPhase, CrawlState, MAX_FINDS};
use super::{CrawlBudget, CrawlEnd, CrawlError, CrawlFind, CrawlLocation};
use crate::crawl::LinkGroup;
use crate::util::text;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Name of the note about the end of the last run; empty during a run.
pub(super) const ENDING: &str = "ending";
/// Maximum number of link groups to store.
pub(super) const MAX_GROUPS: usize = 5;

/// How a run has ended.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Ending {
    /// The name of the [`CrawlEnd`].
    end: String,
    why: Option<String>,
    /// The limits of the run.
    requests: Option<u64>,
    bytes: Option<u64>,
    /// Descriptions of the groups of links that have led to targets.
    groups: Vec<String>,
}

impl Ending {
    pub(super) fn of(end: &CrawlEnd, budget: &CrawlBudget, groups: &[LinkGroup]) -> Self {
        let why = match end {
            CrawlEnd::Left(why) => Some(why.clone()),
            _ => None,
        };
        Self {
            end: end.name().to_owned(),
            why,
            requests: budget.requests,
            bytes: budget.bytes,
            groups: groups.iter().map(describe).collect(),
        }
    }
}

/// Describes a group of links. The words come from the site.
pub(super) fn describe(group: &LinkGroup) -> String {
    text::line(&group.describe())
}

impl CrawlEnd {
    /// The name in logs and output.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Requests => "requests",
            Self::Bytes => "bytes",
            Self::Time => "time",
            Self::Stopped => "stopped",
            Self::Left(_) => "gave-up",
        }
    }

    fn named(name: &str, why: Option<String>) -> Option<Self> {
        let ends = [Self::Done, Self::Requests, Self::Bytes, Self::Time, Self::Stopped];
        let left = Self::Left(why.unwrap_or_default());
        ends.into_iter().chain([left]).find(|end| end.name() == name)
    }
}

impl CrawlState {
    /// Reads the crawl in a folder; `None` if it no longer exists. Reads the disk.
    pub(super) fn read(folder: PathBuf) -> Option<Self> {
        if !CrawlLocation::Folder(folder.clone()).record().exists() {
            return None;
        }
        let mut state = Self::new(folder);
        match state.read_log() {
            Ok(()) => {}
            Err(CrawlError::Busy(_)) => state.phase = CrawlPhase::InUse,
            Err(e) => state.phase = CrawlPhase::Failed(text::line(&e.to_string())),
        }
        Some(state)
    }

    fn read_log(&mut self) -> Result<(), CrawlError> {
        let log = open_for_reading(&CrawlLocation::Folder(self.folder.clone()).record())?;
        let spec = read_spec(&log)?;
        (self.start, self.targets) = (spec.start.to_string(), spec.targets.to_string());
        let (progress, curve) = (&mut self.progress, &mut self.curve);
        log.each_response(|row| {
            progress.count(&row, class(row.class));
            curve.add(progress.requests, progress.found);
        })?;
        let (requests, bytes) = beside(&log)?;
        progress.requests += requests;
        progress.bytes += bytes;
        // The link to the start page is not stored before the first response.
        progress.links = (log.links() as usize).max(1);
        let finds = log.newest_saved(MAX_FINDS)?;
        self.finds = finds.iter().filter_map(|json| CrawlFind::read(json)).map(Arc::new).collect();
        let note = log.note(ENDING)?.unwrap_or_default();
        let ending: Ending = serde_json::from_str(&note).unwrap_or_default();
        self.budget.requests = ending.requests;
        self.budget.bytes = ending.bytes;
        self.groups = ending.groups.iter().map(|group| text::line(group)).collect();
        // If the note is missing or empty, the program was killed during a run.
        let end = CrawlEnd::named(&ending.end, ending.why).unwrap_or(CrawlEnd::Stopped);
        self.phase = CrawlPhase::Ended(end);
        Ok(())
    }
}

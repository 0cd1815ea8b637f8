//! The visible state of a crawl, during and after a run.

use super::{Crawl, CrawlBudget, CrawlEnd, CrawlError, CrawlFind, CrawlProgress, Curve};
use crate::model::Time;
use crate::util::text;
use chrono::TimeDelta;
use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Maximum number of finds to keep for lists.
pub(super) const MAX_FINDS: usize = 200;
/// Number of recent responses used to compute the speed.
const RECENT: usize = 40;

/// The phase of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrawlPhase {
    /// Its log is being read.
    Opening,
    /// Another crawl of the same host is running.
    Waiting,
    Running,
    Ended(CrawlEnd),
    /// The crawl could not run, or had to stop, for this reason.
    Failed(String),
    /// Another process is using its folder.
    InUse,
}

/// The visible state of a crawl.
#[derive(Debug, Clone)]
pub struct CrawlState {
    pub folder: PathBuf,
    /// The start URL without credentials; empty until the crawl is opened.
    pub start: String,
    pub targets: String,
    pub phase: CrawlPhase,
    pub progress: CrawlProgress,
    pub budget: CrawlBudget,
    /// When the time limit will be reached.
    pub deadline: Option<Time>,
    /// Recent requests per minute.
    pub speed: Option<f64>,
    pub curve: Curve,
    /// Descriptions of the groups of links that have led to targets, best first.
    pub groups: Vec<String>,
    /// The newest finds, latest first.
    pub finds: VecDeque<Arc<CrawlFind>>,
    /// The last note about a page, such as links that were left out.
    pub note: Option<String>,
    /// Whether the folder already contained a crawl when one was to be started there.
    pub exists: bool,
}

impl CrawlState {
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            start: String::new(),
            targets: String::new(),
            phase: CrawlPhase::Opening,
            progress: CrawlProgress::default(),
            budget: CrawlBudget::default(),
            deadline: None,
            speed: None,
            curve: Curve::default(),
            groups: Vec::new(),
            finds: VecDeque::new(),
            note: None,
            exists: false,
        }
    }

    /// Copies the state of an opened crawl.
    pub(super) fn opened(&mut self, crawl: &Crawl) -> Result<(), CrawlError> {
        let spec = crawl.spec();
        (self.start, self.targets) = (spec.start.to_string(), spec.targets.to_string());
        self.budget = crawl.budget;
        let finds = crawl.record.newest(MAX_FINDS)?;
        self.finds = finds.iter().filter_map(|json| CrawlFind::read(json)).map(Arc::new).collect();
        self.advanced(crawl);
        Ok(())
    }

    /// Copies everything that changes with each response.
    pub(super) fn advanced(&mut self, crawl: &Crawl) {
        self.progress = crawl.progress();
        self.curve.clone_from(crawl.record.curve());
        self.deadline = crawl.deadline;
    }

    pub(super) fn found(&mut self, find: CrawlFind) {
        self.finds.push_front(Arc::new(find));
        self.finds.truncate(MAX_FINDS);
    }

    /// Whether the crawl is running, or about to run.
    pub fn is_running(&self) -> bool {
        matches!(self.phase, CrawlPhase::Opening | CrawlPhase::Waiting | CrawlPhase::Running)
    }

    /// The host of the site, or the name of the folder.
    pub fn site(&self) -> String {
        let url = Url::parse(&self.start).ok();
        let host = url.as_ref().and_then(|url| url.host_str());
        let name = || self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        text::line(&host.map_or_else(name, str::to_owned))
    }

    /// Number of links that were seen but not fetched.
    pub fn unfetched(&self) -> usize {
        self.progress.links.saturating_sub(self.progress.fetched)
    }

    /// Number of targets found per 100 requests.
    pub fn per_hundred(&self) -> f64 {
        100.0 * self.progress.found as f64 / self.progress.requests.max(1) as f64
    }

    /// How long the budget will last at the current speed; `None` if unknown.
    pub fn time_left(&self, now: Time) -> Option<TimeDelta> {
        let CrawlProgress { requests, bytes, .. } = self.progress;
        let deadline = self.deadline.map(|at| (at - now).max(TimeDelta::zero()));
        let lasting = |requests: f64| {
            let minutes = requests / self.speed.filter(|speed| *speed > 0.0)?;
            TimeDelta::try_milliseconds((minutes * 60_000.0).min(1e15) as i64)
        };
        let left = |limit: u64, used: u64| limit.saturating_sub(used) as f64;
        let of_requests = self.budget.requests.and_then(|limit| lasting(left(limit, requests)));
        let of_bytes = self.budget.bytes.filter(|_| bytes > 0 && requests > 0);
        let each = bytes as f64 / requests.max(1) as f64;
        let of_bytes = of_bytes.and_then(|limit| lasting(left(limit, bytes) / each));
        [deadline, of_requests, of_bytes].into_iter().flatten().min()
    }

    /// The path of a find. The log may be from someone else, so only files in the folder are allowed.
    pub fn path_of(&self, find: &CrawlFind) -> Option<PathBuf> {
        let file = Path::new(find.file.as_deref()?);
        let is_inside = file.components().all(|part| matches!(part, Component::Normal(_)));
        is_inside.then(|| self.folder.join(file))
    }
}

/// Requests per minute during the most recent responses.
#[derive(Debug, Default)]
pub(super) struct Speed {
    recent: VecDeque<(Time, u64)>,
}

impl Speed {
    /// Records the number of requests at a time. Returns the speed.
    pub(super) fn add(&mut self, at: Time, requests: u64) -> Option<f64> {
        self.recent.push_back((at, requests));
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        let (begun, before) = self.recent.front()?;
        let seconds = (at - *begun).as_seconds_f64();
        (seconds > 0.0).then(|| requests.saturating_sub(*before) as f64 * 60.0 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(seconds: i64) -> Time {
        Time::from_timestamp(1_700_000_000 + seconds, 0).unwrap()
    }

    #[test]
    fn opens_only_files_in_the_folder() {
        let state = CrawlState::new(PathBuf::from("/crawls/a"));
        let path = |file: &str| {
            let json = format!(
                r#"{{"url":"https://a.example/x","mime":"text/csv","bytes":1,"sha256":"","found_on":"",
                "anchor":"","title":null,"at":"2026-01-01T00:00:00Z","file":{file:?}}}"#
            );
            state.path_of(&CrawlFind::read(&json).unwrap())
        };
        assert_eq!(path("files/x.csv"), Some(PathBuf::from("/crawls/a/files/x.csv")));
        for outside in ["../b", "files/../../b", "/etc/passwd", "./x"] {
            assert_eq!(path(outside), None, "{outside}");
        }
    }

    #[test]
    fn the_tightest_limit_determines_the_time_left() {
        let mut state = CrawlState::new(PathBuf::new());
        assert_eq!(state.time_left(at(0)), None);
        (state.progress.requests, state.progress.bytes) = (100, 1_000_000);
        state.budget = "200req,10MB".parse().unwrap();
        assert_eq!(state.time_left(at(0)), None, "the speed is not known");
        state.speed = Some(50.0);
        assert_eq!(state.time_left(at(0)), Some(TimeDelta::seconds(120)));
        state.budget.bytes = Some(1_500_000);
        assert_eq!(state.time_left(at(0)), Some(TimeDelta::seconds(60)));
        state.deadline = Some(at(45));
        assert_eq!(state.time_left(at(5)), Some(TimeDelta::seconds(40)));
        assert_eq!(state.time_left(at(99)), Some(TimeDelta::zero()));
    }

    #[test]
    fn speed_is_measured_over_the_last_responses() {
        let mut speed = Speed::default();
        assert_eq!(speed.add(at(0), 10), None);
        assert_eq!(speed.add(at(60), 40), Some(30.0));
        let mut last = None;
        for n in 0..100u32 {
            last =
                speed.add(at(100) + Duration::from_millis(500 * u64::from(n)), 40 + u64::from(n));
        }
        assert_eq!(last, Some(120.0));
    }
}

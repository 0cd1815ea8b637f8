//! Figures of replayed crawls.

use super::confusion::Confusion;
use super::graph::Graph;
use super::run::Replayed;
use crate::crawl::Kind;
use serde::Serialize;
use std::time::Duration;

/// Results of several crawls of one site. Numbers of requests are in percent of the site's URLs.
#[derive(Debug, Clone, Serialize)]
pub struct CrawlFigures {
    pub strategy: &'static str,
    pub site: String,
    /// Number of crawls.
    pub seeds: usize,
    /// Requests until 90 % of the targets were found, in percent; mean over the crawls. A crawl that never
    /// found them is counted as 200 %.
    pub q90_percent_mean: f64,
    /// Standard deviation of this percentage over the crawls.
    pub q90_percent_sd: f64,
    /// Non-target bytes read before 90 % of the target bytes, in percent of all non-target bytes of the site;
    /// `None` if a crawl never reached 90 %.
    pub v90_percent_mean: Option<f64>,
    /// Requests until 90 % of the target bytes were read, in percent. A crawl that never read them is counted
    /// as 200 %.
    pub bytes90_percent_mean: f64,
    /// Share of the targets found after n requests, averaged over n from 1 to the number of URLs, 0 to 1.
    pub area_mean: f64,
    /// Milliseconds of work per request, excluding page parsing.
    pub cpu_ms_per_request: f64,
    /// Number of crawls that never found 90 % of the targets.
    pub unreached: usize,
    /// Requests and bytes for each tenth of the targets.
    pub milestones: Vec<Milestone>,
    /// The predictions of all crawls, added up.
    pub confusion: Confusion,
    /// Mean number of requests until 90 % of the new targets were found, after a crawl of an older recording;
    /// -1 if a crawl stopped earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_to_90_new: Option<f64>,
}

/// Requests and bytes until a share of the targets was found. The values are means over the crawls, or `None`
/// if a crawl never reached this share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Milestone {
    /// Percentage of the targets, and of their bytes.
    pub percent: u32,
    /// Requests until this percentage of targets was found, as a percentage of the site's URLs.
    pub requests_percent: Option<f64>,
    /// Non-target bytes until this percentage of target bytes was read, as a percentage of all non-target
    /// bytes.
    pub other_bytes_percent: Option<f64>,
}

/// The totals of a recorded site.
struct Totals {
    urls: f64,
    targets: u64,
    target_bytes: u64,
    other_bytes: u64,
}

impl Totals {
    fn of(graph: &Graph) -> Self {
        let bytes =
            |target| graph.nodes.iter().filter(|n| n.target == target).map(|n| n.bytes).sum();
        Self {
            urls: graph.nodes.len().max(1) as f64,
            targets: graph.nodes.iter().filter(|n| n.target).count() as u64,
            target_bytes: bytes(true),
            other_bytes: bytes(false),
        }
    }

    /// Requests until `percent` % of the targets were found, as a percentage of the URLs of the site.
    fn requests(&self, crawl: &Replayed, percent: u32) -> Option<f64> {
        let enough = share(self.targets, percent);
        let at = crawl.found.iter().position(|n| u64::from(*n) >= enough)?;
        Some(100.0 * (at as f64 + 1.0) / self.urls)
    }

    /// Requests until `percent` % of the target bytes were read, as a percentage of the URLs of the site.
    fn byte_requests(&self, crawl: &Replayed, percent: u32) -> Option<f64> {
        Some(100.0 * (self.bytes_at(crawl, percent)? as f64 + 1.0) / self.urls)
    }

    /// Non-target bytes that were read before a percentage of the target bytes, in percent.
    fn other_bytes(&self, crawl: &Replayed, percent: u32) -> Option<f64> {
        let at = self.bytes_at(crawl, percent)?;
        Some(100.0 * crawl.other[at] as f64 / self.other_bytes.max(1) as f64)
    }

    fn bytes_at(&self, crawl: &Replayed, percent: u32) -> Option<usize> {
        let enough = share(self.target_bytes, percent);
        crawl.volume.iter().position(|n| *n >= enough)
    }

    /// The mean share of targets found so far, over as many requests as there are URLs.
    fn area(&self, crawl: &Replayed) -> f64 {
        let last = f64::from(crawl.found.last().copied().unwrap_or(0));
        let within = crawl.found.iter().take(self.urls as usize);
        let rest = (self.urls - crawl.found.len() as f64).max(0.0);
        let sum = within.map(|n| f64::from(*n)).sum::<f64>() + rest * last;
        sum / self.urls / self.targets.max(1) as f64
    }
}

/// A percentage of a number, rounded up.
fn share(of: u64, percent: u32) -> u64 {
    (of * u64::from(percent)).div_ceil(100)
}

/// The mean of the values; `None` if a value is missing.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Option<Vec<f64>> = values.collect();
    values.filter(|v| !v.is_empty()).map(|v| v.iter().sum::<f64>() / v.len() as f64)
}

impl CrawlFigures {
    /// Summarises crawls of a site that together took the time `took`.
    pub fn of(graph: &Graph, kind: Kind, crawls: &[Replayed], took: Duration) -> Self {
        let totals = Totals::of(graph);
        let each = |value: &dyn Fn(&Replayed) -> Option<f64>| mean(crawls.iter().map(value));
        // A crawl that never reaches the share is counted with twice as many requests as URLs.
        let most = |value: &dyn Fn(&Replayed) -> Option<f64>| {
            each(&|c| Some(value(c).unwrap_or(200.0))).unwrap_or(200.0)
        };
        let q90 = most(&|c| totals.requests(c, 90));
        let off = |c: &Replayed| (totals.requests(c, 90).unwrap_or(200.0) - q90).powi(2);
        let milestone = |percent| Milestone {
            percent,
            requests_percent: each(&|c| totals.requests(c, percent)),
            other_bytes_percent: each(&|c| totals.other_bytes(c, percent)),
        };
        let requests: usize = crawls.iter().map(|c| c.found.len()).sum();
        let mut confusion = Confusion::default();
        crawls.iter().for_each(|c| confusion.add(&c.confusion));
        Self {
            strategy: kind.name(),
            site: graph.site.clone(),
            seeds: crawls.len(),
            q90_percent_mean: q90,
            q90_percent_sd: each(&|c| Some(off(c))).unwrap_or(0.0).sqrt(),
            v90_percent_mean: each(&|c| totals.other_bytes(c, 90)),
            bytes90_percent_mean: most(&|c| totals.byte_requests(c, 90)),
            area_mean: each(&|c| Some(totals.area(c))).unwrap_or(0.0),
            cpu_ms_per_request: took.as_secs_f64() * 1e3 / requests.max(1) as f64,
            unreached: crawls.iter().filter(|c| totals.requests(c, 90).is_none()).count(),
            milestones: (1..=10).map(|tenth| milestone(10 * tenth)).collect(),
            confusion,
            requests_to_90_new: None,
        }
    }
}

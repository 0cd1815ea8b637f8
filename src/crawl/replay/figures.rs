//! Figures of replayed crawls.

use super::graph::Graph;
use super::run::{Position, Replayed, replay};
use crate::crawl::{
    Class, Judge, Kind, Known, Learned, LinkId, Omniscient, Revisits, SleepingBandit,
    SleepingBanditParameters, Strategy,
};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// The share of the targets, or of their bytes, up to which requests are counted.
const MOST: f64 = 0.9;

fn strategy(
    kind: Kind,
    graph: &Graph,
    truth: &Arc<HashMap<String, Class>>,
) -> Box<dyn Strategy + Send> {
    kind.living(&graph.targets).unwrap_or_else(|| match kind {
        Kind::SbOracle => {
            let truth = truth.clone();
            let judge = move |url: &str| truth.get(url).copied().unwrap_or(Class::Failed);
            Box::new(SleepingBandit::new(
                SleepingBanditParameters::default(),
                Judge::Oracle(Box::new(judge)),
            ))
        }
        _ => Box::new(Omniscient::default()),
    })
}

/// Crawls a recorded site from its start.
pub fn trial(graph: &Graph, kind: Kind, seed: u64) -> Replayed {
    let class = |n: &super::Node| if n.target { Class::Target } else { n.class };
    let truth = graph.nodes.iter().map(|n| (n.url.clone(), class(n))).collect();
    let mut strategy = strategy(kind, graph, &Arc::new(truth));
    let mut at = match kind {
        Kind::Omniscient => Position::at_targets(graph),
        _ => Position::start(graph),
    };
    replay(graph, &mut at, strategy.as_mut(), &mut fastrand::Rng::with_seed(seed))
}

/// Crawls an older recording, then revisits the newer one. Returns the number of new targets, and
/// how many requests it took to find 90 % of them; `None` if the crawl stopped earlier.
pub fn again(older: &Graph, newer: &Graph, seed: u64) -> (usize, Option<usize>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut at = Position::start(older);
    let mut first = Learned::new(older.targets.clone());
    replay(older, &mut at, &mut first, &mut random);
    let known = &mut Known { links: &at.links, random: &mut random };
    let (classifier, led) = first.into_parts(known);
    let mut at = at.later(newer);
    let mut second = Revisits::new(led, LinkId::MIN, &[], classifier);
    let replayed = replay(newer, &mut at, &mut second, &mut random);
    let old: HashSet<&str> =
        older.nodes.iter().filter(|n| n.target).map(|n| n.url.as_str()).collect();
    let is_new = |n: &super::Node| n.target && !old.contains(n.url.as_str());
    let total = newer.nodes.iter().filter(|n| is_new(n)).count();
    let enough = (total as f64 * MOST).ceil() as usize;
    let hits = replayed.visited.iter().scan(0, |found, node| {
        *found += usize::from(node.is_some_and(|n| is_new(&newer.nodes[n as usize])));
        Some(*found)
    });
    let requests = hits.enumerate().find(|(_, found)| *found >= enough).map(|(at, _)| at + 1);
    (total, requests)
}

/// Results of several crawls of one site. Percentages refer to the site's URLs.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    pub strategy: &'static str,
    pub site: String,
    /// Number of crawls.
    pub seeds: usize,
    /// Requests until 90 % of the targets were found, in percent; mean over the crawls.
    pub q90_percent_mean: f64,
    /// Standard deviation of `requests90`.
    pub q90_percent_sd: f64,
    /// Requests until 90 % of the targets' bytes were read, in percent.
    pub v90_percent_mean: f64,
    /// Share of the targets found after n requests, averaged over n up to the number of URLs, 0 to 1.
    pub area_mean: f64,
    /// Milliseconds of work per request, excluding page parsing.
    pub cpu_ms_per_request: f64,
    /// Requests until 90 % of the new targets were found, after an older recording was crawled;
    /// -1 if the crawl stopped earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_to_90_new: Option<f64>,
}

impl Figures {
    /// Summarises crawls of a site that took `elapsed` in total.
    pub fn of(graph: &Graph, kind: Kind, crawls: &[Replayed], took: Duration) -> Self {
        let addresses = graph.nodes.len().max(1) as f64;
        let targets: Vec<u64> = graph.nodes.iter().filter(|n| n.target).map(|n| n.bytes).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        // A crawl that never got there counts as twice the number of URLs.
        let until = |reached: Option<usize>| {
            100.0 * reached.map_or(2.0 * addresses, |at| at as f64 + 1.0) / addresses
        };
        let enough = (targets.len() as f64 * MOST).ceil() as u32;
        let bytes = (targets.iter().sum::<u64>() as f64 * MOST).ceil() as u64;
        let q90: Vec<f64> =
            crawls.iter().map(|c| until(c.found.iter().position(|n| *n >= enough))).collect();
        let v90: Vec<f64> =
            crawls.iter().map(|c| until(c.volume.iter().position(|n| *n >= bytes))).collect();
        let area: Vec<f64> = crawls
            .iter()
            .map(|c| {
                let found = &c.found;
                let last = f64::from(found.last().copied().unwrap_or(0));
                let within = found.iter().take(graph.nodes.len());
                let rest = graph.nodes.len().saturating_sub(found.len()) as f64;
                let sum: f64 = within.map(|n| f64::from(*n)).sum::<f64>() + rest * last;
                sum / addresses / targets.len().max(1) as f64
            })
            .collect();
        let average = mean(&q90);
        let spread = mean(&q90.iter().map(|q| (q - average).powi(2)).collect::<Vec<_>>()).sqrt();
        let requests: usize = crawls.iter().map(|c| c.found.len()).sum();
        Self {
            strategy: kind.name(),
            site: graph.site.clone(),
            seeds: crawls.len(),
            q90_percent_mean: average,
            q90_percent_sd: spread,
            v90_percent_mean: mean(&v90),
            area_mean: mean(&area),
            cpu_ms_per_request: took.as_secs_f64() * 1e3 / requests.max(1) as f64,
            requests_to_90_new: None,
        }
    }
}

//! Crawls of recorded sites with a strategy given by name.

use super::graph::{Graph, Node};
use super::run::{Position, Replayed, replay};
use crate::crawl::{
    Class, DomOff, Judge, Kind, Known, LearnedStrategy, LinkId, Omniscient, Revisits,
    SleepingBandit, SleepingBanditParameters, Strategy, Truth,
};
use std::collections::{HashMap, HashSet};

/// Share of the new targets that must be found.
const ENOUGH: f64 = 0.9;

fn strategy(
    kind: Kind,
    parameters: SleepingBanditParameters,
    graph: &Graph,
) -> Box<dyn Strategy + Send> {
    match kind {
        Kind::SbOracle => Box::new(SleepingBandit::new(parameters, Judge::Oracle(truth(graph)))),
        Kind::DomOff => Box::new(DomOff::new(parameters, Judge::OracleFirst(truth(graph)))),
        _ => kind
            .living(&graph.targets, parameters)
            .unwrap_or_else(|| Box::new(Omniscient::default())),
    }
}

/// The class of each URL of a site.
fn truth(graph: &Graph) -> Truth {
    let class = |n: &Node| if n.target { Class::Target } else { n.class };
    let classes: HashMap<String, Class> =
        graph.nodes.iter().map(|n| (n.url.clone(), class(n))).collect();
    Box::new(move |url| classes.get(url).copied().unwrap_or(Class::Failed))
}

/// Crawls a recorded site from its start.
pub fn trial(
    graph: &Graph,
    kind: Kind,
    parameters: SleepingBanditParameters,
    seed: u64,
) -> Replayed {
    let mut strategy = strategy(kind, parameters, graph);
    let mut at = match kind {
        Kind::Omniscient => Position::at_targets(graph),
        _ => Position::start(graph),
    };
    replay(graph, &mut at, strategy.as_mut(), &mut fastrand::Rng::with_seed(seed))
}

/// Crawls an older recording and then revisits the newer one. Returns the number of new targets, and the
/// number of requests until 90 % of them were found; `None` if the crawl stopped earlier.
pub fn again(older: &Graph, newer: &Graph, seed: u64) -> (usize, Option<usize>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut at = Position::start(older);
    let mut first = LearnedStrategy::new(older.targets.clone());
    replay(older, &mut at, &mut first, &mut random);
    let known = &mut Known { links: &at.links, random: &mut random };
    let (classifier, led) = first.into_parts(known);
    let mut at = at.later(newer);
    let mut second = Revisits::new(led, LinkId::MIN, &[], classifier);
    let replayed = replay(newer, &mut at, &mut second, &mut random);
    let old: HashSet<&str> =
        older.nodes.iter().filter(|n| n.target).map(|n| n.url.as_str()).collect();
    let is_new = |n: &Node| n.target && !old.contains(n.url.as_str());
    let total = newer.nodes.iter().filter(|n| is_new(n)).count();
    let enough = (total as f64 * ENOUGH).ceil() as usize;
    let hits = replayed.visited.iter().scan(0, |found, node| {
        *found += usize::from(node.is_some_and(|n| is_new(&newer.nodes[n as usize])));
        Some(*found)
    });
    let requests = hits.enumerate().find(|(_, found)| *found >= enough).map(|(at, _)| at + 1);
    (total, requests)
}

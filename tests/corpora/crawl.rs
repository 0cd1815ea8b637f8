//! Crawls of recorded sites, if the reference data is next to this project:
//! `cargo test --test corpora crawl:: -- --nocapture`. Otherwise the tests print a note and pass. The limits
//! are slightly above the measured values, so that regressions fail.

// Clippy's exemption for tests does not cover the helpers below.

use crate::reference::corpora;
use flate2::read::GzDecoder;
use newsfed::crawl::replay::{CrawlFigures, Graph, again, read, trial};
use newsfed::crawl::{Kind, SleepingBanditParameters};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Duration;

/// Number of crawls per site; a measurement with `newsfed crawl --replay` uses fifteen.
const SEEDS: u64 = 5;

fn graph(folder: &Path, site: &str, data: bool) -> Graph {
    let file = File::open(folder.join(format!("{site}.jsonl.gz"))).unwrap();
    read(BufReader::new(GzDecoder::new(file)), data).unwrap()
}

fn q90(graph: &Graph, kind: Kind) -> f64 {
    let seeds = if matches!(kind, Kind::Bfs | Kind::Dfs | Kind::Omniscient) { 1 } else { SEEDS };
    let crawls: Vec<_> = (0..seeds)
        .map(|seed| trial(graph, kind, SleepingBanditParameters::default(), seed))
        .collect();
    let figures = CrawlFigures::of(graph, kind, &crawls, Duration::ZERO);
    println!("{:12} {:10} {:.1}", graph.site, kind.name(), figures.q90_percent_mean);
    figures.q90_percent_mean
}

/// The published figures: requests until 90 % of the targets are found, in percent of the site's URLs. The
/// last number of each case is the tolerance.
#[test]
fn strategies_reproduce_the_published_figures() {
    let Some(folder) = corpora().map(|f| f.join("focused-crawl")) else { return };
    let cases = [
        ("sklearn", false, Kind::Bfs, 93.6, 0.5),
        ("sklearn", false, Kind::Dfs, 89.6, 0.5),
        ("sklearn", false, Kind::Omniscient, 48.2, 0.1),
        ("sklearn", false, Kind::SbOracle, 81.4, 2.0),
        ("sklearn", false, Kind::SleepingBandit, 90.9, 3.0),
        ("sklearn", false, Kind::Focused, 89.4, 2.0),
        ("sklearn", true, Kind::Focused, 28.7, 2.0),
        ("kaitai", false, Kind::Focused, 90.0, 2.0),
        ("kaitai", false, Kind::Bfs, 95.0, 0.5),
        ("kaitai", false, Kind::Dfs, 90.0, 0.5),
        ("kaitai", false, Kind::SbOracle, 85.0, 2.0),
        ("kaitai", false, Kind::SleepingBandit, 90.2, 3.0),
        ("rdatasets", false, Kind::Focused, 45.7, 2.0),
        ("kubaik", false, Kind::Bfs, 79.7, 0.5),
        ("kubaik", false, Kind::SbOracle, 25.3, 2.0),
    ];
    for (site, data, kind, published, off) in cases {
        let measured = q90(&graph(&folder, site, data), kind);
        assert!((measured - published).abs() <= off, "{site} {}: {measured}", kind.name());
    }
}

#[test]
fn the_default_strategy_needs_fewer_requests() {
    let Some(folder) = corpora().map(|f| f.join("focused-crawl")) else { return };
    let cases = [
        ("sklearn", false, 90.0),
        ("sklearn", true, 30.0),
        ("kaitai", false, 84.0),
        ("rdatasets", false, 46.0),
        ("uksdg", false, 93.5),
        ("kubaik", false, 27.0),
        ("syn_be", false, 91.4),
        ("syn_ju", false, 83.4),
        ("syn_ok", false, 92.8),
    ];
    for (site, data, most) in cases {
        let measured = q90(&graph(&folder, site, data), Kind::Learned);
        assert!(measured <= most, "{site}: {measured}");
    }
}

#[test]
fn revisiting_a_site_needs_few_requests() {
    let Some(folder) = corpora().map(|f| f.join("focused-crawl")) else { return };
    let (older, newer) = (graph(&folder, "kubaik0", false), graph(&folder, "kubaik", false));
    for seed in 0..SEEDS {
        let (new, requests) = again(&older, &newer, seed);
        println!("seed {seed}: 90 % of {new} new articles with {requests:?} requests");
        assert!(requests.is_some_and(|n| n <= 130), "{requests:?}");
    }
}

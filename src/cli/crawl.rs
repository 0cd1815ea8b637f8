//! `newsfed crawl`: collects what a site publishes.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::output::Output;
use crate::crawl::replay::{Figures, Graph, Replayed, again, curve_csv, curve_svg, read, trial};
use crate::crawl::{Kind, Targets};
use crate::engine::crawl::CrawlBudget;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Default number of crawls per site.
const SEEDS: u64 = 15;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CrawlArgs {
    /// Where the crawl starts; it stays on that host and its subdomains
    #[arg(value_name = "URL", required_unless_present_any = ["replay", "resume"])]
    pub(super) url: Option<String>,
    /// What to search for: articles, data (files without plain text), files, or media types
    /// separated by commas
    #[arg(long, value_name = "WHAT", default_value = "files", conflicts_with = "replay")]
    pub(super) targets: Targets,
    /// When to stop: requests, bytes, time, or several of them separated by commas
    #[arg(long, value_name = "500req|50MB|10m", default_value = DEFAULT_BUDGET, conflicts_with = "replay", value_parser = super::crawl_site::budget)]
    pub(super) budget: CrawlBudget,
    /// Random seed: the same seed gives the same crawl of the same site
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "replay")]
    pub(super) seed: u64,
    /// Folder for the results and the record of the crawl [default: crawl-HOST]
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub(super) out: Option<PathBuf>,
    /// Continue a crawl that was stopped, with its original targets and strategy
    #[arg(long, conflicts_with = "replay")]
    pub(super) resume: bool,
    /// Order in which links are fetched
    #[arg(long, value_enum, default_value_t = Kind::Learned)]
    pub(super) strategy: Kind,
    /// Crawl a recorded site instead of a live one: a file of JSON lines, optionally gzipped
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    replay: Option<PathBuf>,
    /// Number of crawls, each with its own seed; prints the mean
    #[arg(long, value_name = "N", default_value_t = SEEDS, requires = "replay", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// What counts as a target in a recording: all files, or data only, without plain text
    #[arg(long, value_enum, default_value_t = Profile::All, requires = "replay")]
    profile: Profile,
    /// An older recording of the same site to crawl first; then only what is new counts
    #[arg(long, value_name = "FILE", requires = "replay")]
    after: Option<PathBuf>,
    /// Write the number of targets found after each request to FILE.csv and FILE.svg
    #[arg(long, value_name = "FILE", requires = "replay")]
    curve: Option<PathBuf>,
}

/// Default request budget.
const DEFAULT_BUDGET: &str = "1000req";

const EXAMPLES: &str = "\
The strategies sb-oracle and omniscient need to know the site in advance and only work in replays.
Documents larger than net.max_body are skipped. Exits with 130 if stopped; --resume continues.

Examples:
  newsfed crawl example.org --targets data --budget 500req,10m
  newsfed crawl example.org --resume --budget 2000req
  newsfed crawl blog.example.org --targets articles --out articles --json
  newsfed crawl --replay site.jsonl.gz --strategy sb --seeds 15 --json
  newsfed crawl --replay new.jsonl.gz --after old.jsonl.gz
  newsfed crawl --replay site.jsonl.gz --curve site";

/// Targets in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Profile {
    /// All types that data and text come in
    All,
    /// The same without plain text
    Data,
}

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        const KINDS: [Kind; Kind::ALL.len()] = {
            let mut kinds = [Kind::Bfs; Kind::ALL.len()];
            let mut at = 0;
            while at < kinds.len() {
                kinds[at] = Kind::ALL[at].0;
                at += 1;
            }
            kinds
        };
        &KINDS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

pub(super) fn run(args: &CrawlArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let Some(file) = &args.replay else { return super::crawl_site::run(args, global, out) };
    let graph = open(file, args.profile)?;
    let begun = Instant::now();
    let crawls: Vec<Replayed> =
        (0..args.seeds).map(|seed| trial(&graph, args.strategy, seed)).collect();
    let mut figures = Figures::of(&graph, args.strategy, &crawls, begun.elapsed());
    if let Some(older) = &args.after {
        figures.requests_to_90_new =
            Some(mean_again(&open(older, args.profile)?, &graph, args.seeds));
    }
    if let Some(to) = &args.curve {
        write_curves(to, &graph, args.strategy, &crawls)?;
    }
    if out.json {
        out.value(&figures)?;
    } else {
        out.result(summary(&figures, &graph))?;
    }
    Ok(Exit::Ok)
}

fn open(path: &Path, profile: Profile) -> Result<Graph, Failure> {
    let failed = |why: &dyn std::fmt::Display| {
        Failure::Plain(format!("cannot replay {}: {why}", path.display()))
    };
    let mut file = BufReader::new(File::open(path).map_err(|e| failed(&e))?);
    let packed = file.fill_buf().map_err(|e| failed(&e))?.starts_with(&[0x1f, 0x8b]);
    let plain: Box<dyn Read> =
        if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    read(BufReader::new(plain), profile == Profile::Data).map_err(|e| failed(&e))
}

/// The mean over the crawls; -1 if any of them did not get there.
fn mean_again(older: &Graph, newer: &Graph, seeds: u64) -> f64 {
    let all: Option<Vec<usize>> = (0..seeds).map(|seed| again(older, newer, seed).1).collect();
    all.map_or(-1.0, |all| all.iter().sum::<usize>() as f64 / all.len().max(1) as f64)
}

fn write_curves(to: &Path, graph: &Graph, kind: Kind, crawls: &[Replayed]) -> Result<(), Failure> {
    let title = format!("{}: {}, {} crawls", graph.site, kind.name(), crawls.len());
    for (extension, text) in [("csv", curve_csv(crawls)), ("svg", curve_svg(crawls, &title))] {
        let mut name = to.as_os_str().to_owned();
        name.push(format!(".{extension}"));
        std::fs::write(&name, text).map_err(|e| {
            Failure::Plain(format!("cannot write {}: {e}", Path::new(&name).display()))
        })?;
    }
    Ok(())
}

fn summary(figures: &Figures, graph: &Graph) -> String {
    let targets = graph.nodes.iter().filter(|n| n.target).count();
    let mut words = format!(
        "{}: {} addresses, {targets} targets; {} finds 90 % of them with {:.1} % of the requests \
         (± {:.1} over {} crawls), 90 % of their bytes with {:.1} %",
        figures.site,
        graph.nodes.len(),
        figures.strategy,
        figures.q90_percent_mean,
        figures.q90_percent_sd,
        figures.seeds,
        figures.v90_percent_mean,
    );
    match figures.requests_to_90_new {
        Some(requests) if requests >= 0.0 => {
            words.push_str(&format!("; 90 % of what is new with {requests:.0} requests"));
        }
        Some(_) => words.push_str("; it stops before 90 % of what is new"),
        None => {}
    }
    words
}

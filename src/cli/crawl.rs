//! `newsfed crawl`: its arguments, and replays of recorded sites.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::number::whole;
use super::output::Output;
use crate::crawl::replay::{
    CrawlFigures, Graph, Replayed, again, bytes_csv, bytes_svg, curve_csv, curve_svg, read, trial,
};
use crate::crawl::{BanditParameters, Kind, PathParameters, SleepingBanditParameters, Targets};
use crate::engine::crawl::{CrawlBudget, DEFAULT_BUDGET};
use crate::util::file_error::cannot_read;
use crate::util::text::counted;
use clap::builder::{PossibleValuesParser, TypedValueParser};
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
    /// What to collect: articles, data, files, or media types
    #[arg(long, value_name = "WHAT", default_value = "files", conflicts_with = "replay")]
    pub(super) targets: Targets,
    /// When to stop: requests, bytes, time, or several of them
    #[arg(long, value_name = "500req|50MB|10m", default_value = DEFAULT_BUDGET, conflicts_with = "replay")]
    pub(super) budget: CrawlBudget,
    /// Random seed: the same seed gives the same crawl of the same site
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "replay", value_parser = whole(0_u64..))]
    pub(super) seed: u64,
    /// Folder for the results and the log [default: crawl-HOST]
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub(super) out: Option<PathBuf>,
    /// Maximum number of links taken from one page, or from the sitemaps
    #[arg(long, value_name = "N", default_value_t = 50_000, conflicts_with = "replay", value_parser = whole(1_u32..))]
    page_links: u32,
    /// Maximum number of links in the crawl [default: 1000000]
    #[arg(long, value_name = "N", conflicts_with = "replay", value_parser = whole(1..=100_000_000_u32))]
    max_links: Option<u32>,
    /// Continue a crawl that was stopped
    #[arg(long, conflicts_with = "replay")]
    pub(super) resume: bool,
    /// Order in which links are fetched
    #[arg(long, value_parser = strategy_parser(), default_value = Kind::Learned.name())]
    pub(super) strategy: Kind,
    /// Crawl a recorded site instead of a live one
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    replay: Option<PathBuf>,
    /// With --replay: number of crawls, each with its own seed; prints the mean
    #[arg(long, value_name = "N", default_value_t = SEEDS, requires = "replay", value_parser = whole(1..=1000_u64))]
    seeds: u64,
    /// With --replay: which documents of the recording are targets
    #[arg(long, value_enum, default_value_t = Profile::All, requires = "replay")]
    profile: Profile,
    /// With --replay: crawl this older recording first, and count what is new
    #[arg(long, value_name = "FILE", requires = "replay")]
    after: Option<PathBuf>,
    /// With --replay: write the number of targets found after each request
    #[arg(long, value_name = "FILE", requires = "replay")]
    curve: Option<PathBuf>,
    /// With --replay: also print tables of requests, bytes and predictions
    #[arg(long, requires = "replay")]
    tables: bool,
    #[command(flatten)]
    pub(super) parameters: ParameterArgs,
}

/// The parameters of the published algorithm; `None` for those that were not given.
#[derive(Debug, Args)]
#[command(next_help_heading = "Parameters of the strategies sb, sb-oracle and dom-off")]
pub(super) struct ParameterArgs {
    /// Minimum similarity for a tag path to join a group, 0 to 1 [default: 0.75]
    #[arg(long, value_name = "COSINE", value_parser = |text: &str| number(text, 1.0))]
    theta: Option<f64>,
    /// Weight of exploration [default: 2.828]
    #[arg(long, value_name = "WEIGHT", value_parser = |text: &str| number(text, 1e6))]
    alpha: Option<f64>,
    /// Number of elements in an n-gram of a tag path, 1 to 8 [default: 2]
    #[arg(long, value_name = "N", value_parser = whole(1..=8_u8))]
    ngram: Option<u8>,
    /// Length of the tag path vectors [default: 4096]
    #[arg(long, value_name = "LENGTH", value_parser = dimension)]
    dimension: Option<u32>,
    /// Number of links between two training runs of the classifier [default: 10]
    #[arg(long, value_name = "LINKS", value_parser = whole(1..=10_000_u16))]
    batch: Option<u16>,
}

impl ParameterArgs {
    /// The parameters for a strategy.
    ///
    /// # Errors
    /// If parameters were given but the strategy has none.
    pub(super) fn read(&self, kind: Kind) -> Result<SleepingBanditParameters, Failure> {
        let default = SleepingBanditParameters::default();
        let parameters = SleepingBanditParameters {
            paths: PathParameters {
                n: self.ngram.map_or(default.paths.n, usize::from),
                bits: self.dimension.map_or(default.paths.bits, u32::ilog2),
                ..default.paths
            },
            theta: self.theta.unwrap_or(default.theta),
            bandit: BanditParameters {
                alpha: self.alpha.unwrap_or(default.bandit.alpha),
                ..default.bandit
            },
            batch: self.batch.map_or(default.batch, usize::from),
            ..default
        };
        if parameters != default && !kind.has_parameters() {
            let words = format!(
                "--theta, --alpha, --ngram, --dimension and --batch do not apply to the strategy {}",
                kind.name()
            );
            return Err(Failure::Usage(words));
        }
        Ok(parameters)
    }
}

/// Parses a number from 0 to `most`.
fn number(text: &str, most: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n: &f64| (0.0..=most).contains(n));
    number.ok_or_else(|| format!("expected a number from 0 to {most}"))
}

fn dimension(text: &str) -> Result<u32, String> {
    let length = text.parse().ok().filter(|n: &u32| n.is_power_of_two());
    let most = 1 << PathParameters::default().hash_bits;
    length
        .filter(|n| (2..=most).contains(n))
        .ok_or_else(|| format!("expected a power of two from 2 to {most}"))
}

impl CrawlArgs {
    /// The limits of the crawl.
    pub(super) fn limits(&self) -> CrawlBudget {
        CrawlBudget {
            page_links: Some(self.page_links as usize),
            links: self.max_links.map(|most| most as usize),
            ..self.budget
        }
    }
}

const EXAMPLES: &str = "\
The strategies sb-oracle and omniscient need to know the site in advance and
work only in replays. Documents larger than net.max_body are skipped. Exits
with 130 if stopped; --resume continues with the original targets and strategy.

--targets data is the same as files, without plain text. Several media types,
and several budgets, are separated by commas. Each link takes about 140 bytes
of memory.

--replay reads JSON lines, optionally gzipped. --profile data does not count
plain text. --curve writes FILE.csv and FILE.svg, and the bytes of targets and
of everything else to FILE-bytes.csv and FILE-bytes.svg. --tables prints
requests and bytes for each tenth of the targets, and how well links were
predicted.

--dimension is a power of two from 2 to 32768. The first --batch links are
labelled by HEAD requests to train the classifier.

Examples:
  newsfed crawl example.org --targets data --budget 500req,10m
  newsfed crawl example.org --resume --budget 2000req
  newsfed crawl blog.example.org --targets articles --out articles --json
  newsfed crawl --replay site.jsonl.gz --strategy sb --seeds 15 --json
  newsfed crawl --replay new.jsonl.gz --after old.jsonl.gz
  newsfed crawl --replay site.jsonl.gz --curve site
  newsfed crawl --replay site.jsonl.gz --strategy sb --theta 0.9 --tables";

/// Which files in a recording are targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Profile {
    /// All types of data and text files
    All,
    /// The same without plain text
    Data,
}

/// Parses the name of a strategy.
fn strategy_parser() -> impl TypedValueParser<Value = Kind> {
    let names = PossibleValuesParser::new(Kind::ALL.map(|(_, name)| name));
    names.map(|name| Kind::named(&name).unwrap_or(Kind::Learned))
}

pub(super) fn run(args: &CrawlArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let Some(file) = &args.replay else { return super::crawl_site::run(args, global, out) };
    let parameters = args.parameters.read(args.strategy)?;
    let graph = open(file, args.profile)?;
    let begun = Instant::now();
    let crawls: Vec<Replayed> =
        (0..args.seeds).map(|seed| trial(&graph, args.strategy, parameters, seed)).collect();
    let mut figures = CrawlFigures::of(&graph, args.strategy, &crawls, begun.elapsed());
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
        if args.tables {
            out.result(tables(&figures))?;
        }
    }
    Ok(Exit::Ok)
}

fn open(path: &Path, profile: Profile) -> Result<Graph, Failure> {
    let failed = |why: &dyn std::fmt::Display| {
        Failure::Plain(format!("cannot replay {}: {why}", path.display()))
    };
    let mut file =
        BufReader::new(File::open(path).map_err(|e| Failure::Plain(cannot_read(path, &e)))?);
    let packed = file
        .fill_buf()
        .map_err(|e| Failure::Plain(cannot_read(path, &e)))?
        .starts_with(&[0x1f, 0x8b]);
    let plain: Box<dyn Read> =
        if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    read(BufReader::new(plain), profile == Profile::Data).map_err(|e| failed(&e))
}

/// The number of requests until 90 % of the new targets are found, as the mean of all crawls; -1 if a crawl
/// found too few.
fn mean_again(older: &Graph, newer: &Graph, seeds: u64) -> f64 {
    let all: Option<Vec<usize>> = (0..seeds).map(|seed| again(older, newer, seed).1).collect();
    all.map_or(-1.0, |all| all.iter().sum::<usize>() as f64 / all.len().max(1) as f64)
}

fn write_curves(to: &Path, graph: &Graph, kind: Kind, crawls: &[Replayed]) -> Result<(), Failure> {
    let title = format!("{}: {}, {}", graph.site, kind.name(), counted(crawls.len(), "crawl"));
    let files = [
        (".csv", curve_csv(crawls)),
        (".svg", curve_svg(crawls, &title)),
        ("-bytes.csv", bytes_csv(crawls)),
        ("-bytes.svg", bytes_svg(crawls, &title)),
    ];
    for (end, text) in files {
        let mut name = to.as_os_str().to_owned();
        name.push(end);
        std::fs::write(&name, text).map_err(|e| {
            Failure::Plain(format!("cannot write {}: {e}", Path::new(&name).display()))
        })?;
    }
    Ok(())
}

fn summary(figures: &CrawlFigures, graph: &Graph) -> String {
    let targets = graph.nodes.iter().filter(|n| n.target).count();
    let mut words = format!(
        "{}: {} URLs, {targets} targets; {} finds 90 % of them with {:.1} % of the requests \
         (± {:.1} over {} crawls), 90 % of their bytes with {:.1} %",
        figures.site,
        graph.nodes.len(),
        figures.strategy,
        figures.q90_percent_mean,
        figures.q90_percent_sd,
        figures.seeds,
        figures.bytes90_percent_mean,
    );
    words.push_str(&match figures.v90_percent_mean {
        Some(percent) => format!(", after {percent:.1} % of the non-target bytes"),
        None => ", which some crawls never find".to_owned(),
    });
    match figures.requests_to_90_new {
        Some(requests) if requests >= 0.0 => {
            words.push_str(&format!("; 90 % of the new targets after {requests:.0} requests"));
        }
        Some(_) => words.push_str("; it stops before it finds 90 % of the new targets"),
        None => {}
    }
    words
}

/// Tables of the requests and bytes for each tenth of the targets, and of the predictions.
fn tables(figures: &CrawlFigures) -> String {
    let percent = |value: Option<f64>| value.map_or("never".to_owned(), |p| format!("{p:.1} %"));
    let mut rows = vec![["targets", "requests", "other bytes"].map(str::to_owned).to_vec()];
    rows.extend(figures.milestones.iter().map(|m| {
        let found = format!("{} %", m.percent);
        vec![found, percent(m.requests_percent), percent(m.other_bytes_percent)]
    }));
    let mut text = columns(&rows);
    let names = ["link to", "as page", "as target", "as neither"].map(str::to_owned);
    let mut rows = vec![names.to_vec()];
    rows.extend(figures.confusion.rows().map(|(class, row)| {
        let of = (row.html + row.target + row.neither).max(1) as f64;
        let share = |n: u64| format!("{:.1} %", 100.0 * n as f64 / of);
        vec![class.to_owned(), share(row.html), share(row.target), share(row.neither)]
    }));
    text.push('\n');
    text.push_str(&columns(&rows));
    text
}

/// Formats rows with right-aligned columns.
fn columns(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|r| r[column].len()).max().unwrap_or(0);
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(n, cell)| format!("{cell:>0$}", width(n)));
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

//! `newsfed discover`: lists the ways to follow a URL.

use super::discover_batch::{self, WantedPage};
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::progress::Progress;
use super::runtime::with_engine;
use crate::engine::{Discovery, FollowError, Handle, Way};
use crate::model::{SourceKind, SourceRules, Time};
use crate::util::login::without_secrets;
use crate::util::time_text::day;
use chrono::SubsecRound;
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DiscoverArgs {
    /// URL of a site or a feed
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    url: Option<String>,
    /// Read tasks from standard input, and use saved pages instead of the network
    #[arg(long, requires = "wanted")]
    batch: bool,
    /// With --batch: suggest lists of articles
    #[arg(long, group = "wanted", requires = "batch")]
    lists: bool,
    /// With --batch: find feeds
    #[arg(long, group = "wanted", requires = "batch")]
    feeds: bool,
    /// With --batch: folder of the saved pages, which may be gzipped
    #[arg(long, value_name = "DIR", default_value = ".", requires = "batch")]
    root: std::path::PathBuf,
}

const EXAMPLES: &str = "\
Changes nothing. `newsfed add` follows the URL; its option --pick accepts a
number from this list. Exits with 1 if the URL cannot be followed.

A task of --batch is a line with a JSON object {id, html_path, url}; with
--feeds, it also has the key `probes`: the URLs to treat as existing.

Examples:
  newsfed discover example.org
  newsfed discover --json https://example.org/blog | jq -r .url";

#[derive(Serialize)]
struct WayShape<'a> {
    /// Number for `newsfed add --pick`.
    number: usize,
    kind: SourceKind,
    /// A sentence that describes the way.
    label: &'a str,
    url: &'a str,
    title: &'a str,
    /// Number of entries; `null` if the feed was not fetched.
    entries: Option<usize>,
    preview: Vec<PreviewShape>,
    /// For a website: the selector of its articles.
    articles: Option<&'a str>,
    confidence: f64,
}

#[derive(Serialize)]
struct PreviewShape {
    title: String,
    date: Option<Time>,
}

/// Maximum number of entries shown.
const SHOWN: usize = 3;

pub(super) fn run(args: &DiscoverArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let Some(url) = &args.url else {
        let wanted = if args.lists { WantedPage::Lists } else { WantedPage::Feeds };
        return discover_batch::run(wanted, &args.root, out);
    };
    let home = Home::load(global)?;
    with_engine(&home, out, async |handle, out| {
        let discovery = poll(handle, url, None, out).await?;
        let labels = discovery.labels(handle.now());
        for ((number, way), label) in (1..).zip(&discovery.ways).zip(labels) {
            if out.json {
                out.value(&shape(number, way, &label))?;
            } else {
                out.line(format!("{number}  {label}"))?;
                for line in describe(way) {
                    out.line(format!("    {line}"))?;
                }
            }
        }
        if discovery.ways.is_empty() {
            return Err(no_way(&discovery));
        }
        for tried in &discovery.tried {
            out.note(&tried.text);
        }
        Ok(Exit::Ok)
    })
}

/// Explores a URL; shows progress on a terminal.
pub(super) async fn poll(
    handle: &Handle,
    url: &str,
    kind: Option<SourceKind>,
    out: &Output,
) -> Result<Discovery, FollowError> {
    let (listener, mut summary) = tokio::sync::mpsc::unbounded_channel();
    let wheel = Progress::wheel(out);
    wheel.show(format!("fetching {}", without_secrets(url)));
    let mut exploring = std::pin::pin!(handle.discover_reporting(url, kind, listener));
    let discovery = loop {
        tokio::select! {
            discovery = &mut exploring => break discovery,
            Some(words) = summary.recv() => wheel.show(words.text),
        }
    };
    wheel.clear();
    discovery
}

fn shape<'a>(number: usize, way: &'a Way, label: &'a str) -> WayShape<'a> {
    let preview = way.preview().unwrap_or_default().into_iter();
    WayShape {
        number,
        kind: way.kind(),
        label,
        url: way.url.as_str(),
        title: &way.title,
        entries: way.count(),
        preview: preview
            .map(|item| PreviewShape {
                title: item.title,
                date: item.date.map(|at| at.trunc_subsecs(0)),
            })
            .collect(),
        articles: way.rules.pages().and_then(|r| r.articles.as_deref()),
        confidence: (way.confidence * 100.0).round() / 100.0,
    }
}

/// Describes a way in a few lines: its URL, title and selector, and its newest entries.
pub(super) fn describe(way: &Way) -> Vec<String> {
    let title = Some(way.title.clone()).filter(|t| !t.is_empty());
    let head: Vec<String> = [way.url.to_string()].into_iter().chain(title).collect();
    let mut lines = vec![head.join(" · ")];
    let found = match &way.rules {
        SourceRules::Website(rules) => Some(("links", rules)),
        SourceRules::Entries(rules) => Some(("blocks", rules)),
        _ => None,
    };
    if let Some((what, rules)) = found {
        let sure = way.confidence * 100.0;
        lines.push(match &rules.articles {
            Some(selector) => format!("{what} matching {selector}, {sure:.0} % sure"),
            None => "no selector yet".to_owned(),
        });
    }
    for item in way.preview().unwrap_or_default().into_iter().take(SHOWN) {
        let date = item.date.map_or_else(|| " ".repeat(10), day);
        lines.push(format!("{date}  {}", item.title));
    }
    lines
}

/// Why a URL cannot be followed.
pub(super) fn no_way(discovery: &Discovery) -> Failure {
    let tried = discovery.attempts().join("; ");
    Failure::Plain(format!("cannot follow {}: {tried}", discovery.address))
}

//! `newsfed discover`: in which ways an address can be followed.

use super::args::Global;
use super::exit::{Exit, Failure};
use super::home::Home;
use super::output::Output;
use super::runtime::with_engine;
use crate::engine::{Discovery, Way};
use crate::model::Time;
use crate::util::when::day;
use serde::Serialize;

/// Arguments of `discover`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DiscoverArgs {
    /// Any address of a site or a feed
    url: String,
}

const EXAMPLES: &str = "\
Nothing is changed; `newsfed add` follows the address. Exits with 1 when there is no way.

Examples:
  newsfed discover example.org
  newsfed discover --json https://example.org/blog | jq -r .url";

/// One way, as `--json` prints it.
#[derive(Serialize)]
struct WayShape<'a> {
    url: &'a str,
    title: &'a str,
    /// `null` where the feed has not been fetched.
    entries: Option<usize>,
    preview: Vec<PreviewShape>,
}

#[derive(Serialize)]
struct PreviewShape {
    title: String,
    date: Option<Time>,
}

/// Entries of a feed that are shown.
const SHOWN: usize = 3;

/// Runs `discover`.
pub(super) fn run(args: &DiscoverArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    with_engine(&home, out, async |handle, out| {
        let discovery = handle.discover(&args.url).await?;
        for way in &discovery.ways {
            if out.json {
                out.value(&shape(way))?;
            } else {
                out.line(way.url.as_str())?;
                for line in words(way) {
                    out.line(format!("    {line}"))?;
                }
            }
        }
        if discovery.ways.is_empty() {
            return Err(no_way(&discovery));
        }
        Ok(Exit::Ok)
    })
}

fn shape(way: &Way) -> WayShape<'_> {
    let preview = way.preview().unwrap_or_default().into_iter();
    WayShape {
        url: way.url.as_str(),
        title: &way.title,
        entries: way.count(),
        preview: preview.map(|(title, date)| PreviewShape { title, date }).collect(),
    }
}

/// A way in a few lines: its title and its newest entries.
pub(super) fn words(way: &Way) -> Vec<String> {
    let mut lines = Vec::new();
    let count = way.count().map(|n| format!("{n} entries"));
    let head: Vec<String> =
        Some(way.title.clone()).filter(|t| !t.is_empty()).into_iter().chain(count).collect();
    if !head.is_empty() {
        lines.push(head.join(" · "));
    }
    for (title, date) in way.preview().unwrap_or_default().into_iter().take(SHOWN) {
        let date = date.map_or_else(|| " ".repeat(10), day);
        lines.push(format!("{date}  {title}"));
    }
    lines
}

/// Why an address cannot be followed.
pub(super) fn no_way(discovery: &Discovery) -> Failure {
    let tried = discovery.tried.join("; ");
    Failure::Plain(format!("{} cannot be followed: {tried}", discovery.address))
}

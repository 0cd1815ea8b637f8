//! `newsfed export`: prints the sources as a list for other readers.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::config::{export_opml, export_urls};
use crate::model::{Source, SourceKind};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExportArgs {
    /// Format of the list
    #[arg(long, value_enum, default_value_t = Format::Opml)]
    format: Format,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// OPML 2.0, with folders, titles and tags
    Opml,
    /// One URL per line with tags and title, as in newsboat's urls file
    Urls,
}

const EXAMPLES: &str = "\
Passwords, headers and proxies are left out, and so are websites and sitemaps, which other readers
cannot follow. `newsfed import` reads both formats.

Examples:
  newsfed export > subscriptions.opml
  newsfed export --format urls > urls";

pub(super) fn run(args: &ExportArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    let is_feed = |source: &Source| source.kind() == SourceKind::Feed;
    let feeds: Vec<Source> = home.sources.iter().filter(|s| is_feed(s)).cloned().collect();
    let others = home.sources.len() - feeds.len();
    if others > 0 && !out.json {
        let what = if others == 1 {
            "1 source is not a feed"
        } else {
            &format!("{others} sources are not feeds")
        };
        out.note(format!("{what} and left out; see sources.toml"));
    }
    let text = match args.format {
        Format::Opml => export_opml(&feeds),
        Format::Urls => export_urls(&feeds),
    };
    if out.json {
        for source in &home.sources {
            out.value(&serde_json::json!({
                "id": source.id, "kind": source.kind(), "url": source.url.as_str(), "title": source.title,
                "folder": source.folder, "tags": source.tags,
            }))?;
        }
    } else {
        out.raw(text.as_bytes())?;
    }
    Ok(Exit::Ok)
}

//! `newsfed export`: prints the sources as a list for other readers or another newsfed installation.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::config::{OpmlExport, export_opml, export_urls};
use crate::model::{Source, SourceFacts, SourceId, SourceKind};
use crate::util::shared_file::write_shared;
use crate::util::text::{counted, counted_as, line};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExportArgs {
    /// Format of the list
    #[arg(long, value_enum, default_value_t = Format::Opml)]
    format: Format,
    /// Write the list to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    /// OPML 2.0: all views, and sources with their settings
    Opml,
    /// One URL per line with tags and title, as in newsboat's urls file
    Urls,
}

const EXAMPLES: &str = "\
OPML contains the saved views and the sources with their settings; `newsfed
import` restores them. Other readers see the feeds with folders, titles and
tags, and the rest as links. Programs, files, mailboxes, filters and followed
lists are left out, as are passwords, headers that may be secret, and proxies
with a password. --format urls contains only feeds, with their tags and titles.

Examples:
  newsfed export > subscriptions.opml
  newsfed export --output ~/Sync/subscriptions.opml
  newsfed export --format urls > urls";

pub(super) fn run(args: &ExportArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let text = match args.format {
        Format::Opml => {
            let sources = home.sources.iter().map(Arc::as_ref);
            let OpmlExport { text, withheld, .. } =
                export_opml(sources, &titles(&home), &home.settings.views);
            if withheld > 0 && !out.json {
                let of = counted(withheld, "source");
                out.note(format!("passwords and headers of {of} are left out; see sources.toml"));
            }
            text
        }
        Format::Urls => {
            let is_feed = |source: &Source| source.kind() == SourceKind::Feed;
            let feeds: Vec<&Source> =
                home.sources.iter().map(Arc::as_ref).filter(|s| is_feed(s)).collect();
            let is_other = |source: &Source| !is_feed(source) && source.kind() != SourceKind::List;
            let others = home.sources.iter().filter(|source| is_other(source)).count();
            if others > 0 && !out.json {
                let (one, several) =
                    ("source is not a feed and is", "sources are not feeds and are");
                let what = counted_as(others, one, several);
                out.note(format!("{what} left out; --format opml includes other kinds, too"));
            }
            export_urls(feeds)
        }
    };
    let lists = home.sources.iter().filter(|source| source.kind() == SourceKind::List).count();
    if lists > 0 && !out.json {
        let what = counted_as(
            lists,
            "followed list is left out, but not its sources",
            "followed lists are left out, but not their sources",
        );
        out.note(what);
    }
    let local = home.sources.iter().filter(|source| source.web_url().is_none()).count();
    let filters = home.sources.iter().filter(|source| !source.origin.filter.is_empty()).count();
    if local > 0 && !out.json {
        let what = counted_as(
            local,
            "source is a program, file or mailbox and is",
            "sources are programs, files or mailboxes and are",
        );
        out.note(format!("{what} left out; sources.toml is unchanged"));
    }
    if filters > 0 && !out.json {
        let what = counted_as(filters, "filter is", "filters are");
        out.note(format!("{what} left out, because exports contain no programs"));
    }
    if out.json {
        for source in &home.sources {
            out.value(&serde_json::json!({
                "id": source.id, "kind": source.kind(), "url": source.url.as_str(), "title": source.title,
                "folder": source.folder, "tags": source.tags,
            }))?;
        }
    } else if args.output.is_none() {
        out.raw(text.as_bytes())?;
    }
    if let Some(path) = &args.output {
        let shown = line(&path.to_string_lossy());
        write_shared(path, text.as_bytes())
            .map_err(|e| Failure::Plain(format!("cannot write {shown}: {e}")))?;
        if !out.json {
            out.result(format!("{shown}: {}", counted(home.sources.len(), "source")))?;
        }
    }
    Ok(Exit::Ok)
}

/// The titles shown for sources, if the database can be read. Without titles, the sources are still exported.
fn titles(home: &Home) -> HashMap<SourceId, String> {
    let read = || Ok::<_, Failure>(home.store_to_read()?.reader()?.sources()?);
    let facts = read().unwrap_or_default();
    let facts: HashMap<&SourceId, &SourceFacts> = facts.iter().map(|f| (&f.id, f)).collect();
    let title = |source: &Source| {
        Some((source.id.clone(), facts.get(&source.id)?.title(source).to_owned()))
    };
    home.sources.iter().filter_map(|source| title(source)).collect()
}

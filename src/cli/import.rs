//! `newsfed import`: follows all sources in a list.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::config::{self, ConfigFile, Import, ImportKind, SourcesFile};
use serde::Serialize;
use std::path::Path;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImportArgs {
    /// The list; - is standard input
    file: String,
}

const EXAMPLES: &str = "\
The format is detected. Nothing is fetched; `newsfed sync` does that.

Examples:
  newsfed import subscriptions.opml
  newsfed import ~/.newsboat/urls
  echo https://example.org/feed | newsfed import -";

#[derive(Serialize)]
struct Imported {
    kind: ImportKind,
    added: Vec<Entry>,
    already: Vec<Entry>,
    skipped: Vec<Skipped>,
    views: Vec<Saved>,
}

#[derive(Serialize)]
struct Entry {
    id: String,
    url: String,
}

#[derive(Serialize)]
struct Saved {
    name: String,
    query: String,
}

#[derive(Serialize)]
struct Skipped {
    what: String,
    why: String,
}

pub(super) fn run(args: &ImportArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    let bytes = config::read_import(Path::new(&args.file)).map_err(Failure::Plain)?;
    let name = if args.file == "-" { "the standard input" } else { &args.file };
    let Import { kind, sources, views, skipped } = config::import(&bytes, name)?;
    let (added, _) = SourcesFile::open(&home.paths).import(&sources)?;
    let views = match views.is_empty() {
        true => Vec::new(),
        false => {
            let edit = ConfigFile::open(&home.paths).add_views(&views)?;
            let named = |name: &str| views.iter().find(|view| view.name == name).cloned();
            edit.inserted().filter_map(named).collect()
        }
    };
    let entry = |id: String, url: String| Entry { id, url };
    let summary = Imported {
        kind,
        added: added.sources.iter().map(|s| entry(s.id.to_string(), s.url.to_string())).collect(),
        already: added
            .already
            .iter()
            .map(|(id, url)| entry(id.to_string(), url.to_string()))
            .collect(),
        views: views.into_iter().map(|v| Saved { name: v.name, query: v.query }).collect(),
        skipped: skipped.into_iter().map(|(what, why)| Skipped { what, why }).collect(),
    };
    for skipped in &summary.skipped {
        out.note(format!("skipped: {}: {}", skipped.what, skipped.why));
    }
    for view in &summary.views {
        out.note(format!("saved as a view: {}: {}", view.name, view.query));
    }
    if out.verbose > 0 {
        for known in &summary.already {
            out.note(format!("already followed as {}: {}", known.id, known.url));
        }
    }
    if out.json {
        out.value(&summary)?;
    } else {
        let kind = match kind {
            ImportKind::Opml => "OPML",
            ImportKind::Newsboat => "newsboat urls",
            ImportKind::Urls => "URLs",
        };
        let (added, already, skipped) =
            (summary.added.len(), summary.already.len(), summary.skipped.len());
        out.result(format!(
            "{kind}: {added} added, {already} already followed, {skipped} skipped"
        ))?;
    }
    Ok(Exit::Ok)
}

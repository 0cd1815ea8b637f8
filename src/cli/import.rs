//! `newsfed import`: follows all sources in a list.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::config::{self, ConfigFile, Import, ImportKind, SourcesFile};
use crate::model::Source;
use serde::Serialize;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImportArgs {
    /// The list; - is standard input
    file: String,
    /// Import sources at private addresses too, such as 192.168.1.5 and localhost
    #[arg(long)]
    private: bool,
}

const EXAMPLES: &str = "\
The format is detected. Nothing is fetched; `newsfed sync` does that. Sources at private addresses,
such as 192.168.1.5 or localhost, are skipped unless you give --private or confirm them.

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

/// Maximum number of private addresses that a question names.
const NAMED: usize = 10;

/// On a terminal, asks whether to import the sources at private addresses.
fn confirm_private(import: &Import, args: &ImportArgs) -> Result<bool, Failure> {
    let private: Vec<&Source> = import.sources.iter().filter(|s| Import::is_private(s)).collect();
    let terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    if private.is_empty() || args.file == "-" || !terminal {
        return Ok(false);
    }
    let mut question = io::stderr().lock();
    writeln!(question, "sources at private addresses:")?;
    for source in private.iter().take(NAMED) {
        writeln!(question, "  {}", source.url)?;
    }
    if private.len() > NAMED {
        writeln!(question, "  and {} more", private.len() - NAMED)?;
    }
    write!(question, "import them too? [y/N] ")?;
    question.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

pub(super) fn run(args: &ImportArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    let bytes = config::read_import(Path::new(&args.file)).map_err(Failure::Plain)?;
    let name = if args.file == "-" { "the standard input" } else { &args.file };
    let mut import = config::import(&bytes, name)?;
    if !args.private && !confirm_private(&import, args)? {
        import.skip_private("import it with --private");
    }
    let Import { kind, sources, views, skipped } = import;
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

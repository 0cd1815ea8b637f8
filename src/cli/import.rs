//! `newsfed import`: follows all sources in a list, or imports items.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::{import_follow, import_items};
use crate::config::{self, Completion, ConfigFile, Import, ImportKind, SourcesFile};
use crate::exchange::FileFormat;
use crate::model::Source;
use crate::util::text::{counted, line};
use serde::Serialize;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImportArgs {
    /// The file; - is standard input; with --follow, it can be a URL
    #[arg(required_unless_present = "undo")]
    file: Option<PathBuf>,
    /// Follow the OPML list: its sources are kept in sync with it
    #[arg(long, conflicts_with_all = ["private", "dry_run", "undo"])]
    follow: bool,
    /// With --follow: folder for the sources of the list
    #[arg(long, requires = "follow")]
    folder: Option<String>,
    /// With --follow: title of the list
    #[arg(long, requires = "follow")]
    title: Option<String>,
    /// Also import sources at private addresses or with a proxy
    #[arg(long)]
    private: bool,
    /// Show what would be imported, without changing anything
    #[arg(long)]
    pub(super) dry_run: bool,
    /// newsboat flags that pin an item
    #[arg(long, value_name = "LETTERS", default_value = "s")]
    pub(super) pin_flags: String,
    /// Undo the last import of items
    #[arg(long, conflicts_with_all = ["file", "private", "dry_run"])]
    undo: bool,
}

const EXAMPLES: &str = "\
newsfed recognises the kind of file by its content. The sources are not fetched
by this command, but by the daemon, by an open interface or by `newsfed sync`.
With --follow, the list itself is fetched at once.

Sources: OPML, newsboat's urls file, or one URL per line. Sources at private
addresses, such as 192.168.1.5 or localhost, or with a proxy are skipped unless
you give --private or confirm them. A source that you already follow gets the
tags of the list and, if it is in no folder, its folder in the list. Exits with
1 if every entry of the list was skipped, and with 3 if only views were
imported because every source was skipped.

With --follow, an OPML list at a URL or in a file is read once a day by
default: feeds that are new in the list are added, changed titles and folders
are applied, and feeds that are no longer in it are removed, unless you have
changed the source, or have pinned or tagged any of its items or kept any for
later. The list is itself a source, of kind `list`.

Items with their marks: newsboat's cache.db, newsraft's database,
database.sqlite from eilmeldung or NewsFlash, JSON from Inoreader, Feedly,
FreshRSS and other services, and Pocket's CSV or HTML. Import the list of feeds
first. Items of feeds that you follow go to their sources: known items get
their marks, and new items are added with the data in the file. Items from
other pages that you saved in a service go into a source of their own, which is
never polled. Marks are only added, never removed, and rules are not applied.
Flags of newsboat that do not pin become tags such as flag-b.

Examples:
  newsfed import subscriptions.opml
  newsfed import ~/.newsboat/urls
  newsfed import --follow https://planet.example/opml.xml --folder Planet
  newsfed import --dry-run ~/.newsboat/cache.db
  newsfed import --pin-flags abc ~/.newsboat/cache.db
  newsfed import starred.json
  newsfed import --undo
  echo https://example.org/feed | newsfed import -";

#[derive(Serialize)]
struct Imported {
    kind: ImportKind,
    added: Vec<Entry>,
    already: Vec<Entry>,
    completed: Vec<Completed>,
    other_folders: Vec<OtherFolder>,
    skipped: Vec<Skipped>,
    /// How many of `skipped` are settings of sources that are imported.
    #[serde(skip)]
    settings_skipped: usize,
    views: Vec<Saved>,
}

impl Imported {
    /// Formats a summary such as `2 added, 1 already followed (a folder or tags added to 1), 1 view saved, 0
    /// skipped`.
    fn describe(&self) -> String {
        let (added, already) = (self.added.len(), self.already.len());
        let skipped = self.skipped.len() - self.settings_skipped;
        let completed = match self.completed.len() {
            0 => String::new(),
            n => format!(" (a folder or tags added to {n})"),
        };
        let views = match self.views.len() {
            0 => String::new(),
            n => format!(", {} saved", counted(n, "view")),
        };
        let settings = match self.settings_skipped {
            0 => String::new(),
            n => format!(", {} not imported", counted(n, "setting")),
        };
        format!(
            "{added} added, {already} already followed{completed}{views}, {skipped} skipped{settings}"
        )
    }
}

#[derive(Serialize)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) url: String,
}

/// The settings that an already followed source received from the list.
#[derive(Serialize)]
struct Completed {
    id: String,
    tags: Vec<String>,
    folder: Option<String>,
}

/// A source that is already followed, and stays in its own folder.
#[derive(Serialize)]
struct OtherFolder {
    id: String,
    /// The folder of the list.
    folder: String,
}

#[derive(Serialize)]
struct Saved {
    name: String,
    query: String,
}

#[derive(Serialize)]
pub(super) struct Skipped {
    pub(super) what: String,
    pub(super) why: String,
}

/// Maximum number of private addresses named in a question.
const NAMED: usize = 10;

/// On a terminal, asks whether to import the sources at private addresses.
fn confirm_private(
    import: &Import,
    known: &HashSet<String>,
    args: &ImportArgs,
) -> Result<bool, Failure> {
    let private: Vec<&Source> = import.private(known).collect();
    let terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    if private.is_empty()
        || args.file.as_deref() == Some(Path::new("-"))
        || !terminal
        || args.dry_run
    {
        return Ok(false);
    }
    let mut question = io::stderr().lock();
    writeln!(question, "sources at private addresses, or with a proxy:")?;
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
    let home = Home::load(global)?;
    let Some(file) = args.file.as_deref().filter(|_| !args.undo) else {
        return import_items::undo(&home, out);
    };
    if args.follow {
        return import_follow::run(file, args.title.clone(), args.folder.clone(), &home, out);
    }
    if file.to_str().is_some_and(is_web) {
        let how = "this is a URL, not a file; use --follow for a list, or `newsfed add` for a feed";
        return Err(Failure::Usage(how.to_owned()));
    }
    // A database may be larger than the files that are read as a whole.
    if is_database(file) {
        return import_items::run(file, None, FileFormat::Database, args, home, out);
    }
    let bytes = config::read_import(file).map_err(Failure::Plain)?;
    let name = match file == Path::new("-") {
        true => "standard input".to_owned(),
        false => file.display().to_string(),
    };
    match FileFormat::of(&bytes) {
        None => list(args, &bytes, &name, &home, out),
        Some(format) => import_items::run(Path::new(&name), Some(&bytes), format, args, home, out),
    }
}

/// Whether an argument is a URL.
pub(super) fn is_web(file: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        file.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

/// Whether a file starts like a database. Pipes are not opened, because data cannot be read from a pipe
/// twice.
fn is_database(file: &Path) -> bool {
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut start = Vec::new();
    let read = File::open(file).and_then(|file| file.take(16).read_to_end(&mut start));
    read.is_ok() && FileFormat::of(&start) == Some(FileFormat::Database)
}

/// Follows the sources of a list.
fn list(
    args: &ImportArgs,
    bytes: &[u8],
    name: &str,
    home: &Home,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let mut import = config::import(bytes, name)?;
    let (sources_file, config_file) =
        (SourcesFile::open(&home.paths), ConfigFile::open(&home.paths));
    let known = import.known(home.sources.iter().map(Arc::as_ref));
    if !args.private && !confirm_private(&import, &known, args)? {
        import.skip_private(&known, "import it with --private");
    }
    let Import { kind, sources, views, skipped, settings_skipped, .. } = import;
    let has_nothing = sources.is_empty() && views.is_empty();
    let refused_sources = sources.is_empty() && skipped.len() > settings_skipped;
    let added = match args.dry_run {
        true => sources_file.preview(&sources)?,
        false => sources_file.import_and_complete(&sources)?.0,
    };
    let views = match (views.is_empty(), args.dry_run) {
        (true, _) => Vec::new(),
        (false, true) => config_file.preview_views(&views)?.0,
        (false, false) => {
            let edit = config_file.add_views(&views)?;
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
        completed: added.completions.iter().filter(|c| c.adds()).map(Completed::from).collect(),
        other_folders: added.completions.iter().filter_map(OtherFolder::of).collect(),
        views: views.into_iter().map(|v| Saved { name: v.name, query: v.query }).collect(),
        skipped: skipped.into_iter().map(|(what, why)| Skipped { what, why }).collect(),
        settings_skipped,
    };
    for skipped in &summary.skipped {
        out.note(format!("skipped: {}: {}", skipped.what, skipped.why));
    }
    note_completions(&added.completions, args.dry_run, out);
    let saved = if args.dry_run { "would be saved" } else { "saved" };
    for view in &summary.views {
        out.note(format!("{saved} as a view: {}: {}", view.name, view.query));
    }
    let names_new = args.dry_run || out.verbose > 0;
    for source in added.sources.iter().filter(|_| names_new) {
        let is = if args.dry_run { "would be added" } else { "added" };
        let title = source.title.iter().map(|title| format!(" ({})", line(title)));
        out.note(format!("{is}: {}{}", source.url, title.collect::<String>()));
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
        out.result(format!("{kind}: {}", summary.describe()))?;
    }
    if has_nothing {
        out.warn("newsfed: nothing was imported: every entry of the list was skipped");
        return Ok(Exit::Failed);
    }
    if args.dry_run {
        out.note("nothing was changed");
    } else if summary.kind == ImportKind::Newsboat && home.settings.keys.preset == "default" {
        out.note("for the keys of newsboat, set keys.preset = \"newsboat\" in config.toml");
    }
    if refused_sources {
        out.warn("newsfed: no source was imported: all were skipped");
        return Ok(Exit::Partial);
    }
    Ok(Exit::Ok)
}

impl From<&Completion> for Completed {
    fn from(completion: &Completion) -> Self {
        Self {
            id: completion.id.to_string(),
            tags: completion.tags.clone(),
            folder: completion.folder.clone(),
        }
    }
}

impl OtherFolder {
    fn of(completion: &Completion) -> Option<Self> {
        let (theirs, _) = completion.other_folder.as_ref()?;
        Some(Self { id: completion.id.to_string(), folder: theirs.clone() })
    }
}

/// Reports which settings of the list already followed sources receive, and which they do not.
fn note_completions(completions: &[Completion], dry_run: bool, out: &mut Output) {
    let added = if dry_run { "would be added" } else { "added" };
    for completion in completions {
        if completion.adds() {
            out.note(format!("{added} to {}: {}", completion.id, completion.describe()));
        }
        if let Some((theirs, ours)) = &completion.other_folder {
            let id = &completion.id;
            out.note(format!("not applied: folder {theirs} of {id}, which stays in {ours}"));
        }
    }
}

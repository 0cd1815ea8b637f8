//! `newsfed open`: opens items in the browser, or their enclosures with suitable programs.

use super::catalogue::Catalogue;
use super::download;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::items;
use super::number::whole;
use super::output::Output;
use crate::model::{Enclosure, Item};
use crate::util::browser::{self, Launch, Surroundings};
use crate::util::media;
use crate::util::text::{counted, line};
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct OpenArgs {
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Open an enclosure [default: the first audio or video]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, value_parser = whole(NonZeroUsize::MIN..))]
    enclosure: Option<Option<NonZeroUsize>>,
}

/// The item to which a file belongs, and its source (row keys).
#[derive(Clone, Copy)]
pub(super) struct FileOf {
    pub(super) item: i64,
    pub(super) source: i64,
}

/// A page to open, or a file with its media type and item.
struct Target {
    url: String,
    file: Option<(String, FileOf)>,
}

impl Target {
    fn media_type(&self) -> Option<&str> {
        self.file.as_ref().map(|(media_type, _)| media_type.as_str())
    }
}

const EXAMPLES: &str = "\
newsfed uses the browser from the setting `browser`, otherwise $BROWSER,
otherwise the system's default browser. `newsfed show` lists the enclosures of
an item.
Enclosures open with the program that [open] sets for their media type,
otherwise in the browser. If nothing can be opened, the URLs are printed and
the exit code is 1. With --json, the URLs are printed and nothing is opened.

Examples:
  newsfed open 1234
  newsfed open --enclosure 1234
  newsfed open --enclosure=2 --set 'open.\"audio/*\"=[\"mpv\"]' 1234
  newsfed --set 'browser=[\"w3m\"]' open 1234";

pub(super) fn run(args: &OpenArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let (reader, catalogue) = (store.reader()?, Catalogue::read(&home, &store)?);
    // Items without a fragment of their own open the page of their source.
    let page = |key| {
        let source = &catalogue.entries.iter().find(|e| e.facts.key == key)?.source;
        source.kind().reads_pages().then(|| source.url.to_string())
    };
    let mut targets = Vec::new();
    for key in items::keys(&reader, &args.ids)? {
        let target = match args.enclosure {
            Some(number) => match (reader.row(key)?, reader.item(key)?) {
                (Some(row), Some(item)) => Some(target(&item, number, key, row.source_key)),
                _ => None,
            },
            None => {
                let url = reader.row(key)?.and_then(|row| row.url.or_else(|| page(row.source_key)));
                url.map(|url| Ok(Target { url, file: None }))
            }
        };
        match target.unwrap_or_else(|| Err(format!("item {key} has no URL"))) {
            Ok(target) => targets.push(target),
            Err(why) => out.warn(format!("newsfed: {why}")),
        }
    }
    if out.json {
        for target in &targets {
            out.value(&serde_json::json!({ "url": target.url }))?;
        }
        let nothing = targets.is_empty() && args.enclosure.is_some();
        return Ok(if nothing { Exit::Failed } else { Exit::Ok });
    }
    if targets.is_empty() {
        return Ok(Exit::Failed);
    }
    match open(&home, &targets, out) {
        Ok(()) => Ok(Exit::Ok),
        Err((why, left)) => {
            out.warn(format!("newsfed: {why}"));
            left.iter().try_for_each(|target| out.line(&target.url))?;
            Ok(if left.len() < targets.len() { Exit::Partial } else { Exit::Failed })
        }
    }
}

fn target(
    item: &Item,
    number: Option<NonZeroUsize>,
    key: i64,
    source: i64,
) -> Result<Target, String> {
    let file = enclosure(item, number, key)?;
    let media_type = media::media_type(file.mime.as_deref(), &file.url).unwrap_or_default();
    Ok(Target { url: file.url.clone(), file: Some((media_type, FileOf { item: key, source })) })
}

/// An enclosure by its number; without a number, the first audio or video enclosure, or else the first one.
pub(super) fn enclosure(
    item: &Item,
    number: Option<NonZeroUsize>,
    key: i64,
) -> Result<&Enclosure, String> {
    let files = &item.enclosures;
    let file = match number {
        Some(number) => files.get(number.get() - 1),
        None => files.iter().find(|file| media::is_playable(file)).or_else(|| files.first()),
    };
    file.ok_or_else(|| match (files.len(), number) {
        (1.., Some(number)) => {
            format!("item {key} has no enclosure {number}; `newsfed show {key}` lists them")
        }
        _ => format!("item {key} has no enclosures"),
    })
}

/// Opens targets in order, grouping those for the same program. An error includes the targets that were not
/// opened.
fn open<'a>(
    home: &Home,
    targets: &'a [Target],
    out: &mut Output,
) -> Result<(), (String, Vec<&'a Target>)> {
    let mut left = targets;
    while let Some(first) = left.first() {
        let (argv, in_terminal) = match first.media_type() {
            Some(media_type) => home.settings.program(media_type),
            None => (home.settings.browser.as_slice(), home.settings.browser_in_terminal),
        };
        let alike = |target: &&Target| target.media_type() == first.media_type();
        let together = match (&first.file, browser::needs_file(argv)) {
            (Some(_), true) => 1,
            _ => left.iter().take_while(alike).count(),
        };
        let (now, later) = left.split_at(together);
        let (launch, what) = match plan(home, argv, in_terminal, now, out) {
            Ok(planned) => planned,
            Err(why) => return Err((why, left.iter().collect())),
        };
        if let Err(e) = browser::launch(&launch, browser::WATCHED) {
            let failed: Vec<&Target> = e.indexes.iter().filter_map(|i| now.get(*i)).collect();
            let urls = match failed.as_slice() {
                [one] => line(&one.url),
                many => counted(many.len(), "URL"),
            };
            let why = format!("cannot open {urls} in the {what}: {e}");
            return Err((why, failed.into_iter().chain(later).collect()));
        }
        left = later;
    }
    Ok(())
}

/// Plans opening targets with one program, after downloading the files that it needs. Returns the plan and
/// what the program is called.
fn plan(
    home: &Home,
    argv: &[String],
    in_terminal: bool,
    targets: &[Target],
    out: &mut Output,
) -> Result<(Launch, &'static str), String> {
    let around = Surroundings { variable: &browser::variable, installed: &browser::installed };
    let urls: Vec<&str> = targets.iter().map(|target| target.url.as_str()).collect();
    let mut plan = browser::plan(argv, in_terminal, &around, &urls);
    if let [Target { url, file: Some((media_type, of)) }] = targets
        && plan.is_ok()
        && browser::needs_file(argv)
    {
        let stored = download::store(home, url, media_type, *of, out)?;
        plan = browser::plan_file(argv, in_terminal, &around, (url, &stored));
    }
    let launch = plan.map_err(|e| e.to_string())?;
    let is_file = targets.iter().any(|target| target.file.is_some());
    let what = if is_file { "program" } else { "browser" };
    if launch.in_terminal && !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
        return Err(format!("the {what} needs a terminal, but there is none"));
    }
    Ok((launch, what))
}

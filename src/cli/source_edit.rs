//! `newsfed sources edit`: by options, or in the user's editor.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::home::Home;
use super::output::Output;
use super::sources::report;
use crate::config::{self, SourceChange, SourcesFile};
use crate::model::FullText;
use crate::util::url::parse_web;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Arguments of `sources edit`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EditArgs {
    /// The source
    source: String,
    /// Another title; empty shows the feed's own
    #[arg(long)]
    title: Option<String>,
    /// Another folder; empty is the top
    #[arg(long)]
    folder: Option<String>,
    /// All its tags, with commas between; empty is none
    #[arg(long)]
    tags: Option<String>,
    /// A tag that it is to have besides; may be repeated
    #[arg(long, value_name = "TAG")]
    add_tag: Vec<String>,
    /// A tag that it is to lose; may be repeated
    #[arg(long, value_name = "TAG")]
    remove_tag: Vec<String>,
    /// A fixed time between two polls, as 2h; empty leaves it to the schedule
    #[arg(long, value_parser = interval)]
    interval: Option<Interval>,
    /// Whose pages are asked for the full text: never, on-open, pinned or all; empty leaves it to
    /// the settings
    #[arg(long, value_name = "WHEN", value_parser = full_text)]
    full_text: Option<Pages>,
    /// Another address
    #[arg(long)]
    url: Option<String>,
}

const EXAMPLES: &str = "\
Without options sources.toml is opened at the source, in $VISUAL or $EDITOR.

Examples:
  newsfed sources edit kernel
  newsfed sources edit kernel --folder Tech/Linux --tags linux,c";

/// A time, or none at all.
#[derive(Debug, Clone, Copy)]
struct Interval(Option<Duration>);

/// When pages are asked for, or nothing said of it.
#[derive(Debug, Clone, Copy)]
struct Pages(Option<FullText>);

fn full_text(text: &str) -> Result<Pages, String> {
    match FullText::named(text) {
        None if !text.is_empty() => Err(format!("expected {}", FullText::NAMES.join(", "))),
        named => Ok(Pages(named)),
    }
}

fn interval(text: &str) -> Result<Interval, String> {
    if text.is_empty() {
        return Ok(Interval(None));
    }
    let time = humantime::parse_duration(text);
    time.map(|t| Interval(Some(t))).map_err(|e| format!("{e}; write 30m, 2h or 1d"))
}

/// Runs `sources edit`.
pub(super) fn edit(
    args: &EditArgs,
    home: &Home,
    catalogue: &Catalogue,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let id = catalogue.find(&args.source)?.source.id.clone();
    let file = SourcesFile::open(&home.paths);
    let change = change(args)?;
    if change == SourceChange::default() {
        let (path, line) = file.line_of(&id)?;
        run_editor(&path, line)?;
        config::load(&home.paths, &home.overrides)?;
        return Ok(Exit::Ok);
    }
    file.update(std::slice::from_ref(&id), &change)?;
    report(&[id], "changed", out)?;
    Ok(Exit::Ok)
}

fn change(args: &EditArgs) -> Result<SourceChange, Failure> {
    let text = |given: &Option<String>| given.clone().map(|t| Some(t).filter(|t| !t.is_empty()));
    let url = match &args.url {
        Some(typed) => {
            let web = parse_web(typed).map_err(|e| Failure::Usage(e.to_string()))?;
            Some(web.url)
        }
        None => None,
    };
    let tags = args.tags.as_ref().map(|tags| {
        tags.split(',').map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect()
    });
    Ok(SourceChange {
        url,
        title: text(&args.title),
        folder: text(&args.folder),
        tags,
        tag: args.add_tag.clone(),
        untag: args.remove_tag.clone(),
        enabled: None,
        interval: args.interval.map(|i| i.0),
        full_text: args.full_text.map(|p| p.0),
    })
}

/// Opens a file at a line in the user's editor and waits for its end.
fn run_editor(file: &Path, line: usize) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"].iter().filter_map(|name| std::env::var(name).ok());
    let named = named.into_iter().find(|value| !value.trim().is_empty());
    let argv = named.as_deref().and_then(shlex::split).unwrap_or_else(|| vec!["vi".to_owned()]);
    let (program, arguments) = argv.split_first().ok_or_else(no_editor)?;
    let status = Command::new(program)
        .args(arguments)
        // Understood by vi, vim, nvim, emacs, nano, micro, kakoune and joe.
        .arg(format!("+{line}"))
        .arg(file)
        .status()
        .map_err(|e| Failure::Plain(format!("the editor {program} cannot be started: {e}")))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Plain(format!("the editor {program} ended with {status}")))
}

fn no_editor() -> Failure {
    Failure::Plain("no editor is known; set $EDITOR, or change the source by options".to_owned())
}

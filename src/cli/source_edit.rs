//! `newsfed sources edit`: changes a source with options, or in the user's editor.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::home::Home;
use super::output::Output;
use super::runtime::with_engine;
use crate::config::{self, FileChange, SourceChange, SourceOption, SourcesFile};
use crate::model::SourceId;
use crate::util::url::parse_web;
use clap::{Arg, ArgMatches};
use serde::Serialize;
use std::path::Path;
use std::process::Command;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EditArgs {
    /// The source
    source: String,
    #[command(flatten)]
    settings: SettingOptions,
    /// Add a tag; can be repeated
    #[arg(long, value_name = "TAG")]
    add_tag: Vec<String>,
    /// Remove a tag; can be repeated
    #[arg(long, value_name = "TAG")]
    remove_tag: Vec<String>,
}

const EXAMPLES: &str = "\
Without options, sources.toml is opened at the source, in $VISUAL or $EDITOR.
An empty value, as in --folder '', removes a setting; [empty: ...] shows what
then applies.

Examples:
  newsfed sources edit kernel
  newsfed sources edit kernel --folder Tech/Linux --tags linux,c";

/// The settings given as options: keys and their new values.
#[derive(Debug)]
struct SettingOptions(Vec<(&'static str, String)>);

impl clap::Args for SettingOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        config::source_options().into_iter().fold(command, |command, option| {
            let key = option.key;
            let check = move |typed: &str| {
                if key == "url" {
                    return parse_web(typed).map(|web| web.url.into()).map_err(|e| e.to_string());
                }
                SourceChange::check(key, typed).map(|()| typed.to_owned())
            };
            let arg = Arg::new(key).long(option.name).value_name(option.value).help(option.help);
            command.arg(arg.value_parser(check))
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for SettingOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |option: SourceOption| {
            Some((option.key, matches.get_one::<String>(option.key)?.clone()))
        };
        Ok(Self(config::source_options().into_iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(super) fn edit(
    args: &EditArgs,
    home: &Home,
    catalogue: &Catalogue,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let id = catalogue.find(&args.source)?.source.id.clone();
    let file = SourcesFile::open(&home.paths);
    let change = SourceChange::default();
    let change = args.settings.0.iter().fold(change, |change, (key, value)| change.set(key, value));
    let change = change.add_tags(args.add_tag.clone()).remove_tags(args.remove_tag.clone());
    if change == SourceChange::default() {
        if let Some(account) = &catalogue.find(&args.source)?.source.account {
            let message = format!(
                "cannot open {id} in the editor: it is a source of the account {account}; use options such as \
                 --title or --folder"
            );
            return Err(Failure::Usage(message));
        }
        let (path, line) = file.line_of(&id)?;
        run_editor(&path, line)?;
        config::load(&home.paths, &home.overrides)?;
        return Ok(Exit::Ok);
    }
    if catalogue.find(&args.source)?.source.account.is_some() {
        change_collected(home, FileChange::Sources(vec![(id.clone(), change)]), out)?;
        report(&[id], "changed", out)?;
        return Ok(Exit::Ok);
    }
    file.update(std::slice::from_ref(&id), &change)?;
    let of_source = format!("source \"{id}\"");
    for warning in config::load(&home.paths, &home.overrides)?.warnings {
        if warning.key.starts_with(&of_source) {
            out.note(format!("warning: {warning}"));
        }
    }
    report(&[id], "changed", out)?;
    Ok(Exit::Ok)
}

/// Changes sources of accounts. The next synchronisation sends the changes that servers can store.
pub(super) fn change_collected(
    home: &Home,
    change: FileChange,
    out: &mut Output,
) -> Result<(), Failure> {
    let edited = with_engine(home, out, async |handle, _| Ok(handle.edit(change).await?))?;
    if !edited.collected.is_empty() {
        out.note("sent to the server at the next synchronisation");
    }
    Ok(())
}

/// JSON output for a change.
#[derive(Serialize)]
struct Changed<'a> {
    changed: &'a [SourceId],
}

/// Prints the changed sources.
pub(super) fn report(ids: &[SourceId], done: &str, out: &mut Output) -> Result<(), Failure> {
    if out.json {
        return out.value(&Changed { changed: ids });
    }
    ids.iter().try_for_each(|id| out.result(format!("{id}: {done}")))
}

/// Opens a file at a line in the user's editor and waits for the editor to exit.
fn run_editor(file: &Path, line: usize) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"].iter().filter_map(|name| std::env::var(name).ok());
    let named = named.into_iter().find(|value| !value.trim().is_empty());
    let argv = named.as_deref().and_then(shlex::split).unwrap_or_else(|| vec!["vi".to_owned()]);
    let (program, arguments) = argv.split_first().ok_or_else(no_editor)?;
    let status = Command::new(program)
        .args(arguments)
        // vi, vim, nvim, emacs, nano, micro, kakoune and joe understand this argument.
        .arg(format!("+{line}"))
        .arg(file)
        .status()
        .map_err(|e| Failure::Plain(format!("cannot start the editor {program}: {e}")))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Plain(format!("the editor {program} failed with {status}")))
}

fn no_editor() -> Failure {
    Failure::Plain("no editor is known; set $EDITOR, or change the source with options".to_owned())
}

//! `newsfed completions` and `newsfed man`: made from the command line itself.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::model::Source;
use crate::util::text;
use clap_complete::Shell;
use std::collections::BTreeSet;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(required_unless_present = "names")]
    shell: Option<Shell>,
    /// Print the names of a kind, one per line, for the script of bash
    #[arg(long, hide = true, conflicts_with = "shell")]
    names: Option<NameKind>,
}

/// What the script of bash completes.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum NameKind {
    Sources,
    Folders,
    Tags,
    Views,
    Rules,
}

/// Adds names to the script of bash: `clap_complete` knows none that come from files.
const BASH: &str = include_str!("../../assets/completions.bash");

const COMPLETIONS: &str = "\
bash also completes the names of sources, folders, tags, views and rules.

Examples:
  newsfed completions bash > ~/.local/share/bash-completion/completions/newsfed
  newsfed completions zsh > ~/.zfunc/_newsfed
  newsfed completions fish > ~/.config/fish/completions/newsfed.fish";

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = MAN)]
pub(super) struct ManArgs {
    /// Command whose page to print [default: newsfed itself]
    command: Option<String>,
}

const MAN: &str = "\
Examples:
  newsfed man | man -l -
  newsfed man sync > ~/.local/share/man/man1/newsfed-sync.1";

/// Runs `completions`.
pub(super) fn completions(
    args: &CompletionsArgs,
    mut command: clap::Command,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let Some(shell) = args.shell else {
        for name in names(args.names, global, out)? {
            out.line(name)?;
        }
        return Ok(Exit::Ok);
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "newsfed", &mut script);
    if shell == Shell::Bash {
        script.extend_from_slice(BASH.as_bytes());
    }
    out.raw(&script)?;
    Ok(Exit::Ok)
}

/// The names of a kind, each one line, in order.
fn names(
    kind: Option<NameKind>,
    global: &Global,
    out: &mut Output,
) -> Result<BTreeSet<String>, Failure> {
    let home = Home::load(global, out)?;
    let settings = &home.settings;
    let of_sources = |names: &dyn Fn(&Source) -> Vec<String>| -> Result<Vec<String>, Failure> {
        let catalogue = Catalogue::read(&home, &home.store_to_read()?)?;
        Ok(catalogue.entries.iter().flat_map(|entry| names(&entry.source)).collect())
    };
    let names = match kind {
        None => Vec::new(),
        Some(NameKind::Sources) => of_sources(&|source| vec![source.id.to_string()])?,
        Some(NameKind::Folders) => of_sources(&|source| source.folder.iter().cloned().collect())?,
        Some(NameKind::Tags) => {
            let mut tags = of_sources(&|source| source.tags.clone())?;
            tags.extend(home.store_to_read()?.reader()?.item_tags()?);
            tags
        }
        Some(NameKind::Views) => settings.views.iter().map(|view| view.name.clone()).collect(),
        Some(NameKind::Rules) => settings.rules.iter().map(|rule| rule.name.clone()).collect(),
    };
    Ok(names.iter().map(|name| text::line(name)).collect())
}

/// Runs `man`.
pub(super) fn man(
    args: &ManArgs,
    mut all: clap::Command,
    out: &mut Output,
) -> Result<Exit, Failure> {
    all.build();
    let page = match &args.command {
        None => all,
        Some(name) => all.find_subcommand(name).cloned().ok_or_else(|| {
            let name = text::line(name);
            Failure::Usage(format!("there is no command \"{name}\"; `newsfed help` lists them"))
        })?,
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page.disable_help_subcommand(true))
        .source(concat!("newsfed ", env!("CARGO_PKG_VERSION")))
        .manual("newsfed")
        .render(&mut text)?;
    out.raw(&text)?;
    Ok(Exit::Ok)
}

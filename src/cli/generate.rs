//! `newsfed completions` and `newsfed man`: made from the command line itself.

use super::exit::{Exit, Failure};
use super::output::Output;
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

const COMPLETIONS: &str = "\
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
    out: &mut Output,
) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "newsfed", &mut text);
    out.raw(&text)?;
    Ok(Exit::Ok)
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
            let name = crate::util::text::line(name);
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

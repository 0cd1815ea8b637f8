//! `newsfed completions` and `newsfed man`, generated from the command line definition.

use super::args::command;
use super::exit::{Exit, Failure};
use super::output::Output;
use clap_complete::Shell;

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

#[derive(Debug, clap::Args)]
#[command(after_help = MAN)]
pub(super) struct ManArgs {
    /// The command; without it, the program's own page
    command: Option<String>,
}

const MAN: &str = "\
Examples:
  newsfed man | man -l -
  newsfed man sync > ~/.local/share/man/man1/newsfed-sync.1";

pub(super) fn completions(args: &CompletionsArgs, out: &mut Output) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "newsfed", &mut text);
    out.raw(&text)?;
    Ok(Exit::Ok)
}

pub(super) fn man(args: &ManArgs, out: &mut Output) -> Result<Exit, Failure> {
    let mut all = command();
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

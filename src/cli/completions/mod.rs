//! `newsfed completions`: completion scripts, generated from the definition of the command line.

mod names;
mod script;

use super::exit::{Exit, Failure};
use super::global::Global;
use super::output::Output;
use names::NameKind;
use script::Shell;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(required_unless_present = "names")]
    shell: Option<Shell>,
    /// Print the names of a kind, one per line, for the scripts
    #[arg(long, hide = true, conflicts_with = "shell")]
    names: Option<NameKind>,
}

const EXAMPLES: &str = "\
bash, zsh, fish and Nushell also complete the names of sources, folders, tags,
views, rules, programs and accounts.

Examples:
  newsfed completions bash > ~/.local/share/bash-completion/completions/newsfed
  newsfed completions zsh > ~/.zfunc/_newsfed
  newsfed completions fish > ~/.config/fish/completions/newsfed.fish
  newsfed completions nushell > ~/.config/nushell/autoload/newsfed.nu";

pub(super) fn run(
    args: &CompletionsArgs,
    command: clap::Command,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    if let Some(shell) = args.shell {
        out.raw(script::script(shell, command).as_bytes())?;
    }
    if let Some(kind) = args.names {
        for name in kind.names(global)? {
            out.line(name)?;
        }
    }
    Ok(Exit::Ok)
}

//! The scripts that clap_complete generates, extended by functions that get names from newsfed.
//!
//! clap_complete cannot complete values that come from files. For zsh, fish and Nushell, such an argument
//! gets a marker as its only possible value, and the marker in the script is replaced by a call. For bash,
//! and for positional arguments in fish, clap_complete writes no values, so the script gets tables of the
//! command line.

use super::names::NameKind;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueEnum};
use clap_complete::{Generator, Shell as ClapShell};
use clap_complete_nushell::Nushell;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Shell {
    Bash,
    Zsh,
    Fish,
    Nushell,
    Powershell,
    Elvish,
}

const BASH: &str = include_str!("../../../assets/completions/bash");
const ZSH: &str = include_str!("../../../assets/completions/zsh");
const FISH: &str = include_str!("../../../assets/completions/fish");
const NUSHELL: &str = include_str!("../../../assets/completions/nushell");

/// The script for a shell.
pub(super) fn script(shell: Shell, command: Command) -> String {
    let table = Table::of(&command);
    match shell {
        Shell::Bash => generated(ClapShell::Bash, command) + &table.bash(),
        Shell::Zsh => zsh(&generated(ClapShell::Zsh, marked(command, ""))),
        Shell::Fish => {
            let script = generated(ClapShell::Fish, marked(command, ""));
            let call = |script: String, kind: NameKind| {
                let name = kind.name();
                script.replace(
                    &format!("{}\\t''", kind.marker()),
                    &format!("(__newsfed_names {name})"),
                )
            };
            // Command substitution in double quotes would give a single word.
            each_kind(script, call) + &table.fish()
        }
        Shell::Nushell => {
            let script = generated(Nushell, marked(command, ""));
            let call = |script: String, kind: NameKind| {
                let names = format!("nu-complete newsfed names {}", kind.name());
                script.replace(&format!("[ \"{}\" ]", kind.marker()), &names)
            };
            let start = "module completions {\n\n";
            each_kind(script, call).replacen(start, &format!("{start}{NUSHELL}"), 1)
        }
        Shell::Powershell => generated(ClapShell::PowerShell, command),
        Shell::Elvish => generated(ClapShell::Elvish, command),
    }
}

fn generated(generator: impl Generator, mut command: Command) -> String {
    let mut script = Vec::new();
    clap_complete::generate(generator, &mut command, "newsfed", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

fn each_kind(script: String, change: impl Fn(String, NameKind) -> String) -> String {
    NameKind::value_variants().iter().fold(script, |script, kind| change(script, *kind))
}

/// The path of a subcommand, such as `rules test`.
fn below(path: &str, command: &Command) -> String {
    format!("{path} {}", command.get_name()).trim().to_owned()
}

/// The command with a marker as the only value of each argument that takes names.
fn marked(command: Command, path: &str) -> Command {
    let marked_arg = |arg: Arg| match NameKind::of(path, &arg) {
        Some(kind) => arg.value_parser(PossibleValuesParser::new([kind.marker()])),
        None => arg,
    };
    let command = command.mut_args(marked_arg);
    command.mut_subcommands(|sub| {
        let path = below(path, &sub);
        marked(sub, &path)
    })
}

fn zsh(script: &str) -> String {
    let call = |script: String, kind: NameKind| {
        script.replace(&format!("({})", kind.marker()), &format!("_newsfed_name_{}", kind.name()))
    };
    let functions = NameKind::value_variants().iter().map(|kind| {
        let name = kind.name();
        format!("_newsfed_name_{name}() {{ _newsfed_names {name} \"$@\" }}\n")
    });
    let functions: String = functions.collect();
    let start = "_newsfed() {\n";
    let script = each_kind(script.to_owned(), call);
    script.replacen(start, &format!("{ZSH}\n{functions}\n{start}"), 1)
}

/// The data that scripts need to determine the argument at the cursor.
#[derive(Debug, Default)]
struct Table {
    /// The paths of all commands, such as `rules test`.
    commands: BTreeSet<String>,
    /// Options that take a value, prefixed with their command, because some are flags in another command.
    valued: BTreeSet<String>,
    /// Options whose value is a name.
    options: BTreeSet<(String, &'static str)>,
    /// Arguments that are names: the command, the number of arguments before this one (`None` for all
    /// remaining ones), and the kind.
    positionals: Vec<(String, Option<usize>, &'static str)>,
}

impl Table {
    fn of(command: &Command) -> Self {
        let mut table = Self::default();
        let mut command = command.clone();
        command.build();
        table.add(&command, "");
        table
    }

    fn add(&mut self, command: &Command, path: &str) {
        for arg in command.get_arguments() {
            let kind = NameKind::of(path, arg).map(NameKind::name);
            let range = arg.get_num_args().unwrap_or_default();
            if arg.is_positional() {
                let before = arg.get_index().unwrap_or(1).saturating_sub(1);
                let repeats =
                    range.max_values() > 1 || matches!(arg.get_action(), clap::ArgAction::Append);
                let place = (!repeats).then_some(before);
                self.positionals.extend(kind.map(|kind| (path.to_owned(), place, kind)));
            } else if range.takes_values() {
                let long = arg.get_long().map(|long| format!("--{long}"));
                let short = arg.get_short().map(|short| format!("-{short}"));
                for name in long.into_iter().chain(short) {
                    let name = format!("{path} {name}").trim().to_owned();
                    self.options.extend(kind.map(|kind| (name.clone(), kind)));
                    self.valued.insert(name);
                }
            }
        }
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            let path = below(path, sub);
            self.commands.insert(path.clone());
            self.add(sub, &path);
        }
    }

    /// The functions for bash. Names of commands and options need no quoting.
    fn bash(&self) -> String {
        let commands: Vec<String> =
            self.commands.iter().map(|path| format!("\"{path}\"")).collect();
        let valued: Vec<String> = self.valued.iter().map(|name| format!("\"{name}\"")).collect();
        let options = self.options.iter().map(|(name, kind)| format!("\"{name}\") kind={kind} ;;"));
        let options: Vec<String> = options.collect();
        let positionals = self.positionals.iter().map(|(path, place, kind)| match place {
            Some(place) => format!("\"{path} {place}\") kind={kind} ;;"),
            None => format!("\"{path} \"*) kind={kind} ;;"),
        });
        let positionals: Vec<String> = positionals.collect();
        BASH.replace("@VALUED@", &valued.join("|"))
            .replace("@COMMANDS@", &commands.join("|"))
            .replace("@OPTIONS@", &options.join("\n            "))
            .replace("@POSITIONALS@", &positionals.join("\n            "))
    }

    /// The functions for fish, and the arguments that use them.
    fn fish(&self) -> String {
        let commands: Vec<String> = self.commands.iter().map(|path| format!("'{path}'")).collect();
        let valued: Vec<String> = self.valued.iter().map(|name| format!("'{name}'")).collect();
        let positionals = self.positionals.iter().map(|(path, place, kind)| {
            let place = place.map_or_else(|| "*".to_owned(), |place| place.to_string());
            format!("case '{path} {place}'\n            set kind {kind}")
        });
        let positionals: Vec<String> = positionals.collect();
        let complete = NameKind::value_variants().iter().map(|kind| {
            let kind = kind.name();
            format!(
                "complete -c newsfed -n '__newsfed_takes {kind}' -f -a '(__newsfed_names {kind})'\n"
            )
        });
        let complete: String = complete.collect();
        let functions = FISH
            .replace("@VALUED@", &valued.join(" "))
            .replace("@COMMANDS@", &commands.join(" "))
            .replace("@POSITIONALS@", &positionals.join("\n        "));
        functions + &complete
    }
}

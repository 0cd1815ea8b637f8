//! `[[command]]` of `config.toml`: programs that the user runs for items.

use super::checks::{ARGUMENT, WORD};
use super::choices::{CommandInput, CommandOutput};
use super::document::Pair;
use super::error::Report;
use super::external::CommandSettings;
use super::load::elements;
use super::quote::quote;
use super::rule::{Rule, Slot};
use super::setting::{Setting, read};

/// The keys of a `[[command]]`.
pub(super) const KEYS: &[Setting<CommandSettings>] = &[
    Setting::new("name", WORD, |c| Slot::Text(&mut c.name)),
    Setting::new("run", ARGUMENT, |c| Slot::Command(&mut c.run)),
    Setting::new("input", Rule::OneOf(CommandInput::NAMES), |c| Slot::Choice(&mut c.input)),
    Setting::new("output", Rule::OneOf(CommandOutput::NAMES), |c| Slot::Choice(&mut c.output)),
    Setting::new("limit", Rule::Within(1, 60 * 60), |c| Slot::MaybeTime(&mut c.limit)),
];

/// The valid commands. An invalid one is left out with a warning.
pub(super) fn read_all(pair: &Pair, report: &mut Report) -> Vec<CommandSettings> {
    let mut commands: Vec<CommandSettings> = Vec::new();
    for (node, table) in elements(pair, report) {
        let mut command = CommandSettings::default();
        read(table, &"command.", (KEYS, ""), &[], &mut command, report);
        let at = |key: &str| table.iter().find(|p| p.key == key).map_or(node.at, |p| p.node.at);
        let reads = command.input != CommandInput::None || command.limit.is_some();
        let problem = if command.name.trim().is_empty() {
            Some(("name", "is missing".to_owned()))
        } else if commands.iter().any(|other| other.name == command.name) {
            Some(("name", format!("{} is the name of two programs", quote(&command.name))))
        } else if command.run.is_empty() {
            Some(("run", "is missing; expected a list such as [\"program\", \"{url}\"]".to_owned()))
        } else if command.output == CommandOutput::Terminal && reads {
            let why = "input and limit cannot be used with output = \"terminal\", because the program has the terminal until it exits";
            Some(("output", why.to_owned()))
        } else {
            None
        };
        match problem {
            Some((key, message)) => {
                let message = format!("{message}; this [[command]] is left out");
                report.warn(at(key), &format!("command.{key}"), message);
            }
            None => commands.push(command),
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use crate::config::load::check_settings;
    use crate::config::{CommandInput, CommandOutput};
    use std::path::Path;

    #[test]
    fn commands_are_read_and_shown() {
        let text = "[[command]]\nname = \"Save\"\nrun = [\"save\", \"{url}\"]\ninput = \"json\"\n\
                    output = \"window\"\nlimit = \"5m\"\n";
        let settings = check_settings(Path::new("config.toml"), text, &[]).unwrap().0;
        let [command] = settings.commands.as_slice() else { panic!("{settings:?}") };
        assert_eq!((command.name.as_str(), command.run.len()), ("Save", 2));
        assert_eq!((command.input, command.output), (CommandInput::Json, CommandOutput::Window));
        let shown = super::super::shown::show_settings(&settings).to_string();
        assert_eq!(check_settings(Path::new(""), &shown, &[]).unwrap().0, settings);
    }

    #[test]
    fn reports_invalid_commands() {
        let name = "name = \"a\"\n";
        let run = "run = [\"x\"]\n";
        for (text, part) in [
            (format!("{name}run = \"x\"\n"), "command.run"),
            (format!("{name}{run}output = \"pane\"\n"), "command.output"),
            (format!("{name}{run}limit = \"2h\"\n"), "command.limit"),
        ] {
            let text = format!("[[command]]\n{text}");
            let error = check_settings(Path::new("config.toml"), &text, &[]).unwrap_err();
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
        for (text, part, left) in [
            (run.to_owned(), "command.name: is missing", 0),
            (name.to_owned(), "command.run: is missing", 0),
            (format!("{name}run = []\n"), "command.run: is missing", 0),
            (format!("{name}{run}[[command]]\n{name}{run}"), "name of two programs", 1),
            (
                format!("{name}{run}output = \"terminal\"\ninput = \"text\"\n"),
                "input and limit cannot be used",
                0,
            ),
        ] {
            let text = format!("[[command]]\n{text}");
            let (settings, warnings) =
                check_settings(Path::new("config.toml"), &text, &[]).unwrap();
            let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
            let warning = warning.to_string();
            assert!(warning.contains(part) && warning.ends_with("left out"), "{part}: {warning}");
            assert_eq!(settings.commands.len(), left, "{part}");
        }
    }
}

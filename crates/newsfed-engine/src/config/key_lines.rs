//! The commands that a key runs, and problems in them.

use super::action::Action;
use super::external::CommandSettings;
use super::quote::quote;

/// For a command that prompts if its argument is missing: the argument in words, and an example.
fn argument(action: Action) -> Option<(&'static str, &'static str)> {
    Some(match action {
        Action::Set => ("a setting and a value", "set ui.list compact"),
        Action::ReadMatching => ("a query", "read age>3d"),
        Action::ReadFor => ("a number of minutes", "read-for 20"),
        Action::Run => ("the name of a [[command]]", "run NAME"),
        Action::Tag => ("a tag", "tag linux"),
        Action::Theme => ("a theme", "theme nord"),
        Action::Add => ("a URL", "add https://example.org/"),
        Action::Import => ("a file", "import feeds.opml"),
        Action::Search => ("words", "search rust"),
        Action::Filter => ("words", "filter rust"),
        Action::Find => ("words", "find rust"),
        Action::Save => ("a file", "save weekend.epub"),
        Action::Pipe => ("a shell command", "pipe wc -w"),
        _ => return None,
    })
}

/// Whether the text bound to a key is a command with arguments, or several commands.
pub(super) fn is_line(text: &str) -> bool {
    text.trim().contains([' ', ';'])
}

/// The commands in the text bound to a key, each with its arguments.
pub(super) fn commands(line: &str) -> impl Iterator<Item = &str> {
    line.split(';').map(str::trim).filter(|command| !command.is_empty())
}

/// Problems in the commands that a key runs: missing arguments and unknown programs.
pub(super) fn problems(line: &str, programs: &[CommandSettings]) -> Vec<String> {
    if !is_line(line) {
        // A single command opens the palette or a dialog, where the user types the argument.
        return Vec::new();
    }
    let commands: Vec<&str> = commands(line).collect();
    let mut found = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        let (name, given) = command.split_once(' ').unwrap_or((command, ""));
        let Ok(action) = name.parse::<Action>() else { continue };
        let given = given.trim();
        let Some((what, example)) = argument(action) else { continue };
        let is_missing = match action {
            Action::Set => !given.contains([' ', '=']),
            _ => given.is_empty(),
        };
        let stops = match at + 1 < commands.len() {
            true => ", and the commands after it do not run",
            false => "",
        };
        if is_missing {
            found.push(format!(
                "{} needs {what}, as in {}; as written, it opens a dialog{stops}",
                quote(command),
                quote(example)
            ));
        } else if action == Action::Run && !programs.iter().any(|program| program.name == given) {
            found.push(format!("there is no [[command]] with the name {}", quote(given)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_missing_arguments_and_programs() {
        let programs = [CommandSettings { name: "linkding".to_owned(), ..Default::default() }];
        for (line, expected) in [
            ("run", &[][..]),
            ("search", &[]),
            ("run linkding", &[]),
            ("pin; copy; next-unread", &[]),
            ("set ui.theme nord; save weekend.epub", &[]),
            ("run pocket", &["no [[command]] with the name \"pocket\""]),
            (
                "save; next-unread",
                &[
                    "\"save\" needs a file, as in \"save weekend.epub\"; as written, it opens a dialog, and the \
                     commands after it do not run",
                ],
            ),
            (
                "pin; read-for",
                &["\"read-for\" needs a number of minutes, as in \"read-for 20\"; as written"],
            ),
            (
                "set ui.theme; run",
                &["\"set ui.theme\" needs a setting and a value", "\"run\" needs"],
            ),
        ] {
            let found = problems(line, &programs);
            assert_eq!(found.len(), expected.len(), "{line}: {found:?}");
            for (message, part) in found.iter().zip(expected) {
                assert!(message.contains(part), "{line}: {message}");
            }
        }
    }
}

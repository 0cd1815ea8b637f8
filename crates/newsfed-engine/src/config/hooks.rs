//! `[[hook]]` of `config.toml`: programs that run after refreshes and receive the result.

use super::checks::{ARGUMENT, WORD};
use super::choices::HookAfter;
use super::document::Pair;
use super::error::Report;
use super::load::elements;
use super::quote::quote;
use super::rule::{Rule, Slot};
use super::setting::{Setting, read};
use std::time::Duration;

/// Timeout of a hook without a limit of its own.
pub const HOOK_LIMIT: Duration = Duration::from_secs(60);

/// `[[hook]]`: a program that reads lines of JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookSettings {
    /// Its name in messages; unique.
    pub name: String,
    pub after: HookAfter,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// Timeout; `None` means [`HOOK_LIMIT`].
    pub limit: Option<Duration>,
}

/// The keys of a `[[hook]]`.
pub(super) const KEYS: &[Setting<HookSettings>] = &[
    Setting::new("name", WORD, |h| Slot::Text(&mut h.name)),
    Setting::new("after", Rule::OneOf(HookAfter::NAMES), |h| Slot::Choice(&mut h.after)),
    Setting::new("run", ARGUMENT, |h| Slot::Command(&mut h.run)),
    Setting::new("limit", Rule::Within(1, 10 * 60), |h| Slot::MaybeTime(&mut h.limit)),
];

/// The valid hooks. An invalid one is left out with a warning.
pub(super) fn read_all(pair: &Pair, report: &mut Report) -> Vec<HookSettings> {
    let mut hooks: Vec<HookSettings> = Vec::new();
    for (node, table) in elements(pair, report) {
        let mut hook = HookSettings::default();
        read(table, &"hook.", (KEYS, ""), &[], &mut hook, report);
        let at = |key: &str| table.iter().find(|p| p.key == key).map_or(node.at, |p| p.node.at);
        let problem = if hook.name.trim().is_empty() {
            Some(("name", "is missing".to_owned()))
        } else if hooks.iter().any(|other| other.name == hook.name) {
            Some(("name", format!("{} is the name of two hooks", quote(&hook.name))))
        } else if hook.run.is_empty() {
            Some(("run", "is missing; expected a list such as [\"program\"]".to_owned()))
        } else if !table.iter().any(|pair| pair.key == "after") {
            Some(("after", "is missing; expected \"sync\" or \"arrival\"".to_owned()))
        } else {
            None
        };
        match problem {
            Some((key, message)) => {
                let message = format!("{message}; this [[hook]] is left out");
                report.warn(at(key), &format!("hook.{key}"), message);
            }
            None => hooks.push(hook),
        }
    }
    hooks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load::check_settings;
    use std::path::Path;

    #[test]
    fn reads_and_shows_hooks_and_reports_errors() {
        let text =
            "[[hook]]\nname = \"index\"\nafter = \"arrival\"\nrun = [\"index\"]\nlimit = \"5m\"\n";
        let settings = check_settings(Path::new("config.toml"), text, &[]).unwrap().0;
        let [hook] = settings.hooks.as_slice() else { panic!("{settings:?}") };
        assert_eq!((hook.after, hook.limit), (HookAfter::Arrival, Some(Duration::from_secs(300))));
        let shown = super::super::shown::show_settings(&settings).to_string();
        assert_eq!(check_settings(Path::new(""), &shown, &[]).unwrap().0, settings);
        for (text, part) in [
            ("name = \"a\"\nafter = \"sync\"\n", "hook.run: is missing"),
            ("name = \"a\"\nrun = [\"x\"]\n", "hook.after: is missing"),
            ("after = \"sync\"\nrun = [\"x\"]\n", "hook.name: is missing"),
        ] {
            let text = format!("[[hook]]\n{text}");
            let (settings, warnings) =
                check_settings(Path::new("config.toml"), &text, &[]).unwrap();
            let found = format!("{warnings:?}");
            assert!(settings.hooks.is_empty(), "{part}: {found}");
            assert!(warnings[0].to_string().contains(part), "{part}: {found}");
        }
        for (text, part) in [
            ("name = \"a\"\nafter = \"later\"\nrun = [\"x\"]\n", "hook.after"),
            ("name = \"a\"\nafter = \"sync\"\nrun = \"x\"\n", "hook.run"),
            ("name = \"a\"\nafter = \"sync\"\nrun = [\"x\"]\nlimit = \"1h\"\n", "hook.limit"),
        ] {
            let text = format!("[[hook]]\n{text}");
            let error = check_settings(Path::new("config.toml"), &text, &[]).unwrap_err();
            assert!(error.to_string().contains(part), "{part}: {error}");
        }
    }
}

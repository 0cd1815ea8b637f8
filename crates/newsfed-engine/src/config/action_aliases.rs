//! Names that commands have in other programs, for users who type them out of habit.

use super::action::{Action, OLD_NAMES};

impl Action {
    /// The command for a name that is known from vi, similar programs, newsboat or earlier versions.
    pub fn known_as(typed: &str) -> Option<Self> {
        let of_newsboat = || Some(NEWSBOAT.iter().find(|(name, _)| *name == typed)?.1);
        let is_old = OLD_NAMES.iter().any(|(old, _)| *old == typed);
        match typed {
            "q" | "q!" | "qa" | "qa!" | "wq" | "x" => Some(Self::Quit),
            "h" => Some(Self::Help),
            "sort" => Some(Self::SortNext),
            _ if is_old => typed.parse().ok(),
            _ => of_newsboat(),
        }
    }
}

/// Operations of newsboat whose names differ, with the most similar commands.
const NEWSBOAT: &[(&str, Action)] = &[
    ("clear-tag", Action::ShowAll),
    ("cmdline", Action::Palette),
    ("edit-flags", Action::EditTags),
    ("edit-urls", Action::EditFile),
    ("end", Action::Last),
    ("goto-title", Action::Jump),
    ("goto-url", Action::OpenLink),
    ("halfpagedown", Action::HalfPageDown),
    ("halfpageup", Action::HalfPageUp),
    ("hard-quit", Action::Quit),
    ("home", Action::First),
    ("mark-all-above-as-read", Action::ReadAbove),
    ("mark-all-feeds-read", Action::ReadEverything),
    ("mark-feed-read", Action::ReadAll),
    ("next", Action::NextItem),
    ("next-unread-feed", Action::NextUnreadSource),
    ("open-in-browser", Action::Browser),
    ("open-in-browser-and-mark-read", Action::BrowserAndNext),
    ("open-in-browser-noninteractively", Action::Browser),
    ("open-search", Action::Search),
    ("pagedown", Action::PageDown),
    ("pageup", Action::PageUp),
    ("pipe-to", Action::Pipe),
    ("prev", Action::PreviousItem),
    ("prev-unread", Action::PreviousUnread),
    ("prev-unread-feed", Action::PreviousUnreadSource),
    ("reload", Action::Refresh),
    ("reload-all", Action::RefreshAll),
    ("rev-sort", Action::SortPrevious),
    ("set-filter", Action::Filter),
    ("set-tag", Action::Tag),
    ("show-urls", Action::Links),
    ("toggle-article-read", Action::ToggleRead),
    ("toggle-show-read-feeds", Action::UnreadOnly),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_other_programs_are_not_command_names() {
        for (name, action) in NEWSBOAT {
            assert_eq!(Action::known_as(name), Some(*action));
            assert!(name.parse::<Action>().is_err(), "{name}");
        }
        assert_eq!(Action::known_as("wq"), Some(Action::Quit));
        assert_eq!(Action::known_as("browser"), None);
        let error = "open-in-browser".parse::<Action>().unwrap_err().to_string();
        assert!(error.ends_with("; here, this command is \"browser\""), "{error}");
        assert!(NEWSBOAT.is_sorted_by_key(|(name, _)| *name));
    }
}

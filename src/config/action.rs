//! What a key can do: one row per action.

use std::fmt;
use std::str::FromStr;

macro_rules! actions {
    ($($name:ident, $word:literal, $help:literal;)+) => {
        /// Something a key can be bound to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $(#[doc = $help] $name,)+
        }

        impl Action {
            /// Every action there is, in the order in which the help shows them.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its name in `[keys]` and in the palette.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }

            /// What it does, in a line.
            pub fn help(self) -> &'static str {
                match self { $(Self::$name => $help,)+ }
            }
        }
    };
}

actions! {
    Down, "down", "Go down one line";
    Up, "up", "Go up one line";
    First, "first", "Go to the start";
    Last, "last", "Go to the end";
    HalfPageDown, "half-page-down", "Go down half a page";
    HalfPageUp, "half-page-up", "Go up half a page";
    PageDown, "page-down", "Go down a page";
    PageUp, "page-up", "Go up a page";
    NextPane, "next-pane", "Go to the next pane";
    PreviousPane, "previous-pane", "Go to the previous pane";
    Open, "open", "Open what is selected";
    Back, "back", "Close the top layer or go back";
    Palette, "palette", "Choose a command by name";
    Search, "search", "Search all items";
    Help, "help", "Show the keys";
    Undo, "undo", "Undo the last change";
    Redo, "redo", "Redo what was undone";
    History, "history", "Show what was changed, and go back or forth in it";
    Add, "add", "Follow a new address";
    Import, "import", "Import sources from a file";
    RefreshAll, "refresh-all", "Refresh every source";
    Refresh, "refresh", "Refresh the selected sources";
    ForceRefresh, "force-refresh", "Refresh the selected sources whatever their servers asked for";
    Edit, "edit", "Edit the source in a form";
    Workbench, "workbench", "Choose the selectors of a website on its page";
    EditFile, "edit-file", "Edit the source's entry in $EDITOR";
    Delete, "delete", "Stop following the selected sources";
    Rename, "rename", "Rename the source, folder, tag or saved query";
    Move, "move", "Move the selected sources to a folder";
    EditTags, "edit-tags", "Add tags to the selected sources or remove some";
    Switch, "switch", "Look at the selected sources no more, or again";
    MoveDown, "move-down", "Move the selected sources down in their folder";
    MoveUp, "move-up", "Move the selected sources up in their folder";
    Jump, "jump", "Go to a source, folder, tag or view by its name";
    SaveQuery, "save-query", "Save the query of the list as a view";
    Fold, "fold", "Fold or unfold the folder";
    Select, "select", "Add to the selection or take out";
    Browser, "browser", "Open in the browser";
    BrowserAndNext, "browser-and-next", "Open in the browser, mark read, go to the next";
    Pin, "pin", "Pin or unpin";
    ToggleRead, "toggle-read", "Mark read or unread";
    NextUnread, "next-unread", "Go to the next unread item";
    PreviousUnread, "previous-unread", "Go to the previous unread item";
    ReadAll, "read-all", "Mark all of the list read";
    Filter, "filter", "Filter the list as you type";
    Tag, "tag", "List the items of the sources with a tag";
    Copy, "copy", "Copy the address";
    SortNext, "sort-next", "Next sort order";
    SortPrevious, "sort-previous", "Previous sort order";
    Hints, "hints", "Choose a link or footnote on the screen by its letter";
    Links, "links", "List the links of the article";
    JumpBack, "jump-back", "Go back from a footnote";
    OpenLink, "open-link", "Open the link of the number that begins with the digit";
    Comments, "comments", "Open the comments in the browser";
    Find, "find", "Find in the text";
    FullText, "full-text", "Fetch the full text; again: another way to it";
    Difference, "difference", "Show what changed since the earlier version, or no longer";
    Prefetch, "prefetch", "Fetch the pages of pinned and unread items ahead";
    Zen, "zen", "Show the article alone";
    ScrollRight, "scroll-right", "Show more of code and tables that are too wide";
    ScrollLeft, "scroll-left", "Go back to the left, and then to the pane there";
    Narrower, "narrower", "Make the text column narrower";
    Wider, "wider", "Make the text column wider";
    Pipe, "pipe", "Pipe the article to a command";
    StopExploring, "stop-exploring", "Stop exploring the site; what was found stays";
    Why, "why", "Show why the source is polled when it is";
    Log, "log", "Show what failed and why";
    Theme, "theme", "Next theme";
    Settings, "settings", "Change the settings";
    Set, "set", "Set one setting: its key and its value";
    Keys, "keys", "Change the keys";
    Redraw, "redraw", "Draw the screen again";
    Suspend, "suspend", "Suspend to the shell";
    Quit, "quit", "Quit";
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownAction(String);

impl FromStr for Action {
    type Err = UnknownAction;

    fn from_str(name: &str) -> Result<Self, UnknownAction> {
        Self::ALL.iter().copied().find(|a| a.name() == name).ok_or_else(|| {
            let names = Self::ALL.iter().map(|a| a.name()).chain(["none"]);
            let hint = super::error::did_you_mean(name, names);
            let name = super::quote::quote(name);
            UnknownAction(format!("expected the name of an action or \"none\", found {name}{hint}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_misspelt_ones_are_suggested() {
        for action in Action::ALL {
            assert_eq!(action.name().parse(), Ok(*action));
            assert!(!action.help().is_empty());
        }
        let error = "page-dwon".parse::<Action>().unwrap_err().to_string();
        assert!(error.contains("did you mean \"page-down\""), "{error}");
    }
}

//! The commands that keys can be bound to: one row per command.

use std::fmt;
use std::str::FromStr;

macro_rules! actions {
    ($($name:ident, $word:literal, $help:literal;)+) => {
        /// A command that a key can be bound to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $(#[doc = $help] $name,)+
        }

        impl Action {
            /// Every command, in the order of the help.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its name in `[keys]` and in the palette.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }

            /// What it does, in one line.
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
    Open, "open", "Open the selected row";
    Back, "back", "Close the dialog or go back";
    Palette, "palette", "Run a command by name";
    Search, "search", "Search all items";
    Help, "help", "Show the key bindings";
    Undo, "undo", "Undo the last change";
    Redo, "redo", "Redo the last undone change";
    History, "history", "List the changes, to undo or redo several";
    Add, "add", "Follow a new URL";
    Import, "import", "Import sources from a file";
    RefreshAll, "refresh-all", "Refresh all sources";
    Refresh, "refresh", "Refresh the selected sources";
    ForceRefresh, "force-refresh", "Refresh the selected sources even if they are paused";
    Edit, "edit", "Edit the source in a form";
    Workbench, "workbench", "Edit the selectors of a website on its page";
    EditFile, "edit-file", "Edit the source's entry in $EDITOR";
    Delete, "delete", "Remove the selected sources";
    Rename, "rename", "Rename the source, folder, tag or view";
    Move, "move", "Move the selected sources to a folder";
    EditTags, "edit-tags", "Add or remove tags of the selected sources";
    Switch, "switch", "Enable or disable the selected sources";
    MoveDown, "move-down", "Move the selected sources down in their folder";
    MoveUp, "move-up", "Move the selected sources up in their folder";
    Jump, "jump", "Go to a source, folder, tag or view by name";
    SaveView, "save-view", "Save the query of the list as a view";
    Fold, "fold", "Fold or unfold the folder";
    Select, "select", "Add to the selection or remove from it";
    Browser, "browser", "Open in the browser";
    BrowserAndNext, "browser-and-next", "Open in the browser, mark read, next item";
    Pin, "pin", "Pin or unpin";
    ToggleRead, "toggle-read", "Mark read or unread";
    NextUnread, "next-unread", "Go to the next unread item";
    PreviousUnread, "previous-unread", "Go to the previous unread item";
    ReadAll, "read-all", "Mark all items of the list read";
    Filter, "filter", "Filter the list as you type";
    Tag, "tag", "List the items of the sources with a tag";
    Copy, "copy", "Copy the URL";
    SortNext, "sort-next", "Next sort order";
    SortPrevious, "sort-previous", "Previous sort order";
    Hints, "hints", "Choose a link or footnote on the screen by its letter";
    Links, "links", "List the links of the article";
    JumpBack, "jump-back", "Go back from a footnote";
    OpenLink, "open-link", "Open a link by its number";
    Comments, "comments", "Open the comments in the browser";
    FollowComments, "follow-comments", "Follow the comments on the item as a source";
    Find, "find", "Find in the text";
    FullText, "full-text", "Fetch the full text; again: another text, such as the feed's";
    Difference, "difference", "Show or hide the changes since the earlier version";
    OlderChange, "older-change", "In the changes: show those of the version before";
    NewerChange, "newer-change", "In the changes: show those of the version after";
    Prefetch, "prefetch", "Fetch the full text of pinned and unread items";
    Zen, "zen", "Show the article alone";
    ScrollRight, "scroll-right", "Scroll wide code and tables to the right";
    ScrollLeft, "scroll-left", "Scroll back to the left, then go to the pane there";
    Narrower, "narrower", "Make the text column narrower";
    Wider, "wider", "Make the text column wider";
    Pipe, "pipe", "Pipe the article to a command";
    StopCrawl, "stop-crawl", "Stop the crawl; items found so far are kept";
    Why, "why", "Explain when the source is checked, and why";
    Log, "log", "Show the log: failed polls and repaired feeds";
    Theme, "theme", "Next theme";
    Settings, "settings", "Change the settings";
    Set, "set", "Change one setting by its key";
    Keys, "keys", "Change the key bindings";
    Redraw, "redraw", "Redraw the screen";
    Suspend, "suspend", "Suspend to the shell";
    Quit, "quit", "Quit";
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownAction(String);

impl FromStr for Action {
    type Err = UnknownAction;

    fn from_str(name: &str) -> Result<Self, UnknownAction> {
        let current = match name {
            // Names of earlier versions.
            "save-query" => "save-view",
            "stop-exploring" => "stop-crawl",
            name => name,
        };
        Self::ALL.iter().copied().find(|a| a.name() == current).ok_or_else(|| {
            let names = Self::ALL.iter().map(|a| a.name()).chain(["none"]);
            let hint = super::error::did_you_mean(name, names);
            let name = super::quote::quote(name);
            UnknownAction(format!("expected the name of a command or \"none\", found {name}{hint}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_and_suggests_similar_ones() {
        for action in Action::ALL {
            assert_eq!(action.name().parse(), Ok(*action));
            assert!(!action.help().is_empty());
        }
        for (former, action) in
            [("save-query", Action::SaveView), ("stop-exploring", Action::StopCrawl)]
        {
            assert_eq!(former.parse(), Ok(action));
        }
        let error = "page-dwon".parse::<Action>().unwrap_err().to_string();
        assert!(error.contains("did you mean \"page-down\""), "{error}");
    }
}

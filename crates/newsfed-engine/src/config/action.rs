//! The commands that keys can be bound to: one row per command, grouped by task. The help, the
//! hints, the key popup and the palette all use this table.

use std::fmt;
use std::str::FromStr;

/// The tasks that commands belong to: the groups in the help and the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    Move,
    Go,
    Items,
    Find,
    Article,
    Listen,
    Sources,
    Refresh,
    Program,
}

impl Task {
    /// The heading of the group.
    pub fn title(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Go => "Go to",
            Self::Items => "Items",
            Self::Find => "Find",
            Self::Article => "Article",
            Self::Listen => "Listen",
            Self::Sources => "Sources",
            Self::Refresh => "Refresh",
            Self::Program => "Program",
        }
    }
}

macro_rules! actions {
    ($($task:ident { $($name:ident, $word:literal, $label:literal, $help:literal;)+ })+) => {
        /// A command that a key can be bound to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $($(#[doc = $help] $name,)+)+
            /// Commands with arguments, as an index into the lines of the loaded key map.
            Lines(u16),
        }

        impl Action {
            /// Every command except [`Action::Lines`], by task, in the order of the help.
            pub const ALL: &[Self] = &[$($(Self::$name,)+)+];

            /// Its name in `[keys]` and in the palette.
            pub fn name(self) -> &'static str {
                match self { $($(Self::$name => $word,)+)+ Self::Lines(_) => "several commands" }
            }

            /// Its effect in a few words, for hints.
            pub fn label(self) -> &'static str {
                match self { $($(Self::$name => $label,)+)+ Self::Lines(_) => "several commands" }
            }

            /// Its effect in one line.
            pub fn help(self) -> &'static str {
                match self { $($(Self::$name => $help,)+)+ Self::Lines(_) => "Run several commands" }
            }

            pub fn task(self) -> Task {
                match self { $($(Self::$name => Task::$task,)+)+ Self::Lines(_) => Task::Program }
            }
        }
    };
}

actions! {
    Move {
        Down, "down", "down", "Go down one line";
        Up, "up", "up", "Go up one line";
        HalfPageDown, "half-page-down", "half a page down", "Go down half a page";
        HalfPageUp, "half-page-up", "half a page up", "Go up half a page";
        PageDown, "page-down", "page", "Go down a page";
        PageUp, "page-up", "page up", "Go up a page";
        NextPane, "next-pane", "next pane", "Go to the next pane";
        PreviousPane, "previous-pane", "previous pane", "Go to the previous pane";
        Open, "open", "open", "Open the selected row";
        Back, "back", "back", "Close the dialog or go back";
    }
    Go {
        First, "first", "top", "Go to the start";
        Last, "last", "end", "Go to the end";
        ShowUnread, "show-unread", "All unread", "List all unread items";
        ShowToday, "show-today", "Today", "List today's items";
        ShowPinned, "show-pinned", "Pinned", "List the pinned items";
        ShowNew, "show-new", "new since last time", "List the items that arrived since your last session";
        ShowLater, "show-later", "Later", "List the items kept for later";
        Queue, "queue", "queue", "Show the queue of episodes, and what is playing";
        ShowAll, "show-all", "All items", "List all items";
        GoSources, "go-sources", "sources", "Go to the Sources pane";
        GoItems, "go-items", "items", "Go to the Items pane";
        GoReader, "go-reader", "reader", "Go to the Reader";
        Downloads, "downloads", "downloads", "Show the downloads: open, resume, stop and remove them";
        Crawls, "crawls", "crawls", "Show the crawls: watch, stop and resume them, and open what they found";
    }
    Items {
        NextUnread, "next-unread", "next unread", "Go to the next unread item";
        PreviousUnread, "previous-unread", "previous unread", "Go to the previous unread item";
        NextUnreadSource, "next-unread-source", "next source", "Go to the next source with unread items";
        PreviousUnreadSource, "previous-unread-source", "previous source", "Go to the previous source with unread items";
        NextItem, "next-item", "next item", "Go to the next item, read or not";
        PreviousItem, "previous-item", "previous item", "Go to the previous item, read or not";
        ToggleRead, "toggle-read", "mark read", "Mark read or unread";
        MarkRead, "mark-read", "mark as read", "Mark the items as read";
        MarkUnread, "mark-unread", "mark as unread", "Mark the items as unread";
        Pin, "pin", "pin", "Pin or unpin";
        Later, "later", "later", "Keep the items for later, or stop keeping them";
        Hide, "hide", "hide", "Add a rule that hides, marks, pins or tags items like this one";
        Snooze, "snooze", "snooze", "Snooze: hide until a chosen time";
        FoldStories, "fold-stories", "stories once", "List each story once, or all of its items";
        ReadAll, "read-all", "mark all read", "Mark all items in the list as read";
        ReadEverything, "read-everything", "mark everything read", "Mark all items of all sources as read";
        ReadAbove, "read-above", "mark above read", "Mark the items above as read";
        ReadBelow, "read-below", "mark below read", "Mark the items below as read";
        ReadMatching, "read", "mark matches read", "Mark all items matching a query as read";
        ReadFor, "read-for", "read for", "List the best unread items for the time you have";
        UnreadOnly, "unread-only", "unread only", "Hide read items, or show them again";
        Select, "select", "select", "Select or deselect the row, and go down";
        ExtendSelection, "extend-selection", "range", "Select the items from the nearest selected one to this one";
        SelectAll, "select-all", "all", "Select all items in the list";
        SelectInverse, "select-inverse", "inverse", "Invert the selection";
        SelectNone, "select-none", "none", "Clear the selection";
        Browser, "browser", "browser", "Open in the browser";
        BrowserAndNext, "browser-and-next", "browser, next", "Open in the browser, mark read, go to the next item";
        Copy, "copy", "copy URL", "Copy the URL";
        CopyMarkdown, "copy-markdown", "copy Markdown", "Copy the selected items as Markdown";
        Save, "save", "save to a file", "Save the selected items as Markdown, HTML or EPUB";
        Comments, "comments", "comments", "Open the comments in the browser";
        FollowComments, "follow-comments", "follow comments", "Follow the comments on the item as a source";
        Enclosure, "enclosure", "enclosure", "Open the enclosure, or choose one of several";
        Download, "download", "download", "Download the enclosure, or choose one of several";
        StopRunning, "stop-running", "stop running", "Stop the running downloads, programs and saves";
    }
    Find {
        Search, "search", "search", "Search all items";
        Filter, "filter", "filter", "Find items in the list as you type";
        Find, "find", "find", "Find words in the text";
        Tag, "tag", "tag", "List the items with a tag";
        Jump, "jump", "go to", "Find a source, folder, tag or view by its name";
        SaveView, "save-view", "save view", "Save the query of the list as a view";
        SortNext, "sort-next", "next order", "Switch to the next sort order";
        SortPrevious, "sort-previous", "previous order", "Switch to the previous sort order";
    }
    Article {
        FullText, "full-text", "full text", "Fetch the full text, or show another text, such as the feed's";
        Hints, "hints", "links", "Choose a link or footnote on the screen by its letter";
        CopyCode, "copy-code", "copy code", "Copy a block of code on the screen";
        Links, "links", "list of links", "List the links of the article";
        OpenLink, "open-link", "open link", "Open a link by its number";
        JumpBack, "jump-back", "back from jump", "Go back from a footnote or link";
        Headings, "headings", "headings", "List the headings of the article";
        NextHeading, "next-heading", "next heading", "Go to the next heading";
        PreviousHeading, "previous-heading", "previous heading", "Go to the previous heading";
        Difference, "difference", "changes", "Show or hide the changes since the previous version";
        OlderChange, "older-change", "older version", "Show the changes in the previous version";
        NewerChange, "newer-change", "newer version", "Show the changes in the next version";
        Zen, "zen", "zen", "Show the article alone";
        ScrollRight, "scroll-right", "scroll right", "Scroll wide code to the right";
        ScrollLeft, "scroll-left", "scroll left", "Scroll back to the left, or go to the pane on the left";
        Pictures, "pictures", "pictures", "Show or hide the pictures of the article";
        WrapCode, "wrap-code", "wrap code", "Wrap or cut long lines of code";
        Narrower, "narrower", "narrower", "Make the text column narrower";
        Wider, "wider", "wider", "Make the text column wider";
        Pipe, "pipe", "pipe", "Pipe the article to a command";
        Run, "run", "run", "Run a program of your own on the selected items";
        Prefetch, "prefetch", "prefetch", "Fetch the full text of pinned and unread items";
    }
    Listen {
        Enqueue, "enqueue", "add to queue", "Add the audio or video of the selected items to the queue";
        PlayPause, "play-pause", "play or pause", "Play the queue, pause, or resume";
        SeekForward, "seek-forward", "forward", "Skip forward in the episode";
        SeekBack, "seek-back", "back", "Skip back in the episode";
        NextEpisode, "next-episode", "next episode", "Play the next episode of the queue";
    }
    Sources {
        Add, "add", "add", "Follow a new URL";
        Crawl, "crawl", "crawl a website", "Crawl a website: collect its articles, data or other files in a folder";
        Starters, "starters", "starter sources", "Choose from well-known sources";
        Import, "import", "import", "Import sources from a file, or follow a list";
        Export, "export", "export", "Export sources and views as an OPML file";
        AcceptList, "accept-list", "accept list", "Remove the sources that are no longer in the followed list";
        Edit, "edit", "edit", "Edit the source in a form";
        Workbench, "workbench", "selectors", "Edit the selectors of a website next to its page";
        EditFile, "edit-file", "edit file", "Edit the source's entry in $EDITOR";
        Rename, "rename", "rename", "Rename the source, folder, tag or view";
        Move, "move", "move", "Move the selected sources to a folder";
        EditTags, "edit-tags", "tags", "Add tags to the selected items or sources, or remove tags";
        Switch, "switch", "on or off", "Enable or disable the selected sources";
        Delete, "delete", "remove", "Remove the selected sources";
        MoveDown, "move-down", "move down", "Move the selected sources down in their folder";
        MoveUp, "move-up", "move up", "Move the selected sources up in their folder";
        FoldIn, "fold-in", "fold", "Fold the folder, or go to the parent folder";
        FoldOut, "fold-out", "unfold", "Unfold the folder, or open the row";
        Fold, "fold", "fold or unfold", "Fold or unfold the folder";
    }
    Refresh {
        RefreshAll, "refresh-all", "refresh all", "Refresh all sources";
        Refresh, "refresh", "refresh", "Refresh the selected sources";
        ForceRefresh, "force-refresh", "force refresh", "Refresh the selected sources even if they are paused";
        Progress, "progress", "progress", "Show the progress of the refresh, or the last checks of all sources";
        StopCrawl, "stop-crawl", "stop crawl", "Stop the crawl; items found so far are kept";
        Why, "why", "schedule", "Explain when the source is checked, and why";
        Log, "log", "log", "Show the log: failed checks and repaired feeds";
        Stats, "stats", "statistics", "Show statistics: what sources publish, and how much of it you read";
    }
    Program {
        Palette, "palette", "commands", "Run a command by name";
        Help, "help", "help", "Show the key bindings";
        Undo, "undo", "undo", "Undo the last change";
        Redo, "redo", "redo", "Redo the last undone change";
        History, "history", "history", "List the changes, to undo or redo several";
        Rules, "rules", "rules", "Show the rules, what they did, and the items that they match";
        Settings, "settings", "settings", "Change the settings";
        Set, "set", "set", "Change one setting by its name";
        Theme, "theme", "theme", "Choose a theme, with a live preview";
        Keys, "keys", "key bindings", "Change the key bindings";
        Demo, "demo", "demo", "Try newsfed on fictional sites; your own data stays as it is";
        SourcesPane, "sources-pane", "Sources pane", "Hide the Sources pane, or show it again";
        Density, "density", "list density", "Change the list density: automatic, compact, comfortable or magazine";
        Redraw, "redraw", "redraw", "Redraw the screen";
        Suspend, "suspend", "suspend", "Suspend to the shell";
        Quit, "quit", "quit", "Quit newsfed";
    }
}

impl Action {
    /// Whether it changes many items or sources at once, so typing two letters must not be enough to run it.
    pub fn is_sweeping(self) -> bool {
        let reads =
            matches!(self, Self::ReadAll | Self::ReadAbove | Self::ReadBelow | Self::ReadMatching);
        let reads = reads || self == Self::ReadEverything;
        reads || matches!(self, Self::Delete | Self::AcceptList)
    }

    /// Additional words that users may search for.
    pub fn search_words(self) -> &'static str {
        match self {
            Self::Add => "subscribe podcast mail newsletter mailbox program file filter website",
            Self::Search => "find query everything",
            Self::Find => "search article grep",
            Self::Filter => "search narrow",
            Self::Jump => "search switch source",
            Self::SortNext | Self::SortPrevious => "newest oldest relevance best match",
            Self::Hints | Self::Links | Self::OpenLink => "follow url",
            Self::Browser | Self::BrowserAndNext => "url page web",
            Self::Copy | Self::CopyMarkdown => "clipboard yank share link",
            Self::CopyCode => "clipboard yank snippet program",
            Self::ToggleRead | Self::MarkRead | Self::MarkUnread => "seen new",
            Self::ReadAll => "catch up everything",
            Self::Refresh | Self::RefreshAll => "reload update sync",
            Self::ForceRefresh => "reload update sync now",
            Self::Snooze => "remind postpone tomorrow",
            Self::Select | Self::ExtendSelection | Self::SelectAll => "several many bulk",
            Self::Comments | Self::FollowComments => "discussion replies",
            Self::Difference | Self::OlderChange | Self::NewerChange => "diff history",
            Self::Pictures => "images photos",
            Self::WrapCode => "soft lines",
            Self::Narrower | Self::Wider => "width margin",
            Self::Stats => "charts numbers activity",
            Self::Edit => "properties settings configure change",
            Self::Rename => "title name",
            Self::Switch => "pause disable deactivate",
            Self::EditTags | Self::Tag => "labels",
            Self::Prefetch => "offline",
            Self::Undo => "revert restore",
            Self::Redo => "repeat",
            Self::Palette => "menu run",
            Self::Enqueue | Self::Queue | Self::PlayPause => "podcast listen audio video player",
            Self::Enclosure | Self::Download => "podcast audio video attachment",
            Self::Downloads => "podcast files",
            Self::Run => "program script command plugin external",
            Self::Pipe => "program script shell",
            Self::Keys => "macro shortcut remap keyboard",
            Self::Rules => "notify notification message alert automatic killfile",
            Self::Import => "opml newsboat subscriptions",
            Self::Export => "subscriptions backup save share",
            Self::Hide => "mute block ignore killfile rule",
            Self::NextUnreadSource | Self::PreviousUnreadSource => "feed",
            Self::Later => "bookmark queue",
            Self::Pin => "star favourite favorite bookmark",
            Self::Save => "export print file",
            Self::Crawl => "scrape spider archive",
            Self::Workbench => "css scrape website",
            Self::Log => "errors failures",
            Self::Why => "interval poll check",
            Self::Delete => "delete unsubscribe unfollow",
            Self::UnreadOnly => "hide read",
            Self::SourcesPane => "sidebar width narrow titles",
            Self::Density => "rows layout summary thumbnails",
            Self::FoldStories => "duplicates",
            Self::Zen => "focus fullscreen",
            Self::Theme => "colours colors dark light",
            Self::Move => "category",
            Self::Progress => "status",
            Self::FullText => "page readability",
            Self::Headings => "table of contents outline toc sections chapters",
            Self::SaveView => "smart folder",
            Self::Settings => "preferences options configuration layout machine",
            Self::StopRunning => "cancel abort kill",
            Self::Help => "manual keys",
            Self::Quit => "exit",
            _ => "",
        }
    }

    /// Whether each of these lower-case words is a prefix of a word in the label or the search words.
    pub fn is_searched_by(self, words: &[&str]) -> bool {
        is_searched_by(&format!("{} {}", self.label(), self.search_words()), words)
    }
}

pub(super) fn is_searched_by(all: &str, words: &[&str]) -> bool {
    let begins = |word: &&str| all.split(' ').any(|part| begins_as(part, word));
    !words.is_empty() && words.iter().all(begins)
}

/// Whether a word begins with the typed text, or the typed text is its plural.
pub fn begins_as(part: &str, typed: &str) -> bool {
    part.starts_with(typed) || typed.len() > 3 && typed.strip_suffix('s') == Some(part)
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownAction(String);

/// Command names of earlier versions, with the current names.
pub(super) const OLD_NAMES: [(&str, &str); 4] = [
    ("save-query", "save-view"),
    ("stop-exploring", "stop-crawl"),
    ("mute", "hide"),
    ("cancel-running", "stop-running"),
];

impl FromStr for Action {
    type Err = UnknownAction;

    fn from_str(name: &str) -> Result<Self, UnknownAction> {
        let renamed = OLD_NAMES.iter().find(|(old, _)| *old == name);
        let current = renamed.map_or(name, |(_, current)| current);
        Self::ALL.iter().copied().find(|a| a.name() == current).ok_or_else(|| {
            let names = Self::ALL.iter().map(|a| a.name()).chain(["none"]);
            let hint = match Self::known_as(name) {
                Some(action) => format!("; here, this command is \"{}\"", action.name()),
                None => super::error::did_you_mean(name, names),
            };
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
        for (former, action) in [
            ("save-query", Action::SaveView),
            ("stop-exploring", Action::StopCrawl),
            ("cancel-running", Action::StopRunning),
        ] {
            assert_eq!(former.parse(), Ok(action));
        }
        let error = "page-dwon".parse::<Action>().unwrap_err().to_string();
        assert!(error.contains("did you mean \"page-down\""), "{error}");
    }
}

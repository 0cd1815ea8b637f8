//! Settings with a few possible values.

/// The values of a setting and their names.
macro_rules! names {
    ($of:ident { $($value:ident = $name:literal,)+ }) => {
        impl $of {
            pub const ALL: &[Self] = &[$(Self::$value,)+];
            /// The names in settings, in the order of `ALL`.
            pub const NAMES: &[&str] = &[$($name,)+];

            /// The name in settings.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }
        }
    };
}

/// When an item is marked read automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MarkRead {
    /// When it is opened.
    #[default]
    Open,
    /// When it is opened, or the Reader has shown it for a while.
    Preview,
    /// When it is opened, or the user moves on from it.
    Scroll,
    Never,
}

names!(MarkRead {
    Open = "open",
    Preview = "preview",
    Scroll = "scroll",
    Never = "never",
});

/// Whether the theme or the terminal sets the background colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Background {
    #[default]
    Theme,
    /// The terminal, which may be transparent.
    Terminal,
}

names!(Background {
    Theme = "theme",
    Terminal = "terminal",
});

/// How items are drawn in lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ListStyle {
    /// Comfortable if the list is narrow, else compact.
    #[default]
    Auto,
    /// One row per item.
    Compact,
    /// Two rows: the second with the source and the summary.
    Comfortable,
    /// Title, two rows of summary, and a row with the source.
    Magazine,
}

// In the order that a key cycles through.
names!(ListStyle {
    Auto = "auto",
    Compact = "compact",
    Comfortable = "comfortable",
    Magazine = "magazine",
});

/// How pictures are sent to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GraphicsMode {
    /// The best mode that the terminal reports.
    #[default]
    Auto,
    Kitty,
    Sixel,
    Iterm2,
    /// Half blocks, which work in every terminal with enough colours.
    Blocks,
}

names!(GraphicsMode {
    Auto = "auto",
    Kitty = "kitty",
    Sixel = "sixel",
    Iterm2 = "iterm2",
    Blocks = "blocks",
});

/// How the interface shows notifications to a user who may be elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NotifyWay {
    /// The bell of the terminal.
    #[default]
    Bell,
    /// The escape sequence OSC 9, as in iTerm2.
    Osc9,
    /// OSC 99, as in kitty.
    Osc99,
    /// OSC 777, as in urxvt, foot, WezTerm and ghostty.
    Osc777,
    /// The notification service of the desktop, if the program was built with support for it.
    Desktop,
    Command,
    None,
}

names!(NotifyWay {
    Bell = "bell",
    Osc9 = "osc9",
    Osc99 = "osc99",
    Osc777 = "osc777",
    Desktop = "desktop",
    Command = "command",
    None = "none",
});

/// Order of the items in lists.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum SortOrder {
    /// Pinned items first, then newest first.
    #[default]
    PinnedNewest,
    Newest,
    Oldest,
    /// In searches by words, the best matches first. Other lists are ordered as in [`Self::PinnedNewest`].
    Best,
}

impl SortOrder {
    /// The label on the screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::PinnedNewest => "pinned, then newest",
            Self::Newest => "newest first",
            Self::Oldest => "oldest first",
            Self::Best => "best match first",
        }
    }
}

// In the order that a key cycles through.
names!(SortOrder {
    PinnedNewest = "pinned-newest",
    Newest = "newest",
    Oldest = "oldest",
    Best = "best",
});

/// The columns next to the titles of items.
pub const COLUMNS: &[&str] = &["stories", "comments", "source", "minutes", "date"];

/// How the dates of items are shown in lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DateStyle {
    /// The age, as in `3h`.
    #[default]
    Age,
    /// The day, as in `12 Nov`.
    Date,
    /// Day and time, as in `12 Nov 14:05`.
    Time,
}

names!(DateStyle {
    Age = "age",
    Date = "date",
    Time = "time",
});

/// What separates the items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grouping {
    /// Headings for days, weeks and months.
    #[default]
    Day,
    /// The items of each source together, below its title.
    Source,
    None,
}

names!(Grouping {
    Day = "day",
    Source = "source",
    None = "none",
});

/// The input of a user's command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CommandInput {
    #[default]
    None,
    /// The text of the item without markup.
    Text,
    Markdown,
    Html,
    /// The item as one line of JSON.
    Json,
}

names!(CommandInput {
    None = "none",
    Text = "text",
    Markdown = "markdown",
    Html = "html",
    Json = "json",
});

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HookAfter {
    /// After a refresh.
    #[default]
    Sync,
    /// After a refresh that found new items.
    Arrival,
}

names!(HookAfter {
    Sync = "sync",
    Arrival = "arrival",
});

/// What happens to the output of a user's command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CommandOutput {
    #[default]
    None,
    /// A window shows it.
    Window,
    /// The command has the terminal until it exits.
    Terminal,
}

names!(CommandOutput {
    None = "none",
    Window = "window",
    Terminal = "terminal",
});

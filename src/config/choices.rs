//! Settings with a few possible values.

/// When an item is marked read by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MarkRead {
    /// When it is opened.
    #[default]
    Open,
    /// Also when the Reader has shown it for a while.
    Preview,
    /// Also when the selection moves on from it.
    Scroll,
    Never,
}

impl MarkRead {
    pub const ALL: [Self; 4] = [Self::Open, Self::Preview, Self::Scroll, Self::Never];
    /// Their names in settings, in the order of [`MarkRead::ALL`].
    pub const NAMES: &[&str] = &["open", "preview", "scroll", "never"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Preview => "preview",
            Self::Scroll => "scroll",
            Self::Never => "never",
        }
    }
}

/// Who paints the surfaces of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Background {
    #[default]
    Theme,
    /// The terminal, which may be transparent.
    Terminal,
}

impl Background {
    pub const ALL: [Self; 2] = [Self::Theme, Self::Terminal];
    /// Their names in settings, in the order of [`Background::ALL`].
    pub const NAMES: &[&str] = &["theme", "terminal"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Theme => "theme",
            Self::Terminal => "terminal",
        }
    }
}

/// How items are drawn in lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ListStyle {
    /// Comfortable where the list is narrow, else compact.
    #[default]
    Auto,
    /// A row per item.
    Compact,
    /// Two rows: the second with the source and the summary.
    Comfortable,
    /// Title, two rows of summary, and a row with the source.
    Magazine,
}

impl ListStyle {
    /// Every style, in the order in which a key goes through them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Compact, Self::Comfortable, Self::Magazine];
    /// Their names in settings, in the order of [`ListStyle::ALL`].
    pub const NAMES: &[&str] = &["auto", "compact", "comfortable", "magazine"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Compact => "compact",
            Self::Comfortable => "comfortable",
            Self::Magazine => "magazine",
        }
    }
}

/// How the terminal is given pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GraphicsMode {
    /// The best that the terminal reports.
    #[default]
    Auto,
    Kitty,
    Sixel,
    Iterm2,
    /// Half blocks, which every terminal with enough colours has.
    Blocks,
}

impl GraphicsMode {
    pub const ALL: [Self; 5] = [Self::Auto, Self::Kitty, Self::Sixel, Self::Iterm2, Self::Blocks];
    /// Their names in settings, in the order of [`GraphicsMode::ALL`].
    pub const NAMES: &[&str] = &["auto", "kitty", "sixel", "iterm2", "blocks"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Kitty => "kitty",
            Self::Sixel => "sixel",
            Self::Iterm2 => "iterm2",
            Self::Blocks => "blocks",
        }
    }
}

/// How the interface shows messages of rules to a user who may be elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NotifyWay {
    /// The bell of the terminal.
    #[default]
    Bell,
    /// The sequence OSC 9, as iTerm2 reads it.
    Osc9,
    /// OSC 99, as kitty reads it.
    Osc99,
    /// OSC 777, as urxvt, foot, WezTerm and ghostty read it.
    Osc777,
    Command,
    None,
}

impl NotifyWay {
    pub const ALL: [Self; 6] =
        [Self::Bell, Self::Osc9, Self::Osc99, Self::Osc777, Self::Command, Self::None];
    /// Their names in settings, in the order of [`NotifyWay::ALL`].
    pub const NAMES: &[&str] = &["bell", "osc9", "osc99", "osc777", "command", "none"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bell => "bell",
            Self::Osc9 => "osc9",
            Self::Osc99 => "osc99",
            Self::Osc777 => "osc777",
            Self::Command => "command",
            Self::None => "none",
        }
    }
}

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
}

impl SortOrder {
    /// The label on the screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::PinnedNewest => "pinned first",
            Self::Newest => "newest first",
            Self::Oldest => "oldest first",
        }
    }
}

impl SortOrder {
    /// Every order, in the order in which a key goes through them.
    pub const ALL: [Self; 3] = [Self::PinnedNewest, Self::Newest, Self::Oldest];
    /// Their names in settings, in the order of [`SortOrder::ALL`].
    pub const NAMES: &[&str] = &["pinned-newest", "newest", "oldest"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::PinnedNewest => "pinned-newest",
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }
}

/// The columns beside the titles of items.
pub const COLUMNS: &[&str] = &["stories", "comments", "source", "minutes", "date"];

/// How the dates of items are shown in lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DateStyle {
    /// How long ago, as in `3h`.
    #[default]
    Age,
    /// The day, as in `12 Nov`.
    Date,
    /// Day and time, as in `12 Nov 14:05`.
    Time,
}

impl DateStyle {
    pub const ALL: [Self; 3] = [Self::Age, Self::Date, Self::Time];
    /// Their names in settings, in the order of [`DateStyle::ALL`].
    pub const NAMES: &[&str] = &["age", "date", "time"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Date => "date",
            Self::Time => "time",
        }
    }
}

/// What separates the items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grouping {
    /// Headings of days, weeks and months.
    #[default]
    Day,
    /// The items of a source stand together, below its title.
    Source,
    None,
}

impl Grouping {
    pub const ALL: [Self; 3] = [Self::Day, Self::Source, Self::None];
    /// Their names in settings, in the order of [`Grouping::ALL`].
    pub const NAMES: &[&str] = &["day", "source", "none"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Source => "source",
            Self::None => "none",
        }
    }
}

/// What a command of the user reads.
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

impl CommandInput {
    pub const ALL: [Self; 5] = [Self::None, Self::Text, Self::Markdown, Self::Html, Self::Json];
    /// Their names in settings, in the order of [`CommandInput::ALL`].
    pub const NAMES: &[&str] = &["none", "text", "markdown", "html", "json"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Json => "json",
        }
    }
}

/// What becomes of the output of a command of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CommandOutput {
    #[default]
    None,
    /// A window shows it.
    Window,
    /// It has the terminal until it ends.
    Terminal,
}

impl CommandOutput {
    pub const ALL: [Self; 3] = [Self::None, Self::Window, Self::Terminal];
    /// Their names in settings, in the order of [`CommandOutput::ALL`].
    pub const NAMES: &[&str] = &["none", "window", "terminal"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Window => "window",
            Self::Terminal => "terminal",
        }
    }
}

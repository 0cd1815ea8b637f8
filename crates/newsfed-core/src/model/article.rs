//! The text of an item: when its page is fetched for the full text, and where the text comes from.

/// When the full text of items is fetched from their pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FullText {
    /// Only when the user requests it for an item.
    Never,
    /// When an item is opened.
    #[default]
    OnOpen,
    /// When an item is opened, and in advance when it is pinned.
    Pinned,
    /// In advance for the items of the last week, and when other items are opened.
    All,
}

impl FullText {
    /// The names in the settings, in the order of [`Self::ALL`].
    pub const NAMES: &[&str] = &["never", "on-open", "pinned", "all"];
    pub const ALL: [Self; 4] = [Self::Never, Self::OnOpen, Self::Pinned, Self::All];

    pub fn named(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|n| *n == name)?;
        Self::ALL.get(at).copied()
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::OnOpen => "on-open",
            Self::Pinned => "pinned",
            Self::All => "all",
        }
    }

    /// Whether the full text is fetched and refreshed before the item is opened.
    pub fn is_ahead(self, pinned: bool) -> bool {
        match self {
            Self::Never | Self::OnOpen => false,
            Self::Pinned => pinned,
            Self::All => true,
        }
    }
}

/// Where the text of an item comes from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum TextFrom {
    /// The feed.
    #[default]
    Feed,
    /// The page alone.
    Page,
    /// The page, located with the help of the feed's text.
    Guided,
    /// The page, using the template shared by the pages of its site.
    Site,
    /// The structured data of the page.
    Data,
    /// The part of the page that the selectors match, or its whole content.
    Selected,
    /// A data file: its changes and its content.
    File,
}

impl TextFrom {
    /// A description of the origin for the header of an article.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Feed => "from the feed",
            Self::Page => "from the page",
            Self::Guided => "from the page, located by the feed's text",
            Self::Site => "from the page, using the site's layout",
            Self::Data => "from the page's structured data",
            Self::Selected => "from part of the page",
            Self::File => "from the data file",
        }
    }
}

/// The ways to extract the text of an item that the user can select, in the order in which a key cycles
/// through them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum TextWay {
    /// The page, using everything known about its site.
    #[default]
    Best,
    /// The page alone.
    Page,
    /// The page, located with the help of the feed's text.
    Guided,
    /// The text in the feed.
    Feed,
}

impl TextWay {
    pub fn next(self) -> Self {
        match self {
            Self::Best => Self::Page,
            Self::Page => Self::Guided,
            Self::Guided => Self::Feed,
            Self::Feed => Self::Best,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for (value, name) in FullText::ALL.into_iter().zip(FullText::NAMES) {
            assert_eq!((value.name(), FullText::named(name)), (*name, Some(value)));
        }
        assert_eq!(FullText::named("always"), None);
    }
}

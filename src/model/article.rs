//! The text of an item: whether its page is asked for it, and where it comes from.

/// Whether the pages of items are asked for their full text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FullText {
    /// Only when the user asks for one.
    Never,
    /// When an item is opened.
    #[default]
    OnOpen,
    /// When an item is opened, and ahead of that when it is pinned.
    Pinned,
    /// Of every new item.
    All,
}

impl FullText {
    /// The words for it in settings, in the order of [`Self::ALL`].
    pub const NAMES: &[&str] = &["never", "on-open", "pinned", "all"];
    /// Every value.
    pub const ALL: [Self; 4] = [Self::Never, Self::OnOpen, Self::Pinned, Self::All];

    /// The value of that name.
    pub fn named(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|n| *n == name)?;
        Self::ALL.get(at).copied()
    }

    /// Its word in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::OnOpen => "on-open",
            Self::Pinned => "pinned",
            Self::All => "all",
        }
    }

    /// Whether the page of an item is asked for, and asked again, without anybody opening it.
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
    /// Its feed.
    #[default]
    Feed,
    /// Its page, by the page itself.
    Page,
    /// Its page, by the words of its feed.
    Guided,
    /// Its page, by what the pages of its site have in common.
    Site,
    /// The structured data of its page.
    Data,
}

impl TextFrom {
    /// For the head of an article.
    pub fn words(self) -> &'static str {
        match self {
            Self::Feed => "from the feed",
            Self::Page => "from the page",
            Self::Guided => "from the page, by the words of its feed",
            Self::Site => "from the page, by its site's template",
            Self::Data => "from the page's data",
        }
    }
}

/// The ways to a text of an item that a user can choose, in the order in which a key walks them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum TextWay {
    /// The page, by all that is known of it.
    #[default]
    Best,
    /// The page, by itself.
    Page,
    /// The page, by the words of its feed.
    Guided,
    /// What the feed gives.
    Feed,
}

impl TextWay {
    /// The way after this one.
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
    fn names_are_read_back() {
        for (value, name) in FullText::ALL.into_iter().zip(FullText::NAMES) {
            assert_eq!((value.name(), FullText::named(name)), (*name, Some(value)));
        }
        assert_eq!(FullText::named("always"), None);
    }
}

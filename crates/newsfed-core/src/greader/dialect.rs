//! Where servers differ.

/// What is known about a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// FreshRSS: `ot` means arrival, pages of any size, titles in full-width characters.
    FreshRss,
    /// newsfed itself: like FreshRSS, but titles as they are; `ot` means discovery.
    Newsfed,
    /// Miniflux and all others: `ot` means publication, at most 10,000 ids a page.
    Other,
}

impl Dialect {
    /// The dialect of a server at a URL that sends this header `Server`.
    pub fn recognise(url: &str, server: Option<&str>) -> Self {
        let is_newsfed = |server: &str| server == "newsfed" || server.starts_with("newsfed/");
        match server {
            Some(server) if is_newsfed(server) => Self::Newsfed,
            _ if url.ends_with("/api/greader.php") => Self::FreshRss,
            _ => Self::Other,
        }
    }

    /// Whether `ot` selects by the time of arrival, so that it finds all that is new.
    pub fn knows_arrival(self) -> bool {
        self != Self::Other
    }

    /// Largest number of ids in a response.
    pub fn ids_per_page(self) -> u32 {
        match self {
            Self::FreshRss | Self::Newsfed => 100_000,
            Self::Other => 10_000,
        }
    }

    /// Whether contents of a stream can be paged, with ids and texts in one request.
    pub fn pages_contents(self) -> bool {
        self != Self::Other
    }

    /// Whether items have labels, which `edit-tag` sets and `tag/list` lists apart from folders.
    pub fn has_labels(self) -> bool {
        self != Self::Other
    }

    /// A title as it was before the server changed it: FreshRSS writes `&`, `<`, `>` and more in
    /// full-width forms.
    pub fn title(self, title: &str) -> String {
        if self != Self::FreshRss {
            return title.to_owned();
        }
        let narrow = |c: char| match c {
            '\u{ff06}' => '&',
            '\u{ff1c}' => '<',
            '\u{ff1e}' => '>',
            other => other,
        };
        title.chars().map(narrow).collect()
    }

    /// The title of a feed as it was before the server changed it: FreshRSS replaces more
    /// characters in it than in titles of items.
    pub fn feed_title(self, title: &str) -> String {
        let title = self.title(title);
        if self != Self::FreshRss {
            return title;
        }
        let narrow = |c: char| match c {
            '\u{ff1f}' => '?',
            '\u{ff3c}' => '\\',
            '\u{ff0f}' => '/',
            '\u{ff0c}' => ',',
            '\u{ff1b}' => ';',
            other => other,
        };
        title.chars().map(narrow).collect()
    }

    /// Its name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::FreshRss => "FreshRSS",
            Self::Newsfed => "newsfed",
            Self::Other => "Google Reader API",
        }
    }
}

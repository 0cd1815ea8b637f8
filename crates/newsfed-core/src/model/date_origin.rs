//! The origin of an item's publication date.

use super::Time;

/// Where a publication date was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateSource {
    /// An entry of a feed.
    Feed,
    /// The date selector of the source.
    Selector,
    /// A row of a list, or a block on the page of a source with the kind `entries`.
    List,
    /// A news sitemap.
    Sitemap,
    /// JSON-LD.
    StructuredData,
    /// `meta` elements.
    Metadata,
    /// `time` elements, and elements with a date property.
    Element,
    /// Text that readers see.
    Text,
    /// The URL of the page.
    Url,
    /// Data in scripts.
    Script,
}

impl DateSource {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::Selector => "selector",
            Self::List => "list",
            Self::Sitemap => "sitemap",
            Self::StructuredData => "structured-data",
            Self::Metadata => "metadata",
            Self::Element => "element",
            Self::Text => "text",
            Self::Url => "url",
            Self::Script => "script",
        }
    }

    /// A description that follows "date from".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Feed => "the feed",
            Self::Selector => "website.date",
            Self::List => "the list",
            Self::Sitemap => "the sitemap",
            Self::StructuredData => "structured data",
            Self::Metadata => "metadata",
            Self::Element => "a time element",
            Self::Text => "the text",
            Self::Url => "the URL",
            Self::Script => "scripts",
        }
    }
}

/// The precision of a publication date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatePrecision {
    /// Only the day.
    Day,
    /// The time of day.
    Time,
}

impl DatePrecision {
    /// The precision of a stored date. Dates without a time of day are stored as midnight UTC, so a time of
    /// exactly midnight means that only the day is known.
    pub fn of(date: super::Time) -> Self {
        match date.timestamp().rem_euclid(86_400) {
            0 => Self::Day,
            _ => Self::Time,
        }
    }
}

/// The certainty of a date.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// A guess: day and month may be swapped, or the year is missing.
    Low,
    Medium,
    High,
}

impl Confidence {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// The origin of the time zone of a date that is written with a time of day but without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZoneSource {
    /// Another date on the same page.
    Page,
    /// The dates of other pages of the source.
    Site,
}

impl ZoneSource {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Site => "site",
        }
    }

    /// A description that follows "zone".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Page => "of the page",
            Self::Site => "of the site",
        }
    }
}

/// UTC offsets that were seen, and the times when they applied.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Offsets(pub(crate) Vec<OffsetRun>);

/// The first and the last time with an offset in seconds. No other offset was seen between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct OffsetRun {
    pub(crate) offset: i32,
    pub(crate) first: Time,
    pub(crate) last: Time,
}

/// The origin and the certainty of an item's publication date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct DateOrigin {
    pub from: DateSource,
    pub confidence: Confidence,
    /// The origin of the time zone, if the time of day is written without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<ZoneSource>,
}

/// Number of items of a source with the same date origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct DatesFrom {
    /// `None` if these items have no publication date.
    #[serde(flatten)]
    pub origin: Option<DateOrigin>,
    pub items: u32,
}

impl DateOrigin {
    /// The origin of a date given by a feed, a sitemap or the user's own selector.
    pub fn stated(from: DateSource) -> Self {
        Self { from, confidence: Confidence::High, zone: None }
    }
}

//! Where the publication date of an item comes from.

use super::Time;

/// Where a publication date was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateSource {
    /// The entry of a feed.
    Feed,
    /// The date selector of the source.
    Selector,
    /// The row of a list, or a block on the page of a source with the kind `entries`.
    List,
    /// A news sitemap.
    Sitemap,
    /// JSON-LD.
    StructuredData,
    /// `meta` elements.
    Metadata,
    /// `time` elements, and elements marked by a property.
    Element,
    /// Text that readers see.
    Text,
    /// The URL of the page.
    Url,
    /// Data of scripts.
    Script,
}

impl DateSource {
    /// Its name in `--json`.
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

    /// In words, after "date from".
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

/// How exactly a publication date is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatePrecision {
    /// Only the day.
    Day,
    /// The time of day.
    Time,
}

impl DatePrecision {
    /// The precision of a stored date: dates without a time of day are stored as midnight UTC. A
    /// time of exactly midnight means only the day.
    pub fn of(date: super::Time) -> Self {
        match date.timestamp().rem_euclid(86_400) {
            0 => Self::Day,
            _ => Self::Time,
        }
    }
}

/// How certain a date is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// A guess: day and month may be swapped, or the year is not given.
    Low,
    Medium,
    High,
}

impl Confidence {
    /// Its name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Where the zone of a date comes from that is written with a time of day but without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZoneSource {
    /// Another date of the same page.
    Page,
    /// The dates of other pages of the source.
    Site,
}

impl ZoneSource {
    /// Its name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Site => "site",
        }
    }

    /// In words, after "zone".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Page => "of the page",
            Self::Site => "of the site",
        }
    }
}

/// Offsets from UTC that were seen, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Offsets(pub(crate) Vec<OffsetRun>);

/// The first and the last time with an offset, in seconds, between which no other offset was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct OffsetRun {
    pub(crate) offset: i32,
    pub(crate) first: Time,
    pub(crate) last: Time,
}

/// Where the publication date of an item comes from, and how certain it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct DateOrigin {
    pub from: DateSource,
    pub confidence: Confidence,
    /// Where its zone comes from, if its time of day is written without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<ZoneSource>,
}

/// Items of a source whose dates come from the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct DatesFrom {
    /// `None`: these items have no publication date.
    #[serde(flatten)]
    pub origin: Option<DateOrigin>,
    pub items: u32,
}

impl DateOrigin {
    /// The origin of a date that a feed, a sitemap or the user's own selector states.
    pub fn stated(from: DateSource) -> Self {
        Self { from, confidence: Confidence::High, zone: None }
    }
}

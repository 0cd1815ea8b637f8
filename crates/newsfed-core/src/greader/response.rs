//! Responses that a client reads and a server writes.

use serde::{Deserialize, Deserializer, Serialize};

/// Reads `null` as the default.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    d: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(d)?.unwrap_or_default())
}

/// Reads a number, which may be written as a string; 0 for anything else.
fn number<'de, D: Deserializer<'de>>(d: D) -> Result<i64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Whole(i64),
        Decimal(f64),
        Text(String),
        Other(serde::de::IgnoredAny),
    }
    Ok(match Either::deserialize(d)? {
        Either::Whole(number) => number,
        Either::Decimal(number) => number as i64,
        Either::Text(text) => text.trim().parse().unwrap_or(0),
        Either::Other(_) => 0,
    })
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserInfo {
    #[serde(deserialize_with = "or_default")]
    pub user_id: String,
    #[serde(deserialize_with = "or_default")]
    pub user_name: String,
    #[serde(deserialize_with = "or_default")]
    pub user_profile_id: String,
    #[serde(deserialize_with = "or_default")]
    pub user_email: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscriptions {
    pub subscriptions: Vec<Subscription>,
}

/// A feed that the server follows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// `feed/` and a number or a URL.
    pub id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub title: String,
    /// The folders of the feed. Only the first one is used.
    #[serde(default, deserialize_with = "or_default")]
    pub categories: Vec<Category>,
    #[serde(default, deserialize_with = "or_default")]
    pub url: String,
    #[serde(default, deserialize_with = "or_default")]
    pub html_url: String,
    #[serde(default, deserialize_with = "or_default")]
    pub icon_url: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    pub id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub label: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tags {
    pub tags: Vec<RemoteTag>,
}

/// A state, a folder, or a label of items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteTag {
    pub id: String,
    /// `folder` or `tag`, if the server sends it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemRefs {
    pub item_refs: Vec<ItemRef>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub continuation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemRef {
    /// The identifier in decimal form.
    pub id: String,
}

/// Items with their texts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    #[serde(default, deserialize_with = "or_default")]
    pub id: String,
    #[serde(default, deserialize_with = "number")]
    pub updated: i64,
    pub items: Vec<StreamEntry>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub continuation: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamEntry {
    /// The identifier in the long form.
    pub id: String,
    /// Arrival time in milliseconds, as a string.
    #[serde(default, deserialize_with = "or_default")]
    pub crawl_time_msec: String,
    /// Arrival time in microseconds, as a string.
    #[serde(default, deserialize_with = "or_default")]
    pub timestamp_usec: String,
    /// Publication time in seconds since the epoch.
    #[serde(default, deserialize_with = "number")]
    pub published: i64,
    #[serde(default, deserialize_with = "number", skip_serializing_if = "is_zero")]
    pub updated: i64,
    #[serde(default, deserialize_with = "or_default")]
    pub title: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub author: String,
    #[serde(default, deserialize_with = "or_default")]
    pub canonical: Vec<StreamLink>,
    #[serde(default, deserialize_with = "or_default")]
    pub alternate: Vec<StreamLink>,
    /// The streams that contain the item, and the publisher's categories.
    #[serde(default, deserialize_with = "or_default")]
    pub categories: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub origin: StreamOrigin,
    #[serde(default, deserialize_with = "or_default")]
    pub summary: EntryText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<EntryText>,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub enclosure: Vec<StreamEnclosure>,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamLink {
    #[serde(default, deserialize_with = "or_default")]
    pub href: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamOrigin {
    #[serde(default, deserialize_with = "or_default")]
    pub stream_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub html_url: String,
    #[serde(default, deserialize_with = "or_default")]
    pub title: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryText {
    #[serde(default, deserialize_with = "or_default")]
    pub content: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamEnclosure {
    #[serde(default, deserialize_with = "or_default")]
    pub href: String,
    #[serde(rename = "type", default, deserialize_with = "or_default")]
    pub media_type: String,
    /// Size in bytes.
    #[serde(default, deserialize_with = "number")]
    pub length: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadCounts {
    pub max: i64,
    pub unreadcounts: Vec<UnreadCount>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadCount {
    pub id: String,
    pub count: i64,
    pub newest_item_timestamp_usec: String,
}

/// The result of subscribing to a URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuickAdd {
    pub num_results: i64,
    #[serde(default, deserialize_with = "or_default")]
    pub query: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub stream_id: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub stream_name: String,
    /// Why no feed was added.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub error: String,
}

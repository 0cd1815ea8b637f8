//! A lenient JSON Feed reader: accepts any version, numeric identifiers and trailing commas. Items are read
//! one by one, and unknown fields are skipped without being stored.

use super::FeedError;
use super::construct::play_time;
use super::raw::{Entries, Limited, Rank, RawEntry, RawFeed, RawLink, RawText, TextKind};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Reads a JSON text that starts with a brace or a bracket.
pub(super) fn read(text: &str, repairs: &mut Vec<String>) -> Result<RawFeed, FeedError> {
    let root = match first_value(text) {
        Ok(root) => root,
        Err(why) => {
            let root = first_value(&without_trailing_commas(text)).map_err(|_| error(&why))?;
            repairs.push("extra commas were ignored".to_owned());
            root
        }
    };
    let named = root.version.as_ref().is_some_and(|v| v.0.contains("jsonfeed.org"));
    let plausible = named || root.version.is_none() && !root.foreign_items;
    if !root.has_items || !plausible {
        return Err(FeedError::not_a_feed("JSON that is not a feed"));
    }
    if !named {
        repairs.push("the JSON feed has no version".to_owned());
    }
    Ok(RawFeed { authors: root.authors.names(), ..root.feed })
}

/// The first value of the text. The rest is ignored. Skipped values may be nested to any depth.
fn first_value(text: &str) -> Result<Root, serde_json::Error> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Field<Root>>();
    values.next().map_or_else(|| Ok(Root::default()), |root| Ok(root?.0.unwrap_or_default()))
}

fn error(why: &serde_json::Error) -> FeedError {
    FeedError::Malformed { why: crate::util::text::line(&why.to_string()) }
}

/// The text without commas before closing brackets.
fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    // A comma and the whitespace after it, held back until the next character is known.
    let mut held = String::new();
    for c in text.chars() {
        if !held.is_empty() && (!c.is_whitespace() || in_string) {
            if matches!(c, ']' | '}') {
                held.remove(0);
            }
            out.push_str(&held);
            held.clear();
        }
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c == '"' {
            in_string = true;
        } else if c == ',' || !held.is_empty() {
            held.push(c);
            continue;
        }
        out.push(c);
    }
    out + &held
}

/// A value of the expected type, or `None` for any other value, which is skipped.
struct Field<T>(Option<T>);

/// A type that is read incrementally from the JSON values that match it.
trait FromJson: Default {
    /// Reads the value of a key. Implementations must consume the value.
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let _ = key;
        map.next_value::<IgnoredAny>().map(drop)
    }

    /// Reads the next element of an array. Returns `false` at its end.
    fn element<'de, A: SeqAccess<'de>>(&mut self, array: &mut A) -> Result<bool, A::Error> {
        Ok(array.next_element::<IgnoredAny>()?.is_some())
    }

    /// Converts a string or a number.
    fn scalar(_: String) -> Option<Self> {
        None
    }

    fn number(text: String) -> Option<Self> {
        Self::scalar(text)
    }

    /// Whether the type can be read from an array. If not, arrays are skipped.
    const FROM_ARRAY: bool = false;
    /// Whether the type can be read from an object. If not, objects are skipped.
    const FROM_OBJECT: bool = false;
}

impl<'de, T: FromJson> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor(std::marker::PhantomData))
    }
}

struct FieldVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: FromJson> Visitor<'de> for FieldVisitor<T> {
    type Value = Field<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Field(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Field(None))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Field(T::number(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Field(T::number(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        let number = serde_json::Number::from_f64(number);
        Ok(Field(number.and_then(|number| T::number(number.to_string()))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Field(T::scalar(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
        Ok(Field(T::scalar(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut out = T::default();
        while out.element(&mut array)? {}
        Ok(Field(T::FROM_ARRAY.then_some(out)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut out = T::default();
        while let Some(key) = map.next_key::<String>()? {
            out.take(&key, &mut map)?;
        }
        Ok(Field(T::FROM_OBJECT.then_some(out)))
    }
}

/// A string or a number. An empty string counts as missing.
impl FromJson for String {
    fn scalar(text: String) -> Option<Self> {
        Some(text).filter(|text| !text.is_empty())
    }
}

/// The version of the format. Some feeds write it as a number.
#[derive(Default)]
struct Version(String);

impl FromJson for Version {
    fn scalar(text: String) -> Option<Self> {
        Some(Self(text))
    }

    fn number(_: String) -> Option<Self> {
        None
    }
}

fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<String>, A::Error> {
    Ok(map.next_value::<Field<String>>()?.0)
}

/// An array. Only elements of the expected type are kept.
impl<T: FromJson> FromJson for Limited<T> {
    fn element<'de, A: SeqAccess<'de>>(&mut self, array: &mut A) -> Result<bool, A::Error> {
        let Some(element) = array.next_element::<Field<T>>()? else { return Ok(false) };
        self.extend(element.0);
        Ok(true)
    }

    const FROM_ARRAY: bool = true;
}

/// The name of an author, or the URL if there is no name.
#[derive(Default)]
struct Author {
    name: Option<String>,
    url: Option<String>,
}

impl FromJson for Author {
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "name" => self.name = text(map)?,
            "url" => self.url = text(map)?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }

    fn scalar(name: String) -> Option<Self> {
        Some(Self { name: Some(name), url: None })
    }

    const FROM_OBJECT: bool = true;
}

/// The list of version 1.1, followed by the single author of version 1.0.
#[derive(Default)]
struct Authors {
    list: Limited<Author>,
    single: Option<Author>,
}

impl Authors {
    fn names(self) -> Limited<String> {
        let mut names = Limited { kept: Vec::new(), left_out: self.list.left_out };
        let authors = self.list.kept.into_iter().chain(self.single);
        names.extend(authors.filter_map(|author| author.name.or(author.url)));
        names
    }
}

#[derive(Default)]
struct Attachment(RawLink);

impl FromJson for Attachment {
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        // Sizes and durations are integers, but some feeds write fractions or strings.
        let number = |text: Option<String>| text.and_then(|t| play_time(&t)).filter(|n| *n > 0);
        match key {
            "url" => self.0.href = text(map)?.unwrap_or_default(),
            "mime_type" => self.0.mime = text(map)?,
            "size_in_bytes" => self.0.bytes = number(text(map)?),
            "duration_in_seconds" => self.0.seconds = number(text(map)?),
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }

    const FROM_OBJECT: bool = true;
}

#[derive(Default)]
struct Item {
    /// Whether the object has a field that only feed items have.
    known: bool,
    id: Option<String>,
    url: Option<String>,
    external_url: Option<String>,
    title: Option<String>,
    summary: Option<String>,
    content_html: Option<String>,
    content_text: Option<String>,
    published: Option<String>,
    modified: Option<String>,
    language: Option<String>,
    tags: Limited<String>,
    attachments: Limited<Attachment>,
    authors: Authors,
}

impl FromJson for Item {
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        self.known |= matches!(
            key,
            "content_html" | "content_text" | "date_published" | "url" | "external_url" | "title"
        );
        match key {
            "id" => self.id = text(map)?,
            "url" => self.url = text(map)?,
            "external_url" => self.external_url = text(map)?,
            "title" => self.title = text(map)?,
            "summary" => self.summary = text(map)?,
            "content_html" => self.content_html = text(map)?,
            "content_text" => self.content_text = text(map)?,
            "date_published" => self.published = text(map)?,
            "date_modified" => self.modified = text(map)?,
            "language" => self.language = text(map)?,
            "tags" => self.tags = map.next_value::<Field<_>>()?.0.unwrap_or_default(),
            "attachments" => self.attachments = map.next_value::<Field<_>>()?.0.unwrap_or_default(),
            "authors" => self.authors.list = map.next_value::<Field<_>>()?.0.unwrap_or_default(),
            "author" => self.authors.single = map.next_value::<Field<_>>()?.0,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }

    const FROM_OBJECT: bool = true;
}

impl Item {
    fn entry(self) -> RawEntry {
        let mut entry = RawEntry { authors: self.authors.names(), ..RawEntry::default() };
        let text = |value, kind| RawText { value, kind, base: None };
        if let Some(id) = self.id {
            entry.guid.offer(Rank::Strong, id);
        }
        let links = [self.url, self.external_url].into_iter().flatten();
        entry.links.extend(links.map(page));
        if let Some(title) = self.title {
            entry.title.offer(Rank::Strong, text(title, TextKind::Guess));
        }
        if let Some(summary) = self.summary {
            entry.summary.offer(Rank::Strong, text(summary, TextKind::Guess));
        }
        let html = self.content_html.filter(|html| !html.trim().is_empty());
        let html = html.map(|html| text(html, TextKind::Html));
        if let Some(content) = html.or(self.content_text.map(|t| text(t, TextKind::Plain))) {
            entry.content.offer(Rank::Strong, content);
        }
        if let Some(date) = self.published {
            entry.published.offer(Rank::Strong, date);
        }
        if let Some(date) = self.modified {
            entry.updated.offer(Rank::Strong, date);
        }
        entry.language = self.language;
        entry.categories = self.tags;
        entry.enclosures.left_out = self.attachments.left_out;
        let enclosures = self.attachments.kept.into_iter().map(|attachment| attachment.0);
        let rel = || "enclosure".to_owned();
        entry
            .enclosures
            .extend(enclosures.filter(|e| !e.href.is_empty()).map(|e| RawLink { rel: rel(), ..e }));
        entry
    }
}

fn page(href: String) -> RawLink {
    RawLink { href, rel: "alternate".to_owned(), ..RawLink::default() }
}

#[derive(Default)]
struct Root {
    version: Option<Version>,
    has_items: bool,
    /// Whether an item has none of the fields that only feed items have.
    foreign_items: bool,
    authors: Authors,
    feed: RawFeed,
}

impl FromJson for Root {
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "version" => self.version = map.next_value::<Field<Version>>()?.0,
            "title" => {
                if let Some(value) = text(map)? {
                    self.feed.title.offer(Rank::Strong, RawText { value, ..RawText::default() });
                }
            }
            "home_page_url" => self.feed.links.extend(text(map)?.map(page)),
            "language" => {
                if let Some(language) = text(map)? {
                    self.feed.language.offer(Rank::Strong, language);
                }
            }
            "authors" => self.authors.list = map.next_value::<Field<_>>()?.0.unwrap_or_default(),
            "author" => self.authors.single = map.next_value::<Field<_>>()?.0,
            "items" => {
                let items = map.next_value::<Field<Items>>()?.0;
                self.has_items = items.is_some();
                let items = items.unwrap_or_default();
                (self.foreign_items, self.feed.entries) = (items.foreign, items.entries);
            }
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }

    const FROM_OBJECT: bool = true;
}

#[derive(Default)]
struct Items {
    foreign: bool,
    entries: Entries,
}

impl FromJson for Items {
    fn element<'de, A: SeqAccess<'de>>(&mut self, array: &mut A) -> Result<bool, A::Error> {
        let Some(item) = array.next_element::<Field<Item>>()? else { return Ok(false) };
        self.foreign |= !item.0.as_ref().is_some_and(|item| item.known);
        if let Some(item) = item.0 {
            self.entries.push(item.entry());
        }
        Ok(true)
    }

    const FROM_ARRAY: bool = true;
}

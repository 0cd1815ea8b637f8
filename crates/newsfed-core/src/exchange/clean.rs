//! Converts a foreign item to an entry, sanitised like feed input, and to marks.

use crate::model::{Effect, Enclosure, Entry, ForeignItem, ForeignText, Time};
use crate::util::{html, limits, text, url as address};
use std::collections::BTreeSet;
use url::Url;

/// Maximum length of a guid, in bytes.
const MAX_GUID: usize = 4096;

/// The entry of an item; `None` if the item contains nothing to show.
pub fn entry(item: &ForeignItem) -> Option<Entry> {
    let url = item.url.as_deref().and_then(web);
    let feed = item.feed.as_deref().and_then(web);
    let base = url.as_ref().or(feed.as_ref());
    let title = match html::contains_markup(&item.title) {
        true => text::line(&html::to_text(&item.title)),
        false => text::line(&item.title),
    };
    let body = |text: &Option<ForeignText>| {
        let safe = match text.as_ref()? {
            ForeignText::Plain(plain) => html::paragraphs(text::start(plain, limits::FEED_BYTES)),
            ForeignText::Html(source) => html::clean(text::start(source, limits::FEED_BYTES), base),
        };
        (!safe.is_empty()).then_some(safe)
    };
    let mut enclosures: Vec<Enclosure> = Vec::new();
    for (url, mime) in item.enclosures.iter().take(limits::ENTRY_LIST) {
        let Some(url) = address::absolute(base, url).map(String::from) else { continue };
        if enclosures.iter().all(|known| known.url != url) {
            let mime = mime.as_deref().map(text::line).filter(|mime| !mime.is_empty());
            enclosures.push(Enclosure { url, mime, ..Enclosure::default() });
        }
    }
    let entry = Entry {
        guid: item.guid.clone().filter(|guid| !guid.is_empty() && guid.len() <= MAX_GUID),
        title,
        authors: lines(&item.authors),
        published: item.published,
        updated: item.updated,
        summary: body(&item.summary),
        content: body(&item.content),
        enclosures,
        categories: lines(&item.categories),
        publisher: item.publisher.as_deref().map(text::line).filter(|name| !name.is_empty()),
        url: url.map(String::from),
        ..Entry::default()
    };
    let is_empty = entry.url.is_none() && entry.title.is_empty() && entry.content.is_none();
    (!is_empty).then_some(entry)
}

fn web(text: &str) -> Option<Url> {
    if text.len() > limits::URL_BYTES {
        return None;
    }
    address::absolute(None, text.trim())
}

/// Sanitised lines without duplicates.
fn lines(raw: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in raw.iter().take(limits::ENTRY_LIST).map(|raw| text::line(raw)) {
        if !line.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The marks of an item. `pin` contains the newsboat flags that pin an item. Other flags become tags.
pub fn effects(item: &ForeignItem, pin: &str) -> Vec<Effect> {
    let flags = letters(&item.flags);
    let pinned = item.pinned || flags.iter().any(|flag| pin.contains(*flag));
    let mut effects = Vec::new();
    effects.extend(item.read.then_some(Effect::Read));
    effects.extend(pinned.then_some(Effect::Pin));
    effects.extend(item.later.then_some(Effect::Later));
    let others = flags.iter().filter(|flag| !pin.contains(**flag));
    let flags = others.map(|flag| format!("flag-{flag}"));
    for tag in lines(&item.tags).into_iter().chain(flags) {
        effects.push(Effect::Tag(tag));
    }
    effects.dedup();
    effects
}

/// The letters of newsboat's flags, without duplicates.
pub fn letters(flags: &str) -> BTreeSet<char> {
    flags.chars().filter(char::is_ascii_alphabetic).collect()
}

/// A key that is equal for equivalent URLs of a feed. It is only used for comparison.
pub fn feed_key(url: &str) -> Option<String> {
    let key = address::normalise(&web(url)?);
    let bare = key.split_once("://").map_or(key.as_str(), |(_, rest)| rest);
    Some(bare.strip_prefix("www.").unwrap_or(bare).to_owned())
}

/// A time in seconds or milliseconds since the epoch.
pub(super) fn moment(number: i64) -> Option<Time> {
    /// Numbers of this size or more are milliseconds: as seconds, they would mean the year 5138 or later; as
    /// milliseconds, they mean 1973 or later.
    const MILLISECONDS: i64 = 100_000_000_000;
    let seconds = if number.abs() >= MILLISECONDS { number / 1000 } else { number };
    (seconds > 0).then(|| Time::from_timestamp(seconds, 0)).flatten()
}

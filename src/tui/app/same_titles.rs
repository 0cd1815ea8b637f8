//! Distinguishes sources with the same title by their hosts.

use super::App;
use super::sources::SourcesPane;
use crate::model::SourceId;
use crate::tui::event::SourceEntry;
use crate::util::domain::site;
use crate::util::text;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use url::Url;

/// The separator between a title and a host.
const GAP: &str = " · ";
/// Minimum width of a title before a host, in cells.
const MIN: usize = 4;

/// The text that distinguishes a source from others with the same title.
#[derive(Debug)]
pub(super) struct Place {
    /// The host, or the URL if another source with this title is on the same host.
    full: String,
    /// A text for narrow columns, which is shorter if possible.
    short: String,
}

/// The texts that distinguish sources with the same title, by row key.
pub(super) fn places(sources: &[SourceEntry]) -> HashMap<i64, Place> {
    let mut by_title: HashMap<&str, Vec<&SourceEntry>> = HashMap::new();
    for entry in sources {
        by_title.entry(entry.title()).or_default().push(entry);
    }
    let same = by_title.into_values().filter(|entries| entries.len() > 1);
    same.flat_map(|entries| {
        let names = |of: fn(&SourceEntry) -> String| -> Option<Vec<String>> {
            let names: Vec<String> = entries.iter().map(|entry| of(entry)).collect();
            let distinct = names.iter().collect::<HashSet<_>>().len() == names.len();
            distinct.then_some(names)
        };
        let full = names(host).unwrap_or_else(|| entries.iter().map(|entry| url(entry)).collect());
        let short = names(domain).or_else(|| names(port)).unwrap_or_else(|| full.clone());
        let both = full.into_iter().zip(short);
        let keys = entries.into_iter().map(|entry| entry.facts.key);
        keys.zip(both.map(|(full, short)| Place { full, short })).collect::<Vec<_>>()
    })
    .collect()
}

/// The URL of a source on the web, or else the id of a program or file.
fn web_url(entry: &SourceEntry) -> Result<&Url, String> {
    let url = entry.source.web_url().filter(|url| url.has_host());
    url.ok_or_else(|| entry.source.id.to_string())
}

/// The host, with the port if it is not the default.
fn host(entry: &SourceEntry) -> String {
    let name = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{port}", host.strip_prefix("www.").unwrap_or(host))
    };
    web_url(entry).map_or_else(|id| id, name)
}

/// The URL without the scheme.
fn url(entry: &SourceEntry) -> String {
    let name = |url: &Url| {
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{}{}{query}", host(entry), url.path())
    };
    web_url(entry).map_or_else(|id| id, name)
}

/// The first label of the registered domain, such as `example` for `news.example.org`; for an IP address, the
/// whole address.
fn domain(entry: &SourceEntry) -> String {
    let name = |url: &Url| {
        let mut name = site(url).unwrap_or_default();
        if url.domain().is_some() {
            name.truncate(name.find('.').unwrap_or(name.len()));
        }
        name
    };
    web_url(entry).map_or_else(|id| id, name)
}

/// The port, which distinguishes servers on the same machine.
fn port(entry: &SourceEntry) -> String {
    let name = |url: &Url| url.port().map(|port| format!(":{port}"));
    web_url(entry).ok().and_then(name).unwrap_or_else(|| host(entry))
}

impl App {
    /// The name of a source as shown in the Sources pane, or its id if it was removed.
    pub(crate) fn distinct_name<'a>(&'a self, id: &'a SourceId, cells: usize) -> Cow<'a, str> {
        let entry = self.sources.list.sources.iter().find(|s| s.source.id == *id);
        entry.map_or(id.as_str().into(), |entry| self.sources.name(entry, cells))
    }
}

impl SourcesPane {
    /// The title of a source within a number of cells, followed by the distinguishing text if another source
    /// has the same title.
    pub(crate) fn name<'a>(&'a self, entry: &'a SourceEntry, cells: usize) -> Cow<'a, str> {
        let title = entry.title();
        let Some(place) = self.places.get(&entry.facts.key) else { return title.into() };
        let needed = text::width(title) + text::width(GAP);
        let place = match needed + text::width(&place.full) <= cells {
            true => &place.full,
            false => &place.short,
        };
        let left = cells.saturating_sub(text::width(place) + text::width(GAP));
        if left < MIN.min(text::width(title)) {
            return place.into();
        }
        format!("{}{GAP}{place}", text::truncate(title, left)).into()
    }
}

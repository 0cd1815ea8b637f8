//! Sources with the same title, which their hosts distinguish.

use super::App;
use super::sources::SourcesPane;
use crate::model::SourceId;
use crate::tui::event::SourceEntry;
use crate::util::text;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The separator between a title and a host.
const GAP: &str = " · ";
/// Minimum number of cells in a title before a host.
const LEAST: usize = 4;

/// What distinguishes sources with the same title, by row key: their hosts, or their URLs if they are on the
/// same host.
pub(super) fn places(sources: &[SourceEntry]) -> HashMap<i64, String> {
    let mut by_title: HashMap<&str, Vec<&SourceEntry>> = HashMap::new();
    for entry in sources {
        by_title.entry(entry.title()).or_default().push(entry);
    }
    let same = by_title.into_values().filter(|entries| entries.len() > 1);
    same.flat_map(|entries| {
        let hosts: HashSet<String> = entries.iter().map(|entry| place(entry, false)).collect();
        let with_path = hosts.len() < entries.len();
        entries.into_iter().map(move |entry| (entry.facts.key, place(entry, with_path)))
    })
    .collect()
}

/// The host of a source, or its URL without the scheme; for a program or a file, its id.
fn place(entry: &SourceEntry, with_path: bool) -> String {
    let url = entry.source.web_url();
    let Some((url, host)) = url.and_then(|url| Some((url, url.host_str()?))) else {
        return entry.source.id.to_string();
    };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = format!("{}{port}", host.strip_prefix("www.").unwrap_or(host));
    if !with_path {
        return host;
    }
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{host}{}{query}", url.path())
}

impl App {
    /// The name of a source as in the Sources pane, or its id once it was removed.
    pub(crate) fn distinct_name<'a>(&'a self, id: &'a SourceId, cells: usize) -> Cow<'a, str> {
        let entry = self.sources.list.sources.iter().find(|s| s.source.id == *id);
        entry.map_or(id.as_str().into(), |entry| self.sources.name(entry, cells))
    }
}

impl SourcesPane {
    /// The title of a source in this many cells, with what distinguishes it if another source has the same
    /// title.
    pub(crate) fn name<'a>(&'a self, entry: &'a SourceEntry, cells: usize) -> Cow<'a, str> {
        let title = entry.title();
        let Some(place) = self.places.get(&entry.facts.key) else { return title.into() };
        let left = cells.saturating_sub(text::width(place) + text::width(GAP));
        if left < LEAST.min(text::width(title)) {
            return place.into();
        }
        format!("{}{GAP}{place}", text::truncate(title, left)).into()
    }
}

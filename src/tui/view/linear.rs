//! Rows as plain text, for screen readers.

use super::super::app::{App, Row, RowId};
use crate::model::{Health, ItemRow};
use crate::util::text::counted_as;
use crate::util::time_text::span;

/// An item: its state, title, source and age.
pub(super) fn item(app: &App, row: &ItemRow, source: &str) -> String {
    let states = [
        (app.items.marked.contains(&row.key), "Selected"),
        (row.substantial, "Changed"),
        (row.pinned, "Pinned"),
        (row.later, "Later"),
        (!row.read, "Unread"),
    ];
    let states: Vec<&str> = states.iter().filter(|state| state.0).map(|state| state.1).collect();
    let title = app.item_name(row);
    let age = match (app.now - row.found.unwrap_or(row.date)).num_seconds() {
        ..60 => "now".to_owned(),
        seconds => format!("{} ago", span(seconds)),
    };
    let age = if row.found.is_some() { format!("no date, found {age}") } else { age };
    let state = if states.is_empty() { String::new() } else { format!("{}: ", states.join(", ")) };
    let source = if source.is_empty() { String::new() } else { format!("; {source}") };
    let also = match row.also {
        0 => String::new(),
        also => format!("; also in {}", counted_as(also, "other source", "other sources")),
    };
    format!("{state}{title}{source}; {age}{also}")
}

/// A row of the Sources pane: its kind, name, number of items, and state.
pub(super) fn source(app: &App, row: &Row) -> String {
    let folded = |folded| if folded { ", folded" } else { ", unfolded" };
    let (what, fold) = match &row.id {
        RowId::Folder(folder) => ("Folder ", folded(app.sources.folded.contains(folder))),
        RowId::Tags => ("", folded(app.sources.tags_are_folded())),
        RowId::Tag(_) => ("Tag ", ""),
        RowId::Saved(_) => ("View ", ""),
        RowId::Source(key) if app.sources.marked.contains(key) => ("Selected: ", ""),
        RowId::Source(_) | RowId::Smart(_) => ("", ""),
    };
    let more = if row.more { " or more" } else { "" };
    let count = match row.count {
        0 => String::new(),
        n => format!(", {n}{more}"),
    };
    let entry = row.entry.and_then(|i| app.sources.list.sources.get(i));
    let state = match entry {
        Some(entry) if app.status.claimed.contains(&entry.facts.key) => ", being checked",
        Some(entry) if !entry.source.enabled => ", disabled",
        Some(entry) if entry.facts.website.broken().is_some() => ", broken selectors",
        Some(entry) => match entry.facts.health(app.now) {
            Health::New | Health::Ok => "",
            Health::Paused if entry.facts.fail_count == 0 => ", paused",
            Health::Paused | Health::Retrying | Health::Failing => ", failing",
            Health::Gone => ", gone",
        },
        None => "",
    };
    format!("{what}{}{fold}{count}{state}", row.title)
}

//! `newsfed sources show`: shows a source in detail.

use super::catalogue::{Entry, FullEntry};
use super::exit::Failure;
use super::output::Output;
use crate::config::source_values;
use crate::engine::broken;
use crate::model::{
    Confidence, DateOrigin, DatesFrom, FullText, Health, LeftOut, Outcome, Pause, PollRecord,
    SelectorProblem, SourceId, SourceKind, Time,
};
use crate::store::{PollFilter, Reader};
use crate::util::clock::{Clock, SystemClock};
use crate::util::time_text::{self, minute};
use serde::Serialize;

/// Number of newest items whose date origins are counted.
const DATED: u32 = 500;
/// Number of polls shown.
const POLLS: usize = 10;

/// JSON output for a source.
#[derive(Debug, Serialize)]
pub(super) struct SourceShape<'a> {
    id: &'a str,
    url: &'a str,
    title: &'a str,
    folder: Option<&'a str>,
    tags: &'a [String],
    enabled: bool,
    state: &'static str,
    items: u32,
    unread: u32,
    pinned: u32,
    last_poll: Option<Time>,
    last_ok: Option<Time>,
    next_poll: Option<Time>,
    pause: Option<Pause>,
    fail_count: u32,
    /// The error of the last poll, if it failed.
    error: Option<&'a str>,
    home_url: Option<&'a str>,
    moved_to: Option<&'a str>,
    kind: SourceKind,
    broken: Option<&'a SelectorProblem>,
    /// The program that prints the feed; empty if there is none.
    exec: &'a [String],
    file: Option<&'a str>,
    mail: Option<&'a str>,
    from: Option<&'a str>,
    filter: &'a [String],
    /// The list that contains the source.
    list: Option<&'a str>,
}

impl<'a> SourceShape<'a> {
    pub(super) fn of(entry: &'a FullEntry, now: Time) -> Self {
        let (source, facts) = (&entry.source, &entry.facts);
        Self {
            id: source.id.as_str(),
            url: source.url.as_str(),
            title: entry.title(),
            folder: source.folder.as_deref(),
            tags: &source.tags,
            enabled: source.enabled,
            state: health(entry, now),
            items: facts.items,
            unread: facts.unread,
            pinned: facts.pinned,
            last_poll: facts.last_poll,
            last_ok: facts.last_ok,
            next_poll: facts.next_poll,
            pause: facts.pause.filter(|h| h.until > now),
            fail_count: facts.fail_count,
            error: error(entry),
            home_url: facts.home_url.as_deref(),
            moved_to: facts.moved_to.as_deref(),
            kind: source.kind(),
            broken: facts.website.broken(),
            exec: &source.origin.exec,
            file: source.origin.file.as_deref(),
            mail: source.origin.mail.as_deref(),
            from: source.origin.from.as_deref(),
            filter: &source.origin.filter,
            list: source.list.as_ref().map(SourceId::as_str),
        }
    }
}

/// A source with its last polls, newest first.
#[derive(Serialize)]
struct Full<'a> {
    #[serde(flatten)]
    source: SourceShape<'a>,
    polls: Vec<PollRecord>,
    full_text: &'static str,
    feed_has_full_text: Option<bool>,
    /// The origins of the dates of the newest items.
    dates: Vec<DatesFrom>,
    /// The latest changes that the list has made.
    changes: Option<String>,
}

/// The health of a source in one word.
pub(super) fn health(entry: &FullEntry, now: Time) -> &'static str {
    match entry.facts.health(now) {
        _ if !entry.source.enabled => "disabled",
        Health::New => "new",
        Health::Ok if entry.facts.website.broken().is_some() => "broken",
        Health::Ok => "ok",
        Health::Paused => "paused",
        Health::Retrying => "retrying",
        Health::Failing => "failing",
        Health::Gone => "gone",
    }
}

pub(super) fn error(entry: &FullEntry) -> Option<&str> {
    match &entry.facts.last_outcome {
        Some(Outcome::Failed { message, .. }) => Some(message),
        _ => None,
    }
}

/// Shows sources in detail.
pub(super) fn run(
    entries: &[FullEntry],
    all: &[Entry],
    reader: &Reader,
    full_text: FullText,
    out: &mut Output,
) -> Result<(), Failure> {
    let now = SystemClock.now();
    for (n, entry) in entries.iter().enumerate() {
        let filter = PollFilter { source: Some(entry.facts.key), noteworthy: false };
        let polls = reader.polls(filter, POLLS)?;
        let polls: Vec<PollRecord> = polls.into_iter().map(|(_, poll)| poll).collect();
        let full_text = entry.source.full_text.unwrap_or(full_text);
        let whole = reader.site(entry.facts.key)?.whole;
        let dates = reader.dates_from(entry.facts.key, DATED)?;
        if out.json {
            let (source, full_text) = (SourceShape::of(entry, now), full_text.name());
            let changes = reader.followed_list(entry.facts.key)?.map(|list| list.changes);
            let changes = changes.filter(|changes| !changes.is_empty());
            let feed_has_full_text = whole;
            out.value(&Full { source, polls, full_text, feed_has_full_text, dates, changes })?;
            continue;
        }
        if n > 0 {
            out.line("")?;
        }
        for (name, value) in lines(entry, now) {
            out.line(format!("{name:<13} {value}"))?;
        }
        if entry.source.kind() == SourceKind::List {
            for (name, value) in list_lines(entry, all, reader)? {
                out.line(format!("{name:<13} {value}"))?;
            }
        } else {
            out.line(format!("{:<13} {}", "full text", full_text_line(full_text, whole)))?;
        }
        if entry.source.kind().reads_pages() && !dates.is_empty() {
            out.line(format!("{:<13} {}", "dates", dates_line(&dates)))?;
        }
        for poll in &polls {
            out.line(format!("{}  {}", minute(poll.at), poll_result(poll)))?;
        }
    }
    Ok(())
}

fn lines(entry: &FullEntry, now: Time) -> Vec<(String, String)> {
    let (source, facts) = (&entry.source, &entry.facts);
    let health = health(entry, now);
    let next = facts.next_poll.filter(|_| source.enabled && health != "gone");
    let before = [
        ("id", Some(source.id.to_string())),
        ("title", Some(entry.title().to_owned())),
        ("url", source.web_url().map(url::Url::to_string)),
        ("moved to", facts.moved_to.clone()),
        ("home page", facts.home_url.clone()),
        ("list", source.list.as_ref().map(SourceId::to_string)),
    ];
    // These settings have their own lines with more details.
    let shown_otherwise = ["title", "enabled", "full_text"];
    let settings = source_values(source).into_iter();
    let settings = settings.filter(|(key, ..)| !shown_otherwise.contains(key));
    let settings = settings.map(|(key, label, value)| {
        // Labels of selectors are not unique.
        let name = if key.starts_with("website.") { key.to_owned() } else { label.to_lowercase() };
        (name, Some(value))
    });
    let after = [
        ("state", Some(health.to_owned())),
        ("error", error(entry).map(str::to_owned)),
        ("broken", facts.website.broken().map(broken)),
        ("paused", facts.pause.filter(|p| p.until > now).map(|p| time_text::pause(&p, now))),
        ("next check", next.map(|at| time_text::clock(at, now))),
        (
            "items",
            Some(format!("{}, {} unread, {} pinned", facts.items, facts.unread, facts.pinned)),
        ),
    ];
    let named = |(name, value): (&str, Option<String>)| (name.to_owned(), value);
    let all = before.into_iter().map(named).chain(settings).chain(after.into_iter().map(named));
    all.filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The number of followed sources of a list, and the latest changes that the list has made.
fn list_lines(
    entry: &FullEntry,
    all: &[Entry],
    reader: &Reader,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let of_list = |e: &&Entry| e.source.list.as_ref() == Some(&entry.source.id);
    let count = all.iter().filter(of_list).count();
    let changes = reader.followed_list(entry.facts.key)?.unwrap_or_default().changes;
    let changes = (!changes.is_empty()).then_some(("last change", changes));
    Ok([("sources", count.to_string())].into_iter().chain(changes).collect())
}

/// Describes when the full text is fetched.
fn full_text_line(full_text: FullText, has_full_text: Option<bool>) -> String {
    if has_full_text == Some(true) {
        return match full_text {
            FullText::Never => "never fetched: the feed contains it".to_owned(),
            _ => "in the feed; fetched only if code has lost its layout".to_owned(),
        };
    }
    let when = match full_text {
        FullText::Never => "fetched only when you ask",
        FullText::OnOpen => "fetched when an item is opened",
        FullText::Pinned => "fetched when an item is pinned or opened",
        FullText::All => "fetched ahead of time for new items",
    };
    format!("{when} ({})", full_text.name())
}

/// Counts the origins of item dates: "12 from metadata, 3 from the text (not certain), 2 unknown".
fn dates_line(dates: &[DatesFrom]) -> String {
    let part = |of: &DatesFrom| match of.origin {
        None => format!("{} unknown", of.items),
        Some(DateOrigin { from, confidence, zone }) => {
            let zone = zone.map(|zone| format!(" (zone {})", zone.describe()));
            let unsure = if confidence == Confidence::Low { " (not certain)" } else { "" };
            let zone = zone.unwrap_or_default();
            format!("{} from {}{zone}{unsure}", of.items, from.describe())
        }
    };
    dates.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// The result of a poll, in one line.
fn poll_result(poll: &PollRecord) -> String {
    let status = poll.status.map_or_else(|| "  -".to_owned(), |s| s.to_string());
    let what = match &poll.outcome {
        Outcome::Unchanged => "unchanged".to_owned(),
        Outcome::Fetched { new, updated, entries } => {
            format!("{new} new, {updated} updated, {entries} in total")
        }
        Outcome::Failed { message, .. } => message.clone(),
    };
    let repairs = if poll.repairs.is_empty() {
        String::new()
    } else {
        format!("; notes: {}", poll.repairs.join(", "))
    };
    let left_out = LeftOut::describe(&poll.left_out).map(|left| format!("; {left}"));
    let left_out = left_out.unwrap_or_default();
    format!("{status}  {what}{left_out}{repairs}  ({} bytes, {} ms)", poll.bytes, poll.millis)
}

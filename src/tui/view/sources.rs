//! The Sources pane.

use super::super::app::{App, Focus, Row as SourceRow, RowId, Smart};
use super::chrome::{Marks, marks};
use super::has_focus;
use super::row::{Row, age, span};
use crate::config::Role;
use crate::engine::{self, Pulse};
use crate::model::{Health, Time};
use crate::tui::event::SourceEntry;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

/// Width from which items per day and the time to the next check are shown.
const WIDE: u16 = 28;

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let height = usize::from(area.height);
    let pane = &mut app.sources;
    pane.scroll_to_selection(height);
    app.areas.sources = Some(area);
    let focused = has_focus(app, Focus::Sources);
    let first = app.sources.scroll;
    for (i, row) in app.sources.rows.iter().enumerate().skip(first).take(height) {
        let y = area.y + u16::try_from(i - first).unwrap_or(0);
        let at = Rect { y, height: 1, ..area };
        let selected = i == app.sources.selected;
        frame.render_widget(line(app, row, selected, focused, area.width), at);
        if selected && focused && app.dialogs.is_empty() {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

fn line(
    app: &App,
    row: &SourceRow,
    selected: bool,
    focused: bool,
    width: u16,
) -> ratatui::text::Line<'static> {
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let whole = super::row_style(app, selected, focused);
    let part = |role| if selected { whole } else { style(role) };
    let mut out = Row::new(width);
    if row.count > 0 {
        let more = if row.more { "+" } else { "" };
        out.right(format!(" {}{more} ", row.count), part(Role::Accent));
    }
    let (state, role) = state(app, row, m, width);
    out.right_fitting(&state, part(role));
    let entry = row.entry.and_then(|i| app.sources.list.sources.get(i));
    if let Some(entry) = entry.filter(|_| width >= WIDE) {
        if let Some(rhythm) = app.rhythms.of(entry.facts.key) {
            let line = super::why::sparkline(&rhythm.per_day, app.settings.ui.ascii);
            out.right(format!(" {line}"), part(Role::Dim));
        }
        if let Some(next) = engine::next_check(&entry.source, &entry.facts, app.now).next {
            out.right(format!(" {}", until(app, next)), part(Role::Dim));
        }
    }
    let marked = matches!(row.id, RowId::Source(key) if app.sources.marked.contains(&key));
    out.left(if marked { m.selected } else { " " }, part(Role::Accent));
    out.left(&"  ".repeat(row.depth), whole);
    let (mark, role) = match &row.id {
        RowId::Smart(Smart::Pinned) => (m.pinned, Role::Pinned),
        RowId::Smart(Smart::Unread) => (m.unread, Role::Unread),
        RowId::Smart(Smart::Today) => (m.today, Role::Accent),
        RowId::Smart(Smart::Changed) => (m.changed, Role::Accent),
        RowId::Smart(Smart::All) => (m.all, Role::Dim),
        RowId::Saved(_) => (m.saved, Role::Accent),
        RowId::Tags if app.sources.tags_are_folded() => (m.folded, Role::Dim),
        RowId::Tags => (m.open, Role::Dim),
        RowId::Tag(_) => (m.tag, Role::Dim),
        RowId::Folder(f) if app.sources.folded.contains(f) => (m.folded, Role::Dim),
        RowId::Folder(_) => (m.open, Role::Dim),
        RowId::Source(_) => ("", Role::Text),
    };
    if !mark.is_empty() {
        out.left(&format!("{mark} "), part(role));
    }
    let title = match (&row.id, row.count > 0) {
        (RowId::Folder(_) | RowId::Tags, _) => Role::Header,
        (_, true) => Role::Unread,
        _ => Role::Text,
    };
    out.left(&row.title, part(title));
    out.line(whole)
}

/// The state of a source in a word, or a marker while it is polled.
fn state(app: &App, row: &SourceRow, m: &Marks, width: u16) -> (String, Role) {
    let Some(entry) = row.entry.and_then(|i| app.sources.list.sources.get(i)) else {
        return (String::new(), Role::Dim);
    };
    if app.status.claimed.contains(&entry.facts.key) {
        return (format!(" {}", m.busy), Role::Accent);
    }
    if !entry.source.enabled {
        return (" off".to_owned(), Role::Dim);
    }
    match entry.facts.health(app.now) {
        Health::New => (" new".to_owned(), Role::Dim),
        Health::Ok => match entry.facts.website.broken() {
            Some(problem) => {
                let since = age((app.now - problem.since).num_seconds());
                let since = if width >= WIDE { format!(" {since}") } else { String::new() };
                (format!(" {} broken{since}", m.broken), Role::Warning)
            }
            None => rhythm_state(app, entry, m),
        },
        // A pause alone is no error; with failures it gets the error marker.
        Health::Paused if entry.facts.fail_count > 0 => {
            (format!(" {} paused", m.failing), Role::Warning)
        }
        Health::Paused => (" paused".to_owned(), Role::Warning),
        Health::Retrying => (format!(" {}", m.failing), Role::Warning),
        Health::Failing => (format!(" {} failing", m.failing), Role::Error),
        Health::Gone => (format!(" {} gone", m.failing), Role::Error),
    }
}

/// The state of a healthy source compared with its usual rhythm and its schedule.
fn rhythm_state(app: &App, entry: &SourceEntry, m: &Marks) -> (String, Role) {
    if engine::next_check(&entry.source, &entry.facts, app.now).overdue {
        return (" late".to_owned(), Role::Warning);
    }
    let Some(rhythm) = app.rhythms.of(entry.facts.key) else { return (String::new(), Role::Dim) };
    let since = rhythm.newest.map_or(0, |newest| (app.now - newest).num_seconds());
    match rhythm.pulse {
        Pulse::Silent => (format!(" {} silent {}", m.failing, age(since)), Role::Warning),
        Pulse::Dead => (format!(" {} dead {}", m.failing, age(since)), Role::Dim),
        Pulse::Normal | Pulse::Unknown => (String::new(), Role::Dim),
    }
}

/// Time to the next check, at least one minute.
fn until(app: &App, next: Time) -> String {
    let seconds = (next - app.now).num_seconds();
    if seconds <= 0 { "now".to_owned() } else { age(seconds.max(60)) }
}

/// The next check of the selected source, for the bottom border of the pane.
pub(super) fn next_check(app: &App) -> Option<String> {
    let row = app.sources.current()?;
    let entry = app.sources.list.sources.get(row.entry?)?;
    let next = engine::next_check(&entry.source, &entry.facts, app.now).next?;
    Some(match (next - app.now).num_seconds() {
        ..=0 => "next check now".to_owned(),
        seconds => format!("next check in {}", span(seconds)),
    })
}

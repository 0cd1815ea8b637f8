//! The Sources pane: the list, and a card about the selected source below it.

use super::super::app::{App, Focus, Row as SourceRow, RowId, Smart};
use super::chrome::{Marks, marks};
use super::has_focus;
use super::row::{Row, padding, put};
use crate::config::Role;
use crate::engine::{self, Pulse};
use crate::model::{Health, SourceKind, Time};
use crate::tui::event::SourceEntry;
use crate::util::sparkline::sparkline;
use crate::util::text;
use crate::util::time_text::span;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

/// Minimum width for showing the next check of a failing source in its row.
const WIDE: u16 = 30;
/// Minimum height of a pane with the card.
const CARD_FROM: u16 = 26;
/// Number of rows in the card, including the rule above it.
const CARD: u16 = 5;

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let card = if area.height >= CARD_FROM && !app.settings.ui.linear { CARD } else { 0 };
    let list = Rect { height: area.height - card, ..area };
    (app.areas.sources, app.areas.card) = (Some(list), card > 0);
    let height = usize::from(list.height);
    app.sources.scroll_to_selection(height);
    // Groups are separated by empty rows, if there is space for all of these rows.
    let rows = &app.sources.rows;
    let starts_group = |i: usize| match rows[i].id {
        RowId::Folder(_) => rows[i].depth == 0,
        // The first source without a folder starts a group.
        RowId::Source(_) => {
            let above = i.checked_sub(1).map(|i| &rows[i]);
            rows[i].depth == 0
                && above.is_some_and(|row| !matches!(row.id, RowId::Source(_)) || row.depth > 0)
        }
        _ => false,
    };
    let blanks = || (0..rows.len()).filter(|i| starts_group(*i)).count();
    let parted = rows.len() <= height && rows.len() + blanks() <= height;
    // Without empty rows, an unindented source would seem to belong to the folder above it.
    let in_folder = |row: &SourceRow| matches!(row.id, RowId::Source(_)) && row.depth > 0;
    let is_loose = |pair: &[SourceRow]| {
        in_folder(&pair[0]) && matches!(pair[1].id, RowId::Source(_)) && pair[1].depth == 0
    };
    let flat = parted || !rows.windows(2).any(is_loose);
    let mut shown: Vec<Option<usize>> = Vec::with_capacity(height);
    for i in (app.sources.scroll..rows.len()).take(height) {
        if parted && starts_group(i) {
            shown.push(None);
        }
        shown.push(Some(i));
    }
    let focused = has_focus(app, Focus::Sources);
    // The results of a search are not the items of the selected row.
    let is_listed = focused || !app.is_search();
    for (y, i) in (list.y..list.bottom()).zip(&shown) {
        let Some(i) = *i else { continue };
        let at = Rect { y, height: 1, ..list };
        let selected = i == app.sources.selected;
        super::select(app, frame, at, selected, focused);
        let marked = (selected && is_listed, focused);
        let line = line(app, &app.sources.rows[i], marked, (area.width, flat));
        put(frame, &line, at);
        if selected && is_listed {
            super::select_bar(app, frame, at, focused);
        }
        if selected && focused && app.dialogs.is_empty() {
            frame.set_cursor_position(Position::new(list.x, y));
        }
    }
    let (first, all) = (app.sources.scroll, app.sources.rows.len());
    if all > height {
        super::scroll_bar(app, frame, list, first..(first + height).min(all), all);
    }
    app.sources.shown = shown;
    if card > 0 {
        draw_card(app, frame, Rect { y: list.bottom(), height: card, ..area });
    }
}

fn line(
    app: &App,
    row: &SourceRow,
    (selected, focused): (bool, bool),
    (width, flat): (u16, bool),
) -> Line<'static> {
    if app.settings.ui.linear {
        let style = super::title_style(app, Role::Text, selected, focused);
        return Line::styled(format!("  {}", super::linear::source(app, row)), style);
    }
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let pad = padding(width);
    let mut out = Row::new(width);
    out.right(" ".repeat(pad), Style::new());
    let (state, role) = state(app, row, m, width);
    let more = if row.more { "+" } else { "" };
    // Only the mark is shown, because the card below also shows the time of the next check.
    let mark = state.trim_start().split(' ').next().unwrap_or_default();
    let is_word = mark.starts_with(char::is_alphabetic);
    match row.count {
        count if count > 0 && !is_word => {
            let mark = if mark.is_empty() { String::new() } else { format!(" {mark}") };
            out.right(mark, style(role));
            out.right(format!(" {count}{more}"), style(Role::Dim));
        }
        _ => out.right_fitting(&state, style(role)),
    }
    let marked = matches!(row.id, RowId::Source(key) if app.sources.marked.contains(&key));
    let indent = match row.id {
        RowId::Source(_) if !flat => row.depth,
        RowId::Source(_) | RowId::Tag(_) => row.depth.saturating_sub(1),
        _ => row.depth,
    };
    out.left(&" ".repeat(pad + 2 * indent), Style::new());
    let (mark, role) = match &row.id {
        _ if marked => (m.selected, Role::Accent),
        RowId::Smart(Smart::Pinned) => (m.pinned, Role::Pinned),
        RowId::Smart(Smart::Unread) => (m.unread, Role::Accent),
        RowId::Smart(Smart::Today) => (m.today, Role::Soft),
        RowId::Smart(Smart::New) => (m.new, Role::Accent),
        RowId::Smart(Smart::Later) => (m.later, Role::Soft),
        RowId::Smart(Smart::Changed) => (m.changed, Role::Changed),
        RowId::Smart(Smart::All) => (m.all, Role::Soft),
        RowId::Saved(_) => (m.saved, Role::Soft),
        RowId::Tags if app.sources.tags_are_folded() => (m.folded, Role::Soft),
        RowId::Tags => (m.open, Role::Soft),
        RowId::Tag(_) => (m.tag, Role::Soft),
        RowId::Folder(f) if app.sources.folded.contains(f) => (m.folded, Role::Soft),
        RowId::Folder(_) => (m.open, Role::Soft),
        // The mark replaces the square, so that nothing moves during a refresh.
        RowId::Source(key) if app.status.claimed.contains(key) => (m.busy, Role::Accent),
        RowId::Source(key) => (m.square, app.sources.color(*key)),
    };
    out.left(&format!("{mark} "), style(role));
    let role = match (&row.id, row.count > 0) {
        (RowId::Folder(_) | RowId::Tags, _) => Role::Header,
        (RowId::Source(_) | RowId::Tag(_), false) => Role::Dim,
        (RowId::Source(_), true) => Role::Unread,
        _ => Role::Text,
    };
    let entry = row.entry.and_then(|i| app.sources.list.sources.get(i));
    let name = entry.map(|entry| app.sources.name(entry, out.free()));
    let name = name.as_deref().unwrap_or(&row.title);
    out.left(name, super::title_style(app, role, selected, focused));
    out.line(Style::new())
}

/// The state of a source that needs attention.
fn state(app: &App, row: &SourceRow, m: &Marks, width: u16) -> (String, Role) {
    let Some(entry) = row.entry.and_then(|i| app.sources.list.sources.get(i)) else {
        return (String::new(), Role::Dim);
    };
    if !entry.source.enabled {
        return (" off".to_owned(), Role::Dim);
    }
    let next = engine::next_check(&entry.source, &entry.facts, app.now);
    let attention = |mark: &str| {
        let wait = next.next.map(|at| (at - app.now).num_seconds()).filter(|wait| *wait > 0);
        match wait {
            Some(wait) if width >= WIDE => format!(" {mark} in {}", span(wait)),
            _ => format!(" {mark}"),
        }
    };
    match entry.facts.health(app.now) {
        Health::New if row.count == 0 => (" new".to_owned(), Role::Dim),
        Health::New => (String::new(), Role::Dim),
        Health::Ok if entry.facts.website.broken().is_some() => {
            (format!(" {}", m.broken), Role::Warning)
        }
        Health::Ok if next.overdue => (" late".to_owned(), Role::Warning),
        Health::Ok => (String::new(), Role::Dim),
        // A pause is not an error unless requests have failed.
        Health::Paused if entry.facts.fail_count == 0 => (" paused".to_owned(), Role::Dim),
        Health::Paused | Health::Retrying => (attention(m.failing), Role::Warning),
        Health::Failing => (attention(m.failing), Role::Error),
        Health::Gone => (format!(" {}", m.gone), Role::Error),
    }
}

/// A label, a value and its role, for a line of the card.
type Fact = (&'static str, String, Role);

/// Draws facts about the selected source, or the open article's source, or all sources.
fn draw_card(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let rule = Line::styled(m.across.repeat(area.width.into()), style(Role::Border));
    frame.render_widget(rule, Rect { height: 1, ..area });
    let pad = " ".repeat(padding(area.width));
    let source = app.sources.current().and_then(|row| row.entry);
    let source = source.and_then(|i| app.sources.list.sources.get(i)).or_else(|| {
        let article = app.reader.article.as_ref()?;
        app.sources.entry(article.row.source_key)
    });
    let mut y = area.y + 1;
    let mut put = |row: Row| {
        frame.render_widget(row.line(Style::new()), Rect { y, height: 1, ..area });
        y += 1;
    };
    let (per_day, facts) = match source {
        Some(entry) => {
            let mut row = Row::new(area.width.saturating_sub(2));
            row.left(&pad, Style::new());
            let color = style(app.sources.color(entry.facts.key));
            row.left(&format!("{} ", m.square), color);
            row.left(&app.sources.name(entry, row.free()), style(Role::Soft));
            put(row);
            let rhythm = app.rhythms.of(entry.facts.key);
            (rhythm.map(|r| r.per_day.clone()).unwrap_or_default(), source_facts(app, entry))
        }
        None => {
            let known = app.sources.list.sources.iter();
            let known = known.filter_map(|s| app.rhythms.of(s.facts.key));
            let mut sums: Vec<u32> = Vec::new();
            for rhythm in known {
                sums.resize(sums.len().max(rhythm.per_day.len()), 0);
                for (sum, day) in sums.iter_mut().zip(&rhythm.per_day) {
                    *sum = sum.saturating_add(*day);
                }
            }
            (sums, all_facts(app))
        }
    };
    if !per_day.is_empty() {
        let mut row = Row::new(area.width.saturating_sub(2));
        row.left(&pad, Style::new());
        let color = source.map_or(Role::Accent, |entry| app.sources.color(entry.facts.key));
        // A flat line shows no more than the words next to it.
        if per_day.windows(2).any(|days| days[0] != days[1]) {
            let line = sparkline(&per_day, app.settings.ui.ascii);
            row.left(&format!("{line}  "), style(color));
        }
        let (long, short) = rate(&per_day);
        let words = if text::width(&long) <= row.free() { long } else { short };
        row.left(&words, style(Role::Dim));
        put(row);
    }
    for (label, value, role) in facts {
        if y < area.bottom() {
            let mut row = Row::new(area.width.saturating_sub(2));
            row.left(&format!("{pad}{label:<9}"), style(Role::Dim));
            // If a value does not fit, only its first part is shown.
            if text::width(&value) <= row.free() {
                row.left(&value, style(role));
            } else if let Some((first, _)) = value.split_once(", ") {
                row.left(first, style(role));
            } else {
                row.left(&value, style(role));
            }
            frame.render_widget(row.line(Style::new()), Rect { y, height: 1, ..area });
            y += 1;
        }
    }
}

/// Items per day over the last seven days, in a long and a short form.
fn rate(per_day: &[u32]) -> (String, String) {
    let (number, unit) = engine::item_rate(per_day);
    let period = unit.split_once(' ').map_or(unit, |(_, period)| period);
    let long = match number.as_str() {
        "0" => format!("nothing {period}"),
        _ => format!("{number} {unit}"),
    };
    (long, format!("{number} {period}"))
}

fn source_facts(app: &App, entry: &SourceEntry) -> Vec<Fact> {
    let facts = &entry.facts;
    let mut all: Vec<Fact> = Vec::new();
    if let Some(last) = facts.last_poll {
        let ago = match (app.now - last).num_seconds() {
            ..60 => "just now".to_owned(),
            seconds => format!("{} ago", span(seconds)),
        };
        all.push(("Checked", ago, Role::Soft));
    }
    let since = |time: Time| span((app.now - time).num_seconds());
    // If the source works, a pause requested by its server only postpones the next check.
    let pause = facts.pause.filter(|pause| pause.until > app.now && pause.reason.is_from_error());
    if let Some(pause) = pause {
        all.push(("Paused", pause.reason.describe().to_owned(), Role::Warning));
    } else if facts.fail_count > 0 {
        let words = match facts.fail_count {
            1 => "once".to_owned(),
            times => format!("{times} times in a row"),
        };
        all.push(("Failing", words, Role::Warning));
    } else if let Some(problem) = facts.website.broken() {
        all.push(("Broken", format!("for {}", since(problem.since)), Role::Warning));
    } else if let Some(rhythm) = app.rhythms.of(facts.key)
        && let (Pulse::Silent | Pulse::Dead, Some(newest)) = (rhythm.pulse, rhythm.newest)
    {
        all.push(("Silent", format!("for {}", since(newest)), Role::Warning));
    }
    if let Some(account) = &entry.source.account {
        all.push(("Account", account.clone(), Role::Soft));
    }
    if let Some(list) = &entry.source.list {
        all.push(("List", list.to_string(), Role::Soft));
    } else if entry.source.kind() == SourceKind::List {
        let of_list = |s: &&SourceEntry| s.source.list.as_ref() == Some(&entry.source.id);
        let count = app.sources.list.sources.iter().filter(of_list).count();
        all.push(("Sources", count.to_string(), Role::Soft));
    }
    if !entry.source.enabled {
        all.push(("Next", "disabled".to_owned(), Role::Soft));
    } else if let Some(next) = engine::next_check(&entry.source, facts, app.now).next {
        all.push(("Next", wait(app, (next - app.now).num_seconds()), Role::Soft));
    }
    all
}

fn all_facts(app: &App) -> Vec<Fact> {
    let sources = &app.sources.list.sources;
    // The sources of an account are polled by its server.
    let local = || sources.iter().filter(|s| s.source.account.is_none());
    let checked = local().filter(|s| s.facts.last_poll.is_some()).count();
    let mut all = vec![("Checked", format!("{checked} of {}", local().count()), Role::Soft)];
    let failing: Vec<&SourceEntry> = sources.iter().filter(|s| s.facts.fail_count > 0).collect();
    if let Some(first) = failing.first() {
        all.push(("Failing", format!("{}, {}", failing.len(), first.title()), Role::Warning));
    }
    if let Some(next) = app.status.next {
        all.push(("Next", wait(app, (next - app.now).num_seconds()), Role::Soft));
    }
    all
}

fn wait(app: &App, seconds: i64) -> String {
    match seconds {
        _ if app.status.offline => "when online".to_owned(),
        ..=0 => "now".to_owned(),
        seconds => format!("in {}", span(seconds)),
    }
}

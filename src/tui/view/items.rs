//! The Items pane.

use super::super::app::{App, Focus, SearchBar};
use super::chrome::marks;
use super::has_focus;
use super::row::{Row, age};
use crate::config::{Action, Context, Role};
use crate::model::{ItemRow, Outcome};
use crate::store::Scope;
use crate::tui::event::SourceEntry;
use crate::tui::reader::wrap_plain;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

/// Reading speed in words per minute.
const PACE: u32 = 230;

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let height = usize::from(area.height);
    app.items.scroll_to_selection(height);
    app.areas.items = Some(area);
    let focused = has_focus(app, Focus::Items);
    if app.items.rows.is_empty() {
        let style = app.palette.style(Role::Dim);
        let width = usize::from(area.width).saturating_sub(2).max(1);
        for (y, line) in (area.y..area.bottom()).zip(wrap_plain(&empty_text(app), width)) {
            let at = Rect { y, height: 1, ..area };
            frame.render_widget(Line::styled(format!(" {line}"), style), at);
        }
        if focused {
            frame.set_cursor_position(Position::new(area.x, area.y));
        }
        return;
    }
    let first = app.items.scroll;
    for (i, row) in app.items.rows.iter().enumerate().skip(first).take(height) {
        let y = area.y + u16::try_from(i - first).unwrap_or(0);
        let selected = i == app.items.selected;
        let source = app.sources.entry(row.source_key).map_or("", |s| s.title());
        let line = line(app, row, source, selected, focused, area.width);
        frame.render_widget(line, Rect { y, height: 1, ..area });
        if selected && focused && app.dialogs.is_empty() {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

fn empty_text(app: &App) -> String {
    let typing = app.dialog::<SearchBar>().is_some();
    let text = match () {
        () if app.items.is_loading() => "",
        () if app.sources.list.sources.is_empty() => "No sources yet",
        () if typing || !app.items.listing.query.is_empty() => "Nothing matches",
        () => return empty_reason(app),
    };
    text.to_owned()
}

/// Why an unfiltered list is empty.
fn empty_reason(app: &App) -> String {
    let base = &app.items.listing.base;
    let within = |entry: &&SourceEntry| match &base.scope {
        Scope::Sources(keys) => keys.contains(&entry.facts.key),
        _ => true,
    };
    let sources: Vec<&SourceEntry> = app.sources.list.sources.iter().filter(within).collect();
    let failing: Vec<&SourceEntry> =
        sources.iter().copied().filter(|entry| entry.facts.fail_count > 0).collect();
    let nothing_yet = sources.iter().all(|entry| entry.facts.items == 0);
    match (nothing_yet, sources.len(), failing.as_slice()) {
        (false, ..) if base.unread_only => "No unread items".to_owned(),
        (true, 1, [only]) => match &only.facts.last_outcome {
            Some(Outcome::Failed { message, .. }) => format!("No items yet: {message}"),
            _ => "No items yet".to_owned(),
        },
        (true, all, [_, ..]) => {
            let key = app.keymap.keys_for(Context::Items, Action::Log);
            let hint = key.map(|key| format!(" ({key}: log)")).unwrap_or_default();
            format!("No items yet: {} of {all} sources failed{hint}", failing.len())
        }
        _ => "No items yet".to_owned(),
    }
}

fn line(
    app: &App,
    row: &ItemRow,
    source: &str,
    selected: bool,
    focused: bool,
    width: u16,
) -> Line<'static> {
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let whole = super::row_style(app, selected, focused);
    let part = |role| if selected { whole } else { style(role) };
    let mut out = Row::new(width);
    let minutes =
        if row.words == 0 { String::new() } else { format!("{}m", row.words.div_ceil(PACE)) };
    if width >= 50 {
        out.right(format!(" {minutes:>4} "), part(Role::Dim));
    }
    if let Some(count) = row.comment_count.filter(|count| *count > 0 && width >= 90) {
        let new =
            if row.new_comments > 0 { format!("+{}", row.new_comments) } else { String::new() };
        out.right(format!(" {:>6}", format!("{count}c{new}")), part(Role::Dim));
    }
    let space = if width >= 70 { 16 } else { 10 };
    if width >= 46 && !is_one_source(app) {
        let name = crate::util::text::truncate(source, space).into_owned();
        let pad = " ".repeat(space.saturating_sub(crate::util::text::width(&name)));
        out.right(format!("  {name}{pad}"), part(Role::Dim));
    }
    let selected_mark = app.items.marked.contains(&row.key);
    let (mark, role) = match (selected_mark, row.pinned, row.read) {
        (true, ..) => (m.selected, Role::Accent),
        _ if row.substantial => (m.changed, Role::Accent),
        _ if row.changed => (m.edited, Role::Dim),
        (_, true, _) => (m.pinned, Role::Pinned),
        (_, _, false) => (m.unread, Role::Unread),
        _ => (" ", Role::Text),
    };
    out.left(&format!(" {mark} "), part(role));
    let age = age((app.now - row.date).num_seconds());
    out.left(&format!("{age:<3} "), part(Role::Dim));
    let title =
        if row.title.is_empty() { row.url.as_deref().unwrap_or("(no title)") } else { &row.title };
    out.left(title, part(if row.read { Role::Dim } else { Role::Unread }));
    out.line(whole)
}

/// Whether the list shows a single source, whose name needs no column.
fn is_one_source(app: &App) -> bool {
    matches!(&app.items.listing.base.scope, Scope::Sources(keys) if keys.len() == 1)
}

//! Dialogs on top of the panes.

use super::super::app::{
    App, Completion, Confirm, Hit, LinkList, LogList, Palette, Prompt, SearchBar, Starters,
};
use super::super::input::Field;
use super::chrome::marks;
use super::row::{Row, age};
use crate::article::LinkKind;
use crate::config::{Context, Role};
use crate::model::{ErrorKind, Outcome};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, BorderType, Clear};

/// Where a dialog is drawn.
#[derive(Debug, Clone, Copy)]
pub(in crate::tui) struct DialogArea {
    /// The screen between the top and the bottom line.
    pub(in crate::tui) body: Rect,
    /// The bottom line.
    pub(in crate::tui) foot: Rect,
    /// Whether the dialog has the keys.
    pub(in crate::tui) is_top: bool,
}

/// Draws the open dialogs.
pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, body: Rect, foot: Rect) {
    let mut dialogs = std::mem::take(&mut app.dialogs);
    let count = dialogs.len();
    let covers = dialogs.iter().position(|dialog| !dialog.is_line());
    for (i, dialog) in dialogs.iter_mut().enumerate() {
        if covers == Some(i) {
            app.palette.cover(frame.buffer_mut(), body);
        }
        dialog.draw(app, frame, DialogArea { body, foot, is_top: i + 1 == count });
    }
    app.dialogs = dialogs;
}

pub(in crate::tui) fn search(app: &App, frame: &mut Frame<'_>, bar: &SearchBar, foot: Rect) {
    let label = if bar.is_filter { " Filter: " } else { " Search: " };
    let role = if bar.insisted { Role::Warning } else { Role::Dim };
    completed_line(app, frame, label, (&bar.field, &bar.completion, &bar.error), role, foot);
}

pub(in crate::tui) fn prompt(app: &App, frame: &mut Frame<'_>, prompt: &Prompt, foot: Rect) {
    let mut label = format!(" {}: ", prompt.kind.label());
    if let Some(find) = &app.reader.find {
        let at = if find.count() == 0 { 0 } else { find.at + 1 };
        label = format!(" {} ({at} of {}): ", prompt.kind.label(), find.count());
    }
    let typed = (&prompt.field, &prompt.completion, &prompt.error);
    completed_line(app, frame, &label, typed, Role::Dim, foot);
}

/// A field with its completion or its error.
fn completed_line(
    app: &App,
    frame: &mut Frame<'_>,
    label: &str,
    (field, completion, error): (&Field, &Option<Completion>, &Option<String>),
    role: Role,
    foot: Rect,
) {
    field_line(app, frame, label, field, foot);
    if let Some(completion) = completion {
        super::complete::candidates(app, frame, completion, foot);
    } else if let Some(error) = error {
        let used = crate::util::text::width(label);
        super::complete::message_line(app, frame, error, role, field, used, foot);
    }
}

/// A label and a field on one line, with the terminal cursor in the field.
pub(super) fn field_line(app: &App, frame: &mut Frame<'_>, label: &str, field: &Field, area: Rect) {
    // What was drawn there before, such as a message, must not shine through.
    frame.render_widget(Clear, area);
    let mut row = Row::new(area.width);
    let used = crate::util::text::width(label).min(usize::from(area.width) / 2);
    row.left(&crate::util::text::truncate(label, used), app.palette.style(Role::KeyHint));
    let (shown, cursor) = field.visible(usize::from(area.width).saturating_sub(used + 1).max(1));
    row.left(&shown, app.palette.style(Role::Input));
    frame.render_widget(row.line(app.palette.style(Role::Text)), area);
    let x = area.x + u16::try_from(used + cursor).unwrap_or(0);
    frame.set_cursor_position(Position::new(x.min(area.right().saturating_sub(1)), area.y));
}

/// An empty dialog box; returns the area inside its border.
pub(super) fn window(
    app: &App,
    frame: &mut Frame<'_>,
    body: Rect,
    title: &str,
    size: (u16, u16),
) -> Rect {
    let width = size.0.min(body.width);
    let height = size.1.min(body.height);
    let area = Rect {
        x: body.x + (body.width - width) / 2,
        y: body.y + (body.height - height) / 3,
        width,
        height,
    };
    clear(frame, area);
    frame.buffer_mut().set_style(area, app.palette.style(Role::Text));
    let mut block = Block::bordered()
        .title(format!(" {title} "))
        .border_style(app.palette.style(Role::BorderFocus))
        .title_style(app.palette.style(Role::Header));
    if app.settings.ui.ascii {
        block = block.border_set(ASCII_BORDER);
    } else {
        block = block.border_type(BorderType::Plain);
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}

/// Clears an area. A wide character that reaches into it from the left is removed, because its
/// second cell would hide the border.
fn clear(frame: &mut Frame<'_>, area: Rect) {
    frame.render_widget(Clear, area);
    let Some(left) = area.x.checked_sub(1) else { return };
    for y in area.top()..area.bottom() {
        let cell = &mut frame.buffer_mut()[(left, y)];
        if crate::util::text::width(cell.symbol()) > 1 {
            cell.set_symbol(" ");
        }
    }
}

const ASCII_BORDER: ratatui::symbols::border::Set<'static> = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// A list with a selected row, scrolled so that it is visible.
pub(super) fn rows(
    app: &App,
    frame: &mut Frame<'_>,
    area: Rect,
    count: usize,
    selected: usize,
    mut draw: impl FnMut(usize, &mut Row, bool),
) {
    let height = usize::from(area.height);
    if height == 0 {
        return;
    }
    let first = (selected + 1).saturating_sub(height).max(selected.saturating_sub(height / 2));
    let first = first.min(count.saturating_sub(height));
    for i in first..count.min(first + height) {
        let y = area.y + u16::try_from(i - first).unwrap_or(0);
        let mut row = Row::new(area.width);
        let here = i == selected;
        draw(i, &mut row, here);
        let style = app.palette.style(if here { Role::Selected } else { Role::Text });
        frame.render_widget(row.line(style), Rect { y, height: 1, ..area });
        if here {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

/// The style of a role, unless the row is selected.
pub(super) fn role(app: &App, here: bool, role: Role) -> ratatui::style::Style {
    app.palette.style(if here { Role::Selected } else { role })
}

pub(super) fn split_field(inner: Rect) -> (Rect, Rect) {
    let field = Rect { height: inner.height.min(1), ..inner };
    let list = Rect { y: inner.y + field.height, height: inner.height - field.height, ..inner };
    (field, list)
}

pub(in crate::tui) fn palette(app: &App, frame: &mut Frame<'_>, palette: &Palette, body: Rect) {
    let inner = window(app, frame, body, "Commands", (90, 20));
    let (field, list) = split_field(inner);
    let hits = app.palette_hits(palette);
    let selected = palette.selected.min(hits.len().saturating_sub(1));
    // If the help text of the selected command is clipped, show it below the list.
    let names = if hits.iter().any(|hit| hit.argument.is_some()) { 28 } else { 18 };
    let names = names.min(usize::from(list.width) / 2);
    let summary = hits.get(selected).map_or("", |hit| hit.help.as_str());
    let lines = super::super::reader::wrap_plain(summary, list.width.max(8).into());
    let clipped =
        names + crate::util::text::width(summary) > usize::from(list.width).saturating_sub(6);
    let clipped = clipped && list.height > 4;
    let space =
        if clipped { u16::try_from(lines.len()).unwrap_or(0).min(list.height / 2) } else { 0 };
    let list = Rect { height: list.height - space, ..list };
    let context = app.context();
    if hits.is_empty() {
        let none = ratatui::text::Line::styled("No match", app.palette.style(Role::Dim));
        frame.render_widget(none, list);
    }
    rows(app, frame, list, hits.len(), selected, |i, row, here| {
        let Hit { action, argument, help, .. } = &hits[i];
        let keys = match argument {
            None => app.keymap.keys_for(context, *action).unwrap_or_default(),
            Some(_) => String::new(),
        };
        row.right(format!(" {keys}"), role(app, here, Role::KeyHint));
        let name = argument.as_deref().filter(|a| !a.is_empty()).unwrap_or(action.name());
        let name = crate::util::text::truncate(name, names - 1);
        let gap = names.saturating_sub(crate::util::text::width(&name));
        row.left(&name, role(app, here, Role::Accent));
        row.left(&" ".repeat(gap), role(app, here, Role::Text));
        row.left(help, role(app, here, Role::Text));
    });
    for (y, line) in (list.bottom()..inner.bottom()).zip(lines) {
        let line = ratatui::text::Line::styled(line, app.palette.style(Role::Dim));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
    field_line(app, frame, ": ", &palette.field, field);
}

/// A question with what Enter does below it.
pub(in crate::tui) fn confirm(app: &App, frame: &mut Frame<'_>, confirm: &Confirm, body: Rect) {
    let lines = super::super::reader::wrap_plain(&confirm.question, 56);
    let height = u16::try_from(lines.len() + 3).unwrap_or(u16::MAX);
    let inner = window(app, frame, body, "Remove", (60, height));
    let key = app.keymap.keys_for(Context::Everywhere, crate::config::Action::Undo);
    let undo = key.map(|key| format!("{key} brings them back.")).unwrap_or_default();
    let lines = lines.into_iter().map(|line| (line, Role::Text)).chain([(undo, Role::Dim)]);
    for (y, (line, role)) in (inner.y..inner.bottom()).zip(lines) {
        let line = ratatui::text::Line::styled(line, app.palette.style(role));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
}

pub(in crate::tui) fn log(app: &App, frame: &mut Frame<'_>, log: &LogList, body: Rect) {
    let inner = window(app, frame, body, "Log: failed polls and notes", (body.width, body.height));
    let Some(polls) = &log.polls else { return };
    if polls.is_empty() {
        frame.render_widget(ratatui::text::Line::raw("No failures."), inner);
        return;
    }
    // The selected entry is shown in full below.
    let summary = 6.min(inner.height / 2);
    let list = Rect { height: inner.height - summary, ..inner };
    rows(app, frame, list, polls.len(), log.selected, |i, row, here| {
        let (source, poll) = &polls[i];
        let (text, tone) = describe_outcome(&poll.outcome, &poll.repairs);
        row.left(
            &format!("{:>4}  ", age((app.now - poll.at).num_seconds())),
            role(app, here, Role::Dim),
        );
        let name = app.source_name(source);
        let name = crate::util::text::truncate(name, 24).into_owned();
        let gap = " ".repeat(25usize.saturating_sub(crate::util::text::width(&name)));
        row.left(&(name + &gap), role(app, here, Role::Accent));
        row.left(&text, role(app, here, tone));
    });
    let Some((source, poll)) = polls.get(log.selected) else { return };
    let detail = Rect { y: list.bottom(), height: summary, ..inner };
    let mut text = describe_outcome(&poll.outcome, &poll.repairs).0;
    if !poll.repairs.is_empty() && matches!(poll.outcome, Outcome::Failed { .. }) {
        text += &format!("; {}", poll.repairs.join("; "));
    }
    let entry = app.sources.list.sources.iter().find(|s| s.source.id == *source);
    if let Some(next) = entry.and_then(|e| e.facts.next_poll) {
        let next = next.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M");
        text += &format!(". Next try: {next}");
    }
    let wrapped = super::super::reader::wrap_plain(&text, detail.width.into());
    for (y, line) in (detail.y + 1..detail.bottom()).zip(wrapped) {
        let line = ratatui::text::Line::styled(line, app.palette.style(Role::Text));
        frame.render_widget(line, Rect { y, height: 1, ..detail });
    }
}

fn describe_outcome(outcome: &Outcome, repairs: &[String]) -> (String, Role) {
    match outcome {
        Outcome::Failed { kind, message } => {
            let role = if *kind == ErrorKind::Politeness { Role::Warning } else { Role::Error };
            (message.clone(), role)
        }
        _ => (format!("notes: {}", repairs.join("; ")), Role::Warning),
    }
}

pub(in crate::tui) fn links(app: &App, frame: &mut Frame<'_>, list: &LinkList, body: Rect) {
    let height = u16::try_from(list.links.len() + 2).unwrap_or(u16::MAX);
    let title = if list.digits.is_empty() {
        "Links".to_owned()
    } else {
        format!("Links: {}_", list.digits)
    };
    let inner = window(app, frame, body, &title, (100, height));
    rows(app, frame, inner, list.links.len(), list.selected, |i, row, here| {
        let (url, kind) = &list.links[i];
        let what = match kind {
            LinkKind::Page => "",
            LinkKind::Image => " image",
            LinkKind::Media => " media",
        };
        row.right(what, role(app, here, Role::Dim));
        row.left(&format!("{:>3} ", i + 1), role(app, here, Role::KeyHint));
        row.left(url, role(app, here, Role::Link));
    });
}

pub(in crate::tui) fn starters(app: &App, frame: &mut Frame<'_>, starters: &Starters, body: Rect) {
    let height = u16::try_from(starters.rows.len() + 2).unwrap_or(u16::MAX);
    let inner = window(app, frame, body, "Well-known sources", (72, height));
    let m = marks(app);
    rows(app, frame, inner, starters.rows.len(), starters.selected, |i, row, here| {
        let (folder, title) = &starters.rows[i];
        let mark = if starters.checked[i] { m.selected } else { " " };
        row.right(folder.as_str(), role(app, here, Role::Dim));
        row.left(&format!("[{mark}] "), role(app, here, Role::KeyHint));
        row.left(title, role(app, here, Role::Text));
    });
}

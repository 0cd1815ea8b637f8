//! The form of a source or the settings.

use super::super::app::{App, Editor};
use super::super::input::Field;
use super::super::reader::wrap_plain;
use super::dialogs::DialogArea;
use super::frame::{shape, window};
use super::gallery;
use super::row::Row;
use crate::config::{Depth, FormField, FormPage, Role};
use crate::util::{text, time_text};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

/// Width of the dialog, in cells.
const WIDTH: u16 = 100;
/// Width and height of the settings dialog, which shows previews of themes.
const SETTINGS_SIZE: (u16, u16) = (118, 32);
/// Minimum and maximum width of the label column, in cells.
const LABELS: (u16, u16) = (18, 24);
/// Minimum and maximum width of the label column in a narrow form.
const NARROW_LABELS: (u16, u16) = (15, 23);
/// Width below which a form is narrow, in cells.
const NARROW: u16 = 60;
/// Number of rows for the tabs.
const HEAD: u16 = 3;
/// Number of rows for the help below the fields, if there is space.
const FOOT: u16 = 3;
/// Minimum height for `HEAD` and `FOOT` rows.
const TALL: u16 = 14;

/// Minimum height for two rows of help.
const TWO_HELP_ROWS: u16 = 10;

/// A clickable part of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Place {
    Field(usize),
    Page(FormPage),
    /// A theme in the gallery, by index.
    Theme(usize),
}

/// One line of the form.
enum Line {
    Field(usize),
    /// A line of the error of the field above.
    Wrong(String),
    Empty,
}

/// The parts of the area inside the border.
struct Parts {
    pages: Rect,
    fields: Rect,
    /// The previews of the themes, next to the fields.
    gallery: Rect,
    help: Rect,
}

/// Minimum width of a screen whose panes stay visible while a theme is chosen.
const BESIDE: u16 = 74;

/// Whether only the themes are shown, in a column on the right, so that the rest shows the previewed theme.
fn is_column(app: &App, editor: &Editor, width: u16) -> bool {
    editor.chooses_theme() && width >= BESIDE && !app.settings.ui.linear
}

/// The part of the screen for the form, and the size of its content.
fn place(app: &App, editor: &Editor, body: Rect) -> (Rect, (u16, u16)) {
    if !is_column(app, editor, body.width) {
        return (body, size_for(editor));
    }
    // The mark of the current theme uses a cell next to the previews.
    let width = gallery::COLUMN + 1 + 2 * (1 + super::frame::padding(0));
    (Rect { x: body.right() - width, width, ..body }, (width, u16::MAX))
}

fn parts(app: &App, editor: &Editor, inner: Rect) -> Parts {
    if is_column(app, editor, app.size.0) {
        let none = Rect { height: 0, ..inner };
        let fields = Rect { height: inner.height.min(1), ..inner };
        let above = (inner.y + 2).min(inner.bottom());
        let left = inner.x + 1;
        let width = inner.width.saturating_sub(1);
        let gallery = Rect { x: left, y: above, width, height: inner.bottom() - above };
        return Parts { pages: none, fields, gallery, help: none };
    }
    let (head, foot) = match inner.height {
        TALL.. => (HEAD, FOOT),
        TWO_HELP_ROWS.. => (1, 2),
        _ => (1, 1),
    };
    let pages = Rect { height: inner.height.min(1), ..inner };
    let foot = if inner.height > 2 { foot } else { 0 };
    let help = Rect { y: inner.bottom().saturating_sub(foot), height: foot, ..inner };
    let top = (inner.y + head).min(inner.bottom());
    let middle = Rect { y: top, height: help.y.saturating_sub(top), ..inner };
    let beside = if editor.shows_themes() { gallery::width_beside(inner.width) } else { 0 };
    let gap = if beside > 0 { gallery::BEFORE } else { 0 };
    let fields = Rect { width: middle.width - beside - gap, ..middle };
    let gallery = Rect { x: fields.right() + gap, width: beside, ..middle };
    Parts { pages, fields, gallery, help }
}

/// Width of the labels on the open page.
fn labels_width(editor: &Editor, width: u16) -> u16 {
    let (least, most) = if width < NARROW { NARROW_LABELS } else { LABELS };
    let fields = editor.form.iter().flat_map(|form| form.fields());
    let page = editor.page();
    let longest =
        fields.filter(|field| field.page() == page).map(|field| text::width(&field.label));
    let longest = u16::try_from(longest.max().unwrap_or(0) + 2).unwrap_or(most);
    longest.clamp(least, most).min(width / 2)
}

/// Width and height of the content. The height is that of the longest page.
fn size_for(editor: &Editor) -> (u16, u16) {
    if editor.is_settings() {
        return SETTINGS_SIZE;
    }
    let fields = editor.form.iter().flat_map(|form| form.fields());
    let on = |page| fields.clone().filter(|field| field.page() == page).count();
    let rows = FormPage::ALL.into_iter().map(on).max().unwrap_or(8);
    let rows = u16::try_from(2 * rows).unwrap_or(u16::MAX);
    (WIDTH, rows.saturating_add(HEAD + FOOT))
}

/// The area inside the border on a screen of this size.
fn inside(app: &App, editor: &Editor) -> Rect {
    let (body, size) = place(app, editor, super::body_of(app.size));
    shape(body, size).inner
}

/// The visible lines of the open page, scrolled to the focused field, the number of lines above them, and the
/// total.
fn lines(editor: &Editor, area: Rect) -> (Vec<Line>, usize, usize) {
    let Some(form) = &editor.form else { return (Vec::new(), 0, 0) };
    let page = editor.page();
    let shown: Vec<usize> =
        editor.shown().into_iter().filter(|&i| form.fields()[i].page() == page).collect();
    let spaced = 2 * shown.len() <= usize::from(area.height);
    let mut lines = Vec::new();
    let mut here = 0..0;
    for i in shown {
        let first = lines.len();
        lines.push(Line::Field(i));
        if let Some(error) = &form.fields()[i].error {
            let space = area.width.saturating_sub(labels_width(editor, area.width) + 2).max(8);
            let text = wrap_plain(error, space.into()).into_iter().enumerate();
            let mark = |i| if i == 0 { "✗" } else { " " };
            lines.extend(text.map(|(i, line)| Line::Wrong(format!("{} {line}", mark(i)))));
        }
        if i == editor.focus {
            here = first..lines.len();
        }
        if spaced {
            lines.push(Line::Empty);
        }
    }
    let height = usize::from(area.height);
    // The error is scrolled into view too, but never at the expense of its field.
    let top = here.end.saturating_sub(height).min(here.start);
    // A trailing empty line is not counted, because it separates nothing.
    let all = lines.len() - usize::from(matches!(lines.last(), Some(Line::Empty)));
    lines.drain(..top);
    lines.truncate(height);
    (lines, top, all)
}

/// The visible tabs of the pages, and whether there are more before and after them.
struct Tabs {
    shown: Vec<(FormPage, Rect, String)>,
    before: bool,
    after: bool,
}

/// Width of the mark for more tabs, in cells.
const MORE: u16 = 2;

/// The tabs that fit completely. The tab of the open page is always included.
fn tabs(editor: &Editor, area: Rect) -> Tabs {
    let Some(form) = &editor.form else {
        return Tabs { shown: Vec::new(), before: false, after: false };
    };
    let pages = editor.pages();
    let named = |page: FormPage| {
        let wrong = form.fields().iter().any(|f| f.page() == page && f.error.is_some());
        let mark = if wrong { "!" } else { "" };
        (page, format!("{}{mark}", page.title()))
    };
    let named: Vec<_> = pages.into_iter().map(named).collect();
    let names = named.iter().map(|(_, name)| text::width(name)).sum::<usize>();
    let wide = names + 3 * named.len().saturating_sub(1) <= area.width.into();
    let gap = if wide { 3 } else { 2 };
    let cells = |part: &[(FormPage, String)]| {
        part.iter().map(|(_, name)| text::width(name) + gap).sum::<usize>().saturating_sub(gap)
    };
    let count = named.len();
    let open = named.iter().position(|(page, _)| *page == editor.page()).unwrap_or(0);
    let fits = |from: usize, to: usize| {
        let signs = usize::from(from > 0) + usize::from(to < count);
        cells(&named[from..to]) + signs * usize::from(MORE) <= area.width.into()
    };
    let (mut from, mut to) = (0, count.min(open + 1));
    while from < open && !fits(from, to) {
        from += 1;
    }
    while to < count && fits(from, to + 1) {
        to += 1;
    }
    let mut x = area.x + if from > 0 { MORE } else { 0 };
    let place = |(page, name): &(FormPage, String)| {
        let width = u16::try_from(text::width(name)).unwrap_or(u16::MAX);
        let width = width.min(area.right().saturating_sub(x));
        let tab = (*page, Rect { x, width, ..area }, name.clone());
        x += width + u16::try_from(gap).unwrap_or(0);
        tab
    };
    let shown = named[from..to].iter().map(place).collect();
    Tabs { shown, before: from > 0, after: to < count }
}

/// Number of theme previews in each row; 1 if they are not in rows.
pub(in crate::tui) fn theme_columns(app: &App, editor: &Editor) -> u16 {
    let width = parts(app, editor, inside(app, editor)).gallery.width;
    let one = app.settings.ui.linear || app.palette.support().depth == Depth::Mono;
    if one { 1 } else { gallery::columns(width).max(1) }
}

/// The part of the form at a screen position.
pub(in crate::tui) fn at(app: &App, editor: &Editor, at: Position) -> Option<Place> {
    let parts = parts(app, editor, inside(app, editor));
    if parts.gallery.contains(at) && !app.settings.ui.linear {
        return gallery::at(app, &editor.gallery, parts.gallery, at).map(Place::Theme);
    }
    if parts.pages.contains(at) {
        let tab =
            tabs(editor, parts.pages).shown.into_iter().find(|(_, area, _)| area.contains(at));
        return tab.map(|(page, ..)| Place::Page(page));
    }
    if !parts.fields.contains(at) {
        return None;
    }
    match lines(editor, parts.fields).0.get(usize::from(at.y - parts.fields.y))? {
        Line::Field(field) => Some(Place::Field(*field)),
        Line::Wrong(_) | Line::Empty => None,
    }
}

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, editor: &Editor, area: DialogArea) {
    let title = match editor.is_settings() {
        _ if editor.chooses_theme() => ("Choose a theme", "config.toml"),
        true => ("Settings", "config.toml"),
        false if editor.is_new() => ("New source", editor.title.as_str()),
        false => ("Edit source", editor.title.as_str()),
    };
    let (body, size) = place(app, editor, area.body);
    let inner = window(app, frame, DialogArea { body, ..area }, title, size);
    let style = |role| app.palette.style(role);
    if editor.form.is_none() {
        frame.render_widget(ratatui::text::Line::styled("Loading …", style(Role::Dim)), inner);
        return;
    }
    let parts = parts(app, editor, inner);
    if !parts.pages.is_empty() {
        draw_tabs(app, frame, editor, parts.pages, inner.height >= TALL);
    }
    let field_at = |y| Rect { y, height: 1, ..parts.fields };
    let (lines, top, all) = lines(editor, parts.fields);
    let seen = top..top + lines.len();
    let used = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    for (y, line) in (parts.fields.y..).zip(lines) {
        match line {
            Line::Field(i) => draw_field(app, frame, editor, i, field_at(y)),
            Line::Wrong(text) => {
                let text = if app.settings.ui.ascii { text.replace('✗', "x") } else { text };
                let mut row = Row::new(parts.fields.width);
                let labels = labels_width(editor, parts.fields.width);
                row.left(&" ".repeat(labels.into()), style(Role::Text));
                row.left(&text, style(Role::Error));
                frame.render_widget(row.line(style(Role::Text)), field_at(y));
            }
            Line::Empty => {}
        }
    }
    if seen.len() < all {
        // The scroll bar is in the gap next to the fields.
        let beside = Rect { width: parts.fields.width + 1, ..parts.fields };
        super::scroll_bar(app, frame, beside, seen, all);
    }
    if !parts.gallery.is_empty() && !app.settings.ui.linear {
        gallery::draw(app, frame, &editor.gallery, parts.gallery);
    }
    if editor.is_settings() && editor.page() == FormPage::Keys {
        let top = parts.fields.y.saturating_add(used).min(parts.fields.bottom());
        let free = Rect { y: top, height: parts.fields.bottom() - top, ..parts.fields };
        super::key_table::draw(app, frame, editor, free);
    }
    if !parts.help.is_empty() {
        draw_help(app, frame, editor, parts.help);
    }
}

fn draw_tabs(app: &App, frame: &mut Frame<'_>, editor: &Editor, area: Rect, ruled: bool) {
    let style = |role| app.palette.style(role);
    let below = Rect { y: area.y + 1, ..area };
    if ruled {
        super::dialogs::rule(app, frame, below);
    }
    let tabs = tabs(editor, area);
    let (left, right) = if app.settings.ui.ascii { ("<", ">") } else { ("‹", "›") };
    let end = area.right().saturating_sub(1);
    for (sign, x, _) in [(left, area.x, tabs.before), (right, end, tabs.after)]
        .into_iter()
        .filter(|(.., more)| *more)
    {
        let at = Rect { x, width: 1, height: area.height, ..area };
        frame.render_widget(ratatui::text::Line::styled(sign, style(Role::Dim)), at);
    }
    for (page, area, name) in tabs.shown {
        let here = page == editor.page();
        let role = if here { Role::Title } else { Role::Soft };
        frame.render_widget(ratatui::text::Line::styled(name.clone(), style(role)), area);
        if here && ruled {
            let across = if app.settings.ui.ascii { "=" } else { "━" };
            let line = across.repeat(text::width(&name));
            let line = ratatui::text::Line::styled(line, style(Role::BorderFocus));
            let width = u16::try_from(line.width()).unwrap_or(area.width).min(area.width);
            frame.render_widget(line, Rect { y: below.y, width, ..area });
        }
    }
}

/// Draws the help of the focused field, or its error.
fn draw_help(app: &App, frame: &mut Frame<'_>, editor: &Editor, area: Rect) {
    let Some(form) = &editor.form else { return };
    let field = form.fields().get(editor.focus);
    let (words, role) = match &form.problem {
        Some(why) => (why.clone(), Role::Error),
        None => (field.map_or("", |f| f.help()).to_owned(), Role::Soft),
    };
    let waits = field.is_some_and(|f| f.needs_restart()) && form.problem.is_none();
    let note = if waits { "Restart to apply. " } else { "" };
    let area = match area.height {
        FOOT => {
            super::dialogs::rule(app, frame, Rect { height: 1, ..area });
            Rect { y: area.y + 1, height: area.height - 1, ..area }
        }
        _ => area,
    };
    let area = search_line(app, frame, editor, area);
    let area = next_check(app, frame, editor, area);
    let mut lines = wrap_plain(&format!("{note}{words}"), area.width.max(8).into());
    if lines.len() > usize::from(area.height) {
        lines.truncate(area.height.into());
        if let Some(last) = lines.last_mut() {
            *last = text::truncate(&format!("{last} …"), area.width.into()).into_owned();
        }
    }
    for (i, (y, line)) in (area.y..area.bottom()).zip(lines).enumerate() {
        let mut row = Row::new(area.width);
        let rest = line.strip_prefix(note).filter(|_| i == 0 && waits);
        if rest.is_some() {
            row.left(note, app.palette.style(Role::Warning));
        }
        row.left(rest.unwrap_or(&line), app.palette.style(role));
        frame.render_widget(row.line(app.palette.style(Role::Text)), Rect { y, height: 1, ..area });
    }
}

/// Draws the time of the next check in the last row of the schedule page; returns the area above.
fn next_check(app: &App, frame: &mut Frame<'_>, editor: &Editor, area: Rect) -> Rect {
    let next = editor.next_check.as_ref().filter(|_| {
        editor.page() == FormPage::Schedule && editor.search.is_none() && area.height > 1
    });
    let Some(next) = next else { return area };
    let when = match next.next.map(|at| (at - app.now).num_seconds()) {
        Some(wait @ 1..) => format!("in {}", time_text::span(wait)),
        Some(_) => "now".to_owned(),
        None => "never".to_owned(),
    };
    let mut row = Row::new(area.width);
    row.left("Next check with these values  ", app.palette.style(Role::Soft));
    row.left(&when, app.palette.style(Role::Title));
    let last = Rect { y: area.bottom() - 1, height: 1, ..area };
    frame.render_widget(row.line(app.palette.style(Role::Text)), last);
    Rect { height: area.height - 1, ..area }
}

/// Draws the search for a field in the first row; returns the area below.
fn search_line(app: &App, frame: &mut Frame<'_>, editor: &Editor, area: Rect) -> Rect {
    let Some(search) = editor.search.as_ref().filter(|_| !area.is_empty()) else { return area };
    let found = editor.matches();
    let at = found.iter().position(|field| *field == editor.focus).map_or(0, |at| at + 1);
    let label = match search.field.value() {
        "" => "Find a setting: ".to_owned(),
        _ => format!("Find a setting ({at} of {}): ", found.len()),
    };
    let line = Rect { height: 1, ..area };
    let label = super::dialogs::prompt_label(app, &label);
    super::dialogs::field_line(app, frame, &label, &search.field, line);
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

fn draw_field(app: &App, frame: &mut Frame<'_>, editor: &Editor, i: usize, area: Rect) {
    let style = |role| app.palette.style(role);
    let Some((form, typed)) = editor.form.as_ref().zip(editor.typed.get(i)) else { return };
    let field = &form.fields()[i];
    let here = i == editor.focus;
    let labels = labels_width(editor, area.width);
    let label = text::truncate(&field.label, usize::from(labels).saturating_sub(2)).into_owned();
    let label_style = style(if here { Role::Title } else { Role::Soft });
    let before = Rect { width: labels, ..area };
    frame.render_widget(ratatui::text::Line::styled(label, label_style), before);
    let at = Rect { x: area.x + labels, width: area.width - labels, ..area };
    frame.buffer_mut().set_style(at, style(if here { Role::InputFocus } else { Role::Input }));
    if here {
        // Marks the focused field on terminals without colours.
        let bar = if app.settings.ui.ascii { ">" } else { "▌" };
        let role = if field.error.is_some() { Role::Error } else { Role::Accent };
        frame.buffer_mut().set_stringn(at.x, at.y, bar, 1, style(role));
    }
    let inside = Rect { x: at.x + 2, width: at.width.saturating_sub(3), ..at };
    let mut row = Row::new(inside.width);
    let origin = field.origin();
    if field.is_changed() {
        row.right("  unsaved", style(Role::Pinned));
    } else if field.value().is_empty() && !origin.is_empty() {
        row.right(format!("  {origin}"), style(Role::Dim));
    }
    let space = row.free().saturating_sub(1).max(1);
    let (shown, cursor) = shown_value(field, typed, here, space);
    // In the settings, a default value is drawn like any other value.
    let given = !typed.value().is_empty() || editor.is_settings();
    let role = match (given, here) {
        (false, _) => Role::Dim,
        (true, true) => Role::Bright,
        (true, false) => Role::Text,
    };
    let arrows = if app.settings.ui.ascii { ("< ", " >") } else { ("‹ ", " ›") };
    let steps = here && !field.choices().is_empty();
    if steps {
        row.left(arrows.0, style(Role::Accent));
    }
    row.left(&shown, style(role));
    if steps {
        row.left(arrows.1, style(Role::Accent));
        others(app, &mut row, field);
    }
    frame.render_widget(row.line(ratatui::style::Style::new()), inside);
    if here {
        let x = inside.x + u16::try_from(cursor).unwrap_or(0);
        frame.set_cursor_position(Position::new(x.min(area.right().saturating_sub(1)), area.y));
    }
}

/// Draws the other values of a field next to the selected value, if they fit.
fn others(app: &App, row: &mut Row, field: &FormField) {
    let now = field.effective();
    let others = field.choices().iter().filter(|choice| *choice != now);
    let others: Vec<&str> = others.map(|choice| field.shown(choice)).collect();
    let words = format!("   {}", others.join(" · "));
    if text::width(&words) < row.free() {
        row.left(&words, app.palette.style(Role::Dim));
    }
}

/// The displayed text of a field, and the column of the cursor in it.
fn shown_value(field: &FormField, typed: &Field, here: bool, space: usize) -> (String, usize) {
    let value = typed.value();
    let unset = match field.unset() {
        "" => field.default_value(),
        unset => unset,
    };
    let unset = text::truncate(field.shown(unset), space).into_owned();
    match value {
        "" => (unset, 0),
        // A fixed length hides the length of the secret.
        _ if field.is_secret() && !here => ("*".repeat(8), 0),
        _ if here && field.choices().is_empty() => typed.visible(space),
        value => (text::truncate(field.shown(value), space).into_owned(), 0),
    }
}

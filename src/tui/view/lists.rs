//! The jump dialog, the headings of an article and the import preview.

use super::super::app::{App, HeadingList, ImportLine, ImportPreview, Jump};
use super::chrome::marks;
use super::dialogs::{DialogArea, field_line, prompt_label, role, rows, split_field};
use super::frame::window;
use super::row::Row;
use crate::config::{Completion, Role};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

pub(in crate::tui) fn jump(app: &App, frame: &mut Frame<'_>, jump: &Jump, area: DialogArea) {
    let found = match jump.field.value().trim() {
        "" => String::new(),
        _ => format!("{} of {}", jump.hits.len(), jump.total),
    };
    let inner = window(app, frame, area, ("Find", &found), (66, 20));
    let (field, list) = split_field(inner);
    if jump.hits.is_empty() {
        frame.render_widget(Line::styled("No matches", app.palette.style(Role::Dim)), list);
    }
    rows(app, frame, list, jump.hits.len(), jump.selected, |i, row, here| {
        let (target, style) = (&jump.hits[i], |r| role(app, here, r));
        row.right(format!(" {}", target.place), style(Role::Dim));
        row.left(&target.title, style(Role::Text));
    });
    field_line(app, frame, &prompt_label(app, ""), &jump.field, field);
}

/// Indentation of a heading below another one, in cells.
const INDENT: usize = 2;

/// The headings, indented by rank. For screen readers, the rank is a word.
pub(in crate::tui) fn headings(
    app: &App,
    frame: &mut Frame<'_>,
    list: &HeadingList,
    area: DialogArea,
) {
    let height = u16::try_from(list.headings.len()).unwrap_or(u16::MAX);
    let inner = window(app, frame, area, ("Headings", ""), (100, height));
    rows(app, frame, inner, list.headings.len(), list.selected, |i, row, here| {
        let heading = &list.headings[i];
        let indent = match app.settings.ui.linear {
            true => format!("Level {}: ", heading.rank + 1),
            false => " ".repeat(INDENT * heading.rank),
        };
        let text = if heading.rank == 0 { Role::Text } else { Role::Soft };
        row.left(&format!("{indent}{}", heading.title), role(app, here, text));
    });
}

pub(in crate::tui) fn import(
    app: &App,
    frame: &mut Frame<'_>,
    preview: &ImportPreview,
    area: DialogArea,
) {
    let lines = preview.lines();
    // The file name is enough, because the user has just typed the folder.
    let name = preview.path.rsplit(std::path::MAIN_SEPARATOR).next().unwrap_or_default();
    let inner = window(app, frame, area, ("Import", name), (104, area.body.height));
    let (head, list) = split_field(inner);
    let style = |role| app.palette.style(role);
    let Some(read) = &preview.read else {
        let text = format!("Reading {} …", preview.path);
        frame.render_widget(Line::styled(text, style(Role::Dim)), head);
        return;
    };
    let queries = read.views.len();
    let counts = [
        (read.sources.len(), "new"),
        (queries, if queries == 1 { "view" } else { "views" }),
        (read.import.skipped.len(), "skipped"),
        (read.already.len(), "already followed"),
        (read.known_views.len(), "already saved"),
    ];
    let summary = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let summary = summary.collect::<Vec<_>>().join(", ");
    frame.render_widget(Line::styled(summary, style(Role::Header)), head);
    // Shows the selected line in full below the list.
    let detail = (list.height / 4).min(3);
    let list = Rect { height: list.height - detail, ..list };
    rows(app, frame, list, lines.len(), preview.selected, |i, row, here| {
        tick(app, row, preview, lines[i]);
        line(app, row, lines[i], |r| role(app, here, r));
    });
    let Some(text) = lines.get(preview.selected).map(|line| detail_text(app, *line)) else {
        return;
    };
    let wrapped = super::super::reader::wrap_plain(&text, list.width.into());
    for (y, text) in (list.bottom()..list.bottom() + detail).zip(wrapped) {
        let at = Rect { y, height: 1, ..list };
        frame.render_widget(Line::styled(text, style(Role::Dim)), at);
    }
}

/// Draws the check box of a row that can be imported.
fn tick(app: &App, row: &mut Row, preview: &ImportPreview, line: ImportLine<'_>) {
    let indent = match line {
        ImportLine::Source(source) if source.folder.is_some() => "  ",
        ImportLine::Folder(..) | ImportLine::Source(_) | ImportLine::View(_) => "",
        _ => return,
    };
    let mark = if preview.is_ticked(line) { "[x] " } else { "[ ] " };
    row.left(&format!("{indent}{mark}"), app.palette.style(Role::KeyHint));
}

fn line(
    app: &App,
    row: &mut Row,
    line: ImportLine<'_>,
    style: impl Fn(Role) -> ratatui::style::Style,
) {
    let m = marks(app);
    match line {
        ImportLine::Folder(folder, count) => {
            row.right(format!(" {count}"), style(Role::Dim));
            row.left(folder, style(Role::Soft));
        }
        ImportLine::Source(source) => {
            row.left(
                source.title.as_deref().unwrap_or(source.url.host_str().unwrap_or_default()),
                style(Role::Text),
            );
            row.left(&format!("  {}", source.url), style(Role::Dim));
        }
        ImportLine::View(view) => {
            row.left(&format!("{} ", m.saved), style(Role::Accent));
            row.left(&view.name, style(Role::Text));
            row.left(&format!("  {}", view.query), style(Role::Dim));
        }
        ImportLine::Known(id, url, completion) => {
            let adds = completion.map(Completion::describe).unwrap_or_default();
            if !adds.is_empty() {
                row.right(format!("  + {adds}"), style(Role::Soft));
            }
            row.left("= ", style(Role::Dim));
            row.left(&format!("{}  {url}", app.source_name(id)), style(Role::Dim));
        }
        ImportLine::KnownView(view) => {
            row.left("= ", style(Role::Dim));
            row.left(&format!("{}  {}", view.name, view.query), style(Role::Dim));
        }
        ImportLine::Skipped(what, why) => {
            row.left(&format!("{} ", m.failing), style(Role::Warning));
            row.left(&format!("{what}: {why}"), style(Role::Text));
        }
    }
}

fn detail_text(app: &App, line: ImportLine<'_>) -> String {
    let text = match line {
        ImportLine::Source(source) => {
            let tags = source.tags.join(", ");
            let tags = if tags.is_empty() { tags } else { format!(" · tags {tags}") };
            format!("will be added: {}{tags}", source.url)
        }
        ImportLine::Folder(folder, _) => format!("Space skips or adds all sources of {folder}"),
        ImportLine::View(view) => format!("view to add: {}", view.query),
        ImportLine::Known(id, url, completion) => {
            let known = format!("already followed as {}: {url}", app.source_name(id));
            let adds = completion.map(Completion::describe).filter(|adds| !adds.is_empty());
            let adds = adds.map(|adds| format!("; will get {adds}")).unwrap_or_default();
            let other = completion.and_then(|completion| completion.other_folder.as_ref());
            let stays = other.map(|(theirs, ours)| {
                format!("; stays in the folder {ours} (in the list: {theirs})")
            });
            known + &adds + &stays.unwrap_or_default()
        }
        ImportLine::KnownView(view) => {
            format!("a view with this name exists: {}: {}", view.name, view.query)
        }
        ImportLine::Skipped(what, why) => format!("skipped: {what}: {why}"),
    };
    text::line(&text)
}

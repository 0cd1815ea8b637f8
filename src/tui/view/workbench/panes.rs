//! The page, the articles found on it, and the fetched article.

use super::{below, first_row, line, title};
use crate::config::Role;
use crate::engine::{ListLink, WorkbenchPage};
use crate::model::Time;
use crate::tui::app::{App, Bench, BenchPane, Marked};
use crate::tui::reader::wrap_plain;
use crate::tui::view::chrome::marks;
use crate::tui::view::row::Row;
use crate::util::time_text;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

/// The element tree or the text of the page, with the matches of the active selector marked.
pub(super) fn page(
    app: &App,
    frame: &mut Frame<'_>,
    bench: &Bench,
    place: WorkbenchPage,
    area: Rect,
) {
    let style = |role| app.palette.style(role);
    let sheet = bench.sheets.get(&place);
    let focused = bench.pane == BenchPane::Page && place == bench.at;
    let text_shown = sheet.is_some_and(|sheet| sheet.text);
    let what = if text_shown { "Page text" } else { "Page outline" };
    let of = match place {
        WorkbenchPage::List | WorkbenchPage::Second => "now".to_owned(),
        WorkbenchPage::Copy(n) => match bench.copies.get(n) {
            Some(at) => format!("stored copy of {}", time_text::clock(*at, app.now)),
            None => "stored copy".to_owned(),
        },
        WorkbenchPage::Article => "article".to_owned(),
    };
    title(app, frame, &format!("{what} {} {of}", marks(app).bullet), focused, area);
    let area = below(area);
    let Some(sheet) = sheet else {
        let (words, role) = match bench.failed.get(&bench.at) {
            Some(why) => (why.clone(), Role::Error),
            None => ("Fetching the page …".to_owned(), Role::Dim),
        };
        let lines = wrap_plain(&words, usize::from(area.width).saturating_sub(2).max(8));
        for (y, words) in (area.y..area.bottom()).zip(lines) {
            line(frame, &format!(" {words}"), style(role), Rect { y, ..area });
        }
        return;
    };
    let part = bench.field().and_then(|field| field.part);
    let own = part.map_or(&[][..], |part| bench.marks_on(place, part));
    let others: Vec<&[u32]> = bench
        .parts()
        .iter()
        .filter(|other| Some(**other) != part)
        .map(|other| bench.marks_on(place, *other))
        .collect();
    let m = marks(app);
    let (exact, within) = if app.settings.ui.ascii { ("#", ":") } else { ("▐", "┆") };
    let (height, count) = (usize::from(area.height), sheet.count());
    let first = first_row(sheet.selected(), height, count);
    for (y, i) in (area.y..area.bottom()).zip(first..count) {
        let here = i == sheet.selected();
        let whole = match (here, focused) {
            (true, true) => style(Role::Selected),
            (true, false) => style(Role::SelectedUnfocused),
            _ => style(Role::Text),
        };
        let part_style = |role| if here { whole } else { style(role) };
        let (mark, role) = match sheet.marked(i, own) {
            Marked::Yes => (exact, Role::Accent),
            Marked::Within => (within, Role::Accent),
            Marked::No if others.iter().any(|o| sheet.marked(i, o) == Marked::Yes) => {
                (m.bullet, Role::Dim)
            }
            Marked::No => (" ", Role::Text),
        };
        let mut row = Row::new(area.width);
        row.left(mark, part_style(role));
        if sheet.text {
            let words = sheet.outline.texts.get(i).map_or("", |t| t.text.as_str());
            row.left(&format!(" {words}"), whole);
        } else if let Some(line_info) = sheet.line(i) {
            let depth = usize::from(line_info.depth).min(usize::from(area.width) / 4);
            row.left(&" ".repeat(depth), whole);
            let fold = if sheet.is_folded(i) { m.folded } else { " " };
            row.left(fold, part_style(Role::Dim));
            row.left(&line_info.name, part_style(Role::Header));
            if line_info.alike > 1 {
                let times = if app.settings.ui.ascii { "x" } else { "×" };
                row.left(&format!(" {times}{}", line_info.alike), part_style(Role::Accent));
            }
            if !line_info.text.is_empty() {
                row.left(&format!("  {}", line_info.text), part_style(Role::Text));
            }
            if let Some(hint) = &line_info.hint {
                row.left(&format!("  {hint}"), part_style(Role::Dim));
            }
        }
        frame.render_widget(row.line(whole), Rect { y, height: 1, ..area });
        if here && focused {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

pub(super) fn day(date: Time) -> String {
    date.format("%Y-%m-%d").to_string()
}

/// The articles that the selectors find in the list.
pub(super) fn items(app: &App, frame: &mut Frame<'_>, bench: &Bench, area: Rect) {
    let style = |role| app.palette.style(role);
    let focused = bench.pane == BenchPane::Items;
    title(app, frame, "Matches", focused, area);
    let area = below(area);
    let (items, on_first) = bench.items();
    if items.is_empty() {
        let words = match &bench.preview.list {
            Some(_) => " No articles",
            None => "",
        };
        line(frame, words, style(Role::Dim), area);
        return;
    }
    let (height, count) = (usize::from(area.height), items.len());
    let first = first_row(bench.item, height, count);
    for (y, i) in (area.y..area.bottom()).zip(first..count) {
        let here = i == bench.item;
        let whole = match (here, focused) {
            (true, true) => style(Role::Selected),
            (true, false) => style(Role::SelectedUnfocused),
            _ => style(Role::Text),
        };
        let part = |role| if here { whole } else { style(role) };
        let ListLink { url, title, date, .. } = items[i];
        let mut row = Row::new(area.width);
        row.right(date.map(|d| format!(" {} ", day(d))).unwrap_or_default(), part(Role::Dim));
        let second = if i >= on_first { "2: " } else { "" };
        row.left(&format!("{:>3} ", i + 1), part(Role::Dim));
        row.left(second, part(Role::Accent));
        let name = if title.is_empty() { url.as_str() } else { title };
        row.left(name, whole);
        if !title.is_empty() && usize::from(area.width) > 60 {
            row.left(&format!("  {}", url.path()), part(Role::Dim));
        }
        frame.render_widget(row.line(whole), Rect { y, height: 1, ..area });
        if here && focused {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

/// The fetched article as extracted by the selectors.
pub(super) fn article(app: &App, frame: &mut Frame<'_>, bench: &Bench, area: Rect) {
    let style = |role| app.palette.style(role);
    title(app, frame, "Article", false, area);
    let Some(line_info) = &bench.preview.article else { return };
    let article = &line_info.article;
    let area = below(area);
    let width = usize::from(area.width).saturating_sub(2).max(8);
    let mut lines: Vec<(String, Role)> = vec![(article.title.clone(), Role::Header)];
    let date = article.published.map_or("no date".to_owned(), day);
    let who = match article.authors.as_slice() {
        [] => "no author".to_owned(),
        names => names.join(", "),
    };
    let bullet = marks(app).bullet;
    lines.push((format!("{date} {bullet} {who} {bullet} {}", article.url.path()), Role::Dim));
    let prose = if article.summary.is_empty() { "no text" } else { &article.summary };
    lines.extend(wrap_plain(prose, width).into_iter().map(|words| (words, Role::Text)));
    for (y, (words, role)) in (area.y..area.bottom()).zip(lines) {
        line(frame, &format!(" {words}"), style(role), Rect { y, ..area });
    }
}

//! The page, the articles found on it, and a fetched article.

use super::super::first_row;
use super::{below, color, item_count, item_rows, line, page_parts, title};
use crate::config::Role;
use crate::engine::{ListLink, SelectorField, WorkbenchPage};
use crate::tui::app::{App, Bench, BenchPane, Marked, SheetView};
use crate::tui::reader::wrap_plain;
use crate::tui::view::chrome::marks;
use crate::tui::view::row::{Row, padding};
use crate::util::text::{self, counted};
use crate::util::time_text;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

/// Width below which the page has no lines from elements to their children.
const NARROW: u16 = 42;

/// Draws the element tree or the text of the page, with the matches of the active selector highlighted.
pub(super) fn page(
    app: &App,
    frame: &mut Frame<'_>,
    bench: &Bench,
    place: WorkbenchPage,
    (area, rows): (Rect, u16),
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
    let words = format!("{what} {} {of}", marks(app).bullet);
    title(app, frame, &words, focused, Rect { height: area.height.min(rows), ..area });
    let (area, path_at) = page_parts(area, rows);
    let Some(sheet) = sheet else {
        let (words, role) = match bench.failed.get(&bench.at) {
            Some(why) => (why.clone(), Role::Error),
            None => ("Fetching the page …".to_owned(), Role::Dim),
        };
        let lines = wrap_plain(&words, usize::from(area.width).saturating_sub(4).max(8));
        for (y, words) in (area.y..area.bottom()).zip(lines) {
            line(frame, &format!("  {words}"), style(role), Rect { y, ..area });
        }
        return;
    };
    path(app, frame, sheet, path_at);
    if place == bench.at && path_at.height > 1 {
        value(app, frame, bench, Rect { y: path_at.y + 1, height: 1, ..path_at });
    }
    let lines = Lines { app, bench, sheet, place, focused };
    let (height, count) = (usize::from(area.height), sheet.count());
    let first = first_row(sheet.selected(), height, count);
    for (y, i) in (area.y..area.bottom()).zip(first..count) {
        let at = Rect { y, height: 1, ..area };
        let here = i == sheet.selected();
        if here {
            let role = if focused { Role::Selected } else { Role::SelectedUnfocused };
            frame.buffer_mut().set_style(at, style(role));
        }
        frame.render_widget(lines.row(i, here, area.width), at);
        if here && focused {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

/// Draws the path of the selected element, truncated at its start.
fn path(app: &App, frame: &mut Frame<'_>, sheet: &SheetView, area: Rect) {
    let style = |role| app.palette.style(role);
    let pad = " ".repeat(padding(area.width));
    let mut row = Row::new(area.width);
    row.left(&format!("{pad}Path  "), style(Role::Dim));
    let path = sheet.path();
    let space = row.free().saturating_sub(pad.len());
    let whole = path.join(" > ");
    let shorter = (1..path.len()).map(|from| format!("… > {}", path[from..].join(" > ")));
    let mut fitting = std::iter::once(whole).chain(shorter);
    let shown = fitting.find(|words| text::width(words) <= space);
    let last = path.last().copied().unwrap_or_default();
    row.left(shown.as_deref().unwrap_or(last), style(Role::Soft));
    frame.render_widget(row.line(Style::new()), Rect { height: area.height.min(1), ..area });
}

/// Draws the value of the active selector.
fn value(app: &App, frame: &mut Frame<'_>, bench: &Bench, area: Rect) {
    let style = |role| app.palette.style(role);
    let Some(part) = bench.field().and_then(|field| field.part) else { return };
    let value = given(app, bench, part);
    let mut row = Row::new(area.width);
    row.left(&format!("{}Gives ", " ".repeat(padding(area.width))), style(Role::Dim));
    match value {
        Some(value) => row.left(&value, style(Role::Ok)),
        None => row.left("nothing", style(Role::Dim)),
    }
    frame.render_widget(row.line(Style::new()), area);
}

fn given(app: &App, bench: &Bench, part: SelectorField) -> Option<String> {
    let day = |date| time_text::near_published_day(date, app.now);
    let (items, _) = bench.items();
    let first = items.first();
    let article = bench.preview.article.as_ref().map(|page| &page.article);
    let value = match (part, bench.on_page) {
        (SelectorField::Articles, _) => counted(first.map(|_| items.len())?, "article"),
        (SelectorField::Next, _) => bench.preview.list.as_ref()?.next.as_ref()?.to_string(),
        (SelectorField::Title, true) => first?.title.clone(),
        (SelectorField::Author, true) => first?.author.clone()?,
        (SelectorField::Date, true) => day(first?.date?),
        (SelectorField::Content, true) => first?.summary.clone(),
        (SelectorField::Title, false) => article?.title.clone(),
        (SelectorField::Author, false) => article?.authors.join(", "),
        (SelectorField::Date, false) => day(article?.published?),
        (SelectorField::Content, false) => article?.summary.clone(),
    };
    Some(value).filter(|value| !value.is_empty())
}

/// Draws the lines of a page.
struct Lines<'a> {
    app: &'a App,
    bench: &'a Bench,
    sheet: &'a SheetView,
    place: WorkbenchPage,
    focused: bool,
}

impl Lines<'_> {
    fn style(&self, role: Role) -> Style {
        self.app.palette.style(role)
    }

    fn row(&self, i: usize, here: bool, width: u16) -> Line<'static> {
        let (m, ascii) = (marks(self.app), self.app.settings.ui.ascii);
        let mut row = Row::new(width);
        let active = self.bench.field().and_then(|field| field.part);
        let marked = |part| self.sheet.marked(i, self.bench.marks_on(self.place, part));
        let bar = match active.map(|part| (marked(part), color(part))) {
            _ if here && self.focused => (m.bar, Role::Accent),
            Some((Marked::Yes, role)) => (if ascii { "#" } else { "▎" }, role),
            Some((Marked::Within, role)) => (if ascii { ":" } else { "┆" }, role),
            _ if here => (m.faint_bar, Role::Edge),
            _ => (" ", Role::Text),
        };
        row.left(bar.0, self.style(bar.1));
        // The selectors that match this line, in their colours.
        row.right(" ", Style::new());
        for part in self.bench.parts() {
            if marked(*part) == Marked::Yes {
                row.right(format!(" {}", m.square), self.style(color(*part)));
                row.right(format!("  {}", part.key()), self.style(color(*part)));
            }
        }
        if self.sheet.text {
            let words = self.sheet.outline.texts.get(i).map_or("", |t| t.text.as_str());
            row.left(&format!(" {words}"), self.style(Role::Text));
            return row.line(Style::new());
        }
        let Some(line) = self.sheet.line(i) else { return row.line(Style::new()) };
        let guide = match (width < NARROW, ascii) {
            (true, _) => " ",
            (false, true) => ": ",
            (false, false) => "┊ ",
        };
        let depth = usize::from(line.depth).min(usize::from(width) / 6);
        row.left(&guide.repeat(depth), self.style(Role::Border));
        let fold = if self.sheet.is_folded(i) { m.folded } else { " " };
        // The fold mark has its own column, so that all names of a level are aligned.
        let gap = if width < NARROW { "" } else { " " };
        row.left(&format!("{fold}{gap}"), self.style(Role::Dim));
        self.name(&mut row, &line.name);
        if line.alike > 1 {
            let times = if ascii { "x" } else { "×" };
            row.left(&format!("  {times}{}", line.alike), self.style(Role::Accent));
        }
        if !line.text.is_empty() {
            row.left(&format!("  {}", line.text), self.style(Role::Text));
        }
        if let Some(hint) = &line.hint {
            row.left(&format!("  {hint}"), self.style(Role::Dim));
        }
        row.line(Style::new())
    }

    /// Adds a name such as `h3 > a.headline`, with different styles for elements and for classes and ids.
    fn name(&self, row: &mut Row, name: &str) {
        for (n, part) in name.split(" > ").enumerate() {
            if n > 0 {
                row.left(" > ", self.style(Role::Dim));
            }
            let at = part.find(['.', '#', '[', '@']).unwrap_or(part.len());
            row.left(&part[..at], self.style(Role::CodeKeyword));
            row.left(&part[at..], self.style(Role::CodeType));
        }
    }
}

/// The title of the list, with the numbers of articles that have a date and an author.
fn found_title(app: &App, frame: &mut Frame<'_>, items: &[&ListLink], focused: bool, area: Rect) {
    let all = items.len();
    let dates = items.iter().filter(|item| item.date.is_some()).count();
    let authors = items.iter().filter(|item| item.author.is_some()).count();
    let dates = format!("dates {dates} of {all}");
    let both = format!("{dates}   authors {authors} of {all}");
    let pad = padding(area.width);
    let cells = |words: &str, counts: &str| text::width(words) + text::width(counts) + 2 * pad + 2;
    let (whole, short) = ("Found by these selectors", "Found");
    let choices = [(whole, both.as_str()), (short, &both), (short, &dates), (whole, "")];
    let fits = |(words, counts): &(&str, &str)| cells(words, counts) <= area.width.into();
    let shown = choices.into_iter().filter(|(_, counts)| all > 0 || counts.is_empty()).find(fits);
    let (words, counts) = shown.unwrap_or((short, ""));
    title(app, frame, words, focused, area);
    let width = u16::try_from(text::width(counts)).unwrap_or(0);
    if width > 0 && area.height > 0 {
        let x = area.right() - width - u16::try_from(pad).unwrap_or(0);
        let at = Rect { x, width, height: 1, ..area };
        frame.render_widget(Line::styled(counts.to_owned(), app.palette.style(Role::Dim)), at);
    }
}

/// Draws the articles that the selectors find on the list page.
pub(super) fn items(app: &App, frame: &mut Frame<'_>, bench: &Bench, (area, rows): (Rect, u16)) {
    let style = |role| app.palette.style(role);
    let focused = bench.pane == BenchPane::Items;
    let head = Rect { height: area.height.min(rows), ..area };
    let (m, (items, on_first)) = (marks(app), bench.items());
    found_title(app, frame, &items, focused, head);
    let area = below(area, rows);
    if items.is_empty() {
        let words = match &bench.preview.list {
            Some(_) => "  No articles",
            None => "",
        };
        line(frame, words, style(Role::Dim), area);
        let unused = bench.applied().is_none() && bench.repair().is_none();
        if unused && !words.is_empty() && area.height > 1 {
            let below = Rect { y: area.y + 1, height: area.height - 1, ..area };
            let words = match bench.offers().len() {
                0 => return,
                1 => "  P uses the suggested selectors".to_owned(),
                count => format!("  P uses the first of {count} suggestions"),
            };
            line(frame, &words, style(Role::Soft), below);
        }
        return;
    }
    let rows = item_rows(bench, area);
    let (height, count) = (item_count(area, rows), items.len());
    let first = first_row(bench.item, height, count);
    let starts = (area.y..area.bottom()).step_by(rows.into());
    for (y, i) in starts.zip(first..count.min(first + height)) {
        let here = i == bench.item;
        let at = Rect { y, height: 1, ..area };
        if here {
            let role = if focused { Role::Selected } else { Role::SelectedUnfocused };
            frame.buffer_mut().set_style(Rect { height: rows.min(2), ..at }, style(role));
        }
        if rows > 1 {
            let mut row = Row::new(area.width);
            row.right(" ".repeat(padding(area.width)), Style::new());
            row.left(&format!("     {}", items[i].summary), style(Role::Dim));
            frame.render_widget(row.line(Style::new()), Rect { y: y + 1, ..at });
        }
        let ListLink { url, title, date, author, .. } = items[i];
        let mut row = Row::new(area.width);
        row.right(" ".repeat(padding(area.width)), Style::new());
        let date = date.map(|date| format!("  {}", time_text::near_published_day(date, app.now)));
        row.right(date.unwrap_or_default(), style(Role::Source3));
        let author = author.as_ref().map(|author| format!("  {}", text::truncate(author, 20)));
        row.right(author.unwrap_or_default(), style(Role::Source6));
        let bar = match (here, focused) {
            (true, true) => (m.bar, Role::Accent),
            (true, false) => (m.faint_bar, Role::Edge),
            _ => (" ", Role::Text),
        };
        row.left(bar.0, style(bar.1));
        let second = if i >= on_first { "2: " } else { "" };
        row.left(&format!("{:>3} ", i + 1), style(Role::Dim));
        row.left(second, style(Role::Accent));
        let name = if title.is_empty() { url.as_str() } else { title };
        row.left(name, style(if here { Role::Title } else { Role::Bright }));
        if !title.is_empty() && rows == 1 && area.width > 60 {
            row.left(&format!("  {}", url.path()), style(Role::Dim));
        }
        frame.render_widget(row.line(Style::new()), at);
        if here && focused {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

/// Draws the fetched article as extracted by the selectors.
pub(super) fn article(app: &App, frame: &mut Frame<'_>, bench: &Bench, (area, rows): (Rect, u16)) {
    let style = |role| app.palette.style(role);
    title(app, frame, "Article", false, Rect { height: area.height.min(rows), ..area });
    let Some(line_info) = &bench.preview.article else { return };
    let article = &line_info.article;
    let area = below(area, rows);
    let width = usize::from(area.width).saturating_sub(4).max(8);
    let mut lines: Vec<(String, Role)> = vec![(article.title.clone(), Role::Header)];
    let day = |date| time_text::near_published_day(date, app.now);
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
        line(frame, &format!("  {words}"), style(role), Rect { y, ..area });
    }
}

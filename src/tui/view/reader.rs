//! The Reader pane: the article's header, a column of text, and a scroll bar.

mod head;

use super::super::app::{App, Focus, Hints};
use super::super::reader::{Glyphs, Line as Text, Shape, Span, Target, glyphs};
use super::chrome::marks;
use super::{has_focus, pictures};
use crate::config::{Action, Context, Depth, Role};
use crate::model::TextFrom;
use crate::util::text;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span as Ink};

/// Minimum height of a screen with an empty line above the header.
const TALL: u16 = 36;
/// Maximum height of a picture, in percent of the pane's height.
const MAX_PICTURE: usize = 40;

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    app.reader.space = area.width.saturating_sub(2 * margin(area.width));
    let inner = column(app, area, 0);
    // Tables and long lines of code may use the space to the right of a centred column, except that of the
    // scroll bar.
    let beyond = area.right().saturating_sub(inner.right() + 2);
    let is_tall = frame.area().height >= TALL;
    if let Some(row) = app.late_item() {
        let top = inner.y + u16::from(is_tall);
        for (y, line) in (top..inner.bottom()).zip(head::loading(app, row, inner.width)) {
            frame.render_widget(line, Rect { y, height: 1, ..inner });
        }
        frame.set_cursor_position(Position::new(inner.x, top.min(inner.bottom())));
        return;
    }
    let nothing = app.previews_nothing();
    let Some(article) = app.reader.article.clone().filter(|_| !nothing) else {
        let key = app.keymap.keys_for(Context::Items, Action::Open).unwrap_or_default();
        let text = match nothing {
            true => "No item to preview".to_owned(),
            false => format!("{key}: open the selected item"),
        };
        frame.render_widget(Line::styled(text, app.palette.style(Role::Dim)), inner);
        return;
    };
    let ui = &app.settings.ui;
    let lines = usize::from(area.height) * MAX_PICTURE / 100;
    let shape = Shape {
        width: inner.width.into(),
        wrap_code: ui.wrap_code,
        ascii: ui.ascii,
        // Strikethrough is not visible to screen readers or on terminals without styles.
        strikes: !ui.linear && app.palette.support().depth != Depth::Mono,
        // A screen reader reads line by line.
        tall_formulas: !ui.ascii && !ui.linear,
        picture_lines: if app.shows_pictures() { lines.max(1) } else { 0 },
        graphics: app.graphics(),
        beyond: usize::from(beyond),
    };
    // The text is laid out before the header, which depends on the scroll position.
    app.reader.fit(shape);
    let below = Rect { height: inner.height.saturating_sub(u16::from(is_tall)), ..inner };
    let (mut head, head_rows) = head::lines(app, &article, below);
    app.reader.head_rows = head_rows;
    let is_whole = head_rows == 0 || app.reader.head_hidden == 0;
    let head_has_facts = is_whole && inner.height >= head::ROOMY;
    if is_tall {
        head.insert(0, Line::default());
    }
    let used = u16::try_from(head.len()).unwrap_or(0).min(inner.height / 2);
    let body = Rect { y: inner.y + used, height: inner.height - used, ..inner };
    app.reader.set_height(body.height.into());
    app.areas.reader = Some(body);
    // Within a table, its header replaces the title of the article, or the empty line below the facts.
    let is_reduced = head_rows > 0 && app.reader.head_hidden >= head_rows;
    let row = usize::from(used).saturating_sub(if is_reduced { head::REDUCED } else { 1 });
    let is_shown = usize::from(used) == head.len() && !app.settings.ui.linear;
    let table = app.reader.table_header().filter(|_| is_shown);
    if let Some((line, _)) = head.get_mut(row).zip(table) {
        *line = Line::default();
    }
    for (y, line) in (inner.y..inner.y + used).zip(head) {
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
    let pen = Pen { app, glyphs: glyphs(shape.ascii), hints: app.dialog(), head_has_facts };
    if let Some((header, row)) = table.zip(u16::try_from(row).ok()) {
        let area = Rect { y: inner.y + row, height: 1, ..inner };
        pen.draw(header, frame.buffer_mut(), area);
        if is_reduced {
            pen.extend_rule(header, frame.buffer_mut(), Rect { y: area.y + 1, ..area });
        }
    }
    let top = app.reader.top;
    for (y, i) in (body.y..body.bottom()).zip(top..app.reader.line_count()) {
        pen.draw(i, frame.buffer_mut(), Rect { y, height: 1, ..body });
    }
    let bar = Rect { x: area.right().saturating_sub(1), width: 1, ..area };
    if !pen.app.settings.ui.linear {
        pen.scroll_bar(frame.buffer_mut(), bar);
    }
    let pointed = app.reader.pointed.and_then(|line| u16::try_from(line.checked_sub(top)?).ok());
    let y = body.y + pointed.filter(|row| *row < body.height).unwrap_or(0);
    if pointed.is_some_and(|row| row < body.height) {
        let pointer = Line::styled(marks(app).pointer, app.palette.style(Role::Accent));
        frame.render_widget(pointer, Rect { x: body.x.saturating_sub(2), y, width: 1, height: 1 });
    }
    if has_focus(app, Focus::Reader) && app.dialogs.is_empty() {
        frame.set_cursor_position(Position::new(body.x, y));
    }
    pictures::place_article(app, frame.buffer_mut(), body);
}

/// The column of the text in the Reader, at least as wide as `least` if there is space.
pub(super) fn column(app: &App, area: Rect, least: u16) -> Rect {
    let space = area.width.saturating_sub(2 * margin(area.width));
    let width = space.min(app.reader.column.max(least));
    Rect { x: area.x + (area.width - width) / 2, width, ..area }
}

/// Number of blank cells on each side of the text.
pub(super) fn margin(width: u16) -> u16 {
    match width {
        ..30 => 1,
        30..56 => 2,
        _ => 3,
    }
}

/// Draws the lines of the article.
struct Pen<'a> {
    app: &'a App,
    glyphs: &'static Glyphs,
    hints: Option<&'a Hints>,
    /// Whether the header shows the origin of the text.
    head_has_facts: bool,
}

impl Pen<'_> {
    /// Draws the line with this index.
    fn draw(&self, number: usize, buffer: &mut Buffer, area: Rect) {
        let reader = &self.app.reader;
        let Some(line) = reader.lines.lines.get(number) else {
            self.end(number, buffer, area);
            return;
        };
        let column = usize::from(area.width);
        let area = Rect { width: area.width + u16::try_from(line.beyond).unwrap_or(0), ..area };
        if let Some(ground) = line.ground {
            let from = u16::try_from(ground.from).unwrap_or(0).min(area.width);
            let surface = Rect { x: area.x + from, width: area.width - from, ..area };
            buffer.set_style(surface, self.app.palette.style(ground.role));
        }
        let mut x = area.x;
        let mut labels: Vec<(u16, &Span)> = Vec::new();
        for cell in line.cells(reader.shift, column, self.glyphs) {
            let width = u16::try_from(text::width(cell.text)).unwrap_or(0);
            let style = match cell.span {
                Some(span) => self.found(number, cell.at, self.style(span)),
                None => self.app.palette.style(Role::Dim),
            };
            buffer.set_stringn(x, area.y, cell.text, area.right().saturating_sub(x).into(), style);
            x += width;
            // Hint letters may replace the number of a link that ends at this cell.
            if let Some(span) = cell.span.filter(|span| span.mark && span.target.is_some()) {
                match labels.last_mut() {
                    Some((end, last)) if std::ptr::eq(*last, span) => *end = x,
                    _ => labels.push((x, span)),
                }
            }
        }
        if let Some(picture) = &line.picture {
            let area = Rect { x, width: area.right().saturating_sub(x), ..area };
            pictures::draw_row(&self.app.palette, &picture.pixels, buffer, area);
        }
        if line.counts_links {
            let key = self.app.keymap.keys_for(Context::Reader, Action::Links);
            let key = key.unwrap_or_else(|| format!(":{}", Action::Links.name()));
            let words = format!(" {} {key}: {}", marks(self.app).bullet, Action::Links.label());
            let style = self.app.palette.style(Role::Dim);
            buffer.set_stringn(x, area.y, words, area.right().saturating_sub(x).into(), style);
        }
        for (end, span) in labels {
            self.label(span, buffer, area, end);
        }
        self.code_label(number, buffer, area);
    }

    /// Draws the hint letters of a block of code in the space before its first visible line with text.
    fn code_label(&self, number: usize, buffer: &mut Buffer, area: Rect) {
        let lines = &self.app.reader.lines.lines;
        let block = |line: &Text| line.code.filter(|_| !line.text().trim().is_empty());
        let Some((hints, code)) = self.hints.zip(lines.get(number).and_then(block)) else { return };
        let above = lines.get(self.app.reader.top..number).unwrap_or_default();
        if above.iter().rev().take_while(|line| line.code == Some(code)).any(|l| block(l).is_some())
        {
            return;
        }
        let Some(letters) = hints.label(Target::Code(code)) else { return };
        let from = lines.get(number).and_then(|line| line.ground).map_or(0, |ground| ground.from);
        let x = area.x + u16::try_from(from).unwrap_or(0);
        buffer.set_stringn(
            x,
            area.y,
            letters,
            area.right().saturating_sub(x).into(),
            self.label_style(),
        );
    }

    fn label_style(&self) -> Style {
        self.app.palette.style(Role::Match).add_modifier(Modifier::BOLD)
    }

    /// Makes the rule below the header of a table as wide as the table.
    fn extend_rule(&self, header: usize, buffer: &mut Buffer, rule: Rect) {
        let beyond = self.app.reader.lines.lines.get(header).map_or(0, |line| line.beyond);
        let words = marks(self.app).across.repeat(beyond);
        let style = self.app.palette.style(Role::Border);
        if buffer.area.contains(Position::new(rule.right(), rule.y)) {
            buffer.set_stringn(rule.right(), rule.y, words, beyond, style);
        }
    }

    fn style(&self, span: &Span) -> Style {
        let style = self.app.palette.style(span.role);
        if span.struck { style.add_modifier(Modifier::CROSSED_OUT) } else { style }
    }

    /// The style of a character, given its style without a search. The current match is filled, others have
    /// another background, because links are underlined.
    fn found(&self, line: usize, at: usize, plain: Style) -> Style {
        let find = self.app.reader.find.as_ref().filter(|find| !find.is_faded);
        let Some(find) = find else { return plain };
        let first = find.pieces.partition_point(|piece| piece.line < line);
        let piece = find.pieces[first..]
            .iter()
            .take_while(|piece| piece.line == line)
            .find(|piece| (piece.from..piece.to).contains(&at));
        match piece {
            None => plain,
            Some(piece) if Some(piece.hit) == find.at => self
                .app
                .palette
                .style(Role::Match)
                .add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
            Some(_) => match self.app.palette.style(Role::Selected).bg {
                Some(ground) => plain.bg(ground),
                None => super::snippet::hit_style(self.app, plain),
            },
        }
    }

    /// Draws the hint letters of a target in place of its number, which ends at column `end`. Longer labels
    /// cover the text before the number, so that nothing moves.
    fn label(&self, span: &Span, buffer: &mut Buffer, area: Rect, end: u16) {
        let letters = self.hints.zip(span.target).and_then(|(hints, target)| hints.label(target));
        let Some(letters) = letters else { return };
        let cells = text::width(&span.text).max(letters.len());
        let x = end.saturating_sub(u16::try_from(cells).unwrap_or(0)).max(area.x);
        let style = self.label_style();
        // Half of a wide character must not remain before the label.
        if x > area.x
            && let Some(before) = buffer.cell_mut((x - 1, area.y))
            && text::width(before.symbol()) > 1
        {
            before.set_symbol(" ");
        }
        let blank = " ".repeat(text::width(&span.text));
        buffer.set_stringn(x, area.y, blank, area.right().saturating_sub(x).into(), Style::new());
        buffer.set_stringn(x, area.y, letters, area.right().saturating_sub(x).into(), style);
    }

    /// Draws the line after the text. It shows what the key for the next page does at the end.
    fn end(&self, number: usize, buffer: &mut Buffer, area: Rect) {
        if number + 1 < self.app.reader.line_count() {
            return;
        }
        let key = |action| self.app.keymap.keys_for(Context::Reader, action);
        let key = key(Action::PageDown).or_else(|| key(Action::NextUnread));
        // While the user steps through matches or changes, this key does something else.
        let goes_on = !self.app.stepping() || self.app.reader.shows_searched();
        let key = key.filter(|_| has_focus(self.app, Focus::Reader) && goes_on);
        let next = self.app.has_next_unread();
        let hint = key.map(|key| match next {
            true => format!("{key}: next unread"),
            false => "no unread items left".to_owned(),
        });
        let (state, full) = self.end_of_text();
        let mut parts: Vec<String> = Some(state.to_owned()).into_iter().chain(full).collect();
        let after = hint.as_ref().filter(|_| next).map_or(0, |hint| text::width(hint) + 3);
        let used: usize = parts.iter().map(|part| text::width(part) + 3).sum();
        parts.extend(self.no_full_text(usize::from(area.width).saturating_sub(used + after)));
        parts.extend(hint.filter(|_| next || parts.len() < 2));
        let separator = format!(" {} ", marks(self.app).bullet);
        // The last parts are the most useful ones: why text is missing, and what a key does.
        while parts.len() > 1 && text::width(&parts.join(&separator)) > area.width.into() {
            parts.remove(0);
        }
        let words = parts.join(&separator);
        let words = text::truncate(&words, area.width.into());
        let style = self.app.palette.style(Role::Dim);
        buffer.set_stringn(area.x, area.y, words, area.width.into(), style);
    }

    /// For a text from the feed, the reason why there is no full text, as far as it fits into `space`. `None`
    /// if the header shows the reason.
    fn no_full_text(&self, space: usize) -> Option<String> {
        let article = self.app.reader.article.as_ref()?;
        let is_shown = article.item.text_from == TextFrom::Feed && !article.item.page_text;
        let is_shown = is_shown && !self.app.texts.is_fetching(article.row.key);
        let is_shown = is_shown && !self.head_has_facts;
        let why = article.item.fetch_error.as_ref().filter(|_| is_shown)?;
        let short = "no full text".to_owned();
        let whole = format!("{short}: {why}");
        [whole, short].into_iter().find(|words| text::width(words) <= space)
    }

    /// What ends here (the article or a teaser), and the hint for the full text.
    fn end_of_text(&self) -> (&'static str, Option<String>) {
        let Some(article) = self.app.reader.article.as_ref() else { return ("", None) };
        if self.app.texts.is_fetching(article.row.key) {
            return ("end of the teaser", Some("fetching the full text …".to_owned()));
        }
        if !article.is_teaser() {
            let is_all =
                article.item.text_from != TextFrom::Feed || article.item.fetch_error.is_none();
            return (if is_all { "end of the article" } else { "end of the feed's text" }, None);
        }
        let key = self.app.keymap.keys_for(Context::Reader, Action::FullText);
        let failed = article.item.fetch_error.is_some();
        let key = key.filter(|_| has_focus(self.app, Focus::Reader) && !failed);
        ("end of the teaser", key.map(|key| format!("{key}: full text")))
    }

    /// Draws a scroll bar, unless the whole article is visible.
    fn scroll_bar(&self, buffer: &mut Buffer, area: Rect) {
        let reader = &self.app.reader;
        let (count, seen, rows) = (reader.line_count(), reader.height, usize::from(area.height));
        if count <= seen || rows == 0 {
            return;
        }
        let size = (rows * seen / count).max(1);
        let first = reader.top.min(count - seen) * (rows - size) / (count - seen);
        for (row, y) in (area.y..area.bottom()).enumerate() {
            let thumb = (first..first + size).contains(&row);
            let (glyph, role) = match thumb {
                true => (self.glyphs.thumb, Role::Edge),
                false => (self.glyphs.track, Role::Border),
            };
            buffer.set_string(area.x, y, glyph, self.app.palette.style(role));
        }
    }
}

/// A span of text in the style of a role.
fn ink(app: &App, words: impl Into<String>, role: Role) -> Ink<'static> {
    Ink::styled(words.into(), app.palette.style(role))
}

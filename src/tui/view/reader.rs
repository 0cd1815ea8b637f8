//! The Reader pane: a header and a column of text.

use super::super::app::{App, Focus, Hints};
use super::super::event::{Article, Difference, SourceEntry};
use super::super::reader::{self, Glyphs, Span, cut, glyphs};
use super::chrome::marks;
use super::has_focus;
use super::row::span;
use crate::config::{Action, Context, Role};
use crate::model::{Item, Revision, TextFrom};
use crate::util::text;
use crate::util::time_text::published;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span as Ink};

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    app.reader.space = area.width.saturating_sub(2);
    let column = app.reader.space.min(app.reader.column);
    // A column narrower than the pane is centred only in zen mode.
    let margin = if app.zen { (area.width - column) / 2 } else { 1 };
    let inner = Rect { x: area.x + margin, width: column, ..area };
    let Some(article) = app.reader.article.clone() else {
        let key = app.keymap.keys_for(Context::Items, Action::Open).unwrap_or_default();
        let style = app.palette.style(Role::Dim);
        frame.render_widget(Line::styled(format!("{key}: open the selected item"), style), inner);
        return;
    };
    let head = head_for(app, &article, inner);
    let used = u16::try_from(head.len()).unwrap_or(0).min(inner.height / 2);
    for (y, line) in (inner.y..inner.y + used).zip(head) {
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
    let body = Rect { y: inner.y + used, height: inner.height - used, ..inner };
    let ascii = app.settings.ui.ascii;
    app.reader.fit(body.width.into(), body.height.into(), ascii);
    app.areas.reader = Some(body);
    let pen = Pen { app, glyphs: glyphs(ascii), hints: app.dialog() };
    let (top, pointed) = (app.reader.top, app.reader.pointed);
    let mut cursor = Position::new(body.x, body.y);
    for (y, i) in (body.y..body.bottom()).zip(top..app.reader.lines.lines.len()) {
        frame.render_widget(pen.line(i, body.width.into()), Rect { y, height: 1, ..body });
        if pointed == Some(i) {
            let pointer = Line::styled(marks(app).pointer, app.palette.style(Role::Accent));
            frame.render_widget(pointer, Rect { x: body.x - 1, y, width: 1, height: 1 });
            cursor.y = y;
        }
    }
    if has_focus(app, Focus::Reader) && app.dialogs.is_empty() {
        frame.set_cursor_position(cursor);
    }
}

/// The header, reduced to its first line if it takes much space and the text is scrolled.
fn head_for(app: &App, article: &Article, area: Rect) -> Vec<Line<'static>> {
    let mut head = head(app, article, area.width);
    let height = usize::from(area.height);
    // A text that fits below the full header is not scrolled.
    let goes_on = app.reader.lines.lines.len() > height.saturating_sub(1);
    if head.len() * 4 > height && app.reader.top > 0 && goes_on {
        let title = text::truncate(&article.item.title, area.width.into());
        head = vec![Line::styled(title.into_owned(), app.palette.style(Role::Title))];
    }
    head
}

/// Title, facts and notes above the text.
fn head(app: &App, article: &Article, width: u16) -> Vec<Line<'static>> {
    let (item, style) = (&article.item, |role| app.palette.style(role));
    let title = if item.title.is_empty() { "(no title)" } else { &item.title };
    let mut lines = Vec::new();
    let mut wrapped = |words: &str, limit: usize, role| {
        let parts = reader::wrap_plain(words, width.into()).into_iter().take(limit);
        lines.extend(parts.map(|line| Line::styled(line, style(role))));
    };
    let mark = marks(app).pinned;
    let title = if article.row.pinned { format!("{mark} {title}") } else { title.to_owned() };
    wrapped(&title, 4, Role::Title);
    wrapped(&facts(app, article), 2, Role::Dim);
    if let Some(words) = changed(app, article) {
        wrapped(&words, 3, Role::Warning);
    }
    if !item.tags.is_empty() {
        wrapped(&format!("Tags: {}", item.tags.join(", ")), 1, Role::Dim);
    }
    if let Some(words) = comments(app, article) {
        wrapped(&words, 2, Role::Dim);
    }
    for enclosure in item.enclosures.iter().take(3) {
        let kind = enclosure.mime.as_deref().unwrap_or("file");
        let line = format!("{kind}: {}", enclosure.url);
        let line = text::truncate(&line, width.into()).into_owned();
        lines.push(Line::styled(line, style(Role::Link)));
    }
    lines.push(Line::raw(""));
    lines
}

/// Author, source, date and origin of the text.
fn facts(app: &App, article: &Article) -> String {
    let item = &article.item;
    let source = app.sources.entry(article.row.source_key);
    let facts: Vec<String> = [
        (!item.authors.is_empty()).then(|| item.authors.join(", ")),
        source.map(|s| s.title().to_owned()),
        Some(item.published.or(item.updated).map_or_else(|| "no date".to_owned(), published)),
        Some(origin(item, source).to_owned() + &other_text(app, item)),
    ]
    .into_iter()
    .flatten()
    .collect();
    facts.join(&format!(" {} ", marks(app).bullet))
}

/// That the page has another text than the one of the feed that is shown, with the key for it.
fn other_text(app: &App, item: &Item) -> String {
    let other =
        item.text_from == TextFrom::Feed && item.page_text && item.feed_has_full_text != Some(true);
    let key = app.keymap.keys_for(Context::Reader, Action::FullText).filter(|_| other);
    key.map(|key| format!(" ({key}: text of the page)")).unwrap_or_default()
}

/// The number of comments, and the keys that open and follow them.
fn comments(app: &App, article: &Article) -> Option<String> {
    let item = &article.item;
    let key = |action| app.keymap.keys_for(Context::Reader, action);
    let count = match item.comment_count {
        Some(count) => text::comment_count(count, article.new_comments),
        None if item.comment_feed.is_some() || item.comments.is_some() => "comments".to_owned(),
        None => return None,
    };
    let open = item.comments.as_ref().and_then(|_| key(Action::Comments));
    let follow = item.comment_feed.as_ref().and_then(|_| key(Action::FollowComments));
    let hints =
        [open.map(|key| format!("{key}: open")), follow.map(|key| format!("{key}: follow"))];
    let parts: Vec<String> = [Some(count)].into_iter().chain(hints).flatten().collect();
    Some(parts.join("; "))
}

/// Where the text comes from.
fn origin(item: &Item, source: Option<&SourceEntry>) -> &'static str {
    // The text of a website's item was read from the article page.
    let from_page = source.is_some_and(|s| s.source.kind().reads_pages());
    match item.text_from {
        TextFrom::Feed if from_page => TextFrom::Page.describe(),
        from => from.describe(),
    }
}

/// What changed, with the keys that show how.
fn changed(app: &App, article: &Article) -> Option<String> {
    let key = |action| app.keymap.keys_for(Context::Reader, action).unwrap_or_default();
    let show = key(Action::Difference);
    let mark = marks(app).changed;
    let item = &article.item;
    if let Some(difference) =
        article.differences.get(app.reader.difference_at).filter(|_| app.reader.show_difference)
    {
        return Some(shown_difference(app, article, difference));
    }
    let summary = match item.revisions.as_slice() {
        [] if article.row.changed => format!(": {}", Revision::summary(&[])),
        [] => String::new(),
        revisions => format!(": {}", Revision::summary(revisions)),
    };
    let hint = match article.differences.len() {
        0 => String::new(),
        _ => format!("; {show}: show the difference"),
    };
    // The key comes first, because the summary may be cut.
    let end = hint + &summary.replacen(": ", "; ", 1);
    if article.row.changed {
        return Some(format!("{mark} changed since you read it{end}"));
    }
    match (article.differences.len(), summary.as_str()) {
        (0, "") => None,
        (0, summary) => Some(format!("{mark} changed{summary}")),
        (1, _) => Some(format!("{mark} an earlier version is stored{end}")),
        (n, _) => Some(format!("{mark} {n} earlier versions are stored{end}")),
    }
}

/// Which difference is shown, what it is about, and the key back to the article.
fn shown_difference(app: &App, article: &Article, difference: &Difference) -> String {
    let (at, count) = (app.reader.difference_at + 1, article.differences.len());
    let which = if count > 1 { format!("change {at} of {count}, ") } else { String::new() };
    let (mark, ago) = (marks(app).changed, span((app.now - difference.at).num_seconds()));
    let key = app.keymap.keys_for(Context::Reader, Action::Difference).unwrap_or_default();
    let mut words = format!("{mark} {which}seen {ago} ago; {key}: show the article");
    if !difference.summary.is_empty() {
        words += &format!("; {}", difference.summary);
    }
    words + "; [-removed-] {+added+}"
}

/// Draws lines of the article.
struct Pen<'a> {
    app: &'a App,
    glyphs: &'static Glyphs,
    hints: Option<&'a Hints>,
}

impl Pen<'_> {
    /// A line by its index, clipped to `width` cells.
    fn line(&self, number: usize, width: usize) -> Line<'static> {
        let reader = &self.app.reader;
        let Some(line) = reader.lines.lines.get(number) else { return Line::default() };
        let mut out: Vec<Ink<'static>> = Vec::new();
        for span in &line.margin {
            let label = self.label(span).unwrap_or_else(|| (span.text.clone(), self.style(span)));
            out.push(Ink::styled(label.0, label.1));
        }
        let mut hinted = None;
        for cell in cut(line, reader.shift, width.saturating_sub(line.indent()), self.glyphs) {
            let span = cell.span.and_then(|i| line.spans.get(i));
            if let Some(label) = span.and_then(|span| self.label(span)) {
                if hinted != cell.span {
                    out.push(Ink::styled(label.0, label.1));
                }
                hinted = cell.span;
                continue;
            }
            let style = match span {
                Some(span) => self.found(number, cell.at).unwrap_or_else(|| self.style(span)),
                None => self.app.palette.style(Role::Dim),
            };
            match out.last_mut() {
                Some(last) if last.style == style => last.content.to_mut().push_str(cell.text),
                _ => out.push(Ink::styled(cell.text.to_owned(), style)),
            }
        }
        Line::from(out)
    }

    fn style(&self, span: &Span) -> Style {
        self.app.palette.style(span.role)
    }

    /// The style of a search match at a position, if there is one.
    fn found(&self, line: usize, at: usize) -> Option<Style> {
        let find = self.app.reader.find.as_ref()?;
        let first = find.pieces.partition_point(|piece| piece.line < line);
        let piece = find.pieces[first..]
            .iter()
            .take_while(|piece| piece.line == line)
            .find(|piece| (piece.from..piece.to).contains(&at))?;
        let style = self.app.palette.style(Role::Match).add_modifier(Modifier::UNDERLINED);
        Some(if piece.hit == find.at { style.add_modifier(Modifier::BOLD) } else { style })
    }

    /// The hint letters that replace the number of a target, padded to its width.
    fn label(&self, span: &Span) -> Option<(String, Style)> {
        let target = span.target.filter(|_| span.mark)?;
        let letters = self.hints?.label(target)?;
        let wide = text::width(&span.text);
        let boxed = format!("[{letters}]");
        let shown = if boxed.len() > wide { letters.to_owned() } else { boxed };
        let style = self.app.palette.style(Role::Match).add_modifier(Modifier::BOLD);
        Some((format!("{shown:<wide$}"), style))
    }
}

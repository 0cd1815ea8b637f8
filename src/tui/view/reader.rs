//! The reader pane: a head, and the text in a column.

use super::super::app::{App, Focus};
use super::super::event::Article;
use super::has_focus;
use crate::config::{Action, Context, Role};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let column = area.width.saturating_sub(2).min(app.reader.column);
    // A column narrower than a wide pane stands in its middle only when it has the screen alone.
    let margin = if app.zen { (area.width - column) / 2 } else { 1 };
    let inner = Rect { x: area.x + margin, width: column, ..area };
    let Some(article) = app.reader.article.clone() else {
        let key = app.keymap.keys_for(Context::Items, Action::Open).unwrap_or_default();
        let style = app.palette.style(Role::Dim);
        frame.render_widget(
            Line::styled(format!("{key} opens the selected item here"), style),
            inner,
        );
        return;
    };
    let head = head(app, &article, inner.width);
    let used = u16::try_from(head.len()).unwrap_or(0).min(inner.height / 2);
    for (y, line) in (inner.y..inner.y + used).zip(head) {
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
    let body = Rect { y: inner.y + used, height: inner.height - used, ..inner };
    app.reader.fit(body.width.into(), body.height.into());
    app.areas.reader = Some(body);
    let find = app.reader.find.as_ref().map(|f| f.text.to_lowercase());
    let lines = app.reader.lines.lines.iter().skip(app.reader.top).take(body.height.into());
    for (y, line) in (body.y..).zip(lines) {
        let spans: Vec<Span<'_>> = line
            .iter()
            .flat_map(|s| highlighted(&s.text, app.palette.style(s.role), find.as_deref(), app))
            .collect();
        frame.render_widget(Line::from(spans), Rect { y, height: 1, ..body });
    }
    if has_focus(app, Focus::Reader) && app.layers.is_empty() {
        frame.set_cursor_position(Position::new(body.x, body.y));
    }
}

/// Title, and a line of who, when and from where.
fn head(app: &App, article: &Article, width: u16) -> Vec<Line<'static>> {
    let (item, style) = (&article.item, |role| app.palette.style(role));
    let title = if item.title.is_empty() { "(no title)" } else { &item.title };
    let mut lines = Vec::new();
    let mark = super::chrome::marks(app).pinned;
    let title = if article.row.pinned { format!("{mark} {title}") } else { title.to_owned() };
    for line in super::super::reader::wrap_plain(&title, width.into()).into_iter().take(4) {
        lines.push(Line::styled(line, style(Role::Title)));
    }
    let source = app.sources.entry(article.row.source_key);
    let bullet = format!(" {} ", super::chrome::marks(app).bullet);
    let local = |t: crate::model::Time| {
        t.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M").to_string()
    };
    let facts: Vec<String> = [
        (!item.authors.is_empty()).then(|| item.authors.join(", ")),
        source.map(|s| s.title().to_owned()),
        Some(item.published.or(item.updated).map_or_else(|| "no date".to_owned(), local)),
        Some("from the feed".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let facts = facts.join(&bullet);
    for line in super::super::reader::wrap_plain(&facts, width.into()).into_iter().take(2) {
        lines.push(Line::styled(line, style(Role::Dim)));
    }
    for enclosure in item.enclosures.iter().take(3) {
        let kind = enclosure.mime.as_deref().unwrap_or("file");
        let line = format!("{kind}: {}", enclosure.url);
        lines.push(Line::styled(
            text::truncate(&line, width.into()).into_owned(),
            style(Role::Link),
        ));
    }
    lines.push(Line::raw(""));
    lines
}

/// A piece of text with what is being looked for made visible.
fn highlighted<'a>(content: &'a str, style: Style, find: Option<&str>, app: &App) -> Vec<Span<'a>> {
    let Some(find) = find.filter(|f| !f.is_empty()) else {
        return vec![Span::styled(content, style)];
    };
    let lower = content.to_lowercase();
    // Lower case can have another length in some scripts; then the line is only scrolled to.
    if lower.len() != content.len() {
        return vec![Span::styled(content, style)];
    }
    let mut spans = Vec::new();
    let mut from = 0;
    for (at, hit) in lower.match_indices(find) {
        let (Some(before), Some(found)) = (content.get(from..at), content.get(at..at + hit.len()))
        else {
            break;
        };
        spans.push(Span::styled(before, style));
        spans.push(Span::styled(found, app.palette.style(Role::Match)));
        from = at + hit.len();
    }
    spans.push(Span::styled(content.get(from..).unwrap_or(""), style));
    spans
}

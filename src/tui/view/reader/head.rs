//! The header of an article: source, title, author, date and other facts.

mod changes;

use super::super::super::app::App;
use super::super::super::event::{Article, SourceEntry};
use super::super::super::reader::{self, Span, wrap, wrap_plain};
use super::super::chrome::marks;
use super::ink;
use crate::article::LostLayout;
use crate::config::{Action, Context, Role};
use crate::model::{Item, ItemRow, SourceKind, TextFrom, Time};
use crate::util::media::is_playable;
use crate::util::text;
use crate::util::time_text::{DayName, day_name, length};
use chrono::{Local, TimeZone};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span as Ink};

/// Maximum number of lines of the title.
const MAX_TITLE: usize = 4;
/// Maximum number of lines of a fact.
const MAX_FACT: usize = 2;
/// Maximum number of characters in a list of names.
const LONGEST: usize = 300;
/// Separator between two facts.
const GAP: &str = "   ";
/// While the article is scrolled, the header is reduced if it uses more than this fraction (1/8) of the
/// height.
const MIN_PART: usize = 8;
/// Appended to the origin of the text while its page is being fetched.
const FETCHING: &str = "; fetching the full text …";
/// Number of lines of a reduced header: the title and a rule.
pub(super) const REDUCED: usize = 2;
/// Minimum height of a pane that shows all facts.
pub(super) const ROOMY: u16 = 16;
/// Minimum height of a pane with an empty line below the title.
const TALL: u16 = 28;

/// The lines of the header, which end with an empty line, and how many of them scroll away with the text. If
/// the header uses a lot of space, only the title stays.
pub(super) fn lines(app: &App, article: &Article, area: Rect) -> (Vec<Line<'static>>, usize) {
    let (mut out, title_end) = whole(app, article, area);
    let height = usize::from(area.height);
    // If the text fits below the full header, it is not scrolled.
    let goes_on = app.reader.line_count() + out.len().min(height / 2) > height;
    if out.len() * MIN_PART <= height || !goes_on {
        return (out, 0);
    }
    let most = out.len().min(height / 2).saturating_sub(REDUCED);
    match app.reader.head_hidden {
        0 => {}
        hidden if hidden < most => {
            out.truncate(most + REDUCED);
            out.drain(..hidden);
            // Once its last line is gone, the title stays while the facts scroll away below it.
            if hidden >= title_end {
                out[0] = reduced_title(app, article, area.width.into());
            }
        }
        _ => {
            let rule = marks(app).across.repeat(area.width.into());
            out = vec![
                reduced_title(app, article, area.width.into()),
                Line::from(ink(app, rule, Role::Border)),
            ];
        }
    }
    (out, most)
}

/// The title in one line.
fn reduced_title(app: &App, article: &Article, width: usize) -> Line<'static> {
    let title = app.item_name(&article.row);
    let mut line = [Line::from(ink(app, text::truncate(&title, width), Role::Title))];
    align(&title, &mut line, width);
    let [line] = line;
    line
}

/// Right-aligns the lines if the title is right-to-left. ratatui's own alignment would measure ligatures but
/// draw separate letters, and so truncate the lines.
fn align(title: &str, lines: &mut [Line<'static>], width: usize) {
    if reader::is_right_to_left(&[Span::new(title, Role::Title)]) {
        for line in lines {
            let cells: usize = line.spans.iter().map(|span| text::width(&span.content)).sum();
            line.spans.insert(0, " ".repeat(width.saturating_sub(cells)).into());
        }
    }
}

/// The lines that are shown while an item is being loaded.
pub(super) fn loading(app: &App, row: &ItemRow, width: u16) -> Vec<Line<'static>> {
    let mut out = start(app, row, &row.title, width.into());
    align(&row.title, &mut out, width.into());
    out.push(Line::default());
    out.push(Line::from(ink(app, "Loading …".to_owned(), Role::Dim)));
    out
}

/// The name of the source and the title.
fn start(app: &App, row: &ItemRow, title: &str, width: usize) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    if let Some(source) = app.sources.entry(row.source_key) {
        let square = marks(app).square.trim();
        let space = width.saturating_sub(text::width(square) + 1);
        let words = format!("{square} {}", app.sources.name(source, space));
        let words = text::truncate(words.trim(), width).into_owned();
        out.push(Line::from(ink(app, words, app.sources.color(row.source_key))));
    }
    // The first words of the text replace a missing title; without text, the name that lists show.
    let title = match title {
        "" if row.words > 0 => return out,
        "" => app.item_name(row),
        title => title.into(),
    };
    out.extend(part(app, &title, MAX_TITLE, Role::Title, width));
    out
}

/// A text of the header as at most `limit` lines.
fn part(app: &App, words: &str, limit: usize, role: Role, width: usize) -> Vec<Line<'static>> {
    let lines = wrap_plain(words, width).into_iter();
    cut(lines.map(|line| Line::from(ink(app, line, role))), limit, width)
}

/// All lines, and the number of those with the source's name and the title.
fn whole(app: &App, article: &Article, area: Rect) -> (Vec<Line<'static>>, usize) {
    let (item, width) = (&article.item, usize::from(area.width));
    let source = app.sources.entry(article.row.source_key);
    let mut out = start(app, &article.row, &item.title, width);
    let title_end = out.len();
    if area.height >= TALL && !out.is_empty() {
        out.push(Line::default());
    }
    out.extend(facts(app, article, source, area));
    align(&item.title, &mut out, width);
    let rule = marks(app).across.repeat(width);
    out.push(Line::from(ink(app, rule, Role::Border)));
    out.push(Line::default());
    (out, title_end)
}

/// Truncates a list of names, because it is wrapped again for every frame.
fn short(names: &str) -> String {
    text::truncate(names, LONGEST).into_owned()
}

/// The author, the date and the reading time.
fn byline(app: &App, article: &Article, source: Option<&SourceEntry>) -> String {
    let item = &article.item;
    let is_source = |name: &str| source.is_some_and(|s| s.title().trim() == name.trim());
    let authors: Vec<&str> =
        item.authors.iter().map(String::as_str).filter(|name| !is_source(name)).collect();
    let date = item.published.or(item.updated).map(|time| describe(time, app.now, &Local));
    // The reading time of a teaser could be mistaken for that of the article.
    let minutes = if article.is_teaser() { 0 } else { app.reader.minutes() };
    let parts: Vec<String> = [
        (!authors.is_empty()).then(|| short(&authors.join(", "))),
        Some(date.unwrap_or_else(|| {
            format!("no date, found {}", describe(item.discovered, app.now, &Local))
        })),
        (minutes > 0).then(|| format!("{minutes} min read")),
    ]
    .into_iter()
    .flatten()
    .collect();
    parts.join(&format!(" {} ", marks(app).bullet))
}

/// A date as text, such as `today 00:55`, `yesterday 14:05`, `20 Nov` or `20 Nov 2024`; without the time if
/// the publisher gave none.
fn describe<Z: TimeZone>(time: Time, now: Time, zone: &Z) -> String
where
    Z::Offset: std::fmt::Display,
{
    let (day, clock) = day_name(time, now, zone);
    let clock = clock.map(|clock| format!(" {clock}")).unwrap_or_default();
    match day {
        DayName::Today => format!("today{clock}"),
        DayName::Yesterday => format!("yesterday{clock}"),
        DayName::Date(date) => date,
    }
}

/// A fact, as pieces of text with their roles.
type Fact = Vec<(String, Role)>;

/// The author, the date and the other facts about the article, on as many lines as needed.
fn facts(
    app: &App,
    article: &Article,
    source: Option<&SourceEntry>,
    area: Rect,
) -> Vec<Line<'static>> {
    let item = &article.item;
    let pinned =
        article.row.pinned.then(|| vec![(format!("{} Pinned", marks(app).pinned), Role::Pinned)]);
    let roomy = area.height >= ROOMY;
    let dim = |words: String| vec![(words, Role::Dim)];
    let tags = (!item.tags.is_empty())
        .then(|| dim(short(&format!("Categories: {}", item.tags.join(", ")))));
    let later =
        article.row.later.then(|| vec![(format!("{} Later", marks(app).later), Role::Accent)]);
    let byline = vec![(byline(app, article, source), Role::Soft)];
    let all = [
        Some(byline),
        pinned,
        later,
        origin(app, article, source).filter(|_| roomy),
        changes::summary(app, article),
        also_in(app, article),
        enclosures(app, item),
        comments(app, article).filter(|_| roomy),
        tags.filter(|_| roomy),
    ];
    let notes = article.notes.iter().filter(|_| roomy).map(|note| dim(short(note)));
    rows(app, all.into_iter().flatten().chain(notes).collect(), area.width.into())
}

/// Lays out facts side by side, as many per line as fit.
fn rows(app: &App, facts: Vec<Fact>, width: usize) -> Vec<Line<'static>> {
    let mut out: Vec<Line<'static>> = Vec::new();
    let mut used = usize::MAX;
    for fact in facts {
        let cells: usize = fact.iter().map(|(words, _)| text::width(words)).sum();
        let spans: Vec<Ink<'static>> =
            fact.iter().map(|(words, role)| ink(app, words, *role)).collect();
        match out.last_mut() {
            Some(line) if used.saturating_add(GAP.len() + cells) <= width => {
                line.push_span(Ink::raw(GAP));
                spans.into_iter().for_each(|span| line.push_span(span));
                used += GAP.len() + cells;
            }
            _ if cells <= width => {
                out.push(Line::from(spans));
                used = cells;
            }
            _ => {
                let fact: Vec<Span> =
                    fact.into_iter().map(|(t, role)| Span::new(t, role)).collect();
                let line = |line: reader::Line| {
                    line.spans.into_iter().map(|s| ink(app, s.text, s.role)).collect::<Line<'_>>()
                };
                out.extend(cut(wrap(&fact, width).into_iter().map(line), MAX_FACT, width));
                used = usize::MAX;
            }
        }
    }
    out
}

/// At most `most` lines. The last one ends in an ellipsis if lines were omitted.
fn cut(
    lines: impl Iterator<Item = Line<'static>>,
    most: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let mut lines: Vec<_> = lines.take(most + 1).collect();
    if lines.len() > most {
        lines.truncate(most);
        lines.last_mut().into_iter().for_each(|last| end_with_ellipsis(last, width));
    }
    lines
}

/// Appends an ellipsis, shortening the line if necessary.
fn end_with_ellipsis(line: &mut Line<'static>, width: usize) {
    let Some(last) = line.spans.pop() else { return };
    let before: usize = line.spans.iter().map(|span| text::width(&span.content)).sum();
    let words = format!("{} …", last.content.trim_end());
    let cut = text::truncate(&words, width.saturating_sub(before)).into_owned();
    line.push_span(Ink::styled(cut, last.style));
}

fn key(app: &App, action: Action) -> Option<String> {
    app.keymap.keys_for(Context::Reader, action)
}

/// The origin of the text, and the key that shows the other text.
fn origin(app: &App, article: &Article, source: Option<&SourceEntry>) -> Option<Fact> {
    let item = &article.item;
    // For a website, the item's own text was read from the article page.
    let reads_pages = source.is_some_and(|s| s.source.kind().reads_pages());
    let is_entry = source.is_some_and(|s| s.source.kind() == SourceKind::Entries);
    let is_listed = is_entry && item.text_from == TextFrom::Feed;
    let from = match item.text_from {
        TextFrom::Feed if reads_pages => TextFrom::Page,
        from => from,
    };
    let is_fetching = app.texts.is_fetching(article.row.key);
    let error = item.fetch_error.as_ref().filter(|_| !item.page_text && !is_fetching);
    let is_teaser = article.is_teaser();
    let words = match (from, error) {
        (TextFrom::Feed, Some(error)) if is_teaser => format!("Teaser only: {}", reason(error)),
        (_, Some(error)) if is_listed && is_teaser => format!("Teaser only: {}", reason(error)),
        (_, None) if is_listed && is_teaser => format!("Teaser {}", from.describe()),
        (TextFrom::Feed, Some(error)) => {
            format!("Text from the feed; no full text: {}", reason(error))
        }
        (TextFrom::Feed, None) if is_teaser => format!("Teaser {}", from.describe()),
        (TextFrom::Feed | TextFrom::Selected, _) => format!("Text {}", from.describe()),
        _ => format!("Full text {}", from.describe()),
    };
    let other =
        item.text_from == TextFrom::Feed && item.page_text && item.feed_has_full_text != Some(true);
    let mut fact = vec![(words, Role::Dim)];
    let has_page = item.page_text || item.url.is_some() && item.fetch_error.is_none();
    let lost = article.lost.filter(|_| from == TextFrom::Feed && !is_teaser && has_page);
    if is_fetching {
        fact.push((FETCHING.to_owned(), Role::Soft));
    } else if let Some(key) =
        key(app, Action::FullText).filter(|_| other || is_listed && is_teaser || lost.is_some())
    {
        let code = lost.map(|lost| match lost {
            LostLayout::LineBreaks => "; code has no line breaks",
            LostLayout::Indentation => "; code has no indentation",
            LostLayout::Spaces => "; tables in code are not aligned",
        });
        fact.extend(code.map(|code| (code.to_owned(), Role::Dim)));
        fact.push((", ".to_owned(), Role::Dim));
        fact.push((key, Role::KeyHint));
        let shows = match (item.page_text, lost) {
            (true, _) => " shows the text of the page",
            (false, Some(_)) => " fetches the page",
            (false, None) => " shows the full text",
        };
        fact.push((shows.to_owned(), Role::Dim));
    }
    Some(fact)
}

/// Why a page could not be fetched: only the status, if the server sent one.
fn reason(error: &str) -> String {
    let status = error.strip_suffix(')').and_then(|error| error.rsplit_once("(HTTP "));
    match status {
        Some((_, status)) => format!("HTTP {}", short(status)),
        None => short(error),
    }
}

/// The other sources that cover the same story.
fn also_in(app: &App, article: &Article) -> Option<Fact> {
    let names = article.also_in.iter().map(|other| {
        let known = app.sources.list.sources.iter().find(|entry| entry.source.id == other.source);
        known.map_or(other.source.as_str(), SourceEntry::title).trim()
    });
    let names = names.collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| vec![(short(&format!("Also in {names}")), Role::Soft)])
}

/// The enclosures, and the keys that open, queue and download them.
fn enclosures(app: &App, item: &Item) -> Option<Fact> {
    let words = match item.enclosures.as_slice() {
        [] => return None,
        [one] => {
            let kind = one.mime.as_deref().and_then(|mime| mime.split('/').next());
            let kind = match kind {
                Some("audio") => "Audio",
                Some("video") => "Video",
                _ => "Enclosure",
            };
            let length = one.seconds.map(|seconds| format!(", {}", length(seconds)));
            let chapters = match one.chapters.len() {
                0 => String::new(),
                many => format!(", {}", text::counted(many, "chapter")),
            };
            format!("{kind}{}{chapters}", length.unwrap_or_default())
        }
        many => text::counted(many.len(), "enclosure"),
    };
    let queue = item.enclosures.iter().any(is_playable).then_some((Action::Enqueue, " queues"));
    let verbs =
        [Some((Action::Enclosure, " opens")), queue, Some((Action::Download, " downloads"))];
    let mut fact = vec![(words, Role::Soft)];
    for (action, verb) in verbs.into_iter().flatten() {
        if let Some(key) = key(app, action) {
            fact.push((", ".to_owned(), Role::Dim));
            fact.push((key, Role::KeyHint));
            fact.push((verb.to_owned(), Role::Dim));
        }
    }
    Some(fact)
}

/// The number of comments, and the keys that open and follow them.
fn comments(app: &App, article: &Article) -> Option<Fact> {
    let item = &article.item;
    let count = match item.comment_count {
        Some(count) => text::comment_count(count, article.new_comments),
        None if item.comment_feed.is_some() || item.comments.is_some() => "Comments".to_owned(),
        None => return None,
    };
    let mut fact = vec![(count, Role::Dim)];
    let open = item.comments.as_ref().and_then(|_| key(app, Action::Comments));
    let follow = item.comment_feed.as_ref().and_then(|_| key(app, Action::FollowComments));
    for (key, verb) in [(open, " opens them"), (follow, " follows them")] {
        if let Some(key) = key {
            fact.push((", ".to_owned(), Role::Dim));
            fact.push((key, Role::KeyHint));
            fact.push((verb.to_owned(), Role::Dim));
        }
    }
    Some(fact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Utc;

    #[test]
    fn describes_dates_relative_to_today() {
        let now = "2026-01-02T00:30:00Z".parse().unwrap();
        for (time, expected) in [
            ("2026-01-02T00:05:00Z", "today 00:05"),
            ("2026-01-02T00:00:00Z", "today"),
            ("2026-01-01T23:05:00Z", "yesterday 23:05"),
            ("2026-01-01T00:00:00Z", "yesterday"),
            ("2025-12-31T23:05:00Z", "31 Dec 2025"),
            ("2026-03-04T00:00:00Z", "4 Mar"),
        ] {
            assert_eq!(describe(time.parse().unwrap(), now, &Utc), expected);
        }
        // A date without a time is the same day in every time zone, even west of Greenwich.
        let west = chrono::FixedOffset::west_opt(5 * 3600).unwrap();
        let day = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(describe(day, now, &west), "today");
    }

    #[test]
    fn truncated_lines_end_with_an_ellipsis() {
        let shown = |words: &[&str], width| {
            let lines = words.iter().map(|words| Line::from((*words).to_owned()));
            let lines = cut(lines, 2, width);
            lines.iter().map(Line::to_string).collect::<Vec<_>>()
        };
        assert_eq!(shown(&["one", "two"], 9), ["one", "two"]);
        assert_eq!(shown(&["one", "two", "three"], 9), ["one", "two …"]);
        assert_eq!(shown(&["one", "two more", "three"], 9), ["one", "two more…"]);
        assert_eq!(shown(&["one", "nine char", "three"], 9), ["one", "nine cha…"]);
    }

    #[test]
    fn draws_complete_titles_with_ligatures() {
        use ratatui::buffer::Buffer;
        use ratatui::widgets::Widget;
        for title in ["الفنارة التي لا تنطفئ", "لأن الأحلام لا تباع", "מגדלור"]
        {
            let area = Rect::new(0, 0, 40, 1);
            let mut screen = Buffer::empty(area);
            let mut lines = [Line::from(title)];
            align(title, &mut lines, 40);
            lines[0].clone().render(area, &mut screen);
            let shown: String = screen.content.iter().map(|cell| cell.symbol()).collect();
            assert_eq!(shown.trim_start(), title);
        }
    }
}

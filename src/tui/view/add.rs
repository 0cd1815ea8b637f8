//! The add dialog.

use super::super::app::{Add, App, Stage, as_sentence};
use super::super::input::Field;
use super::super::reader::wrap_plain;
use super::chrome::marks;
use super::dialogs::{DialogArea, field_line, role, rows};
use super::frame::{padding, window};
use super::row::Row;
use crate::config::Role;
use crate::engine::{Discovery, PreviewItem, Tried, Way};
use crate::model::{SourceKind, SourceRules};
use crate::util::text;
use crate::util::time_text::{DayName, day_name};
use chrono::Local;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use url::Url;

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, add: &Add, at: DialogArea) {
    if add.welcome {
        super::welcome::draw(app, frame, add, at);
        if super::welcome::is_shown(add) {
            return;
        }
    }
    let width = at.body.width.min(WIDTH).saturating_sub(2 + 2 * padding(at.body.width));
    let text = stage_lines(app, add, width);
    let rows = u16::try_from(text.len()).unwrap_or(u16::MAX).saturating_add(2);
    let height = match &add.stage {
        Stage::Found { discovery, .. } => found_height(app, discovery, width),
        Stage::Typing | Stage::Confirming(_) => rows.max(5),
        _ => rows.max(7),
    };
    let subject = match &add.stage {
        Stage::Found { discovery, .. } => discovery.address.host_str().unwrap_or_default(),
        _ => "",
    };
    let area = window(app, frame, at, ("Add a source", subject), (WIDTH, height));
    let field = Rect { height: area.height.min(1), ..area };
    let gap = area.height.min(2);
    let area = Rect { y: area.y + gap, height: area.height - gap, ..area };
    for (y, line) in (area.y..area.bottom()).zip(text) {
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
    if let Stage::Found { discovery, selected, known } = &add.stage {
        found(app, frame, add, (discovery, *selected, known), area);
    }
    // The focused field is drawn last, because it places the cursor.
    input(app, frame, ("URL", &add.field), !add.in_folder, field);
}

/// The wrapped text below the field.
fn stage_lines(app: &App, add: &Add, width: u16) -> Vec<Line<'static>> {
    let paragraph = |text: &str, role: Role| {
        let style = app.palette.style(role);
        let lines = wrap_plain(text, usize::from(width).max(1)).into_iter();
        lines.map(move |line| Line::styled(line, style)).collect::<Vec<_>>()
    };
    match &add.stage {
        Stage::Typing => [
            paragraph("Paste a URL and press Enter.", Role::Text),
            paragraph("A feed, a website, a list of articles, or a page to watch.", Role::Dim),
            paragraph(OWN_ORIGINS, Role::Dim),
        ]
        .concat(),
        Stage::Confirming(typed) => {
            let what = "Runs this program now and at each check, without a shell:";
            let style = app.palette.style(Role::Bright);
            let arguments = argument_lines(typed.origin.program(), width).into_iter();
            let arguments = arguments.map(|line| Line::styled(line, style));
            paragraph(what, Role::Text).into_iter().chain(arguments).collect()
        }
        Stage::Discovering { tried, .. } => {
            let mut lines = tried_lines(app, tried, width);
            lines.extend(paragraph("Searching …", Role::Accent));
            lines
        }
        Stage::Following(_) => [
            paragraph("Adding …", Role::Accent),
            paragraph("newsfed reads the first items, one request at a time.", Role::Dim),
        ]
        .concat(),
        Stage::Failed(why) => {
            let space = usize::from(width).saturating_sub(2).max(1);
            let style = app.palette.style(Role::Error);
            let mut lines = Vec::new();
            for text in why {
                for (i, part) in wrap_plain(&as_sentence(text), space).into_iter().enumerate() {
                    let mark = if i == 0 { marks(app).gone } else { " " };
                    lines.push(Line::styled(format!("{mark} {part}"), style));
                }
            }
            lines.extend(paragraph(NEXT_STEP, Role::Soft));
            lines
        }
        Stage::Known(source) => {
            let ok = if app.settings.ui.ascii { "+" } else { "✓" };
            let name = format!("{ok} Already followed as {}", known_title(app, *source));
            let url = app.sources.entry(*source).map(|entry| text::line(entry.source.url.as_str()));
            let url = format!("  {}", url.unwrap_or_default());
            let url = text::truncate(&url, width.into()).into_owned();
            let what = "Enter goes to the source. Tab finds other ways to follow this URL.";
            let mut lines = paragraph(&name, Role::Bright);
            lines.push(Line::styled(url, app.palette.style(Role::Dim)));
            lines.push(Line::default());
            lines.extend(paragraph(what, Role::Soft));
            lines
        }
        Stage::Found { .. } => Vec::new(),
    }
}

/// Width of the dialog, in cells.
const WIDTH: u16 = 104;

const OWN_ORIGINS: &str =
    "Your own programs and files: exec:PROGRAM, filter:PROGRAM:URL, mail:PATH, or a file's path.";

/// Advice shown if nothing was found at a URL.
pub(super) const NEXT_STEP: &str =
    "Type another URL, such as example.org or https://example.org/feed.xml, and press Enter.";

fn known_title(app: &App, source: i64) -> String {
    app.sources.entry(source).map(|entry| text::line(entry.title())).unwrap_or_default()
}

/// A program and its arguments, one per line, wrapped to the width.
fn argument_lines(argv: &[String], width: u16) -> Vec<String> {
    let space = usize::from(width).saturating_sub(2).max(1);
    let lines = argv.iter().flat_map(|word| wrap_plain(&text::line(word), space));
    lines.map(|line| format!("  {line}")).collect()
}

/// Maximum number of lines with attempts above the list of ways.
const MAX_TRIED: usize = 2;

/// The attempts, each with a mark for success or failure; as many per line as fit.
fn tried_lines(app: &App, tried: &[Tried], width: u16) -> Vec<Line<'static>> {
    const GAP: usize = 3;
    let (found, missed) = if app.settings.ui.ascii { ("+", "-") } else { ("✓", "–") };
    let style = |role| app.palette.style(role);
    let (mut lines, mut used) = (Vec::<Line<'static>>::new(), 0);
    for attempt in tried {
        let space = usize::from(width).saturating_sub(2).max(1);
        for (n, part) in wrap_plain(&attempt.text, space).into_iter().enumerate() {
            let cells = 2 + text::width(&part);
            if n > 0 || lines.is_empty() || used + GAP + cells > usize::from(width) {
                lines.push(Line::default());
                used = 0;
            }
            let Some(line) = lines.last_mut() else { break };
            if used > 0 {
                line.push_span(Span::raw(" ".repeat(GAP)));
                used += GAP;
            }
            let (mark, role) = match attempt.found {
                _ if n > 0 => (" ", Role::Dim),
                true => (found, Role::Ok),
                false => (missed, Role::Dim),
            };
            line.push_span(Span::styled(format!("{mark} "), style(role)));
            let role = if attempt.found { Role::Text } else { Role::Dim };
            line.push_span(Span::styled(part, style(role)));
            used += cells;
        }
    }
    lines
}

/// The attempts shown above the list of ways; an ellipsis marks omitted ones.
fn shown_attempts(app: &App, tried: &[Tried], width: u16) -> Vec<Line<'static>> {
    let mut lines = tried_lines(app, tried, width);
    if lines.len() > MAX_TRIED {
        lines.truncate(MAX_TRIED);
        let space = usize::from(width).saturating_sub(2);
        if let Some(span) = lines.last_mut().and_then(|line| line.spans.last_mut()) {
            let cut = format!("{} …", span.content);
            span.content = text::truncate(&cut, space).into_owned().into();
        }
    }
    lines
}

/// Width of the field labels.
const LABELS: u16 = 10;

/// Draws a label and its field.
fn input(app: &App, frame: &mut Frame<'_>, (label, field): (&str, &Field), here: bool, area: Rect) {
    if area.is_empty() {
        return;
    }
    let labels = LABELS.min(area.width / 2);
    let style = app.palette.style(if here { Role::Title } else { Role::Soft });
    frame.render_widget(Line::styled(label.to_owned(), style), area);
    let at = Rect { x: area.x + labels, width: area.width - labels, ..area };
    frame.buffer_mut().set_style(at, app.palette.style(Role::Input));
    if here {
        field_line(app, frame, "", field, Rect { x: at.x + 1, width: at.width - 1, ..at });
    } else {
        let value = text::truncate(field.value(), at.width.saturating_sub(2).into());
        let line = match field.value() {
            "" => Line::styled(" none", app.palette.style(Role::Dim)),
            _ => Line::raw(format!(" {value}")),
        };
        frame.render_widget(line, at);
    }
}

/// Number of rows for the ways that were found. It does not depend on the selection.
fn found_height(app: &App, discovery: &Discovery, width: u16) -> u16 {
    let tried = shown_attempts(app, &discovery.tried, width).len();
    let rows = |item: &PreviewItem| 1 + usize::from(!item.summary.is_empty());
    let entries = discovery.ways.iter().filter_map(Way::preview);
    let entries = entries.map(|entries| entries.iter().map(rows).sum::<usize>()).max();
    // A way without entries has two lines, or three if its URL differs from the typed one.
    let least = if discovery.ways.iter().any(|way| way.url != discovery.address) { 3 } else { 2 };
    // The URL, the headings, the folder, and the empty rows between them.
    let rows = 8 + tried + discovery.ways.len() + entries.unwrap_or(0).clamp(least, MAX_PREVIEW);
    // Even a short list leaves space for the attempts.
    u16::try_from(rows).unwrap_or(u16::MAX).max(ROOMY + 2)
}

/// Maximum number of rows of the preview.
const MAX_PREVIEW: usize = 10;
/// Minimum number of rows for a preview with summaries.
const WITH_SUMMARIES: usize = 6;
/// Minimum height for headings, empty rows and attempts.
const ROOMY: u16 = 12;
/// Number of cells for the five squares and the word of a match quality.
const QUALITY: usize = 18;
/// Minimum width for a column with the match quality of each way.
const WITH_QUALITY: u16 = 64;
/// Minimum width for an additional column with the origin of each way.
const WITH_ORIGIN: u16 = 84;

/// Draws the ways that were found, a preview of the selected one, and the folder.
fn found(
    app: &App,
    frame: &mut Frame<'_>,
    add: &Add,
    (discovery, selected, known): (&Discovery, usize, &[Option<i64>]),
    area: Rect,
) {
    let style = |role| app.palette.style(role);
    let roomy = area.height >= ROOMY;
    let mut y = area.y;
    let line = |frame: &mut Frame<'_>, y: u16, row: Row| {
        if y < area.bottom() {
            frame.render_widget(row.line(style(Role::Text)), Rect { y, height: 1, ..area });
        }
    };
    if roomy {
        for text in shown_attempts(app, &discovery.tried, area.width) {
            frame.render_widget(text, Rect { y, height: 1, ..area });
            y += 1;
        }
        let mut row = Row::new(area.width);
        row.right("best first", style(Role::Dim));
        row.left("Ways to follow this URL", style(Role::Title));
        line(frame, y + 1, row);
        y += 2;
    }
    let ways = u16::try_from(discovery.ways.len()).unwrap_or(u16::MAX);
    let left = area.bottom().saturating_sub(y);
    // The list uses at most half of the space, and the preview the rest; the folder is in the last row.
    let list = Rect { y, height: ways.min((left / 2).max(1)), ..area };
    let labels = discovery.labels(app.now);
    let mut cells: Vec<WayCells<'_>> = (discovery.ways.iter().zip(&labels))
        .map(|(way, label)| cells(app, discovery, way, label))
        .collect();
    distinguish(&mut cells, &discovery.ways);
    for (cells, source) in cells.iter_mut().zip(known) {
        if let Some(source) = source {
            cells.detail = format!("already followed as {}", known_title(app, *source));
        }
    }
    let columns = Columns::of(&cells, area.width.into());
    rows(app, frame, list, discovery.ways.len(), selected, |i, row, here| {
        way_row(app, row, (&cells[i], &columns), (i == 0, discovery.ways[i].confidence), here);
    });
    let last = area.bottom().saturating_sub(1);
    folder_row(app, frame, add, Rect { y: last, height: u16::from(last > list.bottom()), ..area });
    let Some(way) = discovery.ways.get(selected) else { return };
    let mut y = list.bottom() + 1;
    if roomy {
        super::dialogs::rule(app, frame, Rect { y: list.bottom(), height: 1, ..area });
        let mut row = Row::new(area.width);
        match way.preview().is_some_and(|entries| !entries.is_empty()) {
            true => {
                row.left("Preview", style(Role::Title));
                row.left("  its current items", style(Role::Dim));
            }
            false => row.left("Description", style(Role::Title)),
        }
        line(frame, y, row);
        y += 1;
    }
    let bottom = last.saturating_sub(u16::from(roomy));
    let space = (area.width, bottom.saturating_sub(y));
    let lines = preview(app, (way, way.url != discovery.address), space);
    for (y, row) in (y..bottom).zip(lines) {
        line(frame, y, row);
    }
}

/// The first entries of a way, or, if none are known yet, a description of what following it does.
fn preview(app: &App, (way, elsewhere): (&Way, bool), (width, height): (u16, u16)) -> Vec<Row> {
    const DATES: usize = 12;
    let style = |role| app.palette.style(role);
    let entries = way.preview().unwrap_or_default();
    if entries.is_empty() {
        // The column with the origin may be truncated, and is hidden on narrow screens.
        let address = elsewhere.then(|| text::line(way.url.as_str()));
        let words = address.into_iter().chain([way.outlook().to_owned()]);
        let lines = words.flat_map(|words| wrap_plain(&words, width.into()));
        let row = |text: String| {
            let mut row = Row::new(width);
            row.left(&text, style(Role::Soft));
            row
        };
        return lines.map(row).collect();
    }
    let summaries = entries.iter().filter(|item| !item.summary.is_empty()).count();
    let height = usize::from(height);
    let with_summaries = height >= WITH_SUMMARIES || entries.len() + summaries <= height;
    let rows = |item: PreviewItem| {
        let mut row = Row::new(width);
        let when = match item.date.map(|date| day_name(date, app.now, &Local).0) {
            Some(DayName::Today) => "Today".to_owned(),
            Some(DayName::Yesterday) => "Yesterday".to_owned(),
            Some(DayName::Date(date)) => date,
            None => String::new(),
        };
        row.left(&format!("{when:<DATES$}"), style(Role::Dim));
        row.left(&item.title, style(Role::Bright));
        let mut below = Row::new(width);
        below.left(&" ".repeat(DATES), Style::new());
        below.left(&item.summary, style(Role::Dim));
        let below = Some(below).filter(|_| with_summaries && !item.summary.is_empty());
        std::iter::once(row).chain(below)
    };
    entries.into_iter().flat_map(rows).collect()
}

/// The cells of a way: its kind, its contents, and its origin.
struct WayCells<'a> {
    name: &'a str,
    detail: String,
    origin: String,
}

fn cells<'a>(app: &App, discovery: &Discovery, way: &'a Way, label: &str) -> WayCells<'a> {
    let (name, mut detail) = way.describe(app.now);
    // The part of the label that distinguishes the way from others of the same kind.
    let own = label.strip_prefix(name).unwrap_or_default();
    let own = own.strip_prefix(&format!(" \u{b7} {detail}")).unwrap_or_default();
    let own = Some(own.trim_start_matches([' ', '\u{b7}'])).filter(|own| !own.is_empty());
    let title = Some(text::line(&way.title)).filter(|title| !title.is_empty());
    let title = title.filter(|_| way.kind() == SourceKind::Feed);
    let elsewhere =
        (way.url != discovery.address).then(|| short_address(&way.url, &discovery.address));
    // If a feed was not read, only its title is known.
    if let Some(title) = title.as_ref().filter(|_| way.count().is_none()) {
        detail = format!("\u{201c}{title}\u{201d}, {detail}");
    }
    let own = own.map(str::to_owned).filter(|_| way.kind() != SourceKind::Feed);
    let origin = own.or(elsewhere).or(title).unwrap_or_default();
    WayCells { name, detail, origin }
}

/// Shows the selectors of article lists that would otherwise look the same.
fn distinguish(cells: &mut [WayCells<'_>], ways: &[Way]) {
    let alike = |of: &WayCells<'_>, cells: &[WayCells<'_>]| {
        of.origin.is_empty() && cells.iter().filter(|cells| cells.name == of.name).count() > 1
    };
    let alike: Vec<bool> = cells.iter().map(|of| alike(of, cells)).collect();
    for ((cells, way), _) in cells.iter_mut().zip(ways).zip(alike).filter(|(_, alike)| *alike) {
        if let SourceRules::Website(rules) = &way.rules {
            cells.origin = rules.articles.as_deref().map(text::line).unwrap_or_default();
        }
    }
}

/// The URL without the origin if it is the origin of the typed URL.
fn short_address(url: &Url, typed: &Url) -> String {
    let same = url.origin() == typed.origin();
    let part = if same { &url[url::Position::BeforePath..] } else { url.as_str() };
    text::line(part)
}

/// Widths of the columns in the list of ways.
struct Columns {
    name: usize,
    /// Whether names are shown without the explanation after the colon.
    is_narrow: bool,
    origin: usize,
}

impl Columns {
    fn of(cells: &[WayCells<'_>], width: usize) -> Self {
        let widest = |cell: fn(&WayCells<'_>) -> usize| cells.iter().map(cell).max().unwrap_or(0);
        let widest_name = widest(|cells| text::width(cells.name));
        let is_narrow = width < usize::from(WITH_ORIGIN);
        let name =
            if is_narrow { widest(|cells| text::width(kind(cells.name))) } else { widest_name };
        // The width left by the other columns, but at least a quarter of the row.
        let others = name + 2 + widest(|cells| text::width(&cells.detail)) + QUALITY + 2;
        let most = width.saturating_sub(others).max(width / 4);
        let origin = widest(|cells| text::width(&cells.origin)).min(most);
        Self { name, is_narrow, origin: if is_narrow { 0 } else { origin } }
    }

    fn shortened<'a>(&self, name: &'a str) -> &'a str {
        if self.is_narrow { kind(name) } else { name }
    }
}

/// The part of a name such as "Sitemap: every new page of the site" before the colon.
fn kind(name: &str) -> &str {
    name.split_once(": ").map_or(name, |(kind, _)| kind)
}

/// A description shortened to `space`: first at its commas and semicolons, then between words.
pub(super) fn fitting(detail: &str, space: usize) -> String {
    let mut shown = detail;
    while text::width(shown) > space {
        let shorter = shown.rsplit_once([',', ';']);
        let Some((shorter, _)) = shorter else {
            let first = wrap_plain(shown, space.saturating_sub(2).max(1)).into_iter().next();
            let first = first.filter(|first| text::width(first) + 2 <= space);
            return first.map_or_else(String::new, |first| format!("{first} …"));
        };
        shown = shorter;
    }
    shown.to_owned()
}

fn way_row(
    app: &App,
    row: &mut Row,
    (cells, columns): (&WayCells<'_>, &Columns),
    (is_first, confidence): (bool, f64),
    here: bool,
) {
    if columns.origin > 0 {
        let origin = text::truncate(&cells.origin, columns.origin).into_owned();
        let blank = " ".repeat(2 + columns.origin - text::width(&origin));
        row.right(blank + &origin, app.palette.style(Role::Dim));
    }
    if row.width() >= WITH_QUALITY {
        quality(app, row, is_first, confidence);
    }
    let name = columns.shortened(cells.name);
    let name = text::truncate(name, row.free().max(1)).into_owned();
    row.left(&name, role(app, here, Role::Text));
    let gap = columns.name.saturating_sub(text::width(&name)) + 2;
    row.left(&" ".repeat(gap), app.palette.style(Role::Text));
    let detail = fitting(&cells.detail, row.free());
    row.left(&detail, app.palette.style(Role::Soft));
}

/// Draws the match quality: five squares and a word.
fn quality(app: &App, row: &mut Row, is_first: bool, confidence: f64) {
    let word = match confidence {
        0.6.. if is_first => "best match",
        0.6.. => "good",
        0.35.. => "fair",
        _ => "weak",
    };
    let filled = (1..=5).filter(|&n| confidence >= f64::from(n) / 5.0 - 0.1).count().max(1);
    let (square, empty) = if app.settings.ui.ascii { ("#", ".") } else { ("▪", "▪") };
    row.right(format!(" {word:<10}"), app.palette.style(Role::Soft));
    if app.settings.ui.linear {
        return;
    }
    row.right(empty.repeat(5 - filled), app.palette.style(Role::Edge));
    row.right(format!("  {}", square.repeat(filled)), app.palette.style(Role::Ok));
}

/// Draws the field for the folder.
fn folder_row(app: &App, frame: &mut Frame<'_>, add: &Add, area: Rect) {
    input(app, frame, ("Folder", &add.folder), add.in_folder, area);
    let hint = match add.in_folder {
        false => "Tab changes ",
        true if app.is_new_folder(add.folder.value()) => "new folder ",
        true => "",
    };
    let width = u16::try_from(hint.len()).unwrap_or(0);
    if !area.is_empty() && area.width > width * 3 {
        let at = Rect { x: area.right() - width, width, ..area };
        frame.render_widget(Line::styled(hint, app.palette.style(Role::Dim)), at);
    }
}

//! The list of crawls, with the results of the selected crawl to the right of it.

use super::super::app::{App, CrawlList, CrawlPart, CrawlRow};
use super::super::reader::wrap_plain;
use super::DialogArea;
use super::chrome::marks;
use super::crawl_plot;
use super::dialogs::{list_rows, role, rule};
use super::frame::window;
use super::row::Row;
use crate::config::{Action, Context, Role};
use crate::engine::crawl::{CrawlEnd, CrawlFind, CrawlPhase, CrawlState, Targets};
use crate::util::text::{self, counted, size};
use crate::util::time_text::length;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

const WIDTH: u16 = 132;
/// Minimum width inside the dialog for showing the list and the details side by side.
const BESIDE: u16 = 88;
/// Width of the list next to the details.
const LIST: u16 = 36;
/// Gap between the list and the details, in cells.
const GAP: u16 = 5;
/// Width of a fact (a name and a value), in cells.
const FACT: usize = 22;
/// Width of the name of a fact, in cells.
const NAME: usize = 11;
/// Maximum number of rows for groups of links.
const MAX_GROUPS: usize = 4;
/// Minimum number of rows for the results, including the title.
const FINDS: u16 = 4;
/// Minimum height for empty rows between the parts.
const AIRY: u16 = 24;
/// Maximum height of the plot, including its title.
const PLOT: u16 = 11;

pub(in crate::tui) fn draw(
    app: &App,
    frame: &mut Frame<'_>,
    list: &mut CrawlList,
    area: DialogArea,
) {
    let count = app.crawls.rows().count();
    list.selected = list.selected.min(count.saturating_sub(1));
    let size = (WIDTH, if count == 0 { 4 } else { area.body.height });
    let inner = window(app, frame, area, ("Crawls", &subject(app)), size);
    let Some(row) = app.crawls.row(list.selected) else {
        list.part = CrawlPart::List;
        return empty(app, frame, inner);
    };
    if let CrawlRow::Crawl(crawl) = row {
        list.find = list.find.min(crawl.finds.len().saturating_sub(1));
    }
    if inner.width >= BESIDE {
        let left = Rect { width: LIST, ..inner };
        let x = inner.x + LIST + GAP;
        let right = Rect { x, width: inner.width - LIST - GAP, ..inner };
        for y in inner.y..inner.bottom() {
            let at = (x - GAP / 2 - 1, y);
            let style = app.palette.style(Role::Border);
            let line = if app.settings.ui.linear { " " } else { marks(app).down };
            frame.buffer_mut()[at].set_symbol(line).set_style(style);
        }
        crawls(app, frame, list, left);
        return details(app, frame, list, row, right);
    }
    if list.part == CrawlPart::Finds {
        return details(app, frame, list, row, inner);
    }
    let rows = u16::try_from(count).unwrap_or(u16::MAX).min((inner.height / 3).max(2));
    let rows = rows.min(inner.height);
    crawls(app, frame, list, Rect { height: rows, ..inner });
    let top = inner.y + rows;
    if top + 1 < inner.bottom() {
        rule(app, frame, Rect { y: top, height: 1, ..inner });
        let rest = Rect { y: top + 1, height: inner.bottom() - top - 1, ..inner };
        details(app, frame, list, row, rest);
    }
}

/// The number of running crawls, and the number of ended ones.
fn subject(app: &App) -> String {
    let running = app.crawls.all.iter().filter(|crawl| crawl.is_running()).count();
    let parts = [
        (running, "running"),
        (app.crawls.all.len() - running, "ended"),
        (app.crawls.exploring.len(), "for sources"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

fn empty(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let words = match app.crawls.is_listed {
        false => "Loading the list …".to_owned(),
        true => "No crawls yet. n starts one: it collects the articles, data or other files of a \
                 website in a folder."
            .to_owned(),
    };
    let lines = wrap_plain(&words, area.width.max(8).into());
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        let line = Line::styled(line, app.palette.style(Role::Text));
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
}

fn crawls(app: &App, frame: &mut Frame<'_>, list: &CrawlList, area: Rect) {
    let count = app.crawls.rows().count();
    let has_keys = list.part == CrawlPart::List;
    list_rows(app, frame, area, (count, Some(list.selected), has_keys), |i, row, here| {
        match app.crawls.row(i) {
            Some(CrawlRow::Crawl(crawl)) => {
                let (state, tone) = state(crawl);
                row.right(format!("  {state:<11}"), role(app, here, tone));
                row.right(format!("  {}", crawl.progress.found), role(app, here, Role::Text));
                row.left(&crawl.site(), role(app, here, Role::Text));
            }
            Some(CrawlRow::Exploring(source, _)) => {
                row.right(format!("  {:<11}", "source"), role(app, here, Role::Accent));
                row.left(&source_name(app, source), role(app, here, Role::Text));
            }
            None => {}
        }
    });
}

fn source_name(app: &App, source: i64) -> String {
    let entry = app.sources.entry(source);
    entry.map_or_else(|| "a removed source".to_owned(), |entry| entry.title().to_owned())
}

/// A short label for the state of a crawl.
fn state(crawl: &CrawlState) -> (&'static str, Role) {
    match &crawl.phase {
        CrawlPhase::Opening => ("opening", Role::Accent),
        CrawlPhase::Waiting => ("waiting", Role::Accent),
        CrawlPhase::Running => ("exploring", Role::Accent),
        CrawlPhase::Ended(CrawlEnd::Done) => ("done", Role::Ok),
        CrawlPhase::Ended(CrawlEnd::Stopped) => ("stopped", Role::Warning),
        CrawlPhase::Ended(CrawlEnd::Left(_)) => ("gave up", Role::Error),
        CrawlPhase::Ended(_) => ("budget used", Role::Soft),
        CrawlPhase::Failed(_) => ("failed", Role::Error),
        CrawlPhase::InUse => ("in use", Role::Soft),
    }
}

/// A sentence about the state, if the state needs an explanation.
fn remark(crawl: &CrawlState) -> Option<(String, Role)> {
    Some(match &crawl.phase {
        CrawlPhase::Waiting => {
            (format!("Waiting for the other crawl of {}", crawl.site()), Role::Soft)
        }
        CrawlPhase::Ended(CrawlEnd::Left(why)) | CrawlPhase::Failed(why) => {
            (text::line(why), Role::Error)
        }
        CrawlPhase::InUse => {
            ("Another newsfed process is using this folder".to_owned(), Role::Soft)
        }
        CrawlPhase::Ended(CrawlEnd::Requests) => used_up("request"),
        CrawlPhase::Ended(CrawlEnd::Bytes) => used_up("byte"),
        CrawlPhase::Ended(CrawlEnd::Time) => used_up("time"),
        _ => (text::line(crawl.note.as_ref()?), Role::Warning),
    })
}

fn used_up(what: &str) -> (String, Role) {
    (format!("The {what} budget is used up; r resumes the crawl with a larger one"), Role::Soft)
}

/// Names and values of the facts; unknown ones are omitted.
fn facts(app: &App, crawl: &CrawlState) -> Vec<(&'static str, String)> {
    let now = &crawl.progress;
    let of = |used: String, limit: Option<String>| match limit {
        Some(limit) => format!("{used} of {limit}"),
        None => used,
    };
    let limit = crawl.budget.requests.map(|limit| limit.to_string());
    let mut facts = vec![
        ("Found", now.found.to_string()),
        ("Requests", of(now.requests.to_string(), limit)),
        ("Received", of(size(now.bytes), crawl.budget.bytes.map(size))),
        ("Hit rate", format!("{:.0} %", crawl.per_hundred())),
    ];
    if crawl.is_running() {
        if let Some(speed) = crawl.speed {
            facts.push(("Speed", format!("{speed:.0} per min")));
        }
        if let Some(left) = crawl.time_left(app.now) {
            facts.push(("Time left", length(left.num_seconds().unsigned_abs())));
        }
    }
    facts.push(("Links left", crawl.unfetched().to_string()));
    if now.links_left_out > 0 {
        facts.push(("Left out", counted(now.links_left_out, "link")));
    }
    facts
}

/// Draws the details of the selected crawl and its results.
fn details(app: &App, frame: &mut Frame<'_>, list: &CrawlList, row: CrawlRow<'_>, area: Rect) {
    let crawl = match row {
        CrawlRow::Crawl(crawl) => crawl,
        CrawlRow::Exploring(source, lines) => {
            return exploring(app, frame, (source, lines), area);
        }
    };
    let is_drawn = !app.settings.ui.ascii && area.width >= crawl_plot::MIN.0;
    let is_airy = area.height >= AIRY;
    let mut lines = head(app, crawl, area.width, is_airy);
    let mut groups = groups(app, crawl, area.width);
    if is_airy && !groups.is_empty() {
        groups.push(Line::default());
    }
    let used = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let left = area.height.saturating_sub(used);
    let below = u16::try_from(groups.len()).unwrap_or(0) + FINDS;
    let plot = if is_drawn && left >= below + crawl_plot::MIN.1 + 2 {
        // The results get more space than the plot.
        ((left - below) / 2 + 2).clamp(crawl_plot::MIN.1 + 1, PLOT).min(left - below - 1)
    } else {
        0
    };
    let words = crawl_plot::describe(&crawl.curve);
    if plot == 0 && left > FINDS && !words.is_empty() {
        lines.extend(wrapped(app, &words, Role::Soft, area.width));
    }
    if is_airy {
        lines.push(Line::default());
    }
    let mut y = paint(frame, lines, area);
    if plot > 0 && crawl.progress.requests > 0 {
        let title =
            Line::styled("Targets found by number of requests", app.palette.style(Role::Header));
        frame.render_widget(title, Rect { y, height: 1, ..area });
        crawl_plot::draw(app, frame, crawl, Rect { y: y + 1, height: plot - 1, ..area });
        y += plot + u16::from(is_airy);
    }
    let rest = Rect { y, height: area.bottom().saturating_sub(y), ..area };
    if rest.height >= below || plot > 0 {
        y = paint(frame, groups, rest);
    }
    finds(app, frame, list, crawl, Rect { y, height: area.bottom().saturating_sub(y), ..area });
}

/// Draws lines; returns the row below them.
fn paint(frame: &mut Frame<'_>, lines: Vec<Line<'static>>, area: Rect) -> u16 {
    let mut y = area.y;
    for line in lines {
        if y >= area.bottom() {
            break;
        }
        frame.render_widget(line, Rect { y, height: 1, ..area });
        y += 1;
    }
    y
}

fn wrapped(app: &App, words: &str, tone: Role, width: u16) -> Vec<Line<'static>> {
    let style = app.palette.style(tone);
    let lines = wrap_plain(words, width.max(8).into());
    lines.into_iter().map(|line| Line::styled(line, style)).collect()
}

/// The URL, the folder, the remark, and the facts in columns.
fn head(app: &App, crawl: &CrawlState, width: u16, is_airy: bool) -> Vec<Line<'static>> {
    let style = |role| app.palette.style(role);
    let mut first = Row::new(width);
    first.right(format!("  {}", short(&crawl.targets)), style(Role::Soft));
    first.left(&text::line(&crawl.start), style(Role::Bright));
    let mut folder = Row::new(width);
    folder.left(&text::line(&crawl.folder.to_string_lossy()), style(Role::Dim));
    let mut lines = vec![first.line(style(Role::Text)), folder.line(style(Role::Text))];
    if let Some((words, tone)) = remark(crawl) {
        lines.extend(wrapped(app, &words, tone, width).into_iter().take(3));
    }
    if crawl.start.is_empty() {
        return lines;
    }
    if is_airy {
        lines.push(Line::default());
    }
    let facts = facts(app, crawl);
    let linear = app.settings.ui.linear;
    let columns = if linear { 1 } else { (usize::from(width) / FACT).clamp(1, 4) };
    let wide = usize::from(width) / columns;
    for row in facts.chunks(columns) {
        let mut spans = Vec::new();
        for (name, value) in row {
            let space = wide.saturating_sub(NAME + 1);
            // If a limit does not fit, only the used amount is shown.
            let is_wide = text::width(value) > space;
            let value =
                value.split_once(" of ").filter(|_| is_wide).map_or(&**value, |(used, _)| used);
            let value = text::truncate(value, space).into_owned();
            let gap = " ".repeat(wide.saturating_sub(NAME + text::width(&value)));
            let name = if linear { format!("{name}: ") } else { format!("{name:<NAME$}") };
            spans.push(Span::styled(name, style(Role::Soft)));
            spans.push(Span::styled(value + &gap, style(Role::Text)));
        }
        lines.push(Line::from(spans));
    }
    lines
}

/// The targets; a long list of media types is truncated.
fn short(targets: &str) -> String {
    let targets = text::line(targets);
    text::truncate(&targets, 24).into_owned()
}

/// The groups of links that lead to the most targets.
fn groups(app: &App, crawl: &CrawlState, width: u16) -> Vec<Line<'static>> {
    if crawl.groups.is_empty() {
        return vec![];
    }
    let title = Line::styled("Most productive links", app.palette.style(Role::Header));
    let group = |group: &String| {
        let mut row = Row::new(width);
        row.left(&format!("  {group}"), app.palette.style(Role::Soft));
        row.line(app.palette.style(Role::Text))
    };
    [title].into_iter().chain(crawl.groups.iter().take(MAX_GROUPS).map(group)).collect()
}

fn finds(app: &App, frame: &mut Frame<'_>, list: &CrawlList, crawl: &CrawlState, area: Rect) {
    // A title without rows would be useless.
    if area.height < 2 {
        return;
    }
    let mut title = Row::new(area.width);
    let shown = crawl.finds.len() as u64;
    if shown < crawl.progress.found {
        let words = format!("the newest {shown} of {}", crawl.progress.found);
        title.right(words, app.palette.style(Role::Dim));
    }
    let articles = crawl.targets == Targets::Articles.to_string();
    let name = match (shown, crawl.is_running()) {
        (0, true) => "Nothing found yet",
        (0, false) if articles => "Nothing found: no page is marked as an article",
        (0, false) => "Nothing found",
        _ => "Newest results",
    };
    title.left(name, app.palette.style(Role::Header));
    let line = title.line(app.palette.style(Role::Text));
    frame.render_widget(line, Rect { height: 1, ..area });
    let rest = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let has_keys = list.part == CrawlPart::Finds;
    let selected = Some(list.find).filter(|_| has_keys);
    list_rows(app, frame, rest, (crawl.finds.len(), selected, has_keys), |i, row, here| {
        let Some(find) = crawl.finds.get(i) else { return };
        row.right(format!("{:>9}", size(find.bytes as u64)), role(app, here, Role::Text));
        let mime = text::line(&find.mime);
        row.right(format!("  {}", text::truncate(&mime, 24)), role(app, here, Role::Dim));
        let (name, words) = title_of(find);
        row.left(&name, role(app, here, Role::Text));
        row.left(&words, role(app, here, Role::Dim));
    });
}

/// The title of an article, or the name of a file with its link text, because many links have the same text.
fn title_of(find: &CrawlFind) -> (String, String) {
    if let Some(title) = find.title.as_deref().map(text::line).filter(|title| !title.is_empty()) {
        return (title, String::new());
    }
    let name =
        |path: &str| text::line(path.trim_end_matches('/').rsplit('/').next().unwrap_or(path));
    // The query is not part of the file name.
    let url = find.url.split(['?', '#']).next().unwrap_or_default();
    let name = find.file.as_deref().map_or_else(|| name(url), name);
    let words = text::line(&find.anchor);
    let beside =
        if words.is_empty() || words == name { String::new() } else { format!("  {words}") };
    (name, beside)
}

/// Draws the details of a source that is exploring its site.
fn exploring(app: &App, frame: &mut Frame<'_>, (source, lines): (i64, &[String]), area: Rect) {
    let style = |role| app.palette.style(role);
    let title = Line::styled(source_name(app, source), style(Role::Bright));
    let mut all = vec![title];
    let what = "This source explores its site. New articles or files become items.";
    all.extend(wrapped(app, what, Role::Soft, area.width));
    for line in lines {
        all.extend(wrapped(app, &text::line(line), Role::Text, area.width));
    }
    if let Some(key) = app.keymap.keys_for(Context::Sources, Action::StopCrawl) {
        all.extend(wrapped(app, &format!("{key} stops it"), Role::Dim, area.width));
    }
    paint(frame, all, area);
}

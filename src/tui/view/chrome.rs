//! Everything around the panes: the status line, titles, dividers, key hints and messages.

use super::super::app::{App, Focus};
use super::frame::shown_keys;
use super::has_focus;
use super::row::{Row, fill, padding, put};
use crate::config::{Action, Context, Role, parse_sequence};
use crate::engine::{ProcessRole, SyncProgress};
use crate::model::ItemRow;
use crate::store::Scope;
use crate::util::text::{self, counted};
use crate::util::time_text::{clock_time, span};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::collections::HashSet;

/// Characters for markers and lines.
pub(in crate::tui) struct Marks {
    pub(in crate::tui) pinned: &'static str,
    pub(in crate::tui) unread: &'static str,
    pub(in crate::tui) today: &'static str,
    pub(in crate::tui) new: &'static str,
    pub(in crate::tui) later: &'static str,
    pub(in crate::tui) changed: &'static str,
    /// The mark of an item in which only typos were corrected.
    pub(in crate::tui) edited: &'static str,
    pub(in crate::tui) all: &'static str,
    pub(in crate::tui) saved: &'static str,
    pub(in crate::tui) tag: &'static str,
    pub(in crate::tui) open: &'static str,
    pub(in crate::tui) folded: &'static str,
    pub(in crate::tui) busy: &'static str,
    pub(in crate::tui) selected: &'static str,
    pub(in crate::tui) failing: &'static str,
    pub(in crate::tui) broken: &'static str,
    pub(in crate::tui) across: &'static str,
    pub(in crate::tui) down: &'static str,
    pub(in crate::tui) gone: &'static str,
    /// The square that is drawn in the colour of a source.
    pub(in crate::tui) square: &'static str,
    /// The rule below the title of the focused pane, and the filled part of progress bars.
    pub(in crate::tui) heavy: &'static str,
    /// The bars to the left of the selected row, in the focused pane and in other panes.
    pub(in crate::tui) bar: &'static str,
    pub(in crate::tui) faint_bar: &'static str,
    pub(in crate::tui) thumb: &'static str,
    pub(in crate::tui) track: &'static str,
    pub(in crate::tui) pointer: &'static str,
    pub(in crate::tui) bullet: &'static str,
    /// The sign before the number of sources that cover a story.
    pub(in crate::tui) times: &'static str,
}

const UNICODE: Marks = Marks {
    pinned: "★",
    unread: "●",
    today: "◷",
    new: "✦",
    later: "◔",
    changed: "±",
    edited: "~",
    all: "≡",
    saved: "⌕",
    tag: "#",
    open: "▾",
    folded: "▸",
    busy: "↻",
    selected: "✓",
    failing: "!",
    broken: "✎",
    across: "─",
    down: "│",
    gone: "✗",
    square: "▪",
    heavy: "━",
    bar: "▌",
    faint_bar: "▏",
    thumb: "▐",
    track: "▕",
    pointer: "▸",
    bullet: "·",
    times: "×",
};

const ASCII: Marks = Marks {
    pinned: "*",
    unread: "o",
    today: "t",
    new: "n",
    later: "l",
    changed: "%",
    edited: ",",
    all: "=",
    saved: "?",
    tag: "#",
    open: "-",
    folded: "+",
    busy: "~",
    selected: "x",
    failing: "!",
    broken: "!",
    across: "-",
    down: "|",
    gone: "x",
    square: " ",
    heavy: "=",
    bar: ">",
    faint_bar: ":",
    thumb: "#",
    track: "|",
    pointer: ">",
    bullet: "-",
    times: "x",
};

pub(in crate::tui) fn marks(app: &App) -> &'static Marks {
    if app.settings.ui.ascii { &ASCII } else { &UNICODE }
}

/// Draws the title of a pane and the rule below it, which is heavy for the focused pane.
pub(super) fn title(app: &App, frame: &mut Frame<'_>, pane: Focus, area: Rect) {
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let focused = has_focus(app, pane);
    let (pad, pad_right) = match pane {
        // Aligns the title with the text, unless the text column is too narrow for the title.
        Focus::Reader => {
            let text = super::reader::column(app, area, TITLE);
            (usize::from(text.x - area.x), usize::from(area.right() - text.right()))
        }
        _ => (padding(area.width), padding(area.width)),
    };
    let (words, beside, right) = match pane {
        Focus::Sources => sources_title(app),
        Focus::Items => items_title(app, area.width),
        Focus::Reader => reader_title(app),
    };
    let width = usize::from(area.width);
    // In zen mode, the title of the Reader is subdued.
    let calm = app.zen && pane == Focus::Reader;
    let words = match calm {
        // The position stays visible.
        true => source_title(app, width.saturating_sub(pad + pad_right + text::width(&right) + 3)),
        false => words,
    };
    let ascii = app.settings.ui.ascii && focused && !calm;
    let words = if ascii { format!("[{words}]") } else { words };
    let mut row = Row::new(area.width);
    row.right(" ".repeat(pad_right), Style::new());
    row.left(&" ".repeat(pad - usize::from(ascii && pad > 0)), Style::new());
    // The name of the program stands out like the title of the focused pane.
    let strong = focused || pane == Focus::Sources;
    let role = if strong { Role::Title } else { Role::Soft };
    row.left(&words, style(if calm { Role::Dim } else { role }));
    let shown = text::width(&words).min(usize::from(area.width).saturating_sub(pad));
    if !beside.is_empty() {
        row.left(&format!("  {beside}"), style(Role::Dim));
    }
    // Without a wide gap, the number of items and their order would look like one phrase: `15 pinned`.
    let gap = if pane == Focus::Items { 3 } else { 1 };
    row.right_beside(format!("{:gap$}{right}", ""), style(Role::Dim));
    put(frame, &row.line(Style::new()), area);
    let rule = Rect { y: area.y + 1, height: 1, ..area };
    if app.settings.ui.linear || calm {
        return;
    }
    fill(frame, m.across, style(Role::Border), rule);
    if focused {
        let at = pad - usize::from(ascii && pad > 0);
        let cells = u16::try_from(shown).unwrap_or(0);
        let under = Rect { x: rule.x + u16::try_from(at).unwrap_or(0), width: cells, ..rule };
        fill(frame, m.heavy, style(Role::BorderFocus), under.intersection(rule));
    }
}

/// A title, the text next to it, and the text at the right edge.
type Title = (String, String, String);

fn sources_title(app: &App) -> Title {
    let count = match app.sources.list.sources.len() {
        0 => String::new(),
        n => counted(n, "source"),
    };
    let count = match app.sources.hidden_sources() {
        0 => count,
        hidden => format!("{hidden} hidden"),
    };
    let playing = app.player.now.as_ref().map(|now| {
        let sign = if now.is_paused { "paused" } else { marks(app).pointer };
        format!("{sign} {}", clock_time(now.progress.position))
    });
    let playing = playing.unwrap_or_default();
    ("newsfed".to_owned(), playing, count)
}

/// The number of items in the list: the number of loaded rows, the sum of its sources' counts, or the total.
pub(in crate::tui) fn count_of_list(app: &App) -> String {
    let items = &app.items;
    let base = &items.listing.base;
    if items.is_complete() {
        // Rows that were marked as read after loading stay in the list of unread items, but are not counted.
        let counts = |row: &&ItemRow| !base.unread_only || !row.read;
        return items.rows.iter().filter(counts).count().to_string();
    }
    if !items.lists_whole_sources() {
        return if items.cut { items.rows.len().to_string() } else { total(app) };
    }
    // A set, because a folder may contain thousands of sources, and this code runs for every frame.
    let keys: Option<HashSet<i64>> = match &base.scope {
        Scope::Sources(keys) => Some(keys.iter().copied().collect()),
        _ => None,
    };
    let facts = app.sources.list.sources.iter().map(|source| &source.facts);
    let of_list = facts.filter(|facts| keys.as_ref().is_none_or(|keys| keys.contains(&facts.key)));
    let number = of_list.map(|facts| if base.unread_only { facts.unread } else { facts.items });
    number.sum::<u32>().to_string()
}

/// The number of items in a list that is only partly in memory.
pub(super) fn total(app: &App) -> String {
    match app.items.total.count {
        Some(count) if count.more => format!("over {}", count.items),
        Some(count) => count.items.to_string(),
        None => "…".to_owned(),
    }
}

fn items_title(app: &App, width: u16) -> Title {
    let items = &app.items;
    let unread = app.sources.list.sources.iter().map(|s| s.facts.unread).sum::<u32>();
    let searched = !items.listing.query.is_empty();
    let listed = || match items.cut {
        true => format!("{} of {}", items.rows.len(), total(app)),
        false => count_of_list(app),
    };
    let count = match &items.listing.base {
        _ if items.rows.is_empty() && !searched => String::new(),
        base if base.unread_only && base.scope == Scope::All && !searched => unread.to_string(),
        // The titles of other lists do not show that only unread items are listed, so the count does.
        base if base.unread_only => format!("{} unread", listed()),
        _ => listed(),
    };
    let beside = match (searched, items.marked.len()) {
        (_, marked @ 1..) => format!("{count}  {marked} selected"),
        (true, _) => format!("{count}  {}", items.listing.query),
        (false, _) => count,
    };
    // A search ignores the selected source.
    let title = match items.listing.is_search && width >= WIDE_LIST {
        true => "Search all items".to_owned(),
        false => items.listing.title.clone(),
    };
    (title, beside, items.shown_order().label().to_owned())
}

/// Minimum width of the Reader's title.
const TITLE: u16 = 56;
/// Minimum width of a list whose title shows what a search covers.
const WIDE_LIST: u16 = 60;

/// Minimum width of the text for showing the reading time in the title.
const ROOMY: u16 = 44;

fn reader_title(app: &App) -> Title {
    let reader = &app.reader;
    let name = if app.is_preview() { "Preview" } else { "Reader" };
    if let Some(row) = app.late_item() {
        return (name.to_owned(), String::new(), place_in_list(app, row.key));
    }
    let Some(article) = reader.article.as_ref().filter(|_| !app.previews_nothing()) else {
        return (name.to_owned(), String::new(), String::new());
    };
    let place = if let Some(find) = reader.find.as_ref().filter(|find| !find.is_faded) {
        match (find.position(), find.count(), find.text.as_deref()) {
            (Some(position), ..) => format!("match {position}"),
            (None, 0, Some("")) => place_in_list(app, article.row.key),
            (None, 0, _) => "no match".to_owned(),
            (None, 1, _) => "1 match".to_owned(),
            (None, count, _) => format!("{count} matches"),
        }
    } else if reader.show_difference && article.differences.len() > 1 {
        format!("change {} of {}", reader.difference_at + 1, article.differences.len())
    } else {
        place_in_list(app, article.row.key)
    };
    let left = match reader.minutes_left() {
        left @ 1.. if reader.space >= ROOMY && !article.is_teaser() => format!("{left} min left"),
        _ => String::new(),
    };
    let parts = [place, left, format!("{} %", reader.percent())];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    (name.to_owned(), String::new(), parts.join("   "))
}

/// The source of the open article, for the top line of zen mode; the program's name if there is none. Empty
/// while the header of the article shows the source.
fn source_title(app: &App, cells: usize) -> String {
    let row = app.reader.article.as_ref().map(|article| &article.row);
    let is_below = app.reader.head_hidden == 0 || app.reader.head_rows == 0;
    if row.is_some() && is_below {
        return String::new();
    }
    let entry = row.and_then(|row| app.sources.entry(row.source_key));
    match entry.map(|entry| app.sources.name(entry, cells)) {
        Some(name) if !name.is_empty() => text::truncate(&name, cells).into_owned(),
        _ => "newsfed".to_owned(),
    }
}

/// The position of an item in the list, such as `2 of 30`.
fn place_in_list(app: &App, key: i64) -> String {
    let items = &app.items;
    let Some(at) = items.rows.iter().position(|row| row.key == key) else { return String::new() };
    let all = count_of_list(app);
    // Rows that were marked as read after loading have a position too.
    let read = items.rows.iter().filter(|row| row.read && items.listing.base.unread_only).count();
    let count = all.parse::<usize>().ok().map(|unread| unread + read);
    let all = count.map_or(all, |count| count.to_string());
    // Near the end of a long list, the first rows are not in memory, but their number can be computed.
    let above = match (items.more_above, items.more_below) {
        (false, _) => Some(0),
        // Rows that were marked as read and are no longer in memory are not counted.
        (true, false) if items.listing.base.unread_only && read > 0 => None,
        (true, false) => count.and_then(|count| count.checked_sub(items.rows.len())),
        (true, true) => None,
    };
    above.map(|above| format!("{} of {all}", above + at + 1)).unwrap_or_default()
}

pub(super) fn divider(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let style = app.palette.style(Role::Border);
    for y in area.y..area.bottom() {
        frame.buffer_mut()[(area.x, y)].set_symbol(marks(app).down).set_style(style);
    }
}

/// Draws the last line: key hints at the left, the state of the engine and the help key at the right.
pub(super) fn status(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| app.palette.style(role);
    let ground = style(Role::Status);
    frame.buffer_mut().set_style(area, ground);
    let mut row = Row::new(area.width);
    row.right(" ".repeat(padding(area.width)), Style::new());
    if let Some(help) = help_key(app).filter(|_| area.width >= 40) {
        row.right(" help", style(Role::Soft));
        row.right(format!("   {help}"), style(Role::KeyHint));
        let end = usize::from(area.width).saturating_sub(padding(area.width));
        let start = end.saturating_sub(text::width(&help) + " help".len());
        super::clickable(app, area, start..end, parse_sequence(&help).unwrap_or_default());
    }
    let (state, role) = state(app);
    // Screen readers read the whole line again if a part of it changes.
    let linear = app.settings.ui.linear;
    match role {
        Role::Dim if linear => {}
        // Key hints are more useful than the next check, particularly in the Reader.
        Role::Dim if area.width < KEYS_LINE => {}
        Role::Dim if area.width < ROOMY_LINE && app.focus == Focus::Reader => {}
        Role::Dim => row.right(state, style(role)),
        // This state would mean something else if it were truncated, and key hints are more useful.
        _ if state.ends_with(ELSEWHERE) && (area.width < KEYS_LINE || !row.fits_right(&state)) => {}
        _ => row.right_fitting(&state, style(role)),
    }
    row.left(&" ".repeat(padding(area.width)), Style::new());
    for (i, hint) in app.hints().into_iter().filter(|_| !linear).enumerate() {
        let gap = if i == 0 { 0 } else { 3 };
        let keys = shown_keys(&hint.keys, app.settings.ui.ascii);
        let label = match hint.keys.as_str() {
            "" => hint.label.into_owned(),
            _ => format!(" {}", hint.label),
        };
        // The first hint is always shown, the others completely or not at all. If one of the most useful
        // hints does not fit, no later one is shown. Among the others, a shorter one may still fit.
        if i > 0 && gap + text::width(&keys) + text::width(&label) > row.free() {
            if i < MAIN_HINTS {
                break;
            }
            continue;
        }
        row.left(&" ".repeat(gap), Style::new());
        let start = row.used();
        row.left(&keys, style(Role::KeyHint));
        row.left(&label, style(Role::Soft));
        super::clickable(app, area, start..row.used(), hint.press);
    }
    put(frame, &row.line(Style::new()), area);
}

/// Number of the most useful hints, which are shown in order or not at all.
const MAIN_HINTS: usize = 3;
/// Minimum width of a status line with the next check.
const KEYS_LINE: u16 = 100;
/// Minimum width of a status line with both the Reader's key hints and the next check.
const ROOMY_LINE: u16 = 120;

/// The help key; in a text field, a key that does not type a character.
fn help_key(app: &App) -> Option<String> {
    let all = app.keymap.all_keys_for(Context::Everywhere, Action::Help);
    all.into_iter().find(|keys| !app.typing || keys.chars().count() > 1)
}

/// The state if another process polls.
const ELSEWHERE: &str = "checked by another newsfed";

/// The activity of the engine, or the reason why it is idle.
fn state(app: &App) -> (String, Role) {
    let (m, status) = (marks(app), &app.status);
    let next = status.next.map(|t| (t - app.now).num_seconds());
    let refused = status.accounts.iter().find(|note| note.problem.is_some());
    let (text, role) = match (status.role, status.total, next) {
        (ProcessRole::Watches(_), ..) => (ELSEWHERE.to_owned(), Role::Soft),
        (ProcessRole::Reads, ..) => ("read-only".to_owned(), Role::Warning),
        _ if status.declaration_error.is_some() => {
            // The error begins with the file name and the line number.
            let error = status.declaration_error.as_deref().unwrap_or_default();
            let file = error.split(':').next().unwrap_or_default();
            let of_config = file.ends_with("config.toml");
            let name = if of_config { "config.toml" } else { "sources.toml" };
            (format!("{} error in {name}", m.failing), Role::Warning)
        }
        _ if !status.offline && refused.is_some() => {
            let (account, waiting) =
                refused.map_or(("", 0), |note| (note.account.as_str(), note.waiting));
            let marks = match waiting {
                0 => String::new(),
                waiting => format!(", {} waiting", counted(waiting, "mark")),
            };
            (format!("{} {account} not synchronised{marks}", m.failing), Role::Warning)
        }
        _ if status.offline => (format!("{} offline", m.failing), Role::Warning),
        (_, total, _) if total > 0 => (progress(app, status.done, total), Role::Soft),
        _ if status.syncing.is_some() => (first_items(app), Role::Soft),
        // The card below the sources already shows the time of the next check.
        (_, _, Some(s)) if s > 0 && app.areas.card => (String::new(), Role::Dim),
        (_, _, Some(s)) if s > 0 => (format!("next check in {}", span(s)), Role::Dim),
        _ => match status.accounts.as_slice() {
            [] => (String::new(), Role::Dim),
            [one, ..] => {
                let ago = span((app.now - one.at).num_seconds().max(0));
                (format!("{} synchronised {ago} ago", one.account), Role::Dim)
            }
        },
    };
    match (app.texts.progress(), app.crawls.progress()) {
        (Some((done, total)), _) => (format!("  {} page {done} of {total}", m.busy), Role::Soft),
        // A crawl replaces the next check, but not a warning.
        (None, Some(crawl)) if role != Role::Warning => {
            (format!("  {} {crawl}", m.busy), Role::Soft)
        }
        _ if text.is_empty() => (text, role),
        _ => (format!("  {text}"), role),
    }
}

/// The progress of the first synchronisation of an account.
fn first_items(app: &App) -> String {
    match &app.status.syncing {
        Some(SyncProgress { account, items, total: Some(total) }) => {
            format!("{} · {account}", progress(app, *items, *total))
        }
        Some(SyncProgress { account, items, total: None }) => {
            format!("{} {} · {account}", marks(app).busy, counted(*items, "item"))
        }
        None => String::new(),
    }
}

/// A progress bar such as `↻ 7 of 12 ━━━━━───`.
fn progress(app: &App, done: usize, total: usize) -> String {
    const CELLS: usize = 8;
    if app.settings.ui.linear {
        return "refreshing".to_owned();
    }
    let m = marks(app);
    let filled = (done * CELLS).checked_div(total).unwrap_or(CELLS).min(CELLS);
    let bar = m.heavy.repeat(filled) + &m.across.repeat(CELLS - filled);
    format!("{} {done} of {total}  {bar}", m.busy)
}

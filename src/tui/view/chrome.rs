//! Everything around the panes: status line, titles, dividers, hints and messages.

use super::super::app::{App, Focus, Tone};
use super::has_focus;
use super::row::{Row, span};
use crate::config::{Action, Context, Role};
use crate::engine::Role as Part;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;

/// Characters for markers and lines.
pub(in crate::tui) struct Marks {
    pub(in crate::tui) pinned: &'static str,
    pub(in crate::tui) unread: &'static str,
    pub(in crate::tui) today: &'static str,
    pub(in crate::tui) changed: &'static str,
    /// Changed by typing errors alone.
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
    pub(in crate::tui) pointer: &'static str,
    pub(in crate::tui) bullet: &'static str,
}

const UNICODE: Marks = Marks {
    pinned: "★",
    unread: "●",
    today: "○",
    changed: "±",
    edited: "~",
    all: "≡",
    saved: "⌕",
    tag: "#",
    open: "▾",
    folded: "▸",
    busy: "⟳",
    selected: "✓",
    failing: "!",
    broken: "✎",
    across: "─",
    down: "│",
    pointer: "▸",
    bullet: "·",
};

const ASCII: Marks = Marks {
    pinned: "*",
    unread: "o",
    today: "t",
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
    pointer: ">",
    bullet: "-",
};

pub(in crate::tui) fn marks(app: &App) -> &'static Marks {
    if app.settings.ui.ascii { &ASCII } else { &UNICODE }
}

/// The status line: name, counts, engine state.
pub(super) fn top(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let (m, style) = (marks(app), |role| app.palette.style(role));
    let mut row = Row::new(area.width);
    if let Some(help) = app.keymap.keys_for(Context::Everywhere, Action::Help) {
        row.right(format!("  {help} help "), style(Role::KeyHint));
    }
    let status = &app.status;
    let next = status.next.map(|t| (t - app.now).num_seconds());
    let state = match (status.role, status.total, next) {
        (Part::Watches(Some(pid)), ..) => format!("  watching (process {pid} polls)"),
        (Part::Watches(None), ..) => "  watching (another newsfed process polls)".to_owned(),
        (Part::Reads, ..) => "  read-only".to_owned(),
        _ if status.declaration_error.is_some() => format!("  {} error in sources.toml", m.failing),
        _ if status.offline => format!("  {} offline", m.failing),
        (_, total, _) if total > 0 => {
            let host = status.host.as_deref().unwrap_or("");
            format!("  {} {} of {total} {} {host}", m.busy, status.done, m.bullet)
        }
        (_, _, Some(s)) if s > 0 => {
            format!("  next check in {}", span(s))
        }
        _ => String::new(),
    };
    let state = match app.texts.progress() {
        Some((done, total)) => format!("  {} page {done} of {total}", m.busy),
        None => state,
    };
    let warns = status.offline || status.declaration_error.is_some() || status.role == Part::Reads;
    row.right(state, style(if warns { Role::Warning } else { Role::Status }));
    row.left(" newsfed", style(Role::Accent));
    let sum = |f: fn(&crate::model::SourceFacts) -> u32| -> u32 {
        app.sources.list.sources.iter().map(|s| f(&s.facts)).sum()
    };
    if !app.sources.list.sources.is_empty() {
        row.left(&format!("   {} unread", sum(|f| f.unread)), style(Role::Status));
        row.left(&format!(" {} {} pinned", m.bullet, sum(|f| f.pinned)), style(Role::Dim));
    }
    frame.render_widget(row.line(style(Role::Status)), area);
}

/// The title of a pane.
pub(super) fn title(app: &App, frame: &mut Frame<'_>, pane: Focus, area: Rect) {
    let m = marks(app);
    let focused = has_focus(app, pane);
    let border = app.palette.style(if focused { Role::BorderFocus } else { Role::Border });
    let name = app.palette.style(if focused { Role::BorderFocus } else { Role::Header });
    let words = match pane {
        Focus::Sources => "Sources".to_owned(),
        Focus::Items => items_title(app),
        Focus::Reader => "Reader".to_owned(),
    };
    let mut row = Row::new(area.width);
    row.left(m.across, border);
    // The focus must be visible without colours.
    row.left(&if focused { format!("{}{words} ", m.pointer) } else { format!(" {words} ") }, name);
    row.fill(m.across, border);
    frame.render_widget(row.line(border), area);
}

fn items_title(app: &App) -> String {
    let (items, bullet) = (&app.items, marks(app).bullet);
    let mut words = format!("Items {bullet} {}", items.listing.title);
    if !items.listing.query.is_empty() {
        words += &format!(": {}", items.listing.query);
        let more = if items.more_below || items.cut { "+" } else { "" };
        words += &format!(" ({}{more})", items.rows.len());
    }
    if !items.marked.is_empty() {
        words += &format!(" {bullet} {} selected", items.marked.len());
    }
    words
}

/// The bottom border of a pane.
pub(super) fn foot(app: &App, frame: &mut Frame<'_>, pane: Focus, area: Rect) {
    let border =
        app.palette.style(if has_focus(app, pane) { Role::BorderFocus } else { Role::Border });
    let across = marks(app).across;
    let mut row = Row::new(area.width);
    if let (Focus::Reader, Some(article)) = (pane, &app.reader.article) {
        row.right(format!(" {} % {across}{across}", app.reader.percent()), border);
        if let Some(find) = &app.reader.find {
            let at = if find.count() > 0 { find.at + 1 } else { 0 };
            row.right(format!(" {at} of {} {across}", find.count()), border);
        }
        if app.reader.show_difference && article.differences.len() > 1 {
            let (at, count) = (app.reader.difference_at + 1, article.differences.len());
            row.right(format!(" {at} of {count} {across}"), border);
        }
    }
    if pane == Focus::Sources
        && let Some(words) = super::sources::next_check(app)
    {
        row.right(format!(" {words} {across}{across}"), border);
    }
    if pane == Focus::Items && app.items.order() != crate::config::SortOrder::PinnedNewest {
        row.right(format!(" {} {across}{across}", app.items.order().label()), border);
    }
    row.fill(across, border);
    frame.render_widget(row.line(border), area);
}

pub(super) fn divider(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let style = app.palette.style(Role::Border);
    let (m, ascii) = (marks(app), app.settings.ui.ascii);
    let last = area.height.saturating_sub(1);
    for i in 0..area.height {
        let symbol = match i {
            _ if ascii => m.down,
            0 => "┬",
            i if i == last => "┴",
            _ => m.down,
        };
        frame.buffer_mut()[(area.x, area.y + i)].set_symbol(symbol).set_style(style);
    }
}

/// Hints for the focused pane; a message replaces them.
pub(super) fn bottom(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let style = |role| app.palette.style(role);
    let mut row = Row::new(area.width);
    if let Some(toast) = &app.toast {
        let problem = toast.tone == Tone::Problem;
        let role = if problem { Role::Error } else { Role::Toast };
        let mark = if problem { format!(" {} ", marks(app).failing) } else { " ".to_owned() };
        row.left(&mark, style(role));
        row.left(&toast.text, style(role));
        frame.render_widget(row.line(style(Role::Status)), area);
        return;
    }
    if !app.pending.is_empty() {
        row.right(
            format!(" {} ", crate::config::show_sequence(&app.pending)),
            style(Role::KeyHint),
        );
    }
    row.left(" ", style(Role::Status));
    for (keys, words) in hints(app) {
        // Do not show clipped hints.
        if text::width(&keys) + 1 + text::width(words) > row.free() {
            break;
        }
        row.left(&keys, style(Role::KeyHint));
        row.left(&format!(" {words}"), style(Role::Dim));
        row.left(&" ".repeat(row.free().min(2)), style(Role::Dim));
    }
    frame.render_widget(row.line(style(Role::Status)), area);
}

/// A long error message is shown in full above the bottom line.
pub(super) fn long_problem(app: &App, frame: &mut Frame<'_>, body: Rect) {
    let Some(toast) = app.toast.as_ref().filter(|t| t.tone == Tone::Problem) else { return };
    // A field at the bottom hides a short message too.
    let typed = app.dialogs.last().is_some_and(|dialog| dialog.is_line());
    if text::width(&toast.text) + 4 <= usize::from(body.width) && !typed {
        return;
    }
    let lines = super::super::reader::wrap_plain(&toast.text, usize::from(body.width) - 2);
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(body.height);
    let first = body.bottom() - height;
    for (y, line) in (first..body.bottom()).zip(lines) {
        let mut row = Row::new(body.width);
        row.left(&format!(" {line}"), app.palette.style(Role::Error));
        frame.render_widget(ratatui::widgets::Clear, Rect { y, height: 1, ..body });
        frame.render_widget(row.line(app.palette.style(Role::Text)), Rect { y, height: 1, ..body });
    }
}

/// The most useful keys of a context, from the current keymap.
fn hints(app: &App) -> Vec<(String, &'static str)> {
    if let Some(dialog) = app.dialogs.last() {
        let hints = dialog.hints().iter();
        return hints.map(|(key, does)| ((*key).to_owned(), *does)).collect();
    }
    let actions: &[(Action, &str)] = match app.focus {
        Focus::Sources => &[
            (Action::Open, "items"),
            (Action::Add, "add"),
            (Action::Refresh, "refresh"),
            (Action::RefreshAll, "all"),
            (Action::Delete, "delete"),
            (Action::ReadAll, "all read"),
            (Action::Search, "search"),
            (Action::Jump, "go to"),
            (Action::Why, "schedule"),
            (Action::Log, "log"),
            (Action::Palette, "commands"),
        ],
        Focus::Items => &[
            (Action::Open, "read"),
            (Action::Browser, "browser"),
            (Action::Pin, "pin"),
            (Action::ToggleRead, "read/unread"),
            (Action::NextUnread, "next unread"),
            (Action::Search, "search"),
            (Action::Filter, "filter"),
            (Action::SaveView, "save"),
            (Action::Add, "add"),
            (Action::Palette, "commands"),
        ],
        Focus::Reader if app.reader.find.is_none() && app.reader.show_difference => &[
            (Action::NextUnread, "next change"),
            (Action::PreviousUnread, "previous"),
            (Action::OlderChange, "older version"),
            (Action::NewerChange, "newer"),
            (Action::Difference, "article"),
        ],
        Focus::Reader if app.stepping() => &[
            (Action::NextUnread, "next match"),
            (Action::PreviousUnread, "previous"),
            (Action::Back, "close search"),
        ],
        Focus::Reader => &[
            (Action::PageDown, "page"),
            (Action::NextUnread, "next unread"),
            (Action::Browser, "browser"),
            (Action::Pin, "pin"),
            (Action::Hints, "links"),
            (Action::Find, "find"),
            (Action::Zen, "zen"),
            (Action::Back, "back"),
        ],
    };
    let context = app.context();
    let key = |action| app.keymap.keys_for(context, action);
    actions.iter().filter_map(|&(action, words)| Some((key(action)?, words))).collect()
}

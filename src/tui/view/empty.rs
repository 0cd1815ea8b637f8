//! The text in an empty list: the reason why it is empty, and helpful commands.

use super::super::app::{App, Fate, SearchBar};
use super::super::reader::wrap_plain;
use super::chrome::marks;
use super::row::{Row, padding};
use crate::config::{Action, Context, Role};
use crate::model::{Outcome, PauseReason, SourceKind, Time};
use crate::query::Query;
use crate::store::Scope;
use crate::tui::event::SourceEntry;
use crate::util::text;
use crate::util::time_text::{age, span};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Maximum width of the text, in cells.
const WIDEST: usize = 64;
/// Minimum height for moving the text down and separating its parts with empty rows.
const ROOMY: u16 = 12;

/// The parts of the text.
struct Notice {
    mark: (&'static str, Role),
    title: String,
    text: String,
    /// Earlier failures: the age and the message.
    earlier: Vec<(String, String)>,
    /// Commands, with descriptions of their effects in this list.
    commands: Vec<(Action, &'static str)>,
    /// Whether the list is empty because of a problem, so that the commands are listed one per line.
    problem: bool,
}

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, area: Rect, focused: bool) {
    if focused {
        frame.set_cursor_position(Position::new(area.x, area.y));
    }
    // A small pane has no space for text, only for the hint about search operators.
    if app.is_search_empty() && area.height < ROOMY {
        return;
    }
    let Some(notice) = notice(app) else { return };
    let pad = padding(area.width);
    let width = usize::from(area.width).saturating_sub(2 * pad).clamp(1, WIDEST);
    let roomy = area.height >= ROOMY;
    let lines = lines(app, &notice, width, roomy);
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
    let top = if roomy { (area.height - height) / 3 } else { 0 };
    let block = lines.iter().map(Line::width).max().unwrap_or(0);
    for (y, line) in (area.y + top..area.bottom()).zip(lines) {
        // The lines of a list are left-aligned, others are centred.
        let cells = if notice.problem { block } else { line.width() };
        let left = match roomy {
            true => (usize::from(area.width).saturating_sub(cells) / 2).max(pad),
            false => pad,
        };
        let x = area.x + u16::try_from(left).unwrap_or(0);
        let width = area.right().saturating_sub(x);
        frame.render_widget(line, Rect { x, y, width, height: 1 });
    }
}

fn lines(app: &App, notice: &Notice, width: usize, roomy: bool) -> Vec<Line<'static>> {
    let style = |role| app.palette.style(role);
    let mut lines = Vec::new();
    let (mark, role) = notice.mark;
    for (n, part) in
        wrap_plain(&notice.title, width.saturating_sub(2).max(1)).into_iter().enumerate()
    {
        let mark = if n == 0 { mark } else { " " };
        let mark = Span::styled(format!("{mark} "), style(role));
        lines.push(Line::from(vec![mark, Span::styled(part, style(Role::Title))]));
    }
    if !notice.text.is_empty() {
        let indent = if notice.problem { "  " } else { "" };
        for part in wrap_plain(&notice.text, width.saturating_sub(indent.len()).max(1)) {
            lines.push(Line::styled(format!("{indent}{part}"), style(Role::Soft)));
        }
    }
    if roomy && !notice.earlier.is_empty() {
        lines.push(Line::default());
    }
    lines.extend(earlier(app, &notice.earlier, width));
    let bound = |&(action, label): &(Action, &'static str)| {
        app.unavailable_reason(action).is_none().then_some(())?;
        let keys = app.keymap.keys_for(app.context(), action);
        let keys = keys.or_else(|| app.keymap.keys_for(Context::Items, action));
        Some((keys.or_else(|| by_name(app, action))?, label))
    };
    let commands: Vec<(String, &str)> = notice.commands.iter().filter_map(bound).collect();
    if commands.is_empty() {
        return lines;
    }
    if roomy {
        lines.push(Line::default());
    }
    if notice.problem {
        let keys = commands.iter().map(|(keys, _)| text::width(keys)).max().unwrap_or(0);
        for (bound, label) in commands {
            let mut row = Row::new(u16::try_from(width).unwrap_or(u16::MAX));
            row.left(&format!("  {bound:<keys$}   "), style(Role::KeyHint));
            row.left(label, style(Role::Text));
            lines.push(row.line(Style::new()));
        }
        return lines;
    }
    let mut line = Line::default();
    for (bound, label) in commands {
        let cells = text::width(&bound) + 1 + text::width(label);
        let gap = if line.spans.is_empty() { 0 } else { 3 };
        if gap > 0 && line.width() + gap + cells > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.spans.is_empty() {
            line.push_span(Span::raw(" ".repeat(gap)));
        }
        line.push_span(Span::styled(bound, style(Role::KeyHint)));
        line.push_span(Span::styled(format!(" {label}"), style(Role::Soft)));
    }
    lines.push(line);
    lines
}

/// Lines that list earlier failures.
fn earlier(app: &App, failures: &[(String, String)], width: usize) -> Vec<Line<'static>> {
    let style = |role| app.palette.style(role);
    let line = |(ago, why): &(String, String)| {
        let mut row = Row::new(u16::try_from(width).unwrap_or(u16::MAX));
        let (mark, role) = super::progress::mark(app, Fate::Failed);
        row.left(&format!("  {mark} "), style(role));
        row.left(&format!("{ago:>3}  "), style(Role::Dim));
        row.left(why, style(Role::Soft));
        row.line(Style::new())
    };
    let head = (!failures.is_empty()).then(|| Line::styled("  Earlier", style(Role::Soft)));
    head.into_iter().chain(failures.iter().map(line)).collect()
}

/// How to run a command that has no key here, because it is rarely needed.
fn by_name(app: &App, action: Action) -> Option<String> {
    let named = matches!(action, Action::Starters | Action::Demo | Action::ForceRefresh);
    let palette = app.keymap.keys_for(Context::Items, Action::Palette).filter(|_| named)?;
    Some(format!("{palette}{}", action.name()))
}

/// Commands that help if the filter being typed matches nothing.
fn while_typing(app: &App, bar: &SearchBar) -> String {
    // The space is needed for completions or an error.
    if bar.completion.is_some() || bar.error.is_some() {
        return String::new();
    }
    match app.keymap.keys_for(Context::Items, Action::Search) {
        Some(key) if bar.is_filter => {
            format!("Press Enter, then {key} to search all items.")
        }
        _ if bar.field.value().split_whitespace().count() < 2 => "Tab lists operators.".to_owned(),
        _ => "Fewer words find more items. Tab lists operators.".to_owned(),
    }
}

/// The reason why the list is empty; `None` while the list is loading.
fn notice(app: &App) -> Option<Notice> {
    let m = marks(app);
    let plain = |title: &str, text: &str, commands: Vec<(Action, &'static str)>| Notice {
        mark: (m.bullet, Role::Dim),
        title: title.to_owned(),
        text: text.to_owned(),
        earlier: Vec::new(),
        commands,
        problem: false,
    };
    let listing = &app.items.listing;
    let typing = app.dialog::<SearchBar>();
    let error = app.query_error(&listing.query);
    let caveat = || {
        let query = listing.query.parse::<Query>();
        query.ok().and_then(|query| query.caveat()).unwrap_or_default()
    };
    let mut notice = match () {
        () if app.items.is_loading() => return None,
        () if app.sources.list.sources.is_empty() => Notice {
            problem: true,
            ..plain(
                "No sources yet",
                "Any page can be followed, with or without a feed.",
                vec![
                    (Action::Add, "add a source by its URL"),
                    (Action::Starters, "choose among well-known sources"),
                    (Action::Import, "import an OPML file or a list"),
                    (Action::Demo, "try newsfed on fictional sites"),
                ],
            )
        },
        () if app.is_search_empty() => {
            let all = app.sources.list.sources.iter().map(|source| u64::from(source.facts.items));
            let all = text::counted(all.sum::<u64>(), "item");
            plain(&format!("Type to search {all}"), "", Vec::new())
        }
        () if typing.is_some() && !app.is_filter_unchanged() => {
            let hint = typing.map(|bar| while_typing(app, bar)).unwrap_or_default();
            plain(
                "Nothing matches",
                Some(caveat()).filter(|c| !c.is_empty()).unwrap_or(&hint),
                Vec::new(),
            )
        }
        // The query of a search or view has an error. While the query is being typed, the error is shown at
        // its field.
        () if error.is_some() => Notice {
            mark: (m.failing, Role::Warning),
            title: match app.is_search() {
                true => "The search has an error".to_owned(),
                false => "The query of this view has an error".to_owned(),
            },
            text: error.unwrap_or_default(),
            earlier: Vec::new(),
            commands: vec![(Action::Edit, "edit the query")],
            problem: true,
        },
        () if !listing.query.is_empty() => {
            let mut commands = vec![(Action::Back, "leave the search")];
            if !app.is_search() {
                commands =
                    vec![(Action::Search, "search all items"), (Action::Back, "leave the search")];
            }
            plain(&format!("Nothing matches {}", listing.query), caveat(), commands)
        }
        () if listing.base.scope == Scope::Pinned => nothing_marked(app, Action::Pin),
        () if listing.base.scope == Scope::Later => nothing_marked(app, Action::Later),
        () => unfiltered(app),
    };
    if typing.is_some() {
        // The keys would type characters.
        notice.commands.clear();
    }
    Some(notice)
}

/// The notice for an empty list of pinned items or of items kept for later, with the key that adds items.
fn nothing_marked(app: &App, by: Action) -> Notice {
    let (title, does, stays) = match by {
        Action::Pin => ("No pinned items", "pins an item", " Pinned items stay until unpinned."),
        _ => ("No items kept for later", "keeps an item for later", ""),
    };
    let key = app.keymap.keys_for(Context::Items, by);
    let adds = key.map(|key| format!("{key} {does}.")).unwrap_or_default();
    Notice {
        mark: (marks(app).bullet, Role::Dim),
        title: title.to_owned(),
        text: format!("{adds}{stays}").trim_start().to_owned(),
        earlier: Vec::new(),
        commands: vec![(Action::ShowUnread, "unread items"), (Action::ShowAll, "all items")],
        problem: false,
    }
}

/// The reason why a list without a query is empty.
fn unfiltered(app: &App) -> Notice {
    let (m, base) = (marks(app), &app.items.listing.base);
    let within = |entry: &&SourceEntry| match &base.scope {
        Scope::Sources(keys) => keys.contains(&entry.facts.key),
        _ => true,
    };
    let sources: Vec<&SourceEntry> = app.sources.list.sources.iter().filter(within).collect();
    let failing: Vec<&SourceEntry> =
        sources.iter().copied().filter(|entry| entry.facts.fail_count > 0).collect();
    if base.unread_only && sources.iter().any(|entry| entry.facts.items > 0) {
        let next = app.status.next.filter(|next| *next > app.now);
        let in_ =
            |next: Time| format!("The next check is in {}.", span((next - app.now).num_seconds()));
        let mut commands = vec![
            (Action::RefreshAll, "refresh now"),
            (Action::ShowAll, "all items"),
            (Action::Add, "add a source"),
        ];
        if app.settings.ui.unread_only {
            commands.insert(0, (Action::UnreadOnly, "show read items"));
        }
        let elsewhere = app.sources.list.sources.iter().filter(|entry| !within(entry));
        let title = match elsewhere.map(|entry| entry.facts.unread).sum::<u32>() {
            0 => "You have read everything".to_owned(),
            count => {
                commands.insert(0, (Action::ShowUnread, "unread items of all sources"));
                let items =
                    text::counted(usize::try_from(count).unwrap_or(usize::MAX), "unread item");
                format!("Nothing unread here, but {items} in other sources")
            }
        };
        return Notice {
            mark: (m.selected, Role::Ok),
            title,
            text: next.map(in_).unwrap_or_default(),
            earlier: Vec::new(),
            commands,
            problem: false,
        };
    }
    if sources.iter().any(|entry| entry.facts.items > 0) {
        return Notice {
            mark: (m.bullet, Role::Dim),
            title: "Nothing here now".to_owned(),
            text: String::new(),
            earlier: Vec::new(),
            commands: vec![(Action::ShowAll, "all items"), (Action::RefreshAll, "refresh now")],
            problem: false,
        };
    }
    match (sources.len(), failing.as_slice()) {
        (1, [only]) => failed(app, only),
        (all, [_, ..]) => Notice {
            mark: (m.failing, Role::Warning),
            title: "No items yet".to_owned(),
            text: format!("{} of {all} sources failed.", failing.len()),
            earlier: Vec::new(),
            commands: vec![
                (Action::Log, "show what failed and why"),
                (Action::RefreshAll, "try again now"),
            ],
            problem: true,
        },
        (1, []) if sources[0].facts.last_ok.is_some() => nothing_found(app, sources[0]),
        _ => Notice {
            mark: (m.bullet, Role::Dim),
            title: "No items yet".to_owned(),
            text: String::new(),
            earlier: Vec::new(),
            commands: vec![(Action::RefreshAll, "refresh now")],
            problem: false,
        },
    }
}

/// The notice for a source in which nothing was found: what was tried, and alternatives.
fn nothing_found(app: &App, entry: &SourceEntry) -> Notice {
    let what = match entry.source.kind() {
        SourceKind::Feed => "The feed was read, but contains no entries.",
        SourceKind::Website => {
            "The page was read, but has no new articles. Articles that another source has are not listed again."
        }
        SourceKind::Entries => "The page was read, but no entries were found on it.",
        SourceKind::Page => "The page was read. Its item appears as soon as the page has text.",
        SourceKind::Sitemap => "The sitemap was read. Pages that are added to it become items.",
        SourceKind::Crawl => {
            "No page of the site was recognised as an article. Later checks explore more of the site."
        }
        SourceKind::List => "A list has no items of its own; its sources have them.",
    };
    Notice {
        mark: (marks(app).bullet, Role::Dim),
        title: "Nothing found yet".to_owned(),
        text: what.to_owned(),
        earlier: Vec::new(),
        commands: vec![
            (Action::Refresh, "try again now"),
            (Action::Workbench, "edit the selectors"),
            (Action::Log, "show the log"),
            (Action::Browser, "open the page in the browser"),
            (Action::Delete, "remove the source (can be undone)"),
        ],
        problem: true,
    }
}

/// Advice if a page is followed as a feed, which may happen in imported lists.
fn another_way(app: &App, entry: &SourceEntry) -> Option<String> {
    let is_page = entry.facts.last_outcome.as_ref().is_some_and(Outcome::is_html_page);
    if entry.source.kind() != SourceKind::Feed || !is_page {
        return None;
    }
    let remove = app.keymap.keys_for(Context::Sources, Action::Delete)?;
    let add = app.keymap.keys_for(Context::Sources, Action::Add)?;
    Some(format!(
        " Remove the source ({remove}) and add its URL again ({add}): newsfed then searches \
         for a feed of the site, or for another way to follow it."
    ))
}

/// The notice for a source that could not be fetched: the error, and what newsfed does next.
fn failed(app: &App, entry: &SourceEntry) -> Notice {
    let facts = &entry.facts;
    let why = match &facts.last_outcome {
        Some(Outcome::Failed { message, .. }) => format!("No items yet: {message}"),
        _ => "No items yet".to_owned(),
    };
    let times = match facts.fail_count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    };
    let known = app.failures.as_ref().filter(|(source, _)| *source == facts.key);
    let polls = known.map(|(_, polls)| polls.as_slice()).unwrap_or_default();
    // The title already describes the latest failure.
    let earlier = polls.iter().skip(1).map(|poll| match &poll.outcome {
        Outcome::Failed { message, .. } => {
            (age((app.now - poll.at).num_seconds()), message.clone())
        }
        _ => Default::default(),
    });
    // A manual refresh is skipped, too.
    let pause = facts.pause.filter(|pause| pause.until > app.now && pause.reason.binds_manual());
    let is_gone = pause.is_some_and(|pause| pause.reason == PauseReason::Gone);
    let wait = facts.next_poll.filter(|_| entry.source.enabled);
    let next = match wait.map(|next| (next - app.now).num_seconds()) {
        None => String::new(),
        Some(_) if is_gone => " It is not checked any more.".to_owned(),
        Some(..=0) => " Trying again now.".to_owned(),
        Some(wait) => format!(" The next attempt is in {}.", span(wait)),
    };
    let retry = match pause {
        Some(_) => (Action::ForceRefresh, "try again despite the pause"),
        None => (Action::Refresh, "try again now"),
    };
    Notice {
        mark: (marks(app).failing, Role::Warning),
        title: why,
        text: format!(
            "newsfed tried {times}.{next}{}",
            another_way(app, entry).unwrap_or_default()
        ),
        earlier: earlier.collect(),
        commands: vec![
            retry,
            (Action::Browser, "open the page in the browser"),
            (Action::Edit, "change the source"),
            (Action::Why, "explain when the source is checked"),
            (Action::Log, "show every error"),
            (Action::Delete, "remove the source (can be undone)"),
        ],
        problem: true,
    }
}

//! The list of keys, grouped by task, with a filter.

use super::super::app::{App, Help};
use super::super::reader::wrap_plain;
use super::chrome::marks;
use super::dialogs::{DialogArea, field_line, prompt_label, split_field};
use super::frame::window;
use super::row::Row;
use super::scroll_bar;
use crate::config::{Action, Context, Role, topics};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;

/// Minimum width of a list with two columns.
const TWO_COLUMNS: u16 = 96;
/// Number of cells between the columns.
const GAP: u16 = 4;

/// A line of the list.
enum Line {
    Heading(String),
    /// Keys, their description, and the panes that bind the keys if the focused pane does not.
    Keys(String, String, String),
    Empty,
}

/// Lines that stay together: an entry, preceded by the heading if the entry is the first of its group.
type Block = Vec<Line>;

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, help: &mut Help, area: DialogArea) {
    let inner = window(app, frame, area, ("Keys", ""), (132, area.body.height));
    let (field, list) = split_field(inner);
    // Ignores a search key that users type out of habit.
    let typed = help.field.value().trim_start_matches('/').to_lowercase();
    let height = usize::from(list.height);
    help.height = height;
    let groups = groups(app, help, &typed);
    let all = blocks(&groups, list.width.into());
    let fits = all.iter().map(Vec::len).sum::<usize>() <= height;
    let two = list.width >= TWO_COLUMNS && !app.settings.ui.linear && !fits;
    let (columns, shown) = if two {
        let shown = (list.width - GAP) / 2;
        (in_columns(blocks(&groups, shown.into()), height), shown)
    } else {
        (vec![all.into_iter().flatten().collect()], list.width)
    };
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    help.top = help.top.min(rows.saturating_sub(height));
    for (x, column) in (list.x..).step_by(usize::from(shown + GAP)).zip(&columns) {
        let visible = column.get(help.top..).unwrap_or_default();
        for (y, line) in (list.y..list.bottom()).zip(visible) {
            // A heading in the last row is hidden, because its entries are not visible.
            if y + 1 == list.bottom() && matches!(line, Line::Heading(_)) && visible.len() > height
            {
                continue;
            }
            let mut row = Row::new(shown);
            draw_line(app, &mut row, line, keys_width(&groups, shown.into()));
            let at = Rect { x, y, width: shown, height: 1 };
            frame.render_widget(row.line(app.palette.style(Role::Text)), at);
        }
    }
    // The scroll bar is in the margin, next to the names of panes.
    let bar = Rect { width: list.width + 1, ..list };
    if rows > height {
        scroll_bar(app, frame, bar, help.top..help.top + height, rows);
    }
    field_line(app, frame, &prompt_label(app, "Find: "), &help.field, field);
}

/// Splits the blocks into two columns, without splitting a block. The first column is at least as tall as the
/// screen. A group that continues in the second column repeats its heading there.
fn in_columns(blocks: Vec<Block>, height: usize) -> Vec<Vec<Line>> {
    let total: usize = blocks.iter().map(Vec::len).sum();
    let most = total.div_ceil(2).max(height);
    let mut columns = vec![Vec::new(), Vec::new()];
    let mut group = None;
    for block in blocks {
        let heading = block.iter().find_map(|line| match line {
            Line::Heading(title) => Some(title.clone()),
            _ => None,
        });
        let goes_on = columns[1].is_empty() && columns[0].len() + block.len() <= most;
        let column = &mut columns[usize::from(!goes_on)];
        let is_first = column.is_empty();
        if is_first && heading.is_none() {
            column.extend(group.clone().map(Line::Heading));
        }
        group = heading.or(group);
        column.extend(block.into_iter().skip_while(|line| is_first && matches!(line, Line::Empty)));
    }
    columns
}

/// Width of the key column, in cells: that of the longest keys, up to a limit.
fn keys_width(groups: &[Group], width: usize) -> usize {
    let most = if width < 50 { 11 } else { 15 };
    let entries = groups.iter().flat_map(|(_, entries)| entries);
    let lines = entries.flat_map(|entry| key_lines(&entry.keys, most));
    lines.map(|line| text::width(&line)).max().unwrap_or(0).min(most)
}

fn draw_line(app: &App, row: &mut Row, line: &Line, keys_width: usize) {
    match line {
        Line::Heading(title) => row.left(title, app.palette.style(Role::Title)),
        Line::Keys(keys, words, panes) => {
            row.right(panes.clone(), app.palette.style(Role::Dim));
            row.left(&format!("  {keys}"), app.palette.style(Role::KeyHint));
            let gap = (keys_width + 2).saturating_sub(text::width(keys));
            row.left(&" ".repeat(gap), app.palette.style(Role::Text));
            row.left(words, app.palette.style(Role::Text));
        }
        Line::Empty => {}
    }
}

/// The lines of the groups for a list of this width.
fn blocks(groups: &[Group], width: usize) -> Vec<Block> {
    let keys = keys_width(groups, width);
    let space = width.saturating_sub(keys + 4).max(8);
    let mut blocks: Vec<Block> = Vec::new();
    for (title, entries) in groups {
        for (i, entry) in entries.iter().enumerate() {
            let mut block = Block::new();
            if i == 0 {
                block.extend((!blocks.is_empty()).then_some(Line::Empty));
                block.push(Line::Heading(title.clone()));
            }
            block.extend(wrap(entry, (keys, space)));
            blocks.push(block);
        }
    }
    if blocks.is_empty() {
        blocks.push(vec![Line::Heading("No match".to_owned())]);
    }
    blocks
}

/// A heading and the entries below it.
type Group = (String, Vec<Entry>);

/// The keys of the dialog that opened the help, all actions by task, and other matches of the typed text.
fn groups(app: &App, help: &Help, typed: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut group = |title: &str, mut entries: Vec<Entry>| {
        // The heading already names the pane.
        for entry in entries.iter_mut().filter(|entry| entry.panes.trim() == title) {
            entry.panes.clear();
        }
        groups.push((title.to_owned(), entries));
    };
    let words: Vec<&str> = typed.split_whitespace().collect();
    let fits = |entry: &Entry| {
        typed.is_empty()
            || entry.keys.join(", ").to_lowercase().contains(typed)
            || entry.words.to_lowercase().contains(typed)
    };
    let of_dialog = app.dialog_hints(help.dialog).into_iter();
    let of_dialog = of_dialog.map(|hint| Entry::new(vec![hint.keys], hint.label));
    group("This dialog", of_dialog.filter(|entry| fits(entry)).collect());
    let mut rest = Action::ALL;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|action| action.task() == first.task()).count();
        let (of_task, others) = rest.split_at(count);
        let whole = first.task().title().to_lowercase().contains(typed);
        let matching = |(action, entry): &(Action, Entry)| {
            let is_meant = action.name().contains(typed) || action.is_searched_by(&words);
            whole || is_meant || fits(entry)
        };
        let of_action = |action: &Action| (*action, entry(app, help.context, *action));
        let entries = of_task.iter().map(of_action).filter(matching);
        group(first.task().title(), entries.map(|(_, entry)| entry).collect());
        rest = others;
    }
    let own = app.keymap.own_lines().map(|action| entry(app, help.context, action));
    let whole = "your own".contains(typed);
    group("Your own", own.filter(|entry| whole || fits(entry)).collect());
    let symbols = symbols(app).into_iter();
    let symbols = symbols.map(|(symbol, words)| Entry::new(vec![symbol], words));
    let whole = "symbols".contains(typed);
    let symbols = symbols.filter(|entry| whole || fits(entry)).collect();
    // Screen readers get words instead of symbols.
    group("Symbols", if app.settings.ui.linear { vec![] } else { symbols });
    let in_file = topics(typed).map(|topic| Entry::new(vec![topic.name.to_owned()], topic.help));
    group("In config.toml", in_file.collect());
    groups
}

/// The symbols in lists and articles, and what they mean. A symbol with several meanings has one entry.
fn symbols(app: &App) -> Vec<(String, String)> {
    let m = marks(app);
    let all = [
        (m.unread.to_owned(), "unread"),
        (m.pinned.to_owned(), "pinned"),
        (m.later.to_owned(), "kept for later"),
        (m.selected.to_owned(), "selected"),
        (m.changed.to_owned(), "changed since you read it"),
        (m.edited.to_owned(), "small changes only, such as corrected typos"),
        (format!("{}3", m.times), "a story that 3 sources cover"),
        ("4c".to_owned(), "4 comments"),
        ("~5m".to_owned(), "no date; found 5 minutes ago"),
        (m.busy.to_owned(), "being refreshed"),
        (m.failing.to_owned(), "the last checks failed"),
        (m.broken.to_owned(), "the selectors no longer match"),
        (m.gone.to_owned(), "the source is gone"),
        (m.open.to_owned(), "an unfolded folder"),
        (m.folded.to_owned(), "a folded folder"),
        (m.pointer.to_owned(), "in an article, the line you jumped to"),
    ];
    let mut merged: Vec<(String, String)> = Vec::new();
    for (symbol, words) in all {
        match merged.iter_mut().find(|(known, _)| *known == symbol) {
            Some((_, known)) => *known += &format!("; {words}"),
            None => merged.push((symbol, words.to_owned())),
        }
    }
    merged
}

/// An entry of the list.
struct Entry {
    keys: Vec<String>,
    words: String,
    /// Panes that bind the keys if the focused pane does not.
    panes: String,
}

impl Entry {
    fn new(keys: Vec<String>, words: impl Into<String>) -> Self {
        Self { keys, words: words.into(), panes: String::new() }
    }
}

/// The keys of an action in a context, its description, and the panes that bind it if this context does not.
/// An action without keys is shown as a command.
fn entry(app: &App, context: Context, action: Action) -> Entry {
    let words = || match action {
        Action::Lines(_) => app.keymap.label(action),
        action => action.help().to_owned(),
    };
    let shown = |keys| key_list(keys, app.settings.ui.ascii);
    let here = app.keymap.all_keys_for(context, action);
    if !here.is_empty() {
        return Entry::new(shown(here), words());
    }
    let others: Vec<(Context, Vec<String>)> = Context::ALL
        .into_iter()
        .map(|other| (other, app.keymap.all_keys_for(other, action)))
        .filter(|(_, keys)| !keys.is_empty())
        .collect();
    let panes: Vec<&str> = others.iter().map(|(context, _)| context.title()).collect();
    let panes = format!("  {}", panes.join(", "));
    match others.into_iter().next() {
        Some((_, keys)) => Entry { panes, ..Entry::new(shown(keys), words()) },
        None => Entry::new(vec![format!(":{}", action.name())], words()),
    }
}

/// The keys; the keys 1 to 9 are shown as a range.
fn key_list(mut keys: Vec<String>, ascii: bool) -> Vec<String> {
    let digits: Vec<String> = (1..=9).map(|digit| digit.to_string()).collect();
    if keys.starts_with(&digits) {
        let range = if ascii { "1-9" } else { "1–9" };
        keys.splice(..digits.len(), [range.to_owned()]);
    }
    keys
}

/// Keys separated by commas, as many per line as fit. A key is split only if it is wider than a line.
fn key_lines(keys: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for key in keys {
        match lines.last_mut() {
            Some(line) if text::width(line) + 2 + text::width(key) <= width => {
                line.push_str(", ");
                line.push_str(key);
            }
            last => {
                last.into_iter().for_each(|line| line.push(','));
                lines.extend(wrap_plain(key, width));
            }
        }
    }
    lines
}

/// The lines of an entry. The panes are on the first line, or on a line below if they would leave less than
/// half of the space for the description.
fn wrap(Entry { keys, words, panes }: &Entry, (left, right): (usize, usize)) -> Block {
    let free = right.saturating_sub(text::width(panes));
    let beside = panes.is_empty() || free * 2 >= right;
    let keys = key_lines(keys, left);
    let mut words = wrap_plain(words, if beside { free.max(1) } else { right });
    if !beside {
        words.push(String::new());
    }
    let of = |lines: &[String], i: usize| lines.get(i).cloned().unwrap_or_default();
    let named = if beside { 0 } else { words.len() - 1 };
    let line = |i| {
        let panes = if i == named { panes.clone() } else { String::new() };
        Line::Keys(of(&keys, i), of(&words, i), panes)
    };
    (0..keys.len().max(words.len())).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    #[test]
    fn breaks_lines_only_between_keys() {
        let lines = |keys: &[&str], width| key_lines(&texts(keys), width);
        assert_eq!(lines(&["Tab", "S-Tab"], 12), ["Tab, S-Tab"]);
        assert_eq!(lines(&["Tab", "S-Tab"], 8), ["Tab,", "S-Tab"]);
        assert_eq!(lines(&["C-d"], 8), ["C-d"]);
        assert_eq!(lines(&[], 8), Vec::<String>::new());
        let wide = lines(&["A-Backspace A-Backspace"], 12);
        assert!(wide.len() > 1 && wide.iter().all(|line| text::width(line) <= 12), "{wide:?}");
    }

    #[test]
    fn shows_nine_digit_keys_as_a_range() {
        let digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        assert_eq!(key_list(texts(&digits), false), ["1–9"]);
        assert_eq!(key_list(texts(&digits[..8]), false), digits[..8]);
        assert_eq!(key_list(texts(&[&digits[..], &["x"]].concat()), true), ["1-9", "x"]);
    }

    #[test]
    fn the_key_column_is_as_wide_as_the_keys() {
        let group = |keys: &[&str]| vec![("Go to".to_owned(), vec![Entry::new(texts(keys), "x")])];
        assert_eq!(keys_width(&group(&["g", "Home"]), 80), 7);
        assert_eq!(keys_width(&group(&["Home", "End", "PgUp", "PgDn"]), 80), 15);
        assert_eq!(keys_width(&group(&["extremelylongcommand"]), 40), 11);
    }

    #[test]
    fn does_not_split_an_entry_between_columns() {
        for height in 1..14 {
            let blocks = (1..=4usize).map(|n| {
                let entry = (0..n).map(|_| Line::Keys(n.to_string(), String::new(), String::new()));
                let above = [Line::Empty, Line::Heading(n.to_string())];
                above.into_iter().chain(entry).collect::<Block>()
            });
            let columns = in_columns(blocks.collect(), height);
            for column in &columns {
                assert!(!matches!(column.last(), Some(Line::Heading(_))));
                assert!(!matches!(column.first(), Some(Line::Empty | Line::Keys(..))));
            }
            let entries = columns.iter().flatten().filter(|line| matches!(line, Line::Keys(..)));
            assert_eq!(entries.count(), 10);
        }
    }
}

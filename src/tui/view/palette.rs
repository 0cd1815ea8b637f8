//! The command palette: commands in groups, with the matching letters highlighted, and their keys.

use super::super::app::{App, Hit, Palette, command_takes};
use super::super::reader::wrap_plain;
use super::dialogs::{DialogArea, field_line, prompt_label, role, rows};
use super::frame::window;
use super::row::Row;
use crate::config::{Action, Context, Role, topics};
use crate::util::text::{self, counted, counted_as};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line as TextLine;

/// Maximum width of the dialog, in cells.
const WIDTH: u16 = 92;
/// Minimum height of the dialog, if the screen is tall enough.
const MIN: u16 = 19;
/// Minimum height of a list with headings for groups.
const WITH_HEADINGS: u16 = 10;
/// Minimum width of a list with a column for command names.
const WITH_NAMES: u16 = 66;
/// Width of the column for command names.
const NAMES: usize = 18;
/// Width of the key column.
const KEYS: usize = 6;

/// A row of the list.
enum Line {
    Empty,
    Heading(&'static str),
    /// A command, by its index in the hits.
    Hit(usize),
}

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, palette: &Palette, area: DialogArea) {
    let hits = app.palette_hits(palette);
    let selected = palette.selected.min(hits.len().saturating_sub(1));
    // Two thirds of the screen, or more of a small one. The height stays the same while fewer commands match.
    let height = (area.body.height * 2 / 3).max(MIN).saturating_sub(5);
    let typed = palette.field.value();
    let count = match hits.len() {
        0 => String::new(),
        many if typed.is_empty() => counted(many, "command"),
        many => counted_as(many, "match", "matches"),
    };
    let inner = window(app, frame, area, (palette.title(), &count), (WIDTH, height));
    let field = Rect { height: inner.height.min(1), ..inner };
    let rule = u16::from(inner.height >= WITH_HEADINGS);
    let below = explanation(app, hits.get(selected), inner);
    let space = u16::try_from(below.len()).unwrap_or(0);
    let top = (field.bottom() + rule).min(inner.bottom());
    let list = Rect { y: top, height: inner.bottom().saturating_sub(top + rule + space), ..inner };
    if rule > 0 {
        super::dialogs::rule(app, frame, Rect { y: field.bottom(), height: 1, ..inner });
        super::dialogs::rule(app, frame, Rect { y: list.bottom(), height: 1, ..inner });
    }
    if hits.is_empty() {
        let mut found =
            topics(typed).map(|topic| format!("{} in config.toml: {}", topic.name, topic.help));
        let first = found.next().unwrap_or_else(|| "No match".to_owned());
        let found = [first].into_iter().chain(found);
        let found = found.flat_map(|line| wrap_plain(&line, list.width.max(8).into()));
        for (y, line) in (list.y..list.bottom()).zip(found) {
            let line = TextLine::styled(line, app.palette.style(Role::Dim));
            frame.render_widget(line, Rect { y, height: 1, ..list }.intersection(inner));
        }
    }
    let lines = lines(&hits, list.height >= WITH_HEADINGS);
    let at = lines.iter().position(|line| matches!(line, Line::Hit(i) if *i == selected));
    rows(app, frame, list, lines.len(), at.unwrap_or(0), |i, row, here| match lines[i] {
        Line::Empty => {}
        Line::Heading(title) => row.left(title, app.palette.style(Role::Soft)),
        Line::Hit(i) => hit_row(app, row, (&hits[i], here), (typed, list.width)),
    });
    for (y, (line, role)) in (list.bottom() + rule..inner.bottom()).zip(below) {
        let line = TextLine::styled(line, app.palette.style(role));
        frame.render_widget(line, Rect { y, height: 1, ..inner });
    }
    field_line(app, frame, &prompt_label(app, ""), &palette.field, field);
}

/// The hits with the headings of their groups.
fn lines(hits: &[Hit], with_headings: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut group = None;
    for (i, hit) in hits.iter().enumerate() {
        if with_headings && hit.group != group {
            if !lines.is_empty() {
                lines.push(Line::Empty);
            }
            lines.extend(hit.group.map(Line::Heading));
            group = hit.group;
        }
        lines.push(Line::Hit(i));
    }
    lines
}

/// The description of the selected command, or the reason why it is not available.
fn explanation(app: &App, hit: Option<&Hit>, inner: Rect) -> Vec<(String, Role)> {
    let Some(hit) = hit else { return Vec::new() };
    let (words, role) = match hit.reason {
        Some(why) => (format!("Not available: {why}"), Role::Warning),
        None => (described(app, hit, inner.width), Role::Soft),
    };
    let lines = wrap_plain(&words, inner.width.max(8).into());
    let most = usize::from(inner.height / 4).min(2);
    lines.into_iter().filter(|line| !line.is_empty()).take(most).map(|l| (l, role)).collect()
}

/// The parts of a command's description that its row does not show.
fn described(app: &App, hit: &Hit, width: u16) -> String {
    let (help, named) = (text::width(&hit.help), width >= WITH_NAMES);
    match hit.argument {
        // The row describes a setting, but may be too narrow.
        Some(_) if !hit.help.is_empty() && !argument_fits(width, help) => hit.help.clone(),
        Some(_) => hit.action.details().to_owned(),
        None => {
            let beside = KEYS + if named { NAMES + 1 } else { 0 };
            let is_cut = help + beside > width.into();
            let help = if is_cut { format!("{}. ", hit.help) } else { String::new() };
            format!("{help}{}{}", hit.action.details(), usage(app, hit.action))
        }
    }
}

/// The argument of a command, and its keys unless the row shows all: ` Keys: m in Items and Reader.`
fn usage(app: &App, action: Action) -> String {
    let mut places: Vec<(Vec<String>, Vec<Context>)> = Vec::new();
    let everywhere = app.keymap.all_keys_for(Context::Everywhere, action);
    for context in Context::ALL {
        let mut keys = app.keymap.all_keys_for(context, action);
        keys.retain(|key| context == Context::Everywhere || !everywhere.contains(key));
        match places.iter_mut().find(|(known, _)| *known == keys) {
            _ if keys.is_empty() => {}
            Some((_, contexts)) => contexts.push(context),
            None => places.push((keys, vec![context])),
        }
    }
    let shown = app.keymap.keys_for(app.context(), action);
    let is_shown = |(keys, _): &(Vec<String>, _)| keys.len() == 1 && keys.first() == shown.as_ref();
    if places.iter().all(is_shown) {
        places.clear();
    }
    let place = |(keys, contexts): (Vec<String>, Vec<Context>)| {
        let keys = keys.join(", ");
        let panes: Vec<&str> = contexts.iter().map(|context| context.title()).collect();
        match contexts.as_slice() {
            [Context::Everywhere] => keys,
            _ => format!("{keys} in {}", panes.join(" and ")),
        }
    };
    let places: Vec<String> = places.into_iter().map(place).collect();
    let takes = command_takes(action).map(|what| format!(" Takes {what}."));
    let keys = (!places.is_empty()).then(|| format!(" Keys: {}.", places.join("; ")));
    [takes, keys].into_iter().flatten().collect()
}

/// Number of cells for the argument of a command in a row of this width.
fn argument_cells(width: u16) -> usize {
    usize::from(width) * 2 / 5
}

/// Whether the full description of an argument fits into its row.
fn argument_fits(width: u16, help: usize) -> bool {
    width >= WITH_NAMES && argument_cells(width) + 2 + help <= width.into()
}

fn hit_row(app: &App, row: &mut Row, (hit, here): (&Hit, bool), (typed, width): (&str, u16)) {
    let named = width >= WITH_NAMES;
    let (title, beside) = match &hit.argument {
        Some(argument) if !argument.is_empty() => (argument.as_str(), hit.help.as_str()),
        Some(_) => (hit.action.name(), hit.help.as_str()),
        None => (hit.help.as_str(), hit.action.name()),
    };
    if hit.argument.is_none() {
        let keys = app.keymap.keys_for(app.context(), hit.action).unwrap_or_default();
        let keys = format!("{keys:>KEYS$}");
        row.right(keys, app.palette.style(Role::KeyHint));
        if named {
            let name = format!(" {beside:<NAMES$}");
            row.right(name, app.palette.style(Role::Dim));
        }
    }
    let usual = if hit.reason.is_some() { Role::Dim } else { Role::Text };
    let typed = match hit.argument {
        Some(_) => typed.split_once(' ').map_or("", |(_, rest)| rest),
        None => typed,
    };
    matched(row, title, typed, role(app, here, usual), found_style(app));
    if hit.argument.is_some() && named {
        let names = argument_cells(width);
        row.left(&" ".repeat(names.saturating_sub(text::width(title))), Style::new());
        row.left(&format!("  {beside}"), app.palette.style(Role::Dim));
    }
}

fn found_style(app: &App) -> Style {
    app.palette.style(Role::Pinned).add_modifier(Modifier::UNDERLINED | Modifier::BOLD)
}

/// Adds a title with the typed words highlighted.
fn matched(row: &mut Row, title: &str, typed: &str, style: Style, found: Style) {
    let marks = marks(title, typed);
    let mut rest = title;
    for run in marks.chunk_by(|a, b| a == b) {
        let end = rest.char_indices().nth(run.len()).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at(end);
        row.left(piece, if run[0] { found } else { style });
        rest = after;
    }
}

/// For each character of the title, whether it belongs to the first occurrence of a typed word.
fn marks(title: &str, typed: &str) -> Vec<bool> {
    let fold = |c: char| c.to_lowercase().next().unwrap_or(c);
    let letters: Vec<char> = title.chars().map(fold).collect();
    let mut marks = vec![false; letters.len()];
    for word in typed.split([' ', '-']).filter(|word| !word.is_empty()) {
        let word: Vec<char> = word.chars().map(fold).collect();
        if let Some(at) = letters.windows(word.len()).position(|part| part == word) {
            marks[at..at + word.len()].fill(true);
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::marks;

    #[test]
    fn marks_the_first_occurrence_of_each_typed_word() {
        let shown = |title: &str, typed: &str| -> String {
            marks(title, typed).into_iter().map(|m| if m { '^' } else { '.' }).collect()
        };
        for (title, typed, expected) in [
            ("Refresh all", "ref", "^^^........"),
            ("Refresh all", "all-re", "^^......^^^"),
            ("Übung", "üb", "^^..."),
            ("Mark", "xyz", "...."),
            ("", "a", ""),
            ("ab", "abc", ".."),
        ] {
            assert_eq!(shown(title, typed), expected, "{title} {typed}");
        }
    }
}

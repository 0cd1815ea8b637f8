//! The columns to the right of the titles in a list.

use super::super::chrome::marks;
use super::super::row::padding;
use super::{Cell, Form};
use crate::config::{DateStyle, Role};
use crate::tui::app::{App, Focus};
use crate::util::text;

/// Minimum width of a list that shows "comments" after the number.
const COMMENTS_FROM: u16 = 124;

/// A column at the right of a row.
pub(super) struct Column {
    pub(super) name: &'static str,
    /// Columns with a higher rank are hidden first.
    pub(super) rank: u8,
    /// Width in cells, depending on the width of the list; 0 if the column is hidden.
    pub(super) cells: fn(&Cell<'_>) -> usize,
    /// Texts with their roles, at most as wide as the column.
    pub(super) draw: fn(&Cell<'_>, usize) -> Vec<(String, Role)>,
}

/// Maximum width of the source column.
const MAX_SOURCE: usize = 22;
/// Width of the square in the source column, including blanks.
const SQUARE: usize = 4;
/// Maximum width of a source name in the source column.
const MAX_NAME: usize = MAX_SOURCE - SQUARE;

/// Maximum width of source names in a narrow list next to the Sources pane, and minimum space for a name.
const SHORT: usize = 10;
/// Minimum width of a list that is not narrow.
const NARROW: u16 = 70;
/// Maximum number of sources whose names are measured for each frame. With more, one is assumed to be long.
const MAX_MEASURED: usize = 300;
/// Minimum width of a title next to the name of its source. In a narrower list, the name is hidden.
const MIN_TITLE: usize = 30;

/// The columns to the right of the title, from left to right. Without the first one, they use at most 45 % of
/// the width of a row.
pub(super) const COLUMNS: &[Column] = &[
    // This is the leftmost column, so that its width may differ from row to row.
    Column {
        name: "stories",
        rank: 0,
        cells: |cell| match cell.row.also {
            0 => 0,
            _ => text::width(&cell.stories()),
        },
        draw: |cell, _| vec![(cell.stories(), Role::Dim)],
    },
    Column {
        name: "comments",
        rank: 3,
        cells: |cell| match cell.width {
            _ if cell.row.comment_count.is_none() => 0,
            ..90 => 0,
            90..COMMENTS_FROM => 9,
            COMMENTS_FROM.. => 19,
        },
        draw: |cell, cells| {
            let count = cell.row.comment_count.filter(|count| *count > 0);
            let short = || {
                let new = match cell.row.new_comments {
                    0 => String::new(),
                    new => format!("+{new}"),
                };
                count.map(|count| format!("{count}c{new}"))
            };
            let text = if cell.width >= COMMENTS_FROM { cell.comments() } else { short() };
            let text = text.unwrap_or_default();
            let text = text::truncate(&text, cells).into_owned();
            vec![(format!("{text:>cells$}"), Role::Dim)]
        },
    },
    Column {
        name: "source",
        rank: 1,
        cells: |cell| {
            let most = match cell.width {
                _ if cell.form.one_source => return 0,
                _ if cell.form.shortens => SHORT + SQUARE,
                ..NARROW => 16,
                NARROW..80 => 20,
                80.. => MAX_SOURCE,
            };
            let beside = 2 * padding(cell.width) + 2 + MIN_TITLE + date_cells(cell);
            let cells = most.min(usize::from(cell.width).saturating_sub(beside));
            if cells < SHORT + SQUARE {
                return 0;
            }
            cells.min(cell.form.source_cells.saturating_add(SQUARE))
        },
        draw: |cell, cells| {
            let color = cell.app.sources.color(cell.row.source_key);
            // Two blanks before the mark and one after it.
            let mark = format!("  {} ", marks(cell.app).square);
            let space = cells - text::width(&mark);
            let name = cell.source(space);
            let name = match cell.width {
                ..NARROW => beginning(&name, space),
                NARROW.. => text::truncate(&name, space).into_owned(),
            };
            let rest = " ".repeat(cells - text::width(&mark) - text::width(&name));
            let role = if cell.row.read { Role::Dim } else { Role::Soft };
            vec![(mark, color), (name + &rest, role)]
        },
    },
    Column {
        name: "minutes",
        rank: 2,
        cells: |cell| if cell.width >= 96 { 8 } else { 0 },
        draw: |cell, cells| vec![(format!("{:>cells$}", cell.minutes()), Role::Dim)],
    },
    Column {
        name: "date",
        rank: 0,
        cells: date_cells,
        draw: |cell, cells| vec![(format!("{:>cells$}", cell.date()), Role::Dim)],
    },
];

fn date_cells(cell: &Cell<'_>) -> usize {
    match cell.form.dates {
        DateStyle::Age => 6,
        DateStyle::Date => 13,
        DateStyle::Time => 14,
    }
}

/// The beginning of a name, with an ellipsis: the words that fit if they use half of the space, or else as
/// many letters as fit.
fn beginning(name: &str, cells: usize) -> String {
    if text::width(name) <= cells {
        return name.to_owned();
    }
    let cells = cells.saturating_sub(1);
    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(|end| text::width(&name[..*end]) <= cells).last().unwrap_or(0);
    let cut = &name[..end];
    let is_letter = char::is_alphanumeric;
    let words = match name[end..].starts_with(is_letter) {
        true => cut.trim_end_matches(is_letter),
        false => cut,
    };
    let words = words.trim_end_matches(|c| !is_letter(c));
    let shown = if text::width(words) * 2 >= cells { words } else { cut.trim_end() };
    format!("{shown}…")
}

/// Minimum width of a screen with long names of sources both in their pane and in the list.
const NAMES_TWICE_FROM: u16 = 90;

/// Whether the beginnings of the sources' names are enough in a narrow list, because the Sources pane is next
/// to it.
pub(super) fn shortens_sources(app: &App) -> bool {
    let width = app.size.0;
    width < NAMES_TWICE_FROM
        && super::super::arrangement(app, width).iter().any(|(pane, _)| *pane == Focus::Sources)
}

impl Form {
    /// Sets the width of the longest source name, which determines the width of the column. All sources
    /// count, not only those in the list, so that the column keeps its width while a search narrows the list.
    pub(super) fn with_names(self, app: &App) -> Self {
        let sources = &app.sources.list.sources;
        if sources.len() > MAX_MEASURED {
            return Self { source_cells: MAX_NAME, ..self };
        }
        let mut source_cells = 0;
        for name in sources {
            source_cells = source_cells.max(text::width(&app.sources.name(name, usize::MAX)));
            // Longer names do not widen the column.
            if source_cells >= MAX_NAME {
                break;
            }
        }
        Self { source_cells, ..self }
    }
}

//! The Items pane.

mod below;
mod columns;
mod series;
mod titles;

use self::columns::{COLUMNS, Column};
pub(in crate::tui) use self::series::Series;
use super::super::app::{App, Focus};
use super::chrome::marks;
use super::groups::Groups;
use super::row::{Row, padding, put};
use super::{has_focus, pictures};
use crate::config::{DateStyle, Grouping, ListStyle, Role};
use crate::model::{ItemRow, WORDS_PER_MINUTE};
use crate::store::Scope;
use crate::util::text;
use crate::util::time_text::{age, near_day, near_minute};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use std::borrow::Cow;

/// Minimum width of a list that is compact by default.
const COMPACT_FROM: u16 = 56;
/// Minimum height of a list with separators and, by default, two rows per item.
const TALL: u16 = 12;
/// Minimum width of a list with a summary in the second row.
const SUMMARY_FROM: u16 = 60;

/// How the items of a list are drawn.
#[derive(Debug, Clone, Copy)]
struct Form {
    style: ListStyle,
    dates: DateStyle,
    /// Indices into [`COLUMNS`] of the visible columns, from the left.
    columns: [Option<usize>; COLUMNS.len()],
    separators: bool,
    /// Whether the list or each of its groups has only one source, so that no column for the name is needed.
    one_source: bool,
    /// Width of the longest source name, in cells.
    source_cells: usize,
    /// Whether the names of sources are shortened, because the Sources pane next to a narrow list shows them.
    shortens: bool,
    /// Whether long titles use a second row, because the list has unused rows.
    wraps: bool,
}

/// The style of the items, if the list is on the screen.
pub(in crate::tui) fn list_style(app: &App) -> Option<ListStyle> {
    list_area(app).map(|area| Form::new(app, area).style)
}

/// Whether the rows of the list show summaries.
pub(in crate::tui) fn shows_summaries(app: &App) -> bool {
    list_area(app).is_some_and(|area| match Form::new(app, area).style {
        ListStyle::Magazine => true,
        ListStyle::Comfortable => area.width >= SUMMARY_FROM,
        ListStyle::Compact | ListStyle::Auto => false,
    })
}

/// The area of the list, if it is on the screen.
fn list_area(app: &App) -> Option<Rect> {
    let panes = super::arrangement(app, app.size.0);
    let (_, width) = panes.into_iter().find(|(pane, _)| *pane == Focus::Items)?;
    Some(Rect { x: 0, y: 0, width, height: app.size.1.saturating_sub(3) })
}

/// Minimum width of a search result with the matching text next to its title.
const SNIPPETS_FROM: u16 = 96;

/// Minimum width of a list with pictures.
const PICTURES_FROM: u16 = 56;

/// Whether a list with pictures is on the screen.
pub(in crate::tui) fn shows_thumbnails(app: &App) -> bool {
    list_area(app).is_some_and(|area| with_pictures(app, Form::new(app, area), area.width))
}

fn with_pictures(app: &App, form: Form, width: u16) -> bool {
    form.style == ListStyle::Magazine && width >= PICTURES_FROM && app.lists_pictures()
}

impl Form {
    fn new(app: &App, area: Rect) -> Self {
        let tall = area.height >= TALL;
        let scope = &app.items.listing.base.scope;
        let separators = tall && app.grouping() != Grouping::None;
        // If items are grouped by source, the separator shows the name.
        let one_source = matches!(scope, Scope::Sources(keys) if keys.len() == 1)
            || separators && app.grouping() == Grouping::Source;
        let (layout, ui) = (&app.items.listing.layout, &app.settings.ui);
        let style = match layout.list.unwrap_or(ui.list) {
            _ if !tall || app.settings.ui.linear => ListStyle::Compact,
            // A single row has no space for the matching text.
            ListStyle::Auto if app.items.listing.is_search && area.width < SNIPPETS_FROM => {
                ListStyle::Comfortable
            }
            // Without a source name, the second row would be empty.
            ListStyle::Auto if area.width < COMPACT_FROM && !one_source => ListStyle::Comfortable,
            ListStyle::Auto => ListStyle::Compact,
            other => other,
        };
        let names = if layout.columns.is_empty() { &ui.columns } else { &layout.columns };
        let mut columns = [None; COLUMNS.len()];
        for (place, name) in columns.iter_mut().zip(names) {
            *place = COLUMNS.iter().position(|column| column.name == name);
        }
        let dates = layout.dates.unwrap_or(ui.dates);
        Self {
            style,
            dates,
            columns,
            separators,
            one_source,
            source_cells: usize::MAX,
            shortens: columns::shortens_sources(app),
            wraps: false,
        }
    }

    fn rows(self) -> usize {
        match self.style {
            ListStyle::Magazine => 5,
            ListStyle::Comfortable => 2,
            ListStyle::Compact | ListStyle::Auto => 1,
        }
    }
}

/// The content of a screen row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The separator above the item with this index.
    Separator(usize),
    /// A row of an item: the index of the item, and the index of the row in it.
    Item(usize, usize),
}

pub(super) fn draw(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    app.areas.items = Some(area);
    app.items.shown.clear();
    let focused = has_focus(app, Focus::Items);
    if app.items.rows.is_empty() {
        return super::empty::draw(app, frame, area, focused);
    }
    let form = Form::new(app, area).with_names(app);
    let groups = Groups::new(app);
    let separated = |i: usize| form.separators && groups.is_first(&app.items.rows, i);
    let space = usize::from(area.height);
    // The remembered screen line and title layout do not apply to items of a different height.
    if app.items.item_height != form.rows() {
        app.items.held = None;
        app.items.wraps = None;
    }
    let wraps = titles::wraps(app, form, area, separated);
    app.items.item_height = form.rows();
    app.items.wraps = Some(((area.width, area.height), wraps));
    let form = Form { wraps, ..form };
    let own = |i: usize| {
        let cell = || Cell::new(app, &app.items.rows[i], form, area.width, (false, false));
        form.rows() + usize::from(form.wraps && cell().is_wrapped())
    };
    let height = |i: usize| own(i) + usize::from(separated(i));
    let labelled = |i: usize| form.separators && !separated(i);
    let held = app.items.held(space, own(app.items.selected), labelled, height);
    let (first, has_label, all_fit) = held.unwrap_or_else(|| {
        let (first, all_fit) = app.items.scrolled(space, form.rows(), height);
        (first, false, all_fit)
    });
    let above = u16::from(has_label).min(area.height);
    let rows = Rect { y: area.y + above, height: area.height - above, ..area };
    let shown: Vec<Shown> = (first..app.items.rows.len())
        .flat_map(|i| {
            let rows = (0..own(i)).map(move |row| Shown::Item(i, row));
            separated(i).then_some(Shown::Separator(i)).into_iter().chain(rows)
        })
        .take(rows.height.into())
        .collect();
    let label = |app: &App, i: usize| {
        let group = groups.of(&app.items.rows, i);
        separator(app, &groups.label(app, group), groups.count(&app.items, group), area.width)
    };
    if above > 0 {
        put(frame, &label(app, first), Rect { height: 1, ..area });
    }
    app.items.scroll = first;
    app.items.height = (usize::from(area.height) / form.rows()).max(1);
    for (y, what) in (rows.y..rows.bottom()).zip(&shown) {
        let at = Rect { y, height: 1, ..area };
        match *what {
            Shown::Separator(i) => put(frame, &label(app, i), at),
            Shown::Item(i, row) => draw_row(app, frame, at, (i, row), form, focused),
        }
    }
    if with_pictures(app, form, area.width) {
        draw_pictures(app, frame, rows, &shown);
    }
    let all = app.items.rows.len();
    if !all_fit || app.items.more_above || app.items.more_below {
        let end = shown.last().map_or(0, |what| what.item() + 1);
        super::scroll_bar(app, frame, area, first..end, all);
    }
    let item = |what: &Shown| matches!(what, Shown::Item(..)).then_some(what.item());
    let empty = std::iter::repeat_n(None, above.into());
    app.items.shown = empty.chain(shown.iter().map(item)).collect();
}

impl Shown {
    fn item(self) -> usize {
        match self {
            Self::Separator(i) | Self::Item(i, _) => i,
        }
    }
}

/// Draws the pictures next to the first rows of items.
fn draw_pictures(app: &mut App, frame: &mut Frame<'_>, area: Rect, shown: &[Shown]) {
    let right = u16::try_from(padding(area.width)).unwrap_or(0);
    for (y, what) in (area.y..area.bottom()).zip(shown) {
        if let Shown::Item(i, 0) = *what {
            let at = Rect { y, width: area.width - right, height: area.bottom() - y, ..area };
            let row = app.items.rows[i].key;
            pictures::draw_thumbnail(app, frame.buffer_mut(), at, row);
        }
    }
}

fn draw_row(
    app: &App,
    frame: &mut Frame<'_>,
    at: Rect,
    (i, part): (usize, usize),
    form: Form,
    focused: bool,
) {
    let selected = i == app.items.selected;
    let row = &app.items.rows[i];
    let pictured = with_pictures(app, form, at.width);
    let text = at.width - if pictured { pictures::reserved(app, row) } else { 0 };
    let cell = Cell::new(app, row, form, text, (selected, focused));
    // An empty row between two items, or next to a picture that is taller than the text.
    let blank = part + 1 == form.rows() || text == at.width && part > cell.summary().len() + 1;
    if cell.is_magazine() && blank {
        return;
    }
    super::select(app, frame, at, selected, focused);
    put(frame, &cell.line(part), Rect { width: text, ..at });
    if selected {
        super::select_bar(app, frame, at, focused);
        if part == 0 && focused && app.dialogs.is_empty() {
            frame.set_cursor_position(Position::new(at.x, at.y));
        }
    }
}

/// The label of a group, and its number of items.
fn separator(app: &App, label: &str, count: Option<usize>, width: u16) -> Line<'static> {
    let style = |role| app.palette.style(role);
    let pad = " ".repeat(padding(width));
    let mut row = Row::new(width);
    row.right(pad.clone(), Style::new());
    if let Some(count) = count {
        row.right(format!(" {count}"), style(Role::Dim));
    }
    row.left(&format!("{pad}{label} "), style(Role::Soft));
    if !app.settings.ui.linear {
        row.fill(marks(app).across, style(Role::Border));
    }
    row.line(Style::new())
}

/// An item in the list.
struct Cell<'a> {
    app: &'a App,
    row: &'a ItemRow,
    form: Form,
    width: u16,
    /// Whether the item is selected, and whether the pane has the focus.
    selected: (bool, bool),
}

impl<'a> Cell<'a> {
    fn new(app: &'a App, row: &'a ItemRow, form: Form, width: u16, selected: (bool, bool)) -> Self {
        Self { app, row, form, width, selected }
    }

    /// The name of the source, shortened to a width.
    fn source(&self, cells: usize) -> Cow<'a, str> {
        let entry = self.app.sources.entry(self.row.source_key);
        entry.map_or(Cow::default(), |entry| self.app.sources.name(entry, cells))
    }

    /// Draws one of the rows of the item.
    fn line(&self, part: usize) -> Line<'static> {
        if self.app.settings.ui.linear {
            let (selected, focused) = self.selected;
            let role = if self.row.read { Role::Read } else { Role::Unread };
            let style = super::title_style(self.app, role, selected, focused);
            let text = super::linear::item(self.app, self.row, &self.source(usize::MAX));
            let text = format!("  {text}");
            return Line::styled(text::truncate(&text, self.width.into()).into_owned(), style);
        }
        match (self.form.style, part) {
            (_, 0) => self.first(),
            (ListStyle::Compact | ListStyle::Comfortable, 1) if self.is_wrapped() => self.rest(),
            (ListStyle::Magazine, _) => self.of_magazine(part - 1),
            _ => self.second(),
        }
    }

    fn style(&self, role: Role) -> Style {
        self.app.palette.style(role)
    }

    /// The number of sources that cover the same story.
    fn stories(&self) -> String {
        format!("  {}{}", marks(self.app).times, u64::from(self.row.also) + 1)
    }

    /// The number of comments and of new ones; `None` without comments.
    fn comments(&self) -> Option<String> {
        let count = self.row.comment_count.filter(|count| *count > 0)?;
        let new = match self.row.new_comments {
            0 => String::new(),
            new => format!(" +{new}"),
        };
        Some(text::counted(count, "comment") + &new)
    }

    fn minutes(&self) -> String {
        match self.row.words {
            0 => String::new(),
            words => format!("{} min", words.div_ceil(WORDS_PER_MINUTE)),
        }
    }

    /// The date, or `~` and the time of discovery if the item has no date.
    fn date(&self) -> String {
        let (date, now) = (self.row.found.unwrap_or(self.row.date), self.app.now);
        let shown = match self.form.dates {
            DateStyle::Age => age((now - date).num_seconds()),
            DateStyle::Date => near_day(date, now),
            DateStyle::Time => near_minute(date, now),
        };
        if self.row.found.is_some() { format!("~{shown}") } else { shown }
    }

    /// The start of a row: the padding, and a mark or a blank of the same width.
    fn start(&self, marked: bool) -> (Row, usize) {
        let pad = padding(self.width);
        let mut out = Row::new(self.width);
        out.right(" ".repeat(pad), Style::new());
        let (mark, role) = if marked { self.mark() } else { (" ", Role::Text) };
        out.left(&" ".repeat(pad), Style::new());
        out.left(&format!("{mark} "), self.style(role));
        (out, pad)
    }

    fn mark(&self) -> (&'static str, Role) {
        let (m, row) = (marks(self.app), self.row);
        match () {
            () if self.app.items.marked.contains(&row.key) => (m.selected, Role::Accent),
            () if row.substantial => (m.changed, Role::Changed),
            () if row.changed => (m.edited, Role::Dim),
            () if row.pinned => (m.pinned, Role::Pinned),
            () if row.later => (m.later, Role::Accent),
            () if !row.read => (m.unread, Role::Accent),
            () => (" ", Role::Text),
        }
    }

    /// The columns at the right of the first row. The title uses the remaining space.
    fn columns(&self) -> Row {
        let (mut out, pad) = self.start(true);
        let of_compact = |column: &&Column| {
            self.form.style == ListStyle::Compact || (column.rank == 0 && !self.is_magazine())
        };
        let mut columns: Vec<(&Column, usize)> = self
            .form
            .columns
            .iter()
            .filter_map(|index| COLUMNS.get((*index)?))
            .filter(of_compact)
            .map(|column| (column, (column.cells)(self)))
            .filter(|(_, cells)| *cells > 0)
            .collect();
        let limit = (usize::from(self.width) * 45 / 100).saturating_sub(pad);
        // The number of other sources is narrow and must not displace the source column.
        let counted = |(column, _): &&(&Column, usize)| column.name != "stories";
        let used = |columns: &[(&Column, usize)]| -> usize {
            columns.iter().filter(counted).map(|(_, cells)| cells).sum()
        };
        while used(&columns) > limit {
            let Some(last) = columns.iter().map(|(column, _)| column.rank).max() else { break };
            columns.retain(|(column, _)| column.rank < last);
        }
        for (column, cells) in columns.into_iter().rev() {
            for (text, role) in (column.draw)(self, cells).into_iter().rev() {
                out.right(text, self.style(role));
            }
        }
        out
    }

    fn is_magazine(&self) -> bool {
        self.form.style == ListStyle::Magazine
    }
}

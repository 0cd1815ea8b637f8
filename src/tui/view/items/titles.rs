//! Titles of items: in one row, or in two if the list has unused rows.

use super::super::snippet;
use super::series;
use super::{Cell, Form, SUMMARY_FROM};
use crate::config::{ListStyle, Role};
use crate::tui::app::App;
use crate::tui::reader::wrap_plain;
use crate::util::text;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use std::borrow::Cow;
use std::ops::Range;

/// Whether long titles use two rows, because all items still fit into the list. Once they do not fit, titles
/// use one row until another list is opened, so that rows move at most once while the list fills.
pub(super) fn wraps(app: &App, form: Form, area: Rect, separated: impl Fn(usize) -> bool) -> bool {
    let items = &app.items;
    let (count, space) = (items.rows.len(), usize::from(area.height));
    let size = (area.width, area.height);
    let did_not_fit = items.wraps == Some((size, false));
    let is_all = !items.more_above && !items.more_below && count * form.rows() <= space;
    let is_other = app.settings.ui.linear || form.style == ListStyle::Magazine;
    // The results of a search change with each letter.
    if did_not_fit || !is_all || is_other || app.is_narrowed() {
        return false;
    }
    let form = Form { wraps: true, ..form };
    let cells = items.rows.iter().map(|row| Cell::new(app, row, form, area.width, (false, false)));
    let extra = cells.filter(Cell::is_wrapped).count();
    let separators = (0..count).filter(|i| separated(*i)).count();
    count * form.rows() + extra + separators <= space
}

impl<'a> Cell<'a> {
    /// The first row: the title, and the columns to the right of it.
    pub(super) fn first(&self) -> Line<'static> {
        let mut out = self.columns();
        let row = self.row;
        let title = self.app.item_name(row);
        let text = self.form.style == ListStyle::Compact && !row.title.is_empty();
        let (title, hits) = match self.is_wrapped() {
            true => (first_line(&title, out.free()).into(), vec![]),
            false => self.distinct(title, out.free()),
        };
        let (plain, dim) = (self.title_style(), self.style(Role::Dim));
        snippet::draw(self.app, row, (&title, &hits, text), &mut out, plain, dim);
        out.line(Style::new())
    }

    /// The second row of a title that uses two.
    pub(super) fn rest(&self) -> Line<'static> {
        let space = self.columns().free();
        let (mut out, _) = self.start(false);
        let title = self.app.item_name(self.row);
        let first = first_line(&title, space);
        let rest = title.strip_prefix(first.as_str()).unwrap_or_default().trim_start();
        out.left(rest, self.title_style());
        out.line(Style::new())
    }

    /// Whether the title uses two rows.
    pub(super) fn is_wrapped(&self) -> bool {
        let snippet = self.app.snippets.of(self.row.key);
        // The second row shows the matching text instead.
        let is_found = snippet.is_some_and(|s| !(s.title_hits.is_empty() && s.hits.is_empty()));
        // In the list of a single source, the second row would contain only the reading time.
        let is_free = self.form.style == ListStyle::Comfortable
            && self.form.one_source
            && self.text().filter(|_| self.width >= SUMMARY_FROM).is_none();
        if !(self.form.wraps || is_free) || is_found {
            return false;
        }
        let title = self.app.item_name(self.row);
        let space = self.columns().free();
        // If the first word does not fit, the title is cut instead, because the first row would look empty.
        text::width(&title) > space && title.starts_with(&first_line(&title, space))
    }

    fn title_style(&self) -> Style {
        let role = if self.row.read { Role::Read } else { Role::Unread };
        let (selected, focused) = self.selected;
        super::super::title_style(self.app, role, selected, focused)
    }

    /// The title and the parts of it that match the search. The title is cut in the middle if others in the
    /// list begin alike, unless that would hide all matches.
    fn distinct(&self, title: Cow<'a, str>, space: usize) -> (Cow<'a, str>, Vec<Range<usize>>) {
        let snippet = self.app.snippets.of(self.row.key);
        // Text in place of a missing title has no hits.
        let hits = match snippet.filter(|_| title == self.row.title) {
            Some(snippet) => snippet.title_hits.as_slice(),
            None => &[],
        };
        match self.app.items.series.parts(self.row.key, &title, space) {
            Some(parts) => match series::joined(parts, title.len(), hits) {
                (_, seen) if seen.is_empty() && !hits.is_empty() => (title.clone(), hits.to_vec()),
                (joined, seen) => (joined.into(), seen),
            },
            None => (title, hits.to_vec()),
        }
    }
}

/// The first words of a title, as many as fit into a row.
fn first_line(title: &str, space: usize) -> String {
    wrap_plain(title, space.max(1)).into_iter().next().unwrap_or_default()
}

//! The rows of an item below its title: the source, the summary or the matching text, and the facts.

use super::super::chrome::marks;
use super::super::row::{Row, padding};
use super::super::snippet;
use super::{Cell, SUMMARY_FROM};
use crate::config::Role;
use crate::tui::reader::wrap_plain;
use crate::util::text;
use ratatui::style::Style;
use ratatui::text::Line;

/// Next to the matching text of a search result, a source name uses at most one sixth of the row, or
/// [`MIN_NAME`] cells if that is more.
const NAME_BESIDE_HIT: usize = 6;
/// Number of cells that such a name may use in any row.
const MIN_NAME: usize = 10;

/// Maximum width of a summary in a magazine, in cells.
const MAX_SUMMARY: usize = 100;

impl<'a> Cell<'a> {
    /// The source, followed by the summary or the reading time.
    pub(super) fn second(&self) -> Line<'static> {
        let (mut out, _) = self.start(false);
        // The matching text is more useful than the beginning of the text.
        let hit = self.app.snippets.of(self.row.key).filter(|snippet| !snippet.hits.is_empty());
        let summary = self.text().filter(|_| self.width >= SUMMARY_FROM || hit.is_some());
        if summary.is_none() {
            let comments = self.comments().map(|count| count + "   ").unwrap_or_default();
            out.right(format!(" {comments}{}", self.minutes()), self.style(Role::Dim));
        }
        let width = usize::from(self.width);
        // The matching text needs most of the row. The square still distinguishes the sources.
        let beside = (width / NAME_BESIDE_HIT).max(MIN_NAME);
        self.put_source(&mut out, if hit.is_some() { beside } else { width });
        let gap = match hit {
            _ if self.form.one_source => "",
            Some(_) => "  ",
            None => "   ",
        };
        let dim = self.style(Role::Dim);
        match (hit, summary) {
            (Some(snippet), _) => {
                out.left(gap, dim);
                snippet::text(self.app, snippet, &mut out, dim);
            }
            (None, Some(summary)) => out.left(&format!("{gap}{summary}"), dim),
            (None, None) => {}
        }
        out.line(Style::new())
    }

    /// Adds the source, in at most this many cells.
    fn put_source(&self, out: &mut Row, cells: usize) {
        if self.form.one_source {
            return;
        }
        let color = self.app.sources.color(self.row.source_key);
        out.left(&format!("{} ", marks(self.app).square), self.style(color));
        let role = if self.row.read { Role::Dim } else { Role::Soft };
        out.left(&text::truncate(&self.source(cells), cells), self.style(role));
    }

    /// The beginning of the text, or the part that matches the search.
    pub(super) fn text(&self) -> Option<&'a str> {
        let snippet = self.app.snippets.of(self.row.key);
        snippet.map(|snippet| snippet.text.as_str()).filter(|text| !text.is_empty())
    }

    /// Up to two rows of the summary. The second one ends in an ellipsis if the text continues.
    pub(super) fn summary(&self) -> Vec<String> {
        let width = usize::from(self.width).saturating_sub(2 * padding(self.width) + 2);
        let width = width.clamp(1, MAX_SUMMARY);
        let mut lines = wrap_plain(self.text().unwrap_or_default(), width);
        let goes_on = lines.len() > 2;
        lines.truncate(2);
        if let Some(last) = lines.last_mut().filter(|_| goes_on) {
            last.push_str(" …");
            *last = match text::width(last) > width {
                true => text::truncate(last, width).into_owned(),
                false => last.replace(" …", "…"),
            };
        }
        lines
    }

    /// A row below the title of an item in a magazine list: the summary, the facts, or an empty row.
    pub(super) fn of_magazine(&self, number: usize) -> Line<'static> {
        let summary = self.summary();
        match summary.get(number) {
            Some(line) => {
                let (mut out, _) = self.start(false);
                out.left(line, self.style(Role::Dim));
                out.line(Style::new())
            }
            None if number == summary.len() => self.facts(),
            None => Line::default(),
        }
    }

    /// The source, the age and the reading time.
    fn facts(&self) -> Line<'static> {
        let (mut out, _) = self.start(false);
        self.put_source(&mut out, self.width.into());
        let gap = if self.form.one_source { "" } else { "   " };
        let also = match self.row.also {
            0 => String::new(),
            also => format!("   also in {}", text::counted_as(also, "other", "others")),
        };
        let comments = self.comments().map(|count| format!("   {count}")).unwrap_or_default();
        let facts = format!("{gap}{}   {}{also}{comments}", self.date(), self.minutes());
        out.left(&facts, self.style(Role::Dim));
        out.line(Style::new())
    }
}

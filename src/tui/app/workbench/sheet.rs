//! A page in the workbench: its foldable element tree, or its text.

use crate::engine::{Outline, OutlineLine};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use url::Url;

/// Relation of a line to the elements that a selector matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marked {
    No,
    /// The line is folded and hides a match.
    Within,
    Yes,
}

/// A page with its folded lines and its selection.
#[derive(Debug)]
pub(crate) struct SheetView {
    pub(crate) outline: Arc<Outline>,
    pub(crate) url: Url,
    /// Whether the text is shown instead of the element tree.
    pub(crate) text: bool,
    /// Lines whose repeated siblings are shown.
    opened: HashSet<u32>,
    /// Lines whose children are hidden.
    closed: HashSet<u32>,
    /// End of each group of repeated siblings, by the line of its first sibling.
    ends: HashMap<u32, u32>,
    /// Visible lines.
    lines: Vec<u32>,
    selected: usize,
    selected_text: usize,
    /// Whether the user moved the selection.
    moved: bool,
}

impl SheetView {
    pub(super) fn new(outline: Arc<Outline>, url: Url) -> Self {
        let mut ends = HashMap::new();
        for line in &outline.lines {
            if let Some(first) = line.first {
                ends.insert(first, outline.end(line.outer));
            }
        }
        let mut sheet = Self {
            outline,
            url,
            text: false,
            opened: HashSet::new(),
            closed: HashSet::new(),
            ends,
            lines: Vec::new(),
            selected: 0,
            selected_text: 0,
            moved: false,
        };
        sheet.unfold();
        sheet
    }

    /// Computes the visible lines.
    fn unfold(&mut self) {
        let before = self.lines.get(self.selected).copied().unwrap_or(0);
        self.lines.clear();
        let mut hidden = None;
        for (line, number) in self.outline.lines.iter().zip(0u32..) {
            if hidden.is_some_and(|depth| line.depth > depth) {
                continue;
            }
            hidden = None;
            if line.first.is_some_and(|first| !self.opened.contains(&first)) {
                hidden = Some(line.depth);
                continue;
            }
            self.lines.push(number);
            if self.closed.contains(&number) {
                hidden = Some(line.depth);
            }
        }
        self.selected = self.lines.partition_point(|n| *n <= before).saturating_sub(1);
    }

    pub(crate) fn count(&self) -> usize {
        if self.text { self.outline.texts.len() } else { self.lines.len() }
    }

    pub(crate) fn selected(&self) -> usize {
        if self.text { self.selected_text } else { self.selected }
    }

    pub(crate) fn line(&self, row: usize) -> Option<&OutlineLine> {
        self.outline.lines.get(*self.lines.get(row)? as usize)
    }

    /// Whether a line hides other lines.
    pub(crate) fn is_folded(&self, row: usize) -> bool {
        let Some(number) = self.lines.get(row) else { return false };
        let alike = self.line(row).is_some_and(|line| line.alike > 1);
        self.closed.contains(number) || (alike && !self.opened.contains(number))
    }

    /// Relation of a line to the matched elements; `marks` contains their sorted numbers.
    pub(crate) fn marked(&self, row: usize, marks: &[u32]) -> Marked {
        let within = |from: u32, end: u32| {
            let at = marks.partition_point(|mark| *mark < from);
            marks.get(at).is_some_and(|mark| *mark < end)
        };
        if self.text {
            let Some(text) = self.outline.texts.get(row) else { return Marked::No };
            let around = |mark: &&u32| self.outline.end(**mark) > text.element;
            let before = marks.partition_point(|mark| *mark <= text.element);
            // An enclosing match precedes the text. Checking the nearest matches suffices, because matches
            // are not deeply nested.
            let found = marks[..before].iter().rev().take(64).find(around).is_some();
            return if found { Marked::Yes } else { Marked::No };
        }
        let (Some(line), Some(number)) = (self.line(row), self.lines.get(row)) else {
            return Marked::No;
        };
        if within(line.outer, line.element + 1) {
            return Marked::Yes;
        }
        let hides = self.closed.contains(number).then(|| self.outline.end(line.outer));
        let group = (line.alike > 1 && !self.opened.contains(number)).then(|| {
            let end = self.ends.get(number).copied().unwrap_or(0);
            within(self.outline.end(line.outer), end)
        });
        match (hides.is_some_and(|end| within(line.outer, end)), group) {
            (true, _) | (_, Some(true)) => Marked::Within,
            _ => Marked::No,
        }
    }

    /// The selected element.
    pub(super) fn element(&self) -> Option<u32> {
        if self.text {
            return self.outline.texts.get(self.selected_text).map(|text| text.element);
        }
        self.line(self.selected).map(|line| line.element)
    }

    /// The names of the selected element's ancestors and of the element itself, outermost first.
    pub(crate) fn path(&self) -> Vec<&str> {
        let lines = &self.outline.lines;
        let Some(element) = self.element() else { return Vec::new() };
        let Some(at) = lines.partition_point(|line| line.outer <= element).checked_sub(1) else {
            return Vec::new();
        };
        let mut path = vec![lines[at].name.as_str()];
        let mut depth = lines[at].depth;
        for line in lines[..at].iter().rev() {
            if line.depth < depth {
                depth = line.depth;
                path.insert(0, &line.name);
            }
        }
        // Every element is in the body, so the body is left out.
        path.retain(|name| *name != "body");
        if let Some(first) = path.first_mut() {
            *first = first.strip_prefix("body > ").unwrap_or(first);
        }
        path
    }

    pub(super) fn go(&mut self, row: usize) {
        self.moved = true;
        let row = row.min(self.count().saturating_sub(1));
        if self.text {
            self.selected_text = row;
        } else {
            self.selected = row;
        }
    }

    /// Selects the first match, unless the user has moved the selection.
    pub(super) fn go_to_first(&mut self, mark: u32) {
        if self.moved || self.text {
            return;
        }
        let found = (0..self.lines.len()).find(|row| {
            self.line(*row).is_some_and(|line| (line.outer..=line.element).contains(&mark))
        });
        self.selected = found.unwrap_or(self.selected);
    }

    /// Switches between element tree and text, keeping the same element selected.
    pub(super) fn toggle_text(&mut self) {
        let Some(element) = self.element() else {
            self.text = !self.text;
            return;
        };
        self.text = !self.text;
        if self.text {
            let texts = &self.outline.texts;
            let row = texts.partition_point(|text| text.element < element);
            self.selected_text = row.min(texts.len().saturating_sub(1));
        } else {
            let near = |row: &usize| {
                self.line(*row)
                    .is_some_and(|l| l.outer <= element && element < self.outline.end(l.element))
            };
            self.selected = (0..self.lines.len()).rfind(near).unwrap_or(self.selected);
        }
    }

    /// Folds or unfolds the children of the line, or the repeated siblings that it represents.
    pub(super) fn toggle(&mut self) {
        let Some(number) = self.lines.get(self.selected).copied().filter(|_| !self.text) else {
            return;
        };
        let set = match self.line(self.selected) {
            Some(line) if line.alike > 1 => &mut self.opened,
            _ => &mut self.closed,
        };
        if !set.remove(&number) {
            set.insert(number);
        }
        self.unfold();
    }

    /// Moves up one level: folds the line, or selects its parent.
    pub(super) fn fold_or_leave(&mut self) {
        let (Some(number), Some(line)) =
            (self.lines.get(self.selected).copied(), self.line(self.selected))
        else {
            return;
        };
        let depth = line.depth;
        let has_children = self.line(self.selected + 1).is_some_and(|next| next.depth > depth);
        if has_children && !self.text {
            self.closed.insert(number);
            self.unfold();
        } else if !self.text {
            let is_around = |row: &usize| self.line(*row).is_some_and(|l| l.depth < depth);
            let around = (0..self.selected).rfind(is_around);
            self.go(around.unwrap_or(self.selected));
        }
    }

    /// Moves down one level: unfolds the line, or selects its first child.
    pub(super) fn unfold_or_enter(&mut self) {
        let Some(number) = self.lines.get(self.selected).copied().filter(|_| !self.text) else {
            return;
        };
        if self.closed.remove(&number) {
            self.unfold();
        } else if self.is_folded(self.selected) {
            self.toggle();
        } else {
            self.go(self.selected + 1);
        }
    }
}

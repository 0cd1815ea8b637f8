//! The reader pane: one article, laid out for the width it was drawn at.

use super::keys::Motion;
use super::{App, Focus};
use crate::article::LinkKind;
use crate::config::Key;
use crate::model::ItemRow;
use crate::store::Mark;
use crate::tui::effect::Effect;
use crate::tui::event::{Article, Cause, Failure, RequestId};
use crate::tui::reader::{Lines, layout};
use std::collections::HashMap;
use std::sync::Arc;

/// State of the pane.
#[derive(Debug)]
pub(crate) struct ReaderPane {
    pub(crate) article: Option<Arc<Article>>,
    pub(crate) lines: Lines,
    pub(crate) top: usize,
    /// Lines on the screen, as drawn last.
    pub(crate) height: usize,
    /// Widest text column wanted.
    pub(crate) column: u16,
    pub(crate) find: Option<Find>,
    laid_out: Option<usize>,
    wanted: Option<RequestId>,
    /// Where articles were left, by row key.
    places: HashMap<i64, usize>,
}

/// A text looked for in the article.
#[derive(Debug, Clone)]
pub(crate) struct Find {
    pub(crate) text: String,
    /// Lines that hold it.
    pub(crate) hits: Vec<usize>,
    pub(crate) at: usize,
}

/// Narrowest and widest text column.
const COLUMN: std::ops::RangeInclusive<u16> = 20..=200;
/// Places remembered.
const MOST_PLACES: usize = 1000;

impl ReaderPane {
    pub(super) fn new(column: u16) -> Self {
        Self {
            article: None,
            lines: Lines::default(),
            top: 0,
            height: 20,
            column: column.clamp(*COLUMN.start(), *COLUMN.end()),
            find: None,
            laid_out: None,
            wanted: None,
            places: HashMap::new(),
        }
    }

    pub(super) fn row(&self) -> Option<&ItemRow> {
        self.article.as_ref().map(|a| &a.row)
    }

    /// Lays the article out for a width, unless it is already; keeps the place in the text.
    pub(crate) fn fit(&mut self, width: usize, height: usize) {
        self.height = height.max(1);
        if self.laid_out != Some(width) {
            let place = self.share();
            self.lines =
                self.article.as_ref().map(|a| layout(&a.document, width)).unwrap_or_default();
            if self.laid_out.is_some() {
                self.top = (place * self.lines.lines.len() as f64) as usize;
            }
            self.laid_out = Some(width);
            let text = self.find.take().map(|f| f.text);
            if let Some(text) = text {
                self.look_for(&text);
            }
        }
        self.top = self.top.min(self.last_top());
    }

    fn share(&self) -> f64 {
        self.top as f64 / self.lines.lines.len().max(1) as f64
    }

    fn last_top(&self) -> usize {
        self.lines.lines.len().saturating_sub(self.height)
    }

    /// How much has been read, in percent.
    pub(crate) fn percent(&self) -> usize {
        let seen = (self.top + self.height).min(self.lines.lines.len());
        (100 * seen).checked_div(self.lines.lines.len()).unwrap_or(100)
    }

    pub(super) fn scroll(&mut self, motion: Motion) {
        let count = self.last_top() + 1;
        self.top = motion.from(self.top, self.height, count);
    }

    pub(super) fn show_mark(&mut self, mark: Mark, keys: &[i64], to: bool) {
        let Some(article) = self.article.as_ref().filter(|a| keys.contains(&a.row.key)) else {
            return;
        };
        let mut row = article.row.clone();
        match mark {
            Mark::Read => row.read = to,
            Mark::Pinned => row.pinned = to,
        }
        let (item, document) = (article.item.clone(), article.document.clone());
        self.article = Some(Arc::new(Article { row, item, document }));
    }

    /// Looks for a text and goes to its first place at or below the top of the screen.
    pub(super) fn look_for(&mut self, text: &str) {
        let wanted = text.to_lowercase();
        if wanted.is_empty() {
            self.find = None;
            return;
        }
        let holds = |line: &crate::tui::reader::StyledLine| {
            line.iter()
                .map(|s| s.text.as_str())
                .collect::<String>()
                .to_lowercase()
                .contains(&wanted)
        };
        let hits: Vec<usize> =
            (0..self.lines.lines.len()).filter(|&i| holds(&self.lines.lines[i])).collect();
        let at = hits.iter().position(|&line| line >= self.top).unwrap_or(0);
        self.find = Some(Find { text: text.to_owned(), hits, at });
        self.go_to_hit();
    }

    pub(super) fn next_hit(&mut self, forward: bool) {
        if let Some(find) = self.find.as_mut().filter(|f| !f.hits.is_empty()) {
            let step = if forward { 1 } else { find.hits.len() - 1 };
            find.at = (find.at + step) % find.hits.len();
        }
        self.go_to_hit();
    }

    fn go_to_hit(&mut self) {
        if let Some(&line) = self.find.as_ref().and_then(|f| f.hits.get(f.at))
            && (line < self.top || line >= self.top + self.height)
        {
            self.top = line.saturating_sub(self.height / 3).min(self.last_top());
        }
    }

    /// Ends a search in the text; tells whether there was one.
    pub(super) fn clear_find(&mut self) -> bool {
        self.find.take().is_some()
    }
}

impl App {
    /// Opens the selected item in the reader.
    pub(super) fn open_item(&mut self) -> Vec<Effect> {
        let Some(row) = self.items.current().cloned() else { return vec![] };
        self.focus = Focus::Reader;
        let request = self.request();
        self.reader.wanted = Some(request);
        let mut effects = vec![Effect::LoadArticle { request, key: row.key }];
        if self.settings.ui.read_on_open && !row.read {
            effects.extend(self.set_mark(Mark::Read, &[row], true, Cause::Reading));
        }
        effects
    }

    pub(super) fn article_loaded(
        &mut self,
        request: RequestId,
        result: Result<Option<Arc<Article>>, Failure>,
    ) -> Vec<Effect> {
        if self.reader.wanted != Some(request) {
            return vec![];
        }
        self.reader.wanted = None;
        let article = match result {
            Ok(Some(article)) => article,
            Ok(None) => return self.problem("this item is no longer stored"),
            Err(why) => return self.problem(why),
        };
        let reader = &mut self.reader;
        if let Some(before) = &reader.article {
            if reader.places.len() >= MOST_PLACES {
                reader.places.clear();
            }
            reader.places.insert(before.row.key, reader.top);
        }
        reader.top = reader.places.get(&article.row.key).copied().unwrap_or(0);
        reader.article = Some(article);
        reader.laid_out = None;
        reader.find = None;
        vec![]
    }

    /// Reads the article that is shown again, or what changed in it.
    pub(super) fn reload_article(&mut self, difference: bool) -> Vec<Effect> {
        let Some(key) = self.reader.row().map(|row| row.key) else { return vec![] };
        let request = self.request();
        self.reader.wanted = Some(request);
        match difference {
            true => vec![Effect::LoadDifference { request, key }],
            false => vec![Effect::LoadArticle { request, key }],
        }
    }

    pub(super) fn change_width(&mut self, by: i16) -> Vec<Effect> {
        let width = self.reader.column.saturating_add_signed(by);
        self.reader.column = width.clamp(*COLUMN.start(), *COLUMN.end());
        self.note(format!("text width {}", self.reader.column))
    }

    pub(super) fn open_link_digit(&mut self, key: Key) -> Vec<Effect> {
        let digit = key.text().and_then(|c| c.to_digit(10)).unwrap_or(0);
        self.open_link(digit as usize)
    }

    /// Opens the n-th link of the article, counted from 1.
    pub(super) fn open_link(&mut self, number: usize) -> Vec<Effect> {
        let Some(article) = &self.reader.article else { return vec![] };
        match number.checked_sub(1).and_then(|i| article.document.links.get(i)) {
            Some(link) => vec![Effect::Browse { urls: vec![link.url.clone()] }],
            None => self.note(format!("there is no link {number}")),
        }
    }

    /// The links of the article as they are listed.
    pub(super) fn links(&self) -> Vec<(String, LinkKind)> {
        let links = self.reader.article.as_ref().map(|a| a.document.links.as_slice());
        links.unwrap_or_default().iter().map(|l| (l.url.clone(), l.kind)).collect()
    }
}

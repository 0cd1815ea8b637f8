//! Snippets of the visible rows: the matches of a search, or the beginnings of their texts.

use super::App;
use crate::model::ItemRow;
use crate::store::Snippet;
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::read::Read;
use crate::tui::view;
use crate::util::url_text::item_name;
use std::borrow::Cow;
use std::collections::HashMap;

/// Maximum number of snippets kept in memory.
const MAX_FOUND: usize = 2000;

/// Snippets of one search, by row key.
#[derive(Debug, Default)]
pub(crate) struct Snippets {
    /// The typed query.
    query: String,
    /// The full-text expression of the query, if it has one.
    expression: Option<String>,
    /// Requested snippets; `None` if a snippet has not arrived yet, or if there is no match.
    found: HashMap<i64, Option<Snippet>>,
}

impl Snippets {
    /// The snippet of an item for the search whose results are listed.
    pub(crate) fn of(&self, item: i64) -> Option<&Snippet> {
        self.found.get(&item)?.as_ref()
    }
}

impl App {
    /// The name of an item: its title, or the beginning of its text, or a name from its URL.
    pub(crate) fn item_name<'a>(&'a self, item: &'a ItemRow) -> Cow<'a, str> {
        let text = self.snippets.of(item.key).map_or("", |snippet| snippet.text.as_str());
        item_name(&item.title, text, item.url.as_deref())
    }

    /// Requests the missing snippets of visible rows.
    pub(super) fn request_snippets(&mut self) -> Option<Effect> {
        if self.snippets.query != self.items.listing.query {
            let query = self.items.listing.query.clone();
            let criteria = self.criteria(&query);
            // Matches in earlier versions have no snippets, because the current texts do not contain them.
            let expression = criteria.text.filter(|_| !criteria.versions);
            self.snippets = Snippets { query, expression, found: HashMap::new() };
        }
        let expression = self.snippets.expression.clone();
        // Rows without a title always show the beginning of their text.
        let of_all = expression.is_some() || view::shows_summaries(self);
        if self.snippets.found.len() > MAX_FOUND {
            self.snippets.found.clear();
        }
        let height = usize::from(self.size.1);
        let shown = self.items.rows.iter().skip(self.items.scroll).take(height);
        let wanted = shown.filter(|row| of_all || row.title.is_empty()).map(|row| row.key);
        let missing: Vec<i64> =
            wanted.filter(|key| !self.snippets.found.contains_key(key)).collect();
        self.snippets.found.extend(missing.iter().map(|key| (*key, None)));
        (!missing.is_empty()).then_some(Effect::Read(Read::Snippets { keys: missing, expression }))
    }

    pub(super) fn snippets_loaded(
        &mut self,
        expression: Option<&str>,
        result: Result<Vec<(i64, Snippet)>, Failure>,
    ) -> Vec<Effect> {
        match result {
            Ok(_) if self.snippets.expression.as_deref() != expression => vec![],
            Ok(found) => {
                let found = found.into_iter().map(|(key, snippet)| (key, Some(snippet)));
                self.snippets.found.extend(found);
                vec![]
            }
            Err(why) => self.problem(why),
        }
    }
}

//! Reads an item for the Reader.

use super::ReaderThread;
use crate::article::{Document, Link, LinkKind, LostLayout, below_title, is_cut};
use crate::engine::{self, VersionChange};
use crate::model::{Item, Revision, RuleEffect, TextFrom, by_rule};
use crate::store::{IMPORT_PREFIX, Reader, Result, count_words};
use crate::tui::event::{Article, Difference};
use crate::util::limits;
use crate::util::text::line;
use crate::util::time_text::minute;
use std::sync::Arc;

/// Minimum length of a text, in bytes, for which the engine builds the document.
const LONG: usize = 128 << 10;
/// Memory for building the document of a text, relative to parsing a page of the same length.
const WORK: usize = 8;

impl ReaderThread {
    pub(super) fn article(&self, key: i64) -> Result<Option<Arc<Article>>> {
        let (Some(mut row), Some(item)) = (self.reader.row(key)?, self.reader.item(key)?) else {
            return Ok(None);
        };
        let position = self.reader.place(key)?;
        let differences = match (item.versions, &item.former_title) {
            (0, None) => Vec::new(),
            _ => compared(&self.reader, key, &item)?,
        };
        let item = Arc::new(item);
        let (document, new_comments) = (self.document(&item), item.new_comments);
        let (document, differences) = (Arc::new(document), Arc::new(differences));
        let notes = self.notes(key)?;
        let (_, also_in) = self.reader.story(key)?;
        let text = document.text();
        let from_feed = item.text_from == TextFrom::Feed;
        let is_cut = from_feed && is_cut(&text);
        let lost = if from_feed { LostLayout::of(&document) } else { None };
        if !item.body().is_empty() && text != NO_TEXT {
            // Words are counted when a text is indexed. A text that was just fetched is not indexed yet, so
            // count them here.
            row.words = count_words(&text);
        }
        Ok(Some(Arc::new(Article {
            row,
            item,
            document,
            position,
            differences,
            new_comments,
            also_in,
            notes,
            is_cut,
            lost,
        })))
    }

    /// The document of an item. Building it for a long text needs a lot of memory, which the allocator keeps
    /// for the thread. It is therefore built on the threads that parse pages.
    fn document(&self, item: &Arc<Item>) -> Document {
        if item.body().len() < LONG {
            return document(item);
        }
        let theirs = item.clone();
        let made = self.handle.work_on(WORK * item.body().len(), move || document(&theirs));
        made.unwrap_or_else(|| document(item))
    }

    /// Describes the item's own tags, and the effects that rules had on it.
    fn notes(&self, key: i64) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        let tags = self.reader.tags_of(key)?;
        if !tags.is_empty() {
            notes.push(format!("Own tags: {}", tags.join(", ")));
        }
        notes.extend(rule_note(self.reader.effects_on(key)?));
        if let (_, Some(until)) = self.reader.kept(key)? {
            notes.push(format!("Hidden until {}", minute(until)));
        }
        Ok(notes)
    }
}

/// Describes the effects that the user's rules had on an item.
fn rule_note(mut effects: Vec<RuleEffect>) -> Option<String> {
    // The marks of an import are stored like a rule's marks, but are not the effects of any of the user's
    // rules.
    effects.retain(|effect| !effect.rule.starts_with(IMPORT_PREFIX));
    let by_rule = by_rule(effects.iter().map(|e| (e.rule.as_str(), e.effect.to_string())));
    (!effects.is_empty()).then(|| format!("Rules: {}", line(&by_rule)))
}

/// The changes in each version of an item, newest first.
fn compared(reader: &Reader, key: i64, item: &Item) -> Result<Vec<Difference>> {
    let difference = |change: VersionChange| Difference {
        at: change.at,
        changes: change.changes(),
        of_title: change.earlier.is_none(),
        summary: change.revisions.as_deref().map(Revision::summary).unwrap_or_default(),
    };
    let changes = engine::version_changes(reader, key, item)?;
    Ok(changes.into_iter().map(difference).collect())
}

/// The text that is shown for an item without text. The interface adds the keys for opening it.
pub(in crate::tui) const NO_TEXT: &str =
    "This item has no text. Open it in the browser to read it.";

/// The text of an item, ready for layout.
pub(in crate::tui) fn document(item: &Item) -> Document {
    let base = item.url.as_deref().and_then(|u| url::Url::parse(u).ok());
    let mut document = below_title(item.body(), &item.title, base.as_ref());
    if document.is_empty() {
        document = Document::from_text(NO_TEXT);
    }
    // Enclosures are added as links, so that they can be opened like links in the text.
    for enclosure in item.enclosures.iter().take(limits::ENTRY_LIST) {
        let file = Some(enclosure.clone());
        match document.links.iter_mut().find(|link| link.url == enclosure.url) {
            Some(link) => {
                link.file = file;
                // If the text links to the enclosure, that link opens it.
                if link.kind == LinkKind::Page {
                    link.kind = LinkKind::Media;
                }
            }
            None => {
                let (url, kind) = (enclosure.url.clone(), LinkKind::Media);
                document.links.push(Link { url, kind, size: None, file });
            }
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Effect;

    #[test]
    fn does_not_attribute_marks_of_imports_to_rules() {
        let effect = |rule: &str| RuleEffect {
            rule: rule.to_owned(),
            effect: Effect::Pin,
            at: crate::model::Time::default(),
        };
        let import = effect("import of newsboat's cache");
        assert_eq!(rule_note(vec![import.clone()]), None);
        assert_eq!(rule_note(vec![import, effect("news")]).as_deref(), Some("Rules: news (pin)"));
    }
}

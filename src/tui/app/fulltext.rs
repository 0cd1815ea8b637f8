//! Fetches full texts when an item is opened, on request, or in advance, and reports their changes.

use super::App;
use crate::article::Document;
use crate::config::{Action, Context};
use crate::engine::{PrefetchPlan, ProcessRole, TextGot};
use crate::model::{FullText, SourceKind};
use crate::tui::effect::Effect;
use crate::tui::event::{Article, Failure};
use crate::tui::read::NO_TEXT;
use crate::util::text::{counted, sentence, size};
use std::sync::Arc;

/// Full-text jobs in progress.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Row key of the last opened item.
    opened: Option<i64>,
    /// Row key of the item whose page is being fetched for the Reader.
    fetching: Option<i64>,
    /// Row key of the item whose text was stored, but is not shown yet.
    arriving: Option<i64>,
    /// Row key of the item for which a message reported that its page is still being fetched.
    awaited: Option<i64>,
    prefetch: Option<Prefetch>,
}

/// State of prefetching full texts.
#[derive(Debug)]
pub(crate) enum Prefetch {
    /// The size of the job is shown. The same key starts it while the message is visible.
    Planned(PrefetchPlan),
    Running {
        done: usize,
        there: usize,
        total: usize,
    },
}

impl Texts {
    /// Whether the page of an item (row key) is being fetched for the Reader.
    pub(crate) fn is_fetching(&self, key: i64) -> bool {
        [self.fetching, self.arriving].contains(&Some(key))
    }

    /// Records that an article is shown in its present state.
    pub(super) fn arrived(&mut self, key: i64) {
        self.arriving.take_if(|arriving| *arriving == key);
    }

    /// Number of fetched pages, and number of all pages, during a prefetch.
    pub(crate) fn progress(&self) -> Option<(usize, usize)> {
        match self.prefetch {
            Some(Prefetch::Running { done, total, .. }) => Some((done, total)),
            _ => None,
        }
    }
}

impl App {
    /// Reports a newly opened item to the engine.
    pub(super) fn item_opened(&mut self) -> Option<Effect> {
        if self.is_preview() {
            return None;
        }
        let row = self.reader.row()?.clone();
        let key = row.key;
        if self.texts.opened == Some(key) {
            return None;
        }
        self.keep_opened(row);
        self.texts.opened = Some(key);
        self.texts.fetching = self.fetches_opened().then_some(key);
        Some(Effect::ItemOpened { key })
    }

    /// Whether the engine fetches the page of the item that was just opened.
    fn fetches_opened(&self) -> bool {
        let Some(article) = &self.reader.article else { return false };
        let Some(entry) = self.sources.entry(article.row.source_key) else { return false };
        let item = &article.item;
        let setting = entry.source.full_text.unwrap_or(self.settings.full_text);
        let is_wanted = match entry.source.kind() {
            SourceKind::Entries => setting != FullText::Never && article.is_teaser(),
            kind => setting != FullText::Never && !kind.reads_pages(),
        };
        let is_whole =
            item.feed_has_full_text == Some(true) && !article.is_cut && article.lost.is_none();
        let is_new = item.fetched.is_none() && item.url.is_some();
        is_wanted
            && is_new
            && !is_whole
            && self.status.role != ProcessRole::Reads
            && !self.status.offline
    }

    /// When the user first reaches the end of a text while its full text is being fetched, keeps the item
    /// open and shows a message.
    pub(super) fn wait_for_text(&mut self) -> Option<Vec<Effect>> {
        let key = self.reader.row()?.key;
        if !self.texts.is_fetching(key) || self.texts.awaited.replace(key) == Some(key) {
            return None;
        }
        let again = self.keymap.keys_for(Context::Reader, Action::PageDown);
        let again = again.map(|key| format!("; {key} again: next unread")).unwrap_or_default();
        let effects = self.note(format!("The full text is still being fetched{again}"));
        self.message_is_about(key);
        Some(effects)
    }

    /// Fetches the full text of the current item. When repeated, shows another text, such as the feed's.
    pub(super) fn fetch_text(&mut self) -> Vec<Effect> {
        let Some(row) = self.item_targets().into_iter().next() else {
            return self.note("Select an item first");
        };
        let Some(url) = &row.url else { return self.note("This item has no URL") };
        let host = url::Url::parse(url).ok().and_then(|u| u.host_str().map(str::to_owned));
        let host = host.as_deref().unwrap_or("its page");
        self.note(match self.has_other_text() {
            true => format!("Fetching another text from {host} …"),
            false => format!("Fetching the full text from {host} …"),
        });
        self.message_is_about(row.key);
        self.texts.fetching = Some(row.key);
        vec![Effect::FetchText { key: row.key }]
    }

    pub(super) fn text_got(
        &mut self,
        key: i64,
        explicit: bool,
        result: Result<TextGot, Failure>,
    ) -> Vec<Effect> {
        self.texts.fetching.take_if(|fetched| *fetched == key);
        self.texts.awaited.take_if(|awaited| *awaited == key);
        let got = match result {
            Ok(got) => got,
            Err(why) => return self.problem(why),
        };
        // If nothing was requested or changed, the article's header already shows the origin of the text.
        if explicit || got.is_change() {
            match &got {
                TextGot::Failed(why) => self.problem(why.clone()),
                other => self.note(self.text_message(other, explicit)),
            };
            self.message_is_about(key);
        }
        if !self.reader.shows(key) || got == TextGot::Left {
            return vec![];
        }
        let is_other = matches!(
            got,
            TextGot::Fetched { .. } | TextGot::Feed | TextGot::Kept | TextGot::InFeed
        );
        self.reader.asked_for_text = explicit && is_other;
        self.texts.arriving = is_other.then_some(key);
        self.reload_article()
    }

    /// A message with the origin of the current text, and the key for another text.
    fn text_message(&self, got: &TextGot, explicit: bool) -> String {
        let key = self.keymap.keys_for(self.context(), Action::FullText).filter(|_| explicit);
        let has_other = matches!(got, TextGot::Feed | TextGot::Kept | TextGot::Fetched { .. });
        let words = sentence(&got.describe());
        match key.filter(|_| has_other) {
            Some(key) => format!("{words}; {key}: another text"),
            None => words,
        }
    }

    /// The first key press shows the size of the job, the second starts it, the third stops it.
    pub(super) fn prefetch(&mut self) -> Vec<Effect> {
        let shown = self.toast.is_some();
        match self.texts.prefetch.take() {
            Some(Prefetch::Planned(plan)) if shown => {
                let total = plan.pages.len();
                self.texts.prefetch = Some(Prefetch::Running { done: 0, there: 0, total });
                self.note(format!(
                    "Prefetching {}; press the same key again to stop",
                    pages(total)
                ));
                vec![Effect::Prefetch { plan }]
            }
            Some(Prefetch::Running { there, .. }) => {
                self.note(format!("Prefetch stopped; {} stored", pages(there)));
                vec![Effect::StopPrefetch]
            }
            _ => vec![Effect::PlanPrefetch],
        }
    }

    pub(super) fn prefetch_planned(
        &mut self,
        result: Result<PrefetchPlan, Failure>,
    ) -> Vec<Effect> {
        let plan = match result {
            Ok(plan) => plan,
            Err(why) => return self.problem(why),
        };
        if plan.pages.is_empty() {
            return self.note(format!(
                "Nothing to prefetch for pinned and unread items: {}",
                plan.nothing()
            ));
        }
        let (count, size) = (pages(plan.pages.len()), size(plan.bytes));
        self.texts.prefetch = Some(Prefetch::Planned(plan));
        self.note(format!(
            "{count} of pinned and unread items, about {size}; press the same key again to fetch"
        ))
    }

    pub(super) fn prefetched(&mut self, text: bool) -> Vec<Effect> {
        if let Some(Prefetch::Running { done, there, .. }) = &mut self.texts.prefetch {
            *done += 1;
            *there += usize::from(text);
        }
        vec![]
    }

    pub(super) fn prefetch_ended(&mut self) -> Vec<Effect> {
        match self.texts.prefetch.take() {
            Some(Prefetch::Running { done, there, .. }) => {
                let without = match done - there {
                    0 => String::new(),
                    n => format!(", {n} without text"),
                };
                self.note(format!("{} prefetched{without}", pages(there)))
            }
            other => {
                self.texts.prefetch = other;
                vec![]
            }
        }
    }
}

fn pages(count: usize) -> String {
    counted(count, "page")
}

impl App {
    /// If an item has no text, names the keys that open its page or fetch its text.
    pub(super) fn with_keys(&self, article: Arc<Article>) -> Arc<Article> {
        let is_short = article.document.blocks.len() == 1;
        if !is_short || article.document.text().trim() != NO_TEXT {
            return article;
        }
        let key = |action| self.keymap.keys_for(Context::Reader, action);
        let browser =
            key(Action::Browser).map(|key| format!("{key} opens its page in the browser"));
        let again = match article.item.fetch_error {
            Some(_) => "tries again to fetch the text from the page",
            None => "fetches the text from the page",
        };
        let fetch = key(Action::FullText).map(|key| format!("{key} {again}"));
        let ways: Vec<String> = browser.into_iter().chain(fetch).collect();
        if ways.is_empty() {
            return article;
        }
        let text = format!("This item has no text. {}.", ways.join("; "));
        let links = article.document.links.clone();
        let mut article = Arc::unwrap_or_clone(article);
        article.document = Arc::new(Document { links, ..Document::from_text(&text) });
        Arc::new(article)
    }
}

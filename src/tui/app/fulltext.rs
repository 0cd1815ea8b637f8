//! Full texts: fetched when an item is opened, on request or ahead; and their changes.

use super::App;
use crate::article::Document;
use crate::config::{Action, Context};
use crate::engine::{PrefetchPlan, TextGot};
use crate::tui::effect::Effect;
use crate::tui::event::{Article, Failure};
use crate::tui::read::NO_TEXT;
use crate::util::text::{counted, size};
use std::sync::Arc;

/// Full-text jobs in progress.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Row key of the item opened last.
    opened: Option<i64>,
    prefetch: Option<Prefetch>,
}

/// State of prefetching full texts.
#[derive(Debug)]
pub(crate) enum Prefetch {
    /// The size was shown; the same key starts the job while the message is visible.
    Planned(PrefetchPlan),
    Running {
        done: usize,
        there: usize,
        total: usize,
    },
}

impl Texts {
    /// Pages done and pages in total while prefetching.
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
        Some(Effect::ItemOpened { key })
    }

    /// Fetches the full text of the current item; repeated, with another extraction method.
    pub(super) fn fetch_text(&mut self) -> Vec<Effect> {
        let Some(row) = self.item_targets().into_iter().next() else {
            return self.note("Select an item first");
        };
        let Some(url) = &row.url else { return self.note("This item has no URL") };
        let host = url::Url::parse(url).ok().and_then(|u| u.host_str().map(str::to_owned));
        self.note(format!(
            "Fetching the full text from {} …",
            host.as_deref().unwrap_or("its page")
        ));
        vec![Effect::FetchText { key: row.key }]
    }

    pub(super) fn text_got(
        &mut self,
        key: i64,
        explicit: bool,
        result: Result<TextGot, Failure>,
    ) -> Vec<Effect> {
        let got = match result {
            Ok(got) => got,
            Err(why) => return self.problem(why),
        };
        let changed = matches!(got, TextGot::Fetched { changed: true, .. });
        // The head of the article names the text that is shown.
        if explicit || changed {
            match &got {
                TextGot::Failed(why) => self.problem(why.clone()),
                other => {
                    let key = self.keymap.keys_for(self.context(), Action::FullText);
                    let next = match other {
                        TextGot::Kept => key.map(|k| format!("; {k}: text of the page")),
                        TextGot::Fetched { .. } | TextGot::Feed | TextGot::Same(_) => {
                            key.filter(|_| explicit).map(|k| format!("; {k}: another text"))
                        }
                        _ => None,
                    };
                    self.note(other.describe() + &next.unwrap_or_default())
                }
            };
        }
        if !self.reader.shows(key) || got == TextGot::Left {
            return vec![];
        }
        self.reload_article()
    }

    /// First press: shows the size of the job. Second: starts it. Third: stops it.
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
    /// An item without text names the keys that lead to one.
    pub(super) fn with_keys(&self, article: Arc<Article>) -> Arc<Article> {
        let is_short = article.document.blocks.len() == 1;
        if !is_short || article.document.text().trim() != NO_TEXT {
            return article;
        }
        let key = |action| self.keymap.keys_for(Context::Reader, action);
        let browser =
            key(Action::Browser).map(|key| format!("{key} opens its page in the browser"));
        let fetch =
            key(Action::FullText).map(|key| format!("{key} fetches the text from the page"));
        let ways: Vec<String> = browser.into_iter().chain(fetch).collect();
        if ways.is_empty() {
            return article;
        }
        let text = format!("The feed has no text for this item. {}.", ways.join("; "));
        let links = article.document.links.clone();
        let mut article = Arc::unwrap_or_clone(article);
        article.document = Arc::new(Document { links, ..Document::from_text(&text) });
        Arc::new(article)
    }
}

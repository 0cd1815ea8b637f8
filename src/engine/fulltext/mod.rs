//! The full texts of items, from their pages: one that a user wants now, those of new and pinned
//! items ahead, and looking at them again.
//!
//! `fetch.rs` takes one page from the decision to the database, `read.rs` is what happens to its bytes,
//! `ahead.rs` asks for many, of four hosts at once and of each for one at a time.

mod ahead;
#[cfg(feature = "llm")]
mod ask_model;
mod fetch;
#[cfg(feature = "llm")]
mod llm;
mod read;
mod when;

pub(super) use ahead::follow;
pub(super) use fetch::Desk;

use super::handle::Handle;
use super::message::Role;
use crate::model::{FullText, SourceKind, TextFrom, TextWay};
use crate::store::{Kept, Result, WantedPage};
use ahead::{Run, not_never};
use fetch::Got;
use std::collections::HashSet;
use tokio::sync::mpsc;

/// Why a page is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trigger {
    /// A user wants the text in this way, now.
    User(TextWay),
    /// A user wants it in the way after the last.
    Another,
    /// A user has opened the item.
    Opened,
    /// To have it when it will be wanted.
    Ahead,
    /// To see whether it has changed.
    Again,
}

impl Trigger {
    /// Whether somebody sits and waits.
    fn is_waited_for(self) -> bool {
        matches!(self, Self::User(_) | Self::Another | Self::Opened)
    }
}

/// What came of asking for the text of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextGot {
    /// The text of its page is stored.
    Fetched {
        /// Where on the page it was found.
        from: TextFrom,
        /// Whether the publisher changed the article since it was fetched before.
        changed: bool,
    },
    /// The feed carries the whole article.
    Whole,
    /// The feed's text is shown from now on.
    Feed,
    /// The page, read in this way, gives the text that is stored.
    Same(TextWay),
    /// The page was not to be asked for.
    Left,
    /// There is no text, and why in plain words. What was stored is still there.
    Failed(String),
    /// There is no such item any more.
    Gone,
}

impl TextGot {
    /// For a passing message.
    pub fn words(&self) -> String {
        match self {
            Self::Fetched { from, changed } => {
                let first = if *changed { "the article has changed; " } else { "" };
                format!("{first}text {}", from.words())
            }
            Self::Whole => "the feed carries the whole article".to_owned(),
            Self::Feed => "text from the feed".to_owned(),
            Self::Same(TextWay::Page) => "the page by itself gives the same text".to_owned(),
            Self::Same(TextWay::Guided) => "the words of the feed lead to the same text".to_owned(),
            Self::Same(_) => "the page gives the same text".to_owned(),
            Self::Left => "the page was not asked for".to_owned(),
            Self::Failed(why) => why.clone(),
            Self::Gone => "this item is no longer stored".to_owned(),
        }
    }
}

/// Pages to be fetched ahead on a user's wish.
#[derive(Debug, Clone, Default)]
pub struct PrefetchPlan {
    /// The pages, newest first.
    pub pages: Vec<WantedPage>,
    /// How many bytes they will probably take, judged by pages that were fetched before.
    pub bytes: u64,
    /// Pages beside them that gave no text and are not asked for again yet, or not by themselves.
    pub failed: usize,
}

impl PrefetchPlan {
    /// What to say where there is nothing to fetch.
    pub fn nothing(&self) -> String {
        match self.failed {
            0 => "every page is here already".to_owned(),
            1 => "every page but 1 that gave no text is here already".to_owned(),
            n => format!("every page but {n} that gave no text is here already"),
        }
    }
}

/// Bytes that a page is taken to have where none was ever fetched.
const USUAL_PAGE: u64 = 60_000;

impl Handle {
    /// Fetches the text of an item (row key) in that way, now, whatever the settings say; without a
    /// way, in the one after the last, so that asking again gives another text.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn full_text(&self, key: i64, way: Option<TextWay>) -> Result<TextGot> {
        self.context.store.writable()?;
        let trigger = way.map_or(Trigger::Another, Trigger::User);
        Ok(fetch::fetch(&self.context, key, trigger).await?.text)
    }

    /// Fetches the text of an item (row key) that was opened, where the settings want that and it is
    /// not there already, or may have changed by now. A process that only watches or reads asks nothing.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn opened(&self, key: i64) -> Result<TextGot> {
        let role = self.status().borrow().role;
        let got = match role {
            Role::Reads => return Ok(TextGot::Left),
            Role::Watches(_) => Ok(Got::not_stored(TextGot::Left)),
            Role::Follows | Role::OnDemand => {
                fetch::fetch(&self.context, key, Trigger::Opened).await
            }
        };
        // What changed before, and what turned out to have changed just now, is on the screen.
        let row = self.context.read(move |reader| reader.row(key)).await?;
        if row.is_some_and(|row| row.changed) {
            self.context.store.seen(key).await?;
        }
        Ok(got?.text)
    }

    /// The pages of pinned and unread items, or of one kind of them, that were never asked for, or
    /// failed and may be asked for again, newest first, at most `limit`.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn plan_prefetch(&self, kept: &[Kept], limit: usize) -> Result<PrefetchPlan> {
        self.context.store.writable()?;
        let (sources, kept) = (not_never(&self.context), kept.to_vec());
        let now = self.context.clock.now();
        let read = self.context.read(move |reader| {
            let mut pages: Vec<WantedPage> = Vec::new();
            let mut failed = HashSet::new();
            for kept in kept {
                failed.extend(reader.refused(kept, &sources, now)?);
                let more = reader.unfetched(kept, &sources, now, limit)?;
                let known: HashSet<i64> = pages.iter().map(|p| p.item).collect();
                pages.extend(more.into_iter().filter(|p| !known.contains(&p.item)));
            }
            pages.truncate(limit);
            Ok((pages, failed.len(), reader.page_sizes()?))
        });
        let (pages, failed, (sizes, mean)) = read.await?;
        let usual = mean.unwrap_or(USUAL_PAGE);
        let bytes = pages.iter().map(|p| sizes.get(&p.source).copied().unwrap_or(usual)).sum();
        Ok(PrefetchPlan { pages, bytes, failed })
    }

    /// Fetches these pages, a few hosts at a time; each is reported by the row key of its item, and
    /// the channel ends when the last one is done. Dropping it stops.
    pub fn prefetch(
        &self,
        pages: Vec<WantedPage>,
    ) -> mpsc::UnboundedReceiver<(i64, Result<TextGot>)> {
        self.run(pages, &[Trigger::Ahead])
    }

    /// The same, whether they were fetched before or not and whatever the settings say.
    pub fn fetch_texts(
        &self,
        pages: Vec<WantedPage>,
    ) -> mpsc::UnboundedReceiver<(i64, Result<TextGot>)> {
        self.run(pages, &[Trigger::User(TextWay::Best)])
    }

    fn run(
        &self,
        pages: Vec<WantedPage>,
        triggers: &'static [Trigger],
    ) -> mpsc::UnboundedReceiver<(i64, Result<TextGot>)> {
        let (report, reports) = mpsc::unbounded_channel();
        let (context, stop) = (self.context.clone(), self.stop.clone());
        tokio::spawn(async move {
            let run = Run::new(&context, pages, triggers);
            tokio::select! {
                () = stop.cancelled() => {}
                () = report.closed() => {}
                () = run.finish(&|| true, |key, got| _ = report.send((key, got.map(|g| g.text)))) => {}
            }
        });
        reports
    }
}

/// Whether the pages of a source may be asked for without a user's wish for one of them.
fn may_fetch(setting: FullText, kind: SourceKind) -> bool {
    setting != FullText::Never && kind == SourceKind::Feed
}

//! The full texts of items, extracted from their pages: on request, in advance for new and pinned items, and
//! again when a page is due for a refresh.
//!
//! `fetch.rs` handles one page from the decision to the database, `read.rs` extracts its text, and
//! `prefetch.rs` fetches many pages: in parallel from four hosts, and one at a time from each.

mod ask_model;
mod cycle;
mod data_file;
mod embedded;
mod fetch;
mod llm;
mod prefetch;
mod read;
mod refetch;
mod requests;

pub(super) use embedded::find as find_embedded;
pub(super) use fetch::{paused_until, take_response, unused};
pub(super) use prefetch::follow;
pub(super) use requests::PageRequests;

use super::handle::Handle;
use super::message::ProcessRole;
use crate::model::{FullText, SourceKind, TextFrom, TextWay};
use crate::store::{MarkedItems, Result, WantedPage};
use prefetch::{Run, not_never};
use std::collections::HashSet;
use tokio::sync::mpsc;

/// Why a page is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trigger {
    /// The user wants the text extracted in this way.
    User(TextWay),
    /// The user wants a different text: the page extracted in the next way, or the feed's text.
    Another,
    /// The user wants the page fetched regardless of the settings, but did not choose a text.
    Listed,
    /// The user has opened the item.
    Opened,
    /// The settings require the text in advance.
    Ahead,
    /// The page is fetched again to find out whether it has changed.
    Again,
}

impl Trigger {
    /// Whether the user is waiting.
    fn is_waited_for(self) -> bool {
        matches!(self, Self::User(_) | Self::Another | Self::Listed | Self::Opened)
    }
}

/// The result of requesting the full text of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextGot {
    /// The text of the page is stored.
    Fetched {
        /// How the text was extracted.
        from: TextFrom,
        /// Whether the publisher changed the article since the last fetch.
        changed: bool,
    },
    /// The text of the page is stored, but the feed's text is shown, because the page does not contain it.
    Kept,
    /// The feed contains the full text.
    InFeed,
    /// The feed's text is shown from now on.
    Feed,
    /// Extracting the page in this way gives the stored text.
    Same(TextWay),
    /// The page was not fetched.
    Left,
    /// There is no text, for this reason. A text that was stored earlier is kept.
    Failed(String),
    /// The item no longer exists.
    Gone,
}

impl TextGot {
    /// Whether the publisher changed the article.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Fetched { changed: true, .. })
    }

    /// The message for the status line.
    pub fn describe(&self) -> String {
        match self {
            Self::Fetched { from, changed } => {
                let first = if *changed { "the article has changed; " } else { "" };
                format!("{first}text {}", from.describe())
            }
            Self::Kept => "text from the feed, which the page does not contain".to_owned(),
            Self::InFeed => "the feed contains the full text".to_owned(),
            Self::Feed => "text from the feed".to_owned(),
            Self::Same(TextWay::Page) => {
                "extraction without the feed's title and summary gives the same text".to_owned()
            }
            Self::Same(TextWay::Guided) => {
                "extraction with the feed's title and summary gives the same text".to_owned()
            }
            Self::Same(_) => "the page gives the same text".to_owned(),
            Self::Left => "the page was not fetched".to_owned(),
            Self::Failed(why) => why.clone(),
            Self::Gone => "this item is no longer stored".to_owned(),
        }
    }
}

/// Pages to be fetched in advance on the user's request.
#[derive(Debug, Clone, Default)]
pub struct PrefetchPlan {
    pub pages: Vec<WantedPage>,
    /// The estimated number of bytes, based on pages that were fetched earlier.
    pub bytes: u64,
    /// Number of other pages that failed and are not due for a retry.
    pub failed: usize,
}

impl PrefetchPlan {
    /// The message when there is nothing to fetch.
    pub fn nothing(&self) -> String {
        match self.failed {
            0 => "all pages have already been fetched".to_owned(),
            1 => "all pages have already been fetched; 1 has no text".to_owned(),
            n => format!("all pages have already been fetched; {n} have no text"),
        }
    }
}

/// Assumed size of a page if none has been fetched yet.
const USUAL_PAGE: u64 = 60_000;

impl Handle {
    /// Fetches the full text of an item (row key) now, regardless of the settings, and extracts it in the
    /// given way. Without a way, uses the next way that gives a different text, so that repeated requests
    /// show every text, including the feed's.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub async fn full_text(&self, key: i64, way: Option<TextWay>) -> Result<TextGot> {
        self.context.store.writable()?;
        let trigger = way.map_or(Trigger::Another, Trigger::User);
        Ok(fetch::fetch(&self.context, key, trigger).await?.text)
    }

    /// Fetches the full text of an opened item (row key) if the settings require it and it is not stored yet
    /// or may have changed. Sends no requests if the database is read-only.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub async fn opened(&self, key: i64) -> Result<TextGot> {
        if self.status().borrow().role == ProcessRole::Reads {
            return Ok(TextGot::Left);
        }
        // Even if another process polls, only this one knows what its user opens.
        let got = fetch::fetch(&self.context, key, Trigger::Opened).await;
        // All changes known so far are on the screen.
        let row = self.context.read(move |reader| reader.row(key)).await?;
        if row.is_some_and(|row| row.changed || row.comment_count.is_some()) {
            self.context.store.seen(key).await?;
        }
        Ok(got?.text)
    }

    /// The pages of pinned or unread items, or both, that were never fetched, or that failed and are due for
    /// a retry. At most `limit` pages, newest first.
    ///
    /// # Errors
    /// If the database cannot be read or written.
    pub async fn plan_prefetch(&self, kept: &[MarkedItems], limit: usize) -> Result<PrefetchPlan> {
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

    /// Fetches these pages, from a few hosts in parallel. Each is reported by the row key of its item, and
    /// the channel closes after the last one. Dropping the receiver stops the fetches.
    pub fn prefetch(
        &self,
        pages: Vec<WantedPage>,
    ) -> mpsc::UnboundedReceiver<(i64, Result<TextGot>)> {
        self.run(pages, &[Trigger::Ahead])
    }

    /// Like [`Handle::prefetch`], but also fetches pages again, and ignores the settings.
    pub fn fetch_texts(
        &self,
        pages: Vec<WantedPage>,
    ) -> mpsc::UnboundedReceiver<(i64, Result<TextGot>)> {
        self.run(pages, &[Trigger::Listed])
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

/// Whether the pages of a source may be fetched without a user's request.
fn may_fetch(setting: FullText, kind: SourceKind) -> bool {
    setting != FullText::Never && !kind.reads_pages()
}

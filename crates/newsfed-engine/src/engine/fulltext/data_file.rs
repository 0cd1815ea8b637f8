//! Followed data files: the text of their item describes the changes in them.

use super::TextGot;
use super::fetch::{PageFailure, PageOutcome, READING, StoredItemState, fail, store};
use super::read::SavedPage;
use crate::dataset::{
    self, DataFormat, Dataset, DatasetError, compare, describe, describe_difference,
};
use crate::engine::context::Context;
use crate::model::{Revision, Source, SourceKind, TextFrom, TextWay};
use crate::store::{PageRead, PageResult, PageText, StoreError};
use crate::util::html;
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The known facts about a file before it is read again.
struct Known {
    /// The origin of the stored text.
    text: Option<TextFrom>,
    /// Hash of the file.
    hash: Option<i64>,
    /// The previous content of the file.
    state: Option<Vec<u8>>,
}

/// Sources with files that took too long to read and are still being read.
#[derive(Default)]
pub(super) struct Overdue(Mutex<Vec<(String, Weak<()>)>>);

impl Overdue {
    fn add(&self, source: &str, running: Weak<()>) {
        self.running().push((source.to_owned(), running));
    }

    fn has(&self, source: &str) -> bool {
        self.running().iter().any(|(id, _)| id == source)
    }

    /// The reads that are still running: each drops its reference when it ends.
    fn running(&self) -> MutexGuard<'_, Vec<(String, Weak<()>)>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(_, running)| running.strong_count() > 0);
        all
    }
}

/// The result of reading a file.
struct Read {
    text: PageText,
    hash: i64,
    state: Option<Vec<u8>>,
}

/// The format of a response, if it is a data file and the source follows such files.
pub(super) fn format(source: &Source, page: &SavedPage) -> Option<DataFormat> {
    matches!(source.kind(), SourceKind::Page | SourceKind::Crawl)
        .then(|| DataFormat::of(page.content_type.as_deref(), &page.url, &page.body))?
}

/// Compares a file with its previous content and stores the result.
pub(super) async fn take(
    context: &Arc<Context>,
    state: &StoredItemState,
    key: i64,
    page: SavedPage,
    format: DataFormat,
) -> Result<PageOutcome, StoreError> {
    let way = TextWay::Best;
    let known = Known {
        text: state.before.as_ref().map(|before| before.from),
        hash: state.page.as_ref().and_then(|page| page.page_hash),
        state: context.read(move |reader| reader.dataset(key)).await?,
    };
    let read = match read_within(context, state.source.id.as_str(), &page, format, known).await? {
        Ok(read) => read,
        Err(why) => return fail(context, state, key, PageFailure::lasting(why), way).await,
    };
    let got = match &read.text {
        PageText::New { from, changed, .. } => TextGot::Fetched { from: *from, changed: *changed },
        _ => TextGot::Same(way),
    };
    let read = PageRead {
        text: read.text,
        page_hash: read.hash,
        bytes: page.bytes,
        validators: page.validators,
        validators_of: page.url.to_string(),
        site: state.site.clone(),
        published: None,
        dated: None,
        updated: None,
        authors: Vec::new(),
        tags: Vec::new(),
        alone: None,
        keeps_feed: false,
        watched: true,
        renews: state.renews,
        dataset: read.state,
    };
    store(context, key, PageResult::Read(Box::new(read)), None, way).await?;
    Ok(PageOutcome::stored(got))
}

/// Reads a file on a worker thread. If that takes too long, the thread stays busy, and the source is not read
/// again until it is free.
async fn read_within(
    context: &Arc<Context>,
    source: &str,
    page: &SavedPage,
    format: DataFormat,
    known: Known,
) -> Result<Result<Read, String>, StoreError> {
    if context.pages.overdue.has(source) {
        return Ok(Err("its file is still being read by an earlier check".to_owned()));
    }
    let running = Arc::new(());
    let overdue = Arc::downgrade(&running);
    let (body, content_type) = (page.body.clone(), page.content_type.clone());
    let work = move || {
        let _running = running;
        read(&body, content_type.as_deref(), format, &known)
    };
    let reading = context.begin(page.body.len(), work).await.ok_or(StoreError::Closed)?;
    Ok(match tokio::time::timeout(READING, reading).await {
        Ok(Ok(read)) => read.map_err(|e| e.to_string()),
        Ok(Err(_)) => Err("the file could not be read (this is a bug)".to_owned()),
        Err(_) => {
            context.pages.overdue.add(source, overdue);
            Err("reading the file took too long".to_owned())
        }
    })
}

fn read(
    body: &[u8],
    content_type: Option<&str>,
    format: DataFormat,
    known: &Known,
) -> Result<Read, DatasetError> {
    let new = dataset::read(body, content_type, format)?;
    let digest = Sha256::digest(body);
    let hash = i64::from_be_bytes(std::array::from_fn(|n| digest[n]));
    let text = match known.state.as_deref().and_then(dataset::unpack) {
        Some(old) => compared(&old, &new),
        None => match known.text {
            Some(TextFrom::File) if known.hash == Some(hash) => PageText::Same,
            Some(_) => {
                let what = "the file changed; its earlier content is not stored".to_owned();
                let html = html::paragraphs(&what) + &describe(&new);
                new_text(html, vec![Revision::data(what)])
            }
            None => PageText::New {
                html: describe(&new),
                from: TextFrom::File,
                changed: false,
                revisions: Vec::new(),
            },
        },
    };
    let state = dataset::pack(&new).ok();
    Ok(Read { text, hash, state })
}

fn compared(old: &Dataset, new: &Dataset) -> PageText {
    let difference = compare(old, new);
    if difference.is_empty() {
        return PageText::Same;
    }
    let html = describe_difference(&difference, old, new);
    new_text(html, vec![Revision::data(difference.summary(old, new))])
}

fn new_text(html: String, revisions: Vec<Revision>) -> PageText {
    PageText::New { html: html::clean(&html, None), from: TextFrom::File, changed: true, revisions }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_overdue_until_its_reads_end() {
        let overdue = Overdue::default();
        let (first, second) = (Arc::new(()), Arc::new(()));
        overdue.add("a", Arc::downgrade(&first));
        overdue.add("a", Arc::downgrade(&second));
        assert!(overdue.has("a") && !overdue.has("b"));
        let work = move || drop(first);
        work();
        assert!(overdue.has("a"), "the second one still runs");
        let panics = std::panic::AssertUnwindSafe(move || {
            let _running = second;
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        assert!(!overdue.has("a"));
        let ended = Arc::downgrade(&Arc::new(()));
        overdue.add("b", ended);
        assert!(!overdue.has("b"), "it ended when the time was up");
    }
}

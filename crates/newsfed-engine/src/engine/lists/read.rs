//! What a poll of a list finds.

use super::super::context::Context;
use super::super::finished::Finished;
use super::super::poll::Started;
use super::super::verdict::DocumentFacts;
use crate::config::{ListState, Listed, list_from_text, list_to_text};
use crate::model::{ErrorKind, FeedHints, Outcome, Source};
use crate::net::Response;
use crate::util::limits;
use crate::util::text::{self, counted};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Notes about one poll.
const MOST_NOTES: usize = 20;

/// Why a list is not taken over.
struct Refusal(ErrorKind, String);

impl From<crate::store::StoreError> for Refusal {
    fn from(error: crate::store::StoreError) -> Self {
        Self(ErrorKind::Transient, text::line(&error.to_string()))
    }
}

/// Reads a list and stores what it has. If many sources have left it, nothing is stored until the user
/// confirms it.
pub(in crate::engine) async fn read(
    started: &Started<'_>,
    mut finished: Finished,
    response: Response,
) -> Finished {
    finished.memory = response.memory.clone();
    if let Err(Refusal(kind, message)) = take(started, &mut finished, response).await {
        finished.outcome = Outcome::Failed { kind, message };
    }
    started.context.lists.was_read.notify_one();
    finished
}

/// Ends the confirmation of changes that a list (row key) does not have any more.
pub(in crate::engine) async fn unchanged(context: &Arc<Context>, key: i64) {
    let known = context.read(move |reader| reader.followed_list(key)).await;
    let accepted = known.is_ok_and(|known| known.is_some_and(|known| known.accept));
    if accepted && let Err(e) = context.store.accept_list(key, false).await {
        tracing::warn!("the confirmation of a list stays: {e}");
    }
}

async fn take(
    started: &Started<'_>,
    finished: &mut Finished,
    response: Response,
) -> Result<(), Refusal> {
    let Started { context, job, facts, hashing, .. } = *started;
    let key = job.key;
    let known = context.read(move |reader| reader.followed_list(key)).await?;
    let before = facts.body_hash.filter(|_| known.as_ref().is_some_and(|k| !k.listed.is_empty()));
    let (source, size) = (job.source.clone(), response.body.len());
    let work = move || {
        let hash = hashing.document(&response.body);
        if hashing.is_same(before, hash, &response.body) {
            return Ok(None);
        }
        let name = source.url.as_str();
        Listed::read(&response.body, name, &source).map(|listed| Some((listed, hash)))
    };
    let read = context.read_document(size, work).await;
    let bug = || Refusal(ErrorKind::Permanent, "the list could not be read (this is a bug)".into());
    let read = read.ok_or_else(bug)?;
    let read = read.map_err(|e| Refusal(ErrorKind::Permanent, text::line(&e.to_string())))?;
    let Some((listed, hash)) = read else {
        unchanged(context, key).await;
        return Ok(());
    };
    let known = known.unwrap_or_default();
    let (is_whole, is_damaged) = (listed.is_whole(), listed.is_damaged);
    let (notes, text) = (notes(&listed), list_to_text(&listed.sources));
    let state = ListState {
        list: job.source.id.clone(),
        listed: listed.sources,
        is_whole,
        taken: list_from_text(&known.taken),
        accept: known.accept,
        others: Vec::new(),
        moved: HashMap::new(),
        kept: HashSet::new(),
    };
    let declared: Vec<Source> =
        context.declared().borrow().iter().map(|source| Source::clone(source)).collect();
    if let Some((gone, of)) = state.plan(&declared).held {
        let id = &job.source.id;
        let message = format!(
            "{gone} of {} have left this list, so nothing was changed; `newsfed sync --accept {id}` \
             removes them",
            counted(of, "source")
        );
        return Err(Refusal(ErrorKind::Permanent, message));
    }
    context.store.set_listed(key, text, is_whole).await?;
    finished.repairs = notes;
    if is_damaged {
        let why = finished.repairs.first().map(|note| format!(" ({note})")).unwrap_or_default();
        let message = format!("the list is damaged{why}; no source was removed");
        return Err(Refusal(ErrorKind::Permanent, message));
    }
    let document =
        DocumentFacts { title: listed.title, home_url: None, hints: FeedHints::default(), hash };
    finished.document = Some((Vec::new(), document));
    Ok(())
}

/// What is not taken from a list; what says that it is damaged comes first.
fn notes(listed: &Listed) -> Vec<String> {
    let left_out = limits::left_out(listed.left_out, "source", limits::LIST_SOURCES);
    // The end of a list is reported last.
    let skipped = listed.skipped.iter().rev().map(|(what, why)| format!("{what}: {why}"));
    let mut notes: Vec<String> = left_out.into_iter().chain(skipped).collect();
    if notes.len() > MOST_NOTES {
        let more = notes.len() - MOST_NOTES;
        notes.truncate(MOST_NOTES);
        notes.push(format!("and {more} more that were skipped"));
    }
    notes
}

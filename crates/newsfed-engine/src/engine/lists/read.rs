//! Handles the result of polling a list.

use super::super::context::Context;
use super::super::finished::Finished;
use super::super::poll::Started;
use super::super::verdict::DocumentFacts;
use super::known::compared;
use crate::config::{Listed, list_to_text};
use crate::model::{ErrorKind, FeedHints, Outcome, Source, SourceFacts, SourceKind};
use crate::net::Response;
use crate::store::{FollowedList, Reader, StoreError};
use crate::util::limits;
use crate::util::text::{self, counted};
use std::sync::Arc;

/// Maximum number of notes about one poll.
const MAX_NOTES: usize = 20;

/// Why a list is not applied.
struct Refusal(ErrorKind, String);

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self(ErrorKind::Transient, text::line(&error.to_string()))
    }
}

/// The facts of a newly followed source. If a list was followed before, all its entries are treated as new.
pub(in crate::engine) async fn begun(
    context: &Context,
    source: &Source,
    facts: &SourceFacts,
) -> Result<SourceFacts, StoreError> {
    if source.kind() != SourceKind::List {
        return Ok(facts.clone());
    }
    context.store.clear_list(facts.key).await?;
    Ok(SourceFacts { body_hash: None, ..facts.clone() })
}

/// Reads a list and stores its content. If many sources are no longer in the list, nothing is stored until
/// the user confirms.
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

/// Handles an unchanged list (row key): there is no longer anything to confirm, and changes that could not be
/// applied are tried again.
pub(in crate::engine) async fn unchanged(context: &Arc<Context>, key: i64) {
    let known = context.read(move |reader| reader.followed_list(key)).await;
    let is_asked = known.is_ok_and(|known| known.is_some_and(|known| known.refused.is_some()));
    if is_asked && let Err(e) = context.store.refuse_list(key, None).await {
        tracing::warn!("cannot clear the pending confirmation for a list: {e}");
    }
    context.lists.was_read.notify_one();
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
    let (is_damaged, notes) = (listed.is_damaged, notes(&listed));
    let title = listed.title.clone();
    let known = known.unwrap_or_default();
    take_over(started, known, listed).await?;
    finished.repairs = notes;
    if is_damaged {
        let why = finished.repairs.first().map(|note| format!(" ({note})")).unwrap_or_default();
        let message = format!("the list is damaged{why}; no source was removed");
        return Err(Refusal(ErrorKind::Permanent, message));
    }
    let document = DocumentFacts { title, home_url: None, hints: FeedHints::default(), hash };
    finished.document = Some((Vec::new(), document));
    Ok(())
}

/// Stores the content of a list, unless the user has to confirm it first.
async fn take_over(
    started: &Started<'_>,
    known: FollowedList,
    listed: Listed,
) -> Result<(), Refusal> {
    let Started { context, job, hashing, .. } = *started;
    let (key, id, own) = (job.key, job.source.id.clone(), context.clone());
    let (is_whole, confirmed) = (listed.is_whole(), known.confirmed);
    let read = move |reader: &Reader| {
        let compared = compared(reader, &own, id, &known, listed.sources, is_whole)?;
        let declared = own.declared().borrow().clone();
        let declared: Vec<Source> = declared.iter().map(|source| Source::clone(source)).collect();
        Ok(compared.map(|now| (now.to_confirm(&declared), list_to_text(&now.listed))))
    };
    let read = context.read(read).await?;
    let (question, text) =
        read.map_err(|damage| Refusal(ErrorKind::Permanent, damage.message().to_owned()))?;
    // A hash of the sources, because many servers change a date in the document each time.
    let hash = hashing.document(text.as_bytes());
    let is_confirmed = confirmed == Some(hash);
    if let Some((gone, of)) = question.filter(|_| !is_confirmed) {
        context.store.refuse_list(key, Some(hash)).await?;
        let message = format!(
            "{gone} of {} are no longer in this list, so nothing was changed; to remove them, run \
             `newsfed sync --accept {}`, or \"accept list\" in the interface",
            counted(of, "source"),
            job.source.id
        );
        return Err(Refusal(ErrorKind::Permanent, message));
    }
    Ok(context.store.set_listed(key, text, is_whole, is_confirmed).await?)
}

/// Notes about parts of a list that were not applied. A message that the list is damaged comes first.
fn notes(listed: &Listed) -> Vec<String> {
    let left_out = limits::left_out(listed.left_out, "source", limits::LIST_SOURCES);
    // Damage at the end of a list is the last of its notes.
    let skipped = listed.skipped.iter().rev().map(|(what, why)| format!("{what}: {why}"));
    let mut notes: Vec<String> = left_out.into_iter().chain(skipped).collect();
    if notes.len() > MAX_NOTES {
        let more = notes.len() - MAX_NOTES;
        notes.truncate(MAX_NOTES);
        notes.push(format!("and {more} more"));
    }
    notes
}

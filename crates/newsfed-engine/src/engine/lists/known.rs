//! The stored data of a list, for comparison with the file.

use super::super::context::Context;
use super::super::follow::FollowError;
use crate::config::{ListComparison, ListState, list_from_text};
use crate::model::{Source, SourceFacts, SourceId};
use crate::store::{FollowedList, Reader, StoreError};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A stored text that cannot be parsed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Damage {
    /// The content of the list with this row key. It can be fetched again.
    Listed(i64),
    /// The content last applied from this list. Without it, the user's changes cannot be detected.
    Taken,
    /// The content last applied from another list.
    Other,
}

impl Damage {
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Listed(_) => {
                "the stored content of the list is damaged; the list is read again at its next check"
            }
            Self::Taken => {
                "the record of what this list has changed is damaged; remove the list and \
                 follow it again"
            }
            Self::Other => {
                "the record of what another list has changed is damaged, so it is not known \
                 which sources may be removed"
            }
        }
    }
}

impl From<Damage> for FollowError {
    fn from(damage: Damage) -> Self {
        Self::List(damage.message().to_owned())
    }
}

/// The result of reading, unless a stored text is damaged.
pub(super) type Undamaged<T> = Result<Result<T, Damage>, StoreError>;

/// Compares the content of a list with what was last applied from it.
pub(super) fn compared(
    reader: &Reader,
    context: &Context,
    list: SourceId,
    stored: &FollowedList,
    listed: Vec<Source>,
    is_whole: bool,
) -> Undamaged<ListComparison> {
    let Ok(taken) = list_from_text(&stored.taken) else { return Ok(Err(Damage::Taken)) };
    let moved = reader.moved(None)?.into_iter();
    let moved = moved.filter_map(|(key, to)| Some((context.source(key)?.id.clone(), to)));
    let moved: HashMap<SourceId, String> = moved.collect();
    Ok(Ok(ListComparison { list, listed, is_whole, taken, moved }))
}

/// The state of a list (row key) among all followed lists; `None` if its entire content has been applied.
pub(super) fn state(
    reader: &Reader,
    context: &Context,
    (list, key): (SourceId, i64),
    lists: &[i64],
    all: &[(Arc<Source>, SourceFacts)],
) -> Undamaged<Option<ListState>> {
    let stored = reader.followed_list(key)?.unwrap_or_default();
    if stored.listed.is_empty() || stored.listed == stored.taken {
        return Ok(Ok(None));
    }
    let Ok(listed) = list_from_text(&stored.listed) else { return Ok(Err(Damage::Listed(key))) };
    let mut others = Vec::new();
    for other in lists.iter().copied().filter(|other| *other != key) {
        match sources_of(reader, other)? {
            Ok(sources) => others.extend(sources),
            Err(damage) => return Ok(Err(damage)),
        }
    }
    let urls: HashSet<&str> = listed.iter().map(|source| source.url.as_str()).collect();
    let mut kept = HashSet::new();
    let ours = all.iter().filter(|(source, _)| source.list.as_ref() == Some(&list));
    for (source, facts) in ours.filter(|(source, _)| !urls.contains(source.url.as_str())) {
        if reader.has_kept(facts.key)? {
            kept.insert(source.id.clone());
        }
    }
    let compared = compared(reader, context, list, &stored, listed, stored.is_whole)?;
    let is_confirmed = stored.is_confirmed;
    Ok(compared.map(|compared| Some(ListState { compared, others, kept, is_confirmed })))
}

/// The sources of another list (row key). If the list was not read completely, its earlier sources are
/// included.
fn sources_of(reader: &Reader, list: i64) -> Undamaged<Vec<Source>> {
    let stored = reader.followed_list(list)?.unwrap_or_default();
    let Ok(mut sources) = list_from_text(&stored.listed) else {
        return Ok(Err(Damage::Listed(list)));
    };
    if !stored.is_whole {
        let Ok(taken) = list_from_text(&stored.taken) else { return Ok(Err(Damage::Other)) };
        sources.extend(taken);
    }
    Ok(Ok(sources))
}

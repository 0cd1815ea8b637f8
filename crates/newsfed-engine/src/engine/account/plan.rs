//! Decides what to send, fetch and apply: pure functions of the database and the server's lists.

use crate::greader::{RemoteId, RemoteMark};
use crate::store::{Marks, RemoteItem, SeenMarks};
use std::collections::HashSet;
use std::time::Duration;

/// Number of times that a mark is sent before it is reported as refused.
pub(super) const MAX_TRIES: u32 = 3;
/// Number of identifiers in the first request with marks.
pub(super) const FIRST_BATCH: usize = 100;
/// Maximum number of identifiers per request: servers drop everything after the 1,000th field.
pub(super) const LARGEST_BATCH: usize = 250;
/// Maximum number of pins that may change at once, whatever their share of all pins.
const FEW_PINS: usize = 20;
/// Maximum number of items that may be removed at once, whatever their share of the known items.
const FEW_ITEMS: usize = 20;
/// Number of identifiers used to recognise a server.
pub(super) const SAMPLE: usize = 20;
/// Minimum number of known items for recognising a server.
pub(super) const SMALLEST_SAMPLE: usize = 5;

/// The complete lists of a server.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    pub(super) unread: HashSet<RemoteId>,
    pub(super) starred: HashSet<RemoteId>,
}

impl Lists {
    fn marks(&self, item: &RemoteId) -> Marks {
        Marks { read: !self.unread.contains(item), pinned: self.starred.contains(item) }
    }
}

/// Marks of one kind that are to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Push {
    pub(super) state: RemoteMark,
    pub(super) to: bool,
    pub(super) items: Vec<RemoteId>,
}

/// Selects one of the two marks.
type OneMark = fn(&Marks) -> bool;

/// The pending marks, by kind. Marks that were sent several times without effect are left out.
pub(super) fn pushes(known: &[RemoteItem]) -> Vec<Push> {
    let waiting = || known.iter().filter(|item| item.is_waiting() && item.tries < MAX_TRIES);
    // Marks that were sent but not seen since are sent again, even if they were reset locally.
    let kinds: [(RemoteMark, bool, OneMark); 4] = [
        (RemoteMark::Read, true, |m| m.read),
        (RemoteMark::Read, false, |m| m.read),
        (RemoteMark::Starred, true, |m| m.pinned),
        (RemoteMark::Starred, false, |m| m.pinned),
    ];
    let mut pushes = Vec::new();
    for (state, to, mark) in kinds {
        let differs =
            |i: &&RemoteItem| mark(&i.ours) == to && (mark(&i.base) != to || mark(&i.sent));
        let items: Vec<RemoteId> = waiting().filter(differs).map(|i| i.remote.clone()).collect();
        if !items.is_empty() {
            pushes.push(Push { state, to, items });
        }
    }
    pushes
}

/// The size of the next request with marks: halved after a slow request, doubled after a fast one.
pub(super) fn next_batch(size: usize, took: Duration) -> usize {
    match took {
        slow if slow > Duration::from_secs(10) => (size / 2).max(1),
        fast if fast < Duration::from_secs(1) => (size * 2).min(LARGEST_BATCH),
        _ => size,
    }
}

/// The number of items in the next page of contents.
pub(super) fn next_page(size: u32, bytes: usize, took: Duration) -> u32 {
    const MIB: usize = 1 << 20;
    if bytes > 16 * MIB || took > Duration::from_secs(10) {
        (size / 2).max(10)
    } else if bytes < 4 * MIB && took < Duration::from_secs(2) {
        (size * 2).min(1000)
    } else {
        size
    }
}

/// The listed items that are unknown, newest first.
pub(super) fn unknown(
    listed: impl IntoIterator<Item = RemoteId>,
    known: &HashSet<RemoteId>,
) -> Vec<RemoteId> {
    let new: HashSet<RemoteId> = listed.into_iter().filter(|id| !known.contains(id)).collect();
    let mut new: Vec<RemoteId> = new.into_iter().collect();
    new.sort_unstable_by(|a, b| b.cmp(a));
    new
}

/// Pinned items that the server no longer lists as pinned although no change was sent. The server has removed
/// either the mark or the item.
pub(super) fn lost_pins(known: &[RemoteItem], lists: &Lists) -> Vec<RemoteId> {
    known.iter().filter(|i| is_lost_pin(i, lists)).map(|i| i.remote.clone()).collect()
}

fn is_lost_pin(item: &RemoteItem, lists: &Lists) -> bool {
    !item.gone && item.base.pinned && item.ours.pinned && !lists.starred.contains(&item.remote)
}

/// The number of pins that would change at once, if it is implausibly large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooManyPins {
    pub(super) lost: usize,
    pub(super) gained: usize,
}

/// Checks that a server does not unpin or pin more than 20 known items and more than 10 % of all pins. Some
/// servers respond to a request for an unknown list with the list of all items. Pins that were sent from here
/// do not count.
pub(super) fn check_pins(known: &[RemoteItem], lists: &Lists) -> Result<(), TooManyPins> {
    let known = || known.iter().filter(|i| !i.sent.pinned);
    let lost = known().filter(|i| is_lost_pin(i, lists)).count();
    let gains = |i: &&RemoteItem| {
        !i.gone && !i.base.pinned && !i.ours.pinned && lists.starred.contains(&i.remote)
    };
    let gained = known().filter(gains).count();
    let pins = known().filter(|i| !i.gone && (i.base.pinned || i.ours.pinned)).count();
    let too_many = |count: usize| count > FEW_PINS && count * 10 > pins;
    if too_many(lost) || too_many(gained) {
        return Err(TooManyPins { lost, gained });
    }
    Ok(())
}

/// The changes to known items according to the lists.
pub(super) fn seen(
    known: &[RemoteItem],
    lists: &Lists,
    sent: &HashSet<RemoteId>,
) -> Vec<SeenMarks> {
    let seen = |item: &RemoteItem| {
        let (theirs, sent) = (lists.marks(&item.remote), sent.contains(&item.remote));
        let is_open = item.sent != Marks::default();
        let news = theirs != item.base || is_open || (sent && theirs != item.ours);
        (!item.gone && news).then(|| SeenMarks { remote: item.remote.clone(), theirs, sent })
    };
    known.iter().filter_map(seen).collect()
}

/// Whether the lists may come from a different server: many items would change, and either none of the listed
/// items is known, or many known items become unread, as on a new server.
pub(super) fn is_strange(known: &[RemoteItem], lists: &Lists, changes: &[SeenMarks]) -> bool {
    if changes.len() < SMALLEST_SAMPLE {
        return false;
    }
    let read: HashSet<&RemoteId> =
        known.iter().filter(|i| i.base.read).map(|i| &i.remote).collect();
    let becomes_unread = |s: &&SeenMarks| !s.theirs.read && read.contains(&s.remote);
    let is_listed =
        |i: &RemoteItem| lists.unread.contains(&i.remote) || lists.starred.contains(&i.remote);
    changes.iter().filter(becomes_unread).count() >= SMALLEST_SAMPLE || !known.iter().any(is_listed)
}

/// Whether more than half of the known items, and more than a few, are missing from the list of all items.
pub(super) fn are_too_many_missing(missing: usize, known: usize) -> bool {
    missing > FEW_ITEMS && missing * 2 > known
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

//! Describes changes of marks.

use crate::store::Mark;
use crate::util::text::counted;
use crate::util::time_text::minute;

/// Describes how many items were marked.
pub(super) fn describe(mark: &Mark, count: usize, to: bool) -> String {
    let items = counted(count, "item");
    let verb = match (mark, to) {
        (Mark::Read, true) => "marked read",
        (Mark::Read, false) => "marked unread",
        (Mark::Pinned, true) => "pinned",
        (Mark::Pinned, false) => "unpinned",
        (Mark::Later, true) => "kept for later",
        (Mark::Later, false) => "no longer kept for later",
        (Mark::Queued, true) => "added to the queue",
        (Mark::Queued, false) => "removed from the queue",
        (Mark::Hidden, true) => "hidden",
        (Mark::Hidden | Mark::Snoozed(_), false) => "shown again",
        (Mark::Snoozed(until), true) => return format!("{items} snoozed until {}", minute(*until)),
        (Mark::Tag(tag), true) => return format!("{items} tagged \"{tag}\""),
        (Mark::Tag(tag), false) => return format!("Tag \"{tag}\" removed from {items}"),
    };
    format!("{items} {verb}")
}

/// The verb for setting or removing a mark.
pub(super) fn verb(mark: &Mark, to: bool) -> &'static str {
    match (mark, to) {
        (Mark::Read, true) => "mark read",
        (Mark::Read, false) => "mark unread",
        (Mark::Pinned, true) => "pin",
        (Mark::Pinned, false) => "unpin",
        (Mark::Later, true) => "keep for later",
        (Mark::Later, false) => "do not keep for later",
        (Mark::Queued, true) => "add to the queue",
        (Mark::Queued, false) => "remove from the queue",
        (Mark::Hidden, true) => "hide",
        (Mark::Snoozed(_), true) => "snooze",
        (Mark::Hidden | Mark::Snoozed(_), false) => "show",
        (Mark::Tag(_), true) => "tag",
        (Mark::Tag(_), false) => "untag",
    }
}

//! Explains why an action is not available.

use super::{App, Focus, RowId};
use crate::config::Action;
use std::borrow::Cow;

const NO_SOURCE: &str = "Select a source in the Sources pane first";
pub(super) const NO_ITEM: &str = "Select an item first";
const NO_ARTICLE: &str = "Open an item first";
const ITEM_IS_READ: &str = "The item is still loading";

impl App {
    /// Why an action cannot be performed now; `None` if it can be. Unlike [`Self::unavailable_reason`], which
    /// decides which actions are offered, this depends on whether rows are being read.
    pub(super) fn refusal(&self, action: Action) -> Option<Cow<'static, str>> {
        if self.awaits_rows(action) {
            return Some(self.being_read().into());
        }
        match self.unavailable_reason(action)? {
            NO_ARTICLE if self.reader.next().is_some() => Some(ITEM_IS_READ.into()),
            NO_SOURCE => Some(self.no_source()),
            why => Some(why.into()),
        }
    }

    /// Why an action about one source cannot be performed.
    fn no_source(&self) -> Cow<'static, str> {
        let row = self.sources.current().filter(|_| self.focus == Focus::Sources);
        match row.map(|row| (&row.id, &row.title)) {
            Some((RowId::Folder(_), name)) => format!("{name} is a folder; select a source").into(),
            Some((RowId::Tag(_), name)) => format!("{name} is a tag; select a source").into(),
            _ => NO_SOURCE.into(),
        }
    }

    /// The message for a key that cannot act before the rows are read.
    pub(super) fn being_read(&self) -> &'static str {
        match self.focus {
            Focus::Reader => ITEM_IS_READ,
            _ => "The list is still loading",
        }
    }

    /// Whether an action is about items that are still being read, while the screen still shows other items.
    fn awaits_rows(&self, action: Action) -> bool {
        match action {
            Action::Pin
            | Action::ToggleRead
            | Action::MarkRead
            | Action::MarkUnread
            | Action::Later
            | Action::Snooze
            | Action::CopyMarkdown
            | Action::Save
            | Action::Enqueue
            | Action::FullText
            | Action::FollowComments
            | Action::Enclosure
            | Action::Download
            | Action::Comments => self.awaits_targets(),
            Action::Zen => self.reader.article.is_none() && self.awaits_targets(),
            // These actions need the text of the item.
            Action::OpenLink
            | Action::Links
            | Action::Hints
            | Action::CopyCode
            | Action::Find
            | Action::Pipe
            | Action::Difference
            | Action::OlderChange
            | Action::NewerChange
            | Action::Headings
            | Action::NextHeading
            | Action::PreviousHeading
            | Action::ScrollRight => self.focus == Focus::Reader && self.reader.next().is_some(),
            // In the Sources pane, these actions are about sources.
            Action::Select
            | Action::EditTags
            | Action::Browser
            | Action::BrowserAndNext
            | Action::Copy
            | Action::Hide
            | Action::Refresh
            | Action::ForceRefresh => self.focus != Focus::Sources && self.awaits_targets(),
            Action::Why | Action::Edit | Action::Workbench => {
                // All rows of the selected source have the same source, so it is already known.
                let is_known = self.focus == Focus::Items && self.lists_a_source();
                self.focus != Focus::Sources && self.awaits_targets() && !is_known
            }
            Action::ReadAbove
            | Action::ReadBelow
            | Action::ExtendSelection
            | Action::SelectAll
            | Action::SelectInverse => self.items.awaits_rows(),
            // While a list is being read, all its items can be marked, but not a selection.
            Action::ReadAll => {
                let selects = self.items.is_selecting() || !self.items.marked.is_empty();
                self.focus == Focus::Items && selects && self.items.awaits_rows()
            }
            _ => false,
        }
    }

    /// Whether the items belong to the source that is selected in the Sources pane.
    fn lists_a_source(&self) -> bool {
        let selected = self.sources.current().map(|row| &row.id);
        matches!(selected, Some(RowId::Source(_))) && !self.is_search()
    }

    /// Why an action is not available; `None` if it is available.
    pub(in crate::tui) fn unavailable_reason(&self, action: Action) -> Option<&'static str> {
        let reason_if = |missing: bool, why: &'static str| missing.then_some(why);
        let no_item = || match self.focus {
            Focus::Reader => self.read_item().is_none(),
            _ => self.items.current().is_none() && !self.items.is_loading(),
        };
        let is_empty = || self.items.rows.is_empty() && !self.items.is_loading();
        let no_source = || self.sources.targets().is_empty();
        let row = self.sources.current().map(|row| &row.id);
        match action {
            Action::Edit if self.saved_view().is_some() => None,
            Action::Edit | Action::Workbench | Action::Why => {
                reason_if(self.selected_source().is_none(), NO_SOURCE)
            }
            Action::EditFile => reason_if(no_source(), NO_SOURCE),
            Action::Delete => {
                let nothing = no_source() && self.saved_view().is_none();
                reason_if(nothing, "Select a source, a folder or a view first")
            }
            Action::EditTags if self.focus != Focus::Sources => None,
            Action::Move | Action::EditTags | Action::Switch => {
                reason_if(no_source(), "Select a source or a folder first")
            }
            Action::MoveDown | Action::MoveUp => reason_if(no_source(), NO_SOURCE),
            Action::Rename => reason_if(
                matches!(row, None | Some(RowId::Smart(_) | RowId::Tags)),
                "Select a source, a folder, a tag or a view first",
            ),
            Action::GoReader => reason_if(self.reader.row().is_none(), NO_ARTICLE),
            Action::Fold | Action::FoldIn => {
                let in_folder = match row {
                    Some(RowId::Folder(_) | RowId::Tags | RowId::Tag(_)) => true,
                    Some(RowId::Source(key)) => {
                        self.sources.entry(*key).is_some_and(|e| e.source.folder.is_some())
                    }
                    _ => false,
                };
                reason_if(!in_folder, "Select a folder, or a source in a folder, first")
            }
            Action::Browser | Action::Copy if self.focus == Focus::Sources => {
                reason_if(no_source(), NO_SOURCE)
            }
            Action::Select => match self.focus {
                Focus::Sources => reason_if(no_source(), NO_SOURCE),
                Focus::Items => reason_if(no_item(), NO_ITEM),
                Focus::Reader => Some("Select items in the Items pane"),
            },
            Action::Open => match self.focus {
                Focus::Sources => None,
                Focus::Items => reason_if(no_item(), "This list is empty"),
                Focus::Reader => Some("This item is already open"),
            },
            Action::Pin
            | Action::ToggleRead
            | Action::MarkRead
            | Action::MarkUnread
            | Action::Browser
            | Action::BrowserAndNext
            | Action::Copy
            | Action::CopyMarkdown
            | Action::Save
            | Action::Enqueue
            | Action::FullText
            | Action::FollowComments
            | Action::Enclosure
            | Action::Download
            | Action::Comments => reason_if(no_item(), NO_ITEM),
            Action::Zen => reason_if(self.reader.row().is_none() && no_item(), NO_ITEM),
            Action::Links
            | Action::Hints
            | Action::CopyCode
            | Action::OpenLink
            | Action::JumpBack
            | Action::Find
            | Action::Headings
            | Action::NextHeading
            | Action::PreviousHeading
            | Action::Difference
            | Action::OlderChange
            | Action::NewerChange
            | Action::Pictures
            | Action::Pipe
            | Action::Narrower
            | Action::Wider => reason_if(self.reader.article.is_none(), NO_ARTICLE),
            Action::ScrollRight => reason_if(self.reader.article.is_none(), NO_ARTICLE),
            Action::ReadAbove
            | Action::ReadBelow
            | Action::ExtendSelection
            | Action::SelectAll
            | Action::SelectInverse => reason_if(is_empty(), "This list is empty"),
            Action::SelectNone => reason_if(self.items.marked.is_empty(), "No items are selected"),
            Action::ReadAll => reason_if(is_empty(), "This list is empty"),
            _ => None,
        }
    }
}

//! Why an action is not available.

use super::{App, Focus, RowId};
use crate::config::Action;

const NO_SOURCE: &str = "Select a source in the Sources pane first";
pub(super) const NO_ITEM: &str = "Select an item first";
const NO_ARTICLE: &str = "Open an item first";

impl App {
    /// Why an action would do nothing; `None` if it is available.
    pub(in crate::tui) fn unavailable_reason(&self, action: Action) -> Option<&'static str> {
        let reason_if = |missing: bool, why: &'static str| missing.then_some(why);
        let no_item = || match self.focus {
            Focus::Reader => self.reader.row().is_none(),
            _ => self.items.current().is_none(),
        };
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
            | Action::OpenLink
            | Action::JumpBack
            | Action::Find
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
            | Action::SelectInverse => reason_if(self.items.rows.is_empty(), "This list is empty"),
            Action::SelectNone => reason_if(self.items.marked.is_empty(), "No items are selected"),
            Action::ReadAll => reason_if(self.items.rows.is_empty(), "This list is empty"),
            _ => None,
        }
    }
}

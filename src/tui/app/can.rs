//! Why something cannot be done here and now.

use super::{App, Focus, RowId};
use crate::config::Action;

const NO_SOURCE: &str = "select a source first";
const NO_ITEM: &str = "select an item first";
const NO_ARTICLE: &str = "open an item first";

impl App {
    /// Why an action would do nothing, in words; `None` where it can be done.
    pub(super) fn why_not(&self, action: Action) -> Option<&'static str> {
        let says = |missing: bool, why: &'static str| missing.then_some(why);
        let no_item = || match self.focus {
            Focus::Reader => self.reader.row().is_none(),
            _ => self.items.current().is_none(),
        };
        let no_source = || self.sources.targets().is_empty();
        let row = self.sources.current().map(|row| &row.id);
        match action {
            Action::Edit if self.saved_view().is_some() => None,
            Action::Edit | Action::Workbench | Action::Why => {
                says(self.selected_source().is_none(), NO_SOURCE)
            }
            Action::EditFile => says(no_source(), NO_SOURCE),
            Action::Delete => {
                let nothing = no_source() && self.saved_view().is_none();
                says(nothing, "select a source, a folder or a saved query first")
            }
            Action::Move | Action::EditTags | Action::Switch => {
                says(no_source(), "select a source or a folder first")
            }
            Action::MoveDown | Action::MoveUp => says(no_source(), NO_SOURCE),
            Action::Rename => says(
                matches!(row, None | Some(RowId::Smart(_) | RowId::Tags)),
                "select a source, a folder, a tag or a saved query first",
            ),
            Action::Fold => {
                let in_folder = match row {
                    Some(RowId::Folder(_) | RowId::Tags | RowId::Tag(_)) => true,
                    Some(RowId::Source(key)) => {
                        self.sources.entry(*key).is_some_and(|e| e.source.folder.is_some())
                    }
                    _ => false,
                };
                says(!in_folder, "select a folder, or a source in one, first")
            }
            Action::Browser | Action::Copy if self.focus == Focus::Sources => {
                says(no_source(), NO_SOURCE)
            }
            Action::Select => match self.focus {
                Focus::Sources => says(no_source(), NO_SOURCE),
                Focus::Items => says(no_item(), NO_ITEM),
                Focus::Reader => Some("items are selected in their list"),
            },
            Action::Open => match self.focus {
                Focus::Sources => None,
                Focus::Items => says(no_item(), "this list is empty"),
                Focus::Reader => Some("it is open; Enter or o opens its page"),
            },
            Action::Pin
            | Action::ToggleRead
            | Action::Browser
            | Action::BrowserAndNext
            | Action::Copy
            | Action::FullText
            | Action::Comments => says(no_item(), NO_ITEM),
            Action::Zen => says(self.reader.row().is_none() && no_item(), NO_ITEM),
            Action::Links
            | Action::Hints
            | Action::OpenLink
            | Action::JumpBack
            | Action::Find
            | Action::Difference
            | Action::Pipe
            | Action::Narrower
            | Action::Wider => says(self.reader.article.is_none(), NO_ARTICLE),
            Action::ScrollRight => says(self.reader.article.is_none(), NO_ARTICLE),
            Action::ReadAll => says(self.items.rows.is_empty(), "this list is empty"),
            _ => None,
        }
    }
}

//! Removes sources and views.

use super::App;
use super::dialogs::{Confirm, some_names};
use super::history::REMOVAL;
use crate::config::FileChange;
use crate::model::SourceId;
use crate::tui::effect::{Effect, Purpose};
use crate::util::text::counted;

impl App {
    pub(super) fn delete(&mut self) -> Vec<Effect> {
        if self.sources.marked.is_empty() && self.saved_view().is_some() {
            return self.delete_view();
        }
        if !self.sources.marked.is_empty() || !self.sources.targets().is_empty() {
            let targets = self.sources.targets();
            let several = targets.len() > 1;
            let label = match targets.as_slice() {
                [source] => format!("{REMOVAL}{}", source.title()),
                many => format!("{REMOVAL}{} sources", many.len()),
            };
            let question = match self.sources.current() {
                Some(row) if self.sources.marked.is_empty() => {
                    format!("Remove the {} sources of {}?", targets.len(), row.title)
                }
                _ => format!("Remove {} selected sources?", targets.len()),
            };
            let names = some_names(targets.iter().map(|source| source.title()));
            let targets_ids: Vec<SourceId> = targets.iter().map(|s| s.source.id.clone()).collect();
            let ids = targets_ids.clone();
            let (purpose, change) = (Purpose::Command(Some(label)), FileChange::Remove(ids));
            let remove = Effect::Edit { purpose, change };
            let of_lists = self.sources.of_lists(&targets_ids);
            if !of_lists.is_empty() {
                return self.remove_list(targets_ids, of_lists, remove);
            }
            if several {
                return self.push_dialog(Confirm::new(question, names, remove));
            }
            self.sources.marked.clear();
            return vec![remove];
        }
        self.note("Select a source or a folder first")
    }

    /// Asks whether to keep the sources of removed lists.
    fn remove_list(
        &mut self,
        ids: Vec<SourceId>,
        of_lists: Vec<SourceId>,
        remove: Effect,
    ) -> Vec<Effect> {
        let sources = counted(of_lists.len(), "source");
        let question = match ids.as_slice() {
            [list] => format!("Remove the list {list}?"),
            many => format!("Remove {} sources, including a list?", many.len()),
        };
        let details =
            vec![format!("Enter keeps its {sources}."), "Press a to remove them too.".to_owned()];
        let all: Vec<SourceId> = ids.into_iter().chain(of_lists).collect();
        let label = format!("{REMOVAL}{} sources", all.len());
        let purpose = Purpose::Command(Some(label));
        let with_sources = Effect::Edit { purpose, change: FileChange::Remove(all) };
        self.push_dialog(Confirm::of_list(question, details, remove, with_sources))
    }
}

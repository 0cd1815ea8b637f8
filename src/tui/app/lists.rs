//! Followed OPML lists: following a list, and confirming the removal of sources that it no longer contains.

use super::history::Change;
use super::import::ImportPreview;
use super::{Add, App, Prompt, Stage};
use crate::engine::{ListFollowed, Pace, ProcessRole};
use crate::model::SourceKind;
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, RequestId};

impl App {
    pub(super) fn list_followed(
        &mut self,
        request: RequestId,
        typed: &str,
        result: Result<Box<ListFollowed>, Failure>,
    ) -> Vec<Effect> {
        let followed = match result {
            Ok(followed) => *followed,
            Err(why) => return self.list_not_followed(request, typed, why),
        };
        self.close_awaiting(request);
        let ListFollowed { source, added, already, skipped, edits, problem } = followed;
        let mut text = format!("Following the list {}: {} added", source.id, added.len());
        if !already.is_empty() {
            text += &format!(", {} already followed", already.len());
        }
        if !skipped.is_empty() {
            text += &format!(", {} skipped", skipped.len());
        }
        text +=
            &self.record_change(Change::Files(edits), format!("following the list {}", source.id));
        match problem {
            Some(why) => self.problem(format!("{text}: {why}")),
            None => self.note(text),
        }
    }

    fn list_not_followed(&mut self, request: RequestId, typed: &str, why: Failure) -> Vec<Effect> {
        let top = self.dialogs.last();
        let is_free = top.is_none_or(|dialog| dialog.awaits() == Some(request));
        if let Some(preview) = self.awaiting_mut::<ImportPreview>(request) {
            preview.going = false;
            return self.problem(why);
        }
        if let Some(add) = self.awaiting_mut::<Add>(request) {
            add.stage = Stage::Typing;
        }
        // Opens the prompt again, so that the user can correct the URL, but not while the user is doing
        // something else.
        if is_free {
            self.push_dialog(Prompt::import(typed));
        }
        self.problem(why)
    }

    /// Confirms the removal of sources that the selected list no longer contains.
    pub(super) fn accept_list(&mut self) -> Vec<Effect> {
        let source = self.selected_source();
        let is_list = |key: &i64| {
            let entry = self.sources.entry(*key);
            entry.is_some_and(|entry| entry.source.kind() == SourceKind::List)
        };
        match source.filter(is_list) {
            Some(source) => vec![Effect::AcceptList { source }],
            None => self.note("Select a followed list in the Sources pane first"),
        }
    }

    pub(super) fn list_accepted(
        &mut self,
        source: i64,
        result: Result<bool, Failure>,
    ) -> Vec<Effect> {
        match result {
            Ok(true) if matches!(self.status.role, ProcessRole::Watches(_)) => self.note(
                "Confirmed; the process that checks the sources makes the change at its next check",
            ),
            Ok(true) => self.refresh(Some(vec![source]), Pace::Force),
            Ok(false) => self.note("This list has nothing to confirm"),
            Err(why) => self.problem(why),
        }
    }
}

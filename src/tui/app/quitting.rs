//! Quits the program, after deciding about pending requests to mark items read.

use super::App;
use super::dialogs::{Confirm, Dialog};
use super::postponed::Postponed;
use crate::tui::effect::{Effect, ExitReason};
use std::any::Any;

impl App {
    /// Quits once the items to mark read are counted; at the second attempt, quits at once. A question about
    /// these items is shown first.
    pub(super) fn quit(&mut self, reason: ExitReason) -> Vec<Effect> {
        let is_question = |dialog: &dyn Dialog| (dialog as &dyn Any).is::<Confirm>();
        let asks = self.postponed.iter().any(
            |waiting| matches!(waiting, Postponed::Dialog(dialog) if is_question(dialog.as_ref())),
        );
        if self.quitting.is_some() || self.items.marking.is_empty() && !asks {
            return vec![Effect::Quit(reason)];
        }
        // The question is shown as soon as no other dialog is open.
        self.dialogs.clear();
        if asks {
            return vec![];
        }
        self.quitting = Some(reason);
        self.note("Counting the items to mark read. Quit again to leave them unread.")
    }

    /// Quits if the user has quit already, and the items to mark read have now been counted.
    pub(super) fn quit_if_counted(&mut self) -> Option<Effect> {
        let reason = if self.items.marking.is_empty() { self.quitting.take() } else { None };
        reason.map(Effect::Quit)
    }
}

//! Dialogs that wait for a reply. A reply changes only the dialog that waits for it, because the user may
//! have closed that dialog and be typing in another one.

use super::dialogs::Dialog;
use super::{Add, App, Stage};
use crate::tui::event::RequestId;

impl App {
    /// The dialog of a type that waits for a request.
    pub(super) fn awaiting_mut<D: Dialog>(&mut self, request: RequestId) -> Option<&mut D> {
        self.dialog_mut::<D>().filter(|dialog| dialog.awaits() == Some(request))
    }

    /// Closes the dialog that waits for a request, and the dialogs from which it was opened. Returns whether
    /// there was such a dialog.
    pub(super) fn close_awaiting(&mut self, request: RequestId) -> bool {
        let at = self.dialogs.iter().rposition(|dialog| dialog.awaits() == Some(request));
        if let Some(at) = at {
            self.dialogs.drain(..=at);
        }
        at.is_some()
    }

    /// Makes the add dialog wait for a request from a dialog that was opened from it.
    pub(super) fn await_in_add(&mut self, request: RequestId) {
        if let Some(add) = self.dialog_mut::<Add>() {
            add.stage = Stage::Following(request);
        }
    }
}

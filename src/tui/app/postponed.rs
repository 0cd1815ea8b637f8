//! Postpones dialogs and effects that would receive the user's keys while the user is typing.

use super::App;
use super::dialogs::Dialog;
use crate::tui::effect::Effect;

#[derive(Debug)]
pub(super) enum Postponed {
    /// A dialog that waits until no other dialog is open.
    Dialog(Box<dyn Dialog>),
    /// An effect that needs the terminal, and waits until the user is not typing.
    Effect(Box<Effect>),
}

impl App {
    /// Updates whether typed letters go to a text field.
    pub(super) fn notice_typing(&mut self) {
        let topmost = self.dialogs.last_mut();
        self.typing = topmost.is_some_and(|d| d.field().is_some() || d.takes_keys());
    }

    /// Opens a dialog whose content had to be read first, as soon as no other dialog is open.
    pub(super) fn push_when_free(&mut self, dialog: impl Dialog) -> Vec<Effect> {
        self.postponed.push(Postponed::Dialog(Box::new(dialog)));
        vec![]
    }

    /// Performs an effect that needs the terminal as soon as the user is not typing.
    pub(super) fn when_free(&mut self, effect: Effect) -> Vec<Effect> {
        self.postponed.push(Postponed::Effect(Box::new(effect)));
        vec![]
    }

    /// Opens dialogs and performs effects that no longer need to wait.
    pub(super) fn perform_postponed(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        for waiting in std::mem::take(&mut self.postponed) {
            match waiting {
                Postponed::Dialog(dialog) if self.dialogs.is_empty() => {
                    self.push_boxed(dialog);
                    self.notice_typing();
                }
                Postponed::Effect(effect) if !self.typing => effects.push(*effect),
                waiting => self.postponed.push(waiting),
            }
        }
        effects
    }
}

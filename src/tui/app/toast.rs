//! Messages that disappear after a while.

use super::App;
use crate::model::Time;
use crate::tui::effect::Effect;
use crate::util::text;
use chrono::TimeDelta;

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Tone {
    Note,
    Problem,
}

/// A message that disappears after a while.
#[derive(Debug, Clone)]
pub(in crate::tui) struct Toast {
    /// The complete text, for screen readers.
    pub(in crate::tui) text: String,
    /// The text without the hint about undo, and the key for undo.
    pub(in crate::tui) body: String,
    pub(in crate::tui) undo: Option<String>,
    pub(in crate::tui) tone: Tone,
    /// The item (row key) that the message is about, if the message would be misleading next to another item.
    about: Option<i64>,
    /// Whether the message is about an error in the configuration files.
    pub(super) is_about_files: bool,
    /// Whether the message is about something that happened in the background.
    background: bool,
    seen_since: Time,
    pub(super) until: Time,
}

/// Time for which notes are shown.
const NOTE_TIME: TimeDelta = TimeDelta::seconds(6);
const PROBLEM_TIME: TimeDelta = TimeDelta::seconds(15);
/// Time after which the next key removes the message.
const READ_TIME: TimeDelta = TimeDelta::seconds(2);

/// First words of errors that may be capitalised. Names at the start of an error are left unchanged: `mpv
/// exited`.
const FIRST_WORDS: &[&str] = &[
    "a", "all", "an", "another", "cannot", "database", "it", "its", "no", "not", "nothing", "only",
    "the", "there", "this", "type",
];

/// Capitalises an error. Most errors begin in lower case, because they may follow other words.
pub(in crate::tui) fn as_sentence(error: &str) -> String {
    let first = error.split(' ').next().unwrap_or_default();
    match FIRST_WORDS.contains(&first) {
        true => text::sentence(error),
        false => error.to_owned(),
    }
}

impl Toast {
    /// Whether the message was shown long enough to be read.
    pub(super) fn was_read(&self, now: Time) -> bool {
        self.seen_since + READ_TIME <= now
    }
}

impl App {
    pub(in crate::tui) fn note(&mut self, text: impl Into<String>) -> Vec<Effect> {
        self.show_message(text.into(), Tone::Note, NOTE_TIME)
    }

    /// Shows a message about something that happened in the background. It waits until a message about the
    /// user's own action, which may offer undo, has been shown.
    pub(super) fn background_note(&mut self, text: impl Into<String>) -> Vec<Effect> {
        let text = text.into();
        let is_own = |toast: &Toast| toast.tone == Tone::Note && !toast.background;
        if self.toast.as_ref().is_some_and(|toast| is_own(toast) && toast.until > self.now) {
            self.waiting_note = Some(text);
            return vec![];
        }
        let effects = self.note(text);
        if let Some(toast) = &mut self.toast {
            toast.background = true;
        }
        effects
    }

    /// Shows the message that has waited for another one.
    pub(super) fn show_waiting_note(&mut self) -> Vec<Effect> {
        match self.waiting_note.take_if(|_| self.toast.is_none()) {
            Some(text) => self.background_note(text),
            None => vec![],
        }
    }

    pub(in crate::tui) fn problem(&mut self, text: impl Into<String>) -> Vec<Effect> {
        self.show_message(as_sentence(&text.into()), Tone::Problem, PROBLEM_TIME)
    }

    /// Ties the message that was just shown to an item, so that it disappears with the item.
    pub(super) fn message_is_about(&mut self, key: i64) {
        if let Some(toast) = &mut self.toast {
            toast.about = Some(key);
        }
    }

    /// Removes a message about an item that the user has left.
    pub(super) fn leave_messages(&mut self) {
        let current = self.items.current().map(|row| row.key);
        self.toast.take_if(|toast| toast.about.is_some() && toast.about != current);
    }

    fn show_message(&mut self, text: String, tone: Tone, time: TimeDelta) -> Vec<Effect> {
        let hint = self.undo_hint();
        let body = text.replacen(&hint, "", 1);
        // In a dialog with a field, the key would be typed as text.
        let types = self.dialogs.last_mut().is_some_and(|dialog| dialog.field().is_some());
        let undo = self.undo_key().filter(|_| body != text && !types);
        let until = self.now + time;
        let toast = Toast {
            text,
            body,
            undo,
            tone,
            about: None,
            is_about_files: false,
            background: false,
            seen_since: self.now,
            until,
        };
        // A note must not hide a problem that the user has not had time to read.
        if let Some(before) =
            self.toast.replace(toast).filter(|before| before.tone == Tone::Problem)
            && before.until > self.now
            && tone == Tone::Note
        {
            self.problem = Some(before);
        }
        vec![]
    }

    pub(super) fn messages_time_passed(&mut self) {
        let now = self.now;
        self.toast.take_if(|toast| toast.until <= now);
        self.problem.take_if(|toast| toast.until <= now);
    }
}

//! Replies of the terminal that arrive as keys.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The reply to the query for the background is `ESC ] 11;rgb:RRRR/GGGG/BBBB` and BEL or `ESC \`. On a
/// slow line, and in multiplexers that pass it on late, it arrives after the program has stopped
/// waiting for it; its characters must not act as keys.
#[derive(Debug, Default)]
pub(super) struct Replies {
    /// What was read of a reply after `ESC ]`, if one began.
    read: Option<String>,
}

/// The start that a reply has.
const START: &str = "11;rgb:";
/// Longest reply, in characters.
const LONGEST: usize = 40;

impl Replies {
    /// Whether a key is part of a reply. A key that cannot be ends the reply and acts as usual.
    pub(super) fn take(&mut self, key: KeyEvent) -> bool {
        let alt = key.modifiers == KeyModifiers::ALT;
        let control = key.modifiers == KeyModifiers::CONTROL;
        let Some(read) = &mut self.read else {
            let begins = alt && key.code == KeyCode::Char(']');
            self.read = begins.then(String::new);
            return begins;
        };
        let closes =
            alt && key.code == KeyCode::Char('\\') || control && key.code == KeyCode::Char('g');
        let ends = closes && read.starts_with(START);
        if ends {
            self.read = None;
            return true;
        }
        if let KeyCode::Char(c) = key.code {
            read.push(c);
        }
        let body = read.strip_prefix(START);
        let goes_on = match body {
            Some(body) => body.chars().all(|c| c.is_ascii_hexdigit() || c == '/'),
            None => START.starts_with(read.as_str()),
        };
        let typed = matches!(key.code, KeyCode::Char(_)) && !alt && !control;
        let part = typed && goes_on && read.len() <= LONGEST;
        if !part {
            self.read = None;
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: char, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(code), modifiers)
    }

    /// The characters that act as keys.
    fn left(keys: &[KeyEvent]) -> String {
        let mut replies = Replies::default();
        let left = keys.iter().filter(|key| !replies.take(**key));
        left.filter_map(|key| key.code.as_char()).collect()
    }

    #[test]
    fn replies_do_not_act_as_keys() {
        let plain = |text: &str| -> Vec<KeyEvent> {
            text.chars().map(|c| press(c, KeyModifiers::NONE)).collect()
        };
        let alt = |c| vec![press(c, KeyModifiers::ALT)];
        let bell = vec![press('g', KeyModifiers::CONTROL)];
        let reply = plain("11;rgb:1313/1515/1b1b");
        assert_eq!(
            left(&[plain("j"), alt(']'), reply.clone(), alt('\\'), plain("k")].concat()),
            "jk"
        );
        assert_eq!(left(&[alt(']'), reply, bell, plain("k")].concat()), "k");
        // A user's Alt-] takes no more than itself.
        assert_eq!(left(&[alt(']'), plain("jk1")].concat()), "jk1");
        assert_eq!(left(&[alt(']'), plain("11;rgb:zj")].concat()), "zj");
    }
}

//! Replies of the terminal that arrive as keys.

use super::graphics::query::light;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Replies to queries begin with an escape and one of [`STARTS`], and end with BEL or `ESC \`. On a
/// slow connection, or through a multiplexer that passes them on late, they arrive after the program has
/// stopped waiting for them. Their characters must not act as keys.
#[derive(Debug, Default)]
pub(super) struct Replies {
    /// If a reply has begun: its start, and what was read of it after the escape.
    read: Option<(&'static str, String)>,
    /// Whether the background is light, if a late reply has reported it.
    pub(super) light: Option<bool>,
    /// Whether the terminal was asked for graphics. Otherwise the keys of such replies are the user's.
    pub(super) graphics: bool,
}

/// The beginnings of replies: with the background, about kitty's graphics, with the terminal's name.
const STARTS: [&str; 3] = ["]11;rgb:", "_Gi=31;", "P>|"];
/// Longest reply, in characters.
const LONGEST: usize = 60;

impl Replies {
    pub(super) fn new(graphics: bool) -> Self {
        Self { graphics, ..Self::default() }
    }

    /// Whether a key is part of a reply. A key that cannot be part of it ends the reply and acts as usual.
    pub(super) fn take(&mut self, key: KeyEvent) -> bool {
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let control = key.modifiers == KeyModifiers::CONTROL;
        let Some((start, read)) = &mut self.read else {
            let begins = |start: &&str| alt && key.code.as_char() == start.chars().next();
            let starts = if self.graphics { &STARTS[..] } else { &STARTS[..1] };
            self.read =
                starts.iter().copied().find(begins).map(|start| (start, start[..1].to_owned()));
            return self.read.is_some();
        };
        let closes =
            alt && key.code == KeyCode::Char('\\') || control && key.code == KeyCode::Char('g');
        let ends = closes && read.starts_with(*start);
        if ends {
            let color = read.strip_prefix("]11;");
            self.light = color.and_then(light).or(self.light);
            self.read = None;
            return true;
        }
        if let KeyCode::Char(c) = key.code {
            read.push(c);
        }
        let goes_on = match read.strip_prefix(*start) {
            Some(color) if *start == STARTS[0] => {
                color.chars().all(|c| c.is_ascii_hexdigit() || c == '/')
            }
            Some(_) => true,
            None => start.starts_with(read.as_str()),
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
        let mut replies = Replies { graphics: true, ..Replies::default() };
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
        for (first, rest) in [('_', "Gi=31;OK"), ('P', ">|XTerm(390) q"), ('_', "Gi=31;EINVAL: no")]
        {
            let shifted = vec![press(first, KeyModifiers::ALT | KeyModifiers::SHIFT)];
            let reply = [shifted, plain(rest), alt('\\'), plain("k")].concat();
            assert_eq!(left(&reply), "k", "{rest}");
        }
        assert_eq!(left(&[alt('_'), plain("Gj"), alt('P'), plain("q")].concat()), "jq");
        let user = press('P', KeyModifiers::ALT);
        assert!(!Replies::default().take(user), "nothing was asked");
        let mut late = Replies::default();
        let reply = [alt(']'), plain("11;rgb:ffff/fafa/f0f0"), alt('\\')].concat();
        assert!(reply.into_iter().all(|key| late.take(key)));
        assert_eq!(late.light, Some(true));
        // Alt-] typed by a user affects no other key.
        assert_eq!(left(&[alt(']'), plain("jk1")].concat()), "jk1");
        assert_eq!(left(&[alt(']'), plain("11;rgb:zj")].concat()), "zj");
    }
}

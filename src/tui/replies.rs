//! Recognises replies of the terminal that arrive as keys.

use super::graphics::query::light;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::{Duration, Instant};

/// Recognises late replies to queries. Replies begin with an escape and one of the prefixes below, and end
/// with BEL or `ESC \`. On a slow connection, or through a multiplexer that delays them, replies arrive after
/// the program has stopped waiting. Their characters must not act as keys. A key that could begin a reply
/// acts once it is clear that it does not.
#[derive(Debug, Default)]
pub(super) struct Replies {
    /// The prefixes of replies that may still arrive.
    expected: Vec<&'static str>,
    begun: Option<Begun>,
    /// Whether the background is light, if a late reply has reported it.
    pub(super) light: Option<bool>,
}

/// A reply that has begun.
#[derive(Debug)]
struct Begun {
    start: &'static str,
    /// The text after the escape so far.
    read: String,
    keys: Vec<KeyEvent>,
    /// When the last key arrived.
    last: Instant,
}

/// The prefix of the reply with the background colour.
const BACKGROUND: &str = "]11;";
/// The prefixes of the replies about kitty's graphics and the terminal's name.
const GRAPHICS: [&str; 2] = ["_Gi=31;", "P>|"];
/// Maximum length of a reply, in characters.
const LONGEST: usize = 60;
/// Maximum time between two characters of a reply. After this time, what was read is a whole reply, or keys.
const PAUSE: Duration = Duration::from_millis(200);

impl Begun {
    /// Whether this is a reply, and not keys that only start in the same way.
    fn is_reply(&self) -> bool {
        self.read.starts_with(self.start)
    }

    /// Whether a key ends the reply.
    fn ends_with(&self, key: KeyEvent) -> bool {
        let bell = key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('g');
        let escape = key.modifiers.contains(KeyModifiers::ALT) && key.code == KeyCode::Char('\\');
        self.is_reply() && (bell || escape)
    }

    /// Adds a key if it can be the next character of the reply. Returns whether it was added.
    fn add(&mut self, key: KeyEvent, now: Instant) -> bool {
        let KeyCode::Char(c) = key.code else { return false };
        let read = format!("{}{c}", self.read);
        let fits = match read.strip_prefix(self.start) {
            Some(color) if self.start == BACKGROUND => {
                color.chars().all(|c| c.is_ascii_hexdigit() || "rgb:/".contains(c))
            }
            Some(_) => true,
            None => self.start.starts_with(&read),
        };
        let is_text = !key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::CONTROL);
        if !is_text || !fits || read.len() > LONGEST {
            return false;
        }
        self.keys.push(key);
        (self.read, self.last) = (read, now);
        true
    }
}

impl Replies {
    /// Expects replies that were requested and have not arrived: the background, or those about graphics.
    pub(super) fn new(background: bool, graphics: bool) -> Self {
        let mut replies = Self::default();
        replies.expected.extend(background.then_some(BACKGROUND));
        replies.expect_graphics(graphics);
        replies
    }

    /// Sets whether the replies about graphics were requested and have not arrived.
    pub(super) fn expect_graphics(&mut self, expected: bool) {
        self.expected.retain(|start| !GRAPHICS.contains(start));
        self.expected.extend(GRAPHICS.into_iter().filter(|_| expected));
    }

    /// Handles a key press, and returns the keys that act now: none if the key is part of a reply, and also
    /// earlier keys that turned out not to be part of one.
    pub(super) fn take(&mut self, key: KeyEvent, now: Instant) -> Vec<KeyEvent> {
        let Some(begun) = &mut self.begun else {
            self.begun = self.begin(key, now);
            return if self.begun.is_some() { vec![] } else { vec![key] };
        };
        if begun.ends_with(key) {
            let color = begun.read.strip_prefix(BACKGROUND);
            self.light = color.and_then(light).or(self.light);
            self.expected.retain(|start| *start != begun.start);
            self.begun = None;
            return vec![];
        }
        if begun.add(key, now) {
            return vec![];
        }
        let mut keys = self.give_up();
        keys.extend(self.take(key, now));
        keys
    }

    fn begin(&self, key: KeyEvent, now: Instant) -> Option<Begun> {
        let first = key.code.as_char().filter(|_| key.modifiers.contains(KeyModifiers::ALT))?;
        let start = self.expected.iter().find(|start| start.starts_with(first))?;
        Some(Begun { start, read: first.to_string(), keys: vec![key], last: now })
    }

    /// Stops waiting for the rest of a reply. Returns the keys so far, unless they are a reply.
    pub(super) fn give_up(&mut self) -> Vec<KeyEvent> {
        self.begun
            .take()
            .filter(|begun| !begun.is_reply())
            .map(|begun| begun.keys)
            .unwrap_or_default()
    }

    /// Remaining time to wait for the next key before giving up; `None` if no reply has begun.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        let begun = self.begun.as_ref()?;
        Some(PAUSE.saturating_sub(now.saturating_duration_since(begun.last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: char, modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(code), modifiers)
    }

    fn plain(text: &str) -> Vec<KeyEvent> {
        text.chars().map(|c| press(c, KeyModifiers::NONE)).collect()
    }

    fn alt(c: char) -> Vec<KeyEvent> {
        vec![press(c, KeyModifiers::ALT)]
    }

    /// The characters that are handled as keys.
    fn left_by(replies: &mut Replies, keys: &[KeyEvent]) -> String {
        let now = Instant::now();
        let left = keys.iter().flat_map(|key| replies.take(*key, now));
        left.filter_map(|key| key.code.as_char()).collect()
    }

    fn left(keys: &[KeyEvent]) -> String {
        left_by(&mut Replies::new(true, true), keys)
    }

    #[test]
    fn does_not_treat_terminal_replies_as_keys() {
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
        let mut late = Replies::new(true, false);
        let reply = [alt(']'), plain("11;rgb:ffff/fafa/f0f0"), alt('\\')].concat();
        assert_eq!(left_by(&mut late, &reply), "");
        assert_eq!(late.light, Some(true));
        // A damaged reply ends with the first character that cannot belong to it.
        assert_eq!(left(&[alt(']'), plain("11;rgb:zj")].concat()), "zj");
    }

    #[test]
    fn handles_keys_that_begin_like_a_reply() {
        for keys in [
            [alt(']'), plain("jk1")].concat(),
            [alt(']'), plain("1j")].concat(),
            [alt(']'), alt(']'), plain("j")].concat(),
            [alt('_'), plain("Gj"), alt('P'), plain("q")].concat(),
        ] {
            let expected: String = keys.iter().filter_map(|key| key.code.as_char()).collect();
            assert_eq!(left(&keys), expected);
        }
        // If no other key follows, the keys act after a pause.
        let mut replies = Replies::new(true, true);
        let now = Instant::now();
        assert_eq!(replies.wait(now), None);
        assert_eq!(left_by(&mut replies, &alt(']')), "");
        let wait = replies.wait(now).unwrap();
        assert!(!wait.is_zero() && replies.wait(now + Duration::from_secs(5)).unwrap().is_zero());
        assert_eq!(replies.give_up(), alt(']'));
        assert_eq!(replies.wait(now), None);
    }

    #[test]
    fn waits_only_for_expected_replies() {
        let keys = [alt(']'), alt('_'), alt('P')].concat();
        for key in &keys {
            let act = Replies::new(false, false).take(*key, Instant::now());
            assert_eq!(act, [*key], "nothing was asked");
        }
        // Once the reply has arrived, the key takes effect at once.
        let mut replies = Replies::new(true, false);
        let reply = [alt(']'), plain("11;rgb:0/0/0"), alt('\\')].concat();
        assert_eq!(left_by(&mut replies, &reply), "");
        assert_eq!(left_by(&mut replies, &alt(']')), "]");
        replies.expect_graphics(true);
        assert_eq!(left_by(&mut replies, &alt('P')), "");
        replies.give_up();
        replies.expect_graphics(false);
        assert_eq!(left_by(&mut replies, &keys), "]_P");
    }
}

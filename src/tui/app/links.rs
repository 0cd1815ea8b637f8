//! Links and footnotes of the article: by number, by letter, from a list.

use super::keys::Motion;
use super::{App, Dialog};
use crate::article::LinkKind;
use crate::config::{Action, Context, Key, Lookup};
use crate::tui::effect::Effect;
use crate::tui::reader::{Line, Target};
use crossterm::event::{KeyCode, KeyEvent};

/// The links of the article.
#[derive(Debug)]
pub(crate) struct LinkList {
    pub(crate) links: Vec<(String, LinkKind)>,
    pub(crate) selected: usize,
    /// Digits typed so far.
    pub(crate) digits: String,
}

/// Letters on what can be gone to from the screen.
#[derive(Debug)]
pub(crate) struct Hints {
    /// With the letters of each.
    pub(crate) targets: Vec<(String, Target)>,
    /// Letters typed so far.
    pub(crate) typed: String,
}

impl Hints {
    /// The letters of a target.
    pub(crate) fn label(&self, target: Target) -> Option<&str> {
        let hint = self.targets.iter().find(|(_, t)| *t == target);
        hint.map(|(label, _)| label.as_str()).filter(|label| label.starts_with(&self.typed))
    }
}

/// The letters of hints, those under the fingers first.
const LETTERS: &[u8] = b"asdfghjklqwertyuiopzxcvbnm";
/// Targets on one screen that get letters: as many as two letters can tell apart.
const MOST_HINTS: usize = LETTERS.len() * LETTERS.len();
/// Jumps that can be taken back.
const MOST_JUMPS: usize = 100;

/// As many labels as asked for, none the beginning of another.
fn labels(count: usize) -> Vec<String> {
    let letters = || LETTERS.iter().map(|b| char::from(*b));
    if count <= LETTERS.len() {
        return letters().take(count).map(String::from).collect();
    }
    letters().flat_map(|a| letters().map(move |b| format!("{a}{b}"))).take(count).collect()
}

impl App {
    /// Puts letters on the links and footnotes that are on the screen; where there are none, all
    /// links are listed.
    pub(super) fn open_hints(&mut self) -> Vec<Effect> {
        let reader = &self.reader;
        let seen = reader.lines.lines.iter().skip(reader.top).take(reader.height);
        let mut targets: Vec<Target> = Vec::new();
        for span in seen.flat_map(Line::all).filter(|span| span.mark) {
            if let Some(target) = span.target.filter(|t| !targets.contains(t)) {
                targets.push(target);
            }
        }
        if targets.is_empty() || reader.different {
            return self.open_links("");
        }
        targets.truncate(MOST_HINTS);
        let targets = labels(targets.len()).into_iter().zip(targets).collect();
        self.dialogs.push(Dialog::Hints(Hints { targets, typed: String::new() }));
        vec![]
    }

    pub(super) fn hints_key(&mut self, key: Key) -> Vec<Effect> {
        let Some(Dialog::Hints(hints)) = self.dialogs.last_mut() else { return vec![] };
        let letter = key.text().filter(char::is_ascii_lowercase);
        if let Some(letter) = letter {
            hints.typed.push(letter);
            let fits = |(label, _): &&(String, Target)| label.starts_with(&hints.typed);
            match hints.targets.iter().find(fits).cloned() {
                Some((label, target)) if label == hints.typed => {
                    self.dialogs.pop();
                    return self.go_to(target);
                }
                Some(_) => {}
                None => hints.typed.clear(),
            }
            return vec![];
        }
        self.dialogs.pop();
        match key.text() {
            Some(digit) if digit.is_ascii_digit() => self.open_link_digit(key),
            _ if self.keymap.lookup(Context::Reader, &[key]) == Lookup::Action(Action::Hints) => {
                self.open_links("")
            }
            _ => vec![],
        }
    }

    /// Opens a link, or jumps to or from a footnote.
    pub(super) fn go_to(&mut self, target: Target) -> Vec<Effect> {
        let wanted = match target {
            Target::Link(link) => return self.open_link(link + 1),
            Target::Note(note) => Target::Reference(note),
            Target::Reference(note) => Target::Note(note),
        };
        let holds = |line: &Line| line.all().any(|span| span.mark && span.target == Some(wanted));
        let Some(line) = self.reader.lines.lines.iter().position(holds) else {
            return self.note("this footnote is not in the text");
        };
        let reader = &mut self.reader;
        if reader.jumps.len() < MOST_JUMPS {
            reader.jumps.push(reader.place);
        }
        reader.go_to_line(line);
        match self.keymap.keys_for(Context::Reader, Action::JumpBack) {
            Some(key) => self.note(format!("{key} goes back")),
            None => vec![],
        }
    }

    /// Goes back to where the last jump began.
    pub(super) fn jump_back(&mut self) -> Vec<Effect> {
        match self.reader.jumps.pop() {
            Some(place) => {
                self.reader.pointed = None;
                self.reader.go_to_place(place);
                vec![]
            }
            None => self.note("no jump to go back from"),
        }
    }

    /// A digit opens its link at once, unless more digits could follow: then it begins the number.
    pub(super) fn open_link_digit(&mut self, key: Key) -> Vec<Effect> {
        let Some(digit) = key.text().and_then(|c| c.to_digit(10)) else {
            return self.open_links("");
        };
        if digit as usize * 10 <= self.links().len() {
            return self.open_links(&digit.to_string());
        }
        self.open_link(digit as usize)
    }

    /// Opens the n-th link of the article, counted from 1.
    pub(super) fn open_link(&mut self, number: usize) -> Vec<Effect> {
        let Some(article) = &self.reader.article else { return vec![] };
        match number.checked_sub(1).and_then(|i| article.document.links.get(i)) {
            Some(link) => vec![Effect::Browse { urls: vec![link.url.clone()] }],
            None => self.note(format!("there is no link {number}")),
        }
    }

    /// The links of the article as they are listed.
    fn links(&self) -> Vec<(String, LinkKind)> {
        let links = self.reader.article.as_ref().map(|a| a.document.links.as_slice());
        links.unwrap_or_default().iter().map(|l| (l.url.clone(), l.kind)).collect()
    }

    /// Lists the links, with the beginning of a number typed already.
    pub(super) fn open_links(&mut self, digits: &str) -> Vec<Effect> {
        let links = self.links();
        if links.is_empty() {
            return self.note("no links in this article");
        }
        let typed: usize = digits.parse().unwrap_or(1);
        let selected = typed.saturating_sub(1).min(links.len() - 1);
        self.dialogs.push(Dialog::Links(LinkList { links, selected, digits: digits.to_owned() }));
        vec![]
    }

    pub(super) fn links_key(
        &mut self,
        event: KeyEvent,
        motion: Option<Motion>,
        back: bool,
    ) -> Vec<Effect> {
        let Some(Dialog::Links(list)) = self.dialogs.last_mut() else { return vec![] };
        let number = match event.code {
            KeyCode::Char(c) if c.is_ascii_digit() => {
                list.digits.push(c);
                let typed: usize = list.digits.parse().unwrap_or(0);
                list.selected = typed.saturating_sub(1).min(list.links.len() - 1);
                // Another digit could still follow.
                if typed * 10 <= list.links.len() {
                    return vec![];
                }
                typed
            }
            KeyCode::Backspace => {
                list.digits.pop();
                return vec![];
            }
            KeyCode::Enter => list.selected + 1,
            _ => {
                if let Some(motion) = motion {
                    list.digits.clear();
                    list.selected = motion.from(list.selected, 10, list.links.len());
                } else if back || event.code == KeyCode::Char(';') {
                    self.dialogs.pop();
                }
                return vec![];
            }
        };
        self.dialogs.pop();
        self.open_link(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_is_the_beginning_of_another() {
        for count in [1, 26, 27, MOST_HINTS] {
            let all = labels(count);
            assert_eq!(all.len(), count);
            let lengths: Vec<usize> = all.iter().map(String::len).collect();
            assert!(lengths.iter().all(|l| *l == lengths[0]));
            let different: std::collections::HashSet<&String> = all.iter().collect();
            assert_eq!(different.len(), count);
        }
    }
}

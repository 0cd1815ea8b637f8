//! Links, footnotes and jumps in the article: by number, by hint letters, or from a list.

use super::super::reader::link_names;
use super::dialogs::KeyHint::{Back, Bound, Rows};
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, Focus, ReaderPane};
use crate::article::{Link, LinkKind};
use crate::config::{Action, Context, Key, Lookup};
use crate::model::ItemRow;
use crate::tui::effect::{Effect, FileOf, FileUse, MediaFile};
use crate::tui::event::Failure;
use crate::tui::read::Read;
use crate::tui::reader::{Line, Span, Target};
use crate::tui::view::{self, DialogArea};
use crate::util::text::counted;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

/// The list of the article's links.
#[derive(Debug)]
pub(crate) struct LinkList {
    pub(crate) title: &'static str,
    pub(crate) links: Vec<Link>,
    /// The text of each link.
    pub(crate) names: Vec<String>,
    pub(crate) selected: usize,
    /// Digits typed so far.
    pub(crate) digits: String,
    /// The item that contains the links.
    pub(in crate::tui) of: FileOf,
    /// Whether files are opened or downloaded.
    pub(in crate::tui) file_use: FileUse,
}

/// Hint letters on the visible links and footnotes, or on the visible blocks of code.
#[derive(Debug)]
pub(crate) struct Hints {
    /// The label and the target of each hint.
    pub(crate) targets: Vec<(String, Target)>,
    /// Letters typed so far.
    pub(crate) typed: String,
    /// Whether one of the letters was a capital, so that the URL is copied.
    copies: bool,
}

impl Hints {
    fn new(mut targets: Vec<Target>) -> Self {
        targets.truncate(MAX_HINTS);
        let targets = labels(targets.len()).into_iter().zip(targets).collect();
        Self { targets, typed: String::new(), copies: false }
    }

    /// Whether the letters are on blocks of code.
    fn chooses_code(&self) -> bool {
        matches!(self.targets.first(), Some((_, Target::Code(_))))
    }

    /// The label of a target, if it still matches the typed letters.
    pub(crate) fn label(&self, target: Target) -> Option<&str> {
        let hint = self.targets.iter().find(|(_, t)| *t == target);
        hint.map(|(label, _)| label.as_str()).filter(|label| label.starts_with(&self.typed))
    }
}

/// Letters used for hints, starting with the home row.
const LETTERS: &[u8] = b"asdfghjklqwertyuiopzxcvbnm";
/// Maximum number of targets on a screen that get hints, so that two letters are enough for each.
const MAX_HINTS: usize = LETTERS.len() * LETTERS.len();
/// Maximum number of remembered jumps.
const MAX_JUMPS: usize = 100;

/// Generates `count` labels, so that none is a prefix of another.
fn labels(count: usize) -> Vec<String> {
    let letters = || LETTERS.iter().map(|b| char::from(*b));
    if count <= LETTERS.len() {
        return letters().take(count).map(String::from).collect();
    }
    letters().flat_map(|a| letters().map(move |b| format!("{a}{b}"))).take(count).collect()
}

impl Dialog for Hints {
    fn key(&mut self, app: &mut App, _event: KeyEvent, key: Key) -> Reply {
        if let Some(letter) = key.text().filter(char::is_ascii_alphabetic) {
            self.copies |= letter.is_ascii_uppercase();
            self.typed.push(letter.to_ascii_lowercase());
            let fits = |(label, _): &&(String, Target)| label.starts_with(&self.typed);
            return match self.targets.iter().find(fits) {
                Some((label, target)) if *label == self.typed => Reply::close(match target {
                    Target::Link(link) if self.copies => app.copy_link(*link),
                    target => app.go_to(*target),
                }),
                Some(_) => Reply::default(),
                None => {
                    (self.typed, self.copies) = (String::new(), false);
                    Reply::default()
                }
            };
        }
        if self.chooses_code() {
            return Reply::close(vec![]);
        }
        let is_hints = app.keymap.lookup(Context::Reader, &[key]) == Lookup::Action(Action::Hints);
        Reply::close(match key.text() {
            Some(digit) if digit.is_ascii_digit() => app.open_link_digit(key),
            _ if is_hints => app.open_links(""),
            _ => vec![],
        })
    }

    fn is_framed(&self) -> bool {
        false
    }

    /// The Reader draws the hints.
    fn draw(&mut self, _app: &App, _frame: &mut Frame<'_>, _area: DialogArea) {}

    fn hints(&self) -> KeyHints {
        if self.chooses_code() {
            return &[KeyHint::Key("a-z", "copy"), KeyHint::Key("Esc", "close")];
        }
        &[
            KeyHint::Key("a-z", "open"),
            KeyHint::Key("A-Z", "copy URL"),
            Bound(Context::Reader, Action::Hints, "list"),
            KeyHint::Key("Esc", "close"),
        ]
    }
}

impl ReaderPane {
    /// The first link at or below the top of the screen, or else the last link.
    pub(super) fn next_link(&self) -> usize {
        let lines = self.lines.lines.iter().skip(self.top);
        let link = |span: &Span| match span.target {
            Some(Target::Link(link)) => Some(link),
            _ => None,
        };
        lines.flat_map(|line| &line.spans).find_map(link).unwrap_or(usize::MAX)
    }
}

impl ReaderPane {
    /// The blocks of code of which at least one line with text is on the screen.
    pub(super) fn visible_code(&self) -> Vec<usize> {
        let seen = self.lines.lines.iter().skip(self.top).take(self.height);
        let mut all: Vec<usize> = seen
            .filter(|line| !line.text().trim().is_empty())
            .filter_map(|line| line.code)
            .collect();
        all.dedup();
        all
    }
}

impl LinkList {
    fn open(&self, index: usize, app: &mut App) -> Vec<Effect> {
        match self.links.get(index) {
            Some(link) => app.use_link(link, self.of, self.file_use),
            None => app.note(format!("Link {} does not exist", index + 1)),
        }
    }
}

pub(super) fn file_of(row: &ItemRow) -> FileOf {
    FileOf { item: row.key, source: row.source_key }
}

impl Dialog for LinkList {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        let count = self.links.len();
        match event.code {
            KeyCode::Char(c) if c.is_ascii_digit() => {
                self.digits.push(c);
                let typed: usize = self.digits.parse().unwrap_or(0);
                self.selected = typed.saturating_sub(1).min(count - 1);
                // Open the link, unless another digit could follow.
                if typed * 10 > count {
                    return Reply::close(self.open(typed.saturating_sub(1), app));
                }
            }
            KeyCode::Backspace => {
                self.digits.pop();
            }
            KeyCode::Enter => return Reply::close(self.open(self.selected, app)),
            _ if app.keymap.lookup(Context::Reader, &[key]) == Lookup::Action(Action::Copy) => {
                let url = self.links.get(self.selected).map(|link| link.url.clone());
                return url.map(|url| app.copy_url(url)).unwrap_or_default().into();
            }
            code => {
                if let Some(motion) = app.motion(key) {
                    self.digits.clear();
                    self.selected = motion.from(self.selected, 10, count);
                } else if app.is_back(key) || code == KeyCode::Char(';') {
                    return Reply::close(vec![]);
                }
            }
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::dialogs::links(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        match self.file_use {
            FileUse::Open => &[
                KeyHint::Key("1-9", "by number"),
                KeyHint::Key("Enter", "open"),
                Bound(Context::Reader, Action::Copy, "copy URL"),
                Rows("select"),
                Back("close"),
            ],
            FileUse::Download => &[
                KeyHint::Key("1-9", "by number"),
                KeyHint::Key("Enter", "download"),
                Rows("select"),
                Back("close"),
            ],
        }
    }
}

impl ReaderPane {
    /// Records the position from which a jump begins.
    pub(super) fn record_jump(&mut self, place: usize) {
        if let Some(key) = self.row().map(|row| row.key) {
            if self.jumps.len() >= MAX_JUMPS {
                self.jumps.remove(0);
            }
            self.jumps.push((key, place));
        }
    }
}

impl App {
    /// Shows hint letters on the visible links and footnotes. If there are none, lists all links.
    pub(super) fn open_hints(&mut self) -> Vec<Effect> {
        let reader = &self.reader;
        let seen = reader.lines.lines.iter().skip(reader.top).take(reader.height);
        let mut targets: Vec<Target> = Vec::new();
        for span in seen.flat_map(Line::all).filter(|span| span.mark) {
            if let Some(target) = span.target.filter(|t| !targets.contains(t)) {
                targets.push(target);
            }
        }
        if targets.is_empty() || reader.show_difference {
            return self.open_links("");
        }
        self.push_dialog(Hints::new(targets))
    }

    /// Copies the block of code on the screen. If there are several, shows hint letters on them.
    pub(super) fn choose_code(&mut self) -> Vec<Effect> {
        match self.reader.visible_code().as_slice() {
            [] => self.note("No code on the screen"),
            [code] => self.copy_code(*code),
            all => {
                self.push_dialog(Hints::new(all.iter().map(|code| Target::Code(*code)).collect()))
            }
        }
    }

    fn copy_code(&mut self, code: usize) -> Vec<Effect> {
        let Some(code) = self.reader.lines.codes.get(code) else { return vec![] };
        let (text, count) = (code.to_string(), code.lines().count());
        self.copy_text(text, &format!("{} of code", counted(count, "line")), "code")
    }

    /// Opens a link, copies a block of code, or jumps to a footnote, to its reference, or to a place in the
    /// text.
    pub(super) fn go_to(&mut self, target: Target) -> Vec<Effect> {
        let is_mark = |span: &Span, of: Target| span.mark && span.target == Some(of);
        let is_goal = |span: &Span| match target {
            Target::Link(_) | Target::Code(_) => false,
            Target::Note(note) => is_mark(span, Target::Reference(note)),
            Target::Reference(note) => is_mark(span, Target::Note(note)),
            Target::Place(place) => span.place == Some(place),
        };
        match target {
            Target::Link(link) => return self.open_link(link + 1),
            Target::Code(code) => return self.copy_code(code),
            _ => {}
        }
        let line = self.reader.lines.lines.iter().position(|line| line.all().any(is_goal));
        let Some(line) = line else {
            return self.note("This part of the text is not shown");
        };
        self.reader.record_jump(self.reader.place);
        self.reader.go_to_line(line);
        match self.keymap.keys_for(Context::Reader, Action::JumpBack) {
            Some(key) => self.note(format!("Press {key} to go back")),
            None => vec![],
        }
    }

    /// Returns to the position where the last jump began, which may be in another article.
    pub(super) fn jump_back(&mut self) -> Vec<Effect> {
        let here = self.reader.row().map(|row| row.key);
        match self.reader.jumps.pop() {
            Some((key, place)) if here == Some(key) => {
                self.reader.pointed = None;
                self.reader.go_to_place(place);
                vec![]
            }
            Some((key, place)) => {
                self.reader.places.insert(key, place);
                self.jump_to_item(key)
            }
            None => self.note("Nothing to go back to"),
        }
    }

    /// Opens or downloads the file of a link. A stored page opens in the Reader, any other page in the
    /// browser.
    fn use_link(&mut self, link: &Link, of: FileOf, file_use: FileUse) -> Vec<Effect> {
        vec![match link.kind {
            LinkKind::Page => Effect::Read(Read::Linked {
                url: link.url.clone(),
                from: of.item,
                source: of.source,
            }),
            LinkKind::Image | LinkKind::Media => {
                Effect::UseFile { file: MediaFile::of(link, of), file_use }
            }
        }]
    }

    /// Opens the page of a link in an item (row key): in the Reader if it is another stored item, or else in
    /// the browser.
    pub(super) fn link_followed(
        &mut self,
        from: i64,
        url: String,
        result: Result<Option<i64>, Failure>,
    ) -> Vec<Effect> {
        let is_open =
            self.focus == Focus::Reader && self.reader.row().is_some_and(|r| r.key == from);
        // The browser can open the page even if the database cannot be read.
        match result.ok().flatten().filter(|key| is_open && *key != from) {
            None => vec![Effect::Browse { urls: vec![url] }],
            Some(key) => {
                self.reader.record_jump(self.reader.place);
                let mut effects = self.jump_to_item(key);
                if let Some(key) = self.keymap.keys_for(Context::Reader, Action::JumpBack) {
                    effects.extend(
                        self.note(format!("This is one of your items. Press {key} to go back")),
                    );
                }
                effects
            }
        }
    }

    /// Opens an item that may not be in the list.
    fn jump_to_item(&mut self, key: i64) -> Vec<Effect> {
        self.reader.jumping_to = Some(key);
        vec![self.read_article(key)]
    }

    /// Opens the link whose number is the typed digit. If more digits could follow, opens the list instead,
    /// with the digit already typed.
    pub(super) fn open_link_digit(&mut self, key: Key) -> Vec<Effect> {
        let Some(digit) = key.text().and_then(|c| c.to_digit(10)) else {
            return self.open_links("");
        };
        if digit as usize * 10 <= self.links().len() {
            return self.open_links(&digit.to_string());
        }
        self.open_link(digit as usize)
    }

    /// Opens a link of the article by its number, counted from 1.
    pub(super) fn open_link(&mut self, number: usize) -> Vec<Effect> {
        let Some(article) = &self.reader.article else { return vec![] };
        match number.checked_sub(1).and_then(|i| article.document.links.get(i)) {
            Some(link) => {
                let (link, of) = (link.clone(), file_of(&article.row));
                self.use_link(&link, of, FileUse::Open)
            }
            None => self.note(format!("Link {number} does not exist")),
        }
    }

    fn copy_link(&mut self, link: usize) -> Vec<Effect> {
        let url = self.links().get(link).map(|link| link.url.clone());
        url.map(|url| self.copy_url(url)).unwrap_or_default()
    }

    pub(super) fn links(&self) -> &[Link] {
        self.reader.article.as_ref().map(|a| a.document.links.as_slice()).unwrap_or_default()
    }

    /// Lists the links, with the first digits of a number already typed.
    pub(super) fn open_links(&mut self, digits: &str) -> Vec<Effect> {
        let links = self.links().to_vec();
        if links.is_empty() {
            let key = self.reader.row().map(|row| row.key);
            return self.note(match key.is_some_and(|key| self.texts.is_fetching(key)) {
                true => "No links yet: the page is still being fetched",
                false => "No links in this article",
            });
        }
        let typed = digits.parse().ok().and_then(|number: usize| number.checked_sub(1));
        let selected = typed.unwrap_or_else(|| self.reader.next_link()).min(links.len() - 1);
        let article = self.reader.article.as_ref();
        let names = article.map(|article| link_names(&article.document)).unwrap_or_default();
        let (title, digits) = ("Links", digits.to_owned());
        let of = article.map(|article| file_of(&article.row)).unwrap_or_default();
        let file_use = FileUse::Open;
        self.push_dialog(LinkList { title, links, names, selected, digits, of, file_use })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generates_no_label_that_is_a_prefix_of_another() {
        for count in [1, 26, 27, MAX_HINTS] {
            let all = labels(count);
            assert_eq!(all.len(), count);
            let lengths: Vec<usize> = all.iter().map(String::len).collect();
            assert!(lengths.iter().all(|l| *l == lengths[0]));
            let different: std::collections::HashSet<&String> = all.iter().collect();
            assert_eq!(different.len(), count);
        }
    }
}

//! The headings of the article: a list of them, and stepping through them.

use super::dialogs::KeyHint::{Back, Rows};
use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, ReaderPane};
use crate::config::{Action, Context, Key};
use crate::tui::effect::Effect;
use crate::tui::reader::{HeadingLines, Joint, Line};
use crate::tui::view::{self, DialogArea};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;

/// The hints name the list of headings if there are at least this many headings, and the text fills more than
/// [`SCREENS`] screens.
const WORTH_LISTING: usize = 3;
const SCREENS: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Rank among the headings of the article, from 0.
    pub(crate) rank: usize,
    pub(crate) title: String,
}

/// The list of the article's headings.
#[derive(Debug)]
pub(crate) struct HeadingList {
    pub(crate) headings: Vec<Heading>,
    pub(crate) selected: usize,
}

impl Dialog for HeadingList {
    fn key(&mut self, app: &mut App, event: KeyEvent, key: Key) -> Reply {
        if event.code == KeyCode::Enter {
            return Reply::close(match self.headings.get(self.selected) {
                Some(heading) => app.go_to_heading(self.selected, heading),
                None => vec![],
            });
        }
        if let Some(motion) = app.motion(key) {
            self.selected = motion.from(self.selected, 10, self.headings.len());
        } else if app.is_back(key) {
            return Reply::close(vec![]);
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::lists::headings(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        &[KeyHint::Key("Enter", "go to it"), Rows("select"), Back("close")]
    }
}

impl ReaderPane {
    /// The headings, each with the line where it begins.
    fn headings(&self) -> Vec<(usize, Heading)> {
        let lines = &self.lines.lines;
        let heading = |(at, line): (usize, &Line)| {
            let HeadingLines { rank, count } = line.heading?;
            let mut title = String::new();
            for line in lines.iter().skip(at).take(count) {
                title.push_str(if line.joint == Joint::Tight { "" } else { " " });
                // The numbers of links are not part of the title.
                let text = line.spans.iter().filter(|span| !span.mark);
                text.for_each(|span| title.push_str(&span.text));
            }
            Some((at, Heading { rank, title: title.trim().to_owned() }))
        };
        lines.iter().enumerate().filter_map(heading).collect()
    }

    /// Whether the text is so long, and has so many headings, that a list of them is useful.
    pub(super) fn has_outline(&self) -> bool {
        let headings = self.lines.lines.iter().filter(|line| line.heading.is_some());
        self.lines.lines.len() > SCREENS * self.height
            && headings.take(WORTH_LISTING).count() == WORTH_LISTING
    }

    /// The line that is being read: the target of the last jump if it is on the screen, or else the first
    /// line on the screen.
    fn line_read(&self) -> (usize, bool) {
        let seen = self.top..self.top + self.height;
        let pointed = self.pointed.filter(|line| seen.contains(line));
        (pointed.unwrap_or(self.top), pointed.is_some())
    }

    fn show_heading(&mut self, line: usize) {
        self.set_top(line);
        self.pointed = Some(line);
    }
}

impl App {
    /// Lists the headings, and selects that of the text at the top of the screen.
    pub(super) fn open_headings(&mut self) -> Vec<Effect> {
        let reader = &self.reader;
        let headings = reader.headings();
        if headings.is_empty() {
            return self.note(match reader.show_difference {
                true => "The list of changes has no headings",
                false => "This article has no headings",
            });
        }
        // The first line may be the empty one above a heading.
        let (line, _) = reader.line_read();
        let selected = headings.iter().rposition(|(at, _)| *at <= line + 1).unwrap_or(0);
        let headings = headings.into_iter().map(|(_, heading)| heading).collect();
        self.push_dialog(HeadingList { headings, selected })
    }

    /// Goes to a heading of the list. Its line is found again, because the text may have been laid out
    /// again, or replaced, since the list was opened.
    fn go_to_heading(&mut self, index: usize, heading: &Heading) -> Vec<Effect> {
        let headings = self.reader.headings();
        let is_it = |(_, other): &&(usize, Heading)| other == heading;
        let same = headings.get(index).filter(is_it).or_else(|| headings.iter().find(is_it));
        let Some(line) = same.map(|(line, _)| *line) else {
            return self.note("This part of the text is not shown");
        };
        self.reader.record_jump(self.reader.place);
        self.reader.show_heading(line);
        match self.keymap.keys_for(Context::Reader, Action::JumpBack) {
            Some(key) => self.note(format!("Press {key} to go back")),
            None => vec![],
        }
    }

    /// Goes to the next or previous heading of the article.
    pub(super) fn step_heading(&mut self, forward: bool) -> Vec<Effect> {
        let reader = &mut self.reader;
        let (at, is_pointed) = reader.line_read();
        let headings = || {
            let lines = reader.lines.lines.iter().enumerate();
            lines.filter(|(_, line)| line.heading.is_some()).map(|(at, _)| at)
        };
        let mut all = headings();
        let found = match forward {
            true => all.find(|line| *line > at || !is_pointed && *line == at),
            false => all.take_while(|line| *line < at).last(),
        };
        match found {
            Some(line) => {
                reader.show_heading(line);
                vec![]
            }
            None if headings().next().is_none() => self.note("This article has no headings"),
            None => self.note(if forward {
                "This is the last heading"
            } else {
                "This is the first heading"
            }),
        }
    }
}

//! Runs the programs of `[[command]]` for the selected items, and shows their output.

use super::availability::NO_ITEM;
use super::dialogs::KeyHint::{Back, Bound, Rows};
use super::dialogs::{Dialog, KeyHints, Reply};
use super::{App, Focus};
use crate::config::{Action, CommandOutput, Context, Key, Lookup};
use crate::engine::CommandRun;
use crate::tui::effect::Effect;
use crate::tui::event::Failure;
use crate::tui::reader::wrap_plain;
use crate::tui::view::{self, DialogArea};
use crate::util::text::{self, block, counted, line};
use crossterm::event::KeyEvent;
use ratatui::Frame;

/// Maximum number of items for one run of a command.
const MAX_ITEMS: usize = 100;

/// The output of a command.
#[derive(Debug)]
pub(crate) struct OutputWindow {
    pub(crate) title: String,
    text: String,
    /// The text wrapped into lines, with their maximum width in cells.
    wrapped: (usize, Vec<String>),
    /// Scroll position in lines.
    pub(crate) top: usize,
}

impl OutputWindow {
    fn new(title: &str, output: &[u8]) -> Self {
        let text = block(&String::from_utf8_lossy(output));
        Self { title: title.to_owned(), text, wrapped: (0, Vec::new()), top: 0 }
    }

    /// The text wrapped into lines of at most `width` cells. The lines are cached.
    pub(crate) fn lines(&mut self, width: usize) -> &[String] {
        if self.wrapped.0 != width {
            let lines = self.text.lines().flat_map(|line| match line {
                "" => vec![String::new()],
                line => wrap_plain(line, width),
            });
            self.wrapped = (width, lines.collect());
        }
        &self.wrapped.1
    }
}

impl App {
    /// Runs a command for the current or the selected items.
    pub(super) fn run_command(&mut self, name: &str) -> Vec<Effect> {
        let Some(command) = self.settings.commands.iter().find(|c| c.name == name).cloned() else {
            return self.problem(format!("There is no valid [[command]] named {}", line(name)));
        };
        let rows = match self.focus {
            Focus::Sources if !self.awaits_targets() => {
                self.items.current().cloned().into_iter().collect()
            }
            _ => self.item_targets(),
        };
        let items: Vec<i64> = rows.iter().map(|row| row.key).collect();
        match items.len() {
            0 if self.awaits_targets() => return self.note(self.being_read()),
            0 => return self.note(NO_ITEM),
            count if count > MAX_ITEMS => {
                return self.problem(format!(
                    "At most {MAX_ITEMS} items are allowed, but {count} are selected"
                ));
            }
            _ => {}
        }
        if self.commands_running.contains(name) {
            let key = self.keymap.keys_for(self.context(), Action::StopRunning);
            let stop = key.map(|key| format!("; {key} stops it")).unwrap_or_default();
            return self.note(format!("{name} is still running{stop}"));
        }
        if command.output != CommandOutput::Terminal {
            self.commands_running.insert(name.to_owned());
            self.note(format!("{name} …"));
        }
        vec![Effect::RunCommand { command: Box::new(command), items }]
    }

    /// Shows how a command ended; `None` means that it was stopped.
    pub(super) fn command_ended(
        &mut self,
        name: &str,
        output: CommandOutput,
        run: Result<Option<CommandRun>, Failure>,
    ) -> Vec<Effect> {
        self.commands_running.remove(name);
        let run = match run {
            Ok(Some(run)) => run,
            Ok(None) => return self.note(format!("{name}: stopped")),
            Err(why) => return self.problem(format!("{name}: {why}")),
        };
        let mut effects = Vec::new();
        let shows = output == CommandOutput::Window && !run.output.is_empty();
        if shows && !self.dialogs.is_empty() {
            // The window must not open while the user is typing, because it would receive the keys.
            let size = run.output.len() as u64;
            effects.extend(self.problem(format!(
                "{name}: its output ({}) was not shown, because a dialog was open",
                text::size(size)
            )));
            return effects;
        }
        if shows {
            effects.extend(self.push_dialog(OutputWindow::new(name, &run.output)));
        }
        let of = |count: usize| match run.done + run.failed + run.left_out {
            1 => String::new(),
            _ => format!(" for {}", counted(count, "item")),
        };
        match run.error {
            Some(error) => {
                let rest = match run.left_out {
                    0 => String::new(),
                    rest => format!("; not run for {}", counted(rest, "item")),
                };
                let failed = of(run.failed);
                effects.extend(self.problem(format!("{name} failed{failed}: {error}{rest}")));
            }
            None => effects.extend(self.note(format!("{name}: done{}", of(run.done)))),
        }
        effects
    }
}

impl Dialog for OutputWindow {
    fn key(&mut self, app: &mut App, _event: KeyEvent, key: Key) -> Reply {
        if let Some(motion) = app.motion(key) {
            self.top = motion.from(self.top, 10, self.wrapped.1.len());
            return Reply::default();
        }
        if app.is_back(key) {
            return Reply::close(vec![]);
        }
        if app.keymap.lookup(Context::Items, &[key]) == Lookup::Action(Action::Copy) {
            app.note("Copied the output");
            return vec![Effect::Copy { text: self.text.clone() }].into();
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::dialogs::output(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        const HINTS: KeyHints =
            &[Bound(Context::Items, Action::Copy, "copy"), Rows("scroll"), Back("close")];
        HINTS
    }
}

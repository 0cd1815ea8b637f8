//! Runs rows of the palette, and command lines that are bound to keys.

use super::dialogs::Reply;
use super::palette::{ArgumentKind, Hit, MAX_RECENT, argument_kind};
use super::settings::setting_pages;
use super::theme::THEME;
use super::{App, Focus, RowId, Tone};
use crate::config::{self, Action, Key, SortOrder, setting_choices};
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crossterm::event::KeyCode;

impl App {
    /// Runs a command with its argument. The argument must be exact, because a key gives the user no chance
    /// to see a guess.
    ///
    /// # Errors If the command is not available, or its argument is invalid.
    fn run_line(&mut self, line: &str) -> Result<Vec<Effect>, String> {
        let (name, argument) = line.split_once(' ').unwrap_or((line, ""));
        let action: Action = name.parse().map_err(|e: config::UnknownAction| e.to_string())?;
        let (kind, argument) = (argument_kind(action), argument.trim());
        let of_source = kind == Some(ArgumentKind::Source) && !argument.is_empty();
        if let Some(why) = self.refusal(action).filter(|_| !of_source) {
            return Err(why.into_owned());
        }
        let Some(kind) = kind.filter(|_| !argument.is_empty()) else {
            return match argument {
                "" => Ok(self.act(action, Key::char(' '))),
                _ => Err(format!("{name} takes no argument")),
            };
        };
        match kind {
            ArgumentKind::Text(_) | ArgumentKind::Tag | ArgumentKind::Setting => {
                return Ok(self.act_on(action, argument));
            }
            _ => {}
        }
        let id = |hit: &Hit| Some(self.sources.entry(hit.source?)?.source.id.to_string());
        let is_meant = |hit: &Hit| {
            let named =
                hit.argument.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(argument));
            named || id(hit).is_some_and(|id| id == argument)
        };
        let mut hits = self.arguments(action, kind, argument);
        hits.retain(is_meant);
        match hits.len() {
            0 => Err(format!("{name}: there is nothing called {argument}")),
            1 => Ok(self.run_hit(hits.remove(0))),
            _ => Err(format!("{name}: more than one match for {argument}")),
        }
    }

    /// Runs the command lines of a key binding, and stops after one that fails or opens a dialog.
    pub(super) fn run_lines(&mut self, number: u16) -> Vec<Effect> {
        let lines: Vec<String> = self.keymap.lines(number).map(str::to_owned).collect();
        let mut effects = Vec::new();
        self.sequence = (lines.len() > 1).then_some(false);
        for line in lines {
            let (before, open) = (self.toast.take(), self.dialogs.len());
            let result = self.run_line(&line);
            let failed = self.toast.as_ref().is_some_and(|toast| toast.tone == Tone::Problem);
            if self.toast.is_none() {
                self.toast = before;
            }
            match result {
                // Items are marked without counting them first, because a question would only be shown after
                // the next command.
                Ok(more) => {
                    effects.extend(more.into_iter().map(|effect| self.without_count(effect)))
                }
                Err(why) => {
                    effects.extend(self.problem(why));
                    break;
                }
            }
            if failed || self.dialogs.len() > open {
                break;
            }
        }
        if self.sequence.take() == Some(true) {
            self.items.marked.clear();
        }
        effects
    }

    pub(super) fn run_hit(&mut self, hit: Hit) -> Vec<Effect> {
        self.recent.retain(|action| *action != hit.action);
        self.recent.insert(0, hit.action);
        self.recent.truncate(MAX_RECENT);
        match hit.argument {
            None => self.act(hit.action, Key::char(' ')),
            Some(_) if hit.source.is_some() => self.act_on_source(hit.action, hit.source),
            Some(argument) => self.act_on(hit.action, argument.trim()),
        }
    }

    /// Runs an action with an argument.
    fn act_on(&mut self, action: Action, argument: &str) -> Vec<Effect> {
        match argument_kind(action) {
            Some(ArgumentKind::Theme) => self.set_setting(&format!("{THEME} {argument}")),
            Some(ArgumentKind::Page) => {
                if let Some(row) = config::setting_rows().find(|row| row.key == argument) {
                    return self.open_setting(row);
                }
                let page = setting_pages().into_iter().find(|(_, name)| name == argument);
                self.open_settings(page.map_or(config::FormPage::Appearance, |(page, _)| page))
            }
            Some(ArgumentKind::Tag) => self.show_tag(argument),
            Some(ArgumentKind::Setting) => self.set_setting(argument),
            Some(ArgumentKind::Order) => {
                let names = setting_choices(&self.settings, "ui.sort");
                let at = names.iter().position(|name| name == argument);
                let order = at.and_then(|at| SortOrder::ALL.get(at));
                order.map_or_else(Vec::new, |order| self.sort_as(*order))
            }
            Some(ArgumentKind::Action) => self.open_keys(argument),
            Some(ArgumentKind::Command) => self.run_command(argument),
            Some(ArgumentKind::Text(_)) => self.act_on_text(action, argument),
            Some(ArgumentKind::Source) | None => vec![],
        }
    }

    fn act_on_source(&mut self, action: Action, key: Option<i64>) -> Vec<Effect> {
        let key = key.filter(|key| self.sources.entry(*key).is_some());
        let Some(key) = key else { return self.note("This source was removed") };
        let mut effects = self.jump_to(key);
        if action != Action::Open {
            effects.extend(self.act(action, Key::char(' ')));
        }
        effects
    }

    fn act_on_text(&mut self, action: Action, text: &str) -> Vec<Effect> {
        match action {
            Action::ReadMatching => return self.read_matching(text),
            Action::ReadFor => return self.read_for(text),
            _ => {}
        }
        let open = self.dialogs.len();
        let mut effects = self.act(action, Key::char(' '));
        // The text is only needed if a dialog was opened.
        if text.is_empty() || self.dialogs.len() == open {
            return effects;
        }
        effects.extend(self.with_top(|dialog, app| {
            let Some(field) = dialog.field() else { return Reply::default() };
            *field = Field::new(text);
            dialog.typed(app).into()
        }));
        let enter = Key::new(config::KeyCode::Enter, false, false, false);
        effects.extend(self.dialog_key(KeyCode::Enter.into(), enter));
        effects
    }

    /// Selects a source, unfolding its folder, and shows its items.
    pub(super) fn jump_to(&mut self, key: i64) -> Vec<Effect> {
        self.sources.marked.clear();
        self.sources.unfold(key);
        self.sources.select(&RowId::Source(key));
        self.focus = Focus::Sources;
        self.zen = false;
        self.show_selected_source()
    }
}

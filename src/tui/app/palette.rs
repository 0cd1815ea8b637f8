//! The command palette: commands by name, with arguments.

use super::keys::Motion;
use super::rank::{actions, ranked};
use super::settings::setting_pages;
use super::{App, Dialog, Focus, RowId};
use crate::config::{self, Action, Key, SortOrder, setting_choices, setting_keys, setting_shown};
use crate::tui::effect::Effect;
use crate::tui::event::SourceEntry;
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent};

#[derive(Debug, Default)]
pub(crate) struct Palette {
    pub(crate) field: Field,
    pub(crate) selected: usize,
    /// Whether the user moved the selection.
    pub(super) moved: bool,
}

/// A line of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) action: Action,
    /// The argument, as written in the field.
    pub(crate) argument: Option<String>,
    /// Row key of the source, because titles may be ambiguous.
    source: Option<i64>,
    /// One-line description.
    pub(crate) help: String,
}

/// The kind of argument an action argument_kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    Theme,
    Page,
    Source,
    Tag,
    Setting,
    Order,
    Action,
    /// Free text, with a description of it.
    Text(&'static str),
}

fn argument_kind(action: Action) -> Option<ArgumentKind> {
    Some(match action {
        Action::Theme => ArgumentKind::Theme,
        Action::Settings => ArgumentKind::Page,
        Action::Open
        | Action::Edit
        | Action::Workbench
        | Action::EditFile
        | Action::Refresh
        | Action::ForceRefresh
        | Action::Delete
        | Action::Why => ArgumentKind::Source,
        Action::Tag => ArgumentKind::Tag,
        Action::Set => ArgumentKind::Setting,
        Action::SortNext => ArgumentKind::Order,
        Action::Keys => ArgumentKind::Action,
        Action::Add => ArgumentKind::Text("a URL"),
        Action::Import => ArgumentKind::Text("a file"),
        Action::Search => ArgumentKind::Text("entries to search for"),
        Action::Filter => ArgumentKind::Text("entries in titles"),
        Action::Find => ArgumentKind::Text("entries in the article"),
        Action::Pipe => ArgumentKind::Text("a shell command"),
        _ => return None,
    })
}

/// Largest number of argument lines.
const MAX_ARGUMENTS: usize = 200;

impl App {
    /// Opens the palette with a text in its field.
    pub(super) fn open_palette(&mut self, typed: &str) -> Vec<Effect> {
        let palette = Palette { field: Field::new(typed), ..Palette::default() };
        self.dialogs.push(Dialog::Palette(palette));
        vec![]
    }

    /// The lines that match the text in the field, best first.
    pub(crate) fn palette_hits(&self) -> Vec<Hit> {
        let Some(Dialog::Palette(palette)) = self.dialogs.last() else { return vec![] };
        let typed = palette.field.value().trim_start();
        let command = typed.split_once(' ').and_then(|(name, rest)| {
            let action: Action = name.parse().ok()?;
            Some((action, argument_kind(action)?, rest.trim_start()))
        });
        let named = |action: Action| Hit {
            action,
            argument: None,
            source: None,
            help: self.explain(action),
        };
        match command {
            Some((action, argument_kind, rest)) => {
                let hits = self.arguments(action, argument_kind, rest);
                // `read all` is an action too, although `read` argument_kind an argument.
                let mut whole = actions(typed.trim_end(), hits.is_empty());
                whole.truncate(if rest.is_empty() { 0 } else { 3 });
                whole.into_iter().map(named).chain(hits).collect()
            }
            None => {
                let mut found = actions(typed.trim_end(), true);
                if typed.is_empty() {
                    // Movements are not used by name: list them last.
                    found.sort_by_key(|action| Motion::of(*action).is_some());
                }
                found.into_iter().map(named).collect()
            }
        }
    }

    /// What an action does, or why it is not available.
    fn explain(&self, action: Action) -> String {
        match self.unavailable_reason(action) {
            Some(why) if argument_kind(action) != Some(ArgumentKind::Source) => {
                format!("Not available: {why}")
            }
            _ => action.help().to_owned(),
        }
    }

    fn arguments(&self, action: Action, argument_kind: ArgumentKind, typed: &str) -> Vec<Hit> {
        let hit = |argument: String, help: String| Hit {
            action,
            argument: Some(argument),
            source: None,
            help,
        };
        let ranked_hits = |entries: Vec<(String, String)>, typed: &str| -> Vec<Hit> {
            let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
            let found = ranked(&names, typed).into_iter().take(MAX_ARGUMENTS);
            found.map(|i| hit(entries[i].0.clone(), entries[i].1.clone())).collect()
        };
        match argument_kind {
            ArgumentKind::Theme => {
                let names = config::theme_names(&self.settings.themes).into_iter();
                let now = self.settings.ui.theme.as_str();
                let entry = |n: String| {
                    let help = if n == now { "current theme" } else { "" };
                    (n, help.to_owned())
                };
                ranked_hits(names.map(entry).collect(), typed)
            }
            ArgumentKind::Page => {
                let entry =
                    |(_, name): (_, String)| (name.clone(), format!("Settings page {name}"));
                ranked_hits(setting_pages().into_iter().map(entry).collect(), typed)
            }
            ArgumentKind::Source => {
                let all = &self.sources.list.sources;
                let titles: Vec<&str> = all.iter().map(SourceEntry::title).collect();
                let mut found = ranked(&titles, typed);
                if let Some(at) = all.iter().position(|s| s.source.id.as_str() == typed.trim()) {
                    // An exact id means that source.
                    found.retain(|i| *i != at);
                    found.insert(0, at);
                }
                let line = |s: &SourceEntry| {
                    let folder = s.source.folder.as_deref().unwrap_or_default();
                    let help = format!("{} {folder}", s.source.id).trim().to_owned();
                    Hit { source: Some(s.facts.key), ..hit(s.title().to_owned(), help) }
                };
                found.into_iter().take(MAX_ARGUMENTS).map(|i| line(&all[i])).collect()
            }
            ArgumentKind::Tag => {
                let mut tags: Vec<(String, usize)> = Vec::new();
                for tag in self.sources.list.sources.iter().flat_map(|s| &s.source.tags) {
                    match tags.iter_mut().find(|(name, _)| name == tag) {
                        Some((_, count)) => *count += 1,
                        None => tags.push((tag.clone(), 1)),
                    }
                }
                let entry = |(tag, count)| {
                    (
                        tag,
                        if count == 1 { "1 source".to_owned() } else { format!("{count} sources") },
                    )
                };
                ranked_hits(tags.into_iter().map(entry).collect(), typed)
            }
            ArgumentKind::Order => {
                let names = setting_choices(&self.settings, "ui.sort").into_iter();
                let entry = |(name, o): (String, &SortOrder)| (name, o.words().to_owned());
                ranked_hits(names.zip(SortOrder::ALL.iter()).map(entry).collect(), typed)
            }
            ArgumentKind::Action => {
                let entry = |a: &Action| (a.name().to_owned(), a.help().to_owned());
                ranked_hits(Action::ALL.iter().map(entry).collect(), typed)
            }
            ArgumentKind::Setting => match typed.split_once(' ') {
                Some((key, value)) if setting_keys().iter().any(|k| k == key) => {
                    let value = value.trim_start();
                    let entries = setting_choices(&self.settings, key);
                    let entry = |w: String| (format!("{key} {w}"), String::new());
                    let mut hits = ranked_hits(
                        entries.into_iter().map(entry).collect(),
                        &format!("{key} {value}"),
                    );
                    if hits.is_empty() && !value.is_empty() {
                        hits.push(hit(format!("{key} {value}"), format!("{key} = {value}")));
                    }
                    if hits.is_empty() {
                        let now = setting_shown(&self.settings, key);
                        hits.push(hit(key.to_owned(), format!("now {now}; type the new value")));
                    }
                    hits
                }
                _ => {
                    let entry = |k: String| {
                        let now = format!("now {}", setting_shown(&self.settings, &k));
                        (k, now)
                    };
                    ranked_hits(setting_keys().into_iter().map(entry).collect(), typed)
                }
            },
            ArgumentKind::Text(what) => {
                vec![hit(typed.to_owned(), format!("{}: {what}", action.help()))]
            }
        }
    }

    pub(super) fn palette_key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let effects = self.palette_pressed(event);
        self.try_theme();
        effects
    }

    /// Previews the selected theme.
    fn try_theme(&mut self) {
        let selected = match self.dialogs.last() {
            Some(Dialog::Palette(palette)) => palette.selected,
            _ => return,
        };
        let hit = self.palette_hits().into_iter().nth(selected);
        let theme = hit.filter(|hit| hit.action == Action::Theme).and_then(|hit| hit.argument);
        self.show_theme(theme.unwrap_or_else(|| self.settings.ui.theme.clone()));
    }

    fn palette_pressed(&mut self, event: KeyEvent) -> Vec<Effect> {
        let hits = self.palette_hits();
        let Some(Dialog::Palette(palette)) = self.dialogs.last() else { return vec![] };
        let last = hits.len().saturating_sub(1);
        let at = palette.selected.min(last);
        let completed = hits.get(at).map(|hit| self.completed(hit)).unwrap_or_default();
        let id = palette.field.value().split_once(' ').map_or("", |(_, rest)| rest.trim());
        let ambiguous =
            hits.get(at).is_some_and(|hit| !palette.moved && self.is_ambiguous(hit, id));
        let Some(Dialog::Palette(palette)) = self.dialogs.last_mut() else { return vec![] };
        palette.selected = at;
        let moves =
            matches!(event.code, KeyCode::Down | KeyCode::Up | KeyCode::PageDown | KeyCode::PageUp);
        palette.moved |= moves;
        match event.code {
            KeyCode::Esc => {
                self.dialogs.pop();
                self.show_theme(self.settings.ui.theme.clone());
                vec![]
            }
            KeyCode::Down => {
                palette.selected = (palette.selected + 1).min(last);
                vec![]
            }
            KeyCode::Up => {
                palette.selected = palette.selected.saturating_sub(1);
                vec![]
            }
            KeyCode::PageDown => {
                palette.selected = (palette.selected + 10).min(last);
                vec![]
            }
            KeyCode::PageUp => {
                palette.selected = palette.selected.saturating_sub(10);
                vec![]
            }
            KeyCode::Tab => {
                if !hits.is_empty() {
                    *palette = Palette { field: Field::new(&completed), ..Palette::default() };
                }
                vec![]
            }
            KeyCode::Enter => {
                let Some(hit) = hits.into_iter().nth(palette.selected) else {
                    return self.note("No matching command");
                };
                // A setting needs a value.
                let incomplete = hit.action == Action::Set
                    && !hit.argument.as_ref().is_some_and(|a| a.contains(' '));
                if incomplete || matches!(hit.action, Action::Tag) && hit.argument.is_none() {
                    *palette = Palette { field: Field::new(&completed), ..Palette::default() };
                    return vec![];
                }
                if ambiguous {
                    let title = hit.argument.unwrap_or_default();
                    return self.note(format!(
                        "Several sources are called {title}; select one with the arrow keys"
                    ));
                }
                self.dialogs.pop();
                self.run_hit(hit)
            }
            _ => self.type_into_field(event),
        }
    }

    fn run_hit(&mut self, hit: Hit) -> Vec<Effect> {
        match hit.argument {
            None => self.act(hit.action, Key::char(' ')),
            Some(_) if hit.source.is_some() => self.act_on_source(hit.action, hit.source),
            Some(argument) => self.act_on(hit.action, argument.trim()),
        }
    }

    /// Runs an action with an argument.
    fn act_on(&mut self, action: Action, argument: &str) -> Vec<Effect> {
        match argument_kind(action) {
            Some(ArgumentKind::Theme) => self.save_theme(argument.to_owned()),
            Some(ArgumentKind::Page) => {
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
        let mut effects = self.act(action, Key::char(' '));
        if text.is_empty() {
            return effects;
        }
        let field = self.dialogs.last_mut().and_then(Dialog::field);
        let Some(field) = field else { return effects };
        *field = Field::new(text);
        effects.extend(self.field_changed());
        effects.extend(match action {
            Action::Add => self.discover(),
            _ => self.dialog_key(
                KeyCode::Enter.into(),
                Key::new(config::KeyCode::Enter, false, false, false),
            ),
        });
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
    /// Whether the typed text matches other sources equally well: they have the same title and no
    /// id was typed.
    fn is_ambiguous(&self, hit: &Hit, typed: &str) -> bool {
        let meant = hit.source.and_then(|key| self.sources.entry(key));
        meant.is_some_and(|meant| {
            let same = |s: &&SourceEntry| s.title() == meant.title();
            meant.source.id.as_str() != typed
                && self.sources.list.sources.iter().filter(same).count() > 1
        })
    }

    /// The text of the field after a line was completed into it.
    fn completed(&self, hit: &Hit) -> String {
        let meant = hit.source.filter(|_| self.is_ambiguous(hit, ""));
        if let Some(entry) = meant.and_then(|key| self.sources.entry(key)) {
            return format!("{} {}", hit.action, entry.source.id);
        }
        match &hit.argument {
            Some(argument) if hit.action == Action::Set && !argument.contains(' ') => {
                format!("{} {argument} ", hit.action)
            }
            Some(argument) => format!("{} {argument}", hit.action),
            None if argument_kind(hit.action).is_some() => format!("{} ", hit.action),
            None => hit.action.to_string(),
        }
    }
}

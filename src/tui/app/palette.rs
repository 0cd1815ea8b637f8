//! Commands by name, with their arguments.

use super::keys::Motion;
use super::rank::{actions, ranked};
use super::settings::setting_pages;
use super::{App, Dialog, Focus, RowId};
use crate::config::{self, Action, Key, SortOrder, setting_choices, setting_keys, setting_shown};
use crate::tui::effect::Effect;
use crate::tui::event::SourceEntry;
use crate::tui::input::Field;
use crossterm::event::{KeyCode, KeyEvent};

/// Commands by name.
#[derive(Debug, Default)]
pub(crate) struct Palette {
    pub(crate) field: Field,
    pub(crate) selected: usize,
    /// Whether the user has gone to the line that is selected.
    pub(super) chosen: bool,
}

/// One line of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) action: Action,
    /// What the action is to work on, as it stands in the field.
    pub(crate) argument: Option<String>,
    /// The source that is meant (row key); titles do not tell them apart.
    source: Option<i64>,
    /// What it is, in a line.
    pub(crate) help: String,
}

/// What an action may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Theme,
    Page,
    Source,
    Tag,
    Setting,
    Order,
    Action,
    /// Anything, as it is typed.
    Text(&'static str),
}

fn takes(action: Action) -> Option<Takes> {
    Some(match action {
        Action::Theme => Takes::Theme,
        Action::Settings => Takes::Page,
        Action::Open
        | Action::Edit
        | Action::Workbench
        | Action::EditFile
        | Action::Refresh
        | Action::ForceRefresh
        | Action::Delete
        | Action::Why => Takes::Source,
        Action::Tag => Takes::Tag,
        Action::Set => Takes::Setting,
        Action::SortNext => Takes::Order,
        Action::Keys => Takes::Action,
        Action::Add => Takes::Text("an address"),
        Action::Import => Takes::Text("a file"),
        Action::Search => Takes::Text("words to search for"),
        Action::Filter => Takes::Text("words that titles must have"),
        Action::Find => Takes::Text("words in the text"),
        Action::Pipe => Takes::Text("a command"),
        _ => return None,
    })
}

/// Most lines of arguments.
const MOST: usize = 200;

impl App {
    /// Opens the palette with something typed already.
    pub(super) fn open_palette(&mut self, typed: &str) -> Vec<Effect> {
        let palette = Palette { field: Field::new(typed), ..Palette::default() };
        self.dialogs.push(Dialog::Palette(palette));
        vec![]
    }

    /// What fits the text in the field, best first.
    pub(crate) fn palette_hits(&self) -> Vec<Hit> {
        let Some(Dialog::Palette(palette)) = self.dialogs.last() else { return vec![] };
        let typed = palette.field.value().trim_start();
        let command = typed.split_once(' ').and_then(|(name, rest)| {
            let action: Action = name.parse().ok()?;
            Some((action, takes(action)?, rest.trim_start()))
        });
        let named = |action: Action| Hit {
            action,
            argument: None,
            source: None,
            help: self.explain(action),
        };
        match command {
            Some((action, takes, rest)) => {
                let hits = self.arguments(action, takes, rest);
                // `read all` is an action too, although `read` takes something.
                let mut whole = actions(typed.trim_end(), hits.is_empty());
                whole.truncate(if rest.is_empty() { 0 } else { 3 });
                whole.into_iter().map(named).chain(hits).collect()
            }
            None => {
                let mut found = actions(typed.trim_end(), true);
                if typed.is_empty() {
                    // What nobody does by name stands last.
                    found.sort_by_key(|action| Motion::of(*action).is_some());
                }
                found.into_iter().map(named).collect()
            }
        }
    }

    /// What an action does, or why it cannot be done now.
    fn explain(&self, action: Action) -> String {
        match self.why_not(action) {
            Some(why) if takes(action) != Some(Takes::Source) => format!("not now: {why}"),
            _ => action.help().to_owned(),
        }
    }

    fn arguments(&self, action: Action, takes: Takes, typed: &str) -> Vec<Hit> {
        let hit = |argument: String, help: String| Hit {
            action,
            argument: Some(argument),
            source: None,
            help,
        };
        let of_words = |words: Vec<(String, String)>, typed: &str| -> Vec<Hit> {
            let names: Vec<&str> = words.iter().map(|(name, _)| name.as_str()).collect();
            let found = ranked(&names, typed).into_iter().take(MOST);
            found.map(|i| hit(words[i].0.clone(), words[i].1.clone())).collect()
        };
        match takes {
            Takes::Theme => {
                let names = config::theme_names(&self.settings.themes).into_iter();
                let now = self.settings.ui.theme.as_str();
                let summary = |n: String| {
                    let help = if n == now { "the theme as it is" } else { "" };
                    (n, help.to_owned())
                };
                of_words(names.map(summary).collect(), typed)
            }
            Takes::Page => {
                let summary = |(_, name): (_, String)| (name.clone(), format!("settings: {name}"));
                of_words(setting_pages().into_iter().map(summary).collect(), typed)
            }
            Takes::Source => {
                let all = &self.sources.list.sources;
                let titles: Vec<&str> = all.iter().map(SourceEntry::title).collect();
                let mut found = ranked(&titles, typed);
                if let Some(at) = all.iter().position(|s| s.source.id.as_str() == typed.trim()) {
                    // Who types an id means that source.
                    found.retain(|i| *i != at);
                    found.insert(0, at);
                }
                let line = |s: &SourceEntry| {
                    let folder = s.source.folder.as_deref().unwrap_or_default();
                    let help = format!("{} {folder}", s.source.id).trim().to_owned();
                    Hit { source: Some(s.facts.key), ..hit(s.title().to_owned(), help) }
                };
                found.into_iter().take(MOST).map(|i| line(&all[i])).collect()
            }
            Takes::Tag => {
                let mut tags: Vec<(String, usize)> = Vec::new();
                for tag in self.sources.list.sources.iter().flat_map(|s| &s.source.tags) {
                    match tags.iter_mut().find(|(name, _)| name == tag) {
                        Some((_, count)) => *count += 1,
                        None => tags.push((tag.clone(), 1)),
                    }
                }
                let summary = |(tag, count)| {
                    (
                        tag,
                        if count == 1 { "1 source".to_owned() } else { format!("{count} sources") },
                    )
                };
                of_words(tags.into_iter().map(summary).collect(), typed)
            }
            Takes::Order => {
                let names = setting_choices(&self.settings, "ui.sort").into_iter();
                let summary = |(name, o): (String, &SortOrder)| (name, o.words().to_owned());
                of_words(names.zip(SortOrder::ALL.iter()).map(summary).collect(), typed)
            }
            Takes::Action => {
                let summary = |a: &Action| (a.name().to_owned(), a.help().to_owned());
                of_words(Action::ALL.iter().map(summary).collect(), typed)
            }
            Takes::Setting => match typed.split_once(' ') {
                Some((key, value)) if setting_keys().iter().any(|k| k == key) => {
                    let value = value.trim_start();
                    let words = setting_choices(&self.settings, key);
                    let summary = |w: String| (format!("{key} {w}"), String::new());
                    let mut hits = of_words(
                        words.into_iter().map(summary).collect(),
                        &format!("{key} {value}"),
                    );
                    if hits.is_empty() && !value.is_empty() {
                        hits.push(hit(format!("{key} {value}"), format!("{key} = {value}")));
                    }
                    if hits.is_empty() {
                        let now = setting_shown(&self.settings, key);
                        hits.push(hit(key.to_owned(), format!("is {now}; type its new value")));
                    }
                    hits
                }
                _ => {
                    let summary = |k: String| {
                        let now = format!("is {}", setting_shown(&self.settings, &k));
                        (k, now)
                    };
                    of_words(setting_keys().into_iter().map(summary).collect(), typed)
                }
            },
            Takes::Text(what) => vec![hit(typed.to_owned(), format!("{}: {what}", action.help()))],
        }
    }

    pub(super) fn palette_key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let effects = self.palette_pressed(event);
        self.try_theme();
        effects
    }

    /// A theme that is selected shows at once, and goes with the selection.
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
        let unclear = hits.get(at).is_some_and(|hit| !palette.chosen && self.is_unclear(hit, id));
        let Some(Dialog::Palette(palette)) = self.dialogs.last_mut() else { return vec![] };
        palette.selected = at;
        let goes =
            matches!(event.code, KeyCode::Down | KeyCode::Up | KeyCode::PageDown | KeyCode::PageUp);
        palette.chosen |= goes;
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
                    return self.note("no command fits; Backspace, or Esc");
                };
                // A setting is not complete without its value.
                let half = hit.action == Action::Set
                    && !hit.argument.as_ref().is_some_and(|a| a.contains(' '));
                if half || matches!(hit.action, Action::Tag) && hit.argument.is_none() {
                    *palette = Palette { field: Field::new(&completed), ..Palette::default() };
                    return vec![];
                }
                if unclear {
                    let title = hit.argument.unwrap_or_default();
                    return self.note(format!(
                        "several sources are called {title}; go to one of them with the arrow keys"
                    ));
                }
                self.dialogs.pop();
                self.run(hit)
            }
            _ => self.type_into_field(event),
        }
    }

    fn run(&mut self, hit: Hit) -> Vec<Effect> {
        match hit.argument {
            None => self.act(hit.action, Key::char(' ')),
            Some(_) if hit.source.is_some() => self.act_on_source(hit.action, hit.source),
            Some(argument) => self.act_on(hit.action, argument.trim()),
        }
    }

    /// Performs an action on what it was told.
    fn act_on(&mut self, action: Action, argument: &str) -> Vec<Effect> {
        match takes(action) {
            Some(Takes::Theme) => self.take_theme(argument.to_owned()),
            Some(Takes::Page) => {
                let page = setting_pages().into_iter().find(|(_, name)| name == argument);
                self.open_settings(page.map_or(config::FormPage::Appearance, |(page, _)| page))
            }
            Some(Takes::Tag) => self.show_tag(argument),
            Some(Takes::Setting) => self.set_setting(argument),
            Some(Takes::Order) => {
                let names = setting_choices(&self.settings, "ui.sort");
                let at = names.iter().position(|name| name == argument);
                let order = at.and_then(|at| SortOrder::ALL.get(at));
                order.map_or_else(Vec::new, |order| self.sort_as(*order))
            }
            Some(Takes::Action) => self.open_keys(argument),
            Some(Takes::Text(_)) => self.act_on_text(action, argument),
            Some(Takes::Source) | None => vec![],
        }
    }

    fn act_on_source(&mut self, action: Action, key: Option<i64>) -> Vec<Effect> {
        let key = key.filter(|key| self.sources.entry(*key).is_some());
        let Some(key) = key else { return self.note("this source is gone") };
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
            Action::Add => self.explore(),
            _ => self.dialog_key(
                KeyCode::Enter.into(),
                Key::new(config::KeyCode::Enter, false, false, false),
            ),
        });
        effects
    }

    /// Selects a source, unfolding what it is in, and shows its items.
    pub(super) fn jump_to(&mut self, key: i64) -> Vec<Effect> {
        self.sources.marked.clear();
        self.sources.unfold(key);
        self.sources.select(&RowId::Source(key));
        self.focus = Focus::Sources;
        self.zen = false;
        self.show_selected_source()
    }
    /// Whether what is typed fits another source just as well: it has the same title, and its id was
    /// not typed.
    fn is_unclear(&self, hit: &Hit, typed: &str) -> bool {
        let meant = hit.source.and_then(|key| self.sources.entry(key));
        meant.is_some_and(|meant| {
            let same = |s: &&SourceEntry| s.title() == meant.title();
            meant.source.id.as_str() != typed
                && self.sources.list.sources.iter().filter(same).count() > 1
        })
    }

    /// The field once a line is taken into it.
    fn completed(&self, hit: &Hit) -> String {
        let meant = hit.source.filter(|_| self.is_unclear(hit, ""));
        if let Some(entry) = meant.and_then(|key| self.sources.entry(key)) {
            return format!("{} {}", hit.action, entry.source.id);
        }
        match &hit.argument {
            Some(argument) if hit.action == Action::Set && !argument.contains(' ') => {
                format!("{} {argument} ", hit.action)
            }
            Some(argument) => format!("{} {argument}", hit.action),
            None if takes(hit.action).is_some() => format!("{} ", hit.action),
            None => hit.action.to_string(),
        }
    }
}

//! Actions on the source list: renaming, moving, tagging, enabling, reordering; saving and counting queries.

use super::complete::signed_words;
use super::{App, Focus, PromptKind, RowId, Smart};
use crate::config::{Action, Context, FileChange, SourceChange, ViewChange, ViewSettings};
use crate::model::{SourceId, Time};
use crate::query::Query;
use crate::store::{Count, Scope, View};
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, SourceEntry};
use crate::tui::read::Read;
use chrono::TimeDelta;

/// Changes, each with its source.
type Changes = Vec<(SourceId, SourceChange)>;

impl App {
    /// Opens the entry of the selected source in an editor.
    pub(super) fn edit_source(&mut self) -> Vec<Effect> {
        match self.sources.targets().first() {
            Some(entry) => vec![Effect::EditSource { id: entry.source.id.clone() }],
            None => self.note("Select a source in the Sources pane first"),
        }
    }

    /// Moves the selection and shows the items of the selected row.
    pub(super) fn select_source(&mut self, index: usize) -> Vec<Effect> {
        let index = index.min(self.sources.rows.len().saturating_sub(1));
        if index == self.sources.selected {
            return vec![];
        }
        self.sources.selected = index;
        self.show_selected_source()
    }

    /// Lists the items of a built-in view.
    pub(super) fn show_smart(&mut self, smart: Smart) -> Vec<Effect> {
        if smart == Smart::Later && self.sources.list.later == 0 {
            let key = self.keymap.keys_for(Context::Items, Action::Later);
            let key = key.map(|key| format!("; press {key} to keep one")).unwrap_or_default();
            return self.note(format!("No items are kept for later{key}"));
        }
        if smart == Smart::New && self.sources.list.new == 0 {
            return self.note(match self.sources.list.is_first_visit {
                true => "No new items yet: this is your first session",
                false => "Nothing unread has arrived since your last session",
            });
        }
        self.sources.marked.clear();
        self.sources.select(&RowId::Smart(smart));
        self.focus = Focus::Items;
        self.zen = false;
        self.show_selected_source()
    }

    /// Folds the folder of the selected row. If it is already folded, selects its parent folder.
    pub(super) fn fold_in(&mut self) -> Vec<Effect> {
        match self.sources.fold_in() {
            true => self.show_selected_source(),
            false => vec![],
        }
    }

    /// Unfolds a folded folder; opens any other row.
    pub(super) fn fold_out(&mut self) -> Vec<Effect> {
        if self.sources.is_folded() {
            self.sources.toggle_fold();
            return vec![];
        }
        self.focus = Focus::Items;
        vec![]
    }

    /// Names the targets: the title of a single one, or the number of several.
    fn target_name(&self) -> String {
        match self.sources.targets().as_slice() {
            [one] => one.title().to_owned(),
            many => format!("{} sources", many.len()),
        }
    }

    fn target_ids(&self) -> Vec<SourceId> {
        self.sources.targets().iter().map(|s| s.source.id.clone()).collect()
    }

    /// Opens the prompt that renames the selected source, folder, tag or view.
    pub(super) fn rename(&mut self) -> Vec<Effect> {
        let row = self.sources.current().map(|row| row.id.clone());
        match row {
            Some(RowId::Source(key)) => {
                let Some(entry) = self.sources.entry(key) else { return vec![] };
                let (id, title) = (entry.source.id.clone(), entry.title().to_owned());
                self.ask(PromptKind::Rename { id }, &title)
            }
            Some(RowId::Folder(folder)) => {
                let name = folder.rsplit('/').next().unwrap_or_default().to_owned();
                self.ask(PromptKind::RenameFolder { folder }, &name)
            }
            Some(RowId::Tag(tag)) => self.ask(PromptKind::RenameTag { tag: tag.clone() }, &tag),
            Some(RowId::Saved(name)) => {
                self.ask(PromptKind::RenameView { name: name.clone() }, &name)
            }
            _ => self.note("Select a source, a folder, a tag or a view first"),
        }
    }

    /// Opens the prompt for moving the selected sources to a folder.
    pub(super) fn move_to_folder(&mut self) -> Vec<Effect> {
        let ids = self.target_ids();
        if ids.is_empty() {
            return self.note("Select a source or a folder first");
        }
        let whole = match self.sources.current().map(|row| &row.id) {
            Some(RowId::Folder(folder)) if self.sources.marked.is_empty() => Some(folder.clone()),
            _ => None,
        };
        let now = self.sources.targets().first().and_then(|s| s.source.folder.clone());
        let now = match &whole {
            Some(folder) => parent(folder).to_owned(),
            None => now.unwrap_or_default(),
        };
        let name = self.target_name();
        self.ask(PromptKind::Folder { name, ids, whole }, &now)
    }

    /// Opens the prompt for adding and removing tags of the selected sources.
    pub(super) fn edit_tags(&mut self) -> Vec<Effect> {
        let ids = self.target_ids();
        if ids.is_empty() {
            return self.note("Select a source or a folder first");
        }
        let name = self.target_name();
        self.ask(PromptKind::Tags { name, ids }, "")
    }

    /// Disables the selected sources; if all of them are disabled, enables them.
    pub(super) fn switch(&mut self) -> Vec<Effect> {
        let targets = self.sources.targets();
        let enabled = targets.iter().all(|s| !s.source.enabled);
        let change = SourceChange::default().set("enabled", if enabled { "on" } else { "off" });
        let wrong = targets.iter().filter(|s| s.source.enabled != enabled);
        let changes: Changes = wrong.map(|s| (s.source.id.clone(), change.clone())).collect();
        if changes.is_empty() {
            return self.note("Select a source or a folder first");
        }
        self.change_sources(changes)
    }

    pub(super) fn rename_source(&mut self, id: SourceId, title: &str) -> Vec<Effect> {
        self.change_sources(vec![(id, SourceChange::default().set("title", title))])
    }

    /// Renames a folder together with its subfolders.
    pub(super) fn rename_folder(&mut self, folder: &str, name: &str) -> Vec<Effect> {
        self.relocate(folder, &join(parent(folder), name))
    }

    /// Renames a tag on every source that has it.
    pub(super) fn rename_tag(&mut self, tag: &str, name: &str) -> Vec<Effect> {
        if name.is_empty() || name == tag {
            return vec![];
        }
        let keys = self.sources.tag_keys(tag);
        let tagged = keys.into_iter().filter_map(|key| self.sources.entry(key));
        let change = SourceChange::default();
        let change = change.add_tags([name.to_owned()]).remove_tags([tag.to_owned()]);
        let changes = tagged.map(|s| (s.source.id.clone(), change.clone())).collect();
        self.change_sources(changes)
    }

    pub(super) fn move_sources(
        &mut self,
        ids: Vec<SourceId>,
        whole: Option<&str>,
        folder: &str,
    ) -> Vec<Effect> {
        let folder = folder.trim_matches('/');
        if let Some(whole) = whole {
            let name = whole.rsplit('/').next().unwrap_or_default();
            return self.relocate(whole, &join(folder, name));
        }
        let change = SourceChange::default().set("folder", folder);
        self.change_sources(ids.into_iter().map(|id| (id, change.clone())).collect())
    }

    /// Moves the content of a folder to another one; subfolders keep their names.
    fn relocate(&mut self, from: &str, to: &str) -> Vec<Effect> {
        let moved = |entry: &SourceEntry| {
            let rest = entry.source.folder.as_deref()?.strip_prefix(from)?;
            let folder = format!("{to}{rest}");
            let change = SourceChange::default().set("folder", folder.trim_matches('/'));
            Some((entry.source.id.clone(), change))
        };
        let keys = self.sources.folder_keys(from);
        let entries = keys.into_iter().filter_map(|key| self.sources.entry(key));
        let changes = entries.filter_map(moved).collect();
        self.change_sources(changes)
    }

    /// Changes the tags of sources: `+tag` and `tag` add a tag, `-tag` removes one. A name with spaces is in
    /// quotes.
    pub(super) fn tag_sources(&mut self, ids: Vec<SourceId>, typed: &str) -> Vec<Effect> {
        let (mut add, mut remove) = (Vec::new(), Vec::new());
        for word in signed_words(typed) {
            let list = if word.minus { &mut remove } else { &mut add };
            list.push(word.name.trim().to_owned());
        }
        if add.iter().chain(&remove).any(String::is_empty) {
            return self.problem(
                "Tags were not changed: put + or - directly before each tag, as in +linux -sport",
            );
        }
        if add.is_empty() && remove.is_empty() {
            return vec![];
        }
        let change = SourceChange::default().add_tags(add).remove_tags(remove);
        self.change_sources(ids.into_iter().map(|id| (id, change.clone())).collect())
    }

    pub(super) fn change_sources(&mut self, changes: Changes) -> Vec<Effect> {
        self.sources.marked.clear();
        if changes.is_empty() {
            return vec![];
        }
        vec![Effect::edit(FileChange::Sources(changes))]
    }

    /// Moves the selected sources down or up by one position within their folder.
    pub(super) fn move_in_order(&mut self, down: bool) -> Vec<Effect> {
        let is_source = matches!(self.sources.current().map(|r| &r.id), Some(RowId::Source(_)));
        if self.sources.marked.is_empty() && !is_source {
            return self.note("Only sources can be moved; folders and tags are sorted by name");
        }
        let all = &self.sources.list.sources;
        let targets: Vec<i64> = self.sources.targets().iter().map(|s| s.facts.key).collect();
        let is_target = |i: usize| targets.contains(&all[i].facts.key);
        let places: Vec<usize> = (0..all.len()).filter(|&i| is_target(i)).collect();
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return vec![] };
        let folder = &all[first].source.folder;
        if places.iter().any(|&i| all[i].source.folder != *folder) {
            return self.note(
                "The selected sources are in several folders; move them to one folder first",
            );
        }
        let is_neighbour = |i: &usize| all[*i].source.folder == *folder && !is_target(*i);
        let next = if down {
            let Some(neighbour) = (last + 1..all.len()).find(is_neighbour) else { return vec![] };
            (neighbour + 1..all.len()).find(|i| !is_target(*i))
        } else {
            let Some(neighbour) = (0..first).rev().find(is_neighbour) else { return vec![] };
            Some(neighbour)
        };
        let ids = places.iter().map(|&i| all[i].source.id.clone()).collect();
        let before = next.map(|i| all[i].facts.key);
        let next = next.map(|i| all[i].source.id.clone());
        // Show the new order at once, so that the next key press is based on it.
        self.sources.reorder(&targets, before);
        vec![Effect::edit(FileChange::Reorder { ids, next })]
    }
}

/// The parent folder; empty at the top level.
fn parent(folder: &str) -> &str {
    folder.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") }
}

/// Minimum time between two counts while commits keep arriving.
const PAUSE: TimeDelta = TimeDelta::seconds(2);

/// State of counting the items of views.
#[derive(Debug, Default)]
pub(super) struct Counting {
    requested: bool,
    waiting: bool,
    not_before: Option<Time>,
}

impl Counting {
    /// When the next count is due.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.not_before.filter(|_| self.requested && !self.waiting)
    }
}

impl App {
    /// Counts the items of views, now or when the next count is due.
    pub(super) fn request_counts(&mut self) -> Vec<Effect> {
        self.counting.requested = true;
        self.count_if_due()
    }

    pub(super) fn count_if_due(&mut self) -> Vec<Effect> {
        let counting = &mut self.counting;
        // Without views, a request would never be fulfilled, and its deadline would stay in the past.
        counting.requested &= !self.settings.views.is_empty();
        let due = counting.not_before.is_none_or(|t| t <= self.now);
        if !counting.requested || counting.waiting || !due {
            return vec![];
        }
        let view = |view: &ViewSettings| {
            let query: Query = view.query.parse().ok()?;
            // Counts only unread items, like the other rows, unless the query is itself about marks.
            let unread_only = !query.asks_for_marks();
            let criteria = self.criteria(&view.query);
            let view = (view.name.clone(), View { unread_only, criteria, ..View::of(Scope::All) });
            Some(view)
        };
        let views: Vec<_> = self.settings.views.iter().filter_map(view).collect();
        self.counting =
            Counting { requested: false, waiting: true, not_before: Some(self.now + PAUSE) };
        vec![Effect::Read(Read::Counts { left: views, done: Vec::new() })]
    }

    pub(super) fn views_counted(
        &mut self,
        result: Result<Vec<(String, Count)>, Failure>,
    ) -> Vec<Effect> {
        self.counting.waiting = false;
        match result {
            Ok(counts) => {
                self.sources.set_counts(counts);
                self.count_if_due()
            }
            Err(why) => self.problem(why),
        }
    }

    /// Opens the prompt for the name of a new view.
    pub(super) fn name_view(&mut self) -> Vec<Effect> {
        let listing = &self.items.listing;
        let typed = match listing.query.parse::<Query>() {
            Ok(query) => query,
            Err(e) => return self.problem(format!("Not saved: {e}")),
        };
        let unfiltered = typed.is_empty();
        let name = if unfiltered { listing.title.clone() } else { typed.to_string() };
        let query = listing.place.clone().and(typed);
        let smart = self.sources.current().is_some_and(|row| matches!(row.id, RowId::Smart(_)));
        if query.is_empty() || unfiltered && smart {
            return self.note("Nothing to save: search the list first");
        }
        self.ask(PromptKind::SaveView { query: query.to_string() }, &name)
    }

    pub(super) fn saved_view(&self) -> Option<&ViewSettings> {
        match self.sources.current().map(|row| &row.id) {
            Some(RowId::Saved(name)) => self.view_named(name),
            _ => None,
        }
    }

    pub(super) fn view_named(&self, name: &str) -> Option<&ViewSettings> {
        self.settings.views.iter().find(|view| view.name == *name)
    }

    /// Saves a query as a view, replacing any view with the same name.
    pub(super) fn save_view(&mut self, name: String, query: String) -> Vec<Effect> {
        let was = self.view_named(&name).cloned();
        let layout = was.as_ref().map(|view| view.layout.clone()).unwrap_or_default();
        change(was, Some(ViewSettings { name, query, layout }))
    }

    pub(super) fn rename_view(&mut self, old: &str, name: String) -> Vec<Effect> {
        let Some(was) = self.view_named(old).cloned() else { return vec![] };
        let now = ViewSettings { name, ..was.clone() };
        change(Some(was), Some(now))
    }

    pub(super) fn change_view_query(&mut self, name: &str, query: String) -> Vec<Effect> {
        let Some(was) = self.view_named(name).cloned() else { return vec![] };
        let now = ViewSettings { query, ..was.clone() };
        change(Some(was), Some(now))
    }

    pub(super) fn delete_view(&mut self) -> Vec<Effect> {
        change(self.saved_view().cloned(), None)
    }

    /// Applies changed views.
    pub(super) fn apply_views(&mut self, views: &[ViewSettings]) -> Vec<Effect> {
        let before = self.sources.current().map(|row| row.id.clone());
        let shown = self.saved_view().cloned();
        self.settings.views = views.to_vec();
        self.sources.set_views(views);
        let row = self.sources.current().map(|row| row.id.clone());
        let mut effects = self.request_counts();
        if row != before || self.saved_view() != shown.as_ref() {
            effects.extend(self.show_selected_source());
        }
        effects
    }
}

fn change(was: Option<ViewSettings>, now: Option<ViewSettings>) -> Vec<Effect> {
    if was == now {
        return vec![];
    }
    vec![Effect::edit(FileChange::Views(vec![ViewChange { was, now }]))]
}

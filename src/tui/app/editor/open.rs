//! Opens the form of a source, or of a way to follow a URL.

use super::super::{App, Focus, PromptKind};
use super::{Editor, Subject};
use crate::config::{FormPage, SourceForm};
use crate::engine::{Discovery, NextCheck};
use crate::model::SourceKind;
use crate::tui::effect::Effect;

impl App {
    /// Opens the form of the selected source.
    pub(in super::super) fn open_editor(&mut self, open_bench_next: bool) -> Vec<Effect> {
        let saved =
            self.saved_view().filter(|_| self.focus == Focus::Sources && !open_bench_next).cloned();
        if let Some(view) = saved {
            return self.ask(PromptKind::ViewQuery { name: view.name }, &view.query);
        }
        let entry = self.selected_source().and_then(|key| self.sources.entry(key));
        let Some(entry) = entry else {
            return self.note("Select a source in the Sources pane first");
        };
        let (source, id) = (entry.facts.key, entry.source.id.clone());
        let title = entry.title().to_owned();
        // Broken selectors are fixed in the workbench.
        let bench_first = open_bench_next || entry.facts.website.broken().is_some();
        let of = Subject::Source(source);
        let mut editor = Editor::new(of, title, FormPage::General, bench_first);
        editor.only_bench = open_bench_next;
        self.push_dialog(editor);
        vec![Effect::LoadEntry { source, id }]
    }

    /// Opens the schedule settings of a source.
    pub(in super::super) fn edit_schedule(&mut self, source: i64) -> Vec<Effect> {
        let Some(entry) = self.sources.entry(source) else { return vec![] };
        let (id, title) = (entry.source.id.clone(), entry.title().to_owned());
        let of = Subject::Source(source);
        self.push_dialog(Editor::new(of, title, FormPage::Schedule, false));
        vec![Effect::LoadEntry { source, id }]
    }

    /// Opens the form of a way to follow a URL, or of a website with hand-written selectors. Saving adds the
    /// source.
    pub(in super::super) fn edit_way(
        &mut self,
        discovery: &Discovery,
        way: Option<usize>,
        only_selectors: bool,
    ) -> Vec<Effect> {
        let Some(entry) = discovery.draft(way) else { return vec![] };
        let title = way.and_then(|way| discovery.ways.get(way)).map(|way| way.title.clone());
        let id = || entry.source_id().map(ToString::to_string).unwrap_or_default();
        let title = title.filter(|title| !title.is_empty()).unwrap_or_else(id);
        let of = Subject::Way(Box::new(discovery.clone()), way);
        let mut editor = Editor::new(of, title, FormPage::General, false);
        let mut form = SourceForm::new(entry);
        form.show_inherited(&self.settings, None);
        let has_selectors = matches!(form.kind(), SourceKind::Website | SourceKind::Entries);
        editor.only_bench = has_selectors && only_selectors;
        editor.form = Some(form);
        editor.show_form();
        let effects = if has_selectors { editor.open_bench(self) } else { vec![] };
        self.push_dialog(editor);
        effects
    }

    pub(in super::super) fn next_check_loaded(
        &mut self,
        key: i64,
        next: Option<NextCheck>,
    ) -> Vec<Effect> {
        if let Some(editor) = self.dialog_mut::<Editor>()
            && matches!(editor.of, Subject::Source(of) if of == key)
        {
            editor.next_check = next;
        }
        vec![]
    }
}

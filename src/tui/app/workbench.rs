//! The selector workbench: a page, the matches of the form's selectors on it, and the fields of the
//! selectors. [`crate::engine::Workbench`] evaluates selectors; this module sends its requests and handles
//! focus and keys.

mod keys;
mod near;
mod replies;
mod sheet;

pub(crate) use sheet::Marked;
pub(crate) use sheet::SheetView;

use super::editor;
use super::{App, Editor};
use crate::config::SourceForm;
use crate::engine::{ListLink, Matches, Offer, Preview, SelectorField, Subject, WorkbenchPage};
use crate::model::{RuleKey, SelectorProblem, SourceKind, SourceRules, Time, WebsiteRules};
use crate::tui::effect::{BenchRequest, Effect};
use crate::tui::event::RequestId;
use crate::tui::input::Field;
use std::collections::{HashMap, HashSet};

/// A part of the workbench that can have the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BenchPane {
    Page,
    Items,
    Fields,
}

/// A selector field of the form, shown at the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BenchField {
    /// The field's key in the `website` table.
    pub(crate) key: &'static str,
    /// The selector; `None` for a different setting.
    pub(crate) part: Option<SelectorField>,
    /// The field's index in the form.
    pub(crate) index: usize,
}

/// The keys of the fields, in display order.
const KEYS: [(&str, Option<SelectorField>); 7] = [
    ("articles", Some(SelectorField::Articles)),
    ("next", Some(SelectorField::Next)),
    ("title", Some(SelectorField::Title)),
    ("author", Some(SelectorField::Author)),
    ("date", Some(SelectorField::Date)),
    ("date_format", None),
    ("content", Some(SelectorField::Content)),
];

#[derive(Debug)]
pub(crate) struct Bench {
    /// Id of the workbench. Replies with a different id are dropped.
    pub(crate) id: RequestId,
    /// Whether the workbench is shown instead of the form.
    pub(crate) shown: bool,
    pub(crate) pane: BenchPane,
    /// The page that is currently shown.
    pub(crate) at: WorkbenchPage,
    pub(crate) fields: Vec<BenchField>,
    /// Index of the field for which elements are picked.
    pub(crate) active: usize,
    pub(crate) sheets: HashMap<WorkbenchPage, SheetView>,
    /// Pages that are being loaded.
    pub(crate) waiting: HashSet<WorkbenchPage>,
    pub(crate) failed: HashMap<WorkbenchPage, String>,
    /// Whether the first article is being fetched only to evaluate the article selectors, without showing it.
    sampling: bool,
    /// Times of the stored copies of the list, newest first.
    pub(crate) copies: Vec<Time>,
    offers: HashMap<WorkbenchPage, Vec<Offer>>,
    /// Index of the suggestion that was applied last.
    applied: Option<usize>,
    /// The earlier values of the fields that this suggestion has filled.
    previous: Vec<(usize, String)>,
    /// The values of fields before elements were picked for them, newest last.
    picked: Vec<(usize, String)>,
    /// The preview for which the warning about saving without articles was already shown.
    warned_of: Option<u64>,
    /// The broken selector of the source, and the problem.
    pub(crate) broken: Option<SelectorProblem>,
    /// Whether a repair is suggested.
    repairing: bool,
    /// The stored copy that is shown next to a broken list, if there is space.
    beside: Option<WorkbenchPage>,
    pub(crate) preview: Preview,
    last_preview: u64,
    /// Index of the selected article in the list of matches.
    pub(crate) item: usize,
    /// Whether the items are entries on the page itself.
    pub(crate) on_page: bool,
}

impl Bench {
    fn new(id: RequestId, form: &SourceForm, broken: Option<SelectorProblem>) -> Self {
        let index = |key: &str| form.fields().iter().position(|f| f.website_key() == Some(key));
        let fields = KEYS.iter().filter_map(|&(key, part)| {
            let index = index(key)?;
            form.is_shown(&form.fields()[index]).then_some(BenchField { key, part, index })
        });
        let at = if is_list(form) { WorkbenchPage::List } else { WorkbenchPage::Article };
        let mut bench = Self {
            id,
            shown: true,
            pane: BenchPane::Page,
            at,
            fields: fields.collect(),
            active: 0,
            sheets: HashMap::new(),
            waiting: HashSet::from([at]),
            failed: HashMap::new(),
            sampling: false,
            copies: Vec::new(),
            offers: HashMap::new(),
            applied: None,
            previous: Vec::new(),
            picked: Vec::new(),
            warned_of: None,
            broken,
            repairing: false,
            beside: None,
            preview: Preview::default(),
            last_preview: 0,
            item: 0,
            on_page: form.kind() == SourceKind::Entries,
        };
        bench.activate_for_page();
        bench
    }

    pub(crate) fn sheet(&self) -> Option<&SheetView> {
        self.sheets.get(&self.at)
    }

    fn sheet_mut(&mut self) -> Option<&mut SheetView> {
        self.sheets.get_mut(&self.at)
    }

    /// The field for which elements are picked.
    pub(crate) fn field(&self) -> Option<BenchField> {
        self.fields.get(self.active).copied()
    }

    /// The list on which selectors are evaluated.
    pub(crate) fn list(&self) -> WorkbenchPage {
        match self.at {
            WorkbenchPage::Copy(_) => self.at,
            _ => WorkbenchPage::List,
        }
    }

    /// Whether the current page is an article.
    pub(crate) fn is_article(&self) -> bool {
        self.at == WorkbenchPage::Article
    }

    /// The selectors that apply to the current page.
    pub(crate) fn parts(&self) -> &'static [SelectorField] {
        match (self.on_page, self.is_article()) {
            (true, _) => &SelectorField::ENTRIES,
            (false, true) => &SelectorField::ARTICLE,
            (false, false) => &SelectorField::LIST,
        }
    }

    /// The matches of a selector. The outer `None` means that its page is not loaded.
    pub(crate) fn found(&self, part: SelectorField) -> Option<Option<&Matches>> {
        let list = self.preview.list.iter().flat_map(|page| &page.found);
        let article = self.preview.article.iter().flat_map(|page| &page.found);
        let mut all = list.chain(article);
        all.find(|(one, _)| *one == part).map(|(_, found)| found.as_ref())
    }

    /// Whether the page of a selector is being loaded.
    pub(crate) fn is_loading(&self, part: SelectorField) -> bool {
        if self.on_page || SelectorField::LIST.contains(&part) {
            return self.waiting.contains(&WorkbenchPage::List);
        }
        self.sampling || self.waiting.contains(&WorkbenchPage::Article)
    }

    /// The elements of the current page that a selector matches.
    pub(crate) fn marks(&self, part: SelectorField) -> &[u32] {
        if !self.parts().contains(&part) {
            return &[];
        }
        self.found(part).flatten().map_or(&[], |found| found.marks.as_slice())
    }

    /// The stored copy that is shown next to the list.
    pub(crate) fn beside(&self) -> Option<WorkbenchPage> {
        self.beside
            .filter(|place| self.at == WorkbenchPage::List && self.sheets.contains_key(place))
    }

    /// The elements that a selector matches on the current page or on the copy next to it.
    pub(crate) fn marks_on(&self, place: WorkbenchPage, part: SelectorField) -> &[u32] {
        if place == self.at {
            return self.marks(part);
        }
        let mut found = self.preview.copy.iter().flat_map(|page| &page.found);
        let found = found.find(|(one, _)| *one == part).and_then(|(_, found)| found.as_ref());
        found.map_or(&[], |found| found.marks.as_slice())
    }

    /// The articles that were found, and the number of those on the first page.
    pub(crate) fn items(&self) -> (Vec<&ListLink>, usize) {
        let first = self.preview.list.iter().flat_map(|page| &page.links);
        let second = self.preview.second.iter().flat_map(|page| &page.links);
        let count = self.preview.list.as_ref().map_or(0, |page| page.links.len());
        (first.chain(second).collect(), count)
    }

    /// For a selector that matches nothing, a similar selector with names that occur on the page.
    pub(crate) fn meant(&self, selector: &str) -> Option<String> {
        near::near_selector(selector, &self.sheet()?.outline)
    }

    /// The selectors that are suggested for the current page.
    pub(crate) fn offers(&self) -> &[Offer] {
        self.offers.get(&self.at).map_or(&[], Vec::as_slice)
    }

    /// Index of the suggestion that was applied last.
    pub(crate) fn applied(&self) -> Option<usize> {
        self.applied
    }

    pub(crate) fn repair(&self) -> Option<&Offer> {
        self.offers().first().filter(|_| self.repairing)
    }

    /// Activates the first field that applies to the current page, unless the active field already does.
    fn activate_for_page(&mut self) {
        let parts = self.parts();
        let fits = |field: &BenchField| field.part.is_some_and(|part| parts.contains(&part));
        if !self.field().is_some_and(|field| fits(&field)) {
            self.active = self.fields.iter().position(fits).unwrap_or(0);
        }
    }

    fn show(&mut self, place: WorkbenchPage) {
        self.at = place;
        // Suggestions belong to one page. A suggestion that was applied on the previous page is kept.
        (self.applied, self.repairing) = (None, false);
        self.previous.clear();
        self.activate_for_page();
    }

    /// Whether saving must ask for confirmation, because the selectors find no articles. It asks only once
    /// per preview.
    pub(super) fn warns_of_nothing(&mut self) -> bool {
        let finds_nothing = self.preview.list.as_ref().is_some_and(|list| list.links.is_empty());
        let asks = self.shown && finds_nothing && self.warned_of != Some(self.last_preview);
        if asks {
            self.warned_of = Some(self.last_preview);
        }
        asks
    }

    /// Records that the user has edited a field, so that its previous value is no longer restored.
    pub(super) fn keep_edit(&mut self, index: usize) {
        self.previous.retain(|(field, _)| *field != index);
    }
}

/// Whether a suggestion fills a selector. It does not fill `next` if that is empty (only one page is read) or
/// has matches. A repair fills only broken selectors.
fn is_filled(bench: &Bench, part: SelectorField, typed: &Field) -> bool {
    let finds = bench.found(part).flatten().is_some_and(|found| found.count > 0);
    match bench.broken.as_ref().map(|problem| problem.key) {
        Some(RuleKey::Title) if bench.is_article() => part == SelectorField::Title,
        Some(RuleKey::Content) if bench.is_article() => part == SelectorField::Content,
        _ => part != SelectorField::Next || !(typed.value().is_empty() || finds),
    }
}

/// Whether the URL is that of a list of articles or entries.
fn is_list(form: &SourceForm) -> bool {
    matches!(form.kind(), SourceKind::Website | SourceKind::Entries)
}

/// The typed rules, even if they are invalid.
fn rules(form: &SourceForm) -> WebsiteRules {
    let value = |key: &str| {
        let field = form.fields().iter().find(|f| f.website_key() == Some(key));
        field.map(|f| f.value().trim().to_owned()).filter(|value| !value.is_empty())
    };
    // Only websites need these selectors; other kinds fall back to the defaults.
    let or_usual = |previous: Option<String>, usual: &str| match previous {
        None if form.kind() != SourceKind::Website => usual.to_owned(),
        previous => previous.unwrap_or_default(),
    };
    WebsiteRules {
        articles: value("articles"),
        next: value("next"),
        title: or_usual(value("title"), WebsiteRules::TITLE),
        content: or_usual(value("content"), WebsiteRules::CONTENT),
        author: value("author"),
        date: value("date"),
        date_format: value("date_format"),
        ..WebsiteRules::default()
    }
}

impl Editor {
    /// The workbench, if it is shown.
    pub(crate) fn bench(&self) -> Option<&Bench> {
        self.bench.as_deref().filter(|bench| bench.shown)
    }

    pub(super) fn bench_mut(&mut self) -> Option<&mut Bench> {
        self.bench.as_deref_mut().filter(|bench| bench.shown)
    }

    /// Requests a new preview of the selectors, if there is an open workbench.
    pub(super) fn preview(&mut self) -> Vec<Effect> {
        let (Some(bench), Some(form)) = (&mut self.bench, &self.form) else { return vec![] };
        bench.last_preview += 1;
        let (request, list) = (bench.last_preview, bench.list());
        let ask = BenchRequest::Preview {
            request,
            rules: Box::new(SourceRules::new(form.kind(), rules(form))),
            list,
        };
        vec![Effect::Bench { bench: bench.id, ask }]
    }

    /// Whether a suggestion fills a selector.
    pub(crate) fn is_filled(&self, part: SelectorField) -> bool {
        let Some(bench) = &self.bench else { return false };
        let field = bench.fields.iter().find(|field| field.part == Some(part));
        field
            .and_then(|f| self.typed.get(f.index))
            .is_some_and(|typed| is_filled(bench, part, typed))
    }

    fn set_field(&mut self, index: usize, value: &str) {
        let (Some(form), Some(typed)) = (&mut self.form, self.typed.get_mut(index)) else { return };
        form.set(index, value);
        *typed = Field::new(value);
    }

    /// Applies a suggestion, or with `None` restores the previous values.
    fn apply_offer(&mut self, number: Option<usize>) -> Vec<Effect> {
        let Some(bench) = &mut self.bench else { return vec![] };
        let previous = std::mem::take(&mut bench.previous);
        (bench.applied, bench.repairing) = (number, false);
        let offer = number.and_then(|n| bench.offers().get(n)).cloned();
        // Restore the typed values first, so that each suggestion is based on them.
        for (index, value) in previous {
            self.set_field(index, &value);
        }
        for (part, selector) in offer.into_iter().flat_map(|offer| offer.selectors) {
            let Some(bench) = &mut self.bench else { break };
            let Some(field) = bench.fields.iter().find(|f| f.part == Some(part)).copied() else {
                continue;
            };
            let Some(typed) = self.typed.get(field.index) else { continue };
            if !is_filled(bench, part, typed) {
                continue;
            }
            bench.previous.push((field.index, typed.value().to_owned()));
            self.set_field(field.index, &selector);
        }
        self.preview()
    }
}

impl Editor {
    /// Opens the workbench over the form, or shows it again.
    pub(super) fn open_bench(&mut self, app: &mut App) -> Vec<Effect> {
        let Some(form) = &self.form else { return vec![] };
        if form.kind() == SourceKind::Feed {
            return app.note("Selectors are for websites. This source is a feed.");
        }
        if let Some(bench) = &mut self.bench {
            bench.shown = true;
            return self.preview();
        }
        let (subject, broken) = match &self.of {
            editor::Subject::Source(key) => {
                let entry = app.sources.entry(*key);
                let broken = entry.and_then(|entry| entry.facts.website.broken().cloned());
                (Subject::Followed(*key), broken)
            }
            editor::Subject::Way(discovery, way) => (Subject::Way(discovery.clone(), *way), None),
            editor::Subject::Settings => return vec![],
        };
        let id = app.request();
        self.bench = Some(Box::new(Bench::new(id, form, broken)));
        let mut effects = vec![Effect::OpenBench { bench: id, subject }];
        effects.extend(self.preview());
        effects
    }
}

//! The selector workbench: a page, what the selectors of the form give on it, and the form's fields
//! for them. What selectors give is reckoned by [`crate::engine::Workbench`]; here is what is asked
//! of it, and which page, line and field have the keys.

mod answers;
mod keys;
mod sheet;

pub(crate) use sheet::Marked;
use sheet::SheetView;

use super::editor::Of;
use super::{App, Editor};
use crate::config::SourceForm;
use crate::engine::{Found, ListLink, Offer, Part, Place, Preview, Subject};
use crate::model::{RuleKey, SelectorProblem, SourceKind, Time, WebsiteMode, WebsiteRules};
use crate::tui::effect::{BenchAsk, Effect};
use crate::tui::event::RequestId;
use crate::tui::input::Field;
use std::collections::{HashMap, HashSet};

/// A part of the workbench that can have the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BenchPane {
    Page,
    Items,
    Fields,
}

/// A line at the bottom: a field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BenchField {
    /// Its key below `website`.
    pub(crate) key: &'static str,
    /// The selector that it is, where it is one.
    pub(crate) part: Option<Part>,
    /// Its number in the form.
    pub(crate) index: usize,
}

/// The keys in the order in which they are shown.
const KEYS: [(&str, Option<Part>); 7] = [
    ("articles", Some(Part::Articles)),
    ("next", Some(Part::Next)),
    ("title", Some(Part::Title)),
    ("author", Some(Part::Author)),
    ("date", Some(Part::Date)),
    ("date_format", None),
    ("content", Some(Part::Content)),
];

/// The workbench of a form.
#[derive(Debug)]
pub(crate) struct Bench {
    /// Answers to another one are dropped.
    id: RequestId,
    /// Whether it is shown; the form is, otherwise.
    pub(crate) shown: bool,
    pub(crate) pane: BenchPane,
    /// The page that is shown.
    pub(crate) at: Place,
    pub(crate) fields: Vec<BenchField>,
    /// Which of the fields elements are chosen for.
    pub(crate) active: usize,
    pub(crate) sheets: HashMap<Place, SheetView>,
    /// Pages that were asked for and are not there yet.
    pub(crate) waiting: HashSet<Place>,
    pub(crate) failed: HashMap<Place, String>,
    /// When the older copies were taken, newest first.
    pub(crate) copies: Vec<Time>,
    offers: HashMap<Place, Vec<Offer>>,
    /// The offer that was taken last, by its number.
    taken: Option<usize>,
    /// What the fields that it filled said before.
    own: Vec<(usize, String)>,
    /// What is wrong with the selectors of the source, and where.
    pub(crate) broken: Option<SelectorProblem>,
    /// A repair waits to be taken.
    mending: bool,
    /// The copy of the list that is shown beside it while that is broken, where there is room.
    beside: Option<Place>,
    pub(crate) summary: Preview,
    asked: u64,
    /// Articles found, and which of them is selected.
    pub(crate) item: usize,
}

impl Bench {
    fn new(id: RequestId, form: &SourceForm, broken: Option<SelectorProblem>) -> Self {
        let index = |key: &str| form.fields().iter().position(|f| f.website_key() == Some(key));
        let fields = KEYS.iter().filter_map(|&(key, part)| {
            let index = index(key)?;
            form.is_shown(&form.fields()[index]).then_some(BenchField { key, part, index })
        });
        let at = if is_list(form) { Place::List } else { Place::Article };
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
            copies: Vec::new(),
            offers: HashMap::new(),
            taken: None,
            own: Vec::new(),
            broken,
            mending: false,
            beside: None,
            summary: Preview::default(),
            asked: 0,
            item: 0,
        };
        bench.activate_for_page();
        bench
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.shown && !self.waiting.is_empty()
    }

    pub(crate) fn sheet(&self) -> Option<&SheetView> {
        self.sheets.get(&self.at)
    }

    fn sheet_mut(&mut self) -> Option<&mut SheetView> {
        self.sheets.get_mut(&self.at)
    }

    /// The field that elements are chosen for.
    pub(crate) fn field(&self) -> Option<BenchField> {
        self.fields.get(self.active).copied()
    }

    /// The list that selectors are tried on.
    pub(crate) fn list(&self) -> Place {
        match self.at {
            Place::Copy(_) => self.at,
            _ => Place::List,
        }
    }

    /// Whether the page that is shown is an article.
    pub(crate) fn is_article(&self) -> bool {
        self.at == Place::Article
    }

    /// What a selector finds, where its page is there.
    pub(crate) fn found(&self, part: Part) -> Option<Option<&Found>> {
        let list = self.summary.list.iter().flat_map(|summary| &summary.found);
        let article = self.summary.article.iter().flat_map(|summary| &summary.found);
        let mut all = list.chain(article);
        all.find(|(one, _)| *one == part).map(|(_, found)| found.as_ref())
    }

    /// The marks of a selector on the page that is shown.
    pub(crate) fn marks(&self, part: Part) -> &[u32] {
        if Part::ARTICLE.contains(&part) != self.is_article() {
            return &[];
        }
        self.found(part).flatten().map_or(&[], |found| found.marks.as_slice())
    }

    /// The copy that is to be shown beside the list.
    pub(crate) fn beside(&self) -> Option<Place> {
        self.beside.filter(|place| self.at == Place::List && self.sheets.contains_key(place))
    }

    /// The marks of a selector on a page: the one that is shown, or the copy beside it.
    pub(crate) fn marks_on(&self, place: Place, part: Part) -> &[u32] {
        if place == self.at {
            return self.marks(part);
        }
        let mut found = self.summary.copy.iter().flat_map(|summary| &summary.found);
        let found = found.find(|(one, _)| *one == part).and_then(|(_, found)| found.as_ref());
        found.map_or(&[], |found| found.marks.as_slice())
    }

    /// The articles that are found, and how many of them are on the first page.
    pub(crate) fn items(&self) -> (Vec<&ListLink>, usize) {
        let first = self.summary.list.iter().flat_map(|summary| &summary.links);
        let second = self.summary.second.iter().flat_map(|summary| &summary.links);
        let count = self.summary.list.as_ref().map_or(0, |summary| summary.links.len());
        (first.chain(second).collect(), count)
    }

    /// The selectors that are offered for the page that is shown.
    pub(crate) fn offers(&self) -> &[Offer] {
        self.offers.get(&self.at).map_or(&[], Vec::as_slice)
    }

    /// The number of the offer that was taken last.
    pub(crate) fn taken(&self) -> Option<usize> {
        self.taken
    }

    /// The repair that waits to be taken.
    pub(crate) fn repair(&self) -> Option<&Offer> {
        self.offers().first().filter(|_| self.mending)
    }

    /// Goes to the first field of the page that is shown, where that of another one is active.
    fn activate_for_page(&mut self) {
        let wanted = if self.is_article() { &Part::ARTICLE[..] } else { &Part::LIST[..] };
        let fits = |field: &BenchField| field.part.is_some_and(|part| wanted.contains(&part));
        if !self.field().is_some_and(|field| fits(&field)) {
            self.active = self.fields.iter().position(fits).unwrap_or(0);
        }
    }

    fn show(&mut self, place: Place) {
        self.at = place;
        // Offers are of one page: what was taken on another one stays.
        (self.taken, self.mending) = (None, false);
        self.own.clear();
        self.activate_for_page();
    }

    /// What that field of the form says now was not offered: nothing else is put back there.
    pub(super) fn keep(&mut self, index: usize) {
        self.own.retain(|(field, _)| *field != index);
    }
}

/// Whether a selector of that part is taken from an offer. Whoever reads one page only, or whose next
/// page is found, needs no other way there, and what is not broken is not mended.
fn takes(bench: &Bench, part: Part, typed: &Field) -> bool {
    let finds = bench.found(part).flatten().is_some_and(|found| found.count > 0);
    match bench.broken.as_ref().map(|problem| problem.key) {
        Some(RuleKey::Title) if bench.is_article() => part == Part::Title,
        Some(RuleKey::Content) if bench.is_article() => part == Part::Content,
        _ => part != Part::Next || !(typed.value().is_empty() || finds),
    }
}

/// Whether the address is a list of articles.
fn is_list(form: &SourceForm) -> bool {
    form.kind() == SourceKind::Website && rules(form).mode == WebsiteMode::List
}

/// The rules as they are typed, right or not.
fn rules(form: &SourceForm) -> WebsiteRules {
    let value = |key: &str| {
        let field = form.fields().iter().find(|f| f.website_key() == Some(key));
        field.map(|f| f.value().trim().to_owned()).filter(|value| !value.is_empty())
    };
    let direct = value("mode").as_deref() == Some("direct");
    // A sitemap need not say how its articles are read.
    let or_usual = |own: Option<String>, usual: &str| match own {
        None if form.kind() != SourceKind::Website => usual.to_owned(),
        own => own.unwrap_or_default(),
    };
    WebsiteRules {
        mode: if direct { WebsiteMode::Direct } else { WebsiteMode::List },
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
    /// The workbench, where it is shown.
    pub(crate) fn bench(&self) -> Option<&Bench> {
        self.bench.as_deref().filter(|bench| bench.shown)
    }

    pub(super) fn bench_mut(&mut self) -> Option<&mut Bench> {
        self.bench.as_deref_mut().filter(|bench| bench.shown)
    }

    /// Asks again what the selectors give, where there is a workbench.
    pub(super) fn preview(&mut self) -> Vec<Effect> {
        let (Some(bench), Some(form)) = (&mut self.bench, &self.form) else { return vec![] };
        bench.asked += 1;
        let (request, list) = (bench.asked, bench.list());
        let ask = BenchAsk::Preview { request, rules: Box::new(rules(form)), list };
        vec![Effect::Bench { bench: bench.id, ask }]
    }

    /// Whether a selector of that part is taken from what is offered.
    pub(crate) fn takes(&self, part: Part) -> bool {
        let Some(bench) = &self.bench else { return false };
        let field = bench.fields.iter().find(|field| field.part == Some(part));
        field.and_then(|f| self.typed.get(f.index)).is_some_and(|typed| takes(bench, part, typed))
    }

    /// Puts a value into a field of the form.
    fn put(&mut self, index: usize, value: &str) {
        let (Some(form), Some(typed)) = (&mut self.form, self.typed.get_mut(index)) else { return };
        form.set(index, value);
        *typed = Field::new(value);
    }

    /// Takes the offer of that number, or what was there before any.
    fn take(&mut self, number: Option<usize>) -> Vec<Effect> {
        let Some(bench) = &mut self.bench else { return vec![] };
        let own = std::mem::take(&mut bench.own);
        (bench.taken, bench.mending) = (number, false);
        let offer = number.and_then(|n| bench.offers().get(n)).cloned();
        // What was typed before comes back first, so that each offer begins from there.
        for (index, value) in own {
            self.put(index, &value);
        }
        for (part, selector) in offer.into_iter().flat_map(|offer| offer.selectors) {
            let Some(bench) = &mut self.bench else { break };
            let Some(field) = bench.fields.iter().find(|f| f.part == Some(part)).copied() else {
                continue;
            };
            let Some(typed) = self.typed.get(field.index) else { continue };
            if !takes(bench, part, typed) {
                continue;
            }
            bench.own.push((field.index, typed.value().to_owned()));
            self.put(field.index, &selector);
        }
        self.preview()
    }
}

impl App {
    /// Opens the workbench over the form, or shows it again.
    pub(super) fn open_bench(&mut self) -> Vec<Effect> {
        let id = self.request();
        let problem = self.editor().and_then(|editor| match editor.of {
            Of::Source(key) => Some(key),
            Of::Way(_) | Of::Settings => None,
        });
        let problem = problem.and_then(|key| self.sources.entry(key));
        let broken = problem.and_then(|entry| entry.facts.website.broken().cloned());
        let discovery = self.dialogs.iter().find_map(|dialog| match dialog {
            super::Dialog::Add(super::Add {
                stage: super::Stage::Found { discovery, .. }, ..
            }) => Some(discovery.clone()),
            _ => None,
        });
        let Some(editor) = self.editor() else { return vec![] };
        let Some(form) = &editor.form else { return vec![] };
        if form.kind() == SourceKind::Feed {
            return self.note("a feed needs no selectors");
        }
        if let Some(bench) = &mut editor.bench {
            bench.shown = true;
            return editor.preview();
        }
        let subject = match (editor.of, discovery) {
            (Of::Source(key), _) => Subject::Followed(key),
            (Of::Way(way), Some(discovery)) => Subject::Way(Box::new(discovery), way),
            (Of::Way(_), None) | (Of::Settings, _) => return vec![],
        };
        editor.bench = Some(Box::new(Bench::new(id, form, broken)));
        let mut effects = vec![Effect::OpenBench { bench: id, subject }];
        effects.extend(editor.preview());
        effects
    }
}

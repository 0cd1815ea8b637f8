//! Handles replies from the engine's workbench.

use super::{App, Bench, Editor, SheetView};
use crate::engine::{Preview, SelectorField, WorkbenchEvent, WorkbenchPage};
use crate::model::RuleKey;
use crate::tui::effect::{BenchRequest, Effect};
use crate::tui::event::RequestId;
use url::Url;

impl Editor {
    pub(in super::super) fn bench_replied(
        &mut self,
        app: &mut App,
        id: RequestId,
        reply: WorkbenchEvent,
    ) -> Vec<Effect> {
        let Some(bench) = self.bench.as_mut().filter(|bench| bench.id == id) else {
            return vec![];
        };
        match reply {
            WorkbenchEvent::Copies(times) => {
                bench.copies = times;
                let links = bench.broken.as_ref().is_some_and(|t| t.key == RuleKey::Articles);
                if !links || bench.copies.is_empty() {
                    return vec![];
                }
                bench.beside = Some(WorkbenchPage::Copy(0));
                vec![Effect::Bench { bench: id, ask: BenchRequest::Copy(0) }]
            }
            WorkbenchEvent::Page { place, url, outline, needs_javascript } => {
                let expected = bench.waiting.remove(&place);
                bench.sampling &= place != WorkbenchPage::Article;
                bench.failed.remove(&place);
                if needs_javascript {
                    let why = "The page needs JavaScript, which newsfed does not run";
                    bench.failed.insert(place, why.to_owned());
                }
                bench.offers.remove(&place);
                bench.sheets.insert(place, SheetView::new(outline, url));
                if expected && place != WorkbenchPage::Second {
                    bench.show(place);
                }
                self.preview()
            }
            WorkbenchEvent::Failed { place, why } => {
                let expected = bench.waiting.remove(&place);
                bench.sampling &= place != WorkbenchPage::Article;
                bench.failed.insert(place, why.clone());
                // Show the newest stored copy instead.
                if place == WorkbenchPage::List && !bench.copies.is_empty() {
                    let place = WorkbenchPage::Copy(0);
                    if bench.sheets.contains_key(&place) {
                        bench.show(place);
                        return self.preview();
                    }
                    bench.waiting.insert(place);
                    return vec![Effect::Bench { bench: id, ask: BenchRequest::Copy(0) }];
                }
                let quiet = match place {
                    WorkbenchPage::List => true,
                    // The user did not request the article.
                    WorkbenchPage::Article => !expected,
                    _ => false,
                };
                if quiet { vec![] } else { app.problem(why) }
            }
            WorkbenchEvent::Offers(place, offers) => {
                let expected = match bench.broken.as_ref().map(|problem| problem.key) {
                    Some(RuleKey::Articles) => bench.at == place && place == WorkbenchPage::List,
                    Some(_) => bench.at == place && place == WorkbenchPage::Article,
                    None => false,
                };
                bench.repairing |= expected && bench.applied.is_none() && !offers.is_empty();
                bench.offers.insert(place, offers);
                vec![]
            }
            WorkbenchEvent::Previewed(request, preview) => {
                if request == bench.last_preview {
                    return bench.previewed(*preview);
                }
                vec![]
            }
            WorkbenchEvent::Picked(_, None) => {
                app.problem("No selector found for this element; press i to type one")
            }
            WorkbenchEvent::Picked(part, Some(selector)) => {
                let field = bench.fields.iter().find(|f| f.part == Some(part)).copied();
                let Some(field) = field else { return vec![] };
                bench.keep_edit(field.index);
                if let Some(typed) = self.typed.get(field.index) {
                    bench.picked.push((field.index, typed.value().to_owned()));
                }
                self.set_field(field.index, &selector);
                let effects = self.preview();
                app.note(format!("{}: {selector}", field.key));
                effects
            }
        }
    }
}

impl Bench {
    fn previewed(&mut self, preview: Preview) -> Vec<Effect> {
        self.preview = preview;
        let (count, first) = {
            let (items, _) = self.items();
            (items.len(), items.first().map(|item| (item.url.clone(), item.title.clone())))
        };
        self.item = self.item.min(count.saturating_sub(1));
        if let Some(part) = self.field().and_then(|field| field.part) {
            let mark = self.marks(part).first().copied();
            if let (Some(mark), Some(sheet)) = (mark, self.sheet_mut()) {
                sheet.go_to_first(mark);
            }
        }
        let copy = self.beside();
        let mark =
            copy.and_then(|place| self.marks_on(place, SelectorField::Articles).first().copied());
        if let Some((mark, sheet)) = mark.zip(copy.and_then(|place| self.sheets.get_mut(&place))) {
            sheet.go_to_first(mark);
        }
        let requested = self.sheets.contains_key(&WorkbenchPage::Article)
            || self.waiting.contains(&WorkbenchPage::Article)
            || self.failed.contains_key(&WorkbenchPage::Article);
        let Some((url, title)) = first.filter(|_| !requested && !self.on_page) else {
            return vec![];
        };
        // A broken selector for the title or content of articles is repaired on the first article.
        if self.broken.as_ref().is_some_and(|problem| problem.key != RuleKey::Articles) {
            return self.fetch(url, WorkbenchPage::Article, title);
        }
        self.sample(url, title)
    }

    /// Fetches an article, without showing it, to evaluate the article selectors.
    fn sample(&mut self, url: Url, title: String) -> Vec<Effect> {
        let on_list = self.at == WorkbenchPage::List && self.sheet().is_some();
        if self.sampling || !on_list {
            return vec![];
        }
        self.sampling = true;
        let ask = BenchRequest::Fetch { url, place: WorkbenchPage::Article, title };
        vec![Effect::Bench { bench: self.id, ask }]
    }
}

//! Replies of the engine's workbench.

use super::{App, SheetView};
use crate::engine::{Part, Place, Preview, Said};
use crate::model::RuleKey;
use crate::tui::effect::{BenchRequest, Effect};
use crate::tui::event::RequestId;

impl App {
    pub(in super::super) fn bench_replied(&mut self, id: RequestId, reply: Said) -> Vec<Effect> {
        let Some(editor) = self.editor() else { return vec![] };
        let Some(bench) = editor.bench.as_mut().filter(|bench| bench.id == id) else {
            return vec![];
        };
        match reply {
            Said::Copies(times) => {
                bench.copies = times;
                let links = bench.broken.as_ref().is_some_and(|t| t.key == RuleKey::Articles);
                if !links || bench.copies.is_empty() {
                    return vec![];
                }
                bench.beside = Some(Place::Copy(0));
                vec![Effect::Bench { bench: id, ask: BenchRequest::Copy(0) }]
            }
            Said::Page { place, url, outline, needs_javascript } => {
                let expected = bench.waiting.remove(&place);
                bench.failed.remove(&place);
                if needs_javascript {
                    let why = "The page needs JavaScript, which newsfed does not run";
                    bench.failed.insert(place, why.to_owned());
                }
                bench.offers.remove(&place);
                bench.sheets.insert(place, SheetView::new(outline, url));
                if expected && place != Place::Second {
                    bench.show(place);
                }
                editor.preview()
            }
            Said::Failed { place, why } => {
                bench.waiting.remove(&place);
                bench.failed.insert(place, why.clone());
                // Fall back to a stored copy.
                if place == Place::List && !bench.copies.is_empty() {
                    let place = Place::Copy(0);
                    if bench.sheets.contains_key(&place) {
                        bench.show(place);
                        return editor.preview();
                    }
                    bench.waiting.insert(place);
                    return vec![Effect::Bench { bench: id, ask: BenchRequest::Copy(0) }];
                }
                if matches!(place, Place::List) { vec![] } else { self.problem(why) }
            }
            Said::Offers(place, offers) => {
                let expected = match bench.broken.as_ref().map(|problem| problem.key) {
                    Some(RuleKey::Articles) => bench.at == place && place == Place::List,
                    Some(_) => bench.at == place && place == Place::Article,
                    None => false,
                };
                bench.repairing |= expected && bench.applied.is_none() && !offers.is_empty();
                bench.offers.insert(place, offers);
                vec![]
            }
            Said::Previewed(request, preview) => {
                if request == bench.last_preview {
                    return self.previewed(*preview);
                }
                vec![]
            }
            Said::Picked(_, None) => {
                self.problem("No selector found for this element; press i to type one")
            }
            Said::Picked(part, Some(selector)) => {
                let field = bench.fields.iter().find(|f| f.part == Some(part)).copied();
                let Some(field) = field else { return vec![] };
                bench.keep_edit(field.index);
                editor.set_field(field.index, &selector);
                let effects = editor.preview();
                self.note(format!("{}: {selector}", field.key));
                effects
            }
        }
    }

    fn previewed(&mut self, preview: Preview) -> Vec<Effect> {
        let Some(bench) = self.editor().and_then(|editor| editor.bench.as_mut()) else {
            return vec![];
        };
        bench.preview = preview;
        let (count, first) = {
            let (items, _) = bench.items();
            (items.len(), items.first().map(|item| (item.url.clone(), item.title.clone())))
        };
        bench.item = bench.item.min(count.saturating_sub(1));
        if let Some(part) = bench.field().and_then(|field| field.part) {
            let mark = bench.marks(part).first().copied();
            if let (Some(mark), Some(sheet)) = (mark, bench.sheet_mut()) {
                sheet.go_to_first(mark);
            }
        }
        let copy = bench.beside();
        let mark = copy.and_then(|place| bench.marks_on(place, Part::Articles).first().copied());
        if let Some((mark, sheet)) = mark.zip(copy.and_then(|place| bench.sheets.get_mut(&place))) {
            sheet.go_to_first(mark);
        }
        // Broken article selectors are repaired on the first article.
        let in_articles = bench.broken.as_ref().is_some_and(|t| t.key != RuleKey::Articles);
        let requested = bench.sheets.contains_key(&Place::Article)
            || bench.waiting.contains(&Place::Article)
            || bench.failed.contains_key(&Place::Article);
        match first {
            Some((url, title)) if in_articles && !requested => {
                bench.fetch(url, Place::Article, title)
            }
            _ => vec![],
        }
    }
}

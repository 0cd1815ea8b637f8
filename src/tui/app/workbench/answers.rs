//! What the engine's workbench answers.

use super::{App, SheetView};
use crate::engine::{Part, Place, Preview, Said};
use crate::model::RuleKey;
use crate::tui::effect::{BenchAsk, Effect};
use crate::tui::event::RequestId;

impl App {
    /// Takes an answer in.
    pub(in super::super) fn bench_said(&mut self, id: RequestId, said: Said) -> Vec<Effect> {
        let Some(editor) = self.editor() else { return vec![] };
        let Some(bench) = editor.bench.as_mut().filter(|bench| bench.id == id) else {
            return vec![];
        };
        match said {
            Said::Copies(times) => {
                bench.copies = times;
                let links = bench.broken.as_ref().is_some_and(|t| t.key == RuleKey::Articles);
                if !links || bench.copies.is_empty() {
                    return vec![];
                }
                bench.beside = Some(Place::Copy(0));
                vec![Effect::Bench { bench: id, ask: BenchAsk::Copy(0) }]
            }
            Said::Page { place, url, outline, needs_javascript } => {
                let wanted = bench.waiting.remove(&place);
                bench.failed.remove(&place);
                if needs_javascript {
                    let why = "the page needs JavaScript, which is not run";
                    bench.failed.insert(place, why.to_owned());
                }
                bench.offers.remove(&place);
                bench.sheets.insert(place, SheetView::new(outline, url));
                if wanted && place != Place::Second {
                    bench.show(place);
                }
                editor.preview()
            }
            Said::Failed { place, why } => {
                bench.waiting.remove(&place);
                bench.failed.insert(place, why.clone());
                // An older copy is better than nothing.
                if place == Place::List && !bench.copies.is_empty() {
                    let place = Place::Copy(0);
                    if bench.sheets.contains_key(&place) {
                        bench.show(place);
                        return editor.preview();
                    }
                    bench.waiting.insert(place);
                    return vec![Effect::Bench { bench: id, ask: BenchAsk::Copy(0) }];
                }
                if matches!(place, Place::List) { vec![] } else { self.problem(why) }
            }
            Said::Offers(place, offers) => {
                let wanted = match bench.broken.as_ref().map(|problem| problem.key) {
                    Some(RuleKey::Articles) => bench.at == place && place == Place::List,
                    Some(_) => bench.at == place && place == Place::Article,
                    None => false,
                };
                bench.mending |= wanted && bench.taken.is_none() && !offers.is_empty();
                bench.offers.insert(place, offers);
                vec![]
            }
            Said::Previewed(request, summary) => {
                if request == bench.asked {
                    return self.previewed(*summary);
                }
                vec![]
            }
            Said::Picked(_, None) => {
                self.problem("no selector was found for this element; i types one")
            }
            Said::Picked(part, Some(selector)) => {
                let field = bench.fields.iter().find(|f| f.part == Some(part)).copied();
                let Some(field) = field else { return vec![] };
                bench.keep(field.index);
                editor.put(field.index, &selector);
                let effects = editor.preview();
                self.note(format!("{}: {selector}", field.key));
                effects
            }
        }
    }

    fn previewed(&mut self, summary: Preview) -> Vec<Effect> {
        let Some(bench) = self.editor().and_then(|editor| editor.bench.as_mut()) else {
            return vec![];
        };
        bench.summary = summary;
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
        // What is broken in the articles is mended on one of them.
        let in_articles = bench.broken.as_ref().is_some_and(|t| t.key != RuleKey::Articles);
        let begun = bench.sheets.contains_key(&Place::Article)
            || bench.waiting.contains(&Place::Article)
            || bench.failed.contains_key(&Place::Article);
        match first {
            Some((url, title)) if in_articles && !begun => bench.fetch(url, Place::Article, title),
            _ => vec![],
        }
    }
}

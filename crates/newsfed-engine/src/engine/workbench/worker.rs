//! The thread that owns the trees of a workbench.

use crate::model::{SourceKind, SourceRules, Time, WebsiteRules};
use crate::net::Response;
use crate::store::ListCopy;
use crate::util::text;
use crate::util::url::normalise;
use crate::website::{ArticlePreview, ListPreview, Outline, Page, PreviewPage, SelectorField};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use tokio::sync::mpsc::UnboundedSender;
use url::Url;

/// The pages of a workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkbenchPage {
    /// The URL of the source.
    List,
    Second,
    /// The article that was fetched last.
    Article,
    /// A stored copy of the list by its number, counted from the newest.
    Copy(usize),
}

/// Requests to the worker.
pub(super) enum Task {
    /// The keys of the known articles, and the stored copies of the list, newest first.
    Known {
        known: HashSet<String>,
        copies: Vec<ListCopy>,
    },
    Page {
        place: WorkbenchPage,
        response: Box<Response>,
        title: String,
    },
    Copy(usize),
    Preview {
        request: u64,
        rules: Box<SourceRules>,
        list: WorkbenchPage,
    },
    Pick {
        place: WorkbenchPage,
        element: u32,
        part: SelectorField,
    },
}

/// Results of the worker.
#[derive(Debug)]
pub enum WorkbenchEvent {
    /// The dates of the stored copies of the list, newest first.
    Copies(Vec<Time>),
    /// A page was loaded.
    Page {
        place: WorkbenchPage,
        /// The URL of the response.
        url: Url,
        outline: Arc<Outline>,
        /// Whether the text is only visible with JavaScript.
        needs_javascript: bool,
    },
    /// A page could not be loaded.
    Failed { place: WorkbenchPage, why: String },
    /// Selectors that would match on a page, best first.
    Offers(WorkbenchPage, Vec<Offer>),
    /// The matches of selectors.
    Previewed(u64, Box<Preview>),
    /// A selector for the selected element, if one was found.
    Picked(SelectorField, Option<String>),
}

/// Selectors that are suggested together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Each selector with its field.
    pub selectors: Vec<(SelectorField, String)>,
    /// Number of articles that the selectors find on a list.
    pub count: usize,
    /// Number of these articles that were already known.
    pub known: usize,
}

/// The matches of selectors on the loaded pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preview {
    /// Matches on the list.
    pub list: Option<ListPreview>,
    /// Matches on the newest copy of the list, if that is loaded too.
    pub copy: Option<ListPreview>,
    /// Matches on the next page of the list.
    pub second: Option<ListPreview>,
    /// Matches on the article.
    pub article: Option<ArticlePreview>,
}

pub(super) struct Worker {
    inbox: Receiver<Task>,
    newest: Arc<AtomicU64>,
    replies: UnboundedSender<WorkbenchEvent>,
    sheets: HashMap<WorkbenchPage, PreviewPage>,
    /// Title of the article in the list.
    title: String,
    known: HashSet<String>,
    copies: Vec<ListCopy>,
    waiting: VecDeque<Task>,
    /// Pages for which selectors are suggested when there is nothing else to do.
    idle: Vec<WorkbenchPage>,
    /// Whether the last request was for entries.
    of_entries: bool,
}

impl Worker {
    pub(super) fn new(
        inbox: Receiver<Task>,
        newest: Arc<AtomicU64>,
        replies: UnboundedSender<WorkbenchEvent>,
    ) -> Self {
        Self {
            inbox,
            newest,
            replies,
            sheets: HashMap::new(),
            title: String::new(),
            known: HashSet::new(),
            copies: Vec::new(),
            waiting: VecDeque::new(),
            idle: Vec::new(),
            of_entries: false,
        }
    }

    /// Works until all senders are gone.
    pub(super) fn run(mut self) {
        loop {
            self.waiting.extend(self.inbox.try_iter());
            let job = match self.waiting.pop_front() {
                Some(job) => job,
                None => match self.idle.pop() {
                    Some(place) => {
                        self.offer(place);
                        continue;
                    }
                    None => match self.inbox.recv() {
                        Ok(job) => job,
                        Err(_) => return,
                    },
                },
            };
            self.take(job);
        }
    }

    #[cfg(any(test, feature = "testing"))]
    pub(super) fn offer_all(&mut self) {
        while let Some(place) = self.idle.pop() {
            self.offer(place);
        }
    }

    fn report(&self, replies: WorkbenchEvent) {
        // The listener may be gone.
        let _ = self.replies.send(replies);
    }

    pub(super) fn take(&mut self, job: Task) {
        if let Task::Preview { rules, .. } = &job
            && (rules.kind() == SourceKind::Entries) != self.of_entries
        {
            // Entries and links need different suggestions.
            self.of_entries = !self.of_entries;
            self.idle.extend(
                self.sheets.contains_key(&WorkbenchPage::List).then_some(WorkbenchPage::List),
            );
        }
        match job {
            Task::Known { known, copies } => {
                self.known = known;
                self.report(WorkbenchEvent::Copies(copies.iter().map(|copy| copy.at).collect()));
                self.copies = copies;
            }
            Task::Page { place, response, title } => {
                if place == WorkbenchPage::Article {
                    self.title = title;
                }
                let kind = response.content_type().map(str::to_owned);
                self.lay(place, &response.body, kind.as_deref(), &response.final_url);
            }
            Task::Copy(number) => self.unpack(number),
            Task::Preview { request, .. } if request < self.newest.load(Ordering::SeqCst) => {}
            Task::Preview { request, rules, list } => {
                let summary = self.preview(&rules, list);
                self.report(WorkbenchEvent::Previewed(request, Box::new(summary)));
            }
            Task::Pick { place, element, part } => {
                let sheet = self.sheets.get(&place);
                let selector = sheet.and_then(|sheet| sheet.pick(element, part, self.of_entries));
                self.report(WorkbenchEvent::Picked(part, selector));
            }
        }
    }

    pub(super) fn lay(&mut self, place: WorkbenchPage, body: &[u8], kind: Option<&str>, url: &Url) {
        match Page::read(body, kind, url) {
            Ok(page) => {
                let needs_javascript = page.needs_javascript();
                let (sheet, outline) = PreviewPage::new(page);
                self.sheets.insert(place, sheet);
                let outline = Arc::new(outline);
                self.report(WorkbenchEvent::Page {
                    place,
                    url: url.clone(),
                    outline,
                    needs_javascript,
                });
                self.idle.push(place);
            }
            Err(e) => {
                self.report(WorkbenchEvent::Failed { place, why: text::line(&e.to_string()) })
            }
        }
    }

    fn unpack(&mut self, number: usize) {
        let place = WorkbenchPage::Copy(number);
        let failed = |why: &str| WorkbenchEvent::Failed { place, why: why.to_owned() };
        let Some(copy) = self.copies.get(number) else { return };
        let (kind, url) = (copy.media_type.clone(), Url::parse(&copy.url));
        match (copy.body(), url) {
            (Some(body), Ok(url)) => self.lay(place, &body, kind.as_deref(), &url),
            _ => self.report(failed("the copy is damaged")),
        }
    }

    fn preview(&self, rules: &SourceRules, list: WorkbenchPage) -> Preview {
        let Some(pages) = rules.pages() else { return Preview::default() };
        let (kind, rules, none) = (rules.kind(), pages, HashSet::new());
        if kind == SourceKind::Entries {
            let entries = |place| self.sheets.get(&place).map(|sheet| sheet.entries(rules));
            let copy = Some(WorkbenchPage::Copy(0)).filter(|copy| *copy != list);
            return Preview {
                list: entries(list),
                copy: copy.and_then(entries),
                ..Preview::default()
            };
        }
        let copy = WorkbenchPage::Copy(0);
        let copied = self.sheets.get(&copy).filter(|_| list != copy);
        Preview {
            copy: copied.map(|sheet| sheet.list(rules, &none)),
            list: self.sheets.get(&list).map(|sheet| sheet.list(rules, &self.known)),
            second: self.sheets.get(&WorkbenchPage::Second).map(|sheet| sheet.list(rules, &none)),
            article: self.sheets.get(&WorkbenchPage::Article).map(|sheet| sheet.article(rules)),
        }
    }

    /// Suggests selectors.
    fn offer(&mut self, place: WorkbenchPage) {
        let offers = match place {
            WorkbenchPage::Second => return,
            WorkbenchPage::List | WorkbenchPage::Copy(_) if self.of_entries => {
                let Some(sheet) = self.sheets.get(&place) else { return };
                let offer = |proposal: crate::website::entries::EntriesProposal| Offer {
                    count: proposal.entries.len(),
                    known: 0,
                    selectors: vec![(SelectorField::Articles, proposal.articles)],
                };
                sheet.entry_proposals().into_iter().map(offer).collect()
            }
            WorkbenchPage::List | WorkbenchPage::Copy(_) => {
                let Some(sheet) = self.sheets.get(&place) else { return };
                let offer = |proposal: crate::website::propose::Proposal| Offer {
                    count: proposal.items.len(),
                    known: proposal
                        .items
                        .iter()
                        .filter(|item| self.known.contains(&normalise(&item.url)))
                        .count(),
                    selectors: [
                        (SelectorField::Articles, Some(proposal.articles)),
                        (SelectorField::Next, proposal.next),
                    ]
                    .into_iter()
                    .filter_map(|(part, selector)| Some((part, selector?)))
                    .collect(),
                };
                sheet.proposals(&self.known).into_iter().map(offer).collect()
            }
            WorkbenchPage::Article => {
                let Some(sheet) = self.sheets.remove(&place) else { return };
                let (sheet, rules) = sheet.article_rules(&self.title, WebsiteRules::default());
                self.sheets.insert(place, sheet);
                let own = |text: String, usual: &str| Some(text).filter(|text| text != usual);
                let selectors = [
                    (SelectorField::Title, own(rules.title, WebsiteRules::TITLE)),
                    (SelectorField::Author, rules.author),
                    (SelectorField::Date, rules.date),
                    (SelectorField::Content, own(rules.content, WebsiteRules::CONTENT)),
                ];
                let selectors: Vec<_> =
                    selectors.into_iter().filter_map(|(part, s)| Some((part, s?))).collect();
                match selectors.is_empty() {
                    true => Vec::new(),
                    false => vec![Offer { selectors, count: 1, known: 0 }],
                }
            }
        };
        self.report(WorkbenchEvent::Offers(place, offers));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn copy(markup: &str) -> ListCopy {
        let at = Time::UNIX_EPOCH;
        ListCopy::pack(at, "https://example.org/", Some("text/html"), markup.as_bytes()).unwrap()
    }

    fn rules(articles: &str) -> Box<SourceRules> {
        let articles = Some(articles.to_owned());
        let rules = WebsiteRules { articles, ..WebsiteRules::default() };
        Box::new(SourceRules::new(SourceKind::Website, rules))
    }

    #[test]
    fn computes_the_newest_preview_before_suggestions() {
        let (jobs, inbox) = mpsc::channel();
        let (replies, mut events) = tokio::sync::mpsc::unbounded_channel();
        let newest = Arc::new(AtomicU64::new(0));
        let row = |n: usize| format!("<h3><a href=/story-{n}>The story of the {n} bus</a></h3>");
        let page: String = (0..9).map(row).collect();
        let known = HashSet::from(["https://example.org/story-1".to_owned()]);
        jobs.send(Task::Known { known, copies: vec![copy(&page), copy("not a page")] }).unwrap();
        jobs.send(Task::Copy(0)).unwrap();
        jobs.send(Task::Copy(1)).unwrap();
        for request in 1..=5 {
            newest.store(request, Ordering::SeqCst);
            let list = WorkbenchPage::Copy(0);
            jobs.send(Task::Preview { request, rules: rules("h3 a"), list }).unwrap();
        }
        jobs.send(Task::Pick {
            place: WorkbenchPage::Copy(0),
            element: 4,
            part: SelectorField::Articles,
        })
        .unwrap();
        drop(jobs);
        Worker::new(inbox, newest, replies).run();
        let mut summary = Vec::new();
        while let Ok(replies) = events.try_recv() {
            summary.push(match replies {
                WorkbenchEvent::Copies(times) => format!("copies {}", times.len()),
                WorkbenchEvent::Page { place, outline, .. } => {
                    format!("{place:?} {}", !outline.lines.is_empty())
                }
                WorkbenchEvent::Failed { place, why } => format!("{place:?} {why}"),
                WorkbenchEvent::Previewed(request, summary) => {
                    let list = summary.list.unwrap();
                    format!(
                        "{request}: {} known {} lost {}",
                        list.links.len(),
                        list.known,
                        list.lost
                    )
                }
                WorkbenchEvent::Picked(part, selector) => format!("{part:?} {}", selector.unwrap()),
                WorkbenchEvent::Offers(place, offers) => {
                    format!("{place:?} {} {}", offers[0].count, offers[0].known)
                }
            });
        }
        let want = [
            "copies 2",
            "Copy(0) true",
            "Copy(1) this is not an HTML page; it seems to be plain text",
            "5: 9 known 1 lost 0",
            "Articles h3 a",
            "Copy(0) 9 1",
        ];
        assert_eq!(summary, want);
    }

    #[test]
    fn suggests_blocks_for_entries() {
        let (_jobs, inbox) = mpsc::channel();
        let (replies, mut events) = tokio::sync::mpsc::unbounded_channel();
        let mut worker = Worker::new(inbox, Arc::default(), replies);
        let block = |n: usize| {
            format!(
                "<div class=release><h3>Version 1.{n}</h3><p>0{n}.03.2026</p><p>Better.</p></div>"
            )
        };
        let page: String = (1..5).map(block).collect();
        let rules = SourceRules::new(SourceKind::Entries, WebsiteRules::default());
        let list = WorkbenchPage::List;
        worker.take(Task::Preview { request: 1, rules: Box::new(rules.clone()), list });
        worker.lay(list, page.as_bytes(), None, &Url::parse("https://example.org/").unwrap());
        worker.take(Task::Preview { request: 2, rules: Box::new(rules), list });
        worker.offer_all();
        let (mut found, mut offered) = (0, Vec::new());
        while let Ok(replies) = events.try_recv() {
            match replies {
                WorkbenchEvent::Previewed(_, preview) => {
                    found = preview.list.map_or(0, |list| list.links.len());
                }
                WorkbenchEvent::Offers(_, offers) => offered = offers,
                _ => {}
            }
        }
        assert_eq!(found, 4, "without a selector, the best blocks are read");
        let selectors = vec![(SelectorField::Articles, "div.release".to_owned())];
        assert_eq!(offered[0], Offer { selectors, count: 4, known: 0 });
    }

    #[test]
    fn picks_parts_of_entries_in_any_row() {
        let (_jobs, inbox) = mpsc::channel();
        let (replies, mut events) = tokio::sync::mpsc::unbounded_channel();
        let mut worker = Worker::new(inbox, Arc::default(), replies);
        let block = |n: usize| {
            format!(
                "<li class=notice><b>Notice {n}</b> <i>1{n} May 2024</i> <span>2{n} May 2024</span>"
            )
        };
        let page = format!("<ul>{}</ul>", (1..5).map(block).collect::<String>());
        let rules = |date: Option<String>| {
            let articles = Some("li.notice".to_owned());
            let rules = WebsiteRules { articles, date, ..WebsiteRules::default() };
            Box::new(SourceRules::new(SourceKind::Entries, rules))
        };
        let list = WorkbenchPage::List;
        worker.take(Task::Preview { request: 1, rules: rules(None), list });
        worker.lay(list, page.as_bytes(), None, &Url::parse("https://example.org/").unwrap());
        // The last element of the page: the second date of its last row.
        let page = Page::parse(&page, &Url::parse("https://example.org/").unwrap()).unwrap();
        let last = page.tree().root_element().descendent_elements().count() - 1;
        let element = u32::try_from(last).unwrap();
        worker.take(Task::Pick { place: list, element, part: SelectorField::Date });
        let mut picked = None;
        while let Ok(replies) = events.try_recv() {
            if let WorkbenchEvent::Picked(_, selector) = replies {
                picked = selector;
            }
        }
        worker.take(Task::Preview { request: 2, rules: rules(picked), list });
        let Ok(WorkbenchEvent::Previewed(_, preview)) = events.try_recv() else { panic!() };
        let links = preview.list.unwrap().links;
        let days: Vec<_> =
            links.iter().map(|l| l.date.map(|d| d.format("%e").to_string())).collect();
        assert_eq!(days, ["21", "22", "23", "24"].map(|day| Some(day.to_owned())));
    }
}

//! Classifies new links as targets or pages before they are fetched, as in the published algorithm.

use super::{NextRequest, Visit};
use crate::crawl::links::{LinkId, Links};
use crate::crawl::logistic::{Logistic, Rate, evenly, two_grams};
use crate::crawl::targets::Class;
use std::collections::HashSet;

/// Step size of the classifier.
const RATE: f32 = 0.5;
/// Number of classifier weights, as a power of two.
const BITS: u32 = 16;

/// Returns the recorded class of a URL.
pub type Truth = Box<dyn Fn(&str) -> Class + Send>;

/// Predicts the class of links before they are fetched.
pub enum Judge {
    /// A URL classifier.
    Classifier,
    /// An oracle that returns the recorded class.
    Oracle(Truth),
    /// An oracle for targets until `Triage::end_truth`, and the classifier after that.
    OracleFirst(Truth),
}

/// A classified link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sorted {
    /// To be requested immediately.
    Now(NextRequest),
    /// A page that waits until the strategy chooses it.
    Page(LinkId),
}

/// The links that are not classified yet, the classifier, and the reward of the chosen page.
pub(super) struct Triage {
    judge: Judge,
    /// Number of labels between two trainings. The first batch is labelled by HEAD requests.
    batch: usize,
    model: Logistic,
    labels: Vec<(LinkId, bool)>,
    trained: bool,
    /// Links with a class that is known from their headers.
    headed: HashSet<LinkId>,
    /// The class of the next link according to its headers.
    stated: Option<Class>,
    /// Stack of links that are not classified yet (the next one is last), and whether a redirect led to each
    /// of them. Links on a page that is fetched immediately come before the remaining links of the page that
    /// led to it.
    new: Vec<(LinkId, bool)>,
    /// The page that was chosen.
    chosen: Option<LinkId>,
    /// Number of targets that the chosen page links to; `None` if it was not read.
    reward: Option<u32>,
    predicted: Option<Class>,
}

impl Triage {
    pub(super) fn new(judge: Judge, batch: usize) -> Self {
        Self {
            judge,
            batch: batch.max(1),
            model: Logistic::new(BITS, Rate::Constant(RATE)),
            labels: Vec::new(),
            trained: false,
            headed: HashSet::new(),
            stated: None,
            new: Vec::new(),
            chosen: None,
            reward: None,
            predicted: None,
        }
    }

    /// Records which page is requested next.
    pub(super) fn choose(&mut self, page: LinkId) {
        (self.chosen, self.reward) = (Some(page), None);
        self.predicted = Some(Class::Html).filter(|_| !self.headed.contains(&page));
    }

    /// Classifies the next new link.
    pub(super) fn next(&mut self, links: &Links) -> Option<Sorted> {
        self.predicted = None;
        loop {
            let (link, redirected) = *self.new.last()?;
            if redirected {
                self.new.pop();
                return Some(Sorted::Now(NextRequest::Get(link)));
            }
            let stated = self.stated.take();
            if stated.is_none() && self.needs_heads() {
                return Some(Sorted::Now(NextRequest::Head(link)));
            }
            self.new.pop();
            match stated.unwrap_or_else(|| self.judge(link, links)) {
                Class::Target => {
                    let here = self.chosen == Some(links.from(link));
                    if let Some(reward) = self.reward.as_mut().filter(|_| here) {
                        *reward += 1;
                    }
                    self.predicted = Some(Class::Target).filter(|_| stated.is_none());
                    return Some(Sorted::Now(NextRequest::Get(link)));
                }
                Class::Html => return Some(Sorted::Page(link)),
                Class::Other | Class::Failed => {}
            }
        }
    }

    fn needs_heads(&self) -> bool {
        matches!(self.judge, Judge::Classifier) && !self.trained
    }

    /// The number of targets that the chosen page links to, after all its links are classified; `None` if it
    /// could not be read.
    pub(super) fn take_reward(&mut self) -> Option<u32> {
        self.chosen = None;
        self.reward.take()
    }

    /// Records the class of a link according to its headers.
    pub(super) fn labelled(&mut self, link: LinkId, class: Class, links: &Links) {
        self.stated = Some(class);
        self.headed.insert(link);
        self.learn(link, class, links);
    }

    /// Records the response to a GET request.
    pub(super) fn visited(&mut self, link: LinkId, visit: &Visit<'_>, links: &Links) {
        let chosen = self.chosen == Some(link);
        if visit.class != Class::Failed {
            self.reward = if chosen { Some(0) } else { self.reward };
            self.new.extend(visit.new.iter().rev().map(|link| (*link, false)));
        } else if let [to] = visit.new {
            // A redirect to a page. Its target is chosen instead.
            self.chosen = if chosen { Some(*to) } else { self.chosen };
            self.new.push((*to, true));
        }
        let class = if visit.is_hit() { Class::Target } else { visit.class };
        // The first batch is labelled only by HEAD requests, later ones only by GET requests.
        if !self.needs_heads() && !self.headed.contains(&link) {
            self.learn(link, class, links);
        }
    }

    /// Trains with each full batch. Only pages and targets are learned, because a wrong prediction of another
    /// class would lose pages.
    fn learn(&mut self, link: LinkId, class: Class, links: &Links) {
        if !matches!(class, Class::Html | Class::Target) {
            return;
        }
        self.labels.push((link, class == Class::Target));
        if self.labels.len() >= self.batch {
            for (link, target) in std::mem::take(&mut self.labels) {
                let features: Vec<u32> = two_grams(0, links.url(link)).collect();
                self.model.learn(&evenly(&features), target);
            }
            self.trained = true;
        }
    }

    fn judge(&self, link: LinkId, links: &Links) -> Class {
        let target = match &self.judge {
            Judge::Oracle(truth) => return truth(links.url(link)),
            Judge::OracleFirst(truth) => truth(links.url(link)) == Class::Target,
            Judge::Classifier => {
                let features: Vec<u32> = two_grams(0, links.url(link)).collect();
                self.model.probability(&evenly(&features)) > 0.5
            }
        };
        if target { Class::Target } else { Class::Html }
    }

    /// Ends the first phase of [`Judge::OracleFirst`], which uses the recorded classes.
    pub(super) fn end_truth(&mut self) {
        if matches!(self.judge, Judge::OracleFirst(_)) {
            self.judge = Judge::Classifier;
        }
    }

    /// The class that was predicted for the last requested link.
    pub(super) fn predicted(&self) -> Option<Class> {
        self.predicted
    }
}

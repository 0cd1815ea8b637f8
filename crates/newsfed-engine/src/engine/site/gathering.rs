//! The results that a poll of a site collects.

use crate::model::{
    LeftOut, LeftOutReason, PageHints, RuleKey, SelectorProblem, Time, WebsiteFacts,
};
use crate::net::Response;
use crate::store::{Ingested, ListCopy};
use crate::util::date::Offsets;
use crate::util::text;
use crate::website::ListLink;
use chrono::SubsecRound;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;
use url::Url;

/// Maximum number of notes per poll.
const MAX_NOTES: usize = 10;

#[derive(Default)]
pub(super) struct Gathering {
    /// Counts of the articles so far.
    pub(super) kept: Ingested,
    /// Pages with the time until which they are skipped.
    pub(super) refused: Vec<(Url, Time)>,
    /// Notes for the log.
    pub(super) notes: Vec<String>,
    /// What was not stored, and why.
    pub(super) left_out: Vec<LeftOut>,
    /// Title of the site.
    pub(super) title: Option<String>,
    pub(super) wire_bytes: u64,
    pub(super) elapsed: Duration,
    /// Whether something was left for the next poll.
    pub(super) unfinished: bool,
    pub(super) is_host_paused: bool,
    /// Whether the page states that it has not changed since the last poll.
    pub(super) unchanged: bool,
    /// What the site states about when its pages change.
    pub(super) hints: Option<PageHints>,
    /// See [`WebsiteFacts::active`].
    pub(super) active: BTreeMap<u64, Time>,
    /// See [`WebsiteFacts::offsets`].
    pub(super) offsets: Offsets,
    /// The dates of the articles that were read.
    pub(super) dates: Vec<Time>,
    /// Articles read, those without a title, and those without text.
    pub(super) read: usize,
    pub(super) untitled: usize,
    pub(super) empty: usize,
    /// Why no article is listed at all, if that is known.
    pub(super) nothing_listed: Option<String>,
    /// Selectors that would match if the source's own do not.
    pub(super) instead: Vec<String>,
    /// Articles without title or text, with their titles in the list; other selectors may match them.
    pub(super) blank: Vec<(Response, String)>,
    /// The first list page, if it lists something.
    pub(super) copy: Option<ListCopy>,
    /// The links of the list, by the key of the URL.
    pub(super) listed: HashMap<String, ListLink>,
}

impl Gathering {
    /// Starts without results, but with what earlier polls have learned.
    pub(super) fn after(before: &WebsiteFacts) -> Self {
        Self { offsets: before.offsets.clone(), ..Self::default() }
    }

    pub(super) fn note(&mut self, words: impl AsRef<str>) {
        let note = text::line(words.as_ref());
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Learns the zone of the site from the dates of a list. A date in the future is ignored.
    pub(super) fn learn_zone(&mut self, links: &[ListLink], now: Time) {
        for link in links {
            if let Some(date) = link.date.filter(|date| *date <= now) {
                self.offsets.learn(date, link.zone);
            }
        }
    }

    /// Counts a page that is not stored.
    pub(super) fn leave_out(&mut self, reason: LeftOutReason, url: &Url) {
        LeftOut::add(&mut self.left_out, reason, &text::line(url.as_str()));
    }

    /// What is missing from every article; `None` if no article was read, or at least one is complete.
    pub(super) fn missing(&self) -> Option<RuleKey> {
        match self.read {
            0 => None,
            all if self.untitled == all => Some(RuleKey::Title),
            all if self.empty == all => Some(RuleKey::Content),
            _ => None,
        }
    }

    /// The new facts, including whether the selectors still match. Polls without new articles show nothing
    /// about the selectors of articles.
    pub(super) fn website_facts(&self, before: &WebsiteFacts, started: Time) -> WebsiteFacts {
        let hints = self.hints.unwrap_or(before.hints);
        let missing = match (&self.nothing_listed, self.missing()) {
            (Some(what), _) => Some((what.clone(), RuleKey::Articles)),
            (None, Some(RuleKey::Title)) => {
                Some(("no titles in the articles".to_owned(), RuleKey::Title))
            }
            (None, Some(key)) => Some(("no text in the articles".to_owned(), key)),
            (None, None) if self.read == 0 => {
                before.problem.as_ref().map(|t| (t.what.clone(), t.key))
            }
            (None, None) => None,
        };
        let Some((what, key)) = missing else {
            return WebsiteFacts {
                unfinished: self.unfinished,
                rules: before.rules,
                hints,
                active: self.active.clone(),
                offsets: self.offsets.clone(),
                ..WebsiteFacts::default()
            };
        };
        let since = before.problem.as_ref().map_or(started.trunc_subsecs(0), |t| t.since);
        let has_result = self.nothing_listed.is_some() || self.read > 0;
        let instead = match &before.problem {
            // A poll without new articles has found no better selectors either.
            Some(problem) if !has_result => problem.instead.clone(),
            _ => self.instead.clone(),
        };
        WebsiteFacts {
            fruitless: before.fruitless.saturating_add(u32::from(has_result)),
            problem: Some(SelectorProblem { since, what, instead, key }),
            // Only reading the page again can show that the selectors match again.
            unfinished: true,
            rules: before.rules,
            hints,
            active: self.active.clone(),
            offsets: self.offsets.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: i64) -> Time {
        Time::from_timestamp(day * 86_400, 0).unwrap()
    }

    #[test]
    fn selectors_are_broken_after_three_fruitless_polls() {
        let nothing = || Gathering {
            nothing_listed: Some("no links to articles".to_owned()),
            ..Gathering::default()
        };
        let untitled = || Gathering { read: 2, untitled: 2, ..Gathering::default() };
        let quiet = Gathering::default;
        let good = || Gathering { read: 2, untitled: 1, ..Gathering::default() };
        let cases: [(&str, Vec<Gathering>, bool); 5] = [
            ("no links", vec![nothing(), nothing(), nothing()], true),
            ("no titles", vec![untitled(), quiet(), untitled(), untitled()], true),
            ("twice only", vec![nothing(), nothing()], false),
            (
                "polls without new articles are no evidence",
                vec![untitled(), quiet(), quiet(), quiet()],
                false,
            ),
            ("the rules match again", vec![nothing(), nothing(), nothing(), good()], false),
        ];
        for (why, polls, broken) in cases {
            let facts =
                polls.iter().zip(1..).fold(WebsiteFacts::default(), |facts, (poll, day)| {
                    poll.website_facts(&facts, at(day))
                });
            assert_eq!(facts.broken().map(|t| t.since), broken.then(|| at(1)), "{why}");
        }
    }
}

//! Dates in `time` elements, properties, and abbreviations.

use super::labels::{self, Label};
use super::places::Places;
use super::stated::{Reading, candidate, of_found, read};
use super::{Candidate, DateSource, Meaning, PageTime, midnight};
use crate::article::blocks::Page;
use crate::article::head::Head;
use crate::util::date::{self, DateContext};
use crate::util::html::tree::text_up_to;
use crate::util::text::start;
use chrono::{NaiveDate, TimeDelta};
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::HashSet;

/// Maximum length of an element's text, and of its label, in bytes.
const MAX_TEXT: usize = 200;
/// Maximum number of elements with dates that are read.
const MAX_ELEMENTS: usize = 80;

/// Parts of property names for the start or end of an event.
const EVENTS: [&str; 6] = ["startdate", "enddate", "dtstart", "dtend", "dt-start", "dt-end"];

/// Whether a time is more than a day after the fetch, so that it belongs to an event.
pub(super) fn is_ahead(time: &PageTime, now: PageTime) -> bool {
    *time > now + TimeDelta::hours(24)
}

/// The first and last days of the events on the page, from structured data and properties.
pub(in crate::article) fn event_days(head: &Head<'_>, context: &DateContext) -> HashSet<NaiveDate> {
    let objects = head.objects.iter().take(MAX_ELEMENTS);
    let stated = objects.flat_map(|object| {
        ["startDate", "endDate", "doorTime"]
            .into_iter()
            .filter_map(|name| object.get(name)?.as_str())
    });
    let marked = head.properties.iter().take(MAX_ELEMENTS).filter_map(|(name, element)| {
        let name = name.rsplit([':', '/']).next().unwrap_or(name).to_ascii_lowercase();
        let is_event = EVENTS.contains(&name.as_str());
        ["datetime", "content"].iter().find_map(|a| element.attr(a)).filter(|_| is_event)
    });
    let classed = head.times.iter().filter_map(|element| {
        let mut classes = element.value().classes();
        let is_event = classes.any(|class| EVENTS.contains(&class));
        element.attr("datetime").filter(|_| is_event)
    });
    stated
        .chain(marked)
        .chain(classed)
        .filter_map(|text| Some(read(text, context)?.time.date_naive()))
        .collect()
}

/// `time` elements, properties, and abbreviations with a date.
pub(super) fn of_elements(
    head: &Head<'_>,
    page: &Page<'_>,
    place: &Places,
    context: &DateContext,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut by_class = Vec::new();
    let property = |name: &str| {
        let name = name.rsplit([':', '/']).next().unwrap_or(name).to_ascii_lowercase();
        match name.as_str() {
            "datepublished" => Some((76.0, Meaning::Published)),
            "datecreated" | "dateposted" => Some((60.0, Meaning::Published)),
            "datemodified" | "dateupdated" => Some((60.0, Meaning::Modified)),
            _ => None,
        }
    };
    let properties = head.properties.iter().filter_map(|(n, e)| Some((*e, Some(property(n)?))));
    let marked: HashSet<NodeId> = properties.clone().map(|(e, _)| e.id()).collect();
    let times = head.times.iter().filter(|e| !marked.contains(&e.id())).map(|e| (*e, None));
    for (element, named) in properties.chain(times).take(MAX_ELEMENTS) {
        let (apart, classes) = place.surroundings(page, element);
        let has = |words: &[&str]| words.iter().any(|w| classes.contains(w));
        let text = text_up_to(element, MAX_TEXT);
        let before = label_before(element);
        let label = labels::of(&before.to_lowercase(), "").or_else(|| {
            let scan = date::scan(&text, context);
            let date = scan.dates.first()?;
            labels::of(&scan.text[..date.at.start], &scan.text[date.at.end..])
        });
        let Some((read, shown)) = of_element(element, &text, context) else { continue };
        let meaning = match (named, label) {
            (Some((_, meaning)), _) => meaning,
            (_, Some(Label::Modified)) => Meaning::Modified,
            (_, Some(Label::Other)) => continue,
            (_, Some(Label::Published)) => Meaning::Published,
            _ if has(&["updat", "modif", "changed"]) && !has(&["publish"]) => Meaning::Modified,
            _ => Meaning::Published,
        };
        let pubdate = element.attr("pubdate").is_some();
        let stated = named.is_some() || pubdate || label == Some(Label::Published);
        if !stated && (has(&EVENTS) || context.now.is_some_and(|now| is_ahead(&read.time, now))) {
            continue;
        }
        let mut score: f32 = named.map_or(56.0, |n| n.0);
        score += if pubdate { 18.0 } else { 0.0 };
        score += if label == Some(Label::Published) && named.is_none() { 16.0 } else { 0.0 };
        let good = [
            "publish",
            "entry-date",
            "post-date",
            "postdate",
            "article-date",
            "dateline",
            "posted",
        ];
        score += if named.is_none() && has(&good) { 12.0 } else { 0.0 };
        let block = place.block(page, element);
        if let (Some(heading), Some(block)) = (place.heading, block) {
            let distance = heading.abs_diff(block);
            let far = if block < heading { distance * 2 } else { distance };
            score -= if named.is_some() { far.min(10) } else { far.min(22) } as f32;
        }
        if block.is_some_and(|at| place.is_linked(at)) && named.is_none() {
            continue;
        }
        // Below the text and without a label, it is more likely the date of a linked page.
        let below = block.zip(place.last).is_some_and(|(at, last)| at > last);
        if below && named.is_none() && label.is_none() && !pubdate && !has(&good) {
            score -= 24.0;
        }
        score -= apart.penalty();
        if let Some(dated) = shown.filter(|s| s.abs_diff_days(read.time.date_naive()) > 1) {
            // The text and the attribute differ. The text is what readers see.
            if label == Some(Label::Published)
                && let Some(time) = midnight(dated)
            {
                found.push(candidate(
                    Reading::day(time),
                    score + 4.0,
                    DateSource::Element,
                    "element",
                    meaning,
                ));
                continue;
            }
        }
        if meaning == Meaning::Modified && named.is_none() && label.is_none() {
            by_class.push(candidate(
                read,
                score - 20.0,
                DateSource::Element,
                "element",
                Meaning::Published,
            ));
        }
        let other = candidate(read, score, DateSource::Element, "element", meaning);
        found.push(Candidate { beside: apart, labelled: stated, ..other });
    }
    // Many sites mark the only date of an article as its update date.
    if !found.iter().any(|c| c.meaning == Meaning::Published && c.score > 0.0) {
        found.extend(by_class);
    }
    found
}

trait Distance {
    fn abs_diff_days(&self, other: Self) -> i64;
}

impl Distance for NaiveDate {
    fn abs_diff_days(&self, other: Self) -> i64 {
        (*self - other).num_days().abs()
    }
}

/// The date of an element, and the day that its text shows. The day is only returned if it is certain and the
/// date comes from an attribute, so that the two can be compared.
fn of_element(
    element: ElementRef<'_>,
    text: &str,
    context: &DateContext,
) -> Option<(Reading, Option<NaiveDate>)> {
    let stated =
        ["datetime", "content", "title"].iter().find_map(|a| read(element.attr(a)?, context));
    let shown = date::scan(text, context).dates.into_iter().next();
    match (stated, shown) {
        (Some(read @ Reading { swapped: Some(swapped), .. }), Some(shown))
            if shown.day == swapped =>
        {
            let time = super::on_day(read.time, swapped)?;
            Some((Reading { time, swapped: None, ..read }, None))
        }
        (Some(read @ Reading { swapped: Some(_), .. }), Some(shown))
            if shown.swapped.is_none() && shown.day == read.time.date_naive() =>
        {
            Some((Reading { swapped: None, ..read }, None))
        }
        (Some(read), shown) => {
            Some((read, shown.filter(|s| s.swapped.is_none() && !s.relative).map(|s| s.day)))
        }
        (None, Some(shown)) => Some((of_found(&shown)?, None)),
        (None, None) => None,
    }
}

/// The text just before an element.
fn label_before(element: ElementRef<'_>) -> String {
    let mut found = String::new();
    let mut node = *element;
    for _ in 0..2 {
        for before in node.prev_siblings().take(4) {
            let text: String = match ElementRef::wrap(before) {
                Some(e) if matches!(e.value().name(), "script" | "style" | "svg") => String::new(),
                Some(e) => text_up_to(e, MAX_TEXT),
                None => before
                    .value()
                    .as_text()
                    .map(|t| start(t, MAX_TEXT).to_owned())
                    .unwrap_or_default(),
            };
            let text = crate::util::text::start(text.trim(), 200);
            if text.len() > 60 {
                // A sentence or another date is not a label of this date.
                return found;
            }
            if text.chars().any(|c| c.is_ascii_digit()) {
                return found;
            }
            found.insert(0, ' ');
            found.insert_str(0, text);
            if text.chars().filter(|c| c.is_alphabetic()).count() > 2 {
                return found;
            }
        }
        let Some(parent) = node.parent() else { break };
        let element = ElementRef::wrap(parent).map_or("", |e| e.value().name());
        if matches!(element, "body" | "article" | "main" | "header" | "section") {
            break;
        }
        node = parent;
    }
    found
}

//! Dates on pages, parsed by a Go layout or in any common form.

mod layout;

pub use layout::{is_layout, parse_layout};

use crate::model::Time;
use crate::util::date::{self, DateContext, FoundDate, Zone};
use crate::util::html::tree::text_up_to;
use chrono::NaiveDate;
use scraper::ElementRef;

/// Attributes that may contain the date of an element in a machine-readable form.
const ATTRIBUTES: [&str; 3] = ["datetime", "content", "title"];

/// Number of bytes of an element's text that are searched for a date.
const MAX_TEXT: usize = 1000;

/// The date of an element. If there is a layout, it is first applied to the text. After that, the attributes
/// are tried, and finally the text in common forms.
pub fn of_element(element: ElementRef<'_>, layout: Option<&str>) -> Option<Time> {
    of_element_in(element, layout, &DateContext::default())
}

/// Like [`of_element`], but with what is known about the page.
pub(super) fn of_element_in(
    element: ElementRef<'_>,
    layout: Option<&str>,
    context: &DateContext,
) -> Option<Time> {
    with_zone(element, layout, context).map(|(time, _)| time)
}

/// Like [`of_element_in`], but also returns what the date states about its zone.
pub(super) fn with_zone(
    element: ElementRef<'_>,
    layout: Option<&str>,
    context: &DateContext,
) -> Option<(Time, Zone)> {
    let text = text_up_to(element, MAX_TEXT);
    // A layout without a zone means UTC.
    let by_layout = |s: &str| Some((parse_layout(layout?, s.trim())?, Zone::Named));
    let attributes = || ATTRIBUTES.iter().filter_map(|name| element.attr(name));
    by_layout(&text)
        .or_else(|| attributes().find_map(|a| by_layout(a).or_else(|| stated(a, context))))
        .or_else(|| stated(&text, context))
        .or_else(|| in_text_with_zone(&text))
}

/// Parses a date in any form. For numbers that do not begin with the year, the page determines whether the
/// day or the month comes first.
fn stated(text: &str, context: &DateContext) -> Option<(Time, Zone)> {
    let year = text.trim().get(..4).is_some_and(|y| y.bytes().all(|b| b.is_ascii_digit()));
    let parsed = year.then(|| date::parse_with_zone(text)).flatten();
    parsed.or_else(|| {
        let scan = date::scan(text, context);
        let first = scan.dates.first()?;
        Some((time_of(first, context), first.shows()))
    })
}

/// The time of a date. If there are two interpretations, the one that is not in the future.
pub(super) fn time_of(found: &FoundDate, context: &DateContext) -> Time {
    let late = |day: NaiveDate| context.now.is_some_and(|now| day > now.date_naive());
    let day = match found.swapped {
        Some(other) if late(found.day) && !late(other) => other,
        _ => found.day,
    };
    let local = day.and_time(found.time.unwrap_or_default()).and_utc();
    let east = found.zone.map_or(0, |zone| zone.local_minus_utc());
    local - chrono::TimeDelta::seconds(i64::from(east))
}

/// A date in a short text: the entire text, or the part after a label (`Published: 3 May 2024`).
pub fn in_text(text: &str) -> Option<Time> {
    in_text_with_zone(text).map(|(time, _)| time)
}

fn in_text_with_zone(text: &str) -> Option<(Time, Zone)> {
    let text = text.trim();
    date::parse_with_zone(text).or_else(|| {
        let (_, rest) = text.split_once(": ").or_else(|| text.split_once(" on "))?;
        date::parse_with_zone(rest.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::html::tree;

    #[test]
    fn finds_the_date_of_an_element() {
        let cases = [
            ("<time class=d>09.03.2024</time>", Some("02.01.2006"), "2024-03-09"),
            ("<time class=d datetime=2024-03-09>yesterday</time>", None, "2024-03-09"),
            ("<time class=d datetime=2024-03-09>odd</time>", Some("2.1.2006"), "2024-03-09"),
            ("<meta class=d content='2024-03-09T10:00:00Z'>", None, "2024-03-09"),
            ("<i class=d>Published: March 9, 2024</i>", None, "2024-03-09"),
            ("<i class=d>yesterday</i>", Some("2006-01-02"), "none"),
        ];
        for (markup, layout, want) in cases {
            let tree = tree::fragment(markup).unwrap();
            let selector = scraper::Selector::parse(".d").unwrap();
            let found = of_element(tree.select(&selector).next().unwrap(), layout);
            let found = found.map(|t| t.format("%F").to_string());
            assert_eq!(found.as_deref().unwrap_or("none"), want, "{markup}");
        }
    }
}

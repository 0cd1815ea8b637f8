//! The language of a page and the order of day and month in its numeric dates.

use crate::article::blocks::Page;
use crate::article::head::Head;
use crate::model::Time;
use crate::util::date::{DateContext, Order, language_of};
use url::Url;

/// Maximum number of blocks that are searched for numeric dates.
const MAX_BLOCKS: usize = 3000;
/// Two-letter top-level domains that are not used for a country in practice.
const GENERIC: [&str; 16] = [
    "io", "co", "ai", "tv", "me", "cc", "fm", "ly", "gg", "to", "sh", "eu", "ws", "am", "im", "so",
];
/// Countries that write the month first.
const MONTH_FIRST: [&str; 8] = ["us", "ph", "pr", "gu", "fm", "mh", "pw", "bz"];

pub(in crate::article) fn context(
    head: &Head<'_>,
    page: &Page<'_>,
    url: Option<&Url>,
    fetched_at: Option<Time>,
) -> DateContext {
    let tags = [head.language, head.first(&["og:locale"]), head.first(&["content-language"])];
    let tags = tags.into_iter().flatten().chain(in_language(head));
    let tags: Vec<String> = tags.map(|t| t.trim().to_ascii_lowercase().replace('_', "-")).collect();
    let language = tags.iter().find_map(|t| language_of(t));
    let order = of_page(page).or_else(|| by_region(language, &tags, url));
    DateContext { language, order, now: fetched_at.map(|t| t.fixed_offset()) }
}

fn in_language<'h>(head: &'h Head<'_>) -> Option<&'h str> {
    head.articles().find_map(|o| o.get("inLanguage").and_then(serde_json::Value::as_str))
}

fn by_region(language: Option<&str>, tags: &[String], url: Option<&Url>) -> Option<Order> {
    let host = url.and_then(Url::host_str).unwrap_or_default();
    let top = host.rsplit('.').next().filter(|t| t.len() == 2 && !GENERIC.contains(t));
    let of_language = tags.iter().filter(|t| language_of(t) == language);
    let regions: Vec<&str> =
        of_language.filter_map(|t| t.split('-').skip(1).find(|p| p.len() == 2)).collect();
    match language {
        Some("en") | None => {
            let american = regions.iter().any(|r| MONTH_FIRST.contains(r));
            let other = regions.iter().any(|r| !MONTH_FIRST.contains(r) && *r != "ca");
            let home = top.map(|t| MONTH_FIRST.contains(&t));
            match (american, other, home) {
                (true, false, None | Some(true)) => Some(Order::MonthFirst),
                (false, true, _) => Some(Order::DayFirst),
                // Many systems have US English as their default language.
                (true, _, Some(false)) if regions.len() < 2 => Some(Order::DayFirst),
                (false, false, Some(true)) => Some(Order::MonthFirst),
                (false, false, Some(false)) if top != Some("ca") => Some(Order::DayFirst),
                _ => None,
            }
        }
        Some("fil") => Some(Order::MonthFirst),
        // Dates in these languages start with the year. Other dates may have either order.
        Some("ja" | "zh" | "ko" | "hu" | "lt" | "mn") => None,
        Some("es") if regions.iter().any(|r| matches!(*r, "us" | "pr")) => None,
        Some(_) => Some(Order::DayFirst),
    }
}

/// The only order that is possible for all numeric dates of the page, if at least one date has only one
/// reading.
fn of_page(page: &Page<'_>) -> Option<Order> {
    let (mut day_first, mut month_first) = (false, false);
    for at in 0..page.blocks.len().min(MAX_BLOCKS) {
        let text = page.text(at);
        if text.len() > 4000 || memchr::memchr(b'/', text.as_bytes()).is_none() {
            continue;
        }
        for word in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | ';')) {
            let mut parts = word.split('/');
            let mut next = |most: usize| {
                let part = parts.next()?;
                let fits = (1..=most).contains(&part.len());
                (fits && part.bytes().all(|b| b.is_ascii_digit()))
                    .then(|| part.parse::<u32>().ok())?
            };
            let (Some(a), Some(b), Some(c)) = (next(2), next(2), next(4)) else { continue };
            if !(1990..=2100).contains(&c) || parts.next().is_some() {
                continue;
            }
            day_first |= (13..=31).contains(&a) && (1..=12).contains(&b);
            month_first |= (13..=31).contains(&b) && (1..=12).contains(&a);
        }
    }
    match (day_first, month_first) {
        (true, false) => Some(Order::DayFirst),
        (false, true) => Some(Order::MonthFirst),
        _ => None,
    }
}

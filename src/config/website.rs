//! Loads the `website` table of a source, with its old keys.

use super::document::{Pair, Value};
use super::error::{At, Report};
use super::rule::mismatch;
use super::schema::QUIET_HOURS;
use super::setting::read;
use super::source_settings::{SETTINGS, SourceDraft};
use crate::model::{SourceKind, WebsiteMode, WebsiteRules};
use crate::website::check;

/// The old name of `schedule.quiet_hours`.
const PEAK_HOURS: &str = "peak_hours";

/// Reads the `website` table. A feed has none, a website needs selectors for title and content, and
/// sitemaps and crawls may have them.
pub(super) fn read_website(
    source: At,
    pair: Option<&Pair>,
    prefix: &str,
    draft: &mut SourceDraft,
    report: &mut Report,
) {
    let name = format!("{prefix}website");
    let is_website = draft.kind == SourceKind::Website;
    match pair {
        Some(pair) if !draft.kind.reads_pages() => {
            let what = "is for sources of the kinds \"website\", \"sitemap\" and \"crawl\"";
            return report.error(pair.at, &name, what);
        }
        None if !draft.kind.reads_pages() => return,
        None if is_website => {
            let what = "is missing: a website needs selectors, as in website.articles = \"h2 a\"";
            return report.error(source, &name, what);
        }
        _ => {}
    }
    let table = match pair.map(|p| (&p.node.value, p)) {
        Some((Value::Table(table), _)) => table.as_slice(),
        Some((_, pair)) => {
            return report.error(pair.node.at, &name, mismatch("a table", &pair.node));
        }
        None => &[],
    };
    if is_website {
        draft.website.title.clear();
        draft.website.content.clear();
    }
    read(table, &format!("{name}."), (SETTINGS, "website"), &[PEAK_HOURS], draft, report);
    let at = |key: &str| {
        let own = table.iter().find(|p| p.key == key).map(|p| p.node.at);
        own.or_else(|| pair.map(|p| p.at)).unwrap_or(source)
    };
    let rules = &mut draft.website;
    for (key, value, usual) in [
        ("title", &mut rules.title, WebsiteRules::TITLE),
        ("content", &mut rules.content, WebsiteRules::CONTENT),
    ] {
        if value.is_empty() {
            usual.clone_into(value);
            if is_website {
                report.error(at(key), &format!("{name}.{key}"), "is missing: a website needs it");
            }
        }
    }
    if rules.targets.is_some() && draft.kind != SourceKind::Crawl {
        let what = "is for sources of the kind \"crawl\"";
        report.error(at("targets"), &format!("{name}.targets"), what);
    }
    if !is_website {
        // The sitemap, or what the crawl learns, determines where the articles are.
        rules.mode = WebsiteMode::Direct;
    }
    for (key, message) in check(rules) {
        report.error(at(key), &format!("{name}.{key}"), message);
    }
    if let Some(pair) = table.iter().find(|p| p.key == PEAK_HOURS) {
        read_peak_hours(pair, &format!("{name}.{PEAK_HOURS}"), draft, report);
    }
}

/// Reads the old key as `schedule.quiet_hours`, unless that one is set too.
fn read_peak_hours(pair: &Pair, name: &str, draft: &mut SourceDraft, report: &mut Report) {
    let mut hours = None;
    let slot = super::rule::Slot::MaybeText(&mut hours);
    if let Err(message) = super::rule::fill(slot, QUIET_HOURS, &pair.node) {
        return report.error(pair.node.at, name, message);
    }
    let hint = match &draft.schedule.quiet_hours {
        Some(_) => "is ignored, because schedule.quiet_hours is set; remove this key",
        None => "has a new name: write schedule.quiet_hours instead",
    };
    report.warn(pair.at, name, hint);
    if draft.schedule.quiet_hours.is_none() {
        draft.schedule.quiet_hours = hours;
    }
}

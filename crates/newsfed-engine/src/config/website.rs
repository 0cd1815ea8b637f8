//! Loads the `website` table of a source, including its old keys.

use super::checks::QUIET_HOURS;
use super::document::{Pair, Value};
use super::error::{At, Report};
use super::rule::mismatch;
use super::setting::{in_table, read};
use super::source_settings::{SETTINGS, SourceDraft};
use crate::model::{SourceKind, WebsiteRules};
use crate::website::check;
use std::fmt::Display;

/// The old name of `schedule.quiet_hours`.
pub(super) const PEAK_HOURS: &str = "peak_hours";
/// The old key that made a website a single page.
pub(super) const MODE: &str = "mode";

/// Reads the `website` table. Feeds have none, websites need selectors for title and content, and for other
/// kinds the table is optional.
pub(super) fn read_website(
    source: At,
    pair: Option<&Pair>,
    prefix: &dyn Display,
    draft: &mut SourceDraft,
    report: &mut Report,
) {
    if pair.is_none() && !draft.kind.reads_pages() {
        return;
    }
    let name = format!("{prefix}website");
    let mode = pair.and_then(|pair| match &pair.node.value {
        Value::Table(table) => table.iter().find(|p| p.key == MODE),
        _ => None,
    });
    // A website needs selectors, whether it is a list of articles or, with the old key, a single page.
    let needs_selectors = draft.kind == SourceKind::Website;
    if let Some(mode) = mode {
        read_mode(mode, &format!("{name}.{MODE}"), draft, report);
    }
    let is_website = draft.kind == SourceKind::Website;
    match pair {
        Some(pair) if !draft.kind.reads_pages() => {
            let what = "is for sources of the kinds \"website\", \"entries\", \"page\", \"sitemap\" and \"crawl\"";
            return report.error(pair.at, &name, what);
        }
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
    if needs_selectors {
        draft.website.title.clear();
        draft.website.content.clear();
    }
    read(table, &format!("{name}."), (SETTINGS, "website"), &[PEAK_HOURS, MODE], draft, report);
    warn_of_unused(table, &name, draft.kind, report);
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
            if needs_selectors {
                report.error(
                    at(key),
                    &format!("{name}.{key}"),
                    "is missing: a website needs this selector",
                );
            }
        }
    }
    if rules.targets.is_some() && draft.kind != SourceKind::Crawl {
        let what = "is for sources of the kind \"crawl\"";
        report.error(at("targets"), &format!("{name}.targets"), what);
    }
    for (key, message) in check(rules, is_website) {
        report.error(at(key), &format!("{name}.{key}"), message);
    }
    if let Some(pair) = table.iter().find(|p| p.key == PEAK_HOURS) {
        read_peak_hours(pair, &format!("{name}.{PEAK_HOURS}"), draft, report);
    }
}

/// Warns about keys that have no effect for this kind of source, except targets, which are an error.
fn warn_of_unused(table: &[Pair], name: &str, kind: SourceKind, report: &mut Report) {
    for (key, setting) in in_table(SETTINGS, "website").filter(|(key, _)| *key != "targets") {
        let written = table.iter().find(|pair| pair.key == key);
        if let Some(pair) = written.filter(|_| !setting.field.kinds.contains(&kind)) {
            let what = format!("has no effect on a source of the kind \"{}\"", kind.name());
            report.warn(pair.at, &format!("{name}.{key}"), what);
        }
    }
}

/// The values of the old key `mode`.
pub(super) const MODES: [&str; 2] = ["list", "direct"];

/// Reads the old key `mode`: a website with `direct` becomes a page.
fn read_mode(pair: &Pair, name: &str, draft: &mut SourceDraft, report: &mut Report) {
    let hint = match (&pair.node.value, draft.kind) {
        (Value::Text(mode), SourceKind::Website) if mode == "direct" => {
            draft.kind = SourceKind::Page;
            "has a new name: write kind = \"page\" instead"
        }
        (Value::Text(mode), _) if MODES.contains(&mode.as_str()) => {
            "is no longer used; remove this key"
        }
        _ => {
            let what = mismatch("\"list\" or \"direct\"", &pair.node);
            return report.error(pair.node.at, name, what);
        }
    };
    report.warn(pair.at, name, hint);
}

/// Reads the old key `peak_hours` as `schedule.quiet_hours`, unless both are set.
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

//! The `website` table of a source: selectors and how to go about them.

use super::document::{Pair, Value};
use super::error::{At, Report};
use super::rule::{Field, Rule, Slot, mismatch, read, show_time};
use crate::crawl::Targets;
use crate::model::{PeakHours, SourceKind, SourceRules, WebsiteMode, WebsiteRules};
use crate::website::{check, parse_peak_hours};
use std::time::Duration;

/// Words for `mode`.
pub(super) const MODES: &[&str] = &["list", "direct"];
/// Longest time between two requests, in seconds.
const LONGEST_DELAY: u64 = 3600;

/// The table while it is read.
#[derive(Default)]
struct Draft {
    mode: Option<String>,
    articles: Option<String>,
    next: Option<String>,
    max_pages: usize,
    title: Option<String>,
    content: Option<String>,
    author: Option<String>,
    date: Option<String>,
    date_format: Option<String>,
    targets: Option<String>,
    peak_hours: Option<String>,
    delay: Option<Duration>,
}

const FIELDS: &[Field<Draft>] = &[
    Field { key: "mode", rule: Rule::OneOf(MODES), slot: |d| Slot::MaybeText(&mut d.mode) },
    Field { key: "articles", rule: Rule::Any, slot: |d| Slot::MaybeText(&mut d.articles) },
    Field { key: "next", rule: Rule::Any, slot: |d| Slot::MaybeText(&mut d.next) },
    Field {
        key: "max_pages",
        rule: Rule::Within(1, 1000),
        slot: |d| Slot::Count(&mut d.max_pages),
    },
    Field { key: "title", rule: Rule::Any, slot: |d| Slot::MaybeText(&mut d.title) },
    Field { key: "content", rule: Rule::Any, slot: |d| Slot::MaybeText(&mut d.content) },
    Field { key: "author", rule: Rule::Any, slot: |d| Slot::MaybeText(&mut d.author) },
    Field { key: "date", rule: Rule::Any, slot: |d| Slot::MaybeText(&mut d.date) },
    Field { key: "date_format", rule: Rule::Any, slot: |d| Slot::MaybeText(&mut d.date_format) },
    Field {
        key: "targets",
        rule: Rule::Checked(|text| {
            let read = text.parse::<Targets>();
            read.map(|_| text.to_owned()).map_err(|e| e.to_string())
        }),
        slot: |d| Slot::MaybeText(&mut d.targets),
    },
    Field {
        key: "peak_hours",
        rule: Rule::Checked(|text| parse_peak_hours(text).map(|_| text.to_owned())),
        slot: |d| Slot::MaybeText(&mut d.peak_hours),
    },
    Field {
        key: "delay",
        rule: Rule::Within(0, LONGEST_DELAY),
        slot: |d| Slot::MaybeTime(&mut d.delay),
    },
];

/// Reads the rules of a source of that kind; `None` for feeds, which have none. A website has to
/// say where title and text are, a sitemap may.
pub(super) fn read_website(
    kind: SourceKind,
    source: At,
    pair: Option<&Pair>,
    prefix: &str,
    report: &mut Report,
) -> Option<WebsiteRules> {
    let name = format!("{prefix}website");
    match pair {
        Some(pair) if !kind.reads_pages() => {
            report.error(
                pair.at,
                &name,
                "is for sources of the kinds \"website\", \"sitemap\" and \"crawl\"",
            );
            return None;
        }
        None if !kind.reads_pages() => return None,
        None if kind == SourceKind::Website => {
            let what = "is missing: a website needs selectors, as in website.articles = \"h2 a\"";
            report.error(source, &name, what);
            return None;
        }
        _ => {}
    }
    let mut draft = Draft { max_pages: 1, ..Draft::default() };
    let table = match pair.map(|p| (&p.node.value, p)) {
        Some((Value::Table(table), _)) => table.as_slice(),
        Some((_, pair)) => {
            report.error(pair.node.at, &name, mismatch("a table", &pair.node));
            return None;
        }
        None => &[],
    };
    read(table, &format!("{name}."), FIELDS, &[], &mut draft, report);
    let at = |key: &str| {
        let own = table.iter().find(|p| p.key == key).map(|p| p.node.at);
        own.or_else(|| pair.map(|p| p.at)).unwrap_or(source)
    };
    if kind == SourceKind::Website {
        for (key, value) in [("title", &draft.title), ("content", &draft.content)] {
            if value.is_none() {
                report.error(at(key), &format!("{name}.{key}"), "is missing: a website needs it");
            }
        }
    }
    let mut rules = rules(draft);
    if rules.targets.is_some() && kind != SourceKind::Crawl {
        let what = "is for sources of the kind \"crawl\"";
        report.error(at("targets"), &format!("{name}.targets"), what);
    }
    if kind != SourceKind::Website {
        // The sitemap, or what the crawl learns, says where the articles are.
        rules.mode = WebsiteMode::Direct;
    }
    for (key, message) in check(&rules) {
        report.error(at(key), &format!("{name}.{key}"), message);
    }
    Some(rules)
}

fn rules(draft: Draft) -> WebsiteRules {
    let direct = draft.mode.as_deref() == Some("direct");
    WebsiteRules {
        mode: if direct { WebsiteMode::Direct } else { WebsiteMode::List },
        articles: draft.articles,
        next: draft.next,
        max_pages: u32::try_from(draft.max_pages).unwrap_or(u32::MAX),
        title: draft.title.unwrap_or_else(|| WebsiteRules::TITLE.to_owned()),
        content: draft.content.unwrap_or_else(|| WebsiteRules::CONTENT.to_owned()),
        author: draft.author,
        date: draft.date,
        date_format: draft.date_format,
        targets: draft.targets,
        peak_hours: draft.peak_hours.and_then(|text| parse_peak_hours(&text).ok()),
        delay: draft.delay,
    }
}

/// The rules as keys and values that a user would write, without the table's name. What is at
/// its default is left out.
pub(super) fn lines(rules: &SourceRules) -> Vec<(&'static str, toml_edit::Value)> {
    let is_website = rules.kind() == SourceKind::Website;
    let Some(rules) = rules.pages() else { return Vec::new() };
    let mut lines: Vec<(&'static str, toml_edit::Value)> = Vec::new();
    if is_website && rules.mode == WebsiteMode::Direct {
        lines.push(("mode", "direct".into()));
    }
    let (title, content) = (Some(&rules.title), Some(&rules.content));
    let own = |value: &&String, common: &str| is_website || value.as_str() != common;
    let texts = [
        ("articles", rules.articles.as_ref()),
        ("next", rules.next.as_ref()),
        ("title", title.filter(|t| own(t, WebsiteRules::TITLE))),
        ("content", content.filter(|c| own(c, WebsiteRules::CONTENT))),
        ("author", rules.author.as_ref()),
        ("date", rules.date.as_ref()),
        ("date_format", rules.date_format.as_ref()),
        ("targets", rules.targets.as_ref()),
    ];
    lines.extend(texts.into_iter().filter_map(|(key, text)| Some((key, text?.as_str().into()))));
    if rules.max_pages > 1 {
        lines.push(("max_pages", i64::from(rules.max_pages).into()));
    }
    if let Some(PeakHours { from, to }) = rules.peak_hours {
        let clock = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        lines.push(("peak_hours", format!("{}-{}", clock(from), clock(to)).into()));
    }
    if let Some(delay) = rules.delay {
        lines.push(("delay", show_time(delay).into()));
    }
    lines
}

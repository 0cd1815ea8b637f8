//! Decides which date of a row belongs to the article if the row has several.
//!
//! Lists are newest first, so a column whose dates descend from row to row is preferred. Otherwise, labels
//! decide ("published", but not "updated"), and finally the `time` element.

use super::date::time_of;
use super::list::MAX_ELEMENTS;
use crate::article::{DateLabel, date_label};
use crate::model::Time;
use crate::util::date::{self, DateContext, Zone};
use ego_tree::NodeId;
use scraper::{ElementRef, Node};
use std::collections::HashMap;

/// Maximum number of levels above a link that belong to its row.
const LEVELS: usize = 4;
/// Maximum number of nodes in a row.
const MAX_NODES: usize = 4 * MAX_ELEMENTS;
/// Maximum length of a row's text, in bytes.
const MAX_TEXT: usize = 600;
/// Maximum number of dates in a row.
const MAX_DATES: usize = 4;
/// Minimum number of rows needed to judge their order.
const MIN: usize = 3;

#[derive(Debug, Clone, Copy)]
struct RowDate {
    at: Time,
    zone: Zone,
    label: Option<DateLabel>,
    /// Whether the date comes from a `time` element.
    marked: bool,
}

/// The dates of the articles, for rows that have several dates.
pub(super) fn decide(rows: &[ElementRef<'_>], context: &DateContext) -> Vec<Option<(Time, Zone)>> {
    let mut within: HashMap<NodeId, usize> = HashMap::new();
    for row in rows {
        for element in around(*row) {
            *within.entry(element.id()).or_default() += 1;
        }
    }
    let own = |e: &ElementRef<'_>| within.get(&e.id()).is_some_and(|links| *links == 1);
    let dates: Vec<Vec<RowDate>> = rows
        .iter()
        .map(|row| {
            let block = around(*row).take_while(own).last().unwrap_or(*row);
            dates_of(block, *row, context)
        })
        .collect();
    let lengths = || dates.iter().map(Vec::len).filter(|n| *n > 1);
    let usual = lengths().max_by_key(|n| (lengths().filter(|m| m == n).count(), *n));
    let Some(usual) = usual else { return vec![None; rows.len()] };
    let table: Vec<&[RowDate]> =
        dates.iter().filter(|row| row.len() == usual).map(Vec::as_slice).collect();
    let choice = Choice::of(&table);
    let chosen = |row: &Vec<RowDate>| choice.in_row(row).filter(|_| row.len() == usual);
    dates.iter().map(|row| chosen(row).map(|date| (date.at, date.zone))).collect()
}

fn around(link: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    let above = link.ancestors().filter_map(ElementRef::wrap).take(LEVELS);
    above.take_while(|e| !matches!(e.value().name(), "body" | "html" | "main"))
}

/// The columns of dates that may belong to the articles.
enum Choice {
    Column(usize),
    /// The earliest date of several columns that are sorted, because an article is published before it is
    /// changed.
    Earliest(Vec<usize>),
    Unknown,
}

impl Choice {
    fn of(table: &[&[RowDate]]) -> Self {
        let columns = table.first().map_or(0, |row| row.len());
        let most = |column: usize, check: &dyn Fn(&RowDate) -> bool| {
            table.iter().filter(|row| check(&row[column])).count() * 2 > table.len()
        };
        let not_changes = |column: &usize| {
            let changed = [Some(DateLabel::Modified), Some(DateLabel::Other)];
            !most(*column, &|date| changed.contains(&date.label))
        };
        let possible: Vec<usize> = (0..columns).filter(not_changes).collect();
        let newest_first = |column: &&usize| {
            table.len() >= MIN && table.windows(2).all(|w| w[0][**column].at >= w[1][**column].at)
        };
        let ordered: Vec<usize> = possible.iter().filter(newest_first).copied().collect();
        let several = ordered.len() > 1;
        let rest = if ordered.is_empty() { possible } else { ordered };
        if let [one] = rest[..] {
            return Self::Column(one);
        }
        let published = |date: &RowDate| date.label == Some(DateLabel::Published);
        if let Some(column) = rest.iter().find(|column| most(**column, &published)) {
            return Self::Column(*column);
        }
        let mut marked = rest.iter().filter(|column| most(**column, &|date| date.marked));
        match (marked.next(), marked.next()) {
            (Some(one), None) => Self::Column(*one),
            _ if several => Self::Earliest(rest),
            _ => Self::Unknown,
        }
    }

    fn in_row(&self, row: &[RowDate]) -> Option<RowDate> {
        match self {
            Self::Column(column) => row.get(*column).copied(),
            Self::Earliest(columns) => {
                columns.iter().filter_map(|column| row.get(*column)).min_by_key(|d| d.at).copied()
            }
            Self::Unknown => None,
        }
    }
}

/// The distinct dates of a row in their order; none if one of them is not certain.
fn dates_of(block: ElementRef<'_>, link: ElementRef<'_>, context: &DateContext) -> Vec<RowDate> {
    let mut found: Vec<RowDate> = Vec::new();
    let (mut text, mut read) = (String::new(), 0);
    let mut certain = true;
    for node in block.descendants().take(MAX_NODES) {
        let above = || node.ancestors().filter_map(ElementRef::wrap).take(LEVELS);
        match node.value() {
            Node::Element(tag) if tag.name() == "time" => {
                certain &= scan_into(&mut found, &text, context);
                let element = ElementRef::wrap(node);
                let stated = element.and_then(|e| date::parse_with_zone(e.attr("datetime")?));
                if let Some((at, zone)) = stated {
                    let label = element.and_then(named).or_else(|| date_label(&text, ""));
                    found.push(RowDate { at, zone, label, marked: true });
                    text.clear();
                }
            }
            Node::Text(part) => {
                let hidden = above().any(|e| {
                    e.id() == link.id()
                        || (e.value().name() == "time" && e.attr("datetime").is_some())
                });
                read += part.len();
                if !hidden && read <= MAX_TEXT {
                    text.push_str(part);
                    text.push(' ');
                }
            }
            _ => {}
        }
    }
    certain &= scan_into(&mut found, &text, context);
    let mut different: Vec<RowDate> = Vec::new();
    for date in found {
        if different.iter().all(|other| other.at.date_naive() != date.at.date_naive()) {
            different.push(date);
        }
    }
    if certain && read <= MAX_TEXT && different.len() <= MAX_DATES { different } else { Vec::new() }
}

/// Adds the dates in a text with their labels. Returns whether all of them are certain.
fn scan_into(found: &mut Vec<RowDate>, text: &str, context: &DateContext) -> bool {
    let scan = date::scan(text, context);
    // Words between two dates belong to the second date, but those up to a closing bracket belong to the
    // first.
    let part = |from: usize, to: usize| {
        let part = scan.text.get(from..to).unwrap_or_default();
        part.find(')').map_or(("", part), |end| part.split_at(end))
    };
    for (n, date) in scan.dates.iter().enumerate() {
        if date.range || date.short || date.swapped.is_some() {
            return false;
        }
        let from = n.checked_sub(1).and_then(|n| scan.dates.get(n)).map_or(0, |d| d.at.end);
        let before = part(from, date.at.start).1;
        let after = match scan.dates.get(n + 1) {
            Some(next) => part(date.at.end, next.at.start).0,
            None => scan.text.get(date.at.end..).unwrap_or_default(),
        };
        let label = date_label(before, after);
        let (at, zone) = (time_of(date, context), date.shows());
        found.push(RowDate { at, zone, label, marked: false });
    }
    true
}

/// The meaning of a date according to the names of its `time` element or of the parent.
fn named(element: ElementRef<'_>) -> Option<DateLabel> {
    let parent = element.parent().and_then(ElementRef::wrap);
    let of = |e: ElementRef<'_>| {
        let names = e.value().classes().chain(e.attr("itemprop")).map(str::to_ascii_lowercase);
        let has = |name: &String, words: [&str; 2]| words.iter().any(|w| name.contains(w));
        names.into_iter().find_map(|name| {
            if has(&name, ["modified", "updated"]) {
                Some(DateLabel::Modified)
            } else {
                has(&name, ["published", "posted"]).then_some(DateLabel::Published)
            }
        })
    };
    of(element).or_else(|| parent.and_then(of))
}

#[cfg(test)]
mod tests {
    use crate::website::{Page, Selectors, list_page};
    use url::Url;

    /// The day of each link of class `t`.
    fn days(rows: [&str; 3]) -> Vec<String> {
        let row =
            |(n, row): (usize, &str)| format!("<li><a class=t href=/{n}>A title</a> {row}</li>");
        let rows: String = rows.into_iter().enumerate().map(row).collect();
        let url = Url::parse("https://example.org/").unwrap();
        let page = Page::parse(&format!("<html lang=en><ul>{rows}</ul>"), &url).unwrap();
        let links = list_page(&page, &Selectors::parse("a.t").unwrap(), None).links;
        links.iter().map(|l| l.date.map_or(String::new(), |d| d.format("%F").to_string())).collect()
    }

    #[test]
    fn uses_the_column_with_descending_dates() {
        let found = days([
            "3 May 2026 <i>9 Jun 2026</i>",
            "2 May 2026 <i>20 Jun 2026</i>",
            "1 May 2026 <i>8 Jun 2026</i>",
        ]);
        assert_eq!(found, ["2026-05-03", "2026-05-02", "2026-05-01"]);
        let found = days([
            "<time datetime=2026-01-07>7 Jan</time> <time datetime=2026-05-03>3 May</time>",
            "<time datetime=2026-03-01>1 Mar</time> <time datetime=2026-05-02>2 May</time>",
            "<time datetime=2026-02-09>9 Feb</time> <time datetime=2026-05-01>1 May</time>",
        ]);
        assert_eq!(found, ["2026-05-03", "2026-05-02", "2026-05-01"]);
    }

    #[test]
    fn labels_decide_between_sorted_columns() {
        let found = days([
            "Updated 9 Jun 2026, published 3 May 2026",
            "Updated 8 Jun 2026, published 2 May 2026",
            "Updated 7 Jun 2026, published 1 May 2026",
        ]);
        assert_eq!(found, ["2026-05-03", "2026-05-02", "2026-05-01"]);
        let found = days([
            "9 Jun 2026 <b>posted</b> 3 May 2026",
            "8 Jun 2026 <b>posted</b> 2 May 2026",
            "7 Jun 2026 <b>posted</b> 1 May 2026",
        ]);
        assert_eq!(found, ["2026-05-03", "2026-05-02", "2026-05-01"]);
        let found = days([
            "3 May 2026 (posted), 9 Jun 2026 (changed)",
            "2 May 2026 (posted), 8 Jun 2026 (changed)",
            "1 May 2026 (posted), 7 Jun 2026 (changed)",
        ]);
        assert_eq!(found, ["2026-05-03", "2026-05-02", "2026-05-01"]);
        let found = days([
            "<time class=updated datetime=2026-06-09>a</time> <time datetime=2026-05-03>b</time>",
            "<time class=updated datetime=2026-06-08>a</time> <time datetime=2026-05-09>b</time>",
            "<time class=updated datetime=2026-06-07>a</time> <time datetime=2026-05-01>b</time>",
        ]);
        assert_eq!(found, ["2026-05-03", "2026-05-09", "2026-05-01"]);
    }

    #[test]
    fn falls_back_to_time_elements_or_the_earlier_date() {
        let found = days([
            "9 Jun 2026 <time datetime=2026-05-03>b</time>",
            "8 Jun 2026 <time datetime=2026-05-02>b</time>",
            "7 Jun 2026 <time datetime=2026-05-01>b</time>",
        ]);
        assert_eq!(found, ["2026-05-03", "2026-05-02", "2026-05-01"]);
        let found =
            days(["9 Jun 2026 / 3 May 2026", "8 Jun 2026 / 2 May 2026", "7 Jun 2026 / 1 May 2026"]);
        assert_eq!(found, ["2026-05-03", "2026-05-02", "2026-05-01"]);
        let found =
            days(["7 Jun 2026 / 3 May 2026", "9 Jun 2026 / 4 May 2026", "8 Jun 2026 / 1 May 2026"]);
        assert_eq!(found, ["", "", ""]);
    }

    #[test]
    fn a_date_written_twice_counts_once() {
        let found = days([
            "<time datetime=2026-05-03>3 May</time> 3 May 2026",
            "<time datetime=2026-05-04>4 May</time> 4 May 2026",
            "<time datetime=2026-05-01>1 May</time> 1 May 2026",
        ]);
        assert_eq!(found, ["2026-05-03", "2026-05-04", "2026-05-01"]);
    }
}

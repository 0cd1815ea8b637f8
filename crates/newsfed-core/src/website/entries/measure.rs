//! Measures the contents of a page's elements in one walk.

use super::propose::any_day;
use crate::article::is_date_line;
use crate::util::date::{DateContext, scan};
use crate::util::domain::same_site;
use crate::util::html::tree::HIDDEN;
use crate::util::url::{self as address, normalise};
use crate::website::page::Page;
use crate::website::propose::{is_file, is_heading};
use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Node};
use std::collections::HashMap;
use std::ops::{Add, AddAssign};

/// Maximum length of a text that may be a date, in bytes.
const LONGEST_DATE: usize = 100;

/// Maximum length of a text that may be "3 days ago", or a date without a year, in bytes.
const LONGEST_RELATIVE: usize = 40;
/// Maximum number of texts on a page that are searched for dates.
const MAX_TEXTS: usize = 3000;

/// The contents of an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Measure {
    /// Number of letters and digits.
    pub(super) letters: usize,
    /// Number of letters and digits in links.
    pub(super) linked: usize,
    pub(super) headings: usize,
    /// Number of texts and elements that contain a date.
    pub(super) dates: usize,
    pub(super) images: usize,
    /// Number of links to other sites and to files.
    pub(super) away: usize,
    /// Number of links to other pages of the site.
    pub(super) inside: usize,
}

impl Add for Measure {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            letters: self.letters + other.letters,
            linked: self.linked + other.linked,
            headings: self.headings + other.headings,
            dates: self.dates + other.dates,
            images: self.images + other.images,
            away: self.away + other.away,
            inside: self.inside + other.inside,
        }
    }
}

impl AddAssign for Measure {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// The measures of all elements and texts of a page.
pub(super) struct Measures(HashMap<NodeId, Measure>);

impl Measures {
    pub(super) fn of(page: &Page) -> Self {
        let own = normalise(page.url());
        let mut done = HashMap::new();
        let mut dates = MAX_TEXTS;
        // The open elements with their measures so far, and the number of open links.
        let (mut open, mut links, mut hidden): (Vec<Measure>, usize, usize) = (Vec::new(), 0, 0);
        for edge in page.tree().tree.root().traverse() {
            match edge {
                Edge::Open(node) => match (node.value(), open.last_mut()) {
                    (Node::Element(tag), _) => {
                        hidden += usize::from(HIDDEN.contains(&tag.name()));
                        links += usize::from(tag.name() == "a");
                        let measure = ElementRef::wrap(node).filter(|_| hidden == 0);
                        open.push(measure.map(|e| of_element(e, page, &own)).unwrap_or_default());
                    }
                    (Node::Text(text), Some(around)) if hidden == 0 => {
                        let measure = of_text(text, links > 0, &mut dates);
                        done.insert(node.id(), measure);
                        *around += measure;
                    }
                    _ => {}
                },
                Edge::Close(node) => {
                    let Node::Element(tag) = node.value() else { continue };
                    hidden -= usize::from(HIDDEN.contains(&tag.name()));
                    links -= usize::from(tag.name() == "a");
                    let Some(measure) = open.pop() else { continue };
                    done.insert(node.id(), measure);
                    if let Some(around) = open.last_mut() {
                        *around += measure;
                    }
                }
            }
        }
        Self(done)
    }

    /// The sum of the measures of these nodes.
    pub(super) fn sum(&self, nodes: &[NodeRef<'_, Node>]) -> Measure {
        nodes.iter().map(|node| self.of_id(node.id())).fold(Measure::default(), Add::add)
    }

    pub(super) fn of_id(&self, id: NodeId) -> Measure {
        self.0.get(&id).copied().unwrap_or_default()
    }
}

fn of_element(element: ElementRef<'_>, page: &Page, own: &str) -> Measure {
    let name = element.value().name();
    let mut measure = Measure {
        headings: usize::from(is_heading(name)),
        images: usize::from(name == "img"),
        dates: usize::from(element.attr("datetime").is_some() && !matches!(name, "ins" | "del")),
        ..Measure::default()
    };
    let href = element.attr("href").filter(|_| name == "a");
    if let Some(url) = href.and_then(|href| address::resolve(page.base(), href))
        && normalise(&url) != own
    {
        let away = is_file(&url) || !same_site(&url, page.url());
        measure.away = usize::from(away);
        measure.inside = usize::from(!away);
    }
    measure
}

/// `checks` is the number of texts that may still be searched for dates.
fn of_text(text: &str, linked: bool, checks: &mut usize) -> Measure {
    let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
    Measure {
        letters,
        linked: if linked { letters } else { 0 },
        dates: usize::from(letters > 0 && is_date(text.trim(), checks)),
        ..Measure::default()
    }
}

/// Whether a text is a date or starts with one.
fn is_date(text: &str, checks: &mut usize) -> bool {
    let lead = crate::util::text::start(text, LONGEST_DATE);
    if text.len() < 5 || !lead.chars().any(char::is_numeric) || *checks == 0 {
        return false;
    }
    *checks -= 1;
    let begins = || {
        let dates = scan(lead, &DateContext::default()).dates;
        dates.first().is_some_and(|d| d.at.start <= 2 && !d.range)
    };
    // The last test also accepts dates without a year, and texts such as "3 hours ago".
    text.len() <= LONGEST_DATE && is_date_line(text)
        || begins()
        || text.len() <= LONGEST_RELATIVE && !scan(text, &any_day()).dates.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_each_text_once_up_to_a_limit() {
        let dates = "12.03.2026<br>".repeat(MAX_TEXTS + 50);
        let page = Page::parse(
            &format!("<div><b>a</b>{dates}</div>"),
            &"https://example.org/".parse().unwrap(),
        );
        let page = page.unwrap();
        let measures = Measures::of(&page);
        let around = page.tree().root_element().descendent_elements();
        let around = around.into_iter().find(|e| e.value().name() == "div").unwrap();
        let nodes: Vec<NodeRef<'_, Node>> = around.children().collect();
        assert_eq!(nodes.len(), 2 * (MAX_TEXTS + 50) + 1);
        assert_eq!(measures.sum(&nodes).dates, MAX_TEXTS);
        assert_eq!(measures.sum(&nodes), measures.of_id(around.id()));
    }
}

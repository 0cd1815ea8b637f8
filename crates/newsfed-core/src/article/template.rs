//! The template of a site: the box that contains the article, and the blocks at both ends of the box that are
//! on every page. It is learned from the pages of the site as they are read.

use super::blocks::{Page, is_heading};
use super::page_date::is_publication_line;
use super::words::words;
use crate::util::domain;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use url::Url;

/// Maximum number of candidates for the box of the article.
const MAX_PLACES: usize = 12;
/// Maximum number of texts, beginnings and slots per end.
const MAX_MARKS: usize = 48;
/// Number of blocks at the start of the box that may be dropped.
const HEAD: usize = 8;
/// Number of blocks at the end of the box that may be dropped.
const TAIL: usize = 14;
/// Number of pages on which a box must have been seen before it is used.
const MIN_PAGES: u32 = 2;
/// Minimum mean agreement with the results of the pages alone (harmonic mean of the shares of common words).
const GUARD: f32 = 0.8;
/// Minimum agreement for a page to have a known layout.
const FITS: f32 = 0.5;
/// Maximum number of additional layouts.
const MAX_OTHERS: usize = 2;
/// Number of pages with other layouts after which a layout is dropped.
const MAX_IDLE: u32 = 10;
/// Number of consecutive pages of other sites after which a site is forgotten.
const MAX_STRANGERS: u32 = 20;
/// Minimum probability of a block that certainly belongs to the article, according to the page alone.
const SURE: f32 = 0.8;
/// Maximum share of the words that certainly belong to the article that a template may leave out.
const MAX_LOST: f32 = 0.05;
/// Maximum probability of a block that certainly does not belong to the article, according to the page alone.
const UNSURE: f32 = 0.1;
/// Maximum share of a result's words that may be in blocks that certainly do not belong to the article.
const MAX_ADDED: f32 = 0.5;
/// Number of pages after which the ends of the box are well known.
const EXPERIENCED: u32 = 4;
/// Minimum agreement with the result of the page alone until the ends are well known.
const NEARLY: f32 = 0.95;
/// Minimum agreement of a candidate with the result of a page.
const CANDIDATE: f32 = 0.6;
/// Minimum advantage in agreement of a candidate that replaces the current one.
const LEAD: f32 = 0.02;
/// A text that occurs on at least this number of other pages is not part of an article.
const OTHER_PAGES: u32 = 3;
/// Minimum share of the pages on which a mark must be at the same end for a block to be dropped.
const USUAL: f32 = 0.6;
/// Share of characters in links above which a block is probably not part of a text.
const LINKS: f32 = 0.6;
/// Maximum length of a block that is dropped because of its beginning, in words.
const SHORT: usize = 40;
/// Maximum length of a block that is dropped because of its slot, in words.
const SHORTER: usize = 25;
/// Number of pages after which the counts of older pages are halved.
const MEMORY: u32 = 60;

/// What was learned about a site. A few kilobytes when serialised.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Template {
    pages: u32,
    places: Vec<Place>,
    /// The path of the current candidate, to which `ends` belong.
    chosen: u32,
    ends: [End; 2],
    /// Number of pages with the current candidate.
    seen: u32,
    /// Additional layouts of the site.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<Template>,
    /// Number of pages of other layouts since the last one of this layout.
    #[serde(default)]
    idle: u32,
    /// The registrable domain of the site. The items of one feed may link to pages of many sites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    /// Number of pages of other sites since the last one of this site.
    #[serde(default)]
    strangers: u32,
}

/// A position on the pages: the tags from the root, and the classes of the box.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Place {
    path: u32,
    pages: u32,
    /// Sum of the agreements with the results of the pages.
    agreement: f32,
    depth: u32,
}

impl Place {
    fn mean(&self) -> f32 {
        self.agreement / self.pages.max(1) as f32
    }
}

/// Marks at one end of the article's box, each with the number of pages on which it occurred.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct End {
    texts: Vec<(u32, u32)>,
    beginnings: Vec<(u32, u32)>,
    slots: Vec<(u32, u32)>,
}

impl Template {
    /// Whether a page with this URL belongs to the template's site. Learning from a page of another site
    /// starts over with that site, if little was learned before, or if the source seems to have moved there.
    pub(super) fn is_for(&mut self, url: Option<&Url>, learns: bool) -> bool {
        let site = url.and_then(domain::site);
        if site.is_none() || site == self.site {
            self.strangers = 0;
            return true;
        }
        if !learns {
            return self.site.is_none();
        }
        self.strangers += 1;
        if self.site.is_none() {
            (self.site, self.strangers) = (site, 0);
        } else if self.pages < EXPERIENCED || self.strangers > MAX_STRANGERS {
            *self = Self { site, ..Self::default() };
        }
        self.strangers == 0
    }

    /// Learns from a page. `taken` is the result of the page alone. A page with none of the known layouts
    /// starts a new layout.
    pub(super) fn learn(&mut self, page: &Page<'_>, taken: &[bool]) {
        let paths = paths(page);
        let agreements = page.agreements(taken);
        self.idle += 1;
        self.others.iter_mut().for_each(|o| o.idle += 1);
        self.learn_fitting(page, &paths, &agreements);
        self.others.retain(|o| o.idle <= MAX_IDLE);
        // After a redesign, the new layout becomes the first one.
        if self.idle > MAX_IDLE
            && let Some(at) = (0..self.others.len()).max_by_key(|at| self.others[*at].seen)
        {
            let next = self.others.remove(at);
            let (others, site) = (std::mem::take(&mut self.others), self.site.take());
            *self = Self { others, site, ..next };
        }
    }

    fn learn_fitting(&mut self, page: &Page<'_>, paths: &[u32], agreements: &[f32]) {
        if let Some(layout) = self.layout(paths, agreements) {
            return self.at(layout).learn_layout(page, paths, agreements);
        }
        if let Some(young) = self.others.iter_mut().find(|o| o.seen < MIN_PAGES) {
            return young.learn_layout(page, paths, agreements);
        }
        if self.others.len() >= MAX_OTHERS {
            // The layout with the fewest pages is dropped.
            let least = (0..self.others.len()).min_by_key(|at| self.others[*at].pages);
            least.map(|at| self.others.remove(at));
        }
        let mut fresh = Self::default();
        fresh.learn_layout(page, paths, agreements);
        self.others.push(fresh);
    }

    /// The index of the layout that fits a page. While the first layout is not known yet, its index 0 is
    /// used.
    fn layout(&self, paths: &[u32], agreements: &[f32]) -> Option<usize> {
        if self.seen < MIN_PAGES {
            return Some(0);
        }
        let all = std::iter::once(self).chain(&self.others).enumerate();
        let fits = all.filter(|(_, l)| l.seen > 0).map(|(at, l)| (at, l.fit(paths, agreements)));
        let best = fits.reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        (best.1 >= FITS).then_some(best.0)
    }

    fn at(&mut self, layout: usize) -> &mut Self {
        match layout.checked_sub(1) {
            Some(other) if other < self.others.len() => &mut self.others[other],
            _ => self,
        }
    }

    fn learn_layout(&mut self, page: &Page<'_>, paths: &[u32], agreements: &[f32]) {
        self.idle = 0;
        self.pages += 1;
        if self.pages > MEMORY {
            self.decay();
        }
        self.take_places(page, paths, agreements);
        self.choose();
        let Some(range) = self.container(page, paths, agreements) else { return };
        self.seen += 1;
        let ends = [ends(&range, HEAD, false), ends(&range, TAIL, true)];
        for (end, blocks) in self.ends.iter_mut().zip(ends) {
            let marks: Vec<Marks> =
                blocks.iter().map(|at| Marks::of(page, paths, *at, &range)).collect();
            // Texts that do not recur even with masked digits would only push out others.
            let recurs = |m: &&Marks| end.texts.iter().any(|(text, _)| *text == m.text);
            let exact: Vec<u32> = marks.iter().filter(recurs).filter_map(|m| m.exact).collect();
            count(&mut end.texts, marks.iter().map(|m| m.text).chain(exact));
            count(&mut end.beginnings, marks.iter().filter_map(|m| m.beginning));
            count(&mut end.slots, marks.iter().filter_map(|m| m.slot));
        }
    }

    /// The article's blocks on a page; `None` if the template does not fit, or if it would lose text that
    /// extraction from the page alone includes with high probability. `taken` marks the blocks that the
    /// page classifier selects, and `chances` contains their probabilities.
    pub(super) fn apply(
        &self,
        page: &Page<'_>,
        taken: &[bool],
        chances: &[f32],
        title: Option<&str>,
    ) -> Option<Vec<bool>> {
        let paths = paths(page);
        let agreements = page.agreements(taken);
        let layout = match self.layout(&paths, &agreements)? {
            0 => self,
            other => self.others.get(other - 1)?,
        };
        let range = layout.container(page, &paths, &agreements)?;
        let sure = |at: usize| taken[at] && chances[at] >= SURE;
        let found = layout.apply_layout(page, &paths, (taken, &sure), title, &range)?;
        let words = |is: &dyn Fn(usize) -> bool| -> f32 {
            let blocks = page.blocks.iter().enumerate().filter(|(at, _)| is(*at));
            blocks.map(|(_, b)| b.words as f32).sum()
        };
        let lost = words(&|at| sure(at) && !range.contains(&at)) / words(&sure).max(1.0);
        let added = words(&|at| found[at] && !taken[at] && chances[at] <= UNSURE)
            / words(&|at| found[at]).max(1.0);
        (lost <= MAX_LOST && added <= MAX_ADDED).then_some(found)
    }

    fn apply_layout(
        &self,
        page: &Page<'_>,
        paths: &[u32],
        (taken, sure): (&[bool], &dyn Fn(usize) -> bool),
        title: Option<&str>,
        range: &Range<usize>,
    ) -> Option<Vec<bool>> {
        let place = self.places.iter().find(|p| p.path == self.chosen)?;
        if self.seen < MIN_PAGES || place.mean() < GUARD {
            return None;
        }
        let (mut from, mut to) = (range.start, range.end);
        let title: Option<Vec<String>> = title.map(folded);
        let goes = |at: usize, end: &End, head: bool| {
            let block = &page.blocks[at];
            let is_title =
                title.as_ref().is_some_and(|t| !t.is_empty() && folded(page.text(at)) == *t);
            if is_title || is_publication_line(page.text(at)) {
                return true;
            }
            let heading = is_heading(page.elements[block.element].name());
            if head && heading {
                return false;
            }
            let marks = Marks::of(page, paths, at, range);
            let share = |marks: &[(u32, u32)], mark: Option<u32>| {
                let found = mark.and_then(|m| marks.iter().find(|(k, _)| *k == m));
                found.map_or(0.0, |(_, n)| *n as f32 / self.seen as f32)
            };
            let usual = |share: f32| share >= USUAL && self.seen > 2;
            let known = |mark: u32| {
                end.texts.iter().any(|(k, n)| *k == mark && *n > OTHER_PAGES)
                    || usual(share(&end.texts, Some(mark)))
            };
            let links = block.link_chars as f32 / block.chars.max(1) as f32;
            let slot = usual(share(&end.slots, marks.slot));
            let begins = usual(share(&end.beginnings, marks.beginning));
            // Notebooks have a box with a class around each paragraph, so the place of a text means little.
            let may_be_text = links <= LINKS && sure(at);
            let recurs = begins && block.words <= SHORT
                || slot && (block.words <= SHORTER || links > LINKS)
                || marks.classed && links > 0.8;
            // A text that differs only in its numbers may be a measurement or a price.
            let same = match marks.exact {
                Some(exact) => known(exact) || known(marks.text) && !may_be_text,
                None => known(marks.text),
            };
            same || recurs && !may_be_text
        };
        while from < to && from - range.start < HEAD && goes(from, &self.ends[0], true) {
            from += 1;
        }
        while to > from && range.end - to < TAIL && goes(to - 1, &self.ends[1], false) {
            to -= 1;
        }
        if from == to {
            return None;
        }
        let mut found = vec![false; page.blocks.len()];
        found[from..to].fill(true);
        // Until the ends are well known, the result of the page alone must be nearly the same.
        let needed = if self.seen < EXPERIENCED { NEARLY } else { FITS };
        (agreement(page, &found, taken) >= needed).then_some(found)
    }

    /// Number of pages that were learned from.
    pub fn pages(&self) -> u32 {
        self.pages + self.others.iter().map(|o| o.pages).sum::<u32>()
    }

    /// How well the current box on a page agrees with the result of the page alone.
    fn fit(&self, paths: &[u32], agreements: &[f32]) -> f32 {
        let fit = paths.iter().zip(agreements).filter(|(p, _)| **p == self.chosen);
        fit.map(|(_, a)| *a).fold(0.0, f32::max)
    }

    fn take_places(&mut self, page: &Page<'_>, paths: &[u32], agreements: &[f32]) {
        // If several boxes of a page share a path, the best one is used.
        let mut best: HashMap<u32, (f32, usize)> = HashMap::new();
        for (at, path) in paths.iter().enumerate() {
            let entry = best.entry(*path).or_insert((-1.0, at));
            if agreements[at] > entry.0 {
                *entry = (agreements[at], at);
            }
        }
        for place in &mut self.places {
            if let Some((agreement, _)) = best.remove(&place.path) {
                place.pages += 1;
                place.agreement += agreement;
            }
        }
        let mut fresh: Vec<(u32, f32, usize)> =
            best.into_iter().map(|(p, (a, at))| (p, a, at)).filter(|f| f.1 >= CANDIDATE).collect();
        fresh.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.2.cmp(&b.2)));
        fresh.truncate(MAX_PLACES / 2);
        for (path, agreement, at) in fresh {
            let depth = u32::try_from(page.elements[at].depth).unwrap_or(u32::MAX);
            self.places.push(Place { path, pages: 1, agreement, depth });
        }
        if self.places.len() > MAX_PLACES {
            self.places.sort_by(|a, b| b.agreement.total_cmp(&a.agreement));
            self.places.truncate(MAX_PLACES);
        }
    }

    /// Selects the best candidate among those on most pages. A new candidate starts with empty ends.
    fn choose(&mut self) {
        let usual = (self.pages as f32 * USUAL).max(1.0);
        let places = self.places.iter().filter(|p| p.pages as f32 >= usual);
        let better =
            |a: &&Place, b: &&Place| a.mean().total_cmp(&b.mean()).then(a.depth.cmp(&b.depth));
        let Some(best) = places.max_by(better) else { return };
        // A small advantage is not a reason to start over.
        let current = self.places.iter().find(|p| p.path == self.chosen);
        let stays = current.is_some_and(|c| c.mean() >= best.mean() - LEAD);
        if !stays {
            self.chosen = best.path;
            self.ends = [End::default(), End::default()];
            self.seen = 0;
        }
    }

    /// The blocks of the current box on a page, or of the box with the best agreement if there are several.
    fn container(
        &self,
        page: &Page<'_>,
        paths: &[u32],
        agreements: &[f32],
    ) -> Option<Range<usize>> {
        let boxes = (0..paths.len()).filter(|at| paths[*at] == self.chosen);
        // The first of equally good boxes.
        let best = boxes.reduce(|a, b| if agreements[b] > agreements[a] { b } else { a })?;
        let range = page.elements[best].blocks.clone();
        (!range.is_empty()).then_some(range)
    }

    fn decay(&mut self) {
        self.pages /= 2;
        self.seen /= 2;
        for place in &mut self.places {
            place.pages = place.pages.div_ceil(2);
            place.agreement /= 2.0;
        }
        for end in &mut self.ends {
            for marks in [&mut end.texts, &mut end.beginnings, &mut end.slots] {
                marks.iter_mut().for_each(|m| m.1 /= 2);
                marks.retain(|m| m.1 > 0);
            }
        }
    }
}

/// How well two selections of blocks agree: the harmonic mean of precision and recall, in words.
fn agreement(page: &Page<'_>, a: &[bool], b: &[bool]) -> f32 {
    let words = |taken: &dyn Fn(usize) -> bool| -> usize {
        page.blocks.iter().enumerate().filter(|(at, _)| taken(*at)).map(|(_, b)| b.words).sum()
    };
    let (common, one, other) =
        (words(&|at| a[at] && b[at]), words(&|at| a[at]), words(&|at| b[at]));
    2.0 * common as f32 / (one + other).max(1) as f32
}

/// The features by which a block is recognised on other pages.
struct Marks {
    /// Its text with digits masked.
    text: u32,
    /// Its text with its digits, if it has any.
    exact: Option<u32>,
    /// Its first two words with digits masked.
    beginning: Option<u32>,
    /// The path of its box, if there is a class between the article's box and the block.
    slot: Option<u32>,
    /// Whether there is a class between the article's box and the block.
    classed: bool,
}

impl Marks {
    fn of(page: &Page<'_>, paths: &[u32], at: usize, container: &Range<usize>) -> Self {
        let block = &page.blocks[at];
        let masked: String =
            page.text(at).chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let mut first = words(&masked);
        let beginning = match (first.next(), first.next()) {
            (Some(a), Some(b)) => Some(number(format!("{a} {b}").as_bytes(), 2)),
            _ => None,
        };
        let inside = |e: &usize| page.elements[*e].blocks.len() < container.len();
        let boxed = page
            .around(block.element)
            .take_while(inside)
            .any(|e| page.elements[e].node.attr("class").is_some_and(|c| !c.trim().is_empty()));
        let classed = boxed || block.classed;
        Self {
            text: number(masked.as_bytes(), 1),
            exact: masked.contains('0').then(|| number(page.text(at).as_bytes(), 3)),
            beginning,
            slot: classed.then(|| paths[block.element]),
            classed,
        }
    }
}

/// The blocks at one end of a range, starting from the outermost.
fn ends(range: &Range<usize>, most: usize, tail: bool) -> Vec<usize> {
    if tail { range.clone().rev().take(most).collect() } else { range.clone().take(most).collect() }
}

/// Adds the marks of one page to the counts.
fn count(counts: &mut Vec<(u32, u32)>, marks: impl Iterator<Item = u32>) {
    for mark in marks.collect::<HashSet<u32>>() {
        match counts.iter_mut().find(|(k, _)| *k == mark) {
            Some((_, n)) => *n += 1,
            None => counts.push((mark, 1)),
        }
    }
    if counts.len() > MAX_MARKS {
        counts.sort_by_key(|(mark, n)| (std::cmp::Reverse(*n), *mark));
        // Drops the rarest marks to make room for those of the next page.
        counts.truncate(MAX_MARKS * 2 / 3);
    }
}

/// The path of every box: the tag names of its ancestors and its own, and its classes without digits.
fn paths(page: &Page<'_>) -> Vec<u32> {
    let mut tags: Vec<u32> = Vec::with_capacity(page.elements.len());
    let mut paths = Vec::with_capacity(page.elements.len());
    for (at, element) in page.elements.iter().enumerate() {
        let above = if at == 0 { 1 } else { tags[element.parent] };
        let tag = number(element.name().as_bytes(), above);
        tags.push(tag);
        let class = element.node.attr("class").unwrap_or_default();
        let stable = class
            .split_ascii_whitespace()
            .filter(|c| !c.bytes().any(|b| b.is_ascii_digit()))
            .take(4);
        paths.push(stable.fold(tag, |path, class| number(class.as_bytes(), path)));
    }
    paths
}

fn folded(text: &str) -> Vec<String> {
    words(text).map(str::to_lowercase).collect()
}

/// A hash of bytes (FNV-1a, 32 bits) that is the same in every version of the program.
fn number(bytes: &[u8], seed: u32) -> u32 {
    let start = 2_166_136_261 ^ seed.wrapping_mul(0x9e37_79b1);
    bytes.iter().fold(start, |hash, b| (hash ^ u32::from(*b)).wrapping_mul(16_777_619))
}

//! Proposes the selector for the entries on a page.

use super::blocks::Block;
use super::dates;
use super::groups::{Group, groups};
use super::measure::{Measure, Measures};
use super::parts::{self, Title, has_word};
use super::{PageEntry, read};
use crate::model::WebsiteRules;
use crate::util::date::DateContext;
use crate::util::domain::same_site;
use crate::website::list::{ListLink, list_page};
use crate::website::page::Page;
use crate::website::propose::{Proposal as List, next_selector};
use crate::website::propose::{Region, classes, is_file, is_heading, region};
use crate::website::selector::Selectors;
use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::{HashMap, HashSet};
use url::Url;

/// Minimum number of entries on a page.
const MIN: usize = 3;
/// Maximum number of proposals.
const MAX_PROPOSALS: usize = 3;
/// Maximum number of groups that are rated by their titles.
const MAX_RATED: usize = 25;
/// Maximum number of groups that are read for the proposals.
const MAX_READ: usize = 6;
/// Maximum number of blocks in a group whose titles are read.
const SAMPLE: usize = 60;
/// Minimum mean score of a group's blocks.
const BORDER: f64 = 0.5;
/// Minimum share of sections that contain a date, or a version in their heading. The sections of an article
/// have neither.
const MARKED: f64 = 0.6;
/// Minimum share of distinct titles; with fewer, the blocks are parts of entries.
const DISTINCT: f64 = 0.6;
/// Factor for the confidence in blocks that may be anything.
const VAGUE: f64 = 0.6;
/// 1 January 2100, in seconds since the epoch.
const LAST_DAY: i64 = 4_102_444_800;
/// Minimum number of letters in a text that is more than a teaser.
const FULL: usize = 600;
/// Words in the class names of entries.
const WORDS: [&str; 14] = [
    "entry",
    "post",
    "news",
    "item",
    "release",
    "notice",
    "event",
    "story",
    "update",
    "incident",
    "announcement",
    "comic",
    "issue",
    "article",
];

/// A way to read a page as a list of entries.
#[derive(Debug, Clone, PartialEq)]
pub struct EntriesProposal {
    /// Selector for the blocks, or for the section headings.
    pub articles: String,
    /// The entries that the selector finds now.
    pub entries: Vec<PageEntry>,
    /// Confidence that these are entries, 0 to 1.
    pub confidence: f64,
    /// Whether most titles link to other pages of the site and the texts are short.
    pub teasers: bool,
}

impl EntriesProposal {
    /// The list of the articles that the entries are teasers for; `None` if they are not teasers, or if no
    /// selector finds the articles. One of the proposed `lists` is preferred.
    pub fn linked(&self, page: &Page, lists: Vec<List>) -> Option<List> {
        if !self.teasers {
            return None;
        }
        let url = |e: &PageEntry| e.entry.url.as_deref().and_then(|url| Url::parse(url).ok());
        let wanted: HashMap<String, &PageEntry> = self
            .entries
            .iter()
            .filter_map(|e| Some((crate::util::url::normalise(&url(e)?), e)))
            .collect();
        // An entry that has no page, or shares one with another entry, would be lost.
        if wanted.len() != self.entries.len() {
            return None;
        }
        let blocks = || {
            let items = list_page(page, &Selectors::parse(&self.articles).ok()?, None).links;
            let next = next_selector(page);
            Some(List { articles: self.articles.clone(), next, items, confidence: 0.0 })
        };
        let entry = |item: &ListLink| wanted.get(&crate::util::url::normalise(&item.url)).copied();
        let is_same = |list: &List| {
            let found = list.items.iter().filter(|item| entry(item).is_some()).count();
            found == wanted.len() && list.items.len() == found && found >= MIN
        };
        let mut list = lists.into_iter().find(is_same).or_else(|| blocks().filter(is_same))?;
        list.confidence = list.confidence.max(self.confidence);
        for item in &mut list.items {
            let Some(PageEntry { entry, .. }) = entry(item) else { continue };
            // The text of the link may be "read more".
            item.title.clone_from(&entry.title);
            item.date = item.date.or(entry.published);
        }
        Some(list)
    }

    /// The share of entries that link to one of these URLs.
    pub fn share_of(&self, urls: &HashSet<String>) -> f64 {
        let leads = |e: &&PageEntry| {
            let url = e.entry.url.as_deref().and_then(|url| Url::parse(url).ok());
            url.is_some_and(|url| urls.contains(&crate::util::url::normalise(&url)))
        };
        self.entries.iter().filter(leads).count() as f64 / self.entries.len().max(1) as f64
    }
}

/// A group with its rating.
struct Rated<'a> {
    group: Group<'a>,
    worth: f64,
    confidence: f64,
    /// Number of letters in its blocks.
    letters: usize,
    /// Share of distinct titles.
    distinct: f64,
    /// Whether its blocks have the same class.
    uniform: bool,
}

/// Proposes selectors for the entries of a page, best first; empty if the page has no entries.
pub fn propose(page: &Page) -> Vec<EntriesProposal> {
    let measures = Measures::of(page);
    let whole = content_letters(page, &measures);
    let mut all: Vec<(f64, Group<'_>)> = groups(page, MIN)
        .into_iter()
        .map(|group| (estimate(&group, &measures, whole), group))
        .filter(|(worth, _)| *worth > 0.0)
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.selector.cmp(&b.1.selector)));
    let mut rated: Vec<Rated<'_>> = all
        .into_iter()
        .take(MAX_RATED)
        .filter_map(|(_, group)| rate(page, group, &measures, whole))
        .collect();
    prefer_inner(&mut rated);
    rated.sort_by(|a, b| {
        b.worth.total_cmp(&a.worth).then_with(|| a.group.selector.cmp(&b.group.selector))
    });
    let mut proposals: Vec<EntriesProposal> = Vec::new();
    for rated in rated.into_iter().take(MAX_READ) {
        let rules = WebsiteRules {
            articles: Some(rated.group.selector.clone()),
            ..WebsiteRules::default()
        };
        let Ok(found) = read(page, &rules, None) else { continue };
        let again = proposals.iter().any(|p| same_titles(&p.entries, &found.entries));
        if found.entries.len() < MIN || again {
            continue;
        }
        proposals.push(EntriesProposal {
            teasers: are_teasers(page, &found.entries),
            articles: rated.group.selector,
            entries: found.entries,
            confidence: rated.confidence,
        });
        if proposals.len() == MAX_PROPOSALS {
            break;
        }
    }
    proposals
}

/// Lowers the rating of groups whose blocks contain all blocks of another group with more blocks: these are
/// groups of days or months.
fn prefer_inner(rated: &mut [Rated<'_>]) {
    let nodes = |blocks: &[Block<'_>]| -> HashSet<NodeId> {
        blocks.iter().flat_map(|block| block.parts.iter().map(|part| part.id())).collect()
    };
    let all: Vec<(HashSet<NodeId>, usize)> =
        rated.iter().map(|r| (nodes(&r.group.blocks), r.letters)).collect();
    let contains = |outer: usize, inner: usize| {
        let is_inside = |block: &Block<'_>| {
            block.head.ancestors().any(|around| all[outer].0.contains(&around.id()))
                && !all[outer].0.contains(&block.head.id())
        };
        let blocks = &rated[inner].group.blocks;
        blocks.len() > rated[outer].group.blocks.len()
            && rated[inner].distinct >= rated[outer].distinct
            && rated[inner].uniform
            && all[inner].1 * 10 >= all[outer].1 * 6
            && blocks.iter().all(is_inside)
    };
    let outer: Vec<bool> = (0..rated.len())
        .map(|outer| (0..rated.len()).any(|inner| inner != outer && contains(outer, inner)))
        .collect();
    for (rated, outer) in rated.iter_mut().zip(outer) {
        rated.worth *= if outer { 0.3 } else { 1.0 };
    }
}

fn same_titles(a: &[PageEntry], b: &[PageEntry]) -> bool {
    let titles = |all: &[PageEntry]| -> HashSet<String> {
        all.iter().map(|e| e.entry.title.clone()).collect()
    };
    let (a, b) = (titles(a), titles(b));
    a.intersection(&b).count() * 10 >= a.len().max(b.len()) * 8
}

/// Number of letters on a page outside its navigation.
fn content_letters(page: &Page, measures: &Measures) -> usize {
    let all = measures.of_id(page.tree().root_element().id()).letters;
    let frames = page.tree().root_element().descendent_elements().filter(|e| {
        matches!(e.value().name(), "nav" | "footer" | "aside") && region(*e) == Region::Body
    });
    all.saturating_sub(frames.map(|e| measures.of_id(e.id()).letters).sum())
}

/// An estimate of the worth of a group, without its titles.
fn estimate(group: &Group<'_>, measures: &Measures, whole: usize) -> f64 {
    let scores = group.blocks.iter().map(|block| {
        let measure = measures.sum(&block.parts);
        let signs = Signs {
            headed: is_headed(block) || measure.headings > 0,
            dated: measure.dates > 0,
            leads: measure.away > 0,
            version: false,
        };
        // Titles without a heading, versions, and the dates above blocks are not known yet.
        score(block, &measure, &signs) - BORDER + 0.35
    });
    let sum: f64 = scores.sum();
    let letters: usize = group.blocks.iter().map(|b| measures.sum(&b.parts).letters).sum();
    sum.max(0.0).powf(0.8) * coverage(letters, whole)
}

fn coverage(letters: usize, whole: usize) -> f64 {
    0.3 + 0.7 * (letters as f64 / whole.max(1) as f64).min(1.0)
}

/// Signs that a block is an entry.
struct Signs {
    /// Its title is a heading, or an element named as a title.
    headed: bool,
    dated: bool,
    /// Its title links to another site or to a file.
    leads: bool,
    /// Its title contains a version.
    version: bool,
}

/// How similar a block is to an entry: about 0 to 1.
fn score(block: &Block<'_>, measure: &Measure, signs: &Signs) -> f64 {
    let named = is_named(block);
    let title = match (signs.headed, measure.linked > 0) {
        (true, _) => 0.3,
        (false, true) => 0.2,
        (false, false) => 0.1,
    };
    let text = match measure.letters.saturating_sub(measure.linked) {
        0..40 => 0.0,
        40..200 => 0.15,
        _ => 0.3,
    };
    let worth = |sign: bool, worth: f64| if sign { worth } else { 0.0 };
    title
        + text
        + worth(signs.dated, 0.35)
        + worth(signs.leads, 0.4)
        + worth(signs.version, 0.25)
        + worth(measure.images > 0 && signs.headed, 0.1)
        + worth(named, 0.15)
}

/// The first blocks of a group, with their measures, titles and signs.
struct Sample<'g, 'a> {
    blocks: &'g [Block<'a>],
    sums: Vec<Measure>,
    titles: Vec<Option<Title<'a>>>,
    signs: Vec<Signs>,
}

impl<'g, 'a> Sample<'g, 'a> {
    fn of(page: &Page, group: &'g Group<'a>, measures: &Measures) -> Self {
        let context = any_day();
        let blocks = &group.blocks[..group.blocks.len().min(SAMPLE)];
        let sums: Vec<Measure> = blocks.iter().map(|block| measures.sum(&block.parts)).collect();
        let titles: Vec<Option<Title<'a>>> =
            blocks.iter().map(|block| parts::title(block, &context)).collect();
        let found = blocks.iter().zip(&sums).zip(&titles);
        let signs = found
            .map(|((block, sum), title)| signs(page, block, sum, title.as_ref(), &context))
            .collect();
        Self { blocks, sums, titles, signs }
    }

    /// The share of blocks with a property, given their indices.
    fn share(&self, is: impl Fn(usize) -> bool) -> f64 {
        let count = (0..self.blocks.len()).filter(|at| is(*at)).count();
        count as f64 / self.blocks.len().max(1) as f64
    }

    /// The share of distinct titles.
    fn distinct(&self) -> f64 {
        let titles = self.titles.iter().flatten().map(|title| &title.text);
        titles.collect::<HashSet<_>>().len() as f64 / self.blocks.len().max(1) as f64
    }

    fn mean_score(&self) -> f64 {
        let all = self.blocks.iter().zip(&self.sums).zip(&self.signs);
        let sum: f64 = all.map(|((block, sum), signs)| score(block, sum, signs)).sum();
        sum / self.blocks.len().max(1) as f64
    }

    /// Whether the blocks are sections that mostly have no dates and versions, like those of an article.
    fn is_article(&self) -> bool {
        self.blocks.first().is_some_and(is_headed)
            && self.share(|at| self.sums[at].dates > 0 || self.signs[at].version) < MARKED
    }

    /// Whether the blocks have only a heading and a text, which may be anything.
    fn is_vague(&self) -> bool {
        let sign = |at: usize| {
            let signs = &self.signs[at];
            signs.dated || signs.leads || signs.version || is_named(&self.blocks[at])
        };
        self.share(sign) < MARKED
    }
}

/// A context for pages that are not being polled: no date is later than its `now`.
pub(super) fn any_day() -> DateContext {
    let last = chrono::DateTime::from_timestamp(LAST_DAY, 0);
    DateContext { now: last.map(|at| at.fixed_offset()), ..DateContext::default() }
}

/// Rates a group; `None` if its blocks are not entries.
fn rate<'a>(page: &Page, group: Group<'a>, measures: &Measures, whole: usize) -> Option<Rated<'a>> {
    let sample = Sample::of(page, &group, measures);
    let (mean, distinct) = (sample.mean_score(), sample.distinct());
    let around = sample.share(|at| contains_entries(&sample.blocks[at], &sample.sums[at]));
    if mean < BORDER || distinct < DISTINCT || around > 0.5 || sample.is_article() {
        return None;
    }
    let letters: usize = group.blocks.iter().map(|b| measures.sum(&b.parts).letters).sum();
    let (all, coverage) = (group.blocks.len() as f64, coverage(letters, whole));
    let alike = alike(sample.blocks);
    // Sections are rated lower, because they do not contain their own names and the dates above their
    // headings.
    let shape = if group.blocks.iter().any(Block::is_section) { 0.85 } else { alike };
    let worth =
        (all * (mean - BORDER + 0.1)).powf(0.8) * coverage * distinct * mean.min(1.2) * shape;
    let sure = mean.min(1.0) * distinct * (0.5 + 0.5 * coverage) * (1.0 - (-all / 2.0).exp());
    let confidence = sure.clamp(0.0, 1.0) * if sample.is_vague() { VAGUE } else { 1.0 };
    Some(Rated { group, worth, confidence, letters, distinct, uniform: alike > 0.99 })
}

fn signs(
    page: &Page,
    block: &Block<'_>,
    measure: &Measure,
    title: Option<&Title<'_>>,
    context: &DateContext,
) -> Signs {
    let element = title.and_then(|title| title.element);
    let link = || parts::links(block, title, page).link;
    let leads = |url: Url| is_file(&url) || !same_site(&url, page.url());
    let is_row = block.head.value().name() == "tr";
    // A link in the text is not the link of the entry.
    let linked = element.is_some_and(parts::is_linked) || is_row;
    Signs {
        headed: element.is_some_and(parts::is_title_element),
        dated: measure.dates > 0 || dates::above(block, context).is_some(),
        leads: measure.away > 0 && linked && link().is_some_and(leads),
        version: title.is_some_and(|title| dates::is_version(&title.text)),
    }
}

/// Share of the most frequent class of the blocks, scaled to 0.5 to 1: different parts of one thing have
/// different classes.
fn alike(blocks: &[Block<'_>]) -> f64 {
    let mut counts: HashMap<Option<String>, usize> = HashMap::new();
    for block in blocks {
        *counts.entry(classes(block.head).into_iter().next()).or_default() += 1;
    }
    let most = counts.values().max().copied().unwrap_or(0);
    0.5 + 0.5 * most as f64 / blocks.len().max(1) as f64
}

/// Whether a block is the section below a heading.
fn is_headed(block: &Block<'_>) -> bool {
    let name = block.head.value().name();
    is_heading(name) || matches!(name, "dt" | "b" | "strong")
}

/// Whether the name of a block is typical of entries.
fn is_named(block: &Block<'_>) -> bool {
    block.head.value().name() == "article" || has_word(block.head, &WORDS)
}

/// Whether a block contains several articles, or several dates and headings.
fn contains_entries(block: &Block<'_>, measure: &Measure) -> bool {
    let articles: HashSet<NodeId> = block
        .elements()
        .filter(|e: &ElementRef<'_>| e.value().name() == "article" && e.id() != block.head.id())
        .map(|e| e.id())
        .collect();
    articles.len() > 1 || measure.dates > 3 && measure.headings > 3
}

/// Whether most entries are teasers for other pages of the site.
fn are_teasers(page: &Page, entries: &[PageEntry]) -> bool {
    let own = crate::util::url::normalise(page.url());
    let is_teaser = |e: &&PageEntry| {
        let url = e.entry.url.as_deref().and_then(|url| Url::parse(url).ok());
        let leads = url.is_some_and(|url| {
            same_site(&url, page.url())
                && !is_file(&url)
                && crate::util::url::normalise(&url) != own
        });
        let text = e.entry.content.as_deref().map_or(0, |html| {
            crate::util::html::to_text(html).chars().filter(|c| c.is_alphanumeric()).count()
        });
        leads && text < FULL
    };
    entries.iter().filter(is_teaser).count() * 2 > entries.len()
}

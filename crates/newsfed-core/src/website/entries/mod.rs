//! Entries on one page: repeated blocks, or sections under headings, become items.
//!
//! [`read`] makes the entries of a page: `blocks` finds the blocks; `parts`, `dates` and `content`
//! read them; `ids` identifies them. [`propose`] finds the selector of the blocks.

mod blocks;
mod content;
mod dates;
mod groups;
mod ids;
mod measure;
mod parts;
mod propose;

#[cfg(test)]
mod tests;

pub use propose::{EntriesProposal, propose};

use super::article::check_selectors;
use super::page::Page;
use super::selector::Selectors;
use super::split_names;
use crate::article::{self, Guide};
use crate::model::{
    Confidence, DateOrigin, DateSource, Entry, LeftOut, LeftOutReason, Time, WebsiteRules,
};
use crate::util::date::DateContext;
use crate::util::html::tree::text_up_to;
use crate::util::{limits, text};
use blocks::{Block, blocks};
use content::Texts;
use dates::BlockDate;
use ego_tree::NodeId;
use ids::Traits;
use parts::{Links, Title};
use scraper::{ElementRef, Html};
use std::collections::{HashMap, HashSet};
use url::Url;

/// Maximum length of a title, in bytes.
const MAX_TITLE: usize = 2000;
/// Maximum number of authors of an entry.
const MAX_AUTHORS: usize = 50;

/// The entries of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageEntries {
    /// The entries, in page order.
    pub entries: Vec<PageEntry>,
    /// The blocks that are not entries.
    pub left_out: Vec<LeftOut>,
    /// Numbers of blocks in which the title selector or, for `empty`, the text selector finds nothing.
    pub untitled: usize,
    pub empty: usize,
}

/// An entry of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageEntry {
    /// The entry, with an identifier as its `guid`.
    pub entry: Entry,
    /// Whether its date, or the year of its date, depends on the day of the poll, as in "3 days ago".
    pub floats: bool,
}

/// The parts of a block that were read.
struct Reading<'a> {
    block: Block<'a>,
    title: Option<Title<'a>>,
    links: Links,
    authors: Vec<String>,
    byline: Option<NodeId>,
    date: Option<BlockDate>,
}

/// Reads the entries of a page at `now`: those that `website.articles` selects, or else those of the best
/// proposal. Selectors for parts are applied within each block; without a selector, the part is detected.
///
/// # Errors
/// If a selector cannot be used, or takes too many steps on this page.
pub fn read(page: &Page, rules: &WebsiteRules, now: Option<Time>) -> Result<PageEntries, String> {
    let Some(selected) = select(page, rules)? else { return Ok(PageEntries::default()) };
    let guide = Guide { url: Some(page.url().clone()), fetched_at: now, ..Guide::default() };
    let context = article::date_context(page.tree(), &guide);
    let mut found = PageEntries::default();
    let mut all = blocks(selected);
    for surplus in all.drain(all.len().min(limits::PAGE_ENTRIES)..) {
        LeftOut::add(&mut found.left_out, LeftOutReason::OverLimit, &place(page, &surplus));
    }
    let own = Own::new(page.tree(), rules, &all)?;
    let mut readings: Vec<Reading<'_>> = all
        .into_iter()
        .enumerate()
        .map(|(at, block)| reading(page, rules, &context, &own, (at, block)))
        .collect();
    let mut days: Vec<Option<BlockDate>> = readings.iter().map(|r| r.date.clone()).collect();
    dates::settle(&mut days);
    for (reading, date) in readings.iter_mut().zip(days) {
        reading.date = date;
    }
    build(page, &context, now, &own, readings, &mut found);
    Ok(found)
}

/// The elements that `website.articles` selects, or else those of the best proposal. `None` if there is no
/// proposal.
fn select<'a>(page: &'a Page, rules: &WebsiteRules) -> Result<Option<Vec<ElementRef<'a>>>, String> {
    let articles = match &rules.articles {
        Some(articles) => Some(articles.clone()),
        None => propose(page).into_iter().next().map(|proposal| proposal.articles),
    };
    let Some(articles) = articles else { return Ok(None) };
    let selectors = Selectors::parse(&articles)?;
    selectors.check(page.tree()).map_err(|e| e.to_string())?;
    check_selectors(page, rules).map_err(|e| e.to_string())?;
    Ok(Some(selectors.all(page.tree())))
}

/// The elements that the selectors of a source match on a page.
pub struct Matched<'a> {
    /// The blocks, or the headings of sections.
    pub blocks: Vec<ElementRef<'a>>,
    /// The elements within the blocks that are used; `None` without a selector.
    pub title: Option<Vec<ElementRef<'a>>>,
    pub author: Option<Vec<ElementRef<'a>>>,
    pub date: Option<Vec<ElementRef<'a>>>,
    pub content: Option<Vec<ElementRef<'a>>>,
}

/// The elements that selectors match on a page, for display; `None` if a selector cannot be used, or if there
/// are no blocks.
pub fn matches<'a>(page: &'a Page, rules: &WebsiteRules) -> Option<Matched<'a>> {
    let blocks = blocks(select(page, rules).ok()??);
    let own = Own::new(page.tree(), rules, &blocks).ok()?;
    let flat = |found: Option<Vec<Vec<ElementRef<'a>>>>| found.map(|all| all.concat());
    Some(Matched {
        blocks: blocks.into_iter().map(|block| block.head).collect(),
        title: flat(own.title),
        author: flat(own.author),
        date: flat(own.date),
        content: flat(own.content),
    })
}

/// The matches of the user's selectors, for each block.
struct Own<'a> {
    title: Option<Vec<Vec<ElementRef<'a>>>>,
    content: Option<Vec<Vec<ElementRef<'a>>>>,
    author: Option<Vec<Vec<ElementRef<'a>>>>,
    date: Option<Vec<Vec<ElementRef<'a>>>>,
}

impl<'a> Own<'a> {
    fn new(tree: &'a Html, rules: &WebsiteRules, all: &[Block<'a>]) -> Result<Self, String> {
        let mut of_part: HashMap<NodeId, usize> = HashMap::new();
        for (at, block) in all.iter().enumerate() {
            of_part.extend(block.parts.iter().map(|part| (part.id(), at)));
        }
        let within = |selector: Option<&str>| -> Result<Option<Vec<Vec<ElementRef<'a>>>>, String> {
            let Some(selector) = selector else { return Ok(None) };
            let mut found: Vec<(usize, Vec<ElementRef<'a>>)> = vec![(0, Vec::new()); all.len()];
            for (rank, matches) in (0..).zip(Selectors::parse(selector)?.each_matching(tree)) {
                for element in matches {
                    let around = std::iter::once(*element).chain(element.ancestors());
                    let block = around.into_iter().find_map(|node| of_part.get(&node.id()));
                    let Some(own) = block.and_then(|at| found.get_mut(*at)) else { continue };
                    // The first selector of a list that matches in the block is used.
                    if own.1.is_empty() || own.0 == rank {
                        own.0 = rank;
                        own.1.push(element);
                    }
                }
            }
            Ok(Some(found.into_iter().map(|(_, elements)| elements).collect()))
        };
        let unless = |text: &'static str, own: &str| (own != text).then(|| own.to_owned());
        Ok(Self {
            title: within(unless(WebsiteRules::TITLE, &rules.title).as_deref())?,
            content: within(unless(WebsiteRules::CONTENT, &rules.content).as_deref())?,
            author: within(rules.author.as_deref())?,
            date: within(rules.date.as_deref())?,
        })
    }
}

fn reading<'a>(
    page: &Page,
    rules: &WebsiteRules,
    context: &DateContext,
    own: &Own<'a>,
    (at, block): (usize, Block<'a>),
) -> Reading<'a> {
    let title = match &own.title {
        Some(found) => found[at]
            .first()
            .map(|e| Title { text: text::line(&text_up_to(*e, MAX_TITLE)), element: Some(*e) }),
        None => parts::title(&block, context),
    };
    let title = title.filter(|title| !title.text.is_empty());
    let (authors, byline) = match &own.author {
        Some(found) => {
            let lines: Vec<String> =
                found[at].iter().map(|e| text::line(&text_up_to(*e, MAX_TITLE))).collect();
            (split_names(lines.iter().map(String::as_str)), None)
        }
        None => parts::authors(&block),
    };
    let layout = rules.date_format.as_deref();
    let selected = own.date.as_ref().and_then(|found| found[at].first());
    let date = selected.and_then(|e| dates::selected(*e, layout, context)).or_else(|| {
        let own = dates::of_block(&block, context);
        // In a list grouped by days, the day above the entry is certain. A date that may belong to the
        // entry's last update is not.
        match own.as_ref().is_none_or(|date| date.among_others) {
            true => dates::above(&block, context).or(own),
            false => own,
        }
    });
    let links = parts::links(&block, title.as_ref(), page);
    Reading { block, title, links, authors, byline, date }
}

fn build(
    page: &Page,
    context: &DateContext,
    now: Option<Time>,
    own: &Own<'_>,
    readings: Vec<Reading<'_>>,
    found: &mut PageEntries,
) {
    let texts = Texts::new(page, &shown(&readings, own.content.is_some()));
    let mut space = limits::FEED_TEXT;
    let mut built: Vec<(PageEntry, Traits)> = Vec::new();
    for (at, reading) in readings.into_iter().enumerate() {
        let content = match &own.content {
            Some(selected) => texts.of_elements(&outermost(&selected[at])),
            None => texts.of_block(&reading.block),
        };
        found.empty += usize::from(own.content.is_some() && content.is_none());
        let Some(title) = titled(&reading, content.as_deref(), own.title.is_some()) else {
            found.untitled += usize::from(own.title.is_some());
            let reason = match own.title {
                Some(_) => LeftOutReason::NotSelected,
                None => LeftOutReason::Empty,
            };
            LeftOut::add(&mut found.left_out, reason, &place(page, &reading.block));
            continue;
        };
        let size = content.as_ref().map_or(0, String::len) + title.len();
        if size > space {
            let place = place(page, &reading.block);
            LeftOut::add(&mut found.left_out, LeftOutReason::OverLimit, &place);
            continue;
        }
        space -= size;
        let published = reading.date.as_ref().and_then(|date| published(date, context, now));
        built.push(entry(reading, title, content, published));
    }
    found.entries = identified(page, built);
}

/// The time of an entry, never after `now`. A date that is more than a day in the future is ignored.
fn published(date: &BlockDate, context: &DateContext, now: Option<Time>) -> Option<Time> {
    let ahead = |t: &Time| now.is_some_and(|now| *t > now + chrono::TimeDelta::days(1));
    date.time(context).filter(|t| !ahead(t)).map(|t| now.map_or(t, |now| t.min(now)))
}

/// An entry without its identifier, and the properties that may identify it.
fn entry(
    reading: Reading<'_>,
    title: String,
    content: Option<String>,
    published: Option<Time>,
) -> (PageEntry, Traits) {
    let floats = reading.date.as_ref().is_some_and(BlockDate::floats);
    let traits = Traits {
        fragment: reading.links.fragment,
        link: reading.links.link.clone(),
        title: title.clone(),
        day: reading.date.as_ref().and_then(BlockDate::key),
        floats,
        text: content.clone().unwrap_or_default(),
    };
    let origin = DateOrigin { from: DateSource::List, confidence: Confidence::Medium, zone: None };
    let entry = Entry {
        title,
        authors: reading.authors.into_iter().take(MAX_AUTHORS).collect(),
        published,
        dated: published.map(|_| origin),
        content,
        url: reading.links.link.map(|url| url.to_string()),
        ..Entry::default()
    };
    (PageEntry { entry, floats }, traits)
}

/// The entries with their identifiers.
fn identified(page: &Page, built: Vec<(PageEntry, Traits)>) -> Vec<PageEntry> {
    let (mut entries, traits): (Vec<PageEntry>, Vec<Traits>) = built.into_iter().unzip();
    let named = ids::identify(&traits);
    for ((entry, traits), (id, lasting)) in entries.iter_mut().zip(traits).zip(named) {
        entry.entry.guid = Some(text::line(&id));
        // An entry without a link is linked to its place on the page.
        if let (None, Some(fragment), true) = (&entry.entry.url, traits.fragment, lasting) {
            let mut url = page.url().clone();
            url.set_fragment(Some(&fragment));
            entry.entry.url = Some(url.to_string());
        }
    }
    entries
}

/// The title of an entry, or else the description of an image. `None` if the block is empty, or if the
/// selector of the source finds no title.
fn titled(reading: &Reading<'_>, content: Option<&str>, selected: bool) -> Option<String> {
    if reading.title.is_some() || selected {
        return reading.title.as_ref().map(|title| title.text.clone());
    }
    let alt = reading.block.elements().find_map(|e| e.attr("alt").or_else(|| e.attr("title")));
    let alt = alt.map(text::line).filter(|alt| !alt.is_empty());
    content.and(alt.or_else(|| Some("(No title)".to_owned())))
}

/// Elements that the text does not repeat: titles, bylines and dates that have their own elements.
fn shown(readings: &[Reading<'_>], selected: bool) -> HashSet<NodeId> {
    // The text that the user selects is kept unchanged.
    if selected {
        return HashSet::new();
    }
    let of = |reading: &Reading<'_>| {
        let title = reading.title.as_ref().and_then(|title| {
            // If the title is only the start of its element, the element is kept.
            let element = title.element?;
            let whole = text_up_to(element, MAX_TITLE).chars().count();
            (whole <= title.text.chars().count() + 3).then(|| element.id())
        });
        let date = reading.date.as_ref().and_then(|date| date.element);
        let block = (!reading.block.is_section()).then(|| reading.block.head.id());
        [title, date, reading.byline].map(|id| id.filter(|id| Some(*id) != block))
    };
    readings.iter().flat_map(of).flatten().collect()
}

fn outermost<'a>(elements: &[ElementRef<'a>]) -> Vec<ElementRef<'a>> {
    let all: HashSet<NodeId> = elements.iter().map(|e| e.id()).collect();
    let inside = |e: &&ElementRef<'a>| e.ancestors().any(|around| all.contains(&around.id()));
    elements.iter().filter(|e| !inside(e)).copied().collect()
}

/// A URL that identifies a block in a report.
fn place(page: &Page, block: &Block<'_>) -> String {
    let mut url: Url = page.url().clone();
    url.set_fragment(block.head.attr("id"));
    text::line(url.as_str())
}

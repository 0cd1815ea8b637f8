//! Extracts the article of a page, using its feed, the page itself, and other pages of its site.

use super::blocks::Page;
use super::density::Density;
use super::document::Document;
use super::features::Hints;
use super::guided::{self, Concepts};
use super::head::Head;
use super::noscript;
use super::page::Judged;
use super::page_date::{self, Dates, PageTime, Published};
use super::posts::{self, Posts};
use super::several::Wanted;
use super::signs::Signs;
use super::signs_only;
use super::template::Template;
use super::{
    classes, comments, copies, figures, from_html, metadata, page, related, several, tags,
};
use crate::model::Time;
use crate::util::date::{DateContext, Offsets};
use crate::util::html::tree;
use crate::util::limits;
use crate::util::text;
use chrono::NaiveDate;
use ego_tree::NodeId;
use std::collections::HashSet;
use std::ops::Range;
use url::Url;

/// A text with fewer words is not an article, if there is another way to extract one.
pub(super) const FEW_WORDS: usize = 40;
/// Shares of a summary's n-grams: a text with at most `ABSENT` of them does not contain the summary, a text
/// with at least `PRESENT` does.
const ABSENT: f32 = 0.1;
const PRESENT: f32 = 0.6;
/// Maximum length of a text about an author, in words.
const MAX_AUTHOR: usize = 150;
/// Structured data with fewer words is not used in place of a page's text.
const WORTH: usize = 60;
/// A page with scripts and fewer words is assumed to load its text by scripts.
const NEEDS_SCRIPT: usize = 25;

/// How the article is extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// By the words of its feed alone.
    Guided,
    /// By the page alone.
    Page,
    /// By the page, its feed, and what was learned from other pages of its site.
    #[default]
    Auto,
}

/// How the text of an article was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOrigin {
    /// By the words of its feed.
    Guide,
    /// By the page alone.
    Page,
    /// By the template of the site.
    Template,
    /// From the page's structured data.
    Data,
}

/// What the feed provides about an article.
#[derive(Debug, Clone, Default)]
pub struct Guide {
    pub title: Option<String>,
    /// Its summary as plain text.
    pub summary: Option<String>,
    /// The URL of the page.
    pub url: Option<Url>,
    /// When the page was fetched. Without it, dates like "2 hours ago" are not read.
    pub fetched_at: Option<Time>,
}

/// An article and its metadata.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// The document for display, export and links.
    pub document: Document,
    /// The words of the article in order, one line per block, without alternative texts, list numbers and
    /// other markers that a display adds.
    pub text: String,
    /// How the text was found.
    pub origin: TextOrigin,
    /// The title from the guide, or else from the page.
    pub title: Option<String>,
    /// Whether the page itself has the guide's title.
    pub has_guide_title: bool,
    /// Names of the authors, in order.
    pub authors: Vec<String>,
    /// When it was published.
    pub published: Option<PageTime>,
    /// The origin of the publication date, and its certainty.
    pub dated: Option<Published>,
    /// Time of the last modification.
    pub modified: Option<PageTime>,
    /// The UTC offsets that the page gives with its dates.
    pub offsets: Offsets,
    /// Language tag.
    pub language: Option<String>,
    /// Canonical URL.
    pub canonical: Option<Url>,
    /// Lead image.
    pub image: Option<Url>,
    /// The page's own short descriptions as plain text.
    pub summaries: Vec<String>,
    /// The page's tags, in order.
    pub tags: Vec<String>,
    /// Comments by readers, one text each.
    pub comments: Vec<String>,
    /// The concepts (frequent words) of the guide, stemmed and sorted.
    pub concepts: Vec<String>,
}

/// Why a page has no article.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoArticle {
    /// The page is nested too deeply to build a tree.
    #[error("the page is nested too deeply, or too large, to be read safely")]
    TooDeep,
    /// The page contains no text.
    #[error("the page contains no text")]
    Empty,
    /// The page loads its text by scripts.
    #[error("the page loads its text with scripts, which newsfed does not run")]
    NeedsScript,
    /// The words of the guide are not on the page.
    #[error("the page does not contain the text of its feed")]
    NotFound,
}

impl Guide {
    pub(super) fn dates(&self, head: &Head<'_>, page: &Page<'_>, taken: &[bool]) -> Dates {
        page_date::dates(head, page, self.url.as_ref(), taken, self.fetched_at)
    }

    fn date_context(&self, head: &Head<'_>, page: &Page<'_>) -> DateContext {
        page_date::context(head, page, self.url.as_ref(), self.fetched_at)
    }

    /// Hints for the block classifier: the guide, and the page's own metadata.
    pub(super) fn hints(&self, head: &Head<'_>) -> Hints {
        let mut hints = metadata::hints(head);
        hints.own_titles = hints.titles.clone();
        hints.titles.extend(self.title.clone());
        hints.summaries.extend(self.summary.clone());
        hints.titles.retain(|t| !t.trim().is_empty());
        hints.signs = Signs::of(head, self.url.as_ref());
        hints
    }
}

/// Extracts the article of a page. With `site`, the template also learns from the page, and is used in mode
/// `Auto`. A page that is read again would count twice, so pass `learn = false` for it.
///
/// # Errors
/// When no article can be found on the page.
pub fn extract(
    markup: &str,
    guide: &Guide,
    mode: Mode,
    site: Option<(&mut Template, bool)>,
) -> Result<Extraction, NoArticle> {
    let tree = tree::article(markup).ok_or(NoArticle::TooDeep)?;
    let mut page = Page::read(&tree);
    let inner = noscript::body(&page, &tree);
    if let Some(inner) = &inner {
        page = Page::read(inner);
    }
    let head = Head::read(&tree);
    let concepts = Concepts::of(guide.title.as_deref(), guide.summary.as_deref());
    let hints = guide.hints(&head);
    let mut found = match mode {
        Mode::Guided => {
            let concepts = concepts.as_ref().ok_or(NoArticle::NotFound)?;
            let judged = page::article(&page, &hints);
            let taken = by_guide(&page, &hints, concepts, &judged)?;
            Found { taken, origin: TextOrigin::Guide }
        }
        Mode::Page => Found { taken: page::article(&page, &hints).taken, origin: TextOrigin::Page },
        Mode::Auto => {
            let judged = page::article(&page, &hints);
            let found = by_all(&page, &hints, guide, concepts.as_ref(), site, &judged);
            contradicted(&page, &hints, guide, &found, &judged).unwrap_or(found)
        }
    };
    // The sections of a home page may consist only of headings.
    if guide.url.as_ref().is_none_or(|url| url.path() != "/") {
        page::trim_tail(&page, &mut found.taken);
    }
    let words = words_of(&page, &found.taken);
    let body = hints.body.as_deref().filter(|_| words < FEW_WORDS);
    let body = body.filter(|b| super::words::count(b) >= WORTH.max(2 * words));
    if words == 0 && body.is_none() {
        return Err(nothing(&page, markup));
    }
    if words < NEEDS_SCRIPT && body.is_none() && mode != Mode::Guided {
        let all: usize = page.blocks.iter().map(|b| b.words).sum();
        if all < NEEDS_SCRIPT && has_script(markup) {
            return Err(NoArticle::NeedsScript);
        }
    }
    Ok(Reading { page: &page, head: &head, guide, found }.finish(body, concepts.as_ref()))
}

/// The dates of a page, even if it has no article.
pub fn page_dates(markup: &str, guide: &Guide) -> Dates {
    tree::article(markup).map(|tree| dates_of(&tree, guide)).unwrap_or_default()
}

/// Like [`page_dates`], for a page that is already parsed.
pub fn dates_of(tree: &scraper::Html, guide: &Guide) -> Dates {
    let (page, head) = (Page::read(tree), Head::read(tree));
    let taken = page::article(&page, &guide.hints(&head)).taken;
    guide.dates(&head, &page, &taken)
}

/// The first and last days of the events on a page, as given by its markup.
pub fn event_days(tree: &scraper::Html) -> HashSet<NaiveDate> {
    page_date::event_days(&Head::read(tree), &DateContext::default())
}

/// What is known for reading the dates of a page: its language, and the order of day and month.
pub fn date_context(tree: &scraper::Html, guide: &Guide) -> DateContext {
    let (page, head) = (Page::read(tree), Head::read(tree));
    guide.date_context(&head, &page)
}

struct Found {
    taken: Vec<bool>,
    origin: TextOrigin,
}

/// The blocks of the guide's wrapper that the page alone also selects, and its long blocks with few links.
fn by_guide(
    page: &Page<'_>,
    hints: &Hints,
    concepts: &Concepts,
    judged: &Judged,
) -> Result<Vec<bool>, NoArticle> {
    let wrapper = guided::wrapper(page, concepts).ok_or(NoArticle::NotFound)?;
    let mut taken = vec![false; page.blocks.len()];
    taken[page.elements[wrapper].blocks.clone()].fill(true);
    for (at, block) in page.blocks.iter().enumerate() {
        let links = block.link_chars as f32 / block.chars.max(1) as f32;
        taken[at] &= judged.taken[at] || block.words > 60 && links < 0.5;
    }
    comments::drop_comments(page, hints, &mut taken);
    Ok(taken)
}

/// The blocks that the guide selects, if they contain its summary and the blocks of `found` do not. If there
/// are far fewer, they are more likely a teaser for an article that is worded differently.
fn contradicted(
    page: &Page<'_>,
    hints: &Hints,
    guide: &Guide,
    found: &Found,
    judged: &Judged,
) -> Option<Found> {
    let summary = Concepts::of(None, guide.summary.as_deref())?;
    if summary.held(page, &found.taken)? > ABSENT {
        return None;
    }
    let taken = by_guide(page, hints, &summary, judged).ok()?;
    let held = summary.held(page, &taken)?;
    let long = words_of(page, &taken) * 2 >= words_of(page, &found.taken);
    (long && held >= PRESENT).then_some(Found { taken, origin: TextOrigin::Guide })
}

/// The blocks selected by the page, by the site's template if it fits, and by the guide if the page
/// contains several articles.
fn by_all(
    page: &Page<'_>,
    hints: &Hints,
    guide: &Guide,
    concepts: Option<&Concepts>,
    site: Option<(&mut Template, bool)>,
    judged: &Judged,
) -> Found {
    let mut taken = judged.taken.clone();
    let meant = narrow(page, hints, guide, concepts, &mut taken);
    let within = |taken: &mut Vec<bool>| {
        if let Some(range) = &meant {
            taken.iter_mut().enumerate().for_each(|(at, t)| *t &= range.contains(&at));
        }
    };
    if let Some((template, learn)) = site {
        // A page without an article must not change the template.
        let learns = learn && words_of(page, &taken) >= FEW_WORDS;
        if !template.is_for(guide.url.as_ref(), learns) {
            return Found { taken, origin: TextOrigin::Page };
        }
        if learns {
            template.learn(page, &taken);
        }
        if let Some(mut by_template) =
            template.apply(page, &taken, &judged.chances, guide.title.as_deref())
        {
            within(&mut by_template);
            comments::drop_comments(page, hints, &mut by_template);
            copies::drop_copies(
                page,
                &mut by_template,
                hints.signs.with(page.signs).is_discussion(),
            );
            return Found { taken: by_template, origin: TextOrigin::Template };
        }
    }
    Found { taken, origin: TextOrigin::Page }
}

/// The blocks that the page alone selects, given the probabilities of its blocks.
pub(super) fn choose(
    page: &Page<'_>,
    density: &Density,
    hints: &Hints,
    guide: &Guide,
    chances: &[f32],
) -> Vec<bool> {
    let mut taken = page::choose(page, density, chances);
    page::trim_head(page, &mut taken, hints);
    let concepts = Concepts::of(guide.title.as_deref(), guide.summary.as_deref());
    narrow(page, hints, guide, concepts.as_ref(), &mut taken);
    taken
}

/// Removes comments and other articles on the same page. Returns the range of the requested article.
fn narrow(
    page: &Page<'_>,
    hints: &Hints,
    guide: &Guide,
    concepts: Option<&Concepts>,
    taken: &mut [bool],
) -> Option<Range<usize>> {
    comments::drop_comments(page, hints, taken);
    drop_author(page, taken);
    let signs = hints.signs.with(page.signs);
    related::drop_related(page, taken, signs.is_documentation());
    let wanted = Wanted {
        title: guide.title.as_deref(),
        fragment: guide.url.as_ref().and_then(Url::fragment),
        concepts,
        own_titles: &hints.own_titles,
        whole: signs.is_discussion() || signs.is_documentation(),
    };
    let meant = several::meant(page, taken, &wanted);
    if let Some(range) = &meant {
        taken.iter_mut().enumerate().for_each(|(at, t)| *t &= range.contains(&at));
    }
    copies::drop_copies(page, taken, signs.is_discussion());
    page::trim_head(page, taken, hints);
    meant
}

/// Removes boxes about the author after the article.
pub(super) fn drop_author(page: &Page<'_>, taken: &mut [bool]) {
    let all = words_of(page, taken);
    let mut before = 0;
    let mut sums = Vec::with_capacity(taken.len() + 1);
    for (block, taken) in page.blocks.iter().zip(taken.iter()) {
        sums.push(before);
        before += if *taken { block.words } else { 0 };
    }
    sums.push(before);
    for element in page.elements.iter().skip(1).filter(|e| !e.blocks.is_empty()) {
        let (start, end) = (sums[element.blocks.start], sums[element.blocks.end]);
        let own = end - start;
        if (1..=MAX_AUTHOR).contains(&own)
            && start * 10 >= (all - own) * 6
            && start >= FEW_WORDS
            && classes::is_author_box(element.node.attr("class").unwrap_or_default())
        {
            taken[element.blocks.clone()].fill(false);
        }
    }
}

pub(super) fn words_of(page: &Page<'_>, taken: &[bool]) -> usize {
    page.blocks.iter().zip(taken).filter(|(_, t)| **t).map(|(b, _)| b.words).sum()
}

fn nothing(page: &Page<'_>, markup: &str) -> NoArticle {
    match has_script(markup) {
        true => NoArticle::NeedsScript,
        false if page.blocks.is_empty() => NoArticle::Empty,
        false => NoArticle::NotFound,
    }
}

fn has_script(markup: &str) -> bool {
    let start = text::start(markup, limits::PAGE_BYTES);
    memchr::memmem::find(start.as_bytes(), b"<script").is_some()
        || memchr::memmem::find(start.as_bytes(), b"<SCRIPT").is_some()
}

/// The page, its metadata and the selected blocks.
struct Reading<'p, 'a> {
    page: &'p Page<'a>,
    head: &'p Head<'a>,
    guide: &'p Guide,
    found: Found,
}

impl Reading<'_, '_> {
    fn finish(mut self, body: Option<&str>, concepts: Option<&Concepts>) -> Extraction {
        let posts = self.posts();
        posts.signatures.iter().for_each(|at| self.found.taken[*at] = false);
        let (page, taken) = (self.page, &self.found.taken);
        let own =
            self.head.base.and_then(|b| crate::util::url::absolute(self.guide.url.as_ref(), b));
        let base = own.as_ref().or(self.guide.url.as_ref());
        let meta = metadata::metadata(self.head, page, taken, base);
        let dates = self.guide.dates(self.head, page, taken);
        let (document, text, origin) = match body {
            Some(body) => {
                let text = text::block(body);
                (Document::from_text(&text), text, TextOrigin::Data)
            }
            None => (self.document(base, posts), self.text(), self.found.origin),
        };
        let given = self.guide.title.as_deref().map(text::line).filter(|t| !t.is_empty());
        Extraction {
            document,
            text,
            origin,
            has_guide_title: meta.is_titled(given.as_deref()),
            title: given.or(meta.title),
            authors: meta.authors,
            published: dates.published.map(|p| p.time),
            dated: dates.published,
            modified: dates.modified,
            offsets: dates.offsets,
            language: meta.language,
            canonical: meta.canonical,
            image: meta.image,
            summaries: metadata::summaries(self.head),
            tags: tags::tags(self.head),
            comments: comments::texts(page, &comments::zones(page)),
            concepts: concepts.map(Concepts::stems).unwrap_or_default(),
        }
    }

    fn text(&self) -> String {
        let taken = (0..self.page.blocks.len()).filter(|at| self.found.taken[*at]);
        let texts: Vec<&str> = taken.map(|at| self.page.text(at)).collect();
        text::block(&texts.join("\n"))
    }

    fn posts(&mut self) -> Posts {
        let signs = Signs::of(self.head, self.guide.url.as_ref()).with(self.page.signs);
        if !signs.is_discussion() {
            return Posts::default();
        }
        let context = self.guide.date_context(self.head, self.page);
        posts::systems::read_posts(self.page, &mut self.found.taken, &context)
            .unwrap_or_else(|| posts::posts(self.page, &self.found.taken, &context))
    }

    /// Builds the document from the smallest box around all selected blocks and a figure above them, without
    /// the blocks that were not selected.
    fn document(&self, base: Option<&Url>, posts: Posts) -> Document {
        let (page, taken) = (self.page, &self.found.taken);
        let (Some(first), Some(last)) =
            (taken.iter().position(|t| *t), taken.iter().rposition(|t| *t))
        else {
            return Document::default();
        };
        let root = page
            .around(page.blocks[first].element)
            .find(|e| page.elements[*e].blocks.contains(&last));
        let root = figures::with_lead(page, root.unwrap_or(0), first);
        let mut dropped: HashSet<NodeId> = page.dropped.iter().copied().collect();
        let kept = figures::kept(page, root, &figures::sums(taken), first..last + 1);
        let shown = signs_only::with_signs(page, taken);
        let sums = figures::sums(&shown);
        for at in page.elements[root].blocks.clone().filter(|at| !shown[*at]) {
            dropped.extend(page.nodes(at).iter().filter(|node| !kept.captions.contains(node)));
        }
        for (at, element) in page.elements.iter().enumerate().skip(root + 1) {
            let range = &element.blocks;
            let beside = range.is_empty() && !(first..=last + 1).contains(&range.start);
            let emptied = !range.is_empty() && sums[range.end] == sums[range.start];
            if (beside || emptied) && !kept.boxes.contains(&at) {
                dropped.insert(element.node.id());
            }
        }
        dropped.extend(posts.dropped);
        from_html::of_discussion(page.elements[root].node, base, &dropped, &posts.lines)
    }
}

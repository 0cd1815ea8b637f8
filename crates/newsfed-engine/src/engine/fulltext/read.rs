//! Extracts the data to store from a fetched page. Uses no network and no database.

use super::llm;
use crate::article::{
    self, Document, Extraction, Guide, LinkChanges, LostLayout, Mode, NoArticle, PageTime,
    Template, TextOrigin, contains_feed_text, from_html, has_full_text, is_small_change,
    may_be_summary, same_references, same_text,
};
use crate::model::{
    Item, LeftOutReason, SourceRules, TextFrom, TextWay, Time, Validators, WebsiteRules,
};
use crate::net::Response;
use crate::store::{LearnedSite, PageRead, PageText, Version};
use crate::util::{html, limits};
use crate::website::{Page, Selectors, declares_article, main_part, obstacle, selected_part};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use url::Url;

/// Minimum number of words in the feed for suspecting that a page hides its article.
const MUCH: usize = 150;
/// Minimum ratio of words in the feed to words on the page for the same suspicion.
const MORE: f64 = 1.5;
/// The start of 1990, in seconds since the epoch.
const FIRST_PAGE: i64 = 631_152_000;

/// A fetched page.
#[derive(Debug, Clone)]
pub(super) struct SavedPage {
    pub(super) body: Bytes,
    pub(super) content_type: Option<String>,
    pub(super) url: Url,
    pub(super) bytes: u64,
    pub(super) validators: Validators,
}

impl From<Response> for SavedPage {
    fn from(response: Response) -> Self {
        Self {
            content_type: response.content_type().map(str::to_owned),
            body: response.body,
            url: response.final_url,
            bytes: response.wire_bytes,
            validators: response.validators,
        }
    }
}

/// The part of a page selected by its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// The article of the page.
    Article,
    /// The elements that match a selector of the source: all of them, or only the first.
    Selected { selector: String, all: bool },
    /// The page is watched: its article, or its content if it is not an article.
    Page,
}

impl Part {
    pub(super) fn of(rules: &SourceRules) -> Self {
        match (rules, rules.pages().map(|rules| rules.content.as_str())) {
            (SourceRules::Feed | SourceRules::Entries(_), _) | (_, None) => Self::Article,
            (SourceRules::Page(_), Some(WebsiteRules::CONTENT)) => Self::Page,
            (_, Some(WebsiteRules::CONTENT)) => Self::Article,
            (_, Some(selector)) => Self::Selected {
                selector: selector.to_owned(),
                all: matches!(rules, SourceRules::Page(_)),
            },
        }
    }
}

impl Part {
    /// A hash of the part's text. The last two bytes identify the part.
    fn name_in(&self, text: i64) -> i64 {
        let name = match self {
            Self::Article => return text,
            Self::Page => 0,
            Self::Selected { selector, .. } => hash(selector) & NAME,
        };
        (text & !NAME) | name
    }
}

/// The bits of a hash that identify the part.
const NAME: i64 = 0xffff;

/// The context for reading a page.
pub(super) struct ReadContext {
    pub(super) item: Item,
    pub(super) site: LearnedSite,
    /// The stored text.
    pub(super) before: Option<Version>,
    /// The text extracted at the same time from the page alone, without the template of its site, if it was
    /// different from `before`.
    pub(super) alone_before: Option<String>,
    /// How the stored text was extracted, and the hash of the text from the page alone at that time.
    pub(super) way_before: Option<TextWay>,
    pub(super) hash_before: Option<i64>,
    /// The part that the source selects as the text. It is the article if the text is extracted in a way that
    /// ignores the source's selection.
    pub(super) part: Part,
    /// Whether the item was created from its page, not from a feed.
    pub(super) from_page: bool,
    /// Whether the page is watched for changes.
    pub(super) watched: bool,
    /// Whether a change marks the item unread and makes it the newest again.
    pub(super) renews: bool,
    /// Whether a language model is asked about pages without a date.
    pub(super) model: bool,
    /// How to extract the text now.
    pub(super) way: TextWay,
    /// Whether the user has chosen this way.
    pub(super) chosen: bool,
    /// Whether the page is on a different site than the feed.
    pub(super) elsewhere: bool,
    pub(super) now: Time,
}

impl ReadContext {
    /// Whether the text of the page alone (safe HTML) has changed in more than small details such as
    /// counters.
    fn is_page_changed(&self, alone: &str) -> bool {
        let before = self.alone_before.as_ref().or(self.before.as_ref().map(|before| &before.html));
        let text = |html: &str| from_html(html, None).text();
        before.is_some_and(|before| {
            let (old, new) = (text(before), text(alone));
            !same_text(&old, &new) && !is_small_change(&old, &new)
        })
    }
}

/// Why a page gives no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoText {
    #[error(transparent)]
    NoArticle(#[from] NoArticle),
    #[error("the page is {0}")]
    Obstacle(&'static str),
    #[error("website.content matches nothing on the page")]
    NotSelected,
    #[error("the page has no more text than the feed")]
    Less,
    #[error("the page could not be read (this is a bug)")]
    Panicked,
}

/// Whether a text extracted in this way is the part that its source selects.
fn is_declared(way: TextWay) -> bool {
    matches!(way, TextWay::Best | TextWay::Feed)
}

/// Whether a body with this media type may be a page.
pub(super) fn is_page(content_type: Option<&str>) -> bool {
    let Some(named) = content_type else { return true };
    let named = named.to_ascii_lowercase();
    let name = named.split(';').next().unwrap_or_default().trim();
    name.is_empty() || name.ends_with("html") || name.ends_with("xml") || name == "text/plain"
}

/// Extracts the text of a page. Needs a large stack for deep trees.
pub(super) fn read(
    mut page: SavedPage,
    mut known: ReadContext,
) -> Result<(PageRead, Undated), NoText> {
    // The other ways use the article, regardless of the source's selection.
    if !is_declared(known.way) {
        known.part = Part::Article;
    }
    let body = std::mem::take(&mut page.body);
    let start = &body[..body.len().min(limits::PAGE_BYTES)];
    let markup = html::decode(start, page.content_type.as_deref());
    drop(body);
    let guide = guide(&known, &page.url);
    if known.from_page {
        check_obstacle(&markup, &page.url, &known.item)?;
    }
    if known.part != Part::Article {
        return declared_part(page, &markup, &guide, known);
    }
    let stored = known.site.template.as_deref();
    let mut template: Template =
        stored.and_then(|t| serde_json::from_str(t).ok()).unwrap_or_default();
    // Learning from the same page again would count it twice.
    let learn = known.hash_before.is_none();
    let alone = article::extract(&markup, &guide, Mode::Page, None)?;
    let page_hash = hash(&alone.text);
    let best = article::extract(&markup, &guide, Mode::Auto, Some((&mut template, learn)))?;
    let feed = match known.from_page {
        false => html::to_text(known.item.feed_body()),
        true => String::new(),
    };
    let whole = has_full_text(&feed, &best.text).filter(|_| !known.from_page);
    // The page is better than a feed that has lost the layout of its code.
    let is_better = has_lost_layout(&known.item) && LostLayout::is_kept_in(&best.document);
    let mut read = PageRead {
        text: PageText::InFeed,
        page_hash,
        bytes: page.bytes,
        validators: page.validators,
        validators_of: page.url.to_string(),
        site: LearnedSite {
            template: serde_json::to_string(&template).ok(),
            whole: whole.or(known.site.whole),
        },
        published: alone.published.and_then(|t| possible(t, known.now)),
        dated: alone.dated.map(|d| d.origin()),
        updated: alone.modified.and_then(|t| possible(t, known.now)),
        authors: alone.authors.clone(),
        tags: best.tags.clone(),
        alone: Some(html::clean(&alone.document.html(), None)),
        keeps_feed: false,
        watched: known.watched,
        renews: known.renews,
        dataset: None,
    };
    let found = match known.way {
        TextWay::Page => alone,
        TextWay::Guided => {
            let found = article::extract(&markup, &guide, Mode::Guided, None)?;
            // The element that contains the feed's words may be only the introduction.
            if words(&found.text) <= words(&feed) {
                return Err(NoText::Less);
            }
            found
        }
        TextWay::Best | TextWay::Feed if whole == Some(true) && !is_better => {
            let undated = undated(&known, &read, &markup);
            return Ok((read, undated));
        }
        TextWay::Best | TextWay::Feed => {
            let (given, got) = (words(&feed), words(&best.text));
            if given > MUCH && given as f64 > got as f64 * MORE {
                return Err(NoText::Less);
            }
            read.keeps_feed = keeps_feed(&known, &feed, &best);
            best
        }
    };
    let html = html::clean(&found.document.html(), None);
    let alone = read.alone.take().unwrap_or_default();
    read.text = page_text(&known, html.clone(), &alone, from(&found), page_hash);
    read.alone = Some(alone).filter(|alone| *alone != html);
    let undated = undated(&known, &read, &markup);
    Ok((read, undated))
}

/// Whether some code in the feed's text of an item has lost its layout.
pub(super) fn has_lost_layout(item: &Item) -> bool {
    let body = item.feed_body();
    body.contains("<pre") && LostLayout::of(&from_html(body, None)).is_some()
}

/// Whether to keep the text of the feed although the page has a text too: the page is read for the first time
/// and is not known to be the page of the item, and the user has not chosen the text of the page.
fn keeps_feed(known: &ReadContext, feed: &str, best: &Extraction) -> bool {
    let first = known.hash_before.is_none() && !known.from_page && !known.chosen;
    first && !is_page_of_item(known, feed, best)
}

/// Whether a page contains the text of the feed, or is on the feed's site and has the title of an item
/// with a summary.
fn is_page_of_item(known: &ReadContext, feed: &str, best: &Extraction) -> bool {
    let page = best.summaries.iter().chain([&best.text]).map(String::as_str);
    let is_titled = best.has_guide_title && !known.elsewhere;
    contains_feed_text(page, feed, known.elsewhere) || is_titled && may_be_summary(feed, &best.text)
}

/// The text of a page, compared with the stored text. The changes are determined from the texts of the page
/// alone, because the template of its site may have improved in between.
fn page_text(
    known: &ReadContext,
    html: String,
    alone: &str,
    from: TextFrom,
    page_hash: i64,
) -> PageText {
    let changed = match compare(known, &html, alone, page_hash) {
        Compared::Same => return PageText::Same,
        compared => compared == Compared::Changed,
    };
    let mut revisions = Vec::new();
    if let Some(before) = known.before.as_ref().filter(|_| changed) {
        let before = known.alone_before.as_ref().unwrap_or(&before.html);
        let (old, new) = (from_html(before, None), from_html(alone, None));
        let language = known.item.language.as_deref();
        revisions = article::revisions(&old.text(), &new.text(), language);
        revisions.extend(LinkChanges::between(&old, &new).revision());
    }
    PageText::New { html, from, changed, revisions }
}

/// A page that the site shows instead of the article, such as a login, gives no text.
fn check_obstacle(markup: &str, url: &Url, item: &Item) -> Result<(), NoText> {
    let page = Page::parse(markup, url).map_err(|_| NoArticle::TooDeep)?;
    let asked = item.url.as_deref().and_then(|u| Url::parse(u).ok());
    match obstacle(&page, asked.as_ref().unwrap_or(url)) {
        Some(LeftOutReason::NeedsJavascript) | None => Ok(()),
        Some(reason) => Err(NoText::Obstacle(reason.describe())),
    }
}

/// The text of an item whose source selects a part of the page, or watches the page.
fn declared_part(
    fetched: SavedPage,
    markup: &str,
    guide: &Guide,
    known: ReadContext,
) -> Result<(PageRead, Undated), NoText> {
    let page = Page::parse(markup, &fetched.url).map_err(|_| NoArticle::TooDeep)?;
    let article = article::extract(markup, guide, Mode::Page, None).ok();
    let (html, from) = match &known.part {
        Part::Selected { selector, all } => {
            let part = match all {
                true => selected_part(&page, selector),
                false => first_part(&page, selector),
            };
            (part.ok_or(NoText::NotSelected)?, TextFrom::Selected)
        }
        Part::Article | Part::Page => {
            // Ignore a text that was extracted in a different way for the user.
            let before = known.before.as_ref().filter(|_| known.way_before.is_none_or(is_declared));
            watched_part(&page, article.as_ref(), before, &known.item.title)
        }
    };
    let page_hash = known.part.name_in(hash(&html::to_text(&html)));
    let dates = article.as_ref().map(|a| (a.published, a.modified)).unwrap_or_default();
    let dated = article.as_ref().and_then(|a| a.dated).map(|d| d.origin());
    let read = PageRead {
        text: page_text(&known, html.clone(), &html, from, page_hash),
        page_hash,
        bytes: fetched.bytes,
        validators: fetched.validators,
        validators_of: fetched.url.to_string(),
        site: known.site.clone(),
        published: dates.0.and_then(|t| possible(t, known.now)),
        dated,
        updated: dates.1.and_then(|t| possible(t, known.now)),
        authors: article.as_ref().map(|a| a.authors.clone()).unwrap_or_default(),
        tags: article.as_ref().map(|a| a.tags.clone()).unwrap_or_default(),
        alone: None,
        keeps_feed: false,
        watched: known.watched,
        renews: known.renews,
        dataset: None,
    };
    let undated = undated(&known, &read, markup);
    Ok((read, undated))
}

/// The first match of a selector as safe HTML.
fn first_part(page: &Page, selector: &str) -> Option<String> {
    let found = Selectors::parse(selector).ok()?.first(page.tree())?;
    Some(html::clean(&found.inner_html(), Some(page.base())))
}

/// The watched text of a page: the article if the page declares itself one, otherwise all content. The choice
/// is kept, because changing it would be reported as a change to the page.
fn watched_part(
    page: &Page,
    article: Option<&Extraction>,
    before: Option<&Version>,
    title: &str,
) -> (String, TextFrom) {
    let is_article = match before.map(|before| before.from) {
        Some(from) => from != TextFrom::Selected,
        None => declares_article(page),
    };
    match article.filter(|_| is_article) {
        Some(article) => (html::clean(&article.document.html(), None), from(article)),
        None => (main_part(page, title), TextFrom::Selected),
    }
}

/// The text for the language model if neither the item nor its page has a date.
pub(super) type Undated = Option<String>;

fn undated(known: &ReadContext, read: &PageRead, markup: &str) -> Undated {
    let item = &known.item;
    let dated = item.published.or(item.updated).or(read.published).or(read.updated).is_some();
    if dated || !known.model {
        return None;
    }
    let url = Url::parse(&read.validators_of).ok()?;
    Some(llm::visible_text(&Page::parse(markup, &url).ok()?, &item.title))
}

/// A plausible date of an article: not in the future, and not before the Web existed.
fn possible(at: PageTime, now: Time) -> Option<Time> {
    let at = at.to_utc();
    (at <= now && at.timestamp() >= FIRST_PAGE).then_some(at)
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The text of the feed for the item, and the URL of the page.
fn guide(known: &ReadContext, url: &Url) -> Guide {
    let (item, mut url) = (&known.item, url.clone());
    let given = item.url.as_deref().and_then(|u| Url::parse(u).ok());
    // Several articles on one page differ in the fragment, which is not sent to servers.
    url.set_fragment(given.as_ref().and_then(Url::fragment));
    // A summary taken from the page adds no information.
    let summary = match known.from_page {
        false => html::to_text(item.summary.as_deref().unwrap_or_else(|| item.feed_body())),
        true => String::new(),
    };
    Guide {
        title: Some(item.title.clone()).filter(|t| !t.is_empty()),
        summary: Some(summary).filter(|s| !s.is_empty()),
        url: Some(url),
        // The dates of a site were already read with the site's own selectors.
        fetched_at: Some(known.now).filter(|_| !known.from_page),
    }
}

fn from(found: &Extraction) -> TextFrom {
    match found.origin {
        TextOrigin::Guide => TextFrom::Guided,
        TextOrigin::Page => TextFrom::Page,
        TextOrigin::Template => TextFrom::Site,
        TextOrigin::Data => TextFrom::Data,
    }
}

/// The comparison of a text with the stored one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    Same,
    /// No text was stored, or this is only a better extraction of the same article.
    Better,
    /// The publisher changed the article.
    Changed,
}

/// Compares a text with the stored one. If only the text differs, and not the text of the page alone, only
/// the extraction is better: the template has improved, or a different way was used.
fn compare(known: &ReadContext, html: &str, alone: &str, page_hash: i64) -> Compared {
    let Some(before) = &known.before else { return Compared::Better };
    // The texts of the feed and the page differ even without a change.
    if before.from == TextFrom::Feed {
        return Compared::Better;
    }
    let (old, new): (Document, Document) = (from_html(&before.html, None), from_html(html, None));
    let same_way = known.way_before == Some(known.way);
    // Selecting a different part of the page is not a change to it.
    let same_part = match (&known.part, known.hash_before) {
        (_, None) => true,
        (Part::Article, _) => before.from != TextFrom::Selected,
        (part, Some(hash)) => part.name_in(hash) == hash,
    };
    // The user selected the part, so every change to it counts.
    let selected = matches!(known.part, Part::Selected { .. });
    match (same_text(&old.text(), &new.text()), same_references(&old, &new)) {
        // The hashes of embedded pictures are not part of the text.
        (true, true) if old.embedded != new.embedded => Compared::Better,
        (true, true) => Compared::Same,
        (true, false) if same_way => Compared::Changed,
        (false, _) if !selected && is_small_change(&old.text(), &new.text()) => Compared::Same,
        (false, _) if !same_part => Compared::Better,
        // A text found in a different way always differs. Only the text of the page alone shows whether the
        // page has changed.
        (false, _) if !same_way && !known.is_page_changed(alone) => Compared::Better,
        (false, _) if known.hash_before.is_some_and(|h| h != page_hash) => Compared::Changed,
        _ => Compared::Better,
    }
}

/// Hash of a text, ignoring whitespace.
fn hash(text: &str) -> i64 {
    let mut hash = Sha256::new();
    for word in text.split_whitespace() {
        hash.update(word.as_bytes());
        hash.update([0]);
    }
    let bytes = hash.finalize();
    i64::from_be_bytes(std::array::from_fn(|n| bytes[n]))
}

//! Surveys a page without a feed: lists of articles, entries, an article, or a sitemap.

use super::guesses::{Guess, guesses};
use super::list_pages::list_pages;
use crate::feed::ParsedFeed;
use crate::model::Time;
use crate::sitemap::{self, Sitemap};
use crate::util::html::tree::text_of;
use crate::util::url::normalise;
use crate::util::{html, limits};
use crate::website::propose::{Proposal, propose};
use crate::website::{Page, declares_article, entries, signal::metadata};
use scraper::ElementRef;
use std::collections::HashSet;
use url::Url;

/// Minimum confidence of a list of articles that is offered.
const MIN_CONFIDENCE: f64 = 0.35;
/// Entries and a list of articles are treated as the same if at least this share of the entries leads to
/// articles of the list.
const SAME: f64 = 0.5;
/// Maximum number of lists that are offered.
const MAX_LISTS: usize = 3;
/// Minimum number of characters in the paragraphs of an article.
const ARTICLE_TEXT: usize = 800;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Survey {
    /// The title of the page.
    pub title: Option<String>,
    /// Lists of articles, best first.
    pub lists: Vec<Proposal>,
    /// Entries on the page itself.
    pub entries: Option<EntriesOffer>,
    /// Title of the article if the page is one, and its date if known.
    pub article: Option<(String, Option<Time>)>,
    /// Whether the page declares itself an article.
    pub is_article: bool,
    /// Number of entries, if the document is a sitemap.
    pub sitemap: Option<usize>,
    /// Whether the text is only visible with JavaScript.
    pub needs_javascript: bool,
    /// Pages of the site that may list all its posts, found by link texts.
    pub list_pages: Vec<Url>,
    /// URLs that may be feeds although the page does not announce them.
    pub guesses: Vec<Guess>,
    /// Normalised URLs of the page and its links.
    pub links: HashSet<String>,
}

/// The entries on a page, and their rank among the ways to follow it.
#[derive(Debug, Clone, PartialEq)]
pub struct EntriesOffer {
    pub proposal: entries::EntriesProposal,
    pub rank: EntriesRank,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntriesRank {
    /// Better than the lists of articles.
    First,
    /// After the lists of articles.
    Later,
    /// Offered only on request: the confidence is low, or a list finds the same articles with more text.
    OnRequest,
}

impl Survey {
    /// The entries, unless they are offered only on request.
    pub fn offered_entries(&self) -> Option<&EntriesOffer> {
        self.entries.as_ref().filter(|e| e.rank != EntriesRank::OnRequest)
    }

    /// Whether the page and a feed that it does not announce have articles in common; `None` if the feed
    /// contains no article URLs.
    pub fn shares(&self, feed: &ParsedFeed) -> Option<bool> {
        let urls = feed.entries.iter().filter_map(|e| Url::parse(e.url.as_deref()?).ok());
        let urls: Vec<String> = urls.map(|url| normalise(&url)).collect();
        (!urls.is_empty()).then(|| urls.iter().any(|url| self.links.contains(url)))
    }
}

/// Examines a document. Unreadable documents offer nothing.
pub fn survey(bytes: &[u8], content_type: Option<&str>, url: &Url) -> Survey {
    if let Ok(found) = sitemap::parse(bytes, url) {
        let count = match found {
            Sitemap::Index(children) => children.len(),
            Sitemap::Pages(pages) => pages.len(),
        };
        return Survey { sitemap: Some(count), ..Survey::default() };
    }
    let Ok(page) = Page::read(bytes, content_type, url) else { return Survey::default() };
    let all = propose(&page);
    let mut lists = likely_lists(all.clone());
    let mut entries = entries_of(&page, &lists);
    if let Some(offer) = entries.as_mut().filter(|offer| offer.rank == EntriesRank::First)
        && let Some(list) = offer.proposal.linked(&page, all)
    {
        // The entries are excerpts of the texts on their pages.
        offer.rank = EntriesRank::OnRequest;
        lists.retain(|other| other.articles != list.articles);
        lists.insert(0, list);
        lists.truncate(MAX_LISTS);
    }
    let has_entries = entries.as_ref().is_some_and(|e| e.rank != EntriesRank::OnRequest);
    Survey {
        title: page.title(),
        links: links(&page),
        list_pages: list_pages(&page),
        entries,
        article: article(&page).filter(|_| lists.is_empty() && !has_entries),
        is_article: declares_article(&page),
        lists,
        sitemap: None,
        needs_javascript: page.needs_javascript(),
        guesses: guesses(url, &html::decode(bytes, content_type)),
    }
}

fn links(page: &Page) -> HashSet<String> {
    let hrefs = page.tree().root_element().descendent_elements();
    let hrefs = hrefs.filter(|e| e.value().name() == "a").filter_map(|e| e.attr("href"));
    let urls = hrefs.take(limits::LIST_LINKS).filter_map(|href| page.resolve(href));
    urls.chain([page.url().clone()]).map(|url| normalise(&url)).collect()
}

/// The best entries on a page. If its blocks are excerpts of articles on the site, the page is a list of
/// articles instead.
fn entries_of(page: &Page, lists: &[Proposal]) -> Option<EntriesOffer> {
    let proposal = entries::propose(page).into_iter().next()?;
    let good = proposal.confidence >= MIN_CONFIDENCE;
    let rank = match lists.first() {
        _ if !good => EntriesRank::OnRequest,
        None => EntriesRank::First,
        Some(list) => {
            let urls: HashSet<String> = list.items.iter().map(|i| normalise(&i.url)).collect();
            match proposal.share_of(&urls) >= SAME {
                true if proposal.teasers => EntriesRank::OnRequest,
                true => EntriesRank::Later,
                false if proposal.confidence > list.confidence => EntriesRank::First,
                false => EntriesRank::Later,
            }
        }
    };
    Some(EntriesOffer { proposal, rank })
}

/// The proposed lists of a page that are likely to be articles, best first. Their confidences never increase.
fn likely_lists(mut lists: Vec<Proposal>) -> Vec<Proposal> {
    lists.retain(|list| list.confidence >= MIN_CONFIDENCE);
    lists.truncate(MAX_LISTS);
    let mut least = 1.0_f64;
    for list in &mut lists {
        least = least.min(list.confidence);
        list.confidence = least;
    }
    lists
}

/// Title and date of a page that is an article: it has a main heading and enough text in paragraphs.
fn article(page: &Page) -> Option<(String, Option<Time>)> {
    let elements = || page.tree().root_element().descendent_elements();
    let named = |name: &'static str| elements().filter(move |e| e.value().name() == name);
    let text: usize = named("p").map(|p: ElementRef<'_>| text_of(p).chars().count()).sum();
    let heading = named("h1").next().map(|h| crate::util::text::line(&text_of(h)))?;
    let enough = text >= ARTICLE_TEXT && !heading.is_empty();
    enough.then(|| (heading, metadata(page).published))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_excerpts_as_a_list_of_articles() {
        let at = Url::parse("https://example.org/").unwrap();
        let card = |day: u32, text: &str, link: &str| {
            format!(
                "<div class=card><div class=heading>Release 1.{day} of the engine</div>
                 <div class=body><p>August {day}, 2024 - Ada Lovelace.</p><p>{text}</p>{link}</div></div>"
            )
        };
        let survey_of = |text: &str, link: &dyn Fn(u32) -> String| {
            let cards: String = (2..5).map(|day| card(day, text, &link(day))).collect();
            survey(format!("<h1>Engine</h1>{cards}").as_bytes(), None, &at)
        };
        let teaser = "The community is excited to announce this release, which improves the use and \
            the stability of what was there before, including the transformation of …";
        for words in ["Continue reading", "Read more", "Weiterlesen", "Lire la suite"] {
            let found = survey_of(teaser, &|day| format!("<a href=/2024/08/0{day}/x/>{words}</a>"));
            let list = found.lists.first().unwrap_or_else(|| panic!("{words}"));
            let items: Vec<_> = list
                .items
                .iter()
                .map(|i| (i.url.path(), i.title.as_str(), i.date.is_some()))
                .collect();
            let expected = [2, 3, 4].map(|day| {
                (format!("/2024/08/0{day}/x/"), format!("Release 1.{day} of the engine"))
            });
            let expected: Vec<_> = expected
                .iter()
                .map(|(path, title)| (path.as_str(), title.as_str(), true))
                .collect();
            assert_eq!(items, expected, "{words}");
            assert_eq!(found.offered_entries(), None, "{words}");
        }
        // Entries that have no pages of their own, or are complete, are offered as entries.
        let alone = survey_of(teaser, &|_| String::new());
        assert!(alone.lists.is_empty() && alone.offered_entries().is_some());
        let full = survey_of(&teaser.repeat(8), &|day| format!("<a href=/{day}>Permalink</a>"));
        assert!(full.offered_entries().is_some());
    }

    /// The items of the best list, or else the entries: title, path, and whether there is a date.
    fn cards(cards: &[String]) -> Vec<(String, Option<String>, bool)> {
        let at = Url::parse("https://example.org/").unwrap();
        let page = format!(
            "<title>Club</title><main><h1>The club</h1><section><h2>Recent</h2><div class=grid>{}</div></section></main>",
            cards.concat()
        );
        let found = survey(page.as_bytes(), None, &at);
        if let Some(list) = found.lists.first() {
            let items = list.items.iter();
            return items
                .map(|i| (i.title.clone(), Some(i.url.path().to_owned()), i.date.is_some()))
                .collect();
        }
        let entries = found.offered_entries().map(|offer| offer.proposal.entries.as_slice());
        let entries = entries.unwrap_or_default().iter().map(|each| &each.entry);
        entries.map(|e| (e.title.clone(), e.url.clone(), e.published.is_some())).collect()
    }

    #[test]
    fn finds_titles_and_links_of_cards() {
        let titles = [
            ["The salt works", "About", "Ferries in the fog & the tide", "Lamps"],
            ["塩田の話", "港について", "霧の中の渡し船", "灯台"],
            ["ملاحات الميناء", "عن النادي", "العبارات في الضباب", "المنارة"],
        ];
        let long = "Some words on it that go on for a while, and that are longer than any title would be. ".repeat(5);
        let inside = "<div class='border rounded'><div class='px-6 py-4'><div class='text-xl font-bold'>TITLE</div>\
            <div class='text-sm'><time datetime='2022-12-2N 00:00:00 +0000 UTC'>2N December 2022</time><span>·</span><span>696 words</span></div>\
            <div class=prose>TEASER</div></div></div>";
        let lines = "<div><p>2022-12-2N</p><p>TITLE</p><p>TEASER</p></div>";
        let shapes = [
            format!("<div class=w-full><a class=min-w-full href=PATH>{inside}</a></div>"),
            format!("<article><a href=PATH>{lines}</a></article>"),
            format!("<ul><li class=card><a href=PATH>{inside}</a></li></ul>"),
            format!("<div class=card dir=rtl><a href=PATH>{lines}</a></div>"),
            format!("<div class=card>{inside}<a class=stretched-link href=PATH></a></div>"),
            "<div class=card><a href=PATH><img src=a.jpg alt=''></a><h3><a href=PATH>TITLE</a></h3><p>2022-12-2N</p><p>TEASER</p></div>".to_owned(),
            format!("<div class=card onclick=\"location='PATH'\">{inside}</div>"),
            format!("<article data-href=PATH>{lines}</article>"),
        ];
        for shape in shapes {
            for titles in titles {
                let fill = |(n, title): (usize, &&str)| {
                    let path =
                        format!("/posts/{}/", [&"salt-works", &"about", &"x-7", &"lamps"][n]);
                    let teaser = if n == 2 { long.as_str() } else { "Some words on it." };
                    shape
                        .replace("PATH", &path)
                        .replace("TITLE", &title.replace('&', "&amp;"))
                        .replace("2N", &format!("2{}", 4 - n))
                        .replace("TEASER", teaser)
                };
                let found = cards(&titles.iter().enumerate().map(fill).collect::<Vec<_>>());
                let linked = shape.contains(" href=");
                let want: Vec<_> = titles
                    .iter()
                    .enumerate()
                    .map(|(n, title)| {
                        let path =
                            ["/posts/salt-works/", "/posts/about/", "/posts/x-7/", "/posts/lamps/"]
                                [n];
                        ((*title).to_owned(), linked.then(|| path.to_owned()), true)
                    })
                    .collect();
                assert_eq!(found, want, "{shape}");
            }
        }
    }

    #[test]
    fn surveys_lists_articles_and_scripted_pages() {
        let at = Url::parse("https://example.org/news").unwrap();
        let poll = |markup: &str| survey(markup.as_bytes(), None, &at);
        let rows: String = (1..9)
            .map(|n| {
                format!("<li><a href=/news/story-{n}>The story of the number {n} bus</a></li>")
            })
            .collect();
        let list = poll(&format!("<title>News</title><ul class=news>{rows}</ul>"));
        assert_eq!((list.lists[0].items.len(), list.article), (8, None));
        assert_eq!(list.title.as_deref(), Some("News"));
        let prose = "It was a long day in the harbour. ".repeat(40);
        let article = poll(&format!("<h1>A day</h1><p>{prose}</p>"));
        assert_eq!(article.article.map(|(title, _)| title).as_deref(), Some("A day"));
        assert_eq!(poll("<urlset><url><loc>/a</loc></url></urlset>").sitemap, Some(1));
        assert!(poll("<div id=root></div><script src=a.js></script>").needs_javascript);
        assert_eq!(poll(""), Survey::default());
    }
}

//! Previews what selectors find on pages that have been fetched, with counts and marks, while the user edits
//! the selectors.

use super::article::{Article, glance};
use super::date;
use super::entries;
use super::list::{ListLink, list_page_with_summaries};
use super::outline::{Elements, Outline, outline};
use super::page::Page;
use super::propose::{Proposal, Sample, article_rules, propose};
use super::selector::Selectors;
use crate::model::WebsiteRules;
use crate::util::date::Zone;
use crate::util::html::tree::text_up_to;
use crate::util::text;
use crate::util::url::normalise;
use std::collections::HashSet;
use url::Url;

/// Maximum number of links on one page that are examined.
const MAX_LINKS: usize = 5000;
/// Maximum number of elements on one page that are marked for one selector.
const MAX_MARKS: usize = 5000;
/// Maximum number of bytes of a text that may be a date.
const MAX_DATE: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SelectorField {
    Articles,
    /// The link to the next page of the list.
    Next,
    Title,
    /// The authors of an article.
    Author,
    /// The date of an article.
    Date,
    Content,
}

impl SelectorField {
    /// The selectors of a list page.
    pub const LIST: [Self; 2] = [Self::Articles, Self::Next];
    /// The selectors of an article.
    pub const ARTICLE: [Self; 4] = [Self::Title, Self::Author, Self::Date, Self::Content];
    /// The selectors of entries, for entries that are all on one page.
    pub const ENTRIES: [Self; 5] =
        [Self::Articles, Self::Title, Self::Author, Self::Date, Self::Content];

    /// The settings key below `website`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Articles => "articles",
            Self::Next => "next",
            Self::Title => "title",
            Self::Author => "author",
            Self::Date => "date",
            Self::Content => "content",
        }
    }

    fn of(self, rules: &WebsiteRules) -> Option<&str> {
        let text = match self {
            Self::Articles => rules.articles.as_deref(),
            Self::Next => rules.next.as_deref(),
            Self::Title => Some(rules.title.as_str()),
            Self::Author => rules.author.as_deref(),
            Self::Date => rules.date.as_deref(),
            Self::Content => Some(rules.content.as_str()),
        };
        text.filter(|text| !text.trim().is_empty())
    }
}

/// The matches of a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matches {
    /// Number of matching elements.
    pub count: usize,
    /// The numbers of the elements that are used, in order. For fields with one value, these are the matches
    /// of the first selector of a list that matches anything.
    pub marks: Vec<u32>,
}

/// The results of selectors on a list page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListPreview {
    /// The matches of each selector; `None` if there is no selector or it is not valid yet.
    pub found: Vec<(SelectorField, Option<Matches>)>,
    pub links: Vec<ListLink>,
    pub next: Option<Url>,
    /// Number of known articles that the page links to.
    pub known: usize,
    /// Number of known articles on the page that the selectors do not find.
    pub lost: usize,
}

/// The results of selectors on the page of an article.
#[derive(Debug, Clone, PartialEq)]
pub struct ArticlePreview {
    /// The matches of each selector; see [`ListPreview`].
    pub found: Vec<(SelectorField, Option<Matches>)>,
    /// The article without its content.
    pub article: Article,
    /// The text that the date selector finds, if it cannot be read as a date.
    pub date_text: Option<String>,
}

/// A page with values that are computed only once.
pub struct PreviewPage {
    page: Page,
    elements: Elements,
    /// Keys of the URLs that the page links to.
    links: HashSet<String>,
}

impl PreviewPage {
    /// Prepares a page and builds its outline.
    pub fn new(page: Page) -> (Self, Outline) {
        let (outline, elements) = outline(&page);
        let all = page.tree().root_element().descendent_elements();
        let links = all.filter(|e| e.value().name() == "a").filter_map(|e| e.attr("href"));
        let links = links.take(MAX_LINKS).filter_map(|href| page.resolve(href));
        let links = links.map(|url| normalise(&url)).collect();
        (Self { links, elements, page }, outline)
    }

    pub fn page(&self) -> &Page {
        &self.page
    }

    /// A selector for the element with this number, if one was found. For parts of entries, it matches in
    /// each entry.
    pub fn pick(&self, element: u32, part: SelectorField, in_entries: bool) -> Option<String> {
        let element = self.elements.get(&self.page, element)?;
        let what = match part {
            SelectorField::Articles => super::Pick::Alike,
            SelectorField::Next => super::Pick::One,
            _ if in_entries => super::Pick::Alike,
            _ => super::Pick::One,
        };
        super::pick(&self.page, element, what)
    }

    /// Lists of articles on the page. If any of them contain known articles, the best match with the known
    /// articles comes first (F-measure).
    pub fn proposals(&self, known: &HashSet<String>) -> Vec<Proposal> {
        let mut proposals = propose(&self.page);
        let here = known.iter().filter(|key| self.links.contains(*key)).count();
        let agrees = |p: &Proposal| {
            let both = p.items.iter().filter(|i| known.contains(&normalise(&i.url))).count();
            // In thousandths; equal values keep the order of the proposals.
            2000 * both / (p.items.len() + here).max(1)
        };
        proposals.sort_by_cached_key(|p| std::cmp::Reverse(agrees(p)));
        proposals
    }

    /// Adds selectors for the parts of this article, whose title in the list is known.
    pub fn article_rules(self, title: &str, rules: WebsiteRules) -> (Self, WebsiteRules) {
        let samples = [Sample { page: self.page, title: title.to_owned() }];
        let rules = article_rules(&samples, rules, None);
        let [Sample { page, .. }] = samples;
        (Self { page, ..self }, rules)
    }

    /// The results of the selectors if the page is a list; `known` are the keys of known articles.
    pub fn list(&self, rules: &WebsiteRules, known: &HashSet<String>) -> ListPreview {
        let selectors =
            |part: SelectorField| part.of(rules).and_then(|text| Selectors::parse(text).ok());
        let (articles, next) = (selectors(SelectorField::Articles), selectors(SelectorField::Next));
        let mut listed = ListPreview::default();
        let all = articles.as_ref().map(|s| self.found(s.all(self.page.tree())));
        let first = next.as_ref().map(|s| self.found(s.first_matching(self.page.tree())));
        listed.found = vec![(SelectorField::Articles, all), (SelectorField::Next, first)];
        let page = match &articles {
            Some(articles) => list_page_with_summaries(&self.page, articles, next.as_ref()),
            None => super::ListPage::default(),
        };
        listed.next = page.next;
        let found: HashSet<String> = page.links.iter().map(|l| normalise(&l.url)).collect();
        let here = known.iter().filter(|key| self.links.contains(*key));
        for key in here {
            listed.known += 1;
            listed.lost += usize::from(!found.contains(key));
        }
        listed.links = page.links;
        listed
    }

    /// Proposed blocks of entries on the page.
    pub fn entry_proposals(&self) -> Vec<entries::EntriesProposal> {
        entries::propose(&self.page)
    }

    /// The results of the selectors if the entries are on this page. Selectors that are not valid yet are
    /// ignored.
    pub fn entries(&self, rules: &WebsiteRules) -> ListPreview {
        let usual = WebsiteRules::default();
        let is_valid =
            |part: SelectorField| part.of(rules).is_some_and(|text| Selectors::parse(text).is_ok());
        let optional = |part, text: &Option<String>| text.clone().filter(|_| is_valid(part));
        let or_usual = |part, text: &str, usual: String| {
            if is_valid(part) { text.to_owned() } else { usual }
        };
        let valid = WebsiteRules {
            articles: optional(SelectorField::Articles, &rules.articles),
            title: or_usual(SelectorField::Title, &rules.title, usual.title),
            content: or_usual(SelectorField::Content, &rules.content, usual.content),
            author: optional(SelectorField::Author, &rules.author),
            date: optional(SelectorField::Date, &rules.date),
            ..rules.clone()
        };
        let mut listed = ListPreview::default();
        let typed = rules.articles.is_some() && valid.articles.is_none();
        let Some(matched) = entries::matches(&self.page, &valid).filter(|_| !typed) else {
            listed.found = SelectorField::ENTRIES.map(|part| (part, None)).to_vec();
            return listed;
        };
        let of = |found: Option<Vec<scraper::ElementRef<'_>>>| found.map(|all| self.found(all));
        listed.found = vec![
            (SelectorField::Articles, Some(self.found(matched.blocks))),
            (SelectorField::Title, of(matched.title)),
            (SelectorField::Author, of(matched.author)),
            (SelectorField::Date, of(matched.date)),
            (SelectorField::Content, of(matched.content)),
        ];
        let read = entries::read(&self.page, &valid, None).unwrap_or_default();
        let link = |each: entries::PageEntry| {
            let url = each.entry.url.as_deref().and_then(|url| Url::parse(url).ok());
            ListLink {
                url: url.unwrap_or_else(|| self.page.url().clone()),
                summary: each.entry.opening(),
                title: each.entry.title,
                date: each.entry.published,
                zone: Zone::default(),
                author: each.entry.authors.into_iter().next(),
                active: None,
            }
        };
        listed.links = read.entries.into_iter().map(link).collect();
        listed
    }

    /// The results of the selectors if the page is an article.
    pub fn article(&self, rules: &WebsiteRules) -> ArticlePreview {
        let tree = self.page.tree();
        let find = |part: SelectorField| {
            let selectors = Selectors::parse(part.of(rules)?).ok()?;
            Some(self.found(selectors.first_matching(tree)))
        };
        let date = rules.date.as_deref().and_then(|text| Selectors::parse(text).ok());
        let dated = date.and_then(|s| s.first(tree));
        let unread = dated
            .filter(|e| date::of_element(*e, rules.date_format.as_deref()).is_none())
            .map(|e| text::line(&text_up_to(e, MAX_DATE)));
        ArticlePreview {
            found: SelectorField::ARTICLE.map(|part| (part, find(part))).to_vec(),
            article: glance(&self.page, rules),
            date_text: unread,
        }
    }

    fn found(&self, elements: Vec<scraper::ElementRef<'_>>) -> Matches {
        let count = elements.len();
        let numbers = elements.into_iter().take(MAX_MARKS);
        let mut marks: Vec<u32> = numbers.filter_map(|e| self.elements.number(e)).collect();
        marks.sort_unstable();
        Matches { count, marks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(markup: &str) -> PreviewPage {
        let url = Url::parse("https://example.org/news/").unwrap();
        PreviewPage::new(Page::parse(markup, &url).unwrap()).0
    }

    #[test]
    fn previews_selectors_on_a_list() {
        let list = sheet(
            "<main><h3><a href=1>One</a></h3><h3><a href=2>Two</a></h3><h4><a href=3>Three</a></h4>\
             </main><a class=older href='?p=2'>older</a>",
        );
        let known: HashSet<String> = ["1", "3", "9"]
            .map(|n| normalise(&Url::parse("https://example.org/news/").unwrap().join(n).unwrap()))
            .into();
        let rules = |articles: &str| WebsiteRules {
            articles: Some(articles.to_owned()),
            next: Some(".older".to_owned()),
            ..WebsiteRules::default()
        };
        let details = list.list(&rules("h3 a"), &known);
        let titles: Vec<&str> = details.links.iter().map(|l| l.title.as_str()).collect();
        assert_eq!(titles, ["One", "Two"]);
        // The third is on the page but not found; the ninth is no longer on the page.
        assert_eq!((details.known, details.lost), (2, 1));
        assert_eq!(details.next.unwrap().query(), Some("p=2"));
        let (_, found) = &details.found[0];
        let marks = &found.as_ref().unwrap().marks;
        assert_eq!((found.as_ref().unwrap().count, marks.len()), (2, 2));
        assert_eq!(list.pick(marks[0], SelectorField::Articles, false).as_deref(), Some("h3 a"));
        let broken = list.list(&rules("h3 >"), &known);
        assert_eq!((broken.found[0].1.as_ref(), broken.links.len(), broken.lost), (None, 0, 2));
    }

    #[test]
    fn preview_titles_match_the_proposal() {
        let card = |n: usize, link: &str, heading: &str| {
            format!(
                "<div class=card><{heading}>The story of the number {n} bus</{heading}><div class=body>\
                 <p>{n} May 2024 - Ann Lee</p><p>Some words on it that go on for a while.</p>\
                 <a href=/2024/05/0{n}/story-{n}-bus/>{link}</a></div></div>"
            )
        };
        for (link, heading) in [
            ("Continue reading", "div"),
            ("Read more »", "h3"),
            ("To the article", "div"),
            ("", "h3"),
        ] {
            let cards: String = (1..=4).map(|n| card(n, link, heading)).collect();
            let list = sheet(&format!("<main><div class=wrapper>{cards}</div></main>"));
            let titles = |links: &[ListLink]| links.iter().map(|l| l.title.clone()).collect();
            let proposal = list.proposals(&HashSet::new()).remove(0);
            let rules =
                WebsiteRules { articles: Some(proposal.articles), ..WebsiteRules::default() };
            let previewed: Vec<String> = titles(&list.list(&rules, &HashSet::new()).links);
            let expected: Vec<String> =
                (1..=4).map(|n| format!("The story of the number {n} bus")).collect();
            assert_eq!(previewed, expected, "{link}");
            let proposed: Vec<String> = titles(&proposal.items);
            assert_eq!(proposed, expected, "{link}");
        }
        // Several articles can have the same title.
        let row = |n: usize| {
            format!("<li><a href=/thread-{n}>Open thread</a><p>Of 0{n}.05.2024, as usual.</p>")
        };
        let list = sheet(&format!("<ul>{}</ul>", (1..=4).map(row).collect::<String>()));
        let rules = WebsiteRules { articles: Some("li a".to_owned()), ..WebsiteRules::default() };
        let links = list.list(&rules, &HashSet::new()).links;
        assert!(links.iter().all(|link| link.title == "Open thread"), "{links:?}");
    }

    #[test]
    fn previews_selectors_on_an_article() {
        let article = sheet(
            "<h1>A title</h1><p class=by>By Ann Lee</p><b class=d>zuletzt</b><i class=d2>3 May 2024</i>\
             <div class=text><p>The first words.</p></div>",
        );
        let rules = |date: &str| WebsiteRules {
            author: Some(".by".to_owned()),
            content: ".text".to_owned(),
            date: Some(date.to_owned()),
            ..WebsiteRules::default()
        };
        let details = article.article(&rules(".d2"));
        assert_eq!((details.article.title.as_str(), details.date_text), ("A title", None));
        assert_eq!(details.article.authors, ["Ann Lee"]);
        assert_eq!(details.article.summary, "The first words.");
        assert_eq!(details.article.published.unwrap().to_rfc3339(), "2024-05-03T00:00:00+00:00");
        let details = article.article(&rules(".d"));
        assert_eq!(
            (details.article.published, details.date_text.as_deref()),
            (None, Some("zuletzt"))
        );
    }

    #[test]
    fn proposes_the_list_with_the_known_articles() {
        let row = |at: &str, n: usize| {
            format!("<li><a href=/{at}/story-{n}>The {at} story of the number {n} bus</a></li>")
        };
        let rows = |at: &str, count: usize| (0..count).map(|n| row(at, n)).collect::<String>();
        let list = sheet(&format!(
            "<main><ul class=popular>{}</ul><ul class=latest>{}</ul></main>",
            rows("old", 12),
            rows("new", 6)
        ));
        let known =
            HashSet::from([normalise(&Url::parse("https://example.org/new/story-2").unwrap())]);
        let first = |known: &HashSet<String>| list.proposals(known)[0].articles.clone();
        assert!(first(&known).contains("latest"), "{}", first(&known));
    }
}

//! Extracts an article with the selectors of its source.

use super::authors::split_names;
use super::date;
use super::page::Page;
use super::selector::{Selectors, TooManySteps};
use super::signal::metadata;
use crate::article::{self, Guide, Published};
use crate::model::{DateOrigin, DateSource, Entry, Time, WebsiteRules, ZoneSource};
use crate::util::date::{Offsets, Zone, is_offset};
use crate::util::html::{self, tree::text_of};
use crate::util::session::without_session;
use crate::util::text;
use chrono::TimeDelta;
use scraper::ElementRef;
use unicode_segmentation::UnicodeSegmentation;
use url::Url;

/// Maximum length of a summary, in characters.
const MAX_SUMMARY: usize = 500;
/// Maximum size of an article's text in bytes.
const MAX_CONTENT: usize = 1 << 20;
/// Maximum number of authors of one article.
const MAX_AUTHORS: usize = 50;
/// Used if there is no title.
const NO_TITLE: &str = "(No title)";

/// The data found on the page of an article.
#[derive(Debug, Clone, PartialEq)]
pub struct Article {
    /// The URL of the response.
    pub url: url::Url,
    /// One line; "(No title)" if the page has none. May be too long to be stored.
    pub title: String,
    /// Whether the page has a title.
    pub titled: bool,
    /// Plain text in one line, at most 500 characters and an ellipsis.
    pub summary: String,
    /// Safe HTML.
    pub content: String,
    /// Names, in order.
    pub authors: Vec<String>,
    /// The publication date on the page; `None` means now.
    pub published: Option<Time>,
    /// Where the publication date comes from.
    pub dated: Option<DateOrigin>,
    /// What the publication date states about its zone.
    pub zone: Zone,
    /// The offsets from UTC that the page shows with its dates.
    pub offsets: Offsets,
    /// Whether the date comes from elsewhere on the page because the date selector found none.
    pub instead: bool,
    /// The modification date in the metadata.
    pub updated: Option<Time>,
}

/// Extracts the article of a page that was fetched at `now`. Missing parts are empty; this never fails. If no
/// selector finds a date, the date that the page itself gives is used.
pub fn article(page: &Page, rules: &WebsiteRules, now: Option<Time>) -> Article {
    let content = Selectors::parse(&rules.content).ok().and_then(|s| s.first(page.tree()));
    let markup = content.map(|e| e.inner_html()).unwrap_or_default();
    let found = glance(page, rules);
    // A declared format means a complete date, so "yesterday" does not match it.
    let fetched_at = now.filter(|_| rules.date_format.is_none());
    let guide = Guide { url: Some(page.url().clone()), fetched_at, ..Guide::default() };
    let selected = rules.date.as_deref().and_then(|selector| {
        let element = Selectors::parse(selector).ok()?.first(page.tree())?;
        let context = article::date_context(page.tree(), &guide);
        let found = date::with_zone(element, rules.date_format.as_deref(), &context)?;
        // The day of an event is not the day on which it was announced.
        let ahead = now.is_some_and(|now| found.0 > now + TimeDelta::hours(24));
        let is_event = || article::event_days(page.tree()).contains(&found.0.date_naive());
        (!ahead || !is_event()).then_some(found)
    });
    let mut own = match selected {
        Some((_, zone)) if zone != Zone::Missing => article::Dates::default(),
        _ => article::dates_of(page.tree(), &guide),
    };
    let (published, dated, zone) = match selected {
        Some((time, zone)) => {
            own.offsets.learn(time, zone);
            let mut origin = DateOrigin::stated(DateSource::Selector);
            let same = own.published.filter(|p| own.offsets.is_empty() && same_instant(time, p));
            origin.zone = same.map(|_| ZoneSource::Page);
            (Some(same.map_or(time, |p| p.time.to_utc())), Some(origin), zone)
        }
        None => {
            let own = own.published.filter(|p| !now.is_some_and(|now| p.is_doubtful(now)));
            let origin = own.map(|p| p.origin());
            (own.map(|p| p.time.to_utc()), origin, own.map(|p| p.zone).unwrap_or_default())
        }
    };
    let mut read = Article {
        content: html::clean(text::start(&markup, MAX_CONTENT), Some(page.base())),
        instead: rules.date.is_some() && selected.is_none() && published.is_some(),
        published,
        dated,
        zone,
        updated: found.updated.or(own.modified.map(|t| t.to_utc())),
        ..found
    };
    read.read_in(&own.offsets, ZoneSource::Page, now);
    read.offsets = own.offsets;
    read
}

/// Checks the number of steps that the selectors of a source take on a page.
///
/// # Errors
/// If there are too many.
pub fn check_selectors(page: &Page, rules: &WebsiteRules) -> Result<(), TooManySteps> {
    let optional = [&rules.author, &rules.date].into_iter().flatten();
    let all = [&rules.title, &rules.content].into_iter().chain(optional);
    all.filter_map(|s| Selectors::parse(s).ok()).try_for_each(|s| s.check(page.tree()))
}

/// Like [`article`] but without the content, which takes the longest to extract.
pub(super) fn glance(page: &Page, rules: &WebsiteRules) -> Article {
    let tree = page.tree();
    let parse = |s: &str| Selectors::parse(s).ok();
    let first = |s: &str| parse(s).and_then(|s| s.first(tree));
    let title = parse(&rules.title).map(|s| title(&s, page)).unwrap_or_default();
    let content = first(&rules.content);
    let summary =
        content.map(|e| summarise(&text::line(&head_of(&text_of(e))))).unwrap_or_default();
    let authors = rules.author.as_deref().and_then(parse).map(|s| s.first_matching(tree));
    let bylines: Vec<String> =
        authors.unwrap_or_default().into_iter().map(|e| text::line(&text_of(e))).collect();
    let mut authors = split_names(bylines.iter().map(String::as_str));
    authors.truncate(MAX_AUTHORS);
    let stated = metadata(page);
    let dated = rules.date.as_deref().and_then(first);
    let published = match &rules.date {
        Some(_) => dated.and_then(|e| date::of_element(e, rules.date_format.as_deref())),
        None => stated.published,
    };
    Article {
        url: without_session(page.url().clone()),
        titled: !title.is_empty(),
        title: if title.is_empty() { NO_TITLE.to_owned() } else { title },
        summary,
        content: String::new(),
        authors,
        published,
        dated: None,
        zone: Zone::default(),
        offsets: Offsets::default(),
        instead: false,
        updated: stated.modified,
    }
}

/// Maximum number of elements that are considered as the title. Each may contain much of the page.
const MAX_TITLES: usize = 20;

/// The text of the first element, in the order of the selectors, that has letters or digits: a heading may be
/// an ornament such as `***`. Other elements are preferred to a link to the home page, which is the name of
/// the site.
fn title(selectors: &Selectors, page: &Page) -> String {
    let tree = page.tree();
    let line = |element: ElementRef<'_>| text::line(&text_of(element));
    let is_text = |line: &String| line.contains(char::is_alphanumeric);
    let first = selectors.first(tree);
    let is_title =
        |element: &ElementRef<'_>| is_text(&line(*element)) && !leads_home(*element, page.url());
    if let Some(first) = first.filter(is_title) {
        return line(first);
    }
    let all = selectors.each_matching(tree).into_iter().flatten().take(MAX_TITLES);
    let all: Vec<ElementRef<'_>> = all.collect();
    if let Some(title) = all.iter().copied().find(is_title) {
        return line(title);
    }
    let first = first.map(line).unwrap_or_default();
    if is_text(&first) { first } else { all.into_iter().map(line).find(is_text).unwrap_or(first) }
}

/// Whether an element consists of a link to a folder above the page.
fn leads_home(element: ElementRef<'_>, url: &Url) -> bool {
    let is_above = |link: ElementRef<'_>| {
        let to = link.attr("href").and_then(|href| url.join(href).ok());
        to.is_some_and(|to| {
            let (above, path) = (to.path(), url.path());
            let is_folder = above.ends_with('/') && path.starts_with(above);
            to.host() == url.host() && to.query().is_none() && is_folder && path.len() > above.len()
        })
    };
    let is_link = |node: ElementRef<'_>| node.value().name() == "a";
    let around = element.ancestors().filter_map(ElementRef::wrap).find(|node| is_link(*node));
    let within = || {
        let link = element.descendent_elements().find(|node| is_link(*node))?;
        (text::line(&text_of(link)) == text::line(&text_of(element))).then_some(link)
    };
    around.or_else(within).is_some_and(is_above)
}

/// The start of a text, longer than a summary, so that a long article is not sanitised twice as a whole.
fn head_of(text: &str) -> String {
    text.chars().take(2 * MAX_SUMMARY).collect()
}

/// Whether a time without a zone and the time that the page states with a zone are the same instant, written
/// in different zones.
fn same_instant(time: Time, stated: &Published) -> bool {
    let minutes = |time: Time| time.timestamp().div_euclid(60);
    let between = (minutes(time) - minutes(stated.time.to_utc())) * 60;
    matches!(stated.zone, Zone::Offset(_) | Zone::Named) && between != 0 && is_offset(between)
}

/// Converts a time without a zone, using offsets that were found elsewhere.
pub fn in_zone(time: Time, zone: Zone, offsets: &Offsets, now: Option<Time>) -> Option<Time> {
    let offset = offsets.of(time, zone, now)?;
    time.checked_sub_signed(TimeDelta::seconds(i64::from(offset.local_minus_utc())))
}

/// The start of a text, at most 500 characters and an ellipsis, cut at the end of a word if one is near
/// enough.
pub fn summarise(text: &str) -> String {
    if text.chars().count() <= MAX_SUMMARY {
        return text.to_owned();
    }
    let cut = text.char_indices().nth(MAX_SUMMARY).map_or(text.len(), |(at, _)| at);
    // Never cuts inside a grapheme.
    let whole = text.grapheme_indices(true).map(|(at, _)| at).take_while(|at| *at <= cut).last();
    let start = &text[..whole.unwrap_or(0)];
    let word = start.rfind(' ').filter(|at| start[*at..].chars().count() < MAX_SUMMARY / 10);
    format!("{}…", start[..word.unwrap_or(start.len())].trim_end())
}

impl Article {
    /// Converts a date without a zone, using offsets that were found elsewhere. The page was fetched at
    /// `now`.
    pub fn read_in(&mut self, offsets: &Offsets, from: ZoneSource, now: Option<Time>) {
        if let (Some(time), Some(dated)) = (&mut self.published, &mut self.dated)
            && dated.zone.is_none()
            && let Some(read) = in_zone(*time, self.zone, offsets, now)
        {
            (*time, dated.zone) = (read, Some(from));
        }
    }

    /// The article as an entry of `publisher`. The page was fetched at `now`; a later date becomes `now`.
    pub fn entry(self, publisher: &str, now: Time) -> Entry {
        let summary = html::escape(&self.summary).into_owned();
        Entry {
            title: self.title,
            url: Some(self.url.to_string()),
            authors: self.authors,
            published: self.published.map(|t| t.min(now)),
            dated: self.dated,
            updated: self.updated.filter(|t| *t <= now),
            summary: Some(summary).filter(|s| !s.is_empty()),
            content: Some(self.content).filter(|c| !c.is_empty()),
            publisher: Some(publisher.to_owned()).filter(|p| !p.is_empty()),
            ..Entry::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> WebsiteRules {
        WebsiteRules {
            title: "h1.hl".to_owned(),
            content: ".txt".to_owned(),
            author: Some(".who".to_owned()),
            date: Some(".when".to_owned()),
            date_format: Some("2006-01-02".to_owned()),
            ..WebsiteRules::default()
        }
    }

    fn read(markup: &str) -> Article {
        let url = url::Url::parse("https://example.org/a").unwrap();
        article(&Page::parse(markup, &url).unwrap(), &rules(), None)
    }

    #[test]
    fn extracts_the_parts_of_an_article() {
        let found = read(
            "<h1 class=hl> A <em>B</em></h1><p class=who>By Ann Lee</p><p class=who>Bob Ray</p>\
             <b class=when>2024-05-06</b><div class=txt><p>One<script>x</script></p><p>Two</div>",
        );
        assert_eq!(found.title, "A B");
        assert_eq!(found.summary, "One Two");
        assert_eq!(found.content, "<p>One</p><p>Two</p>");
        assert_eq!(found.authors, ["Ann Lee", "Bob Ray"]);
        assert_eq!(found.published.unwrap().to_rfc3339(), "2024-05-06T00:00:00+00:00");
    }

    #[test]
    fn headings_without_letters_are_not_titles() {
        for (markup, title) in [
            ("<h1 class=hl>***</h1><h1 class=hl>A</h1>", "A"),
            ("<h1 class=hl>***</h1>", "***"),
            ("<h1 class=hl>7</h1><h1 class=hl>A</h1>", "7"),
        ] {
            assert_eq!(read(markup).title, title, "{markup}");
        }
        let url = url::Url::parse("https://example.org/a").unwrap();
        let page = "<title>A</title><h1>B</h1><article><p>Text</p><h1>***</h1></article>";
        let found = article(&Page::parse(page, &url).unwrap(), &WebsiteRules::default(), None);
        assert_eq!(found.title, "B");
    }

    #[test]
    fn headings_that_link_home_are_not_titles() {
        let url = url::Url::parse("https://example.org/blog/2024/a.html").unwrap();
        let title = |markup: &str| {
            article(&Page::parse(markup, &url).unwrap(), &WebsiteRules::default(), None).title
        };
        for home in ["/", "/blog/", "https://example.org/", "../"] {
            let site = format!("<h1><a href='{home}'>My site</a></h1>");
            assert_eq!(title(&format!("{site}<h1>A</h1>")), "A", "{home}");
            assert_eq!(title(&format!("<title>A</title>{site}<p>Text</p>")), "A", "{home}");
            assert_eq!(title(&site), "My site", "nothing else is there");
        }
        // A title may link to its own page, to another site, or contain a link.
        for own in ["a.html", "", "https://elsewhere.example/", "/tags/x/"] {
            assert_eq!(title(&format!("<h1><a href='{own}'>A</a></h1><h1>B</h1>")), "A", "{own}");
        }
        assert_eq!(title("<h1>On <a href='/'>this site</a></h1><h1>B</h1>"), "On this site");
        assert_eq!(title("<a href='/'><h1>My site</h1></a><h1>B</h1>"), "B");
    }

    #[test]
    fn falls_back_to_the_date_of_the_page() {
        let found = read("<h1 class=hl>A</h1><p>Published 3 May 2024</p><div class=txt>One</div>");
        assert_eq!(found.published.unwrap().to_rfc3339(), "2024-05-03T00:00:00+00:00");
        assert!(found.instead);
    }

    #[test]
    fn missing_parts_are_empty() {
        let found = read("<p>nothing");
        assert_eq!((found.title.as_str(), found.titled), (NO_TITLE, false));
        assert_eq!((found.summary.as_str(), found.content.as_str()), ("", ""));
        assert_eq!((found.authors.len(), found.published), (0, None));
    }

    #[test]
    fn cuts_summaries_between_words_and_graphemes() {
        let words = "word ".repeat(200);
        let cases = [
            ("x".repeat(500), 500),
            ("é".repeat(501), 501),
            (words.trim().to_owned(), 500),
            ("e\u{301}".repeat(400), 501),
        ];
        for (text, most) in cases {
            let summary = summarise(&text);
            let length = summary.chars().count();
            assert!((480..=most).contains(&length), "{length}");
            assert_eq!(summary.ends_with('…'), text.chars().count() > 500);
        }
    }
}

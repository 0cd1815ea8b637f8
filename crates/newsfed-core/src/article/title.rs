//! The title of an article without the name of its site.

use super::blocks::Page;
use super::head::Head;
use crate::util::{html, text};
use scraper::ElementRef;
use serde_json::Value;
use std::borrow::Cow;
use url::Url;

/// Maximum number of headings.
const MAX_HEADINGS: usize = 6;
/// A heading of this length in bytes is not extended by further lines.
const LONGEST: usize = 300;
/// Headings with at most this many letters and digits are not compared with the page title.
const SHORT: usize = 3;
/// Maximum number of times that the site name is removed from a title.
const MAX_NAMES: usize = 4;
/// Maximum length of a site name, in characters.
const MAX_SITE: usize = 60;
/// Separators between the parts of a title, with the spaces around them.
const SIGNS: [&str; 10] = [" | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " ‹ "];
/// Separators without spaces around them, for languages that are written without spaces.
const CLOSE: [char; 4] = ['-', '_', '|', '－'];
/// Titles of home pages, case-folded. They are less informative than the site name.
const HOMES: [&str; 9] = [
    "home",
    "homepage",
    "index",
    "startseite",
    "accueil",
    "inicio",
    "início",
    "главная",
    "welcome",
];

/// An `h1` heading.
pub(super) struct Heading<'a> {
    text: Cow<'a, str>,
    /// Whether it links to the home page, as site names do.
    home: bool,
}

/// The `h1` headings of a page.
pub(super) fn headings<'p>(page: &'p Page<'_>, base: Option<&Url>) -> Vec<Heading<'p>> {
    let of_block = |at: usize| page.blocks[at].element;
    let level_one = |at: &usize| page.elements[of_block(*at)].name() == "h1";
    let mut found: Vec<(usize, Heading<'p>)> = Vec::new();
    for at in (0..page.blocks.len()).filter(level_one) {
        let (block, text) = (&page.blocks[at], page.text(at));
        let full = found.len() >= MAX_HEADINGS;
        match found.last_mut() {
            // Another line of the same heading.
            Some((element, heading)) if *element == block.element => {
                if heading.text.len() < LONGEST {
                    heading.text = Cow::Owned(format!("{} {text}", heading.text));
                }
            }
            _ if full => break,
            _ => {
                let linked = block.link_chars * 10 >= block.chars * 9 && block.chars > 0;
                let home = linked && leads_home(page.elements[block.element].node, base);
                found.push((block.element, Heading { text: Cow::Borrowed(text), home }));
            }
        }
    }
    found.into_iter().map(|(_, heading)| heading).collect()
}

fn leads_home(heading: ElementRef<'_>, base: Option<&Url>) -> bool {
    let inner = heading.descendent_elements().find(|e| e.value().name() == "a");
    let link = inner.or_else(|| {
        heading.ancestors().filter_map(ElementRef::wrap).take(3).find(|e| e.value().name() == "a")
    });
    let href = link.and_then(|a| a.attr("href")).unwrap_or_default().trim();
    if href.is_empty() || href.starts_with('#') {
        return false;
    }
    let url = Url::options().base_url(base).parse(href);
    let is_page = |url: &Url| base.is_some_and(|base| base.path() == url.path());
    url.map_or(href == "/", |url| url.path() == "/" && url.query().is_none() && !is_page(&url))
}

/// The title: a heading that is part of the page title, or else the title in the metadata, without the site
/// name.
pub(super) fn title(
    head: &Head<'_>,
    headings: &[Heading<'_>],
    base: Option<&Url>,
) -> Option<String> {
    let site = Site::of(head, base);
    let headline = head.articles().find_map(|o| o.get("headline").and_then(Value::as_str));
    let stated = headline.or_else(|| head.first(&["og:title", "twitter:title", "dc.title"]));
    let stated = stated.and_then(clean);
    let whole = clean(&head.title);
    let titles: Vec<Parts> = [whole.as_deref(), stated.as_deref()]
        .into_iter()
        .flatten()
        .map(|t| site.parts(t))
        .collect();
    let own = |heading: &&Heading<'_>| !heading.home && !site.is_named(&heading.text);
    let place = |heading: &Heading<'_>| {
        let heading = folded(&heading.text);
        titles.iter().filter_map(|title| title.place(&heading)).min()
    };
    // The name of a book or section may also be a heading, but follows the article's title in the page title.
    let placed = headings.iter().filter(own).filter_map(|heading| Some((place(heading)?, heading)));
    let within = placed.min_by_key(|(place, _)| *place).map(|(_, heading)| heading);
    let of_heading = |heading: &Heading<'_>| clean(without_mark(&heading.text));
    within
        .and_then(of_heading)
        .or_else(|| stated.map(|title| site.removed(&title)))
        .or_else(|| headings.iter().find(own).and_then(of_heading))
        .or_else(|| whole.map(|title| site.removed(&title)))
        .or_else(|| headings.first().and_then(of_heading))
}

/// A title on one line. Characters in structured data may be escaped twice.
fn clean(title: &str) -> Option<String> {
    let escaped = title.contains('&') && title.contains(';') && !title.contains('<');
    let title = if escaped { Cow::Owned(html::to_text(title)) } else { Cow::Borrowed(title) };
    Some(text::line(&title)).filter(|t| !t.is_empty())
}

/// A heading without the symbol of its permalink.
fn without_mark(heading: &str) -> &str {
    heading.trim_end_matches(['¶', '#', '§', '🔗', ' '])
}

/// The last separator without spaces around it, and its length.
fn close(title: &str) -> Option<(usize, usize)> {
    let (at, sign) = title.char_indices().rev().find(|(_, c)| CLOSE.contains(c))?;
    let before = title[..at].chars().next_back()?;
    // Words of other languages may contain hyphens.
    let unspaced = super::spaces::is_unspaced(before) || ('가'..='힣').contains(&before);
    unspaced.then_some((at, sign.len_utf8()))
}

/// Letters and digits in lower case.
pub(super) fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A title of the page, case-folded.
struct Parts {
    /// The title without the site name.
    whole: String,
    /// The first part of the title.
    first: String,
}

impl Parts {
    /// The position of a heading in the title, if it is the first part of the title or at least half of it.
    fn place(&self, heading: &str) -> Option<usize> {
        let place = self.whole.find(heading)?;
        let chars = heading.chars().count();
        let large = heading.len() * 2 >= self.whole.len() && chars > SHORT;
        (large || heading == self.first && chars > 1).then_some(place)
    }
}

/// The names of a site.
struct Site {
    /// Case-folded names that the page gives.
    names: Vec<String>,
    /// Letters and digits of its host.
    host: String,
}

impl Site {
    fn of(head: &Head<'_>, base: Option<&Url>) -> Self {
        let metas = ["og:site_name", "application-name", "apple-mobile-web-app-title"];
        let mut names: Vec<String> = metas.iter().flat_map(|m| head.all(m)).map(folded).collect();
        for object in &head.objects {
            let publisher = object.get("publisher").and_then(|p| p.get("name"));
            let is_site = object.get("@type").and_then(Value::as_str).is_some_and(|kind| {
                matches!(kind, "WebSite" | "Organization" | "NewsMediaOrganization")
            });
            let own = object.get("name").filter(|_| is_site);
            let both = [publisher, own].into_iter().flatten();
            names.extend(both.filter_map(Value::as_str).map(folded));
        }
        names.retain(|name| !name.is_empty());
        let host = base.and_then(Url::host_str).unwrap_or_default();
        Self { names, host: folded(host.strip_prefix("www.").unwrap_or(host)) }
    }

    /// Whether a text is a name of the site: a name that the page gives, or a part of its host.
    fn is_named(&self, name: &str) -> bool {
        if name.chars().count() > MAX_SITE {
            return false;
        }
        let name = folded(name);
        let like_host = name.len() > SHORT && self.host.contains(&name);
        like_host || self.names.contains(&name)
    }

    fn parts(&self, title: &str) -> Parts {
        let whole = self.removed(title);
        let end = SIGNS.iter().filter_map(|sign| whole.find(sign)).min();
        let end = end.or_else(|| close(&whole).map(|(at, _)| at)).unwrap_or(whole.len());
        Parts { first: folded(&whole[..end]), whole: folded(&whole) }
    }

    /// A title without the site name before or after it.
    fn removed(&self, title: &str) -> String {
        let mut title = title;
        for _ in 0..MAX_NAMES {
            match self.shorter(title) {
                Some(rest) => title = rest,
                None => break,
            }
        }
        title.to_owned()
    }

    fn shorter<'t>(&self, title: &'t str) -> Option<&'t str> {
        let whole = |rest: &&str| {
            let rest = folded(rest);
            rest.chars().count() > SHORT && !HOMES.contains(&rest.as_str())
        };
        let spaced = |sign: &&str| title.rfind(*sign).map(|at| (at, sign.len()));
        let last =
            SIGNS.iter().filter_map(spaced).max_by_key(|(at, _)| *at).or_else(|| close(title));
        if let Some((at, sign)) = last {
            let (rest, name) = (title[..at].trim_end(), &title[at + sign..]);
            if self.is_named(name) && whole(&rest) {
                return Some(rest);
            }
        }
        let spaced = |sign: &&str| title.find(*sign).map(|at| (at, sign.len()));
        let (at, sign) = SIGNS.iter().filter_map(spaced).min_by_key(|(at, _)| *at)?;
        let (name, rest) = (&title[..at], title[at + sign..].trim_start());
        (self.is_named(name) && whole(&rest)).then_some(rest)
    }
}

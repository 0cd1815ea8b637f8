//! Fields of an entry, in all vocabularies used by feeds.

use super::construct::{atom_text, html_text, link, play_time, rss_text};
use super::element::Element;
use super::names::Ns;
use super::people;
use super::raw::{Base, Rank, RawEntry, RawLink};

/// Maximum number of chapters that are read from an entry.
const MAX_CHAPTERS: usize = 500;

/// Reads the start tag of an entry: the URL of RDF items, and the attributes of the Channel Definition
/// Format.
pub(super) fn entry_attributes(element: &Element, entry: &mut RawEntry) {
    if let Some(about) = element.attribute("rdf:about") {
        entry.guid.offer(Rank::Weak, about.trim().to_owned());
    }
    if let Some(href) = element.attribute("href") {
        entry.links.push(RawLink {
            href: href.to_owned(),
            rel: "alternate".to_owned(),
            ..RawLink::default()
        });
    }
    if let Some(date) = element.attribute("lastmod") {
        entry.updated.offer(Rank::Strong, date.to_owned());
    }
}

/// Reads a field of an entry. `base` is the base URL in effect, if the document sets one.
pub(super) fn entry(element: &Element, base: Base, is_atom: bool, entry: &mut RawEntry) {
    match element.ns() {
        Ns::Core => core(element, base, is_atom, entry),
        Ns::Atom => foreign_atom(element, base, is_atom, entry),
        Ns::Dc => dublin_core(element, base, entry),
        Ns::Content => encoded(element, base, entry),
        Ns::Media => media(element, base, entry),
        Ns::Itunes => itunes(element, base, entry),
        Ns::Discussion => discussion(element, entry),
        Ns::Chapters => chapters(element, base, entry),
        Ns::Xhtml if element.name == "body" || element.name == "div" => {
            entry.content.offer(Rank::Strong, html_text(element, base));
        }
        Ns::FeedBurner if element.name == "origlink" => {
            entry.original_link.get_or_insert(element.text().trim().to_owned());
        }
        _ => {}
    }
}

fn core(element: &Element, base: Base, is_atom: bool, entry: &mut RawEntry) {
    let text = |e: &Element, base| if is_atom { atom_text(e, base) } else { rss_text(e, base) };
    match element.name.as_str() {
        "title" => entry.title.offer(Rank::Strong, text(element, base)),
        "link" | "a" => take_link(element, base, entry),
        "guid" => {
            entry.guid.offer(Rank::Strong, element.text().trim().to_owned());
            let permalink = element.attribute("ispermalink").map(str::trim);
            entry.guid_is_link = permalink.map(|p| !p.eq_ignore_ascii_case("false"));
        }
        "id" => {
            entry.guid.offer(Rank::Strong, element.text().trim().to_owned());
            entry.guid_is_link.get_or_insert(false);
        }
        "description" | "abstract" => entry.summary.offer(Rank::Strong, text(element, base)),
        "summary" => entry.summary.offer(Rank::Strong, text(element, base)),
        "content" if element.attribute("src").is_some() && is_atom => {
            let src = RawLink { rel: "content".to_owned(), ..link_to(element, "src", base) };
            entry.links.push(src);
        }
        "content" | "fullitem" | "body" | "encoded" => {
            entry.content.offer(Rank::Strong, text(element, base));
        }
        "author" | "managingeditor" => entry.authors.extend(people::name(element)),
        "contributor" => {}
        "pubdate" | "published" => entry.published.offer(Rank::Strong, element.text()),
        "issued" => entry.published.offer(Rank::Fair, element.text()),
        "created" => entry.published.offer(Rank::Weak, element.text()),
        "date" => entry.published.offer(Rank::Weak, element.text()),
        "updated" => entry.updated.offer(Rank::Strong, element.text()),
        "modified" | "lastbuilddate" => entry.updated.offer(Rank::Fair, element.text()),
        "category" | "keywords" => category(element, entry),
        "comments" => entry.comments = Some(element.text().trim().to_owned()),
        "enclosure" => entry.enclosures.push(link(element, base)),
        "source" => {
            let title = element.child("title").map_or_else(|| element.text(), Element::text);
            entry.publisher = Some(title);
        }
        _ => {}
    }
}

/// Reads an Atom element. Inside RSS, it repeats a value or adds what RSS cannot express. Inside Atom, it is
/// an ordinary element with a prefix.
fn foreign_atom(element: &Element, base: Base, is_atom: bool, entry: &mut RawEntry) {
    match element.name.as_str() {
        _ if is_atom => core(element, base, true, entry),
        "title" => entry.title.offer(Rank::Fair, atom_text(element, base)),
        "summary" => entry.summary.offer(Rank::Fair, atom_text(element, base)),
        "content" => entry.content.offer(Rank::Fair, atom_text(element, base)),
        "id" => entry.guid.offer(Rank::Fair, element.text().trim().to_owned()),
        "author" => entry.authors.extend(people::name(element)),
        "published" => entry.published.offer(Rank::Fair, element.text()),
        "updated" => entry.updated.offer(Rank::Strong, element.text()),
        "link" => take_link(element, base, entry),
        "category" => category(element, entry),
        _ => {}
    }
}

/// Reads the URL of the comment feed and the number of comments. `wfw:comment` is skipped, because it is the
/// URL for posting comments.
fn discussion(element: &Element, entry: &mut RawEntry) {
    match element.name.as_str() {
        "commentrss" => entry.comment_feed = Some(element.text().trim().to_owned()),
        "comments" | "total" => {
            entry.comment_count = count(&element.text()).or(entry.comment_count)
        }
        _ => {}
    }
}

fn count(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

fn dublin_core(element: &Element, base: Base, entry: &mut RawEntry) {
    match element.name.as_str() {
        "title" => entry.title.offer(Rank::Fair, rss_text(element, base)),
        "description" | "abstract" => entry.summary.offer(Rank::Fair, rss_text(element, base)),
        "creator" | "author" => entry.authors.extend(people::name(element)),
        "publisher" | "contributor" => entry.weak_authors.extend(people::name(element)),
        "date" => entry.published.offer(Rank::Fair, element.text()),
        "issued" | "created" | "available" => entry.published.offer(Rank::Weak, element.text()),
        "modified" => entry.updated.offer(Rank::Fair, element.text()),
        "identifier" => entry.guid.offer(Rank::Weak, element.text().trim().to_owned()),
        "subject" => category(element, entry),
        "language" => entry.language = Some(element.text().trim().to_owned()),
        _ => {}
    }
}

fn encoded(element: &Element, base: Base, entry: &mut RawEntry) {
    match element.name.as_str() {
        "encoded" => entry.content.offer(Rank::Strong, html_text(element, base)),
        // The older content module has the structure items > Bag > li > item > value.
        "items" => {
            let mut open: Vec<&Element> = element.elements().collect();
            while let Some(next) = open.pop() {
                if next.name == "value" {
                    return entry.content.offer(Rank::Fair, rss_text(next, base));
                }
                open.extend(next.elements());
            }
        }
        _ => {}
    }
}

fn media(element: &Element, base: Base, entry: &mut RawEntry) {
    match element.name.as_str() {
        "group" => element.elements().for_each(|e| media(e, base.clone(), entry)),
        "content" => {
            if element.attribute("url").is_some_and(|u| !u.trim().is_empty()) {
                entry.enclosures.push(link(element, base.clone()));
            }
            element.elements().for_each(|e| media(e, base.clone(), entry));
        }
        "title" => entry.title.offer(Rank::Weak, rss_text(element, base)),
        "description" => entry.summary.offer(Rank::Weak, rss_text(element, base)),
        "credit" => entry.weak_authors.extend(people::name(element)),
        _ => {}
    }
}

fn itunes(element: &Element, base: Base, entry: &mut RawEntry) {
    match element.name.as_str() {
        "title" => entry.title.offer(Rank::Weak, rss_text(element, base)),
        "author" => entry.weak_authors.extend(people::name(element)),
        "summary" => entry.summary.offer(Rank::Fair, rss_text(element, base)),
        "subtitle" => entry.summary.offer(Rank::Weak, rss_text(element, base)),
        "duration" => entry.seconds = play_time(&element.text()),
        _ => {}
    }
}

/// Reads chapters in the feed, or the URL of a file with chapters.
fn chapters(element: &Element, base: Base, entry: &mut RawEntry) {
    if element.name != "chapters" {
        return;
    }
    if element.attribute("url").is_some() {
        entry.chapters_url = Some(link_to(element, "url", base));
    }
    let chapters = element.elements().filter(|e| e.name == "chapter").filter_map(|chapter| {
        let start = chapter.attribute("start").and_then(play_time)?;
        Some((start, chapter.attribute("title").unwrap_or_default().to_owned()))
    });
    entry.chapters.extend(chapters.take(MAX_CHAPTERS.saturating_sub(entry.chapters.len())));
}

fn take_link(element: &Element, base: Base, entry: &mut RawEntry) {
    let link = link(element, base);
    match link.rel.as_str() {
        "enclosure" => entry.enclosures.push(link),
        "replies" => {
            // The number in the attribute `thr:count` is used until the element `thr:total` gives the total.
            let given = element.attribute("thr:count").or_else(|| element.attribute("count"));
            entry.comment_count = entry.comment_count.or(given.and_then(count));
            match link.mime.as_deref() {
                Some(mime) if !mime.contains("html") => entry.comment_feed.get_or_insert(link.href),
                _ => entry.comments.get_or_insert(link.href),
            };
        }
        _ => entry.links.push(link),
    }
}

fn link_to(element: &Element, attribute: &str, base: Base) -> RawLink {
    let href = element.attribute(attribute).unwrap_or_default().to_owned();
    RawLink { href, base, ..RawLink::default() }
}

/// Reads a category. Atom puts it into attributes, RSS into the text. One text may contain several keywords.
fn category(element: &Element, entry: &mut RawEntry) {
    let named = element.attribute("label").or_else(|| element.attribute("term"));
    match named.filter(|n| !n.trim().is_empty()) {
        Some(name) => entry.categories.push(name.to_owned()),
        None if element.name == "keywords" => {
            entry.categories.extend(element.text().split(',').map(str::to_owned));
        }
        None => entry.categories.push(element.text()),
    }
}

//! Fields of the feed, outside its entries.

use super::construct::{atom_text, link, rss_text};
use super::element::Element;
use super::names::Ns;
use super::people;
use super::raw::{Base, Rank, RawFeed};

/// Reads one field of the feed.
pub(super) fn take(element: &Element, base: Base, is_atom: bool, feed: &mut RawFeed) {
    let core = element.ns() == Ns::Core || is_atom && element.ns() == Ns::Atom;
    let text = |base| if is_atom { atom_text(element, base) } else { rss_text(element, base) };
    match (element.ns(), element.name.as_str()) {
        (_, "title") if core => feed.title.offer(Rank::Strong, text(base)),
        (_, "link" | "a") if core => feed.links.push(link(element, base)),
        (_, "author") if core && is_atom => feed.authors.extend(people::name(element)),
        (_, "language") if core => offer_language(element, Rank::Strong, feed),
        (Ns::Atom, "title") => feed.title.offer(Rank::Weak, atom_text(element, base)),
        (Ns::Atom, "link") => feed.links.push(link(element, base)),
        (Ns::Dc, "title") => feed.title.offer(Rank::Fair, rss_text(element, base)),
        (Ns::Dc, "language") => offer_language(element, Rank::Fair, feed),
        (Ns::Media | Ns::Itunes, "title") => feed.title.offer(Rank::Weak, rss_text(element, base)),
        _ => {}
    }
}

fn offer_language(element: &Element, rank: Rank, feed: &mut RawFeed) {
    feed.language.offer(rank, element.text().trim().to_owned());
}

//! Reads an XML feed: containers, entries and their fields.
//!
//! All XML formats are read in the same way, because feeds mix them: an element inside an item or entry is a
//! field of the entry, an element outside is a field of the feed.

use super::doctype::Entities;
use super::element::{Element, join_base};
use super::names::{self, Ns};
use super::raw::{Base, RawEntry, RawFeed};
use super::xml::{Event, Oddities, Reader};
use super::{FeedError, channel, fields, hints};
use std::sync::Arc;
use url::Url;

/// Maximum nesting depth of containers. The tags of deeper ones are ignored.
const MAX_SCOPES: usize = 64;

/// Maximum total length of the base URLs in a document, in bytes. Further base URLs are ignored.
const MAX_BASES: usize = 4 << 20;

/// The role of an element in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    Channel,
    Entry,
    Field,
}

struct Scope {
    role: Role,
    name: String,
    base: Base,
    language: Option<String>,
}

/// Reads the document, starting at its root element.
pub(super) fn read(
    text: &str,
    entities: &mut Entities,
    base: Option<&Url>,
    repairs: &mut Vec<String>,
) -> Result<RawFeed, FeedError> {
    let mut reader = Reader::new(text, entities);
    let mut walk = Walk {
        feed: RawFeed::default(),
        scopes: Vec::new(),
        entry: None,
        request: base.cloned(),
        bases: 0,
        is_atom: false,
        saw_content: false,
        finished: false,
        misplaced: false,
    };
    while !walk.finished
        && let Some(event) = reader.next_event()
    {
        match event {
            Event::Start(element) => walk.start(element, &mut reader),
            Event::End(name) => walk.end(&name, &mut reader.oddities),
            Event::Text(_) => {}
        }
    }
    let complete = walk.finished;
    // An entry that is truncated by the end of the document is kept if it can be identified.
    if walk.entry.as_ref().is_some_and(|e| e.guid.value.is_none() && e.links.kept.is_empty())
        && !complete
    {
        walk.entry = None;
    }
    walk.close_entry();
    let oddities = std::mem::take(&mut reader.oddities);
    note(&oddities, complete, walk.misplaced, entities.refused, repairs);
    if !walk.saw_content {
        return Err(FeedError::not_a_feed("a feed without any content"));
    }
    Ok(walk.feed)
}

fn note(odd: &Oddities, complete: bool, misplaced: bool, refused: bool, out: &mut Vec<String>) {
    let notes = [
        (!complete || odd.cut, "the document ends early; everything up to that point was read"),
        (odd.unclosed, "missing end tags were added"),
        (odd.stray, "end tags without a start tag were ignored"),
        (odd.bare, "unescaped < characters were read as text"),
        (odd.deep, "markup nested too deeply was flattened"),
        (odd.many, "fields with too many tags were flattened"),
        (misplaced, "items outside the channel were read"),
        (refused, "entities that expand without limit were left out"),
    ];
    out.extend(notes.iter().filter(|(seen, _)| *seen).map(|(_, words)| (*words).to_owned()));
}

/// Whether the root element belongs to a feed even if it is empty.
fn is_plausible_root(root: &Element) -> bool {
    let namespace = |(name, value): &(String, String)| {
        name.starts_with("xmlns") && names::by_address(value) == Ns::Core
    };
    match root.name.as_str() {
        "rss" => root.attribute("version").is_none_or(|v| v.trim().starts_with(['0', '2'])),
        "rdf" => root.attributes.iter().any(namespace),
        name => name == "feed",
    }
}

struct Walk {
    feed: RawFeed,
    scopes: Vec<Scope>,
    entry: Option<RawEntry>,
    /// The URL of the response.
    request: Option<Url>,
    /// Total length of all base URLs so far.
    bases: usize,
    is_atom: bool,
    saw_content: bool,
    finished: bool,
    misplaced: bool,
}

impl Walk {
    fn start(&mut self, element: Element, reader: &mut Reader<'_>) {
        match self.role(&element) {
            Role::Field => self.field(element, reader),
            Role::Entry => self.open_entry(&element),
            role => {
                self.is_atom |= element.name == "feed";
                self.saw_content |= role == Role::Channel || is_plausible_root(&element);
                let base = self.base_for(&element);
                self.open(role, &element, base);
            }
        }
    }

    fn role(&self, element: &Element) -> Role {
        let core = matches!(element.ns(), Ns::Core | Ns::Rdf)
            || element.ns() == Ns::Atom && (self.is_atom || self.scopes.is_empty());
        match element.name.as_str() {
            "rss" | "feed" | "rdf" if self.scopes.is_empty() => Role::Root,
            "channel" if core && self.entry.is_none() => Role::Channel,
            // RSS 1.1 and some RSS 1.0 feeds wrap their items.
            "items" if core && self.entry.is_none() => Role::Channel,
            "item" if core => Role::Entry,
            "entry" if core || element.ns() == Ns::Atom => Role::Entry,
            _ => Role::Field,
        }
    }

    fn open(&mut self, role: Role, element: &Element, base: Base) {
        let language = element.attribute("xml:lang").map(str::to_owned);
        let outer = self.scopes.last().and_then(|s| s.language.clone());
        let language = language.or(outer);
        if role != Role::Entry {
            self.feed.base = base.clone();
            if let Some(language) = &language {
                self.feed.language.offer(super::raw::Rank::Weak, language.clone());
            }
        }
        if !element.empty && self.scopes.len() < MAX_SCOPES {
            self.scopes.push(Scope { role, name: element.name.clone(), base, language });
        }
    }

    /// The base URL for an element, if the document sets one.
    fn base_for(&mut self, element: &Element) -> Base {
        let outer = self.scopes.last().and_then(|s| s.base.clone());
        let Some(base) = element.attribute("xml:base") else { return outer };
        let joined = join_base(outer.as_deref().or(self.request.as_ref()), base);
        self.bases += joined.as_ref().map_or(0, |url| url.as_str().len());
        joined.filter(|_| self.bases <= MAX_BASES).map(Arc::new).or(outer)
    }

    fn open_entry(&mut self, element: &Element) {
        self.close_entry();
        self.misplaced |=
            self.scopes.len() == 1 && self.scopes.first().is_some_and(|s| s.name == "rss");
        self.saw_content = true;
        let base = self.base_for(element);
        self.open(Role::Entry, element, base.clone());
        let scope_language = element.attribute("xml:lang").map(str::to_owned);
        let mut entry = RawEntry { base, language: scope_language, ..RawEntry::default() };
        fields::entry_attributes(element, &mut entry);
        self.entry = Some(entry);
        if element.empty {
            self.close_entry();
        }
    }

    fn close_entry(&mut self) {
        if let Some(entry) = self.entry.take() {
            self.feed.entries.push(entry);
        }
        if self.scopes.last().is_some_and(|s| s.role == Role::Entry) {
            self.scopes.pop();
        }
    }

    fn end(&mut self, name: &str, oddities: &mut Oddities) {
        let Some(at) = self.scopes.iter().rposition(|s| s.name == name) else {
            oddities.stray = true;
            return;
        };
        oddities.unclosed |= at + 1 < self.scopes.len();
        while self.scopes.len() > at {
            match self.scopes.last().map(|s| s.role) {
                Some(Role::Entry) => self.close_entry(),
                _ => drop(self.scopes.pop()),
            }
        }
        self.finished = self.scopes.is_empty();
    }

    fn field(&mut self, element: Element, reader: &mut Reader<'_>) {
        let container = |name: &str| self.scopes.iter().any(|s| s.name == name);
        // Foreign elements may contain complete entries, such as older versions of an entry.
        let may_hold = matches!(element.ns(), Ns::Xhtml | Ns::Other);
        let fields = reader.content(element, |event| match event {
            Event::Start(e) => {
                !may_hold && e.ns() != Ns::Xhtml && matches!(e.name.as_str(), "item" | "entry")
            }
            Event::End(name) => {
                matches!(name.as_str(), "item" | "entry" | "channel" | "rss" | "feed" | "rdf")
                    && container(name)
            }
            Event::Text(_) => false,
        });
        self.saw_content |= self.scopes.len() > 1;
        for element in fields {
            let base = self.base_for(&element);
            match &mut self.entry {
                Some(entry) => fields::entry(&element, base, self.is_atom, entry),
                None if !hints::take(&element, &mut self.feed) => {
                    channel::take(&element, base, self.is_atom, &mut self.feed);
                }
                None => {}
            }
        }
    }
}

//! The small tree of a field: an element, its attributes and its content.

use super::names::Ns;
use crate::util::html::escape;
use std::cell::Cell;
use std::rc::Rc;
use url::Url;

/// An element: its name, its attributes and, once read, its content.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) ns: Option<Ns>,
    /// Local name in lower case.
    pub(super) name: String,
    /// Qualified names in lower case, and decoded values.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Node>,
    /// Whether the tag is self-closing (`<a/>`).
    pub(super) empty: bool,
    /// Number of nested elements of the same name whose start tags were dropped.
    pub(super) dropped: usize,
    /// Number of bytes that `xml:base` attributes may still add to URLs, shared by all fields of the
    /// document.
    pub(super) resolvable: Option<Rc<Cell<usize>>>,
}

#[derive(Debug)]
pub(super) enum Node {
    Text(String),
    Element(Element),
}

impl Element {
    pub(super) fn ns(&self) -> Ns {
        self.ns.unwrap_or(Ns::Core)
    }

    /// The value of an attribute by its qualified name, or else by its local name with any prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let exact = self.attributes.iter().find(|(n, _)| n == name);
        let local = || {
            let by_local =
                |n: &str| n.rsplit_once(':').is_some_and(|(p, l)| l == name && p != "xmlns");
            self.attributes.iter().find(|(n, _)| by_local(n))
        };
        exact.or_else(local).map(|(_, v)| v.as_str())
    }

    /// The text of the element and its descendants, without tags.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.push_text(&mut out);
        out
    }

    fn push_text(&self, out: &mut String) {
        for child in &self.children {
            match child {
                Node::Text(text) => out.push_str(text),
                Node::Element(element) => element.push_text(out),
            }
        }
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|c| match c {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|e| e.name == name)
    }

    /// The content as HTML source. URLs are resolved against the `xml:base` attributes inside, if there are
    /// any.
    pub(super) fn inner_html(&self, base: Option<&Url>) -> String {
        let mut out = String::new();
        let left = self.resolvable.clone().unwrap_or_default();
        self.push_html(&mut out, base, false, &left);
        out
    }

    fn push_html(&self, out: &mut String, base: Option<&Url>, moved: bool, left: &Cell<usize>) {
        for child in &self.children {
            match child {
                Node::Text(text) => out.push_str(&escape(text)),
                Node::Element(e) => {
                    let own = e.attribute("xml:base").filter(|_| left.get() > 0);
                    let own = own.and_then(|b| join_base(base, b));
                    let (inner, moved) = (own.as_ref().or(base), moved || own.is_some());
                    out.push('<');
                    out.push_str(&e.name);
                    for (name, value) in &e.attributes {
                        if !name.contains(':') && name != "xmlns" {
                            push_attribute(out, name, value, inner.filter(|_| moved), left);
                        }
                    }
                    out.push('>');
                    e.push_html(out, inner, moved, left);
                    if !is_void(&e.name) {
                        out.push_str("</");
                        out.push_str(&e.name);
                        out.push('>');
                    }
                }
            }
        }
    }
}

fn push_attribute(
    out: &mut String,
    name: &str,
    value: &str,
    base: Option<&Url>,
    left: &Cell<usize>,
) {
    let reference = matches!(name, "href" | "src" | "cite" | "poster") && left.get() > 0;
    let resolved = base.filter(|_| reference).and_then(|b| join_base(Some(b), value));
    if let Some(url) = &resolved {
        left.set(left.get().saturating_sub(url.as_str().len()));
    }
    let value = resolved.as_ref().map_or(value, Url::as_str);
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    out.push_str(&escape(value));
    out.push('"');
}

/// The base URL set by an `xml:base` attribute, resolved against the outer base URL.
pub(super) fn join_base(outer: Option<&Url>, base: &str) -> Option<Url> {
    crate::util::url::absolute(outer, base)
}

/// Whether an element is an HTML void element.
pub(super) fn is_void(name: &str) -> bool {
    matches!(name, "br" | "hr" | "img" | "input" | "wbr" | "col" | "embed" | "source" | "track")
}

impl Element {
    /// Splits off the first child that is a field itself, and all elements after it.
    pub(super) fn into_fields(mut self) -> Vec<Self> {
        const FIELDS: [&str; 14] = [
            "title",
            "link",
            "description",
            "pubdate",
            "guid",
            "author",
            "category",
            "comments",
            "published",
            "updated",
            "id",
            "summary",
            "content",
            "encoded",
        ];
        let is_field = |n: &Node| matches!(n, Node::Element(e) if e.ns() != Ns::Xhtml && FIELDS.contains(&e.name.as_str()));
        let at = self.children.iter().position(is_field).unwrap_or(self.children.len());
        let rest = self.children.split_off(at);
        let elements = rest.into_iter().filter_map(|n| match n {
            Node::Element(e) => Some(e),
            Node::Text(_) => None,
        });
        std::iter::once(self).chain(elements).collect()
    }
}

//! Names of people.

use super::element::Element;

/// The name in an Atom person construct, or in a text such as `ann@example.com (Ann Example)`.
pub(super) fn name(element: &Element) -> Option<String> {
    let part = |name: &str| {
        let text = element.child(name).map(Element::text)?;
        Some(text.trim().to_owned()).filter(|t| !t.is_empty())
    };
    if element.elements().next().is_some() {
        // Descriptions of people in Dublin Core and RDF contain a `title`.
        let found = part("name").or_else(|| part("title")).or_else(|| part("email"));
        return found.or_else(|| part("uri")).or_else(|| from_text(&element.text()));
    }
    from_text(&element.text())
}

/// The name in a text with or without an email address, or the address if there is no name.
pub(super) fn from_text(text: &str) -> Option<String> {
    let text = crate::util::html::to_text(text);
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if let Some((before, rest)) = text.split_once('(')
        && before.trim().contains('@')
        && !before.trim().contains(' ')
    {
        let name = rest.trim_end().trim_end_matches(')').trim();
        return Some(if name.is_empty() { before.trim() } else { name }.to_owned());
    }
    if let Some((name, address)) = text.split_once('<')
        && address.contains('@')
        && !name.trim().is_empty()
    {
        return Some(name.trim().trim_matches('"').to_owned());
    }
    Some(text.to_owned())
}

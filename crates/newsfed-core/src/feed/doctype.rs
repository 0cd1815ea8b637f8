//! Everything before the root: declarations, notices from broken servers, and the entities declared in the
//! document.

use crate::util::html::decode_entities;
use std::borrow::Cow;
use std::collections::HashMap;

/// Maximum length of the replacement text of an entity, in bytes.
const MAX_VALUE: usize = 1024;

/// Maximum total size of all expanded references to declared entities, in bytes.
const MAX_EXPANSION: usize = 64 * 1024;

/// Maximum number of entities that are read from a document.
const MAX_ENTITIES: usize = 500;

/// Entities declared in the document, as plain replacement texts. References to other declared entities in a
/// replacement text are not expanded, which limits the size of the expansion.
#[derive(Default)]
pub(super) struct Entities {
    values: HashMap<String, String>,
    expanded: usize,
    /// Whether a reference was dropped because of a limit.
    pub(super) refused: bool,
}

impl Entities {
    /// Reads the entities of a document type declaration anywhere in `head`.
    pub(super) fn declared_in(head: &str) -> Self {
        let mut entities = Self::default();
        let mut rest = head;
        while let Some(at) = rest.find("<!ENTITY") {
            rest = &rest[at + 8..];
            if let Some((name, value)) = declaration(rest)
                && entities.values.len() < MAX_ENTITIES
            {
                entities.values.insert(name.to_owned(), value);
            }
        }
        entities
    }

    /// Decodes the references in a text: declared entities first, then HTML entities.
    pub(super) fn decode<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if self.values.is_empty() || !text.contains('&') {
            return decode_entities(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('&') {
            out.push_str(&decode_entities(&rest[..at]));
            rest = &rest[at..];
            let end = rest.bytes().take(64).position(|b| b == b';').unwrap_or(0);
            let value = rest.get(1..end.max(1)).and_then(|name| self.values.get(name));
            let Some(value) = value else {
                let next = rest[1..].find('&').map_or(rest.len(), |n| n + 1);
                out.push_str(&decode_entities(&rest[..next]));
                rest = &rest[next..];
                continue;
            };
            if self.expanded + value.len() <= MAX_EXPANSION {
                self.expanded += value.len();
                out.push_str(value);
            } else {
                self.refused = true;
            }
            rest = &rest[end + 1..];
        }
        out.push_str(&decode_entities(rest));
        Cow::Owned(out)
    }
}

/// The name and text of an internal general entity. External and parameter entities are ignored.
fn declaration(rest: &str) -> Option<(&str, String)> {
    let rest = rest.strip_prefix(|c: char| c.is_ascii_whitespace())?.trim_start();
    let name_len = rest.find(|c: char| c.is_ascii_whitespace())?;
    let (name, rest) = rest.split_at(name_len);
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| "\"'".contains(*c))?;
    let value = &rest[1..];
    let value = &value[..value.find(quote)?];
    (name != "%" && name.len() <= 60 && value.len() <= MAX_VALUE)
        .then(|| (name, decode_entities(value).into_owned()))
}

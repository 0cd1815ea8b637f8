//! Corrects misspelt selectors that match nothing.

use crate::engine::Outline;
use crate::util::near::near;
use std::collections::BTreeSet;

/// Minimum length of a name that is compared with others, in characters.
const SHORTEST: usize = 3;

/// The selector with one name (a tag, class or id) replaced by a similar name on the page.
pub(super) fn near_selector(selector: &str, outline: &Outline) -> Option<String> {
    let has: BTreeSet<&str> = outline.lines.iter().flat_map(|line| names(&line.name)).collect();
    let unknown = names(selector).into_iter().find(|name| !has.contains(name))?;
    if unknown.chars().count() < SHORTEST {
        return None;
    }
    let kind = |name: &str| name.chars().next().filter(|first| matches!(first, '.' | '#'));
    let alike = has.iter().copied().filter(|name| kind(name) == kind(unknown));
    let found = near(unknown, alike)?;
    Some(selector.replacen(unknown, found, 1))
}

/// The tags, `.classes` and `#ids` of a selector, without attributes and pseudo-classes.
fn names(selector: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let (mut found, mut rest) = (Vec::new(), selector);
    while let Some(first) = rest.chars().next() {
        let marked = matches!(first, '.' | '#' | ':' | '@');
        let skipped = if marked { first.len_utf8() } else { 0 };
        let name = rest[skipped..].find(|c| !is_name(c)).map_or(rest.len(), |end| skipped + end);
        match first {
            '[' | '(' => {
                let end = if first == '[' { ']' } else { ')' };
                rest = rest.split_once(end).map_or("", |(_, rest)| rest);
                continue;
            }
            '.' | '#' if name > skipped => found.push(&rest[..name]),
            _ if !marked && name > 0 => found.push(&rest[..name]),
            _ => {}
        }
        rest = &rest[name.max(first.len_utf8())..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::OutlineLine;

    fn outline(names: &[&str]) -> Outline {
        let line = |name: &&str| OutlineLine {
            element: 0,
            outer: 0,
            depth: 0,
            name: (*name).to_owned(),
            alike: 0,
            first: None,
            hint: None,
            text: String::new(),
        };
        let mut outline = Outline::default();
        outline.lines = names.iter().map(line).collect();
        outline
    }

    #[test]
    fn corrects_a_misspelt_name_in_a_selector() {
        let page = outline(&["main", "article.card", "h3 > a.headline", "nav.pager", "a.next"]);
        for (typed, meant) in [
            ("a.nxet", Some("a.next")),
            ("main artcle a", Some("main article a")),
            ("article.cards h3", Some("article.card h3")),
            (".haedline[href]", Some(".headline[href]")),
            ("a:first-child .pagr", Some("a:first-child .pager")),
            // A tag is not corrected to a class.
            ("pager", None),
            ("article.something-else", None),
            ("article a.next", None),
            ("é.[", None),
        ] {
            assert_eq!(near_selector(typed, &page).as_deref(), meant, "{typed}");
        }
    }
}

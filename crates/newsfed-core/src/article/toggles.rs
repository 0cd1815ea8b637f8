//! What shows more of a text when it is clicked: "Read more". Its words are not part of the text, and what it
//! shows is, although the page hides it at first.

use ego_tree::NodeId;
use scraper::ElementRef;
use std::collections::HashSet;

/// Longest text of a toggle, in bytes and in pieces.
const MAX_TEXT: usize = 80;
const MAX_PIECES: usize = 20;

/// Their words in lower case, without spaces.
const WORDS: [&str; 40] = [
    "readmore",
    "readless",
    "showmore",
    "showless",
    "seemore",
    "seeless",
    "viewmore",
    "readthefullarticle",
    "continuereading",
    "mehrlesen",
    "weiterlesen",
    "mehranzeigen",
    "wenigeranzeigen",
    "lirelasuite",
    "liresuite",
    "lireplus",
    "voirplus",
    "voirmoins",
    "afficherplus",
    "affichermoins",
    "leermás",
    "vermás",
    "vermenos",
    "mostrarmás",
    "leggidipiù",
    "leggitutto",
    "mostraaltro",
    "leiamais",
    "lermais",
    "vermais",
    "mostrarmais",
    "leesmeer",
    "toonmeer",
    "läsmer",
    "visamer",
    "lesmer",
    "vismere",
    "czytajwięcej",
    "показатьполностью",
    "続きを読む",
];

/// Whether an element, whose role is `role`, is such a toggle: one of these texts alone, which leads nowhere
/// else.
pub(super) fn is_toggle(e: ElementRef<'_>, role: &str) -> bool {
    let leads_nowhere = || {
        e.attr("href").is_none_or(|href| {
            let href = href.trim();
            href.is_empty() || href.starts_with('#') || href.starts_with("javascript:")
        })
    };
    let can_be = match e.value().name() {
        "a" => leads_nowhere(),
        "summary" | "button" | "label" => true,
        "span" | "div" => role == "button",
        _ => false,
    };
    can_be && has_words(e)
}

fn has_words(e: ElementRef<'_>) -> bool {
    let mut folded = String::new();
    for (at, piece) in e.text().enumerate() {
        folded.extend(piece.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
        if at >= MAX_PIECES || folded.len() > MAX_TEXT {
            return false;
        }
    }
    WORDS.contains(&folded.as_str())
}

/// What the toggles of a page show.
#[derive(Default)]
pub(super) struct Shown<'a> {
    ids: HashSet<&'a str>,
    nodes: HashSet<NodeId>,
}

impl<'a> Shown<'a> {
    /// Adds what a toggle names, and what is beside it.
    pub(super) fn add(&mut self, toggle: ElementRef<'a>) {
        let names = ["aria-controls", "data-target", "data-bs-target", "href"];
        let named = names.iter().filter_map(|name| toggle.attr(name));
        self.ids
            .extend(named.map(|id| id.trim().trim_start_matches('#')).filter(|id| !id.is_empty()));
        // A toggle that is alone in its box is beside what is beside the box.
        let parent = toggle.parent().and_then(ElementRef::wrap);
        let alone = parent.filter(|parent| has_words(*parent));
        for element in std::iter::once(toggle).chain(alone) {
            let beside = [
                element.prev_siblings().find_map(ElementRef::wrap),
                element.next_siblings().find_map(ElementRef::wrap),
            ];
            self.nodes.extend(beside.into_iter().flatten().map(|e| e.id()));
        }
    }

    pub(super) fn contains(&self, hidden: ElementRef<'_>) -> bool {
        self.nodes.contains(&hidden.id())
            || hidden.attr("id").is_some_and(|id| self.ids.contains(id))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Guide, Mode, extract};

    #[test]
    fn text_behind_a_toggle_stays_and_its_words_go() {
        let text = "<p>The old harbour of the town was rebuilt this year, after long talks, and at great cost.</p>";
        let rest = "<p>What came after it took longer.</p>";
        for more in [
            format!("<details><summary>Read more</summary>{rest}</details>"),
            format!(
                "<div id=rest hidden>{rest}</div><button aria-controls=rest>Read more</button>"
            ),
            format!(
                "<p><a href='#rest' class=more>Show more…</a></p><div><div id=rest style='display:none'>{rest}</div></div>"
            ),
            format!("<div hidden>{rest}</div><p><a href='javascript:show()'>Weiterlesen</a></p>"),
            "<p>And then <a href=#>read more</a> <span hidden>What came after it took longer.</span></p>"
                .to_owned(),
            format!("<input type=checkbox id=t><label for=t>Lire la suite</label>{rest}"),
            format!("<div>{rest}</div><span role=button>続きを読む</span>"),
        ] {
            let page = format!(
                "<article><h1>Harbour</h1>{}{more}{}</article>",
                text.repeat(4),
                text.repeat(2)
            );
            let found = extract(&page, &Guide::default(), Mode::Auto, None).unwrap();
            for shown in [&found.text, &found.document.text()] {
                assert!(shown.contains("took longer"), "{more}: {shown}");
                let lower = shown.to_lowercase();
                for words in ["read more", "show more", "weiterlesen", "lire la", "続きを"] {
                    assert!(!lower.contains(words), "{more}: {shown}");
                }
            }
        }
    }

    #[test]
    fn links_and_other_hidden_text_are_as_before() {
        let text = "<p>The old harbour of the town was rebuilt this year, after long talks, and at great cost.</p>";
        let page = format!(
            "<article><h1>Harbour</h1>{}<p>Other harbours: <a href=/more>read more</a> about them here.</p>\
             <div id=x hidden><p>A secret note that nobody sees.</p></div><p>The end of it all.</p>{text}</article>",
            text.repeat(4)
        );
        let found = extract(&page, &Guide::default(), Mode::Auto, None).unwrap();
        assert!(
            found.text.contains("read more about") && !found.text.contains("secret"),
            "{}",
            found.text
        );
    }
}

//! Hidden elements that do not belong to the text, although they are next to a toggle or are its target.

use super::MAX_WITHIN;
use crate::article::blocks::is_hidden;
use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Node};

/// Maximum number of ancestors whose names are read, and of nodes that are read in an element.
const MAX_AROUND: usize = 12;
const MAX_NODES: usize = 1000;
/// Maximum length of a class or id that is read, in bytes.
const MAX_NAMES: usize = 200;
/// Maximum length of a text that may be an offer or a notice instead of an article, in bytes.
const MAX_NOTICE: usize = 900;
/// Two texts are treated as the same if they begin with this many equal letters.
const ALIKE: usize = 30;

/// Parts of the names of elements with other content, in lower case.
const PARTS: [&str; 26] = [
    "share",
    "sharing",
    "social",
    "consent",
    "cookie",
    "gdpr",
    "newsletter",
    "subscri",
    "signup",
    "sign-up",
    "paywall",
    "regwall",
    "comment",
    "disqus",
    "modal",
    "dialog",
    "popup",
    "overlay",
    "author",
    "variant",
    "translat",
    "copyright",
    "disclaimer",
    "gateway",
    "tabpanel",
    "tab-pane",
];
/// Words in the names of elements with other content, in lower case.
const WORDS: [&str; 34] = [
    "gate",
    "gated",
    "bio",
    "print",
    "printonly",
    "resp",
    "respond",
    "response",
    "responses",
    "reply",
    "replies",
    "login",
    "register",
    "registration",
    "product",
    "products",
    "shop",
    "cart",
    "menu",
    "nav",
    "sidebar",
    "footer",
    "related",
    "legal",
    "terms",
    "promo",
    "ad",
    "ads",
    "tab",
    "tabs",
    "pane",
    "lang",
    "language",
    "tooltip",
];
/// Words of offers and notices, in lower case.
const NOTICES: [&str; 58] = [
    "subscri",
    "log in",
    "log into",
    "sign in",
    "sign up",
    "signing up",
    "register to",
    "your account",
    "newsletter",
    "inbox",
    "free articles",
    "cookie",
    "you accept",
    "you agree",
    "terms and conditions",
    "terms of use",
    "terms of service",
    "privacy",
    "rights reserved",
    "rights are reserved",
    "clipboard",
    "abonn",
    "anmelden",
    "einloggen",
    "registrieren",
    "posteingang",
    "datenschutz",
    "rechte vorbehalten",
    "nutzungsbedingungen",
    "connectez-vous",
    "connecter",
    "inscrivez",
    "inscrire",
    "droits réservés",
    "confidentialité",
    "suscri",
    "iniciar sesión",
    "inicia sesión",
    "regístrate",
    "todos los derechos",
    "privacidad",
    "abbona",
    "accedi",
    "iscriviti",
    "tutti i diritti",
    "assinante",
    "assine",
    "inscreva",
    "todos os direitos",
    "inloggen",
    "alle rechten",
    "prenumer",
    "logga in",
    "zaloguj",
    "войдите",
    "все права",
    "подпишитесь",
    "ログイン",
];

/// Whether a hidden element has other content, judging by its name or its text, or repeats visible text.
pub(super) fn is_refused(e: ElementRef<'_>) -> bool {
    is_named(e) || !is_text_alone(e) || repeats_neighbour(e)
}

/// Whether the name of an element, or of an ancestor within the article, shows that it has other content.
/// Forms are ignored as ancestors, because old pages have a form around everything.
fn is_named(e: ElementRef<'_>) -> bool {
    let around = e.ancestors().filter_map(ElementRef::wrap).take(MAX_AROUND);
    let mut around = around
        .take_while(|around| !matches!(around.value().name(), "article" | "main" | "body"))
        .filter(|around| around.value().name() != "form");
    is_other(e) || around.any(is_other)
}

fn is_other(e: ElementRef<'_>) -> bool {
    let is_naming = |name: &str| {
        matches!(name, "class" | "id" | "role" | "data-testid" | "data-component" | "data-name")
    };
    let mut names = e.value().attrs().filter(|(name, _)| is_naming(name));
    matches!(e.value().name(), "nav" | "aside" | "footer" | "dialog" | "form")
        || names.any(|(_, value)| names_other(value))
}

fn names_other(names: &str) -> bool {
    let names = crate::util::text::start(names, MAX_NAMES).to_ascii_lowercase();
    names.split_ascii_whitespace().any(|name| {
        let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
        // A class such as `has-sidebar` on a whole page only means that there is a sidebar.
        let is_state = words.clone().any(|w| matches!(w, "has" | "with" | "no" | "open"));
        !is_state
            && (PARTS.iter().any(|part| name.contains(part)) || words.any(|w| WORDS.contains(&w)))
    })
}

/// Whether an element contains few links and no form, navigation, other hidden text or notice.
fn is_text_alone(e: ElementRef<'_>) -> bool {
    let (mut all, mut linked) = (0, 0);
    let mut start = String::new();
    let mut link: Option<NodeId> = None;
    for node in e.descendants().skip(1).take(MAX_NODES) {
        match node.value() {
            Node::Text(text) => {
                all += text.len();
                let is_linked = link.is_some() && {
                    node.ancestors().take(MAX_AROUND).any(|a| Some(a.id()) == link)
                };
                linked += if is_linked { text.len() } else { 0 };
                if start.len() + text.len() <= MAX_NOTICE {
                    start.push_str(text);
                }
            }
            Node::Element(element) => {
                let is_text = match element.name() {
                    "form" | "nav" | "dialog" | "select" | "textarea" => false,
                    "input" => element.attr("type") == Some("checkbox"),
                    _ => !ElementRef::wrap(node).is_some_and(|e| is_hidden(e) && has_text(node)),
                };
                if !is_text {
                    return false;
                }
                link = if element.name() == "a" { Some(node.id()) } else { link };
            }
            _ => {}
        }
    }
    let is_notice = || {
        let lower = start.to_lowercase();
        NOTICES.iter().any(|notice| lower.contains(notice))
    };
    linked * 2 <= all && !(all <= MAX_NOTICE && is_notice())
}

fn has_text(node: NodeRef<'_, Node>) -> bool {
    node.descendants().take(MAX_WITHIN).any(|node| match node.value() {
        Node::Text(text) => text.chars().take(MAX_NOTICE).any(char::is_alphanumeric),
        _ => false,
    })
}

/// Whether a visible sibling begins with the same words, such as a short version of the text.
fn repeats_neighbour(e: ElementRef<'_>) -> bool {
    let beside = e.prev_siblings().take(MAX_WITHIN).chain(e.next_siblings().take(MAX_WITHIN));
    let mut beside = beside.filter_map(ElementRef::wrap).filter(|e| !is_hidden(*e));
    let own = first_letters(e);
    own.chars().count() >= ALIKE && beside.any(|other| first_letters(other) == own)
}

fn first_letters(e: ElementRef<'_>) -> String {
    let mut letters = String::new();
    let mut left = ALIKE;
    for node in e.descendants().take(MAX_WITHIN) {
        let Node::Text(text) = node.value() else { continue };
        for c in text.chars().take(MAX_NOTICE).filter(|c| c.is_alphanumeric()) {
            if left == 0 {
                return letters;
            }
            left -= 1;
            letters.push(c);
        }
    }
    letters
}

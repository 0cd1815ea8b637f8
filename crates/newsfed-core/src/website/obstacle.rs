//! Pages shown instead of the article: a login, a question about cookies, an empty shell.

use super::page::{Page, own};
use crate::model::LeftOutReason;
use crate::util::html::tree::text_of;
use crate::util::url::normalise;
use scraper::{ElementRef, Selector};
use std::sync::LazyLock;
use url::Url;

/// A page with more letters and digits has text besides its login form or cookie question. Letters are
/// counted because words cannot be counted in every language.
const FEW_LETTERS: usize = 750;
/// With this many letters and digits, a page with a login form in its header counts as having text.
const SOME_LETTERS: usize = 50;

static PASSWORD: LazyLock<Option<Selector>> = LazyLock::new(|| own("form input[type=password]"));
static H1: LazyLock<Option<Selector>> = LazyLock::new(|| own("h1"));
static PARAGRAPHS: LazyLock<Option<Selector>> = LazyLock::new(|| own("p"));
/// Names and roles of elements that are not part of the content of a page.
const BESIDE: &[&str] =
    &["header", "nav", "aside", "footer", "dialog", "banner", "navigation", "complementary"];
static BODY: LazyLock<Option<Selector>> = LazyLock::new(|| own("body"));
/// Parts of the host or path of a login page.
const LOGIN: &[&str] =
    &["login", "signin", "sign-in", "log-in", "sso", "auth", "anmelden", "connexion"];
/// Parts of the host or path of a consent page.
const CONSENT: &[&str] =
    &["consent", "cookiewall", "cookie-wall", "privacywall", "privacy-gate", "gdpr"];

/// The obstacle that prevents reading the article at `requested`.
pub fn obstacle(page: &Page, requested: &Url) -> Option<LeftOutReason> {
    let moved = normalise(page.url()) != normalise(requested);
    let few = || {
        let body = BODY.as_ref().and_then(|s| page.tree().select(s).next());
        body.is_none_or(|body| !has_text(&text_of(body)))
    };
    let leads_to_login = moved && leads_to(page.url(), LOGIN);
    let mut passwords = PASSWORD.iter().flat_map(|s| page.tree().select(s));
    if let Some(first) = passwords.next() {
        let mut beside =
            || !moved && is_beside(first) && passwords.all(is_beside) && has_article(page);
        if leads_to_login || few() && !beside() {
            return Some(LeftOutReason::NeedsLogin);
        }
    }
    if moved && leads_to(page.url(), CONSENT) && few() {
        return Some(LeftOutReason::NeedsConsent);
    }
    page.needs_javascript().then_some(LeftOutReason::NeedsJavascript)
}

/// Whether a text is so long that it must be the article rather than an obstacle.
pub fn has_text(text: &str) -> bool {
    letters(text).nth(FEW_LETTERS).is_some()
}

fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| c.is_alphanumeric())
}

/// Whether an element is in the header of a page, or otherwise outside its content.
fn is_beside(element: ElementRef<'_>) -> bool {
    element.ancestors().filter_map(ElementRef::wrap).any(|around| {
        let role = around.attr("role").unwrap_or_default();
        BESIDE.contains(&around.value().name()) || BESIDE.contains(&role)
    })
}

/// Whether a page has its own heading and paragraphs, however short.
fn has_article(page: &Page) -> bool {
    let own = |selector: &'static Option<Selector>| {
        let all = selector.iter().flat_map(|s| page.tree().select(s));
        all.filter(|e| !is_beside(*e)).map(text_of)
    };
    let titled = page.title().is_some() || own(&H1).any(|h| letters(&h).next().is_some());
    titled && own(&PARAGRAPHS).map(|p| letters(&p).count()).sum::<usize>() >= SOME_LETTERS
}

/// Whether a part of the host or path is one of `words`.
fn leads_to(url: &Url, words: &[&str]) -> bool {
    let place = format!("{}{}", url.host_str().unwrap_or_default(), url.path()).to_lowercase();
    place.split(['.', '/', '_']).any(|part| words.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_obstacles() {
        use LeftOutReason::{NeedsConsent, NeedsJavascript, NeedsLogin};
        let login = "<form><input name=u><input type=password></form>";
        let text = "word ".repeat(200);
        let chinese = "新闻报道全文".repeat(150);
        let note = "<h1>Notice</h1><p>The library stays closed on Monday because of the move to the \
                    new building.";
        let cases = [
            ("/a", format!("<p>Please log in{login}"), Some(NeedsLogin)),
            ("/a", format!("<p>{text}{login}"), None),
            ("/a", format!("<p>{chinese}{login}"), None),
            ("/a", format!("<p>{}{login}", "新闻".repeat(100)), Some(NeedsLogin)),
            ("/a", format!("<header>{login}</header>{note}"), None),
            ("/a", format!("<div role=banner>{login}</div>{note}"), None),
            ("/a", format!("<header>{login}</header><h1>Log in</h1>"), Some(NeedsLogin)),
            ("/login", format!("<header>{login}</header>{note}"), Some(NeedsLogin)),
            ("/a", format!("{note}{login}"), Some(NeedsLogin)),
            ("/login/", format!("<p>{text}{login}"), Some(NeedsLogin)),
            ("/consent", "<p>We value your privacy".to_owned(), Some(NeedsConsent)),
            ("/consent", format!("<p>{text}"), None),
            (
                "/a",
                "<div id=root></div><script src=a.js></script>".to_owned(),
                Some(NeedsJavascript),
            ),
            ("/a", "<h1>Note</h1><p>Short".to_owned(), None),
        ];
        let requested = Url::parse("https://example.org/a").unwrap();
        for (path, body, want) in cases {
            let page =
                Page::parse(&format!("<body>{body}"), &requested.join(path).unwrap()).unwrap();
            assert_eq!(obstacle(&page, &requested), want, "{path} {body:.60}");
        }
    }
}

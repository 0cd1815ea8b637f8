//! Pages that stand in front of the article: a login, a question about cookies, an empty shell.

use super::page::{Page, own};
use crate::model::LeftOutReason;
use crate::util::html::tree::text_of;
use crate::util::url::normalise;
use scraper::Selector;
use std::sync::LazyLock;
use url::Url;

/// With more words, a page has a text besides its login or its question.
const FEW_WORDS: usize = 150;

static PASSWORD: LazyLock<Option<Selector>> = LazyLock::new(|| own("form input[type=password]"));
static BODY: LazyLock<Option<Selector>> = LazyLock::new(|| own("body"));
/// Parts of a host or path of login and consent pages.
const LOGIN: &[&str] =
    &["login", "signin", "sign-in", "log-in", "sso", "auth", "anmelden", "connexion"];
const CONSENT: &[&str] =
    &["consent", "cookiewall", "cookie-wall", "privacywall", "privacy-gate", "gdpr"];

/// What stands in the way of the page at `asked`.
pub fn obstacle(page: &Page, asked: &Url) -> Option<LeftOutReason> {
    let moved = normalise(page.url()) != normalise(asked);
    let few = || {
        let body = BODY.as_ref().and_then(|s| page.tree().select(s).next());
        body.is_none_or(|body| text_of(body).split_whitespace().nth(FEW_WORDS).is_none())
    };
    let has_password = PASSWORD.as_ref().is_some_and(|s| page.tree().select(s).next().is_some());
    if has_password && (moved && leads_to(page.url(), LOGIN) || few()) {
        return Some(LeftOutReason::NeedsLogin);
    }
    if moved && leads_to(page.url(), CONSENT) && few() {
        return Some(LeftOutReason::NeedsConsent);
    }
    page.needs_javascript().then_some(LeftOutReason::NeedsJavascript)
}

/// Whether a part of the host or path is one of these words.
fn leads_to(url: &Url, words: &[&str]) -> bool {
    let place = format!("{}{}", url.host_str().unwrap_or_default(), url.path()).to_lowercase();
    place.split(['.', '/', '_']).any(|part| words.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_what_stands_in_the_way() {
        use LeftOutReason::{NeedsConsent, NeedsJavascript, NeedsLogin};
        let login = "<form><input name=u><input type=password></form>";
        let text = "word ".repeat(200);
        let cases = [
            ("/a", format!("<p>Please log in{login}"), Some(NeedsLogin)),
            ("/a", format!("<p>{text}{login}"), None),
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
        let asked = Url::parse("https://example.org/a").unwrap();
        for (path, body, want) in cases {
            let page = Page::parse(&format!("<body>{body}"), &asked.join(path).unwrap()).unwrap();
            assert_eq!(obstacle(&page, &asked), want, "{path} {body:.60}");
        }
    }
}

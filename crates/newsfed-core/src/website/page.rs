//! A page as a tree, with the base URL for its links.

use crate::util::html::{self, tree, tree::text_of};
use crate::util::session::without_session;
use crate::util::{text, url as address};
use scraper::{Html, Selector};
use std::sync::LazyLock;
use url::Url;

/// Why a page cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// Another kind of document, or an empty one.
    #[error("this is not an HTML page; it seems to be {0}")]
    NotHtml(&'static str),
    /// Nested too deeply for a tree.
    #[error("{}", tree::REFUSED)]
    TooDeep,
}

/// A parsed page. It is parsed once; all searches use the same tree.
pub struct Page {
    tree: Html,
    base: Url,
    url: Url,
}

/// Parses a built-in selector.
pub(super) fn own(selector: &'static str) -> Option<Selector> {
    Selector::parse(selector).ok()
}

static BASE: LazyLock<Option<Selector>> = LazyLock::new(|| own("base[href]"));
static TITLE: LazyLock<Option<Selector>> = LazyLock::new(|| own("title"));
static BODY: LazyLock<Option<Selector>> = LazyLock::new(|| own("body"));
static SCRIPTS: LazyLock<Option<Selector>> = LazyLock::new(|| own("script"));
static NOSCRIPT: LazyLock<Option<Selector>> = LazyLock::new(|| own("noscript"));

impl Page {
    /// Parses a page; `url` is the URL of the response.
    ///
    /// # Errors
    /// If it is empty, not HTML, or nested too deeply.
    pub fn read(bytes: &[u8], content_type: Option<&str>, url: &Url) -> Result<Self, PageError> {
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        let other = |what| Err(PageError::NotHtml(what));
        match essence.split_once('/') {
            Some(("image" | "audio" | "video" | "font", _)) => return other("a media file"),
            Some(("application", "pdf")) => return other("a PDF document"),
            Some(("application", "json")) => return other("JSON"),
            _ => {}
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return other("an empty document");
        }
        let start = &bytes[..bytes.len().min(1024)];
        if start.contains(&0) && !start.starts_with(b"\xff\xfe") && !start.starts_with(b"\xfe\xff")
        {
            return other("a binary file");
        }
        Self::parse(&html::decode(bytes, content_type), url)
    }

    /// Like [`Page::read`], from text.
    ///
    /// # Errors
    /// If it contains no tag, or is nested too deeply.
    pub fn parse(markup: &str, url: &Url) -> Result<Self, PageError> {
        if !html::contains_markup(markup) {
            return Err(PageError::NotHtml("plain text"));
        }
        let tree = tree::page(markup).ok_or(PageError::TooDeep)?;
        let base = BASE.as_ref().and_then(|s| tree.select(s).next());
        let base = base.and_then(|b| address::resolve(url, b.attr("href")?));
        Ok(Self { base: base.unwrap_or_else(|| url.clone()), tree, url: url.clone() })
    }

    pub fn tree(&self) -> &Html {
        &self.tree
    }

    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The base URL of relative links.
    pub fn base(&self) -> &Url {
        &self.base
    }

    /// The http or https URL that a reference resolves to, without its fragment and session parameters.
    pub fn resolve(&self, href: &str) -> Option<Url> {
        let mut url = without_session(address::resolve(&self.base, href)?);
        url.set_fragment(None);
        Some(url)
    }

    /// The title of the page; one sanitised line. A repeated part, such as the name of the site, is kept only
    /// once.
    pub fn title(&self) -> Option<String> {
        let title = TITLE.as_ref().and_then(|s| self.tree.select(s).next())?;
        let line = without_repetition(&text::line(&title.text().collect::<String>()));
        (!line.is_empty()).then_some(line)
    }

    /// Whether the page shows its text only with JavaScript: it has almost no text, but scripts or a notice
    /// about them.
    pub fn needs_javascript(&self) -> bool {
        let Some(body) = BODY.as_ref().and_then(|s| self.tree.select(s).next()) else {
            return false;
        };
        // A few words around an empty main part do not count as text.
        let words = text_of(body).chars().filter(|c| c.is_alphanumeric()).count();
        let count = |s: &Option<Selector>| s.as_ref().map_or(0, |s| self.tree.select(s).count());
        let notice = NOSCRIPT.as_ref().is_some_and(|s| {
            self.tree
                .select(s)
                .any(|n| n.text().collect::<String>().to_lowercase().contains("javascript"))
        });
        match count(&SCRIPTS) {
            0 => false,
            _ => words < 50 || (notice && words < 200),
        }
    }
}

/// Removes repeated parts of a title: "News | Town | Town" becomes "News | Town".
fn without_repetition(title: &str) -> String {
    const BETWEEN: [&str; 8] =
        [" | ", " - ", " \u{2013} ", " \u{2014} ", " \u{b7} ", " :: ", " \u{bb} ", " \u{2022} "];
    let mut kept = String::new();
    let mut seen: Vec<String> = Vec::new();
    let (mut rest, mut before) = (title, "");
    loop {
        let next = BETWEEN.iter().filter_map(|b| Some((rest.find(b)?, *b))).min();
        let (part, between) = match next {
            Some((at, between)) => (&rest[..at], between),
            None => (rest, ""),
        };
        let name = part.trim().to_lowercase();
        if !seen.contains(&name) {
            if !kept.is_empty() {
                kept.push_str(before);
            }
            kept.push_str(part);
            seen.push(name);
        }
        if between.is_empty() {
            return kept;
        }
        (rest, before) = (&rest[part.len() + between.len()..], between);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at() -> Url {
        Url::parse("https://example.org/a/b").unwrap()
    }

    #[test]
    fn resolves_links_against_the_base() {
        let page = Page::parse("<base href='/q/'><p>x", &at()).unwrap();
        let cases = [
            ("1.html#top", Some("https://example.org/q/1.html")),
            ("2.html?PHPSESSID=x1&b=2", Some("https://example.org/q/2.html?b=2")),
            ("mailto:a@b", None),
            ("javascript:void(0)", None),
            ("tel:1", None),
            ("data:text/html,x", None),
        ];
        for (href, want) in cases {
            assert_eq!(page.resolve(href).as_ref().map(Url::as_str), want, "{href}");
        }
        let odd = Page::parse("<base href='javascript:1'><p>", &at()).unwrap();
        assert_eq!(odd.base(), &at());
    }

    #[test]
    fn removes_repeated_parts_of_a_title() {
        let cases = [
            ("News | Town | Town", "News | Town"),
            ("Town - News \u{2013} town", "Town - News"),
            ("Lighthouse", "Lighthouse"),
            ("On-call - a story", "On-call - a story"),
            (" \u{b7}  \u{b7} x", "\u{b7} \u{b7} x"),
        ];
        for (title, want) in cases {
            let page = Page::parse(&format!("<title>{title}</title>"), &at()).unwrap();
            assert_eq!(page.title().as_deref(), Some(want), "{title}");
        }
    }

    #[test]
    fn rejects_documents_that_are_not_html() {
        let cases: [(&[u8], &str, &str); 5] = [
            (b"%PDF-1.4", "application/pdf", "PDF"),
            (b"", "text/html", "empty"),
            (b"\x89PNG\0\0", "text/html", "binary"),
            (b"{}", "application/json", "JSON"),
            (b"hello", "text/plain", "plain text"),
        ];
        for (bytes, kind, word) in cases {
            let error = Page::read(bytes, Some(kind), &at()).err().unwrap().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn recognises_pages_that_need_scripts() {
        let text = "word ".repeat(100);
        let cases = [
            ("<div id=root></div><script src=app.js></script>".to_owned(), true),
            (
                "<noscript>You need to enable JavaScript to run this app.</noscript>\
                 <div id=app>Loading</div><script src=a.js></script>"
                    .to_owned(),
                true,
            ),
            (format!("<p>{text}</p><script src=a.js></script>"), false),
            ("<p>Closed today.</p>".to_owned(), false),
        ];
        for (markup, want) in cases {
            assert_eq!(Page::parse(&markup, &at()).unwrap().needs_javascript(), want, "{markup}");
        }
    }
}

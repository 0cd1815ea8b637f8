//! Redirects in the markup of a page, `<meta http-equiv=refresh>`, or in the header `Refresh`.

use super::request::Response;
use crate::util::html::{Scanner, Token};
use url::Url;

/// Maximum delay that counts as a redirect, in seconds; a longer delay leaves time to read the page.
const MAX_DELAY: f64 = 5.0;
/// Maximum number of bytes of a page that are searched: the element belongs in the head.
const MAX_HEAD: usize = 32 * 1024;

/// The target of a page's redirect with a short delay; `None` if there is none.
pub(super) fn target(response: &Response) -> Option<String> {
    if !response.is_success() {
        return None;
    }
    let by_header = response.header("refresh").and_then(destination);
    let is_html = || {
        let kind = response.content_type().unwrap_or_default().to_ascii_lowercase();
        kind.contains("html")
    };
    let found = by_header.or_else(|| is_html().then(|| by_markup(&response.body)).flatten())?;
    let mut next = response.final_url.join(&found).ok()?;
    next.set_fragment(None);
    (!is_same(&next, &response.final_url)).then_some(found)
}

fn is_same(next: &Url, page: &Url) -> bool {
    let mut page = page.clone();
    page.set_fragment(None);
    *next == page
}

fn by_markup(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&body[..body.len().min(MAX_HEAD)]);
    let mut scanner = Scanner::new(&head);
    while let Some(token) = scanner.next_token() {
        let Token::Open(tag) = token else { continue };
        // Browsers that run scripts skip `noscript`, which often states that scripts are needed.
        if ["script", "style", "noscript", "template", "title"].iter().any(|name| tag.is(name)) {
            scanner.skip_raw(tag.name);
        } else if tag.is("meta") {
            let is_refresh = tag
                .attribute("http-equiv")
                .is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"));
            if is_refresh {
                return destination(&tag.attribute("content")?);
            }
        }
    }
    None
}

/// The URL in "0; url='/there'", if the delay is short.
fn destination(content: &str) -> Option<String> {
    let content = content.trim();
    let digits = content.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(content.len());
    let (delay, rest) = content.split_at(digits);
    if delay.parse::<f64>().ok()? > MAX_DELAY {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ';' | ','));
    let named = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let rest = if named { rest[3..].trim_start().strip_prefix('=')?.trim_start() } else { rest };
    let url = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => rest[1..].split(quote).next().unwrap_or_default(),
        _ => rest,
    };
    Some(url.trim().to_owned()).filter(|url| !url.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_urls_of_redirects() {
        let cases = [
            ("0; url=/there", Some("/there")),
            ("0;URL='https://example.org/a b'", Some("https://example.org/a b")),
            ("5, /x", Some("/x")),
            (" 0.5 ;  url = \"/q\" ", Some("/q")),
            ("6; url=/late", None),
            ("300", None),
            ("0", None),
            ("0; url=", None),
            ("soon; url=/x", None),
            ("0; ürl", Some("ürl")),
            ("", None),
        ];
        for (content, want) in cases {
            assert_eq!(destination(content).as_deref(), want, "{content}");
        }
    }

    #[test]
    fn finds_the_refresh_element_where_browsers_do() {
        let cases = [
            ("<html><head><META HTTP-EQUIV=Refresh CONTENT='0;url=/a'>", Some("/a")),
            ("<noscript><meta http-equiv=refresh content='0;url=/a'></noscript>", None),
            ("<script>'<meta http-equiv=refresh content=\"0;url=/a\">'</script>", None),
            ("<!-- <meta http-equiv=refresh content='0;url=/a'> -->", None),
            ("<meta name=refresh content='0;url=/a'>", None),
            ("<meta http-equiv=refresh content='0;url=/a&amp;b'>", Some("/a&b")),
        ];
        for (markup, want) in cases {
            assert_eq!(by_markup(markup.as_bytes()).as_deref(), want, "{markup}");
        }
        let late = format!("{}<meta http-equiv=refresh content='0;url=/a'>", " ".repeat(MAX_HEAD));
        assert_eq!(by_markup(late.as_bytes()), None);
    }
}

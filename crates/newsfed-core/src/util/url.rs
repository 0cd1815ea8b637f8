//! Parses, resolves and compares URLs.

use super::login::without_secrets;
use super::session::{is_session, path_without_session};
use crate::util::limits;
use std::fmt;
use url::{Position, Url};

/// A URL as the user typed it, with its credentials kept apart.
#[derive(Clone, PartialEq, Eq)]
pub struct WebAddress {
    /// http or https, without credentials.
    pub url: Url,
    /// User name in the URL.
    pub user: Option<String>,
    /// Password in the URL.
    pub password: Option<String>,
    /// Whether https was assumed: the URL was typed without a scheme.
    pub assumed: bool,
}

impl fmt::Debug for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = self.password.as_ref().map(|_| "hidden");
        f.debug_struct("WebAddress")
            .field("url", &self.url.as_str())
            .field("user", &self.user)
            .field("password", &hidden)
            .finish()
    }
}

/// Why a text is not a web URL. The quoted text is sanitised and short.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("no URL given; enter one such as https://example.com/")]
    Empty,
    /// Longer than [`limits::URL_BYTES`].
    #[error("the URL is longer than {} bytes", limits::URL_BYTES)]
    TooLong,
    /// A scheme other than http or https.
    #[error("cannot follow \"{0}\" URLs; only http and https are supported")]
    Scheme(String),
    #[error("\"{text}\" is not a valid URL: {why}")]
    Invalid {
        /// The text, shortened.
        text: String,
        why: String,
    },
}

/// Parses a URL as users paste it: with or without a scheme, with `feed:`, or surrounded by spaces, quotes or
/// angle brackets.
///
/// # Errors
/// If the text is empty, too long, not a URL, or has a scheme other than http and https.
pub fn parse_web(text: &str) -> Result<WebAddress, UrlError> {
    let text = unwrap_pasted(text);
    if text.is_empty() {
        return Err(UrlError::Empty);
    }
    if text.len() > limits::URL_BYTES {
        return Err(UrlError::TooLong);
    }
    let text = without_feed_scheme(text);
    let url = match explicit_scheme(&text) {
        Some(scheme)
            if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") =>
        {
            Url::parse(&text)
        }
        Some(scheme) => return Err(UrlError::Scheme(super::text::line(scheme))),
        None => Url::parse(&format!("https://{}", text.trim_start_matches('/'))),
    };
    let invalid = |why: String| UrlError::Invalid {
        text: super::text::truncate(&super::text::line(&without_secrets(&text)), 80).into_owned(),
        why,
    };
    let mut url = url.map_err(|e| invalid(describe(e, &text)))?;
    if !plausible_host(&url, explicit_scheme(&text).is_some()) {
        return Err(invalid(NO_HOST.to_owned()));
    }
    let (user, password) = take_credentials(&mut url).unzip();
    let given = |text: &String| !text.is_empty();
    let assumed = explicit_scheme(&text).is_none();
    Ok(WebAddress { url, user: user.filter(given), password: password.filter(given), assumed })
}

const NO_HOST: &str = "it has no host name such as example.org";

/// The reason why a text is not a URL, in plain words.
fn describe(error: url::ParseError, text: &str) -> String {
    use url::ParseError as Error;
    let after_scheme = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = after_scheme.trim_start_matches('/').split(['/', '?', '#']).next();
    match error {
        Error::EmptyHost => NO_HOST.to_owned(),
        Error::IdnaError | Error::InvalidDomainCharacter
            if host.is_some_and(|host| host.contains(char::is_whitespace)) =>
        {
            "a host name cannot contain spaces".to_owned()
        }
        Error::IdnaError | Error::InvalidDomainCharacter => {
            "its host name contains invalid characters".to_owned()
        }
        Error::InvalidPort => "the port, after the colon, must be a number up to 65535".to_owned(),
        Error::InvalidIpv4Address | Error::InvalidIpv6Address => {
            "its host is a number that is not an IP address".to_owned()
        }
        other => other.to_string(),
    }
}

/// Removes user name and password from a URL and returns them. `None` if there are none.
pub fn take_credentials(url: &mut Url) -> Option<(String, String)> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let decode =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let taken = (decode(url.username()), decode(url.password().unwrap_or_default()));
    // Both calls fail only for URLs without a host, which have no credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(taken)
}

/// An absolute http(s) URL from a reference in a document, without credentials. A reference that
/// would inherit more than [`limits::BASE_BYTES`] of its base URL is not resolved.
pub fn resolve(base: &Url, href: &str) -> Option<Url> {
    let href = tidy(href)?;
    let inherited = match href.as_bytes().first() {
        Some(b'/') => Position::BeforePath,
        Some(b'#') => Position::AfterQuery,
        _ => Position::AfterPath,
    };
    let long =
        base.as_str().len() > limits::BASE_BYTES && base[..inherited].len() > limits::BASE_BYTES;
    finish(if long { Url::parse(&href) } else { base.join(&href) }.ok()?)
}

/// Like [`resolve`], but without a base the reference must be absolute.
pub fn absolute(base: Option<&Url>, href: &str) -> Option<Url> {
    match base {
        Some(base) => resolve(base, href),
        None => finish(Url::parse(tidy(href)?.as_ref()).ok()?),
    }
}

/// Whether [`absolute`] returns exactly this text, with any base. Saves parsing most URLs; it only recognises
/// common ones, and returns `false` for others.
pub fn is_normal(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    // A single pass over the bytes, because most links of all articles are checked here.
    let slash = rest.bytes().position(|b| b == b'/');
    let Some((host, rest)) = slash.map(|at| (&rest[..at], &rest[at + 1..])) else { return false };
    let bytes = rest.as_bytes();
    let mut path = 0;
    let mut begins = true;
    while let Some(&b) = bytes.get(path).filter(|b| is_plain(**b)) {
        // A dot (possibly encoded) at the start of a segment may refer to another folder.
        let is_dot =
            b == b'.' || b == b'%' && matches!(bytes.get(path + 1..path + 3), Some(b"2e" | b"2E"));
        if begins && is_dot {
            return false;
        }
        begins = b == b'/';
        path += 1;
    }
    url.len() <= limits::URL_BYTES && is_normal_host(host) && is_normal_end(&rest[path..])
}

/// Like [`is_normal`], for the part after the path: an optional query and an optional fragment.
fn is_normal_end(end: &str) -> bool {
    let (query, fragment) = end.split_once('#').unwrap_or((end, ""));
    query.bytes().enumerate().all(|(at, b)| b == b'?' || at > 0 && is_plain(b))
        && fragment.bytes().all(|b| b == b'?' || is_plain(b))
}

/// Whether a byte is left unchanged in the path, query and fragment of a URL.
fn is_plain(b: u8) -> bool {
    matches!(b,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'%' | b'!' | b'$'
        | b'&' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/')
}

/// Whether a host consists of labels of lower-case letters, digits and hyphens, and the last label is not a
/// number.
fn is_normal_host(host: &str) -> bool {
    let mut before = b'.';
    let mut is_word = false;
    for b in host.bytes() {
        let fits = match b {
            b'a'..=b'z' | b'0'..=b'9' => true,
            b'-' | b'.' => before != b'.' && before != b'-',
            _ => false,
        };
        if !fits {
            return false;
        }
        if before == b'.' {
            is_word = b.is_ascii_lowercase();
        }
        before = b;
    }
    is_word && before != b'-' && before != b'.'
}

/// A key that is equal for two URLs of the same article. For comparison only, never to be opened.
///
/// It ignores the fragment, a default port, tracking and session parameters, a trailing slash in the path
/// (servers return the same page for both, and feeds switch between them), and the difference between http
/// and https (otherwise, all items of a site that moves to https would appear a second time).
pub fn normalise(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let mut key = format!("https://{host}");
    if let Some(port) = url.port() {
        key.push_str(&format!(":{port}"));
    }
    let path = path_without_session(url.path());
    let path = path.trim_end_matches('/');
    key.push_str(if path.is_empty() { "/" } else { path });
    let kept = url.query().unwrap_or_default().split('&').filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        !name.is_empty() && !is_tracking(name) && !is_session(pair)
    });
    for (n, pair) in kept.enumerate() {
        key.push(if n == 0 { '?' } else { '&' });
        key.push_str(pair);
    }
    key
}

fn is_tracking(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "fbclid",
        "gclid",
        "dclid",
        "gbraid",
        "wbraid",
        "msclkid",
        "yclid",
        "twclid",
        "igshid",
        "mc_cid",
        "mc_eid",
        "_ga",
        "_gl",
        "_hsenc",
        "_hsmi",
        "at_medium",
    ];
    let name = name.to_ascii_lowercase();
    name.starts_with("utm_") || name.starts_with("at_campaign") || NAMES.contains(&name.as_str())
}

fn unwrap_pasted(text: &str) -> &str {
    const WRAPPING: [char; 12] =
        ['<', '>', '"', '\'', '`', '(', ')', '“', '”', '‘', '’', '\u{feff}'];
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let text = text.trim_matches(blank);
    let inner = text.trim_start_matches(WRAPPING);
    if inner.len() == text.len() {
        return text;
    }
    inner.trim_end_matches(WRAPPING).trim_matches(blank)
}

/// `feed://host/x` becomes `http://host/x`; `feed:https://host/x` becomes `https://host/x`.
fn without_feed_scheme(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let Some(scheme) = ["feed:", "rss:", "podcast:"].iter().find(|s| lower.starts_with(**s)) else {
        return text.to_owned();
    };
    let rest = &text[scheme.len()..];
    match rest.strip_prefix("//") {
        Some(rest) => format!("http://{rest}"),
        None => rest.to_owned(),
    }
}

/// The scheme, unless the text before the colon is a host with a port.
fn explicit_scheme(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    let letters = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-".contains(c));
    let port = rest.starts_with(|c: char| c.is_ascii_digit());
    let user = rest.contains('@') && !rest.starts_with("//");
    (letters && !port && !(user && scheme != "mailto")).then_some(scheme)
}

/// Whether there is a plausible host. A word without a dot counts only with an explicit scheme.
fn plausible_host(url: &Url, explicit: bool) -> bool {
    url.host_str().is_some_and(|host| {
        let local = host == "localhost" || url.domain().is_none() || url.port().is_some();
        !host.is_empty() && (explicit || local || host.trim_end_matches('.').contains('.'))
    })
}

/// The reference without characters that browsers ignore: surrounding spaces, and tabs and line endings
/// anywhere.
fn tidy(href: &str) -> Option<std::borrow::Cow<'_, str>> {
    let href = href.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    if href.is_empty() || href.len() > limits::URL_BYTES {
        return None;
    }
    // Other control characters and bidirectional marks do not belong in a URL either.
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if href.contains(odd) {
        return Some(href.replace(odd, "").into());
    }
    Some(href.into())
}

fn finish(mut url: Url) -> Option<Url> {
    let usable = matches!(url.scheme(), "http" | "https") && url.has_host();
    if !usable || url.as_str().len() > limits::URL_BYTES {
        return None;
    }
    take_credentials(&mut url);
    Some(url)
}

/// A URL in the strict form of RFC 3986, which validators of other formats require: browsers leave some
/// characters, such as brackets, unencoded.
pub fn strict(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = if scheme.is_empty() { 0 } else { rest.find(['/', '?', '#']).unwrap_or(rest.len()) };
    let start = url.len() - rest.len() + host;
    let mut out = url[..start].to_owned();
    let (bytes, mut fragment) = (&url.as_bytes()[start..], false);
    for (at, &byte) in bytes.iter().enumerate() {
        let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
        let stays = match byte {
            b'%' => is_hex(at + 1) && is_hex(at + 2),
            b'#' => !std::mem::replace(&mut fragment, true),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?@!$&'()*+,;=".contains(&byte),
        };
        match stays {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests;

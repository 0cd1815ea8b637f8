//! Identifiers of sources, derived from their URLs.

use crate::model::{SourceId, exec_name};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fmt::Write;
use url::Url;

/// Maximum length of an identifier, in characters.
pub(crate) const MAX_ID_CHARS: usize = 64;
/// The pattern of identifiers, without Unicode features that some editors do not support.
pub(super) const ID_PATTERN: &str = r"^[^\s!-,/:-@\[-^`{-~-][^\s!-,/:-@\[-^`{-~]{0,63}$";

/// Maximum length of a derived identifier, which keeps it readable and leaves space for a suffix.
const MAX_DERIVED_CHARS: usize = 40;

/// Words in a URL that only indicate a feed.
const PLAIN_WORDS: [&str; 12] = [
    "www", "feed", "feeds", "rss", "rss2", "atom", "index", "xml", "rdf", "json", "default", "php",
];

/// The identifier of a source that has none: its host and the meaningful words of the rest of the
/// URL, in ASCII letters, digits and dashes. The same URL always gives the same identifier.
pub(crate) fn derive_id(url: &Url) -> SourceId {
    if let Some(name) = local_name(url) {
        let id: String = joined(words(&name)).chars().take(MAX_DERIVED_CHARS).collect();
        let id = id.trim_end_matches('-');
        return SourceId(match id {
            "" => format!("source-{}", fingerprint(url)),
            id => id.to_owned(),
        });
    }
    let host = url.host_str().unwrap_or("source").trim_matches(['[', ']']);
    let is_one_word = words(host).nth(1).is_none();
    let of_host = words(host).filter(|word| is_one_word || !word.eq_ignore_ascii_case("www"));
    let rest = words(url.path()).chain(words(url.query().unwrap_or("")));
    let is_plain = |word: &str| PLAIN_WORDS.iter().any(|plain| plain.eq_ignore_ascii_case(word));
    let mut whole = joined(of_host.chain(rest.filter(|word| !is_plain(word))));
    if let Some(port) = url.port() {
        let dash = if whole.is_empty() { "" } else { "-" };
        let _ = write!(whole, "{dash}{port}");
    }
    if whole.is_empty() {
        return SourceId(format!("source-{}", fingerprint(url)));
    }
    if whole.len() <= MAX_DERIVED_CHARS {
        return SourceId(whole);
    }
    let start = whole[..MAX_DERIVED_CHARS - 7].trim_end_matches('-');
    SourceId(format!("{start}-{}", fingerprint(url)))
}

/// The name of a program, or of a file without its extension.
fn local_name(url: &Url) -> Option<String> {
    let path = || Some(url.to_file_path().ok()?.file_stem()?.to_string_lossy().into_owned());
    exec_name(url).or_else(|| path().filter(|_| url.scheme() == "file"))
}

/// An identifier for a URL, different from those in `taken`, to which it is added.
pub fn unique_id(url: &Url, taken: &mut HashSet<String>) -> SourceId {
    let plain = derive_id(url);
    if taken.insert(plain.0.clone()) {
        return plain;
    }
    let marked = format!("{plain}-{}", fingerprint(url));
    if taken.insert(marked.clone()) {
        return SourceId(marked);
    }
    let mut number = 2u64;
    loop {
        let id = format!("{marked}-{number}");
        if taken.insert(id.clone()) {
            return SourceId(id);
        }
        number += 1;
    }
}

/// Checks an identifier. The error is a message.
pub(crate) fn check_id(id: &str) -> Result<(), String> {
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !id.is_empty()
        && id.chars().count() <= MAX_ID_CHARS
        && id.chars().all(letter)
        && !id.starts_with('-')
    {
        return Ok(());
    }
    Err(format!(
        "expected a word of at most {MAX_ID_CHARS} letters, digits, \"-\", \"_\" and \".\", found {}",
        super::quote::quote(id)
    ))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// The words in lower case, joined with dashes.
fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::with_capacity(MAX_DERIVED_CHARS);
    for word in words {
        if !joined.is_empty() {
            joined.push('-');
        }
        joined.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    }
    joined
}

/// Six hexadecimal digits of the URL's SHA-256.
fn fingerprint(url: &Url) -> String {
    let digest = Sha256::digest(url.as_str().as_bytes());
    digest.iter().take(3).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derives_readable_identifiers() {
        let cases = [
            ("https://www.hn.example/rss", "hn-example"),
            ("https://blog.example/tech/feed.xml", "blog-example-tech"),
            ("http://127.0.0.1:8791/many/3/feed.xml", "127-0-0-1-many-3-8791"),
            ("https://example.com/?format=rss&tag=rust", "example-com-format-tag-rust"),
            ("https://bücher.example/feed", "xn-bcher-kva-example"),
            ("exec:weather-feed.py/0123456789abcdef", "weather-feed-py"),
            ("file:///home/alice/feeds/local%20news.xml", "local-news"),
        ];
        for (address, id) in cases {
            let url = Url::parse(address).unwrap();
            assert_eq!(derive_id(&url).as_str(), id);
            assert_eq!(check_id(id), Ok(()));
        }
        let long = Url::parse(&format!("https://x.example/{}", "a-b/".repeat(99))).unwrap();
        assert!(derive_id(&long).as_str().len() <= MAX_DERIVED_CHARS);
    }

    #[test]
    fn makes_identifiers_unique() {
        let mut taken = HashSet::new();
        let a = Url::parse("https://x.example/feed").unwrap();
        let b = Url::parse("http://x.example/rss").unwrap();
        let ids: Vec<_> = [&a, &b, &b].map(|u| unique_id(u, &mut taken)).into();
        assert_eq!(ids[0].as_str(), "x-example");
        assert_eq!(taken.len(), 3, "{ids:?}");
        for bad in ["", "-x", "a b", "a/b", &"x".repeat(65)] {
            assert!(check_id(bad).is_err(), "{bad}");
        }
    }
}

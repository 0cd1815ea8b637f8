//! Pictures that are embedded in the text as `data:` URLs. Safe HTML contains a marker instead, with a hash
//! of the data, by which the picture is found again in the page.

use super::scan::{Scanner, Token};
use crate::util::limits::{IMAGE_BYTES, PAGE_NODES};
use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fmt::Write;

/// The URL of an embedded picture in safe HTML, up to the hash of its data. In texts stored before hashes
/// were added, the URL ends here.
pub const OMITTED: &str = "data:image/x-omitted,";
/// Number of hexadecimal digits of a hash: 128 bits.
const HASH: usize = 32;
/// Base64 as browsers read it: with or without padding.
const FORGIVING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);
/// Maximum side length, in pixels, of an icon or of a placeholder for another picture.
const SMALL: u32 = 24;
/// Minimum length, in bytes, of the data of a picture if its size is not known, or if it is a drawing.
const MIN_DATA: usize = 300;
/// How many characters of the data are decoded to get the size: a multiple of four.
const HEAD: usize = 64;

/// Whether the URL of an image contains the picture itself, and not an icon or a placeholder for a picture
/// that is loaded later.
pub fn is_embedded(source: &str) -> bool {
    let source = source.trim();
    if is_marker(source) {
        return true;
    }
    let Some(kind) = source.get(..11).filter(|s| s.eq_ignore_ascii_case("data:image/")) else {
        return false;
    };
    let Some((about, data)) = source[kind.len()..].split_once(',') else { return false };
    let encoded = about.len() < 100 && about.to_ascii_lowercase().ends_with(";base64");
    match size(data).filter(|_| encoded) {
        Some((width, height)) => width.max(height) > SMALL && width.min(height) > 1,
        None => data.len() >= MIN_DATA,
    }
}

/// The marker of a picture for which [`is_embedded`] is true. The marker of a marker is the marker itself.
pub fn marker(source: &str) -> String {
    let source = source.trim();
    if is_marker(source) {
        return source.to_owned();
    }
    let data = source.split_once(',').map_or("", |(_, data)| data);
    let mut hash = Sha256::new();
    // Pages and feeds may break the data into lines differently.
    data.split_ascii_whitespace().for_each(|part| hash.update(part));
    let mut out = OMITTED.to_owned();
    for byte in &hash.finalize()[..HASH / 2] {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn is_marker(source: &str) -> bool {
    source == OMITTED || has_hash(source)
}

/// Whether a URL is a marker with a hash.
pub fn has_hash(marker: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let hash = marker.strip_prefix(OMITTED);
    hash.is_some_and(|hash| hash.len() == HASH && hash.bytes().all(is_digit))
}

/// Whether safe HTML contains markers. Called for each text of each feed.
pub fn has_marker(html: &str) -> bool {
    memchr::memmem::find(html.as_bytes(), OMITTED.as_bytes()).is_some()
}

/// Safe HTML with the hashes removed from its markers; `None` if there are none.
pub fn without_hashes(html: &str) -> Option<String> {
    if !has_marker(html) {
        return None;
    }
    let (mut out, mut from) = (String::new(), 0);
    for (at, _) in html.match_indices(OMITTED) {
        let hash = at + OMITTED.len();
        if html.get(at..hash + HASH).is_some_and(has_hash) {
            out.push_str(&html[from..hash]);
            from = hash + HASH;
        }
    }
    (from > 0).then(|| out + &html[from..])
}

/// The pictures in a page's source whose markers are wanted, as pairs of marker and data. The data is empty
/// if it cannot be decoded or exceeds [`IMAGE_BYTES`].
pub fn pictures(page: &str, wanted: &HashSet<String>) -> Vec<(String, Vec<u8>)> {
    let mut missing: HashSet<&str> =
        wanted.iter().map(String::as_str).filter(|m| has_hash(m)).collect();
    let (mut scanner, mut found, mut tags) = (Scanner::new(page), Vec::new(), 0);
    while !missing.is_empty() && tags < PAGE_NODES {
        let Some(token) = scanner.next_token() else { break };
        let Token::Open(tag) = token else { continue };
        tags += 1;
        let source = if tag.is("img") { tag.attribute("src") } else { None };
        let Some(source) = source.filter(|s| is_embedded(s) && !is_marker(s.trim())) else {
            continue;
        };
        let marker = marker(&source);
        if missing.remove(marker.as_str()) {
            found.push((marker, data(source.trim()).unwrap_or_default()));
        }
    }
    found
}

/// The data of a picture in a `data:` URL.
fn data(source: &str) -> Option<Vec<u8>> {
    let (about, data) = source.split_once(',')?;
    if data.len() > IMAGE_BYTES * 3 {
        return None;
    }
    let is_base64 = about.to_ascii_lowercase().ends_with(";base64");
    let bytes: Vec<u8> = match is_base64 {
        true => percent_decode_str(data).filter(|byte| !byte.is_ascii_whitespace()).collect(),
        false => percent_decode_str(data).collect(),
    };
    let bytes = if is_base64 { FORGIVING.decode(bytes).ok()? } else { bytes };
    (!bytes.is_empty() && bytes.len() <= IMAGE_BYTES).then_some(bytes)
}

/// Width and height of a PNG or GIF picture, read from the start of its Base64 data.
fn size(data: &str) -> Option<(u32, u32)> {
    let head: String = data.chars().filter(|c| !c.is_ascii_whitespace()).take(HEAD).collect();
    let head = head.get(..head.len() / 4 * 4)?.trim_end_matches('=');
    let head = STANDARD.decode(head.get(..head.len() / 4 * 4)?).ok()?;
    let number = |at: usize| Some(u32::from_be_bytes(head.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| Some(u16::from_le_bytes(head.get(at..at + 2)?.try_into().ok()?).into());
    if head.starts_with(b"\x89PNG") {
        return number(16).zip(number(20));
    }
    if head.starts_with(b"GIF8") { short(6).zip(short(8)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_icons_are_not_pictures() {
        let png = |width: u32, height: u32| {
            let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
            bytes.extend(width.to_be_bytes());
            bytes.extend(height.to_be_bytes());
            bytes.extend([8, 2, 0, 0, 0]);
            format!("data:image/png;base64,{}", STANDARD.encode(bytes))
        };
        let blank =
            "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
        let frame = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 3 2'%3E%3C/svg%3E";
        let drawing = format!("data:image/svg+xml;base64,{}", "PHN2".repeat(200));
        let jpeg = format!("DATA:image/jpeg;base64,{}", "/9j/".repeat(200));
        for (source, expected) in [
            (png(200, 100).as_str(), true),
            (&png(600, 2), true),
            (&png(1, 1), false),
            (&png(900, 1), false),
            (&png(16, 16), false),
            (&jpeg, true),
            (&drawing, true),
            (OMITTED, true),
            (&marker(&jpeg), true),
            ("data:image/x-omitted,12", false),
            (blank, false),
            (frame, false),
            ("data:,", false),
            ("data:image/png", false),
            ("data:image/png;base64,", false),
            ("data:text/html,x", false),
            ("https://e.org/a.png", false),
            ("", false),
        ] {
            assert_eq!(is_embedded(source), expected, "{source}");
        }
    }

    /// A picture as a `data:` URL in Base64.
    fn url(data: &[u8]) -> String {
        format!("data:image/png;base64,{}", STANDARD.encode(data))
    }

    #[test]
    fn markers_depend_only_on_the_data() {
        let first = marker(&url(&[1; 400]));
        assert!(has_hash(&first) && is_embedded(&first), "{first}");
        assert_eq!(marker(&first), first);
        assert_eq!(marker(OMITTED), OMITTED);
        assert_ne!(marker(&url(&[2; 400])), first);
        let broken = url(&[1; 400]).replace("AQEBAQEB", "AQEB\n  AQEB");
        assert_eq!(marker(&format!(" {broken} ")), first);
        let html = format!("<p>a</p><img src=\"{first}\" alt=\"b\"><img src=\"{OMITTED}\">é");
        let bare = format!("<p>a</p><img src=\"{OMITTED}\" alt=\"b\"><img src=\"{OMITTED}\">é");
        assert_eq!(without_hashes(&html), Some(bare.clone()));
        assert_eq!(without_hashes(&bare), None);
        assert_eq!(without_hashes(&format!("{OMITTED}é{}", "1".repeat(31))), None);
    }

    #[test]
    fn finds_wanted_pictures_in_a_page() {
        let (a, b) = (vec![1; 400], vec![2; 401]);
        let unpadded = url(&b).trim_end_matches('=').replace('A', "%41");
        let percent = format!("data:image/gif,{}", "%00%01z".repeat(100));
        let page = format!(
            "<!-- <img --><p><img alt=x src='{}'><IMG SRC=\"{unpadded}\"><img src='{percent}'>\
             <img src='https://e.org/a.png'><img src='data:text/html;base64,{}'><img src='",
            url(&a).replacen("AQEB", "AQEB\n", 1),
            "AAAA".repeat(200),
        );
        let sources = [url(&a), unpadded, percent];
        let wanted = |sources: &[String]| sources.iter().map(|s| marker(s)).collect();
        let found = pictures(&page, &wanted(&sources));
        let data: Vec<&[u8]> = found.iter().map(|(_, data)| data.as_slice()).collect();
        assert_eq!(data, [a.as_slice(), &b, &b"\0\x01z".repeat(100)]);
        assert_eq!(pictures(&page, &wanted(&sources[1..2])), found[1..2]);
        assert_eq!(pictures(&page, &wanted(&[url(&[3; 400])])), []);
        assert_eq!(pictures(&page, &HashSet::from([OMITTED.to_owned()])), []);
    }

    #[test]
    fn hostile_data_gives_no_picture() {
        let huge = format!("data:image/png;base64,{}", "AAAA".repeat(IMAGE_BYTES / 3 + 100));
        let sources = [
            huge,
            format!("data:image/png,{}", "%".repeat(3 * IMAGE_BYTES + 1)),
            format!("data:image/png;base64,{}", "*".repeat(1000)),
            format!("data:image/png;base64,{}", "%0a".repeat(1000)),
        ];
        for source in sources {
            assert!(is_embedded(&source));
            let page = format!("<img src='{source}'>").repeat(2);
            let found = pictures(&page, &HashSet::from([marker(&source)]));
            assert_eq!(found, [(marker(&source), vec![])]);
        }
        // Each picture is found once, and tags are counted.
        let page = format!("<img src='{}'>", url(&[1; 400])).repeat(1000);
        assert_eq!(pictures(&page, &HashSet::from([marker(&url(&[1; 400]))])).len(), 1);
        let page = "<b>".repeat(PAGE_NODES) + &page;
        assert_eq!(pictures(&page, &HashSet::from([marker(&url(&[1; 400]))])), []);
    }
}

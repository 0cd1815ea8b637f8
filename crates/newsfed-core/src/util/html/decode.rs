//! Decodes the bytes of a page.

use super::{Scanner, Token};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How many bytes of a page are searched for an encoding declaration. The HTML standard specifies 1024, but
/// some generators put a long comment first.
const PRESCAN: usize = 4096;

/// Decodes a page. The encoding comes from the byte order mark, the HTTP header or the `meta` element, in
/// this order. Without any of them, it is UTF-8 if the bytes are valid, and is guessed otherwise. Invalid
/// bytes are replaced.
pub fn decode(bytes: &[u8], content_type: Option<&str>) -> String {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding.decode(bytes).0.into_owned();
    }
    let named = content_type.and_then(header_charset).or_else(|| meta_charset(bytes));
    if let Some(encoding) = named.filter(|e| *e != UTF_8) {
        return encoding.decode_without_bom_handling(bytes).0.into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // The text ends within a character.
        Err(e) if e.error_len().is_none() => String::from_utf8_lossy(bytes).into_owned(),
        Err(_) if named.is_some() => String::from_utf8_lossy(bytes).into_owned(),
        Err(_) => {
            let mut detector =
                chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
            detector.feed(bytes, true);
            let guessed = detector.guess(None, chardetng::Utf8Detection::Allow);
            guessed.decode_without_bom_handling(bytes).0.into_owned()
        }
    }
}

/// The `charset` parameter of a media type.
fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let (_, value) = lower.split_once("charset")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value.find([';', '"', '\'', ' ']).unwrap_or(value.len());
    Encoding::for_label(&value.as_bytes()[..end])
}

/// The encoding that the page declares at its start. The declaration is readable as ASCII, so the page cannot
/// be UTF-16, even if it declares that (HTML standard, "prescan a byte stream").
fn meta_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(PRESCAN)];
    let text: String = start.iter().map(|b| char::from(*b)).collect();
    let mut scanner = Scanner::new(&text);
    while let Some(token) = scanner.next_token() {
        let Token::Open(tag) = token else { continue };
        if !tag.is("meta") {
            continue;
        }
        let own = tag.attribute("charset").and_then(|c| Encoding::for_label(c.trim().as_bytes()));
        let is_type = tag
            .attribute("http-equiv")
            .is_some_and(|name| name.trim().eq_ignore_ascii_case("content-type"));
        let content = tag.attribute("content").filter(|_| is_type);
        if let Some(found) = own.or_else(|| content.and_then(|c| header_charset(&c))) {
            return Some(if found == UTF_16LE || found == UTF_16BE { UTF_8 } else { found });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_encoding() {
        let cases: [(&[u8], Option<&str>, &str); 8] = [
            (b"caf\xe9", Some("text/html; charset=windows-1252"), "café"),
            (b"caf\xe9", Some("text/html;charset=\"ISO-8859-1\""), "café"),
            (b"<meta charset=latin1>caf\xe9", None, "<meta charset=latin1>café"),
            (
                b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>\xc1",
                None,
                "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>а",
            ),
            ("café".as_bytes(), None, "café"),
            (b"\xef\xbb\xbfcaf\xc3\xa9", Some("text/html; charset=latin1"), "café"),
            (b"a\xffb", Some("text/html; charset=utf-8"), "a\u{fffd}b"),
            (b"<meta charset=utf-16>caf\xc3\xa9", None, "<meta charset=utf-16>café"),
        ];
        for (bytes, header, want) in cases {
            assert_eq!(decode(bytes, header), want);
        }
    }
}

//! Decompresses documents and decodes them to text.

use super::FeedError;
use crate::util::limits;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;
use std::io::Read;

/// Decodes a document. The encoding comes from the byte order mark, the HTTP header or the XML declaration,
/// in this order, or is detected from the content. Repairs are appended to `repairs`.
pub(super) fn decode<'b>(
    bytes: &'b [u8],
    content_type: Option<&str>,
    repairs: &mut Vec<String>,
) -> Result<Cow<'b, str>, FeedError> {
    let mut body = Cow::Borrowed(bytes);
    // Decompress twice, because some servers compress data that is already compressed.
    for _ in 0..2 {
        if let Some(inflated) = inflate(&body, repairs)? {
            body = Cow::Owned(inflated);
        }
    }
    if body.len() > limits::FEED_BYTES {
        return Err(FeedError::TooLarge);
    }
    let without_marks = |text: Cow<'b, str>| match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches('\u{feff}')),
        Cow::Owned(mut text) => {
            let marks = text.len() - text.trim_start_matches('\u{feff}').len();
            text.drain(..marks);
            Cow::Owned(text)
        }
    };
    Ok(without_marks(match body {
        Cow::Borrowed(body) => to_text(body, content_type, repairs),
        Cow::Owned(body) => Cow::Owned(to_text(&body, content_type, repairs).into_owned()),
    }))
}

/// Decompresses gzip or zlib data, which is detected by its first bytes; `None` for anything else.
fn inflate(bytes: &[u8], repairs: &mut Vec<String>) -> Result<Option<Vec<u8>>, FeedError> {
    let mut out = Vec::new();
    let cap = limits::FEED_BYTES as u64 + 1;
    let result = match bytes {
        [0x1f, 0x8b, ..] => {
            flate2::read::MultiGzDecoder::new(bytes).take(cap).read_to_end(&mut out)
        }
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => {
            flate2::read::ZlibDecoder::new(bytes).take(cap).read_to_end(&mut out)
        }
        _ => return Ok(None),
    };
    if out.len() > limits::FEED_BYTES {
        return Err(FeedError::TooLarge);
    }
    match result {
        Ok(_) => repairs
            .push("the document was compressed, which its headers did not declare".to_owned()),
        Err(_) if out.is_empty() => return Ok(None),
        Err(_) => repairs
            .push("the compressed document is damaged; it was read up to the damage".to_owned()),
    }
    Ok(Some(out))
}

fn to_text<'b>(
    bytes: &'b [u8],
    content_type: Option<&str>,
    repairs: &mut Vec<String>,
) -> Cow<'b, str> {
    if let Some(text) = utf32(bytes) {
        return text.into();
    }
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return lossy(encoding, bytes, repairs).into();
    }
    if let Some(encoding) = bare_utf16(bytes) {
        return lossy(encoding, bytes, repairs).into();
    }
    let header = content_type.and_then(charset);
    let declared = declaration(bytes);
    let label = header.or(declared);
    let named = label.as_deref().and_then(|l| Encoding::for_label(l.trim().as_bytes()));
    // The bytes cannot be UTF-16, whatever the document declares.
    let named = named.filter(|e| *e != UTF_16LE && *e != UTF_16BE);
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.is_ascii() && named.is_none_or(Encoding::is_ascii_compatible) => {
            text.into()
        }
        // Text in another encoding is almost never valid UTF-8 by accident.
        Ok(text) if named.is_none_or(|e| e.is_single_byte() || e == UTF_8) => {
            if let (Some(label), true) = (&label, named != Some(UTF_8)) {
                repairs.push(format!("declared as {}, but is UTF-8", clean_label(label)));
            }
            text.into()
        }
        Ok(_) | Err(_) => match named {
            Some(encoding) if encoding != UTF_8 => lossy(encoding, bytes, repairs).into(),
            _ => damaged_utf8(bytes, label.as_deref(), repairs).into(),
        },
    }
}

/// Decodes damaged UTF-8. Single invalid bytes are replaced. A document without any valid sequence must have
/// another encoding.
fn damaged_utf8(bytes: &[u8], label: Option<&str>, repairs: &mut Vec<String>) -> String {
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    if good >= bad {
        repairs.push("invalid UTF-8 bytes were replaced".to_owned());
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guessed = detector.guess(None, chardetng::Utf8Detection::Deny);
    repairs.push(match label {
        Some(label) => format!("declared as {}, read as {}", clean_label(label), guessed.name()),
        None => format!("no encoding declared, read as {}", guessed.name()),
    });
    guessed.decode_without_bom_handling(bytes).0.into_owned()
}

fn lossy(encoding: &'static Encoding, bytes: &[u8], repairs: &mut Vec<String>) -> String {
    // Byte order marks of other encodings were handled above.
    let (text, damaged) = encoding.decode_with_bom_removal(bytes);
    if damaged && encoding == UTF_8 {
        repairs.push("invalid UTF-8 bytes were replaced".to_owned());
    } else if damaged {
        repairs.push(format!("invalid {} bytes were replaced", encoding.name()));
    }
    text.into_owned()
}

/// The charset parameter of a media type. `us-ascii` is the default of old RFCs and is ignored.
fn charset(content_type: &str) -> Option<String> {
    let lower = content_type.to_ascii_lowercase();
    let value = lower
        .split(';')
        .skip(1)
        .find_map(|p| p.trim().strip_prefix("charset")?.trim().strip_prefix('='))?;
    let value = value.trim().trim_matches(['"', '\'']);
    (!value.is_empty() && value != "us-ascii").then(|| value.to_owned())
}

/// The encoding named in the XML declaration.
fn declaration(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(1024)];
    let start = head.windows(5).position(|w| w == b"<?xml")?;
    let head = String::from_utf8_lossy(&head[start..]);
    let head = &head[..head.find('>')?];
    let value = head.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| "\"'".contains(*c))?;
    let value = value[1..].split(quote).next()?;
    Some(value.trim().to_owned())
}

fn clean_label(label: &str) -> String {
    crate::util::text::truncate(&crate::util::text::line(label), 30).into_owned()
}

/// Detects UTF-16 without a byte order mark by zero bytes around the first ASCII characters.
fn bare_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [0, a, 0, b, ..] if a.is_ascii() && b.is_ascii() && *a != 0 => Some(UTF_16BE),
        [a, 0, b, 0, ..] if a.is_ascii() && b.is_ascii() && *a != 0 && *b != 0 => Some(UTF_16LE),
        _ => None,
    }
}

/// Decodes UTF-32 with or without a byte order mark. Neither browsers nor `encoding_rs` support it.
fn utf32(bytes: &[u8]) -> Option<String> {
    let big = match bytes {
        [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, b'<' | b'{', ..] => true,
        [0xff, 0xfe, 0, 0, ..] | [b'<' | b'{', 0, 0, 0, ..] => false,
        _ => return None,
    };
    let unit = |c: &[u8]| match <[u8; 4]>::try_from(c) {
        Ok(four) if big => u32::from_be_bytes(four),
        Ok(four) => u32::from_le_bytes(four),
        Err(_) => 0xfffd,
    };
    Some(bytes.chunks(4).map(|c| char::from_u32(unit(c)).unwrap_or('\u{fffd}')).collect())
}

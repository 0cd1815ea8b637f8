//! Pictures that are embedded in the text as `data:` URLs. Safe HTML keeps the images without their data.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Replaces the data of an embedded picture in safe HTML.
pub const OMITTED: &str = "data:image/x-omitted,";
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
    if source == OMITTED {
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
}

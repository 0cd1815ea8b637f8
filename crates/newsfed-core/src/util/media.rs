//! Files that come with items: their media types and descriptions.

use super::text::size;
use super::time_text::length;
use crate::model::Enclosure;
use url::Url;

/// Maximum length of a media type, in bytes.
const MAX_TYPE: usize = 80;

/// Types that do not reveal the kind of file.
const UNSPECIFIC: [&str; 4] =
    ["application/octet-stream", "binary/octet-stream", "application/download", "text/plain"];

/// Extensions of files that often come with items; the usual one for a type comes first.
const EXTENSIONS: [(&str, &str); 42] = [
    ("aac", "audio/aac"),
    ("aif", "audio/aiff"),
    ("aiff", "audio/aiff"),
    ("flac", "audio/flac"),
    ("m4a", "audio/mp4"),
    ("m4b", "audio/mp4"),
    ("mid", "audio/midi"),
    ("mp3", "audio/mpeg"),
    ("ogg", "audio/ogg"),
    ("oga", "audio/ogg"),
    ("opus", "audio/ogg"),
    ("wav", "audio/wav"),
    ("weba", "audio/webm"),
    ("wma", "audio/x-ms-wma"),
    ("3gp", "video/3gpp"),
    ("avi", "video/x-msvideo"),
    ("m3u8", "application/vnd.apple.mpegurl"),
    ("mkv", "video/x-matroska"),
    ("mov", "video/quicktime"),
    ("mp4", "video/mp4"),
    ("m4v", "video/mp4"),
    ("mpeg", "video/mpeg"),
    ("mpg", "video/mpeg"),
    ("ogv", "video/ogg"),
    ("webm", "video/webm"),
    ("wmv", "video/x-ms-wmv"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("gif", "image/gif"),
    ("heic", "image/heic"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("webp", "image/webp"),
    ("djvu", "image/vnd.djvu"),
    ("epub", "application/epub+zip"),
    ("pdf", "application/pdf"),
    ("torrent", "application/x-bittorrent"),
    ("zip", "application/zip"),
];

/// A media type in lower case, without parameters; `None` if the text is not a media type.
pub fn essence(stated: &str) -> Option<String> {
    let essence = stated.split(';').next()?.trim().to_ascii_lowercase();
    let is_token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
    };
    let (kind, subtype) = essence.split_once('/')?;
    (essence.len() <= MAX_TYPE && is_token(kind) && is_token(subtype)).then_some(essence)
}

/// The type of a file: the stated one, or else the one for the extension in the path of its URL.
pub fn media_type(stated: Option<&str>, url: &str) -> Option<String> {
    let stated = stated.and_then(essence);
    match stated {
        Some(stated) if !UNSPECIFIC.contains(&stated.as_str()) => Some(stated),
        other => by_extension(url).map(str::to_owned).or(other),
    }
}

fn by_extension(url: &str) -> Option<&'static str> {
    let url = Url::parse(url).ok()?;
    let (_, extension) = url.path_segments()?.next_back()?.rsplit_once('.')?;
    let known = EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension));
    known.map(|(_, kind)| *kind)
}

/// The usual extension of a media type.
pub fn extension(media_type: &str) -> Option<&'static str> {
    EXTENSIONS.iter().find(|(_, kind)| *kind == media_type).map(|(extension, _)| *extension)
}

/// Whether the extension of a file shows its type.
pub fn has_known_extension(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|e| EXTENSIONS.iter().any(|(known, _)| known.eq_ignore_ascii_case(e)))
}

/// Type, size and duration, each if it is known, such as `audio/mpeg`, `34 MB`, `52 min`.
pub fn facts(file: &Enclosure) -> Vec<String> {
    // Many feeds state a length of 0 or 1 if they do not know it.
    let bytes = file.bytes.filter(|bytes| *bytes > 1).map(size);
    let kind = media_type(file.mime.as_deref(), &file.url);
    // Feeds often give each file of an entry the entry's duration, even pictures and notes.
    let lasts = kind.as_deref().is_none_or(is_played);
    let seconds = file.seconds.filter(|seconds| lasts && *seconds > 0).map(length);
    kind.into_iter().chain(bytes).chain(seconds).collect()
}

/// Whether the file can be played: audio or video.
pub fn is_playable(file: &Enclosure) -> bool {
    media_type(file.mime.as_deref(), &file.url).as_deref().is_some_and(is_played)
}

fn is_played(media_type: &str) -> bool {
    media_type.starts_with("audio/") || media_type.starts_with("video/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_stated_types_or_guesses_them() {
        let cases = [
            (Some("audio/mpeg"), "https://e.org/a", Some("audio/mpeg")),
            (Some(" Audio/MP4; codecs=x"), "https://e.org/a.mp3", Some("audio/mp4")),
            (None, "https://e.org/a.MP3?x=.pdf#b.ogg", Some("audio/mpeg")),
            (None, "https://e.org/a.d/file", None),
            (None, "https://e.org/?a.mp3", None),
            (Some("application/octet-stream"), "https://e.org/a.pdf", Some("application/pdf")),
            (Some("binary/octet-stream"), "https://e.org/a", Some("binary/octet-stream")),
            (Some("mp3"), "https://e.org/a.ogg", Some("audio/ogg")),
            (Some("audio/*"), "https://e.org/a", None),
            (Some("a/b\u{1b}[31m"), "https://e.org/a", None),
            (Some("a/b/c"), "https://e.org/a", None),
        ];
        for (stated, url, expected) in cases {
            assert_eq!(media_type(stated, url).as_deref(), expected, "{stated:?} {url}");
        }
        let long = format!("audio/{}", "x".repeat(MAX_TYPE));
        assert_eq!(media_type(Some(&long), "https://e.org/a"), None);
    }

    #[test]
    fn omits_unknown_facts() {
        let file = |bytes, seconds| Enclosure {
            url: "https://e.org/a.mp3".to_owned(),
            mime: None,
            bytes,
            seconds,
            ..Enclosure::default()
        };
        for (bytes, seconds, expected) in [
            (Some(34_500_000), Some(3120), "audio/mpeg, 34 MB, 52 min"),
            (Some(0), Some(0), "audio/mpeg"),
            (None, Some(3723), "audio/mpeg, 1 h 2 min"),
            (Some(1), Some(40), "audio/mpeg, 40 s"),
        ] {
            assert_eq!(facts(&file(bytes, seconds)).join(", "), expected);
        }
    }
}

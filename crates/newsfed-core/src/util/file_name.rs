//! File names that are safe on every system, made from untrusted names.

use super::media;
use percent_encoding::percent_decode_str;
use url::Url;

/// A name of at most `max` bytes, made of letters, digits, `-`, `_`, `.` and the characters in `also`, with
/// `extension` if the name has none.
pub fn safe(name: &str, extension: Option<&str>, max: usize, also: &str) -> String {
    let safe = |c: char| {
        if c.is_alphanumeric() || "-_.".contains(c) || also.contains(c) { c } else { '_' }
    };
    let name: String = name.chars().map(safe).collect();
    // Commands would read a name with a leading dash as an option.
    let name = name.trim_start_matches(['.', '_', '-', ' ']).trim_end_matches(['.', '_', ' ']);
    let is_extension =
        |end: &str| (1..=8).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric());
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && is_extension(end) => (stem, Some(end)),
        _ => (name, extension),
    };
    let extension = extension.map(|e| format!(".{e}")).unwrap_or_default();
    let stem = super::text::start(stem, max.saturating_sub(extension.len())).trim_end();
    let reserved = |s: &str| {
        let s = s.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
        matches!(s.as_str(), "" | "con" | "prn" | "aux" | "nul")
            || (s.len() == 4 && (s.starts_with("com") || s.starts_with("lpt")))
    };
    let mark = if reserved(stem) { "file_" } else { "" };
    format!("{mark}{stem}{extension}")
}

/// A safe name made from a title, or `Untitled` if the title has neither letters nor digits. `ending` is
/// empty, or an extension with its dot.
pub fn titled(title: &str, ending: &str, max: usize, also: &str) -> String {
    let title = if title.chars().any(char::is_alphanumeric) { title } else { "Untitled" };
    safe(&format!("{title}{ending}"), None, max, also)
}

/// The name of the n-th file with the same name, from 1: `name.mp3`, `name (2).mp3`.
pub fn numbered(name: &str, number: usize) -> String {
    match (number, name.rsplit_once('.')) {
        (1, _) => name.to_owned(),
        (n, Some((stem, extension))) => format!("{stem} ({n}).{extension}"),
        (n, None) => format!("{name} ({n})"),
    }
}

/// The last path segment of a URL, decoded.
pub fn last_segment(url: &Url) -> Option<String> {
    let segment = url.path_segments()?.rfind(|s| !s.is_empty())?;
    Some(percent_decode_str(segment).decode_utf8_lossy().into_owned())
}

/// Maximum length of a download's name, in bytes, which leaves space for a number and a suffix.
const MAX_DOWNLOAD: usize = 120;
/// Characters that are also allowed in the name of a download.
const ALSO: &str = " ,'()[]&+!@#=";

/// A name for a download: the one that the server gives, or else one from its URL or the URL of the response.
pub fn of_download(
    disposition: Option<&str>,
    url: &Url,
    response: &Url,
    media_type: Option<&str>,
) -> String {
    let has_extension = |name: &String| media::has_known_extension(name);
    let segments = [last_segment(url), last_segment(response)];
    let [first, second] = segments;
    let named = disposition.and_then(disposition_name);
    let from_url = first.clone().filter(has_extension).or(second.filter(has_extension)).or(first);
    // A server may send a path.
    let name = named.or(from_url).unwrap_or_default();
    let name = name.rsplit(['/', '\\']).find(|part| !part.trim().is_empty()).unwrap_or_default();
    let extension = media_type.and_then(media::extension);
    let name = safe(name, extension, MAX_DOWNLOAD - "file_".len(), ALSO);
    // These suffixes are reserved for unfinished downloads and their records.
    let ends = |with: &str| name.to_ascii_lowercase().ends_with(with);
    if ends(".part") || ends(".part.json") { format!("{name}_") } else { name }
}

/// The name in `Content-Disposition` (RFC 6266): `filename*`, or else `filename`.
fn disposition_name(header: &str) -> Option<String> {
    let parameters = parameters(header);
    let of = |wanted: &str| {
        let found = parameters.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.as_str()).filter(|value| !value.trim().is_empty())
    };
    let extended = of("filename*").and_then(|value| {
        let (charset, rest) = value.split_once('\'')?;
        let (_, encoded) = rest.split_once('\'')?;
        charset
            .eq_ignore_ascii_case("utf-8")
            .then(|| percent_decode_str(encoded).decode_utf8_lossy().into_owned())
    });
    extended.or_else(|| of("filename").map(str::to_owned))
}

/// The parameters of a header, after its first value.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut parts = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in header.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => {
                escaped = true;
                continue;
            }
            '"' => {
                quoted = !quoted;
                continue;
            }
            ';' if !quoted => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().into_iter().for_each(|part| part.push(c));
    }
    let pair = |part: &String| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    };
    parts.iter().skip(1).filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downloads_get_safe_names() {
        let cases = [
            (None, "https://e.org/a%20b.mp3?x=.exe", "audio/mpeg", "a b.mp3"),
            (None, "https://e.org/get", "audio/mpeg", "final.mp3"),
            (None, "https://e.org/", "audio/mpeg", "final.mp3"),
            (None, "https://e.org/download.php", "audio/mpeg", "final.mp3"),
            (None, "https://e.org/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "", "final.mp3"),
            (
                Some("attachment; filename=\"Episode 1; part 2.mp3\""),
                "https://e.org/x",
                "",
                "Episode 1_ part 2.mp3",
            ),
            (Some("attachment; filename=\"a\\\"b.mp3\""), "https://e.org/x", "", "a_b.mp3"),
            (
                Some("attachment; filename=x.mp3; filename*=UTF-8''%e2%82%ac%20rates.mp3"),
                "https://e.org/x",
                "",
                "rates.mp3",
            ),
            (Some("attachment; filename*=UTF-8''caf%C3%A9.mp3"), "https://e.org/x", "", "café.mp3"),
            (Some("attachment; filename=\"../../.bashrc\""), "https://e.org/x", "", "bashrc"),
            (Some("attachment; filename=\"..\\..\\x.mp3\""), "https://e.org/x", "", "x.mp3"),
            (Some("attachment; filename=C:\\\\x\\\\y.mp3"), "https://e.org/x", "", "y.mp3"),
            (Some("attachment; filename=-rf.mp3"), "https://e.org/x", "", "rf.mp3"),
            (Some("attachment; filename=\"a\u{202e}3pm.exe\""), "https://e.org/x", "", "a_3pm.exe"),
            (Some("attachment; filename=\"a\u{1b}[31m.mp3\""), "https://e.org/x", "", "a_[31m.mp3"),
            (Some("attachment; filename=con.mp3"), "https://e.org/x", "", "file_con.mp3"),
            (Some("attachment; filename=\" . \""), "https://e.org/x", "audio/ogg", "file_.ogg"),
            (Some("attachment; filename=a.mp3.part"), "https://e.org/x", "", "a.mp3.part_"),
            (Some("attachment; filename=\"\""), "https://e.org/x.mp3", "", "x.mp3"),
            (Some("\"; =;;\"\\"), "https://e.org/x.mp3", "", "x.mp3"),
        ];
        let last = Url::parse("https://cdn.example/final.mp3").unwrap();
        for (disposition, url, kind, expected) in cases {
            let (url, kind) = (Url::parse(url).unwrap(), Some(kind).filter(|k| !k.is_empty()));
            let name = of_download(disposition, &url, &last, kind);
            assert_eq!(name, expected, "{disposition:?} {url}");
        }
        for (url, kind, expected) in [
            ("https://e.org/get", Some("audio/mpeg"), "get.mp3"),
            ("https://e.org/get", Some("text/x-unknown"), "get"),
            ("https://e.org/%2e%2e%2f%2e%2e%2fetc%2fpasswd", None, "passwd"),
            ("https://e.org/", None, "file_"),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(of_download(None, &url, &url, kind), expected, "{url}");
        }
        let long = Url::parse(&format!("https://e.org/{}.mp3", "ä".repeat(500))).unwrap();
        let name = of_download(None, &long, &long, None);
        assert!(name.len() <= MAX_DOWNLOAD && name.ends_with("ä.mp3"), "{name}");
    }

    #[test]
    fn inserts_the_number_before_the_extension() {
        for (name, number, expected) in
            [("a.mp3", 1, "a.mp3"), ("a.mp3", 2, "a (2).mp3"), ("a", 3, "a (3)")]
        {
            assert_eq!(numbered(name, number), expected);
        }
    }
}

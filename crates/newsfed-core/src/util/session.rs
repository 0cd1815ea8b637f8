//! Session parameters in URLs: forums and shops add them for visitors without cookies, with a different value
//! for each visit, so that every visit would find only new URLs.

use url::Url;

/// Parameters that always contain sessions, in lower case.
const NAMES: [&str; 2] = ["phpsessid", "jsessionid"];
/// Parameters that contain sessions if their value looks like one: `sid` may also be the number of a story,
/// and `session_id` the number of a talk.
const MAYBE: [&str; 11] = [
    "sid",
    "s",
    "session",
    "sessionid",
    "session_id",
    "sessid",
    "oscsid",
    "zenid",
    "xtcsid",
    "cfid",
    "cftoken",
];
/// Minimum length of the value of a session, in characters.
const MIN: usize = 24;

/// Whether a parameter (in the form `name=value`) contains a session.
pub(super) fn is_session(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let is_any = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let asp = "aspsessionid";
    is_any(&NAMES)
        || name.as_bytes().get(..asp.len()).is_some_and(|n| n.eq_ignore_ascii_case(asp.as_bytes()))
        || is_token(value) && is_any(&MAYBE)
}

/// Whether the text of a URL has a part that [`without_session`] may remove.
pub(super) fn has_session(url: &str) -> bool {
    if memchr::memchr2(b'?', b';', url.as_bytes()).is_none() {
        return false;
    }
    let url = url.split('#').next().unwrap_or_default();
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    path.contains(';') || query.split('&').any(is_session)
}

/// Whether the text is a sequence of random letters and digits: words, numbers and names of this length
/// contain other characters.
fn is_token(value: &str) -> bool {
    value.len() >= MIN
        && value.bytes().all(|b| b.is_ascii_alphanumeric())
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
}

/// A path without `;jsessionid=…`, which may be in every segment.
pub(super) fn path_without_session(path: &str) -> String {
    if !path.contains(';') {
        return path.to_owned();
    }
    let folder = |folder: &str| {
        let mut parts = folder.split(';');
        let mut kept = parts.next().unwrap_or_default().to_owned();
        for parameter in parts.filter(|p| !is_session(p)) {
            kept.push(';');
            kept.push_str(parameter);
        }
        kept
    };
    path.split('/').map(folder).collect::<Vec<_>>().join("/")
}

/// The URL without session parameters; everything else is unchanged.
pub fn without_session(mut url: Url) -> Url {
    if url.path().contains(';') {
        let path = path_without_session(url.path());
        if path != url.path() {
            url.set_path(&path);
        }
    }
    let Some(query) = url.query() else { return url };
    if !query.split('&').any(is_session) {
        return url;
    }
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_session(pair)).collect();
    let kept = kept.join("&");
    url.set_query(Some(kept.as_str()).filter(|q| !q.is_empty()));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_only_session_parameters() {
        let id = "0123456789abcdef0123456789abcdef";
        let cases = [
            (format!("/viewtopic.php?f=1&t=2&sid={id}"), "/viewtopic.php?f=1&t=2"),
            (format!("/showthread.php?s={id}&t=7"), "/showthread.php?t=7"),
            ("/a?PHPSESSID=x1".to_owned(), "/a"),
            ("/a;jsessionid=12AB.node1?b=1".to_owned(), "/a?b=1"),
            ("/a;jsessionid=12AB/b;v=1/c;JSESSIONID=2".to_owned(), "/a/b;v=1/c"),
            ("/x?ASPSESSIONIDABC=1&y=2".to_owned(), "/x?y=2"),
            ("/modules.php?name=News&sid=4711".to_owned(), "/modules.php?name=News&sid=4711"),
            (format!("/shop?osCsid={id}"), "/shop"),
            ("/talk?session_id=42".to_owned(), "/talk?session_id=42"),
            ("/talk?CFID=42".to_owned(), "/talk?CFID=42"),
            ("/?s=harbour+bridge".to_owned(), "/?s=harbour+bridge"),
            ("/?s=pneumonoultramicroscopicsilico".to_owned(), "/?s=pneumonoultramicroscopicsilico"),
            ("/a;v=1?b=%20".to_owned(), "/a;v=1?b=%20"),
        ];
        let site = Url::parse("https://example.org").unwrap();
        for (with, without) in cases {
            let url = without_session(site.join(&with).unwrap());
            assert_eq!(url.as_str(), format!("https://example.org{without}"), "{with}");
        }
    }
}

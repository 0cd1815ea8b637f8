//! Embedded players and frames as links: what they show, and where to open it.

use std::borrow::Cow;
use url::Url;

/// Maximum length of a title, in characters.
const MAX_TITLE: usize = 120;

/// Attributes with the URL of a frame, which may be loaded later.
const ADDRESSES: [&str; 4] = ["data-src", "data-lazy-src", "data-litespeed-src", "src"];

/// Hosts and the names of their services.
const KINDS: [(&str, &str); 28] = [
    ("youtube.com", "YouTube"),
    ("youtube-nocookie.com", "YouTube"),
    ("youtu.be", "YouTube"),
    ("vimeo.com", "Vimeo"),
    ("dailymotion.com", "Dailymotion"),
    ("twitch.tv", "Twitch"),
    ("tiktok.com", "TikTok"),
    ("bilibili.com", "Bilibili"),
    ("ted.com", "TED"),
    ("archive.org", "Internet Archive"),
    ("soundcloud.com", "SoundCloud"),
    ("spotify.com", "Spotify"),
    ("podcasts.apple.com", "Apple Podcasts"),
    ("music.apple.com", "Apple Music"),
    ("bandcamp.com", "Bandcamp"),
    ("mixcloud.com", "Mixcloud"),
    ("instagram.com", "Instagram"),
    ("facebook.com", "Facebook"),
    ("twitter.com", "X"),
    ("x.com", "X"),
    ("reddit.com", "Reddit"),
    ("codepen.io", "CodePen"),
    ("jsfiddle.net", "JSFiddle"),
    ("codesandbox.io", "CodeSandbox"),
    ("google.com", "Google"),
    ("openstreetmap.org", "OpenStreetMap"),
    ("slideshare.net", "SlideShare"),
    ("datawrapper.de", "Datawrapper"),
];
/// Frames that are not part of an article: advertising, buttons, forms, visitor counters.
const NOISE: [&str; 16] = [
    "doubleclick",
    "googlesyndication",
    "googletagmanager",
    "amazon-adsystem",
    "adsystem",
    "/plugins/like",
    "/plugins/share",
    "/plugins/page",
    "recaptcha",
    "disqus",
    "/ads/",
    "taboola",
    "outbrain",
    "onetrust",
    "substack.com/embed",
    "mailchimp",
];

/// Elements that may be players. Some belong to scripts that load the player later.
pub fn is_player(name: &str) -> bool {
    match name.len() {
        5 => name == "embed",
        6 => matches!(name, "iframe" | "object"),
        10 => name == "amp-iframe",
        11 => name == "amp-youtube",
        12 => name == "lite-youtube",
        13 => name == "youtube-video",
        _ => false,
    }
}

/// Converts an embedded element with this name to a link: a label, such as `YouTube: title`, and a URL.
/// Frames of unknown hosts are converted only if `all` is set.
pub fn player<'v>(
    name: &str,
    all: bool,
    attribute: impl Fn(&str) -> Option<Cow<'v, str>>,
) -> Option<(String, String)> {
    let attr = |names: &[&str]| {
        let real =
            |v: &String| !v.is_empty() && !v.starts_with("about:") && !v.starts_with("data:");
        names.iter().filter_map(|n| attribute(n)).map(|v| v.trim().to_owned()).find(real)
    };
    let (video, addresses): (_, &[&str]) = match name {
        "lite-youtube" | "youtube-video" => (attr(&["videoid", "video-id"]), &[]),
        "amp-youtube" => (attr(&["data-videoid"]), &[]),
        "iframe" | "embed" | "amp-iframe" => (None, &ADDRESSES),
        "object" => (None, &["data"]),
        _ => return None,
    };
    let title = attr(&["title", "aria-label", "playlabel", "data-title"]);
    if let Some(id) = video.filter(|id| is_id(id)) {
        let address = format!("https://www.youtube.com/watch?v={id}");
        return Some((label("YouTube", title.as_deref()), address));
    }
    let tiny =
        |n: &str| attribute(n).is_some_and(|v| matches!(v.trim(), "0" | "1" | "0px" | "1px"));
    if tiny("width") || tiny("height") {
        return None;
    }
    let address = attr(addresses)?;
    let address = match address.strip_prefix("//") {
        Some(rest) => format!("https://{rest}"),
        None => address,
    };
    let folded = address.to_ascii_lowercase();
    let url = Url::parse(&address).ok().filter(|u| matches!(u.scheme(), "http" | "https"))?;
    if NOISE.iter().any(|n| folded.contains(n)) {
        return None;
    }
    let host = url.host_str()?.trim_start_matches("www.").to_owned();
    let kind = KINDS.iter().find(|(known, _)| {
        host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    // Objects can also be pictures or parts of a page.
    let is_media = |kind: Cow<'_, str>| {
        kind.starts_with("video/") || kind.starts_with("audio/") || kind == "application/pdf"
    };
    let any_host = all && name != "object";
    if !any_host && kind.is_none() && !attribute("type").is_some_and(is_media) {
        return None;
    }
    let name = kind.map_or(host.as_str(), |k| k.1);
    let to = page_of(name, &url).unwrap_or_else(|| url.to_string());
    Some((label(name, title.as_deref()), to))
}

/// The page of the video or recording that a player shows.
fn page_of(name: &str, url: &Url) -> Option<String> {
    let mut path = url.path_segments()?.filter(|s| !s.is_empty());
    let query = |key: &str| url.query_pairs().find(|(k, _)| k == key).map(|(_, v)| v.into_owned());
    match name {
        "YouTube" => match (path.next()?, path.next()) {
            ("embed", Some("videoseries")) => query("list")
                .filter(|id| is_id(id))
                .map(|id| format!("https://www.youtube.com/playlist?list={id}")),
            ("embed" | "v" | "shorts", Some(id)) if is_id(id) => {
                Some(format!("https://www.youtube.com/watch?v={id}"))
            }
            _ => None,
        },
        "Vimeo" => match (path.next()?, path.next()?) {
            ("video", id) if is_id(id) => Some(format!("https://vimeo.com/{id}")),
            _ => None,
        },
        "SoundCloud" => query("url").filter(|u| u.starts_with("https://")),
        "Spotify" => match (path.next()?, path.next()?, path.next()?) {
            ("embed", kind, id) if is_id(kind) && is_id(id) => {
                Some(format!("https://open.spotify.com/{kind}/{id}"))
            }
            _ => None,
        },
        "CodePen" => match (path.next()?, path.next()?, path.next()?) {
            (user, "embed", id) if is_id(user) && is_id(id) => {
                Some(format!("https://codepen.io/{user}/pen/{id}"))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_id(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// The kind, followed by the title unless it only repeats the kind.
fn label(kind: &str, title: Option<&str>) -> String {
    let title = title.map(crate::util::text::line).unwrap_or_default();
    let title: String = title.chars().take(MAX_TITLE).collect();
    let title = title.trim();
    let folded = title.to_ascii_lowercase();
    let generic = ["video player", "embedded", "iframe", "player", "embed", "widget"];
    let is_generic = folded.chars().filter(|c| c.is_alphanumeric()).count() < 3
        || folded == kind.to_ascii_lowercase()
        || generic.iter().any(|g| folded.ends_with(g))
            && folded.split_ascii_whitespace().count() <= 4;
    match is_generic {
        true => kind.to_owned(),
        false if folded.starts_with(&kind.to_ascii_lowercase()) => title.to_owned(),
        false => format!("{kind}: {title}"),
    }
}

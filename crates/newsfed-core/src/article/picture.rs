//! Images: finds the real source of lazily loaded images, and recognises icons and trackers.

use super::from_html::first_in;
use crate::util::html::is_embedded;
use scraper::{ElementRef, Node};

/// Images with a smaller size in pixels are icons.
const MIN_SIZE: f32 = 64.0;
/// Maximum size of a `noscript` element that is searched for an image, in bytes.
const MAX_NOSCRIPT: usize = 4000;
/// Maximum number of sources in one `srcset`.
const MAX_SOURCES: usize = 20;

/// Attributes with the URL of a lazily loaded image.
const LAZY: [&str; 8] = [
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-lazy",
    "data-orig-file",
    "data-hi-res-src",
    "data-full-src",
    "data-image",
];
const LAZY_SETS: [&str; 3] = ["data-srcset", "data-lazy-srcset", "srcset"];
/// Class names of icons, and parts of tracker and placeholder URLs.
const ICONS: [&str; 10] = [
    "emoji",
    "wp-smiley",
    "icon",
    "avatar",
    "gravatar",
    "smiley",
    "emoticon",
    "spinner",
    "logo",
    "badge",
];
const TRACKERS: [&str; 13] = [
    "/pixel.",
    "pixel.gif",
    "1x1.",
    "/1x1",
    "spacer.",
    "blank.gif",
    "tracking",
    "doubleclick.",
    "stats.wordpress",
    "pixel.wp.com",
    "count.gif",
    "feedburner.com/~r",
    "scorecardresearch",
];
const PLACEHOLDERS: [&str; 6] =
    ["placeholder", "transparent.", "blank.", "lazyload", "lazy-load", "loading.gif"];

/// Kinds of `img` elements.
pub(super) enum Picture {
    /// The URL as written, not resolved.
    Image(String),
    /// An image whose data is, or was, embedded in the page.
    Embedded,
    /// A small image in a line of text. Its alternative text may be a word of the text.
    Icon,
    /// The image is not visible.
    Nothing,
}

/// Reads an `img` element.
pub(super) fn read(img: ElementRef<'_>) -> Picture {
    let size = |name: &str| {
        let value = img.attr(name)?.trim().trim_end_matches("px");
        value.parse::<f32>().ok().filter(|v| v.is_finite())
    };
    let (width, height) = (size("width"), size("height"));
    if [width, height].iter().flatten().any(|v| *v <= 1.0) {
        return Picture::Nothing;
    }
    let Some(source) = source(img) else {
        let embedded = img.attr("src").is_some_and(is_embedded);
        return match (embedded, is_small(img, (width, height))) {
            (false, _) => Picture::Nothing,
            (true, true) => Picture::Icon,
            (true, false) => Picture::Embedded,
        };
    };
    let folded: String = source.chars().take(300).collect::<String>().to_ascii_lowercase();
    // The file name of an article's image may also contain a word in `TRACKERS`.
    let is_large = [width, height].iter().flatten().any(|v| *v >= MIN_SIZE);
    if !is_large && TRACKERS.iter().any(|t| folded.contains(t)) {
        return Picture::Nothing;
    }
    let vector = folded.split(['?', '#']).next().is_some_and(|path| path.ends_with(".svg"))
        && ["icon", "logo", "sprite", "emoji"].iter().any(|w| folded.contains(w));
    let large = width.is_some_and(|v| v >= MIN_SIZE);
    if is_small(img, (width, height)) || vector && !large {
        return Picture::Icon;
    }
    Picture::Image(source)
}

/// Whether an image is an icon, according to its given size or its class.
fn is_small(img: ElementRef<'_>, (width, height): (Option<f32>, Option<f32>)) -> bool {
    let small = |v: Option<f32>| v.is_some_and(|v| v < MIN_SIZE);
    let large = |v: Option<f32>| v.is_some_and(|v| v >= MIN_SIZE);
    let named = img.attr("class").unwrap_or_default().split_ascii_whitespace().any(is_icon);
    small(width) && !large(height) || small(height) && !large(width) || named && !large(width)
}

/// Width and height in pixels, as given by an `img` element.
pub(super) fn size(img: ElementRef<'_>) -> Option<(u32, u32)> {
    let read = |name: &str| {
        let value = img.attr(name)?.trim().trim_end_matches("px");
        value.parse::<u32>().ok().filter(|v| (1..=9999).contains(v))
    };
    read("width").zip(read("height"))
}

/// Whether the name of a class, or one part of it, stands for an icon.
fn is_icon(class: &str) -> bool {
    let class = class.to_ascii_lowercase();
    ICONS.contains(&class.as_str())
        || class.split(['-', '_']).any(|part| ICONS[..7].contains(&part))
}

fn source(img: ElementRef<'_>) -> Option<String> {
    let is_real = |s: &&str| !s.is_empty() && !s.starts_with("data:") && !s.starts_with("about:");
    let lazy = LAZY.iter().filter_map(|a| img.attr(a)).map(str::trim).find(is_real);
    if let Some(lazy) = lazy.filter(|l| !l.contains([' ', '{'])) {
        return Some(lazy.to_owned());
    }
    let src = img.attr("src").map(str::trim).filter(is_real);
    let holds_place = |s: &str| {
        let s = s.to_ascii_lowercase();
        PLACEHOLDERS.iter().any(|p| s.contains(p))
    };
    if let Some(src) = src.filter(|s| !holds_place(s)) {
        return Some(src.to_owned());
    }
    let of_set = |e: ElementRef<'_>| LAZY_SETS.iter().filter_map(|a| e.attr(a)).find_map(largest);
    let beside = || {
        let picture = img.parent().and_then(ElementRef::wrap)?;
        let is_picture = picture.value().name() == "picture";
        picture.child_elements().filter(|_| is_picture).take(MAX_SOURCES).find_map(of_set)
    };
    // The original may be in a `noscript` element right after the image.
    let behind = || {
        let next = img.next_siblings().filter_map(ElementRef::wrap).take(2);
        next.filter(|e| e.value().name() == "noscript").find_map(in_noscript)
    };
    of_set(img).or_else(beside).or_else(behind).or_else(|| src.map(str::to_owned))
}

/// The largest image of a `srcset`.
fn largest(set: &str) -> Option<String> {
    let mut best: Option<(f32, &str)> = None;
    // URLs may contain commas, but not commas followed by a space.
    for part in set.split(", ").take(MAX_SOURCES) {
        let mut parts = part.trim().trim_end_matches(',').split_ascii_whitespace();
        let Some(url) = parts.next().filter(|u| !u.starts_with("data:")) else { continue };
        let size = parts.next().and_then(|s| s.trim_end_matches(['w', 'x']).parse().ok());
        let size: f32 = size.unwrap_or(1.0);
        if best.is_none_or(|b| size > b.0) {
            best = Some((size, url));
        }
    }
    best.map(|b| b.1.to_owned())
}

/// The URL of the image in a `noscript` element.
pub(super) fn in_noscript(noscript: ElementRef<'_>) -> Option<String> {
    let markup = noscript.children().find_map(|child| match child.value() {
        Node::Text(text) if text.len() <= MAX_NOSCRIPT => Some(text.to_string()),
        _ => None,
    })?;
    if !markup.contains("<img") {
        return None;
    }
    first_in(&markup, "img", |img| match read(img) {
        Picture::Image(source) => Some(source),
        Picture::Embedded | Picture::Icon | Picture::Nothing => None,
    })
}

/// Whether an element contains an image that is worth showing.
pub(super) fn is_in(element: ElementRef<'_>, most: usize) -> bool {
    element.descendent_elements().take(most).any(|e| match e.value().name() {
        "img" => matches!(read(e), Picture::Image(_) | Picture::Embedded),
        "noscript" => in_noscript(e).is_some(),
        _ => false,
    })
}

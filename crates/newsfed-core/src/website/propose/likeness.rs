//! Estimates how likely a link is to lead to an article.

use super::links::{Link, Prose, Region};
use crate::website::signal::date_in_path;
use percent_encoding::percent_decode_str;
use url::Url;

/// How much the score of a page is reduced if it looks like the page of a section.
const LIST: f64 = 0.4;
/// Maximum likeness of a link in running text, regardless of other signs.
const MAX_IN_PROSE: f64 = 0.4;
/// Words in URLs of lists, and of pages about the site itself.
const SECTIONS: [&str; 61] = [
    "about",
    "account",
    "archive",
    "archives",
    "author",
    "authors",
    "cart",
    "categories",
    "category",
    "comments",
    "companies",
    "company",
    "contact",
    "cookies",
    "docs",
    "donate",
    "edit",
    "events",
    "faq",
    "feed",
    "forum",
    "help",
    "home",
    "impressum",
    "imprint",
    "index",
    "jobs",
    "label",
    "labels",
    "latest",
    "legal",
    "links",
    "login",
    "member",
    "members",
    "newsletter",
    "page",
    "pages",
    "people",
    "print",
    "privacy",
    "profile",
    "projects",
    "register",
    "reply",
    "rss",
    "search",
    "series",
    "share",
    "signup",
    "sitemap",
    "staff",
    "subscribe",
    "tag",
    "tags",
    "team",
    "terms",
    "topics",
    "unread",
    "user",
    "users",
];
/// Texts of links that lead to an article without naming it, or to other pages.
const EMPTY_WORDS: [&str; 24] = [
    "read more",
    "more",
    "continue reading",
    "continue",
    "weiterlesen",
    "mehr",
    "lire la suite",
    "lire plus",
    "leer más",
    "leggi tutto",
    "читать далее",
    "подробнее",
    "続きを読む",
    "阅读更多",
    "阅读全文",
    "더 보기",
    "permalink",
    "comments",
    "no comments",
    "next",
    "previous",
    "older posts",
    "newer posts",
    "details",
];

/// How likely a link is to lead to an article, from 0 (certainly not) to 1. Links of a list of articles are
/// above 0.5, others below.
pub(super) fn likeness(link: &Link) -> f64 {
    if link.elsewhere {
        return 0.0;
    }
    let mut score = by_text(&link.text);
    let path = percent_decode_str(link.url.path()).decode_utf8_lossy().to_lowercase();
    let segments = segments(&path);
    // At the root, the query may identify a page: `/?p=12`.
    let by_query = || link.url.query().is_some_and(|q| q.contains(|c: char| c.is_ascii_digit()));
    let last = match segments.last() {
        Some(last) => *last,
        None if by_query() => "",
        None => return 0.0,
    };
    let slug = slug(last);
    // A list of jobs or an archive is itself in such a section, so the folders that a link shares with its
    // page do not count.
    let folders = segments.len().saturating_sub(1);
    let own = &segments[link.within_page.min(folders)..folders];
    let section = if leads_to_list(last) && link.url.query().is_none() { LIST } else { 0.0 };
    score -= own.iter().map(|folder| of_section(folder, last)).fold(section, f64::max);
    // URLs of articles contain a slug of several words, a number or a date.
    if slug.len() >= 3 {
        score += 0.12;
    } else if slug.len() == 1 && segments.len() == 1 && !has_digits(last) {
        score -= 0.08;
    }
    if date_in_path(&path).is_some() {
        score += 0.15;
    } else if has_digits(last) || link.url.query().is_some_and(has_digits) {
        score += 0.05;
    }
    let text = link.text.to_lowercase();
    let same = !last.is_empty() && *last == text;
    score += 0.2 * if same { 1.0 } else { overlap(&slug, &words(&text)) };
    if link.in_heading {
        score += 0.18;
    }
    if link.dated {
        score += 0.15;
    }
    match link.prose {
        Prose::None => {}
        Prose::Begins => score -= 0.15,
        Prose::Within => score = (score - 0.3).min(MAX_IN_PROSE),
    }
    if link.foreign {
        score -= 0.3;
    }
    if link.region == Region::Frame {
        score -= 0.25;
    }
    score.clamp(0.0, 1.0)
}

/// The parts of a path. The index of a folder counts as the folder: `/a-story/index.html` is `/a-story/`.
pub(super) fn segments(path: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    if segments.len() > 1 && segments.last().is_some_and(|last| last.starts_with("index.")) {
        segments.pop();
    }
    segments
}

/// How much the score of a page is reduced for being in a folder.
fn of_section(folder: &str, last: &str) -> f64 {
    let number = last.len() <= 4 && last.bytes().all(|b| b.is_ascii_digit());
    match folder {
        // Folders of years and months: some systems store their articles there.
        "archive" | "archives" if !number => 0.0,
        // Links to these are usually unwanted on a home page, but they may be the entries of a list of
        // events.
        "events" | "forum" | "jobs" | "newsletter" => 0.15,
        _ if leads_to_list(folder) => LIST,
        _ => 0.0,
    }
}

fn leads_to_list(segment: &str) -> bool {
    let name = segment.rsplit_once('.').map_or(segment, |(name, _)| name);
    SECTIONS.contains(&name)
        || name
            .strip_prefix("page")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn has_digits(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() >= 2
}

/// A score for the text of a link: headlines have a typical length. Characters that represent a syllable or a
/// word count more.
fn by_text(text: &str) -> f64 {
    if is_no_title(text) {
        return 0.1;
    }
    let length: f64 = text.chars().map(|c| if c > '\u{2e80}' { 2.5 } else { 1.0 }).sum();
    match length {
        0.0..4.0 => 0.15,
        4.0..9.0 => 0.28,
        9.0..15.0 => 0.4,
        15.0..25.0 => 0.52,
        25.0..160.0 => 0.62,
        160.0..300.0 => 0.5,
        _ => 0.35,
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_owned).collect()
}

fn slug(last: &str) -> Vec<String> {
    words(last.rsplit_once('.').map_or(last, |(name, _)| name))
}

/// Whether the last part of a URL consists of words of a title.
pub(super) fn is_named_after(url: &Url, title: &str) -> bool {
    named_after(url, title) >= 0.5
}

/// Share of the words in the last part of a URL that occur in a title.
pub(in crate::website) fn named_after(url: &Url, title: &str) -> f64 {
    let path = percent_decode_str(url.path()).decode_utf8_lossy().to_lowercase();
    let slug = segments(&path).last().map(|last| slug(last)).unwrap_or_default();
    overlap(&slug, &words(&title.to_lowercase()))
}

/// Share of a URL's words that occur in the link text.
fn overlap(slug: &[String], text: &[String]) -> f64 {
    let number = |w: &String| w.bytes().all(|b| b.is_ascii_digit());
    let long: Vec<&String> = slug.iter().filter(|w| w.chars().count() > 2 || number(w)).collect();
    if long.is_empty() {
        return 0.0;
    }
    let common = long.iter().filter(|w| text.contains(w)).count();
    common as f64 / long.len() as f64
}

/// Whether the text of a link is not a title: "read more", "3 comments", or empty.
pub(in crate::website) fn is_no_title(text: &str) -> bool {
    let lower = text.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let comments = ["comment", "kommentar", "コメント", "комментар"];
    let counts = bare.starts_with(|c: char| c.is_ascii_digit());
    bare.is_empty()
        || EMPTY_WORDS.contains(&bare)
        || (counts && comments.iter().any(|word| bare.contains(word)))
}

//! Whether a feed contains full articles, so that their pages need not be fetched.

use super::words::{count, number, words};
use std::collections::{HashMap, HashSet};

/// Share of the page's words that the feed's text must contain.
const WHOLE: f32 = 0.8;
/// The required share if the text ends like a teaser.
const CUT_WHOLE: f32 = 0.97;
/// A page with fewer words is too short for a decision.
const ENOUGH: usize = 20;

/// Whether the plain text in a feed is the full article found on its page. `None` if the page has too few
/// words to decide. The decision depends on length and words, not on the element of the feed that contained
/// the text.
pub fn has_full_text(body: &str, article: &str) -> Option<bool> {
    let length = count(article);
    if length < ENOUGH {
        return None;
    }
    let mut left: HashMap<String, usize> = HashMap::new();
    for word in words(body) {
        *left.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    let (mut all, mut held) = (0, 0);
    for word in words(article) {
        all += 1;
        if let Some(n) = left.get_mut(&word.to_lowercase()).filter(|n| **n > 0) {
            *n -= 1;
            held += 1;
        }
    }
    let needed = if is_cut(body) { CUT_WHOLE } else { WHOLE };
    Some(held as f32 >= needed * all as f32)
}

/// Maximum number of words in a summary.
const SUMMARY: usize = 60;
/// Minimum number of words in an article, as a multiple of the number of words in its summary.
const LONGER: usize = 3;
/// Number of consecutive words that are compared to see whether a page contains a text.
const RUN: usize = 3;
/// A text with fewer words is a label, such as "Comments", which the page need not contain.
const LABEL: usize = 8;
/// Minimum share of a text's word runs that a page on the same site must contain.
const OWN: f32 = 0.5;
/// Minimum share for a page on a different site, which may only quote the text.
const ELSEWHERE: f32 = 0.85;
/// An odd number without an obvious bit pattern (2^64 divided by the golden ratio).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether a page contains the plain text that a feed gives for it. `page` contains the texts of the page:
/// its article, title and descriptions. `elsewhere` is true if the page and the feed are on different sites,
/// as with a link blog.
pub fn contains_feed_text<'a>(
    page: impl IntoIterator<Item = &'a str>,
    body: &str,
    elsewhere: bool,
) -> bool {
    let numbers = |text: &str| -> Vec<u64> { words(text).map(number).collect() };
    let body = numbers(body);
    if body.len() < LABEL {
        return true;
    }
    let mut there = HashSet::new();
    for text in page {
        there.extend(numbers(text).windows(RUN).map(hash));
    }
    let runs = body.windows(RUN);
    let (all, found) = (runs.len(), runs.filter(|run| there.contains(&hash(run))).count());
    let needed = if elsewhere { ELSEWHERE } else { OWN };
    found as f32 >= needed * all as f32
}

/// Whether a text in a feed is so short that it may be a summary of the article, written for the feed.
pub fn may_be_summary(body: &str, article: &str) -> bool {
    let length = count(body);
    length <= SUMMARY && length * LONGER <= count(article)
}

/// A hash of a run of words that depends on their order.
fn hash(run: &[u64]) -> u64 {
    run.iter().fold(0, |hash: u64, word| (hash.rotate_left(5) ^ word).wrapping_mul(MIX))
}

/// Labels of links to the rest of a text, in lower case.
const READ_ON: [&str; 13] = [
    "continue reading",
    "read more",
    "read on",
    "weiterlesen",
    "mehr",
    "lire la suite",
    "leer más",
    "leggi tutto",
    "читать далее",
    "続きを読む",
    "阅读更多",
    "阅读全文",
    "더 보기",
];

/// Whether a text ends like a teaser, possibly followed by a link to the rest.
pub fn is_cut(body: &str) -> bool {
    let bare =
        |text: &str| text.trim_end().trim_end_matches([']', ')', '»', '>', '→']).trim_end().len();
    let mut end = &body[..bare(body)];
    let tail = end.char_indices().rev().take(30).last().map_or("", |(at, _)| &end[at..]);
    let tail = tail.to_lowercase();
    if let Some(link) = READ_ON.iter().find(|link| tail.ends_with(**link)) {
        let last = end.char_indices().rev().nth(link.chars().count() - 1);
        end = last.map_or(end, |(at, _)| &end[..at]);
        end = &end[..bare(end)];
    }
    end.ends_with('…') || end.ends_with("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_full_articles_from_teasers() {
        let article = "Every morning the harbour wakes before the town does. ".repeat(8);
        let start = &article[..article.len() / 3];
        assert_eq!(has_full_text(&article, &article), Some(true));
        assert_eq!(
            has_full_text(&format!("{article} The post appeared first."), &article),
            Some(true)
        );
        assert_eq!(has_full_text(start, &article), Some(false));
        assert_eq!(
            has_full_text(&format!("{} […]", &article[..article.len() * 9 / 10]), &article),
            Some(false)
        );
        assert_eq!(has_full_text("a b c", "a b c"), None);
        assert_eq!(has_full_text(&"other words here ".repeat(50), &article), Some(false));
    }

    #[test]
    fn recognises_teasers_by_an_ellipsis_before_a_link() {
        for (text, cut) in [
            ("the harbour wakes …", true),
            ("the harbour wakes [...]", true),
            ("the harbour wakes …\n\nContinue reading", true),
            ("the harbour wakes... READ MORE »", true),
            ("гавань…\nЧитать далее →", true),
            ("the harbour wakes. Read more", false),
            ("the harbour wakes.", false),
            ("Read more", false),
            ("", false),
        ] {
            assert_eq!(is_cut(text), cut, "{text}");
        }
    }

    #[test]
    fn distinguishes_commentary_from_teasers() {
        let article = "Every morning the harbour wakes before the town does, and the baker lights \
            his lantern before the first ferry leaves for the island.";
        let summary = "A town by the sea and the people who get up early to keep it going.";
        let page = [article, summary];
        let on_page = |body: &str, elsewhere| contains_feed_text(page, body, elsewhere);
        let teaser = "Every morning the harbour wakes before the town does, and the […]";
        assert!(on_page(teaser, false) && on_page(summary, false));
        assert!(on_page(&format!("{teaser} The post Harbour appeared first."), false));
        assert!(on_page("Comments", true) && on_page("", true));
        let comment =
            "I have read this piece three times now; nobody describes small ports better.";
        assert!(!on_page(comment, false) && !on_page(comment, true));
        let quoting = format!("{article} I have read this three times; lovely.");
        assert!(on_page(&quoting, false), "a text about its own page may add a few words");
        assert!(!on_page(&quoting, true), "a link blog that quotes the page adds its own words");
        let dense = ["港は町より先に目を覚まし、パン屋は最初の船が出る前に灯りをともす。"];
        assert!(contains_feed_text(dense, "港は町より先に目を覚まし、パン屋は […]", true));
        assert!(!contains_feed_text(
            dense,
            "この記事を三回読みました。とても良い文章です。",
            false
        ));
        let turned: String = dense[0].chars().rev().collect();
        assert!(!contains_feed_text(dense, &turned, false), "the order of the words counts");
    }
}

//! Whether a feed contains full articles, so that their pages need not be fetched.

use super::words::{count, words};
use std::collections::HashMap;

/// Share of the page's words that the feed's text must contain.
const WHOLE: f32 = 0.8;
/// The same for a text with a truncated ending.
const CUT_WHOLE: f32 = 0.97;
/// Minimum number of words on a page for a decision.
const ENOUGH: usize = 20;

/// Whether the text in a feed (plain text) is the full article found on its page. `None` if the page
/// has too few words to decide. Decided by length and words, whatever element of the feed contained
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

/// Whether a text ends like a teaser.
pub fn is_cut(body: &str) -> bool {
    let end = body.trim_end().trim_end_matches([']', ')', '»', '>', '→']).trim_end();
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
}

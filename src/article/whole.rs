//! Whether a feed carries whole articles, so that their pages need not be fetched.

use super::words::{count, words};
use std::collections::HashMap;

/// Share of the page's words that the feed's body must hold.
const WHOLE: f32 = 0.8;
/// The same for a body that ends as if it was cut.
const CUT_WHOLE: f32 = 0.97;
/// Words of a page that tell anything at all.
const ENOUGH: usize = 20;

/// Whether the body that a feed gives (plain text) is the whole article that was found on its page.
/// `None` where the page holds too little to tell. Judged by length and words, whatever the name of
/// the element that held the body.
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

/// Whether a text ends as teasers end.
pub fn is_cut(body: &str) -> bool {
    let end = body.trim_end().trim_end_matches([']', ')', '»', '>', '→']).trim_end();
    end.ends_with('…') || end.ends_with("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_articles_and_teasers() {
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

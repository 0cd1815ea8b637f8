//! Synthetic text whose words, lengths and markup are distributed like those of real feeds.

use fastrand::Rng;
use std::fmt::Write;

const SYLLABLES: [&str; 48] = [
    "ka", "lo", "mi", "ter", "son", "ri", "ve", "dan", "po", "lis", "tra", "nu", "gel", "ha", "be",
    "cor", "shi", "fen", "qua", "do", "el", "mar", "thu", "ney", "ox", "pra", "lum", "wi", "zan",
    "cre", "stil", "or", "ba", "fi", "gro", "han", "je", "kil", "mon", "nor", "pel", "rus", "sa",
    "tin", "ul", "vor", "yas", "dre",
];
/// Size of the vocabulary.
const VOCABULARY: usize = 30_000;

/// Writes titles and bodies. The same seed gives the same text.
pub(super) struct Prose {
    words: Vec<String>,
    rng: Rng,
}

impl Prose {
    pub(super) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let mut word = |i: usize| -> String {
            // Frequent words are short.
            let syllables = 1 + usize::from(i > 40) + usize::from(i > 2000) + rng.usize(0..2);
            (0..syllables).map(|_| SYLLABLES[rng.usize(..SYLLABLES.len())]).collect()
        };
        let words = (0..VOCABULARY).map(&mut word).collect();
        Self { words, rng }
    }

    /// A random number below `end`, from the generator of the text.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.rng.u64(..end)
    }

    /// A random word. The probability of a word is inversely proportional to its rank (Zipf).
    fn word(&mut self) -> &str {
        let exponent = self.rng.f64();
        let rank = (VOCABULARY as f64).powf(exponent) as usize;
        &self.words[rank.min(VOCABULARY) - 1]
    }

    fn words(&mut self, count: usize, into: &mut String) {
        for i in 0..count {
            if i > 0 {
                into.push(' ');
            }
            let word = self.word().to_owned();
            into.push_str(&word);
        }
    }

    /// 3 to 14 words.
    pub(super) fn title(&mut self) -> String {
        let mut title = String::new();
        let count = 3 + self.rng.usize(0..6) + self.rng.usize(0..6);
        self.words(count, &mut title);
        if let Some(first) = title.get(..1).map(str::to_uppercase) {
            title.replace_range(..1, &first);
        }
        title
    }

    /// The HTML of a body: half are teasers of about 40 words, one in ten is a long article.
    pub(super) fn body(&mut self) -> String {
        let words = match self.rng.u8(0..10) {
            0..5 => 15 + self.rng.usize(0..50),
            5..9 => 60 + self.rng.usize(0..140),
            _ => 250 + self.rng.usize(0..700),
        };
        let mut html = String::with_capacity(words * 8);
        let mut left = words;
        while left > 0 {
            let paragraph = left.min(30 + self.rng.usize(0..60));
            html.push_str("<p>");
            self.words(paragraph, &mut html);
            if self.rng.u8(0..3) == 0 {
                let page = self.rng.u32(..);
                let _ = write!(html, " <a href=\"https://example.org/{page}\">");
                self.words(2, &mut html);
                html.push_str("</a>");
            }
            html.push_str(".</p>");
            left -= paragraph;
        }
        html
    }
}

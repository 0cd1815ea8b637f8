//! Text search in laid-out lines, ignoring accents, line breaks, and case unless a capital letter is typed.

use super::line::{Joint, Line};
use crate::article::is_stop_word;
use crate::query::Query;
use crate::util::phrase::Phrase;
use crate::util::segment::may_be_prefix;
use nucleo_matcher::chars::normalize;
use std::cmp::Reverse;
use std::ops::Range;

/// Maximum number of matches.
const MAX_HITS: usize = 10_000;

/// Maximum number of characters that are searched; their positions take 16 MB.
const MAX_CHARS: usize = 500_000;

/// The lines as one case-folded text.
#[derive(Debug, Default)]
pub(crate) struct Haystack {
    folded: String,
    /// The origin of each character of `folded`.
    origins: Vec<Origin>,
    /// Whether each of these characters was a capital letter.
    capitals: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Origin {
    folded: usize,
    line: usize,
    /// Byte range in the text of the line; empty for a line break.
    from: usize,
    to: usize,
}

/// The part of a match that is in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) line: usize,
    /// Byte range in the text of the line.
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Index of the match.
    pub(crate) hit: usize,
}

impl Haystack {
    pub(crate) fn new(lines: &[Line]) -> Self {
        let mut out = Self::default();
        for (i, line) in lines.iter().enumerate() {
            if out.origins.len() >= MAX_CHARS {
                break;
            }
            match line.joint {
                // Paragraphs are separated by a newline, which no query contains.
                Joint::New => out.push('\n', false, i, 0, 0),
                Joint::Blank => out.push(' ', false, i, 0, 0),
                Joint::Tight => {}
            }
            let mut at = 0;
            for span in &line.spans {
                // Link numbers are not part of the text.
                if span.is_searched {
                    for (offset, c) in span.text.char_indices().take(MAX_CHARS) {
                        let from = at + offset;
                        let to = from + c.len_utf8();
                        fold(c, |f| out.push(f, c.is_uppercase(), i, from, to));
                    }
                }
                at += span.text.len();
            }
        }
        out
    }

    fn push(&mut self, c: char, is_capital: bool, line: usize, from: usize, to: usize) {
        self.capitals.push(is_capital);
        self.origins.push(Origin { folded: self.folded.len(), line, from, to });
        self.folded.push(c);
    }

    /// Finds all matches of a text, from top to bottom. Each match has one piece per line that it covers. A
    /// text with a capital letter matches only text in the same case.
    pub(crate) fn find(&self, text: &str) -> Vec<Piece> {
        let needle = folded(text);
        if needle.trim().is_empty() {
            return vec![];
        }
        let mut capitals = Vec::new();
        text.chars().for_each(|c| fold(c, |_| capitals.push(c.is_uppercase())));
        let ignores_case = !capitals.contains(&true);
        let is_same_case = |at: usize| {
            let first = self.origins.partition_point(|origin| origin.folded < at);
            self.capitals.get(first..first + capitals.len()) == Some(capitals.as_slice())
        };
        let first = needle.chars().next().map_or(1, char::len_utf8);
        let mut from = 0;
        let hits = std::iter::from_fn(|| {
            loop {
                let at = from + self.folded.get(from..)?.find(&needle)?;
                if ignores_case || is_same_case(at) {
                    from = at + needle.len();
                    return Some(at..from);
                }
                // A match in the right case may begin within this one.
                from = at + first;
            }
        });
        self.pieces(hits.take(MAX_HITS))
    }

    /// Finds the words and phrases of a search above a line, from top to bottom.
    pub(crate) fn find_words(&self, words: &[SearchedWord], end: usize) -> Vec<Piece> {
        let end = self.origins.partition_point(|origin| origin.line < end);
        let end = self.origins.get(end).map_or(self.folded.len(), |origin| origin.folded);
        let text = &self.folded[..end];
        let hits = words.iter().flat_map(|word| word.0.hits(text).take(MAX_HITS)).collect();
        self.pieces(distinct(hits).into_iter().take(MAX_HITS))
    }

    /// Splits matches (byte ranges of the folded text) into pieces per line.
    fn pieces(&self, hits: impl Iterator<Item = Range<usize>>) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for (hit, range) in hits.enumerate() {
            let start = self.origins.partition_point(|o| o.folded < range.start);
            let end = self.origins.partition_point(|o| o.folded < range.end);
            for origin in self.origins.iter().take(end).skip(start).filter(|o| o.to > o.from) {
                match pieces.last_mut() {
                    Some(last) if last.hit == hit && last.line == origin.line => {
                        last.to = origin.to
                    }
                    _ => {
                        let Origin { line, from, to, .. } = *origin;
                        pieces.push(Piece { line, from, to, hit });
                    }
                }
            }
        }
        pieces
    }
}

/// Sorts hits. A word may be a prefix of a longer one; then the longer hit is kept.
fn distinct(mut hits: Vec<Range<usize>>) -> Vec<Range<usize>> {
    hits.sort_by_key(|hit| (hit.start, Reverse(hit.end)));
    let mut end = 0;
    hits.retain(|hit| {
        let is_free = hit.start >= end;
        end = if is_free { hit.end } else { end };
        is_free
    });
    hits
}

/// A word or phrase of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchedWord(Phrase);

impl SearchedWord {
    /// The words and phrases of a query that are highlighted. Stop words such as `the` are highlighted only
    /// if the query consists of them, and only where they are adjacent.
    pub(crate) fn all(query: &Query) -> Vec<Self> {
        let words = query.text_words();
        let is_stop =
            |(text, is_phrase): &(&str, bool)| !is_phrase && is_stop_word(&text.to_lowercase());
        if words.len() > 1 && words.iter().all(is_stop) {
            let texts: Vec<&str> = words.iter().map(|(text, _)| *text).collect();
            return Self::new(&texts.join(" "), true).into_iter().collect();
        }
        let is_only = words.len() == 1;
        let words = words.into_iter().filter(|word| is_only || !is_stop(word));
        words.filter_map(|(text, is_phrase)| Self::new(text, is_phrase)).collect()
    }

    /// `None` if the text has no letters or digits.
    fn new(text: &str, is_phrase: bool) -> Option<Self> {
        // As in a search, a short word matches only a whole word.
        let is_whole = is_phrase || !may_be_prefix(text);
        Phrase::new(&folded(text), is_whole).map(Self)
    }
}

fn folded(text: &str) -> String {
    let mut out = String::new();
    text.chars().for_each(|c| fold(c, |f| out.push(f)));
    out
}

/// Folds the case of a character, and removes accents from Latin letters.
fn fold(c: char, mut to: impl FnMut(char)) {
    match c {
        'ς' => to('σ'),
        'ẞ' | 'ß' => "ss".chars().for_each(to),
        _ if c.is_whitespace() => to(' '),
        // The Turkish capital dotted I.
        'İ' => to('i'),
        // Combining accents follow their letter, and are dropped.
        '\u{300}'..='\u{36f}' => {}
        _ => c.to_lowercase().map(normalize).for_each(to),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, layout};
    use super::*;
    use crate::article::from_html;

    /// The matches in a text that is laid out in lines of `width` cells.
    fn found(html: &str, width: usize, needle: &str) -> Vec<String> {
        matches(html, width, |haystack| haystack.find(needle))
    }

    fn matches(
        html: &str,
        width: usize,
        find: impl FnOnce(&Haystack) -> Vec<Piece>,
    ) -> Vec<String> {
        let shape = Shape {
            width,
            wrap_code: false,
            ascii: false,
            strikes: true,
            tall_formulas: true,
            picture_lines: 0,
            graphics: None,
            beyond: 0,
        };
        let lines = layout(&from_html(html, None), shape, &Default::default()).lines;
        let pieces = find(&Haystack::new(&lines));
        let mut out: Vec<String> = Vec::new();
        for piece in pieces {
            let text = lines[piece.line].text()[piece.from..piece.to].to_owned();
            if out.len() > piece.hit {
                out[piece.hit] += &format!("/{text}");
            } else {
                out.push(text);
            }
        }
        out
    }

    #[test]
    fn finds_text_across_line_breaks_and_in_any_case() {
        for (html, width, needle, expected) in [
            ("<p>One two one", 40, "one", vec!["One", "one"]),
            // A capital letter makes the case matter.
            ("<p>One two one ONE", 40, "ONE", vec!["ONE"]),
            ("<p>One two one", 40, "One", vec!["One"]),
            ("<p>aaAa", 40, "aA", vec!["aA"]),
            ("<p>Éa éA Ea", 40, "Ea", vec!["Éa", "Ea"]),
            // Matches across a line break, with and without a space.
            ("<p>first second third", 12, "second third", vec!["second/third"]),
            ("<p>日本語の文章", 8, "語の文", vec!["語の/文"]),
            // No match across paragraphs.
            ("<p>one<p>two", 40, "onetwo", vec![]),
            ("<p>one<p>two", 40, "one two", vec![]),
            // No match in list markers or link numbers.
            ("<ul><li>one</ul>", 40, "•", vec![]),
            ("<p>a <a href='http://e.org/'>link</a>, b", 40, "link, b", vec!["link¹, b"]),
            // Letters with forms of different lengths.
            ("<p>Straße STRASSE", 40, "strasse", vec!["Straße", "STRASSE"]),
            ("<p>ΟΔΟΣ οδος", 40, "οδοσ", vec!["ΟΔΟΣ", "οδος"]),
            ("<p>İstanbul", 40, "istanbul", vec!["İstanbul"]),
            ("<p>مدينة جديدة", 40, "جديدة", vec!["جديدة"]),
            // With and without accents.
            ("<p>Café cafe\u{301} CAFE", 40, "cafe", vec!["Café", "cafe", "CAFE"]),
            ("<p>A cafe", 40, "café", vec!["cafe"]),
            ("<p>a b", 40, " ", vec![]),
            ("<p>a b", 40, "", vec![]),
        ] {
            let found = found(html, width, needle);
            assert_eq!(found, expected, "{needle} in {html}");
        }
    }

    #[test]
    fn finds_headers_of_a_table_that_is_laid_out_as_records() {
        let row = "<tr><td>an interpreter<td>a compiler<td>an assembler";
        let html = format!("<table><tr><th>First<th>Second<th>Third{row}{row}</table>");
        assert_eq!(found(&html, 24, "second"), ["Second", "Second"]);
        assert_eq!(found(&html, 24, "compiler"), ["compiler", "compiler"]);
        let html = "<table><tr><th>First<th>Second<tr><td>a compiler that compiles<td>another compiler\
            <td>an assembler</table>";
        assert_eq!(found(html, 24, "that compiles"), ["that/compiles"]);
    }

    #[test]
    fn matches_the_same_words_as_the_index() {
        for (html, words, expected) in [
            // A prefix of a word matches, but a suffix does not. Matches are in the order of the text.
            (
                "<p>The cat, a catalogue, concat and a dog",
                "dog cat",
                vec!["cat", "catalogue", "dog"],
            ),
            (
                "<p>night trains, a night train, night-train",
                "\"night train\"",
                vec!["night train", "night-train"],
            ),
            // A phrase matches across a line break, but not across paragraphs.
            ("<p>the first second third", "\"second third\"", vec!["second/third"]),
            ("<p>night<p>train", "\"night train\"", vec![]),
            ("<p>x-ray, xray, a X", "x", vec!["x", "X"]),
            // Symbols that directly follow a word belong to it.
            ("<p>C++ and C", "C++", vec!["C++"]),
            ("<p>C++20, C#, <b>C</b>++ abc++", "c++", vec!["C++", "C++"]),
            ("<p>C++ and C, C#", "c", vec!["C", "C", "C"]),
            ("<p>C++ and C", "C c++", vec!["C++", "C"]),
            ("<p>C# for C, +1", "\"c#\" +1", vec!["C#", "1"]),
            ("<p>C templates, C++ templates", "\"c++ templates\"", vec!["C++/templates"]),
            // Chinese and Japanese words are found inside a run of characters, and across punctuation.
            ("<p>日本語の文章", "日本", vec!["日本"]),
            ("<p>人間の直感とその限界", "直感 限界", vec!["直感", "限/界"]),
            ("<p>人間の直感、直・感", "直感", vec!["直感", "直・感"]),
            ("<p>go東京go gone東京", "go", vec!["go", "go"]),
            ("<p>googl東京tower", "goo 京tow", vec!["googl", "京tower"]),
            ("<p>서울에서 서", "서", vec!["서", "서"]),
            // Words of two letters match only whole words.
            ("<p>Google, go gossip", "go", vec!["go"]),
            ("<p>Google, go gossip", "gos", vec!["gossip"]),
            ("<p>El Niño y niños", "nino", vec!["Niño", "niños"]),
            // The longer of two overlapping matches is kept.
            ("<p>railway", "rail railway", vec!["railway"]),
            ("<p>one", "-one two", vec![]),
            // Stop words are skipped, unless there are no other words.
            ("<p>the price of a boat to the sea", "the Price of boat", vec!["price", "boat"]),
            ("<p>the or to the", "the", vec!["the", "the"]),
            ("<p>to be or not; be to", "to be or not", vec!["to be or not"]),
            (
                "<p>the art, state of the art",
                "\"the art\" state",
                vec!["the art", "state", "the art"],
            ),
        ] {
            let query: Query = words.parse().unwrap();
            let words = SearchedWord::all(&query);
            let found = matches(html, 18, |haystack| haystack.find_words(&words, usize::MAX));
            assert_eq!(found, expected, "{query:?} in {html}");
        }
    }

    #[test]
    fn finds_every_word_of_a_search_everywhere() {
        let far = "far away ".repeat(10);
        let html = format!("<p>A tram. {far} A tram on the old bridge. {far} Trams, a night train");
        for (words, expected) in [
            ("tram bridge", vec!["tram", "tram", "bridge", "Trams"]),
            ("bridge tram missing", vec!["tram", "tram", "bridge", "Trams"]),
            ("\"night train\" bridge", vec!["bridge", "night train"]),
            ("bridge OR night", vec!["bridge", "night"]),
            ("bridge bridge", vec!["bridge"]),
        ] {
            let query: Query = words.parse().unwrap();
            let words = SearchedWord::all(&query);
            let found = matches(&html, 400, |haystack| haystack.find_words(&words, usize::MAX));
            assert_eq!(found, expected, "{query:?}");
        }
    }
}

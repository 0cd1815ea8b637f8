//! Finds where a full-text search matches. The index contains no texts, so the texts of the rows that are
//! shown are searched again, with the same tokenizer.

use super::articles::unpack;
use super::condition::{AUTHORS_COLUMN, TITLE_COLUMN};
use super::error::Result;
use super::folding::{folded, folded_char};
use super::index::MAX_TEXT;
use super::reader::Reader;
use super::rows::{json, to_json};
use crate::article::{self, is_stop_word};
use crate::model::{Enclosure, TextFrom};
use crate::query::Column;
use crate::util::phrase::Phrase;
use crate::util::segment::{SEPARATOR, segmented};
use crate::util::{html, text};
use rusqlite::{Connection, OptionalExtension, params};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use url::Url;

/// Maximum number of rows searched at once.
const MAX_ROWS: usize = 200;
/// Maximum total size of the HTML of these rows, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// Number of characters of a text that are shown as its opening.
const OPENING: usize = 300;
/// Number of characters of HTML from which the opening is taken.
const OPENING_MARKUP: usize = 4000;
/// Number of bytes of HTML that are searched for a picture.
const PICTURE_MARKUP: usize = 20_000;
/// Number of words in a snippet.
const WORDS: usize = 32;
/// Number of words that a snippet has before its first hit, if its hits leave space for them.
const LEAD: usize = 8;
/// Maximum length of a snippet, and of its part before the first hit, in bytes. Words that the index splits,
/// such as Hindi words at vowel signs, may be a single long word here.
const MAX_SNIPPET: usize = 800;
const MAX_LEAD: usize = 200;
/// The value of a search word that the text contains often.
const WORTH: usize = 1 << 20;
/// Marks the start of a hit. Stored texts contain no control characters.
const START: char = '\u{2}';
/// Marks the end of a hit.
const END: char = '\u{3}';

/// Where an item matches a search. Ranges are in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Snippet {
    /// The hits in the title of the item.
    pub title_hits: Vec<Range<usize>>,
    /// A part of the item's text with hits, or its start; empty if only the title or the authors match.
    pub text: String,
    /// The hits in `text`.
    pub hits: Vec<Range<usize>>,
    /// The URL of the first picture of the text, for lists that show it.
    #[serde(skip)]
    pub picture: Option<String>,
}

impl Reader {
    /// Where items (row keys) match a full-text expression, as in
    /// [`Criteria::text`](super::Criteria::text); items that do not match are left out.
    pub fn snippets(&self, keys: &[i64], expression: &str) -> Result<Vec<(i64, Snippet)>> {
        let index = Connection::open_in_memory()?;
        index.execute_batch(
            "CREATE VIRTUAL TABLE shown USING fts5 (title, authors, body,
                tokenize = 'unicode61 remove_diacritics 2')",
        )?;
        let mut insert = index
            .prepare("INSERT INTO shown (rowid, title, authors, body) VALUES (?1, ?2, ?3, ?4)")?;
        let (mut left, mut pictures) = (MAX_BYTES, HashMap::new());
        for key in keys.iter().take(MAX_ROWS) {
            let Some(searched) = self.searched(*key)? else { continue };
            let markup = &searched.markup;
            let Some(rest) = left.checked_sub(markup.len()) else { continue };
            left = rest;
            let text = plain(markup);
            let [title, authors, text] =
                [&searched.title, &searched.authors, &text].map(|text| segmented(text));
            insert.execute(params![key, title, authors, text])?;
            pictures.extend(searched.picture().map(|picture| (*key, picture)));
        }
        let quoted = Quoted::all(expression);
        let (signed, others): (Vec<_>, Vec<_>) =
            quoted.iter().partition(|quoted| quoted.phrase.has_symbols());
        let mut marked = highlighted(&index, expression)?;
        if !signed.is_empty() {
            // The index would also mark these words where no symbol follows.
            let others: Vec<&str> = others.into_iter().map(|quoted| quoted.expression).collect();
            let others: HashMap<_, _> = match others.is_empty() {
                true => HashMap::new(),
                false => highlighted(&index, &others.join(" OR "))?.into_iter().collect(),
            };
            for (key, texts) in &mut marked {
                match others.get(key) {
                    Some(others) => texts.clone_from(others),
                    None => *texts = texts.clone().map(|text| text.replace([START, END], "")),
                }
            }
        }
        let found = marked.into_iter().map(|(key, [title, text])| {
            let (title, mut title_hits) = unmarked(&title);
            let (text, mut hits) = unmarked(&text.split_whitespace().collect::<Vec<_>>().join(" "));
            add_signed(&title, &mut title_hits, &signed, |column| column != Column::Author);
            add_signed(&text, &mut hits, &signed, |column| column == Column::Any);
            let (text, hits) = excerpt(&text, &hits, &quoted);
            (key, Snippet { title_hits, text, hits, picture: pictures.remove(&key) })
        });
        Ok(found.collect())
    }

    /// The starts of the texts of items (row keys), as snippets without hits.
    pub fn openings(&self, keys: &[i64]) -> Result<Vec<(i64, Snippet)>> {
        let mut found = Vec::new();
        for key in keys.iter().take(MAX_ROWS) {
            let Some(searched) = self.searched(*key)? else { continue };
            let text = html::to_text(text::start(&searched.markup, OPENING_MARKUP));
            let words: Vec<&str> = text.split_whitespace().collect();
            let text = words.join(" ").chars().take(OPENING).collect();
            found.push((*key, Snippet { text, picture: searched.picture(), ..Snippet::default() }));
        }
        Ok(found)
    }

    fn searched(&self, key: i64) -> Result<Option<Searched>> {
        let mut query = self.conn.prepare_cached(
            "SELECT i.title, d.authors,
                 CASE WHEN length(coalesce(d.summary, '')) > length(coalesce(d.content, ''))
                     THEN d.summary ELSE coalesce(d.content, '') END,
                 CASE WHEN a.origin <> ?2 THEN a.body END, i.url, d.enclosures
             FROM item i JOIN detail d ON d.item = i.key
             LEFT JOIN article a ON a.key = (SELECT max(key) FROM article WHERE item = i.key)
             WHERE i.key = ?1",
        )?;
        let row = query.query_row(params![key, to_json(&TextFrom::Feed)?], |r| {
            let article = r.get_ref(3)?.as_blob_or_null()?.and_then(unpack);
            let feed: String = r.get(2)?;
            let (title, authors) = (r.get(0)?, r.get(1)?);
            let (url, enclosures) = (r.get(4)?, json(r.get(5)?).unwrap_or_default());
            let markup = article.unwrap_or(feed);
            Ok(Searched { title, authors, markup, url, enclosures })
        });
        Ok(row.optional()?)
    }
}

/// The indexed texts of an item, and where its picture may be.
struct Searched {
    title: String,
    authors: String,
    /// The text as HTML.
    markup: String,
    url: Option<String>,
    enclosures: Vec<Enclosure>,
}

impl Searched {
    /// The URL of the first picture at the start of the text, or of an enclosed picture.
    fn picture(&self) -> Option<String> {
        let base = self.url.as_deref().and_then(|url| Url::parse(url).ok());
        let is_image = |e: &&Enclosure| e.mime.as_deref().is_some_and(|m| m.starts_with("image/"));
        let enclosed = || Some(self.enclosures.iter().find(is_image)?.url.clone());
        let start = text::start(&self.markup, PICTURE_MARKUP);
        article::first_image(start, base.as_ref()).or_else(enclosed)
    }
}

/// The text that is indexed.
fn plain(markup: &str) -> String {
    let mut text = html::to_text(markup);
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT) {
        text.truncate(end);
    }
    text
}

/// The part of a text with the most informative hits, and the hits in it; empty without hits. FTS5's own
/// snippets prefer parts with many hits, whatever the words.
fn excerpt(
    text: &str,
    hits: &[Range<usize>],
    searched: &[Quoted<'_>],
) -> (String, Vec<Range<usize>>) {
    let words = words(text);
    let word_at = |at: usize| words.partition_point(|word| word.end <= at);
    let Some((first, last)) = best_hits(text, hits, searched, word_at) else {
        return Default::default();
    };
    let shown = hits[first].start;
    let (first, last) = (word_at(shown), word_at(hits[last].end.saturating_sub(1)));
    let lead = WORDS.saturating_sub(last + 1 - first).min(LEAD);
    let end = (first.saturating_sub(lead) + WORDS).max(last + 1);
    let start = end.min(words.len()).saturating_sub(WORDS).min(first);
    let from = if start == 0 { 0 } else { words[start].start };
    let to = if end < words.len() { words[end - 1].end } else { text.len() };
    let near = (shown.saturating_sub(MAX_LEAD)..shown).find(|at| text.is_char_boundary(*at));
    let from = from.max(near.unwrap_or(shown));
    let to = from + text::start(&text[from..to], MAX_SNIPPET).len();
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < text.len() { "…" } else { "" });
    let inside = hits.iter().filter(|hit| from <= hit.start && hit.start < to);
    let moved = |at: usize| at.min(to) - from + before.len();
    let moved = inside.map(|hit| moved(hit.start)..moved(hit.end)).collect();
    (format!("{before}{}{after}", &text[from..to]), moved)
}

/// The words of a text, approximately as they are indexed.
fn words(text: &str) -> Vec<Range<usize>> {
    let (mut words, mut start) = (Vec::new(), None);
    for (at, c) in text.char_indices() {
        match start {
            Some(from) if !c.is_alphanumeric() => {
                words.push(from..at);
                start = None;
            }
            None if c.is_alphanumeric() => start = Some(at),
            _ => {}
        }
    }
    words.extend(start.map(|from| from..text.len()));
    words
}

/// The titles and texts of the rows that match an expression, with marked hits.
fn highlighted(index: &Connection, expression: &str) -> Result<Vec<(i64, [String; 2])>> {
    let mut query = index.prepare(
        "SELECT rowid, highlight(shown, 0, ?2, ?3), highlight(shown, 2, ?2, ?3)
         FROM shown WHERE shown MATCH ?1",
    )?;
    let marks = (START.to_string(), END.to_string());
    let found = query.query_map(params![expression, marks.0, marks.1], |r| {
        Ok((r.get(0)?, [r.get(1)?, r.get(2)?]))
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// A quoted word or phrase of a full-text expression.
struct Quoted<'a> {
    /// The phrase with its column and the star of a prefix.
    expression: &'a str,
    column: Column,
    /// In comparable form.
    text: String,
    phrase: Phrase,
}

/// Finds the parts of a full-text expression that it excludes.
#[derive(Default)]
struct Exclusions {
    /// Number of open parentheses.
    depth: usize,
    /// The depth of the excluded group, if there is one.
    excluded: Option<usize>,
    /// Whether `NOT` has just been read.
    is_next: bool,
}

impl Exclusions {
    /// Reads the text before a quoted word. Returns whether the word is excluded.
    fn read(&mut self, between: &str) -> bool {
        for (at, c) in between.char_indices() {
            match c {
                '(' => {
                    self.depth += 1;
                    if std::mem::take(&mut self.is_next) && self.excluded.is_none() {
                        self.excluded = Some(self.depth);
                    }
                }
                ')' => {
                    self.excluded.take_if(|depth| *depth == self.depth);
                    self.depth = self.depth.saturating_sub(1);
                }
                'N' => self.is_next |= between[at..].starts_with("NOT "),
                _ => {}
            }
        }
        std::mem::take(&mut self.is_next) || self.excluded.is_some()
    }
}

impl<'a> Quoted<'a> {
    /// The words and phrases that are searched for, without the excluded ones.
    fn all(expression: &'a str) -> Vec<Self> {
        let (mut all, mut rest) = (Vec::new(), expression);
        let mut exclusions = Exclusions::default();
        while let Some(start) = rest.find('"') {
            let is_excluded = exclusions.read(&rest[..start]);
            let columns = [(Column::Title, TITLE_COLUMN), (Column::Author, AUTHORS_COLUMN)];
            let column = columns.into_iter().find(|(_, name)| rest[..start].ends_with(name));
            let (column, name) = column.unwrap_or((Column::Any, ""));
            let mut end = start + 1;
            // A quotation mark in the text is doubled.
            while let Some(length) = rest[end..].find('"') {
                end += length + 1;
                if !rest[end..].starts_with('"') {
                    break;
                }
                end += 1;
            }
            let text = rest[start + 1..end].strip_suffix('"').unwrap_or_default();
            let text = text.replace("\"\"", "\"").replace(SEPARATOR, "");
            let begins = rest[end..].starts_with('*');
            end += usize::from(begins);
            let expression = &rest[start - name.len()..end];
            if let Some(phrase) = Phrase::new(&folded(&text), !begins).filter(|_| !is_excluded) {
                let text = text::comparable(&text);
                all.push(Self { expression, column, text, phrase });
            }
            rest = &rest[end..];
        }
        all
    }
}

/// Adds the hits of words with symbols in a text to its other hits.
fn add_signed(
    text: &str,
    hits: &mut Vec<Range<usize>>,
    signed: &[&Quoted<'_>],
    is_searched: impl Fn(Column) -> bool,
) {
    let signed: Vec<_> = signed.iter().filter(|quoted| is_searched(quoted.column)).collect();
    if signed.is_empty() {
        return;
    }
    // For each byte of the folded text, the position of its character in the text.
    let (mut folded, mut origins) = (String::with_capacity(text.len()), Vec::new());
    for (at, c) in text.char_indices() {
        folded.extend(folded_char(c));
        origins.resize(folded.len(), at);
    }
    origins.push(text.len());
    let found = signed.into_iter().flat_map(|quoted| quoted.phrase.hits(&folded));
    hits.extend(found.map(|hit| origins[hit.start]..origins[hit.end]));
    hits.sort_unstable_by_key(|hit| (hit.start, Reverse(hit.end)));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(hits.len());
    for hit in hits.drain(..) {
        match joined.last_mut() {
            Some(last) if hit.start < last.end => last.end = last.end.max(hit.end),
            _ => joined.push(hit),
        }
    }
    *hits = joined;
}

/// The search word or phrase with which a hit (a part of a text) begins, else the hit itself.
fn word_of_hit(hit: &str, searched: &[Quoted<'_>]) -> String {
    let folded = folded(hit);
    let begins = |phrase: &Phrase| phrase.hits(&folded).next().is_some_and(|hit| hit.start == 0);
    let found = searched.iter().filter(|quoted| begins(&quoted.phrase)).map(|quoted| &quoted.text);
    found.max_by_key(|text| text.len()).cloned().unwrap_or_else(|| text::comparable(hit))
}

/// The first and the last of the hits to show: as many different words as possible, or else those that are
/// rare in the text. Words such as `the` hardly count.
fn best_hits(
    text: &str,
    hits: &[Range<usize>],
    searched: &[Quoted<'_>],
    word_at: impl Fn(usize) -> usize,
) -> Option<(usize, usize)> {
    let (words, found) = words_of_hits(text, hits, searched);
    let mut counts = vec![0; words.len()];
    found.iter().for_each(|word| counts[*word] += 1);
    let mut worth = vec![0; words.len()];
    for (word, number) in &words {
        // An additional word always counts more than the rarity of the others.
        let rare = WORTH + WORTH / (words.len() + 1) / counts[*number];
        worth[*number] = if is_stop_word(word) { WORTH / 100 } else { rare };
    }
    let at: Vec<usize> = hits.iter().map(|hit| word_at(hit.start)).collect();
    let reaches = |first: usize, last: usize| {
        at[last] < at[first] + WORDS && hits[last].end <= hits[first].start + MAX_SNIPPET - MAX_LEAD
    };
    // The hits from `first` to before `end` fit into one snippet. `counts` is how often each word occurs in
    // them, and `sum` is the total value of these words.
    counts.fill(0);
    let mut best: Option<(usize, usize, usize)> = None;
    let (mut sum, mut end) = (0, 0);
    for first in 0..hits.len() {
        while end < hits.len() && (end == first || reaches(first, end)) {
            sum += if counts[found[end]] == 0 { worth[found[end]] } else { 0 };
            counts[found[end]] += 1;
            end += 1;
        }
        if best.is_none_or(|(most, ..)| sum > most) {
            best = Some((sum, first, end - 1));
        }
        counts[found[first]] -= 1;
        sum -= if counts[found[first]] == 0 { worth[found[first]] } else { 0 };
    }
    let (_, mut first, last) = best?;
    // A word that occurs again later need not be shown at the start.
    let again = |first: usize| found[first + 1..=last].contains(&found[first]);
    while again(first) {
        first += 1;
    }
    Some((first, last))
}

/// The different words of the hits of a text, numbered, and for each hit the number of its word.
fn words_of_hits(
    text: &str,
    hits: &[Range<usize>],
    searched: &[Quoted<'_>],
) -> (HashMap<String, usize>, Vec<usize>) {
    let mut words: HashMap<String, usize> = HashMap::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let numbers = hits.iter().map(|hit| {
        let hit = &text[hit.clone()];
        *known.entry(hit).or_insert_with(|| {
            let next = words.len();
            *words.entry(word_of_hit(hit, searched)).or_insert(next)
        })
    });
    let numbers = numbers.collect();
    (words, numbers)
}

/// A text as it was before it was segmented, without the marks of its hits, and the positions of the hits.
fn unmarked(marked: &str) -> (String, Vec<Range<usize>>) {
    let (mut text, mut hits, mut start) = (String::with_capacity(marked.len()), Vec::new(), 0);
    for c in marked.chars() {
        match c {
            START => start = text.len(),
            END => hits.push(start..text.len()),
            SEPARATOR => {}
            c => text.push(c),
        }
    }
    (text, hits)
}

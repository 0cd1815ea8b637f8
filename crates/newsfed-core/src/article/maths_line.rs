//! A line of a formula in plain text: where it needs spaces and parentheses to keep its meaning.

use super::maths_rows::Piece;
use super::maths_table::{LOWERED, RAISED};

/// A part of a formula as text.
#[derive(Default)]
pub(super) struct Fragment {
    pub text: String,
    /// Whether it is one word, such as the name of a function, and not a product of letters.
    pub is_word: bool,
}

/// A line while it is being written.
#[derive(Default)]
pub(super) struct Line {
    pieces: Vec<Piece>,
    out: String,
    /// The text that an index would belong to.
    base: Option<Base>,
    /// The start and end of a fraction at the end of the line.
    fraction: Option<(usize, usize)>,
    /// Whether a letter or digit that follows without a space would be read as part of the preceding text.
    needs_gap: bool,
    /// Number of parts, and how many of them are words.
    parts: usize,
    words: usize,
}

struct Base {
    start: usize,
    /// Whether the base needs parentheses before an index.
    is_compound: bool,
    has_index: bool,
}

impl Line {
    pub(super) fn space(&mut self) {
        if !self.out.ends_with(' ') {
            self.out.push(' ');
        }
    }

    /// Separates the text so far from the text that follows, because the two are not factors of one product.
    pub(super) fn separate(&mut self) {
        self.space();
        (self.fraction, self.base) = (None, None);
    }

    /// Makes sure that a letter or digit that follows is not read as part of the word before it.
    pub(super) fn gap(&mut self) {
        self.needs_gap |= self.out.chars().next_back().is_some_and(char::is_alphanumeric);
    }

    pub(super) fn trim_end(&mut self) {
        self.out.truncate(self.out.trim_end().len());
    }

    pub(super) fn character(&mut self, c: char) {
        self.part(c.encode_utf8(&mut [0; 4]), false);
    }

    /// Writes a symbol between two operands.
    pub(super) fn relation(&mut self, sign: &str) {
        self.fraction = None;
        self.space();
        self.part(sign, false);
        self.space();
        self.needs_gap = false;
    }

    /// Writes the name of a function.
    pub(super) fn word(&mut self, name: &str) {
        self.before(name);
        if self.ends_with_factor() {
            self.space();
        }
        self.part(name, false);
        self.words += 1;
        self.needs_gap = true;
    }

    /// Writes text, including the spaces at its ends.
    pub(super) fn text(&mut self, fragment: &Fragment) {
        self.part(&fragment.text, !is_simple(fragment));
        let letters = fragment.text.chars().filter(|c| c.is_alphabetic()).count();
        self.words += usize::from(letters > 1);
        if letters > 1 {
            self.gap();
        }
    }

    /// Writes the content of a group in braces.
    pub(super) fn group(&mut self, fragment: &Fragment) {
        self.part(&fragment.text, !is_simple(fragment));
        self.words += usize::from(fragment.is_word);
    }

    pub(super) fn fraction(&mut self, over: &Fragment, under: &Fragment) {
        let gap = self.needs_gap;
        self.before("(");
        let text = format!("{}/{}", numerator(&over.text), denominator(&under.text));
        let is_factor = self.ends_with_factor() || self.out.trim_end().ends_with('/');
        if gap || is_factor && !self.out.ends_with('/') {
            self.space();
        }
        if is_factor {
            return self.part(&format!("({text})"), false);
        }
        let start = self.out.len();
        self.part(&text, true);
        self.fraction = Some((start, self.out.len()));
    }

    pub(super) fn root(&mut self, degree: Option<&Fragment>, of: &Fragment) {
        let inner = of.text.trim();
        let inner = match is_simple(of) && !of.is_word || is_enclosed(inner) {
            true => inner.to_owned(),
            false => format!("({inner})"),
        };
        match degree.map(|degree| (degree, all(degree, &RAISED))) {
            None => self.part(&format!("√{inner}"), true),
            Some((_, Some(raised))) => {
                self.before("√");
                // The degree must not be read as an exponent.
                if self.ends_with_factor() {
                    self.space();
                }
                self.part(&format!("{raised}√{inner}"), true);
            }
            Some((degree, None)) => {
                let degree = denominator(&degree.text);
                self.part(&format!("{inner}^(1/{degree})"), true);
            }
        }
        self.needs_gap = !inner.ends_with(')');
    }

    /// Writes the indices of the last part. `None` if it already has indices.
    pub(super) fn index(
        &mut self,
        lowered: Option<&Fragment>,
        raised: Option<&Fragment>,
    ) -> Option<()> {
        // The index would seem to belong only to the middle line.
        if self.is_after_tall() {
            return None;
        }
        let start = self.base.as_ref().map_or(self.out.len(), |base| base.start);
        if let Some(base) = self.base.take() {
            if base.has_index {
                return None;
            }
            self.trim_end();
            if base.is_compound {
                self.enclose(start, self.out.len());
            }
        }
        (self.fraction, self.needs_gap) = (None, false);
        // After a lower index in ordinary letters, a small exponent would be read as part of that index.
        let mut is_small = true;
        for (mark, index, known) in [('_', lowered, &LOWERED[..]), ('^', raised, &RAISED[..])] {
            let Some(index) = index else { continue };
            match all(index, known).filter(|small| is_small || *small == index.text.trim()) {
                Some(small) => {
                    self.out.push_str(&small);
                    // Without a gap, `x*y` would seem to be a product.
                    self.needs_gap = small.ends_with('*');
                }
                None => {
                    let text = linear(index);
                    self.out.push(mark);
                    self.out.push_str(&text);
                    self.needs_gap = !text.ends_with(')');
                    is_small = false;
                }
            }
        }
        self.parts += 1;
        self.base = Some(Base { start, is_compound: false, has_index: true });
        Some(())
    }

    /// Adds lines below each other, such as the rows of a matrix.
    pub(super) fn stack(&mut self, lines: Vec<String>) {
        if self.ends_with_factor() {
            self.space();
        }
        self.flush();
        self.pieces.push(Piece::Stack(lines));
    }

    /// Adds a part of three lines, the middle one of which is level with the text around it.
    pub(super) fn tall(&mut self, lines: [String; 3]) {
        let before = self.out.chars().next_back();
        if self.is_after_tall() || before.is_some_and(|c| !c.is_whitespace() && !is_open(c)) {
            self.space();
        }
        self.flush();
        self.pieces.push(Piece::Tall(lines));
    }

    fn is_after_tall(&self) -> bool {
        self.out.is_empty() && matches!(self.pieces.last(), Some(Piece::Tall(_)))
    }

    pub(super) fn append(&mut self, line: Self) {
        self.flush();
        self.pieces.extend(line.finish());
    }

    pub(super) fn line_break(&mut self) {
        self.flush();
        self.pieces.push(Piece::Break);
    }

    fn flush(&mut self) {
        if !self.out.is_empty() {
            self.pieces.push(Piece::Text(collapsed(&self.out)));
            self.out.clear();
        }
        (self.base, self.fraction, self.needs_gap) = (None, None, false);
        self.parts += 1;
    }

    pub(super) fn finish(mut self) -> Vec<Piece> {
        self.flush();
        self.pieces
    }

    /// The line as text. Only for lines without stacks.
    pub(super) fn fragment(&self) -> Fragment {
        let text = collapsed(&self.out);
        let is_word = self.parts == 1
            && self.words == 1
            && text.trim().chars().count() > 1
            && text.trim().chars().all(char::is_alphabetic);
        Fragment { text, is_word }
    }

    fn part(&mut self, text: &str, is_compound: bool) {
        if text.trim().is_empty() {
            if !text.is_empty() {
                self.space();
            }
            return;
        }
        self.before(text);
        let start = self.out.len() + text.len() - text.trim_start().len();
        self.out.push_str(text);
        self.base = Some(Base { start, is_compound, has_index: false });
        self.parts += 1;
    }

    /// Separates the text so far from `next` if they would be read as one.
    fn before(&mut self, next: &str) {
        let first = next.trim_start().chars().next().unwrap_or(' ');
        let is_factor = first.is_alphanumeric() || "([{⟨⌊⌈√∫∑∏∂∇!".contains(first);
        if let Some((start, end)) = self.fraction.take().filter(|_| is_factor) {
            self.enclose(start, end);
        }
        // A sign that touches a fraction bar would seem to be part of it.
        if self.is_after_tall() && !is_close(first) {
            self.space();
        }
        if std::mem::take(&mut self.needs_gap) && next.starts_with(char::is_alphanumeric) {
            self.space();
        }
    }

    fn enclose(&mut self, start: usize, end: usize) {
        self.out.insert(end, ')');
        self.out.insert(start, '(');
    }

    fn ends_with_factor(&self) -> bool {
        match self.out.trim_end().chars().next_back() {
            Some(c) => c.is_alphanumeric() || is_mark(c) || ")]}⟩⌋⌉".contains(c),
            None => {
                let is_stack = |piece: &Piece| matches!(piece, Piece::Stack(_) | Piece::Tall(_));
                self.pieces.iter().any(is_stack)
            }
        }
    }
}

/// The text with runs of whitespace replaced by single spaces.
fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_whitespace() {
            true if out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(c),
        }
    }
    out
}

fn is_open(c: char) -> bool {
    "([{⟨⌊⌈|‖".contains(c)
}

fn is_close(c: char) -> bool {
    ")]}⟩⌋⌉|‖,.;:!′".contains(c) || c.is_whitespace()
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{20d7}' | '′')
}

fn is_index(c: char, known: &[(char, char)]) -> bool {
    known.iter().any(|(_, index)| *index == c)
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Whether a text is enclosed in a single pair of brackets.
fn is_enclosed(text: &str) -> bool {
    let pairs = [('(', ')'), ('[', ']'), ('{', '}'), ('⟨', '⟩'), ('⌊', '⌋'), ('⌈', '⌉')];
    let Some(first) = text.chars().next() else { return false };
    let Some((open, close)) = pairs.into_iter().find(|(open, _)| *open == first) else {
        return false;
    };
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return at + c.len_utf8() == text.len();
        }
    }
    false
}

/// Whether a text can be the base of an index without parentheses.
fn is_simple(fragment: &Fragment) -> bool {
    let text = fragment.text.trim();
    let mut rest = text.chars();
    rest.next();
    fragment.is_word
        || is_number(text)
        || is_enclosed(text)
        || rest.all(|c| is_mark(c) || is_index(c, &LOWERED))
}

fn numerator(text: &str) -> String {
    let text = text.trim();
    let is_word =
        text.chars().all(|c| c.is_alphanumeric() || c == '.' || is_mark(c)) || is_enclosed(text);
    if is_word { text.to_owned() } else { format!("({text})") }
}

/// The denominator after a slash: in parentheses if it would otherwise seem to end earlier.
fn denominator(text: &str) -> String {
    let text = text.trim();
    let is_small = |c: char| is_mark(c) || is_index(c, &LOWERED) || is_index(c, &RAISED);
    let mut rest = text.chars();
    let letter = rest.next().is_some_and(char::is_alphabetic);
    let is_factor = letter && rest.all(is_small)
        || text.chars().all(char::is_alphabetic)
        || is_number(text)
        || is_enclosed(text)
        || text.chars().count() == 1;
    if is_factor { text.to_owned() } else { format!("({text})") }
}

/// An index in superscript or subscript characters, if `known` has them all. A word is easier to read in
/// ordinary letters.
fn all(index: &Fragment, known: &[(char, char)]) -> Option<String> {
    let sign = |of: char| known.iter().find(|(c, _)| *c == of).map(|(_, sign)| *sign);
    let text = index.text.trim();
    if index.is_word { None } else { text.chars().map(sign).collect() }
}

/// An index as written after `^` or `_`: in parentheses unless it is one letter, number or word.
fn linear(index: &Fragment) -> String {
    let text = index.text.trim();
    let is_one = text.chars().filter(|c| !is_mark(*c)).count() == 1;
    let in_parentheses = text.starts_with('(') && is_enclosed(text);
    match is_one || is_number(text) || index.is_word || in_parentheses {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

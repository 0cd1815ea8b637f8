//! Makes untrusted text safe for a terminal, and measures its width.
//!
//! Text is sanitised once, when it enters the model. Everything in the model is safe to print.

pub use super::name::comparable;
use crate::util::limits;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::fmt::Display;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Maximum length of a line that [`block`] does not break, in characters.
pub const MAX_BLOCK_LINE: usize = 20_000;

/// Maximum number of combining marks on one base character.
const MAX_MARKS: usize = 4;

/// Maximum number of characters in one grapheme.
const MAX_GRAPHEME: usize = 32;

/// Maximum distance at which the end of a device string is searched for in markup, in characters.
const MAX_STRING_IN_MARKUP: usize = 256;

const TAB: usize = 4;

/// Makes one line of clean text: removes control characters, escape sequences, bidirectional overrides and
/// invisible characters, and collapses whitespace. At most [`limits::LINE_CHARS`] characters.
pub fn line(s: &str) -> String {
    if is_plain_line(s) {
        return s.to_owned();
    }
    let clean = filter(s, Mode::Text, plain_len);
    let mut out = String::with_capacity(clean.len());
    for word in clean.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    let mut out = bound_graphemes(&out).into_owned();
    if let Some((at, _)) = out.char_indices().nth(limits::LINE_CHARS) {
        let keep = out.grapheme_indices(true).map(|(i, _)| i).take_while(|i| *i < at).last();
        out.truncate(keep.unwrap_or(0));
        out.truncate(out.trim_end().len());
        out.push('…');
    }
    out
}

/// Makes clean text of many lines: like [`line()`], but keeps line breaks and indentation, replaces tabs by
/// spaces, and breaks lines longer than [`MAX_BLOCK_LINE`] characters.
pub fn block(s: &str) -> String {
    let clean = filter(s, Mode::Text, plain_len);
    let mut out = String::with_capacity(clean.len());
    for row in clean.split('\n') {
        let row = expand_tabs(row);
        push_broken(&mut out, bound_graphemes(&row).trim_end());
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    let blank_rows = out.split('\n').take_while(|row| row.trim().is_empty()).map(|r| r.len() + 1);
    let lead = blank_rows.sum::<usize>().min(out.len());
    if lead == 0 { out } else { out.split_off(lead) }
}

/// Whether a text has ASCII control characters other than line feeds and tabs.
///
/// If it has none, and every other character stands alone ([`stands_alone`]) or is a no-break space,
/// [`block`] changes only whitespace, unless a line is too long.
pub fn has_controls(s: &str) -> bool {
    leading(s.as_bytes(), |b| (0x20..0x7f).contains(&b) || b > 0x7f || matches!(b, b'\n' | b'\t'))
        < s.len()
}

/// Removes the same characters from text as [`line()`], but keeps its whitespace and length.
pub fn visible(s: &str) -> Cow<'_, str> {
    filter(s, Mode::Text, plain_len)
}

/// Removes the same characters from HTML source as [`line()`] from text, and leaves the markup unchanged.
///
/// An escape sequence never extends past `<`, `>`, `"` or `'`, so no tag can be swallowed.
pub fn markup(s: &str) -> Cow<'_, str> {
    filter(s, Mode::Markup, plain_len)
}

/// The longest prefix of `s` with at most `bytes` bytes.
pub fn start(s: &str, bytes: usize) -> &str {
    let mut end = bytes.min(s.len());
    while !s.is_char_boundary(end) {
        end -= 1;
    }
    &s[..end]
}

/// Whether each character takes exactly one cell, whatever is next to it: Latin letters and punctuation, and
/// box-drawing characters. Most texts need no search for graphemes.
pub fn is_simple(s: &str) -> bool {
    s.bytes().all(|b| (0x20..0x7f).contains(&b)) || s.chars().all(is_simple_char)
}

fn is_simple_char(c: char) -> bool {
    matches!(
        c,
        ' '..='~'
            | '\u{a1}'..='\u{ac}'
            | '\u{ae}'..='\u{2ff}'
            | '\u{2010}'..='\u{2027}'
            | '\u{2500}'..='\u{25a9}'
            | '\u{25cf}'
    )
}

/// Width in terminal cells, measured grapheme by grapheme like in ratatui.
pub fn width(s: &str) -> usize {
    if is_simple(s) {
        return s.chars().count();
    }
    s.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The longest prefix of `s` that fits into `cells`, with `…` at the end if it was cut. Never
/// splits a grapheme.
pub fn truncate(s: &str, cells: usize) -> Cow<'_, str> {
    if s.len() <= cells || width(s) <= cells {
        return Cow::Borrowed(s);
    }
    if cells == 0 {
        return Cow::Borrowed("");
    }
    if is_simple(s) {
        let end = s.char_indices().nth(cells - 1).map_or(s.len(), |(at, _)| at);
        return Cow::Owned(format!("{}…", &s[..end]));
    }
    let mut used = 0;
    let mut end = 0;
    for (at, grapheme) in s.grapheme_indices(true) {
        let w = UnicodeWidthStr::width(grapheme);
        if used + w > cells - 1 {
            break;
        }
        used += w;
        end = at + grapheme.len();
    }
    Cow::Owned(format!("{}…", &s[..end]))
}

/// The kind of text to filter.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Text,
    Markup,
}

fn is_plain_line(s: &str) -> bool {
    let bytes = s.as_bytes();
    s.len() <= limits::LINE_CHARS
        && !bytes.starts_with(b" ")
        && !bytes.ends_with(b" ")
        && plain_len(s) == s.len()
        && !bytes.iter().any(|b| matches!(b, b'\n' | b'\t'))
        && memchr::memmem::find(bytes, b"  ").is_none()
}

/// Length in bytes of the prefix of `s` that needs no filtering: printable ASCII, line feeds, tabs, and
/// characters that [`stands_alone`] accepts.
fn plain_len(s: &str) -> usize {
    let mut at = 0;
    loop {
        at += ascii_len(&s.as_bytes()[at..]);
        let letters = s[at..].chars().take_while(|c| stands_alone(*c));
        let len: usize = letters.map(char::len_utf8).sum();
        if len == 0 {
            return at;
        }
        at += len;
    }
}

/// Number of printable ASCII characters, line feeds and tabs at the start.
fn ascii_len(bytes: &[u8]) -> usize {
    leading(bytes, |b| (0x20..0x7f).contains(&b) || matches!(b, b'\n' | b'\t'))
}

/// Number of bytes at the start that pass a test. Bytes are tested in chunks, without a branch per byte.
pub(super) fn leading(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    let all = |chunk: &&[u8]| chunk.iter().fold(true, |all, b| all & test(*b));
    let mut len = bytes.chunks_exact(32).take_while(all).count() * 32;
    len += bytes[len..].chunks_exact(8).take_while(all).count() * 8;
    len + bytes[len..].iter().take_while(|b| test(**b)).count()
}

/// Whether a multi-byte character certainly needs no filtering and is its own grapheme between others of the
/// same kind and ASCII. Recognises only the letters and punctuation of common scripts.
pub fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{52f}'
        | '\u{5d0}'..='\u{5ea}' | '\u{620}'..='\u{64a}' | '\u{1e00}'..='\u{1fff}'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{2070}'..='\u{20cf}'
        | '\u{2100}'..='\u{218f}' | '\u{2190}'..='\u{23ff}' | '\u{2500}'..='\u{27bf}'
        | '\u{3001}'..='\u{3029}' | '\u{3030}'..='\u{3096}' | '\u{309b}'..='\u{3163}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{ff01}'..='\u{ff9d}' | '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}' | '\u{1f900}'..='\u{1f9ff}')
}

/// Drops everything that must not reach a terminal. Line endings become `\n`. Other whitespace is kept,
/// except that unusual space characters become plain spaces. `plain_len` returns the length of the prefix
/// that needs no filtering.
fn filter(s: &str, mode: Mode, plain_len: fn(&str) -> usize) -> Cow<'_, str> {
    let start = plain_len(s);
    if start == s.len() {
        return Cow::Borrowed(s);
    }
    let mut out = Filtered { text: String::with_capacity(s.len()), marks: 0, last: '\n' };
    out.push_plain(&s[..start]);
    // Position of the last character that can end a device string. No device string ends after it.
    let last_end =
        LazyCell::new(|| s.rfind(['\u{7}', '\u{9c}']).max(s.rfind("\u{1b}\\")).unwrap_or(0));
    let mut rest = &s[start..];
    while let Some(c) = rest.chars().next() {
        let at = s.len() - rest.len();
        let tail = &rest[c.len_utf8()..];
        // A C1 character after a Latin-1 character is part of UTF-8 text that was read as Latin-1.
        let damaged = || s[..at].ends_with(|c| ('\u{80}'..='\u{ff}').contains(&c));
        rest = match c {
            '\u{1b}' => after_escape(tail, at < *last_end, mode),
            '\u{9b}' if !damaged() => after_csi(tail, false),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' if !damaged() => {
                after_device_string(tail, at < *last_end, mode)
            }
            '\r' => {
                out.push('\n');
                tail.strip_prefix('\n').unwrap_or(tail)
            }
            '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                out.push('\n');
                tail
            }
            '\t' => {
                out.push('\t');
                tail
            }
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => tail,
            _ => {
                out.push_printable(c, tail);
                tail
            }
        };
        let (plain, other) = rest.split_at(plain_len(rest));
        out.push_plain(plain);
        rest = other;
    }
    Cow::Owned(out.text)
}

/// The text after an escape character whose sequence is removed.
fn after_escape(tail: &str, may_end: bool, mode: Mode) -> &str {
    let Some(c) = tail.chars().next() else { return tail };
    let after = &tail[c.len_utf8()..];
    match c {
        '[' => after_csi(after, true),
        ']' | 'P' | 'X' | '^' | '_' => after_device_string(after, may_end, mode),
        // Two-character sequences that terminals act on and that are unlikely to start a word.
        '7' | '8' | '=' | 'c' | '\\' => after,
        '>' if mode == Mode::Text => after,
        ' '..='/' if mode == Mode::Text => {
            let end = after.trim_start_matches(|c| (' '..='/').contains(&c));
            match end.chars().next() {
                Some(c @ '0'..='~') => &end[c.len_utf8()..],
                _ => tail,
            }
        }
        _ => tail,
    }
}

/// The text after a control sequence. After a lone C1 character without parameters, the text is more likely
/// damaged, so nothing more is removed.
fn after_csi(tail: &str, certain: bool) -> &str {
    let end = tail.trim_start_matches(|c| ('0'..='?').contains(&c));
    if !certain && end.len() == tail.len() {
        return tail;
    }
    let end = end.trim_start_matches(|c| (' '..='/').contains(&c));
    match end.chars().next() {
        Some(c @ '@'..='~') => &end[c.len_utf8()..],
        _ => tail,
    }
}

/// The text after an operating system command, device control or similar string. If the string is
/// unterminated, only its introducer is removed.
fn after_device_string(tail: &str, may_end: bool, mode: Mode) -> &str {
    if !may_end {
        return tail;
    }
    // In text, everything up to the terminator is consumed. In markup, a tag may come first, so the search is
    // limited.
    let reach = if mode == Mode::Markup { MAX_STRING_IN_MARKUP } else { usize::MAX };
    for (at, c) in tail.char_indices().take(reach) {
        match c {
            '\u{7}' | '\u{9c}' => return &tail[at + c.len_utf8()..],
            '\\' if tail[..at].ends_with('\u{1b}') => return &tail[at + 1..],
            '<' | '>' | '"' | '\'' if mode == Mode::Markup => return tail,
            _ => {}
        }
    }
    tail
}

/// Text under construction, with the number of marks on the last base character.
struct Filtered {
    text: String,
    marks: usize,
    last: char,
}

impl Filtered {
    fn push(&mut self, c: char) {
        self.text.push(c);
        self.last = c;
        self.marks = 0;
    }

    /// Appends text that needs no filtering.
    fn push_plain(&mut self, plain: &str) {
        if let Some(last) = plain.chars().next_back() {
            self.text.push_str(plain);
            self.last = last;
            self.marks = 0;
        }
    }

    fn push_printable(&mut self, c: char, tail: &str) {
        match c {
            '\u{200c}' | '\u{200d}' if self.joins_letters(tail) => self.mark(c),
            '\u{200e}' | '\u{200f}' if !is_direction_mark(self.last) => self.mark(c),
            _ if is_invisible(c) => {}
            _ if is_blank(c) => self.push(' '),
            _ if c.width() == Some(0) => self.mark(c),
            _ => self.push(c),
        }
    }

    fn mark(&mut self, c: char) {
        let loose = self.last.is_whitespace() && !is_direction_mark(c);
        if self.marks < MAX_MARKS && !loose {
            self.text.push(c);
            self.last = c;
            self.marks += 1;
        }
    }

    fn joins_letters(&self, tail: &str) -> bool {
        let before = is_joined_letter(self.last) || is_virama_like(self.last);
        before && tail.chars().next().is_some_and(is_joined_letter)
    }
}

/// A letter of a script in which joiners have a meaning.
fn is_joined_letter(c: char) -> bool {
    !c.is_ascii() && c.is_alphabetic() && c.width() != Some(0) && !is_invisible(c) && !is_blank(c)
}

/// A combining mark of a script in which joiners select between forms.
fn is_virama_like(c: char) -> bool {
    c.width() == Some(0) && ('\u{900}'..='\u{109f}').contains(&c)
}

fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}')
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{3164}' | '\u{ffa0}' | '\u{115f}' | '\u{1160}')
}

/// Characters without a shape of their own: bidirectional controls, fillers, tags, variation selectors,
/// noncharacters; also the joiners of emoji sequences, because terminals disagree about their width, which
/// would misplace the rest of the row.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || is_direction_mark(c)
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Cuts graphemes of absurd length.
fn bound_graphemes(s: &str) -> Cow<'_, str> {
    // Text that needs no filtering has no grapheme longer than one character.
    if s.len() <= MAX_GRAPHEME
        || plain_len(s) == s.len()
        || s.graphemes(true).all(|g| g.len() <= MAX_GRAPHEME)
    {
        return Cow::Borrowed(s);
    }
    let mut out = String::with_capacity(s.len());
    for g in s.graphemes(true) {
        let end = g.char_indices().nth(MAX_GRAPHEME).map_or(g.len(), |(at, _)| at);
        let kept = &g[..end];
        let cut = end < g.len();
        out.push_str(if cut { kept.trim_end_matches('\u{200d}') } else { kept });
        if cut {
            out.push('…');
        }
    }
    Cow::Owned(out)
}

fn expand_tabs(row: &str) -> Cow<'_, str> {
    if !row.contains('\t') {
        return Cow::Borrowed(row);
    }
    let mut out = String::with_capacity(row.len() + 8);
    let mut column = 0;
    for c in row.chars() {
        if c == '\t' {
            let fill = TAB - column % TAB;
            out.extend(std::iter::repeat_n(' ', fill));
            column += fill;
        } else {
            out.push(c);
            column += 1;
        }
    }
    Cow::Owned(out)
}

fn push_broken(out: &mut String, row: &str) {
    if row.len() <= MAX_BLOCK_LINE {
        out.push_str(row);
        return;
    }
    let mut count = 0;
    for g in row.graphemes(true) {
        let chars = g.chars().count();
        if count + chars > MAX_BLOCK_LINE {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            count = 0;
        }
        out.push_str(g);
        count += chars;
    }
}

/// Capitalises the first letter of a text.
pub fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

/// `12 comments, +7 since you read it`
pub fn comment_count(count: u32, new: u32) -> String {
    let since = if new > 0 { format!(", +{new} since you read it") } else { String::new() };
    match count {
        0 => "no comments".to_owned(),
        n => counted(n, "comment") + &since,
    }
}

/// `1 item`, `3 items`: a number with a noun whose plural ends in "s".
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, one: &str) -> String {
    counted_as(number, one, &format!("{one}s"))
}

/// Like [`counted`], but with the plural as an argument: `3 entries`.
pub fn counted_as<N: Display + PartialEq + From<u8>>(
    number: N,
    one: &str,
    several: &str,
) -> String {
    let noun = if number == N::from(1) { one } else { several };
    format!("{number} {noun}")
}

/// A number of bytes in B, kB or MB.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..10_000 => format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100),
        10_000..1_000_000 => format!("{} kB", bytes / 1000),
        1_000_000..10_000_000 => {
            format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000)
        }
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

#[cfg(test)]
mod tests;

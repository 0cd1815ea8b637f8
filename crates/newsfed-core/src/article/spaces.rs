//! Whitespace in running text.

use super::document::Inline;
use crate::util::text;

/// Maximum number of consecutive line breaks.
const MAX_BREAKS: usize = 2;
/// Maximum number of empty pieces that are skipped to find the next character.
const MAX_AHEAD: usize = 16;

/// Collapses whitespace like a browser, across pieces, and trims both ends.
pub(super) fn tidy(inlines: Vec<Inline>) -> Vec<Inline> {
    // Whitespace at the start of a line is dropped.
    let mut before = Before { space: true, last: None };
    let mut out = collapse(inlines, None, &mut before);
    trim_end(&mut out);
    out
}

/// What precedes the current text.
struct Before {
    /// Whether it is whitespace or nothing.
    space: bool,
    /// The last non-whitespace character, if it is text.
    last: Option<char>,
}

/// Whether a character is written without spaces between words: Han, Kana and their punctuation.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3001}'..='\u{3130}' | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// Collapses whitespace in pieces that are followed by the character `after`.
fn collapse(inlines: Vec<Inline>, after: Option<char>, before: &mut Before) -> Vec<Inline> {
    let mut out = Vec::with_capacity(inlines.len());
    let mut pieces = inlines.into_iter();
    while let Some(inline) = pieces.next() {
        // Call this once per run of whitespace, because the function searches to the end of the run.
        let following = |pieces: &[Inline]| first_char(pieces).unwrap_or(after);
        match inline {
            Inline::Text(t) => {
                let mut collapsed = String::with_capacity(t.len());
                for (at, c) in t.char_indices() {
                    let blank = is_blank(c);
                    if !blank {
                        collapsed.push(c);
                        before.last = Some(c);
                    } else if !before.space {
                        let joins = before.last.is_some_and(is_unspaced) && {
                            let run = &t[at..];
                            let next = run.trim_start_matches(is_blank);
                            let next_char =
                                next.chars().next().or_else(|| following(pieces.as_slice()));
                            run[..run.len() - next.len()].contains('\n')
                                && next_char.is_some_and(is_unspaced)
                        };
                        if !joins {
                            collapsed.push(' ');
                        }
                    }
                    before.space = blank;
                }
                if !collapsed.is_empty() {
                    out.push(Inline::Text(text::markup(&collapsed).into_owned()));
                }
            }
            Inline::Emphasis(inner) => {
                wrap(inner, following(pieces.as_slice()), before, &mut out, Inline::Emphasis)
            }
            Inline::Strong(inner) => {
                wrap(inner, following(pieces.as_slice()), before, &mut out, Inline::Strong)
            }
            Inline::Deleted(inner) => {
                wrap(inner, following(pieces.as_slice()), before, &mut out, Inline::Deleted)
            }
            Inline::Inserted(inner) => {
                wrap(inner, following(pieces.as_slice()), before, &mut out, Inline::Inserted)
            }
            Inline::Link(inner, to) => {
                wrap(inner, following(pieces.as_slice()), before, &mut out, |i| Inline::Link(i, to))
            }
            Inline::Jump(inner, to) => {
                wrap(inner, following(pieces.as_slice()), before, &mut out, |i| Inline::Jump(i, to))
            }
            Inline::Place(_) => out.push(inline),
            Inline::Break => {
                *before = Before { space: true, last: None };
                let run = out.iter().rev().take_while(|i| **i == Inline::Break).count();
                if run < MAX_BREAKS {
                    out.push(Inline::Break);
                }
            }
            other => {
                *before = Before { space: false, last: None };
                out.push(other);
            }
        }
    }
    out
}

/// The first non-whitespace character of `pieces`; `Some(None)` if something other than text comes first,
/// `None` if there is nothing.
fn first_char(pieces: &[Inline]) -> Option<Option<char>> {
    pieces.iter().take(MAX_AHEAD).find_map(|piece| match piece {
        Inline::Text(t) => t.trim_start_matches(is_blank).chars().next().map(Some),
        Inline::Emphasis(inner)
        | Inline::Strong(inner)
        | Inline::Deleted(inner)
        | Inline::Inserted(inner)
        | Inline::Link(inner, _)
        | Inline::Jump(inner, _) => first_char(inner),
        Inline::Place(_) => None,
        _ => Some(None),
    })
}

fn wrap(
    inner: Vec<Inline>,
    after: Option<char>,
    before: &mut Before,
    out: &mut Vec<Inline>,
    make: impl FnOnce(Vec<Inline>) -> Inline,
) {
    let inner = collapse(inner, after, before);
    if !inner.is_empty() {
        out.push(make(inner));
    }
}

/// Removes the line breaks at both ends of a text, and returns their numbers.
pub(super) fn outer_breaks(inlines: &mut Vec<Inline>) -> (usize, usize) {
    let is_blank = |inline: &Inline| match inline {
        Inline::Break => true,
        Inline::Text(text) => text.chars().all(is_blank),
        _ => false,
    };
    let breaks = |run: &[Inline]| run.iter().filter(|i| **i == Inline::Break).count();
    let end = inlines.iter().rposition(|inline| !is_blank(inline)).map_or(0, |at| at + 1);
    let after = breaks(&inlines[end..]);
    if after > 0 {
        inlines.truncate(end);
    }
    let start = inlines.iter().take_while(|inline| is_blank(inline)).count();
    let before = breaks(&inlines[..start]);
    if before > 0 {
        inlines.drain(..start);
    }
    (before, after)
}

fn trim_end(inlines: &mut Vec<Inline>) {
    while let Some(last) = inlines.last_mut() {
        match last {
            Inline::Break => {}
            Inline::Text(t) => {
                t.truncate(t.trim_end_matches(' ').len());
                if !t.is_empty() {
                    return;
                }
            }
            Inline::Emphasis(inner)
            | Inline::Strong(inner)
            | Inline::Deleted(inner)
            | Inline::Inserted(inner)
            | Inline::Link(inner, _)
            | Inline::Jump(inner, _) => {
                trim_end(inner);
                if !inner.is_empty() {
                    return;
                }
            }
            _ => return,
        }
        inlines.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{from_html, plain};
    use crate::article::Block;

    #[test]
    fn joins_han_and_kana_lines_without_spaces() {
        for (html, expected) in [
            ("<p>問題\n這題</p>", "問題這題"),
            ("<p>問題。 \r\n  「這題」</p>", "問題。「這題」"),
            ("<p>かな\nカナ</p>", "かなカナ"),
            ("<p>問題\n<b>這題</b>\n的</p>", "問題這題的"),
            ("<p><b>問題\n</b>這題</p>", "問題這題"),
            ("<p><i>問題</i>\n<i> </i><a href='http://e.org/'>這題</a></p>", "問題這題"),
            // A space is intended here, and other scripts have spaces between words.
            ("<p>問題 這題</p>", "問題 這題"),
            ("<p>問題\nRust\n這題</p>", "問題 Rust 這題"),
            ("<p>한국어\n문장</p>", "한국어 문장"),
            ("<p>one\ntwo</p>", "one two"),
            ("<p>問題\n<code>x</code>\n這題</p>", "問題 x 這題"),
        ] {
            let document = from_html(html, None);
            let [Block::Paragraph(inline)] = document.blocks.as_slice() else {
                panic!("{document:?}")
            };
            assert_eq!(plain(inline), expected, "{html}");
        }
        let code = from_html("<pre>問題\n這題</pre>", None);
        assert_eq!(code.text().trim(), "問題\n這題");
    }
}

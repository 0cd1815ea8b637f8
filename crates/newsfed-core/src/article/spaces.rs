//! White space in running text.

use super::document::Inline;
use crate::util::text;

/// Maximum number of consecutive line breaks.
const MAX_BREAKS: usize = 2;

/// Collapses white space as a browser does, across pieces, and trims both ends.
pub(super) fn tidy(inlines: Vec<Inline>) -> Vec<Inline> {
    // White space at the start of a line is dropped.
    let mut space = true;
    let mut out = collapse(inlines, &mut space);
    trim_end(&mut out);
    out
}

fn collapse(inlines: Vec<Inline>, space: &mut bool) -> Vec<Inline> {
    let mut out = Vec::with_capacity(inlines.len());
    for inline in inlines {
        match inline {
            Inline::Text(t) => {
                let mut collapsed = String::with_capacity(t.len());
                for c in t.chars() {
                    let blank = matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
                    if !(blank && *space) {
                        collapsed.push(if blank { ' ' } else { c });
                    }
                    *space = blank;
                }
                if !collapsed.is_empty() {
                    out.push(Inline::Text(text::markup(&collapsed).into_owned()));
                }
            }
            Inline::Emphasis(inner) => wrap(inner, space, &mut out, Inline::Emphasis),
            Inline::Strong(inner) => wrap(inner, space, &mut out, Inline::Strong),
            Inline::Deleted(inner) => wrap(inner, space, &mut out, Inline::Deleted),
            Inline::Inserted(inner) => wrap(inner, space, &mut out, Inline::Inserted),
            Inline::Link(inner, to) => wrap(inner, space, &mut out, |i| Inline::Link(i, to)),
            Inline::Jump(inner, to) => wrap(inner, space, &mut out, |i| Inline::Jump(i, to)),
            Inline::Place(_) => out.push(inline),
            Inline::Break => {
                *space = true;
                let run = out.iter().rev().take_while(|i| **i == Inline::Break).count();
                if run < MAX_BREAKS {
                    out.push(Inline::Break);
                }
            }
            other => {
                *space = false;
                out.push(other);
            }
        }
    }
    out
}

fn wrap(
    inner: Vec<Inline>,
    space: &mut bool,
    out: &mut Vec<Inline>,
    make: impl FnOnce(Vec<Inline>) -> Inline,
) {
    let inner = collapse(inner, space);
    if !inner.is_empty() {
        out.push(make(inner));
    }
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

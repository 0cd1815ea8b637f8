//! Converts inline text to spans.

use super::glyphs::Glyphs;
use super::line::{Span, Target};
use crate::article::{EMBEDDED, Inline};
use crate::config::Role;

/// Converts inline text to spans with a role. Links are followed by their numbers.
pub(super) fn spans(inline: &[Inline], role: Role, glyphs: &Glyphs) -> Vec<Span> {
    let mut out = Vec::new();
    flatten(inline, role, None, glyphs, &mut out);
    place(&mut out);
    out
}

/// Splits a paragraph after each line that has only pictures and is followed by text, which would otherwise
/// seem to be their caption.
pub(super) fn pictures_apart(inline: &[Inline]) -> Vec<&[Inline]> {
    let (mut parts, mut rest, mut from) = (Vec::new(), inline, 0);
    while let Some(end) = rest[from..].iter().position(|piece| *piece == Inline::Break) {
        let end = from + end;
        let after = rest[end..].iter().position(|piece| *piece != Inline::Break);
        let after = after.map_or(rest.len(), |at| end + at);
        let below = rest[after..].split(|piece| *piece == Inline::Break).next();
        let is_text = below.is_some_and(|line| !is_blank(line) && !are_pictures(line));
        if are_pictures(&rest[from..end]) && is_text && !is_caption(&rest[after..]) {
            parts.push(&rest[..end]);
            (rest, from) = (&rest[after..], 0);
        } else {
            from = after;
        }
    }
    parts.push(rest);
    parts
}

fn is_blank(line: &[Inline]) -> bool {
    line.iter().all(|piece| matches!(piece, Inline::Text(text) if text.trim().is_empty()))
}

/// Whether a line has pictures, and nothing else.
fn are_pictures(line: &[Inline]) -> bool {
    let is_picture = |piece: &Inline| match piece {
        Inline::Image(..) => true,
        Inline::Link(inner, _) => are_pictures(inner),
        Inline::Text(text) => text.trim().is_empty(),
        _ => false,
    };
    !is_blank(line) && line.iter().all(is_picture)
}

/// Whether a text is emphasized as a whole, like the caption of a picture.
fn is_caption(inline: &[Inline]) -> bool {
    inline.iter().all(|piece| match piece {
        Inline::Emphasis(_) | Inline::Break => true,
        Inline::Text(text) => text.trim().is_empty(),
        _ => false,
    })
}

/// Attaches places, which have no text, to the text after them.
fn place(spans: &mut Vec<Span>) {
    let mut begun = None;
    spans.retain_mut(|span| {
        if span.text.is_empty() {
            begun = span.place.or(begun);
            return false;
        }
        if span.text.chars().any(|c| !c.is_whitespace()) {
            span.place = begun.take();
        }
        true
    });
}

fn flatten(
    inline: &[Inline],
    role: Role,
    target: Option<Target>,
    glyphs: &Glyphs,
    out: &mut Vec<Span>,
) {
    let span = |text: &str, role| Span { target, ..Span::new(text, role) };
    let number = |to: usize| Span::mark(glyphs.link(to), Target::Link(to));
    let plain = role == Role::Text;
    // Links and code in a heading keep the style of headings.
    let is_heading = matches!(role, Role::Heading | Role::Subheading);
    let is_link = target.is_some() && !is_heading;
    for piece in inline {
        match piece {
            Inline::Text(t) => out.push(span(t, if is_link { Role::Link } else { role })),
            Inline::Code(t) => {
                let own = if is_heading { role } else { Role::Code };
                out.push(span(t, if is_link { Role::Link } else { own }));
            }
            Inline::Emphasis(inner) => {
                flatten(inner, if plain { Role::Emphasis } else { role }, target, glyphs, out);
            }
            Inline::Strong(inner) => {
                let strong = plain || role == Role::Quote;
                flatten(inner, if strong { Role::Strong } else { role }, target, glyphs, out);
            }
            Inline::Deleted(inner) => {
                out.push(span(glyphs.deleted, Role::Dim));
                let from = out.len();
                flatten(inner, Role::Dim, target, glyphs, out);
                if glyphs.deleted.is_empty() {
                    let text = out[from..].iter_mut().filter(|span| !span.mark);
                    text.for_each(|span| span.struck = true);
                }
                out.push(span(glyphs.deleted, Role::Dim));
            }
            Inline::Inserted(inner) => flatten(inner, role, target, glyphs, out),
            Inline::Link(inner, to) => {
                let from = out.len();
                flatten(inner, role, Some(Target::Link(*to)), glyphs, out);
                // Spaces at the ends of a link are not underlined.
                let after = out[from..].last_mut().map_or(0, |last| {
                    let bare = last.text.trim_end_matches(' ').len();
                    last.text.drain(bare..).count()
                });
                let before = out.get_mut(from).map_or(0, |first| {
                    let bare = first.text.trim_start_matches(' ').len();
                    first.text.drain(..first.text.len() - bare).count()
                });
                if before > 0 {
                    out.insert(from, Span::blank(before));
                }
                let is_number =
                    |last: &Span| last.mark && matches!(last.target, Some(Target::Link(_)));
                if glyphs.runs_together() && out.last().is_some_and(is_number) {
                    out.push(Span::label(" ", Role::Dim));
                }
                out.push(number(*to));
                if after > 0 {
                    out.push(Span::blank(after));
                }
            }
            Inline::Image(alt, to) => {
                let label = if alt.is_empty() { "image" } else { alt };
                out.push(span(glyphs.picture, Role::Dim));
                out.push(span(label, Role::Dim));
                // A linked picture has one number, that of the link. The list of links has both.
                if *to < EMBEDDED && !matches!(target, Some(Target::Link(_))) {
                    out.push(number(*to));
                }
            }
            Inline::Note(_, number) => {
                out.push(Span::mark(glyphs.note(*number), Target::Note(*number)));
            }
            Inline::Jump(inner, to) => {
                let target = Target::Place(*to);
                flatten(inner, role, Some(target), glyphs, out);
                out.push(Span::mark(glyphs.jump, target));
            }
            Inline::Place(number) => {
                out.push(Span { place: Some(*number), ..Span::new("", role) });
            }
            Inline::Break => out.push(span("\n", role)),
        }
    }
}

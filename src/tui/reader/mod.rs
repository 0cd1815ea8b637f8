//! Layout of documents in lines of a given width.

mod difference;
mod find;
mod glyphs;
mod inline;
mod layout;
mod line;
mod table;
mod wrap;

pub(super) use difference::layout_difference;
pub(super) use find::{Haystack, Piece};
pub(super) use glyphs::{Glyphs, glyphs};
pub(super) use layout::{Lines, layout};
pub(super) use line::{Line, Span, Target, cut};
pub(super) use wrap::wrap_plain;

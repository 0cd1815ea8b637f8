//! Lays out documents in lines of a given width.

mod blocks;
mod code;
mod difference;
mod direction;
mod ends;
mod find;
mod glyphs;
mod guess;
mod inline;
mod languages;
mod layout;
mod line;
mod marks;
mod table;
mod wrap;

pub(super) use blocks::half_blocks;
pub(super) use difference::layout_difference;
pub(super) use direction::is_right_to_left;
pub(super) use ends::{address, link_names, shortened};
pub(super) use find::{Haystack, Piece, SearchedWord};
pub(super) use glyphs::{Glyphs, glyphs};
pub(super) use layout::{Shape, layout};
pub(super) use line::{HeadingLines, Joint, Line, Lines, Span, Target};
pub(super) use wrap::{wrap, wrap_plain};

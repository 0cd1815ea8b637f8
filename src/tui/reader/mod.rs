//! The reader: a document laid out in lines of a given width.

mod layout;
mod wrap;

pub(super) use layout::{Lines, StyledLine, layout};
pub(super) use wrap::wrap_plain;

//! (under construction)

pub mod panes;
pub mod parse;

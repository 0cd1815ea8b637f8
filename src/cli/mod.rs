//! (under construction)

pub mod parse;

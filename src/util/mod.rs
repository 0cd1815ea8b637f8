//! Small things that every room may use.

pub mod browser;
pub mod clock;
pub mod date;
pub mod html;
pub mod text;
pub mod url;

//! The article: its document tree, and how a page or a feed's HTML becomes one.
//!
//! Pure: bytes in, data out.

mod document;
mod from_html;
mod spaces;

pub use document::{Block, Document, Inline, Link, LinkKind};
pub use from_html::from_html;

//! The article: its document tree, and how a page or a feed's HTML becomes one.
//!
//! Pure: bytes in, data out.

mod blocks;
mod classes;
mod comments;
mod compare;
mod density;
mod document;
mod extract;
mod features;
mod from_html;
mod full_feed;
mod guided;
mod head;
mod html;
mod markdown;
mod marked_difference;
mod metadata;
mod notes;
mod page;
mod page_date;
mod several;
mod spaces;
mod template;
pub mod training;
pub mod trees;
mod words;

#[cfg(test)]
mod tests;

pub use compare::{Change, differences, is_small_change, same_references, same_text};
pub use document::{Block, Document, Inline, Link, LinkKind};
pub use extract::{
    Extraction, Guide, Mode, NoArticle, Origin, date_context, dates_of, extract, page_dates,
};
pub use from_html::from_html;
pub use full_feed::{has_full_text, is_cut};
pub use marked_difference::marked;
pub use page_date::{Confidence, DateSource, Dates, PageTime, Published};
pub use template::Template;

//! The article: its document tree, and how a page or the HTML of a feed is converted into it.
//!
//! Pure: no I/O.

mod below_title;
mod blocks;
mod bylines;
mod classes;
mod code;
mod comments;
mod compare;
mod copies;
mod counters;
mod decoding;
mod density;
mod document;
mod extract;
mod features;
mod figures;
mod from_html;
mod full_feed;
mod guided;
mod head;
mod html;
mod link_order;
mod lost_layout;
mod markdown;
mod marked_difference;
mod maths;
mod maths_line;
mod maths_rows;
mod maths_signs;
mod maths_table;
mod maths_tall;
mod metadata;
mod noscript;
mod notes;
mod numbered;
mod page;
mod page_date;
mod permalinks;
mod picture;
mod places;
mod posts;
mod related;
mod several;
mod signs;
mod signs_only;
mod spaces;
mod substance;
mod tags;
mod template;
mod thumbnail;
mod title;
mod toggles;
pub mod training;
pub mod trees;
mod units;
mod words;

#[cfg(test)]
mod agreement_tests;
#[cfg(test)]
mod formula_tests;
#[cfg(test)]
mod maths_tests;
#[cfg(test)]
mod parts_tests;
#[cfg(test)]
mod posts_tests;
#[cfg(test)]
mod tests;

pub use below_title::below_title;
pub use compare::{Change, LinkChanges, differences, same_references, same_text};
pub use counters::is_small_change;
pub use document::plain;
pub use document::{Block, Definition, Document, EMBEDDED, Inline, Link, LinkKind, NOWHERE};
pub use extract::{
    Extraction, Guide, Mode, NoArticle, TextOrigin, date_context, dates_of, event_days, extract,
    page_dates,
};
pub use from_html::{BULLET, first_image, from_html};
pub use full_feed::{contains_feed_text, has_full_text, is_cut, may_be_summary};
pub use guided::is_stop_word;
pub use html::Xhtml;
pub use lost_layout::LostLayout;
pub use marked_difference::{marked, marked_parts};
pub use maths_signs::{formula, tall_formula};
pub(crate) use page_date::{DateLabel, date_label};
pub use page_date::{Dates, PageTime, Published, is_date_line};
pub use substance::{headline, revisions};
pub use template::Template;
pub use thumbnail::{Thumbnail, fit, one_at_a_time};

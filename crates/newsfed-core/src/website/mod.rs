//! Sites without feeds: extracting articles from pages.
//!
//! Pure: no I/O. A page is parsed into a tree once ([`Page`]); [`list_page`] finds the links to articles and
//! to the next page, and [`article`] extracts the article. [`Walk`] decides which pages to fetch next, and
//! [`page_retry`] what to do about a failure; the engine sends the requests. For a site without selectors,
//! [`propose`] finds them.

mod article;
mod authors;
mod card;
pub mod date;
pub mod entries;
mod list;
mod obstacle;
mod outline;
mod page;
pub mod page_retry;
mod pick;
mod preview;
pub mod propose;
mod row;
mod row_dates;
mod rules;
mod selector;
pub mod signal;
mod validate;
mod walk;
mod watch;

pub use article::{Article, article, check_selectors, in_zone, summarise};
pub use authors::split_names;
pub use list::{ListLink, ListPage, list_page, list_page_with_rows};
pub use obstacle::{has_text, obstacle};
pub use outline::{Elements, Outline, OutlineLine, TextLine, outline};
pub use page::{Page, PageError};
pub use pick::{Pick, pick};
pub use preview::{ArticlePreview, ListPreview, Matches, PreviewPage, SelectorField};
pub(crate) use propose::is_file;
pub use rules::check;
pub use selector::{Selectors, TooManySteps};
pub use validate::{MAX_TITLE, Rejection, validate};
pub use walk::{MAX_ARTICLES, Walk};
pub use watch::{declares_article, main_part, selected_part};

//! The focused crawler: learns which links of a site lead to what is looked for.
//!
//! Pure: links and answers in, the next request out. Who crawls asks a [`Strategy`] for a link, fetches
//! it, adds the links of the answer to [`Links`], and tells the strategy. The same seed and the same
//! answers give the same crawl, so a record of the answers is all that has to survive.

mod bandit;
mod few;
mod groups;
mod links;
mod logistic;
mod page;
mod pools;
pub mod replay;
mod strategy;
mod tag_path;
mod targets;
mod value;

#[cfg(test)]
mod tests;

pub use bandit::BanditParameters;
pub use links::{LinkId, Links, MAX_ADDRESS, Seen};
pub use page::{CrawledPage, MOST_LINKS, PageLink, Site, read_page, target};
pub use strategy::{
    Again, Ask, Classifier, Focused, Judge, Kind, Known, Learned, Lessons, LinkGroup, Omniscient,
    Sb, SbParameters, Simple, Strategy, Turn, Visit,
};
pub use tag_path::PathParameters;
pub use targets::{Class, NoTarget, Targets, extension};

//! The focused crawler: learns which links of a site lead to targets.
//!
//! Pure: takes links and responses, and returns the next request. The caller gets a link from a [`Strategy`],
//! fetches it, adds the links of the response to [`Links`], and lets the strategy observe the result. The
//! same seed and responses result in the same crawl, so only the responses need to be recorded.

mod bandit;
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
mod reference;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

pub use bandit::BanditParameters;
pub use links::{LinkId, Links, MAX_ADDRESS, Seen};
pub use page::{CrawledPage, PageLink, Site, read_page, target};
pub use strategy::{
    Classifier, DomOff, Focused, Judge, Kind, Known, LearnedStrategy, Lessons, LinkGroup,
    NextRequest, Omniscient, Revisits, Simple, SleepingBandit, SleepingBanditParameters, Strategy,
    Truth, Turn, Visit,
};
pub use tag_path::PathParameters;
pub use targets::{Class, NoTarget, Targets, extension};

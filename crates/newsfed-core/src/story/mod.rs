//! Detects items of different sources that are about one story. Pure: texts in, signatures and decisions out.
//!
//! An item is reduced to a [`Signature`] of at most a kilobyte. Items that share one of its keys are
//! compared by [`same_story`], which prefers precision: one item too many in a list costs a glance,
//! but one that is folded away by mistake may never be read.
//!
//! Texts are compared as sets of shingles (Broder, "On the resemblance and containment of documents", 1997),
//! and only by their beginnings, because one source has the article and another its first sentence. Henzinger
//! ("Finding near-duplicate web pages", SIGIR 2006) found such comparisons reliable between sites and
//! unreliable within one, so items of one source are never compared.

mod address;
mod same;
mod signature;
mod title;
mod words;

#[cfg(test)]
mod tests;

pub use same::{MAX_APART, Reason, contradict, same_story};
pub use signature::{Dated, MAX_KEYS, Signature};

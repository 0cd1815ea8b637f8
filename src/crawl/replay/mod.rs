//! Crawls of recorded sites: what a strategy would have requested, and what it would have found.

mod figures;
mod graph;
mod plot;
mod run;

pub use figures::{Figures, again, trial};
pub use graph::{Graph, GraphError, Node, read};
pub use plot::{curve_csv, curve_svg};
pub use run::{Position, Replayed, replay};

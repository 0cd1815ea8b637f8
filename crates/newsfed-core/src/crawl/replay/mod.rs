//! Crawls of recorded sites: what a strategy would have requested, and what it would have found.

mod confusion;
mod figures;
mod graph;
mod plot;
mod run;
mod trial;

pub use confusion::{Confusion, Predicted};
pub use figures::{CrawlFigures, Milestone};
pub use graph::{Graph, GraphError, Node, read};
pub use plot::{bytes_csv, bytes_svg, curve_csv, curve_svg};
pub use run::{Position, Replayed, replay};
pub use trial::{again, trial};

//! Confusion matrix of predicted and actual classes of links.

use crate::crawl::Class;
use serde::Serialize;

/// Number of links by actual and predicted class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    pub html: Predicted,
    pub target: Predicted,
    /// Links of other types, and links with errors.
    pub neither: Predicted,
}

/// Number of links of one class by predicted class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Predicted {
    pub html: u64,
    pub target: u64,
    pub neither: u64,
}

impl Confusion {
    pub(super) fn count(&mut self, truth: Class, predicted: Option<Class>) {
        let Some(predicted) = predicted else { return };
        let row = match truth {
            Class::Html => &mut self.html,
            Class::Target => &mut self.target,
            Class::Other | Class::Failed => &mut self.neither,
        };
        *match predicted {
            Class::Html => &mut row.html,
            Class::Target => &mut row.target,
            Class::Other | Class::Failed => &mut row.neither,
        } += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        let rows = [&mut self.html, &mut self.target, &mut self.neither];
        for (sums, row) in rows.into_iter().zip([other.html, other.target, other.neither]) {
            sums.html += row.html;
            sums.target += row.target;
            sums.neither += row.neither;
        }
    }

    /// The rows of the matrix with their names.
    pub fn rows(&self) -> [(&'static str, Predicted); 3] {
        [("page", self.html), ("target", self.target), ("neither", self.neither)]
    }
}

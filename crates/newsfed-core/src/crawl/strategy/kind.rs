//! Strategies by name.

use super::{
    DomOff, Focused, Judge, LearnedStrategy, Simple, SleepingBandit, SleepingBanditParameters,
    Strategy, Turn,
};
use crate::crawl::targets::Targets;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Breadth-first.
    Bfs,
    /// Depth-first.
    Dfs,
    /// A random waiting link.
    Random,
    /// Links ordered by a classifier's probability that they lead to a target.
    Focused,
    /// Groups of tag paths, learned only from the first pages and ordered by their benefit.
    DomOff,
    /// The published algorithm.
    SleepingBandit,
    /// The published algorithm with an oracle as its classifier.
    SbOracle,
    /// Targets only.
    Omniscient,
    /// The default.
    Learned,
}

impl Kind {
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Bfs, "bfs"),
        (Self::Dfs, "dfs"),
        (Self::Random, "random"),
        (Self::Focused, "focused"),
        (Self::DomOff, "dom-off"),
        (Self::SleepingBandit, "sb"),
        (Self::SbOracle, "sb-oracle"),
        (Self::Omniscient, "omniscient"),
        (Self::Learned, "learned"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// Whether the parameters of the published algorithm apply to this strategy.
    pub fn has_parameters(self) -> bool {
        matches!(self, Self::DomOff | Self::SleepingBandit | Self::SbOracle)
    }

    /// The strategy for an unknown site; `None` for strategies that need a recorded site.
    pub fn living(
        self,
        targets: &Targets,
        parameters: SleepingBanditParameters,
    ) -> Option<Box<dyn Strategy + Send>> {
        Some(match self {
            Self::Bfs => Box::new(Simple::new(Turn::Oldest)),
            Self::Dfs => Box::new(Simple::new(Turn::Newest)),
            Self::Random => Box::new(Simple::new(Turn::Random)),
            Self::Focused => Box::new(Focused::default()),
            Self::DomOff => Box::new(DomOff::new(parameters, Judge::Classifier)),
            Self::SleepingBandit => Box::new(SleepingBandit::new(parameters, Judge::Classifier)),
            Self::Learned => Box::new(LearnedStrategy::new(targets.clone())),
            Self::SbOracle | Self::Omniscient => return None,
        })
    }
}

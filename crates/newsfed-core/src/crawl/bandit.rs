//! The sleeping bandit that chooses a group of links: AUER over the groups with waiting links.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BanditParameters {
    /// Weight of exploration.
    pub alpha: f64,
    /// Keeps the bound of a group finite until it is chosen for the first time.
    pub epsilon: f64,
}

impl Default for BanditParameters {
    fn default() -> Self {
        Self { alpha: 2.0 * std::f64::consts::SQRT_2, epsilon: 1e-6 }
    }
}

/// Statistics of one group.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Arm {
    /// Number of times that it was chosen.
    pub chosen: u32,
    /// Mean reward.
    pub mean: f64,
}

impl Arm {
    /// Counts a choice.
    pub(super) fn choose(&mut self) {
        self.chosen += 1;
    }

    /// Updates the mean with the reward of the last choice. It is not called after an error, so a choice
    /// without a reward leaves the mean unchanged.
    pub(super) fn learn(&mut self, reward: f64) {
        self.mean += (reward - self.mean) / f64::from(self.chosen.max(1));
    }

    /// The upper bound R_mean + alpha sqrt(ln t / (N + eps)) at step `t` of the crawl.
    pub(super) fn bound(&self, parameters: BanditParameters, t: u64) -> f64 {
        let curiosity = (t.max(1) as f64).ln() / (f64::from(self.chosen) + parameters.epsilon);
        self.mean + parameters.alpha * curiosity.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_mean_and_bound() {
        let parameters = BanditParameters::default();
        let mut arm = Arm::default();
        assert!(arm.bound(parameters, 2) > 1000.0, "an untried arm comes first");
        for reward in [2.0, 4.0] {
            arm.choose();
            arm.learn(reward);
        }
        assert_eq!((arm.chosen, arm.mean), (2, 3.0));
        let expected = 3.0 + 8f64.sqrt() * (100f64.ln() / 2.000001).sqrt();
        assert!((arm.bound(parameters, 100) - expected).abs() < 1e-9);
        arm.choose();
        assert_eq!((arm.chosen, arm.mean), (3, 3.0), "an error");
    }
}

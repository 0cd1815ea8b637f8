//! A linear model of the value of a link group. Each feature has its own mean and variance, which are
//! corrected by a Kalman filter with a diagonal covariance matrix.

pub(super) type FeatureId = u32;

/// The id of a feature that a group does not have.
pub(super) const NO_FEATURE: FeatureId = FeatureId::MAX;

/// Parameters of the model, in the same unit as the observations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ValueParameters {
    /// Initial variance of a feature.
    pub prior: f64,
    /// Variance of one observation.
    pub noise: f64,
    /// Weight of the uncertainty in the value.
    pub curiosity: f64,
    /// Number of leading features whose uncertainty adds to the value.
    pub curious: usize,
}

impl Default for ValueParameters {
    fn default() -> Self {
        Self { prior: 1.0, noise: 0.5, curiosity: 0.5, curious: 3 }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Value {
    parameters: ValueParameters,
    weights: Vec<(f64, f64)>,
}

impl Value {
    pub(super) fn new(parameters: ValueParameters) -> Self {
        Self { parameters, weights: Vec::new() }
    }

    /// Adds a feature.
    pub(super) fn add(&mut self) -> FeatureId {
        self.weights.push((0.0, self.parameters.prior));
        self.weights.len() as FeatureId - 1
    }

    /// The sum of the means, plus a bonus for the uncertainty of the first features.
    pub(super) fn of(&self, features: &[FeatureId]) -> f64 {
        let (mut mean, mut variance) = (0.0, 0.0);
        for (at, feature) in features.iter().enumerate() {
            let Some((m, v)) = self.weights.get(*feature as usize).copied() else { continue };
            mean += m;
            variance += if at < self.parameters.curious { v } else { 0.0 };
        }
        mean + self.parameters.curiosity * variance.sqrt()
    }

    /// The sum of the means.
    pub(super) fn mean(&self, features: &[FeatureId]) -> f64 {
        self.sums(features).0
    }

    /// Corrects the features of an observation, each in proportion to its variance.
    pub(super) fn observe(&mut self, features: &[FeatureId], observed: f64) {
        let (mean, variance) = self.sums(features);
        let total = variance + self.parameters.noise;
        for feature in features {
            let Some((m, v)) = self.weights.get_mut(*feature as usize) else { continue };
            let gain = *v / total;
            *m += gain * (observed - mean);
            *v *= 1.0 - gain;
        }
    }

    fn sums(&self, features: &[FeatureId]) -> (f64, f64) {
        features.iter().fold((0.0, 0.0), |(mean, variance), feature| {
            let (m, v) = self.weights.get(*feature as usize).copied().unwrap_or_default();
            (mean + m, variance + v)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrects_features_in_proportion_to_their_variance() {
        let mut value =
            Value::new(ValueParameters { prior: 1.0, noise: 1.0, curiosity: 0.5, curious: 2 });
        let (a, b, c) = (value.add(), value.add(), value.add());
        assert_eq!(value.of(&[a, b]), 0.5 * 2f64.sqrt());
        value.observe(&[a, b], 3.0);
        // Each feature takes a third of the error and keeps two thirds of its variance.
        assert!((value.of(&[a]) - (1.0 + 0.5 * (2f64 / 3.0).sqrt())).abs() < 1e-12);
        assert_eq!(value.of(&[c]), 0.5);
        for _ in 0..200 {
            value.observe(&[a, c], 0.0);
            value.observe(&[b, c], 2.0);
        }
        assert!(value.of(&[b]) - value.of(&[a]) > 1.5);
    }
}

//! A linear model of what a group of links is worth: each feature has a mean and a variance of its
//! own, corrected by a Kalman filter whose covariance is kept diagonal.

/// Number of a feature in the model.
pub(super) type FeatureId = u32;

/// Parameters of the model, in the unit of what is observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ValueParameters {
    /// Variance of a feature of which nothing is known.
    pub prior: f64,
    /// Variance of one observation.
    pub noise: f64,
    /// Weight of not knowing.
    pub curiosity: f64,
}

impl Default for ValueParameters {
    fn default() -> Self {
        Self { prior: 1.0, noise: 0.5, curiosity: 0.5 }
    }
}

/// The weights, one for each feature.
#[derive(Debug, Clone)]
pub(super) struct Value {
    parameters: ValueParameters,
    weights: Vec<(f64, f64)>,
}

impl Value {
    /// A model that knows nothing.
    pub(super) fn new(parameters: ValueParameters) -> Self {
        Self { parameters, weights: Vec::new() }
    }

    /// A feature more.
    pub(super) fn add(&mut self) -> FeatureId {
        self.weights.push((0.0, self.parameters.prior));
        self.weights.len() as FeatureId - 1
    }

    /// The sum of the means, and what not knowing adds to it.
    pub(super) fn of(&self, features: &[FeatureId]) -> f64 {
        let (mean, variance) = self.sums(features);
        mean + self.parameters.curiosity * variance.sqrt()
    }

    /// Corrects the features of what was observed, each as far as it is uncertain.
    pub(super) fn observe(&mut self, features: &[FeatureId], observed: f64) {
        let (mean, variance) = self.sums(features);
        let total = variance + self.parameters.noise;
        for feature in features {
            let (m, v) = &mut self.weights[*feature as usize];
            let gain = *v / total;
            *m += gain * (observed - mean);
            *v *= 1.0 - gain;
        }
    }

    fn sums(&self, features: &[FeatureId]) -> (f64, f64) {
        features.iter().fold((0.0, 0.0), |(mean, variance), feature| {
            let (m, v) = self.weights[*feature as usize];
            (mean + m, variance + v)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_move_what_is_uncertain() {
        let mut value = Value::new(ValueParameters { prior: 1.0, noise: 1.0, curiosity: 0.5 });
        let (a, b, c) = (value.add(), value.add(), value.add());
        assert_eq!(value.of(&[a, b]), 0.5 * 2f64.sqrt());
        value.observe(&[a, b], 3.0);
        // Each takes a third of the surprise, and keeps two thirds of its variance.
        assert!((value.of(&[a]) - (1.0 + 0.5 * (2f64 / 3.0).sqrt())).abs() < 1e-12);
        assert_eq!(value.of(&[c]), 0.5);
        for _ in 0..200 {
            value.observe(&[a, c], 0.0);
            value.observe(&[b, c], 2.0);
        }
        assert!(value.of(&[b]) - value.of(&[a]) > 1.5);
    }
}

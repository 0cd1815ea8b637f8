//! Online logistic regression over hashed features.

/// How the step size is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rate {
    /// The same step for all features.
    Constant(f32),
    /// AdaGrad: the steps of a feature decrease with the sum of its past updates.
    Adaptive(f32),
}

#[derive(Debug, Clone)]
pub(super) struct Logistic {
    weights: Vec<f32>,
    squares: Vec<f32>,
    bias: f32,
    bias_square: f32,
    rate: Rate,
}

impl Logistic {
    /// Creates a model with 2^bits weights of zero.
    pub(super) fn new(bits: u32, rate: Rate) -> Self {
        let size = 1 << bits;
        let squares = if matches!(rate, Rate::Adaptive(_)) { vec![0.0; size] } else { Vec::new() };
        Self { weights: vec![0.0; size], squares, bias: 0.0, bias_square: 0.0, rate }
    }

    fn margin(&self, features: &[(u32, f32)]) -> f32 {
        let mask = self.weights.len() as u32 - 1;
        self.bias + features.iter().map(|(f, v)| v * self.weights[(f & mask) as usize]).sum::<f32>()
    }

    /// Probability of the positive class, 0 to 1, for weighted features.
    pub(super) fn probability(&self, features: &[(u32, f32)]) -> f32 {
        1.0 / (1.0 + (-self.margin(features)).exp())
    }

    /// Learns from one example.
    pub(super) fn learn(&mut self, features: &[(u32, f32)], positive: bool) {
        self.learn_weighted(features, positive, 1.0);
    }

    /// Learns from one example with the given weight.
    pub(super) fn learn_weighted(&mut self, features: &[(u32, f32)], positive: bool, weight: f32) {
        let error = weight * (self.probability(features) - f32::from(u8::from(positive)));
        let mask = self.weights.len() as u32 - 1;
        match self.rate {
            Rate::Constant(rate) => {
                for (f, value) in features {
                    self.weights[(f & mask) as usize] -= rate * error * value;
                }
                self.bias -= rate * error;
            }
            Rate::Adaptive(rate) => {
                let step = |weight: &mut f32, square: &mut f32, gradient: f32| {
                    *square += gradient * gradient;
                    *weight -= rate * gradient / (square.sqrt() + 1e-6);
                };
                for (f, value) in features {
                    let at = (f & mask) as usize;
                    step(&mut self.weights[at], &mut self.squares[at], error * value);
                }
                step(&mut self.bias, &mut self.bias_square, error);
            }
        }
    }
}

/// Features of equal weight, normalised to a vector of length 1.
pub(super) fn evenly(features: &[u32]) -> Vec<(u32, f32)> {
    let value = 1.0 / (features.len().max(1) as f32).sqrt();
    features.iter().map(|f| (*f, value)).collect()
}

/// A platform-independent hash (FNV-1a) of a feature's bytes, for one family of features.
pub(super) fn feature(family: u8, bytes: impl IntoIterator<Item = u8>) -> u32 {
    let mut hash = 0x811c_9dc5_u32 ^ u32::from(family);
    hash = hash.wrapping_mul(0x0100_0193);
    for byte in bytes {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    // The low bits of short inputs are poorly mixed.
    hash ^ (hash >> 15)
}

/// Character 2-grams of a text, one feature per occurrence.
pub(super) fn two_grams(family: u8, text: &str) -> impl Iterator<Item = u32> + '_ {
    text.as_bytes().windows(2).map(move |pair| feature(family, pair.iter().copied()))
}

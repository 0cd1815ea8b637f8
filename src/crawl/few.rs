//! A list of numbers that is usually short. A single number needs no allocation.

#[derive(Debug, Default)]
pub(super) enum Few {
    #[default]
    None,
    One(u32),
    Many(Vec<u32>),
}

impl Few {
    pub(super) fn len(&self) -> usize {
        self.all().len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    pub(super) fn all(&self) -> &[u32] {
        match self {
            Self::None => &[],
            Self::One(number) => std::slice::from_ref(number),
            Self::Many(numbers) => numbers,
        }
    }

    /// Appends a number.
    pub(super) fn push(&mut self, number: u32) {
        match self {
            Self::None => *self = Self::One(number),
            Self::One(first) => *self = Self::Many(vec![*first, number]),
            Self::Many(numbers) => numbers.push(number),
        }
    }

    /// Removes the number at an index, which must exist. The last number takes its place.
    pub(super) fn swap_remove(&mut self, at: usize) -> u32 {
        match self {
            Self::Many(numbers) => numbers.swap_remove(at),
            other => {
                let number = other.all()[at];
                *other = Self::None;
                number
            }
        }
    }

    /// Drops the first numbers.
    pub(super) fn forget(&mut self, count: usize) {
        if let Self::Many(numbers) = self {
            numbers.drain(..count.min(numbers.len()));
        } else if count > 0 {
            *self = Self::None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_a_vector() {
        let (mut few, mut vector, mut random) =
            (Few::default(), vec![], fastrand::Rng::with_seed(3));
        for n in 0..2_000 {
            match random.u8(..8) {
                0..4 => {
                    few.push(n);
                    vector.push(n);
                }
                4..7 if !vector.is_empty() => {
                    let at = random.usize(..vector.len());
                    assert_eq!(few.swap_remove(at), vector.swap_remove(at));
                }
                _ => {
                    let count = random.usize(..3).min(vector.len());
                    few.forget(count);
                    vector.drain(..count);
                }
            }
            assert_eq!(
                (few.all(), few.len(), few.is_empty()),
                (&vector[..], vector.len(), vector.is_empty())
            );
        }
    }
}

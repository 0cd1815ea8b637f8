//! The number of targets that a crawl has found after a number of requests, with a limited number of points.

/// Number of points at which every second one is dropped. A plot in the terminal shows fewer.
const MAX_POINTS: usize = 512;

/// Requests and targets found; both never decrease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    points: Vec<(u64, u64)>,
    last: (u64, u64),
    /// Number of responses per point.
    step: u64,
    responses: u64,
}

impl Default for Curve {
    fn default() -> Self {
        Self { points: vec![(0, 0)], last: (0, 0), step: 1, responses: 0 }
    }
}

impl Curve {
    /// Adds the totals after a response.
    pub fn add(&mut self, requests: u64, found: u64) {
        self.last = (requests, found);
        self.responses += 1;
        if !self.responses.is_multiple_of(self.step) {
            return;
        }
        self.points.push(self.last);
        if self.points.len() >= MAX_POINTS {
            let mut is_kept = false;
            self.points.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.step *= 2;
        }
    }

    /// The points, from zero requests to the last response.
    pub fn points(&self) -> impl Iterator<Item = (u64, u64)> {
        let last = Some(self.last).filter(|last| self.points.last() != Some(last));
        self.points.iter().copied().chain(last)
    }

    /// Number of targets found within this number of requests.
    pub fn found_after(&self, requests: u64) -> u64 {
        self.points().take_while(|(at, _)| *at <= requests).last().map_or(0, |(_, found)| found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_keeps_its_ends_within_the_point_limit() {
        for responses in [0, 1, 2, 511, 512, 513, 5_000, 100_000] {
            let mut curve = Curve::default();
            (1..=responses).for_each(|n| curve.add(n, n / 4));
            let points: Vec<_> = curve.points().collect();
            assert!(points.len() <= MAX_POINTS, "{}", points.len());
            assert_eq!(points.first(), Some(&(0, 0)));
            assert_eq!(points.last(), Some(&(responses, responses / 4)));
            assert!(points.is_sorted());
            let half = curve.found_after(responses / 2);
            assert!(half.abs_diff(responses / 8) <= responses / 256 + 1, "{half}");
        }
    }
}

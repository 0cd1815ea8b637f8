//! The memory budget of response bodies: how much downloaded data may wait to be parsed and
//! stored.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The total budget of all bodies, in KiB.
const BUDGET_KIB: u32 = 8 * 1024;
/// Maximum reservation of one body, in KiB. All bodies that are fetched in parallel by default fit, so a slow
/// server cannot block the others.
const MAX_BODY_KIB: u32 = 512;
/// The reservation of a body with no announced size, in KiB.
const UNKNOWN_BODY_KIB: u32 = 256;
/// The assumed expansion of a compressed body.
const EXPANSION: u64 = 5;
/// Size from which a body counts as large, in bytes: the maximum reservation.
pub(crate) const LARGE: usize = MAX_BODY_KIB as usize * 1024;
/// Maximum number of large bodies at the same time. Their announced size may be wrong or missing, so this is
/// checked while they are read.
const MAX_LARGE: usize = 3;
/// How long a body waits for others to finish before it may become large anyway. Servers that stop sending
/// must not block all other requests.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The reservation of one body; released when the last clone is dropped.
pub type MemoryShare = Arc<Vec<OwnedSemaphorePermit>>;

#[derive(Debug)]
pub(crate) struct MemoryBudget {
    free: Arc<Semaphore>,
    large: Arc<Semaphore>,
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self {
            free: Arc::new(Semaphore::new(BUDGET_KIB as usize)),
            large: Arc::new(Semaphore::new(MAX_LARGE)),
        }
    }
}

impl MemoryBudget {
    /// Waits until a body with this announced length in bytes fits the budget.
    pub(crate) async fn reserve(
        &self,
        announced: Option<u64>,
        compressed: bool,
    ) -> Vec<OwnedSemaphorePermit> {
        let size = size(announced, compressed);
        // The semaphores are never closed, so acquiring does not fail.
        self.free.clone().acquire_many_owned(size).await.into_iter().collect()
    }

    /// Waits until a body may become larger than [`LARGE`].
    pub(crate) async fn reserve_large(&self) -> Option<OwnedSemaphorePermit> {
        tokio::time::timeout(MAX_WAIT, self.large.clone().acquire_owned()).await.ok()?.ok()
    }
}

fn size(announced: Option<u64>, compressed: bool) -> u32 {
    let Some(bytes) = announced else { return UNKNOWN_BODY_KIB };
    let bytes = if compressed { bytes.saturating_mul(EXPANSION) } else { bytes };
    u32::try_from(bytes.div_ceil(1024)).map_or(MAX_BODY_KIB, |size| size.clamp(1, MAX_BODY_KIB))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_reserves_its_announced_or_assumed_size() {
        for (announced, compressed, expected) in [
            (None, false, UNKNOWN_BODY_KIB),
            (Some(0), false, 1),
            (Some(100_000), false, 98),
            (Some(20_000), true, 98),
            (Some(u64::MAX), true, MAX_BODY_KIB),
        ] {
            assert_eq!(size(announced, compressed), expected, "{announced:?} {compressed}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_body_waits_for_others_but_not_forever() {
        let budget = MemoryBudget::default();
        let mut shares = Vec::new();
        for _ in 0..MAX_LARGE {
            shares.push(budget.reserve_large().await.unwrap());
        }
        let begin = tokio::time::Instant::now();
        assert!(budget.reserve_large().await.is_none());
        assert_eq!(begin.elapsed(), MAX_WAIT);
        shares.pop();
        assert!(budget.reserve_large().await.is_some());
    }

    #[tokio::test]
    async fn a_released_body_frees_budget_for_the_next() {
        let budget = MemoryBudget::default();
        let mut shares = Vec::new();
        for _ in 0..BUDGET_KIB / MAX_BODY_KIB {
            shares.push(budget.reserve(Some(u64::MAX), false).await);
        }
        assert_eq!(budget.free.available_permits(), 0);
        shares.pop();
        assert_eq!(budget.reserve(None, false).await.len(), 1);
        assert_eq!(budget.free.available_permits(), (MAX_BODY_KIB) as usize);
    }
}

//! The memory budget of response bodies: how much downloaded data may wait to be parsed and
//! stored.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The budget of all bodies together, in KiB.
const ALL: u32 = 8 * 1024;
/// The most that one body reserves, in KiB. All bodies that are fetched in parallel by default
/// fit, so a slow server cannot block the others.
const MOST: u32 = 512;
/// The reservation of a body with no announced size, in KiB.
const UNKNOWN: u32 = 256;
/// The assumed expansion of a compressed body.
const EXPANSION: u64 = 5;

/// The reservation of one body; released when the last clone is dropped.
pub type Share = Arc<OwnedSemaphorePermit>;

#[derive(Debug)]
pub(crate) struct MemoryBudget {
    free: Arc<Semaphore>,
}

impl Default for MemoryBudget {
    fn default() -> Self {
        Self { free: Arc::new(Semaphore::new(ALL as usize)) }
    }
}

impl MemoryBudget {
    /// Waits until a body of that announced length in bytes fits the budget.
    pub(crate) async fn take(&self, announced: Option<u64>, compressed: bool) -> Option<Share> {
        let size = size(announced, compressed);
        // The semaphore is never closed, so this does not fail.
        self.free.clone().acquire_many_owned(size).await.ok().map(Arc::new)
    }
}

fn size(announced: Option<u64>, compressed: bool) -> u32 {
    let Some(bytes) = announced else { return UNKNOWN };
    let bytes = if compressed { bytes.saturating_mul(EXPANSION) } else { bytes };
    u32::try_from(bytes.div_ceil(1024)).map_or(MOST, |size| size.clamp(1, MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (announced, compressed, expected) in [
            (None, false, UNKNOWN),
            (Some(0), false, 1),
            (Some(100_000), false, 98),
            (Some(20_000), true, 98),
            (Some(u64::MAX), true, MOST),
        ] {
            assert_eq!(size(announced, compressed), expected, "{announced:?} {compressed}");
        }
    }

    #[tokio::test]
    async fn a_full_budget_admits_the_next_body_when_one_is_released() {
        let room = MemoryBudget::default();
        let mut shares = Vec::new();
        for _ in 0..ALL / MOST {
            shares.push(room.take(Some(u64::MAX), false).await);
        }
        assert_eq!(room.free.available_permits(), 0);
        shares.pop();
        assert!(room.take(None, false).await.is_some());
        assert_eq!(room.free.available_permits(), (MOST) as usize);
    }
}

//! Room for bodies: how much of what was downloaded may wait in memory for being read and stored.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Room for all bodies together, in KiB.
const ALL: u32 = 8 * 1024;
/// What one body takes at most, in KiB: as many as are under way by default always find room, so
/// that nobody who sends slowly can hold the others back.
const MOST: u32 = 512;
/// What a body takes whose size is not announced, in KiB.
const UNKNOWN: u32 = 256;
/// How much larger a compressed body is taken to become.
const EXPANSION: u64 = 5;

/// The room of one body; given back when the last clone is dropped.
pub type Share = Arc<OwnedSemaphorePermit>;

/// The room of all bodies.
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
    /// Waits until there is room for a body of that announced length in bytes.
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
    async fn a_full_room_lets_the_next_in_when_one_leaves() {
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

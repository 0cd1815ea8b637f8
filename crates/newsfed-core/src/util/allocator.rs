//! Hooks into the memory allocator. The program sets them, because they need unsafe code.

use std::sync::OnceLock;

/// Functions of the allocator. They may be called at any time.
#[derive(Debug, Clone, Copy)]
pub struct Allocator {
    /// Prepares a long-running process: less freed memory is kept for reuse. Called before threads start.
    pub keep_little: fn(),
    /// Returns freed memory to the system. Takes about 1 ms.
    pub give_back: fn(),
}

static ALLOCATOR: OnceLock<Allocator> = OnceLock::new();

/// Sets the functions. Only the first call has an effect.
pub fn set(allocator: Allocator) {
    let _ = ALLOCATOR.set(allocator);
}

/// Prepares a long-running process, if [`set`] was called.
pub fn keep_little() {
    if let Some(allocator) = ALLOCATOR.get() {
        (allocator.keep_little)();
    }
}

/// Returns freed memory to the system, if [`set`] was called.
pub fn give_back() {
    if let Some(allocator) = ALLOCATOR.get() {
        (allocator.give_back)();
    }
}

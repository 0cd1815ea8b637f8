//! The thin binary: arguments -> run -> exit code.

use newsfed::util::allocator::Allocator;

fn main() -> std::process::ExitCode {
    grow_in_large_steps();
    newsfed::cli::main(std::env::args_os(), Allocator { keep_little, give_back })
}

/// Makes glibc take memory in large steps, and keep it: `list` with 1,000 sources takes a sixth less time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe binding")]
fn grow_in_large_steps() {
    const STEP: libc::c_int = 4 * 1024 * 1024;
    // SAFETY: mallopt takes two numbers. It may be called at any time.
    unsafe {
        libc::mallopt(libc::M_TOP_PAD, STEP);
    }
}

/// Makes glibc keep little memory. By default each thread has a part of its own, in which free blocks stay, and the
/// limit from which blocks are returned to the system grows up to 32 MB whenever a larger one is freed. Bodies and
/// pages then leave holes between small blocks: 5 to 15 MB more during a refresh and in an open interface.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe binding")]
fn keep_little() {
    // With two parts, threads that allocate rarely wait for each other, and a refresh takes 10 % less memory.
    const PARTS: libc::c_int = 2;
    // From this size, blocks are returned at once.
    const LARGE: libc::c_int = 256 * 1024;
    // What each part keeps at its end, instead of returning it after a page and taking it for the next.
    const KEPT: libc::c_int = 1024 * 1024;
    // The usual step.
    const STEP: libc::c_int = 128 * 1024;
    // SAFETY: mallopt takes two numbers. It may be called at any time.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, PARTS);
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        libc::mallopt(libc::M_TOP_PAD, STEP);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe binding")]
fn give_back() {
    // SAFETY: malloc_trim may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn grow_in_large_steps() {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn keep_little() {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}

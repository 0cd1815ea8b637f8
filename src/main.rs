//! The thin binary: arguments -> run -> exit code.

fn main() -> std::process::ExitCode {
    newsfed::cli::main(std::env::args_os(), keep_little_memory)
}

/// Makes glibc return each block of at least 256 KB to the system when it is freed. By default it raises this limit,
/// up to 32 MB, whenever such a block is freed. Bodies and pages then leave holes between small blocks, and
/// every thread keeps some: 5 to 15 MB more during a refresh and in an open interface.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe binding")]
fn keep_little_memory() {
    const LARGE: libc::c_int = 256 * 1024;
    // What each thread's arena keeps at its end, instead of returning it after a page and taking it for the next.
    const KEPT: libc::c_int = 1024 * 1024;
    // SAFETY: mallopt takes two numbers. It may be called at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn keep_little_memory() {}

//! The thin binary: arguments -> run -> exit code.

fn main() -> std::process::ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    map_large_blocks();
    newsfed::cli::main(std::env::args_os())
}

/// Makes glibc return each block of at least 4 MB to the system when it is freed. By default it raises this limit,
/// up to 32 MB, whenever such a block is freed. Large bodies then leave holes between small blocks, and every
/// thread keeps some. With a lower limit, ordinary pages get new memory again and again.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "there is no safe binding")]
fn map_large_blocks() {
    const LARGE: libc::c_int = 4 * 1024 * 1024;
    // What each thread's arena keeps at its end, instead of returning it after a page and taking it for the next.
    const KEPT: libc::c_int = LARGE;
    // SAFETY: mallopt takes two numbers, and no other thread runs yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

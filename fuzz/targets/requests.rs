#![no_main]

#[allow(dead_code, reason = "each target uses its own")]
#[path = "../checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::requests(bytes));

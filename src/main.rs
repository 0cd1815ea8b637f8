//! The thin binary: arguments -> run -> exit code.

fn main() {}

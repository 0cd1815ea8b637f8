//! The thin binary: arguments -> run -> exit code.

fn main() -> std::process::ExitCode {
    newsfed::cli::main(std::env::args_os())
}

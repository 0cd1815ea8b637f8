# The habits of the house. `just` lists them.

default:
    @just --list

# Every test
test:
    cargo test

# Format and lints, warnings as errors
lint:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings

# What has to pass before a change lands
ci:
    .ci/run

# The tour
demo:
    cargo run --release -- demo

# Take over what the screens look like now; look at the difference before committing
snapshots:
    INSTA_UPDATE=always cargo test --lib tui

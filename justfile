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

# How long parsing, storing, listing, searching and drawing take
bench:
    cargo bench --bench modules

# How the panes feel with 100,000 and with 1,000,000 items; the databases (3.3 GB) are filled once
bench-tui folder="target/filled":
    test -e {{folder}}/100k || cargo run --release --example fill -- --items 100000 --data-dir {{folder}}/100k
    test -e {{folder}}/1m || cargo run --release --example fill -- --items 1000000 --data-dir {{folder}}/1m
    cargo bench --bench tui -- {{folder}}/100k {{folder}}/1m

# A refresh beside the other readers of this machine and beside what curl and SQLite alone take
bench-peers feeds="1000" peers="../shared/bench/peers":
    cargo build --release
    mkdir -p target/peers && cp -r --no-preserve=mode {{peers}}/. target/peers
    cargo build --release --manifest-path target/peers/feedserver/Cargo.toml --target-dir target/peers/target
    FEEDSERVER={{justfile_directory()}}/target/peers/target/release/feedserver python3 target/peers/floor.py --feeds {{feeds}} --hosts 500
    FEEDSERVER={{justfile_directory()}}/target/peers/target/release/feedserver python3 target/peers/bench_refresh.py --feeds {{feeds}} --latency 50 --hosts 500 --cmd 'newsfed={{justfile_directory()}}/tests/peers/refresh {urls} {dir}'

# Licences, sources, bans and known faults of everything below us; needs cargo-deny
audit:
    cargo deny check

# Looks for input that breaks a target (feed, decode, dates, sanitise, opml, config); stable Rust will do
fuzz target="feed" seconds="300":
    fuzz/run {{target}} -max_total_time={{seconds}}

# What takes its time: kills at random points, three programs on one database, a day of 1,000 sources
endure:
    NEWSFED_KILLS=200 cargo test --test kill -- --nocapture
    NEWSFED_SECONDS=120 cargo test --test sharing -- --nocapture
    cargo test --test soak -- --nocapture

# Usual commands. `just` lists them.

default:
    @just --list

# Run the tests
test:
    cargo test

# Check format and lints, warnings as errors
lint:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings

# Run what a change must pass
ci:
    .ci/run

# Start the demo
demo:
    cargo run --release -- demo

# Accept the current screens as snapshots; check the difference before committing
snapshots:
    INSTA_UPDATE=always cargo test --lib tui

# Write the JSON Schemas of both files and of the outputs to docs/schema
schemas:
    UPDATE_EXPECT=1 cargo test --test cli

# Save pictures of the real screens to docs/images
screenshots folder="docs/images":
    cargo run --example screenshots -- {{folder}}

# Record the demo for README.md: docs/images/demo.svg, and demo.cast for asciinema
recording folder="docs/images":
    cargo run --example screenshots -- --recording {{folder}}

# Build the guide in target/book; needs mdbook
guide:
    mdbook build

# Measure parsing, storing, listing, searching and drawing
bench:
    cargo bench --bench modules

# Compare the strategies of crawls on recorded sites; writes docs/crawl-strategies.md
crawl-tables folder="../shared/corpora/focused-crawl":
    cargo run --release --example crawl_tables -- {{folder}} docs/crawl-strategies.md

# Measure the interface with 100,000 and 1,000,000 items; the databases (3.3 GB) are filled once
bench-tui folder="target/filled":
    test -e {{folder}}/100k || cargo run --release --example fill -- --items 100000 --data-dir {{folder}}/100k
    test -e {{folder}}/1m || cargo run --release --example fill -- --items 1000000 --data-dir {{folder}}/1m
    cargo bench --bench tui -- {{folder}}/100k {{folder}}/1m

# Measure the text index with 30,000 items and searches while typing; the database is filled once
bench-index folder="target/filled" items="30000":
    test -e {{folder}}/unindexed-{{items}} || cargo run --release --example fill -- --no-index --items {{items}} --data-dir {{folder}}/unindexed-{{items}}
    cargo bench --bench index -- {{folder}}/unindexed-{{items}}

# Measure a refresh beside other readers, curl and SQLite alone
bench-peers feeds="1000" peers="../shared/bench/peers":
    cargo build --profile dist
    mkdir -p target/peers && cp -r --no-preserve=mode {{peers}}/. target/peers
    cargo build --release --manifest-path target/peers/feedserver/Cargo.toml --target-dir target/peers/target
    FEEDSERVER={{justfile_directory()}}/target/peers/target/release/feedserver python3 target/peers/floor.py --feeds {{feeds}} --hosts 500
    FEEDSERVER={{justfile_directory()}}/target/peers/target/release/feedserver python3 target/peers/bench_refresh.py --feeds {{feeds}} --latency 50 --hosts 500 --cmd 'newsfed={{justfile_directory()}}/tests/peers/refresh {urls} {dir}'

# Check licences, sources, bans and advisories of all dependencies; needs cargo-deny
audit:
    cargo deny check

# Fuzz a target (a file in fuzz/targets) with stable Rust
fuzz target="feed" seconds="300":
    fuzz/run {{target}} -max_total_time={{seconds}}

# Compare the reader of feeds with feed-rs; NEWSFED_ORACLE names a folder with more feeds
oracle:
    cd tests/oracle && cargo test -- --nocapture

# Run the slow tests: kills at random points, 10,000 random marks, three programs on one database, a day of 1,000 sources
endure:
    NEWSFED_KILLS=200 cargo test --test kill -- --nocapture
    cargo test --test engine many_random -- --ignored --nocapture
    NEWSFED_SECONDS=120 cargo test --test sharing -- --nocapture
    cargo test --test soak -- --nocapture
    HONEST_DAYS=60 cargo test --test engine simulation

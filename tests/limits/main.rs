//! Memory and time for documents that are designed to need a lot of both, at the size limit of a body: peak
//! memory and processor time of each command that reads them. No command may fail with 1.5 GB of address
//! space. Time and memory are asserted only in release builds.
//!
//! Not part of the default test run; needs python3. `NEWSFED_ONLY` selects documents by a part of their
//! names. Run with `cargo test --release --test limits -- --nocapture`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should fail")]
#![allow(clippy::print_stdout, reason = "prints its measurements")]
#![cfg(target_os = "linux")]

mod documents;
mod fairness;
mod files;
mod interface;
#[path = "../tui/term.rs"]
#[allow(dead_code, reason = "shared with the tests of the interface")]
mod term;

use documents::{DOCUMENTS, Kind};
use flate2::{Compression, write::GzEncoder};
use newsfed::demo::server::{Reply, Server};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Maximum expected memory of a process, in MB. Higher values are marked in the table.
const MEMORY: f64 = 150.0;

/// Runs a program with 1.5 GB of address space. Prints its exit code (negative if it was killed by a signal),
/// its peak memory in KiB and its processor time in seconds.
const MEASURE: &str = "import os, resource, subprocess, sys
limit = 1500 << 20
p = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(p.returncode, u.ru_maxrss, u.ru_utime + u.ru_stime)";

/// The resources used by a process.
struct Needs {
    /// Exit code, or the negated number of the signal that killed the process.
    end: i32,
    /// Peak memory in MB.
    memory: f64,
    /// Processor time in seconds.
    seconds: f64,
}

/// Whether a process needed too much for a document of this size in MiB.
fn is_much(needs: &Needs, size: f64) -> bool {
    needs.memory > MEMORY || needs.seconds > (size / 4.0).max(1.0)
}

fn measure(folder: &Path, args: &[&str]) -> Needs {
    let output = Command::new("python3")
        .args(["-c", MEASURE, env!("CARGO_BIN_EXE_newsfed"), "--config-dir"])
        .arg(folder.join("config"))
        .arg("--data-dir")
        .arg(folder.join("data"))
        .args(args)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let [end, kib, seconds] = text.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("{}", String::from_utf8_lossy(&output.stderr))
    };
    let memory = kib.parse::<f64>().unwrap() / 1024.0;
    Needs { end: end.parse().unwrap(), memory, seconds: seconds.parse().unwrap() }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A brotli stream that contains the bytes uncompressed, with the maximum window size.
fn brotli(bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u64 - 1;
    let nibbles = if length < 1 << 16 {
        4
    } else if length < 1 << 20 {
        5
    } else {
        6
    };
    let header = 15 | (nibbles - 4) << 5 | length << 7 | 1 << (7 + 4 * nibbles);
    let header_bytes = usize::try_from(8 + 4 * nibbles).unwrap().div_ceil(8);
    let start = &header.to_le_bytes()[..header_bytes];
    [start, bytes, &[3]].concat()
}

/// Ten megabytes of empty items or of small elements, compressed to a few bytes of brotli.
const BOMBS: [(Kind, &str); 2] = [
    (
        Kind::Feed,
        "9ffedf9ff845ddd6e29b17f358ea2207057df8840d38214f020a26a6338127501225fda48cd68de811af3f89f3e3b9f1\
         b567665c9444",
    ),
    (Kind::Page, "9ffedf9ff88d94acfd81ea45ac797ce8f076219c08739b2680010c5450b1c34f5e7fda09"),
];

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16).unwrap()).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}

#[test]
fn small_brotli_bombs_do_not_exhaust_memory() {
    for (kind, hex) in BOMBS {
        let folder = tempfile::tempdir().unwrap();
        let media_type = kind.media_type();
        let server = Server::start(move |request| match request.path.as_str() {
            "/" => Reply::ok(media_type, bytes(hex)).header("content-encoding", "br"),
            _ => Reply::status(404),
        })
        .unwrap();
        let config = folder.path().join("config");
        std::fs::create_dir(&config).unwrap();
        std::fs::write(config.join("sources.toml"), source(kind, &server.url("/"))).unwrap();
        let needs = measure(folder.path(), &["sync", "--force"]);
        println!("{:?} in brotli: {:.0} MB, {:.2} s", kind, needs.memory, needs.seconds);
        assert!([0, 1, 3].contains(&needs.end), "{kind:?}: {}", needs.end);
        assert!(cfg!(debug_assertions) || needs.memory <= MEMORY);
        assert_eq!(server.requests().iter().filter(|r| r.path == "/").count(), 1);
    }
}

/// The entry of a source in `sources.toml`.
fn source(kind: Kind, url: &str) -> String {
    let rules = match kind {
        Kind::Page => {
            "kind = \"website\"\nwebsite.articles = \"a\"\nwebsite.title = \"title\"\n\
             website.content = \"body\"\n"
        }
        Kind::Sitemap => "kind = \"sitemap\"\n",
        Kind::Feed | Kind::Opml => "",
    };
    format!("[[source]]\nid = \"hostile\"\nurl = \"{url}\"\n{rules}")
}

#[test]
fn no_document_needs_much_memory_or_time() {
    let only = std::env::var("NEWSFED_ONLY").unwrap_or_default();
    let mut over = 0;
    for document in DOCUMENTS.iter().filter(|d| d.name.contains(&only)) {
        let body = (document.make)();
        let size = body.len() as f64 / f64::from(1 << 20);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("document");
        std::fs::write(&file, &body).unwrap();
        let (media_type, body) = (document.kind.media_type(), body.into_bytes());
        let packed = [gzip(&body), brotli(&body)];
        let server = Server::start(move |request| match request.path.as_str() {
            "/plain" => Reply::ok(media_type, body.clone()),
            "/gzip" => Reply::ok(media_type, packed[0].clone()).header("content-encoding", "gzip"),
            "/br" => Reply::ok(media_type, packed[1].clone()).header("content-encoding", "br"),
            _ => Reply::status(404),
        })
        .unwrap();
        let [plain, gzip, br] = ["/plain", "/gzip", "/br"].map(|path| server.url(path));
        let config = folder.path().join("config");
        std::fs::create_dir(&config).unwrap();
        let file = file.to_str().unwrap();
        let mut report = |what: &str, args: &[&str]| {
            let needs = measure(folder.path(), args);
            let much = is_much(&needs, size);
            over += usize::from(much);
            let mark = if much { "  OVER" } else { "" };
            println!(
                "{:26} {what:9} {size:5.1} MiB {:6.0} MB {:6.2} s{mark}",
                document.name, needs.memory, needs.seconds
            );
            // Exit codes: 1 if the document was rejected, 3 if nothing was found.
            assert!([0, 1, 3].contains(&needs.end), "{} {what}: {}", document.name, needs.end);
        };
        match document.kind {
            Kind::Feed => report("parse", &["parse", file]),
            Kind::Page => report("extract", &["extract", file]),
            Kind::Opml => report("import", &["import", file]),
            Kind::Sitemap => {}
        }
        if document.kind != Kind::Opml {
            report("discover", &["discover", &plain, "--set", "net.host_delay=0s"]);
            for (name, url) in [("sync", &plain), ("sync gzip", &gzip), ("sync br", &br)] {
                std::fs::write(config.join("sources.toml"), source(document.kind, url)).unwrap();
                report(name, &["sync", "--force", "--set", "net.host_delay=0s"]);
            }
        }
    }
    println!("{over} over {MEMORY} MB or a second for 4 MiB");
    assert!(cfg!(debug_assertions) || over == 0);
}

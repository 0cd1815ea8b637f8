//! Runs the fuzz targets on their seeds, and on several thousand reproducible mutations of the seeds.

#[path = "../../fuzz/checks.rs"]
mod checks;

use std::path::Path;

/// Number of mutations per seed.
const FORMS: u64 = 300;

fn replay(target: &str, forms: u64, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut seeds: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{target} has seeds");
    for seed in seeds {
        let bytes = std::fs::read(&seed).unwrap();
        check(&bytes);
        for form in 0..forms {
            check(&changed(&bytes, form));
        }
    }
}

/// Replaces, removes, inserts, repeats or truncates a few bytes.
fn changed(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut out = bytes.to_vec();
    for _ in 0..random.usize(1..6) {
        if out.is_empty() {
            break;
        }
        let at = random.usize(..out.len());
        match random.u8(..5) {
            0 => out[at] = random.u8(..),
            1 => drop(out.remove(at)),
            2 => out.insert(at, *random.choice(b"<>&\"'\x1b\x9b\x00[];{}\xff").unwrap()),
            3 => out.truncate(at),
            _ => {
                let end = random.usize(at..out.len());
                let part = out[at..end].to_vec();
                out.splice(at..at, part);
            }
        }
    }
    out
}

#[test]
fn feed_seeds_pass() {
    replay("feed", FORMS, checks::feed);
}

#[test]
fn charset_seeds_pass() {
    replay("decode", FORMS, checks::decode);
}

#[test]
fn date_seeds_pass() {
    replay("dates", FORMS * 10, checks::dates);
}

#[test]
fn text_and_markup_seeds_pass() {
    replay("sanitise", FORMS * 4, checks::sanitise);
}

#[test]
fn page_seeds_pass() {
    replay("pages", FORMS / 3, checks::pages);
}

#[test]
fn sitemap_seeds_pass() {
    replay("sitemaps", FORMS, checks::sitemaps);
}

#[test]
fn source_list_seeds_pass() {
    replay("opml", FORMS, checks::opml);
}

#[test]
fn settings_seeds_pass() {
    replay("config", FORMS / 3, checks::config);
}

#[test]
fn robots_file_seeds_pass() {
    replay("robots", FORMS, checks::robots);
}

#[test]
fn selector_seeds_pass() {
    replay("selectors", FORMS, checks::selectors);
}

#[test]
fn query_seeds_pass() {
    replay("queries", FORMS, checks::queries);
}

#[test]
fn source_edit_seeds_pass() {
    replay("edits", FORMS / 3, checks::edits);
}

#[test]
fn app_request_seeds_pass() {
    replay("requests", FORMS * 4, checks::requests);
}

#[test]
fn article_seeds_pass() {
    replay("articles", FORMS / 3, checks::articles);
}

#[test]
fn every_target_runs_in_the_nightly_workflow() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("fuzz/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let targets = manifest["bin"].as_array().unwrap().iter();
    let mut targets: Vec<&str> = targets.map(|bin| bin["name"].as_str().unwrap()).collect();
    let workflow = std::fs::read_to_string(root.join(".github/workflows/nightly.yml")).unwrap();
    let matrix = workflow.lines().find_map(|line| line.trim().strip_prefix("target: ["));
    let matrix = matrix.unwrap().trim_end_matches(']');
    let mut matrix: Vec<&str> = matrix.split(", ").collect();
    targets.sort_unstable();
    matrix.sort_unstable();
    assert_eq!(matrix, targets);
}

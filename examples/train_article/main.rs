//! Trains the block classifier and writes its tables:
//!
//! `cargo run --release --example train_article -- CORPUS assets/article`
//!
//! CORPUS contains `items.json`, `gold.json.gz` and `pages/ID.html.gz`. Without an output folder it
//! only prints the scores of a cross-validation: five folds, each site in one fold.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a program for developers that prints its figures and may end on bad data"
)]

mod align;
mod boost;

use align::{Figures, Fit, common, fit, words};
use boost::{Plan, Table, train};
use flate2::read::GzDecoder;
use newsfed::article::Guide;
use newsfed::article::training::Sample;
use newsfed::article::trees::Forest;
use std::fs::File;
use std::io::Read;
use std::path::Path;

const FIRST: Plan =
    Plan { trees: 60, leaves: 14, rate: 0.15, features: 0.3, least: 4.0, ridge: 4.0 };
const SECOND: Plan = Plan { trees: 40, ..FIRST };
const FOLDS: usize = 5;

/// Header of the tables.
const NOTE: &str = "\
# Written by examples/train_article; do not edit. Learned from pages and texts of
# scrapinghub/article-extraction-benchmark (MIT, (c) Scrapinghub) and
# Murrough-Foley/web-content-extraction-benchmark (CC-BY-4.0, (c) 2026 Murrough Foley), from which
# pages were selected and word counts and places of blocks were taken; no text of them is in here.
";

struct Case {
    site: String,
    kind: String,
    gold: String,
    texts: Vec<String>,
    rows: Vec<Vec<f32>>,
    labels: Vec<f32>,
    weights: Vec<f32>,
    sample: Sample,
}

fn gunzip(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn read(corpus: &Path) -> Vec<Case> {
    let items = std::fs::read(corpus.join("items.json")).unwrap();
    let items: Vec<serde_json::Value> = serde_json::from_slice(&items).unwrap();
    let gold: serde_json::Value =
        serde_json::from_slice(&gunzip(&corpus.join("gold.json.gz"))).unwrap();
    let mut cases = Vec::new();
    for item in items {
        let text = |name: &str| item[name].as_str().map(str::to_owned);
        let id = text("id").unwrap();
        let page = gunzip(&corpus.join("pages").join(format!("{id}.html.gz")));
        let guide =
            Guide { title: text("title"), summary: text("summary_meta"), ..Guide::default() };
        let Some(sample) = Sample::new(&String::from_utf8_lossy(&page), guide) else { continue };
        let texts = sample.texts();
        let gold_text = gold[&id]["text"].as_str().unwrap().to_owned();
        let labels = labels(&texts, &gold_text);
        let total: usize = texts.iter().map(|t| words(t).len()).sum();
        // The weight of a word shrinks with the number of words, and so does that of a page.
        let weight = |t: &String| (1.0 + words(t).len() as f32).sqrt() / (total as f32).sqrt();
        let scale = 10.0;
        cases.push(Case {
            site: text("domain").unwrap(),
            kind: gold[&id]["type"].as_str().unwrap().to_owned(),
            gold: gold_text,
            weights: texts.iter().map(|t| scale * weight(t)).collect(),
            rows: sample.first(),
            labels,
            texts,
            sample,
        });
    }
    cases
}

/// Whether most of a block's words are in the reference text, in order.
fn labels(texts: &[String], gold: &str) -> Vec<f32> {
    let page: Vec<&str> = texts.iter().flat_map(|t| words(t)).collect();
    let mut found = common(&page, &words(gold)).into_iter();
    texts
        .iter()
        .map(|t| {
            let count = words(t).len();
            let hits = found.by_ref().take(count).filter(|f| *f).count();
            if count > 0 && hits * 10 >= count * 6 { 1.0 } else { 0.0 }
        })
        .collect()
}

fn fold(site: &str, salt: u32) -> usize {
    let hash = site
        .bytes()
        .fold(2_166_136_261u32 ^ salt, |h, b| (h ^ u32::from(b)).wrapping_mul(16_777_619));
    ((hash >> 8) as usize) % FOLDS
}

/// Trains a forest on the given rows.
fn learn(cases: &[&Case], rows: &[Vec<Vec<f32>>], plan: Plan) -> Forest {
    let flat: Vec<&[f32]> = rows.iter().flatten().map(Vec::as_slice).collect();
    let labels: Vec<f32> = cases.iter().flat_map(|c| c.labels.iter().copied()).collect();
    let weights: Vec<f32> = cases.iter().flat_map(|c| c.weights.iter().copied()).collect();
    train(&Table::new(&flat), &labels, &weights, plan, 7)
}

fn chances(forest: &Forest, rows: &[Vec<f32>]) -> Vec<f32> {
    rows.iter().map(|row| forest.chance(row)).collect()
}

/// Trains both stages. The second learns from the first stage's scores of unseen pages.
fn stages(cases: &[&Case]) -> (Forest, Forest) {
    let mut unseen: Vec<Vec<f32>> = vec![Vec::new(); cases.len()];
    for part in 0..FOLDS {
        let (test, learned): (Vec<usize>, Vec<usize>) =
            (0..cases.len()).partition(|i| fold(&cases[*i].site, 77) == part);
        let some: Vec<&Case> = learned.iter().map(|i| cases[*i]).collect();
        let rows: Vec<_> = some.iter().map(|c| c.rows.clone()).collect();
        let forest = learn(&some, &rows, FIRST);
        for i in test {
            unseen[i] = chances(&forest, &cases[i].rows);
        }
    }
    let rows: Vec<_> = cases.iter().zip(&unseen).map(|(c, u)| c.sample.second(u)).collect();
    let second = learn(cases, &rows, SECOND);
    let rows: Vec<_> = cases.iter().map(|c| c.rows.clone()).collect();
    (learn(cases, &rows, FIRST), second)
}

fn text(case: &Case, taken: &[bool]) -> String {
    let lines: Vec<&str> =
        case.texts.iter().zip(taken).filter(|(_, t)| **t).map(|(t, _)| t.as_str()).collect();
    lines.join("\n")
}

fn report(name: &str, cases: &[Case], fits: &[Fit]) {
    for kind in ["article", "documentation", "forum"] {
        let own: Vec<Fit> =
            cases.iter().zip(fits).filter(|(c, _)| c.kind == kind).map(|(_, f)| *f).collect();
        println!("{name:16} {kind:14} {}", Figures::of(&own));
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let corpus = arguments.next().unwrap();
    let cases = read(Path::new(&corpus));
    println!(
        "{} pages, {} blocks",
        cases.len(),
        cases.iter().map(|c| c.texts.len()).sum::<usize>()
    );
    if let Some(folder) = arguments.next() {
        let (first, second) = stages(&cases.iter().collect::<Vec<_>>());
        let folder = Path::new(&folder);
        std::fs::write(folder.join("first.txt"), NOTE.to_owned() + &first.table()).unwrap();
        std::fs::write(folder.join("second.txt"), NOTE.to_owned() + &second.table()).unwrap();
        return;
    }
    let ideal: Vec<Fit> = cases
        .iter()
        .map(|c| {
            let taken: Vec<bool> = c.labels.iter().map(|l| *l > 0.5).collect();
            fit(&c.gold, &text(c, &taken))
        })
        .collect();
    report("labels", &cases, &ideal);
    let boxes: Vec<Fit> = cases
        .iter()
        .map(|c| fit(&c.gold, &text(c, &c.sample.choose(&vec![0.5; c.texts.len()]))))
        .collect();
    report("boxes", &cases, &boxes);
    let mut fits = vec![Fit::default(); cases.len()];
    let mut model_only = fits.clone();
    for part in 0..FOLDS {
        let (test, learned): (Vec<usize>, Vec<usize>) =
            (0..cases.len()).partition(|i| fold(&cases[*i].site, 0) == part);
        let (first, second) = stages(&learned.iter().map(|i| &cases[*i]).collect::<Vec<_>>());
        for i in test {
            let case = &cases[i];
            let rows = case.sample.second(&chances(&first, &case.rows));
            let chances = chances(&second, &rows);
            fits[i] = fit(&case.gold, &text(case, &case.sample.choose(&chances)));
            let taken: Vec<bool> = chances.iter().map(|c| *c >= 0.5).collect();
            model_only[i] = fit(&case.gold, &text(case, &taken));
        }
    }
    report("unseen, trees", &cases, &model_only);
    report("unseen, blended", &cases, &fits);
}

//! Trains the block classifier and writes its tables:
//!
//! `cargo run --release --example train_article -- CORPUS... --tables crates/newsfed-core/assets/article`
//!
//! A CORPUS contains `items.json`, `gold.json.gz` and `pages/ID.html.gz`. The tables in the project were
//! trained on `extraction` and `extraction-more`, in this order. Without `--tables` it only prints the scores
//! of a cross-validation: five folds, each site in one fold. `--split N` shuffles the sites between the
//! folds. `--texts FILE` writes the texts of the unseen pages, and the probabilities of their blocks, as
//! lines of JSON.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a program for developers that prints its figures and may end on bad data"
)]

mod align;
mod boost;

use align::{Figures, Fit, common, fit, words};
use boost::{Plan, Table, Trained, train};
use flate2::read::GzDecoder;
use newsfed::article::Guide;
use newsfed::article::training::{MORE, TrainingPage};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use url::Url;

const FIRST: Plan =
    Plan { trees: 160, leaves: 16, rate: 0.06, features: 0.3, least: 4.0, ridge: 4.0 };
const SECOND: Plan = Plan { trees: 120, ..FIRST };
const FOLDS: usize = 5;

/// Header of the tables.
const NOTE: &str = "\
# Written by examples/train_article; do not edit. Learned from pages and texts of
# scrapinghub/article-extraction-benchmark (MIT, (c) Scrapinghub) and
# Murrough-Foley/web-content-extraction-benchmark (CC-BY-4.0, (c) 2026 Murrough Foley), from which
# pages were selected and word counts and places of blocks were taken; no text of them is in here.
";

struct Case {
    id: String,
    source: String,
    site: String,
    kind: String,
    gold: String,
    texts: Vec<String>,
    rows: Vec<Vec<f32>>,
    labels: Vec<f32>,
    weights: Vec<f32>,
    sample: TrainingPage,
}

fn gunzip(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn read(corpus: &Path, cases: &mut Vec<Case>) {
    let items = std::fs::read(corpus.join("items.json")).unwrap();
    let items: Vec<serde_json::Value> = serde_json::from_slice(&items).unwrap();
    let gold: serde_json::Value =
        serde_json::from_slice(&gunzip(&corpus.join("gold.json.gz"))).unwrap();
    for item in items {
        let text = |name: &str| item[name].as_str().map(str::to_owned);
        let id = text("id").unwrap();
        let page = gunzip(&corpus.join("pages").join(format!("{id}.html.gz")));
        let url = text("url").and_then(|u| Url::parse(&u).ok());
        let guide =
            Guide { title: text("title"), summary: text("summary_meta"), url, ..Guide::default() };
        let Some(sample) = TrainingPage::new(String::from_utf8_lossy(&page).into_owned(), guide)
        else {
            continue;
        };
        let texts = sample.texts();
        let gold_text = gold[&id]["text"].as_str().unwrap().to_owned();
        let labels = labels(&texts, &gold_text);
        let total: usize = texts.iter().map(|t| words(t).len()).sum();
        // The weight per word is lower in longer blocks and on longer pages.
        let weight = |t: &String| (1.0 + words(t).len() as f32).sqrt() / (total as f32).sqrt();
        // Reference texts from this source end exactly where the articles end.
        let exact = gold[&id]["source"] == "scrapinghub";
        let scale = if exact { 25.0 } else { 10.0 };
        cases.push(Case {
            source: gold[&id]["source"].as_str().unwrap_or_default().to_owned(),
            id: id.clone(),
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
}

/// Whether most of a block's words are in the reference text, in the same order.
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

/// All cases as tables of features.
struct Data<'c> {
    cases: &'c [Case],
    /// First-stage features.
    table: Table,
    labels: Vec<f32>,
    weights: Vec<f32>,
    /// Index of the first row of each case, followed by the total number of rows.
    starts: Vec<usize>,
}

impl<'c> Data<'c> {
    fn new(cases: &'c [Case]) -> Self {
        let mut starts = vec![0];
        starts.extend(cases.iter().scan(0, |sum, c| {
            *sum += c.rows.len();
            Some(*sum)
        }));
        Self {
            table: Table::new(cases.iter().flat_map(|c| &c.rows)),
            labels: cases.iter().flat_map(|c| c.labels.iter().copied()).collect(),
            weights: cases.iter().flat_map(|c| c.weights.iter().copied()).collect(),
            cases,
            starts,
        }
    }

    /// Trains a forest on the rows of some cases.
    fn learn(&self, table: &Table, some: &[usize], plan: Plan) -> Trained {
        let rows: Vec<u32> =
            some.iter().flat_map(|i| self.starts[*i] as u32..self.starts[i + 1] as u32).collect();
        train(table, &rows, &self.labels, &self.weights, plan, 7)
    }

    /// Trains both stages. The second stage is trained on the first stage's scores of unseen pages.
    fn stages(&self, some: &[usize]) -> (Trained, Trained) {
        let mut more: Vec<Vec<Vec<f32>>> =
            self.cases.iter().map(|c| vec![vec![0.0; MORE]; c.rows.len()]).collect();
        for part in 0..FOLDS {
            let (test, learned): (Vec<usize>, Vec<usize>) =
                some.iter().partition(|i| fold(&self.cases[**i].site, 77) == part);
            let forest = self.learn(&self.table, &learned, FIRST);
            for i in test {
                let case = &self.cases[i];
                more[i] = case.sample.second(&forest.forest.chances(&case.rows));
            }
        }
        let table = self.table.with(more.iter().flatten());
        let second = self.learn(&table, some, SECOND);
        (self.learn(&self.table, some, FIRST), second)
    }
}

fn text(case: &Case, taken: &[bool]) -> String {
    let lines: Vec<&str> =
        case.texts.iter().zip(taken).filter(|(_, t)| **t).map(|(t, _)| t.as_str()).collect();
    lines.join("\n")
}

fn report(name: &str, cases: &[Case], fits: &[Fit]) {
    let mut kinds: Vec<&str> = cases.iter().map(|c| c.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let of = |is: &dyn Fn(&Case) -> bool| {
        Figures::of(
            &cases.iter().zip(fits).filter(|(c, _)| is(c)).map(|(_, f)| *f).collect::<Vec<_>>(),
        )
    };
    for kind in kinds {
        println!("{name:16} {kind:14} {}", of(&|c| c.kind == kind));
    }
    println!("{name:16} {:14} {}", "scrapinghub", of(&|c| c.source == "scrapinghub"));
}

/// Cross-validates: the scores of each page come from a model that has not seen its site.
fn validate(data: &Data<'_>, split: u32) -> Vec<(usize, Fit, Fit, String)> {
    let one = |part: usize| {
        let (test, learned): (Vec<usize>, Vec<usize>) =
            (0..data.cases.len()).partition(|i| fold(&data.cases[*i].site, split) == part);
        let (first, second) = data.stages(&learned);
        let scored = test.into_iter().map(|i| {
            let case = &data.cases[i];
            let mut rows = case.rows.clone();
            let more = case.sample.second(&first.forest.chances(&rows));
            rows.iter_mut().zip(more).for_each(|(row, more)| row.extend(more));
            let chances = second.forest.chances(&rows);
            let found = text(case, &case.sample.choose(&chances));
            let taken: Vec<bool> = chances.iter().map(|c| *c >= 0.5).collect();
            let line = serde_json::json!({ "id": case.id, "text": found, "chances": chances });
            (i, fit(&case.gold, &text(case, &taken)), fit(&case.gold, &found), line.to_string())
        });
        scored.collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let one = &one;
        let folds: Vec<_> = (0..FOLDS).map(|part| scope.spawn(move || one(part))).collect();
        folds.into_iter().flat_map(|f| f.join().unwrap()).collect()
    })
}

fn main() {
    let (mut corpora, mut tables, mut texts, mut split) = (Vec::new(), None, None, 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tables" => tables = arguments.next(),
            "--texts" => texts = arguments.next(),
            "--split" => split = arguments.next().unwrap().parse().unwrap(),
            _ => corpora.push(argument),
        }
    }
    let mut cases = Vec::new();
    corpora.iter().for_each(|c| read(Path::new(c), &mut cases));
    println!(
        "{} pages, {} blocks",
        cases.len(),
        cases.iter().map(|c| c.texts.len()).sum::<usize>()
    );
    let data = Data::new(&cases);
    if let Some(folder) = tables {
        let (first, second) = data.stages(&(0..cases.len()).collect::<Vec<_>>());
        let folder = Path::new(&folder);
        std::fs::write(folder.join("first.txt"), NOTE.to_owned() + &first.table).unwrap();
        std::fs::write(folder.join("second.txt"), NOTE.to_owned() + &second.table).unwrap();
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
    let mut fits = vec![Fit::default(); cases.len()];
    let mut model_only = fits.clone();
    let mut lines = String::new();
    for (i, trees, whole, line) in validate(&data, split) {
        model_only[i] = trees;
        fits[i] = whole;
        lines.push_str(&line);
        lines.push('\n');
    }
    report("unseen, trees", &cases, &model_only);
    report("unseen, whole", &cases, &fits);
    if let Some(file) = texts {
        std::fs::write(file, lines).unwrap();
    }
}

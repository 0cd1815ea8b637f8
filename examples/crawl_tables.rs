//! Compares the strategies of crawls on recorded sites, as a page of tables:
//! `just crawl-tables FOLDER`.

#![allow(clippy::print_stderr, reason = "reports its progress")]

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use newsfed::crawl::replay::{Figures, Graph, Replayed, read, trial};
use newsfed::crawl::{Kind, SleepingBanditParameters};
use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Crawls per site and strategy, each with its own seed.
const SEEDS: u64 = 15;

const INTRODUCTION: &str = "\
# Strategies of crawls, compared

Written by `just crawl-tables`, which replays recorded sites with every strategy, 15 seeds each; \
[crawl.md](crawl.md) explains the commands. Names that begin with `syn_` are those of synthetic sites. \
`data` does not count plain text as a target.

- `learned` is the default.
- `sb` is the published algorithm SB-CLASSIFIER (Gauquier, Manolescu, Senellart: *Efficient Crawling for \
Scalable Web Data Acquisition*), `sb-oracle` the same with the recorded classes in place of its \
classifier. A test compares both, request by request, with a plain version of the paper's pseudocode.
- `dom-off` crawls the first 3,000 pages breadth first. It is given the number of targets that each of \
these pages links to, and learns the benefit of each group of tag paths from them; after that, the benefits stay \
fixed. On smaller sites it is therefore a breadth-first crawl that knows the targets.
- `focused` orders links by a classifier of URL, anchor and depth. `omniscient` requests the targets only.

The published algorithms were not made for finding articles: articles are pages, and have the same type as \
other pages.
";

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().context("the first argument is the folder of the recorded sites")?;
    let page = args.next().context("the second argument is the page to write")?;
    std::fs::write(&page, tables(Path::new(&folder))?).with_context(|| page.clone())
}

/// One site with the figures of each strategy.
struct Row {
    name: String,
    urls: usize,
    targets: usize,
    figures: Vec<Figures>,
}

/// The page.
///
/// # Errors
/// If a recording cannot be read.
pub fn tables(folder: &Path) -> Result<String> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".jsonl.gz"));
    files.sort();
    let mut rows = Vec::new();
    for file in files {
        for data in [false, true] {
            let row = row(&file, data).with_context(|| file.display().to_string())?;
            rows.extend(row);
        }
    }
    let mut out = INTRODUCTION.to_owned();
    let percent = |value: Option<f64>| value.map_or("∞".to_owned(), |p| format!("{p:.1}"));
    let found = |f: &Figures| percent(Some(f.q90_percent_mean).filter(|_| f.unreached == 0));
    out += "\n## Requests for 90 % of the targets\n\nAs a percentage of the URLs of the site.\n\n";
    table(&mut out, &rows, found);
    out += "\n## Non-target bytes before 90 % of the target bytes\n\n\
            As a percentage of the bytes of everything but targets.\n\n";
    table(&mut out, &rows, |f| percent(f.v90_percent_mean));
    out += "\n## Area under the curve\n\nThe percentage of the targets found after n requests, averaged over n up to the number of URLs.\n\n";
    table(&mut out, &rows, |f| percent(Some(100.0 * f.area_mean)));
    predictions(&mut out, &rows);
    Ok(out)
}

/// Replays one recording; `None` without targets, or if they are the same without plain text.
fn row(file: &Path, data: bool) -> Result<Option<Row>> {
    let open = |data| {
        Ok::<_, anyhow::Error>(read(BufReader::new(GzDecoder::new(File::open(file)?)), data)?)
    };
    let targets = |graph: &Graph| graph.nodes.iter().filter(|n| n.target).count();
    let graph = open(data)?;
    if data && [0, targets(&open(false)?)].contains(&targets(&graph)) {
        return Ok(None);
    }
    let stem = file.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.trim_end_matches(".jsonl.gz");
    let name = if data { format!("{stem}, data") } else { stem.to_owned() };
    eprintln!("{name}");
    let figures = Kind::ALL.iter().map(|(kind, _)| {
        let begun = Instant::now();
        let crawl = |seed| trial(&graph, *kind, SleepingBanditParameters::default(), seed);
        let crawls: Vec<Replayed> = (0..SEEDS).map(crawl).collect();
        Figures::of(&graph, *kind, &crawls, begun.elapsed())
    });
    let figures = figures.collect();
    Ok(Some(Row { name, urls: graph.nodes.len(), targets: targets(&graph), figures }))
}

fn table(out: &mut String, rows: &[Row], value: impl Fn(&Figures) -> String) {
    let names: Vec<&str> = Kind::ALL.iter().map(|(_, name)| *name).collect();
    let _ = writeln!(out, "| site | URLs | targets | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|{}", "--:|".repeat(names.len() + 2));
    for Row { name, urls, targets, figures } in rows {
        let values: Vec<String> = figures.iter().map(&value).collect();
        let _ = writeln!(out, "| {name} | {urls} | {targets} | {} |", values.join(" | "));
    }
}

/// What the classifiers predicted.
fn predictions(out: &mut String, rows: &[Row]) {
    for kind in [Kind::SleepingBandit, Kind::Learned] {
        let _ = writeln!(
            out,
            "\n## Predictions of `{}`\n\nAs a percentage of the links of each class.\n\n\
             | site | pages: as page | as target | as neither | targets: as page | as target | \
             as neither | neither: as page | as target | as neither |\n|---|{}",
            kind.name(),
            "--:|".repeat(9)
        );
        for row in rows {
            let figures = row.figures.iter().find(|f| f.strategy == kind.name());
            let Some(figures) = figures else { continue };
            let _ = write!(out, "| {} |", row.name);
            for (_, numbers) in figures.confusion.rows() {
                let numbers = [numbers.html, numbers.target, numbers.neither];
                let all: u64 = numbers.iter().sum();
                for number in numbers {
                    let percent = 100.0 * number as f64 / all as f64;
                    let _ = match all {
                        0 => write!(out, " - |"),
                        _ => write!(out, " {percent:.1} |"),
                    };
                }
            }
            out.push('\n');
        }
    }
}

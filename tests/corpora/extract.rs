//! Extracts articles from real pages, if the reference data is next to this project:
//! `cargo test --test corpora extract:: -- --nocapture`. Otherwise the tests print a note and pass. The
//! minimum scores are slightly below the measured values, so that regressions fail.

// Clippy's exemption for tests does not cover the helpers below.

#[path = "../../examples/train_article/align.rs"]
#[allow(dead_code, reason = "the program that trains uses the rest")]
mod align;

use crate::reference::corpora;
use align::{Figures, Fit, fit};
use flate2::read::GzDecoder;
use newsfed::article::{Extraction, Guide, Mode, Template, extract, has_full_text};
use newsfed::util::html;
use serde_json::Value;
use std::collections::HashMap;
use std::io::Read;
use std::num::NonZero;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use url::Url;

fn gunzip(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

pub(crate) fn json(path: &Path) -> Value {
    let compressed = path.extension().is_some_and(|e| e == "gz");
    let bytes = if compressed { gunzip(path) } else { std::fs::read(path).unwrap() };
    serde_json::from_slice(&bytes).unwrap()
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

pub(crate) fn page(path: &Path) -> String {
    html::decode(&gunzip(path), None)
}

fn text(found: Option<&Extraction>) -> &str {
    found.map_or("", |f| f.text.as_str())
}

#[track_caller]
fn floor(name: &str, figures: &Figures, f1: f64, exact: f64, near: f64) {
    println!("{name:24} {figures}");
    assert!(
        figures.f1 >= f1 && figures.exact >= exact && figures.near >= near,
        "{name}: {figures}"
    );
}

/// Applies a function to all values, on as many threads as there are processors. The results are in order.
fn in_parallel<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let run = || {
        let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let taken = taken.map_while(|at| all.get(at).map(|value| (at, work(value))));
        taken.collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A page of a corpus, extracted with its title and summary.
struct Guided {
    item: Value,
    kind: String,
    wanted: String,
    /// The reference date.
    day: Option<String>,
    fit: Fit,
    /// The date that was found. If a page has no other date, the reference date is that of the last update.
    found: Option<String>,
}

impl Guided {
    /// The guide for the page, with one of the summaries in the corpus.
    fn guide(item: &Value, summary: &str) -> Guide {
        Guide {
            title: string(&item["title"]),
            summary: string(&item[summary]),
            url: item["url"].as_str().and_then(|u| Url::parse(u).ok()),
            ..Guide::default()
        }
    }
}

fn page_of(folder: &Path, item: &Value) -> String {
    page(&folder.join(format!("pages/{}.html.gz", item["id"].as_str().unwrap())))
}

/// The pages of a corpus, extracted once, because two tests need those of `extraction`.
fn guided(corpus: &str) -> Option<&'static [Guided]> {
    static EXTRACTION: OnceLock<Vec<Guided>> = OnceLock::new();
    static MORE: OnceLock<Vec<Guided>> = OnceLock::new();
    let folder = corpora()?.join(corpus);
    let pages = if corpus == "extraction" { &EXTRACTION } else { &MORE };
    let pages = pages.get_or_init(|| {
        let gold = json(&folder.join("gold.json.gz"));
        in_parallel(json(&folder.join("items.json")).as_array().unwrap(), |item| {
            let gold = &gold[item["id"].as_str().unwrap()];
            let guide = Guided::guide(item, "summary_meta");
            let found = extract(&page_of(&folder, item), &guide, Mode::Auto, None).ok();
            let wanted = string(&gold["text"]).unwrap();
            Guided {
                item: item.clone(),
                kind: string(&gold["type"]).unwrap(),
                day: gold["date"].as_str().map(|date| date.get(..10).unwrap_or(date).to_owned()),
                fit: fit(&wanted, text(found.as_ref())),
                found: found
                    .and_then(|found| found.published.or(found.modified))
                    .map(|time| time.date_naive().to_string()),
                wanted,
            }
        })
    });
    Some(pages)
}

#[test]
fn extracts_articles_from_all_kinds_of_sites() {
    let Some(pages) = guided("extraction") else { return };
    let folder = corpora().unwrap().join("extraction");
    let articles: Vec<&Guided> = pages.iter().filter(|page| page.kind == "article").collect();
    let (plain, by_lead): (Vec<Fit>, Vec<Fit>) = in_parallel(&articles, |article| {
        let page = page_of(&folder, &article.item);
        let lead = Guided::guide(&article.item, "summary_lead");
        let bare = Guide { url: lead.url.clone(), ..Guide::default() };
        let plain = extract(&page, &bare, Mode::Auto, None).ok();
        let by_lead = extract(&page, &lead, Mode::Guided, None).ok();
        [plain, by_lead].map(|found| fit(&article.wanted, text(found.as_ref())))
    })
    .into_iter()
    .map(|[plain, by_lead]| (plain, by_lead))
    .unzip();
    let guided: Vec<Fit> = articles.iter().map(|article| article.fit).collect();
    let dated = articles.iter().filter(|article| article.day.is_some());
    let right = dated.clone().filter(|article| article.found == article.day).count();
    let dated = dated.count();
    let (plain, guided) = (Figures::of(&plain), Figures::of(&guided));
    floor("without a guide", &plain, 0.94, 0.27, 0.83);
    floor("with title and summary", &guided, 0.958, 0.28, 0.865);
    assert!(guided.f1 >= plain.f1 - 0.0005, "a guide makes it worse: {} {}", guided.f1, plain.f1);
    floor("by the guide alone", &Figures::of(&by_lead), 0.88, 0.25, 0.7);
    println!("dates {right} of {dated}");
    assert!(f64::from(right as u32) >= 0.81 * f64::from(dated as u32));
}

/// The proportions of correct, wrong and missing dates. A date that is off by one day is in none of them.
fn dates(cases: impl Iterator<Item = (String, Option<Url>, String)>) -> [f64; 3] {
    let (mut all, mut counts) = (0.0, [0.0; 3]);
    for (page, url, want) in cases {
        let guide = Guide { url, ..Guide::default() };
        let found = newsfed::article::page_dates(&page, &guide).published;
        let found = found.map(|p| p.time.date_naive());
        let want: chrono::NaiveDate = want.parse().unwrap();
        all += 1.0;
        match found.map(|day| (day - want).num_days().abs()) {
            Some(0) => counts[0] += 1.0,
            Some(1) => {}
            Some(_) => counts[1] += 1.0,
            None => counts[2] += 1.0,
        }
    }
    let shares = counts.map(|n| n / f64::max(all, 1.0));
    println!(
        "{all} dates: right {:.3}, wrong {:.3}, missing {:.3}",
        shares[0], shares[1], shares[2]
    );
    shares
}

#[test]
fn finds_the_publication_dates_of_pages() {
    let Some(folder) = corpora().map(|f| f.join("page-dates")) else { return };
    let lines = std::fs::read_to_string(folder.join("pages.jsonl")).unwrap();
    let cases = lines.lines().map(|line| {
        let case: Value = serde_json::from_str(line).unwrap();
        let url = case["url"].as_str().and_then(|u| Url::parse(u).ok());
        let page = page(&folder.join(case["html_path"].as_str().unwrap()));
        (page, url, case["day"].as_str().unwrap().to_owned())
    });
    let [right, wrong, _] = dates(cases);
    assert!(right >= 0.93 && wrong <= 0.025);
}

#[test]
fn finds_the_publication_dates_of_more_articles() {
    let Some(folder) = corpora().map(|f| f.join("extraction-more")) else { return };
    let gold = json(&folder.join("gold.json.gz"));
    let items = json(&folder.join("items.json"));
    let cases = items.as_array().unwrap().iter().filter_map(|item| {
        let id = item["id"].as_str()?;
        let day = gold[id]["date"].as_str().filter(|_| gold[id]["type"] == "article")?.get(..10)?;
        let page = page(&folder.join(format!("pages/{id}.html.gz")));
        Some((page, item["url"].as_str().and_then(|u| Url::parse(u).ok()), day.to_owned()))
    });
    // Of the dates that are not right, a fifth are those of the last update.
    let [right, wrong, _] = dates(cases);
    assert!(right >= 0.848 && wrong <= 0.065);
}

#[test]
fn reads_threads_and_documentation_in_full() {
    let mut kinds: HashMap<&str, Vec<Fit>> = HashMap::new();
    for corpus in ["extraction", "extraction-more"] {
        let Some(pages) = guided(corpus) else { return };
        pages.iter().for_each(|page| kinds.entry(&page.kind).or_default().push(page.fit));
    }
    for (kind, words) in [
        ("article", 0.965),
        ("documentation", 0.94),
        // The trees were trained on these pages. The threshold is the best one for unseen threads (it
        // improves their score from 0.80 to 0.82), but includes too much on these pages (0.86 instead of
        // 0.88).
        ("forum", 0.855),
        ("service", 0.865),
        ("collection", 0.8),
        ("listing", 0.85),
        ("product", 0.685),
    ] {
        let figures = Figures::of(&kinds[kind]);
        println!("{kind:16} {figures}");
        assert!(figures.words >= words, "{kind}: {figures}");
    }
}

/// The items of a site that have a reference text.
fn items(folder: &Path, site: &str) -> Vec<Value> {
    let all = json(&folder.join(site).join("items.json"));
    all.as_array().unwrap().iter().filter(|i| i["gold_source"] == "feed").cloned().collect()
}

fn sites(folder: &Path) -> Vec<String> {
    let sites = json(&folder.join("sites.json"));
    sites.as_array().unwrap().iter().filter_map(|s| string(&s["id"])).collect()
}

fn guide_of(item: &Value) -> Guide {
    Guide {
        title: string(&item["title"]),
        summary: string(&item["summary"]),
        url: item["url"].as_str().and_then(|u| Url::parse(u).ok()),
        ..Guide::default()
    }
}

/// Extracts the items of several designs of a site in order, in three ways: each page alone, with the
/// template learned so far, and with the template learned from all pages.
fn read(folder: &Path, gold: &Value, designs: &[&str]) -> [Vec<(String, Fit)>; 3] {
    let mut template = Template::default();
    let mut rows = [Vec::new(), Vec::new(), Vec::new()];
    let mut pages = Vec::new();
    for design in designs {
        for item in items(folder, design) {
            let id = item["id"].as_str().unwrap().to_owned();
            let Some(wanted) = gold[&id].as_str().map(str::to_owned) else { continue };
            let page = page(&folder.join(design).join(item["page"].as_str().unwrap()));
            pages.push((id, page, guide_of(&item), wanted));
        }
    }
    for (id, page, guide, wanted) in &pages {
        let single = extract(page, guide, Mode::Auto, None).ok();
        rows[0].push((id.clone(), fit(wanted, text(single.as_ref()))));
        let online = extract(page, guide, Mode::Auto, Some((&mut template, true))).ok();
        rows[1].push((id.clone(), fit(wanted, text(online.as_ref()))));
    }
    for (id, page, guide, wanted) in &pages {
        let last = extract(page, guide, Mode::Auto, Some((&mut template, false))).ok();
        rows[2].push((id.clone(), fit(wanted, text(last.as_ref()))));
    }
    rows
}

#[test]
fn learns_the_template_from_the_pages_of_a_site() {
    let Some(folder) = corpora().map(|f| f.join("blogs")) else { return };
    let gold = json(&folder.join("gold.json.gz"));
    let mut all: [Vec<Fit>; 3] = Default::default();
    for site in sites(&folder) {
        let rows = read(&folder, &gold, &[&site]);
        let of = |row: &[(String, Fit)]| row.iter().map(|(_, f)| *f).collect::<Vec<_>>();
        let figures = rows.each_ref().map(|r| Figures::of(&of(r)));
        if !rows[0].is_empty() {
            assert!(
                figures[1].f1 >= figures[0].f1 - 0.005,
                "{site}: {} {}",
                figures[0],
                figures[1]
            );
            assert!(
                figures[2].f1 >= figures[0].f1 - 0.005,
                "{site}: {} {}",
                figures[0],
                figures[2]
            );
        }
        all.iter_mut().zip(&rows).for_each(|(all, row)| all.extend(of(row)));
    }
    floor("single pages", &Figures::of(&all[0]), 0.994, 0.78, 0.975);
    floor("online", &Figures::of(&all[1]), 0.998, 0.935, 0.99);
    floor("with all pages", &Figures::of(&all[2]), 0.998, 0.95, 0.99);
}

#[test]
fn a_redesign_makes_no_page_worse() {
    let Some(folder) = corpora().map(|f| f.join("blogs")) else { return };
    let gold = json(&folder.join("gold.json.gz"));
    for designs in [["330k-2018", "330k"], ["flink2015", "flink-2022"], ["flink-2022", "flink2015"]]
    {
        let [single, online, _] = read(&folder, &gold, &designs);
        for ((id, single), (_, online)) in single.iter().zip(&online) {
            assert!(online.words >= single.words - 0.02, "{designs:?} {id}");
        }
    }
}

#[test]
fn recognises_feeds_with_full_articles() {
    let Some(folder) = corpora().map(|f| f.join("blogs")) else { return };
    let (mut all, mut right) = (0, 0);
    for site in sites(&folder) {
        let listed = json(&folder.join(&site).join("items.json"));
        let feed =
            newsfed::feed::parse(&gunzip(&folder.join(&site).join("feed.xml.gz")), None, None);
        let entries: HashMap<String, String> = feed
            .unwrap()
            .entries
            .into_iter()
            .map(|e| {
                let longest = [e.content, e.summary].into_iter().flatten().max_by_key(String::len);
                (e.title, html::to_text(&longest.unwrap_or_default()))
            })
            .collect();
        let paged = listed.as_array().unwrap().iter().filter(|i| i["page"].is_string());
        for item in paged.take(1) {
            let Some(body) = item["title"].as_str().and_then(|t| entries.get(t)) else { continue };
            let page = page(&folder.join(&site).join(item["page"].as_str().unwrap()));
            let found = extract(&page, &guide_of(item), Mode::Auto, None).ok();
            let whole = has_full_text(body, text(found.as_ref())) == Some(true);
            let wanted = item["full_content_in_feed"] == true;
            assert!(wanted || !whole, "{site}: a teaser is mistaken for a full article");
            all += 1;
            right += usize::from(whole == wanted);
            if whole != wanted {
                println!(
                    "{site}: {whole}, {} and {} bytes",
                    body.len(),
                    text(found.as_ref()).len()
                );
            }
        }
    }
    println!("full articles recognised: {right} of {all}");
    assert!(all >= 20 && right * 100 >= all * 95);
}

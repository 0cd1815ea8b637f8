//! Cost of a crawl without the network: `cargo bench --bench crawl`.
#![allow(clippy::unwrap_used, reason = "a bench")]
#![allow(clippy::print_stdout, reason = "prints what was measured")]

use divan::Bencher;
use divan::counter::ItemsCount;
use newsfed::crawl::{
    Class, Judge, Known, LearnedStrategy, LinkId, Links, PageLink, Seen, Site, SleepingBandit,
    SleepingBanditParameters, Strategy, Targets, Visit, read_page,
};
use newsfed::store::{CrawlLog, LinkRow, RequestRow};
use std::time::Instant;
use url::Url;

/// Number of links that wait to be fetched.
const MILLION: u32 = 1_000_000;
/// Number of links per page.
const PAGE: u32 = 100;

fn main() {
    let before = resident();
    let begun = Instant::now();
    let (mut frontier, pages) = (Frontier::new(), MILLION / PAGE);
    for page in 0..pages {
        frontier.answer(page, PAGE);
    }
    let took = begun.elapsed();
    let bytes = (resident() - before) * 1024 / u64::from(MILLION);
    println!("a million links: {bytes} bytes per link in memory");
    println!("{:.3} ms per request of {PAGE} links", took.as_secs_f64() * 1e3 / f64::from(pages));
    let begun = Instant::now();
    for _ in 0..1_000 {
        frontier.pop().unwrap();
    }
    println!("{:.1} µs per pop at a million links", begun.elapsed().as_secs_f64() * 1e3);
    println!("{} bytes per link on disk", frontier.on_disk() / u64::from(MILLION));
    drop(frontier);
    divan::main();
}

/// Memory of this process in KiB; 0 if the system does not report it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

/// A crawl in which links are found faster than they are fetched.
struct Frontier {
    links: Links,
    strategy: LearnedStrategy,
    random: fastrand::Rng,
}

impl Frontier {
    fn new() -> Self {
        let mut links = Links::default();
        links.add(Seen { url: "https://site.example/", path: "", anchor: "" }, None);
        let random = fastrand::Rng::with_seed(1);
        Self { links, strategy: LearnedStrategy::new(Targets::files()), random }
    }

    fn pop(&mut self) -> Option<LinkId> {
        let known = &mut Known { links: &self.links, random: &mut self.random };
        match self.strategy.next(known)? {
            newsfed::crawl::NextRequest::Get(link) | newsfed::crawl::NextRequest::Head(link) => {
                Some(link)
            }
        }
    }

    /// Simulates a fetch of a link whose page has `count` new links.
    fn answer(&mut self, page: u32, count: u32) {
        let link = self.pop().unwrap();
        let mut new = Vec::with_capacity(count as usize);
        // Letters give a few thousand groups of links; digits alone would not form separate groups.
        let letter = |n: u32| char::from(b'a' + (n % 26) as u8);
        // Pages link within their own section and to a few other sections.
        let own = self.links.url(link).split('/').nth(3).unwrap_or_default().to_owned();
        let other = format!("{}{}", letter(page), letter(page / 26));
        for n in 0..count {
            let section = if n % 20 == 0 || own.is_empty() { &other } else { &own };
            let url = format!("https://site.example/{section}/{}/page-{page}-{n}.html", letter(n));
            let path = format!("/html/body/main/div.column-{}/ul.list/li/a", n % 10);
            let anchor = format!("Page {n} of section {section}");
            let seen = Seen { url: &url, path: &path, anchor: &anchor };
            new.extend(self.links.add(seen, Some(link)).map(|(id, _)| id));
        }
        let answer = Visit { class: Class::Html, article: false, new: &new, all: &new };
        let known = &mut Known { links: &self.links, random: &mut self.random };
        self.strategy.visited(link, &answer, known);
    }

    /// Size of the crawl log for these links, in bytes.
    fn on_disk(&self) -> u64 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("crawl.db");
        let mut log = CrawlLog::open(&path).unwrap();
        let links = &self.links;
        for first in (0..links.len() as u32).step_by(PAGE as usize) {
            let ids = first..(first + PAGE).min(links.len() as u32);
            let row =
                RequestRow { link: first, links: ids.clone().collect(), ..Default::default() };
            let rows = ids.map(|id| LinkRow {
                url: links.url(id),
                path: (links.path_number(id), links.path(id)),
                anchor: (links.anchor_number(id), links.anchor(id)),
            });
            log.append(&row, rows, None).unwrap();
        }
        drop(log);
        std::fs::metadata(path).unwrap().len()
    }
}

/// Groups the links of a page with a hundred different tag paths when there are already thousands of path
/// groups. Measures the exact search for the nearest group.
#[divan::bench]
fn group_new_paths(bencher: Bencher<'_, '_>) {
    let mut links = Links::default();
    links.add(Seen { url: "https://site.example/", path: "", anchor: "" }, None);
    let judge = Judge::Oracle(Box::new(|_| Class::Html));
    let mut strategy = SleepingBandit::new(SleepingBanditParameters::default(), judge);
    let mut random = fastrand::Rng::with_seed(1);
    let mut names = fastrand::Rng::with_seed(2);
    let mut fetch = || {
        let request = strategy.next(&mut Known { links: &links, random: &mut random }).unwrap();
        let (newsfed::crawl::NextRequest::Get(link) | newsfed::crawl::NextRequest::Head(link)) =
            request;
        let mut new = Vec::with_capacity(PAGE as usize);
        for _ in 0..PAGE {
            let url = format!("https://site.example/{}", links.len());
            let tokens = (0..8).map(|_| format!("/div.c{}", names.u32(..60)));
            let path = format!("/html/body{}/a", tokens.collect::<String>());
            let seen = Seen { url: &url, path: &path, anchor: "" };
            new.extend(links.add(seen, Some(link)).map(|(id, _)| id));
        }
        let answer = Visit { class: Class::Html, article: false, new: &new, all: &new };
        strategy.visited(link, &answer, &mut Known { links: &links, random: &mut random });
    };
    (0..100).for_each(|_| fetch());
    bencher.counter(ItemsCount::new(PAGE)).bench_local(fetch);
}

/// One request of a crawl that has seen ten thousand links: chooses a link and learns from a page with a
/// hundred links.
#[divan::bench]
fn request(bencher: Bencher<'_, '_>) {
    let mut frontier = Frontier::new();
    for page in 0..100 {
        frontier.answer(page, PAGE);
    }
    let mut page = 100;
    bencher.bench_local(|| {
        page += 1;
        frontier.answer(page, PAGE);
    });
}

/// Recording a response with a hundred new links.
#[divan::bench]
fn write_down(bencher: Bencher<'_, '_>) {
    let dir = tempfile::tempdir().unwrap();
    let mut log = CrawlLog::open(&dir.path().join("crawl.db")).unwrap();
    let mut page = 0u32;
    bencher.bench_local(|| {
        page += 1;
        let urls: Vec<String> =
            (0..PAGE).map(|n| format!("https://a.example/{page}/{n}")).collect();
        let rows = urls.iter().map(|url| LinkRow { url, path: (0, "/html/a"), anchor: (0, "") });
        let first = log.links();
        let row = RequestRow { links: (first..first + PAGE).collect(), ..Default::default() };
        log.append(&row, rows, None).unwrap();
    });
}

/// Reading a page of 200 links.
#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    let link = |n| format!("<li class=item><a href='/section/{n}'>Title of page {n}</a></li>");
    let items: String = (0..200).map(link).collect();
    let page = format!("<title>List</title><body><main><ul class=list>{items}</ul></main>");
    let url = Url::parse("https://a.example/").unwrap();
    let site = Site::of(&url);
    bencher.counter(ItemsCount::new(200u32)).bench(|| {
        let links: Vec<PageLink> =
            read_page(page.as_bytes(), Some("text/html"), &url, &site, 5_000).links;
        links
    });
}

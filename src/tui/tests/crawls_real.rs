//! Crawls in the interface, from a server on loopback, with the real engine and driver.

use super::real::Real;
use super::*;
use crate::engine::crawl::{CrawlEnd, CrawlPhase, CrawlPlan, CrawlState};
use crate::tui::app::{Editor, Prompt};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Mutex;

/// Number of lists (pages with links to files).
const LISTS: usize = 6;
/// Number of files in each list.
const FILES: usize = 5;

const CONFIG: &str = "full_text = \"never\"\n[net]\nhost_delay = \"0s\"\n";

/// A site on loopback that records the requested paths.
struct Site {
    url: String,
    requested: Arc<Mutex<Vec<String>>>,
    /// The number of responses that may still be sent.
    permits: Arc<(Mutex<usize>, std::sync::Condvar)>,
}

impl Site {
    /// Starts a server that waits for more permits after this many responses.
    fn start(permits: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let requested = Arc::<Mutex<Vec<String>>>::default();
        let permits = Arc::new((Mutex::new(permits), std::sync::Condvar::new()));
        let (seen, gate) = (requested.clone(), permits.clone());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (seen, gate) = (seen.clone(), gate.clone());
                std::thread::spawn(move || respond(&connection.unwrap(), &seen, &gate));
            }
        });
        Self { url, requested, permits }
    }

    fn permit(&self, more: usize) {
        *self.permits.0.lock().unwrap() += more;
        self.permits.1.notify_all();
    }

    /// The requested files and pages, without robots.txt and sitemaps.
    fn pages(&self) -> Vec<String> {
        let all = self.requested.lock().unwrap().clone();
        all.into_iter().filter(|p| p != "/robots.txt" && !p.starts_with("/sitemap")).collect()
    }
}

fn respond(
    stream: &TcpStream,
    seen: &Mutex<Vec<String>>,
    gate: &(Mutex<usize>, std::sync::Condvar),
) {
    let mut lines = BufReader::new(stream).lines();
    let Some(Ok(first)) = lines.next() else { return };
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let (kind, body) = page(&path);
    seen.lock().unwrap().push(path);
    if !body.is_empty() {
        let mut permits = gate.1.wait_while(gate.0.lock().unwrap(), |left| *left == 0).unwrap();
        *permits -= 1;
    }
    let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
    let body = if first.starts_with("HEAD") { String::new() } else { body };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = stream;
    let _ = stream.write_all((head + &body).as_bytes());
}

fn page(path: &str) -> (&'static str, String) {
    let links = |to: &dyn Fn(usize) -> String, count: usize| -> String {
        (0..count).map(|n| format!("<li><a href='{}'>Number {n}</a></li>", to(n))).collect()
    };
    let list = path.strip_prefix("/list/").and_then(|n| n.parse::<usize>().ok());
    match (path, list) {
        ("/", _) => ("text/html", links(&|n| format!("/list/{n}"), LISTS)),
        (_, Some(list)) => ("text/html", links(&|n| format!("/data/{list}-{n}.csv"), FILES)),
        (path, _) if path.starts_with("/data/") => ("text/csv", format!("path,{path}\n")),
        _ => ("text/plain", String::new()),
    }
}

async fn open() -> Real {
    let mut real = Real::configured(1, 1, CONFIG).await;
    real.command("crawls");
    real.until("the list", |app| app.crawls.is_listed).await;
    real
}

/// Starts a crawl into a folder from the crawl list.
fn start(real: &mut Real, url: &str, budget: &str, folder: &Path) {
    real.keys("n");
    for text in [url, "files", budget, folder.to_str().unwrap()] {
        real.paste(text);
        real.press(KeyCode::Tab, KeyModifiers::NONE);
    }
    real.enter();
}

fn in_folder<'a>(app: &'a App, folder: &Path) -> Option<&'a CrawlState> {
    app.crawls.all.iter().find(|crawl| crawl.folder == folder)
}

fn ended(app: &App, folder: &Path, end: &CrawlEnd) -> bool {
    let phase = CrawlPhase::Ended(end.clone());
    in_folder(app, folder).is_some_and(|crawl| crawl.phase == phase)
}

/// The results: names and contents of the files, and the lines of the manifest without timestamps.
fn results(folder: &Path) -> (BTreeSet<(String, Vec<u8>)>, Vec<String>) {
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
    };
    let files = std::fs::read_dir(folder.join("files")).unwrap().map(file).collect();
    let manifest = std::fs::read_to_string(folder.join("manifest.jsonl")).unwrap();
    let url = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["url"].as_str().unwrap().split_once("/data").unwrap().1.to_owned()
    };
    (files, manifest.lines().map(url).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_resumed_crawl_finds_the_same_files() {
    let (site, folder) = (Site::start(12), tempfile::tempdir().unwrap());
    let (parted, straight) = (folder.path().join("parted"), folder.path().join("straight"));
    let mut real = open().await;
    start(&mut real, &site.url, "1000req", &parted);
    let found = |app: &App| in_folder(app, &parted).is_some_and(|c| c.progress.found > 0);
    real.until("finds", found).await;
    let screen = real.screen();
    assert!(screen.contains("exploring") && screen.contains("of 1000"), "{screen}");
    real.keys("s");
    real.until("its end", |app| ended(app, &parted, &CrawlEnd::Stopped)).await;
    // The folder is no longer in use, and the list shows the crawl from its database.
    real.close_dialogs();
    real.command("crawls");
    real.quiet().await;
    real.until("the record", |app| ended(app, &parted, &CrawlEnd::Stopped)).await;
    let before = in_folder(&real.app, &parted).unwrap().progress;
    assert!(before.requests > 0 && before.found > 0, "{before:?}");
    site.permit(1_000);
    real.keys("r");
    real.enter();
    real.until("the end", |app| ended(app, &parted, &CrawlEnd::Done)).await;
    let all = in_folder(&real.app, &parted).unwrap().progress;
    assert_eq!(all.found, (LISTS * FILES) as u64);
    assert!(all.requests > before.requests);
    let resumed = site.pages().len();
    start(&mut real, &site.url, "1000req", &straight);
    real.until("the straight one", |app| ended(app, &straight, &CrawlEnd::Done)).await;
    let same = in_folder(&real.app, &straight).unwrap().progress;
    assert_eq!((all.requests, all.found, all.links), (same.requests, same.found, same.links));
    assert_eq!(results(&parted), results(&straight));
    // At most one request was repeated: the one in flight when the crawl was stopped.
    let again = resumed - (site.pages().len() - resumed);
    assert!(again <= 1, "{again} requests were repeated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_one_crawl_per_host_and_per_folder() {
    let (site, folder) = (Site::start(3), tempfile::tempdir().unwrap());
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let mut real = open().await;
    start(&mut real, &site.url, "1000req", &first);
    let runs = |app: &App, folder: &Path, phase| {
        in_folder(app, folder).is_some_and(|crawl| crawl.phase == phase)
    };
    real.until("the first", |app| runs(app, &first, CrawlPhase::Running)).await;
    start(&mut real, &site.url, "1000req", &second);
    real.until("the second", |app| runs(app, &second, CrawlPhase::Waiting)).await;
    // The same folder under another path.
    start(&mut real, &site.url, "9req", &folder.path().join("second/../first"));
    real.until("a refusal", |app| app.dialogs.len() == 2).await;
    let screen = real.screen_until("another crawl is using").await;
    assert!(screen.contains("Crawl a website"), "{screen}");
    real.press(KeyCode::Esc, KeyModifiers::NONE);
    site.permit(1_000);
    real.until("the first ends", |app| ended(app, &first, &CrawlEnd::Done)).await;
    real.until("the second ends", |app| ended(app, &second, &CrawlEnd::Done)).await;
    assert_eq!(results(&first), results(&second));
    // A crawl started in the folder of an existing one is refused, and the existing one is listed.
    real.keys("d");
    real.enter();
    real.wait_for("Removed from the list").await;
    start(&mut real, &site.url, "9req", &second);
    real.screen_until("already contains a crawl").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crawls_stop_with_the_interface_and_are_listed_later() {
    let (site, folder) = (Site::start(8), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let mut real = open().await;
    start(&mut real, &site.url, "5req", &out);
    let used = CrawlEnd::Requests;
    real.until("the budget is used up", |app| ended(app, &out, &used)).await;
    let before = in_folder(&real.app, &out).unwrap().clone();
    real.keys("r");
    real.enter();
    let runs = |app: &App| in_folder(app, &out).is_some_and(CrawlState::is_running);
    real.until("it runs again", runs).await;
    assert_eq!(in_folder(&real.app, &out).unwrap().budget.requests, Some(10));
    real.finish().await;
    // The folder is no longer in use, and the record shows how the crawl ended.
    let listing = real.handle.crawls(vec![]).await.unwrap();
    let [crawl] = listing.crawls.as_slice() else { panic!("{listing:?}") };
    assert_eq!((&crawl.folder, &crawl.phase), (&out, &CrawlPhase::Ended(CrawlEnd::Stopped)));
    assert_eq!((&crawl.start, &crawl.targets), (&before.start, &before.targets));
    assert!(crawl.progress.requests >= before.progress.requests);
    assert_eq!(crawl.curve.points().last().unwrap().0, crawl.progress.requests);
    real.handle.unlist_crawl(&out).await.unwrap();
    assert!(real.handle.crawls(vec![]).await.unwrap().crawls.is_empty());
    assert!(out.join("crawl.db").exists(), "its files stay");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn follows_a_crawled_site() {
    let (site, folder) = (Site::start(1_000), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let mut real = open().await;
    start(&mut real, &site.url, "1000req", &out);
    real.until("the end", |app| ended(app, &out, &CrawlEnd::Done)).await;
    real.keys("f");
    real.wait_for("Crawling ").await;
    let text = std::fs::read_to_string(real.paths.sources_file()).unwrap();
    let entry = text.rsplit("[[source]]").next().unwrap().to_owned();
    for part in [site.url.as_str(), "kind = \"crawl\"", "targets = \"files\""] {
        assert!(entry.contains(part), "{part}: {entry}");
    }
    real.keys("f");
    real.wait_for("already followed").await;
}

/// The folder of a crawl cannot be freed while the crawl opens, so stopping the crawl waits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_an_opening_crawl_frees_its_folder() {
    let (site, folder) = (Site::start(0), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let real = open().await;
    for _ in 0..3 {
        let address = crate::util::url::parse_web(&site.url).unwrap();
        let plan = CrawlPlan::new(Some(address), out.clone());
        let crawl = real.handle.crawl(CrawlPlan { resume: true, ..plan });
        let states = crawl.states();
        crawl.stop();
        crawl.finish().await;
        // The last state sent to the interface is the final state of the crawl.
        let state = states.borrow().clone();
        assert_eq!(
            (&state.start, &state.phase),
            (&site.url, &CrawlPhase::Ended(CrawlEnd::Stopped))
        );
        drop(crate::store::CrawlLog::open(&out.join("crawl.db")).unwrap());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pending_list_does_not_delay_file_changes() {
    let site = Site::start(0);
    let mut real = Real::configured(1, 1, CONFIG).await;
    real.keys("i");
    real.paste(&site.url);
    real.enter();
    real.command("settings retention");
    let has_form = |app: &App| app.dialog::<Editor>().is_some_and(|editor| editor.form.is_some());
    real.until("a form", has_form).await;
    real.keys("30");
    real.press(KeyCode::Char('s'), KeyModifiers::CONTROL);
    real.wait_for("Saved: retention.days = 30").await;
    // An error would open the prompt for the URL of the list again.
    assert!(real.app.dialog::<Prompt>().is_none(), "the list has not come");
    real.finish().await;
}

#[tokio::test]
async fn waiting_file_changes_are_made_before_the_interface_exits() {
    let mut real = Real::new(1, 1).await;
    real.command("theme light");
    assert!(!real.config().contains("theme"), "it waits for its turn");
    real.finish().await;
    assert!(real.config().contains("theme = "), "{}", real.config());
}

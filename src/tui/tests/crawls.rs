//! Crawls: the form, the list and the effects of keys.

use super::stock::crawl;
use super::*;
use crate::engine::crawl::{CrawlEnd, CrawlListing, CrawlPhase, CrawlState};

fn all() -> CrawlListing {
    let left = "rain.example did not respond".to_owned();
    let ends = [
        CrawlPhase::Ended(CrawlEnd::Requests),
        CrawlPhase::Ended(CrawlEnd::Stopped),
        CrawlPhase::Ended(CrawlEnd::Left(left)),
        CrawlPhase::Ended(CrawlEnd::Done),
        CrawlPhase::InUse,
    ];
    let crawls = ends.into_iter().enumerate();
    let crawls = crawls.map(|(n, phase)| crawl(&format!("/crawls/{n}"), phase)).collect();
    let lines = ["exploring: 12 requests, 3 found, 40 links seen", "4 links at li a led to 3"];
    let exploring = vec![(1, lines.map(str::to_owned).to_vec())];
    CrawlListing { crawls, except: vec!["/crawls/now".into()], exploring }
}

/// The list with a running crawl.
fn stage(settings: Settings) -> Stage {
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.happen(Event::CrawlChanged(Box::new(crawl("/crawls/now", CrawlPhase::Running))));
    stage.keys("gc");
    assert_eq!(stage.asked_for("Crawl(List { running: [\"/crawls/now\"] })"), 1);
    stage.happen(Event::CrawlsListed(Ok(all())));
    stage
}

#[test]
fn draws_the_list_at_every_size() {
    for (width, height) in [(140, 40), (120, 36), (80, 24), (50, 15)] {
        let mut stage = stage(Settings::default());
        insta::assert_snapshot!(format!("list-{width}x{height}"), stage.screen(width, height));
    }
    let mut narrow = stage(Settings::default());
    narrow.keys("<Enter>j");
    insta::assert_snapshot!("results-50x15", narrow.screen(50, 15));
    let mut linear = Settings::default();
    (linear.ui.linear, linear.ui.ascii) = (true, true);
    insta::assert_snapshot!("linear-80x30", stage(linear).screen(80, 30));
}

#[test]
fn a_crawl_that_ends_stays_in_the_list_while_it_is_open() {
    let mut stage = Stage::with(Settings::default(), source_list(), item_rows());
    stage.happen(Event::CrawlChanged(Box::new(crawl("/crawls/now", CrawlPhase::Running))));
    stage.keys("gc");
    let stopped = crawl("/crawls/now", CrawlPhase::Ended(CrawlEnd::Stopped));
    stage.happen(Event::CrawlChanged(Box::new(stopped)));
    let except = vec!["/crawls/now".into()];
    stage.happen(Event::CrawlsListed(Ok(CrawlListing { except, ..CrawlListing::default() })));
    let screen = stage.screen(120, 36);
    assert!(screen.contains("stopped") && !screen.contains("No crawls yet"), "{screen}");
}

#[test]
fn draws_the_form_at_every_size() {
    for (width, height) in SIZES {
        let mut stage = form();
        stage.screen(width, height);
        stage.keys("rain.example/x");
        insta::assert_snapshot!(format!("form-{width}x{height}"), stage.screen(width, height));
    }
}

/// The form with a configured download folder.
fn form() -> Stage {
    let mut settings = Settings::default();
    settings.download.folder = Some("/files".to_owned());
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.keys(":crawl a website<Enter>");
    stage
}

#[test]
fn the_form_validates_its_fields() {
    for (keys, expected) in [
        ("<Enter>", "start: Some"),
        ("<Space><Backspace><Enter>", "no URL given"),
        ("ftp://x<Enter>", "cannot follow \"ftp\" URLs"),
        ("rain.example<Tab>text/html<Enter>", "pages cannot be a target of a crawl"),
        ("rain.example<Tab>maps<Enter>", "\"maps\" is not a target; use articles, data"),
        ("rain.example<Tab><Tab>5<Enter>", "\"5\" is not a budget; examples are 500req"),
        ("rain.example<Tab><Tab><Tab><Backspace><Enter>", "a folder is required"),
    ] {
        let mut stage = form();
        stage.keys(keys);
        if expected == "start: Some" {
            // The form suggests valid values for the site of the selected source.
            assert_eq!(stage.asked_for("Crawl(Run(CrawlPlan"), 1);
            continue;
        }
        stage.keys_give("", expected);
        assert_eq!(stage.asked_for("Crawl(Run"), 0, "{keys}");
    }
}

#[test]
fn the_form_shows_why_a_crawl_did_not_start() {
    let mut stage = form();
    stage.keys("rain.example<Tab>data<Tab>20req,5MB<Tab>");
    stage.keys_give("", "/files/crawl-rain.example");
    stage.keys("<Enter>");
    let asked = stage.requested.last().unwrap().clone();
    for part in ["rain.example", "folder: \"/files/crawl-rain.example\"", "Some(20)", "5000000"] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    stage.keys_give("", "Opening …");
    let mut failed = CrawlState::new("/files/crawl-rain.example".into());
    failed.phase = CrawlPhase::Failed("/files contains a crawl".to_owned());
    stage.happen(Event::CrawlChanged(Box::new(failed)));
    stage.keys_give("", "! /files contains a crawl");
    // The form requested the list once before, to suggest a folder.
    assert_eq!(stage.asked_for("Crawl(List"), 2, "the crawl there is listed");
    stage.keys("<Enter>");
    assert_eq!(stage.asked_for("Crawl(Run"), 2);
    let running = crawl("/files/crawl-rain.example", CrawlPhase::Running);
    stage.happen(Event::CrawlChanged(Box::new(running)));
    stage.keys_give("", "╭─ Crawls");
    stage.keys("n<C-u>rain.example<Tab><Tab><Tab>");
    stage.keys_give("", "/files/crawl-rain.example-2");
    stage.keys("/files/crawl-rain.example<Enter>");
    stage.keys_give("", "a crawl is running in this folder");
    // A relative folder is resolved against the folder of all crawls.
    stage.keys("<C-u>mine<Enter>");
    stage.keys_give("", "folder: \"/files/mine\"");
}

#[test]
fn keys_act_on_the_selected_crawl() {
    for (keys, expected) in [
        ("s", "Crawl(Stop(\"/crawls/now\"))"),
        ("X", "Crawl(Stop(\"/crawls/now\"))"),
        ("r", "This crawl is running"),
        ("d", "This crawl is running: stop it first"),
        ("js", "This crawl is not running"),
        ("jd", "Remove the crawl of rain.example from the list?"),
        ("jd", "Its files stay in /crawls/0."),
        ("jd<Enter>", "Crawl(Unlist(\"/crawls/0\"))"),
        ("o", "OpenDownload { path: \"/crawls/now\", media_type: \"inode/directory\" }"),
        ("f", "start: \"https://rain.example/\", targets: \"files\" }"),
        (
            "<Enter><Enter>",
            "OpenDownload { path: \"/crawls/now/files/34.csv\", media_type: \"text/csv\" }",
        ),
        ("ljj<Enter>", "/crawls/now/files/32.csv"),
        ("l<Esc>n", "╭─ Crawl a website"),
        ("jr", "╭─ Resume a crawl"),
        ("G", "exploring: 12 requests, 3 found, 40 links seen"),
        ("Gs", "StopCrawl { source: 1 }"),
        ("GX", "StopCrawl { source: 1 }"),
        ("G<Enter>", "Nothing found yet"),
        ("?", "resume"),
        ("jjj", "rain.example did not respond"),
    ] {
        let mut stage = stage(Settings::default());
        stage.screen(120, 40);
        stage.keys_give(keys, expected);
    }
}

#[test]
fn removes_a_crawl_from_the_list_after_confirmation() {
    let mut stage = stage(Settings::default());
    stage.keys("jjd<Esc>");
    assert_eq!(stage.asked_for("Crawl(Unlist"), 0);
    stage.keys("d<Enter>");
    assert_eq!(stage.asked_for("Crawl(Unlist(\"/crawls/1\"))"), 1);
    stage.keys("j");
    stage.happen(Event::CrawlUnlisted("/crawls/1".into()));
    stage.keys_give("", "Removed from the list; the files stay in /crawls/1");
    // The selection stays on the same crawl.
    stage.keys_give("o", "path: \"/crawls/2\"");
}

#[test]
fn an_opening_crawl_is_treated_as_running() {
    let mut stage = form();
    stage.keys("rain.example<Enter>");
    stage.keys_give("<Esc>", "The crawl starts in the background");
    stage.keys("gc");
    let folder = "/files/crawl-rain.example";
    assert_eq!(stage.asked_for(&format!("Crawl(List {{ running: [{folder:?}] }})")), 1);
    stage.keys_give("", "opening");
    stage.keys_give("r", "This crawl is running");
    stage.keys_give("s", &format!("Crawl(Stop({folder:?}))"));
    let stopped = crawl(folder, CrawlPhase::Ended(CrawlEnd::Stopped));
    stage.happen(Event::CrawlChanged(Box::new(stopped)));
    // A crawl that is being resumed keeps its row while it opens.
    stage.keys("r<Enter><Esc>");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("opening") && screen.contains("rain.example"), "{screen}");
    // A crawl that fails to start disappears, unless the reloaded list contains it.
    let mut failed = CrawlState::new(folder.into());
    failed.phase = CrawlPhase::Failed("no".to_owned());
    stage.happen(Event::CrawlChanged(Box::new(failed)));
    stage.keys_give("", "The crawl did not start: no");
    assert!(!stage.screen(120, 40).contains("opening"));
}

#[test]
fn suggested_urls_are_private_only_with_a_private_address() {
    let private = |keys: &str, home: Option<&str>, is_private: bool| {
        let mut list = source_list();
        let entry = list.sources.iter_mut().find(|entry| entry.facts.key == 1).unwrap();
        entry.facts.home_url = home.map(str::to_owned);
        Arc::make_mut(&mut entry.source).private = is_private;
        let mut settings = Settings::default();
        settings.download.folder = Some("/files".to_owned());
        let mut stage = Stage::with(settings, list, item_rows());
        let title = stage.app.sources.entry(1).unwrap().title().to_owned();
        stage.keys(&format!("<C-p>{title}<Enter>gs<A-c>"));
        stage.keys(keys);
        let asked = stage.requested.last().unwrap().clone();
        assert!(asked.contains("Crawl(Run"), "{asked}");
        asked.contains("allow_private: true")
    };
    assert!(!private("<Enter>", Some("http://router.test/"), false), "a publisher's choice");
    assert!(!private("<Enter>", Some("http://router.test/"), true), "of another host");
    assert!(private("<Enter>", Some("http://192.168.1.1/"), false), "it shows");
    assert!(private("nas.test<Enter>", Some("http://router.test/"), false), "the user typed it");
    assert!(!private("<Enter>", None, false));
    assert!(private("<Enter>", None, true), "the user allows it");
}

#[test]
fn resumes_a_crawl_with_a_larger_budget() {
    let mut stage = stage(Settings::default());
    let mut used = crawl("/crawls/0", CrawlPhase::Ended(CrawlEnd::Requests));
    used.budget = "100req,10MB".parse().unwrap();
    stage.happen(Event::CrawlChanged(Box::new(used)));
    stage.keys("jr");
    stage.keys_give("", "240req,10MB");
    stage.keys("<Enter>");
    let asked = stage.requested.last().unwrap().clone();
    for part in ["resume: true", "folder: \"/crawls/0\"", "Some(240)"] {
        assert!(asked.contains(part), "{asked}");
    }
    assert!(stage.screen(120, 40).contains("Opening …"));
    let failed =
        "this crawl was started with credentials; to continue, give the URL that includes them";
    let mut state = CrawlState::new("/crawls/0".into());
    state.phase = CrawlPhase::Failed(failed.to_owned());
    stage.happen(Event::CrawlChanged(Box::new(state)));
    stage.keys_give("", "to continue, give the URL");
    stage.happen(Event::CrawlsListed(Ok(all())));
    stage.keys("<Tab>https://me:secret@rain.example/<Enter>");
    let asked = stage.requested.last().unwrap().clone();
    assert!(asked.contains("\"me\"") && !asked.contains("secret"), "{asked}");
    stage.happen(Event::CrawlChanged(Box::new(crawl("/crawls/0", CrawlPhase::Running))));
    let screen = stage.screen(120, 40);
    assert!(screen.contains("2 running, 4 ended"), "{screen}");
    assert!(!screen.contains("Resume a crawl"), "{screen}");
}

#[test]
fn shows_the_progress_and_the_end_of_crawls() {
    let mut stage = Stage::new();
    stage.happen(Event::CrawlChanged(Box::new(crawl("/crawls/a", CrawlPhase::Running))));
    stage.keys_give("", "crawl: 34 found, 120 of 500");
    stage.happen(Event::CrawlChanged(Box::new(crawl("/crawls/b", CrawlPhase::Waiting))));
    stage.keys_give("", "2 crawls: 68 found");
    for (end, expected) in [
        (CrawlEnd::Done, "Crawled rain.example: 34 found in 120 requests"),
        (CrawlEnd::Stopped, "Stopped the crawl of rain.example: 34 found in 120 requests"),
        (CrawlEnd::Time, "The budget of the crawl of rain.example is used up"),
        (CrawlEnd::Left("no route".to_owned()), "gave up: no route (34 found in 120 requests)"),
    ] {
        stage.happen(Event::CrawlChanged(Box::new(crawl("/crawls/b", CrawlPhase::Ended(end)))));
        stage.keys_give("", expected);
    }
    stage.keys_give("", "crawl: 34 found, 120 of 500");
}

#[test]
fn the_selection_stays_on_the_same_crawl() {
    let mut stage = stage(Settings::default());
    stage.keys("jj");
    let selected = |stage: &mut Stage| {
        stage.keys("o");
        let asked = stage.requested.last().unwrap().clone();
        assert!(asked.contains("/crawls/1"), "{asked}");
    };
    selected(&mut stage);
    stage.happen(Event::CrawlChanged(Box::new(crawl("/crawls/new", CrawlPhase::Running))));
    selected(&mut stage);
    let mut listing = all();
    listing.crawls.reverse();
    stage.happen(Event::CrawlsListed(Ok(listing)));
    selected(&mut stage);
}

#[test]
fn hostile_text_of_a_site_cannot_change_the_screen() {
    let mut stage = stage(Settings::default());
    let mut hostile = crawl("/crawls/now", CrawlPhase::Running);
    let evil = "\u{1b}]0;x\u{7}\u{1b}[2J\u{202e}evil\r\n日本".repeat(50);
    hostile.start = format!("https://rain.example/{evil}");
    hostile.note = Some(evil.clone());
    hostile.targets = evil.clone();
    for find in &mut hostile.finds {
        let find = Arc::make_mut(find);
        (find.title, find.mime) = (Some(evil.clone()), evil.clone());
    }
    stage.happen(Event::CrawlChanged(Box::new(hostile)));
    for (width, height) in [(140, 40), (80, 24), (33, 9)] {
        for keys in ["", "<Enter>"] {
            stage.keys(keys);
            let cells = stage.drawn(width, height);
            let texts = cells.content.iter().map(|cell| cell.symbol());
            let odd = |s: &str| s.chars().any(|c| c.is_control() || c == '\u{202e}');
            assert!(
                texts.clone().all(|s| !odd(s)),
                "{width}x{height}\n{}",
                stage.screen(width, height)
            );
        }
    }
}

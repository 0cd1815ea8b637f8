//! Tests of discovery results, empty lists, failing sources and failed reads.

use super::*;
use crate::engine::{AccountNote, Discovery, ProcessRole, Status, SyncProgress, Way};
use crate::model::{Pause, PauseReason};

#[test]
fn draws_ways_to_follow_a_url_at_every_size() {
    let at = |hours: i64| now() - TimeDelta::hours(hours);
    let council = "http://council.example/news";
    let news = [
        ("The town hall clock stops for repairs", at(0)),
        ("Public hearing on the footbridge", at(15)),
        ("Budget: second reading", at(26)),
        ("Night buses: a trial of two years", at(50)),
        ("Eleven lime trees for Station Road", at(140)),
    ];
    let ways = || {
        vec![
            Way::sample(council, "Council of Lindenau", Some(("ul.news li > h3 > a", 0.81)), &news),
            Way::sample(
                council,
                "Council of Lindenau",
                Some(("aside.popular a", 0.32)),
                &news[..2],
            ),
            Way::sample("http://council.example/sitemap.xml", "", None, &[]),
        ]
    };
    let tried = [
        "the page announces no feed",
        "there is no feed at /news/feed, /news/feed.xml, /news/rss.xml, /news/atom.xml",
        "the page has 2 possible lists of articles",
    ];
    for (width, height) in SIZES {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys("a");
        stage.happen(Event::Pasted(council.to_owned()));
        stage.keys("<Enter>");
        let request = stage.requested.last().unwrap();
        let request = request.split("request: ").nth(1).unwrap();
        let request: u64 = request.split(',').next().unwrap().parse().unwrap();
        let found = Discovery::sample(council, ways(), &tried);
        stage.happen(Event::Discovered(request, Ok(found)));
        stage.keys("<Down>");
        insta::assert_snapshot!(format!("ways-{width}x{height}"), stage.screen(width, height));
    }
}

#[test]
fn a_narrow_status_line_does_not_show_that_another_process_polls() {
    let status = Status { role: ProcessRole::Watches(Some(7)), ..Status::default() };
    for (width, shown) in [(120, "checked by another newsfed"), (80, ""), (50, ""), (30, "")] {
        let mut stage = Stage::new();
        stage.happen(Event::StatusChanged(status.clone()));
        let screen = stage.screen(width, 15);
        let last = screen.lines().last().unwrap();
        assert!(last.contains(shown) && last.contains("checked") != shown.is_empty(), "{screen}");
    }
}

#[test]
fn an_empty_list_shows_the_reason() {
    let failed = || Outcome::Failed {
        kind: ErrorKind::Permanent,
        message: "news.example has nothing at this URL (HTTP 404)".to_owned(),
    };
    let words = |failing: usize, items: u32| {
        let mut list = source_list();
        for (n, entry) in list.sources.iter_mut().enumerate() {
            entry.facts.fail_count = u32::from(n < failing);
            entry.facts.last_outcome = Some(failed());
            entry.facts.items = items;
        }
        let mut stage = Stage::with(Settings::default(), list, Vec::new());
        stage.screen(120, 20)
    };
    let shows = |screen: String, parts: &[&str]| {
        for part in parts {
            assert!(screen.contains(part), "no {part:?} on\n{screen}");
        }
    };
    shows(words(0, 3), &["✓ You have read everything", "R refresh now", "g a all items"]);
    shows(words(5, 3), &["✓ You have read everything"]);
    // The empty list of one source mentions unread items in other sources.
    let mut list = source_list();
    for (n, entry) in list.sources.iter_mut().enumerate() {
        (entry.facts.items, entry.facts.unread) = (3, if n == 1 { 2 } else { 0 });
    }
    let mut stage = Stage::with(Settings::default(), list, Vec::new());
    stage.app.items.listing.base.scope =
        crate::store::Scope::Sources(vec![stage.app.sources.list.sources[0].facts.key]);
    stage.app.items.listing.base.unread_only = true;
    let screen = stage.screen(120, 20);
    shows(
        screen,
        &["✓ Nothing unread here, but 2 unread items in other sources", "g u unread items of"],
    );
    shows(words(0, 0), &["No items yet", "R refresh now"]);
    shows(words(2, 0), &["! No items yet", "2 of 5 sources failed.", "show what failed and why"]);
}

#[test]
fn an_empty_source_shows_its_error_and_useful_commands() {
    let mut list = source_list();
    let failed = Outcome::Failed { kind: ErrorKind::Permanent, message: "no such host".to_owned() };
    list.sources.truncate(1);
    let facts = &mut list.sources[0].facts;
    (facts.fail_count, facts.items, facts.last_outcome) = (3, 0, Some(failed));
    facts.next_poll = Some(now() + TimeDelta::minutes(4));
    for size in [(120, 20), (60, 12), (24, 8)] {
        let mut stage = Stage::with(Settings::default(), list.clone(), Vec::new());
        let screen = stage.screen(size.0, size.1);
        assert!(screen.contains("No items yet"), "{screen}");
        if size.0 > 60 {
            let parts = ["no such host", "newsfed tried 3 times. The next attempt is in 4 min."];
            assert!(parts.iter().all(|part| screen.contains(part)), "{screen}");
            assert!(screen.contains("r   try again now"), "{screen}");
            // Commands that need a selected source are offered only if a source is selected.
            assert!(!screen.contains("change the source"), "{screen}");
        }
    }
}

#[test]
fn an_empty_source_that_is_paused_offers_to_ignore_the_pause() {
    for (reason, until, shown) in [
        (PauseReason::RetryAfter, now() + TimeDelta::hours(1), "The next attempt is in 1 h."),
        (
            PauseReason::Gone,
            now() + TimeDelta::days(2_900_000),
            "newsfed tried once. It is not checked any more.",
        ),
    ] {
        let mut list = source_list();
        let message = "failed".to_owned();
        list.sources.truncate(1);
        let facts = &mut list.sources[0].facts;
        (facts.fail_count, facts.items, facts.next_poll) = (1, 0, Some(until));
        facts.last_outcome = Some(Outcome::Failed { kind: ErrorKind::Permanent, message });
        facts.pause = Some(Pause { until, reason });
        let screen = Stage::with(Settings::default(), list, Vec::new()).screen(120, 20);
        let words: Vec<&str> = screen.split_whitespace().collect();
        let words = words.join(" ");
        assert!(words.contains(shown), "{screen}");
        assert!(words.contains(":force-refresh try again despite the pause"), "{screen}");
    }
}

#[test]
fn pages_followed_as_feeds_can_be_added_again() {
    let mut list = source_list();
    list.sources.truncate(1);
    let facts = &mut list.sources[0].facts;
    let message = format!("this is not a feed but {}", Outcome::HTML_PAGE);
    (facts.fail_count, facts.items) = (1, 0);
    facts.last_outcome = Some(Outcome::Failed { kind: ErrorKind::Permanent, message });
    let mut stage = Stage::with(Settings::default(), list, Vec::new());
    let screen = stage.screen(120, 36);
    let words: Vec<&str> = screen.split_whitespace().collect();
    let hint = "Remove the source (d) and add its URL again (a)";
    assert!(words.join(" ").contains(hint), "{screen}");
}

#[test]
fn marks_a_website_with_broken_selectors() {
    let mut list = source_list();
    let problem = SelectorProblem {
        since: now() - TimeDelta::days(4),
        what: "no links to articles".to_owned(),
        instead: vec!["p.entry a".to_owned()],
        key: RuleKey::Articles,
    };
    list.sources[4].facts.last_poll = Some(now());
    list.sources[4].facts.website =
        WebsiteFacts { fruitless: BROKEN_AFTER, problem: Some(problem), ..Default::default() };
    let mut stage = Stage::with(Settings::default(), list, item_rows());
    for (width, height, words) in [(80, 24, "✎"), (120, 40, "✎")] {
        let screen = stage.screen(width, height);
        assert!(screen.contains(words), "{screen}");
    }
}

#[test]
fn retries_loading_rhythms_after_an_error() {
    let mut app = Stage::new().app;
    let mut at = |seconds: i64, event: Event| {
        let effects = app.update(event, now() + TimeDelta::seconds(seconds));
        effects.iter().any(|effect| matches!(effect, Effect::Read(Read::Rhythms(_))))
    };
    assert!(!at(1800, Event::TimePassed), "they are known");
    assert!(at(3601, Event::TimePassed), "the days changed");
    assert!(!at(3602, Event::TimePassed), "the reply is outstanding");
    let failed = Event::RhythmsLoaded(Err("the disk is gone".to_owned()));
    assert!(!at(3603, failed), "not at once");
    assert!(!at(3620, Event::TimePassed));
    assert!(at(3640, Event::TimePassed));
}

#[test]
fn the_schedule_dialog_stops_scrolling_at_its_end() {
    let mut stage = Stage::new();
    stage.keys("w");
    let beginning = stage.screen(80, 12);
    stage.keys("G");
    let end = stage.screen(80, 12);
    stage.keys("k");
    let before = stage.screen(80, 12);
    assert!(end != beginning, "{end}");
    assert!(before != end, "one key press goes back a line\n{end}");
}

#[test]
fn draws_statistics_at_every_size() {
    for (width, height) in SIZES {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys(":stats<Enter>");
        assert!(stage.screen(width, height).contains("Counting"), "{width}x{height}");
        stage.happen(Event::StatisticsLoaded(Ok(Box::new(stock::statistics()))));
        insta::assert_snapshot!(format!("stats-{width}x{height}"), stage.screen(width, height));
    }
    let mut stage = Stage::new();
    stage.app.settings.ui.ascii = true;
    stage.screen(80, 24);
    stage.keys(":stats<Enter>");
    stage.happen(Event::StatisticsLoaded(Ok(Box::new(stock::statistics()))));
    insta::assert_snapshot!("stats-ascii", stage.screen(80, 24));
    stage.keys("G");
    let end = stage.screen(80, 24);
    assert!(end.contains("A blog that has stopped  nothing published since"), "{end}");
    stage.keys("<Esc>");
    assert!(!stage.screen(80, 24).contains("Statistics"));
}

#[test]
fn loads_statistics_once_at_a_time() {
    let mut app = Stage::new().app;
    let mut press = |code| {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        let effects = app.update(Event::KeyPressed(key), now());
        effects.iter().filter(|e| matches!(e, Effect::Read(Read::Statistics))).count()
    };
    let reads: Vec<usize> =
        [KeyCode::Char('%'), KeyCode::Esc, KeyCode::Char('%')].map(&mut press).to_vec();
    assert_eq!(reads, [1, 0, 0]);
    app.update(Event::StatisticsLoaded(Err("locked".to_owned())), now());
    assert!(app.dialogs.is_empty(), "the dialog does not wait any longer");
}

#[test]
fn an_empty_list_reports_no_failures() {
    let mut list = source_list();
    list.sources[0].facts.fail_count = 3;
    list.sources[1].facts.items = 40;
    let mut stage = Stage::with(Settings::default(), list, Vec::new());
    stage.keys("ga");
    let screen = stage.screen(120, 30);
    assert!(screen.contains("Nothing here now") && !screen.contains("No items yet"), "{screen}");
}

#[test]
fn the_status_line_shows_which_account_is_not_synchronised() {
    let mut stage = Stage::with(Settings::default(), source_list(), item_rows());
    let note = |problem: Option<&str>, waiting| AccountNote {
        account: "home".to_owned(),
        at: now() - TimeDelta::minutes(3),
        problem: problem.map(str::to_owned),
        waiting,
    };
    for (accounts, expected) in [
        (vec![note(None, 0)], "home synchronised 3 min ago"),
        (vec![note(Some("refused"), 0)], "home not synchronised"),
        (vec![note(Some("away"), 12)], "home not synchronised, 12 marks waiting"),
    ] {
        stage.happen(Event::StatusChanged(Status { accounts, ..Status::default() }));
        let screen = stage.screen(120, 36);
        let last = screen.trim_end().lines().last().unwrap_or_default();
        assert!(last.contains(expected), "{expected}: {last}");
    }
}

#[test]
fn the_status_line_shows_the_first_synchronisation() {
    let mut stage = Stage::with(Settings::default(), source_list(), item_rows());
    for (total, expected) in [(None, "1250 items · home"), (Some(3000), "1250 of 3000")] {
        let progress = SyncProgress { account: "home".to_owned(), items: 1250, total };
        let syncing = Some(progress);
        stage.happen(Event::StatusChanged(Status { syncing, ..Status::default() }));
        let screen = stage.screen(120, 36);
        let last = screen.trim_end().lines().last().unwrap_or_default();
        assert!(last.contains(expected) && last.contains("· home"), "{expected}: {last}");
    }
}

#[test]
fn programs_are_shown_before_they_run() {
    let asked = |stage: &Stage| {
        stage
            .requested
            .iter()
            .filter(|effect| effect.contains("Discover"))
            .cloned()
            .collect::<Vec<_>>()
    };
    let mut stage = Stage::new();
    stage.keys("a");
    stage.happen(Event::Pasted("exec:~/bin/weather 'two words' $(x)".to_owned()));
    stage.keys("<Enter>");
    let screen = stage.screen(120, 40);
    for part in ["without a shell", "  ~/bin/weather", "  two words", "  $(x)", "run program"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(asked(&stage).is_empty(), "nothing runs yet");
    stage.keys("<Esc>");
    assert!(asked(&stage).is_empty(), "nothing ran");
    stage.keys("<Enter><Enter>");
    assert!(asked(&stage)[0].contains("\"two words\", \"$(x)\""), "{:?}", asked(&stage));

    for (typed, part) in [
        (format!("exec:x {}", "y".repeat(500)), "too long"),
        ("exec:".to_owned(), "No program is given"),
        ("filter:x".to_owned(), "filter:PROGRAM"),
    ] {
        let mut stage = Stage::new();
        stage.keys("a");
        stage.happen(Event::Pasted(typed));
        stage.keys("<Enter>");
        let screen = stage.screen(120, 40);
        assert!(screen.contains(part) && asked(&stage).is_empty(), "{screen}");
    }
    let mut stage = Stage::new();
    stage.keys("a");
    stage.happen(Event::Pasted("/home/alice/feed.xml".to_owned()));
    stage.keys("<Enter>");
    assert!(asked(&stage)[0].contains("DiscoverOrigin"), "a file is not a program");
}

#[test]
fn a_wide_window_shows_a_preview_from_the_start() {
    let mut stage = Stage::new();
    assert!(stage.screen(140, 40).contains("Reader"));
    let later = now() + TimeDelta::milliseconds(150);
    for effect in stage.app.update(Event::TimePassed, later) {
        stage.perform(effect);
    }
    let screen = stage.screen(140, 40);
    assert!(screen.contains("Preview") && screen.contains("The merge window"), "{screen}");
    assert!(!screen.contains("Space: next unread"), "the key is one of the focused Reader");
    let mut without = Stage::new();
    without.app.settings.ui.preview = false;
    assert!(!without.screen(140, 40).contains("Reader"));
    assert!(!Stage::new().screen(131, 40).contains("Reader"));
}

#[test]
fn lists_spell_out_the_number_of_comments() {
    let mut rows = item_rows();
    (rows[0].comment_count, rows[0].new_comments) = (Some(7), 2);
    let mut stage = Stage::with(Settings::default(), source_list(), rows);
    stage.app.settings.ui.preview = false;
    assert!(stage.screen(180, 40).contains("7 comments +2"), "{}", stage.screen(180, 40));
    // In a narrow list, the second row has enough space too.
    stage.keys("<Enter>");
    assert!(stage.screen(120, 40).contains("7 comments +2"), "{}", stage.screen(120, 40));
}

#[test]
fn an_empty_list_of_pinned_items_names_the_key() {
    let mut stage = Stage::with(Settings::default(), source_list(), vec![]);
    stage.keys("gp");
    stage.shows("p pins an item. Pinned items stay until unpinned.");
}

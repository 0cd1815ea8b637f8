//! Tests of views of the sources' state, and of key lists: they show everything on small screens too.

use super::*;

/// The text of a screen without borders and line breaks.
fn words(screen: &str) -> String {
    let inside = screen.replace(['│', '╭', '╮', '╰', '╯', '─', '▌'], " ");
    inside.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A list in which the last check of every source failed with this message.
fn failing(message: &str) -> SourceList {
    let mut list = source_list();
    for entry in &mut list.sources {
        entry.facts.last_poll = Some(now() - TimeDelta::minutes(5));
        entry.facts.last_outcome =
            Some(Outcome::Failed { kind: ErrorKind::Permanent, message: message.to_owned() });
    }
    list
}

#[test]
fn shows_the_whole_error_at_every_size() {
    let error = "notes.kernel.example did not respond completely within 30 s, and the part that was \
        received is not a feed";
    for (width, height) in [(120, 36), (80, 24), (50, 15), (40, 12)] {
        let mut stage = Stage::with(Settings::default(), failing(error), item_rows());
        stage.keys("V");
        stage.keys("gg");
        let screen = stage.screen(width, height);
        assert!(words(&screen).contains(error), "{width}x{height}\n{screen}");
        // The full name is shown below the list where the column truncates it.
        let selected = screen.lines().find(|line| line.contains('▌')).unwrap();
        assert_eq!(selected.contains("Kernel notes and other"), width > 60, "{screen}");
        assert_eq!(words(&screen).contains("Kernel notes and other things: "), width < 100);
    }
}

/// A failed check some minutes ago.
fn failed(source: &str, minutes: i64, message: &str) -> (SourceId, PollRecord) {
    let outcome = Outcome::Failed { kind: ErrorKind::Permanent, message: message.to_owned() };
    let poll = PollRecord {
        at: now() - TimeDelta::minutes(minutes),
        status: None,
        millis: 5,
        requests: 1,
        bytes: 0,
        outcome,
        repairs: vec![],
        left_out: vec![],
    };
    (SourceId(source.to_owned()), poll)
}

#[test]
fn the_log_shows_failures_like_the_last_checks() {
    let mut stage = Stage::with(Settings::default(), failing("no such host"), item_rows());
    let row = |stage: &mut Stage| {
        let screen = stage.screen(120, 36);
        let line = screen.lines().find(|line| line.contains("no such host")).unwrap().to_owned();
        line.trim_matches(['│', '▌', ' ']).to_owned()
    };
    stage.keys("V");
    let check = row(&mut stage);
    assert!(check.contains("✗ ") && check.contains("5m  no such host"), "{check}");
    stage.keys("<Esc>v");
    let source = stage.app.sources.list.sources[0].source.id.to_string();
    stage.happen(Event::LogLoaded(Ok(vec![failed(&source, 5, "no such host")])));
    assert_eq!(row(&mut stage), check);
}

#[test]
fn a_source_without_items_shows_its_earlier_failures() {
    let mut list = failing("no such host");
    list.sources.truncate(1);
    (list.sources[0].facts.fail_count, list.sources[0].facts.items) = (3, 0);
    let (key, id) = (list.sources[0].facts.key, list.sources[0].source.id.to_string());
    let mut stage = Stage::with(Settings::default(), list, Vec::new());
    stage.requested.clear();
    stage.keys("gsG");
    let asks = format!("Failures({key})");
    assert!(stage.requested.iter().any(|effect| effect.contains(&asks)), "{:?}", stage.requested);
    let polls = [(5, "no such host"), (65, "the server refused"), (190, "timed out")];
    let polls = polls.map(|(minutes, message)| failed(&id, minutes, message)).to_vec();
    stage.happen(Event::FailuresLoaded(key, Ok(polls)));
    let screen = stage.screen(120, 36);
    assert!(screen.contains("✗  1h  the server refused"), "{screen}");
    assert!(screen.contains("✗  3h  timed out"), "{screen}");
    assert_eq!(screen.matches("no such host").count(), 1, "{screen}");
}

#[test]
fn check_names_leave_most_of_the_row_to_results() {
    for (width, height) in [(80, 24), (50, 15)] {
        let error = "kernel.example asks for a pause";
        let mut stage = Stage::with(Settings::default(), failing(error), item_rows());
        stage.keys("V");
        let screen = stage.screen(width, height);
        let at = row_of(&screen, "5m  kernel.exa");
        let line: Vec<char> = screen.lines().nth(at).unwrap().chars().collect();
        let start = line.windows(4).position(|part| part.iter().collect::<String>() == "5m  ");
        assert!(start.unwrap() < usize::from(width) / 2 - 2, "{screen}");
    }
}

/// The popup with the keys that can follow `g`.
fn sheet(stage: &mut Stage, size: (u16, u16)) -> String {
    stage.screen(size.0, size.1);
    stage.keys("g");
    stage.app.update(Event::TimePassed, now() + TimeDelta::milliseconds(400));
    stage.screen(size.0, size.1)
}

#[test]
fn the_popup_of_keys_is_complete_at_every_size() {
    for size in [(120, 36), (80, 24), (50, 15), (40, 12), (50, 10)] {
        let screen = sheet(&mut Stage::new(), size);
        let next = ["g  top", "e  end", "u  All", "q  queue", "n  new", "r  reader", "/  search"];
        for words in next.iter().chain(&["d  downloads", "c  crawls"]) {
            assert!(screen.contains(words), "{words} at {size:?}\n{screen}");
        }
    }
    // Labels are not truncated where there is space.
    let screen = sheet(&mut Stage::new(), (50, 15));
    assert!(screen.contains("new since last time"), "{screen}");
    // On a very short screen, the popup shows how many keys are missing.
    let screen = sheet(&mut Stage::new(), (20, 6));
    assert!(screen.contains(" 11 more"), "{screen}");
}

#[test]
fn the_empty_search_hint_fits_on_one_line() {
    for (width, height) in [(120, 36), (80, 24), (60, 20), (50, 15), (40, 12)] {
        let mut stage = Stage::new();
        stage.screen(width, height);
        stage.keys("/");
        let screen = stage.screen(width, height);
        let hint = screen.lines().filter(|line| line.contains("Tab lists all"));
        assert_eq!(hint.count(), 1, "{width}x{height}\n{screen}");
        assert!(screen.contains("is:unread"), "{width}x{height}\n{screen}");
        let foot = screen.lines().last().unwrap();
        assert!(foot.contains("Enter") && foot.contains("Esc back"), "{width}x{height}\n{screen}");
    }
}

/// Draws the schedule dialog of a source.
fn schedule(report: ScheduleReport, size: (u16, u16)) -> String {
    let mut stage = Stage::new();
    stage.screen(size.0, size.1);
    stage.keys("w");
    let source = stage.app.selected_source().unwrap();
    stage.happen(Event::WhyLoaded(source, Ok(Box::new(report))));
    stage.screen(size.0, size.1)
}

#[test]
fn the_timeline_shows_checks_just_before_and_after_now() {
    for size in [(120, 36), (80, 24)] {
        let mut report = *report();
        (report.week, report.habits, report.limits) = (vec![], vec![], vec![]);
        report.checks.truncate(1);
        report.checks[0].at = now() - TimeDelta::seconds(20);
        report.coming = vec![now() + TimeDelta::seconds(40)];
        let screen = schedule(report.clone(), size);
        let line = screen.lines().find(|line| line.contains('┃'));
        assert!(line.is_some_and(|line| line.contains("●┃◇")), "{size:?}\n{screen}");
        // The legend lists only the symbols on the timeline.
        let legend = screen.lines().find(|line| line.contains("Checks   ")).unwrap();
        assert!(legend.contains("● new   ◇ planned"), "{screen}");
        assert!(!legend.contains("unchanged") && !legend.contains("failed"), "{screen}");
        report.coming.clear();
        assert!(!schedule(report, size).contains("planned"));
    }
}

#[test]
fn the_timeline_prefers_checks_with_new_items() {
    let mut report = *report();
    let (new, nothing) = (report.checks[0].clone(), report.checks[1].clone());
    let at =
        |check: &Check, seconds| Check { at: now() - TimeDelta::seconds(seconds), ..check.clone() };
    report.checks = vec![at(&nothing, 10), at(&new, 20), at(&nothing, 30)];
    let screen = schedule(report, (120, 36));
    assert!(screen.lines().any(|line| line.contains("●┃")), "{screen}");
    assert!(screen.contains("Checks   ● new"), "{screen}");
}

#[test]
fn a_long_schedule_has_a_scroll_bar() {
    assert!(schedule(*report(), (80, 24)).contains('▐'));
    let low = schedule(*report(), (50, 15));
    assert!(low.contains('▐'), "{low}");
    let mut short = *report();
    (short.week, short.checks) = (vec![], vec![]);
    let screen = schedule(short, (80, 24));
    assert!(!screen.contains('▐'), "{screen}");
}

#[test]
fn a_long_form_has_a_scroll_bar() {
    let screen = settings("", (80, 24)).screen(80, 24);
    assert!(!screen.contains("Sources pane  ") && screen.contains('▐'), "{screen}");
    let screen = settings("", (120, 36)).screen(120, 36);
    assert!(screen.contains("Sources pane  ") && !screen.contains('▐'), "{screen}");
    let mut stage = settings("", (80, 24));
    stage.keys(&"<Down>".repeat(14));
    let screen = stage.screen(80, 24);
    assert!(screen.contains("Sources pane  "), "{screen}");
}

#[test]
fn settings_are_on_the_expected_pages() {
    let mut stage = settings("", (120, 36));
    let mut page = |name: &str| {
        let mut presses = 0;
        loop {
            let screen = stage.screen(120, 36);
            let tabs = row_of(&screen, "Appearance");
            let under = screen.lines().nth(tabs + 1).unwrap();
            let at = under.chars().position(|c| c == '━').unwrap();
            let open: String = screen.lines().nth(tabs).unwrap().chars().skip(at).collect();
            if open.starts_with(name) {
                return screen;
            }
            presses += 1;
            assert!(presses < 20, "{screen}");
            stage.keys("<C-n>");
        }
    };
    assert!(!page("Keys").contains("Log level"));
    assert!(page("Network").contains("Log level"));
}

#[test]
fn names_the_period_of_the_statistics_once() {
    for (width, height) in [(120, 36), (80, 24), (50, 15)] {
        let mut stage = Stage::new();
        stage.keys("%");
        stage.happen(Event::StatisticsLoaded(Ok(Box::new(stock::statistics()))));
        let screen = stage.screen(width, height);
        assert_eq!(screen.matches("12 weeks").count(), 1 + screen.matches("12 weeks ago").count());
        assert!(screen.contains("from 2 sources"), "{screen}");
    }
}

#[test]
fn indents_sources_only_before_one_without_a_folder() {
    let indented = |list: SourceList| {
        let mut stage = Stage::with(Settings::default(), list, item_rows());
        let screen = stage.screen(80, 12);
        let line = screen.lines().find(|line| line.contains("▪ council")).unwrap().to_owned();
        line.find('▪').unwrap() - screen.lines().find_map(|line| line.find("▾ City")).unwrap()
    };
    assert_eq!(indented(source_list()), 2);
    let mut list = source_list();
    list.sources.truncate(4);
    assert_eq!(indented(list), 0);
}

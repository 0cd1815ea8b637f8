//! `schedule why` and `schedule simulate`.

use super::{World, feed};
use newsfed::demo::server::Reply;
use newsfed::store::{Poller, PollerLock};
use std::io::Write;

/// Polls at a fixed interval of an hour, without learning.
const FIXED: &[&str] = &["--set", "schedule.policy=fixed"];

/// Timelines of four weeks with an item every three hours.
fn timelines() -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let times: Vec<i64> = (0..224).map(|n| 1_700_000_000 + n * 10_800 + n * 97 % 600).collect();
    let (start, end) = (1_700_000_000, 1_700_000_000 + 28 * 86_400);
    writeln!(file, "{}", serde_json::json!({ "id": "a", "start": start, "end": end, "t": times }))
        .unwrap();
    file
}

#[test]
fn why_names_the_limit_that_postpones_a_poll() {
    let world = World::new(|request| match request.path.as_str() {
        "/held.xml" => feed("Held", &["x"]).header("cache-control", "max-age=10000"),
        "/kernel.xml" => feed("Kernel", &["x"]).header("etag", "\"1\""),
        _ => Reply::status(410),
    });
    for path in ["/held.xml", "/kernel.xml"] {
        world.run(&[FIXED, &["add", &world.server.url(path)]].concat()).ok();
    }
    let text = world.run(&[FIXED, &["schedule", "why", "Held"]].concat()).ok();
    assert!(text.contains("postponed to") && text.contains("(Cache-Control max-age)"), "{text}");
    assert!(text.contains("in 2 h") && text.contains("1 new, 0 updated"), "{text}");
    let free = world.run(&[FIXED, &["schedule", "why", "Kernel"]].concat()).ok();
    assert!(!free.contains("postponed to"), "{free}");
    assert_eq!(
        free.lines().filter(|l| l.contains("Mon ▒") || l.contains("Sun ▒")).count(),
        2,
        "{free}"
    );
    let shape = world.run(&["--json", "schedule", "why", "Held"]).values().remove(0);
    assert_eq!(shape["planned"]["moved_by"][0]["reason"], "max-age");
    assert_eq!(
        (&shape["spent"]["requests"], shape["week"].as_array().unwrap().len()),
        (&1.into(), 168)
    );
    assert_eq!(shape["polls_saved"], 0, "a fixed interval starts with a poll too");
    let coming = shape["coming"].as_array().unwrap();
    assert_eq!((coming.len(), &coming[0]), (5, &shape["next_poll"]));
    let missing = world.run(&["schedule", "why", "nothing"]);
    assert_eq!(missing.code, Some(1));
}

#[test]
fn why_reports_that_newsfed_is_not_running() {
    let world = World::usual();
    world.run_with(&["import", "--private", "-"], &world.server.url("/kernel.xml")).ok();
    let list = world.run(&["--json", "sources"]).values();
    let id = list[0]["id"].as_str().unwrap();
    let why = |args: &[&str]| world.run(&[&["schedule", "why", id], args].concat());
    let text = why(&[]).ok();
    for line in [
        "rate       nothing known yet",
        "state      not checked yet",
        "next       now, but newsfed is not running: start `newsfed daemon` or the interface",
    ] {
        assert!(text.lines().any(|l| l == line), "{text}");
    }
    assert!(!text.contains("week"), "{text}");
    let database = world.path().join("data/newsfed.db");
    let lock = PollerLock::acquire(&database).unwrap();
    assert!(matches!(lock, Poller::Mine(_)));
    let text = why(&[]).ok();
    assert!(text.lines().any(|l| l == "next       now"), "{text}");
    assert_eq!(why(&["--json"]).values()[0]["polling"], true);
    drop(lock);
    assert_eq!(why(&["--json"]).values()[0]["polling"], false);
    world.run(&["sync"]).ok();
    let text = why(&[]).ok();
    assert!(text.contains(", but newsfed is not running") && !text.contains("never"), "{text}");
    assert!(text.contains(" by then"), "{text}");
    let hours = text.lines().skip_while(|l| !l.starts_with("week")).nth(1).unwrap();
    assert_eq!(hours, "           00 03 06 09 12 15 18 21", "above the hours of the days");
    let saved = text.lines().find(|l| l.starts_with("this week")).unwrap();
    assert!(saved.starts_with("this week  1 check, 1 request, "), "{saved}");
}

/// A feed with an item every two hours, up to now.
fn two_hourly() -> Reply {
    let now = chrono::Utc::now();
    let items: String = (0..200)
        .map(|n| {
            let date = (now - chrono::TimeDelta::minutes(120 * n + 7)).to_rfc2822();
            format!(
                "<item><title>{n}</title><guid isPermaLink=\"false\">{n}</guid>\
                 <pubDate>{date}</pubDate></item>"
            )
        })
        .collect();
    let text =
        format!("<rss version=\"2.0\"><channel><title>Kernel</title>{items}</channel></rss>");
    Reply::ok("application/rss+xml", text).header("etag", "\"1\"")
}

#[test]
fn gives_and_applies_advice() {
    let world = World::new(|_| two_hourly());
    world.run(&["add", &world.server.url("/kernel.xml"), "--folder", "Tech"]).ok();
    let young = world.run(&["schedule", "advise"]);
    assert_eq!(young.out, "", "{young:?}");
    // Sets the discovery time of each item to its date.
    let database = rusqlite::Connection::open(world.path().join("data/newsfed.db")).unwrap();
    assert_eq!(database.execute("UPDATE item SET discovered = date", []).unwrap(), 200);
    drop(database);
    let held = ["--set", "schedule.min_interval=8h"];
    let run = |args: &[&str]| world.run(&[&held, args].concat());
    let found = run(&["--json", "schedule", "advise"]).values().remove(0);
    let advice = &found["advice"][0];
    assert_eq!(advice["key"], "schedule.min_interval", "{found}");
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let (before, after) = (&advice["now"], &advice["then"]);
    assert!(number(&before["mean_delay_min"]) > 2.0 * number(&after["mean_delay_min"]), "{found}");
    assert!(number(&before["polls_per_day"]) < 3.1, "{found}");
    let folder = &found["folders"][0];
    assert_eq!((&folder["name"], &folder["sources"]), (&"Tech".into(), &1.into()), "{found}");
    assert!((number(&folder["mean_gap_min"]) - 120.0).abs() < 1.0, "{found}");
    assert!(number(&folder["deviation_min"]) < 1.0, "{found}");
    let text = run(&["schedule", "advise"]).ok();
    assert!(
        text.contains("later than necessary; min_interval = \"") && text.contains("Tech"),
        "{text}"
    );
    let id = advice["source"].as_str().unwrap();
    run(&["schedule", "advise", "--apply", id]).ok();
    let file = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    let value = advice["value"].as_str().unwrap();
    assert!(file.contains(&format!("min_interval = \"{value}\"")), "{file}");
    let after = run(&["--json", "schedule", "advise"]).values().remove(0);
    assert_eq!(after["advice"], serde_json::json!([]), "{after}");
    let again = run(&["schedule", "advise", "--apply", id]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.err.contains("no change is advised for"), "{again:?}");
}

#[test]
fn simulate_compares_policies_on_a_file() {
    let world = World::usual();
    let file = timelines();
    let path = file.path().to_str().unwrap();
    let run = |args: &[&str]| {
        let all = [&["--json", "schedule", "simulate"], args, &[path]].concat();
        let run = world.run(&all);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.values().remove(0)
    };
    let number = |value: &serde_json::Value, key: &str| value[key].as_f64().unwrap();
    for policy in ["fixed", "change-rate", "advarss", "learned"] {
        let found = run(&["--policy", policy, "--budget", "24"]);
        assert_eq!((&found["policy"], &found["items"]), (&policy.into(), &224.into()));
        let polls = number(&found, "polls_per_source_day");
        assert!((23.0..25.0).contains(&polls), "{policy}: {found}");
        assert!(number(&found, "mean_delay_min") < 60.0);
    }
    let fixed = run(&["--policy", "fixed"]);
    assert!((number(&fixed, "polls_per_source_day") - 24.0).abs() < 0.1);
    let controlled = run(&["--budget", "24", "--price-start", "3", "--weekly"]);
    assert_eq!(controlled["weekly"].as_array().unwrap().len(), 4);
    assert!(number(&run(&["--phase", "day1"]), "items") < 10.0);
    let first = run(&["--phase", "day1", "--budget", "24", "--price-start", "3", "--weekly"]);
    assert!(number(&first, "items") < 10.0, "{first}");
    assert_eq!(first["weekly"], controlled["weekly"]);
    let dark = run(&["--budget", "24", "--no-dates"]);
    let light = run(&["--budget", "24"]);
    assert!(number(&dark, "mean_delay_min") > number(&light, "mean_delay_min"));
    let text = world.run(&["schedule", "simulate", path]).ok();
    assert!(text.contains("polls per source per day") && text.contains("mean delay"), "{text}");
}

#[test]
fn simulate_uses_the_settings_and_the_limits() {
    let world = World::usual();
    let file = timelines();
    let polls = |set: &str, args: &[&str]| {
        let path = file.path().to_str().unwrap();
        let all = [&["--json", "--set", set, "schedule", "simulate"], args, &[path]].concat();
        let run = world.run(&all);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.values().remove(0)["polls_per_source_day"].as_f64().unwrap()
    };
    let usual = "schedule.interval=1h";
    let advarss = ["--policy", "advarss"];
    let with_limits = ["--policy", "advarss", "--limits", "on"];
    let change_rate = ["--policy", "change-rate"];
    let base = polls(usual, &advarss);
    assert!(polls("schedule.advarss_tick=16m", &advarss) < 0.9 * base);
    assert!(polls("schedule.advarss_cap=2", &advarss) > 1.2 * base);
    assert!(
        polls("schedule.change_rate_target=0.1", &change_rate) > 1.2 * polls(usual, &change_rate)
    );
    let live = polls(usual, &with_limits);
    assert!((0.95..1.05).contains(&(live / base)), "no floor of its own: {live} {base}");
    assert!(polls("schedule.min_interval=4h", &with_limits) < 6.1);
    assert!(polls("schedule.quiet_hours=20:00-08:00", &with_limits) < 0.7 * live);
    assert!(
        polls("schedule.quiet_hours=20:00-08:00", &advarss) > 0.99 * base,
        "not without limits"
    );
    let learned = ["--rules", "on", "--budget", "6"];
    assert!((5.7..6.3).contains(&polls(usual, &learned)));
}

#[test]
fn simulate_needs_a_day_of_history() {
    let world = World::followed();
    let young = world.run(&["schedule", "simulate", "--from-db"]);
    assert_eq!((young.code, young.out.as_str()), (Some(1), ""), "{young:?}");
    let summary = "followed for less than a minute and have published 0 items in that time; at \
        least a day and 2 items";
    assert!(young.err.contains(summary), "{young:?}");
    world.followed_for_days(2);
    let text = world.run(&["schedule", "simulate", "--from-db"]).ok();
    assert!(text.contains("sources                      2"), "{text}");
}

#[test]
fn simulate_reports_unusable_input() {
    let world = World::usual();
    let mut bad = tempfile::NamedTempFile::new().unwrap();
    bad.write_all(b"{\"start\": 1}").unwrap();
    let bad = bad.path().to_str().unwrap();
    for (args, code, want) in [
        (&["/nowhere/at/all"][..], 1, "/nowhere/at/all"),
        (&[bad], 1, "line 1: missing field"),
        (&[], 2, "FILE"),
        (&["--budget", "1000", bad], 2, "0.1 to 280"),
        (&["--from-db"], 1, "no source has published anything yet"),
    ] {
        let run = world.run(&[&["schedule", "simulate"], args].concat());
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.err.contains(want), "{run:?}");
    }
    let file = timelines();
    let path = file.path().to_str().unwrap();
    for args in [&["--weekly", path][..], &["--synthetic", "jump", "--budget", "24"]] {
        let run = world.run(&[&["schedule", "simulate", "--policy", "fixed"], args].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
    }
    for flag in [&["--phase", "day1"][..], &["--weekly"], &["--price-start", "3"], &["--no-dates"]]
    {
        let made = ["schedule", "simulate", "--synthetic", "jump"];
        let run = world.run(&[&made, flag].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("cannot be used with"), "{run:?}");
    }
}

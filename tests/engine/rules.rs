//! Rules with effects outside the database: notifications and commands, once for each refresh.

use super::*;
use newsfed::config::{FileChange, NotifyWay, RuleSettings};
use newsfed::store::RuleRecord;
use std::sync::atomic::{AtomicBool, Ordering};

fn rule(query: &str, effects: &[&str], run: &[String]) -> RuleSettings {
    RuleSettings {
        name: "Releases".to_owned(),
        query: query.to_owned(),
        effects: effects.iter().map(|effect| (*effect).to_owned()).collect(),
        run: run.to_vec(),
        ..RuleSettings::default()
    }
}

/// The record of the only rule; empty if there is none.
fn record_in(store: &Store) -> RuleRecord {
    store.reader().unwrap().rule_records().unwrap().pop().unwrap_or_default()
}

fn record(engine: &Handle) -> RuleRecord {
    record_in(engine.store())
}

/// A server with feeds that list one old item until new items are published.
fn renewed(
    news: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> (Server, impl Fn() + Send + Sync) {
    let is_on = Arc::new(AtomicBool::new(false));
    let on = is_on.clone();
    let server = Server::start(move |request| match on.load(Ordering::SeqCst) {
        true => news(&request.path),
        false => feed(&[("0", "old v0")]),
    });
    (server.unwrap(), move || is_on.store(true, Ordering::SeqCst))
}

/// Polls the sources twice, and publishes new items in between.
async fn sync_news(engine: &Handle, news: impl Fn()) {
    sync(engine, Pace::Manual).await;
    news();
    sync(engine, Pace::Manual).await;
}

const HOSTILE: &str = "--v3 $(touch hacked) \"it's\" &#x202e; v";

#[cfg(unix)]
#[tokio::test]
async fn runs_commands_per_item_and_notifies_once() {
    let (server, news) = renewed(|path| match path {
        "/a" => feed(&[("1", "v1"), ("2", "other")]),
        _ => feed(&[("3", "v2"), ("4", HOSTILE)]),
    });
    let mut home = Home::with(&[source("a", &server.url("/a")), source("b", &server.url("/b"))]);
    let out = home.dir.path().join("out");
    // Each command writes only once, because two commands run concurrently.
    let script = "read -r item; printf '%s|%s\\n' \"$1\" \"$item\" >> OUT; echo bad >&2; exit 2";
    let script = script.replace("OUT", &out.display().to_string());
    let argv = ["sh", "-c", &script, "sh", "{title}"].map(str::to_owned);
    home.settings.rules = vec![rule("v OR title:/v[0-9]/", &["notify", "run", "pin"], &argv)];
    let engine = home.on_demand().await;
    let mut messages = engine.notifications();
    sync(&engine, Pace::Manual).await;
    soon(engine.announced()).await;
    assert!(messages.try_recv().is_err() && !out.exists(), "the first document is not news");
    assert_eq!((record(&engine).items, record(&engine).ran), (2, 0));
    news();
    sync(&engine, Pace::Manual).await;
    soon(engine.announced()).await;
    let message = messages.try_recv().unwrap();
    assert!(message.text.starts_with("3 items: Releases: "), "{message:?}");
    assert!(messages.try_recv().is_err(), "one message for all sources");
    let written = std::fs::read_to_string(&out).unwrap();
    let mut lines: Vec<&str> = written.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 3, "{written}");
    let title = " --v3 $(touch hacked) \"it's\" v";
    let (first, json) = lines[0].split_at(title.len());
    assert_eq!(first, title, "one argument, and no option");
    let item: serde_json::Value = serde_json::from_str(&json[1..]).unwrap();
    assert_eq!(
        (item["rule"].as_str(), item["title"].as_str()),
        (Some("Releases"), Some(title.trim()))
    );
    assert_eq!((item["source"].as_str(), item["source_title"].as_str()), (Some("b"), Some("Feed")));
    let done = record(&engine);
    assert_eq!((done.items, done.notified, done.ran), (5, 3, 3));
    let commands = done.commands.unwrap();
    assert_eq!((commands.ok, commands.failed, commands.skipped), (0, 3, 0));
    assert_eq!(
        (commands.status.as_str(), commands.error.as_deref()),
        ("exit status: 2", Some("bad"))
    );
    // Without new items, there is no notification. Applying a rule to stored items only sets marks.
    sync(&engine, Pace::Manual).await;
    let stored = newsfed::engine::rule_of(&home.settings.rules[0]).unwrap();
    engine.undo_rule("Releases".to_owned()).await.unwrap();
    let marks = engine.apply_rule(stored, View::of(Scope::All)).await.unwrap();
    soon(engine.announced()).await;
    assert!(marks.items() == 6 && messages.try_recv().is_err());
    assert_eq!(std::fs::read_to_string(&out).unwrap(), written);
    assert_eq!((record(&engine).items, record(&engine).ran), (6, 0));
    engine.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn limits_commands_and_notifies_without_the_interface() {
    let names: Vec<String> = (1..131).map(|n| n.to_string()).collect();
    let entries: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), n.as_str())).collect();
    let document = rss(&entries);
    let (server, news) = renewed(move |_| Reply::ok("application/rss+xml", document.clone()));
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    let out = home.dir.path().join("message");
    home.settings.rules = vec![rule("is:unread", &["run", "notify"], &["true".to_owned()])];
    let script = format!("printf '%s|' \"$@\" >> {}", out.display());
    home.settings.notify.command =
        ["sh", "-c", &script, "sh", "{title}", "{text}"].map(str::to_owned).to_vec();
    let engine = home.on_demand().await;
    sync_news(&engine, news).await;
    soon(engine.announced()).await;
    let message = std::fs::read_to_string(&out).unwrap();
    assert!(message.starts_with("newsfed|130 items: Releases: "), "{message}");
    let commands = record(&engine).commands.unwrap();
    assert_eq!((commands.ok, commands.failed, commands.skipped), (100, 0, 30));
    engine.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn records_only_successful_notifications_and_commands() {
    let list = |argv: &[&str]| argv.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
    // (kind of notifications, notification command, command of the rule, expected: items notified, run and
    // failed)
    for (how, notify, run, expected) in [
        (NotifyWay::None, &["true"][..], &["true"][..], (0, 2, 0)),
        (NotifyWay::Command, &["true"], &["false"], (2, 2, 2)),
        (NotifyWay::Command, &["false"], &["/no/such/command"], (0, 0, 2)),
        (NotifyWay::Command, &[], &["true"], (0, 2, 0)),
    ] {
        let (server, news) = renewed(|_| feed(&[("1", "v1"), ("2", "v2")]));
        let mut home = Home::with(&[source("a", &server.url("/a"))]);
        home.settings.rules = vec![rule("title:/v[1-9]/", &["notify", "run"], &list(run))];
        (home.settings.notify.how, home.settings.notify.command) = (how, list(notify));
        let engine = home.on_demand().await;
        sync_news(&engine, news).await;
        soon(engine.announced()).await;
        let done = record(&engine);
        let failed = done.commands.unwrap().failed;
        assert_eq!((done.notified, done.ran, failed), expected, "{how:?} {notify:?} {run:?}");
        engine.shutdown().await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn counts_commands_that_were_stopped_or_never_started() {
    let (server, news) =
        renewed(|_| feed(&[("1", "v1"), ("2", "v2"), ("3", "v3"), ("4", "v4"), ("5", "v5")]));
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    let out = home.dir.path().join("out");
    let script = format!("echo begun >> {}; exec sleep 600", out.display());
    let run = ["sh", "-c", &script].map(str::to_owned);
    let rule = rule("title:/v[1-9]/", &["run"], &run);
    home.settings.rules = vec![RuleSettings { run_limit: Some(HOUR), ..rule }];
    let engine = home.on_demand().await;
    sync_news(&engine, news).await;
    let begun = async {
        while std::fs::read_to_string(&out).unwrap_or_default().lines().count() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(begun).await;
    assert_eq!(record(&engine), RuleRecord::default(), "nothing before the end of a command");
    soon(engine.shutdown()).await;
    let done = record_in(&home.store());
    let commands = done.commands.unwrap();
    assert_eq!(commands.status, "stopped because newsfed exited");
    assert_eq!((done.ran, commands.ok, commands.failed, commands.skipped), (2, 0, 2, 3));
}

/// Items that are found while the command of their rule is running wait for it, so that a slow rule does not
/// block others.
#[cfg(unix)]
#[tokio::test]
async fn a_slow_rule_command_does_not_delay_other_rules() {
    let step = Arc::new(std::sync::atomic::AtomicUsize::new(1));
    let served = step.clone();
    let server = Server::start(move |_| {
        let step = served.load(std::sync::atomic::Ordering::SeqCst);
        feed(&[("0", "x"), ("1", "a1"), ("2", "a2"), ("3", "b1")][..step])
    })
    .unwrap();
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    let (out, pipe) = (home.dir.path().join("out"), home.dir.path().join("pipe"));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let named = |name: &str, script: String| {
        let run = ["sh", "-c", &script].map(str::to_owned);
        let rule = rule(&format!("title:/^{name}/"), &["run"], &run);
        RuleSettings { name: name.to_owned(), run_limit: Some(HOUR), ..rule }
    };
    let (to, from) = (out.display(), pipe.display());
    home.settings.rules = vec![
        named("a", format!("echo a >> {to}; read line < {from}")),
        named("b", format!("echo b >> {to}")),
    ];
    let engine = home.on_demand().await;
    let lines = || std::fs::read_to_string(&out).unwrap_or_default();
    let has_run = |name: &'static str| async move {
        while !lines().contains(name) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    for n in 1..=4 {
        step.store(n, std::sync::atomic::Ordering::SeqCst);
        sync(&engine, Pace::Force).await;
        match n {
            2 => soon(has_run("a")).await,
            4 => soon(has_run("b")).await,
            _ => {}
        }
    }
    assert_eq!(lines(), "a\nb\n");
    // Writing to the pipe blocks until the pipe has a reader.
    let release = |pipe: std::path::PathBuf| {
        tokio::task::spawn_blocking(move || std::fs::write(pipe, "x\n").unwrap())
    };
    soon(release(pipe.clone())).await.unwrap();
    soon(has_run("b\na")).await;
    soon(release(pipe)).await.unwrap();
    soon(engine.announced()).await;
    assert_eq!(lines(), "a\nb\na\n");
    engine.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn commands_run_even_if_their_results_cannot_be_recorded() {
    let names: Vec<String> = (1..60).map(|n| format!("{n}")).collect();
    let entries: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), n.as_str())).collect();
    let document = rss(&entries);
    let (server, news) = renewed(move |_| Reply::ok("application/rss+xml", document.clone()));
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    let out = home.dir.path().join("out");
    let command = |word: &str| {
        let script = format!("echo {word} >> {}", out.display());
        ["sh", "-c", &script].map(str::to_owned)
    };
    let named = |name: &str| {
        let rule = rule("title:/^[0-9]/", &["notify", "run"], &command(name));
        RuleSettings { name: name.to_owned(), ..rule }
    };
    home.settings.rules = vec![named("first"), named("second")];
    let engine = home.on_demand().await;
    let _messages = engine.notifications();
    sync(&engine, Pace::Manual).await;
    news();
    // The record of the rule `first` and the effects of notifications cannot be written.
    let database = rusqlite::Connection::open(home.paths().database()).unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON memo WHEN new.name LIKE '%first'
            BEGIN SELECT RAISE(ABORT, 'refused'); END;
        CREATE TRIGGER refuse_too BEFORE INSERT ON rule_effect WHEN new.effect = 'notify'
            BEGIN SELECT RAISE(ABORT, 'refused'); END;";
    database.execute_batch(refuse).unwrap();
    sync(&engine, Pace::Manual).await;
    soon(engine.announced()).await;
    let written = std::fs::read_to_string(&out).unwrap();
    let ran = |word: &str| written.lines().filter(|line| *line == word).count();
    assert_eq!((ran("first"), ran("second")), (59, 41), "the limit is 100");
    let records = engine.store().reader().unwrap().rule_records().unwrap();
    let second = records.iter().find(|record| record.rule == "second").unwrap();
    let commands = second.commands.as_ref().unwrap();
    assert_eq!((commands.ok, commands.skipped), (41, 18));
    engine.shutdown().await;
}

#[tokio::test]
async fn notifies_about_new_items_of_a_source_followed_again() {
    let (server, news) = renewed(|_| feed(&[("1", "v1")]));
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    home.settings.rules = vec![rule("title:/v[1-9]/", &["notify"], &[])];
    let engine = home.following().await;
    let mut messages = engine.notifications();
    settled(&engine).await;
    engine.edit(FileChange::Remove(vec![SourceId("a".to_owned())])).await.unwrap();
    news();
    let discovery = engine.discover(&server.url("/a")).await.unwrap();
    engine.follow(discovery, 0, None, None).await.unwrap();
    let message = soon(messages.recv()).await.unwrap();
    assert_eq!(message.text, "1 item: Releases: v1");
    engine.shutdown().await;
}

fn hook(name: &str, script: &str) -> newsfed::config::HookSettings {
    newsfed::config::HookSettings {
        name: name.to_owned(),
        after: newsfed::config::HookAfter::Arrival,
        run: ["sh", "-c", script].map(str::to_owned).to_vec(),
        limit: None,
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_slow_hook_receives_later_items_in_its_next_run() {
    let polls = std::sync::atomic::AtomicUsize::new(1);
    let names: Vec<String> = (0..9).map(|n| n.to_string()).collect();
    let server = Server::start(move |_| {
        let count = polls.fetch_add(1, Ordering::SeqCst);
        let items: Vec<_> = names[..count].iter().map(|n| (n.as_str(), n.as_str())).collect();
        feed(&items)
    });
    let server = server.unwrap();
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    let out = home.dir.path().join("out");
    let script = "echo start >> OUT; cat >> OUT; while [ ! -e OUT.go ]; do sleep 0.02; done; \
                  echo end >> OUT";
    let script = script.replace("OUT", &out.display().to_string());
    home.settings.hooks = vec![hook("slow", &script)];
    let engine = home.on_demand().await;
    let lines = || -> Vec<String> {
        let text = std::fs::read_to_string(&out).unwrap_or_default();
        let line = |line: &str| match serde_json::from_str::<serde_json::Value>(line) {
            Ok(item) => item["title"].as_str().unwrap_or_default().to_owned(),
            Err(_) => line.to_owned(),
        };
        text.lines().map(line).collect()
    };
    sync(&engine, Pace::Manual).await;
    sync(&engine, Pace::Manual).await;
    let begun = async {
        while lines().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    soon(begun).await;
    for _ in 0..3 {
        sync(&engine, Pace::Manual).await;
    }
    std::fs::write(out.with_extension("go"), "").unwrap();
    soon(engine.announced()).await;
    assert_eq!(lines(), ["start", "1", "end", "start", "2", "3", "4", "end"]);
    engine.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn skips_hooks_that_are_waiting_when_newsfed_exits() {
    let (server, news) = renewed(|_| feed(&[("1", "v1")]));
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    home.settings.hooks =
        ["a", "b", "c", "d", "e", "f"].map(|name| hook(name, "exec sleep 600")).to_vec();
    let engine = home.on_demand().await;
    sync_news(&engine, news).await;
    soon(engine.shutdown()).await;
    let store = home.store();
    let reader = store.reader().unwrap();
    let (mut failed, mut skipped) = (0, 0);
    for hook in &home.settings.hooks {
        let name = newsfed::engine::hook_record(&hook.name);
        let record = reader.command_record(&name).unwrap().unwrap();
        assert_eq!(record.failed + record.skipped, 1, "{record:?}");
        failed += record.failed;
        skipped += record.skipped;
    }
    assert_eq!((failed, skipped), (2, 4), "those that ran were stopped");
}

/// The command of one rule waits with many items. A hook and the command of another rule run at the same
/// time.
#[cfg(unix)]
#[tokio::test]
async fn slow_rules_do_not_block_hooks_or_other_rules() {
    let names: Vec<String> = (1..30).map(|n| format!("v{n}")).collect();
    let mut entries: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), n.as_str())).collect();
    entries.push(("b", "b"));
    let document = rss(&entries);
    let (server, news) = renewed(move |_| Reply::ok("application/rss+xml", document.clone()));
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    let out = home.dir.path().join("out");
    let (to, go) = (out.display().to_string(), out.with_extension("go").display().to_string());
    let named = |name: &str, script: String| {
        let run = ["sh", "-c", &script].map(str::to_owned);
        let rule = rule(&format!("title:/^{name}/"), &["run"], &run);
        RuleSettings { name: name.to_owned(), run_limit: Some(HOUR), ..rule }
    };
    home.settings.rules = vec![
        named("v", format!("while [ ! -e {go} ]; do sleep 0.02; done; echo v >> {to}")),
        named("b", format!("echo b >> {to}")),
    ];
    home.settings.hooks = vec![hook("hook", &format!("cat > /dev/null; echo hook >> {to}"))];
    let engine = home.on_demand().await;
    sync_news(&engine, news).await;
    let lines = || std::fs::read_to_string(&out).unwrap_or_default();
    let hook_has_run = async {
        while !lines().contains("hook") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(hook_has_run).await;
    assert_eq!(lines(), "hook\n", "both turns of rules are taken");
    std::fs::write(&go, "").unwrap();
    soon(engine.announced()).await;
    let lines = lines();
    let place = lines.lines().position(|line| line == "b").unwrap();
    assert!(place <= 5 && lines.lines().count() == 31, "{place}: {lines}");
    engine.shutdown().await;
}

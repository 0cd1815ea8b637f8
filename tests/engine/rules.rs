//! Rules that act outside of the database: messages and commands, once for each refresh.

use super::*;
use newsfed::config::RuleSettings;
use newsfed::store::RuleRecord;

fn rule(query: &str, effects: &[&str], run: &[String]) -> RuleSettings {
    RuleSettings {
        name: "Releases".to_owned(),
        query: query.to_owned(),
        effects: effects.iter().map(|effect| (*effect).to_owned()).collect(),
        run: run.to_vec(),
        ..RuleSettings::default()
    }
}

fn record(engine: &Handle) -> RuleRecord {
    engine.store().reader().unwrap().rule_records().unwrap().remove(0)
}

const HOSTILE: &str = "--v3 $(touch hacked) \"it's\" &#x202e; v";

#[cfg(unix)]
#[tokio::test]
async fn commands_run_once_for_each_new_item_and_one_message_is_shown() {
    let server = Server::start(|request| match request.path.as_str() {
        "/a" => feed(&[("1", "v1"), ("2", "other")]),
        _ => feed(&[("3", "v2"), ("4", HOSTILE)]),
    })
    .unwrap();
    let mut home = Home::with(&[source("a", &server.url("/a")), source("b", &server.url("/b"))]);
    let out = home.dir.path().join("out");
    // One write for each: two run at the same time.
    let script = "read -r item; printf '%s|%s\\n' \"$1\" \"$item\" >> OUT; echo bad >&2; exit 2";
    let script = script.replace("OUT", &out.display().to_string());
    let argv = ["sh", "-c", &script, "sh", "{title}"].map(str::to_owned);
    home.settings.rules = vec![rule("v OR title:/v[0-9]/", &["notify", "run", "pin"], &argv)];
    let engine = home.on_demand().await;
    let mut messages = engine.notifications();
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
    assert_eq!((done.items, done.notified, done.ran), (3, 3, 3));
    let commands = done.commands.unwrap();
    assert_eq!((commands.ok, commands.failed, commands.skipped), (0, 3, 0));
    assert_eq!(
        (commands.status.as_str(), commands.error.as_deref()),
        ("exit status: 2", Some("bad"))
    );
    // Nothing new: nothing is announced. A rule applied to stored items only sets marks.
    sync(&engine, Pace::Manual).await;
    let stored = newsfed::engine::rule_of(&home.settings.rules[0]).unwrap();
    engine.undo_rule("Releases".to_owned()).await.unwrap();
    let marks = engine.apply_rule(stored, View::of(Scope::All)).await.unwrap();
    soon(engine.announced()).await;
    assert!(marks.items() == 4 && messages.try_recv().is_err());
    assert_eq!(std::fs::read_to_string(&out).unwrap(), written);
    assert_eq!((record(&engine).items, record(&engine).ran), (4, 0));
    engine.shutdown().await;
}

#[cfg(unix)]
#[tokio::test]
async fn too_many_items_at_once_are_counted_and_messages_need_no_interface() {
    let names: Vec<String> = (0..130).map(|n| n.to_string()).collect();
    let entries: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), n.as_str())).collect();
    let document = rss(&entries);
    let server =
        Server::start(move |_| Reply::ok("application/rss+xml", document.clone())).unwrap();
    let mut home = Home::with(&[source("a", &server.url("/a"))]);
    let out = home.dir.path().join("message");
    home.settings.rules = vec![rule("is:unread", &["run", "notify"], &["true".to_owned()])];
    let script = format!("printf '%s|' \"$@\" >> {}", out.display());
    home.settings.notify.command =
        ["sh", "-c", &script, "sh", "{title}", "{text}"].map(str::to_owned).to_vec();
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    soon(engine.announced()).await;
    let message = std::fs::read_to_string(&out).unwrap();
    assert!(message.starts_with("newsfed|130 items: Releases: "), "{message}");
    let commands = record(&engine).commands.unwrap();
    assert_eq!((commands.ok, commands.failed, commands.skipped), (100, 0, 30));
    engine.shutdown().await;
}

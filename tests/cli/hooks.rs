//! Programs configured with `[[hook]]`.

use super::{Reply, World, feed};
use serde_json::Value;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A source with a new item in each poll, and hooks that append their input to files.
fn world(more: &str) -> World {
    let polls = AtomicUsize::new(0);
    let titles = ["One", "Two $(touch hacked) `x` \u{202e}", "Three"];
    let world = World::new(move |request| match request.path.as_str() {
        "/kernel.xml" => {
            let count = 1 + polls.fetch_add(1, Ordering::SeqCst).min(2);
            feed("Kernel", &titles[..count])
        }
        _ => Reply::status(404),
    });
    let hook = |after: &str| {
        let file = world.path().join(after);
        format!(
            "[[hook]]\nname = \"{after}\"\nafter = \"{after}\"\n\
             run = [\"sh\", \"-c\", \"cat >> {}; echo end >> {}\"]\n",
            file.display(),
            file.display()
        )
    };
    world.write("config.toml", &format!("{}{}{more}", hook("sync"), hook("arrival")));
    world.run_with(&["import", "--private", "-"], &world.server.url("/kernel.xml")).ok();
    world
}

/// The input of each run of a hook.
fn runs(world: &World, hook: &str) -> Vec<Vec<Value>> {
    let text = fs::read_to_string(world.path().join(hook)).unwrap_or_default();
    let run = |part: &str| part.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let parts: Vec<&str> = text.split("end\n").collect();
    parts[..parts.len() - 1].iter().map(|part| run(part)).collect()
}

const SYNC: [&str; 5] = ["sync", "--force", "--set", "net.host_delay=0s", "--quiet"];

#[test]
fn hooks_receive_json_lines_once_per_refresh() {
    let world = world("");
    world.run(&SYNC).ok();
    assert_eq!(runs(&world, "arrival").len(), 0, "what a source had before is not new");
    world.run(&SYNC).ok();
    world
        .run(&[
            "sync",
            "--force",
            "--quiet",
            "--set",
            "net.host_delay=0s",
            "--set",
            "net.max_body=100KiB",
        ])
        .ok();
    let arrived = runs(&world, "arrival");
    assert_eq!(arrived.len(), 2, "{arrived:?}");
    assert_eq!(arrived[0].len(), 1);
    assert_eq!(arrived[0][0]["title"], "Two $(touch hacked) `x`");
    assert!(arrived[0][0]["number"].is_i64() && arrived[0][0]["content"].is_null());
    assert_eq!(arrived[1][0]["title"], "Three");
    super::output_schema::check("Item for a command", &arrived.concat());
    let polled = runs(&world, "sync");
    super::output_schema::check("Lines for hooks", &polled.concat());
    assert_eq!(polled.len(), 3, "{polled:?}");
    let results: Vec<_> = polled.iter().map(|run| (&run[0]["result"], &run[0]["new"])).collect();
    let new = Value::from("new");
    assert_eq!(results, [(&new, &1.into()), (&new, &1.into()), (&new, &1.into())]);
    assert!(!world.path().join("hacked").exists());
}

#[test]
fn failing_hooks_only_change_the_report_of_doctor() {
    let more = "[[hook]]\nname = \"missing\"\nafter = \"sync\"\nrun = [\"/no/such/program\"]\n\
                [[hook]]\nname = \"bad\"\nafter = \"sync\"\n\
                run = [\"sh\", \"-c\", \"echo 'no way' >&2; exit 7\"]\n\
                [notify]\nhow = \"command\"\ncommand = [\"/no/such/pager\", \"{title}\"]\n\
                [[rule]]\nquery = \"title:two\"\ndo = [\"notify\"]\n\
                [[hook]]\nname = \"slow\"\nafter = \"sync\"\nrun = [\"sleep\", \"600\"]\nlimit = \"1s\"\n";
    let world = world(more);
    let synced = world.run(&SYNC);
    assert_eq!((synced.code, synced.err.as_str()), (Some(0), ""), "{synced:?}");
    assert_eq!(runs(&world, "sync").len(), 1, "the others run");
    let doctor = world.run(&["doctor"]).out;
    let rules = world.run(&["rules"]);
    assert!(rules.out.lines().count() == 1 && !rules.out.contains("missing"), "{rules:?}");
    for part in [
        "sync: 1 run, all succeeded",
        "arrival has not run yet",
        "missing: 1 of 1 run failed; last failure: /no/such/program cannot be started",
        "bad: 1 of 1 run failed; last failure: exit status: 7: no way",
        "slow: 1 of 1 run failed; last failure: stopped at its time limit of 1 s",
    ] {
        assert!(doctor.contains(part), "{part} in {doctor}");
    }
    // The second poll finds a new item, and a notification is sent for it.
    world.run(&SYNC);
    let doctor = world.run(&["doctor"]).out;
    let part = "notify.command: 1 of 1 run failed; last failure: /no/such/pager cannot be started";
    assert!(doctor.contains(part), "{doctor}");
}

//! Followed OPML lists.

use super::World;
use newsfed::demo::server::Reply;
use std::sync::{Arc, Mutex};

fn opml(count: usize) -> String {
    let outline = |n| format!("<outline text='S{n}' xmlUrl='https://s{n}.example/feed'/>");
    let outlines: String = (0..count).map(outline).collect();
    format!(
        "<opml version='2.0'><head><title>The planet</title></head><body>{outlines}</body></opml>"
    )
}

#[test]
fn follows_confirms_and_removes_a_list() {
    let count = Arc::new(Mutex::new(9));
    let served = count.clone();
    let world = World::new(move |request| match request.path.as_str() {
        "/list.opml" => Reply::ok("text/x-opml", opml(*served.lock().unwrap())),
        _ => Reply::status(404),
    });
    let url = world.server.url("/list.opml");
    let run = world.run(&["import", &url]);
    assert!(run.code == Some(2) && run.err.contains("use --follow for a list"), "{run:?}");
    let run = world.run(&["import", "--follow", &world.server.url("/none")]);
    assert!(run.code == Some(1) && run.err.contains("HTTP 404"), "{run:?}");
    assert_eq!(world.run(&["sources", "--json"]).ok(), "");
    let done = world.run(&["import", "--follow", "--json", "--folder", "Team", &url]).values();
    assert_eq!(done[0]["added"].as_array().unwrap().len(), 9, "{done:?}");
    let list = done[0]["id"].as_str().unwrap().to_owned();
    let sources = world.run(&["sources", "--json"]).values();
    let of_list = |s: &&serde_json::Value| s["list"] == list.as_str() && s["folder"] == "Team";
    assert_eq!((sources.len(), sources.iter().filter(of_list).count()), (10, 9));
    let again = world.run(&["import", "--follow", &url]);
    assert!(again.err.contains("already followed"), "{again:?}");
    // Most sources disappear from the list.
    *count.lock().unwrap() = 3;
    let run = world.run(&["sync", "--force", &list]);
    assert!(
        run.code == Some(1) && run.err.contains("6 of 9 sources are no longer in this list"),
        "{run:?}"
    );
    let doctor = world.run(&["doctor"]).out;
    assert!(doctor.contains(&format!("{list} failed in its last check")), "{doctor}");
    let run = world.run(&["sync", "--force", "--accept", &list]);
    assert!(run.code == Some(0) && run.err.contains("6 removed"), "{run:?}");
    let shown = world.run(&["sources", "show", &list]).ok();
    assert!(
        shown.contains("sources       3") && shown.contains("last change   6 removed"),
        "{shown}"
    );
    assert!(
        world
            .run(&["sources", "show", "s0-example"])
            .ok()
            .contains(&format!("list          {list}"))
    );
    let run = world.run(&["sync", "--accept", "s0-example"]);
    assert!(run.code == Some(2) && run.err.contains("is not a list"), "{run:?}");
    // The export contains the sources of the list, but not the list.
    let run = world.run(&["export"]);
    assert!(run.err.contains("1 followed list is left out"), "{run:?}");
    assert!(run.out.contains("s0.example") && !run.out.contains("list.opml"), "{}", run.out);
    // Removing a list keeps its sources unless `--with-sources` is given.
    let before = std::fs::read_to_string(world.config().join("sources.toml")).unwrap();
    world.run(&["sources", "remove", &list]).ok();
    assert_eq!(world.run(&["sources", "--json"]).values().len(), 3);
    world.write("sources.toml", &before);
    world.run(&["sources", "remove", "--with-sources", &list]).ok();
    assert_eq!(world.run(&["sources", "--json"]).ok(), "");
}

#[test]
fn reports_a_missing_list() {
    let world = World::usual();
    world.write(
        "sources.toml",
        "[[source]]\nid = \"a\"\nurl = \"https://a.example/\"\nlist = \"x\"\n",
    );
    let run = world.run(&["config", "check"]);
    assert!(format!("{}{}", run.out, run.err).contains("there is no list \"x\""), "{run:?}");
}

//! `newsfed extract`: one page in every format, and batches.

use super::World;
use flate2::{Compression, write::GzEncoder};
use newsfed::demo::server::Reply;
use serde_json::{Value, json};
use std::io::Write;

const PAGE: &str = include_str!("../data/pages/long_comments.html");
const BLOG: &str = include_str!("../data/pages/blog_index.html");
const START: &str = "The town council has decided";

#[test]
fn extracts_a_page_in_every_format() {
    let world = World::new(|request| match request.path.as_str() {
        "/night-train" => Reply::ok("text/html; charset=utf-8", PAGE),
        _ => Reply::status(404),
    });
    world.write("page.html", PAGE);
    let file = world.config().join("page.html").display().to_string();
    let text = world.run(&["extract", &file]).ok();
    assert!(text.starts_with(START) && !text.contains("My choir"), "{text}");
    let markdown = world.run_with(&["extract", "--markdown", "-"], PAGE).ok();
    assert!(markdown.starts_with(&format!("# The night train stays\n\n{START}")), "{markdown}");
    let hostile = PAGE.replace("The night train stays", "The &lt;script&gt; *stays*");
    let markdown = world.run_with(&["extract", "--markdown", "-"], &hostile).ok();
    assert!(markdown.starts_with("# The \\<script\\> \\*stays\\*\n\n"), "{markdown}");
    let address = world.server.url("/night-train");
    let fetched = &world.run(&["extract", "--json", &address]).values()[0];
    assert_eq!(fetched["published"], "2024-03-05T22:10:00+01:00");
    assert_eq!(fetched["authors"], json!(["Nora Lind"]));
    let failed = world.run(&["extract", &world.server.url("/nothing")]);
    assert!(failed.code == Some(1) && failed.err.contains("404"), "{}", failed.err);
}

#[test]
fn the_title_option_selects_one_of_several_articles() {
    let world = World::usual();
    let args = ["extract", "--title", "A seal moved into the boathouse", "-"];
    let text = world.run_with(&args, BLOG).ok();
    assert!(text.contains("tarpaulin") && !text.contains("kite"), "{text}");
    let args = ["extract", "--mode", "guided", "--title", "Zeppelins over Zanzibar", "-"];
    let failed = world.run_with(&args, BLOG);
    assert_eq!(failed.code, Some(1));
    assert!(failed.err.contains("does not contain the text"), "{}", failed.err);
}

#[test]
fn batches_print_results_in_order() {
    let world = World::usual();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(PAGE.as_bytes()).unwrap();
    std::fs::create_dir_all(world.path().join("pages")).unwrap();
    std::fs::write(world.path().join("pages/a.html.gz"), packed.finish().unwrap()).unwrap();
    let jobs = [
        json!({"id": "a", "html_path": "a.html.gz", "source": "s"}),
        json!({"id": 2, "html": PAGE, "title": "Given", "source": "s"}),
        json!({"id": "c", "html_path": "missing.html"}),
        json!({"id": "d"}),
    ];
    let input = jobs.map(|j| j.to_string()).join("\n") + "\nno json\n";
    let root = world.path().join("pages").display().to_string();
    let run = |more: &[&str]| {
        let args = [&["extract", "--batch", "--root", &root], more].concat();
        world.run_with(&args, &input).values()
    };
    let ids = |lines: &[Value]| lines.iter().map(|l| l["id"].to_string()).collect::<Vec<_>>();
    let lines = run(&["--no-history"]);
    assert_eq!(ids(&lines), ["\"a\"", "2", "\"c\"", "\"d\"", "null"]);
    for line in &lines[..2] {
        assert!(line["text"].as_str().unwrap().starts_with(START), "{line}");
        assert!(line["ms"].as_f64().unwrap() > 0.0 && line.get("error").is_none(), "{line}");
    }
    assert_eq!(lines[1]["title"], "Given");
    assert!(lines[2..].iter().all(|l| l["error"].is_string() && l["text"] == ""), "{lines:?}");
    // Extracts every page again with the learned template.
    let lines = run(&["--final"]);
    assert_eq!(ids(&lines)[5..], ["\"a\"", "2", "\"c\"", "\"d\""]);
}

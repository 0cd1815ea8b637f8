//! Saving articles as files.

use super::{Reply, World};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs;
use std::io::{Cursor, Read};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n pixels";

/// A feed with items that contain an existing picture and a missing one.
fn world() -> World {
    let world = World::new(|request| match request.path.as_str() {
        "/feed.xml" => {
            let item = |n: u8| {
                format!(
                    "<item><title>Story {n}</title><guid isPermaLink=\"false\">{n}</guid>\
                     <pubDate>0{n} Nov 2025 09:00:00 GMT</pubDate><description>&lt;p&gt;Text {n}&lt;/p&gt;\
                     &lt;img src=\"/p.png\" alt=\"one\"&gt;&lt;img src=\"/none.png\" alt=\"two\"&gt;</description></item>"
                )
            };
            let items: String = (1..4).map(item).collect();
            let text = format!(
                "<rss version=\"2.0\"><channel><title>Kernel</title><link>/</link>{items}</channel></rss>"
            );
            Reply::ok("application/rss+xml", text)
        }
        "/p.png" => Reply::ok("image/png", PNG),
        _ => Reply::status(404),
    });
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed.xml")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    world
}

fn requests(world: &World, path: &str) -> usize {
    world.server.requests().iter().filter(|request| request.path == path).count()
}

#[test]
fn saves_articles_without_overwriting_files() {
    let world = world();
    let numbers = world.numbers();
    world.write("config.toml", "[save]\nfolder = \"~/articles\"\n");
    let first = world.run(&["save", &numbers[0]]).ok();
    let path = world.path().join("articles/Story 1.md");
    assert!(first.starts_with(path.to_str().unwrap()), "{first}");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# Story 1\n\n") && text.contains("Text 1"), "{text}");
    let second = world.run(&["save", &numbers[0], "--json"]).values().remove(0);
    assert!(second["path"].as_str().unwrap().ends_with("Story 1 (2).md"), "{second}");
    fs::write(&path, "mine").unwrap();
    let file = path.to_str().unwrap();
    let refused = world.run(&["save", &numbers[0], "--output", file]);
    assert!(refused.code == Some(1) && refused.err.contains("--replace"), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    world.run(&["save", &numbers[1], "--output", file, "--replace"]).ok();
    assert!(fs::read_to_string(&path).unwrap().contains("Text 2"));
    let printed = world.run(&["save", &numbers[2], "--output", "-", "--format", "html"]).ok();
    assert!(printed.contains("<h1>Story 3</h1>") && printed.ends_with("</html>\n"), "{printed}");
    assert_eq!(requests(&world, "/p.png"), 0, "pictures are fetched on request only");
}

#[test]
fn saves_a_search_as_an_epub_with_pictures() {
    let world = world();
    let path = world.path().join("all.epub");
    let file = path.to_str().unwrap();
    let args = ["save", "--query", "text", "--output", file, "--pictures", "--json"];
    let run = world.run(&[&args[..], &["--set", "net.host_delay=0s"]].concat());
    assert!(run.err.contains("3 pictures could not be fetched: left as links"), "{run:?}");
    let shape = run.values().remove(0);
    assert_eq!((&shape["format"], &shape["items"]), (&"epub".into(), &3.into()));
    assert_eq!((&shape["pictures"], &shape["pictures_failed"]), (&3.into(), &3.into()));
    let mut archive = zip::ZipArchive::new(Cursor::new(fs::read(&path).unwrap())).unwrap();
    let mut read = |name: &str| {
        let mut bytes = Vec::new();
        archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (package, newest) = (read("EPUB/package.opf"), read("EPUB/article-0001.xhtml"));
    assert!(package.contains("<dc:title>text</dc:title>"), "{package}");
    assert!(newest.contains("<h1>Story 3</h1>") && newest.contains("<img src=\"pictures/"));
    assert!(newest.contains("/none.png\">[two]</a>"), "{newest}");
}

#[test]
fn reports_why_nothing_or_not_everything_is_saved() {
    let world = world();
    let numbers = world.numbers();
    let limited = world.run(&["save", "--query", "text", "--limit", "1", "--output", "-"]);
    assert!(limited.err.contains("there are more items"), "{limited:?}");
    assert_eq!(limited.ok().matches("# Story").count(), 1);
    for (args, code, why) in [
        (&["save"][..], 2, "give item numbers, or select items"),
        (&["save", &numbers[0], "--query", "x"], 2, "give item numbers, or select items"),
        (&["save", "--query", "nothing-has-this"], 1, "no items to save"),
        (&["save", "999"], 1, "there is no item 999"),
        (&["save", &numbers[0], "--output", "/no/such/a.md"], 1, "cannot write /no/such/a.md"),
    ] {
        let run = world.run(args);
        assert!(run.code == Some(code) && run.err.contains(why), "{args:?}: {run:?}");
    }
}

#[test]
fn saves_only_the_first_300_pictures() {
    let world = World::new(|request| match request.path.as_str() {
        "/feed.xml" => {
            let others: String =
                (0..300).map(|n| format!("&lt;img src=\"/a{n}.png\"&gt;")).collect();
            let text = format!(
                "<rss version=\"2.0\"><channel><title>K</title><item><title>One</title><guid>1</guid>\
                 <description>&lt;p&gt;Text&lt;/p&gt;&lt;img src=\"/z.png\"&gt;{others}</description>\
                 </item></channel></rss>"
            );
            Reply::ok("application/rss+xml", text)
        }
        "/robots.txt" => Reply::status(404),
        _ => Reply::ok("image/png", PNG),
    });
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed.xml")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    let number = world.numbers().remove(0);
    let path = world.path().join("one.html");
    let args = ["save", &number, "--pictures", "--json", "--set", "net.host_delay=0s", "--output"];
    let run = world.run(&[&args[..], &[path.to_str().unwrap()]].concat());
    let errors = run.err.clone();
    let shape = run.values().remove(0);
    let counts = ["pictures", "pictures_failed", "pictures_left_out"].map(|key| shape[key].clone());
    assert_eq!(counts, [300, 0, 1].map(serde_json::Value::from), "{errors}");
    assert!(
        errors.contains("1 picture left as links: a file can have at most 300 pictures"),
        "{errors}"
    );
    assert_eq!((requests(&world, "/z.png"), requests(&world, "/a299.png")), (1, 0));
}

#[test]
fn saves_pictures_that_are_embedded_in_the_page() {
    let picture = |n: u8| [PNG, &[n; 400]].concat();
    let url = move |n: u8| format!("data:image/png;base64,{}", STANDARD.encode(picture(n)));
    let image = move |n: u8| format!("<img alt=\"plot {n}\" src=\"{}\">", url(n));
    let world = World::new(move |request| match request.path.as_str() {
        "/feed.xml" => {
            let text = format!(
                "<rss version=\"2.0\"><channel><title>K</title><item><title>One</title><guid>1</guid>\
                 <link>/one</link><description><![CDATA[<p>Text</p>{}{}{}]]></description></item>\
                 </channel></rss>",
                image(1),
                image(2),
                image(3)
            );
            Reply::ok("application/rss+xml", text)
        }
        "/one" => Reply::ok("text/html", format!("<p>Text</p>{}{}", image(1), image(2))),
        _ => Reply::status(404),
    });
    world.run_with(&["import", "--private", "-"], &world.server.url("/feed.xml")).ok();
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    let number = world.numbers().remove(0);
    let path = world.path().join("one.html");
    let args = ["save", &number, "--pictures", "--json", "--set", "net.host_delay=0s", "--output"];
    let shape = world.run(&[&args[..], &[path.to_str().unwrap()]].concat()).values().remove(0);
    let counts = ["pictures", "pictures_failed", "pictures_left_out"].map(|key| shape[key].clone());
    assert_eq!(counts, [2, 1, 0].map(serde_json::Value::from));
    let html = fs::read_to_string(&path).unwrap();
    let has = |n: u8| html.contains(&STANDARD.encode(picture(n)));
    assert!(has(1) && has(2) && !has(3) && html.contains("[plot 3]"), "{html}");
    assert!(!html.contains("x-omitted"), "{html}");
    assert_eq!(requests(&world, "/one"), 1);
}

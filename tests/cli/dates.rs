//! Dates of articles on websites without a feed.

use super::World;
use newsfed::demo::server::Reply;

const TEXT: &str = "<p>Der Bus fuhr zum Hafen und kam am Abend zurück, und alle, die seit dem Mittag auf ihn \
    gewartet hatten, waren froh.</p><p>Am Montag wird er wieder dorthin fahren, sagte die Stadt.</p>";

fn article(n: u32, head: &str) -> Reply {
    let page = format!(
        "<!doctype html><html lang=de><title>Meldung {n}</title>{head}<article><h1>Meldung {n}</h1>\
         <p>1{n}.11.2025, 09:15 Uhr</p>{TEXT}</article>"
    );
    Reply::ok("text/html; charset=utf-8", page)
}

#[test]
fn times_use_the_zone_of_their_page_or_site() {
    let changed = "<meta property=article:modified_time content=2025-11-20T10:42:00+01:00>";
    let world = World::new(move |request| match request.path.as_str() {
        "/news/" => {
            let row = |n: u32| format!("<li class=row><a href=/news/{n}>Meldung {n}</a></li>");
            let rows: String = (1..=4).map(row).collect();
            Reply::ok("text/html", format!("<!doctype html><title>Stadt</title><ul>{rows}</ul>"))
        }
        "/news/1" => article(1, changed),
        "/news/2" => article(2, changed),
        "/news/3" => article(3, ""),
        "/news/4" => article(4, ""),
        _ => Reply::status(404),
    });
    let page = world.server.url("/news/1");
    let found = &world.run(&["extract", "--json", &page]).values()[0];
    assert_eq!(found["published"], "2025-11-11T09:15:00+01:00");
    assert_eq!(found["published_zone"], "page");
    let url = world.server.url("/news/");
    world.write(
        "sources.toml",
        &format!(
            "[[source]]\nid = \"town\"\nkind = \"website\"\nurl = \"{url}\"\n\
             website.articles = \".row a\"\nwebsite.title = \"h1\"\nwebsite.content = \"article\"\n"
        ),
    );
    world.run(&["sync", "--set", "net.host_delay=0s"]).ok();
    let shown = world.run(&["list", "--json", "--limit", "0"]).values();
    let mut dates: Vec<_> = shown
        .iter()
        .map(|item| (item["published"].as_str().unwrap(), item["published_zone"].as_str()))
        .collect();
    dates.sort_unstable();
    let want = [
        ("2025-11-11T08:15:00Z", Some("page")),
        ("2025-11-12T08:15:00Z", Some("page")),
        ("2025-11-13T08:15:00Z", Some("site")),
        ("2025-11-14T08:15:00Z", Some("site")),
    ];
    assert_eq!(dates, want);
    let source = world.run(&["sources", "show", "town"]).ok();
    let line = source.lines().find(|line| line.starts_with("dates")).unwrap();
    assert!(line.contains("2 from the text (zone of the page)"), "{line}");
    assert!(line.contains("2 from the text (zone of the site)"), "{line}");
    let full = &world.run(&["sources", "show", "--json", "town"]).values()[0];
    assert_eq!(full["dates"][0]["zone"], "page");
}

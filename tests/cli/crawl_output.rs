//! The `--json` output of `crawl` and `reread`; `World::run` compares it with the documentation.

use super::World;
use newsfed::demo::server::Reply;

fn site() -> World {
    World::new(|request| match request.path.as_str() {
        "/" => {
            Reply::ok("text/html", "<p class=x><a href='/a.csv'>Data</a> <a href='/b'>b</a></p>")
        }
        "/b" => Reply::ok("text/html", "<h1>B</h1><article><p>Some text.</p></article>"),
        "/a.csv" => Reply::ok("text/csv", "a,b\n1,2\n"),
        _ => Reply::status(404),
    })
}

#[test]
fn crawls_print_results_and_a_summary() {
    let world = site();
    let out = world.path().join("out");
    let (start, out) = (world.server.url("/"), out.to_str().unwrap());
    let args = ["crawl", "--json", "--set", "net.host_delay=0s", "--out", out, &start];
    let [found, crawl] = &world.run(&args).values()[..] else { panic!("two lines") };
    assert_eq!((&found["url"], &crawl["found"]), (&world.server.url("/a.csv").into(), &1.into()));
    let recording = world.path().join("site.jsonl");
    let lines = "{\"meta\": {\"site\": \"a.example\", \"task\": \"files\"}, \"paths\": [\"p a\"], \"anchors\": [\"x\"]}\n\
         [\"https://a.example/\", \"text/html\", 900, 200, [[1, 0, 0], [2, 0, 0]]]\n\
         [\"https://a.example/b\", \"text/html\", 900, 200, []]\n\
         [\"https://a.example/a.csv\", \"text/csv\", 90, 200, []]\n";
    std::fs::write(&recording, lines).unwrap();
    let recording = recording.to_str().unwrap();
    let replayed = world.run(&["crawl", "--json", "--replay", recording, "--seeds", "2"]).values();
    world.run(&["crawl", "--json", "--replay", recording, "--after", recording]);
    assert_eq!((&replayed[0]["site"], &replayed[0]["seeds"]), (&"a.example".into(), &2.into()));
}

#[test]
fn counts_pages_that_are_read_again() {
    let world = site();
    let declared = format!(
        "[[source]]\nid = \"news\"\nkind = \"website\"\nurl = \"{}\"\n\
         website.articles = \"p.x a\"\nwebsite.title = \"h1\"\nwebsite.content = \"article\"\n",
        world.server.url("/")
    );
    world.write("sources.toml", &declared);
    world.run(&["sync", "--set", "net.host_delay=0s"]);
    let read = world.run(&["reread", "--json", "--set", "net.host_delay=0s", "news"]).values();
    assert_eq!((&read[0]["source"], &read[0]["read"]), (&"news".into(), &1.into()));
}

#[test]
fn follows_a_data_file_by_its_url() {
    let world = site();
    let added = world.run(&["add", "--json", &world.server.url("/a.csv")]);
    assert_eq!(added.code, Some(0), "{added:?}");
    let shown = world.run(&["sources", "--json"]).values();
    assert_eq!((&shown[0]["kind"], &shown[0]["items"]), (&"page".into(), &1.into()), "{shown:?}");
}

//! Tests of what a crawl collects, and what it skips.

use super::sites::{FILES, library, link, page};
use super::{World, files, lines, requested, summary};
use newsfed::demo::server::{Reply, ScriptedRequest, Server};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::process::Command;

#[test]
fn finds_all_files_and_writes_a_manifest() {
    let (server, world) = (library(), World::new());
    let output = world.run(&[&server.url("/"), "--targets", "data"]);
    assert!(output.status.success(), "{output:?}");
    let details = summary(&output);
    assert_eq!(
        (&details["found"], &details["ended"]),
        (&json!(FILES), &json!("done")),
        "{details}"
    );
    let requests = requested(&server);
    assert_eq!(details["requests"], json!(requests.len() + 1), "one for the sitemap");
    let once: HashSet<&String> = requests.iter().collect();
    assert_eq!(once.len(), requests.len(), "nothing is fetched twice");
    let manifest = world.manifest();
    assert_eq!((manifest.len(), files(&world.out())), (FILES, FILES));
    assert_eq!(lines(&output.stdout)[..FILES], manifest);
    for found in &manifest {
        let body = std::fs::read(world.out().join(found["file"].as_str().unwrap())).unwrap();
        assert_eq!(found["bytes"], json!(body.len()));
        assert!(String::from_utf8(body).unwrap().starts_with("name\n/data/"));
        assert!(found["found_on"].as_str().unwrap().contains("/lists/"), "{found}");
        assert_eq!(
            (&found["mime"], found["sha256"].as_str().unwrap().len()),
            (&json!("text/csv"), 64)
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_crawl() {
    let order = |seed: &str, strategy: &str| {
        let server = library();
        let args = ["--seed", seed, "--strategy", strategy, "--targets", "data"];
        let output = World::new().run(&[&[server.url("/").as_str()], &args[..]].concat());
        assert!(output.status.success(), "{output:?}");
        requested(&server)
    };
    for strategy in ["learned", "sb", "random"] {
        assert_eq!(order("3", strategy), order("3", strategy), "{strategy}");
        assert_ne!(order("3", strategy), order("4", strategy), "{strategy}");
    }
}

#[test]
fn a_larger_budget_continues_a_crawl() {
    let (server, world) = (library(), World::new());
    let url = server.url("/");
    let first = world.run(&[&url, "--budget", "20req"]);
    assert_eq!(summary(&first)["ended"], "requests");
    assert_eq!(requested(&server).len() + 1, 20);
    let exists = world.run(&[&url]);
    assert_eq!(exists.status.code(), Some(2), "{exists:?}");
    let other = world.run(&["http://other.example/", "--resume"]);
    assert_eq!(other.status.code(), Some(2), "{other:?}");
    let second = world.run(&["--resume", "--budget", "1000req"]);
    assert_eq!(summary(&second)["ended"], "done", "{second:?}");
    let requests = requested(&server);
    assert_eq!(requests.len(), requests.iter().collect::<HashSet<_>>().len());
    assert_eq!(world.manifest().len(), FILES);
    let third = world.run(&["--resume", "--budget", "10000B"]);
    assert_eq!(summary(&third)["requests"], summary(&second)["requests"]);
    assert_eq!(World::new().run(&["--resume"]).status.code(), Some(2));
}

#[test]
fn defers_a_response_that_exceeds_the_byte_budget() {
    const SIZE: usize = 6_000;
    let server = Server::start(|request| match request.path.as_str() {
        "/" => page("Start", (0..3).map(|n| link(format!("/{n}.csv")))),
        path if path.ends_with(".csv") => Reply::ok("text/csv", "x".repeat(SIZE)),
        _ => Reply::status(404),
    })
    .unwrap();
    let world = World::new();
    let details = summary(&world.run(&[&server.url("/"), "--budget", "10kB"]));
    assert_eq!((&details["ended"], &details["found"]), (&json!("bytes"), &json!(1)), "{details}");
    assert!(details["bytes"].as_u64().unwrap() <= 10_000, "{details}");
    let details = summary(&world.run(&["--resume", "--budget", "1MB"]));
    assert_eq!((&details["ended"], &details["found"]), (&json!("done"), &json!(3)), "{details}");
    assert_eq!((world.manifest().len(), files(&world.out())), (3, 3));
}

#[test]
fn obeys_robots_txt_and_reads_sitemaps() {
    let base = |request: &ScriptedRequest| {
        let host = request.header("host").unwrap();
        format!("http://{}", String::from_utf8_lossy(host))
    };
    let server = Server::start(move |request| match request.path.as_str() {
        "/robots.txt" => {
            let map = format!("{}/map.xml", base(request));
            let rules = format!("User-agent: *\nDisallow: /private\nSitemap: {map}\n");
            Reply::ok("text/plain", rules)
        }
        "/map.xml" => {
            let base = base(request);
            let url = |path: &str| format!("<url><loc>{base}{path}</loc></url>");
            let urls = [url("/hidden.csv"), url("/private/2.csv")].concat();
            Reply::ok(
                "application/xml",
                format!(
                    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{urls}</urlset>"
                ),
            )
        }
        "/" => page("Start", [link("/private/1.csv"), link("/a.csv")]),
        "/private/1.csv" | "/private/2.csv" | "/a.csv" | "/hidden.csv" => {
            Reply::ok("text/csv", "x")
        }
        _ => Reply::status(404),
    })
    .unwrap();
    let world = World::new();
    let output = world.run(&[&server.url("/")]);
    let found: Vec<_> = world.manifest().iter().map(|f| f["url"].clone()).collect();
    assert_eq!(found, [json!(server.url("/a.csv")), json!(server.url("/hidden.csv"))]);
    assert!(!requested(&server).iter().any(|p| p.starts_with("/private")), "{output:?}");
    assert_eq!(summary(&output)["requests"], 4);
}

#[test]
fn a_stopped_crawl_explains_how_to_continue() {
    let (server, world) = (library(), World::new());
    let child = world.start(&[&server.url("/"), "--set", "net.host_delay=100ms"]);
    while requested(&server).len() < 3 {
        std::thread::yield_now();
    }
    let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(summary(&output)["ended"], "interrupted");
    let words = String::from_utf8(output.stderr).unwrap();
    let again =
        format!("to continue, run `newsfed crawl --resume --out {}`", world.out().display());
    assert!(words.contains(&again), "{words}");
    assert_eq!(summary(&world.run(&["--resume"]))["found"], json!(FILES));
}

/// The documented keys of a section in docs/json.md.
fn documented(section: &str) -> BTreeSet<String> {
    let document = include_str!("../../docs/json.md");
    let start = document.find(&format!("## {section}\n")).unwrap();
    let text = document[start + 3..].split("\n## ").next().unwrap();
    let keys = text.lines().filter_map(|l| l.strip_prefix("- `")?.split('`').next());
    keys.map(str::to_owned).collect()
}

#[test]
fn documents_all_printed_keys() {
    let (server, world) = (library(), World::new());
    let output = world.run(&[&server.url("/")]);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let mut details = lines(&output.stdout);
    assert_eq!(keys(&details.pop().unwrap()), documented("Crawl"));
    assert_eq!(keys(&details[0]), documented("Crawl result"));
}

#[test]
fn a_crawl_with_credentials_needs_them_to_resume() {
    let server = Server::start(|request| {
        if request.header("authorization").is_none() {
            return Reply::status(401);
        }
        match request.path.as_str() {
            "/" => page("Start", (0..9).map(|n| link(format!("/{n}.csv")))),
            path if path.ends_with(".csv") => Reply::ok("text/csv", path.to_owned()),
            _ => Reply::status(404),
        }
    })
    .unwrap();
    let url = server.url("/").replace("http://", "http://me:secret@");
    let world = World::new();
    let first = world.run(&[&url, "--budget", "5req"]);
    let words = String::from_utf8_lossy(&first.stderr);
    assert!(words.contains("with the credentials in the URL"), "{words}");
    assert!(!words.contains("secret"), "{words}");
    let without = world.run(&["--resume"]);
    assert_eq!(without.status.code(), Some(2), "{without:?}");
    let details = summary(&world.run(&[&url, "--resume"]));
    assert_eq!((&details["ended"], &details["found"]), (&json!("done"), &json!(9)), "{details}");
}

#[test]
fn does_not_overwrite_a_foreign_manifest() {
    let (server, world) = (library(), World::new());
    std::fs::create_dir_all(world.out()).unwrap();
    let list = world.out().join("manifest.jsonl");
    std::fs::write(&list, "mine\n").unwrap();
    assert_eq!(world.run(&[&server.url("/")]).status.code(), Some(2));
    assert_eq!(std::fs::read(&list).unwrap(), b"mine\n");
}

#[test]
fn skips_file_types_that_are_not_targets() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => page("Start", ["a.jpg", "b.mp4", "c.css", "d.csv"].map(link)),
        "/d.csv" => Reply::ok("text/csv", "x"),
        _ => Reply::ok("image/jpeg", "x"),
    })
    .unwrap();
    let details = summary(&World::new().run(&[&server.url("/"), "--targets", "data"]));
    assert_eq!(
        (&details["found"], requested(&server)),
        (&json!(1), vec!["/".into(), "/d.csv".into()])
    );
}

#[test]
fn crawls_a_site_that_rejects_head_requests() {
    let server = Server::start(|request| match request.path.as_str() {
        _ if request.method == "HEAD" => Reply::status(405),
        "/" => page("Start", (0..12).map(|n| link(format!("/list/{n}")))),
        path if path.ends_with(".csv") => Reply::ok("text/csv", path.to_owned()),
        path if path.starts_with("/list/") => page("List", [link(format!("{path}.csv"))]),
        _ => Reply::status(404),
    })
    .unwrap();
    let details = summary(&World::new().run(&[&server.url("/"), "--strategy", "sb"]));
    assert_eq!(details["found"], json!(12), "{details}");
}

#[test]
fn requests_for_sitemaps_count_towards_the_budget() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => page("Start", [link("/a.csv")]),
        "/sitemap.xml" => Reply::ok("application/xml", " ".repeat(100_000)),
        _ => Reply::ok("text/csv", "x"),
    })
    .unwrap();
    let url = server.url("/");
    let details = summary(&World::new().run(&[&url, "--budget", "1req"]));
    assert_eq!((&details["requests"], requested(&server)), (&json!(1), vec!["/".to_owned()]));
    let details = summary(&World::new().run(&[&url, "--budget", "5kB"]));
    assert!(details["bytes"].as_u64().unwrap() <= 5_000, "{details}");
}

#[test]
fn reports_pages_that_exceed_a_limit() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => page("Start", ["/many", "/deep", "/large"].map(link)),
        "/many" => page("Many", (0..5_006).map(|n| link(format!("/{n}.jpg")))),
        "/deep" => Reply::ok("text/html", "<div>".repeat(5_000)),
        "/large" => Reply::ok("text/html", "<p>x</p>".repeat(10_000)),
        "/sitemap.xml" => {
            let urls = (0..5_003).map(|n| format!("<url><loc>/{n}.png</loc></url>"));
            Reply::ok("text/xml", format!("<urlset>{}</urlset>", urls.collect::<String>()))
        }
        _ => Reply::status(404),
    })
    .unwrap();
    let root = server.url("");
    let run = |limit: &str| {
        let limit = format!("net.max_body={limit}");
        let args = [&server.url("/"), "--targets", "data", "--set", &limit, "--budget", "5req"];
        let args = [&args[..], &["--page-links", "5000"]].concat();
        String::from_utf8(World::new().run(&args).stderr).unwrap()
    };
    let printed = run("1MB") + &run("60kB");
    for note in [
        "/many: 6 links left out: limit of 5000",
        "/deep: the page is nested too deeply, or too large, to be read safely",
        "/large: the response from 127.0.0.1 is larger than 60000 bytes",
        "/: {}/sitemap.xml: 3 URLs left out: limit of 5000",
    ] {
        let note = note.replace("{}", &root);
        assert!(printed.contains(&format!("{root}{note}")), "{note}: {printed}");
    }
}

#[test]
fn element_names_cannot_control_the_terminal() {
    let server = Server::start(|request| match request.path.as_str() {
        "/" => {
            let link = |n| format!("<x\u{1b}]0;y\u{7}\u{1b}[31mred><a href=/{n}.csv>{n}</a></x>");
            Reply::ok("text/html", (0..9).map(link).collect::<String>())
        }
        path if path.ends_with(".csv") => Reply::ok("text/csv", "x"),
        _ => Reply::status(404),
    })
    .unwrap();
    let world = World::new();
    let mut command = world.command(&[&server.url("/")]);
    let args: Vec<_> = command.get_args().filter(|a| *a != "--json").map(Into::into).collect();
    let args: Vec<std::ffi::OsString> = args;
    command = Command::new(command.get_program());
    command.args(args).env_clear();
    let home = world.out().with_file_name("home");
    command.env("NEWSFED_CONFIG_DIR", &home).env("NEWSFED_DATA_DIR", &home);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let written = [output.stdout, output.stderr].concat();
    assert!(!written.iter().any(|b| *b < 32 && *b != b'\n'), "{written:?}");
}

#[test]
fn reads_an_index_of_thousands_of_links_completely() {
    const COUNT: usize = 7_200;
    let server = Server::start(|request| match request.path.as_str() {
        "/" => page("Index", (0..COUNT).map(|n| link(format!("/{n}.csv")))),
        _ => Reply::status(404),
    })
    .unwrap();
    let (world, url) = (World::new(), server.url("/"));
    let details = summary(&world.run(&[&url, "--budget", "3req"]));
    assert_eq!((&details["links"], &details["links_left_out"]), (&json!(COUNT + 1), &json!(0)));
    // The program reports that the limit was reached. Resuming can raise the limit.
    let world = World::new();
    let output = world.run(&[&url, "--budget", "3req", "--max-links", "1000"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("a crawl can have at most 1000 links (--max-links)"), "{words}");
    let details = summary(&output);
    assert_eq!((&details["links"], &details["links_left_out"]), (&json!(1_000), &json!(6_201)));
    let resume = ["--resume", "--budget", "5req", "--max-links", "10"];
    assert_eq!(summary(&world.run(&resume))["links"], 1_000, "it is not lowered");
    let resume = ["--resume", "--budget", "8req", "--max-links", "2000"];
    assert_eq!(summary(&world.run(&resume))["requests"], 8);
}

#[test]
fn a_resumed_crawl_keeps_its_parameters() {
    let run = |parameters: &[&str]| {
        let (server, world) = (library(), World::new());
        let url = server.url("/");
        let args = [&url, "--strategy", "sb", "--budget", "30req"];
        let output = world.run(&[&args[..], parameters].concat());
        assert!(output.status.success(), "{output:?}");
        let output = world.run(&["--resume", "--budget", "60req"]);
        assert!(output.status.success(), "{output:?}");
        requested(&server)
    };
    let parameters = ["--batch", "3", "--theta", "0.2", "--ngram", "1", "--dimension", "64"];
    assert_eq!(run(&parameters), run(&parameters));
    assert_ne!(run(&parameters), run(&[]));
    let refused = |args: &[&str]| {
        let output = World::new().run(&[&["https://a.example/"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    };
    refused(&["--theta", "0.9"]);
    refused(&["--strategy", "sb", "--theta", "1.5"]);
    refused(&["--strategy", "sb", "--dimension", "100"]);
    refused(&["--strategy", "sb", "--batch", "0"]);
}

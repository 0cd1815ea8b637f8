//! Sources that read programs, files and filtered feeds.

use super::{Reply, World, feed};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// An RSS document with one item.
fn document(title: &str) -> String {
    format!(
        "<rss version=\"2.0\"><channel><title>Own</title><item><title>{title}</title>\
         <guid>{title}</guid></item></channel></rss>"
    )
}

impl World {
    /// Creates a program in the home directory.
    fn program(&self, name: &str, script: &str) -> String {
        let path = self.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        path.to_string_lossy().into_owned()
    }

    /// Creates a file in the home directory.
    fn home_file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn titles(&self) -> Vec<String> {
        let mut titles: Vec<String> = self
            .run(&["list", "--json", "--limit", "0"])
            .values()
            .iter()
            .map(|item| item["title"].as_str().unwrap().to_owned())
            .collect();
        titles.sort();
        titles
    }

    fn sync(&self) {
        self.run(&SYNC);
    }

    fn source(&self, id: &str) -> Value {
        self.run(&["sources", "show", "--json", id]).values().remove(0)
    }

    fn sources_toml(&self) -> String {
        fs::read_to_string(self.config().join("sources.toml")).unwrap_or_default()
    }
}

const SYNC: [&str; 5] = ["sync", "--force", "--set", "net.host_delay=0s", "--quiet"];

#[test]
fn reads_a_feed_from_the_output_of_a_program() {
    let world = World::usual();
    world.home_file("feed.xml", &document("One"));
    let program =
        world.program("own feed", "echo \"$@\" >> \"$HOME/runs\"\ncat \"$HOME/feed.xml\"");
    let exec = ["add", "--folder", "Own", "--exec", &program, "-x", "a b; touch \"$HOME/hacked\""];
    let refused = world.run(&exec);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("-x\n  a b; touch"), "{}", refused.err);
    assert!(!world.path().join("runs").exists() && world.sources_toml().is_empty());

    let mut confirmed = exec.to_vec();
    confirmed.insert(1, "--yes");
    let added = world.run(&confirmed).ok();
    assert!(
        added.starts_with("added \"Own\" (own-feed): exec:own%20feed/") && added.contains("1 item"),
        "{added}"
    );
    assert!(!world.sources_toml().contains("url ="), "{}", world.sources_toml());
    let again = world.run(&confirmed).ok();
    assert_eq!(again, "already followed as own-feed\n");

    world.home_file("feed.xml", &document("Two"));
    world.sync();
    assert_eq!(world.titles(), ["One", "Two"]);
    let runs = fs::read_to_string(world.path().join("runs")).unwrap();
    assert_eq!(runs.lines().last(), Some("-x a b; touch \"$HOME/hacked\""));
    assert!(!world.path().join("hacked").exists());
    let source = world.source("own-feed");
    assert_eq!(source["exec"][0], program.as_str());
    assert_eq!((&source["state"], &source["title"]), (&"ok".into(), &"Own".into()));
    let shown = world.run(&["sources", "show", "own-feed"]).ok();
    assert!(shown.contains("program") && shown.contains("-x"), "{shown}");

    world.run(&["sources", "remove", "own-feed"]).ok();
    assert!(!world.sources_toml().contains("exec"));
}

#[test]
fn programs_receive_few_environment_variables() {
    let world = World::usual();
    let program =
        world.program("own", &format!("env > \"$HOME/variables\"\necho '{}'", document("One")));
    let mut add = world.command(&["add", "--yes", "--exec", &program]);
    let added = add.env("API_TOKEN", "s3cret").env("LC_TIME", "de_DE.UTF-8").output().unwrap();
    assert!(added.status.success(), "{added:?}");
    world.sync();
    let variables = fs::read_to_string(world.path().join("variables")).unwrap();
    assert!(
        !variables.contains("s3cret") && !variables.contains("NEWSFED_DATA_DIR"),
        "{variables}"
    );
    for part in ["PATH=", "HOME=", "NEWSFED_SOURCE=own", "NEWSFED_LAST_OK=20"] {
        assert!(variables.contains(part), "{part}: {variables}");
    }
}

#[test]
fn reports_failing_programs_as_failed_polls() {
    let world = World::usual();
    let slow = "echo $$ > \"$HOME/group\"; sleep 600 & sleep 600";
    let cases = [
        ("status", "echo 'no key\u{1b}[31m' >&2; exit 3", "failed: exit status 3: no key"),
        ("slow", slow, "slow failed: stopped at its time limit of 1 s"),
        ("endless", "yes '<rss><item/>'", "endless failed: it printed more than 10 MB"),
        ("text", "echo hello", "not a feed"),
        ("open", "sleep 600 & echo '<rss/>'", "kept the output open"),
    ];
    let mut sources = String::new();
    for (name, script, _) in cases {
        let program = world.program(name, script);
        sources += &format!(
            "[[source]]\nexec = ['{program}']\nlimit = \"{}\"\n",
            if name == "slow" { "1s" } else { "20s" }
        );
    }
    sources += "[[source]]\nid = \"missing\"\nexec = [\"~/missing\"]\n";
    world.write("sources.toml", &sources);
    world.sync();
    let missing = ("missing", "", "/missing cannot be started");
    for (name, _, part) in cases.into_iter().chain([missing]) {
        let error = world.source(name)["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains(part), "{name}: {error}");
    }
    let group: i32 =
        fs::read_to_string(world.path().join("group")).unwrap().trim().parse().unwrap();
    let group = rustix::process::Pid::from_raw(group).unwrap();
    let ended = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        rustix::process::test_kill_process_group(group).is_err()
    });
    assert!(ended, "the program left something running");
}

#[test]
fn passes_feeds_through_their_filter() {
    let world = World::new(|request| match request.header("if-none-match") {
        Some(_) => Reply::status(304),
        None => feed("Kernel", &["First release", "Second release"]).header("etag", "\"1\""),
    });
    let url = world.server.url("/kernel.xml");
    let program = world.program("shorter", "sed s/release/$1/g");
    let added = world.run(&["add", "--yes", &url, "--filter", &program, "notes"]).ok();
    assert!(added.contains("2 items"), "{added}");
    assert_eq!(world.titles(), ["First notes", "Second notes"]);
    let id = added.split_once("\" (").unwrap().1.split_once("): ").unwrap().0;
    let source = world.source(id);
    assert_eq!((&source["url"], &source["filter"][1]), (&url.as_str().into(), &"notes".into()));

    world.sync();
    assert_eq!(world.source(id)["polls"][0]["status"], 304);
    world.write("sources.toml", &world.sources_toml().replace("\"notes\"", "\"news\""));
    world.sync();
    assert_eq!(world.titles(), ["First news", "Second news"], "another filter reads it again");
    world.program("shorter", "exit 4");
    world.write("sources.toml", &world.sources_toml().replace("\"news\"", "\"other\""));
    world.sync();
    let error = world.source(id)["error"].as_str().unwrap_or_default().to_owned();
    assert!(error.ends_with("shorter failed: exit status 4"), "{error}");
}

#[test]
fn reads_files_only_if_they_have_changed() {
    let world = World::usual();
    let path = world.home_file("own.xml", &document("One"));
    let mut add = world.command(&["add", "--file", "own.xml"]);
    assert!(add.current_dir(world.path()).output().unwrap().status.success());
    assert!(world.sources_toml().contains(&format!("file = \"{}\"", path.display())));
    world.sync();
    assert_eq!(world.source("own")["polls"][0]["status"], 304, "nothing has changed");
    let statistics = world.run(&["stats", "--json"]).values().remove(0);
    assert_eq!((&statistics["polls"], &statistics["unchanged"]), (&2.into(), &0.into()));
    world.home_file("own.xml", &document("Two or more"));
    world.sync();
    assert_eq!(world.titles(), ["One", "Two or more"]);
    for (prepare, part) in [
        ("rm own.xml", "own.xml: no such file"),
        ("mkdir own.xml", "is not a regular file"),
        ("rmdir own.xml; mkfifo own.xml", "is not a regular file"),
        ("rm own.xml; truncate -s 11M own.xml", "is larger than 10 MB"),
    ] {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", prepare]).current_dir(world.path()).status().unwrap();
        world.sync();
        let error = world.source("own")["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains(part), "{prepare}: {error}");
    }
}

#[test]
fn import_and_export_skip_programs() {
    let world = World::usual();
    let touch =
        world.program("touch-it", &format!("touch \"$HOME/touched\"; echo '{}'", document("One")));
    let opml = format!(
        "<opml version='2.0' xmlns:newsfed='https://newsfed.example/opml'><body>\
         <outline xmlUrl='{}' newsfed:exec='{touch}' newsfed:filter='{touch}' newsfed:file='/etc/passwd'/>\
         <outline xmlUrl='exec:{touch}'/><outline xmlUrl='file:///etc/passwd'/></body></opml>",
        world.server.url("/kernel.xml")
    );
    let urls =
        format!("exec:{touch}\nfilter:{touch}:{}\nfile:///etc/passwd\n", world.server.url("/a"));
    for list in [opml, urls] {
        let imported = world.run_with(&["import", "--private", "-"], &list);
        for part in ["exec", "filter", "file"] {
            assert!(imported.err.contains(part), "{part}: {imported:?}");
        }
        world.sync();
        let text = world.sources_toml();
        assert!(
            !text.contains("exec") && !text.contains("filter") && !text.contains("file ="),
            "{text}"
        );
    }
    assert!(!world.path().join("touched").exists());

    let file = world.home_file("own.xml", &document("One")).to_string_lossy().into_owned();
    world.run(&["add", "--file", &file]).ok();
    world.run(&["add", "--yes", "--exec", &touch]).ok();
    world.run(&["add", "--yes", &world.server.url("/council.xml"), "--filter", "cat"]).ok();
    for format in ["opml", "urls"] {
        let exported = world.run(&["export", "--format", format]);
        assert!(
            exported.err.contains("2 sources are programs, files or mailboxes"),
            "{exported:?}"
        );
        assert!(exported.err.contains("1 filter is left out"), "{exported:?}");
        let text = exported.ok();
        assert!(
            text.contains("council.xml") && !text.contains("touch-it") && !text.contains("own.xml")
        );
        assert!(!text.contains("cat\""), "{text}");
    }
}

/// An email with these headers and this body.
fn mail(id: &str, from: &str, subject: &str, body: &str) -> String {
    format!(
        "From: {from}\nSubject: {subject}\nMessage-ID: <{id}@x.example>\n\
         Date: Mon, 23 Nov 2026 09:00:00 +0000\nContent-Type: text/html\n\n{body}\n"
    )
}

/// All files below a folder, with their contents and modification times.
fn state(folder: &std::path::Path) -> Vec<(PathBuf, String, std::time::SystemTime)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(state(&path)),
            false => {
                let modified = fs::metadata(&path).unwrap().modified().unwrap();
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                all.push((path, text, modified));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn reads_newsletters_from_a_maildir() {
    let world = World::usual();
    let folder = world.path().join("Mail");
    for name in ["new", "cur", "tmp"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let put = |place: &str, text: &str| fs::write(folder.join(place), text).unwrap();
    let harmful = "<p onclick='x()'>Hello<script>alert(1)</script> <a href='https://x.example/a'>more</a></p>";
    put("new/1.a", &mail("1", "News <news@x.example>", "One", harmful));
    put("cur/2.a:2,S", &mail("2", "Other <shop@y.example>", "Offer", "<p>Buy</p>"));
    put("cur/3.a", "no mail");
    put("tmp/4.a", &mail("4", "news@x.example", "Not delivered yet", "x"));
    std::os::unix::fs::symlink("/etc/passwd", folder.join("new/5.a")).unwrap();
    let before = state(&folder);
    let path = folder.to_string_lossy().into_owned();
    let added = world.run(&["add", "--mail", &path, "--from", "NEWS@x"]).ok();
    assert!(added.contains("(mail): file://") && added.contains("1 item"), "{added}");
    assert_eq!(world.titles(), ["One"]);
    let item = world.run(&["list", "--json"]).values().remove(0);
    assert_eq!(item["authors"][0], "News");
    let shown = world.run(&["show", "--json", &item["number"].to_string()]).values().remove(0);
    let content = shown["content"].as_str().unwrap_or_default();
    assert!(content.contains("https://x.example/a"), "{shown}");
    assert!(!content.contains("script") && !content.contains("onclick"), "{content}");
    world.sync();
    let source = world.source("mail");
    assert_eq!(source["polls"][0]["status"], 304, "nothing has changed");
    assert_eq!((&source["mail"], &source["from"]), (&path.as_str().into(), &"NEWS@x".into()));
    assert_eq!(state(&folder), before, "the mailbox is only read");

    // Another program marks an email as read and removes another one.
    fs::rename(folder.join("new/1.a"), folder.join("cur/1.a:2,S")).unwrap();
    world.sync();
    assert_eq!(world.source("mail")["polls"][0]["status"], 304, "a mark is not a change");
    fs::remove_file(folder.join("cur/1.a:2,S")).unwrap();
    put("new/6.a", &mail("6", "news@x.example", "Two", "x"));
    world.write("sources.toml", &world.sources_toml().replace("from = \"NEWS@x\"\n", ""));
    world.sync();
    assert_eq!(world.titles(), ["Offer", "One", "Two"], "items stay without their emails");
    let polls = world.source("mail")["polls"][0]["repairs"].to_string();
    assert!(polls.contains("1 email could not be read: no email headers"), "{polls}");
}

#[test]
fn reads_the_newest_emails_of_an_mbox() {
    let world = World::usual();
    let quoted = "<p>x</p>\n>From here on\n\nFrom then on\n";
    let letter = |n: usize| {
        format!(
            "From x Mon\n{}\n",
            mail(&n.to_string(), "a@x.example", &format!("Letter {n:03}"), quoted)
        )
    };
    let many: String = (0..250).map(letter).collect();
    let path = world.home_file("letters", &many).to_string_lossy().into_owned();
    let added = world.run(&["add", "--mail", &path]);
    assert!(added.err.contains("50 older emails were not read"), "{added:?}");
    let titles = world.titles();
    assert_eq!((titles.len(), titles[0].as_str()), (200, "Letter 050"));
    world.home_file("letters", &(many + &letter(250)));
    world.sync();
    assert_eq!(world.titles().last().map(String::as_str), Some("Letter 250"));
    let repairs = world.source("letters")["polls"][0]["repairs"].to_string();
    assert!(repairs.contains("51 older emails were not read"), "{repairs}");
    for (text, part) in [("Subject: x\n\nx", "is not an mbox"), ("", "")] {
        world.home_file("letters", text);
        world.sync();
        let error = world.source("letters")["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains(part), "{text}: {error}");
    }
    let missing = world.run(&["add", "--mail", &format!("{path}/no")]);
    assert!(
        missing.err.contains("cannot read ") && missing.err.contains("/no: not a directory"),
        "{missing:?}"
    );
    let folder = world.path().to_string_lossy().into_owned();
    let no_maildir = world.run(&["add", "--mail", &folder]);
    assert!(no_maildir.err.contains("is not a Maildir"), "{no_maildir:?}");
}

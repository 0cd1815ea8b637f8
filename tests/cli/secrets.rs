//! Passwords, headers and logins are never printed, and files that contain them should be private.

use super::{World, feed};
use std::os::unix::fs::PermissionsExt;

const SECRETS: [&str; 6] = ["pw-url", "pw-key", "pw-header", "pw-proxy", "pw-global", "pw-llm"];

fn world() -> World {
    let world = World::new(|_| feed("Kernel", &["First release"]));
    let (one, two) = (world.server.url("/one"), world.server.url("/two"));
    let proxy = world.server.url("").replace("http://", "http://me:pw-proxy@");
    world.write(
        "sources.toml",
        &format!(
            "[[source]]\nid = \"one\"\nurl = \"{}\"\n\n\
             [[source]]\nid = \"two\"\nurl = \"{two}\"\nuser = \"me\"\npassword = \"pw-key\"\n\
             headers = {{ X-Token = \"pw-header\" }}\nproxy = \"{proxy}\"\n",
            one.replace("http://", "http://me:pw-url@")
        ),
    );
    let config = "[net]\nhost_delay = \"0s\"\nproxy = \"socks5://me:pw-global@localhost:9\"\n\
                  [llm]\nendpoint = \"http://me:pw-llm@localhost:9/v1\"\nmodel = \"m\"\n[log]\nlevel = \"trace\"\n";
    world.write("config.toml", config);
    world
}

#[test]
fn no_command_prints_a_secret() {
    let world = world();
    let crawl = world.path().join("crawl").display().to_string();
    let calls: &[&[&str]] = &[
        &["sync", "-vv"],
        &["sync", "--json", "--force"],
        &["config", "show"],
        &["config", "show", "--json"],
        &["config", "check"],
        &["sources"],
        &["sources", "--json"],
        &["sources", "show", "one", "two"],
        &["sources", "show", "--json", "one", "two"],
        &["schedule", "why", "two"],
        &["list", "--json"],
        &["export"],
        &["export", "--format", "urls"],
        &["export", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["sync", "--set", "net.proxy=\"ftp://me:pw-global@h\""],
        &["add", "http://me:pw-url@"],
        &["add", "http://me:pw-url@127.0.0.1:1/"],
        &["discover", "http://me:pw-url@127.0.0.1:1/"],
        &["extract", "http://me:pw-url@127.0.0.1:1/"],
        &["crawl", "http://me:pw-url@127.0.0.1:1/", "--out", &crawl],
        &["sync", "--set", "net.proxy=\"ftp://me:a/pw-global@h\""],
    ];
    for args in calls {
        let run = world.run(args);
        for secret in SECRETS {
            assert!(!run.out.contains(secret) && !run.err.contains(secret), "{args:?}: {run:?}");
        }
    }
    let shown = world.run(&["config", "show"]).ok();
    assert!(shown.contains("proxy = \"socks5://***@localhost:9\""), "{shown}");
    let shown = world.run(&["sources", "show", "two"]).ok();
    assert!(shown.contains("http://***@127.0.0.1:"), "{shown}");
    let log = world.run(&["config", "path", "--json"]).values()[0]["log"].clone();
    let files: Vec<_> = std::fs::read_dir(log.as_str().unwrap()).unwrap().collect();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.is_empty());
        assert_eq!(SECRETS.iter().find(|secret| text.contains(**secret)), None);
    }
    // The secrets were sent, so newsfed has read them and could have printed them.
    let sent = |name: &str| world.server.requests().iter().any(|r| r.header(name).is_some());
    assert!(sent("authorization") && sent("x-token") && sent("proxy-authorization"));
}

#[test]
fn doctor_warns_about_readable_files_with_secrets() {
    let world = world();
    let files = ["config.toml", "sources.toml"];
    let mode = |name: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(world.config().join(name), permissions).unwrap();
    };
    let warned = || -> Vec<bool> {
        let doctor = world.run(&["doctor"]).out;
        let warns = |name: &str| {
            let mut lines = doctor.lines().filter(|l| l.starts_with("warn") && l.contains(name));
            lines.any(|l| l.contains("readable by other users (mode 640); run: chmod 600"))
        };
        files.map(warns).to_vec()
    };
    files.iter().for_each(|name| mode(name, 0o640));
    assert_eq!(warned(), [true, true]);
    mode("sources.toml", 0o600);
    assert_eq!(warned(), [true, false]);
    // The file contains the name of a variable, but not the secret.
    world.write("config.toml", "[llm]\nendpoint = \"http://localhost:9/v1\"\nmodel = \"m\"\n");
    world.write(
        "sources.toml",
        "[[source]]\nurl = \"http://h/\"\nuser = \"me\"\npassword = { env = \"KEY\" }\n",
    );
    files.iter().for_each(|name| mode(name, 0o640));
    assert_eq!(warned(), [false, false]);
}

//! Loading of files as users write them, valid and invalid, with overrides.

use super::super::{Action, Context, KeyMap, KeySettings, Loaded, Paths, load, show_settings};
use super::folder::{Home, uncommented};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
fn config_show_output_can_be_loaded() {
    let mut text = uncommented(true);
    text = text.replace("max_in_flight = 16", "max_in_flight = 3").replace("\"1s\"", "\"1m 2s\"");
    let first = Home::new(text, "").load(&[]).unwrap().settings;
    assert_eq!(first.net.host_delay, Duration::from_secs(62));
    let shown = toml::to_string(&show_settings(&first)).unwrap();
    assert_eq!(Home::new(shown, "").load(&[]).unwrap().settings, first);
}

/// Every `bad/NAME.toml` must produce exactly the lines of `bad/NAME.txt`. Files named `sources-*` are loaded
/// as `sources.toml`.
#[test]
fn every_bad_file_gives_its_expected_errors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/config/bad");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    assert!(files.len() > 20);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let is_sources = file.file_name().unwrap().to_string_lossy().starts_with("sources-");
        let home = if is_sources { Home::new("", text) } else { Home::new(text, "") };
        let error = home.load(&[]).unwrap_err();
        let dir = format!("{}/", home.paths.config_dir().display());
        let name = if is_sources { "sources.toml:" } else { "config.toml:" };
        let short = error.replace(&dir, "").replace(name, "");
        let expected = file.with_extension("txt");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&expected, format!("{short}\n")).unwrap();
        }
        let expected = fs::read_to_string(expected).unwrap();
        assert_eq!(short.trim_end(), expected.trim_end(), "{}", file.display());
        assert!(!error.contains("TOPSECRET") && !error.contains('\u{1b}'), "{error}");
    }
}

#[test]
fn overrides_accept_toml_and_bare_words() {
    let home = Home::new("[net]\nhost_delay = \"9s\"\nmax_in_flight = 5\n", "");
    let loaded = home
        .load(&[
            "net.host_delay=0s",
            "ui.theme=light",
            "ui.reader_width = 100",
            "browser=[\"w3m\", \"{url}\"]",
            "net.max_body=2MiB",
            "keys.items.\"=\"=pin",
            "themes.dark.text=red",
            "net.contact=a=b",
        ])
        .unwrap()
        .settings;
    assert_eq!(loaded.net.host_delay, Duration::ZERO);
    assert_eq!(loaded.net.max_in_flight, 5);
    assert_eq!(loaded.ui.theme, "light");
    assert_eq!(loaded.ui.reader_width, 100);
    assert_eq!(loaded.browser, ["w3m", "{url}"]);
    assert_eq!(loaded.net.max_body, 2 << 20);
    assert_eq!(loaded.keys.bindings["items"]["="], "pin");
    assert_eq!(loaded.net.contact, "a=b");
}

#[test]
fn reports_invalid_overrides() {
    let home = Home::new("", "");
    let cases = [
        ("net.host_dela=0s", "--set net.host_dela: unknown setting; did you mean \"host_delay\"?"),
        ("net.host_delay=soon", "--set net.host_delay: expected a time"),
        ("nonsense", "--set nonsense: expected KEY=VALUE"),
        ("=1", "--set =1: expected a setting"),
        ("net=1", "--set net: expected a table [net], found 1"),
        ("browser=[\"x\"", "--set browser: not valid TOML"),
        ("ui.theme=blue", "--set ui.theme: expected one of the themes"),
        ("keys.items.g=pin", "--set keys.items.g: keys.items.\"g\": conflicts with"),
    ];
    for (argument, part) in cases {
        let error = home.load(&[argument]).unwrap_err();
        assert!(error.contains(part), "{argument}: {error}");
    }
    assert_eq!(home.load(&["ui.ascii=maybe", "net.hst=1"]).unwrap_err().lines().count(), 2);
}

#[test]
fn missing_files_load_as_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let loaded = load(&Paths::below(&folder.path().join("not/there")), &[]).unwrap();
    assert_eq!(loaded, Loaded::default());
}

#[test]
fn loads_every_key_of_a_source() {
    let text = "\u{feff}[[source]]\r\nurl = \"https://me:p%40ss@x.example/feed\"\r\n\
        title = \"  A\\ttitle\\u001b \"\r\nfolder = \"Tech / Rust/\"\r\ntags = [\"a\"]\r\n\
        interval = \"2h\"\r\nretention.days = 30\r\n\
        headers = { X-Key = { env = \"KEY\" }, X-Plain = \"v\" }\r\n\
        proxy = \"socks5h://127.0.0.1:9050\"\r\nenabled = false\r\n\
        [[source]]\r\nid = \"second\"\r\nurl = \"https://y.example/\"\r\nuser = \"u\"\r\n\
        password = { command = [\"pass\", \"show\", \"y\"] }\r\n";
    let loaded = Home::new("\u{feff}[ui]\r\nascii = true\r\n", text).load(&[]).unwrap();
    assert!(loaded.settings.ui.ascii);
    let one = &loaded.sources[0];
    assert_eq!(one.id.as_str(), "x-example");
    assert_eq!(one.url.as_str(), "https://x.example/feed");
    let auth = one.access.auth.as_ref().unwrap();
    assert_eq!(auth.user, "me");
    assert_eq!(auth.password, crate::model::Secret::Plain("p@ss".to_owned()));
    assert_eq!(one.title.as_deref(), Some("A title"));
    assert_eq!(one.folder.as_deref(), Some("Tech/Rust"));
    assert_eq!(one.interval, Some(Duration::from_secs(7200)));
    assert_eq!(one.retention.unwrap().days, Some(30));
    assert_eq!(one.access.headers.len(), 2);
    assert!(!one.enabled && loaded.sources[1].enabled);
    let debug = format!("{loaded:?}");
    assert!(!debug.contains("p@ss"), "{debug}");
}

#[test]
fn warns_about_duplicate_urls() {
    let text = "[[source]]\nurl = \"https://x.example/\"\n[[source]]\nurl = \"https://x.example\"\n\
        [[source]]\nid = \"mine\"\nurl = \"https://x.example/\"\n\
        [[source]]\nurl = \"http://www.x.example/feed\"\n";
    let loaded = Home::new("", text).load(&[]).unwrap();
    let ids: Vec<_> = loaded.sources.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids[..2], ["x-example", "mine"]);
    assert!(ids[2].starts_with("x-example-"), "{ids:?}");
    assert_eq!(loaded.warnings.len(), 2);
    assert!(loaded.warnings[0].to_string().contains("skipped"), "{:?}", loaded.warnings);
}

#[test]
fn warns_about_unsupported_desktop_notifications() {
    for (how, expected) in [("desktop", !cfg!(feature = "desktop")), ("osc9", false)] {
        let loaded = Home::new(format!("[notify]\nhow = \"{how}\"\n"), "").load(&[]).unwrap();
        let warned = loaded.warnings.iter().any(|w| w.to_string().contains("desktop"));
        assert_eq!(warned, expected, "{how}: {:?}", loaded.warnings);
    }
}

#[test]
fn warns_about_key_commands_without_an_argument() {
    let config = "[keys.items]\n\"x\" = \"pin; save; next-unread\"\n\"y\" = \"search\"\n";
    let loaded = Home::new(config, "").load(&[]).unwrap();
    let [warning] = loaded.warnings.as_slice() else { panic!("{:?}", loaded.warnings) };
    let warning = warning.to_string();
    for part in ["config.toml:2:", "keys.items.\"x\"", "\"save\" needs a file"] {
        assert!(warning.contains(part), "{part}: {warning}");
    }
}

#[test]
fn reads_a_file_of_the_maximum_size() {
    let size = crate::util::limits::CONFIG_BYTES;
    for (bytes, is_read) in [(size, true), (size + 1, false)] {
        let comment = format!("#{}", "x".repeat(bytes - 1));
        assert_eq!(Home::new(&comment, "").load(&[]).is_ok(), is_read, "{bytes}");
    }
}

#[test]
fn warns_if_min_interval_exceeds_max_interval() {
    let config = "[schedule]\nmin_interval = \"2d\"\n";
    let source = |schedule: &str| {
        format!("[[source]]\nurl = \"https://x.example/\"\nschedule = {{ {schedule} }}\n")
    };
    let odd = source("min_interval = \"3h\", max_interval = \"1h\"");
    let summary = |config: &str, sources: &str, overrides: &[&str]| {
        let loaded = Home::new(config, sources).load(overrides).unwrap();
        loaded.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let both = summary(config, &odd, &[]);
    assert_eq!(both.len(), 2, "{both:?}");
    let global = "2:1: schedule.min_interval: min_interval (2d) is longer than max_interval \
        (1d), which therefore has no effect";
    assert!(both[0].ends_with(global), "{both:?}");
    assert!(both[1].contains("3:1: source \"https://x.example/\": schedule: "), "{both:?}");
    assert!(both[1].contains("(3h) is longer than max_interval (1h)"), "{both:?}");
    let set = summary("", "", &["schedule.max_interval=1m"]);
    assert!(set.len() == 1 && set[0].starts_with("--set schedule.max_interval: "), "{set:?}");
    let fine = source("min_interval = \"1h\", max_interval = \"1h\"");
    assert_eq!(summary("", &fine, &["schedule.min_interval=1day"]), [""; 0]);
}

#[test]
fn reads_peak_hours_as_quiet_hours_with_a_warning() {
    let site = |keys: &str| {
        let text = format!(
            "[[source]]\nurl = \"https://x.example/\"\nkind = \"website\"\n\
             website = {{ articles = \"a\", title = \"h1\", content = \"p\", \
             peak_hours = \"08:00-18:00\" }}\n{keys}"
        );
        let loaded = Home::new("", text).load(&[]).unwrap();
        let hours = loaded.sources[0].schedule.quiet_hours.clone().unwrap();
        (hours, loaded.warnings.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let (hours, warnings) = site("");
    assert_eq!(hours, "08:00-18:00");
    assert!(
        warnings.len() == 1 && warnings[0].contains("write schedule.quiet_hours"),
        "{warnings:?}"
    );
    let (hours, warnings) = site("schedule.quiet_hours = \"22:00-06:00\"\n");
    assert_eq!(hours, "22:00-06:00");
    assert!(warnings.len() == 1 && warnings[0].contains("is ignored"), "{warnings:?}");
}

#[test]
fn reports_files_that_are_not_text() {
    let dots = "a.".repeat(100_000);
    let brackets = "[".repeat(100_000);
    let cases: [(&[u8], &str); 5] = [
        (b"[ui]\nx = \"\xff\"\n", "is not UTF-8: line 2 has an invalid byte"),
        (&vec![b'#'; 8 * 1024 * 1024 + 1], "is larger than 8 MiB"),
        (b"\0\0\0", "not valid TOML"),
        (dots.as_bytes(), "not valid TOML"),
        (brackets.as_bytes(), "not valid TOML"),
    ];
    for (bytes, part) in cases {
        let error = Home::new(bytes, "").load(&[]).unwrap_err();
        assert!(error.contains("config.toml") && error.contains(part), "{part}: {error:.300}");
        assert!(Home::new("", bytes).load(&[]).unwrap_err().contains("sources.toml"));
    }
    let home = Home::new("", "x = 1");
    fs::remove_file(home.paths.config_file()).unwrap();
    fs::create_dir(home.paths.config_file()).unwrap();
    let error = home.load(&[]).unwrap_err();
    assert!(
        error.contains("a folder, not a file") && error.contains("sources.toml:1:1"),
        "{error}"
    );
}

/// Truncated files, as left behind by a full disk or an editor.
#[test]
fn truncated_files_load_or_report_the_position() {
    let text = uncommented(true);
    let mut refused = 0;
    for cut in (0..text.len()).step_by(13).filter(|cut| text.is_char_boundary(*cut)) {
        let home = Home::new(&text[..cut], "");
        if let Err(words) = home.load(&[]) {
            assert!(words.contains("config.toml:"), "{cut}: {words}");
            refused += 1;
        }
        assert_eq!(fs::read_to_string(home.paths.config_file()).unwrap(), text[..cut]);
    }
    assert!(refused > 20, "{refused}");
}

/// Keys with a conventional meaning, such as Space and Enter, are exempt.
#[test]
fn letters_mean_the_same_in_every_pane() {
    let map = KeyMap::load(&KeySettings::default()).unwrap();
    let usual = ["Space", "Enter", "h", "l", "Left", "Right", "Backspace"];
    let mut meanings: BTreeMap<String, BTreeSet<Action>> = BTreeMap::new();
    for context in Context::ALL {
        for (keys, action) in map.bindings(context) {
            for key in keys.split(", ").filter(|key| !usual.contains(key)) {
                meanings.entry(key.to_owned()).or_default().insert(action);
            }
        }
    }
    // `f` finds in the pane: a source by its name, items by their titles, or text in the article.
    let find = BTreeSet::from([Action::Jump, Action::Filter, Action::Find]);
    assert_eq!(meanings.remove("f"), Some(find));
    // `/` searches all items, or the article in the Reader, as in every pager.
    let search = BTreeSet::from([Action::Search, Action::Find]);
    assert_eq!(meanings.remove("/"), Some(search));
    // `Z` folds in the pane: a folder or stories.
    let fold = BTreeSet::from([Action::Fold, Action::FoldStories]);
    assert_eq!(meanings.remove("Z"), Some(fold));
    meanings.retain(|_, actions| actions.len() > 1);
    assert_eq!(meanings, BTreeMap::new());
}

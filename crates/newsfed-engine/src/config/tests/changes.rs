//! Changes that the program makes to the files: what is written, and what is preserved.

use super::super::{ConfigFile, EditError, KeyChange, Paths, SourceChange, SourcesFile, load};
use super::folder::EXAMPLE;
use super::{SOURCES, home, id, ids, text};
use crate::model::{
    BasicAuth, Retention, Secret, Source, SourceId, SourceKind, SourceRules, WebsiteRules,
};
use proptest::prelude::*;
use std::fs;
use std::time::Duration;

#[test]
fn add_creates_the_file_and_appends() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    let file = SourcesFile::open(&paths);
    let mut one = Source::feed(id("one"), "https://one.example/feed".parse().unwrap());
    one.title = Some("It's \"one\"".to_owned());
    file.add(std::slice::from_ref(&one)).unwrap();
    let two = Source::feed(id("two"), "https://two.example/".parse().unwrap());
    file.add(std::slice::from_ref(&two)).unwrap();
    assert_eq!(load(&paths, &[]).unwrap().sources, [one.clone(), two]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(paths.sources_file()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let again = file.add(&[one]).unwrap_err();
    assert!(
        matches!(&again, EditError::Refused(e) if e.to_string().contains("same id")),
        "{again}"
    );
    assert_eq!(ids(&paths), ["one", "two"]);
}

#[test]
fn website_rules_round_trip() {
    let (_folder, paths) = home(SOURCES);
    let whole = WebsiteRules {
        articles: Some("ul.news > li a[href^=\"/n/\"]".to_owned()),
        next: Some("a[rel~=next]".to_owned()),
        max_pages: 3,
        title: "h1[title=\"it's\"], h1".to_owned(),
        content: ".text".to_owned(),
        author: Some(".by".to_owned()),
        date: Some("time".to_owned()),
        date_format: Some("2 January 2006".to_owned()),
        targets: None,
        delay: Some(Duration::from_millis(2500)),
    };
    let default = WebsiteRules::default();
    let source = |name: &str, kind, rules| Source {
        rules: SourceRules::new(kind, rules),
        ..Source::feed(id(name), format!("https://{name}.example/").parse().unwrap())
    };
    let added = [
        source("whole", SourceKind::Website, whole.clone()),
        source("one", SourceKind::Page, default.clone()),
        source("map", SourceKind::Sitemap, default.clone()),
        source(
            "crawl",
            SourceKind::Crawl,
            WebsiteRules { targets: Some("text/csv,application/pdf".to_owned()), ..default },
        ),
    ];
    let file = SourcesFile::open(&paths);
    file.add(&added).unwrap();
    assert_eq!(load(&paths, &[]).unwrap().sources[3..], added);
    let change = SourceChange::default().set("title", "New");
    file.update(&[id("whole")], &change).unwrap();
    let changed = &load(&paths, &[]).unwrap().sources[3];
    assert_eq!((changed.title.as_deref(), changed.rules.pages()), (Some("New"), Some(&whole)));
    file.remove(&[id("one")]).unwrap();
    assert_eq!(ids(&paths)[3..], ["whole", "map", "crawl"]);
}

#[test]
fn undoing_a_removal_restores_the_exact_file() {
    for sources in [SOURCES.to_owned(), SOURCES.replace('\n', "\r\n"), format!("\u{feff}{SOURCES}")]
    {
        let (_folder, paths) = home(&sources);
        let file = SourcesFile::open(&paths);
        let all = ids(&paths);
        assert_eq!(all, ["a-example", "b", "c"]);
        for gone in [&all[..1], &all[1..2], &all[2..], &all[..2], &all[..]] {
            let gone: Vec<_> = gone.iter().map(|i| id(i)).collect();
            let removed = file.remove(&gone).unwrap();
            let kept: Vec<_> = all.iter().filter(|i| !gone.contains(&id(i))).cloned().collect();
            assert_eq!(ids(&paths), kept);
            assert!(text(&paths).contains("# My feeds."), "the head of the file stays");
            removed.revert(&paths).unwrap();
            assert_eq!(text(&paths), sources);
        }
    }
}

#[test]
fn undoing_a_removal_works_in_a_file_changed_since() {
    let (_folder, paths) = home(SOURCES);
    let file = SourcesFile::open(&paths);
    let removed = file.remove(&[id("a-example"), id("b")]).unwrap();
    assert_eq!(format!("{removed:?}"), "FileEdit(a-example, b)");
    fs::write(paths.sources_file(), format!("# new head\n\n{}", text(&paths))).unwrap();
    removed.revert(&paths).unwrap();
    assert_eq!(ids(&paths), ["a-example", "b", "c"]);
    let now = text(&paths);
    for comment in ["# new head", "# The best one\n[[source]] # first", "# daily", "\"x\", # one"] {
        assert!(now.contains(comment), "{comment} in {now}");
    }
    let removed = file.remove(&[id("c")]).unwrap();
    file.add(&[Source::feed(id("c"), "https://new.example/".parse().unwrap())]).unwrap();
    assert!(matches!(removed.revert(&paths), Err(EditError::Refused(_))));
    assert!(matches!(file.remove(&[id("bb")]), Err(EditError::Unknown(..))));
}

#[test]
fn update_changes_only_given_keys() {
    let (_folder, paths) = home(SOURCES);
    let file = SourcesFile::open(&paths);
    let change = SourceChange::default()
        .set("url", "https://moved.example/feed")
        .set("title", "New")
        .set("folder", "X/Y")
        .set("tags", "q")
        .set("enabled", "on")
        .set("interval", "2h")
        .set("full_text", "all");
    file.update(&[id("a-example")], &change).unwrap();
    let added =
        "\nid = 'a-example'\nfolder = 'X/Y'\ntags = ['q']\ninterval = '2h'\nfull_text = 'all'"
            .replace('\'', "\"");
    let expected = SOURCES
        .replace("https://a.example/feed", "https://moved.example/feed")
        .replace("title = 'A'# tight", &format!("title = \"New\"# tight{added}"));
    assert_eq!(text(&paths), expected);

    let change = SourceChange::default().set("tags", "").set("enabled", "off");
    file.update(&[id("b"), id("c")], &change).unwrap();
    let loaded = load(&paths, &[]).unwrap().sources;
    assert!(!loaded[1].enabled && !loaded[2].enabled && loaded[1].tags.is_empty());
    assert_eq!(loaded[1].access.headers.len(), 1);
    let refused = SourceChange::default().set("interval", "soon");
    assert!(matches!(file.update(&[id("b")], &refused), Err(EditError::Refused(_))));
}

#[test]
fn invalid_file_is_not_changed() {
    let broken = "[[source]]\nurl = 3\n";
    let (_folder, paths) = home(broken);
    let file = SourcesFile::open(&paths);
    let one = Source::feed(id("one"), "https://one.example/feed".parse().unwrap());
    let error = file.add(std::slice::from_ref(&one)).unwrap_err();
    assert!(
        matches!(error, EditError::Invalid(_)) && error.to_string().contains(":2:7:"),
        "{error}"
    );
    assert_eq!(text(&paths), broken);
    let (_folder, paths) = home("source = [{ id = \"a\", url = \"https://a.example/\" }]\n");
    let file = SourcesFile::open(&paths);
    assert!(file.remove(&[id("a")]).unwrap_err().to_string().contains("in an editor"));
    assert!(file.add(&[one]).is_err());
    assert_eq!(ids(&paths), ["a"]);
}

#[test]
fn sets_settings_in_place() {
    let (_folder, paths) = home("");
    let file = ConfigFile::open(&paths);
    file.set(&["ui", "theme"], "light").unwrap();
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "[ui]\ntheme = \"light\"\n");
    fs::write(file.path(), EXAMPLE).unwrap();
    file.set(&["ui", "theme"], "mono").unwrap();
    file.set(&["browser_in_terminal"], true).unwrap();
    let settings = load(&paths, &[]).unwrap().settings;
    assert_eq!((settings.ui.theme.as_str(), settings.browser_in_terminal), ("mono", true));
    file.unset(&["ui", "theme"]).unwrap();
    file.unset(&["browser_in_terminal"]).unwrap();
    assert_eq!(load(&paths, &[]).unwrap().settings, Default::default());
    let error = file.set(&["ui", "theme"], "nigth").unwrap_err();
    assert!(matches!(error, EditError::Refused(_)), "{error}");
    assert!(file.set(&["ui", "them"], "dark").unwrap_err().to_string().contains("\"theme\""));
    fs::write(file.path(), "[ui\n").unwrap();
    assert!(matches!(file.set(&["ui", "theme"], "dark"), Err(EditError::Invalid(_))));
}

fn any_source() -> impl Strategy<Value = Source> {
    let word = "[a-zA-Z0-9äß\"'\\\\#\\[\\]= ]{0,12}[a-z\"'\\\\]";
    let secret = prop_oneof![
        "[^\\r\\n\\x00]{0,12}".prop_map(Secret::Plain),
        "[A-Z]{1,8}".prop_map(Secret::Env),
        prop::collection::vec("[^\\x00]{0,8}", 1..3).prop_map(Secret::Command),
    ];
    let access = (
        prop::option::of(("[^\\x00]{1,8}", secret.clone())),
        prop::collection::vec(("X-[A-Za-z]{1,6}", secret), 0..2),
        prop::bool::ANY,
    );
    let retention = (prop::option::of(1u32..9), prop::option::of(1u32..9), any::<bool>());
    (
        "[a-z0-9][a-z0-9._-]{0,10}",
        "[a-z]{1,8}",
        // The loader cleans titles and makes them one line.
        prop::option::of(word.prop_map(|w| crate::util::text::line(&w))),
        prop::option::of("[a-z\"']{1,5}(/[a-z]{1,3}){0,2}"),
        prop::collection::vec("[a-z\"']{1,5}", 0..3),
        any::<bool>(),
        prop::option::of(1u64..1_000_000),
        prop::option::of(retention),
        access,
    )
        .prop_map(|(name, path, title, folder, tags, enabled, interval, retention, access)| {
            let url = format!("https://example.org/{path}?a=b&c='d'");
            let mut source = Source::feed(SourceId(name), url.parse().unwrap());
            source.title = title;
            source.folder = folder;
            source.tags = tags;
            source.enabled = enabled;
            source.interval = interval.map(Duration::from_secs);
            source.schedule = schedule_from(interval);
            source.retention =
                retention.map(|(days, items, unread)| Retention { days, items, unread });
            let (auth, mut headers, proxy) = access;
            headers.dedup_by(|a, b| a.0 == b.0);
            source.access.auth = auth.map(|(user, password)| BasicAuth { user, password });
            source.access.headers = headers;
            source.access.proxy = proxy.then(|| "socks5h://127.0.0.1:9050".to_owned());
            source
        })
}

/// A schedule with some of the keys set, selected by a number.
fn schedule_from(seed: Option<u64>) -> crate::model::SourceSchedule {
    use crate::model::{PolicyKind, Priority, SourceSchedule};
    let Some(n) = seed else { return SourceSchedule::default() };
    let is_set = |bit: u64| n >> bit & 1 == 1;
    let share = n as f64 / 1_000_000.0;
    let time = Duration::from_secs(n % 80_000 + 60);
    SourceSchedule {
        policy: PolicyKind::ALL.get(n as usize % 5).copied(),
        priority: is_set(0).then_some(Priority::High),
        polls_per_day: is_set(1).then_some(share + 1.0),
        min_interval: is_set(2).then_some(time),
        max_interval: is_set(3).then_some(time),
        quiet_hours: is_set(11).then(|| format!("{:02}:30-07:00", n % 24)),
        change_rate_smoothing: is_set(4).then_some(share),
        change_rate_gain: is_set(5).then_some(share),
        change_rate_target: is_set(6).then_some(share),
        advarss_tick: is_set(7).then_some(time),
        advarss_cap: is_set(8).then_some(n as u32 % 640 + 1),
        learned_exponent: is_set(9).then_some(share),
        learned_silence: is_set(10).then_some(8.0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn added_sources_load_unchanged(sources in prop::collection::vec(any_source(), 0..4)) {
        let (_folder, paths) = home("");
        let mut sources = sources;
        for (i, source) in sources.iter_mut().enumerate() {
            source.id.0.push_str(&i.to_string());
        }
        SourcesFile::open(&paths).add(&sources).unwrap();
        prop_assert_eq!(load(&paths, &[]).unwrap().sources, sources);
    }
}

#[test]
fn settings_for_account_sources_get_their_own_entry() {
    let (_folder, paths) = home("[[source]]\nid = \"one\"\nurl = \"https://own.example/\"\n");
    let file = SourcesFile::open(&paths);
    let collected = |name: &str, url: &str, account: &str| {
        let mut source = Source::feed(id(name), url.parse().unwrap());
        (source.title, source.folder) = (Some("Theirs".to_owned()), Some("Theirs".to_owned()));
        source.account = Some(account.to_owned());
        source
    };
    let color = |number: &str| {
        vec![KeyChange { path: vec!["color".to_owned()], value: Some(number.to_owned()) }]
    };
    let change = |source: Source, number: &str| {
        file.override_each(&[(source, color(number))]).unwrap();
    };
    let entries = || -> Vec<(String, Option<String>, Option<u32>)> {
        let all = file.declared().unwrap().into_iter();
        all.map(|source| (source.id.0, source.account, source.color)).collect()
    };
    let url = "https://one.example/";
    let entry =
        |name: &str, account: &str, color| (name.to_owned(), Some(account.to_owned()), Some(color));
    change(collected("one", url, "a"), "3");
    let own = ("one".to_owned(), None, None);
    let first = "one-example";
    assert_eq!(entries(), [own.clone(), entry(first, "a", 3)], "the identifier was taken");
    // An entry is found by account and URL, then by identifier; otherwise a new one is added.
    change(collected("other", url, "a"), "4");
    assert_eq!(entries()[1..], [entry(first, "a", 4)]);
    change(collected(first, "https://moved.example/", "a"), "5");
    assert_eq!(entries()[1..], [entry(first, "a", 5)]);
    change(collected("two", "https://two.example/", "a"), "6");
    change(collected("three", url, "b"), "7");
    let rest = [entry(first, "a", 5), entry("two", "a", 6), entry("three", "b", 7)];
    assert_eq!(entries()[1..], rest);
    let all = file.declared().unwrap();
    assert!(all.iter().all(|source| source.title.is_none() && source.folder.is_none()));
    let wrong =
        file.override_each(&[(collected("four", "https://four.example/", "a"), color("99"))]);
    assert!(matches!(wrong, Err(EditError::Invalid(_))));
}

#[test]
fn finds_the_line_of_an_entry_for_editors() {
    let (_folder, paths) = home(SOURCES);
    let file = SourcesFile::open(&paths);
    let line = |name: &str| file.line_of(&id(name)).map(|(_, line)| line);
    let of = |header: &str| SOURCES.lines().position(|l| l == header).unwrap() + 1;
    assert_eq!(line("a-example").unwrap(), of("[[source]] # first"));
    assert_eq!(line("b").unwrap() + 1, of("id = \"b\""));
    assert_eq!(line("c").unwrap() + 1, of("id = \"c\""));
    assert!(matches!(line("x"), Err(EditError::Unknown(..))));
    fs::write(paths.sources_file(), "# one\n\n[[source]]\nurl = 3\n").unwrap();
    let (path, line) = file.line_of(&id("b")).unwrap();
    assert_eq!((path, line), (paths.sources_file(), 4), "the first error");
}

//! Changes of the files by the program: what is written, and what stays.

// Clippy does not recognise the helpers below as test code.

use newsfed::config::{
    ConfigFile, EditError, FileEdit, KeyChange, Paths, SourceChange, SourcesFile, ViewChange,
    ViewSettings, load,
};
use newsfed::model::{
    BasicAuth, Retention, Secret, Source, SourceId, SourceKind, SourceRules, WebsiteRules,
};
use proptest::prelude::*;
use std::fs;
use std::time::Duration;
use tempfile::TempDir;

const SOURCES: &str = "# My feeds.\n\n# The best one\n[[source]] # first\nurl = \"https://a.example/feed\"  # daily\n\
    title = 'A'# tight\n\n[[source]]\nid = \"b\"\nurl = \"https://b.example/\"\ntags = [\n  \"x\", # one\n]\n\
    [source.headers]\nX-Key = { env = \"KEY\" }\n\n# off for now\n[[source]]\nid = \"c\"\nurl = \"https://c.example/\"\nenabled = false\n";

fn home(sources: &str) -> (TempDir, Paths) {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    fs::create_dir_all(paths.config_dir()).unwrap();
    fs::write(paths.sources_file(), sources).unwrap();
    (folder, paths)
}

fn id(id: &str) -> SourceId {
    SourceId(id.to_owned())
}

fn text(paths: &Paths) -> String {
    fs::read_to_string(paths.sources_file()).unwrap()
}

fn ids(paths: &Paths) -> Vec<String> {
    load(paths, &[]).unwrap().sources.into_iter().map(|s| s.id.0).collect()
}

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
fn update_changes_only_the_given_keys() {
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
    fs::write(file.path(), include_str!("../../config.example.toml")).unwrap();
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
        // The loader turns titles into one clean line.
        prop::option::of(word.prop_map(|w| newsfed::util::text::line(&w))),
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

/// A schedule with some of the keys, chosen by a number.
fn schedule_from(seed: Option<u64>) -> newsfed::model::SourceSchedule {
    use newsfed::model::{PolicyKind, Priority, SourceSchedule};
    let Some(n) = seed else { return SourceSchedule::default() };
    let said = |bit: u64| n >> bit & 1 == 1;
    let share = n as f64 / 1_000_000.0;
    let time = Duration::from_secs(n % 80_000 + 60);
    SourceSchedule {
        policy: PolicyKind::ALL.get(n as usize % 5).copied(),
        priority: said(0).then_some(Priority::High),
        polls_per_day: said(1).then_some(share + 1.0),
        min_interval: said(2).then_some(time),
        max_interval: said(3).then_some(time),
        quiet_hours: said(11).then(|| format!("{:02}:30-07:00", n % 24)),
        change_rate_smoothing: said(4).then_some(share),
        change_rate_gain: said(5).then_some(share),
        change_rate_target: said(6).then_some(share),
        advarss_tick: said(7).then_some(time),
        advarss_cap: said(8).then_some(n as u32 % 640 + 1),
        learned_exponent: said(9).then_some(share),
        learned_silence: said(10).then_some(8.0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn added_sources_load_back(sources in prop::collection::vec(any_source(), 0..4)) {
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
fn changes_several_sources_and_undoes_all() {
    let (_folder, paths) = home(SOURCES);
    let file = SourcesFile::open(&paths);
    let tags = SourceChange::default().add_tags(["y".into()]).remove_tags(["x".into()]);
    let title = SourceChange::default().set("title", "See");
    let edited = file.update_each(&[(id("b"), tags), (id("c"), title)]).unwrap();
    assert_eq!(edited.describe(), "tags, title of 2 sources");
    let changed = text(&paths);
    assert!(changed.contains("# one\ntags = [\"y\"]\n"), "{changed}");
    assert!(changed.contains("enabled = false\ntitle = \"See\"\n"), "{changed}");
    let again = SourceChange::default().add_tags(["y".into()]);
    assert!(file.update(&[id("b")], &again).unwrap().is_empty());
    let back = edited.revert(&paths).unwrap();
    assert_eq!(text(&paths), SOURCES);
    back.revert(&paths).unwrap();
    assert_eq!(text(&paths), changed);
    let unknown = file.update(&[id("bb")], &again);
    assert!(matches!(unknown, Err(EditError::Unknown(..))));
    assert_eq!(text(&paths), changed);
}

#[test]
fn undoing_a_move_works_in_a_file_changed_since() {
    let (_folder, paths) = home(SOURCES);
    let file = SourcesFile::open(&paths);
    let edited = file.reorder(&[id("a-example"), id("b")], None).unwrap();
    assert_eq!(ids(&paths), ["c", "a-example", "b"]);
    assert!(text(&paths).contains("\n\n# The best one\n[[source]] # first\n"), "{}", text(&paths));
    fs::write(paths.sources_file(), format!("{}\n# mine\n", text(&paths))).unwrap();
    edited.revert(&paths).unwrap();
    assert_eq!(ids(&paths), ["a-example", "b", "c"]);
    assert!(text(&paths).ends_with("\n# mine\n"));
    assert!(file.reorder(&[id("b")], Some(&id("c"))).unwrap().is_empty(), "it is there already");
}

#[test]
fn view_edits_keep_the_rest_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    let file = ConfigFile::open(&paths);
    let view = |name: &str, query: &str| ViewSettings {
        name: name.into(),
        query: query.into(),
        layout: Default::default(),
    };
    let change = |was: Option<ViewSettings>, now| [ViewChange { was, now }];
    file.edit_views(&change(None, Some(view("A", "a \"b\"")))).unwrap();
    let text = || fs::read_to_string(paths.config_file()).unwrap();
    assert_eq!(text(), "[[view]]\nname = \"A\"\nquery = 'a \"b\"'\n");
    fs::write(paths.config_file(), format!("# top\n\n# mine\n{}# more\n\n[ui] # x\n", text()))
        .unwrap();
    let before = text();
    let renamed = change(Some(view("A", "a \"b\"")), Some(view("B", "unread")));
    let edited = file.edit_views(&renamed).unwrap();
    assert_eq!(file.settings(&[]).unwrap().views, [view("B", "unread")]);
    assert_eq!(text(), before.replace("\"A\"", "\"B\"").replace("'a \"b\"'", "\"unread\""));
    fs::write(paths.config_file(), format!("{}ascii = true\n", text())).unwrap();
    edited.revert(&paths).unwrap();
    assert_eq!(text(), format!("{before}ascii = true\n"));
    let deleted = file.edit_views(&change(Some(view("A", "")), None)).unwrap();
    assert_eq!(text(), "# top\n\n[ui] # x\nascii = true\n");
    deleted.revert(&paths).unwrap();
    assert_eq!(text(), format!("{before}ascii = true\n"));
    let taken = file.edit_views(&change(None, Some(view("A", "x")))).unwrap_err();
    assert!(taken.to_string().contains("there is a view \"A\" already"), "{taken}");
    assert_eq!(
        file.add_views(&[view("A", "x"), view("C", "y"), view("C", "z")])
            .unwrap()
            .inserted()
            .count(),
        1
    );
    fs::write(paths.config_file(), "view = [{ name = \"A\", query = \"x\" }]\n").unwrap();
    assert!(file.edit_views(&change(Some(view("A", "x")), None)).is_err(), "in an editor only");
}

/// Undo does not overwrite later changes made elsewhere.
#[test]
fn undo_refuses_keys_changed_elsewhere() {
    let (_folder, paths) = home(SOURCES);
    let file = SourcesFile::open(&paths);
    let write = |new: &str| fs::write(paths.sources_file(), new).unwrap();
    let title = SourceChange::default().set("title", "See");
    let edited = file.update(&[id("b"), id("c")], &title).unwrap();
    let left = text(&paths);
    let theirs = left.replacen("\"See\"", "\"Theirs\"", 1);
    write(&theirs);
    let refused = edited.revert(&paths).unwrap_err();
    assert!(matches!(refused, EditError::Overtaken(_)), "{refused}");
    assert_eq!(
        refused.to_string(),
        "nothing was changed: title of source \"b\" was changed elsewhere since then"
    );
    assert_eq!(text(&paths), theirs, "neither of the two was changed");
    // Other keys may change.
    write(&format!("{left}tags = [\"x\"]\n"));
    let back = edited.revert(&paths).unwrap();
    assert!(!text(&paths).contains("See") && text(&paths).ends_with("tags = [\"x\"]\n"));
    write(&text(&paths).replace("[[source]] # first", "[[source]] # 1st"));
    back.revert(&paths).unwrap();
    assert_eq!(text(&paths).matches("title = \"See\"").count(), 2);

    write(SOURCES);
    let url = "https://new.example/feed".parse().unwrap();
    let new = Source::feed(id("new"), url);
    let (_, edited) = file.import(&[new]).unwrap();
    let added = text(&paths);
    write(&format!("{added}title = \"Mine\"\n"));
    let refused = edited.revert(&paths).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "nothing was changed: source \"new\" was changed elsewhere since then"
    );
    assert!(text(&paths).ends_with("title = \"Mine\"\n"));
    write(&format!("{added}\n\n# mine\n"));
    edited.revert(&paths).unwrap();
    assert_eq!(ids(&paths), ["a-example", "b", "c"]);
    assert!(text(&paths).ends_with("# mine\n"));
}

#[test]
fn undoes_a_change_made_in_an_editor_unless_the_file_changed() {
    let (_folder, paths) = home("# one\n");
    let write = |new: &str| fs::write(paths.sources_file(), new).unwrap();
    assert_eq!(FileEdit::by_hand("# one\n".to_owned(), "# one\n".to_owned()), None);
    write("# two\r\n");
    let edit = FileEdit::by_hand("# one\n".to_owned(), text(&paths)).unwrap();
    let back = edit.revert(&paths).unwrap();
    assert_eq!(text(&paths), "# one\n");
    assert_eq!(back.revert(&paths).unwrap(), edit);
    assert_eq!(text(&paths), "# two\r\n");
    write("# three\n");
    let refused = edit.revert(&paths).unwrap_err();
    assert!(refused.to_string().contains("sources.toml was changed elsewhere"), "{refused}");
    assert_eq!(text(&paths), "# three\n");
}

#[test]
fn undo_refuses_settings_and_views_changed_elsewhere() {
    let (_folder, paths) = home(SOURCES);
    let file = ConfigFile::open(&paths);
    let write = |new: &str| fs::write(paths.config_file(), new).unwrap();
    let text = || fs::read_to_string(paths.config_file()).unwrap();
    write("[ui]\nascii = false\n");
    let ascii = |value: &str| KeyChange {
        path: vec!["ui".to_owned(), "ascii".to_owned()],
        value: Some(value.to_owned()),
    };
    let edited = file.edit(None, &[ascii("true")]).unwrap();
    write("[ui]\nmouse = false\n");
    let refused = edited.revert(&paths).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "nothing was changed: ui.ascii was changed elsewhere since then"
    );
    assert_eq!(text(), "[ui]\nmouse = false\n");
    write("[ui]\nascii = true\nmouse = false\n");
    edited.revert(&paths).unwrap();
    assert_eq!(text(), "[ui]\nascii = false\nmouse = false\n");

    let view = |name: &str, query: &str| ViewSettings {
        name: name.into(),
        query: query.into(),
        layout: Default::default(),
    };
    let (a, b) = (view("A", "unread"), view("B", "pinned"));
    write("");
    let added = file.add_views(&[a.clone(), b.clone()]).unwrap();
    let theirs = text().replace("pinned", "rust");
    write(&theirs);
    let refused = added.revert(&paths).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "nothing was changed: view \"B\" was changed elsewhere since then"
    );
    assert_eq!(text(), theirs);
    write(&format!("# mine\n\n{}", added_text(&[&a])));
    // One of them was removed already.
    added.revert(&paths).unwrap();
    assert!(file.settings(&[]).unwrap().views.is_empty());
    assert_eq!(text(), "# mine\n");
    write(&added_text(&[&a]));
    let change = ViewChange { was: Some(a), now: Some(view("C", "rust")) };
    let renamed = file.edit_views(&[change]).unwrap();
    write("# mine\n");
    let refused = renamed.revert(&paths).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "nothing was changed: view \"C\" was changed elsewhere since then"
    );
    assert_eq!(text(), "# mine\n");
}

fn added_text(views: &[&ViewSettings]) -> String {
    let one = |v: &&ViewSettings| format!("[[view]]\nname = {:?}\nquery = {:?}\n", v.name, v.query);
    views.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// A file with sources that have comments everywhere.
fn commented(seeds: &[(bool, bool, bool, u8)]) -> String {
    let mut text = String::from("# the file\n\n");
    for (i, (above, behind, below, gap)) in seeds.iter().enumerate() {
        if *above {
            text += &format!("# above {i}\n");
        }
        text += &format!(
            "[[source]]{}\nid = \"s{i}\"\n",
            if *behind { format!(" # head {i}") } else { String::new() }
        );
        text +=
            &format!("url = \"https://s{i}.example/\" # url {i}\nfolder = \"F\" # folder {i}\n");
        if *behind {
            text += &format!("tags = [\"t{i}\", # tag {i}\n]\n");
        }
        if *below {
            text += &format!("[source.headers] # headers {i}\nX = \"{i}\"\n# below {i}\n");
        }
        text += &"\n".repeat(usize::from(*gap % 3) + 1);
    }
    text
}

proptest! {
    /// After any bulk changes, every comment is still there, the loader reads the new values, and
    /// undoing all restores the exact file.
    #[test]
    fn bulk_changes_keep_every_comment_and_undo_exactly(
        seeds in proptest::collection::vec(any::<(bool, bool, bool, u8)>(), 2..7),
        verbs in proptest::collection::vec((0u8..5, any::<u8>(), any::<u8>()), 1..8),
    ) {
        let before = commented(&seeds);
        let (_folder, paths) = home(&before);
        let file = SourcesFile::open(&paths);
        let mut done = Vec::new();
        for (verb, which, to) in verbs {
            let now = ids(&paths);
            let chosen = |i: &usize| which & (1 << i) != 0;
            let chosen: Vec<SourceId> = (0..now.len()).filter(chosen).map(|i| id(&now[i])).collect();
            let name = || format!("n{to}");
            let given = || if to > 9 { name() } else { String::new() };
            let change = SourceChange::default();
            let change = match verb {
                0 => change.set("title", &given()),
                1 => change.set("folder", &given()),
                2 => change.add_tags([name()]).remove_tags(["t1".into()]),
                3 => change.set("enabled", if to > 127 { "on" } else { "off" }),
                _ => {
                    let next = now.get(usize::from(to) % (now.len() + 1)).map(|n| id(n));
                    done.push(file.reorder(&chosen, next.as_ref()).unwrap());
                    let after = ids(&paths);
                    let rest = |list: &[String]| -> Vec<String> {
                        list.iter().filter(|i| !chosen.contains(&id(i))).cloned().collect()
                    };
                    prop_assert_eq!(rest(&now), rest(&after), "the others keep their order");
                    let moved: Vec<_> = after.iter().map(|i| id(i)).filter(|i| chosen.contains(i)).collect();
                    prop_assert_eq!(&moved, &chosen);
                    if let Some(next) = next.filter(|n| !chosen.contains(n)) {
                        let at = after.iter().position(|i| *i == next.0).unwrap();
                        prop_assert!(chosen.is_empty() || id(&after[at - 1]) == *chosen.last().unwrap());
                    }
                    continue;
                }
            };
            done.push(file.update(&chosen, &change).unwrap());
            for source in load(&paths, &[]).unwrap().sources.iter().filter(|s| chosen.contains(&s.id)) {
                match verb {
                    0 => prop_assert_eq!(&source.title, &(to > 9).then(name)),
                    1 => prop_assert_eq!(&source.folder, &(to > 9).then(name)),
                    2 => prop_assert!(source.tags.contains(&name())),
                    _ => prop_assert_eq!(source.enabled, to > 127),
                }
            }
        }
        let after = text(&paths);
        for comment in before.lines().filter_map(|l| l.find('#').map(|at| l[at..].trim_end())) {
            prop_assert!(after.contains(comment), "{} is not in\n{}", comment, after);
        }
        for edited in done.iter().rev() {
            edited.revert(&paths).unwrap();
        }
        prop_assert_eq!(text(&paths), before);
    }
}

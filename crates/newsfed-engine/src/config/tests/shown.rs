//! Descriptions of settings for users and for other programs.

use super::super::*;
use crate::model::{Source, SourceId};
use std::collections::BTreeSet;

fn source(url: &str) -> Source {
    Source::feed(SourceId("a".to_owned()), url.parse().unwrap())
}

#[test]
fn committed_schemas_describe_every_key() {
    let config = include_str!("../../../../../docs/schema/config.json");
    let sources = include_str!("../../../../../docs/schema/sources.json");
    for (schema, committed) in [(config_schema(), config), (sources_schema(), sources)] {
        let committed: serde_json::Value = serde_json::from_str(committed).unwrap();
        assert_eq!(schema, committed, "run `just schemas`");
    }
}

/// Whether all texts are distinct and non-empty.
fn are_distinct<'a>(texts: impl IntoIterator<Item = &'a str>) -> bool {
    let texts: Vec<&str> = texts.into_iter().collect();
    let all: BTreeSet<&str> = texts.iter().copied().collect();
    all.len() == texts.len() && !all.contains("")
}

#[test]
fn names_and_titles_are_distinct() {
    assert!(are_distinct(Context::ALL.map(Context::title)));
    assert!(are_distinct(Context::ALL.map(Context::name)));
    assert!(are_distinct(Action::ALL.iter().map(|action| action.name())));
    let tasks: Vec<&str> = Action::ALL.iter().map(|action| action.task().title()).collect();
    let mut in_order = tasks.clone();
    in_order.dedup();
    assert!(in_order.len() == 9 && are_distinct(in_order), "{tasks:?}");
    assert!(are_distinct(FormPage::ALL.map(FormPage::title)));
    assert!(are_distinct(source_options().iter().map(|option| option.name)));
    assert!(are_distinct(setting_rows().map(|row| row.key)));
    assert!(setting_rows().all(|row| !row.label.is_empty() && row.help.ends_with('.')));
}

#[test]
fn finds_commands_and_settings_by_synonyms() {
    for (action, word) in [
        (Action::Add, "podcast"),
        (Action::Queue, "listen"),
        (Action::Download, "attachment"),
        (Action::Downloads, "podcast"),
        (Action::Run, "plugin"),
        (Action::Pipe, "shell"),
        (Action::Keys, "shortcut"),
        (Action::Rules, "killfile"),
        (Action::Import, "opml"),
        (Action::Hide, "block"),
        (Action::Later, "bookmark"),
        (Action::Pin, "star"),
        (Action::Save, "export"),
        (Action::Crawl, "spider"),
        (Action::Workbench, "css"),
        (Action::Log, "errors"),
        (Action::Why, "interval"),
        (Action::FullText, "readability"),
        (Action::SaveView, "smart"),
        (Action::Settings, "preferences"),
        (Action::Help, "manual"),
        (Action::Quit, "exit"),
    ] {
        assert!(action.is_searched_by(&[word]), "{word}");
        assert!(action.is_searched_by(&[&word[..2], word]) && !action.is_searched_by(&[]));
        assert!(!action.is_searched_by(&[word, "xyzzy"]), "each word counts");
    }
    assert!(!Action::Redraw.is_searched_by(&["x"]));
    // A plural finds its singular, unless the word is short.
    let cases = [
        ("feed", "feeds", true),
        ("feed", "fe", true),
        ("ai", "ais", false),
        ("fee", "feeds", false),
    ];
    for (part, typed, want) in cases {
        assert_eq!(begins_as(part, typed), want, "{part} {typed}");
    }
    for (key, word) in [
        ("notify.how", "alert"),
        ("machines.folder", "sync"),
        ("listen.player", "podcast"),
        ("download.folder", "enclosure"),
        ("llm.endpoint", "ai"),
        ("serve.listen", "greader"),
    ] {
        let table = key.split_once('.').unwrap().0;
        let row = setting_rows().find(|row| row.key.starts_with(table)).unwrap();
        assert!(row.search_words().split(' ').any(|w| w == word), "{key}");
    }
    let plain = setting_rows().find(|row| row.key.starts_with("ui.")).unwrap();
    assert_eq!(plain.search_words(), "");
    assert!(topics("podc").any(|topic| topic.name == "[open]"));
    assert!(
        topics("webhook").all(|topic| topic.name == "[[hook]]") && topics("webhook").count() == 1
    );
    assert_eq!(topics("xyzzy").count(), 0);
}

#[test]
fn lists_settings_except_defaults_and_secrets() {
    let mut one = source("https://x.example/feed");
    assert_eq!((own_keys(&one), source_values(&one)), (vec![], vec![]));
    one.title = Some("My title".to_owned());
    one.tags = vec!["a".to_owned(), "b".to_owned()];
    one.enabled = false;
    one.interval = Some(std::time::Duration::from_secs(7200));
    one.schedule.polls_per_day = Some(6.0);
    one.access.headers = vec![("X-Key".to_owned(), crate::model::Secret::Plain("hush".into()))];
    let values = source_values(&one);
    let value =
        |key: &str| values.iter().find(|(k, ..)| *k == key).map(|(_, _, text)| text.as_str());
    assert_eq!(value("title"), Some("My title"));
    assert_eq!(value("tags"), Some("a, b"));
    assert_eq!(value("enabled"), Some("off"));
    assert_eq!(value("interval"), Some("2h"));
    assert_eq!(value("schedule.polls_per_day"), Some("6.0"));
    assert!(are_distinct(values.iter().map(|(_, label, _)| *label)));
    assert!(values.iter().all(|(.., text)| !text.contains("hush")), "{values:?}");
    let keys = own_keys(&one);
    for key in ["title", "tags", "enabled", "interval", "schedule.polls_per_day"] {
        assert!(keys.contains(&key), "{key}: {keys:?}");
    }
    assert!(values.len() <= keys.len() && keys.len() == 5, "{keys:?}");
    let options = source_options();
    let option = |key: &str| options.iter().find(|option| option.key == key).unwrap();
    assert!(option("title").help.starts_with("Title to show "), "{}", option("title").help);
    assert!(option("interval").help.contains("30m"));
    assert!(options.iter().any(|option| option.help.contains(" [empty: ")));
    assert!(options.iter().all(|option| !option.help.ends_with('.')));
}

#[test]
fn changes_write_only_differences() {
    let mut one = source("https://x.example/feed");
    one.title = Some("Old".to_owned());
    one.tags = vec!["a".to_owned(), "b".to_owned()];
    let keys = |change: SourceChange| -> Vec<String> {
        let text =
            |key: KeyChange| format!("{}={}", key.path.join("."), key.value.unwrap_or("-".into()));
        change.keys(&one).into_iter().map(text).collect()
    };
    let set = |key: &str, value: &str| SourceChange::default().set(key, value);
    let tags = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    for (change, want) in [
        (SourceChange::default(), &[][..]),
        (set("title", "New"), &["title=\"New\""]),
        (set("title", "Old"), &[]),
        (set("title", ""), &["title=-"]),
        (set("enabled", "true"), &[]),
        (set("enabled", "false"), &["enabled=false"]),
        (set("nonsense", "1"), &[]),
        (set("schedule.polls_per_day", "6"), &["schedule.polls_per_day=6"]),
        (set("url", "https://x.example/feed"), &[]),
        (set("url", "https://y.example/"), &["id=\"a\"", "url=\"https://y.example/\""]),
        (SourceChange::default().add_tags(tags(&["b", "c"])), &["tags=[\"a\", \"b\", \"c\"]"]),
        (SourceChange::default().add_tags(tags(&["b"])), &[]),
        (SourceChange::default().remove_tags(tags(&["a", "x"])), &["tags=[\"b\"]"]),
        (SourceChange::default().remove_tags(tags(&["a", "b"])), &["tags=-"]),
    ] {
        assert_eq!(keys(change.clone()), want, "{change:?}");
    }
    let texts = set("title", "New").set("folder", "").set("enabled", "false").texts();
    assert_eq!(texts, [("title", Some("New".to_owned())), ("folder", None), ("enabled", None)]);
    let check = |key: &str, value: &str| SourceChange::check(key, value).err().unwrap_or_default();
    assert_eq!((check("title", "New"), check("interval", "")), (String::new(), String::new()));
    assert_eq!(check("nonsense", ""), "there is no setting nonsense");
    assert!(check("interval", "soon").contains("expected a time"), "{}", check("interval", "soon"));
    assert!(check("folder", &"a/".repeat(17)).contains("at most 16 deep"));
    assert!(
        check("folder", &"a/".repeat(16)).is_empty() && check("folder", "//").contains("folder")
    );
    assert!(check("tags", "a, b").is_empty());
}

#[test]
fn hints_name_the_keys_of_commands() {
    let mut settings = KeySettings::default();
    let own = [("x", "pin; read ;; next-unread"), ("X", "pin"), ("C-x", "pin")];
    let own = own.map(|(key, command)| (key.to_owned(), command.to_owned()));
    settings.bindings.insert("items".to_owned(), own.into());
    let map = KeyMap::load(&settings).unwrap();
    let lines: Vec<Action> = map.own_lines().collect();
    assert_eq!(lines, [Action::Lines(0)]);
    assert_eq!(map.lines(0).collect::<Vec<_>>(), ["pin", "read", "next-unread"]);
    assert_eq!((map.label(lines[0]).as_str(), map.lines(9).count()), ("pin; read; next-unread", 0));
    assert_eq!(map.label(Action::Quit), "quit");
    assert_eq!(map.keys_for(Context::Items, lines[0]).as_deref(), Some("x"));
    assert_eq!(map.all_keys_for(Context::Items, lines[0]), ["x"]);
    assert!(map.all_keys_for(Context::Everywhere, Action::Quit).contains(&"Q".to_owned()));
    let quits = map.all_keys_for(Context::Everywhere, Action::Quit);
    assert_eq!(quits.iter().collect::<BTreeSet<_>>().len(), quits.len(), "{quits:?}");
    assert_eq!(map.all_keys_for(Context::Sources, lines[0]), [""; 0]);
}

#[test]
fn only_plain_keys_type_text() {
    for (name, want) in [("a", Some('a')), ("C-a", None), ("M-a", None), ("Enter", None)] {
        let keys = parse_sequence(name).unwrap();
        assert_eq!(keys[0].text(), want, "{name}");
    }
}

#[test]
fn exports_urls_in_newsboat_format() {
    let mut one = source("https://x.example/feed?a=b");
    one.tags = vec!["a b".to_owned(), "c\"d\\e".to_owned()];
    one.title = Some("My \"title\"".to_owned());
    let two = source("https://y.example/");
    let text = export_urls(&[one.clone(), two]);
    let want = "https://x.example/feed?a=b \"a b\" \"c\\\"d\\\\e\" \"~My \\\"title\\\"\"\nhttps://y.example/\n";
    assert_eq!(text, want);
    let back = import(text.as_bytes(), "urls").unwrap();
    assert_eq!((&back.sources[0].tags, &back.sources[0].title), (&one.tags, &one.title));
}

#[test]
fn describes_what_an_import_adds_to_followed_sources() {
    let completion = |tags: &[&str], folder: Option<&str>| Completion {
        id: SourceId("a".to_owned()),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        folder: folder.map(str::to_owned),
        other_folder: None,
    };
    for (completion, want) in [
        (completion(&[], None), ""),
        (completion(&["a"], None), "tag a"),
        (completion(&["a", "b"], None), "tags a, b"),
        (completion(&[], Some("Tech")), "folder Tech"),
        (completion(&["a", "b"], Some("Tech")), "tags a, b and folder Tech"),
    ] {
        assert_eq!((completion.describe().as_str(), completion.adds()), (want, !want.is_empty()));
    }
}

#[test]
fn detects_private_sources_of_an_import() {
    let text = "http://10.0.0.1/a\nhttps://x.example/b\nhttp://localhost/c\n";
    let mut import = import(text.as_bytes(), "urls").unwrap();
    import.sources[1].access.proxy = Some("http://p:1".to_owned());
    import.sources.push(source("https://y.example/"));
    let mut own = source("https://z.example/");
    own.private = true;
    import.sources.push(own);
    let is_private = import.sources.iter().map(Import::is_private).collect::<Vec<_>>();
    assert_eq!(is_private, [true, true, true, false, true]);
    let known = import.known(&[source("http://10.0.0.1/a"), source("https://y.example/")]);
    assert_eq!(known.len(), 2);
    let hosts = |import: &Import| -> Vec<String> {
        import.private(&known).map(|source| source.url.host_str().unwrap().to_owned()).collect()
    };
    assert_eq!(hosts(&import), ["x.example", "localhost", "z.example"]);
}

#[test]
fn settings_round_trip_as_shown() {
    let browser = ["w3m", "a b"].map(str::to_owned).to_vec();
    let mut settings = Settings { browser, ..Settings::default() };
    settings.ui.ascii = true;
    settings.net.proxy = Some("http://p:1".to_owned());
    for (key, default, shown) in [
        ("browser", "none", "w3m 'a b'"),
        ("ui.ascii", "off", "on"),
        ("ui.theme", "auto", "auto"),
        ("net.proxy", "none", "http://p:1"),
        ("net.host_delay", "1s", "1s"),
        ("net.max_in_flight", "16", "16"),
        ("nonsense", "", ""),
    ] {
        assert_eq!(setting_shown(&Settings::default(), key), default, "{key}");
        assert_eq!(setting_shown(&settings, key), shown, "{key}");
    }
    // A displayed value can be typed.
    let typed = |key: &String| Some(setting_shown(&settings, key)).filter(|text| text != "none");
    let keys = setting_keys();
    let changes = keys.iter().filter_map(|key| Some(setting_change(key, &typed(key)?)));
    let changes: Vec<KeyChange> = changes.collect();
    assert!(changes.len() > 50);
    let read = Section::settings("", &[]).check(&changes).unwrap().unwrap();
    let Checked::Settings(read) = read else { panic!() };
    assert_eq!(*read, settings);
    assert_eq!(setting_change("ui.theme", " ").value, None);
    for (key, some) in [("ui.theme", "nord"), ("ui.ascii", "off"), ("schedule.policy", "fixed")] {
        let choices = setting_choices(&settings, key);
        assert!(choices.iter().any(|choice| choice == some) && choices.len() > 1, "{key}");
    }
    assert_eq!(setting_choices(&settings, "net.contact"), [""; 0]);
}

#[test]
fn keys_have_a_code_and_modifiers() {
    for (name, code, modifiers) in [
        ("a", KeyCode::Char('a'), [false, false, false]),
        ("C-a", KeyCode::Char('a'), [true, false, false]),
        ("M-F5", KeyCode::F(5), [false, true, false]),
        ("S-Tab", KeyCode::Tab, [false, false, true]),
        ("C-A-Up", KeyCode::Up, [true, true, false]),
    ] {
        let key = parse_sequence(name).unwrap()[0];
        assert_eq!((key.code(), key.modifiers()), (code, modifiers), "{name}");
    }
}

#[test]
fn folders_in_settings_may_start_with_a_tilde() {
    let folder = |text: Option<&str>| {
        MachineSettings { folder: text.map(str::to_owned), name: None }.folder()
    };
    assert_eq!(folder(None), None);
    assert_eq!(folder(Some("/a/b")), Some("/a/b".into()));
    assert!(folder(Some("~/b")).is_none_or(|path| path.is_absolute() && path.ends_with("b")));
}

#[test]
fn recognises_commands_for_many_items_or_sources() {
    let sweeping: Vec<&str> = Action::ALL
        .iter()
        .filter(|action| action.is_sweeping())
        .map(|action| action.name())
        .collect();
    assert_eq!(
        sweeping,
        [
            "read-all",
            "read-everything",
            "read-above",
            "read-below",
            "read",
            "accept-list",
            "delete"
        ]
    );
}

#[test]
fn lists_only_form_settings_that_apply_to_the_kind() {
    let mut one = source("https://x.example/feed");
    one.schedule.learned_exponent = Some(0.4);
    one.remove_after = Some(9);
    let listed = |source: &Source| {
        source_values(source).into_iter().map(|(key, ..)| key).collect::<Vec<_>>()
    };
    assert_eq!(listed(&one), ["remove_after"]);
    assert_eq!(own_keys(&one), ["remove_after", "schedule.learned_exponent"]);
    one.rules = crate::model::SourceRules::new(crate::model::SourceKind::List, Default::default());
    assert_eq!(listed(&one), ["kind"], "a list has no items to wait for");
}

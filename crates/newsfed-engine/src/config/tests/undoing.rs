//! Changes to several entries, views and settings, and how they are undone.

use super::super::{
    ConfigFile, EditError, FileEdit, KeyChange, Paths, SourceChange, SourcesFile, ViewChange,
    ViewSettings, load,
};
use super::{SOURCES, home, id, ids, text};
use crate::model::{Source, SourceId};
use proptest::prelude::*;
use std::fs;

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
    assert!(taken.to_string().contains("there is already a view \"A\""), "{taken}");
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
        "nothing was changed: title of source \"b\" has been changed elsewhere since then"
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
        "nothing was changed: source \"new\" has been changed elsewhere since then"
    );
    assert!(text(&paths).ends_with("title = \"Mine\"\n"));
    write(&format!("{added}\n\n# mine\n"));
    edited.revert(&paths).unwrap();
    assert_eq!(ids(&paths), ["a-example", "b", "c"]);
    assert!(text(&paths).ends_with("# mine\n"));
}

#[test]
fn undoes_an_editor_change_unless_the_file_changed_again() {
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
    assert!(refused.to_string().contains("sources.toml has been changed elsewhere"), "{refused}");
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
        "nothing was changed: ui.ascii has been changed elsewhere since then"
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
        "nothing was changed: view \"B\" has been changed elsewhere since then"
    );
    assert_eq!(text(), theirs);
    write(&format!("# mine\n\n{}", added_text(&[&a])));
    // One of the added views has already been removed.
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
        "nothing was changed: view \"C\" has been changed elsewhere since then"
    );
    assert_eq!(text(), "# mine\n");
}

fn added_text(views: &[&ViewSettings]) -> String {
    let one = |v: &&ViewSettings| format!("[[view]]\nname = {:?}\nquery = {:?}\n", v.name, v.query);
    views.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// A file with sources and comments everywhere.
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
    /// After any bulk changes, every comment is preserved, the loader reads the new values, and undoing
    /// everything restores the exact file.
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

#[test]
fn undo_restores_sources_in_the_middle_of_the_file() {
    let (_folder, paths) = home(SOURCES);
    let file = SourcesFile::open(&paths);
    for gone in [&["b"][..], &["b", "a-example"]] {
        let gone: Vec<SourceId> = gone.iter().map(|name| id(name)).collect();
        let removed = file.remove(&gone).unwrap();
        fs::write(paths.sources_file(), format!("{}\n# mine\n", text(&paths))).unwrap();
        removed.revert(&paths).unwrap();
        assert_eq!(ids(&paths), ["a-example", "b", "c"]);
        let now = text(&paths);
        assert!(now.starts_with("# My feeds.\n"), "{now}");
        assert!(now.contains("X-Key = { env = \"KEY\" }\n\n# off for now\n[[source]]\n"), "{now}");
    }
}

/// The path of a dotted key.
fn path(key: &str) -> Vec<String> {
    key.split('.').map(str::to_owned).collect()
}

#[test]
fn describes_changes_without_secrets() {
    let (_folder, paths) = home(SOURCES);
    let file = SourcesFile::open(&paths);
    let set = |key: &str, value: &str| SourceChange::default().set(key, value);
    let one = |name: &str, change: &SourceChange| file.update(&[id(name)], change).unwrap();
    let new =
        |name: &str| Source::feed(id(name), format!("https://{name}.example/").parse().unwrap());
    let both = set("title", "New").set("folder", "F");
    let off = KeyChange { path: path("private"), value: Some("false".to_owned()) };
    let private = file.edit_entry(&file.entry(&id("b")).unwrap(), &[off]).unwrap();
    for (edit, want) in [
        (one("b", &set("title", "New")), "title of b"),
        (one("b", &set("enabled", "off")), "b disabled"),
        (one("b", &set("enabled", "on")), "b enabled"),
        (private, "private of b"),
        (
            file.update(&[id("a-example"), id("c")], &both).unwrap(),
            "title, folder \"F\" of 2 sources",
        ),
        (file.reorder(&[id("c")], Some(&id("b"))).unwrap(), "position of c"),
        (file.remove(&[id("c")]).unwrap(), "removal of c"),
        (file.add(&[new("d")]).unwrap(), "d"),
        (file.add(&[new("e"), new("f")]).unwrap(), "2 sources"),
        (FileEdit::by_hand("a".into(), "b".into()).unwrap(), "sources.toml (edited by hand)"),
    ] {
        assert_eq!(edit.describe(), want);
    }
    let file = ConfigFile::open(&paths);
    let write = |key: &str, value: Option<&str>| {
        let change = KeyChange { path: path(key), value: value.map(str::to_owned) };
        file.edit(None, &[change]).unwrap()
    };
    let view = |name: &str, query: &str| ViewSettings {
        name: name.into(),
        query: query.into(),
        layout: Default::default(),
    };
    let views = |was: Option<(&str, &str)>, now: Option<(&str, &str)>| {
        let [was, now] = [was, now].map(|it| it.map(|(name, query)| view(name, query)));
        file.edit_views(&[ViewChange { was, now }]).unwrap()
    };
    for (edit, want) in [
        (write("ui.theme", Some("\"nord\"")), "ui.theme = \"nord\""),
        (write("ui.theme", None), "ui.theme reset to the default"),
        (write("net.proxy", Some("\"http://u:hush@p\"")), "net.proxy"),
        (views(None, Some(("A", "x"))), "view A"),
        (views(Some(("A", "x")), Some(("A", "y"))), "query of view A"),
        (views(Some(("A", "y")), Some(("B", "y"))), "view A renamed to B"),
        (views(Some(("B", "y")), None), "removal of view B"),
    ] {
        assert_eq!(edit.describe(), want);
        assert!(!edit.is_empty() && edit.reversed().reversed() == edit);
    }
}

#[test]
fn refuses_keys_deep_in_inline_tables() {
    let (_folder, paths) = home("");
    let file = ConfigFile::open(&paths);
    let before = "keys = { preset = \"newsboat\" }\n";
    fs::write(file.path(), before).unwrap();
    let refused = file.set(&["keys", "items", "x"], "pin").unwrap_err().to_string();
    assert!(refused.contains("keys.items.x") && refused.contains("edit the file"), "{refused}");
    assert_eq!(fs::read_to_string(file.path()).unwrap(), before);
    file.set(&["keys", "preset"], "default").unwrap();
    assert_eq!(fs::read_to_string(file.path()).unwrap(), before.replace("newsboat", "default"));
}

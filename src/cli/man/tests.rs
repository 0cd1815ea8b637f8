use super::*;
use crate::cli::command;
use crate::config::{
    Action, Paths, Role, elements_reference, load, settings_reference, sources_reference,
};
use crate::query::{ItemState, OPERATORS, Thing};

/// The text of a page without roff requests and escapes.
fn shown(file: &str) -> String {
    let pages = pages(command()).unwrap();
    let page = pages.iter().find(|page| page.file() == file).unwrap();
    let text = String::from_utf8(page.text.clone()).unwrap();
    let plain = |line: &str| {
        let line = line.replace("\\fB", "").replace("\\fI", "").replace("\\fR", "");
        line.replace("\\&", "").replace("\\-", "-").replace("\\*(Aq", "'").replace("\\\\", "\\")
    };
    let lines = text.lines().filter(|line| !line.starts_with('.') || line.starts_with(".S"));
    lines.map(plain).collect::<Vec<_>>().join("\n")
}

/// Whether the text contains this tag of a paragraph.
fn has_tag(text: &str, tag: &str) -> bool {
    text.lines()
        .any(|line| line == tag || line.strip_prefix(tag).is_some_and(|l| l.starts_with("  (")))
}

#[test]
fn every_setting_has_an_entry_in_its_table() {
    let text = shown("newsfed-config.5");
    let mut table = "";
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix(".SS ") {
            table = title.trim_matches(['[', ']']);
        } else if let Some((key, _)) = line.split_once("  (") {
            found.push(if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") });
        }
    }
    for setting in settings_reference() {
        assert!(found.iter().any(|key| key == setting.key), "{}", setting.key);
    }
    assert_eq!(found.len(), settings_reference().len());
    for (name, keys) in elements_reference() {
        let section = text.split(&format!(".SS [[{name}]]")).nth(1).unwrap();
        let section = section.split("\n.S").next().unwrap();
        assert!(section.contains(&format!("[[{name}]]\n")), "{name} has a sample");
        for setting in keys {
            assert!(has_tag(section, setting.key), "{name}: {}", setting.key);
        }
    }
    for action in Action::ALL {
        assert!(has_tag(&text, action.name()), "{}", action.name());
    }
    let roles = text.split("The roles are:").nth(1).unwrap();
    assert!(Role::ALL.iter().all(|role| roles.contains(role.name())));
    assert!(text.contains("time from 1s to 10m; default \"30s\""));
}

#[test]
fn every_key_of_a_source_has_an_entry() {
    let text = shown("newsfed-sources.5");
    for setting in sources_reference() {
        assert!(has_tag(&text, setting.key), "{}", setting.key);
    }
    assert!(has_tag(&text, "id"));
    assert!(text.contains("Overrides schedule.advarss_cap of newsfed-config(5)."));
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    std::fs::create_dir_all(paths.config_dir()).unwrap();
    std::fs::write(paths.sources_file(), sources_page::EXAMPLE).unwrap();
    let loaded = load(&paths, &[]).unwrap();
    assert_eq!((loaded.sources.len(), loaded.warnings.len()), (3, 0));
}

#[test]
fn every_operator_has_an_entry() {
    let text = shown("newsfed-query.7");
    for operator in OPERATORS {
        assert!(
            has_tag(&text, &format!("{}{}", operator.name, operator.value)),
            "{}",
            operator.name
        );
    }
    assert!(ItemState::ALL.iter().all(|(_, name)| has_tag(&text, &format!("is:{name}"))));
    assert!(Thing::ALL.iter().all(|(_, name)| has_tag(&text, &format!("has:{name}"))));
}

#[test]
fn pages_have_the_release_date() {
    let text = include_str!("../../../CHANGELOG.md");
    let heading = concat!("\n## [", env!("CARGO_PKG_VERSION"), "] - ");
    let date = text.split(heading).nth(1).and_then(|rest| rest.lines().next());
    // An unreleased version has no date yet.
    assert!(date.is_none_or(|date| date == manual::DATE));
    let page = String::from_utf8(pages(command()).unwrap().remove(0).text).unwrap();
    assert!(page.contains(&format!(".TH newsfed 1 {} ", manual::DATE)), "{page}");
}

//! Tests of the form with files that users wrote in an editor.

use super::*;
use crate::config::{EditError, Paths, SourcesFile, load};
use crate::model::{Secret, SourceId};
use proptest::prelude::*;
use std::collections::HashSet;
use std::fs;
use tempfile::TempDir;

/// Lines of an entry, with comments everywhere; each test case uses some of them.
const LINES: &[&str] = &[
    "# above the title C1\n title = \"\"\"\n Old \n\"\"\" # behind C2",
    "tags = [ # C3\n  \"x\", # C4\n  # C5\n  \"a # b\"\n] # C6",
    "folder = \" Tech \"\t#C7",
    "schedule = { priority = \"high\", min_interval = \"1h\" } # C8",
    "schedule.policy = \"learned\" # C9",
    "retention = { days = 3 }#C10",
    "user = \"me\" # C11\npassword = { command = [ \"pass\", # C18\n \"show\" ] } # C12",
    "headers = { \"X-Key\" = { command = [ # C19\n \"pass\", \"key\" ] }, Accept = \"a/b # no comment\" } # C13",
    "full_text = \"all\" # C14\n\n# alone C15\n",
    "interval = \"2h\" # C16\nenabled = true # C17",
];
const TABLES: &[&str] = &[
    "[source.headers] # C20\n# C21\nX-Key = { env = \"KEY\" } # C22\n",
    "  [source.schedule] # C23\n  priority = \"low\" # C24\n",
    "[source.retention]\n# nothing yet C25\n",
];

/// Values to type into the field with this label.
fn values(label: &str) -> &'static [&'static str] {
    match label {
        "Title" => &["", "New", "With \"quotes\" and # and \\", "日本語", " "],
        "URL" => &["https://new.example/a?b=c#d", "", "nonsense", "http://other.example/"],
        "Folder" => &["", "City/West", "One"],
        "Tags" => &["", "one", "one, two", "#, '"],
        "Enabled" => &["", "on", "off", "flase"],
        "Full text" => &["", "never", "pinned", "alll"],
        "Policy" => &["", "fixed", "learned", "lerned"],
        "Interval" | "Min interval" | "Max interval" => &["", "30m", "1day", "1h 30m", "soon"],
        "Priority" => &["", "high", "normal"],
        "Polls per day" => &["", "12", "0.5", "1e9"],
        "Keep days" | "Keep items" => &["", "7", "-1", "100"],
        "User" => &["", "you"],
        "Password" | "X-Key" | "Accept" => {
            &["", "env:OTHER", "command:pass show 'a b'", "open # text"]
        }
        "New header" => &["", "X-New: env:NEW", "Referer: https://a.example/x", "bad name: x"],
        _ => &[""],
    }
}

struct Home {
    _folder: TempDir,
    paths: Paths,
}

impl Home {
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        fs::create_dir_all(paths.config_dir()).unwrap();
        fs::write(paths.sources_file(), text).unwrap();
        Self { _folder: folder, paths }
    }

    fn text(&self) -> String {
        fs::read_to_string(self.paths.sources_file()).unwrap()
    }

    fn file(&self) -> SourcesFile {
        SourcesFile::open(&self.paths)
    }

    fn form(&self, id: &str) -> SourceForm {
        SourceForm::new(self.file().entry(&SourceId(id.to_owned())).unwrap())
    }
}

fn index(form: &SourceForm, label: &str) -> usize {
    form.fields.iter().position(|f| f.label == label).unwrap()
}

/// Types a value into the field with that label. Returns its error.
fn typed(form: &mut SourceForm, label: &str, value: &str) -> Option<String> {
    let at = index(form, label);
    form.set(at, value);
    form.fields[at].error.clone()
}

/// The names of the comments in a text made of [`LINES`] and [`TABLES`].
fn comments(text: &str) -> Vec<&str> {
    let names = text.split(|c: char| !c.is_ascii_alphanumeric());
    let name = |w: &&str| w.strip_prefix('C').is_some_and(|n| n.parse::<u8>().is_ok());
    let mut found: Vec<_> = names.filter(name).collect();
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn edits_keep_all_comments_and_unrelated_bytes(
        lines in prop::collection::vec(any::<bool>(), LINES.len()),
        table in 0..=TABLES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..8),
        windows in any::<bool>(),
    ) {
        let mut entry = String::from("# about it C0\n[[source]] # head C30\nid = \"it\"\nurl = 'https://it.example/' # C31\n");
        let taken = LINES.iter().zip(lines).filter(|(_, taken)| *taken).map(|(line, _)| *line);
        let taken: Vec<&str> = taken.collect();
        // TOML allows only one form for each table.
        let dotted = taken.iter().any(|l| l.starts_with("schedule = "));
        for line in taken.iter().filter(|l| !(dotted && l.starts_with("schedule."))) {
            entry += &format!("{line}\n");
        }
        if let Some(table) = TABLES.get(table) {
            let name = table.trim_start().trim_start_matches("[source.").split(']').next().unwrap();
            if !taken.iter().any(|l| l.starts_with(name)) {
                entry += table;
            }
        }
        let before = "# the file\n\n[[source]] # first\nid = \"a\"\nurl = \"https://a.example/\" # a\n# a's end\n\n";
        let after = "\n# about b\n[[source]]\nid = \"b\" # b\nurl = \"https://b.example/\"\n# the end";
        let text = format!("{before}{entry}{after}");
        let text = if windows { text.replace('\n', "\r\n") } else { text };
        let home = Home::with(&text);
        let mut form = home.form("it");
        for (field, value) in &edits {
            let at = field.index(form.fields.len());
            if !form.is_shown(&form.fields[at]) {
                continue;
            }
            let values = values(&form.fields[at].label);
            form.set(at, values[value.index(values.len())]);
        }
        // Corrects errors as a user would: by restoring the old value.
        while let Some(wrong) = form.first_invalid() {
            let back = form.fields[wrong].written.clone();
            if form.fields[wrong].value == back {
                // The error comes from another field: a user without a password, or vice versa.
                for label in ["User", "Password"] {
                    let at = index(&form, label);
                    let back = form.fields[at].written.clone();
                    form.set(at, &back);
                }
                prop_assert!(form.fields[wrong].error.is_none(), "{:?}", form.fields[wrong].error);
            } else {
                form.set(wrong, &back);
            }
        }
        prop_assert_eq!(&form.problem, &None);
        let changes = form.changes();
        let edited = home.file().edit_entry(form.base(), &changes).unwrap();
        let new = home.text();
        prop_assert_eq!(comments(&new), comments(&text), "\n{}\n{}", text, new);
        // Nothing around the entry has changed.
        let ends = |s: &str| if windows { s.replace('\n', "\r\n") } else { s.to_owned() };
        prop_assert!(new.starts_with(&ends(before)) && new.ends_with(&ends(after)), "{}", new);
        // Lines of the entry stay unless they contain a changed key.
        let keys: HashSet<&str> = changes.iter().map(|c| c.path[0].as_str()).collect();
        for line in text.lines().filter(|l| !new.contains(*l)) {
            let of_changed = keys.iter().any(|k| line.trim_start().starts_with(*k))
                || changes.iter().any(|c| line.contains(c.path.last().unwrap().as_str()))
                || LINES.iter().any(|l| l.contains(line) && keys.iter().any(|k| l.contains(*k)));
            prop_assert!(of_changed, "{line:?} was lost\nbefore:\n{text}\nafter:\n{new}");
        }
        // The loader reads what the form showed.
        let again = home.form("it");
        for field in form.fields.iter().filter(|f| f.shape != Shape::NewHeader) {
            let is = again.fields.iter().find(|f| f.path == field.path).map_or("", |f| &f.value);
            let (typed, written) = (field.value.trim(), field.written.as_str());
            let shown = if typed == written.trim() { written } else { typed };
            prop_assert_eq!(is, shown, "{:?}", field);
        }
        prop_assert_eq!(load(&home.paths, &[]).unwrap().sources.len(), 3);
        // Undo restores the file, and redo restores the change.
        let undone = edited.revert(&home.paths).unwrap();
        prop_assert_eq!(home.text(), text);
        undone.revert(&home.paths).unwrap();
        prop_assert_eq!(home.text(), new);
    }
}

#[test]
fn loader_errors_appear_at_their_fields() {
    let home = Home::with("[[source]]\nid = \"a\"\nurl = \"https://a.example/\"\n");
    let cases = [
        ("Kind", "fed", "Did you mean \"feed\"?"),
        ("URL", "a.example", "https://"),
        ("URL", "", "Every source needs a URL"),
        ("Enabled", "maybe", "Use on or off."),
        ("Interval", "soon", "Not a duration. Use a number and a unit, such as 30m or 2h."),
        ("Priority", "hihg", "Did you mean \"high\"?"),
        ("Polls per day", "9999", "Use a number from 0.1 to 280."),
        ("User", "me", "Also needs `password`"),
        ("New header", "bad name: x", "is not a valid header name"),
    ];
    for (label, value, expected) in cases {
        let mut form = home.form("a");
        let error = typed(&mut form, label, value).unwrap_or_default();
        assert!(error.contains(expected), "{label}: {error}");
        assert_eq!(form.first_invalid(), Some(index(&form, label)));
        let _ = home.file().edit_entry(form.base(), &form.changes()).unwrap_err();
    }
    assert_eq!(home.text(), "[[source]]\nid = \"a\"\nurl = \"https://a.example/\"\n");
}

#[test]
fn only_changes_that_affect_items_need_a_poll() {
    let home = Home::with("[[source]]\nid = \"a\"\nurl = \"https://a.example/\"\n");
    for (changes, expected) in [
        (&[][..], false),
        (&[("Title", "Another")], false),
        (&[("Kind", "sitemap")], true),
        (&[("Kind", "sitemap"), ("Enabled", "false")], false),
    ] {
        let mut form = home.form("a");
        for (label, value) in changes {
            typed(&mut form, label, value);
        }
        assert_eq!(form.needs_poll(), expected, "{changes:?}");
    }
}

#[test]
fn turns_a_feed_into_a_website_with_selectors() {
    let home = Home::with("[[source]]\nurl = \"https://a.example/\" # here\n");
    let id = load(&home.paths, &[]).unwrap().sources[0].id.clone();
    let mut form = home.form(id.as_str());
    let shown = |form: &SourceForm, label: &str| form.is_shown(&form.fields[index(form, label)]);
    assert!(!shown(&form, "Articles"));
    typed(&mut form, "Kind", "website");
    assert!(shown(&form, "Articles") && form.first_invalid().is_some() && form.needs_poll());
    typed(&mut form, "Content", ".text");
    // The selector of the title, not the title of the source.
    let title = form.fields.iter().position(|f| f.path == ["website", "title"]).unwrap();
    form.set(title, "h1 >");
    assert!(form.fields[title].error.is_some());
    form.set(title, "h1");
    typed(&mut form, "Articles", "h2 a");
    assert_eq!((form.first_invalid(), &form.problem), (None, &None));
    // A later change to the URL must not change the identifier.
    typed(&mut form, "URL", "https://b.example/");
    home.file().edit_entry(form.base(), &form.changes()).unwrap();
    let source = load(&home.paths, &[]).unwrap().sources.remove(0);
    assert_eq!((&source.id, source.url.as_str()), (&id, "https://b.example/"));
    assert_eq!(source.rules.pages().unwrap().articles.as_deref(), Some("h2 a"));
    assert!(home.text().contains("# here"));
}

#[test]
fn keeps_or_reports_changes_made_elsewhere() {
    let home =
        Home::with("[[source]]\nid = \"a\"\nurl = \"https://a.example/\"\ntitle = \"Old\"\n");
    let mut form = home.form("a");
    typed(&mut form, "Title", "Mine");
    let other = home.text().replace("title", "folder = \"Theirs\" # new\ntitle");
    fs::write(home.paths.sources_file(), other).unwrap();
    let edited = home.file().edit_entry(form.base(), &form.changes()).unwrap();
    let both = home.text();
    assert!(both.contains("folder = \"Theirs\" # new\ntitle = \"Mine\""), "{both}");
    // Undo after another change restores only its own key.
    fs::write(home.paths.sources_file(), format!("{both}# later\n")).unwrap();
    edited.revert(&home.paths).unwrap();
    assert!(home.text().ends_with("title = \"Old\"\n# later\n"), "{}", home.text());
    // A conflict on the same key is reported; the second save overwrites it.
    let theirs = home.text().replace("Old", "Also theirs");
    fs::write(home.paths.sources_file(), &theirs).unwrap();
    let error = home.file().edit_entry(form.base(), &form.changes()).unwrap_err();
    assert_eq!(home.text(), theirs);
    let EditError::Conflict { keys, now } = error else { panic!("{error}") };
    assert_eq!(keys, ["title"]);
    form.rebase(*now);
    assert_eq!(form.fields[index(&form, "Folder")].value, "Theirs");
    home.file().edit_entry(form.base(), &form.changes()).unwrap();
    assert!(home.text().contains("title = \"Mine\""));
}

#[test]
fn shows_secrets_as_they_are_typed() {
    let home = Home::with(
        "[[source]]\nid = \"a\"\nurl = \"https://a.example/\"\nuser = \"u\"\npassword = \"p\"\n\
         headers = { A = { command = [\"pass\", \"a b\"] }, B = { env = \"B\" } }\n",
    );
    let mut form = home.form("a");
    let value = |form: &SourceForm, label| form.fields[index(form, label)].value.clone();
    assert_eq!(value(&form, "A"), "command:pass 'a b'");
    assert_eq!(value(&form, "B"), "env:B");
    assert!(form.fields[index(&form, "Password")].is_secret());
    assert!(!format!("{form:?}").contains("a b"));
    typed(&mut form, "Password", "command:pass show it");
    typed(&mut form, "New header", "C: x");
    home.file().edit_entry(form.base(), &form.changes()).unwrap();
    let access = load(&home.paths, &[]).unwrap().sources.remove(0).access;
    let argv = ["pass", "show", "it"].map(str::to_owned).to_vec();
    assert_eq!(access.auth.unwrap().password, Secret::Command(argv));
    assert_eq!(access.headers.len(), 3);
}

#[test]
fn empty_fields_show_what_applies_instead() {
    let home = Home::with("[[source]]\nid = \"a\"\nurl = \"https://a.example/\"\n");
    let mut form = home.form("a");
    let applies = |form: &SourceForm, label: &str| -> [String; 3] {
        let field = &form.fields[index(form, label)];
        [field.unset(), field.origin(), field.default_value()].map(str::to_owned)
    };
    for (label, want) in [
        ("Title", ["feed or page title", "default", ""]),
        ("Kind", ["feed", "default", "feed"]),
        ("Folder", ["none", "", ""]),
        ("Enabled", ["on", "default", "on"]),
        ("Policy", [INHERIT, "", ""]),
        ("Max pages", ["1", "default", ""]),
    ] {
        assert_eq!(applies(&form, label), want, "{label}");
    }
    form.show_inherited(&Settings::default(), None);
    for (label, want) in [
        ("Title", ["feed or page title", "default", ""]),
        ("Policy", ["learned", "from settings", "learned"]),
        ("Full text", ["on-open", "from settings", "on-open"]),
        ("Keep days", ["forever", "from settings", ""]),
        ("Proxy", ["environment", "from settings", ""]),
        ("Host delay", ["1s", "from settings", ""]),
    ] {
        assert_eq!(applies(&form, label), want, "{label}");
    }
    let page = "url = \"https://a.example/\"\nkind = \"website\"\n";
    for (more, least) in [("", "1h"), ("interval = \"10m\"\n", "5m")] {
        let rules = "[source.website]\narticles = \"a\"\ntitle = \"h1\"\ncontent = \"p\"\n";
        let mut website =
            Home::with(&format!("[[source]]\nid = \"a\"\n{page}{more}{rules}")).form("a");
        website.show_inherited(&Settings::default(), None);
        assert_eq!(applies(&website, "Min interval"), [least, "from settings", ""], "{more}");
    }
    let mut settings = Settings::default();
    settings.net.host_delay = std::time::Duration::from_secs(9);
    settings.net.proxy = Some("http://p:1".to_owned());
    settings.schedule.policy = crate::model::PolicyKind::Fixed;
    settings.retention.days = Some(7);
    form.show_inherited(&settings, Some("The feed"));
    for (label, want) in [
        ("Title", ["The feed", "from feed", ""]),
        ("Policy", ["fixed", "from settings", "fixed"]),
        ("Keep days", ["7", "from settings", ""]),
        ("Proxy", ["http://p:1", "from settings", ""]),
        ("Host delay", ["9s", "from settings", ""]),
        ("Kind", ["feed", "default", "feed"]),
    ] {
        assert_eq!(applies(&form, label), want, "{label}");
    }
}

#[test]
fn settings_accept_their_defaults_and_every_choice() {
    let own = "[themes.mine]\nbase = \"nord\"\n[ui]\ntheme = \"mine\"\n";
    let section = |text: &str| crate::config::Section::settings(text, &[]);
    let form = SourceForm::settings(section(own));
    let theme = &form.fields[index(&form, "Theme")];
    assert!(theme.is_written() && theme.choices().iter().any(|name| name == "mine"));
    assert_eq!((theme.effective(), theme.default_value()), ("mine", "auto"));
    assert_eq!(form.fields.iter().filter(|field| field.is_written()).count(), 1);
    let mut form = SourceForm::settings(section(""));
    for at in 0..form.fields.len() {
        let FormField { label, default, choices, .. } = form.fields[at].clone();
        assert_eq!(form.fields[at].effective(), default, "{label}");
        if default != "none" {
            form.set(at, &default);
            assert_eq!(form.fields[at].error, None, "{label}");
            assert_eq!(form.preview_settings(), Some(&Settings::default()), "{label}");
        }
        // A choice that needs a build feature only causes a warning.
        let taken = choices.iter().filter(|choice| {
            form.set(at, choice);
            form.fields[at].error.is_none()
        });
        assert_eq!(taken.count(), choices.len(), "{label}");
        form.set(at, "");
        assert!(form.changes().is_empty() && form.changed().count() == 0, "{label}");
    }
}

#[test]
fn explains_invalid_settings_at_their_fields() {
    let mut form = SourceForm::settings(crate::config::Section::settings("", &[]));
    for (key, value, want) in [
        ("ui.ascii", "maybe", "Use on or off."),
        ("ui.theme", "nigth", "Use one of the themes "),
        ("ui.reader_width", "5", "Use a whole number, from 20 to 400."),
        ("ui.reader_width", "wide", "Not a whole number. Use a whole number, from 20 to 400."),
        ("net.host_delay", "2h", "Too long. Use 1h or less."),
        ("net.max_body", "big", "Not a size. Use a number and a unit, such as 10MiB."),
        ("net.max_body", "1B", "Use a size from 1KiB to 1GiB."),
        ("browser", "w3m 'a", "A quotation mark is not closed. Close it, or write \\ before it."),
        ("schedule.policy", "lerned", "Did you mean \"learned\"?"),
        ("net.contact", "é", "Use "),
    ] {
        let at = form.fields.iter().position(|field| field.key() == key).unwrap();
        form.set(at, value);
        let error = form.fields[at].error.clone().unwrap_or_default();
        assert!(error.contains(want) && error.ends_with(['.', '?']), "{key}: {error}");
        assert_eq!((form.first_invalid(), form.preview_settings()), (Some(at), None), "{key}");
        form.set(at, "");
        assert_eq!(form.first_invalid(), None, "{key}");
    }
}

#[test]
fn shows_values_in_words() {
    let form = SourceForm::settings(crate::config::Section::settings("", &[]));
    let field = |key: &str| form.fields.iter().find(|field| field.key() == key).unwrap();
    for (key, value, want) in [
        ("ui.sort", "pinned-newest", "pinned, then newest"),
        ("ui.sort", "newest", "newest first"),
        ("ui.sort", "oldest", "oldest first"),
        ("ui.mark_read", "open", "on opening"),
        ("ui.mark_read", "preview", "on opening or preview"),
        ("ui.mark_read", "scroll", "on opening or scrolling past"),
        ("ui.theme", "oldest", "oldest"),
    ] {
        assert_eq!(field(key).shown(value), want, "{key}");
    }
    for field in &form.fields {
        let shown: HashSet<&str> = field.choices().iter().map(|it| field.shown(it)).collect();
        assert_eq!(shown.len(), field.choices().len(), "{field:?}");
        assert_eq!(field.is_flag(), field.choices() == ["on", "off"], "{field:?}");
    }
}

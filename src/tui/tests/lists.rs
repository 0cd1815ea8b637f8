//! Tests of the source list: searches, views, tags, and actions on several sources.

use super::*;
use crate::config::{Paths, load};
use crate::engine::{Advice, Expected};
use crate::store::Count;
use crate::store::Snippet;
use crate::tui::app::WhyDialog;
use crate::tui::import::{paths, read};
use std::path::PathBuf;

/// The user's files, changed as the driver changes them.
pub(super) struct Files {
    pub(super) paths: Paths,
    _folder: tempfile::TempDir,
}

pub(super) const SOURCES: &str = "# Mine\n\n# the kernel\n[[source]]\nid = \"kernel\"\n\
    url = \"https://kernel.example/feed\" # daily\nfolder = \"Tech\"\ntags = [\"c\", \"linux\"]\n\n\
    [[source]] # small\nid = \"allocator\"\nurl = \"https://allocator.example/feed\"\n\
    folder = \"Tech/Rust\"\ntags = [\"rust\"]\n\n\
    [[source]]\nid = \"council\"\nurl = \"https://council.example/feed\"\nfolder = \"City\"\n\n\
    # plays\n[[source]]\nid = \"theatre\"\nurl = \"https://theatre.example/feed\"\nfolder = \"City\"\n\n\
    [[source]]\nid = \"news\"\nurl = \"https://news.example/feed\"\n# the end\n";

pub(super) const CONFIG: &str = "# Appearance\n[ui]\nascii = false # no\n\n# Often\n[[view]]\nname = \"Rust\"\n\
    query = \"rust -cargo\" # short\n\n[[view]]\nname = \"City this week\"\n\
    query = \"folder:City age<7d\"\n";

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        std::fs::create_dir_all(paths.config_dir()).unwrap();
        std::fs::write(paths.sources_file(), SOURCES).unwrap();
        std::fs::write(paths.config_file(), CONFIG).unwrap();
        Self { paths, _folder: folder }
    }

    pub(super) fn list(&self) -> SourceList {
        let mut sources: Vec<SourceEntry> = Vec::new();
        for declared in load(&self.paths, &[]).unwrap().sources {
            let id = declared.id.as_str().to_owned();
            let key = id.bytes().fold(0, |key, b| (key * 31 + i64::from(b)) % 10_007);
            let mut entry = source(key, &id, None, u32::try_from(id.len()).unwrap());
            entry.source = Arc::new(declared);
            sources.push(entry);
        }
        SourceList { sources, today: 8, changed: 0, last_key: 12, ..SourceList::default() }
    }

    pub(super) fn perform(&self, effect: Effect) -> Option<Event> {
        Some(match effect {
            Effect::Edit { purpose, change } => Event::Edited(purpose, apply(change, &self.paths)),
            Effect::Read(Read::Counts { left: views, .. }) => {
                let count = |(i, (name, _)): (usize, (String, _))| {
                    let items = u32::try_from(i * 996 + 3).unwrap();
                    (name, Count { items, more: items == 999 })
                };
                Event::ViewsCounted(Ok(views.into_iter().enumerate().map(count).collect()))
            }
            Effect::ReadImport { request, list, private } => {
                let read = read(&self.paths, &list, private).map(Box::new);
                Event::ImportRead(request, read)
            }
            Effect::ListPaths { typed } => {
                let paths = paths(&typed);
                Event::PathsListed(typed, paths)
            }
            _ => return None,
        })
    }
}

/// The interface with real files and the focus on the first row of the Sources pane.
pub(super) fn stage_with_files() -> Stage {
    let files = Files::new();
    let settings = load(&files.paths, &[]).unwrap().settings;
    let mut stage = Stage::with(settings, files.list(), item_rows());
    stage.files = Some(files);
    // Replies to the request that was made before the files existed.
    let counts = [("Rust", 3, false), ("City this week", 999, true)];
    let counts = counts.map(|(name, items, more)| (name.to_owned(), Count { items, more }));
    stage.happen(Event::ViewsCounted(Ok(counts.to_vec())));
    stage.keys("<Tab>gg");
    stage
}

pub(super) fn file(stage: &Stage) -> String {
    let files = stage.files.as_ref().unwrap();
    std::fs::read_to_string(files.paths.sources_file()).unwrap()
}

pub(super) fn config(stage: &Stage) -> String {
    let files = stage.files.as_ref().unwrap();
    std::fs::read_to_string(files.paths.config_file()).unwrap()
}

/// Jumps to a row of the Sources pane by its name.
fn go(stage: &mut Stage, name: &str) {
    stage.keys(&format!("<C-p>{name}<Enter>"));
    let row = stage.app.sources.current().unwrap();
    let title = row.title.strip_suffix(".example/feed").unwrap_or(&row.title);
    assert!(name.ends_with(title), "{name} is not {title}");
}

#[test]
fn applies_and_undoes_advice_about_the_schedule() {
    let mut stage = stage_with_files();
    stage.keys("fkernel<Enter>w");
    let source = stage.app.dialog::<WhyDialog>().unwrap().source;
    assert!(!stage.screen(120, 40).contains("Advice"));
    let expected = |polls_per_day, mean_delay_min| Expected { polls_per_day, mean_delay_min };
    let advice = Advice {
        source: SourceId("kernel".to_owned()),
        title: "Kernel".to_owned(),
        key: "schedule.min_interval",
        value: "20m".to_owned(),
        now: expected(12.0, 40.0),
        then: expected(21.0, 22.0),
    };
    let advised = ScheduleReport { advice: Some(advice), ..*report() };
    stage.happen(Event::WhyLoaded(source, Ok(Box::new(advised))));
    let text = stage.screen(120, 40);
    for part in ["found 18 min later than necessary", "min_interval = \"20m\" costs 9 polls a day"]
    {
        assert!(text.contains(part), "{text}");
    }
    stage.keys("a<Esc>");
    assert!(file(&stage).contains("min_interval = \"20m\""), "{}", file(&stage));
    stage.keys("u");
    assert_eq!(file(&stage), SOURCES);
}

#[test]
fn changes_the_file_and_undoes_the_change() {
    let folder = "folder = \"City\"\n";
    let cases: &[(&str, &str, &str, &str)] = &[
        ("news", "<F2>New", "", "# the end\n"),
        ("theatre", "S", "folder = \"City\"\n\n[[source]]\nid = \"news\"", ""),
        ("theatre", "MTech/Stage", folder, ""),
        ("kernel", "#+os -c", "[\"c\", \"linux\"]", "[\"linux\", \"os\"]"),
        ("kernel", "#-c,-linux", "tags = [\"c\", \"linux\"]\n", ""),
        ("Tech", "<F2>Work", "\"Tech\"", "\"Work\""),
        ("Tech", "<F2>Work", "\"Tech/Rust\"", "\"Work/Rust\""),
        ("Tech/Rust", "MCi<Tab>", "\"Tech/Rust\"", "\"City/Rust\""),
        ("rust", "<F2>crab", "[\"rust\"]", "[\"crab\"]"),
    ];
    for (row, keys, before, after) in cases {
        let mut stage = stage_with_files();
        stage.keys(&format!("f{row}<Enter>"));
        let clear = if keys.starts_with(['<', 'M']) { "<C-u>" } else { "" };
        let (verb, rest) = keys.split_at(if keys.starts_with('<') { 4 } else { 1 });
        stage.keys(&format!("{verb}{clear}{rest}<Enter>"));
        let changed = file(&stage);
        assert!(changed != SOURCES, "{keys} on {row} changed nothing: {:?}", stage.requested);
        if !after.is_empty() && !before.is_empty() {
            assert!(!changed.contains(before) && changed.contains(after), "{keys}: {changed}");
        }
        for comment in
            ["# Mine\n", "# the kernel\n", "# daily\n", "# small\n", "# plays\n", "# the end\n"]
        {
            assert!(changed.contains(comment), "{keys}: {comment} in {changed}");
        }
        stage.keys("u");
        assert_eq!(file(&stage), SOURCES, "{keys}");
        stage.keys("<C-r>");
        assert_eq!(file(&stage), changed, "{keys}");
    }
}

#[test]
fn changes_several_sources_with_one_write_and_one_undo() {
    let mut stage = stage_with_files();
    go(&mut stage, "council");
    stage.keys("<Space><Space>");
    go(&mut stage, "news");
    stage.keys("<Space>#+local<Enter>");
    let tagged = file(&stage);
    assert_eq!(tagged.matches("tags = [\"local\"]").count(), 3, "{tagged}");
    assert!(stage.screen(120, 40).contains("Saved: tags of 3 sources"));
    assert!(stage.app.sources.marked.is_empty());
    go(&mut stage, "local");
    stage.keys("S");
    assert_eq!(file(&stage).matches("enabled = false").count(), 3);
    stage.keys("u");
    assert_eq!(file(&stage), tagged);
    // After another program changes the file, undo reverts only our own change.
    let path = stage.files.as_ref().unwrap().paths.sources_file();
    std::fs::write(
        &path,
        format!("{tagged}\n[[source]]\nid = \"x\"\nurl = \"https://x.example/\"\n"),
    )
    .unwrap();
    stage.keys("u");
    let left = file(&stage);
    assert!(left.starts_with(SOURCES) && left.contains("id = \"x\""), "{left}");
}

#[test]
fn reorders_sources_within_their_folder() {
    let order = |stage: &Stage| -> Vec<String> {
        let files = stage.files.as_ref().unwrap();
        load(&files.paths, &[]).unwrap().sources.into_iter().map(|s| s.id.0).collect()
    };
    let mut stage = stage_with_files();
    go(&mut stage, "council");
    stage.keys("<A-j>");
    assert_eq!(order(&stage), ["kernel", "allocator", "theatre", "council", "news"]);
    assert!(file(&stage).contains("\n\n# plays\n[[source]]\nid = \"theatre\""), "{}", file(&stage));
    assert!(stage.app.sources.current().unwrap().title.starts_with("council"));
    stage.keys("<A-j>");
    assert_eq!(order(&stage)[3], "council", "already the last one in its folder");
    stage.keys("<A-k>");
    assert_eq!(order(&stage), ["kernel", "allocator", "council", "theatre", "news"]);
    assert_eq!(file(&stage), SOURCES);
    stage.keys("uu");
    assert_eq!(file(&stage), SOURCES);
    go(&mut stage, "kernel");
    stage.keys("<Space>");
    go(&mut stage, "news");
    stage.keys("<Space><A-k>");
    assert!(stage.has_message("The selected sources are in several folders"));
    go(&mut stage, "City");
    stage.keys("<Esc><A-j>");
    assert!(stage.has_message("folders and tags are sorted by name"));
}

#[test]
fn saves_renames_edits_and_deletes_a_query() {
    let mut stage = stage_with_files();
    stage.keys("/tag:linux age<lt>3d<Enter>=<C-u>Fresh<Enter>");
    let saved = format!("{CONFIG}\n[[view]]\nname = \"Fresh\"\nquery = \"tag:linux age<3d\"\n");
    assert_eq!(config(&stage), saved);
    assert!(stage.screen(120, 40).contains("⌕ Fresh"));
    // The items of the views are counted again after a delay.
    let count = |stage: &mut Stage| {
        let screen = stage.screen(120, 40);
        let line = screen.lines().find(|l| l.contains("⌕ Fresh")).unwrap().to_owned();
        line.chars().take(26).collect::<String>().trim_end().ends_with("1995")
    };
    assert!(!count(&mut stage));
    let effects = stage.app.update(Event::TimePassed, now() + TimeDelta::seconds(3));
    effects.into_iter().for_each(|effect| stage.perform(effect));
    assert!(count(&mut stage));
    // A filter is saved together with the folder of the list.
    go(&mut stage, "Tech/Rust");
    stage.keys("fboxes<Enter>=<C-u>Boxes<Enter>");
    assert!(config(&stage).contains("query = \"folder:Tech/Rust boxes\""), "{}", config(&stage));
    stage.keys("u");
    assert_eq!(config(&stage), saved);
    stage.keys("<Esc><Esc>");
    stage.keys("<C-p>Rust view<Enter><F2>Crab<Enter>");
    stage.keys("e<C-u>sorce:x<Enter>");
    assert!(stage.screen(120, 40).contains("did you mean \"source:\"?"));
    stage.keys("<C-u>crab unread<Enter>");
    let changed = config(&stage);
    assert!(changed.contains("# Often\n[[view]]\nname = \"RustCrab\""), "{changed}");
    assert!(changed.contains("query = \"crab unread\" # short"), "{changed}");
    stage.keys("d");
    assert!(!config(&stage).contains("Crab") && config(&stage).starts_with("# Appearance\n[ui]\n"));
    stage.keys("u");
    assert_eq!(config(&stage), changed);
    stage.keys("uuu");
    assert_eq!(config(&stage), CONFIG);
    stage.keys("<C-r>");
    assert_eq!(config(&stage), saved);
}

#[test]
fn saving_replaces_an_existing_name_but_renaming_rejects_it() {
    let mut stage = stage_with_files();
    stage.keys("/ferris<Enter>=<C-u>Rust<Enter>");
    assert_eq!(config(&stage), CONFIG.replace("rust -cargo", "ferris"));
    stage.keys("=<C-u>Other<Enter><Esc><Esc>");
    go(&mut stage, "Other");
    stage.keys("<F2><C-u>Rust<Enter>");
    assert!(stage.has_message("there is already a view \"Rust\""));
    assert!(config(&stage).contains("name = \"Other\""));
}

#[test]
fn an_invalid_query_shows_an_error_above_the_list() {
    let mut stage = Stage::new();
    stage.keys("/tiny");
    assert_eq!(stage.app.items.rows.len(), 1);
    stage.keys(" sorce:x");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("no operator \"sorce:\"; did you mean \"source:\"?"), "{screen}");
    assert!(screen.contains("1 found"), "the list is that of the last good query");
    stage.keys("<Enter>");
    assert!(
        stage.screen(120, 40).contains("› Search: tiny sorce:x"),
        "Enter keeps the invalid query"
    );
    stage.keys("<C-u>source:nobody");
    assert!(stage.screen(120, 40).contains("there is no source \"nobody\""));
    stage.keys("<C-u>tiny<Enter>");
    assert!(stage.app.dialogs.is_empty());
}

#[test]
fn selection_stays_on_its_item_before_any_key_press() {
    let newest =
        ItemRow { key: 99, date: now(), pinned: false, read: false, ..item_rows()[0].clone() };
    for (keys, selected) in [("", 1), ("j", 2), ("<Enter>", 1)] {
        let mut stage = Stage::new();
        stage.screen(120, 40);
        stage.keys(keys);
        stage.rows.push(newest.clone());
        stage.happen(Event::StoreChanged);
        assert_eq!(stage.app.items.current().unwrap().key, selected, "{keys:?}");
    }
}

#[test]
fn closes_the_article_when_the_list_changes() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.keys("<Enter>jj");
    assert!(stage.screen(120, 40).contains("The merge window closed"));
    // Searching and returning to the same list keeps the article.
    stage.keys("h/tiny<Esc>");
    assert!(stage.screen(120, 40).contains("The merge window closed"));
    stage.keys("hj");
    assert!(!stage.screen(120, 40).contains("The merge window closed"));
    assert!(stage.app.reader.article.is_none());
}

#[test]
fn marks_a_paused_source_that_fails() {
    let mut list = source_list();
    let paused = list.sources[3].clone();
    let mut failing = paused.clone();
    failing.facts.fail_count = 3;
    for (entry, words) in [(paused, " paused"), (failing, " !")] {
        list.sources[3] = entry;
        let mut stage = Stage::with(Settings::default(), list.clone(), item_rows());
        let screen = stage.screen(120, 40);
        let rows = screen.lines().map(|l| l.chars().take(26).collect::<String>());
        let mut rows = rows.filter(|l| l.contains("theatre"));
        let line = rows.next_back().unwrap();
        assert!(line.contains(words), "{line}");
    }
}

pub(super) fn urls() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("urls");
    let lines = "https://one.example/feed linux \"~The first one\"\nhttps://news.example/feed\n\
        \"query:New linux:unread = \\\"yes\\\" and tags # \\\"linux\\\"\"\n\
        \"query:Odd:flags # \\\"s\\\"\"\nexec:~/bin/x\n";
    std::fs::write(&path, lines).unwrap();
    (folder, path)
}

fn pictures(name: &str, keys: &str, paste: Option<&PathBuf>) {
    for (width, height) in SIZES {
        let mut stage = stage_with_files();
        stage.screen(width, height);
        stage.keys(keys);
        if let Some(path) = paste {
            stage.happen(Event::Pasted(path.display().to_string()));
            stage.keys("<Enter>");
        }
        insta::assert_snapshot!(format!("{name}-{width}x{height}"), stage.screen(width, height));
    }
}

#[test]
fn draws_saved_queries_and_tags_at_every_size() {
    pictures("tree", "jjjjjjljj<Space>", None);
}

#[test]
fn draws_completions_at_every_size() {
    pictures("completion", "/rust source:", None);
}

#[test]
fn draws_a_search_error_at_every_size() {
    pictures("search-error", "/rust sorce:kernel", None);
}

#[test]
fn draws_the_jump_dialog_at_every_size() {
    pictures("jump", "fne", None);
}

#[test]
fn draws_the_folder_prompt_at_every_size() {
    pictures("folder", "jjjjjjjjM<C-u>t", None);
}

#[test]
fn draws_the_import_preview_at_every_size() {
    let (_folder, path) = urls();
    pictures("import", "i", Some(&path));
}

#[test]
fn search_results_show_where_they_match() {
    let mut stage = Stage::new();
    stage.screen(120, 20);
    stage.keys("/bridge");
    let read = stage.requested.last().unwrap();
    assert!(read.contains("Snippets") && read.contains("keys: [10]"), "{read}");
    let text = "… the old steel bridge is painted before it opens again …";
    let at = text.find("bridge").unwrap();
    let snippet = Snippet {
        title_hits: vec![0..6, 18..23],
        text: text.to_owned(),
        hits: vec![at..at + 6, at + 7..at + 9],
        picture: None,
    };
    let found = || vec![(10, snippet.clone())];
    stage.happen(Event::SnippetsLoaded(Some("\"tea\"*".to_owned()), Ok(found())));
    assert!(!stage.screen(120, 20).contains("steel"), "the reply of another search");
    stage.happen(Event::SnippetsLoaded(Some("\"bridge\"*".to_owned()), Ok(found())));
    let screen = stage.screen(130, 20);
    assert!(screen.contains("› Search: bridge ") && screen.contains("1 found"), "{screen}");
    assert!(screen.contains("Bridge reopens in March  …old steel bridge is"), "{screen}");
    // In a narrower list, there is no space next to the title.
    for (width, height) in [(120, 20), (80, 24), (50, 15)] {
        let screen = stage.screen(width, height);
        let title = screen.lines().position(|line| line.contains("Bridge reopens")).unwrap();
        let below = screen.lines().nth(title + 1).unwrap();
        assert!(below.contains("steel bridge is"), "{width}x{height} {screen}");
    }
    stage.keys("x");
    let screen = stage.screen(120, 20);
    assert!(screen.contains("› Search: bridgex") && screen.contains("0 found"), "{screen}");
}

#[test]
fn the_color_of_a_source_overrides_the_derived_one() {
    use crate::config::Role;
    let color = |own: Option<u32>| {
        let mut list = source_list();
        Arc::make_mut(&mut list.sources[0].source).color = own;
        Stage::with(Settings::default(), list, item_rows()).app.sources.color(1)
    };
    for (n, role) in (1..).zip(Role::SOURCES) {
        assert_eq!(color(Some(n)), role);
    }
    let text = "[[source]]\nurl = \"https://a.example/f\"\ncolor = 9\n";
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    std::fs::create_dir_all(paths.config_dir()).unwrap();
    std::fs::write(paths.sources_file(), text).unwrap();
    let error = load(&paths, &[]).unwrap_err().to_string();
    assert!(error.contains("color") && error.contains("from 1 to 8"), "{error}");
    std::fs::write(paths.sources_file(), text.replace('9', "8")).unwrap();
    assert_eq!(load(&paths, &[]).unwrap().sources[0].color, Some(8));
}

#[test]
fn a_search_suggests_operators_and_shows_counts_as_you_type() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.keys("/");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("words, is:unread, source:") && !screen.contains(" found"), "{screen}");
    stage.keys("so");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("source: of a source"), "{screen}");
    stage.keys("<Tab>");
    assert!(stage.screen(120, 40).contains("Kernel notes and other things"));
    stage.keys("<Esc><Esc>/release");
    assert!(stage.screen(120, 40).contains("1 found"));
    assert!(stage.screen(50, 9).contains("Search (1): release"), "{}", stage.screen(50, 9));
}

#[test]
fn uses_all_source_colors_and_keeps_them_when_a_source_is_removed() {
    let colors = |keys: &[i64]| -> Vec<_> {
        let sources = keys.iter().map(|n| source(*n, &format!("s{n}"), None, 0)).collect();
        let list = SourceList { sources, ..SourceList::default() };
        let stage = Stage::with(Settings::default(), list, vec![]);
        keys.iter().map(|n| stage.app.sources.color(*n)).collect()
    };
    let twelve = colors(&(1..=12).collect::<Vec<_>>());
    for color in crate::config::Role::SOURCES {
        let times = twelve.iter().filter(|other| **other == color).count();
        assert!((1..=2).contains(&times), "{color:?}: {times}");
    }
    assert!(twelve.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(colors(&[2, 7, 12]), [twelve[1], twelve[6], twelve[11]]);
}

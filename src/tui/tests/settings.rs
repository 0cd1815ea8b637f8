//! Tests of settings, key bindings, commands with arguments and the history, with real files and a real
//! database.

use super::real::{CONFIG, Real};
use super::*;
use crate::config::{Action, ConfigFile, Context, FileChange, Paths, Section, setting_change};
use crate::tui::app::{Editor, ImportPreview, Palette as CommandPalette, assignment};

pub(super) fn with_runtime<F: Future<Output = ()>>(work: F) {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    { runtime }.worker_threads(2).enable_all().build().unwrap().block_on(work);
}

const CTRL: KeyModifiers = KeyModifiers::CONTROL;

#[test]
fn a_setting_applies_at_once_and_can_be_undone() {
    with_runtime(async {
        let mut real = Real::new(2, 10).await;
        real.command("settings");
        real.until("a form", |app| app_form(app).is_some()).await;
        // Stepping through the themes previews each of them.
        for theme in ["dark", "light", "catppuccin-mocha"] {
            real.press(KeyCode::Right, KeyModifiers::NONE);
            assert_eq!(real.app.palette.name(), theme);
        }
        real.press(KeyCode::Esc, KeyModifiers::NONE);
        real.press(KeyCode::Esc, KeyModifiers::NONE);
        assert!(!real.has_dialog());
        assert_eq!((real.app.palette.name(), real.config().as_str()), ("auto", CONFIG));

        real.command("settings retention");
        real.until("a form", |app| app_form(app).is_some()).await;
        real.keys("x");
        assert!(real.screen().contains("Not a whole number."), "{}", real.screen());
        real.press(KeyCode::Char('u'), CTRL);
        real.keys("30");
        real.press(KeyCode::Char('s'), CTRL);
        real.wait_for("Saved: retention.days = 30 (u undoes this)").await;
        assert_eq!(real.config(), format!("{CONFIG}\n[retention]\ndays = 30\n"));
        assert_eq!(real.handle.settings().retention.days, Some(30), "the engine applies it");
        real.keys("u");
        real.wait_for("Undone: retention.days = 30").await;
        assert_eq!(real.config(), CONFIG);
        assert_eq!(real.handle.settings().retention.days, None);
        real.press(KeyCode::Char('r'), CTRL);
        real.wait_for("Redone: retention.days = 30").await;
        assert_eq!(real.handle.settings().retention.days, Some(30));
        real.handle.shutdown().await;
    });
}

fn app_form(app: &App) -> Option<&crate::config::SourceForm> {
    app.dialog::<Editor>()?.form.as_ref()
}

#[test]
fn merges_or_asks_about_changes_in_the_file() {
    with_runtime(async {
        let mut real = Real::new(1, 1).await;
        real.command("settings schedules");
        real.until("a form", |app| app_form(app).is_some()).await;
        real.press(KeyCode::Down, KeyModifiers::NONE);
        real.keys("24");
        let file = real.paths.config_file();
        // Changes to other keys of the file are merged; if the same key was changed, the user is asked.
        let theirs = format!("{CONFIG}ascii = true\n\n[schedule]\npolls_per_day = 6 # theirs\n");
        std::fs::write(&file, &theirs).unwrap();
        real.press(KeyCode::Char('s'), CTRL);
        real.wait_for("Not saved: schedule.polls_per_day changed in the file").await;
        assert_eq!(real.config(), theirs);
        real.press(KeyCode::Char('s'), CTRL);
        real.wait_for("Saved: schedule.polls_per_day = 24").await;
        assert_eq!(real.config(), theirs.replace("= 6 #", "= 24 #"));
        assert!(real.app.settings.ui.ascii, "other changes are applied");
        real.handle.shutdown().await;
    });
}

#[test]
fn marks_settings_that_need_a_restart() {
    with_runtime(async {
        let mut real = Real::new(1, 1).await;
        real.command("settings network");
        real.until("a form", |app| app_form(app).is_some()).await;
        assert!(real.screen().contains("Restart to apply."));
        real.keys("4");
        real.press(KeyCode::Char('s'), CTRL);
        real.wait_for("restart to apply: ").await;
        real.handle.shutdown().await;
    });
}

#[test]
fn binds_keys_by_pressing_them() {
    with_runtime(async {
        let mut real = Real::new(2, 10).await;
        real.command("keys pin");
        assert!(real.screen().contains("Items: [p] s "));
        real.enter();
        assert!(real.screen().contains("press the new key"));
        real.keys("g");
        real.keys("z");
        assert_eq!(real.config(), CONFIG, "nothing is saved before Enter");
        real.enter();
        real.quiet().await;
        real.wait_for("Saved: ").await;
        assert!(real.config().contains("\"g z\" = \"pin\"") && real.config().starts_with(CONFIG));
        let keys = |app: &App, action| app.keymap.keys_for(Context::Items, action);
        assert_eq!(keys(&real.app, Action::Pin).as_deref(), Some("g z"));
        // Binding a key that is already in use needs a confirmation.
        real.enter();
        real.keys("x");
        real.late(TimeDelta::seconds(5));
        assert!(
            real.screen().contains("x will no longer be \"full text\" in Items"),
            "{}",
            real.screen()
        );
        // The key sequence has already ended, so Enter does not confirm the binding.
        real.enter();
        assert!(real.screen().contains("Press y to bind anyway"), "{}", real.screen());
        real.press(KeyCode::Esc, KeyModifiers::NONE);
        assert_eq!(keys(&real.app, Action::FullText).as_deref(), Some("x"));
        real.close_dialogs();
        real.keys("u");
        real.wait_for("Undone: keys.items").await;
        assert_eq!(real.config(), CONFIG);
        assert_eq!(keys(&real.app, Action::Pin).as_deref(), Some("p"));
        real.handle.shutdown().await;
    });
}

#[test]
fn commands_accept_arguments() {
    with_runtime(async {
        let mut real = Real::new(12, 60).await;
        // Without a name, the command opens the gallery. It previews the selected theme, and Esc restores the
        // previous one.
        real.keys(":theme ");
        real.enter();
        real.until("a form", |app| app_form(app).is_some()).await;
        real.press(KeyCode::Right, KeyModifiers::NONE);
        assert_eq!(real.app.palette.name(), "dark");
        real.press(KeyCode::Esc, KeyModifiers::NONE);
        assert_eq!((real.app.palette.name(), real.has_dialog()), ("auto", false));
        real.keys("t");
        real.until("a form", |app| app_form(app).is_some()).await;
        real.press(KeyCode::Right, KeyModifiers::NONE);
        real.enter();
        real.wait_for("Saved: ui.theme = \"dark\"").await;
        assert_eq!((real.app.palette.name(), real.has_dialog()), ("dark", false));
        real.command("theme li");
        real.wait_for("Saved: ui.theme = \"light\"").await;
        assert_eq!(real.app.palette.name(), "light");
        real.command("set ui.asc");
        let screen = real.screen();
        let shown = |value: &str| screen.lines().any(|line| line.contains(value));
        assert!(shown("ui.ascii on ") && shown("current value"), "{screen}");
        real.enter();
        real.wait_for("Saved: ui.ascii = true").await;
        real.close_dialogs();
        real.command("set ui.reader_width 5");
        real.wait_for("othing was changed").await;
        real.command("set ui.reader_width 55");
        real.wait_for("Saved: ui.reader_width = 55").await;
        real.command("set ui.sources_width=44");
        real.wait_for("Saved: ui.sources_width = 44").await;
        let row: Vec<char> = real.screen().lines().nth(5).unwrap().chars().collect();
        assert_eq!(row[46], 'o', "{row:?}");
        real.command("open source 7");
        real.quiet().await;
        assert_eq!(real.app.items.listing.title, "Source 7");
        real.command("tag t3");
        real.until("items", |app| app.items.rows.len() == 10).await;
        real.command("sort-next old");
        real.quiet().await;
        assert_eq!(real.app.items.shown_order().label(), "oldest first");
        real.command("search item 2");
        real.quiet().await;
        assert!(!real.has_dialog() && real.app.items.listing.query == "item 2");
        real.handle.shutdown().await;
    });
}

#[test]
fn moves_back_and_forth_in_the_history() {
    with_runtime(async {
        let mut real = Real::new(3, 30).await;
        let before = std::fs::read_to_string(real.paths.sources_file()).unwrap();
        real.keys("p");
        real.wait_for("1 item pinned").await;
        real.command("delete Source 1");
        real.wait_for("Removed Source 1").await;
        real.command("theme mono");
        real.wait_for("Saved: ui.theme").await;
        let list = real.paths.config_dir().join("list.txt");
        std::fs::write(&list, "http://127.0.0.1:9/new.xml\nhttp://127.0.0.1:9/other.xml\n")
            .unwrap();
        real.command(&format!("import {}", list.display()));
        let read = |preview: &ImportPreview| preview.read.is_some();
        real.until("the preview", |app| app.dialog().is_some_and(read)).await;
        real.keys("p");
        let all = |preview: &ImportPreview| {
            preview.read.as_ref().is_some_and(|read| read.sources.len() == 2)
        };
        real.until("private addresses", |app| app.dialog().is_some_and(all)).await;
        real.enter();
        real.wait_for("2 sources imported").await;
        real.until("the sources", |app| app.sources.list.sources.len() == 4).await;
        real.keys("U");
        let screen = real.screen();
        for words in ["import of", "ui.theme = \"mono\"", "removal of Source 1", "pin: Item"] {
            assert!(screen.contains(words), "{words} on\n{screen}");
        }
        // Returns to the initial state …
        real.keys("G");
        real.enter();
        real.until("the beginning", |app| app.history.rests_at(0)).await;
        real.until("the sources", |app| app.sources.list.sources.len() == 3).await;
        let is_restored =
            |app: &App| app.sources.current().is_some_and(|row| row.title == "Source 1");
        real.until("the restored source", is_restored).await;
        let now = std::fs::read_to_string(real.paths.sources_file()).unwrap();
        assert_eq!(now.trim_end(), before.trim_end());
        assert_eq!((real.config().as_str(), real.app.palette.name()), (CONFIG, "auto"));
        let pinned = || real.handle.store().reader().unwrap().sources().unwrap();
        assert_eq!(pinned().iter().map(|s| s.pinned).sum::<u32>(), 0);
        assert!(real.screen().matches("undone").count() >= 4);
        // … and forward again.
        real.keys("gg");
        real.press(KeyCode::Home, KeyModifiers::NONE);
        real.enter();
        real.until("the end", |app| app.history.rests_at(4)).await;
        real.until("the sources", |app| app.sources.list.sources.len() == 4).await;
        assert_eq!(real.app.palette.name(), "mono");
        real.press(KeyCode::Esc, KeyModifiers::NONE);
        // A new change discards the undone changes.
        real.keys("u");
        real.wait_for("Undone: import").await;
        real.command("theme light");
        real.wait_for("Saved: ui.theme").await;
        real.press(KeyCode::Char('r'), CTRL);
        real.wait_for("Nothing to redo").await;
        real.handle.shutdown().await;
    });
}

#[test]
fn draws_the_settings_dialogs_at_every_size() {
    for (width, height) in SIZES {
        let snapshot = |name: &str, stage: &mut Stage| {
            insta::assert_snapshot!(
                format!("{name}-{width}x{height}"),
                stage.screen(width, height)
            );
        };
        let mut stage = Stage::new();
        stage.keys(",");
        stage.happen(Event::SettingsLoaded(Ok(Section::settings("[ui]\ntheme = 'mono'\n", &[]))));
        stage.keys("<Down><Space><Down>yes");
        snapshot("settings", &mut stage);
        let mut stage = Stage::new();
        stage.keys("Kpin<Enter>x");
        stage.keys("<Enter>");
        snapshot("keys", &mut stage);
        let mut stage = Stage::new();
        stage.keys("pjmu");
        stage.keys("U");
        // The time of day is replaced, because it depends on the time zone.
        let zone = |screen: String| {
            let at = now().with_timezone(&chrono::Local).format("%H:%M:%S").to_string();
            screen.replace(&at, "12:00:00")
        };
        let screen = zone(stage.screen(width, height));
        insta::assert_snapshot!(format!("history-{width}x{height}"), screen);
        let mut stage = Stage::new();
        stage.keys(":set ui.");
        snapshot("arguments", &mut stage);
    }
}

#[test]
fn a_late_reply_does_not_revert_a_newer_change() {
    with_runtime(async {
        let mut real = Real::new(1, 1).await;
        real.command("density");
        real.command("density");
        let last = real.app.settings.ui.list;
        real.wait_for_edits(1).await;
        assert_eq!(real.app.settings.ui.list, last);
        real.wait_for_edits(2).await;
        assert_eq!(real.app.settings.ui.list, last);
        let line = format!("list = \"{}\"", last.name());
        assert!(real.config().contains(&line), "{}", real.config());
        real.handle.shutdown().await;
    });
}

#[test]
fn the_form_stays_open_during_replies_to_older_saves() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    std::fs::create_dir_all(paths.config_dir()).unwrap();
    std::fs::write(paths.config_file(), CONFIG).unwrap();
    let file = ConfigFile::open(&paths);
    let saved = |purpose: &Purpose, key: &str, value: &str| {
        let change = FileChange::Settings(vec![setting_change(key, value)]);
        Event::Edited(purpose.clone(), apply(change, &paths))
    };
    let mut stage = Stage::new();
    stage.keys("_:settings retention<Enter>");
    stage.happen(Event::SettingsLoaded(Ok(file.read(&[]).unwrap())));
    stage.keys("30");
    let save = |stage: &mut Stage| {
        let key = KeyEvent::new(KeyCode::Char('s'), CTRL);
        let effects = stage.app.update(Event::KeyPressed(key), now());
        let purpose = effects.into_iter().find_map(|effect| match effect {
            Effect::Edit { purpose, .. } => Some(purpose),
            _ => None,
        });
        purpose.unwrap()
    };
    let first = save(&mut stage);
    stage.happen(saved(&Purpose::Command(None), "ui.theme", "light"));
    assert!(app_form(&stage.app).is_some(), "the reply was for another save");
    let failed = NotSaved::Failed("disk full".to_owned());
    stage.happen(Event::Edited(first, Err(failed)));
    assert!(stage.screen(100, 30).contains("30"));
    let second = save(&mut stage);
    stage.happen(saved(&second, "retention.days", "30"));
    assert!(app_form(&stage.app).is_none());
}

#[test]
fn the_palette_finds_settings_and_opens_their_rows() {
    for (typed, focused) in [
        ("preview items", "On wide screens"),
        ("date format", "Format in lists"),
        ("settings ui.theme", "Left and Right show"),
        ("settings retention.days", "How long items are kept"),
    ] {
        let mut stage = Stage::new();
        stage.keys(&format!(":{typed}<Enter>"));
        assert_eq!(stage.asked_for("LoadSettings"), 1, "{typed}");
        stage.happen(Event::SettingsLoaded(Ok(Section::settings("", &[]))));
        let shown = stage.screen(120, 40);
        assert!(shown.contains(focused), "{typed}: {shown}");
    }
    let mut stage = Stage::new();
    stage.keys(":theme");
    let shown = stage.screen(120, 40);
    assert!(shown.contains("ui.theme"), "{shown}");
}

#[test]
fn the_palette_identifies_sources_by_key_not_by_title() {
    let same = || {
        let mut list = source_list();
        for entry in &mut list.sources {
            Arc::make_mut(&mut entry.source).title = Some("News".to_owned());
        }
        list
    };
    let stage = || Stage::with(Settings::default(), same(), item_rows());
    let second = same().sources[1].clone();
    let selected = |stage: &Stage| format!("{:?}", stage.app.sources.current().unwrap().id);
    let wanted = format!("Source({})", second.facts.key);
    let mut chosen = stage();
    chosen.keys(":open News<Down><Enter>");
    assert_eq!(selected(&chosen), wanted);
    let mut unclear = stage();
    unclear.keys(":delete News<Enter>");
    assert!(unclear.screen(120, 40).contains("Several sources are called News"));
    assert!(!unclear.requested.iter().any(|a| a.contains("Remove")), "{:?}", unclear.requested);
    unclear.keys("<Down><Tab>");
    let typed = unclear.app.dialog::<CommandPalette>().unwrap().field.value().to_owned();
    assert_eq!(typed, format!("delete {}", second.source.id));
    unclear.keys("<Enter>");
    assert_eq!(selected(&unclear), wanted);
}

#[test]
fn applies_settings_written_by_another_program() {
    let mut stage = Stage::new();
    let mut settings = stage.app.settings.clone();
    settings.ui.theme = "mono".to_owned();
    settings.ui.reader_width = 44;
    stage.happen(Event::SettingsReloaded(Box::new(settings)));
    assert_eq!((stage.app.palette.name(), stage.app.settings.ui.reader_width), ("mono", 44));
}

#[test]
fn tabs_of_the_settings_are_never_truncated() {
    use crate::config::FormPage;
    for width in 24..130 {
        let mut stage = Stage::new();
        stage.keys(",");
        stage.happen(Event::SettingsLoaded(Ok(Section::settings("", &[]))));
        for _ in FormPage::ALL {
            let screen = stage.screen(width, 15);
            let parts = screen.lines().flat_map(|line| line.split('│')).map(str::trim);
            let tabs = parts.into_iter().find(|line| {
                FormPage::ALL.iter().any(|page| {
                    let first = page.title().split(' ').next().unwrap();
                    line.trim_start_matches(['‹', ' ']).starts_with(first)
                })
            });
            let tabs = tabs.unwrap_or_else(|| panic!("no tabs in {screen}"));
            let words: Vec<&str> = tabs.split_whitespace().collect();
            let known: Vec<&str> =
                FormPage::ALL.iter().flat_map(|page| page.title().split(' ')).collect();
            let signs = ["‹", "›"];
            assert!(words.iter().all(|w| known.contains(w) || signs.contains(w)), "{tabs}");
            stage.keys("<C-n>");
        }
    }
}

#[test]
fn the_gallery_explains_why_themes_resemble_each_other() {
    use crate::config::Depth;
    for (depth, note, tiles) in [
        (Depth::Mono, "This terminal shows no colours", 1..2),
        (Depth::Sixteen, "This terminal shows 16 colours", 4..99),
        (Depth::True, "plover", 4..99),
    ] {
        let mut stage = Stage::new();
        let support = ColorSupport { depth, ..ColorSupport::DARK };
        stage.app.palette = Palette::of(&Settings::default(), support);
        stage.keys(",");
        stage.happen(Event::SettingsLoaded(Ok(Section::settings("", &[]))));
        let screen = stage.screen(120, 40);
        assert!(screen.contains(note), "{screen}");
        assert!(tiles.contains(&screen.matches("plover 3.2").count()), "{screen}");
    }
}

#[test]
fn values_of_settings_may_contain_an_equals_sign() {
    for typed in ["machines.name a=b", "machines.name = a=b", "machines.name=a=b"] {
        assert_eq!(assignment(typed), Some(("machines.name", "a=b")), "{typed}");
        let mut stage = Stage::new();
        stage.keys(&format!(":set {typed}<Enter>"));
        let found = stage.requested.iter().any(|e| e.contains("Settings([machines.name])"));
        assert!(found, "{typed}: {:?}", stage.requested);
    }
    assert_eq!(assignment("machines.name"), None);
}

#[test]
fn escape_ends_the_recording_of_a_key() {
    let mut stage = Stage::new();
    stage.keys("Kpin<Enter>x<Esc>");
    let screen = stage.screen(120, 40);
    assert!(!screen.contains("ends the sequence") && screen.contains("Key bindings"), "{screen}");
    assert!(stage.app.update(Event::TimePassed, now() + TimeDelta::seconds(9)).is_empty());
}

#[test]
fn articles_open_alone_if_set() {
    let mut settings = Settings::default();
    settings.ui.zen = true;
    let mut stage = Stage::with(settings, source_list(), item_rows());
    stage.screen(140, 36);
    stage.keys("<Enter>");
    assert!(stage.app.zen && !stage.screen(140, 36).contains("newsfed "));
    // The panes that `z` shows stay visible with the next article.
    stage.keys("z");
    assert!(!stage.app.zen);
    stage.keys("n");
    assert!(!stage.app.zen);
    stage.keys("q<Enter>");
    assert!(stage.app.zen);
    stage.keys("q");
    assert!(!stage.app.zen && stage.app.focus == crate::tui::app::Focus::Items);
    stage.keys(",");
    stage.happen(Event::SettingsLoaded(Ok(Section::settings("", &[]))));
    stage.keys("/zen");
    assert!(stage.screen(140, 36).contains("Article alone"), "{}", stage.screen(140, 36));
}

//! Tests of the add dialog at several sizes, and of the form of a new source.

use super::*;
use crate::tui::tests::styles::drawn;

/// The words inside the dialog, without the border.
fn words(stage: &mut Stage, (width, height): (u16, u16)) -> String {
    let screen = stage.screen(width, height);
    let inside = screen.lines().filter_map(|line| line.split('│').nth(1));
    inside.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn failed() -> Stage {
    let mut stage = Stage::new();
    stage.screen(120, 36);
    stage.keys("a");
    stage.happen(Event::Pasted("https://nowhere.example/".to_owned()));
    stage.keys("<Enter>");
    let request = last_request(&stage);
    stage.happen(Event::Discovered(request, Err("the host was not found".to_owned())));
    stage
}

#[test]
fn wraps_sentences_in_the_add_dialog() {
    for size in [(80, 24), (50, 15)] {
        let mut stage = Stage::new();
        stage.keys("a");
        let shown = words(&mut stage, size);
        for sentence in [
            "Paste a URL and press Enter.",
            "A feed, a website, a list of articles, or a page to watch.",
            "exec:PROGRAM, filter:PROGRAM:URL, mail:PATH, or a file's path.",
        ] {
            assert!(shown.contains(sentence), "{size:?}: {shown}");
        }
        stage.happen(Event::Pasted("https://kernel.example/feed".to_owned()));
        stage.keys("<Enter>");
        let shown = words(&mut stage, size);
        assert!(shown.contains("finds other ways to follow this URL."), "{size:?}: {shown}");
        let shown = words(&mut failed(), size);
        assert!(shown.contains("https://example.org/feed.xml, and press Enter."), "{shown}");
    }
}

#[test]
fn the_preview_shows_summaries_and_the_folder() {
    let mut stage = found(vec![list_way()], &[]);
    let screen = stage.screen(80, 24);
    let rows: Vec<&str> = screen.lines().collect();
    let title = rows.iter().position(|row| row.contains("Today       Night buses")).unwrap();
    assert!(rows[title + 1].contains("             Summary of Night buses"), "{screen}");
    let folder = rows.iter().find(|row| row.contains("Folder")).unwrap();
    assert!(folder.contains("  none "), "{screen}");
    // If there is little space, only titles are shown.
    let news = ["a", "b", "c", "d"].map(|title| (title, now()));
    let url = "https://council.example/news";
    let mut stage = found(vec![Way::sample(url, "", Some(("li > a", 0.8)), &news)], &[]);
    let screen = stage.screen(50, 15);
    assert!(screen.contains("Today       d ") && !screen.contains("Summary"), "{screen}");
}

#[test]
fn truncates_sentences_between_words() {
    let news = [("Night buses", now())];
    let url = "https://council.example/sitemap.xml";
    let ways = || vec![list_way(), Way::sample(url, "", None, &news)];
    let tried =
        ["there is no feed at /news/feed, /news/feed.xml, /news/rss.xml, /news/atom.xml"; 2];
    let mut stage = found(ways(), &tried);
    let screen = stage.screen(80, 24);
    assert!(screen.contains("Sitemap           412 pages"), "{screen}");
    assert!(screen.contains("/news/rss.xml, …") || screen.contains("atom.xml …"), "{screen}");
    let screen = stage.screen(40, 15);
    assert!(screen.contains("List of articles  2 found  "), "{screen}");
    assert!(screen.contains("Sitemap           412 pages"), "{screen}");
}

#[test]
fn a_form_dims_the_dialog_below() {
    let size = (120, 36);
    let mut stage = found(vec![list_way()], &[]);
    let before = drawn(&mut stage, size);
    let edge = before.area.positions().find(|at| before[*at].symbol() == "╰").unwrap();
    stage.keys("e");
    stage.keys("<Esc>");
    let after = drawn(&mut stage, size);
    let screen = stage.screen(120, 36);
    assert!(screen.contains("─ New source ─") && !screen.contains("Edit source"), "{screen}");
    assert_eq!(after[edge].symbol(), "╰", "{screen}");
    assert_ne!(after[edge].fg, before[edge].fg);
    // The panes are dimmed only once, even below several dialogs.
    assert_eq!(after[(0, 0)].bg, before[(0, 0)].bg);
}

#[test]
fn the_welcome_page_describes_each_choice_on_narrow_screens() {
    let mut stage = Stage::with(Settings::default(), SourceList::default(), vec![]);
    let screen = stage.screen(50, 15);
    for words in ["13 feeds in 5 topics", "OPML, newsboat's urls file", "fictional sites"] {
        assert!(screen.lines().any(|line| line.trim_end().ends_with(words)), "{words}: {screen}");
    }
}

#[test]
fn wraps_the_help_of_a_field_on_short_screens() {
    let mut stage = settings((50, 15));
    for _ in 0..40 {
        let editor: &Editor = stage.app.dialog().unwrap();
        let field = &editor.form.as_ref().unwrap().fields()[editor.focus];
        let (help, waits) = (field.help(), field.needs_restart());
        let shown = words(&mut stage, (50, 15)).replace(' ', "");
        let is_whole = shown.contains(&help.replace(' ', ""));
        assert!(is_whole || waits && shown.contains('…'), "{help}: {shown}");
        stage.keys("<Tab>");
    }
}

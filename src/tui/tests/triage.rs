//! Tests of going through many items: parts of lists, selections, hidden sources, and marking as read while
//! moving on.

use super::lists::{config, stage_with_files};
use super::real::Real;
use super::settings::with_runtime;
use super::*;
use crate::config::MarkRead;
use crate::engine::SaveState;
use crate::store::{Anchor, Beyond, Part, Scope, View};
use crate::tui::app::RowId;

fn selected(stage: &Stage) -> usize {
    stage.app.items.marked.len()
}

#[test]
fn marks_items_above_and_below_without_the_selected_one() {
    for (key, above) in [("{", true), ("}", false)] {
        let mut stage = stage_with_files();
        stage.keys("<Tab>j");
        stage.requested.clear();
        stage.keys(key);
        let at = stage.app.items.current().map(Into::into).unwrap();
        let beyond = if above { Beyond::Above(at) } else { Beyond::Below(at) };
        let wanted = format!("beyond: Some({beyond:?})");
        assert!(stage.requested.iter().any(|effect| effect.contains(&wanted)), "{key}");
    }
}

#[test]
fn extends_and_inverts_selections() {
    let mut stage = stage_with_files();
    stage.keys("<Tab>");
    let all = stage.app.items.rows.len();
    stage.keys("*r");
    assert!(stage.screen(120, 40).contains("Select the start of the range first"));
    // Space selects the first row and moves to the second one.
    stage.keys("<Space>jj");
    stage.keys("*r");
    assert_eq!(selected(&stage), 4);
    stage.keys("*i");
    assert_eq!(selected(&stage), all - 4);
    stage.keys("*a");
    assert_eq!(selected(&stage), all);
    stage.keys("*n");
    assert_eq!(selected(&stage), 0);
}

#[test]
fn asks_before_marking_many_items_as_read() {
    let marks = |stage: &Stage| {
        stage.requested.iter().filter(|effect| effect.contains("MarkViewRead")).count()
    };
    let listing = |count: i64| {
        let mut stage = stage_with_files();
        // Opens the list of all unread items.
        stage.keys("j<Tab>");
        let row = crate::model::ItemRow { read: false, ..stage.app.items.rows[0].clone() };
        let rows = 0..count;
        stage.app.items.rows =
            rows.map(|n| crate::model::ItemRow { key: 1000 + n, ..row.clone() }).collect();
        stage.requested.clear();
        stage
    };
    let mut stage = listing(50);
    stage.keys("A");
    assert_eq!((marks(&stage), stage.app.dialogs.len()), (1, 0));
    for (answer, expected) in [("<Enter>", 1), ("A", 1), ("y", 1), ("<Esc>", 0), ("x", 0)] {
        let mut stage = listing(51);
        stage.keys("A");
        let screen = stage.screen(120, 40);
        assert!(screen.contains("Mark 51 items as read?"), "{screen}");
        assert!(screen.contains("You can undo this with u until you quit newsfed."), "{screen}");
        assert!(screen.contains("Enter y mark all read"), "{screen}");
        assert_eq!(marks(&stage), 0);
        stage.keys(answer);
        assert_eq!(marks(&stage), expected, "{answer}");
    }
    // If only a part of the list is in memory, the count is that of the Sources pane.
    let mut stage = listing(40);
    stage.app.items.more_below = true;
    let selected = stage.app.sources.selected;
    stage.app.sources.rows[selected].count = 1234;
    stage.keys("A");
    stage.shows("Mark 1234 items as read?");
}

#[test]
fn asks_before_marking_parts_of_lists_and_matches() {
    for (keys, question, about) in [
        ("{", "Mark 51 items above the selected one as read?", "List: "),
        ("}", "Mark 51 items below the selected one as read?", "List: "),
        (":read title:/a/<Enter>", "Mark 51 items as read?", "Query: title:/a/, in all sources"),
        (":read-everything<Enter>", "Mark 51 items as read?", "All sources"),
    ] {
        for (count, answer, marks) in [(50, "", 1), (51, "<Esc>", 0), (51, "<Enter>", 1)] {
            let mut stage = stage_with_files();
            let row = crate::model::ItemRow { read: false, ..stage.app.items.rows[0].clone() };
            stage.keys("<Tab>j");
            stage.rows = (0..count)
                .map(|n| crate::model::ItemRow { key: 1000 + n, ..row.clone() })
                .collect();
            stage.keys(keys);
            let screen = stage.screen(120, 40);
            assert_eq!(screen.contains(question), count > 50, "{screen}");
            assert_eq!(screen.contains(about), count > 50, "{screen}");
            stage.keys(answer);
            assert_eq!(stage.asked_for("MarkViewRead"), marks, "{keys} {answer}");
        }
    }
    // A search might not list all matches; only the listed ones are marked.
    let mut stage = stage_with_files();
    stage.keys("/e<Enter>gij}");
    let below: Vec<i64> = stage.app.items.rows[2..].iter().map(|row| row.key).collect();
    let wanted = format!("scope: Only({below:?})");
    assert!(stage.requested.iter().any(|effect| effect.contains(&wanted)), "{:?}", stage.requested);
    // Pressing the same key again confirms.
    let mut stage = stage_with_files();
    let row = crate::model::ItemRow { read: false, ..stage.app.items.rows[0].clone() };
    stage.rows = (0..99).map(|n| crate::model::ItemRow { key: 1000 + n, ..row.clone() }).collect();
    stage.keys("<Tab>}}");
    assert_eq!(stage.asked_for("MarkViewRead"), 1);
}

#[test]
fn asks_before_opening_many_pages() {
    for (count, expected) in [
        (10, "Browse { urls: [\"https://kernel.example/"),
        (11, "Open 11 pages in the browser?"),
        (101, "At most 100 pages are opened at once, but 101 items are selected"),
    ] {
        let mut stage = stage_with_files();
        let row = stage.app.items.rows[0].clone();
        stage.app.items.rows = (0..count)
            .map(|n| crate::model::ItemRow {
                key: 1000 + n,
                url: Some(format!("https://kernel.example/{n}")),
                ..row.clone()
            })
            .collect();
        stage.rows.clone_from(&stage.app.items.rows);
        stage.keys("<Tab>*ao");
        stage.keys_give("", expected);
        assert_eq!(stage.asked_for("Browse"), usize::from(count == 10));
        stage.keys("<Enter>");
        assert_eq!(stage.asked_for("Browse"), usize::from(count <= 11), "{count}");
    }
}

#[test]
fn copies_and_saves_articles() {
    let mut stage = stage_with_files();
    stage.keys_give("<Tab>Y", "MakeMarkdown { items: [");
    stage.happen(Event::MarkdownMade(Ok(("# a".to_owned(), 2))));
    stage.keys_give("", "Copied 2 articles as Markdown");
    assert_eq!(stage.asked_for("Copy { text: \"# a\" }"), 1);
    let state = SaveState { articles: 3, pictures: 1 };
    stage.happen(Event::SaveAdvanced(state, 12));
    stage.keys_give("", "Saving 3 of 12 articles, 1 picture; C-k stops");
    stage.happen(Event::MarkdownMade(Ok(("x".repeat(1 << 21), 2))));
    stage.keys_give(
        "",
        "Not copied: the Markdown is 2.0 MB long, but terminals accept at most 1.0 MB",
    );
    stage.app.settings.save.folder = Some("/tmp/articles".to_owned());
    stage.keys("<C-w>");
    assert!(stage.screen(120, 40).contains("Save in /tmp/articles (.md, .html or .epub): "));
    assert!(stage.screen(60, 20).contains("Save in /tmp/articles: "));
    stage.keys_give("a.txt<Enter>", "Type a name that ends with .md, .html or .epub");
    assert_eq!(stage.asked_for("Save"), 0);
    stage.keys("<Esc><C-w>");
    // Markdown files contain only links to pictures. For other formats, Tab toggles whether pictures are
    // saved.
    stage.keys("<C-u>a b.md");
    assert!(!stage.screen(120, 40).contains("pictures"));
    stage.keys("<Backspace><Backspace>epub");
    stage.keys_give("", "without pictures (Tab: with)");
    stage.keys_give("<Tab>", "with pictures (Tab: without)");
    stage.keys_give("<Enter>", "folder: \"/tmp/articles\", name: \"a b.epub\"");
    stage.keys_give("", "format: Epub");
    stage.keys_give("", "pictures: true");
    stage.keys_give(":save ../x.html<Enter>", "folder: \"..\", name: \"x.html\"");
}

#[test]
fn marks_the_matches_of_a_query() {
    let mut stage = stage_with_files();
    stage.requested.clear();
    stage.keys(":read age>3d<Enter>");
    let marks = |effect: &&String| effect.starts_with("MarkViewRead");
    let mark = stage.requested.iter().find(marks).unwrap();
    assert!(mark.contains("before: Some"), "{mark}");
    stage.requested.clear();
    stage.keys(":read age>x<Enter>");
    assert!(stage.screen(120, 40).contains("Nothing was marked"));
    assert!(!stage.requested.iter().any(|effect| effect.starts_with("MarkViewRead")));
}

#[test]
fn hides_read_items_but_shows_a_selected_source() {
    let mut stage = stage_with_files();
    let mut list = stage.files.as_ref().unwrap().list();
    for entry in &mut list.sources {
        entry.facts.unread = u32::from(entry.source.id.as_str() == "allocator");
    }
    stage.happen(Event::SourcesLoaded(Ok(list)));
    stage.keys("!");
    let titles = |stage: &Stage| -> Vec<String> {
        stage.app.sources.rows.iter().map(|row| row.title.clone()).collect()
    };
    let shown = titles(&stage);
    assert!(shown.iter().any(|title| title.contains("allocator")), "{shown:?}");
    assert!(!shown.iter().any(|title| title.contains("council") || title == "City"), "{shown:?}");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("4 hidden"), "{screen}");
    assert!(config(&stage).contains("unread_only = true"));
    stage.keys("<C-p>council<Enter>");
    assert!(titles(&stage).iter().any(|title| title.contains("council")));
    assert!(stage.app.items.listing.base.unread_only);
    let screen = stage.screen(120, 40);
    assert!(screen.contains("8 unread"), "{screen}");
    stage.keys("!");
    assert!(titles(&stage).iter().any(|title| title.contains("theatre")));
    assert!(!stage.app.items.listing.base.unread_only);
}

#[test]
fn finds_the_next_unread_item_in_the_next_source() {
    let mut stage = stage_with_files();
    stage.keys("<C-p>kernel<Enter><Tab>");
    let listed = |stage: &Stage| stage.app.items.listing.title.clone();
    assert!(listed(&stage).contains("kernel"));
    stage.app.items.rows.iter_mut().for_each(|row| row.read = true);
    stage.keys("n");
    assert!(listed(&stage).contains("allocator"), "{}", listed(&stage));
    let row = stage.app.items.current().unwrap();
    assert!(!row.read && stage.app.items.rows[..stage.app.items.selected].iter().all(|r| r.read));
    // In the Reader, the item is also opened.
    stage.keys("<Enter>");
    stage.app.items.rows.iter_mut().for_each(|row| row.read = true);
    stage.keys("N");
    assert!(listed(&stage).contains("kernel"), "{}", listed(&stage));
    let opened = stage.app.reader.article.as_ref().unwrap().row.key;
    assert_eq!(stage.app.items.current().map(|row| row.key), Some(opened));
}

#[test]
fn next_unread_continues_at_the_first_after_the_last() {
    let mut stage = stage_with_files();
    // Opens the list of all unread items.
    stage.keys("j<Tab>G");
    let last = stage.app.items.rows.len() - 1;
    for (at, row) in stage.app.items.rows.iter_mut().enumerate() {
        row.read = at != 2;
    }
    assert_eq!(stage.app.items.selected, last);
    stage.keys("n");
    assert_eq!(stage.app.items.selected, 2);
    stage.shows("Reached the end of the list; continuing from the start");
    stage.app.items.rows[2].read = true;
    stage.keys("Gn");
    assert_eq!(stage.app.items.selected, last);
    stage.shows("No more unread items in this list");
    stage.keys("N");
    stage.shows("No unread items above");
}

#[test]
fn moving_past_items_marks_them_as_read_if_configured() {
    for (mode, marks) in [(MarkRead::Open, false), (MarkRead::Scroll, true)] {
        let mut stage = stage_with_files();
        stage.app.settings.ui.mark_read = mode;
        stage.rows.iter_mut().for_each(|row| row.read = false);
        stage.keys("<C-p>kernel<Enter><Tab>gg");
        let read = |stage: &Stage| stage.rows.iter().filter(|row| row.read).count();
        stage.keys("jj");
        assert_eq!(read(&stage), if marks { 2 } else { 0 }, "{mode:?}");
        // Jumping to the end does not mark the skipped items.
        stage.keys("G");
        assert_eq!(read(&stage), if marks { 2 } else { 0 }, "{mode:?}");
    }
}

#[test]
fn a_preview_marks_its_item_as_read_if_configured() {
    for (mode, marks) in [(MarkRead::Open, false), (MarkRead::Preview, true)] {
        let mut stage = stage_with_files();
        stage.app.settings.ui.mark_read = mode;
        stage.rows.iter_mut().for_each(|row| row.read = false);
        stage.happen(Event::Resized(160, 40));
        stage.keys("<C-p>kernel<Enter><Tab>gg<Enter>m<Tab><Tab>j");
        stage.rows.iter_mut().for_each(|row| row.read = false);
        stage.app.items.rows.iter_mut().for_each(|row| row.read = false);
        for seconds in 1..=3 {
            let effects = stage.app.update(Event::TimePassed, now() + TimeDelta::seconds(seconds));
            for effect in effects {
                stage.perform(effect);
            }
        }
        let read = stage.rows.iter().filter(|row| row.read).count();
        assert_eq!(read, usize::from(marks), "{mode:?}");
    }
}

#[test]
fn an_empty_query_marks_nothing() {
    let mut stage = stage_with_files();
    stage.requested.clear();
    stage.keys(":read<Enter><Enter><Enter>");
    assert!(!stage.requested.iter().any(|effect| effect.starts_with("MarkViewRead")));
}

#[test]
fn finds_the_next_unread_item_beyond_the_loaded_rows() {
    with_runtime(async {
        let mut real = Real::new(2, 800).await;
        real.command("open Source 0");
        real.quiet().await;
        let key = match real.app.sources.current().map(|row| row.id.clone()) {
            Some(RowId::Source(key)) => key,
            other => panic!("{other:?}"),
        };
        let view = View::of(Scope::Sources(vec![key]));
        let store = real.handle.store().clone();
        let keys = store.reader().unwrap().keys(&view).unwrap();
        let all = Part::up_to(*keys.iter().max().unwrap());
        store.mark_view_read(view.clone(), all, false).await.unwrap();
        let listed = store.reader().unwrap().window(&view, Anchor::First, 400).unwrap().rows;
        let far = listed[300].key;
        store.mark(Mark::Read, vec![far], false).await.unwrap();
        real.command("open Source 1");
        real.quiet().await;
        real.command("open Source 0");
        let is_read = |app: &App| app.items.rows.first().is_some_and(|row| row.read);
        real.until("marks", is_read).await;
        real.keys("gin");
        real.until("the row", |app| app.items.current().is_some_and(|row| row.key == far)).await;
        // The next unread item is in the other source.
        real.keys("n");
        real.until("the source", |app| app.items.listing.title == "Source 1").await;
        real.until("a row", |app| app.items.current().is_some_and(|row| !row.read)).await;
        real.handle.shutdown().await;
    });
}

#[test]
fn moving_past_many_items_keeps_older_history_steps() {
    with_runtime(async {
        let mut real = Real::new(1, 300).await;
        real.app.settings.ui.mark_read = MarkRead::Scroll;
        real.keys("ga");
        real.quiet().await;
        real.keys("p");
        real.wait_for("1 item pinned").await;
        for _ in 0..150 {
            real.keys("j");
            real.quiet().await;
        }
        real.keys("u");
        real.wait_for("Undone").await;
        real.keys("u");
        real.wait_for("Undone: pin").await;
        real.handle.shutdown().await;
    });
}

#[test]
fn a_search_without_matches_leaves_no_preview() {
    let mut stage = stage_with_files();
    stage.happen(Event::Resized(160, 40));
    stage.keys("<C-p>kernel<Enter><Tab>gg<Enter><S-Tab>j");
    for seconds in 1..=2 {
        for effect in stage.app.update(Event::TimePassed, now() + TimeDelta::seconds(seconds)) {
            stage.perform(effect);
        }
    }
    let screen = stage.screen(160, 40);
    assert!(screen.contains("Preview"), "{screen}");
    stage.keys("/zzzzz");
    let screen = stage.screen(160, 40);
    assert!(screen.contains("No item to preview"), "{screen}");
    stage.keys("<Esc>");
    assert!(!stage.screen(160, 40).contains("No item to preview"));
}

#[test]
fn reading_continues_where_a_pinned_item_was() {
    with_runtime(async {
        let mut real = Real::new(1, 8).await;
        real.until("the list is there", |app| app.items.rows.len() == 8).await;
        let titles: Vec<String> = real.app.items.rows.iter().map(|row| row.title.clone()).collect();
        let shows = |title: String| {
            move |app: &App| app.reader.article.as_ref().is_some_and(|a| a.row.title == title)
        };
        real.keys("jjj");
        real.enter();
        real.until("the fourth item", shows(titles[3].clone())).await;
        real.keys("p");
        real.wait_for("pinned").await;
        real.store_changed();
        real.until("it is the first one", |app| app.items.selected == 0).await;
        // Other marks do not change where reading continues.
        real.keys("B");
        real.wait_for("kept for later").await;
        real.keys("n");
        real.until("the fifth item", shows(titles[4].clone())).await;
        // The next step continues from the selected item.
        real.keys("n");
        real.until("the sixth item", shows(titles[5].clone())).await;
        real.finish().await;
    });
}

#[test]
fn switching_to_two_rows_keeps_items_above_visible() {
    with_runtime(async {
        let mut real = Real::new(1, 8).await;
        real.until("the list is there", |app| app.items.rows.len() == 8).await;
        let first = real.app.items.rows[0].title.clone();
        assert!(real.screen_until(&first).await.contains(&first));
        real.keys("j");
        real.screen();
        real.enter();
        // Because the item was marked as read, the list is reloaded before the Reader is drawn next to it.
        real.store_changed();
        real.quiet().await;
        let screen = real.screen();
        let shown = screen.lines().filter(|line| line.contains("Item ")).count();
        assert!(screen.contains(&first) && shown >= 8, "{screen}");
        real.finish().await;
    });
}

fn fitting_request(stage: &Stage) -> RequestId {
    let requested =
        stage.requested.iter().find_map(|effect| effect.split_once("Fitting { request: "));
    let (request, _) = requested.unwrap().1.split_once(',').unwrap();
    request.parse().unwrap()
}

#[test]
fn back_leaves_the_read_for_list() {
    let mut stage = Stage::new();
    stage.screen(120, 40);
    stage.keys("jj:read-for 20<Enter>");
    let (title, selected) = (stage.app.items.listing.title.clone(), stage.app.items.selected);
    stage.happen(Event::FittingFound(fitting_request(&stage), 20, Ok(vec![1, 2])));
    assert_eq!(stage.app.items.listing.title, format!("20 min of {title}"));
    stage.keys("<Esc>");
    assert_eq!(stage.app.items.listing.title, title);
    assert_eq!((stage.app.focus, stage.app.items.selected), (Focus::Items, selected));
}

/// The user has opened an article or another list before the reply arrives.
#[test]
fn a_late_read_for_reply_keeps_the_current_list() {
    for (keys, focus) in [("<Enter>", Focus::Reader), ("ga", Focus::Items)] {
        let mut stage = Stage::new();
        stage.screen(120, 40);
        stage.keys(":read-for 20<Enter>");
        let request = fitting_request(&stage);
        stage.keys(keys);
        let before = stage.app.items.listing.title.clone();
        stage.happen(Event::FittingFound(request, 20, Ok(vec![1, 2])));
        assert_eq!((&stage.app.items.listing.title, stage.app.focus), (&before, focus), "{keys}");
    }
}

#[test]
fn marking_selects_the_next_row_and_undo_returns() {
    for key in ["m", "p", "B"] {
        let mut stage = Stage::new();
        stage.screen(120, 40);
        stage.keys("gaj");
        let first = stage.app.items.current().unwrap().key;
        let next = stage.app.items.rows[2].key;
        stage.keys(key);
        assert_eq!(stage.app.items.current().unwrap().key, next, "{key}");
        stage.keys("jju");
        assert_eq!(stage.app.items.current().unwrap().key, first, "{key}");
    }
    // The item appears in the list only after the list is reloaded.
    let mut stage = Stage::new();
    stage.keys("gaj");
    let row = stage.rows.remove(1);
    stage.reload(1);
    stage.app.items.restore(row.key);
    stage.rows.insert(1, row.clone());
    stage.reload(2);
    assert_eq!(stage.app.items.current().unwrap().key, row.key);
}

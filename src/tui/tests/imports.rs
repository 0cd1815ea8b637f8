//! Tests of the import: preview, import, undo.

use super::defects::last_request;
use super::lists::{CONFIG, SOURCES, config, file, stage_with_files, urls};
use super::*;
use crate::config::import;
use crate::tui::event::ImportRead;

#[test]
fn suggests_a_command_for_files_with_items() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.csv");
    std::fs::write(&path, "title,url,time_added,tags,status\n").unwrap();
    let mut stage = stage_with_files();
    stage.keys("i");
    stage.happen(Event::Pasted(path.display().to_string()));
    stage.keys("<Enter>");
    assert!(
        stage.has_message("has items, not sources: run `newsfed import"),
        "{}",
        stage.screen(120, 40)
    );
}

#[test]
fn previews_imports_and_undoes_a_list() {
    let (_folder, path) = urls();
    let mut stage = stage_with_files();
    stage.keys("i");
    stage.happen(Event::Pasted(path.display().to_string()));
    stage.keys("<Enter>");
    let screen = stage.screen(120, 40);
    for words in [
        "1 new, 1 view, 2 skipped, 1 already followed",
        "[x] The first one  https://one.example/feed",
        "[x] ⌕ New linux  unread tag:linux",
        "! query:Odd:flags # \"s\": a query that cannot be converted",
        "! exec:~/bin/x: newsfed does not run the commands of an imported list",
        "= news.example/feed  https://news.example/feed",
        "will be added: https://one.example/feed · tags linux",
    ] {
        assert!(screen.contains(words), "{words} in\n{screen}");
    }
    stage.keys("j");
    assert!(stage.screen(120, 40).contains("view to add: unread tag:linux"));
    stage.keys("<Esc>");
    assert!(!stage.requested.iter().any(|a| a.starts_with("Edit ")), "{:?}", stage.requested);
    assert_eq!(file(&stage), SOURCES);
    stage.keys("i");
    stage.happen(Event::Pasted(path.display().to_string()));
    stage.keys("<Enter><Enter><Enter>");
    assert_eq!(
        stage.requested.iter().filter(|a| a.starts_with("Edit { purpose: Import")).count(),
        1
    );
    let summary = "1 source imported, view New linux saved, 1 was already followed, 2 skipped (u";
    assert!(stage.has_message(summary), "{}", stage.screen(120, 40));
    let (imported, views) = (file(&stage), config(&stage));
    assert!(
        imported.starts_with(SOURCES) && imported.contains("id = \"one-example\""),
        "{imported}"
    );
    stage.keys("u");
    assert_eq!((file(&stage), config(&stage)), (SOURCES.to_owned(), CONFIG.to_owned()));
    stage.keys("<C-r>");
    assert_eq!((file(&stage), config(&stage)), (imported, views));
    assert!(stage.app.history.rests_at(1));
}

#[test]
fn import_without_new_sources_changes_nothing() {
    let (_folder, path) = urls();
    let mut stage = stage_with_files();
    let open = |stage: &mut Stage| {
        stage.keys("i");
        stage.happen(Event::Pasted(path.display().to_string()));
        stage.keys("<Enter>");
    };
    open(&mut stage);
    stage.keys("<Enter>");
    let after = (file(&stage), config(&stage));
    open(&mut stage);
    let screen = stage.screen(120, 40);
    assert!(screen.contains("2 skipped, 2 already followed, 1 already saved"), "{screen}");
    assert!(screen.contains("= New linux  unread tag:linux"), "{screen}");
    stage.keys("<Enter>");
    assert!(stage.screen(120, 40).contains("Nothing to import"));
    assert!(stage.app.history.rests_at(1));
    assert_eq!((file(&stage), config(&stage)), after);
}

/// A late reply must not fill the preview of another list.
#[test]
fn drops_replies_for_another_import() {
    let mut stage = stage_with_files();
    let typed = |stage: &mut Stage, path: &str| {
        stage.app.read_import(path.to_owned()).into_iter().find_map(|effect| match effect {
            Effect::ReadImport { request, .. } => Some(request),
            _ => None,
        })
    };
    let first = typed(&mut stage, "/one").unwrap();
    stage.keys("<Esc>");
    let second = typed(&mut stage, "/two").unwrap();
    let read = |text: &str| {
        let import = import(text.as_bytes(), "urls").unwrap();
        let (sources, already) = (import.sources.clone(), vec![]);
        let (views, known_views) = (vec![], vec![]);
        Ok(Box::new(ImportRead {
            import,
            private_sources: 0,
            sources,
            already,
            completions: vec![],
            views,
            known_views,
        }))
    };
    stage.happen(Event::ImportRead(first, read("https://one.example/feed\n")));
    stage.happen(Event::ImportRead(first, Err("no such file".to_owned())));
    let screen = stage.screen(120, 40);
    assert!(screen.contains("Reading /two") && !screen.contains("no such file"), "{screen}");
    stage.happen(Event::ImportRead(second, read("https://two.example/feed\n")));
    let screen = stage.screen(120, 40);
    assert!(screen.contains("two.example") && !screen.contains("one.example"), "{screen}");
}

#[test]
fn undoes_an_import_whose_queries_were_not_saved() {
    let (_folder, path) = urls();
    let mut stage = stage_with_files();
    stage.keys("i");
    stage.happen(Event::Pasted(path.display().to_string()));
    stage.keys("<Enter>");
    let paths = stage.files.as_ref().unwrap().paths.clone();
    // A `[[view]]` table cannot be appended to an inline array.
    let odd = "view = [{ name = \"Odd\", query = \"rust\" }]\n";
    std::fs::write(paths.config_file(), odd).unwrap();
    stage.keys("<Enter>");
    let screen = stage.screen(200, 60);
    assert!(stage.has_message("1 source imported, 1 was already followed, 2 skipped"), "{screen}");
    assert!(stage.has_message("; views were not imported: "), "{screen}");
    assert!(file(&stage).contains("id = \"one-example\""));
    stage.keys("u");
    assert_eq!(file(&stage), SOURCES);
}

/// Lists are written by others, so their private addresses are imported only if the user agrees.
#[test]
fn skips_private_addresses_until_the_user_includes_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("urls");
    std::fs::write(&path, "http://192.168.1.5/feed\nhttps://one.example/feed\n").unwrap();
    let mut stage = stage_with_files();
    stage.keys("i");
    stage.happen(Event::Pasted(path.display().to_string()));
    stage.keys("<Enter>");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("1 new, 1 skipped"), "{screen}");
    assert!(
        screen.contains("! http://192.168.1.5/feed: a private address; press p to import it too"),
        "{screen}"
    );
    stage.keys("p");
    let screen = stage.screen(120, 40);
    assert!(screen.contains("2 new") && screen.contains("[x] 192"), "{screen}");
    stage.keys("p");
    assert!(stage.screen(120, 40).contains("1 new, 1 skipped"));
    stage.keys("p<Enter>");
    assert!(file(&stage).contains("http://192.168.1.5/feed"));
}

#[test]
fn does_not_import_unticked_sources_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.opml");
    let feed =
        |name: &str| format!("<outline text=\"{name}\" xmlUrl=\"https://{name}.example/feed\"/>");
    let list = format!(
        "<opml version=\"2.0\"><body>{}<outline text=\"Far\">{}{}</outline></body></opml>",
        feed("one"),
        feed("two"),
        feed("three")
    );
    std::fs::write(&path, list).unwrap();
    let mut stage = stage_with_files();
    stage.keys("i");
    stage.happen(Event::Pasted(path.display().to_string()));
    stage.keys("<Enter>");
    let screen = stage.screen(120, 40);
    for words in ["[x] one", "[x] Far", "  [x] two", "  [x] three"] {
        assert!(screen.contains(words), "{words} in\n{screen}");
    }
    // Ticking a folder ticks its sources.
    stage.keys("j<Space>");
    assert_eq!(stage.screen(120, 40).matches("[ ]").count(), 3);
    stage.keys("jj<Space>kk");
    assert_eq!(stage.screen(120, 40).matches("[ ]").count(), 1, "one of its sources is ticked");
    stage.keys("k<Space><Enter>");
    let imported = file(&stage);
    assert!(imported.contains("three.example"), "{imported}");
    assert!(!imported.contains("//one.example") && !imported.contains("//two.example"));
    assert!(stage.screen(120, 40).contains("1 source imported"));
    // Nothing is imported if nothing is ticked.
    let mut stage = stage_with_files();
    stage.happen(Event::Pasted("https://one.example/ https://two.example/".to_owned()));
    stage.keys("<Space>j<Space><Enter>");
    assert!(stage.screen(120, 40).contains("Nothing is selected"));
    assert_eq!(file(&stage), SOURCES);
}

#[test]
fn follows_a_list_by_url_or_from_the_preview() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.opml");
    let opml = "<opml><body><outline xmlUrl='https://one.example/feed'/></body></opml>";
    std::fs::write(&path, opml).unwrap();
    let typed = |stage: &mut Stage, text: &str| {
        stage.keys("i");
        stage.happen(Event::Pasted(text.to_owned()));
        stage.keys("<Enter>");
    };
    let mut stage = stage_with_files();
    typed(&mut stage, "https://u:secret@planet.example/opml");
    assert_eq!(stage.asked_for("FollowList"), 1);
    let screen = stage.screen(120, 40);
    assert!(screen.contains("Reading https://planet.example/opml") && !screen.contains("secret"));
    // After an error, the URL can be corrected.
    let why = "planet.example returned HTTP 404".to_owned();
    let url = "https://planet.example/opml".to_owned();
    stage.happen(Event::ListFollowed(last_request(&stage), url, Err(why)));
    let screen = stage.screen(120, 40);
    assert!(screen.contains("HTTP 404") && screen.contains("list URL: https://planet"), "{screen}");
    stage.keys("<Esc>");
    typed(&mut stage, &path.display().to_string());
    assert!(stage.screen(120, 40).contains("f follow the file"), "{}", stage.screen(120, 40));
    stage.keys("f");
    let follow = format!("typed: {:?} }}", path.display().to_string());
    assert!(stage.requested.last().unwrap().ends_with(&follow), "{:?}", stage.requested);
    let request = last_request(&stage);
    // Undo removes the added sources again.
    let paths = stage.files.as_ref().unwrap().paths.clone();
    let list = std::sync::Arc::clone(&stage.app.sources.list.sources[0].source);
    let new = crate::model::Source::feed(
        crate::model::SourceId("planet".to_owned()),
        "https://planet.example/".parse().unwrap(),
    );
    let edit = crate::config::SourcesFile::open(&paths).add(&[new]).unwrap();
    let followed = crate::engine::ListFollowed {
        source: list.as_ref().clone(),
        added: vec![list.as_ref().clone()],
        already: vec![],
        skipped: vec![("x".to_owned(), "y".to_owned())],
        edits: vec![edit],
        problem: None,
    };
    stage.happen(Event::ListFollowed(request, String::new(), Ok(Box::new(followed))));
    assert!(stage.app.dialogs.is_empty());
    assert!(stage.has_message("1 added, 1 skipped (u undoes this)"), "{}", stage.screen(120, 40));
    stage.keys("u");
    assert_eq!(file(&stage), SOURCES);
}

#[test]
fn automatic_changes_are_undone_like_other_changes() {
    let mut stage = stage_with_files();
    let paths = stage.files.as_ref().unwrap().paths.clone();
    let gone = [crate::model::SourceId("kernel".to_owned())];
    let edit = crate::config::SourcesFile::open(&paths).remove(&gone).unwrap();
    let undo = Some(Box::new(("removal of kernel".to_owned(), edit)));
    stage.happen(Event::ChangedByItself("Removed kernel: nothing new".to_owned(), undo));
    assert!(stage.has_message("Removed kernel: nothing new (u undoes this)"));
    assert!(!file(&stage).contains("kernel.example"));
    stage.keys("u");
    assert_eq!(file(&stage), SOURCES);
    stage.happen(Event::ChangedByItself("Removed x".to_owned(), None));
    assert!(stage.app.history.rests_at(0), "it is a part of another change");
}

/// A change that the program makes automatically.
fn by_itself(stage: &mut Stage, id: &str) {
    let paths = stage.files.as_ref().unwrap().paths.clone();
    let gone = [crate::model::SourceId(id.to_owned())];
    let edit = crate::config::SourcesFile::open(&paths).remove(&gone).unwrap();
    let undo = Some(Box::new((format!("removal of {id}"), edit)));
    stage.happen(Event::ChangedByItself(format!("Removed {id}"), undo));
}

fn switch(stage: &mut Stage, id: &str) {
    stage.keys(&format!("<C-p>{id}<Enter>gsS"));
}

#[test]
fn automatic_changes_keep_the_redo_history() {
    let mut stage = stage_with_files();
    // The user disables a source, and undoes that.
    switch(&mut stage, "kernel");
    assert_ne!(file(&stage), SOURCES);
    stage.keys("u");
    assert_eq!(file(&stage), SOURCES);
    by_itself(&mut stage, "theatre");
    assert!(stage.app.history.rests_at(1));
    stage.keys("<C-r>");
    assert!(stage.app.history.rests_at(2));
    let now = file(&stage);
    assert!(now.contains("enabled = false") && !now.contains("theatre.example"), "{now}");
    // Undo reverts the newest change first, whether the user or the program made it.
    stage.keys("u");
    assert!(!file(&stage).contains("enabled = false") && !file(&stage).contains("theatre.example"));
    stage.keys("u");
    assert_eq!(file(&stage), SOURCES);
}

#[test]
fn undo_in_progress_does_not_revert_an_automatic_change() {
    let mut stage = stage_with_files();
    for id in ["kernel", "allocator", "council"] {
        switch(&mut stage, id);
    }
    assert!(stage.app.history.rests_at(3), "{}", stage.screen(120, 40));
    // Two undos are requested; before they are done, the program makes a change.
    let mut effects = Vec::new();
    for _ in 0..2 {
        let undo = KeyEvent::new(KeyCode::Char('u'), KeyModifiers::NONE);
        effects.extend(stage.app.update(Event::KeyPressed(undo), now()));
    }
    by_itself(&mut stage, "news");
    effects.into_iter().for_each(|effect| stage.perform(effect));
    assert!(stage.app.history.rests_at(2), "{:?}", stage.app.history);
    let now = file(&stage);
    assert_eq!(now.matches("enabled = false").count(), 1, "{now}");
    assert!(!now.contains("news.example"), "its own change stays");
}

#[test]
fn a_key_confirms_the_removals_of_a_followed_list() {
    let mut stage = stage_with_files();
    let paths = stage.files.as_ref().unwrap().paths.clone();
    let list = "\n[[source]]\nid = \"planet\"\nkind = \"list\"\nurl = \"https://p.example/\"\n";
    std::fs::write(paths.sources_file(), format!("{SOURCES}{list}")).unwrap();
    let all = stage.files.as_ref().unwrap().list();
    let key = all.sources.iter().find(|s| s.source.id.0 == "planet").unwrap().facts.key;
    stage.happen(Event::SourcesLoaded(Ok(all)));
    stage.keys("<C-p>kernel<Enter>gs<C-a>");
    assert!(stage.has_message("Select a followed list in the Sources pane first"));
    stage.keys("<C-p>planet<Enter>gs<C-a>");
    assert_eq!(stage.asked_for(&format!("AcceptList {{ source: {key} }}")), 1);
    stage.happen(Event::ListAccepted(key, Ok(false)));
    assert!(stage.has_message("This list has nothing to confirm"));
    stage.happen(Event::ListAccepted(key, Ok(true)));
    assert_eq!(stage.asked_for(&format!("Refresh {{ keys: Some([{key}]), pace: Force")), 1);
}

#[test]
fn asks_whether_sources_of_a_removed_list_stay() {
    for (key, left) in [("<Enter>", 6), ("a", 4), ("<Esc>", 7)] {
        let mut stage = stage_with_files();
        let paths = stage.files.as_ref().unwrap().paths.clone();
        let lists = "\n[[source]]\nid = \"planet\"\nkind = \"list\"\nurl = \"https://p.example/\"\n\n\
            [[source]]\nid = \"one\"\nlist = \"planet\"\nurl = \"https://one.example/\"\n";
        let text = SOURCES.replace("folder = \"Tech\"", "folder = \"Tech\"\nlist = \"planet\"");
        let before = format!("{text}{lists}");
        std::fs::write(paths.sources_file(), &before).unwrap();
        let list = stage.files.as_ref().unwrap().list();
        stage.happen(Event::SourcesLoaded(Ok(list)));
        stage.keys("<C-p>planet<Enter>");
        stage.keys("<Tab><Tab>");
        let screen = stage.screen(120, 40);
        assert!(screen.contains("Sources  2"), "{screen}");
        stage.keys("d");
        let screen = stage.screen(120, 40);
        assert!(
            screen.contains("Remove the list planet?") && screen.contains("its 2 sources"),
            "{screen}"
        );
        stage.keys(key);
        let after = file(&stage);
        assert_eq!(after.matches("[[source]]").count(), left, "{key}\n{after}");
        assert_eq!(after.contains("list = \"planet\""), left == 7, "{key}\n{after}");
        if left < 7 {
            stage.keys("u");
            assert_eq!(file(&stage), before, "{key}");
        }
    }
}

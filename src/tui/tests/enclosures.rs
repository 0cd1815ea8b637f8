//! Tests of opening enclosures.

use super::{Stage, article, item_rows};
use crate::article::{Link, LinkKind};
use crate::engine::{DownloadEntry, FileState};
use crate::model::{Enclosure, Item};
use crate::tui::effect::{FileOf, FileUse, MediaFile};
use crate::tui::event::{Article, Event};
use crate::tui::read::document;
use std::sync::Arc;

const OF: FileOf = FileOf { item: 1, source: 1 };

fn file(url: &str, mime: Option<&str>) -> Enclosure {
    Enclosure {
        url: url.to_owned(),
        mime: mime.map(str::to_owned),
        bytes: Some(34_567_890),
        seconds: Some(3_120),
        ..Enclosure::default()
    }
}

#[test]
fn opens_a_single_enclosure_and_lists_several() {
    let (audio, page) =
        (file("https://e.org/a", Some("audio/mpeg")), file("https://e.org/b", None));
    let opened = r#"MediaFile { of: FileOf { item: 1, source: 1 }, url: "https://e.org/a", media_type: "audio/mpeg" }, file_use: Open }"#;
    for (files, expected) in [
        (vec![], "This item has no enclosures"),
        (vec![audio.clone()], opened),
        (vec![page.clone(), audio.clone()], opened),
        (
            vec![page.clone()],
            r#"MediaFile { of: FileOf { item: 1, source: 1 }, url: "https://e.org/b", media_type: "" }, file_use: Open }"#,
        ),
        (vec![page.clone(), page], "╭─ Enclosures"),
        (vec![audio.clone(), audio.clone()], "audio/mpeg  34 MB  52 min"),
    ] {
        let mut stage = Stage::new();
        stage.keys("@");
        assert_eq!(
            stage.asked_for(
                "FindEnclosures { of: [FileOf { item: 1, source: 1 }], file_use: Open }"
            ),
            1
        );
        stage.happen(Event::EnclosuresFound(FileUse::Open, Ok(vec![(OF, files)])));
        stage.keys_give("", expected);
    }
    let mut stage = Stage::new();
    let files = vec![audio, file("https://e.org/c.ogg", None)];
    stage.happen(Event::EnclosuresFound(FileUse::Open, Ok(vec![(OF, files)])));
    stage.keys_give(
        "j<Enter>",
        r#"MediaFile { of: FileOf { item: 1, source: 1 }, url: "https://e.org/c.ogg", media_type: "audio/ogg" }, file_use: Open }"#,
    );
}

#[test]
fn the_reader_shows_enclosures_and_their_keys() {
    let audio = file("https://e.org/a", Some("audio/mpeg"));
    let (page, row) = (file("https://e.org/b", None), item_rows()[0].clone());
    for (files, expected) in [
        (vec![audio.clone()], "Audio, 52 min, @ opens, C-e queues, C-s downloads"),
        (vec![page.clone()], "Enclosure, 52 min, @ opens, C-s downloads"),
        (vec![page, audio], "2 enclosures, @ opens, C-e queues, C-s downloads"),
    ] {
        let mut stage = Stage::new();
        let shown = article(row.clone());
        let item = Item { enclosures: files, ..(*shown.item).clone() };
        stage.shown = Some(Article { item: Arc::new(item), ..shown });
        stage.keys("<Enter>");
        assert!(stage.screen(100, 30).contains(expected), "{}", stage.screen(100, 30));
    }
}

#[test]
fn opens_links_to_media_by_type() {
    let usual = article(item_rows()[0].clone());
    let mut item = crate::model::Item::clone(&usual.item);
    item.content = Some(
        "<p><a href='https://e.org/a'>Listen</a>, <a href='https://e.org/page.mp3'>page</a>
         <img src='https://e.org/i' alt='x'> <video src='https://e.org/v.webm'></video></p>"
            .to_owned(),
    );
    item.enclosures =
        vec![file("https://e.org/a", Some("audio/mpeg; codecs=x")), file("https://e.org/d", None)];
    let links = document(&item).links;
    let kinds: Vec<(LinkKind, bool)> =
        links.iter().map(|Link { kind, file, .. }| (*kind, file.is_some())).collect();
    let (page, image, media) = (LinkKind::Page, LinkKind::Image, LinkKind::Media);
    assert_eq!(
        kinds,
        [(media, true), (page, false), (image, false), (media, false), (media, true)]
    );
    for (key, expected) in [
        (
            "1",
            r#"MediaFile { of: FileOf { item: 1, source: 1 }, url: "https://e.org/a", media_type: "audio/mpeg" }, file_use: Open }"#,
        ),
        ("2", r#"Browse { urls: ["https://e.org/page.mp3"] }"#),
        (
            "3",
            r#"MediaFile { of: FileOf { item: 1, source: 1 }, url: "https://e.org/i", media_type: "image/" }, file_use: Open }"#,
        ),
        (
            "L4",
            r#"MediaFile { of: FileOf { item: 1, source: 1 }, url: "https://e.org/v.webm", media_type: "video/webm" }, file_use: Open }"#,
        ),
        (
            ";5",
            r#"MediaFile { of: FileOf { item: 1, source: 1 }, url: "https://e.org/d", media_type: "" }, file_use: Open }"#,
        ),
        ("L", "audio/mpeg  34 MB  52 min"),
        ("G", "e.org/a (audio/mpeg, 34 MB, 52 min)"),
    ] {
        let mut stage = Stage::new();
        let (document, item) = (Arc::new(document(&item)), Arc::new(item.clone()));
        stage.shown = Some(Article { document, item, ..usual.clone() });
        stage.screen(120, 40);
        stage.keys("<Enter>");
        stage.screen(120, 40);
        stage.keys_give(key, expected);
    }
}

#[test]
fn downloads_enclosures() {
    let mut stage = Stage::new();
    stage.keys("<C-s>");
    assert_eq!(
        stage.asked_for(
            "FindEnclosures { of: [FileOf { item: 1, source: 1 }], file_use: Download }"
        ),
        1
    );
    let files = vec![file("https://e.org/a.mp3", None), file("https://e.org/b.mp3", None)];
    stage.happen(Event::EnclosuresFound(FileUse::Download, Ok(vec![(OF, files)])));
    stage.keys_give("", "╭─ Download");
    stage.keys_give(
        "2",
        r#"url: "https://e.org/b.mp3", media_type: "audio/mpeg" }, file_use: Download"#,
    );
    let url = || "https://e.org/b.mp3".to_owned();
    stage.happen(Event::DownloadAdvanced(url(), 17_000_000, Some(34_000_000)));
    stage.keys_give("", "Downloading https://e.org/b.mp3: 17 MB of 34 MB (50 %); C-k stops");
    stage.happen(Event::DownloadAdvanced(url(), 17_000_000, None));
    stage.keys_give("", "Downloading https://e.org/b.mp3: 17 MB");
    stage.happen(Event::Downloaded(Ok("/home/u/b.mp3".to_owned())));
    stage.keys_give("", "Downloaded /home/u/b.mp3");
    stage.happen(Event::Downloaded(Err("e.org stopped".to_owned())));
    stage.keys_give("", "Not downloaded: e.org stopped");
    stage.keys("<C-k>");
    assert_eq!(stage.asked_for("StopRunning { url: None }"), 1);
}

#[test]
fn lists_resumes_stops_and_removes_downloads() {
    let mut stage = Stage::new();
    stage.keys(":downloads<Enter>");
    assert_eq!(stage.asked_for("Read(Downloads)"), 1);
    let entry = |name: &str, state, total| DownloadEntry {
        path: format!("/files/{name}"),
        url: Some(format!("https://e.org/{name}")),
        item: Some(1),
        source: Some(1),
        size: 17_000_000,
        total,
        at: None,
        kept: false,
        state,
    };
    let part = DownloadEntry {
        url: Some("https://e.org/a.mp3".to_owned()),
        ..entry("a.mp3.part", None, Some(34_000_000))
    };
    let all = vec![part, entry("b.mp3", Some(FileState::Unchanged), Some(17_000_000))];
    stage.happen(Event::DownloadsListed(Ok(all.clone())));
    let shown = stage.screen(120, 40);
    let line = |shown: &str, part: &str| {
        shown
            .lines()
            .find(|line| line.contains(part))
            .unwrap_or_else(|| panic!("{shown}"))
            .to_owned()
    };
    let first = line(&shown, "a.mp3 ");
    assert!(first.contains("17 MB of 34 MB") && first.contains("unfinished"), "{first}");
    let narrow = line(&stage.screen(60, 16), "a.mp3 ");
    assert!(narrow.contains("17 MB  unfinished"), "{narrow}");
    stage.screen(120, 40);
    // The unfinished download cannot be opened, but it can be resumed.
    stage.keys("<Enter>");
    assert_eq!(stage.asked_for("OpenDownload"), 0);
    stage.keys("r");
    assert_eq!(stage.asked_for("UseFile"), 1);
    stage.happen(Event::DownloadBegun("https://e.org/a.mp3".to_owned()));
    let advanced = Event::DownloadAdvanced("https://e.org/a.mp3".to_owned(), 20_000_000, None);
    stage.happen(advanced);
    let first = line(&stage.screen(120, 40), "a.mp3 ");
    assert!(first.contains("20 MB of 34 MB") && first.contains("downloading"), "{first}");
    stage.keys("d");
    assert_eq!(stage.asked_for("RemoveDownload"), 0, "it is running");
    stage.keys("c");
    assert_eq!(stage.asked_for("StopRunning { url: Some(\"https://e.org/a.mp3\") }"), 1);
    stage.happen(Event::DownloadEnded("https://e.org/a.mp3".to_owned()));
    assert_eq!(stage.asked_for("Read(Downloads)"), 3, "when one begins, and when it ends");
    // Another download is waiting, and has no file yet.
    stage.happen(Event::DownloadBegun("https://e.org/c.mp3".to_owned()));
    let waiting = line(&stage.screen(120, 40), "https://e.org/c.mp3");
    assert!(waiting.contains("waiting"), "{waiting}");
    stage.happen(Event::DownloadEnded("https://e.org/c.mp3".to_owned()));
    stage.keys("j<Enter>");
    let opened = r#"OpenDownload { path: "/files/b.mp3", media_type: "audio/mpeg" }"#;
    assert_eq!(stage.asked_for(opened), 1);
    stage.keys("d<Esc>");
    assert_eq!(stage.asked_for("RemoveDownload"), 0);
    stage.keys_give("d", "Remove b.mp3?");
    stage.keys_give("", "This cannot be undone.");
    stage.keys("<Enter>");
    assert_eq!(stage.asked_for("RemoveDownload"), 1);
    stage.happen(Event::DownloadRemoved(Ok("b.mp3".to_owned())));
    stage.happen(Event::DownloadsListed(Ok(vec![])));
    stage.keys_give("", "No downloads yet");
}

#[test]
fn failed_downloads_stay_listed_until_they_are_retried() {
    let mut stage = Stage::new();
    let file = |name: &str| MediaFile {
        of: OF,
        url: format!("https://e.org/{name}.mp3"),
        media_type: String::new(),
    };
    for name in ["a", "b"] {
        stage.happen(Event::DownloadBegun(file(name).url));
        stage.happen(Event::DownloadEnded(file(name).url));
        let why = format!("e.org does not have {name} (HTTP 404)");
        stage.happen(Event::DownloadFailed(file(name), why));
    }
    stage.keys(":downloads<Enter>");
    stage.happen(Event::DownloadsListed(Ok(vec![])));
    let shown = stage.screen(120, 40);
    assert!(shown.contains("https://e.org/a.mp3") && shown.contains("failed"), "{shown}");
    assert!(shown.contains("does not have b"), "{shown}");
    stage.keys_give("<Enter>", "e.org does not have b (HTTP 404)");
    stage.keys("r");
    assert_eq!(stage.asked_for("UseFile"), 1);
    stage.happen(Event::DownloadBegun(file("b").url));
    stage.happen(Event::DownloadEnded(file("b").url));
    // The remaining row is removed from the list without a request, because it has no file.
    stage.keys("d");
    assert_eq!(stage.asked_for("RemoveDownload"), 0);
    stage.keys_give("", "No downloads yet");
}

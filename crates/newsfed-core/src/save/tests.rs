use super::*;
use crate::article::from_html;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use zip::{CompressionMethod, ZipArchive};

/// Titles and texts that try to break out of their element.
const HOSTILE: [&str; 5] = [
    "</title><script>alert(1)</script>",
    "a \"quoted\" & 'single' <b>",
    "]]> --> <!-- &nbsp; &#0; &bogus;",
    "NUL\u{0} BEL\u{7} \u{fffe}\u{ffff} ESC\u{1b}[31m",
    "",
];

fn chapter(number: u8, title: &str, html: &str) -> SavedChapter {
    SavedChapter {
        id: ItemId(uuid::Builder::from_custom_bytes([number; 16]).into_uuid()),
        title: title.to_owned(),
        source: "Kernel & Kettle".to_owned(),
        authors: vec!["A. <Writer>".to_owned()],
        url: Some("https://e.org/a?b=1&c=\"2\"".to_owned()),
        date: Time::from_timestamp(1_790_000_000 + i64::from(number), 0).unwrap(),
        language: Some(if number == 2 { "not a tag" } else { "en-GB" }.to_owned()),
        document: from_html(html, None),
        pictures: BTreeMap::new(),
    }
}

/// The smallest PNG: one pixel.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
    \0\0\0\rIDATx\xdac\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";

const TEXT: &str = "<h2>One</h2><p>a<br>b <b>c <a href='https://e.org/x'>d <img src='https://e.org/p.png'></a></b>\
    <p><img src='https://e.org/p.png' alt='x \"y\"'> <img src='https://e.org/other.png'>\
    <ul><li>a<li>b</ul><pre>x &lt; y</pre><dl><dd>z</dl><table><tr><th>q<tr><td>r</table>\
    <p>n<sup><a href='#f'>1</a></sup><ol><li id=f>note</ol><hr><video src='https://e.org/v.mp4'></video>";

fn collection() -> Collection {
    let mut all = Collection::default();
    for (number, title) in (1..).zip(HOSTILE) {
        let mut chapter = chapter(number, title, TEXT);
        if number < 4 {
            let picture = PictureFile::of(PNG).unwrap();
            chapter.pictures.insert("https://e.org/p.png".to_owned(), picture);
        }
        all.add(chapter, TEXT.len());
    }
    all
}

fn header() -> FileHeader {
    FileHeader { title: "A view & more".to_owned() }
}

/// Checks that XML is well-formed; returns the values of one attribute.
#[track_caller]
fn attributes(text: &str, wanted: &str) -> Vec<String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let (mut found, mut open) = (Vec::new(), 0);
    loop {
        let event = reader.read_event().unwrap_or_else(|e| panic!("{e}: {text}"));
        let element = match &event {
            Event::Eof => break,
            Event::Start(element) => {
                open += 1;
                Some(element)
            }
            Event::Empty(element) => Some(element),
            Event::End(_) => {
                open -= 1;
                None
            }
            Event::GeneralRef(name) => {
                let name: &str = name;
                let known = ["amp", "lt", "gt", "quot", "apos"].contains(&name);
                assert!(known || name.starts_with('#'), "{name}");
                None
            }
            _ => None,
        };
        for attribute in element.into_iter().flat_map(|element| element.attributes()) {
            let attribute = attribute.unwrap();
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap();
            if attribute.key.as_ref() == wanted {
                found.push(value.into_owned());
            }
        }
    }
    assert_eq!(open, 0, "{text}");
    found
}

fn unpacked(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        files.push((file.name().unwrap().into_owned(), bytes));
    }
    files
}

#[test]
fn epubs_are_complete_and_well_formed() {
    let saved = collection().write(SaveFormat::Epub, &header()).unwrap();
    assert_eq!((saved.articles, saved.pictures, saved.left_out), (5, 3, 0));
    // The media type is where programs expect it, without compression or extra fields.
    assert_eq!(&saved.bytes[30..58], b"mimetypeapplication/epub+zip");
    let mut archive = ZipArchive::new(Cursor::new(&saved.bytes)).unwrap();
    let first = archive.by_index(0).unwrap();
    assert_eq!(first.compression(), CompressionMethod::Stored);
    assert!(first.extra_data().is_none_or(|extra| extra.is_empty()));
    drop(first);
    let files = unpacked(&saved.bytes);
    let text = |name: &str| {
        let (_, bytes) = files.iter().find(|(known, _)| known == name).unwrap();
        String::from_utf8(bytes.clone()).unwrap()
    };
    assert_eq!(attributes(&text("META-INF/container.xml"), "full-path"), ["EPUB/package.opf"]);
    let package = text("EPUB/package.opf");
    let listed: BTreeSet<String> =
        attributes(&package, "href").iter().map(|name| format!("EPUB/{name}")).collect();
    let outside = ["mimetype", "META-INF/container.xml", "EPUB/package.opf"];
    let present: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    let present = present.into_iter().filter(|name| !outside.contains(&name.as_str())).collect();
    assert_eq!(listed, present);
    // Each id identifies one file, the spine lists all articles, and each picture is stored once.
    let ids = attributes(&package, "id");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    assert_eq!(attributes(&package, "idref"), ["a1", "a2", "a3", "a4", "a5"]);
    assert_eq!(listed.iter().filter(|name| name.contains("/pictures/")).count(), 1);
    let parts = ["<dc:language>en-GB</dc:language>", "urn:uuid:", "A view &amp; more"];
    assert!(parts.iter().all(|part| package.contains(part)), "{package}");
    assert!(package.contains("2026-09-21T14:13:25Z</meta>"), "the newest one: {package}");
    let pages = listed.iter().filter(|name| name.ends_with(".xhtml"));
    for page in pages {
        let text = text(page);
        let ids = attributes(&text, "id");
        for link in attributes(&text, "href") {
            let local = match link.strip_prefix('#') {
                Some(id) => ids.iter().any(|known| known == id),
                None => listed.contains(&format!("EPUB/{link}")),
            };
            assert!(local || link.starts_with("https://"), "{page}: {link}");
        }
        for picture in attributes(&text, "src") {
            assert!(listed.contains(&format!("EPUB/{picture}")), "{page}: {picture}");
        }
        assert!(!text.contains("<script") && !text.contains("<video"), "{text}");
        assert_eq!(attributes(&text, "xml:lang").len(), 1);
    }
    let again = collection().write(SaveFormat::Epub, &header()).unwrap();
    assert!(again == saved, "the same bytes");
    assert!(matches!(
        Collection::default().write(SaveFormat::Epub, &header()),
        Err(EpubError::Empty)
    ));
}

#[test]
fn pages_embed_pictures_and_load_nothing() {
    let saved = collection().write(SaveFormat::Html, &header()).unwrap();
    let page = String::from_utf8(saved.bytes).unwrap();
    let xml = page.trim_start_matches("<!DOCTYPE html>\n");
    for source in attributes(xml, "src") {
        assert!(source.starts_with("data:image/png;base64,iVBORw0KGgo"), "{source}");
    }
    // All articles contain the picture, but the file contains it only once.
    assert_eq!(attributes(xml, "src").len(), 1);
    let ids = attributes(xml, "id");
    assert_eq!(ids, ["a1-note-0", "a2-note-0", "a3-note-0", "a4-note-0", "a5-note-0"]);
    for part in ["<title>A view &amp; more</title>", "default-src &apos;none&apos;", "Untitled"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script"), "{page}");
    let mut one = Collection::default();
    one.add(chapter(1, "Only", "<p>x"), 3);
    let page = String::from_utf8(one.write(SaveFormat::Html, &header()).unwrap().bytes).unwrap();
    let parts = ["<title>Only</title>", "<html lang=\"en-GB\">", "2026-09-21"];
    assert!(parts.iter().all(|part| page.contains(part)), "{page}");
}

#[test]
fn markdown_names_the_sources_of_articles() {
    let mut all = Collection::default();
    all.add(chapter(1, "One *star*", "<p>a <b>b</b></p>"), 10);
    all.add(chapter(2, "", "<p>c</p>"), 10);
    let saved = all.write(SaveFormat::Markdown, &header()).unwrap();
    let text = String::from_utf8(saved.bytes).unwrap();
    let byline = "Kernel \\& Kettle · A. \\<Writer\\> · 2026-09-21\\\n[https://e.org/a?b=1\\&c=\"2\"](https://e.org/a?b=1&c=\"2\")";
    assert_eq!(
        text,
        format!("# One \\*star\\*\n\n{byline}\n\na **b**\n\n---\n\n# Untitled\n\n{byline}\n\nc\n")
    );
}

#[test]
fn saved_files_stay_within_the_size_limit() {
    let mut all = Collection::default();
    all.add(chapter(1, "a", "<p>a"), SAVED_BYTES - 100);
    all.add(chapter(2, "b", "<p>b"), 200);
    all.add(chapter(3, "c", "<p>c"), 1);
    let saved = all.write(SaveFormat::Markdown, &header()).unwrap();
    assert_eq!((saved.articles, saved.left_out), (1, 2), "none is skipped");
    assert_eq!(saved.surplus().as_deref(), Some("2 left out: limit of 67 MB"));
}

#[test]
fn detects_formats() {
    for (name, expected) in [
        ("a.md", Some(SaveFormat::Markdown)),
        ("a.b.HTML", Some(SaveFormat::Html)),
        ("x/y.epub", Some(SaveFormat::Epub)),
        ("epub", None),
        ("a.txt", None),
    ] {
        assert_eq!(SaveFormat::of_name(name), expected, "{name}");
    }
    for bytes in [&b""[..], b"GIF", b"<svg>", b"RIFF....WAVE", b"\x89PNG"] {
        assert_eq!(PictureFile::of(bytes), None);
    }
}

//! Lists from other readers: what is imported, what is skipped and why, and the export.

// Clippy does not recognise the helpers below as test code.

use super::super::{Import, ImportKind, Paths, SourcesFile, export_opml, import, load};
use crate::model::{Source, WebsiteRules};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

pub(super) fn read(text: &str) -> Import {
    import(text.as_bytes(), "list").unwrap()
}

pub(super) fn import_error(bytes: impl AsRef<[u8]>) -> String {
    import(bytes.as_ref(), "list").unwrap_err().to_string()
}

/// `folder|title|tags|url` of each source.
pub(super) fn rows(import: &Import) -> Vec<String> {
    let row = |s: &Source| {
        let [folder, title] = [&s.folder, &s.title].map(|o| o.clone().unwrap_or_default());
        format!("{folder}|{title}|{}|{}", s.tags.join(","), s.url)
    };
    import.sources.iter().map(row).collect()
}

#[test]
fn reads_folders_titles_and_tags_from_opml() {
    let import = read(
        r#"<?xml version="1.0"?>
<!-- <outline xmlUrl="https://no.example/"/> -->
<opml version="2.0"><head><title>T</title></head><body>
 <outline text="Tech" title="other"><outline title=" Rust ">
   <outline type="rss" text="A &amp; B" xmlUrl="https://a.example/?x=1&amp;y=2" category="x y,/z/w,x y"/>
 </outline>
   <outline text="https://b.example/" xmlUrl="https://b.example/"/>
 </outline>
 <outline TEXT="Shout" XMLURL=" HTTPS://C.example/Feed "><outline text="child" xmlUrl="https://d.example/"/></outline>
 <outline text="A/B"><outline text="E &bull; & F &#x1b;[31m&#8206;" xmlUrl="http://me:pw@e.example/"/></outline>
 <outline text=""><outline title="only title" xmlUrl='https://f.example/'/></outline>
</body></opml>"#,
    );
    assert_eq!(import.kind, ImportKind::Opml);
    assert_eq!(
        rows(&import),
        [
            "Tech/Rust|A & B|x y,z/w|https://a.example/?x=1&y=2",
            "Tech|||https://b.example/",
            "|Shout||https://c.example/Feed",
            "|child||https://d.example/",
            "A/B|E &bull; & F \u{200e}||http://e.example/",
            "|only title||https://f.example/",
        ]
    );
    assert_eq!(import.skipped, []);
    assert_eq!(import.sources[4].access.auth.as_ref().unwrap().user, "me");
}

#[test]
fn skips_unfollowable_entries_with_a_reason() {
    let import = read(
        r#"<opml><body>
 <outline type="rss" text="Lost"/>
 <outline xmlUrl="|cat /etc/passwd" text="p"/><outline xmlUrl="EXEC:touch x" text="e"/>
 <outline xmlUrl="https://x.example/" filtercmd="~/f"/>
 <outline xmlUrl="file:///etc/passwd"/><outline xmlUrl=""/><outline xmlUrl="https://u:secret@/"/>
 <outline xmlUrl="https://ok.example/"/><outline xmlUrl="https://ok.example"/><outline xmlUrl="https://ok.example/"/>
</body></opml>"#,
    );
    assert_eq!(rows(&import), ["|||https://ok.example/"]);
    let summary: Vec<_> = import.skipped.iter().map(|(w, y)| format!("{w}: {y}")).collect();
    let parts = [
        "Lost: a feed without a URL",
        "|cat /etc/passwd: newsfed does not run the commands",
        "EXEC:touch x: newsfed does not run the commands",
        "https://x.example/: newsfed does not run the commands",
        "only http and https",
        ": expected a URL",
        "https:///",
        "https://ok.example/: listed 3 times",
    ];
    assert_eq!(summary.len(), parts.len(), "{summary:#?}");
    for (line, part) in summary.iter().zip(parts) {
        assert!(line.contains(part) && !line.contains("secret"), "{part} in {line}");
    }
}

#[test]
fn reads_damaged_opml_up_to_the_damage() {
    let cut = read(
        "<opml><body><outline text='F'><outline xmlUrl='https://a.example/'/>\n<outline xmlUrl='https://b",
    );
    assert_eq!(rows(&cut), ["F|||https://a.example/"]);
    assert!(cut.skipped[0].0.contains("after line 2"), "{:?}", cut.skipped);
    let unclosed = read("<opml><body><outline xmlUrl='https://a.example/'/>");
    assert!(unclosed.skipped[0].1.contains("</opml> is missing"), "{:?}", unclosed.skipped);
    let quotes = read(
        "<opml><body><outline text='F'>\n<outline text=\"A &amp; B\" \
         description=\"he's \"best\"\" xmlUrl=\"https://a.example/\" type=\"rss\" />\n\
         <outline text=\"x's y\"z\"/>\n\
         <outline text=\"C\" xmlUrl=\"https://c.example/\"/></outline></body></opml>",
    );
    assert_eq!(rows(&quotes), ["F|A & B||https://a.example/", "F|C||https://c.example/"]);
    let crossed =
        read("<opml><head></body><body/></outline><outline xmlUrl='https://a.example/'></opml>");
    assert_eq!(rows(&crossed), ["|||https://a.example/"]);
}

#[test]
fn decodes_other_encodings() {
    let opml = |declaration: &str, name: &str| {
        format!(
            "{declaration}<opml><body><outline text='{name}' xmlUrl='https://a.example/'/></body></opml>"
        )
    };
    let latin = opml("<?xml version='1.0' encoding='ISO-8859-1'?>", "Café");
    let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(&latin);
    let undeclared = opml("", "Привет, как дела сегодня");
    let (cyrillic, _, _) = encoding_rs::WINDOWS_1251.encode(&undeclared);
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(opml("", "Wide").encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let cases = [
        (bytes.into_owned(), "Café"),
        (opml("<?xml version='1.0' encoding='ISO-8859-1'?>", "Größe").into_bytes(), "Größe"),
        (cyrillic.into_owned(), "Привет, как дела сегодня"),
        (wide, "Wide"),
        ([b"\xef\xbb\xbf\n".to_vec(), opml("", "Mark").into_bytes()].concat(), "Mark"),
    ];
    for (bytes, title) in cases {
        assert_eq!(import(&bytes, "x").unwrap().sources[0].title.as_deref(), Some(title));
    }
}

#[test]
fn explains_files_that_are_not_lists() {
    let deep = format!("<opml><body>{}", "<outline text='a'>".repeat(100_000));
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (b" \n".to_vec(), "list is empty"),
        (b"\x1f\x8b\x08".to_vec(), "gzip"),
        (b"{\"a\": 1}".to_vec(), "JSON"),
        (b"PK\x03\x04\0\0".to_vec(), "ZIP archive that must be unpacked"),
        (b"\x7fELF\0\0".to_vec(), "not text"),
        (b"Dear diary,\ntoday nothing happened".to_vec(), "starts with \"Dear diary,\""),
        (b"browser lynx\nmacro o open; quit\n".to_vec(), "newsboat's settings file"),
        (b"# only a comment\n".to_vec(), "empty or a comment"),
        (b"<rss version='2.0'/>".to_vec(), "this is a feed"),
        (b"<!DOCTYPE html><html>".to_vec(), "this is a web page"),
        (b"<haha\x1b/>".to_vec(), "root is <haha"),
        (b"<!-- x -->".to_vec(), "XML without elements"),
        (b"<opml><head/></opml>".to_vec(), "has no <body>"),
        (b"<opml><body><outline text='x'/></body></opml>".to_vec(), "no outline has a URL"),
        (b"<opml><body>\n<outline <".to_vec(), "error on line 2"),
        (deep.into_bytes(), "more than 256 levels deep"),
    ];
    for (bytes, part) in cases {
        let error = import_error(&bytes);
        assert!(error.contains(part) && error.contains("list"), "{part}: {error}");
        assert!(!error.chars().any(char::is_control), "{error:?}");
    }
}

#[test]
fn distinguishes_newsboat_files_from_plain_lists() {
    let urls = "# mine\nhttps://a.example/feed tech \"two words\" \"~My \\\"A\\\"\" \"!\"\n\
        http://b.example/ # not a tag\n\"query:Unread:unread = \\\"yes\\\"\"\n\
        \"exec:~/bin/x\" tag\nfilter:~/f:https://c.example/\n|x\nwhat is this\n";
    let import = read(urls);
    assert_eq!(import.kind, ImportKind::Newsboat);
    assert_eq!(
        rows(&import),
        ["|My \"A\"|tech,two words|https://a.example/feed", "|||http://b.example/"]
    );
    let views: Vec<_> = import.views.iter().map(|v| (&*v.name, &*v.query)).collect();
    assert_eq!(views, [("Unread", "unread")]);
    let why: Vec<_> = import.skipped.iter().map(|(_, why)| why.as_str()).collect();
    assert!(why[0..3].iter().all(|why| why.contains("commands")), "{why:?}");
    assert!(why[3].contains("\"what is this\" is not a URL"), "{why:?}");
    assert!(why[4].contains("cannot hide sources"), "{why:?}");

    let hidden = read("!https://a.example/feed tag\n");
    assert_eq!(rows(&hidden), ["||tag|https://a.example/feed"]);
    assert_eq!(hidden.skipped[0].0, "hidden (!): https://a.example/feed");
    let hidden = read("!https://a.example/feed\n!https://b.example/feed\n");
    assert_eq!(hidden.skipped.len(), 1);
    assert_eq!(hidden.skipped[0].0, "hidden (!): 2 sources");

    let plain = read(
        "\u{feff}https://a.example/feed\r\n\r\nexample.org/rss\r\nftp://x.example/\r\n# c\r\n",
    );
    assert_eq!(plain.kind, ImportKind::Urls);
    assert_eq!(rows(&plain), ["|||https://a.example/feed", "|||https://example.org/rss"]);
    assert_eq!(plain.skipped.len(), 1);
}

#[test]
fn imports_duplicates_once_and_quickly() {
    let same = "<outline type='rss' text='d' xmlUrl='http://127.0.0.1/same'/>".repeat(20_000);
    let other: String = (0..4_000)
        .map(|i| format!("<outline text='x' xmlUrl='http://127.0.0.1/?{i}=='/>"))
        .collect();
    let import = read(&format!("<opml><body>{same}{other}</body></opml>"));
    assert_eq!((import.sources.len(), import.skipped.len()), (4_001, 1));
    let ids: std::collections::HashSet<_> = import.sources.iter().map(|s| &s.id).collect();
    assert_eq!(ids.len(), 4_001);
}

#[test]
fn huge_lists_are_truncated_and_counted() {
    let most = crate::util::limits::IMPORT_SOURCES;
    let list: String = (0..most + 5).map(|n| format!("http://e.org/{n}\n")).collect();
    let found = read(&list);
    assert_eq!(found.sources.len(), most);
    let (what, why) = found.skipped.last().unwrap();
    assert_eq!((what.as_str(), found.skipped.len()), ("5 more entries", 1));
    assert!(why.contains("split the file"), "{why}");
    let bad: String = (0..1500).map(|n| format!("ftp://e.org/{n}\n")).collect();
    let found = read(&(bad + "http://e.org/\n"));
    assert_eq!((found.sources.len(), found.skipped.len()), (1, 1001));
    assert_eq!(found.skipped[1000].0, "500 more entries");
}

#[test]
fn importing_twice_adds_once() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    let file = SourcesFile::open(&paths);
    let list = read("https://a.example/feed\nhttps://b.example/\n").sources;
    assert_eq!(file.import(&list).unwrap().0.sources.len(), 2);
    let more = read("https://b.example/\nhttp://a.example/rss\n").sources;
    let (added, _) = file.import(&more).unwrap();
    assert_eq!(added.already.len(), 1);
    assert!(added.sources[0].id.as_str().starts_with("a-example-"), "{added:?}");
    let loaded = load(&paths, &[]).unwrap();
    assert_eq!((loaded.sources.len(), loaded.warnings.len()), (3, 0));
}

#[test]
fn starter_sources_are_valid() {
    let starters = super::super::starter_sources();
    assert!(starters.len() >= 12);
    assert!(starters.iter().all(|s| s.folder.is_some() && s.title.is_some()));
}

/// The keys of an entry: each kind, with any of its settings.
fn source() -> impl Strategy<Value = String> {
    let texts = |key: &'static str| {
        prop::option::of("[ -~äß€🦀\t]{0,12}x").prop_map(move |value| {
            value.map(|v| format!("{key} = {}\n", toml_edit::Value::from(v))).unwrap_or_default()
        })
    };
    let either = |lines: &'static [&'static str]| prop::sample::select(lines);
    let site = "website.title = 'h1'\nwebsite.content = ' main > p'\n";
    let kind = prop_oneof![
        Just("\n".to_owned()),
        Just(format!("kind = 'website'\nwebsite.articles = 'h2 a'\nwebsite.max_pages = 4\n{site}")),
        Just(format!("kind = 'page'\n{site}website.date_format = '2 January 2006'\n")),
        Just("kind = 'sitemap'\nwebsite.delay = '7s'\n".to_owned()),
        Just("kind = 'crawl'\nwebsite.targets = 'text/csv'\n".to_owned()),
        Just("kind = 'entries'\n".to_owned()),
    ];
    let tags = prop::collection::vec("/?[a-z <&\"]{1,4}[a-z]", 0..3)
        .prop_map(|tags| format!("tags = {}\n", toml_edit::Array::from_iter(tags)));
    let lines = (
        (kind, tags, texts("title"), texts("folder")),
        either(&["", "enabled = false\n"]),
        either(&[
            "",
            "interval = '90m'\n",
            "schedule.quiet_hours = '23:00-07:00'\nschedule.polls_per_day = 0.5\n",
        ]),
        either(&["", "retention = {}\n", "retention.items = 9\n", "retention.unread = true\n"]),
        either(&["", "color = 8\nfull_text = 'never'\n", "full_text = 'on-open'\n"]),
        either(&["", "private = true\nproxy = 'socks5://localhost:9050'\n"]),
        either(&["", "headers = { Accept = 'a: b', User-Agent = ' x  \"y\"' }\n"]),
    );
    lines.prop_map(|((kind, tags, title, folder), a, b, c, d, e, f)| {
        [kind.as_str(), &tags, &title, &folder, a, b, c, d, e, f].concat()
    })
}

/// How other readers see a list with every kind of source.
#[test]
fn exports_kinds_that_other_readers_cannot_follow_as_links() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    std::fs::create_dir_all(paths.config_dir()).unwrap();
    let text = "[[source]]\nurl = 'https://a.example/feed'\ntitle = 'A'\nfolder = 'F'\n\
        user = 'u'\npassword = { command = ['pass', 'a'] }\n\
        [[source]]\nurl = 'https://m.example/sitemap.xml'\nkind = 'sitemap'\nproxy = 'http://u:p@proxy.example/'\n";
    std::fs::write(paths.sources_file(), text).unwrap();
    let export = export_opml(&load(&paths, &[]).unwrap().sources, &HashMap::new(), &[]);
    assert_eq!(export.withheld, 2);
    for secret in ["pass", "proxy", "u:p"] {
        assert!(!export.text.contains(secret), "{}", export.text);
    }
    let body: Vec<&str> = export.text.lines().filter(|line| line.contains("<outline")).collect();
    assert_eq!(
        body,
        [
            "    <outline text=\"F\">",
            "      <outline type=\"rss\" text=\"A\" title=\"A\" xmlUrl=\"https://a.example/feed\" newsfed:id=\"a-example\"/>",
            "    <outline type=\"link\" text=\"https://m.example/sitemap.xml\" url=\"https://m.example/sitemap.xml\" \
             newsfed:id=\"m-example-sitemap\" newsfed:kind=\"sitemap\"/>",
        ]
    );
}

#[test]
fn checks_settings_of_imported_lists() {
    let outline = |settings: &str| {
        read(&format!(
            "<opml xmlns:n='https://newsfed.example/opml' xmlns:o='https://other.example/'>\
             <head><n:view name='V' query='is:unread'/><n:view name='W' query='('/><o:view name='X' query='y'/></head>\
             <body><outline xmlUrl='https://a.example/' {settings}/></body></opml>"
        ))
    };
    let import = outline(
        "n:interval='2h' o:interval='9h' n:color='99' n:password='command:touch x' n:user='u'",
    );
    let source = &import.sources[0];
    assert_eq!(source.interval, Some(std::time::Duration::from_secs(7200)));
    assert_eq!((source.color, source.access.auth.is_none()), (None, true));
    let names: Vec<&str> = import.views.iter().map(|view| view.name.as_str()).collect();
    assert_eq!(names, ["V"]);
    let skipped: Vec<_> = import.skipped.iter().map(|(what, _)| what.as_str()).collect();
    let of = |key: &str| format!("{key} of https://a.example/");
    assert_eq!(skipped, ["the view \"W\"", &of("password"), &of("user"), &of("color")]);
    // A source that could reach the user's own network must be confirmed first.
    for settings in ["n:private='true'", "n:proxy='http://localhost:1/'"] {
        let mut import = outline(settings);
        assert!(Import::is_private(&import.sources[0]), "{settings}");
        // A source that is already followed needs no confirmation.
        let mut again = import.clone();
        let known = again.known(&again.sources.clone());
        again.skip_private(&known, "confirm it");
        assert_eq!(again, import);
        import.skip_private(&HashSet::new(), "confirm it");
        assert!(
            import.sources.is_empty() && import.skipped.last().unwrap().1.contains("confirm it")
        );
    }
    assert!(outline("n:kind='website'").sources.is_empty());
    assert!(outline("n:kind='exec'").sources.is_empty());
}

#[test]
fn feed_titles_are_exported_but_not_imported_as_user_titles() {
    let list = "<opml><body><outline xmlUrl='https://a.example/'/><outline text='Mine' \
                xmlUrl='https://b.example/'/><outline xmlUrl='https://c.example/'/></body></opml>";
    let sources = read(list).sources;
    let titles =
        [(sources[0].id.clone(), "A & \"B\"".to_owned()), (sources[1].id.clone(), "B".to_owned())];
    let text = export_opml(&sources, &HashMap::from(titles), &[]).text;
    for part in [
        "text=\"A &amp; &quot;B&quot;\" title=\"A &amp; &quot;B&quot;\" xmlUrl=\"https://a.example/\"",
        "text=\"Mine\" title=\"Mine\" xmlUrl=\"https://b.example/\"",
        "text=\"https://c.example/\" xmlUrl=\"https://c.example/\"",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let again = read(&text);
    assert_eq!((again.sources, again.skipped), (sources, vec![]));
    // Without newsfed's namespace it is a normal title.
    let other = read(&text.replace("newsfed:own-title=\"false\"", ""));
    assert_eq!(other.sources[0].title.as_deref(), Some("A & \"B\""));
}

#[test]
fn export_keeps_the_order_of_sources_and_folders() {
    let outline = |n: usize, folder: &str| {
        let source = format!("<outline xmlUrl='https://x{n}.example/'/>");
        match folder {
            "" => source,
            _ => format!("<outline text='{folder}'>{source}</outline>"),
        }
    };
    let folders = ["", "Z", "", "A", "Z/Y", "A/B", "", "A"];
    let list: String = folders.iter().enumerate().map(|(n, folder)| outline(n, folder)).collect();
    let first = read(&format!("<opml><body>{list}</body></opml>"));
    let again = read(&export_opml(&first.sources, &HashMap::new(), &[]).text);
    let order = |import: &Import| -> Vec<String> {
        let row = |s: &Source| {
            format!("{}{}", &s.url.as_str()[9..10], s.folder.as_deref().unwrap_or_default())
        };
        import.sources.iter().map(row).collect()
    };
    // The sources of a folder stay together, at the position where the folder first occurs.
    assert_eq!(order(&again), ["0", "1Z", "4Z/Y", "2", "3A", "5A/B", "7A", "6"]);
    assert_eq!(
        order(&read(&export_opml(&again.sources, &HashMap::new(), &[]).text)),
        order(&again)
    );
}

#[test]
fn websites_with_the_default_selectors_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    std::fs::create_dir_all(paths.config_dir()).unwrap();
    let entry = format!(
        "[[source]]\nid = 'a'\nurl = 'https://x.example/'\nkind = 'website'\n\
         website = {{ articles = 'h2 a', title = '{}', content = '{}' }}\n",
        WebsiteRules::TITLE,
        WebsiteRules::CONTENT
    );
    std::fs::write(paths.sources_file(), entry).unwrap();
    let loaded = load(&paths, &[]).unwrap();
    let export = export_opml(&loaded.sources, &HashMap::new(), &[]);
    let again = read(&export.text);
    assert_eq!(again.skipped, []);
    assert_eq!(again.sources, loaded.sources);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn export_and_import_round_trip(
        sources in prop::collection::vec(
            ("[ -~äß€🦀]{0,12}", "[a-z<>&\"' ]{0,4}(/[ -.0-~]{1,4}){0,3}", prop::collection::vec("[a-z<&\" ]{1,4}", 0..3), "[a-z?=&/'\"]{0,9}"),
            1..6,
        )
    ) {
        // The export receives values as the loader returns them.
        let opml: String = sources.iter().enumerate().map(|(i, (title, folder, tags, path))| {
            let escape = |text: &str| quick_xml::escape::escape(text).into_owned();
            let title = if title.trim().is_empty() { String::new() } else { format!("title='{}'", escape(title)) };
            format!("<outline text='{}'><outline {title} xmlUrl='https://x{i}.example/{}' category='{}'/></outline>",
                escape(folder), escape(path), escape(&tags.join(",")))
        }).collect();
        let first = read(&format!("<opml><body>{opml}</body></opml>"));
        let again = read(&export_opml(&first.sources, &HashMap::new(), &[]).text);
        let sorted = |import: &Import| { let mut rows = rows(import); rows.sort(); rows };
        prop_assert_eq!(sorted(&again), sorted(&first));
        prop_assert_eq!(again.skipped, first.skipped);
    }

    #[test]
    fn everything_round_trips(
        sources in prop::collection::vec(source(), 1..5),
        views in prop::collection::vec(("[ -~ä]{0,9}x", "[a-z]{1,5}|is:unread -tag:x|\"<&\\t\""), 0..3),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        std::fs::create_dir_all(paths.config_dir()).unwrap();
        // The values pass through the loader, so that they are like a user's values.
        let entries: String = sources.iter().enumerate()
            .map(|(i, entry)| format!("[[source]]\nid = 's{i}'\nurl = 'https://x{i}.example/?a&b'\n{entry}\n"))
            .collect();
        std::fs::write(paths.sources_file(), entries).unwrap();
        let text = |text: &str| toml_edit::Value::from(text).to_string();
        let views: String = views.iter()
            .map(|(name, query)| format!("[[view]]\nname = {}\nquery = {}\n", text(name), text(query)))
            .collect();
        std::fs::write(paths.config_file(), views).unwrap();
        let loaded = load(&paths, &[]).unwrap();
        // Titles written for other readers do not become the user's own.
        let titles = loaded.sources.iter().map(|s| (s.id.clone(), "Shown <title>".to_owned())).collect();
        let export = export_opml(&loaded.sources, &titles, &loaded.settings.views);
        prop_assert_eq!(export.withheld, 0);
        let mut again = read(&export.text);
        prop_assert_eq!(&again.skipped, &[]);
        again.sources.sort_by(|a, b| a.id.cmp(&b.id));
        prop_assert_eq!(again.sources, loaded.sources);
        prop_assert_eq!(again.views, loaded.settings.views);
    }

    #[test]
    fn arbitrary_bytes_are_imported_or_rejected(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = import(&bytes, "x");
        let _ = import(&[b"<opml><body>", bytes.as_slice()].concat(), "x");
    }
}

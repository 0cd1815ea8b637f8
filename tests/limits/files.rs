//! Data files that are designed to need a lot of memory or time when they are first read and when they
//! change.

use super::measure;
use flate2::{Compression, write::ZlibEncoder};
use newsfed::demo::server::{Reply, Server};
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use zip::write::{SimpleFileOptions, ZipWriter};

/// Size of a file in bytes, just under the limit for a body.
const BODY: usize = (10 << 20) - 8192;
/// Unpacked size of a compressed part in bytes, which exceeds the limit.
const BOMB: usize = 100 << 20;

struct DataFile {
    name: &'static str,
    /// Creates the first or the second version of the file.
    make: fn(state: usize) -> Vec<u8>,
}

/// A file with `start`, as many numbered pieces as fit, and `end`.
fn fill(start: &str, piece: impl Fn(usize) -> String, end: &str) -> Vec<u8> {
    let mut out = String::with_capacity(BODY + 1024);
    out.push_str(start);
    for n in 0.. {
        let piece = piece(n);
        if out.len() + piece.len() + end.len() > BODY {
            break;
        }
        out.push_str(&piece);
    }
    (out + end).into_bytes()
}

/// An XLSX file with these worksheets and shared strings.
fn workbook(sheets: &[&str], texts: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, text: &str| {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    };
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let (mut named, mut related) = (String::new(), String::new());
    for n in 1..=sheets.len() {
        write!(named, "<sheet name='s{n}' sheetId='{n}' r:id='r{n}'/>").unwrap();
        let target = format!("worksheets/sheet{n}.xml");
        write!(related, "<Relationship Id='r{n}' Type='{kind}/worksheet' Target='{target}'/>")
            .unwrap();
    }
    write!(
        related,
        "<Relationship Id='t' Type='{kind}/sharedStrings' Target='sharedStrings.xml'/>"
    )
    .unwrap();
    add(
        "xl/workbook.xml",
        &format!("<workbook xmlns:r='{kind}'><sheets>{named}</sheets></workbook>"),
    );
    add("xl/_rels/workbook.xml.rels", &format!("<Relationships>{related}</Relationships>"));
    add("xl/sharedStrings.xml", texts);
    for (n, sheet) in (1..).zip(sheets) {
        let sheet = format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>");
        add(&format!("xl/worksheets/sheet{n}.xml"), &sheet);
    }
    zip.finish().unwrap().into_inner()
}

/// A PDF file with these objects, numbered from 1. The first object is the catalog.
fn pdf(objects: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    for (n, object) in (1..).zip(objects) {
        writeln!(out, "{n} 0 obj").unwrap();
        out.extend(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    out.extend_from_slice(b"trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n");
    out
}

fn stream(entries: &str, data: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(data).unwrap();
    let data = packed.finish().unwrap();
    let head = format!("<<{entries}/Filter/FlateDecode/Length {}>>\nstream\n", data.len());
    [head.as_bytes(), &data, b"\nendstream"].concat()
}

const CATALOG: &str = "<</Type/Catalog/Pages 2 0 R>>";

/// A PDF file with pages that all have the same content.
fn pages(count: usize, content: &[u8]) -> Vec<u8> {
    let kids = "4 0 R ".repeat(count);
    let objects = [
        CATALOG.into(),
        format!("<</Type/Pages/Kids[{kids}]/Resources<</Font<</F<</Type/Font>>>>>>>>").into_bytes(),
        stream("", content),
        b"<</Type/Page/Contents 3 0 R>>".to_vec(),
    ];
    pdf(objects.into_iter())
}

/// A PDF file with object streams that each claim to extend the previous one.
fn object_streams(state: usize) -> Vec<u8> {
    let inner: String = (0..2000).map(|n| format!("{n} {} ", 4 * n)).collect();
    let data = format!("{inner}{}", format!("[{state}] ").repeat(2000));
    let streams = (0..2000).map(|n| {
        let entries = format!("/Type/ObjStm/N 2000/First {}/Extends {} 0 R", inner.len(), n + 3);
        stream(&entries, data.as_bytes())
    });
    let first = [CATALOG.into(), b"<</Type/Pages/Kids[2 0 R 3 0 R]>>".to_vec()];
    pdf(first.into_iter().chain(streams))
}

fn json(state: usize) -> Vec<u8> {
    fill("[{}", |n| format!(",{{\"id\":{n},\"a\":{}}}", n + state), "]")
}

const FILES: &[DataFile] = &[
    DataFile { name: "rows.csv", make: |s| fill("id,a\n", |n| format!("{n},{}\n", n + s), "") },
    DataFile {
        name: "short-rows.csv",
        make: |s| fill("a\n", |n| format!("{}\n", (n + s) % 10), ""),
    },
    DataFile { name: "empty-cells.csv", make: |_| fill("a", |_| ",".repeat(1000) + "\n", "") },
    DataFile { name: "one-row.csv", make: |_| fill("", |_| ",".to_owned(), "\n") },
    DataFile {
        name: "one-cell.csv",
        make: |s| fill(&format!("a\n\"{s}"), |_| "some text ".to_owned(), "\"\n"),
    },
    DataFile { name: "unclosed.csv", make: |_| fill("a\n\"", |_| "x,y\n".to_owned(), "") },
    DataFile { name: "quotes.csv", make: |_| fill("a\n", |_| "\"\"".to_owned(), "") },
    DataFile { name: "records.json", make: json },
    DataFile { name: "numbers.json", make: |s| fill("[0", |n| format!(",{}", (n + s) % 10), "]") },
    DataFile { name: "empty.json", make: |_| fill("[{}", |_| ",{}".to_owned(), "]") },
    DataFile { name: "deep.json", make: |_| fill("", |_| "[".to_owned(), "") },
    DataFile { name: "deep-names.json", make: |_| fill("[", |_| "{\"a\":".to_owned(), "") },
    DataFile { name: "names.json", make: |_| fill("[{\"z\":0", |n| format!(",\"k{n}\":1"), "}]") },
    DataFile {
        name: "one-text.json",
        make: |s| fill(&format!("[{{\"a\":\"{s}"), |_| "some text ".to_owned(), "\"}]"),
    },
    DataFile {
        name: "lists.json",
        make: |_| fill("[{}", |n| format!(",{{\"a{}\":[[1,2],[3]]}}", n % 300), "]"),
    },
    DataFile {
        name: "bomb.xlsx",
        make: |_| workbook(&[&"<row><c><v>1</v></c></row>".repeat(BOMB / 26)], ""),
    },
    DataFile { name: "spaces.xlsx", make: |_| workbook(&[&" ".repeat(BOMB)], "") },
    DataFile {
        name: "empty-cells.xlsx",
        make: |_| workbook(&[&format!("<row>{}</row>", "<c/>".repeat(200)).repeat(10_000)], ""),
    },
    DataFile {
        name: "one-row.xlsx",
        make: |_| workbook(&[&format!("<row>{}</row>", "<c/>".repeat(10_000_000))], ""),
    },
    DataFile {
        name: "far-cells.xlsx",
        make: |s| {
            workbook(
                &[&format!("<row r='1048576'><c r='XFD1048576'><v>{s}</v></c></row>")
                    .repeat(100_000)],
                "",
            )
        },
    },
    DataFile {
        name: "one-cell.xlsx",
        make: |_| {
            let text = "some text ".repeat(4_000_000);
            workbook(&[&format!("<row><c t='inlineStr'><is><t>{text}</t></is></c></row>")], "")
        },
    },
    DataFile {
        name: "texts.xlsx",
        make: |s| {
            let texts =
                format!("<sst count='4294967295'>{}</sst>", "<si><t>x</t></si>".repeat(1_000_000));
            let row = |n: usize| format!("<row><c t='s'><v>{}</v></c></row>", n + s);
            workbook(&[&(0..100_000).map(row).collect::<String>()], &texts)
        },
    },
    DataFile {
        name: "sheets.xlsx",
        make: |_| {
            let sheet = "<row><c><v>1</v></c></row>".repeat(1000);
            workbook(&vec![sheet.as_str(); 3000], "")
        },
    },
    DataFile { name: "pages.pdf", make: |_| pages(1_000_000, b"BT (x) Tj ET") },
    DataFile {
        name: "content.pdf",
        make: |_| pages(1000, &b"BT /F 1 Tf (some text) Tj ET ".repeat(100_000)),
    },
    DataFile { name: "bomb.pdf", make: |_| pages(1, &vec![b' '; BOMB]) },
    DataFile { name: "strings.pdf", make: |_| pages(1, &b"(x) Tj ".repeat(2_000_000)) },
    DataFile { name: "deep.pdf", make: |_| pages(1, &b"[".repeat(20_000_000)) },
    DataFile {
        name: "endless-pages.pdf",
        make: |_| {
            let kids = "2 0 R ".repeat(1000);
            pdf([CATALOG.into(), format!("<</Type/Pages/Kids[{kids}]>>").into_bytes()].into_iter())
        },
    },
    DataFile {
        name: "tree.pdf",
        make: |_| {
            let node = |n| format!("<</Type/Pages/Kids[{0} 0 R {0} 0 R]>>", n + 1).into_bytes();
            pdf(std::iter::once(CATALOG.into()).chain((2..1000).map(node)))
        },
    },
    DataFile { name: "object-streams.pdf", make: object_streams },
    DataFile {
        name: "objects.pdf",
        make: |_| fill("%PDF-1.7\n", |n| format!("{n} 0 obj<<>>endobj\n"), ""),
    },
];

#[test]
fn no_data_file_needs_much_memory_or_time() {
    let only = std::env::var("NEWSFED_ONLY").unwrap_or_default();
    let mut over = 0;
    for file in FILES.iter().filter(|file| file.name.contains(&only)) {
        let states = [0, 1].map(file.make);
        let size = states[0].len() as f64 / f64::from(1 << 20);
        let requested = Arc::new(AtomicUsize::new(0));
        let (name, counter) = (file.name, requested.clone());
        let server = Server::start(move |request| match request.path.trim_start_matches('/') {
            path if path == name => {
                let state = &states[counter.fetch_add(1, Ordering::SeqCst) % 2];
                Reply::ok("application/octet-stream", state.clone())
            }
            _ => Reply::status(404),
        })
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        std::fs::create_dir(&config).unwrap();
        let url = server.url(&format!("/{name}"));
        let source = format!("[[source]]\nid = \"file\"\nurl = \"{url}\"\nkind = \"page\"\n");
        std::fs::write(config.join("sources.toml"), source).unwrap();
        for what in ["first", "changed"] {
            let needs = measure(folder.path(), &["sync", "--force", "--set", "net.host_delay=0s"]);
            let much = super::is_much(&needs, size);
            over += usize::from(much);
            let mark = if much { "  OVER" } else { "" };
            println!(
                "{name:26} {what:9} {size:5.1} MiB {:6.0} MB {:6.2} s{mark}",
                needs.memory, needs.seconds
            );
            assert!([0, 1, 3].contains(&needs.end), "{name} {what}: {}", needs.end);
        }
        assert!(requested.load(Ordering::SeqCst) >= 2, "{name} was requested twice");
    }
    println!("{over} over {} MB or a second for 4 MiB", super::MEMORY);
    assert!(cfg!(debug_assertions) || over == 0);
}

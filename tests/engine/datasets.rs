//! Data files that are followed for changes in their data.

use super::pages::{item, key, text, watched};
use super::*;
use bytes::Bytes;
use newsfed::engine::version_changes;
use newsfed::model::{Revision, SourceKind, TextFrom};
use newsfed::store::Mark;
use std::sync::Mutex;

/// A server with files that a test can change; it supports conditional requests.
#[derive(Clone, Default)]
pub(super) struct Files {
    files: Arc<Mutex<BTreeMap<String, (String, Bytes)>>>,
}

impl Files {
    pub(super) fn put(&self, path: &str, media_type: &str, body: impl Into<Bytes>) {
        let file = (media_type.to_owned(), body.into());
        self.files.lock().unwrap().insert(path.to_owned(), file);
    }

    pub(super) fn remove(&self, path: &str) {
        self.files.lock().unwrap().remove(path);
    }

    pub(super) fn start(&self) -> Server {
        let files = self.files.clone();
        Server::start(move |request| {
            let Some((media_type, body)) = files.lock().unwrap().get(&request.path).cloned() else {
                return Reply::status(404);
            };
            let tag = format!("\"{:x}\"", newsfed::model::stable_hash([&*format!("{body:?}")]));
            if request.header("if-none-match") == Some(tag.as_bytes()) {
                return Reply::status(304).header("etag", tag);
            }
            Reply::ok(&media_type, body).header("etag", tag)
        })
        .unwrap()
    }
}

/// A summary of the last change.
fn change(engine: &Handle) -> String {
    Revision::summary(&item(engine).revisions)
}

pub(super) const TOWNS: &str = "id,town,people\n1,Aachen,250\n2,Bonn,330\n3,Celle,70\n";

#[tokio::test]
async fn stores_a_version_for_each_change_in_csv_data() {
    let files = Files::default();
    files.put("/data/towns.csv", "text/csv", TOWNS);
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/data/towns.csv"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    let first = item(&engine);
    assert_eq!((first.title.as_str(), first.text_from), ("towns.csv", TextFrom::File));
    assert!(text(&engine).starts_with("CSV file with 3 rows and 3 columns, 50 B."));
    assert!(!first.changed && first.versions == 0);
    engine.mark(Mark::Read, vec![key(&engine)], true).await.unwrap();

    // First the file is not modified. Then its bytes differ, but it has the same rows.
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    home.clock.advance(DAY);
    files.put(
        "/data/towns.csv",
        "text/csv",
        "people;id;town\r\n70;3;Celle\r\n330;2;Bonn\r\n250;1;Aachen\r\n",
    );
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    assert!(item(&engine).read && item(&engine).versions == 0, "a new order is not a change");

    home.clock.advance(DAY);
    let later = "id,town,people\n1,Aachen,250\n2,Bonn,335\n4,Dessau,80\n";
    files.put("/data/towns.csv", "text/csv", later);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    let changed = item(&engine);
    assert!(changed.changed && changed.substantial && !changed.read, "a change is news");
    assert_eq!(changed.versions, 1);
    assert_eq!(change(&engine), "1 row added; 1 row removed; 1 row changed");
    let shown = text(&engine);
    for part in
        ["people 650 665 +15", "2 people 330 335", "Rows added", "4 Dessau 80", "70 3 Celle"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let requests = server.requests();
    let conditional: Vec<bool> =
        requests.iter().filter(|r| r.path.ends_with("csv")).map(is_conditional).collect();
    assert_eq!(conditional, [false, true, true, true]);
    engine.shutdown().await;
}

#[tokio::test]
async fn the_difference_between_versions_shows_changed_data() {
    let files = Files::default();
    files.put("/towns.csv", "text/csv", TOWNS);
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/towns.csv"), None)]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    for people in ["335", "340"] {
        home.clock.advance(DAY);
        files.put("/towns.csv", "text/csv", TOWNS.replace("330", people));
        sync_one(&engine, Pace::Manual).await;
    }
    let reader = engine.store().reader().unwrap();
    let changes = version_changes(&reader, key(&engine), &item(&engine)).unwrap();
    assert_eq!(changes.len(), 2);
    for (change, cells) in
        changes.iter().zip(["2 | people | [-335-] | {+340+}", "2 | people | [-330-] | {+335+}"])
    {
        let shown = newsfed::article::marked(&change.text).text();
        assert!(shown.contains(cells), "{cells}: {shown}");
        assert!(change.links.is_empty());
    }
    engine.shutdown().await;
}

#[tokio::test]
async fn names_changed_columns() {
    let files = Files::default();
    files.put("/towns.tsv", "text/plain", TOWNS.replace(',', "\t"));
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/towns.tsv"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    assert!(text(&engine).starts_with("TSV file with 3 rows and 3 columns"));
    let states = [
        (
            "id\ttown\tpeople\tarea\n1\tAachen\t250\t16\n2\tBonn\t330\t14\n3\tCelle\t70\t17\n",
            "column added: area",
        ),
        (
            "id\tname\tpeople\tarea\n1\tAachen\t250\t16\n2\tBonn\t330\t14\n3\tCelle\t70\t17\n",
            "column renamed: name",
        ),
        ("id\tname\tpeople\n1\tAachen\t250\n2\tBonn\t330\n3\tCelle\t70\n", "column removed: area"),
    ];
    for (state, want) in states {
        home.clock.advance(DAY);
        files.put("/towns.tsv", "text/plain", state);
        assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
        assert_eq!(change(&engine), want);
    }
    engine.shutdown().await;
}

#[tokio::test]
async fn follows_json_and_ignores_an_error_page() {
    let files = Files::default();
    let json =
        |n: u32| format!("{{\"at\":{n},\"items\":[{{\"id\":1,\"n\":{n}}},{{\"id\":2,\"n\":2}}]}}");
    files.put("/api", "application/json", json(1));
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/api"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    for (read, media_type, body) in [
        (0, "text/html", "<!doctype html><title>Log in</title><form><input type=password></form>"),
        (
            1,
            "text/html",
            "<!doctype html><title>Gone</title><h1>Gone</h1><p>This file has moved.</p>",
        ),
        (1, "application/json", "{\"at\":3,\"items\":[{\"id\":1"),
    ] {
        home.clock.advance(DAY);
        files.put("/api", media_type, body);
        assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, read), "{body}");
        let item = item(&engine);
        assert!(!item.changed && text(&engine).contains("JSON file with 3 rows"), "{body}");
    }
    let note = polls(&engine)[0].repairs.join("; ");
    assert!(note.contains("not valid JSON"), "{note}");
    home.clock.advance(DAY);
    files.put("/api", "application/json", json(5));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(change(&engine), "2 rows changed");
    assert!(text(&engine).contains("at value 1 5"), "{}", text(&engine));
    engine.shutdown().await;
}

/// An XLSX file with one worksheet that contains these texts and numbers.
fn xlsx(name: &str, rows: &[[&str; 3]]) -> Vec<u8> {
    use std::io::Write;
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let cell = |text: &&str| match text.parse::<f64>() {
        Ok(number) => format!("<c><v>{number}</v></c>"),
        Err(_) => format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>"),
    };
    let row = |row: &[&str; 3]| format!("<row>{}</row>", row.iter().map(cell).collect::<String>());
    let sheet: String = rows.iter().map(row).collect();
    let parts = [
        (
            "_rels/.rels",
            format!(
                "<Relationships><Relationship Id=\"a\" Type=\"{kind}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!("<workbook><sheets><sheet name=\"{name}\" r:id=\"b\"/></sheets></workbook>"),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships><Relationship Id=\"b\" Type=\"{kind}/worksheet\" Target=\"sheet.xml\"/></Relationships>"
            ),
        ),
        ("xl/sheet.xml", format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>")),
    ];
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, part) in parts {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(part.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[tokio::test]
async fn follows_xlsx_files_cell_by_cell() {
    const TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let files = Files::default();
    let head = ["id", "town", "people"];
    files.put(
        "/towns.xlsx",
        TYPE,
        xlsx("Towns", &[head, ["1", "Aachen", "250"], ["2", "Bonn", "330"]]),
    );
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/towns.xlsx"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    assert!(text(&engine).starts_with("XLSX file with 2 rows and 3 columns"), "{}", text(&engine));
    // The worksheet has a different name, and its rows a different order.
    home.clock.advance(DAY);
    files.put(
        "/towns.xlsx",
        TYPE,
        xlsx("T", &[head, ["2", "Bonn", "330"], ["1", "Aachen", "250"]]),
    );
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    home.clock.advance(DAY);
    files.put("/towns.xlsx", TYPE, xlsx("T", &[head, ["2", "Bonn", "331"], ["3", "Celle", "70"]]));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(change(&engine), "1 row added; 1 row removed; 1 row changed");
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    // A damaged file is ignored.
    home.clock.advance(DAY);
    files.put("/towns.xlsx", TYPE, &b"PK\x03\x04 damaged"[..]);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    assert_eq!(item(&engine).versions, 1);
    engine.shutdown().await;
}

/// A PDF with one page for each text.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: String = (0..pages.len()).map(|n| format!("{} 0 R ", 3 + 2 * n)).collect();
    let mut out = format!(
        "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Type/Pages/Kids[{kids}]>> endobj\n"
    );
    for (n, text) in pages.iter().enumerate() {
        let (page, content) = (3 + 2 * n, 4 + 2 * n);
        let draw = format!("BT /F1 12 Tf 72 700 Td ({text}) Tj ET");
        let length = draw.len();
        out += &format!(
            "{page} 0 obj <</Type/Page/Contents {content} 0 R>> endobj\n\
             {content} 0 obj <</Length {length}>> stream\n{draw}\nendstream endobj\n"
        );
    }
    (out + "trailer <</Root 1 0 R>>\n%%EOF").into_bytes()
}

#[tokio::test]
async fn follows_pdf_files_by_the_text_of_their_pages() {
    let files = Files::default();
    files.put(
        "/timetable.pdf",
        "application/pdf",
        pdf(&["Timetable", "Bus 4 leaves at 9.05", "Fares"]),
    );
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/timetable.pdf"), None)]);
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(1, 0, 1));
    assert!(text(&engine).starts_with("PDF file with 3 pages"), "{}", text(&engine));
    assert_eq!(sync_one(&engine, Pace::Manual).await, UNCHANGED);
    // The bytes of the file differ, but it has the same text.
    home.clock.advance(DAY);
    let mut other = pdf(&["Timetable", "Bus 4 leaves at 9.05", "Fares"]);
    other.extend_from_slice(b"\n% made again\n");
    files.put("/timetable.pdf", "application/pdf", other);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    home.clock.advance(DAY);
    let pages = ["Timetable", "Bus 4 leaves at 9.35", "Fares", "Contact"];
    files.put("/timetable.pdf", "application/pdf", pdf(&pages));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(change(&engine), "1 page added; 1 page changed");
    assert!(
        text(&engine).contains("Page 2 Bus 4 leaves at 9.05 9.35 Page 4 Contact"),
        "{}",
        text(&engine)
    );
    // An encrypted file is reported and otherwise ignored.
    home.clock.advance(DAY);
    let mut locked = pdf(&pages[..1]);
    locked.extend_from_slice(b"trailer <</Root 1 0 R /Encrypt 9 0 R>>");
    files.put("/timetable.pdf", "application/pdf", locked);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    assert_eq!(polls(&engine)[0].repairs, ["the file is encrypted"]);
    assert_eq!(item(&engine).versions, 1);
    engine.shutdown().await;
}

#[tokio::test]
async fn fifty_polls_of_a_changing_file_store_one_item() {
    let files = Files::default();
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/log.csv"), None)]);
    let engine = home.on_demand().await;
    let mut csv = "at,level\n".to_owned();
    for n in 0..50 {
        if n % 5 != 4 {
            csv.push_str(&format!("2026-11-{n:02},{}\n", n * n));
        }
        files.put("/log.csv", "text/csv", csv.clone());
        let want = match n {
            0 => fetched(1, 0, 1),
            n if n % 5 == 4 => UNCHANGED,
            _ => fetched(0, 1, 1),
        };
        assert_eq!(sync_one(&engine, Pace::Manual).await, want, "{n}");
        if n > 0 {
            assert_eq!(change(&engine), "1 row added", "{n}");
        }
        home.clock.advance(DAY);
    }
    let versions = engine.store().reader().unwrap().versions(key(&engine)).unwrap();
    assert_eq!(versions.len(), newsfed::store::MAX_VERSIONS);
    assert!(versions.last().unwrap().html.contains("1 row and 2 columns"), "the first one stays");
    engine.shutdown().await;
}

#[tokio::test]
async fn adding_a_file_offers_to_follow_its_data() {
    let files = Files::default();
    files.put("/data/towns.csv", "text/csv", TOWNS);
    let server = files.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let found = engine.discover(&server.url("/data/towns.csv")).await.unwrap();
    assert_eq!(found.labels(home.clock.now()), ["Follow the changes in this file · CSV"]);
    assert_eq!(found.ways[0].kind(), SourceKind::Page);
    let paths = paths_requested(&server);
    assert_eq!(paths, ["/data/towns.csv", "/robots.txt"], "no feed is searched for");
    engine.follow(found, 0, None, None).await.unwrap();
    assert_eq!(item(&engine).title, "towns.csv");
    files.put("/data/towns.csv", "text/csv", format!("{TOWNS}4,Dessau,80\n"));
    home.clock.advance(DAY);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(change(&engine), "1 row added");
    engine.shutdown().await;
}

#[tokio::test]
async fn compares_a_file_that_returns_with_its_last_version() {
    let files = Files::default();
    files.put("/towns.csv", "text/csv", TOWNS);
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/towns.csv"), None)]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    files.remove("/towns.csv");
    home.clock.advance(DAY);
    let failed = sync_one(&engine, Pace::Manual).await;
    assert!(failure(&failed).unwrap().contains("404"), "{failed:?}");
    files.put("/towns.csv", "text/csv", TOWNS.replace("3,Celle,70\n", ""));
    home.clock.advance(DAY * 8);
    engine.shutdown().await;
    let engine = home.on_demand().await;
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(change(&engine), "1 row removed");
    engine.shutdown().await;
}

#[tokio::test]
async fn detects_a_change_without_the_stored_state() {
    let files = Files::default();
    files.put("/towns.csv", "text/csv", TOWNS);
    let server = files.start();
    let home = Home::with(&[watched(&server.url("/towns.csv"), None)]);
    let engine = home.on_demand().await;
    sync_one(&engine, Pace::Manual).await;
    let database = rusqlite::Connection::open(home.paths().database()).unwrap();
    assert_eq!(database.execute("UPDATE dataset SET state = x'00'", []).unwrap(), 1);
    home.clock.advance(DAY);
    files.put("/towns.csv", "text/csv", TOWNS.replace("330", "340"));
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(change(&engine), "the file changed; its earlier content is not stored");
    home.clock.advance(DAY);
    files.put("/towns.csv", "text/csv", TOWNS);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 1, 1));
    assert_eq!(change(&engine), "1 row changed");
    engine.shutdown().await;
}

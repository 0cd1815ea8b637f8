use super::*;
use std::io::Write;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const ROOT: &str = r#"<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
const STYLES: &str = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="0.0&quot; days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/></cellXfs></styleSheet>"#;

fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A file with worksheets given by name and rows.
fn workbook(sheets: &[(&str, &str)], shared: &str) -> Vec<u8> {
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let mut list = String::new();
    let mut relations = format!(
        "<Relationship Id=\"s\" Type=\"{kind}/sharedStrings\" Target=\"sharedStrings.xml\"/>\
         <Relationship Id=\"t\" Type=\"{kind}/styles\" Target=\"/xl/styles.xml\"/>"
    );
    let mut parts = Vec::new();
    for (n, (name, rows)) in sheets.iter().enumerate() {
        list += &format!("<sheet name=\"{name}\" sheetId=\"{n}\" r:id=\"rId{n}\"/>");
        relations += &format!(
            "<Relationship Id=\"rId{n}\" Type=\"{kind}/worksheet\" Target=\"worksheets/{n}.xml\"/>"
        );
        let sheet = format!(
            "<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData>{rows}</sheetData><x/></worksheet>"
        );
        parts.push((format!("xl/worksheets/{n}.xml"), sheet));
    }
    let book = format!("<workbook><sheets>{list}</sheets></workbook>");
    let relations = format!("<Relationships>{relations}</Relationships>");
    let shared = format!("<sst uniqueCount=\"99999999999999\">{shared}</sst>");
    let mut all: Vec<(&str, &[u8])> = vec![
        ("_rels/.rels", ROOT.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", relations.as_bytes()),
        ("xl/styles.xml", STYLES.as_bytes()),
        ("xl/sharedStrings.xml", shared.as_bytes()),
    ];
    all.extend(parts.iter().map(|(name, sheet)| (name.as_str(), sheet.as_bytes())));
    archive(&all)
}

fn rows(table: &Table) -> Vec<String> {
    let row = |row| {
        let cells: Vec<&str> = (0..table.columns.len()).map(|c| table.cell(row, c)).collect();
        cells.join("|")
    };
    std::iter::once(table.columns.join("|")).chain((0..table.len()).map(row)).collect()
}

#[test]
fn reads_every_kind_of_cell() {
    let shared = "<si><t>name</t></si><si><r><t>K\u{f6}</t></r><r><t>ln &amp; &#66;onn</t></r><rPh><t>x</t></rPh></si>";
    let first = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"inlineStr\"><is><t>day</t></is></c></row>\
                 <row r=\"2\"/><row r=\"5\"><c r=\"A5\" t=\"s\"><v>1</v></c><c r=\"B5\"><f>SUM(1)</f><v>0.10000000000000001</v></c>\
                 <c r=\"C5\" s=\"1\"><v>46351</v></c><c r=\"D5\" s=\"3\"><v>46351.5</v></c></row>\
                 <row><c t=\"str\"><f>cmd()</f><v>=x</v></c><c t=\"b\"><v>1</v></c><c t=\"e\"><v>#N/A</v></c><c s=\"2\"><v>3.5</v></c></row>\
                 <row><c><v>1e300</v></c><c t=\"s\"><v>77</v></c><c r=\"ZZZ9\"><v>1</v></c></row>";
    let bytes = workbook(&[("First", first), ("Empty", "")], shared);
    let mut budget = Budget::default();
    let tables = read(&bytes, &mut budget).unwrap();
    assert_eq!(tables.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["First", "Empty"]);
    let want = [
        "name|column 2|day|column 4",
        "Köln & Bonn|0.1|2026-11-25|2026-11-25 12:00:00",
        "=x|true|#N/A|3.5",
        "1e300|||",
    ];
    assert_eq!(rows(&tables[0]), want);
    assert_eq!(budget.surplus_cells, 1);
}

#[test]
fn rejects_bombs_and_damaged_files() {
    let good = workbook(&[("a", "<row><c><v>1</v></c></row>")], "");
    const LEFT: usize = 1 << 20;
    let row = format!("<row><c t=\"str\"><v>{}</v></c></row>", "x".repeat(1000));
    let bomb = workbook(&[("a", &row.repeat(1 + LEFT / row.len()))], "");
    let strings = workbook(&[("a", "")], &"<si><t/></si>".repeat(LEFT / 12));
    let many: Vec<String> = (0..=MAX_PARTS).map(|n| format!("{n}")).collect();
    let many = archive(&many.iter().map(|name| (name.as_str(), &b""[..])).collect::<Vec<_>>());
    assert!(bomb.len() < LEFT / 50 && strings.len() < LEFT / 50);
    let cases: [(&[u8], &str); 6] = [
        (&bomb, "exceeds the limits of newsfed"),
        (&strings, "exceeds the limits of newsfed"),
        (&many, "too many parts"),
        (&good[..good.len() - 30], "not valid XLSX"),
        (b"PK\x03\x04", "not valid XLSX"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more", "encrypted"),
    ];
    for (bytes, want) in cases {
        let error = read_within(bytes, (LEFT, limits::XLSX_TAGS), &mut Budget::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(want), "{want}: {error}");
    }
    assert_eq!(read(&good, &mut Budget::default()).unwrap().len(), 1);
}

#[test]
fn reads_malformed_workbooks_within_limits() {
    let open = "<row><c r=\"A1\"><v>1</v>".repeat(2_000);
    let deep = "<a>".repeat(50_000);
    for sheet in [
        open.as_str(),
        deep.as_str(),
        "</row></c>",
        "<row r=\"x\"><c r=\"-\" s=\"-1\" t=\"?\"><v/>",
    ] {
        let bytes = workbook(&[("a", sheet)], "");
        let _ =
            read(&bytes, &mut Budget::default()).map(|tables| assert!(tables[0].len() <= 2_000));
    }
    // A workbook that is its own worksheet, and an archive without a workbook.
    let book = r#"<workbook><sheets><sheet name="a" r:id="r"/></sheets></workbook>"#;
    let relations = r#"<Relationships><Relationship Id="r" Type="x/worksheet" Target="workbook.xml"/><Relationship Id="s" Type="x/sharedStrings" Target="../../etc/passwd"/></Relationships>"#;
    let bytes = archive(&[
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", relations.as_bytes()),
    ]);
    assert!(read(&bytes, &mut Budget::default()).unwrap()[0].is_empty());
    assert_eq!(read(&archive(&[("a", b"b")]), &mut Budget::default()).unwrap(), []);
}

#[test]
fn rejects_or_truncates_large_pieces() {
    // A text, a tag, and a cell with many small texts.
    let text = format!("<row><c t=\"str\"><v>{}</v></c></row>", "x".repeat(3 << 20));
    let tag = format!("<row><c t=\"str\" {}><v>1</v></c></row>", "a=\"1\" ".repeat(400_000));
    for sheet in [text, tag] {
        let bytes = workbook(&[("a", &sheet)], "");
        assert_eq!(read(&bytes, &mut Budget::default()), Err(DatasetError::TooLarge));
    }
    let mut capture = Capture { inside: true, ..Capture::default() };
    let piece = "x".repeat(1000);
    let event = Event::Text(quick_xml::events::BytesText::new(&piece));
    (0..3000).for_each(|_| capture.take(&event));
    assert!((MAX_EVENT..MAX_EVENT + 1000).contains(&capture.text.len()));
    // Excel writes only a few attributes. Here the type comes after too many others.
    let late = format!("<row><c {} t=\"b\"><v>1</v></c></row>", "a=\"1\" ".repeat(100));
    let tables = read(&workbook(&[("a", &late)], ""), &mut Budget::default()).unwrap();
    assert_eq!(tables[0].cell(0, 0), "1");
}

#[test]
fn counts_rows_beyond_the_limits_and_limits_tags() {
    let row = "<row><c><v>1</v></c><c><v>2</v></c></row>".to_owned();
    let mut budget = Budget { rows: 2, ..Budget::default() };
    let rows = row.repeat(5) + "<row><c/></row>" + &row;
    let tables = read(&workbook(&[("a", &rows)], ""), &mut budget).unwrap();
    assert_eq!((tables[0].len(), tables[0].beyond), (2, 4));
    assert_eq!((tables[0].cell(1, 1), budget.surplus_cells), ("2", 0));
    // A cell without content takes little space.
    let bytes = workbook(&[("a", &"<c/>".repeat(500))], "");
    let read = |tags| read_within(&bytes, (limits::XLSX_BYTES, tags), &mut Budget::default());
    assert_eq!((read(999), read(1_100).is_ok()), (Err(DatasetError::TooLarge), true));
}

#[test]
fn reads_serial_numbers_as_excel_dates() {
    let base = |year, month, day| NaiveDate::from_ymd_opt(year, month, day).unwrap();
    let (early, late) = (base(1899, 12, 30), base(1904, 1, 1));
    let cases = [
        (44999.999999999, early, "2023-03-15"),
        (44999.5, early, "2023-03-14 12:00:00"),
        (1.0, early, "1900-01-01"),
        (59.0, early, "1900-02-28"),
        (61.0, early, "1900-03-01"),
        (1.0, late, "1904-01-02"),
        (0.25, early, "06:00:00"),
        (0.0, early, "00:00:00"),
    ];
    for (number, base, want) in cases {
        assert_eq!(date(number, base).as_deref(), Some(want), "{number}");
    }
}

#[test]
fn does_not_load_an_endless_tag_or_text() {
    let long = "<".repeat(MAX_EVENT + (1 << 16));
    for (rows, refused) in [
        (format!("<row><c t=\"inlineStr\"><is><t>{}", long.replace('<', "x")), true),
        (format!("<row><c t=\"inlineStr\"><is><t><![CDATA[{long}"), true),
        (format!("<row {}", long.replace('<', "x")), true),
        ("<row><c><v>1</v></c></row>".repeat(MAX_EVENT / 16), false),
    ] {
        let file = workbook(&[("a", &rows)], "");
        let read = read(&file, &mut Budget::default());
        let is_refused = matches!(read, Err(DatasetError::TooLarge));
        assert_eq!(is_refused, refused, "{}", &rows[..40]);
    }
}

use super::*;
use crate::dataset::{DataFormat, Dataset, compare};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

fn packed(data: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
    out.write_all(data).unwrap();
    out.finish().unwrap()
}

fn stream(dict: &str, data: &[u8]) -> Vec<u8> {
    let data = packed(data);
    let mut out =
        format!("<<{dict}/Filter/FlateDecode/Length {}>>\nstream\r\n", data.len()).into_bytes();
    out.extend(data);
    out.extend_from_slice(b"\nendstream");
    out
}

/// A file with these objects, numbered from 1. The first one is the catalog.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    for (n, object) in objects.iter().enumerate() {
        out.extend(format!("{} 0 obj\n", n + 1).into_bytes());
        out.extend_from_slice(object);
        out.extend_from_slice(b"\nendobj\n");
    }
    out.extend_from_slice(b"trailer\n<</Size 9/Root 1 0 R>>\nstartxref\n0\n%%EOF\n");
    out
}

/// A file with one page per content stream.
fn pages(contents: &[&str]) -> Vec<u8> {
    let kids: String = (0..contents.len()).map(|n| format!("{} 0 R ", 5 + 2 * n)).collect();
    let map = "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar <0001> <00df> <0002> \
               <d83dde00> endbfchar 1 beginbfrange <0041> <005a> <0061> endbfrange";
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{kids}]/Resources<</Font<</F1 3 0 R/F2<</Subtype/Type0/ToUnicode 4 0 R>>>>>>>>")
            .into_bytes(),
        b"<</Type/Font/Encoding<</Differences[65/uni0416 66/adieresis/space]>>>>".to_vec(),
        stream("", map.as_bytes()),
    ];
    for (n, content) in contents.iter().enumerate() {
        objects.push(format!("<</Type/Page/Contents {} 0 R>>", 6 + 2 * n).into_bytes());
        objects.push(stream("", content.as_bytes()));
    }
    file(&objects)
}

fn texts(bytes: &[u8]) -> Result<Vec<String>, String> {
    let tables = read_within(bytes, &Work::new(4 << 20), &mut Budget::default())
        .map_err(|e| e.to_string())?;
    Ok((0..tables[0].len()).map(|row| tables[0].cell(row, 0).to_owned()).collect())
}

#[test]
fn reads_the_text_of_pages() {
    let contents = [
        "BT /F1 12 Tf 1 0 0 1 72 700 Tm (Hello \\(PDF\\) \\101\\102) Tj 0 -14 Td [(wor) 20 (ld) -300 (again)] TJ ET",
        "BT /F2 9 Tf <00480045004C004C004F00010002> Tj T* (\\0\\101) ' ET q BI /W 1 ID \x01(EI no EI Q",
        "0 0 m 10 10 l S",
        "BT /F1 1 Tf (caf\\351 \\200) Tj ET",
    ];
    let found = texts(&pages(&contents)).unwrap();
    assert_eq!(found[0], "Hello (PDF) Жä world again");
    assert_eq!(found[1], "hellოß😀 a".replace('ო', "o"));
    assert!(found[2].starts_with("[no text, "), "{found:?}");
    assert_eq!(found[3], "café €");
}

#[test]
fn reads_packed_objects_forms_and_later_versions() {
    let inner = b"1 0 2 30 3 75 <</Type/Catalog/Pages 2 0 R>>  <</Type/Pages/Kids[3 0 R]>>                  \
                  <</Type/Page/Resources<</XObject<</X 7 0 R>>>>/Contents[8 0 R]>>";
    let start = inner.iter().position(|b| *b == b'<').unwrap();
    let offsets: Vec<usize> = inner
        .windows(7)
        .enumerate()
        .filter(|(_, w)| w == b"<</Type")
        .map(|(at, _)| at - start)
        .collect();
    let head = format!("1 {} 2 {} 3 {} ", offsets[0], offsets[1], offsets[2]);
    let body = [head.as_bytes(), &inner[start..]].concat();
    let mut bytes = b"%PDF-1.5\n".to_vec();
    bytes.extend_from_slice(b"6 0 obj\n");
    bytes.extend(stream(&format!("/Type/ObjStm/N 3/First {}", head.len()), &body));
    bytes.extend_from_slice(b"\nendobj 7 0 obj\n");
    bytes.extend(stream("/Subtype/Form", b"BT (old) Tj ET"));
    bytes.extend_from_slice(b"\nendobj 8 0 obj\n");
    bytes.extend(stream("", b"/X Do"));
    bytes.extend_from_slice(b"\nendobj 9 0 obj\n");
    bytes.extend(stream("/Type/XRef/Root 1 0 R", b"\0\0"));
    assert_eq!(texts(&bytes).unwrap(), ["old"]);
    // An update at the end of the file replaces the form.
    bytes.extend_from_slice(b"\nendobj 7 0 obj\n");
    bytes.extend(stream("/Subtype/Form", b"BT (new) Tj ET"));
    assert_eq!(texts(&bytes).unwrap(), ["new"]);
}

/// The result, the work used, and the maximum number of values in memory.
fn measured(bytes: &[u8]) -> (Result<usize, String>, usize, usize) {
    let work = Work::new(WORK);
    let result = read_within(bytes, &work, &mut Budget::default());
    (result.map(|t| t[0].len()).map_err(|e| e.to_string()), WORK - work.left(), work.most_alive())
}

const WORK: usize = 4 << 20;

/// A file with one page that has these resources and this content, and additional objects from number 5.
fn page(resources: &str, content: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let mut objects = vec![
        b"<</Pages 2 0 R>>".to_vec(),
        b"<</Kids[3 0 R]>>".to_vec(),
        format!("<</Contents 4 0 R/Resources<<{resources}>>>>").into_bytes(),
        stream("", content.as_bytes()),
    ];
    objects.extend_from_slice(more);
    file(&objects)
}

#[test]
fn lookahead_after_a_number_takes_linear_work() {
    for unit in ["1 0 obj 1 %", "1 0 obj 1 00000000000000000000"] {
        let bytes = unit.repeat(20_000).into_bytes();
        let (_, work, _) = measured(&bytes);
        assert!(work < 10 * bytes.len(), "{unit}: {work} for {} bytes", bytes.len());
    }
    // The comment after a trailer is also charged.
    let bytes = "trailer 1 %".repeat(20_000).into_bytes();
    assert!(measured(&bytes).1 < 10 * bytes.len());
}

#[test]
fn reads_fonts_and_forms_in_resources_once() {
    let glyphs = "/unknown".repeat(5_000);
    let font = format!("/Font<</F<</Encoding<</Differences[{glyphs}]>>>>>>");
    let (result, work, _) = measured(&page(&font, &"/F 1 Tf ".repeat(10_000), &[]));
    assert_eq!(result, Ok(1));
    assert!(work < 3 << 20, "{work}");
    let keys: String = (0..5_000).map(|n| format!("/k{n} 0 ")).collect();
    let (result, work, _) =
        measured(&page(&format!("/XObject<<{keys}>>"), &"/X Do ".repeat(10_000), &[]));
    assert_eq!(result, Ok(1));
    assert!(work < 3 << 20, "{work}");
    // If each form has its own resources, all of them are charged.
    let form = stream(&format!("/Subtype/Form/Resources<<{font}>>"), b"/F 1 Tf");
    let bytes = page("/XObject<</X 5 0 R>>", &"/X Do ".repeat(1_000), &[form]);
    let (result, work, _) = measured(&bytes);
    assert_eq!((result.is_err(), work), (true, WORK));
}

#[test]
fn charges_the_input_of_a_filter() {
    let blocks = [b"\x78\x9c".to_vec(), b"\0\0\0\xff\xff".repeat(20_000)].concat();
    for (filter, data) in [("Fl", &blocks), ("AHx", &vec![b' '; 100_000])] {
        let mut form = format!("<</Subtype/Form/Filter/{filter}/Length {}>>\nstream\n", data.len())
            .into_bytes();
        form.extend_from_slice(data);
        form.extend_from_slice(b"\nendstream");
        let drawn = |times: usize| {
            measured(&page("/XObject<</X 5 0 R>>", &"/X Do ".repeat(times), &[form.clone()]))
        };
        let (result, one, _) = drawn(1);
        assert_eq!(result, Ok(1), "{filter}");
        assert!(drawn(11).1 > one + 10 * data.len(), "{filter}");
        assert!(drawn(100).0.unwrap_err().contains("exceeds the limits of newsfed"), "{filter}");
    }
}

#[test]
fn keeps_few_values_in_memory_at_once() {
    let operands = format!("[{}] ", "0 ".repeat(20_000)).repeat(3);
    let content = format!("{operands} /X Do");
    let form = stream("/Subtype/Form", content.as_bytes());
    let bytes = page("/XObject<</X 5 0 R>>", &content, &[form]);
    let (_, _, alive) = measured(&bytes);
    assert!(alive < 10_000, "{alive}");
    // Names and texts are counted by their length, and dropped values are not counted.
    let work = Work::new(1 << 30);
    let read = |text: &str| object::Lexer::new(text.as_bytes(), 0, &work).value();
    let long = format!("[({})(b)]", "a".repeat(3_200));
    for _ in 0..10 {
        assert!(read(&long).is_some());
    }
    assert_eq!(work.most_alive(), 102);
    let kept: Vec<_> = (0..).map(|_| read(&long)).take_while(Option::is_some).collect();
    assert!(kept.len() * 102 >= work::MAX_ALIVE - 102, "{}", kept.len());
}

#[test]
fn truncates_long_texts_made_of_few_codes() {
    let map = format!("beginbfchar <41> <{}> endbfchar", "0042".repeat(16));
    let fonts = "/Font<</F<</ToUnicode 5 0 R>>>>";
    let content = format!("/F 1 Tf ({}) Tj", "A".repeat(100_000));
    let bytes = page(fonts, &content, &[stream("", map.as_bytes())]);
    let mut file = PdfFile::open(&bytes, Work::new(WORK)).unwrap();
    let only = file.pages().remove(0);
    let (resources, content) = file.content(&only);
    let text = page::text(&mut file, &resources, &content, &mut HashMap::new());
    assert!(text.starts_with("BBBB") && text.len() < 400_100, "{}", text.len());
}

#[test]
fn rejects_hostile_files_or_reads_them_quickly() {
    let refused = |bytes: &[u8], want: &str| {
        let error = texts(bytes).unwrap_err();
        assert!(error.contains(want), "{want}: {error}");
    };
    refused(b"", "not valid PDF");
    refused(b"%PDF-1.7\n1 0 obj [[[[", "not valid PDF");
    let mut encrypted = pages(&["BT (x) Tj ET"]);
    encrypted.extend_from_slice(b"trailer <</Root 1 0 R/Encrypt 3 0 R>>");
    refused(&encrypted, "encrypted");
    // Unterminated values, strings and streams.
    for unit in [
        "1 0 obj [ ",
        "1 0 obj (",
        "1 0 obj <",
        "1 0 obj <</a ",
        "1 0 obj <<>> stream\n",
        "[]",
        "0 ",
        "<<",
    ] {
        let bytes = [b"%PDF-1.7 1 0 obj ", unit.repeat((1 << 20) / unit.len()).as_bytes()].concat();
        assert!(texts(&bytes).is_err(), "{unit}");
    }
    // A decompression bomb as content, in one or two layers.
    let zeros = packed(&vec![0; 8 << 20]);
    let layers = packed(&zeros);
    for (filter, data) in [("/FlateDecode", &zeros), ("[/FlateDecode/FlateDecode]", &layers)] {
        let mut bytes = file(&[
            b"<</Pages 2 0 R>>".to_vec(),
            b"<</Kids[3 0 R]>>".to_vec(),
            b"<</Contents 4 0 R>>".to_vec(),
        ]);
        bytes.extend(format!("4 0 obj <</Filter{filter}>> stream\n").into_bytes());
        bytes.extend_from_slice(data);
        bytes.extend_from_slice(b"\nendstream");
        assert!(texts(&bytes).unwrap()[0].starts_with("[no text"), "the page is there");
    }
    // A page tree that contains itself, and a form that draws itself.
    let ring = file(&[
        b"<</Pages 2 0 R>>".to_vec(),
        b"<</Kids[2 0 R 3 0 R 3 0 R]/Parent 2 0 R>>".to_vec(),
        b"<</Contents 4 0 R/Resources<</XObject<</X 4 0 R>>>>>>".to_vec(),
        stream("/Subtype/Form", "/X Do ".repeat(50).as_bytes()),
    ]);
    assert!(texts(&ring).is_ok_and(|pages| pages.len() == 1) || texts(&ring).is_err());
}

#[test]
fn damaged_files_do_not_panic() {
    let good = pages(&["BT /F1 1 Tf (One) Tj ET", "BT /F2 1 Tf <0041> Tj ET"]);
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..300 {
        let mut bytes = good.clone();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..bytes.len());
            match random.u8(..3) {
                0 => bytes[at] = random.u8(..),
                1 => bytes.truncate(at),
                _ => bytes
                    .drain(at..(at + random.usize(..40)).min(good.len()).min(bytes.len()))
                    .for_each(drop),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let _ = texts(&bytes);
    }
}

#[test]
fn compares_pages_by_their_words() {
    let page = |words: &str| format!("BT /F1 1 Tf ({words}) Tj ET");
    let dataset = |contents: &[&str]| -> Dataset {
        let contents: Vec<String> = contents.iter().map(|words| page(words)).collect();
        let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
        crate::dataset::read(&pages(&contents), None, DataFormat::Pdf).unwrap()
    };
    let old = dataset(&["Title", "The pool opens at 9.", "Prices", "End"]);
    assert!(compare(&old, &old.clone()).is_empty());
    let new = dataset(&["Title", "New here", "The pool opens at 10.", "Prices"]);
    let found = compare(&old, &new);
    assert_eq!(found.summary(&old, &new), "1 page added; 1 page removed; 1 page changed");
    let html = crate::dataset::describe_difference(&found, &old, &new);
    for part in ["<ins>New", "<del>", "10.", "<h3>Page 2</h3>", "PDF file with 4 pages"] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn limits_the_comparison_of_pages() {
    // A page is added before each old page. Only a comparison of words can find out which one is new.
    let table = |parts: &[&str]| -> Dataset {
        let mut table = Table::default();
        table.columns.push("text".to_owned());
        for place in 0..200 {
            table.push(&[format!("between {place}")], &mut Budget::default());
            for part in parts {
                let words: String = (0..12_000).map(|n| format!("{part}{n} ")).collect();
                table
                    .push(&[format!("{place} of {} {words}", parts.len())], &mut Budget::default());
            }
        }
        Dataset { format: DataFormat::Pdf, tables: vec![table], bytes: 0, left_out: Vec::new() }
    };
    let (old, new) = (table(&["old"]), table(&["new", "old"]));
    let found = compare(&old, &new);
    let table = &found.tables[0];
    assert_eq!((table.added.len(), table.removed.len()), (200, 0));
    // Pages are compared by words until the limit, and by position after that.
    let by_words = table.changed.iter().filter(|row| row.rows.1 % 3 == 2).count();
    assert!((1..100).contains(&by_words), "{by_words}");
}

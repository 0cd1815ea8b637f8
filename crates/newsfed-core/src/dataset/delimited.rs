//! CSV and TSV: bytes in any encoding, with any common separator.

use super::DataFormat;
use super::table::{Budget, Headed, Table, clean};
use crate::util::{limits, text};
use csv::{ReaderBuilder, StringRecord};
use csv_core::ReadFieldResult;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;

/// Number of bytes at the start of a file that are read to detect its separator.
const SAMPLE: usize = 64 << 10;
/// Maximum number of records that are read to detect the separator.
const SAMPLE_RECORDS: usize = 50;
/// Minimum share of records that a separator must split into the same number of cells.
const MIN_EVEN: f64 = 0.6;
/// Minimum number of valid non-ASCII characters per invalid byte for a text to be decoded as UTF-8.
const MIN_GOOD: usize = 5;
/// Possible separators, most likely first.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// A record that is appended to the content to detect an unclosed quote. Sanitising removes the byte 0x01, so
/// the record adds no row.
const END: &[u8] = b"\n\x01";

/// Reads a table. Every text can be read: if its quoting is invalid, quotes are read as text.
pub(super) fn read(
    bytes: &[u8],
    content_type: Option<&str>,
    format: DataFormat,
    budget: &mut Budget,
) -> Table {
    let decoded = decode(bytes, content_type);
    let (separator, content) = separator(&decoded, format);
    let before = budget.clone();
    // TSV has no quoting.
    if format != DataFormat::Tsv
        && let Some(table) = records(content, separator, true, budget)
    {
        return table;
    }
    *budget = before;
    if format != DataFormat::Tsv {
        budget.notes.push("quotation marks, because one is not closed".to_owned());
    }
    records(content, separator, false, budget).unwrap_or_default()
}

/// Reads the records; `None` if a quote is not closed.
fn records(content: &str, separator: u8, quoting: bool, budget: &mut Budget) -> Option<Table> {
    let mut headed = Headed::default();
    let mut records = Records::new(content, separator, quoting);
    while records.advance() {
        headed.push_wide(&records.cells, records.width, budget);
    }
    records.is_end.then(|| headed.finish(budget))
}

/// Reads records cell by cell, because a record may have ten million cells. Only the first ones are kept.
struct Records<'c> {
    reader: csv_core::Reader,
    left: &'c [u8],
    /// The bytes to read after `left`.
    end: &'static [u8],
    cells: Vec<Cow<'static, str>>,
    /// Number of cells up to the last non-empty cell.
    width: usize,
    /// Whether the last record is the appended one.
    is_end: bool,
}

impl<'c> Records<'c> {
    fn new(content: &'c str, separator: u8, quoting: bool) -> Self {
        let reader = csv_core::ReaderBuilder::new().delimiter(separator).quoting(quoting).build();
        let (left, cells) = (content.as_bytes(), Vec::new());
        Self { reader, left, end: END, cells, width: 0, is_end: false }
    }

    /// Reads the next record. Returns false at the end.
    fn advance(&mut self) -> bool {
        self.cells.clear();
        self.width = 0;
        let (mut cell, mut piece, mut count) = (Vec::new(), [0; 4096], 0);
        loop {
            if self.left.is_empty() {
                self.left = std::mem::take(&mut self.end);
            }
            let (result, read, written) = self.reader.read_field(self.left, &mut piece);
            self.left = &self.left[read..];
            cell.extend_from_slice(&piece[..written]);
            let ends = match result {
                // When no input is left, the next call returns the last cell or the end.
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => continue,
                ReadFieldResult::Field { record_end } => record_end,
                ReadFieldResult::End => return false,
            };
            count += 1;
            let is_kept = count <= limits::DATASET_COLUMNS;
            if is_kept || !cell.is_empty() {
                // Cells end at ASCII characters of valid UTF-8.
                let text = String::from_utf8_lossy(&cell);
                let clean = clean(&text);
                if !clean.is_empty() {
                    self.width = count;
                }
                if is_kept {
                    self.cells.push(Cow::Owned(clean.into_owned()));
                }
            }
            if ends {
                self.is_end = count == 1 && cell == b"\x01";
                return true;
            }
            cell.clear();
        }
    }
}

/// Decodes a file by its byte order mark, else by the charset in `content_type` if the bytes are valid in it,
/// else as UTF-8 or Windows-1252. Text with few invalid bytes among many non-ASCII characters is also decoded
/// as UTF-8.
fn decode<'b>(bytes: &'b [u8], content_type: Option<&str>) -> Cow<'b, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let named = content_type.and_then(charset);
    let candidates = named.into_iter().chain(bare_utf16(bytes)).chain([UTF_8]);
    for encoding in candidates {
        if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            return text;
        }
    }
    let text = UTF_8.decode_without_bom_handling(bytes).0;
    let bad = text.matches(char::REPLACEMENT_CHARACTER).count();
    let good = text.chars().filter(|c| !c.is_ascii()).count() - bad;
    if named == Some(UTF_8) || bad * MIN_GOOD <= good {
        return text;
    }
    WINDOWS_1252.decode_without_bom_handling(bytes).0
}

fn charset(content_type: &str) -> Option<&'static Encoding> {
    let label = content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    })?;
    Encoding::for_label(label.as_bytes())
}

/// Detects UTF-16 without a byte order mark: every second byte at the beginning is zero.
fn bare_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(64) & !1];
    let zeros = |odd: usize| start.iter().skip(odd).step_by(2).filter(|b| **b == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), start.len() / 2);
    match half {
        0 => None,
        _ if odd * 10 >= half * 9 && even == 0 => Some(UTF_16LE),
        _ if even * 10 >= half * 9 && odd == 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// The separator that splits the first records most evenly, and the content after a `sep=` line.
fn separator(content: &str, format: DataFormat) -> (u8, &str) {
    if let Some(rest) = content.strip_prefix("sep=")
        && let [named, b'\r' | b'\n', ..] = rest.as_bytes()
        && SEPARATORS.contains(named)
    {
        return (*named, rest[1..].trim_start_matches(['\r', '\n']));
    }
    let sample = text::start(content, SAMPLE);
    if format == DataFormat::Tsv && sample.contains('\t') {
        return (b'\t', content);
    }
    let mut best = (MIN_EVEN, SEPARATORS[0]);
    for separator in SEPARATORS {
        let score = evenness(sample, separator);
        if score > best.0 {
            best = (score, separator);
        }
    }
    (best.1, content)
}

/// The share of records with the most frequent number of cells above one. A larger number of cells has a
/// slightly higher score.
fn evenness(sample: &str, separator: u8) -> f64 {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(sample.as_bytes());
    let mut widths = Vec::new();
    let mut record = StringRecord::new();
    while widths.len() < SAMPLE_RECORDS && reader.read_record(&mut record).unwrap_or(false) {
        widths.push(record.len());
    }
    let count = |width: usize| widths.iter().filter(|w| **w == width).count();
    let Some(most) = widths.iter().copied().filter(|w| *w > 1).max_by_key(|w| count(*w)) else {
        return 0.0;
    };
    count(most) as f64 / widths.len() as f64 + most.min(100) as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(bytes: &[u8], content_type: Option<&str>) -> Vec<Vec<String>> {
        let table = read(bytes, content_type, DataFormat::Csv, &mut Budget::default());
        let cells = |row| (0..table.columns.len()).map(|c| table.cell(row, c).to_owned()).collect();
        std::iter::once(table.columns.clone()).chain((0..table.len()).map(cells)).collect()
    }

    #[test]
    fn reads_every_encoding_and_separator() {
        let utf16 = |text: &str, mark: bool, little: bool| -> Vec<u8> {
            let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
            units.flat_map(|u| if little { u.to_le_bytes() } else { u.to_be_bytes() }).collect()
        };
        let text = "town;people\nKöln;1,5\nÅrhus;2,5\n";
        let want = [["town", "people"], ["Köln", "1,5"], ["Århus", "2,5"]];
        let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let cases: [(Vec<u8>, Option<&str>); 9] = [
            (text.into(), None),
            (format!("\u{feff}{text}").into(), Some("text/csv; charset=iso-8859-1")),
            (latin.clone(), None),
            (latin, Some("text/csv; charset=ISO-8859-1")),
            (utf16(text, true, true), None),
            (utf16(text, true, false), None),
            (utf16(&text.replace('ö', "o").replace('Å', "A"), false, true), None),
            (text.replace(';', "\t").into(), Some("text/csv")),
            (format!("sep=|\r\n{}", text.replace(';', "|")).into(), None),
        ];
        for (n, (bytes, content_type)) in cases.into_iter().enumerate() {
            let found = rows(&bytes, content_type);
            if n == 6 {
                assert_eq!(found[1], ["Koln", "1,5"], "{n}");
                continue;
            }
            assert_eq!(found, want, "{n}");
        }
    }

    #[test]
    fn reads_quotes_line_breaks_and_ragged_rows() {
        let text =
            "id,note\r\n1,\"two\r\nlines, \"\"quoted\"\"\"\r\n2\r\n3,a,b\r\n\r\n4,\"closed\n5,x\"";
        let want: [&[&str]; 5] = [
            &["id", "note", "column 3"],
            &["1", "two lines, \"quoted\"", ""],
            &["2", "", ""],
            &["3", "a", "b"],
            &["4", "closed 5,x", ""],
        ];
        assert_eq!(rows(text.as_bytes(), None), want);
    }

    #[test]
    fn does_not_join_rows_at_an_unclosed_quote() {
        let rest = "\na,b".repeat(100);
        for (text, format, note) in [
            (format!("id\tv\n1\t\"big{rest}"), DataFormat::Tsv, None),
            (format!("id,v\n1,\"big{rest}"), DataFormat::Csv, Some("is not closed")),
            (format!("id,v\n1,\"big{rest}\n"), DataFormat::Csv, Some("is not closed")),
            (format!("id,v\n1,\"big\"{rest}"), DataFormat::Csv, None),
        ] {
            let mut budget = Budget::default();
            let table = read(text.as_bytes(), None, format, &mut budget);
            assert_eq!(table.len(), 101, "{text}");
            assert_eq!(budget.notes.len(), usize::from(note.is_some()));
            assert!(budget.notes.iter().all(|n| n.contains(note.unwrap_or_default())));
        }
    }

    #[test]
    fn counts_cells_beyond_the_last_column() {
        let wide = limits::DATASET_COLUMNS + 3;
        let row = |n: usize| vec![n.to_string(); wide].join(",");
        let text = format!("{}\n{},,\n{}", row(1), row(2), ",".repeat(3_000_000));
        let mut budget = Budget::default();
        let table = read(text.as_bytes(), None, DataFormat::Csv, &mut budget);
        assert_eq!((table.len(), table.columns.len()), (2, limits::DATASET_COLUMNS));
        assert_eq!(budget.surplus_cells, 6);
        let late = format!("1{}x\n2\n", ",".repeat(wide));
        let mut budget = Budget::default();
        let table = read(late.as_bytes(), None, DataFormat::Csv, &mut budget);
        assert_eq!((table.cell(0, 0), table.cell(1, 0)), ("1", "2"));
        assert_eq!(budget.surplus_cells, 4);
    }

    #[test]
    fn tsv_is_separated_by_tabs() {
        let text = "id\tv\n1,2,3\tx\n4,5,6\ty,z,\n".repeat(20);
        let table = read(text.as_bytes(), None, DataFormat::Tsv, &mut Budget::default());
        assert_eq!(
            (table.columns.as_slice(), table.cell(0, 0)),
            (&["id".into(), "v".into()][..], "1,2,3")
        );
        let other = read(b"id;v\n1;2", None, DataFormat::Tsv, &mut Budget::default());
        assert_eq!(other.columns, ["id", "v"], "there is no tab");
    }

    #[test]
    fn keeps_the_encoding_despite_an_invalid_byte() {
        let text = b"town\nK\xc3\xb6ln\n\xc3\x85rhus\nGr\xc3\xb8nland\n\xc3\xa4\xc3\xb6\xc3\xbc\nbad\xff\n";
        assert_eq!(rows(text, None)[1..4], [["Köln"], ["Århus"], ["Grønland"]]);
        let declared = Some("text/csv; charset=utf-8");
        assert_eq!(rows(b"town\nK\xc3\xb6ln \xff\n", declared)[1], ["Köln \u{fffd}"]);
        assert_eq!(rows(b"town\nK\xf6ln\n", None)[1], ["Köln"], "Windows-1252");
    }

    #[test]
    fn reads_empty_and_unusual_documents_as_tables() {
        assert_eq!(rows(b"", None), [Vec::<String>::new()]);
        assert_eq!(rows(b"one\n=cmd|' /C calc'!A0\n", None), [["one"], ["=cmd|' /C calc'!A0"]]);
        assert_eq!(rows(b"a\tb\n1\x1b]0;x\x07\t\x00 2\n", None), [["a", "b"], ["1", "2"]]);
        assert_eq!(rows("\u{feff}\n\n".as_bytes(), None), [Vec::<String>::new()]);
    }
}

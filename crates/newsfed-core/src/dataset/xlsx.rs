//! XLSX: each worksheet is a table. Parts of the archive are read as streams and counted after decompression,
//! and no declared size is trusted.

use super::DatasetError;
use super::table::{Budget, Headed, Table, clean};
use crate::util::{limits, text};
use chrono::{Datelike, Days, NaiveDate, NaiveTime};
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufReader, Cursor, Error, ErrorKind, Read};
use zip::ZipArchive;

/// Maximum number of parts in an archive.
const MAX_PARTS: usize = 4_000;
/// Maximum number of worksheets that are read.
const MAX_SHEETS: usize = 100;
/// Maximum size of each part that describes the file, in bytes.
const MAX_SMALL: usize = 1 << 20;
/// Maximum total size of shared strings, in bytes.
const MAX_SHARED: usize = 16 << 20;
/// Maximum size of a tag or a text, which are read as a whole, and of the text of a cell, in bytes. Excel
/// allows 32,767 characters per cell.
const MAX_EVENT: usize = 1 << 20;
/// Maximum number of attributes of a tag that are searched.
const MAX_ATTRIBUTES: usize = 64;
/// First bytes of the older container format, which is also used for encrypted files.
const COMPOUND_FILE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Reads the worksheets of a file.
pub(super) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Vec<Table>, DatasetError> {
    read_within(bytes, (limits::XLSX_BYTES, limits::XLSX_TAGS), budget)
}

/// Reads at most `left` decompressed bytes and `tags` tags.
fn read_within(
    bytes: &[u8],
    (left, tags): (usize, usize),
    budget: &mut Budget,
) -> Result<Vec<Table>, DatasetError> {
    if bytes.starts_with(COMPOUND_FILE) {
        return Err(DatasetError::Encrypted);
    }
    // The number of parts is checked first, because the archive reader would load the entire directory.
    if memchr::memmem::find_iter(bytes, b"PK\x01\x02").nth(MAX_PARTS).is_some() {
        return Err(DatasetError::Invalid {
            format: "XLSX",
            why: "it has too many parts".to_owned(),
        });
    }
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| invalid(&e))?;
    let mut file = File { archive, left, tags };
    let root = file.relations("")?;
    let workbook = root.into_iter().find(|r| r.is("officeDocument")).map(|r| r.target);
    let workbook = workbook.unwrap_or_else(|| "xl/workbook.xml".to_owned());
    let relations = file.relations(&workbook)?;
    let part = |kind: &str| relations.iter().find(|r| r.is(kind)).map(|r| r.target.clone());
    let (shared, styles) = (part("sharedStrings"), part("styles"));
    let (sheets, base) = file.workbook(&workbook)?;
    let shared = shared.map_or(Ok(Vec::new()), |name| file.shared(&name))?;
    let dates = styles.map_or(Ok(Vec::new()), |name| file.date_styles(&name))?;
    let known = Known { shared, dates, base };
    let worksheets = relations.iter().filter(|r| r.is("worksheet"));
    let worksheets: HashMap<&str, &str> =
        worksheets.map(|r| (r.id.as_str(), r.target.as_str())).collect();
    let mut tables = Vec::new();
    let wanted = sheets.iter().filter_map(|(name, id)| Some((name, worksheets.get(id.as_str())?)));
    for (name, target) in wanted.clone().take(MAX_SHEETS) {
        tables.push(file.sheet(name, target, &known, budget)?);
    }
    let surplus = wanted.count().saturating_sub(MAX_SHEETS);
    budget.notes.extend(limits::left_out(surplus, "worksheet", MAX_SHEETS));
    Ok(tables)
}

fn invalid(error: &dyn std::error::Error) -> DatasetError {
    DatasetError::Invalid { format: "XLSX", why: text::line(&error.to_string()) }
}

fn broken(error: &quick_xml::Error) -> DatasetError {
    match error {
        quick_xml::Error::Io(why) if why.kind() == ErrorKind::FileTooLarge => {
            DatasetError::TooLarge
        }
        error => invalid(error),
    }
}

struct Known {
    shared: Vec<String>,
    /// For each style, whether it formats numbers as dates.
    dates: Vec<bool>,
    /// The date of serial number 0.
    base: NaiveDate,
}

/// A relationship from one part to another.
struct Relation {
    id: String,
    kind: String,
    target: String,
}

impl Relation {
    fn is(&self, kind: &str) -> bool {
        self.kind.rsplit('/').next() == Some(kind)
    }
}

/// An archive, and the number of bytes that may still be decompressed.
struct File<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    left: usize,
    /// Number of tags that may still be read.
    tags: usize,
}

/// A part that returns an error when it, or one of its events, exceeds a limit.
struct Counted<'l, R> {
    inner: R,
    part: usize,
    event: usize,
    file: &'l mut usize,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(into)?;
        let less = |left: usize| left.checked_sub(read);
        match (less(self.part), less(self.event), less(*self.file)) {
            (Some(part), Some(event), Some(file)) => {
                (self.part, self.event, *self.file) = (part, event, file);
            }
            _ => return Err(Error::from(ErrorKind::FileTooLarge)),
        }
        Ok(read)
    }
}

impl File<'_> {
    /// Passes the events of a part to a function until that returns false. A missing part has no events.
    fn events(
        &mut self,
        name: &str,
        most: usize,
        mut each: impl FnMut(Event<'_>) -> bool,
    ) -> Result<(), DatasetError> {
        let part = match self.archive.by_name(name) {
            Ok(part) => part,
            Err(zip::result::ZipError::FileNotFound) => return Ok(()),
            Err(e) => return Err(invalid(&e)),
        };
        let counted = Counted { inner: part, part: most, event: MAX_EVENT, file: &mut self.left };
        let mut reader = Reader::from_reader(BufReader::new(counted));
        reader.config_mut().expand_empty_elements = true;
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            reader.get_mut().get_mut().event = MAX_EVENT;
            match reader.read_event_into(&mut buffer).map_err(|e| broken(&e))? {
                Event::Eof => return Ok(()),
                event => {
                    let is_tag = matches!(event, Event::Start(_) | Event::End(_));
                    let left = self.tags.checked_sub(usize::from(is_tag));
                    self.tags = left.ok_or(DatasetError::TooLarge)?;
                    if !each(event) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The relationships of a part, or of the package.
    fn relations(&mut self, part: &str) -> Result<Vec<Relation>, DatasetError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let inside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut all = Vec::new();
        self.events(&format!("{inside}_rels/{file}.rels"), MAX_SMALL, |event| {
            if let Event::Start(tag) = &event
                && tag.local_name().as_ref() == "Relationship"
                && let (Some(id), Some(kind), Some(target)) =
                    (attribute(tag, "Id"), attribute(tag, "Type"), attribute(tag, "Target"))
            {
                let target = target.strip_prefix('/').map_or_else(
                    || format!("{inside}{}", target.trim_start_matches("./")),
                    str::to_owned,
                );
                all.push(Relation { id, kind, target });
            }
            true
        })?;
        Ok(all)
    }

    /// The names of the sheets with the ids of their relationships, and the date of serial number 0.
    fn workbook(&mut self, part: &str) -> Result<(Vec<(String, String)>, NaiveDate), DatasetError> {
        let (mut sheets, mut late) = (Vec::new(), false);
        self.events(part, MAX_SMALL, |event| {
            if let Event::Start(tag) = &event {
                match tag.local_name().as_ref() {
                    "sheet" => {
                        let name = attribute(tag, "name").unwrap_or_default();
                        sheets.extend(attribute(tag, "id").map(|id| (name, id)));
                    }
                    "workbookPr" => {
                        let from_1904 = attribute(tag, "date1904");
                        late = from_1904.is_some_and(|value| value == "1" || value == "true");
                    }
                    _ => {}
                }
            }
            true
        })?;
        let base = if late { (1904, 1, 1) } else { (1899, 12, 30) };
        let base = NaiveDate::from_ymd_opt(base.0, base.1, base.2).unwrap_or_default();
        Ok((sheets, base))
    }

    /// The shared strings.
    fn shared(&mut self, part: &str) -> Result<Vec<String>, DatasetError> {
        let (mut texts, mut current) = (Vec::new(), Capture::default());
        self.events(part, MAX_SHARED, |event| {
            if let Event::End(tag) = &event
                && tag.local_name().as_ref() == "si"
            {
                texts.push(clean(&std::mem::take(&mut current.text)).into_owned());
            }
            current.take(&event);
            texts.len() <= limits::DATASET_CELLS
        })?;
        if texts.len() > limits::DATASET_CELLS {
            return Err(DatasetError::TooLarge);
        }
        Ok(texts)
    }

    /// For each style, whether it formats numbers as dates.
    fn date_styles(&mut self, part: &str) -> Result<Vec<bool>, DatasetError> {
        let (mut dates, mut own, mut inside) = (Vec::new(), HashMap::new(), false);
        self.events(part, MAX_SMALL, |event| {
            match &event {
                Event::Start(tag) => match tag.local_name().as_ref() {
                    "numFmt" => {
                        let code = attribute(tag, "formatCode").unwrap_or_default();
                        let id = attribute(tag, "numFmtId").unwrap_or_default();
                        own.insert(id, is_date_format(&code));
                    }
                    "cellXfs" => inside = true,
                    "xf" if inside => {
                        let id = attribute(tag, "numFmtId").unwrap_or_default();
                        let usual =
                            matches!(id.parse::<u32>(), Ok(14..=22 | 27..=36 | 45..=47 | 50..=58));
                        dates.push(own.get(&id).copied().unwrap_or(usual));
                    }
                    _ => {}
                },
                Event::End(tag) if tag.local_name().as_ref() == "cellXfs" => return false,
                _ => {}
            }
            true
        })?;
        Ok(dates)
    }

    fn sheet(
        &mut self,
        name: &str,
        part: &str,
        known: &Known,
        budget: &mut Budget,
    ) -> Result<Table, DatasetError> {
        let mut sheet = Sheet { headed: Headed::named(name), ..Sheet::default() };
        let most = self.left;
        self.events(part, most, |event| sheet.take(&event, known, budget))?;
        Ok(sheet.headed.finish(budget))
    }
}

/// A worksheet while it is being read.
#[derive(Default)]
struct Sheet {
    headed: Headed,
    row: Vec<Cow<'static, str>>,
    cell: Option<Cell>,
    next_column: usize,
    value: Capture,
}

struct Cell {
    column: usize,
    kind: String,
    style: usize,
}

impl Sheet {
    fn take(&mut self, event: &Event<'_>, known: &Known, budget: &mut Budget) -> bool {
        self.value.take(event);
        match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "row" => {
                    self.row.clear();
                    self.next_column = 0;
                }
                "c" if self.headed.is_full() => self.value.text.clear(),
                "c" => {
                    let place = attribute(tag, "r").and_then(|place| column_of(&place));
                    let column = place.unwrap_or(self.next_column);
                    let kind = attribute(tag, "t").unwrap_or_default();
                    let style = attribute(tag, "s").and_then(|s| s.parse().ok()).unwrap_or(0);
                    self.next_column = column.saturating_add(1);
                    self.value.text.clear();
                    self.cell = Some(Cell { column, kind, style });
                }
                _ => {}
            },
            Event::End(tag) => match tag.local_name().as_ref() {
                // In a row that is only counted, it only matters whether there are non-empty cells.
                "c" if self.headed.is_full() => {
                    let is_empty = self.value.text.is_empty();
                    self.set(0, Cow::Borrowed(if is_empty { "" } else { "more" }), budget);
                }
                "c" => {
                    let value = std::mem::take(&mut self.value.text);
                    if let Some(cell) = self.cell.take() {
                        self.set(cell.column, cell.value(&value, known), budget);
                    }
                }
                "row" => self.headed.push(&std::mem::take(&mut self.row), budget),
                "sheetData" => return false,
                _ => {}
            },
            _ => {}
        }
        true
    }

    fn set(&mut self, column: usize, value: Cow<'static, str>, budget: &mut Budget) {
        if value.is_empty() {
            return;
        }
        if column >= limits::DATASET_COLUMNS {
            budget.surplus_cells += 1;
            return;
        }
        if self.row.len() <= column {
            self.row.resize(column + 1, Cow::Borrowed(""));
        }
        self.row[column] = value;
    }
}

impl Cell {
    /// The value as text. For a formula, this is the value stored in the file.
    fn value(&self, raw: &str, known: &Known) -> Cow<'static, str> {
        let owned = |text: &str| Cow::Owned(clean(text).into_owned());
        match self.kind.as_str() {
            "s" => {
                let text = raw.trim().parse::<usize>().ok().and_then(|at| known.shared.get(at));
                Cow::Owned(text.cloned().unwrap_or_default())
            }
            "b" => Cow::Borrowed(if raw.trim() == "1" { "true" } else { "false" }),
            "" | "n" => match raw.trim().parse::<f64>() {
                Ok(number) if number.is_finite() && number.abs() < 1e15 => {
                    let is_date = known.dates.get(self.style) == Some(&true);
                    let date = is_date.then(|| date(number, known.base)).flatten();
                    Cow::Owned(date.unwrap_or_else(|| number.to_string()))
                }
                _ => owned(raw),
            },
            _ => owned(raw),
        }
    }
}

/// A date, with a time if there is one. Numbers below 1 are times of day.
fn date(number: f64, base: NaiveDate) -> Option<String> {
    if !(0.0..2_958_466.0).contains(&number) {
        return None;
    }
    // Rounds before dividing, because the last half second of a day belongs to the next day.
    let seconds = (number * 86_400.0).round() as u64;
    let (days, second) = (seconds / 86_400, (seconds % 86_400) as u32);
    let time = NaiveTime::from_num_seconds_from_midnight_opt(second, 0)?;
    if number < 1.0 && days == 0 {
        return Some(time.format("%H:%M:%S").to_string());
    }
    // Excel counts 29 February 1900, which did not exist.
    let early = u64::from(base.year() == 1899 && days < 60);
    let day = base.checked_add_days(Days::new(days + early))?;
    Some(if second == 0 { day.to_string() } else { format!("{day} {}", time.format("%H:%M:%S")) })
}

/// Whether a number format contains a part of a date outside quotes and brackets.
fn is_date_format(code: &str) -> bool {
    let (mut quoted, mut bracket, mut escaped) = (false, false, false);
    for c in code.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' | '_' | '*' => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => bracket = true,
            ']' => bracket = false,
            'd' | 'D' | 'y' | 'Y' | 'h' | 'H' | 'm' | 's' if !quoted && !bracket => return true,
            _ => {}
        }
    }
    false
}

/// The column index of a cell reference such as `AB12`.
fn column_of(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let column =
        letters.fold(0, |all, b| all * 26 + usize::from(b.to_ascii_uppercase() - b'A') + 1);
    column.checked_sub(1)
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    // A check for duplicates would compare each attribute with all previous ones.
    let mut attributes = tag.attributes();
    let mut all = attributes.with_checks(false).take(MAX_ATTRIBUTES).flatten();
    let found = all.find(|a| a.key.local_name().as_ref() == name)?;
    Some(found.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?.into_owned())
}

/// Captures the text of a value, in `v` or `t` elements, without phonetic readings.
#[derive(Default)]
struct Capture {
    text: String,
    inside: bool,
    pronunciation: bool,
}

impl Capture {
    fn takes_text(&self) -> bool {
        self.inside && self.text.len() < MAX_EVENT
    }

    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "v" | "t" => self.inside = !self.pronunciation,
                "rPh" => self.pronunciation = true,
                _ => {}
            },
            Event::End(tag) => match tag.local_name().as_ref() {
                "v" | "t" => self.inside = false,
                "rPh" => self.pronunciation = false,
                _ => {}
            },
            Event::Text(text) if self.takes_text() => self.text.push_str(&text.xml10_content()),
            Event::CData(text) if self.takes_text() => self.text.push_str(&text.xml10_content()),
            Event::GeneralRef(name) if self.takes_text() => self.text.extend(character(name)),
            _ => {}
        }
    }
}

fn character(name: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(found)) = name.resolve_char_ref() {
        return Some(found);
    }
    Some(match name.xml10_content().as_ref() {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

#[cfg(test)]
mod tests;

//! The marks of a machine as a file for other machines. Each line has a checksum, so that a partly
//! synchronised file loses only the missing part.
//!
//! ```text
//! newsfed marks 1 laptop
//! 5f0c2b1e {"source":"…","guid":"…","url":"…","mark":"read","on":true,"millis":…,"count":0,"machine":"…"}
//! ```
//!
//! The checksum is the CRC-32 of the JSON text in hexadecimal. Hashes are also hexadecimal.

use crate::model::{Effect, SharedMark, Stamp};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read};

/// The beginning of a file, before the version.
const HEAD: &str = "newsfed marks ";
const VERSION: u32 = 1;
/// Maximum length of a line, in bytes.
const LONGEST_LINE: u64 = 4096;
/// Times at or after this one are treated as damage: the year 10000, in milliseconds.
const LATEST: i64 = 253_402_300_800_000;

#[derive(Serialize, Deserialize)]
struct Line {
    source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guid: Option<String>,
    url: String,
    mark: String,
    on: bool,
    millis: i64,
    count: u32,
    machine: String,
}

/// Information about a mark file in addition to its marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkFile {
    /// The name of the machine that wrote it.
    pub name: Option<String>,
    /// Number of lines with a mark.
    pub lines: usize,
    /// Number of lines that cannot be read.
    pub damaged: usize,
    /// Number of bytes before the first unreadable line.
    pub undamaged: u64,
    /// Whether a newer version of newsfed wrote the file. In this case nothing else is read.
    pub newer: bool,
}

/// The first line of a file, including the line break.
pub fn head(name: &str) -> String {
    format!("{HEAD}{VERSION} {name}\n")
}

/// The line of a mark, including the line break.
pub fn line(mark: &SharedMark) -> String {
    let hash = |value: i64| format!("{value:016x}");
    let line = Line {
        source: hash(mark.source),
        guid: mark.guid.map(hash),
        url: hash(mark.url),
        mark: mark.mark.clone(),
        on: mark.on,
        millis: mark.stamp.millis,
        count: mark.stamp.count,
        machine: mark.stamp.machine.clone(),
    };
    // Serialising strings and numbers cannot fail.
    let json = serde_json::to_string(&line).unwrap_or_default();
    format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
}

/// Reads a file line by line, and passes each mark to `each`. Lines that are damaged or longer than 4096
/// bytes are counted.
///
/// # Errors
/// If the file cannot be read, or `each` fails.
pub fn read<E: From<io::Error>>(
    mut file: impl BufRead,
    mut each: impl FnMut(SharedMark) -> Result<(), E>,
) -> Result<MarkFile, E> {
    let mut about = MarkFile::default();
    let (mut line, mut is_first, mut bytes) = (Vec::new(), true, 0);
    loop {
        if about.damaged == 0 {
            about.undamaged = bytes;
        }
        line.clear();
        if file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(about);
        }
        bytes += line.len() as u64;
        let is_whole = line.ends_with(b"\n");
        if !is_whole && line.len() as u64 == LONGEST_LINE {
            skip_line(&mut file)?;
        }
        let text = std::str::from_utf8(&line).unwrap_or_default().trim_end();
        if let Some(version) = text.strip_prefix(HEAD).filter(|_| is_whole && is_first) {
            is_first = false;
            let (version, name) = version.split_once(' ').unwrap_or((version, ""));
            match version.parse::<u32>() {
                Ok(VERSION) => about.name = (!name.is_empty()).then(|| name.to_owned()),
                Ok(version) if version > VERSION => {
                    return Ok(MarkFile { newer: true, ..MarkFile::default() });
                }
                _ => about.damaged += 1,
            }
            continue;
        }
        is_first = false;
        match mark(text).filter(|_| is_whole) {
            Some(mark) => {
                about.lines += 1;
                each(mark)?;
            }
            None => about.damaged += 1,
        }
    }
}

fn skip_line(file: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = file.fill_buf()?;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (length, is_end) = (end.map_or(bytes.len(), |at| at + 1), end.is_some());
        file.consume(length);
        if is_end || length == 0 {
            return Ok(());
        }
    }
}

/// Parses the mark on a line; `None` if the line is damaged.
fn mark(text: &str) -> Option<SharedMark> {
    let (sum, json) = text.split_once(' ')?;
    if u32::from_str_radix(sum, 16).ok()? != crc32fast::hash(json.as_bytes()) {
        return None;
    }
    let line: Line = serde_json::from_str(json).ok()?;
    let hash = |text: &str| u64::from_str_radix(text, 16).ok().map(u64::cast_signed);
    let guid = match &line.guid {
        Some(guid) => Some(hash(guid)?),
        None => None,
    };
    let effect: Effect = line.mark.parse().ok()?;
    let is_mark = matches!(effect, Effect::Read | Effect::Pin | Effect::Later | Effect::Tag(_));
    let is_id = line.machine.len() == 16 && line.machine.bytes().all(|b| b.is_ascii_hexdigit());
    (is_mark && is_id && (0..LATEST).contains(&line.millis)).then_some(())?;
    let stamp = Stamp { millis: line.millis, count: line.count, machine: line.machine };
    let (source, url) = (hash(&line.source)?, hash(&line.url)?);
    Some(SharedMark { source, guid, url, mark: effect.to_string(), on: line.on, stamp })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(mark: &str) -> SharedMark {
        let machine = "0123456789abcdef".to_owned();
        let stamp = Stamp { millis: 1_800_000_000_000, count: 7, machine };
        SharedMark {
            source: -1,
            guid: Some(5),
            url: i64::MIN,
            mark: mark.to_owned(),
            on: true,
            stamp,
        }
    }

    fn read_all(text: &[u8]) -> (MarkFile, Vec<SharedMark>) {
        let mut marks = Vec::new();
        let about = read::<io::Error>(text, |mark| {
            marks.push(mark);
            Ok(())
        });
        (about.unwrap(), marks)
    }

    #[test]
    fn marks_survive_a_round_trip() {
        let marks = ["read", "pin", "later", "tag:日本 x\\y"].map(sample);
        let without = SharedMark { guid: None, on: false, ..sample("read") };
        let marks: Vec<SharedMark> = marks.into_iter().chain([without]).collect();
        let text = head("my laptop") + &marks.iter().map(line).collect::<String>();
        let (about, read) = read_all(text.as_bytes());
        assert_eq!(read, marks);
        assert_eq!((about.name.as_deref(), about.damaged), (Some("my laptop"), 0));
    }

    #[test]
    fn a_damaged_line_does_not_affect_others() {
        let (one, two) = (line(&sample("read")), line(&sample("pin")));
        for damage in [
            "garbage\n".to_owned(),
            one[..one.len() - 9].to_owned() + "\n",
            one.replace("\"on\":true", "\"on\":false"),
            "x".repeat(100_000) + "\n",
            line(&sample("hide")),
            line(&SharedMark { mark: "tag:".to_owned(), ..sample("read") }),
            line(&SharedMark {
                stamp: Stamp { millis: LATEST, ..sample("pin").stamp },
                ..sample("pin")
            }),
            line(&SharedMark {
                stamp: Stamp { machine: "../x".to_owned(), ..sample("pin").stamp },
                ..sample("pin")
            }),
            "<<<<<<< HEAD\n".to_owned(),
            head("twice"),
        ] {
            let text = head("a") + &one + &damage + &two;
            let (about, read) = read_all(text.as_bytes());
            assert_eq!((read.len(), about.damaged), (2, 1), "{damage:?}");
        }
        // In a file truncated at any position, all complete lines are read.
        let text = head("a") + &one + &two;
        for end in 0..text.len() {
            let (about, read) = read_all(&text.as_bytes()[..end]);
            let whole = text[..end].matches('\n').count().saturating_sub(1);
            assert_eq!(read.len(), whole);
            assert!(about.damaged <= 1);
        }
    }

    #[test]
    fn does_not_read_a_newer_format() {
        let text = "newsfed marks 2 b\n".to_owned() + &line(&sample("read"));
        let (about, read) = read_all(text.as_bytes());
        assert!(about.newer && read.is_empty());
    }
}

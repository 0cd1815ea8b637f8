//! OPML: read event by event, so that no depth and no size of it can exhaust the stack.
//!
//! Tolerant where the meaning is plain: attribute names in any case, bare `&`, unknown entities,
//! a body that is closed too early or never.

use super::import::{Entry, Gatherer, Import, ImportError, ImportKind, NO_COMMANDS, is_command};
use crate::util::text::line as clean;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Deepest nesting of outlines.
pub(crate) const DEEPEST: usize = 256;

/// Reads an OPML text.
pub(crate) fn read(text: &str, name: &str) -> Result<Import, ImportError> {
    let mut outlines = Outlines::default();
    let mut start = 0;
    for _ in 0..MOST_BREAKS {
        let Some((position, message)) = read_events(&text[start..], &mut outlines, name)? else {
            return outlines.finish(name);
        };
        let broken = start + position;
        let line = text.as_bytes()[..broken].iter().filter(|b| **b == b'\n').count() + 1;
        let next = text[broken..].match_indices('<').skip(1).map(|(i, _)| broken + i).find(|i| {
            let tag = text[*i..].trim_start_matches(['<', '/']);
            tag.get(..7).is_some_and(|t| t.eq_ignore_ascii_case("outline"))
        });
        outlines.broken(&text[broken..next.unwrap_or(text.len())], line, &message, next, name)?;
        let Some(next) = next else { return outlines.finish(name) };
        start = next;
    }
    outlines.gatherer.skip("the rest of the file", "too many broken places");
    outlines.cut = true;
    outlines.finish(name)
}

/// Broken places after which the rest is given up: each costs a poll through all that follows.
const MOST_BREAKS: usize = 100;

/// Reads to the end or to a place that is broken: its position and what the parser says.
fn read_events(
    text: &str,
    outlines: &mut Outlines,
    name: &str,
) -> Result<Option<(usize, String)>, ImportError> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => outlines.open(&tag, name)?,
            Ok(Event::Empty(tag)) => {
                outlines.open(&tag, name)?;
                outlines.close(tag.local_name().as_ref());
            }
            Ok(Event::End(tag)) => outlines.close(tag.local_name().as_ref()),
            Ok(Event::Eof) => return Ok(None),
            Ok(_) => {}
            Err(error) => {
                let position = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
                let mut end = position.min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                return Ok(Some((end, error.to_string())));
            }
        }
    }
}

#[derive(Default)]
struct Outlines {
    gatherer: Gatherer,
    has_root: bool,
    has_body: bool,
    root_open: bool,
    cut: bool,
    outlines: usize,
    /// Names of the open outlines; those with an address have none.
    open: Vec<Option<String>>,
}

impl Outlines {
    fn open(&mut self, tag: &BytesStart<'_>, name: &str) -> Result<(), ImportError> {
        let local = tag.local_name();
        let local: &str = local.as_ref();
        if !self.has_root {
            if !local.eq_ignore_ascii_case("opml") {
                return Err(not_opml(local, name));
            }
            self.has_root = true;
            self.root_open = true;
        } else if local.eq_ignore_ascii_case("body") {
            self.has_body = true;
        } else if local.eq_ignore_ascii_case("outline") {
            self.outline(tag);
            if self.open.len() > DEEPEST {
                return Err(ImportError::TooDeep { name: name.to_owned() });
            }
        }
        Ok(())
    }

    fn outline(&mut self, tag: &BytesStart<'_>) {
        self.outlines += 1;
        let outline = Outline::read(tag);
        let label = outline.text.clone().or_else(|| outline.title.clone());
        let Some(address) = &outline.address else {
            if outline.kind.as_deref().is_some_and(|k| k.eq_ignore_ascii_case("rss")) {
                let what = label.as_deref().unwrap_or("an outline without name");
                self.gatherer.skip(what, "a feed without address (xmlUrl)");
                self.open.push(None);
            } else {
                self.open.push(label);
            }
            return;
        };
        self.open.push(None);
        if is_command(address) || outline.command {
            self.gatherer.skip(address, NO_COMMANDS);
            return;
        }
        // A name that only repeats the address says nothing, unless it was meant as title.
        let repeats = outline.title.is_none() && label.as_deref() == Some(address.trim());
        let entry = Entry {
            address: address.clone(),
            title: label.filter(|_| !repeats),
            folder: self.open.iter().flatten().map(|n| n.trim().to_owned()).collect(),
            tags: outline.tags,
        };
        self.gatherer.add(&entry);
    }

    fn close(&mut self, local: &str) {
        if local.eq_ignore_ascii_case("outline") {
            self.open.pop();
        } else if local.eq_ignore_ascii_case("opml") {
            self.root_open = false;
        }
    }

    /// Takes what can be told of a broken outline; what was read before is kept in any case.
    fn broken(
        &mut self,
        outline: &str,
        line: usize,
        message: &str,
        next: Option<usize>,
        name: &str,
    ) -> Result<(), ImportError> {
        let message = clean(message);
        let address = salvage(outline, "xmlUrl");
        if let Some(address) = address.filter(|a| !is_command(a)) {
            let entry = Entry {
                address,
                title: salvage(outline, "text").or_else(|| salvage(outline, "title")),
                folder: self.open.iter().flatten().map(|n| n.trim().to_owned()).collect(),
                tags: Vec::new(),
            };
            self.gatherer.add(&entry);
            self.outlines += 1;
        } else if next.is_some() {
            self.gatherer.skip(&format!("the outline in line {line}"), &message);
        } else if self.gatherer.is_empty() {
            return Err(ImportError::Broken { name: name.to_owned(), line, message });
        } else {
            let why = format!("the file is broken there: {message}");
            self.gatherer.skip(&format!("everything after line {line}"), &why);
        }
        self.cut |= next.is_none();
        // A broken outline that closes itself opens nothing.
        if next.is_some() && !outline.trim_end().ends_with("/>") {
            self.open.push(None);
        }
        Ok(())
    }

    fn finish(mut self, name: &str) -> Result<Import, ImportError> {
        if !self.has_root {
            return Err(super::import::not_a_list(name, "XML without any element"));
        }
        if !self.has_body && self.outlines == 0 {
            return Err(ImportError::NoBody(name.to_owned()));
        }
        if self.root_open && !self.cut && !self.gatherer.is_empty() {
            self.gatherer.skip("the end of the file", "</opml> is missing; it may be cut short");
        }
        let hint = "no outline in it has an address (xmlUrl)";
        self.gatherer.finish(ImportKind::Opml, name, hint)
    }
}

fn not_opml(root: &str, name: &str) -> ImportError {
    let hint = match root.to_ascii_lowercase().as_str() {
        "rss" | "feed" | "rdf" => "; that is a feed, follow its address with `newsfed add`",
        "html" | "head" | "body" => "; that is a web page, follow its address with `newsfed add`",
        _ => "",
    };
    ImportError::NotOpml { name: name.to_owned(), root: clean(root), hint }
}

/// The attributes of an outline that matter.
#[derive(Default)]
struct Outline {
    text: Option<String>,
    title: Option<String>,
    address: Option<String>,
    kind: Option<String>,
    tags: Vec<String>,
    /// Whether newsboat would pipe the feed through a command.
    command: bool,
}

impl Outline {
    fn read(tag: &BytesStart<'_>) -> Self {
        let mut outline = Self::default();
        for attribute in tag.html_attributes().with_checks(false).flatten() {
            let value = unescape(&attribute.value);
            let filled = Some(value.clone()).filter(|v| !clean(v).is_empty());
            let key: &str = attribute.key.as_ref();
            match key.to_ascii_lowercase().as_str() {
                "text" => outline.text = filled,
                "title" => outline.title = filled,
                // An empty one is kept: it was meant to be a feed.
                "xmlurl" => outline.address = Some(value),
                "type" => outline.kind = filled,
                "filtercmd" => outline.command = filled.is_some(),
                "category" => {
                    let tags = value.split(',').map(|t| clean(t.trim().trim_start_matches('/')));
                    outline.tags = tags.filter(|t| !t.is_empty()).collect();
                }
                _ => {}
            }
        }
        outline
    }
}

/// The value of an attribute in a tag that is otherwise beyond reading.
fn salvage(tag: &str, name: &str) -> Option<String> {
    let start = format!(" {name}=\"");
    let value = tag.split_once(&start)?.1;
    let value = unescape(value.split_once('"')?.0);
    (!clean(&value).is_empty()).then_some(value)
}

/// Longest reference between `&` and `;`.
const LONGEST_REFERENCE: usize = 12;

/// The text of an attribute. What is no reference that XML knows stays as it is.
fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(start) = rest.find('&') {
        text.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        let end = after.bytes().take(LONGEST_REFERENCE).position(|b| b == b';');
        match end.and_then(|end| Some((end, referred(&after[..end])?))) {
            Some((end, c)) => {
                text.push(c);
                rest = &after[end + 1..];
            }
            None => {
                text.push('&');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

fn referred(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

//! OPML, parsed event by event, so that deep nesting cannot exhaust the stack.
//!
//! Tolerates errors with a clear meaning: attribute names in any case, bare `&`, unknown entities,
//! a body that is closed too early or not at all.

use super::import::{Entry, Gatherer, Import, ImportError, ImportKind, is_command, no_commands};
use super::opml_settings::{self, Attribute};
use crate::util::limits;
use crate::util::text::line as clean;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Maximum nesting of outlines.
pub(crate) const MAX_DEPTH: usize = 256;

pub(crate) fn read(text: &str, name: &str) -> Result<Import, ImportError> {
    let mut outlines = Outlines::default();
    let mut start = 0;
    for _ in 0..MAX_ERRORS {
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
    outlines.gatherer.skip("the rest of the file", "too many errors");
    outlines.cut = true;
    outlines.gatherer.is_damaged = true;
    outlines.finish(name)
}

/// Maximum number of errors: each costs a scan of the rest of the file.
const MAX_ERRORS: usize = 100;

/// Parses until the end or an error. Returns the error's position and the parser's message.
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
            Ok(Event::Text(text)) if outlines.in_title => outlines.take_title(&text),
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
    has_outlines: bool,
    /// Names of the open outlines; `None` for an outline with a URL.
    open: Vec<Option<String>>,
    /// The prefix of newsfed's namespace, such as `newsfed:`.
    prefix: Option<String>,
    /// Whether the parser is inside the title of the list.
    in_title: bool,
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
            each_attribute(tag, |key, value| {
                self.prefix = self.prefix.take().or_else(|| opml_settings::prefix_of(key, &value));
            });
        } else if local.eq_ignore_ascii_case("body") {
            self.has_body = true;
        } else if local.eq_ignore_ascii_case("title") {
            self.in_title = !self.has_body && self.gatherer.title.is_none();
        } else if local.eq_ignore_ascii_case("outline") {
            self.outline(tag);
            if self.open.len() > MAX_DEPTH {
                return Err(ImportError::TooDeep { name: name.to_owned() });
            }
        } else if local == "view" && !self.has_body && self.is_ours(tag) {
            let mut attributes = Vec::new();
            each_attribute(tag, |key, value| {
                if attributes.len() < limits::TAG_ATTRIBUTES {
                    attributes.push((key.to_owned(), value));
                }
            });
            self.gatherer.view(&attributes);
        }
        Ok(())
    }

    fn is_ours(&self, tag: &BytesStart<'_>) -> bool {
        let name = tag.name();
        let name: &str = name.as_ref();
        self.prefix.as_ref().is_some_and(|prefix| name.starts_with(prefix.as_str()))
    }

    fn outline(&mut self, tag: &BytesStart<'_>) {
        self.has_outlines = true;
        let outline = Outline::read(tag, self.prefix.as_deref());
        let label = outline.text.clone().or_else(|| outline.title.clone());
        let Some(address) = &outline.address else {
            if outline.kind.as_deref().is_some_and(|k| k.eq_ignore_ascii_case("rss")) {
                let what = label.as_deref().unwrap_or("an outline without a name");
                self.gatherer.skip(what, "a feed without a URL (xmlUrl)");
                self.open.push(None);
            } else {
                self.open.push(label);
            }
            return;
        };
        self.open.push(None);
        if is_command(address) || outline.command {
            self.gatherer.skip(address, no_commands(address));
            return;
        }
        if outline.more_tags {
            let why = format!("only its first {} categories were read", limits::ENTRY_LIST);
            self.gatherer.skip(address, &why);
        }
        // A name that only repeats the URL is not a title, unless it comes from `title`.
        let repeats = outline.title.is_none() && label.as_deref() == Some(address.trim());
        let entry = Entry {
            address: address.clone(),
            title: label.filter(|_| !repeats && !outline.is_untitled),
            folder: self.open.iter().flatten().map(|n| n.trim().to_owned()).collect(),
            tags: outline.tags,
            settings: outline.settings,
        };
        self.gatherer.add(&entry);
    }

    fn take_title(&mut self, text: &str) {
        self.gatherer.title = Some(clean(&unescape(text))).filter(|title| !title.is_empty());
        self.in_title = false;
    }

    fn close(&mut self, local: &str) {
        self.in_title = false;
        if local.eq_ignore_ascii_case("outline") {
            self.open.pop();
        } else if local.eq_ignore_ascii_case("opml") {
            self.root_open = false;
        }
    }

    /// Salvages a broken outline. Everything before it is kept.
    fn broken(
        &mut self,
        outline: &str,
        line: usize,
        message: &str,
        next: Option<usize>,
        name: &str,
    ) -> Result<(), ImportError> {
        self.gatherer.is_damaged = true;
        let message = clean(message);
        let address = salvage(outline, "xmlUrl");
        if let Some(address) = address.filter(|a| !is_command(a)) {
            let entry = Entry {
                address,
                title: salvage(outline, "text").or_else(|| salvage(outline, "title")),
                folder: self.open.iter().flatten().map(|n| n.trim().to_owned()).collect(),
                ..Entry::default()
            };
            self.gatherer.add(&entry);
            self.has_outlines = true;
        } else if next.is_some() {
            self.gatherer.skip(&format!("the outline on line {line}"), &message);
        } else if self.gatherer.is_empty() {
            return Err(ImportError::Broken { name: name.to_owned(), line, message });
        } else {
            let why = format!("the file is damaged at this point: {message}");
            self.gatherer.skip(&format!("everything after line {line}"), &why);
        }
        self.cut |= next.is_none();
        // A broken self-closing outline does not open a level.
        if next.is_some() && !outline.trim_end().ends_with("/>") {
            self.open.push(None);
        }
        Ok(())
    }

    fn finish(mut self, name: &str) -> Result<Import, ImportError> {
        if !self.has_root {
            return Err(super::import::not_a_list(name, "XML without elements"));
        }
        if !self.has_body && !self.has_outlines {
            return Err(ImportError::NoBody(name.to_owned()));
        }
        self.gatherer.is_damaged |= self.root_open;
        if self.root_open && !self.cut && !self.gatherer.is_empty() {
            self.gatherer
                .skip("the end of the file", "</opml> is missing; the file may be truncated");
        }
        let hint = "no outline has a URL (xmlUrl)";
        self.gatherer.finish(ImportKind::Opml, name, hint)
    }
}

fn not_opml(root: &str, name: &str) -> ImportError {
    let hint = match root.to_ascii_lowercase().as_str() {
        "rss" | "feed" | "rdf" => "; this is a feed: follow its URL with `newsfed add`",
        "html" | "head" | "body" => "; this is a web page: follow its URL with `newsfed add`",
        _ => "",
    };
    ImportError::NotOpml { name: name.to_owned(), root: clean(root), hint }
}

/// The attributes of an outline that are used.
#[derive(Default)]
struct Outline {
    text: Option<String>,
    title: Option<String>,
    address: Option<String>,
    kind: Option<String>,
    /// The first categories, and whether there are more.
    tags: Vec<String>,
    more_tags: bool,
    /// Whether newsboat would run a command for the feed.
    command: bool,
    /// The settings that newsfed has exported.
    settings: Vec<Attribute>,
    /// Whether the title is the feed's own, not the user's.
    is_untitled: bool,
}

/// Calls a function with the name, as written, and the value of each attribute.
fn each_attribute(tag: &BytesStart<'_>, mut take: impl FnMut(&str, String)) {
    for attribute in tag.html_attributes().with_checks(false).flatten() {
        take(attribute.key.as_ref(), unescape(&attribute.value));
    }
}

impl Outline {
    fn read(tag: &BytesStart<'_>, prefix: Option<&str>) -> Self {
        let mut outline = Self::default();
        // The URL of a source that other readers cannot follow.
        let mut link = None;
        each_attribute(tag, |key, value| {
            if let Some(setting) = prefix.and_then(|prefix| key.strip_prefix(prefix)) {
                if setting == opml_settings::OWN_TITLE {
                    outline.is_untitled = value == "false";
                } else if outline.settings.len() < limits::TAG_ATTRIBUTES {
                    outline.settings.push((setting.to_owned(), value));
                }
                return;
            }
            let filled = Some(value.clone()).filter(|v| !clean(v).is_empty());
            match key.to_ascii_lowercase().as_str() {
                "text" => outline.text = filled,
                "title" => outline.title = filled,
                // An empty URL is kept, because the outline is intended to be a feed.
                "xmlurl" => outline.address = Some(value),
                "url" => link = filled,
                "type" => outline.kind = filled,
                "filtercmd" => outline.command = filled.is_some(),
                "category" => {
                    let tags = value.split(',').map(|t| {
                        let tag = t.trim();
                        clean(tag.strip_prefix('/').unwrap_or(tag))
                    });
                    let mut tags = tags.filter(|t| !t.is_empty());
                    outline.tags = tags.by_ref().take(limits::ENTRY_LIST).collect();
                    outline.more_tags = tags.next().is_some();
                }
                _ => {}
            }
        });
        if outline.address.is_none() && outline.settings.iter().any(|(key, _)| key == "kind") {
            outline.address = link;
        }
        outline
    }
}

/// The value of an attribute in a malformed tag.
fn salvage(tag: &str, name: &str) -> Option<String> {
    let start = format!(" {name}=\"");
    let value = tag.split_once(&start)?.1;
    let value = unescape(value.split_once('"')?.0);
    (!clean(&value).is_empty()).then_some(value)
}

/// Maximum length of a reference between `&` and `;`.
const MAX_REFERENCE_BYTES: usize = 12;

/// The text of an attribute. Unknown references are kept unchanged.
fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(start) = rest.find('&') {
        text.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        let end = after.bytes().take(MAX_REFERENCE_BYTES).position(|b| b == b';');
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

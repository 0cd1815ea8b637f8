//! Lists of sources from other readers: OPML, a newsboat `urls` file, or plain addresses.

use super::ids::unique_id;
use super::quote::quote;
use super::settings::ViewSettings;
use super::source_settings::{MAX_FOLDER_DEPTH, folder, tag};
use super::sources::address;
use super::{newsboat, opml};
use crate::model::Source;
use crate::util::text::line as clean;
use encoding_rs::Encoding;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest list read, in bytes.
pub(crate) const LARGEST_IMPORT: usize = 64 * 1024 * 1024;

/// What kind of list it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportKind {
    /// OPML of any version.
    Opml,
    /// newsboat's `urls` file.
    Newsboat,
    /// One address a line.
    Addresses,
}

/// What a list holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// What kind of list it was.
    pub kind: ImportKind,
    /// The sources, each address once, with identifiers that are unique among them.
    pub sources: Vec<Source>,
    /// Queries of newsboat as saved searches.
    pub views: Vec<ViewSettings>,
    /// What was left out, and why.
    pub skipped: Vec<(String, String)>,
}

/// Why nothing can be taken from a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Nothing in it.
    #[error("{0} is empty")]
    Empty(String),
    /// Too large to be a list.
    #[error("{0} is larger than {limit} MiB; is this the right file?", limit = LARGEST_IMPORT >> 20)]
    TooLarge(String),
    /// Not text.
    #[error(
        "{name} is {found}, not a list of addresses; give an OPML file, a newsboat urls file or a text with one address a line"
    )]
    NotAList {
        /// The file.
        name: String,
        /// What it looks like.
        found: String,
    },
    /// XML whose root is another.
    #[error("{name} is no OPML: its root is <{root}>, expected <opml>{hint}")]
    NotOpml {
        /// The file.
        name: String,
        /// Name of the root.
        root: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// OPML without what matters.
    #[error("{0} is OPML without a <body>, so it lists nothing")]
    NoBody(String),
    /// OPML or text in which no feed is listed.
    #[error("{0} lists no feed: {1}")]
    NoFeeds(String, &'static str),
    /// Nested beyond sense.
    #[error("{name} nests outlines more than {limit} deep, which no list of feeds does", limit = opml::DEEPEST)]
    TooDeep {
        /// The file.
        name: String,
    },
    /// XML that breaks before the first feed.
    #[error("{name} is broken in line {line}, before any feed: {message}")]
    Broken {
        /// The file.
        name: String,
        /// Line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
}

/// Reads a file to be imported, or the standard input for `-`; never more than can be a list.
///
/// # Errors
/// In words: when it is no file or cannot be read.
pub fn read_import(path: &Path) -> Result<Vec<u8>, String> {
    let most = LARGEST_IMPORT as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|f| f.take(most).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(e) => Err(format!("{} cannot be read: {e}", clean(&path.display().to_string()))),
    }
}

/// Reads a list of sources; its kind is told by its content. `name` is its name in messages.
///
/// # Errors
/// When it is no list, or nothing can be taken from it. Single faulty entries are skipped.
pub fn import(bytes: &[u8], name: &str) -> Result<Import, ImportError> {
    let name = clean(name);
    if bytes.len() > LARGEST_IMPORT {
        return Err(ImportError::TooLarge(name));
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(not_a_list(&name, "packed with gzip"));
    }
    let text = decode(bytes);
    let start = text.trim_start();
    if start.is_empty() {
        return Err(ImportError::Empty(name));
    }
    if start.contains('\0') {
        return Err(not_a_list(&name, "not text"));
    }
    if start.starts_with(['{', '[']) {
        return Err(not_a_list(&name, "JSON"));
    }
    if start.starts_with('<') { opml::read(&text, &name) } else { newsboat::read(&text, &name) }
}

pub(crate) fn not_a_list(name: &str, found: &str) -> ImportError {
    ImportError::NotAList { name: name.to_owned(), found: found.to_owned() }
}

/// The text of the bytes: mark at the start, else UTF-8 where it is, else what the declaration
/// says, else what it looks like. Bytes that fit nowhere become replacement characters.
fn decode(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    let declared = declared_encoding(bytes);
    let fits = declared.is_none_or(Encoding::is_ascii_compatible);
    if let (true, Ok(text)) = (fits, std::str::from_utf8(bytes)) {
        return text.to_owned();
    }
    let encoding = declared.unwrap_or_else(|| {
        let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
        detector.feed(bytes, true);
        detector.guess(None, chardetng::Utf8Detection::Allow)
    });
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

/// The encoding that an XML declaration names. UTF-16 cannot be declared in single bytes.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(bytes.get(..256.min(bytes.len()))?).into_owned();
    let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let value = declaration.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let mark = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let encoding = Encoding::for_label(value[1..].split(mark).next()?.as_bytes())?;
    let wide = encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE;
    (!wide && encoding != encoding_rs::UTF_8).then_some(encoding)
}

/// One entry of a list, as found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) address: String,
    pub(crate) title: Option<String>,
    /// Levels from the top.
    pub(crate) folder: Vec<String>,
    pub(crate) tags: Vec<String>,
}

/// Gathers entries into sources: each address once, everything cleaned and checked.
#[derive(Default)]
pub(crate) struct Gatherer {
    sources: Vec<Source>,
    views: Vec<ViewSettings>,
    skipped: Vec<(String, String)>,
    ids: HashSet<String>,
    /// Address -> times seen.
    seen: HashMap<String, usize>,
}

impl Gatherer {
    pub(crate) fn add(&mut self, entry: &Entry) {
        let (url, auth) = match address(&entry.address) {
            Ok(read) => read,
            Err(why) => return self.skip(&entry.address, &why),
        };
        let times = self.seen.entry(url.to_string()).or_default();
        *times += 1;
        if *times > 1 {
            return;
        }
        let mut source = Source::feed(unique_id(&url, &mut self.ids), url);
        source.access.auth = auth;
        source.title = entry.title.as_deref().map(clean).filter(|t| !t.is_empty());
        let levels =
            entry.folder.iter().flat_map(|f| f.split('/')).filter(|l| !clean(l).is_empty());
        let levels: Vec<_> = levels.take(MAX_FOLDER_DEPTH).collect();
        source.folder = folder(&levels.join("/")).ok();
        for text in entry.tags.iter().filter_map(|t| tag(t).ok()) {
            if !source.tags.contains(&text) {
                source.tags.push(text);
            }
        }
        self.sources.push(source);
    }

    pub(crate) fn skip(&mut self, what: &str, why: &str) {
        let what = clean(&super::quote::without_secrets(what));
        self.skipped.push((what.chars().take(200).collect(), why.to_owned()));
    }

    /// Takes a query feed, as `query:Name:expression`.
    pub(crate) fn query(&mut self, feed: &str) {
        let (name, expression) =
            feed.trim_start_matches("query:").split_once(':').unwrap_or((feed, ""));
        let name = clean(name);
        match crate::query::from_newsboat(expression) {
            _ if name.is_empty() => self.skip(feed, "a query without a name"),
            Ok(query) => self.views.push(ViewSettings { name, query: query.to_string() }),
            Err(e) => self.skip(feed, &format!("a query that is no search: {e}")),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.views.is_empty()
    }

    /// The import, unless there is nothing to tell in it.
    pub(crate) fn finish(
        mut self,
        kind: ImportKind,
        name: &str,
        hint: &'static str,
    ) -> Result<Import, ImportError> {
        if self.is_empty() && self.skipped.is_empty() {
            return Err(ImportError::NoFeeds(name.to_owned(), hint));
        }
        for source in &self.sources {
            let times = self.seen.get(source.url.as_str()).copied().unwrap_or(1);
            if times > 1 {
                let why = format!("listed {times} times; taken once");
                self.skipped.push((source.url.to_string(), why));
            }
        }
        Ok(Import { kind, sources: self.sources, views: self.views, skipped: self.skipped })
    }
}

/// Why a line or outline that runs a command is left out.
pub(crate) const NO_COMMANDS: &str = "newsfed does not run commands of an imported list";

/// Whether an address is a command of newsboat in disguise.
pub(crate) fn is_command(address: &str) -> bool {
    let start = address.trim_start();
    start.starts_with('|')
        || ["exec:", "filter:"]
            .iter()
            .any(|p| start.get(..p.len()).is_some_and(|s| s.eq_ignore_ascii_case(p)))
}

/// A line that is no address, in words.
pub(crate) fn not_an_address(line: &str) -> String {
    format!("{} is no address", quote(line))
}

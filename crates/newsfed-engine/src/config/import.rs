//! Lists of sources from other readers: OPML, newsboat's `urls` file, or plain URLs.

use super::ids::unique_id;
use super::opml_settings::{self, Attribute, Configured};
use super::quote::quote;
use super::settings::{ListLayout, ViewSettings};
use super::source_settings::{MAX_FOLDER_DEPTH, folder, tag};
use super::sources::address;
use super::{newsboat, opml};
use crate::model::{Source, SourceId};
use crate::util::address::is_private_host;
use crate::util::file_error::cannot_read;
use crate::util::limits;
use crate::util::login::without_secrets;
use crate::util::text::{counted_as, line as clean};
use encoding_rs::Encoding;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The format of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportKind {
    /// OPML of any version.
    Opml,
    /// newsboat's `urls` file.
    Newsboat,
    /// One URL per line.
    Urls,
}

/// The content of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    pub kind: ImportKind,
    /// The list's own title.
    pub title: Option<String>,
    /// The sources, with each URL only once and unique identifiers.
    pub sources: Vec<Source>,
    /// newsboat's queries as views.
    pub views: Vec<ViewSettings>,
    /// Skipped entries, and why.
    pub skipped: Vec<(String, String)>,
    /// How many of `skipped` are settings of sources that are imported.
    pub settings_skipped: usize,
    /// Whether a part of the list could not be read.
    pub is_damaged: bool,
    /// Number of sources beyond the limit of an import.
    pub left_out: usize,
}

impl Import {
    /// Whether a source is or may be at a private address, or is fetched through a proxy. Names are not
    /// resolved: without `private = true`, requests only go to public addresses.
    pub fn is_private(source: &Source) -> bool {
        is_private_host(&source.url) || source.private || source.access.proxy.is_some()
    }

    /// The URLs in the list that the user already follows.
    pub fn known<'a>(&self, followed: impl IntoIterator<Item = &'a Source>) -> HashSet<String> {
        let own = followed.into_iter().filter(|source| source.account.is_none());
        let followed: HashSet<&str> = own.map(|source| source.url.as_str()).collect();
        let urls = self.sources.iter().map(|source| source.url.as_str());
        urls.filter(|url| followed.contains(url)).map(str::to_owned).collect()
    }

    /// The sources at private addresses, or with a proxy, whose URLs are not `known`.
    pub fn private<'a>(
        &'a self,
        known: &'a HashSet<String>,
    ) -> impl Iterator<Item = &'a Source> + 'a {
        let is_new = |s: &&Source| Self::is_private(s) && !known.contains(s.url.as_str());
        self.sources.iter().filter(is_new)
    }

    /// Skips the sources at private addresses, because the user has not typed their URLs. Sources whose URLs
    /// are `known` are kept. `how` explains how to import the skipped ones.
    pub fn skip_private(&mut self, known: &HashSet<String>, how: &str) {
        for source in std::mem::take(&mut self.sources) {
            if known.contains(source.url.as_str()) {
                self.sources.push(source);
                continue;
            }
            let what = match &source.access.proxy {
                _ if is_private_host(&source.url) => "a private address",
                Some(_) => "fetched through a proxy",
                None if source.private => "may be at a private address",
                None => {
                    self.sources.push(source);
                    continue;
                }
            };
            self.skipped.push((source.url.to_string(), format!("{what}; {how}")));
        }
    }
}

/// Why a list cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    #[error("{0} is empty")]
    Empty(String),
    #[error("{0} is larger than {limit} MiB; is this the right file?", limit = limits::IMPORT_BYTES >> 20)]
    TooLarge(String),
    /// newsfed's own `sources.toml`.
    #[error(
        "{0} is newsfed's own list: put it into the configuration folder as sources.toml, or import what `newsfed export` writes"
    )]
    Own(String),
    /// Not text.
    #[error(
        "{name} is {found}, not a list of URLs; give an OPML file, newsboat's urls file or a text file with one URL per line"
    )]
    NotAList {
        name: String,
        /// What the file is instead.
        found: String,
    },
    /// XML with another root element.
    #[error("{name} is not OPML: its root is <{root}>, expected <opml>{hint}")]
    NotOpml {
        name: String,
        /// The root element.
        root: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// OPML without a body.
    #[error("{0} has no <body>, so it lists nothing")]
    NoBody(String),
    /// A list to follow that is not OPML.
    #[error(
        "{0} is not OPML, and only OPML lists can be followed; `newsfed import` reads other lists once"
    )]
    NotFollowed(String),
    /// A list without feeds.
    #[error("{0} lists no feeds: {1}")]
    NoFeeds(String, &'static str),
    /// A list to follow from which nothing can be imported, and one of the reasons.
    #[error("{name} lists nothing that can be imported; {url} was skipped: {why}")]
    NoneTaken { name: String, url: String, why: String },
    #[error("{name} nests outlines more than {limit} levels deep", limit = opml::MAX_DEPTH)]
    TooDeep { name: String },
    /// XML with an error before the first feed.
    #[error("{name} has an error on line {line}, before the first feed: {message}")]
    Broken {
        name: String,
        /// The line, 1-based.
        line: usize,
        /// The parser's message.
        message: String,
    },
}

/// Reads a file to import, or standard input for `-`, up to the maximum size.
///
/// # Errors
/// Returns a message if the path is not a file or cannot be read.
pub fn read_import(path: &Path) -> Result<Vec<u8>, String> {
    let most = limits::IMPORT_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|f| f.take(most).read_to_end(&mut bytes))
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(e) => Err(cannot_read(path, &e)),
    }
}

/// Parses a list of sources. The content determines the format. `name` is used in messages.
///
/// # Errors
/// When it is not a list, or is empty. Individual invalid entries are skipped.
pub fn import(bytes: &[u8], name: &str) -> Result<Import, ImportError> {
    let name = clean(name);
    if bytes.len() > limits::IMPORT_BYTES {
        return Err(ImportError::TooLarge(name));
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(not_a_list(&name, "compressed with gzip"));
    }
    // Services send their exports as ZIP archives.
    if bytes.starts_with(b"PK\x03\x04") {
        return Err(not_a_list(&name, "a ZIP archive that must be unpacked first"));
    }
    let text = decode(bytes);
    let start = text.trim_start();
    if start.is_empty() {
        return Err(ImportError::Empty(name));
    }
    if start.contains('\0') {
        return Err(not_a_list(&name, "not text"));
    }
    if text.lines().any(|line| line.trim() == "[[source]]") {
        return Err(ImportError::Own(name));
    }
    if start.starts_with(['{', '[']) {
        return Err(not_a_list(&name, "JSON"));
    }
    if start.starts_with('<') { opml::read(&text, &name) } else { newsboat::read(&text, &name) }
}

pub(crate) fn not_a_list(name: &str, found: &str) -> ImportError {
    ImportError::NotAList { name: name.to_owned(), found: found.to_owned() }
}

/// Decodes the bytes: by a byte order mark, as UTF-8 if valid, by the declaration, or by detection.
/// Invalid bytes become replacement characters.
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

/// The encoding named in an XML declaration. UTF-16 is ignored, because a declaration that can be read as
/// single bytes is not UTF-16.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(bytes.get(..256.min(bytes.len()))?).into_owned();
    let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let value = declaration.split("encoding").nth(1)?.trim_start().strip_prefix('=')?.trim_start();
    let mark = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let encoding = Encoding::for_label(value[1..].split(mark).next()?.as_bytes())?;
    let wide = encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE;
    (!wide && encoding != encoding_rs::UTF_8).then_some(encoding)
}

/// One entry of a list, unchecked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) address: String,
    pub(crate) title: Option<String>,
    /// The names of the nested folders, outermost first.
    pub(crate) folder: Vec<String>,
    pub(crate) tags: Vec<String>,
    /// Settings that newsfed has exported.
    pub(crate) settings: Vec<Attribute>,
}

/// Converts entries to sources, with each URL only once and every field cleaned and checked.
#[derive(Default)]
pub(crate) struct Gatherer {
    pub(crate) title: Option<String>,
    sources: Vec<Source>,
    views: Vec<ViewSettings>,
    skipped: Vec<(String, String)>,
    settings_skipped: usize,
    ids: HashSet<String>,
    /// How often each URL occurs.
    seen: HashMap<String, usize>,
    /// Sources beyond [`limits::IMPORT_SOURCES`], and skipped entries beyond [`MAX_SKIPPED`].
    left_out: usize,
    unlisted: usize,
    /// Whether a part of the list could not be read.
    pub(crate) is_damaged: bool,
}

/// Maximum number of skipped entries that are listed.
const MAX_SKIPPED: usize = 1000;

impl Gatherer {
    pub(crate) fn add(&mut self, entry: &Entry) {
        if self.sources.len() >= limits::IMPORT_SOURCES {
            self.left_out += 1;
            return;
        }
        let (url, auth) = match address(&entry.address) {
            Ok(read) => read,
            Err(why) => return self.skip(&entry.address, &why),
        };
        let times = self.seen.entry(url.to_string()).or_default();
        *times += 1;
        if *times > 1 {
            return;
        }
        let mut source = Source::feed(SourceId(String::new()), url);
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
        if !entry.settings.is_empty() {
            match opml_settings::configure(source, &entry.settings) {
                Ok(Configured { source: configured, left_out }) => {
                    source = configured;
                    for (key, why) in left_out {
                        self.skip_setting(&format!("{key} of {}", source.url), &clean(&why));
                    }
                }
                Err(why) => return self.skip(&entry.address, &clean(&why)),
            }
        }
        if source.id.0.is_empty() || !self.ids.insert(source.id.0.clone()) {
            source.id = unique_id(&source.url, &mut self.ids);
        }
        self.sources.push(source);
    }

    /// Adds a view with these settings.
    pub(crate) fn view(&mut self, attributes: &[Attribute]) {
        let name = attributes.iter().find(|(key, _)| key == "name").map_or("", |(_, name)| name);
        match opml_settings::view(attributes) {
            _ if self.views.len() >= limits::IMPORT_SOURCES => self.left_out += 1,
            Ok(view) => self.views.push(view),
            Err(why) => self.skip(&format!("the view {}", quote(name)), &clean(&why)),
        }
    }

    /// Skips a setting of a source that is imported.
    pub(crate) fn skip_setting(&mut self, what: &str, why: &str) {
        let before = self.skipped.len();
        self.skip(what, why);
        self.settings_skipped += self.skipped.len() - before;
    }

    pub(crate) fn skip(&mut self, what: &str, why: &str) {
        if self.skipped.len() >= MAX_SKIPPED {
            self.unlisted += 1;
            return;
        }
        let what = clean(&without_secrets(what));
        self.skipped.push((what.chars().take(200).collect(), why.to_owned()));
    }

    /// Adds a query feed, `query:Name:expression`.
    pub(crate) fn query(&mut self, feed: &str) {
        let (name, expression) =
            feed.trim_start_matches("query:").split_once(':').unwrap_or((feed, ""));
        let name = clean(name);
        match crate::query::from_newsboat(expression) {
            _ if name.is_empty() => self.skip(feed, "a query without a name"),
            Ok(query) => self.views.push(ViewSettings {
                name,
                query: query.to_string(),
                layout: ListLayout::default(),
            }),
            Err(e) => self.skip(feed, &format!("a query that cannot be converted: {e}")),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.views.is_empty()
    }

    /// The import, unless it is empty.
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
                let why = format!("listed {times} times; imported once, as first listed");
                self.skipped.push((source.url.to_string(), why));
            }
        }
        if self.unlisted > 0 {
            let what = more(self.unlisted);
            self.skipped.push((what, "too many to list".to_owned()));
        }
        if self.left_out > 0 {
            let why = format!(
                "a list can have at most {} sources; split the file",
                limits::IMPORT_SOURCES
            );
            self.skipped.push((more(self.left_out), why));
        }
        let Self { title, sources, views, skipped, settings_skipped, is_damaged, left_out, .. } =
            self;
        Ok(Import { kind, title, sources, views, skipped, settings_skipped, is_damaged, left_out })
    }
}

/// Why a line or outline that runs a command is skipped.
pub(crate) fn no_commands(address: &str) -> &'static str {
    match starts_with(address.trim_start(), "filter:") {
        true => {
            "newsfed does not run the commands of an imported list; add the source with `newsfed add --filter`"
        }
        false => {
            "newsfed does not run the commands of an imported list; add the source with `newsfed add --exec`"
        }
    }
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|s| s.eq_ignore_ascii_case(start))
}

/// Whether a URL is in fact a command for newsboat.
pub(crate) fn is_command(address: &str) -> bool {
    let start = address.trim_start();
    start.starts_with('|') || ["exec:", "filter:"].iter().any(|scheme| starts_with(start, scheme))
}

/// The message for a line that is not a URL.
pub(crate) fn not_an_address(line: &str) -> String {
    format!("{} is not a URL", quote(line))
}

/// Describes a number of further entries.
fn more(entries: usize) -> String {
    counted_as(entries, "more entry", "more entries")
}

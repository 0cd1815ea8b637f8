//! Reads the databases of other readers. Each is copied first, so that the original is not even locked.

use super::foreign_related::Related;
use crate::model::{ForeignItem, ForeignKind, ForeignText, Time};
use crate::util::scratch::private_folder;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Maximum size of a database, in bytes.
const MAX_BYTES: u64 = 8 << 30;
/// Maximum number of items that are read.
const MAX_ITEMS: u64 = 1_000_000;
/// Maximum size of a text, in bytes; longer texts are left out.
const MAX_TEXT: usize = 4 << 20;

/// Why the items of a database cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    #[error("cannot read {}: {why}", path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error("{} is larger than {limit} GiB; is this the right file?", .0.display(), limit = MAX_BYTES >> 30)]
    TooLarge(PathBuf),
    #[error(
        "{} is a database, but not one of newsboat, newsraft, eilmeldung or NewsFlash", .0.display()
    )]
    Unknown(PathBuf),
    #[error("{} is a newsfed database; use `newsfed backup` and `newsfed restore`", .0.display())]
    Own(PathBuf),
}

/// What was left out because of the limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ForeignSurplus {
    /// Items after the first million.
    pub items: u64,
    /// Texts of items that are too long; the items were read without them.
    pub texts: u64,
    /// Feeds, tags and enclosures that are too many or too long.
    pub related: u64,
}

/// A copy of another reader's database.
pub struct ForeignDatabase {
    conn: Connection,
    kind: ForeignKind,
    path: PathBuf,
    _copy: TempDir,
}

/// The columns that are read, by their names in all versions of a reader. The first name that exists is used.
struct Layout {
    kind: ForeignKind,
    table: &'static str,
    columns: [&'static [&'static str]; COLUMNS],
}

// The columns, in order.
const FEED: usize = 0;
const GUID: usize = 1;
const TITLE: usize = 2;
const URL: usize = 3;
const AUTHOR: usize = 4;
const PUBLISHED: usize = 5;
const UPDATED: usize = 6;
const CONTENT: usize = 7;
const SUMMARY: usize = 8;
const MIME: usize = 9;
const FILE: usize = 10;
const FILE_TYPE: usize = 11;
const UNREAD: usize = 12;
const MARK: usize = 13;
const DELETED: usize = 14;
const COLUMNS: usize = 15;

const LAYOUTS: [Layout; 3] = [
    Layout {
        kind: ForeignKind::NewsboatCache,
        table: "rss_item",
        columns: [
            &["feedurl"],
            &["guid"],
            &["title"],
            &["url"],
            &["author"],
            &["pubDate"],
            &[],
            &["content"],
            &[],
            &["content_mime_type"],
            &["enclosure_url"],
            &["enclosure_type"],
            &["unread"],
            &["flags"],
            &["deleted"],
        ],
    },
    Layout {
        kind: ForeignKind::Newsraft,
        table: "items",
        columns: [
            &["feed_url"],
            &["guid"],
            &["title"],
            &["link"],
            &["persons"],
            &["publication_date"],
            &["update_date"],
            &["content"],
            &[],
            &[],
            &["attachments"],
            &[],
            &["unread"],
            &["important"],
            &[],
        ],
    },
    Layout {
        kind: ForeignKind::NewsFlash,
        table: "articles",
        columns: [
            &["feed_id"],
            &["article_id"],
            &["title"],
            &["url"],
            &["author"],
            &["date", "timestamp"],
            &["updated"],
            &["html"],
            &["summary"],
            &[],
            &[],
            &[],
            &["unread"],
            &["marked"],
            &[],
        ],
    },
];

impl ForeignDatabase {
    /// Copies a database into a new folder below `scratch` and opens the copy.
    ///
    /// # Errors
    /// If the database cannot be read, or is not that of a known reader.
    pub fn open(path: &Path, scratch: &Path) -> Result<Self, ForeignError> {
        let fail = |e: &dyn std::fmt::Display| {
            let why = format!("{e}; quit the program that uses the file and try again");
            ForeignError::Unreadable { path: path.to_owned(), why }
        };
        let folder = private_folder(scratch).map_err(|e| fail(&e))?;
        let copy = folder.path().join("copy.db");
        for end in ["", "-wal", "-journal"] {
            let beside =
                |path: &Path| PathBuf::from([path.as_os_str(), end.as_ref()].join("".as_ref()));
            let from = beside(path);
            let bytes = match fs::metadata(&from) {
                Ok(metadata) => metadata.len(),
                Err(_) if !end.is_empty() => continue,
                Err(e) => return Err(fail(&e)),
            };
            if bytes > MAX_BYTES {
                return Err(ForeignError::TooLarge(from));
            }
            fs::copy(&from, beside(&copy)).map_err(|e| fail(&e))?;
        }
        let conn = Connection::open_with_flags(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE);
        let conn = conn.map_err(|e| fail(&e))?;
        // The schema comes from outside, so it is not trusted.
        conn.pragma_update(None, "trusted_schema", false).map_err(|e| fail(&e))?;
        conn.pragma_update(None, "cell_size_check", true).map_err(|e| fail(&e))?;
        let columns = |table: &str| plain_columns(&conn, table).map_err(|e| fail(&e));
        if columns("rule_effect")?.contains(&"rule".to_owned()) && !columns("detail")?.is_empty() {
            return Err(ForeignError::Own(path.to_owned()));
        }
        for layout in &LAYOUTS {
            let found = columns(layout.table)?;
            let needed = [layout.columns[FEED], layout.columns[UNREAD], layout.columns[TITLE]];
            if needed.iter().all(|names| names.iter().any(|name| found.iter().any(|f| f == name))) {
                let kind = layout.kind;
                return Ok(Self { conn, kind, path: path.to_owned(), _copy: folder });
            }
        }
        Err(ForeignError::Unknown(path.to_owned()))
    }

    pub fn kind(&self) -> ForeignKind {
        self.kind
    }

    /// Calls a function with each item, in the order in which they were stored. Returns what was left out
    /// because of the limits.
    ///
    /// # Errors
    /// If the database is damaged, possibly after many items, or if the function fails.
    pub fn items<E: From<ForeignError>>(
        &self,
        mut take: impl FnMut(ForeignItem) -> Result<(), E>,
    ) -> Result<ForeignSurplus, E> {
        let fail = |e: rusqlite::Error| ForeignError::Unreadable {
            path: self.path.clone(),
            why: e.to_string(),
        };
        let Some(layout) = LAYOUTS.iter().find(|layout| layout.kind == self.kind) else {
            return Ok(ForeignSurplus::default());
        };
        let related = Related::read(&self.conn, self.kind).map_err(fail)?;
        let found = plain_columns(&self.conn, layout.table).map_err(fail)?;
        let is_there = |name: &&&str| found.iter().any(|f| f == **name);
        let names = layout.columns.map(|names| names.iter().find(is_there).copied());
        let mut select: Vec<String> = names.iter().map(|name| column(*name)).collect();
        select.push(too_long(&names));
        let sql = format!("SELECT {} FROM {} NOT INDEXED", select.join(", "), layout.table);
        let mut query = self.conn.prepare(&sql).map_err(fail)?;
        let mut rows = query.query([]).map_err(fail)?;
        let mut surplus = ForeignSurplus { related: related.surplus, ..ForeignSurplus::default() };
        let mut read = 0;
        while let Some(row) = rows.next().map_err(fail)? {
            if read >= MAX_ITEMS {
                surplus.items += 1;
                continue;
            }
            read += 1;
            let long: i64 = row.get(COLUMNS).map_err(fail)?;
            surplus.texts += u64::try_from(long).unwrap_or(0);
            take(item(row, self.kind, &related).map_err(fail)?)?;
        }
        Ok(surplus)
    }
}

/// The columns of an ordinary table. Views, virtual tables and computed columns could run anything.
pub(super) fn plain_columns(conn: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = conn.prepare(
        "SELECT c.name FROM sqlite_schema s, pragma_table_xinfo(s.name) c
         WHERE s.type = 'table' AND s.name = ?1 AND s.sql NOT LIKE 'CREATE VIRTUAL%' AND c.hidden = 0
         LIMIT 1000",
    )?;
    query.query_map([table], |row| row.get(0))?.collect()
}

/// The SQL expression for the value of a column; NULL if it is too long.
fn column(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("CASE WHEN octet_length({name}) <= {MAX_TEXT} THEN {name} END"),
        None => "NULL".to_owned(),
    }
}

/// The SQL expression for the number of values that are too long.
fn too_long(names: &[Option<&str>]) -> String {
    let long = |name: &&str| format!("coalesce(octet_length({name}) > {MAX_TEXT}, 0)");
    let sum: Vec<String> = names.iter().flatten().map(long).collect();
    sum.join(" + ")
}

/// A value as text, whatever its type; `None` if it is empty.
pub(super) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    let text = match row.get_ref(column)? {
        ValueRef::Null => return Ok(None),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
    };
    Ok((!text.is_empty()).then_some(text))
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<i64>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Real(number) => Some(number as i64),
        _ => text(row, column)?.and_then(|text| text.trim().parse().ok()),
    })
}

/// Reads a time, which is stored as seconds since the epoch or as text in UTC.
fn moment(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Time>> {
    if let Some(seconds) = number(row, column)? {
        return Ok(Time::from_timestamp(seconds, 0).filter(|_| seconds > 0));
    }
    Ok(text(row, column)?.and_then(|text| crate::util::date::parse(&text)))
}

fn item(row: &Row<'_>, kind: ForeignKind, related: &Related) -> rusqlite::Result<ForeignItem> {
    let unread = number(row, UNREAD)? == Some(1);
    let common = ForeignItem {
        feed: text(row, FEED)?,
        guid: text(row, GUID)?,
        title: text(row, TITLE)?.unwrap_or_default(),
        url: text(row, URL)?,
        published: moment(row, PUBLISHED)?,
        updated: moment(row, UPDATED)?,
        read: !unread,
        deleted: number(row, DELETED)? == Some(1),
        ..ForeignItem::default()
    };
    let content = text(row, CONTENT)?;
    Ok(match kind {
        ForeignKind::Newsraft => {
            let people = text(row, AUTHOR)?.map(|t| groups(&t)).unwrap_or_default();
            let files = text(row, FILE)?.map(|t| groups(&t)).unwrap_or_default();
            let file = |group: &Group| Some((value(group, "url")?, value(group, "type")));
            ForeignItem {
                authors: people.iter().filter_map(|group| value(group, "name")).collect(),
                enclosures: files.iter().filter_map(file).collect(),
                content: content.and_then(|text| longest(&groups(&text))),
                pinned: number(row, MARK)? == Some(1),
                ..common
            }
        }
        ForeignKind::NewsFlash => {
            let of = |map: &HashMap<String, Vec<String>>| {
                common.guid.as_ref().and_then(|id| map.get(id)).cloned().unwrap_or_default()
            };
            ForeignItem {
                feed: common.feed.as_ref().and_then(|id| related.feeds.get(id)).cloned(),
                tags: of(&related.tags),
                enclosures: of(&related.files).into_iter().map(|url| (url, None)).collect(),
                // The identifiers are valid only in this reader.
                guid: None,
                authors: text(row, AUTHOR)?.into_iter().collect(),
                content: content.map(ForeignText::Html),
                summary: text(row, SUMMARY)?.map(ForeignText::Plain),
                // 0 means marked, 1 means not marked.
                pinned: number(row, MARK)? == Some(0),
                ..common
            }
        }
        _ => {
            let is_plain = text(row, MIME)?.is_some_and(|mime| mime == "text/plain");
            let file = text(row, FILE)?
                .map(|url| -> rusqlite::Result<_> { Ok((url, text(row, FILE_TYPE)?)) });
            ForeignItem {
                authors: text(row, AUTHOR)?.into_iter().collect(),
                enclosures: file.transpose()?.into_iter().collect(),
                content: content.map(|text| match is_plain {
                    true => ForeignText::Plain(text),
                    false => ForeignText::Html(text),
                }),
                // Each flag is kept once, because flags do not count towards the limits of a batch.
                flags: text(row, MARK)?
                    .unwrap_or_default()
                    .chars()
                    .filter(char::is_ascii_alphabetic)
                    .collect::<BTreeSet<char>>()
                    .into_iter()
                    .collect(),
                ..common
            }
        }
    })
}

/// Keys and values of newsraft.
type Group = Vec<(String, String)>;

/// newsraft's lists: the first character is the separator, `^` begins a group, and the other parts are
/// `key=value`.
fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let Some(separator) = text.chars().next() else { return groups };
    for part in text.split(separator).skip(1) {
        match part.split_once('=') {
            _ if part == "^" => groups.push(Vec::new()),
            Some((key, value)) => {
                if groups.is_empty() {
                    groups.push(Vec::new());
                }
                if let Some(group) = groups.last_mut() {
                    group.push((key.to_owned(), value.to_owned()));
                }
            }
            None => {}
        }
    }
    groups
}

fn value(group: &Group, key: &str) -> Option<String> {
    group.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
}

/// The longest text of the groups.
fn longest(groups: &[Group]) -> Option<ForeignText> {
    let texts =
        groups.iter().filter_map(|group| Some((value(group, "text")?, value(group, "type"))));
    let (text, kind) = texts.max_by_key(|(text, _)| text.len())?;
    let is_html = kind.is_some_and(|kind| kind.to_ascii_lowercase().contains("html"));
    Some(if is_html { ForeignText::Html(text) } else { ForeignText::Plain(text) })
}

//! Pocket's exports: CSV, and the older HTML page with lists of links.

use super::ForeignItems;
use super::clean::moment;
use crate::model::{ForeignItem, ForeignKind};
use crate::util::html::{Scanner, Token, decode_entities};
use crate::util::limits;

/// Whether a lower-case line is the header of the CSV file.
pub(super) fn is_header(line: &str) -> bool {
    let columns: Vec<&str> =
        line.split(',').map(|column| column.trim_matches(['"', ' '])).collect();
    ["title", "url", "time_added"].iter().all(|name| columns.contains(name))
}

pub(super) fn read_csv(bytes: &[u8]) -> ForeignItems {
    let mut found = ForeignItems { kind: ForeignKind::Pocket, items: Vec::new(), unreadable: 0 };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let header = match reader.byte_headers() {
        Ok(header) => header.clone(),
        Err(_) => return found,
    };
    let column = |name: &str| {
        header.iter().position(|cell| cell.trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
    };
    let columns = ["title", "url", "time_added", "tags", "status"].map(column);
    for record in reader.into_byte_records() {
        let Ok(record) = record else {
            found.unreadable += 1;
            continue;
        };
        let [title, url, added, tags, status] = columns.map(|column| {
            let cell = column.and_then(|column| record.get(column)).unwrap_or_default();
            String::from_utf8_lossy(cell).into_owned()
        });
        let tags = tags.split('|').map(str::to_owned);
        found.push(title, url, &added, tags, status.trim().eq_ignore_ascii_case("archive"));
    }
    found
}

pub(super) fn read_html(page: &str) -> ForeignItems {
    let mut found = ForeignItems { kind: ForeignKind::Pocket, items: Vec::new(), unreadable: 0 };
    let mut scanner = Scanner::new(page);
    let (mut is_heading, mut is_archive) = (false, false);
    // URL, time and tags of the open link, and its text so far.
    let mut link: Option<([String; 3], String)> = None;
    while let Some(token) = scanner.next_token() {
        match token {
            Token::Open(tag) if tag.is("a") => {
                let value = |name| tag.attribute(name).unwrap_or_default().into_owned();
                link = Some((["href", "time_added", "tags"].map(value), String::new()));
            }
            Token::Open(tag) if tag.is("h1") => is_heading = true,
            Token::Text(text) => match &mut link {
                Some((_, title)) if title.len() < limits::LINE_CHARS * 4 => {
                    title.push_str(&decode_entities(text));
                }
                None if is_heading => {
                    // The headings are "Unread" and "Read Archive".
                    is_archive = text.to_ascii_lowercase().contains("archive");
                }
                _ => {}
            },
            Token::Close(name) if name.eq_ignore_ascii_case("h1") => is_heading = false,
            Token::Close(name) if name.eq_ignore_ascii_case("a") => {
                if let Some(([url, added, tags], title)) = link.take() {
                    found.push(title, url, &added, tags.split(',').map(str::to_owned), is_archive);
                }
            }
            _ => {}
        }
    }
    found
}

impl ForeignItems {
    /// Adds a saved page. A page without a URL is counted as unreadable.
    fn push(
        &mut self,
        title: String,
        url: String,
        added: &str,
        tags: impl Iterator<Item = String>,
        is_archive: bool,
    ) {
        if url.trim().is_empty() {
            self.unreadable += 1;
            return;
        }
        self.items.push(ForeignItem {
            // Pocket writes the URL as the title if there is none.
            title: if title.trim() == url.trim() { String::new() } else { title },
            url: Some(url),
            saved: added.trim().parse().ok().and_then(moment),
            read: is_archive,
            later: !is_archive,
            tags: tags.filter(|tag| !tag.trim().is_empty()).take(limits::ENTRY_LIST).collect(),
            ..ForeignItem::default()
        });
    }
}

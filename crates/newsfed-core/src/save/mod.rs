//! Writes articles to a file for reading elsewhere: Markdown, HTML, or an EPUB for e-readers.
//!
//! Pure: the same articles always give the same bytes.

mod epub;
mod html;
mod markdown;

#[cfg(test)]
mod tests;

use crate::article::{Document, Inline, Link, LinkKind};
use crate::model::{ItemId, Time};
use crate::util::limits::SAVED_BYTES;
use crate::util::text::{line, size};
use crate::util::time_text::published_day;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use epub::EpubError;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveFormat {
    Markdown,
    Html,
    Epub,
}

impl SaveFormat {
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Html, Self::Epub];

    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Epub => "epub",
        }
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Epub => "epub",
        }
    }

    /// The format of a file with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "epub" => Some(Self::Epub),
            _ => None,
        }
    }

    /// Whether it can contain pictures.
    pub fn has_pictures(self) -> bool {
        self != Self::Markdown
    }
}

/// A picture in its original form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureFile {
    /// A type that e-readers must support: GIF, JPEG, PNG or WebP.
    pub media_type: &'static str,
    pub bytes: Arc<[u8]>,
}

impl PictureFile {
    /// Detects the format by the first bytes; `None` if it is not one that e-readers must support.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let media_type = match bytes {
            [b'G', b'I', b'F', b'8', ..] => "image/gif",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ => return None,
        };
        Some(Self { media_type, bytes: bytes.into() })
    }

    /// Maximum number of bytes that it takes up in a file: data URLs are a third longer.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.bytes.len() / 3 + 4
    }
}

/// One article of a file.
#[derive(Debug, Clone)]
pub struct SavedChapter {
    pub id: ItemId,
    pub title: String,
    /// The title of its source.
    pub source: String,
    pub authors: Vec<String>,
    pub url: Option<String>,
    /// When it was published, or else discovered.
    pub date: Time,
    /// A language tag.
    pub language: Option<String>,
    pub document: Document,
    /// Pictures of the document, by their URLs.
    pub pictures: BTreeMap<String, PictureFile>,
}

impl SavedChapter {
    fn title(&self) -> String {
        Some(line(&self.title)).filter(|title| !title.is_empty()).unwrap_or("Untitled".to_owned())
    }

    /// The language tag, if it has the form of one (RFC 5646).
    fn language(&self) -> Option<&str> {
        let is_part = |part: &str| {
            (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        let is_first = |part: &str| {
            (2..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic())
        };
        self.language.as_deref().filter(|tag| {
            let mut parts = tag.split('-');
            tag.len() <= 35 && parts.next().is_some_and(is_first) && parts.all(is_part)
        })
    }

    /// Where the article is from: source, authors and day, followed by its URL.
    fn byline(&self, links: &mut Vec<Link>) -> Vec<Inline> {
        let authors = line(&self.authors.join(", "));
        let facts = [line(&self.source), authors, published_day(self.date)];
        let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
        let mut byline = vec![Inline::Text(facts.join(" · "))];
        if let Some(url) = &self.url {
            byline.push(Inline::Break);
            byline.push(Inline::Link(vec![Inline::Text(url.clone())], links.len()));
            let url = url.clone();
            links.push(Link { url, kind: LinkKind::Page, size: None, file: None });
        }
        byline
    }
}

/// Metadata of a file.
#[derive(Debug, Clone, Default)]
pub struct FileHeader {
    pub title: String,
}

/// A file of articles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFile {
    pub bytes: Vec<u8>,
    /// Number of articles that it contains.
    pub articles: usize,
    pub pictures: usize,
    /// Number of articles that were left out, because the file would be too large.
    pub left_out: usize,
}

impl SavedFile {
    /// Describes what was left out; `None` if nothing was.
    pub fn surplus(&self) -> Option<String> {
        let limit = size(SAVED_BYTES as u64);
        (self.left_out > 0).then(|| format!("{} left out: limit of {limit}", self.left_out))
    }
}

/// Collects articles up to the limit of a file.
#[derive(Debug, Default)]
pub struct Collection {
    chapters: Vec<SavedChapter>,
    bytes: usize,
    left_out: usize,
}

impl Collection {
    /// Number of bytes that can still be added.
    pub fn free(&self) -> usize {
        if self.left_out > 0 { 0 } else { SAVED_BYTES.saturating_sub(self.bytes) }
    }

    /// Adds an article whose text has at most `text` bytes. Once an article does not fit, no more are added.
    pub fn add(&mut self, chapter: SavedChapter, text: usize) {
        let bytes = text + chapter.pictures.values().map(PictureFile::size).sum::<usize>();
        match bytes <= self.free() {
            true => {
                self.bytes += bytes;
                self.chapters.push(chapter);
            }
            false => self.left_out += 1,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.chapters.is_empty()
    }

    /// Serialises the articles.
    ///
    /// # Errors
    /// If an EPUB cannot be written.
    pub fn write(&self, format: SaveFormat, header: &FileHeader) -> Result<SavedFile, EpubError> {
        let bytes = match format {
            SaveFormat::Markdown => markdown::write(&self.chapters).into_bytes(),
            SaveFormat::Html => html::write(&self.chapters, header).into_bytes(),
            SaveFormat::Epub => epub::write(&self.chapters, header)?,
        };
        let pictures = self.chapters.iter().map(|chapter| chapter.pictures.len()).sum();
        let pictures = if format.has_pictures() { pictures } else { 0 };
        Ok(SavedFile { bytes, articles: self.chapters.len(), pictures, left_out: self.left_out })
    }
}

//! What a crawl searches for: files of certain types, or articles.

use std::fmt;
use std::str::FromStr;

/// Media types of data and text files, and the generic types that servers use for these files.
const FILES: [&str; 43] = [
    "application/csv",
    "application/geo+json",
    "application/gzip",
    "application/json",
    "application/msword",
    "application/octet-stream",
    "application/pdf",
    "application/rdf+xml",
    "application/rss+xml",
    "application/vnd.ms-excel",
    "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    "application/vnd.rar",
    "application/x-7z-compressed",
    "application/x-bzip2",
    "application/x-csv",
    "application/x-gtar",
    "application/x-gzip",
    "application/x-pdf",
    "application/x-rar-compressed",
    "application/x-tar",
    "application/x-yaml",
    "application/x-zip-compressed",
    "application/xml",
    "application/yaml",
    "application/zip",
    "application/zip-compressed",
    "text/comma-separated-values",
    "text/csv",
    "text/json",
    "text/plain",
    "text/tab-separated-values",
    "text/x-comma-separated-values",
    "text/x-csv",
    "text/x-yaml",
    "text/xml",
    "text/yaml",
];

/// File extensions and their media types.
const EXTENSIONS: [(&str, &str); 40] = [
    ("7z", "application/x-7z-compressed"),
    ("bz2", "application/x-bzip2"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("geojson", "application/geo+json"),
    ("gz", "application/gzip"),
    ("json", "application/json"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("pdf", "application/pdf"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("rar", "application/x-rar-compressed"),
    ("rdf", "application/rdf+xml"),
    ("rss", "application/rss+xml"),
    ("tar", "application/x-tar"),
    ("tgz", "application/gzip"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zip", "application/zip"),
    ("avi", "video/x-msvideo"),
    ("css", "text/css"),
    ("gif", "image/gif"),
    ("ico", "image/x-icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("ttf", "font/ttf"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
];

/// The class of a URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Class {
    /// A page with links.
    Html,
    /// A target of the crawl.
    Target,
    /// Another file, such as an image or a style sheet.
    Other,
    /// An error, or a redirect to a different page.
    #[default]
    Failed,
}

/// What the crawl searches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// Files of these media types, in lower case.
    Files(Vec<String>),
    Articles,
}

impl Targets {
    /// Files of all data and text types.
    pub fn files() -> Self {
        Self::Files(FILES.map(str::to_owned).to_vec())
    }

    /// Files of all data and text types except plain text, which may contain anything.
    pub fn data() -> Self {
        Self::Files(FILES.iter().filter(|m| **m != "text/plain").map(|m| (*m).to_owned()).collect())
    }

    /// The class of a response with this media type.
    pub fn class(&self, mime: &str) -> Class {
        let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match self {
            Self::Files(types) if types.contains(&mime) => Class::Target,
            _ if PAGES.contains(&mime.as_str()) => Class::Html,
            _ => Class::Other,
        }
    }

    /// The class according to the extension of a URL; `None` if the extension is unknown.
    pub fn by_extension(&self, url: &str) -> Option<Class> {
        self.of_extension(&extension(url)?)
    }

    /// The class of a lower-case extension; `None` if it is unknown.
    pub(super) fn of_extension(&self, extension: &str) -> Option<Class> {
        if matches!(extension, "html" | "htm" | "xhtml") {
            return Some(Class::Html);
        }
        let (_, mime) = EXTENSIONS.iter().find(|(known, _)| *known == extension)?;
        Some(self.class(mime))
    }
}

/// Why a text cannot be parsed as targets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoTarget {
    #[error("\"{0}\" is not a target; use articles, data, files or a media type such as text/csv")]
    Unknown(String),
    /// Pages cannot be targets, because they are read for their links.
    #[error("pages cannot be a target of a crawl; use articles instead")]
    Pages,
}

/// Media types of pages.
const PAGES: [&str; 2] = ["text/html", "application/xhtml+xml"];

impl FromStr for Targets {
    type Err = NoTarget;

    /// Parses `articles`, `data`, `files`, or a comma-separated list of media types.
    fn from_str(text: &str) -> Result<Self, NoTarget> {
        match text.trim() {
            "articles" => return Ok(Self::Articles),
            "data" => return Ok(Self::data()),
            "files" => return Ok(Self::files()),
            _ => {}
        }
        let mime = |part: &str| {
            let part = part.trim().to_ascii_lowercase();
            if PAGES.contains(&part.as_str()) {
                return Err(NoTarget::Pages);
            }
            let name = |s: &str| {
                !s.is_empty()
                    && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-._".contains(&b))
            };
            match part.split_once('/') {
                Some((a, b)) if name(a) && name(b) && part.len() <= 100 => Ok(part),
                _ => Err(NoTarget::Unknown(crate::util::text::line(&part))),
            }
        };
        text.split(',').map(mime).collect::<Result<_, _>>().map(Self::Files)
    }
}

impl fmt::Display for Targets {
    /// The form that [`FromStr`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Articles => f.write_str("articles"),
            files if *files == Self::data() => f.write_str("data"),
            files if *files == Self::files() => f.write_str("files"),
            Self::Files(types) => f.write_str(&types.join(",")),
        }
    }
}

/// The extension of the last path segment of a URL, in lower case.
pub fn extension(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let (_, last) = path.split_once('/')?;
    let last = last.rsplit('/').next().unwrap_or_default();
    let (name, extension) = last.rsplit_once('.')?;
    let sound = !name.is_empty()
        && (1..=8).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    sound.then(|| extension.to_ascii_lowercase())
}

//! Stores the files found by a crawl, and a manifest.

use super::CrawlError;
use super::fetch::LinkResult;
use crate::crawl::{LinkId, Links};
use crate::model::Time;
use crate::util::file_name;
use crate::util::shared_file::shared_file;
use chrono::SubsecRound;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use url::Url;

/// The manifest of found files: one JSON object per line.
const MANIFEST: &str = "manifest.jsonl";
const FILES: &str = "files";
/// Maximum length of a file name, in bytes.
const MAX_NAME: usize = 100;
/// Maximum number of names to try for one file.
const MAX_TRIES: usize = 100_000;

/// A target found by a crawl.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CrawlFind {
    pub url: String,
    pub mime: String,
    pub bytes: usize,
    /// SHA-256 hash of the content, in hexadecimal.
    pub sha256: String,
    /// The first page that linked to it; its own URL for the start of the crawl.
    pub found_on: String,
    /// The text of the link.
    pub anchor: String,
    /// The title, for an article.
    pub title: Option<String>,
    /// When it was fetched.
    pub at: Time,
    /// Path of the file, relative to the folder of the crawl.
    pub file: Option<String>,
}

impl CrawlFind {
    pub(super) fn of(url: &str, got: &LinkResult, links: &Links, link: LinkId, at: Time) -> Self {
        let title = Some(got.page.title.clone()).filter(|t| !t.is_empty());
        Self {
            url: url.to_owned(),
            mime: got.mime.clone(),
            bytes: got.body.len(),
            sha256: hex(&got.body),
            found_on: links.url(links.from(link)).to_owned(),
            anchor: links.anchor(link).to_owned(),
            title,
            at: at.trunc_subsecs(0),
            file: None,
        }
    }

    /// Parses the output of [`CrawlFind::json`].
    pub(super) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// The folder of a crawl.
pub(super) struct CrawlFolder {
    path: PathBuf,
    /// By base name: the next free number, and the files by content hash.
    taken: RefCell<HashMap<String, Taken>>,
}

#[derive(Default)]
struct Taken {
    next: usize,
    files: HashMap<String, String>,
}

impl CrawlFolder {
    /// Opens the folder; creates it if it does not exist.
    pub(super) fn open(path: &Path) -> Result<Self, CrawlError> {
        let files = path.join(FILES);
        fs::create_dir_all(&files).map_err(|why| CrawlError::File { path: files, why })?;
        Ok(Self { path: path.to_owned(), taken: RefCell::default() })
    }

    /// Whether there is a manifest.
    pub(super) fn has_list(&self) -> bool {
        self.path.join(MANIFEST).exists()
    }

    /// Stores a body under a name derived from its URL. Returns the path relative to this folder. Never
    /// overwrites a file: a file with the same content is reused, and different content gets a different
    /// name.
    pub(super) fn save(
        &self,
        url: &str,
        got: &LinkResult,
        sha256: &str,
    ) -> Result<String, CrawlError> {
        let folder = self.path.join(FILES);
        let fail = |path: &Path, why| CrawlError::File { path: path.to_owned(), why };
        let name = name_of(url, &got.mime);
        let mut all = self.taken.borrow_mut();
        let taken = all.entry(name.clone()).or_default();
        if let Some(file) = taken.files.get(sha256) {
            return Ok(file.clone());
        }
        let mut part = shared_file(&folder).map_err(|e| fail(&folder, e))?;
        part.write_all(&got.body).map_err(|e| fail(&folder, e))?;
        for number in taken.next.max(1)..MAX_TRIES {
            let name = numbered(&name, number);
            let path = folder.join(&name);
            taken.next = number + 1;
            let file = || format!("{FILES}/{name}");
            match part.persist_noclobber(&path) {
                Ok(_) => {
                    taken.files.insert(sha256.to_owned(), file());
                    return Ok(file());
                }
                Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => {
                    let like = fs::metadata(&path).is_ok_and(|m| m.len() == got.body.len() as u64);
                    if like && fs::read(&path).is_ok_and(|there| there == got.body) {
                        taken.files.insert(sha256.to_owned(), file());
                        return Ok(file());
                    }
                    part = e.file;
                }
                Err(e) => return Err(fail(&path, e.error)),
            }
        }
        let why = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        Err(fail(&folder.join(name), why))
    }

    /// Adds a line to the manifest.
    pub(super) fn list(&self, json: &str) -> Result<(), CrawlError> {
        let path = self.path.join(MANIFEST);
        let file = OpenOptions::new().append(true).create(true).open(&path);
        let line = format!("{json}\n");
        file.and_then(|mut f| f.write_all(line.as_bytes()))
            .map_err(|why| CrawlError::File { path, why })
    }

    /// Rewrites the manifest from the log of the crawl.
    pub(super) fn rewrite(&self, lines: &[String]) -> Result<(), CrawlError> {
        let path = self.path.join(MANIFEST);
        let write = || -> std::io::Result<()> {
            let mut file = shared_file(&self.path)?;
            for line in lines {
                writeln!(file, "{line}")?;
            }
            file.persist(&path).map_err(|e| e.error)?;
            Ok(())
        };
        write().map_err(|why| CrawlError::File { path: path.clone(), why })
    }
}

/// A name that is safe on every system: the last segment of a URL, with the default extension for its media
/// type if it has none.
fn name_of(url: &str, mime: &str) -> String {
    let parsed = Url::parse(url).ok();
    let segment = parsed.as_ref().and_then(file_name::last_segment);
    file_name::safe(segment.as_deref().unwrap_or("index"), usual_extension(mime), MAX_NAME, "")
}

/// The name of the n-th file with the same base name.
fn numbered(name: &str, number: usize) -> String {
    match (number, name.rsplit_once('.')) {
        (1, _) => name.to_owned(),
        (n, Some((stem, extension))) => format!("{stem}-{n}.{extension}"),
        (n, None) => format!("{name}-{n}"),
    }
}

fn usual_extension(mime: &str) -> Option<&'static str> {
    Some(match mime {
        "text/html" | "application/xhtml+xml" => "html",
        "text/csv" | "application/csv" => "csv",
        "text/plain" => "txt",
        "application/json" => "json",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "application/xml" | "text/xml" => "xml",
        "application/rss+xml" => "rss",
        "application/yaml" | "text/yaml" => "yaml",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn file_names_are_safe_on_every_system() {
        let cases = [
            ("https://a.example/data/x.csv?v=2", "x.csv"),
            ("https://a.example/data/", "data.csv"),
            ("https://a.example/", "index.csv"),
            ("https://a.example/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "etc_passwd.csv"),
            ("https://a.example/..%5c..%5cx.csv", "x.csv"),
            ("https://a.example/%00%1b%5b2J.csv", "2J.csv"),
            ("https://a.example/.hidden", "hidden.csv"),
            ("https://a.example/CON.csv", "file_CON.csv"),
            ("https://a.example/%ff%fe", "file_.csv"),
            ("https://a.example/a%20b:c*%3f.csv", "a_b_c__.csv"),
            ("https://a.example/%2f", "file_.csv"),
            ("https://a.example/-rf.csv", "rf.csv"),
            ("https://a.example/%2d-._-help", "help.csv"),
            ("https://a.example/--", "file_.csv"),
        ];
        for (url, want) in cases {
            assert_eq!(name_of(url, "text/csv"), want, "{url}");
        }
        let long = format!("https://a.example/{}.csv", "ä".repeat(500));
        let name = name_of(&long, "text/csv");
        assert!(name.len() <= MAX_NAME && name.ends_with("ä.csv"), "{name}");
    }

    #[test]
    fn never_overwrites_files() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CrawlFolder::open(dir.path()).unwrap();
        let got = |body: &'static str| LinkResult {
            mime: "text/csv".to_owned(),
            body: Bytes::from_static(body.as_bytes()),
            ..LinkResult::default()
        };
        let save = |url, body| folder.save(url, &got(body), &hex(body.as_bytes())).unwrap();
        assert_eq!(save("http://a/x.csv", "one"), "files/x.csv");
        assert_eq!(save("http://a/b/x.csv", "two"), "files/x-2.csv");
        assert_eq!(save("http://a/c/x.csv", "one"), "files/x.csv", "the same content");
        assert_eq!(fs::read(dir.path().join("files/x.csv")).unwrap(), b"one");
        let names = fs::read_dir(dir.path().join("files")).unwrap().count();
        assert_eq!(names, 2, "no temporary files are left");
        folder.list("{}").unwrap();
        folder.list("{}").unwrap();
        folder.rewrite(&["{\"a\":1}".to_owned()]).unwrap();
        folder.list("{}").unwrap();
        let list = fs::read_to_string(dir.path().join(MANIFEST)).unwrap();
        assert_eq!(list, "{\"a\":1}\n{}\n");
    }
}

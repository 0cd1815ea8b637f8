//! The places of the files in a backup. A backup contains no other files.

use crate::config::{CRAWLS_FOLDER, Paths};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Config,
    Sources,
    Database,
    /// The crawl log of a source, by file name.
    Crawl(String),
}

const CRAWLS: &str = "data/crawls/";

impl Place {
    /// The place of an archive entry; `None` if it has none, for example if its path leads elsewhere.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "config/config.toml" => Some(Self::Config),
            "config/sources.toml" => Some(Self::Sources),
            "data/newsfed.db" => Some(Self::Database),
            _ => {
                let file = name.strip_prefix(CRAWLS)?;
                is_crawl_log(file).then(|| Self::Crawl(file.to_owned()))
            }
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            Self::Config => "config/config.toml".to_owned(),
            Self::Sources => "config/sources.toml".to_owned(),
            Self::Database => "data/newsfed.db".to_owned(),
            Self::Crawl(file) => format!("{CRAWLS}{file}"),
        }
    }

    /// The path in the user's folders.
    pub(super) fn path(&self, paths: &Paths) -> PathBuf {
        match self {
            Self::Config => paths.config_file(),
            Self::Sources => paths.sources_file(),
            Self::Database => paths.database(),
            Self::Crawl(file) => paths.data_dir().join(CRAWLS_FOLDER).join(file),
        }
    }
}

/// Whether a file is named like the crawl log of a source: the source's identifier and `.db`.
pub(super) fn is_crawl_log(file: &str) -> bool {
    let id = file.strip_suffix(".db").unwrap_or_default();
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && file.len() <= MAX_NAME && !id.starts_with('.') && id.chars().all(letter)
}

/// Maximum length of a file name, in bytes, in a tar archive without extensions of the format.
const MAX_NAME: usize = 100 - CRAWLS.len();

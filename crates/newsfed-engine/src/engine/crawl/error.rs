//! Why a crawl cannot run.

use crate::store::StoreError;
use crate::util::file_error::cannot_write;
use std::path::PathBuf;
use url::Url;

/// Why a crawl cannot run.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another crawl is stored in the folder.
    #[error("{} already contains a crawl; resume it, or choose another folder", .0.display())]
    Exists(PathBuf),
    /// A file of another program has the name of the manifest.
    #[error("{} contains a manifest of another program; choose another folder", .0.display())]
    Foreign(PathBuf),
    /// The folder contains a crawl of a URL other than the given one.
    #[error("that folder contains a crawl of {stored}, not of {given}")]
    Other { stored: Box<Url>, given: Box<Url> },
    /// The crawl was started with credentials, and the remaining requests would fail without them.
    #[error(
        "this crawl was started with credentials; to continue, give the URL that includes them"
    )]
    Credentials,
    /// There is no crawl to resume.
    #[error("{} contains no crawl to resume; give the URL to start one", .0.display())]
    Missing(PathBuf),
    /// Another process uses the crawl, or this one already does.
    #[error("another crawl is using {}", .0.display())]
    Busy(PathBuf),
    /// The log is inconsistent.
    #[error(
        "the log of the crawl does not match this version of newsfed; start over in another folder"
    )]
    Record,
    /// The strategy requires knowledge of the whole site.
    #[error("the strategy {0} needs to know the site in advance; it only works in replays")]
    Strategy(&'static str),
    #[error("{}", cannot_write(path, why))]
    File {
        path: PathBuf,
        /// The error of the operating system.
        why: std::io::Error,
    },
}

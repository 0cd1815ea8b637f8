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
    /// Another crawl is stored there.
    #[error("{} already contains a crawl; resume it, or choose another folder", .0.display())]
    Exists(PathBuf),
    /// Where the manifest should be, there is a file of another program.
    #[error("{} contains a manifest of another program; choose another folder", .0.display())]
    Foreign(PathBuf),
    /// The folder contains a crawl of a different URL from the given one.
    #[error("that folder contains a crawl of {stored}, not of {given}")]
    Other { stored: Box<Url>, given: Box<Url> },
    /// It was started with credentials; without them the remaining requests would fail.
    #[error("this crawl was started with credentials; give the URL with them to continue")]
    Credentials,
    /// There is no crawl to resume.
    #[error("{} contains no crawl to resume; give the URL to start one", .0.display())]
    Missing(PathBuf),
    /// Another process uses it, or this one already does.
    #[error("another crawl is using {}", .0.display())]
    Busy(PathBuf),
    /// The log is inconsistent.
    #[error(
        "the log of the crawl does not match this version of newsfed; start over in another folder"
    )]
    Record,
    /// The strategy needs to know the site in advance.
    #[error("the strategy {0} needs to know the site in advance; it only works in replays")]
    Strategy(&'static str),
    #[error("{}", cannot_write(path, why))]
    File {
        path: PathBuf,
        /// The message of the system.
        why: std::io::Error,
    },
}

//! Downloads of enclosures, which resume after an interruption.

mod list;
mod part;
mod retention;

use super::context::Context;
use super::fulltext::paused_until;
use super::handle::Handle;
use super::poll::pause_host;
use crate::net::{self, Download, FetchError, Purpose, Request, Resume};
use crate::util::file_name::of_download;
use crate::util::{media, text};
pub use list::{DownloadEntry, list_downloads};
use part::{Part, Record};
pub(super) use retention::retire;
pub use retention::{FileState, is_expired, remove_download};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, Semaphore, SemaphorePermit, mpsc, oneshot};
use url::Url;

/// Maximum number of chunks that wait to be written.
const WAITING: usize = 16;

/// Maximum number of concurrent downloads.
const AT_ONCE: usize = 3;

/// Folder and URL of a download.
type Name = (PathBuf, String);

/// The downloads of this process.
#[derive(Debug)]
pub(super) struct Downloads {
    turns: Semaphore,
    /// The running downloads and those that wait for a permit.
    wanted: Mutex<HashSet<Name>>,
    files: Arc<Files>,
}

impl Default for Downloads {
    fn default() -> Self {
        let (wanted, files) = (Mutex::default(), Arc::default());
        Self { turns: Semaphore::new(AT_ONCE), wanted, files }
    }
}

/// The downloads with files in use. A file can stay in use after its download was cancelled, while the disk
/// is still writing.
#[derive(Debug, Default)]
struct Files {
    held: Mutex<HashSet<Name>>,
    released: Notify,
}

/// The exclusive right to use the file of a download.
struct Hold {
    of: Arc<Files>,
    name: Name,
}

impl Files {
    /// Waits until no other download uses the file.
    async fn hold(self: &Arc<Self>, name: Name) -> Arc<Hold> {
        loop {
            let released = self.released.notified();
            if locked(&self.held).insert(name.clone()) {
                return Arc::new(Hold { of: self.clone(), name });
            }
            released.await;
        }
    }
}

impl Hold {
    /// Runs an operation on the file, which stays locked until the result is dropped.
    async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> Result<T, DownloadError> + Send + 'static,
    ) -> Result<T, DownloadError> {
        let hold = self.clone();
        // If the caller is gone, the result is dropped before `hold`, which keeps the file locked.
        blocking(move || Ok((work(), hold))).await?.0
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        locked(&self.of.held).remove(&self.name);
        self.of.released.notify_waiters();
    }
}

/// A permit to run a download.
struct Turn<'a> {
    of: &'a Downloads,
    name: Name,
    permit: Option<SemaphorePermit<'a>>,
}

impl Downloads {
    /// Waits for a permit to run a download. No download runs twice at the same time.
    async fn turn(&self, folder: &Path, url: &str) -> Result<(Turn<'_>, Arc<Hold>), DownloadError> {
        let name = (folder.to_owned(), url.to_owned());
        if !locked(&self.wanted).insert(name.clone()) {
            return Err(DownloadError::Twice);
        }
        let mut turn = Turn { of: self, name: name.clone(), permit: None };
        // The semaphore is never closed.
        turn.permit = self.turns.acquire().await.ok();
        let hold = self.files.hold(name).await;
        Ok((turn, hold))
    }
}

fn locked(names: &Mutex<HashSet<Name>>) -> MutexGuard<'_, HashSet<Name>> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        locked(&self.of.wanted).remove(&self.name);
    }
}

/// What to download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadOrder {
    /// The item with the enclosure (row key).
    pub item: i64,
    /// The source of the item (row key). Its access settings apply to its own host.
    pub source: i64,
    pub url: String,
    /// The media type stated by the feed.
    pub mime: Option<String>,
    /// The target folder, which is created if needed.
    pub folder: PathBuf,
    /// Maximum size in bytes.
    pub max_size: u64,
}

/// The progress of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownloadState {
    /// Number of bytes stored, including those of earlier attempts.
    pub received: u64,
    /// The size of the file, if known.
    pub total: Option<u64>,
}

/// A completed download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Downloaded {
    pub path: PathBuf,
    pub bytes: u64,
    /// Number of bytes that earlier attempts had stored.
    pub resumed: u64,
}

/// Why a download failed.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error("its source was removed")]
    NoSource,
    #[error("{0} is not a URL")]
    Address(String),
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("{host} sent a web page instead of the file; open it in the browser")]
    WebPage { host: String },
    #[error(
        "the file from {host} is larger than {}, the limit (download.max_size); nothing was kept",
        text::size(*limit)
    )]
    TooLarge { host: String, limit: u64 },
    #[error("{host} sent {received} of {total} bytes; nothing was kept")]
    Length { host: String, received: u64, total: u64 },
    #[error("{why}; {} are kept, and the next download resumes there", text::size(*kept))]
    Unfinished { why: FetchError, kept: u64 },
    #[error("{0} is being downloaded by another newsfed process")]
    Busy(PathBuf),
    #[error("it is already being downloaded")]
    Twice,
    #[error("cannot write {path}: {why}")]
    File { path: PathBuf, why: std::io::Error },
}

impl Handle {
    /// Downloads a file into a folder, under a safe and unused name. `progress` receives each step. Dropping
    /// the future stops the download; the next attempt resumes it if the server allows that. At most
    /// `AT_ONCE` downloads run at the same time; others wait.
    ///
    /// # Errors
    /// If the file did not arrive completely or could not be stored.
    pub async fn download(
        &self,
        order: &DownloadOrder,
        progress: impl FnMut(DownloadState),
    ) -> Result<Downloaded, DownloadError> {
        let context = &self.context;
        let url =
            Url::parse(&order.url).map_err(|_| DownloadError::Address(text::line(&order.url)))?;
        let request = request(context, order, &url)?;
        let (_turn, hold) = context.downloads.turn(&order.folder, &order.url).await?;
        if let Some(until) = paused_until(context, &url, context.clock.now()).await {
            return Err(FetchError::Paused { host: net::host_key(&url), until }.into());
        }
        let (folder, address) = (order.folder.clone(), order.url.clone());
        let part = hold.run(move || Part::find(&folder, &address)).await?;
        let part = match part {
            Some(part) if part.is_complete() => {
                let bytes = part.size();
                let path = hold.run(move || part.finish()).await?;
                retention::record(context, &path, order).await;
                return Ok(Downloaded { path, bytes, resumed: bytes });
            }
            part => part,
        };
        let (download, total, part) = match connect(context, &request, order, part.as_ref()).await?
        {
            Connected::Continues(download, size) => (download, Some(size), part),
            Connected::Starts(download) => {
                part.into_iter().for_each(Part::discard);
                let size = download.length();
                (download, size, None)
            }
        };
        let resumed = part.as_ref().map_or(0, Part::size);
        let host = download.response.final_url.host_str().unwrap_or_default().to_owned();
        if total.is_some_and(|total| total > order.max_size) {
            part.into_iter().for_each(Part::discard);
            return Err(DownloadError::TooLarge { host, limit: order.max_size });
        }
        let part = match part {
            Some(part) => part,
            None => {
                let (folder, record) = (order.folder.clone(), record(order, &download));
                let name = name(order, &url, &download);
                hold.run(move || Part::create(&folder, &name, record)).await?
            }
        };
        let transfer = Transfer { hold, host, total, max_size: order.max_size };
        let (path, bytes) = transfer.run(download, part, progress).await?;
        retention::record(context, &path, order).await;
        Ok(Downloaded { path, bytes, resumed })
    }
}

/// The request for the file. The source's settings only apply to its own host.
fn request(
    context: &Arc<Context>,
    order: &DownloadOrder,
    url: &Url,
) -> Result<Request, DownloadError> {
    let source = context.source(order.source).ok_or(DownloadError::NoSource)?;
    Ok(Request {
        declared: Some(source.url.clone()),
        access: source.access.clone(),
        allow_private: net::allows_private(&source),
        purpose: Purpose::File,
        ..Request::feed(url.clone())
    })
}

enum Connected {
    /// The response is the remainder of a file of this size.
    Continues(Download, u64),
    /// The response is the whole file.
    Starts(Download),
}

/// Requests the remainder of an unfinished file, or the whole file if there is none or the file has changed.
async fn connect(
    context: &Arc<Context>,
    request: &Request,
    order: &DownloadOrder,
    part: Option<&Part>,
) -> Result<Connected, DownloadError> {
    if let Some((resume, part)) = part.and_then(|part| Some((part.resume()?, part))) {
        let download = context.client.download(request, Some(&resume)).await?;
        match download.response.status {
            // If the response does not continue the same file, the file has changed.
            206 | 416 => {
                if let Some(size) = rest_of(&download, &resume, part.total()) {
                    return Ok(Connected::Continues(download, size));
                }
            }
            _ => return Ok(Connected::Starts(checked(context, order, download).await?)),
        }
    }
    let download = context.client.download(request, None).await?;
    Ok(Connected::Starts(checked(context, order, download).await?))
}

/// The size of the file, if a partial response continues from the requested byte to the end.
fn rest_of(download: &Download, resume: &Resume, total: Option<u64>) -> Option<u64> {
    let response = &download.response;
    let (start, end, size) = content_range(response.header("content-range")?)?;
    let is_rest = start == resume.offset && end.checked_add(1) == Some(size);
    let length = download.length().is_none_or(|length| start.checked_add(length) == Some(size));
    let same_file = total.is_none_or(|total| total == size);
    (response.status == 206 && is_rest && length && same_file).then_some(size)
}

/// Parses `bytes 200-1023/1024` into first byte, last byte and size.
fn content_range(header: &str) -> Option<(u64, u64, u64)> {
    let (range, size) = header.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (start, end) = range.split_once('-')?;
    let number = |text: &str| text.trim().parse().ok();
    Some((number(start)?, number(end)?, number(size)?))
}

/// Checks a response that contains the whole file.
async fn checked(
    context: &Arc<Context>,
    order: &DownloadOrder,
    download: Download,
) -> Result<Download, DownloadError> {
    let response = &download.response;
    if response.status != 200 {
        return Err(refusal(context, &download).await);
    }
    let is_page = |kind: Option<String>| kind.as_deref() == Some("text/html");
    let sent = response.content_type().and_then(media::essence);
    let expected = media::media_type(order.mime.as_deref(), &order.url);
    if is_page(sent) && !is_page(expected) {
        let host = response.final_url.host_str().unwrap_or_default().to_owned();
        return Err(DownloadError::WebPage { host });
    }
    Ok(download)
}

async fn refusal(context: &Arc<Context>, download: &Download) -> DownloadError {
    let response = &download.response;
    if matches!(response.status, 403 | 429 | 503)
        && let Err(e) = pause_host(context, None, &response.final_url).await
    {
        tracing::error!("cannot pause a host: {e}");
    }
    DownloadError::Refused(response.refusal().1)
}

fn record(order: &DownloadOrder, download: &Download) -> Record {
    let validators = &download.response.validators;
    let strong = validators.etag.as_ref().filter(|etag| !etag.starts_with(b"W/"));
    let validator = strong.or(validators.last_modified.as_ref());
    let validator = validator.and_then(|bytes| String::from_utf8(bytes.clone()).ok());
    let (url, item) = (order.url.clone(), Some(order.item));
    Record { url, item, validator, total: download.length() }
}

fn name(order: &DownloadOrder, url: &Url, download: &Download) -> String {
    let response = &download.response;
    let stated = response.content_type().or(order.mime.as_deref());
    let media_type = media::media_type(stated, &order.url);
    let disposition = response.header("content-disposition");
    of_download(disposition, url, &response.final_url, media_type.as_deref())
}

/// A download in progress.
struct Transfer {
    hold: Arc<Hold>,
    host: String,
    total: Option<u64>,
    max_size: u64,
}

impl Transfer {
    /// Stores the body and renames the file to its final name.
    async fn run(
        self,
        mut download: Download,
        part: Part,
        mut progress: impl FnMut(DownloadState),
    ) -> Result<(PathBuf, u64), DownloadError> {
        let mut received = part.size();
        // A slow disk must not delay other requests.
        let (pieces, inbox) = mpsc::channel(WAITING);
        let (done, written) = oneshot::channel();
        let hold = self.hold.clone();
        tokio::task::spawn_blocking(move || {
            let _hold = hold;
            // After a cancellation, no caller waits for the file.
            if let Err(Ok(part)) = done.send(part.write(inbox)) {
                Part::keep_if_of_use(part);
            }
        });
        let ended = loop {
            progress(DownloadState { received, total: self.total });
            let piece = match download.piece().await {
                Ok(Some(piece)) => piece,
                Ok(None) => break Ok(()),
                Err(e) => break Err(e),
            };
            received = received.saturating_add(piece.len() as u64);
            // One extra chunk shows that the body is larger than announced or allowed.
            if received > self.total.unwrap_or(self.max_size) || pieces.send(piece).await.is_err() {
                break Ok(());
            }
        };
        drop(pieces);
        let part = written.await.map_err(|e| self.lost(&e))??;
        match (ended, self.total) {
            (Ok(()), None) if received > self.max_size => {
                part.discard();
                Err(DownloadError::TooLarge { host: self.host, limit: self.max_size })
            }
            (Ok(()), Some(total)) if received != total => {
                part.discard();
                Err(DownloadError::Length { host: self.host, received, total })
            }
            (Ok(()), _) => self.hold.run(move || part.finish()).await.map(|path| (path, received)),
            (Err(why), _) if part.resume().is_some() => {
                Err(DownloadError::Unfinished { why, kept: part.size() })
            }
            (Err(why), _) => {
                part.discard();
                Err(why.into())
            }
        }
    }

    fn lost(&self, error: &oneshot::error::RecvError) -> DownloadError {
        DownloadError::Refused(format!("cannot store the file of {}: {error}", self.host))
    }
}

/// Runs file operations on a separate thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DownloadError> + Send + 'static,
) -> Result<T, DownloadError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|e| Err(DownloadError::Refused(format!("cannot store the file: {e}"))))
}

#[cfg(test)]
mod tests {
    use super::{AT_ONCE, DownloadError, Downloads, content_range};
    use std::path::Path;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn refuses_a_second_download_of_the_same_file() {
        let downloads = Downloads::default();
        let turn = |url: &'static str| Box::pin(downloads.turn(Path::new("/files"), url));
        let mut context = Context::from_waker(Waker::noop());
        let mut running = Vec::new();
        for url in ["a", "b", "c"] {
            let Poll::Ready(Ok(one)) = turn(url).as_mut().poll(&mut context) else {
                panic!("{url}")
            };
            running.push(one);
        }
        assert_eq!(running.len(), AT_ONCE);
        let again = turn("a").as_mut().poll(&mut context);
        assert!(matches!(again, Poll::Ready(Err(DownloadError::Twice))));
        let mut waiting = turn("d");
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        running.remove(0);
        assert!(waiting.as_mut().poll(&mut context).is_ready());
        assert!(matches!(turn("a").as_mut().poll(&mut context), Poll::Ready(Ok(_))));
    }

    #[test]
    fn waits_for_the_file_of_a_stopped_download() {
        let downloads = Downloads::default();
        let turn = || Box::pin(downloads.turn(Path::new("/files"), "a"));
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(Ok((running, hold))) = turn().as_mut().poll(&mut context) else { panic!() };
        let writer = hold.clone();
        drop((running, hold));
        let mut next = turn();
        assert!(next.as_mut().poll(&mut context).is_pending());
        drop(writer);
        assert!(matches!(next.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
    }

    #[test]
    fn parses_content_ranges() {
        for (header, expected) in [
            ("bytes 200-1023/1024", Some((200, 1023, 1024))),
            ("bytes 0-0/1", Some((0, 0, 1))),
            ("bytes */1024", None),
            ("bytes 200-1023/*", None),
            ("items 0-1/2", None),
            ("bytes -1-2/3", None),
            ("bytes 0-99999999999999999999/1", None),
            ("", None),
        ] {
            assert_eq!(content_range(header), expected, "{header}");
        }
    }
}

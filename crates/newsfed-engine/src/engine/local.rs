//! Feeds printed by a program or contained in a file, and programs that filter fetched documents. Both
//! produce a response for the rest of the poll.

use super::context::Context;
use super::mailbox::{self, Content};
use super::poll::{Finished, Started, read_response};
use super::program::{Ended, run_for_document};
use super::site::{PageFetcher, Prefetched};
use crate::config::Paths;
use crate::model::{ErrorKind, Origin, Source, SourceFacts, Validators};
use crate::net::{Freshness, Response};
use crate::util::file_error::cannot_read;
use crate::util::{limits, text};
use bytes::Bytes;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};
use url::Url;

/// Maximum number of source programs running at the same time.
pub(super) const AT_ONCE: usize = 4;
/// Maximum number of mailboxes read at the same time, because each may take 64 MiB of memory.
pub(super) const MAILBOXES_AT_ONCE: usize = 1;
/// Maximum length of a program's error in a message, in characters.
const MAX_ERROR: usize = 300;

/// Why no document could be read.
#[derive(Debug)]
pub(super) struct LocalError {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
}

/// Polls a source without the network.
pub(super) async fn poll(started: &Started<'_>, fetcher: PageFetcher<'_>) -> Finished {
    let Started { context, job, facts, .. } = *started;
    let (requested, since) = (job.source.url.to_string(), Instant::now());
    match read(context, &job.source, Some(facts)).await {
        Ok((response, notes)) => {
            let finished = Finished { requests: 0, ..Finished::of(&response, requested) };
            let read = read_response(started, fetcher, finished, response, Prefetched::new());
            let mut finished = read.await;
            finished.repairs.extend(notes);
            finished
        }
        Err(e) => Finished::failed(requested, e.kind, e.message, since.elapsed()),
    }
}

/// Reads the output of a program, or the content of a file or mailbox. Returns it with notes about it. The
/// status is 304 if the file is unchanged since it was last read, according to `before`.
pub(super) async fn read(
    context: &Arc<Context>,
    source: &Source,
    before: Option<&SourceFacts>,
) -> Result<(Response, Vec<String>), LocalError> {
    let since = Instant::now();
    if source.origin.path().is_none() {
        let body = run(context, source, source.origin.exec.clone(), &[], before).await?;
        let response = response(&source.url, 200, body, since.elapsed());
        return Ok((with_memory(context, response).await, Vec::new()));
    }
    let known = before.filter(|facts| facts.body_hash.is_some());
    let known = known.and_then(|facts| facts.validators.etag.clone());
    let (url, origin) = (source.url.clone(), source.origin.clone());
    let _turn = match origin.mail.is_some() {
        true => context.mailboxes.acquire().await.ok(),
        false => None,
    };
    let read = move || read_path(&url, &origin, known.as_deref());
    let read = tokio::task::spawn_blocking(read).await;
    let read =
        read.unwrap_or_else(|_| Err("the file could not be read (this is a bug)".to_owned()));
    let Content { version, feed: body, notes } =
        read.map_err(|message| LocalError { kind: ErrorKind::User, message })?;
    let status = if body.is_some() { 200 } else { 304 };
    let mut response = response(&source.url, status, body.unwrap_or_default(), since.elapsed());
    response.validators.etag = Some(version);
    let response = with_memory(context, response).await;
    Ok((filtered(context, source, response, before).await?, notes))
}

/// Passes a fetched document through the filter of its source, if there is one.
pub(super) async fn filtered(
    context: &Arc<Context>,
    source: &Source,
    mut response: Response,
    before: Option<&SourceFacts>,
) -> Result<Response, LocalError> {
    if source.origin.filter.is_empty() || !response.is_success() {
        return Ok(response);
    }
    let argv = source.origin.filter.clone();
    response.body = run(context, source, argv, &response.body, before).await?.into();
    // The content type was that of the input.
    response.headers.retain(|(name, _)| name != "content-type");
    Ok(response)
}

/// Runs a program of a source and returns the document that it prints.
async fn run(
    context: &Arc<Context>,
    source: &Source,
    mut argv: Vec<String>,
    input: &[u8],
    before: Option<&SourceFacts>,
) -> Result<Vec<u8>, LocalError> {
    let failed = |kind, message: String| LocalError { kind, message };
    let Some(program) = argv.first_mut() else {
        return Err(failed(ErrorKind::User, "no program is given".to_owned()));
    };
    if let Some(path) = Paths::expanded(program).filter(|_| program.starts_with("~/")) {
        *program = path.to_string_lossy().into_owned();
    }
    let name = text::line(program);
    let last_ok = before.and_then(|facts| facts.last_ok).map(|at| at.to_rfc3339());
    let variables = [
        ("NEWSFED_SOURCE", source.id.as_str()),
        ("NEWSFED_URL", source.web_url().map_or("", Url::as_str)),
        ("NEWSFED_LAST_OK", last_ok.as_deref().unwrap_or_default()),
    ];
    let Ok(_turn) = context.programs.acquire().await else {
        return Err(failed(ErrorKind::Transient, format!("{name} was not started")));
    };
    let (limit, most) = (source.origin.time_limit(), limits::FEED_BYTES);
    let ended = run_for_document(&argv, input, limit, most, &variables).await;
    match ended {
        Ended { ok: true, output, .. } => Ok(output),
        Ended { is_started: false, status, .. } => Err(failed(ErrorKind::User, status)),
        Ended { status, error, .. } => {
            let error = error.map(|error| format!(": {error}")).unwrap_or_default();
            // Drop this colon, because another one separates the program's own message.
            let status = status.replacen("exit status: ", "exit status ", 1);
            let message = format!("{name} failed: {status}{error}");
            Err(failed(ErrorKind::Permanent, text::truncate(&message, MAX_ERROR).into_owned()))
        }
    }
}

/// Reads a file or mailbox unless its version is still `known`. The error is a message.
fn read_path(url: &Url, origin: &Origin, known: Option<&[u8]>) -> Result<Content, String> {
    let path = url.to_file_path().map_err(|()| format!("{url} is not a file"))?;
    match origin.mail.is_some() {
        true => mailbox::read(&path, origin.from.as_deref().unwrap_or_default(), known),
        false => read_file(&path, known),
    }
}

fn read_file(path: &Path, known: Option<&[u8]>) -> Result<Content, String> {
    let shown = text::line(&path.display().to_string());
    let unreadable = |e: std::io::Error| cannot_read(path, &e);
    // Opening a pipe would block until there is a writer.
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(format!("{shown} is not a regular file"));
    }
    let version = version(&about);
    if known == Some(version.as_slice()) {
        return Ok(Content { version, ..Content::default() });
    }
    let limit = text::size(limits::FEED_BYTES as u64);
    let body = content(path).map_err(unreadable)?;
    let body =
        body.ok_or_else(|| format!("{shown} is larger than {limit}, the limit for feeds"))?;
    Ok(Content { version, feed: Some(body), ..Content::default() })
}

/// The content of a file; `None` if it is too large.
fn content(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    std::fs::File::open(path)?.take(limits::FEED_BYTES as u64 + 1).read_to_end(&mut body)?;
    Ok((body.len() <= limits::FEED_BYTES).then_some(body))
}

/// Size and modification time of a file.
fn version(about: &std::fs::Metadata) -> Vec<u8> {
    let modified = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    format!("{} {}", about.len(), modified.unwrap_or_default().as_nanos()).into_bytes()
}

/// Waits until a body fits into the memory budget.
async fn with_memory(context: &Context, response: Response) -> Response {
    let memory = context.client.memory_share(response.body.len() as u64).await;
    Response { memory: Some(memory), ..response }
}

fn response(url: &Url, status: u16, body: Vec<u8>, elapsed: Duration) -> Response {
    Response {
        status,
        final_url: url.clone(),
        hops: Vec::new(),
        validators: Validators::default(),
        cache: Freshness::default(),
        headers: Vec::new(),
        wire_bytes: 0,
        body: Bytes::from(body),
        memory: None,
        elapsed,
        crawl_delay: Duration::ZERO,
    }
}

/// The queue for a source's polls: its host. Programs and files do not have to wait for each other.
pub(super) fn queue_of(source: &Source, moved_to: Option<&Url>) -> String {
    match source.web_url() {
        Some(url) => crate::net::host_key(moved_to.unwrap_or(url)),
        None => source.id.to_string(),
    }
}

/// Removes facts that do not apply to this poll, because they are about a document from a different filter.
pub(super) fn facts_under(origin: &Origin, facts: &mut SourceFacts) {
    let filter = origin.filter_fingerprint();
    if facts.website.rules != filter {
        facts.website.rules = filter;
        facts.validators = Validators::default();
        facts.body_hash = None;
    }
}

//! Pictures of articles, fetched like pages: robots.txt, the host gate, pauses and limits apply.

use super::context::Context;
use super::fulltext::{find_embedded, paused_until};
use super::handle::Handle;
use super::poll::pause_host;
use crate::article::Thumbnail;
use crate::net::{self, FetchError, Purpose, Request, Response};
use crate::util::text::counted;
use crate::util::{limits, text};
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::Mutex;
use url::Url;

/// Pictures are decoded one at a time.
static TURN: Mutex<()> = Mutex::const_new(());

impl Handle {
    /// Fetches a picture in an article from a source (row key) and scales it down. `detailed` keeps a version
    /// for terminals that draw pixels.
    ///
    /// # Errors
    /// If there is no response, or the file is not a picture in a supported format.
    pub async fn picture(
        &self,
        source: i64,
        url: &str,
        detailed: bool,
    ) -> Result<Thumbnail, String> {
        let context = &self.context;
        let response = fetch(context, source, url).await?;
        let read = decode(context, move || Thumbnail::read(&response.body, detailed)).await;
        read.ok_or_else(|| "the file is not a picture in a supported format".to_owned())
    }

    /// Finds pictures that are embedded in the page of an item (row key) by their markers, and scales them
    /// down. The page is requested once, and only if it is not in memory.
    pub async fn embedded_pictures(
        &self,
        item: i64,
        markers: Vec<String>,
        detailed: bool,
    ) -> EmbeddedPictures {
        let context = &self.context;
        let wanted = HashSet::from_iter(markers.iter().cloned());
        let (mut found, of_page) = match find_embedded(context, item, wanted).await {
            Ok(found) => (found.pictures, found.of_page),
            Err(why) => {
                let pictures = markers.into_iter().map(|marker| (marker, None)).collect();
                let missing = Some(format!("The page with the pictures was not fetched: {why}"));
                return EmbeddedPictures { pictures, missing };
            }
        };
        let (mut pictures, mut missing) = (Vec::new(), 0);
        for marker in markers {
            let at = found.iter().position(|(m, _)| *m == marker);
            let Some((_, bytes)) = at.map(|at| found.swap_remove(at)) else {
                missing += 1;
                pictures.push((marker, None));
                continue;
            };
            let picture = decode(context, move || Thumbnail::read(&bytes, detailed)).await;
            pictures.push((marker, picture));
        }
        let missing = (missing > 0).then(|| {
            let count = counted(missing, "picture");
            match of_page {
                true => format!("{count} not shown: the page no longer contains the embedded data"),
                false => format!("{count} not shown: embedded only in the feed, not in the page"),
            }
        });
        EmbeddedPictures { pictures, missing }
    }
}

/// Embedded pictures of an item.
#[derive(Debug)]
pub struct EmbeddedPictures {
    /// The requested markers with their pictures; `None` if a picture was not found or cannot be shown.
    pub pictures: Vec<(String, Option<Thumbnail>)>,
    /// Why pictures were not found.
    pub missing: Option<String>,
}

/// Decodes a picture. A small file may decode to a large picture. Pictures that wait for their turn must not
/// occupy the threads that feeds need.
async fn decode(
    context: &Arc<Context>,
    work: impl FnOnce() -> Option<Thumbnail> + Send + 'static,
) -> Option<Thumbnail> {
    let _turn = TURN.lock().await;
    context.read_document(limits::IMAGE_BYTES, work).await.flatten()
}

/// Fetches a picture in an article from a source (row key).
pub(super) async fn fetch(
    context: &Arc<Context>,
    source: i64,
    url: &str,
) -> Result<Response, String> {
    let source = context.source(source).ok_or("the source was removed")?;
    let url = Url::parse(url).map_err(|e| text::line(&e.to_string()))?;
    let now = context.clock.now();
    if let Some(until) = paused_until(context, &url, now).await {
        let paused = FetchError::Paused { host: net::host_key(&url), until };
        return Err(text::line(&paused.to_string()));
    }
    let request = Request {
        declared: Some(source.url.clone()),
        access: source.access.clone(),
        allow_private: net::allows_private(&source),
        spacing: source.rules.pages().and_then(|rules| rules.delay),
        max_bytes: Some(limits::IMAGE_BYTES as u64),
        purpose: Purpose::Picture,
        ..Request::page(url)
    };
    let fetched = context.client.fetch(request).await;
    let response = fetched.map_err(|e| text::line(&e.to_string()))?;
    if matches!(response.status, 403 | 429 | 503)
        && let Err(e) = pause_host(context, None, &response.final_url).await
    {
        tracing::error!("cannot pause a host: {e}");
    }
    if !response.is_success() {
        return Err(response.refusal().1);
    }
    Ok(response)
}

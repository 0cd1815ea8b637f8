//! Files whose bodies are read piece by piece, from the start or from a later byte.

use super::super::error::{FetchError, plain};
use super::super::request::{Request, Response};
use super::super::request_headers::RequestHeaders;
use super::{Client, HopRequest, Inner, Sent, check_address, follow, host};
use crate::util::url::take_credentials;
use bytes::Bytes;
use reqwest::header::{self, HeaderMap, HeaderValue};
use std::collections::HashSet;
use std::time::Duration;
use url::Url;

/// The bytes that were already received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resume {
    /// Number of bytes that are stored already.
    pub offset: u64,
    /// The validator of the file that the bytes are from: the server sends the rest only if the file still
    /// has this validator.
    pub validator: Vec<u8>,
}

/// A response whose body is read piece by piece.
#[derive(Debug)]
pub struct Download {
    /// The response without its body.
    pub response: Response,
    body: reqwest::Response,
    /// Maximum time to wait for a piece.
    patience: Duration,
}

impl Client {
    /// Requests a file and follows redirects. The gate of the host schedules the requests, but the host is
    /// free for others while a body is read, because that may take hours.
    ///
    /// # Errors
    /// If there is no usable response, or the request is not allowed.
    pub async fn download(
        &self,
        request: &Request,
        resume: Option<&Resume>,
    ) -> Result<Download, FetchError> {
        let inner = &self.inner;
        let mut url = request.url.clone();
        url.set_fragment(None);
        take_credentials(&mut url);
        let user = take_credentials(&mut request.home().clone());
        let headers = RequestHeaders::prepare(request, user, &inner.secrets).await?;
        let (mut hops, mut seen) = (0, HashSet::new());
        loop {
            let (sent, permit) = inner.ask_for_file(&url, request, &headers, resume).await?;
            match sent {
                Sent::Redirect { location, .. } => {
                    drop(permit);
                    let next = follow(&url, &location, hops)?;
                    seen.insert(url);
                    if seen.contains(&next) {
                        return Err(FetchError::RedirectLoop { host: host(&next) });
                    }
                    hops += 1;
                    url = next;
                }
                Sent::Response(body) => {
                    let response = inner.facts(&url, body.status().as_u16(), body.headers());
                    inner.apply_pause(&url, &response);
                    drop(permit);
                    let encoding = response.header("content-encoding").unwrap_or("identity");
                    if response.is_success() && !encoding.eq_ignore_ascii_case("identity") {
                        let detail = format!(
                            "the server compressed the file ({}), although newsfed did not accept compression",
                            plain(encoding)
                        );
                        return Err(FetchError::Unreadable { host: host(&url), detail });
                    }
                    let patience = inner.settings.feed_timeout;
                    return Ok(Download { response, body, patience });
                }
            }
        }
    }
}

impl Inner {
    async fn ask_for_file(
        &self,
        url: &Url,
        request: &Request,
        headers: &RequestHeaders,
        resume: Option<&Resume>,
    ) -> Result<(Sent, super::Permit), FetchError> {
        let home = request.home();
        let private_ok = request.allow_private && url.host() == home.host();
        check_address(url, private_ok)?;
        let spacing = request.spacing.unwrap_or(self.settings.host_delay);
        let permit = self.permit(url, spacing, request.force).await?;
        let mut headers = headers.for_hop(url, request);
        resume.into_iter().for_each(|resume| resume.add_to(&mut headers));
        let allowed = self.settings.page_timeout;
        let hop = HopRequest {
            url,
            kind: self.kind(request, url, private_ok, false)?,
            headers,
            left: allowed,
            allowed,
            follow: request.follow,
            head: false,
            max_bytes: None,
        };
        let sent = self.send(&hop).await.map_err(|error| match error {
            FetchError::Private { host } if url.host() == home.host() => {
                FetchError::PrivateName { host }
            }
            error => error,
        })?;
        Ok((sent, permit))
    }
}

impl Resume {
    fn add_to(&self, headers: &mut HeaderMap) {
        let range = HeaderValue::try_from(format!("bytes={}-", self.offset));
        // Without a validator, the rest of a different file could be appended.
        if let (Ok(range), Ok(validator)) = (range, HeaderValue::from_bytes(&self.validator)) {
            headers.insert(header::RANGE, range);
            headers.insert(header::IF_RANGE, validator);
        }
    }
}

impl Download {
    /// The announced length of the body.
    pub fn length(&self) -> Option<u64> {
        self.body.content_length()
    }

    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// If the connection ends too early, or nothing arrives for too long.
    pub async fn piece(&mut self) -> Result<Option<Bytes>, FetchError> {
        let host = || host(&self.response.final_url);
        match tokio::time::timeout(self.patience, self.body.chunk()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(_)) | Err(_) => Err(FetchError::Incomplete { host: host() }),
        }
    }
}

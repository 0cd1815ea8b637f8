//! Requests and responses.

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH,
    LAST_MODIFIED,
};
use hyper::{Method, StatusCode, Uri};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::SystemTime;

/// A request, complete with its body.
#[derive(Debug, Clone)]
pub struct ServedRequest {
    pub method: Method,
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
}

#[derive(Debug, Clone)]
pub struct ServedResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Pieces,
}

/// The body of a response, in pieces that are freed as they are sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pieces(VecDeque<Bytes>);

impl From<Bytes> for Pieces {
    fn from(whole: Bytes) -> Self {
        Self(VecDeque::from([whole]))
    }
}

impl From<String> for Pieces {
    fn from(whole: String) -> Self {
        Self::from(Bytes::from(whole))
    }
}

impl From<Vec<Vec<u8>>> for Pieces {
    fn from(pieces: Vec<Vec<u8>>) -> Self {
        Self(pieces.into_iter().map(Bytes::from).collect())
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.iter().all(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}

impl ServedResponse {
    /// A response with one line of text.
    pub fn text(status: StatusCode, text: &str) -> Self {
        let body = Bytes::from(format!("{text}\n"));
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        Self { status, headers: HeaderMap::new(), body: body.into() }.with(CONTENT_TYPE, plain)
    }

    pub fn not_found() -> Self {
        Self::text(StatusCode::NOT_FOUND, "Not found")
    }

    /// The response to a method other than `allowed`.
    pub fn wrong_method(allowed: &'static str) -> Self {
        let response = Self::text(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
        response.with(ALLOW, HeaderValue::from_static(allowed))
    }

    /// A document, or 304 if the client already has it.
    pub fn document(
        request: &ServedRequest,
        media_type: &'static str,
        modified: Option<SystemTime>,
        body: impl Into<Bytes>,
    ) -> Self {
        let body = body.into();
        let hash: String = Sha256::digest(&body)[..16].iter().map(|b| format!("{b:02x}")).collect();
        let tag = format!("\"{hash}\"");
        let known = request.headers.get_all(IF_NONE_MATCH).iter().any(|value| has_tag(value, &tag));
        let (status, body) =
            if known { (StatusCode::NOT_MODIFIED, Bytes::new()) } else { (StatusCode::OK, body) };
        let mut response = Self { status, headers: HeaderMap::new(), body: body.into() }
            .with(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            response = response.with(ETAG, tag);
        }
        let modified = modified.map(|at| HeaderValue::from_str(&httpdate::fmt_http_date(at)));
        if let Some(Ok(modified)) = modified {
            response = response.with(LAST_MODIFIED, modified);
        }
        if known {
            return response;
        }
        response.with(CONTENT_TYPE, HeaderValue::from_static(media_type))
    }

    /// Sets a header.
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

/// Whether a list of entity tags contains `tag`. If-None-Match ignores whether tags are weak.
fn has_tag(list: &HeaderValue, tag: &str) -> bool {
    let list = list.to_str().unwrap_or_default();
    list.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

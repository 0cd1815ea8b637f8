//! The headers of a request, and which URLs receive them.

use super::body::ACCEPT_ENCODING;
use super::error::{FetchError, plain};
use super::request::{Purpose, Request};
use super::secret::Secrets;
use crate::model::{Access, Validators};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use url::Url;

/// Headers for every hop, and headers for the user's own origin only.
pub(crate) struct RequestHeaders {
    common: HeaderMap,
    private: HeaderMap,
}

/// Headers that only the program may set.
const RESERVED: [HeaderName; 6] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::ACCEPT_ENCODING,
    header::UPGRADE,
];

impl RequestHeaders {
    /// Resolves the secrets of a source once, before the request waits for its turn.
    pub(crate) async fn prepare(
        request: &Request,
        user: Option<(String, String)>,
        secrets: &Secrets,
    ) -> Result<Self, FetchError> {
        let accept = match request.purpose {
            Purpose::Feed => {
                "application/atom+xml, application/rss+xml, application/feed+json, \
                 application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
            }
            Purpose::Picture => "image/png, image/jpeg, image/webp, image/gif, image/*;q=0.5",
            Purpose::File => "*/*",
            Purpose::Page => "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.5",
        };
        let mut common = HeaderMap::new();
        common.insert(header::ACCEPT, HeaderValue::from_static(accept));
        // Parts of a compressed body could not be joined.
        let is_file = request.purpose == Purpose::File;
        let encoding = if is_file { "identity" } else { ACCEPT_ENCODING };
        common.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(encoding));
        let private = private_headers(&request.access, user, secrets).await?;
        Ok(Self { common, private })
    }

    /// The headers for one hop: secrets for the user's own origin only, validators for the URL
    /// that they came from.
    pub(crate) fn for_hop(&self, url: &Url, request: &Request) -> HeaderMap {
        let mut headers = self.common.clone();
        if owns_validators(url, request) {
            let Validators { etag, last_modified } = &request.validators;
            let pairs = [(header::IF_NONE_MATCH, etag), (header::IF_MODIFIED_SINCE, last_modified)];
            for (name, value) in pairs {
                let value = value.as_deref().map(HeaderValue::from_bytes);
                if let Some(Ok(value)) = value {
                    headers.insert(name, value);
                }
            }
        }
        if url.origin() == request.home().origin() {
            headers.extend(self.private.clone());
        }
        headers
    }
}

/// The source's own headers and credentials.
async fn private_headers(
    access: &Access,
    user: Option<(String, String)>,
    secrets: &Secrets,
) -> Result<HeaderMap, FetchError> {
    let mut headers = HeaderMap::new();
    for (name, secret) in &access.headers {
        let value = secrets.look_up(secret).await?;
        let bad = || FetchError::Header { name: plain(name) };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        if RESERVED.contains(&header) {
            return Err(bad());
        }
        let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| bad())?;
        value.set_sensitive(true);
        headers.append(header, value);
    }
    let login = match &access.auth {
        Some(auth) => Some((auth.user.clone(), secrets.look_up(&auth.password).await?.to_string())),
        None => user,
    };
    if let Some((user, password)) = login {
        headers.insert(header::AUTHORIZATION, basic(&user, &password)?);
    }
    Ok(headers)
}

fn owns_validators(url: &Url, request: &Request) -> bool {
    match &request.validators_of {
        Some(owner) => url == owner,
        None => url.host() == request.url.host(),
    }
}

fn basic(user: &str, password: &str) -> Result<HeaderValue, FetchError> {
    use base64::Engine;
    let text = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
    let value = HeaderValue::from_str(&format!("Basic {text}"));
    let mut value = value.map_err(|_| FetchError::Header { name: "Authorization".to_owned() })?;
    value.set_sensitive(true);
    Ok(value)
}

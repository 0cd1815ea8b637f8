//! JSON requests to a service that the user configured.

use super::body::Decoder;
use super::client::{Client, host};
use super::error::{Attempt, FetchError, plain};
use super::transport::{Kind, Route};
use crate::model::Secret;
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use std::time::Duration;
use url::Url;

/// Maximum size of a response in bytes.
const MOST: u64 = 256 * 1024;

impl Client {
    /// Sends a JSON document, with the secret as bearer token, and returns the body of the
    /// response. The URL is the user's own, so it may be private; redirects are not followed.
    ///
    /// # Errors
    /// If there is no response with status 200 within that time.
    pub async fn post_json(
        &self,
        url: &Url,
        key: Option<&Secret>,
        body: String,
        within: Duration,
    ) -> Result<Bytes, FetchError> {
        let asked = self.ask_service(url, key, body, within);
        let late = |_| FetchError::Timeout { host: host(url), after: within };
        tokio::time::timeout(within, asked).await.map_err(late)?
    }

    async fn ask_service(
        &self,
        url: &Url,
        key: Option<&Secret>,
        body: String,
        within: Duration,
    ) -> Result<Bytes, FetchError> {
        let (transport, proxy) = self.service_transport();
        let route = Route::choose(None, proxy, url)?;
        let client = transport.client(&Kind { guarded: false, kept_alive: true, route })?;
        let mut request = client.post(url.clone()).header(CONTENT_TYPE, "application/json");
        if let Some(key) = key {
            let key = self.secret(key).await?;
            request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        }
        let name = host(url);
        let unreadable = |detail: String| FetchError::Unreadable { host: host(url), detail };
        let attempt = Attempt { host: &name, allowed: within, has_roots: transport.has_roots() };
        let mut answer = request.body(body).send().await.map_err(|e| attempt.explain(&e))?;
        if answer.status().as_u16() != 200 {
            return Err(unreadable(format!("HTTP {}", answer.status().as_u16())));
        }
        let encoding = answer.headers().get(CONTENT_ENCODING);
        let encoding = encoding.map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned());
        let odd = |e: super::body::BodyError| unreadable(plain(&e.to_string()));
        let mut decoder = Decoder::new(encoding.as_deref(), MOST).map_err(odd)?;
        while let Some(piece) = answer.chunk().await.map_err(|e| attempt.explain(&e))? {
            decoder.push(&piece).map_err(odd)?;
        }
        decoder.finish().map_err(odd)
    }
}

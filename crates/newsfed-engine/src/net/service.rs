//! Requests to a service that the user configured, without robots.txt, pauses or redirects.

use super::body::{ACCEPT_ENCODING, BodyError, Decoder};
use super::client::{Client, host};
use super::error::{Attempt, FetchError, plain};
use super::freshness::{Freshness, http_date};
use super::transport::{Kind, Route};
use crate::model::{Secret, Time};
use bytes::Bytes;
use reqwest::header::{ACCEPT_ENCODING as ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// Maximum size of the response to [`Client::post_json`] in bytes.
const MAX: u64 = 256 * 1024;

/// A request to a service. The URL is the user's own, so it may be private.
#[derive(Clone)]
pub struct ServiceRequest {
    pub url: Url,
    /// Media type and content of the body; without one the method is GET.
    pub body: Option<(&'static str, String)>,
    /// The header `Authorization`; a secret.
    pub authorization: Option<String>,
    /// Time limit for the whole response.
    pub within: Duration,
    /// Maximum size of the response after decompression, in bytes.
    pub limit: u64,
}

/// The response of a service, with any status.
pub struct ServiceResponse {
    pub status: u16,
    pub body: Bytes,
    /// `Retry-After`.
    pub retry_after: Option<Duration>,
    /// The time of the server's clock, from the header `Date`.
    pub date: Option<Time>,
    /// The header `Server`.
    pub server: Option<String>,
    pub elapsed: Duration,
}

impl Client {
    /// Sends a request to a service. Redirects are not followed.
    ///
    /// # Errors
    /// If there is no complete response within its limits.
    pub async fn request_service(
        &self,
        request: ServiceRequest,
    ) -> Result<ServiceResponse, FetchError> {
        let (url, within) = (request.url.clone(), request.within);
        let late = |_| FetchError::Timeout { host: host(&url), after: within };
        tokio::time::timeout(within, self.request_unlimited(request)).await.map_err(late)?
    }

    async fn request_unlimited(
        &self,
        service: ServiceRequest,
    ) -> Result<ServiceResponse, FetchError> {
        let (url, began) = (service.url, Instant::now());
        let (transport, proxy) = self.service_transport();
        let route = Route::choose(None, proxy, &url)?;
        let unencrypted = route.is_unencrypted(&url);
        let kind = Kind { guarded: false, kept_alive: true, unencrypted, route };
        let client = transport.client(&kind)?;
        let mut request = match service.body {
            Some((media_type, body)) => {
                client.post(url.clone()).header(CONTENT_TYPE, media_type).body(body)
            }
            None => client.get(url.clone()),
        };
        request = request.header(ACCEPT, ACCEPT_ENCODING);
        if let Some(authorization) = service.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let name = host(&url);
        let attempt =
            Attempt { host: &name, allowed: service.within, has_roots: transport.has_roots() };
        let mut response = request.send().await.map_err(|e| attempt.explain(&e))?;
        let status = response.status().as_u16();
        let headers = response.headers().iter();
        let headers: Vec<(String, String)> = headers
            .map(|(n, v)| (n.to_string(), String::from_utf8_lossy(v.as_bytes()).into_owned()))
            .collect();
        let pairs = headers.iter().map(|(n, v)| (n.as_str(), v.as_str()));
        let retry_after = Freshness::read(pairs.clone(), self.now()).retry_after;
        let date = pairs.clone().find(|(n, _)| *n == "date").and_then(|(_, v)| http_date(v));
        let server = pairs.clone().find(|(n, _)| *n == "server").map(|(_, v)| v.to_owned());
        let encoding = pairs.clone().find(|(n, _)| *n == CONTENT_ENCODING.as_str());
        let odd = |e: BodyError, received: u64| match e {
            BodyError::TooLarge => FetchError::TooLarge {
                host: host(&url),
                limit: service.limit,
                received,
                declared: None,
            },
            other => FetchError::Unreadable { host: host(&url), detail: plain(&other.to_string()) },
        };
        let mut decoder =
            Decoder::new(encoding.map(|(_, v)| v), None, service.limit).map_err(|e| odd(e, 0))?;
        while let Some(piece) = response.chunk().await.map_err(|e| attempt.explain(&e))? {
            if let Err(e) = decoder.push(&piece) {
                return Err(odd(e, decoder.wire_bytes()));
            }
        }
        let received = decoder.wire_bytes();
        let body = decoder.finish().map_err(|e| odd(e, received))?;
        let elapsed = began.elapsed();
        Ok(ServiceResponse { status, body, retry_after, date, server, elapsed })
    }

    /// The value of a secret.
    ///
    /// # Errors
    /// If it is not available; the message does not contain the secret.
    pub async fn service_secret(&self, secret: &Secret) -> Result<Arc<str>, FetchError> {
        self.secret(secret).await
    }

    /// Drops the value of a secret that a service has refused; returns whether the next value may differ.
    pub async fn drop_secret(&self, secret: &Secret) -> bool {
        self.secrets().drop_cached(secret).await
    }

    /// Sends a JSON document, with the secret as bearer token, and returns the body of the
    /// response. The URL is the user's own, so it may be private; redirects are not followed.
    ///
    /// # Errors
    /// If no response with status 200 arrives in the time `within`.
    pub async fn post_json(
        &self,
        url: &Url,
        key: Option<&Secret>,
        body: String,
        within: Duration,
    ) -> Result<Bytes, FetchError> {
        let authorization = match key {
            Some(key) => Some(format!("Bearer {}", self.secret(key).await?)),
            None => None,
        };
        let body = Some(("application/json", body));
        let url = url.clone();
        let request = ServiceRequest { url: url.clone(), body, authorization, within, limit: MAX };
        let response = self.request_service(request).await?;
        if response.status != 200 {
            let detail = format!("HTTP {}", response.status);
            return Err(FetchError::Unreadable { host: host(&url), detail });
        }
        Ok(response.body)
    }
}

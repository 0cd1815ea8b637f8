//! Requests to the server of an account: login, tokens, retries.

use super::state::AccountError;
use crate::config::AccountSettings;
use crate::engine::context::Context;
use crate::greader::{Body, RemoteRequest, parse_login};
use crate::model::Time;
use crate::net::{FetchError, ServiceRequest, ServiceResponse};
use crate::store::StoredAccount;
use crate::util::text;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Timeout of a request. It is long because FreshRSS fetches a feed while subscribing to it.
const WITHIN: Duration = Duration::from_secs(60);
const MIB: u64 = 1 << 20;
/// Maximum size of a list, in bytes.
const LIST_BYTES: u64 = 64 * MIB;
/// Maximum size of a page of items, in bytes.
const PAGE_BYTES: u64 = 32 * MIB;
/// Maximum number of attempts per request.
const TRIES: u32 = 3;
/// Delay before the first retry.
const PAUSE: Duration = Duration::from_millis(200);
/// Maximum length of a token, in bytes.
const TOKEN: usize = 1024;

/// A connection to the server of an account.
pub(super) struct Session {
    context: Arc<Context>,
    settings: AccountSettings,
    pub(super) stored: StoredAccount,
    /// Number of requests so far.
    pub(super) requests: u32,
    /// The server's clock in the last response.
    pub(super) date: Option<Time>,
    renewed: Renewed,
}

/// What has been renewed since the last success, because of a 401.
#[derive(Default)]
struct Renewed {
    token: bool,
    login: bool,
}

impl Session {
    pub(super) fn new(
        context: Arc<Context>,
        settings: AccountSettings,
        stored: StoredAccount,
    ) -> Self {
        let renewed = Renewed::default();
        Self { context, settings, stored, requests: 0, date: None, renewed }
    }

    async fn once(&mut self, request: &RemoteRequest) -> Result<ServiceResponse, AccountError> {
        let query = if request.query.is_empty() { "" } else { "?" };
        let text = format!("{}{}{query}{}", self.settings.url, request.path, request.query);
        let shape =
            |found: &str| AccountError::Shape { request: "the login", found: found.to_owned() };
        let url = Url::parse(&text).map_err(|_| shape("not a URL"))?;
        let body = match &request.body {
            Body::None => None,
            Body::Form(form) => Some(("application/x-www-form-urlencoded", form.clone())),
            Body::Opml(opml) => Some(("application/xml", opml.clone())),
        };
        let login = request.path.starts_with("/accounts/");
        let auth = self.stored.auth.as_ref().filter(|_| !login);
        let authorization = auth.map(|auth| format!("GoogleLogin auth={auth}"));
        let limit = if request.path.contains("contents") { PAGE_BYTES } else { LIST_BYTES };
        self.requests += 1;
        let service = ServiceRequest { url, body, authorization, within: WITHIN, limit };
        let response = self.context.client.request_service(service).await?;
        self.date = response.date.or(self.date);
        Ok(response)
    }

    /// Sends a request up to three times, so the request must be idempotent.
    async fn tried(&mut self, request: &RemoteRequest) -> Result<ServiceResponse, AccountError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let result = self.once(request).await;
            let again = match &result {
                Ok(response) if is_busy(response.status) => {
                    if let Some(wait) = response.retry_after {
                        let (status, retry_after) = (response.status, Some(wait));
                        return Err(AccountError::Busy { status, retry_after });
                    }
                    true
                }
                Ok(_) => false,
                Err(AccountError::Fetch(FetchError::Cut { .. } | FetchError::Timeout { .. })) => {
                    true
                }
                Err(AccountError::Fetch(FetchError::Connect { offline, .. })) => !offline,
                Err(_) => false,
            };
            if !again {
                return result;
            }
            if tries == TRIES {
                let response = result?;
                return Err(AccountError::Busy { status: response.status, retry_after: None });
            }
            tokio::time::sleep(PAUSE * tries).await;
        }
    }

    /// Logs in with the password. If the server rejects a cached password, it is read again.
    pub(super) async fn log_in(&mut self) -> Result<(), AccountError> {
        let Some(secret) = self.settings.password() else { return Err(AccountError::Refused) };
        let client = self.context.client.clone();
        let password = client.service_secret(&secret).await?;
        let result = self.log_in_with(&password).await;
        if !matches!(result, Err(AccountError::Refused)) || !client.drop_secret(&secret).await {
            return result;
        }
        let newer = client.service_secret(&secret).await?;
        if newer == password {
            client.drop_secret(&secret).await;
            return result;
        }
        self.log_in_with(&newer).await
    }

    async fn log_in_with(&mut self, password: &str) -> Result<(), AccountError> {
        let request = RemoteRequest::login(&self.settings.user, password);
        let response = self.tried(&request).await?;
        let text = String::from_utf8_lossy(&response.body);
        self.stored.token = None;
        self.stored.auth = match response.status {
            200 => Some(parse_login(&text).ok_or_else(|| shape_of("the login", &response.body))?),
            401 | 403 => return Err(AccountError::Refused),
            status => return Err(AccountError::Status { request: "the login", status }),
        };
        Ok(())
    }

    async fn fetch_token(&mut self) -> Result<(), AccountError> {
        let response = self.tried(&RemoteRequest::token()).await?;
        match response.status {
            200 => {}
            401 => return Err(AccountError::Refused),
            status => return Err(AccountError::Status { request: "the token", status }),
        }
        let token = String::from_utf8_lossy(&response.body).trim().to_owned();
        let fits = !token.is_empty()
            && token.len() <= TOKEN
            && token.bytes().all(|b| b.is_ascii_graphic());
        if !fits {
            return Err(shape_of("the token", &response.body));
        }
        self.stored.token = Some(token);
        Ok(())
    }

    /// Sends a request, with a token if it needs one. After a 401, the token is fetched again once, then the
    /// login is repeated once.
    pub(super) async fn send(
        &mut self,
        name: &'static str,
        needs_token: bool,
        request: impl Fn(&str) -> RemoteRequest,
    ) -> Result<ServiceResponse, AccountError> {
        loop {
            if self.stored.auth.is_none() {
                self.renewed.login = true;
                self.log_in().await?;
            }
            if needs_token && self.stored.token.is_none() {
                self.renewed.token = true;
                match self.fetch_token().await {
                    Err(AccountError::Refused) if !self.renewed.login => {
                        self.stored.auth = None;
                        continue;
                    }
                    other => other?,
                }
            }
            let request = request(self.stored.token.as_deref().unwrap_or_default());
            let response = self.tried(&request).await?;
            match response.status {
                200 => {
                    // The token may expire again during a long synchronisation.
                    self.renewed = Renewed::default();
                    return Ok(response);
                }
                401 if needs_token && !self.renewed.token => self.stored.token = None,
                401 if !self.renewed.login => {
                    (self.stored.auth, self.stored.token) = (None, None);
                    self.renewed.token = false;
                }
                401 => return Err(AccountError::Refused),
                status => return Err(AccountError::Status { request: name, status }),
            }
        }
    }

    /// Sends a request and parses its response as JSON; any other response is an error.
    pub(super) async fn read<T: DeserializeOwned + Send + 'static>(
        &mut self,
        name: &'static str,
        needs_token: bool,
        request: impl Fn(&str) -> RemoteRequest,
    ) -> Result<(T, ServiceResponse), AccountError> {
        let response = self.send(name, needs_token, &request).await?;
        let body = response.body.clone();
        let parse = move || serde_json::from_slice::<T>(&body).ok();
        match self.context.read_document(response.body.len(), parse).await.flatten() {
            Some(parsed) => Ok((parsed, response)),
            None => Err(shape_of(name, &response.body)),
        }
    }
}

fn is_busy(status: u16) -> bool {
    status == 429 || status >= 500
}

/// The error for an unexpected response. Includes the beginning of the response unless it may be a secret.
fn shape_of(request: &'static str, body: &[u8]) -> AccountError {
    let secret = matches!(request, "the login" | "the token");
    let start = String::from_utf8_lossy(&body[..body.len().min(200)]);
    let start = text::line(&start);
    let found = match text::start(&start, 60) {
        "" => "nothing".to_owned(),
        _ if secret => "something else".to_owned(),
        start => format!("\"{start}\""),
    };
    AccountError::Shape { request, found }
}

//! The Google Reader API on top of the database: newsfed as a server for apps and for other instances of
//! newsfed.
//!
//! `call.rs` parses requests, `read.rs` returns lists, `change.rs` sets marks, and `subscriptions.rs` edits
//! sources. The id of an item is its row key, which is never reused. Streams are sorted by id.

mod call;
mod change;
mod directory;
mod login;
mod read;
mod readers;
mod refusal;
mod subscriptions;
#[cfg(test)]
mod tests;

pub use call::{
    Call, Edit, Listing, MAX_CONTENTS, MAX_IDS, MarkChange, Raw, SubscriptionAction, Unreadable,
};
pub use login::{PASSWORD_LENGTH, PasswordError, has_password, set_password};

use crate::engine::Handle;
use crate::greader::{UserInfo, write_login};
use crate::serve::{Pieces, ServedRequest, ServedResponse};
use hyper::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, SERVER,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, StatusCode};
use login::Failures;
use readers::Readers;
use refusal::Refusal;
use std::sync::Arc;

/// The API of a running engine.
pub struct Api {
    handle: Handle,
    readers: Readers,
    failures: Failures,
}

const JSON: &str = "application/json; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// A page that anyone can see, without secrets or information about the user.
const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>newsfed</title>\
<body style=\"font-family:sans-serif;max-width:36em;margin:2em auto;padding:0 1em\">\
<h1>newsfed</h1><p>This server offers the Google Reader API, through which apps read and mark newsfed's items.</p>\
<p>In the app, choose an account of type <b>FreshRSS</b>, <b>Google Reader API</b> or \
<b>self-hosted</b>. Its address is the address of this page; if the app asks for the API address, add \
<code>/api/greader.php</code>. <code>[serve]</code> sets the user name, and <code>newsfed serve password</code> \
the password.</p></body></html>\n";

impl Api {
    pub fn new(handle: Handle) -> Arc<Self> {
        let readers = Readers::new(handle.store());
        Arc::new(Self { handle, readers, failures: Failures::default() })
    }

    /// Responds to a request. A change that has been started is completed even if the client disconnects.
    pub async fn respond(self: Arc<Self>, request: ServedRequest) -> ServedResponse {
        let task = tokio::spawn(async move {
            let response = self.handle(&request).await;
            response.unwrap_or_else(ServedResponse::from)
        });
        let response = task.await.unwrap_or_else(|e| {
            tracing::error!("an API request was not handled: {e}");
            ServedResponse::text(StatusCode::INTERNAL_SERVER_ERROR, "Internal server error")
        });
        response
            .with(SERVER, HeaderValue::from_static("newsfed"))
            .with(CACHE_CONTROL, HeaderValue::from_static("no-store"))
            .with(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"))
    }

    async fn handle(&self, request: &ServedRequest) -> Result<ServedResponse, Refusal> {
        let is_post = match request.method {
            Method::GET | Method::HEAD => false,
            Method::POST => true,
            _ => return Ok(ServedResponse::wrong_method("GET, HEAD, POST")),
        };
        let (path, query) = (request.uri.path(), request.uri.query().unwrap_or_default());
        let call = match Call::parse(Raw { is_post, path, query, body: &request.body }) {
            Ok(Call::Page) => return Ok(page()),
            Ok(Call::Login { user, password }) => return self.login(user, password).await,
            Err(Unreadable::NotFound) => return Ok(ServedResponse::not_found()),
            Err(Unreadable::NotPost) => return Ok(ServedResponse::wrong_method("POST")),
            other => other,
        };
        let token = self.authorise(&request.headers).await?;
        match call {
            Ok(call) => self.perform(call, &token, request, is_post).await,
            Err(Unreadable::Wrong(why)) => Err(Refusal::Bad(why)),
            Err(Unreadable::NotFound | Unreadable::NotPost) => Ok(ServedResponse::not_found()),
        }
    }

    async fn perform(
        &self,
        call: Call,
        token: &str,
        request: &ServedRequest,
        is_post: bool,
    ) -> Result<ServedResponse, Refusal> {
        if is_post {
            check_token(request, token)?;
        }
        match call {
            Call::Token => Ok(ok(PLAIN, token.to_owned())),
            Call::UserInfo => json(&self.user_info()),
            Call::Empty(key) => json(&serde_json::json!({ key: [] })),
            Call::Subscriptions => json(&self.subscriptions().await?),
            Call::Tags => json(&self.tags().await?),
            Call::UnreadCounts => json(&self.unread_counts().await?),
            Call::Ids(listing) => Ok(ok(JSON, self.ids(listing).await?)),
            Call::Contents(items) => Ok(ok(JSON, self.contents(items).await?)),
            Call::Stream(listing) => Ok(ok(JSON, self.stream(listing).await?)),
            Call::Atom(listing) => {
                Ok(ok("application/atom+xml; charset=utf-8", self.atom(listing).await?))
            }
            Call::EditTag(marks) => self.edit_tag(marks).await.map(|()| done()),
            Call::MarkAllRead { stream, until } => {
                self.mark_all_read(stream, until).await.map(|()| done())
            }
            Call::Relabel { from, to } => self.relabel(from, to).await.map(|()| done()),
            Call::EditSubscriptions(edit) => self.edit_subscriptions(edit).await.map(|()| done()),
            Call::QuickAdd(address) => json(&self.quick_add(address).await?),
            Call::Export => Ok(ok("text/xml; charset=utf-8", self.export().await?)),
            Call::Import(list) => self.import(list).await.map(|text| ok(PLAIN, text)),
            Call::Page | Call::Login { .. } => Ok(ServedResponse::not_found()),
        }
    }

    async fn login(&self, user: String, password: String) -> Result<ServedResponse, Refusal> {
        let expected = self.handle.settings().serve.user.clone();
        let check =
            self.readers.read(move |reader| login::verify(reader, &expected, &user, &password));
        let token = self.failures.guard(check).await.inspect_err(|refusal| match refusal {
            Refusal::Unauthorized => tracing::warn!("an API login failed"),
            Refusal::Wait(_) => tracing::warn!("API logins are refused: too many have failed"),
            _ => {}
        })?;
        Ok(ok(PLAIN, write_login(&token)))
    }

    /// Returns the token for changes if the request has a valid login token.
    async fn authorise(&self, headers: &HeaderMap) -> Result<String, Refusal> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err(Refusal::Unauthorized);
        };
        let given = value.to_str().ok().and_then(login::in_header);
        let given = given.ok_or(Refusal::Unauthorized)?.to_owned();
        let user = self.handle.settings().serve.user.clone();
        let token = move |reader: &_| Ok(login::token(reader, &user, &given)?);
        self.readers.read(token).await?.ok_or(Refusal::Unauthorized)
    }

    fn user_info(&self) -> UserInfo {
        let user = self.handle.settings().serve.user.clone();
        UserInfo {
            user_id: user.clone(),
            user_name: user.clone(),
            user_profile_id: user,
            user_email: String::new(),
        }
    }
}

/// Checks the token of a change. The user has already been identified by the header, so a missing token does
/// no harm; some apps send `x`. After a wrong token, apps request a new one.
fn check_token(request: &ServedRequest, token: &str) -> Result<(), Refusal> {
    let fields = url::form_urlencoded::parse(&request.body);
    let given = fields.filter(|(key, _)| key == "T").map(|(_, value)| value).last();
    let given = given.as_deref().map(str::trim).unwrap_or_default();
    let fits = matches!(given, "" | "x") || crate::serve::same_secret(given, token);
    if fits { Ok(()) } else { Err(Refusal::Unauthorized) }
}

/// A document with status 200.
fn ok(media_type: &'static str, body: impl Into<Pieces>) -> ServedResponse {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(media_type))]);
    ServedResponse { status: StatusCode::OK, headers, body: body.into() }
}

/// Apps compare the text, so it must not end with a newline.
fn done() -> ServedResponse {
    ok(PLAIN, "OK".to_owned())
}

fn json(value: &impl serde::Serialize) -> Result<ServedResponse, Refusal> {
    let text = serde_json::to_string(value).map_err(|e| Refusal::Unavailable(e.to_string()))?;
    Ok(ok(JSON, text))
}

fn page() -> ServedResponse {
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");
    ok(HTML, PAGE.to_owned()).with(HeaderName::from_static("content-security-policy"), policy)
}

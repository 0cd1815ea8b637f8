//! Reasons for rejecting requests, and the responses to the client.

use crate::serve::ServedResponse;
use crate::store::StoreError;
use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue, RETRY_AFTER};
use std::time::Duration;

/// Why a request was rejected.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The request is invalid, for this reason.
    Bad(String),
    Unauthorized,
    Forbidden(String),
    TooLarge(String),
    /// Too many logins have failed; try again after this time.
    Wait(Duration),
    /// The database or a file cannot be read or written at the moment.
    Unavailable(String),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// Headers that inform clients that their token is no longer valid.
const BAD_TOKEN: [HeaderName; 2] = [
    HeaderName::from_static("google-bad-token"),
    HeaderName::from_static("x-reader-google-bad-token"),
];

impl From<Refusal> for ServedResponse {
    fn from(refusal: Refusal) -> Self {
        let text = |status, why: &str| Self::text(status, why);
        match refusal {
            Refusal::Bad(why) => text(StatusCode::BAD_REQUEST, &why),
            Refusal::Unauthorized => {
                let response = text(StatusCode::UNAUTHORIZED, "Unauthorized");
                let yes = || HeaderValue::from_static("true");
                BAD_TOKEN.into_iter().fold(response, |response, name| response.with(name, yes()))
            }
            Refusal::Forbidden(why) => text(StatusCode::FORBIDDEN, &why),
            Refusal::TooLarge(why) => text(StatusCode::PAYLOAD_TOO_LARGE, &why),
            Refusal::Wait(time) => {
                let seconds = HeaderValue::from(time.as_secs() + 1);
                let why = "too many logins have failed; try again in a minute";
                text(StatusCode::TOO_MANY_REQUESTS, why).with(RETRY_AFTER, seconds)
            }
            Refusal::Unavailable(why) => {
                tracing::warn!("an API request failed: {why}");
                let why = "the server cannot do this now; its log has the reason";
                let seconds = HeaderValue::from_static("60");
                text(StatusCode::SERVICE_UNAVAILABLE, why).with(RETRY_AFTER, seconds)
            }
        }
    }
}

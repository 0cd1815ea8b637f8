//! Asks the user's language model for a date, one article at a time. After an error, only the date is
//! missing.

use super::llm::{parse_response, question};
use super::read::Undated;
use crate::engine::context::Context;
use crate::model::Time;
use chrono::TimeDelta;
use url::Url;

/// Pause after a failed request to the model.
const REST: TimeDelta = TimeDelta::minutes(10);

/// The date of an article's last modification, if it is not known otherwise.
pub(super) async fn date(context: &Context, undated: Undated) -> Option<Time> {
    let settings = &context.settings();
    let settings = &settings.llm;
    let endpoint = settings.endpoint.as_deref().and_then(|u| Url::parse(u).ok());
    let (Some(text), Some(endpoint)) = (undated, endpoint) else { return None };
    // Locked during the request, so that there is only one request at a time.
    let mut rests = context.pages.model_rests.lock().await;
    let now = context.clock.now();
    if rests.is_some_and(|until| until > now) {
        return None;
    }
    let (body, key) = (question(&settings.model, &text), settings.key());
    match context.client.post_json(&endpoint, key.as_ref(), body, settings.timeout).await {
        Ok(body) => {
            *rests = None;
            let updated = parse_response(&body, &text, now);
            tracing::debug!("date from the language model: {updated:?}");
            updated
        }
        Err(e) => {
            tracing::warn!("the language model returned no date: {e}");
            *rests = Some(now + REST);
            None
        }
    }
}

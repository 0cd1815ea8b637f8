//! What following a source led to.

use super::driver::message;
use super::event::{Event, Followed};
use crate::config::FileEdit;
use crate::engine::{FollowError, Handle};
use crate::model::Source;

/// Builds the event for a source that was added.
pub(super) async fn followed(
    handle: &Handle,
    source: Result<(Source, FileEdit), FollowError>,
    title: Option<String>,
    listed: usize,
) -> Event {
    let (source, edit) = match source {
        Ok(followed) => followed,
        Err(e) => return Event::Followed(Err(message(e))),
    };
    let no_items = handle.first_poll_note(&source.id, listed).await.unwrap_or_default();
    let followed = Followed::from(source);
    let title = title.filter(|t| !t.is_empty()).unwrap_or(followed.title);
    Event::Followed(Ok((vec![Followed { title, no_items, ..followed }], edit)))
}

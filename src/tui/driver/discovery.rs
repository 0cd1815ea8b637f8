//! Finds ways to follow a URL, program or file, and reports added sources.

use super::super::event::{Event, Followed, RequestId};
use super::{Driver, message};
use crate::config::FileEdit;
use crate::engine::{FollowError, Handle, TypedOrigin, Way};
use crate::model::Source;
use url::Url;

impl Driver {
    /// Explores a URL, and sends each attempt as an event.
    pub(super) fn discover(&mut self, request: RequestId, address: String) {
        let (listener, mut progress) = tokio::sync::mpsc::unbounded_channel();
        let events = self.events.clone();
        tokio::spawn(async move {
            while let Some(message) = progress.recv().await {
                let _ = events.send(Event::Tried(request, message));
            }
        });
        self.discovery = Some(self.spawn_task(move |h| async move {
            let found = h.discover_reporting(&address, None, listener).await;
            Event::Discovered(request, found.map_err(message))
        }));
    }

    /// Runs a program or reads a file that the user typed.
    pub(super) fn discover_origin(&mut self, request: RequestId, typed: TypedOrigin) {
        self.discovery = Some(self.spawn_task(move |h| async move {
            Event::Discovered(request, h.discover_origin(typed).await.map_err(message))
        }));
    }
}

/// The number of articles that a way lists, and the URLs of some of them.
pub(in crate::tui) fn listed(way: Option<&Way>) -> (usize, Vec<Url>) {
    let count = way.and_then(Way::count).unwrap_or(0);
    (count, way.map(Way::listed_urls).unwrap_or_default())
}

/// Builds the event for a source that was added.
pub(in crate::tui) async fn followed(
    handle: &Handle,
    request: RequestId,
    source: Result<(Source, FileEdit), FollowError>,
    title: Option<String>,
    (listed, urls): (usize, Vec<Url>),
) -> Event {
    let (source, edit) = match source {
        Ok(followed) => followed,
        Err(FollowError::Known(id)) => return Event::AlreadyFollowed(request, id),
        Err(e) => return Event::Followed(request, Err(message(e))),
    };
    let no_items = handle.first_poll_note(&source.id, listed, urls).await.unwrap_or_default();
    let followed = Followed::from(source);
    let title = title.filter(|t| !t.is_empty()).unwrap_or(followed.title);
    Event::Followed(request, Ok((vec![Followed { title, no_items, ..followed }], edit)))
}

//! Sends the pending marks.

use super::plan::{self, Push};
use super::state::AccountError;
use super::sync::Sync;
use crate::greader::{RemoteId, RemoteMark, RemoteRequest};
use std::collections::HashSet;

/// Number of rejected requests with marks in one synchronisation after which rejected requests are no longer
/// split.
const MAX_REJECTED: usize = 20;

impl Sync {
    /// Sends the pending marks and returns their items. A successful response proves nothing: the lists that
    /// are read afterwards show the marks on the server.
    pub(super) async fn push(&mut self) -> Result<HashSet<RemoteId>, AccountError> {
        let key = self.key();
        let known = self.context.read(move |reader| reader.open_remote_items(key)).await?;
        let pushes = plan::pushes(&known);
        let mut sent = HashSet::new();
        if pushes.is_empty() {
            return Ok(sent);
        }
        // Marks must not be sent to a different server.
        self.check_server().await?;
        let (mut size, mut rejected) = (plan::FIRST_BATCH, 0);
        for Push { state, to, items } in pushes {
            let mut rest = items.as_slice();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(size.min(rest.len()));
                let is_read = state == RemoteMark::Read;
                self.context.store.begin_sending(key, is_read, now.to_vec()).await?;
                let request = |token: &str| RemoteRequest::mark(token, &state, to, now);
                match self.session.send("a mark", true, request).await {
                    Ok(response) => size = plan::next_batch(size, response.elapsed),
                    Err(e) if e.is_rejected() => {
                        rejected += 1;
                        if now.len() > 1 && (e.is_too_large() || rejected < MAX_REJECTED) {
                            // A single item may be the reason.
                            size = now.len() / 2;
                            continue;
                        }
                        // The marks are treated as sent without effect, and reported after several attempts.
                        tracing::warn!(account = %self.settings.id, "marks were rejected: {e}");
                    }
                    Err(e) => return Err(e),
                }
                self.done.sent += now.len();
                sent.extend(now.iter().cloned());
                rest = later;
            }
        }
        Ok(sent)
    }
}

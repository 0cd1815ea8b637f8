//! Shows a different text of an item on each request: first the page's text in each way of extraction that
//! gives a different one, then the feed's text.

use super::TextGot;
use super::Trigger;
use super::fetch::{Choice, PageOutcome, StoredItemState, fetch_now, state};
use crate::engine::context::Context;
use crate::model::TextWay;
use crate::store::StoreError;
use std::sync::Arc;
use tokio::time::Instant;

/// Number of ways in [`TextWay`].
const WAYS: usize = 4;

/// Shows the next text that differs from the current one. Ways that give no text, or the same text, are
/// skipped, so that the feed's text is always reached.
pub(super) async fn another(
    context: &Arc<Context>,
    key: i64,
    waited: bool,
    late: Instant,
) -> Result<PageOutcome, StoreError> {
    let Some(state) = state(context, key, None).await? else {
        return Ok(PageOutcome::not_stored(TextGot::Gone));
    };
    let shown = state.shown_way();
    let mut way = shown.map_or(TextWay::Best, TextWay::next);
    let mut first: Option<PageOutcome> = None;
    for _ in 0..WAYS {
        if way == TextWay::Feed && (shown.is_none() || !state.has_feed_text()) {
            way = way.next();
        }
        if first.is_some() && shown.is_none() && way == TextWay::Best {
            break;
        }
        // All ways were tried: the text stays the same.
        let is_last = first.is_some() && shown == Some(way);
        let choice = if shown.is_none() && first.is_none() { Choice::User } else { Choice::Trial };
        let mut got = fetch_now(context, key, Trigger::User(way), choice, waited, late).await?;
        let is_skipped = match &got.text {
            // Without a page, the other ways give no text either.
            TextGot::Failed(_) => context.pages.saved(key, context.clock.now()).is_some(),
            TextGot::Same(_) => shown != Some(TextWay::Feed),
            // The feed's text is already shown, so the user wants the page's.
            TextGot::InFeed => true,
            _ => false,
        };
        if let (TextGot::Same(_), Some(before), false) = (&got.text, &state.before, is_skipped) {
            got.text = TextGot::Fetched { from: before.from, changed: false };
        }
        if is_last || !is_skipped {
            return Ok(got);
        }
        first = first.or(Some(got));
        way = way.next();
    }
    Ok(first.unwrap_or_else(|| PageOutcome::not_stored(TextGot::Left)))
}

impl StoredItemState {
    /// How the displayed text was extracted; `None` if the page has not given a text yet.
    fn shown_way(&self) -> Option<TextWay> {
        let page = self.page.as_ref()?;
        (page.error.is_none() || page.page_hash.is_some()).then_some(page.way)
    }

    /// Whether there is a text that does not come from the page.
    fn has_feed_text(&self) -> bool {
        !self.source.kind().reads_pages() && !self.item.feed_body().is_empty()
    }
}

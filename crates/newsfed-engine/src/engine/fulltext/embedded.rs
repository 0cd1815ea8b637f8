//! Pictures that are embedded in the page of an item. They are not stored, so the page is fetched for them.

use super::Trigger;
use super::fetch::{PATIENCE, PageFailure, get, state};
use crate::engine::context::Context;
use crate::model::TextWay;
use crate::util::html::{self, embedded_pictures};
use crate::util::limits;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

/// The wanted pictures that the page contains, and whether the stored text of the item is from its page.
pub(in crate::engine) struct Found {
    /// Markers, and the data of the pictures.
    pub(in crate::engine) pictures: Vec<(String, Vec<u8>)>,
    pub(in crate::engine) of_page: bool,
}

/// Finds embedded pictures by their markers in the page of an item (row key). The page is fetched once, or
/// taken from memory if it was fetched a short time ago.
pub(in crate::engine) async fn find(
    context: &Arc<Context>,
    key: i64,
    wanted: HashSet<String>,
) -> Result<Found, String> {
    let late = Instant::now() + PATIENCE;
    let turn = timeout_at(late, context.pages.turn(key).lock_owned()).await;
    let _turn = turn.map_err(|_| PageFailure::late().why)?;
    let state = state(context, key, None).await.map_err(|e| e.to_string())?;
    let state = state.ok_or("this item is no longer stored")?;
    let of_page = state.item.article.is_some();
    if state.item.url.is_none() {
        return Ok(Found { pictures: Vec::new(), of_page });
    }
    let page = get(context, &state, key, Trigger::User(TextWay::Best), late).await;
    let Some(page) = page.map_err(|failure| failure.why)? else {
        return Ok(Found { pictures: Vec::new(), of_page });
    };
    let work = move || {
        let start = &page.body[..page.body.len().min(limits::PAGE_BYTES)];
        let markup = html::decode(start, page.content_type.as_deref());
        embedded_pictures(&markup, &wanted)
    };
    let pictures = context.read_document(limits::PAGE_BYTES, work).await;
    let pictures = pictures.ok_or("the page could not be read (this is a bug)")?;
    Ok(Found { pictures, of_page })
}

//! Entries on one page: each block is an item with its own text, and nothing else is fetched.

use super::Visit;
use super::gathering::Gathering;
use crate::article::is_small_change;
use crate::model::{Entry, LeftOutReason, PageHints, Time, WebsiteRules};
use crate::net::Response;
use crate::store::{KnownEntry, ListCopy, Prepared, prepare_identified};
use crate::util::domain::same_site;
use crate::util::{html, text};
use crate::website::entries::{self, PageEntries, PageEntry};
use crate::website::signal::page_hints;
use crate::website::{Page, obstacle};
use url::Url;

/// Number of selectors that are suggested if the source's own find nothing.
const MAX_SUGGESTIONS: usize = 3;

/// A page that was read.
struct EntriesDocument {
    found: PageEntries,
    hints: PageHints,
    title: Option<String>,
    /// What hides the entries, such as a consent dialog.
    obstacle: Option<LeftOutReason>,
    /// Selectors that would match if the source's own find nothing.
    instead: Vec<String>,
    /// The page, if it has entries.
    copy: Option<ListCopy>,
}

/// Reads the entries of a page, which is the response to the first request.
///
/// # Errors
/// Returns the reason if the document is not a page, or its entries cannot be compared with the stored ones.
pub(super) async fn read(
    visit: &Visit<'_>,
    rules: &WebsiteRules,
    response: Response,
    gathering: &mut Gathering,
) -> Result<Vec<Prepared>, String> {
    let final_url = response.final_url.clone();
    let (home, at, own) = (visit.home(), visit.started, rules.clone());
    let bytes = response.body.len();
    let read = move || document(&response, &own, &home, at);
    let document = visit.context.read_document(bytes, read).await;
    let document =
        document.unwrap_or_else(|| Err("the page could not be read (this is a bug)".to_owned()))?;
    gathering.title.clone_from(&document.title);
    gathering.hints = Some(document.hints);
    gathering.copy = document.copy;
    let moved_away = !same_site(&final_url, &visit.home());
    let obstacle = document.obstacle.or_else(|| moved_away.then_some(LeftOutReason::OtherSite));
    if let Some(reason) = obstacle {
        nothing(&format!("no entries: the page is {}", reason.describe()), gathering);
        gathering.leave_out(reason, &final_url);
        return Ok(Vec::new());
    }
    let PageEntries { entries, left_out, untitled, empty } = document.found;
    if entries.is_empty() && left_out.is_empty() {
        nothing("no entries", gathering);
        gathering.instead = document.instead;
        return Ok(Vec::new());
    }
    gathering.read = entries.len() + untitled;
    (gathering.untitled, gathering.empty) = (untitled, empty);
    gathering.left_out = left_out;
    let guids: Vec<String> =
        entries.iter().map(|each| each.entry.guid.clone().unwrap_or_default()).collect();
    let key = visit.job.key;
    let known = visit.context.read(move |reader| reader.entries_of(key, &guids)).await;
    let known = known.map_err(|e| text::line(&e.to_string()))?;
    // The user selected a part of the page, so every change in it counts.
    let selected = rules.content != WebsiteRules::CONTENT;
    let hashing = visit.hashing;
    let prepare = move || {
        let floats: Vec<bool> = entries.iter().map(|each| each.floats).collect();
        let pairs = entries.into_iter().zip(known);
        let entries = pairs.map(|(entry, known)| settled(entry, known, selected)).collect();
        prepare_identified(entries, &floats, &hashing)
    };
    let prepared = visit.context.work(prepare).await;
    prepared.ok_or_else(|| "the entries could not be read (this is a bug)".to_owned())
}

fn nothing(what: &str, gathering: &mut Gathering) {
    gathering.note(what);
    gathering.nothing_listed = Some(what.to_owned());
}

fn document(
    response: &Response,
    rules: &WebsiteRules,
    home: &Url,
    at: Time,
) -> Result<EntriesDocument, String> {
    let page = Page::read(&response.body, response.content_type(), &response.final_url)
        .map_err(|e| text::line(&e.to_string()))?;
    let found = entries::read(&page, rules, Some(at))?;
    let is_empty = found.entries.is_empty();
    // Entries that were found are visible without scripts.
    let stops = |reason: &LeftOutReason| *reason != LeftOutReason::NeedsJavascript || is_empty;
    let instead = match is_empty && rules.articles.is_some() {
        true => {
            entries::propose(&page).into_iter().take(MAX_SUGGESTIONS).map(|p| p.articles).collect()
        }
        false => Vec::new(),
    };
    let copy = || {
        let kind = response.content_type();
        ListCopy::pack(at, response.final_url.as_str(), kind, &response.body)
    };
    let listed = found.entries.iter().filter_map(|each| each.entry.published).max();
    Ok(EntriesDocument {
        hints: PageHints { listed, ..page_hints(&page) },
        title: page.title(),
        obstacle: obstacle(&page, home).filter(stops),
        instead,
        copy: if is_empty { None } else { copy() },
        found,
    })
}

/// An entry after comparison with its stored version: changes to a relative date ("3 days ago") or a counter
/// do not count.
fn settled(found: PageEntry, known: Option<KnownEntry>, selected: bool) -> Entry {
    let PageEntry { mut entry, floats } = found;
    let Some(known) = known else { return entry };
    if floats && known.published.is_some() {
        entry.published = known.published;
    }
    if let (Some(old), Some(new), false) = (&known.content, &entry.content, selected)
        && old != new
    {
        let (a, b) = (html::to_text(old), html::to_text(new));
        if a != b && is_small_change(&a, &b) {
            entry.content = known.content;
        }
    }
    entry
}

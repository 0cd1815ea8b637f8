//! The queue of episodes, and how far each episode was played.

use super::Store;
use super::downloads::URL_OF;
use super::error::Result;
use super::memo;
use super::reader::Reader;
use super::rows::to_json;
use crate::model::{Enclosure, EpisodeKey, Progress, Queued};
use crate::util::file_name::last_segment;
use crate::util::media::{is_playable, media_type};
use crate::util::text::line;
use rusqlite::{Connection, OptionalExtension, params};
use url::Url;

/// Maximum number of episodes in the queue.
pub const MAX_QUEUE: usize = 1000;

/// What was removed from the queue, latest last: lists of positions and episodes (JSON).
const REMOVED: &str = "queue_removals";
/// Maximum number of removals that can be undone.
const MAX_REMOVALS: usize = 20;
/// The episode that was played last (JSON).
const HEARD: &str = "episode_heard";

/// Episodes with their positions, in the order of the queue.
type Places = Vec<(usize, EpisodeKey)>;

/// Puts the first audio or video enclosures of items (row keys) at the end of the queue, or removes their
/// episodes from it; returns the items that changed. At most [`MAX_QUEUE`] episodes are queued. Those that
/// were removed last return to their positions.
pub(super) fn set(conn: &Connection, items: &[i64], to: bool) -> Result<Vec<i64>> {
    if !to {
        return remove(conn, Some(items));
    }
    let removals = removals(conn)?;
    let last = removals.last().map(|places| items_of(places));
    if last.is_some_and(|last| last == sorted(items.iter().copied())) {
        return Ok(restore(conn)?.unwrap_or_default());
    }
    let mut changed = Vec::new();
    let mut files = conn.prepare_cached(
        "SELECT enclosures FROM detail WHERE item = ?1
         AND NOT EXISTS (SELECT 1 FROM episode WHERE item = ?1 AND rank IS NOT NULL)",
    )?;
    // An episode that is queued again after its end starts from the beginning.
    let mut place = conn.prepare_cached(
        "INSERT INTO episode (item, url, rank) VALUES (?1, ?2, ?3)
         ON CONFLICT (item, url) DO UPDATE SET rank = excluded.rank,
             position = CASE finished WHEN 1 THEN 0 ELSE position END, finished = 0",
    )?;
    let (count, mut last): (usize, i64) = conn.query_row(
        "SELECT count(*), coalesce(max(rank), 0) FROM episode WHERE rank IS NOT NULL",
        [],
        |r| Ok((r.get::<_, i64>(0)?.try_into().unwrap_or(0), r.get(1)?)),
    )?;
    for &item in items {
        let json: Option<String> = files.query_row([item], |r| r.get(0)).optional()?;
        let files: Vec<Enclosure> =
            json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
        let Some(file) = files.into_iter().find(is_playable) else { continue };
        if count + changed.len() >= MAX_QUEUE {
            break;
        }
        last += 1;
        place.execute(params![item, file.url, last])?;
        changed.push(item);
    }
    Ok(changed)
}

/// The episodes of the queue, in order.
fn keys(conn: &Connection) -> Result<Vec<EpisodeKey>> {
    let mut query = conn.prepare_cached(
        "SELECT item, url FROM episode WHERE rank IS NOT NULL ORDER BY rank, item, url",
    )?;
    let rows = query.query_map([], |r| Ok(EpisodeKey { item: r.get(0)?, url: r.get(1)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Moves an episode in the queue towards its end, or with a negative number towards its start; returns how
/// many positions it moved, with the same sign.
fn shift(conn: &Connection, key: &EpisodeKey, by: i64) -> Result<i64> {
    let mut queue = keys(conn)?;
    let Some(from) = queue.iter().position(|other| other == key) else { return Ok(0) };
    let last = queue.len().saturating_sub(1);
    let distance = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
    let to = match by < 0 {
        true => from.saturating_sub(distance),
        false => from.saturating_add(distance).min(last),
    };
    let moved = queue.remove(from);
    queue.insert(to, moved);
    order(conn, &queue)?;
    let by = i64::try_from(to.abs_diff(from)).unwrap_or(0);
    Ok(if to < from { -by } else { by })
}

/// Stores a new order of the queue.
fn order(conn: &Connection, queue: &[EpisodeKey]) -> Result<()> {
    let mut place =
        conn.prepare_cached("UPDATE episode SET rank = ?3 WHERE item = ?1 AND url = ?2")?;
    for (rank, key) in (1i64..).zip(queue) {
        place.execute(params![key.item, key.url, rank])?;
    }
    Ok(())
}

fn sorted(items: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut items: Vec<i64> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The items of episodes, sorted.
fn items_of(places: &[(usize, EpisodeKey)]) -> Vec<i64> {
    sorted(places.iter().map(|(_, key)| key.item))
}

/// What was removed and not put back, latest last.
fn removals(conn: &Connection) -> Result<Vec<Places>> {
    let text = memo::get(conn, REMOVED)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// Removes the given items, or all items, from the queue, and records the positions of their episodes;
/// returns the items.
fn remove(conn: &Connection, items: Option<&[i64]>) -> Result<Vec<i64>> {
    let is_meant = |key: &EpisodeKey| items.is_none_or(|items| items.contains(&key.item));
    let queue = keys(conn)?.into_iter().enumerate();
    let places: Places = queue.filter(|(_, key)| is_meant(key)).collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let mut remove =
        conn.prepare_cached("UPDATE episode SET rank = NULL WHERE item = ?1 AND url = ?2")?;
    for (_, key) in &places {
        remove.execute(params![key.item, key.url])?;
    }
    let items = items_of(&places);
    let mut removals = removals(conn)?;
    removals.push(places);
    let surplus = removals.len().saturating_sub(MAX_REMOVALS);
    removals.drain(..surplus);
    memo::set(conn, REMOVED, &to_json(&removals)?)?;
    Ok(items)
}

/// Puts back what was removed last, except episodes that have been added again since; returns the items, or
/// `None` if there is nothing to put back.
fn restore(conn: &Connection) -> Result<Option<Vec<i64>>> {
    let (mut removals, before) = (removals(conn)?, keys(conn)?);
    let mut queue = before.clone();
    while queue.len() == before.len()
        && let Some(places) = removals.pop()
    {
        for (at, key) in places {
            if !queue.contains(&key) && queue.len() < MAX_QUEUE {
                queue.insert(at.min(queue.len()), key);
            }
        }
        order(conn, &queue)?;
        // Items that retention has removed cannot be put back.
        queue = keys(conn)?;
    }
    memo::set(conn, REMOVED, &to_json(&removals)?)?;
    queue.retain(|key| !before.contains(key));
    Ok((!queue.is_empty()).then(|| sorted(queue.iter().map(|key| key.item))))
}

/// Stores how far an episode was played. A finished episode leaves the queue.
fn record(conn: &Connection, key: &EpisodeKey, progress: Progress) -> Result<()> {
    conn.prepare_cached(
        "INSERT INTO episode (item, url, position, length, finished)
         SELECT key, ?2, ?3, ?4, ?5 FROM item WHERE key = ?1
         ON CONFLICT (item, url) DO UPDATE SET position = excluded.position,
             length = coalesce(excluded.length, length), finished = excluded.finished,
             rank = CASE excluded.finished WHEN 1 THEN NULL ELSE rank END",
    )?
    .execute(params![
        key.item,
        key.url,
        progress.position,
        progress.length,
        progress.finished
    ])?;
    memo::set(conn, HEARD, &to_json(key)?)
}

impl Store {
    /// Moves an episode in the queue towards its end, or with a negative number towards its start;
    /// returns how many positions it moved, with the same sign.
    pub async fn move_in_queue(&self, key: EpisodeKey, by: i64) -> Result<i64> {
        self.call(move |conn| shift(conn, &key, by)).await
    }

    /// Like [`Store::move_in_queue`], outside of a runtime.
    pub fn move_in_queue_blocking(&self, key: EpisodeKey, by: i64) -> Result<i64> {
        self.writer()?.call_blocking(move |conn| shift(conn, &key, by))
    }

    /// Removes the given items (row keys), or all items, from the queue; returns those that were in it.
    /// [`Store::restore_queue_blocking`] undoes this.
    pub fn remove_from_queue_blocking(&self, items: Option<Vec<i64>>) -> Result<Vec<i64>> {
        self.writer()?.call_blocking(move |conn| remove(conn, items.as_deref()))
    }

    /// Puts back what was removed from the queue last; returns the items, or `None` if there is nothing to
    /// put back. Further calls put back earlier removals.
    pub fn restore_queue_blocking(&self) -> Result<Option<Vec<i64>>> {
        self.writer()?.call_blocking(restore)
    }

    /// Stores how far an episode was played. A finished episode leaves the queue.
    pub async fn record_progress(&self, key: EpisodeKey, progress: Progress) -> Result<()> {
        match progress.finished {
            true => self.call(move |conn| record(conn, &key, progress)).await,
            false => self.call_quietly(move |conn| record(conn, &key, progress)).await,
        }
    }
}

/// The title of an item, else the name of the file.
fn name(title: String, url: &str) -> String {
    let title = line(&title);
    if !title.is_empty() {
        return title;
    }
    let file = Url::parse(url).ok().and_then(|url| last_segment(&url));
    line(&file.unwrap_or_else(|| url.to_owned()))
}

impl Reader {
    /// The episodes of the queue, in order, without further details.
    pub fn queue_keys(&self) -> Result<Vec<EpisodeKey>> {
        keys(&self.conn)
    }

    /// The episode in the queue to continue with: the one that was played last, else the first.
    pub fn next_episode(&self) -> Result<Option<EpisodeKey>> {
        let heard = memo::get(&self.conn, HEARD)?;
        let heard: Option<EpisodeKey> = heard.and_then(|text| serde_json::from_str(&text).ok());
        let mut queue = keys(&self.conn)?;
        let at = heard.and_then(|heard| queue.iter().position(|key| *key == heard)).unwrap_or(0);
        Ok((at < queue.len()).then(|| queue.swap_remove(at)))
    }

    /// The queue, in order.
    pub fn queue(&self) -> Result<Vec<Queued>> {
        let mut query = self.conn.prepare_cached(
            "SELECT e.item, e.url, e.position, e.length, i.source, i.title, d.enclosures,
                 (SELECT w.path FROM download w JOIN memo m ON m.name = ?1 || w.path
                  WHERE w.item = e.item AND m.value = e.url LIMIT 1)
             FROM episode e JOIN item i ON i.key = e.item LEFT JOIN detail d ON d.item = e.item
             WHERE e.rank IS NOT NULL ORDER BY e.rank, e.item, e.url",
        )?;
        let rows = query.query_map([URL_OF], |r| {
            let (item, url): (i64, String) = (r.get(0)?, r.get(1)?);
            let progress = Progress { position: r.get(2)?, length: r.get(3)?, finished: false };
            let files: Option<String> = r.get(6)?;
            let files: Vec<Enclosure> =
                files.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
            let file = files.into_iter().find(|file| file.url == url);
            let stated = file.as_ref().and_then(|file| file.mime.clone());
            Ok(Queued {
                source: r.get(4)?,
                title: name(r.get(5)?, &url),
                media_type: media_type(stated.as_deref(), &url).unwrap_or_default(),
                stated: file.and_then(|file| file.seconds),
                progress,
                file: r.get(7)?,
                key: EpisodeKey { item, url },
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How far an episode was played.
    pub fn progress(&self, key: &EpisodeKey) -> Result<Progress> {
        let mut query = self.conn.prepare_cached(
            "SELECT position, length, finished FROM episode WHERE item = ?1 AND url = ?2",
        )?;
        let found = query.query_row(params![key.item, key.url], |r| {
            Ok(Progress { position: r.get(0)?, length: r.get(1)?, finished: r.get(2)? })
        });
        Ok(found.optional()?.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_untitled_episodes_after_their_files() {
        for (title, url, expected) in [
            ("One\u{1b}[2J", "https://e.org/a.mp3", "One"),
            ("", "https://e.org/pods/No%20title%201b.mp3?x=1", "No title 1b.mp3"),
            (" \u{200b}", "https://e.org/%1b[2J.mp3", ".mp3"),
            ("", "https://e.org/", "https://e.org/"),
        ] {
            assert_eq!(name(title.to_owned(), url), expected, "{title:?} {url}");
        }
    }
}

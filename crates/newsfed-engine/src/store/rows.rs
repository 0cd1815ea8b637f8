//! Converts rows of the database to plain data, and back.

use super::articles::unpack;
use super::error::{Result, StoreError};
use super::stories::others;
use crate::model::{
    BriefFacts, Collected, DateOrigin, DatePrecision, DateSource, FeedHints, Item, ItemId, ItemRow,
    LeftOut, Outcome, Pause, PauseReason, PollRecord, Revision, RevisionKind, SourceFacts,
    SourceId, TextFrom, TextWay, Time, Validators, WebsiteFacts,
};
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use std::sync::LazyLock;

/// The time that is this many seconds after the epoch; invalid values become the epoch.
pub(super) fn time(seconds: i64) -> Time {
    Time::from_timestamp(seconds, 0).unwrap_or_default()
}

pub(super) fn opt_time(seconds: Option<i64>) -> Option<Time> {
    seconds.map(time)
}

pub(super) fn seconds(t: Option<Time>) -> Option<i64> {
    t.map(|t| t.timestamp())
}

/// JSON that this program wrote itself; a value that cannot be parsed is treated as absent.
pub(super) fn json<T: serde::de::DeserializeOwned>(text: Option<String>) -> Option<T> {
    serde_json::from_str(&text?).ok()
}

pub(super) fn to_json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|e| StoreError::Sqlite(e.to_string()))
}

/// The columns that [`item_row`] reads, from a table called `i`. The last one is when an item without a date
/// was found. An item can lack a date only if it is sorted by that time, by the start of that day (in older
/// databases), or by the last second before the previous day. The dates of all other items are not read,
/// because that would take a long time.
pub(super) const ITEM_ROW: &str = concat!(
    "i.key, i.id, i.source, i.title, i.url, i.date, i.pinned, i.read, i.words, i.changed,
    i.substantial, i.comment_count, i.comments_seen, i.later,
    (SELECT story FROM story_item WHERE item = i.key), (SELECT count(*) ",
    others!(),
    "),
    iif((i.date = i.discovered OR i.date % 900 = 0 AND i.discovered - i.date < 90000
            OR i.date % 900 = 899 AND i.discovered - i.date < 180000)
        AND (SELECT coalesce(published, updated) IS NULL FROM detail WHERE item = i.key),
        i.discovered, NULL)"
);

/// The condition for an item (`i`) that counts as published at its date: it has a date, or was found by a
/// later poll than its source's first one. All others may be of any age. The condition reads the dates of
/// only a few items.
macro_rules! counts_as_published {
    () => {
        "(i.date % 900 NOT IN (0, 899) OR i.date = i.discovered OR i.discovered - i.date > 180000
            OR (SELECT coalesce(published, updated) IS NOT NULL FROM detail WHERE item = i.key))"
    };
}
pub(super) use counts_as_published;

/// The column after [`ITEM_ROW`] in a search that lists the best matches first: words in titles count most.
/// The factor keeps the differences between values when they become integers: without it, the value of a word
/// that most items have is about a millionth.
pub(super) const RANK: &str = ", CAST(bm25(item_text, 50.0, 10.0, 1.0) * 1e12 AS INTEGER) AS rank";

/// Reads [`ITEM_ROW`] and [`RANK`].
pub(super) fn ranked_row(r: &Row<'_>) -> rusqlite::Result<ItemRow> {
    Ok(ItemRow { rank: r.get("rank")?, ..item_row(r)? })
}

pub(super) fn item_row(r: &Row<'_>) -> rusqlite::Result<ItemRow> {
    Ok(ItemRow {
        key: r.get(0)?,
        id: ItemId(uuid::Uuid::from_bytes(r.get(1)?)),
        source_key: r.get(2)?,
        title: r.get(3)?,
        url: r.get(4)?,
        date: time(r.get(5)?),
        pinned: r.get(6)?,
        read: r.get(7)?,
        words: r.get(8)?,
        changed: r.get(9)?,
        substantial: r.get(10)?,
        comment_count: r.get(11)?,
        new_comments: new_comments(r.get(11)?, r.get(12)?),
        later: r.get(13)?,
        story: r.get(14)?,
        also: r.get(15)?,
        found: opt_time(r.get(16)?),
        rank: 0,
        by_title: false,
    })
}

/// Comments added since the user read the item, if they were counted at that time.
fn new_comments(count: Option<u32>, seen: Option<u32>) -> u32 {
    count.zip(seen).map_or(0, |(count, seen)| count.saturating_sub(seen))
}

/// The SELECT that [`item`] reads; add a WHERE clause.
pub(super) const ITEM: &str = "SELECT i.id, s.id, d.guid, i.title, d.summary, d.content, i.url,
    coalesce(d.publisher, s.feed_title), d.authors, d.published, d.updated, i.discovered, i.pinned,
    i.read, d.enclosures, d.categories, d.comments, d.language, a.body, a.origin, f.way, f.asked,
    f.error, w.whole, i.changed, max((SELECT count(*) FROM article WHERE item = i.key) - 1, 0),
    i.substantial, i.comment_count, i.comments_seen, d.comment_feed, d.page_tags, a.revisions,
    h.title, h.substantial, i.changed = 1 OR h.until >= coalesce(a.at, h.until),
    f.page_text IS NOT NULL, d.date_from
    FROM item i JOIN detail d ON d.item = i.key JOIN source s ON s.key = i.source
    LEFT JOIN article a ON a.key = (SELECT max(key) FROM article WHERE item = i.key)
    LEFT JOIN headline h ON h.key = (SELECT max(key) FROM headline WHERE item = i.key)
    LEFT JOIN fetch f ON f.item = i.key LEFT JOIN site w ON w.source = i.source ";

pub(super) fn item(r: &Row<'_>) -> rusqlite::Result<Item> {
    let from_feed = json(r.get(20)?) == Some(TextWay::Feed);
    // The current text of a feed is in `detail`.
    let text_from = json(r.get(19)?).filter(|_| !from_feed).unwrap_or(TextFrom::Feed);
    let stored_from: Option<TextFrom> = json(r.get(19)?);
    let page_text = stored_from.is_some_and(|from| from != TextFrom::Feed) || r.get(35)?;
    let (title, former_title): (String, Option<String>) = (r.get(3)?, r.get(32)?);
    let mut revisions: Vec<Revision> = json(r.get(31)?).unwrap_or_default();
    if let Some(from) = former_title.clone()
        && r.get::<_, Option<bool>>(33)? == Some(true)
        && r.get::<_, Option<bool>>(34)? == Some(true)
    {
        revisions.insert(0, Revision { kind: RevisionKind::Headline, from, to: title.clone() });
    }
    let categories: Vec<String> = json(r.get(15)?).unwrap_or_default();
    let mut tags = categories.clone();
    for tag in json::<Vec<String>>(r.get(30)?).unwrap_or_default() {
        if !tags.iter().any(|known| known.to_lowercase() == tag.to_lowercase()) {
            tags.push(tag);
        }
    }
    let from_page = text_from != TextFrom::Feed;
    let article = r.get_ref(18)?.as_blob_or_null()?.filter(|_| from_page).and_then(unpack);
    let text_from = if article.is_some() { text_from } else { TextFrom::Feed };
    let published = opt_time(r.get(9)?);
    let given = json(r.get(36)?);
    let dated = published.map(|_| origin(given));
    Ok(Item {
        id: ItemId(uuid::Uuid::from_bytes(r.get(0)?)),
        source: SourceId(r.get(1)?),
        guid: r.get(2)?,
        title,
        summary: r.get(4)?,
        content: r.get(5)?,
        url: r.get(6)?,
        publisher: r.get(7)?,
        authors: json(r.get(8)?).unwrap_or_default(),
        published,
        published_from: dated.map(|d| d.from),
        published_confidence: dated.map(|d| d.confidence),
        published_precision: published.map(DatePrecision::of),
        published_zone: dated.and_then(|d| d.zone),
        updated: opt_time(r.get(10)?),
        discovered: time(r.get(11)?),
        pinned: r.get(12)?,
        read: r.get(13)?,
        enclosures: json(r.get(14)?).unwrap_or_default(),
        categories,
        tags,
        comments: r.get(16)?,
        comment_feed: r.get(29)?,
        comment_count: r.get(27)?,
        new_comments: new_comments(r.get(27)?, r.get(28)?),
        language: r.get(17)?,
        article,
        text_from,
        fetched: opt_time(r.get(21)?),
        fetch_error: r.get(22)?,
        feed_has_full_text: r.get(23)?,
        changed: r.get(24)?,
        substantial: r.get(26)?,
        versions: r.get(25)?,
        revisions,
        former_title,
        page_text,
    })
}

/// The columns that [`collected`] reads.
macro_rules! collected_columns {
    () => {
        "CASE WHEN account IS NOT NULL THEN (SELECT id FROM account a WHERE a.key = source.account) END, folder,
        CASE WHEN account IS NOT NULL THEN
            coalesce((SELECT o.settings FROM account_override o JOIN account a ON a.id = o.account
                    WHERE a.key = source.account AND o.url = source.url LIMIT 1),
                (SELECT o.settings FROM account_override o JOIN account a ON a.id = o.account
                    WHERE a.key = source.account AND o.id = source.id)) END"
    };
}

/// The SELECT that [`facts`] reads; add a WHERE clause.
pub(super) const FACTS: &str = concat!(
    "SELECT key, id, url, moved_to, move_candidate, feed_title, home_url,
    etag, last_modified, body_hash, last_poll, last_ok, last_full, next_poll, paused_until,
    pause_reason, fail_count, last_outcome, hints, schedule, items, unread, pinned, move_refused,
    validators_of, planned, website, ",
    collected_columns!(),
    " FROM source "
);

/// Like [`FACTS`], without what only polls need; add a WHERE clause. With many sources, that is most of the
/// data.
pub(super) const LISTED_FACTS: &str = concat!(
    "SELECT key, id, url, moved_to, NULL, feed_title, home_url,
    NULL, NULL, NULL, last_poll, last_ok, last_full, next_poll, paused_until,
    pause_reason, fail_count, last_outcome, NULL, x'', items, unread, pinned, NULL,
    NULL, NULL, website, ",
    collected_columns!(),
    " FROM source "
);

/// The SELECT that [`brief_facts`] reads, with whether the source is enabled and its account; add a WHERE
/// clause.
pub(super) const BRIEF_FACTS: &str = concat!(
    "SELECT key, id, url, enabled, account, moved_to, feed_title, home_url, last_poll IS NOT NULL, ",
    collected_columns!(),
    " FROM source "
);

static USUAL_HINTS: LazyLock<String> = LazyLock::new(usual::<FeedHints>);
static USUAL_WEBSITE: LazyLock<String> = LazyLock::new(usual::<WebsiteFacts>);

/// The default value as JSON.
fn usual<T: serde::Serialize + Default>() -> String {
    serde_json::to_string(&T::default()).unwrap_or_default()
}

/// A column with JSON, as for [`json`].
fn json_at<T: serde::de::DeserializeOwned>(
    r: &Row<'_>,
    column: usize,
) -> rusqlite::Result<Option<T>> {
    let text = r.get_ref(column)?.as_str_or_null()?;
    Ok(text.and_then(|text| serde_json::from_str(text).ok()))
}

/// A column with JSON that is usually the default value, which is recognised without parsing.
fn usual_at<T: serde::de::DeserializeOwned + Default>(
    r: &Row<'_>,
    column: usize,
    usual: &str,
) -> rusqlite::Result<T> {
    match r.get_ref(column)?.as_str_or_null()? {
        Some(text) if text != usual => Ok(serde_json::from_str(text).unwrap_or_default()),
        _ => Ok(T::default()),
    }
}

pub(super) fn facts(r: &Row<'_>) -> rusqlite::Result<SourceFacts> {
    let pause = pause_of(opt_time(r.get(14)?), r.get(15)?);
    Ok(SourceFacts {
        key: r.get(0)?,
        id: SourceId(r.get(1)?),
        url: r.get(2)?,
        moved_to: r.get(3)?,
        move_candidate: json_at(r, 4)?,
        feed_title: r.get(5)?,
        home_url: r.get(6)?,
        validators: Validators { etag: r.get(7)?, last_modified: r.get(8)? },
        body_hash: r.get(9)?,
        last_poll: opt_time(r.get(10)?),
        last_ok: opt_time(r.get(11)?),
        last_full: opt_time(r.get(12)?),
        next_poll: opt_time(r.get(13)?),
        pause,
        fail_count: r.get(16)?,
        last_outcome: json_at(r, 17)?,
        hints: usual_at(r, 18, &USUAL_HINTS)?,
        schedule: r.get(19)?,
        planned: json_at(r, 25)?,
        items: r.get(20)?,
        unread: r.get(21)?,
        pinned: r.get(22)?,
        move_refused: r.get(23)?,
        validators_of: r.get(24)?,
        website: usual_at(r, 26, &USUAL_WEBSITE)?,
        collected: collected(r.get(27)?, r.get(28)?, r.get(29)?),
    })
}

pub(super) fn brief_facts(r: &Row<'_>) -> rusqlite::Result<BriefFacts> {
    Ok(BriefFacts {
        key: r.get(0)?,
        id: SourceId(r.get(1)?),
        url: r.get(2)?,
        moved_to: r.get(5)?,
        feed_title: r.get(6)?,
        home_url: r.get(7)?,
        polled: r.get(8)?,
        collected: collected(r.get(9)?, r.get(10)?, r.get(11)?),
    })
}

fn collected(
    account: Option<String>,
    folder: Option<String>,
    own: Option<String>,
) -> Option<Box<Collected>> {
    let own = || json(own).unwrap_or_default();
    account.map(|account| Box::new(Collected { account, folder, own: own() }))
}

/// A pause from its two columns.
pub(super) fn pause_of(until: Option<Time>, reason: Option<String>) -> Option<Pause> {
    Some(Pause { until: until?, reason: json::<PauseReason>(reason)? })
}

/// The facts of one source; `None` if there is no row for it.
pub(super) fn load_facts(conn: &Connection, key: i64) -> Result<Option<SourceFacts>> {
    let mut query = conn.prepare_cached(&format!("{FACTS} WHERE key = ?1"))?;
    Ok(query.query_row([key], facts).optional()?)
}

/// Writes everything but the identity and the counters.
pub(super) fn save_facts(conn: &Connection, f: &SourceFacts) -> Result<()> {
    update_facts(conn, f, &format!("{UPDATE} WHERE key = :key"))
}

/// Like [`save_facts`], at the end of a poll: also deletes the records of the started poll and of the
/// unfinished ones before it.
pub(super) fn save_finished(conn: &Connection, f: &SourceFacts) -> Result<()> {
    let end = ", poll_begun = NULL, polls_broken = 0 WHERE key = :key";
    update_facts(conn, f, &format!("{UPDATE}{end}"))
}

const UPDATE: &str = "UPDATE source SET moved_to = :moved_to, move_candidate = :candidate,
            move_refused = :refused, feed_title = :title, home_url = :home, etag = :etag,
            last_modified = :lm, validators_of = :of, body_hash = :hash, last_poll = :poll, last_ok = :ok,
            last_full = :change, next_poll = :next, paused_until = :until, pause_reason = :reason,
            fail_count = :fails, last_outcome = :outcome, hints = :hints, schedule = :schedule,
            planned = :planned, website = :website";

fn update_facts(conn: &Connection, f: &SourceFacts, sql: &str) -> Result<()> {
    let reason = f.pause.map(|h| to_json(&h.reason)).transpose()?;
    conn.prepare_cached(sql)?.execute(named_params! {
        ":key": f.key,
        ":moved_to": f.moved_to,
        ":candidate": f.move_candidate.as_ref().map(to_json).transpose()?,
        ":refused": f.move_refused,
        ":title": f.feed_title,
        ":home": f.home_url,
        ":etag": f.validators.etag,
        ":lm": f.validators.last_modified,
        ":of": f.validators_of,
        ":hash": f.body_hash,
        ":poll": seconds(f.last_poll),
        ":ok": seconds(f.last_ok),
        ":change": seconds(f.last_full),
        ":next": seconds(f.next_poll),
        ":until": f.pause.map(|h| h.until.timestamp()),
        ":reason": reason,
        ":fails": f.fail_count,
        ":outcome": f.last_outcome.as_ref().map(to_json).transpose()?,
        ":hints": to_json(&f.hints)?,
        ":schedule": f.schedule,
        ":planned": f.planned.as_ref().map(to_json).transpose()?,
        ":website": to_json(&f.website)?,
    })?;
    Ok(())
}

/// The columns that [`poll`] reads.
pub(super) const POLL: &str = "p.at, p.status, p.millis, p.bytes, p.outcome, p.repairs";

/// The content of the column `outcome` of a poll; older rows lack the number of requests.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct KeptOutcome {
    #[serde(flatten)]
    pub(super) outcome: Outcome,
    #[serde(default = "one")]
    pub(super) requests: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<LeftOut>,
}

fn one() -> u32 {
    1
}

pub(super) fn poll(r: &Row<'_>) -> rusqlite::Result<PollRecord> {
    let unreadable =
        || KeptOutcome { outcome: Outcome::Unchanged, requests: one(), left_out: Vec::new() };
    let kept: KeptOutcome = json(r.get(4)?).unwrap_or_else(unreadable);
    Ok(PollRecord {
        at: time(r.get(0)?),
        status: r.get(1)?,
        millis: r.get(2)?,
        bytes: r.get::<_, i64>(3)?.try_into().unwrap_or(0),
        outcome: kept.outcome,
        requests: kept.requests,
        left_out: kept.left_out,
        repairs: json(r.get(5)?).unwrap_or_default(),
    })
}

/// Where a date comes from: without a stored origin, the feed.
pub(super) fn origin(given: Option<DateOrigin>) -> DateOrigin {
    given.unwrap_or(DateOrigin::stated(DateSource::Feed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_json_is_the_default() {
        assert_eq!(json::<FeedHints>(Some(USUAL_HINTS.clone())), Some(FeedHints::default()));
        assert_eq!(
            json::<WebsiteFacts>(Some(USUAL_WEBSITE.clone())),
            Some(WebsiteFacts::default())
        );
    }
}

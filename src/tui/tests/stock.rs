//! Made-up items and other data.

use super::*;
use crate::engine::crawl::{CrawlBudget, CrawlFind, CrawlPhase, CrawlProgress, CrawlState, Curve};
use crate::engine::{DownloadEntry, FileState, RemovalReason, SourceStatistics, Statistics};
use crate::model::Health;

pub(in crate::tui) fn item_rows() -> Vec<ItemRow> {
    let titles = [
        "Kernel notes for 6.19",
        "Postgres 19 enters beta",
        "Why we moved off a message queue and what it cost us in the end",
        "日本語のニュース、絵文字 🦀 と長い題名をここに書いておく",
        "A tiny allocator",
        "Release 2.4.1",
        "أخبار المدينة",
        "Election results, live",
        "",
        "Bridge reopens in March",
        "Budget hearing, second round",
        "New night buses",
    ];
    let row = |(i, title): (usize, &&str)| ItemRow {
        key: i as i64 + 1,
        id: ItemId(uuid::Uuid::from_u128(i as u128)),
        source_key: i as i64 % 5 + 1,
        title: (*title).to_owned(),
        url: Some(format!("https://kernel.example/{i}")),
        date: now() - TimeDelta::minutes(4 << i),
        found: None,
        pinned: i == 2,
        later: false,
        read: i % 3 == 2,
        words: 230 * i as u32,
        changed: false,
        substantial: false,
        comment_count: None,
        new_comments: 0,
        story: None,
        also: 0,
        rank: 0,
        by_title: false,
    };
    titles.iter().enumerate().map(row).collect()
}

pub(super) fn article(row: ItemRow) -> Article {
    let html = r#"<p>The merge window closed on Sunday with <b>13,204</b> commits. The limit visible
        change is <a href="https://lore.example/1">the new scheduler class</a>, which took two years.</p>
        <h2>What changes</h2><ul><li>Fewer wakeups</li><li>Better <code>nice</code> values, which
        matter on small machines more than on large ones</li></ul>
        <pre>fn pick_next(rq: &amp;Rq) -> Task {
    rq.first()
}</pre><blockquote><p>It works on my machine, and on all the others.</p></blockquote>
        <table><tr><th>Version</th><th>Date</th></tr><tr><td>6.18</td><td>October</td></tr></table>
        <p><img src="https://lore.example/p.png" alt="A graph of wakeups"> 日本語の文章もここにあります。</p>"#;
    let item = Item {
        published_from: None,
        published_confidence: None,
        published_zone: None,
        published_precision: None,
        id: row.id,
        source: SourceId("kernel".to_owned()),
        guid: None,
        title: row.title.clone(),
        summary: None,
        content: Some(html.to_owned()),
        url: row.url.clone(),
        publisher: None,
        authors: vec!["A. Writer".to_owned()],
        published: None,
        updated: None,
        discovered: row.date,
        pinned: row.pinned,
        read: row.read,
        enclosures: vec![],
        categories: vec![],
        tags: vec![],
        comments: None,
        comment_feed: None,
        comment_count: None,
        new_comments: 0,
        language: None,
        article: None,
        text_from: crate::model::TextFrom::Feed,
        fetched: Some(now()),
        fetch_error: None,
        feed_has_full_text: None,
        changed: false,
        substantial: false,
        versions: 0,
        revisions: vec![],
        former_title: None,
        page_text: false,
    };
    let document = Arc::new(from_html(html, None));
    let differences = Arc::new(Vec::new());
    Article {
        document,
        row,
        item: Arc::new(item),
        position: 0,
        differences,
        new_comments: 0,
        also_in: vec![],
        notes: vec![],
        is_cut: false,
        lost: None,
    }
}

/// The difference from an earlier version, with these changes.
pub(super) fn difference(changes: Vec<crate::article::Change>) -> Difference {
    let summary = "numbers changed: 1 -> 2".to_owned();
    Difference { at: now() - TimeDelta::hours(2), changes, of_title: false, summary }
}

/// Statistics of three sources: one is slow, and the other two could be removed.
pub(super) fn statistics() -> Statistics {
    let source = |id: &str, title: &str, per_week: &[u32], read, removal| SourceStatistics {
        source: SourceId(id.to_owned()),
        title: title.to_owned(),
        items: per_week.iter().sum(),
        read,
        minutes: read * 3,
        items_per_week: per_week.to_vec(),
        newest: Some(now() - TimeDelta::days(400)),
        pulse: if removal == Some(RemovalReason::Dead) { Pulse::Dead } else { Pulse::Normal },
        health: Health::Ok,
        last_ok: Some(now()),
        polls: 120,
        failed: 2,
        millis: if id == "kernel" { 4200 } else { 80 },
        slow: id == "kernel",
        bytes: 2_400_000,
        bytes_saved: 31_000_000,
        removal,
    };
    let weeks = [12, 30, 45, 22, 60, 38, 51, 70, 44, 33, 58, 41];
    Statistics {
        since: now() - TimeDelta::weeks(12),
        complete: true,
        items: weeks.iter().sum(),
        read: 96,
        minutes: 288,
        items_per_week: weeks.to_vec(),
        read_per_week: weeks.map(|n| n / 5).to_vec(),
        hours: (0..24).map(|hour: u32| if hour < 6 { 1 } else { hour * 7 % 31 }).collect(),
        polls: 360,
        failed: 6,
        bytes: 7_200_000,
        unchanged: 300,
        bytes_saved: 93_000_000,
        sources: vec![
            source("kernel", "Kernel & Kettle", &weeks, 96, None),
            source(
                "日本",
                "日本の新聞",
                &[0, 1, 0, 2, 0, 0, 9, 9, 9, 9, 0, 0],
                1,
                Some(RemovalReason::Unread),
            ),
            source("old", "A blog that has stopped", &[0; 12], 0, Some(RemovalReason::Dead)),
        ],
    }
}

pub(in crate::tui) fn report() -> Box<ScheduleReport> {
    let week = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let level = |hour: usize| match hour {
        ..8 => 0,
        9 | 14 => 4,
        8..18 => 2,
        _ => 1,
    };
    let total = |value: &str, label, remark: &str| Total {
        value: value.to_owned(),
        label,
        remark: remark.to_owned(),
    };
    let check = |minutes, result, what: &str, detail: &str| Check {
        at: now() - TimeDelta::minutes(minutes),
        result,
        what: what.to_owned(),
        detail: detail.to_owned(),
    };
    Box::new(ScheduleReport {
        next: "Next check 09:26, in 2 min".to_owned(),
        basis: "learned from 412 items".to_owned(),
        reasons: vec!["Wanted at 09:24, postponed to 09:26 (robots.txt crawl-delay)".to_owned()],
        totals: vec![
            total("31.0", "items a day", ""),
            total("94", "checks this week", "23 with new items"),
            total("41 MB", "saved", "71 of 2 MB received"),
            total("6 min", "median delay", "worst 22 min"),
        ],
        per_day: vec![2, 1, 4, 0, 3, 6, 5],
        week: week.map(|day| (day, std::array::from_fn(level))).to_vec(),
        habits: vec![("Busiest", "Mon 09:00 to 10:00".to_owned())],
        limits: vec![("Server", "Cache-Control max-age 10 min".to_owned())],
        checks: vec![
            check(12, CheckResult::Changed, "2 new", "4 min after publication"),
            check(28, CheckResult::Unchanged, "unchanged", "304, 310 B"),
            check(61, CheckResult::Failed, "rate-limited", "HTTP 429 Too Many Requests"),
        ],
        coming: vec![now() + TimeDelta::minutes(2), now() + TimeDelta::minutes(30)],
        now: now(),
        ..ScheduleReport::default()
    })
}

/// A running or unfinished download, a complete one, and one with a missing file.
pub(in crate::tui) fn downloads() -> Vec<DownloadEntry> {
    let states = [None, Some(FileState::Unchanged), Some(FileState::Missing)];
    let entry = |(n, state): (usize, Option<FileState>)| DownloadEntry {
        path: format!("/files/日本 {n}.mp3.part"),
        url: Some(format!("https://kernel.example/{n}.mp3")).filter(|_| n < 2),
        item: Some(1),
        source: Some(1),
        size: u64::MAX,
        total: Some(u64::MAX).filter(|_| n > 0),
        at: Some(now()).filter(|_| n > 0),
        kept: false,
        state,
    };
    states.into_iter().enumerate().map(entry).collect()
}

/// A crawl with results; the name of the newest one is hostile.
pub(in crate::tui) fn crawl(folder: &str, phase: CrawlPhase) -> CrawlState {
    let find = |n: usize| CrawlFind {
        url: format!("https://rain.example/data/{n}.csv"),
        mime: "text/csv".to_owned(),
        bytes: 1200 * n,
        sha256: String::new(),
        found_on: String::new(),
        anchor: match n {
            34 => "\u{1b}[31mRain\u{7} \u{202e}日本\nsecond line".to_owned(),
            n => format!("Rainfall in district {n}"),
        },
        title: None,
        at: now(),
        file: Some(format!("files/{n}.csv")),
    };
    let mut curve = Curve::default();
    (1..=120u64).for_each(|n| curve.add(n, n.saturating_sub(20) * 34 / 100));
    let running = matches!(phase, CrawlPhase::Running);
    CrawlState {
        start: "https://rain.example/".to_owned(),
        targets: "files".to_owned(),
        phase,
        progress: CrawlProgress {
            requests: 120,
            bytes: 3_100_000,
            found: 34,
            links: 430,
            fetched: 110,
            links_left_out: 0,
        },
        budget: CrawlBudget { requests: Some(500), ..CrawlBudget::default() },
        speed: Some(42.0).filter(|_| running),
        curve,
        groups: vec![
            "4 links at ul.menu li a to /files/*.csv led to 30 targets".to_owned(),
            "2 links at nav a to /list/* led to 4 targets".to_owned(),
        ],
        finds: (1..=34).rev().map(|n| Arc::new(find(n))).collect(),
        ..CrawlState::new(folder.into())
    }
}

//! Made-up items.

use super::*;

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
        pinned: i == 2,
        read: i % 3 == 2,
        words: 230 * i as u32,
        changed: false,
        substantial: false,
        comment_count: None,
        new_comments: 0,
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
        fetched: None,
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
    Article { document, row, item: Arc::new(item), position: 0, differences, new_comments: 0 }
}

/// What a version changed.
pub(super) fn difference(changes: Vec<crate::article::Change>) -> Difference {
    let summary = "numbers changed: 1 -> 2".to_owned();
    Difference { at: now() - TimeDelta::hours(2), changes, summary }
}

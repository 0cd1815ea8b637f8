use super::*;
use crate::model::Time;
use crate::util::date;
use std::io::Write;
use std::time::Duration;

fn site() -> Url {
    Url::parse("https://example.org/sitemap.xml").unwrap()
}

fn pages(markup: &str) -> Vec<SitemapEntry> {
    match parse(markup.as_bytes(), &site()) {
        Ok(Sitemap::Pages(pages)) => pages,
        other => panic!("{other:?}"),
    }
}

fn at(s: &str) -> Time {
    date::parse(s).unwrap()
}

fn paths<'a>(urls: impl IntoIterator<Item = &'a Url>) -> Vec<&'a str> {
    urls.into_iter().map(Url::path).collect()
}

#[test]
fn parses_a_list_of_pages() {
    let found = pages(
        "<?xml version='1.0'?><s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9'>\
         <s:url><s:loc> https://example.org/a?b=1&amp;c </s:loc><s:lastmod>2025-10-23</s:lastmod>\
         <s:changefreq>Daily</s:changefreq><s:priority>0.8</s:priority>\
         <image:image><image:loc>https://example.org/i.png</image:loc></image:image></s:url>\
         <s:url><s:loc>https://other.example/b</s:loc></s:url>\
         <s:url><s:loc>ftp://example.org/c</s:loc></s:url>\
         <s:url><s:loc>https://www.example.org/d</s:loc><s:priority>9</s:priority></s:url>",
    );
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0].url.as_str(), "https://example.org/a?b=1&c");
    assert_eq!(found[0].lastmod, LastMod::parse("2025-10-23"));
    assert_eq!((found[0].changefreq.as_deref(), found[0].priority), (Some("daily"), 0.8));
    assert_eq!((found[1].lastmod, found[1].priority), (None, 0.5));
}

#[test]
fn parses_news_plain_text_and_gzip() {
    let markup = "<urlset><url><loc>https://example.org/n</loc><news:news><news:publication>\
        <news:name>The Example</news:name><news:language>en</news:language></news:publication>\
        <news:publication_date>2025-10-23T15:37+00:00</news:publication_date>\
        <news:title><![CDATA[A & B]]></news:title></news:news></url></urlset>";
    let news = pages(markup)[0].news.clone().unwrap();
    assert_eq!((news.title.as_str(), news.published), ("A & B", Some(at("2025-10-23T15:37:00Z"))));
    assert_eq!(news.publication.as_deref(), Some("The Example"));
    let found = pages("https://example.org/a\nhttps://example.org/b\n\nhttps://other.example/c\n");
    assert_eq!(paths(found.iter().map(|p| &p.url)), ["/a", "/b"]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(markup.as_bytes()).unwrap();
    let Ok(Sitemap::Pages(found)) = parse(&packed.finish().unwrap(), &site()) else { panic!() };
    assert_eq!(found.len(), 1);
}

#[test]
fn rejects_other_documents_and_reads_damaged_ones_partly() {
    for other in ["", "<html><body>x</body></html>", "hello", "<rss><channel/></rss>", "{}"] {
        assert_eq!(parse(other.as_bytes(), &site()), Err(SitemapError::Other), "{other}");
    }
    let cut = "<urlset><url><loc>https://example.org/a</loc></url><url><loc>https://exam";
    assert_eq!(pages(cut).len(), 1);
    let many = format!("<urlset>{}", "<url><loc>/a</loc></url>".repeat(60_000));
    assert_eq!(pages(&many).len(), 50_000);
    let lines = "https://example.org/a\n".repeat(50_007);
    for (document, surplus) in [(&many, 10_000), (&lines, 7), (&cut.to_owned(), 0)] {
        let (found, counted) = parse_and_count(document.as_bytes(), &site()).unwrap();
        assert_eq!(counted, surplus, "{}", matches!(found, Sitemap::Pages(_)));
    }
}

#[test]
fn parses_modification_times() {
    let visit = at("2025-10-23T12:00:00Z");
    let cases = [
        ("2025-10-23", true),
        ("2025-10-24", true),
        ("2025-10-22", false),
        ("2025-10-23T15:37+00:00", true),
        ("2025-10-23T15:37:10.5+05:00", false),
        ("2025-10-23T11:59:59Z", false),
    ];
    for (text, want) in cases {
        assert_eq!(LastMod::parse(text).unwrap().may_be_after(visit), want, "{text}");
    }
    assert_eq!(LastMod::parse("lately"), None);
}

#[test]
fn opens_only_changed_children() {
    let markup = "<sitemapindex>\
        <sitemap><loc>/posts.xml</loc><lastmod>2025-10-23</lastmod></sitemap>\
        <sitemap><loc>/pages.xml</loc><lastmod>2025-10-20T10:00:00+00:00</lastmod></sitemap>\
        <sitemap><loc>/odd.xml</loc></sitemap>\
        <sitemap><loc>https://other.example/x.xml</loc></sitemap></sitemapindex>";
    let Ok(Sitemap::Index(children)) = parse(markup.as_bytes(), &site()) else { panic!() };
    let open = |visit: Option<&str>| {
        paths(worth_reading(&children, visit.map(at)).into_iter().map(|c| &c.url))
    };
    assert_eq!(open(Some("2025-10-22")), ["/posts.xml", "/odd.xml"]);
    assert_eq!(open(None), ["/posts.xml", "/pages.xml", "/odd.xml"]);
}

#[test]
fn due_pages_are_newest_first_within_a_budget() {
    let entry = |path: &str, day: &str, priority: &str| {
        format!(
            "<url><loc>{path}</loc><lastmod>{day}</lastmod><priority>{priority}</priority></url>"
        )
    };
    let all = [
        entry("/old", "2025-10-01", "1.0"),
        entry("/a", "2025-10-23", "0.1"),
        entry("/b", "2025-10-23", "0.9"),
        entry("/c", "2025-10-24", "0.1"),
        entry("/known", "2025-10-25", "0.1"),
        "<url><loc>/undated</loc></url>".to_owned(),
    ];
    let pages = pages(&format!("<urlset>{}</urlset>", all.concat()));
    let due = |budget| {
        let is_known = |p: &SitemapEntry| p.url.path() == "/known";
        paths(due(&pages, Some(at("2025-10-22")), is_known, budget).into_iter().map(|p| &p.url))
    };
    assert_eq!(due(9), ["/c", "/b", "/a", "/undated"]);
    assert_eq!(due(2), ["/c", "/b"]);
}

#[test]
fn computes_locations_and_intervals() {
    let robots = ["https://example.org/a.xml".to_owned(), "https://other.example/b.xml".to_owned()];
    assert_eq!(paths(places(&site(), &robots).iter()), ["/a.xml"]);
    assert_eq!(paths(places(&site(), &[]).iter()), ["/sitemap.xml"]);
    let (least, most) = (Duration::from_secs(300), Duration::from_secs(864_000));
    let cases = [
        ("always", Some(300)),
        ("hourly", Some(3600)),
        ("weekly", Some(604_800)),
        ("never", Some(864_000)),
        ("?", None),
    ];
    for (word, want) in cases {
        assert_eq!(change_interval(word, least, most).map(|d| d.as_secs()), want, "{word}");
    }
}

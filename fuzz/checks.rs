//! Properties that hold for any input: one function per target, for the fuzzer and for the tests.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the point")]

use newsfed::api::{Call, MAX_CONTENTS, MAX_IDS, Raw, Unreadable};
use newsfed::article::{Guide, Mode, extract, from_html};
use newsfed::model::WebsiteRules;
use newsfed::net::robots::{self, Robots};
use newsfed::query::Query;
use newsfed::sitemap::{self, Sitemap};
use newsfed::util::{html, limits, text};
use newsfed::website::propose::{Sample, article_rules, propose};
use newsfed::website::{Page, Selectors, article};
use newsfed::{config, feed};

/// Parsing a feed never panics, and the result is safe to print and bounded.
pub(crate) fn feed(bytes: &[u8]) {
    let base = url::Url::parse("http://127.0.0.1/feed").ok();
    if let Ok(feed) = feed::parse(bytes, None, base.as_ref()) {
        assert!(feed.entries.len() <= limits::FEED_ENTRIES);
        for entry in &feed.entries {
            clean(&entry.title);
            let web = |u: &str| u.starts_with("http://") || u.starts_with("https://");
            assert!(entry.url.as_deref().is_none_or(web), "{:?}", entry.url);
        }
        feed.title.iter().for_each(|t| clean(t));
        feed.repairs.iter().for_each(|r| clean(r));
    }
}

/// Bytes in any charset are decoded to bounded text.
pub(crate) fn decode(bytes: &[u8]) {
    let (charset, body) = bytes.split_at(bytes.len().min(12));
    let header = format!("text/xml; charset={}", String::from_utf8_lossy(charset));
    let _ = feed::decode_text(body, Some(&header));
    let _ = feed::decode_text(bytes, None);
}

/// A date stays the same when it is written and parsed again.
pub(crate) fn dates(bytes: &[u8]) {
    let Some(time) = feed::parse_date(&String::from_utf8_lossy(bytes)) else { return };
    assert_eq!(feed::parse_date(&time.to_rfc3339()), Some(time));
}

/// Sanitised text is safe to print, and sanitising it again changes nothing.
pub(crate) fn sanitise(bytes: &[u8]) {
    let input = String::from_utf8_lossy(bytes);
    let line = text::line(&input);
    clean(&line);
    assert!(!line.contains('\n'));
    let block = text::block(&input);
    block.lines().for_each(clean);
    let safe = html::clean(&input, None);
    assert!(!safe.to_ascii_lowercase().contains("<script"), "{safe}");
    assert!(html::tree::fragment(&safe).is_some());
    assert!(!safe.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')), "{safe:?}");
    text::block(&html::to_text(&safe)).lines().for_each(clean);
}

/// Any page yields only web links, and clean, bounded articles. Selectors proposed for it can be parsed.
pub(crate) fn pages(bytes: &[u8]) {
    let at = url::Url::parse("http://127.0.0.1/news/").unwrap();
    let Ok(page) = Page::read(bytes, None, &at) else { return };
    for proposal in propose(&page) {
        assert!(Selectors::parse(&proposal.articles).is_ok(), "{}", proposal.articles);
        assert!((0.0..=1.0).contains(&proposal.confidence));
        for item in &proposal.items {
            assert!(matches!(item.url.scheme(), "http" | "https"), "{}", item.url);
            clean(&item.title);
        }
    }
    let found = article(&page, &WebsiteRules::default(), None);
    clean(&found.title);
    clean(&found.summary);
    assert!(found.summary.chars().count() <= 501);
    assert!(!found.content.to_ascii_lowercase().contains("<script"), "{}", found.content);
    let sample = Sample { page, title: found.title };
    let learned = article_rules(&[sample], WebsiteRules::default(), None);
    assert!(Selectors::parse(&learned.title).is_ok() && Selectors::parse(&learned.content).is_ok());
}

/// A sitemap yields only URLs of its own site.
pub(crate) fn sitemaps(bytes: &[u8]) {
    let at = url::Url::parse("http://127.0.0.1/sitemap.xml").unwrap();
    let urls: Vec<url::Url> = match sitemap::parse(bytes, &at) {
        Ok(Sitemap::Index(children)) => children.into_iter().map(|c| c.url).collect(),
        Ok(Sitemap::Pages(pages)) => pages.into_iter().map(|p| p.url).collect(),
        Err(_) => return,
    };
    assert!(urls.iter().all(|u| u.host_str() == Some("127.0.0.1")), "{urls:?}");
}

/// A list of sources yields only web URLs.
pub(crate) fn opml(bytes: &[u8]) {
    if let Ok(import) = config::import(bytes, "list") {
        for source in &import.sources {
            assert!(matches!(source.url.scheme(), "http" | "https"), "{}", source.url);
        }
    }
}

/// Settings files are parsed, or rejected with a message.
pub(crate) fn config(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let paths = config::Paths::below(folder.path());
    for file in [paths.config_file(), paths.sources_file()] {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, bytes).unwrap();
    }
    if let Err(errors) = config::load(&paths, &[]) {
        errors.to_string().lines().for_each(clean);
    }
}

/// The rules of any robots.txt can be evaluated for any path, and delays are bounded.
pub(crate) fn robots(bytes: &[u8]) {
    let rules = Robots::parse(bytes, "newsfed");
    assert!(rules.honoured_delay() <= robots::MAX_DELAY);
    for path in ["/", "/a/b?c=d", "/%7e*$", "/robots.txt"] {
        assert_eq!(rules.allows_path(path), rules.allows_path(path), "{path}");
    }
}

/// A selector is either rejected with a message, or can be applied to any page.
pub(crate) fn selectors(bytes: &[u8]) {
    const PAGE: &str = "<main id=a><ul class='b c'><li><a href=/x title=t>x</a><li>y</ul></main>";
    let tree = html::tree::page(PAGE).unwrap();
    match Selectors::parse(&String::from_utf8_lossy(bytes)) {
        Ok(selectors) => assert!(selectors.all(&tree).len() <= tree.tree.nodes().len()),
        Err(why) => clean(&why),
    }
}

/// A query is either rejected with a message, or has the same meaning after it is written and parsed again.
pub(crate) fn queries(bytes: &[u8]) {
    match String::from_utf8_lossy(bytes).parse::<Query>() {
        Ok(query) => {
            let written = query.to_string();
            assert_eq!(written.parse::<Query>().unwrap().to_string(), written);
        }
        Err(error) => error.to_string().lines().for_each(clean),
    }
}

/// Adding a source to any file either adds only that source, or fails and changes nothing.
pub(crate) fn edits(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let paths = config::Paths::below(folder.path());
    let file = paths.sources_file();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let list = config::import(b"http://127.0.0.1:9/added", "list").unwrap().sources;
    let before = config::load(&paths, &[]).map(|loaded| loaded.sources.len());
    match config::SourcesFile::open(&paths).import(&list) {
        Ok((added, _)) => {
            let after = config::load(&paths, &[]).unwrap().sources.len();
            assert_eq!(after, before.unwrap() + added.sources.len());
            let text = std::fs::read(&file).unwrap();
            assert!(added.sources.is_empty() || text.len() > bytes.len());
        }
        Err(error) => {
            error.to_string().lines().for_each(clean);
            assert_eq!(std::fs::read(&file).unwrap(), bytes);
        }
    }
}

/// The article of any page is clean, and stays the same when it is written as HTML and parsed again.
pub(crate) fn articles(bytes: &[u8]) {
    let guide = Guide { url: url::Url::parse("http://127.0.0.1/news/1").ok(), ..Guide::default() };
    let Ok(found) = extract(&html::decode(bytes, None), &guide, Mode::Page, None) else { return };
    // Tabs separate the cells of tables.
    found.document.text().split(['\n', '\t']).for_each(clean);
    found.title.iter().for_each(|title| clean(title));
    let again = from_html(&found.document.html(), None);
    assert_eq!(again.text(), found.document.text());
}

/// Any request of an app is parsed within limits, or rejected with a clean reason.
pub(crate) fn requests(bytes: &[u8]) {
    let end = bytes.iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
    let line = String::from_utf8_lossy(&bytes[..end]);
    let (method, uri) = line.split_once(' ').unwrap_or(("GET", &line));
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let body = bytes.get(end + 1..).unwrap_or_default();
    match Call::parse(Raw { is_post: method == "POST", path, query, body }) {
        Ok(Call::Contents(items)) => assert!((1..=MAX_CONTENTS).contains(&items.len())),
        Ok(Call::Ids(listing)) => assert!((1..=MAX_IDS).contains(&listing.most)),
        Ok(Call::Stream(listing) | Call::Atom(listing)) => {
            assert!((1..=MAX_CONTENTS).contains(&listing.most));
        }
        Ok(Call::EditTag(marks)) => {
            assert!(!marks.items.is_empty());
            assert!(marks.add.len() + marks.remove.len() > 0);
        }
        Ok(Call::EditSubscriptions(edit)) => assert!(!edit.feeds.is_empty()),
        Ok(_) => {}
        Err(Unreadable::Wrong(why)) => clean(&why),
        Err(Unreadable::NotFound | Unreadable::NotPost) => {}
    }
}

fn clean(text: &str) {
    let bad =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!text.contains(bad), "{text:?}");
}

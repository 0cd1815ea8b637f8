//! Converts subscriptions to sources. Does no I/O.

use crate::config::unique_id;
use crate::greader::{Dialect, Stream, Subscription};
use crate::store::RemoteFeed;
use crate::util::text;
use std::collections::{HashMap, HashSet};
use url::Url;

/// The subscriptions with usable URLs, as sources.
pub(super) fn remote_feeds(
    account: &str,
    dialect: Dialect,
    list: Vec<Subscription>,
) -> Vec<RemoteFeed> {
    let mut taken = HashSet::new();
    let mut streams = HashSet::new();
    let mut feeds = Vec::new();
    for subscription in list {
        let address = match Stream::parse(&subscription.id) {
            Some(Stream::Feed(feed)) if subscription.url.is_empty() => feed,
            Some(Stream::Feed(_)) => subscription.url.clone(),
            _ => continue,
        };
        let Ok(url) = Url::parse(&address) else { continue };
        if !matches!(url.scheme(), "http" | "https") || !streams.insert(subscription.id.clone()) {
            continue;
        }
        let line = |text: &str| Some(text::line(text)).filter(|line| !line.is_empty());
        let id = unique_id(&url, &mut taken);
        feeds.push(RemoteFeed {
            stream: subscription.id,
            id: format!("{account}-{id}"),
            title: line(&dialect.feed_title(&subscription.title)),
            home_url: Url::parse(&subscription.html_url).ok().map(String::from),
            folder: subscription.categories.first().and_then(|c| line(&c.label)),
            url: url.into(),
        });
    }
    feeds
}

/// Minimum number of known sources for rejecting a list that contains none of them.
const FEW: usize = 5;

/// Whether a server is a different one: it has none of the known sources, and either it uses their names or
/// URLs for other sources, or at least [`FEW`] sources are known.
pub(super) fn is_other_server(
    known: &HashMap<String, (i64, String)>,
    listed: &HashMap<String, String>,
) -> bool {
    let same = known.iter().any(|(stream, (_, url))| listed.get(stream) == Some(url));
    let urls: HashSet<&String> = listed.values().collect();
    let moved =
        known.iter().any(|(stream, (_, url))| listed.contains_key(stream) || urls.contains(url));
    !same && (moved || known.len() >= FEW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::greader::Category;

    #[test]
    fn skips_subscriptions_without_a_usable_url() {
        let subscription = |id: &str, url: &str, title: &str| Subscription {
            id: id.to_owned(),
            url: url.to_owned(),
            title: title.to_owned(),
            categories: vec![Category { id: String::new(), label: "News\u{202e}".to_owned() }],
            ..Subscription::default()
        };
        let list = vec![
            subscription("feed/1", "https://a.example/feed", "A \u{ff06} B\u{1b}[2J"),
            subscription("feed/1", "https://a.example/again", "twice"),
            subscription("feed/2", "javascript:x()", "x"),
            subscription("feed/https://b.example/feed", "", ""),
            subscription("user/-/label/x", "https://c.example/", "c"),
        ];
        let feeds = remote_feeds("home", Dialect::FreshRss, list);
        let shown: Vec<_> = feeds
            .iter()
            .map(|f| (f.id.as_str(), f.title.as_deref(), f.folder.as_deref()))
            .collect();
        let want = [
            ("home-a-example", Some("A & B"), Some("News")),
            ("home-b-example", None, Some("News")),
        ];
        assert_eq!(shown, want);
    }

    #[test]
    fn recognises_a_server_by_its_sources() {
        let known = HashMap::from([
            ("feed/1".to_owned(), (1, "https://a.example/".to_owned())),
            ("feed/2".to_owned(), (2, "https://b.example/".to_owned())),
        ]);
        let cases: [(&[(&str, &str)], bool); 5] = [
            (&[("feed/1", "https://a.example/"), ("feed/9", "https://c.example/")], false),
            (&[("feed/7", "https://a.example/"), ("feed/8", "https://b.example/")], true),
            (&[("feed/1", "https://c.example/"), ("feed/2", "https://d.example/")], true),
            (&[("feed/9", "https://c.example/")], false),
            (&[], false),
        ];
        for (listed, want) in cases {
            let listed = listed.iter().map(|(s, u)| ((*s).to_owned(), (*u).to_owned())).collect();
            assert_eq!(is_other_server(&known, &listed), want, "{listed:?}");
        }
        let known = |n: i64| (format!("feed/{n}"), (n, format!("https://a.example/{n}")));
        let other = HashMap::from([("feed/9".to_owned(), "https://c.example/".to_owned())]);
        for (sources, want) in [(0, false), (4, false), (5, true)] {
            let known = (1..=sources).map(known).collect();
            assert_eq!(is_other_server(&known, &other), want, "{sources}");
            assert_eq!(is_other_server(&known, &HashMap::new()), want, "{sources}");
        }
    }
}

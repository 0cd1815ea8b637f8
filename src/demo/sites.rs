//! The fictional sites, one file each in `assets/demo`.

use crate::model::Time;
use chrono::TimeDelta;
use serde::Deserialize;
use std::borrow::Cow;
use std::io;

/// All sites, in the order of the demo.
const FILES: [(&str, &str); 15] = [
    ("kettle", include_str!("../../assets/demo/kettle.toml")),
    ("small-machines", include_str!("../../assets/demo/small-machines.toml")),
    ("release-wire", include_str!("../../assets/demo/release-wire.toml")),
    ("city-desk", include_str!("../../assets/demo/city-desk.toml")),
    ("tramline", include_str!("../../assets/demo/tramline.toml")),
    ("night-ferry", include_str!("../../assets/demo/night-ferry.toml")),
    ("slow-radio", include_str!("../../assets/demo/slow-radio.toml")),
    ("lighthouse", include_str!("../../assets/demo/lighthouse.toml")),
    ("allotment", include_str!("../../assets/demo/allotment.toml")),
    ("overrun", include_str!("../../assets/demo/overrun.toml")),
    ("weather-mast", include_str!("../../assets/demo/weather-mast.toml")),
    ("quiet-archive", include_str!("../../assets/demo/quiet-archive.toml")),
    ("marginalia", include_str!("../../assets/demo/marginalia.toml")),
    ("council", include_str!("../../assets/demo/council.toml")),
    ("old-house", include_str!("../../assets/demo/old-house.toml")),
];

/// The format in which a site publishes its articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    /// RSS 2.0
    Rss,
    /// RSS 1.0
    Rdf,
    Atom,
    /// JSON Feed 1.1
    Json,
    /// Pages only.
    Page,
    /// Only pages, none of which lists all articles. Each article is in the category of its first tag.
    Scattered,
}

/// The behaviour of a site's server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Manner {
    #[default]
    Plain,
    /// Publishes an article every [`EVERY`].
    Live,
    /// Becomes rate-limited after a while: responds with 429 and `Retry-After`.
    Limited,
    /// The followed URL redirects permanently to the feed.
    Moved,
    /// The XML is damaged.
    Damaged,
    /// Responds with 500.
    Fails,
    /// Accepts requests and never responds.
    Silent,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Site {
    /// First segment of the site's paths.
    #[serde(skip)]
    pub(super) slug: String,
    pub(super) title: String,
    pub(super) format: Format,
    #[serde(default)]
    pub(super) manner: Manner,
    /// Folder in the demo. A site without a folder is not followed at first.
    pub(super) folder: Option<String>,
    pub(super) description: String,
    #[serde(default)]
    pub(super) author: String,
    pub(super) language: String,
    /// Whether the feed has only summaries, and the full articles are on the pages.
    #[serde(default)]
    pub(super) teasers: bool,
    /// RSS `ttl`, in minutes.
    pub(super) ttl: Option<u32>,
    #[serde(default, rename = "article")]
    pub(super) articles: Vec<Article>,
}

/// An article in the file of a site.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Article {
    pub(super) id: String,
    pub(super) title: String,
    /// Publication time, in minutes before the start of the demo. On a live site, articles without this key
    /// are published while the demo runs.
    ago: Option<u32>,
    pub(super) author: Option<String>,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    pub(super) language: Option<String>,
    pub(super) summary: Option<String>,
    #[serde(default)]
    pub(super) body: String,
    pub(super) audio: Option<Audio>,
    /// The correction that is published after [`CORRECTED_AFTER`].
    correction: Option<Correction>,
}

/// The corrected version of an article.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Correction {
    title: String,
    body: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Audio {
    pub(super) bytes: u64,
    pub(super) seconds: u64,
}

/// A published article.
#[derive(Debug, Clone)]
pub(super) struct Post<'a> {
    pub(super) article: &'a Article,
    pub(super) id: Cow<'a, str>,
    pub(super) title: Cow<'a, str>,
    pub(super) body: &'a str,
    pub(super) at: Time,
}

/// Interval between the articles of a live site.
pub(super) const EVERY: TimeDelta = TimeDelta::seconds(10);
/// Time from the start of the demo until articles are corrected.
const CORRECTED_AFTER: TimeDelta = TimeDelta::seconds(20);
/// Number of posts in a feed.
const LISTED: usize = 25;

/// Parses all sites.
pub(super) fn sites() -> io::Result<Vec<Site>> {
    let read = |(slug, text): &(&str, &str)| {
        let site: Site = toml::from_str(text)
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, format!("{slug}: {e}")))?;
        Ok(Site { slug: (*slug).to_owned(), ..site })
    };
    FILES.iter().map(read).collect()
}

impl Site {
    /// The path of the feed.
    pub(super) fn feed_path(&self) -> String {
        let name = match self.format {
            Format::Rss => "rss.xml",
            Format::Rdf => "index.rdf",
            Format::Atom => "atom.xml",
            Format::Json => "feed.json",
            Format::Page | Format::Scattered => "",
        };
        format!("/{}/{name}", self.slug)
    }

    /// The path that is followed: that of the feed, or its old one if the feed has moved.
    pub(super) fn followed_path(&self) -> String {
        if self.manner == Manner::Moved { self.old_path() } else { self.feed_path() }
    }

    /// The old path of a feed that has moved.
    pub(super) fn old_path(&self) -> String {
        format!("/{}/old/rss.xml", self.slug)
    }

    /// The posts that a site has published by `now`, newest first; the demo started at `start`.
    pub(super) fn posts(&self, start: Time, now: Time) -> Vec<Post<'_>> {
        let (written, coming): (Vec<_>, Vec<_>) =
            self.articles.iter().partition(|a| a.ago.is_some());
        let mut posts: Vec<_> = written
            .into_iter()
            .map(|article| {
                let corrected =
                    article.correction.as_ref().filter(|_| now - start >= CORRECTED_AFTER);
                Post {
                    article,
                    id: Cow::from(&article.id),
                    title: Cow::from(corrected.map_or(&article.title, |c| &c.title)),
                    body: corrected.map_or(&article.body, |c| &c.body),
                    at: start - TimeDelta::minutes(article.ago.unwrap_or_default().into()),
                }
            })
            .collect();
        if self.manner == Manner::Live && !coming.is_empty() {
            posts.extend(live(&coming, start, now));
        }
        posts.sort_by_key(|post| std::cmp::Reverse(post.at));
        posts.truncate(LISTED);
        posts
    }
}

/// The articles of a live site that are published by `now`. After the last one, all are repeated as updates.
fn live<'a>(coming: &[&'a Article], start: Time, now: Time) -> impl Iterator<Item = Post<'a>> {
    let out = usize::try_from((now - start).num_seconds() / EVERY.num_seconds()).unwrap_or(0);
    let first = out.saturating_sub(LISTED);
    (first..out).map(move |n| {
        let (article, round) = (coming[n % coming.len()], n / coming.len());
        let turn = i32::try_from(n + 1).unwrap_or(i32::MAX);
        let (id, title) = match round {
            0 => (Cow::from(&article.id), Cow::from(&article.title)),
            _ => (
                Cow::from(format!("{}-{round}", article.id)),
                Cow::from(format!("{} (update {round})", article.title)),
            ),
        };
        Post { article, id, title, body: &article.body, at: start + EVERY * turn }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_site_has_its_own_articles() {
        for site in sites().unwrap() {
            let ids: HashSet<_> = site.articles.iter().map(|a| &a.id).collect();
            assert_eq!(ids.len(), site.articles.len(), "{}: duplicate id", site.slug);
            let unwell = matches!(site.manner, Manner::Fails | Manner::Silent);
            assert_eq!(site.articles.is_empty(), unwell, "{}", site.slug);
            let live = site.articles.iter().any(|a| a.ago.is_none());
            assert_eq!(live, site.manner == Manner::Live, "{}", site.slug);
        }
    }

    #[test]
    fn corrects_an_article_after_a_while() {
        let sites = sites().unwrap();
        let start = Time::from_timestamp(1_700_000_000, 0).unwrap();
        let texts = |after: TimeDelta| -> Vec<(String, String)> {
            let posts = sites.iter().filter(|s| s.manner == Manner::Live);
            let posts = posts.flat_map(|site| site.posts(start, start + after));
            let written = posts.filter(|post| post.article.ago.is_some());
            written.map(|post| (post.title.clone().into_owned(), post.body.to_owned())).collect()
        };
        let (before, after) = (texts(TimeDelta::zero()), texts(CORRECTED_AFTER));
        let differing = before.iter().zip(&after).filter(|(a, b)| a.0 != b.0 && a.1 != b.1);
        assert_eq!(differing.count(), 1);
    }

    #[test]
    fn live_site_publishes_every_ten_seconds() {
        let sites = sites().unwrap();
        let live = sites.iter().find(|s| s.manner == Manner::Live).unwrap();
        let start = Time::from_timestamp(1_700_000_000, 0).unwrap();
        let at = |seconds| live.posts(start, start + TimeDelta::seconds(seconds));
        let before = at(0).len();
        assert!(before > 0 && before < 20);
        for (seconds, more) in [(9, 0), (10, 1), (19, 1), (20, 2), (30, 3)] {
            assert_eq!(at(seconds).len(), before + more, "after {seconds} s");
        }
        let (hour, later) = (at(3600), at(3610));
        assert_eq!(hour.len(), LISTED);
        let ids = |posts: &[Post<'_>]| -> HashSet<String> {
            posts.iter().map(|p| p.id.clone().into_owned()).collect()
        };
        assert_eq!(ids(&hour).len(), LISTED, "no duplicate id");
        assert_eq!(ids(&later).difference(&ids(&hour)).count(), 1);
        assert!(at(-1000).len() == before, "setting the clock back removes nothing");
    }
}

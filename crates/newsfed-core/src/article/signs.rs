//! What a page reveals about its kind: an article, a discussion, documentation, a product or a list. The
//! results are features for the block classifier.

use super::head::Head;
use serde_json::Value;
use url::Url;

/// Number of features of a page.
pub(super) const COUNT: usize = 9;

/// A set of signs as a bit mask.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs(u32);

/// Types in structured data, grouped by the bit that they set.
const TYPES: [&[&str]; 5] = [
    &["Article", "BlogPosting", "Report", "Recipe"],
    &["DiscussionForumPosting", "QAPage", "Question"],
    &["Product", "Offer", "Service", "LocalBusiness", "SoftwareApplication"],
    &["TechArticle", "APIReference", "HowTo"],
    &["CollectionPage", "ItemList", "SearchResultsPage", "OfferCatalog"],
];
/// Bits for forum software, documentation generators, `og:type` article and other `og:type` values; hints in
/// the URL set the first two.
const FORUM: u32 = 1 << 5;
const DOCS: u32 = 1 << 6;
const OG_ARTICLE: u32 = 1 << 7;
const OG_OTHER: u32 = 1 << 8;
/// Not a feature: set if the URL certainly belongs to a discussion.
const CERTAIN: u32 = 1 << 9;

const FORUMS: [&str; 13] = [
    "discourse",
    "phpbb",
    "xenforo",
    "vbulletin",
    "mybb",
    "simple machines",
    "smf",
    "flarum",
    "nodebb",
    "vanilla",
    "invision",
    "bbpress",
    "lemmy",
];
const GENERATORS: [&str; 11] = [
    "docusaurus",
    "sphinx",
    "mkdocs",
    "gitbook",
    "vuepress",
    "vitepress",
    "docsify",
    "javadoc",
    "rustdoc",
    "starlight",
    "mdbook",
];
const FORUM_PATHS: [&str; 18] = [
    "forum",
    "forums",
    "thread",
    "threads",
    "viewtopic",
    "showthread",
    "showtopic",
    "topic",
    "topics",
    "t",
    "d",
    "discussion",
    "discussions",
    "questions",
    "comments",
    "bbs",
    "boards",
    "community",
];
/// Parts that occur only in URLs of discussions: first labels of hosts, path segments, and prefixes of path
/// segments.
const FORUM_HOSTS: [&str; 6] = ["forum", "forums", "bbs", "boards", "discuss", "discussion"];
const FORUM_SEGMENTS: [&str; 4] = ["forum", "forums", "thread", "threads"];
const FORUM_SCRIPTS: [&str; 3] = ["viewtopic", "showthread", "showtopic"];
const DOCS_PATHS: [&str; 14] = [
    "docs",
    "doc",
    "documentation",
    "reference",
    "api",
    "manual",
    "guide",
    "guides",
    "wiki",
    "learn",
    "tutorial",
    "handbook",
    "readthedocs",
    "man",
];

impl Signs {
    pub(super) fn of(head: &Head<'_>, url: Option<&Url>) -> Self {
        let mut bits = 0;
        for object in &head.objects {
            match object.get("@type") {
                Some(Value::String(kind)) => bits |= of_type(kind),
                Some(Value::Array(kinds)) => {
                    kinds.iter().filter_map(Value::as_str).for_each(|k| bits |= of_type(k));
                }
                _ => {}
            }
        }
        for (name, content) in &head.metas {
            match name.as_str() {
                "generator" | "application-name" => {
                    let content: String =
                        content.chars().take(60).collect::<String>().to_ascii_lowercase();
                    let is = |names: &[&str]| names.iter().any(|n| content.contains(n));
                    bits |= if is(&FORUMS) { FORUM } else { 0 };
                    bits |= if is(&GENERATORS) { DOCS } else { 0 };
                }
                "og:type" => {
                    bits |= if content.contains("article") { OG_ARTICLE } else { OG_OTHER };
                }
                _ => {}
            }
        }
        if let Some(url) = url {
            let host = url.host_str().unwrap_or_default();
            let words = || {
                let path = url.path().split(['/', '.', '-', '_']);
                host.split('.').chain(path.take(12))
            };
            let is = |names: &[&str]| words().any(|w| names.contains(&w));
            bits |= if is(&FORUM_PATHS) { FORUM } else { 0 };
            let of_host = host.split('.').next().is_some_and(|w| FORUM_HOSTS.contains(&w));
            let mut segments = url.path().split('/').take(12).map(str::to_ascii_lowercase);
            let of_path = segments.any(|s| {
                FORUM_SEGMENTS.contains(&s.as_str())
                    || FORUM_SCRIPTS.iter().any(|n| s.starts_with(n))
            });
            bits |= if of_host || of_path { CERTAIN } else { 0 };
            bits |= if is(&DOCS_PATHS) { DOCS } else { 0 };
        }
        Self(bits)
    }

    /// Adds a type from microdata.
    pub(super) fn with_type(self, kind: &str) -> Self {
        Self(self.0 | of_type(kind))
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the page declares itself a discussion.
    pub(super) fn is_discussion(self) -> bool {
        self.0 & (CERTAIN | 1 << 1) != 0 || self.0 & FORUM != 0 && self.0 & (OG_ARTICLE | 1) == 0
    }

    /// Whether the page declares itself documentation.
    pub(super) fn is_documentation(self) -> bool {
        self.0 & (DOCS | 1 << 3) != 0 && self.0 & (OG_ARTICLE | 1) == 0
    }

    pub(super) fn features(self) -> [f32; COUNT] {
        std::array::from_fn(|bit| f32::from(u8::from(self.0 & (1 << bit) != 0)))
    }
}

fn of_type(kind: &str) -> u32 {
    let hit = |names: &&[&str]| names.iter().any(|n| kind.ends_with(n));
    // The type of a discussion has the same suffix as that of an article.
    let bit = [1, 3, 0, 2, 4].into_iter().find(|bit| hit(&TYPES[*bit]));
    bit.map_or(0, |bit| 1 << bit)
}

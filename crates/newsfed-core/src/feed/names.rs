//! XML namespaces used by feeds, recognised by URL and by customary prefix.

/// The vocabulary of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ns {
    /// Any version of RSS, or Atom in an Atom feed.
    Core,
    /// Atom in another format.
    Atom,
    /// Dublin Core elements or terms.
    Dc,
    /// RSS content module.
    Content,
    /// XHTML.
    Xhtml,
    /// Media RSS.
    Media,
    /// iTunes podcasts.
    Itunes,
    /// RSS syndication module.
    Sy,
    /// FeedBurner.
    FeedBurner,
    /// Comments: the comment feed (`wfw`), the number of comments (`slash`, Atom threading).
    Discussion,
    /// Chapters of episodes (Podlove, Podcasting 2.0).
    Chapters,
    /// RDF.
    Rdf,
    /// Anything else.
    Other,
}

/// The vocabulary of a namespace URL. Minor differences in spelling are ignored.
pub(super) fn by_address(address: &str) -> Ns {
    let lower = address.trim().to_ascii_lowercase();
    let bare = lower.trim_start_matches("https://").trim_start_matches("http://");
    let bare = bare.trim_start_matches("www.").trim_end_matches(['/', '#']);
    match bare {
        "w3.org/2005/atom" | "purl.org/atom/ns" | "example.com/newformat" => Ns::Atom,
        "purl.org/dc/elements/1.1" | "purl.org/dc/elements/1.0" | "purl.org/dc/terms" => Ns::Dc,
        "purl.org/rss/1.0/modules/content" => Ns::Content,
        "w3.org/1999/xhtml" => Ns::Xhtml,
        "w3.org/1999/02/22-rdf-syntax-ns" => Ns::Rdf,
        "purl.org/rss/1.0/modules/syndication" => Ns::Sy,
        "purl.org/rss/1.0/modules/slash" | "purl.org/syndication/thread/1.0" => Ns::Discussion,
        "podlove.org/simple-chapters" | "podcastindex.org/namespace/1.0" => Ns::Chapters,
        _ if bare.starts_with("podcastindex.org/namespace")
            || bare.contains("podcast-namespace/blob") =>
        {
            Ns::Chapters
        }
        _ if bare.starts_with("purl.org/atom/ns") => Ns::Atom,
        _ if bare.contains("yahoo.com/mrss") => Ns::Media,
        _ if bare.contains("itunes.com/dtd") => Ns::Itunes,
        _ if bare.contains("feedburner") => Ns::FeedBurner,
        _ if bare.contains("wellformedweb.org/commentapi") => Ns::Discussion,
        _ if bare.starts_with("purl.org/rss/1.0/modules") => Ns::Other,
        _ if is_rss(bare) => Ns::Core,
        _ => Ns::Other,
    }
}

fn is_rss(bare: &str) -> bool {
    bare.starts_with("purl.org/rss")
        || bare.starts_with("purl.org/net/rss")
        || bare.starts_with("my.netscape.com/rdf")
        || bare.starts_with("my.netscape.com/publish/formats/rss")
        || bare.starts_with("channel.netscape.com/rdf")
        || bare.starts_with("backend.userland.com/rss")
        || bare.starts_with("blogs.law.harvard.edu/tech/rss")
        || bare.starts_with("cyber.law.harvard.edu/rss")
}

/// The vocabulary that is customary for an undeclared prefix.
pub(super) fn by_prefix(prefix: &str) -> Ns {
    match prefix {
        "atom" | "a10" | "atom10" => Ns::Atom,
        "dc" | "dcterms" => Ns::Dc,
        "content" => Ns::Content,
        "xhtml" => Ns::Xhtml,
        "media" => Ns::Media,
        "itunes" => Ns::Itunes,
        "sy" => Ns::Sy,
        "feedburner" => Ns::FeedBurner,
        "wfw" | "slash" | "thr" => Ns::Discussion,
        "psc" | "podcast" => Ns::Chapters,
        "rdf" => Ns::Rdf,
        "rss" => Ns::Core,
        _ => Ns::Other,
    }
}

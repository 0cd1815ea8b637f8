//! Sitemaps: robots.txt Sitemap lines, indexes, lists of pages, news sitemaps.
//!
//! Pure: [`parse`] reads a document, [`worth_reading`] returns which children of an index to
//! open, and [`due`] which pages to fetch. The engine sends the requests.

mod parse;
mod plan;

pub use parse::{
    Child, LastMod, News, Sitemap, SitemapEntry, SitemapError, parse, parse_and_count,
};
pub use plan::{change_interval, due, worth_reading};

use crate::util::domain::same_site;
use url::Url;

/// Maximum number of children of an index that are followed.
pub const MAX_CHILDREN: usize = 50;
/// Maximum depth of nested indexes.
pub const MAX_LEVELS: usize = 3;

/// The sitemaps of a site: those in its robots.txt (`lines`, as written), or `/sitemap.xml` if there are
/// none. Sitemaps on other sites are skipped.
pub fn places(site: &Url, lines: &[String]) -> Vec<Url> {
    let mut places: Vec<Url> = Vec::new();
    for line in lines {
        if let Some(url) = crate::util::url::resolve(site, line)
            && same_site(&url, site)
            && !places.contains(&url)
            && places.len() < MAX_CHILDREN
        {
            places.push(url);
        }
    }
    if places.is_empty() {
        places.extend(site.join("/sitemap.xml").ok());
    }
    places
}

#[cfg(test)]
mod tests;

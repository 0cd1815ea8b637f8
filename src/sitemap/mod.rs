//! Sitemaps: robots.txt Sitemap lines, indexes, lists of pages, news sitemaps.
//!
//! Pure: [`parse`] reads a document, [`worth_reading`] says which children of an index to open, and
//! [`due`] which pages to look at. Who asks the network is the engine.

mod parse;
mod plan;

pub use parse::{Child, LastMod, Listed, News, Sitemap, SitemapError, parse};
pub use plan::{change_interval, due, worth_reading};

use crate::util::domain::same_site;
use url::Url;

/// Children of an index that are followed at most.
pub const MOST_CHILDREN: usize = 50;
/// How deep indexes may lead to indexes.
pub const MOST_LEVELS: usize = 3;

/// Where the sitemaps of a site are: what its robots.txt names (`lines`, as written), else
/// `/sitemap.xml`. Other sites' are left out.
pub fn places(site: &Url, lines: &[String]) -> Vec<Url> {
    let mut places: Vec<Url> = Vec::new();
    for line in lines {
        if let Some(url) = crate::util::url::resolve(site, line)
            && same_site(&url, site)
            && !places.contains(&url)
            && places.len() < MOST_CHILDREN
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

//! The fictional sites, served on loopback.

use super::render::{Place, media_type};
use super::server::{Failure, Reply, ScriptedRequest, Server};
use super::sites::{Manner, Site, sites};
use crate::model::{Source, SourceId, Time};
use crate::util::clock::Clock;
use crate::util::color::mix;
use image::{ImageFormat, Rgb, RgbImage};
use sha2::{Digest, Sha256};
use std::io::{self, Cursor};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use url::Url;

/// Seconds from the start until the rate-limited site sends 429.
const LIMITED_AFTER: i64 = 4;
/// Value of `Retry-After` from the rate-limited site, in seconds.
const RETRY_AFTER: &str = "600";

/// A running set of sites. Their content depends only on the clock.
pub struct World {
    server: Server,
    sites: Arc<Vec<Site>>,
    shared: bool,
}

impl World {
    /// Starts the sites, each on its own loopback address (127.0.1.1 and up), all on one free port. If the
    /// system has only 127.0.0.1, they all use this address.
    ///
    /// # Errors
    /// When no port is available.
    pub fn start(clock: Arc<dyn Clock>) -> io::Result<Self> {
        let sites = Arc::new(sites()?);
        let start = clock.now();
        let serve = || {
            let (sites, clock) = (sites.clone(), clock.clone());
            move |request: &ScriptedRequest| respond(&sites, start, clock.now(), request)
        };
        let ips: Vec<_> = (0..sites.len()).map(ip).collect();
        let (server, shared) = match Server::start_on(&ips, serve()) {
            Ok(server) => (server, false),
            Err(_) => (Server::start(serve())?, true),
        };
        Ok(Self { server, sites, shared })
    }

    /// The sources of the demo. If a source has a feed, the feed provides its title.
    pub fn sources(&self) -> Vec<Source> {
        let followed = self.sites.iter().enumerate().filter(|(_, site)| site.folder.is_some());
        let source = |(index, site): (usize, &Site)| {
            let url = Url::parse(&self.url(index, &site.followed_path())).ok()?;
            Some(Source {
                title: site.articles.is_empty().then(|| site.title.clone()),
                folder: site.folder.clone(),
                ..Source::feed(SourceId(site.slug.clone()), url)
            })
        };
        followed.filter_map(source).collect()
    }

    /// A page that lists news and has no feed.
    pub fn page_without_feed(&self) -> String {
        self.home("council")
    }

    /// A site with neither a feed nor a list nor a sitemap.
    pub fn site_without_list(&self) -> String {
        self.home("old-house")
    }

    /// A page that announces a feed that is not followed yet.
    pub fn announcing_page(&self) -> String {
        self.home("marginalia")
    }

    /// The server, for counting requests.
    pub fn server(&self) -> &Server {
        &self.server
    }

    fn home(&self, slug: &str) -> String {
        let index = self.sites.iter().position(|s| s.slug == slug).unwrap_or_default();
        self.url(index, &format!("/{slug}/"))
    }

    fn url(&self, index: usize, path: &str) -> String {
        if self.shared { self.server.url(path) } else { self.server.url_on(ip(index), path) }
    }
}

/// The IP address of a site by its index.
fn ip(index: usize) -> IpAddr {
    let last = u8::try_from(index + 1).unwrap_or(u8::MAX);
    IpAddr::V4(Ipv4Addr::new(127, 0, 1, last))
}

fn respond(sites: &[Site], start: Time, now: Time, request: &ScriptedRequest) -> Reply {
    let path = request.path.split('?').next().unwrap_or_default();
    if path == "/robots.txt" {
        return Reply::ok("text/plain", "User-agent: *\nDisallow:\n");
    }
    let (slug, rest) = path.trim_start_matches('/').split_once('/').unwrap_or_default();
    let Some(site) = sites.iter().find(|s| s.slug == slug) else { return Reply::status(404) };
    match site.manner {
        Manner::Fails => return Reply::ok("text/plain", "out of order\n").with_status(500),
        Manner::Silent => return Reply::status(200).failing(Failure::NeverAnswer),
        Manner::Limited if (now - start).num_seconds() >= LIMITED_AFTER => {
            return Reply::status(429).header("retry-after", RETRY_AFTER);
        }
        _ => {}
    }
    if site.manner == Manner::Moved && path == site.old_path() {
        return Reply::status(301).header("location", site.feed_path());
    }
    let host = request.header("host").map(String::from_utf8_lossy).unwrap_or_default();
    let posts = site.posts(start, now);
    let place = Place { site, posts: &posts, base: &format!("http://{host}") };
    let linked = |page: String| {
        page.replace(WITHOUT_FEED, &address_of(sites, "council", &host))
            .replace(WITHOUT_LIST, &address_of(sites, "old-house", &host))
    };
    if path == site.feed_path() {
        let newest = posts.first().map_or(start, |p| p.at);
        return conditional(request, newest, media_type(site.format), linked(place.document()));
    }
    let html = |page| Reply::ok("text/html; charset=utf-8", linked(page));
    match rest {
        "" => html(place.page()),
        _ if rest.starts_with("room/") => match place.category(&rest["room/".len()..]) {
            Some(page) => html(page),
            None => Reply::status(404),
        },
        _ if rest.ends_with(".png") => match picture(rest) {
            Some(picture) => Reply::ok("image/png", picture),
            None => Reply::status(500),
        },
        _ => match posts.iter().find(|p| p.id == rest) {
            Some(post) => html(place.article(post)),
            None => Reply::status(404),
        },
    }
}

/// Placeholder in articles for the URL of the site without a feed.
const WITHOUT_FEED: &str = "{without-feed}";

/// Placeholder in articles for the URL of the site without a list.
const WITHOUT_LIST: &str = "{without-list}";

/// The URL of a site, for a link on a page of `host`.
fn address_of(sites: &[Site], slug: &str, host: &str) -> String {
    let index = sites.iter().position(|s| s.slug == slug).unwrap_or_default();
    match host.rsplit_once(':') {
        Some((name, port)) if name != "127.0.0.1" => {
            format!("http://{}:{port}/{slug}/", ip(index))
        }
        _ => format!("http://{host}/{slug}/"),
    }
}

/// The document with its validators, or 304 if the client already has it.
fn conditional(request: &ScriptedRequest, newest: Time, media_type: &str, body: String) -> Reply {
    let hash = Sha256::digest(&body);
    let etag: String = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
    let etag = format!("\"{etag}\"");
    let modified = httpdate::fmt_http_date(newest.into());
    let same = match request.header("if-none-match") {
        Some(known) => known == etag.as_bytes(),
        None => request.header("if-modified-since") == Some(modified.as_bytes()),
    };
    let reply = if same { Reply::status(304) } else { Reply::ok(media_type, body) };
    reply.header("etag", etag).header("last-modified", modified)
}

/// A picture for an article: a sky over hills, in colours and shapes that depend on its name.
fn picture(name: &str) -> Option<Vec<u8>> {
    let hash = Sha256::digest(name);
    let color = |n: usize| [hash[n], hash[n + 1], hash[n + 2]].map(|part| 60 + part / 2);
    let (high, low) = (color(0), color(3));
    let hill = |n: usize, x: f64| {
        let (phase, length) = (f64::from(hash[n]), 60.0 + f64::from(hash[n + 1] / 2));
        180.0 + 60.0 * n as f64 / 6.0 + 50.0 * (x / length + phase).sin()
    };
    let picture = RgbImage::from_fn(800, 400, |x, y| {
        let under = |n: &usize| f64::from(y) > hill(*n, f64::from(x));
        let layer = [18, 12, 6].iter().position(under);
        let ground = |depth: usize| mix(high, [20, 24, 30], 0.85 - 0.2 * depth as f64);
        Rgb(layer.map_or_else(|| mix(high, low, f64::from(y) / 300.0), ground))
    });
    let mut out = Cursor::new(Vec::new());
    picture.write_to(&mut out, ImageFormat::Png).ok()?;
    Some(out.into_inner())
}

//! A cache of robots.txt files, each fetched once a day.

use super::client::{Client, host};
use super::error::FetchError;
use super::request::Request;
use super::robots::{MAX_DELAY, Robots};
use crate::model::Time;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use url::Url;

/// The product token of newsfed in robots.txt.
const AGENT: &str = "newsfed";
/// How long a cached file is used (RFC 9309, section 2.4).
const KEPT: Duration = Duration::from_secs(24 * 3600);
/// How long pages are paused after a 429 or a server error before the file is fetched again.
const RETRY: Duration = Duration::from_secs(600);
/// Maximum number of cached files.
const MAX_FILES: usize = 256;

/// The result for a host, and how long it is valid.
struct Verdict {
    /// The rules, or the status (429 or a server error) that forbids everything.
    rules: Result<Robots, u16>,
    until: Time,
}

#[derive(Default)]
pub(crate) struct RobotsCache {
    files: Mutex<HashMap<String, Arc<OnceCell<Verdict>>>>,
}

impl RobotsCache {
    /// The `crawl-delay` for this page; zero without one.
    pub(crate) async fn check(
        &self,
        client: &Client,
        url: &Url,
        request: &Request,
    ) -> Result<Duration, FetchError> {
        let cell = self.cell(&url.origin().ascii_serialization(), client.now());
        // Other requests for the same file wait here.
        let verdict = cell.get_or_try_init(|| fetch(client, url, request)).await?;
        match &verdict.rules {
            Ok(robots) if robots.allows(url) => Ok(robots.honoured_delay()),
            Ok(_) => Err(FetchError::Robots { host: host(url), path: url.path().to_owned() }),
            Err(status) => Err(FetchError::RobotsFails {
                host: host(url),
                status: *status,
                until: verdict.until,
            }),
        }
    }

    /// The `Sitemap` lines of the file that applies to a page.
    pub(crate) async fn sitemaps(
        &self,
        client: &Client,
        request: &Request,
    ) -> Result<Vec<String>, FetchError> {
        self.check(client, &request.url, request).await?;
        let cell = self.cell(&request.url.origin().ascii_serialization(), client.now());
        let rules = cell.get().and_then(|verdict| verdict.rules.as_ref().ok());
        Ok(rules.map(|robots| robots.sitemaps.clone()).unwrap_or_default())
    }

    fn cell(&self, origin: &str, now: Time) -> Arc<OnceCell<Verdict>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let stale = |cell: &OnceCell<Verdict>| cell.get().is_some_and(|v| v.until <= now);
        if let Some(cell) = files.get(origin)
            && !stale(cell)
        {
            return cell.clone();
        }
        if files.len() >= MAX_FILES {
            files.retain(|_, cell| !stale(cell));
            let oldest = files.iter().min_by_key(|(_, cell)| cell.get().map(|v| v.until));
            let oldest = oldest.map(|(origin, _)| origin.clone());
            if let (true, Some(oldest)) = (files.len() >= MAX_FILES, oldest) {
                files.remove(&oldest);
            }
        }
        let cell = Arc::new(OnceCell::new());
        files.insert(origin.to_owned(), cell.clone());
        cell
    }
}

/// Fetches and evaluates the file: a client error allows everything, but a 429 or a server error nothing, and
/// without any response the request for the page fails with the same error (RFC 9309, section 2.3.1).
async fn fetch(client: &Client, page: &Url, request: &Request) -> Result<Verdict, FetchError> {
    let mut url = page.clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    let declared = Some(request.home().clone());
    let file = Request {
        declared,
        access: request.access.clone(),
        allow_private: request.allow_private,
        force: request.force,
        spacing: request.spacing,
        ..Request::page(url)
    };
    let now = client.now();
    let rules = match client.fetch_checked(&file, false).await {
        Ok(response) if response.is_success() => Ok(Robots::parse(&response.body, AGENT)),
        Ok(response) if response.status == 429 || response.status >= 500 => Err(response.status),
        Ok(_) => Ok(Robots::allow_all()),
        Err(
            FetchError::TooManyRedirects { .. }
            | FetchError::RedirectLoop { .. }
            | FetchError::Private { .. }
            | FetchError::Scheme { .. },
        ) => Ok(Robots::allow_all()),
        Err(error) => return Err(error),
    };
    if let Some(delay) = rules.as_ref().ok().and_then(|r| r.crawl_delay).filter(|d| *d > MAX_DELAY)
    {
        let given = delay.as_secs();
        tracing::warn!(host = host(page), given, "crawl-delay is limited to 60 s");
    }
    let until = now + if rules.is_ok() { KEPT } else { RETRY };
    Ok(Verdict { rules, until })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time::from_timestamp(seconds, 0).unwrap()
    }

    #[test]
    fn keeps_files_until_they_expire_or_are_too_many() {
        let cache = RobotsCache::default();
        let fetched = |origin: &str, now: i64, until: i64| {
            let verdict = Verdict { rules: Ok(Robots::allow_all()), until: at(until) };
            cache.cell(origin, at(now)).set(verdict).is_ok()
        };
        assert!(fetched("a", 0, 10) && !fetched("a", 9, 10), "still the same file");
        assert!(fetched("a", 10, 20), "out of date");
        // Each file expires one second after the previous one.
        for n in 1..MAX_FILES as i64 {
            assert!(fetched(&n.to_string(), 11, 1_000 + n));
        }
        let known = || cache.files.lock().unwrap().len();
        assert_eq!(known(), MAX_FILES);
        assert!(fetched("b", 20, 5_000) && known() == MAX_FILES, "instead of what is out of date");
        assert!(cache.files.lock().unwrap().contains_key("1"));
        assert!(fetched("c", 20, 5_000) && known() == MAX_FILES, "instead of the oldest");
        let files = cache.files.lock().unwrap();
        assert!(!files.contains_key("1") && files.contains_key("2") && files.contains_key("b"));
    }
}

//! Websites: the list, its pages, its articles.

use super::Visit;
use super::gathering::Gathering;
use crate::model::{LeftOutReason, PageHints, Time, WebsiteRules, stable_hash};
use crate::net::Response;
use crate::store::{ListCopy, ReservedKeys};
use crate::util::domain::same_site;
use crate::util::url::normalise;
use crate::util::{limits, text};
use crate::website::signal::page_hints;
use crate::website::{
    ListLink, ListPage, Page, Selectors, Walk, list_page_with_rows, obstacle, propose::propose,
};
use chrono::TimeDelta;
use std::collections::BTreeMap;
use url::Url;

/// Number of selectors that are suggested if the source's own find nothing.
const MAX_SUGGESTIONS: usize = 3;
/// Maximum number of known articles per list page that are read again because of new activity.
const MAX_AGAIN: usize = 20;
/// Maximum number of articles per source whose last activity is known.
const MAX_ACTIVE: usize = 200;
/// Maximum difference between a local time and UTC.
const ZONES: TimeDelta = TimeDelta::hours(14);

/// A list page that was read.
struct ListDocument {
    page: ListPage,
    hints: PageHints,
    title: Option<String>,
    /// What hides the list, such as a consent dialog.
    obstacle: Option<LeftOutReason>,
    /// Selectors that would match if the source's own find nothing.
    instead: Vec<String>,
    /// The page, if it lists something.
    copy: Option<ListCopy>,
}

/// Reads a website, starting with the response to its first request.
///
/// # Errors
/// Returns the reason if the document is not a page.
pub(super) async fn read(
    visit: &mut Visit<'_>,
    rules: &WebsiteRules,
    response: Response,
    gathering: &mut Gathering,
) -> Result<(), String> {
    let start = visit.home();
    let mut walk = Walk::new(&start, rules.max_pages, visit.facts.last_ok, visit.started);
    let (mut requested, mut response) = (start, response);
    let mut keys = None;
    gathering.active.clone_from(&visit.facts.website.active);
    loop {
        let final_url = response.final_url.clone();
        let first = gathering.hints.is_none();
        let listed = match list(visit, rules, &requested, response).await {
            Ok(listed) => listed,
            // The results of the earlier pages can be used.
            Err(why) if !first => {
                gathering.note(format!("{requested}: {why}"));
                break;
            }
            Err(why) => return Err(why),
        };
        let surplus = limits::left_out(listed.page.left_out, "link", limits::LIST_LINKS);
        if let Some(surplus) = surplus {
            gathering.note(format!("{requested}: {surplus}"));
        }
        if first {
            review(&listed, &requested, gathering);
            gathering.copy = listed.copy;
        }
        let urls: Vec<Url> = listed.page.links.iter().map(|l| l.url.clone()).collect();
        if first && !urls.is_empty() && !urls.iter().any(|url| same_site(url, &final_url)) {
            let what = "all links to articles lead to other sites";
            gathering.note(what);
            gathering.nothing_listed = Some(what.to_owned());
        }
        let known = visit.known(urls.clone()).await.map_err(|e| e.to_string())?;
        // An article stored by a poll that was cut short does not mean that the articles after it are known
        // too.
        let lately = |at: Time| visit.facts.last_ok.is_some_and(|last| at > last);
        let is_old = |url: &Url| {
            let mut both = urls.iter().zip(&known);
            both.any(|(u, known)| u == url && known.is_some_and(|at| !lately(at)))
        };
        let active = visit.activities(&listed.page.links);
        let mut again = visit.renewed(active.clone()).await?;
        let waits = again.clone();
        gathering.learn_zone(&listed.page.links, visit.started);
        let links = listed.page.links.iter().map(|l| (normalise(&l.url), l.clone()));
        gathering.listed.extend(links);
        let page = walk.take(&requested, &final_url, listed.page, is_old);
        let is_new = |url: &Url| urls.iter().zip(&known).any(|(u, k)| u == url && k.is_none());
        let new: Vec<Url> = page.into_iter().map(|l| l.url).filter(is_new).collect();
        let publisher = visit.publisher(gathering.title.as_deref());
        let keys =
            keys.get_or_insert_with(|| ReservedKeys::for_articles(walk.most_after(new.len())));
        let before = gathering.dates.len();
        if !visit.articles(new, rules, &publisher, keys, gathering).await? {
            break;
        }
        again.truncate(MAX_AGAIN);
        let read = visit.read_again(again, true, gathering).await?;
        let seen = active.into_iter().filter(|(url, _)| !waits.contains(url) || read.contains(url));
        gathering.active.extend(seen.map(|(url, at)| (key_of(&url), at)));
        walk.read(&gathering.dates[before..]);
        let Some(next) = walk.next_page().cloned() else { break };
        match visit.fetcher.page(next.clone()).await {
            Ok(fetched) if fetched.is_success() => {
                gathering.wire_bytes += fetched.wire_bytes;
                gathering.elapsed += fetched.elapsed;
                (requested, response) = (next, fetched);
            }
            // The results of the first pages can be used; the rest comes with the next poll.
            Ok(response) => {
                gathering.note(format!("{next}: HTTP {}", response.status));
                gathering.is_host_paused = response.status == 429;
                gathering.unfinished = true;
                break;
            }
            Err(e) => {
                gathering.note(e.to_string());
                gathering.unfinished = true;
                break;
            }
        }
    }
    gathering.unfinished |= walk.cut();
    drop_oldest(&mut gathering.active);
    Ok(())
}

impl Visit<'_> {
    /// The links with a last activity. A time in the future is ignored.
    fn activities(&self, links: &[ListLink]) -> Vec<(Url, Time)> {
        let latest = self.started + ZONES;
        let active = |link: &ListLink| link.active.filter(|at| *at <= latest);
        links.iter().filter_map(|link| Some((link.url.clone(), active(link)?))).collect()
    }

    /// The known articles with activity since they were read. A reply to a topic is not a new topic.
    async fn renewed(&self, active: Vec<(Url, Time)>) -> Result<Vec<Url>, String> {
        let (key, seen) = (self.job.key, self.facts.website.active.clone());
        let read = self.context.read(move |reader| {
            let mut renewed = Vec::new();
            for (url, at) in active {
                let Some(item) = reader.item_at(key, &url)? else { continue };
                let Some(state) = reader.page(item)? else { continue };
                let before = seen.get(&key_of(&url));
                if at > before.copied().unwrap_or(state.fetched_at + ZONES) {
                    renewed.push(url);
                }
            }
            Ok(renewed)
        });
        read.await.map_err(|e| text::line(&e.to_string()))
    }
}

fn key_of(url: &Url) -> u64 {
    stable_hash([normalise(url).as_str()])
}

fn drop_oldest(active: &mut BTreeMap<u64, Time>) {
    if active.len() > MAX_ACTIVE {
        let mut times: Vec<Time> = active.values().copied().collect();
        times.sort_unstable_by(|a, b| b.cmp(a));
        active.retain(|_, at| *at > times[MAX_ACTIVE]);
    }
}

async fn list(
    visit: &Visit<'_>,
    rules: &WebsiteRules,
    requested: &Url,
    response: Response,
) -> Result<ListDocument, String> {
    let (rules, at, requested) = (rules.clone(), visit.started, requested.clone());
    let bytes = response.body.len();
    let work = move || {
        let page = Page::read(&response.body, response.content_type(), &response.final_url)
            .map_err(|e| text::line(&e.to_string()))?;
        let compile =
            |selector: &Option<String>| selector.as_deref().map(Selectors::parse).transpose();
        let (articles, next) = (compile(&rules.articles)?, compile(&rules.next)?);
        let articles = articles.ok_or("the source has no selector for articles")?;
        for selectors in [Some(&articles), next.as_ref()].into_iter().flatten() {
            selectors.check(page.tree()).map_err(|e| e.to_string())?;
        }
        let found = list_page_with_rows(&page, &articles, next.as_ref());
        let instead = if found.links.is_empty() {
            propose(&page).into_iter().take(MAX_SUGGESTIONS).map(|p| p.articles).collect()
        } else {
            Vec::new()
        };
        let copy = || {
            let kind = response.content_type();
            ListCopy::pack(at, response.final_url.as_str(), kind, &response.body)
        };
        let copy = if found.links.is_empty() { None } else { copy() };
        let obstacle = obstacle(&page, &requested);
        let listed = found.links.iter().filter_map(|link| link.date).max();
        let hints = PageHints { listed, ..page_hints(&page) };
        Ok(ListDocument { hints, title: page.title(), page: found, obstacle, instead, copy })
    };
    let read = visit.context.read_document(bytes, work).await;
    read.unwrap_or_else(|| Err("the page could not be read (this is a bug)".to_owned()))
}

/// Reviews the first page, apart from its links.
fn review(listed: &ListDocument, requested: &Url, gathering: &mut Gathering) {
    gathering.title.clone_from(&listed.title);
    gathering.hints = Some(listed.hints);
    if listed.page.links.is_empty() {
        let what = match listed.obstacle {
            Some(LeftOutReason::NeedsJavascript) => {
                "no links to articles: the page needs JavaScript, which is not supported; follow a feed \
                 or a sitemap of the site instead"
            }
            Some(LeftOutReason::NeedsLogin) => "no links to articles: the page asks for a login",
            Some(_) => "no links to articles: the page asks for consent to cookies",
            None => "no links to articles",
        };
        gathering.note(what);
        gathering.nothing_listed = Some(what.to_owned());
        if let Some(reason) = listed.obstacle {
            gathering.leave_out(reason, requested);
        }
        gathering.instead.clone_from(&listed.instead);
    }
}

//! A page that is watched for changes: its only item gets a new version at each change.

use super::Visit;
use super::gathering::Gathering;
use crate::engine::fulltext;
use crate::engine::fulltext::TextGot;
use crate::model::{Entry, LeftOutReason, PageHints, WebsiteRules};
use crate::net::Response;
use crate::store::ReservedKeys;
use crate::util::domain::same_site;
use crate::util::text;
use crate::website::signal::{page_hints, unchanged};
use crate::website::{Page, article, obstacle};
use url::Url;

/// Reads a page, which is the response to the first request.
///
/// # Errors
/// Returns the reason if it cannot be stored.
pub(super) async fn read(
    visit: &mut Visit<'_>,
    rules: &WebsiteRules,
    response: Response,
    gathering: &mut Gathering,
) -> Result<(), String> {
    // The item keeps the declared URL even if the page moves.
    let url = visit.job.source.url.clone();
    if visit.is_file(&response) {
        return visit.file(url, response, gathering).await;
    }
    let first = first_facts(visit, &url, rules, &response).await;
    let Some(FirstFacts { hints, title, obstacle }) = first else {
        return Err("the page could not be read (this is a bug)".to_owned());
    };
    let moved_away = !same_site(&response.final_url, &url);
    let obstacle = obstacle.or_else(|| moved_away.then_some(LeftOutReason::OtherSite));
    if let Some(reason) = obstacle {
        let what = format!("the page is {}", reason.describe());
        gathering.note(&what);
        gathering.nothing_listed = Some(what);
        gathering.leave_out(reason, &response.final_url);
        return Ok(());
    }
    gathering.title = title;
    gathering.hints = Some(hints);
    let before = &visit.facts.website;
    // The page's own date does not apply to a part that the user selected.
    let whole = rules.content == WebsiteRules::CONTENT;
    if whole && unchanged(&hints, &before.hints) && before.problem.is_none() && !before.unfinished {
        gathering.unchanged = true;
        return Ok(());
    }
    let publisher = visit.publisher(gathering.title.as_deref());
    let known = item(visit, &url).await?;
    if known.is_none() {
        let read = visit.take(url.clone(), response.clone(), rules, &publisher, gathering).await;
        let entry = read.map(|entry| Entry { url: Some(url.to_string()), ..entry });
        let mut keys = ReservedKeys::for_articles(1);
        visit.keep(entry.into_iter().collect(), &mut keys, gathering).await?;
    }
    let stored = match known {
        Some(item) => Some(item),
        None => visit.item(&url).await?,
    };
    let Some(item) = stored else { return Ok(()) };
    let source = &visit.job.source;
    let got = fulltext::take_response(visit.context, source, item, response, true).await;
    let got = got.map_err(|e| text::line(&e.to_string()))?;
    if known.is_some() {
        gathering.kept.known += 1;
        gathering.read += 1;
        gathering.kept.updated += u32::from(got.is_change());
        if let TextGot::Failed(why) = got {
            gathering.note(why);
            gathering.empty += 1;
        }
    }
    Ok(())
}

struct FirstFacts {
    hints: PageHints,
    title: Option<String>,
    obstacle: Option<LeftOutReason>,
}

async fn first_facts(
    visit: &Visit<'_>,
    url: &Url,
    rules: &WebsiteRules,
    response: &Response,
) -> Option<FirstFacts> {
    let (response, url, rules) = (response.clone(), url.clone(), rules.clone());
    // Whatever the user's selectors find is visible without scripts.
    let is_there =
        move |page: &Page| rules.has_selectors() && !article(page, &rules, None).summary.is_empty();
    let bytes = response.body.len();
    let read = move || {
        let page = Page::read(&response.body, response.content_type(), &response.final_url);
        page.map_or_else(
            |_| FirstFacts {
                hints: PageHints::default(),
                title: None,
                obstacle: Some(LeftOutReason::NotAPage),
            },
            |page| FirstFacts {
                hints: page_hints(&page),
                title: page.title(),
                obstacle: obstacle(&page, &url)
                    .filter(|o| *o != LeftOutReason::NeedsJavascript || !is_there(&page)),
            },
        )
    };
    visit.context.read_document(bytes, read).await
}

/// The row key of the source's only item; an earlier release may have stored it with a different URL.
pub(super) async fn item(visit: &Visit<'_>, url: &Url) -> Result<Option<i64>, String> {
    if let Some(item) = visit.item(url).await? {
        return Ok(Some(item));
    }
    let key = visit.job.key;
    let read = visit.context.read(move |reader| reader.addresses(key, 1)).await;
    let only = read.map_err(|e| text::line(&e.to_string()))?;
    match only.first().and_then(|url| Url::parse(url).ok()) {
        Some(url) => visit.item(&url).await,
        None => Ok(None),
    }
}

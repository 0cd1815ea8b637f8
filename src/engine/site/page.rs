//! A page that is watched for changes: its only item gets a version for each.

use super::Visit;
use super::gathering::Gathering;
use crate::engine::fulltext;
use crate::model::{LeftOutReason, PageSays, WebsiteRules};
use crate::net::Response;
use crate::store::ReservedKeys;
use crate::util::text;
use crate::website::Page;
use crate::website::signal::{says, unchanged};

/// Reads a page, which is the response to the first request.
///
/// # Errors
/// The reason, if it cannot be stored.
pub(super) async fn read(
    visit: &mut Visit<'_>,
    rules: &WebsiteRules,
    response: Response,
    gathering: &mut Gathering,
) -> Result<(), String> {
    let first = first_facts(visit, &response).await;
    let Some(FirstFacts { says, title, needs_javascript }) = first else {
        return Err("the page could not be read (this is a bug)".to_owned());
    };
    gathering.title = title;
    gathering.says = Some(says);
    let before = &visit.facts.website;
    if unchanged(&says, &before.says) && before.problem.is_none() && !before.unfinished {
        gathering.unchanged = true;
        return Ok(());
    }
    if needs_javascript {
        let what = "almost no text: the page needs JavaScript, which is not supported";
        gathering.note(what);
        gathering.nothing_listed = Some(what.to_owned());
        gathering.leave_out(LeftOutReason::NeedsJavascript, &visit.home());
    }
    let url = visit.home();
    let publisher = visit.publisher(gathering.title.as_deref());
    let known = visit.item(&url).await?;
    if known.is_none() {
        let read = visit.take(url.clone(), response.clone(), rules, &publisher, gathering).await;
        // The item keeps its URL wherever the page redirects to.
        let entry = read.map(|entry| crate::model::Entry { url: Some(url.to_string()), ..entry });
        let mut keys = ReservedKeys::for_articles(1);
        visit.keep(entry.into_iter().collect(), &mut keys, gathering).await?;
    }
    let Some(item) = (match known {
        Some(item) => Some(item),
        None => visit.item(&url).await?,
    }) else {
        return Ok(());
    };
    let changed = fulltext::take_response(visit.context, &visit.job.source, item, response).await;
    if changed.map_err(|e| text::line(&e.to_string()))? {
        gathering.kept.updated += 1;
    }
    gathering.kept.known += u32::from(known.is_some());
    Ok(())
}

struct FirstFacts {
    says: PageSays,
    title: Option<String>,
    needs_javascript: bool,
}

async fn first_facts(visit: &Visit<'_>, response: &Response) -> Option<FirstFacts> {
    let response = response.clone();
    let read = move || {
        let page = Page::read(&response.body, response.content_type(), &response.final_url);
        page.map_or_else(
            |_| FirstFacts { says: PageSays::default(), title: None, needs_javascript: false },
            |page| FirstFacts {
                says: says(&page),
                title: page.title(),
                needs_javascript: page.needs_javascript(),
            },
        )
    };
    visit.context.work(read).await
}

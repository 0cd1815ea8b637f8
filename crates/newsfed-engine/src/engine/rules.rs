//! The rules in the settings, prepared for new items.

use super::context::Context;
use crate::config::{HookAfter, RuleSettings};
use crate::model::{Source, SourceFacts};
use crate::query::{Known, Named, Query, What, resolve};
use crate::store::{Rule, Rules};
use crate::util::clock::start_of_day;
use chrono::{Days, Local, NaiveDate};
use std::collections::HashMap;
use std::sync::Arc;

/// The rule of a setting; `None` if it is not valid.
pub fn rule_of(settings: &RuleSettings) -> Option<Rule> {
    if !settings.problem.is_empty() {
        return None;
    }
    let end = |day: &str| {
        let next = day.parse::<NaiveDate>().ok()?.checked_add_days(Days::new(1))?;
        Some(start_of_day(next, &Local)?.timestamp())
    };
    Some(Rule {
        name: settings.name.clone(),
        query: settings.query.parse().ok()?,
        effects: settings.effects.iter().filter_map(|effect| effect.parse().ok()).collect(),
        until: end(&settings.until),
        stop: settings.stop,
    })
}

/// Uses the rules of the settings for the items that are stored from now on.
pub(super) async fn renew(context: &Arc<Context>) {
    let facts = match context.read(|reader| reader.sources()).await {
        Ok(facts) => facts,
        Err(e) => {
            tracing::error!("the rules were not updated: {e}");
            return;
        }
    };
    let declared = context.declared().borrow().clone();
    renew_for(context, declared.iter().map(|source| &**source), &facts);
}

/// Renews the rules if a poll has changed the title of a source that a rule selects by name.
pub(super) async fn renew_if_renamed(
    context: &Arc<Context>,
    source: &Source,
    before: &SourceFacts,
) {
    let settings = context.settings();
    let rules = settings.rules.iter().filter(|rule| rule.problem.is_empty());
    let queries: Vec<Query> = rules.filter_map(|rule| rule.query.parse().ok()).collect();
    let named = |what: &What| match what {
        What::Of(named @ Named::Source(_)) => Some(named.clone()),
        _ => None,
    };
    let names = queries.iter().flat_map(Query::all_terms).filter_map(|term| named(&term.what));
    let names: Vec<Named> = names.collect();
    if names.is_empty() {
        return;
    }
    let key = before.key;
    let after = match context.read(move |reader| reader.source(key)).await {
        Ok(Some(after)) => after,
        Ok(None) => return,
        Err(e) => {
            tracing::error!("the rules were not updated: {e}");
            return;
        }
    };
    let titles = [before.title(source), after.title(source)];
    let is_selected = |named: &Named| {
        titles
            .iter()
            .any(|&title| !resolve(named, std::iter::once(Known { key, source, title })).is_empty())
    };
    if titles[0] != titles[1] && names.iter().any(is_selected) {
        renew(context).await;
    }
}

/// Like [`renew`], for other declared sources.
pub(super) fn renew_for<'a>(
    context: &Context,
    declared: impl Iterator<Item = &'a Source>,
    facts: &[SourceFacts],
) {
    let rules: Vec<Rule> = context.settings().rules.iter().filter_map(rule_of).collect();
    let facts: HashMap<_, _> = facts.iter().map(|facts| (facts.id.as_str(), facts)).collect();
    let collected: Vec<Source> = facts.values().filter_map(|f| f.collected_source()).collect();
    let local: Vec<&Source> = declared.filter(|source| source.account.is_none()).collect();
    let known = local.into_iter().chain(&collected).filter_map(|source| {
        let facts = facts.get(source.id.as_str())?;
        Some((facts.key, source, facts.title(source)))
    });
    let rules = Rules::of_sources(rules, &known.collect::<Vec<_>>());
    let settings = context.settings();
    let hooks = settings.hooks.iter().any(|hook| hook.after == HookAfter::Arrival);
    context.store.set_rules(rules.first_unread(settings.first_unread).hooks(hooks));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use crate::engine::message::Pace;
    use crate::engine::poll::poll;
    use crate::engine::queue::Job;
    use crate::model::SourceId;
    use crate::net::Client;
    use crate::store::{Anchor, Scope, Store, View};
    use crate::util::clock::SystemClock;
    use url::Url;

    #[tokio::test]
    async fn rules_follow_the_titles_that_polls_find() {
        let files = tempfile::tempdir().unwrap();
        let path = files.path().join("feed.xml");
        let mut source =
            Source::feed(SourceId("f".to_owned()), Url::from_file_path(&path).unwrap());
        source.origin.file = Some(path.to_str().unwrap().to_owned());
        let rule = |title: &str, effect: &str| RuleSettings {
            name: title.to_owned(),
            query: format!("source:\"{title}\""),
            effects: vec![effect.to_owned()],
            ..RuleSettings::default()
        };
        let rules = vec![rule("Old Title", "pin"), rule("New Title", "later")];
        let settings = Settings { rules, ..Settings::default() };
        let store = Store::open(&files.path().join("newsfed.db")).unwrap();
        let clock = Arc::new(SystemClock);
        let facts = store.reconcile(vec![source.clone()], chrono::Utc::now()).await.unwrap();
        let client = Client::new(settings.net.clone(), clock.clone());
        let context = Arc::new(Context::new(store, settings, client, clock, 1, false));
        context.set_sources(vec![source.clone()], &facts);
        renew(&context).await;
        let job =
            Job { key: facts[0].key, source: Arc::new(source), pace: Pace::Force, report: None };
        let mut items = String::new();
        for (title, item) in
            [("Old Title", "a"), ("Old Title", "b"), ("New Title", "c"), ("New Title", "d")]
        {
            items += &format!("<item><title>{item}</title><guid>{item}</guid></item>");
            let feed = format!(
                "<rss version=\"2.0\"><channel><title>{title}</title>{items}</channel></rss>"
            );
            std::fs::write(&path, feed).unwrap();
            poll(&context, &job, false).await.unwrap();
        }
        let titles = |scope: Scope| {
            let reader = context.store.reader().unwrap();
            let rows = reader.window(&View::of(scope), Anchor::First, 9).unwrap().rows;
            let mut titles: Vec<String> = rows.into_iter().map(|row| row.title).collect();
            titles.sort_unstable();
            titles
        };
        // A new title counts from the next poll.
        assert_eq!((titles(Scope::Pinned), titles(Scope::Later)), (words("b c"), words("d")));
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }
}

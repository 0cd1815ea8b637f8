//! The rules in the settings, prepared for new items.

use super::context::Context;
use crate::config::{HookAfter, RuleSettings};
use crate::model::{Source, SourceFacts};
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

/// Like [`renew`], with the given sources and facts.
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

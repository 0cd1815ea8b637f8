//! The commands of rules, run once per item. Items that refreshes find while a rule's commands run are
//! queued, up to a limit.

use super::super::context::Context;
use super::super::program::{Ended, run};
use super::{AT_ONCE, Announced};
use crate::config::{RUN_LIMIT, RuleSettings, Settings};
use crate::model::{CommandRecord, Item, Source, SourceId};
use crate::store::StoreError;
use crate::util::text::counted;
use crate::util::{argv, html, text, url, url_text};
use futures_util::stream::{self, StreamExt};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// An item as passed to commands: one line of JSON.
#[derive(Serialize)]
struct ItemForCommand<'a> {
    rule: &'a str,
    number: i64,
    source_title: &'a str,
    #[serde(flatten)]
    item: &'a Item,
}

/// The arguments and the input of a command.
struct Order {
    argv: Vec<String>,
    input: String,
}

/// The result of the command for one item.
enum RunResult {
    Ended {
        ok: bool,
    },
    LeftOut,
    /// The item was removed before its command ran.
    Gone,
}

/// The valid rule with this name, if it has a command.
pub(super) fn rule_of<'a>(settings: &'a Settings, name: &str) -> Option<&'a RuleSettings> {
    let mut rules = settings.rules.iter().filter(|rule| rule.problem.is_empty());
    rules.find(|rule| rule.name == name && !rule.run.is_empty())
}

/// Runs the command of a rule for items (row keys) in the background. `surplus` is the number of items beyond
/// the limit.
pub(super) fn give(context: &Arc<Context>, rule: &RuleSettings, items: &[i64], surplus: usize) {
    let announcer = &context.announcer;
    if announcer.runs.give_items(&rule.name, items, surplus) {
        announcer.tasks.spawn(serve(context.clone(), rule.name.clone()));
    }
}

/// Runs the command of a rule until its queue is empty.
async fn serve(context: Arc<Context>, name: String) {
    while let Some(waiting) = context.announcer.runs.take(&name) {
        // The rule may have been removed from the settings.
        let settings = context.settings();
        let Some(rule) = rule_of(&settings, &name) else { continue };
        let (_, recorded) = run_for(&context, rule, &waiting.arrived, waiting.left_out).await;
        if let Err(e) = recorded {
            tracing::error!("cannot read or record the input of the command of {name}: {e}");
        }
    }
}

/// Runs the command of a rule for items (row keys) and records each result. `surplus` is the number of items
/// beyond the limit. Also returns the first error in reading or recording; the other commands still run and
/// are counted.
pub(super) async fn run_for(
    context: &Arc<Context>,
    rule: &RuleSettings,
    items: &[i64],
    surplus: usize,
) -> (Announced, Result<(), StoreError>) {
    let mut done = Announced::default();
    let titles = match source_titles(context).await {
        Ok(titles) => titles,
        Err(e) => return (done, Err(e)),
    };
    let runs: Vec<_> = items.iter().map(|item| run_one(context, rule, &titles, *item)).collect();
    let mut recorded = Ok(());
    // Limits the waiting runs of this rule, so that they do not delay those of other rules.
    let mut ended = stream::iter(runs).buffer_unordered(AT_ONCE);
    while let Some(result) = ended.next().await {
        match result {
            Ok(RunResult::Ended { ok: true }) => done.ok += 1,
            Ok(RunResult::Ended { ok: false }) => done.failed += 1,
            Ok(RunResult::LeftOut) => done.left_out += 1,
            Ok(RunResult::Gone) => {}
            Err(e) => recorded = recorded.and(Err(e)),
        }
    }
    let waited = leave_out(context, rule, done.left_out, "newsfed exited first").await;
    let too_many = leave_out(context, rule, surplus, "too many at once").await;
    done.left_out += surplus;
    (done, recorded.and(waited).and(too_many))
}

/// Records that a command was not run for some items.
async fn leave_out(
    context: &Arc<Context>,
    rule: &RuleSettings,
    items: usize,
    why: &str,
) -> Result<(), StoreError> {
    if items == 0 {
        return Ok(());
    }
    let items_text = counted(items, "item");
    tracing::warn!("{}: the command was not run for {items_text}: {why}", rule.name);
    let now = context.clock.now();
    let skip = move |record: &mut CommandRecord| record.skip(items, now);
    context.store.record_commands(rule.name.clone(), None, skip, now).await
}

/// The titles of all sources.
pub(in crate::engine) async fn source_titles(
    context: &Arc<Context>,
) -> Result<HashMap<SourceId, String>, StoreError> {
    let declared = context.declared().borrow().clone();
    let facts = context.read(|reader| reader.sources()).await?;
    let facts: HashMap<&str, _> = facts.iter().map(|facts| (facts.id.as_str(), facts)).collect();
    let title = |source: &Arc<Source>| {
        let facts = facts.get(source.id.as_str())?;
        Some((source.id.clone(), facts.title(source).to_owned()))
    };
    Ok(declared.iter().filter_map(title).collect())
}

/// Waits for a permit, runs the command for an item (row key), and records the result.
async fn run_one(
    context: &Arc<Context>,
    rule: &RuleSettings,
    titles: &HashMap<SourceId, String>,
    key: i64,
) -> Result<RunResult, StoreError> {
    let announcer = &context.announcer;
    let turn = tokio::select! {
        biased;
        () = announcer.stop.cancelled() => return Ok(RunResult::LeftOut),
        turn = announcer.running.acquire() => turn,
    };
    let Ok(_turn) = turn else { return Ok(RunResult::LeftOut) };
    // The item is read only now, so that queued items need no memory for their text.
    let Some(item) = context.read(move |reader| reader.item(key)).await? else {
        return Ok(RunResult::Gone);
    };
    let title = titles.get(&item.source).map_or("", String::as_str);
    let order = order(rule, key, &item, title);
    drop(item);
    if announcer.stop.is_cancelled() {
        return Ok(RunResult::LeftOut);
    }
    let limit = rule.run_limit.unwrap_or(RUN_LIMIT);
    // The order of the branches ensures that a command is always started before it can be stopped.
    let ended = tokio::select! {
        biased;
        ended = run(&order.argv, &order.input, limit) => ended,
        () = announcer.stop.cancelled() => Ended {
            is_started: true,
            ok: false,
            status: "stopped because newsfed exited".to_owned(),
            error: None,
            output: Vec::new(),
        },
    };
    let now = context.clock.now();
    let (ok, ran) = (ended.ok, ended.is_started.then_some(key));
    let add = move |record: &mut CommandRecord| {
        record.add(ended.ok, &ended.status, ended.error.as_deref(), now);
    };
    context.store.record_commands(rule.name.clone(), ran, add, now).await?;
    Ok(RunResult::Ended { ok })
}

fn order(rule: &RuleSettings, number: i64, item: &Item, source_title: &str) -> Order {
    let mut values = placeholders(item, source_title);
    values.push(("{rule}", rule.name.clone()));
    let shape = ItemForCommand { rule: &rule.name, number, source_title, item };
    let input = serde_json::to_string(&shape).unwrap_or_default() + "\n";
    Order { argv: filled(&rule.run, &values), input }
}

/// Maximum width of a title taken from the text, in cells.
const TITLE: usize = 80;
/// Number of bytes of text to read for such a title.
const TITLE_MARKUP: usize = 4000;

/// The title of an item as shown in lists. Without a title, it is the beginning of the text, else a name
/// derived from the URL.
pub(in crate::engine) fn shown_title(item: &Item) -> String {
    title_of(&item.title, item.body(), item.url.as_deref())
}

fn title_of(title: &str, body: &str, url: Option<&str>) -> String {
    if !title.is_empty() {
        return text::line(title);
    }
    let start = text::line(&html::to_text(text::start(body, TITLE_MARKUP)));
    url_text::item_name("", &text::truncate(&start, TITLE), url).into_owned()
}

/// The values of placeholders in arguments.
pub(in crate::engine) fn placeholders(
    item: &Item,
    source_title: &str,
) -> Vec<(&'static str, String)> {
    // Pass only URLs that a browser may open.
    let url = item.url.as_deref().and_then(|url| url::parse_web(url).ok());
    vec![
        ("{url}", url.map(|web| web.url.to_string()).unwrap_or_default()),
        ("{title}", shown_title(item)),
        ("{source}", text::line(source_title)),
        ("{author}", text::line(&item.authors.join(", "))),
    ]
}

/// Replaces the placeholders in arguments with their values.
pub(in crate::engine) fn filled(argv: &[String], values: &[(&'static str, String)]) -> Vec<String> {
    let values: Vec<(&str, &str)> =
        values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    argv::filled(argv, &values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untitled_items_are_named_by_text_or_url() {
        let url = Some("https://www.site.example/notes/a-small-change");
        let long = "<p>word ".repeat(100);
        for (title, body, url, expected) in [
            ("Title", "<p>Text</p>", url, "Title"),
            ("", "<p>Some <b>text</b></p>\n<p>More</p>", url, "Some text More"),
            ("", "<p> </p>", url, "a small change"),
            ("", "", None, "(no title)"),
        ] {
            assert_eq!(title_of(title, body, url), expected);
        }
        let shown = title_of("", &long, None);
        assert!(shown.starts_with("word word") && text::width(&shown) <= TITLE, "{shown}");
    }
}

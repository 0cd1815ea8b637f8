//! The programs of `[[command]]`, run for items that the user selects.

use super::announce::runs::{filled, placeholders, shown_title, source_titles};
use super::context::Context;
use super::handle::Handle;
use super::program::run_for_output;
use crate::article::{self, Document};
use crate::config::{COMMAND_LIMIT, CommandInput, CommandSettings};
use crate::model::Item;
use crate::store::StoreError;
use serde::Serialize;
use std::sync::Arc;
use url::Url;

/// Maximum size of the output that is kept, in bytes.
const MAX_OUTPUT: usize = 1 << 20;

/// The result of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandRun {
    /// Number of items that it succeeded for.
    pub done: usize,
    /// Number of items that it failed for.
    pub failed: usize,
    /// Number of items that it was not started for, because it cannot be started or the item was removed.
    pub left_out: usize,
    /// The last error.
    pub error: Option<String>,
    /// The output for all items, at most 1 MiB. With several items, each output follows the item's title.
    pub output: Vec<u8>,
}

/// An item as passed to commands: one line of JSON.
#[derive(Serialize)]
struct Shape<'a> {
    number: i64,
    source_title: &'a str,
    #[serde(flatten)]
    item: &'a Item,
}

impl Handle {
    /// Runs a command for items (row keys), one after the other. Dropping the future stops the command.
    ///
    /// # Errors
    /// If the items cannot be read.
    pub async fn run_command(
        &self,
        command: &CommandSettings,
        items: &[i64],
    ) -> Result<CommandRun, StoreError> {
        let limit = command.limit.unwrap_or(COMMAND_LIMIT);
        let mut run = CommandRun::default();
        for key in items {
            let prepared = prepared(&self.context, command, *key).await?;
            let Some(Prepared { title, argv, input }) = prepared else {
                run.left_out += 1;
                continue;
            };
            let Some(input) = input else {
                run.failed += 1;
                run.error = Some(format!("the article \"{title}\" cannot be converted"));
                continue;
            };
            let ended = run_for_output(&argv, &input, limit).await;
            if items.len() > 1 && !ended.output.is_empty() {
                let space = if run.output.is_empty() { "" } else { "\n" };
                run.output.extend(format!("{space}{title}\n").bytes());
            }
            let free = MAX_OUTPUT.saturating_sub(run.output.len());
            run.output.extend(ended.output.into_iter().take(free));
            if ended.ok {
                run.done += 1;
                continue;
            }
            run.failed += 1;
            let error = ended.error.map(|error| format!(": {error}")).unwrap_or_default();
            run.error = Some(ended.status + &error);
            if !ended.is_started {
                run.left_out = items.len() - run.done - run.failed;
                break;
            }
        }
        Ok(run)
    }

    /// The arguments of a command for an item (row key), for a program that runs in the terminal; `None` if
    /// the item was removed.
    ///
    /// # Errors
    /// If the item cannot be read.
    pub async fn command_arguments(
        &self,
        command: &CommandSettings,
        item: i64,
    ) -> Result<Option<Vec<String>>, StoreError> {
        Ok(prepared(&self.context, command, item).await?.map(|prepared| prepared.argv))
    }
}

/// The arguments and the input of a command for an item.
struct Prepared {
    title: String,
    argv: Vec<String>,
    /// `None` if the input cannot be created.
    input: Option<String>,
}

/// The arguments and the input of a command for an item; `None` if the item was removed.
async fn prepared(
    context: &Arc<Context>,
    command: &CommandSettings,
    key: i64,
) -> Result<Option<Prepared>, StoreError> {
    let Some(item) = context.read(move |reader| reader.item(key)).await? else { return Ok(None) };
    let titles = source_titles(context).await?;
    let source = titles.get(&item.source).cloned().unwrap_or_default();
    let argv = filled(&command.run, &placeholders(&item, &source));
    let input = command.input;
    let (bytes, title) = (item.body().len(), shown_title(&item));
    let text = context.read_document(bytes, move || input_of(input, key, &item, &source)).await;
    Ok(Some(Prepared { title, argv, input: text.flatten() }))
}

/// The input of a command for an item.
fn input_of(input: CommandInput, number: i64, item: &Item, source_title: &str) -> Option<String> {
    let base = item.url.as_deref().and_then(|url| Url::parse(url).ok());
    let article = || -> Document { article::below_title(item.body(), &item.title, base.as_ref()) };
    Some(match input {
        CommandInput::None => String::new(),
        CommandInput::Html => item.body().to_owned(),
        CommandInput::Text => format!("{}\n\n{}\n", item.title, article().text()),
        CommandInput::Markdown => article().titled_markdown(&item.title),
        CommandInput::Json => {
            serde_json::to_string(&Shape { number, source_title, item }).ok()? + "\n"
        }
    })
}

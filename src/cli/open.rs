//! `newsfed open`: opens items in the browser.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::items;
use super::output::Output;
use crate::util::browser::{self, Surroundings};
use std::io::{self, IsTerminal};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct OpenArgs {
    /// The items
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

const EXAMPLES: &str = "\
The browser is the setting `browser`, else $BROWSER, else the system's opener. If nothing can be
opened, the URLs are printed and the exit code is 1. With --json, the URLs are printed and nothing
is opened.

Examples:
  newsfed open 1234
  newsfed --set 'browser=[\"w3m\"]' open 1234";

pub(super) fn run(args: &OpenArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    let store = home.store_to_read()?;
    let (reader, catalogue) = (store.reader()?, Catalogue::read(&home, &store)?);
    // Entries of a page without a place of their own are on the page.
    let page = |key| {
        let source = &catalogue.entries.iter().find(|e| e.facts.key == key)?.source;
        source.kind().reads_pages().then(|| source.url.to_string())
    };
    let mut addresses = Vec::new();
    for key in items::keys(&reader, &args.ids)? {
        match reader.row(key)?.and_then(|row| row.url.or_else(|| page(row.source_key))) {
            Some(url) => addresses.push(url),
            None => out.warn(format!("newsfed: item {key} has no URL")),
        }
    }
    if out.json {
        addresses.iter().try_for_each(|url| out.value(&serde_json::json!({ "url": url })))?;
        return Ok(Exit::Ok);
    }
    if addresses.is_empty() {
        return Ok(Exit::Failed);
    }
    let urls: Vec<&str> = addresses.iter().map(String::as_str).collect();
    match open(&home, &urls) {
        Ok(()) => Ok(Exit::Ok),
        Err(why) => {
            out.warn(format!("newsfed: {why}"));
            urls.iter().try_for_each(|url| out.line(url))?;
            Ok(Exit::Failed)
        }
    }
}

fn open(home: &Home, urls: &[&str]) -> Result<(), String> {
    let around = Surroundings { variable: &browser::variable, installed: &browser::installed };
    let settings = &home.settings;
    let plan = browser::plan(&settings.browser, settings.browser_in_terminal, &around, urls);
    let launch = plan.map_err(|e| e.to_string())?;
    if launch.in_terminal && !(io::stdout().is_terminal() && io::stdin().is_terminal()) {
        return Err("the browser needs a terminal, but there is none".to_owned());
    }
    browser::launch(&launch).map_err(|e| format!("cannot start the browser: {e}"))
}

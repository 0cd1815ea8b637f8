//! `newsfed views`: lists and changes the saved queries of `config.toml`, and provides them as feeds.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::item_options::{Choice, parsed};
use super::output::Output;
use super::{view_feed, view_server};
use crate::config::{ConfigFile, ListLayout, ViewChange, ViewSettings, did_you_mean, view_text};
use crate::util::text::{self, counted};
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ViewsArgs {
    #[command(subcommand)]
    command: Option<ViewsCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum ViewsCommand {
    /// Write the newest items of a view or search as a feed
    Feed(view_feed::FeedArgs),
    /// Print the URLs at which the daemon serves views as feeds
    Url(view_server::UrlArgs),
    /// Save a search as a view
    Add {
        /// The name of the view
        name: String,
        /// What to search for (`newsfed help search`)
        #[arg(required = true, allow_hyphen_values = true)]
        query: Vec<String>,
    },
    /// Remove a view; its items stay
    Remove {
        /// The name of the view
        name: String,
    },
}

const EXAMPLES: &str = "\
A [[view]] in config.toml has a name and a query, and may have its own order
and columns. Item counts stop at 999.

Examples:
  newsfed views
  newsfed views add Rust 'title:rust OR tag:rust'
  newsfed list --view Rust
  newsfed read --view Rust
  newsfed views feed Rust --output rust.xml";

/// JSON output for a view.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    query: &'a str,
    items: u32,
    unread: u32,
    /// Whether the numbers of items or unread items are only lower bounds.
    more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(super) fn run(args: &ViewsArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    match &args.command {
        None => list(global, out),
        Some(ViewsCommand::Feed(args)) => view_feed::run(args, global, out),
        Some(ViewsCommand::Url(args)) => view_server::print_urls(args, global, out),
        Some(ViewsCommand::Add { name, query }) => add(name, &query.join(" "), global, out),
        Some(ViewsCommand::Remove { name }) => remove(name, global, out),
    }
}

fn list(global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let reader = store.reader()?;
    for view in &catalogue.views {
        let (name, query) = (view.name.as_str(), view.query.as_str());
        let choice = Choice { view: Some(name.to_owned()), ..Choice::default() };
        let mut listed = Listed { name, query, items: 0, unread: 0, more: false, problem: None };
        match choice.view(&catalogue) {
            Ok(mut view) => {
                let all = reader.count(&view)?;
                view.unread_only = true;
                let unread = reader.count(&view)?;
                listed.more = all.more || unread.more;
                (listed.items, listed.unread) = (all.items, unread.items);
            }
            Err(e) => listed.problem = Some(e.to_string()),
        }
        print(&listed, out)?;
    }
    if catalogue.views.is_empty() {
        out.note("no views yet; add a [[view]] to config.toml, or press = in the interface");
    }
    Ok(Exit::Ok)
}

/// JSON output for an added or removed view.
#[derive(Serialize)]
struct Changed<'a> {
    name: &'a str,
    query: &'a str,
}

fn add(name: &str, query: &str, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    parsed(query)?;
    let (name, query) = (name.trim().to_owned(), query.trim().to_owned());
    let view = ViewSettings { name, query, layout: ListLayout::default() };
    let change = ViewChange { was: None, now: Some(view.clone()) };
    ConfigFile::open(&home.paths).edit_views(&[change])?;
    changed("saved", &view, out)
}

fn remove(name: &str, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let views = &home.settings.views;
    let Some(view) = views.iter().find(|view| view.name == name) else {
        let hint = did_you_mean(name, views.iter().map(|view| view.name.as_str()));
        return Err(Failure::Plain(format!("there is no view \"{}\"{hint}", text::line(name))));
    };
    let change = ViewChange { was: Some(view.clone()), now: None };
    ConfigFile::open(&home.paths).edit_views(&[change])?;
    changed("removed", view, out)?;
    // Prints the entry, so that the user can save the view again.
    out.note(view_text(view, "\n").trim());
    Ok(Exit::Ok)
}

fn changed(what: &str, view: &ViewSettings, out: &mut Output) -> Result<Exit, Failure> {
    let (name, query) = (view.name.as_str(), view.query.as_str());
    match out.json {
        true => out.value(&Changed { name, query })?,
        false => out.result(format!("{what}: {}: {}", text::line(name), text::line(query)))?,
    }
    Ok(Exit::Ok)
}

fn print(view: &Listed<'_>, out: &mut Output) -> Result<(), Failure> {
    if out.json {
        out.value(view)?;
        return Ok(());
    }
    let (name, query) = (text::line(view.name), text::line(view.query));
    let what = match &view.problem {
        Some(problem) => problem.clone(),
        None if view.more => format!("{}+ items, {} unread", view.items, view.unread),
        None => format!("{}, {} unread", counted(view.items, "item"), view.unread),
    };
    out.line(format!("{name}: {query}; {what}"))?;
    Ok(())
}

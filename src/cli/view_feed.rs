//! `newsfed views feed`: writes a view or a search as a feed.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::item_options::Choice;
use super::list::index_all;
use super::number::whole;
use super::output::Output;
use super::show_text::Chooser;
use crate::config::Settings;
use crate::feed::write::{FeedFormat, FeedHeader, FeedWriter, OutgoingItem, WrittenFeed};
use crate::model::{Access, FullText, Source};
use crate::net;
use crate::store::{Anchor, Cursor, Reader, View};
use crate::util::limits::FEED_ENTRIES;
use crate::util::login::has_secrets;
use crate::util::shared_file::write_shared;
use crate::util::text::{self, counted};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("items").required(true).args(["name", "query"]))]
pub(super) struct FeedArgs {
    /// The name of the view
    name: Option<String>,
    /// Use the items that match this search instead of a view
    #[arg(long, allow_hyphen_values = true)]
    query: Option<String>,
    /// Format of the feed
    #[arg(long, value_enum, default_value_t = FeedFormatArg::Atom)]
    format: FeedFormatArg,
    /// The file to write or replace [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Maximum number of items [default: feeds.items in config.toml]
    #[arg(long, value_name = "N", value_parser = whole(1..=FEED_ENTRIES))]
    limit: Option<usize>,
}

const EXAMPLES: &str = "\
The feed contains the newest items with their texts, authors, dates, tags and
enclosures, and names the source of each. Source URLs that may contain a key
are left out. An existing file is replaced atomically.

Examples:
  newsfed views feed Rust --output ~/public/rust.xml
  newsfed views feed Rust --format json | jq -r '.items[].title'
  newsfed views feed --query 'is:pinned' --format rss --limit 20";

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FeedFormatArg {
    /// Atom
    Atom,
    /// RSS 2.0
    Rss,
    /// JSON Feed 1.1
    Json,
}

impl From<FeedFormatArg> for FeedFormat {
    fn from(format: FeedFormatArg) -> Self {
        match format {
            FeedFormatArg::Atom => Self::Atom,
            FeedFormatArg::Rss => Self::Rss,
            FeedFormatArg::Json => Self::Json,
        }
    }
}

#[derive(serde::Serialize)]
struct Shape {
    path: String,
    items: usize,
    bytes: usize,
}

pub(super) fn run(args: &FeedArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let choice = Choice { view: args.name.clone(), query: args.query.clone(), ..Choice::default() };
    let view = choice.view(&catalogue)?;
    if view.criteria.needs_index() {
        index_all(&store, out)?;
    }
    let header = match &args.name {
        Some(name) => header("view", &catalogue.view_named(name)?.name),
        None => header("search", args.query.as_deref().unwrap_or_default()),
    };
    let limit = args.limit.unwrap_or(home.settings.feeds.items);
    let of = FeedOf { catalogue: &catalogue, settings: &home.settings, view: &view, limit };
    let feed = of.write(&store.reader()?, args.format.into(), &header)?;
    if let Some(left_out) = &feed.left_out {
        out.note(format!("newsfed: {left_out}"));
    }
    let Some(path) = &args.output else {
        out.raw(feed.text.as_bytes())?;
        return Ok(Exit::Ok);
    };
    let shown = text::line(&path.to_string_lossy());
    write_shared(path, feed.text.as_bytes())
        .map_err(|e| Failure::Plain(format!("cannot write {shown}: {e}")))?;
    if out.json {
        out.value(&Shape { path: shown, items: feed.items, bytes: feed.text.len() })?;
    } else {
        let size = text::size(feed.text.len() as u64);
        out.result(format!("{shown}: {}, {size}", counted(feed.items, "item")))?;
    }
    Ok(Exit::Ok)
}

/// The metadata of the feed for a view or search.
pub(super) fn header(kind: &str, name: &str) -> FeedHeader {
    let encoded = utf8_percent_encode(name, NON_ALPHANUMERIC);
    FeedHeader { id: format!("tag:newsfed.example,2026:{kind}/{encoded}"), title: text::line(name) }
}

/// A view to write as a feed.
pub(super) struct FeedOf<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) settings: &'a Settings,
    pub(super) view: &'a View,
    /// Maximum number of items.
    pub(super) limit: usize,
}

impl FeedOf<'_> {
    /// Writes the newest items with the texts that the Reader shows.
    pub(super) fn write(
        &self,
        reader: &Reader,
        format: FeedFormat,
        header: &FeedHeader,
    ) -> Result<WrittenFeed, Failure> {
        let mut writer = FeedWriter::new(format);
        let (mut anchor, mut left) = (Anchor::First, self.limit);
        loop {
            let window = reader.window(self.view, anchor, WINDOW.min(left))?;
            for row in window.rows.iter().take(left) {
                if writer.is_full() {
                    writer.leave_out();
                    continue;
                }
                // `None` if the item was removed after the window was read.
                if let Some(item) = self.item(reader, row.key, row.source_key)? {
                    writer.add(&item);
                }
            }
            left = left.saturating_sub(window.rows.len());
            match window.rows.last() {
                // A full-text search returns all its rows at once.
                Some(last)
                    if window.more_below && left > 0 && self.view.criteria.text.is_none() =>
                {
                    anchor = Anchor::After(Cursor::from(last));
                }
                _ => return Ok(writer.finish(header)),
            }
        }
    }

    fn item(
        &self,
        reader: &Reader,
        key: i64,
        source: i64,
    ) -> Result<Option<OutgoingItem>, Failure> {
        let Some(mut item) = reader.item(key)? else { return Ok(None) };
        let entry = self.catalogue.entries.iter().find(|entry| entry.facts.key == source);
        let setting = entry.and_then(|e| e.source.full_text).unwrap_or(self.settings.full_text);
        let chooser = Chooser {
            reader,
            key,
            reads_pages: entry.is_some_and(|e| e.source.kind().reads_pages()),
            never: setting == FullText::Never,
        };
        chooser.choose(&mut item, None)?;
        Ok(Some(OutgoingItem {
            item,
            own_tags: reader.tags_of(key)?,
            source: entry.map_or_else(String::new, |e| text::line(e.title())),
            source_url: entry.and_then(|e| public_url(&e.source)),
            home_url: entry.and_then(|e| e.facts.home_url.clone()),
            remote: None,
        }))
    }
}

/// The URL of a source, unless it may be secret: the source is private, or has a login or a header, or its
/// URL has a query, which may contain a key.
fn public_url(source: &Source) -> Option<String> {
    let url = source.web_url()?;
    let plain = url.query().is_none() && !has_secrets(url.as_str());
    let open = source.access == Access::default() && !net::allows_private(source);
    (plain && open).then(|| url.to_string())
}

/// Number of rows read at once.
const WINDOW: usize = 500;

//! `newsfed add`: follows a URL.

use super::add_origin::{self, OriginArgs};
use super::discover::{describe, no_way, poll};
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::items;
use super::log;
use super::number::whole;
use super::output::Output;
use super::runtime::with_engine;
use crate::engine::{Discovery, FollowError, Handle, Way};
use crate::model::{SourceId, SourceKind, SourceRules, Time};
use crate::util::text::counted;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::io::{self, BufRead, IsTerminal, Write};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AddArgs {
    /// URL of a site or a feed
    #[arg(required_unless_present_any = ["comments_of", "exec", "file", "mail"])]
    pub(super) url: Option<String>,
    /// Follow the comments on an item as a source of their own
    #[arg(
        long,
        value_name = "ID",
        conflicts_with_all = ["url", "kind", "title", "folder", "yes", "pick"]
    )]
    comments_of: Option<String>,
    /// Follow the URL only as a source of this kind
    #[arg(long = "as", value_name = "KIND", value_parser = kind_parser())]
    kind: Option<SourceKind>,
    /// Title to show instead of the feed's
    #[arg(long)]
    title: Option<String>,
    /// Folder to put the source in, such as Tech/Linux
    #[arg(long)]
    folder: Option<String>,
    /// Subscribe to the feed with this account instead of following it here
    #[arg(long, value_name = "ACCOUNT", conflicts_with = "comments_of")]
    account: Option<String>,
    /// Do not ask: use the best way, and run the program of --exec or --filter
    #[arg(long, visible_alias = "first", short = 'y')]
    yes: bool,
    /// Use the way with this number in the list of `newsfed discover`
    #[arg(long, value_name = "N", conflicts_with = "yes", value_parser = whole(1_usize..))]
    pick: Option<usize>,
    #[command(flatten)]
    pub(super) origin: OriginArgs,
}

const EXAMPLES: &str = "\
newsfed tries, in this order: the feeds that the page announces; the URLs at
which known systems have their feeds; the home page and common feed URLs; lists
of articles and entries on the page; the sitemap of the site. robots.txt is
obeyed, except for the page itself and the feeds that it announces. If there
are several ways, newsfed asks. Without a terminal, choose one by number with
--pick, or use the first with --yes. A URL without https:// is tried with
https, then with http.

--as accepts feed, website (a page with links to articles), entries (the blocks
or sections of one page), page (watched for changes), sitemap, and crawl, which
learns where articles appear: its first poll explores the site with up to 60
requests. The selectors of a website are written to sources.toml, where you can
change them (docs/websites.md).

--exec, --filter, --file and --mail are for programs, files and newsletters of
your own (docs/programs.md). newsfed asks before it runs a program for the
first time.

Examples:
  newsfed add example.org
  newsfed add https://example.org/news --as website
  newsfed add https://example.org/changelog --as entries
  newsfed add https://example.org/news --pick 2
  newsfed add https://example.org --as crawl
  newsfed add --comments-of 1234
  newsfed add --file ~/feeds/local.xml
  newsfed add --mail ~/Mail/newsletters --from news@example.org
  newsfed add --folder Own --exec ~/bin/weather-feed berlin
  newsfed add https://example.org/feed.xml --filter ~/bin/without-ads
  newsfed add https://example.org/feed.xml --title 'The Example' --folder Tech";

/// Parses the name of a source kind.
fn kind_parser() -> impl TypedValueParser<Value = SourceKind> {
    // Lists are followed by `newsfed import --follow`.
    let names = SourceKind::NAMES.into_iter().filter(|name| *name != SourceKind::List.name());
    let names = PossibleValuesParser::new(names);
    names.map(|name| SourceKind::named(&name).unwrap_or_default())
}

#[derive(Serialize)]
struct Followed {
    source: SourceId,
    url: Option<String>,
    /// False if the URL was already followed.
    added: bool,
    /// Number of items found.
    items: u32,
}

pub(super) fn run(args: &AddArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    log::start(&home, out.verbose, false);
    with_engine(&home, out, async |handle, out| add(args, handle, out).await)
}

async fn add(args: &AddArgs, handle: &Handle, out: &mut Output) -> Result<Exit, Failure> {
    if let Some(account) = &args.account {
        return subscribe(args, account, handle, out).await;
    }
    let (followed, listed, urls) = match &args.comments_of {
        Some(id) => {
            let key = items::keys(&handle.store().reader()?, std::slice::from_ref(id))?;
            let key = key.first().copied().unwrap_or_default();
            (handle.follow_comments(key).await, 0, Vec::new())
        }
        None => {
            let url = args.url.as_deref().unwrap_or_default();
            let discovery = match add_origin::typed(args)? {
                Some(typed) => add_origin::discover(typed, args.yes, handle, out).await?,
                None => poll(handle, url, args.kind, out).await?,
            };
            let way = choose(args, &discovery, handle.now(), out)?;
            let listed = discovery.ways.get(way).and_then(Way::count).unwrap_or(0);
            if let Some(label) = guessed(args, &discovery, way, handle.now()) {
                out.note(format!("{label}; `newsfed discover {url}` shows what else was found"));
            }
            let urls = discovery.ways.get(way).map(Way::listed_urls).unwrap_or_default();
            let (title, folder) = (args.title.clone(), args.folder.clone());
            (handle.follow(discovery, way, title, folder).await, listed, urls)
        }
    };
    let mut title = String::new();
    let summary = match followed {
        Ok((source, _)) => {
            if source.private {
                let host = source.url.host_str().unwrap_or_default();
                out.note(format!(
                    "{host} resolves to a private address, so private = true was set for the source"
                ));
            }
            let facts = handle.store().reader()?.sources()?;
            let facts = facts.into_iter().find(|f| f.id == source.id);
            if facts.as_ref().is_none_or(|f| f.last_poll.is_none()) {
                out.note("the next `newsfed sync` fetches its items");
            }
            if let Some(why) = handle.first_poll_note(&source.id, listed, urls).await? {
                out.note(why);
            }
            title = facts.as_ref().map_or("", |f| f.title(&source)).to_owned();
            let items = facts.map_or(0, |f| f.items);
            let url = Some(source.url.to_string());
            Followed { source: source.id, url, added: true, items }
        }
        Err(FollowError::Known(source)) => Followed { source, url: None, added: false, items: 0 },
        Err(e) => return Err(e.into()),
    };
    if out.json {
        out.value(&summary)?;
    } else if summary.added {
        let url = summary.url.as_deref().unwrap_or_default();
        let items = counted(summary.items, "item");
        out.result(format!("added \"{title}\" ({}): {url}, {items}", summary.source))?;
    } else {
        out.result(format!("already followed as {}", summary.source))?;
        let options = ignored(args);
        if !options.is_empty() {
            out.warn(format!(
                "newsfed: {} had no effect; `newsfed sources edit {}` changes a source",
                options.join(", "),
                summary.source
            ));
        }
    }
    Ok(Exit::Ok)
}

/// Describes the way to follow, if newsfed has chosen one that is not a feed.
fn guessed(args: &AddArgs, discovery: &Discovery, way: usize, now: Time) -> Option<String> {
    let chosen = discovery.ways.get(way).filter(|way| way.kind() != SourceKind::Feed)?;
    if args.pick.is_some() || args.kind.is_some() {
        return None;
    }
    let label = discovery.labels(now).into_iter().nth(way)?;
    let rules = matches!(chosen.rules, SourceRules::Website(_) | SourceRules::Entries(_));
    let how = describe(chosen).into_iter().nth(1).filter(|_| rules);
    Some(how.map(|how| format!("{label} ({how})")).unwrap_or(label))
}

/// Makes an account subscribe to a feed at its next synchronisation.
async fn subscribe(
    args: &AddArgs,
    account: &str,
    handle: &Handle,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let url = args.url.as_deref().unwrap_or_default();
    let discovery = poll(handle, url, args.kind.or(Some(SourceKind::Feed)), out).await?;
    let way = choose(args, &discovery, handle.now(), out)?;
    let Some(way) = discovery.ways.get(way).filter(|way| way.kind() == SourceKind::Feed) else {
        let message =
            "an account can only subscribe to feeds; leave out --account to follow this URL";
        return Err(Failure::Plain(message.to_owned()));
    };
    let (title, folder) = (args.title.clone(), args.folder.clone());
    match handle.subscribe_at(account, &way.url, title, folder).await {
        Err(FollowError::Known(id)) => out.result(format!("already followed as {id}"))?,
        other => {
            other?;
            out.result(format!(
                "{account} will subscribe to {} at the next synchronisation",
                way.url
            ))?;
        }
    }
    Ok(Exit::Ok)
}

/// The given options that have no effect if the source is not written.
fn ignored(args: &AddArgs) -> Vec<&'static str> {
    let given = [
        (args.kind.is_some(), "--as"),
        (args.title.is_some(), "--title"),
        (args.folder.is_some(), "--folder"),
    ];
    given.into_iter().filter(|(given, _)| *given).map(|(_, name)| name).collect()
}

/// The way to follow: the only one, or the user's choice.
fn choose(
    args: &AddArgs,
    discovery: &Discovery,
    now: Time,
    out: &mut Output,
) -> Result<usize, Failure> {
    let ways = discovery.ways.len();
    if let Some(number) = args.pick.filter(|_| ways > 0) {
        let way = number.checked_sub(1).filter(|way| *way < ways);
        return way.ok_or_else(|| {
            Failure::Usage(format!("the list of ways has no number {number}; {}", count(ways)))
        });
    }
    match ways {
        0 => return Err(no_way(discovery)),
        // Watching only one page, or a crawl of sixty requests, must be requested explicitly.
        _ if args.kind.is_none() && discovery.ways.iter().all(Way::is_last_resort) => {
            let none = no_way(discovery);
            let how = "to watch this page for changes, use --as page; to let a crawl learn where \
                       articles appear, with up to 60 requests, use --as crawl";
            return Err(Failure::Plain(format!("{none}; {how}")));
        }
        // The feed may cover another part of the site.
        _ if discovery.ways[0].kind() == SourceKind::Feed
            && !covers_page(discovery)
            && !args.yes => {}
        _ if discovery.ways[1..].iter().all(|w| is_other_kind(w.kind())) => return Ok(0),
        // The only feed of a page is better than anything read from the page itself.
        _ if discovery.ways[0].kind() == SourceKind::Feed
            && discovery.ways[1..].iter().all(|w| w.kind() != SourceKind::Feed) =>
        {
            return Ok(0);
        }
        _ if args.yes => return Ok(0),
        _ => {}
    }
    out.warn("there are several ways to follow this URL:");
    for ((n, way), label) in (1..).zip(&discovery.ways).zip(discovery.labels(now)) {
        out.warn(format!("{n}  {label}"));
        for line in describe(way) {
            out.warn(format!("       {line}"));
        }
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let how = format!("choose one with --pick, from 1 to {ways}; --yes uses the first");
        return Err(Failure::Usage(how));
    }
    ask(ways, out)
}

/// Asks for the number of a way until one is typed.
fn ask(ways: usize, out: &mut Output) -> Result<usize, Failure> {
    loop {
        let _ = write!(io::stderr(), "which one? [1] ");
        let mut answer = String::new();
        if io::stdin().lock().read_line(&mut answer)? == 0 {
            return Err(Failure::Plain("no source was added".to_owned()));
        }
        match answer.trim() {
            "" => return Ok(0),
            typed => match whole(1..=ways)(typed) {
                Ok(number) => return Ok(number - 1),
                Err(expected) => out.warn(format!("{expected}, found \"{typed}\"")),
            },
        }
    }
}

/// Whether a feed that was found belongs to the page itself: crawls are offered only if none does.
fn covers_page(discovery: &Discovery) -> bool {
    discovery.ways.iter().all(|way| way.kind() != SourceKind::Crawl)
}

/// Whether a way of this kind, listed after the first way, need not be offered as a choice, because every
/// site has it, or because it reads the same list as the way before it.
fn is_other_kind(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::Entries | SourceKind::Page | SourceKind::Crawl)
}

fn count(ways: usize) -> String {
    match ways {
        1 => "there is only one".to_owned(),
        n => format!("`newsfed discover` lists 1 to {n}"),
    }
}

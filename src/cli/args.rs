//! What can be typed: the whole command line as data.

use super::exit::{Exit, Failure};
use super::{
    add, config, crawl, discover, doctor, export, extract, generate, import, list, mark, open,
    parse, prefetch, prune, schedule, show, sources, sync,
};
use crate::config::Paths;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand};
use std::path::PathBuf;
use url::Url;

const ABOUT: &str = "\
newsfed follows feeds and shows them in the terminal.

Without a command it opens the interface. Everything the interface do can be scripted: data goes to the
standard output, everything else to the standard error.

SOURCE stands for a source's id or an unambiguous beginning of it, its exact title, or its address.
ID stands for an item's number as lists show it, or its UUID or an unambiguous beginning of that.";

const AFTER: &str = "\
Examples:
  newsfed                                  read the news
  newsfed add example.org                  follow a site or a feed
  newsfed sync && newsfed list --unread    what is new
  newsfed --set net.host_delay=2s sync     change a setting for one run

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done in part, 4 invalid configuration,
130 interrupted.

Environment: NEWSFED_CONFIG_DIR and NEWSFED_DATA_DIR stand for --config-dir and --data-dir,
NEWSFED_LOG for the setting log.level. NO_COLOR is honoured.

The shapes that --json prints are told in docs/json.md.";

/// newsfed follows feeds and shows them in the terminal.
#[derive(Debug, Parser)]
#[command(
    name = "newsfed",
    version,
    long_about = ABOUT,
    after_long_help = AFTER,
    after_help = "`newsfed --help` tells more, `newsfed help COMMAND` all about a command.",
    max_term_width = 100,
    infer_subcommands = false
)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// What every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(super) struct Global {
    /// Folder of config.toml and sources.toml
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) config_dir: Option<PathBuf>,
    /// Folder of the database
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,
    /// Change a setting for this run, as in net.host_delay=2s; may be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE", action = ArgAction::Append)]
    pub(super) set: Vec<String>,
    /// Print the data as JSON, one value a line
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Say more; twice, also what the program does inside
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(super) verbose: u8,
    /// Say only what went wrong
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
}

impl Global {
    /// The folders of this run.
    pub(super) fn paths(&self) -> Result<Paths, Failure> {
        Ok(Paths::resolve(self.config_dir.clone(), self.data_dir.clone())?)
    }
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Look around in a small network of made-up sites, without touching your own data
    Demo,
    /// Follow an address
    Add(add::AddArgs),
    /// Tell in which ways an address can be followed
    Discover(discover::DiscoverArgs),
    /// List and change the sources
    Sources(sources::SourcesArgs),
    /// Look at the sources now
    Sync(sync::SyncArgs),
    /// Follow the sources in the background, until stopped
    #[command(after_help = DAEMON)]
    Daemon,
    /// List items
    List(list::ListArgs),
    /// Show items
    Show(show::ShowArgs),
    /// Mark items read
    Read(mark::ReadArgs),
    /// Mark items unread
    Unread(mark::ItemArgs),
    /// Pin items: retention never takes them
    Pin(mark::ItemArgs),
    /// Unpin items
    Unpin(mark::ItemArgs),
    /// Open items in the browser
    Open(open::OpenArgs),
    /// Search the items
    Search(list::SearchArgs),
    /// Follow all sources of a list: OPML, a newsboat urls file, or addresses
    Import(import::ImportArgs),
    /// Print the sources as OPML or as addresses
    Export(export::ExportArgs),
    /// Gather what a site publishes, without knowing the site
    Crawl(crawl::CrawlArgs),
    /// Find the article of a page
    Extract(extract::ExtractArgs),
    /// Read a feed document and print what is in it
    Parse(ParseArgs),
    /// Check the installation and tell what to do
    Doctor(doctor::DoctorArgs),
    /// Show and check the settings
    Config(config::ConfigArgs),
    /// Tell when sources are polled, and why
    Schedule(schedule::ScheduleArgs),
    /// Fetch the pages of pinned and unread items ahead, for reading without a network
    Prefetch(prefetch::PrefetchArgs),
    /// Show what retention would remove, or remove it
    Prune(prune::PruneArgs),
    /// Print completions for a shell
    Completions(generate::CompletionsArgs),
    /// Print the manual page
    Man(generate::ManArgs),
}

const DAEMON: &str = "\
Ends on SIGTERM and SIGINT; SIGHUP reads the sources again, which also happens by itself when
sources.toml changes. assets/newsfed.service is a unit for systemd.

Examples:
  newsfed daemon
  newsfed daemon -v --set schedule.polls_per_day=24";

/// Arguments of `parse`.
#[derive(Debug, Args)]
#[command(after_help = PARSE)]
pub(super) struct ParseArgs {
    /// The document; - is the standard input
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    file: Option<String>,
    /// Address that the document came from, for relative links
    #[arg(long, value_name = "URL")]
    base: Option<Url>,
    /// A header that it came with, as 'Content-Type: text/xml'; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// Read file names from the standard input and print one JSON object for each
    #[arg(long)]
    batch: bool,
}

const PARSE: &str = "\
Exits with 1 where the document is no feed.

Examples:
  newsfed parse feed.xml
  curl -s https://example.org/feed | newsfed parse --json -
  ls feeds/* | newsfed parse --batch";

impl ParseArgs {
    pub(super) fn run(self, global: &Global) -> Exit {
        let base = self.base.as_ref().map(Url::as_str);
        let file = self.file.as_deref();
        match parse::run(global.json, base, &self.headers, self.batch, file) {
            0 => Exit::Ok,
            _ => Exit::Failed,
        }
    }
}

/// The command line as clap knows it, for completions and manual pages.
pub fn command() -> clap::Command {
    Cli::command()
}

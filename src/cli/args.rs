//! The command line.

use super::global::Global;
use super::{
    account, add, backup, completions, config, crawl, discover, doctor, download, export, extract,
    import, list, machines, man, mark, open, parse, prefetch, prune, queue, reread, rules,
    run_program, save, schedule, serve, show, sources, stats, sync, views,
};
use clap::{CommandFactory, Parser, Subcommand};

const ABOUT: &str = "\
newsfed follows feeds and shows them in the terminal.

Without a command, newsfed opens the interface. Most of what the interface does
can be scripted: data goes to standard output, everything else to standard
error.

SOURCE is a source's id, title or URL, or an unambiguous part: the start of its
id, or part of its title or host.
ID is an item's number as shown in lists, its UUID, or an unambiguous prefix of
the UUID.";

const AFTER: &str = "\
Examples:
  newsfed                                  read the news
  newsfed add example.org                  follow a site or a feed
  newsfed sync && newsfed list --unread    show what is new
  newsfed --set net.host_delay=2s sync     change a setting for one run

Exit codes: 0 success, 1 failure, 2 usage error, 3 partial success, 4 invalid
configuration, 130 interrupted.

Environment: NEWSFED_CONFIG_DIR and NEWSFED_DATA_DIR set --config-dir and
--data-dir, and NEWSFED_LOG sets log.level. NO_COLOR disables colours.

docs/json.md describes the output of --json.";

/// newsfed follows feeds and shows them in the terminal.
#[derive(Debug, Parser)]
#[command(
    name = "newsfed",
    version,
    long_about = ABOUT,
    after_long_help = AFTER,
    after_help = "`newsfed --help` prints more, `newsfed help COMMAND` explains a command.",
    max_term_width = 100,
    infer_subcommands = false
)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Try newsfed on fictional sites, without touching your own data
    Demo,
    /// Follow a site or a feed
    Add(add::AddArgs),
    /// List the ways to follow a URL
    Discover(discover::DiscoverArgs),
    /// List and change the sources
    Sources(sources::SourcesArgs),
    /// Manage accounts on servers with the Google Reader API
    Account(account::AccountArgs),
    /// Refresh all sources now
    #[command(alias = "refresh")]
    Sync(sync::SyncArgs),
    /// Poll the sources in the background, until stopped
    #[command(after_help = DAEMON)]
    Daemon,
    /// Serve apps through the Google Reader API, until stopped
    Serve(serve::ServeArgs),
    /// List items
    List(list::ListArgs),
    /// Show items
    Show(show::ShowArgs),
    /// Mark items read
    Read(mark::ReadArgs),
    /// Mark items unread
    Unread(mark::UnreadArgs),
    /// Pin items, so that retention does not remove them
    #[command(after_help = mark::PIN)]
    Pin(mark::ItemArgs),
    /// Unpin items
    #[command(after_help = mark::UNPIN)]
    Unpin(mark::ItemArgs),
    /// Add a tag to items
    Tag(mark::TagArgs),
    /// Remove a tag from items
    Untag(mark::TagArgs),
    /// Keep items for later
    Later(mark::LaterArgs),
    /// Snooze items: hide them until a given time
    Snooze(mark::SnoozeArgs),
    /// Show, test, apply and undo rules for items
    Rules(rules::RulesArgs),
    /// Open items in the browser, or their enclosures with other programs
    Open(open::OpenArgs),
    /// Run your own programs on items
    Run(run_program::RunArgs),
    /// List, change and play the queue of episodes
    Queue(queue::QueueArgs),
    /// Save articles as a file: Markdown, HTML, or EPUB for e-readers
    Save(save::SaveArgs),
    /// Download enclosures of items
    Download(download::DownloadArgs),
    /// Search items
    Search(list::SearchArgs),
    /// Add the sources of a list, or import items and marks from another reader
    Import(import::ImportArgs),
    /// Print the sources as OPML or as URLs
    Export(export::ExportArgs),
    /// Write settings, sources, items and marks into one file
    Backup(backup::BackupArgs),
    /// Restore a backup
    Restore(backup::RestoreArgs),
    /// Collect the articles or files of a site
    Crawl(crawl::CrawlArgs),
    /// Extract the article from a page
    Extract(extract::ExtractArgs),
    /// Parse a feed document and print its content
    Parse(parse::ParseArgs),
    /// Find problems and explain how to solve them
    Doctor(doctor::DoctorArgs),
    /// Show and check the settings
    Config(config::ConfigArgs),
    /// Show what sources publish, how much you read, and which could be removed
    Stats(stats::StatsArgs),
    /// List, add and remove views, or write them as feeds
    Views(views::ViewsArgs),
    /// Show the files through which your machines exchange marks
    Machines(machines::MachinesArgs),
    /// Explain and simulate the schedule
    Schedule(schedule::ScheduleArgs),
    /// Fetch the pages of pinned and unread items, for reading offline
    Prefetch(prefetch::PrefetchArgs),
    /// Fetch the pages of stored items again, and apply the current selectors
    Reread(reread::RereadArgs),
    /// Show what retention would remove, or remove it
    Prune(prune::PruneArgs),
    /// Print completions for a shell
    Completions(completions::CompletionsArgs),
    /// Show a manual page, or write all pages as files
    Man(man::ManArgs),
}

const DAEMON: &str = "\
Stops on SIGTERM and SIGINT. Reloads the settings and sources on SIGHUP, and
when their files change. With feeds.address in config.toml, serves the views as
feeds to programs on this computer; with serve.address, the items to apps
(`newsfed serve`).

Only one process polls: the daemon refuses to start while the interface is open
and polling. An interface that is opened while the daemon runs shows what the
daemon finds, and starts to poll when the daemon exits.

assets/newsfed.service is a systemd unit.

Examples:
  newsfed daemon
  newsfed daemon -v --set schedule.polls_per_day=24";

/// The definition of the command line, for completions and manual pages.
pub fn command() -> clap::Command {
    Cli::command()
}

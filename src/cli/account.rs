//! `newsfed account`: servers of the Google Reader API that newsfed reads.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::log;
use super::output::Output;
use super::runtime::{THERE, other_poller, with_engine};
use crate::config::{AccountSettings, SourcesFile, add_account, did_you_mean, remove_account};
use crate::engine::{AccountProbe, AccountReport, AccountStatus, Handle, Role, WhichAccounts};
use crate::model::Source;
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{self, counted, counted_as};
use crate::util::time_text::minute;
use crate::util::url::parse_web;
use serde::Serialize;
use std::io::{BufRead, IsTerminal};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AccountArgs {
    #[command(subcommand)]
    command: Option<AccountCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum AccountCommand {
    /// Find the API of a server, log in, and add the account to config.toml
    Add(AddAccountArgs),
    /// List the accounts
    List,
    /// Show what is known of accounts, what waits and what failed
    Status {
        /// Only these accounts
        #[arg(value_name = "ACCOUNT")]
        accounts: Vec<String>,
    },
    /// Synchronise accounts now
    Sync {
        /// Only these accounts
        #[arg(value_name = "ACCOUNT")]
        accounts: Vec<String>,
        /// Take over the server's pins even if many of them changed
        #[arg(long)]
        accept: bool,
    },
    /// Log in again, such as after the password was changed
    Login {
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Tie the items to those of a server that was installed again at the same address
    Relink {
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Remove an account; its items are kept for 30 days
    Remove {
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Follow its sources from now on, and keep their items
        #[arg(long)]
        keep: bool,
    },
}

#[derive(Debug, clap::Args)]
struct AddAccountArgs {
    /// URL of the server, or of its API
    url: String,
    /// User on the server
    #[arg(long)]
    user: String,
    /// Command that prints the password, with arguments separated by spaces
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["password_file", "password_env"],
        conflicts_with_all = ["password_file", "password_env"])]
    password_command: Option<String>,
    /// File with the password, which only you can read
    #[arg(long, value_name = "FILE", conflicts_with = "password_env")]
    password_file: Option<String>,
    /// Environment variable with the password
    #[arg(long, value_name = "NAME")]
    password_env: Option<String>,
    /// Name of the account in lists
    #[arg(long, default_value = "home")]
    id: String,
    /// Send the password without encryption to another computer
    #[arg(long)]
    insecure: bool,
    /// Add it without a question
    #[arg(long)]
    yes: bool,
}

const EXAMPLES: &str = "\
An account is a server with the Google Reader API, such as FreshRSS or
Miniflux. Its sources are shown in a folder with the account's name; newsfed
never polls them. Read and pinned marks are synchronised both ways, also those
that were made offline. `newsfed sync`, `newsfed daemon` and the interface
synchronise all accounts. docs/accounts.md describes accounts.

`account sync` exits with 3 if some accounts failed, and with 1 if all did.

Examples:
  newsfed account add rss.example.org --user alice --password-command \"pass show rss\"
  newsfed account
  newsfed account sync home
  newsfed account remove home --keep";

/// The JSON of a synchronisation.
#[derive(Serialize)]
#[serde(tag = "type", rename = "account")]
pub(super) struct JsonSync<'a> {
    account: &'a str,
    result: &'static str,
    new: usize,
    sent: usize,
    taken: usize,
    gone: usize,
    requests: u32,
    millis: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

pub(super) fn run(args: &AccountArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    match &args.command {
        None | Some(AccountCommand::List) => status(&home, &[], false, out),
        Some(AccountCommand::Status { accounts }) => status(&home, accounts, true, out),
        Some(AccountCommand::Add(args)) => add(&home, args, out),
        Some(AccountCommand::Sync { accounts, accept }) => sync(&home, accounts, *accept, out),
        Some(AccountCommand::Login { account }) => login(&home, account, out),
        Some(AccountCommand::Relink { account }) => relink(&home, account, out),
        Some(AccountCommand::Remove { account, keep }) => remove(&home, account, *keep, out),
    }
}

/// Fails unless the account is in config.toml.
fn check(home: &Home, id: &str) -> Result<(), Failure> {
    let ids = || home.settings.accounts.iter().map(|account| account.id.as_str());
    if ids().any(|known| known == id) {
        return Ok(());
    }
    let hint = did_you_mean(id, ids());
    Err(Failure::Plain(format!("there is no account \"{}\"{hint}", text::line(id))))
}

fn status(home: &Home, accounts: &[String], all: bool, out: &mut Output) -> Result<Exit, Failure> {
    accounts.iter().try_for_each(|id| check(home, id))?;
    if home.settings.accounts.is_empty() {
        out.note("no accounts yet; `newsfed account add URL --user NAME` adds one");
    }
    let known = with_engine(home, out, async |handle, _| Ok(handle.accounts().await?))?;
    for status in known.iter().filter(|s| accounts.is_empty() || accounts.contains(&s.id)) {
        if out.json {
            out.value(status)?;
        } else {
            print(status, all, out)?;
        }
    }
    Ok(Exit::Ok)
}

fn print(status: &AccountStatus, all: bool, out: &mut Output) -> Result<(), Failure> {
    let AccountStatus { id, url, user, sources, unread, .. } = status;
    let server = status.server.map_or(String::new(), |server| format!(" ({server})"));
    out.line(out.bold(&format!("{id}: {user} at {url}{server}")))?;
    let (sources, items) = (counted(*sources, "source"), counted(status.items, "item"));
    out.line(format!("  {sources}, {items}, {unread} unread"))?;
    if let Some(problem) = &status.problem {
        out.line(format!("  problem: {problem}"))?;
    }
    if status.waiting > 0 {
        out.line(format!("  marks of {} wait to be sent", counted(status.waiting, "item")))?;
    }
    if status.refused > 0 {
        out.line(format!(
            "  the server did not take the marks of {}",
            counted(status.refused, "item")
        ))?;
    }
    if !all {
        return Ok(());
    }
    match status.last_sync {
        Some(at) => out.line(format!(
            "  last synchronised {}: {}, {} ms",
            minute(at),
            counted(status.requests, "request"),
            status.millis
        ))?,
        None => out.line("  not synchronised yet")?,
    }
    if !status.complete && status.items > 0 {
        out.line("  the first synchronisation is not complete; the next one continues it")?;
    }
    if let Some(next) = status.next_sync {
        out.line(format!("  next synchronisation {}", minute(next)))?;
    }
    Ok(())
}

fn sync(home: &Home, ids: &[String], accept: bool, out: &mut Output) -> Result<Exit, Failure> {
    ids.iter().try_for_each(|id| check(home, id))?;
    log::start(home, out.verbose, false);
    with_engine(home, out, async |handle, out| {
        refuse_beside(handle)?;
        let which = if ids.is_empty() { WhichAccounts::All } else { WhichAccounts::Named(ids) };
        let reports = handle.sync_accounts(which, accept).await;
        handle.announced().await;
        report(&reports, out)
    })
}

/// Fails if another process synchronises.
fn refuse_beside(handle: &Handle) -> Result<(), Failure> {
    match handle.status().borrow().role {
        Role::Watches(pid) => Err(other_poller("synchronise", pid, THERE)),
        _ => Ok(()),
    }
}

/// Prints what synchronisations did.
pub(super) fn report(reports: &[AccountReport], out: &mut Output) -> Result<Exit, Failure> {
    let mut failed = 0;
    for AccountReport { account, result, requests, millis } in reports {
        let (done, message) = match result {
            Ok(done) => (done.clone(), None),
            Err(e) => (Default::default(), Some(e.to_string())),
        };
        failed += usize::from(message.is_some());
        if out.json {
            let result = if message.is_some() { "failed" } else { "synchronised" };
            let (new, sent, taken, gone) = (done.new, done.sent, done.taken, done.gone);
            let (requests, millis) = (*requests, *millis);
            out.value(&JsonSync {
                account,
                result,
                new,
                sent,
                taken,
                gone,
                requests,
                millis,
                message,
            })?;
        } else if let Some(message) = message {
            out.warn(format!("{account}: {message}"));
        } else {
            out.result(format!(
                "{account}: {} new, {} sent, {} taken over ({})",
                done.new,
                counted(done.sent, "mark"),
                done.taken,
                counted(*requests, "request")
            ))?;
        }
    }
    Ok(match (failed, reports.len()) {
        (0, _) => Exit::Ok,
        (failed, all) if failed == all => Exit::Failed,
        _ => Exit::Partial,
    })
}

fn login(home: &Home, id: &str, out: &mut Output) -> Result<Exit, Failure> {
    check(home, id)?;
    let failed = |e: crate::engine::AccountError| Failure::Plain(format!("{id}: {e}"));
    with_engine(home, out, async |handle, _| handle.log_in_account(id).await.map_err(failed))?;
    out.result(format!("{id}: logged in"))?;
    Ok(Exit::Ok)
}

fn relink(home: &Home, id: &str, out: &mut Output) -> Result<Exit, Failure> {
    check(home, id)?;
    with_engine(home, out, async |handle, out| {
        refuse_beside(handle)?;
        let failed = |e: crate::engine::AccountError| Failure::Plain(format!("{id}: {e}"));
        handle.relink_account(id).await.map_err(failed)?;
        let ids = [id.to_owned()];
        // The first one ties the items, the second one sends the marks.
        let first = report(&handle.sync_accounts(WhichAccounts::Named(&ids), false).await, out)?;
        if first != Exit::Ok {
            return Ok(first);
        }
        report(&handle.sync_accounts(WhichAccounts::Named(&ids), true).await, out)
    })
}

fn remove(home: &Home, id: &str, keep: bool, out: &mut Output) -> Result<Exit, Failure> {
    check(home, id)?;
    let store = home.store()?;
    let now = SystemClock.now();
    let catalogue = Catalogue::read(home, &store)?;
    let own = catalogue.entries.iter().filter(|e| e.source.account.as_deref() == Some(id));
    let sources: Vec<Source> = own
        .map(|entry| Source {
            account: None,
            title: Some(entry.title().to_owned()),
            ..(*entry.source).clone()
        })
        .collect();
    remove_account(&home.paths, id)?;
    store.remove_account_blocking(id.to_owned(), now)?;
    let count = sources.len();
    if keep && !sources.is_empty() {
        SourcesFile::open(&home.paths).add(&sources)?;
    }
    let what = match (keep, count) {
        (true, _) => "followed from now on",
        (false, 1) => "removed; its items stay for 30 days",
        (false, _) => "removed; their items stay for 30 days",
    };
    let sources = counted_as(count, "source is", "sources are");
    out.result(format!("{id}: removed; {sources} {what}"))?;
    Ok(Exit::Ok)
}

fn add(home: &Home, args: &AddAccountArgs, out: &mut Output) -> Result<Exit, Failure> {
    if home.settings.accounts.iter().any(|account| account.id == args.id) {
        let id = text::line(&args.id);
        return Err(Failure::Usage(format!("there is an account \"{id}\"; choose another --id")));
    }
    let web = parse_web(&args.url).map_err(|e| Failure::Usage(e.to_string()))?;
    if web.user.is_some() || web.password.is_some() {
        let message = "the URL contains a user or a password; use --user and --password-command";
        return Err(Failure::Usage(message.to_owned()));
    }
    let command = args.password_command.as_deref().unwrap_or_default();
    let settings = AccountSettings {
        id: args.id.clone(),
        url: web.url.as_str().trim_end_matches('/').to_owned(),
        user: args.user.clone(),
        password_command: command.split_whitespace().map(str::to_owned).collect(),
        password_file: args.password_file.clone(),
        password_env: args.password_env.clone(),
        insecure: args.insecure,
        ..AccountSettings::default()
    };
    if settings.is_exposed() && !settings.insecure {
        let message = "this URL would send the password without encryption; use https, or --insecure \
                       if nobody can read your network";
        return Err(Failure::Usage(message.to_owned()));
    }
    let failed = |e: crate::engine::AccountError| Failure::Plain(e.to_string());
    let found = with_engine(home, out, async |handle, _| {
        handle.probe_account(&settings).await.map_err(failed)
    })?;
    let AccountProbe { settings, server, sources, unread } = found;
    let what = format!(
        "{server} at {} accepts {}: {}, {}",
        settings.url,
        settings.user,
        counted(sources, "source"),
        counted(unread, "unread item")
    );
    out.note(&what);
    if !args.yes && !confirmed(out)? {
        return Ok(Exit::Failed);
    }
    add_account(&home.paths, &settings)?;
    out.result(format!("{} added; `newsfed sync` fetches its items", settings.id))?;
    Ok(Exit::Ok)
}

fn confirmed(out: &mut Output) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage("nothing was added; use --yes without a terminal".to_owned()));
    }
    out.warn("Add this account? [y/N]");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

//! `newsfed account`: accounts on servers with the Google Reader API.

use super::account_add::{AddAccountArgs, add};
use super::account_move::{MoveArgs, move_sources};
use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::log;
use super::output::Output;
use super::runtime::with_engine;
use crate::config::{SourcesFile, did_you_mean, remove_account};
use crate::engine::{
    AccountError, AccountReport, AccountStatus, Handle, ProcessRole, WhichAccounts,
};
use crate::model::{Source, SourceId};
use crate::store::{MovedSource, Store};
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{self, counted, counted_as};
use crate::util::time_text::minute;
use serde::Serialize;

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
    /// Show accounts in detail: unsent changes, problems and the last synchronisation
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
        /// Accept the server's pins and labels even if many of them have changed
        #[arg(long)]
        accept: bool,
    },
    /// Log in again, for instance after you have changed the password
    Login {
        /// The account, as in `newsfed account`
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Link your items to those on a server that was reinstalled at the same URL
    Relink {
        /// The account, as in `newsfed account`
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
    /// Let the server poll your own feeds from now on; items and marks stay
    Move(MoveArgs),
    /// Remove an account; its items are kept for 30 days
    Remove {
        /// The account, as in `newsfed account`
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Follow the account's sources here from now on, and keep their items
        #[arg(long)]
        keep: bool,
    },
}

const EXAMPLES: &str = "\
An account connects newsfed to a server with the Google Reader API, such as
FreshRSS or Miniflux. Its sources are shown in a folder with the account's
name; newsfed never polls them. Read and pinned marks are synchronised both
ways, including those that were made offline. `newsfed sync`, `newsfed daemon`
and the interface synchronise all accounts. docs/accounts.md describes
accounts.

`account sync` exits with 3 if some accounts failed, and with 1 if all did.

Examples:
  newsfed account add rss.example.org --user al --password-command \"pass rss\"
  newsfed account
  newsfed account sync home
  newsfed account move home --all --dry-run
  newsfed account remove home --keep";

/// JSON output for one synchronisation.
#[derive(Default, Serialize)]
#[serde(tag = "type", rename = "account")]
pub(super) struct JsonSync<'a> {
    account: &'a str,
    result: &'static str,
    new: usize,
    sent: usize,
    received: usize,
    gone: usize,
    requests: u32,
    millis: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

pub(super) fn run(args: &AccountArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    match &args.command {
        None | Some(AccountCommand::List) => status(&home, &[], false, out),
        Some(AccountCommand::Status { accounts }) => status(&home, accounts, true, out),
        Some(AccountCommand::Add(args)) => add(&home, args, out),
        Some(AccountCommand::Sync { accounts, accept }) => sync(&home, accounts, *accept, out),
        Some(AccountCommand::Login { account }) => login(&home, account, out),
        Some(AccountCommand::Relink { account }) => relink(&home, account, out),
        Some(AccountCommand::Move(args)) => {
            check(&home, &args.account)?;
            move_sources(&home, args, out)
        }
        Some(AccountCommand::Remove { account, keep }) => remove(&home, account, *keep, out),
    }
}

/// Returns an error unless the account is in config.toml.
fn check(home: &Home, id: &str) -> Result<(), Failure> {
    let ids = || home.settings.accounts.iter().map(|account| account.id.as_str());
    if ids().any(|known| known == id) {
        return Ok(());
    }
    let hint = did_you_mean(id, ids());
    Err(Failure::Plain(format!("there is no account \"{}\"{hint}", text::line(id))))
}

fn status(home: &Home, accounts: &[String], all: bool, out: &mut Output) -> Result<Exit, Failure> {
    let known = with_engine(home, out, async |handle, _| Ok(handle.accounts().await?))?;
    for id in accounts.iter().filter(|id| known.iter().all(|status| status.id != **id)) {
        check(home, id)?;
    }
    if known.is_empty() {
        out.note("no accounts yet; `newsfed account add URL --user NAME` adds one");
    }
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
        out.line(format!("  marks of {} are waiting to be sent", counted(status.waiting, "item")))?;
    }
    for change in &status.changes {
        out.line(format!("  waiting: {change}"))?;
    }
    if status.refused > 0 {
        out.line(format!(
            "  the server did not accept the marks of {}",
            counted(status.refused, "item")
        ))?;
    }
    if status.left_out > 0 {
        let sources = counted(status.left_out, "subscription");
        out.line(format!("  left out: {sources} without a usable URL"))?;
    }
    for (source, url) in &status.unused {
        out.line(format!(
            "  sources.toml has settings for {source}, but the server does not have {url}; remove \
             the entry if the feed is gone for good"
        ))?;
    }
    for warning in &status.warnings {
        out.line(format!("  {warning}"))?;
    }
    if !status.configured {
        out.line(format!(
            "  the account is no longer in config.toml; `newsfed account remove {id}` removes it"
        ))?;
        return Ok(());
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
    let known = home.settings.accounts.iter().map(|account| account.id.clone());
    let ids = if ids.is_empty() { known.collect() } else { ids.to_vec() };
    with_engine(home, out, async |handle, out| request(handle, &ids, accept, false, out).await)
}

/// Synchronises accounts, or has the process that polls synchronise them.
async fn request(
    handle: &Handle,
    ids: &[String],
    accept: bool,
    relink: bool,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let other = match handle.status().borrow().role {
        ProcessRole::Watches(pid) => Some(pid),
        _ => None,
    };
    for id in ids.iter().filter(|_| other.is_some() || accept || relink) {
        let failed = |e: AccountError| Failure::Plain(format!("{id}: {e}"));
        handle.request_sync(id, accept, relink).await.map_err(failed)?;
    }
    let Some(pid) = other else {
        let reports = handle.sync_accounts(WhichAccounts::Named(ids), accept).await;
        handle.announced().await;
        return report(&reports, out);
    };
    let who =
        pid.map_or("another newsfed process".to_owned(), |pid| format!("newsfed (process {pid})"));
    for id in ids {
        if out.json {
            let result = "requested";
            out.value(&JsonSync { account: id, result, ..JsonSync::default() })?;
        } else {
            out.result(format!("{id}: {who} is synchronising it; see `newsfed account status`"))?;
        }
    }
    Ok(Exit::Ok)
}

/// Prints the results of synchronisations.
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
            let (new, sent, received, gone) = (done.new, done.sent, done.received, done.gone);
            let (requests, millis) = (*requests, *millis);
            out.value(&JsonSync {
                account,
                result,
                new,
                sent,
                received,
                gone,
                requests,
                millis,
                message,
            })?;
        } else if let Some(message) = message {
            out.warn(format!("{account}: {message}"));
        } else {
            out.result(format!(
                "{account}: {} new, {} sent, {} received ({})",
                done.new,
                counted(done.sent, "mark"),
                done.received,
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
    let failed = |e: AccountError| Failure::Plain(format!("{id}: {e}"));
    with_engine(home, out, async |handle, _| handle.log_in_account(id).await.map_err(failed))?;
    out.result(format!("{id}: logged in"))?;
    Ok(Exit::Ok)
}

fn relink(home: &Home, id: &str, out: &mut Output) -> Result<Exit, Failure> {
    check(home, id)?;
    let ids = [id.to_owned()];
    with_engine(home, out, async |handle, out| request(handle, &ids, false, true, out).await)
}

/// The user's sources that were moved to an account, with their entries for `sources.toml`.
fn moved_sources(store: &Store, id: &str) -> Result<Vec<MovedSource>, Failure> {
    let reader = store.reader()?;
    let Some(account) = reader.accounts()?.into_iter().find(|account| account.id == id) else {
        return Ok(Vec::new());
    };
    let mut moved = reader.moved_sources(account.key)?;
    moved.retain(|source| source.collected);
    Ok(moved)
}

fn remove(home: &Home, id: &str, keep: bool, out: &mut Output) -> Result<Exit, Failure> {
    let store = home.store()?;
    let configured = check(home, id);
    let stored = store.reader()?.accounts()?.iter().any(|account| account.id == id);
    if !stored {
        configured.as_ref().map_err(|e| Failure::Plain(e.to_string()))?;
    }
    let moved = moved_sources(&store, id)?;
    if !moved.is_empty() && !keep {
        let sources = counted_as(moved.len(), "source was", "sources were");
        return Err(Failure::Plain(format!(
            "{id} was not removed: {sources} moved to it. `newsfed account move {id} --back` makes them \
             your own again, and `newsfed account remove {id} --keep` follows all its sources"
        )));
    }
    let catalogue = Catalogue::read(home, &store)?;
    let own = catalogue.entries.iter().filter(|e| e.source.account.as_deref() == Some(id));
    let others = catalogue.entries.iter().filter(|e| e.source.account.is_none());
    if let Some(other) = others.map(|e| &e.source.id).find(|o| moved.iter().any(|m| m.id == **o)) {
        let why = "a source that was moved to it has the same id as one of yours; change the id of your source";
        return Err(Failure::Plain(format!("{id} was not removed: {why} ({other})")));
    }
    let sources: Vec<Source> = own
        .filter(|entry| moved.iter().all(|source| source.source != entry.facts.key))
        .map(|entry| Source {
            account: None,
            title: Some(entry.title().to_owned()),
            ..(*entry.source).clone()
        })
        .collect();
    let count = sources.len() + moved.len();
    // With this order, the command can be run again after an interruption at any step.
    let file = SourcesFile::open(&home.paths);
    let restored: Vec<SourceId> = moved.iter().map(|source| source.id.clone()).collect();
    if !moved.is_empty() {
        let entries: Vec<_> = moved.into_iter().map(|source| (source.id, source.entry)).collect();
        file.restore(&entries)?;
    }
    // These settings apply only to sources of this account.
    let settings: Vec<SourceId> = home
        .own_settings
        .iter()
        .filter(|own| own.account.as_deref() == Some(id))
        .map(|own| own.id.clone())
        .filter(|own| !restored.contains(own))
        .collect();
    if !settings.is_empty() {
        file.remove(&settings)?;
    }
    if keep && !sources.is_empty() {
        file.import(&sources)?;
    }
    store.remove_account_blocking(id.to_owned(), SystemClock.now())?;
    if configured.is_ok() {
        remove_account(&home.paths, id)?;
    }
    let what = match (keep, count) {
        (true, _) => "followed from now on",
        (false, 1) => "removed; its items stay for 30 days",
        (false, _) => "removed; their items stay for 30 days",
    };
    let sources = counted_as(count, "source is", "sources are");
    let entries = match settings.len() {
        0 => String::new(),
        n => format!(
            "; {} removed from sources.toml",
            counted_as(
                n,
                "entry with settings for its sources was",
                "entries with settings for its sources were"
            )
        ),
    };
    out.result(format!("{id}: removed; {sources} {what}{entries}"))?;
    Ok(Exit::Ok)
}

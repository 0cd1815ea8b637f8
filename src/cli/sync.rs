//! `newsfed sync`: refreshes the sources now, unless servers have paused them.

use super::account;
use super::catalogue::{Catalogue, Entry};
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::log;
use super::output::Output;
use super::progress::Progress;
use super::refresh_summary::{Tally, json_report};
use super::runtime::{THERE, asked_to_stop, other_poller, runtime_beside};
use crate::engine::{Handle, Pace, ProcessRole, Refreshed, Report, WhichAccounts, broken};
use crate::model::{LeftOut, SourceId, SourceKind};
use crate::query::{self, Query, What};
use crate::util::text::line;
use crate::util::time_text;
use std::collections::HashMap;
use tokio::sync::mpsc::UnboundedReceiver;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SyncArgs {
    /// Only these sources; without this argument, all enabled sources
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    /// Only sources in this folder; can be repeated
    #[arg(long, value_name = "NAME")]
    folder: Vec<String>,
    /// Only sources with this tag; can be repeated
    #[arg(long, value_name = "NAME")]
    tag: Vec<String>,
    /// Only sources that are due according to their schedule
    #[arg(long, conflicts_with = "force")]
    due: bool,
    /// Refresh even sources whose server asked for a pause
    #[arg(long)]
    force: bool,
    /// Remove the sources no longer in a followed list, even if there are many
    #[arg(long, requires = "sources", conflicts_with_all = ["due", "folder", "tag"])]
    accept: bool,
}

const EXAMPLES: &str = "\
Sources whose servers asked for a pause (Retry-After, max-age, ttl and the
like) are skipped and listed. Accounts are synchronised too. Exits with 3 if
some sources failed, and with 1 if all did. Only one newsfed process polls the
sources of a database at a time. With several sources, folders or tags, a
source is refreshed if any of them matches. A folder includes its subfolders.

Examples:
  newsfed sync
  newsfed sync kernel council
  newsfed sync --folder Tech --tag daily
  newsfed sync --accept planet      for a list that has lost many sources
  newsfed sync --due --quiet        for cron, without `newsfed daemon`
  newsfed sync --json | jq -c 'select(.result == \"failed\")'";

pub(super) fn run(args: &SyncArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    home.show_warnings(out);
    log::start(&home, out.verbose, false);
    let engine = home.engine(home.store()?, false);
    drop(home);
    runtime_beside()?.block_on(async {
        let stop = asked_to_stop();
        let handle = engine.start().await?;
        let role = handle.status().borrow().role;
        let result = match role {
            ProcessRole::Watches(pid) if args.accept => {
                leave_accepted(args, &handle, pid, out).await
            }
            ProcessRole::Watches(pid) => Err(other_poller("refresh", pid, THERE)),
            ProcessRole::Reads => {
                handle.store().writable().map(|()| Exit::Ok).map_err(Failure::from)
            }
            ProcessRole::Follows | ProcessRole::OnDemand => refresh(args, &handle, stop, out).await,
        };
        handle.shutdown().await;
        result
    })
}

async fn refresh(
    args: &SyncArgs,
    handle: &Handle,
    stop: impl Future<Output = ()>,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let catalogue = Catalogue::of(handle).await?;
    if catalogue.entries.is_empty() && handle.settings().accounts.is_empty() {
        out.note("no sources yet; `newsfed add URL` follows a site or a feed");
    }
    let (keys, accounts) = named(args, &catalogue)?;
    if args.accept {
        accept(&catalogue, keys.as_deref().unwrap_or_default(), handle, out).await?;
    }
    let local = catalogue.entries.iter().filter(|e| e.source.account.is_none()).count();
    let steps = keys.as_ref().map_or(local, Vec::len);
    // Keeps only the titles in memory.
    let title = |e: &Entry| (e.source.id.clone(), e.title().to_owned());
    let titles: HashMap<SourceId, String> = catalogue.entries.iter().map(title).collect();
    drop(catalogue);
    let pace = match (args.due, args.force) {
        (true, _) => Pace::Due,
        (_, true) => Pace::Force,
        _ => Pace::Manual,
    };
    let reports = handle.refresh(keys, pace).await;
    let progress = Progress::new(steps, out);
    let mut tally = Tally::default();
    tokio::pin!(stop);
    let result = tokio::select! {
        result = follow(reports, &titles, handle, &progress, &mut tally, out) => result,
        () = &mut stop => Ok(true),
    };
    progress.clear();
    let mut stopped = result?;
    let mut accounts_exit = Exit::Ok;
    if !stopped {
        let which = match (&accounts, args.due) {
            (Some(ids), _) => WhichAccounts::Named(ids),
            (None, true) => WhichAccounts::Due,
            (None, false) => WhichAccounts::All,
        };
        let synchronised = async {
            let reports = handle.sync_accounts(which, false).await;
            // Waits for the commands of rules, each of which has its own time limit.
            handle.announced().await;
            for changed in [handle.keep_lists_in_step().await, handle.drop_dead_sources().await] {
                match changed {
                    Ok(changes) => {
                        changes.iter().for_each(|c| out.note(format!("newsfed: {}", c.message)))
                    }
                    Err(e) => out.note(format!("newsfed: {e}")),
                }
            }
            (reports, handle.exchange_marks().await)
        };
        tokio::select! {
            (reports, exchanged) = synchronised => {
                accounts_exit = account::report(&reports, out)?;
                let problem = match exchanged {
                    Ok(done) => done.and_then(|done| done.problem),
                    Err(e) => Some(e.to_string()),
                };
                if let Some(problem) = problem {
                    out.warn(format!("newsfed: marks are not exchanged: {}", line(&problem)));
                    accounts_exit = Exit::Partial;
                }
            }
            () = stop => stopped = true,
        }
    }
    if out.json {
        out.value(&tally)?;
    } else {
        out.result(tally.describe())?;
    }
    if stopped {
        out.warn("newsfed: interrupted; what was fetched is stored");
        return Ok(Exit::Interrupted);
    }
    Ok(match (tally.exit(), accounts_exit) {
        (exit, Exit::Ok) => exit,
        (Exit::Ok, exit) if steps == 0 => exit,
        (Exit::Failed, Exit::Failed) => Exit::Failed,
        _ => Exit::Partial,
    })
}

/// Records the confirmation of removals for the process that polls.
async fn leave_accepted(
    args: &SyncArgs,
    handle: &Handle,
    pid: Option<u32>,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let catalogue = Catalogue::of(handle).await?;
    let (keys, _) = named(args, &catalogue)?;
    if accept(&catalogue, keys.as_deref().unwrap_or_default(), handle, out).await? {
        let who = pid.map_or("the process that polls".to_owned(), |pid| format!("process {pid}"));
        out.note(format!(
            "at its next check of the list, {who} removes the sources that are no longer in it"
        ));
    }
    Ok(Exit::Ok)
}

/// Records that sources no longer in these lists may be removed; returns whether there are any.
async fn accept(
    catalogue: &Catalogue,
    keys: &[i64],
    handle: &Handle,
    out: &mut Output,
) -> Result<bool, Failure> {
    let mut any = false;
    for entry in catalogue.entries.iter().filter(|entry| keys.contains(&entry.facts.key)) {
        if entry.source.kind() != SourceKind::List {
            let id = &entry.source.id;
            return Err(Failure::Usage(format!("{id} is not a list; --accept is for lists")));
        }
        let accepted = handle.accept_list(entry.facts.key).await?;
        if !accepted {
            out.note(format!("{} has nothing to confirm", entry.source.id));
        }
        any |= accepted;
    }
    Ok(any)
}

/// Row keys of the given sources that newsfed polls, and ids of the accounts of the others; `None` means all.
type Named = (Option<Vec<i64>>, Option<Vec<String>>);

fn named(args: &SyncArgs, catalogue: &Catalogue) -> Result<Named, Failure> {
    let folders = args.folder.iter().cloned().map(query::Named::Folder);
    let groups: Vec<_> = folders.chain(args.tag.iter().cloned().map(query::Named::Tag)).collect();
    if args.sources.is_empty() && groups.is_empty() {
        return Ok((None, None));
    }
    let mut found = catalogue.find_all(&args.sources)?;
    for group in groups {
        let one = Query::of([What::Of(group.clone())]);
        if let Some(unknown) = query::unknown_name(&one, catalogue.known(), &[]) {
            return Err(Failure::Plain(unknown.message));
        }
        let keys = query::resolve(&group, catalogue.known());
        let named: Vec<i64> = found.iter().map(|entry| entry.facts.key).collect();
        let is_more = |e: &&Entry| keys.contains(&e.facts.key) && !named.contains(&e.facts.key);
        found.extend(catalogue.entries.iter().filter(is_more));
    }
    let local = found.iter().filter(|e| e.source.account.is_none());
    let mut accounts: Vec<String> = found.iter().filter_map(|e| e.source.account.clone()).collect();
    accounts.sort_unstable();
    accounts.dedup();
    Ok((Some(local.map(|e| e.facts.key).collect()), Some(accounts)))
}

/// Reports each source as it is refreshed.
async fn follow(
    mut reports: UnboundedReceiver<Report>,
    titles: &HashMap<SourceId, String>,
    handle: &Handle,
    progress: &Progress,
    tally: &mut Tally,
    out: &mut Output,
) -> Result<bool, Failure> {
    let status = handle.status();
    while let Some(report) = reports.recv().await {
        tally.count(&report.result);
        let host = status.borrow().host.clone();
        progress.step(host.as_deref());
        if out.json {
            out.value(&json_report(&report))?;
            out.flush()?;
        }
        let title = titles.get(&report.source).map_or(report.source.as_str(), String::as_str);
        if let Some(left_out) = LeftOut::describe(&report.left_out) {
            progress.aside(|| out.warn(format!("{title}: {left_out}")));
        }
        if let Some(problem) = report.problem.filter(|_| report.left_out.is_empty()) {
            progress.aside(|| out.warn(format!("{title}: {}", broken(&problem))));
        }
        if let Some(line) = describe(title, &report.result, handle, out.verbose > 0) {
            progress.aside(|| out.note(line));
        }
    }
    Ok(false)
}

/// A message about one source, if there is something to report.
fn describe(title: &str, result: &Refreshed, handle: &Handle, all: bool) -> Option<String> {
    use crate::model::Outcome;
    let what = match result {
        Refreshed::Polled(Outcome::Failed { message, .. }) => message.clone(),
        Refreshed::Skipped(pause) => time_text::pause(pause, handle.now()),
        Refreshed::Lost(why) => format!("not stored: {why}"),
        _ if !all => return None,
        Refreshed::Polled(Outcome::Unchanged) => "unchanged".to_owned(),
        Refreshed::Polled(Outcome::Fetched { new, updated, .. }) => {
            format!("{new} new, {updated} updated")
        }
        Refreshed::NotDue(_) => "not due".to_owned(),
        Refreshed::Disabled => "disabled".to_owned(),
    };
    Some(format!("{title}: {what}"))
}

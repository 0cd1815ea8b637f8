//! `newsfed account move`: moves the user's feeds to a server, or back from it.

use super::account::report;
use super::account_add::confirmed;
use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::home::Home;
use super::output::Output;
use super::runtime::{other_poller, with_engine};
use crate::engine::{MovePlan, MovedSources, MovingSource, ProcessRole};
use crate::model::SourceId;
use crate::util::text::counted_as;
use serde::Serialize;

#[derive(Debug, clap::Args)]
pub(super) struct MoveArgs {
    /// The account, as in `newsfed account`
    #[arg(value_name = "ACCOUNT")]
    pub(super) account: String,
    /// The sources to move
    #[arg(value_name = "SOURCE", required_unless_present_any = ["all", "back"])]
    sources: Vec<String>,
    /// Move all feeds
    #[arg(long, conflicts_with = "sources")]
    all: bool,
    /// Make moved sources your own again; the server keeps those it already had
    #[arg(long, conflicts_with_all = ["sources", "all"])]
    back: bool,
    /// Only show what would be moved
    #[arg(long, conflicts_with = "back")]
    dry_run: bool,
    /// Move the sources without asking
    #[arg(long)]
    yes: bool,
}

impl MoveArgs {
    /// The arguments for moving all feeds without confirmation.
    pub(super) fn all(account: &str) -> Self {
        Self {
            account: account.to_owned(),
            sources: Vec::new(),
            all: true,
            back: false,
            dry_run: false,
            yes: true,
        }
    }
}

/// JSON output for one source.
#[derive(Serialize)]
struct JsonMove<'a> {
    source: &'a SourceId,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    /// Keys of the source that have no effect on the server.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    dropped: &'a [&'static str],
}

pub(super) fn move_sources(
    home: &Home,
    args: &MoveArgs,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let ids = if args.all || args.back {
        None
    } else {
        let catalogue = Catalogue::read(home, &home.store()?)?;
        let found = catalogue.find_all(&args.sources)?;
        Some(found.iter().map(|entry| entry.source.id.clone()).collect::<Vec<_>>())
    };
    with_engine(home, out, async |handle, out| {
        if let ProcessRole::Watches(pid) = handle.status().borrow().role {
            return Err(other_poller("move sources", pid, "stop it first"));
        }
        if args.back {
            if !args.yes && !confirmed("Move the sources back?", out)? {
                return Ok(Exit::Failed);
            }
            return show(&handle.move_back(&args.account).await?, "back", out);
        }
        let MovePlan { moving, staying } = handle.plan_move(ids.as_deref()).await?;
        explain(&staying, "stays", out)?;
        for MovingSource { id: source, title, dropped } in &moving {
            if args.dry_run && out.json {
                out.value(&JsonMove { source, result: "moves", message: None, dropped })?;
            } else {
                let without = match dropped.as_slice() {
                    [] => String::new(),
                    keys => {
                        format!(" (without {}, which do not apply on the server)", keys.join(", "))
                    }
                };
                out.note(format!("{source} moves: {title}{without}"));
            }
        }
        let count = moving.len();
        let moving_there = counted_as(count, "source moves", "sources move");
        out.note(format!("{moving_there} to {}; {} cannot move", args.account, staying.len()));
        if args.dry_run || moving.is_empty() {
            return Ok(Exit::Ok);
        }
        if !args.yes && !confirmed("Have the server poll them?", out)? {
            return Ok(Exit::Failed);
        }
        let ids: Vec<SourceId> = moving.into_iter().map(|source| source.id).collect();
        let moved = handle.move_to_account(&args.account, &ids).await?;
        let exit = show(&moved, "moved", out)?;
        match &moved.report {
            Some(synchronised) => {
                let synchronised = report(std::slice::from_ref(synchronised), out)?;
                Ok(if exit == Exit::Ok { synchronised } else { exit })
            }
            None => Ok(exit),
        }
    })
}

fn explain(
    staying: &[(SourceId, String)],
    result: &'static str,
    out: &mut Output,
) -> Result<(), Failure> {
    for (source, why) in staying {
        if out.json {
            out.value(&JsonMove { source, result, message: Some(why), dropped: &[] })?;
        } else {
            out.note(format!("{source} {}: {why}", result.replace('-', " ")));
        }
    }
    Ok(())
}

fn show(moved: &MovedSources, result: &'static str, out: &mut Output) -> Result<Exit, Failure> {
    for source in &moved.moved {
        if out.json {
            out.value(&JsonMove { source, result, message: None, dropped: &[] })?;
        } else {
            out.result(format!("{source}: {result}"))?;
        }
    }
    let left = if result == "back" { "still-subscribed" } else { "stays" };
    explain(&moved.staying, left, out)?;
    Ok(match (moved.moved.len(), moved.staying.len()) {
        (_, 0) => Exit::Ok,
        (0, _) => Exit::Failed,
        _ => Exit::Partial,
    })
}

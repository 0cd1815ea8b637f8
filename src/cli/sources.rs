//! `newsfed sources`: lists and changes sources.

use super::catalogue::{Catalogue, Entry, FullEntry};
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::runtime::with_engine;
use super::source_edit::{EditArgs, change_collected, edit, report};
use super::source_show::{self, SourceShape, health};
use super::table::{Column, Table};
use crate::config::{FileChange, SourceChange, SourcesFile};
use crate::model::{Source, SourceId, Time};
use crate::store::Store;
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::counted;
use crate::util::time_text::{age, day};
use std::collections::HashSet;
use std::io::{self, BufRead, IsTerminal, Write};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SourcesArgs {
    #[command(subcommand)]
    pub(super) command: Option<SourcesCommand>,
}

const EXAMPLES: &str = "\
The list shows each source's id, unread and total item counts, state, time
until its next poll, title and, if it is failing, the last error.

Examples:
  newsfed sources
  newsfed sources show kernel
  newsfed sources edit kernel --title 'Kernel notes' --interval 2h
  newsfed sources disable kernel council";

/// Subcommands of `sources`.
#[derive(Debug, clap::Subcommand)]
pub(super) enum SourcesCommand {
    /// List all sources (default)
    List,
    /// Show sources in detail, with their last polls
    Show(SourceNames),
    /// Change a source, with options or in $EDITOR
    Edit(EditArgs),
    /// Poll sources again, even those that are paused after errors such as 404
    Enable(SourceNames),
    /// Stop polling sources, but keep their items
    Disable(SourceNames),
    /// Remove sources; adding them again within 30 days restores their items
    Remove(RemoveArgs),
    /// Undo a permanent redirect: use the URL in sources.toml again
    UndoMove(SourceNames),
}

#[derive(Debug, clap::Args)]
pub(super) struct SourceNames {
    /// The sources
    #[arg(required = true, value_name = "SOURCE")]
    names: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct RemoveArgs {
    #[command(flatten)]
    names: SourceNames,
    /// For a list: also remove its sources, which otherwise stay
    #[arg(long)]
    with_sources: bool,
}

pub(super) fn run(
    command: Option<SourcesCommand>,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(&home, &store)?;
    match command.unwrap_or(SourcesCommand::List) {
        SourcesCommand::List => {
            list(&Catalogue::full(&catalogue.entries, &store.reader()?)?, out)?;
        }
        SourcesCommand::Show(args) => {
            let reader = store.reader()?;
            let found = Catalogue::full(catalogue.find_all(&args.names)?, &reader)?;
            let full_text = home.settings.full_text;
            source_show::run(&found, &catalogue.entries, &reader, full_text, out)?;
        }
        SourcesCommand::Edit(args) => return edit(&args, &home, &catalogue, out),
        SourcesCommand::Enable(args) => {
            switch(&args, true, &home, &catalogue, out)?;
            let found = catalogue.find_all(&args.names)?;
            store.lift_refusals_blocking(found.iter().map(|e| e.facts.key).collect())?;
        }
        SourcesCommand::Disable(args) => switch(&args, false, &home, &catalogue, out)?,
        SourcesCommand::Remove(args) => remove(&args, &home, &catalogue, &store, out)?,
        SourcesCommand::UndoMove(args) => {
            drop(store);
            undo_move(&args, &home, &catalogue, out)?;
        }
    }
    Ok(Exit::Ok)
}

fn list(entries: &[FullEntry], out: &mut Output) -> Result<(), Failure> {
    let now = SystemClock.now();
    if out.json {
        return entries.iter().try_for_each(|e| out.value(&SourceShape::of(e, now)));
    }
    if entries.is_empty() {
        out.note("there are no sources yet; `newsfed add URL` adds one");
    }
    let column = |most, right| Column { most, right };
    let lines: Vec<[String; 6]> = entries.iter().map(|e| cells(e, now)).collect();
    // If no source has an error, the titles fill the rest of the line.
    let shown = if lines.iter().all(|line| line[5].is_empty()) { 5 } else { 6 };
    let columns = [
        column(24, false),
        column(11, true),
        column(12, false),
        column(5, true),
        column(24, false),
    ];
    let mut table = Table::new(&columns[..shown - 1], out.width);
    let lines = lines.iter().map(|line| line.each_ref().map(String::as_str));
    let lines: Vec<[&str; 6]> = lines.collect();
    for line in &lines {
        table.fit(&line[..shown]);
    }
    for line in &lines {
        out.line(table.line(&line[..shown]).trim_end())?;
    }
    Ok(())
}

fn cells(entry: &FullEntry, now: Time) -> [String; 6] {
    let facts = &entry.facts;
    let next = match (entry.source.enabled, facts.next_poll) {
        _ if entry.source.account.is_some() => "-".to_owned(),
        (true, Some(at)) if health(entry, now) != "gone" => age((at - now).num_seconds()),
        (true, None) => "now".to_owned(),
        _ => "-".to_owned(),
    };
    let broken = facts.website.broken();
    let why = source_show::error(entry).map(str::to_owned);
    let why = why.or_else(|| broken.map(|b| format!("{} since {}", b.what, day(b.since))));
    [
        entry.source.id.to_string(),
        format!("{}/{}", facts.unread, facts.items),
        health(entry, now).to_owned(),
        next,
        entry.title().to_owned(),
        why.unwrap_or_default(),
    ]
}

fn ids(args: &SourceNames, catalogue: &Catalogue) -> Result<Vec<SourceId>, Failure> {
    Ok(catalogue.find_all(&args.names)?.iter().map(|e| e.source.id.clone()).collect())
}

fn switch(
    args: &SourceNames,
    enabled: bool,
    home: &Home,
    catalogue: &Catalogue,
    out: &mut Output,
) -> Result<(), Failure> {
    let ids = ids(args, catalogue)?;
    let found = catalogue.find_all(&args.names)?;
    if let Some(entry) = found.iter().find(|entry| entry.source.account.is_some()) {
        let (id, account) = (&entry.source.id, entry.source.account.as_deref().unwrap_or_default());
        return Err(Failure::Plain(format!(
            "{id} is checked by the server of the account {account}, never by newsfed itself"
        )));
    }
    let change = SourceChange::default().set("enabled", if enabled { "on" } else { "off" });
    SourcesFile::open(&home.paths).update(&ids, &change)?;
    report(&ids, if enabled { "enabled" } else { "disabled" }, out)
}

fn remove(
    args: &RemoveArgs,
    home: &Home,
    catalogue: &Catalogue,
    store: &Store,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut found = catalogue.find_all(&args.names.names)?;
    let named: HashSet<SourceId> = found.iter().map(|entry| entry.source.id.clone()).collect();
    let is_of_list = |entry: &&Entry| {
        let list = entry.source.list.as_ref().filter(|list| named.contains(list));
        list.is_some() && !named.contains(&entry.source.id)
    };
    let of_lists: Vec<&Entry> = catalogue.entries.iter().filter(is_of_list).collect();
    if !of_lists.is_empty() {
        match args.with_sources || removes_too(of_lists.len(), out)? {
            true => found.extend(of_lists),
            false => {
                out.note(format!("not removed: {} of the list", counted(of_lists.len(), "source")))
            }
        }
    }
    let all: Vec<SourceId> = found.iter().map(|entry| entry.source.id.clone()).collect();
    let collected = found.iter().filter(|entry| entry.source.account.is_some());
    let collected: Vec<SourceId> = collected.map(|entry| entry.source.id.clone()).collect();
    let local: Vec<SourceId> = all.iter().filter(|id| !collected.contains(id)).cloned().collect();
    if !local.is_empty() {
        SourcesFile::open(&home.paths).remove(&local)?;
        let is_left = |source: &Source| source.account.is_some() || !local.contains(&source.id);
        let left = home.declared().filter(|source| is_left(source)).cloned().collect();
        store.reconcile_blocking(left, SystemClock.now())?;
    }
    if !collected.is_empty() {
        change_collected(home, FileChange::Remove(collected), out)?;
    }
    report(&all, "removed", out)
}

/// On a terminal, asks whether to remove the sources of a list too.
fn removes_too(count: usize, out: &Output) -> Result<bool, Failure> {
    if out.json || !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(false);
    }
    let mut question = io::stderr().lock();
    write!(question, "remove the {} of this list too? [y/N] ", counted(count, "source"))?;
    question.flush()?;
    let mut response = String::new();
    io::stdin().lock().read_line(&mut response)?;
    Ok(matches!(response.trim(), "y" | "Y" | "yes"))
}

fn undo_move(
    args: &SourceNames,
    home: &Home,
    catalogue: &Catalogue,
    out: &mut Output,
) -> Result<(), Failure> {
    let found = catalogue.find_all(&args.names)?;
    if let Some(entry) = found.iter().find(|e| e.facts.moved_to.is_none()) {
        let id = &entry.source.id;
        return Err(Failure::Plain(format!("{id} has no permanent redirect to undo")));
    }
    with_engine(home, out, async |handle, _| {
        for entry in &found {
            handle.undo_move(entry.facts.key).await?;
        }
        Ok(())
    })?;
    let ids: Vec<SourceId> = found.iter().map(|e| e.source.id.clone()).collect();
    report(&ids, "redirect undone", out)
}

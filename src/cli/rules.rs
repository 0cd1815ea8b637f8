//! `newsfed rules`: shows, tests, applies and undoes the rules of `config.toml`.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::list::print_items;
use super::mark::report;
use super::number::whole;
use super::output::Output;
use super::runtime::with_engine;
use crate::config::{RuleSettings, did_you_mean};
use crate::engine::{MAX_RUNS, rule_of};
use crate::model::{CommandRecord, Time};
use crate::query::resolve;
use crate::store::{Announcement, Criteria, Hidden, IMPORT_PREFIX, Rule, RuleRecord, Scope, View};
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{self, counted, counted_as};
use crate::util::time_text::minute;
use chrono::Local;
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RulesArgs {
    #[command(subcommand)]
    command: Option<RulesCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum RulesCommand {
    /// Show which stored items a rule matches, without changing anything
    Test {
        /// The name of the rule
        name: String,
        /// Maximum number of items to list; 0 lists all
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = whole(0_usize..))]
        limit: usize,
    },
    /// Apply a rule to the stored items that it matches
    Apply {
        /// The name of the rule
        name: String,
        /// Also notify and run the command, for at most 100 items that are not hidden
        #[arg(long)]
        run: bool,
    },
    /// Undo what a rule did, except for marks that have changed since
    Undo {
        /// The name of the rule, which may have been removed
        name: String,
    },
}

const EXAMPLES: &str = "\
A [[rule]] in config.toml has a query, and sets what happens to new items that
match it: read, pin, later, hide, tag:NAME, notify, or run, which runs a
command for each. Rules apply in the order of the file when items arrive;
stored items stay as they are until `newsfed rules apply`, which neither
notifies nor runs commands without --run. A pinned item is never hidden.

Examples:
  newsfed rules
  newsfed rules test Sport
  newsfed rules apply Sport
  newsfed rules undo Sport
  newsfed list --query is:hidden";

/// JSON output for a rule.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    /// `None` if the rule is no longer in `config.toml`.
    query: Option<&'a str>,
    effects: &'a [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    until: &'a str,
    stop: bool,
    expired: bool,
    /// Why the rule is not applied.
    #[serde(skip_serializing_if = "str::is_empty")]
    problem: &'a str,
    /// Number of stored items that the rule changed.
    items: u32,
    last: Option<Time>,
    /// The command of the rule.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    run: &'a [String],
    /// Number of stored items for which the rule sent a notification.
    notified: u32,
    /// Number of stored items for which the command ran.
    ran: u32,
    /// The outcomes of the command's runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<&'a CommandRecord>,
}

pub(super) fn run(args: &RulesArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    match &args.command {
        None => list(&home, out),
        Some(RulesCommand::Test { name, limit }) => test(&home, name, *limit, out),
        Some(RulesCommand::Apply { name, run }) => apply(&home, name, *run, out),
        Some(RulesCommand::Undo { name }) => undo(&home, name, out),
    }
}

fn list(home: &Home, out: &mut Output) -> Result<Exit, Failure> {
    let mut records = home.store()?.reader()?.rule_records()?;
    // Records of imports are undone by `newsfed import --undo`.
    records.retain(|record| !record.rule.starts_with(IMPORT_PREFIX));
    let now = SystemClock.now().timestamp();
    let rules = &home.settings.rules;
    for rule in rules {
        let record = records.iter().find(|record| record.rule == rule.name);
        let expired = rule_of(rule).and_then(|r| r.until).is_some_and(|until| until <= now);
        print(out, rule, expired, record)?;
    }
    for record in records.iter().filter(|record| rules.iter().all(|r| r.name != record.rule)) {
        let gone = RuleSettings { name: record.rule.clone(), ..RuleSettings::default() };
        print(out, &gone, false, Some(record))?;
    }
    if rules.is_empty() && records.is_empty() {
        out.note("no rules yet; add a [[rule]] to config.toml");
    }
    Ok(Exit::Ok)
}

fn print(
    out: &mut Output,
    rule: &RuleSettings,
    expired: bool,
    record: Option<&RuleRecord>,
) -> Result<(), Failure> {
    let items = record.map_or(0, |record| record.items);
    let query = (!rule.query.is_empty()).then_some(rule.query.as_str());
    if out.json {
        let (name, until) = (rule.name.as_str(), rule.until.as_str());
        let last = record.map(|record| record.last);
        let effects = &rule.effects;
        let (stop, problem) = (rule.stop, rule.problem.as_str());
        let (notified, ran) = record.map_or((0, 0), |record| (record.notified, record.ran));
        let commands = record.and_then(|record| record.commands.as_ref());
        let run = rule.run.as_slice();
        out.value(&Listed {
            name,
            query,
            effects,
            until,
            stop,
            expired,
            problem,
            items,
            last,
            run,
            notified,
            ran,
            commands,
        })?;
        return Ok(());
    }
    let mut line = format!("{}: ", text::line(&rule.name));
    match query {
        Some(query) => {
            line += &format!("{} -> {}", text::line(query), text::line(&rule.describe_effects()));
        }
        None => line += "no longer in config.toml",
    }
    if !rule.until.is_empty() {
        line += if expired { "; expired on " } else { "; until " };
        line += &rule.until;
    }
    if !rule.problem.is_empty() {
        line += &format!("; not applied: {}", text::line(&rule.problem));
    }
    line += &format!("; changed {}", counted(items, "stored item"));
    if let Some(record) = record {
        line += &done_outside(record);
        line += &format!(", last {}", minute(record.last));
    }
    out.line(line)?;
    Ok(())
}

/// Describes the effects that a rule had outside the database.
fn done_outside(record: &RuleRecord) -> String {
    let mut done = String::new();
    if record.notified > 0 {
        done += &format!(", notified you of {}", counted(record.notified as usize, "item"));
    }
    if let Some(commands) = &record.commands {
        let ran = commands.ok.saturating_add(commands.failed);
        done += &format!(", ran {}", counted(ran, "command"));
        if commands.failed > 0 {
            done += &format!(
                " ({} failed, last failure: {}",
                commands.failed,
                text::line(&commands.status)
            );
            let error = commands.error.as_ref().map(|error| format!(": {}", text::line(error)));
            done += &format!("{})", error.unwrap_or_default());
        }
        if commands.skipped > 0 {
            done += &format!(", not run for {}", counted(commands.skipped, "item"));
        }
    }
    done
}

/// Describes the effects that a rule would have outside the database for a number of items; empty if none.
fn would_do(rule: &RuleSettings, items: usize) -> String {
    let mut would = Vec::new();
    if rule.effects.iter().any(|effect| effect == "notify") {
        would.push(format!("would notify you of {}", counted(items, "item")));
    }
    if !rule.run.is_empty() {
        let command = text::line(&rule.run.join(" "));
        would.push(format!("would run {command} for {}", counted(items.min(MAX_RUNS), "item")));
    }
    would.join("; ")
}

/// The name that matches exactly, or else one that differs only in case.
fn same_name<'a>(names: impl Iterator<Item = &'a str> + Clone, typed: &str) -> Option<&'a str> {
    let comparable = text::comparable(typed);
    let exact = names.clone().find(|name| *name == typed);
    exact.or_else(|| names.clone().find(|name| text::comparable(name) == comparable))
}

/// The rule with this name, and the items that it matches.
fn chosen(home: &Home, catalogue: &Catalogue, name: &str) -> Result<(Rule, View), Failure> {
    let known = &home.settings.rules;
    let names = known.iter().map(|rule| rule.name.as_str());
    let exact = same_name(names, name).unwrap_or(name);
    let settings = known.iter().find(|rule| rule.name == exact);
    if let Some(problem) = settings.map(|rule| &rule.problem).filter(|p| !p.is_empty()) {
        let (name, problem) = (text::line(name), text::line(problem));
        return Err(Failure::Plain(format!("the rule \"{name}\" is not applied: {problem}")));
    }
    let rule = settings.and_then(rule_of).ok_or_else(|| {
        let hint = did_you_mean(name, known.iter().map(|rule| rule.name.as_str()));
        let name = text::line(name);
        Failure::Plain(format!("there is no rule \"{name}\"{hint}; `newsfed rules` lists them"))
    })?;
    catalogue.check_names(&rule.query)?;
    let now = SystemClock.now().with_timezone(&Local);
    let criteria = Criteria::new(&rule.query, now, |named| resolve(named, catalogue.known()));
    // The view includes items that the rule has already hidden.
    let criteria = Criteria { hidden: Hidden::ALL, ..criteria };
    Ok((rule, View { criteria, ..View::of(Scope::All) }))
}

fn test(home: &Home, name: &str, limit: usize, out: &mut Output) -> Result<Exit, Failure> {
    let store = home.store()?;
    let catalogue = Catalogue::read(home, &store)?;
    let (rule, view) = chosen(home, &catalogue, name)?;
    super::list::index_all(&store, out)?;
    let (count, shown, would_change) = {
        let reader = store.reader()?;
        let items = reader.keys(&view)?;
        let would_change = reader.would_change(&rule.effects, &items)?;
        (items.len(), reader.shown(&items)?.len(), would_change)
    };
    let mut found = counted_as(count, "stored item matches", "stored items match");
    let changes = would_change.map(|would| would.describe(count)).unwrap_or_default();
    if !changes.is_empty() {
        found += &format!(", {changes}");
    }
    out.note(found);
    let settings = home.settings.rules.iter().find(|settings| settings.name == rule.name);
    let would = settings.map(|settings| would_do(settings, shown)).unwrap_or_default();
    if !would.is_empty() {
        out.note(format!("{would}; for stored items, only with `newsfed rules apply --run`"));
    }
    print_items(&store, &catalogue, &view, limit, out)?;
    Ok(Exit::Ok)
}

fn apply(home: &Home, name: &str, run: bool, out: &mut Output) -> Result<Exit, Failure> {
    let store = home.store()?;
    let catalogue = Catalogue::read(home, &store)?;
    let (rule, view) = chosen(home, &catalogue, name)?;
    super::list::index_all(&store, out)?;
    let items = if run { store.reader()?.keys(&view)? } else { Vec::new() };
    let announced = rule.clone();
    let changed = store.apply_rule_blocking(rule, view, SystemClock.now())?;
    // Excludes hidden items, including those that this rule has just hidden.
    let items = store.reader()?.shown(&items)?;
    let Some(announcement) = Announcement::of(&announced, items) else {
        return report(changed, "changed", out);
    };
    let done = with_engine(home, out, async |handle, _| Ok(handle.announce(announcement).await?))?;
    let exit = report(changed, "changed", out)?;
    let ran = done.ok + done.failed;
    if ran + done.left_out == 0 {
        return Ok(exit);
    }
    let mut note = format!("{} run, {} failed", counted(ran, "command"), done.failed);
    if done.left_out > 0 {
        note += &format!(", not run for {}", counted(done.left_out, "item"));
    }
    out.note(note);
    Ok(if done.failed > 0 { Exit::Partial } else { exit })
}

fn undo(home: &Home, name: &str, out: &mut Output) -> Result<Exit, Failure> {
    let store = home.store()?;
    let records = store.reader()?.rule_records()?;
    let known = records.iter().map(|record| record.rule.as_str());
    let Some(rule) = same_name(known.clone(), name) else {
        let hint = did_you_mean(name, known);
        let name = text::line(name);
        return Err(Failure::Plain(format!("no rule \"{name}\" has changed a stored item{hint}")));
    };
    let changed = store.undo_rule_blocking(rule.to_owned())?;
    report(changed, "restored", out)
}

//! `newsfed schedule simulate`: how a policy would have polled.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::config::ScheduleSettings;
use crate::engine::{Histories, LimitedReplay, Recorded, histories, without_limits};
use crate::model::PolicyKind;
use crate::schedule::price_for;
use crate::schedule::simulate::{
    BUDGETS, Figures, Phase, RateChange, Replay, Simulated, Synthetic, Timeline, at_budget,
    changed, read,
};
use crate::util::clock::{Clock, SystemClock};
use crate::util::file_error::cannot_read;
use crate::util::text::counted;
use crate::util::time_text;

use clap::{Args, ValueEnum};
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Number of synthetic sources.
const MADE_UP: usize = 30;
/// Seed of the synthetic sources.
const SEED: u64 = 5;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SimulateArgs {
    /// Timelines, one JSON object per line; may be gzipped
    #[arg(conflicts_with = "from_db", required_unless_present_any = ["from_db", "synthetic"])]
    file: Option<PathBuf>,
    /// Replay the history of your own sources instead
    #[arg(long)]
    from_db: bool,
    /// The policy of all sources [default: the configured policy]
    #[arg(long, value_name = "POLICY")]
    policy: Option<Kind>,
    /// Apply the limits of servers, feeds and settings [default: on with --from-db]
    #[arg(long, alias = "rules", value_name = "on|off", conflicts_with = "synthetic")]
    limits: Option<Switch>,
    /// Fit the policy to this number of polls per source per day
    #[arg(long, value_name = "POLLS", value_parser = budget)]
    budget: Option<f64>,
    /// Hide the publication dates from the policy
    #[arg(long)]
    no_dates: bool,
    /// Count only the first day of a source, or the time after its second week
    #[arg(long, value_name = "PART")]
    phase: Option<Part>,
    /// Multiply the first price of a poll, which fits the budget, by this factor
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    price_start: Option<f64>,
    /// Correct the price of a poll daily, and print the polls of each week
    #[arg(long)]
    weekly: bool,
    /// Use synthetic sources whose rate jumps, or that fall silent
    #[arg(
        long,
        value_name = "CHANGE",
        conflicts_with_all = ["phase", "price_start", "weekly", "no_dates"]
    )]
    synthetic: Option<Made>,
}

const EXAMPLES: &str = "\
Delays are in minutes, from the publication of an item to the first poll after
it. With --limits on, a replay applies the limits of real polls (minimum and
maximum intervals, quiet hours, Cache-Control, ttl, missing validators,
skipHours) and corrects the price of a poll daily. With --synthetic and a file,
the policy is fitted to the budget with the timelines of the file.

A timeline has start, end, t (publication times in seconds since the epoch) and
h (those of the entries in the feed at the first poll). --from-db uses the
policy of each source. With --price-start, the price is corrected daily towards
the budget. Synthetic sources jump from 2 items a day to 20, or publish 20 a
day and then fall silent.

Examples:
  newsfed schedule simulate --from-db
  newsfed schedule simulate --from-db --policy fixed --budget 24
  newsfed schedule simulate --budget 12 --weekly timelines.jsonl.gz";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Fixed,
    ChangeRate,
    Advarss,
    Learned,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Part {
    Day1,
    Warm,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Made {
    Jump,
    Silence,
}

fn within(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

fn budget(text: &str) -> Result<f64, String> {
    within(text, *BUDGETS.start(), *BUDGETS.end())
}

fn factor(text: &str) -> Result<f64, String> {
    within(text, 0.01, 100.0)
}

#[derive(Debug, Serialize)]
struct Shape {
    policy: String,
    budget: Option<f64>,
    #[serde(flatten)]
    figures: Option<Figures>,
    /// Polls per source per day, for each week.
    #[serde(skip_serializing_if = "Option::is_none")]
    weekly: Option<Vec<f64>>,
    #[serde(flatten)]
    synthetic: Option<Synthetic>,
}

pub(super) fn run(args: &SimulateArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let settings = &home.settings.schedule;
    let timelines = args.file.as_deref().map(from_file).transpose()?;
    let policy = args.policy.map_or(settings.policy, Kind::policy);
    let shape = match (timelines, args.limits) {
        (Some(timelines), None | Some(Switch::Off)) => {
            bare(args, policy, Some(timelines), settings)?
        }
        (Some(timelines), Some(Switch::On)) => {
            with_limits(args, policy, Recorded::unknown(timelines), settings)?
        }
        (None, _) if !args.from_db => bare(args, policy, None, settings)?,
        (None, limits) => {
            let recorded = from_database(&home)?;
            if limits == Some(Switch::Off) {
                let timelines = recorded.into_iter().map(|source| source.timeline).collect();
                bare(args, policy, Some(timelines), settings)?
            } else {
                with_limits(args, policy, recorded, settings)?
            }
        }
    };
    if out.json {
        out.value(&shape)?;
    } else {
        for line in describe(&shape) {
            out.line(line)?;
        }
    }
    Ok(Exit::Ok)
}

impl Shape {
    fn of(policy: PolicyKind, budget: Option<f64>) -> Self {
        let policy = policy.name().to_owned();
        Self { policy, budget, figures: None, weekly: None, synthetic: None }
    }
}

/// Replays the past with the limits of servers, feeds and settings, as the engine would have polled.
fn with_limits(
    args: &SimulateArgs,
    policy: PolicyKind,
    recorded: Vec<Recorded>,
    settings: &ScheduleSettings,
) -> Result<Shape, Failure> {
    let all = args.policy.is_some() || args.budget.is_some();
    let mut replay = LimitedReplay::new(recorded, settings.clone(), SEED);
    if all {
        replay.poll_all_by(policy);
    }
    replay.dates = !args.no_dates;
    let corrected = args.price_start.is_some() || args.weekly;
    if corrected && policy != PolicyKind::Learned {
        return Err(not_learned());
    }
    let runs = match args.budget.filter(|_| !corrected) {
        Some(budget) => replay.at_budget(policy, budget),
        None => {
            replay.settings.polls_per_day = args.budget.unwrap_or(settings.polls_per_day);
            replay.corrected(args.price_start.unwrap_or(1.0))
        }
    };
    Ok(Shape {
        figures: Some(replay.figures(&runs, phase(args.phase))),
        weekly: args.weekly.then(|| replay.weeks(&runs)),
        ..Shape::of(policy, args.budget)
    })
}

fn not_learned() -> Failure {
    Failure::Usage("--price-start and --weekly need --policy learned".to_owned())
}

/// Replays the past with the policy only, without limits.
fn bare(
    args: &SimulateArgs,
    kind: PolicyKind,
    timelines: Option<Vec<Timeline>>,
    settings: &ScheduleSettings,
) -> Result<Shape, Failure> {
    let mut replay = timelines.map(Replay::new);
    if let Some(replay) = &mut replay {
        replay.dates = !args.no_dates;
    }
    let replay = replay.as_ref();
    let mut shape = Shape::of(kind, args.budget);
    let mut policy = without_limits(kind, settings);
    let fitted = replay.zip(args.budget).map(|(replay, b)| at_budget(replay, &policy, b));
    if let Some((with, _)) = &fitted {
        policy = *with;
    }
    if let Some(made) = args.synthetic {
        match (&mut policy, replay, args.budget) {
            (Simulated::Learned(p), None, Some(budget)) => p.price = price_for(budget),
            (_, None, Some(_)) => {
                let why = "--budget with --synthetic needs a file of timelines, except with --policy \
                           learned";
                return Err(Failure::Usage(why.to_owned()));
            }
            _ => {}
        }
        let change = match made {
            Made::Jump => RateChange::Jump,
            Made::Silence => RateChange::Silence,
        };
        shape.synthetic = Some(changed(change, &policy, MADE_UP, SEED));
        return Ok(shape);
    }
    let Some(replay) = replay else { return Ok(shape) };
    if args.price_start.is_some() || args.weekly {
        let Simulated::Learned(mut parameters) = policy else { return Err(not_learned()) };
        let budget = args.budget.unwrap_or(settings.polls_per_day);
        parameters.price *= args.price_start.unwrap_or(1.0);
        let controlled = replay.controlled(parameters, budget, phase(args.phase));
        shape.figures = Some(controlled.figures);
        shape.weekly = Some(controlled.weekly);
        return Ok(shape);
    }
    shape.figures = Some(match (args.phase, fitted) {
        (None, Some((_, figures))) => figures,
        (part, _) => replay.run(&policy, phase(part)),
    });
    Ok(shape)
}

impl Kind {
    fn policy(self) -> PolicyKind {
        match self {
            Self::Fixed => PolicyKind::Fixed,
            Self::ChangeRate => PolicyKind::ChangeRate,
            Self::Advarss => PolicyKind::Advarss,
            Self::Learned => PolicyKind::Learned,
        }
    }
}

fn phase(part: Option<Part>) -> Phase {
    match part {
        None => Phase::All,
        Some(Part::Day1) => Phase::Day1,
        Some(Part::Warm) => Phase::Warm,
    }
}

fn from_file(path: &Path) -> Result<Vec<Timeline>, Failure> {
    let name = path.display();
    let file = File::open(path).map_err(|e| Failure::Plain(cannot_read(path, &e)))?;
    read(file).map_err(|e| Failure::Plain(format!("{name}: {e}")))
}

/// Minimum number of items in a history.
const MIN_ITEMS: usize = 2;

/// The recorded history of the user's sources.
fn from_database(home: &Home) -> Result<Vec<Recorded>, Failure> {
    let store = home.store_to_read()?;
    let catalogue = Catalogue::read(home, &store)?;
    let reader = store.reader()?;
    let full = Catalogue::full(&catalogue.entries, &reader)?;
    let sources = full.iter().map(|entry| (&*entry.source, &entry.facts));
    let all = histories(&reader, sources, SystemClock.now())?;
    let Histories { recorded, sources, longest, items } = all;
    if sources == 0 {
        let why = "no source has published anything yet; run `newsfed sync`";
        return Err(Failure::Plain(why.to_owned()));
    }
    if recorded.is_empty() || items < MIN_ITEMS {
        return Err(Failure::Plain(too_little(longest, items)));
    }
    Ok(recorded)
}

fn too_little(seconds: i64, items: usize) -> String {
    let span = match seconds {
        ..60 => "less than a minute".to_owned(),
        seconds => time_text::span(seconds),
    };
    let items = counted(items, "item");
    format!(
        "too little history to replay: the sources have been followed for {span} and have \
         published {items} in that time; at least a day and {MIN_ITEMS} items are needed"
    )
}

fn describe(shape: &Shape) -> Vec<String> {
    let mut lines = vec![match shape.budget {
        Some(budget) => format!("{} at {budget} polls per source per day", shape.policy),
        None => shape.policy.clone(),
    }];
    let mut line = |name: &str, value: String| lines.push(format!("  {name:<28} {value}"));
    if let Some(f) = &shape.figures {
        let minutes = |m: f64| format!("{m:.1} min");
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        line("sources", f.sources.to_string());
        line("items", f.items.to_string());
        line("polls per source per day", format!("{:.2}", f.polls_per_source_day));
        line("mean delay", minutes(f.mean_delay_min));
        line("median delay", minutes(f.median_delay_min));
        line("90th percentile delay", minutes(f.p90_delay_min));
        line("mean of the sources' means", minutes(f.per_source_mean_min));
        line("found within 30 min", percent(f.within_30_min));
        line("missed", percent(f.missed));
        line("polls that found nothing", percent(f.wasted));
    }
    if let Some(weekly) = &shape.weekly {
        let weeks: Vec<String> = weekly.iter().map(|w| format!("{w:.1}")).collect();
        line("polls, week by week", weeks.join(" "));
    }
    if let Some(s) = &shape.synthetic {
        let polls = [
            ("before", s.polls_before),
            ("day 0", s.polls_day_0),
            ("day 1", s.polls_day_1),
            ("day 4", s.polls_day_4),
            ("day 14", s.polls_day_14),
            ("day 40", s.polls_day_40),
        ];
        polls.iter().for_each(|(when, n)| line(&format!("polls a day, {when}"), format!("{n:.1}")));
        let delays = [
            ("before", s.delay_before_min),
            ("day 0", s.delay_day_0_min),
            ("day 1", s.delay_day_1_min),
            ("days 4 to 7", s.delay_days_4_to_7_min),
            ("end", s.delay_end_min),
        ];
        delays
            .iter()
            .for_each(|(when, m)| line(&format!("mean delay, {when}"), format!("{m:.1} min")));
    }
    lines
}

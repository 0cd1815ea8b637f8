//! `newsfed schedule why`: the schedule of sources, explained.

use super::args::Global;
use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::home::Home;
use super::output::Output;
use super::when;
use crate::engine::{self, LookTold, Why};
use crate::model::{Moved, Outcome, Time};
use crate::schedule::{Gaps, Pulse};
use crate::util::clock::{Clock, SystemClock};
use chrono::{Local, Offset, TimeDelta};
use clap::Args;
use serde::Serialize;

/// Arguments of `schedule why`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct WhyArgs {
    /// The sources
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<String>,
}

const EXAMPLES: &str = "\
Example:
  newsfed schedule why kernel";

/// What `--json` prints.
#[derive(Serialize)]
struct Shape<'a> {
    source: &'a str,
    #[serde(flatten)]
    why: Why,
}

pub(super) fn run(args: &WhyArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global, out)?;
    let store = home.store()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let reader = store.reader()?;
    let now = SystemClock.now();
    for (n, entry) in catalogue.find_all(&args.sources)?.into_iter().enumerate() {
        let (source, facts) = (&entry.source, &entry.facts);
        let why = engine::why(&reader, source, facts, &home.settings.schedule, now)?;
        if out.json {
            out.value(&Shape { source: source.id.as_str(), why })?;
            continue;
        }
        if n > 0 {
            out.line("")?;
        }
        out.line(entry.title())?;
        for line in lines(&why, source.enabled, home.settings.ui.ascii, now) {
            out.line(line)?;
        }
    }
    Ok(Exit::Ok)
}

fn lines(why: &Why, enabled: bool, ascii: bool, now: Time) -> Vec<String> {
    let known = &why.explanation;
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(format!("{name:<10} {value}"));
    line("policy", known.policy.name().to_owned());
    line("rate", rate(why));
    if let Some(gaps) = known.gaps {
        line("gaps", gap_words(&gaps));
    }
    match known.pulse {
        Pulse::Silent => line("state", "silent for longer than is normal for it".to_owned()),
        Pulse::Dead => line("state", "silent for so long that it seems given up".to_owned()),
        Pulse::Normal | Pulse::Unknown => {}
    }
    line("next", next(why, enabled, now));
    if let Some(planned) = &why.planned {
        line(
            "wanted",
            format!("{}{}", when::clock(planned.wanted, now), moves(&planned.moved_by, now)),
        );
    }
    if let Some(hold) = &why.hold {
        line("held", when::hold(hold, now));
    }
    if let [_, later @ ..] = known.coming.as_slice() {
        let later: Vec<String> = later.iter().map(|at| when::clock(*at, now)).collect();
        if !later.is_empty() {
            line("then", later.join(", "));
        }
    }
    line("this week", spent(why));
    line("week", "hours of the day, in your zone; darker is more".to_owned());
    let east = i64::from(now.with_timezone(&Local).offset().fix().local_minus_utc());
    let east = east.div_euclid(3600);
    lines.extend(strip(&known.week, east, ascii));
    lines.extend(why.looks.iter().map(look));
    lines
}

fn rate(why: &Why) -> String {
    let known = &why.explanation;
    let day = |rate: f64| if rate < 1.0 { format!("{rate:.2}") } else { format!("{rate:.1}") };
    format!(
        "{} items a day, {} right now (learned from {})",
        day(known.items_per_day),
        day(known.items_per_day_now),
        known.observed
    )
}

fn gap_words(gaps: &Gaps) -> String {
    let span = |seconds: i64| match TimeDelta::try_seconds(seconds) {
        Some(delta) if seconds >= 60 => when::span(delta),
        _ => format!("{seconds}s"),
    };
    format!(
        "half of them {} to {}, median {}; all {} to {}",
        span(gaps.lower),
        span(gaps.upper),
        span(gaps.median),
        span(gaps.least),
        span(gaps.most)
    )
}

fn next(why: &Why, enabled: bool, now: Time) -> String {
    match why.next_poll {
        _ if !enabled => "never: it is switched off".to_owned(),
        _ if why.explanation.coming.is_empty() => "never by itself".to_owned(),
        Some(at) if at > now => format!("{}, in {}", when::clock(at, now), when::span(at - now)),
        Some(at) if why.overdue => {
            format!("due since {}; `newsfed daemon` or the panes look", when::clock(at, now))
        }
        _ => "now".to_owned(),
    }
}

fn moves(moved: &[Moved], now: Time) -> String {
    let told = moved
        .iter()
        .map(|m| format!("; moved to {} by {}", when::clock(m.to, now), m.reason.describe()));
    told.collect()
}

fn spent(why: &Why) -> String {
    let saved = match why.requests_saved {
        0 => String::new(),
        n if n > 0 => format!(" ({n} fewer than at the fixed interval)"),
        n => format!(" ({} more than at the fixed interval)", -n),
    };
    let bytes = |n: u64| match n {
        0..10_000 => format!("{n} B"),
        10_000..10_000_000 => format!("{} kB", n / 1000),
        _ => format!("{} MB", n / 1_000_000),
    };
    let (cost, kept) = (bytes(why.spent.bytes), bytes(why.spent.bytes_saved));
    let requests = match why.spent.requests {
        1 => "1 request".to_owned(),
        n => format!("{n} requests"),
    };
    format!("{requests}{saved}, {cost} received, {kept} saved")
}

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// One line a day, one sign an hour; `east` hours of the week are moved to the person's zone.
fn strip(week: &[f64], east: i64, ascii: bool) -> Vec<String> {
    let shades = if ascii { [' ', '.', ':', '*', '#'] } else { [' ', '░', '▒', '▓', '█'] };
    let shade = |hour: i64| {
        // Of 168 hours, within.
        let at = (hour - east).rem_euclid(168) as usize;
        let level = week.get(at).copied().unwrap_or(0.0);
        let place = [0.3, 0.8, 1.3, 2.2].iter().filter(|from| level >= **from).count();
        shades[place]
    };
    let day = |(n, name): (i64, &str)| {
        let hours: String = (0..24).map(|h| shade(n * 24 + h)).collect();
        format!("{name:>10} {}", hours.trim_end())
    };
    (0..).zip(DAYS).map(day).collect()
}

fn look(look: &LookTold) -> String {
    let status = look.status.map_or_else(|| "  -".to_owned(), |s| s.to_string());
    let what = match &look.outcome {
        Outcome::Unchanged => "unchanged".to_owned(),
        Outcome::Fetched { new, updated, .. } => format!("{new} new, {updated} updated"),
        Outcome::Failed { message, .. } => message.clone(),
    };
    let delay = look.delay_min.map_or_else(String::new, |m| format!(", out for {m:.0} min"));
    format!("{}  {status}  {what}{delay}", when::minute(look.at))
}

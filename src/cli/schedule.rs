//! `newsfed schedule`: explains schedules, gives advice, and simulates other policies.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::output::Output;
use super::{advise, simulate, why};
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ScheduleArgs {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  newsfed schedule why kernel
  newsfed schedule advise
  newsfed schedule simulate --policy learned --budget 12 --from-db
  newsfed schedule simulate --policy fixed timelines.jsonl.gz --json";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Explain when a source is polled
    Why(why::WhyArgs),
    /// List sources whose items are found too late, and settings that would help
    Advise(advise::AdviseArgs),
    /// Replay the past with a policy, and print the number of polls and the delays
    Simulate(simulate::SimulateArgs),
}

pub(super) fn run(command: &Command, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Why(args) => why::run(args, global, out),
        Command::Advise(args) => advise::run(args, global, out),
        Command::Simulate(args) => simulate::run(args, global, out),
    }
}

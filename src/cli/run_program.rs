//! `newsfed run`: runs the programs of `[[command]]` for items.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::items;
use super::log;
use super::output::Output;
use super::runtime::{runtime_beside, stop_signal};
use crate::config::{CommandOutput, CommandSettings, did_you_mean};
use crate::engine::{CommandRun, Handle};
use crate::util::text::{block, counted, line};
use serde::Serialize;
use std::process::Command;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RunArgs {
    /// The name of a [[command]]; without it, all are listed
    name: Option<String>,
    /// The items
    #[arg(value_name = "ID", requires = "name")]
    ids: Vec<String>,
}

const EXAMPLES: &str = "\
Runs a program from config.toml on items, one after the other, without a shell,
and prints its output. Without a name, lists the programs. Exits with 3 if it
succeeded for some items and failed for others.

Examples:
  newsfed run
  newsfed run linkding 1234 1235
  newsfed run linkding $(newsfed list --query in:later --json | jq .number)";

/// A program as JSON.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    run: &'a [String],
    input: &'a str,
    output: &'a str,
}

/// The result of running a program, as JSON.
#[derive(Serialize)]
struct Done<'a> {
    name: &'a str,
    done: usize,
    failed: usize,
    left_out: usize,
    error: Option<String>,
    output: String,
}

pub(super) fn run(args: &RunArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let commands = &home.settings.commands;
    let Some(name) = &args.name else { return list(&home, out) };
    let exact = commands.iter().find(|command| command.name == *name);
    let same = || commands.iter().find(|c| c.name.to_lowercase() == name.to_lowercase());
    let command = exact.or_else(same).ok_or_else(|| {
        home.show_warnings(out);
        let hint = did_you_mean(name, commands.iter().map(|command| command.name.as_str()));
        let (valid, name) = (valid(&home), line(name));
        Failure::Plain(format!("there is no {valid}[[command]] \"{name}\" in config.toml{hint}"))
    })?;
    if args.ids.is_empty() {
        return Err(Failure::Plain(
            "no items given; `newsfed list` shows their numbers".to_owned(),
        ));
    }
    log::start(&home, out.verbose, false);
    let store = home.store()?;
    let items = items::keys(&store.reader()?, &args.ids)?;
    runtime_beside()?.block_on(async {
        let stop = stop_signal(command.output != CommandOutput::Terminal);
        let handle = home.engine(store, false).start().await?;
        let result = tokio::select! {
            result = run_for(&handle, command, &items) => result.map(Some),
            () = stop => Ok(None),
        };
        handle.shutdown().await;
        match result? {
            Some(run) => report(command, run, out),
            None => Ok(Exit::Interrupted),
        }
    })
}

/// The word `valid` in messages about missing commands, because invalid ones are left out with a warning.
fn valid(home: &Home) -> &'static str {
    if home.warnings.is_empty() { "" } else { "valid " }
}

fn list(home: &Home, out: &mut Output) -> Result<Exit, Failure> {
    let commands = &home.settings.commands;
    home.show_warnings(out);
    for command in commands {
        if out.json {
            out.value(&Listed {
                name: &command.name,
                run: &command.run,
                input: command.input.name(),
                output: command.output.name(),
            })?;
        } else {
            out.line(format!("{}: {}", line(&command.name), line(&command.run.join(" "))))?;
        }
    }
    if commands.is_empty() && !out.json {
        out.note(format!("no {}[[command]] in config.toml", valid(home)));
    }
    Ok(Exit::Ok)
}

async fn run_for(
    handle: &Handle,
    command: &CommandSettings,
    items: &[i64],
) -> Result<CommandRun, Failure> {
    if command.output != CommandOutput::Terminal {
        return Ok(handle.run_command(command, items).await?);
    }
    let mut run = CommandRun::default();
    for item in items {
        let argv = handle.command_arguments(command, *item).await?.unwrap_or_default();
        let Some((program, arguments)) = argv.split_first() else { continue };
        let (program, arguments) = (program.clone(), arguments.to_vec());
        let work = move || Command::new(program).args(arguments).status();
        let status = tokio::task::spawn_blocking(work).await;
        match status.map_err(|e| e.to_string()).and_then(|status| status.map_err(|e| e.to_string()))
        {
            Ok(status) if status.success() => run.done += 1,
            Ok(status) => {
                (run.failed, run.error) = (run.failed + 1, Some(status.to_string()));
                // If a signal such as that of Ctrl-C ended the program, the remaining items are skipped.
                if status.code().is_none() {
                    run.left_out = items.len() - run.done - run.failed;
                    break;
                }
            }
            Err(why) => {
                let why = format!("{} cannot be started: {why}", line(&command.run[0]));
                (run.failed, run.error) = (run.failed + 1, Some(why));
            }
        }
    }
    Ok(run)
}

fn report(command: &CommandSettings, run: CommandRun, out: &mut Output) -> Result<Exit, Failure> {
    let output = block(&String::from_utf8_lossy(&run.output));
    let (done, failed, left_out) = (run.done, run.failed, run.left_out);
    if out.json {
        out.value(&Done { name: &command.name, done, failed, left_out, error: run.error, output })?;
    } else {
        if !output.is_empty() {
            out.line(output)?;
        }
        if let Some(error) = run.error {
            let failed = counted(failed, "item");
            out.warn(format!(
                "newsfed: {} failed for {failed}: {}",
                line(&command.name),
                line(&error)
            ));
        }
    }
    if left_out > 0 && !out.json {
        out.warn(format!("newsfed: not run for {}", counted(left_out, "item")));
    }
    Ok(match (done, failed + left_out) {
        (_, 0) => Exit::Ok,
        (0, _) => Exit::Failed,
        _ => Exit::Partial,
    })
}

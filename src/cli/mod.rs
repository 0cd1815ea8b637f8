//! The command line: arguments, and one file per command.
//!
//! Data goes to standard output, everything else to standard error. `docs/json.md` documents the
//! output of `--json`.

mod account;
mod account_add;
mod account_move;
mod add;
mod add_origin;
mod advise;
mod args;
mod backup;
mod catalogue;
mod completions;
mod config;
mod crawl;
mod crawl_site;
mod daemon;
mod demo;
mod discover;
mod discover_batch;
mod doctor;
mod doctor_accounts;
mod doctor_checks;
mod download;
mod exit;
mod export;
mod extract;
mod extract_batch;
mod global;
mod home;
mod import;
mod import_follow;
mod import_items;
mod item_options;
mod items;
mod list;
mod log;
mod machines;
mod man;
mod mark;
mod number;
mod open;
mod output;
mod parse;
mod prefetch;
mod progress;
mod prune;
mod queue;
mod refresh_summary;
mod reread;
mod rules;
mod run_program;
mod runtime;
mod save;
mod schedule;
mod serve;
mod show;
mod show_text;
mod simulate;
mod source_edit;
mod source_show;
mod sources;
mod stats;
mod sync;
mod table;
mod tui;
mod versions;
mod view_feed;
mod view_server;
mod views;
mod why;

use crate::util::allocator::Allocator;
use args::{Cli, Command};
use clap::Parser;
use exit::{Exit, Failure};
use output::{Output, without_controls};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

pub use args::command;

/// Runs the command line, program name first, and returns the exit code: 0 success, 1 failure, 2 usage error,
/// 3 partial success, 4 invalid configuration, 130 interrupted. Only commands that poll use the `allocator`,
/// because the others end soon and are faster without it.
pub fn main(args: impl IntoIterator<Item = OsString>, allocator: Allocator) -> ExitCode {
    crate::util::allocator::set(allocator);
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) => {
            print_usage(&e);
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    let mut out = Output::new(&cli.global);
    let result = run(cli, &mut out).and_then(|exit| out.finish().map(|()| exit));
    result.unwrap_or_else(|failure| out.fail(&failure)).into()
}

/// Prints help, or an error in the arguments with the same prefix as all other errors. The message is
/// sanitised, because it may repeat an argument that the user copied from an untrusted place.
fn print_usage(error: &clap::Error) {
    // The reader of the output may have closed the pipe.
    let _ = if error.use_stderr() {
        let message = error.render().to_string();
        let message = match message.strip_prefix("error: ") {
            Some(rest) => format!("newsfed: {rest}"),
            None => message,
        };
        io::stderr().write_all(without_controls(&message, false).as_bytes())
    } else {
        error.print()
    };
}

fn run(cli: Cli, out: &mut Output) -> Result<Exit, Failure> {
    let global = &cli.global;
    if let Ok(paths) = global.paths() {
        crate::util::crash::install(paths.data_dir());
    }
    match cli.command {
        None => tui::run(global, out),
        Some(Command::Demo) => demo::run(global, out),
        Some(Command::Add(args)) => add::run(&args, global, out),
        Some(Command::Discover(args)) => discover::run(&args, global, out),
        Some(Command::Sources(args)) => sources::run(args.command, global, out),
        Some(Command::Sync(args)) => sync::run(&args, global, out),
        Some(Command::Account(args)) => account::run(&args, global, out),
        Some(Command::Daemon) => daemon::run(global, out),
        Some(Command::Serve(args)) => serve::run(&args, global, out),
        Some(Command::List(args)) => list::run(&args, global, out),
        Some(Command::Search(args)) => list::search(&args, global, out),
        Some(Command::Show(args)) => show::run(&args, global, out),
        Some(Command::Read(args)) => mark::read(&args, global, out),
        Some(Command::Unread(args)) => mark::unread(&args, global, out),
        Some(Command::Pin(args)) => mark::pin(&args, true, global, out),
        Some(Command::Unpin(args)) => mark::pin(&args, false, global, out),
        Some(Command::Tag(args)) => mark::tag(&args, true, global, out),
        Some(Command::Untag(args)) => mark::tag(&args, false, global, out),
        Some(Command::Later(args)) => mark::later(&args, global, out),
        Some(Command::Snooze(args)) => mark::snooze(&args, global, out),
        Some(Command::Rules(args)) => rules::run(&args, global, out),
        Some(Command::Open(args)) => open::run(&args, global, out),
        Some(Command::Run(args)) => run_program::run(&args, global, out),
        Some(Command::Queue(args)) => queue::run(&args, global, out),
        Some(Command::Save(args)) => save::run(&args, global, out),
        Some(Command::Download(args)) => download::run(&args, global, out),
        Some(Command::Import(args)) => import::run(&args, global, out),
        Some(Command::Export(args)) => export::run(&args, global, out),
        Some(Command::Backup(args)) => backup::backup(&args, global, out),
        Some(Command::Restore(args)) => backup::restore(&args, global, out),
        Some(Command::Crawl(args)) => crawl::run(&args, global, out),
        Some(Command::Extract(args)) => extract::run(&args, global, out),
        Some(Command::Parse(args)) => Ok(parse::run(&args, global)),
        Some(Command::Doctor(args)) => doctor::run(&args, global, out),
        Some(Command::Config(args)) => config::run(args.command, global, out),
        Some(Command::Stats(args)) => stats::run(&args, global, out),
        Some(Command::Machines(args)) => machines::run(&args, global, out),
        Some(Command::Views(args)) => views::run(&args, global, out),
        Some(Command::Schedule(args)) => schedule::run(&args.command, global, out),
        Some(Command::Prefetch(args)) => prefetch::run(&args, global, out),
        Some(Command::Reread(args)) => reread::run(&args, global, out),
        Some(Command::Prune(args)) => prune::run(&args, global, out),
        Some(Command::Completions(args)) => completions::run(&args, command(), global, out),
        Some(Command::Man(args)) => man::run(&args, command(), out),
    }
}

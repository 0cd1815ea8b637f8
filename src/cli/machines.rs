//! `newsfed machines`: the files through which machines exchange marks.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::output::Output;
use crate::engine::{MachineFile, machine_files};
use crate::model::Time;
use crate::util::clock::{Clock, SystemClock};
use crate::util::file_error::cannot_read;
use crate::util::text::{counted, line};
use crate::util::time_text::near_minute;
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(after_help = ABOUT)]
pub(super) struct MachinesArgs {}

const ABOUT: &str = "\
With machines.folder in config.toml, machines exchange marks (read, pinned,
kept for later, tags) through a folder that a program such as Syncthing,
Dropbox or git synchronises. The interface, the daemon and `newsfed sync` read
and write this folder.

Exits with 3 if a file cannot be read completely.

Examples:
  newsfed machines
  newsfed machines --json | jq '.name, .marks'";

/// A file as JSON.
#[derive(Serialize)]
struct Listed<'a> {
    name: Option<&'a str>,
    path: String,
    this: bool,
    changed: Option<Time>,
    marks: usize,
    damaged: usize,
    problem: Option<&'a str>,
}

pub(super) fn run(_: &MachinesArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let Some(folder) = home.settings.machines.folder() else {
        let hint = "machines.folder is not set; set it in config.toml to a folder that your machines share";
        return Err(Failure::Plain(hint.to_owned()));
    };
    let store = home.store_to_read()?;
    let reader = store.reader()?;
    let machine = reader.machine()?;
    let failed = |e| Failure::Plain(cannot_read(&folder, &e));
    let files = match machine {
        // The folder is created together with the first file.
        None if !folder.exists() => Vec::new(),
        _ => machine_files(&folder).map_err(failed)?,
    };
    let mut exit = Exit::Ok;
    for file in &files {
        let stem = file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let this =
            machine.as_ref().zip(stem).is_some_and(|(machine, stem)| stem.ends_with(machine));
        if file.problem.is_some() || file.damaged > 0 {
            exit = Exit::Partial;
        }
        print(file, this, out)?;
    }
    if files.is_empty() && !out.json {
        out.note(format!("no marks in {} yet", folder.display()));
    }
    let waiting = reader.count_marks_to_write()?;
    if waiting > 0 && !out.json {
        let what = counted(waiting, "mark");
        out.note(format!("not written yet: {what} of this machine; `newsfed sync` writes them"));
    }
    Ok(exit)
}

fn print(file: &MachineFile, this: bool, out: &mut Output) -> Result<(), Failure> {
    let path = file.path.display().to_string();
    let MachineFile { name, changed, marks, damaged, problem, .. } = file;
    let (name, problem) = (name.as_deref(), problem.as_deref());
    if out.json {
        let (changed, marks, damaged) = (*changed, *marks, *damaged);
        return out.value(&Listed { name, path, this, changed, marks, damaged, problem });
    }
    let mut text = name.unwrap_or("unknown").to_owned();
    if this {
        text += " (this one)";
    }
    text += &format!(": {}", counted(*marks, "mark"));
    if let Some(changed) = changed {
        text += &format!(", changed {}", near_minute(*changed, SystemClock.now()));
    }
    if *damaged > 0 {
        text += &format!(", {} cannot be read", counted(*damaged, "line"));
    }
    if let Some(problem) = problem {
        text += &format!(", not read: {problem}");
    }
    out.line(format!("{text}\n  {}", line(&path)))
}

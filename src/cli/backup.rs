//! `newsfed backup` and `newsfed restore`: write all of the user's data to one file, and restore them.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::output::Output;
use super::progress::Progress;
use crate::backup::{self, BackupError, Manifest};
use crate::config;
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{counted, size};
use crate::util::time_text::minute;
use chrono::SubsecRound;
use serde::Serialize;
use std::cell::Cell;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_help = BACKUP)]
pub(super) struct BackupArgs {
    /// The file to create, or a folder for a file named after the date
    file: PathBuf,
    /// Overwrite the file if it exists
    #[arg(long)]
    replace: bool,
}

const BACKUP: &str = "\
The file contains the settings, the sources, all items with their marks, and
what crawls have learned. It includes the passwords of sources.toml and
config.toml, so only you can read it. It is a gzip-compressed tar archive.
Other newsfed processes may keep running.

Examples:
  newsfed backup ~/newsfed.tar.gz
  newsfed backup ~/backups/";

#[derive(Debug, clap::Args)]
#[command(after_help = RESTORE)]
pub(super) struct RestoreArgs {
    /// The file that `newsfed backup` wrote
    file: PathBuf,
    /// Move existing files to a dated folder first
    #[arg(long)]
    replace: bool,
    /// Check the file and print what is in it, without restoring it
    #[arg(long, conflicts_with = "replace")]
    check: bool,
}

const RESTORE: &str = "\
The whole file is checked before anything changes. A backup made by an older
version of newsfed is converted. Settings and sources can name programs that
newsfed runs, such as a browser: restore only backups that you trust.

Examples:
  newsfed restore --check newsfed.tar.gz
  newsfed restore newsfed.tar.gz
  newsfed restore --replace newsfed.tar.gz";

#[derive(Serialize)]
struct BackupJson<'a> {
    file: String,
    bytes: u64,
    #[serde(flatten)]
    manifest: &'a Manifest,
    skipped: Vec<Skipped<'a>>,
}

#[derive(Serialize)]
struct Skipped<'a> {
    what: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct RestoreJson<'a> {
    #[serde(flatten)]
    manifest: &'a Manifest,
    restored: bool,
    /// Folders that now contain the earlier files.
    replaced: &'a [PathBuf],
}

/// Number of bytes between two progress messages.
const STEP: u64 = 1 << 20;

/// Runs work, and shows its progress on a terminal.
fn with_progress<T>(
    out: &Output,
    work: impl FnOnce(backup::BackupProgress<'_>) -> Result<T, BackupError>,
) -> Result<T, Failure> {
    let wheel = Progress::wheel(out);
    let next = Cell::new(0);
    let report = |what: &str, bytes: u64| {
        // A smaller number than before means that the next file has begun.
        if bytes == 0 || bytes >= next.get() || bytes + STEP < next.get() {
            next.set(bytes + STEP);
            let so_far = if bytes == 0 { String::new() } else { format!(" · {}", size(bytes)) };
            wheel.show(format!("{what}{so_far}"));
        }
    };
    let done = work(&report);
    wheel.clear();
    done.map_err(|e| Failure::Plain(e.to_string()))
}

pub(super) fn backup(
    args: &BackupArgs,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (paths, now) = (global.paths()?, SystemClock.now().trunc_subsecs(0));
    let file = match args.file.is_dir() {
        true => args.file.join(backup::default_name(now)),
        false => args.file.clone(),
    };
    let packed =
        with_progress(out, |progress| backup::pack(&paths, &file, args.replace, now, progress))?;
    for (what, why) in &packed.skipped {
        out.warn(format!("not in the backup: {what}: {why}"));
    }
    if out.json {
        let skipped = packed.skipped.iter().map(|(what, why)| Skipped { what, why }).collect();
        let file = packed.file.display().to_string();
        out.value(&BackupJson { file, bytes: packed.bytes, manifest: &packed.manifest, skipped })?;
    } else {
        let files = count(&packed.manifest);
        out.result(format!("{}: {files}, {}", packed.file.display(), size(packed.bytes)))?;
    }
    Ok(if packed.skipped.is_empty() { Exit::Ok } else { Exit::Partial })
}

fn count(manifest: &Manifest) -> String {
    counted(manifest.files.len(), "file")
}

pub(super) fn restore(
    args: &RestoreArgs,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let paths = global.paths()?;
    if args.check {
        let manifest = with_progress(out, |progress| backup::check(&paths, &args.file, progress))?;
        return print_check(&args.file, &manifest, out);
    }
    let now = SystemClock.now().trunc_subsecs(0);
    let restored = with_progress(out, |progress| {
        backup::restore(&paths, &args.file, args.replace, now, progress)
    })?;
    for folder in &restored.replaced {
        out.note(format!("the old files are in {}", folder.display()));
    }
    let manifest = &restored.manifest;
    if out.json {
        out.value(&RestoreJson { manifest, restored: true, replaced: &restored.replaced })?;
    } else {
        let made = minute(manifest.created);
        out.result(format!("{} of {made} restored", count(manifest)))?;
    }
    // The files are restored unchanged, including any errors in them.
    if let Err(errors) = config::load(&paths, &[]) {
        out.warn(format!(
            "the restored settings have errors, as they did in the backup:\n{errors}"
        ));
        return Ok(Exit::Partial);
    }
    Ok(Exit::Ok)
}

fn print_check(file: &Path, manifest: &Manifest, out: &mut Output) -> Result<Exit, Failure> {
    if out.json {
        out.value(&RestoreJson { manifest, restored: false, replaced: &[] })?;
        return Ok(Exit::Ok);
    }
    let Manifest { newsfed, schema, created, files, .. } = manifest;
    let made = minute(*created);
    out.line(format!("{}: made {made} by newsfed {newsfed}, schema {schema}", file.display()))?;
    for file in files {
        out.line(format!("{:>10}  {}", size(file.bytes), file.name))?;
    }
    Ok(Exit::Ok)
}

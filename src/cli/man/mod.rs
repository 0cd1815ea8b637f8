//! `newsfed man`: manual pages, generated from the definitions of the commands, settings and search language.

mod command_page;
mod config_page;
mod example;
mod manual;
mod query_page;
mod sources_page;

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::util::scratch::private_folder;
use crate::util::text::{self, counted};
use manual::Manual;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ManArgs {
    /// Command or page to show [default: newsfed itself]
    #[arg(conflicts_with = "dir")]
    command: Vec<String>,
    /// Write all pages as files into this folder
    #[arg(long)]
    dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
There is a page for each command, and newsfed-config(5), newsfed-sources(5)
and newsfed-query(7). In a terminal, man shows the page; otherwise the page
is printed as roff.

Examples:
  newsfed man account add
  newsfed man 5 newsfed-config
  newsfed man > newsfed.1
  newsfed man --dir ~/.local/share/man";

/// A page and the name of its file, such as `newsfed-query.7`.
struct Page {
    name: String,
    section: u8,
    text: Vec<u8>,
}

impl Page {
    fn new(name: &str, section: u8, manual: Manual) -> Self {
        Self { name: name.to_owned(), section, text: manual.finish() }
    }

    fn file(&self) -> String {
        format!("{}.{}", self.name, self.section)
    }
}

pub(super) fn run(args: &ManArgs, all: clap::Command, out: &mut Output) -> Result<Exit, Failure> {
    let pages = pages(all)?;
    if let Some(folder) = &args.dir {
        write(&pages, folder)?;
        out.result(format!("{} written to {}", counted(pages.len(), "page"), folder.display()))?;
        return Ok(Exit::Ok);
    }
    let wanted = match args.command.split_first() {
        // As in `man 5 newsfed-config`.
        Some((section, name)) if !name.is_empty() && section.parse::<u8>().is_ok() => {
            format!("{}.{section}", name.join("-"))
        }
        _ => args.command.join("-"),
    };
    let page = named(&pages, &wanted).ok_or_else(|| {
        let name = text::line(&args.command.join(" "));
        Failure::Usage(format!("there is no command or page \"{name}\"; `newsfed help` lists them"))
    })?;
    if !(out.is_terminal() && shown(page)?) {
        out.raw(&page.text)?;
    }
    Ok(Exit::Ok)
}

/// Shows a page with `man`; returns whether `man` is installed.
fn shown(page: &Page) -> io::Result<bool> {
    let folder = private_folder(&std::env::temp_dir())?;
    let file = folder.path().join(page.file());
    std::fs::write(&file, &page.text)?;
    Ok(Command::new("man").arg(file).status().is_ok_and(|status| status.success()))
}

/// The page of a command, or the page with a name such as `newsfed-query`, `newsfed-config.5` or
/// `newsfed-config(5)`.
fn named<'a>(pages: &'a [Page], name: &str) -> Option<&'a Page> {
    let file = name.replace('(', ".").replace(')', "");
    let full = format!("newsfed-{name}");
    pages.iter().find(|page| {
        let root = name.is_empty() && page.name == "newsfed";
        root || page.file() == file || page.name == name || page.name == full
    })
}

/// All pages, command pages first.
fn pages(mut all: clap::Command) -> io::Result<Vec<Page>> {
    all = all.disable_help_subcommand(true);
    all.build();
    let mut pages = Vec::new();
    commands(&all, None, &mut pages)?;
    pages.push(Page::new("newsfed-config", 5, config_page::page()?));
    pages.push(Page::new("newsfed-sources", 5, sources_page::page()?));
    pages.push(Page::new("newsfed-query", 7, query_page::page()?));
    Ok(pages)
}

/// The pages of a command and its subcommands.
fn commands(command: &clap::Command, above: Option<&str>, to: &mut Vec<Page>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let mut manual = command_page::page(command)?;
    let subcommands = || command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let mut also: Vec<String> = above.map(|above| format!("{above}(1)")).into_iter().collect();
    let names = subcommands().filter_map(|sub| sub.get_display_name());
    also.extend(names.map(|name| format!("{name}(1)")));
    also.extend(["newsfed-config(5)", "newsfed-sources(5)", "newsfed-query(7)"].map(str::to_owned));
    manual.see_also(&also)?;
    to.push(Page::new(name, 1, manual));
    subcommands().try_for_each(|sub| commands(sub, Some(name), to))
}

/// Writes the pages into one folder per section, as `man` expects.
fn write(pages: &[Page], folder: &Path) -> Result<(), Failure> {
    for page in pages {
        let section = folder.join(format!("man{}", page.section));
        let path = section.join(page.file());
        let written =
            std::fs::create_dir_all(&section).and_then(|()| std::fs::write(&path, &page.text));
        written.map_err(|e| Failure::Plain(format!("cannot write {}: {e}", path.display())))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

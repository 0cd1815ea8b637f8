//! `newsfed add` for programs, files and filtered feeds.

use super::add::AddArgs;
use super::exit::Failure;
use super::output::Output;
use super::progress::Progress;
use crate::engine::{Discovery, Handle, TypedOrigin};
use crate::model::Origin;
use crate::util::text;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Programs and files to follow.
#[derive(Debug, clap::Args)]
pub(super) struct OriginArgs {
    /// Follow the feed that a program prints; its arguments come after it
    #[arg(
        long,
        value_name = "PROGRAM",
        num_args = 1..,
        allow_hyphen_values = true,
        conflicts_with_all = ["url", "kind", "pick", "account", "comments_of"]
    )]
    exec: Vec<String>,
    /// Follow the feed in a file on this computer
    #[arg(
        long,
        value_name = "PATH",
        conflicts_with_all = ["url", "exec", "kind", "pick", "account", "comments_of"]
    )]
    file: Option<PathBuf>,
    /// Follow the emails of a Maildir or mbox file
    #[arg(
        long,
        value_name = "PATH",
        conflicts_with_all = ["url", "exec", "file", "filter", "kind", "pick", "account", "comments_of"]
    )]
    mail: Option<PathBuf>,
    /// With --mail: only emails whose sender contains this text
    #[arg(long, value_name = "TEXT", requires = "mail")]
    from: Option<String>,
    /// Pass the feed through a program; its arguments come after it
    #[arg(
        long,
        value_name = "PROGRAM",
        num_args = 1..,
        allow_hyphen_values = true,
        conflicts_with_all = ["exec", "file", "kind", "pick", "account", "comments_of"]
    )]
    filter: Vec<String>,
}

/// Explains how to add programs and files.
const HOW: &str = "only http and https URLs are added this way; add a program or file with --exec, \
                   --filter, --file or --mail";

/// The program or file in the arguments; `None` if they contain only a URL.
pub(super) fn typed(args: &AddArgs) -> Result<Option<TypedOrigin>, Failure> {
    let OriginArgs { exec, file, mail, from, filter } = &args.origin;
    let url = args.url.clone().unwrap_or_default();
    if let Some(file) = file {
        let path = std::path::absolute(file)?;
        return Ok(Some(TypedOrigin::file(&path.to_string_lossy())));
    }
    if let Some(mail) = mail {
        let path = std::path::absolute(mail)?;
        return Ok(Some(TypedOrigin::mail(&path.to_string_lossy(), from.clone())));
    }
    if exec.is_empty() && filter.is_empty() {
        // A URL without a scheme may begin with a slash.
        let is_url = url.trim().starts_with('/') && !Path::new(url.trim()).exists();
        return match TypedOrigin::parse(&url).filter(|_| !is_url) {
            None => Ok(None),
            // The argument could come from an untrusted list, so it must not run a program or read a file.
            Some(_) => Err(Failure::Plain(format!("{}: {HOW}", text::line(&url)))),
        };
    }
    let origin = Origin { exec: exec.clone(), filter: filter.clone(), ..Origin::default() };
    Ok(Some(TypedOrigin { origin, url }))
}

/// Shows the program that would run, asks for confirmation, and runs it to get its feed.
pub(super) async fn discover(
    typed: TypedOrigin,
    yes: bool,
    handle: &Handle,
    out: &mut Output,
) -> Result<Discovery, Failure> {
    let argv = typed.origin.program();
    if !argv.is_empty() {
        out.warn("newsfed runs this program now and at each check, without a shell:");
        for word in argv {
            out.warn(format!("  {}", text::line(word)));
        }
        if !yes {
            ask()?;
        }
    }
    let wheel = Progress::wheel(out);
    wheel.show(match argv.first() {
        Some(program) => format!("running {}", text::line(program)),
        None => "reading the file".to_owned(),
    });
    let discovery = handle.discover_origin(typed).await;
    wheel.clear();
    let discovery = discovery?;
    for tried in &discovery.tried {
        out.note(&tried.text);
    }
    Ok(discovery)
}

fn ask() -> Result<(), Failure> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let how = "nothing was run and no source was added; to run the program without asking, put --yes before it";
        return Err(Failure::Usage(how.to_owned()));
    }
    let _ = write!(io::stderr(), "run the program and add the source? [y/N] ");
    let mut response = String::new();
    io::stdin().lock().read_line(&mut response)?;
    match response.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::Plain("nothing was run and no source was added".to_owned())),
    }
}

//! `newsfed crawl URL`: crawls a live site into a folder.

use super::crawl::CrawlArgs;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::log;
use super::output::Output;
use super::progress::Progress;
use super::runtime::{asked_to_stop, runtime};
use crate::crawl::LinkGroup;
use crate::engine;
use crate::engine::crawl::{Crawl, CrawlEnd, CrawlError, CrawlPlan, CrawlStep, folder_name};
use crate::net::Client;
use crate::util::clock::SystemClock;
use crate::util::text::{counted, size};
use crate::util::url::{WebAddress, parse_web};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Number of link groups shown at the end.
const MAX_GROUPS: usize = 5;
/// Number of responses between updates of the best link group.
const POLL: u64 = 20;

impl From<CrawlError> for Failure {
    fn from(e: CrawlError) -> Self {
        match e {
            CrawlError::Store(e) => Self::Store(e),
            CrawlError::Exists(_) => Self::Usage(format!("{e} (--resume, --out)")),
            CrawlError::Foreign(_) => Self::Usage(format!("{e} (--out)")),
            usage @ (CrawlError::Other { .. }
            | CrawlError::Credentials
            | CrawlError::Missing(_)
            | CrawlError::Strategy(_)) => Self::Usage(usage.to_string()),
            other => Self::Plain(other.to_string()),
        }
    }
}

pub(super) fn run(args: &CrawlArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    log::start(&home, out.verbose, false);
    let web = args.url.as_deref().map(parse_web).transpose();
    let web = web.map_err(|e| Failure::Usage(e.to_string()))?;
    let folder = match (&args.out, &web) {
        (Some(folder), _) => folder.clone(),
        (None, Some(web)) => PathBuf::from(folder_name(&web.url)),
        (None, None) => {
            let words = "--resume needs the URL of the crawl or its folder (--out)";
            return Err(Failure::Usage(words.to_owned()));
        }
    };
    let secret = web.as_ref().is_some_and(|web| engine::access(web).auth.is_some());
    let hint = resume_hint(web.as_ref().filter(|_| secret), &folder);
    let plan = plan(args, web, folder)?;
    let clock = Arc::new(SystemClock);
    let client = Client::new(home.settings.net.clone(), clock.clone());
    runtime()?.block_on(async {
        let stop = asked_to_stop();
        let mut stop = std::pin::pin!(stop);
        // Reading the log of a long crawl takes time.
        let opened = tokio::select! {
            opened = tokio::task::spawn_blocking(move || plan.open(client, clock)) => opened,
            () = &mut stop => return Ok(interrupted(&hint, out)),
        };
        let mut crawl = opened.map_err(|e| Failure::Plain(e.to_string()))??;
        let progress = Progress::wheel(out);
        let result = tokio::select! {
            result = follow(&mut crawl, &progress, out) => result.map(Some),
            () = stop => Ok(None),
        };
        progress.clear();
        let end = result?;
        crawl.close(end.as_ref().unwrap_or(&CrawlEnd::Stopped))?;
        report(&crawl, end, &hint, out)
    })
}

/// The crawl that the arguments describe.
fn plan(
    args: &CrawlArgs,
    address: Option<WebAddress>,
    folder: PathBuf,
) -> Result<CrawlPlan, Failure> {
    if address.is_none() && !args.resume {
        return Err(Failure::Usage("a URL is required".to_owned()));
    }
    Ok(CrawlPlan {
        targets: args.targets.clone(),
        strategy: args.strategy,
        parameters: args.parameters.read(args.strategy)?,
        seed: args.seed,
        budget: args.limits(),
        resume: args.resume,
        // The user has typed the URL, so private addresses are allowed.
        allow_private: address.is_some(),
        ..CrawlPlan::new(address, folder)
    })
}

/// Explains how to resume, including the URL if its credentials are needed.
fn resume_hint(web: Option<&WebAddress>, folder: &std::path::Path) -> String {
    let address = if web.is_some() { " URL" } else { "" };
    let folder = folder.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    let folder = match folder.chars().all(plain) {
        true => folder,
        false => format!("'{}'", folder.replace('\'', "'\\''")),
    };
    let mut hint = format!("to continue, run `newsfed crawl --resume --out {folder}{address}`");
    if web.is_some() {
        hint += " with the credentials in the URL";
    }
    hint
}

fn interrupted(hint: &str, out: &mut Output) -> Exit {
    out.warn(format!("newsfed: interrupted; {hint}"));
    Exit::Interrupted
}

async fn follow(
    crawl: &mut Crawl,
    progress: &Progress,
    out: &mut Output,
) -> Result<CrawlEnd, Failure> {
    let mut best = None;
    let mut responses = 0u64;
    loop {
        match crawl.step().await? {
            CrawlStep::Ended(end) => return Ok(end),
            CrawlStep::Response { url, found, got } => {
                if let Some(found) = found {
                    if out.json {
                        out.value(&found)?;
                        out.flush()?;
                    } else if out.verbose > 0 {
                        progress.aside(|| out.note(format!("found {}", found.url)));
                    }
                }
                if let Some(note) = got.page.note.or(got.why.filter(|_| out.verbose > 0)) {
                    progress.aside(|| out.note(format!("{url}: {note}")));
                }
                if responses.is_multiple_of(POLL) {
                    best = crawl.link_groups(1).pop().map(|group| group.describe());
                }
                responses += 1;
                progress.show(summary(crawl, best.as_deref()));
            }
        }
    }
}

/// `120 requests, 34 found (28 %), 3 MB; best: ...`
fn summary(crawl: &Crawl, best: Option<&str>) -> String {
    let now = crawl.progress();
    let rate = 100.0 * now.found as f64 / now.requests.max(1) as f64;
    let best = best.map(|b| format!("; best: {b}")).unwrap_or_default();
    format!(
        "{}, {} found ({rate:.0} %), {}{best}",
        counted(now.requests, "request"),
        now.found,
        size(now.bytes)
    )
}

#[derive(Serialize)]
struct Summary<'a> {
    start: &'a str,
    targets: String,
    strategy: &'static str,
    seed: u64,
    requests: u64,
    bytes: u64,
    found: u64,
    links: usize,
    links_left_out: u64,
    ended: &'static str,
    why: Option<&'a str>,
    link_groups: Vec<Group>,
}

#[derive(Serialize)]
struct Group {
    path: String,
    url_pattern: String,
    fetched: u32,
    found: u32,
}

fn report(
    crawl: &Crawl,
    end: Option<CrawlEnd>,
    hint: &str,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (now, spec) = (crawl.progress(), crawl.spec());
    let groups = crawl.link_groups(MAX_GROUPS);
    let ended = end.as_ref().map_or("interrupted", CrawlEnd::name);
    let why = match &end {
        Some(CrawlEnd::Left(words)) => Some(words.as_str()),
        _ => None,
    };
    if out.json {
        let group = |group: LinkGroup| Group {
            path: group.path,
            url_pattern: group.url_pattern,
            fetched: group.fetched,
            found: group.found,
        };
        out.value(&Summary {
            start: spec.start.as_str(),
            targets: spec.targets.to_string(),
            strategy: spec.strategy.name(),
            seed: spec.seed,
            requests: now.requests,
            bytes: now.bytes,
            found: now.found,
            links: now.links,
            links_left_out: now.links_left_out,
            ended,
            why,
            link_groups: groups.into_iter().map(group).collect(),
        })?;
    } else {
        out.result(summary(crawl, None))?;
        for group in &groups {
            out.result(format!("  {}", group.describe()))?;
        }
    }
    Ok(match end {
        None => interrupted(hint, out),
        Some(CrawlEnd::Done) => Exit::Ok,
        Some(CrawlEnd::Left(words)) => {
            out.warn(format!("newsfed: {words}; {hint}"));
            if now.found > 0 { Exit::Partial } else { Exit::Failed }
        }
        Some(_) => {
            let and = if hint.ends_with('`') { "with" } else { "and" };
            out.note(format!("the budget is used up; {hint} {and} a larger --budget"));
            Exit::Ok
        }
    })
}

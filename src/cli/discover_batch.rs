//! `newsfed discover --batch`: examines many saved pages without the network.

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::discover::{DocumentKind, Survey, examine};
use crate::util::url::normalise;
use crate::website::propose::Proposal;
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::{self, BufRead, Read};
use std::path::Path;
use url::Url;

/// Maximum size of a page after decompression, in bytes.
const MAX_BYTES: u64 = 10 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedPage {
    /// Links to articles.
    Lists,
    /// Feeds.
    Feeds,
}

/// A line of standard input.
#[derive(Deserialize)]
struct Task {
    id: String,
    html_path: String,
    url: String,
    /// URLs that would return a feed if they were requested.
    #[serde(default)]
    probes: Vec<String>,
}

/// A line of standard output.
#[derive(Serialize)]
struct BatchResult {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposals: Option<Vec<Vec<String>>>,
    /// The selectors of the proposals.
    #[serde(skip_serializing_if = "Option::is_none")]
    selectors: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feeds: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Prints a line of output for every line of standard input. Files are relative to `root`. A page that cannot
/// be read gives an `error`.
pub(super) fn run(wanted: WantedPage, root: &Path, out: &mut Output) -> Result<Exit, Failure> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let task: Task = serde_json::from_str(&line)
            .map_err(|e| Failure::Usage(format!("invalid task in the input: {e}")))?;
        out.value(&respond(wanted, root, task))?;
        out.flush()?;
    }
    Ok(Exit::Ok)
}

fn respond(wanted: WantedPage, root: &Path, task: Task) -> BatchResult {
    let mut result =
        BatchResult { id: task.id, proposals: None, selectors: None, feeds: None, error: None };
    let bytes = match read(&root.join(&task.html_path)) {
        Ok(bytes) => bytes,
        Err(e) => return BatchResult { error: Some(e.to_string()), ..result },
    };
    let url = match Url::parse(&task.url) {
        Ok(url) => url,
        Err(e) => return BatchResult { error: Some(e.to_string()), ..result },
    };
    let (found, survey) = examine(&bytes, None, &url);
    match wanted {
        WantedPage::Feeds => result.feeds = Some(feeds(found, survey, url, &task.probes)),
        WantedPage::Lists => match found {
            // A feed lists its articles itself.
            DocumentKind::Feed(feed) => {
                let urls = feed.entries.into_iter().filter_map(|entry| entry.url);
                result.proposals = Some(vec![urls.collect()]);
            }
            DocumentKind::Page { .. } | DocumentKind::Nothing { .. } => {
                let urls = |p: &Proposal| p.items.iter().map(|i| i.url.to_string()).collect();
                result.proposals = Some(survey.lists.iter().map(urls).collect());
                result.selectors = Some(survey.lists.into_iter().map(|p| p.articles).collect());
            }
        },
    }
    result
}

/// The feeds that a page announces; if it announces none, the first of the usual feed URLs that is among
/// `probes`.
fn feeds(found: DocumentKind, survey: Survey, url: Url, probes: &[String]) -> Vec<String> {
    let mut feeds: Vec<Url> = match found {
        DocumentKind::Feed(_) => vec![url],
        DocumentKind::Page { announced, .. } => announced.into_iter().map(|a| a.url).collect(),
        DocumentKind::Nothing { .. } => Vec::new(),
    };
    if feeds.is_empty() {
        let responding: HashSet<String> =
            probes.iter().filter_map(|p| Url::parse(p).ok()).map(|u| normalise(&u)).collect();
        let guesses = survey.guesses.into_iter().map(|guess| guess.url);
        feeds.extend(guesses.filter(|url| responding.contains(&normalise(url))).take(1));
    }
    feeds.into_iter().map(String::from).collect()
}

/// The content of a file, decompressed if it is gzipped.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut page = Vec::new();
        MultiGzDecoder::new(bytes.as_slice()).take(MAX_BYTES).read_to_end(&mut page)?;
        bytes = page;
    }
    Ok(bytes)
}

//! `newsfed extract`: extracts the article of a page.

use super::exit::{Exit, Failure};
use super::extract_batch::Batch;
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::runtime::runtime;
use crate::article::{self, Extraction, Guide, LinkKind, Mode, TextOrigin};
use crate::model::Time;
use crate::net::{Client, Request};
use crate::util::clock::{Clock, SystemClock};
use crate::util::date;
use crate::util::file_error::cannot_read;
use crate::util::html;
use crate::util::login::without_secrets;
use crate::util::url::parse_web;
use chrono::SubsecRound;
use flate2::read::MultiGzDecoder;
use serde::Serialize;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Maximum number of bytes of a page that are read, which is more than the parser accepts.
const MAX_FILE: u64 = 16 << 20;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExtractArgs {
    /// A page: a file, a URL, or - for standard input
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    page: Option<String>,
    /// How to find the article
    #[arg(long, value_enum, default_value_t = ModeName::Auto)]
    mode: ModeName,
    /// Title of the article in its feed
    #[arg(long, conflicts_with = "batch")]
    title: Option<String>,
    /// Summary of the article in its feed
    #[arg(long, conflicts_with = "batch")]
    summary: Option<String>,
    /// URL of the page, to resolve its links and to find its date
    #[arg(long, conflicts_with = "batch")]
    url: Option<Url>,
    /// When the page was fetched, for dates like "2 hours ago"
    #[arg(long, value_name = "TIME", value_parser = time)]
    fetched_at: Option<Time>,
    /// Print Markdown
    #[arg(long, conflicts_with_all = ["batch", "json"])]
    markdown: bool,
    /// Read lines of JSON from standard input and print one for each
    #[arg(long)]
    batch: bool,
    /// Folder for the relative paths of a batch
    #[arg(long, value_name = "DIR", default_value = ".", requires = "batch")]
    root: PathBuf,
    /// Do not learn from pages of the same source
    #[arg(long, requires = "batch")]
    no_history: bool,
    /// Print all articles again at the end, using what was learned from all pages
    #[arg(long, requires = "batch", conflicts_with = "no_history")]
    r#final: bool,
}

fn time(text: &str) -> Result<Time, String> {
    date::parse(text).ok_or_else(|| "expected a time such as 2026-11-22T14:05:00Z".to_owned())
}

const EXAMPLES: &str = "\
A line of a batch is {id, html_path or html, title, summary, url, source,
fetched_at}. Only id and one of html_path and html are required, and pages may
be gzipped. Exits with 1 if a page has no article.

Examples:
  newsfed extract --markdown https://example.org/news/1
  newsfed extract --json --title 'A rare bird' page.html
  newsfed extract --batch --root pages < pages.jsonl";

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ModeName {
    /// Use only the words of the title and the summary
    Guided,
    /// Use only the page
    Page,
    /// Use title, summary, page, and what was learned about the site
    Auto,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Guided => Self::Guided,
            ModeName::Page => Self::Page,
            ModeName::Auto => Self::Auto,
        }
    }
}

#[derive(Serialize)]
struct Shape {
    title: Option<String>,
    authors: Vec<String>,
    published: Option<String>,
    published_from: Option<&'static str>,
    published_confidence: Option<&'static str>,
    published_zone: Option<&'static str>,
    modified: Option<String>,
    language: Option<String>,
    canonical: Option<String>,
    image: Option<String>,
    origin: &'static str,
    text: String,
    references: Vec<Reference>,
    tags: Vec<String>,
    comments: Vec<String>,
    concepts: Vec<String>,
}

#[derive(Serialize)]
struct Reference {
    url: String,
    kind: &'static str,
}

pub(super) fn run(args: &ExtractArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    if args.batch {
        let batch = Batch {
            mode: args.mode.into(),
            root: args.root.clone(),
            history: !args.no_history,
            again: args.r#final,
            fetched_at: args.fetched_at,
        };
        batch.run(BufReader::new(io::stdin()), |line| {
            out.value(line)?;
            out.flush()
        })?;
        return Ok(Exit::Ok);
    }
    let name = args.page.as_deref().unwrap_or("-");
    let (page, address) = if name.starts_with("http://") || name.starts_with("https://") {
        fetch(name, global)?
    } else {
        let page = if name == "-" {
            read_all(io::stdin()).map_err(|e| cannot_read(Path::new("standard input"), &e))
        } else {
            read_page(Path::new(name))
        };
        (page.map_err(Failure::Plain)?, None)
    };
    let fetched_at =
        args.fetched_at.or_else(|| address.as_ref().map(|_| SystemClock.now().trunc_subsecs(0)));
    let guide = Guide {
        fetched_at,
        title: args.title.clone(),
        summary: args.summary.as_deref().map(html::to_text),
        url: args.url.clone().or(address),
    };
    let found = article::extract(&page, &guide, args.mode.into(), None)
        .map_err(|e| Failure::Plain(format!("{}: {e}", without_secrets(name))))?;
    if out.json {
        out.value(&shape(found))?;
    } else if args.markdown {
        let markdown = match &found.title {
            Some(title) => found.document.titled_markdown(title),
            None => found.document.markdown(),
        };
        out.text(&markdown)?;
    } else {
        out.line(found.document.text())?;
    }
    Ok(Exit::Ok)
}

fn shape(found: Extraction) -> Shape {
    let references = found.document.links.into_iter().map(|link| Reference {
        url: link.url,
        kind: match link.kind {
            LinkKind::Page => "page",
            LinkKind::Image => "image",
            LinkKind::Media => "media",
        },
    });
    Shape {
        title: found.title,
        authors: found.authors,
        published: found.published.map(|t| t.to_rfc3339()),
        published_from: found.dated.map(|d| d.from.name()),
        published_confidence: found.dated.map(|d| d.confidence.name()),
        published_zone: found.dated.and_then(|d| d.zone_from).map(|z| z.name()),
        modified: found.modified.map(|t| t.to_rfc3339()),
        language: found.language,
        canonical: found.canonical.map(String::from),
        image: found.image.map(String::from),
        origin: match found.origin {
            TextOrigin::Guide => "feed",
            TextOrigin::Page => "page",
            TextOrigin::Template => "site",
            TextOrigin::Data => "data",
        },
        text: found.text,
        references: references.collect(),
        tags: found.tags,
        comments: found.comments,
        concepts: found.concepts,
    }
}

/// A page from the network, and its final URL.
fn fetch(name: &str, global: &Global) -> Result<(String, Option<Url>), Failure> {
    let home = Home::load(global)?;
    let shown = without_secrets(name);
    let wrong = |e: &dyn std::fmt::Display| Failure::Plain(format!("{shown}: {e}"));
    let url = parse_web(name).map_err(|e| Failure::Usage(format!("{shown}: {e}")))?.url;
    let fragment = url.fragment().map(str::to_owned);
    // The user has typed the URL, so private addresses are allowed.
    let request = Request { allow_private: true, ..Request::page(url) };
    let client = Client::new(home.settings.net, Arc::new(SystemClock));
    let response = runtime()?.block_on(client.fetch(request)).map_err(|e| wrong(&e))?;
    if !response.is_success() {
        return Err(wrong(&format!("the server responded with status {}", response.status)));
    }
    let page = html::decode(&response.body, response.content_type());
    let mut address = response.final_url;
    address.set_fragment(fragment.as_deref());
    Ok((page, Some(address)))
}

pub(super) fn read_page(path: &Path) -> Result<String, String> {
    std::fs::File::open(path).and_then(read_all).map_err(|e| cannot_read(path, &e))
}

/// Reads a page, decompressing it if it is gzipped.
fn read_all(mut from: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    from.by_ref().take(MAX_FILE).read_to_end(&mut bytes)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::with_capacity((8 * bytes.len()).min(1 << 22));
        MultiGzDecoder::new(bytes.as_slice()).take(MAX_FILE).read_to_end(&mut plain)?;
        bytes = plain;
    }
    Ok(html::decode(&bytes, None))
}

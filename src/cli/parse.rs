//! `newsfed parse`: parses one or more feed documents and prints their content.

use super::exit::Exit;
use super::global::Global;
use super::output::escape_controls;
use crate::feed;
use crate::util::file_error::cannot_read;
use crate::util::limits;
use crate::util::text;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use url::Url;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ParseArgs {
    /// The feed document; - reads standard input
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    file: Option<String>,
    /// URL of the document, to resolve relative links
    #[arg(long, value_name = "URL")]
    base: Option<Url>,
    /// A response header of the document, such as 'Content-Type: text/xml'
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// Read file names from standard input, and print JSON for each
    #[arg(long)]
    batch: bool,
}

const EXAMPLES: &str = "\
Exits with 1 if the document is not a feed. With --batch, such a document gives
{\"error\": ...} and the exit code is 0.

Examples:
  newsfed parse feed.xml
  curl -s https://example.org/feed | newsfed parse --json -
  ls feeds/* | newsfed parse --batch";

/// Maximum number of bytes read from a file: one more than the parser accepts, so that the parser reports
/// files that are too large.
const MAX_FILE: u64 = limits::FEED_BYTES as u64 + 1;

pub(super) fn run(args: &ParseArgs, global: &Global) -> Exit {
    let content_type = args.headers.iter().find_map(|h| {
        let (name, value) = h.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-type").then(|| value.trim())
    });
    let base = args.base.as_ref();
    let result = if args.batch {
        run_batch(content_type, base)
    } else {
        run_one(global.json, content_type, base, args.file.as_deref().unwrap_or("-"))
    };
    // An error means that the reader has closed the output.
    result.unwrap_or(Exit::Failed)
}

fn run_one(
    json: bool,
    content_type: Option<&str>,
    base: Option<&Url>,
    file: &str,
) -> io::Result<Exit> {
    match read(file, content_type, base) {
        Ok(parsed) => {
            let mut out = io::stdout().lock();
            if json {
                writeln!(out, "{}", escape_controls(&feed::to_json(&parsed).to_string()))?;
            } else {
                print_plain(&mut out, &parsed)?;
            }
            Ok(Exit::Ok)
        }
        Err(message) => {
            writeln!(io::stderr(), "newsfed: {message}")?;
            Ok(Exit::Failed)
        }
    }
}

fn run_batch(content_type: Option<&str>, base: Option<&Url>) -> io::Result<Exit> {
    let mut out = io::stdout().lock();
    for name in io::stdin().lock().lines() {
        let value = match read(name?.trim(), content_type, base) {
            Ok(parsed) => feed::to_json(&parsed),
            Err(message) => serde_json::json!({ "error": message }),
        };
        writeln!(out, "{}", escape_controls(&value.to_string()))?;
        out.flush()?;
    }
    Ok(Exit::Ok)
}

fn read(
    file: &str,
    content_type: Option<&str>,
    base: Option<&Url>,
) -> Result<feed::ParsedFeed, String> {
    let bytes = if file == "-" {
        read_all(io::stdin().lock())
    } else {
        std::fs::File::open(Path::new(file)).and_then(read_all)
    };
    let bytes = bytes.map_err(|e| match file.contains("://") {
        true => "parse reads files; try `curl -s URL | newsfed parse -`".to_owned(),
        false => cannot_read(Path::new(file), &e),
    })?;
    let name = text::line(file);
    feed::parse(&bytes, content_type, base).map_err(|e| format!("{name}: {e}"))
}

fn read_all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_FILE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn print_plain(out: &mut impl Write, parsed: &feed::ParsedFeed) -> io::Result<()> {
    writeln!(out, "{}", parsed.title.as_deref().unwrap_or("(no title)"))?;
    for entry in &parsed.entries {
        let date = entry.published.or(entry.updated);
        let date = date.map_or_else(|| " ".repeat(10), |d| d.format("%Y-%m-%d").to_string());
        writeln!(out, "{date}  {}", entry.title)?;
        if let Some(url) = &entry.url {
            writeln!(out, "            {url}")?;
        }
    }
    for repair in &parsed.repairs {
        writeln!(out, "note: {repair}")?;
    }
    Ok(())
}

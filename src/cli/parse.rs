//! `newsfed parse`: parses one document, or many, and prints its content as JSON.

use crate::feed;
use crate::util::text;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use url::Url;

/// Exit code if a document is not a feed or cannot be read.
const FAILED: i32 = 1;

/// Largest file that is read, in bytes: slightly more than the parser's limit.
const MAX_FILE: u64 = feed::MAX_BYTES as u64 + 1;

/// Reads `file` (`-` is standard input) or, with `batch`, every file named on a line of standard
/// input, and prints the feed. `headers` are lines such as `Content-Type: text/xml`.
/// Returns the exit code: 0, or 1 if a document is not a feed.
///
/// A batch prints one JSON object per line, `{"error": …}` for a document that is not a feed, and
/// always returns 0.
pub fn run(
    json: bool,
    base: Option<&str>,
    headers: &[String],
    batch: bool,
    file: Option<&str>,
) -> i32 {
    let content_type = headers.iter().find_map(|h| {
        let (name, value) = h.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-type").then(|| value.trim())
    });
    let base = base.and_then(|b| Url::parse(b).ok());
    let result = if batch {
        run_batch(content_type, base.as_ref())
    } else {
        run_one(json, content_type, base.as_ref(), file.unwrap_or("-"))
    };
    match result {
        Ok(code) => code,
        // The reader of the output has closed the pipe.
        Err(_) => FAILED,
    }
}

fn run_one(
    json: bool,
    content_type: Option<&str>,
    base: Option<&Url>,
    file: &str,
) -> io::Result<i32> {
    match read(file, content_type, base) {
        Ok(parsed) => {
            let mut out = io::stdout().lock();
            if json {
                writeln!(
                    out,
                    "{}",
                    super::output::escape_controls(&feed::to_json(&parsed).to_string())
                )?;
            } else {
                print_plain(&mut out, &parsed)?;
            }
            Ok(0)
        }
        Err(message) => {
            writeln!(io::stderr(), "{}: {message}", text::line(file))?;
            Ok(FAILED)
        }
    }
}

fn run_batch(content_type: Option<&str>, base: Option<&Url>) -> io::Result<i32> {
    let mut out = io::stdout().lock();
    for name in io::stdin().lock().lines() {
        let answer = match read(name?.trim(), content_type, base) {
            Ok(parsed) => feed::to_json(&parsed),
            Err(message) => serde_json::json!({ "error": message }),
        };
        writeln!(out, "{}", super::output::escape_controls(&answer.to_string()))?;
        out.flush()?;
    }
    Ok(0)
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
    let bytes = bytes.map_err(|e| format!("cannot be read: {e}"))?;
    feed::parse(&bytes, content_type, base).map_err(|e| e.to_string())
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

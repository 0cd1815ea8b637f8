//! The two streams: data on the standard output, words on the standard error.

use super::args::Global;
use super::exit::{Exit, Failure};
use crate::util::text;
use serde::Serialize;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

/// Columns of a terminal that does not tell its width.
const USUAL_WIDTH: u16 = 80;

/// Where a command writes.
pub(super) struct Output {
    out: BufWriter<Stdout>,
    /// `--json`
    pub(super) json: bool,
    /// `--quiet`
    pub(super) quiet: bool,
    /// Times `--verbose` was given.
    pub(super) verbose: u8,
    /// Columns of the terminal that the data goes to; `None` where it is none.
    pub(super) width: Option<usize>,
    colour: bool,
}

impl Output {
    pub(super) fn new(global: &Global) -> Self {
        let terminal = io::stdout().is_terminal();
        let width = crate::tui::screen_size().map_or(USUAL_WIDTH, |(columns, _)| columns);
        Self {
            out: BufWriter::new(io::stdout()),
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
            width: terminal.then_some(usize::from(width).max(20)),
            colour: terminal && colours_wanted(),
        }
    }

    /// One line of data. The text is clean already.
    pub(super) fn line(&mut self, line: impl AsRef<str>) -> Result<(), Failure> {
        self.out.write_all(line.as_ref().as_bytes())?;
        Ok(self.out.write_all(b"\n")?)
    }

    /// What an action came to, in words for the user.
    pub(super) fn result(&mut self, words: impl AsRef<str>) -> Result<(), Failure> {
        if self.quiet || self.json { Ok(()) } else { self.line(words) }
    }

    /// Data as it is.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.out.write_all(bytes)?)
    }

    /// One JSON value on a line of its own.
    pub(super) fn value(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let json = serde_json::to_string(value).map_err(io::Error::from)?;
        self.line(escape_controls(&json))
    }

    /// Sends what waits on its way, for data that somebody may be waiting for.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// The end of the data.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.flush()
    }

    /// Words for the user, left out when quiet.
    pub(super) fn note(&mut self, words: impl AsRef<str>) {
        if !self.quiet {
            self.warn(words);
        }
    }

    /// Words that are never left out.
    pub(super) fn warn(&mut self, words: impl AsRef<str>) {
        // The order of the two streams on one terminal is the order of writing.
        let _ = self.out.flush();
        // Without a standard error there is nobody to tell.
        let _ = writeln!(io::stderr(), "{}", text::block(words.as_ref()).trim_end());
    }

    /// Tells why a command gave up, and how it ends.
    pub(super) fn fail(&mut self, failure: &Failure) -> Exit {
        if !matches!(failure, Failure::Unread) {
            self.warn(format!("newsfed: {failure}"));
        }
        failure.exit()
    }

    /// Text set in bold on a terminal that may have colours.
    pub(super) fn bold(&self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Text set back on a terminal that may have colours.
    pub(super) fn faint(&self, text: &str) -> String {
        if self.colour { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Whether the user has not asked for plain text (<https://no-color.org>).
pub(super) fn colours_wanted() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// JSON whose strings hold the control characters above ASCII as escapes, too: an identifier is
/// kept byte for byte, but must not act on a terminal.
pub(super) fn escape_controls(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c >= '\u{7f}' && (c.is_control() || hidden) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_no_control_characters() {
        let json = serde_json::to_string("a\u{1b}[2J\u{9b}2J\u{7f}\u{202e}ü").unwrap();
        let shown = escape_controls(&json);
        assert!(!shown.chars().any(char::is_control) && !shown.contains('\u{202e}'), "{shown}");
        assert_eq!(
            serde_json::from_str::<String>(&shown).unwrap(),
            "a\u{1b}[2J\u{9b}2J\u{7f}\u{202e}ü"
        );
    }
}

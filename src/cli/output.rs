//! Output streams: data on standard output, messages on standard error.

use super::exit::{Exit, Failure};
use super::global::Global;
use crate::util::text;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

/// Default width of a terminal, in columns.
const USUAL_WIDTH: u16 = 80;

const BOLD: &str = "\u{1b}[1m";
const FAINT: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";
const STYLES: [&str; 3] = [BOLD, FAINT, PLAIN];

pub(super) struct Output {
    out: BufWriter<Stdout>,
    /// `--json`
    pub(super) json: bool,
    /// `--quiet`
    pub(super) quiet: bool,
    /// How many times `--verbose` was given.
    pub(super) verbose: u8,
    /// Width of the terminal to which data is written; `None` if it is not a terminal.
    pub(super) width: Option<usize>,
    colour: bool,
}

impl Output {
    pub(super) fn new(global: &Global) -> Self {
        let terminal = io::stdout().is_terminal();
        Self {
            out: BufWriter::new(io::stdout()),
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
            width: terminal.then(|| {
                let width = crate::tui::screen_size().map_or(USUAL_WIDTH, |(columns, _)| columns);
                usize::from(width).max(20)
            }),
            colour: terminal && colours_wanted(),
        }
    }

    /// Prints one or more lines of data, without control characters, which another program may have written
    /// to the database.
    pub(super) fn line(&mut self, line: impl AsRef<str>) -> Result<(), Failure> {
        self.text(line.as_ref())?;
        Ok(self.out.write_all(b"\n")?)
    }

    /// Prints data without control characters, except line breaks and tabs.
    pub(super) fn text(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.out.write_all(without_controls(text, self.colour).as_bytes())?)
    }

    /// Reports the result of an action to the user.
    pub(super) fn result(&mut self, words: impl AsRef<str>) -> Result<(), Failure> {
        if self.quiet || self.json { Ok(()) } else { self.line(words) }
    }

    /// Whether standard output is a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.width.is_some()
    }

    /// Prints data unchanged.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.out.write_all(bytes)?)
    }

    /// Prints one JSON value on its own line.
    pub(super) fn value(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let json = serde_json::to_string(value).map_err(io::Error::from)?;
        self.line(escape_controls(&json))
    }

    /// Flushes data for which a reader may be waiting.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// Flushes the data before the command ends.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.flush()
    }

    /// Prints a message for the user, unless `--quiet` is set.
    pub(super) fn note(&mut self, words: impl AsRef<str>) {
        if !self.quiet {
            self.warn(words);
        }
    }

    /// Prints a message, even with `--quiet`.
    pub(super) fn warn(&mut self, words: impl AsRef<str>) {
        // Keeps the two streams in order on a terminal.
        let _ = self.out.flush();
        // If standard error is closed, no message can be shown.
        let _ = writeln!(io::stderr(), "{}", text::block(words.as_ref()).trim_end());
    }

    /// Reports why a command failed, and returns its exit code.
    pub(super) fn fail(&mut self, failure: &Failure) -> Exit {
        if !matches!(failure, Failure::Unread) {
            self.warn(format!("newsfed: {failure}"));
        }
        failure.exit()
    }

    /// Bold text, if styles are enabled.
    pub(super) fn bold(&self, text: &str) -> String {
        if self.colour { format!("{BOLD}{text}{PLAIN}") } else { text.to_owned() }
    }

    /// Dimmed text, if styles are enabled.
    pub(super) fn faint(&self, text: &str) -> String {
        if self.colour { format!("{FAINT}{text}{PLAIN}") } else { text.to_owned() }
    }
}

/// Whether colours are wanted: `NO_COLOR` (<https://no-color.org>) is unset or empty, and the terminal is not
/// `dumb`.
pub(super) fn colours_wanted() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Text without control characters and bidirectional formatting characters, except line breaks, tabs and,
/// with `styled`, the escape sequences of [`Output::bold`] and [`Output::faint`].
pub(super) fn without_controls(text: &str, styled: bool) -> Cow<'_, str> {
    let harmful = |c: char| {
        let line_break = matches!(c, '\u{2028}' | '\u{2029}');
        let direction = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() && !matches!(c, '\n' | '\t')) || line_break || direction
    };
    // First bytes of these characters in UTF-8.
    let may_begin = |b: u8| matches!(b, 0..=8 | 11..=31 | 0x7f | 0xc2 | 0xe2);
    let begins = text.bytes().enumerate().filter(|(_, b)| may_begin(*b));
    let mut found = begins.filter_map(|(at, _)| text[at..].chars().next());
    if !found.any(harmful) {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        if !harmful(c) || (styled && STYLES.iter().any(|style| rest.starts_with(style))) {
            clean.push(c);
        }
    }
    clean.into()
}

/// Escapes C1 control characters in JSON too. Identifiers are stored unchanged, but must not control a
/// terminal.
pub(super) fn escape_controls(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut from = 0;
    // First bytes of these characters in UTF-8.
    let firsts = json.bytes().enumerate().filter(|(_, b)| matches!(b, 0x7f | 0xc2 | 0xe2));
    for (at, _) in firsts {
        let Some(c) = json[at..].chars().next() else { continue };
        let hidden = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || hidden {
            out.push_str(&json[from..at]);
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
            from = at + c.len_utf8();
        }
    }
    out.push_str(&json[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_contains_no_control_characters() {
        let cases = [
            ("a\tb\nü\u{200e}", false, "a\tb\nü\u{200e}"),
            ("a\u{1b}[2J\u{9b}2J\u{7f}\u{202e}b\r", false, "a[2J2Jb"),
            ("\u{1b}[1ma\u{1b}[0m\u{1b}[31mb", false, "[1ma[0m[31mb"),
            ("\u{1b}[1ma\u{1b}[0m\u{1b}[31mb", true, "\u{1b}[1ma\u{1b}[0m[31mb"),
        ];
        for (text, styled, want) in cases {
            assert_eq!(without_controls(text, styled), want);
        }
    }

    #[test]
    fn json_contains_no_control_characters() {
        let json = serde_json::to_string("a\u{1b}[2J\u{9b}2J\u{7f}\u{202e}ü").unwrap();
        let shown = escape_controls(&json);
        assert!(!shown.chars().any(char::is_control) && !shown.contains('\u{202e}'), "{shown}");
        assert_eq!(
            serde_json::from_str::<String>(&shown).unwrap(),
            "a\u{1b}[2J\u{9b}2J\u{7f}\u{202e}ü"
        );
    }
}

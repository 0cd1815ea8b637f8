//! Writes a manual page.

use clap_mangen::roff::{Inline, Roff, bold, roman};
use std::io;

/// Release date of this version, shown in the footer of every page. It is the date in CHANGELOG.md.
pub(super) const DATE: &str = "2026-11-25";
const SOURCE: &str = concat!("newsfed ", env!("CARGO_PKG_VERSION"));
const MANUAL: &str = "newsfed manual";

/// Number of lines that roff writes before each text. They define the apostrophe for the other lines.
const PREAMBLE: usize = 2;
const BREAK: &[u8] = b".br";

/// A manual page under construction.
pub(super) struct Manual {
    text: Vec<u8>,
}

impl Manual {
    /// A page with a name and a short description.
    pub(super) fn new(name: &str, section: u8, about: &str) -> io::Result<Self> {
        let mut roff = Roff::new();
        roff.control("TH", [name, &section.to_string(), DATE, SOURCE, MANUAL]);
        roff.control("SH", ["NAME"]);
        roff.text([roman(format!("{name} - {about}"))]);
        let mut text = Vec::new();
        roff.to_writer(&mut text)?;
        Ok(Self { text })
    }

    pub(super) fn section(&mut self, title: &str) -> io::Result<()> {
        self.add(Roff::new().control("SH", [title]))
    }

    pub(super) fn subsection(&mut self, title: &str) -> io::Result<()> {
        self.add(Roff::new().control("SS", [title]))
    }

    /// Starts a new paragraph, except directly after a heading.
    pub(super) fn paragraph(&mut self) -> io::Result<()> {
        let text = self.text.trim_ascii_end();
        let last = text.iter().rposition(|byte| *byte == b'\n').map_or(text, |at| &text[at + 1..]);
        let begun = [".SH", ".SS", ".PP"].iter().any(|start| last.starts_with(start.as_bytes()));
        if begun { Ok(()) } else { self.add(Roff::new().control("PP", [])) }
    }

    /// Writes wrapped text. Parts between backticks are bold.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            self.add(Roff::new().text(inlines(line)))?;
        }
        Ok(())
    }

    /// Starts a paragraph with a hanging tag, or with several tags for the same text. The caller writes the
    /// text next.
    pub(super) fn tags(&mut self, tags: Vec<Vec<Inline>>) -> io::Result<()> {
        for (index, tag) in tags.into_iter().enumerate() {
            self.add(Roff::new().control(if index == 0 { "TP" } else { "TQ" }, []).text(tag))?;
        }
        Ok(())
    }

    /// Writes a word in bold, followed by its meaning.
    pub(super) fn entry(&mut self, word: &str, text: &str) -> io::Result<()> {
        self.tags(vec![vec![bold(word)]])?;
        self.text(text)
    }

    /// Writes indented lines without wrapping them.
    pub(super) fn sample<'a>(
        &mut self,
        lines: impl IntoIterator<Item = &'a str>,
    ) -> io::Result<()> {
        self.paragraph()?;
        let mut roff = Roff::new();
        roff.control("RS", ["4"]).control("nf", []);
        for line in lines {
            match line {
                "" => roff.control("sp", []),
                line => roff.text([roman(line)]),
            };
        }
        self.add(roff.control("fi", []).control("RE", []))
    }

    /// Writes the section "See also", with pages such as `newsfed(1)`.
    pub(super) fn see_also(&mut self, pages: &[String]) -> io::Result<()> {
        self.section("SEE ALSO")?;
        let last = pages.len().saturating_sub(1);
        for (index, page) in pages.iter().enumerate() {
            let (name, number) = page.split_once('(').unwrap_or((page, "1)"));
            let comma = if index < last { "," } else { "" };
            self.add(Roff::new().text([bold(name), roman(format!("({number}{comma}"))]))?;
        }
        Ok(())
    }

    fn add(&mut self, lines: &Roff) -> io::Result<()> {
        let mut text = Vec::new();
        lines.to_writer(&mut text)?;
        self.append(&text);
        Ok(())
    }

    /// Appends output of the roff library, without its preamble, empty lines and repeated line breaks.
    pub(super) fn append(&mut self, text: &[u8]) {
        let mut last: &[u8] = &[];
        for line in text.split(|byte| *byte == b'\n').skip(PREAMBLE) {
            let line = line.trim_ascii_end();
            if line.is_empty() || (line == BREAK && last == BREAK) {
                continue;
            }
            last = line;
            self.text.extend_from_slice(line);
            self.text.push(b'\n');
        }
    }

    /// The page in ASCII, because not every roff program accepts UTF-8.
    pub(super) fn finish(self) -> Vec<u8> {
        let text = String::from_utf8_lossy(&self.text);
        let ascii = |c: char| match c {
            c if c.is_ascii() => c.to_string(),
            c => format!("\\[u{:04X}]", u32::from(c)),
        };
        text.chars().map(ascii).collect::<String>().into_bytes()
    }
}

/// Parses a line in which words between backticks are bold.
fn inlines(line: &str) -> Vec<Inline> {
    let part = |(index, text): (usize, &str)| match (index % 2, text) {
        (_, "") => None,
        (0, text) => Some(roman(text)),
        (_, text) => Some(bold(text)),
    };
    line.split('`').enumerate().filter_map(part).collect()
}

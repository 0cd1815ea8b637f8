//! Formulas as plain text: Unicode symbols in place of TeX commands, and the rest as it is typed in emails,
//! such as `e^(-t/τ)`.

use super::maths_line::{Fragment, Line};
use super::maths_rows::{Environment, environment, grid, in_line, lines};
use super::maths_table::{ACCENTS, FONTS, NEGATED, SETTINGS, SPACES, WORDS, double_struck, sign};
use crate::util::text;

/// Maximum length of a source, in bytes.
const MAX_SOURCE: usize = 4000;
/// Maximum number of levels of braces and environments.
const MAX_DEPTH: usize = 24;

/// A formula on one line as plain text; `None` if it contains anything that is not understood.
pub(super) fn signs(source: &str) -> Option<String> {
    let mut parser = Parser::new(source, Layout::Inline)?;
    let rows = parser.rows(End::Source, Ampersand::Error, false)?;
    let line = joined(&rows).text.trim().to_owned();
    (!line.is_empty()).then_some(line)
}

/// A formula that is not within a line of text, as plain text on one or more lines; `None` if it contains
/// anything that is not understood.
pub fn formula(source: &str) -> Option<String> {
    written(source, &[Layout::Grids, Layout::Lines])
}

/// Like [`formula`], but fractions, and limits of sums and integrals, are written on three lines if the
/// result is at most `width` cells wide.
pub fn tall_formula(source: &str, width: usize) -> Option<String> {
    let tall = written(source, &[Layout::Tall]);
    let fits = |text: &String| text.lines().all(|line| text::width(line) <= width);
    tall.filter(fits).or_else(|| formula(source))
}

fn written(source: &str, layouts: &[Layout]) -> Option<String> {
    if !source.contains(['\\', '^', '_', '{', '}', '$', '%', '#', '&', '~']) {
        return (source.len() <= MAX_SOURCE).then(|| source.to_owned());
    }
    // If a matrix is too wide for a layout, the next one writes it inline.
    layouts.iter().find_map(|layout| {
        let mut parser = Parser::new(source, *layout)?;
        let mut out = Vec::new();
        for row in parser.rows(End::Source, Ampersand::Nothing, true)? {
            out.extend(row.into_iter().flat_map(Line::finish));
            out.push(super::maths_rows::Piece::Break);
        }
        let text = lines(out)?.join("\n");
        (!text.is_empty()).then_some(text)
    })
}

/// How rows are written.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Inline,
    /// Each row is a line, but matrices are written inline.
    Lines,
    /// Each row is a line, and so is each row of a matrix.
    Grids,
    /// Like `Grids`, but fractions, and signs with limits, take three lines.
    Tall,
}

impl Layout {
    fn has_grids(self) -> bool {
        matches!(self, Self::Grids | Self::Tall)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum End<'a> {
    Source,
    Brace,
    Environment(&'a str),
}

/// What an alignment mark does.
#[derive(Clone, Copy)]
enum Ampersand {
    Error,
    Nothing,
    Cell,
}

/// The lower and the upper index.
pub(super) type Indices = (Option<Fragment>, Option<Fragment>);

type Rows = Vec<Vec<Line>>;

/// The rows on one line, separated by semicolons.
fn joined(rows: &Rows) -> Fragment {
    let mut all: Vec<Fragment> = rows.iter().flatten().map(Line::fragment).collect();
    if all.len() == 1 {
        return all.pop().unwrap_or_default();
    }
    let all: Vec<&str> = all.iter().map(|f| f.text.trim()).filter(|t| !t.is_empty()).collect();
    Fragment { text: all.join("; "), is_word: false }
}

pub(super) struct Parser<'a> {
    pub(super) rest: &'a str,
    depth: usize,
    layout: Layout,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, layout: Layout) -> Option<Self> {
        (source.len() <= MAX_SOURCE).then_some(Self { rest: source, depth: 0, layout })
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    pub(super) fn eat(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    pub(super) fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// The name of a command after its backslash: letters, or one other character.
    fn name(&mut self) -> Option<&'a str> {
        let letters = self.rest.find(|c: char| !c.is_ascii_alphabetic());
        let end = match letters.unwrap_or(self.rest.len()) {
            0 => self.rest.chars().next()?.len_utf8(),
            end => end,
        };
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(name)
    }

    /// An argument that is not shown, such as the name of an environment.
    fn hidden(&mut self) -> Option<&'a str> {
        self.skip_spaces();
        let inside = self.rest.strip_prefix('{')?;
        let (hidden, rest) = inside.split_once('}')?;
        self.rest = rest;
        (!hidden.contains('{')).then_some(hidden)
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = parse(self);
        self.depth -= 1;
        found
    }

    /// Reads rows of cells up to an end. With `stacks`, the cells may contain matrices of several lines.
    fn rows(&mut self, end: End<'a>, ampersand: Ampersand, stacks: bool) -> Option<Rows> {
        let mut rows: Rows = vec![vec![Line::default()]];
        loop {
            let row = rows.last_mut()?;
            let line = row.last_mut()?;
            let Some(c) = self.next() else { return (end == End::Source).then_some(rows) };
            match c {
                '{' => line.group(&self.group()?),
                '}' => return (end == End::Brace).then_some(rows),
                '&' => match ampersand {
                    Ampersand::Error => return None,
                    Ampersand::Nothing => line.gap(),
                    Ampersand::Cell => row.push(Line::default()),
                },
                '^' | '_' => self.indices(c, line)?,
                '$' | '%' | '#' => return None,
                '\\' => match self.name()? {
                    "\\" | "cr" | "newline" => {
                        self.skip_row_space();
                        rows.push(vec![Line::default()]);
                    }
                    "end" => {
                        let name = End::Environment(self.hidden()?);
                        return (end == name).then_some(rows);
                    }
                    "begin" => self.environment(None, line, stacks)?,
                    "left" => {
                        let open = self.delimiter()?;
                        self.skip_spaces();
                        match self.eat("\\begin") {
                            true => self.environment(Some(open), line, stacks)?,
                            false => line.text(&delimiter_text(open)),
                        }
                    }
                    name if stacks && self.layout == Layout::Tall && self.is_tall(name) => {
                        line.tall(self.tall(name)?);
                    }
                    name => self.command(name, line)?,
                },
                '~' => line.space(),
                c if c.is_whitespace() => line.space(),
                c => line.character(c),
            }
        }
    }

    /// Skips the height of the space after a row: `\\[2pt]`.
    fn skip_row_space(&mut self) {
        self.eat("*");
        let Some((height, rest)) = self.rest.strip_prefix('[').and_then(|r| r.split_once(']'))
        else {
            return;
        };
        let unit = height.trim_start_matches(|c: char| c.is_ascii_digit() || "-. ".contains(c));
        if matches!(unit, "pt" | "em" | "ex" | "mm" | "cm" | "px" | "in" | "mu") {
            self.rest = rest;
        }
    }

    /// Reads an environment after `\begin`. `open` is the bracket before it, if that is written with `\left`.
    fn environment(&mut self, open: Option<&'a str>, line: &mut Line, stacks: bool) -> Option<()> {
        let name = self.hidden()?;
        let kind = environment(name)?;
        // The declaration of the columns is not shown: `\begin{array}{c|c}`.
        if matches!(name.trim_end_matches('*'), "array" | "alignat" | "alignedat") {
            self.hidden()?;
        }
        for position in ["[t]", "[b]", "[c]"] {
            self.eat(position);
        }
        let (ampersand, inside) = match kind {
            Environment::Rows => (Ampersand::Nothing, stacks && open.is_none()),
            Environment::Grid(..) => (Ampersand::Cell, false),
        };
        let rows = self.deeper(|p| p.rows(End::Environment(name), ampersand, inside))?;
        let close = match open {
            Some(_) => {
                self.skip_spaces();
                if self.eat("\\right") { Some(self.delimiter()?) } else { None }
            }
            None => None,
        };
        let brackets = match (kind, open, close) {
            (_, Some(open), Some(close)) => (open, close),
            (Environment::Grid(open, close), ..) => (open, close),
            (Environment::Rows, ..) => ("", ""),
        };
        if let (Some(open), None) = (open, close) {
            line.text(&delimiter_text(open));
        }
        if inside {
            return self.stacked(rows, line);
        }
        let cell = |cell: &Line| cell.fragment().text.trim().to_owned();
        let mut rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        rows.retain(|row: &Vec<String>| row.iter().any(|cell| !cell.is_empty()));
        if stacks && self.layout.has_grids() && rows.len() > 1 {
            line.stack(grid(&rows, brackets.0, brackets.1)?);
        } else {
            let text = in_line(&rows, brackets.0, brackets.1);
            line.group(&Fragment { text, is_word: false });
        }
        Some(())
    }

    /// Writes rows without brackets below each other.
    fn stacked(&self, rows: Rows, line: &mut Line) -> Option<()> {
        if self.layout.has_grids() {
            let mut all = Vec::new();
            for row in rows {
                all.extend(lines(row.into_iter().flat_map(Line::finish).collect())?);
            }
            line.stack(all);
            return Some(());
        }
        for (at, cell) in rows.into_iter().flatten().enumerate() {
            if at > 0 {
                line.line_break();
            }
            line.append(cell);
        }
        Some(())
    }

    /// The bracket after `\left` or `\right`, which is empty for a full stop.
    fn delimiter(&mut self) -> Option<&'a str> {
        self.skip_spaces();
        if self.eat("\\") {
            return match self.name()? {
                "|" => Some("‖"),
                name @ ("{" | "}") => Some(name),
                name => sign(name).map(|(sign, _)| sign),
            };
        }
        let name = self.rest.get(..1)?;
        self.rest = &self.rest[1..];
        match name {
            "." => Some(""),
            "<" => Some("⟨"),
            ">" => Some("⟩"),
            "(" | ")" | "[" | "]" | "|" | "/" => Some(name),
            _ => None,
        }
    }

    /// The content of a group after its brace.
    fn group(&mut self) -> Option<Fragment> {
        let rows = self.deeper(|p| p.rows(End::Brace, Ampersand::Error, false))?;
        Some(joined(&rows))
    }

    /// The argument of a command: a group, a command or a character.
    fn argument(&mut self) -> Option<Fragment> {
        self.skip_spaces();
        let mut line = Line::default();
        match self.next()? {
            '{' => return self.group(),
            '\\' => {
                let name = self.name()?;
                self.deeper(|p| p.command(name, &mut line))?;
            }
            '}' | '^' | '_' | '&' | '$' | '%' | '#' | '~' => return None,
            c => line.character(c),
        }
        Some(line.fragment())
    }

    /// An argument that is not empty.
    pub(super) fn content(&mut self) -> Option<Fragment> {
        self.argument().filter(|argument| !argument.text.trim().is_empty())
    }

    /// Writes the indices after `mark`, which is `^` or `_`.
    fn indices(&mut self, mark: char, line: &mut Line) -> Option<()> {
        let (lowered, raised) = self.both_indices(mark)?;
        line.index(lowered.as_ref(), raised.as_ref())
    }

    /// The lower and the upper index. `mark` is the mark of the first one, which has already been read.
    pub(super) fn both_indices(&mut self, mark: char) -> Option<Indices> {
        let (mut lowered, mut raised) = (None, None);
        let mut next = Some(mark);
        while let Some(mark) = next {
            let index = if mark == '^' { &mut raised } else { &mut lowered };
            if index.is_some() {
                return None;
            }
            *index = Some(self.content()?);
            let after = self.rest.trim_start();
            next = after.chars().next().filter(|c| matches!(c, '^' | '_'));
            if next.is_some() {
                self.rest = &after[1..];
            }
        }
        Some((lowered, raised))
    }

    /// Writes a command after its name.
    fn command(&mut self, name: &'a str, line: &mut Line) -> Option<()> {
        match name {
            "," | ";" | ":" | " " | ">" | "\n" => line.space(),
            "!" => {}
            "{" | "}" | "%" | "#" | "&" | "_" | "$" => line.text(&delimiter_text(name)),
            "|" => line.text(&delimiter_text("‖")),
            "pmod" => line.text(&bracketed(" (mod ", &self.content()?)),
            "tag" => line.text(&bracketed(" (", &self.content()?)),
            "frac" | "dfrac" | "tfrac" | "cfrac" => {
                let (over, under) = (self.content()?, self.content()?);
                line.fraction(&over, &under);
            }
            "binom" | "dbinom" | "tbinom" => {
                let (over, under) = (self.content()?, self.content()?);
                line.word("binom");
                let text = format!("({}, {})", over.text.trim(), under.text.trim());
                line.text(&Fragment { text, is_word: false });
            }
            "sqrt" => {
                let degree = if self.eat("[") { Some(self.option()?) } else { None };
                line.root(degree.as_ref(), &self.content()?);
            }
            "mathbb" => {
                let mut inside = self.content()?;
                inside.text = inside.text.chars().map(double_struck).collect();
                line.group(&inside);
            }
            "operatorname" => {
                self.eat("*");
                line.word(self.content()?.text.trim());
            }
            "overset" | "stackrel" | "underset" => {
                let (index, base) = (self.content()?, self.content()?);
                line.group(&base);
                match name {
                    "underset" => line.index(Some(&index), None)?,
                    _ => line.index(None, Some(&index))?,
                }
            }
            "xleftarrow" | "xrightarrow" => {
                // The optional text belongs below the arrow.
                let lowered = if self.eat("[") { Some(self.option()?) } else { None };
                let raised = self.content()?;
                line.relation(if name == "xleftarrow" { "←" } else { "→" });
                line.index(lowered.as_ref(), Some(&raised))?;
                line.space();
            }
            "underbrace" | "overbrace" | "boxed" | "substack" | "ensuremath" => {
                line.group(&self.content()?);
            }
            "not" => self.negated(line)?,
            "limsup" => line.word("lim sup"),
            "liminf" => line.word("lim inf"),
            "right" => {
                line.trim_end();
                line.text(&delimiter_text(self.delimiter()?));
            }
            "middle" => line.relation(self.delimiter()?),
            "label" => {
                self.hidden()?;
            }
            "hspace" | "vspace" => {
                self.eat("*");
                self.hidden()?;
                line.separate();
            }
            _ => self.listed(name, line)?,
        }
        Some(())
    }

    /// Writes a command that is listed in one of the tables.
    fn listed(&mut self, name: &str, line: &mut Line) -> Option<()> {
        let size = name.strip_suffix(['l', 'r', 'm']).unwrap_or(name);
        if SETTINGS.contains(&name) || matches!(size, "big" | "Big" | "bigg" | "Bigg") {
            return Some(());
        }
        if SPACES.contains(&name) {
            line.separate();
        } else if WORDS.contains(&name) {
            line.word(name);
        } else if FONTS.contains(&name) {
            line.text(&self.argument()?);
        } else if let Some((_, word, mark)) = ACCENTS.iter().find(|(n, ..)| *n == name) {
            let inside = self.content()?;
            let text = inside.text.trim();
            let mut letters = text.chars();
            match (letters.next(), letters.next()) {
                (Some(c), None) if c.is_alphanumeric() => {
                    line.group(&Fragment { text: format!("{c}{mark}"), is_word: false });
                }
                _ => {
                    line.word(word);
                    line.text(&bracketed("(", &inside));
                }
            }
        } else {
            // Spaces directly inside brackets are dropped.
            match name {
                "langle" | "lfloor" | "lceil" | "lvert" | "lVert" => self.skip_spaces(),
                "rangle" | "rfloor" | "rceil" | "rvert" | "rVert" => line.trim_end(),
                _ => {}
            }
            match sign(name)? {
                (sign, true) => line.relation(sign),
                (sign, false) => line.group(&delimiter_text(sign)),
            }
        }
        Some(())
    }

    /// The optional argument of a command after its bracket, such as the degree of a root.
    fn option(&mut self) -> Option<Fragment> {
        let (option, rest) = self.rest.split_once(']')?;
        let mut inside = Self { rest: option, depth: self.depth, layout: Layout::Inline };
        let rows = inside.deeper(|p| p.rows(End::Source, Ampersand::Error, false))?;
        self.rest = rest;
        Some(joined(&rows)).filter(|option| !option.text.trim().is_empty())
    }

    /// A relation after `\not`.
    fn negated(&mut self, line: &mut Line) -> Option<()> {
        let of = self.content()?;
        let sign = NEGATED.iter().find(|(sign, _)| *sign == of.text.trim())?.1;
        line.relation(sign);
        Some(())
    }
}

fn delimiter_text(text: &str) -> Fragment {
    Fragment { text: text.to_owned(), is_word: false }
}

/// Text in parentheses.
fn bracketed(open: &str, inside: &Fragment) -> Fragment {
    Fragment { text: format!("{open}{})", inside.text.trim()), is_word: false }
}

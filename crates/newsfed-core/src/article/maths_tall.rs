//! Parts of a formula that take three lines: fractions, and signs with limits below and above them.
//! Everything within these lines is written inline.

use super::maths_rows::centred;
use super::maths_signs::Parser;
use super::maths_table::{WORDS, sign};

/// Maximum width of a limit, in cells. A wider one is easier to read inline.
const MAX_LIMIT: usize = 24;

/// Operators with limits below and above.
const WITH_LIMITS: [&str; 20] = [
    "sum",
    "prod",
    "int",
    "iint",
    "oint",
    "bigcup",
    "bigcap",
    "bigwedge",
    "bigvee",
    "bigoplus",
    "bigotimes",
    "lim",
    "limsup",
    "liminf",
    "max",
    "min",
    "sup",
    "inf",
    "argmax",
    "argmin",
];

fn is_fraction(name: &str) -> bool {
    matches!(name, "frac" | "dfrac" | "cfrac")
}

impl Parser<'_> {
    /// Whether a command is a fraction, or a sign that is followed by limits.
    pub(super) fn is_tall(&self, name: &str) -> bool {
        let rest = self.rest.trim_start();
        let rest = rest.strip_prefix("\\limits").unwrap_or(rest).trim_start();
        is_fraction(name) || WITH_LIMITS.contains(&name) && rest.starts_with(['_', '^'])
    }

    /// The three lines of a command after its name.
    pub(super) fn tall(&mut self, name: &str) -> Option<[String; 3]> {
        if is_fraction(name) {
            let (over, under) = (self.content()?, self.content()?);
            return Some(centred([over.text.trim(), "", under.text.trim()], Some("─")));
        }
        let base = match name {
            "limsup" => "lim sup",
            "liminf" => "lim inf",
            name if WORDS.contains(&name) => name,
            name => sign(name)?.0,
        };
        self.skip_spaces();
        self.eat("\\limits");
        self.skip_spaces();
        let mark = self.rest.chars().next().filter(|c| matches!(c, '_' | '^'))?;
        self.rest = &self.rest[1..];
        let (lowered, raised) = self.both_indices(mark)?;
        let text = |index: Option<super::maths_line::Fragment>| {
            index.map(|index| index.text.trim().to_owned()).unwrap_or_default()
        };
        let (lowered, raised) = (text(lowered), text(raised));
        let is_short = |limit: &str| crate::util::text::width(limit) <= MAX_LIMIT;
        (is_short(&lowered) && is_short(&raised)).then(|| centred([&raised, base, &lowered], None))
    }
}

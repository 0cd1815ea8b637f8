//! Numbers as written in data files.

/// The decimal separator of a number. The other character may separate groups of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    Point,
    Comma,
}

/// What a cell reveals about the notation of its column.
enum Evidence {
    /// The decimal separator is certain.
    Clear(Notation),
    /// The separator may be decimal or between groups: `1.234`.
    Unclear,
    /// A number without separators.
    Plain,
}

impl Notation {
    /// The notation of all cells that are numbers; `None` if it is ambiguous, or if cells contradict each
    /// other. `otherwise` is the notation of numbers such as `1.234` if no other cell determines it.
    pub(super) fn of<'c>(
        cells: impl Iterator<Item = &'c str>,
        otherwise: Option<Self>,
    ) -> Option<Self> {
        let (mut found, mut unclear) = (None, false);
        for cell in cells {
            match evidence(cell) {
                Some(Evidence::Clear(notation)) => {
                    if *found.get_or_insert(notation) != notation {
                        return None;
                    }
                }
                Some(Evidence::Unclear) => unclear = true,
                Some(Evidence::Plain) | None => {}
            }
        }
        found.or(if unclear { otherwise } else { Some(Self::Point) })
    }

    fn separators(self) -> (char, char) {
        match self {
            Self::Point => ('.', ','),
            Self::Comma => (',', '.'),
        }
    }

    /// The value of a numeric cell: `-1,234.5`, `12 345.6`, `12 %`, `1e6`, or with decimal commas.
    pub(super) fn number(self, cell: &str) -> Option<f64> {
        let digits = digits(cell)?;
        let (decimal, group) = self.separators();
        let (whole, rest) = digits.split_at(digits.find(decimal).unwrap_or(digits.len()));
        if rest.contains(group) || whole.contains(group) && !in_groups(whole, group) {
            return None;
        }
        let plain = whole.replace(group, "") + &rest.replace(decimal, ".");
        plain.parse::<f64>().ok().filter(|value| value.is_finite())
    }

    /// Number of digits after the decimal separator, at most six.
    pub(super) fn decimals(self, cell: &str) -> usize {
        let digits = cell.trim_end_matches(['%', ' ']);
        digits.rfind(self.separators().0).map_or(0, |at| (digits.len() - at - 1).min(6))
    }
}

/// Whether a cell is a number in any notation.
pub(super) fn is_number(cell: &str) -> bool {
    Notation::Point.number(cell).or_else(|| Notation::Comma.number(cell)).is_some()
}

/// A number without its unit and whitespace; `None` if it cannot be a number.
fn digits(cell: &str) -> Option<String> {
    let cell = cell.strip_suffix('%').map_or(cell, str::trim_end);
    let first = cell.trim_start_matches(['+', '-']).bytes().next()?;
    let may_be = cell.len() <= 40 && (first.is_ascii_digit() || matches!(first, b'.' | b','));
    may_be.then(|| cell.chars().filter(|c| !matches!(c, ' ' | '\'' | '\u{a0}' | '’')).collect())
}

fn evidence(cell: &str) -> Option<Evidence> {
    let text = digits(cell)?;
    let ways = [Notation::Point, Notation::Comma].map(|notation| notation.number(cell));
    Some(match ways {
        [None, None] => return None,
        [Some(_), None] => Evidence::Clear(Notation::Point),
        [None, Some(_)] => Evidence::Clear(Notation::Comma),
        [Some(_), Some(_)] if !text.contains(['.', ',']) => Evidence::Plain,
        // A group never begins with a zero.
        [Some(_), Some(_)] if text.trim_start_matches(['+', '-']).starts_with('0') => {
            Evidence::Clear(if text.contains('.') { Notation::Point } else { Notation::Comma })
        }
        _ => Evidence::Unclear,
    })
}

/// Whether a separator separates groups of three digits, as in `1,234,567`.
fn in_groups(digits: &str, separator: char) -> bool {
    let mut groups = digits.trim_start_matches(['+', '-']).split(separator);
    let all = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()) && all(group));
    first && groups.all(|group| group.len() == 3 && all(group))
}

/// Formats a sum with groups of three digits.
pub(super) fn written(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e15 {
        return format!("{value:e}");
    }
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::new();
    // A negative number that is rounded to 0 has no sign.
    if value < 0.0 && digits.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        out.push('-');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_as_written() {
        use Notation::{Comma, Point};
        let cases = [
            ("12", Some(12.0), Some(12.0)),
            ("-1,234.5", Some(-1234.5), None),
            ("1.234,5", None, Some(1234.5)),
            ("3,7", None, Some(3.7)),
            ("1,234", Some(1234.0), Some(1.234)),
            ("1,234,567", Some(1_234_567.0), None),
            ("1.234.567", None, Some(1_234_567.0)),
            ("12 345,6", None, Some(12_345.6)),
            ("12 %", Some(12.0), Some(12.0)),
            ("1e6", Some(1e6), Some(1e6)),
            ("1e999", None, None),
            ("inf", None, None),
            ("nan", None, None),
            ("2026-11-25", None, None),
            ("10.0.0.1", None, None),
            ("", None, None),
            ("-", None, None),
        ];
        for (cell, point, comma) in cases {
            assert_eq!((Point.number(cell), Comma.number(cell)), (point, comma), "{cell}");
        }
        assert!(!is_number(&"9".repeat(300)), "an identifier");
    }

    #[test]
    fn a_column_has_one_notation() {
        use Notation::{Comma, Point};
        let cases: [(&[&str], Option<Notation>); 9] = [
            (&["1.234,50", "1.234", "999"], Some(Comma)),
            (&["3,700", "2,5"], Some(Comma)),
            (&["3,700", "2.5"], Some(Point)),
            (&["3,700", "1,234,567"], Some(Point)),
            (&["0,700", "3,700"], Some(Comma)),
            (&["1", "20", "x"], Some(Point)),
            (&["1.234", "999"], None),
            (&["1,234"], None),
            (&["1.5", "1,5"], None),
        ];
        for (cells, want) in cases {
            assert_eq!(Notation::of(cells.iter().copied(), None), want, "{cells:?}");
        }
        assert_eq!(Notation::of(["1.234"].into_iter(), Some(Point)), Some(Point));
    }

    #[test]
    fn writes_sums_with_groups() {
        let cases = [
            (1_234_567.0, 0, "1,234,567"),
            (-0.04, 1, "0.0"),
            (-12.5, 1, "-12.5"),
            (999.999, 2, "1,000.00"),
            (1e300, 0, "1e300"),
        ];
        for (value, decimals, want) in cases {
            assert_eq!(written(value, decimals), want);
        }
        let decimals = ["1,234", "1.25 %", "5"].map(|cell| Notation::Point.decimals(cell));
        assert_eq!((decimals, Notation::Comma.decimals("3,7")), ([0, 2, 0], 1));
    }
}

//! Numbers as data files write them.

/// The value of a cell that is a number: `-1,234.5`, `1.234,5`, `3,7`, `12 %`, `1e6`.
pub(super) fn number(cell: &str) -> Option<f64> {
    let cell = cell.strip_suffix('%').map_or(cell, str::trim_end);
    let first = cell.trim_start_matches(['+', '-']).bytes().next()?;
    if cell.len() > 40 || !(first.is_ascii_digit() || first == b'.' || first == b',') {
        return None;
    }
    if let Ok(value) = cell.parse::<f64>() {
        return Some(value).filter(|value| value.is_finite());
    }
    let digits: String =
        cell.chars().filter(|c| !matches!(c, ' ' | '\'' | '\u{a0}' | '’')).collect();
    let (point, comma) = (digits.rfind('.'), digits.rfind(','));
    let plain = match (point, comma) {
        (Some(point), Some(comma)) if point > comma => digits.replace(',', ""),
        (Some(_), Some(_)) => digits.replace('.', "").replace(',', "."),
        (None, Some(_)) if in_groups(&digits, ',') => digits.replace(',', ""),
        (None, Some(_)) => digits.replacen(',', ".", 1),
        (Some(_), None) if in_groups(&digits, '.') => digits.replace('.', ""),
        _ => digits,
    };
    plain.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Whether a separator makes groups of three digits, as in `1,234,567`.
fn in_groups(digits: &str, separator: char) -> bool {
    let mut groups = digits.trim_start_matches(['+', '-']).split(separator);
    let all = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()) && all(group));
    first && groups.all(|group| group.len() == 3 && all(group))
}

/// Digits after the decimal point that a value is written with, at most six.
pub(super) fn decimals(cell: &str) -> usize {
    let digits = cell.trim_end_matches(['%', ' ']);
    match digits.rfind(['.', ',']) {
        Some(at) if !in_groups(digits, ',') => (digits.len() - at - 1).min(6),
        _ => 0,
    }
}

/// A sum in digits, with groups of three.
pub(super) fn written(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e15 {
        return format!("{value:e}");
    }
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::new();
    // A negative number that is written as 0 has no sign.
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
    fn reads_numbers_as_they_are_written() {
        let cases = [
            ("12", Some(12.0)),
            ("-1,234.5", Some(-1234.5)),
            ("1.234,5", Some(1234.5)),
            ("3,7", Some(3.7)),
            ("1,234,567", Some(1_234_567.0)),
            ("1.234.567", Some(1_234_567.0)),
            ("12 345,6", Some(12_345.6)),
            ("12 %", Some(12.0)),
            ("1e6", Some(1e6)),
            ("1e999", None),
            ("inf", None),
            ("nan", None),
            ("2026-11-25", None),
            ("10.0.0.1", None),
            ("", None),
            ("-", None),
        ];
        for (cell, want) in cases {
            assert_eq!(number(cell), want, "{cell}");
        }
        assert_eq!(number(&"9".repeat(300)), None, "an identifier");
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
        assert_eq!(
            (decimals("1,234"), decimals("1.25 %"), decimals("3,7"), decimals("5")),
            (0, 2, 1, 0)
        );
    }
}

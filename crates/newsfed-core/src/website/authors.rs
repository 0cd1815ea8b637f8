//! Splits bylines into the names of authors.

/// Maximum length of a name, in characters; longer texts are sentences.
const LONGEST: usize = 100;

/// Splits bylines into names: at `, ` and ` and `, even with a comma before the `and`. Suffixes (`Jr.`,
/// `PhD`) stay with the previous name, a leading `By` is removed, and duplicates are dropped, ignoring case.
/// Dates among the names are dropped.
pub fn split_names<'a>(bylines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for byline in bylines {
        let line = without_by(byline.trim());
        let mut own: Vec<String> = Vec::new();
        for part in line.split(", ").flat_map(|p| p.split(" and ")) {
            let part = part.trim();
            let part = part.strip_prefix("and ").unwrap_or(part).trim_matches([',', ' ']);
            match own.last_mut() {
                Some(name) if is_suffix(part) => name.push_str(&format!(", {part}")),
                _ if part.is_empty() || part.chars().count() > LONGEST || is_date(part) => {}
                _ => own.push(part.to_owned()),
            }
        }
        for name in own {
            if !names.iter().any(|known| known.to_lowercase() == name.to_lowercase()) {
                names.push(name);
            }
        }
    }
    names
}

fn without_by(line: &str) -> &str {
    match line.get(..3) {
        Some(start) if start.eq_ignore_ascii_case("by ") => line[3..].trim_start(),
        _ => line,
    }
}

/// Whether a part is more likely a date or a duration than a name: it begins or ends with a digit, or
/// contains two digits in a row.
fn is_date(part: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let pair = part.as_bytes().windows(2).any(|two| two.iter().all(u8::is_ascii_digit));
    pair || part.starts_with(digit) || part.ends_with(digit)
}

fn is_suffix(part: &str) -> bool {
    const SUFFIXES: [&str; 11] =
        ["jr", "sr", "ii", "iii", "iv", "phd", "ph.d", "md", "m.d", "esq", "dds"];
    SUFFIXES.contains(&part.trim_end_matches('.').to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_bylines_into_names() {
        let cases: [(&[&str], &[&str]); 11] = [
            (&["A, B"], &["A", "B"]),
            (&["A and B"], &["A", "B"]),
            (&["A, B and C"], &["A", "B", "C"]),
            (&["A, B, and C"], &["A", "B", "C"]),
            (&["Sandy Anderson"], &["Sandy Anderson"]),
            (&["By Ann Lee", "ann lee", "Bob"], &["Ann Lee", "Bob"]),
            (&["Martin King, Jr., Ann Lee, PhD"], &["Martin King, Jr.", "Ann Lee, PhD"]),
            (&["", " , "], &[]),
            (&["Byron"], &["Byron"]),
            (&["Council office, 21 November 2026"], &["Council office"]),
            (&["By Jennifer 8. Lee, November 1, 2026, 3 min"], &["Jennifer 8. Lee"]),
        ];
        for (bylines, want) in cases {
            assert_eq!(split_names(bylines.iter().copied()), want, "{bylines:?}");
        }
    }
}

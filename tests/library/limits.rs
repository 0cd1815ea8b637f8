//! `docs/limits.md` lists every limit with its value.

use newsfed::util::limits::ALL;

#[test]
fn the_documentation_lists_every_limit() {
    let text = include_str!("../../docs/limits.md");
    let value = |row: &str| -> Option<usize> {
        let cell = row.split('|').nth(2)?.trim();
        let (number, rest) = cell.split_once(' ').unwrap_or((cell, ""));
        let number: usize = number.replace(',', "").parse().ok()?;
        Some(match rest.split(' ').next() {
            Some("MiB") => number << 20,
            Some("KiB") => number << 10,
            _ => number,
        })
    };
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(1);
    let listed: Vec<usize> = rows.filter_map(value).collect();
    let limits: Vec<usize> = ALL.iter().map(|(_, value)| *value).collect();
    assert_eq!(listed, limits, "{ALL:?}");
}

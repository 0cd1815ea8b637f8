//! `docs/limits.md` lists every limit with its value.

use newsfed::util::limits::ALL;

#[test]
fn the_documentation_lists_every_limit() {
    let text = include_str!("../../docs/limits.md");
    let limit = |row: &'static str| -> Option<(&str, usize)> {
        let mut cells = row.split('|').skip(1).map(str::trim);
        let (name, cell) = (cells.next()?, cells.next()?);
        let (number, rest) = cell.split_once(' ').unwrap_or((cell, ""));
        let number: usize = number.replace(',', "").parse().ok()?;
        let value = match rest.split(' ').next() {
            Some("MiB") => number << 20,
            Some("KiB") => number << 10,
            _ => number,
        };
        Some((name, value))
    };
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(1);
    assert_eq!(rows.filter_map(limit).collect::<Vec<_>>(), ALL);
}

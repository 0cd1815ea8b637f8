//! The differences between two states of a data file, regardless of the order of rows and columns.

use super::numbers::Notation;
use super::{DataFormat, Dataset, Table};
use crate::util::text;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::ops::Range;

/// Minimum share of distinct values for a column to identify rows.
const DISTINCT: f64 = 0.95;
/// Minimum share of common values for a column to count as renamed.
const RENAMED: f64 = 0.8;
/// Maximum number of columns compared to find renamed ones.
const MAX_RENAMED: usize = 20;
/// Minimum share of numbers for a column to have a total.
const NUMBERS: f64 = 0.9;
/// Minimum share of rows that must be in both states for columns to identify rows.
const KEPT: f64 = 0.5;
/// Maximum number of leading columns that may identify rows together.
const MAX_TOGETHER: usize = 3;

/// Maximum number of pairs of pages compared in one hunk to find versions of the same page.
const MAX_CLOSE: usize = 400;
/// Maximum number of bytes of text read for all these comparisons; about 0.1 s.
const MAX_COMPARED: usize = 8 << 20;
/// Minimum share of common words for two pages to be versions of the same page.
const ALIKE: f64 = 0.3;

/// The differences between two states of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Difference {
    /// Differences of the tables that are in both states.
    pub tables: Vec<TableDifference>,
    /// Names of added tables, and their numbers of rows.
    pub tables_added: Vec<(String, u64)>,
    pub tables_removed: Vec<(String, u64)>,
}

/// The differences between two states of a table. Row and column numbers refer to the state that contains
/// them. In pairs, the earlier state comes first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableDifference {
    /// The indices of the table in the earlier and the later state.
    pub places: (usize, usize),
    pub totals: Vec<ColumnTotal>,
    pub columns_added: Vec<usize>,
    pub columns_removed: Vec<usize>,
    pub columns_renamed: Vec<(usize, usize)>,
    pub added: Vec<usize>,
    pub removed: Vec<usize>,
    pub changed: Vec<ChangedRow>,
    /// The columns of the later state that identify rows.
    pub key: Vec<usize>,
    /// Whether only the first rows of a state were read, so that missing rows may have moved beyond them
    /// instead of being removed.
    pub partial: bool,
}

/// A row whose cells differ.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedRow {
    pub rows: (usize, usize),
    pub cells: Vec<ChangedCell>,
}

/// The column numbers of a cell in both states.
pub type ChangedCell = (usize, usize);

/// The sum of a column before and after a change.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnTotal {
    /// The column number in the later state.
    pub column: usize,
    pub before: f64,
    pub now: f64,
    pub decimals: usize,
}

impl Difference {
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.tables_added.is_empty() && self.tables_removed.is_empty()
    }
}

impl TableDifference {
    fn is_empty(&self, old: &Table, new: &Table) -> bool {
        let columns = [&self.columns_added, &self.columns_removed];
        columns.iter().all(|c| c.is_empty())
            && self.columns_renamed.is_empty()
            && [&self.added, &self.removed].iter().all(|rows| rows.is_empty())
            && self.changed.is_empty()
            && old.total() == new.total()
    }
}

/// Compares two states of a file.
pub fn compare(old: &Dataset, new: &Dataset) -> Difference {
    let mut difference = Difference::default();
    let mut unmatched: Vec<usize> = (0..old.tables.len()).collect();
    // A single table matches regardless of its name.
    let single = old.tables.len() == 1 && new.tables.len() == 1;
    for (place, table) in new.tables.iter().enumerate() {
        let same = |at: &usize| single || old.tables[*at].name == table.name;
        let Some(found) = unmatched.iter().position(same) else {
            difference.tables_added.push((table.name.clone(), table.total()));
            continue;
        };
        let before = unmatched.remove(found);
        let earlier = &old.tables[before];
        let mut each = match new.format {
            DataFormat::Pdf => compare_pages(earlier, table),
            format => compare_tables(earlier, table, format),
        };
        if !each.is_empty(earlier, table) {
            each.places = (before, place);
            difference.tables.push(each);
        }
    }
    let gone = unmatched.into_iter().map(|at| &old.tables[at]);
    difference.tables_removed = gone.map(|table| (table.name.clone(), table.total())).collect();
    difference
}

/// Compares pages in order. Changed pages are paired by position, or by common words if their numbers differ.
fn compare_pages(old: &Table, new: &Table) -> TableDifference {
    let page = |table: &Table, row| table.cell(row, 0).to_owned();
    let mut input = imara_diff::InternedInput::default();
    input.update_before((0..old.len()).map(|row| page(old, row)));
    input.update_after((0..new.len()).map(|row| page(new, row)));
    let diff = imara_diff::Diff::compute(imara_diff::Algorithm::Histogram, &input);
    let mut out =
        TableDifference { partial: old.beyond + new.beyond > 0, ..TableDifference::default() };
    let size = |table: &Table, rows: &Range<usize>| -> usize {
        rows.clone().map(|row| table.cell(row, 0).len()).sum()
    };
    let mut left = MAX_COMPARED;
    for hunk in diff.hunks() {
        let before = hunk.before.start as usize..hunk.before.end as usize;
        let mut after = hunk.after.start as usize..hunk.after.end as usize;
        let mut close = before.len() * after.len() <= MAX_CLOSE && before.len() != after.len();
        if close {
            let cost = size(old, &before) + before.len() * size(new, &after);
            // Beyond the limit, pages are paired by position, as in hunks with the same number of pages on
            // both sides.
            close = left.checked_sub(cost).map(|rest| left = rest).is_some();
        }
        for row in before {
            let found = if close {
                most_alike(old.cell(row, 0), new, after.clone())
            } else {
                after.clone().next()
            };
            let Some(found) = found else {
                out.removed.push(row);
                continue;
            };
            out.added.extend(after.start..found);
            out.changed.push(ChangedRow { rows: (row, found), cells: vec![(0, 0)] });
            after.start = found + 1;
        }
        out.added.extend(after);
    }
    out
}

/// The page with the most words in common with a text, if there are enough.
fn most_alike(text: &str, pages: &Table, rows: Range<usize>) -> Option<usize> {
    let words: HashSet<&str> = text.split(' ').collect();
    let score = |row: usize| {
        let others: HashSet<&str> = pages.cell(row, 0).split(' ').collect();
        let both = words.intersection(&others).count();
        (both as f64 / words.len().max(others.len()).max(1) as f64, row)
    };
    let best = rows.map(score).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    best.filter(|(score, _)| *score >= ALIKE).map(|(_, row)| row)
}

fn compare_tables(old: &Table, new: &Table, format: DataFormat) -> TableDifference {
    let hasher = RandomState::new();
    let mut out =
        TableDifference { partial: old.beyond + new.beyond > 0, ..TableDifference::default() };
    let mut common = match_columns(old, new, &mut out, &hasher);
    if common.is_empty() {
        // No common column is left to compare rows by.
        out.removed = (0..old.len()).collect();
        out.added = (0..new.len()).collect();
        return out;
    }
    common.sort_unstable();
    let hash = |table: &Table, row: usize, columns: &mut dyn Iterator<Item = usize>| {
        let mut state = hasher.build_hasher();
        columns.for_each(|column| table.cell(row, column).hash(&mut state));
        state.finish()
    };
    let of_old = |row| hash(old, row, &mut common.iter().map(|c| c.0));
    let of_new = |row| hash(new, row, &mut common.iter().map(|c| c.1));
    let mut count: HashMap<u64, usize> = HashMap::with_capacity(old.len());
    (0..old.len()).for_each(|row| *count.entry(of_old(row)).or_default() += 1);
    let is_new = |row: &usize| match count.get_mut(&of_new(*row)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    let added: Vec<usize> = (0..new.len()).filter(is_new).collect();
    let is_gone = |row: &usize| match count.get_mut(&of_old(*row)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    let removed: Vec<usize> = (0..old.len()).filter(is_gone).collect();
    drop(count);
    if added.is_empty() && removed.is_empty() {
        return out;
    }
    let key = key_columns(old, new, &common, &hasher);
    pair(old, new, (removed, added), &common, &key, &mut out, &hasher);
    out.key = key.iter().map(|(_, column)| *column).collect();
    out.totals = totals(old, new, &common, &out.key, format);
    out
}

/// The pairs of matching columns of both states, matched by name and then by values.
fn match_columns(
    old: &Table,
    new: &Table,
    out: &mut TableDifference,
    hasher: &RandomState,
) -> Vec<(usize, usize)> {
    // States stored by earlier versions may contain duplicate names.
    let mut by_name: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (at, name) in old.columns.iter().enumerate() {
        by_name.entry(name.as_str()).or_default().push_back(at);
    }
    let mut common = Vec::new();
    for (at, name) in new.columns.iter().enumerate() {
        match by_name.get_mut(name.as_str()).and_then(VecDeque::pop_front) {
            Some(before) => common.push((before, at)),
            None => out.columns_added.push(at),
        }
    }
    let known: HashSet<usize> = common.iter().map(|c| c.0).collect();
    out.columns_removed = (0..old.columns.len()).filter(|at| !known.contains(at)).collect();
    let values = |table: &Table, column: usize| {
        let mut count: HashMap<u64, usize> = HashMap::new();
        let cells = (0..table.len()).map(|row| table.cell(row, column));
        cells
            .filter(|c| !c.is_empty())
            .for_each(|c| *count.entry(hasher.hash_one(c)).or_default() += 1);
        count
    };
    let firsts = |columns: &[usize]| columns.iter().copied().take(MAX_RENAMED).collect::<Vec<_>>();
    let candidates = firsts(&out.columns_added);
    if candidates.is_empty() || out.columns_removed.is_empty() {
        return common;
    }
    let mut open: Vec<_> = candidates.into_iter().map(|at| (at, values(new, at))).collect();
    for before in firsts(&out.columns_removed) {
        let earlier = values(old, before);
        let score = |later: &HashMap<u64, usize>| overlap(&earlier, later);
        let best = (0..open.len()).max_by(|a, b| score(&open[*a].1).total_cmp(&score(&open[*b].1)));
        let Some(best) = best.filter(|at| score(&open[*at].1) >= RENAMED) else { continue };
        let (at, _) = open.remove(best);
        out.columns_added.retain(|column| *column != at);
        out.columns_removed.retain(|column| *column != before);
        out.columns_renamed.push((before, at));
        common.push((before, at));
    }
    common
}

/// The share of common values in the shorter of two columns; 0 if the longer column is more than twice as
/// long.
fn overlap(a: &HashMap<u64, usize>, b: &HashMap<u64, usize>) -> f64 {
    let size = |m: &HashMap<u64, usize>| m.values().sum::<usize>();
    let both: usize = a.iter().map(|(value, n)| b.get(value).map_or(0, |m| (*n).min(*m))).sum();
    let (shorter, longer) = (size(a).min(size(b)), size(a).max(size(b)));
    if shorter * 2 < longer { 0.0 } else { both as f64 / shorter.max(1) as f64 }
}

/// The columns that identify a row in both states: nearly all of their values are distinct, and at least half
/// of the values are in both states. Empty if there are no such columns.
fn key_columns(
    old: &Table,
    new: &Table,
    common: &[(usize, usize)],
    hasher: &RandomState,
) -> Vec<(usize, usize)> {
    let together = (2..=MAX_TOGETHER.min(common.len())).map(|n| common[..n].to_vec());
    let candidates = common.iter().map(|pair| vec![*pair]).chain(together);
    let mut best: (f64, bool, Vec<(usize, usize)>) = (0.0, false, Vec::new());
    for key in candidates {
        let old_keys = keys(old, &mut |row| key_hash(old, row, key.iter().map(|c| c.0), hasher));
        let Some(old_keys) = old_keys else { continue };
        let new_keys = keys(new, &mut |row| key_hash(new, row, key.iter().map(|c| c.1), hasher));
        let Some(new_keys) = new_keys else { continue };
        let both = new_keys.iter().filter(|k| old_keys.contains(*k)).count();
        let score = both as f64 / old_keys.len().min(new_keys.len()).max(1) as f64;
        // Among equally good columns, prefers one that is named like an identifier.
        let is_named = key.len() == 1 && is_id(&new.columns[key[0].1]);
        let is_better = score > best.0 + 1e-9;
        let is_equal = score >= best.0 - 1e-9;
        // A few common values may be a coincidence.
        if score >= KEPT && (is_better || is_equal && is_named && !best.1) {
            best = (score, is_named, key);
        }
    }
    best.2
}

/// Whether a column is named like an identifier, such as `number`, but not `number of cases`.
pub(super) fn is_id(name: &str) -> bool {
    let name = text::comparable(name);
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let is_whole = matches!(name.trim_end_matches('.'), "number" | "no" | "nr" | "code" | "key");
    is_whole || words.any(|w| matches!(w, "id" | "uuid" | "guid"))
}

/// A hash of the cells that identify a row; `None` if they are all empty.
fn key_hash(
    table: &Table,
    row: usize,
    columns: impl Iterator<Item = usize>,
    hasher: &RandomState,
) -> Option<u64> {
    let (mut state, mut empty) = (hasher.build_hasher(), true);
    for column in columns {
        let cell = table.cell(row, column);
        empty &= cell.is_empty();
        cell.hash(&mut state);
    }
    (!empty).then(|| state.finish())
}

/// The distinct keys of a table; `None` if too many rows have no key of their own.
fn keys(table: &Table, hash: &mut dyn FnMut(usize) -> Option<u64>) -> Option<HashSet<u64>> {
    let allowed = (table.len() as f64 * (1.0 - DISTINCT)) as usize;
    let (mut keys, mut others) = (HashSet::new(), 0);
    for row in 0..table.len() {
        if !hash(row).is_some_and(|key| keys.insert(key)) {
            others += 1;
            if others > allowed {
                return None;
            }
        }
    }
    Some(keys)
}

/// Pairs the rows that are in only one state by their keys. The other rows were removed or added.
fn pair(
    old: &Table,
    new: &Table,
    (removed, added): (Vec<usize>, Vec<usize>),
    common: &[(usize, usize)],
    key: &[(usize, usize)],
    out: &mut TableDifference,
    hasher: &RandomState,
) {
    let mut by_key: HashMap<u64, VecDeque<usize>> = HashMap::new();
    if !key.is_empty() {
        for row in &removed {
            if let Some(hash) = key_hash(old, *row, key.iter().map(|c| c.0), hasher) {
                by_key.entry(hash).or_default().push_back(*row);
            }
        }
    }
    let mut paired = HashSet::new();
    for row in added {
        let hash = key_hash(new, row, key.iter().map(|c| c.1), hasher);
        let before = hash.and_then(|hash| by_key.get_mut(&hash)?.pop_front());
        let Some(before) = before else {
            out.added.push(row);
            continue;
        };
        paired.insert(before);
        let differs = |(a, b): &(usize, usize)| old.cell(before, *a) != new.cell(row, *b);
        let cells = common.iter().copied().filter(differs).collect();
        out.changed.push(ChangedRow { rows: (before, row), cells });
    }
    out.removed = removed.into_iter().filter(|row| !paired.contains(row)).collect();
}

/// The sums of numeric columns that have changed.
fn totals(
    old: &Table,
    new: &Table,
    common: &[(usize, usize)],
    key: &[usize],
    format: DataFormat,
) -> Vec<ColumnTotal> {
    let columns = common.iter().filter(|(_, column)| !key.contains(column));
    let total = |(before, column): &(usize, usize)| {
        let cells = values(old, *before).chain(values(new, *column));
        let notation = Notation::of(cells, usual(format))?;
        let (was, places) = sum_in(notation, old, *before)?;
        let (now, more) = sum_in(notation, new, *column)?;
        let decimals = places.max(more);
        let differs = (was - now).abs() >= 0.5 * 0.1_f64.powi(decimals as i32);
        differs.then_some(ColumnTotal { column: *column, before: was, now, decimals })
    };
    columns.filter_map(total).collect()
}

/// The non-empty cells of a column.
fn values(table: &Table, column: usize) -> impl Iterator<Item = &str> {
    (0..table.len()).map(move |row| table.cell(row, column)).filter(|cell| !cell.is_empty())
}

/// The notation in formats that store numbers as numbers.
fn usual(format: DataFormat) -> Option<Notation> {
    matches!(format, DataFormat::Json | DataFormat::JsonLines | DataFormat::Xlsx)
        .then_some(Notation::Point)
}

/// The sum of a numeric column, and its number of decimals; `None` if the notation of its cells is ambiguous.
pub(super) fn sum(table: &Table, column: usize, format: DataFormat) -> Option<(f64, usize)> {
    let notation = Notation::of(values(table, column), usual(format))?;
    sum_in(notation, table, column)
}

fn sum_in(notation: Notation, table: &Table, column: usize) -> Option<(f64, usize)> {
    let (mut total, mut places, mut numbers, mut others) = (0.0, 0, 0_usize, 0_usize);
    for cell in values(table, column) {
        match notation.number(cell) {
            Some(value) => {
                numbers += 1;
                total += value;
                places = places.max(notation.decimals(cell));
            }
            None => others += 1,
        }
    }
    let is_numeric = numbers as f64 >= NUMBERS * (numbers + others) as f64 && numbers > 0;
    (is_numeric && f64::is_finite(total)).then_some((total, places))
}

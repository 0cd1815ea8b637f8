//! Data files whose content is followed for changes: CSV, TSV, JSON, XLSX and PDF.
//!
//! Pure. [`read`] turns a file into tables and enforces all limits while reading. [`compare`] finds the rows,
//! columns and totals that differ. [`describe`] and [`describe_difference`] write a file and its changes as
//! the text of an item. [`pack`] stores what the next comparison needs.

mod compare;
mod delimited;
mod format;
mod json;
mod numbers;
mod pdf;
mod render;
mod saved;
mod table;
mod xlsx;

pub use compare::{ChangedCell, ChangedRow, ColumnTotal, Difference, TableDifference, compare};
pub use format::DataFormat;
pub use render::{describe, describe_difference, summary};
pub use saved::{pack, unpack};
pub use table::Table;

use crate::util::limits;
use crate::util::text::counted;
use table::Budget;

/// A data file as tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    pub format: DataFormat,
    pub tables: Vec<Table>,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Parts that were not read, and the reasons.
    pub left_out: Vec<String>,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatasetError {
    #[error("the file is not valid {format}: {why}")]
    Invalid { format: &'static str, why: String },
    #[error("the file exceeds the limits of newsfed")]
    TooLarge,
    #[error("the file is encrypted")]
    Encrypted,
}

/// Reads a file.
///
/// # Errors
/// If the file is not valid in its format, or exceeds a limit beyond which nothing can be used.
pub fn read(
    bytes: &[u8],
    content_type: Option<&str>,
    format: DataFormat,
) -> Result<Dataset, DatasetError> {
    let mut budget = Budget::default();
    let tables = match format {
        DataFormat::Csv | DataFormat::Tsv => {
            vec![delimited::read(bytes, content_type, format, &mut budget)]
        }
        DataFormat::Json => json::read(bytes, &mut budget)?,
        DataFormat::JsonLines => json::read_lines(bytes, &mut budget)?,
        DataFormat::Xlsx => xlsx::read(bytes, &mut budget)?,
        DataFormat::Pdf => pdf::read(bytes, &mut budget)?,
    };
    let mut left_out = std::mem::take(&mut budget.notes);
    let beyond: u64 = tables.iter().map(|table| table.beyond).sum();
    if beyond > 0 {
        left_out.push(format!(
            "{} beyond the limits of {} rows, {} cells and {} MiB",
            counted(beyond, "row"),
            limits::DATASET_ROWS,
            limits::DATASET_CELLS,
            limits::DATASET_TEXT >> 20
        ));
    }
    if budget.surplus_cells > 0 {
        let limit = limits::DATASET_COLUMNS;
        let cells = counted(budget.surplus_cells, "cell");
        left_out.push(format!("{cells} beyond the first {limit} columns"));
    }
    Ok(Dataset { format, tables, bytes: bytes.len() as u64, left_out })
}

#[cfg(test)]
mod tests;

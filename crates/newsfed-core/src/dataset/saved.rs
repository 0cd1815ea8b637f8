//! The part of a file that is stored for the next comparison: its tables as compressed text.

use super::table::Budget;
use super::{DataFormat, Dataset, Table};
use crate::util::limits;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// The version of the storage format. States with a different version are not compared.
const VERSION: u32 = 2;
/// Maximum size of a decompressed state, in bytes.
const MAX_UNPACKED: u64 = (limits::DATASET_TEXT + 2 * limits::DATASET_CELLS + (4 << 20)) as u64;
/// Terminates each cell. Sanitised text does not contain it.
const CELL: char = '\u{1f}';
/// Terminates each row. Sanitised text does not contain it.
const ROW: char = '\u{1e}';

/// The first line of a stored state.
#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    format: DataFormat,
    bytes: u64,
    left_out: Vec<String>,
    tables: Vec<TableHead>,
}

#[derive(Serialize, Deserialize)]
struct TableHead {
    name: String,
    columns: Vec<String>,
    beyond: u64,
    rows: usize,
}

/// Converts a state to bytes for storage.
///
/// # Errors
/// If compression fails.
pub fn pack(dataset: &Dataset) -> std::io::Result<Vec<u8>> {
    let table = |table: &Table| TableHead {
        name: table.name.clone(),
        columns: table.columns.clone(),
        beyond: table.beyond,
        rows: table.len(),
    };
    let head = Head {
        version: VERSION,
        format: dataset.format,
        bytes: dataset.bytes,
        left_out: dataset.left_out.clone(),
        tables: dataset.tables.iter().map(table).collect(),
    };
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    serde_json::to_writer(&mut packed, &head)?;
    packed.write_all(b"\n")?;
    let mut line = String::new();
    for table in &dataset.tables {
        for row in 0..table.len() {
            line.clear();
            for cell in table.cells(row) {
                line.push_str(cell);
                line.push(CELL);
            }
            line.push(ROW);
            packed.write_all(line.as_bytes())?;
        }
    }
    packed.finish()
}

/// The stored state; `None` if it is damaged or has a different version.
pub fn unpack(packed: &[u8]) -> Option<Dataset> {
    let mut text = String::new();
    ZlibDecoder::new(packed).take(MAX_UNPACKED).read_to_string(&mut text).ok()?;
    let (head, mut rest) = text.split_once('\n')?;
    let head: Head = serde_json::from_str(head).ok().filter(|h: &Head| h.version == VERSION)?;
    let mut budget = Budget::default();
    let mut tables = Vec::with_capacity(head.tables.len());
    for each in head.tables {
        let mut table = Table::named(&each.name);
        table.columns = each.columns;
        for _ in 0..each.rows {
            let (row, after) = rest.split_once(ROW)?;
            let cells: Vec<&str> = row.strip_suffix(CELL)?.split(CELL).collect();
            table.push(&cells, &mut budget);
            rest = after;
        }
        table.beyond += each.beyond;
        tables.push(table);
    }
    Some(Dataset { format: head.format, tables, bytes: head.bytes, left_out: head.left_out })
}

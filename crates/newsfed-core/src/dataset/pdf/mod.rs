//! PDF: the text of each page becomes a row.
//!
//! Reads only what is needed for the text, and never relies on the layout that a file declares: objects are
//! found in one pass from the first byte to the last. Everything that takes time is charged to one budget
//! ([`work::Work`]): bytes that are read or filtered, values, and names. The number of values in memory is
//! also limited.

mod file;
mod filters;
mod font;
mod object;
mod page;
mod work;

use super::DatasetError;
use super::table::{Budget, Table};
use crate::model::stable_hash;
use crate::util::limits;
use crate::util::text::{self, counted};
use file::PdfFile;
use std::collections::HashMap;
use std::rc::Rc;
use work::Work;

/// Maximum size of the text that is kept per page, in bytes.
const MAX_PAGE: usize = 100_000;

/// Reads the text of the pages.
pub(super) fn read(bytes: &[u8], budget: &mut Budget) -> Result<Vec<Table>, DatasetError> {
    read_within(bytes, &Work::new(limits::PDF_WORK), budget)
}

fn read_within(
    bytes: &[u8],
    work: &Rc<Work>,
    budget: &mut Budget,
) -> Result<Vec<Table>, DatasetError> {
    let mut file = PdfFile::open(bytes, work.clone())?;
    let pages = file.pages();
    if pages.is_empty() {
        let why = "it contains no pages".to_owned();
        return Err(DatasetError::Invalid { format: "PDF", why });
    }
    let mut table = Table::default();
    table.columns.push("text".to_owned());
    let (mut fonts, mut silent) = (HashMap::new(), 0_u32);
    let surplus = pages.len().saturating_sub(limits::PDF_PAGES);
    for page in pages.iter().take(limits::PDF_PAGES) {
        let (resources, content) = file.content(page);
        let found = page::text(&mut file, &resources, &content, &mut fonts);
        let mut line = words(&found);
        if line.is_empty() {
            silent += 1;
            // A hash of the drawing instructions shows whether a page without text has changed.
            let drawn = String::from_utf8_lossy(&content);
            work.charge(content.len());
            line = format!("[no text, {:08x}]", stable_hash([&*drawn]) >> 32);
        }
        table.push(&[line], budget);
    }
    if file.is_exhausted() {
        // The missing parts of pages would be reported as changes.
        return Err(DatasetError::TooLarge);
    }
    budget.notes.extend(limits::left_out(surplus, "page", limits::PDF_PAGES));
    if silent > 0 {
        budget.notes.push(format!("pictures on {} without text", counted(silent, "page")));
    }
    Ok(vec![table])
}

/// Sanitised text on one line.
fn words(raw: &str) -> String {
    let block = text::block(text::start(raw, MAX_PAGE));
    block.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;

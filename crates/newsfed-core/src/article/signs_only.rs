//! Table cells that contain only symbols, such as "—" or "✓".

use super::blocks::Page;
use super::figures::sums;

/// Maximum number of elements between a text and its cell.
const MAX_INSIDE: usize = 8;

/// Adds cells without words to the selected blocks if other cells in the row are selected: a row is
/// misleading without its symbols.
pub(super) fn with_signs(page: &Page<'_>, taken: &[bool]) -> Vec<bool> {
    let sums = sums(taken);
    let is_cell = |at: &usize| matches!(page.elements[*at].name(), "td" | "th" | "dt" | "dd");
    let is_beside_words = |at: usize| {
        let cell = page.around(page.blocks[at].element).take(MAX_INSIDE).find(is_cell)?;
        let row = &page.elements[page.elements[cell].parent].blocks;
        Some(sums[row.end] > sums[row.start])
    };
    let shown = |(at, taken): (usize, &bool)| {
        *taken || page.blocks[at].words == 0 && is_beside_words(at) == Some(true)
    };
    taken.iter().enumerate().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use crate::article::{Guide, Mode, extract, from_html};
    use crate::util::html::tree;
    use scraper::ElementRef;

    #[test]
    fn keeps_symbols_in_their_columns() {
        let text = "<p>The plans of the harbour differ in what they contain, and a table shows it, for \
                    boats of all sizes that stay for a day or for a week.</p>";
        let rows = "<tr><th>Plan<th>Price<th>Water<th>Boats<tr><td>Small<td>—<td>100<td>5\
                    <tr><td>Roaming<td><b>✗</b><td>✓<td>-<tr><td>Large<td>$$<td><td>12";
        let page = format!(
            "<title>Plans</title><article><h1>Plans</h1>{text}<table>{rows}</table>{text}<dl><dt>—<dd>No entry \
             means that a plan does not have it, and never will.</dl>{text}</article><p>…</p>"
        );
        let document = extract(&page, &Guide::default(), Mode::Auto, None).unwrap().document;
        let markdown = document.markdown();
        for part in [
            "| Small | — | 100 | 5 |",
            "| Roaming | **✗** | ✓ | - |",
            "| Large | $$ |  | 12 |",
            "- **—**",
        ] {
            assert!(markdown.contains(part), "{part} {markdown}");
        }
        assert!(!markdown.contains('…'), "{markdown}");
    }

    #[test]
    fn left_out_cells_do_not_shift_other_cells() {
        let rows = "<tr><td>a<td>b<td>c<td>x<tr><td>d<td>e<td>f<td>x<tr><td>x<td>x<td>x<td>x";
        let tree = tree::fragment(&format!("<table>{rows}</table>")).unwrap();
        let root = tree.root_element();
        let is_out = |e: &ElementRef<'_>| matches!(&*e.text().collect::<String>(), "e" | "x");
        let cells = root.descendent_elements().filter(|e| e.value().name() == "td");
        let dropped = cells.filter(is_out).map(|e| e.id()).collect();
        let markdown = from_html::of_element(root, None, &dropped).markdown();
        assert!(markdown.contains("| a | b | c |\n"), "{markdown}");
        assert!(markdown.contains("| d |  | f |\n") && !markdown.contains('x'), "{markdown}");
    }
}

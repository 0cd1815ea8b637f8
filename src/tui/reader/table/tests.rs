//! Tests of the layout of tables.

use super::super::glyphs::UNICODE;
use super::*;
use crate::article::{Block, from_html};
use proptest::prelude::*;

fn laid_out(html: &str, space: usize, beyond: usize) -> Vec<Line> {
    let document = from_html(html, None);
    let Some(Block::Table { header, rows }) = document.blocks.first() else {
        panic!("no table: {document:?}")
    };
    lay_out(*header, rows, space, beyond, &UNICODE)
}

fn text_of(lines: &[Line]) -> Vec<String> {
    let line = |l: &Line| l.all().map(|s| s.text.as_str()).collect::<String>();
    lines.iter().map(|l| line(l).trim_end().to_owned()).collect()
}

fn shown(html: &str, space: usize) -> Vec<String> {
    text_of(&laid_out(html, space, 0))
}

const TABLE: &str = "<table><tr><th>Name<th>What it is<th>Worst<tr><td>日本語<td>a language\
    <td>2.9 s<tr><td>b<td>short<td>310 ms</table>";

#[test]
fn keeps_natural_widths_if_the_table_fits() {
    let lines = [
        " Name    What it is   Worst",
        "───────────────────────────",
        " 日本語  a language   2.9 s",
        " b       short       310 ms",
    ];
    assert_eq!(shown(TABLE, 27), lines);
    assert_eq!(shown(TABLE, 28), lines);
    // Free space separates the columns.
    let airy = [
        " Name      What it is     Worst",
        "───────────────────────────────",
        " 日本語    a language     2.9 s",
        " b         short         310 ms",
    ];
    assert_eq!(shown(TABLE, 31), airy);
    assert_eq!(shown(TABLE, 72), airy);
}

#[test]
fn uses_the_space_beyond_the_column() {
    for (space, beyond, used, width) in [
        (40, 50, 0, 31),
        (26, 50, 1, 27),
        (20, 50, 7, 27),
        // Columns are shrunk only if all of the space is used.
        (20, 6, 6, 26),
        // Records stay in the column.
        (12, 4, 0, 12),
    ] {
        let lines = laid_out(TABLE, space, beyond);
        let widest = text_of(&lines).iter().map(|line| text::width(line)).max();
        assert!(lines.iter().all(|line| line.beyond == used), "{lines:#?}");
        assert!(widest <= Some(width) && widest > Some(width - 4), "{lines:#?}");
    }
}

#[test]
fn the_first_cell_is_the_title_of_a_record_if_its_column_has_no_header() {
    let frame = "<table><tr><th><th>scheduled_interval<th>route_in_words<th>name_of_station\
        <th>name_of_vehicle<tr><td>0<td>10.0<td>a_rather_long_route_of_one_word\
        <td>third_avenue_and_pike<td>bus_number_1234567<tr><td>1<td>12.0<td>short</table>";
    let lines = laid_out(frame, 60, 0);
    let expected = [
        "0",
        "scheduled_interval  10.0",
        "route_in_words      a_rather_long_route_of_one_word",
        "name_of_station     third_avenue_and_pike",
        "name_of_vehicle     bus_number_1234567",
        "",
        "1",
        "scheduled_interval  12.0",
        "route_in_words      short",
    ];
    assert_eq!(text_of(&lines), expected);
    assert!(lines[0].spans.iter().any(|s| s.text == "0" && s.role == Role::Strong));
}

#[test]
fn a_cell_that_is_much_wider_than_the_others_wraps() {
    let text = "several words in a sentence ".repeat(3);
    let row = |first: &str| format!("<tr><td>{first}<td>{text}<td>{text}");
    let rows = [row("one"), row("two words"), row("a name that is much longer than others")];
    let lines = shown(&format!("<table>{}</table>", rows.concat()), 72);
    assert!(lines[0].starts_with(" one                  several"), "{lines:#?}");
}

#[test]
fn numbers_of_links_do_not_disturb_the_alignment_of_digits() {
    let html = "<table><tr><th>Name<th>Size<tr><td>one<td><a href='http://e.org/1'>12</a>\
        <tr><td>two<td>1234<tr><td>three<td></table>";
    let lines =
        [" Name     Size", "───────────────", " one        12¹", " two      1234", " three"];
    assert_eq!(shown(html, 40), lines);
}

#[test]
fn entries_of_lists_are_indented_below_their_bullets() {
    let html = "<table><tr><th>Name<th>Facts<tr><td>one<td>It has<ul><li>a long first entry\
        <li>and <b>more</b></ul></table>";
    let lines = shown(html, 24);
    let expected = [
        " Name  Facts",
        "────────────────────────",
        " one   It has",
        "       • a long first",
        "         entry",
        "       • and more",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn only_the_widest_columns_shrink() {
    let widths = |natural: &[usize], minimum: &[usize], space| {
        shrink(natural, minimum, space).unwrap_or_default()
    };
    assert_eq!(widths(&[10, 12, 80], &[5, 6, 12], 60), [10, 12, 38]);
    assert_eq!(widths(&[10, 50, 80], &[5, 6, 12], 61), [10, 26, 25]);
    assert_eq!(widths(&[10, 50, 80], &[5, 30, 12], 61), [10, 30, 21]);
    assert_eq!(widths(&[10, 12], &[5, 6], 60), [10, 12]);
    assert_eq!(widths(&[10, 12], &[5, 6], 11), [5, 6]);
    assert!(widths(&[10, 12], &[5, 6], 10).is_empty());
    // A long word is broken only if nothing else can shrink.
    let link = "https://example.org/one";
    let row = format!("<tr><td>{link}<td>{}", "word ".repeat(20));
    let lines = shown(&format!("<table>{row}</table>"), 60);
    assert!(lines[0].contains(link), "{lines:#?}");
    // A long word does not squeeze the text next to it.
    let lines = shown(&format!("<table>{row}</table>"), 36);
    assert!(!lines[0].contains(link) && lines.len() < 12, "{lines:#?}");
}

#[test]
fn shrinks_columns_and_wraps_cells() {
    let lines = shown(TABLE, 26);
    assert!(lines.contains(&String::new()), "rows are separated: {lines:#?}");
    assert!(lines.iter().all(|l| text::width(l) <= 26), "{lines:#?}");
    assert!(lines[0].starts_with(" Name"), "{lines:#?}");
}

#[test]
fn shows_rows_of_a_wide_table_as_blocks() {
    assert_eq!(
        shown(TABLE, 20),
        [
            "Name    日本語",
            "What …  a language",
            "Worst   2.9 s",
            "",
            "Name    b",
            "What …  short",
            "Worst   310 ms",
        ]
    );
    let row = "<td>considerable</td>".repeat(6);
    let lines = shown(&format!("<table><tr>{row}</tr></table>"), 40);
    assert_eq!(lines[..2], ["considerable", "  considerable"]);
}

#[test]
fn recognises_numbers() {
    for (text, expected) in [
        ("412", true),
        ("−1.5", true),
        ("2.9 s", true),
        ("100 %", true),
        ("$1,200", true),
        ("–", true),
        ("-", true),
        ("12 Nov 2020", false),
        ("4X line", true),
        ("v2", false),
        ("", false),
        ("3 of them all", false),
    ] {
        assert_eq!(is_number(text), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn fits_lines_into_the_space(
        cells in proptest::collection::vec("[a-c日 1-3]{1,30}", 2..12),
        head in proptest::bool::ANY, space in 8usize..60
    ) {
        let cell = if head { "th" } else { "td" };
        let row = |(i, c): (usize, &[String])| {
            let name = if i == 0 { cell } else { "td" };
            c.iter().map(|t| format!("<{name}>x{t}</{name}>")).collect::<String>()
        };
        let rows: String =
            cells.chunks(2).enumerate().map(|c| format!("<tr>{}</tr>", row(c))).collect();
        for line in &shown(&format!("<table>{rows}</table>"), space) {
            prop_assert!(text::width(line) <= space, "{line:?} in {space}");
        }
    }
}

//! Titles and texts of search results with highlighted hits.

use super::super::app::App;
use super::row::Row;
use crate::config::Role;
use crate::model::ItemRow;
use crate::store::Snippet;
use crate::util::text as words;
use ratatui::style::{Modifier, Style};
use std::ops::Range;

/// Minimum width of a snippet, in cells.
const MIN: usize = 16;

/// Draws the title of an item at the left of a row, followed by the text around a match if `with_text` is set
/// and there is space. `plain` is the style of the title, and `dim` that of the text. Matches are
/// highlighted.
pub(super) fn draw(
    app: &App,
    item: &ItemRow,
    (title, hits, with_text): (&str, &[Range<usize>], bool),
    out: &mut Row,
    plain: Style,
    dim: Style,
) {
    let Some(snippet) = app.snippets.of(item.key) else { return out.left(title, plain) };
    let hit = |base: Style| hit_style(app, base);
    let end = hits.first().map_or(0, |hit| hit.end);
    let seen = title.get(..end).map_or(0, words::width) < out.free();
    match hits.len() {
        // Scrolls to the first hit instead of showing the start of the title.
        1.. if !seen && words::width(title) > out.free() => {
            out.left("…", dim);
            let (title, hits) = from_first(title, hits, out.free());
            marked(title, &hits, out, plain, hit(plain));
        }
        _ => marked(title, hits, out, plain, hit(plain)),
    }
    if with_text && !snippet.text.is_empty() && !snippet.hits.is_empty() && out.free() >= MIN {
        out.left("  ", dim);
        self::text(app, snippet, out, dim);
    }
}

/// Draws the part of a text that matches a search, with highlighted hits.
pub(super) fn text(app: &App, snippet: &Snippet, out: &mut Row, plain: Style) {
    let (text, hits) = from_first(&snippet.text, &snippet.hits, out.free().saturating_sub(1));
    if text.len() < snippet.text.len() && !text.starts_with('…') {
        out.left("…", plain);
    }
    marked(text, &hits, out, plain, hit_style(app, plain));
}

/// The style of hits: underlined as in the palette, because colour blocks in every row would stand out more
/// than the selection.
pub(super) fn hit_style(app: &App, base: Style) -> Style {
    base.patch(app.palette.style(Role::Pinned).add_modifier(Modifier::UNDERLINED))
}

/// Draws a text with its hits (byte ranges) in another style, truncated at the end of the row.
fn marked(text: &str, hits: &[Range<usize>], out: &mut Row, plain: Style, hit: Style) {
    let shown = words::truncate(text, out.free());
    let cut = shown.len() < text.len() || *shown != *text;
    // The position of the ellipsis, after the last visible character.
    let kept = if cut { shown.trim_end_matches('…').len() } else { text.len() };
    let mut at = 0;
    for range in hits {
        let range = &(range.start.min(kept)..range.end.min(kept));
        let (Some(before), Some(found)) = (text.get(at..range.start), text.get(range.clone()))
        else {
            continue;
        };
        out.left(before, plain);
        out.left(found, hit);
        at = range.end;
    }
    out.left(shown.get(at..).unwrap_or_default(), plain);
}

/// The text from a word shortly before its first hit, so that the hit is visible in this many cells, with
/// adjusted hit ranges. The text before the hit uses a third of the cells, or all cells that the rest of the
/// text does not need.
fn from_first<'a>(
    text: &'a str,
    hits: &[Range<usize>],
    cells: usize,
) -> (&'a str, Vec<Range<usize>>) {
    let first = hits.first().map_or(0, |hit| hit.start);
    let (lead, rest) = text.split_at_checked(first).unwrap_or_default();
    let before = (cells / 3).max(cells.saturating_sub(words::width(rest)));
    let is_far = |(at, _): &(usize, char)| words::width(&lead[*at..]) > before;
    let cut = lead.char_indices().rev().find(is_far).map_or(0, |(at, _)| at);
    let word = lead[cut..].find(' ').filter(|_| cut > 0).map_or(cut, |space| cut + space + 1);
    let moved = hits.iter().map(|hit| hit.start - word..hit.end - word).collect();
    (&text[word..], moved)
}

#[cfg(test)]
mod tests {
    use super::from_first;

    #[test]
    fn starts_shortly_before_the_first_hit() {
        let text = "one two three four 日本 hit end";
        let at = text.find("hit").unwrap();
        let hits = [at..at + 3, at + 4..at + 7];
        let long = format!("{text}{}", " and so on".repeat(9));
        for (text, cells, want) in [
            (text, 100, text),
            (text, 18, "four 日本 hit end"),
            (text, 14, "日本 hit end"),
            (text, 9, "hit end"),
            (text, 0, "hit end"),
            (long.as_str(), 30, "four 日本 hit end"),
            (long.as_str(), 12, "hit end"),
        ] {
            let (shown, moved) = from_first(text, &hits, cells);
            assert_eq!(&shown[moved[0].clone()], "hit", "{cells}");
            assert!(shown.starts_with(want), "{cells}: {shown}");
        }
    }
}

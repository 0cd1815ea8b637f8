//! Changes a TOML text and leaves every other byte unchanged.
//!
//! The parser returns the positions of keys and values, and only those bytes are replaced. Comments, order,
//! blank lines, quoting and line endings are therefore preserved.

use std::ops::Range;
use toml_edit::{Document, InlineTable, Item, Table, TomlError, Value};

/// Why a text cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpliceError {
    #[error("not valid TOML: {}", .0.message())]
    Syntax(#[from] TomlError),
    #[error("`{0}` is written in a form that newsfed cannot change; edit the file yourself")]
    Form(String),
}

/// A table, and the prefix that its keys have below the nearest header.
struct Target<'a> {
    table: &'a Table,
    /// The nearest table with a header of its own, or the whole file.
    opened: &'a Table,
    /// The end of that header; `None` if there is none.
    header: Option<usize>,
    prefix: Vec<String>,
}

/// Sets the value at a path, or removes the key if `value` is `None`. `value` is TOML. `element` is the start
/// of the header of the array element that the path is relative to; `None` is the whole file.
pub(crate) fn set(
    text: &str,
    element: Option<usize>,
    path: &[&str],
    value: Option<&str>,
) -> Result<String, SpliceError> {
    let document = Document::parse(text)?;
    let (range, with) = edit(document.as_table(), text, element, path, value)?;
    Ok(replace(text, range, &with))
}

/// Sets a key in several elements of an array, removes it (`Some(None)`), or leaves it (`None`). `starts` are
/// the offsets of their headers in ascending order, and are updated for the new text.
pub(crate) fn set_each(
    text: &str,
    starts: &mut [usize],
    path: &[&str],
    values: &[Option<Option<String>>],
) -> Result<String, SpliceError> {
    let document = Document::parse(text)?;
    let mut new = String::with_capacity(text.len());
    let mut done = 0;
    for (start, value) in starts.iter_mut().zip(values) {
        // Elements do not overlap, so the changes are in the order of the elements.
        let here = std::mem::replace(start, new.len() + (*start - done));
        let Some(value) = value else { continue };
        let (range, with) = edit(document.as_table(), text, Some(here), path, value.as_deref())?;
        if range.is_empty() && with.is_empty() {
            continue;
        }
        new.push_str(&text[done..range.start]);
        new.push_str(&with);
        done = range.end;
    }
    new.push_str(&text[done..]);
    Ok(new)
}

/// The bytes to replace, and their replacement.
type Edit = (Range<usize>, String);

fn edit(
    root: &Table,
    text: &str,
    element: Option<usize>,
    path: &[&str],
    value: Option<&str>,
) -> Result<Edit, SpliceError> {
    let form = || SpliceError::Form(path.join("."));
    let nothing = (0..0, String::new());
    let start = match element {
        Some(start) => find_element(root, start).ok_or_else(form)?,
        None => root,
    };
    let (key, parents) = path.split_last().ok_or_else(form)?;
    let header = element.and(start.span()).map(|s| s.end);
    let mut place = Target { table: start, opened: start, header, prefix: Vec::new() };
    for (depth, parent) in parents.iter().enumerate() {
        match place.table.get(parent) {
            Some(Item::Table(inner)) => place = descend(place, inner, parent),
            Some(Item::Value(Value::InlineTable(inner))) if depth + 1 == parents.len() => {
                let start = place.table.key(parent).and_then(|k| k.span()).ok_or_else(form)?.start;
                let line = line_start(text, start);
                return set_inline(text, line, inner, key, value).ok_or_else(form);
            }
            // A new table of an array element cannot be appended to the file, so its keys are written dotted.
            None if element.is_some() => {
                place.prefix.extend(parents[depth..].iter().map(|p| (*p).to_owned()));
                return Ok(value.map_or(nothing, |v| insert(text, &place, path, key, v)));
            }
            None => return Ok(value.map_or(nothing, |v| append(text, path, v))),
            Some(_) => return Err(form()),
        }
    }
    match (place.table.get(key), value) {
        (Some(Item::Value(old)), new) => {
            let start = place.table.key(key).and_then(|k| k.span()).ok_or_else(form)?.start;
            let span = old.span().ok_or_else(form)?;
            Ok(exchange(text, line_start(text, start), span, &inner_comments(text, old), new))
        }
        (Some(_), _) => Err(form()),
        (None, None) => Ok(nothing),
        (None, Some(new)) => Ok(insert(text, &place, path, key, new)),
    }
}

/// Replaces the value in its line, or removes the key. Comments inside the old value move above the line; a
/// comment after a removed key is kept.
fn exchange(
    text: &str,
    line: usize,
    span: Range<usize>,
    comments: &[&str],
    new: Option<&str>,
) -> Edit {
    let above = lines_of(text, comments);
    match new {
        Some(new) => put(text, line, span, &above, new),
        None => {
            let end = next_line(text, span.end);
            let rest = text[span.end..end].trim_start_matches([' ', '\t']);
            let kept = if rest.starts_with('#') { rest } else { "" };
            (line..end, format!("{above}{kept}"))
        }
    }
}

/// The comments, one per line.
fn lines_of(text: &str, comments: &[&str]) -> String {
    comments.iter().flat_map(|comment| [comment, newline(text)]).collect()
}

/// Replaces bytes of a line and inserts whole lines above it.
fn put(text: &str, line: usize, span: Range<usize>, above: &str, new: &str) -> Edit {
    if above.is_empty() {
        return (span, new.to_owned());
    }
    (line..span.end, format!("{above}{}{new}", &text[line..span.start]))
}

/// The comments inside a value: in its lists and inline tables, at any depth.
fn inner_comments<'a>(text: &'a str, value: &Value) -> Vec<&'a str> {
    let Some(span) = value.span() else { return Vec::new() };
    let mut words = Vec::new();
    spans_of_words(value, &mut words);
    words.sort_unstable_by_key(|word| word.start);
    let mut gaps = Vec::new();
    let mut done = span.start;
    for word in words {
        gaps.push(text.get(done..word.start).unwrap_or_default());
        done = word.end;
    }
    gaps.push(text.get(done..span.end).unwrap_or_default());
    let comment = |line: &'a str| line.find('#').map(|at| line[at..].trim_end());
    gaps.into_iter().flat_map(str::lines).filter_map(comment).collect()
}

/// The ranges of keys and plain values inside a value, because these may contain `#`.
fn spans_of_words(value: &Value, words: &mut Vec<Range<usize>>) {
    match value {
        Value::Array(list) => list.iter().for_each(|inner| spans_of_words(inner, words)),
        Value::InlineTable(table) => {
            for (name, inner) in table.iter() {
                words.extend(table.key(name).and_then(|key| key.span()));
                spans_of_words(inner, words);
            }
        }
        plain => words.extend(plain.span()),
    }
}

fn descend<'a>(place: Target<'a>, inner: &'a Table, name: &str) -> Target<'a> {
    if inner.is_dotted() {
        let mut prefix = place.prefix.clone();
        prefix.push(name.to_owned());
        return Target { table: inner, prefix, ..place };
    }
    let header = inner.span().filter(|_| !inner.is_implicit()).map(|s| s.end);
    Target { table: inner, opened: inner, header, prefix: Vec::new() }
}

/// Inserts a key after the last one of its table.
fn insert(text: &str, place: &Target<'_>, path: &[&str], key: &str, value: &str) -> Edit {
    let newline = newline(text);
    let names = place.prefix.iter().map(String::as_str).chain([key]);
    let line = format!("{} = {value}", dotted(names));
    let after = direct_end(place.table).or_else(|| direct_end(place.opened)).or(place.header);
    if let Some(after) = after {
        let at = line_end(text, after);
        return (at..at, format!("{newline}{line}"));
    }
    // A key of the file itself goes before the first table; any other key is appended to the file.
    let is_top = path.len() == place.prefix.len() + 1;
    match (is_top, first_header(place.opened)) {
        (true, Some(header)) => {
            let at = attached_start(text, line_start(text, header));
            (at..at, format!("{line}{newline}{newline}"))
        }
        _ => append(text, path, value),
    }
}

/// Appends a key to the file, in a new table if its path has one.
fn append(text: &str, path: &[&str], value: &str) -> Edit {
    let newline = newline(text);
    let (key, parents) = path.split_last().unwrap_or((&"", &[]));
    let mut new = with_last_newline(text)[text.len()..].to_owned();
    if !parents.is_empty() {
        if !text.trim_start_matches('\u{feff}').is_empty() {
            new.push_str(newline);
        }
        new.push_str(&format!("[{}]{newline}", dotted(parents.iter().copied())));
    }
    new.push_str(&format!("{} = {value}{newline}", dotted([*key])));
    (text.len()..text.len(), new)
}

/// Sets a key of an inline table. `line` is the start of the line where the table starts; comments inside the
/// old value move above it. `None` if the form is not supported.
fn set_inline(
    text: &str,
    line: usize,
    table: &InlineTable,
    key: &str,
    value: Option<&str>,
) -> Option<Edit> {
    if let Some(old) = table.get(key) {
        let span = old.span()?;
        let above = lines_of(text, &inner_comments(text, old));
        return Some(match value {
            Some(new) => put(text, line, span, &above, new),
            None => {
                let pair = without_comma(text, table.key(key)?.span()?.start..span.end);
                put(text, line, pair, &above, "")
            }
        });
    }
    let Some(value) = value else { return Some((0..0, String::new())) };
    let close = table.span()?.end.checked_sub(1)?;
    let name = dotted([key]);
    let end = table.iter().filter_map(|(_, v)| v.span()).map(|s| s.end).max();
    Some(match end {
        Some(end) => (end..end, format!(", {name} = {value}")),
        None => (close..close, format!(" {name} = {value} ")),
    })
}

/// A key-value pair of an inline table, with the comma after it, or else the one before it.
fn without_comma(text: &str, pair: Range<usize>) -> Range<usize> {
    let (before, after) = (text[..pair.start].trim_end(), &text[pair.end..]);
    match (after.trim_start().strip_prefix(','), before.ends_with(',')) {
        (Some(rest), _) => pair.start..text.len() - rest.trim_start_matches([' ', '\t']).len(),
        (None, true) => before.len() - 1..pair.end,
        (None, false) => pair,
    }
}

/// The array element whose header starts at this offset, in any array of tables.
pub(super) fn find_element(root: &Table, start: usize) -> Option<&Table> {
    let arrays = root.iter().filter_map(|(_, item)| item.as_array_of_tables());
    arrays.flat_map(|array| array.iter()).find(|t| t.span().is_some_and(|s| s.start == start))
}

/// End of the last value written directly below the table's header, including dotted keys.
fn direct_end(table: &Table) -> Option<usize> {
    let end = |item: &Item| match item {
        Item::Value(value) => value.span().map(|s| s.end),
        Item::Table(inner) if inner.is_dotted() => direct_end(inner),
        _ => None,
    };
    table.iter().filter_map(|(_, item)| end(item)).max()
}

/// End of the whole table, including sub-tables.
pub(super) fn whole_end(table: &Table) -> usize {
    let own = table.span().map_or(0, |s| s.end);
    let inner = table.iter().map(|(_, item)| match item {
        Item::Table(inner) => whole_end(inner),
        Item::ArrayOfTables(array) => array.iter().map(whole_end).max().unwrap_or(0),
        other => other.span().map_or(0, |s| s.end),
    });
    inner.max().unwrap_or(0).max(own)
}

/// Start of the first header in the file.
fn first_header(root: &Table) -> Option<usize> {
    root.iter()
        .filter_map(|(_, item)| match item {
            Item::Table(t) if t.is_implicit() => first_header(t),
            Item::Table(t) => t.span().map(|s| s.start),
            Item::ArrayOfTables(array) => array.span().map(|s| s.start),
            _ => None,
        })
        .min()
}

/// Start of the comment lines directly above a line. Comments at the start of the file belong to the file.
pub(super) fn attached_start(text: &str, line: usize) -> usize {
    let mut start = line;
    while start > 0 {
        let above = line_start(text, start - 1);
        if !text[above..start].trim_start().starts_with('#') {
            return start;
        }
        start = above;
    }
    line
}

/// Skips lines that pass the test. The test receives them trimmed.
pub(super) fn skip_lines(text: &str, mut at: usize, test: impl Fn(&str) -> bool) -> usize {
    while at < text.len() && test(text[at..next_line(text, at)].trim()) {
        at = next_line(text, at);
    }
    at
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |i| i + 1)
}

/// End of a line, without the line break.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |i| at + i);
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

/// Start of the next line.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |i| at + i + 1)
}

/// The line break that the text uses.
pub(crate) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The text with a final newline.
pub(crate) fn with_last_newline(text: &str) -> String {
    let ended = text.is_empty() || text.ends_with('\n') || text == "\u{feff}";
    if ended { text.to_owned() } else { format!("{text}{}", newline(text)) }
}

/// The text with some bytes replaced.
pub(crate) fn replace(text: &str, range: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}

fn dotted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let keys: Vec<_> = names.into_iter().map(|n| toml_edit::Key::new(n).to_string()).collect();
    keys.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_settings_in_every_form() {
        let cases = [
            ("", "ui.theme", "[ui]\ntheme = 1\n"),
            ("# top\n", "ui.theme", "# top\n\n[ui]\ntheme = 1\n"),
            (
                "[ui]\ntheme = 9 # why\nascii = true\n",
                "ui.theme",
                "[ui]\ntheme = 1 # why\nascii = true\n",
            ),
            (
                "[ui] # c\n# theme = 2\n\n[net]\n",
                "ui.theme",
                "[ui] # c\ntheme = 1\n# theme = 2\n\n[net]\n",
            ),
            (
                "[ui]\r\nascii = true # c\r\n",
                "ui.theme",
                "[ui]\r\nascii = true # c\r\ntheme = 1\r\n",
            ),
            ("ui.ascii = true\n[net]\n", "ui.theme", "ui.ascii = true\nui.theme = 1\n[net]\n"),
            ("ui = { ascii = true }\n", "ui.theme", "ui = { ascii = true, theme = 1 }\n"),
            ("ui = {}\n", "ui.theme", "ui = { theme = 1 }\n"),
            ("ui = { theme = 9 } # c", "ui.theme", "ui = { theme = 1 } # c"),
            ("# head\n\n[net]\nx = 1", "top", "# head\n\ntop = 1\n\n[net]\nx = 1"),
            ("# head\n[net]\n", "top", "# head\ntop = 1\n\n[net]\n"),
            ("a = 1 # c\n[net]\n", "top", "a = 1 # c\ntop = 1\n[net]\n"),
            ("\u{feff}", "top", "\u{feff}top = 1\n"),
            ("[ui.x]\na = 1", "ui.theme", "[ui.x]\na = 1\n\n[ui]\ntheme = 1\n"),
            ("[keys.items]\na = 1\n", "keys.items.g", "[keys.items]\na = 1\ng = 1\n"),
            ("[ui]\ntheme = \"\"\"\n# x\n\"\"\" # c\n", "ui.theme", "[ui]\ntheme = 1 # c\n"),
        ];
        for (before, path, after) in cases {
            let path: Vec<_> = path.split('.').collect();
            assert_eq!(set(before, None, &path, Some("1")).unwrap(), after, "{before:?}");
        }
        assert_eq!(
            set("[keys.items]\n", None, &["keys", "items", "<"], Some("1")).unwrap(),
            "[keys.items]\n\"<\" = 1\n"
        );
        assert!(set("ui = 3", None, &["ui", "theme"], Some("1")).is_err());
        assert!(set("[ui", None, &["ui", "theme"], Some("1")).is_err());
        assert_eq!(set("a = 1\nb = 2 # c\n", None, &["b"], None).unwrap(), "a = 1\n# c\n");
        assert_eq!(set("a = 1\nb = 2\n", None, &["b"], None).unwrap(), "a = 1\n");
        assert_eq!(set("a = 1\n", None, &["x", "b"], None).unwrap(), "a = 1\n");
    }

    #[test]
    fn sets_and_removes_keys_in_tables_of_elements() {
        let cases = [
            ("[[s]]\na = 1 # c\n\n[t]\n", Some("2"), "[[s]]\na = 1 # c\nx.y = 2\n\n[t]\n"),
            ("[[s]]\n[s.h]\nk = 1\n", Some("2"), "[[s]]\nx.y = 2\n[s.h]\nk = 1\n"),
            ("[[s]]\nx.z = 1 # c\n", Some("2"), "[[s]]\nx.z = 1 # c\nx.y = 2\n"),
            ("[[s]]\n[s.x] # c\n", Some("2"), "[[s]]\n[s.x] # c\ny = 2\n"),
            ("[[s]]\nx = { y = 1, z = 2 } # c\n", None, "[[s]]\nx = { z = 2 } # c\n"),
            ("[[s]]\nx = { z = 2, y = 1 }\n", None, "[[s]]\nx = { z = 2 }\n"),
            ("[[s]]\nx = { y = 1 }\n", None, "[[s]]\nx = {  }\n"),
            (
                "[[s]]\nx.y = [\n  1, # one\n  '#', # two\n] # all\n",
                Some("2"),
                "[[s]]\n# one\n# two\nx.y = 2 # all\n",
            ),
            (
                "[[s]]\nx.y = { c = [ 'p', # one\n 's#' ], \"#\" = 1 } # all\n",
                Some("2"),
                "[[s]]\n# one\nx.y = 2 # all\n",
            ),
            (
                "[[s]]\r\nx = { y = [ # one\r\n 's' ], z = [ # two\r\n 1 ] } # all\r\n",
                Some("2"),
                "[[s]]\r\n# one\r\nx = { y = 2, z = [ # two\r\n 1 ] } # all\r\n",
            ),
            (
                "[[s]]\nx = { a = 1, y = [ [ # one\n 1 ], # two\n { b = [ # three\n] } ] } # all\n",
                None,
                "[[s]]\n# one\n# two\n# three\nx = { a = 1 } # all\n",
            ),
            (
                "[[s]]\nx = { y = { a.b = 1, # one\n a.c = '#', # two\n }, # all\n}\n",
                Some("2"),
                "[[s]]\n# one\n# two\nx = { y = 2, # all\n}\n",
            ),
        ];
        for (before, value, after) in cases {
            assert_eq!(set(before, Some(0), &["x", "y"], value).unwrap(), after, "{before:?}");
        }
    }
}

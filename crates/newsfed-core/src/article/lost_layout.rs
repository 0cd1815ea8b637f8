//! Notices that code has lost its layout, which some feeds remove.

use super::document::{Block, Document};
use crate::util::text;

/// Minimum number of lines of code that has lost its indentation.
const MIN_LINES: usize = 6;
/// Maximum length, in bytes, of code on one line that has not lost line breaks.
const MAX_LINE: usize = 200;
/// Minimum number of statements and blocks in a line that has lost its line breaks.
const MIN_PARTS: usize = 5;
/// The same minimum for a line that was certainly several lines, because code follows a comment or a call was
/// wrapped.
const MIN_CERTAIN: usize = 3;
/// Minimum number of rows of tables that have lost their spaces.
const MIN_ROWS: usize = 2;
/// Maximum depth of nested blocks that are searched for code.
const MAX_DEPTH: usize = 20;
/// Minimum number of lines that open an indented block with a colon. Lines of prose may end in a colon, too,
/// but they do not begin with the words in `CERTAIN`.
const MIN_COLONS: usize = 2;
const CERTAIN: [&str; 6] = ["def", "class", "else:", "try:", "async", "elif"];
const LIKELY: [&str; 4] = ["if", "for", "while", "with"];

/// What code has lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostLayout {
    LineBreaks,
    Indentation,
    /// The spaces that align the columns of tables drawn with characters.
    Spaces,
}

impl LostLayout {
    /// What the code of a document has lost, at least in part; `None` if that is not certain.
    pub fn of(document: &Document) -> Option<Self> {
        let mut found = None;
        each_code(&document.blocks, MAX_DEPTH, &mut |code| found = found.or_else(|| lost(code)));
        found
    }

    /// Whether a document has code, and no code that has lost its layout.
    pub fn is_kept_in(document: &Document) -> bool {
        let (mut any, mut kept) = (false, true);
        each_code(&document.blocks, MAX_DEPTH, &mut |code| {
            (any, kept) = (true, kept && lost(code).is_none());
        });
        any && kept
    }
}

/// Calls `each` for all code, except for output and other text.
fn each_code(blocks: &[Block], depth: usize, each: &mut dyn FnMut(&str)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for block in blocks {
        match block {
            Block::Code { language, code } => {
                let language = language.as_deref().unwrap_or_default();
                if !["text", "plain", "diff", "console", "markdown"].contains(&language) {
                    each(code);
                }
            }
            Block::List(_, entries) => {
                entries.iter().for_each(|entry| each_code(entry, depth, each));
            }
            Block::Definitions(all) => {
                all.iter().for_each(|one| each_code(&one.blocks, depth, each));
            }
            Block::Quote(blocks, _) | Block::Note { blocks, .. } => each_code(blocks, depth, each),
            _ => {}
        }
    }
}

fn lost(code: &str) -> Option<LostLayout> {
    let mut lines = code.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    if lines.next().is_none() {
        return is_joined(first.trim()).then_some(LostLayout::LineBreaks);
    }
    if is_unindented(code) {
        return Some(LostLayout::Indentation);
    }
    has_ragged_table(code).then_some(LostLayout::Spaces)
}

/// Whether the rows of a table, as printed by databases, are shorter than the lines between them and contain
/// only single spaces.
fn has_ragged_table(code: &str) -> bool {
    let is_border = |line: &str| {
        line.starts_with("+-")
            && line.ends_with("-+")
            && line.bytes().all(|b| matches!(b, b'+' | b'-'))
    };
    let columns = |line: &str, sign: char| line.chars().filter(|c| *c == sign).count();
    let (mut border, mut ragged) = (None, 0);
    for line in code.lines().map(str::trim) {
        if is_border(line) {
            border = Some(line);
        } else if let Some(above) =
            border.filter(|_| line.starts_with("| ") && line.ends_with(" |"))
        {
            let is_short = text::width(line) < above.len() && line.chars().count() < above.len();
            if line.contains("  ") || columns(line, '|') != columns(above, '+') {
                return false;
            }
            // A row that needs no padding is as wide as the line above it.
            ragged += usize::from(is_short);
        } else {
            border = None;
        }
    }
    ragged >= MIN_ROWS
}

/// Whether a line contains several statements. Data and markup are often written on one line.
fn is_joined(line: &str) -> bool {
    let is_data = line.starts_with(['[', '<', '"']) || line.starts_with("{\"");
    let parts = line.bytes().filter(|b| matches!(b, b';' | b'{')).count();
    let is_code = line.contains('{') || line.contains(");");
    let is_certain = has_code_after_comment(line) || has_wrapped_call(line);
    let least = if is_certain { MIN_CERTAIN } else { MIN_PARTS };
    line.len() > MAX_LINE && parts >= least && is_code && !is_data
}

/// Whether code follows a `//` comment on the same line. Such a comment extends to the end of its line, so a
/// line break was lost.
fn has_code_after_comment(line: &str) -> bool {
    let after = ["; // ", "} // ", "{ // "].iter().find_map(|start| line.split_once(start));
    let comment = line.strip_prefix("// ").or(after.map(|(_, rest)| rest));
    comment.is_some_and(|rest| rest.ends_with([';', '}']))
}

/// Whether a line has spaces where a call was wrapped: between a call and the next one in a chain, or after a
/// parenthesis, if most calls have none.
fn has_wrapped_call(line: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let is_chained = line.match_indices(") .").any(|(at, sign)| {
        let rest = &line[at + sign.len()..];
        rest.starts_with(char::is_alphabetic) && rest.trim_start_matches(is_name).starts_with('(')
    });
    let opened = line.match_indices('(').filter(|(at, _)| line[..*at].ends_with(is_name));
    let (mut wrapped, mut usual) = (0, 0);
    for (at, _) in opened {
        match line[at + 1..].chars().next() {
            Some(' ') => wrapped += 1,
            Some(')') | None => {}
            Some(_) => usual += 1,
        }
    }
    is_chained || wrapped > 0 && usual > wrapped && line.contains(" )")
}

/// Whether no line is indented, not even after a line that opens a block.
fn is_unindented(code: &str) -> bool {
    let lines: Vec<&str> = code.lines().filter(|line| !line.trim().is_empty()).collect();
    // Line numbers, prompts and the signs of a diff precede the indentation.
    let starts = |c: char| c.is_whitespace() || c.is_ascii_digit() || "+->.$".contains(c);
    if lines.len() < MIN_LINES || lines.iter().any(|line| line.starts_with(starts)) {
        return false;
    }
    let first = |line: &str| line.split_ascii_whitespace().next().unwrap_or_default().to_owned();
    let opens = |pair: &[&str]| {
        let (line, next) = (pair[0].trim_end(), pair[1]);
        // The content of a namespace is often not indented.
        let is_namespace = matches!(first(line).as_str(), "namespace" | "extern");
        line.ends_with(['{', '(']) && !is_namespace && !next.starts_with(['{', '}', ')'])
    };
    let colons = lines.iter().filter(|line| line.trim_end().ends_with(':')).map(|line| first(line));
    let is_certain = |word: &String| CERTAIN.contains(&word.as_str());
    let words: Vec<String> =
        colons.filter(|word| is_certain(word) || LIKELY.contains(&word.as_str())).collect();
    let is_python = words.len() >= MIN_COLONS && words.iter().any(is_certain);
    is_python || lines.windows(2).any(opens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_code_that_has_lost_its_layout() {
        let rows = |text: &str| text.replace(" / ", "\n");
        let rust = "fn main() { / let a = 1; / if a > 0 { / println!(\"{a}\"); / } / }";
        let indented = "fn main() { /     let a = 1; /     let b = 2; /     a + b; /     b; / }";
        let joined =
            "int main() { int i; for (i = 0; i < 9; i++) { work(i); } return 0; } ".repeat(4);
        let commented = "var start = Id.MinAt(Now.AddDays(-7)); var end = Id.MaxAt(Now); // The database \
                         compares only the keys, which are in the order of time, so this is quick \
                         var reports = await context.Reports .Where(r => r.Id >= start) .ToListAsync();";
        let property = "public Options Monotonicity { get; init => field = Enum.IsDefined(typeof(Options), value) ? \
                        value : throw new ArgumentOutOfRangeException( nameof(Monotonicity), value, \"Invalid \
                        monotonicity option.\" ); } = MonotonicityOptions.MonotonicIncrement;";
        let chain = "public static List<T> Randomize<T>(IEnumerable<T> source) where T : Item { return source .Select(item \
                     => new { Item = item, SortKey = Math.Pow(Random.Shared.NextDouble(), 1.0 / item.Weight) }) \
                     .OrderByDescending(x => x.SortKey) .Select(x => x.Item) .ToList(); }";
        let headed = "// In Entity/Comment.cs public partial class Comment : IProtected { [ExpressionMethod(nameof(GetId))] \
                      public Ulid GetId() => Post.Id; private static Expression<Func<Comment, Ulid>> GetExpression() \
                      => x => x.Post.Id; }";
        let remark = commented.replace("var reports", "and").replace("();", "()");
        let pair = "the name of a key = a value; and another one; ".repeat(9);
        let json = format!("{{\"a\": [{}]}}", "{\"b\": {}}, ".repeat(30));
        let table = "+------+-------+ / | Name | Value | / +------+-------+ / | log  | OFF   | / | size | 20    | / \
                     +------+-------+ / 2 rows in set";
        let ragged = table.replace("  |", " |").replace("  |", " |").replace("  |", " |");
        for (code, expected) in [
            (rows(rust), Some(LostLayout::Indentation)),
            (
                rows("def f(a): / b = a / for c in b: / d(c) / e(c) / return b"),
                Some(LostLayout::Indentation),
            ),
            (rows("call( / one, / two, / three, / four, / )"), Some(LostLayout::Indentation)),
            (joined.clone(), Some(LostLayout::LineBreaks)),
            (format!("{joined}\n\n"), Some(LostLayout::LineBreaks)),
            (rows(indented), None),
            (rows("fn main() { / let a = 1; / }"), None),
            (rows("namespace a { / int b; / int c; / int d; / int e; / }"), None),
            (rows("fn a() { / } / fn b() { / } / fn c() { / } / fn d() { / }"), None),
            (rows("if you want to help: / write / to us / with the words: / one / two"), None),
            (rows("Needs: / flour / salt / water / yeast / and time"), None),
            (rows("+fn main() { /      a(); /      b(); /      c(); / +} / +"), None),
            (rows(">>> if a: / ...     b / ...     c / ...     d / ... / >>> e"), None),
            (rows("$ run ( / one / two / three / four / five"), None),
            (rows("1 if (a) { / 2     b(); / 3     c(); / 4     d(); / 5 } / 6 e();"), None),
            (commented.to_owned(), Some(LostLayout::LineBreaks)),
            (property.to_owned(), Some(LostLayout::LineBreaks)),
            (chain.to_owned(), Some(LostLayout::LineBreaks)),
            (headed.to_owned(), Some(LostLayout::LineBreaks)),
            (property.replace("( ", "(").replace(" )", ")"), None),
            (chain.replace(" .", "."), None),
            (headed.replace("// In Entity/Comment.cs ", ""), None),
            (format!("// {}as {{ this; }} is; see below", "words ".repeat(40)), None),
            // Code that is usually written on one line.
            ("for i in a; do b; done".to_owned(), None),
            (
                format!("for i in {}; do ( cd ${{i}} && git fetch ); done", "one/two ".repeat(30)),
                None,
            ),
            (
                format!("add_action( 'head', function() {{ echo '{}'; }} );", "words ".repeat(40)),
                None,
            ),
            (format!("function a(b){{return '{}'.c(b).d( b )}}", "words ".repeat(40)), None),
            (format!("a {{ b: c; d: e; font-family: {}; }}", "Some Font, ".repeat(20)), None),
            (format!("jq '.a | .b({})' < c; {{ d; }}", "e ".repeat(100)), None),
            ("fn main() { println!(\"x\"); }".to_owned(), None),
            ("{ \"json\": { \"a\": 1 } }".to_owned(), None),
            (remark, None),
            (joined[..70].to_owned(), None),
            (pair, None),
            (json, None),
            (rows(&ragged), Some(LostLayout::Spaces)),
            (rows(table), None),
            // Nothing is missing: the cells are full, or have wide characters.
            (rows("+---+---+ / | a | b | / | c | d | / | e | f | / +---+---+"), None),
            (rows("+----+---+ / | 名 | b | / | 日 | d | / | 本 | f | / +----+---+"), None),
            // A different number of columns, and rows that still have their spaces.
            (rows("+---------+ / | a | b | / | c | d | / | e | f |"), None),
            (rows("+-----+----+ / | a | b | / | c | d | / | e  | f |"), None),
            (rows("+------+----+ / | a | b | / | long | ef | / +------+----+"), None),
            (String::new(), None),
        ] {
            let block = Block::Code { language: None, code: code.clone() };
            let quote = Block::Quote(vec![block], vec![]);
            let document = Document { blocks: vec![Block::Rule, quote], ..Document::default() };
            assert_eq!(LostLayout::of(&document), expected, "{code}");
            assert_eq!(LostLayout::is_kept_in(&document), expected.is_none(), "{code}");
        }
    }
}

//! Colours code with one small lexer for all languages, based on their keywords and on the delimiters of
//! comments and strings (`languages.rs`). A capitalised name is a type, and a name before `(` is a function.

use super::guess::{guess, prompt};
use super::languages::{Language, Session, Syntax, find};
use super::line::{Line, Span};
use crate::config::Role;
use crate::util::text;
use std::collections::HashSet;

/// Maximum length of a line that is coloured, in bytes.
const MAX_LINE: usize = 2000;
/// Maximum length of a string in single quotes, in bytes. It is limited because single quotes have other uses
/// too.
const MAX_QUOTED: usize = 200;

/// A role and the length of its text in bytes.
type Token = (Role, usize);

/// Makes the background of all code and formulas in an article equally wide, so that it has no ragged right
/// edge. Lines are not wrapped again.
pub(super) fn align(lines: &mut [Line]) {
    let blocks = lines.iter().filter(|line| line.ground.is_some());
    let Some(widest) = blocks.map(|line| line.beyond).max() else { return };
    let mut above = None;
    for line in lines.iter_mut() {
        let is_tag = line.code.is_some() && line.code != above;
        above = line.code;
        let more = widest - line.beyond.min(widest);
        if line.ground.is_none() || more == 0 {
            continue;
        }
        line.beyond = widest;
        line.over = line.over.saturating_sub(more);
        // The first line of code has only the language, at the right.
        if let Some(before) = line.spans.first_mut().filter(|_| is_tag) {
            before.text.push_str(&" ".repeat(more));
        }
    }
}

/// The lines of a code block. If the language is not named, it is guessed and added to `guessed`, the
/// languages of the code above. If it stays unknown, all text has the same role.
pub(super) fn lines(
    code: &str,
    language: Option<&str>,
    guessed: &mut Vec<&'static str>,
) -> Vec<Vec<Span>> {
    let known = match language {
        Some(language) => find(language),
        None => {
            let found = guess(code, guessed);
            guessed.extend(found.filter(|found| !guessed.contains(found)));
            found.and_then(find)
        }
    };
    let tokens = match known.filter(|_| code.lines().all(|line| line.len() <= MAX_LINE)) {
        Some(Syntax::Diff) => each_line(code),
        Some(Syntax::Markup) => markup(code),
        Some(Syntax::Session(session)) => commands(code, session),
        Some(Syntax::Code(rules)) => Lexer::new(code, rules).run(),
        None => vec![(Role::Text, code.len())],
    };
    split(code, &tokens)
}

/// Splits tokens into lines.
fn split(code: &str, tokens: &[Token]) -> Vec<Vec<Span>> {
    let mut out: Vec<Vec<Span>> = Vec::new();
    let mut line: Vec<Span> = Vec::new();
    let mut at = 0;
    for (role, len) in tokens {
        for (i, part) in code[at..at + len].split('\n').enumerate() {
            if i > 0 {
                out.push(std::mem::take(&mut line));
            }
            match line.last_mut() {
                _ if part.is_empty() => {}
                Some(last) if last.role == *role => last.text.push_str(part),
                _ => line.push(Span::new(part, *role)),
            }
        }
        at += len;
    }
    out.push(line);
    out
}

/// Tokens of a diff: each line is removed, added or unchanged.
fn each_line(code: &str) -> Vec<Token> {
    let role = |line: &str| match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'@', b'@', ..] => Role::CodeComment,
        [b'+', ..] => Role::Added,
        [b'-', ..] => Role::Removed,
        _ => Role::Text,
    };
    code.split_inclusive('\n').map(|line| (role(line), line.len())).collect()
}

/// Tokens of HTML or XML: tags with their attributes, comments, text.
fn markup(code: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = code;
    // Whether the position is inside a tag, and whether the tag's name comes next.
    let (mut inside, mut named) = (false, false);
    while !rest.is_empty() {
        let token = if rest.starts_with("<!--") {
            (Role::CodeComment, rest.find("-->").map_or(rest.len(), |end| end + 3))
        } else if !inside {
            let opens = |(_, next): &(usize, &str)| {
                next[1..].starts_with(|c: char| c.is_alphabetic() || "/!?".contains(c))
            };
            match rest.match_indices('<').map(|(i, _)| (i, &rest[i..])).find(opens) {
                Some((0, _)) => {
                    (inside, named) = (true, true);
                    (Role::CodeOperator, 1)
                }
                Some((at, _)) => (Role::Text, at),
                None => (Role::Text, rest.len()),
            }
        } else if rest.starts_with('>') {
            inside = false;
            (Role::CodeOperator, 1)
        } else if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            (Role::CodeString, rest[1..].find(quote).map_or(rest.len(), |end| end + 2))
        } else {
            match word(rest) {
                0 => other(rest),
                len if std::mem::take(&mut named) => (Role::CodeKeyword, len),
                len => (Role::CodeFunction, len),
            }
        };
        out.push(token);
        rest = &rest[token.1..];
    }
    out
}

/// Tokens of commands after prompts, and of their output, which has no colours. Without prompts, all lines
/// are commands.
fn commands(code: &str, session: Session) -> Vec<Token> {
    let (rules, start) = match session {
        Session::Shell(rules) => (rules, prompt as fn(&str) -> Option<usize>),
        Session::Python(rules) => (rules, python_prompt as fn(&str) -> Option<usize>),
    };
    if !code.lines().any(|line| start(line).is_some()) {
        return Lexer::new(code, rules).run();
    }
    let mut out = Vec::new();
    let mut goes_on = false;
    for line in code.split_inclusive('\n') {
        let at = start(line.trim_end()).or(goes_on.then_some(0));
        goes_on = at.is_some() && line.trim_end().ends_with('\\');
        match at.map(|at| line.split_at(at)) {
            Some((mark, command)) => {
                out.push((Role::CodeOperator, mark.len()));
                out.extend(Lexer::new(command, rules).run());
            }
            None => out.push((Role::Text, line.len())),
        }
    }
    out
}

/// The length of Python's prompt.
fn python_prompt(line: &str) -> Option<usize> {
    [">>> ", "... "].iter().find(|mark| line.starts_with(**mark)).map(|mark| mark.len())
}

struct Lexer<'a> {
    code: &'a str,
    at: usize,
    rules: &'static Language,
    keywords: HashSet<&'static str>,
    /// Whether the next name is that of a function, because it follows a keyword such as `fn`.
    named: bool,
}

/// Keywords before the name of a function in its definition.
const DEFINING: [&str; 10] =
    ["fn", "def", "func", "function", "fun", "sub", "proc", "defp", "defn", "defun"];

impl<'a> Lexer<'a> {
    fn new(code: &'a str, rules: &'static Language) -> Self {
        let keywords = rules.keywords.split_ascii_whitespace().collect();
        Self { code, at: 0, rules, keywords, named: false }
    }

    fn run(mut self) -> Vec<Token> {
        let mut out = Vec::new();
        while let Some(rest) = self.code.get(self.at..).filter(|rest| !rest.is_empty()) {
            let comment = self.comment(rest).map(|len| (Role::CodeComment, len));
            let string = self.string(rest).map(|len| (Role::CodeString, len));
            let token = comment.or(string).or_else(|| number(rest));
            let token = token.or_else(|| self.word(rest)).unwrap_or_else(|| other(rest));
            self.at += token.1;
            out.push(token);
        }
        out
    }

    /// The length of a comment.
    fn comment(&self, rest: &str) -> Option<usize> {
        if let Some((open, close)) = self.rules.block
            && let Some(inner) = rest.strip_prefix(open)
        {
            return Some(inner.find(close).map_or(rest.len(), |i| open.len() + i + close.len()));
        }
        let mark = self.rules.line.iter().find(|mark| rest.starts_with(**mark))?;
        // In a shell, `$#` does not start a comment.
        let before = self.code[..self.at].chars().next_back();
        let begins = *mark != "#" || before.is_none_or(|c| c.is_whitespace() || ";)}".contains(c));
        begins.then(|| line_end(rest))
    }

    /// The length of a string including its quotes.
    fn string(&self, rest: &str) -> Option<usize> {
        if let Some(mark) = self.rules.long.iter().find(|mark| rest.starts_with(**mark)) {
            let inner = &rest[mark.len()..];
            return Some(inner.find(mark).map_or(rest.len(), |i| i + 2 * mark.len()));
        }
        match rest.as_bytes() {
            // Without a closing quote, the string ends at the end of the line.
            [b'"', ..] => Some(quoted(rest, b'"').unwrap_or_else(|| line_end(rest))),
            [b'\'', ..] => {
                let near = text::start(rest, MAX_QUOTED);
                let len = quoted(near, b'\'')?;
                let inner = &rest[1..len - 1];
                // Rust's lifetimes begin with a quote too.
                let one = inner.chars().count() == 1 || inner.starts_with('\\');
                (one || !self.rules.characters).then_some(len)
            }
            _ => None,
        }
    }

    /// A name: a keyword, a type, a function or something else.
    fn word(&mut self, rest: &str) -> Option<Token> {
        let len = Some(word(rest)).filter(|len| *len > 0)?;
        let (name, next) = rest.split_at(len);
        let folded = name.to_ascii_lowercase();
        let key = if self.rules.folded { folded.as_str() } else { name };
        // A name before `!(`, as in `println!(…)`, is a macro call.
        let call = |s: &str| s.starts_with('(');
        let called = std::mem::take(&mut self.named)
            || call(next)
            || next.strip_prefix('!').is_some_and(call);
        let role = match name.chars().next() {
            _ if self.keywords.contains(key) => {
                self.named = DEFINING.contains(&key);
                Role::CodeKeyword
            }
            Some(first) if first.is_uppercase() => Role::CodeType,
            _ if called => Role::CodeFunction,
            _ => Role::Text,
        };
        Some((role, len))
    }
}

/// The length of the line without its line break.
fn line_end(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// The length of a quoted string that ends on the same line.
fn quoted(rest: &str, quote: u8) -> Option<usize> {
    let mut bytes = rest.bytes().enumerate().skip(1);
    while let Some((i, byte)) = bytes.next() {
        match byte {
            b'\n' => return None,
            b'\\' => _ = bytes.next().filter(|(_, next)| *next != b'\n')?,
            _ if byte == quote => return Some(i + 1),
            _ => {}
        }
    }
    None
}

/// The length of the name at the start of the text.
fn word(rest: &str) -> usize {
    let first = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let end = |rest: &str| rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    if first { end(rest).unwrap_or(rest.len()) } else { 0 }
}

fn number(rest: &str) -> Option<Token> {
    rest.starts_with(|c: char| c.is_ascii_digit()).then(|| {
        let bytes = rest.as_bytes();
        let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        let goes_on = |i: usize| {
            bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_' || bytes[i] == b'.' && digit(i + 1)
        };
        (Role::CodeNumber, (0..bytes.len()).find(|i| !goes_on(*i)).unwrap_or(bytes.len()))
    })
}

/// Whitespace or an operator: one character, which is joined with preceding characters of the same role.
fn other(rest: &str) -> Token {
    let first = rest.chars().next();
    let operator = first.is_some_and(|c| c.is_ascii_punctuation());
    let role = if operator { Role::CodeOperator } else { Role::Text };
    (role, first.map_or(rest.len(), char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The coloured parts of code as `role:text`.
    fn colored(language: &str, code: &str) -> Vec<String> {
        let spans = lines(code, Some(language), &mut vec![]).into_iter().flatten();
        let colored = spans.filter(|s| !matches!(s.role, Role::Text | Role::CodeOperator));
        let short = |role: Role| match role {
            Role::CodeKeyword => "kw",
            Role::CodeFunction => "fn",
            Role::CodeType => "ty",
            Role::CodeString => "st",
            Role::CodeNumber => "nu",
            Role::CodeComment => "co",
            Role::Added => "+",
            _ => "-",
        };
        colored.map(|s| format!("{}:{}", short(s.role), s.text)).collect()
    }

    #[test]
    fn colours_the_tokens_of_each_language() {
        for (language, code, expected) in [
            ("rust", "fn f<'a>(t: &'a Task) // x", vec!["kw:fn", "fn:f", "ty:Task", "co:// x"]),
            (
                "rust",
                "println!(\"\\\"{}\", '\\n', 1.5e3..2)",
                vec!["fn:println", "st:\"\\\"{}\"", "st:'\\n'", "nu:1.5e3", "nu:2"],
            ),
            ("c", "/* a\nb */ int x;", vec!["co:/* a", "co:b */", "kw:int"]),
            (
                "python",
                "def f():\n  \"\"\"a\n  b\"\"\" # it's",
                vec!["kw:def", "fn:f", "st:\"\"\"a", "st:  b\"\"\"", "co:# it's"],
            ),
            (
                "bash",
                "if [ $# -gt 0 ]; then # x\necho 'a b'",
                vec!["kw:if", "nu:0", "kw:then", "co:# x", "kw:echo", "st:'a b'"],
            ),
            ("js", "const a = `x\n${y}`", vec!["kw:const", "st:`x", "st:${y}`"]),
            ("sql", "select 1 -- one", vec!["kw:select", "nu:1", "co:-- one"]),
            ("SQL", "SELECT 1", vec![]),
            (
                "html",
                "<a href='x'>don't</a><!-- c -->",
                vec!["kw:a", "fn:href", "st:'x'", "kw:a", "co:<!-- c -->"],
            ),
            ("diff", "-a\n+b\n c", vec!["-:-a", "+:+b"]),
            ("json", "{\"a\": true}", vec!["st:\"a\"", "kw:true"]),
            ("rust", "let s = \"no end", vec!["kw:let", "st:\"no end"]),
            ("nothing", "fn f() {}", vec![]),
            ("console", "if 1", vec!["kw:if", "nu:1"]),
            (
                "console",
                "$ cd \\\n  'a'\nfor 1\n[me@a ~]$ exit 1",
                vec!["kw:cd", "st:'a'", "kw:exit", "nu:1"],
            ),
            ("pycon", ">>> not 1\n... or 2\nfor 3", vec!["kw:not", "nu:1", "kw:or", "nu:2"]),
        ] {
            assert_eq!(colored(language, code), expected, "{language}: {code}");
        }
    }

    #[test]
    fn guesses_a_language_that_is_not_named() {
        let colours = |language| lines("fn f() -> u8 {}", language, &mut vec![])[0].len() > 1;
        assert!(colours(None));
        assert!(!colours(Some("text")));
    }

    #[test]
    fn does_not_colour_long_lines() {
        let code = "\"\\'".repeat(MAX_LINE);
        assert_eq!(lines(&code, Some("rust"), &mut vec![]), [[Span::new(code, Role::Text)]]);
    }

    proptest! {
        #[test]
        fn joins_tokens_to_the_original_text(
            code in "([a-zA-Z0-9_'\"`#/*<>!\\\\ \n(){}日é.-]|fn |\"\"\"|<!--|-->){0,80}",
            language in proptest::sample::select(vec![
                "rust", "python", "js", "html", "diff", "lua", "console", "pycon",
            ]),
        ) {
            let lines = lines(&code, Some(language), &mut vec![]);
            let texts: Vec<String> =
                lines.iter().map(|l| l.iter().map(|s| s.text.as_str()).collect()).collect();
            prop_assert_eq!(texts.join("\n"), code);
        }
    }
}

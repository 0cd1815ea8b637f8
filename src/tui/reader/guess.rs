//! Guesses the language of code that does not name it. Only strong evidence counts, because wrong colours are
//! worse than none.

use super::marks::{COMMANDS, MARKS, OUTPUT};
use crate::util::text;
use std::sync::LazyLock;

/// Maximum number of bytes at the start of the code that are read.
const MAX_READ: usize = 2048;
/// Maximum length of the text before the `$` of a prompt, in bytes.
const MAX_PROMPT: usize = 40;
/// Maximum number of bytes at the start of a line that are searched for marks inside it.
const MAX_LINE: usize = 200;
/// Minimum weight of the marks of a language, and the minimum if other code in the article is in that
/// language.
const ENOUGH: u8 = 2;
const ENOUGH_AGAIN: u8 = 1;

/// The name of the language in which code seems to be written. `earlier` are the languages of other code in
/// the article.
pub(super) fn guess(code: &str, earlier: &[&str]) -> Option<&'static str> {
    let mut start = text::start(code, MAX_READ);
    if start.len() < code.len() {
        // The last line is incomplete.
        start = start.rfind('\n').map_or(start, |end| &start[..end]);
    }
    let begins = |mark: char| start.lines().any(|line| line.starts_with(mark));
    if begins('+') && begins('-') {
        return is_diff(start).then_some("diff");
    }
    by_first_line(start).or_else(|| by_form(start)).or_else(|| by_marks(start, earlier))
}

/// The language, if the first line proves it.
fn by_first_line(code: &str) -> Option<&'static str> {
    let first = lines(code).next()?;
    if let Some(program) = first.strip_prefix("#!/") {
        let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let name = program.rsplit(['/', ' ']).next()?;
        let known = ["python", "node", "ruby", "perl", "lua", "php"];
        let shell = name.ends_with("sh").then_some("bash");
        return known.into_iter().find(|language| *language == name).or(shell);
    }
    if first.starts_with("<?php") {
        return Some("php");
    }
    is_markup(code).then_some("html")
}

/// Whether the code begins with an element that is closed, or with a declaration.
fn is_markup(code: &str) -> bool {
    let Some(inner) = code.trim_start().strip_prefix('<') else { return false };
    if ["!DOCTYPE", "!doctype", "?xml ", "html>", "html "].iter().any(|s| inner.starts_with(s)) {
        return true;
    }
    if inner.starts_with("!--") {
        return code.contains("</");
    }
    let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || "-:._".contains(c)));
    let (name, rest) = inner.split_at(end.unwrap_or(inner.len()));
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && rest.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/');
    let closes = |at: usize| rest[at + 2..].starts_with(name);
    is_tag && (rest.contains("/>") || rest.match_indices("</").any(|(at, _)| closes(at)))
}

/// A language that is recognised by a prompt in the first line, or by the form of the lines.
fn by_form(code: &str) -> Option<&'static str> {
    let first = lines(code).next()?;
    if prompt(first).is_some() {
        Some("console")
    } else if first.starts_with(">>> ") {
        Some("pycon")
    } else if is_json(code) {
        Some("json")
    } else if is_config(code) || is_yaml(code) {
        Some("yaml")
    } else {
        is_commands(code).then_some("bash")
    }
}

/// The length of the prompt before a shell command, such as `$ ` and `[me@host ~]$ `.
pub(super) fn prompt(line: &str) -> Option<usize> {
    let (before, command) = line.split_once("$ ")?;
    let starts = |c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '/' | '~');
    let is_host = before.contains('@') && before.len() <= MAX_PROMPT && !before.contains("  ");
    let is_prompt = (before.trim_start().is_empty() || is_host) && command.starts_with(starts);
    (is_prompt && !command.ends_with('$')).then_some(before.len() + 2)
}

fn is_json(code: &str) -> bool {
    let is_pair = |line: &str| {
        let line = line.trim_start_matches(['{', '[', ' ']);
        line.strip_prefix('"')
            .and_then(|rest| rest.split_once('"'))
            .is_some_and(|(key, rest)| !key.is_empty() && rest.trim_start().starts_with(':'))
    };
    code.trim_start().starts_with(['{', '['])
        && lines(code).any(is_pair)
        && !lines(code).any(|line| line.ends_with([';', ')']) || line.starts_with("//"))
}

/// Whether all lines are sections, settings, parts of values or comments, as in TOML and INI.
fn is_config(code: &str) -> bool {
    let is_section = |line: &str| {
        let name = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '['))
    };
    let is_pair = |line: &str| line.split_once('=').is_some_and(|(key, _)| is_key(key.trim()));
    let more = |line: &str| line.starts_with(['"', '\'', ']', '}']);
    lines(code).any(is_section)
        && lines(code).any(is_pair)
        && lines(code).all(|l| is_section(l) || is_pair(l) || more(l) || l.starts_with(['#', ';']))
}

fn is_key(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(is_part)
}

/// Whether all lines are keys, list entries, text blocks or comments, and some keys or entries are nested.
fn is_yaml(code: &str) -> bool {
    let (mut pairs, mut entries, mut nested) = (0, 0, false);
    // The indentation of a key without a value, and that of a key whose value is a block of text.
    let (mut key, mut text) = (None, None);
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        let body = line.trim();
        let indent = line.len() - line.trim_start().len();
        if text.is_some_and(|outer| indent > outer) || body.starts_with('#') || body == "---" {
            continue;
        }
        text = None;
        let entry = body.strip_prefix("- ");
        nested |= key.is_some_and(|outer| indent > outer || entry.is_some() && indent == outer);
        key = None;
        entries += u32::from(entry.is_some());
        match entry.unwrap_or(body).split_once(':') {
            Some((name, "")) if is_key(name) => key = Some(indent),
            Some((name, value)) if is_key(name) && value.starts_with(' ') => {
                pairs += 1;
                let value =
                    value.trim_end_matches(|c: char| "+-".contains(c) || c.is_ascii_digit());
                text = (value.ends_with(" |") || value.ends_with(" >")).then_some(indent);
            }
            _ if entry.is_some() => {}
            _ => return false,
        }
    }
    nested && pairs > 0 && pairs + entries > 1
}

/// Whether the first line and at least two thirds of all lines are shell commands.
fn is_commands(code: &str) -> bool {
    let mut goes_on = false;
    let (mut known, mut all) = (0, 0);
    for line in lines(code).filter(|line| !line.starts_with("# ")) {
        let is_known = goes_on || COMMANDS.iter().any(|pattern| fits(line, pattern));
        if all == 0 && !is_known {
            return false;
        }
        goes_on = line.ends_with('\\');
        all += 1;
        known += u32::from(is_known);
    }
    known > 0 && 3 * known >= 2 * all
}

/// A pattern: its row, the text before its first wildcard, and the rest.
type Pattern = (usize, &'static str, &'static str);

/// The patterns by their first byte.
struct Index {
    /// Patterns that begin with text.
    start: Vec<Vec<Pattern>>,
    /// Patterns that begin with a name, by the text after the name.
    named: Vec<Vec<Pattern>>,
    /// Patterns that begin with any text, by the text after it.
    inside: Vec<Vec<Pattern>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let empty = || vec![vec![]; 256];
    let mut index = Index { start: empty(), named: empty(), inside: empty() };
    for (row, (_, _, patterns)) in MARKS.iter().enumerate() {
        for pattern in *patterns {
            let (places, rest) = if let Some(rest) = pattern.strip_prefix('…') {
                (&mut index.inside, rest)
            } else if let Some(rest) = pattern.strip_prefix('§') {
                (&mut index.named, rest)
            } else {
                (&mut index.start, *pattern)
            };
            let (text, rest) = rest.split_at(rest.find(['…', '§']).unwrap_or(rest.len()));
            places[usize::from(text.as_bytes()[0])].push((row, text, rest));
        }
    }
    index
});

/// Marks as seen the rows with a pattern that fits the text.
fn mark(seen: &mut [bool], index: &[Vec<Pattern>], text: &str) {
    let Some(first) = text.bytes().next() else { return };
    for (row, before, pattern) in &index[usize::from(first)] {
        if !seen[*row] && text.strip_prefix(before).is_some_and(|rest| fits(rest, pattern)) {
            seen[*row] = true;
        }
    }
}

/// The language whose marks have the highest total weight, if it is high enough and no other language has the
/// same.
fn by_marks(code: &str, earlier: &[&str]) -> Option<&'static str> {
    let mut seen = vec![false; MARKS.len()];
    for line in lines(code) {
        mark(&mut seen, &INDEX.start, line);
        if let Some(rest) = after(line, "§") {
            mark(&mut seen, &INDEX.named, rest);
        }
        for (at, _) in text::start(line, MAX_LINE).char_indices() {
            mark(&mut seen, &INDEX.inside, &line[at..]);
        }
    }
    let (mut best, mut second) = (("", 0), 0);
    let found = || MARKS.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(row, _)| row);
    for (language, _, _) in found() {
        if *language == OUTPUT {
            return None;
        }
        let points = found().filter(|row| row.0 == *language).map(|row| row.1).sum::<u8>();
        if best.0 == *language {
            continue;
        }
        if points > best.1 {
            second = best.1;
            best = (language, points);
        } else {
            second = second.max(points);
        }
    }
    let enough = if earlier.contains(&best.0) { ENOUGH_AGAIN } else { ENOUGH };
    (best.1 >= enough && best.1 > second).then_some(best.0)
}

/// Whether code with added and removed lines names the files or places that they belong to.
fn is_diff(code: &str) -> bool {
    let starts = |mark: &str| code.lines().any(|line| line.starts_with(mark));
    starts("diff --git ") || starts("@@ -") || starts("--- ") && starts("+++ ")
}

/// The lines that are not empty, without the white space around them.
fn lines(code: &str) -> impl Iterator<Item = &str> {
    code.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Whether a line has the form of a pattern.
fn fits(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('…').peekable();
    let Some(mut rest) = parts.next().and_then(|first| after(line, first)) else { return false };
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let (text, names) = part.split_at(part.find('§').unwrap_or(part.len()));
        if is_last && names.is_empty() {
            return rest.ends_with(text);
        }
        let mut found = rest.match_indices(text).map(|(at, _)| &rest[at + text.len()..]);
        let next = found.find_map(|rest| after(rest, names).filter(|r| !is_last || r.is_empty()));
        let Some(next) = next else { return false };
        rest = next;
    }
    true
}

/// The rest of a line after the first part of a pattern.
fn after<'a>(line: &'a str, part: &str) -> Option<&'a str> {
    let mut pieces = part.split('§');
    let mut rest = line.strip_prefix(pieces.next()?)?;
    for piece in pieces {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (name, next) = rest.split_at(end.unwrap_or(rest.len()));
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        rest = next.strip_prefix(piece).filter(|_| is_name)?;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::super::languages::find;
    use super::*;
    use proptest::prelude::*;

    /// Code in one line, in which ` / ` stands for a line break.
    fn rows(text: &str) -> String {
        text.replace(" / ", "\n")
    }

    #[test]
    fn guesses_the_language_from_strong_evidence() {
        for (code, expected) in [
            ("#!/usr/bin/env python3 / run()", "python"),
            ("#!/bin/sh / run", "bash"),
            ("<?php / $a = 1;", "php"),
            ("<!DOCTYPE html> / <p>Hi", "html"),
            ("<?xml version=\"1.0\"?> / <a/>", "html"),
            ("<ul> /   <li>One</li> / </ul>", "html"),
            ("<img src=\"a.png\" />", "html"),
            ("{ /   \"name\": \"fig\", /   \"size\": 3 / }", "json"),
            ("[{\"name\": \"fig\"}]", "json"),
            ("diff --git a/x b/x / @@ -1,2 +1,2 @@ / -a / +b", "diff"),
            ("--- a/x / +++ b/x / @@ -1,2 +1,2 @@ / -a / +b", "diff"),
            ("#include <stdio.h> / int x;", "c"),
            ("fn area(w: u32) -> u32 { /     w * w / }", "rust"),
            ("let fig = Fig::new(); / println!(\"{fig:?}\");", "rust"),
            ("package shop / func Sell(n int) { / }", "go"),
            ("n, err := shop.Sell(3) / if err != nil { / }", "go"),
            ("def sell(n): /     return n * 2", "python"),
            ("import shop / if shop.open:", "python"),
            ("try: /     sell() / except ValueError: /     pass", "python"),
            ("import shop.figs.green as figs", "python"),
            ("require_once 'shop.inc';", "php"),
            ("const fig = require('fig');", "js"),
            ("const fig = pick(); / figs.forEach((f) => { /   eat(f); / });", "js"),
            ("function sell(n) { /   return n; / }", "js"),
            ("SELECT name FROM figs WHERE size > 3;", "sql"),
            ("select name, size / from figs / where size > 3", "sql"),
            ("create table figs (name text);", "sql"),
            ("$ fig list / fig 1 / fig 2", "console"),
            ("[me@shop ~]$ fig list / fig 1", "console"),
            (">>> 1 + 2 / 3", "pycon"),
            ("git clone https://shop.example/fig.git / cd fig", "bash"),
            ("# Get it first. / curl -O https://shop.example/fig.tar", "bash"),
            ("docker run \\ /   -p 80:80 \\ /   fig", "bash"),
            (".fig { /   color: green; / }", "css"),
            ("[shop] / open = true / # Figs / size = 3", "yaml"),
            ("shop: /   open: true /   figs: /     - green", "yaml"),
            ("[Unit] / After=network.target", "yaml"),
            ("shop: /   run: |- /     fig list | sort /   open: true", "yaml"),
            (".PHONY: all / all: fig / \tcargo test", "bash"),
            ("local fig = 3 / function sell(n) / end", "lua"),
            ("class Fig < Fruit /   def sell /   end / end", "ruby"),
            ("public class Fig { / }", "java"),
            ("val fig = 3 / object Shop extends App { / }", "java"),
            ("sell :: Int -> Int / sell n = n", "haskell"),
            ("(defun sell (n) / n)", "lisp"),
            ("FROM debian / RUN fig list", "bash"),
        ] {
            assert_eq!(guess(&rows(code), &[]), Some(expected), "{code}");
        }
    }

    #[test]
    fn does_not_guess_from_weak_evidence() {
        for text in [
            "",
            " / ",
            "Let it be, / let it go, / for all I know: / the end",
            "from the hills / where the river is = wide",
            "with the words as follows: / done",
            "import taxes are high / and so is the fee",
            "shop/ / ├── figs/ / │   └── green.fig / └── open",
            "2026-03-04 10:11:12 INFO Shop - open = true",
            "INFO open / fn sell() -> u32",
            "error[E0382]: borrow of moved value / let a = 1; / println!(\"{a}\");",
            "Traceback (most recent call last): / import shop / if shop.open:",
            "Exception in thread \"main\" / at shop.Fig.sell(Fig.java:12) / @Override",
            " name | size / ------+----- / SELECT name FROM figs",
            "Needs: / - flour / - salt",
            "To: Ann / From: Ben / Subject: figs / / Hello",
            "GET /figs HTTP/1.1 / Host: shop.example / Accept: text/html",
            "<ann> hello / <ben> hi",
            "<size> <name>",
            "git is a tool / that keeps versions",
            "$ 100 for a fig",
            "$ x_1 + x_2 $",
            "- flour / + sugar / const a = 1; / a => {",
            "x = 1",
            "return 0;",
            "const a = 4;",
            "/etc/shop/fig.conf",
            "{ figs }",
            "[ WITH query ] / SELECT [ ALL ] / [ FROM item ]",
            "/\\_/\\ / ( o.o ) / > ^ <",
        ] {
            assert_eq!(guess(&rows(text), &[]), None, "{text}");
        }
    }

    #[test]
    fn needs_less_evidence_for_a_language_the_article_already_uses() {
        let code = rows("const fig = 3;");
        assert_eq!(guess(&code, &["python"]), None);
        assert_eq!(guess(&code, &["python", "js"]), Some("js"));
        assert_eq!(guess("3 figs", &["js"]), None);
    }

    #[test]
    fn matches_patterns_with_wildcards() {
        for (line, pattern, expected) in [
            ("done", "done", true),
            ("done!", "done", false),
            ("if a: # b", "if …:", false),
            ("if a:", "if …:", true),
            ("with open(a) as b:", "with §(…) as §:", true),
            ("with open(a) as 1:", "with §(…) as §:", false),
            ("with (a) as b:", "with §(…) as §:", false),
            ("f(a) as 1, (b) as c:", "§(…) as §:", true),
            ("Map<A> a = b;", "Map<…> § = …;", true),
            ("a.é := é", "…é := …", true),
        ] {
            assert_eq!(fits(line, pattern), expected, "{line} {pattern}");
        }
    }

    #[test]
    fn reads_only_whole_lines_at_the_start() {
        let long =
            format!("shop:\n  open: true\n  figs:\n{}", "    - green\n".repeat(MAX_READ / 9));
        assert!(!text::start(&long, MAX_READ).ends_with('\n'));
        assert_eq!(guess(&long, &[]), Some("yaml"));
        let far = format!("{}\nfn sell() -> u32 {{", "x\n".repeat(MAX_READ));
        assert_eq!(guess(&far, &[]), None);
    }

    #[test]
    fn knows_the_syntax_of_each_language() {
        for (language, _, patterns) in MARKS {
            assert!(*language == OUTPUT || find(language).is_some(), "{language}");
            let is_valid = |p: &&str| !p.trim_start_matches(['…', '§']).is_empty();
            assert!(patterns.iter().all(is_valid), "{patterns:?}");
        }
    }

    proptest! {
        #[test]
        fn never_fails(
            code in "([a-z0-9_'\"`#/*<>!$=:;\n(){}\\[\\]日é. -]|fn |\\$ |>>> |: ){0,80}",
        ) {
            guess(&code, &["python", "rust"]);
        }
    }
}

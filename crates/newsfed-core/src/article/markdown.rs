//! Writes a document tree as Markdown (CommonMark with GitHub tables).

use super::document::{Block, Definition, Document, Inline, Link};

impl Document {
    /// The document as Markdown, ending in a line break unless it is empty.
    pub fn markdown(&self) -> String {
        let mut out = blocks(&self.blocks, &self.links);
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }

    /// The document as Markdown, below a title.
    pub fn titled_markdown(&self, title: &str) -> String {
        let title = vec![Inline::Text(title.to_owned())];
        format!("{}\n\n{}", block(&Block::Heading(1, title), &[]), self.markdown())
    }
}

fn blocks(blocks: &[Block], links: &[Link]) -> String {
    let parts: Vec<String> = blocks.iter().map(|b| block(b, links)).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    parts.join("\n\n")
}

fn block(block: &Block, links: &[Link]) -> String {
    match block {
        Block::Heading(level, text) => {
            let text = inline(text, links).replace("\\\n", " ").replace('\n', " ");
            format!("{} {text}", "#".repeat(usize::from(*level).clamp(1, 6)))
        }
        Block::Paragraph(text) => guard_start(&inline(text, links)),
        Block::List(start, items) => list(*start, items, links),
        Block::Definitions(all) => {
            let items: Vec<Vec<Block>> = all.iter().map(Definition::as_item).collect();
            list(None, &items, links)
        }
        Block::Quote(inner, by) => {
            let parts = [blocks(inner, links), guard_start(&inline(by, links))];
            let parts: Vec<&str> =
                parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
            prefix(&parts.join("\n\n"), "> ", "> ")
        }
        Block::Code { language, code } => {
            let language = language.as_deref().unwrap_or_default();
            let fence = "`".repeat((longest_run(code, '`') + 1).max(3));
            format!("{fence}{language}\n{}\n{fence}", code.trim_end_matches('\n'))
        }
        Block::Table { header, rows } => table(*header, rows, links),
        Block::Figure(image, caption) => {
            let parts = [inline(image, links), inline(caption, links)];
            parts.iter().filter(|p| !p.is_empty()).cloned().collect::<Vec<_>>().join("\n\n")
        }
        Block::Note { number, blocks: inner, .. } => {
            prefix(&blocks(inner, links), &format!("[^{}]: ", number + 1), "    ")
        }
        Block::Rule => "---".to_owned(),
    }
}

fn list(start: Option<u32>, items: &[Vec<Block>], links: &[Link]) -> String {
    // Footnotes have numbers of their own.
    if items.iter().flatten().all(|block| matches!(block, Block::Note { .. })) {
        return items.iter().map(|item| blocks(item, links)).collect::<Vec<_>>().join("\n\n");
    }
    let tight = items.iter().all(|i| i.len() <= 1);
    let mut lines = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let mark = match start {
            // List numbers in Markdown have at most nine digits.
            Some(first) => format!("{}. ", (u64::from(first) + n as u64).min(999_999_999)),
            None => "- ".to_owned(),
        };
        lines.push(prefix(&blocks(item, links), &mark, &" ".repeat(mark.len())));
    }
    lines.join(if tight { "\n" } else { "\n\n" })
}

fn table(header: bool, rows: &[Vec<Vec<Inline>>], links: &[Link]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let line = |row: &[Vec<Inline>]| {
        let cells = (0..columns).map(|at| {
            let text = row.get(at).map(|c| inline(c, links)).unwrap_or_default();
            text.replace("\\\n", " ").replace('\n', " ").replace('|', "\\|")
        });
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut lines = Vec::new();
    let body = if header { rows.get(1..).unwrap_or_default() } else { rows };
    lines.push(line(rows.first().filter(|_| header).map(Vec::as_slice).unwrap_or_default()));
    lines.push(format!("|{}", " --- |".repeat(columns)));
    lines.extend(body.iter().map(|row| line(row)));
    lines.join("\n")
}

fn inline(inlines: &[Inline], links: &[Link]) -> String {
    let mut out = String::new();
    for piece in inlines {
        match piece {
            Inline::Text(text) => escape(text, &mut out),
            Inline::Emphasis(inner) => wrap(&inline(inner, links), "*", &mut out),
            Inline::Strong(inner) => wrap(&inline(inner, links), "**", &mut out),
            Inline::Deleted(inner) => wrap(&inline(inner, links), "~~", &mut out),
            // Markdown has no anchors.
            Inline::Inserted(inner) | Inline::Jump(inner, _) => {
                out.push_str(&inline(inner, links));
            }
            Inline::Place(_) => {}
            Inline::Code(code) => {
                let fence = "`".repeat(longest_run(code, '`') + 1);
                let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
                if !code.is_empty() {
                    out.push_str(&format!("{fence}{pad}{code}{pad}{fence}"));
                }
            }
            Inline::Link(inner, to) => match links.get(*to) {
                Some(link) => {
                    out.push_str(&format!("[{}]({})", inline(inner, links), target(&link.url)));
                }
                None => out.push_str(&inline(inner, links)),
            },
            Inline::Image(alt, to) => {
                let mut text = String::new();
                escape(alt, &mut text);
                let target = links.get(*to).map(|link| target(&link.url)).unwrap_or_default();
                out.push_str(&format!("![{text}]({target})"));
            }
            Inline::Note(_, number) => out.push_str(&format!("[^{}]", number + 1)),
            Inline::Break => out.push_str("\\\n"),
        }
    }
    out
}

/// Wraps a text in a marker, but keeps its leading and trailing spaces outside the marker, as Markdown
/// requires.
fn wrap(text: &str, mark: &str, out: &mut String) {
    let inner = text.trim();
    if inner.is_empty() {
        out.push_str(text);
        return;
    }
    let (before, after) = text.split_at(text.len() - text.trim_start().len());
    let after = &after[inner.len()..];
    out.push_str(&format!("{before}{mark}{inner}{mark}{after}"));
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '~' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
}

/// Escapes characters that would change the meaning of the first line of a paragraph.
fn guard_start(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0 && text[digits..].starts_with(['.', ')']);
    if numbered {
        return format!("{}\\{}", &text[..digits], &text[digits..]);
    }
    if text.starts_with(['#', '+', '-', '=', '|']) { format!("\\{text}") } else { text.to_owned() }
}

/// A URL as a link target.
fn target(url: &str) -> String {
    url.replace('(', "%28").replace(')', "%29").replace(' ', "%20")
}

fn prefix(text: &str, first: &str, rest: &str) -> String {
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mark = if at == 0 { first } else { rest };
        lines.push(format!("{mark}{line}").trim_end().to_owned());
    }
    lines.join("\n")
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use crate::article::from_html;

    #[test]
    fn writes_blocks_and_spans() {
        let cases = [
            ("<h2>A <em>b</em></h2><p>c", "## A *b*\n\nc\n"),
            (
                "<p>1. no list, *no* stars, # no</p><p># no</p>",
                "1\\. no list, \\*no\\* stars, # no\n\n\\# no\n",
            ),
            ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n\n- b\n\n  - c\n"),
            ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b\n"),
            ("<pre>x = ```y```\n  z</pre>", "````\nx = ```y```\n  z\n````\n"),
            ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b\n"),
            (
                "<p>see <a href='http://e.org/a(b)'>this</a> or <code>a`b</code>",
                "see [this](http://e.org/a%28b%29) or ``a`b``\n",
            ),
            ("<p>a<br>b", "a\\\nb\n"),
            (
                "<table><tr><th>a<th>b<tr><td>1|2<td>3</table>",
                "| a | b |\n| --- | --- |\n| 1\\|2 | 3 |\n",
            ),
            (
                "<p>x<sup><a href='#n'>1</a></sup></p><ol><li id=n><p>y</p></li></ol>",
                "x[^1]\n\n[^1]: y\n",
            ),
            ("<p>x<strong> y </strong>z", "x **y** z\n"),
            ("", ""),
        ];
        for (html, want) in cases {
            assert_eq!(from_html(html, None).markdown(), want, "{html}");
        }
    }

    #[test]
    fn moves_line_breaks_outside_emphasis() {
        let cases = [
            ("<p><b>a <br></b>b", "**a** \\\nb\n"),
            ("<p>a<i><br>b</i>", "a\\\n*b*\n"),
            ("<p><i><b>a<br><br></b></i><b>b <br></b>c", "***a***\n\n**b** \\\nc\n"),
            ("<p>a<b><br> <br>b</b>", "a\n\n**b**\n"),
            ("<p><b>a<br><br>b</b> c", "**a**\n\n**b** c\n"),
            ("<p><b>a<br>b </b>c<b><br></b><br>d", "**a\\\nb** c\n\nd\n"),
            ("<h2><b>a<br><br>b<br></b></h2>", "## **a** **b**\n"),
        ];
        for (html, want) in cases {
            assert_eq!(from_html(html, None).markdown(), want, "{html}");
        }
    }

    #[test]
    fn escapes_titles_like_the_text() {
        let document = from_html("<p>x", None);
        let cases = [
            ("Plain", "# Plain\n\nx\n"),
            ("<script>a</script> *b*\nc", "# \\<script\\>a\\</script\\> \\*b\\* c\n\nx\n"),
            ("[a](http://e.org)", "# \\[a\\](http://e.org)\n\nx\n"),
        ];
        for (title, want) in cases {
            assert_eq!(document.titled_markdown(title), want, "{title}");
        }
    }
}

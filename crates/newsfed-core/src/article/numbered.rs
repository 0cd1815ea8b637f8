//! Plain text with the numbers of links and images, for a text that is followed by their list.

use super::document::{Block, Definition, Document, EMBEDDED, Inline};

impl Document {
    /// The plain text, in which each link is followed by its number in [`Document::links`] plus 1, and each
    /// image is a label such as `[image: Map] [4]`.
    pub fn numbered_text(&self) -> String {
        let text = Self { blocks: blocks(&self.blocks), ..Self::default() }.text();
        // Removes the indentation of empty lines in lists, which is trailing whitespace.
        let lines: Vec<&str> =
            text.lines().map(|line| if line.trim().is_empty() { "" } else { line }).collect();
        lines.join("\n")
    }
}

fn blocks(all: &[Block]) -> Vec<Block> {
    all.iter().filter_map(block).collect()
}

/// The block with its inline content as one text, unless it contains nothing that can be printed: such blocks
/// would leave empty lines.
fn block(block: &Block) -> Option<Block> {
    let line = |inlines: &[Inline]| vec![Inline::Text(words(inlines))];
    let filled = |inlines: &[Inline]| Some(words(inlines)).filter(|text| !text.is_empty());
    let text = |text: String| vec![Inline::Text(text)];
    Some(match block {
        Block::Heading(level, inlines) => Block::Heading(*level, text(filled(inlines)?)),
        Block::Paragraph(inlines) => Block::Paragraph(text(filled(inlines)?)),
        Block::Figure(images, caption) => {
            let caption = words(caption);
            let repeats = |i: &Inline| matches!(i, Inline::Image(alt, _) if !caption.is_empty() && *alt == caption);
            let bare = |i: &Inline| match i {
                Inline::Image(_, to) if repeats(i) => Inline::Image(String::new(), *to),
                other => other.clone(),
            };
            let images: Vec<String> = images.iter().map(|i| words(&[bare(i)])).collect();
            let all: Vec<String> = images.into_iter().chain([caption]).collect();
            let all: Vec<String> = all.into_iter().filter(|part| !part.is_empty()).collect();
            Block::Paragraph(text(Some(all.join(" ")).filter(|text| !text.is_empty())?))
        }
        Block::List(start, items) => Block::List(*start, items.iter().map(|i| blocks(i)).collect()),
        Block::Definitions(all) => Block::Definitions(
            all.iter()
                .map(|one| Definition {
                    terms: one.terms.iter().map(|term| line(term)).collect(),
                    blocks: blocks(&one.blocks),
                })
                .collect(),
        ),
        Block::Quote(inner, by) if words(by).is_empty() => Block::Quote(blocks(inner), Vec::new()),
        Block::Quote(inner, by) => Block::Quote(blocks(inner), line(by)),
        Block::Table { header, rows } => Block::Table {
            header: *header,
            rows: rows.iter().map(|row| row.iter().map(|cell| line(cell)).collect()).collect(),
        },
        Block::Note { number, label, blocks: inner } => {
            Block::Note { number: *number, label: label.clone(), blocks: blocks(inner) }
        }
        Block::Code { .. } | Block::Rule => block.clone(),
    })
}

/// Inline content as text without empty lines at its ends, and with at most one between its lines.
fn words(inlines: &[Inline]) -> String {
    let mut out = String::new();
    write(inlines, &mut out);
    let mut lines: Vec<&str> = out.split('\n').map(str::trim_end).collect();
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    lines.join("\n").trim_matches('\n').to_owned()
}

fn write(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Link(inner, to) => {
                write(inner, out);
                let end = out.trim_end_matches(' ').len();
                let spaces = out.split_off(end);
                number(*to, out);
                out.push_str(&spaces);
            }
            Inline::Image(alt, to) => {
                let alt = alt.trim();
                match alt.is_empty() {
                    true => out.push_str("[image]"),
                    false => out.push_str(&format!("[image: {alt}]")),
                }
                number(*to, out);
            }
            Inline::Emphasis(inner)
            | Inline::Strong(inner)
            | Inline::Inserted(inner)
            | Inline::Jump(inner, _) => write(inner, out),
            Inline::Deleted(inner) => {
                out.push_str("~~");
                write(inner, out);
                out.push_str("~~");
            }
            Inline::Text(_)
            | Inline::Code(_)
            | Inline::Note(..)
            | Inline::Place(_)
            | Inline::Break => {
                out.push_str(&super::plain(std::slice::from_ref(inline)));
            }
        }
    }
}

fn number(to: usize, out: &mut String) {
    if to >= EMBEDDED {
        return;
    }
    if !out.is_empty() && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
    out.push_str(&format!("[{}]", to + 1));
}

#[cfg(test)]
mod tests {
    use crate::article::from_html;

    #[test]
    fn numbers_links_and_labels_images() {
        let cases = [
            ("<p>See <a href='/a'>the reviews </a>and more</p>", "See the reviews [1] and more"),
            (
                "<p>A</p><p><img src='/s.png' alt='stats'></p><p>B</p>",
                "A\n\n[image: stats] [1]\n\nB",
            ),
            ("<p><img src='/s.png' width=300 height=200></p><p>B</p>", "[image] [1]\n\nB"),
            (
                "<figure><img src='/s.png' alt='x'><figcaption>By <a href='/b'>B</a></figcaption></figure>",
                "[image: x] [1] By B [2]",
            ),
            (
                "<figure><img src='/s.png' alt='Map'><figcaption>Map</figcaption></figure>",
                "[image] [1] Map",
            ),
            (
                "<ul><li><a href='/a'>one</a></li><li><b><a href='/b'>two</a></b></li></ul>",
                "- one [1]\n\n- two [2]",
            ),
            ("<p>a<br><br><br><br>b</p>", "a\n\nb"),
        ];
        for (html, text) in cases {
            let base = url::Url::parse("https://a.example/").unwrap();
            let document = from_html(html, Some(&base));
            let shown = document.numbered_text();
            assert_eq!(shown.replace("- one [1]\n- two", "- one [1]\n\n- two"), text, "{html}");
            assert!(!shown.contains("\n\n\n"), "{shown}");
        }
    }

    #[test]
    fn mentions_every_link_of_the_list() {
        let html = "<h2><a href='/1'>T</a></h2><p><a href='/2'><img src='/3.png' alt='x'></a></p>\
                    <blockquote><p><a href='/4'>q</a></p></blockquote>\
                    <table><tr><td><a href='/5'>c</a></td><td>d</td></tr><tr><td>e</td><td>f</td></tr></table>";
        let base = url::Url::parse("https://a.example/").unwrap();
        let document = from_html(html, Some(&base));
        let text = document.numbered_text();
        for n in 1..=document.links.len() {
            assert!(text.contains(&format!("[{n}]")), "{n}: {text}");
        }
    }
}

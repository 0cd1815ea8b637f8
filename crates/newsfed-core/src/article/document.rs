//! The document tree: the structure of an article, independent of markup and display.

use super::maths::formula_text;
use crate::model::Enclosure;

/// The index of an image that was embedded in the page is this constant plus its index in
/// [`Document::embedded`], because there is no URL to open.
pub const EMBEDDED: usize = usize::MAX / 2;
/// The index of an embedded image about whose data nothing is known.
pub const NOWHERE: usize = usize::MAX;

/// An article as blocks, with its links and images numbered in text order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    pub blocks: Vec<Block>,
    /// The targets of [`Inline::Link`] and [`Inline::Image`]; displayed as `index + 1`.
    pub links: Vec<Link>,
    /// The markers of embedded images, see [`crate::util::html::marker`].
    pub embedded: Vec<String>,
}

impl Document {
    /// The marker of the embedded image with this index.
    pub fn marker(&self, index: usize) -> Option<&str> {
        marker(&self.embedded, index)
    }

    /// The URL of the image with this index, or its marker if it is embedded.
    pub fn image(&self, index: usize) -> Option<&str> {
        self.links.get(index).map(|link| link.url.as_str()).or_else(|| self.marker(index))
    }
}

pub(super) fn marker(embedded: &[String], index: usize) -> Option<&str> {
    embedded.get(index.checked_sub(EMBEDDED)?).map(String::as_str)
}

/// One link target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Absolute URL (http, https or mailto).
    pub url: String,
    pub kind: LinkKind,
    /// Width and height of an image in pixels as given by the page, each 1 to 9999.
    pub size: Option<(u32, u32)>,
    /// The feed's metadata for the file, if the target is an enclosure.
    pub file: Option<Enclosure>,
}

/// The kind of a link target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// A page.
    Page,
    /// An image in the text.
    Image,
    /// Audio, video or a download.
    Media,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading, level 1 to 6.
    Heading(u8, Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list; `Some(n)` numbers its items from n.
    List(Option<u32>, Vec<Vec<Block>>),
    /// A definition list.
    Definitions(Vec<Definition>),
    /// A quotation, and its attribution, which is empty if unknown.
    Quote(Vec<Block>, Vec<Inline>),
    /// Preformatted text, lines separated by `\n`.
    Code {
        /// Its programming language in lower case, if the page gives it.
        language: Option<String>,
        code: String,
    },
    /// A table; the first row may be a header.
    Table {
        /// Whether the first row is a header.
        header: bool,
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// An image with its caption.
    Figure(Vec<Inline>, Vec<Inline>),
    /// A footnote, in its place on the page.
    Note {
        /// Its index, from 0 in the order of the references.
        number: usize,
        /// Its marker as written on the page, such as `1` or `*`. The text may start with the marker, too.
        label: String,
        blocks: Vec<Block>,
    },
    /// A thematic break.
    Rule,
}

/// One or more terms and their definitions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Definition {
    pub terms: Vec<Vec<Inline>>,
    pub blocks: Vec<Block>,
}

impl Definition {
    /// Its blocks as a list item: the terms in strong emphasis, followed by the definitions.
    pub(super) fn as_item(&self) -> Vec<Block> {
        let term = |term: &Vec<Inline>| match term.as_slice() {
            [Inline::Strong(_)] => Block::Paragraph(term.clone()),
            _ => Block::Paragraph(vec![Inline::Strong(term.clone())]),
        };
        self.terms.iter().map(term).chain(self.blocks.iter().cloned()).collect()
    }
}

/// Inline content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Text with collapsed whitespace.
    Text(String),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Deleted text.
    Deleted(Vec<Inline>),
    /// Inserted text.
    Inserted(Vec<Inline>),
    /// Inline code.
    Code(String),
    /// A link: its text, and the index of its target.
    Link(Vec<Inline>, usize),
    /// An image: its alternative text, and the index of its target, which is at least [`EMBEDDED`] if the
    /// image was embedded.
    Image(String, usize),
    /// A reference to a footnote: its marker as written on the page, and the footnote's index.
    Note(String, usize),
    /// A link to a place in the same document: its text, and the index of the place.
    Jump(Vec<Inline>, usize),
    /// The target of an [`Inline::Jump`]: the position where the text after it begins.
    Place(usize),
    /// A line break.
    Break,
}

impl Document {
    /// Creates a document from plain text: empty lines separate paragraphs, and runs of spaces become one.
    pub fn from_text(text: &str) -> Self {
        let paragraphs = text.split("\n\n").map(str::trim).filter(|p| !p.is_empty());
        let inline = |p: &str| {
            let mut out = Vec::new();
            for (i, line) in p.lines().enumerate() {
                if i > 0 {
                    out.push(Inline::Break);
                }
                let words: Vec<&str> = line.split_ascii_whitespace().collect();
                out.push(Inline::Text(words.join(" ")));
            }
            out
        };
        Self {
            blocks: paragraphs.map(|p| Block::Paragraph(inline(p))).collect(),
            ..Self::default()
        }
    }

    /// Whether the document contains no text.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The plain text, for copying, searching and scripts. Empty lines separate the blocks.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            block.write_text(&mut out, "");
        }
        out.truncate(out.trim_end().len());
        out
    }
}

impl Block {
    fn write_text(&self, out: &mut String, indent: &str) {
        match self {
            Self::Heading(_, text) | Self::Paragraph(text) => line(out, indent, &plain(text)),
            Self::Figure(image, caption) => {
                let both = [plain(image), plain(caption)].join(" ");
                line(out, indent, both.trim());
            }
            Self::Quote(blocks, by) => {
                let inner = format!("{indent}> ");
                blocks.iter().for_each(|b| b.write_text(out, &inner));
                if !by.is_empty() {
                    line(out, &inner, &plain(by));
                }
            }
            Self::List(start, items) => {
                for (i, item) in items.iter().enumerate() {
                    let mark = match start {
                        Some(n) => format!("{}. ", u64::from(*n) + i as u64),
                        None => "- ".to_owned(),
                    };
                    write_item(&mark, item, out, indent);
                }
            }
            Self::Definitions(all) => {
                all.iter().for_each(|one| write_item("- ", &one.as_item(), out, indent));
            }
            Self::Note { blocks, .. } => {
                blocks.iter().for_each(|b| b.write_text(out, indent));
            }
            Self::Code { language, code } => {
                let formula = formula_text(language.as_deref(), code);
                line(out, indent, formula.as_deref().unwrap_or(code));
            }
            Self::Table { rows, .. } => {
                let rows: Vec<String> = rows
                    .iter()
                    .map(|r| r.iter().map(|c| plain(c)).collect::<Vec<_>>().join("\t"))
                    .collect();
                line(out, indent, &rows.join("\n"));
            }
            Self::Rule => line(out, indent, "---"),
        }
    }
}

/// Writes a list item after its marker.
fn write_item(mark: &str, blocks: &[Block], out: &mut String, indent: &str) {
    let mut inner = mark.to_owned();
    blocks.iter().for_each(|b| b.write_text(&mut inner, ""));
    line(out, indent, &inner.trim_end().replace('\n', "\n  "));
}

fn line(out: &mut String, indent: &str, text: &str) {
    for part in text.lines() {
        out.push_str(indent);
        out.push_str(part);
        out.push('\n');
    }
    out.push('\n');
}

/// The plain text of inline content.
pub fn plain(inlines: &[Inline]) -> String {
    let mut out = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(t) | Inline::Code(t) => out.push_str(t),
            Inline::Emphasis(inner)
            | Inline::Strong(inner)
            | Inline::Inserted(inner)
            | Inline::Link(inner, _)
            | Inline::Jump(inner, _) => out.push_str(&plain(inner)),
            Inline::Deleted(inner) => {
                let inner = plain(inner);
                out.push_str(&format!("~~{inner}~~"));
            }
            Inline::Image(text, _) | Inline::Note(text, _) => out.push_str(text),
            Inline::Place(_) => {}
            Inline::Break => out.push('\n'),
        }
    }
    out
}

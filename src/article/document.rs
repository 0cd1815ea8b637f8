//! The document tree: what an article is made of, apart from any markup or screen.

/// An article as blocks, with its links and images numbered in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// From top to bottom.
    pub blocks: Vec<Block>,
    /// What [`Inline::Link`] and [`Inline::Image`] point to; shown as `index + 1`.
    pub links: Vec<Link>,
}

/// One target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Absolute address (http, https or mailto).
    pub url: String,
    /// What it leads to.
    pub kind: LinkKind,
}

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// A page.
    Page,
    /// A picture in the text.
    Image,
    /// Sound, video or a download.
    Media,
}

/// A block of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading, level 1 to 6.
    Heading(u8, Vec<Inline>),
    /// Running text.
    Paragraph(Vec<Inline>),
    /// A list; `Some(n)` numbers its entries from n.
    List(Option<u32>, Vec<Vec<Block>>),
    /// A quotation.
    Quote(Vec<Block>),
    /// Text whose spacing matters, lines separated by `\n`.
    Code(String),
    /// Rows of cells; the first row is the header when there is one.
    Table {
        /// Whether the first row is a header.
        header: bool,
        /// Rows of cells.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A picture with its caption.
    Figure(Vec<Inline>, Vec<Inline>),
    /// A footnote, where the page has it.
    Note {
        /// Its number, from 0 in the order in which the text refers to them.
        number: usize,
        /// Its mark as the page writes it, such as `1` or `*`; it may stand before its text, too.
        label: String,
        /// Its text.
        blocks: Vec<Block>,
    },
    /// A thematic break.
    Rule,
}

/// A piece of running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Text, white space collapsed.
    Text(String),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Code within a line.
    Code(String),
    /// A link: its text, and the index of its target.
    Link(Vec<Inline>, usize),
    /// A picture: its alternative text, and the index of its target.
    Image(String, usize),
    /// A reference to a footnote: its mark as the page writes it, and the footnote's number.
    Note(String, usize),
    /// A line break.
    Break,
}

impl Document {
    /// A document of plain text: empty lines separate paragraphs, runs of blanks count as one.
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
        Self { blocks: paragraphs.map(|p| Block::Paragraph(inline(p))).collect(), links: vec![] }
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The text alone, for copying, searching and scripts; blocks are separated by empty lines.
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
            Self::Quote(blocks) => {
                blocks.iter().for_each(|b| b.write_text(out, &format!("{indent}> ")));
            }
            Self::List(start, items) => {
                for (i, item) in items.iter().enumerate() {
                    let mark = match start {
                        Some(n) => format!("{}. ", u64::from(*n) + i as u64),
                        None => "- ".to_owned(),
                    };
                    let mut inner = String::new();
                    item.iter().for_each(|b| b.write_text(&mut inner, ""));
                    line(out, indent, &(mark + &inner.trim_end().replace('\n', "\n  ")));
                }
            }
            Self::Note { blocks, .. } => {
                blocks.iter().for_each(|b| b.write_text(out, indent));
            }
            Self::Code(code) => line(out, indent, code),
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

fn line(out: &mut String, indent: &str, text: &str) {
    for part in text.lines() {
        out.push_str(indent);
        out.push_str(part);
        out.push('\n');
    }
    out.push('\n');
}

fn plain(inlines: &[Inline]) -> String {
    let mut out = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(t) | Inline::Code(t) => out.push_str(t),
            Inline::Emphasis(inner) | Inline::Strong(inner) | Inline::Link(inner, _) => {
                out.push_str(&plain(inner));
            }
            Inline::Image(text, _) | Inline::Note(text, _) => out.push_str(text),
            Inline::Break => out.push('\n'),
        }
    }
    out
}

//! A parser for the user documentation, for tests.

use std::path::{Path, PathBuf};

pub(crate) struct Page {
    /// The path in the repository, such as `docs/search.md`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A fenced code block.
pub(crate) struct Block {
    /// The line number of the opening fence, starting at 1.
    pub(crate) line: usize,
    pub(crate) language: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// All pages: README.md and the guide.
pub(crate) fn pages() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned()];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            paths.push(format!("docs/{name}"));
        }
    }
    paths.sort();
    paths.into_iter().map(|path| Page::read(&path)).collect()
}

impl Page {
    pub(crate) fn read(path: &str) -> Self {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        Self { path: path.to_owned(), text }
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![];
        let mut open: Option<Block> = None;
        for (line, text) in (1..).zip(self.text.lines()) {
            match (text.trim_start().strip_prefix("```"), open.take()) {
                (Some(_), Some(block)) => blocks.push(block),
                (Some(language), None) => {
                    open = Some(Block { line, language: language.to_owned(), text: String::new() });
                }
                (None, Some(mut block)) => {
                    block.text.push_str(text);
                    block.text.push('\n');
                    open = Some(block);
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block does not end", self.path);
        blocks
    }

    /// The lines outside of code blocks, with their line numbers.
    pub(crate) fn prose(&self) -> Vec<(usize, &str)> {
        let mut inside = false;
        let mut lines = vec![];
        for (number, line) in (1..).zip(self.text.lines()) {
            if line.trim_start().starts_with("```") {
                inside = !inside;
            } else if !inside {
                lines.push((number, line));
            }
        }
        lines
    }

    /// Paragraphs, headings and table rows, each joined into one line, with the number of the first line.
    pub(crate) fn paragraphs(&self) -> Vec<(usize, String)> {
        let mut found: Vec<(usize, String)> = vec![];
        let mut last = 0;
        for (number, line) in self.prose() {
            let begins = line.starts_with(['|', '#', '!']) || line.trim_start().starts_with("- ");
            match found.last_mut() {
                _ if line.trim().is_empty() => {}
                Some((_, text)) if number == last + 1 && !begins => {
                    text.push(' ');
                    text.push_str(line.trim());
                }
                _ => found.push((number, line.to_owned())),
            }
            if !line.trim().is_empty() {
                last = number;
            }
        }
        found
    }

    /// The code spans outside of code blocks, with the line numbers of their paragraphs.
    pub(crate) fn code_spans(&self) -> Vec<(usize, String)> {
        let spans = |(number, text): (usize, String)| {
            text.split('`').skip(1).step_by(2).map(|s| (number, s.to_owned())).collect::<Vec<_>>()
        };
        self.paragraphs().into_iter().flat_map(spans).collect()
    }
}

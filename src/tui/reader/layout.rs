//! Converts a document tree to lines.

use super::blocks::MIN_BEYOND;
use super::glyphs::Glyphs;
use super::inline::{pictures_apart, spans};
use super::line::{HeadingLines, Line, Lines, Span};
use super::wrap::wrap;
use super::{blocks, direction, table};
use crate::article::{Block, Document, Link, Thumbnail};
use crate::config::Role;
use crate::tui::graphics::Graphics;
use crate::util::limits::READER_LINES;
use crate::util::text;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Options for laying out a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Width of the column in cells.
    pub(crate) width: usize,
    /// Whether long lines of code continue on the next line. Otherwise they are wider than the column.
    pub(crate) wrap_code: bool,
    pub(crate) ascii: bool,
    /// Whether the terminal can strike through deleted text.
    pub(crate) strikes: bool,
    /// Whether a formula on its own line shows fractions in three lines.
    pub(crate) tall_formulas: bool,
    /// Maximum number of lines in a picture; 0 shows only descriptions.
    pub(crate) picture_lines: usize,
    /// The graphics protocol for drawing pictures with pixels, if the terminal supports one.
    pub(crate) graphics: Option<Graphics>,
    /// Number of cells to the right of the column that tables and long lines of code may use.
    pub(crate) beyond: usize,
}

/// Width of a thematic break in cells.
const RULE: usize = 9;

/// Pictures by the index of their link.
pub(crate) type Thumbnails = HashMap<usize, Arc<Thumbnail>>;

/// Lays out a document, with footnotes and links at the end.
pub(crate) fn layout(document: &Document, shape: Shape, pictures: &Thumbnails) -> Lines {
    let glyphs = super::glyphs::article(shape.ascii, shape.strikes);
    let mut out = Out {
        lines: Vec::new(),
        width: shape.width.max(8),
        wrap_code: shape.wrap_code,
        glyphs,
        depth: 0,
        text: Role::Text,
        colored: 0,
        guessed: Vec::new(),
        tall_formulas: shape.tall_formulas,
        links: &document.links,
        pictures,
        picture_lines: shape.picture_lines,
        graphics: shape.graphics,
        beyond: shape.beyond,
        levels: levels(&document.blocks),
        notes: vec![],
        codes: vec![],
    };
    out.blocks(&document.blocks, &[]);
    out.all_notes();
    let end = out.lines.len();
    out.links(document);
    let codes = out.codes;
    let lines = Lines::finished(out.lines, glyphs);
    let solid = lines.lines.get(end).map_or(lines.solid, |line| line.at);
    Lines { solid, codes, ..lines }
}

/// The heading levels of an article.
fn levels(blocks: &[Block]) -> BTreeSet<u8> {
    let level = |block: &Block| match block {
        Block::Heading(level, _) => Some(*level),
        _ => None,
    };
    blocks.iter().filter_map(level).collect()
}

pub(super) struct Out<'a> {
    pub(super) lines: Vec<Line>,
    pub(super) width: usize,
    pub(super) wrap_code: bool,
    pub(super) glyphs: &'static Glyphs,
    /// Nesting depth of lists.
    pub(super) depth: usize,
    /// The role of running text.
    pub(super) text: Role,
    /// Number of bytes of code that have been coloured so far.
    pub(super) colored: usize,
    /// The languages that were guessed for code so far.
    pub(super) guessed: Vec<&'static str>,
    pub(super) tall_formulas: bool,
    pub(super) links: &'a [Link],
    pub(super) pictures: &'a Thumbnails,
    pub(super) picture_lines: usize,
    pub(super) graphics: Option<Graphics>,
    pub(super) beyond: usize,
    /// The distinct levels of the headings.
    pub(super) levels: BTreeSet<u8>,
    /// The footnotes so far, with number, label and text.
    pub(super) notes: Vec<(usize, &'a str, &'a [Block])>,
    /// The blocks of code so far.
    pub(super) codes: Vec<Arc<str>>,
}

/// Prefixes of a block's lines: for the first line, and for the other lines.
pub(super) type Margin = [(Span, Span)];

impl<'a> Out<'a> {
    pub(super) fn gap(&mut self) {
        if self.lines.last().is_some_and(|l| l.all().next().is_some()) {
            self.lines.push(Line::default());
        }
    }

    pub(super) fn blocks(&mut self, blocks: &'a [Block], margin: &Margin) {
        let mut drawn: Option<&Block> = None;
        let mut is_shown = false;
        for (i, block) in blocks.iter().enumerate() {
            if std::mem::take(&mut is_shown) {
                continue;
            }
            // Skips text that would be cut off at the end.
            if self.lines.len() > READER_LINES {
                return;
            }
            // A heading or rule above the footnotes is left out, because the footnotes are moved to the end.
            let over_notes = matches!(block, Block::Heading(..) | Block::Rule)
                && blocks.get(i + 1).is_some_and(blocks::is_notes);
            if over_notes {
                continue;
            }
            if !blocks::is_notes(block) {
                let within = matches!(drawn, Some(Block::Paragraph(_)))
                    && matches!(block, Block::List(..))
                    && self.depth > 0;
                if drawn.is_some() && !within {
                    self.gap_in(margin);
                }
                // There is more space above a heading than below it.
                let opens_section = matches!(block, Block::Heading(level, _) if self.rank(*level) < 2)
                    && !matches!(drawn, None | Some(Block::Heading(..)));
                if opens_section {
                    self.gap_in(margin);
                }
                drawn = Some(block);
            }
            match blocks::caption_below(block, blocks.get(i + 1)) {
                Some((images, caption)) => {
                    self.figure(images, caption, margin);
                    is_shown = true;
                }
                None => self.block(block, margin),
            }
        }
    }

    /// The number of higher heading levels in the article.
    fn rank(&self, level: u8) -> usize {
        self.levels.iter().filter(|above| **above < level).count()
    }

    /// Adds an empty line that continues the bars of quotations.
    pub(super) fn gap_in(&mut self, margin: &Margin) {
        let bars: Vec<Span> = margin.iter().map(|(_, rest)| rest.clone()).collect();
        let drawn = bars.iter().any(|s| !s.text.trim().is_empty());
        self.lines.push(Line { margin: if drawn { bars } else { vec![] }, ..Line::default() });
    }

    fn block(&mut self, block: &'a Block, margin: &Margin) {
        match block {
            Block::Heading(level, inline) => {
                let rank = self.rank(*level);
                let role = match rank {
                    0 => Role::Heading,
                    1 => Role::Subheading,
                    _ => Role::Emphasis,
                };
                let first = self.lines.len();
                self.paragraph(&spans(inline, role, self.glyphs), margin);
                let count = self.lines.len() - first;
                if let Some(line) = self.lines.get_mut(first) {
                    line.heading = Some(HeadingLines { rank, count });
                }
            }
            Block::Paragraph(inline) => {
                let mut margin = margin.to_vec();
                let mut parts = pictures_apart(inline).into_iter().peekable();
                while let Some(part) = parts.next() {
                    self.paragraph(&spans(part, self.text, self.glyphs), &margin);
                    margin = further(&margin);
                    if parts.peek().is_some() {
                        self.gap_in(&margin);
                    }
                }
            }
            Block::Figure(images, caption) => self.figure(images, caption, margin),
            Block::Quote(inner, by) => self.quote(inner, by, margin),
            Block::List(start, items) => self.list(*start, items, margin),
            Block::Definitions(all) => self.definitions(all, margin),
            Block::Code { language, code } => self.code(language.as_deref(), code, margin),
            Block::Table { header, rows } => {
                let space = self.space(margin);
                let beyond = if self.beyond < MIN_BEYOND { 0 } else { self.beyond };
                let lines = table::lay_out(*header, rows, space, beyond, self.glyphs);
                self.all(lines, margin);
            }
            Block::Note { number, label, blocks } => self.notes.push((*number, label, blocks)),
            Block::Rule => self.rule(margin),
        }
    }

    /// Adds a short centred line.
    pub(super) fn rule(&mut self, margin: &Margin) {
        let space = self.space(margin);
        let width = space.min(RULE);
        let before = Span::blank((space - width) / 2);
        let rule = Span::label(self.glyphs.rule.repeat(width), Role::Border);
        let line = Line { spans: vec![before, rule], ..Line::default() };
        self.all(vec![line], margin);
    }

    /// Number of cells that a margin leaves for the text, at least 8.
    pub(super) fn space(&self, margin: &Margin) -> usize {
        let used: usize = margin.iter().map(|(_, rest)| text::width(&rest.text)).sum();
        self.width.saturating_sub(used).max(8)
    }

    pub(super) fn paragraph(&mut self, spans: &[Span], margin: &Margin) {
        let right_to_left = direction::is_right_to_left(spans);
        let lines = wrap(spans, self.space(margin));
        self.all(lines.into_iter().map(|l| Line { right_to_left, ..l }).collect(), margin);
    }

    /// Adds the lines of a block next to a margin.
    pub(super) fn all(&mut self, lines: Vec<Line>, margin: &Margin) {
        for (i, line) in lines.into_iter().take(READER_LINES + 1).enumerate() {
            let side = |(start, rest): &(Span, Span)| if i == 0 { start } else { rest }.clone();
            let margin: Vec<Span> = margin.iter().map(side).chain(line.margin).collect();
            self.lines.push(Line { margin, ..line });
        }
    }

    /// A nested margin. It takes at most half of the column, so that deeply nested text can be read. If it
    /// would exceed that, the new part replaces the innermost parts.
    pub(super) fn nested(&self, margin: &Margin, first: Span, rest: Span) -> Vec<(Span, Span)> {
        let width = |span: &Span| text::width(&span.text);
        let mut free = (self.width / 2).saturating_sub(width(&rest));
        let fits = |(_, outer): &(Span, Span)| match free.checked_sub(width(outer)) {
            Some(left) => {
                free = left;
                true
            }
            None => false,
        };
        let mut out = further(margin);
        let fitting = out.iter().map(fits).take_while(|fits| *fits).count();
        out.truncate(fitting);
        out.push((first, rest));
        out
    }
}

/// The margin of the lines after the first one.
pub(super) fn further(margin: &Margin) -> Vec<(Span, Span)> {
    margin.iter().map(|(_, rest)| (rest.clone(), rest.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::ends::TITLE;
    use super::*;
    use crate::article::from_html;
    use crate::util::html;

    #[test]
    fn marks_deleted_text() {
        let document = from_html("<p>a <del>b <b>c</b></del> d</p>", None);
        for (ascii, strikes, expected, struck) in [
            (false, true, "a b c d", "b c"),
            (false, false, "a ~~b c~~ d", ""),
            (true, true, "a ~~b c~~ d", ""),
        ] {
            let (width, wrap_code, picture_lines) = (20, true, 0);
            let shape = Shape {
                width,
                wrap_code,
                ascii,
                strikes,
                tall_formulas: true,
                picture_lines,
                graphics: None,
                beyond: 0,
            };
            let lines = layout(&document, shape, &Thumbnails::new()).lines;
            assert_eq!(lines[0].text(), expected, "{ascii} {strikes}");
            let spans = lines[0].spans.iter().filter(|span| span.struck);
            assert_eq!(spans.map(|span| span.text.as_str()).collect::<String>(), struck);
        }
    }

    #[test]
    fn does_not_repeat_a_caption_as_a_description() {
        let html = |alt: &str, caption: &str| {
            format!(
                "<figure><img src='https://e.org/a.png' alt='{alt}'><figcaption>{caption}</figcaption></figure>"
            )
        };
        let (width, ascii) = (60, false);
        let shape = Shape {
            width,
            ascii,
            wrap_code: true,
            strikes: true,
            tall_formulas: true,
            picture_lines: 0,
            graphics: None,
            beyond: 0,
        };
        for (alt, caption, count) in [
            ("A map of the coast", "A map of the coast", 1),
            ("A map of the coast", "a map of <i>the  coast</i>.", 1),
            ("Coast", "A map of the coast", 2),
        ] {
            let document = from_html(&html(alt, caption), None);
            let lines = layout(&document, shape, &Thumbnails::new()).lines;
            let lines = lines.iter().map(Line::text).take_while(|line| line != TITLE);
            let text: String = lines.map(|line| line.to_lowercase()).collect();
            assert_eq!(text.matches("coast").count(), count, "{alt}: {text}");
        }
    }

    #[test]
    fn marks_wrapped_code_and_separates_link_numbers() {
        let shape = Shape {
            width: 30,
            wrap_code: true,
            ascii: false,
            strikes: true,
            tall_formulas: true,
            picture_lines: 0,
            graphics: None,
            beyond: 0,
        };
        let shown = |markup: &str| -> Vec<String> {
            let document = from_html(markup, url::Url::parse("https://e.org/").ok().as_ref());
            let lines = layout(&document, shape, &Thumbnails::new()).lines;
            let all = |line: &Line| line.spans.iter().map(|span| span.text.as_str()).collect();
            lines.iter().map(all).collect()
        };
        let code = shown("<pre>short\nlet result = compute(first, second, third);\n</pre>");
        let marked: Vec<bool> = code.iter().map(|line| line.starts_with("↳ ")).collect();
        assert_eq!(marked, [false, false, false, true, true, false], "{code:?}");
        let code = shown("<pre>if one:\n    let result = compute(first, second)\n</pre>");
        let expected = ["if one:", "    let result =", "    ↳ compute(first, second)"];
        assert_eq!(code[1..4], expected);
        let linked = shown("<p><a href='/page'><img src='/a.png' alt='Coast'> and text</a></p>");
        assert!(linked[0].contains("and text¹") && !linked[0].contains('²'), "{linked:?}");
        let linked = shown("<p>See <a href='/page'><img src='/a.png' alt='Coast'></a>.</p>");
        // The number of the link, not that of the picture.
        assert!(linked[0].contains("Coast¹.") && !linked[0].contains('²'), "{linked:?}");
    }

    #[test]
    fn one_setting_decides_whether_code_is_wrapped() {
        let (single, table) = ("word ".repeat(12), "+----+----+\n| a | b |\n".repeat(2));
        let long = single.repeat(3);
        let boxes = "┌──┬──┐\n│ a│ b│ │ │ │ │ │ │ │ │ │ │ │ │\n".repeat(2);
        let (rule, rows) = ("-".repeat(30), "x | y".repeat(8));
        for (code, wraps, cuts) in [
            (format!("first\n{single}"), true, true),
            (single.clone(), true, true),
            // A program that has lost its line breaks.
            (long, true, false),
            // Drawings and tables are never wrapped.
            (format!("{table}{single}"), false, true),
            (boxes, false, true),
            (format!("{rule}+{rule}\n{rows}"), false, true),
            (format!("// ── Part ──\n// ── Other ──\na || b\n{single}"), true, true),
        ] {
            let markup = format!("<pre><code class=language-text>{code}</code></pre>");
            let document = from_html(&markup, None);
            for (wrap_code, is_cut) in [(true, !wraps), (false, cuts)] {
                let shape = Shape {
                    width: 30,
                    wrap_code,
                    ascii: false,
                    strikes: true,
                    tall_formulas: true,
                    picture_lines: 0,
                    graphics: None,
                    beyond: 0,
                };
                let lines = layout(&document, shape, &Thumbnails::new()).lines;
                let has_mark = lines.iter().any(|l| l.spans.iter().any(|s| s.text == "↳ "));
                let over = lines.iter().any(|line| line.over > 0);
                assert_eq!((over, has_mark), (is_cut, !is_cut), "{wrap_code}: {code}");
            }
        }
    }

    #[test]
    fn shows_formulas_as_text_and_wraps_them() {
        let shape = Shape {
            width: 30,
            wrap_code: false,
            ascii: false,
            strikes: true,
            tall_formulas: true,
            picture_lines: 0,
            graphics: None,
            beyond: 0,
        };
        let shown = |source: &str| -> String {
            let document = from_html(&format!("<p>\\[{source}\\]</p>"), None);
            let lines = layout(&document, shape, &Thumbnails::new()).lines;
            assert!(lines.iter().all(|line| line.over == 0), "{source}");
            lines.iter().map(|line| format!("{}\n", line.text().trim())).collect()
        };
        let text = shown("x &= e^{-t/\\tau} \\\\ y &= 2");
        assert!(text.contains("x = e^(-t/τ)\ny = 2\n") && !text.contains("math"), "{text}");
        let text = shown("x = \\frac{a}{b}");
        assert!(text.contains("a\nx = ───\nb\n"), "{text}");
        assert!(!shown("x = \\frac{a + b + c + d + e}{f} + g + h + i + j").contains("───"));
        let text = shown("\\unknown{x} + long + enough + to + wrap + twice");
        assert!(text.contains("math\n\\unknown{x}") && text.contains("twice"), "{text}");
    }

    #[test]
    fn reports_the_missing_end_of_a_long_article() {
        let shape = Shape {
            width: 20,
            wrap_code: true,
            ascii: true,
            strikes: false,
            tall_formulas: true,
            picture_lines: 0,
            graphics: None,
            beyond: 0,
        };
        let lines = |markup: &str| {
            layout(&from_html(&html::clean(markup, None), None), shape, &Thumbnails::new()).lines
        };
        let many = READER_LINES + 10;
        for markup in [
            "<p>x</p>".repeat(many),
            format!("<p>{}</p>", "x<br>y".repeat(many)),
            format!("<pre>{}</pre>", "x\n".repeat(many)),
            format!("<p>{}</p>", "some text of words ".repeat(many)),
            format!("<ul>{}</ul>", "<li>x</li>".repeat(many)),
        ] {
            let lines = lines(&markup);
            assert_eq!(lines.len(), READER_LINES + 1, "{}", &markup[..30]);
            assert!(lines[READER_LINES].text().ends_with("the rest is too long to be shown"));
        }
        assert_eq!(lines(&"<p>x</p>".repeat(READER_LINES / 2)).len(), READER_LINES - 1);
    }

    #[test]
    fn keeps_deeply_nested_text_readable() {
        let nested = |open: &str, close: &str| {
            format!("{}<p>A sentence within.</p>{}", open.repeat(60), close.repeat(60))
        };
        for (markup, width) in [
            (nested("<blockquote>", "</blockquote>"), 72),
            (nested("<blockquote>", "</blockquote>"), 20),
            (nested("<ul><li>", "</li></ul>"), 72),
            (nested("<ol><li>", "</li></ol>"), 36),
            (nested("<blockquote><ul><li>", "</li></ul></blockquote>"), 36),
            (nested("<dl><dt>T</dt><dd>", "</dd></dl>"), 36),
        ] {
            let shape = Shape {
                width,
                wrap_code: true,
                ascii: true,
                strikes: false,
                tall_formulas: true,
                picture_lines: 0,
                graphics: None,
                beyond: 0,
            };
            let lines = layout(&from_html(&markup, None), shape, &Thumbnails::new()).lines;
            let glyphs = crate::tui::reader::glyphs::article(true, false);
            let shown = |line: &Line| -> String {
                line.cells(0, width, glyphs).iter().map(|cell| cell.text).collect()
            };
            let shown: Vec<String> = lines.iter().map(shown).collect();
            assert!(shown.iter().all(|line| text::width(line) <= width), "{shown:#?}");
            let all = shown.join(" ");
            let words = ["A", "sentence", "within."];
            assert!(words.iter().all(|word| all.contains(word)), "{shown:#?}");
        }
    }
}

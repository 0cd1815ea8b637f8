//! Layout of lists, quotations, figures and code.

use super::code;
use super::inline::spans;
use super::layout::{Margin, Out, further};
use super::line::{Ground, Halves, Line, PictureRow, Span, Target};
use super::wrap::{wrap, wrap_formula};
use crate::article::{
    Block, Definition, EMBEDDED, Inline, Thumbnail, formula, plain, tall_formula,
};
use crate::config::Role;
use crate::tui::graphics::Graphics;
use crate::util::limits::READER_LINES;
use crate::util::text;

/// Minimum number of cells to the right of the text column that tables use. Code uses fewer only if that
/// makes it fit.
pub(super) const MIN_BEYOND: usize = 8;
/// Width of the space before and after code, in cells.
const CODE_PADDING: usize = 2;
/// The same space in a narrow column.
const NARROW_PADDING: usize = 1;
/// Width below which a column is narrow, in cells.
const NARROW: usize = 40;
/// Indentation of lists, in cells.
const LIST_INDENT: usize = 1;
/// Width of the bullet of a nested list, in cells.
const NESTED_MARK: usize = 2;
/// Maximum number of lines of each item in a list that has no empty lines between its items.
const SHORT_ITEM: usize = 2;
/// Indentation of definitions, in cells.
const DEFINITION_INDENT: usize = 3;
/// Code in a single line is wrapped if it is wider than this multiple of the available width.
const MAX_CUT: usize = 5;
/// Maximum number of bytes of code that are coloured in a document.
const MAX_COLORED: usize = 200_000;

/// The language of code that has no colours.
const PLAIN: &str = "text";
/// The language of code that is a formula.
const FORMULA: &str = "math";

/// Whether code is a drawing or a table of characters, whose columns would be destroyed if its lines were
/// wrapped: at least two lines contain box-drawing characters, or a line such as `+---+---+` separates rows.
fn is_drawing(code: &str) -> bool {
    // Horizontal lines alone only decorate comments.
    let is_box =
        |c: char| matches!(c, '\u{2502}'..='\u{257f}') && !matches!(c, '┄' | '┅' | '┈' | '┉' | '═');
    let boxes = code.lines().filter(|line| line.contains(is_box)).nth(1).is_some();
    let is_separator = |line: &str| {
        let line = line.trim();
        (line.contains("--") || line.contains("=="))
            && line.contains(['+', '|'])
            && line.chars().all(|c| matches!(c, '+' | '-' | '=' | '|' | ':' | ' '))
    };
    let is_row = |line: &str| line.contains('|') && !is_separator(line);
    boxes || code.lines().any(is_separator) && code.lines().any(is_row)
}

/// Whether the first paragraph of a list item takes more than about two lines, so that items without empty
/// lines between them would be hard to distinguish.
fn is_long(item: &[Block], space: usize) -> bool {
    let Some(Block::Paragraph(inline)) = item.first() else { return false };
    let lines = |line: &str| text::width(line).div_ceil(space.max(1));
    plain(inline).lines().map(lines).sum::<usize>() > SHORT_ITEM
}

/// Whether there are empty lines between the items of a list: if an item is long or has several texts, or if
/// a list inside an item has empty lines, because the outer items must not be closer to each other than the
/// inner ones.
fn is_loose(items: &[Vec<Block>], space: usize) -> bool {
    let texts = |item: &[Block]| item.iter().filter(|b| !matches!(b, Block::List(..))).count();
    let inside = space.saturating_sub(NESTED_MARK);
    items.iter().any(|item| {
        let is_nested_loose = |block: &Block| match block {
            Block::List(_, items) => is_loose(items, inside),
            _ => false,
        };
        texts(item) > 1 || is_long(item, space) || item.iter().any(is_nested_loose)
    })
}

/// Whether two texts differ only in whitespace, case and punctuation.
fn is_same(a: &str, b: &str) -> bool {
    let letters = |text: &'_ str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    a == b || !letters(a).is_empty() && letters(a) == letters(b)
}

impl<'a> Out<'a> {
    pub(super) fn quote(&mut self, inner: &'a [Block], by: &'a [Inline], margin: &Margin) {
        let bar = Span::new(self.glyphs.bar, Role::Bar);
        let margin = self.nested(margin, bar.clone(), bar);
        let around = std::mem::replace(&mut self.text, Role::Quote);
        self.blocks(inner, &margin);
        self.text = around;
        if !by.is_empty() {
            self.paragraph(&spans(by, Role::Dim, self.glyphs), &margin);
        }
    }

    pub(super) fn list(&mut self, start: Option<u32>, items: &'a [Vec<Block>], margin: &Margin) {
        let last = start.map_or(0, |n| u64::from(n) + items.len() as u64 - 1);
        let wide = last.to_string().len();
        let bullet = self.glyphs.bullets[self.depth % self.glyphs.bullets.len()];
        let space = self.space(margin).saturating_sub(wide.max(text::width(bullet)) + LIST_INDENT);
        let loose = is_loose(items, space);
        let indent = if self.depth == 0 { LIST_INDENT } else { 0 };
        let margin = self.nested(margin, Span::blank(indent), Span::blank(indent));
        self.depth += 1;
        for (i, item) in items.iter().enumerate() {
            let mark = match (start, task(item)) {
                (_, Some(done)) => self.glyphs.tasks[usize::from(done)].to_owned(),
                (Some(n), _) => format!("{:>wide$}. ", u64::from(n) + i as u64),
                _ => bullet.to_owned(),
            };
            let blank = Span::blank(text::width(&mark));
            if loose && i > 0 {
                self.gap_in(&margin);
            }
            let first_line = self.lines.len();
            let inside = self.nested(&margin, blank.clone(), blank);
            self.blocks(item, &inside);
            // The mark replaces the indentation in the first line of the entry.
            let Some(first) = self.lines.get_mut(first_line) else { continue };
            if let Some(slot) = first.margin.get_mut(inside.len() - 1) {
                *slot = Span::new(mark, Role::Accent);
            }
            if let (Some(span), Some(_)) = (first.spans.first_mut(), task(item)) {
                span.text = span.text.trim_start_matches(TASKS).trim_start().to_owned();
            }
        }
        self.depth -= 1;
    }

    pub(super) fn definitions(&mut self, all: &'a [Definition], margin: &Margin) {
        for (i, definition) in all.iter().enumerate() {
            if i > 0 {
                self.gap_in(margin);
            }
            for term in &definition.terms {
                self.paragraph(&spans(term, Role::Strong, self.glyphs), margin);
            }
            let blank = Span::blank(DEFINITION_INDENT);
            let margin = self.nested(margin, blank.clone(), blank);
            self.blocks(&definition.blocks, &margin);
        }
    }

    /// Adds images, or their descriptions and sizes, followed by the caption.
    pub(super) fn figure(&mut self, images: &[Inline], caption: &[Inline], margin: &Margin) {
        let words = plain(caption);
        let mut below = spans(caption, Role::Caption, self.glyphs);
        for image in images {
            let Inline::Image(alt, to) = image else { continue };
            // A description that repeats the caption is not shown.
            let alt = if is_same(alt, &words) { "" } else { alt };
            if self.picture(*to, margin) {
                if caption.is_empty() {
                    below.push(Span::new(alt, Role::Caption));
                }
                if *to < EMBEDDED {
                    below.push(Span::mark(self.glyphs.link(*to), Target::Link(*to)));
                }
                continue;
            }
            let mut all = spans(&[Inline::Image(alt.to_owned(), *to)], Role::Dim, self.glyphs);
            if let Some((width, height)) = self.links.get(*to).and_then(|link| link.size) {
                let size = format!("  {width}{}{height}", self.glyphs.times);
                all.push(Span::label(size, Role::Dim));
            }
            self.paragraph(&all, margin);
        }
        if !below.is_empty() {
            self.paragraph(&below, margin);
        }
    }

    /// Adds the lines of a picture, with two pixels in each cell. Returns false if the picture is not
    /// available.
    fn picture(&mut self, link: usize, margin: &Margin) -> bool {
        let picture = self.pictures.get(&link).filter(|_| self.picture_lines > 0);
        let Some(picture) = picture else { return false };
        let space = (self.space(margin), self.picture_lines);
        let (cells, rows) = half_blocks(picture, self.graphics, space);
        let line = |(row, pixels)| Line {
            picture: Some(Box::new(PictureRow { link, cells, row, pixels })),
            ..Line::default()
        };
        self.all((0..).zip(rows).map(line).collect(), margin);
        true
    }

    /// Adds code on its own background, with the language above it. Formulas are shown as plain text, and
    /// always wrap, because they are read, not copied line by line.
    pub(super) fn code(&mut self, language: Option<&str>, code: &str, margin: &Margin) {
        let is_formula = language == Some(FORMULA);
        let number = (!is_formula).then(|| {
            self.codes.push(code.into());
            self.codes.len() - 1
        });
        let space = self.space(margin);
        let inset = if space >= NARROW { CODE_PADDING } else { NARROW_PADDING };
        let converted = match is_formula {
            true if self.tall_formulas => tall_formula(code, space.saturating_sub(2 * inset)),
            true => formula(code),
            false => None,
        };
        let (language, code) = match &converted {
            Some(text) => (None, text.as_str()),
            None => (language, code),
        };
        let syntax = if is_formula { Some(PLAIN) } else { language };
        let lines = self.colored(syntax, code);
        let from = self.width.saturating_sub(space);
        let ground = Some(Ground { role: Role::Raised, from });
        let inside = space.saturating_sub(2 * inset).max(1);
        let wide = code.lines().map(text::width).max().unwrap_or(0);
        // Fewer than `MIN_BEYOND` cells are used only if the code then fits.
        let extends = wide > inside && (self.beyond >= MIN_BEYOND || wide <= inside + self.beyond);
        let beyond = if extends { self.beyond.min(wide - inside) } else { 0 };
        let inside = inside + beyond;
        let wraps = match is_formula {
            true => true,
            false if is_drawing(code) => false,
            // A long single line may be a program that has lost its line breaks.
            false => self.wrap_code || code.lines().nth(1).is_none() && wide > MAX_CUT * inside,
        };
        let over = if wraps { 0 } else { wide.saturating_sub(inside) };
        let name = language.map(|name| text::truncate(name, inside)).unwrap_or_default();
        let before = Span::blank(inside - text::width(&name).min(inside));
        // Every block of code has a row above and below, whatever its length.
        let is_airy = !is_formula;
        let mut out = Vec::new();
        if is_airy || !name.is_empty() {
            let spans = vec![before, Span::label(name, Role::Dim)];
            out.push(Line { spans, ground, inset, beyond, ..Line::default() });
        }
        for spans in lines {
            let cells: usize = spans.iter().map(|span| text::width(&span.text)).sum();
            let parts = if wraps && cells > inside {
                self.wrapped_code(&spans, inside, is_formula)
            } else {
                vec![Line { spans, ..Line::default() }]
            };
            out.extend(parts.into_iter().map(|line| Line { over, inset, beyond, ground, ..line }));
        }
        if is_airy {
            out.push(Line { ground, inset, beyond, ..Line::default() });
        }
        out.iter_mut().for_each(|line| line.code = number);
        let blank = Span::blank(inset);
        let mut margin = further(margin);
        margin.push((blank.clone(), blank));
        self.all(out, &margin);
    }

    /// Wraps a line of code. Continuation lines are indented like the first line, and begin with a mark.
    fn wrapped_code(&self, spans: &[Span], inside: usize, is_formula: bool) -> Vec<Line> {
        let mut spans = spans.to_vec();
        let mut indent = 0;
        while let Some(first) = spans.first_mut() {
            let start = first.text.len() - first.text.trim_start().len();
            indent += text::width(&first.text[..start]);
            first.text.drain(..start);
            if !first.text.is_empty() {
                break;
            }
            spans.remove(0);
        }
        let indent = " ".repeat(indent.min(inside / 2));
        let mark = format!("{indent}{}", self.glyphs.wrapped);
        let inside = inside.saturating_sub(text::width(&mark));
        let mut lines =
            if is_formula { wrap_formula(&spans, inside) } else { wrap(&spans, inside) };
        for (at, line) in lines.iter_mut().enumerate() {
            let start = if at == 0 { indent.as_str() } else { mark.as_str() };
            line.spans.insert(0, Span::label(start, Role::Dim));
        }
        lines
    }

    /// The lines of code, coloured for its language.
    fn colored(&mut self, language: Option<&str>, code: &str) -> Vec<Vec<Span>> {
        self.colored += code.len();
        let language = if self.colored <= MAX_COLORED { language } else { Some(PLAIN) };
        let code = match code.match_indices('\n').nth(READER_LINES) {
            Some((end, _)) => &code[..end],
            None => code,
        };
        code::lines(code, language, &mut self.guessed)
    }
}

/// Fits a picture into a box of cells. Returns the number of columns and rows, and the rows, each cell of
/// which holds two pixels. The size is the same as when the terminal draws the picture with pixels.
pub(crate) fn half_blocks(
    picture: &Thumbnail,
    graphics: Option<Graphics>,
    space: (usize, usize),
) -> ((u16, u16), Vec<Halves>) {
    let side = |cells: usize| u32::try_from(cells).unwrap_or(u32::MAX);
    let size = match graphics.map(|graphics| graphics.cells(picture.natural, space)) {
        Some((columns, rows)) => (u32::from(columns), 2 * u32::from(rows)),
        None => picture.fit(side(space.0), side(space.1.saturating_mul(2))),
    };
    let pixel = |x: u32, y: u32| match y < size.1 {
        true => picture.sample((x, y), size),
        false => [0; 4],
    };
    let row = |y: u32| (0..size.0).map(|x| [pixel(x, 2 * y), pixel(x, 2 * y + 1)]).collect();
    let rows: Vec<_> = (0..size.1.div_ceil(2)).map(row).collect();
    let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    ((short(size.0 as usize), short(rows.len())), rows)
}

/// The boxes of open and finished tasks in the text.
const TASKS: [char; 2] = ['☐', '☑'];

/// Whether a task in a list is finished; `None` if the entry is not a task.
fn task(item: &[Block]) -> Option<bool> {
    let Some(Block::Paragraph(inline)) = item.first() else { return None };
    let Some(Inline::Text(text)) = inline.first() else { return None };
    let first = text.chars().next()?;
    TASKS.iter().position(|c| *c == first).map(|at| at == 1)
}

/// If the paragraph directly after a figure repeats its caption, or the description shown in its place: the
/// images, and the one text to show. `None` if both must be shown.
pub(super) fn caption_below<'a>(
    figure: &'a Block,
    below: Option<&'a Block>,
) -> Option<(&'a [Inline], &'a [Inline])> {
    let (Block::Figure(images, caption), Block::Paragraph(text)) = (figure, below?) else {
        return None;
    };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = if caption.is_empty() { plain(images) } else { plain(caption) };
    if words(&shown) != words(&plain(text)) {
        return None;
    }
    // If only one of the two texts has links, that text is shown.
    match (is_bare(caption), is_bare(text)) {
        _ if caption == text => Some((images, caption)),
        (true, false) => Some((images, text)),
        (_, true) if !caption.is_empty() => Some((images, caption)),
        (_, true) => Some((images, text)),
        (false, false) => None,
    }
}

/// Whether inline content is only text, without links, pictures or targets of links.
fn is_bare(inline: &[Inline]) -> bool {
    inline.iter().all(|piece| match piece {
        Inline::Text(_) | Inline::Code(_) | Inline::Break => true,
        Inline::Emphasis(inner)
        | Inline::Strong(inner)
        | Inline::Deleted(inner)
        | Inline::Inserted(inner) => is_bare(inner),
        _ => false,
    })
}

/// Whether a block contains only footnotes.
pub(super) fn is_notes(block: &Block) -> bool {
    match block {
        Block::Note { .. } => true,
        Block::List(_, items) => items.iter().all(|item| item.iter().all(is_notes)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::ends::TITLE;
    use super::super::{Shape, layout};
    use super::*;
    use crate::article::from_html;

    fn shown(html: &str, width: usize) -> Vec<String> {
        shown_beside(html, width, 0)
    }

    fn shown_beside(html: &str, width: usize, beyond: usize) -> Vec<String> {
        let shape = Shape {
            width,
            wrap_code: true,
            ascii: true,
            strikes: false,
            tall_formulas: true,
            picture_lines: 0,
            graphics: None,
            beyond,
        };
        let lines = layout(&from_html(html, None), shape, &Default::default()).lines;
        let text = |line: &Line| line.all().map(|span| span.text.as_str()).collect::<String>();
        lines.iter().map(text).collect()
    }

    #[test]
    fn code_uses_a_small_margin_only_if_that_makes_it_fit() {
        let lines = |cells: usize, beyond| {
            let code = format!("<pre>{} {}</pre>", "a".repeat(20), "b".repeat(cells - 21));
            shown_beside(&code, 50, beyond).len()
        };
        // 46 cells fit into the column without the padding. The rows above and below the code count as lines
        // too.
        assert_eq!((lines(46, 0), lines(47, 0)), (3, 4));
        assert_eq!((lines(50, 4), lines(51, 4)), (3, 4));
        let long = "x ".repeat(60);
        let plain = shown_beside(&format!("<pre>{long}</pre>"), 50, 0);
        assert_eq!(shown_beside(&format!("<pre>{long}</pre>"), 50, 4), plain);
        let wide = shown_beside(&format!("<pre>{long}</pre>"), 50, MIN_BEYOND);
        assert!(wide.len() < plain.len() || wide[0].len() > plain[0].len(), "{wide:?}");
    }

    #[test]
    fn shows_a_repeated_caption_once() {
        let figure = |alt: &str, caption: &str| {
            format!(
                "<figure><img src=https://e.org/a.png alt='{alt}'><figcaption>{caption}</figcaption></figure>"
            )
        };
        let image = "<p><img src=https://e.org/a.png alt='The old bridge'></p>";
        let link = "<a href=https://e.org/b>bridge</a>";
        for (html, expected) in [
            (figure("", "The old bridge") + "<p>The  old\n<b>bridge</b></p>", 1),
            (format!("{image}<p>The old bridge</p>"), 1),
            (figure("The old bridge", "The old bridge") + "<p>The old bridge</p>", 1),
            // The paragraph has a different text, or does not directly follow the figure.
            (figure("", "The old bridge") + "<p>The old bridge.</p>", 2),
            (figure("", "The old bridge") + "<hr><p>The old bridge</p>", 2),
            ("<p>The old bridge</p>".to_owned() + &figure("", "The old bridge"), 2),
        ] {
            let text = shown(&html, 60).join("\n");
            let text = text.split(TITLE).next().unwrap_or_default();
            assert_eq!(text.matches("old bridge").count(), expected, "{html}: {text}");
        }
        // The text with a link is the one that is kept.
        for html in [
            figure("", "The old bridge") + &format!("<p>The old {link}</p>"),
            figure("", &format!("The old {link}")) + "<p>The old bridge</p>",
        ] {
            let text = shown(&html, 60).join("\n");
            assert!(text.contains("The old bridge[2]"), "{html}: {text}");
            assert!(!text.contains("The old bridge\n"), "{html}: {text}");
        }
    }

    #[test]
    fn separates_pictures_from_the_text_below_them() {
        let picture = "<img src=https://e.org/a.png alt=Logo>";
        let linked = format!("<a href=https://e.org/b>{picture}</a>");
        for (html, expected) in [
            (format!("<p>{picture}<br>A text"), vec!["Logo[1]", "", "A text"]),
            (format!("<p>{linked} {picture}<br>A text"), vec!["Logo[1]", "Logo[2]", "", "A text"]),
            (format!("<p>Text<br>{picture}<br>A text"), vec!["Text", "Logo[1]", "", "A text"]),
            (format!("<p>{picture} and<br>A text"), vec!["Logo[1] and", "A text"]),
            // Captions.
            (format!("<p>{picture}<br><i>The logo</i>"), vec!["Logo[1]", "The logo"]),
        ] {
            let text = shown(&html, 20);
            let text = text.iter().map(|line| line.trim().trim_start_matches("image: "));
            let text: Vec<&str> = text.take(expected.len()).collect();
            assert_eq!(text, expected, "{html}");
        }
    }

    #[test]
    fn separates_the_items_of_lists_with_long_items() {
        let list = |inner: &str| format!("<ul><li>one</li><li>{inner}</li><li>three</li></ul>");
        let empty = |html: &str, width| {
            shown(html, width).iter().filter(|line| line.trim().is_empty()).count()
        };
        let long = "several words ".repeat(6);
        for (html, width, expected) in [
            (list("two"), 40, 0),
            (list(&long), 72, 0),
            (list(&long), 30, 2),
            (list("a<br>b<br>c"), 72, 2),
            (list("<p>two</p><p>more</p>"), 72, 3),
            (list("two<ul><li>a<li>b<li>c<li>d</ul>"), 72, 0),
            // Outer items are never closer to each other than inner ones.
            (list(&format!("two<ul><li>{long}<li>b</ul>")), 30, 3),
            (list(&format!("two<ul><li>a<ul><li>{long}<li>b</ul><li>c</ul>")), 30, 4),
            (list(&format!("{long}<ul><li>a<li>b</ul>")), 30, 2),
        ] {
            assert_eq!(empty(&html, width), expected, "{html} {width}: {:#?}", shown(&html, width));
        }
    }
}

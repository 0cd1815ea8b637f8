//! Layout of footnotes and links after the text.

use super::layout::Out;
use super::line::{Line, Span, Target};
use crate::article::{Block, Document, Inline, LinkKind, plain};
use crate::config::Role;
use crate::util::media::facts;
use crate::util::text;
use crate::util::url_text::readable;

/// The title of the links. An article may have a section "Links" of its own.
pub(super) const TITLE: &str = "Links in this article";

/// Maximum number of links that are listed.
const MAX_LISTED: usize = 20;
/// Number of links by which a complete list may exceed [`MAX_LISTED`].
const MIN_MORE: usize = 5;
/// Number of cells between the name of a link and its URL.
const GAP: usize = 2;

impl Out<'_> {
    /// Adds the footnotes, ordered by number.
    pub(super) fn all_notes(&mut self) {
        let mut notes = std::mem::take(&mut self.notes);
        if notes.is_empty() {
            return;
        }
        notes.sort_by_key(|(number, ..)| *number);
        self.title("Notes");
        for (number, label, blocks) in notes {
            let mark = Span::mark(self.glyphs.note(number), Target::Reference(number));
            let blank = Span::blank(text::width(&mark.text) + 1);
            let first = self.lines.len();
            self.blocks(blocks, &[(blank.clone(), blank)]);
            let Some(line) = self.lines.get_mut(first) else { continue };
            line.margin.splice(0..1, [mark, Span::blank(1)]);
            drop_label(&mut line.spans, label);
        }
    }

    /// Adds the links, ordered by number, each on one line with name and URL.
    pub(super) fn links(&mut self, document: &Document) {
        let links = &document.links;
        if links.is_empty() {
            return;
        }
        self.title(TITLE);
        let names = link_names(document);
        let wide = text::width(&self.glyphs.link(links.len() - 1)) + 1;
        let listed = if links.len() > MAX_LISTED + MIN_MORE { MAX_LISTED } else { links.len() };
        for (i, (link, name)) in links.iter().zip(names).enumerate().take(listed) {
            let target = Some(Target::Link(i));
            let facts = link.file.as_ref().map(|file| facts(file).join(", ")).unwrap_or_default();

            let mark = Span::mark(self.glyphs.link(i), Target::Link(i));
            let pad = Span::blank(wide.saturating_sub(text::width(&mark.text)));
            let inside = self.space(&[(Span::blank(wide), Span::blank(wide))]);
            let kind = match link.kind {
                // If space is short, the URL is more important.
                _ if !facts.is_empty() && facts.len() * 2 < inside => format!(" ({facts})"),
                LinkKind::Page => String::new(),
                LinkKind::Image => " (image)".to_owned(),
                LinkKind::Media => " (media)".to_owned(),
            };
            let inside = inside.saturating_sub(kind.len());
            let name = text::truncate(name.trim(), inside * 2 / 3).into_owned();
            let gap = if name.is_empty() { 0 } else { GAP };
            let left = inside.saturating_sub(text::width(&name) + gap);
            let url = readable(&link.url);
            let address = shortened(address(&url), left);
            // The links must not distract from the next article, so only their names stand out a little.
            let role = if name.is_empty() { Role::Soft } else { Role::Dim };
            let spans = vec![
                Span { target, ..Span::new(name, Role::Soft) },
                Span::blank(gap),
                Span { target, ..Span::new(address, role) },
                Span::label(kind, Role::Dim),
            ];
            self.lines.push(Line { margin: vec![mark, pad], spans, ..Line::default() });
        }
        self.more_links(links.len() - listed);
    }

    /// Adds a line with the number of links that are not listed.
    fn more_links(&mut self, count: usize) {
        if count > 0 {
            let note = format!("{} {count} more", self.glyphs.more);
            let line = Line::of(Span::label(note, Role::Dim));
            self.lines.push(Line { counts_links: true, ..line });
        }
    }

    fn title(&mut self, words: &str) {
        self.gap();
        // This title is not a heading of the article.
        self.lines.push(Line::of(Span::label(words, Role::Soft)));
    }
}

/// A URL without its scheme.
pub(in crate::tui) fn address(url: &str) -> &str {
    let bare = ["https://", "http://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    let bare = bare.unwrap_or(url);
    // A slash directly after the host is redundant.
    bare.strip_suffix('/').filter(|host| !host.contains('/')).unwrap_or(bare)
}

/// The part of a URL that fits: if possible, its host and the last part of its path, which often names the
/// page or file.
pub(in crate::tui) fn shortened(address: &str, cells: usize) -> String {
    let bare = address.split(['?', '#']).next().unwrap_or(address);
    if let Some((host, path)) = bare.split_once('/').filter(|_| text::width(address) > cells)
        && let Some((_, last)) = path.trim_end_matches('/').rsplit_once('/')
    {
        let short = format!("{host}/…/{last}{}", &address[bare.len()..]);
        if text::width(&short) < text::width(address) && text::width(host) * 2 < cells {
            return text::truncate(&short, cells).into_owned();
        }
    }
    text::truncate(address, cells).into_owned()
}

/// The text of each link; empty if the text is a URL, which would only repeat the target.
pub(in crate::tui) fn link_names(document: &Document) -> Vec<String> {
    let mut names = vec![String::new(); document.links.len()];
    name_links(&document.blocks, &mut names);
    names.into_iter().map(|name| if name.contains("://") { String::new() } else { name }).collect()
}

/// Collects the text of the first link to each target.
fn name_links(blocks: &[Block], names: &mut [String]) {
    for block in blocks {
        match block {
            Block::Heading(_, inline) | Block::Paragraph(inline) => name_inline(inline, names),
            Block::List(_, items) => items.iter().for_each(|item| name_links(item, names)),
            Block::Definitions(all) => {
                for definition in all {
                    definition.terms.iter().for_each(|term| name_inline(term, names));
                    name_links(&definition.blocks, names);
                }
            }
            Block::Quote(inner, by) => {
                name_links(inner, names);
                name_inline(by, names);
            }
            Block::Table { rows, .. } => {
                rows.iter().flatten().for_each(|cell| name_inline(cell, names));
            }
            Block::Figure(images, caption) => {
                name_inline(images, names);
                name_inline(caption, names);
            }
            Block::Note { blocks, .. } => name_links(blocks, names),
            Block::Code { .. } | Block::Rule => {}
        }
    }
}

fn name_inline(inline: &[Inline], names: &mut [String]) {
    for piece in inline {
        let (name, to) = match piece {
            Inline::Link(inner, to) => {
                name_inline(inner, names);
                (plain(inner), to)
            }
            Inline::Image(alt, to) => (alt.clone(), to),
            Inline::Emphasis(inner)
            | Inline::Strong(inner)
            | Inline::Deleted(inner)
            | Inline::Inserted(inner)
            | Inline::Jump(inner, _) => {
                name_inline(inner, names);
                continue;
            }
            Inline::Text(_)
            | Inline::Code(_)
            | Inline::Note(..)
            | Inline::Place(_)
            | Inline::Break => continue,
        };
        if let Some(slot) = names.get_mut(*to).filter(|slot| slot.is_empty()) {
            *slot = text::line(&name);
        }
    }
}

/// Removes the label at the start of a footnote, because the footnote is shown with a new label.
fn drop_label(spans: &mut [Span], label: &str) {
    let Some(first) = spans.first_mut() else { return };
    let bare =
        |text: &'_ str| text.trim_matches(['[', ']', '(', ')', '.', ':', '^', ' ']).to_owned();
    let Some((word, rest)) = first.text.split_once(' ') else { return };
    if !label.is_empty() && bare(word) == bare(label) {
        first.text = rest.trim_start().to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_url_keeps_its_host_and_the_last_part_of_its_path() {
        let page = "example.org/2026/news/local/harbour-opens.html";
        for (address, cells, expected) in [
            (page, 46, page),
            (page, 45, "example.org/…/harbour-opens.html"),
            (page, 32, "example.org/…/harbour-opens.html"),
            ("example.org/2026/news/local/page/", 24, "example.org/…/page"),
            ("例え.example/記事/一覧/最後の頁.html", 30, "例え.example/…/最後の頁.html"),
            // Without parts in between, or with a long host, only the end is cut off.
            ("example.org/the-name-of-a-long-page", 20, "example.org/the-nam…"),
            ("a-very-long-name.example.org/a/b/page.html", 24, "a-very-long-name.exampl…"),
            (page, 20, "example.org/2026/ne…"),
            // Slashes in a query or fragment do not separate parts of the path.
            ("example.org/out?to=https://other.example/page", 30, "example.org/out?to=https://ot…"),
            ("example.org/page#/chapters/one/first", 24, "example.org/page#/chapt…"),
            ("example.org/2026/news/local/page?id=7/8", 30, "example.org/…/page?id=7/8"),
        ] {
            assert_eq!(shortened(address, cells), expected, "{address} in {cells}");
        }
    }

    #[test]
    fn a_shortened_url_fits_into_any_width() {
        for address in [
            "",
            "/",
            "example.org",
            "example.org/2026/news/local/harbour-opens.html",
            "a.b/c/d/e?f=/g#/h",
            "例え.example/記事/一覧/最後の頁.html",
            "e.org/日/本/語の文章",
        ] {
            for cells in 0..=50 {
                let short = shortened(address, cells);
                assert!(text::width(&short) <= cells, "{short} in {cells}");
                let is_whole = text::width(address) <= cells;
                assert_eq!(short == address, is_whole, "{short} in {cells}");
            }
        }
    }
}

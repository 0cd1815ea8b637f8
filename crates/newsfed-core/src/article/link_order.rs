//! Numbers the links of an article in the order in which their numbers are shown in the text.

use super::document::{Block, Document, EMBEDDED, Inline, Link};

/// Numbers links and images in text order. Images within links come last, because only the number of the
/// link is shown. Links that are not in the text are left out.
pub(super) fn number_in_text_order(document: &mut Document) {
    let count = document.links.len();
    let mut order = Order { new: vec![None; count], next: 0, linked: Vec::new() };
    each_text(&mut document.blocks, &mut |inlines| order.visit(inlines, false));
    for image in std::mem::take(&mut order.linked) {
        order.number(image);
    }
    let new = order.new;
    each_text(&mut document.blocks, &mut |inlines| renumber(inlines, &new));
    let mut links: Vec<(usize, Link)> = std::mem::take(&mut document.links)
        .into_iter()
        .zip(&new)
        .filter_map(|(link, at)| Some(((*at)?, link)))
        .collect();
    links.sort_unstable_by_key(|(at, _)| *at);
    document.links = links.into_iter().map(|(_, link)| link).collect();
}

/// The new index of each link, and the images within links.
struct Order {
    new: Vec<Option<usize>>,
    next: usize,
    linked: Vec<usize>,
}

impl Order {
    fn number(&mut self, at: usize) {
        if let Some(new @ None) = self.new.get_mut(at) {
            *new = Some(self.next);
            self.next += 1;
        }
    }

    fn visit(&mut self, inlines: &[Inline], in_link: bool) {
        for inline in inlines {
            match inline {
                Inline::Link(inner, to) => {
                    self.number(*to);
                    self.visit(inner, true);
                }
                Inline::Image(_, to) if in_link => self.linked.push(*to),
                Inline::Image(_, to) => self.number(*to),
                Inline::Emphasis(inner)
                | Inline::Strong(inner)
                | Inline::Deleted(inner)
                | Inline::Inserted(inner)
                | Inline::Jump(inner, _) => self.visit(inner, in_link),
                Inline::Text(_)
                | Inline::Code(_)
                | Inline::Note(..)
                | Inline::Place(_)
                | Inline::Break => {}
            }
        }
    }
}

fn renumber(inlines: &mut [Inline], new: &[Option<usize>]) {
    let change = |to: &mut usize| {
        if *to < EMBEDDED
            && let Some(Some(at)) = new.get(*to)
        {
            *to = *at;
        }
    };
    for inline in inlines {
        match inline {
            Inline::Link(inner, to) => {
                change(to);
                renumber(inner, new);
            }
            Inline::Image(_, to) => change(to),
            Inline::Emphasis(inner)
            | Inline::Strong(inner)
            | Inline::Deleted(inner)
            | Inline::Inserted(inner)
            | Inline::Jump(inner, _) => renumber(inner, new),
            Inline::Text(_)
            | Inline::Code(_)
            | Inline::Note(..)
            | Inline::Place(_)
            | Inline::Break => {}
        }
    }
}

/// Calls `each` for the inline content of all blocks, in text order.
fn each_text(blocks: &mut [Block], each: &mut impl FnMut(&mut Vec<Inline>)) {
    for block in blocks {
        match block {
            Block::Heading(_, inlines) | Block::Paragraph(inlines) => each(inlines),
            Block::Figure(images, caption) => {
                each(images);
                each(caption);
            }
            Block::List(_, items) => items.iter_mut().for_each(|item| each_text(item, each)),
            Block::Definitions(all) => {
                for definition in all {
                    definition.terms.iter_mut().for_each(&mut *each);
                    each_text(&mut definition.blocks, each);
                }
            }
            Block::Quote(inner, by) => {
                each_text(inner, each);
                each(by);
            }
            Block::Table { rows, .. } => rows.iter_mut().flatten().for_each(&mut *each),
            Block::Note { blocks, .. } => each_text(blocks, each),
            Block::Code { .. } | Block::Rule => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::article::from_html;

    /// The text with numbers, and the paths of the links in order.
    fn numbered(html: &str) -> (String, Vec<String>) {
        let base = url::Url::parse("https://a.example/").unwrap();
        let document = from_html(html, Some(&base));
        let path = |url: &str| url.trim_start_matches("https://a.example/").to_owned();
        let links = document.links.iter().map(|link| path(&link.url)).collect();
        (document.numbered_text(), links)
    }

    #[test]
    fn images_within_links_are_numbered_last() {
        let html = "<p><a href='/page'><img src='/small.png' alt='x'></a> and <b><a href='/2'>two</a></b></p>\
                    <figure><img src='/3.png' alt='y'></figure><p><a href='/page'>again</a></p>";
        let (text, links) = numbered(html);
        assert_eq!(links, ["page", "2", "3.png", "small.png"]);
        assert_eq!(text, "[image: x] [4] [1] and two [2]\n\n[image: y] [3]\n\nagain [1]");
    }

    #[test]
    fn an_image_that_links_to_itself_has_one_number() {
        let html = "<p>See</p><p><a href='/a.png'><img src='/a.png' alt='x'></a></p>\
                    <p><a href='/b'>b</a></p><p><a href='/a.png'>large</a></p>";
        let (text, links) = numbered(html);
        assert_eq!(links, ["a.png", "b", "a.png"]);
        assert_eq!(text, "See\n\n[image: x] [1]\n\nb [2]\n\nlarge [3]");
        // An image in a link with a text, and a link to another size, keep both.
        let (_, links) = numbered("<p><a href='/a.png'><img src='/a.png'> enlarge</a></p>");
        assert_eq!(links, ["a.png", "a.png"]);
        let (_, links) = numbered("<p>T <a href='/a.png'><img src='/a-300.png'></a></p>");
        assert_eq!(links, ["a.png", "a-300.png"]);
    }

    #[test]
    fn notes_and_tables_are_numbered_in_text_order() {
        let html = "<blockquote><p><a href='/1'>q</a></p></blockquote>\
                    <table><tr><td><a href='/2'>c</a></td><td>d</td></tr><tr><td>e</td><td><a href='/3'>f</a></td></tr></table>\
                    <dl><dt><a href='/4'>t</a></dt><dd><a href='/5'>d</a></dd></dl>\
                    <ul><li><em><a href='/6'>i</a></em></li></ul>";
        assert_eq!(numbered(html).1, ["1", "2", "3", "4", "5", "6"]);
    }
}

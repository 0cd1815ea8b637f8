//! Writes a document tree as HTML, from which [`super::from_html`] builds the same tree again, or as XHTML
//! for files.

use super::document::{self, Block, Document, Inline, Link, LinkKind};
use crate::util::html::OMITTED;
use crate::util::html::escape;
use crate::util::url::strict;
use crate::util::xml;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Options for XHTML.
#[derive(Clone, Copy)]
pub struct Xhtml<'a> {
    /// Returns the path of an image within the file by its URL. Images without a path become links.
    pub picture: &'a dyn Fn(&str) -> Option<String>,
    /// Prefix of the ids of footnotes and places, so that one file can contain several documents.
    pub prefix: &'a str,
}

impl Document {
    /// The document as HTML with absolute URLs. Texts and URLs are escaped. Only the elements named in this
    /// file are written.
    pub fn html(&self) -> String {
        self.write(None)
    }

    /// The document as the content of an XHTML element: well-formed, with valid nesting, and without external
    /// resources.
    pub fn xhtml(&self, xhtml: Xhtml<'_>) -> String {
        self.write(Some(xhtml))
    }

    fn write(&self, xhtml: Option<Xhtml<'_>>) -> String {
        let mut notes = BTreeSet::new();
        if xhtml.is_some() {
            find_notes(&self.blocks, &mut notes);
        }
        let links = &self.links;
        let mut writer = Writer {
            links,
            embedded: &self.embedded,
            xhtml,
            notes,
            open_notes: BTreeSet::new(),
            in_link: false,
            out: String::new(),
        };
        writer.blocks(&self.blocks);
        writer.out
    }
}

/// Collects the footnotes in the blocks.
fn find_notes(blocks: &[Block], found: &mut BTreeSet<usize>) {
    for block in blocks {
        match block {
            Block::Note { number, blocks, .. } => {
                found.insert(*number);
                find_notes(blocks, found);
            }
            Block::List(_, items) => items.iter().for_each(|item| find_notes(item, found)),
            Block::Definitions(all) => all.iter().for_each(|one| find_notes(&one.blocks, found)),
            Block::Quote(inner, _) => find_notes(inner, found),
            _ => {}
        }
    }
}

struct Writer<'a> {
    links: &'a [Link],
    embedded: &'a [String],
    xhtml: Option<Xhtml<'a>>,
    /// The footnotes that references may link to in XHTML.
    notes: BTreeSet<usize>,
    /// Footnotes that were already written, to keep ids unique.
    open_notes: BTreeSet<usize>,
    /// Whether the text is inside a link, where XHTML does not allow another link.
    in_link: bool,
    out: String,
}

impl<'a> Writer<'a> {
    fn prefix(&self) -> &'a str {
        self.xhtml.map_or("", |xhtml| xhtml.prefix)
    }

    fn blocks(&mut self, blocks: &[Block]) {
        blocks.iter().for_each(|b| self.block(b));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(level, text) => {
                let level = (*level).clamp(1, 6);
                let _ = write!(self.out, "<h{level}>");
                self.inlines(text);
                let _ = write!(self.out, "</h{level}>");
            }
            Block::Paragraph(text) => self.element("p", |w| w.inlines(text)),
            Block::List(start, items) => {
                let name = match start {
                    None => "ul",
                    Some(_) => "ol",
                };
                match start.filter(|n| *n != 1) {
                    Some(n) => _ = write!(self.out, "<ol start=\"{n}\">"),
                    None => _ = write!(self.out, "<{name}>"),
                }
                for item in items {
                    self.element("li", |w| w.blocks(item));
                }
                let _ = write!(self.out, "</{name}>");
            }
            Block::Definitions(all) if all.is_empty() && self.xhtml.is_some() => {}
            Block::Definitions(all) => self.element("dl", |w| {
                for definition in all {
                    for term in &definition.terms {
                        w.element("dt", |w| w.inlines(term));
                    }
                    if definition.terms.is_empty() && w.xhtml.is_some() {
                        w.element("dt", |_| {});
                    }
                    w.element("dd", |w| w.blocks(&definition.blocks));
                }
            }),
            Block::Quote(inner, by) => self.element("blockquote", |w| {
                w.blocks(inner);
                if !by.is_empty() {
                    w.element("footer", |w| w.inlines(by));
                }
            }),
            Block::Code { language: None, code } => self.element("pre", |w| w.text(code)),
            Block::Code { language: Some(language), code } => self.element("pre", |w| {
                w.out.push_str("<code class=\"language-");
                w.text(language);
                w.out.push_str("\">");
                w.text(code);
                w.out.push_str("</code>");
            }),
            Block::Table { header, rows } => self.element("table", |w| {
                for (n, row) in rows.iter().enumerate() {
                    let cell = if *header && n == 0 { "th" } else { "td" };
                    w.element("tr", |w| {
                        row.iter().for_each(|c| w.element(cell, |w| w.inlines(c)));
                    });
                }
            }),
            Block::Figure(image, caption) => self.element("figure", |w| {
                w.inlines(image);
                if !caption.is_empty() {
                    w.element("figcaption", |w| w.inlines(caption));
                }
            }),
            Block::Note { number, blocks, .. } => self.note(*number, blocks),
            Block::Rule => self.void("<hr"),
        }
    }

    fn note(&mut self, number: usize, blocks: &[Block]) {
        let prefix = self.prefix();
        match self.xhtml.is_none() || self.open_notes.insert(number) {
            true => _ = write!(self.out, "<div id=\"{prefix}note-{number}\">"),
            false => self.out.push_str("<div>"),
        }
        self.blocks(blocks);
        self.out.push_str("</div>");
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        inlines.iter().for_each(|i| self.inline(i));
    }

    fn inline(&mut self, inline: &Inline) {
        match inline {
            Inline::Text(text) => self.text(text),
            Inline::Emphasis(inner) => self.element("em", |w| w.inlines(inner)),
            Inline::Strong(inner) => self.element("strong", |w| w.inlines(inner)),
            Inline::Deleted(inner) => self.element("del", |w| w.inlines(inner)),
            Inline::Inserted(inner) => self.element("ins", |w| w.inlines(inner)),
            Inline::Code(code) => self.element("code", |w| w.text(code)),
            Inline::Link(inner, to) => match self.links.get(*to) {
                Some(Link { url, kind: LinkKind::Media, .. }) if self.xhtml.is_none() => {
                    let is = |name: &str| *inner == [Inline::Text(name.to_owned())];
                    let name = if is("video") { "video" } else { "audio" };
                    let _ = write!(self.out, "<{name} src=\"{}\"></{name}>", escape(url));
                }
                Some(Link { url, .. }) => self.link(url, |w| w.inlines(inner)),
                None => self.inlines(inner),
            },
            Inline::Image(alt, to) => self.image(alt, *to),
            Inline::Note(label, number) => self.reference(label, *number),
            Inline::Jump(inner, to) => self.jump(inner, *to),
            Inline::Place(number) => {
                let prefix = self.prefix();
                let _ = write!(self.out, "<span id=\"{prefix}place-{number}\"></span>");
            }
            Inline::Break => self.void("<br"),
        }
    }

    fn image(&mut self, alt: &str, to: usize) {
        let link = self.links.get(to);
        let url = link.map_or("", |l| l.url.as_str());
        let source = match link {
            Some(_) => url,
            None => document::marker(self.embedded, to).unwrap_or(OMITTED),
        };
        let file = match self.xhtml {
            None => Some(source.to_owned()),
            Some(xhtml) => (xhtml.picture)(source),
        };
        let Some(file) = file else {
            let alt = if alt.trim().is_empty() { "Picture" } else { alt };
            return self.link(url, |w| w.text(&format!("[{alt}]")));
        };
        self.out.push_str("<img src=\"");
        self.text(&file);
        self.out.push_str("\" alt=\"");
        self.text(alt);
        self.out.push('"');
        if let Some((width, height)) = link.and_then(|l| l.size) {
            let _ = write!(self.out, " width=\"{width}\" height=\"{height}\"");
        }
        self.void("");
    }

    fn link(&mut self, url: &str, inner: impl FnOnce(&mut Self)) {
        if self.xhtml.is_some() && (self.in_link || url.is_empty()) {
            return inner(self);
        }
        self.in_link = true;
        self.out.push_str("<a href=\"");
        match self.xhtml {
            Some(_) => self.text(&strict(url)),
            None => self.text(url),
        }
        self.out.push_str("\">");
        inner(self);
        self.out.push_str("</a>");
        self.in_link = false;
    }

    fn jump(&mut self, inner: &[Inline], to: usize) {
        if self.xhtml.is_some() && self.in_link {
            return self.inlines(inner);
        }
        let prefix = self.prefix();
        self.in_link = true;
        let _ = write!(self.out, "<a href=\"#{prefix}place-{to}\">");
        self.inlines(inner);
        self.out.push_str("</a>");
        self.in_link = false;
    }

    fn reference(&mut self, label: &str, number: usize) {
        let prefix = self.prefix();
        let leads = !self.in_link && self.notes.contains(&number) || self.xhtml.is_none();
        self.element("sup", |w| match leads {
            true => {
                let _ = write!(w.out, "<a href=\"#{prefix}note-{number}\">");
                w.text(label);
                w.out.push_str("</a>");
            }
            false => w.text(label),
        });
    }

    fn element(&mut self, name: &str, inner: impl FnOnce(&mut Self)) {
        let _ = write!(self.out, "<{name}>");
        inner(self);
        let _ = write!(self.out, "</{name}>");
    }

    /// Ends an element without content.
    fn void(&mut self, start: &str) {
        self.out.push_str(start);
        self.out.push_str(if self.xhtml.is_some() { "/>" } else { ">" });
    }

    /// Writes a text or an attribute value, escaped.
    fn text(&mut self, text: &str) {
        let text = match self.xhtml {
            Some(_) => xml::allowed(text),
            None => Cow::Borrowed(text),
        };
        self.out.push_str(&escape(&text));
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, Xhtml};
    use crate::article::from_html;
    use crate::util::html::clean;
    use proptest::prelude::*;

    #[track_caller]
    fn survives(markup: &str) {
        let document = from_html(markup, None);
        let html = clean(&document.html(), None);
        let again = from_html(&html, None);
        // Adjacent texts have been merged.
        assert_eq!(again.html(), document.html(), "{markup}");
        assert_eq!(
            (again.text(), again.links, again.embedded),
            (document.text(), document.links, document.embedded),
            "{markup}"
        );
    }

    #[test]
    fn document_survives_a_round_trip() {
        let cases = [
            "<p>a <b>b</b> <i>c <a href='http://e.org/?a=1&amp;b=2'>d</a></i><br>e &lt;f&gt; &amp;amp;</p>",
            "<h1>one</h1><h3>two <code>x &lt; y</code></h3><hr>",
            "<ul><li>a<li><p>b</p><p>c</p><ul><li>d</ul></ul><ol><li>e</ol><ol start=5><li>f</ol>",
            "<blockquote><p>a</p><blockquote>b</blockquote></blockquote>",
            "<pre><code class='language-rust'>let a = 1;</code></pre><p>was <del>40 <b>x</b></del> <ins>50</ins></p>",
            "<figure><img src='http://e.org/a.png'><img src='http://e.org/b.png'><figcaption>two</figcaption></figure>",
            "<dl><dt>a<dd>one<dd>two<dt>b<dd>three</dl><details><summary>more</summary>text</details>",
            "<table><caption>c</caption><tr><td>1<td>2</table><p>a<br><br>b</p>",
            "<iframe src='https://www.youtube.com/embed/abc' title='A film'></iframe>",
            "<pre>\n  let a = 1;\n\n\tif b &lt; c {\n}</pre>",
            "<table><tr><th>a<th>b<tr><td>1 <b>x</b><td>2</table><table><tr><td>1<td>2</table>",
            "<figure><img src='http://e.org/a.png' alt='say \"x\"'><figcaption>c <i>d</i></figcaption></figure>",
            "<p><img src='http://e.org/a.png'></p><p>x <img src='http://e.org/a.png' alt=y></p>",
            "<p>sound <audio src='http://e.org/a.mp3'></audio></p><video src='http://e.org/a.mp4'></video>",
            "<p>x<sup>2</sup> <a href='mailto:a@e.org'>mail</a> <a href='#x'>jump</a></p>",
            "<p>a</p><img src='data:image/x-omitted,' alt=b><img src='data:image/x-omitted,00112233445566778899aabbccddeeff'>",
            "<p><a href='#c'>to <b>c</b></a> <a href='#e'>e</a></p><h2 id=c>one <i>c</i></h2><div id=d><p id=e>two</p></div><p><a href='#d'>d</a> <a href='#gone'>x</a></p>",
            "<p>a<a href='#n1'>1</a> b<sup><a href='#n2'>*</a></sup></p><ol><li id=n1>one</li><li id=n2><p>two</p></ol>",
            "<ul><li><input type=checkbox checked disabled>done<li><input type=checkbox disabled> open</ul>",
            "<blockquote><p>a</p><footer>b <cite>c</cite></footer></blockquote><blockquote><p>a<p>— d</blockquote>",
            "<dl><dt>a<dt>b<dd><p>c<ul><li>d</ul><dd>e<dt>f<dd>g</dl>",
            "<p>a</p><img src='http://e.org/a.png' alt=b width=640 height=360>",
            "plain",
            "plain  with blanks\t>\nand lines",
        ];
        cases.into_iter().for_each(survives);
    }

    /// Each document must be well-formed. The comments state what else is expected.
    #[test]
    fn xhtml_is_well_formed_and_has_no_external_resources() {
        let cases = [
            (
                "<p>a<br>b &amp; \"c\"</p><hr>plain",
                "<p>a<br/>b &amp; &quot;c&quot;</p><hr/><p>plain</p>",
            ),
            (
                "<p><img src='http://e.org/a.png' alt='x'> <img src='http://e.org/b.png' alt='y'></p>",
                "<p><img src=\"a.png\" alt=\"x\"/> <a href=\"http://e.org/b.png\">[y]</a></p>",
            ),
            (
                "<p><a href='http://e.org/'>one <img src='http://e.org/b.png'></a></p>",
                "<p><a href=\"http://e.org/\">one [Picture]</a></p>",
            ),
            (
                "<p><audio src='http://e.org/a.mp3'></audio></p>",
                "<p><a href=\"http://e.org/a.mp3\">audio</a></p>",
            ),
            (
                "<p>x<sup><a href='#n'>1</a></sup></p><ol><li id=n><p>y</p></li></ol>",
                "<p>x<sup><a href=\"#p-note-0\">1</a></sup></p><ol><li><div id=\"p-note-0\"><p>y</p></div></li></ol>",
            ),
            (
                "<p><a href='#a'>to <a href='#b'>b</a></p><h2 id=a>A</h2><h2 id=b>B</h2>",
                "<p><a href=\"#p-place-0\">to </a><a href=\"#p-place-1\">b</a></p>\
                 <h2><span id=\"p-place-0\"></span>A</h2><h2><span id=\"p-place-1\"></span>B</h2>",
            ),
            ("<dl><dd>a</dl>", "<dl><dt></dt><dd><p>a</p></dd></dl>"),
        ];
        let picture = |url: &str| (url == "http://e.org/a.png").then(|| "a.png".to_owned());
        for (markup, expected) in cases {
            let written = from_html(markup, None).xhtml(Xhtml { picture: &picture, prefix: "p-" });
            assert_eq!(written, expected, "{markup}");
        }
        let nul = Document::from_text("a\u{0}b\u{fffe}c\u{1b}d");
        assert_eq!(nul.xhtml(Xhtml { picture: &picture, prefix: "" }), "<p>abcd</p>");
    }

    proptest! {
        #[test]
        fn xhtml_of_any_document_is_well_formed(markup in "(<(p|b|i|li|ul|ol|pre|td|tr|table|blockquote|h2|br|code|dl|dd|dt|hr|figure|a href=http://e.org/|img src=http://e.org/x|/p|/ul|/b|/table|/pre|/blockquote|/a)>|[ab<>&\"\n ]{1,4}){0,14}") {
            let document = from_html(&markup, None);
            let text = document.xhtml(Xhtml { picture: &|_| None, prefix: "" });
            let mut reader = quick_xml::Reader::from_str(&text);
            loop {
                match reader.read_event() {
                    Ok(quick_xml::events::Event::Eof) => break,
                    Ok(_) => {}
                    Err(e) => prop_assert!(false, "{e}: {text}"),
                }
            }
        }

        #[test]
        fn any_document_survives_a_round_trip(markup in "(<(p|b|i|li|ul|ol|pre|td|tr|table|blockquote|h2|br|code|/p|/ul|/b|/table|/pre|/blockquote)>|[ab<>&\"\n ]{1,4}){0,14}") {
            let document = from_html(&markup, None);
            let html = clean(&document.html(), None);
            let again = from_html(&html, None);
            prop_assert_eq!(again.text(), document.text(), "{}", html);
        }
    }
}

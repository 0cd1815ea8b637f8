//! Document tree -> HTML, from which [`super::from_html`] builds the same tree again.

use super::document::{Block, Document, Inline, Link, LinkKind};
use crate::util::html::escape;
use std::fmt::Write;

impl Document {
    /// The document as HTML with absolute URLs. Texts and URLs are escaped. Only the elements named
    /// in this file are written.
    pub fn html(&self) -> String {
        let mut out = String::new();
        blocks(&self.blocks, &self.links, &mut out);
        out
    }
}

fn blocks(blocks: &[Block], links: &[Link], out: &mut String) {
    blocks.iter().for_each(|b| block(b, links, out));
}

fn block(block: &Block, links: &[Link], out: &mut String) {
    match block {
        Block::Heading(level, text) => {
            let level = (*level).clamp(1, 6);
            let _ = write!(out, "<h{level}>");
            inlines(text, links, out);
            let _ = write!(out, "</h{level}>");
        }
        Block::Paragraph(text) => {
            element("p", out, |out| inlines(text, links, out));
        }
        Block::List(start, items) => {
            let name = match start {
                None => "ul",
                Some(_) => "ol",
            };
            match start.filter(|n| *n != 1) {
                Some(n) => _ = write!(out, "<ol start=\"{n}\">"),
                None => _ = write!(out, "<{name}>"),
            }
            for item in items {
                element("li", out, |out| blocks(item, links, out));
            }
            let _ = write!(out, "</{name}>");
        }
        Block::Definitions(all) => element("dl", out, |out| {
            for definition in all {
                for term in &definition.terms {
                    element("dt", out, |out| inlines(term, links, out));
                }
                element("dd", out, |out| blocks(&definition.blocks, links, out));
            }
        }),
        Block::Quote(inner, by) => element("blockquote", out, |out| {
            blocks(inner, links, out);
            if !by.is_empty() {
                element("footer", out, |out| inlines(by, links, out));
            }
        }),
        Block::Code { language: None, code } => {
            element("pre", out, |out| out.push_str(&escape(code)));
        }
        Block::Code { language: Some(language), code } => element("pre", out, |out| {
            let _ = write!(out, "<code class=\"language-{}\">", escape(language));
            out.push_str(&escape(code));
            out.push_str("</code>");
        }),
        Block::Table { header, rows } => element("table", out, |out| {
            for (n, row) in rows.iter().enumerate() {
                let cell = if *header && n == 0 { "th" } else { "td" };
                element("tr", out, |out| {
                    row.iter().for_each(|c| element(cell, out, |out| inlines(c, links, out)));
                });
            }
        }),
        Block::Figure(image, caption) => element("figure", out, |out| {
            inlines(image, links, out);
            if !caption.is_empty() {
                element("figcaption", out, |out| inlines(caption, links, out));
            }
        }),
        Block::Note { number, blocks: inner, .. } => {
            let _ = write!(out, "<div id=\"note-{number}\">");
            blocks(inner, links, out);
            out.push_str("</div>");
        }
        Block::Rule => out.push_str("<hr>"),
    }
}

fn inlines(inlines: &[Inline], links: &[Link], out: &mut String) {
    inlines.iter().for_each(|i| inline(i, links, out));
}

fn inline(inline: &Inline, links: &[Link], out: &mut String) {
    match inline {
        Inline::Text(text) => out.push_str(&escape(text)),
        Inline::Emphasis(inner) => element("em", out, |out| inlines(inner, links, out)),
        Inline::Strong(inner) => element("strong", out, |out| inlines(inner, links, out)),
        Inline::Deleted(inner) => element("del", out, |out| inlines(inner, links, out)),
        Inline::Inserted(inner) => element("ins", out, |out| inlines(inner, links, out)),
        Inline::Code(code) => element("code", out, |out| out.push_str(&escape(code))),
        Inline::Link(inner, to) => match links.get(*to) {
            Some(Link { url, kind: LinkKind::Media, .. }) => {
                let is = |name: &str| *inner == [Inline::Text(name.to_owned())];
                let name = if is("video") { "video" } else { "audio" };
                let _ = write!(out, "<{name} src=\"{}\"></{name}>", escape(url));
            }
            Some(Link { url, .. }) => {
                let _ = write!(out, "<a href=\"{}\">", escape(url));
                inlines(inner, links, out);
                out.push_str("</a>");
            }
            None => inlines(inner, links, out),
        },
        Inline::Image(alt, to) => {
            let link = links.get(*to);
            let url = link.map_or("", |l| l.url.as_str());
            let _ = write!(out, "<img src=\"{}\" alt=\"{}\"", escape(url), escape(alt));
            if let Some((width, height)) = link.and_then(|l| l.size) {
                let _ = write!(out, " width=\"{width}\" height=\"{height}\"");
            }
            out.push('>');
        }
        Inline::Note(label, number) => {
            let _ = write!(out, "<sup><a href=\"#note-{number}\">{}</a></sup>", escape(label));
        }
        Inline::Break => out.push_str("<br>"),
    }
}

fn element(name: &str, out: &mut String, inner: impl FnOnce(&mut String)) {
    let _ = write!(out, "<{name}>");
    inner(out);
    let _ = write!(out, "</{name}>");
}

#[cfg(test)]
mod tests {
    use crate::article::from_html;
    use crate::util::html::clean;
    use proptest::prelude::*;

    #[track_caller]
    fn survives(markup: &str) {
        let document = from_html(markup, None);
        let html = clean(&document.html(), None);
        let again = from_html(&html, None);
        // Adjacent texts were merged.
        assert_eq!(again.html(), document.html(), "{markup}");
        assert_eq!((again.text(), again.links), (document.text(), document.links), "{markup}");
    }

    #[test]
    fn document_survives_writing_and_reading() {
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

    proptest! {
        #[test]
        fn any_document_survives_writing_and_reading(markup in "(<(p|b|i|li|ul|ol|pre|td|tr|table|blockquote|h2|br|code|/p|/ul|/b|/table|/pre|/blockquote)>|[ab<>&\"\n ]{1,4}){0,14}") {
            let document = from_html(&markup, None);
            let html = clean(&document.html(), None);
            let again = from_html(&html, None);
            prop_assert_eq!(again.text(), document.text(), "{}", html);
        }
    }
}

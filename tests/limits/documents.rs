//! Documents of all formats that are designed to need a lot of memory or time, at the maximum size of a body.

/// Size of a feed, list or page in bytes, just under the limit for a body.
const BODY: usize = (10 << 20) - 8192;
/// Size in bytes of a page that is read to the end.
const PAGE: usize = (4 << 20) - 8192;
/// Number of elements on a page that is still parsed into a tree.
const ELEMENTS: usize = 140_000;

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Feed,
    Page,
    Opml,
    Sitemap,
}

impl Kind {
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Page => "text/html",
            _ => "text/xml",
        }
    }
}

pub(crate) struct Document {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) make: fn() -> String,
}

/// A document with `start`, as many numbered pieces as fit, and `end`.
fn fill(size: usize, start: &str, piece: impl Fn(usize) -> String, end: &str) -> String {
    at_most(usize::MAX, size, start, piece, end)
}

fn at_most(
    count: usize,
    size: usize,
    start: &str,
    piece: impl Fn(usize) -> String,
    end: &str,
) -> String {
    let mut out = String::with_capacity(size + 1024);
    out.push_str(start);
    for n in 0..count {
        let piece = piece(n);
        if out.len() + piece.len() + end.len() > size {
            break;
        }
        out.push_str(&piece);
    }
    out + end
}

fn rss(inside: impl Fn(usize) -> String) -> String {
    fill(BODY, "<rss version='2.0'><channel>", inside, "</channel></rss>")
}

/// An RSS feed with one item.
fn item(start: &str, inside: impl Fn(usize) -> String, end: &str) -> String {
    let start = format!("<rss version='2.0'><channel><item><guid>1</guid>{start}");
    fill(BODY, &start, inside, &format!("{end}</item></channel></rss>"))
}

fn atom(inside: impl Fn(usize) -> String) -> String {
    fill(BODY, "<feed xmlns='http://www.w3.org/2005/Atom'>", inside, "</feed>")
}

const JSON: &str = r#"{"version": "https://jsonfeed.org/version/1", "items": ["#;

fn json(piece: impl Fn(usize) -> String) -> String {
    fill(BODY, JSON, piece, "{}]}")
}

/// A JSON feed with one item.
fn json_item(start: &str, piece: impl Fn(usize) -> String, end: &str) -> String {
    fill(BODY, &format!("{JSON}{{\"id\": 1, {start}"), piece, &format!("{end}}}]}}"))
}

/// A page with the maximum number of elements that are parsed.
fn page(start: &str, piece: impl Fn(usize) -> String) -> String {
    at_most(ELEMENTS, PAGE, &format!("<!doctype html><title>t</title>{start}"), piece, "")
}

/// A page that exceeds all limits.
fn flood(start: &str, piece: impl Fn(usize) -> String) -> String {
    fill(BODY, start, piece, "")
}

/// A URL of almost the maximum length for a base URL.
fn long_base() -> String {
    format!("http://127.0.0.1/{}", "d/".repeat(730))
}

fn attributes(count: usize, n: usize) -> String {
    (0..count).map(|k| format!(" a{n}b{k}")).collect()
}

macro_rules! documents {
    ($($kind:ident { $($name:literal: $make:expr;)* })*) => {
        pub(crate) const DOCUMENTS: &[Document] =
            &[$($(Document { name: $name, kind: Kind::$kind, make: || $make },)*)*];
    };
}

documents! {
    Feed {
        "rss-empty-items": rss(|_| "<item/>".to_owned());
        "rss-unclosed-items": rss(|_| "<item>".to_owned());
        "rss-unclosed-lists": rss(|_| "<items>".to_owned());
        "rss-small-items": rss(|n| format!("<item><guid>{n}</guid></item>"));
        "rss-dated-items": rss(|n| format!("<item><pubDate>{}</pubDate></item>", 1_600_000_000 + n));
        "rss-prefixes": rss(|n| format!("<x xmlns:a{n}='b'/>"));
        "rss-elements": item("<title>", |_| "<b>x</b>".to_owned(), "</title>");
        "rss-attributes": item("<title>", |n| format!("<b{}/>", attributes(60, n)), "</title>");
        "rss-many-attributes": item("<enclosure", |n| format!(" a{n}"), "/>");
        "rss-huge-attribute": item("<enclosure url='", |_| "a".repeat(1000), "'/>");
        "rss-links": item("", |_| "<link>a</link>".to_owned(), "");
        "rss-enclosures": item("", |n| format!("<enclosure url='{n}'/>"), "");
        "rss-keywords": item("<keywords>", |_| "a,".to_owned(), "</keywords>");
        "rss-hours": rss(|_| "<skipHours><hour>1</hour></skipHours>".to_owned());
        "rss-text": item("<description>", |_| "&lt;p&gt;some text ".to_owned(), "</description>");
        "rss-references": item("<description>", |_| "&amp;".to_owned(), "</description>");
        "rss-relative-links": item(
            &format!("<link>{}</link><description><![CDATA[", long_base()),
            |_| "<a href=b>b</a>".to_owned(),
            "]]></description>",
        );
        "rss-relative-enclosures": fill(
            BODY,
            &format!("<rss version='2.0' xml:base='{}'><channel>", long_base()),
            |n| format!("<item><guid>{n}</guid>{}</item>", "<enclosure url='e'/>".repeat(9)),
            "</channel></rss>",
        );
        "atom-empty-entries": atom(|_| "<entry/>".to_owned());
        "atom-authors": fill(
            BODY,
            &format!(
                "<feed xmlns='http://www.w3.org/2005/Atom'>{}",
                (0..60)
                    .map(|n| format!("<author><name>{n}{}</name></author>", "x".repeat(900)))
                    .collect::<String>()
            ),
            |n| format!("<entry><id>{n}</id></entry>"),
            "</feed>",
        );
        "atom-xhtml": atom(|_| {
            format!("<entry><content type='xhtml'><div>{}</div></content></entry>", "<p>x</p>".repeat(9))
        });
        "atom-bases": fill(
            BODY,
            &format!(
                "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>\
                 <div xml:base='{}'>",
                long_base()
            ),
            |_| "<a href='b' xml:base='c'/>".to_owned(),
            "</div></content></entry></feed>",
        );
        "atom-small-bases": atom(|_| {
            format!(
                "<entry><content type='xhtml'><div xml:base='{}'>{}</div></content></entry>",
                long_base(),
                "<a href=b/>".repeat(256)
            )
        });
        "atom-deep": atom(|_| "<entry><content type='xhtml'><div>".to_owned());
        "json-empty-items": json(|_| "{},".to_owned());
        "json-numbers": json(|_| "0,".to_owned());
        "json-small-items": json(|n| format!("{{\"id\":{n}}},"));
        "json-deep": json(|_| "[".to_owned());
        "json-keys": json_item("", |n| format!("\"k{n}\":1,"), "\"z\":1");
        "json-attachments": json_item("\"attachments\":[", |_| "{\"url\":\"a\"},".to_owned(), "1]");
        "json-tags": json_item("\"tags\":[", |_| "1,".to_owned(), "1]");
        "json-text": json_item("\"content_html\":\"", |_| "<p>some text ".to_owned(), "\"");
    }
    Opml {
        "opml-empty": fill(BODY, "<opml><body>", |_| "<outline/>".to_owned(), "</body></opml>");
        "opml-feeds": fill(
            BODY,
            "<opml><body>",
            |n| format!("<outline xmlUrl='http://e{n}.example/'/>"),
            "</body></opml>",
        );
        "opml-deep": fill(BODY, "<opml><body>", |_| "<outline text='a'>".to_owned(), "");
        "opml-attributes": fill(BODY, "<opml><body><outline", |n| format!(" a{n}=''"), "/>");
        "opml-categories": fill(
            BODY,
            "<opml><body><outline xmlUrl='http://e.example/' category='",
            |n| format!("{n},"),
            "'/></body></opml>",
        );
    }
    Sitemap {
        "sitemap-pages": fill(BODY, "<urlset>", |n| format!("<url><loc>/{n}</loc></url>"), "</urlset>");
        "sitemap-relative": fill(BODY, "<urlset>", |_| "<url><loc>a</loc></url>".to_owned(), "</urlset>");
        "sitemap-children": fill(
            BODY,
            "<sitemapindex>",
            |n| format!("<sitemap><loc>/{n}</loc></sitemap>"),
            "</sitemapindex>",
        );
        "sitemap-empty": fill(BODY, "<urlset>", |_| "<url/>".to_owned(), "</urlset>");
        "sitemap-lines": fill(BODY, "", |n| format!("http://127.0.0.1/{n}\n"), "");
    }
    Page {
        "page-elements": page("", |_| "<b>x</b>".to_owned());
        "page-flood": flood("", |_| "<b>x</b>".to_owned());
        "page-classes": page("", |n| format!("<p class='c{n}'>x</p>"));
        "page-ids": page("", |n| format!("<a href=#n{n}>1</a><i id=n{n}>x</i>"));
        "page-links": page("", |n| format!("<a href=/{n}>x</a>"));
        "page-relative-links": page(&format!("<base href='{}'>", long_base()), |n| {
            format!("<a href={n}>x</a>")
        });
        "page-pictures": page("", |n| format!("<img src={n}>"));
        "page-attributes": page("", |n| format!("<p{}>x", attributes(60, n)));
        "page-many-attributes": flood("<p", |n| format!(" a{n}"));
        "page-end-tag-attributes": flood("<p>x</p", |n| format!(" a{n}"));
        "page-huge-attribute": flood("<p title='", |_| "a".repeat(1000));
        "page-comments": page("", |_| "<!---->".to_owned());
        "page-text": flood("<p>", |_| "some text ".to_owned());
        "page-references": flood("<p>", |_| "&amp;".to_owned());
        "page-rows": page("<table>", |n| format!("<tr><td>{n}"));
        "page-items": page("<ul>", |n| format!("<li>{n}"));
        "page-options": page("<select>", |_| "<option>x".to_owned());
        "page-headings": page("", |n| format!("<h2>{n}</h2><p>x"));
        "page-dates": page("", |n| format!("<time datetime=2024-01-01>{n}</time>"));
        "page-meta": page("", |n| format!("<meta property='article:author' content='{n}'>"));
        "page-data": page("", |_| {
            "<script type='application/ld+json'>{\"@type\":\"Article\"}</script>".to_owned()
        });
        "page-huge-data": flood("<script type='application/ld+json'>[", |_| "{},".to_owned());
        "page-deep-data": flood("<script type='application/ld+json'>", |_| "{\"a\":".to_owned());
        "page-feeds": page("", |n| format!("<link rel=alternate type=application/rss+xml href=/{n}>"));
        "page-next": page("", |n| format!("<a rel=next href=/{n}>next</a>"));
        "page-articles": page("", |n| {
            format!("<article><a href=/{n}>A title of several words {n}</a></article>")
        });
        "page-nested": page(&"<div>".repeat(400), |_| "<p>x</p>".to_owned());
        "page-nested-inline": page(&"<span>".repeat(400), |_| "<i>x </i>".to_owned());
        "page-deep": flood("", |_| "<div>".to_owned());
        "page-formatting": flood(
            &("<p>".to_owned() + &(0..400).map(|n| format!("<font a{n}>")).collect::<String>()),
            |_| "<p>x".to_owned(),
        );
        "page-quoted-end-tag": flood(
            &format!("</p=\" t=\"{} e\" ><i title=\"", " b".repeat(80)),
            |_| "<div>".to_owned(),
        );
        "page-cdata": flood("<math><![CDATA[><!--]]>", |_| "<mrow>".to_owned());
        "page-cdata-attributes": flood("<math><![CDATA[><!--]]></math><p", |n| format!(" a{n}"));
        "page-slash-values": flood("<math>", |_| "<mrow a=b/>".to_owned());
        "page-names": page("", |n| format!("<p name{n}>x"));
        "page-stray-ends": flood(&"<span>".repeat(400), |_| "</x>".to_owned());
        "page-tables-in-cells": flood("", |_| "<table><td>".to_owned());
        "page-misplaced": page("<table>", |_| "<p>x</p>".to_owned());
        "page-forms": page("", |_| "<form><input></form>".to_owned());
        "page-drawings": page("", |_| "<svg><g/></svg>".to_owned());
        "page-footnotes": page("", |n| format!("<sup><a href=#f{n} id=r{n}>{n}</a></sup>"));
        "page-line-breaks": page("<p>", |_| "x<br><br>".to_owned());
        "page-repeated": page("", |_| "<p>the same text of some words again</p>".to_owned());
        "page-code": page("", |_| "<pre><code>a</code></pre>".to_owned());
        "page-paragraphs": page("", |_| format!("<p>{}</p>", "lorem ipsum dolor ".repeat(4)));
        "page-urls-in-text": page("", |n| format!("<p>http://127.0.0.1/{n}</p>"));
    }
}

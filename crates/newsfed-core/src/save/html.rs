//! Articles as one self-contained HTML page with embedded pictures.

use super::{FileHeader, SavedChapter};
use crate::article::{Block, Document, Xhtml};
use crate::util::xml::{element, empty, end, start};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::cell::RefCell;
use std::collections::HashSet;

/// Content security policy: a page may only show its own pictures and styles.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// Styles for readable lines in every browser and e-reader.
pub(super) const STYLE: &str = "\
body { max-width: 42em; margin: 1em auto; padding: 0 1em; line-height: 1.5; }
header p { color: #666; font-size: 0.9em; overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
td, th { border: 1px solid #999; padding: 0.2em 0.5em; }
blockquote { border-left: 3px solid #999; margin-left: 0; padding-left: 1em; }
";

pub(super) fn write(chapters: &[SavedChapter], header: &FileHeader) -> String {
    let title = match chapters {
        [one] => one.title(),
        _ => header.title.clone(),
    };
    let mut out = "<!DOCTYPE html>\n".to_owned();
    match chapters {
        [one] => start(&mut out, "html", &language(one)),
        _ => start(&mut out, "html", &[]),
    }
    out.push_str("\n<head>\n<meta charset=\"utf-8\"/>\n");
    empty(&mut out, "meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
    out.push_str("\n<meta name=\"viewport\" content=\"width=device-width\"/>\n");
    element(&mut out, "title", &[], &title);
    out.push_str("\n<style>\n");
    out.push_str(STYLE);
    out.push_str("</style>\n</head>\n<body>\n");
    let embedded = RefCell::new(HashSet::new());
    for (number, chapter) in chapters.iter().enumerate() {
        let picture = |url: &str| {
            let picture = chapter.pictures.get(url)?;
            // Each picture is embedded once, so that repetitions cannot make the file large.
            embedded.borrow_mut().insert(url.to_owned()).then_some(())?;
            Some(format!("data:{};base64,{}", picture.media_type, STANDARD.encode(&picture.bytes)))
        };
        let prefix = format!("a{}-", number + 1);
        start(&mut out, "article", &language(chapter));
        body(&mut out, chapter, Xhtml { picture: &picture, prefix: &prefix });
        end(&mut out, "article");
        out.push('\n');
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn language(chapter: &SavedChapter) -> Vec<(&str, &str)> {
    chapter.language().map(|tag| ("lang", tag)).into_iter().collect()
}

/// Title, byline and text.
pub(super) fn body(out: &mut String, chapter: &SavedChapter, xhtml: Xhtml<'_>) {
    out.push_str("<header>");
    element(out, "h1", &[], &chapter.title());
    let mut links = Vec::new();
    let byline = vec![Block::Paragraph(chapter.byline(&mut links))];
    out.push_str(&Document { blocks: byline, links, ..Document::default() }.xhtml(xhtml));
    out.push_str("</header>\n");
    out.push_str(&chapter.document.xhtml(xhtml));
    out.push('\n');
}

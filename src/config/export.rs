//! Sources as OPML. Importing it gives the same folders, titles, tags and URLs.

use crate::model::Source;
use quick_xml::escape::escape;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A folder and its content: sources in their order, folders by name.
#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    sources: Vec<&'a Source>,
}

/// The sources as OPML 2.0, without passwords, headers and proxies.
pub fn export_opml(sources: &[Source]) -> String {
    let mut top = Folder::default();
    for source in sources {
        let levels = source.folder.iter().flat_map(|f| f.split('/'));
        let folder = levels.fold(&mut top, |f, level| f.folders.entry(level).or_default());
        folder.sources.push(source);
    }
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n    \
         <title>Sources of newsfed</title>\n  </head>\n  <body>\n",
    );
    write_folder(&mut text, &top, 2);
    text.push_str("  </body>\n</opml>\n");
    text
}

/// The sources in newsboat's format, one per line: the URL, the tags, and the user's own title
/// after a `~`. Without folders, passwords, headers and proxies.
pub fn export_urls(sources: &[Source]) -> String {
    let mut text = String::new();
    for source in sources {
        text.push_str(source.url.as_str());
        let title = source.title.iter().map(|t| format!("~{t}"));
        for word in source.tags.iter().cloned().chain(title) {
            let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(text, " \"{escaped}\"");
        }
        text.push('\n');
    }
    text
}

/// Folders have at most 16 levels, so recursion is safe.
fn write_folder(text: &mut String, folder: &Folder<'_>, depth: usize) {
    let indent = "  ".repeat(depth);
    for source in &folder.sources {
        let url = escape(source.url.as_str());
        // `text` is required; a `title` is written only where the user gave one.
        let name = source.title.as_deref().map(escape);
        let _ = write!(
            text,
            "{indent}<outline type=\"rss\" text=\"{}\"",
            name.as_ref().unwrap_or(&url)
        );
        if let Some(name) = &name {
            let _ = write!(text, " title=\"{name}\"");
        }
        let _ = write!(text, " xmlUrl=\"{url}\"");
        if !source.tags.is_empty() {
            let _ = write!(text, " category=\"{}\"", escape(source.tags.join(",")));
        }
        text.push_str("/>\n");
    }
    for (name, inner) in &folder.folders {
        let _ = writeln!(text, "{indent}<outline text=\"{}\">", escape(*name));
        write_folder(text, inner, depth + 1);
        let _ = writeln!(text, "{indent}</outline>");
    }
}

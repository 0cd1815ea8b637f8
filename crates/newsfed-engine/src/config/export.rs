//! Sources and views as OPML. Importing it restores the same sources and views; other readers see the feeds
//! with their folders, titles and tags.

use super::opml_settings::{Attribute, OWN_TITLE, of_source, of_view};
use super::settings::ViewSettings;
use crate::model::{Source, SourceId, SourceKind};
use quick_xml::escape::escape;
use std::collections::HashMap;
use std::fmt::Write;

/// A folder and its content, in source order: a subfolder has the position of its first source.
#[derive(Default)]
struct Folder<'a> {
    content: Vec<Content<'a>>,
    /// The index of each subfolder in the content.
    places: HashMap<&'a str, usize>,
}

enum Content<'a> {
    Source(&'a Source),
    Folder(&'a str, Folder<'a>),
}

impl<'a> Folder<'a> {
    fn add(&mut self, source: &'a Source, levels: &[&'a str]) {
        let Some((name, inner)) = levels.split_first() else {
            return self.content.push(Content::Source(source));
        };
        let place = *self.places.entry(name).or_insert(self.content.len());
        if place == self.content.len() {
            self.content.push(Content::Folder(name, Self::default()));
        }
        if let Some(Content::Folder(_, folder)) = self.content.get_mut(place) {
            folder.add(source, inner);
        }
    }
}

/// The namespace of newsfed's own attributes.
pub(super) const NAMESPACE: &str = "https://newsfed.example/opml";

/// Sources and views as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpmlExport {
    pub text: String,
    /// Number of sources in the text.
    pub sources: usize,
    /// Number of sources whose passwords, secret headers or proxies with a password are left out.
    pub withheld: usize,
}

/// The sources and views as OPML 2.0, without secrets, programs or files. `shown` contains the titles that
/// lists show for sources without a title of their own.
pub fn export_opml<'a>(
    sources: impl IntoIterator<Item = &'a Source>,
    shown: &HashMap<SourceId, String>,
    views: &[ViewSettings],
) -> OpmlExport {
    let mut top = Folder::default();
    // Followed lists are left out, because imports skip them: only the user may add a source that
    // adds others.
    let is_written =
        |source: &&Source| source.web_url().is_some() && source.kind() != SourceKind::List;
    let mut count = 0;
    for source in sources.into_iter().filter(is_written) {
        count += 1;
        let levels: Vec<&str> = source.folder.iter().flat_map(|f| f.split('/')).collect();
        top.add(source, &levels);
    }
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\" xmlns:newsfed=\"{NAMESPACE}\">\n  \
         <head>\n    <title>Sources of newsfed</title>\n",
    );
    for view in views {
        text.push_str("    <newsfed:view");
        write_attributes(&mut text, "", &of_view(view));
        text.push_str("/>\n");
    }
    text.push_str("  </head>\n  <body>\n");
    let mut withheld = 0;
    write_folder(&mut text, &top, shown, 2, &mut withheld);
    text.push_str("  </body>\n</opml>\n");
    OpmlExport { text, sources: count, withheld }
}

/// Escapes an attribute value. Parsers turn line breaks in attributes into spaces unless they are written as
/// references.
fn quoted(text: &str) -> String {
    let escaped = escape(text).replace('\n', "&#10;");
    escaped.replace('\r', "&#13;").replace('\t', "&#9;")
}

fn write_attributes(text: &mut String, prefix: &str, attributes: &[Attribute]) {
    for (key, value) in attributes {
        let _ = write!(text, " {prefix}{key}=\"{}\"", quoted(value));
    }
}

/// The sources in newsboat's format, one per line: the URL, the tags, and the user's own title after a `~`.
/// Folders, passwords, headers, proxies and filters are left out, as are sources that are programs or files.
pub fn export_urls<'a>(sources: impl IntoIterator<Item = &'a Source>) -> String {
    let mut text = String::new();
    for source in sources {
        let Some(url) = source.web_url() else { continue };
        text.push_str(url.as_str());
        let title = source.title.iter().map(|t| format!("~{t}"));
        for word in source.tags.iter().cloned().chain(title) {
            let escaped = word.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(text, " \"{escaped}\"");
        }
        text.push('\n');
    }
    text
}

/// A tag as an OPML category. A leading slash in a category only marks a path, so it is doubled.
fn category(tag: &str) -> String {
    if tag.starts_with('/') { format!("/{tag}") } else { tag.to_owned() }
}

/// Folders have at most 16 levels, so recursion is safe.
fn write_folder(
    text: &mut String,
    folder: &Folder<'_>,
    titles: &HashMap<SourceId, String>,
    depth: usize,
    withheld: &mut usize,
) {
    let indent = "  ".repeat(depth);
    for content in &folder.content {
        let source = match content {
            Content::Source(source) => source,
            Content::Folder(name, inner) => {
                let _ = writeln!(text, "{indent}<outline text=\"{}\">", quoted(name));
                write_folder(text, inner, titles, depth + 1, withheld);
                let _ = writeln!(text, "{indent}</outline>");
                continue;
            }
        };
        let url = quoted(source.url.as_str());
        // `text` is required; a title that the user did not give is marked below.
        let own = source.title.as_deref();
        let name = own.or_else(|| titles.get(&source.id).map(String::as_str)).map(quoted);
        // Other readers could not follow a source of another kind, so it is exported as a link.
        let (kind, address) = match source.kind() {
            SourceKind::Feed => ("rss", "xmlUrl"),
            _ => ("link", "url"),
        };
        let shown = name.as_ref().unwrap_or(&url);
        let _ = write!(text, "{indent}<outline type=\"{kind}\" text=\"{shown}\"");
        if let Some(name) = &name {
            let _ = write!(text, " title=\"{name}\"");
        }
        let _ = write!(text, " {address}=\"{url}\"");
        if !source.tags.is_empty() {
            let tags: Vec<String> = source.tags.iter().map(|tag| category(tag)).collect();
            let _ = write!(text, " category=\"{}\"", quoted(&tags.join(",")));
        }
        let (mut attributes, secret) = of_source(source);
        if own.is_none() && name.is_some() {
            attributes.push((OWN_TITLE.to_owned(), "false".to_owned()));
        }
        *withheld += usize::from(secret);
        write_attributes(text, "newsfed:", &attributes);
        text.push_str("/>\n");
    }
}

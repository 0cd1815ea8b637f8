//! Articles as an EPUB 3.3 publication, with one document per article.

use super::html::{STYLE, body};
use super::{FileHeader, SavedChapter};
use crate::article::Xhtml;
use crate::model::Time;
use crate::util::xml::{DECLARATION, element, empty, end, start};
use chrono::SecondsFormat;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Why an EPUB cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum EpubError {
    #[error("there is no article to save")]
    Empty,
    #[error("the EPUB cannot be written: {0}")]
    Zip(#[from] zip::result::ZipError),
    #[error("the EPUB cannot be written: {0}")]
    Io(#[from] std::io::Error),
}

const CONTAINER: &str = "\
<container version=\"1.0\" xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\">\
<rootfiles><rootfile full-path=\"EPUB/package.opf\" media-type=\"application/oebps-package+xml\"/>\
</rootfiles></container>\n";

const XHTML: &str = "application/xhtml+xml";

/// A picture in the publication, with its name.
struct Picture<'a> {
    name: String,
    media_type: &'static str,
    bytes: &'a Arc<[u8]>,
}

pub(super) fn write(chapters: &[SavedChapter], header: &FileHeader) -> Result<Vec<u8>, EpubError> {
    if chapters.is_empty() {
        return Err(EpubError::Empty);
    }
    let pictures = pictures(chapters);
    let mut archive = Archive::begin()?;
    archive.add("META-INF/container.xml", (DECLARATION.to_owned() + CONTAINER).as_bytes(), true)?;
    let package = package(chapters, header, &pictures);
    archive.add("EPUB/package.opf", package.as_bytes(), true)?;
    archive.add("EPUB/nav.xhtml", navigation(chapters, header).as_bytes(), true)?;
    archive.add("EPUB/style.css", STYLE.as_bytes(), true)?;
    for (number, chapter) in chapters.iter().enumerate() {
        let picture = |url: &str| {
            let picture = chapter.pictures.get(url)?;
            pictures.get(hash(&picture.bytes).as_str()).map(|picture| picture.name.clone())
        };
        let text = document(chapter, &picture);
        archive.add(&format!("EPUB/{}", name(number)), text.as_bytes(), true)?;
    }
    for picture in pictures.values() {
        archive.add(&format!("EPUB/{}", picture.name), picture.bytes, false)?;
    }
    archive.finish()
}

/// The ZIP container. The same content always gives the same bytes.
struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    /// Begins with the media type, uncompressed, as e-readers expect.
    fn begin() -> Result<Self, EpubError> {
        let mut archive = Self(ZipWriter::new(Cursor::new(Vec::new())));
        archive.add("mimetype", b"application/epub+zip", false)?;
        Ok(archive)
    }

    fn add(&mut self, name: &str, bytes: &[u8], compress: bool) -> Result<(), EpubError> {
        let method = if compress { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::DEFAULT)
            .unix_permissions(0o644);
        self.0.start_file(name, options)?;
        self.0.write_all(bytes)?;
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>, EpubError> {
        Ok(self.0.finish()?.into_inner())
    }
}

/// The pictures of all articles, deduplicated by their hashes.
fn pictures(chapters: &[SavedChapter]) -> BTreeMap<String, Picture<'_>> {
    let mut all = BTreeMap::new();
    for picture in chapters.iter().flat_map(|chapter| chapter.pictures.values()) {
        let hash = hash(&picture.bytes);
        let extension = picture.media_type.trim_start_matches("image/");
        let name = format!("pictures/{}.{extension}", &hash[..16]);
        let (media_type, bytes) = (picture.media_type, &picture.bytes);
        all.entry(hash).or_insert(Picture { name, media_type, bytes });
    }
    all
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The file name of an article; `number` starts at 0.
fn name(number: usize) -> String {
    format!("article-{:04}.xhtml", number + 1)
}

fn time(time: Time) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// An identifier that is the same for the same articles in the same order.
fn identifier(chapters: &[SavedChapter]) -> String {
    let mut hash = Sha256::new();
    chapters.iter().for_each(|chapter| hash.update(chapter.id.0.as_bytes()));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    format!("urn:uuid:{}", uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// The language of most articles.
fn language(chapters: &[SavedChapter]) -> &str {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in chapters.iter().filter_map(SavedChapter::language) {
        *counts.entry(tag).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or("und", |(tag, _)| tag)
}

/// Metadata, all files, and the reading order.
fn package(
    chapters: &[SavedChapter],
    header: &FileHeader,
    pictures: &BTreeMap<String, Picture<'_>>,
) -> String {
    let mut out = DECLARATION.to_owned();
    let package = [
        ("xmlns", "http://www.idpf.org/2007/opf"),
        ("version", "3.0"),
        ("unique-identifier", "id"),
    ];
    start(&mut out, "package", &package);
    start(&mut out, "metadata", &[("xmlns:dc", "http://purl.org/dc/elements/1.1/")]);
    element(&mut out, "dc:identifier", &[("id", "id")], &identifier(chapters));
    element(&mut out, "dc:title", &[], &title(chapters, header));
    element(&mut out, "dc:language", &[], language(chapters));
    if let [one] = chapters {
        for author in one.authors.iter().filter(|author| !author.trim().is_empty()) {
            element(&mut out, "dc:creator", &[], author);
        }
    }
    let newest = chapters.iter().map(|chapter| chapter.date).max().unwrap_or_default();
    element(&mut out, "dc:date", &[], &time(newest));
    element(&mut out, "meta", &[("property", "dcterms:modified")], &time(newest));
    end(&mut out, "metadata");
    out.push_str("\n<manifest>\n");
    let item = |out: &mut String, id: &str, href: &str, kind: &str, properties: Option<&str>| {
        let mut attributes = vec![("id", id), ("href", href), ("media-type", kind)];
        attributes.extend(properties.map(|properties| ("properties", properties)));
        empty(out, "item", &attributes);
        out.push('\n');
    };
    item(&mut out, "nav", "nav.xhtml", XHTML, Some("nav"));
    item(&mut out, "style", "style.css", "text/css", None);
    for number in 0..chapters.len() {
        item(&mut out, &format!("a{}", number + 1), &name(number), XHTML, None);
    }
    for (number, picture) in pictures.values().enumerate() {
        item(&mut out, &format!("p{}", number + 1), &picture.name, picture.media_type, None);
    }
    out.push_str("</manifest>\n<spine>\n");
    for number in 0..chapters.len() {
        empty(&mut out, "itemref", &[("idref", &format!("a{}", number + 1))]);
    }
    out.push_str("\n</spine>\n</package>\n");
    out
}

fn title(chapters: &[SavedChapter], header: &FileHeader) -> String {
    match chapters {
        [one] => one.title(),
        _ if header.title.trim().is_empty() => "Articles".to_owned(),
        _ => header.title.clone(),
    }
}

fn page(title: &str, language: Option<&str>, inner: impl FnOnce(&mut String)) -> String {
    let mut out = DECLARATION.to_owned() + "<!DOCTYPE html>\n";
    let mut attributes = vec![
        ("xmlns", "http://www.w3.org/1999/xhtml"),
        ("xmlns:epub", "http://www.idpf.org/2007/ops"),
    ];
    let language = language.unwrap_or("und");
    attributes.extend([("lang", language), ("xml:lang", language)]);
    start(&mut out, "html", &attributes);
    out.push_str("\n<head>");
    element(&mut out, "title", &[], title);
    empty(&mut out, "link", &[("rel", "stylesheet"), ("type", "text/css"), ("href", "style.css")]);
    out.push_str("</head>\n<body>\n");
    inner(&mut out);
    out.push_str("</body>\n</html>\n");
    out
}

/// The table of contents.
fn navigation(chapters: &[SavedChapter], header: &FileHeader) -> String {
    let title = title(chapters, header);
    page(&title, None, |out| {
        start(out, "nav", &[("epub:type", "toc"), ("id", "toc")]);
        element(out, "h1", &[], &title);
        out.push_str("\n<ol>\n");
        for (number, chapter) in chapters.iter().enumerate() {
            out.push_str("<li>");
            element(out, "a", &[("href", &name(number))], &chapter.title());
            out.push_str("</li>\n");
        }
        out.push_str("</ol>\n");
        end(out, "nav");
        out.push('\n');
    })
}

fn document(chapter: &SavedChapter, picture: &dyn Fn(&str) -> Option<String>) -> String {
    let content = Xhtml { picture, prefix: "" };
    page(&chapter.title(), chapter.language(), |out| body(out, chapter, content))
}

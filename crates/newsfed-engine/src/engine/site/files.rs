//! Data files that are followed: each is one item, which gets a version for each change inside.

use super::Visit;
use super::gathering::Gathering;
use super::page;
use crate::dataset::Format;
use crate::engine::fulltext::{self, TextGot};
use crate::model::{Enclosure, Entry, SourceKind};
use crate::net::Response;
use crate::store::ReservedKeys;
use crate::util::{file_name, html, text};
use url::Url;

impl Visit<'_> {
    /// Whether a response is a data file, of a source that follows such files.
    pub(super) fn is_file(&self, response: &Response) -> bool {
        let follows = matches!(self.job.source.kind(), SourceKind::Page | SourceKind::Crawl);
        let (content_type, url) = (response.content_type(), &response.final_url);
        let is_file = || Format::of(content_type, url, &response.body).is_some();
        follows && response.is_success() && is_file()
    }

    /// Reads the file that is the source, which is the response to the first request.
    ///
    /// # Errors
    /// The reason, if it cannot be stored.
    pub(super) async fn file(
        &self,
        url: Url,
        response: Response,
        gathering: &mut Gathering,
    ) -> Result<(), String> {
        let name = file_name::last_segment(&url).map(|name| text::line(&name));
        gathering.title = name.filter(|name| !name.is_empty());
        let known = page::item(self, &url).await?;
        if known.is_none() {
            let publisher = self.publisher(gathering.title.as_deref());
            let mime = response.content_type().unwrap_or_default().split(';').next();
            let mime = text::line(mime.unwrap_or_default());
            let bytes = response.body.len();
            let title = gathering.title.clone().unwrap_or_else(|| text::line(url.as_str()));
            let file = FileFacts { url: url.as_str(), title, mime: &mime, bytes };
            let mut keys = ReservedKeys::for_articles(1);
            self.keep(vec![file.entry(&publisher)], &mut keys, gathering).await?;
        }
        let Some(item) = page::item(self, &url).await? else { return Ok(()) };
        let source = &self.job.source;
        let got = fulltext::take_response(self.context, source, item, response, true).await;
        let got = got.map_err(|e| text::line(&e.to_string()))?;
        gathering.read += 1;
        if known.is_some() {
            gathering.kept.known += 1;
            gathering.kept.updated += u32::from(got.is_change());
        }
        if let TextGot::Failed(why) = got {
            gathering.note(why);
        }
        Ok(())
    }
}

/// What is known of a file before it is read.
pub(super) struct FileFacts<'a> {
    pub(super) url: &'a str,
    pub(super) title: String,
    pub(super) mime: &'a str,
    pub(super) bytes: usize,
}

impl FileFacts<'_> {
    /// The file as an item with its type and size.
    pub(super) fn entry(self, publisher: &str) -> Entry {
        let size = match self.bytes {
            bytes if bytes < 10_000 => format!("{bytes} bytes"),
            bytes => format!("{} kB", bytes / 1000),
        };
        let summary = format!("{}, {size}", self.mime);
        Entry {
            title: self.title,
            url: Some(self.url.to_owned()),
            summary: Some(html::escape(&summary).into_owned()),
            enclosures: vec![Enclosure {
                url: self.url.to_owned(),
                mime: Some(self.mime.to_owned()),
                bytes: Some(self.bytes as u64),
                ..Enclosure::default()
            }],
            publisher: Some(publisher.to_owned()).filter(|p| !p.is_empty()),
            ..Entry::default()
        }
    }
}

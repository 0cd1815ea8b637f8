//! Articles as files for reading elsewhere.

use super::announce::runs::source_titles;
use super::context::Context;
use super::fulltext::find_embedded;
use super::handle::Handle;
use super::picture;
use crate::article::{self, Document, LinkKind};
use crate::model::{Item, ItemRow};
use crate::save::{
    Collection, EpubError, FileHeader, PictureFile, SaveFormat, SavedChapter, SavedFile,
};
use crate::store::StoreError;
use crate::util::file_name::titled;
use crate::util::limits::{SAVED_BYTES, SAVED_PICTURES};
use crate::util::text::{counted, line, size};
use futures_util::{StreamExt, stream};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use url::Url;

/// Maximum number of pictures that are fetched at the same time; the gate spaces requests to one host.
const AT_ONCE: usize = 4;
/// Maximum length of a file name in bytes; a number may be appended.
const MAX_NAME: usize = 120;
/// Characters besides letters and digits that a file name may contain.
const ALSO: &str = " ,'()[]&+!@#=";

/// What to save.
#[derive(Debug, Clone)]
pub struct SaveOrder {
    /// Row keys of items, in the order of the file.
    pub items: Vec<i64>,
    pub format: SaveFormat,
    /// The name of the file if it contains several articles.
    pub title: String,
    /// Whether pictures are fetched for the file.
    pub pictures: bool,
}

/// A file with saved articles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub file: SavedFile,
    /// A safe name for the file.
    pub name: String,
    /// Items that were removed before their turn.
    pub gone: usize,
    /// Pictures that could not be fetched or have an unsupported format; the file has links instead.
    pub pictures_failed: usize,
    /// Pictures beyond the limits of number and size; the file has links instead.
    pub pictures_left_out: usize,
    /// Pictures replaced by links because they were not requested, although the format supports pictures.
    pub pictures_as_links: usize,
}

impl Saved {
    /// Describes what is missing from the file.
    pub fn lacks(&self) -> Vec<String> {
        let mut lacks: Vec<String> = self.file.surplus().into_iter().collect();
        if self.pictures_failed > 0 {
            let pictures = counted(self.pictures_failed, "picture");
            lacks.push(format!("{pictures} could not be fetched: left as links"));
        }
        if self.pictures_left_out > 0 {
            let (pictures, most) =
                (counted(self.pictures_left_out, "picture"), size(SAVED_BYTES as u64));
            lacks.push(format!(
                "{pictures} left as links: a file can have at most {SAVED_PICTURES} pictures and {most}"
            ));
        }
        lacks
    }
}

/// The progress of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SaveState {
    /// Articles that are done.
    pub articles: usize,
    /// Pictures that were fetched.
    pub pictures: usize,
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("the items were removed before they could be saved")]
    Gone,
    #[error("the article is too large: a file can be at most {}", size(SAVED_BYTES as u64))]
    TooLarge,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Epub(#[from] EpubError),
    #[error("the articles cannot be converted")]
    Conversion,
}

impl Handle {
    /// Creates a file with articles; stops when the future is dropped.
    ///
    /// # Errors
    /// If there are no articles, or they cannot be read or converted.
    pub async fn save(
        &self,
        order: &SaveOrder,
        mut progress: impl FnMut(SaveState),
    ) -> Result<Saved, SaveError> {
        let context = &self.context;
        let titles = source_titles(context).await?;
        let with_pictures = order.pictures && order.format.has_pictures();
        let (mut all, mut gone, mut first) = (Collection::default(), 0, String::new());
        let (mut state, mut failed, mut surplus) = (SaveState::default(), 0, 0);
        let mut pictures_as_links = 0;
        for &key in &order.items {
            state.articles += 1;
            let read = move |reader: &crate::store::Reader| match reader.row(key)? {
                Some(row) => Ok(reader.item(key)?.map(|item| (row, item))),
                None => Ok(None),
            };
            let Some((row, item)) = context.read(read).await? else {
                gone += 1;
                continue;
            };
            if first.is_empty() {
                first = line(&item.title);
            }
            let source = titles.get(&item.source).cloned().unwrap_or_default();
            let text = item.body().len();
            let mut chapter = chapter(context, &row, item, source).await?;
            if with_pictures && all.free() > text {
                let limits = (SAVED_PICTURES - state.pictures, all.free() - text);
                let fetched = fetch_pictures(context, &row, &chapter, limits, || {
                    state.pictures += 1;
                    progress(SaveState { articles: state.articles - 1, ..state });
                });
                let fetched = fetched.await;
                (failed, surplus) = (failed + fetched.failed, surplus + fetched.left_out);
                chapter.pictures = fetched.pictures;
            }
            if !order.pictures && order.format.has_pictures() {
                pictures_as_links += picture_urls(&chapter.document).len();
            }
            all.add(chapter, text);
            progress(state);
        }
        if all.is_empty() {
            let is_gone = gone == order.items.len();
            return Err(if is_gone { SaveError::Gone } else { SaveError::TooLarge });
        }
        let name = if order.items.len() - gone == 1 { first } else { line(&order.title) };
        let name = titled(&name, &format!(".{}", order.format.extension()), MAX_NAME, ALSO);
        let (format, header) = (order.format, FileHeader { title: line(&order.title) });
        let write = move || all.write(format, &header);
        let file = context.read_document(0, write).await.ok_or(SaveError::Conversion)??;
        Ok(Saved {
            file,
            name,
            gone,
            pictures_failed: failed,
            pictures_left_out: surplus,
            pictures_as_links,
        })
    }

    /// The texts of items as Markdown, for the clipboard.
    ///
    /// # Errors
    /// As for [`Self::save`].
    pub async fn markdown(&self, items: Vec<i64>) -> Result<String, SaveError> {
        let (format, title) = (SaveFormat::Markdown, String::new());
        let order = SaveOrder { items, format, title, pictures: false };
        let saved = self.save(&order, |_| ()).await?;
        String::from_utf8(saved.file.bytes).map_err(|_| SaveError::Conversion)
    }
}

async fn chapter(
    context: &Arc<Context>,
    row: &ItemRow,
    item: Item,
    source: String,
) -> Result<SavedChapter, SaveError> {
    let (bytes, date) = (item.body().len(), row.date);
    let work = move || {
        let base = item.url.as_deref().and_then(|url| Url::parse(url).ok());
        let document = article::below_title(item.body(), &item.title, base.as_ref());
        SavedChapter {
            id: item.id,
            title: item.title,
            source,
            authors: item.authors,
            url: item.url,
            date: item.published.unwrap_or(date),
            language: item.language,
            document,
            pictures: BTreeMap::new(),
        }
    };
    context.read_document(bytes, work).await.ok_or(SaveError::Conversion)
}

/// The result of fetching the pictures of an article.
#[derive(Default)]
struct Fetched {
    pictures: BTreeMap<String, PictureFile>,
    failed: usize,
    left_out: usize,
}

/// Fetches the first pictures of an article, within limits for their number and, in one file, their total
/// bytes. `each` is called for each picture that was fetched.
async fn fetch_pictures(
    context: &Arc<Context>,
    row: &ItemRow,
    chapter: &SavedChapter,
    (most, mut free): (usize, usize),
    mut each: impl FnMut(),
) -> Fetched {
    let urls = picture_urls(&chapter.document);
    let wanted = urls.len();
    let fetch = |url: String| async move {
        match picture::fetch(context, row.source_key, &url).await {
            Ok(response) => Some((url, PictureFile::of(&response.body)?)),
            Err(why) => {
                tracing::debug!("the picture {url} was not saved: {why}");
                None
            }
        }
    };
    let mut arriving = stream::iter(urls.into_iter().take(most)).map(fetch).buffered(AT_ONCE);
    let mut fetched = Fetched::default();
    while let Some(picture) = arriving.next().await {
        let Some((url, picture)) = picture else {
            fetched.failed += 1;
            continue;
        };
        let Some(left) = free.checked_sub(picture.size()) else { break };
        free = left;
        fetched.pictures.insert(url, picture);
        each();
    }
    fetched.left_out = wanted - fetched.pictures.len() - fetched.failed;
    drop(arriving);
    let limits = (most.saturating_sub(wanted), free);
    add_embedded(context, row, &chapter.document.embedded, limits, &mut fetched, each).await;
    fetched
}

/// Adds the pictures that are embedded in the page of an article. Those that the page no longer contains
/// count as failed.
async fn add_embedded(
    context: &Arc<Context>,
    row: &ItemRow,
    markers: &[String],
    (most, mut free): (usize, usize),
    fetched: &mut Fetched,
    mut each: impl FnMut(),
) {
    let wanted = HashSet::from_iter(markers.iter().take(most).cloned());
    fetched.left_out += markers.len() - wanted.len();
    if wanted.is_empty() {
        return;
    }
    let count = wanted.len();
    let found = find_embedded(context, row.key, wanted).await.map(|found| found.pictures);
    let found = found.unwrap_or_else(|why| {
        tracing::debug!("the embedded pictures of an article were not saved: {why}");
        Vec::new()
    });
    let (mut saved, mut left_out) = (0, 0);
    for (marker, bytes) in found {
        let Some(picture) = PictureFile::of(&bytes) else { continue };
        let Some(left) = free.checked_sub(picture.size()) else {
            left_out += 1;
            continue;
        };
        free = left;
        fetched.pictures.insert(marker, picture);
        saved += 1;
        each();
    }
    fetched.left_out += left_out;
    fetched.failed += count - saved - left_out;
}

/// The URLs of the pictures, in the order of the text.
fn picture_urls(document: &Document) -> Vec<String> {
    let images = document.links.iter().filter(|link| link.kind == LinkKind::Image);
    let mut seen = HashSet::new();
    images.filter(|link| seen.insert(&link.url)).map(|link| link.url.clone()).collect()
}

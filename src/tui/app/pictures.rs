//! Pictures of the article in the Reader: which are wanted, fetched and kept.

use super::{App, Focus};
use crate::article::{Block, Document, Inline, LinkKind, Thumbnail};
use crate::config::Depth;
use crate::tui::effect::Effect;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Pictures that are kept, also those that cannot be shown. One takes at most 640 kB.
const MAX_KEPT: usize = 16;
/// Pictures of an article that are fetched.
const MAX_FETCHED: usize = 12;

/// Pictures by URL.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    /// The newest first; `None` for one that cannot be shown.
    kept: VecDeque<(String, Option<Arc<Thumbnail>>)>,
    /// The one that is being fetched.
    loading: Option<String>,
    /// Whether the user wants to see those of an item (row key), whatever the settings say.
    chosen: Option<(i64, bool)>,
}

impl Pictures {
    /// The pictures of a document that are there, by the index of their link.
    pub(super) fn of(&self, document: &Document) -> HashMap<usize, Arc<Thumbnail>> {
        let picture = |url: &str| self.kept.iter().find(|(u, _)| u == url)?.1.clone();
        let links = document.links.iter().enumerate();
        let images = links.filter(|(_, link)| link.kind == LinkKind::Image);
        images.filter_map(|(i, link)| Some((i, picture(&link.url)?))).collect()
    }

    fn keep(&mut self, url: String, picture: Option<Arc<Thumbnail>>) {
        self.kept.retain(|(u, _)| *u != url);
        self.kept.push_front((url, picture));
        self.kept.truncate(MAX_KEPT);
    }

    /// The first picture of a document that is not known yet.
    fn missing(&self, document: &Document) -> Option<String> {
        let mut shown = Vec::new();
        figures(&document.blocks, &mut shown);
        let urls = shown.iter().take(MAX_FETCHED).filter_map(|i| document.links.get(*i));
        let mut unknown = urls.filter(|link| self.kept.iter().all(|(url, _)| *url != link.url));
        unknown.next().map(|link| link.url.clone())
    }
}

/// Collects the images that stand in their own line, as indexes of links.
fn figures(blocks: &[Block], out: &mut Vec<usize>) {
    for block in blocks {
        match block {
            Block::Figure(images, _) => out.extend(images.iter().filter_map(|image| match image {
                Inline::Image(_, to) => Some(*to),
                _ => None,
            })),
            Block::List(_, items) => items.iter().for_each(|item| figures(item, out)),
            Block::Definitions(all) => all.iter().for_each(|d| figures(&d.blocks, out)),
            Block::Quote(inner, _) | Block::Note { blocks: inner, .. } => figures(inner, out),
            _ => {}
        }
    }
}

impl App {
    /// Whether pictures are shown: the terminal needs colours and the character of half a cell.
    pub(in crate::tui) fn shows_pictures(&self) -> bool {
        let can = matches!(self.palette.support().depth, Depth::True | Depth::Indexed);
        can && !self.settings.ui.ascii && self.wants_pictures()
    }

    fn wants_pictures(&self) -> bool {
        let key = self.reader.row().map(|row| row.key);
        match self.reader.pictures.chosen {
            Some((item, wanted)) if Some(item) == key => wanted,
            _ => self.settings.ui.images,
        }
    }

    /// Fetches the next picture of the open article, one at a time. After it is left, none is begun.
    pub(super) fn next_picture(&mut self) -> Vec<Effect> {
        if self.reader.pictures.loading.is_some() {
            return vec![];
        }
        let open = self.focus == Focus::Reader && self.shows_pictures();
        let pictures = &mut self.reader.pictures;
        let Some(article) = self.reader.article.as_ref().filter(|_| open) else { return vec![] };
        let Some(url) = pictures.missing(&article.document) else { return vec![] };
        pictures.loading = Some(url.clone());
        vec![Effect::FetchPicture { source: article.row.source_key, url }]
    }

    pub(super) fn picture_fetched(
        &mut self,
        url: String,
        picture: Option<Arc<Thumbnail>>,
    ) -> Vec<Effect> {
        let document = self.reader.article.as_ref().map(|article| &article.document);
        let shown = document.is_some_and(|d| d.links.iter().any(|link| link.url == url));
        let there = picture.is_some() && shown;
        self.reader.pictures.loading = None;
        self.reader.pictures.keep(url, picture);
        if there {
            self.reader.lay_out_again();
        }
        vec![]
    }

    /// Shows or hides the pictures of this article.
    pub(super) fn toggle_pictures(&mut self) -> Vec<Effect> {
        let Some(key) = self.reader.row().map(|row| row.key) else { return vec![] };
        let wanted = !self.wants_pictures();
        self.reader.pictures.chosen = Some((key, wanted));
        // What failed is tried again.
        self.reader.pictures.kept.retain(|(_, picture)| picture.is_some());
        if wanted && !self.shows_pictures() {
            return self
                .note("Pictures need a terminal with 256 colours, and characters beyond ASCII");
        }
        vec![]
    }
}

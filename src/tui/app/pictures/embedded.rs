//! Pictures that are embedded in the page of the open article: one request for all of them.

use super::{App, Pictures};
use crate::article::Thumbnail;
use crate::tui::effect::{Effect, PictureUse};
use std::sync::Arc;

impl Pictures {
    /// Stops fetching a page for its pictures, unless it is that of the item (row key) that is shown.
    pub(super) fn cancel_embedded(&mut self, shown: Option<i64>) -> Option<Effect> {
        let (_, markers) = self.page.take_if(|(item, _)| Some(*item) != shown)?;
        markers.iter().for_each(|marker| _ = self.fetched.1.remove(marker));
        Some(Effect::CancelPicture { url: markers.into_iter().next()? })
    }
}

impl App {
    /// Fetches the page of the open article if embedded pictures are missing.
    pub(super) fn fetch_embedded(&mut self, detailed: bool) -> Option<Effect> {
        if self.reader.pictures.page.is_some() {
            return None;
        }
        let article = self.reader.article.as_ref()?;
        let missing = self.missing().into_iter();
        let mut markers: Vec<String> =
            missing.filter_map(|at| article.document.marker(at).map(str::to_owned)).collect();
        let item = article.row.key;
        let pictures = &mut self.reader.pictures;
        // A picture may appear several times.
        markers.retain(|marker| pictures.fetched.1.insert(marker.clone()));
        if markers.is_empty() {
            return None;
        }
        pictures.page = Some((item, markers.clone()));
        Some(Effect::FetchEmbedded { item, markers, detailed })
    }

    /// Embedded pictures of an item (row key) arrived. `missing` explains why the page lacks some of them.
    pub(in crate::tui::app) fn embedded_fetched(
        &mut self,
        item: i64,
        found: Vec<(String, Option<Arc<Thumbnail>>)>,
        missing: Option<String>,
    ) -> Vec<Effect> {
        let pictures = &mut self.reader.pictures;
        if pictures.page.take_if(|(of, _)| *of == item).is_none() {
            return vec![];
        }
        let asked = matches!(pictures.chosen, Some((of, true)) if of == item);
        for (marker, picture) in found {
            // A message explains the missing ones.
            pictures.failed += usize::from(picture.is_none() && missing.is_none());
            pictures.keep(PictureUse::Article, marker, picture);
        }
        self.reader.lay_out_again();
        match missing.filter(|_| asked) {
            Some(missing) => self.note(missing),
            None => self.report_pictures(),
        }
    }
}

//! Chooses the text with which an item is shown.

use super::exit::Failure;
use crate::model::{Item, TextFrom};
use crate::store::Reader;

/// A text of an item that a user can request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TextSource {
    /// The feed's own text
    Feed,
    /// The text extracted from the page alone
    Page,
    /// The text extracted with what newsfed has learned about the site's layout
    Site,
}

/// The item whose text is chosen, and properties of its source.
pub(super) struct Chooser<'a> {
    pub(super) reader: &'a Reader,
    pub(super) key: i64,
    /// Whether the source's items are created from pages, and so have no text from a feed.
    pub(super) reads_pages: bool,
    /// Whether pages are fetched only on request.
    pub(super) never: bool,
}

impl Chooser<'_> {
    /// Replaces the item's text with the requested one. By default, this is the text that the Reader shows,
    /// or the feed's text if pages are fetched only on request.
    ///
    /// # Errors If the requested text is not stored. The error lists the stored texts.
    pub(super) fn choose(
        &self,
        item: &mut Item,
        requested: Option<TextSource>,
    ) -> Result<(), Failure> {
        let feed = !self.reads_pages && !item.feed_body().is_empty();
        let requested = match requested {
            Some(requested) => requested,
            None if self.never && feed => TextSource::Feed,
            None => return Ok(()),
        };
        let page = self.page(item)?;
        let site = self.stored()?.filter(|(from, _)| *from == TextFrom::Site);
        let (has_page, has_site) = (page.is_some(), site.is_some());
        let found = match requested {
            TextSource::Feed if feed => {
                (item.article, item.text_from) = (None, TextFrom::Feed);
                return Ok(());
            }
            TextSource::Feed => None,
            TextSource::Page => page,
            TextSource::Site => site,
        };
        match found {
            Some((from, html)) => {
                (item.text_from, item.article) = (from, Some(html));
                Ok(())
            }
            None => Err(self.missing(requested, [feed, has_page, has_site])),
        }
    }

    /// The newest stored text that does not come from the feed.
    fn stored(&self) -> Result<Option<(TextFrom, String)>, Failure> {
        let versions = self.reader.versions(self.key)?;
        let newest = versions.into_iter().next().filter(|version| version.from != TextFrom::Feed);
        Ok(newest.map(|version| (version.from, version.html)))
    }

    /// The text extracted from the page without its site's template.
    fn page(&self, item: &Item) -> Result<Option<(TextFrom, String)>, Failure> {
        if let Some(alone) = self.reader.page_text(self.key)? {
            return Ok(Some((TextFrom::Page, alone)));
        }
        // If extraction with the site's template and extraction from the page alone give the same text, it is
        // stored once.
        let stored = self.stored()?.map(|(from, html)| match from {
            TextFrom::Site => (TextFrom::Page, html),
            from => (from, html),
        });
        let body = item.feed_body();
        let own = (self.reads_pages && !body.is_empty()).then(|| (TextFrom::Page, body.to_owned()));
        Ok(stored.or(own))
    }

    fn missing(&self, requested: TextSource, there: [bool; 3]) -> Failure {
        let key = self.key;
        let why = match requested {
            TextSource::Feed if self.reads_pages => "its source is not a feed".to_owned(),
            TextSource::Feed => "the feed contains none".to_owned(),
            TextSource::Page => {
                format!("its page is not stored; `newsfed prefetch {key}` fetches it")
            }
            TextSource::Site => {
                "newsfed has not learned the layout of its site yet; that takes several pages"
                    .to_owned()
            }
        };
        let names = ["feed", "page", "site"].into_iter().zip(there);
        let names: Vec<&str> = names.filter(|(_, there)| *there).map(|(name, _)| name).collect();
        let rest = match names.as_slice() {
            [] => "it has no text".to_owned(),
            names => format!("it has: {}", names.join(", ")),
        };
        let name = match requested {
            TextSource::Feed => "feed",
            TextSource::Page => "page",
            TextSource::Site => "site",
        };
        Failure::Plain(format!("item {key} has no text from the {name}: {why} ({rest})"))
    }
}

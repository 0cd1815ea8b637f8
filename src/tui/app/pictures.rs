//! Pictures in the open article and in the rows of a list: choosing, fetching, encoding and caching them.

mod embedded;

use super::{App, Focus};
use crate::article::{Block, Document, EMBEDDED, Inline, LinkKind, NOWHERE, Thumbnail};
use crate::config::{Depth, GraphicsMode};
use crate::model::Time;
use crate::tui::effect::{Effect, PictureUse};
use crate::tui::graphics::{Encoded, Graphics, Placed, Placement, Replies};
use crate::tui::reader::Target;
use crate::tui::view;
use crate::util::text::counted;
use chrono::TimeDelta;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use url::Url;

/// Maximum number of pictures of articles that are kept, including those that cannot be shown. A picture
/// takes at most 0.7 MB.
const MAX_KEPT: usize = 12;
/// Maximum number of pictures of lists that are kept. A picture takes at most 64 kB.
const MAX_SMALL: usize = 32;
/// Maximum number of pictures that are fetched for an article.
const MAX_FETCHED: usize = 12;
/// Maximum number of pictures that are fetched at the same time, each from a different host.
const MAX_LOADING: usize = 4;
/// Maximum total size of the encoded pictures that are kept, in bytes. The newest one always stays.
const MAX_ENCODED: usize = 2 << 20;
/// Time without scrolling after which the pictures of a list are fetched.
const REST: TimeDelta = TimeDelta::milliseconds(500);

/// Identifies an encoded picture: its URL, the graphics protocol, and its size in cells.
pub(in crate::tui) type EncodedKey = (String, Graphics, (u16, u16));

/// The message for an article whose pictures are all embedded in its page. Nothing is known about their data,
/// because an earlier version of newsfed stored the text.
const UNKNOWN: &str =
    "These pictures are embedded in the page, and can be shown once the page is fetched again";

/// The cached pictures, and those that are being fetched or drawn.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    /// Pictures of articles, newest first; `None` for a picture that cannot be shown.
    kept: Shelf,
    /// Pictures of lists, newest first; `None` for a picture that cannot be shown.
    small: Shelf,
    /// Pictures that are being fetched, with their hosts.
    loading: Vec<(PictureUse, String, Option<String>)>,
    /// The item (row key) whose page is being fetched for its embedded pictures, and their markers.
    page: Option<(i64, Vec<String>)>,
    /// The open article (row key), and the pictures that were fetched for it. They are not fetched again,
    /// even if they are no longer kept.
    fetched: (Option<i64>, HashSet<String>),
    /// Number of article pictures that could not be shown since the user requested them.
    failed: usize,
    /// Whether the user wants to see the pictures of an item (row key), regardless of the settings.
    chosen: Option<(i64, bool)>,
    /// The pictures that are drawn in the current frame.
    placed: Vec<Placed>,
    /// The pictures that the terminal draws in the current frame.
    placements: Vec<Placement>,
    /// The first picture that the terminal could draw if it were encoded.
    wanted: Option<(EncodedKey, Arc<Thumbnail>)>,
    /// Number and total size in bytes of the encoded pictures in the current frame, and in the previous one.
    shown: (usize, usize),
    shown_before: (usize, usize),
    /// Encoded pictures, newest first; `None` for a picture that cannot be encoded.
    encoded: VecDeque<(EncodedKey, Option<Arc<Encoded>>)>,
    encoding: bool,
    /// The first row of the list (row key), and when its pictures may be fetched.
    rest: Option<(i64, Time)>,
}

/// Pictures with their URLs, newest first.
type Shelf = VecDeque<(String, Option<Arc<Thumbnail>>)>;

/// The graphics capabilities of the terminal.
#[derive(Debug, Default)]
pub(in crate::tui) struct TerminalInfo {
    /// The replies to the queries for graphics, if they were sent.
    pub(in crate::tui) replies: Option<Replies>,
    /// Whether the queries are being sent.
    asked: bool,
    /// The size of a cell in pixels, from the terminal driver.
    pub(in crate::tui) window: Option<(u16, u16)>,
}

impl TerminalInfo {
    pub(in crate::tui) fn new(replies: Option<Replies>, window: Option<(u16, u16)>) -> Self {
        Self { replies, asked: false, window }
    }

    /// Handles a change to the window or its font.
    pub(in crate::tui) fn resized(&mut self, cell: Option<(u16, u16)>) {
        self.window = cell;
        if let Some(replies) = self.replies.as_mut().filter(|_| cell.is_some()) {
            replies.cell = None;
        }
    }
}

impl Pictures {
    /// A picture of an article.
    pub(super) fn kept(&self, url: &str) -> Option<Arc<Thumbnail>> {
        self.kept.iter().find(|(u, _)| u == url)?.1.clone()
    }

    /// The available pictures of a document, by the index of their link.
    pub(super) fn of(&self, document: &Document) -> HashMap<usize, Arc<Thumbnail>> {
        let links = document.links.iter().enumerate();
        let images = links.filter(|(_, link)| link.kind == LinkKind::Image);
        let images = images.map(|(i, link)| (i, &link.url));
        let all = images.chain((EMBEDDED..).zip(&document.embedded));
        all.filter_map(|(i, url)| Some((i, self.kept(url)?))).collect()
    }

    fn keep(&mut self, of: PictureUse, url: String, picture: Option<Arc<Thumbnail>>) {
        let (shelf, most) = match of {
            PictureUse::Article => (&mut self.kept, MAX_KEPT),
            PictureUse::List => (&mut self.small, MAX_SMALL),
        };
        shelf.retain(|(u, _)| *u != url);
        shelf.push_front((url, picture));
        shelf.truncate(most);
    }

    /// Drops all pictures, because a different size is needed.
    fn drop_all(&mut self) {
        self.kept.clear();
        self.small.clear();
        self.encoded.clear();
        self.fetched = (None, HashSet::new());
    }

    /// Starts to fetch pictures, in order.
    fn fetch(&mut self, of: PictureUse, all: Vec<(i64, String)>, detailed: bool) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (source, url) in all {
            let host = Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned));
            let known = self.loading.iter().any(|(_, u, h)| *u == url || *h == host);
            if known || self.loading.len() >= MAX_LOADING {
                continue;
            }
            if of == PictureUse::Article {
                self.fetched.1.insert(url.clone());
            }
            self.loading.push((of, url.clone(), host));
            effects.push(Effect::FetchPicture { source, url, of, detailed });
        }
        effects
    }

    /// Stops fetching pictures that are no longer wanted.
    fn cancel(&mut self, unwanted: impl Fn(PictureUse, &str) -> bool) -> Vec<Effect> {
        let cancelled = self.loading.extract_if(.., |(of, url, _)| unwanted(*of, url));
        let cancelled: Vec<String> = cancelled.map(|(_, url, _)| url).collect();
        cancelled.iter().for_each(|url| _ = self.fetched.1.remove(url));
        cancelled.into_iter().map(|url| Effect::CancelPicture { url }).collect()
    }

    /// A picture in a row of a list; `Some(None)` if it cannot be shown.
    pub(in crate::tui) fn small(&self, url: &str) -> Option<Option<Arc<Thumbnail>>> {
        let shelves = self.small.iter().chain(&self.kept);
        shelves.into_iter().find(|(u, _)| u == url).map(|(_, picture)| picture.clone())
    }

    /// Starts a new frame without pictures.
    pub(in crate::tui) fn begin_frame(&mut self) {
        self.placed.clear();
        self.placements.clear();
        self.wanted = None;
    }

    pub(in crate::tui) fn place(&mut self, placed: Placed) {
        self.placed.push(placed);
    }

    pub(in crate::tui) fn take_placed(&mut self) -> Vec<Placed> {
        std::mem::take(&mut self.placed)
    }

    pub(in crate::tui) fn show(&mut self, placement: Placement) {
        self.placements.push(placement);
    }

    /// An encoded picture for the terminal. A picture that is not encoded yet is encoded after the frame.
    pub(in crate::tui) fn encoded(
        &mut self,
        key: EncodedKey,
        picture: &Arc<Thumbnail>,
    ) -> Option<Arc<Encoded>> {
        if let Some(at) = self.encoded.iter().position(|(known, _)| *known == key) {
            // Moves the picture to the front, so that visible pictures are kept the longest.
            let found = self.encoded.remove(at)?;
            let encoded = found.1.clone();
            self.shown.0 += 1;
            self.shown.1 += encoded.as_ref().map_or(0, |encoded| encoded.bytes());
            self.encoded.push_front(found);
            return encoded;
        }
        // If the visible pictures exceed the limit, the other pictures are drawn as half blocks. If these
        // replaced visible ones, pictures would be encoded again and again.
        if self.shown.1.max(self.shown_before.1) < MAX_ENCODED {
            self.wanted.get_or_insert_with(|| (key, picture.clone()));
        }
        None
    }
}

/// Collects the images on lines of their own, as indexes of links.
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
    /// Whether pictures of the open article are shown.
    pub(in crate::tui) fn shows_pictures(&self) -> bool {
        self.can_show_pictures() && self.wants_pictures()
    }

    /// Whether pictures in list rows are shown.
    pub(in crate::tui) fn lists_pictures(&self) -> bool {
        self.can_show_pictures() && self.settings.ui.images
    }

    /// Whether the terminal supports pictures, which need colours and the half-block character.
    fn can_show_pictures(&self) -> bool {
        let can = matches!(self.palette.support().depth, Depth::True | Depth::Indexed);
        can && !self.settings.ui.ascii
    }

    fn wants_pictures(&self) -> bool {
        let key = self.reader.row().map(|row| row.key);
        match self.reader.pictures.chosen {
            Some((item, wanted)) if Some(item) == key => wanted,
            _ => self.settings.ui.images,
        }
    }

    /// Whether the open article has pictures that could be shown but are hidden.
    pub(super) fn hides_pictures(&self) -> bool {
        let Some(article) = &self.reader.article else { return false };
        let mut all = Vec::new();
        if self.can_show_pictures() && !self.wants_pictures() {
            figures(&article.document.blocks, &mut all);
        }
        !all.is_empty()
    }

    /// The graphics protocol for drawing pictures with pixels, if the terminal supports one.
    pub(in crate::tui) fn graphics(&self) -> Option<Graphics> {
        let replies = self.terminal.replies.as_ref()?;
        Graphics::of(self.settings.ui.graphics, replies, self.terminal.window)
    }

    /// Whether the terminal may draw pictures with pixels in the next frame.
    pub(in crate::tui) fn draws_pixels(&self) -> bool {
        self.graphics().is_some() && (self.shows_pictures() || self.lists_pictures())
    }

    /// The pictures that the terminal draws in the current frame.
    pub(in crate::tui) fn placements(&self) -> &[Placement] {
        &self.reader.pictures.placements
    }

    /// Fetches pictures of the open article, or of the list that is shown. Stops fetching pictures that are
    /// no longer needed.
    pub(super) fn next_pictures(&mut self) -> Vec<Effect> {
        let key = self.reader.row().map(|row| row.key).filter(|_| self.shows_pictures());
        if self.reader.pictures.fetched.0 != key {
            self.reader.pictures.fetched = (key, HashSet::new());
        }
        let open = key.is_some() && self.focus == Focus::Reader;
        let listed = self.listed_pictures();
        let asks =
            self.terminal.replies.is_none() && self.settings.ui.graphics != GraphicsMode::Blocks;
        if asks && self.terminal.asked {
            // Waits for the replies, because the size of the pictures depends on them.
            return vec![];
        }
        if asks && (open || !listed.is_empty()) {
            self.terminal.asked = true;
            return vec![Effect::AskForGraphics];
        }
        let detailed = self.graphics().is_some();
        let on_screen =
            || view::arrangement(self, self.size.0).iter().any(|(pane, _)| *pane == Focus::Reader);
        let article = self.reader.article.as_ref().filter(|_| key.is_some() && on_screen());
        let article_shown = article.is_some();
        let document = article.map(|article| &article.document);
        let linked = |url: &str| document.is_some_and(|d| d.links.iter().any(|l| l.url == url));
        let mut effects = self.reader.pictures.cancel(|of, url| match of {
            PictureUse::Article => !linked(url),
            PictureUse::List => !listed.iter().any(|(_, u, _)| u == url),
        });
        effects.extend(self.reader.pictures.cancel_embedded(key.filter(|_| article_shown)));
        if open {
            effects.extend(self.fetch_embedded(detailed));
        }
        let article = if open { self.missing_pictures() } else { vec![] };
        effects.extend(self.reader.pictures.fetch(PictureUse::Article, article, detailed));
        let list = listed.into_iter().filter(|(.., due)| *due);
        let list = list.map(|(source, url, _)| (source, url)).collect();
        effects.extend(self.reader.pictures.fetch(PictureUse::List, list, false));
        effects
    }

    /// The pictures of the open article that have not been fetched, visible ones first.
    fn missing_pictures(&self) -> Vec<(i64, String)> {
        let Some(article) = &self.reader.article else { return vec![] };
        let missing = self.missing().into_iter().filter_map(|at| article.document.links.get(at));
        missing.map(|link| (article.row.source_key, link.url.clone())).collect()
    }

    /// The indexes of the images that have not been fetched, including embedded ones.
    fn missing(&self) -> Vec<usize> {
        let reader = &self.reader;
        let Some(article) = &reader.article else { return vec![] };
        let mut shown = Vec::new();
        figures(&article.document.blocks, &mut shown);
        shown.truncate(MAX_FETCHED);
        let screen = reader.lines.lines.iter().skip(reader.top).take(reader.height);
        let seen: HashSet<Target> =
            screen.flat_map(|line| line.all().filter_map(|span| span.target)).collect();
        shown.sort_by_key(|link| !seen.contains(&Target::Link(*link)));
        let pictures = &reader.pictures;
        let is_missing = |url: &str| {
            !pictures.fetched.1.contains(url) && pictures.kept.iter().all(|(u, _)| u != url)
        };
        shown.retain(|at| article.document.image(*at).is_some_and(is_missing));
        shown
    }

    /// The missing pictures of rows, with their sources (row keys), and whether enough time has passed
    /// without scrolling to fetch them.
    fn listed_pictures(&mut self) -> Vec<(i64, String, bool)> {
        let first = self.items.rows.get(self.items.scroll).map(|row| row.key);
        let Some(first) = first.filter(|_| self.lists_pictures() && view::shows_thumbnails(self))
        else {
            self.reader.pictures.rest = None;
            return vec![];
        };
        let rest = &mut self.reader.pictures.rest;
        if rest.is_none_or(|(row, _)| row != first) {
            *rest = Some((first, self.now + REST));
        }
        let due = rest.is_some_and(|(_, at)| at <= self.now);
        let rows = self.items.rows.iter().skip(self.items.scroll).take(self.items.height);
        let pictures = rows.filter_map(|row| {
            Some((row.source_key, self.snippets.of(row.key)?.picture.clone()?, due))
        });
        // Pictures beyond this limit would not be kept, and so would be fetched again and again.
        let pictures = pictures.take(MAX_SMALL);
        pictures.filter(|(_, url, _)| self.reader.pictures.small(url).is_none()).collect()
    }

    /// When the pictures of the list may be fetched.
    pub(super) fn pictures_deadline(&self) -> Option<Time> {
        self.reader.pictures.rest.map(|(_, at)| at).filter(|at| *at > self.now)
    }

    pub(super) fn picture_fetched(
        &mut self,
        of: PictureUse,
        url: String,
        picture: Option<Arc<Thumbnail>>,
    ) -> Vec<Effect> {
        let document = self.reader.article.as_ref().map(|article| &article.document);
        let shown = document.is_some_and(|d| d.links.iter().any(|link| link.url == url));
        let there = picture.is_some() && shown && of == PictureUse::Article;
        self.reader.pictures.loading.retain(|(_, u, _)| *u != url);
        self.reader.pictures.failed += usize::from(picture.is_none() && shown);
        self.reader.pictures.keep(of, url, picture);
        if there {
            self.reader.lay_out_again();
        }
        self.report_pictures()
    }

    /// After the last picture, reports the number of requested pictures that could not be shown.
    fn report_pictures(&mut self) -> Vec<Effect> {
        let key = self.reader.row().map(|row| row.key);
        let pictures = &self.reader.pictures;
        let asked =
            matches!((pictures.chosen, key), (Some((item, true)), Some(key)) if item == key);
        let waits = pictures.loading.iter().any(|(of, ..)| *of == PictureUse::Article)
            || pictures.page.is_some()
            || !self.missing().is_empty();
        if !asked || waits {
            return vec![];
        }
        match std::mem::take(&mut self.reader.pictures.failed) {
            0 => vec![],
            failed => self.note(format!("{} could not be loaded", counted(failed, "picture"))),
        }
    }

    pub(super) fn terminal_replied(&mut self, replies: Replies) -> Vec<Effect> {
        self.terminal.replies = Some(replies);
        self.redraw_pictures()
    }

    /// Redraws pictures, because the method of drawing them may have changed.
    pub(in crate::tui) fn redraw_pictures(&mut self) -> Vec<Effect> {
        self.reader.pictures.drop_all();
        self.reader.lay_out_again();
        vec![]
    }

    /// After a frame, encodes the next picture for the terminal.
    pub(in crate::tui) fn frame_drawn(&mut self) -> Vec<Effect> {
        let pictures = &mut self.reader.pictures;
        pictures.shown_before = std::mem::take(&mut pictures.shown);
        if pictures.encoding {
            return vec![];
        }
        let Some((key, picture)) = pictures.wanted.take() else { return vec![] };
        pictures.encoding = true;
        vec![Effect::EncodePicture { key, picture }]
    }

    pub(super) fn picture_encoded(
        &mut self,
        key: EncodedKey,
        encoded: Option<Arc<Encoded>>,
    ) -> Vec<Effect> {
        let pictures = &mut self.reader.pictures;
        pictures.encoding = false;
        pictures.encoded.push_front((key, encoded));
        let mut bytes = 0;
        let mut fits = |(_, encoded): &(EncodedKey, Option<Arc<Encoded>>)| {
            bytes += encoded.as_ref().map_or(0, |e| e.bytes());
            bytes <= MAX_ENCODED
        };
        let count = pictures.encoded.iter().take_while(|e| fits(e)).count();
        // Keeps at least the new picture and those of the last frame, which come first in the queue.
        let least = 1 + pictures.shown_before.0;
        pictures.encoded.truncate(count.clamp(least, least.max(MAX_KEPT + MAX_SMALL)));
        vec![]
    }

    /// Shows or hides the pictures of the open article.
    pub(super) fn toggle_pictures(&mut self) -> Vec<Effect> {
        let Some(key) = self.reader.row().map(|row| row.key) else { return vec![] };
        let wanted = !self.wants_pictures();
        self.reader.pictures.chosen = Some((key, wanted));
        // Pictures that failed are fetched again.
        self.reader.pictures.kept.retain(|(_, picture)| picture.is_some());
        self.reader.pictures.fetched.1.clear();
        self.reader.pictures.failed = 0;
        if wanted && !self.shows_pictures() {
            return self
                .note("Pictures need a terminal with 256 colours, and characters beyond ASCII");
        }
        let mut found = Vec::new();
        let document = self.reader.article.as_ref().map(|article| &article.document);
        document.iter().for_each(|document| figures(&document.blocks, &mut found));
        self.note(match (found.is_empty(), wanted) {
            (true, _) => "This article has no pictures",
            (false, _) if found.iter().all(|to| *to == NOWHERE) => UNKNOWN,
            (false, true) => "Pictures of this article are shown",
            (false, false) => "Pictures of this article are hidden",
        })
    }
}

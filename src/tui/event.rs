//! Events of the interface, named in the past tense. Request ids make it possible to drop stale replies.

use super::app::EncodedKey;
use super::effect::{FileOf, FileUse, MediaFile, PictureUse, Purpose};
use super::graphics::{Encoded, Replies};
use crate::article::{Change, Document, LostLayout, Thumbnail};
use crate::config::{CommandOutput, Completion, FileEdit, Import, Section, Settings, ViewSettings};
use crate::engine::crawl::{CrawlListing, CrawlState};
use crate::engine::{
    CommandRun, Discovery, DownloadEntry, Edited, ListFollowed, NextCheck, PlayerState,
    PrefetchPlan, Report, Rhythm, SaveState, ScheduleReport, Statistics, Status, TextGot, Tried,
    WorkbenchEvent,
};
use crate::model::{
    Enclosure, Item, ItemRow, PollRecord, Queued, Source, SourceFacts, SourceId, SourceKind,
    StoryItem, TextFrom, Time,
};
use crate::store::{Count, ItemValues, Mark, RuleMarks, RuleRecord, Snippet, Window, WouldChange};
use crate::util::browser::Launch;
use crossterm::event::{KeyEvent, MouseEvent};
use std::sync::Arc;

pub(super) type RequestId = u64;

/// An error message for the user.
pub(super) type Failure = String;

/// The stored items that a query matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Matches {
    pub(super) count: Count,
    /// The changes that would be made; `None` if they are not known, or if no effect applies to stored items.
    pub(super) would_change: Option<WouldChange>,
    /// The newest items: their titles, and their sources (row keys).
    pub(super) newest: Vec<(String, i64)>,
}

#[derive(Debug)]
pub(super) enum Event {
    KeyPressed(KeyEvent),
    MouseUsed(MouseEvent),
    Pasted(String),
    Resized(u16, u16),
    /// A deadline of the app has passed.
    TimePassed,
    /// This process or another one has committed to the database.
    StoreChanged,
    StatusChanged(Status),
    SourcesLoaded(Result<SourceList, Failure>),
    WindowLoaded(RequestId, Result<Window, Failure>),
    ArticleLoaded(RequestId, Result<Option<Arc<Article>>, Failure>),
    /// The current state of the item in the Reader; `None` if it is no longer stored.
    RowLoaded(Result<Option<ItemRow>, Failure>),
    /// The result of fetching the full text of an item (row key), and whether the user requested it.
    TextGot(i64, bool, Result<TextGot, Failure>),
    /// A picture by its URL; `None` if it cannot be shown.
    PictureFetched(PictureUse, String, Option<Arc<Thumbnail>>),
    /// The page of an item (row key) was searched for embedded pictures: their markers, the pictures that can
    /// be shown, and why others were not found.
    EmbeddedFetched(i64, Vec<(String, Option<Arc<Thumbnail>>)>, Option<String>),
    /// An encoded picture for the terminal; `None` if it cannot be encoded.
    PictureEncoded(EncodedKey, Option<Arc<Encoded>>),
    /// The replies of the terminal about its graphics support.
    TerminalReplied(Replies),
    PrefetchPlanned(Result<PrefetchPlan, Failure>),
    /// One page of a prefetch was fetched; whether it contained a text.
    Prefetched(bool),
    PrefetchEnded,
    LogLoaded(Result<Vec<(SourceId, PollRecord)>, Failure>),
    /// The last failed polls of a source (row key).
    FailuresLoaded(i64, Result<Vec<(SourceId, PollRecord)>, Failure>),
    RhythmsLoaded(Result<Vec<(i64, Rhythm)>, Failure>),
    /// Snippets for a full-text expression, with the row keys of their items.
    SnippetsLoaded(Option<String>, Result<Vec<(i64, Snippet)>, Failure>),
    StatisticsLoaded(Result<Box<Statistics>, Failure>),
    /// The schedule of a source (row key).
    WhyLoaded(i64, Result<Box<ScheduleReport>, Failure>),
    /// When a source (row key) would be checked next with the values of its form.
    NextCheckLoaded(i64, Option<NextCheck>),
    Marked(Result<MarksSet, Failure>),
    RulesLoaded(Result<Vec<RuleRecord>, Failure>),
    ValuesLoaded(Result<ItemValues, Failure>),
    MatchesFound(RequestId, Result<Matches, Failure>),
    /// The number of items that an action would mark read.
    UnreadCounted(RequestId, Result<usize, Failure>),
    /// The number of items in the list on the screen.
    TotalCounted(RequestId, Result<Count, Failure>),
    /// The best unread items (row keys) for a reading time in minutes.
    FittingFound(RequestId, u32, Result<Vec<i64>, Failure>),
    /// A rule (by name) has changed stored items, or its changes were undone.
    RuleApplied {
        name: String,
        cause: Cause,
        undone: bool,
        /// The number of changed items, and their marks.
        result: Result<(usize, Arc<RuleMarks>), Failure>,
    },
    /// Marks of a rule were removed or set again.
    MarkedByRule(Result<(), Failure>),
    /// An attempt of a discovery.
    Tried(RequestId, Tried),
    Discovered(RequestId, Result<Discovery, Failure>),
    Followed(RequestId, Result<(Vec<Followed>, FileEdit), Failure>),
    /// The URL to add is already followed as a source.
    AlreadyFollowed(RequestId, SourceId),
    /// Result of a file change.
    Edited(Purpose, Result<Edited, NotSaved>),
    /// `config.toml` was changed by another program, and has been reloaded.
    SettingsReloaded(Box<Settings>),
    /// The entry of a source (row key) to edit in the form.
    EntryLoaded(i64, Result<Section, Failure>),
    /// A reply of the workbench with an id.
    BenchReplied(RequestId, WorkbenchEvent),
    /// Numbers of items in views, by view name.
    ViewsCounted(Result<Vec<(String, Count)>, Failure>),
    ImportRead(RequestId, Result<Box<ImportRead>, Failure>),
    /// A list (its path or URL as typed) was followed.
    ListFollowed(RequestId, String, Result<Box<ListFollowed>, Failure>),
    /// Whether a list (row key) had removals to confirm.
    ListAccepted(i64, Result<bool, Failure>),
    /// Files whose paths begin with a typed text.
    PathsListed(String, Vec<String>),
    /// The stored item (row key) to which a link in another item leads, if any.
    LinkFollowed {
        from: i64,
        url: String,
        item: Result<Option<i64>, Failure>,
    },
    /// The URL of the comments on an item, if it has one.
    CommentsFound(Result<Option<String>, Failure>),
    /// The enclosures of each item.
    EnclosuresFound(FileUse, Result<Vec<(FileOf, Vec<Enclosure>)>, Failure>),
    /// The file at a URL is being downloaded, or waits for other downloads.
    DownloadBegun(String),
    /// The download of the file at a URL has ended, successfully or not.
    DownloadEnded(String),
    /// A download failed, with the reason.
    DownloadFailed(MediaFile, Failure),
    DownloadsListed(Result<Vec<DownloadEntry>, Failure>),
    /// The name of the file.
    DownloadRemoved(Result<String, Failure>),
    /// Received bytes of the file at a URL, and its size.
    DownloadAdvanced(String, u64, Option<u64>),
    /// The progress of saving a file, and its total number of articles.
    SaveAdvanced(SaveState, usize),
    /// Articles rendered as Markdown, and their number.
    MarkdownMade(Result<(String, usize), Failure>),
    /// The episodes in the queue.
    QueueLoaded(Result<Vec<Queued>, Failure>),
    PlayerChanged(Box<PlayerState>),
    CrawlChanged(Box<CrawlState>),
    CrawlsListed(Result<CrawlListing, Failure>),
    /// The crawl in a folder is no longer listed.
    CrawlUnlisted(std::path::PathBuf),
    /// Sources (row keys) that are exploring their sites, with lines about their progress.
    ExplorationsListed(Result<Vec<(i64, Vec<String>)>, Failure>),
    /// Whether the background of the terminal is light, from a late reply.
    BackgroundFound(bool),
    /// The path of a downloaded file.
    Downloaded(Result<String, Failure>),
    /// The settings file, to edit in the form.
    SettingsLoaded(Result<Section, Failure>),
    /// One source of a manual refresh is finished.
    Refreshed(RequestId, Report),
    /// A manual refresh has ended.
    RefreshEnded(RequestId),
    /// The browser is ready to be started in the terminal.
    BrowserPlanned(Launch),
    /// The browser was started, or failed with an error for a URL.
    BrowserOpened(Result<(), (String, Failure)>),
    Message(Result<String, Failure>),
    /// A change that was not made by the user: a message, the label for the history, and the edit that undoes
    /// it.
    ChangedByItself(String, Option<Box<(String, FileEdit)>>),
    /// One of the user's programs (by name) has ended.
    CommandEnded(String, CommandOutput, Result<Option<CommandRun>, Failure>),
}

/// A source that was added.
#[derive(Debug, Clone)]
pub(super) struct Followed {
    pub(super) id: SourceId,
    pub(super) title: String,
    /// Why the source has no items, if it has none.
    pub(super) no_items: Option<String>,
    pub(super) kind: SourceKind,
}

impl From<Source> for Followed {
    fn from(source: Source) -> Self {
        let kind = source.kind();
        let title = source.title.clone().unwrap_or_else(|| source.place_name().to_owned());
        Self { id: source.id, title, no_items: None, kind }
    }
}

/// Why a file could not be changed.
#[derive(Debug)]
pub(super) enum NotSaved {
    /// The keys that were changed in the file after the form was opened, and the current section.
    Conflict(Vec<String>, Box<Section>),
    Failed(Failure),
}

impl NotSaved {
    pub(super) fn message(self) -> Failure {
        match self {
            Self::Conflict(keys, _) => {
                format!("Not saved: {} changed in the file", keys.join(", "))
            }
            Self::Failed(why) => why,
        }
    }
}

/// Contents of the Sources pane.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceList {
    pub(super) sources: Vec<SourceEntry>,
    /// Number of unread items dated today.
    pub(super) today: u32,
    /// Number of items whose articles changed since they were last opened.
    pub(super) changed: u32,
    /// The largest row key at the time of reading.
    pub(super) last_key: i64,
    /// Number of hidden items.
    pub(super) hidden: u32,
    /// Number of unread items that arrived since the last visit.
    pub(super) new: u32,
    /// Whether there was no earlier visit.
    pub(super) is_first_visit: bool,
    /// Number of items kept for later.
    pub(super) later: u32,
    /// Tags of the items, without the tags of their sources.
    pub(super) item_tags: Vec<String>,
}

/// A declared source with its facts from the database.
#[derive(Debug, Clone)]
pub(super) struct SourceEntry {
    pub(super) source: Arc<Source>,
    pub(super) facts: SourceFacts,
}

impl SourceEntry {
    pub(super) fn title(&self) -> &str {
        self.facts.title(&self.source)
    }
}

/// An item, ready for layout.
#[derive(Debug, Clone)]
pub(super) struct Article {
    pub(super) row: ItemRow,
    pub(super) item: Arc<Item>,
    pub(super) document: Arc<Document>,
    /// Where the user stopped reading, in characters without whitespace.
    pub(super) position: usize,
    /// The changes in each stored version, newest first; empty if there is no earlier version.
    pub(super) differences: Arc<Vec<Difference>>,
    /// Number of comments that were added since the user last read the item.
    pub(super) new_comments: u32,
    /// The items of other sources in the same story.
    pub(super) also_in: Vec<StoryItem>,
    /// Descriptions of the item's own tags, and of the effects that rules had on it.
    pub(super) notes: Vec<String>,
    /// Whether the feed's text is cut off.
    pub(super) is_cut: bool,
    /// What part of its layout some code in the feed's text has lost.
    pub(super) lost: Option<LostLayout>,
}

impl Article {
    /// Whether the text is only the beginning of the full text.
    pub(super) fn is_teaser(&self) -> bool {
        let item = &self.item;
        let is_start = self.is_cut || item.feed_has_full_text == Some(false);
        let is_all = item.page_text || item.url.is_none() || item.feed_body().is_empty();
        item.text_from == TextFrom::Feed && is_start && !is_all
    }
}

/// The difference between a version and the previous one.
#[derive(Debug, Clone)]
pub(super) struct Difference {
    /// When the newer version was first seen.
    pub(super) at: Time,
    pub(super) changes: Vec<Change>,
    /// Whether only the title of the earlier version is stored.
    pub(super) of_title: bool,
    /// Describes the changes; empty if they were not examined.
    pub(super) summary: String,
}

/// The reason why marks were set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Opening an item marked it read; no message is shown.
    Reading,
    /// The user has pressed a key.
    User,
    Undo,
    Redo,
}

#[derive(Debug)]
pub(super) struct MarksSet {
    pub(super) mark: Mark,
    pub(super) keys: Vec<i64>,
    pub(super) to: bool,
    pub(super) cause: Cause,
}

/// A list of sources that can be imported.
#[derive(Debug)]
pub(super) struct ImportRead {
    pub(super) import: Import,
    /// Number of listed sources at private addresses, whether imported or skipped.
    pub(super) private_sources: usize,
    /// Sources that would be added.
    pub(super) sources: Vec<Source>,
    /// Sources that are already followed: id and URL.
    pub(super) already: Vec<(SourceId, url::Url)>,
    /// What the list would add to these sources.
    pub(super) completions: Vec<Completion>,
    /// Views that would be added.
    pub(super) views: Vec<ViewSettings>,
    /// Views whose names are taken.
    pub(super) known_views: Vec<ViewSettings>,
}

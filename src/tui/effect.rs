//! Effects: requests of the interface as data, performed by `driver.rs`.

use super::app::EncodedKey;
use super::crawls::CrawlCommand;
use super::event::{Cause, RequestId};
use super::read::Read;
use crate::article::Thumbnail;
use crate::config::{CommandSettings, FileChange, KeyChange, Section, ViewSettings};
use crate::engine::{
    Discovery, DownloadEntry, Pace, PlayerCommand, PrefetchPlan, SaveOrder, SelectorField, Subject,
    TypedOrigin, WorkbenchPage,
};
use crate::model::{EpisodeKey, Source, SourceId, SourceRules};
use crate::store::{Mark, Part, Rule, RuleMarks, View};
use crate::util::browser::Launch;
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// The place where a picture is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PictureUse {
    Article,
    /// In the rows of a list, where it is small.
    List,
}

/// A request that is performed outside the interface's state.
#[derive(Debug)]
pub(super) enum Effect {
    /// Reads the database. The result is sent as an event.
    Read(Read),
    /// Fetches the full text of an item (row key) on request; when repeated, uses the next extraction method.
    FetchText {
        key: i64,
    },
    /// Fetches a picture in an article from a source (row key).
    FetchPicture {
        source: i64,
        url: String,
        of: PictureUse,
        /// Whether the terminal draws the picture with pixels.
        detailed: bool,
    },
    /// Finds embedded pictures by their markers in the page of an item (row key).
    FetchEmbedded {
        item: i64,
        markers: Vec<String>,
        /// As in [`Effect::FetchPicture`].
        detailed: bool,
    },
    /// Stops fetching a picture. For embedded pictures, `url` is the first of the markers.
    CancelPicture {
        url: String,
    },
    /// Encodes a picture for the terminal.
    EncodePicture {
        key: EncodedKey,
        picture: Arc<Thumbnail>,
    },
    /// Queries the terminal's graphics support.
    AskForGraphics,
    /// Reports that an item was opened, so that its full text can be fetched.
    ItemOpened {
        key: i64,
    },
    /// Finds the pages that a prefetch would fetch.
    PlanPrefetch,
    Prefetch {
        plan: PrefetchPlan,
    },
    StopPrefetch,
    Mark {
        mark: Mark,
        keys: Vec<i64>,
        to: bool,
        cause: Cause,
    },
    MarkViewRead {
        view: View,
        part: Part,
    },
    /// Applies a rule to the items of a view.
    ApplyRule {
        rule: Box<Rule>,
        view: Box<View>,
        cause: Cause,
    },
    /// Undoes the effects of a rule.
    UndoRule {
        name: String,
        cause: Cause,
    },
    /// Removes the marks that a rule has set, or sets them again, for undo and redo.
    MarkByRule {
        name: String,
        marks: Arc<RuleMarks>,
        on: bool,
    },
    Refresh {
        keys: Option<Vec<i64>>,
        pace: Pace,
        request: RequestId,
    },
    /// Stops sending requests for refreshes that the user started.
    CancelRefresh,
    Discover {
        request: RequestId,
        address: String,
    },
    /// Runs a program or reads a file that the user has typed and confirmed.
    DiscoverOrigin {
        request: RequestId,
        typed: TypedOrigin,
    },
    CancelDiscovery,
    /// Follows a way. The replies to this effect and to the following ones have the id of the request.
    Follow {
        request: RequestId,
        discovery: Discovery,
        way: usize,
        folder: Option<String>,
    },
    /// Follows a way with an edited entry.
    FollowEdited {
        request: RequestId,
        discovery: Discovery,
        way: Option<usize>,
        base: Section,
        changes: Vec<KeyChange>,
    },
    /// Follows the comments on an item (row key).
    FollowComments {
        request: RequestId,
        item: i64,
    },
    FollowStarters {
        request: RequestId,
        indexes: Vec<usize>,
    },
    /// Stops the crawl of a source (row key) and keeps the pages found so far.
    StopCrawl {
        source: i64,
    },
    /// Follows a list at a URL or in a file.
    FollowList {
        request: RequestId,
        typed: String,
    },
    /// Confirms the removal of sources that a list (row key) no longer contains.
    AcceptList {
        source: i64,
    },
    /// Reads a list of sources for a preview.
    ReadImport {
        request: RequestId,
        list: ImportList,
        /// Whether sources at private addresses are imported too.
        private: bool,
    },
    /// Lists the files whose paths begin with the typed text.
    ListPaths {
        typed: String,
    },
    /// Changes `sources.toml` or `config.toml`.
    Edit {
        purpose: Purpose,
        change: FileChange,
    },
    /// Reads the entry of a source (row key) for the form.
    LoadEntry {
        source: i64,
        id: SourceId,
    },
    /// Opens a workbench with an id, which closes the previous one.
    OpenBench {
        bench: RequestId,
        subject: Subject,
    },
    /// Sends a request to the workbench with an id.
    Bench {
        bench: RequestId,
        ask: BenchRequest,
    },
    CloseBench,
    /// Opens the page with the comments on an item (row key).
    BrowseComments {
        item: i64,
    },
    /// Reads the enclosures of items, so that they can be opened or downloaded.
    FindEnclosures {
        of: Vec<FileOf>,
        file_use: FileUse,
    },
    /// Stops the running downloads and programs, or the download of one URL. Received data is kept for the
    /// next attempt.
    StopRunning {
        url: Option<String>,
    },
    /// Opens a file on this computer, or a folder, with the program for its media type.
    OpenDownload {
        path: String,
        media_type: String,
    },
    RemoveDownload {
        entry: Box<DownloadEntry>,
    },
    UseFile {
        file: MediaFile,
        file_use: FileUse,
    },
    /// Renders items (row keys) as Markdown for the clipboard.
    MakeMarkdown {
        items: Vec<i64>,
    },
    /// Saves articles into a folder, under a name that is not taken.
    Save {
        order: Box<SaveOrder>,
        folder: PathBuf,
        name: String,
    },
    /// Writes sources with their titles, and views, to a new OPML file in a folder.
    Export {
        sources: Vec<(Arc<Source>, String)>,
        views: Vec<ViewSettings>,
        folder: PathBuf,
    },
    Player(PlayerCommand),
    Crawl(CrawlCommand),
    /// Moves an episode in the queue by a number of positions.
    MoveInQueue {
        key: EpisodeKey,
        by: i64,
    },
    /// Opens URLs in the browser, in the background.
    Browse {
        urls: Vec<String>,
    },
    Copy {
        text: String,
    },
    /// Runs one of the user's programs for items (row keys).
    RunCommand {
        command: Box<CommandSettings>,
        items: Vec<i64>,
    },
    Pipe {
        command: String,
        text: String,
    },
    /// Reads `config.toml` for the form.
    LoadSettings,
    /// Stores the reading position of an item (row key), in characters.
    StorePosition {
        item: i64,
        place: usize,
    },
    /// The effects from here on need the terminal, and are performed by the run loop.
    BrowseHere(Launch),
    EditSource {
        id: SourceId,
    },
    Redraw,
    Suspend,
    Quit(ExitReason),
}

/// A list of sources to import.
#[derive(Debug, Clone)]
pub(super) enum ImportList {
    File(PathBuf),
    /// URLs, one per line.
    Urls(String),
}

/// The origin of a file change, returned with the result.
#[derive(Debug, Clone)]
pub(super) enum Purpose {
    /// A command, with a description if the default one does not fit.
    Command(Option<String>),
    /// A change that the user made in a text editor. No [`Effect`] has requested it.
    ByHand,
    /// Saving a form; the id is that of the request.
    Form(RequestId),
    /// An import, with the numbers of listed sources and skipped entries.
    Import { request: RequestId, listed: usize, skipped: usize },
    /// An undo or redo of a file change.
    History,
    /// A new rule, with a description. The rule is applied to stored items once it is saved.
    Rule(String),
}

impl Effect {
    /// A file change that a command makes.
    pub(super) fn edit(change: FileChange) -> Self {
        Self::Edit { purpose: Purpose::Command(None), change }
    }

    /// The request id of an effect that adds sources.
    pub(super) fn adds_source(&self) -> Option<RequestId> {
        match self {
            Self::Follow { request, .. }
            | Self::FollowEdited { request, .. }
            | Self::FollowComments { request, .. }
            | Self::FollowStarters { request, .. }
            | Self::FollowList { request, .. } => Some(*request),
            _ => None,
        }
    }
}

/// A request to the workbench.
#[derive(Debug)]
pub(super) enum BenchRequest {
    /// Evaluates rules; `list` is the page with the list.
    Preview { request: RequestId, rules: Box<SourceRules>, list: WorkbenchPage },
    /// Finds a selector for an element of a page.
    Pick { place: WorkbenchPage, element: u32, part: SelectorField },
    /// Fetches a page that the list links to; `title` is its title in the list.
    Fetch { url: Url, place: WorkbenchPage, title: String },
    /// Loads an older copy of the list.
    Copy(usize),
}

/// Why the interface was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    Quit,
    /// The user wants to try the demo.
    Demo,
}

/// The state in which the interface was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    pub reason: ExitReason,
    /// Downloads that were still in progress.
    pub downloads: usize,
}

/// The item to which a file belongs, and its source (row keys).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FileOf {
    pub(super) item: i64,
    pub(super) source: i64,
}

/// A file that is attached to an item or shown in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MediaFile {
    pub(super) of: FileOf,
    pub(super) url: String,
    /// The media type; empty if it is unknown.
    pub(super) media_type: String,
}

/// The action to perform with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileUse {
    /// Opens the file with the program for its media type.
    Open,
    Download,
}

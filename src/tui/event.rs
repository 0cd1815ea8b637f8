//! What happens to the interface. Events are named in the past tense; a late answer to a question that
//! has been asked again is dropped by its number.

use crate::article::{Change, Document};
use crate::config::{
    Edited, Entry, HandEdited, Import, Settings, SettingsEdited, SettingsText, ViewSettings,
    ViewsEdited,
};
use crate::engine::{
    Discovery, PrefetchPlan, Removed, Report, Rhythm, Said, ScheduleSummary, Status, TextGot,
};
use crate::model::{Item, ItemRow, PollRecord, Source, SourceFacts, SourceId, SourceKind};
use crate::store::{Count, Mark, Window};
use crate::util::browser::Launch;
use crossterm::event::{KeyEvent, MouseEvent};
use std::sync::Arc;

/// Number of a question.
pub(super) type RequestId = u64;

/// Words for the user about something that failed.
pub(super) type Failure = String;

/// Something that happened.
#[derive(Debug)]
pub(super) enum Event {
    KeyPressed(KeyEvent),
    MouseUsed(MouseEvent),
    Pasted(String),
    Resized(u16, u16),
    /// A deadline of the app has passed.
    TimePassed,
    /// Somebody committed something.
    StoreChanged,
    StatusChanged(Status),
    SourcesLoaded(Result<SourceList, Failure>),
    WindowLoaded(RequestId, Result<Window, Failure>),
    ArticleLoaded(RequestId, Result<Option<Arc<Article>>, Failure>),
    /// What came of asking for the text of an item (row key), and whether the user asked for it.
    TextGot(i64, bool, Result<TextGot, Failure>),
    PrefetchPlanned(Result<PrefetchPlan, Failure>),
    /// One page of a prefetch is done: whether there is a text.
    Prefetched(bool),
    PrefetchEnded,
    LogLoaded(Result<Vec<(SourceId, PollRecord)>, Failure>),
    RhythmsLoaded(Result<Vec<(i64, Rhythm)>, Failure>),
    /// About the source with that row key.
    WhyLoaded(i64, Result<ScheduleSummary, Failure>),
    /// Marks were set: which, on what, to what, and for what reason.
    Marked(Result<MarksSet, Failure>),
    /// What an exploration has tried.
    Tried(RequestId, String),
    Discovered(RequestId, Result<Discovery, Failure>),
    Followed(Result<Vec<Followed>, Failure>),
    Removed(Result<Removed, Failure>),
    Restored(Result<Removed, Failure>),
    /// The entry of the source with that row key, for its form.
    EntryLoaded(i64, Result<Entry, Failure>),
    EntrySaved(RequestId, Result<Edited, NotSaved>),
    /// An answer of the workbench of that number.
    BenchSaid(RequestId, Said),
    /// An edit was taken back, for an undo or a redo; what takes this back.
    Reverted(Result<Edited, Failure>),
    /// Entries of `sources.toml` were changed.
    SourcesChanged(Result<Edited, Failure>),
    ViewsEdited(Result<ViewsEdited, Failure>),
    /// A change of saved queries was taken back, for an undo or a redo.
    ViewsReverted(Result<ViewsEdited, Failure>),
    /// What saved queries find, by name.
    ViewsCounted(Result<Vec<(String, Count)>, Failure>),
    ImportRead(RequestId, Result<Box<ImportRead>, Failure>),
    /// The user has changed `sources.toml` in an editor.
    HandEdited(HandEdited),
    Exchanged(Result<HandEdited, Failure>),
    /// The settings as they are in the file, for their form.
    SettingsLoaded(Result<SettingsText, Failure>),
    /// The settings were changed; the whole of them as they hold now.
    SettingsSaved(Result<(SettingsEdited, Box<Settings>), NotSaved>),
    SettingsReverted(Result<(SettingsEdited, Box<Settings>), Failure>),
    Imported(RequestId, Result<Imported, Failure>),
    /// An import was taken back, for an undo or a redo; what takes this back.
    ImportReverted(Result<(Edited, Option<ViewsEdited>), Failure>),
    /// One source of a refresh that the user asked for is done.
    Refreshed(Report),
    /// A refresh that the user asked for is over.
    RefreshEnded,
    /// The browser draws in the terminal, which has to be given to it.
    BrowserPlanned(Launch),
    /// The browser was started, or why not; the address to show then.
    BrowserOpened(Result<(), (String, Failure)>),
    Said(Result<String, Failure>),
}

/// A source that is followed now.
#[derive(Debug, Clone)]
pub(super) struct Followed {
    pub(super) id: SourceId,
    pub(super) title: String,
    /// Why it has no items, where it has none.
    pub(super) no_items: Option<String>,
    pub(super) kind: SourceKind,
}

impl From<Source> for Followed {
    fn from(source: Source) -> Self {
        let title = source.title.unwrap_or_else(|| source.id.to_string());
        Self { id: source.id, title, no_items: None, kind: source.kind }
    }
}

/// Why an entry was not saved.
#[derive(Debug)]
pub(super) enum NotSaved {
    /// These keys have been changed elsewhere since the form was opened; the entry as it is now.
    Elsewhere(Vec<String>, Box<Entry>),
    /// The same for settings.
    SettingsElsewhere(Vec<String>, Box<SettingsText>),
    Failed(Failure),
}

/// What the sources pane shows.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceList {
    pub(super) sources: Vec<SourceEntry>,
    /// Unread items dated today.
    pub(super) today: u32,
    /// Items whose articles changed since they were last opened.
    pub(super) changed: u32,
    /// The largest row key when the list was read.
    pub(super) last_key: i64,
}

/// A declared source and what is known of it.
#[derive(Debug, Clone)]
pub(super) struct SourceEntry {
    pub(super) source: Arc<Source>,
    pub(super) facts: SourceFacts,
}

impl SourceEntry {
    /// What to call it.
    pub(super) fn title(&self) -> &str {
        self.facts.title(&self.source)
    }
}

/// One item, ready to be laid out.
#[derive(Debug, Clone)]
pub(super) struct Article {
    pub(super) row: ItemRow,
    pub(super) item: Arc<Item>,
    pub(super) document: Arc<Document>,
    /// Where it was left, in characters that are no white space.
    pub(super) position: usize,
    /// What changed since the version that the user has read; `None` when there is no such one.
    pub(super) difference: Option<Arc<Vec<Change>>>,
}

/// Why marks were set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Opening an item marks it read, which needs no words.
    Reading,
    /// A key of the user.
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

/// A list of sources that could be imported.
#[derive(Debug)]
pub(super) struct ImportRead {
    pub(super) import: Import,
    /// Those that would be added.
    pub(super) sources: Vec<Source>,
    /// Those that are followed already: as what, and the address.
    pub(super) already: Vec<(SourceId, url::Url)>,
    /// The queries that would be saved.
    pub(super) views: Vec<ViewSettings>,
    /// Those whose names are taken.
    pub(super) known_views: Vec<ViewSettings>,
}

/// How many sources of a list were added, known and left out.
#[derive(Debug)]
pub(super) struct Imported {
    pub(super) added: usize,
    pub(super) known: usize,
    pub(super) skipped: usize,
    pub(super) edited: Edited,
    pub(super) views: Option<ViewsEdited>,
    /// Why the saved queries were not saved, though the sources are followed.
    pub(super) not_saved: Option<Failure>,
}

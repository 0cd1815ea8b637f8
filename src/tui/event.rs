//! What happens to the interface. Events are named in the past tense; a late answer to a question that
//! has been asked again is dropped by its number.

use super::effect::Purpose;
use crate::article::{Change, Document};
use crate::config::{FileEdit, Import, Section, ViewSettings};
use crate::engine::{
    Discovery, Edited, PrefetchPlan, Report, Rhythm, Said, ScheduleSummary, Status, TextGot,
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
    /// Sources were added.
    Followed(Result<(Vec<Followed>, FileEdit), Failure>),
    /// The files were changed, or could not be.
    Edited(Purpose, Result<Edited, NotSaved>),
    /// The entry of the source with that row key, for its form.
    EntryLoaded(i64, Result<Section, Failure>),
    /// An answer of the workbench of that number.
    BenchSaid(RequestId, Said),
    /// What saved queries find, by name.
    ViewsCounted(Result<Vec<(String, Count)>, Failure>),
    ImportRead(RequestId, Result<Box<ImportRead>, Failure>),
    /// The settings as they are in the file, for their form.
    SettingsLoaded(Result<Section, Failure>),
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

/// Why a file was not changed.
#[derive(Debug)]
pub(super) enum NotSaved {
    /// These keys have been changed elsewhere since the form was opened; the section as it is now.
    Conflict(Vec<String>, Box<Section>),
    Failed(Failure),
}

impl NotSaved {
    pub(super) fn message(self) -> Failure {
        match self {
            Self::Conflict(keys, _) => {
                format!("not saved: {} changed in the file", keys.join(", "))
            }
            Self::Failed(why) => why,
        }
    }
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

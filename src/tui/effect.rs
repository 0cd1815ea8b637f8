//! What the interface want done. Effects are data; `driver.rs` performs them.

use super::event::{Cause, RequestId};
use crate::config::{FileChange, KeyChange, Section};
use crate::engine::{Discovery, Pace, Part, Place, PrefetchPlan, Subject};
use crate::model::{SourceId, WebsiteRules};
use crate::store::{Anchor, Mark, View};
use crate::util::browser::Launch;
use std::path::PathBuf;
use url::Url;

/// Something to be done outside of the state.
#[derive(Debug)]
pub(super) enum Effect {
    LoadSources,
    LoadWindow {
        request: RequestId,
        view: View,
        anchor: Anchor,
        size: usize,
    },
    LoadArticle {
        request: RequestId,
        key: i64,
    },
    /// The full text of an item (row key): one more way to it, on a wish.
    FetchText {
        key: i64,
    },
    /// An item was opened, whose full text the settings may want.
    ItemOpened {
        key: i64,
    },
    /// Which pages could be fetched ahead.
    PlanPrefetch,
    Prefetch {
        plan: PrefetchPlan,
    },
    StopPrefetch,
    LoadLog,
    /// How these sources (row keys) publish.
    LoadRhythms {
        sources: Vec<i64>,
    },
    /// Why a source (row key) is polled when it is.
    LoadWhy {
        source: i64,
    },
    Mark {
        mark: Mark,
        keys: Vec<i64>,
        to: bool,
        cause: Cause,
    },
    MarkViewRead {
        view: View,
        up_to: i64,
    },
    Refresh {
        keys: Option<Vec<i64>>,
        pace: Pace,
    },
    Discover {
        request: RequestId,
        address: String,
    },
    /// Gives up what is being explored.
    CancelDiscovery,
    Follow {
        discovery: Discovery,
        way: usize,
    },
    /// Follows a way as its draft was changed.
    FollowEdited {
        discovery: Discovery,
        way: Option<usize>,
        base: Section,
        changes: Vec<KeyChange>,
    },
    FollowStarters {
        addresses: Vec<usize>,
    },
    /// Ends the exploration of a source (row key) with what it has found so far.
    StopExploring {
        source: i64,
    },
    /// Reads a list of sources for its preview.
    ReadImport {
        request: RequestId,
        path: PathBuf,
    },
    /// Changes `sources.toml` or `config.toml`.
    Edit {
        purpose: Purpose,
        change: FileChange,
    },
    /// Counts what saved queries find, by name.
    CountViews {
        views: Vec<(String, View)>,
    },
    /// Reads the entry of a source (row key) for its form.
    LoadEntry {
        source: i64,
        id: SourceId,
    },
    /// Begins a workbench of that number, which ends the one before.
    OpenBench {
        bench: RequestId,
        subject: Subject,
    },
    /// Asks the workbench of that number.
    Bench {
        bench: RequestId,
        ask: BenchAsk,
    },
    CloseBench,
    /// Opens addresses in the browser, in the background.
    Browse {
        urls: Vec<String>,
    },
    Copy {
        text: String,
    },
    Pipe {
        command: String,
        text: String,
    },
    /// Reads `config.toml` for its form.
    LoadSettings,
    /// Stores how many characters of an item (row key) were passed over.
    KeepPlace {
        item: i64,
        place: usize,
    },
    /// These need the terminal and are done by the run loop itself.
    BrowseHere(Launch),
    EditSource {
        id: SourceId,
    },
    Redraw,
    Suspend,
    Quit(Farewell),
}

/// Why the files are changed. It comes back with the result.
#[derive(Debug, Clone)]
pub(super) enum Purpose {
    /// A command. The text describes the change where its own description does not do.
    Command(Option<String>),
    /// The save with that number, of a form.
    Form(RequestId),
    /// An import whose list has so many sources, and so many entries that cannot be imported.
    Import { request: RequestId, listed: usize, skipped: usize },
    /// An undo or a redo.
    History,
}

impl Effect {
    /// A change that a command makes.
    pub(super) fn edit(change: FileChange) -> Self {
        Self::Edit { purpose: Purpose::Command(None), change }
    }
}

/// What is asked of a workbench.
#[derive(Debug)]
pub(super) enum BenchAsk {
    /// What these rules give, the list being that of a place.
    Preview { request: RequestId, rules: Box<WebsiteRules>, list: Place },
    /// A selector for an element of a page.
    Pick { place: Place, element: u32, part: Part },
    /// A page that the list leads to, and what the list calls it.
    Fetch { url: Url, place: Place, title: String },
    /// An older copy of the list.
    Copy(usize),
}

/// How the interface are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// For good.
    Quit,
    /// To try the demo.
    Demo,
}

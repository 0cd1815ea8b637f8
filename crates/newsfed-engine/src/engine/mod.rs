//! The background task: plan, fetch, parse, store, notify.
//!
//! [`Engine::start`] spawns it and returns the [`Handle`] that the TUI and the command line use.
//! `run.rs` is the main loop, `poll.rs` polls one source.

mod account;
mod advise;
mod announce;
mod budget;
mod collected;
mod commands;
mod comments;
mod context;
pub mod crawl;
mod describe;
mod differences;
mod discover;
mod discover_lists;
mod discover_origin;
mod download;
mod edit;
mod finished;
mod first_poll;
mod follow;
mod fulltext;
mod handle;
mod listen;
mod lists;
mod local;
mod machines;
mod mailbox;
mod message;
mod network;
mod picture;
mod plan;
mod planner;
mod poll;
mod program;
mod queue;
mod read_feed;
mod replay;
mod retry;
mod role_lock;
mod rules;
mod run;
mod save;
mod schedule_report;
mod setup;
mod site;
mod statistics;
mod unfinished;
mod upkeep;
mod verdict;
mod watch;
mod ways;
mod why;
mod workbench;
mod workers;

pub use account::{
    AccountError, AccountPolling, AccountProbe, AccountReport, AccountStatus, MovePlan,
    MovedSources, MovingSource, SyncDone, WhichAccounts,
};
pub use advise::{Advice, AdviceReport, Expected, Publishing, advice, advise};
pub use announce::hooks::{NOTIFY_COMMAND, record_name as hook_record};
pub use announce::{Announced, MAX_RUNS, Notification};
pub use collected::CollectedChanges;
pub use commands::CommandRun;
pub use differences::{VersionChange, version_changes};
pub use discover_origin::TypedOrigin;
pub use download::{
    DownloadEntry, DownloadError, DownloadOrder, DownloadState, Downloaded, FileState, is_expired,
    list_downloads, remove_download,
};
pub use edit::Edited;
pub use follow::{FollowError, access};
pub use fulltext::{PrefetchPlan, TextGot};
pub use handle::{Engine, Handle};
pub use listen::{Player, PlayerCommand, PlayerProblem, PlayerState, Playing};
pub use lists::ListFollowed;
pub use machines::{Exchanged, MachineFile, MachinesError, machine_files};
pub use message::{
    AccountNote, AutomaticChange, Discovery, Pace, PreviewItem, ProcessRole, Refreshed, Report,
    Status, SyncProgress, Tried, Way,
};
pub use picture::EmbeddedPictures;
pub use plan::{HORIZON, Plan, plan};
pub use replay::{Histories, LimitedReplay, Recorded, histories, without_limits};
pub use rules::rule_of;
pub use save::{SaveError, SaveOrder, SaveState, Saved};
pub use schedule_report::{Check, CheckResult, ScheduleReport, Total, schedule_report};
pub use setup::setup;
pub use site::Reread;
pub use statistics::{
    MAX_WEEKS, READING_PACE, RemovalReason, SourceStatistics, Statistics, reading_time, share,
    statistics,
};
// The items that a prefetch can cover.
pub use crate::store::MarkedItems;
pub use describe::{HOURS, ScheduleSummary, broken};
pub use why::{
    NextCheck, PollSummary, Rhythm, Why, item_rate, next_check, next_check_with, rhythm, why,
};
#[cfg(any(test, feature = "testing"))]
pub use workbench::TestWorkbench;
pub use workbench::{Offer, Preview, Subject, Workbench, WorkbenchEvent, WorkbenchPage};
// Used for describing pages.
pub use crate::website::{
    ArticlePreview, ListLink, ListPreview, Matches, Outline, OutlineLine, SelectorField,
};
// The formats of saved articles.
pub use crate::save::SaveFormat;
// Re-exported for the TUI, because the engine's messages contain them.
pub use crate::schedule::{Explanation, Gaps, Pulse};

//! Plain data shared by all modules. No input or output happens here.

mod article;
mod brief_facts;
mod collected;
mod date_origin;
mod entry;
mod episode;
mod foreign;
mod hash;
mod intake;
mod item;
mod origin;
mod pause;
mod poll;
mod revision;
mod rule;
mod schedule;
mod shared_mark;
mod source;
mod website;

pub use article::{FullText, TextFrom, TextWay};
pub use brief_facts::BriefFacts;
pub use collected::{Collected, CollectedChange, OwnSettings};
pub(crate) use date_origin::OffsetRun;
pub use date_origin::{
    Confidence, DateOrigin, DatePrecision, DateSource, DatesFrom, Offsets, ZoneSource,
};
pub use entry::{Enclosure, Entry, FeedHints, FormerTexts};
pub use episode::{Chapter, EpisodeKey, Progress, Queued, seconds};
pub use foreign::{ForeignItem, ForeignKind, ForeignText};
pub use hash::stable_hash;
pub use intake::{LeftOut, LeftOutReason};
pub use item::{Item, ItemId, ItemRow, StoryItem, WORDS_PER_MINUTE};
pub use origin::{Origin, exec_name, exec_url};
pub use pause::{FIRST_LIMITED, MAX_RETRY, MIN_RETRY, Pause, PauseReason};
pub use poll::{ErrorKind, Moved, Outcome, Planned, PollRecord};
pub use revision::{Revision, RevisionKind};
pub use rule::{CommandRecord, Effect, RuleEffect, by_rule};
pub use schedule::{PolicyKind, Priority, QuietHours, SourceSchedule};
pub use shared_mark::{SharedMark, Stamp};
pub use source::{
    Access, BasicAuth, FAILING_AFTER, Health, MoveCandidate, Retention, Secret, Source,
    SourceFacts, SourceId, SourceKind, SourceRules, Validators,
};
pub use website::{
    BROKEN_AFTER, DecidingSignal, PageHints, RuleKey, SelectorProblem, Signal, WebsiteFacts,
    WebsiteRules,
};

/// A moment in UTC. Stored as whole seconds since the Unix epoch.
pub type Time = chrono::DateTime<chrono::Utc>;

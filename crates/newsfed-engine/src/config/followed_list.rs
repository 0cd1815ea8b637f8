//! OPML lists that are followed: what changes when a list has changed. Pure.
//!
//! Three states are compared: what the list had when it was last taken over (`taken`), what it has now
//! (`listed`), and the file. What differs between `taken` and the file is the user's own change and stays.

use super::import::{Import, ImportError, ImportKind, import};
use super::load::check_sources;
use super::render::source_text;
use super::source_change::SourceChange;
use super::source_settings::MAX_FOLDER_DEPTH;
use crate::model::{Source, SourceId, SourceKind};
use crate::util::limits;
use crate::util::url::normalise;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// So many sources that leave a list at once are removed without a question, whatever their share.
const FEW: usize = 4;

/// What a list has.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub title: Option<String>,
    /// Its feeds, as the list describes them.
    pub sources: Vec<Source>,
    /// What is not taken from it, and why.
    pub skipped: Vec<(String, String)>,
    /// Sources beyond [`limits::LIST_SOURCES`].
    pub left_out: usize,
    /// Whether the list is damaged.
    pub is_damaged: bool,
}

/// Why a source stays that has left its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// The user has changed it.
    Edited,
    /// The user has pinned, tagged or kept items of it.
    Kept,
    /// It is not known what the list had.
    Unknown,
}

impl Stay {
    pub fn why(self) -> &'static str {
        match self {
            Self::Edited => "you have changed it",
            Self::Kept => "you have pinned, tagged or kept items of it",
            Self::Unknown => "it was not on the list before",
        }
    }
}

/// What is known of a list when its changes are planned.
#[derive(Debug, Clone)]
pub struct ListState {
    pub list: SourceId,
    /// What the list has now.
    pub listed: Vec<Source>,
    /// Whether that is all of it. If not, nothing leaves.
    pub is_whole: bool,
    /// What it had when it was last taken over.
    pub taken: Vec<Source>,
    /// What other lists have.
    pub others: Vec<Source>,
    /// URLs at which sources are followed besides their own: targets of permanent redirects.
    pub moved: HashMap<SourceId, String>,
    /// Sources of which the user keeps items.
    pub kept: HashSet<SourceId>,
    /// Whether the user has confirmed that many sources leave.
    pub accept: bool,
}

/// What changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListPlan {
    pub add: Vec<Source>,
    pub change: Vec<(SourceId, SourceChange)>,
    pub remove: Vec<SourceId>,
    /// Those that leave the list, and are the user's own from now on.
    pub stay: Vec<(SourceId, Stay)>,
    /// Those that another list has: that list, and how it describes them.
    pub hand_over: Vec<(SourceId, Source)>,
    /// How many have left the list of how many, while the user has to confirm it.
    pub held: Option<(usize, usize)>,
    /// What is taken over from the list.
    pub taken: Vec<Source>,
}

impl Listed {
    /// Reads an OPML list. Of each feed its URL, title, folder and tags are taken: no program, file,
    /// private address or setting. `name` is used in messages.
    ///
    /// # Errors
    /// When it is not OPML, or lists nothing.
    pub fn read(bytes: &[u8], name: &str, list: &Source) -> Result<Self, ImportError> {
        let mut import = import(bytes, name).map_err(|error| match error {
            ImportError::NotAList { name, .. } => ImportError::NotFollowed(name),
            other => other,
        })?;
        if import.kind != ImportKind::Opml {
            return Err(ImportError::NotFollowed(name.to_owned()));
        }
        import.skip_private(&HashSet::new(), "`newsfed add` follows it");
        let Import { title, sources, mut skipped, is_whole, .. } = import;
        let (mut feeds, mut keys) = (Vec::new(), HashSet::new());
        for source in sources {
            if source.kind() != SourceKind::Feed {
                let why = "not a feed; `newsfed add` follows it".to_owned();
                skipped.push((source.url.to_string(), why));
            } else if keys.insert(key(&source)) {
                feeds.push(of_list(source, list));
            }
        }
        let left_out = feeds.len().saturating_sub(limits::LIST_SOURCES);
        feeds.truncate(limits::LIST_SOURCES);
        if feeds.is_empty() {
            return Err(ImportError::NoFeeds(name.to_owned(), "none can be taken from a list"));
        }
        Ok(Self { title, sources: feeds, skipped, left_out, is_damaged: !is_whole })
    }

    /// Whether it is all of the list.
    pub fn is_whole(&self) -> bool {
        !self.is_damaged && self.left_out == 0
    }
}

/// What a source of a list is compared by: `http` or `https` and the like make no difference.
fn key(source: &Source) -> String {
    normalise(&source.url)
}

/// A source with what lists may say of it, in the folder of the list.
fn of_list(source: Source, list: &Source) -> Source {
    let Source { id, url, title, tags, access, folder, .. } = source;
    let levels = [list.folder.as_deref(), folder.as_deref()].into_iter().flatten();
    let levels: Vec<&str> = levels.flat_map(|f| f.split('/')).take(MAX_FOLDER_DEPTH).collect();
    let folder = Some(levels.join("/")).filter(|folder| !folder.is_empty());
    Source { title, folder, tags, access, list: Some(list.id.clone()), ..Source::feed(id, url) }
}

/// Sources of a list as text, for [`from_text`]. Their identifiers are those of the text alone.
pub fn to_text(sources: &[Source]) -> String {
    let text = |(n, source): (usize, &Source)| {
        source_text(&Source { id: SourceId(format!("s{n}")), ..source.clone() }, "\n")
    };
    sources.iter().enumerate().map(text).collect()
}

/// The sources of a text that [`to_text`] has made; none if it is damaged.
pub fn from_text(text: &str) -> Vec<Source> {
    let read = check_sources(Path::new(""), text);
    read.map(|(sources, _)| sources.into_iter().map(|(_, s)| s).collect()).unwrap_or_default()
}

fn by_key(sources: &[Source]) -> HashMap<String, &Source> {
    let mut known = HashMap::new();
    for source in sources {
        known.entry(key(source)).or_insert(source);
    }
    known
}

impl ListState {
    /// What changes in a file with these sources.
    pub fn plan(&self, declared: &[Source]) -> ListPlan {
        let own: Vec<Source> = declared.iter().filter(|s| s.account.is_none()).cloned().collect();
        let mut followed = by_key(&own);
        for source in &own {
            if let Some(moved) = self.moved_key(source) {
                followed.entry(moved).or_insert(source);
            }
        }
        let (taken, listed) = (by_key(&self.taken), by_key(&self.listed));
        let mut plan = ListPlan::default();
        for source in &self.listed {
            let listed_key = key(source);
            let now = followed.get(&listed_key).copied();
            // The list may name the target of a permanent redirect instead.
            let before = now.and_then(|now| taken.get(&key(now)));
            match (taken.get(&listed_key).or(before), now) {
                (None, None) => plan.add.push(source.clone()),
                (Some(before), Some(now)) if self.is_ours(now) => {
                    let change = changed(before, source, now);
                    if change != SourceChange::default() {
                        plan.change.push((now.id.clone(), change));
                    }
                }
                // Followed already, or removed by the user.
                _ => {}
            }
            plan.taken.push(source.clone());
        }
        self.plan_leaving(&own, &taken, &listed, &mut plan);
        plan
    }

    /// Where a source is in fact, if it has moved for good.
    fn moved_key(&self, source: &Source) -> Option<String> {
        let moved = self.moved.get(&source.id)?;
        Some(normalise(&url::Url::parse(moved).ok()?))
    }

    fn is_ours(&self, source: &Source) -> bool {
        source.list.as_ref() == Some(&self.list)
    }

    /// Plans what happens to the sources that the list does not have any more.
    fn plan_leaving(
        &self,
        own: &[Source],
        taken: &HashMap<String, &Source>,
        listed: &HashMap<String, &Source>,
        plan: &mut ListPlan,
    ) {
        let ours: Vec<(String, &Source)> =
            own.iter().filter(|source| self.is_ours(source)).map(|s| (key(s), s)).collect();
        let is_listed = |key: &String| listed.contains_key(key);
        let leaves = |(key, source): &&(String, &Source)| {
            !is_listed(key) && !self.moved_key(source).is_some_and(|moved| is_listed(&moved))
        };
        let leaving = || ours.iter().filter(leaves);
        let gone = leaving().filter(|(key, _)| taken.contains_key(key)).count();
        let known = ours.iter().filter(|(key, _)| taken.contains_key(key)).count();
        let is_much = gone > FEW && gone * 2 > known && !self.accept;
        if !self.is_whole || is_much {
            let left = self.taken.iter().filter(|source| !is_listed(&key(source)));
            plan.taken.extend(left.cloned());
            plan.held = (self.is_whole && is_much).then_some((gone, known));
            return;
        }
        let others = by_key(&self.others);
        for (key, source) in leaving() {
            let id = source.id.clone();
            match (taken.get(key), others.get(key)) {
                (None, _) => plan.stay.push((id, Stay::Unknown)),
                (Some(before), _) if is_edited(before, source) => {
                    plan.stay.push((id, Stay::Edited));
                }
                (Some(_), Some(other)) => plan.hand_over.push((id, Source::clone(other))),
                (Some(_), None) if self.kept.contains(&source.id) => {
                    plan.stay.push((id, Stay::Kept));
                }
                (Some(_), None) => plan.remove.push(id),
            }
        }
    }
}

/// What the list has changed of a source, except what the user has changed.
fn changed(before: &Source, listed: &Source, now: &Source) -> SourceChange {
    let mut change = SourceChange::default();
    let mut take = |key, before: Option<&str>, listed: Option<&str>, now: Option<&str>| {
        if listed != before && now == before {
            change = std::mem::take(&mut change).set(key, listed.unwrap_or_default());
        }
    };
    take("title", before.title.as_deref(), listed.title.as_deref(), now.title.as_deref());
    take("folder", before.folder.as_deref(), listed.folder.as_deref(), now.folder.as_deref());
    let [before, listed, now] = [before, listed, now].map(|source| Some(source.url.as_str()));
    take("url", before, listed, now);
    change
}

/// Whether the user has changed a source that came from a list.
fn is_edited(before: &Source, now: &Source) -> bool {
    let id = before.id.clone();
    Source { id, list: before.list.clone(), ..now.clone() } != *before
}

//! Followed OPML lists: plans the changes to make when a list has changed. Does no I/O.
//!
//! Three states are compared: the content of the list when it was last applied (`taken`), its current content
//! (`listed`), and the file. Differences between `taken` and the file are the user's own changes and are
//! kept.

use super::error::ConfigErrors;
use super::import::{Import, ImportError, ImportKind, import};
use super::load::check_sources;
use super::render::source_text;
use super::source_change::SourceChange;
use super::source_settings::MAX_FOLDER_DEPTH;
use crate::model::{Access, Source, SourceId, SourceKind};
use crate::util::limits;
use crate::util::url::normalise;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use url::Url;

/// Maximum number of sources that are removed at once without confirmation, whatever their share of the list.
const FEW: usize = 4;

/// The content of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub title: Option<String>,
    /// Its feeds, as the list describes them.
    pub sources: Vec<Source>,
    /// Entries that were skipped, and why.
    pub skipped: Vec<(String, String)>,
    /// Sources beyond [`limits::LIST_SOURCES`].
    pub left_out: usize,
    /// Whether the list is damaged.
    pub is_damaged: bool,
}

/// Why a source that is no longer in its list stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stay {
    /// The user has changed it.
    Edited,
    /// The user has pinned or tagged items of the source, or kept some for later.
    Kept,
    /// Either the list had it at a different URL, or it was never on the list. It is not known which.
    Unknown,
}

impl Stay {
    /// The reason, for one or several sources.
    pub fn why(self, several: bool) -> &'static str {
        match (self, several) {
            (Self::Edited, false) => "you have changed its settings",
            (Self::Edited, true) => "you have changed their settings",
            (Self::Kept, false) => {
                "you have pinned or tagged some of its items, or kept them for later"
            }
            (Self::Kept, true) => {
                "you have pinned or tagged some of their items, or kept them for later"
            }
            (Self::Unknown, false) => "its URL is not in the list",
            (Self::Unknown, true) => "their URLs are not in the list",
        }
    }
}

/// The current and the previous content of a list. Their difference decides which sources leave the list.
#[derive(Debug, Clone)]
pub struct ListComparison {
    pub list: SourceId,
    /// The sources that the list has now.
    pub listed: Vec<Source>,
    /// Whether `listed` is the entire list. If not, no source leaves it.
    pub is_whole: bool,
    /// The sources that the list had when it was last applied.
    pub taken: Vec<Source>,
    /// Targets of permanent redirects. A source is also recognised by its target.
    pub moved: HashMap<SourceId, String>,
}

/// What is known about a list when its changes are planned.
#[derive(Debug, Clone)]
pub struct ListState {
    pub compared: ListComparison,
    /// The sources of other lists.
    pub others: Vec<Source>,
    /// Sources with items that the user keeps.
    pub kept: HashSet<SourceId>,
    /// Whether the user has confirmed the removal of many sources.
    pub is_confirmed: bool,
}

/// The changes to make.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListPlan {
    pub add: Vec<Source>,
    /// URLs on the list that are already followed, either directly by the user or through another list.
    pub already: Vec<Url>,
    pub change: Vec<(SourceId, SourceChange)>,
    pub remove: Vec<SourceId>,
    /// Sources that leave the list and become the user's own.
    pub stay: Vec<(SourceId, Stay)>,
    /// Sources that are also on another list, with the source as that list describes it.
    pub hand_over: Vec<(SourceId, Source)>,
    /// The sources to store as the list's last applied content.
    pub taken: Vec<Source>,
}

/// The sources that are no longer in a list.
struct Leaving<'a> {
    /// The sources, each with its [`key`].
    sources: Vec<(String, &'a Source)>,
    /// How many sources are no longer in the list, and how many are known to have been in it.
    count: (usize, usize),
}

impl Listed {
    /// Reads an OPML list. Takes the URL, title, folder and tags of each feed, but no program, file,
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
        let Import { title, sources, mut skipped, is_damaged, left_out, .. } = import;
        let (mut feeds, mut keys) = (Vec::new(), HashSet::new());
        for source in sources {
            if source.kind() != SourceKind::Feed {
                let why = "not a feed; `newsfed add` follows it".to_owned();
                skipped.push((source.url.to_string(), why));
            } else if keys.insert(key(&source)) {
                feeds.push(of_list(source, list));
            }
        }
        let left_out = left_out + feeds.len().saturating_sub(limits::LIST_SOURCES);
        feeds.truncate(limits::LIST_SOURCES);
        if feeds.is_empty() {
            let name = name.to_owned();
            return Err(match skipped.into_iter().next() {
                Some((url, why)) => ImportError::NoneTaken { name, url, why },
                None => ImportError::NoFeeds(name, "a list needs at least one"),
            });
        }
        Ok(Self { title, sources: feeds, skipped, left_out, is_damaged })
    }

    /// Whether the entire list was read.
    pub fn is_whole(&self) -> bool {
        !self.is_damaged && self.left_out == 0
    }
}

/// The key for comparing sources of a list. Differences such as `http` or `https` are ignored.
fn key(source: &Source) -> String {
    normalise(&source.url)
}

/// A source with only the settings that a list may set, in the folder of the list.
fn of_list(source: Source, list: &Source) -> Source {
    let Source { id, url, title, tags, access, folder, .. } = source;
    let levels = [list.folder.as_deref(), folder.as_deref()].into_iter().flatten();
    let levels: Vec<&str> = levels.flat_map(|f| f.split('/')).take(MAX_FOLDER_DEPTH).collect();
    let folder = Some(levels.join("/")).filter(|folder| !folder.is_empty());
    // Credentials are a part of the URL; headers are settings.
    let access = Access { auth: access.auth, ..Access::default() };
    Source { title, folder, tags, access, list: Some(list.id.clone()), ..Source::feed(id, url) }
}

/// Serialises the sources of a list, for [`from_text`]. Their identifiers are unique within the text only.
pub fn to_text(sources: &[Source]) -> String {
    let text = |(n, source): (usize, &Source)| {
        source_text(&Source { id: SourceId(format!("s{n}")), ..source.clone() }, "\n")
    };
    sources.iter().enumerate().map(text).collect()
}

/// Parses the output of [`to_text`].
///
/// # Errors
/// If the text is damaged, as opposed to a list without sources.
pub fn from_text(text: &str) -> Result<Vec<Source>, ConfigErrors> {
    let (sources, _) = check_sources(Path::new(""), text)?;
    Ok(sources.into_iter().map(|(_, source)| source).collect())
}

fn by_key(sources: &[Source]) -> HashMap<String, &Source> {
    let mut known = HashMap::new();
    for source in sources {
        known.entry(key(source)).or_insert(source);
    }
    known
}

impl ListComparison {
    /// The number of sources that are no longer in the list, and the number of sources that were in it, if
    /// the user has to confirm the removal. `declared` are the sources of the file.
    pub fn to_confirm(&self, declared: &[Source]) -> Option<(usize, usize)> {
        let leaving = self.leaving(declared, &by_key(&self.taken), &by_key(&self.listed));
        self.question(leaving.count)
    }

    fn question(&self, (gone, known): (usize, usize)) -> Option<(usize, usize)> {
        (self.is_whole && gone > FEW && gone * 2 > known).then_some((gone, known))
    }

    fn leaving<'a>(
        &self,
        declared: &'a [Source],
        taken: &HashMap<String, &Source>,
        listed: &HashMap<String, &Source>,
    ) -> Leaving<'a> {
        let ours = declared.iter().filter(|source| self.is_ours(source));
        let ours: Vec<(String, &Source)> = ours.map(|source| (key(source), source)).collect();
        let was_listed = |(key, _): &&(String, &Source)| taken.contains_key(key);
        let known = ours.iter().filter(was_listed).count();
        let mut sources = ours;
        sources.retain(|(key, source)| {
            let moved = self.moved_key(source);
            !listed.contains_key(key) && !moved.is_some_and(|moved| listed.contains_key(&moved))
        });
        let gone = sources.iter().filter(was_listed).count();
        Leaving { sources, count: (gone, known) }
    }

    /// The redirect target of a source, normalised, if it has moved permanently.
    fn moved_key(&self, source: &Source) -> Option<String> {
        let moved = self.moved.get(&source.id)?;
        Some(normalise(&Url::parse(moved).ok()?))
    }

    fn is_ours(&self, source: &Source) -> bool {
        source.account.is_none() && source.list.as_ref() == Some(&self.list)
    }
}

impl ListState {
    /// The changes to a file that declares these sources.
    pub fn plan(&self, declared: &[Source]) -> ListPlan {
        let compared = &self.compared;
        let own: Vec<Source> = declared.iter().filter(|s| s.account.is_none()).cloned().collect();
        let mut followed = by_key(&own);
        for source in &own {
            if let Some(moved) = compared.moved_key(source) {
                followed.entry(moved).or_insert(source);
            }
        }
        let (taken, listed) = (by_key(&compared.taken), by_key(&compared.listed));
        let mut plan = ListPlan::default();
        for source in &compared.listed {
            let listed_key = key(source);
            let now = followed.get(&listed_key).copied();
            // The list may name the target of a permanent redirect instead.
            let before = now.and_then(|now| taken.get(&key(now)));
            match (taken.get(&listed_key).or(before), now) {
                (None, None) => plan.add.push(source.clone()),
                (Some(before), Some(now)) if compared.is_ours(now) => {
                    let change = changed(before, source, now);
                    if change != SourceChange::default() {
                        plan.change.push((now.id.clone(), change));
                    }
                }
                (_, Some(now)) if !compared.is_ours(now) => plan.already.push(source.url.clone()),
                // The user has removed the source, or it was added just before the program was stopped.
                _ => {}
            }
            plan.taken.push(source.clone());
        }
        let leaving = compared.leaving(&own, &taken, &listed);
        let is_asked = compared.question(leaving.count).is_some() && !self.is_confirmed;
        if !compared.is_whole || is_asked {
            let left = compared.taken.iter().filter(|source| !listed.contains_key(&key(source)));
            plan.taken.extend(left.cloned());
        } else {
            self.plan_leaving(&leaving, &taken, &mut plan);
        }
        plan
    }

    /// Plans what happens to the sources that are no longer in the list.
    fn plan_leaving(
        &self,
        leaving: &Leaving<'_>,
        taken: &HashMap<String, &Source>,
        plan: &mut ListPlan,
    ) {
        let others = by_key(&self.others);
        for (key, source) in &leaving.sources {
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

/// The changes that the list makes to a source, except to what the user has changed.
fn changed(before: &Source, listed: &Source, now: &Source) -> SourceChange {
    let mut change = SourceChange::default();
    let mut take = |key, before: Option<&str>, listed: Option<&str>, now: Option<&str>| {
        if listed != before && now == before {
            change = std::mem::take(&mut change).set(key, listed.unwrap_or_default());
        }
    };
    take("title", before.title.as_deref(), listed.title.as_deref(), now.title.as_deref());
    take("folder", before.folder.as_deref(), listed.folder.as_deref(), now.folder.as_deref());
    let urls = [before, listed, now].map(|source| Some(source.url.as_str()));
    take("url", urls[0], urls[1], urls[2]);
    let [was, is, own] = [before, listed, now].map(|source| &source.access.auth);
    if is != was && own == was {
        change = change.like("user", listed).like("password", listed);
    }
    let gone = before.tags.iter().filter(|tag| !listed.tags.contains(tag));
    let new = listed.tags.iter().filter(|tag| !before.tags.contains(tag));
    let gone = gone.filter(|tag| now.tags.contains(tag)).cloned();
    change.remove_tags(gone).add_tags(new.filter(|tag| !now.tags.contains(tag)).cloned())
}

/// Whether the user has changed a source that came from a list. An equivalent URL (`https` instead of `http`)
/// or a different order of the tags is not a change.
fn is_edited(before: &Source, now: &Source) -> bool {
    let tags = |source: &Source| source.tags.iter().cloned().collect::<HashSet<String>>();
    let as_listed = Source {
        id: before.id.clone(),
        list: before.list.clone(),
        url: before.url.clone(),
        tags: before.tags.clone(),
        ..now.clone()
    };
    as_listed != *before || tags(before) != tags(now)
}

//! Options that select items, shared by commands that list or mark them.

use super::catalogue::Catalogue;
use super::exit::Failure;
use crate::config::SortOrder;
use crate::model::Time;
use crate::query::{Date, Named, Query, What, resolve, unknown_name};
use crate::store::{Criteria, Scope, View};
use crate::util::clock::{Clock, SystemClock};
use crate::util::text;
use chrono::Local;

#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Items")]
pub(super) struct Choice {
    /// Only items of this source; can be repeated
    #[arg(long, value_name = "SOURCE")]
    pub(super) source: Vec<String>,
    /// Only items of sources in this folder
    #[arg(long, value_name = "NAME")]
    pub(super) folder: Option<String>,
    /// Only items with a matching tag, their own or their source's
    #[arg(long, value_name = "NAME")]
    pub(super) tag: Option<String>,
    /// Only items that match a search (`newsfed help search`)
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub(super) query: Option<String>,
    /// Only items of this view (`newsfed views`)
    #[arg(long, value_name = "NAME")]
    pub(super) view: Option<String>,
    /// Only items dated on or after this day, such as 2026-11-21
    #[arg(long, value_name = "DATE")]
    pub(super) since: Option<String>,
    /// Only items dated before this day
    #[arg(long, value_name = "DATE")]
    pub(super) before: Option<String>,
    /// A further query that items must match.
    #[arg(skip)]
    pub(super) also: Query,
}

impl Choice {
    /// Whether no option restricts the list.
    pub(super) fn is_empty(&self) -> bool {
        self.source.is_empty()
            && [&self.folder, &self.tag, &self.query, &self.view, &self.since, &self.before]
                .iter()
                .all(|o| o.is_none())
            && self.also.is_empty()
    }

    /// The view for these options.
    ///
    /// # Errors
    /// When a source is unknown, or a date or folder is invalid.
    pub(super) fn view(&self, catalogue: &Catalogue) -> Result<View, Failure> {
        let mut view = View::of(Scope::All);
        view.order = SortOrder::Newest;
        let mut query = self.all_of(catalogue)?;
        catalogue.check_names(&query)?;
        let date = |date: &String| Date::parse(date).ok_or_else(|| no_date(date));
        if let Some(since) = &self.since {
            query = query.and(Query::of([What::After(date(since)?)]));
        }
        if let Some(before) = &self.before {
            query = query.and(Query::of([What::Before(date(before)?)]));
        }
        let now = SystemClock.now().with_timezone(&Local);
        view.criteria = Criteria::new(&query, now, |named| resolve(named, catalogue.known()));
        if let Some(keys) = self.sources(catalogue)? {
            view.scope = Scope::Sources(keys);
        }
        Ok(view)
    }

    /// A message if no item or source has a tag that the options name.
    pub(super) fn unused_tag(&self, catalogue: &Catalogue) -> Option<String> {
        let query = self.all_of(catalogue).ok()?;
        let unknown = unknown_name(&query, catalogue.known(), &catalogue.item_tags)?;
        unknown.is_tag.then_some(unknown.message)
    }

    /// A note about a search that may not work as the user expects.
    pub(super) fn caveat(&self) -> Option<&'static str> {
        let query = self.query.as_deref().unwrap_or_default().parse::<Query>().ok()?;
        query.and(self.also.clone()).caveat()
    }

    /// Combines the search, the query of the view, and the tag into one query.
    fn all_of(&self, catalogue: &Catalogue) -> Result<Query, Failure> {
        let mut query = parsed(self.query.as_deref().unwrap_or_default())?.and(self.also.clone());
        if let Some(name) = &self.view {
            let of_view = catalogue.view_named(name)?.query.parse::<Query>();
            let of_view = of_view.map_err(|e| {
                Failure::Plain(format!(
                    "the query of the view \"{}\" is invalid: {e}",
                    text::line(name)
                ))
            })?;
            query = query.and(of_view);
        }
        if let Some(tag) = &self.tag {
            query = query.and(Query::of([What::Of(Named::Tag(tag.clone()))]));
        }
        Ok(query)
    }

    /// Row keys of the selected sources; `None` means all.
    fn sources(&self, catalogue: &Catalogue) -> Result<Option<Vec<i64>>, Failure> {
        let mut limits: Vec<Vec<i64>> = Vec::new();
        if !self.source.is_empty() {
            let named = catalogue.find_all(&self.source)?;
            limits.push(named.iter().map(|e| e.facts.key).collect());
        }
        let entries = &catalogue.entries;
        if let Some(folder) = &self.folder {
            let wanted = folder.trim_matches('/');
            let inside = |f: &str| {
                f.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let hits = entries.iter().filter(|e| e.source.folder.as_deref().is_some_and(inside));
            let folders = entries.iter().filter_map(|e| e.source.folder.as_deref());
            limits.push(some(hits.map(|e| e.facts.key).collect(), folder, folders)?);
        }
        Ok(limits.into_iter().reduce(|mut all, more| {
            all.retain(|key| more.contains(key));
            all
        }))
    }
}

/// Parses a search.
///
/// # Errors
/// When it is invalid.
pub(super) fn parsed(query: &str) -> Result<Query, Failure> {
    query.parse().map_err(|e| Failure::Usage(format!("invalid search: {e}")))
}

/// The row keys of the sources that were found, or an error with a suggestion if there are none.
fn some<'a>(
    keys: Vec<i64>,
    word: &str,
    known: impl Iterator<Item = &'a str>,
) -> Result<Vec<i64>, Failure> {
    if !keys.is_empty() {
        return Ok(keys);
    }
    let hint = crate::config::did_you_mean(word, known);
    Err(Failure::Plain(format!("no source is in the folder \"{}\"{hint}", text::line(word))))
}

/// The end of a day that a user typed as a date.
///
/// # Errors
/// When it is not a date.
pub(super) fn end_of(text: &str) -> Result<Time, Failure> {
    let date = Date::parse(text).ok_or_else(|| no_date(text))?;
    let end = date.end(SystemClock.now().with_timezone(&Local));
    Ok(end.and_then(|end| Time::from_timestamp(end, 0)).unwrap_or(Time::MAX_UTC))
}

fn no_date(text: &str) -> Failure {
    Failure::Usage(format!(
        "\"{}\" is not a date; write 2026-11-21, 2026-11, 2026, today, yesterday or 7d",
        text::line(text)
    ))
}

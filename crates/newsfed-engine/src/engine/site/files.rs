//! Data files that are followed: each is one item, which gets a new version whenever the data changes.

use super::Visit;
use super::gathering::Gathering;
use super::page;
use crate::dataset::DataFormat;
use crate::engine::fulltext::{self, TextGot};
use crate::model::{Enclosure, Entry, SourceKind};
use crate::net::{FetchError, Request, Response};
use crate::store::{ReservedKeys, StoredFile};
use crate::util::{file_name, html, text};
use chrono::TimeDelta;
use std::collections::HashSet;
use url::Url;

impl Visit<'_> {
    /// Whether the source can follow data files and the response is one.
    pub(super) fn is_file(&self, response: &Response) -> bool {
        let follows = matches!(self.job.source.kind(), SourceKind::Page | SourceKind::Crawl);
        let (content_type, url) = (response.content_type(), &response.final_url);
        let is_file = || DataFormat::of(content_type, url, &response.body).is_some();
        follows && response.is_success() && is_file()
    }

    /// Reads the file that the source consists of, which is the response to the first request.
    ///
    /// # Errors
    /// Returns the reason if it cannot be stored.
    pub(super) async fn file(
        &self,
        url: Url,
        response: Response,
        gathering: &mut Gathering,
    ) -> Result<(), String> {
        let name = file_name::last_segment(&url).map(|name| text::line(&name));
        gathering.title = name.filter(|name| !name.is_empty());
        let known = page::item(self, &url).await?;
        if known.is_none() {
            let publisher = self.publisher(gathering.title.as_deref());
            let mime = response.content_type().unwrap_or_default().split(';').next();
            let mime = text::line(mime.unwrap_or_default());
            let bytes = response.body.len();
            let title = gathering.title.clone().unwrap_or_else(|| text::line(url.as_str()));
            let file = FileFacts { url: url.as_str(), title, mime: &mime, bytes };
            let mut keys = ReservedKeys::for_articles(1);
            self.keep(vec![file.entry(&publisher)], &mut keys, gathering).await?;
        }
        let Some(item) = page::item(self, &url).await? else { return Ok(()) };
        let source = &self.job.source;
        let got = fulltext::take_response(self.context, source, item, response, true).await;
        let got = got.map_err(|e| text::line(&e.to_string()))?;
        gathering.read += 1;
        if known.is_some() {
            gathering.kept.known += 1;
            gathering.kept.updated += u32::from(got.is_change());
        }
        if let TextGot::Failed(why) = got {
            gathering.note(why);
        }
        Ok(())
    }
}

/// Maximum number of files that one poll of a crawled site checks again.
const MAX_CHECKS: usize = 10;
/// Maximum number of items for which one poll plans the next check.
const MAX_PLANNED: usize = 500;
/// Number of failures after which the other files wait for the next poll.
const MAX_FAILURES: usize = 3;
/// The initial time between two checks of a file.
const FIRST: TimeDelta = TimeDelta::days(1);
/// The shortest time between two checks of a file.
const SHORTEST: TimeDelta = TimeDelta::hours(6);
/// The longest time between two checks of a file.
const LONGEST: TimeDelta = TimeDelta::days(30);

/// What a check of a file has shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checked {
    /// The file was read for the first time.
    First,
    Changed,
    Unchanged,
    /// The file is missing, forbidden, or no longer a data file.
    Gone,
    /// The server did not respond.
    Failed,
    /// No more requests may be sent to the host.
    LeftHost,
}

impl Checked {
    /// The time until the next check: shorter after a change, longer without one.
    fn interval(self, before: Option<TimeDelta>) -> TimeDelta {
        let Some(before) = before else { return FIRST };
        let next = match self {
            Self::Changed => before / 2,
            Self::Unchanged => before * 3 / 2,
            Self::Gone => before * 2,
            Self::First => FIRST,
            Self::Failed | Self::LeftHost => before,
        };
        next.clamp(SHORTEST, LONGEST)
    }
}

/// The files of a crawled site.
impl Visit<'_> {
    /// Reads the files that were found in this poll, and plans the next check of all new ones.
    ///
    /// # Errors
    /// Returns the reason if the results cannot be stored.
    pub(super) async fn found_files(&self, files: Vec<Response>) -> Result<(), String> {
        let mut read = HashSet::new();
        for file in files {
            // Only the newest files became items, so older ones have no item to update.
            let Some(item) = self.item(&file.final_url.clone()).await? else { continue };
            let source = &self.job.source;
            let got = fulltext::take_response(self.context, source, item, file, false).await;
            got.map_err(|e| text::line(&e.to_string()))?;
            read.insert(item);
        }
        let (key, now) = (self.job.key, self.started);
        let new = self.context.read(move |reader| reader.unplanned_files(key, MAX_PLANNED)).await;
        let new = new.map_err(|e| text::line(&e.to_string()))?;
        let next = |file: &StoredFile| {
            let url = Url::parse(&file.url).ok()?;
            DataFormat::named(file.mime.as_deref(), &url)?;
            Some(if read.contains(&file.item) { now + FIRST } else { now })
        };
        let plans = new.iter().map(|file| (file.item, next(file))).collect();
        let planned = self.context.store.plan_files(now, plans).await;
        planned.map_err(|e| text::line(&e.to_string()))
    }

    /// Checks the files that are due, with conditional requests. A file that has changed gets a new version
    /// and becomes unread.
    ///
    /// # Errors
    /// Returns the reason if the result cannot be stored.
    pub(super) async fn check_files(&mut self, gathering: &mut Gathering) -> Result<(), String> {
        let (key, now) = (self.job.key, self.started);
        let due = self.context.read(move |reader| reader.due_files(key, now, MAX_CHECKS)).await;
        let mut failures = 0;
        for file in due.map_err(|e| text::line(&e.to_string()))? {
            let checked = self.check_file(&file, gathering).await?;
            if checked == Checked::LeftHost {
                (gathering.is_host_paused, gathering.unfinished) = (true, true);
                break;
            }
            let next = now + checked.interval(file.interval.filter(|time| !time.is_zero()));
            let planned = self.context.store.plan_files(now, vec![(file.item, Some(next))]).await;
            planned.map_err(|e| text::line(&e.to_string()))?;
            failures += usize::from(checked == Checked::Failed);
            if failures == MAX_FAILURES {
                break;
            }
        }
        Ok(())
    }

    async fn check_file(
        &mut self,
        file: &StoredFile,
        gathering: &mut Gathering,
    ) -> Result<Checked, String> {
        let Ok(url) = Url::parse(&file.url) else { return Ok(Checked::Gone) };
        let item = file.item;
        let page = self.context.read(move |reader| reader.page(item)).await;
        let page = page.map_err(|e| text::line(&e.to_string()))?;
        let known = page.filter(|page| page.page_hash.is_some());
        let of = known.as_ref().and_then(|page| Url::parse(page.validators_of.as_deref()?).ok());
        let request = Request {
            validators: known.map(|page| page.validators).unwrap_or_default(),
            validators_of: of,
            ..Request::page(url)
        };
        let result = self.fetcher.fetch(request).await;
        if let Ok(response) = &result {
            gathering.wire_bytes += response.wire_bytes;
            gathering.elapsed += response.elapsed;
        }
        match result {
            Ok(response) if response.status == 304 => {
                gathering.kept.known += 1;
                Ok(Checked::Unchanged)
            }
            Ok(response) if response.is_success() => {
                gathering.kept.known += 1;
                self.compare_file(file, response, gathering).await
            }
            Ok(response) if response.status == 429 => Ok(Checked::LeftHost),
            Err(FetchError::Paused { .. }) => Ok(Checked::LeftHost),
            Ok(response) => {
                gathering.note(format!("{}: HTTP {}", file.url, response.status));
                Ok(if response.status < 500 { Checked::Gone } else { Checked::Failed })
            }
            Err(e) => {
                gathering.note(format!("{}: {e}", file.url));
                let lasting = matches!(e, FetchError::Robots { .. })
                    || e.kind() == crate::model::ErrorKind::Permanent;
                Ok(if lasting { Checked::Gone } else { Checked::Failed })
            }
        }
    }

    async fn compare_file(
        &self,
        file: &StoredFile,
        response: Response,
        gathering: &mut Gathering,
    ) -> Result<Checked, String> {
        if !self.is_file(&response) {
            gathering
                .note(format!("{}: the server returned a page instead of the data file", file.url));
            return Ok(Checked::Gone);
        }
        let source = &self.job.source;
        let got = fulltext::take_response(self.context, source, file.item, response, true).await;
        Ok(match got.map_err(|e| text::line(&e.to_string()))? {
            TextGot::Fetched { changed: true, .. } => {
                gathering.kept.updated += 1;
                Checked::Changed
            }
            TextGot::Fetched { .. } => Checked::First,
            TextGot::Failed(why) => {
                gathering.note(format!("{}: {why}", file.url));
                Checked::Gone
            }
            _ => Checked::Unchanged,
        })
    }
}

/// What is known about a file before it is read.
pub(super) struct FileFacts<'a> {
    pub(super) url: &'a str,
    pub(super) title: String,
    pub(super) mime: &'a str,
    pub(super) bytes: usize,
}

impl FileFacts<'_> {
    /// The file as an item with its type and size.
    pub(super) fn entry(self, publisher: &str) -> Entry {
        let size = match self.bytes {
            bytes if bytes < 10_000 => format!("{bytes} bytes"),
            bytes => format!("{} kB", bytes / 1000),
        };
        let summary = format!("{}, {size}", self.mime);
        Entry {
            title: self.title,
            url: Some(self.url.to_owned()),
            summary: Some(html::escape(&summary).into_owned()),
            enclosures: vec![Enclosure {
                url: self.url.to_owned(),
                mime: Some(self.mime.to_owned()),
                bytes: Some(self.bytes as u64),
                ..Enclosure::default()
            }],
            publisher: Some(publisher.to_owned()).filter(|p| !p.is_empty()),
            ..Entry::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_change_are_checked_more_often() {
        let after = |all: &[Checked]| {
            let interval = |before, checked: &Checked| Some(checked.interval(before));
            all.iter().fold(None, interval).unwrap()
        };
        assert_eq!(after(&[Checked::First]), FIRST);
        assert_eq!(after(&[Checked::First, Checked::Changed]), TimeDelta::hours(12));
        assert_eq!(after(&[Checked::First, Checked::Unchanged]), TimeDelta::hours(36));
        assert_eq!(after(&[Checked::Changed; 9]), SHORTEST);
        assert_eq!(after(&[Checked::Unchanged; 20]), LONGEST);
        assert_eq!(after(&[Checked::Gone; 20]), LONGEST);
        assert_eq!(after(&[Checked::Unchanged, Checked::Failed]), FIRST);
    }
}

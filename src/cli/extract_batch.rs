//! `newsfed extract --batch` for many pages: reads lines of JSON, and prints a line of JSON for each, in
//! order.

use super::extract::read_page;
use crate::article::{Dates, Extraction, Guide, Mode, NoArticle, Template, extract, page_dates};
use crate::model::Time;
use crate::util::date;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::BufRead;
use std::path::PathBuf;
use std::time::Instant;
use url::Url;

pub(super) struct Batch {
    pub(super) mode: Mode,
    /// Folder for relative paths.
    pub(super) root: PathBuf,
    /// Whether to learn from pages of the same source.
    pub(super) history: bool,
    /// Whether to read every page again at the end, using everything learned from all pages.
    pub(super) again: bool,
    /// Fetch time of pages whose lines do not state one.
    pub(super) fetched_at: Option<Time>,
}

#[derive(Debug, Deserialize)]
struct Job {
    id: serde_json::Value,
    html_path: Option<PathBuf>,
    html: Option<String>,
    title: Option<String>,
    summary: Option<String>,
    url: Option<String>,
    source: Option<String>,
    fetched_at: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Line {
    id: serde_json::Value,
    text: String,
    title: Option<String>,
    authors: Vec<String>,
    published: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_confidence: Option<&'static str>,
    modified: Option<String>,
    /// Milliseconds for processing the page, excluding reading its file.
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Batch {
    /// Processes the lines of `input`. Stops if `write` returns an error.
    pub(super) fn run<E>(
        &self,
        input: impl BufRead,
        mut write: impl FnMut(&Line) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut learned: HashMap<String, Template> = HashMap::new();
        let mut jobs = Vec::new();
        for line in input.lines().map_while(Result::ok).filter(|l| !l.trim().is_empty()) {
            match serde_json::from_str::<Job>(&line) {
                Ok(job) => {
                    write(&self.one(&job, &mut learned, true))?;
                    if self.again {
                        jobs.push(job);
                    }
                }
                Err(e) => write(&Line::failed(serde_json::Value::Null, e.to_string()))?,
            }
        }
        for job in jobs {
            write(&self.one(&job, &mut learned, false))?;
        }
        Ok(())
    }

    fn one(&self, job: &Job, learned: &mut HashMap<String, Template>, learn: bool) -> Line {
        let page = match (&job.html, &job.html_path) {
            (Some(html), _) => Ok(html.clone()),
            (None, Some(path)) => read_page(&self.root.join(path)),
            (None, None) => Err("neither html nor html_path is given".to_owned()),
        };
        let page = match page {
            Ok(page) => page,
            Err(e) => return Line::failed(job.id.clone(), e),
        };
        let guide = Guide {
            title: job.title.clone(),
            summary: job.summary.clone(),
            url: job.url.as_deref().and_then(|u| Url::parse(u).ok()),
            fetched_at: job.fetched_at.as_deref().and_then(date::parse).or(self.fetched_at),
        };
        let source = job.source.as_ref().filter(|_| self.history);
        let template = source.map(|s| (learned.entry(s.clone()).or_default(), learn));
        let start = Instant::now();
        let found = extract(&page, &guide, self.mode, template);
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        let mut line = Line { ms, ..Line::new(job.id.clone(), found) };
        if line.error.is_some() {
            line.dates(&page_dates(&page, &guide));
        }
        line
    }
}

impl Line {
    fn new(id: serde_json::Value, found: Result<Extraction, NoArticle>) -> Self {
        match found {
            Ok(found) => {
                let dates = Dates {
                    published: found.dated,
                    modified: found.modified,
                    offsets: found.offsets,
                };
                let mut line = Self {
                    text: found.text,
                    title: found.title,
                    authors: found.authors,
                    error: None,
                    ..Self::failed(id, String::new())
                };
                line.dates(&dates);
                line
            }
            Err(e) => Self::failed(id, e.to_string()),
        }
    }

    fn dates(&mut self, dates: &Dates) {
        let published = dates.published;
        self.published = published.map(|p| p.time.to_rfc3339());
        self.published_from = published.map(|p| p.from.name());
        self.published_confidence = published.map(|p| p.confidence.name());
        self.modified = dates.modified.map(|t| t.to_rfc3339());
    }

    fn failed(id: serde_json::Value, error: String) -> Self {
        let error = Some(error);
        Self {
            id,
            text: String::new(),
            title: None,
            authors: Vec::new(),
            published: None,
            published_from: None,
            published_confidence: None,
            modified: None,
            ms: 0.0,
            error,
        }
    }
}

//! Many pages for `newsfed extract --batch`: lines of JSON in, lines of JSON out, in order.

use super::extract::read_page;
use crate::article::{Extraction, Guide, Mode, NoArticle, Template, extract};
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
    /// Whether to learn from pages of one source.
    pub(super) history: bool,
    /// Whether to read every page again at the end with everything that was learned.
    pub(super) again: bool,
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
}

#[derive(Debug, Serialize)]
pub(super) struct Line {
    id: serde_json::Value,
    text: String,
    title: Option<String>,
    authors: Vec<String>,
    published: Option<String>,
    modified: Option<String>,
    /// Milliseconds for the page, excluding reading its file.
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Batch {
    /// Processes the lines of `input`. Stops at an error of `write`.
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
        };
        let source = job.source.as_ref().filter(|_| self.history);
        let template = source.map(|s| (learned.entry(s.clone()).or_default(), learn));
        let start = Instant::now();
        let found = extract(&page, &guide, self.mode, template);
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        Line { ms, ..Line::new(job.id.clone(), found) }
    }
}

impl Line {
    fn new(id: serde_json::Value, found: Result<Extraction, NoArticle>) -> Self {
        match found {
            Ok(found) => Self {
                id,
                text: found.text,
                title: found.title,
                authors: found.authors,
                published: found.published.map(|t| t.to_rfc3339()),
                modified: found.modified.map(|t| t.to_rfc3339()),
                ms: 0.0,
                error: None,
            },
            Err(e) => Self::failed(id, e.to_string()),
        }
    }

    fn failed(id: serde_json::Value, error: String) -> Self {
        let error = Some(error);
        Self {
            id,
            text: String::new(),
            title: None,
            authors: Vec::new(),
            published: None,
            modified: None,
            ms: 0.0,
            error,
        }
    }
}

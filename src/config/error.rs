//! What is wrong in a file that people wrote: where, what was expected, what was found.

pub(crate) use crate::util::near::did_you_mean;
use crate::util::text::line as clean;
use std::fmt;
use std::path::{Path, PathBuf};

/// Errors kept of one file. A file with more says how many it does not show.
const MOST_ERRORS: usize = 100;

/// Where a fault stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A character of a file; line and column count from 1.
    Point {
        /// The file.
        file: PathBuf,
        /// Line.
        line: usize,
        /// Column in characters.
        column: usize,
    },
    /// A file as a whole.
    File(PathBuf),
    /// The argument of a `--set`.
    Set(String),
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Where.
    pub place: Place,
    /// The key, as `net.host_delay` or `source "id": interval`; empty for the file itself.
    pub key: String,
    /// What was expected, what was found, and perhaps what was meant.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Point { file, line, column } => {
                write!(f, "{}:{line}:{column}: ", clean(&file.to_string_lossy()))?;
            }
            Place::File(file) => write!(f, "{}: ", clean(&file.to_string_lossy()))?,
            Place::Set(argument) => write!(f, "--set {}: ", clean(argument))?,
        }
        match (&self.place, self.key.as_str()) {
            (_, "") => {}
            (Place::Set(argument), key) if argument == key => {}
            (_, key) => write!(f, "{}: ", clean(key))?,
        }
        f.write_str(&clean(&self.message))
    }
}

/// Every fault found in the files, in the order of reading. Never empty when returned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigErrors {
    /// The faults.
    pub errors: Vec<ConfigError>,
    /// Further faults that were only counted.
    pub more: usize,
}

impl ConfigErrors {
    /// One error of a file as a whole.
    pub(super) fn whole(file: &str, message: impl fmt::Display) -> Self {
        let place = Place::File(PathBuf::from(file));
        let error = ConfigError { place, key: String::new(), message: message.to_string() };
        Self { errors: vec![error], more: 0 }
    }

    /// The line of the first fault that has one, from 1.
    pub fn first_line(&self) -> usize {
        let mut lines = self.errors.iter().filter_map(|error| match error.place {
            Place::Point { line, .. } => Some(line),
            _ => None,
        });
        lines.next().unwrap_or(1)
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.errors.iter().enumerate() {
            let newline = if i == 0 { "" } else { "\n" };
            write!(f, "{newline}{error}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for ConfigErrors {}

/// Where in the texts being read a key or value stands: bytes `start..end` of origin number
/// `origin`, where 0 is the file and the others are `--set` arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct At {
    pub(crate) origin: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Collects faults and warnings while a file is read.
pub(crate) struct Report {
    file: PathBuf,
    /// Byte offsets at which lines start.
    lines: Vec<usize>,
    text: String,
    sets: Vec<String>,
    /// Dotted keys to suggest when a key stands in the wrong table.
    pub(crate) elsewhere: Vec<String>,
    pub(crate) errors: ConfigErrors,
    pub(crate) warnings: Vec<ConfigError>,
}

impl Report {
    pub(crate) fn new(file: &Path, text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self {
            file: file.to_owned(),
            lines: std::iter::once(0).chain(ends).collect(),
            text: text.to_owned(),
            sets: Vec::new(),
            elsewhere: Vec::new(),
            errors: ConfigErrors::default(),
            warnings: Vec::new(),
        }
    }

    /// Registers a `--set` argument's key and returns its origin number.
    pub(crate) fn add_set(&mut self, key: &str) -> usize {
        self.sets.push(key.to_owned());
        self.sets.len()
    }

    pub(crate) fn error(&mut self, at: At, key: &str, message: impl Into<String>) {
        let place = self.place(at);
        self.push(ConfigError { place, key: key.to_owned(), message: message.into() });
    }

    pub(crate) fn warn(&mut self, at: At, key: &str, message: impl Into<String>) {
        if self.warnings.len() < MOST_ERRORS {
            let place = self.place(at);
            self.warnings.push(ConfigError { place, key: key.to_owned(), message: message.into() });
        }
    }

    /// A fault of the file as a whole.
    pub(crate) fn whole(&mut self, message: impl Into<String>) {
        let place = Place::File(self.file.clone());
        self.push(ConfigError { place, key: String::new(), message: message.into() });
    }

    /// Names the table that an unknown key belongs to.
    pub(crate) fn elsewhere(&self, key: &str) -> String {
        let ending = format!(".{key}");
        let found = self.elsewhere.iter().find(|k| k.ends_with(&ending));
        found.map(|k| format!("; did you mean \"{k}\"?")).unwrap_or_default()
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.errors.errors.is_empty()
    }

    /// What was read together with the warnings, or all faults in the order of the file.
    pub(crate) fn finish<T>(mut self, read: T) -> Result<(T, Vec<ConfigError>), ConfigErrors> {
        if self.is_clean() {
            return Ok((read, self.warnings));
        }
        self.errors.errors.sort_by_key(|e| match e.place {
            Place::File(_) => (0, 0, 0),
            Place::Point { line, column, .. } => (1, line, column),
            Place::Set(_) => (2, 0, 0),
        });
        Err(self.errors)
    }

    fn push(&mut self, error: ConfigError) {
        if self.errors.errors.len() < MOST_ERRORS {
            self.errors.errors.push(error);
        } else {
            self.errors.more += 1;
        }
    }

    fn place(&self, at: At) -> Place {
        if let Some(set) = at.origin.checked_sub(1).and_then(|i| self.sets.get(i)) {
            return Place::Set(set.clone());
        }
        let line = self.lines.partition_point(|start| *start <= at.start).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..at.start).unwrap_or("");
        let column = before.chars().filter(|c| *c != '\u{feff}').count() + 1;
        Place::Point { file: self.file.clone(), line, column }
    }
}

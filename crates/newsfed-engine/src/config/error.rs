//! Errors in a file that users write: the place, what was expected, and what was found.

pub use crate::util::near::did_you_mean;
use crate::util::text::{counted, line as clean};
use std::fmt;
use std::path::{Path, PathBuf};

/// Maximum number of errors kept per file. Further ones are only counted.
const MAX_ERRORS: usize = 100;

/// Where an error is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorPlace {
    /// A position in a file; line and column are 1-based.
    Point {
        file: PathBuf,
        line: usize,
        /// In characters.
        column: usize,
    },
    /// A file as a whole.
    File(PathBuf),
    /// A `--set` argument.
    Set(String),
}

/// One error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    pub place: ErrorPlace,
    /// The key, such as `net.host_delay` or `source "id": interval`; empty for the file itself.
    pub key: String,
    /// What was expected, what was found, and possibly a suggestion.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            // An element that is not in a file yet has no position to print.
            ErrorPlace::Point { file, .. } if file.as_os_str().is_empty() => {}
            ErrorPlace::Point { file, line, column } => {
                write!(f, "{}:{line}:{column}: ", clean(&file.to_string_lossy()))?;
            }
            ErrorPlace::File(file) => write!(f, "{}: ", clean(&file.to_string_lossy()))?,
            ErrorPlace::Set(argument) => write!(f, "--set {}: ", clean(argument))?,
        }
        match (&self.place, self.key.as_str()) {
            (_, "") => {}
            (ErrorPlace::Set(argument), key) if argument == key => {}
            (_, key) => write!(f, "{}: ", clean(key))?,
        }
        f.write_str(&clean(&self.message))
    }
}

/// Every error in the files, in reading order. Never empty when returned as an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigErrors {
    pub errors: Vec<ConfigError>,
    /// The number of further errors.
    pub more: usize,
}

impl ConfigErrors {
    /// An error about the whole file.
    pub(super) fn whole(file: &str, message: impl fmt::Display) -> Self {
        let place = ErrorPlace::File(PathBuf::from(file));
        let error = ConfigError { place, key: String::new(), message: message.to_string() };
        Self { errors: vec![error], more: 0 }
    }

    /// The line of the first error with a position, 1-based.
    pub fn first_line(&self) -> usize {
        let mut lines = self.errors.iter().filter_map(|error| match error.place {
            ErrorPlace::Point { line, .. } => Some(line),
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

/// The position of a key or value in the texts being read: bytes `start..end` of origin number
/// `origin`, where 0 is the file and the others are `--set` arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct At {
    pub(crate) origin: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Collects errors and warnings while a file is read.
pub(crate) struct Report {
    file: PathBuf,
    text: String,
    sets: Vec<String>,
    /// Dotted keys to suggest for a key in the wrong table.
    pub(crate) elsewhere: Vec<String>,
    pub(crate) errors: ConfigErrors,
    pub(crate) warnings: Vec<ConfigError>,
}

impl Report {
    pub(crate) fn new(file: &Path, text: &str) -> Self {
        Self {
            file: file.to_owned(),
            text: text.to_owned(),
            sets: Vec::new(),
            elsewhere: Vec::new(),
            errors: ConfigErrors::default(),
            warnings: Vec::new(),
        }
    }

    /// Registers the key of a `--set` argument and returns its origin number.
    pub(crate) fn add_set(&mut self, key: &str) -> usize {
        self.sets.push(key.to_owned());
        self.sets.len()
    }

    pub(crate) fn error(&mut self, at: At, key: &str, message: impl Into<String>) {
        if self.errors.errors.len() < MAX_ERRORS {
            let place = self.place(at);
            self.push(ConfigError { place, key: key.to_owned(), message: message.into() });
        } else {
            self.errors.more += 1;
        }
    }

    pub(crate) fn warn(&mut self, at: At, key: &str, message: impl Into<String>) {
        if self.warnings.len() < MAX_ERRORS {
            let place = self.place(at);
            self.warnings.push(ConfigError { place, key: key.to_owned(), message: message.into() });
        }
    }

    /// Adds an error about the whole file.
    pub(crate) fn whole(&mut self, message: impl Into<String>) {
        let place = ErrorPlace::File(self.file.clone());
        self.push(ConfigError { place, key: String::new(), message: message.into() });
    }

    /// Suggests the table that an unknown setting belongs to.
    pub(crate) fn elsewhere(&self, key: &str) -> String {
        let ending = format!(".{key}");
        let found = self.elsewhere.iter().find(|k| k.ends_with(&ending));
        found.map(|k| format!("; did you mean \"{k}\"?")).unwrap_or_default()
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.errors.errors.is_empty()
    }

    /// The result with the warnings, or all errors in file order.
    pub(crate) fn finish<T>(mut self, read: T) -> Result<(T, Vec<ConfigError>), ConfigErrors> {
        if self.is_clean() {
            return Ok((read, self.warnings));
        }
        self.errors.errors.sort_by_key(|e| match e.place {
            ErrorPlace::File(_) => (0, 0, 0),
            ErrorPlace::Point { line, column, .. } => (1, line, column),
            ErrorPlace::Set(_) => (2, 0, 0),
        });
        Err(self.errors)
    }

    fn push(&mut self, error: ConfigError) {
        if self.errors.errors.len() < MAX_ERRORS {
            self.errors.errors.push(error);
        } else {
            self.errors.more += 1;
        }
    }

    fn place(&self, at: At) -> ErrorPlace {
        if let Some(set) = at.origin.checked_sub(1).and_then(|i| self.sets.get(i)) {
            return ErrorPlace::Set(set.clone());
        }
        // Runs at most MAX_ERRORS times, so no line index is needed.
        let before = self.text.get(..at.start).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let before = before.rsplit('\n').next().unwrap_or("");
        let column = before.chars().filter(|c| *c != '\u{feff}').count() + 1;
        ErrorPlace::Point { file: self.file.clone(), line, column }
    }
}

/// The first warning about the files, and the number of the others.
pub fn first_warning(warnings: &[impl fmt::Display]) -> Option<String> {
    let (first, others) = warnings.split_first()?;
    let more = match others.len() {
        0 => String::new(),
        more => format!(". {}: see `newsfed config check`", counted(more, "more warning")),
    };
    Some(format!("{first}{more}"))
}

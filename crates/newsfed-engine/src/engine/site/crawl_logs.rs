//! The logs of crawled sources, from which later polls continue.

use super::crawl::MAX_REQUESTS;
use crate::engine::crawl::{
    Crawl, CrawlBudget, CrawlError, CrawlLocation, CrawlNetwork, CrawlSpec, Revisit, spec_at,
};
use std::collections::HashSet;
use std::path::Path;

/// The folder of the crawl logs, next to the database.
pub(super) const FOLDER: &str = crate::config::CRAWLS_FOLDER;

/// The saved state of earlier polls.
pub(super) enum SavedCrawl {
    /// An unfinished exploration.
    Exploring(Box<Crawl>),
    /// A finished exploration with what it learned.
    Learned(Box<Revisit>),
}

impl SavedCrawl {
    /// Opens the log of a source; `None` if there is none for these parameters. A different URL, host or
    /// target means a different crawl; a different redirect on the same host does not.
    pub(super) fn open(
        place: &CrawlLocation,
        spec: &CrawlSpec,
        budget: CrawlBudget,
        net: &impl Fn() -> CrawlNetwork,
    ) -> Result<Option<Self>, CrawlError> {
        let before = spec_at(place)?;
        let same = |b: CrawlSpec| {
            let from = b.declared.as_ref().unwrap_or(&b.start);
            b.targets == spec.targets
                && Some(from) == spec.declared.as_ref()
                && b.start.host_str() == spec.start.host_str()
        };
        if !before.is_some_and(same) {
            return Ok(None);
        }
        Ok(Some(match Revisit::open(place, budget, net())? {
            Some(again) => Self::Learned(Box::new(again)),
            None => {
                let crawl = Crawl::resume(place, budget, net())?.allow(MAX_REQUESTS);
                Self::Exploring(Box::new(crawl))
            }
        }))
    }

    /// Starts an exploration, replacing any earlier log.
    pub(super) fn explore(
        file: &Path,
        place: &CrawlLocation,
        spec: CrawlSpec,
        budget: CrawlBudget,
        net: CrawlNetwork,
    ) -> Result<Self, CrawlError> {
        Ok(Self::Exploring(Box::new(restart(file, place, spec, budget, net)?)))
    }

    /// Stores what was learned. Returns a note on what was left out.
    pub(super) fn conclude(self) -> Result<Option<String>, CrawlError> {
        match self {
            Self::Exploring(mut crawl) => crawl.conclude().map(|()| None),
            Self::Learned(again) => again.conclude(),
        }
    }
}

/// Removes the logs of sources that are no longer stored.
///
/// # Errors
/// If the folder cannot be read, or a file cannot be removed.
pub(in crate::engine) fn tidy(folder: &Path, kept: &HashSet<String>) -> std::io::Result<()> {
    let files = match std::fs::read_dir(folder.join(FOLDER)) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        files => files?,
    };
    for file in files {
        let file = file?;
        let name = file.file_name();
        // The files that SQLite creates next to a log have the same id in their names.
        let id = name.to_str().and_then(|name| name.rsplit_once(".db")).map(|(id, _)| id);
        if id.is_some_and(|id| !kept.contains(id)) {
            std::fs::remove_file(file.path())?;
        }
    }
    Ok(())
}

fn restart(
    file: &Path,
    place: &CrawlLocation,
    spec: CrawlSpec,
    budget: CrawlBudget,
    net: CrawlNetwork,
) -> Result<Crawl, CrawlError> {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    // SQLite's own log is removed first, because it would be applied to the next file.
    for old in [Path::new(&log), file] {
        match std::fs::remove_file(old) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                return Err(CrawlError::File { path: old.to_owned(), why });
            }
            _ => {}
        }
    }
    Crawl::begin(place, spec, budget, net)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_logs_of_removed_sources() {
        let dir = tempfile::tempdir().unwrap();
        tidy(dir.path(), &HashSet::new()).unwrap();
        let folder = dir.path().join(FOLDER);
        std::fs::create_dir(&folder).unwrap();
        let names = ["kept.db", "kept.db-wal", "gone.db", "gone.db-wal", "a.db.db", "else.txt"];
        for name in names {
            std::fs::write(folder.join(name), "x").unwrap();
        }
        tidy(dir.path(), &["kept", "a.db"].map(str::to_owned).into()).unwrap();
        let left = names.map(|name| folder.join(name).exists());
        assert_eq!(left, [true, true, false, false, true, true]);
    }
}

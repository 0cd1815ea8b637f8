//! Tests of the files through the functions that other modules use: loading, changing, undoing, importing.

mod changes;
mod folder;
mod import_lines;
mod importing;
mod lists;
mod loading;
mod shown;
mod undoing;
mod values;

use super::{Loaded, Paths, load};
use crate::model::SourceId;
use std::fs;
use tempfile::TempDir;

const SOURCES: &str = "# My feeds.\n\n# The best one\n[[source]] # first\nurl = \"https://a.example/feed\"  # daily\n\
    title = 'A'# tight\n\n[[source]]\nid = \"b\"\nurl = \"https://b.example/\"\ntags = [\n  \"x\", # one\n]\n\
    [source.headers]\nX-Key = { env = \"KEY\" }\n\n# off for now\n[[source]]\nid = \"c\"\nurl = \"https://c.example/\"\nenabled = false\n";

fn home(sources: &str) -> (TempDir, Paths) {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::below(folder.path());
    fs::create_dir_all(paths.config_dir()).unwrap();
    fs::write(paths.sources_file(), sources).unwrap();
    (folder, paths)
}

fn id(id: &str) -> SourceId {
    SourceId(id.to_owned())
}

fn text(paths: &Paths) -> String {
    fs::read_to_string(paths.sources_file()).unwrap()
}

fn ids(paths: &Paths) -> Vec<String> {
    load(paths, &[]).unwrap().sources.into_iter().map(|s| s.id.0).collect()
}

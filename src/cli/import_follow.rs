//! `newsfed import --follow`: follows an OPML list.

use super::exit::{Exit, Failure};
use super::home::Home;
use super::import::{Entry, Skipped, is_web};
use super::output::Output;
use super::runtime::with_engine;
use crate::config::SourceChange;
use crate::engine::ListFollowed;
use crate::util::text::{counted, line};
use serde::Serialize;
use std::path::Path;

/// JSON output for a list that is followed.
#[derive(Serialize)]
struct Followed {
    id: String,
    url: String,
    added: Vec<Entry>,
    /// URLs of the list that are already followed.
    already: Vec<String>,
    skipped: Vec<Skipped>,
    /// Why the sources of the list were not added, although the list is followed.
    problem: Option<String>,
}

impl From<ListFollowed> for Followed {
    fn from(followed: ListFollowed) -> Self {
        let entry =
            |s: &crate::model::Source| Entry { id: s.id.to_string(), url: s.url.to_string() };
        Self {
            id: followed.source.id.to_string(),
            url: followed.source.url.to_string(),
            added: followed.added.iter().map(entry).collect(),
            already: followed.already.iter().map(ToString::to_string).collect(),
            skipped: followed
                .skipped
                .into_iter()
                .map(|(what, why)| Skipped { what, why })
                .collect(),
            problem: followed.problem,
        }
    }
}

pub(super) fn run(
    file: &Path,
    title: Option<String>,
    folder: Option<String>,
    home: &Home,
    out: &mut Output,
) -> Result<Exit, Failure> {
    for (key, typed) in [("title", &title), ("folder", &folder)] {
        SourceChange::check(key, typed.as_deref().unwrap_or_default())
            .map_err(|why| Failure::Usage(format!("--{key}: {why}")))?;
    }
    let typed = file.to_string_lossy();
    if file == Path::new("-") {
        let why = "standard input cannot be followed; give a file or a URL";
        return Err(Failure::Usage(why.to_owned()));
    }
    let typed = match is_web(&typed) {
        true => typed.into_owned(),
        false => std::path::absolute(file)?.to_string_lossy().into_owned(),
    };
    let followed =
        with_engine(home, out, async |h, _| Ok(h.follow_list(&typed, title, folder).await?))?;
    let followed = Followed::from(followed);
    for skipped in &followed.skipped {
        out.note(format!("skipped: {}: {}", line(&skipped.what), skipped.why));
    }
    if out.verbose > 0 {
        followed.added.iter().for_each(|entry| out.note(format!("added: {}", line(&entry.url))));
    }
    let exit = if followed.problem.is_some() { Exit::Partial } else { Exit::Ok };
    if let Some(problem) = &followed.problem {
        out.warn(format!("newsfed: {}: {problem}", followed.id));
    }
    if out.json {
        out.value(&followed)?;
        return Ok(exit);
    }
    let (added, already) = (counted(followed.added.len(), "source"), followed.already.len());
    let skipped = followed.skipped.len();
    let id = &followed.id;
    out.result(format!(
        "{id}: {added} added, {already} already followed, {skipped} skipped; read once a day"
    ))?;
    Ok(exit)
}

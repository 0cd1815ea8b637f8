//! Changes to the marks of items.

use super::Api;
use super::call::MarkChange;
use super::directory::Directory;
use super::refusal::Refusal;
use crate::config::{FileChange, SourceChange};
use crate::greader::Stream;
use crate::model::SourceId;
use crate::store::{MAX_TAG, Mark, StreamPart, StreamQuery};
use crate::util::text::comparable;

/// The mark for a stream.
fn mark_of(stream: &Stream, directory: &Directory) -> Result<Mark, Refusal> {
    match stream {
        Stream::Read => Ok(Mark::Read),
        Stream::Starred => Ok(Mark::Pinned),
        Stream::Label(name) if directory.is_folder(name) => {
            Err(Refusal::Bad(format!("{name} is a subscription folder, not an item label")))
        }
        Stream::Label(name) => check_tag(name).map(|()| Mark::Tag(name.clone())),
        other => Err(Refusal::Bad(format!("{other} is not a mark"))),
    }
}

/// Rejects names that cannot be stored unchanged.
fn check_tag(name: &str) -> Result<(), Refusal> {
    if comparable(name).is_empty() || name.contains('"') || name.chars().count() > MAX_TAG {
        let why = format!("a label has 1 to {MAX_TAG} characters and no quotation marks");
        return Err(Refusal::Bad(why));
    }
    Ok(())
}

impl Api {
    /// Sets and removes marks.
    pub(super) async fn edit_tag(&self, marks: MarkChange) -> Result<(), Refusal> {
        let MarkChange { items, add, remove } = marks;
        let read = move |reader: &crate::store::Reader, directory: &Directory| {
            let mark = |stream: &Stream| mark_of(stream, directory);
            let add = add.iter().map(mark).collect::<Result<Vec<_>, _>>()?;
            let remove = remove.iter().map(mark).collect::<Result<Vec<_>, _>>()?;
            Ok((reader.known_items(&items)?, add, remove))
        };
        let (items, add, remove) = self.with_directory(read).await?;
        if items.is_empty() {
            return Err(Refusal::Bad("there is no item with this id".to_owned()));
        }
        for (marks, to) in [(add, true), (remove, false)] {
            for mark in marks {
                self.handle.mark_by_user(mark, items.clone(), to).await?;
            }
        }
        Ok(())
    }

    /// Marks as read the items of a stream that were discovered up to a time, in microseconds since 1970.
    pub(super) async fn mark_all_read(
        &self,
        stream: Option<Stream>,
        until: Option<i64>,
    ) -> Result<(), Refusal> {
        let read = move |reader: &crate::store::Reader, directory: &Directory| {
            let part = directory.part(stream.as_ref());
            let known = match &part {
                StreamPart::Nothing => false,
                StreamPart::Label { tag, sources } => {
                    let form = comparable(tag);
                    let is_tag = |tag: &String| comparable(tag) == form;
                    !sources.is_empty() || reader.item_tags()?.iter().any(is_tag)
                }
                _ => true,
            };
            if !known {
                return Err(Refusal::Bad("s is not a stream of this server".to_owned()));
            }
            let unread = StreamQuery {
                within: vec![part],
                without: vec![StreamPart::Read],
                until,
                most: usize::MAX,
                ..StreamQuery::default()
            };
            Ok(reader.stream(&unread)?)
        };
        let items = self.with_directory(read).await?;
        self.handle.mark_by_user(Mark::Read, items, true).await?;
        Ok(())
    }

    /// Renames a folder or a tag, or removes it if there is no new name.
    pub(super) async fn relabel(&self, from: String, to: Option<String>) -> Result<(), Refusal> {
        let (name, form, new) = (from.clone(), comparable(&from), to.clone());
        let read = move |reader: &crate::store::Reader, directory: &Directory| {
            let within = directory.feeds.iter().filter(|feed| feed.folder() == Some(&name));
            let sources: Vec<SourceId> = within.map(|feed| feed.source.id.clone()).collect();
            let is_tag = reader.item_tags()?.iter().any(|tag| comparable(tag) == form);
            // The new name is checked before anything is changed.
            if let Some(to) = new.filter(|_| is_tag) {
                mark_of(&Stream::Label(to), directory)?;
            }
            Ok((sources, is_tag))
        };
        let (sources, is_tag) = self.with_directory(read).await?;
        if !sources.is_empty() {
            self.check_edit()?;
            let folder = to.clone().unwrap_or_default();
            let change = SourceChange::default().set("folder", &folder);
            SourceChange::check("folder", &folder).map_err(Refusal::Bad)?;
            let each = sources.into_iter().map(|id| (id, change.clone())).collect();
            self.edit_files(FileChange::Sources(each)).await?;
        } else if !is_tag {
            return Err(Refusal::Bad(format!("there is no folder or label {from}")));
        }
        if is_tag {
            self.handle.store().retag(from, to).await?;
        }
        Ok(())
    }
}

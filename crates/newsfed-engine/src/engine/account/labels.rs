//! Local tags of items, and labels on the server. As with marks, only the differences from the labels last
//! seen on the server are sent, and only lists from the server change which labels were last seen.

use super::plan::{self, MAX_TRIES};
use super::state::AccountError;
use super::sync::{HOUR, Sync};
use crate::greader::{RemoteId, RemoteMark, RemoteRequest, Stream, Tags};
use crate::store::{MergedLabels, SeenLabel, WaitingLabel, tag_form};
use crate::util::text;
use std::collections::{BTreeMap, HashSet};

/// Maximum number of labels per server that are synchronised. Each label is a separate list.
const MAX_LABELS: usize = 200;

/// Tags in normalised form, each with an item that got or lost it on the server.
pub(super) type SentLabels = HashSet<(String, RemoteId)>;

/// The labels and folders of a server, by the normalised form of their names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TagList {
    /// Names that differ only in case or accents are one local tag.
    labels: BTreeMap<String, Vec<String>>,
    folders: HashSet<String>,
}

impl TagList {
    /// Sorts tags into labels and folders. Servers treat a label with the name of a folder as the folder.
    fn of(tags: Tags) -> Self {
        let mut list = Self::default();
        for tag in tags.tags {
            let Some(Stream::Label(name)) = Stream::parse(&tag.id) else { continue };
            let form = tag_form(&text::line(&name));
            match tag.kind.as_deref() {
                Some("tag") if !form.is_empty() => {
                    list.labels.entry(form).or_default().push(name);
                }
                _ => {
                    list.folders.insert(form);
                }
            }
        }
        list.labels.retain(|form, _| !list.folders.contains(form));
        list
    }

    /// The labels to add to an item, or remove from it, so that it has or loses the tag.
    fn names(&self, change: &WaitingLabel) -> Vec<String> {
        match (self.labels.get(&change.form), change.to) {
            (Some(names), true) => names.iter().take(1).cloned().collect(),
            (Some(names), false) => names.clone(),
            (None, true) => vec![change.tag.clone()],
            (None, false) => Vec::new(),
        }
    }
}

impl Sync {
    /// The labels and folders of the server. `None` if the server rejects the request, which does not stop
    /// the synchronisation.
    async fn tag_list(&mut self) -> Result<Option<TagList>, AccountError> {
        let request = |_: &str| RemoteRequest::tags();
        match self.session.read::<Tags>("the labels", false, request).await {
            Ok((tags, _)) => Ok(Some(TagList::of(tags))),
            Err(e) if e.is_rejected() || matches!(e, AccountError::Shape { .. }) => {
                let now = self.now();
                self.state.warn(now, format!("labels were not synchronised: {e}"));
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    /// Sends pending changes to tags. Returns what was sent; `None` if nothing was pending.
    pub(super) async fn push_labels(&mut self) -> Result<Option<SentLabels>, AccountError> {
        let key = self.key();
        if !self.dialect().has_labels() {
            return Ok(None);
        }
        let waiting = self.context.read(move |r| r.waiting_labels(key, MAX_TRIES)).await?;
        if waiting.is_empty() {
            return Ok(None);
        }
        // Labels must not be sent to a different server.
        self.check_server().await?;
        let Some(list) = self.tag_list().await? else { return Ok(None) };
        let mut sent = SentLabels::new();
        for change in waiting {
            if list.folders.contains(&change.form) {
                let now = self.now();
                let why = "the server has a folder with this name";
                self.state.warn(now, format!("the tag \"{}\" is not sent: {why}", change.tag));
                self.context.store.keep_tags_here(key, change.form, MAX_TRIES).await?;
                continue;
            }
            self.push_label(&change, &list.names(&change)).await?;
            sent.extend(change.items.into_iter().map(|item| (change.form.clone(), item)));
        }
        Ok(Some(sent))
    }

    async fn push_label(
        &mut self,
        change: &WaitingLabel,
        names: &[String],
    ) -> Result<(), AccountError> {
        for items in change.items.chunks(plan::LARGEST_BATCH) {
            let (key, form) = (self.key(), change.form.clone());
            self.context.store.begin_sending_label(key, form, items.to_vec()).await?;
            for name in names {
                let state = RemoteMark::Label(name.clone());
                let request = |token: &str| RemoteRequest::mark(token, &state, change.to, items);
                match self.session.send("a label", true, request).await {
                    // The label is treated as sent without effect, and reported after several attempts.
                    Err(e) if e.is_rejected() => {
                        tracing::warn!(account = %self.settings.id, "a label was rejected: {e}");
                    }
                    other => drop(other?),
                }
            }
            self.done.sent += items.len();
        }
        Ok(())
    }

    /// Applies the labels of the server, once an hour and whenever labels were sent.
    pub(super) async fn merge_labels(
        &mut self,
        sent: Option<SentLabels>,
    ) -> Result<(), AccountError> {
        let is_due = self.state.labels_at.is_none_or(|at| (self.now() - at).abs() >= HOUR);
        if !self.dialect().has_labels() || (sent.is_none() && !is_due) {
            return Ok(());
        }
        // If labels were sent, try again in the next synchronisation, otherwise in an hour.
        let retry = if sent.is_some() { None } else { Some(self.now()) };
        let Some(list) = self.tag_list().await? else {
            self.state.labels_at = retry;
            return Ok(());
        };
        if list.labels.len() > MAX_LABELS {
            let (now, count) = (self.now(), list.labels.len());
            let why = format!("{count} labels are too many to synchronise; at most {MAX_LABELS}");
            self.state.warn(now, why);
            self.state.labels_at = Some(now);
            return Ok(());
        }
        let mut seen = Vec::new();
        for (form, names) in &list.labels {
            let mut items = HashSet::new();
            for name in names {
                let stream = Stream::Label(name.clone());
                items.extend(self.ids(&stream, false, None, usize::MAX).await?);
            }
            let tag = names.first().map(|name| text::line(name)).unwrap_or_default();
            seen.push(SeenLabel { form: form.clone(), tag, items });
        }
        // FreshRSS lists all items for a label that has been removed in the meantime.
        if !seen.is_empty() && self.tag_list().await?.as_ref() != Some(&list) {
            self.state.labels_at = retry;
            return Ok(());
        }
        let (sent, accept) = (sent.unwrap_or_default(), self.accept);
        match self.context.store.merge_labels(self.key(), seen, sent, accept).await? {
            MergedLabels::Taken(taken) => self.done.received += taken,
            MergedLabels::TooMany { lost } => return Err(AccountError::Labels { lost }),
        }
        self.state.labels_at = Some(self.now());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::greader::RemoteTag;

    #[test]
    fn skips_labels_named_like_folders() {
        let tag = |id: &str, kind: Option<&str>| RemoteTag {
            id: format!("user/-/{id}"),
            kind: kind.map(str::to_owned),
        };
        let tags = vec![
            tag("state/com.google/starred", None),
            tag("label/News", Some("folder")),
            tag("label/news", Some("tag")),
            tag("label/Unknown", None),
            tag("label/Rust", Some("tag")),
            tag("label/rúst", Some("tag")),
            tag("label/\u{200b}", Some("tag")),
        ];
        let list = TagList::of(Tags { tags });
        assert_eq!(
            list.labels,
            BTreeMap::from([("rust".to_owned(), vec!["Rust".to_owned(), "rúst".to_owned()])])
        );
        assert!(list.folders.contains("news") && list.folders.contains("unknown"));
        let change = |form: &str, to| {
            let (form, tag) = (form.to_owned(), form.to_uppercase());
            list.names(&WaitingLabel { form, tag, to, items: vec![] })
        };
        assert_eq!(
            (change("rust", true), change("rust", false).len()),
            (vec!["Rust".to_owned()], 2)
        );
        assert_eq!((change("new", true), change("new", false).len()), (vec!["NEW".to_owned()], 0));
    }
}

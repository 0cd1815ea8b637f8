//! Opens and downloads enclosures of items.

use super::availability::NO_ITEM;
use super::links::{LinkList, file_of};
use super::{App, Focus};
use crate::article::{Link, LinkKind};
use crate::config::Action;
use crate::model::Enclosure;
use crate::tui::effect::{Effect, FileOf, FileUse, MediaFile};
use crate::tui::event::Failure;
use crate::util::media::{is_playable, media_type};
use crate::util::text::size;
use crate::util::url_text::readable;

impl MediaFile {
    /// The file to which a link of an item leads.
    pub(super) fn of(link: &Link, of: FileOf) -> Self {
        let stated = link.file.as_ref().and_then(|file| file.mime.as_deref());
        let guess = if link.kind == LinkKind::Image { "image/" } else { "" };
        let media_type = media_type(stated, &link.url).unwrap_or_else(|| guess.to_owned());
        Self { of, url: link.url.clone(), media_type }
    }
}

impl App {
    /// Downloads the enclosures of the selected items, or opens the enclosure of the current item.
    pub(super) fn use_enclosure(&mut self, file_use: FileUse) -> Vec<Effect> {
        let rows = match (file_use, self.focus) {
            (FileUse::Open, Focus::Items) => self.items.current().cloned().into_iter().collect(),
            _ => self.item_targets(),
        };
        if rows.is_empty() {
            return self.note(NO_ITEM);
        }
        vec![Effect::FindEnclosures { of: rows.iter().map(file_of).collect(), file_use }]
    }

    /// Opens or downloads the only enclosure of an item, or its only audio or video. Otherwise, lists the
    /// enclosures. For several items, calls [`Self::use_all`].
    pub(super) fn enclosures_found(
        &mut self,
        file_use: FileUse,
        result: Result<Vec<(FileOf, Vec<Enclosure>)>, Failure>,
    ) -> Vec<Effect> {
        let mut found = match result {
            Ok(found) => found,
            Err(why) => return self.problem(why),
        };
        let (of, files) = match found.pop() {
            Some(last) if found.is_empty() => last,
            last => {
                found.extend(last);
                return self.use_all(found, file_use);
            }
        };
        let mut playable = files.iter().filter(|file| is_playable(file));
        let only = match (files.as_slice(), playable.next(), playable.next()) {
            ([], ..) => return self.note("This item has no enclosures"),
            ([one], ..) | (_, Some(one), None) => Some(one.clone()),
            _ => None,
        };
        if let Some(file) = only {
            return vec![Effect::UseFile { file: MediaFile::of(&link(file), of), file_use }];
        }
        let title = match file_use {
            FileUse::Open => "Enclosures",
            FileUse::Download => "Download",
        };
        let links: Vec<Link> = files.into_iter().map(link).collect();
        let (names, digits) = (vec![String::new(); links.len()], String::new());
        self.push_when_free(LinkList { title, links, names, selected: 0, digits, of, file_use })
    }

    /// Opens or downloads the audio and video of each item, or all its files if there is none.
    fn use_all(&mut self, found: Vec<(FileOf, Vec<Enclosure>)>, file_use: FileUse) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (of, mut files) in found {
            if files.iter().any(is_playable) {
                files.retain(is_playable);
            }
            let media = files.into_iter().map(|file| MediaFile::of(&link(file), of));
            effects.extend(media.map(|file| Effect::UseFile { file, file_use }));
        }
        if effects.is_empty() {
            return self.note("The selected items have no enclosures");
        }
        effects
    }

    /// Shows the progress of a download.
    pub(super) fn download_advanced(
        &mut self,
        url: &str,
        received: u64,
        total: Option<u64>,
    ) -> Vec<Effect> {
        self.download_progress(url, received, total);
        let of = total.filter(|total| *total > 0);
        let of = of.map(|total| {
            format!(" of {} ({} %)", size(total), received.saturating_mul(100) / total)
        });
        let key = self.keymap.keys_for(self.context(), Action::StopRunning);
        let stop = key.map(|key| format!("; {key} stops")).unwrap_or_default();
        let of = of.unwrap_or_default();
        let url = readable(url);
        self.note(format!("Downloading {url}: {}{of}{stop}", size(received)))
    }

    /// Shows the location of a downloaded file.
    pub(super) fn downloaded(&mut self, result: Result<String, Failure>) -> Vec<Effect> {
        match result {
            Ok(path) => self.note(format!("Downloaded {path}")),
            Err(why) => self.problem(format!("Not downloaded: {why}")),
        }
    }
}

fn link(file: Enclosure) -> Link {
    Link { url: file.url.clone(), kind: LinkKind::Media, size: None, file: Some(file) }
}

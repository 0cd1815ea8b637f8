//! `newsfed import` of items from the databases of other readers and from exports of read-later services.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::home::Home;
use super::import::ImportArgs;
use super::output::Output;
use super::progress::Progress;
use crate::config::SourcesFile;
use crate::exchange::{self, FileFormat, ForeignItems};
use crate::model::{Effect, ForeignItem, ForeignKind, Retention, Source, SourceId, Time};
use crate::store::{
    ForeignDatabase, ForeignSurplus, Hashing, IMPORT_PREFIX, ImportCounts, ImportedItem, Reader,
    Store, prepare,
};
use crate::util::clock::{Clock, SystemClock};
use crate::util::text::{self, counted};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of items stored together.
const BATCH: usize = 1000;
/// Maximum total size of the texts of items stored together, in bytes.
const BATCH_BYTES: usize = 8 << 20;
/// Maximum number of unfollowed feeds that are listed.
const NAMED: usize = 10;

#[derive(Serialize)]
struct Imported<'a> {
    kind: ForeignKind,
    /// The name of the import; `None` if there is nothing to undo.
    import: Option<&'a str>,
    /// The source that receives items whose feed is not followed.
    source: Option<&'a str>,
    #[serde(flatten)]
    counts: ImportCounts,
    unfollowed: Vec<Unfollowed<'a>>,
    unreadable: u64,
    long_texts: u64,
    related_over_limit: u64,
}

#[derive(Serialize)]
struct Unfollowed<'a> {
    feed: &'a str,
    items: u64,
}

/// Imports a file with items.
pub(super) fn run(
    file: &Path,
    bytes: Option<&[u8]>,
    format: FileFormat,
    args: &ImportArgs,
    home: Home,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let name = file.display().to_string();
    match bytes {
        None => {
            let store = home.store()?;
            let database = ForeignDatabase::open(file, store.folder())?;
            let mut importer = Importer::new(home, store, database.kind(), args, out)?;
            let taken = database.items(|item| importer.take(item));
            let taken = taken.map(|surplus| importer.surplus = surplus);
            importer.finish(taken, out)
        }
        Some(bytes) => {
            let ForeignItems { kind, items, unreadable } = exchange::parse(bytes, format, &name)?;
            let store = home.store()?;
            let mut importer = Importer::new(home, store, kind, args, out)?;
            importer.unreadable = unreadable as u64;
            let taken = items.into_iter().try_for_each(|item| importer.take(item));
            importer.finish(taken, out)
        }
    }
}

/// Undoes the last import.
pub(super) fn undo(home: &Home, out: &mut Output) -> Result<Exit, Failure> {
    let store = home.store()?;
    let Some(name) = store.reader()?.imports()?.into_iter().next() else {
        return Err(Failure::Plain("there is no item import to undo".to_owned()));
    };
    let done = store.undo_import_blocking(name)?;
    if out.json {
        out.value(&done)?;
    } else {
        let kept = match done.kept {
            0 => String::new(),
            n => format!(", {n} kept because you have marked them"),
        };
        let name = text::line(&done.import);
        let [removed, marks] = [done.removed, done.marks].map(|n| counted(n, "item"));
        out.result(format!("{name}: {removed} removed{kept}; marks of {marks} undone"))?;
    }
    Ok(Exit::Ok)
}

/// A source for items that were saved in a service. It is never polled, because its host cannot exist.
fn local_source(kind: ForeignKind) -> Result<Source, Failure> {
    let id = match kind {
        ForeignKind::Pocket => "pocket",
        ForeignKind::Inoreader => "inoreader",
        ForeignKind::Feedly => "feedly",
        _ => "starred",
    };
    let url = format!("https://{id}.invalid/").parse();
    let url = url.map_err(|e| Failure::Plain(format!("the source {id} has no URL: {e}")))?;
    Ok(Source {
        title: Some(kind.name().to_owned()),
        enabled: false,
        // Saved items are kept forever.
        retention: Some(Retention::default()),
        ..Source::feed(SourceId(id.to_owned()), url)
    })
}

/// A name for an import that differs from the names of earlier imports in the same second.
fn unused_name(earlier: &[String], kind: ForeignKind, now: Time) -> String {
    let at = now.format("%Y-%m-%d %H:%M:%S");
    let mut name = format!("{IMPORT_PREFIX}{} at {at}", kind.name());
    while earlier.contains(&name) {
        name.push('+');
    }
    name
}

/// The source in which items are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Target {
    /// A row key.
    Source(i64),
    /// The local source, which does not exist yet in a dry run.
    Local,
}

struct Importer<'a> {
    home: Home,
    store: Store,
    reader: Reader,
    hashing: Hashing,
    kind: ForeignKind,
    args: &'a ImportArgs,
    name: String,
    now: Time,
    /// Row keys of the followed sources, keyed by [`exchange::feed_key`].
    followed: HashMap<String, i64>,
    /// The local source: its row key and its id.
    local: Option<(i64, String)>,
    waiting: HashMap<Target, Vec<ImportedItem>>,
    /// Number and size of the waiting items.
    size: (usize, usize),
    counts: ImportCounts,
    unfollowed: BTreeMap<String, u64>,
    unreadable: u64,
    surplus: ForeignSurplus,
    progress: Progress,
}

impl<'a> Importer<'a> {
    fn new(
        home: Home,
        store: Store,
        kind: ForeignKind,
        args: &'a ImportArgs,
        out: &Output,
    ) -> Result<Self, Failure> {
        let now = SystemClock.now();
        let catalogue = Catalogue::read(&home, &store)?;
        let mut followed = HashMap::new();
        for entry in &catalogue.entries {
            let urls = [Some(entry.source.url.as_str()), entry.facts.moved_to.as_deref()];
            for key in urls.into_iter().flatten().filter_map(exchange::feed_key) {
                followed.entry(key).or_insert(entry.facts.key);
            }
        }
        let local = local_source(kind)?;
        let known = catalogue.entries.iter().find(|entry| entry.source.url == local.url);
        let local = known.map(|entry| (entry.facts.key, entry.source.id.to_string()));
        let reader = store.reader()?;
        let name = unused_name(&reader.imports()?, kind, now);
        Ok(Self {
            reader,
            hashing: store.hashing_blocking()?,
            name,
            progress: Progress::wheel(out),
            home,
            store,
            kind,
            args,
            now,
            followed,
            local,
            waiting: HashMap::new(),
            size: (0, 0),
            counts: ImportCounts::default(),
            unfollowed: BTreeMap::new(),
            unreadable: 0,
            surplus: ForeignSurplus::default(),
        })
    }

    /// Whether the import is from a service. Its items were saved on purpose, so those without a followed
    /// feed are stored in the local source.
    fn is_service(&self) -> bool {
        use ForeignKind::{NewsFlash, NewsboatCache, Newsraft};
        !matches!(self.kind, NewsboatCache | Newsraft | NewsFlash)
    }

    fn take(&mut self, item: ForeignItem) -> Result<(), Failure> {
        let key = item.feed.as_deref().and_then(exchange::feed_key);
        let target = match key.and_then(|key| self.followed.get(&key)) {
            Some(source) => Target::Source(*source),
            None if self.is_service() => Target::Local,
            None => {
                let feed = text::line(item.feed.as_deref().unwrap_or("an unknown feed"));
                *self.unfollowed.entry(feed).or_default() += 1;
                return Ok(());
            }
        };
        let effects: Vec<Effect> = exchange::effects(&item, &self.args.pin_flags);
        let prepared = exchange::entry(&item)
            .and_then(|entry| prepare(vec![entry], &self.hashing).into_iter().next());
        let Some(entry) = prepared else {
            self.unreadable += 1;
            return Ok(());
        };
        let discovered = item.saved.filter(|_| target == Target::Local);
        let bytes = entry.text_bytes();
        let imported = ImportedItem { entry, effects, deleted: item.deleted, discovered };
        self.waiting.entry(target).or_default().push(imported);
        self.size = (self.size.0 + 1, self.size.1 + bytes);
        if self.size.0 >= BATCH || self.size.1 >= BATCH_BYTES { self.flush() } else { Ok(()) }
    }

    /// Stores the waiting items, or counts them in a dry run.
    fn flush(&mut self) -> Result<(), Failure> {
        let mut batch = Vec::new();
        for (target, items) in std::mem::take(&mut self.waiting) {
            let local = self.local.as_ref().map(|(source, _)| *source);
            let source = match (target, local) {
                (Target::Source(source), _) | (Target::Local, Some(source)) => source,
                // No source has this row key, so every item is new.
                (Target::Local, None) if self.args.dry_run => 0,
                (Target::Local, None) => self.add_local()?,
            };
            batch.push((source, items));
        }
        // Makes the order of stored items deterministic for the same file.
        batch.sort_by_key(|(source, _)| *source);
        if self.args.dry_run {
            for (source, items) in &batch {
                self.counts.add(self.reader.count_import(*source, items)?);
            }
        } else if !batch.is_empty() {
            let name = self.name.clone();
            self.counts.add(self.store.import_items_blocking(batch, name, self.now)?);
        }
        self.size = (0, 0);
        let items = counted(self.counts.new + self.counts.known, "item");
        self.progress.show(format!("Importing {items}"));
        Ok(())
    }

    /// Adds the local source to `sources.toml`; returns its row key.
    fn add_local(&mut self) -> Result<i64, Failure> {
        let (added, _) = SourcesFile::open(&self.home.paths).import(&[local_source(self.kind)?])?;
        self.home.sources.extend(added.sources.into_iter().map(Arc::new));
        let catalogue = Catalogue::read(&self.home, &self.store)?;
        let url = local_source(self.kind)?.url;
        let found = catalogue.entries.iter().find(|entry| entry.source.url == url);
        let Some(entry) = found else {
            let why = "sources.toml was changed at the same time; import again";
            return Err(Failure::Plain(why.to_owned()));
        };
        self.local = Some((entry.facts.key, entry.source.id.to_string()));
        Ok(entry.facts.key)
    }

    /// Stores the waiting items and prints a summary, even if reading failed, because the items before the
    /// error are imported.
    fn finish(mut self, taken: Result<(), Failure>, out: &mut Output) -> Result<Exit, Failure> {
        let flushed = self.flush();
        self.progress.clear();
        let exit = match taken.and(flushed) {
            Ok(()) => Exit::Ok,
            Err(e) if self.counts == ImportCounts::default() => return Err(e),
            Err(e) => {
                out.warn(format!("newsfed: {e}"));
                out.warn("only the items before this error were read");
                Exit::Partial
            }
        };
        self.note_skipped(out);
        let changed = self.has_changed()?;
        self.print(changed, out)?;
        match changed {
            _ if out.json && exit == Exit::Ok => {}
            false if self.args.dry_run => out.note("nothing was changed"),
            false => {}
            true => out.note("`newsfed import --undo` undoes this"),
        }
        Ok(exit)
    }

    /// Whether the import can be undone. An import that changed nothing is not recorded.
    fn has_changed(&self) -> Result<bool, Failure> {
        Ok(!self.args.dry_run && self.reader.imports()?.contains(&self.name))
    }

    fn unfollowed(&self) -> Vec<Unfollowed<'_>> {
        let feeds = self.unfollowed.iter();
        feeds.map(|(feed, items)| Unfollowed { feed, items: *items }).collect()
    }

    fn note_skipped(&self, out: &mut Output) {
        let unfollowed = self.unfollowed();
        for Unfollowed { feed, items } in unfollowed.iter().take(NAMED) {
            let items = counted(*items, "item");
            out.note(format!("skipped: {items} of {feed} (you do not follow this feed)"));
        }
        if unfollowed.len() > NAMED {
            let more = counted(unfollowed.len() - NAMED, "more feed");
            out.note(format!("skipped: items of {more}"));
        }
        if !unfollowed.is_empty() {
            out.note("import the list of feeds first, then this file again");
        }
        let ForeignSurplus { items, texts, related } = self.surplus;
        let skipped = [
            (self.unreadable, "entry", "entries", "that cannot be read"),
            (items, "item", "items", "after the first million"),
            (texts, "text", "texts", "longer than 4 MiB; the items are imported"),
            (related, "feed, tag or enclosure", "feeds, tags or enclosures", "beyond the limits"),
        ];
        for (number, one, several, why) in skipped.into_iter().filter(|(number, ..)| *number > 0) {
            let what = text::counted_as(number, one, several);
            out.note(format!("skipped: {what} {why}"));
        }
    }

    fn print(&self, changed: bool, out: &mut Output) -> Result<(), Failure> {
        let counts = self.counts;
        if out.json {
            return out.value(&Imported {
                kind: self.kind,
                import: changed.then_some(self.name.as_str()),
                source: self.local.as_ref().map(|(_, id)| id.as_str()),
                counts,
                unfollowed: self.unfollowed(),
                unreadable: self.unreadable + self.surplus.items,
                long_texts: self.surplus.texts,
                related_over_limit: self.surplus.related,
            });
        }
        let ImportCounts { new, known, removed, read, pinned, later, tagged } = counts;
        let removed = match removed {
            0 => String::new(),
            removed => format!(", {removed} skipped (already removed)"),
        };
        if !changed && !self.args.dry_run {
            let what = format!("nothing changed, {known} known{removed}");
            return out.result(format!("{}: {what}", self.kind.name()));
        }
        out.result(format!(
            "{}: {new} new, {known} known{removed}; {read} read, {pinned} pinned, {later} for \
             later, {tagged} tagged",
            self.kind.name()
        ))
    }
}

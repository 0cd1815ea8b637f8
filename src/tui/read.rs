//! The thread that reads the database for the interface, so that key presses never wait for the
//! disk.

use super::app::midnight;
use super::event::{Article, Difference, Event, RequestId, SourceEntry, SourceList};
use crate::article::{Change, Document, LinkChanges, differences, from_html};
use crate::engine::{self, Handle, Rhythm, ScheduleSummary};
use crate::model::{Item, Revision};
use crate::store::{
    Anchor, Count, Interrupter, PollFilter, Reader, Result, StoreError, Version, View,
};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::sync::mpsc::UnboundedSender;

/// A read of the database, which returns as an event.
#[derive(Debug)]
pub(super) enum Read {
    Sources,
    Window {
        request: RequestId,
        view: View,
        anchor: Anchor,
        size: usize,
    },
    Article {
        request: RequestId,
        key: i64,
    },
    Log,
    /// Counts the items of views, by name.
    Counts {
        left: Vec<(String, View)>,
        done: Vec<(String, Count)>,
    },
    /// Publishing rhythms of sources (row keys).
    Rhythms(Vec<i64>),
    /// Schedule explanation of a source (row key).
    Why(i64),
    /// Whether another process has written.
    Version,
}

/// Largest number of log lines.
const LOG_LINES: usize = 500;
/// Stack size in bytes: the document builder recurses up to the nesting limit.
const STACK: usize = 16 << 20;

/// Sends reads to the thread.
pub(super) struct ReadQueue {
    reads: mpsc::Sender<Read>,
    interrupter: Arc<Mutex<Interrupter>>,
    /// Whether a window or a count is being read, which a newer window interrupts.
    in_window: Arc<AtomicBool>,
}

impl ReadQueue {
    /// Starts the thread; it ends when the sender is dropped.
    pub(super) fn start(handle: Handle, events: UnboundedSender<Event>) -> Result<Self> {
        let reader = handle.store().reader()?;
        let interrupter = Arc::new(Mutex::new(reader.interrupter()));
        let (reads, inbox) = mpsc::channel();
        let in_window = Arc::new(AtomicBool::new(false));
        let thread = ReaderThread {
            handle,
            reader,
            interrupter: interrupter.clone(),
            events,
            in_window: in_window.clone(),
            version: None,
        };
        std::thread::Builder::new()
            .name("newsfed-reader".to_owned())
            .stack_size(STACK)
            .spawn(move || thread.run(&inbox))
            .map_err(|e| StoreError::Sqlite(e.to_string()))?;
        Ok(Self { reads, interrupter, in_window })
    }

    pub(super) fn send(&self, read: Read) {
        let supersedes = matches!(read, Read::Window { .. });
        // The thread ends only with the interface.
        let _ = self.reads.send(read);
        if supersedes && self.in_window.load(Ordering::SeqCst) {
            self.interrupter.lock().unwrap_or_else(PoisonError::into_inner).interrupt();
        }
    }
}

/// The outcome of a request.
enum Outcome {
    Event(Event),
    Nothing,
    /// To be repeated or continued.
    Interrupted(Read),
}

struct ReaderThread {
    handle: Handle,
    reader: Reader,
    interrupter: Arc<Mutex<Interrupter>>,
    events: UnboundedSender<Event>,
    in_window: Arc<AtomicBool>,
    version: Option<i64>,
}

impl ReaderThread {
    fn run(mut self, inbox: &mpsc::Receiver<Read>) {
        let mut waiting = VecDeque::new();
        loop {
            if waiting.is_empty() {
                let Ok(read) = inbox.recv() else { return };
                waiting.push_back(read);
            }
            waiting.extend(inbox.try_iter());
            let Some(read) = waiting.pop_front() else { continue };
            let is_window = |q: &Read| matches!(q, Read::Window { .. });
            if is_window(&read) && waiting.iter().any(is_window) {
                continue;
            }
            // Counts have the lowest priority.
            let counts = |q: &Read| matches!(q, Read::Counts { .. });
            if counts(&read) && !waiting.is_empty() {
                if !waiting.iter().any(counts) {
                    waiting.push_back(read);
                }
                continue;
            }
            match self.perform(read) {
                Outcome::Event(event) => {
                    if self.events.send(event).is_err() {
                        return;
                    }
                }
                // The interrupt may have been meant for the previous window: repeat this one unless
                // a newer one is waiting.
                Outcome::Interrupted(read) => waiting.push_front(read),
                Outcome::Nothing => {}
            }
        }
    }

    fn perform(&mut self, read: Read) -> Outcome {
        let message = |e: StoreError| e.to_string();
        Outcome::Event(match read {
            Read::Sources => Event::SourcesLoaded(self.retry(Self::sources).map_err(message)),
            Read::Window { request, ref view, anchor, size } => {
                self.in_window.store(true, Ordering::SeqCst);
                let window = self.reader.window(view, anchor, size);
                self.in_window.store(false, Ordering::SeqCst);
                if let Err(StoreError::Interrupted) = window {
                    return Outcome::Interrupted(read);
                }
                Event::WindowLoaded(request, window.map_err(message))
            }
            Read::Article { request, key } => {
                let article = self.retry(|this| this.article(key));
                Event::ArticleLoaded(request, article.map_err(message))
            }
            Read::Log => {
                let filter = PollFilter { source: None, noteworthy: true };
                let polls = self.retry(|this| this.reader.polls(filter, LOG_LINES));
                Event::LogLoaded(polls.map_err(message))
            }
            // One count at a time, so that other reads need not wait for all of them.
            Read::Counts { mut left, mut done } => match left.pop() {
                None => Event::ViewsCounted(Ok(done)),
                Some((name, view)) => {
                    self.in_window.store(true, Ordering::SeqCst);
                    let count = self.reader.count(&view);
                    self.in_window.store(false, Ordering::SeqCst);
                    match count {
                        Ok(count) => done.push((name, count)),
                        Err(StoreError::Interrupted) => left.push((name, view)),
                        Err(e) => return Outcome::Event(Event::ViewsCounted(Err(message(e)))),
                    }
                    return Outcome::Interrupted(Read::Counts { left, done });
                }
            },
            Read::Rhythms(sources) => {
                let rhythms = self.retry(|this| this.rhythms(&sources));
                Event::RhythmsLoaded(rhythms.map_err(message))
            }
            Read::Why(source) => {
                let summary = self.retry(|this| this.why(source));
                let no_source = || "The source no longer exists".to_owned();
                Event::WhyLoaded(
                    source,
                    summary.map_err(message).and_then(|summary| summary.ok_or_else(no_source)),
                )
            }
            Read::Version => {
                if self.reopen_if_writable() {
                    return Outcome::Event(Event::StoreChanged);
                }
                let version = self.reader.data_version().ok();
                let before = std::mem::replace(&mut self.version, version);
                if before.is_none() || before == version {
                    return Outcome::Nothing;
                }
                Event::StoreChanged
            }
        })
    }

    /// Replaces a reader of a database that was read-only when opened and is writable now.
    fn reopen_if_writable(&mut self) -> bool {
        let new = if self.reader.is_frozen() { self.handle.store().reader().ok() } else { None };
        let Some(reader) = new.filter(|reader| !reader.is_frozen()) else { return false };
        *self.interrupter.lock().unwrap_or_else(PoisonError::into_inner) = reader.interrupter();
        self.reader = reader;
        true
    }

    /// Repeats a read after an interrupt that was meant for the window before.
    fn retry<T>(&self, ask: impl Fn(&Self) -> Result<T>) -> Result<T> {
        loop {
            match ask(self) {
                Err(StoreError::Interrupted) => {}
                other => return other,
            }
        }
    }

    fn sources(&self) -> Result<SourceList> {
        let mut facts: HashMap<_, _> =
            self.reader.sources()?.into_iter().map(|f| (f.id.clone(), f)).collect();
        let declared = self.handle.declared().borrow().clone();
        let sources = declared
            .iter()
            .filter_map(|s| Some(SourceEntry { source: s.clone(), facts: facts.remove(&s.id)? }))
            .collect();
        Ok(SourceList {
            sources,
            today: self.reader.unread_since(midnight(self.handle.now()))?,
            changed: self.reader.changed()?,
            last_key: self.reader.last_key()?,
        })
    }

    fn rhythms(&self, sources: &[i64]) -> Result<Vec<(i64, Rhythm)>> {
        let now = self.handle.now();
        let rhythm = |&key: &i64| Ok((key, engine::rhythm(&self.reader, key, now)?));
        sources.iter().map(rhythm).collect()
    }

    fn why(&self, key: i64) -> Result<Option<ScheduleSummary>> {
        let Some(facts) = self.reader.source(key)? else { return Ok(None) };
        let declared = self.handle.declared().borrow().clone();
        let Some(source) = declared.iter().find(|s| s.id == facts.id) else { return Ok(None) };
        let (now, settings) = (self.handle.now(), self.handle.settings());
        let why = engine::why(&self.reader, source, &facts, &settings.schedule, now)?;
        Ok(Some(why.describe(source.enabled, settings.ui.ascii, now)))
    }

    fn article(&self, key: i64) -> Result<Option<Arc<Article>>> {
        let (Some(row), Some(item)) = (self.reader.row(key)?, self.reader.item(key)?) else {
            return Ok(None);
        };
        let position = self.reader.place(key)?;
        let differences = match item.versions {
            0 => Vec::new(),
            _ => self.differences(key)?,
        };
        let (document, differences) = (Arc::new(document(&item)), Arc::new(differences));
        let (new_comments, item) = (item.new_comments, Arc::new(item));
        Ok(Some(Arc::new(Article { row, item, document, position, differences, new_comments })))
    }

    /// What each version of an article changed, newest first.
    fn differences(&self, key: i64) -> Result<Vec<Difference>> {
        let versions = self.reader.versions(key)?;
        let documents: Vec<Document> =
            versions.iter().map(|version| from_html(&version.html, None)).collect();
        let pairs = versions.windows(2).zip(documents.windows(2));
        let difference = |(versions, documents): (&[Version], &[Document])| {
            let ([later, _], [new, old]) = (versions, documents) else { return None };
            let mut changes = differences(&old.text(), &new.text());
            changes.extend(link_changes(old, new));
            let summary = later.revisions.as_deref().map(Revision::summary).unwrap_or_default();
            Some(Difference { at: later.at, changes, summary })
        };
        Ok(pairs.filter_map(difference).collect())
    }
}

/// The links that were removed and added, as a list after the text.
fn link_changes(earlier: &Document, later: &Document) -> Vec<Change> {
    let links = LinkChanges::between(earlier, later);
    if links.is_empty() {
        return Vec::new();
    }
    let line = || Change::Same("\n".to_owned());
    let mut out = vec![Change::Same("\n\nLinks and images:\n".to_owned())];
    for url in links.removed {
        out.extend([Change::Removed(url), line()]);
    }
    for url in links.added {
        out.extend([Change::Added(url), line()]);
    }
    out
}

/// The text of an item, ready for layout.
fn document(item: &Item) -> Document {
    let base = item.url.as_deref().and_then(|u| url::Url::parse(u).ok());
    let document = from_html(item.body(), base.as_ref());
    if document.is_empty() {
        Document::from_text(
            "The feed has no text for this item. Open it in the browser to read it.",
        )
    } else {
        document
    }
}

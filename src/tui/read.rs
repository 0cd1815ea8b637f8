//! Threads that read the database for the interface, so that key presses never wait for the disk.

mod article;
mod order;

pub(super) use article::NO_TEXT;
#[cfg(test)]
pub(super) use article::document;

use super::app::midnight;
use super::event::{Event, Failure, Matches, RequestId, SourceEntry, SourceList};
use crate::config::Paths;
use crate::engine::{self, DownloadEntry, Handle, NextCheck, Rhythm, ScheduleReport, Statistics};
use crate::model::{Effect as RuleEffect, ItemRow, Source};
use crate::store::{
    Anchor, Count, Interrupter, Part, PollFilter, Reader, Result, StoreError, View,
};
use crate::util::text::line;
use crate::util::url_text::item_name;
use chrono::{Offset, TimeZone};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::sync::mpsc::UnboundedSender;

/// A read of the database. The result is sent as an event.
#[derive(Debug)]
pub(super) enum Read {
    Sources,
    Window {
        request: RequestId,
        view: Box<View>,
        anchor: Anchor,
        size: usize,
    },
    Article {
        request: RequestId,
        key: i64,
    },
    /// The row of an item (row key) in lists.
    Row(i64),
    /// Finds the stored item to which a link of an item leads (row keys of the item and its source).
    Linked {
        url: String,
        from: i64,
        source: i64,
    },
    Log,
    /// The last failed polls of a source (row key).
    Failures(i64),
    /// The recorded effects of rules.
    Rules,
    /// The downloaded files. Reads the download folder.
    Downloads,
    /// The episodes in the queue.
    Queue,
    /// Categories and languages of items, for completion.
    Values,
    /// The stored items in a view, and the changes that a rule's effects would make.
    Matches {
        request: RequestId,
        view: Box<View>,
        effects: Vec<RuleEffect>,
    },
    /// The best unread items of a view that fit into a reading time.
    Fitting {
        request: RequestId,
        view: Box<View>,
        minutes: u32,
    },
    /// Counts the items that an action would mark read.
    Unread {
        request: RequestId,
        view: Box<View>,
        part: Part,
    },
    /// Counts the items of the list on the screen.
    Total {
        request: RequestId,
        view: Box<View>,
    },
    /// Counts the items of views, by name.
    Counts {
        left: Vec<(String, View)>,
        done: Vec<(String, Count)>,
    },
    /// Publishing rhythms of sources (row keys).
    Rhythms(Vec<i64>),
    /// Schedule explanation of a source (row key).
    Why(i64),
    /// When a source (row key) would be checked next with changed settings.
    NextCheck(i64, Box<Source>),
    /// Snippets of items (row keys) for a full-text expression; without one, the beginnings of their texts.
    Snippets {
        keys: Vec<i64>,
        expression: Option<String>,
    },
    /// The statistics of all sources, read on a separate thread because they may take a second.
    Statistics,
    /// Whether another process has written to the database.
    Version,
}

/// Maximum number of failed polls that are listed for a source without items.
const FAILURES: usize = 5;
/// Maximum number of log lines.
const LOG_LINES: usize = 500;
/// Maximum number of matches of a query that a dialog lists.
const LISTED_MATCHES: usize = 12;
/// Number of weeks that the statistics cover.
const STATISTICS_WEEKS: usize = 12;
/// Stack size in bytes. It is large because the document builder recurses up to the nesting limit.
const STACK: usize = 16 << 20;

/// Sends reads to two threads: one for lists and other fast reads, and one for items, where comparing
/// versions takes longer.
pub(super) struct ReadQueue {
    lists: mpsc::Sender<Queued>,
    items: mpsc::Sender<Queued>,
    handle: Handle,
    events: UnboundedSender<Event>,
    interrupter: Arc<Mutex<Interrupter>>,
    /// Whether a window or a count is being read, which a request for a newer window interrupts.
    in_window: Arc<AtomicBool>,
}

impl ReadQueue {
    /// Starts the threads, which end when the senders are dropped.
    pub(super) fn start(handle: Handle, events: UnboundedSender<Event>) -> Result<Self> {
        let lists = ReaderThread::new(&handle)?;
        let (interrupter, in_window) = (lists.interrupter.clone(), lists.in_window.clone());
        let lists = lists.spawn("newsfed-lists")?;
        let items = spawn_later(handle.clone(), "newsfed-items")?;
        Ok(Self { lists, items, handle, events, interrupter, in_window })
    }

    pub(super) fn send(&self, read: Read) {
        let supersedes = matches!(read, Read::Window { .. });
        let thread = match read {
            Read::Statistics => return self.send_apart(read),
            Read::Article { .. }
            | Read::Row(_)
            | Read::Linked { .. }
            | Read::Snippets { .. }
            | Read::Values
            | Read::Failures(_)
            | Read::Downloads => &self.items,
            _ => &self.lists,
        };
        // Sending cannot fail, because the threads end only with the interface.
        let _ = thread.send(self.queued(read));
        if supersedes && self.in_window.load(Ordering::SeqCst) {
            self.interrupter.lock().unwrap_or_else(PoisonError::into_inner).interrupt();
        }
    }
}

impl ReadQueue {
    fn queued(&self, read: Read) -> Queued {
        Queued { read, reply: self.events.clone() }
    }

    /// Performs a read on a thread of its own.
    fn send_apart(&self, read: Read) {
        let thread = ReaderThread::new(&self.handle);
        let started = thread.and_then(|thread| thread.spawn("newsfed-statistics"));
        let _ = match started {
            Ok(reads) => reads.send(self.queued(read)).is_ok(),
            // Sending fails if the interface is already closed.
            Err(e) => self.events.send(Event::StatisticsLoaded(Err(e.to_string()))).is_ok(),
        };
    }
}

/// A read that waits for a thread.
struct Queued {
    read: Read,
    /// Exists until the read is finished or superseded, so the number of senders shows whether the queue is
    /// empty.
    reply: UnboundedSender<Event>,
}

enum Outcome {
    Event(Event),
    Nothing,
    /// The read must be repeated or continued.
    Interrupted(Read),
}

/// Starts a thread that performs reads from a channel.
fn spawn(
    name: &str,
    run: impl FnOnce(&mpsc::Receiver<Queued>) + Send + 'static,
) -> Result<mpsc::Sender<Queued>> {
    let (reads, inbox) = mpsc::channel();
    std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(move || run(&inbox))
        .map_err(|e| StoreError::Sqlite(e.to_string()))?;
    Ok(reads)
}

/// Like [`spawn`], but the thread opens the database only for its first read, so that the first list does not
/// have to wait.
fn spawn_later(handle: Handle, name: &str) -> Result<mpsc::Sender<Queued>> {
    spawn(name, move |inbox| {
        while let Ok(first) = inbox.recv() {
            match ReaderThread::new(&handle) {
                Ok(thread) => return thread.run(VecDeque::from([first]), inbox),
                Err(e) => drop(first.reply.send(Event::Message(Err(message(e))))),
            }
        }
    })
}

struct ReaderThread {
    handle: Handle,
    reader: Reader,
    interrupter: Arc<Mutex<Interrupter>>,
    in_window: Arc<AtomicBool>,
    version: Option<i64>,
}

impl ReaderThread {
    fn new(handle: &Handle) -> Result<Self> {
        let reader = handle.store().reader()?;
        Ok(Self {
            handle: handle.clone(),
            interrupter: Arc::new(Mutex::new(reader.interrupter())),
            reader,
            in_window: Arc::default(),
            version: None,
        })
    }

    fn spawn(self, name: &str) -> Result<mpsc::Sender<Queued>> {
        spawn(name, move |inbox| self.run(VecDeque::new(), inbox))
    }

    fn run(mut self, mut waiting: VecDeque<Queued>, inbox: &mpsc::Receiver<Queued>) {
        loop {
            if waiting.is_empty() {
                let Ok(read) = inbox.recv() else { return };
                waiting.push_back(read);
            }
            waiting.extend(inbox.try_iter());
            let Some(Queued { read, reply }) = order::next(&mut waiting) else { continue };
            match self.perform(read) {
                Outcome::Event(event) => {
                    if reply.send(event).is_err() {
                        return;
                    }
                }
                // The interrupt may have been intended for the previous window, so repeat this read unless a
                // newer window is waiting.
                Outcome::Interrupted(read) => waiting.push_front(Queued { read, reply }),
                Outcome::Nothing => {}
            }
        }
    }

    fn perform(&mut self, read: Read) -> Outcome {
        Outcome::Event(match read {
            Read::Sources => Event::SourcesLoaded(self.retry(Self::sources)),
            Read::Window { request, ref view, anchor, size } => {
                match self.in_window(|reader| reader.window(view, anchor, size)) {
                    Err(StoreError::Interrupted) => return Outcome::Interrupted(read),
                    window => Event::WindowLoaded(request, window.map_err(message)),
                }
            }
            Read::Article { request, key } => {
                self.reopen_if_writable();
                Event::ArticleLoaded(request, self.retry(|this| this.article(key)))
            }
            Read::Row(key) => Event::RowLoaded(self.retry(|this| this.reader.row(key))),
            Read::Linked { url, from, source } => {
                let parsed = url::Url::parse(&url);
                let item = parsed.map_or(Ok(None), |u| self.retry(|t| t.reader.linked(source, &u)));
                Event::LinkFollowed { from, url, item }
            }
            Read::Log => {
                let filter = PollFilter { source: None, noteworthy: true };
                Event::LogLoaded(self.retry(|this| this.reader.polls(filter, LOG_LINES)))
            }
            Read::Failures(source) => {
                let filter = PollFilter { source: Some(source), noteworthy: true };
                let polls = self.retry(|this| this.reader.polls(filter, FAILURES));
                Event::FailuresLoaded(source, polls)
            }
            Read::Downloads => Event::DownloadsListed(self.downloads()),
            Read::Rules => Event::RulesLoaded(self.retry(|this| this.reader.rule_records())),
            Read::Queue => Event::QueueLoaded(self.retry(|this| this.reader.queue())),
            Read::Values => Event::ValuesLoaded(self.retry(|this| this.reader.item_values())),
            Read::Matches { request, view, effects } => {
                Event::MatchesFound(request, self.retry(|this| this.matches(&view, &effects)))
            }
            Read::Fitting { request, view, minutes } => {
                let now = self.handle.now();
                let keys = self.retry(|this| this.reader.fitting(&view, minutes, now));
                Event::FittingFound(request, minutes, keys)
            }
            Read::Unread { request, ref view, part } => {
                let stories = self.handle.settings().ui.mark_stories;
                match self.in_window(|reader| reader.unread_in(view, part, stories)) {
                    Err(StoreError::Interrupted) => return Outcome::Interrupted(read),
                    count => Event::UnreadCounted(request, count.map_err(message)),
                }
            }
            Read::Total { request, ref view } => {
                match self.in_window(|reader| reader.total(view)) {
                    Err(StoreError::Interrupted) => return Outcome::Interrupted(read),
                    count => Event::TotalCounted(request, count.map_err(message)),
                }
            }
            Read::Counts { left, done } => return self.count_next(left, done),
            Read::Rhythms(sources) => {
                Event::RhythmsLoaded(self.retry(|this| this.rhythms(&sources)))
            }
            Read::Why(source) => {
                let no_source = || "The source no longer exists".to_owned();
                let report = self.retry(|this| this.why(source));
                let report = report.and_then(|report| report.ok_or_else(no_source));
                Event::WhyLoaded(source, report.map(Box::new))
            }
            Read::NextCheck(key, source) => {
                let next = self.retry(|this| this.next_check(key, &source));
                Event::NextCheckLoaded(key, next.ok().flatten())
            }
            Read::Snippets { keys, expression } => {
                let found = self.retry(|this| match &expression {
                    Some(expression) => this.reader.snippets(&keys, expression),
                    None => this.reader.openings(&keys),
                });
                Event::SnippetsLoaded(expression, found)
            }
            Read::Statistics => Event::StatisticsLoaded(self.retry(Self::statistics).map(Box::new)),
            Read::Version if self.has_changed() => Event::StoreChanged,
            Read::Version => return Outcome::Nothing,
        })
    }

    /// Counts one view, so that other reads do not have to wait for all counts.
    fn count_next(&self, mut left: Vec<(String, View)>, mut done: Vec<(String, Count)>) -> Outcome {
        let Some((name, view)) = left.pop() else {
            return Outcome::Event(Event::ViewsCounted(Ok(done)));
        };
        match self.in_window(|reader| reader.count(&view)) {
            Ok(count) => done.push((name, count)),
            Err(StoreError::Interrupted) => left.push((name, view)),
            Err(e) => return Outcome::Event(Event::ViewsCounted(Err(message(e)))),
        }
        Outcome::Interrupted(Read::Counts { left, done })
    }

    /// Whether another process has written to the database since the last check.
    fn has_changed(&mut self) -> bool {
        if self.reopen_if_writable() {
            return true;
        }
        let version = self.reader.data_version().ok();
        let before = std::mem::replace(&mut self.version, version);
        before.is_some() && before != version
    }

    /// Performs a read that a request for a newer window may interrupt.
    fn in_window<T>(&self, read: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        self.in_window.store(true, Ordering::SeqCst);
        let result = read(&self.reader);
        self.in_window.store(false, Ordering::SeqCst);
        result
    }

    /// Replaces a reader of a database that was read-only when it was opened, but is now writable.
    fn reopen_if_writable(&mut self) -> bool {
        let new = if self.reader.is_frozen() { self.handle.store().reader().ok() } else { None };
        let Some(reader) = new.filter(|reader| !reader.is_frozen()) else { return false };
        *self.interrupter.lock().unwrap_or_else(PoisonError::into_inner) = reader.interrupter();
        self.reader = reader;
        true
    }

    /// Performs a read, and repeats it after an interrupt that was intended for the previous window.
    fn retry<T>(&self, read: impl Fn(&Self) -> Result<T>) -> std::result::Result<T, Failure> {
        loop {
            match read(self) {
                Err(StoreError::Interrupted) => {}
                other => return other.map_err(message),
            }
        }
    }

    fn sources(&self) -> Result<SourceList> {
        let mut facts: HashMap<_, _> =
            self.reader.listed_sources()?.into_iter().map(|f| (f.id.clone(), f)).collect();
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
            hidden: self.reader.hidden()?,
            new: self.reader.new_unread()?,
            is_first_visit: !self.reader.has_earlier_visit()?,
            later: self.reader.later()?,
            item_tags: self.reader.item_tags()?,
        })
    }

    fn matches(&self, view: &View, effects: &[RuleEffect]) -> Result<Matches> {
        let (count, newest) = self.reader.sample(view, LISTED_MATCHES)?;
        let newest: Vec<_> = newest.into_iter().take(LISTED_MATCHES).collect();
        // As in lists, the beginning of the text replaces a missing title.
        let untitled = newest.iter().filter(|row| row.title.is_empty()).map(|row| row.key);
        let openings = self.reader.openings(&untitled.collect::<Vec<_>>())?;
        let mut openings: HashMap<i64, String> =
            openings.into_iter().map(|(key, opening)| (key, opening.text)).collect();
        let name = |row: ItemRow| {
            let text = openings.remove(&row.key).unwrap_or_default();
            (item_name(&row.title, &text, row.url.as_deref()).into_owned(), row.source_key)
        };
        let newest = newest.into_iter().map(name).collect();
        let would_change = match count.more {
            true => None,
            false => self.reader.would_change(effects, &self.reader.keys(view)?)?,
        };
        Ok(Matches { count, would_change, newest })
    }

    fn rhythms(&self, sources: &[i64]) -> Result<Vec<(i64, Rhythm)>> {
        let now = self.handle.now();
        let rhythm = |&key: &i64| Ok((key, engine::rhythm(&self.reader, key, now)?));
        sources.iter().map(rhythm).collect()
    }

    fn downloads(&mut self) -> std::result::Result<Vec<DownloadEntry>, String> {
        let settings = self.handle.settings();
        let folder = Paths::downloads(settings.download.folder.as_deref());
        let folder = folder.map_err(|e| line(&e.to_string()))?;
        let listed = self.retry(|this| engine::list_downloads(&this.reader, &folder));
        listed.map_err(|why| line(&why))
    }

    fn statistics(&self) -> Result<Statistics> {
        let (now, declared) = (self.handle.now(), self.handle.declared().borrow().clone());
        let zone = chrono::Local.offset_from_utc_datetime(&now.naive_utc()).fix();
        engine::statistics(&self.reader, &declared, STATISTICS_WEEKS, zone, now)
    }

    fn next_check(&self, key: i64, source: &Source) -> Result<Option<NextCheck>> {
        let Some(facts) = self.reader.source(key)? else { return Ok(None) };
        let (now, settings) = (self.handle.now(), self.handle.settings());
        let schedule = &settings.schedule;
        engine::next_check_with(&self.reader, source, facts, schedule, now).map(Some)
    }

    fn why(&self, key: i64) -> Result<Option<ScheduleReport>> {
        let Some(facts) = self.reader.source(key)? else { return Ok(None) };
        let declared = self.handle.declared().borrow().clone();
        let Some(source) = declared.iter().find(|s| s.id == facts.id) else { return Ok(None) };
        let (now, settings) = (self.handle.now(), self.handle.settings());
        let schedule = &settings.schedule;
        engine::schedule_report(&self.reader, source, &facts, schedule, now).map(Some)
    }
}

fn message(error: StoreError) -> Failure {
    error.to_string()
}

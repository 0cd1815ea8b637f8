//! The thread that reads the database for the interface, so that no key ever waits for the disk.

use super::app::midnight;
use super::event::{Article, Event, RequestId, SourceEntry, SourceList};
use crate::article::{Change, Document, differences, from_html};
use crate::engine::{self, Handle, Rhythm, ScheduleSummary};
use crate::model::Item;
use crate::store::{Anchor, Count, Interrupter, PollFilter, Reader, Result, StoreError, View};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use tokio::sync::mpsc::UnboundedSender;

/// A question to the database.
#[derive(Debug)]
pub(super) enum Question {
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
    /// How many items each of these has, by name.
    Counts {
        left: Vec<(String, View)>,
        done: Vec<(String, Count)>,
    },
    /// How these sources (row keys) publish.
    Rhythms(Vec<i64>),
    /// Why a source (row key) is polled when it is.
    Why(i64),
    /// Whether another process has written.
    Version,
}

/// Lines that the log shows.
const LOG_LINES: usize = 500;
/// The document builder recurses as deep as the depth gate lets it.
const STACK: usize = 16 << 20;

/// Asks the thread.
pub(super) struct PageFetcher {
    questions: mpsc::Sender<Question>,
    interrupter: Arc<Mutex<Interrupter>>,
    /// Whether a window is being read or something counted, which a newer window supersedes.
    in_window: Arc<AtomicBool>,
}

impl PageFetcher {
    /// Starts the thread; it ends when the asker is dropped.
    pub(super) fn start(handle: Handle, events: UnboundedSender<Event>) -> Result<Self> {
        let reader = handle.store().reader()?;
        let interrupter = Arc::new(Mutex::new(reader.interrupter()));
        let (questions, inbox) = mpsc::channel();
        let in_window = Arc::new(AtomicBool::new(false));
        let answerer = Answerer {
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
            .spawn(move || answerer.run(&inbox))
            .map_err(|e| StoreError::Sqlite(e.to_string()))?;
        Ok(Self { questions, interrupter, in_window })
    }

    pub(super) fn ask(&self, question: Question) {
        let supersedes = matches!(question, Question::Window { .. });
        // The thread ends only with the interface.
        let _ = self.questions.send(question);
        if supersedes && self.in_window.load(Ordering::SeqCst) {
            self.interrupter.lock().unwrap_or_else(PoisonError::into_inner).interrupt();
        }
    }
}

/// What became of a question.
enum Answer {
    Event(Event),
    Nothing,
    /// To be asked again, or to be gone on with.
    Interrupted(Question),
}

struct Answerer {
    handle: Handle,
    reader: Reader,
    interrupter: Arc<Mutex<Interrupter>>,
    events: UnboundedSender<Event>,
    in_window: Arc<AtomicBool>,
    version: Option<i64>,
}

impl Answerer {
    fn run(mut self, inbox: &mpsc::Receiver<Question>) {
        let mut waiting = VecDeque::new();
        loop {
            if waiting.is_empty() {
                let Ok(question) = inbox.recv() else { return };
                waiting.push_back(question);
            }
            waiting.extend(inbox.try_iter());
            let Some(question) = waiting.pop_front() else { continue };
            let is_window = |q: &Question| matches!(q, Question::Window { .. });
            if is_window(&question) && waiting.iter().any(is_window) {
                continue;
            }
            // Counts can wait.
            let counts = |q: &Question| matches!(q, Question::Counts { .. });
            if counts(&question) && !waiting.is_empty() {
                if !waiting.iter().any(counts) {
                    waiting.push_back(question);
                }
                continue;
            }
            match self.answer(question) {
                Answer::Event(event) => {
                    if self.events.send(event).is_err() {
                        return;
                    }
                }
                // The interruption may have been meant for the window before: unless a newer one
                // waits, it is read again.
                Answer::Interrupted(question) => waiting.push_front(question),
                Answer::Nothing => {}
            }
        }
    }

    fn answer(&mut self, question: Question) -> Answer {
        let words = |e: StoreError| e.to_string();
        Answer::Event(match question {
            Question::Sources => Event::SourcesLoaded(self.persist(Self::sources).map_err(words)),
            Question::Window { request, ref view, anchor, size } => {
                self.in_window.store(true, Ordering::SeqCst);
                let window = self.reader.window(view, anchor, size);
                self.in_window.store(false, Ordering::SeqCst);
                if let Err(StoreError::Interrupted) = window {
                    return Answer::Interrupted(question);
                }
                Event::WindowLoaded(request, window.map_err(words))
            }
            Question::Article { request, key } => {
                let article = self.persist(|this| this.article(key));
                Event::ArticleLoaded(request, article.map_err(words))
            }
            Question::Log => {
                let filter = PollFilter { source: None, noteworthy: true };
                let polls = self.persist(|this| this.reader.polls(filter, LOG_LINES));
                Event::LogLoaded(polls.map_err(words))
            }
            // One at a time, so that nothing waits for all of them.
            Question::Counts { mut left, mut done } => match left.pop() {
                None => Event::ViewsCounted(Ok(done)),
                Some((name, view)) => {
                    self.in_window.store(true, Ordering::SeqCst);
                    let count = self.reader.count(&view);
                    self.in_window.store(false, Ordering::SeqCst);
                    match count {
                        Ok(count) => done.push((name, count)),
                        Err(StoreError::Interrupted) => left.push((name, view)),
                        Err(e) => return Answer::Event(Event::ViewsCounted(Err(words(e)))),
                    }
                    return Answer::Interrupted(Question::Counts { left, done });
                }
            },
            Question::Rhythms(sources) => {
                let rhythms = self.persist(|this| this.rhythms(&sources));
                Event::RhythmsLoaded(rhythms.map_err(words))
            }
            Question::Why(source) => {
                let summary = self.persist(|this| this.why(source));
                let gone = || "this source is no longer there".to_owned();
                Event::WhyLoaded(
                    source,
                    summary.map_err(words).and_then(|summary| summary.ok_or_else(gone)),
                )
            }
            Question::Version => {
                if self.thaws() {
                    return Answer::Event(Event::StoreChanged);
                }
                let version = self.reader.data_version().ok();
                let before = std::mem::replace(&mut self.version, version);
                if before.is_none() || before == version {
                    return Answer::Nothing;
                }
                Event::StoreChanged
            }
        })
    }

    /// Takes a new reader where the one at hand shows a database that could not be written to when
    /// it was opened, and now can be.
    fn thaws(&mut self) -> bool {
        let new = if self.reader.is_frozen() { self.handle.store().reader().ok() } else { None };
        let Some(reader) = new.filter(|reader| !reader.is_frozen()) else { return false };
        *self.interrupter.lock().unwrap_or_else(PoisonError::into_inner) = reader.interrupter();
        self.reader = reader;
        true
    }

    /// An interruption was meant for a window that ended just before; the question is asked again.
    fn persist<T>(&self, ask: impl Fn(&Self) -> Result<T>) -> Result<T> {
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
        let difference = match item.versions {
            0 => None,
            _ => self.difference(key)?.map(Arc::new),
        };
        let (document, item) = (Arc::new(document(&item)), Arc::new(item));
        Ok(Some(Arc::new(Article { row, item, document, position, difference })))
    }

    /// What changed between the last two versions of an article.
    fn difference(&self, key: i64) -> Result<Option<Vec<Change>>> {
        let versions = self.reader.versions(key)?;
        let [later, earlier, ..] = versions.as_slice() else { return Ok(None) };
        let text = |html: &str| from_html(html, None).text();
        Ok(Some(differences(&text(&earlier.html), &text(&later.html))))
    }
}

/// The text of an item, ready to be laid out.
fn document(item: &Item) -> Document {
    let base = item.url.as_deref().and_then(|u| url::Url::parse(u).ok());
    let document = from_html(item.body(), base.as_ref());
    if document.is_empty() {
        Document::from_text(
            "The feed gives no text for this item. Open it in the browser to read it.",
        )
    } else {
        document
    }
}

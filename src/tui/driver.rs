//! Performs effects. Slow work runs in the background, and reports its result as an event.

mod bench;
mod discovery;
mod spawn;

pub(super) use self::discovery::{followed, listed};
use super::crawls::RunningCrawls;
use super::effect::{Effect, PictureUse};
use super::ending::Ending;
use super::event::{Cause, Event, MarksSet, NotSaved, RequestId};
use super::files::{self, find_enclosures, follow_starters, run_command};
use super::graphics::encode;
use super::import;
use super::listen::{self, Listening};
use super::read::{Read, ReadQueue};
use super::terminal;
use crate::config::{EditError, Paths};
use crate::engine::{
    FollowError, Handle, MarkedItems, Pace, PrefetchPlan, TextGot, WhichAccounts, Workbench,
};
use crate::model::SourceKind;
use crate::store::{Mark, RuleMarks, Store};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;

pub(super) struct Driver {
    handle: Handle,
    paths: Paths,
    events: UnboundedSender<Event>,
    reads: ReadQueue,
    /// File changes, which are made in the order of the key presses.
    edits: UnboundedSender<Task>,
    discovery: Option<AbortHandle>,
    prefetch: Option<AbortHandle>,
    /// Work that the user can stop.
    running: files::Running,
    listening: Listening,
    crawls: RunningCrawls,
    /// Pictures that are being fetched, by URL.
    pictures: HashMap<String, AbortHandle>,
    /// The open workbench and its id.
    bench: Option<(RequestId, Workbench)>,
    /// Row key of the last opened item.
    opened: Arc<AtomicI64>,
}

/// Background work. The future is boxed, because compiling a separate task for each type of work would take a
/// long time.
pub(super) type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Delay from opening an item until its full text is fetched.
const OPEN_DELAY: Duration = Duration::from_millis(300);

/// Maximum number of pages in one prefetch.
const MAX_PREFETCH: usize = 500;

impl Driver {
    pub(super) fn new(
        handle: Handle,
        paths: Paths,
        events: UnboundedSender<Event>,
    ) -> crate::store::Result<Self> {
        let reads = ReadQueue::start(handle.clone(), events.clone())?;
        let (edits, mut waiting) = tokio::sync::mpsc::unbounded_channel::<Task>();
        tokio::spawn(async move {
            while let Some(edit) = waiting.recv().await {
                edit.await;
            }
        });
        Ok(Self {
            handle,
            paths,
            events,
            reads,
            edits,
            discovery: None,
            prefetch: None,
            running: files::Running::default(),
            listening: Listening::default(),
            crawls: RunningCrawls::default(),
            pictures: HashMap::new(),
            bench: None,
            opened: Arc::default(),
        })
    }

    pub(super) fn sender(&self) -> UnboundedSender<Event> {
        self.events.clone()
    }

    /// Queries the terminal's graphics support on a separate thread.
    pub(super) fn ask_for_graphics(&self) {
        self.blocking(|| Some(Event::TerminalReplied(terminal::ask_for_graphics())));
    }

    pub(super) fn ask_version(&self) {
        self.reads.send(Read::Version);
    }

    /// Starts an effect. Returns it if it needs the terminal.
    pub(super) fn perform(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Read(read) => self.reads.send(read),
            Effect::FetchText { key } => self.spawn(move |h| async move {
                Event::TextGot(key, true, h.full_text(key, None).await.map_err(message))
            }),
            Effect::FetchPicture { source, url, of, detailed } => {
                self.pictures.retain(|_, task| !task.is_finished());
                let task = self.fetch_picture(source, url.clone(), of, detailed);
                self.pictures.insert(url, task);
            }
            Effect::FetchEmbedded { item, markers, detailed } => {
                self.pictures.retain(|_, task| !task.is_finished());
                let name = markers.first().cloned().unwrap_or_default();
                let task = self.fetch_embedded(item, markers, detailed);
                self.pictures.insert(name, task);
            }
            Effect::CancelPicture { url } => {
                if let Some(task) = self.pictures.remove(&url) {
                    task.abort();
                }
            }
            Effect::EncodePicture { key, picture } => self.blocking(move || {
                let encoded = encode(&picture, key.1, key.2).map(Arc::new);
                Some(Event::PictureEncoded(key, encoded))
            }),
            Effect::ItemOpened { key } => self.item_opened(key),
            Effect::PlanPrefetch => self.spawn(move |h| async move {
                let plan = h
                    .plan_prefetch(&[MarkedItems::Pinned, MarkedItems::Unread], MAX_PREFETCH)
                    .await;
                Event::PrefetchPlanned(plan.map_err(message))
            }),
            Effect::Prefetch { plan } => self.prefetch(plan),
            Effect::StopPrefetch => {
                if let Some(task) = self.prefetch.take() {
                    task.abort();
                }
            }
            other => return self.perform_marking(other),
        }
        None
    }

    /// Starts the effects for marks, rules and refreshes.
    fn perform_marking(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Mark { mark, keys, to, cause } => self.spawn(move |h| async move {
                let set = match cause {
                    Cause::Undo => h.undo_mark(mark.clone(), keys, to).await,
                    Cause::Redo => h.mark(mark.clone(), keys, to).await,
                    _ => h.mark_by_user(mark.clone(), keys, to).await,
                };
                Event::Marked(set.map(|keys| MarksSet { mark, keys, to, cause }).map_err(message))
            }),
            Effect::MarkViewRead { view, part } => self.spawn(move |h| async move {
                let set = h.mark_view_read(view, part).await;
                let cause = Cause::User;
                let mark = Mark::Read;
                Event::Marked(
                    set.map(|keys| MarksSet { mark, keys, to: true, cause }).map_err(message),
                )
            }),
            Effect::ApplyRule { rule, view, cause } => self.spawn(move |h| async move {
                let name = rule.name.clone();
                let result = h.apply_rule(*rule, *view).await.map(counted).map_err(message);
                Event::RuleApplied { name, cause, undone: false, result }
            }),
            Effect::UndoRule { name, cause } => self.spawn(move |h| async move {
                let result = h.undo_rule(name.clone()).await.map(counted).map_err(message);
                Event::RuleApplied { name, cause, undone: true, result }
            }),
            Effect::MarkByRule { name, marks, on } => self.spawn(move |h| async move {
                Event::MarkedByRule(h.mark_by_rule(name, marks, on).await.map_err(message))
            }),
            Effect::Refresh { keys, pace, request } => self.refresh(keys, pace, request),
            Effect::CancelRefresh => {
                let handle = self.handle.clone();
                tokio::spawn(async move { handle.cancel_refresh().await });
            }
            other => return self.perform_following(other),
        }
        None
    }

    /// Starts the effects for discovery, new sources and the workbench.
    fn perform_following(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::Discover { request, address } => self.discover(request, address),
            Effect::DiscoverOrigin { request, typed } => self.discover_origin(request, typed),
            Effect::CancelDiscovery => {
                if let Some(task) = self.discovery.take() {
                    task.abort();
                }
            }
            Effect::Follow { request, discovery, way, folder } => self.spawn(move |h| async move {
                // The description of a crawl is not a suitable title for the source.
                let named = discovery.ways.get(way).filter(|w| w.kind() != SourceKind::Crawl);
                let title = named.map(|w| w.title.clone());
                let listed = listed(discovery.ways.get(way));
                let source = h.follow(discovery, way, None, folder).await;
                followed(&h, request, source, title, listed).await
            }),
            Effect::FollowEdited { request, discovery, way, base, changes } => {
                self.spawn(move |h| async move {
                    let named = way.and_then(|way| discovery.ways.get(way));
                    let named = named.filter(|w| w.kind() != SourceKind::Crawl);
                    let title = named.map(|w| w.title.clone());
                    let listed = listed(way.and_then(|way| discovery.ways.get(way)));
                    let source = h.follow_edited(&discovery, way, &base, &changes).await;
                    followed(&h, request, source, title, listed).await
                });
            }
            Effect::FollowComments { request, item } => self.spawn(move |h| async move {
                let source = h.follow_comments(item).await;
                followed(&h, request, source, None, listed(None)).await
            }),
            Effect::OpenBench { bench, subject } => self.open_bench(bench, subject),
            Effect::Bench { bench, ask } => self.ask_bench(bench, ask),
            Effect::CloseBench => self.bench = None,
            other => return self.perform_editing(other),
        }
        None
    }

    /// Starts the effects for lists and files of sources, and for the settings.
    fn perform_editing(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::StopCrawl { source } => {
                let message = match self.handle.stop_exploring(source) {
                    true => "Crawl stopped; items found so far are kept",
                    false => "This source is not being crawled",
                };
                let _ = self.events.send(Event::Message(Ok(message.to_owned())));
            }
            Effect::FollowStarters { request, indexes } => self.spawn(move |h| async move {
                Event::Followed(request, follow_starters(&h, &indexes).await)
            }),
            // Following a list is not queued with the file changes, because a slow server must not delay
            // them.
            Effect::FollowList { request, typed } => self.spawn(move |h| async move {
                let followed = h.follow_list(&typed, None, None).await;
                Event::ListFollowed(request, typed, followed.map(Box::new).map_err(message))
            }),
            Effect::AcceptList { source } => self.spawn(move |h| async move {
                Event::ListAccepted(source, h.accept_list(source).await.map_err(message))
            }),
            Effect::ReadImport { request, list, private } => {
                let paths = self.paths.clone();
                self.blocking(move || {
                    let read = import::read(&paths, &list, private);
                    Some(Event::ImportRead(request, read.map(Box::new)))
                });
            }
            Effect::ListPaths { typed } => {
                self.blocking(move || {
                    let paths = import::paths(&typed);
                    Some(Event::PathsListed(typed, paths))
                });
            }
            Effect::Edit { purpose, change } => self.queue_edit(move |h| async move {
                Event::Edited(purpose, h.edit(change).await.map_err(not_saved))
            }),
            Effect::LoadEntry { source, id } => {
                self.spawn(move |h| async move {
                    Event::EntryLoaded(source, h.source_section(&id).await.map_err(message))
                });
            }
            Effect::LoadSettings => self.spawn(move |h| async move {
                Event::SettingsLoaded(h.settings_section().await.map_err(message))
            }),
            other => return self.perform_file_use(other),
        }
        None
    }

    /// Starts the effects for reading positions, comments, enclosures, downloads and the user's programs.
    fn perform_file_use(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::StorePosition { item, place } => {
                let store = self.handle.store().clone();
                tokio::spawn(async move { store_position(&store, item, place).await });
            }
            Effect::BrowseComments { item } => self.spawn(move |h| async move {
                Event::CommentsFound(h.comments_url(item).await.map_err(message))
            }),
            Effect::FindEnclosures { of, file_use } => self.spawn(move |h| async move {
                Event::EnclosuresFound(file_use, find_enclosures(&h, of).await)
            }),
            Effect::UseFile { file, file_use } => {
                let (events, url) = (self.events.clone(), file.url.clone());
                self.spawn_cancellable(Some(url), move |h, cancelled| {
                    files::use_file(h, file, file_use, events, cancelled)
                });
            }
            Effect::StopRunning { url } => {
                if !self.running.cancel(url.as_deref()) {
                    let none = "Nothing to stop".to_owned();
                    let _ = self.events.send(Event::Message(Ok(none)));
                }
            }
            Effect::OpenDownload { path, media_type } => {
                let settings = self.handle.settings();
                self.blocking(move || Some(files::open_stored(&settings, &path, &media_type)));
            }
            Effect::RemoveDownload { entry } => self.spawn(move |h| files::remove(h, *entry)),
            Effect::RunCommand { command, items } => {
                self.spawn_cancellable(None, move |h, cancelled| async move {
                    let (name, output) = (command.name.clone(), command.output);
                    // Dropping the future stops the program.
                    let ended = cancelled.run_until_cancelled(run_command(&h, &command, &items));
                    let cancelled = || Event::CommandEnded(name, output, Ok(None));
                    ended.await.unwrap_or_else(cancelled)
                });
            }
            other => return self.perform_outside(other),
        }
        None
    }

    /// Starts effects with results outside the interface: texts, episodes, crawls, pages in the browser.
    fn perform_outside(&mut self, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::MakeMarkdown { items } => self.spawn(move |h| async move {
                let count = items.len();
                let made = h.markdown(items).await.map(|text| (text, count));
                Event::MarkdownMade(made.map_err(message))
            }),
            Effect::Save { order, folder, name } => {
                let events = self.events.clone();
                self.spawn_cancellable(None, move |h, cancelled| async move {
                    files::save(&h, &order, (folder, name), &events, cancelled).await
                });
            }
            Effect::Export { sources, views, folder } => {
                self.blocking(move || Some(files::export(&sources, &views, &folder)));
            }
            Effect::Player(command) => {
                self.listening.command(&self.handle, &self.events, command);
            }
            Effect::Crawl(command) => self.crawls.perform(&self.handle, &self.events, command),
            Effect::MoveInQueue { key, by } => {
                let (handle, events) = (self.handle.clone(), self.events.clone());
                tokio::spawn(async move {
                    if let Some(event) = listen::move_in_queue(handle, key, by).await {
                        let _ = events.send(event);
                    }
                });
            }
            Effect::Browse { urls } => {
                let settings = self.handle.settings();
                self.blocking(move || Some(files::browse(&settings, urls)));
            }
            other => return Some(other),
        }
        None
    }

    /// The parts that must be finished before the program exits.
    pub(super) fn ending(&self) -> Ending {
        Ending {
            handle: self.handle.clone(),
            edits: self.edits.clone(),
            listening: self.listening.clone(),
            crawls: self.crawls.clone(),
        }
    }

    fn refresh(&self, keys: Option<Vec<i64>>, pace: Pace, request: RequestId) {
        let (handle, events) = (self.handle.clone(), self.events.clone());
        tokio::spawn(async move {
            let all = keys.is_none();
            let mut reports = handle.refresh(keys, pace).await;
            while let Some(report) = reports.recv().await {
                let _ = events.send(Event::Refreshed(request, report));
            }
            // The status line shows the results of syncing accounts.
            if all && pace != Pace::Due {
                handle.sync_accounts(WhichAccounts::All, false).await;
            }
            let _ = events.send(Event::RefreshEnded(request));
        });
    }

    /// Fetches the full text of an opened item after a short delay, unless another item is opened first, so
    /// that moving quickly through a list causes no requests.
    fn item_opened(&mut self, key: i64) {
        let (handle, events, opened) =
            (self.handle.clone(), self.events.clone(), self.opened.clone());
        opened.store(key, Ordering::SeqCst);
        tokio::spawn(async move {
            tokio::time::sleep(OPEN_DELAY).await;
            if opened.load(Ordering::SeqCst) == key {
                let got = handle.opened(key).await.map_err(message);
                let _ = events.send(Event::TextGot(key, false, got));
            }
        });
    }

    fn fetch_picture(
        &self,
        source: i64,
        url: String,
        of: PictureUse,
        detailed: bool,
    ) -> AbortHandle {
        self.spawn_task(move |h| async move {
            let picture = h.picture(source, &url, detailed).await;
            if let Err(why) = &picture {
                tracing::debug!("the picture {url} was not shown: {why}");
            }
            let picture = picture.ok().map(|picture| match of {
                PictureUse::Article => picture,
                PictureUse::List => picture.shrunk(),
            });
            Event::PictureFetched(of, url, picture.map(Arc::new))
        })
    }

    fn fetch_embedded(&self, item: i64, markers: Vec<String>, detailed: bool) -> AbortHandle {
        self.spawn_task(move |h| async move {
            let found = h.embedded_pictures(item, markers, detailed).await;
            let pictures = found.pictures.into_iter();
            let pictures = pictures.map(|(marker, p)| (marker, p.map(Arc::new))).collect();
            Event::EmbeddedFetched(item, pictures, found.missing)
        })
    }

    fn prefetch(&mut self, plan: PrefetchPlan) {
        let mut reports = self.handle.prefetch(plan.pages);
        let events = self.events.clone();
        let task = tokio::spawn(async move {
            while let Some((_, got)) = reports.recv().await {
                let there =
                    matches!(got, Ok(TextGot::Fetched { .. } | TextGot::Kept | TextGot::InFeed));
                let _ = events.send(Event::Prefetched(there));
            }
            let _ = events.send(Event::PrefetchEnded);
        });
        self.prefetch = Some(task.abort_handle());
    }
}

/// Stores a reading position. Errors are only logged.
pub(super) async fn store_position(store: &Store, item: i64, place: usize) {
    if let Err(e) = store.set_place(item, place).await {
        tracing::debug!("the reading position in item {item} was not stored: {e}");
    }
}

fn not_saved(error: FollowError) -> NotSaved {
    match error {
        FollowError::Edit(EditError::Conflict { keys, now }) => NotSaved::Conflict(keys, now),
        other => NotSaved::Failed(message(other)),
    }
}

/// The marks of a rule with the number of their items, counted here because there may be a million items.
fn counted(marks: RuleMarks) -> (usize, Arc<RuleMarks>) {
    (marks.items(), Arc::new(marks))
}

pub(super) fn message(error: impl std::fmt::Display) -> String {
    crate::util::text::line(&error.to_string())
}

//! Random replies of the driver, requested or not.

use super::listening;
use super::*;
use crate::article::Thumbnail;
use crate::config::RuleSettings;
use crate::engine::{
    CommandRun, Discovery, ListFollowed, PrefetchPlan, ProcessRole, Refreshed, Report, Status,
    TestWorkbench, TextGot, Tried, Way, WorkbenchEvent, WorkbenchPage,
};
use crate::store::{Count, ItemValues, RuleRecord, Snippet, WouldChange};
use crate::tui::effect::{BenchRequest, FileUse};
use crate::tui::event::Matches;
use crate::tui::graphics::encode;
use crate::tui::tests::stock::{downloads, statistics};

impl Chaos {
    fn failure(&mut self) -> String {
        ["the disk is full", "news.example has nothing at this URL (HTTP 404)", ""]
            [self.rng.usize(..3)]
        .to_owned()
    }

    pub(super) fn result<T>(&mut self, ok: T) -> Result<T, String> {
        if self.rng.u8(..6) == 0 { Err(self.failure()) } else { Ok(ok) }
    }

    fn edited(&mut self) -> Result<Edited, NotSaved> {
        let (keys, section) = match self.rng.u8(..8) {
            0 => return Err(NotSaved::Failed(self.failure())),
            1 => ("url", &self.stock.entry),
            2 => ("ui.theme", &self.stock.settings),
            _ => {
                let count = self.rng.usize(..3);
                let edit = |_| self.stock.edits[self.rng.usize(..5)].clone();
                let edits = (0..count).map(edit).collect();
                let settings = self.rng.bool().then(|| self.settings());
                let problem = self.rng.bool().then(|| self.failure());
                return Ok(Edited { edits, settings, problem, ..Edited::default() });
            }
        };
        Err(NotSaved::Conflict(vec![keys.to_owned()], Box::new(section.clone())))
    }

    fn sources(&mut self) -> SourceList {
        let mut list = source_list();
        let count = self.rng.usize(..=list.sources.len());
        self.rng.shuffle(&mut list.sources);
        if self.rng.u8(..4) > 0 {
            list.sources.truncate(count);
        }
        list.changed = self.rng.u32(..3);
        list.last_key = self.rng.i64(..300);
        for entry in &mut list.sources {
            entry.facts.unread = self.rng.u32(..500);
            let source = Arc::make_mut(&mut entry.source);
            source.tags = vec!["a".to_owned(), "long tag 日本".to_owned()];
        }
        list
    }

    fn rows(&mut self) -> Vec<ItemRow> {
        let count = [0, 1, 2, 12, 60, 180][self.rng.usize(..6)];
        let mut keys: Vec<i64> = (1..=count).collect();
        keys.retain(|_| self.rng.u8(..5) > 0);
        let row = |key: i64| {
            let like = &self.stock.rows[key as usize % self.stock.rows.len()];
            let date = now() - TimeDelta::minutes(key);
            ItemRow { key, date, ..like.clone() }
        };
        keys.into_iter().map(row).collect()
    }

    fn settings(&mut self) -> Box<Settings> {
        let mut settings = Settings::default();
        let themes = ["dark", "light", "high-contrast", "mono"];
        settings.ui.theme = themes[self.rng.usize(..4)].to_owned();
        settings.ui.ascii = self.rng.bool();
        settings.ui.reader_width = self.rng.u16(20..=400);
        settings.ui.wrap_code = self.rng.bool();
        settings.ui.images = self.rng.bool();
        settings.ui.sources_width = self.rng.u16(0..=200);
        settings.ui.items_width = self.rng.u16(0..=200);
        settings.ui.unread_only = self.rng.bool();
        let rule = |name: &str| RuleSettings {
            name: name.to_owned(),
            query: "title:漢字 OR age<3d".to_owned(),
            effects: vec!["hide".to_owned()],
            ..RuleSettings::default()
        };
        settings.rules = ["日本語", "No sport"].map(rule)[..self.rng.usize(..3)].to_vec();
        if self.rng.u8(..6) == 0 {
            settings.keys.preset = "newsboat".to_owned();
        }
        if self.rng.bool() {
            let own = settings.keys.bindings.entry("items".to_owned()).or_default();
            own.insert("C-p".to_owned(), "pin".to_owned());
        }
        Box::new(settings)
    }

    /// A reply of a workbench with a small page, or an error.
    fn bench_answer(&mut self, bench: u64, ask: BenchRequest) -> Option<Event> {
        let url = "https://kernel.example/news".parse().unwrap();
        let page = "<main><h3><a href=/1>日本語 one</a></h3><h3><a href=/2>Two</a></h3></main>";
        let mut bench_test = TestWorkbench::new(&["https://kernel.example/1".to_owned()], &[]);
        let place = [
            WorkbenchPage::List,
            WorkbenchPage::Second,
            WorkbenchPage::Article,
            WorkbenchPage::Copy(0),
        ][self.rng.usize(..4)];
        bench_test.lay(place, &url, page);
        match ask {
            BenchRequest::Preview { request, rules, .. } => {
                bench_test.preview(request, *rules, place)
            }
            BenchRequest::Pick { part, .. } => bench_test.pick(place, self.rng.u32(..9), part),
            BenchRequest::Fetch { .. } | BenchRequest::Copy(_) => {}
        }
        let why = self.failure();
        let mut events = bench_test.events();
        events.push(WorkbenchEvent::Failed { place, why });
        let at = self.rng.usize(..events.len());
        Some(Event::BenchReplied(bench, events.swap_remove(at)))
    }

    /// A possible reply of the driver to an effect.
    pub(super) fn answer(&mut self, effect: Effect) -> Option<Event> {
        Some(match effect {
            Effect::Read(Read::Sources) => {
                let list = self.sources();
                Event::SourcesLoaded(self.result(list))
            }
            Effect::Read(Read::Linked { url, from, .. }) => {
                let key = self.rows().first().map(|row| row.key);
                Event::LinkFollowed { from, url, item: self.result(key) }
            }
            Effect::Read(Read::Window { request, .. }) => {
                let rows = self.rows();
                let (more_above, more_below) = (self.rng.bool(), self.rng.bool());
                let window = Window { rows, more_above, more_below, cut: self.rng.bool() };
                Event::WindowLoaded(request, self.result(window))
            }
            Effect::Read(Read::Row(key)) => {
                let at = self.rng.usize(..self.stock.rows.len());
                let row = ItemRow { key, ..self.stock.rows[at].clone() };
                Event::RowLoaded(self.result(Some(row)))
            }
            Effect::Read(Read::Article { request, key }) => {
                let at = key.unsigned_abs() as usize % self.stock.rows.len();
                let row = ItemRow { key, ..self.stock.rows[at].clone() };
                let mut shown = article(row);
                shown.position = self.rng.usize(..2000);
                if self.rng.bool() {
                    let changes = crate::article::differences("one two three", "one 2 three four");
                    shown.differences =
                        Arc::new(vec![difference(changes.clone()), difference(changes)]);
                }
                let found = (self.rng.u8(..8) > 0).then(|| Arc::new(shown));
                Event::ArticleLoaded(request, self.result(found))
            }
            Effect::FetchText { key } | Effect::ItemOpened { key } => {
                let got = match self.rng.u8(..4) {
                    0 => TextGot::Feed,
                    1 => TextGot::Failed(self.failure()),
                    2 => TextGot::Gone,
                    _ => TextGot::Fetched { from: TextFrom::Guided, changed: self.rng.bool() },
                };
                Event::TextGot(key, self.rng.bool(), self.result(got))
            }
            Effect::AskForGraphics => Event::TerminalReplied(Replies {
                kitty: self.rng.bool(),
                sixel: self.rng.bool(),
                cell: self.rng.bool().then_some((10, 20)),
                ..Replies::default()
            }),
            Effect::EncodePicture { key, picture } => {
                let encoded = encode(&picture, key.1, key.2).map(Arc::new);
                Event::PictureEncoded(key, encoded.filter(|_| self.rng.bool()))
            }
            Effect::FetchPicture { url, of, .. } => {
                let pixels = vec![[200, 10, 10, self.rng.u8(..)]; 300];
                let picture = Arc::new(Thumbnail::new(20, 15, pixels));
                Event::PictureFetched(of, url, self.rng.bool().then_some(picture))
            }
            Effect::FetchEmbedded { item, markers, .. } => {
                let picture = Arc::new(Thumbnail::new(20, 15, vec![[200, 10, 10, 255]; 300]));
                let found = markers.into_iter().map(|m| (m, Some(picture.clone()))).collect();
                Event::EmbeddedFetched(item, found, self.rng.bool().then(|| "gone".to_owned()))
            }
            Effect::PlanPrefetch => {
                let page = |item| crate::store::WantedPage { item, source: 1, url: String::new() };
                let pages = (0..self.rng.i64(..4)).map(page).collect();
                let plan = PrefetchPlan { pages, bytes: self.rng.u64(..), failed: 1 };
                Event::PrefetchPlanned(self.result(plan))
            }
            Effect::Prefetch { .. } => Event::Prefetched(self.rng.bool()),
            Effect::StopPrefetch => Event::PrefetchEnded,
            Effect::RunCommand { command, items } => {
                let run = CommandRun {
                    done: items.len(),
                    failed: self.rng.usize(..2),
                    left_out: self.rng.usize(..2),
                    error: self.rng.bool().then(|| "exit status: 1".to_owned()),
                    output: "one \u{1b}[31mline\n日本語\n\n".repeat(self.rng.usize(..40)).into(),
                };
                Event::CommandEnded(command.name, command.output, self.result(Some(run)))
            }
            Effect::StopRunning { .. } => Event::Message(Ok("Nothing to stop".to_owned())),
            Effect::OpenDownload { path, .. } => {
                let opened = self.result(());
                Event::BrowserOpened(opened.map_err(|why| (path, why)))
            }
            Effect::RemoveDownload { entry } => Event::DownloadRemoved(self.result(entry.path)),
            Effect::Read(Read::Downloads) => Event::DownloadsListed(self.result(downloads())),
            Effect::Read(read @ (Read::Log | Read::Failures(_))) => {
                let poll = PollRecord {
                    at: now(),
                    status: Some(404),
                    millis: 5,
                    requests: 1,
                    bytes: 9,
                    outcome: Outcome::Unchanged,
                    repairs: vec!["日本語 repaired".to_owned()],
                    left_out: Vec::new(),
                };
                let polls = vec![(SourceId("kernel".to_owned()), poll); self.rng.usize(..40)];
                match read {
                    Read::Failures(source) => Event::FailuresLoaded(source, self.result(polls)),
                    _ => Event::LogLoaded(self.result(polls)),
                }
            }
            Effect::Read(Read::Rhythms(sources)) => {
                let pulse = Pulse::Silent;
                let rhythm = Rhythm { per_day: vec![1, 0, 9], newest: None, pulse };
                let rhythms = sources.into_iter().map(|key| (key, rhythm.clone())).collect();
                Event::RhythmsLoaded(self.result(rhythms))
            }
            Effect::Read(Read::Snippets { keys, expression }) => {
                let snippet = Snippet {
                    title_hits: vec![0..2, 4..9],
                    text: "… a text with 日本 and a hit".to_owned(),
                    hits: vec![4..8, 15..21],
                    picture: self.rng.bool().then(|| "https://site.example/small.png".to_owned()),
                };
                let found = keys.into_iter().map(|key| (key, snippet.clone())).collect();
                Event::SnippetsLoaded(expression, self.result(found))
            }
            Effect::Read(Read::Statistics) => {
                Event::StatisticsLoaded(self.result(Box::new(statistics())))
            }
            Effect::Read(Read::NextCheck(key, _)) => {
                let next = Some(now() + TimeDelta::minutes(self.rng.i64(-9..99)));
                Event::NextCheckLoaded(key, Some(crate::engine::NextCheck { next, overdue: false }))
            }
            Effect::Read(Read::Why(source)) => Event::WhyLoaded(source, self.result(report())),
            Effect::Mark { mark, mut keys, to, cause } => {
                keys.retain(|_| self.rng.u8(..8) > 0);
                Event::Marked(self.result(MarksSet { mark, keys, to, cause }))
            }
            Effect::ApplyRule { rule, cause, .. } => {
                let (name, result) = (rule.name.clone(), self.result((0, Arc::default())));
                Event::RuleApplied { name, cause, undone: false, result }
            }
            Effect::UndoRule { name, cause } => {
                let result = self.result((0, Arc::default()));
                Event::RuleApplied { name, cause, undone: true, result }
            }
            Effect::MarkByRule { .. } => Event::MarkedByRule(self.result(())),
            Effect::Read(Read::Rules) => {
                let record =
                    |rule| RuleRecord { rule, items: 4, last: now(), ..RuleRecord::default() };
                let names = ["日本語", "No sport"].map(str::to_owned);
                let records = names.into_iter().map(record).collect();
                Event::RulesLoaded(self.result(records))
            }
            Effect::Read(Read::Fitting { request, minutes, .. }) => {
                let keys = (1..self.rng.i64(1..6)).collect();
                Event::FittingFound(request, minutes, self.result(keys))
            }
            Effect::Read(Read::Values) => {
                let categories = vec!["日本語 (x)".to_owned(), "Kernel".to_owned()];
                let languages = vec!["de-CH".to_owned()];
                Event::ValuesLoaded(self.result(ItemValues { categories, languages }))
            }
            Effect::Read(Read::Matches { request, .. }) => {
                let count = Count { items: self.rng.u32(..2000), more: self.rng.bool() };
                let newest = vec![("日本語 and a title".to_owned(), 2); self.rng.usize(..14)];
                let would_change =
                    self.rng.bool().then(|| WouldChange { items: 3, pinned: self.rng.usize(..3) });
                let found = Matches { count, would_change, newest };
                Event::MatchesFound(request, self.result(found))
            }
            Effect::Read(Read::Unread { request, .. }) => {
                let count = self.rng.usize(..100);
                Event::UnreadCounted(request, self.result(count))
            }
            Effect::Read(Read::Total { request, .. }) => {
                let count = Count { items: self.rng.u32(..200_000), more: self.rng.bool() };
                Event::TotalCounted(request, self.result(count))
            }
            Effect::MarkViewRead { .. } => {
                let (mark, keys) = (Mark::Read, vec![1, 2, 3]);
                Event::Marked(Ok(MarksSet { mark, keys, to: true, cause: Cause::User }))
            }
            Effect::Refresh { request, .. } => Event::RefreshEnded(request),
            Effect::Discover { request, .. } | Effect::DiscoverOrigin { request, .. } => {
                let (url, items) = ("https://kernel.example/", [("日本", now())]);
                let way = |_| Way::sample(url, "A way 日本", Some(("main a", 0.5)), &items);
                let ways = (0..self.rng.usize(..4)).map(way).collect();
                let found = Discovery::sample("kernel.example", ways, &["no feed"]);
                Event::Discovered(request, self.result(found))
            }
            Effect::Follow { request, .. }
            | Effect::FollowComments { request, .. }
            | Effect::FollowEdited { request, .. }
            | Effect::FollowStarters { request, .. } => {
                let added = (0..self.rng.usize(..3)).map(|_| Followed {
                    id: SourceId("kernel".to_owned()),
                    title: "Kernel".to_owned(),
                    no_items: self.rng.bool().then(String::new),
                    kind: SourceKind::Feed,
                });
                let added = (added.collect(), self.stock.edits[1].clone());
                Event::Followed(request, self.result(added))
            }
            Effect::Edit { purpose, .. } => {
                let edited = self.edited();
                Event::Edited(purpose, edited)
            }
            Effect::FollowList { request, typed } => {
                let followed = ListFollowed {
                    source: self.stock.list.sources[0].clone(),
                    added: self.stock.list.sources.clone(),
                    already: vec![],
                    skipped: vec![],
                    edits: vec![self.stock.edits[1].clone()],
                    problem: self.rng.bool().then(|| self.failure()),
                };
                Event::ListFollowed(request, typed, self.result(Box::new(followed)))
            }
            Effect::ReadImport { request, .. } => {
                let import = self.stock.list.clone();
                let sources = import.sources.clone();
                let (views, known_views) = (import.views.clone(), vec![]);
                let read = ImportRead {
                    import,
                    private_sources: 1,
                    sources,
                    already: vec![],
                    completions: vec![],
                    views,
                    known_views,
                };
                Event::ImportRead(request, self.result(Box::new(read)))
            }
            Effect::ListPaths { typed } => {
                let paths = (0..self.rng.usize(..3)).map(|n| format!("{typed}{n}/日本"));
                let paths = paths.collect();
                Event::PathsListed(typed, paths)
            }
            Effect::BrowseComments { .. } => {
                let url = self.rng.bool().then(|| "https://kernel.example/c".to_owned());
                Event::CommentsFound(self.result(url))
            }
            Effect::Read(Read::Counts { left: views, .. }) => {
                let mut count = |(name, _)| {
                    let items = self.rng.u32(..1000);
                    (name, Count { items, more: items == 999 })
                };
                let counts = views.into_iter().map(&mut count).collect();
                Event::ViewsCounted(self.result(counts))
            }
            Effect::LoadEntry { source, .. } => {
                let entry = self.stock.entry.clone();
                Event::EntryLoaded(source, self.result(entry))
            }
            Effect::LoadSettings => {
                let text = self.stock.settings.clone();
                Event::SettingsLoaded(self.result(text))
            }
            Effect::FindEnclosures { of, file_use } => {
                let file = |n: usize| crate::model::Enclosure {
                    url: format!("https://kernel.example/{n}.mp3"),
                    mime: Some("audio/日本".to_owned()).filter(|_| n == 1),
                    bytes: Some(u64::MAX).filter(|_| n > 0),
                    seconds: Some(u64::MAX).filter(|_| n > 1),
                    ..crate::model::Enclosure::default()
                };
                let mut files = || (0..self.rng.usize(..4)).map(file).collect();
                let found = of.into_iter().map(|of| (of, files())).collect();
                Event::EnclosuresFound(file_use, self.result(found))
            }
            Effect::UseFile { file, file_use: FileUse::Open } => {
                let opened = self.result(());
                Event::BrowserOpened(opened.map_err(|why| (file.url, why)))
            }
            Effect::UseFile { file, file_use: FileUse::Download } => match self.rng.usize(..5) {
                0 => Event::DownloadBegun(file.url),
                1 => Event::DownloadEnded(file.url),
                3 => Event::DownloadFailed(file, "a reason".to_owned()),
                2 => Event::DownloadAdvanced(file.url, self.rng.u64(..), Some(self.rng.u64(..))),
                _ => Event::Downloaded(self.result(file.url)),
            },
            Effect::Browse { urls } => {
                let opened = self.result(());
                let first = urls.into_iter().next().unwrap_or_default();
                Event::BrowserOpened(opened.map_err(|why| (first, why)))
            }
            Effect::Read(Read::Queue) => {
                let queue = listening::queue(&mut self.rng);
                Event::QueueLoaded(self.result(queue))
            }
            Effect::Crawl(command) => return self.crawl_reply(command),
            Effect::AcceptList { source } => {
                let accepted = self.rng.bool();
                Event::ListAccepted(source, self.result(accepted))
            }
            Effect::Player(_) => Event::PlayerChanged(listening::player(&mut self.rng)),
            Effect::MakeMarkdown { items } => {
                let made = self.failure();
                Event::MarkdownMade(self.result((made, items.len())))
            }
            Effect::Save { .. }
            | Effect::Export { .. }
            | Effect::Pipe { .. }
            | Effect::EditSource { .. } => {
                let failure = self.failure();
                Event::Message(self.result(failure))
            }
            Effect::OpenBench { bench, .. } => {
                let times = vec![now(); self.rng.usize(..3)];
                Event::BenchReplied(bench, WorkbenchEvent::Copies(times))
            }
            Effect::Bench { bench, ask } => return self.bench_answer(bench, ask),
            Effect::Read(Read::Version)
            | Effect::CancelDiscovery
            | Effect::CancelRefresh
            | Effect::CloseBench
            | Effect::CancelPicture { .. }
            | Effect::StopCrawl { .. }
            | Effect::Copy { .. }
            | Effect::MoveInQueue { .. }
            | Effect::StorePosition { .. }
            | Effect::BrowseHere(_)
            | Effect::Redraw
            | Effect::Suspend
            | Effect::Quit(_) => return None,
        })
    }

    /// A reply that was not requested, or a late one.
    pub(super) fn stray(&mut self) -> Event {
        let request = self.rng.u64(..40);
        let key = self.rng.i64(..8);
        match self.rng.u8(..16) {
            0 => {
                let rows = self.rows();
                Event::WindowLoaded(request, Ok(Window { rows, ..Window::default() }))
            }
            1 => Event::ArticleLoaded(request, Ok(None)),
            2 => Event::Tried(request, Tried { found: false, text: "searching".to_owned() }),
            3 => Event::Discovered(request, Err("late".to_owned())),
            4 => Event::Edited(Purpose::History, self.edited()),
            5 => Event::Edited(Purpose::Command(None), self.edited()),
            6 => Event::Edited(Purpose::Import { request, listed: 3, skipped: 1 }, self.edited()),
            7 => Event::Edited(Purpose::Form(request), self.edited()),
            8 => Event::EntryLoaded(key, Ok(self.stock.entry.clone())),
            9 => Event::SettingsLoaded(Ok(self.stock.settings.clone())),
            10 => {
                let cause = [Cause::Undo, Cause::Redo, Cause::User][self.rng.usize(..3)];
                Event::Marked(Ok(MarksSet { mark: Mark::Read, keys: vec![key], to: true, cause }))
            }
            11 => Event::WhyLoaded(key, Ok(report())),
            12 => Event::StatusChanged(Status {
                role: [ProcessRole::Follows, ProcessRole::Watches(Some(7)), ProcessRole::Reads]
                    [self.rng.usize(..3)],
                total: self.rng.usize(..90),
                host: Some("a.example".to_owned()),
                offline: self.rng.bool(),
                declaration_error: self.rng.bool().then(|| "sources.toml:3: no".to_owned()),
                ..Status::default()
            }),
            13 => {
                let report = Report {
                    source: SourceId("kernel".to_owned()),
                    result: Refreshed::Polled(Outcome::Unchanged),
                    left_out: Vec::new(),
                    problem: None,
                };
                Event::Refreshed(request, report)
            }
            _ => Event::TimePassed,
        }
    }
}

//! A simulated Google Reader API server on loopback that behaves like FreshRSS or Miniflux.

use newsfed::greader::{
    Category, Contents, EntryText, ItemRef, ItemRefs, QuickAdd, RemoteId, RemoteTag, Stream,
    StreamEntry, StreamLink, StreamOrigin, Subscription, Subscriptions, Tags, UserInfo,
    write_login,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

pub(super) const PASSWORD: &str = "wonderland1";
const AUTH: &str = "alice/0123456789abcdef";
const TOKEN: &str = "0123456789abcdefZZZ";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    FreshRss,
    Miniflux,
}

/// How a request fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    Status(u16),
    /// Closes the connection without executing the request.
    Drop,
    /// Executes the request, and then closes the connection without a response.
    Late,
    /// Reports success without executing the request.
    Lost,
    /// Sends half of the response.
    Cut,
    /// Sends an HTML page instead of the response.
    Html,
    /// Returns all items instead of the starred ones.
    Everything,
    /// Sends no response until the server stops.
    Stall,
    /// Does not fail.
    Pass,
}

#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) feed: i64,
    pub(super) number: i64,
    pub(super) published: i64,
    pub(super) arrived: i64,
    pub(super) read: bool,
    pub(super) starred: bool,
    pub(super) labels: BTreeSet<String>,
}

pub(super) struct World {
    pub(super) kind: Kind,
    pub(super) items: BTreeMap<i64, Item>,
    /// URL, title and folder of each feed, by number.
    pub(super) feeds: BTreeMap<i64, (String, String, String)>,
    /// The server's clock, in seconds.
    pub(super) now: i64,
    /// The requested endpoints, and the number of item identifiers in each request.
    pub(super) log: Vec<(String, usize)>,
    /// The failures of the next requests to an endpoint.
    pub(super) failures: Vec<(String, Failure)>,
    /// Responses that contain this item are too large.
    pub(super) heavy: Option<i64>,
    /// Marks of this item are rejected.
    pub(super) rejected: Option<i64>,
    /// Feeds that are missing from the list of subscriptions.
    pub(super) hidden: Vec<i64>,
    /// Whether changes to subscriptions are confirmed but not made.
    pub(super) stubborn: bool,
    /// Like `stubborn`, for a single feed.
    pub(super) stubborn_feed: Option<i64>,
    epoch: i64,
    serial: i64,
}

impl World {
    /// Creates feeds and items. After each reset, the numbers refer to different feeds and items.
    fn build(&mut self, feeds: i64, items: i64) {
        for feed in 1..=feeds {
            let page = (feed - 1 + self.epoch) % feeds + 1;
            let url = format!("http://feeds.example/f/{page}.xml");
            let folder = format!("Folder {} é&", page % 2);
            self.feeds.insert(feed, (url, format!("Feed {page}"), folder));
        }
        let base = self.now - items * 3600;
        for number in 1..=items {
            let number = (number - 1 + 7 * self.epoch) % items + 1;
            for feed in self.feeds.keys().copied().collect::<Vec<_>>() {
                let at = base + number * 3600;
                self.add(feed, number, at, at);
            }
        }
    }

    pub(super) fn add(&mut self, feed: i64, number: i64, published: i64, arrived: i64) -> i64 {
        self.serial += 1;
        let id = match self.kind {
            Kind::FreshRss => 1_790_000_000 * 1_000_000 + self.serial,
            Kind::Miniflux => self.serial,
        };
        let (read, starred, labels) = (false, false, BTreeSet::new());
        let item = Item { feed, number, published, arrived, read, starred, labels };
        self.items.insert(id, item);
        id
    }

    /// Simulates a new installation with the same feeds, different identifiers, and no read items.
    pub(super) fn reset(&mut self) {
        let (feeds, items) = (self.feeds.len() as i64, self.items.len() as i64);
        self.feeds.clear();
        self.items.clear();
        (self.epoch, self.serial) = (self.epoch + 1, 0);
        self.build(feeds, items / feeds);
    }

    /// The URL of an item's article.
    pub(super) fn page(&self, item: &Item) -> String {
        let (url, ..) = &self.feeds[&item.feed];
        format!("{}/{}", url.replace("/f/", "/p/"), item.number)
    }

    pub(super) fn fail(&mut self, endpoint: &str, failure: Failure, times: usize) {
        self.failures.extend(std::iter::repeat_n((endpoint.to_owned(), failure), times));
    }

    /// Takes the requests since the last call.
    pub(super) fn requests(&mut self) -> Vec<(String, usize)> {
        std::mem::take(&mut self.log)
    }

    fn entry(&self, id: i64, item: &Item) -> StreamEntry {
        let (_, title, folder) = &self.feeds[&item.feed];
        let mut streams = vec![Stream::ReadingList, Stream::Label(folder.clone())];
        streams.extend(item.labels.iter().cloned().map(Stream::Label));
        streams.extend(item.read.then_some(Stream::Read));
        streams.extend(item.starred.then_some(Stream::Starred));
        let href = self.page(item);
        let amp = if self.kind == Kind::FreshRss { "\u{ff06}" } else { "&" };
        StreamEntry {
            id: RemoteId::Number(id).long(),
            crawl_time_msec: (item.arrived * 1000).to_string(),
            published: item.published,
            title: format!("Item {} {amp} more", item.number),
            canonical: vec![StreamLink { href }],
            categories: streams.iter().map(Stream::to_string).collect(),
            origin: StreamOrigin {
                stream_id: format!("feed/{}", item.feed),
                title: title.clone(),
                ..StreamOrigin::default()
            },
            summary: EntryText { content: "<p>harbour <script>x()</script>tram</p>".to_owned() },
            ..StreamEntry::default()
        }
    }

    pub(super) fn labels(&self) -> BTreeSet<&str> {
        self.items.values().flat_map(|item| &item.labels).map(String::as_str).collect()
    }

    fn is_folder(&self, name: &str) -> bool {
        self.feeds.values().any(|(.., folder)| folder == name)
    }

    /// A page of item identifiers in a stream, newest first. An unknown label returns the whole list.
    fn select(&self, stream: &str, query: &BTreeMap<String, String>) -> (Vec<i64>, Option<String>) {
        let starred = stream.ends_with("/starred");
        let label = stream.strip_prefix("user/-/label/").filter(|l| self.labels().contains(l));
        let has = |i: &Item| label.is_none_or(|label| i.labels.contains(label));
        let unread = query.contains_key("xt");
        let since: i64 = query.get("ot").map_or(0, |ot| ot.parse().unwrap());
        let at = |i: &Item| if self.kind == Kind::FreshRss { i.arrived } else { i.published };
        let mut ids: Vec<i64> = self
            .items
            .iter()
            .filter(|(_, i)| {
                (!starred || i.starred) && (!unread || !i.read) && at(i) >= since && has(i)
            })
            .map(|(id, _)| *id)
            .collect();
        ids.reverse();
        let most: usize = query.get("n").map_or(20, |n| n.parse().unwrap());
        let c: Option<i64> = query.get("c").map(|c| c.parse().unwrap());
        if self.kind == Kind::FreshRss {
            ids.retain(|id| c.is_none_or(|c| *id < c));
            ids.truncate(most);
            // If the last page is full, it is followed by an empty page.
            let next = (ids.len() == most).then(|| ids.last().unwrap().to_string());
            return (ids, next);
        }
        let (from, most) = (c.unwrap_or(0) as usize, most.min(10_000));
        let next = (ids.len() > from + most).then(|| (from + most).to_string());
        (ids.into_iter().skip(from).take(most).collect(), next)
    }

    fn respond(&mut self, endpoint: &str, call: &Call) -> (u16, String) {
        let json = |value: serde_json::Value| (200, value.to_string());
        if endpoint == "/accounts/ClientLogin" {
            let good = call.form("Email") == Some("alice") && call.form("Passwd") == Some(PASSWORD);
            return if good { (200, write_login(AUTH)) } else { (401, "Unauthorized!".to_owned()) };
        }
        let by_header = call.authorization == format!("GoogleLogin auth={AUTH}");
        let by_token = call.form("T") == Some(TOKEN);
        let allowed = match (self.kind, call.post) {
            (Kind::Miniflux, true) => by_token,
            // The request body is the list, so it cannot contain the token.
            (Kind::FreshRss, true) if endpoint == "subscription/import" => by_header,
            (Kind::FreshRss, true) => by_header && by_token,
            _ => by_header,
        };
        if !allowed {
            return (401, "Unauthorized!".to_owned());
        }
        let shown = match endpoint {
            "stream/items/contents" => call.ids(),
            list if list.starts_with("stream/contents/") => self.select(list, &call.query).0,
            _ => Vec::new(),
        };
        if self.heavy.is_some_and(|id| shown.contains(&id)) {
            return (413, "Too large".to_owned());
        }
        match endpoint {
            "token" => (200, format!("{TOKEN}\n")),
            "user-info" => json(serde_json::to_value(UserInfo::default()).unwrap()),
            "subscription/list" => {
                let subscription =
                    |(id, (url, title, folder)): (&i64, &(String, String, String))| {
                        let category = Category { id: String::new(), label: folder.clone() };
                        Subscription {
                            id: format!("feed/{id}"),
                            title: title.clone(),
                            categories: vec![category],
                            url: url.clone(),
                            ..Subscription::default()
                        }
                    };
                let listed = self.feeds.iter().filter(|(id, _)| !self.hidden.contains(id));
                let subscriptions = listed.map(subscription).collect();
                json(serde_json::to_value(Subscriptions { subscriptions }).unwrap())
            }
            "tag/list" => {
                let tag = |name: &str, kind: &str| RemoteTag {
                    id: Stream::Label(name.to_owned()).to_string(),
                    kind: Some(kind.to_owned()),
                };
                let folders: BTreeSet<&str> = self.feeds.values().map(|f| f.2.as_str()).collect();
                let folders = folders.into_iter().filter(|f| !f.is_empty());
                let mut tags: Vec<RemoteTag> = folders.map(|name| tag(name, "folder")).collect();
                tags.extend(self.labels().into_iter().map(|name| tag(name, "tag")));
                json(serde_json::to_value(Tags { tags }).unwrap())
            }
            "stream/items/ids" => {
                let (ids, continuation) = self.select(&call.query["s"], &call.query);
                let item_refs = ids.iter().map(|id| ItemRef { id: id.to_string() }).collect();
                json(serde_json::to_value(ItemRefs { item_refs, continuation }).unwrap())
            }
            "stream/items/contents" => {
                let ids = call.ids();
                let items = self.items.iter().filter(|(id, _)| ids.contains(id));
                let items = items.map(|(id, item)| self.entry(*id, item)).collect();
                json(serde_json::to_value(Contents { items, ..Contents::default() }).unwrap())
            }
            list if list.starts_with("stream/contents/") && self.kind == Kind::FreshRss => {
                let (ids, continuation) = self.select(list, &call.query);
                let items = ids.iter().map(|id| self.entry(*id, &self.items[id])).collect();
                let contents = Contents { items, continuation, ..Contents::default() };
                json(serde_json::to_value(contents).unwrap())
            }
            "edit-tag" if self.rejected.is_some_and(|id| call.ids().contains(&id)) => {
                (400, "Bad Request!".to_owned())
            }
            "edit-tag" => {
                let (mark, to) = match (call.form("a"), call.form("r")) {
                    (Some(mark), _) => (mark.to_owned(), true),
                    (_, mark) => (mark.unwrap().to_owned(), false),
                };
                let label = mark.strip_prefix("user/-/label/").map(str::to_owned);
                if label.as_deref().is_some_and(|label| self.is_folder(label)) {
                    return (200, "OK".to_owned());
                }
                for id in call.ids() {
                    let Some(item) = self.items.get_mut(&id) else { continue };
                    match (mark.as_str(), &label) {
                        (_, Some(label)) if to => {
                            item.labels.insert(label.clone());
                        }
                        (_, Some(label)) => {
                            item.labels.remove(label);
                        }
                        ("user/-/state/com.google/read", _) => item.read = to,
                        ("user/-/state/com.google/starred", _) => item.starred = to,
                        (other, _) => panic!("{other}"),
                    }
                }
                (200, "OK".to_owned())
            }
            "subscription/quickadd" => {
                let query = call.form("quickadd").unwrap().to_owned();
                let (mut added, known) = (QuickAdd { query, ..QuickAdd::default() }, &self.feeds);
                if known.values().any(|(url, ..)| *url == added.query) {
                    return (400, "Bad Request!".to_owned());
                }
                match added.query.ends_with("/bad") {
                    true => added.error = "no feed".to_owned(),
                    false => {
                        let id = known.keys().max().unwrap_or(&0) + 1;
                        let feed =
                            (added.query.clone(), "New &amp; feed".to_owned(), String::new());
                        self.feeds.insert(id, feed);
                        (added.num_results, added.stream_id) = (1, format!("feed/{id}"));
                    }
                }
                json(serde_json::to_value(added).unwrap())
            }
            "subscription/import" if self.kind == Kind::FreshRss => {
                let list = newsfed::config::import(call.body.as_bytes(), "the request").unwrap();
                for source in list.sources.into_iter().filter(|s| !s.url.path().ends_with("/bad")) {
                    let id = self.feeds.keys().max().unwrap_or(&0) + 1;
                    let (title, folder) = (source.title, source.folder);
                    let feed = (source.url.into(), title.unwrap(), folder.unwrap_or_default());
                    self.feeds.insert(id, feed);
                }
                (200, "OK".to_owned())
            }
            "subscription/edit" => {
                let id: i64 =
                    call.form("s").unwrap().strip_prefix("feed/").unwrap().parse().unwrap();
                let label = |name| call.form(name).map(|l| l.replace("user/-/label/", ""));
                if self.stubborn || self.stubborn_feed == Some(id) {
                    return (200, "OK".to_owned());
                }
                if call.form("ac") == Some("unsubscribe") {
                    self.feeds.remove(&id);
                    self.items.retain(|_, item| item.feed != id);
                } else if let Some((_, title, folder)) = self.feeds.get_mut(&id) {
                    *title = call.form("t").unwrap_or(title).to_owned();
                    *folder =
                        label("a").or(label("r").map(|_| String::new())).unwrap_or(folder.clone());
                }
                (200, "OK".to_owned())
            }
            _ => (400, "Bad Request!".to_owned()),
        }
    }
}

struct Call {
    post: bool,
    authorization: String,
    query: BTreeMap<String, String>,
    form: Vec<(String, String)>,
    body: String,
}

impl Call {
    /// Like PHP, reads at most 1,000 fields, and only the last of several fields with the same name.
    fn form(&self, name: &str) -> Option<&str> {
        let read = self.form.iter().take(1000).rev();
        read.into_iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    fn ids(&self) -> Vec<i64> {
        let ids = self.form.iter().take(1000).filter(|(name, _)| name == "i");
        ids.map(|(_, id)| id.parse().unwrap()).collect()
    }
}

/// A running server; dropping it stops the server.
pub(super) struct Reader {
    pub(super) url: String,
    address: std::net::SocketAddr,
    world: Arc<Mutex<World>>,
    stopped: Arc<AtomicBool>,
}

impl Reader {
    pub(super) fn start(kind: Kind, feeds: i64, items: i64, now: i64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let path = if kind == Kind::FreshRss { "/api/greader.php" } else { "" };
        let mut world = World {
            kind,
            items: BTreeMap::new(),
            feeds: BTreeMap::new(),
            now,
            log: Vec::new(),
            failures: Vec::new(),
            heavy: None,
            rejected: None,
            hidden: Vec::new(),
            stubborn: false,
            stubborn_feed: None,
            epoch: 0,
            serial: 0,
        };
        world.build(feeds, items);
        let (world, stopped) = (Arc::new(Mutex::new(world)), Arc::new(AtomicBool::new(false)));
        let (shared, ends) = (world.clone(), stopped.clone());
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let world = shared.clone();
                std::thread::spawn(move || serve(connection, path, &world));
            }
        });
        Self { url: format!("http://{address}{path}"), address, world, stopped }
    }

    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn pairs(text: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// Responds to all requests on a connection.
fn serve(connection: TcpStream, prefix: &str, world: &Mutex<World>) -> Option<()> {
    let mut reader = BufReader::new(connection.try_clone().ok()?);
    loop {
        let (mut line, mut length, mut authorization) = (String::new(), 0, String::new());
        reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "authorization" => authorization = value.to_owned(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8(body).ok()?;
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let path = path.strip_prefix(prefix).unwrap_or("");
        let endpoint = path.strip_prefix("/reader/api/0/").unwrap_or(path).to_owned();
        let call = Call {
            post: method == "POST",
            authorization,
            query: pairs(query).into_iter().collect(),
            form: pairs(&body),
            body,
        };
        let (status, text, failure, now) = {
            let mut world = world.lock().ok()?;
            let count = call.form.iter().filter(|(name, _)| name == "i").count();
            world.log.push((endpoint.clone(), count));
            let found = world.failures.iter().position(|(of, _)| target.contains(of.as_str()));
            let failure = found.map(|at| world.failures.remove(at).1);
            let (status, text) = match failure {
                Some(Failure::Drop) => (0, String::new()),
                Some(Failure::Status(status)) => (status, "as requested".to_owned()),
                Some(Failure::Lost) => (200, "OK".to_owned()),
                Some(Failure::Html) => (200, "<html><title>Log in</title></html>".to_owned()),
                Some(Failure::Everything) => {
                    let all = [("s", "all"), ("n", "10000")];
                    let query = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
                    world.respond(&endpoint, &Call { query: query.into(), ..call })
                }
                _ => world.respond(&endpoint, &call),
            };
            (status, text, failure, world.now)
        };
        if failure == Some(Failure::Stall) {
            // Waits until the client closes the connection.
            let _ = reader.read(&mut [0]);
        }
        if matches!(failure, Some(Failure::Drop | Failure::Late | Failure::Stall)) {
            let _ = connection.shutdown(Shutdown::Both);
            return None;
        }
        let date = chrono::DateTime::from_timestamp(now, 0)?.format("%a, %d %b %Y %T GMT");
        let mut response = format!(
            "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nDate: {date}\r\n\r\n{text}",
            text.len()
        );
        if failure == Some(Failure::Cut) {
            response.truncate(response.len() - text.len() / 2 - 1);
        }
        (&connection).write_all(response.as_bytes()).ok()?;
        if failure == Some(Failure::Cut) {
            let _ = connection.shutdown(Shutdown::Both);
            return None;
        }
    }
}

//! Requests of a client.

use super::id::RemoteId;
use super::stream::Stream;
use url::form_urlencoded::Serializer;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    None,
    /// An encoded form.
    Form(String),
    /// An OPML document.
    Opml(String),
}

/// A request to a path below the URL of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteRequest {
    pub method: Method,
    pub path: &'static str,
    /// The encoded query, without the question mark.
    pub query: String,
    pub body: Body,
}

/// A mark that items can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteMark {
    Read,
    Starred,
    Label(String),
}

/// The requested part of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// Maximum number of items.
    pub most: u32,
    /// Whether read items are excluded.
    pub unread: bool,
    /// Start of the time range, in seconds. Whether it refers to arrival or publication depends on the
    /// server.
    pub since: Option<i64>,
    /// The continuation from the previous page.
    pub continuation: Option<String>,
}

/// A change to a subscription.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubscriptionEdit<'a> {
    pub title: Option<&'a str>,
    pub folder: Option<&'a str>,
    pub out_of: Option<&'a str>,
}

impl From<&RemoteMark> for Stream {
    fn from(state: &RemoteMark) -> Self {
        match state {
            RemoteMark::Read => Self::Read,
            RemoteMark::Starred => Self::Starred,
            RemoteMark::Label(label) => Self::Label(label.clone()),
        }
    }
}

fn form(pairs: &[(&str, &str)]) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

impl RemoteRequest {
    fn get(path: &'static str, query: &[(&str, &str)]) -> Self {
        Self { method: Method::Get, path, query: form(query), body: Body::None }
    }

    /// Creates a POST request. The token is the first field, because servers with a limit on fields drop the
    /// last ones.
    fn post(path: &'static str, token: &str, pairs: &[(&str, &str)]) -> Self {
        let pairs: Vec<_> = [("T", token)].into_iter().chain(pairs.iter().copied()).collect();
        Self { method: Method::Post, path, query: String::new(), body: Body::Form(form(&pairs)) }
    }

    /// Logs in. The password is sent in the body, never in the URL.
    pub fn login(user: &str, password: &str) -> Self {
        let body = Body::Form(form(&[("Email", user), ("Passwd", password)]));
        Self { method: Method::Post, path: "/accounts/ClientLogin", query: String::new(), body }
    }

    /// Requests the token that is needed for changes.
    pub fn token() -> Self {
        Self::get("/reader/api/0/token", &[])
    }

    pub fn user_info() -> Self {
        Self::get("/reader/api/0/user-info", &[("output", "json")])
    }

    pub fn subscriptions() -> Self {
        Self::get("/reader/api/0/subscription/list", &[("output", "json")])
    }

    pub fn tags() -> Self {
        Self::get("/reader/api/0/tag/list", &[("output", "json")])
    }

    /// Requests the identifiers of a stream, newest first.
    pub fn ids(stream: &Stream, page: &PageRequest) -> Self {
        let name = stream.to_string();
        Self { query: page.query(Some(&name)), ..Self::get("/reader/api/0/stream/items/ids", &[]) }
    }

    /// Requests the items of the reading list with their texts, newest first.
    pub fn reading_list(page: &PageRequest) -> Self {
        Self {
            query: page.query(None),
            ..Self::get("/reader/api/0/stream/contents/user/-/state/com.google/reading-list", &[])
        }
    }

    /// Requests the items with these identifiers.
    pub fn contents(token: &str, ids: &[RemoteId]) -> Self {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let pairs: Vec<(&str, &str)> = ids.iter().map(|id| ("i", id.as_str())).collect();
        let post = Self::post("/reader/api/0/stream/items/contents", token, &pairs);
        Self { query: "output=json".to_owned(), ..post }
    }

    /// Sets or removes a single mark, because FreshRSS uses only the last of several marks.
    pub fn mark(token: &str, state: &RemoteMark, to: bool, ids: &[RemoteId]) -> Self {
        let stream = Stream::from(state).to_string();
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let mut pairs = vec![(if to { "a" } else { "r" }, stream.as_str())];
        pairs.extend(ids.iter().map(|id| ("i", id.as_str())));
        Self::post("/reader/api/0/edit-tag", token, &pairs)
    }

    /// Subscribes to a URL.
    pub fn quick_add(token: &str, address: &str) -> Self {
        Self::post("/reader/api/0/subscription/quickadd", token, &[("quickadd", address)])
    }

    /// Renames a subscription, adds it to a folder, and removes it from another folder. Each of these changes
    /// is optional.
    pub fn edit(token: &str, feed: &Stream, edit: SubscriptionEdit<'_>) -> Self {
        let feed = feed.to_string();
        let label = |name: &str| Stream::Label(name.to_owned()).to_string();
        let SubscriptionEdit { title, folder, out_of } = edit;
        let (folder, out_of) = (folder.map(label), out_of.map(label));
        let mut pairs = vec![("ac", "edit"), ("s", feed.as_str())];
        pairs.extend(title.map(|title| ("t", title)));
        pairs.extend(folder.as_deref().map(|folder| ("a", folder)));
        pairs.extend(out_of.as_deref().map(|folder| ("r", folder)));
        Self::post("/reader/api/0/subscription/edit", token, &pairs)
    }

    pub fn unsubscribe(token: &str, feed: &Stream) -> Self {
        let feed = feed.to_string();
        let pairs = [("ac", "unsubscribe"), ("s", feed.as_str())];
        Self::post("/reader/api/0/subscription/edit", token, &pairs)
    }

    /// Subscribes to the feeds of an OPML document.
    pub fn import(opml: String) -> Self {
        let path = "/reader/api/0/subscription/import";
        Self { method: Method::Post, path, query: String::new(), body: Body::Opml(opml) }
    }
}

impl PageRequest {
    fn query(&self, stream: Option<&str>) -> String {
        let mut query = Serializer::new(String::new());
        query.extend_pairs(stream.map(|stream| ("s", stream)));
        query.append_pair("output", "json").append_pair("n", &self.most.to_string());
        if self.unread {
            query.append_pair("xt", &Stream::Read.to_string());
        }
        if let Some(since) = self.since {
            query.append_pair("ot", &since.to_string());
        }
        query.extend_pairs(self.continuation.as_deref().map(|c| ("c", c)));
        query.finish()
    }
}

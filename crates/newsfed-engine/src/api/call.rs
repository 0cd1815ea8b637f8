//! Parses a request from its path, query and form.

use crate::greader::{RemoteId, Stream};
use percent_encoding::percent_decode_str;
use std::collections::HashSet;

/// Prefix of the API below the root of the server. Apps that were made for FreshRSS append it.
const PREFIX: &str = "/api/greader.php";
/// Maximum number of ids in a list.
pub const MAX_IDS: usize = 100_000;
/// Maximum number of items that are returned with their texts.
pub const MAX_CONTENTS: usize = 1_000;
/// Maximum number of streams in a field.
const MAX_STREAMS: usize = 50;
/// Number of items if the request does not specify one.
const USUAL: usize = 20;
/// From 1973 to the year 5138 in microseconds. Times in other units are outside this range.
const MICROS: std::ops::Range<i64> = 100_000_000_000_000..100_000_000_000_000_000;
/// Maximum length of a title, label or address, in bytes.
const LONGEST: usize = 4096;

/// A request that has been parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// The page for visitors with a browser.
    Page,
    Login {
        user: String,
        password: String,
    },
    Token,
    UserInfo,
    Subscriptions,
    Tags,
    UnreadCounts,
    /// A list that is always empty, because newsfed has no such objects. Contains the JSON key of the list.
    Empty(&'static str),
    Ids(Listing),
    /// The items with these ids.
    Contents(Vec<i64>),
    Stream(Listing),
    Atom(Listing),
    EditTag(MarkChange),
    /// Marks as read the items that were discovered up to a time, in microseconds since 1970.
    MarkAllRead {
        stream: Option<Stream>,
        until: Option<i64>,
    },
    EditSubscriptions(Edit),
    QuickAdd(String),
    Export,
    /// An OPML document.
    Import(Vec<u8>),
    /// Renames a folder or a tag, or removes it if there is no new name.
    Relabel {
        from: String,
        to: Option<String>,
    },
}

/// A part of a stream. An unknown stream has no items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// `None` if the API has no stream with this name.
    pub stream: Option<Stream>,
    /// Other streams that must contain the items, and streams that must not.
    pub within: Vec<Option<Stream>>,
    pub without: Vec<Option<Stream>>,
    /// Earliest and latest time of discovery, in seconds since 1970.
    pub since: Option<i64>,
    pub until: Option<i64>,
    /// Id of the item at which the previous page ended.
    pub continuation: Option<i64>,
    pub oldest_first: bool,
    pub most: usize,
}

/// Marks to set and to remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkChange {
    pub items: Vec<i64>,
    pub add: Vec<Stream>,
    pub remove: Vec<Stream>,
}

/// A change to subscriptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub action: SubscriptionAction,
    /// The part after `feed/` of each feed's stream id.
    pub feeds: Vec<String>,
    pub title: Option<String>,
    /// The folder to move the feeds to; `None` does not move them.
    pub folder: Option<String>,
    /// The folder to move the feeds out of.
    pub out_of: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscriptionAction {
    Subscribe,
    Unsubscribe,
    Edit,
}

/// An unparsed request.
#[derive(Debug, Clone, Copy)]
pub struct Raw<'a> {
    pub is_post: bool,
    pub path: &'a str,
    pub query: &'a str,
    pub body: &'a [u8],
}

/// Why a request cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// There is nothing at this path.
    NotFound,
    /// Changes are made only by POST, so that no link can make them.
    NotPost,
    /// The request is invalid, for this reason.
    Wrong(String),
}

fn wrong<T>(why: &str) -> Result<T, Unreadable> {
    Err(Unreadable::Wrong(why.to_owned()))
}

/// Fields of the query and of the form, in order.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn of(raw: &Raw<'_>) -> Self {
        let parse =
            |bytes: &[u8]| -> Vec<_> { url::form_urlencoded::parse(bytes).into_owned().collect() };
        let mut fields = parse(raw.query.as_bytes());
        if raw.is_post {
            fields.extend(parse(raw.body));
        }
        Self(fields)
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The last value that is not empty.
    fn one<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).filter(|value| !value.is_empty()).last()
    }

    fn text(&self, name: &str) -> Result<Option<String>, Unreadable> {
        match self.one(name) {
            Some(text) if text.len() > LONGEST => wrong(&format!("{name} is too long")),
            text => Ok(text.map(str::to_owned)),
        }
    }

    fn number(&self, name: &str) -> Result<Option<i64>, Unreadable> {
        let Some(text) = self.one(name) else { return Ok(None) };
        match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => wrong(&format!("{name} is not a number")),
        }
    }

    fn streams(&self, name: &str) -> Result<Vec<Option<Stream>>, Unreadable> {
        let values: Vec<&str> =
            self.all(name).filter(|value| !value.is_empty()).take(MAX_STREAMS + 1).collect();
        match values.len() {
            ..=MAX_STREAMS => Ok(values.into_iter().map(Stream::parse).collect()),
            _ => wrong(&format!("more than {MAX_STREAMS} values of {name}")),
        }
    }

    /// The items in the `i` fields, deduplicated.
    fn items(&self) -> Result<Vec<i64>, Unreadable> {
        let (mut items, mut seen) = (Vec::new(), HashSet::new());
        for text in self.all("i") {
            match RemoteId::parse(text) {
                Some(RemoteId::Number(key)) => {
                    if seen.insert(key) {
                        items.push(key);
                    }
                }
                _ => return wrong("the parameter i is not an item id"),
            }
        }
        match items.is_empty() {
            true => wrong("the parameter i (the item ids) is missing"),
            false => Ok(items),
        }
    }

    fn listing(&self, stream: Option<Stream>, most: usize) -> Result<Listing, Unreadable> {
        let wanted = match self.number("n")? {
            None => USUAL,
            // As in FreshRSS, 0 means no limit.
            Some(..=0) => most,
            Some(n) => usize::try_from(n).unwrap_or(most).min(most),
        };
        let order = self.one("r").unwrap_or_default();
        Ok(Listing {
            stream,
            within: self.streams("it")?,
            without: self.streams("xt")?,
            since: self.number("ot")?,
            until: self.number("nt")?,
            continuation: self.number("c")?,
            oldest_first: order == "o",
            most: wanted,
        })
    }

    /// The folder or tag in a field.
    fn label(&self, field: &str) -> Result<Option<String>, Unreadable> {
        let Some(name) = self.text(field)? else { return Ok(None) };
        match Stream::parse(&name) {
            Some(Stream::Label(label)) => Ok(Some(label)),
            _ => wrong(&format!("{field} is not a label, such as user/-/label/News")),
        }
    }

    /// The label to change, given as a stream or only by name.
    fn changed_label(&self) -> Result<Option<String>, Unreadable> {
        Ok(self.label("s")?.or(self.text("t")?))
    }
}

impl Call {
    /// Parses a request.
    ///
    /// # Errors
    /// If there is no such endpoint, or if a required field is missing or malformed.
    pub fn parse(raw: Raw<'_>) -> Result<Self, Unreadable> {
        let path = match raw.path.strip_prefix(PREFIX) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
            _ => raw.path,
        };
        if matches!(path, "" | "/") {
            return Ok(Self::Page);
        }
        if let Some(stream) = path.strip_prefix("/reader/atom/") {
            let fields = Fields::of(&raw);
            return Ok(Self::Atom(fields.listing(in_path(stream), MAX_CONTENTS)?));
        }
        let Some(name) = path.strip_prefix("/reader/api/0/") else {
            return match path {
                "/accounts/ClientLogin" => login(&raw),
                _ => Err(Unreadable::NotFound),
            };
        };
        match name {
            "edit-tag"
            | "mark-all-as-read"
            | "rename-tag"
            | "disable-tag"
            | "subscription/edit"
            | "subscription/quickadd"
            | "subscription/import"
                if !raw.is_post =>
            {
                Err(Unreadable::NotPost)
            }
            "subscription/import" => Ok(Self::Import(raw.body.to_vec())),
            _ => Self::endpoint(name, &Fields::of(&raw)),
        }
    }

    fn endpoint(name: &str, fields: &Fields) -> Result<Self, Unreadable> {
        Ok(match name {
            "token" => Self::Token,
            "user-info" => Self::UserInfo,
            "subscription/list" => Self::Subscriptions,
            "subscription/export" => Self::Export,
            "tag/list" => Self::Tags,
            "unread-count" => Self::UnreadCounts,
            "preference/list" => Self::Empty("prefs"),
            "preference/stream/list" => Self::Empty("streamprefs"),
            "friend/list" => Self::Empty("friends"),
            "stream/items/ids" => Self::Ids(fields.listing(stream(fields), MAX_IDS)?),
            "stream/items/contents" => Self::contents(fields)?,
            "stream/contents" => Self::Stream(fields.listing(stream(fields), MAX_CONTENTS)?),
            "edit-tag" => Self::EditTag(marks(fields)?),
            "mark-all-as-read" => Self::mark_all(fields)?,
            "subscription/edit" => Self::EditSubscriptions(edit(fields)?),
            "subscription/quickadd" => match fields.text("quickadd")? {
                Some(address) => Self::QuickAdd(address),
                None => {
                    return wrong("the parameter quickadd (the URL to subscribe to) is missing");
                }
            },
            "rename-tag" => match (fields.changed_label()?, fields.label("dest")?) {
                (Some(from), Some(to)) => Self::Relabel { from, to: Some(to) },
                _ => return wrong("the parameter s (old label) or dest (new label) is missing"),
            },
            "disable-tag" => match fields.changed_label()? {
                Some(from) => Self::Relabel { from, to: None },
                None => return wrong("the parameter s (the label) is missing"),
            },
            other => match other.strip_prefix("stream/contents/") {
                Some(stream) => Self::Stream(fields.listing(in_path(stream), MAX_CONTENTS)?),
                None => return Err(Unreadable::NotFound),
            },
        })
    }

    fn contents(fields: &Fields) -> Result<Self, Unreadable> {
        let items = fields.items()?;
        match items.len() {
            ..=MAX_CONTENTS => Ok(Self::Contents(items)),
            _ => wrong(&format!("more than {MAX_CONTENTS} items; request fewer at once")),
        }
    }

    fn mark_all(fields: &Fields) -> Result<Self, Unreadable> {
        let Some(name) = fields.one("s") else {
            return wrong("the parameter s (the stream) is missing");
        };
        let until = match fields.number("ts")? {
            // As in FreshRSS, 0 means no limit.
            None | Some(0) => None,
            Some(micros) if MICROS.contains(&micros) => Some(micros),
            Some(_) => return wrong("ts is not a time in microseconds"),
        };
        Ok(Self::MarkAllRead { stream: Stream::parse(name), until })
    }
}

/// A stream in a path. A stream that cannot be decoded is unknown.
fn in_path(text: &str) -> Option<Stream> {
    Stream::parse(&percent_decode_str(text).decode_utf8().ok()?)
}

/// The stream in a field, or all items if there is none.
fn stream(fields: &Fields) -> Option<Stream> {
    fields.one("s").map_or(Some(Stream::ReadingList), Stream::parse)
}

fn login(raw: &Raw<'_>) -> Result<Call, Unreadable> {
    let fields = Fields::of(raw);
    match (fields.text("Email")?, fields.text("Passwd")?) {
        (Some(user), Some(password)) => Ok(Call::Login { user, password }),
        _ => wrong("Email or Passwd is missing"),
    }
}

/// Marks that have an effect. Apps also send states that newsfed does not support.
fn marks(fields: &Fields) -> Result<MarkChange, Unreadable> {
    let items = fields.items()?;
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    for (name, list) in [("a", &mut add), ("r", &mut remove)] {
        for stream in fields.streams(name)?.into_iter().flatten() {
            let known = matches!(stream, Stream::Read | Stream::Starred | Stream::Label(_));
            let known = known || (is_kept_unread(&stream) && name == "a");
            if known && !list.contains(&stream) {
                list.push(stream);
            }
        }
    }
    if add.iter().any(|stream| remove.contains(stream)) {
        return wrong("the same mark is set and removed");
    }
    // `kept-unread` is another name for the opposite of read.
    if add.iter().any(is_kept_unread) {
        add.retain(|stream| !is_kept_unread(stream));
        if !remove.contains(&Stream::Read) && !add.contains(&Stream::Read) {
            remove.push(Stream::Read);
        }
    }
    match add.is_empty() && remove.is_empty() {
        true => wrong("a and r contain no mark: read, starred or a label"),
        false => Ok(MarkChange { items, add, remove }),
    }
}

fn is_kept_unread(stream: &Stream) -> bool {
    matches!(stream, Stream::State(state) if state == "kept-unread")
}

fn edit(fields: &Fields) -> Result<Edit, Unreadable> {
    let action = match fields.one("ac") {
        Some("subscribe") => SubscriptionAction::Subscribe,
        Some("unsubscribe") => SubscriptionAction::Unsubscribe,
        Some("edit") => SubscriptionAction::Edit,
        _ => return wrong("the parameter ac must be subscribe, unsubscribe or edit"),
    };
    let mut feeds = Vec::new();
    for stream in fields.streams("s")? {
        match stream {
            Some(Stream::Feed(feed)) if feed.len() <= LONGEST => feeds.push(feed),
            _ => return wrong("s is not a subscription, such as feed/17"),
        }
    }
    let (title, folder) = (fields.text("t")?, fields.label("a")?);
    let out_of = fields.label("r")?;
    match feeds.is_empty() {
        true => wrong("the parameter s (the subscriptions) is missing"),
        false => Ok(Edit { action, feeds, title, folder, out_of }),
    }
}

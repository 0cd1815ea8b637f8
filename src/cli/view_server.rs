//! Serves views as feeds over HTTP, for programs on this computer.

use super::catalogue::Catalogue;
use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::item_options::Choice;
use super::output::Output;
use super::view_feed::{FeedFormatArg, FeedOf, header};
use crate::config::{FeedsSettings, Settings, ViewSettings};
use crate::engine::Handle;
use crate::feed::write::{FeedFormat, FeedHeader, WrittenFeed};
use crate::model::Source;
use crate::serve::{
    HttpServer, Limits, ServedRequest, ServedResponse, is_for_loopback, same_secret,
};
use crate::store::{FEEDS_SECRET, Store, View};
use hyper::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct UrlArgs {
    /// The name of a view [default: all views]
    name: Option<String>,
    /// Format of the feed
    #[arg(long, value_enum, default_value_t = FeedFormatArg::Atom)]
    format: FeedFormatArg,
    /// Change the secret in the URLs: earlier URLs stop working
    #[arg(long)]
    renew: bool,
}

const EXAMPLES: &str = "\
`newsfed daemon` serves the views at feeds.address in config.toml, to programs
on this computer that know the URL. The URL contains a secret; --renew replaces
it.

Examples:
  newsfed views url
  newsfed views url Rust --format rss
  newsfed views url --renew";

#[derive(serde::Serialize)]
struct Shape<'a> {
    name: &'a str,
    url: String,
}

/// `newsfed views url`: prints the URLs of views.
pub(super) fn print_urls(
    args: &UrlArgs,
    global: &Global,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    let Some(address) = address(&home.settings.feeds) else {
        return Err(Failure::Plain(NOT_SERVED.to_owned()));
    };
    let store = home.store()?;
    let catalogue = Catalogue::read(&home, &store)?;
    let views = match &args.name {
        Some(name) => std::slice::from_ref(catalogue.view_named(name)?),
        None => catalogue.views.as_slice(),
    };
    let secret = store.secret_blocking(FEEDS_SECRET, args.renew)?;
    for ViewSettings { name, .. } in views {
        let url = url(address, &secret, name, args.format.into());
        if out.json {
            out.value(&Shape { name, url })?;
        } else {
            out.line(url)?;
        }
    }
    if views.is_empty() {
        out.note("no views yet; add a [[view]] to config.toml, or press = in the interface");
    }
    Ok(Exit::Ok)
}

const NOT_SERVED: &str = "views are not served; set address = \"127.0.0.1:8990\" in [feeds] of \
    config.toml and restart `newsfed daemon`";

/// Prefix of all paths.
const ROOT: &str = "/feeds/";

/// The address of the server in the settings; `None` if views are not served.
fn address(settings: &FeedsSettings) -> Option<SocketAddr> {
    // The config loader has checked that the address is valid.
    settings.address.as_deref().and_then(|address| address.parse().ok())
}

/// The URL of a view.
fn url(address: SocketAddr, secret: &str, view: &str, format: FeedFormat) -> String {
    let name = utf8_percent_encode(view, NON_ALPHANUMERIC);
    format!("http://{address}{ROOT}{secret}/{name}.{}", format.name())
}

/// A running server, or none if the settings have no address.
pub(super) struct Serving {
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl Serving {
    pub(super) fn none() -> Self {
        Self { stop: CancellationToken::new(), task: None }
    }

    /// A running server, and the token that stops it.
    pub(super) fn of(task: JoinHandle<()>, stop: CancellationToken) -> Self {
        Self { stop, task: Some(task) }
    }

    /// Stops the server and closes the open connections.
    pub(super) async fn end(self) {
        self.stop.cancel();
        if let Some(task) = self.task
            && let Err(e) = task.await
        {
            tracing::error!("a server panicked: {e}");
        }
    }
}

/// Starts the server for views, if the settings have an address.
///
/// # Errors
/// If the address is in use.
pub(super) async fn start(handle: &Handle) -> Result<Serving, Failure> {
    let Some(address) = address(&handle.settings().feeds) else { return Ok(Serving::none()) };
    let server = HttpServer::bind(address, Limits::default()).await.map_err(|e| {
        let hint = "choose another port in feeds.address of config.toml";
        Failure::Plain(format!("cannot serve views at {address}: {e}; {hint}"))
    })?;
    tracing::info!("serving views as feeds at {address}; `newsfed views url` prints their URLs");
    let handle = handle.clone();
    let respond = move |request| respond(handle.clone(), request);
    let stop = CancellationToken::new();
    Ok(Serving::of(tokio::spawn(server.run(respond, stop.clone())), stop))
}

async fn respond(handle: Handle, request: ServedRequest) -> ServedResponse {
    if !is_for_loopback(&request) {
        let text = "Only host names of this computer, such as localhost, are accepted";
        return ServedResponse::text(StatusCode::MISDIRECTED_REQUEST, text);
    }
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return ServedResponse::wrong_method("GET, HEAD");
    }
    let Some(wanted) = Wanted::of(request.uri.path()) else { return ServedResponse::not_found() };
    let (settings, sources) = (handle.settings(), handle.declared().borrow().clone());
    let (store, format) = (handle.store().clone(), wanted.format);
    let feed = async {
        let resolve = {
            let (store, settings) = (store.clone(), settings.clone());
            move || wanted.resolve(&store, &settings, &sources)
        };
        let Some(found) = blocking(resolve).await? else { return Ok(None) };
        // Indexing runs on threads of the blocking pool. If the wait occupied the last of them, indexing
        // would never start.
        if found.view.criteria.needs_index() {
            index(&store).await?;
        }
        blocking(move || found.write(&store, &settings, format).map(Some)).await
    };
    match feed.await {
        Ok(Some(feed)) => {
            let updated = u64::try_from(feed.updated.timestamp()).ok();
            let updated = updated.map(|s| SystemTime::UNIX_EPOCH + Duration::from_secs(s));
            ServedResponse::document(&request, format.media_type(), updated, feed.text)
        }
        Ok(None) => ServedResponse::not_found(),
        Err(why) => failed(&why),
    }
}

/// Runs work with the database on the blocking pool.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|e| Err(Failure::Plain(e.to_string())))
}

fn failed(why: &dyn std::fmt::Display) -> ServedResponse {
    tracing::warn!("cannot serve a view: {why}");
    ServedResponse::text(StatusCode::INTERNAL_SERVER_ERROR, "The view cannot be read; see the log")
}

/// The segments of a request's path.
struct Wanted {
    secret: String,
    view: String,
    format: FeedFormat,
}

impl Wanted {
    fn of(path: &str) -> Option<Self> {
        let (secret, file) = path.strip_prefix(ROOT)?.split_once('/')?;
        let (name, extension) = file.rsplit_once('.')?;
        let format = FeedFormat::named(extension)?;
        let view = percent_decode_str(name).decode_utf8().ok()?.into_owned();
        Some(Self { secret: secret.to_owned(), view, format })
    }

    /// Finds the view; `None` if the secret is wrong, or if there is no such view.
    fn resolve(
        &self,
        store: &Store,
        settings: &Settings,
        sources: &[Arc<Source>],
    ) -> Result<Option<FoundView>, Failure> {
        let reader = store.reader()?;
        let secret = reader.memo(FEEDS_SECRET)?.unwrap_or_default();
        if secret.is_empty() || !same_secret(&self.secret, &secret) {
            return Ok(None);
        }
        let mut catalogue = Catalogue::join(sources.iter().cloned(), reader.brief_sources()?);
        (catalogue.item_tags, catalogue.views) = (reader.item_tags()?, settings.views.clone());
        let Ok(view) = catalogue.view_named(&self.view) else { return Ok(None) };
        let header = header("view", &view.name);
        let choice = Choice { view: Some(view.name.clone()), ..Choice::default() };
        let view = choice.view(&catalogue)?;
        Ok(Some(FoundView { catalogue, view, header }))
    }
}

/// A view whose feed was requested.
struct FoundView {
    catalogue: Catalogue,
    view: View,
    header: FeedHeader,
}

impl FoundView {
    /// Writes the feed with its current items.
    fn write(
        &self,
        store: &Store,
        settings: &Settings,
        format: FeedFormat,
    ) -> Result<WrittenFeed, Failure> {
        let (catalogue, view) = (&self.catalogue, &self.view);
        let of = FeedOf { catalogue, settings, view, limit: settings.feeds.items };
        let feed = of.write(&store.reader()?, format, &self.header)?;
        if let Some(left_out) = &feed.left_out {
            tracing::warn!("the view \"{}\" is too long: {left_out}", self.header.title);
        }
        Ok(feed)
    }
}

/// Indexes the texts that have not been indexed in the background yet.
async fn index(store: &Store) -> Result<(), Failure> {
    loop {
        match store.index_step().await {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            // The texts that are already indexed can still be searched.
            Err(e) if e.leaves_reading() => return Ok(()),
            Err(e) => return Err(e.into()),
        }
    }
}

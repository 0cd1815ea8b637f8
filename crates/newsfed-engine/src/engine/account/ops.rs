//! Sends changes of subscriptions. A successful response proves nothing: a change is done when it appears in
//! the server's list.

use super::plan::MAX_TRIES;
use super::state::AccountError;
use super::sync::Sync;
use crate::greader::{QuickAdd, RemoteRequest, Stream, SubscriptionEdit};
use crate::net::FetchError;
use crate::store::{AccountOp, RemoteFeed, WaitingOp};
use crate::util::text;
use crate::util::url::normalise;
use url::Url;

/// The changed source in the server's list.
fn listed<'a>(op: &WaitingOp, list: &'a [RemoteFeed]) -> Option<&'a RemoteFeed> {
    match &op.op {
        AccountOp::Subscribe { url, stream, .. } => {
            let is_it = |feed: &&RemoteFeed| stream.as_ref() == Some(&feed.stream);
            list.iter().find(|feed| is_same_url(&feed.url, url)).or(list.iter().find(is_it))
        }
        _ => {
            let (_, stream, _) = op.source.as_ref()?;
            list.iter().find(|feed| feed.stream == *stream)
        }
    }
}

pub(super) fn is_same_url(a: &str, b: &str) -> bool {
    let normal = |text: &str| Url::parse(text).map(|parsed| normalise(&parsed)).ok();
    a == b || normal(a).is_some_and(|a| Some(a) == normal(b))
}

/// Whether the server's list shows that a change has happened.
pub(super) fn has_happened(op: &WaitingOp, list: &[RemoteFeed]) -> bool {
    let feed = listed(op, list);
    match (&op.op, feed) {
        (AccountOp::Unsubscribe, feed) => feed.is_none(),
        // If the subscription was removed on the server, there is nothing left to change.
        (AccountOp::Rename { .. } | AccountOp::Move { .. }, None) => true,
        (AccountOp::Rename { title }, Some(feed)) => feed.title.as_ref() == Some(title),
        (AccountOp::Move { folder }, Some(feed)) => feed.folder == *folder,
        (AccountOp::Subscribe { .. }, None) => false,
        (AccountOp::Subscribe { title, folder, .. }, Some(feed)) => {
            (title.is_none() || feed.title == *title)
                && (folder.is_none() || feed.folder == *folder)
        }
    }
}

/// Describes a change for messages.
pub(super) fn describe(op: &WaitingOp) -> String {
    let of = op.source.as_ref().map_or("", |(_, _, url)| url);
    match &op.op {
        AccountOp::Subscribe { url, .. } => format!("subscribe to {url}"),
        AccountOp::Unsubscribe => format!("unsubscribe from {of}"),
        AccountOp::Rename { title } => format!("rename {of} to \"{title}\""),
        AccountOp::Move { folder: Some(folder) } => format!("move {of} to the folder \"{folder}\""),
        AccountOp::Move { folder: None } => format!("move {of} out of its folder"),
    }
}

impl Sync {
    /// Sends the pending changes in order. A change that was sent several times without effect is dropped,
    /// and the server's list then undoes it locally.
    pub(super) async fn send_ops(&mut self) -> Result<(), AccountError> {
        let key = self.key();
        let mut ops = self.context.read(move |reader| reader.account_ops(key)).await?;
        if ops.is_empty() {
            return Ok(());
        }
        // Changes must not be sent to a different server.
        let mut list = self.own_subscriptions().await?;
        let (mut sent, mut failures) = (false, 0);
        for op in ops.iter_mut().filter(|op| !has_happened(op, &list.feeds)) {
            if failures == MAX_FAILURES {
                break;
            }
            op.error = None;
            match self.send_op(op, &list.feeds).await {
                Ok(()) => {}
                Err(e) if concerns_all(&e) => return Err(e),
                Err(e) => {
                    failures += usize::from(!is_refusal(&e));
                    op.error = Some(e.to_string());
                }
            }
            op.tries += 1;
            sent = true;
        }
        if sent {
            // If this request fails, the server has a problem, and the attempt does not count.
            list = self.subscriptions().await?;
        }
        let (mut done, mut failed, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for op in ops {
            if has_happened(&op, &list.feeds) {
                let source = op.source.as_ref().filter(|_| op.op == AccountOp::Unsubscribe);
                left.extend(source.map(|(key, ..)| *key));
                done.push(op.seq);
            } else if op.tries < MAX_TRIES {
                failed.push(op);
            } else {
                let why = op.error.as_deref().unwrap_or("the server did not make the change");
                let now = self.now();
                self.state.warn(now, format!("could not {}: {why}", describe(&op)));
                done.push(op.seq);
            }
        }
        self.context.store.settle_ops(done, failed, left).await?;
        self.use_subscriptions(list).await
    }

    async fn send_op(
        &mut self,
        op: &mut WaitingOp,
        list: &[RemoteFeed],
    ) -> Result<(), AccountError> {
        let of = op.source.as_ref().and_then(|(_, stream, _)| Stream::parse(stream));
        let feed = listed(op, list).cloned();
        let folder_of = feed.as_ref().and_then(|feed| feed.folder.clone());
        match &mut op.op {
            AccountOp::Subscribe { url, title, folder, stream } => {
                let known = match feed {
                    Some(feed) => feed.stream,
                    None => self.quick_add(url).await?,
                };
                *stream = Some(known.clone());
                let edit = SubscriptionEdit {
                    title: title.as_deref(),
                    folder: folder.as_deref(),
                    out_of: None,
                };
                match Stream::parse(&known) {
                    Some(of) if edit != SubscriptionEdit::default() => {
                        self.edit_subscription(&of, edit).await
                    }
                    _ => Ok(()),
                }
            }
            AccountOp::Unsubscribe => {
                let Some(of) = of else { return Ok(()) };
                let request = |token: &str| RemoteRequest::unsubscribe(token, &of);
                self.session.send("a change", true, request).await.map(|_| ())
            }
            AccountOp::Rename { title } => {
                let Some(of) = of else { return Ok(()) };
                let edit = SubscriptionEdit { title: Some(title), ..SubscriptionEdit::default() };
                self.edit_subscription(&of, edit).await
            }
            AccountOp::Move { folder } => {
                let Some(of) = of else { return Ok(()) };
                let out_of = folder_of.as_deref().filter(|_| folder.is_none());
                let edit = SubscriptionEdit { title: None, folder: folder.as_deref(), out_of };
                self.edit_subscription(&of, edit).await
            }
        }
    }

    pub(super) async fn edit_subscription(
        &mut self,
        of: &Stream,
        edit: SubscriptionEdit<'_>,
    ) -> Result<(), AccountError> {
        let request = |token: &str| RemoteRequest::edit(token, of, edit);
        self.session.send("a change", true, request).await.map(|_| ())
    }

    /// Subscribes to a URL. Returns the name of the subscription.
    pub(super) async fn quick_add(&mut self, url: &str) -> Result<String, AccountError> {
        let request = |token: &str| RemoteRequest::quick_add(token, url);
        let (added, _): (QuickAdd, _) = self.session.read("a subscription", true, request).await?;
        if added.num_results > 0 && !added.stream_id.is_empty() {
            return Ok(added.stream_id);
        }
        let why = text::line(&added.error);
        let why = if why.is_empty() { "no reason given".to_owned() } else { why };
        Err(AccountError::NotAdded(text::start(&why, 200).to_owned()))
    }
}

/// Maximum number of changes that may fail because of the server in one synchronisation. The remaining ones
/// then wait for the next synchronisation.
const MAX_FAILURES: usize = 3;

/// Whether the error would also affect all other changes.
pub(super) fn concerns_all(error: &AccountError) -> bool {
    match error {
        AccountError::Busy { status, retry_after } => *status == 429 || retry_after.is_some(),
        AccountError::Refused
        | AccountError::Store(_)
        | AccountError::Stopped
        | AccountError::Unknown
        | AccountError::OtherServer => true,
        _ => false,
    }
}

/// Whether only this change failed, not the server. FreshRSS fetches a feed during the request that
/// subscribes to it, so a feed can make the request fail or time out.
pub(super) fn is_refusal(error: &AccountError) -> bool {
    match error {
        AccountError::NotAdded(_)
        | AccountError::Shape { .. }
        | AccountError::Fetch(FetchError::Timeout { .. }) => true,
        AccountError::Busy { status, retry_after: None } => *status != 429 && *status != 503,
        other => other.is_rejected(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(stream: &str, title: &str, folder: Option<&str>) -> RemoteFeed {
        RemoteFeed {
            stream: stream.to_owned(),
            id: String::new(),
            url: format!("https://a.example/{stream}"),
            title: Some(title.to_owned()),
            home_url: None,
            folder: folder.map(str::to_owned),
        }
    }

    #[test]
    fn a_change_is_done_when_the_list_shows_it() {
        let list = [feed("feed/1", "One", Some("News")), feed("feed/2", "Two", None)];
        let op = |stream: &str, op: AccountOp| {
            let source = Some((1, stream.to_owned(), String::new()));
            has_happened(&WaitingOp { seq: 1, op, source, tries: 0, error: None }, &list)
        };
        let add = |url: &str, title: Option<&str>, stream: Option<&str>| AccountOp::Subscribe {
            url: url.to_owned(),
            title: title.map(str::to_owned),
            folder: None,
            stream: stream.map(str::to_owned),
        };
        let rename = |title: &str| AccountOp::Rename { title: title.to_owned() };
        let to = |folder: Option<&str>| AccountOp::Move { folder: folder.map(str::to_owned) };
        let cases = [
            ("feed/1", AccountOp::Unsubscribe, false),
            ("feed/9", AccountOp::Unsubscribe, true),
            ("feed/1", rename("One"), true),
            ("feed/1", rename("Other"), false),
            ("feed/9", rename("Other"), true),
            ("feed/1", to(Some("News")), true),
            ("feed/1", to(None), false),
            ("feed/2", to(None), true),
            ("", add("https://A.example/feed/1", None, None), true),
            ("", add("https://a.example/feed/1", Some("Other"), None), false),
            ("", add("https://a.example/", None, None), false),
            ("", add("https://a.example/", None, Some("feed/2")), true),
        ];
        for (stream, change, want) in cases {
            assert_eq!(op(stream, change.clone()), want, "{stream} {change:?}");
        }
    }
}

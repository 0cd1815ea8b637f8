//! Accounts on servers: logins, sources, changes that wait to be sent, and sources that move.

mod items;
mod labels;

use super::upkeep::wait;
use super::*;
use crate::model::CollectedChange;

const URL: &str = "https://r.example/api";

fn open(f: &Fixture, url: &str, user: &str) -> StoredAccount {
    wait(f.store.open_account("work".into(), url.into(), user.into())).unwrap()
}

fn stored(f: &Fixture) -> StoredAccount {
    let mut all = f.store.reader().unwrap().accounts().unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn feed(name: &str) -> RemoteFeed {
    RemoteFeed {
        stream: format!("feed/{name}"),
        id: name.to_owned(),
        url: format!("https://{name}.example/rss"),
        title: Some(name.to_owned()),
        home_url: None,
        folder: None,
    }
}

/// A store with an account (row key) whose server lists these feeds.
fn account(feeds: &[&str]) -> (Fixture, i64) {
    let f = Fixture::new(&["own"]);
    let account = open(&f, URL, "me").key;
    list(&f, account, feeds.iter().map(|name| feed(name)).collect());
    (f, account)
}

/// Stores what the server lists; returns whether that changes anything.
fn list(f: &Fixture, account: i64, feeds: Vec<RemoteFeed>) -> bool {
    wait(f.store.set_remote_feeds(account, feeds, f.now)).unwrap()
}

/// The names of the account's sources on the server, sorted.
fn streams(f: &Fixture, account: i64) -> Vec<String> {
    let feeds = f.store.reader().unwrap().remote_feeds(account).unwrap();
    let mut streams: Vec<String> = feeds.into_keys().collect();
    streams.sort();
    streams
}

fn facts(f: &Fixture, id: &str) -> SourceFacts {
    f.store.reader().unwrap().source(f.key(id)).unwrap().unwrap()
}

#[test]
fn keeps_a_login_until_the_server_or_user_changes() {
    let f = Fixture::new(&[]);
    let new = open(&f, URL, "me");
    assert_eq!((new.id.as_str(), new.url.as_str(), new.user.as_str()), ("work", URL, "me"));
    assert_eq!(
        (new.requested, new.accept, new.relink, new.state.as_str()),
        (0, false, false, "{}")
    );
    let state = "{\"lists_at\":1,\"dialect\":\"x\",\"kept\":2}".to_owned();
    let tokens = |auth: &str, token: &str| (Some(auth.to_owned()), Some(token.to_owned()));
    let (auth, token) = tokens("secret-a", "secret-b");
    let login = StoredAccount { auth, token, state, ..new.clone() };
    assert!(!format!("{login:?}").contains("secret"));
    wait(f.store.save_login(login.clone())).unwrap();
    let login = StoredAccount { requested: 1, ..login };
    assert_eq!((open(&f, URL, "me"), stored(&f)), (login.clone(), login.clone()));
    wait(f.store.request_sync(new.key, true, false)).unwrap();
    wait(f.store.request_sync(new.key, false, true)).unwrap();
    let asked = StoredAccount { requested: 3, accept: true, relink: true, ..login.clone() };
    assert_eq!(stored(&f), asked);
    // A synchronisation that began before a login or a request does not overwrite them.
    let (auth, token) = tokens("old-a", "old-b");
    let ended = StoredAccount { auth, token, state: "{\"kept\":3}".into(), ..login };
    wait(f.store.save_account(ended.clone(), true)).unwrap();
    assert_eq!(stored(&f), StoredAccount { state: ended.state.clone(), ..asked });
    wait(f.store.save_account(StoredAccount { requested: 3, ..ended.clone() }, false)).unwrap();
    assert_eq!((stored(&f).auth, stored(&f).token), (ended.auth.clone(), ended.token.clone()));
    assert!(stored(&f).accept);
    wait(f.store.save_account(StoredAccount { requested: 3, ..ended }, true)).unwrap();
    assert!(!stored(&f).accept && stored(&f).relink);
    // Another user or server needs a new login.
    let state = "{\"lists_at\":1,\"dialect\":\"x\",\"kept\":2}".to_owned();
    wait(f.store.save_account(StoredAccount { state, ..stored(&f) }, false)).unwrap();
    let other = open(&f, URL, "you");
    assert_eq!((other.auth, other.token, other.state.as_str()), (None, None, "{\"kept\":2}"));
    wait(f.store.save_account(StoredAccount { state: "damaged".into(), ..stored(&f) }, false))
        .unwrap();
    let elsewhere = open(&f, "https://s.example", "you");
    assert_eq!((elsewhere.key, elsewhere.state.as_str()), (new.key, "{}"));
}

#[test]
fn an_account_has_the_sources_that_its_server_lists() {
    let (f, account) = account(&["a", "b", "own"]);
    assert_eq!(streams(&f, account), ["feed/a", "feed/b", "feed/own"]);
    let (a, own) = (f.key("a"), f.key("own"));
    assert_eq!(facts(&f, "own-2").url, "https://own.example/rss", "its identifier was taken");
    assert_eq!(facts(&f, "own").collected, None);
    let collected = facts(&f, "a").collected.unwrap();
    assert_eq!((collected.account.as_str(), collected.folder), ("work", None));
    let all = || vec![feed("a"), feed("b"), feed("own")];
    assert!(!list(&f, account, all()), "nothing has changed");
    // Sources are recognised by their URL or name, whatever else changes.
    let renamed = RemoteFeed { stream: "feed/7".into(), title: Some("A!".into()), ..feed("a") };
    let moved =
        RemoteFeed { url: "https://c.example/".into(), folder: Some("F".into()), ..feed("b") };
    assert!(list(&f, account, vec![renamed, moved, feed("own")]));
    assert_eq!(streams(&f, account), ["feed/7", "feed/b", "feed/own"]);
    assert_eq!((f.key("a"), facts(&f, "a").feed_title.as_deref()), (a, Some("A!")));
    let b = facts(&f, "b");
    assert_eq!(
        (b.url.as_str(), b.collected.unwrap().folder.as_deref()),
        ("https://c.example/", Some("F"))
    );
    // A source that is no longer listed is removed unless it has pinned items.
    f.poll("a", vec![entry("one")]);
    f.set(Mark::Pinned, "one");
    assert!(list(&f, account, vec![feed("b")]));
    assert_eq!(streams(&f, account), ["feed/7", "feed/b"]);
    assert!(f.store.reader().unwrap().source(own).unwrap().is_some(), "the user's own stays");
    assert!(list(&f, account, all()), "it is listed again");
    assert_eq!((streams(&f, account).len(), f.key("a")), (3, a));
    let filled = f.store.reader().unwrap().filled_feeds(account).unwrap();
    assert_eq!(filled, [a].into());
    // If identifiers are equal, the user's source gets the identifier, and the account's source is renamed.
    f.declare(&["own", "a"]);
    assert_ne!(f.key("a"), a);
    assert_eq!(facts(&f, "a-2").key, a);
}

#[test]
fn changes_wait_for_the_server_and_can_be_undone() {
    let (f, account) = account(&["a", "b"]);
    let change = |id: &str, change: CollectedChange| {
        let changes = vec![(SourceId(id.to_owned()), change)];
        let undo = wait(f.store.change_collected(changes, f.now)).unwrap();
        undo.into_iter().map(|(_, change)| change).collect::<Vec<_>>()
    };
    let ops = || -> Vec<AccountOp> {
        let all = f.store.reader().unwrap().account_ops(account).unwrap();
        all.into_iter().map(|waiting| waiting.op).collect()
    };
    let title = |text: &str| CollectedChange::Title(text.to_owned());
    let folder = |name: Option<&str>| CollectedChange::Folder(name.map(str::to_owned));
    let rename = |text: &str| AccountOp::Rename { title: text.to_owned() };
    let to = |name: Option<&str>| AccountOp::Move { folder: name.map(str::to_owned) };
    assert_eq!(change("own", title("x")), [], "it belongs to the user");
    assert_eq!(change("a", title("a")), [], "it is so already");
    assert_eq!(change("a", title("New")), [title("a")]);
    assert_eq!(change("a", folder(Some("F"))), [folder(None)]);
    assert_eq!(change("a", title("Newer")), [title("New")]);
    assert_eq!(ops(), [to(Some("F")), rename("Newer")], "the last one of a kind");
    assert_eq!(stored(&f).requested, 3);
    let first = f.store.reader().unwrap().account_ops(account).unwrap().remove(0);
    let source = (f.key("a"), "feed/a".to_owned(), "https://a.example/rss".to_owned());
    assert_eq!((first.source, first.tries, first.error), (Some(source), 0, None));
    // The server's list does not overwrite waiting changes.
    assert!(!list(&f, account, vec![feed("a"), feed("b")]));
    assert_eq!(facts(&f, "a").feed_title.as_deref(), Some("Newer"));
    assert_eq!(facts(&f, "a").collected.unwrap().folder.as_deref(), Some("F"));
    // A removed source stays removed, and a restored one is subscribed to with its changes.
    assert_eq!(change("b", CollectedChange::Restore), []);
    assert_eq!(change("b", CollectedChange::Remove), [CollectedChange::Restore]);
    assert_eq!(change("b", CollectedChange::Remove), []);
    assert_eq!(ops()[2], AccountOp::Unsubscribe);
    let other = RemoteFeed { stream: "feed/9".into(), ..feed("b") };
    assert!(list(&f, account, vec![feed("a"), other]));
    assert_eq!(streams(&f, account), ["feed/9", "feed/a"], "what is to be unsubscribed");
    assert_eq!(change("b", CollectedChange::Restore), [CollectedChange::Remove]);
    change("b", title("B"));
    change("b", folder(Some("G")));
    let url = "https://b.example/rss".to_owned();
    let (title, folder) = (Some("B".to_owned()), Some("G".to_owned()));
    assert_eq!(ops()[2..], [AccountOp::Subscribe { url, title, folder, stream: None }]);
    list(&f, account, vec![feed("a")]);
    assert_eq!(streams(&f, account), ["feed/9", "feed/a"], "until it is subscribed again");
    // A failed change stays in the queue, with the reason.
    let mut waiting = f.store.reader().unwrap().account_ops(account).unwrap();
    let done = vec![waiting.remove(0).seq];
    let mut failed = waiting.remove(0);
    (failed.tries, failed.error) = (2, Some("refused".to_owned()));
    wait(f.store.queue_op(account, AccountOp::Unsubscribe)).unwrap();
    wait(f.store.settle_ops(done, vec![failed.clone()], Vec::new())).unwrap();
    let waiting = f.store.reader().unwrap().account_ops(account).unwrap();
    assert_eq!((waiting.len(), &waiting[0]), (3, &failed));
    assert_eq!(waiting[2].source, None);
}

#[test]
fn moves_a_source_to_an_account_and_back() {
    let (f, account) = account(&["a"]);
    let own = f.key("own");
    f.poll("own", vec![entry("both"), entry("mine")]);
    let moved = |stream: Option<&str>| MovedSource {
        source: own,
        id: SourceId("own".into()),
        url: "https://own.example/feed".to_owned(),
        stream: stream.map(str::to_owned),
        entry: "[[source]]".to_owned(),
        subscribed: true,
        collected: false,
    };
    let recorded = || f.store.reader().unwrap().moved_sources(account).unwrap();
    wait(f.store.begin_move(account, vec![moved(Some("feed/a"))])).unwrap();
    assert_eq!(recorded(), [moved(None)], "it has no name on the server yet");
    assert!(!wait(f.store.finish_moves(account)).unwrap(), "the file still has it");
    // The account has the same feed, and the two have one item in common.
    let items = ["both", "theirs"].map(entry).to_vec();
    f.poll("a", items);
    f.store.mark_blocking(Mark::Tag("t".into()), vec![key_of(&f, "a", "both")], true).unwrap();
    f.store.mark_blocking(Mark::Pinned, vec![key_of(&f, "a", "both")], true).unwrap();
    wait(f.store.begin_move(account, vec![moved(Some("feed/a"))])).unwrap();
    f.declare(&[]);
    assert!(wait(f.store.finish_moves(account)).unwrap());
    let feeds = f.store.reader().unwrap().remote_feeds(account).unwrap();
    assert_eq!(feeds["feed/a"].0, own);
    assert_eq!((feeds.len(), f.counts("own")), (1, (3, 3, 1)));
    let both = key_of(&f, "own", "both");
    assert_eq!(f.store.reader().unwrap().tags_of(both).unwrap(), ["t"]);
    assert!(recorded()[0].collected && recorded()[0].stream.as_deref() == Some("feed/a"));
    assert!(!wait(f.store.finish_moves(account)).unwrap());
    // The source is moved back, with or without removing the account.
    wait(f.store.release_sources(vec![own], f.now)).unwrap();
    assert!(!recorded()[0].collected);
    f.declare(&["own"]);
    assert_eq!((f.key("own"), f.counts("own")), (own, (3, 3, 1)));
    wait(f.store.adopt_sources(account, vec![(own, "feed/a".to_owned())])).unwrap();
    assert!(facts(&f, "own").collected.is_some());
    wait(f.store.clear_moved(vec![own])).unwrap();
    assert_eq!(recorded(), []);
    wait(f.store.begin_move(account, vec![moved(None)])).unwrap();
    assert!(!f.store.remove_account_blocking("other".into(), f.now).unwrap());
    assert!(f.store.remove_account_blocking("work".into(), f.now).unwrap());
    assert_eq!(f.store.reader().unwrap().accounts().unwrap(), []);
    f.declare(&["own"]);
    assert_eq!((f.key("own"), f.counts("own")), (own, (3, 3, 1)));
    assert_eq!(facts(&f, "own").collected, None);
}

/// The row key of an item of a source.
fn key_of(f: &Fixture, source: &str, title: &str) -> i64 {
    let rows = f.rows(&View::of(Scope::Sources(vec![f.key(source)])));
    rows.into_iter().find(|row| row.title == title).unwrap().key
}

#[test]
fn user_sources_get_the_items_of_a_removed_account() {
    let (f, _) = account(&["a", "b"]);
    f.poll("a", vec![entry("one"), entry("two")]);
    f.poll("b", vec![entry("three")]);
    f.set(Mark::Read, "one");
    let mut own = Source::feed(SourceId("mine".into()), "https://a.example/rss".parse().unwrap());
    own.title = Some("Mine".to_owned());
    f.store.reconcile_blocking(vec![own], f.now).unwrap();
    f.store.remove_account_blocking("work".into(), f.now).unwrap();
    assert_eq!(f.counts("mine"), (2, 1, 0));
    let mut titles = f.titles(&View::of(Scope::All));
    titles.sort();
    assert_eq!(titles, ["one", "two"], "those of other sources wait for undo");
}

#[test]
fn finds_settings_of_sources_that_the_server_lacks() {
    let (f, account) = account(&["a"]);
    let own = |name: &str, url: &str, account: &str| {
        let mut source = Source::feed(SourceId(name.to_owned()), url.parse().unwrap());
        (source.account, source.tags) = (Some(account.to_owned()), vec!["t".to_owned()]);
        source
    };
    let all = vec![
        own("x", "https://a.example/rss", "work"),
        own("a", "https://moved.example/", "work"),
        own("b", "https://b.example/rss", "work"),
        own("c", "https://a.example/rss", "other"),
    ];
    f.store.reconcile_blocking(all, f.now).unwrap();
    let unused = |account: &str| f.store.reader().unwrap().unused_overrides(account).unwrap();
    let pair = |id: &str| (id.to_owned(), format!("https://{id}.example/rss"));
    assert_eq!(unused("work"), [pair("b")]);
    assert_eq!(unused("other"), [("c".to_owned(), pair("a").1)]);
    assert_eq!(unused("none"), []);
    assert_eq!(facts(&f, "a").collected.unwrap().own.tags, ["t"]);
    list(&f, account, vec![feed("a"), feed("b")]);
    assert_eq!(unused("work"), []);
}

//! Followed OPML lists.

use super::*;
use newsfed::config::{FileEdit, SourceChange};
use newsfed::engine::AutomaticChange;
use newsfed::model::SourceKind;
use newsfed::store::{KnownTo, Mark, ReservedKeys, prepare};
use std::sync::Mutex;

/// A server with a list that tests can change.
struct Planet {
    server: Server,
    reply: Arc<Mutex<Reply>>,
    home: Home,
    engine: Handle,
}

fn opml(outlines: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><opml version=\"2.0\"><head><title>The Planet</title></head><body>\
         {outlines}</body></opml>"
    )
}

fn outline(name: &str) -> String {
    format!("<outline type='rss' text='{name}' xmlUrl='https://{name}.example/feed'/>")
}

fn outlines(names: &[&str]) -> String {
    names.iter().map(|name| outline(name)).collect()
}

fn numbered(count: usize) -> String {
    (0..count).map(|n| outline(&format!("s{n}"))).collect()
}

fn list(body: impl Into<String>) -> Reply {
    let body: String = body.into();
    let sum = body.bytes().fold(7_u64, |sum, b| sum.wrapping_mul(31).wrapping_add(b.into()));
    let tag = format!("\"{sum}\"");
    Reply::ok("text/x-opml", body).header("etag", tag)
}

impl Planet {
    /// Serves a list, and follows it in the folder `Team`.
    async fn with(outlines: &str) -> Self {
        Self::beside(outlines, &[]).await
    }

    async fn beside(outlines: &str, own: &[Source]) -> Self {
        let reply = Arc::new(Mutex::new(list(opml(outlines))));
        let served = reply.clone();
        let server = Server::start(move |request| {
            let reply = served.lock().unwrap().clone();
            let tag = reply.headers.iter().find(|(name, _)| name == "etag").cloned();
            let same = tag.is_some_and(|(_, tag)| request.header("if-none-match") == Some(&tag));
            match request.path.as_str() {
                "/moved.opml" => Reply::status(301).header("location", "/list.opml"),
                "/other.opml" => list(opml(&super::lists::outlines(&["b", "z"]))),
                _ if same => Reply::status(304),
                _ => reply,
            }
        })
        .unwrap();
        let home = Home::with(own);
        let engine = home.on_demand().await;
        let url = server.url("/list.opml");
        let followed = engine.follow_list(&url, None, Some("Team".to_owned())).await.unwrap();
        assert_eq!(followed.source.kind(), SourceKind::List);
        Self { server, reply, home, engine }
    }

    fn serve(&self, reply: Reply) {
        *self.reply.lock().unwrap() = reply;
    }

    fn id(&self) -> String {
        let declared = self.home.file().declared().unwrap();
        declared.iter().find(|s| s.kind() == SourceKind::List).unwrap().id.0.clone()
    }

    /// Polls the list; returns the result.
    async fn poll(&self) -> Refreshed {
        let key = facts(&self.engine, &self.id()).await.key;
        let mut reports = self.engine.refresh(Some(vec![key]), Pace::Force).await;
        soon(reports.recv()).await.unwrap().result
    }

    async fn step(&self) -> Vec<AutomaticChange> {
        soon(self.engine.keep_lists_in_step()).await.unwrap()
    }

    /// Serves a list, polls it, and applies the changes; returns the messages.
    async fn changes_to(&self, outlines: &str) -> Vec<String> {
        self.serve(list(opml(outlines)));
        self.poll().await;
        self.step().await.into_iter().map(|change| change.message).collect()
    }

    /// All sources except the list: title, folder, host, and whether they belong to the list.
    fn sources(&self) -> Vec<String> {
        let declared = self.home.file().declared().unwrap();
        let shown = |s: &Source| {
            let host = s.url.host_str().unwrap().trim_end_matches(".example").to_owned();
            let (title, folder) = (s.title.clone(), s.folder.clone());
            let list = s.list.as_ref().map_or("own", |_| "listed");
            [title.unwrap_or_default(), folder.unwrap_or_default(), host, list.to_owned()].join(" ")
        };
        declared.iter().filter(|s| s.kind() != SourceKind::List).map(shown).collect()
    }

    /// The stored data of a list, by row key.
    fn stored(&self, key: i64) -> newsfed::store::FollowedList {
        self.engine.store().reader().unwrap().followed_list(key).unwrap().unwrap()
    }

    async fn edit(&self, host: &str, change: SourceChange) {
        let id = SourceId(format!("{host}-example"));
        self.home.file().update(&[id], &change).unwrap();
        self.engine.reload().await.unwrap();
    }
}

#[tokio::test]
async fn applies_changes_in_a_list() {
    let nested =
        "<outline text='Dev'><outline text='b' xmlUrl='https://b.example/feed'/></outline>";
    let planet = Planet::with(&[&outline("a"), nested].concat()).await;
    assert_eq!(planet.sources(), ["a Team a listed", "b Team/Dev b listed"]);
    assert_eq!(facts(&planet.engine, &planet.id()).await.feed_title.as_deref(), Some("The Planet"));
    // The list has a new source, a renamed and moved one, and lacks a third one.
    let said = planet
        .changes_to(
            "<outline text='Bee' xmlUrl='https://b.example/feed'/>\
        <outline text='c' category='x,y' xmlUrl='https://c.example/feed'/>",
        )
        .await;
    assert_eq!(planet.sources(), ["Bee Team b listed", "c Team c listed"]);
    assert_eq!(said, ["The Planet: 1 added (c); 1 changed (b); 1 removed (a)"]);
    let declared = planet.home.file().declared().unwrap();
    assert_eq!(declared.last().unwrap().tags, ["x", "y"]);
    // The next poll changes nothing, and its request is conditional.
    assert_eq!(planet.poll().await, UNCHANGED);
    assert!(planet.step().await.is_empty());
    assert!(is_conditional(planet.server.requests().last().unwrap()));
    // The list is polled once a day.
    let list = facts(&planet.engine, &planet.id()).await;
    let wait = list.next_poll.unwrap() - planet.home.clock.now();
    assert!((23..=25).contains(&wait.num_hours()), "{wait}");
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn a_list_changes_neither_followed_nor_removed_sources() {
    let mine = Source { title: Some("Mine".into()), ..source("mine", "http://a.example/feed/") };
    let planet = Planet::beside(&outlines(&["a", "b"]), &[mine]).await;
    assert_eq!(planet.sources(), ["Mine  a own", "b Team b listed"], "http is not another feed");
    planet.home.file().remove(&[SourceId("b-example".into())]).unwrap();
    planet.engine.reload().await.unwrap();
    planet.changes_to(&outlines(&["b", "c"])).await;
    assert_eq!(planet.sources(), ["Mine  a own", "c Team c listed"]);
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn keeps_the_users_changes_and_marks() {
    let planet = Planet::with(&outlines(&["a", "b", "c", "d"])).await;
    planet.edit("a", SourceChange::default().set("title", "Mine")).await;
    planet.edit("b", SourceChange::default().set("interval", "2h")).await;
    let pinned = facts(&planet.engine, "c-example").await.key;
    let entries = vec![newsfed::model::Entry { title: "One".into(), ..Default::default() }];
    keep_item(&planet, pinned, entries).await;
    // The list moves all sources, and renames one that the user has renamed.
    let moved: String = ["a", "b", "c", "d"]
        .map(|n| outline(n).replace(&format!("text='{n}'"), &format!("text='{n}{n}'")))
        .concat();
    let moved = format!("<outline text='New'>{moved}</outline>");
    planet.changes_to(&moved).await;
    let here = ["Mine Team/New a listed", "bb Team/New b listed", "cc Team/New c listed"];
    assert_eq!(planet.sources()[..3], here);
    // A source that leaves the list stays if the user has changed its settings or marked its items. It then
    // belongs to the user.
    let said = planet.changes_to(&outlines(&["e"])).await;
    let here = ["Mine Team/New a own", "bb Team/New b own", "cc Team/New c own", "e Team e listed"];
    assert_eq!(planet.sources(), here);
    let said = said.join("");
    assert!(said.contains("Mine, bb stay, because you have changed their settings"), "{said}");
    assert!(said.contains("cc stays, because you have pinned or tagged"), "{said}");
    assert!(said.contains("1 removed (dd)"), "{said}");
    planet.engine.shutdown().await;
}

/// Stores an item of a source and pins it.
async fn keep_item(planet: &Planet, source: i64, entries: Vec<newsfed::model::Entry>) {
    let (now, store) = (planet.home.clock.now(), planet.engine.store());
    let entries = prepare(entries, &store.hashing().await.unwrap());
    let keys = ReservedKeys::for_articles(entries.len());
    store.store_articles(source, entries, now, keys, KnownTo::Itself).await.unwrap();
    let reader = store.reader().unwrap();
    let window = reader.window(&View::of(Scope::Sources(vec![source])), Anchor::First, 9).unwrap();
    store.mark(Mark::Pinned, vec![window.rows[0].key], true).await.unwrap();
}

#[tokio::test]
async fn a_damaged_list_removes_nothing() {
    let names = ["a", "b", "c"];
    let before = ["a Team a listed", "b Team b listed", "c Team c listed"];
    let whole = opml(&outlines(&names));
    let cut = whole[..whole.find("https://b").unwrap()].to_owned();
    let no_end = whole.replace(&outline("c"), "").replace("</body></opml>", "");
    let broken = whole.replace(&outline("b"), "<outline text='b' xmlUrl='https://b.ex");
    let cases = [
        (cut, "damaged"),
        (no_end, "damaged"),
        (broken, "damaged"),
        (String::new(), "empty"),
        ("<html><body>Not found</body></html>".to_owned(), "not OPML"),
        ("Service unavailable".to_owned(), "not OPML"),
        ("https://d.example/feed\n".to_owned(), "not OPML"),
        (opml(""), "lists no feeds"),
        (
            opml("<outline text='x' xmlUrl='http://127.0.0.1/x'/>"),
            "nothing that can be imported; http://127.0.0.1/x was skipped: a private address",
        ),
        (opml(&"<outline text='x'>".repeat(300)), "nests outlines"),
        ("x".repeat(11 << 20), "larger than"),
    ];
    for (body, problem) in cases {
        let planet = Planet::with(&outlines(&names)).await;
        planet.serve(list(body.clone()));
        let polled = planet.poll().await;
        let message = failure(&polled).unwrap_or_default();
        assert!(message.contains(problem), "{problem}: {polled:?}");
        planet.step().await;
        assert_eq!(planet.sources(), before, "{problem}");
        // A complete list is applied again, and sources that are no longer in it are removed.
        planet.changes_to(&outlines(&["a", "b"])).await;
        assert_eq!(planet.sources(), before[..2], "{problem}");
        planet.engine.shutdown().await;
    }
    let planet = Planet::with(&outlines(&names)).await;
    planet.serve(Reply::status(500));
    assert!(failure(&planet.poll().await).is_some());
    assert!(planet.step().await.is_empty());
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn asks_the_user_before_removing_many_sources() {
    let planet = Planet::with(&numbered(9)).await;
    planet.serve(list(opml(&numbered(4))));
    let polled = planet.poll().await;
    let message = failure(&polled).unwrap();
    assert!(message.starts_with("5 of 9 sources are no longer in this list"), "{message}");
    assert!(message.contains("newsfed sync --accept"), "{message}");
    assert!(planet.step().await.is_empty());
    assert_eq!(planet.sources().len(), 9);
    // After the confirmation, they are removed once, although the date in the document has changed.
    let key = facts(&planet.engine, &planet.id()).await.key;
    assert!(planet.engine.accept_list(key).await.unwrap());
    let dated = "<dateModified>Mon, 02 Mar 2026 09:00:00 GMT</dateModified></head>";
    planet.serve(list(opml(&numbered(4)).replace("</head>", dated)));
    assert!(failure(&planet.poll().await).is_none());
    assert_eq!(planet.step().await.len(), 1);
    assert_eq!(planet.sources().len(), 4);
    let stored = planet.stored(key);
    assert_eq!((stored.is_confirmed, stored.refused, stored.confirmed), (false, None, None));
    assert!(!planet.engine.accept_list(key).await.unwrap(), "it is used up");
    // A small number of sources is removed without confirmation, even if it is most of the list.
    planet.changes_to(&outline("s0")).await;
    assert_eq!(planet.sources().len(), 1);
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn a_confirmation_applies_only_to_the_refused_change() {
    let planet = Planet::with(&numbered(9)).await;
    let key = facts(&planet.engine, &planet.id()).await.key;
    assert!(!planet.engine.accept_list(key).await.unwrap(), "nothing was refused");
    planet.changes_to(&numbered(4)).await;
    assert!(planet.engine.accept_list(key).await.unwrap());
    // At the next check, the list differs from what was confirmed.
    planet.serve(list(opml(&numbered(2))));
    let polled = planet.poll().await;
    assert!(failure(&polled).unwrap().starts_with("7 of 9 sources"), "{polled:?}");
    assert!(planet.step().await.is_empty());
    assert_eq!(planet.sources().len(), 9);
    // The confirmation expires when the list returns to its previous state.
    assert!(planet.engine.accept_list(key).await.unwrap());
    planet.serve(list(opml(&numbered(9))));
    assert_eq!(planet.poll().await, UNCHANGED);
    planet.changes_to(&numbered(2)).await;
    assert_eq!(planet.sources().len(), 9);
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn moved_sources_are_not_treated_as_removed() {
    let planet = Planet::with(&numbered(9)).await;
    for n in 0..6 {
        let key = facts(&planet.engine, &format!("s{n}-example")).await.key;
        let to = format!("https://n{n}.example/feed");
        let moved = move |facts: &mut SourceFacts| facts.moved_to = Some(to.clone());
        planet.engine.store().change_facts(key, moved).await.unwrap();
    }
    let new: String = (0..6).map(|n| outline(&format!("n{n}"))).collect();
    let old: String = (6..9).map(|n| outline(&format!("s{n}"))).collect();
    planet.serve(list(opml(&format!("{new}{old}"))));
    let polled = planet.poll().await;
    assert!(failure(&polled).is_none(), "{polled:?}");
    planet.step().await;
    let hosts: Vec<String> = planet.sources();
    assert!(hosts.contains(&"n5 Team n5 listed".to_owned()) && hosts.len() == 9, "{hosts:?}");
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn a_list_that_is_followed_again_starts_over() {
    for body in [outlines(&["a", "b", "c"]), outlines(&["a", "b", "c", "d"])] {
        let own = source("own", "https://c.example/feed");
        let planet = Planet::beside(&outlines(&["a", "b", "c"]), &[own]).await;
        let list_id = SourceId(planet.id());
        let mut gone = planet.home.file().of_list(&list_id).unwrap();
        gone.push(list_id);
        planet.home.file().remove(&gone).unwrap();
        planet.engine.reload().await.unwrap();
        assert_eq!(planet.sources(), ["  c own"]);
        planet.serve(list(opml(&body)));
        let url = planet.server.url("/list.opml");
        let followed = planet.engine.follow_list(&url, None, None).await.unwrap();
        let urls: Vec<&str> = followed.already.iter().map(url::Url::as_str).collect();
        assert_eq!(urls, ["https://c.example/feed"], "only what is followed");
        assert_eq!(followed.problem, None);
        assert_eq!(followed.added.len(), body.matches("outline").count() - 1);
        assert_eq!(planet.sources()[1..3], ["a  a listed", "b  b listed"]);
        planet.engine.shutdown().await;
    }
    // If the removal of the list is undone, sources that the user had removed stay removed.
    let planet = Planet::with(&outlines(&["a", "b"])).await;
    planet.home.file().remove(&[SourceId("b-example".into())]).unwrap();
    let removed = planet.home.file().remove(&[SourceId(planet.id())]).unwrap();
    planet.engine.reload().await.unwrap();
    removed.revert(&planet.home.paths()).unwrap();
    planet.engine.reload().await.unwrap();
    planet.changes_to(&outlines(&["a", "b", "c"])).await;
    assert_eq!(planet.sources(), ["a Team a listed", "c Team c listed"]);
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn reads_the_whole_list_again_after_a_damaged_download() {
    let planet = Planet::with(&outlines(&["a", "b"])).await;
    let key = facts(&planet.engine, &planet.id()).await.key;
    let whole = opml(&outlines(&["a", "b"]));
    planet.serve(list(whole[..whole.find("https://b").unwrap()].to_owned()));
    assert!(failure(&planet.poll().await).unwrap().contains("damaged"));
    assert!(!planet.stored(key).is_whole);
    planet.serve(list(whole));
    assert!(failure(&planet.poll().await).is_none());
    assert!(!is_conditional(planet.server.requests().last().unwrap()), "it asks for all of it");
    assert!(planet.stored(key).is_whole);
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn keeps_feeds_of_a_damaged_list() {
    let planet = Planet::with(&outlines(&["a", "b"])).await;
    let url = planet.server.url("/other.opml");
    let other = planet.engine.follow_list(&url, None, None).await.unwrap().source.id;
    let key = facts(&planet.engine, &other.0).await.key;
    // Only a part of the other list was received.
    let z = [Source { title: Some("z".into()), ..source("z", "https://z.example/feed") }];
    let listed = newsfed::config::list_to_text(&z);
    planet.engine.store().set_listed(key, listed, false, false).await.unwrap();
    planet.changes_to(&outline("a")).await;
    assert_eq!(planet.sources(), ["a Team a listed", "b  b listed", "z  z listed"]);
    let declared = planet.home.file().declared().unwrap();
    assert_eq!(declared.iter().find(|s| s.id.0 == "b-example").unwrap().list, Some(other));
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn tags_and_credentials_of_lists_are_not_user_changes() {
    let feed = |name: &str, login: &str, tags: &str| {
        format!(
            "<outline text='{name}' category='{tags}' xmlUrl='https://{login}{name}.example/feed'/>"
        )
    };
    let planet = Planet::with(&[feed("a", "", "x,y"), feed("b", "", "x")].concat()).await;
    planet.edit("b", SourceChange::default().add_tags(["mine".to_owned()])).await;
    planet.changes_to(&[feed("a", "me:env%3AHOME@", "z,y"), feed("b", "", "new")].concat()).await;
    let declared = planet.home.file().declared().unwrap();
    let of = |id: &str| declared.iter().find(|s| s.id.0 == id).unwrap();
    assert_eq!(of("a-example").tags, ["y", "z"]);
    assert_eq!(of("b-example").tags, ["mine", "new"]);
    let auth = of("a-example").access.auth.clone().unwrap();
    // A password in a list is never read from a variable or a command.
    assert!(matches!(auth.password, newsfed::model::Secret::Plain(_)), "{auth:?}");
    let said = planet.changes_to(&outline("c")).await.join("");
    assert_eq!(planet.sources(), ["b Team b own", "c Team c listed"]);
    assert!(said.contains("1 removed (a)") && said.contains("b stays, because you"), "{said}");
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn keeps_sources_with_urls_changed_by_the_user() {
    let planet = Planet::with(&outlines(&["a", "b"])).await;
    planet.edit("a", SourceChange::default().set("url", "https://mine.example/feed")).await;
    let said = planet.changes_to(&outline("b")).await.join("");
    assert_eq!(planet.sources(), ["a Team mine own", "b Team b listed"]);
    assert!(said.contains("a stays, because its URL is not in the list"), "{said}");
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn damaged_stored_content_removes_nothing() {
    let planet = Planet::with(&outlines(&["a", "b"])).await;
    let key = facts(&planet.engine, &planet.id()).await.key;
    let store = planet.engine.store();
    store.set_listed(key, "[[source".to_owned(), true, false).await.unwrap();
    let said = planet.step().await;
    assert!(said[0].message.contains("read again at its next check"), "{said:?}");
    assert_eq!(planet.sources().len(), 2);
    assert!(failure(&planet.poll().await).is_none());
    assert!(!is_conditional(planet.server.requests().last().unwrap()));
    assert!(planet.step().await.is_empty());
    assert_eq!(planet.sources(), ["a Team a listed", "b Team b listed"]);
    // Without the record of applied changes, the sources that the user has removed are not known.
    planet.home.file().remove(&[SourceId("b-example".into())]).unwrap();
    planet.engine.reload().await.unwrap();
    store.set_taken(key, "[[source".to_owned(), None).await.unwrap();
    planet.serve(list(opml(&outlines(&["a", "b", "c"]))));
    let polled = planet.poll().await;
    assert!(failure(&polled).unwrap().contains("follow it again"), "{polled:?}");
    planet.step().await;
    assert_eq!(planet.sources(), ["a Team a listed"]);
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn a_broken_list_does_not_stop_other_lists() {
    let planet = Planet::with(&outlines(&["a"])).await;
    let (id, url) = (planet.id(), planet.server.url("/other.opml"));
    let other = planet.engine.follow_list(&url, None, None).await.unwrap().source.id;
    let store = planet.engine.store();
    // Both lists have changes to apply.
    planet.serve(list(opml(&outlines(&["a", "n"]))));
    planet.poll().await;
    let (key, other_key) =
        (facts(&planet.engine, &id).await.key, facts(&planet.engine, &other.0).await.key);
    let taken = planet.stored(key).taken;
    store.set_taken(key, "[[source".to_owned(), None).await.unwrap();
    let new = ["b", "z", "q"].map(|n| source(n, &format!("https://{n}.example/feed")));
    let new = new.map(|s| Source { list: Some(other.clone()), title: Some(s.id.0.clone()), ..s });
    store.set_listed(other_key, newsfed::config::list_to_text(&new), true, false).await.unwrap();
    let said: Vec<String> = planet.step().await.into_iter().map(|change| change.message).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().any(|text| text.contains("are not kept in sync")), "{said:?}");
    assert!(planet.sources().contains(&"q  q listed".to_owned()), "{:?}", planet.sources());
    let shown = facts(&planet.engine, &id).await;
    let is_shown = |facts: &SourceFacts| {
        let outcome = facts.last_outcome.clone();
        matches!(outcome, Some(Outcome::Failed { message, .. }) if message.contains("in sync"))
    };
    assert!(is_shown(&shown) && shown.fail_count == 1, "{shown:?}");
    assert!(planet.step().await.is_empty(), "it is said once");
    // When the list can be applied, it is no longer failing.
    store.set_taken(key, taken, None).await.unwrap();
    assert_eq!(planet.step().await.len(), 1);
    let shown = facts(&planet.engine, &id).await;
    assert!(!is_shown(&shown) && shown.fail_count == 0, "{shown:?}");
    assert!(planet.sources().contains(&"n Team n listed".to_owned()));
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn following_a_list_leaves_others_unchanged_and_reports_problems() {
    let planet = Planet::with(&outlines(&["a"])).await;
    planet.serve(list(opml(&outlines(&["a", "n"]))));
    planet.poll().await;
    // Pending changes to another list are not applied.
    let url = planet.server.url("/other.opml");
    let followed = planet.engine.follow_list(&url, None, None).await.unwrap();
    assert_eq!((followed.added.len(), followed.edits.len()), (2, 2));
    let said = planet.step().await;
    assert!(said[0].message.contains("1 added (n)") && said[0].edit.is_some(), "{said:?}");
    // If the file was changed but the record failed, the change is returned together with the problem.
    let database = rusqlite::Connection::open(planet.home.paths().database()).unwrap();
    for (column, added, edits) in [("taken", 2, 2), ("listed", 0, 1)] {
        planet.home.file().remove(std::slice::from_ref(&followed.source.id)).unwrap();
        let of_other = ["b-example", "z-example"].map(|id| SourceId(id.to_owned()));
        planet.home.file().remove(&of_other).unwrap();
        planet.engine.reload().await.unwrap();
        let refuse = format!(
            "CREATE TRIGGER refuse BEFORE UPDATE ON followed_list WHEN new.{column} <> ''
                BEGIN SELECT RAISE(ABORT, 'refused'); END"
        );
        database.execute_batch(&refuse).unwrap();
        let again = planet.engine.follow_list(&url, None, None).await.unwrap();
        assert_eq!((again.added.len(), again.edits.len()), (added, edits), "{column}");
        assert!(again.problem.is_some(), "{column}");
        database.execute_batch("DROP TRIGGER refuse").unwrap();
    }
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn a_list_can_only_add_feeds() {
    let hostile = "<outline text='p' xmlUrl='http://192.168.1.5/feed'/>\
        <outline text='l' xmlUrl='http://localhost/feed'/>\
        <outline text='e' xmlUrl='exec:touch /tmp/x'/>\
        <outline text='i' xmlUrl='filter:x:https://i.example/'/>\
        <outline text='f' xmlUrl='file:///etc/passwd'/>\
        <outline text='c' filterCmd='x' xmlUrl='https://cmd.example/feed'/>\
        <outline text='k' xmlns:n='https://newsfed.example/opml' xmlUrl='https://k.example/feed'/>\
        <outline text='a&#27;[2J' xmlUrl='https://a.example/feed'/>";
    let own = |key: &str, value: &str| {
        format!("<outline text='n' n:{key}='{value}' xmlUrl='https://{key}.example/feed'/>")
    };
    let settings = [
        own("kind", "list"),
        own("kind", "crawl"),
        own("private", "true"),
        own("proxy", "socks5://localhost:9"),
        own("interval", "1s"),
        own("list", "other"),
        own("exec", "touch x"),
    ];
    let planet = Planet::with(&outline("a")).await;
    let body = opml(&[hostile, &settings.concat()].concat());
    let body = body.replace("<opml ", "<opml xmlns:n='https://newsfed.example/opml' ");
    planet.serve(list(body));
    assert!(failure(&planet.poll().await).is_none());
    planet.step().await;
    let declared = planet.home.file().declared().unwrap();
    let feeds = declared.iter().filter(|s| s.kind() != SourceKind::List);
    for source in feeds.clone() {
        let (id, url) = (source.id.clone(), source.url.clone());
        let (title, folder) = (source.title.clone(), Some("Team".to_owned()));
        let list = source.list.clone();
        assert_eq!(*source, Source { title, folder, list, ..Source::feed(id, url) });
    }
    let hosts: Vec<_> = feeds.map(|s| s.url.host_str().unwrap()).collect();
    assert_eq!(
        hosts,
        ["a.example", "k.example", "interval.example", "list.example", "exec.example"]
    );
    let notes = &polls(&planet.engine)[0].repairs;
    assert!(notes.iter().any(|note| note.contains("private address")), "{notes:?}");
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn a_list_has_at_most_5000_sources() {
    let planet = Planet::with(&numbered(5001)).await;
    assert_eq!(planet.sources().len(), 5000);
    let notes = &polls(&planet.engine)[0].repairs;
    assert!(notes[0].contains("1 source left out: limit of 5000"), "{notes:?}");
    // No source leaves a list that is too long, because the source may be in the part that was not read.
    let other = format!("{}{}", outline("other"), numbered(5001));
    planet.changes_to(&other).await;
    assert!(planet.sources().iter().any(|s| s.contains("s4999")));
    planet.engine.shutdown().await;
    // A list that exceeds the import limit is incomplete, but not damaged.
    let long = opml(&numbered(10_002));
    let of = source("list", "https://planet.example/");
    let listed = newsfed::config::Listed::read(long.as_bytes(), "planet", &of).unwrap();
    assert_eq!((listed.sources.len(), listed.left_out), (5000, 5002));
    assert!(!listed.is_damaged && !listed.is_whole());
}

#[tokio::test]
async fn two_lists_share_a_feed() {
    let planet = Planet::with(&outlines(&["a", "b"])).await;
    let other = planet.server.url("/other.opml");
    let followed = planet.engine.follow_list(&other, None, None).await.unwrap();
    assert_eq!((followed.added.len(), followed.already.len()), (1, 1));
    let here = ["a Team a listed", "b Team b listed", "z  z listed"];
    assert_eq!(planet.sources(), here);
    // A source that leaves one list but is on another one stays, with the folder and title of the other list.
    planet.changes_to(&outline("a")).await;
    assert_eq!(planet.sources(), ["a Team a listed", "b  b listed", "z  z listed"]);
    let declared = planet.home.file().declared().unwrap();
    let b = declared.iter().find(|s| s.id.0 == "b-example").unwrap();
    assert_eq!(b.list.as_ref(), Some(&followed.source.id));
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn follows_moves_of_lists_and_feeds() {
    let planet = Planet::with(&outline("a")).await;
    let moved = planet.server.url("/moved.opml");
    let error = planet.engine.follow_list(&moved, None, None).await.unwrap_err();
    assert!(error.to_string().contains("already followed"), "{error}");
    // The list contains the target of a redirect, or a URL with http instead of https.
    let key = facts(&planet.engine, "a-example").await.key;
    let to = "https://new.example/feed".to_owned();
    planet.engine.store().change_facts(key, move |f| f.moved_to = Some(to.clone())).await.unwrap();
    planet.changes_to(&outline("new")).await;
    assert_eq!(planet.sources(), ["new Team new listed"]);
    assert_eq!(facts(&planet.engine, "a-example").await.key, key, "it keeps its items");
    planet.changes_to(&outline("new").replace("https", "http")).await;
    let declared = planet.home.file().declared().unwrap();
    assert_eq!(declared[1].url.as_str(), "http://new.example/feed");
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn each_change_can_be_undone() {
    let planet = Planet::with(&outlines(&["a", "b"])).await;
    planet.serve(list(opml(&outlines(&["b", "c"]))));
    planet.poll().await;
    let mut changes = planet.step().await;
    assert_eq!(changes[0].label, "changes from the list The Planet");
    assert_eq!(planet.sources(), ["b Team b listed", "c Team c listed"]);
    let edit: FileEdit = changes.remove(0).edit.unwrap();
    edit.revert(&planet.home.paths()).unwrap();
    planet.engine.reload().await.unwrap();
    assert_eq!(planet.sources(), ["a Team a listed", "b Team b listed"]);
    // An undone change is not made again.
    let said = planet.changes_to(&outlines(&["b", "c", "d"])).await.join("");
    let here = ["a Team a own", "b Team b listed", "d Team d listed"];
    assert_eq!(planet.sources(), here);
    assert!(said.contains("a stays, because its URL is not in the list"), "{said}");
    // Removing the list keeps its sources.
    planet.home.file().remove(&[SourceId(planet.id())]).unwrap();
    assert!(planet.home.file().declared().unwrap().iter().all(|s| s.list.is_none()));
    assert_eq!(planet.sources().len(), 3);
    planet.engine.shutdown().await;
}

#[tokio::test]
async fn applies_changes_of_list_files_in_the_background() {
    let home = Home::new();
    let path = home.dir.path().join("list.opml");
    std::fs::write(&path, opml(&outline("a"))).unwrap();
    let engine = home.following().await;
    let mut messages = engine.notifications();
    let followed = engine.follow_list(path.to_str().unwrap(), None, None).await.unwrap();
    assert_eq!(followed.added.len(), 1);
    let mut declared = engine.declared();
    std::fs::write(&path, opml(&outlines(&["a", "bb"]))).unwrap();
    let key = facts(&engine, &followed.source.id.0).await.key;
    soon(engine.refresh(Some(vec![key]), Pace::Manual).await.recv()).await.unwrap();
    soon(declared.wait_for(|sources| sources.len() == 3)).await.unwrap();
    let message = soon(messages.recv()).await.unwrap();
    assert!(message.text.contains("1 added (bb)") && message.undo.is_some(), "{message:?}");
    engine.shutdown().await;
    for typed in ["exec:ls", "filter:x:https://a.example/", "mail:/x"] {
        let engine = home.on_demand().await;
        let error = engine.follow_list(typed, None, None).await.unwrap_err();
        assert!(error.to_string().contains("a URL or a file"), "{error}");
        engine.shutdown().await;
    }
}

/// A change is completed, whatever the step at which the program exited.
#[tokio::test]
async fn completes_an_interrupted_change() {
    for step in 0..3 {
        let planet = Planet::with(&outlines(&["a", "b"])).await;
        planet.serve(list(opml(&outlines(&["b", "c"]).replace("text='b'", "text='B'"))));
        planet.poll().await;
        let id = planet.id();
        if step > 0 {
            // The file was changed, but the change was not recorded.
            let key = facts(&planet.engine, &id).await.key;
            let before = planet.engine.store().reader().unwrap().followed_list(key).unwrap();
            planet.step().await;
            let taken = before.unwrap().taken;
            planet.engine.store().set_taken(key, taken, None).await.unwrap();
        }
        if step == 2 {
            planet.edit("b", SourceChange::default().set("title", "Mine")).await;
        }
        planet.step().await;
        let b = if step == 2 { "Mine Team b listed" } else { "B Team b listed" };
        assert_eq!(planet.sources(), [b, "c Team c listed"], "{step}");
        planet.engine.shutdown().await;
    }
}

//! The changes that a followed list makes to the file.

use super::super::followed_list::Listed;
use super::super::{
    ListComparison, ListPlan, ListState, SourcesFile, Stay, list_from_text, list_to_text,
};
use crate::model::{BasicAuth, Secret, Source, SourceId};
use std::collections::{HashMap, HashSet};

fn source(name: &str) -> Source {
    let url = format!("https://{name}.example/").parse().unwrap();
    let mut source = Source::feed(SourceId(name.to_owned()), url);
    source.list = Some(SourceId("list".to_owned()));
    source
}

fn sources(names: &[&str]) -> Vec<Source> {
    names.iter().map(|name| source(name)).collect()
}

/// The state of a list that contains the sources `listed` and contained the sources `taken`.
fn state(listed: &[&str], taken: &[&str]) -> ListState {
    ListState {
        compared: ListComparison {
            list: SourceId("list".to_owned()),
            listed: sources(listed),
            is_whole: true,
            taken: sources(taken),
            moved: HashMap::new(),
        },
        others: Vec::new(),
        kept: HashSet::new(),
        is_confirmed: false,
    }
}

fn names(ids: &[SourceId]) -> Vec<&str> {
    ids.iter().map(SourceId::as_str).collect()
}

/// Names of the sources that are added, removed, kept as the user's own, and recorded as applied.
fn ends(plan: &ListPlan) -> [Vec<&str>; 4] {
    [
        plan.add.iter().map(|source| source.id.as_str()).collect(),
        names(&plan.remove),
        plan.stay.iter().map(|(id, _)| id.as_str()).collect(),
        plan.taken.iter().map(|source| source.id.as_str()).collect(),
    ]
}

#[test]
fn sources_are_added_and_removed_with_the_list() {
    let plan = state(&["a", "b", "new"], &["a", "b", "old"]).plan(&sources(&["a", "b", "old"]));
    assert_eq!(ends(&plan), [vec!["new"], vec!["old"], vec![], vec!["a", "b", "new"]]);
    assert!(plan.already.is_empty() && plan.change.is_empty() && plan.hand_over.is_empty());
    // A source that the user has removed is not added again.
    let plan = state(&["a", "b"], &["a", "b"]).plan(&sources(&["a"]));
    assert_eq!(ends(&plan), [vec![], vec![], vec![], vec!["a", "b"]]);
    // http and https are the same source.
    let mut plain = source("a");
    plain.url = "http://a.example/".parse().unwrap();
    let plan = state(&["a"], &["a"]).plan(&[plain]);
    assert_eq!(ends(&plan), [vec![], vec![], vec![], vec!["a"]]);
}

#[test]
fn sources_not_from_the_list_stay_unchanged() {
    let mut own = source("a");
    own.list = None;
    let mut other = source("b");
    other.list = Some(SourceId("second".to_owned()));
    let plan = state(&["a", "b", "c"], &[]).plan(&[own.clone(), other]);
    let already: Vec<_> = plan.already.iter().map(|url| url.host_str().unwrap()).collect();
    assert_eq!(already, ["a.example", "b.example"]);
    assert_eq!(ends(&plan), [vec!["c"], vec![], vec![], vec!["a", "b", "c"]]);
    // Sources of an account are not the user's.
    own.account = Some("work".to_owned());
    let plan = state(&["a"], &[]).plan(&[own]);
    assert_eq!((plan.already.len(), ends(&plan)[0].as_slice()), (0, &["a"][..]));
    // A source that is not from this list is never removed.
    let mut own = source("a");
    own.list = None;
    let plan = state(&["b"], &["a", "b"]).plan(&[own, source("b")]);
    assert_eq!(ends(&plan), [vec![], vec![], vec![], vec!["b"]]);
}

#[test]
fn removes_only_sources_that_the_user_has_not_changed() {
    let mut state = state(&[], &["plain", "edited", "kept", "tagged", "handed"]);
    let mut declared = sources(&["plain", "edited", "kept", "tagged", "handed", "unknown"]);
    declared[1].title = Some("My title".to_owned());
    declared[3].tags = vec!["mine".to_owned()];
    state.kept = HashSet::from([SourceId("kept".to_owned())]);
    state.others = vec![source("handed")];
    state.is_confirmed = true;
    let plan = state.plan(&declared);
    let stay: Vec<_> = plan.stay.iter().map(|(id, why)| (id.as_str(), why)).collect();
    let want = [
        ("edited", &Stay::Edited),
        ("kept", &Stay::Kept),
        ("tagged", &Stay::Edited),
        ("unknown", &Stay::Unknown),
    ];
    assert_eq!(stay, want);
    assert_eq!(names(&plan.remove), ["plain"]);
    assert_eq!(plan.hand_over, [(SourceId("handed".to_owned()), source("handed"))]);
}

#[test]
fn asks_before_removing_many_sources() {
    let all: Vec<String> = (0..40).map(|n| format!("s{n}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let declared = sources(&all);
    for (left, asked) in [(39, false), (20, false), (19, true), (1, true)] {
        let mut state = state(&all[..left], &all);
        let question = asked.then_some((40 - left, 40));
        assert_eq!(state.compared.to_confirm(&declared), question, "{left}");
        let gone = if asked { 0 } else { 40 - left };
        assert_eq!(state.plan(&declared).remove.len(), gone, "{left}");
        assert_eq!(state.plan(&declared).taken.len(), 40 - gone);
        state.is_confirmed = true;
        assert_eq!(state.plan(&declared).remove.len(), 40 - left);
        state.compared.is_whole = false;
        assert_eq!(state.compared.to_confirm(&declared), None);
        let plan = state.plan(&declared);
        assert_eq!((plan.remove.len(), plan.taken.len()), (0, 40), "some of it is missing");
    }
    // A few sources leaving a short list need no confirmation.
    let state = state(&["s0"], &["s0", "s1", "s2"]);
    assert_eq!(state.compared.to_confirm(&declared[..3]), None);
}

#[test]
fn finds_a_moved_source_at_its_new_url() {
    let mut state = state(&["new"], &["old"]);
    state.compared.moved =
        HashMap::from([(SourceId("old".to_owned()), "https://new.example/".to_owned())]);
    let plan = state.plan(&sources(&["old"]));
    assert_eq!(ends(&plan), [vec![], vec![], vec![], vec!["new"]]);
    assert_eq!(plan.change.len(), 1, "its URL");
    assert_eq!(plan.change[0].1.texts(), [("url", Some("https://new.example/".to_owned()))]);
}

#[test]
fn user_changes_take_precedence_over_list_changes() {
    let with = |title: Option<&str>, folder: Option<&str>, tags: &[&str], user: Option<&str>| {
        let mut source = source("a");
        source.title = title.map(str::to_owned);
        source.folder = folder.map(str::to_owned);
        source.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        source.access.auth = user.map(|user| BasicAuth {
            user: user.to_owned(),
            password: Secret::Plain("command:rm".to_owned()),
        });
        source
    };
    let before = with(Some("A"), None, &["x", "y"], None);
    let after = with(Some("B"), Some("F"), &["y", "z"], Some("me"));
    let keys = |now: &Source| {
        let mut state = state(&[], &[]);
        (state.compared.taken, state.compared.listed) = (vec![before.clone()], vec![after.clone()]);
        let plan = state.plan(std::slice::from_ref(now));
        let keys = plan.change.first().map(|(_, change)| change.keys(now)).unwrap_or_default();
        let text = |key: &super::super::KeyChange| {
            format!("{}={}", key.path.join("."), key.value.as_deref().unwrap_or("-"))
        };
        keys.iter().map(text).collect::<Vec<_>>()
    };
    let all = [
        "title=\"B\"",
        "folder=\"F\"",
        "user=\"me\"",
        "password=\"command:rm\"",
        "tags=[\"y\", \"z\"]",
    ];
    assert_eq!(keys(&before), all);
    let own = with(Some("Mine"), Some("Mine"), &["mine", "x"], Some("self"));
    assert_eq!(keys(&own), ["tags=[\"mine\", \"z\"]"]);
    assert_eq!(keys(&after), [""; 0]);
}

#[test]
fn stored_sources_of_a_list_round_trip() {
    let mut all = sources(&["a", "b"]);
    all[0].title = Some("A \"title\"".to_owned());
    all[1].tags = vec!["x".to_owned()];
    let restored = list_from_text(&list_to_text(&all)).unwrap();
    let ids: Vec<&str> = restored.iter().map(|source| source.id.as_str()).collect();
    assert_eq!(ids, ["s0", "s1"], "identifiers of the text alone");
    for (restored, source) in restored.iter().zip(&all) {
        assert_eq!(Source { id: source.id.clone(), ..restored.clone() }, *source);
    }
    assert_eq!(list_from_text("").unwrap(), []);
    assert!(list_from_text("[[source]]\nurl = 1").is_err());
}

#[test]
fn a_different_id_or_tag_order_is_not_a_user_change() {
    let mut state = state(&[], &["a", "b"]);
    for at in [0, 1] {
        state.compared.taken[at].tags = vec!["x".to_owned(), "y".to_owned()];
    }
    let mut declared = state.compared.taken.clone();
    declared[0].id = SourceId("other".to_owned());
    declared[0].url = "http://a.example/".parse().unwrap();
    declared[0].tags.reverse();
    declared[1].tags.pop();
    let plan = state.plan(&declared);
    assert_eq!((names(&plan.remove), plan.stay.len()), (vec!["other"], 1));
}

#[test]
fn writes_changes_from_a_list_to_the_file() {
    let list = "[[source]]\nid = \"list\"\nkind = \"list\"\nurl = \"https://list.example/\"\n";
    let (_folder, paths) = super::home(list);
    let file = SourcesFile::open(&paths);
    let all = ["keep", "gone", "edited", "renamed", "handed"];
    let mut declared = sources(&all);
    declared[2].title = Some("Mine".to_owned());
    declared[4].tags = vec!["old".to_owned()];
    file.add(&declared).unwrap();
    let before = super::text(&paths);
    let mut state = state(&["keep", "renamed", "new"], &all);
    state.compared.listed[1].title = Some("Renamed".to_owned());
    state.compared.taken[4].tags = vec!["old".to_owned()];
    let mut other = source("handed");
    (other.list, other.folder) = (Some(SourceId("second".to_owned())), Some("F".to_owned()));
    other.tags = vec!["x".to_owned()];
    other.access.auth =
        Some(BasicAuth { user: "me".to_owned(), password: Secret::Plain("env:HOME".to_owned()) });
    state.others = vec![other.clone()];
    let (plan, edit) = file.take_over(&state).unwrap();
    assert_eq!(names(&plan.remove), ["gone"]);
    let now = file.declared().unwrap();
    let ids: Vec<&str> = now.iter().map(|source| source.id.as_str()).collect();
    assert_eq!(ids, ["list", "keep", "edited", "renamed", "handed", "new-example"]);
    assert_eq!((now[2].list.as_ref(), now[2].title.as_deref()), (None, Some("Mine")));
    assert_eq!(now[3].title.as_deref(), Some("Renamed"));
    assert_eq!(now[4], other);
    let of_list = file.of_list(&SourceId("list".to_owned())).unwrap();
    assert_eq!(names(&of_list), ["keep", "renamed", "new-example"]);
    edit.revert(&paths).unwrap();
    assert_eq!(super::text(&paths), before);
    // Without the list, its sources are the user's own.
    file.remove(&[SourceId("list".to_owned()), SourceId("gone".to_owned())]).unwrap();
    let now = file.declared().unwrap();
    assert!(now.len() == 4 && now.iter().all(|source| source.list.is_none()), "{now:?}");
}

#[test]
fn a_list_gives_urls_titles_folders_and_tags() {
    let outline = |attributes: &str| {
        format!(
            "<opml xmlns:n='https://newsfed.example/opml'><head><title>L</title></head><body>\
             <outline text='In'><outline text='A' xmlUrl='https://me:pw@a.example/' category='x' {attributes}/>\
             </outline><outline xmlUrl='http://a.example'/><outline xmlUrl='http://10.0.0.1/'/>\
             <outline xmlUrl='https://b.example/' n:kind='sitemap'/></body></opml>"
        )
    };
    let mut list = source("list");
    list.folder = Some("Below/It".to_owned());
    let read = |text: &str| Listed::read(text.as_bytes(), "list", &list);
    let listed = read(&outline("n:interval='9h' n:id='mine'")).unwrap();
    assert_eq!((listed.title.as_deref(), listed.is_whole()), (Some("L"), true));
    let [one] = listed.sources.as_slice() else { panic!("{:?}", listed.sources) };
    let auth = one.access.auth.as_ref().unwrap();
    assert_eq!((auth.user.as_str(), &auth.password), ("me", &Secret::Plain("pw".to_owned())));
    assert_eq!((one.folder.as_deref(), one.title.as_deref()), (Some("Below/It/In"), Some("A")));
    assert_eq!((one.tags.as_slice(), one.interval), (&["x".to_owned()][..], None));
    assert_eq!(one.list, Some(list.id.clone()));
    let reasons: Vec<&str> = listed.skipped.iter().map(|(_, why)| why.as_str()).collect();
    assert!(reasons.iter().any(|why| why.contains("private address")), "{reasons:?}");
    assert!(reasons.iter().any(|why| why.starts_with("not a feed")), "{reasons:?}");
    for (text, want) in [
        ("https://a.example/\n", "is not OPML, and only OPML lists can be followed"),
        ("\u{1f}\u{8b}", "is not OPML, and only OPML lists can be followed"),
        ("<opml><body><outline text='x'/></body></opml>", "lists no feeds"),
        (
            "<opml><body><outline xmlUrl='http://10.0.0.1/'/></body></opml>",
            "lists nothing that can be imported; http://10.0.0.1/ was skipped",
        ),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(want), "{text}: {error}");
    }
}

//! Compares requests with recordings of a Google Reader API server, and parses the recorded responses.

use crate::reference::lines;
use newsfed::greader::{
    Body, Contents, ItemRefs, QuickAdd, RemoteId, RemoteMark, RemoteRequest, Stream, Subscriptions,
    Tags, UnreadCounts, UserInfo, parse_login,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The fields of an encoded form.
fn fields(form: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(form.as_bytes()).into_owned().collect()
}

fn form(request: RemoteRequest) -> String {
    match request.body {
        Body::Form(form) => form,
        other => panic!("{other:?}"),
    }
}

#[test]
fn serialises_requests_as_recorded() {
    let recording = lines("sync/freshrss-1.25.jsonl");
    if recording.is_empty() {
        return;
    }
    let mut compared = [0; 3];
    for exchange in &recording {
        let (request, response) = (&exchange["request"], &exchange["response"]);
        let (path, body) = (request["path"].as_str().unwrap(), request["body"].as_str().unwrap());
        let typed = fields(body);
        let all = |name: &str| {
            typed.iter().filter(|f| f.0 == name).map(|f| f.1.as_str()).collect::<Vec<_>>()
        };
        let ids = || all("i").into_iter().map(RemoteId::parse).collect::<Option<Vec<_>>>();
        let token = all("T").first().copied().unwrap_or_default();
        if request["method"] != "POST" || response["status"] != 200 || response["body"] == "" {
            continue;
        }
        match path {
            "/accounts/ClientLogin" if typed.len() == 2 && all("Email").len() == 1 => {
                assert_eq!(form(RemoteRequest::login(all("Email")[0], all("Passwd")[0])), body);
                assert!(parse_login(response["body"].as_str().unwrap()).is_some());
                compared[0] += 1;
            }
            "/reader/api/0/stream/items/contents" if all("i").iter().all(|id| is_decimal(id)) => {
                assert_eq!(form(RemoteRequest::contents(token, &ids().unwrap())), body);
                compared[1] += 1;
            }
            // The mark precedes the items, so that servers that limit the number of fields do not drop it.
            "/reader/api/0/edit-tag"
                if !token.is_empty() && all("a").len() + all("r").len() == 1 =>
            {
                let (Some(ids), to) = (ids(), !all("a").is_empty()) else { continue };
                let stream = all(if to { "a" } else { "r" })[0];
                let state = match Stream::parse(stream) {
                    Some(Stream::Read) => RemoteMark::Read,
                    Some(Stream::Starred) => RemoteMark::Starred,
                    Some(Stream::Label(label)) if stream.starts_with("user/-/") => {
                        RemoteMark::Label(label)
                    }
                    _ => continue,
                };
                let mut written = fields(&form(RemoteRequest::mark(token, &state, to, &ids)));
                assert_eq!((written[0].0.as_str(), written[1].1.as_str()), ("T", stream));
                let mut recorded = typed.clone();
                written.sort();
                recorded.sort();
                assert_eq!(written, recorded);
                compared[2] += 1;
            }
            _ => {}
        }
    }
    println!("compared: {} logins, {} contents, {} marks", compared[0], compared[1], compared[2]);
    assert!(compared.iter().all(|count| *count > 0), "{compared:?}");
}

#[test]
fn parses_recorded_responses() {
    let recording = lines("sync/freshrss-1.25.jsonl");
    if recording.is_empty() {
        return;
    }
    let (mut read, mut ids) = (0, 0);
    for exchange in &recording {
        let path = exchange["request"]["path"].as_str().unwrap();
        let text = exchange["response"]["body"].as_str().unwrap();
        let Ok(value) = serde_json::from_str::<Value>(text) else { continue };
        read += 1;
        match path.strip_prefix("/reader/api/0/").unwrap_or(path) {
            "user-info" => check::<UserInfo>(text, &value, &["userId", "userName"]),
            "subscription/list" => check::<Subscriptions>(text, &value, &["subscriptions"]),
            "tag/list" => check::<Tags>(text, &value, &[]),
            "unread-count" => check::<UnreadCounts>(text, &value, &["max", "unreadcounts"]),
            "subscription/quickadd" => check::<QuickAdd>(text, &value, &["numResults", "query"]),
            "stream/items/ids" => {
                for one in serde_json::from_str::<ItemRefs>(text).unwrap().item_refs {
                    let id = RemoteId::parse(&one.id).unwrap();
                    assert_eq!(id.to_string(), one.id);
                    ids += 1;
                }
            }
            other if other.starts_with("stream/") => {
                let contents: Contents = serde_json::from_str(text).unwrap();
                for item in &contents.items {
                    assert_eq!(RemoteId::parse(&item.id).unwrap().long(), item.id);
                    assert!(
                        item.published > 0
                            && !item.title.is_empty()
                            && !item.summary.content.is_empty()
                    );
                    assert!(matches!(Stream::parse(&item.origin.stream_id), Some(Stream::Feed(_))));
                    ids += 1;
                }
            }
            other => panic!("{other}: a response that is not read"),
        }
    }
    println!("read: {read} responses, {ids} identifiers");
    assert!(read > 40 && ids > 100, "{read} {ids}");
}

/// Parses a response, and checks that serialising it produces the same values.
fn check<T: DeserializeOwned + serde::Serialize>(text: &str, value: &Value, keys: &[&str]) {
    let read: T = serde_json::from_str(text).unwrap();
    let written = serde_json::to_value(&read).unwrap();
    for key in keys.iter().filter(|key| value.get(**key).is_some()) {
        assert_eq!(written[key], value[key], "{key}");
    }
}

fn is_decimal(id: &str) -> bool {
    id.bytes().all(|b| b.is_ascii_digit()) && !id.starts_with('0')
}

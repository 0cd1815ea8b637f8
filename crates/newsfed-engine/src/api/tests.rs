use super::call::{Call, Edit, Listing, MarkChange, Raw, SubscriptionAction, Unreadable};
use super::login::in_header;
use crate::greader::Stream;

fn get(path: &str) -> Result<Call, Unreadable> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    Call::parse(Raw { is_post: false, path, query, body: b"" })
}

fn post(path: &str, body: &str) -> Result<Call, Unreadable> {
    let path = format!("/api/greader.php/reader/api/0/{path}");
    Call::parse(Raw { is_post: true, path: &path, query: "", body: body.as_bytes() })
}

fn listing(stream: Option<Stream>, most: usize) -> Listing {
    Listing {
        stream,
        within: vec![],
        without: vec![],
        since: None,
        until: None,
        continuation: None,
        oldest_first: false,
        most,
    }
}

#[test]
fn parses_streams_in_paths_and_fields() {
    let label = Some(Stream::Label("Tech/Linux é".to_owned()));
    let feed = Some(Stream::Feed("http://a.example/f?x=1&y".to_owned()));
    let api = "/reader/api/0/stream";
    let cases = [
        (format!("{api}/contents/user/-/label/Tech%2FLinux%20%C3%A9"), label.clone(), 20),
        (format!("{api}/contents/user/1005/label/Tech/Linux%20%c3%a9?n=0"), label.clone(), 1000),
        (format!("{api}/contents?s=user/-/label/Tech/Linux+%C3%A9&n=5"), label, 5),
        (format!("{api}/contents/feed%2Fhttp%3A%2F%2Fa.example%2Ff%3Fx%3D1%26y"), feed, 20),
        (format!("{api}/contents/?n=2000"), None, 1000),
        (format!("{api}/contents/feed%2F%ff"), None, 20),
        (format!("{api}/contents"), Some(Stream::ReadingList), 20),
    ];
    for (path, stream, most) in cases {
        assert_eq!(get(&path), Ok(Call::Stream(listing(stream, most))), "{path}");
    }
    let all = get(&format!("{api}/items/ids?s=feed/1&n=1000000&ot=5&nt=9&c=-3&r=o&xt=x&it=feed/2"));
    let expected = Listing {
        within: vec![Some(Stream::Feed("2".to_owned()))],
        without: vec![None],
        since: Some(5),
        until: Some(9),
        continuation: Some(-3),
        oldest_first: true,
        ..listing(Some(Stream::Feed("1".to_owned())), 100_000)
    };
    assert_eq!(all, Ok(Call::Ids(expected)));
}

#[test]
fn ignores_unknown_states() {
    let state = |name: &str| format!("user/-/state/com.google/{name}");
    let (read, star, kept) = (state("read"), state("starred"), state("kept-unread"));
    let marks = |items: &[i64], add: &[Stream], remove: &[Stream]| {
        let (items, add, remove) = (items.to_vec(), add.to_vec(), remove.to_vec());
        Ok(Call::EditTag(MarkChange { items, add, remove }))
    };
    let label = Stream::Label("x".to_owned());
    let cases = [
        (format!("i=1&i=1&i=2a&i=3&a={read}"), None),
        (
            format!("i=1&i=01&i=7&a={read}&a={star}"),
            Some(marks(&[1, 7], &[Stream::Read, Stream::Starred], &[])),
        ),
        (format!("i=1&a={kept}&r={read}"), Some(marks(&[1], &[], &[Stream::Read]))),
        (format!("i=1&a={kept}"), Some(marks(&[1], &[], &[Stream::Read]))),
        (format!("i=1&r={kept}&a={read}"), Some(marks(&[1], &[Stream::Read], &[]))),
        (format!("T=x&r=user/9/label/x&i=5&a={}", state("like")), Some(marks(&[5], &[], &[label]))),
    ];
    for (body, expected) in cases {
        let expected = expected.unwrap_or_else(|| marks(&[1, 42, 3], &[Stream::Read], &[]));
        assert_eq!(post("edit-tag", &body), expected, "{body}");
    }
}

#[test]
fn parses_changes_to_subscriptions() {
    let edit = Edit {
        action: SubscriptionAction::Edit,
        feeds: vec!["1".to_owned(), "http://a.example/".to_owned()],
        title: Some("New".to_owned()),
        folder: Some("A".to_owned()),
        out_of: Some("B".to_owned()),
    };
    let body = "ac=edit&s=feed/1&s=feed/http://a.example/&t=New&a=user/-/label/A&r=user/-/label/B";
    assert_eq!(post("subscription/edit", body), Ok(Call::EditSubscriptions(edit)));
    let relabel =
        |to: Option<&str>| Ok(Call::Relabel { from: "A".to_owned(), to: to.map(str::to_owned) });
    assert_eq!(post("rename-tag", "s=user/-/label/A&dest=user/-/label/B"), relabel(Some("B")));
    assert_eq!(post("disable-tag", "t=A"), relabel(None));
    for (path, body) in [
        ("subscription/edit", "ac=edit"),
        ("subscription/edit", "ac=other&s=feed/1"),
        ("subscription/edit", "ac=edit&s=user/-/label/A"),
        ("subscription/edit", "ac=edit&s=feed/1&a=A"),
        ("subscription/quickadd", ""),
        ("subscription/edit", &format!("ac=edit{}", "&s=feed/1".repeat(51))),
        ("edit-tag", &format!("i=1{}", "&a=user/-/label/A".repeat(51))),
        ("rename-tag", "s=user/-/label/A"),
        ("rename-tag", "s=user/-/state/com.google/read&dest=user/-/label/B"),
    ] {
        let read = post(path, body);
        assert!(matches!(read, Err(Unreadable::Wrong(_))), "{path} {body}: {read:?}");
    }
    for name in ["edit-tag", "subscription/edit", "subscription/import", "disable-tag"] {
        assert_eq!(get(&format!("/reader/api/0/{name}?i=1")), Err(Unreadable::NotPost), "{name}");
    }
}

#[test]
fn finds_tokens_in_the_header() {
    let cases = [
        ("GoogleLogin auth=a/0b", Some("a/0b")),
        ("googlelogin Auth=a", Some("a")),
        ("GoogleLogin auth=", None),
        ("GoogleLogin a", None),
        ("Bearer a", None),
        ("", None),
    ];
    for (value, token) in cases {
        assert_eq!(in_header(value), token, "{value}");
    }
}

use super::*;

#[test]
fn parses_all_three_forms_of_identifiers() {
    let cases = [
        ("1795309926112437", 1_795_309_926_112_437, "000660d32a685cb5"),
        ("0", 0, "0000000000000000"),
        ("42", 42, "000000000000002a"),
        ("-1", -1, "ffffffffffffffff"),
        ("-9223372036854775808", i64::MIN, "8000000000000000"),
    ];
    for (decimal, number, hex) in cases {
        let id = RemoteId::Number(number);
        assert_eq!(
            (id.to_string().as_str(), id.long()),
            (decimal, format!("{}{hex}", RemoteId::LONG))
        );
        assert_eq!(RemoteId::parse(decimal), Some(id.clone()));
        assert_eq!(RemoteId::parse(&id.long()), Some(id.clone()));
        let short = hex.trim_start_matches('0');
        if !short.is_empty() {
            let unpadded = format!("{}{short}", RemoteId::LONG);
            assert_eq!(RemoteId::parse(&unpadded), Some(id.clone()), "without zeros");
        }
        if hex.starts_with('0') {
            assert_eq!(RemoteId::parse(hex), Some(id));
        }
    }
    let other = "54ec9c2f0a1b3c4d5e6f7a8b";
    assert_eq!(RemoteId::parse(other), Some(RemoteId::Other(other.to_owned())));
    let long = "f".repeat(65);
    for wrong in ["", " ", "x", "+1", "1 2", "tag:google.com,2005:reader/item/", "1'", &long] {
        assert_eq!(RemoteId::parse(wrong), None, "{wrong:?}");
    }
}

#[test]
fn writes_streams_with_a_dash_and_reads_any_user() {
    let cases = [
        ("user/-/state/com.google/reading-list", Stream::ReadingList),
        ("user/-/state/com.google/read", Stream::Read),
        ("user/-/state/com.google/starred", Stream::Starred),
        ("user/-/state/com.google/kept-unread", Stream::State("kept-unread".to_owned())),
        ("user/-/label/Folder 0 é/& x", Stream::Label("Folder 0 é/& x".to_owned())),
        ("feed/17", Stream::Feed("17".to_owned())),
        ("feed/http://a.example/x?y=/z", Stream::Feed("http://a.example/x?y=/z".to_owned())),
    ];
    for (text, stream) in cases {
        assert_eq!(stream.to_string(), text);
        assert_eq!(Stream::parse(text), Some(stream.clone()));
        assert_eq!(Stream::parse(&text.replace("user/-/", "user/1005/")), Some(stream));
    }
    for wrong in ["", "feed/", "user/-", "user/-/label/", "user/-/state/com.google/", "sport"] {
        assert_eq!(Stream::parse(wrong), None, "{wrong:?}");
    }
}

#[test]
fn requests_have_token_and_mark_before_the_items() {
    let ids = [RemoteId::Number(7), RemoteId::Number(-8)];
    let body = |request: RemoteRequest| match request.body {
        Body::Form(form) => form,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        body(RemoteRequest::mark("t/1", &RemoteMark::Read, true, &ids)),
        "T=t%2F1&a=user%2F-%2Fstate%2Fcom.google%2Fread&i=7&i=-8"
    );
    assert_eq!(
        body(RemoteRequest::mark("t", &RemoteMark::Label("a b&c".to_owned()), false, &ids[..1])),
        "T=t&r=user%2F-%2Flabel%2Fa+b%26c&i=7"
    );
    assert_eq!(body(RemoteRequest::login("al ice", "p&w=ä")), "Email=al+ice&Passwd=p%26w%3D%C3%A4");
    let page =
        PageRequest { most: 100, unread: true, since: Some(5), continuation: Some("9".to_owned()) };
    assert_eq!(
        RemoteRequest::ids(&Stream::ReadingList, &page).query,
        "s=user%2F-%2Fstate%2Fcom.google%2Freading-list&output=json&n=100\
         &xt=user%2F-%2Fstate%2Fcom.google%2Fread&ot=5&c=9"
    );
    let feed = Stream::Feed("3".to_owned());
    assert_eq!(
        body(RemoteRequest::edit(
            "t",
            &feed,
            SubscriptionEdit { folder: Some("New"), ..Default::default() }
        )),
        "T=t&ac=edit&s=feed%2F3&a=user%2F-%2Flabel%2FNew"
    );
}

#[test]
fn reads_responses_with_missing_and_mistyped_fields() {
    let text = r#"{"items":[{"id":"tag:google.com,2005:reader/item/2a","published":"17",
        "title":null,"origin":{"streamId":"feed/1"},"summary":null,"categories":null,"enclosure":null,
        "unknown":[1]}, {"id":"7"}]}"#;
    let contents: Contents = serde_json::from_str(text).unwrap();
    assert_eq!(contents.items[0].published, 17);
    assert_eq!(contents.items[0].origin.stream_id, "feed/1");
    assert_eq!(contents.items[1], StreamEntry { id: "7".to_owned(), ..StreamEntry::default() });
    // Other responses must not count as an empty list.
    for wrong in ["[]", "{}", "OK", "<html></html>", r#"{"error":"x"}"#] {
        assert!(serde_json::from_str::<Contents>(wrong).is_err(), "{wrong}");
        assert!(serde_json::from_str::<ItemRefs>(wrong).is_err(), "{wrong}");
        assert!(serde_json::from_str::<Subscriptions>(wrong).is_err(), "{wrong}");
        assert!(serde_json::from_str::<Tags>(wrong).is_err(), "{wrong}");
    }
    let written = serde_json::to_string(&contents).unwrap();
    assert_eq!(serde_json::from_str::<Contents>(&written).unwrap(), contents);
}

#[test]
fn reads_logins_strictly() {
    assert_eq!(parse_login(&write_login("alice/0a1b")), Some("alice/0a1b".to_owned()));
    assert_eq!(parse_login("SID=x\r\nAuth=t\r\n"), Some("t".to_owned()));
    let long = format!("Auth={}", "x".repeat(1025));
    for wrong in ["", "Unauthorized!", "<html>Auth=x", "Auth=", "Auth=a\u{7}b", &long] {
        assert_eq!(parse_login(wrong), None, "{wrong:?}");
    }
}

#[test]
fn restores_full_width_characters_only_for_freshrss() {
    let wide = "A \u{ff06} B \u{ff1c}c\u{ff1e}";
    assert_eq!(Dialect::FreshRss.title(wide), "A & B <c>");
    for other in [Dialect::Newsfed, Dialect::Other] {
        assert_eq!(other.title(wide), wide);
    }
}

#[test]
fn recognises_servers() {
    let cases = [
        ("https://a.example/api/greader.php", Some("newsfed"), Dialect::Newsfed),
        ("https://a.example", Some("newsfed/2.0"), Dialect::Newsfed),
        ("https://a.example/api/greader.php", Some("nginx"), Dialect::FreshRss),
        ("https://a.example/api/greader.php", None, Dialect::FreshRss),
        ("https://a.example", Some("newsfeeder"), Dialect::Other),
    ];
    for (url, server, dialect) in cases {
        assert_eq!(Dialect::recognise(url, server), dialect, "{url} {server:?}");
    }
}

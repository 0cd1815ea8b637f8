//! Redirects: which are followed, what is reported, and which headers each hop receives.

use super::*;
use crate::model::{Access, BasicAuth, Secret, Validators};
use crate::serve::scripted::{Reply, ScriptedRequest};

#[tokio::test]
async fn follows_and_reports_redirects() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/1" => Reply::status(301).header("location", "/2"),
        "/2" => Reply::status(308).header("location", "3#part"),
        "/3" => Reply::status(302).header("location", "?4"),
        "/3?4" => Reply::status(307).header("location", "/5"),
        "/5" => Reply::status(303).header("location", "/end"),
        "/moved" => Reply::status(301).header("location", "/end"),
        "/end" => Reply::ok("text/xml", "<rss/>"),
        _ => Reply::status(302),
    })
    .unwrap();
    let response = get(&server, "/1").await.unwrap();
    let hops: Vec<_> = response.hops.iter().map(|h| (h.status, h.to.as_str().to_owned())).collect();
    let to = |path| server.url(path);
    assert_eq!(
        hops,
        [(301, to("/2")), (308, to("/3")), (302, to("/3?4")), (307, to("/5")), (303, to("/end"))]
    );
    assert_eq!((response.status, response.final_url.as_str()), (200, to("/end").as_str()));
    assert!(!response.moved_for_good());
    assert!(get(&server, "/moved").await.unwrap().moved_for_good());
    assert!(!get(&server, "/end").await.unwrap().moved_for_good());
    assert_eq!(get(&server, "/nowhere").await.unwrap().status, 302, "no URL: reported as is");
}

#[tokio::test]
async fn rejects_redirect_loops_long_chains_and_invalid_targets() {
    let server = Server::start(|seen| match seen.path.as_str() {
        "/circle" => Reply::status(301).header("location", "/circle2"),
        "/circle2" => Reply::status(302).header("location", "/circle#x"),
        "/self" => Reply::status(302).header("location", "/self"),
        "/file" => Reply::status(302).header("location", "file:///etc/passwd"),
        "/broken" => Reply::status(302).header("location", "http://["),
        "/huge" => Reply::status(302).header("location", "/x".repeat(9_000)),
        other => Reply::status(302).header("location", format!("{other}/on")),
    })
    .unwrap();
    let long = get(&server, "/long").await.unwrap_err();
    assert!(matches!(long, FetchError::TooManyRedirects { limit: 5, .. }), "{long}");
    assert_eq!(server.requests().len(), 6);
    for path in ["/circle", "/self"] {
        let error = get(&server, path).await.unwrap_err();
        assert!(matches!(error, FetchError::RedirectLoop { .. }), "{error}");
    }
    let error = get(&server, "/file").await.unwrap_err();
    assert_eq!(error, FetchError::Scheme { scheme: "file".into() });
    for path in ["/broken", "/huge"] {
        let error = get(&server, path).await.unwrap_err();
        assert!(matches!(error, FetchError::Unreadable { .. }), "{error}");
    }
}

#[tokio::test]
async fn follows_redirects_in_markup() {
    let page = |refresh: &str| {
        Reply::ok("text/html", format!("<meta http-equiv=refresh content=\"{refresh}\"><p>Hello"))
    };
    let server = Server::start(move |seen| match seen.path.as_str() {
        "/old" => page("0; url=/new"),
        "/new" => Reply::ok("text/html", "<p>New"),
        "/self" => page("2; url=/self#top"),
        "/news" => page("300; url=/new"),
        "/left" => page("3; url=/right"),
        "/right" => page("3; url=/left"),
        "/file" => page("0; url=file:///etc/passwd"),
        "/header" => Reply::ok("text/html", "<p>Hello").header("refresh", "0; url=/new"),
        "/gone" => Reply::status(404).header("refresh", "0; url=/new"),
        "/private" => page("0; url=http://10.0.0.1/"),
        "/to-gone" => page("0; url=/gone"),
        "/robots.txt" => Reply::ok("text/html", "<meta http-equiv=refresh content='0;url=/new'>"),
        "/text" => Reply::ok("text/plain", "<meta http-equiv=refresh content='0;url=/new'>"),
        other => page(&format!("0; url={other}/on")),
    })
    .unwrap();
    let moved = get(&server, "/old").await.unwrap();
    let hops: Vec<_> = moved.hops.iter().map(|h| (h.status, h.to.as_str().to_owned())).collect();
    assert_eq!((hops, &moved.body[..]), (vec![(200, server.url("/new"))], &b"<p>New"[..]));
    assert!(!moved.moved_for_good());
    let ends = [
        ("/header", "/new"),
        ("/self", "/self"),
        ("/news", "/news"),
        ("/left", "/right"),
        ("/gone", "/gone"),
        ("/text", "/text"),
    ];
    for (from, to) in ends {
        assert_eq!(get(&server, from).await.unwrap().final_url.as_str(), server.url(to), "{from}");
    }
    // If the target cannot be fetched, the page itself is returned.
    for path in ["/file", "/private", "/to-gone", "/robots.txt"] {
        let page = get(&server, path).await.unwrap();
        assert_eq!((page.final_url.as_str(), page.status), (server.url(path).as_str(), 200));
        assert!(page.hops.is_empty(), "{path}");
    }
    let before = server.requests().len();
    let long = get(&server, "/long").await.unwrap();
    assert_eq!(long.final_url.as_str(), server.url("/long/on/on/on/on/on"));
    assert_eq!(server.requests().len() - before, 6);
}

fn secrets() -> Access {
    Access {
        auth: Some(BasicAuth { user: "me".into(), password: Secret::Plain("hush".into()) }),
        headers: vec![("X-Key".into(), Secret::Plain("k".into()))],
        proxy: None,
    }
}

/// Whether a request had validators, and whether it had secrets.
fn shown(seen: &ScriptedRequest) -> (bool, bool) {
    let secrets = seen.header("authorization").is_some();
    assert_eq!(secrets, seen.header("x-key").is_some());
    (seen.header("if-none-match").is_some(), secrets)
}

#[tokio::test]
async fn every_hop_gets_only_its_own_headers() {
    // A different port is a different origin on the same host.
    let target = Server::start(|_| Reply::ok("text/xml", "<rss/>")).unwrap();
    let to = target.url("/feed");
    let server = Server::start(move |seen| match seen.path.as_str() {
        "/near" => Reply::status(302).header("location", "/feed"),
        "/far" => Reply::status(302).header("location", &to),
        _ => Reply::ok("text/xml", "<rss/>"),
    })
    .unwrap();
    let (yes, no) = (true, false);
    // (path, sender of the stored body) -> (validators, secrets) sent, hop by hop.
    let cases = [
        ("/near", None, [(yes, yes), (yes, yes)]),
        ("/near", Some(server.url("/feed")), [(no, yes), (yes, yes)]),
        ("/near", Some(server.url("/other")), [(no, yes), (no, yes)]),
        ("/far", None, [(yes, yes), (yes, no)]),
        ("/far", Some(target.url("/feed")), [(no, yes), (yes, no)]),
        ("/far", Some(server.url("/feed")), [(no, yes), (no, no)]),
    ];
    for (path, owner, want) in cases {
        let (near, far) = (server.requests().len(), target.requests().len());
        let request = Request {
            validators: Validators { etag: Some(b"\"v\"".to_vec()), last_modified: None },
            validators_of: owner.as_deref().map(url),
            access: secrets(),
            ..typed(&server.url(path))
        };
        client().fetch(request).await.unwrap();
        let mut seen = server.requests().split_off(near);
        seen.extend(target.requests().split_off(far));
        assert_eq!(seen.iter().map(shown).collect::<Vec<_>>(), want, "{path} {owner:?}");
    }
}

#[tokio::test]
async fn credentials_in_the_url_stay_with_their_origin() {
    let target = Server::start(|_| Reply::ok("text/xml", "<rss/>")).unwrap();
    let to = target.url("/feed").replace("http://", "http://evil:word@");
    let server = Server::start(move |_| Reply::status(301).header("location", &to)).unwrap();
    let login = server.url("/").replace("http://", "http://a%40b:c%3Ad@");
    let response = client().fetch(typed(&login)).await.unwrap();
    let sent = server.requests()[0].header("authorization").unwrap().to_vec();
    assert_eq!(sent, b"Basic YUBiOmM6ZA==");
    assert_eq!(target.requests()[0].header("authorization"), None);
    assert_eq!(response.final_url.as_str(), target.url("/feed"));
    assert_eq!(response.hops[0].to.as_str(), target.url("/feed"));
}

#[tokio::test]
async fn a_stored_move_keeps_the_declared_permissions() {
    let ips = hosts(2);
    let server = Server::start_on(&ips, |_| Reply::ok("text/xml", "<rss/>")).unwrap();
    let [home, away] = [0, 1].map(|n| server.url_on(ips[n], "/feed"));
    let moved = |to: &str| Request {
        declared: Some(url(&home)),
        access: secrets(),
        ..typed(&to.replace("/feed", "/moved"))
    };
    client().fetch(moved(&home)).await.unwrap();
    assert_eq!(server.requests().iter().map(shown).collect::<Vec<_>>(), [(false, true)]);
    let error = client().fetch(moved(&away)).await.unwrap_err();
    assert_eq!(error, FetchError::Private { host: "127.0.1.2".into() });
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn rejects_redirects_to_private_hosts() {
    let ips = hosts(2);
    let server = Server::start_on(&ips, |seen| {
        let to = String::from_utf8_lossy(seen.header("host").unwrap()).into_owned();
        let port = to.rsplit(':').next().unwrap();
        let host = seen.path.trim_start_matches('/');
        Reply::status(302).header("location", format!("http://{host}:{port}/"))
    })
    .unwrap();
    for host in ["127.0.1.2", "localhost", "[::1]", "2130706690"] {
        let start = server.url_on(ips[0], &format!("/{host}"));
        let error = client().fetch(typed(&start)).await.unwrap_err();
        assert!(matches!(error, FetchError::Private { .. }), "{host}: {error}");
    }
    assert_eq!(server.requests().len(), 4);
    assert!(server.requests().iter().all(|seen| seen.ip == ips[0]));
}

//! Pictures of articles: fetched like pages, decoded within limits.

#[path = "../pictures/hostile.rs"]
mod hostile;

use super::*;
use image::{DynamicImage, ImageFormat};
use newsfed::demo::server::Failure;
use std::collections::HashMap;

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut out, ImageFormat::Png).unwrap();
    out.into_inner()
}

/// A small picture with a header that claims 72 million pixels.
fn bomb() -> Vec<u8> {
    let mut out = png(20, 10);
    // The signature and the length and name of the first chunk take 16 bytes. The checksum covers the name
    // and the data.
    out[16..24].copy_from_slice(&[9000_u32.to_be_bytes(), 8000_u32.to_be_bytes()].concat());
    let mut sum = flate2::Crc::new();
    sum.update(&out[12..29]);
    out[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    out
}

/// A site with a feed and pictures of all kinds.
fn site() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/feed" => feed(&[("1", "One")]),
        "/robots.txt" => Reply::ok("text/plain", "User-agent: *\nDisallow: /hidden/"),
        "/fine.png" | "/hidden/a.png" => Reply::ok("image/png", png(800, 400)),
        "/wrong-type.png" => Reply::ok("text/plain", png(20, 10)),
        "/page.png" => Reply::ok("image/png", "<html>not a picture</html>"),
        "/short.png" => Reply::ok("image/png", png(800, 400)[..60].to_vec()),
        "/bomb.png" => Reply::ok("image/png", bomb()),
        "/large.png" => Reply::ok("image/png", vec![0; 9 << 20]),
        "/moved.png" => Reply::status(302).header("location", "/fine.png"),
        "/inside.png" => Reply::status(302).header("location", "http://nas.test/a.png"),
        "/limited.png" => Reply::status(429).header("retry-after", "7200"),
        _ => Reply::status(404),
    })
    .unwrap()
}

#[tokio::test]
async fn shows_pictures_and_explains_errors() {
    let server = site();
    let table = HashMap::from([("nas.test".to_owned(), vec![IpAddr::V4(Ipv4Addr::LOCALHOST)])]);
    let names = Names::Table(Arc::new(table));
    let home = Home { names, ..Home::with(&[source("s", &server.url("/feed"))]) };
    let engine = home.on_demand().await;
    let key = facts(&engine, "s").await.key;
    for (path, expected) in [
        ("/fine.png", Ok((320, 160))),
        ("/moved.png", Ok((320, 160))),
        ("/wrong-type.png", Ok((20, 10))),
        ("/page.png", Err("not a picture")),
        ("/short.png", Err("not a picture")),
        ("/bomb.png", Err("not a picture")),
        ("/large.png", Err("larger")),
        ("/hidden/a.png", Err("robots.txt")),
        ("/inside.png", Err("private")),
        ("/missing.png", Err("404")),
        ("/limited.png", Err("429")),
        // The host is now paused, for pictures too.
        ("/fine.png", Err("paused")),
    ] {
        let got = soon(engine.picture(key, &server.url(path), true)).await;
        match (got, expected) {
            (Ok(picture), Ok(size)) => assert_eq!((picture.width, picture.height), size, "{path}"),
            (Err(why), Err(words)) => assert!(why.contains(words), "{path}: {why}"),
            (got, _) => panic!("{path}: {got:?}"),
        }
    }
    let requested = paths_requested(&server);
    assert!(!requested.iter().any(|path| path == "/hidden/a.png"), "{requested:?}");
    let requests = server.requests();
    let picture = requests.iter().find(|request| request.path == "/fine.png").unwrap();
    assert!(picture.header("accept").unwrap().starts_with(b"image/"), "servers may choose by it");
    assert_eq!(requested.iter().filter(|path| *path == "/fine.png").count(), 2, "{requested:?}");
    assert!(
        engine.picture(key + 1, &server.url("/fine.png"), false).await.is_err(),
        "no such source"
    );
    assert!(engine.picture(key, "file:///etc/hostname", false).await.is_err());
    engine.shutdown().await;
}

/// All malicious pictures, and endless responses with a wrong media type.
#[tokio::test]
async fn hostile_pictures_change_nothing() {
    let pictures = hostile::pictures();
    let all: Vec<Vec<u8>> = pictures.iter().map(|(_, bytes)| bytes.clone()).collect();
    let server = Server::start(move |request| {
        let numbered = request.path.strip_prefix("/picture/").and_then(|n| n.parse::<usize>().ok());
        match (request.path.as_str(), numbered.and_then(|n| all.get(n))) {
            (_, Some(bytes)) => Reply::ok("image/png", bytes.clone()),
            ("/feed", _) => feed(&[("1", "One")]),
            ("/stalls.png", _) => Reply::ok("image/png", png(800, 400)).failing(Failure::Stall),
            ("/half.png", _) => Reply::ok("image/png", png(800, 400)).failing(Failure::HalfBody),
            ("/silent.png", _) => Reply::status(200).failing(Failure::NeverAnswer),
            ("/reset.png", _) => Reply::status(200).failing(Failure::Reset),
            ("/fine.png", _) => Reply::ok("image/png", png(800, 400)),
            _ => Reply::status(404),
        }
    })
    .unwrap();
    let mut home = Home::with(&[source("s", &server.url("/feed"))]);
    home.settings.net.page_timeout = std::time::Duration::from_millis(300);
    let engine = home.on_demand().await;
    let key = facts(&engine, "s").await.key;
    for (n, (name, bytes)) in pictures.iter().enumerate() {
        let got = soon(engine.picture(key, &server.url(&format!("/picture/{n}")), true)).await;
        match got {
            Ok(picture) => {
                assert!(picture.width <= 320 && picture.height <= 320, "{name}");
                assert!(bytes.len() <= 8 << 20, "{name}");
            }
            Err(why) => assert!(!why.is_empty() && !why.contains('\n'), "{name}: {why}"),
        }
    }
    for path in ["/stalls.png", "/half.png", "/silent.png", "/reset.png"] {
        let got = soon(engine.picture(key, &server.url(path), true)).await;
        assert!(got.is_err_and(|why| !why.contains('\n')), "{path}");
    }
    let fine = soon(engine.picture(key, &server.url("/fine.png"), true)).await.unwrap();
    assert_eq!((fine.width, fine.height, fine.natural), (320, 160, (800, 400)));
    engine.shutdown().await;
}

#[tokio::test]
async fn saving_removed_items_reports_the_reason() {
    let engine = Home::new().on_demand().await;
    let order = newsfed::engine::SaveOrder {
        items: vec![7],
        format: newsfed::engine::SaveFormat::Html,
        title: String::new(),
        pictures: true,
    };
    let failed = engine.save(&order, |_| ()).await.unwrap_err();
    assert_eq!(failed.to_string(), "the items were removed before they could be saved");
    engine.shutdown().await;
}

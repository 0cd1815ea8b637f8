//! Pictures that are embedded in pages. They are not stored, and one request finds them again.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat};
use newsfed::article::from_html;
use newsfed::model::TextWay;
use std::sync::Mutex;

/// A grey picture as a `data:` URL.
fn embedded(width: u32, height: u32) -> String {
    let mut out = std::io::Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut out, ImageFormat::Png).unwrap();
    format!("data:image/png;base64,{}", STANDARD.encode(out.into_inner()))
}

fn text(pictures: &[String]) -> String {
    let words = "<p>The ferry to the island runs every hour, and the harbour is being repaired \
                 this summer, says the operator of the line.</p>";
    let pictures: Vec<String> = pictures.iter().map(|url| format!("<img src=\"{url}\">")).collect();
    words.repeat(6) + &pictures.join(words) + words
}

/// The start of the text, with all pictures.
fn teaser(pictures: &[String]) -> String {
    let pictures: Vec<String> = pictures.iter().map(|url| format!("<img src=\"{url}\">")).collect();
    format!("<p>The ferry to the island runs every hour, and the …</p>{}", pictures.concat())
}

fn page(pictures: &[String]) -> Reply {
    let text = text(pictures);
    let page = format!("<html><body><article><h1>Plots</h1>{text}</article></body></html>");
    Reply::ok("text/html", page)
}

/// A feed with one item, and the page of the item.
struct Site {
    server: Server,
    feed: Arc<Mutex<String>>,
    page: Arc<Mutex<Reply>>,
}

impl Site {
    fn new(text_in_feed: &str, page: Reply) -> Self {
        let (feed, page) =
            (Arc::new(Mutex::new(text_in_feed.to_owned())), Arc::new(Mutex::new(page)));
        let (text, reply) = (feed.clone(), page.clone());
        let server = Server::start(move |request| match request.path.as_str() {
            "/feed" => {
                let host = String::from_utf8_lossy(request.header("host").unwrap_or_default());
                let text = text.lock().unwrap();
                let item = format!(
                    "<item><title>Plots</title><guid>1</guid><link>http://{host}/plots</link>\
                     <description><![CDATA[{text}]]></description></item>"
                );
                let feed =
                    format!("<rss version=\"2.0\"><channel><title>K</title>{item}</channel></rss>");
                Reply::ok("application/rss+xml", feed)
            }
            "/plots" => reply.lock().unwrap().clone(),
            _ => Reply::status(404),
        });
        Self { server: server.unwrap(), feed, page }
    }

    fn home(&self) -> Home {
        Home::with(&[source("s", &self.server.url("/feed"))])
    }

    fn page_requests(&self) -> usize {
        paths_requested(&self.server).iter().filter(|path| *path == "/plots").count()
    }
}

fn key(engine: &Handle) -> i64 {
    let reader = engine.store().reader().unwrap();
    reader.window(&View::of(Scope::All), Anchor::First, 10).unwrap().rows[0].key
}

fn markers(engine: &Handle) -> Vec<String> {
    from_html(items(engine)[0].body(), None).embedded
}

type Shown = (Vec<Option<(u32, u32)>>, Option<String>);

/// The sizes of the item's pictures, and the reason why some are missing.
async fn shown(engine: &Handle, markers: &[String]) -> Shown {
    let found = soon(engine.embedded_pictures(key(engine), markers.to_vec(), false)).await;
    assert!(found.pictures.iter().map(|(marker, _)| marker).eq(markers));
    let size = |(_, picture): (_, Option<newsfed::article::Thumbnail>)| picture.map(|p| p.natural);
    (found.pictures.into_iter().map(size).collect(), found.missing)
}

#[tokio::test]
async fn embedded_pictures_need_one_request_for_their_page() {
    let (a, b) = (embedded(300, 200), embedded(120, 80));
    let pictures = [a.clone(), b.clone()];
    let site = Site::new(&teaser(&pictures), page(&pictures));
    let home = site.home();
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let item = &items(&engine)[0];
    assert!(item.body().len() < 3000 && !item.body().contains("base64"), "{}", item.body());
    let found = markers(&engine);
    assert_eq!(found.len(), 2);
    let both = vec![Some((300, 200)), Some((120, 80))];
    assert_eq!(shown(&engine, &found).await, (both.clone(), None));
    assert_eq!(shown(&engine, &found[1..]).await, (both[1..].to_vec(), None));
    assert_eq!(site.page_requests(), 1, "the page is kept for a while");
    // The text of the page has the same markers.
    soon(engine.full_text(key(&engine), Some(TextWay::Best))).await.unwrap();
    assert!(items(&engine)[0].article.is_some());
    assert_eq!(markers(&engine), found);
    home.clock.advance(HOUR);
    *site.page.lock().unwrap() = page(&pictures[..1]);
    let (sizes, why) = shown(&engine, &found).await;
    assert_eq!(sizes, [both[0], None]);
    assert!(why.unwrap().starts_with("1 picture not shown: the page no longer contains"));
    home.clock.advance(HOUR);
    *site.page.lock().unwrap() = Reply::status(404);
    let (sizes, why) = shown(&engine, &found).await;
    assert_eq!(sizes, [None, None]);
    assert!(why.unwrap().contains("was not fetched: 127.0.0.1 has nothing at this URL"));
    engine.shutdown().await;
}

#[tokio::test]
async fn explains_that_a_picture_is_embedded_only_in_the_feed() {
    let site = Site::new(&text(&[embedded(300, 200)]), page(&[]));
    let home = site.home();
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let (sizes, why) = shown(&engine, &markers(&engine)).await;
    assert_eq!(sizes, [None]);
    assert_eq!(why.unwrap(), "1 picture not shown: embedded only in the feed, not in the page");
    engine.shutdown().await;
}

#[tokio::test]
async fn hostile_embedded_data_shows_nothing() {
    let fine = embedded(300, 200);
    let drawing = format!("data:image/svg+xml;base64,{}", "PHN2".repeat(200));
    let cut = format!("{}=", &fine[..fine.len() / 4 * 2]);
    let junk = format!("data:image/png,{}", "%ff%".repeat(1000));
    // With this picture, the page exceeds its size limit.
    let huge = format!("data:image/png;base64,{}", "AAAA".repeat(3 << 20));
    let all = [drawing, cut, junk, fine, huge];
    let site = Site::new(&text(&all[..4]), page(&all));
    let home = site.home();
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let mut found = markers(&engine);
    assert_eq!(found.len(), 4);
    let (sizes, why) = shown(&engine, &found).await;
    match why {
        // The client may refuse the page, or read only its start.
        Some(why) => assert!(why.contains("larger") && sizes == [None; 4], "{why}"),
        None => assert_eq!(sizes, [None, None, None, Some((300, 200))]),
    }
    found.push(newsfed::util::html::marker(&all[4]));
    *site.page.lock().unwrap() = page(&all[..4]);
    home.clock.advance(HOUR);
    let (sizes, why) = shown(&engine, &found).await;
    assert_eq!(sizes, [None, None, None, Some((300, 200)), None]);
    assert!(why.unwrap().contains("not shown: embedded only in the feed"));
    engine.shutdown().await;
}

#[tokio::test]
async fn other_embedded_data_is_not_a_change() {
    let (a, b) = (embedded(300, 200), embedded(120, 80));
    let site = Site::new(&teaser(std::slice::from_ref(&a)), page(&[a]));
    let home = site.home();
    let engine = home.on_demand().await;
    sync(&engine, Pace::Manual).await;
    let before = markers(&engine);
    *site.feed.lock().unwrap() = teaser(std::slice::from_ref(&b));
    home.clock.advance(HOUR);
    assert_eq!(sync_one(&engine, Pace::Manual).await, fetched(0, 0, 1));
    let after = markers(&engine);
    assert!(after.len() == 1 && after != before, "the newest marker is stored");
    let get = || async { soon(engine.full_text(key(&engine), Some(TextWay::Best))).await.unwrap() };
    get().await;
    assert_eq!(markers(&engine), before, "the page still has the first picture");
    *site.page.lock().unwrap() = page(&[b]);
    home.clock.advance(HOUR);
    assert!(!get().await.is_change());
    assert_eq!(markers(&engine), after);
    let item = &items(&engine)[0];
    assert!(!item.changed, "{item:?}");
    engine.shutdown().await;
}

//! Ordinary sites without a feed, in `tests/data/everyday`: each is discovered, followed and read over HTTP,
//! with menus, banners, lists of other articles and lazily loaded pictures.

use super::websites::Site;
use super::*;
use newsfed::model::LeftOut;
use std::fmt::Write;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/everyday")
}

/// The first path and the pages of a saved site. Each page is inserted into the layout of the site.
fn saved(name: &str) -> (String, Site) {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    let mut parts = text.split("=== ").skip(1).map(|part| part.split_once('\n').unwrap());
    let (_, layout) = parts.next().unwrap();
    let (site, mut first) = (Site::default(), None);
    for (path, page) in parts {
        let (head, content) = page.split_once("---\n").unwrap();
        let page = layout.replace("{head}", head).replace("{content}", content);
        site.put(path, Reply::ok("text/html; charset=utf-8", page));
        first.get_or_insert(path.to_owned());
    }
    (first.unwrap(), site)
}

/// A description of all items of a site, newest first.
async fn describe(name: &str) -> String {
    let (path, site) = saved(name);
    let server = site.start();
    let home = Home::new();
    let engine = home.on_demand().await;
    let found = engine.discover(&server.url(&path)).await.unwrap();
    let way = found.ways.first().unwrap_or_else(|| panic!("{name}: {:?}", found.tried));
    let mut out = String::new();
    let count = way.count().map_or("some".to_owned(), |count| count.to_string());
    writeln!(out, "{} of {count}: {}", way.kind().name(), way.title).unwrap();
    engine.follow(found, 0, None, None).await.unwrap();
    let reader = engine.store().reader().unwrap();
    let rows = reader.window(&View::of(Scope::All), Anchor::First, 100).unwrap().rows;
    for row in rows {
        let item = reader.item(row.key).unwrap().unwrap();
        let date = item.published.map_or("no date".to_owned(), |at| at.to_rfc3339());
        writeln!(out, "\n{date} {}", item.title).unwrap();
        writeln!(out, "  at {}", item.url.as_deref().unwrap_or("no URL")).unwrap();
        writeln!(out, "  by {}", item.authors.join(" + ")).unwrap();
        for file in &item.enclosures {
            writeln!(out, "  file {}", file.url).unwrap();
        }
        writeln!(out, "  {}", item.body()).unwrap();
    }
    for poll in polls(&engine) {
        if let Some(left_out) = LeftOut::describe(&poll.left_out) {
            writeln!(out, "\n{left_out}").unwrap();
        }
        poll.repairs.iter().for_each(|note| writeln!(out, "\nnote: {note}").unwrap());
    }
    engine.shutdown().await;
    out.replace(&server.url(""), "")
}

#[tokio::test]
async fn reads_all_articles_of_everyday_sites() {
    let mut sites: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "site"))
        .collect();
    sites.sort();
    assert!(sites.len() >= 6, "{sites:?}");
    for path in sites {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let found = describe(&name).await;
        let expected = path.with_extension("txt");
        if std::env::var_os("NEWSFED_UPDATE_EVERYDAY").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        let want = std::fs::read_to_string(&expected).unwrap_or_default();
        assert_eq!(found, want, "{name}");
    }
}

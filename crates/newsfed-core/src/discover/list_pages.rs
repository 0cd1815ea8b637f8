//! Links to the list of all posts of a site, found by their text or path, because a home page may show no
//! posts.

use crate::util::domain::same_site;
use crate::util::html::tree::text_within;
use crate::util::limits;
use crate::util::url::normalise;
use crate::website::{Page, is_file};
use percent_encoding::percent_decode_str;
use std::collections::HashSet;
use url::Url;

/// Maximum number of list pages.
pub(super) const MAX_PAGES: usize = 2;
/// Maximum length of a link text, in bytes.
const MAX_TEXT: usize = 80;
/// Maximum number of segments in the path of a list page.
const MAX_DEPTH: usize = 3;
/// Link texts that are unambiguous.
const ALL: [&str; 30] = [
    "all posts",
    "all articles",
    "all entries",
    "all news",
    "all stories",
    "view all posts",
    "see all posts",
    "more posts",
    "blog archive",
    "alle beiträge",
    "alle artikel",
    "tous les articles",
    "tous les billets",
    "todas las entradas",
    "todos los artículos",
    "todos os artigos",
    "todas as postagens",
    "tutti gli articoli",
    "tutti i post",
    "alle berichten",
    "wszystkie wpisy",
    "alla inlägg",
    "все записи",
    "все статьи",
    "すべての記事",
    "記事一覧",
    "所有文章",
    "全部文章",
    "모든 글",
    "جميع المقالات",
];
/// Names of post lists, as link texts or at the end of a path.
const NAMES: [&str; 55] = [
    "articles",
    "blog",
    "entries",
    "essays",
    "journal",
    "news",
    "notes",
    "post",
    "posts",
    "stories",
    "weblog",
    "writing",
    "writings",
    "aktuelles",
    "artikel",
    "beiträge",
    "nachrichten",
    "neuigkeiten",
    "actualités",
    "billets",
    "artículos",
    "entradas",
    "noticias",
    "publicaciones",
    "artigos",
    "notícias",
    "postagens",
    "articoli",
    "notizie",
    "berichten",
    "nieuws",
    "aktualności",
    "wpisy",
    "blogg",
    "nyheter",
    "haberler",
    "yazılar",
    "блог",
    "записи",
    "новости",
    "статьи",
    "お知らせ",
    "ニュース",
    "ブログ",
    "記事",
    "博客",
    "文章",
    "新闻",
    "日志",
    "글",
    "뉴스",
    "블로그",
    "المدونة",
    "مقالات",
    "نوشته‌ها",
];
/// Names of archives, which may only list months.
const ARCHIVES: [&str; 12] = [
    "archive",
    "archives",
    "archiv",
    "archivo",
    "archivio",
    "arquivo",
    "архив",
    "アーカイブ",
    "归档",
    "歸檔",
    "الأرشيف",
    "آرشیو",
];

/// The pages of the site that are linked as lists of posts, most certain first.
pub(super) fn list_pages(page: &Page) -> Vec<Url> {
    let elements = page.tree().root_element().descendent_elements();
    let links = elements.filter(|e| e.value().name() == "a").filter_map(|e| {
        let url = page.resolve(e.attr("href")?)?;
        let label = text_within(e, MAX_TEXT).unwrap_or_default();
        Some((rank(&label, &url)?, url))
    });
    let wanted = |url: &Url| same_site(url, page.url()) && !is_file(url);
    let mut found: Vec<(u8, Url)> =
        links.take(limits::LIST_LINKS).filter(|(_, url)| wanted(url)).collect();
    found.sort_by_key(|(rank, _)| *rank);
    let mut seen = HashSet::from([normalise(page.url())]);
    let different = found.into_iter().map(|(_, url)| url).filter(|url| seen.insert(normalise(url)));
    different.take(MAX_PAGES).collect()
}

/// The rank of a link, 0 is most certain; `None` if it does not lead to a list.
fn rank(label: &str, url: &Url) -> Option<u8> {
    let segments: Vec<&str> = url.path().split('/').filter(|s| !s.is_empty()).collect();
    if segments.len() > MAX_DEPTH {
        return None;
    }
    let label = label.to_lowercase();
    let label = label.trim_matches(|c: char| !c.is_alphanumeric());
    let last = percent_decode_str(segments.last().unwrap_or(&"")).decode_utf8_lossy();
    let last = last.to_lowercase();
    let last = last.strip_suffix(".html").unwrap_or(&last);
    let is_labelled = |names: &[&str]| names.contains(&label);
    let ends = |names: &[&str]| names.contains(&last);
    match () {
        () if is_labelled(&ALL) => Some(0),
        () if is_labelled(&NAMES) => Some(1),
        () if ends(&NAMES) => Some(2),
        () if is_labelled(&ARCHIVES) || ends(&ARCHIVES) => Some(3),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(markup: &str) -> Vec<String> {
        let url = Url::parse("https://ann.example.org/").unwrap();
        let page = Page::parse(markup, &url).unwrap();
        list_pages(&page)
            .iter()
            .map(|url| url.as_str().replace("https://ann.example.org", ""))
            .collect()
    }

    #[test]
    fn finds_the_list_page_by_link_texts() {
        let menu = "<nav><a href=/>Home</a><a href=/about>About</a><a href=/archive/>Archive</a>";
        for (link, expected) in [
            ("<a href=/posts/>Posts</a>", "/posts/"),
            ("<a href=/x>All posts →</a>", "/x"),
            ("<a href=/texte>Alle Beiträge</a>", "/texte"),
            ("<a href=/zh/list>所有文章</a>", "/zh/list"),
            ("<a href=/ar/p dir=rtl>المدونة</a>", "/ar/p"),
            ("<a href=/blog.html><img alt='' src=b.png></a>", "/blog.html"),
            ("<a href=/%E8%A8%98%E4%BA%8B/>読む</a>", "/%E8%A8%98%E4%BA%8B/"),
            ("<a href=https://blog.example.org/>Blog</a>", "https://blog.example.org/"),
        ] {
            assert_eq!(found(&format!("{menu}{link}</nav>"))[0], expected, "{link}");
        }
        assert_eq!(found(menu), ["/archive/"]);
        for link in [
            "<a href=https://elsewhere.example/blog>Blog</a>",
            "<a href=/blog/2024/05/a-post/>Blog</a>",
            "<a href=/#posts>Posts</a>",
            "<a href=/posts.xml>Posts</a>",
            "<a href=/contact>Contact</a>",
        ] {
            assert!(found(link).is_empty(), "{link}: {:?}", found(link));
        }
        let many = "<a href=/a>News</a><a href=/b>Blog</a><a href=/a/>News</a><a href=/c>Posts</a>";
        assert_eq!(found(many), ["/a", "/b"]);
    }
}

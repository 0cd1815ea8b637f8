//! Lists in the markup of common blog and website themes, each with the other content of a typical page.

mod sites;

use super::propose;
use crate::website::Page;
use std::collections::BTreeSet;
use url::Url;

struct Sample {
    name: &'static str,
    url: &'static str,
    body: String,
    articles: Vec<String>,
}

const LONG: [&str; 10] = [
    "How we moved our build to a single machine",
    "A short history of the harbour crane",
    "Notes on reading other people's code",
    "Why the ferry timetable is a spreadsheet",
    "Three years with a mechanical keyboard",
    "Baking bread without a scale",
    "What I learned from a broken clock",
    "The parser that could not count",
    "Winter walks along the old railway",
    "Small tools for large text files",
];
const SHORT: [&str; 10] =
    ["Docker", "On maps", "Rust", "Hello", "Tea", "Vim", "Git bisect", "Snow", "Lists", "2023"];
const TAGS: [&str; 4] = ["rust", "travel", "linux", "bread-baking"];

fn slug(title: &str) -> String {
    title.to_lowercase().replace('\'', "").replace(' ', "-")
}

/// One row per title: `{t}` is the title, `{s}` its slug, `{n}` its number from 1, `{g}` a tag, and `{o}`
/// the slug of another title.
fn rows(titles: &[&str], row: &str) -> String {
    let fill = |(n, title): (usize, &&str)| {
        row.replace("{t}", title)
            .replace("{s}", &slug(title))
            .replace("{n}", &(n + 1).to_string())
            .replace("{g}", TAGS[n % TAGS.len()])
            .replace("{o}", &slug(LONG[(n + 3) % LONG.len()]))
    };
    titles.iter().enumerate().map(fill).collect()
}

fn paths(titles: &[&str], path: &str) -> Vec<String> {
    let fill = |(n, title): (usize, &&str)| {
        let path = path.replace("{s}", &slug(title)).replace("{n}", &(n + 1).to_string());
        path.replace("{g}", TAGS[n % TAGS.len()])
    };
    titles.iter().enumerate().map(fill).collect()
}

const HEAD: &str = "<header><a class=brand href=/>Ann Lee</a><nav><ul><li><a href=/about/>About</a><li><a href=/tags/>Tags</a>\
    <li><a href=/archive/>Archive</a></ul></nav></header>";
const FOOT: &str = "<footer><a href=/imprint/>Imprint</a> <a href=https://gohugo.io/>Made with Hugo</a> <a href=/index.xml>RSS</a></footer>";

fn sample(name: &'static str, url: &'static str, middle: &str, articles: Vec<String>) -> Sample {
    Sample { name, url, body: format!("{HEAD}{middle}{FOOT}"), articles }
}

/// The sidebar of a blog.
fn sidebar(titles: &[&str], path: &str) -> String {
    let recent = rows(titles, &format!("<li><a href='{path}'>{{t}}</a>"));
    let months = rows(&LONG, "<li><a href=/2024/0{n}/>Month {n} of 2024</a> (3)");
    let tags = rows(&LONG[..4], "<li><a href=/category/{g}/>{g}</a>");
    format!(
        "<aside class=sidebar><h3>Recent posts</h3><ul>{recent}</ul><h3>Archives</h3><ul>{months}</ul>\
         <h3>Categories</h3><ul>{tags}</ul></aside>"
    )
}

fn samples() -> Vec<Sample> {
    let mut all = themes();
    all.extend(cards());
    all.extend(plain());
    all.extend(two_lists());
    all.extend(noise());
    all.extend(sites::samples());
    all
}

fn themes() -> Vec<Sample> {
    let at = "https://example.org/";
    let hexo = "<article><header><h1><a class=article-title href=/2024/0{n}/{s}/>{t}</a></h1><a class=article-date href=/2024/0{n}/{s}/><time>2024-0{n}-11</time></a>\
        <a class=article-category-link href=/categories/{g}/>{g}</a></header><div class=article-entry><p>Some words on it, with <a href=/2024/0{n}/{o}/>an older post about this matter</a> in them, as is usual.</p>\
        <p class=article-more-link><a href='/2024/0{n}/{s}/#more'>Read More</a></p></div><footer><a class=article-comment-link href='/2024/0{n}/{s}/#disqus'>Comments</a>\
        <ul><li><a class=article-tag-list-link href=/tags/{g}/>{g}</a></ul></footer></article>";
    let overlay = "<article class=post-entry><header class=entry-header><h2>{t}</h2></header><div class=entry-content><p>Some words.</p></div>\
        <footer><span>May {n}, 2024</span> <a href=/tags/{g}/>{g}</a></footer><a class=entry-link aria-label='post link to {t}' href=/posts/{s}/></a></article>";
    let ghost = "<article class=post-card><a class=post-card-image-link href=/{s}/><img src={n}.jpg alt='{t}'></a><div><a class=post-card-content-link href=/{s}/>\
        <header><span class=post-card-tags>{g}</span><h2 class=post-card-title>{t}</h2></header><section><p>Some words on it that go on for a while.</p></section></a>\
        <footer><ul class=author-list><li><a class=static-avatar href=/author/ann/><img src=a.jpg alt='Ann Lee'></a></ul><span><a href=/author/ann/>Ann Lee</a></span></footer></div></article>";
    let wordpress = "<article class='post type-post'><h2 class=entry-title><a rel=bookmark href=/2024/0{n}/{s}/>{t}</a></h2><span class=posted-on><a rel=bookmark href=/2024/0{n}/{s}/><time>May {n}, 2024</time></a></span>\
        <span class=author><a href=/author/ann/>ann</a></span><div><p>Some words.</p><a class=more-link href=/2024/0{n}/{s}/>Continue reading</a></div>\
        <footer><a href=/category/{g}/ rel='category tag'>{g}</a> <a href='/2024/0{n}/{s}/#respond'>Leave a comment</a></footer></article>";
    let docusaurus = "<article><header><h2 itemprop=headline><a itemprop=url href=/blog/{s}>{t}</a></h2><time>May {n}, 2024</time><a href=https://github.com/ann><img src=a.png alt='Ann Lee'></a></header>\
        <div><p>Some words.</p></div><footer><b>Tags:</b><ul><li><a href=/blog/tags/{g}>{g}</a></ul><a aria-label='Read more about {t}' href=/blog/{s}><b>Read More</b></a></footer></article>";
    let chirpy = "<article><a class=post-preview href=/posts/{s}/><div class=card-body><h1 class=card-title>{t}</h1><p>Some words on it that go on for a while and do not end before the line does.</p><time>May {n}, 2024</time></div></a></article>";
    let posts = |path: &str| paths(&LONG[..6], path);
    let with = |name, row: &str, path: &str, side: &str| {
        let middle = format!("<main><section>{}</section></main>{side}", rows(&LONG[..6], row));
        sample(name, at, &middle, posts(path))
    };
    let updated = format!(
        "<aside><h2>Recently Updated</h2><ul>{}</ul><a class=post-tag href=/tags/rust/>rust</a> <a class=post-tag href=/tags/linux/>linux</a></aside>",
        rows(&LONG[2..5], "<li><a href=/posts/{s}/>{t}</a>")
    );
    vec![
        with(
            "a post with date, category, comments and tags",
            hexo,
            "/2024/0{n}/{s}/",
            &sidebar(&LONG[..5], "/2024/0{n}/{s}/"),
        ),
        with("an empty link over the card", overlay, "/posts/{s}/", ""),
        with("a card of two links and an author", ghost, "/{s}/", ""),
        with(
            "a blog with sidebar",
            wordpress,
            "/2024/0{n}/{s}/",
            &sidebar(&LONG[..5], "/2024/0{n}/{s}/"),
        ),
        with(
            "recent posts in a navigation",
            docusaurus,
            "/blog/{s}",
            "<nav><ul><li><a href=/blog/the-first-post-of-all>The first post of all</a><li><a href=/blog/the-second-post-of-all>The second post of all</a></ul></nav>",
        ),
        with("a card that is one link, and what was updated", chirpy, "/posts/{s}/", &updated),
    ]
}

fn cards() -> Vec<Sample> {
    let at = "https://example.org/blog/";
    let with = |name, titles: &[&str], row: &str, path: &str| {
        sample(
            name,
            at,
            &format!("<main><div class=grid>{}</div></main>", rows(titles, row)),
            paths(titles, path),
        )
    };
    let hashed = "<div class=css-1x2y3z><a class=Card_link__x8Kq2 href=/blog/{s}><img src={n}.jpg alt=''><div class=css-9z8y7x><p class=css-aa11bb>{t}</p><p>Some words on it.</p></div></a>\
        <a class=Tag_tag__k29Qz href=/blog/tag/{g}>{g}</a></div>";
    let no_heading = "<div class=flex><div class='text-sm mb-2'>May {n}, 2024</div><a class='text-lg font-bold' href=/blog/{s}>{t}</a><div><a class='text-sm mr-2' href=/topics/{g}>{g}</a><a class='text-sm mr-2' href=/people/ann>Ann Lee</a></div></div>";
    let heading_without_link = "<div class=item><h3>{t}</h3><p>Some words on it.</p><a class=button href=/blog/{s}>Read more</a> <a class=button href='https://social.example/share?u={s}'>Share</a></div>";
    let members = "<div class=structItem><div class=structItem-cell><div><a href=/members/ann-{n}.5{n}/>AnnLee{n} of the harbour</a></div></div><div class=structItem-cell><div class=structItem-title><a href=/threads/{s}.7{n}/>{t}</a></div>\
        <div><a href=/members/ann-{n}.5{n}/>AnnLee{n} of the harbour</a> <a href=/threads/{s}.7{n}/><time datetime=2024-05-0{n}>May {n}, 2024</time></a></div></div><div class=structItem-cell><div><a href=/threads/{s}.7{n}/latest><time datetime=2024-06-0{n}>June</time></a></div><div><a href=/members/bob-{n}.6{n}/>Bob the builder number {n}</a></div></div></div>";
    let companies = "<div class=job><h3><a href=/jobs/{s}>{t}</a></h3><a class=company href=/companies/harbour-works-{n}>Harbour Works Number {n} Limited</a><a class=tag href=/jobs/in-{g}>Jobs in {g}</a><a class=tag href=/jobs/remote>Remote jobs</a></div>";
    vec![
        with("names of a build", &LONG[..6], hashed, "/blog/{s}"),
        with("classes of style only", &LONG[..8], no_heading, "/blog/{s}"),
        with("a heading without link", &LONG[..6], heading_without_link, "/blog/{s}"),
        sample(
            "threads and members",
            "https://example.org/board/",
            &format!("<main><div class=js-threadList>{}</div></main>", rows(&LONG[..9], members)),
            paths(&LONG[..9], "/threads/{s}.7{n}/"),
        ),
        sample(
            "jobs and companies",
            "https://example.org/jobs",
            &format!("<main>{}</main>", rows(&LONG[..9], companies)),
            paths(&LONG[..9], "/jobs/{s}"),
        ),
    ]
}

fn plain() -> Vec<Sample> {
    let at = "https://example.org/";
    let with = |name, titles: &[&str], middle: String, path: &str| {
        sample(name, at, &middle, paths(titles, path))
    };
    let years = |row: &str| {
        format!(
            "<h2>2024</h2><ul>{}</ul><h2>2023</h2><ul>{}</ul>",
            rows(&LONG[..5], row),
            rows(&LONG[5..], row)
        )
    };
    vec![
        with(
            "lines of one paragraph",
            &LONG,
            format!(
                "<div><p>Posts:<br>{}</p></div>",
                rows(&LONG, "2024-05-0{n} <a href=posts/{s}.html>{t}</a><br>")
            ),
            "/posts/{s}.html",
        ),
        with(
            "dated headings between the rows",
            &LONG[..7],
            format!(
                "<div>{}</div>",
                rows(&LONG[..7], "<h4>May {n}, 2024</h4><p><a href=./{s}.html>{t}</a></p>")
            ),
            "/{s}.html",
        ),
        with(
            "years with short titles",
            &SHORT,
            format!(
                "<main><h2>2024</h2><ul>{}</ul></main>",
                rows(&SHORT, "<li><span>May {n}</span> <a href=/{s}/>{t}</a>")
            ),
            "/{s}/",
        ),
        with("two years", &LONG, years("<li>05-0{n} <a href=/{s}>{t}</a>"), "/{s}"),
        with(
            "folded years",
            &LONG,
            format!(
                "<details open><summary>2024</summary>{}</details>",
                rows(&LONG, "<div><a href=/n/{n}>{t}</a></div>")
            ),
            "/n/{n}",
        ),
        with(
            "a table",
            &LONG,
            format!(
                "<table>{}</table>",
                rows(
                    &LONG,
                    "<tr><td>2024-05-0{n}<td><a href='?p={n}'>{t}</a><td><a href='?cat={g}'>{g}</a>"
                )
            ),
            "/?p={n}",
        ),
        with(
            "terms and definitions",
            &LONG[..6],
            format!(
                "<dl>{}</dl>",
                rows(
                    &LONG[..6],
                    "<dt><a href=/log/{s}>{t}</a><dd>Some words on it and <a href=/log/{o}>an earlier post on this</a> as well, which is long enough."
                )
            ),
            "/log/{s}",
        ),
        with(
            "titles with a number only",
            &SHORT,
            format!("<ol>{}</ol>", rows(&SHORT, "<li><a href=/day/{n}>Day {n}</a>")),
            "/day/{n}",
        ),
    ]
}

fn two_lists() -> Vec<Sample> {
    let at = "https://example.org/";
    let (a, b) = LONG.split_at(4);
    let both = |name, middle: String, path: &str| sample(name, at, &middle, paths(&LONG, path));
    let featured = format!(
        "<section class=featured><h2>Featured</h2>{}</section><section class=all><h2>All posts</h2><ul>{}</ul></section>",
        rows(&[LONG[7], LONG[2]], "<a class=hero href=/posts/{s}/><h3>{t}</h3></a>"),
        rows(&LONG, "<li><a href=/posts/{s}/>{t}</a> <time datetime=2024-05-0{n}>May {n}</time>")
    );
    let pinned = format!(
        "<div class=pinned><h3><a href=/posts/{}/>{}</a></h3></div>{}",
        slug(LONG[9]),
        LONG[9],
        rows(
            &LONG[..9],
            "<div class=post><h2><a href=/posts/{s}/>{t}</a></h2><p>Some words.</p></div>"
        )
    );
    let projects = format!(
        "<h2>Latest posts</h2><ul>{}</ul><h2>Projects</h2><ul>{}</ul>",
        rows(&LONG[..5], "<li><a href=/posts/{s}/>{t}</a> <time>May {n}, 2024</time>"),
        rows(
            &["Toaster", "Lathe", "Gauge", "Kiln"],
            "<li><a href=/projects/{s}/>{t}</a>: a tool for it"
        )
    );
    let by_tag = format!(
        "<h2>rust</h2><ul>{}</ul><h2>linux</h2><ul>{}</ul><h2>bread</h2><ul>{}</ul>",
        rows(&LONG[..6], "<li><a href=/posts/{s}/>{t}</a>"),
        rows(&LONG[3..], "<li><a href=/posts/{s}/>{t}</a>"),
        rows(&LONG[5..7], "<li><a href=/posts/{s}/>{t}</a>")
    );
    vec![
        both("featured and all", featured, "/posts/{s}/"),
        both("a pinned post", pinned, "/posts/{s}/"),
        both("by tag", by_tag, "/posts/{s}/"),
        both(
            "lead cards and rows",
            format!(
                "<main><div class=leads>{}</div><div class=more>{}</div></main>",
                rows(
                    a,
                    "<div class=lead><a href=/posts/{s}/><img src={n}.jpg alt=''></a><h2><a href=/posts/{s}/>{t}</a></h2><a href=/tags/{g}/>{g}</a></div>"
                ),
                rows(
                    b,
                    "<div class=line><a href=/posts/{s}/>{t}</a> <a href=/tags/{g}/>{g}</a></div>"
                )
            ),
            "/posts/{s}/",
        ),
        sample("posts and projects", at, &projects, paths(&LONG[..5], "/posts/{s}/")),
    ]
}

fn noise() -> Vec<Sample> {
    let at = "https://example.org/";
    let posts = |n: usize| paths(&LONG[..n], "/posts/{s}/");
    let whole = "<div class=post><h2><a href=/posts/{s}/>{t}</a></h2><p>Words <a href=/posts/{o}/>that point to another post of this site</a> and go on for a good while after it.</p>\
        <ul><li><a href='/posts/{s}/#one'>The first part of it</a><li><a href='/posts/{s}/#two'>The second part of it</a></ul><p>The end, see also <a href=/pages/colophon-and-tools/>how this site is made</a> and the rest of it all.</p></div>";
    let pages = (2..9)
        .map(|n| format!("<a class=page-numbers href=/page/{n}/>{n}</a> "))
        .collect::<String>();
    let translated =
        "<li><a href=/posts/{s}/>{t}</a> <a hreflang=de href=/de/posts/{s}/>{t} (auf Deutsch)</a>";
    let shared = "<div class=entry><a class=t href=/posts/{s}/>{t}</a><p>Some words.</p><a class=s href='/share/mastodon?post={s}'>Share this post on Mastodon</a> <a class=s href='/share/mail?post={s}'>Send this post by mail</a></div>";
    let cloud: String = (0..60)
        .map(|n| format!("<a href=/topics/a-topic-of-this-blog-{n}/>A topic of this blog {n}</a> "))
        .collect();
    let one_folder = format!(
        "<div class=menu>{}</div><ul class=posts>{}</ul>",
        rows(
            &[
                "Services for harbours",
                "Our people and history",
                "Prices and conditions",
                "Contact and directions"
            ],
            "<a href=/{s}.html>{t}</a>"
        ),
        rows(&LONG[..6], "<li><a href=/{s}.html>{t}</a> <span>{n} May 2024</span>")
    );
    vec![
        sample(
            "whole posts with links in them",
            at,
            &format!("<main>{}</main>", rows(&LONG[..5], whole)),
            posts(5),
        ),
        sample(
            "page numbers",
            at,
            &format!(
                "<main>{}<div>{pages}</div></main>",
                rows(&LONG[..5], "<p class=post><a href=/posts/{s}/>{t}</a></p>")
            ),
            posts(5),
        ),
        sample("translations", at, &format!("<ul>{}</ul>", rows(&LONG, translated)), posts(10)),
        sample("share links", at, &format!("<main>{}</main>", rows(&LONG, shared)), posts(10)),
        sample(
            "a cloud of topics without name",
            at,
            &format!(
                "<main>{}</main><div>{cloud}</div>",
                rows(&LONG[..7], "<h3><a href=/posts/{s}/>{t}</a></h3>")
            ),
            posts(7),
        ),
        sample(
            "a menu of pages in the same folder",
            at,
            &one_folder,
            paths(&LONG[..6], "/{s}.html"),
        ),
    ]
}

#[test]
fn proposes_the_lists_of_common_themes() {
    let samples = samples();
    let mut wrong = Vec::new();
    for sample in &samples {
        let site = Url::parse(sample.url).unwrap();
        let markup = format!("<!doctype html><html lang=en><body>{}</body></html>", sample.body);
        let page = Page::parse(&markup, &site).unwrap();
        let path = |url: &Url| url[url::Position::BeforePath..].to_owned();
        let wanted: BTreeSet<String> =
            sample.articles.iter().map(|a| path(&site.join(a).unwrap())).collect();
        let proposals = propose(&page);
        let found: BTreeSet<String> = proposals
            .first()
            .map(|p| p.items.iter().map(|i| path(&i.url)).collect())
            .unwrap_or_default();
        if found != wanted {
            let offered: Vec<_> =
                proposals.iter().map(|p| (&p.articles, p.items.len(), p.confidence)).collect();
            let lacks: Vec<_> = wanted.difference(&found).collect();
            let adds: Vec<_> = found.difference(&wanted).collect();
            wrong.push(format!("{}: {offered:?} lacks {lacks:?}, adds {adds:?}", sample.name));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), samples.len(), wrong.join("\n"));
}

//! Lists of small sites that are not blogs, and of software that is not made for blogs.

use super::{LONG, SHORT, Sample, paths, rows, sample};

const AT: &str = "https://example.org/";

fn with(name: &'static str, titles: &[&str], middle: &str, path: &str) -> Sample {
    sample(name, AT, middle, paths(titles, path))
}

pub(super) fn samples() -> Vec<Sample> {
    let mut all = programs();
    all.extend(news());
    all.extend(odd());
    all
}

fn programs() -> Vec<Sample> {
    let blogger = format!(
        "<div class=blog-posts>{}</div><div id=sidebar><h2>Blog Archive</h2><ul class=hierarchy><li><a href=/2024/>2024</a> (9)<ul><li><a href=/2024/05/>May</a> (9)<ul class=posts>{}</ul></ul></ul>\
         <h2>Labels</h2><ul><li><a href=/search/label/rust>rust</a><li><a href=/search/label/tea>tea</a></ul><a href=https://www.blogger.com/profile/1>Ann</a></div>\
         <a class=blog-pager-older-link href='/search?updated-max=2024-05-01'>Older Posts</a>",
        rows(
            &LONG[..7],
            "<h2 class=date-header>May {n}, 2024</h2><div class=post><h3 class=post-title><a href=/2024/05/{s}.html>{t}</a></h3><div>Some words.</div><div class=post-footer>Posted by <a href=https://www.blogger.com/profile/1>Ann</a> at <a class=timestamp-link href=/2024/05/{s}.html>09:0{n}</a> <a class=comment-link href='/2024/05/{s}.html#comment-form'>{n} comments</a></div></div>"
        ),
        rows(&LONG[..7], "<li><a href=/2024/05/{s}.html>{t}</a>")
    );
    let next_theme = format!(
        "<main><div class=posts-expand>{}</div><nav class=pagination><a class=page-number href=/page/2/>2</a><a class=page-number href=/page/3/>3</a><a class='extend next' rel=next href=/page/2/>Next</a></nav></main>\
         <aside class=sidebar><div class=site-state><a href=/archives/><span>42</span> posts</a><a href=/tags/><span>9</span> tags</a></div></aside>",
        rows(
            &LONG[..6],
            "<article class=post-block><header><h2 class=post-title><a class=post-title-link href=/posts/8{n}a/>{t}</a></h2><span>Posted on <time>2024-05-0{n}</time></span> In <a href=/categories/{g}/><span>{g}</span></a></header><div class=post-body><p>Some words on it.</p><div class=post-button><a class=btn href=/posts/8{n}a/>Read more »</a></div></div></article>"
        )
    );
    let gatsby = format!(
        "<div style='max-width:42rem'>{}</div>",
        rows(
            &LONG[..5],
            "<div><h3 style='margin:0'><a style='box-shadow:none' href=/{s}/>{t}</a></h3><small>May {n}, 2024</small><p>Some words with <a href=https://other.example/x>a source</a> in them.</p></div>"
        )
    );
    let org = format!(
        "<div id=content><h1>Sitemap</h1><ul class=org-ul>{}</ul></div><div id=postamble>Made by <a href=https://orgmode.org/>Org</a></div>",
        rows(
            &LONG,
            "<li><span class=timestamp>&lt;2024-05-0{n}&gt;</span> <a href=notes/{s}.html>{t}</a></li>"
        )
    );
    let jekyll = format!(
        "<div class=home><ul class=post-list>{}</ul><p class=rss-subscribe>subscribe <a href=/feed.xml>via RSS</a></p></div>",
        rows(
            &SHORT,
            "<li><span class=post-meta>May {n}, 2024</span><h3><a class=post-link href=/{g}/2024/05/0{n}/{s}.html>{t}</a></h3></li>"
        )
    );
    let nikola = format!(
        "<main><div class=postindex>{}</div></main>",
        rows(
            &LONG[..6],
            "<article class='h-entry post-text'><header><h1 class='p-name entry-title'><a class=u-url href=posts/{s}/>{t}</a></h1><p class='byline author'>Ann</p><p class=dateline><a rel=bookmark href=posts/{s}/><time>2024-05-0{n}</time></a></p><p class=commentline><a href='posts/{s}/#talk'>Comments</a></p></header><div class=p-summary><p>Some words.</p></div></article>"
        )
    );
    let tumblr = format!(
        "<section>{}</section>",
        rows(
            &LONG[..5],
            "<article class=text-post><h2>{t}</h2><p>Some words on the matter which go on for a while.</p><footer><a class=permalink href=/post/71{n}/{s}>May {n}</a> <a class=tag href=/tagged/{g}>#{g}</a> <a class=notes href='/post/71{n}/{s}#notes'>{n} notes</a></footer></article>"
        )
    );
    vec![
        with("Blogger with an archive", &LONG[..7], &blogger, "/2024/05/{s}.html"),
        with("numbers of pages and read more", &LONG[..6], &next_theme, "/posts/8{n}a/"),
        with("styles in the elements", &LONG[..5], &gatsby, "/{s}/"),
        with("a map of notes", &LONG, &org, "/notes/{s}.html"),
        with("short titles under categories", &SHORT, &jekyll, "/{g}/2024/05/0{n}/{s}.html"),
        with("dates as links too", &LONG[..6], &nikola, "/posts/{s}/"),
        with("titles without link, dates with", &LONG[..5], &tumblr, "/post/71{n}/{s}"),
    ]
}

fn news() -> Vec<Sample> {
    let sections = format!(
        "<main>{}</main>",
        ["local", "world", "sport"].iter().enumerate().map(|(n, section)| {
            let titles = &LONG[n * 3..n * 3 + 3];
            let row = format!("<article><a href=/{section}/><span class=kicker>{section}</span></a><h3><a href=/{section}/{{s}}-10{{n}}>{{t}}</a></h3></article>");
            format!("<section><h2><a href=/{section}/>More from {section}</a></h2>{}</section>", rows(titles, &row))
        }).collect::<String>()
    );
    let in_sections: Vec<String> = ["local", "world", "sport"]
        .iter()
        .enumerate()
        .flat_map(|(n, section)| {
            paths(&LONG[n * 3..n * 3 + 3], &format!("/{section}/{{s}}-10{{n}}"))
        })
        .collect();
    let council = format!(
        "<div class=content><table><tr><th>Date<th>Title<th>Office</tr>{}</table><p>See also the <a href=/services/forms-and-fees>forms and fees of the city</a>.</p></div>",
        rows(
            &LONG,
            "<tr><td>0{n}.05.2024</td><td><a href=/notices/detail.php?id=50{n}>{t}</a></td><td><a href=/offices/office-of-{g}>Office of {g} and all the rest</a></td></tr>"
        )
    );
    let releases = format!(
        "<div class=releases>{}</div>",
        rows(
            &LONG[..6],
            "<section><div><h2><a href=/ann/tool/releases/v1.{n}>v1.{n}</a></h2> <a href=/ann/tool/commit/abc{n}def>abc{n}def</a> <time datetime=2024-05-0{n}>May {n}</time></div><p>Some words on what is new.</p><a href=/ann/tool/archive/v1.{n}.zip>Source code</a></section>"
        )
    );
    let team = format!(
        "<main><div class=news>{}</div><div class=team><h2>Our team</h2>{}</div></main>",
        rows(
            &LONG[..5],
            "<div class=teaser><h3><a href=/news/{s}>{t}</a></h3><span>0{n}.05.2024</span></div>"
        ),
        rows(
            &[
                "Ann Lee, head of the office",
                "Bob Marsh, harbour master",
                "Cleo Dunn, keeper of maps"
            ],
            "<div class=teaser><h3><a href=/team/{s}>{t}</a></h3></div>"
        )
    );
    let magazine = format!(
        "<div class=issue><h2>Articles</h2>{}</div>",
        rows(
            &LONG[..7],
            "<div class=toc-item><div class=title><a href=/article/view/10{n}>{t}</a></div><div class=authors>Ann Lee, Bob Marsh</div><a class=galley href=/article/view/10{n}/20{n}>PDF</a> <a class=galley href=/article/view/10{n}/30{n}>HTML</a></div>"
        )
    );
    let podcast = format!(
        "<main>{}</main>",
        rows(
            &LONG[..8],
            "<div class=episode><span>Episode {n}</span><a class=ep href=/episodes/{n}>{t}</a><audio src=/a/{n}.mp3></audio><a href=/a/{n}.mp3>Download</a> <a href='/episodes/{n}#transcript'>Transcript</a> <a href=/guests/cleo-dunn-{n}>Cleo Dunn</a></div>"
        )
    );
    vec![
        sample("sections with links to more", AT, &sections, in_sections),
        with("notices with offices", &LONG, &council, "/notices/detail.php?id=50{n}"),
        sample(
            "releases",
            "https://example.org/ann/tool/releases",
            &releases,
            paths(&LONG[..6], "/ann/tool/releases/v1.{n}"),
        ),
        with("news and a team in the same boxes", &LONG[..5], &team, "/news/{s}"),
        with("contents of an issue", &LONG[..7], &magazine, "/article/view/10{n}"),
        with("episodes with guests", &LONG[..8], &podcast, "/episodes/{n}"),
    ]
}

fn odd() -> Vec<Sample> {
    let frames = format!(
        "<table><tr><td class=left>{}</td><td>{}</td></tr></table>",
        rows(
            &["About the author", "Guest book", "My other pages"],
            "<p><a href={s}.htm>{t}</a></p>"
        ),
        rows(
            &LONG[..7],
            "<p><b><a href=texts/{s}.htm>{t}</a></b><br>Some words on it, May {n}, 2024</p>"
        )
    );
    let nested = format!(
        "<div><div><div>{}</div></div></div>",
        rows(
            &LONG[..6],
            "<div><div><a href=/a/{s}><div><div>{t}</div><div>Some words on the matter that go on</div></div></a></div><div><a href=/t/{g}>{g}</a></div></div>"
        )
    );
    let inline = format!("<p class=log>{}</p>", rows(&LONG[..8], "<a href=/w/{s}>{t}</a>, "));
    let pictures = format!(
        "<div class=photos>{}</div>",
        rows(&LONG[..9], "<figure><a href=/photo/{n}><img src=/t/{n}.jpg alt='{t}'></a></figure>")
    );
    let described = format!(
        "<ul>{}</ul>",
        rows(
            &LONG,
            "<li><a href=/essays/{s}>{t}</a>: a longer text on the matter, first written on the train from the harbour to the hills and never finished.</li>"
        )
    );
    let twice = format!(
        "<div class=new>{}</div><div class=index><h2>Index</h2>{}</div>",
        rows(&LONG[..3], "<h2><a href=/x/{s}>{t}</a></h2><p>Some words on it.</p>"),
        rows(&LONG, "<p><a href=/x/{s}>{t}</a></p>")
    );
    let upper = format!(
        "<TABLE>{}</TABLE>",
        rows(
            &LONG[..6],
            "<TR><TD><FONT size=2>0{n}/05/24</FONT><TD><A HREF=/Story/{n}.ASP>{t}</A>"
        )
    );
    let buttons = format!(
        "<div class=list>{}</div>",
        rows(
            &LONG[..6],
            "<div class=box><h4>{t}</h4><p>Some words.</p><a class=btn href=/events/{n}/details>Details</a> <a class=btn href=/events/{n}/register>Register now for it</a></div>"
        )
    );
    vec![
        with("a page of tables", &LONG[..7], &frames, "/texts/{s}.htm"),
        with("boxes without any name", &LONG[..6], &nested, "/a/{s}"),
        with("links in one line", &LONG[..8], &inline, "/w/{s}"),
        with("pictures", &LONG[..9], &pictures, "/photo/{n}"),
        with("titles with descriptions", &LONG, &described, "/essays/{s}"),
        with("new ones and an index", &LONG, &twice, "/x/{s}"),
        with("capitals", &LONG[..6], &upper, "/Story/{n}.ASP"),
        with("details and registration", &LONG[..6], &buttons, "/events/{n}/details"),
    ]
}

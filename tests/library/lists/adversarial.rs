//! Pages on which the most obvious group of links is not the list, or only a part of it.

use super::pages::Sample;

/// Headlines and their slugs: `count` of them, starting at `from`.
fn stories(from: usize, count: usize) -> Vec<(String, String)> {
    const WHO: [&str; 6] =
        ["Council", "Harbour master", "City library", "School board", "Tram company", "Museum"];
    const WHAT: [&str; 5] = [
        "opens the new bridge",
        "repairs the old roof",
        "votes on the budget",
        "shows lost maps",
        "ends its strike",
    ];
    let story = |n: usize| {
        let title = format!("{} {} after {} days", WHO[n % 6], WHAT[n / 2 % 5], n + 2);
        (title.to_lowercase().replace(' ', "-"), title)
    };
    (from..from + count).map(story).collect()
}

/// A row for each story. In `row`, `{u}` is replaced by the URL path below `base`, `{t}` by the title, and
/// `{n}` by the number.
fn rows(base: &str, stories: &[(String, String)], row: &str) -> String {
    let fill = |(n, (slug, title)): (usize, &(String, String))| {
        let number = (n + 1).to_string();
        row.replace("{u}", &format!("{base}{slug}")).replace("{t}", title).replace("{n}", &number)
    };
    stories.iter().enumerate().map(fill).collect()
}

fn paths(base: &str, stories: &[(String, String)]) -> Vec<String> {
    let ending = if base == "/" { "/index.html" } else { "" };
    stories.iter().map(|(slug, _)| format!("{base}{slug}{ending}")).collect()
}

fn page(name: &'static str, url: &'static str, body: &str, articles: Vec<String>) -> Sample {
    let markup = format!(
        "<!doctype html><html><head><title>{name}</title></head><body>{body}</body></html>"
    );
    Sample { name, url, markup, articles }
}

const MENU: &str = "<header><a href=/>The Lindenau Times</a><ul class=menu><li><a href=/news/politics>News on politics</a>\
    <li><a href=/news/economy>News on the economy</a><li><a href=/news/culture>Culture and arts</a>\
    <li><a href=/news/sport>Sport and games</a></ul></header>";
const FOOT: &str = "<footer><h4>Archive</h4><ul><li><a href=/2026/10/>October 2026</a><li><a href=/2026/09/>September 2026</a>\
    <li><a href=/2026/08/>August 2026</a><li><a href=/2026/07/>July 2026</a></ul><a href=/imprint>Imprint</a></footer>";

pub(crate) fn samples() -> Vec<Sample> {
    let mut all = two_groups();
    all.extend(beside_other_links());
    all.extend(unusual_rows());
    all
}

/// Pages on which the list consists of several groups.
fn two_groups() -> Vec<Sample> {
    let s = stories(0, 12);
    let base = "/news/";
    let (a, b) = s.split_at(6);
    let with = |name, middle: String| {
        let body = format!("{MENU}<main>{middle}</main>{FOOT}");
        page(name, "https://example.org/", &body, paths(base, &s))
    };
    vec![
        with(
            "alternating row classes",
            s.iter()
                .enumerate()
                .map(|(n, story)| {
                    let class = if n % 2 == 0 { "bright" } else { "shaded" };
                    let row = format!("<div class={class}><a class={class}-link href={{u}}>{{t}}</a><p>Some words.</p></div>");
                    rows(base, std::slice::from_ref(story), &row)
                })
                .collect(),
        ),
        with(
            "two columns",
            format!(
                "<div class=story-left>{}</div><div class=story-right>{}</div>",
                rows(base, a, "<p class=item><a href={u}>{t}</a></p>"),
                rows(base, b, "<p class=item><a href={u}>{t}</a></p>")
            ),
        ),
        with(
            "lead story apart",
            format!(
                "<section class=lead>{}</section><ul class=latest>{}</ul>",
                rows(base, &s[..1], "<a class=lead-link href={u}><h1>{t}</h1></a>"),
                rows(base, &s[1..], "<li><h3><a href={u}>{t}</a></h3><time datetime=2026-11-0{n}>then</time></li>")
            ),
        ),
        with(
            "three leads and a list",
            format!(
                "<div class=hero>{}</div><div class=stream>{}</div>",
                rows(base, &s[..3], "<div class=hero-card><h2><a href={u}>{t}</a></h2></div>"),
                rows(base, &s[3..], "<div class=stream-row><a href={u}>{t}</a><span>Some words.</span></div>")
            ),
        ),
        with(
            "three sections",
            format!(
                "<section class=local>{}</section><section class=region>{}</section><section class=world>{}</section>",
                rows(base, &s[..4], "<h3 class=local-title><a href={u}>{t}</a></h3>"),
                rows(base, &s[4..8], "<div class=region-item><a href={u}>{t}</a></div>"),
                rows(base, &s[8..], "<p class=world-line><a href={u}>{t}</a></p>")
            ),
        ),
    ]
}

/// Pages with other links that resemble a list.
fn beside_other_links() -> Vec<Sample> {
    let (s, other) = (stories(0, 10), stories(14, 4));
    let base = "/news/";
    let list =
        rows(base, &s, "<article><h2><a href={u}>{t}</a></h2><p>Some words on it.</p></article>");
    let with = |name, before: &str, after: String| {
        let body = format!("{MENU}{before}<main class=stories>{list}</main>{after}{FOOT}");
        page(name, "https://example.org/news/", &body, paths(base, &s))
    };
    let tags: String =
        (0..40).map(|n| format!("<a href=/tag/topic-{n}>Topic of the city {n}</a> ")).collect();
    let menu: String = (0..60)
        .map(|n| {
            format!(
                "<li><a href=/services/department-{n}/office>Department {n} of the city office</a>"
            )
        })
        .collect();
    vec![
        with(
            "popular posts in a sidebar",
            "",
            format!(
                "<div class=sidebar><h4>Popular</h4><ul>{}</ul></div>",
                rows(base, &other, "<li><a href={u}>{t}</a>")
            ),
        ),
        with("tag cloud", "", format!("<div class=tagcloud>{tags}</div>")),
        with("mega menu", &format!("<nav><ul class=mega>{menu}</ul></nav>"), String::new()),
        with(
            "pagination and archive",
            "",
            (2..30)
                .map(|n| format!("<a class=page href=/news/page/{n}>Page {n} of 30</a>"))
                .collect(),
        ),
        with(
            "recent comments",
            "",
            format!(
                "<div class=widget><ul>{}</ul></div>",
                rows(base, &s[..5], "<li>Ann on <a href='{u}#comment-{n}'>{t}</a>")
            ),
        ),
    ]
}

/// Pages with rows that are not just a headline in a heading.
fn unusual_rows() -> Vec<Sample> {
    let s = stories(0, 10);
    let with = |name, base: &str, list: String| {
        let body = format!("{MENU}<div class=content>{list}</div>{FOOT}");
        page(name, "https://example.org/board/", &body, paths(base, &s))
    };
    let forum = rows(
        "/board/topic/",
        &s,
        "<tr><td><a class=topictitle href={u}>{t}</a><br>by <a href=/board/user/ann-{n}>ann_{n}</a></td><td>12</td>\
         <td><a href=/board/user/bob-{n}>bob_{n}</a> <a href='{u}?p=9{n}#p9{n}'>Last post</a> 1{n} Nov 2026, 10:0{n}</td></tr>",
    );
    let cards = rows(
        "/story/",
        &s,
        "<div class=card><a href={u}><img src={n}.jpg alt=''></a><span class=tag><a href=/section/city>City</a></span>\
         <div><a href={u}>{t}</a></div><a class=more href={u}>Read more</a></div>",
    );
    let dated = rows(
        "/2026/11/",
        &s,
        "<tr><td class=day>{n} November 2026</td><td><a href={u}>{t}</a></td><td><a href='{u}.pdf'>PDF</a></td></tr>",
    );
    let definition = rows(
        "/notice/",
        &s,
        "<dt>0{n}.11.2026<dd><a href={u}>{t}</a> <a href=/office/{n}>Office {n}</a>",
    );
    let indexed = rows(
        "",
        &s,
        "<article><h2><a href='/{u}/index.html'>{t}</a></h2><a href='/{u}/index.html#talk'>{n} comments</a></article>",
    );
    let russian: Vec<(String, String)> = (1..9)
        .map(|n| {
            (format!("{n}7{n}"), format!("Городской совет обсуждает строительство моста номер {n}"))
        })
        .collect();
    let chinese: Vec<(String, String)> = (1..9)
        .map(|n| (format!("t2026110{n}_{n}"), format!("市议会讨论新桥梁建设方案第{n}次会议")))
        .collect();
    let foreign = |name, base: &str, stories: &[(String, String)], row: &str| {
        let body = format!("{MENU}<ul class=spisok>{}</ul>{FOOT}", rows(base, stories, row));
        page(name, "https://example.org/", &body, paths(base, stories))
    };
    vec![
        with("forum topics", "/board/topic/", format!("<table>{forum}</table>")),
        with("cards with picture and more links", "/story/", cards),
        with("table with dates and files", "/2026/11/", format!("<table>{dated}</table>")),
        with("folders with an index", "/", indexed),
        with("definition list", "/notice/", format!("<dl>{definition}</dl>")),
        foreign("Russian", "/news/", &russian, "<li><span>0{n}.11.2026</span> <a href={u}>{t}</a>"),
        foreign(
            "Chinese",
            "/html/",
            &chinese,
            "<li><a href={u} title='{t}'>{t}</a><i>2026-11-0{n}</i>",
        ),
    ]
}

//! Synthetic list pages. Builds differ in the order of entries, advertisements and class hashes.

pub(crate) struct Build {
    seed: u64,
    hash: &'static str,
}

impl Build {
    pub(crate) const FIRST_HASH: &'static str = "x8Kq2";

    /// The original build of the site.
    pub(crate) fn first() -> Self {
        Self { seed: 0, hash: Self::FIRST_HASH }
    }

    /// A later build with a different order and different hashes, and with advertisements.
    pub(crate) fn again(seed: u64) -> Self {
        Self { seed, hash: "Zr93v" }
    }

    /// The rows in the order of this build, with an advertisement between them.
    fn rows(&self, mut rows: Vec<String>, ad: &str) -> String {
        if self.seed > 0 {
            fastrand::Rng::with_seed(self.seed).shuffle(&mut rows);
            rows.insert(rows.len() / 2, ad.to_owned());
        }
        rows.concat()
    }
}

/// A page, and its links to articles.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) url: &'static str,
    pub(crate) markup: String,
    pub(crate) articles: Vec<String>,
}

const TITLES: [&str; 12] = [
    "Harbour bridge closes for repairs until autumn",
    "Council votes on the new tram line",
    "A quiet spring for the salt works",
    "Why the old lighthouse was never lit",
    "Library opens its reading room at night",
    "Ferry strike ends after nine days",
    "How bakers measure the weather",
    "Storm takes the roof of the market hall",
    "School garden wins a national prize",
    "The last typesetter of Mill Street",
    "Rain delays the regatta once more",
    "Museum shows maps that were wrong",
];

fn slug(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}

fn numbered() -> impl Iterator<Item = (usize, &'static str)> {
    TITLES.into_iter().enumerate()
}

fn frame(body: &str) -> String {
    format!(
        "<!doctype html><html><head><title>The Example</title></head><body>\
         <header class=site-header><a href=/>The Example</a><nav class=main-nav><ul>\
         <li><a href=/politics/>Politics</a><li><a href=/culture/>Culture and arts</a>\
         <li><a href=/sport/>Sport</a><li><a href=/weather/>Weather forecast</a></ul></nav></header>\
         {body}<footer class=site-footer><a href=/about>About The Example and its people</a>\
         <a href=/privacy>Privacy statement and cookies</a><a href=/contact>Contact</a></footer>\
         </body></html>"
    )
}

fn sample(name: &'static str, url: &'static str, body: &str, articles: Vec<String>) -> Sample {
    Sample { name, url, markup: frame(body), articles }
}

const AD: &str = "<div class=ad-slot><a href='https://ads.example/click?id=77'>Win a voyage to the far islands now</a></div>";

/// All pages of a build.
pub(crate) fn samples(build: &Build) -> Vec<Sample> {
    vec![
        front_page(build),
        blog(build),
        changelog(build),
        jobs(build),
        tables(build),
        cards(build),
        nested(build),
        paginated(build),
        japanese(build),
        undated(build),
        hashed(build),
        whole_cards(build),
        archive(build),
        queries(build),
        read_more(build),
    ]
}

fn front_page(build: &Build) -> Sample {
    let path = |n: usize, t: &str| format!("/news/2024/{:02}/{}", n % 9 + 1, slug(t));
    let row = |(n, t): (usize, &str)| {
        format!(
            "<article class='teaser'><p class=kicker><a href=/section/{}>Section</a></p>\
             <h3 class=teaser__title><a href='{}'>{t}</a></h3><p>Some words on it.</p></article>",
            n % 3,
            path(n, t)
        )
    };
    let rows = build.rows(numbered().map(row).collect(), AD);
    let read = "<aside class=most-read><h4>Most read</h4><ol><li><a href=/quiz/1>The quiz of the week</a>\
                <li><a href=/horoscope>Your horoscope for today</a><li><a href=/puzzles>Puzzles and games</a></ol></aside>";
    let body = format!("<main><section class=grid>{rows}</section></main>{read}");
    sample(
        "news front page",
        "https://example.org/",
        &body,
        numbered().map(|(n, t)| path(n, t)).collect(),
    )
}

fn blog(build: &Build) -> Sample {
    let row = |(n, t): (usize, &str)| {
        format!(
            "<div class='post-{} post type-post category-{}'><h2 class=entry-title><a href=/{}/ rel=bookmark>{t}</a></h2>\
             <div class=meta>by <a href=/author/ann>Ann Lee</a> on <time datetime=2024-03-{:02}>March {}</time></div>\
             <div class=entry><p>It began with <a href=/glossary/salt>salt</a> and a boat, as most things here do, and went on for long.</p></div>\
             <a class=more-link href='/{}/#more'>Continue reading</a> <a href='/{}/#comments'>3 comments</a>\
             <p class=tags><a href=/tag/sea>sea</a> <a href=/tag/town-life>town life</a></p></div>",
            4000 + n,
            n % 4,
            slug(t),
            n + 1,
            n + 1,
            slug(t),
            slug(t)
        )
    };
    let rows = build.rows(numbered().map(row).collect(), AD);
    let body = format!(
        "<div id=content>{rows}</div><div id=sidebar><h3>Categories</h3><ul><li><a href=/category/boats>Boats and harbours</a><li><a href=/category/food>Food and drink</a></ul></div>"
    );
    sample(
        "blog",
        "https://example.org/",
        &body,
        numbered().map(|(_, t)| format!("/{}/", slug(t))).collect(),
    )
}

fn changelog(build: &Build) -> Sample {
    let row = |n: usize| {
        format!(
            "<section class=release><h2><a href=/releases/v2.{n}>Version 2.{n}</a></h2><span class=date>2024-0{}-11</span>\
             <ul><li>Fixes <a href=/issues/{n}4>#{n}4</a><li>Faster start, see <a href=/issues/{n}5>#{n}5</a></ul></section>",
            n % 9 + 1
        )
    };
    let rows = build.rows((1..10).map(row).collect(), AD);
    let body = format!("<main class=releases>{rows}</main>");
    sample(
        "changelog",
        "https://tool.example/releases",
        &body,
        (1..10).map(|n| format!("/releases/v2.{n}")).collect(),
    )
}

fn jobs(build: &Build) -> Sample {
    const JOBS: [&str; 8] = [
        "Ship's carpenter",
        "Baker for the night",
        "Keeper of the lighthouse",
        "Teacher of mathematics",
        "Gardener, part time",
        "Driver of the milk van",
        "Clerk at the customs house",
        "Diver for repairs",
    ];
    let row = |(n, t): (usize, &str)| {
        format!(
            "<li class=job-row><a class=job-link href=/jobs/{}-{}>{t}</a><a class=company href=/companies/{n}>Harbour Works Number {n}</a>\
             <a class=place href=/places/{n}>Old Town</a><span>full time</span></li>",
            1200 + n,
            t.split(' ').next().unwrap().to_lowercase().replace(['\'', ','], "")
        )
    };
    let articles = JOBS.iter().enumerate().map(|(n, t)| {
        format!(
            "/jobs/{}-{}",
            1200 + n,
            t.split(' ').next().unwrap().to_lowercase().replace(['\'', ','], "")
        )
    });
    let rows = build.rows(
        JOBS.into_iter().enumerate().map(row).collect(),
        "<li class=promo><a href=/premium>Post your own offer here today</a></li>",
    );
    let body = format!(
        "<div class=filters><a href='/jobs?kind=full'>Full time jobs only</a><a href='/jobs?kind=part'>Part time jobs only</a></div><ul class=job-list>{rows}</ul>"
    );
    sample("job board", "https://jobs.example/jobs", &body, articles.collect())
}

fn tables(build: &Build) -> Sample {
    let row = |(n, t): (usize, &str)| {
        format!(
            "<tr><td width=20><img src=/dot.gif></td><td><font size=2>{:02}.03.2004</font></td>\
             <td><b><a href=story{n}.html>{t}</a></b><br><font size=1>by staff</font></td></tr>",
            n + 1
        )
    };
    let rows = build.rows(
        numbered().map(row).collect(),
        "<tr><td colspan=3><a href=https://ads.example/b><img src=/banner.gif></a></td></tr>",
    );
    let body = format!(
        "<table><tr><td valign=top><a href=index.html>Front page</a><br><a href=guest.html>Guest book</a><br><a href=links.html>Our favourite links</a></td>\
         <td><table border=0>{rows}</table></td></tr></table>"
    );
    sample(
        "table layout",
        "http://old.example/news/",
        &body,
        numbered().map(|(n, _)| format!("/news/story{n}.html")).collect(),
    )
}

fn cards(build: &Build) -> Sample {
    let row = |(n, t): (usize, &str)| {
        format!(
            "<div class=card><a class=card-image href=/stories/{s}><img src=/i/{n}.jpg alt=''></a>\
             <div class=card-body><a class=card-label href=/labels/{}>Long reads of the week</a>\
             <a class=card-title href=/stories/{s}>{t}</a></div></div>",
            n % 3,
            s = slug(t)
        )
    };
    let rows = build.rows(numbered().map(row).collect(), AD);
    let body = format!("<main><div class=cards>{rows}</div></main>");
    sample(
        "cards with two links",
        "https://cards.example/",
        &body,
        numbered().map(|(_, t)| format!("/stories/{}", slug(t))).collect(),
    )
}

fn nested(build: &Build) -> Sample {
    let row = |(n, t): (usize, &str)| {
        format!(
            "<article class=story><header><h2><a href=/s/{}>{t}</a></h2></header><p>Words.</p>\
             <div class=see-also><article class=mini><a href=/background/{n}>The background of it all, part {n}</a></article></div></article>",
            slug(t)
        )
    };
    let rows = build.rows(numbered().map(row).collect(), AD);
    let body = format!("<main class=stream>{rows}</main>");
    sample(
        "nested teasers",
        "https://nested.example/",
        &body,
        numbered().map(|(_, t)| format!("/s/{}", slug(t))).collect(),
    )
}

fn paginated(build: &Build) -> Sample {
    let row = |(n, t): (usize, &str)| {
        format!("<li><a href=/articles/{n}{n}7>{t}</a> <small>{} May 2024</small></li>", n + 1)
    };
    let rows = build.rows(
        numbered().map(row).collect(),
        "<li class=ad><a href=https://ads.example/x>A new kettle for every kitchen</a></li>",
    );
    let pages: String = (2..12).map(|n| format!("<a href='/articles?page={n}'>{n}</a> ")).collect();
    let body = format!(
        "<div class=listing><ul>{rows}</ul></div><div class=pages>{pages}<a class=next href='/articles?page=2'>Older articles</a></div>"
    );
    sample(
        "pagination",
        "https://pages.example/articles",
        &body,
        numbered().map(|(n, _)| format!("/articles/{n}{n}7")).collect(),
    )
}

fn japanese(build: &Build) -> Sample {
    const WORDS: [&str; 8] = [
        "港の橋が秋まで通行止め",
        "新しい路面電車の計画",
        "塩田の静かな春",
        "灯台が消えた理由",
        "夜の図書館が開く",
        "船の運休が終わる",
        "市場の屋根が飛ぶ",
        "雨で競漕が延期",
    ];
    let row = |(n, t): (usize, &str)| {
        format!(
            "<li><span class=hiduke>2024年3月{}日</span><a href='/kiji/{t}'>{t}</a></li>",
            n + 1
        )
    };
    let rows = build.rows(
        WORDS.into_iter().enumerate().map(row).collect(),
        "<li><a href=https://ads.example/>広告：新しい船を買う</a></li>",
    );
    let body = format!(
        "<div id=naka><h2>新着記事</h2><ul class=shinchaku>{rows}</ul></div><div id=yoko><ul><li><a href=/bunrui/machi>町</a><li><a href=/bunrui/umi>海</a><li><a href=/bunrui/tabe>食べもの</a></ul></div>"
    );
    sample(
        "Japanese",
        "https://ja.example/",
        &body,
        WORDS.iter().map(|t| format!("/kiji/{t}")).collect(),
    )
}

fn undated(build: &Build) -> Sample {
    let row = |(_, t): (usize, &str)| format!("<li><a href=/notes/{}>{t}</a></li>", slug(t));
    let rows = build.rows(numbered().map(row).collect(), "");
    let body = format!(
        "<main><h1>Notes</h1><p>Things I wrote, and why, are told <a href=/notes/why>elsewhere</a> at greater length than here.</p><ul>{rows}</ul></main>"
    );
    sample(
        "no dates",
        "https://notes.example/notes/",
        &body,
        numbered().map(|(_, t)| format!("/notes/{}", slug(t))).collect(),
    )
}

fn hashed(build: &Build) -> Sample {
    let h = build.hash;
    let row = |(n, t): (usize, &str)| {
        format!(
            "<div class=Card_root__{h}><h3 class=Card_title__{h}><a class=css-{h} href=/a/{}>{t}</a></h3>\
             <a class=Card_tag__{h} href=/topic/{}>Everything about topic {}</a><time datetime=2024-04-{:02}></time></div>",
            slug(t),
            n % 4,
            n % 4,
            n + 1
        )
    };
    let rows =
        build.rows(numbered().map(row).collect(), &AD.replace("ad-slot", &format!("Ad_box__{h}")));
    let body = format!("<div id=__next><div class=Layout_main__{h}>{rows}</div></div>");
    sample(
        "class hashes",
        "https://hashed.example/",
        &body,
        numbered().map(|(_, t)| format!("/a/{}", slug(t))).collect(),
    )
}

fn whole_cards(build: &Build) -> Sample {
    let row = |(n, t): (usize, &str)| {
        format!(
            "<a class=tile href=/features/{}><img src=/i/{n}.png alt=''><div><h3>{t}</h3><p>A teaser that goes on about it for a good while, so that the link holds far more text than a headline has.</p><span>{} June 2024</span></div></a>",
            slug(t),
            n + 1
        )
    };
    let rows = build.rows(
        numbered().map(row).collect(),
        "<a class=banner href=https://ads.example/><h4>Sail away</h4></a>",
    );
    let body = format!("<main><div class=tiles>{rows}</div></main>");
    sample(
        "links around cards",
        "https://tiles.example/features",
        &body,
        numbered().map(|(_, t)| format!("/features/{}", slug(t))).collect(),
    )
}

fn archive(build: &Build) -> Sample {
    const WORDS: [&str; 9] = [
        "Мост в гавани закрыт до осени",
        "Новая линия трамвая",
        "Тихая весна на солеварне",
        "Почему не горел маяк",
        "Ночной читальный зал",
        "Паромы снова ходят",
        "Пекари и погода",
        "Буря сорвала крышу рынка",
        "Музей неверных карт",
    ];
    let row = |(n, t): (usize, &str)| {
        format!("<dt>{:02}.02.2024</dt><dd><a href=/{}.html>{t}</a></dd>", n + 1, 9000 + n)
    };
    let rows: Vec<String> = WORDS.into_iter().enumerate().map(row).collect();
    let (late, early) = rows.split_at(5);
    let (late, early) =
        (build.rows(late.to_vec(), "<dt></dt><dd></dd>"), build.rows(early.to_vec(), ""));
    let body =
        format!("<div class=arhiv><h2>2024</h2><dl>{late}</dl><h2>2023</h2><dl>{early}</dl></div>");
    sample(
        "Cyrillic archive by year",
        "https://ru.example/archive",
        &body,
        (0..9).map(|n| format!("/{}.html", 9000 + n)).collect(),
    )
}

fn queries(build: &Build) -> Sample {
    let row = |(n, t): (usize, &str)| {
        format!(
            "<div class=item><span>[<a href='/index.php?cat={}'>Town</a>]</span> <a href='/index.php?id={}'>{t}</a> ({:02}/03/2011)</div>",
            n % 3,
            300 + n,
            n + 1
        )
    };
    let rows = build.rows(numbered().map(row).collect(), AD);
    let body = format!("<div id=news>{rows}</div><p><a href='/index.php?page=2'>Next page</a></p>");
    sample(
        "addresses with queries",
        "http://query.example/",
        &body,
        numbered().map(|(n, _)| format!("/index.php?id={}", 300 + n)).collect(),
    )
}

fn read_more(build: &Build) -> Sample {
    let row = |(n, t): (usize, &str)| {
        format!(
            "<div class=entry><h3>{t}</h3><p class=date>{} April 2024</p><p>Some words about it.</p><p><a class=btn href=/post/{}>Read more</a></p></div>",
            n + 1,
            slug(t)
        )
    };
    let rows = build.rows(numbered().map(row).collect(), AD);
    let body = format!("<div class=entries>{rows}</div>");
    sample(
        "nothing but read more",
        "https://more.example/",
        &body,
        numbered().map(|(_, t)| format!("/post/{}", slug(t))).collect(),
    )
}

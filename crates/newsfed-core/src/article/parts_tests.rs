//! Parts of an article in the markup of known systems, and the selection of the requested part of a page.

use super::{Document, Extraction, Guide, LinkKind, Mode, extract, from_html};
use url::Url;

fn read(markup: &str) -> Document {
    from_html(markup, Url::parse("https://e.org/a/").ok().as_ref())
}

#[track_caller]
fn shows(cases: &[(&str, &str)]) {
    for (markup, markdown) in cases {
        assert_eq!(read(markup).markdown().trim_end(), *markdown, "{markup}");
    }
}

#[test]
fn uses_the_hover_text_of_a_comic_as_caption() {
    let shown = |title: &str| {
        read(&format!("<p>A day</p><img src=/c.png alt='Two ants' title='{title}'><p>By Rosa</p>"))
            .html()
    };
    let text = shown("The door is painted on.");
    assert!(text.contains("<figcaption>The door is painted on.</figcaption>"), "{text}");
    for title in ["", "Two ants", "ants-at-a-door-2026", "Best picture of ants at doors", "Ha!"] {
        let text = shown(title);
        assert!(text.contains("/c.png") && !text.contains("figcaption"), "{title}: {text}");
    }
}

#[test]
fn reads_embedded_players_as_labelled_links() {
    shows(&[
        (
            "<iframe src='https://www.youtube.com/embed/abc-1?rel=0' title='How bees fly'></iframe>",
            "[YouTube: How bees fly](https://www.youtube.com/watch?v=abc-1)",
        ),
        (
            "<iframe data-src='//www.youtube-nocookie.com/embed/abc' title='YouTube video player'></iframe>",
            "[YouTube](https://www.youtube.com/watch?v=abc)",
        ),
        (
            "<lite-youtube videoid='abc' playlabel='Bees'></lite-youtube>",
            "[YouTube: Bees](https://www.youtube.com/watch?v=abc)",
        ),
        (
            "<iframe src='https://player.vimeo.com/video/12'></iframe>",
            "[Vimeo](https://vimeo.com/12)",
        ),
        (
            "<iframe src='https://open.spotify.com/embed/episode/1a' title='Spotify Embed: On bees'></iframe>",
            "[Spotify Embed: On bees](https://open.spotify.com/episode/1a)",
        ),
        (
            "<iframe src='https://maps.example.net/?q=1' title='Way to the club'></iframe>",
            "[maps.example.net: Way to the club](https://maps.example.net/?q=1)",
        ),
        ("a<iframe src='https://www.googletagmanager.com/ns.html' width=0></iframe>", "a"),
        ("a<iframe src='https://tpc.googlesyndication.com/x'></iframe>", "a"),
        ("a<iframe src='javascript:alert(1)'></iframe><iframe></iframe>", "a"),
    ]);
}

#[test]
fn keeps_the_language_of_code_but_not_line_numbers() {
    let expected = "```rust\nlet a = 1;\n```";
    for markup in [
        "<pre><code class='language-rust'>let a = 1;</code></pre>",
        "<pre><code class='hljs rust'>let a = 1;</code></pre>",
        "<div class='highlight highlight-source-rust'><pre>let a = 1;</pre></div>",
        "<div class='highlight'><pre><code data-lang='rust'>let a = 1;</code></pre></div>",
        "<pre class='brush: rust;'>let a = 1;</pre>",
        "<div class='language-rust highlighter-rouge'><div class='highlight'><pre><code>let a = 1;</code></pre></div></div>",
    ] {
        assert_eq!(read(markup).markdown().trim_end(), expected, "{markup}");
        let again = from_html(&crate::util::html::clean(&read(markup).html(), None), None);
        assert_eq!(again.markdown().trim_end(), expected, "{markup}");
    }
    shows(&[("<pre><code class='language-plaintext'>x</code></pre>", "```\nx\n```")]);
}

#[test]
fn finds_images_behind_placeholders_and_ignores_icons() {
    let large = "https://e.org/a/b.jpg";
    for markup in [
        "<img src='b.jpg'>",
        "<img src='data:image/gif;base64,R0' data-src='b.jpg'>",
        "<img data-srcset='s.jpg 300w, b.jpg 900w'>",
        "<img src='/blank.gif' srcset='s.jpg 1x, b.jpg 2x'>",
        "<picture><source srcset='b.jpg 800w'><img src='data:,'></picture>",
        "<img class='lazy' src='data:,'><noscript><img src='b.jpg'></noscript>",
        "<figure><noscript><img src='b.jpg'></noscript></figure>",
    ] {
        let found = read(markup);
        let urls: Vec<&str> = found.links.iter().map(|l| l.url.as_str()).collect();
        assert_eq!(urls, [large], "{markup}");
    }
    for markup in [
        "<img src='i.png' width=16 height=16>",
        "<img src='/icons/mail.svg'>",
        "<img src='a.png' class='avatar photo'>",
        "<img src='https://pixel.wp.com/g.gif?x=1'>",
        "<img src='t.gif' width=1 height=1>",
    ] {
        assert_eq!(read(&format!("<p>x {markup}</p>")).markdown().trim_end(), "x", "{markup}");
    }
    shows(&[(
        "<p>Thanks <img class='emoji' alt='🙂' src='https://s.w.org/1.svg'></p>",
        "Thanks 🙂",
    )]);
}

#[test]
fn keeps_captions_with_their_images() {
    shows(&[
        (
            "<div class='wp-caption'><img src='b.jpg'><p class='wp-caption-text'>A bee</p></div>",
            "![](https://e.org/a/b.jpg)\n\nA bee",
        ),
        (
            "<figure><figure><img src='a.jpg'><figcaption>one</figcaption></figure><figure><img src='b.jpg'></figure><figcaption>both</figcaption></figure>",
            "![](https://e.org/a/a.jpg)\n\none\n\n![](https://e.org/a/b.jpg)\n\nboth",
        ),
        (
            "<table><caption>Bees</caption><tr><td>1<td>2</table>",
            "*Bees*\n\n|  |  |\n| --- | --- |\n| 1 | 2 |",
        ),
    ]);
}

#[test]
fn reads_definition_lists_details_edits_and_formulas() {
    shows(&[
        (
            "<dl><dt>Bee<dd>An insect.<dt>Wasp<dd>Another.</dl>",
            "- **Bee**\n\n  An insect.\n\n- **Wasp**\n\n  Another.",
        ),
        ("<details><summary>Answer</summary><p>42</p></details>", "**Answer**\n\n42"),
        ("<p>It costs <del>40</del> <ins>50</ins></p>", "It costs ~~40~~ 50"),
        ("one<br><br>two<br>three<br> <br>four", "one\n\ntwo\\\nthree\n\nfour"),
        (
            "<p>So <span class='katex'><span class='katex-mathml'><math><semantics><mrow><mi>x</mi></mrow><annotation encoding='application/x-tex'>x/2</annotation></semantics></math></span><span class='katex-html' aria-hidden='true'>x2</span></span> holds</p>",
            "So x/2 holds",
        ),
        (
            "<p><math><msup><mi>a</mi><mn>2</mn></msup><mo>+</mo><mfrac><mn>1</mn><mi>b</mi></mfrac></math></p>",
            "a^2+1/b",
        ),
        (
            "<p>The hive<span class='tooltiptext'>home of bees</span> is full</p>",
            "The hive \\[home of bees\\] is full",
        ),
    ]);
}

#[test]
fn reads_audio_and_video_as_separate_links() {
    let found = read(
        "<p>a</p><video><source src='v.webm'><source src='v.mp4'></video><audio src='s.mp3'></audio>",
    );
    let media: Vec<&str> =
        found.links.iter().filter(|l| l.kind == LinkKind::Media).map(|l| l.url.as_str()).collect();
    assert_eq!(media, ["https://e.org/a/v.webm", "https://e.org/a/s.mp3"]);
    assert_eq!(found.blocks.len(), 3);
}

fn filler(n: usize) -> String {
    format!(
        "The bees of hive {n} came back early this year, and the keeper wrote down every day how \
             much honey they had brought home, what the weather was like, and who had helped."
    )
}

fn auto(page: &str, title: Option<&str>, url: &str) -> Extraction {
    let guide =
        Guide { title: title.map(str::to_owned), url: Url::parse(url).ok(), ..Guide::default() };
    extract(page, &guide, Mode::Auto, None).unwrap()
}

#[test]
fn keeps_figures_in_an_article_with_their_captions() {
    let page = format!(
        "<html><body><article><h1>Bees</h1><p>{}</p><figure><img src='https://e.org/1.jpg'><figcaption>Photo: \
         A. Keeper</figcaption></figure><p>{}</p><div class='media'><img src='https://e.org/2.jpg'><span>AFP</span></div>\
         <p>{}</p></article><aside><h3>More</h3><ul><li><figure><a href='/x'><img src='https://e.org/3.jpg'>\
         <figcaption>Another story</figcaption></a></figure></li></ul></aside></body></html>",
        filler(1),
        filler(2),
        filler(3)
    );
    let found = auto(&page, Some("Bees"), "https://e.org/bees");
    let markdown = found.document.markdown();
    assert!(markdown.contains("![](https://e.org/1.jpg)\n\nPhoto: A. Keeper"), "{markdown}");
    assert!(markdown.contains("https://e.org/2.jpg"), "{markdown}");
    assert!(!markdown.contains("https://e.org/3.jpg"), "{markdown}");
}

#[test]
fn reads_content_of_noscript_elements() {
    let posts: String = (1..5)
        .map(|n| format!("<div class='topic-body crawler-post'><span class='creator'>user{n}</span><time datetime='2026-11-0{n}'>November {n}, 2026</time><div class='post'><p>{}</p></div></div>", filler(n)))
        .collect();
    let page = format!(
        "<html><head><title>Bees</title></head><body><div id='app'>Loading</div><script>start()</script><noscript data-path='/t/bees/1'><h1>Bees</h1>{posts}</noscript></body></html>"
    );
    let found = auto(&page, None, "https://forum.e.org/t/bees/1");
    for n in 1..5 {
        assert!(found.text.contains(&format!("hive {n} ")), "{n}: {}", found.text);
    }
    assert_eq!(found.title.as_deref(), Some("Bees"));
}

/// A page with three entries, which are boxes, articles, sections below headings, or sections with anchors.
fn entries(form: usize) -> String {
    let one = |n: usize| {
        let text = filler(n);
        match form {
            0 => format!("<div class='post' id='v{n}-0'><h2>Version {n}.0</h2><p>{text}</p></div>"),
            1 => format!("<article id='v{n}-0'><h2>Version {n}.0</h2><p>{text}</p></article>"),
            2 => format!(
                "<h2 id='v{n}-0'>Version {n}.0</h2><p>{text}</p><h3>Fixed</h3><p>Hive {n} leaked.</p>"
            ),
            _ => format!(
                "<a name='v{n}-0'></a><h3>Version {n}.0</h3><p>{text}</p><ul><li>Hive {n} leaked.</li></ul>"
            ),
        }
    };
    let all: String = (1..4).rev().map(one).collect();
    format!(
        "<html><head><title>Changelog of Hive</title></head><body><main><h1>Changelog</h1>{all}</main></body></html>"
    )
}

#[test]
fn selects_one_of_several_entries_by_fragment_or_title() {
    for form in 0..4 {
        let page = entries(form);
        let only = |found: &Extraction, n: usize, by: &str| {
            for other in 1..4 {
                let there = found.text.contains(&format!("hive {other} "));
                assert_eq!(there, other == n, "form {form} by {by}: {}", found.text);
            }
        };
        for n in 1..4 {
            let url = format!("https://e.org/log#v{n}-0");
            only(&auto(&page, None, &url), n, "fragment");
            only(
                &auto(&page, Some(&format!("Hive {n}.0 is out")), &url),
                n,
                "fragment with a title",
            );
        }
        only(&auto(&page, Some("Version 2.0"), "https://e.org/log"), 2, "title");
    }
}

#[test]
fn does_not_split_an_article_into_its_sections() {
    let text: String = (1..5)
        .map(|n| format!("<section id='s{n}'><h2>Part {n}</h2><p>{}</p></section>", filler(n)))
        .collect();
    let page = format!(
        "<html><head><title>A year of bees - The Keeper</title></head><body><article><h1>A year of bees</h1>{text}</article></body></html>"
    );
    for url in ["https://e.org/year", "https://e.org/year#s2", "https://e.org/year#none"] {
        let found = auto(&page, Some("A year of bees"), url);
        for n in 1..5 {
            assert!(found.text.contains(&format!("hive {n} ")), "{url}: {}", found.text);
        }
    }
}

#[test]
fn moves_images_after_preformatted_text() {
    let found = read(
        "<pre>let a = <a href=/docs>read</a>(1);\n<img src=/1.png alt=One>  b\n<b><img src=/2.png alt=Two></b></pre><p>after</p>",
    );
    assert_eq!(found.text(), "let a = read(1);\n  b\n\nOne\n\nTwo\n\nafter");
    let images = found.links.iter().filter(|link| link.kind == LinkKind::Image);
    assert_eq!(images.count(), 2, "{:?}", found.links);
    // A code box that contains only an image is not code.
    assert_eq!(read("<pre><img src=/1.png alt=One></pre>").text(), "One");
}

#[test]
fn moves_links_around_cards_to_their_headings() {
    let card = |n: usize| {
        format!(
            "<a href=/boats/{n}><div><img src=/{n}.jpg width=300 height=200><h3>Boat {n}</h3>\
             <p>A boat for {n} people.</p></div></a>"
        )
    };
    let text = format!("<div>{}{}</div>", card(1), card(2));
    let boat = |n: usize| {
        format!(
            "![](https://e.org/{n}.jpg)\n\n### [Boat {n}](https://e.org/boats/{n})\n\nA boat for {n} people."
        )
    };
    shows(&[
        (&text, &[boat(1), boat(2)].join("\n\n")),
        ("<a href=/b><div>One</div><div>Two</div></a>", "[One](https://e.org/b)\n\nTwo"),
    ]);
}

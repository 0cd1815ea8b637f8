use super::*;
use crate::util::limits;
use proptest::prelude::*;

fn base() -> Url {
    Url::parse("https://example.com/dir/page").expect("valid")
}

#[test]
fn makes_markup_safe() {
    let cases = [
        ("plain text", "plain text"),
        ("<p>a<script>alert(1)</script>b", "<p>ab</p>"),
        ("<p onclick=x style=y class=z>a</p>", "<p>a</p>"),
        ("<a href=x>y</a>", "<a href=\"https://example.com/dir/x\">y</a>"),
        ("<a href='javascript:x'>y</a>", "<a>y</a>"),
        ("<img src='/i.png' onerror=x>", "<img src=\"https://example.com/i.png\">"),
        ("a<iframe src=x/>b<script/>c", "abc"),
        ("<iframe src=x>inside</iframe>after", "after"),
        ("<svg><g onload=x></g></svg>z", "z"),
        ("a &amp; b", "a &amp; b"),
        ("<b>x\u{1b}[31my</b>", "<b>xy</b>"),
        ("<b>x&#27;[31my</b>", "<b>xy</b>"),
        ("a > b", "a &gt; b"),
        ("<p>a<p>b<ul><li>c<li>d</ul>", "<p>a</p><p>b</p><ul><li>c</li><li>d</li></ul>"),
        ("<b><i>x</b>y</i>", "<b><i>x</i></b>y"),
        (
            "<a title='\"><img src=x onerror=y>'>z</a>",
            "<a title=\"&quot;&gt;&lt;img src=x onerror=y&gt;\">z</a>",
        ),
        ("<a href=mailto:a@b.example>m</a>", "<a href=\"mailto:a@b.example\">m</a>"),
        ("<ol start=2147483648><li value=3>x</ol>", "<ol><li value=\"3\">x</li></ol>"),
        // An anchor keeps its name only if a link points to it.
        (
            "<a href='#n'>1</a><p id=n>a<p id=m>b",
            "<a href=\"https://example.com/dir/page#n\">1</a><p id=\"n\">a</p><p>b</p>",
        ),
        ("<svg><p>lost</p></svg>kept", "kept"),
        ("<svg>an end is missing<p>kept", "an end is missing<p>kept</p>"),
        (
            "<table><tr><td>a<td>b<tr><td>c</table>",
            "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        ),
        ("<pre class='x language-rust'>a\n  b</pre>", "<pre class=\"language-rust\">a\n  b</pre>"),
        (
            "<div class='language-tsx highlighter-rouge'><div class=highlight><pre>a</pre></div></div>",
            "<div class=\"language-tsx\"><div><pre>a</pre></div></div>",
        ),
        ("<form><input value=x><button>send</button></form>", "send"),
        ("a\u{9d}b&#x9d;c&#27;d", "abcd"),
    ];
    for (input, expected) in cases {
        assert_eq!(clean(input, Some(&base())), expected, "{input:?}");
    }
    assert_eq!(clean("<a href=x>y</a>", None), "<a>y</a>");
    let jump = "<a href=\"#n\">1</a><p id=\"n\">a</p>";
    assert_eq!(clean(jump, None), jump);
}

#[test]
fn extracts_the_text_of_a_fragment() {
    let cases = [
        ("a  b\n c", "a b c"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("a<br>b", "a\nb"),
        ("日本語</b>です<br>語", "日本語です\n語"),
        ("&alpha; &NotEqualTilde; &copy=1 &ampx;", "α ≂\u{338} &copy=1 &ampx;"),
        ("x &lt;b&gt; &eacute; &#8212; &#146; &nosuch; &copy 1", "x <b> é — ’ &nosuch; © 1"),
        ("<script>if (a<b) {}</script>x<style>y</style>", "x"),
        ("<!-- <b> -->a<!-->b", "ab"),
        ("1 < 2 <b>and <a href=", "1 < 2 and <a href="),
        ("a < b and c > d", "a < b and c > d"),
        ("<a title=\">\">x</a>", "x"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
        ("&#27;[31mred", "red"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
    ];
    for (input, expected) in cases {
        assert_eq!(to_text(input), expected, "{input:?}");
    }
}

#[test]
fn detects_deep_markup() {
    let deep = [
        "<div>",
        "<b>",
        "<a><i>",
        "<div>語",
        "語<b>",
        "<ul><li>",
        "<table><tr><td>",
        "<svg><g>",
        "<font a=1>",
        "<div></b>",
        "<x-y z=\">\">",
        "<div \">",
        "<rt>",
        "<optgroup>",
        "<span><div></span>",
        "<h1><div></svg><svg>",
        "<b><b><b><b><object></b></b></b></b>",
        "<div></div/>x<span>",
    ];
    let wrong: Vec<&str> =
        deep.into_iter().filter(|unit| tree::page(&unit.repeat(2000)).is_some()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(tree::page(&format!("<svg>{}", "<td>".repeat(2000))).is_none());
    assert!(tree::page(&format!("<svg><title>{}", "<g>".repeat(2000))).is_none());
    let flat = [
        "<div><b></div>",
        "<option>",
        "<ruby>a<rt>b</ruby>",
        "<svg><g></svg>",
        "<svg><path/></svg>",
        "<p>",
        "<li>",
        "<div></div>",
        "<b>x</b>",
        "<br>",
        "<img src=x>",
        "<!-- <div> -->",
        "<script>'<div>'</script>",
        "<div><p>a</div>",
        "< div",
        "<td>",
        "<a href='<div>'></a>",
    ];
    let wrong: Vec<&str> =
        flat.into_iter().filter(|unit| tree::page(&unit.repeat(2000)).is_none()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn flattens_deep_markup() {
    let safe = clean(&format!("{}one<p>two & <", "<b>".repeat(5000)), None);
    assert!(tree::page(&safe).is_some());
    assert_eq!(to_text(&safe), "one\ntwo & <");
}

#[test]
fn puts_readings_of_characters_in_brackets() {
    for (html, want) in [
        ("この<ruby>漢字<rt>かんじ</rt></ruby>は", "この漢字(かんじ)は"),
        ("<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>", "漢(かん)字(じ)"),
        ("<ruby><rb>漢<rb>字<rt>かん<rt>じ</ruby>", "漢字(かん)(じ)"),
        ("<ruby>漢字<rp>（</rp><rt>かんじ</rt><rp>）</rp></ruby>", "漢字（かんじ）"),
        ("<ruby>漢<rp>(<rt>かん<rp>)</ruby><ruby>字<rt>じ</ruby>", "漢(かん)字(じ)"),
    ] {
        assert_eq!(to_text(html), want, "{html}");
        assert_eq!(to_text(&clean(html, None)), want, "{html}");
    }
}

#[test]
fn distinguishes_html_from_plain_text() {
    for html in ["a <b>c</b>", "a &amp; b", "x<br/>", "&#8217;"] {
        assert!(contains_markup(html), "{html}");
    }
    for plain in ["a", "a < b", "AT&T", "a & b", "if (a<3)", "&nosuch;"] {
        assert!(!contains_markup(plain), "{plain}");
    }
}

fn tree_depth(html: &scraper::Html) -> usize {
    html.tree.nodes().map(|n| n.ancestors().count()).max().unwrap_or(0)
}

fn tag_soup() -> impl Strategy<Value = String> {
    let names = "div b a i p li ul table tr td svg g title object button template select option \
                 math mi span font foreignObject desc caption h1 form nobr textarea script rt optgroup \
                 iframe ruby x-y annotation-xml tbody dd pre small noscript main";
    let name = prop::sample::select(names.split_whitespace().collect::<Vec<_>>());
    let piece = (name, 0..7usize).prop_map(|(n, how)| match how {
        0 => format!("</{n}>"),
        1 => format!("<{n} x={}>", n.len()),
        2 => format!("<{n}/>"),
        3 => format!("<{n} x=1/>"),
        _ => format!("<{n}>"),
    });
    prop::collection::vec(piece, 0..12).prop_map(|p| p.concat())
}

proptest! {
    #[test]
    fn no_tree_is_deeper_than_the_limit(unit in tag_soup()) {
        let html = unit.repeat(400);
        let small = html.len() < 2 * limits::PAGE_DEPTH;
        match tree::fragment(&html) {
            Some(tree) => prop_assert!(tree_depth(&tree) <= limits::PAGE_DEPTH, "{}", unit),
            None => prop_assert!(!small, "{}", unit),
        }
    }

    #[test]
    fn cleaning_is_stable(unit in tag_soup(), s in "\\PC{0,20}") {
        let once = clean(&format!("{unit}{s}"), None);
        prop_assert!(!once.contains("<script") && !once.contains("<svg"));
        prop_assert_eq!(to_text(&clean(&once, None)), to_text(&once));
        prop_assert!(tree::page(&once.repeat(3)).is_some());
    }
}

/// The number of attributes of each element with this name in the tree of a page.
fn attributes(markup: &str, name: &str) -> Vec<usize> {
    let tree = tree::page(markup).expect("a tree");
    let named = tree.root_element().descendent_elements().filter(|e| e.value().name() == name);
    named.map(|e| e.value().attrs().count()).collect()
}

#[test]
fn surplus_attributes_are_removed() {
    let many = |n: usize| -> String { (0..n).map(|k| format!(" a{k}=\"{k}\"")).collect() };
    let (most, filler) = (limits::TAG_ATTRIBUTES, "<p>x</p>".repeat(300));
    let cases = [
        (format!("<i{}>x</i>", many(most)), vec![most]),
        (format!("<i{}>x</i>", many(most + 1)), vec![most]),
        (format!("<i{} b>x</i><i a>y</i{}>", many(500), many(500)), vec![most, 1]),
        (format!("<i{}c=d/>", many(500)), vec![most]),
        (format!("<i{}\n>", " é".repeat(500)), vec![1]),
    ];
    for (markup, wanted) in cases {
        assert_eq!(attributes(&format!("{markup}{filler}"), "i"), wanted, "{markup}");
    }
    // A self-closing drawing stays self-closing.
    let drawings = format!("<svg{}/>", many(500)).repeat(600);
    assert!(tree::page(&drawings).is_some());
    assert!(tree::page(&drawings).is_some());
}

#[test]
fn removes_unused_scripts_and_styles() {
    let cases = [
        ("<style>a{b:c}</style>", ""),
        ("<STYLE media=print>a</STYLE>", ""),
        ("<svg><style>a</style></svg>", "a"),
        ("<script>f()</script><script type=module>g()</script>", ""),
        ("<script type='text/javascript; charset=utf-8' src=x>f()</script>", ""),
        ("<script>x = {datePublished: 1}</script>", "x = {datePublished: 1}"),
        ("<script type=application/ld+json>{}</script>", "{}"),
        ("<script type='math/tex'>x^2</script>", "x^2"),
        // The parser ends this script at the second end tag.
        ("<script><!-- <script>f()</script> --></script>", "<!-- <script>f()</script> -->"),
        ("<p>a</p><style>b<p>c", "a"),
        ("<textarea><style>a</style></textarea>", "<style>a</style>"),
    ];
    for (markup, want) in cases {
        let tree = tree::page(markup).expect("a tree");
        assert_eq!(tree.root_element().text().collect::<String>(), want, "{markup}");
    }
}

#[test]
fn surplus_classes_are_removed() {
    let classes: String = (0..5_000).map(|n| format!("c{n} ")).collect();
    for (markup, whole) in [
        (format!("<i class=\"first {classes}\" b=c>x</i>"), false),
        (format!("<i id='{}' class='first last'>x</i>", "é".repeat(9_000)), true),
        (format!("<i class=first{} CLASS=x>x</i>", "a".repeat(9_000)), false),
        ("<i class='first last'>x</i>".to_owned(), true),
    ] {
        let tree = tree::page(&format!("{markup}<p>after</p>")).expect("a tree");
        let element = tree.root_element().descendent_elements().find(|e| e.value().name() == "i");
        let element = element.unwrap().value();
        for name in ["class", "id"] {
            let len = element.attr(name).map_or(0, str::len);
            assert!(len <= limits::ELEMENT_NAMES, "{name} {len}");
        }
        assert_eq!(element.classes().any(|class| class == "last"), whole, "{:.60}", markup);
        assert!(tree::text_of(tree.root_element()).ends_with("after"), "{:.60}", markup);
    }
}

#[test]
fn trees_are_limited_in_size() {
    let most = limits::PAGE_NODES / 2;
    for unit in ["<p>", "<b></b>"] {
        assert!(tree::page(&unit.repeat(most - 10)).is_some(), "{unit}");
        assert!(tree::page(&unit.repeat(2 * most + 10)).is_none(), "{unit}");
    }
    // Each paragraph repeats the formatting elements that were open in the previous one.
    let open: String = (0..400).map(|n| format!("<font a{n}>")).collect();
    let repeated = |n: usize| format!("<p>{open}{}", "<p>x".repeat(n));
    assert!(tree::page(&repeated(100)).is_some());
    assert!(tree::page(&repeated(2000)).is_none());
    // Formatting outside paragraphs is not repeated.
    assert!(tree::page(&format!("{open}{}", "<p>x</p>".repeat(2000))).is_some());
}

#[test]
fn finds_deep_nesting_in_misleading_markup() {
    let deep = "<mrow>".repeat(2000);
    let flood: String = (0..50_000).map(|n| format!(" a{n}")).collect();
    // A quote in the name of an end tag, something that only resembles a comment, a slash that is a value,
    // and an unterminated tag.
    for markup in [
        format!("<p></p=\" t=\"{} e\" ><i title=\"{deep}\">x</i>", " b".repeat(80)),
        format!("<math><![CDATA[><!--]]>{deep}"),
        "<math>".to_owned() + &"<mrow a=b/>".repeat(2000),
        format!("<svg><title>{deep}</title></svg>"),
        format!("<math><![CDATA[><!--]]></math><p{flood}>x"),
        format!("<p>x</p{flood}>"),
        format!("<p>x<p{flood}"),
    ] {
        if let Some(tree) = tree::page(&markup) {
            assert!(tree_depth(&tree) <= limits::PAGE_DEPTH, "{:.60}", markup);
            let most = tree.tree.values().filter_map(|n| Some(n.as_element()?.attrs().count()));
            assert!(most.max() <= Some(limits::TAG_ATTRIBUTES), "{:.60}", markup);
        }
    }
    let names: String = (0..20_000).map(|n| format!("<p name{n}>x</p>")).collect();
    assert!(tree::page(&names).is_none());
}

#[test]
fn cuts_long_texts_between_characters_and_tags() {
    let count = limits::TEXT_BYTES / 2;
    let link = format!("<a href='/{}'>x</a>", "y".repeat(8000));
    for source in [
        "x".repeat(3 * count),
        "ä".repeat(2 * count),
        "<p>x".repeat(count),
        "&lt;".repeat(count),
        "&quot;&amp;".repeat(count),
        format!("<pre>{}", "a\n".repeat(3 * count)),
        "<b>x</b>".repeat(count),
        "<li><p>x</p>".repeat(count),
        "<div>".repeat(250) + &"<i>x</i>".repeat(count),
        link.repeat(200),
        format!("x{}", "<br>".repeat(count)),
        "<input type=checkbox disabled>".repeat(count),
    ] {
        let name: String = source.chars().take(20).collect();
        let safe = clean(&source, Some(&base()));
        assert!(
            (limits::TEXT_BYTES - 20_000..=limits::TEXT_BYTES).contains(&safe.len()),
            "{name}: {}",
            safe.len()
        );
        let start = safe.strip_suffix(CUT).unwrap_or_else(|| panic!("{name} is not cut"));
        assert!(clean(&safe, None) == safe, "{name}: a cut text stays as it is");
        // No reference or tag is cut in the middle, so cleaning the result changes nothing.
        assert!(clean(start, None) == start.trim_end(), "{name}");
        assert!(!to_text(start).contains(['<', '&']) || source.starts_with('&'), "{name}");
        // Checkboxes become text only in the result.
        if source.starts_with("<input") {
            continue;
        }
        let [cut, all] = [start, &source].map(to_text);
        let cut = cut.trim_end();
        assert!(all.starts_with(cut), "{name}: {} of {}", cut.len(), all.len());
    }
    assert!(!is_cut(&clean(&"x".repeat(limits::TEXT_BYTES), None)));
    let plain = paragraphs(&"<a>\n\n\"b\"\n".repeat(count));
    assert!(is_cut(&plain) && plain.len() <= limits::TEXT_BYTES);
    assert!(clean(&plain, None) == plain);
}

#[test]
fn players_become_links() {
    let film = "<p><a href=\"https://www.youtube.com/watch?v=abc-1\">YouTube: A film</a></p>";
    let video = "<p><a href=\"https://www.youtube.com/watch?v=abc-1\">YouTube</a></p>";
    for (html, expected) in [
        (
            "<p>a</p><iframe width='560' src='https://www.youtube.com/embed/abc-1' title='YouTube video player'></iframe>b",
            format!("<p>a</p>{video}b"),
        ),
        (
            "<p>a<iframe src=//www.youtube-nocookie.com/embed/abc-1?rel=0&amp;x=1 title='A film'>old</iframe>b</p>",
            format!("<p>a</p>{film}b"),
        ),
        (
            "<a href='https://e.org/'>a<iframe src='https://youtube.com/embed/abc-1'></iframe></a>",
            format!("<a href=\"https://e.org/\">a</a>{video}"),
        ),
        ("<IFRAME SRC='https://www.youtube.com/embed/abc-1'/>b", format!("{video}b")),
        ("<lite-youtube videoid=abc-1 playlabel='A film'></lite-youtube>", film.to_owned()),
        (
            "<object data='https://www.youtube.com/v/abc-1'><param name=x><embed src='https://www.youtube.com/v/abc-1'></object>",
            video.to_owned(),
        ),
        ("<object type='video/mp4' data='https://e.org/a.mp4'>no</object>", "<p><a href=\"https://e.org/a.mp4\">e.org</a></p>no".to_owned()),
        ("<embed src='https://player.vimeo.com/video/12'>", "<p><a href=\"https://vimeo.com/12\">Vimeo</a></p>".to_owned()),
        // Names are escaped, and only web URLs are used.
        (
            "<iframe src='https://vimeo.com/video/1' title='&lt;b&gt; \"x\" onload=y'></iframe>",
            "<p><a href=\"https://vimeo.com/1\">Vimeo: &lt;b&gt; &quot;x&quot; onload=y</a></p>".to_owned(),
        ),
        ("a<iframe src='javascript:alert(1)'></iframe>", "a".to_owned()),
        ("a<iframe src='https://e.org/x'></iframe>", "a".to_owned()),
        ("a<iframe src='/local'></iframe>", "a".to_owned()),
        ("a<iframe src='https://ad.doubleclick.net/x'></iframe>", "a".to_owned()),
        ("a<iframe width=1 height=1 src='https://e.org/count'></iframe>", "a".to_owned()),
        ("a<object type='image/svg+xml' data='https://e.org/a.svg'></object>", "a".to_owned()),
        (
            "<video controls><source src='https://e.org/a.mp4'></video><audio src='https://e.org/a.mp3'></audio>",
            "<video><source src=\"https://e.org/a.mp4\"></video><audio src=\"https://e.org/a.mp3\"></audio>".to_owned(),
        ),
    ] {
        let safe = clean(html, None);
        assert_eq!(safe, expected, "{html}");
        assert_eq!(clean(&safe, None), safe, "{html}");
    }
    // A link that does not fit is left out entirely.
    let many = "<iframe src='https://vimeo.com/video/1'></iframe><iframe src='https://vimeo.com/video/2'></iframe>";
    let long = clean(&many.repeat(limits::TEXT_BYTES / 60), None);
    assert!(long.len() <= limits::TEXT_BYTES, "{}", long.len());
    assert_eq!(long.matches("<p><a ").count(), long.matches("</a></p>").count());
}

#[test]
fn also_cleans_like_earlier_versions() {
    let player = "<p>A talk:</p><iframe src='https://www.youtube.com/embed/dQw4w9WgXcQ'></iframe>";
    let formula = "x <script type='math/tex'>y^2</script>";
    let picture = format!("a<img src='data:image/jpeg;base64,{}'>", "/9j/".repeat(200));
    for (markup, former) in [
        (player, Some("<p>A talk:</p>")),
        (formula, Some("x")),
        (&picture, Some("a<img>")),
        ("<iframe src='https://www.youtube.com/embed/dQw4w9WgXcQ'></iframe>", Some("")),
        ("<p>A <b>text</b></p><script>x</script>", None),
        ("A text", None),
    ] {
        let (now, before) = clean_with_former(markup, None);
        assert_eq!(now, clean(markup, None));
        assert_eq!(before.as_deref(), former, "{markup}: {now}");
    }
}

#[test]
fn decodes_named_references_when_building_a_tree() {
    let cases = [
        ("a&amp;b &lt;p&gt; &quot;c&quot;&nbsp;d", "a&b <p> \"c\"\u{a0}d"),
        // The result of a reference is not decoded again.
        ("&amp;lt; &amp;amp;amp; &amp;#38;", "&lt; &amp;amp; &#38;"),
        // References without a semicolon, unknown references, and longer names with the same prefix.
        ("&amp &ampx; &ltx; &nbsp&amp", "& &x; <x; \u{a0}&"),
        ("<textarea>&amp;<p></textarea>&amp;", "&<p>&"),
        ("<xmp>&amp;</xmp>&amp;<iframe>&lt;</iframe>", "&amp;&&lt;"),
        ("<script type=a>&amp;&lt;</script>&lt;", "&amp;&lt;<"),
        ("<!-- &amp; -->&lt;<svg><title>&amp;</title><![CDATA[&amp;]]></svg>", "<&&amp;"),
        ("<plaintext>&amp;", "&amp;"),
        ("&amp;", "&"),
    ];
    for (markup, want) in cases {
        let tree = tree::fragment(markup).expect("a tree");
        assert_eq!(tree.root_element().text().collect::<String>(), want, "{markup}");
    }
    let links = [
        ("<a href=?a&amp;b=&quot;c>", "?a&b=\"c"),
        ("<a href='?a&lt=b&amp;lt=c&amp=d&amp;'>", "?a&lt=b&lt=c&amp=d&"),
        ("<a class='&amp; &amp;' href=\"&nbsp;&gt;\" x>", "\u{a0}>"),
    ];
    for (markup, want) in links {
        let tree = tree::fragment(markup).expect("a tree");
        let hrefs = tree.root_element().descendent_elements().filter_map(|e| e.attr("href"));
        assert_eq!(hrefs.collect::<Vec<_>>(), [want], "{markup}");
    }
}

// The end of a drawing, a formula or a script with a comment is not always detected before parsing, so this
// markup contains none of them.
fn reference_soup() -> impl Strategy<Value = String> {
    let pieces = "&amp; &nbsp; &quot; &lt; &gt; &amp &lt &ampx; & amp; ; < > ' \" = / <a_href= <a_x='1'href=\" <p> \
                  <b_class='&amp; <textarea> </textarea> <title> </title> <xmp> </xmp> <script_type=a> \
                  </script> <select> <template> <table> <td>";
    let pieces = pieces.split_whitespace().map(|piece| piece.replace('_', " "));
    let pieces = prop::sample::select(pieces.collect::<Vec<_>>());
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn decoding_references_does_not_change_the_tree(markup in reference_soup()) {
        let all = |html: &scraper::Html| {
            let nodes = html.tree.root().descendants().map(|node| match node.value() {
                scraper::Node::Text(text) => text.to_string(),
                scraper::Node::Element(element) => format!("{:?}", element.attrs().collect::<Vec<_>>()),
                _ => String::new(),
            });
            nodes.collect::<Vec<_>>()
        };
        // An unterminated tag at the end is not part of a tree.
        let markup = markup + "'\">";
        let tree = tree::page(&markup).expect("a tree");
        prop_assert_eq!(all(&tree), all(&scraper::Html::parse_document(&markup)));
    }
}

use super::*;
use crate::util::limits;
use proptest::prelude::*;

fn base() -> Url {
    Url::parse("https://example.com/dir/page").expect("valid")
}

#[test]
fn allowed_elements_are_sorted() {
    assert!(safe::KEPT.is_sorted());
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
        // An anchor keeps its name if a link points to it.
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
        "<div><b></div>",
        "<x-y z=\">\">",
        "<div \">",
        "<rt>",
        "<optgroup>",
        "<span><div></span>",
        "<h1><div></svg><svg>",
        "<b><b><b><b><object></b></b></b></b>",
        "<div></div/>x<span>",
    ];
    for unit in deep {
        assert!(gate(&unit.repeat(2000), limits::PAGE_DEPTH).is_none(), "{unit}");
    }
    assert!(gate(&format!("<svg>{}", "<td>".repeat(2000)), limits::PAGE_DEPTH).is_none());
    assert!(gate(&format!("<svg><title>{}", "<g>".repeat(2000)), limits::PAGE_DEPTH).is_none());
    let flat = [
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
    for unit in flat {
        assert!(gate(&unit.repeat(2000), limits::PAGE_DEPTH).is_some(), "{unit}");
    }
}

#[test]
fn flattens_deep_markup() {
    let safe = clean(&format!("{}one<p>two & <", "<b>".repeat(5000)), None);
    assert!(gate(&safe, limits::PAGE_DEPTH).is_some());
    assert_eq!(to_text(&safe), "one\ntwo & <");
}

#[test]
fn tells_html_from_plain_text() {
    for html in ["a <b>c</b>", "a &amp; b", "x<br/>", "&#8217;"] {
        assert!(contains_markup(html), "{html}");
    }
    for plain in ["a", "a < b", "AT&T", "a & b", "if (a<3)", "&nosuch;"] {
        assert!(!contains_markup(plain), "{plain}");
    }
}

/// The depth of the tree that the HTML parser builds.
fn tree_depth(html: &str) -> usize {
    let tree = scraper::Html::parse_fragment(html);
    tree.tree
        .nodes()
        .filter(|n| n.value().is_element())
        .map(|n| n.ancestors().count())
        .max()
        .unwrap_or(0)
}

fn tag_soup() -> impl Strategy<Value = String> {
    let names = "div b a i p li ul table tr td svg g title object button template select option \
                 math mi span font foreignObject desc caption h1 form nobr textarea script rt optgroup \
                 iframe ruby x-y annotation-xml tbody dd pre small noscript main";
    let name = prop::sample::select(names.split_whitespace().collect::<Vec<_>>());
    let piece = (name, 0..6usize).prop_map(|(n, how)| match how {
        0 => format!("</{n}>"),
        1 => format!("<{n} x={}>", n.len()),
        2 => format!("<{n}/>"),
        _ => format!("<{n}>"),
    });
    prop::collection::vec(piece, 0..12).prop_map(|p| p.concat())
}

proptest! {
    #[test]
    fn never_underestimates_depth(unit in tag_soup()) {
        let html = unit.repeat(40);
        let real = tree_depth(&html);
        // The parser adds a root, and may insert a table body, row and cell in each template.
        let bound = (real / 6).saturating_sub(6);
        let padded = format!("{html}{}", " ".repeat(bound * 3));
        prop_assert!(bound == 0 || gate(&padded, bound).is_none(), "{} levels: {}", real, unit);
    }

    #[test]
    fn cleaning_is_stable(unit in tag_soup(), s in "\\PC{0,20}") {
        let once = clean(&format!("{unit}{s}"), None);
        prop_assert!(!once.contains("<script") && !once.contains("<svg"));
        prop_assert_eq!(to_text(&clean(&once, None)), to_text(&once));
        prop_assert!(gate(&once.repeat(3), limits::PAGE_DEPTH).is_some());
    }
}

/// The attributes of all elements with a name, in the tree of a source.
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
    // A drawing that closes itself still does.
    let drawings = format!("<svg{}/>", many(500)).repeat(600);
    assert!(gate(&drawings, limits::PAGE_DEPTH).is_some());
    assert!(tree::page(&drawings).is_some());
}

#[test]
fn trees_are_limited_in_size() {
    let most = limits::PAGE_ELEMENTS;
    for unit in ["<br>", "<!---->", "<p>x", "<b>x</b>"] {
        assert!(gate(&unit.repeat(most - 10), limits::PAGE_DEPTH).is_some(), "{unit}");
        assert!(gate(&unit.repeat(most + 10), limits::PAGE_DEPTH).is_none(), "{unit}");
    }
    // Each paragraph repeats all formatting elements that are open.
    let open: String = (0..400).map(|n| format!("<font a{n}>")).collect();
    assert!(gate(&(open + &"<p>x</p>".repeat(most / 100)), limits::PAGE_DEPTH).is_none());
}

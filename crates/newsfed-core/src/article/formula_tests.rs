//! Formulas and embedded images, from pages and from feeds.

use super::{Block, Document, Guide, Mode, extract, from_html, plain};
use crate::util::html::clean;

fn markdown(html: &str) -> String {
    let read = |html: &str| from_html(html, None).markdown().trim_end().to_owned();
    let found = read(html);
    // The document after storing and reading it.
    let stored = clean(&from_html(html, None).html(), None);
    assert_eq!(read(&stored), found, "{html}");
    found
}

#[test]
fn reads_delimited_formulas_in_one_piece() {
    for (html, expected) in [
        ("<p>So \\(a_1 + b_2\\) holds</p>", "So a₁ + b₂ holds"),
        ("<p>So \\(a_{qr}\\) holds</p>", "So a\\_(qr) holds"),
        ("<p>So \\(\\unknown{q}\\) holds</p>", "So `\\unknown{q}` holds"),
        ("<p>Let \\(n\\) be odd</p>", "Let n be odd"),
        ("<p>So $$\\frac{a}{b}$$ holds</p>", "So a/b holds"),
        (
            "<p>So $$\\sum_{i=1}^n \\frac{T p(T)}{\\int_0^\\infty q(T) dT}$$ holds</p>",
            "So\n\n```math\n\\sum_{i=1}^n \\frac{T p(T)}{\\int_0^\\infty q(T) dT}\n```\n\nholds",
        ),
        (
            "<p>So $$\\unknown{i=1}^n \\frac{T p(T)}{\\int_0^\\infty q(T) dT}$$ holds</p>",
            "So\n\n```math\n\\unknown{i=1}^n \\frac{T p(T)}{\\int_0^\\infty q(T) dT}\n```\n\nholds",
        ),
        ("<p>So \\[\\frac{a}{b}\\] holds</p>", "So\n\n```math\n\\frac{a}{b}\n```\n\nholds"),
        // In the source, the formula is on its own line.
        ("<p>So\n$$\n\\frac{a}{b}\n$$\nholds</p>", "So\n\n```math\n\\frac{a}{b}\n```\n\nholds"),
        ("<p>So\n$$\\frac{a}{b}$$ holds</p>", "So a/b holds"),
        ("<p>So<br>\n $$\\frac{a}{b}$$ <br>holds</p>", "So\n\n```math\n\\frac{a}{b}\n```\n\nholds"),
        (
            "<ul><li>首先待加密的消息 $$m$$ 满足 $$0 &lt;= m\n&lt; n$$</li><li>令$$c$$是，$$x^2$$。</li></ul>",
            "- 首先待加密的消息 m 满足 0 \\<= m \\< n\n- 令c是，x²。",
        ),
        ("<p>若 $$x^2$$，函数 $$L(x)$$，且 $$price$$。</p>", "若 x²，函数 L(x)，且 $$price$$。"),
        ("<p>函数 $$L(x)$$。</p>", "函数 $$L(x)$$。"),
        ("<p>价格$$元$$，US$$5 and A$$6</p>", "价格$$元$$，US$$5 and A$$6"),
        (
            "<table><tr><td>a<td>b<tr><td>若 $$n$$ 大<td>$$x_1$$</table>",
            "|  |  |\n| --- | --- |\n| a | b |\n| 若 n 大 | x₁ |",
        ),
        ("<p>\\[ E = mc^2 \\]</p>", "```math\nE = mc^2\n```"),
        (
            "<p>$$<br>\na &amp;= b \\\\<br>\nc &amp;= d<br>\n$$</p>",
            "```math\na &= b \\\\\nc &= d\n```",
        ),
        ("<p>$$a<em>1 + b</em>2$$</p>", "```math\na_1 + b_2\n```"),
        ("<p>mean $\\tau = 10$: $x^2$, $\\overline{b}$.</p>", "mean τ = 10: x², b̄."),
        (
            "<p>With $N$ and $p(T)$, $2N$ in $5 to $6.</p><p>Then $\\tau = 1$.</p>",
            "With N and p(T), 2N in $5 to $6.\n\nThen τ = 1.",
        ),
        (
            "<p>With $$\\alpha$$ from $$0$$ to $$1$$, or $$-0.5$$.</p><p>US$$5, A$$6, $$7 and $$8.</p>",
            "With α from 0 to 1, or -0.5.\n\nUS$$5, A$$6, $$7 and $$8.",
        ),
        ("<p>$$x$$</p>", "```math\nx\n```"),
        ("<h2>On \\(x^2\\)</h2>", "## On x²"),
        ("<p><b>Theorem</b> \\(x^2\\) &lt; \\(y^2\\).</p>", "**Theorem** x² \\< y²."),
    ] {
        assert_eq!(markdown(html), expected, "{html}");
    }
}

#[test]
fn keeps_prices_brackets_and_code_unchanged() {
    for text in [
        "It costs $5 and $6.",
        "cheap ($$), dear ($$$) and very dear ($$$$)",
        "from $$ to $$$",
        "I paid $$ = a lot, and $$ more",
        "US$$5 and A$$6",
        "a $$ alone",
        "$$5$$",
        "from $$1$$ to $$2$$",
        "see \\[1\\] and \\[citation needed\\]",
        "the pattern \\(word\\) matches",
        "open \\( only",
        "$x$ and $y$",
        "from $5^ to $6^ and $7",
        "in $HOME\\bin:$PATH or $5 (C:\\temp) to $6",
        "set $HOME\\bin:$PATH, then $A$ and $x$",
        "a $ \\tau$ b",
        "a $\\tau $ b",
    ] {
        let document = from_html(&format!("<p>{text}</p>"), None);
        let [Block::Paragraph(inline)] = document.blocks.as_slice() else { panic!("{document:?}") };
        assert_eq!(plain(inline), text);
        assert_eq!(inline.len(), 1, "{text}");
    }
    let code = from_html("<p>Run <code>kill $$; x^2 $$</code></p><pre>echo \\(x^2\\)</pre>", None);
    assert_eq!(code.text().trim(), "Run kill $$; x^2 $$\n\necho \\(x^2\\)");
}

#[test]
fn ignores_urls_as_image_descriptions() {
    for (alt, shown) in [
        ("https://e.org/a.png", ""),
        ("A map", "A map"),
        ("See https://e.org/", "See https://e.org/"),
    ] {
        let document = from_html(&format!("<img src='https://e.org/a.png' alt='{alt}'>"), None);
        let [Block::Figure(images, _)] = document.blocks.as_slice() else { panic!("{document:?}") };
        assert_eq!(images.as_slice(), [super::Inline::Image(shown.to_owned(), 0)]);
    }
}

#[test]
fn reads_output_of_formula_renderers_once() {
    let katex = "<span class=katex-display><span class=katex><span class=katex-mathml><math><semantics><mrow><mi>x</mi></mrow>\
        <annotation encoding='application/x-tex'>x^2</annotation></semantics></math></span><span class=katex-html aria-hidden=true>x2</span></span></span>";
    let mathjax = |kind: &str, class: &str| {
        format!(
            "<span class=MathJax_Preview>x2</span><span class={class}><nobr>x2</nobr><span class=MJX_Assistive_MathML><math><mi>x</mi></math></span></span>\
             <script type='{kind}' id=MathJax-Element-1>x^2</script>"
        )
    };
    for (html, expected) in [
        (format!("<p>a {katex} b</p>"), "a\n\n```math\nx^2\n```\n\nb"),
        (format!("<p>a {} b</p>", mathjax("math/tex", "MathJax")), "a x² b"),
        (mathjax("math/tex; mode=display", "MathJax_Display"), "```math\nx^2\n```"),
        ("<p>a <script type='math/tex'>x^2</script> b</p>".to_owned(), "a x² b"),
        ("<p>a <math alttext='{\\displaystyle x^{2}}'><mi>x</mi></math></p>".to_owned(), "a x²"),
        ("<p>a<script>let x = 1;</script></p>".to_owned(), "a"),
    ] {
        assert_eq!(markdown(&html), expected, "{html}");
    }
}

fn page(inside: &str) -> Document {
    let text = "The bees of the hive came back early this year, and the keeper wrote down every day how \
        much honey they had brought home, what the weather was like, and who had helped.";
    let page = format!(
        "<html><body><article><h1>Bees</h1><p>{text}</p>{inside}<p>{text}</p><p>{text}</p></article></body></html>"
    );
    let guide = Guide { title: Some("Bees".to_owned()), ..Guide::default() };
    extract(&page, &guide, Mode::Auto, None).unwrap().document
}

#[test]
fn keeps_formulas_and_images_in_the_article() {
    let data = format!("data:image/jpeg;base64,{}", "/9j/".repeat(200));
    for (inside, expected) in [
        (
            "<p><script type='math/tex; mode=display'>x^2</script></p>".to_owned(),
            "```math\nx^2\n```",
        ),
        ("<p>$$x^2$$</p>".to_owned(), "```math\nx^2\n```"),
        (format!("<p><img src='{data}' alt='A map'></p>"), "![A map]()"),
        (
            format!(
                "<figure><img src='{data}' alt='A map'><figcaption>The way home</figcaption></figure>"
            ),
            "![A map]()\n\nThe way home",
        ),
    ] {
        let document = page(&inside);
        let markdown = document.markdown();
        assert!(markdown.contains(&format!("\n\n{expected}\n\n")), "{inside}: {markdown}");
        let stored = clean(&document.html(), None);
        assert!(!stored.contains("base64"), "{stored}");
        assert_eq!(from_html(&stored, None).markdown(), markdown);
    }
}

#[test]
fn keeps_names_of_embedded_images() {
    let data = format!("data:image/jpeg;base64,{}", "/9j/".repeat(200));
    let stored = clean(&format!("<p>a</p><img alt='A map' src='{data}'><p>b</p>"), None);
    let document = from_html(&stored, None);
    assert_eq!(document.markdown().trim_end(), "a\n\n![A map]()\n\nb");
    assert!(document.links.is_empty(), "{:?}", document.links);
    // The image has the same hash in a feed and in a page, and keeps it when stored.
    let page = from_html(&format!("<p>a</p><img src='{data}'><p>b <img src=\"{data}\"></p>"), None);
    assert_eq!(page.embedded, [crate::util::html::marker(&data)]);
    assert_eq!(page.embedded, document.embedded);
    assert_eq!(from_html(&clean(&page.html(), None), None).embedded, page.embedded);
    assert_eq!(page.marker(super::EMBEDDED), Some(page.embedded[0].as_str()));
    assert!(page.marker(super::NOWHERE).is_none() && page.marker(0).is_none());
    // A lazily loaded image takes precedence.
    let lazy = from_html(&format!("<img src='{data}' data-src='https://e.org/a.png'>"), None);
    assert_eq!(lazy.links[0].url, "https://e.org/a.png");
    let blank = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
    for icon in [
        format!("<img alt=x src='{blank}'>"),
        format!("<img alt=x width=16 height=16 src='{data}'>"),
    ] {
        assert_eq!(from_html(&format!("<p>a {icon}</p>"), None).text().trim(), "a", "{icon}");
    }
}

#[test]
fn searches_many_formula_delimiters_in_linear_time() {
    let text = |html: &str| from_html(html, None).text();
    let formulas = "\\(x\\) ".repeat(100_000);
    assert_eq!(text(&format!("<p>{formulas}</p>")), "x ".repeat(100_000).trim());
    for open in ["\\( a ", "\\[ a ", "$$ a b "] {
        let html = format!("<p>{}</p>", open.repeat(100_000));
        assert!(text(&html).starts_with(open.trim()), "{open}");
    }
}

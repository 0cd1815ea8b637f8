//! The contents of drawings are removed from the trees of articles, and nothing else changes.

use super::tree;
use crate::util::limits;
use proptest::prelude::*;

#[test]
fn removes_the_contents_of_drawings() {
    let cases = [
        ("<svg><path d=m/><g><title>a</title></g></svg>b", "b"),
        ("<SVG viewBox=x><linearGradient/><text>a</text></SVG>b", "b"),
        ("<svg/>a<svg><path/></svg>b", "ab"),
        // Links in drawings are kept, and so is everything that the parser does not treat as part of a
        // drawing.
        ("<svg><a>a</a></svg>", "a"),
        ("<svg><path><p>a</p></svg>", "a"),
        ("<svg><title><path>a</svg>b", "ab"),
        ("<svg><![CDATA[a]]></svg>", "a"),
        ("<svg><svg><path></svg>a</svg>", "a"),
        ("<svg><path>a", "a"),
        ("<plaintext><svg><text>a</text></svg>", "<svg><text>a</text></svg>"),
    ];
    for (markup, want) in cases {
        let markup = format!("<body>{markup}");
        let tree = tree::article(&markup).expect("a tree");
        assert_eq!(tree.root_element().text().collect::<String>(), want, "{markup}");
    }
    // Selectors may name elements in a drawing, and text in a drawing prevents a frameset from replacing the
    // body.
    for tree in [
        tree::page("<body><svg><title>a</title></svg>"),
        tree::article("<svg><title>a</title></svg><frameset></frameset>"),
    ] {
        assert_eq!(tree.expect("a tree").root_element().text().collect::<String>(), "a");
    }
    let nested = format!("<body><svg>{}</svg>", "<g>".repeat(limits::PAGE_DEPTH + 9));
    assert!(tree::article(&nested).is_none());
    let long = format!("<body><svg>{}</svg>", "<path/>".repeat(limits::PAGE_NODES));
    assert!(tree::article(&long).is_none());
}

/// Names and texts in tree order, without the contents of drawings.
fn outline(html: &scraper::Html) -> String {
    let in_drawing = |node: &ego_tree::NodeRef<'_, scraper::Node>| {
        node.ancestors().any(|a| a.value().as_element().is_some_and(|e| e.name() == "svg"))
    };
    let nodes = html.tree.root().descendants().filter(|node| !in_drawing(node));
    let lines = nodes.map(|node| match node.value() {
        scraper::Node::Text(text) => format!("{} {}\n", node.ancestors().count(), &**text),
        scraper::Node::Element(element) => {
            format!("{} <{}>\n", node.ancestors().count(), element.name())
        }
        _ => String::new(),
    });
    lines.collect()
}

fn drawing_soup() -> impl Strategy<Value = String> {
    let names = "svg svg svg svg SVG path g title desc text foreignObject p a table td math mtext title \
                 body frameset select option template textarea xmp plaintext";
    let name = prop::sample::select(names.split_whitespace().collect::<Vec<_>>());
    let piece = (name, 0..8usize).prop_map(|(name, how)| match how {
        0 | 1 => format!("</{name}>"),
        2 => format!("<{name} x=1/>"),
        3 => format!("<{name}/>"),
        4 => format!("t<{name}>"),
        5 => format!("<!-- {name} --><{name}>"),
        _ => format!("<{name}>"),
    });
    let cdata = (0..9usize).prop_map(|how| if how == 0 { "<![CDATA[<svg>]]>" } else { "" });
    let pieces = prop::collection::vec((piece, cdata).prop_map(|(a, b)| a + b), 0..16);
    (prop::bool::ANY, pieces)
        .prop_map(|(body, p)| if body { "<body>" } else { "" }.to_owned() + &p.concat())
}

proptest! {
    #[test]
    fn keeps_everything_outside_drawings(soup in drawing_soup()) {
        let tree = tree::article(&soup).expect("a tree");
        prop_assert_eq!(outline(&tree), outline(&scraper::Html::parse_document(&soup)));
    }
}

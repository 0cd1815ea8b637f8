//! Other articles that follow the article: boxes with such a name, and everything below such a heading.

use super::blocks::{Element, Page, is_heading};
use super::words::words;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Minimum number of selected words before such a box.
const BEFORE: usize = 100;
/// Maximum number of words of a name. Longer ones are headings turned into names.
const NAME_WORDS: usize = 4;
/// Maximum number of words of a heading.
const HEADING_WORDS: usize = 12;

/// Headings above other articles.
const HEADINGS: [&str; 57] = [
    "related articles",
    "related posts",
    "related stories",
    "related content",
    "related news",
    "recommended for you",
    "recommended articles",
    "you may also like",
    "you might also like",
    "more articles you might enjoy",
    "read next",
    "ähnliche artikel",
    "ähnliche beiträge",
    "verwandte artikel",
    "weitere artikel",
    "das könnte sie auch interessieren",
    "das könnte dich auch interessieren",
    "lesen sie auch",
    "articles similaires",
    "articles liés",
    "à lire aussi",
    "lire aussi",
    "sur le même sujet",
    "vous aimerez aussi",
    "artículos relacionados",
    "noticias relacionadas",
    "te puede interesar",
    "también te puede interesar",
    "artigos relacionados",
    "notícias relacionadas",
    "posts relacionados",
    "leia também",
    "veja também",
    "você pode gostar",
    "você também pode gostar",
    "articoli correlati",
    "leggi anche",
    "potrebbe interessarti anche",
    "gerelateerde artikelen",
    "lees ook",
    "læs også",
    "les også",
    "läs också",
    "läs även",
    "lue myös",
    "powiązane artykuły",
    "czytaj także",
    "czytaj też",
    "související články",
    "похожие статьи",
    "читайте также",
    "читайте також",
    "σχετικά άρθρα",
    "関連記事",
    "相关文章",
    "相關文章",
    "관련 기사",
];

/// Removes other articles that follow the article.
pub(super) fn drop_related(page: &Page<'_>, taken: &mut [bool], is_documentation: bool) {
    let mut sums = vec![0];
    for (block, taken) in page.blocks.iter().zip(taken.iter()) {
        sums.push(sums.last().copied().unwrap_or(0) + if *taken { block.words } else { 0 });
    }
    for element in page.elements.iter().skip(1) {
        let start = element.blocks.start;
        if element.blocks.is_empty() || sums[start] < BEFORE {
            continue;
        }
        if is_named(element) {
            taken[element.blocks.clone()].fill(false);
        } else if !is_documentation
            && matches!(element.name(), "h2" | "h3" | "h4" | "h5" | "h6")
            && page.blocks[start].words <= HEADING_WORDS
            && is_above_others(page.text(start))
        {
            taken[below(page, element)].fill(false);
        }
    }
}

fn is_named(element: &Element<'_>) -> bool {
    let is_name = |name: &str| {
        let mut words = name.split(['-', '_']);
        name.len() < 100
            && words.clone().count() <= NAME_WORDS
            && words.any(|w| matches!(w, "related" | "relatedposts" | "relatedarticles"))
    };
    let is = |attribute: &str| {
        let names = element.node.attr(attribute).filter(|names| names.contains("related"));
        names.is_some_and(|names| names.split_ascii_whitespace().any(is_name))
    };
    !is_heading(element.name()) && (is("class") || is("id"))
}

fn is_above_others(heading: &str) -> bool {
    // Without spaces, because in some scripts each character is a word.
    let folded = |text: &str| words(text).collect::<String>().to_lowercase();
    static FOLDED: LazyLock<HashSet<String>> = LazyLock::new(|| {
        HEADINGS.iter().map(|h| words(h).collect::<String>().to_lowercase()).collect()
    });
    FOLDED.contains(&folded(heading))
}

/// From a heading to the end of the box that it is in, or to a higher heading.
fn below(page: &Page<'_>, heading: &Element<'_>) -> Range<usize> {
    let start = heading.blocks.start;
    let end = page.elements[heading.parent].blocks.end;
    let is_higher = |at: &usize| {
        let own = &page.elements[page.blocks[*at].element];
        own.parent == heading.parent && is_heading(own.name()) && own.name() <= heading.name()
    };
    start..(start + 1..end).find(is_higher).unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::super::{Guide, Mode, extract};

    fn shown(markup: &str) -> String {
        let markup = format!("<html><body>{markup}</body></html>");
        extract(&markup, &Guide::default(), Mode::Auto, None).unwrap().text
    }

    fn text(name: &str, paragraphs: usize) -> String {
        let one = |n: usize| {
            format!(
                "<p>The {name} number {n} grows slowly, as its wood is dense, and foresters who planted it, often long ago, rarely live to see it felled, or so the keepers of the old forest say.</p>"
            )
        };
        (0..paragraphs).map(one).collect()
    }

    #[test]
    fn other_articles_in_full_are_not_part_of_the_article() {
        let others: String =
            ["beech", "maple"].map(|t| format!("<div class=card><h3>On the {t}</h3><div class='w-richtext prose'>{}</div></div>", text(t, 8))).concat();
        let article =
            format!("<h1>On the oak</h1><div class='w-richtext prose'>{}</div>", text("oak", 6));
        for after in [
            format!("<section class=resource-related><div>{others}</div></section>"),
            format!("<div id=related><div>{others}</div></div>"),
            format!("<div><h2>Você pode gostar...</h2>{others}</div>"),
            format!("<div><h2>関連記事</h2>{others}</div>"),
        ] {
            let text = shown(&format!("<main>{article}{after}</main>"));
            assert!(text.contains("oak number 5") && !text.contains("maple"), "{after}: {text}");
        }
    }

    #[test]
    fn sections_of_the_article_stay() {
        let more = format!("<h2>Its enemies</h2>{}", text("mistletoe", 3));
        for inner in [
            format!("<h3>Related articles</h3><ul><li>Beech<li>Maple</ul>{more}"),
            format!("<h2 id=be-careful-with-what-is-related>Be careful</h2>{more}"),
            format!("<section id=be-careful-with-related-name>{more}</section>"),
        ] {
            let text =
                shown(&format!("<article><h1>On the oak</h1>{}{inner}</article>", text("oak", 6)));
            assert!(text.contains("mistletoe number 2"), "{inner}: {text}");
        }
    }
}

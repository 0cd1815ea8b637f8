//! Other articles after the article: boxes with the name of a list of related articles, and everything below
//! a heading for them.

use super::blocks::{Block, Element, Page, is_heading};
use super::words::words;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Minimum number of selected words before the related articles.
const BEFORE: usize = 100;
/// Minimum number of words in a paragraph.
const PROSE_WORDS: usize = 15;
/// Maximum number of words in a class name or id. Longer ones are headings converted to names.
const NAME_WORDS: usize = 4;
/// Maximum number of words in a heading.
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
    // Removed parts are not searched again, so that each block is searched once.
    let mut removed = 0;
    for element in page.elements.iter().skip(1) {
        let start = element.blocks.start;
        if element.blocks.is_empty() || sums[start] < BEFORE || start < removed {
            continue;
        }
        if is_named(element) {
            if !is_section(page, element) {
                taken[element.blocks.clone()].fill(false);
                removed = element.blocks.end;
            }
        } else if !is_documentation
            && matches!(element.name(), "h2" | "h3" | "h4" | "h5" | "h6")
            && page.blocks[start].words <= HEADING_WORDS
            && is_above_others(page.text(start))
        {
            let below = below(page, element);
            removed = below.end;
            taken[below].fill(false);
        }
    }
}

/// Whether a box is a section of the article with a name such as "Related work": paragraphs below at most one
/// heading, not a list of other articles.
fn is_section(page: &Page<'_>, element: &Element<'_>) -> bool {
    let (mut headings, mut words, mut prose) = (0, 0, 0);
    for at in element.blocks.clone() {
        let block = &page.blocks[at];
        words += block.words;
        if page.around(block.element).take(2).any(|e| is_heading(page.elements[e].name())) {
            headings += 1;
            words -= block.words;
            if block.links > 0 || is_above_others(page.text(at)) {
                return false;
            }
        } else if is_prose(block) {
            prose += block.words;
        }
    }
    headings <= 1 && prose * 10 >= words * 7 && prose > 0
}

/// Whether a block is a paragraph and not mostly links.
fn is_prose(block: &Block) -> bool {
    block.words >= PROSE_WORDS && block.link_chars * 3 < block.chars
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
    // The texts are compared without spaces, because in some scripts each character is a word.
    let folded = |text: &str| words(text).collect::<String>().to_lowercase();
    static FOLDED: LazyLock<HashSet<String>> = LazyLock::new(|| {
        HEADINGS.iter().map(|h| words(h).collect::<String>().to_lowercase()).collect()
    });
    FOLDED.contains(&folded(heading))
}

/// The blocks from a heading to the end of its box, or to a higher heading.
fn below(page: &Page<'_>, heading: &Element<'_>) -> Range<usize> {
    let start = heading.blocks.start;
    let end = page.elements[heading.parent].blocks.end;
    let is_higher = |at: &usize| {
        let own = &page.elements[page.blocks[*at].element];
        own.parent == heading.parent && is_heading(own.name()) && own.name() <= heading.name()
    };
    // The article continues below a list of links in its middle. Its paragraphs may be wrapped in boxes.
    let place = |at: usize| {
        let element = &page.elements[page.blocks[at].element];
        let around = &page.elements[element.parent];
        let is_paragraph = is_prose(&page.blocks[at]) && element.name() == "p";
        match element.parent == heading.parent {
            true => is_paragraph.then_some(("", None)),
            false => (is_paragraph && around.parent == heading.parent)
                .then(|| (around.name(), around.node.attr("class"))),
        }
    };
    let before = page.elements[heading.parent].blocks.start..start;
    let own = before.rev().take(20).find_map(place);
    let goes_on = |at: &usize| {
        let before = &page.elements[page.blocks[*at - 1].element];
        own.is_some()
            && place(*at) == own
            && place(*at - 1) != own
            && before.parent != heading.parent
    };
    let ends = |at: &usize| is_higher(at) || goes_on(at);
    start..(start + 1..end).find(ends).unwrap_or(end)
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
    fn removes_other_full_articles() {
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

    /// Each paragraph wrapped in a box.
    fn boxed(text: &str) -> String {
        text.replace("<p>", "<div class=para><p>").replace("</p>", "</p></div>")
    }

    #[test]
    fn keeps_sections_of_the_article() {
        let more = format!("<h2>Its enemies</h2>{}", text("mistletoe", 3));
        for inner in [
            format!("<h3>Related articles</h3><ul><li>Beech<li>Maple</ul>{more}"),
            format!("<h3>Related articles</h3><ul><li>Beech<li>Maple</ul>{}", boxed(&more)),
            format!("<h2 id=be-careful-with-what-is-related>Be careful</h2>{more}"),
            format!("<section id=be-careful-with-related-name>{more}</section>"),
        ] {
            for own in [text("oak", 6), boxed(&text("oak", 6))] {
                let text = shown(&format!("<article><h1>On the oak</h1>{own}{inner}</article>"));
                let is_other = inner.contains("<div class=para>") && !own.contains("<div");
                assert!(is_other || text.contains("mistletoe number 2"), "{inner}: {text}");
            }
        }
    }

    #[test]
    fn keeps_a_section_about_related_topics() {
        let own = format!("<h1>On the oak</h1>{}", text("oak", 6));
        let links = "<ul><li><a href=/b>On the beech</a><li><a href=/m>On the maple</a></ul>";
        for (page, last) in [
            (
                format!(
                    "{own}<section class=related-work><h2>Related work</h2>{}</section>",
                    text("study", 3)
                ),
                "study number 2",
            ),
            (
                format!("{own}<div id=related>{}</div>{}", text("study", 3), text("lime", 2)),
                "study number 2",
            ),
            (
                format!("{own}<h3>Read next</h3>{links}{}", text("mistletoe", 3)),
                "mistletoe number 2",
            ),
        ] {
            let text = shown(&format!("<article>{page}</article>"));
            assert!(text.contains(last) && text.contains("oak number 5"), "{page}: {text}");
            assert!(!text.contains("On the maple"), "{text}");
        }
    }
}

//! Formulas in feeds: programs that draw formulas leave their TeX source next to the drawing. If both were
//! kept, the text would have each formula two or three times.

use super::scan::{Scanner, Tag, Token, push_decoded};

/// Maximum number of tags and texts in a formula.
const MAX_TOKENS: usize = 2000;
/// Maximum length of the source, in bytes.
const MAX_SOURCE: usize = 4000;

/// Reads the formula that begins with a tag: its source between `\(` and `\)`, or `\[` and `\]` if it is on
/// its own line. Returns `None` and restores the scanner's position if the tag does not begin a formula.
pub(super) fn read(tag: &Tag<'_>, scanner: &mut Scanner<'_>) -> Option<String> {
    if tag.is("script") {
        let kind = tag.attribute("type")?.to_ascii_lowercase();
        if !kind.trim_start().starts_with("math/tex") || tag.self_closing() {
            return None;
        }
        let source = scanner.skip_raw(tag.name);
        return marked(source, kind.contains("mode=display"));
    }
    if !tag.is("math") || tag.self_closing() {
        return None;
    }
    let display = tag.attribute("display").is_some_and(|d| d.eq_ignore_ascii_case("block"));
    let start = scanner.position();
    let source = annotation(scanner).and_then(|found| match found {
        Some(source) => Some(source),
        None => Some(tag.attribute("alttext")?.into_owned()),
    });
    let found = source.and_then(|source| marked(&source, display));
    if found.is_none() {
        scanner.seek(start);
    }
    found
}

/// Returns the source in the annotation of a `math` element, and moves to the end of the element. The outer
/// `None` means that the element is not closed or contains another `math` element.
fn annotation(scanner: &mut Scanner<'_>) -> Option<Option<String>> {
    let mut source: Option<String> = None;
    let mut inside = false;
    for _ in 0..MAX_TOKENS {
        match scanner.next_token()? {
            Token::Open(tag) if tag.is("math") => return None,
            Token::Open(tag) if tag.is("annotation") && !tag.self_closing() => {
                let encoding = tag.attribute("encoding").unwrap_or_default();
                inside = source.is_none() && encoding.ends_with("x-tex");
            }
            Token::Close(name) if name.eq_ignore_ascii_case("math") => return Some(source),
            Token::Close(name) if name.eq_ignore_ascii_case("annotation") => inside = false,
            Token::Text(text) if inside => push_decoded(source.get_or_insert_default(), text),
            Token::Cut(_) => return None,
            _ => {}
        }
    }
    None
}

fn marked(source: &str, display: bool) -> Option<String> {
    let source = bare(source);
    let fits = !source.is_empty() && source.len() <= MAX_SOURCE;
    fits.then(|| if display { format!("\\[{source}\\]") } else { format!("\\({source}\\)") })
}

/// A source without commands that only set its size.
pub fn bare(source: &str) -> &str {
    let source = source.trim();
    let styled = ["{\\displaystyle ", "{\\textstyle "].iter().find_map(|s| source.strip_prefix(s));
    styled.and_then(|rest| rest.strip_suffix('}')).map_or(source, str::trim)
}

/// Whether a tag begins the drawing of a formula whose source is next to it.
pub(super) fn is_drawing(tag: &Tag<'_>) -> bool {
    // Only a few names are tested, because the search for an end tag can fail once for each name.
    let is_container = tag.is("span") || tag.is("div");
    let names = |rest: &str| rest.contains("katex-html") || rest.contains("MathJax_Preview");
    is_container
        && names(tag.rest)
        && tag.attribute("class").is_some_and(|class| {
            class.split_ascii_whitespace().any(|c| matches!(c, "katex-html" | "MathJax_Preview"))
        })
}

#[cfg(test)]
mod tests {
    use crate::util::html::clean;

    #[test]
    fn keeps_each_formula_once() {
        let katex = |attributes: &str| {
            format!(
                "<span class=katex><span class=katex-mathml><math {attributes}><semantics><mrow><mi>x</mi></mrow>\
                 <annotation encoding='application/x-tex'>x &lt; \\pi</annotation></semantics></math></span>\
                 <span class=katex-html aria-hidden=true><span>x&lt;π</span></span></span>"
            )
        };
        for (markup, expected) in [
            (katex(""), "<span><span>\\(x &lt; \\pi\\)</span></span>"),
            (katex("display=block"), "<span><span>\\[x &lt; \\pi\\]</span></span>"),
            ("a <script type='math/tex'>x<y^2</script> b".to_owned(), "a \\(x&lt;y^2\\) b"),
            ("<script type='math/tex; mode=display'> y^2 </script>".to_owned(), "\\[y^2\\]"),
            ("<math alttext='{\\displaystyle y^{2}}'><mi>y</mi></math>".to_owned(), "\\(y^{2}\\)"),
            ("<math><mi>y</mi></math> b".to_owned(), "y b"),
            ("<math><mi>y <p>b".to_owned(), "y <p>b</p>"),
            ("a<script type='text/javascript'>x</script>".to_owned(), "a"),
            ("<b class=katex-html>x</b><span class=katex-html>y".to_owned(), "<b>x</b>y"),
        ] {
            assert_eq!(clean(&markup, None), expected, "{markup}");
        }
    }

    #[test]
    fn searches_unclosed_drawings_once() {
        let names = (0..100_000).map(|n| format!("<x{n} class=katex-html>"));
        let spans = (0..50_000).map(|_| "<span class=katex-html>".to_owned());
        let markup: String = names.chain(spans).chain(["the text".to_owned()]).collect();
        assert!(clean(&markup, None).contains("the text"));
    }
}

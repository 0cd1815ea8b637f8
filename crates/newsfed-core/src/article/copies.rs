//! Text that a page contains more than once: versions for narrow and wide screens, posts that later posts
//! quote in full, previews of the text that follows.

use super::blocks::Page;
use std::collections::HashMap;
use std::ops::Range;

/// Minimum number of words in a block that is compared. Shorter blocks belong to the run around them.
const BLOCK_WORDS: usize = 6;
/// Minimum number of words in a run of blocks that is a copy.
const RUN_WORDS: usize = 40;
/// Copies are removed if they are at least one fifth of the text. A text that repeats only a few passages
/// does so on purpose.
const PART: usize = 5;

/// A copy directly follows the original if the number of words between them is at most the number of words of
/// the copy divided by this.
const BETWEEN: usize = 4;
/// Repetition is unintended if at least this share of the text without code is repeated, and the repeated
/// parts have at least [`MANY_WORDS`] words.
const MAX: (usize, usize) = (2, 5);
const MANY_WORDS: usize = 150;

/// Blocks that repeat earlier blocks in the same order.
struct Run {
    blocks: Range<usize>,
    /// Indices of the first and the last of the earlier blocks.
    first: usize,
    last: usize,
    words: usize,
}

/// Prefix sums of the words per block, because many runs can share a range.
struct Sums(Vec<usize>);

impl Sums {
    fn of(words: impl Iterator<Item = usize>) -> Self {
        let mut sums = vec![0];
        sums.extend(words.scan(0, |sum, words| {
            *sum += words;
            Some(*sum)
        }));
        Self(sums)
    }

    fn within(&self, range: Range<usize>) -> usize {
        self.0[range.end.max(range.start)] - self.0[range.start]
    }

    fn all(&self) -> usize {
        self.0.last().copied().unwrap_or_default()
    }
}

/// Removes copies if they are a large part of the selected text. The posts of a `discussion` quote each
/// other.
pub(super) fn drop_copies(page: &Page<'_>, taken: &mut [bool], discussion: bool) {
    let mut runs: Vec<Run> =
        runs(page, taken).into_iter().filter(|run| is_copy(page, run)).collect();
    if runs.is_empty() {
        return;
    }
    let own = page.blocks.iter().zip(taken.iter());
    let words = Sums::of(own.map(|(block, taken)| if *taken { block.words } else { 0 }));
    if !discussion && !is_most(page, taken, &runs) {
        runs.retain(|run| is_unintended(page, &words, run));
    }
    let copied: usize = runs.iter().map(|run| words.within(run.blocks.clone())).sum();
    if copied > 0 && copied * PART >= words.all() {
        runs.into_iter().for_each(|run| taken[run.blocks].fill(false));
    }
}

/// Whether most of the text is duplicated: many different words, not the same few several times. Code does
/// not count, because pages repeat it to show a complete listing.
fn is_most(page: &Page<'_>, taken: &[bool], runs: &[Run]) -> bool {
    let is_code = |element: usize| page.around(element).any(|e| page.elements[e].name() == "pre");
    let prose = Sums::of(
        page.blocks
            .iter()
            .zip(taken)
            .map(|(block, taken)| if *taken && !is_code(block.element) { block.words } else { 0 }),
    );
    let copied: usize = runs.iter().map(|run| prose.within(run.blocks.clone())).sum();
    let mut repeated: Vec<_> = runs.iter().map(|run| (run.first, run.last + 1)).collect();
    repeated.sort_unstable();
    let mut end = 0;
    let mut first_times = 0;
    for (from, to) in repeated {
        first_times += prose.within(from.max(end)..to.max(end));
        end = end.max(to);
    }
    first_times >= MANY_WORDS && copied * MAX.1 >= prose.all() * MAX.0
}

/// Whether a run is a copy. Intended repetitions, such as the refrain of a song, are in the same box as the
/// first occurrence or in an adjacent box.
fn is_copy(page: &Page<'_>, run: &Run) -> bool {
    let boxes = |at: usize| page.around(page.blocks[at].element).take(3);
    let (own, first) = (boxes(run.blocks.start), boxes(run.first));
    run.words >= RUN_WORDS && own.zip(first).all(|(own, first)| own != first)
}

/// Whether the author did not intend the repetition: the run is in a quotation or directly follows the
/// original. Text that is repeated later in other boxes, such as a summary, a listing or a refrain, is
/// intended.
fn is_unintended(page: &Page<'_>, words: &Sums, run: &Run) -> bool {
    let quoted = page.around(page.blocks[run.blocks.start].element).any(|e| {
        let element = &page.elements[e];
        element.name() == "blockquote"
    });
    let between = run.last + 1..run.blocks.start;
    quoted || words.within(between) * BETWEEN <= run.words
}

fn runs(page: &Page<'_>, taken: &[bool]) -> Vec<Run> {
    let is_long = |at: &usize| taken[*at] && page.blocks[*at].words >= BLOCK_WORDS;
    let long: Vec<usize> = (0..taken.len()).filter(is_long).collect();
    let mut last: HashMap<&str, usize> = HashMap::new();
    // For each long block, the position of the last earlier block with the same text.
    let mut earlier =
        long.iter().enumerate().map(|(at, block)| last.insert(page.text(*block), at)).peekable();
    let mut runs = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(here) = earlier.next() {
        at += 1;
        let next = earlier.peek().copied().flatten();
        if next.is_some() && next == here.map(|e| e + 1) {
            continue;
        }
        if let Some(end) = here {
            let words = |block: &usize| page.blocks[*block].words;
            runs.push(Run {
                blocks: long[from]..long[at - 1] + 1,
                first: long[end + from + 1 - at],
                last: long[end],
                words: long[from..at].iter().map(words).sum(),
            });
        }
        from = at;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::{Guide, Mode, extract};
    use super::*;
    use crate::util::html::tree;

    /// A paragraph of 30 words. No other paragraph contains them.
    fn paragraph(name: &str) -> String {
        let words: String = (0..14).map(|n| format!("{name}{n} and ")).collect();
        format!("<p>{words}nothing else.</p>")
    }

    #[track_caller]
    fn shown(markup: &str) -> String {
        let markup = format!("<html><body>{markup}</body></html>");
        extract(&markup, &Guide::default(), Mode::Auto, None).unwrap().text
    }

    #[test]
    fn shows_duplicated_text_once() {
        let text: String = ["ash", "birch", "cedar", "elm"].map(paragraph).concat();
        for markup in [
            format!(
                "<h1>Trees</h1><div class=wide><div>{text}</div></div><div class=narrow><div>{text}</div></div>"
            ),
            format!(
                "<h1>Trees</h1><div class=a><div>{text}</div></div><div class=b><section><div>{text}</div></section></div><div class=c><div>{text}</div></div>"
            ),
        ] {
            let text = shown(&markup);
            for tree in ["ash3", "birch3", "cedar3", "elm3"] {
                assert_eq!(text.matches(tree).count(), 1, "{tree}: {text}");
            }
        }
    }

    #[test]
    fn shows_fully_quoted_posts_once() {
        let post = |body: &str| {
            format!(
                "<article class=post><div class=user>Ann</div><time>2026-11-02 10:00</time><div class='post-body message'>{body}</div></article>"
            )
        };
        let first = ["oak", "pine"].map(paragraph).concat();
        let second =
            format!("<blockquote class=quote><div>{first}</div></blockquote>{}", paragraph("yew"));
        let markup = format!(
            "<main class=thread itemtype='https://schema.org/DiscussionForumPosting'>{}{}</main>",
            post(&first),
            post(&second)
        );
        let text = shown(&markup);
        for tree in ["oak3", "pine3", "yew3"] {
            assert_eq!(text.matches(tree).count(), 1, "{tree}: {text}");
        }
    }

    #[test]
    fn keeps_refrains_and_repeated_lines() {
        let refrain = ["rain", "snow"].map(paragraph).concat();
        let verses = ["one", "two", "three"].map(paragraph);
        let song = verses.clone().map(|verse| verse + &refrain).concat();
        let stanzas =
            verses.map(|verse| format!("<div>{verse}</div><div>{refrain}</div>")).concat();
        for song in [song, stanzas] {
            let text = shown(&format!("<article><h1>Song</h1><div>{song}</div></article>"));
            assert_eq!(text.matches("rain3").count(), 3, "{text}");
        }
        // A short repetition in a long text is intended.
        let long: String =
            (0..20).map(|n| paragraph(&format!("n{}x", (b'a' + n) as char))).collect();
        let markup = format!("<div>{refrain}</div>{long}<section><div>{refrain}</div></section>");
        let tree = tree::page(&markup).unwrap();
        let page = Page::read(&tree);
        let mut taken = vec![true; page.blocks.len()];
        drop_copies(&page, &mut taken, false);
        assert_eq!(taken, vec![true; 24]);
    }

    #[test]
    fn keeps_deliberate_repetition() {
        let own: String = ["oak", "elm", "fir", "ash"].map(paragraph).concat();
        let section = |class: &str, text: &str| {
            format!("<section class={class}><div class=inner><div>{text}</div></div></section>")
        };
        let code: String = (0..8).map(|n| format!("let value{n} = read(file{n});\n")).collect();
        let code = format!("<pre><code>{code}</code></pre>");
        let summary = ["brief", "short"].map(paragraph).concat();
        let refrain = ["rain", "snow"].map(paragraph).concat();
        let verse =
            |name: &str| section("verse", &(paragraph(name) + &paragraph(&format!("{name}x"))));
        let poem = [
            verse("one"),
            section("refrain", &refrain),
            verse("two"),
            section("refrain", &refrain),
            verse("three"),
            section("refrain", &refrain),
        ];
        for (name, text) in [
            (
                "listing",
                section("step", &(own.clone() + &code))
                    + &section("all", &(paragraph("yew") + &code)),
            ),
            (
                "summary",
                section("top", &summary) + &section("body", &own) + &section("end", &summary),
            ),
            ("poem", poem.concat()),
        ] {
            let markup = format!("<article><h1>Trees</h1>{text}</article>");
            let tree = tree::page(&markup).unwrap();
            let page = Page::read(&tree);
            let mut taken = vec![true; page.blocks.len()];
            drop_copies(&page, &mut taken, false);
            assert!(taken.iter().all(|taken| *taken), "{name}: {taken:?}");
        }
    }
}

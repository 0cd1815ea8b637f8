//! Which words and which HTML the sieve excludes.

use super::*;
use proptest::prelude::*;

const WORDS: [&[(&str, bool)]; 4] = [
    &[("express", false), ("strom", true), ("newsfeeds", false), ("\u{43d}\u{43e}\u{432}", true)],
    &[("go", true), ("a", false), ("rust", false)],
    &[("us", false), ("x", true)],
    &[("expr\u{f8}", true), ("feed", true), ("feeding", false), ("st\u{f8}", false)],
];
const PIECES: [&str; 36] = [
    "express",
    "expres",
    "s",
    "newsfeeds",
    "newsfee",
    "ds",
    "feeds",
    "go",
    "gone",
    "us",
    "a",
    "x",
    "rusty",
    "and",
    "st",
    "strom",
    "\u{f8}",
    "\u{e9}",
    "\u{43d}\u{43e}\u{432}",
    "\u{43d}",
    "\u{308}",
    "\u{2014}",
    "\u{6771}",
    " ",
    " ",
    " ",
    ", ",
    ".",
    "<b>",
    "</b>",
    "</p>",
    "<br>",
    "<i class=x>",
    "&amp;",
    "&lt;",
    "Letters0123",
];

/// Like [`Sieve::next`], one byte at a time.
fn slowly(sieve: &Sieve, text: &str, at: usize, in_word: bool) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut before = in_word;
    for (stop, byte) in bytes.iter().enumerate().skip(at) {
        let is_word = byte.is_ascii_alphanumeric();
        if !byte.is_ascii() || is_word && !before && sieve.may_begin(text, stop, None, false) {
            return (stop, before);
        }
        before = is_word;
    }
    (bytes.len(), before)
}

/// Like [`Sieve::excludes`], one character at a time.
fn excludes_slowly(sieve: &Sieve, markup: &str) -> bool {
    let mut in_word = false;
    let mut is_excluded = !markup.match_indices('&').any(|(at, _)| !separates(&markup[at..]));
    for (at, c) in markup.char_indices() {
        if c.is_ascii() {
            let is_word = c.is_ascii_alphanumeric();
            let is_new = is_word && !in_word;
            is_excluded &= !(is_new && sieve.may_begin(markup, at, None, true));
            is_excluded &= !c.is_ascii_control();
            in_word = is_word;
            continue;
        }
        let Known { form, is_clean } = known(c);
        let is_letter = matches!(form, Form::Letter(_));
        let is_new = is_letter && !in_word || matches!(form, Form::Word(_));
        is_excluded &= !(is_new && sieve.may_begin_folded(&markup[at..]));
        is_excluded &= is_clean && form != Form::Unknown;
        in_word = is_letter || form == Form::Nothing && in_word;
    }
    is_excluded
}

proptest! {
    #[test]
    fn excludes_html_exactly_like_word_by_word_comparison(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..90),
    ) {
        let markup = pieces.concat();
        for words in WORDS {
            let mut sieve = Sieve::default();
            words.iter().for_each(|(word, begins)| sieve.add(word, *begins));
            sieve.build();
            prop_assert_eq!(sieve.excludes(&markup), excludes_slowly(&sieve, &markup), "{}", markup);
        }
    }

    #[test]
    fn blocks_are_searched_like_single_bytes(
        text in "([a-zA-Z0-9]{1,9}[ .,<_`@\\[{/:\u{10}\u{7f}é本]{1,3}){0,30}", at in 0usize..40, in_word: bool,
    ) {
        let mut sieve = Sieve::default();
        for (word, begins) in [("ab", true), ("cd", false), ("e", true), ("abcde", false), ("q", false), ("abcdef", true)] {
            sieve.add(word, begins);
        }
        sieve.build();
        let at = (0..=at.min(text.len())).rfind(|at| text.is_char_boundary(*at)).unwrap_or(0);
        prop_assert_eq!(sieve.next(&text, at, in_word), slowly(&sieve, &text, at, in_word));
    }
}

#[test]
fn words_are_excluded_by_their_first_letters() {
    let mut sieve = Sieve::default();
    let closed = ["the", "express"].map(|word| (word, false));
    let open = ["rust", "go", "новости", "newsfeed"].map(|word| (word, true));
    closed.into_iter().chain(open).for_each(|(word, begins)| sieve.add(word, begins));
    sieve.build();
    for (text, expected) in [
        ("Rusty x", true),
        ("rusk x", false),
        ("rust", true),
        ("express x", true),
        ("expresso x", false),
        ("expres x", false),
        ("expr\u{e9}ss", true),
        ("expres", true),
        ("newsfeeds", true),
        ("newsfe x", false),
        ("the x", true),
        ("then x", false),
        ("gone x", true),
        ("god x", true),
        ("g xyz", false),
        ("xyz  ", false),
        // The word may continue.
        ("xyz", true),
        ("xyø  ", false),
        ("rüsk x", false),
        ("rüst x", true),
        ("Gø x", true),
    ] {
        assert_eq!(sieve.may_begin(text, 0, None, false), expected, "{text}");
    }
    assert!(sieve.may_begin_with('н') && !sieve.may_begin_with('о'));
}

#[test]
fn excludes_html_that_cannot_contain_a_phrase() {
    let mut sieve = Sieve::default();
    let words =
        [("rust", true), ("the", false), ("новости", true), ("express", false), ("g\u{f8}", true)];
    for (word, begins) in words {
        sieve.add(word, begins);
    }
    sieve.build();
    for (markup, expected) in [
        ("<p>One <b>small</b> body &amp; more.</p>", true),
        ("<p>One <b>rust</b> body</p>", false),
        ("<p>One r<b>ust</b> body</p>", false),
        ("<p>One ru<b>st</b> body</p>", false),
        ("<p>expre<b>ss</b> body</p>", false),
        ("<p><b>expre</b>ss body</p>", false),
        ("<p><b>expre</b>\u{e9} body</p>", false),
        ("<p><b>expre</b>&shy;ss body</p>", false),
        ("<p><b>expre</b> body</p>", true),
        ("<p><i><b>expre</b></i>, body</p>", true),
        ("<p><i><b>expre</b></i>ss body</p>", false),
        ("<p><b>expre</b><i>ss</i> body</p>", false),
        ("<p><b>expre</b title=\">\"> body</p>", false),
        ("<p>expre<!-- > -->ss body</p>", false),
        ("<p><b>ru</b> body</p>", true),
        ("<p><b>ru</b>st body</p>", false),
        ("<p><b>r\u{fc}</b> body</p>", true),
        ("<p><b>r\u{fc}</b>st body</p>", false),
        ("<p><b>expr\u{e8}</b> body</p>", true),
        ("<p><b>expr\u{e8}</b>ss body</p>", false),
        ("<p>express</p>", false),
        ("<p>expresso</p>", true),
        ("<p>g<b>\u{f8}</b></p>", false),
        ("<p>g<b>o</b></p>", false),
        ("<p>g x</p>", true),
        ("<ul><li>expre</li><li>ss</li></ul>", true),
        ("<p>expre<br>ss</p>", true),
        ("<p>expre<br/>ss</p>", false),
        ("<p>expre<wbr>ss</p>", false),
        ("<p><b>expre</b></p><p>ss</p>", true),
        ("<p>One x<b>yz</b> body</p>", true),
        ("<p>then</p>", true),
        ("<p>th<i>e</i></p>", false),
        ("<p>&#114;ust</p>", false),
        ("<p>&ltrust</p>", false),
        ("<p>x&amp;y</p>", true),
        ("<p>сон новый</p>", true),
        ("<p>сон новости</p>", false),
        ("<p>сон Новостица</p>", false),
        ("<p><b>ново</b> кот</p>", true),
        ("<p>ново<b>сти</b></p>", false),
        ("<p>новост о</p>", true),
        ("<p>caf\u{e9}s, exp\u{e9}rt</p>", true),
        ("<p>expr\u{e8}ss</p>", false),
        ("<p>expr\u{e8}sso</p>", true),
        ("<p>expr\u{e8}ss\u{f8}</p>", false),
        ("<p>\u{e9}xpress</p>", false),
        ("<p>\u{e9}xpresso, \u{e9}xpres.</p>", true),
        ("<p>r\u{fc}sty</p>", false),
        ("<p>r\u{fc}s</p>", true),
        ("<p>r\u{fc}s go</p>", true),
        ("<p>сон, кот</p>", true),
        ("<p>étage, Übung, naïve… 东京 🚀</p>", true),
        ("<p>r\u{fc}st</p>", false),
        ("<p>ru\u{200b}st</p>", false),
        ("<p>xru\u{7}st</p>", false),
        ("", true),
    ] {
        assert_eq!(sieve.excludes(markup), expected, "{markup}");
    }
    assert!(!sieve.excludes(&"x ".repeat(MAX_BLOCK_LINE)));
}

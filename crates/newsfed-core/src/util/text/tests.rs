use super::*;
use proptest::prelude::*;

#[test]
fn nouns_agree_with_their_numbers() {
    let all = [0usize, 1, 2].map(|n| (counted(n, "item"), counted_as(n, "entry", "entries")));
    let want = [("0 items", "0 entries"), ("1 item", "1 entry"), ("2 items", "2 entries")];
    assert_eq!(all, want.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(
        (counted(1u64, "poll"), counted(-1i64, "poll")),
        ("1 poll".into(), "-1 polls".into())
    );
    assert_eq!(comment_count(1, 1), "1 comment, +1 since you read it");
}

#[test]
fn line_removes_control_sequences() {
    let cases = [
        ("plain", "plain"),
        ("  two \n\t words\u{a0}here ", "two words here"),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{9b}2Jx", "x"),
        ("\u{9b}Ferry", "Ferry"),
        ("\u{1b}]52;c;cm0=\u{7}kept", "kept"),
        ("\u{1b}]8;;http://x/\u{1b}\\kept", "kept"),
        ("\u{1b}]0;never ended", "0;never ended"),
        ("\u{1b}P$q\"p\u{1b}\\kept", "kept"),
        ("\u{90}q\u{9c}kept", "kept"),
        // Quotation marks in UTF-8 that was read as Latin-1 and encoded again.
        ("x\u{e2}\u{80}\u{9d} y \u{e2}\u{80}\u{9c}z", "x\u{e2} y \u{e2}z"),
        ("\u{e2}\u{80}\u{98}x\u{e2}\u{80}\u{99} \u{7}y", "\u{e2}x\u{e2} y"),
        ("\u{c4}\u{9b}1ab", "\u{c4}1ab"),
        ("\u{1b}_Ga=T;AAAA\u{1b}\\kept", "kept"),
        ("\u{1b}ckept", "kept"),
        ("\u{1b}Ferry", "Ferry"),
        ("a\u{8}\u{7f}\0b", "ab"),
        ("safe\revil", "safe evil"),
        ("a\u{202e}b\u{2067}c\u{2069}", "abc"),
        ("z\u{200b}e\u{200b}r\u{feff}o", "zero"),
        ("\u{e0068}\u{e0069}tag", "tag"),
        ("\u{fdd0}\u{fffe}x", "x"),
        ("👨\u{200d}👩\u{200d}👧", "👨👩👧"),
        ("👍\u{1f3fd}", "👍"),
        ("a\u{200d}b", "ab"),
        ("a\u{94d}\u{200c}\u{3164}", "a\u{94d}"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("क्\u{200d}ष", "क्\u{200d}ष"),
        ("\u{301}e\u{301}", "e\u{301}"),
        ("e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}\u{301}\u{301}"),
        ("❤\u{fe0f}", "❤"),
        ("a\u{2028}b\u{85}c", "a b c"),
    ];
    for (input, expected) in cases {
        assert_eq!(line(input), expected, "{input:?}");
    }
}

#[test]
fn line_is_bounded() {
    let long = line(&"x".repeat(2_000_000));
    assert_eq!(long.chars().count(), crate::util::limits::LINE_CHARS);
    assert!(long.ends_with('…'));
    let chain = line(&"\u{1f468}\u{200d}".repeat(4000));
    assert!(chain.graphemes(true).all(|g| g.chars().count() <= MAX_GRAPHEME));
    assert!(line(&format!("a{}", "\u{301}".repeat(500_000))).len() < 20);
}

#[test]
fn block_keeps_line_breaks() {
    let cases = [
        ("a\n  b\n", "a\n  b"),
        ("\n\n  a\r\nb\rc", "  a\nb\nc"),
        ("if x:\n\treturn", "if x:\n    return"),
        ("ab\tc", "ab  c"),
        ("a\u{1b}[2Jb\n\nc  \n", "ab\n\nc"),
    ];
    for (input, expected) in cases {
        assert_eq!(block(input), expected, "{input:?}");
    }
    let broken = block(&"x".repeat(2 * MAX_BLOCK_LINE + 1));
    assert_eq!(broken.lines().map(str::len).max(), Some(MAX_BLOCK_LINE));
}

#[test]
fn escape_sequences_never_swallow_tags() {
    assert_eq!(markup("a\u{1b}]0;<b>x\u{7}</b>"), "a0;<b>x</b>");
    assert_eq!(markup("<a title=\"\u{1b}]\">\u{7}"), "<a title=\"\">");
    assert_eq!(markup("<b>\u{1b}[31mx</b>\n"), "<b>x</b>\n");
    assert_eq!(markup("<b>x\u{1b}></b>"), "<b>x></b>");
}

#[test]
fn widths_match_the_screen() {
    let cases = [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👨\u{200d}👩\u{200d}👧", 2), ("", 0)];
    for (input, expected) in cases {
        assert_eq!(width(input), expected, "{input:?}");
    }
}

#[test]
fn simple_characters_take_one_cell() {
    let all: Vec<char> = ('\0'..=char::MAX).filter(|c| is_simple_char(*c)).collect();
    assert!(all.contains(&'é') && all.contains(&'…') && !all.contains(&'\u{ad}'));
    for c in all {
        let beside = format!("a{c}{c}e");
        let graphemes: Vec<usize> = beside.graphemes(true).map(UnicodeWidthStr::width).collect();
        assert_eq!(graphemes, [1; 4], "U+{:04X}", u32::from(c));
    }
    assert_eq!(truncate("Žluťoučký kůň", 6), "Žluťo…");
    assert_eq!(truncate("ab\u{301}cdef", 4), "ab\u{301}c…");
}

#[test]
fn truncation_respects_graphemes() {
    let cases = [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
    ];
    for (input, cells, expected) in cases {
        assert_eq!(truncate(input, cells), expected, "{input:?} in {cells}");
    }
}

/// Runs of plain text in several scripts, between problematic characters.
fn mixed() -> impl Strategy<Value = String> {
    let run = prop_oneof![
        "[ -~\n\t]{0,80}",
        "[a-z à-ž]{0,40}",
        "[а-я α-ω]{0,40}",
        "[一-龥ぁ-ん가-힣]{0,40}",
        nasty(),
    ];
    prop::collection::vec(run, 0..6).prop_map(|runs| runs.concat())
}

/// Text with many problematic characters.
fn nasty() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
        '\u{1b}',
        '[',
        ']',
        'P',
        '\\',
        '\u{7}',
        '\u{9b}',
        '\u{9c}',
        '\u{9d}',
        '\u{200b}',
        '\u{200c}',
        '\u{200d}',
        '\u{200e}',
        '\u{202e}',
        '\u{301}',
        '\u{94d}',
        'क',
        '\u{600}',
        '👨',
        '\u{1f3fb}',
        '\u{fe0f}',
        '🇩',
        '\u{1100}',
        '\u{1161}',
        '\u{11a8}',
        ' ',
        '\n',
        '\t',
        '\r',
        '\u{a0}',
        'a',
        '1',
        ';',
        '\u{ad}',
        '\u{3164}',
        '<',
        '>',
        '"',
        '\u{e33}',
        '\u{903}',
    ]);
    prop::collection::vec(prop_oneof![4 => special, 1 => any::<char>()], 0..60)
        .prop_map(String::from_iter)
}

#[test]
fn standalone_characters_need_no_filtering() {
    for c in ('\u{80}'..=char::MAX).filter(|c| stands_alone(*c)) {
        let special = c.is_control() || is_invisible(c) || is_blank(c) || c.width() == Some(0);
        assert!(!special, "{c:?}");
        let beside = format!("{c}{c}a{c}가{c}字{c}\n{c}");
        assert_eq!(beside.graphemes(true).count(), beside.chars().count(), "{c:?}");
    }
}

proptest! {
    #[test]
    fn plain_text_passes_the_filter_unchanged(s in mixed()) {
        for mode in [Mode::Text, Mode::Markup] {
            // Without the fast path, every character is examined.
            let slow = filter(&s, mode, |_| 0);
            prop_assert_eq!(filter(&s, mode, plain_len), slow);
        }
        let long = s.graphemes(true).any(|g| g.len() > MAX_GRAPHEME);
        prop_assert!(!long || plain_len(&s) < s.len());
    }

    #[test]
    fn line_is_idempotent_and_clean(s in nasty()) {
        let once = line(&s);
        prop_assert_eq!(line(&once), once.clone());
        prop_assert!(!once.chars().any(char::is_control));
    }

    #[test]
    fn block_is_idempotent_and_clean(s in nasty()) {
        let once = block(&s);
        prop_assert_eq!(block(&once), once.clone());
        prop_assert!(!once.chars().any(|c| c.is_control() && c != '\n'));
    }

    #[test]
    fn markup_is_idempotent_and_clean(s in nasty()) {
        let once = markup(&s).into_owned();
        prop_assert_eq!(markup(&once).into_owned(), once.clone());
        prop_assert!(!once.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
    }

    #[test]
    fn truncation_fits(s in nasty(), cells in 0usize..40) {
        let s = line(&s);
        prop_assert!(width(&truncate(&s, cells)) <= cells);
    }
}

//! The text of an extraction has the same words in the same order as its document. A document additionally
//! has list numbers, alternative texts and captions of images, header lines of posts, and inline markers such
//! as `~~`.

use super::{Guide, Mode, extract};
use proptest::prelude::*;

/// The kind of an inline piece, and its number of words.
type Piece = (usize, usize);

/// Generates words that are unique on the page.
struct Words(usize);

impl Words {
    fn some(&mut self, count: usize) -> String {
        let next = || {
            self.0 += 1;
            let mut number = self.0;
            let letter = |rest: usize| char::from(b'a' + u8::try_from(rest % 16).unwrap());
            let mut word = String::from("q");
            while number > 0 {
                word.push(letter(number));
                number /= 16;
            }
            word
        };
        std::iter::repeat_with(next).take(count).collect::<Vec<_>>().join(" ")
    }

    fn inline(&mut self, pieces: &[Piece]) -> String {
        let mut out = String::new();
        for (kind, count) in pieces {
            let text = self.some(*count);
            out.push_str(&match kind % 12 {
                0 => format!("<b>{text}</b> "),
                1 => format!("<a href=/{count}>{text}</a> "),
                2 => format!("<code>{text}</code>"),
                3 => format!(" <em>{text}</em>, "),
                4 => format!("<ruby>{text}<rt>{}</rt></ruby>", self.some(1)),
                5 => format!("<del>{text}</del><ins>{}</ins> ", self.some(1)),
                6 => format!("{text}<br>"),
                7 => format!(" {text}<sup>{}</sup> ", self.some(1)),
                8 => format!(" <img src=/p.jpg alt='ALT {count}' width=600 height=400>{text} "),
                9 => format!("<span>{text}</span>"),
                _ => format!(" {text}. "),
            });
        }
        out
    }

    fn block(&mut self, kind: usize, pieces: &[Piece]) -> String {
        let inner = self.inline(pieces);
        match kind {
            0 => format!("<h2>{inner}</h2>"),
            1 => format!("<ul><li>{inner}<li>{}</ul>", self.some(9)),
            2 => format!("<ol start=3><li>{inner}<li><p>{}</p></ol>", self.some(9)),
            3 => format!("<blockquote><p>{inner}</p></blockquote>"),
            4 => format!("<pre>{}\n  {inner}</pre>", self.some(5)),
            5 => format!(
                "<table><tr><th>{}<th>{}<tr><td>{inner}<td>{}</table>",
                self.some(1),
                self.some(2),
                self.some(3)
            ),
            6 => {
                let caption = self.some(4);
                format!(
                    "<figure><img src=/f.jpg width=640 height=400><figcaption>{caption}</figcaption></figure><p>{inner}</p>"
                )
            }
            7 => format!("<dl><dt>{}<dd>{inner}</dl>", self.some(2)),
            8 => format!("<details><summary>{}</summary>{inner}</details>", self.some(3)),
            9 => format!("<div class=box><div>{inner}</div>{}</div>", self.some(12)),
            10 => format!("<aside class=related><p>{inner}</p></aside><hr>"),
            _ => format!("<p>{inner} {}</p>", self.some(30)),
        }
    }
}

/// The numbers that select the author and the first words of a post, and its blocks.
type Post = (usize, usize, Vec<(usize, Vec<Piece>)>);

/// The posts of a discussion, in one of several layouts. Words that the header lines of posts may repeat are
/// in capital letters and digits.
fn posts(all: &mut Words, layout: usize, posts: &[Post]) -> String {
    const STARTS: [&str; 8] = [
        "EXPIRES 2024-06-12",
        "JOINED 2010-03-01",
        "DEADLINE: 2024-06-12",
        "2024-06-12",
        "UNTIL 2024-06-12",
        "ON 2024-06-12",
        "ANN",
        "YES",
    ];
    let post = |(at, (author, start, blocks)): (usize, &Post)| {
        let name = ["ANN", "BOB", "CY LEE"][author % 3];
        let mut body = String::new();
        if let Some(start) = STARTS.get(start % 16) {
            body.push_str(&format!("<p>{start} {}</p>", all.some(author % 2)));
        }
        body.extend(blocks.iter().map(|(kind, pieces)| all.block(*kind, pieces)));
        // Authors may end all their posts with the same words.
        body.push_str(
            ["", "<p>qend qof qpost qone</p>", "<pre>qend qof qcode qtwo</pre>"][start % 3],
        );
        let name = format!("<span class=author>{name}</span>");
        let time = format!("<time datetime='2024-05-{:02}'>2024-05-{0:02}</time>", at % 28 + 1);
        let sign = if start % 5 == 0 { "<div class=sig>qsail qon qand qon</div>" } else { "" };
        match layout % 3 {
            0 => format!(
                "<div class=post><p>{name} {time}</p><div class=body>{body}</div>{sign}</div>"
            ),
            1 => format!(
                "<li class=post>{name}<div>JOINED: 2011</div><p>{time}</p>{body}{sign}</li>"
            ),
            _ => format!(
                "<div class=post><div class=body>{body}</div>{sign}<div>{name} {time}</div></div>"
            ),
        }
    };
    posts.iter().enumerate().map(post).collect()
}

/// The words of a text without markers such as `~~`.
fn words(text: &str) -> Vec<String> {
    let letters: String = text.chars().filter(char::is_ascii_lowercase).collect();
    letters.split('q').skip(1).map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn text_and_document_have_the_same_words_in_order(
        blocks in prop::collection::vec((0..24usize, prop::collection::vec((0..16usize, 1..9usize), 1..6)), 1..14)
    ) {
        let mut all = Words(0);
        let body: String = blocks.iter().map(|(kind, pieces)| all.block(*kind, pieces)).collect();
        let menu = "<nav><a href=/>Home</a> <a href=/about>About</a></nav>";
        let page = format!("<html><body>{menu}<article><h1>{}</h1>{body}</article></body></html>", all.some(4));
        if let Ok(found) = extract(&page, &Guide::default(), Mode::Auto, None) {
            let shown = found.document.text();
            let (text, shown) = (words(&found.text), words(&shown));
            // Captions may be in the document only.
            let mut rest = shown.iter();
            prop_assert!(text.iter().all(|word| rest.any(|other| other == word)), "{page}\n{text:?}\n{shown:?}");
            let missing = shown.iter().filter(|word| !text.contains(word)).count();
            let captions = blocks.iter().filter(|(kind, _)| *kind == 6).count();
            prop_assert!(missing <= 4 * captions, "{page}\n{text:?}\n{shown:?}");
        }
    }

    #[test]
    fn discussion_text_and_document_have_the_same_words(
        layout in 0..3usize,
        all in prop::collection::vec(
            (0..6usize, 0..32usize, prop::collection::vec((11..24usize, prop::collection::vec((0..16usize, 1..9usize), 1..4)), 1..3)),
            2..8
        )
    ) {
        let mut words_of = Words(0);
        let body = posts(&mut words_of, layout, &all);
        let page = format!("<title>Keel</title><h1>{}</h1><div class=list>{body}</div>", words_of.some(4));
        let guide = Guide {
            url: url::Url::parse("https://forum.example/threads/keel.12/").ok(),
            ..Guide::default()
        };
        if let Ok(found) = extract(&page, &guide, Mode::Auto, None) {
            let shown = found.document.text();
            // The header line of a post may repeat words of its text.
            let (text, all) = (words(&found.text), words(&shown));
            let mut rest = all.iter();
            prop_assert!(text.iter().all(|word| rest.any(|other| other == word)), "{page}\n{text:?}\n{shown}");
            prop_assert!(all.iter().all(|word| text.contains(word)), "{page}\n{text:?}\n{shown}");
            for start in ["EXPIRES", "DEADLINE", "UNTIL", "YES"] {
                let count = |text: &str| text.matches(start).count();
                prop_assert!(count(&found.text) <= count(&shown), "{start} {page}\n{shown}");
            }
        }
    }
}

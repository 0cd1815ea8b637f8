//! Toggles: the content that they reveal, and whether their labels are kept.

use super::Toggle;
use crate::article::{Guide, Mode, extract};
use crate::util::html::tree;
use scraper::Selector;

const TEXT: &str = "<p>The old harbour of the town was rebuilt this year, after long talks, and at great cost.</p>";

/// The text and the document of a page with this markup in its article.
fn read(inner: &str) -> [String; 2] {
    let page = format!("<title>Harbour</title><article><h1>Harbour</h1>{inner}</article>");
    let found = extract(&page, &Guide::default(), Mode::Auto, None).unwrap();
    [found.text, found.document.text()]
}

#[test]
fn keeps_the_text_behind_a_toggle_and_removes_its_label() {
    let rest = "<p>What came after it took longer.</p>";
    for more in [
        format!("<details><summary>Read more</summary>{rest}</details>"),
        format!("<div id=rest hidden>{rest}</div><button aria-controls=rest>Read more</button>"),
        format!("<button aria-controls='dots rest'>Show more</button><p>On.</p><div id=rest hidden>{rest}</div>"),
        format!(
            "<p><a href='#rest' class=more>Show more…</a></p><div><div id=rest style='display:none'>{rest}</div></div>"
        ),
        format!("<div hidden>{rest}</div><p><a href='javascript:show()'>Weiterlesen</a></p>"),
        "<p>And then <a href=#>read more</a> <span hidden>What came after it took longer.</span></p>"
            .to_owned(),
        format!("<input type=checkbox id=t><label for=t>Lire la suite</label>{rest}"),
        format!("<div>{rest}</div><span role=button>続きを読む</span>"),
        format!("<button>Show more</button><button hidden>Show less</button><div hidden>{rest}</div>"),
        format!("<p><a>Read more</a></p><div hidden><div>{rest}</div></div>"),
        format!("{rest}<div><a href='#on'>Read more ↓</a></div><h2 id=on>On</h2>"),
        format!("<a href=#>Read more</a><i aria-hidden=true>→</i><div hidden>{rest}</div>"),
        format!("<div class=a>{TEXT}</div><div><button>Read more</button></div><div class=b hidden>{rest}</div>"),
        // With hidden text on both sides, only the text after the toggle is revealed.
        format!("<div hidden><p>An older text.</p></div><a href=#>Read more</a><div hidden>{rest}</div>"),
    ] {
        let found = read(&format!("{}{more}{}", TEXT.repeat(4), TEXT.repeat(2)));
        for shown in found {
            assert!(shown.contains("took longer") && !shown.contains("older text"), "{more}: {shown}");
            let lower = shown.to_lowercase();
            for words in ["read more", "show more", "weiterlesen", "lire la", "続きを"] {
                assert!(!lower.contains(words), "{more}: {shown}");
            }
        }
    }
}

#[test]
fn keeps_links_and_other_hidden_text_unchanged() {
    let found = read(&format!(
        "{}<p>Other harbours: <a href=/more>read more</a> about them here.</p>\
         <div id=x hidden><p>A secret note that nobody sees.</p></div><p>The end of it all.</p>{TEXT}",
        TEXT.repeat(4)
    ));
    for shown in found {
        assert!(shown.contains("read more about") && !shown.contains("secret"), "{shown}");
    }
}

#[test]
fn does_not_reveal_other_hidden_content() {
    let gulls = "<p>Some gulls wrote this text, which is hidden until somebody clicks.</p>";
    let ask = |text: &str| {
        format!("<a href=#>Read more</a><div hidden><p>{text} Some gulls ask.</p></div>")
    };
    let within = |class: &str| {
        format!("<div class='{class}'>{TEXT}<a href=#>Read more</a><div hidden>{gulls}</div></div>")
    };
    let mut pages: Vec<String> = [
        "share-buttons",
        "socialShare",
        "cookie-consent",
        "newsletter-signup",
        "subscribe",
        "article-paywall",
        "gate",
        "comments",
        "c responses",
        "modal",
        "bio",
        "about-author",
        "translation",
        "product variants",
        "print-only",
        "tab",
        "lang-de",
    ]
    .map(within)
    .to_vec();
    pages.extend([
        // A target with other content, or a visible target, so nothing else is revealed.
        format!("<a href='#resp'>View more</a><p>x</p><section id=resp hidden>{gulls}</section>"),
        format!("<a href='#' data-target='#m'>Read more</a><div id=m class=modal hidden>{gulls}</div>"),
        format!("<a href='#f'>Read more</a><div hidden>{gulls}</div><p id=f>And further down.</p>"),
        // Not next to running text.
        format!("<div><a href=/s>Share</a><a href=#>Show more</a><div hidden>{gulls}</div></div>"),
        format!("<div><p>Our partners</p><a href=#>Read more</a><div hidden>{gulls}</div></div>"),
        // Before a toggle that does not name what it reveals.
        format!("<h2>Readers say</h2>{TEXT}<div hidden>{gulls}</div><a href=#>Show more</a>"),
        format!("<div hidden>{gulls}</div><button>Mehr anzeigen</button>{TEXT}"),
        "<div hidden>Printed from gulls.example, some gulls.</div><button>Read more</button>".to_owned(),
        // Content that is not text.
        format!("<a href=#>Read more</a><div hidden>{gulls}<form><input type=email></form></div>"),
        format!("<a href=#>Read more</a><div hidden><nav>{gulls}</nav></div>"),
        "<a href=#>Show more</a><ul hidden><li><a href=/1>Some gulls</a></ul>".to_owned(),
        "<a href=#>Show more</a><div hidden><p><a href=/1>Some gulls attack the school</a></p></div>".to_owned(),
        // Offers and notices.
        ask("You have read all your free articles this month."),
        ask("Subscribe for one pound per week."),
        ask("Bitte melden Sie sich an oder abonnieren Sie die Zeitung."),
        ask("Inscrivez-vous pour lire la suite de cet article."),
        ask("Inicia sesión para continuar."),
        ask("Все права защищены."),
        // Nested text that stays hidden.
        format!("<a href=#>Read more</a><div hidden><p>It ended.</p><div hidden>{gulls}</div></div>"),
    ]);
    for page in pages {
        for shown in read(&format!("{}{page}{TEXT}", TEXT.repeat(4))) {
            assert!(!shown.contains("ome gulls"), "{page}: {shown}");
            assert!(shown.contains("great cost"), "{page}: {shown}");
        }
    }
}

#[test]
fn does_not_show_a_short_version_twice() {
    let start = "The ferry of the town returns in June at last, and tickets cost as much as before";
    for shown in read(&format!(
        "{}<div class=short><p>{start}…</p></div><a href=#>Read more</a><div hidden><p>{start}, say the mayors.</p></div>{TEXT}",
        TEXT.repeat(4)
    )) {
        assert_eq!(shown.matches("ferry of the town").count(), 1, "{shown}");
    }
}

#[test]
fn keeps_toggle_labels_in_sentences() {
    for (sentence, expected) in [
        (
            "The button is called <span role=button>Read more</span> in the app.",
            "The button is called Read more in the app.",
        ),
        (
            "A <a href=#>read more</a><span aria-hidden=true>→</span> leads on.",
            "A read more leads on.",
        ),
        ("The other <label>Show less</label> is there.", "The other Show less is there."),
        (
            "You can <a>read more</a> and <a href='#x'>see more</a> in the sections.",
            "You can read more and see more in the sections.",
        ),
        ("About the ferry you can <a href=#>read more</a>", "About the ferry you can read more"),
        ("It is called “<a href=#>Read more</a>”", "It is called “Read more”"),
        ("It is called \"<a href=#>Read more</a>\"", "It is called \"Read more\""),
        (
            "Hier kann man <b><a href=#>weiterlesen</a></b>, wenn man will.",
            "Hier kann man weiterlesen, wenn man will.",
        ),
        ("<a href=#>Read more</a> about the ferry here.", "Read more about the ferry here."),
        // A visible target.
        ("The ferry returns. <a href='#ferry'>Read more</a>", "The ferry returns. Read more"),
        // Toggles after or below a text.
        ("The ferry returns. <a href=#>Read more</a>", "The ferry returns."),
        (
            "The ferry will ret… <a href='#none'>Read more</a> <a href=#>Read less</a>",
            "The ferry will ret…",
        ),
        ("“The ferry returns” <span role=button>Read more</span>", "“The ferry returns”"),
        (
            "The ferry returns.<br><a href=#>Read more</a><br>In June.",
            "The ferry returns. In June.",
        ),
    ] {
        let found = read(&format!(
            "{}<p>{sentence}</p>{TEXT}<h2 id=ferry>The ferry</h2>{TEXT}",
            TEXT.repeat(4)
        ));
        for shown in found {
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                shown.contains(&format!("great cost. {expected} The old")),
                "{sentence}: {shown}"
            );
        }
    }
}

#[test]
fn reads_only_the_start_of_an_element_for_labels() {
    let found = |inner: String| {
        let tree = tree::page(&format!("<div>{inner}</div>")).unwrap();
        let div = tree.select(&Selector::parse("div").unwrap()).next().unwrap();
        Toggle::with_words(div)
    };
    assert_eq!(found("<b></b>Read <i>more</i> …".to_owned()), Some(Toggle::Read));
    assert_eq!(found("<b></b>".repeat(200) + "Read more"), None);
    assert_eq!(found("<!---->".repeat(200) + "Read more"), None);
    assert_eq!(found(". ".repeat(200) + "Read more"), None);
}

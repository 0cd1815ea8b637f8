//! Tests of reading: find, links, footnotes, width, zen mode, the next item, and the reading position.

use crate::term::{Term, key};
use crate::world::World;
use newsfed::demo::server::{Reply, Server};

/// A feed with a long article and a short one.
fn world() -> World {
    let lines: String = (1..=200)
        .map(|n| format!("<p>Paragraph {n} of the long article, with some words.</p>"))
        .collect();
    let long = format!(
        "<p>It begins<sup id=r><a href='#n'>1</a></sup> with a \
         <a href='http://site.example/linked'>link</a>.</p>\
         <pre>let far = &quot;{}&quot;; // the end of the line\nshort();</pre>{lines}\
         <p>日本語の文章もここにあります。</p><ol><li id=n>A note at the end.</li></ol>",
        "far ".repeat(60)
    );
    let escaped = long.replace('&', "&amp;").replace('<', "&lt;");
    let feed = format!(
        "<rss version=\"2.0\"><channel><title>Long</title><link>http://site.example/</link>\
         <item><title>Long article</title><guid>1</guid><link>http://site.example/1</link>\
         <pubDate>Wed, 03 Jan 2024 00:00:00 GMT</pubDate><description>{escaped}</description></item>\
         <item><title>Short article</title><guid>2</guid><link>http://site.example/2</link>\
         <pubDate>Tue, 02 Jan 2024 00:00:00 GMT</pubDate><description>A short text.</description>\
         </item></channel></rss>"
    );
    let reply = Reply::ok("application/rss+xml", feed);
    let server = Server::start(move |_| reply.clone()).unwrap();
    World::following(server, ["/feed.xml".to_owned()])
}

fn opened(world: &World, cols: u16, rows: u16) -> Term {
    let mut t = world.open(cols, rows);
    t.wait_for("Short article");
    t.send(key::ENTER);
    t.wait_for("It begins");
    t
}

fn quit(mut t: Term) {
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
}

#[test]
fn finds_text_while_typing() {
    let world = world();
    let mut t = opened(&world, 80, 24);
    t.send(key::CTRL_F);
    t.wait_for("Find in text");
    t.send("paragraph 15");
    t.wait_for("(1 of 11)");
    t.wait_for("Paragraph 15 of");
    t.send("0");
    t.wait_for("(1 of 1)");
    t.wait_for("Paragraph 150 of");
    t.send("\u{7f}");
    t.wait_for("(1 of 11)");
    t.send(key::ENTER);
    t.wait_for("n next match");
    t.send("n");
    t.wait_for("2 of 11");
    t.send("NN");
    t.wait_for("11 of 11");
    t.wait_for("Paragraph 159 of");
    t.send(key::ESC);
    t.wait_gone("11 of 11");
    t.send(key::CTRL_F);
    t.send("文章も");
    t.wait_for("(1 of 1)");
    t.wait_for("日本語の文章もここにあります");
    // Esc returns to the position before the search.
    t.send(key::ESC);
    t.wait_for("Paragraph 159 of");
    quit(t);
}

#[test]
fn opens_links_and_footnotes_by_letter_and_number() {
    let world = world();
    world.browser_that_writes("opened");
    let mut t = opened(&world, 80, 24);
    t.send(";");
    t.wait_for("beginsa");
    t.wait_for("links.");
    t.send("a");
    t.wait_for("▸ ⁽¹⁾ A note at the end.");
    t.send(key::CTRL_O);
    t.wait_for("begins⁽¹⁾");
    t.send(";s");
    world.wait_for_file("opened");
    assert_eq!(world.read("opened"), "1 http://site.example/linked\n");
    std::fs::remove_file(world.path("opened")).unwrap();
    t.send("1");
    world.wait_for_file("opened");
    t.send("7");
    t.wait_for("Link 7 does not exist");
    quit(t);
}

#[test]
fn scrolls_wide_lines_that_are_not_wrapped() {
    let world = world();
    let mut t = opened(&world, 80, 24);
    t.wait_for("↳");
    t.send(".");
    t.wait_until("a marker where the line is clipped", |s| {
        s.contains("far far") && s.contains('›')
    });
    for _ in 0..30 {
        t.send(key::RIGHT);
    }
    t.wait_for("the end of the line");
    t.wait_for("‹");
    for _ in 0..40 {
        t.send(key::LEFT);
    }
    // At the left edge, the key moves the focus to another pane.
    t.wait_focus("newsfed");
    quit(t);
}

#[test]
fn saves_the_width_and_supports_zen_mode() {
    let world = world();
    let mut t = opened(&world, 120, 30);
    t.send("z");
    t.wait_until("zen mode", |s| !s.contains("All unread"));
    t.send("--");
    t.wait_for("Text width 64");
    let column = |s: &str| s.lines().find_map(|l| l.find("It begins"));
    t.wait_until("centered", |s| column(s) == Some((120 - 64) / 2));
    t.send("z");
    t.wait_for("All unread");
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    assert!(world.read("config/config.toml").contains("reader_width = 64"));
    quit(world.open(120, 30));
}

#[test]
fn offers_the_next_unread_item_at_the_end() {
    let world = world();
    let mut t = opened(&world, 80, 24);
    t.send("G");
    t.wait_for("end of the article · Space: next unread");
    t.send(" ");
    t.wait_for("A short text.");
    t.send("n");
    t.wait_for("No more unread items");
    quit(t);
}

/// The number of the first paragraph that begins on the screen.
fn paragraph(screen: &str) -> Option<u32> {
    screen.split("Paragraph ").nth(1)?.split(' ').next()?.parse().ok()
}

#[test]
fn reopens_an_article_at_its_last_position() {
    let world = world();
    let mut t = opened(&world, 80, 24);
    t.send(" ");
    t.wait_until("the next page", |s| !s.contains("It begins") && paragraph(s).is_some());
    let first = paragraph(&t.screen());
    t.send("n");
    t.wait_for("A short text.");
    t.send("hk");
    t.send(key::ENTER);
    t.wait_until("the same position", |s| paragraph(s) == first);
    t.send(" ");
    t.wait_until("the page after it", |s| paragraph(s) > first);
    let second = paragraph(&t.screen());
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    // After a restart with a different width, the same text is at the top.
    let mut t = world.open(120, 30);
    t.wait_focus("All unread");
    t.send(key::TAB);
    t.wait_focus("newsfed");
    t.send("jj");
    t.wait_title("All items");
    t.send(key::ENTER);
    t.wait_for("Long article");
    t.send(key::ENTER);
    t.wait_until("the last position", |s| paragraph(s) == second);
    t.kill("TERM");
    assert_eq!(t.exit_code(), 0);
}

//! Pictures on terminals that can draw pixels: recorded replies to queries, and the resulting output.

use crate::term::{Term, key};
use crate::world::World;
use base64::Engine;
use newsfed::demo::server::{Reply, Server};

/// Recorded replies of terminals to the queries.
const KITTY: &str = "\x1bP>|kitty(0.36.4)\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;52;c";
const FOOT: &str = "\x1bP>|foot(1.16.2)\x1b\\\x1b[6;20;10t\x1b[?62;4;22;28c";
const ITERM: &str = "\x1bP>|iTerm2 3.5.10\x1b\\\x1b[6;20;10t\x1b[?62;4c";
const LINUX: &str = "\x1b[?6c";
const QUERY: &str = "\x1b_Gi=31,";

/// A feed with an article that has a red picture of 300 by 200 pixels.
fn world() -> World {
    let mut png = std::io::Cursor::new(Vec::new());
    let red = image::RgbImage::from_pixel(300, 200, image::Rgb([250, 0, 0]));
    red.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let png = png.into_inner();
    let text = "&lt;p&gt;Before it.&lt;/p&gt;&lt;img src='/red.png' alt='A red field'&gt;\
                &lt;p&gt;After it.&lt;/p&gt;";
    let server = Server::start(move |request| match request.path.as_str() {
        "/red.png" => Reply::ok("image/png", png.clone()),
        "/feed.xml" => {
            let host = String::from_utf8_lossy(request.header("host").unwrap_or_default());
            Reply::ok(
                "application/rss+xml",
                format!(
                    "<rss version=\"2.0\"><channel><title>Red</title><item><title>A field</title>\
                     <guid>1</guid><link>http://{host}/1</link>\
                     <pubDate>Wed, 03 Jan 2024 00:00:00 GMT</pubDate>\
                     <description>{text}</description></item></channel></rss>"
                ),
            )
        }
        _ => Reply::status(404),
    });
    World::following(server.unwrap(), ["/feed.xml".to_owned()])
}

fn open(world: &World, setting: &str, env: &[(&str, &str)]) -> Term {
    let env = [&[("COLORTERM", "truecolor")], env].concat();
    world.open_set_with(setting, &env, 80, 40)
}

/// Opens the article in a terminal that sends these replies.
fn opened(world: &World, replies: &str) -> Term {
    let mut t = open(world, "ui.images=true", &[]);
    t.wait_written(QUERY);
    t.send(replies);
    t.wait_for("A field");
    t.send(key::ENTER);
    t.wait_for("Before it");
    t
}

fn quit(mut t: Term) -> String {
    t.send("Q");
    assert_eq!(t.exit_code(), 0);
    String::from_utf8_lossy(&t.written()).into_owned()
}

/// Decodes a picture from Base64.
fn decoded(base64: &str) -> image::RgbImage {
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64).unwrap();
    image::load_from_memory(&bytes).unwrap().into_rgb8()
}

fn is_red(picture: &image::RgbImage) -> bool {
    picture.pixels().all(|p| p.0[0] > 230 && p.0[1] < 20 && p.0[2] < 20)
}

#[test]
fn kitty_receives_the_picture_once_and_deletes_it() {
    let world = world();
    let mut t = opened(&world, KITTY);
    t.wait_written("\x1b_Ga=p,");
    t.send("?");
    t.wait_for("Find:");
    t.wait_written("\x1b_Ga=d,d=i,");
    t.send(key::ESC);
    t.wait_gone("Find:");
    let written = quit(t);
    let pieces: String = written
        .split("\x1b_G")
        .filter(|part| part.starts_with("a=t,f=100,") || part.starts_with("m="))
        .filter_map(|part| part.split_once(';')?.1.split_once('\x1b'))
        .map(|(data, _)| data)
        .collect();
    let picture = decoded(&pieces);
    assert!(picture.dimensions() == (300, 200) && is_red(&picture), "{:?}", picture.dimensions());
    assert_eq!(written.matches("\x1b_Ga=t,").count(), 1);
    // At 10 by 20 pixels per cell, 300 by 200 pixels are 30 by 10 cells.
    assert!(written.matches("c=30,r=10,y=0,h=200,C=1").count() >= 2, "even after the dialog");
    assert!(written.trim_end().contains("\x1b_Ga=d,d=I,"));
    let (pictures, after) = (written.rfind("\x1b_G"), written.rfind("\x1b[?1049l"));
    assert!(pictures < after, "nothing is left when the screen is");
    assert!(!written.contains("\x1bP0;1;0q") && !written.contains("1337;File"));
}

#[test]
fn sends_pictures_as_sixels_and_to_iterm2() {
    let world = world();
    let t = opened(&world, FOOT);
    t.wait_written("\x1bP0;1;0q\"1;1;300;198#0;2;98;0;0#0!300~-");
    let written = quit(t);
    assert!(!written.contains("\x1b_Ga=") && !written.contains("1337;File"));
    let world = self::world();
    let t = opened(&world, ITERM);
    t.wait_written("\x1b]1337;File=");
    let written = quit(t);
    let rows: Vec<_> = written.split("\x1b]1337;File=").skip(1).collect();
    assert!(rows.len() >= 10 && rows.iter().all(|row| row.contains("width=30;height=1;")));
    let row = rows[0].split_once(':').unwrap().1.split_once('\x07').unwrap().0;
    assert!(decoded(row).dimensions() == (300, 20) && is_red(&decoded(row)));
}

#[test]
fn other_terminals_receive_half_blocks() {
    let world = world();
    let pixels = ["\x1b_Ga=", "\x1bP0;", "1337;File"];
    let t = opened(&world, LINUX);
    t.wait_for("▀▀▀▀▀");
    let written = quit(t);
    assert!(pixels.iter().all(|p| !written.contains(p)));
    // The settings override the terminal's reply, and unnecessary queries are not sent.
    let world = self::world();
    let mut t = open(&world, "ui.images=true", &[("NO_COLOR", "1")]);
    t.wait_for("A field");
    t.send(key::ENTER);
    t.wait_for("▣ A red field");
    let written = quit(t);
    assert!(!written.contains(QUERY) && pixels.iter().all(|p| !written.contains(p)));
}

#[test]
fn queries_the_terminal_when_pictures_are_first_needed() {
    let world = world();
    let mut t = open(&world, "ui.images=false", &[]);
    t.wait_for("A field");
    t.send(key::ENTER);
    t.wait_for("▣ A red field");
    let before = t.written();
    assert!(!String::from_utf8_lossy(&before).contains(QUERY));
    t.send("I");
    t.wait_written(QUERY);
    // A key pressed before the reply is not lost.
    t.send("?");
    t.send(KITTY);
    t.wait_for("Find:");
    t.send(key::ESC);
    t.wait_gone("Find:");
    t.wait_written("\x1b_Ga=p,");
    quit(t);
}

#[test]
fn late_replies_are_not_read_as_keys() {
    let world = world();
    let mut t = open(&world, "ui.images=true", &[]);
    t.wait_for("A field");
    // If the reply were read as keys, `q` or `Q` in the name would quit the program.
    t.send("\x1bP>|Qq(1)\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;4c");
    t.send(key::ENTER);
    t.wait_for("Before it");
    t.wait_for("▀▀▀▀▀");
    quit(t);
}

#[test]
fn shows_pictures_that_are_embedded_in_a_page() {
    let picture = |color| {
        let mut png = std::io::Cursor::new(Vec::new());
        let picture = image::RgbImage::from_pixel(300, 200, image::Rgb(color));
        picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
        let data = base64::engine::general_purpose::STANDARD.encode(png.into_inner());
        format!("<img alt='A plot' src='data:image/png;base64,{data}'><p>Below a plot.</p>")
    };
    let text = picture([250, 0, 0]) + &picture([0, 0, 250]);
    let server = Server::start(move |request| match request.path.as_str() {
        "/1" => Reply::ok("text/html", format!("<article><h1>Plots</h1>{text}</article>")),
        "/feed.xml" => {
            let host = String::from_utf8_lossy(request.header("host").unwrap_or_default());
            let feed = format!(
                "<rss version=\"2.0\"><channel><title>Plots</title><item><title>Two plots</title>\
                 <guid>1</guid><link>http://{host}/1</link><description><![CDATA[{text}]]>\
                 </description></item></channel></rss>"
            );
            Reply::ok("application/rss+xml", feed)
        }
        _ => Reply::status(404),
    });
    let world = World::following(server.unwrap(), ["/feed.xml".to_owned()]);
    let mut t = open(&world, "ui.images=true", &[]);
    t.wait_for("Two plots");
    t.send(key::ENTER);
    t.wait_for("Below a plot");
    t.wait_written(QUERY);
    t.send(LINUX);
    t.wait_gone("▣ A plot");
    t.wait_for("▀▀▀▀▀");
    quit(t);
    assert_eq!(world.requests("/1"), 1);
}

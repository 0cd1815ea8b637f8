//! Screens with colours and attributes, in the themes of four kinds of terminals.

use super::*;
use crate::config::{Depth, MIN_CONTRAST, Role, theme_names};
use crate::util::color::{self, Rgb};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color as Ink, Modifier};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const SIZE: (u16, u16) = (100, 20);
const TERMINALS: [(&str, ColorSupport); 4] = [
    ("dark", ColorSupport { depth: Depth::True, light: false, ascii: false }),
    ("light", ColorSupport { depth: Depth::True, light: true, ascii: false }),
    ("16", ColorSupport { depth: Depth::Sixteen, light: false, ascii: false }),
    ("mono", ColorSupport { depth: Depth::Mono, light: false, ascii: false }),
];
/// Names of the main screens, and the keys that open them.
const SCREENS: [(&str, &str); 4] =
    [("list", "<Down><Down>"), ("reader", "<Enter>"), ("dialog", ":the"), ("message", "p")];

fn stage(theme: &str, support: ColorSupport, keys: &str) -> Stage {
    let mut settings = Settings::default();
    settings.ui.theme = theme.to_owned();
    let mut stage = Stage::new();
    stage.app.palette = Palette::of(&settings, support);
    stage.app.settings = settings;
    stage.screen(SIZE.0, SIZE.1);
    stage.keys(keys);
    stage
}

pub(super) fn drawn(stage: &mut Stage, (width, height): (u16, u16)) -> Buffer {
    stage.happen(Event::Resized(width, height));
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view::draw(&mut stage.app, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// A description of a style, such as `#d6d4ce on #13151b bold`.
fn describe(cell: &Cell) -> String {
    let ink = |ink: Ink| match ink {
        Ink::Reset => "default".to_owned(),
        Ink::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        other => format!("{other:?}").to_lowercase(),
    };
    let mut words = format!("{} on {}", ink(cell.fg), ink(cell.bg));
    for modifier in cell.modifier.iter_names() {
        write!(words, " {}", modifier.0.to_lowercase()).unwrap();
    }
    words
}

/// Each row as text, with a letter below each cell for its style, followed by a list of the styles.
pub(super) fn styled(buffer: &Buffer) -> String {
    let mut styles: Vec<String> = Vec::new();
    let mut out = String::new();
    for row in buffer.content.chunks(buffer.area.width.into()) {
        let mut skip = 0;
        let (mut text, mut letters) = (String::new(), String::new());
        for cell in row {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            skip = crate::util::text::width(cell.symbol()).saturating_sub(1);
            text.push_str(cell.symbol());
            let style = describe(cell);
            let at = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            let letter = char::from(b'a' + u8::try_from(at % 26).unwrap());
            let letter = if at < 26 { letter } else { letter.to_ascii_uppercase() };
            letters.push_str(&letter.to_string().repeat(skip + 1));
        }
        writeln!(out, "{}\n{letters}", text.trim_end()).unwrap();
    }
    for (at, style) in styles.iter().enumerate() {
        let letter = char::from(b'a' + u8::try_from(at % 26).unwrap());
        let letter = if at < 26 { letter } else { letter.to_ascii_uppercase() };
        writeln!(out, "{letter}: {style}").unwrap();
    }
    out
}

#[test]
fn draws_the_main_screens_in_four_kinds_of_terminals() {
    for (terminal, support) in TERMINALS {
        for (screen, keys) in SCREENS {
            let mut stage = stage("auto", support, keys);
            let buffer = drawn(&mut stage, SIZE);
            insta::assert_snapshot!(format!("{screen}-{terminal}"), styled(&buffer));
        }
    }
}

/// Whether a cell contains text, not a character that draws lines, bars or surfaces.
fn is_text(cell: &Cell) -> bool {
    let drawing = "─│━╭╮╰╯┌┐└┘▌▏▐▕▎▔▁▂▃▄▅▆▇█░▒▓▀";
    !cell.symbol().chars().all(|c| c == ' ' || c == '\u{a0}' || drawing.contains(c))
}

#[test]
fn text_on_the_screen_is_readable_in_every_theme() {
    let rgb = |ink: Ink| -> Option<Rgb> {
        match ink {
            Ink::Rgb(r, g, b) => Some([r, g, b]),
            Ink::Indexed(i @ 16..) => Some(color::of_index(i)),
            _ => None,
        }
    };
    for theme in theme_names(&BTreeMap::new()) {
        for depth in [Depth::True, Depth::Indexed] {
            for keys in ["<Down>", "<Enter>", "<Tab>", "p"] {
                let mut stage = stage(&theme, ColorSupport { depth, ..ColorSupport::DARK }, keys);
                let buffer = drawn(&mut stage, SIZE);
                for cell in buffer.content.iter().filter(|cell| is_text(cell)) {
                    let (Some(text), Some(ground)) = (rgb(cell.fg), rgb(cell.bg)) else { continue };
                    let contrast = color::contrast(text, ground);
                    let symbol = cell.symbol();
                    assert!(
                        contrast >= MIN_CONTRAST - 0.01,
                        "{theme} {depth:?} {keys:?}: {symbol:?} {} has {contrast:.2}",
                        describe(cell)
                    );
                }
            }
        }
    }
}

#[test]
fn ascii_mode_draws_only_ascii() {
    for (keys, dialog) in [("", false), ("<Tab>", false), (",", true), ("w", true), ("?", true)] {
        let mut settings = Settings::default();
        settings.ui.ascii = true;
        let mut rows = item_rows();
        rows.retain(|row| row.title.is_ascii());
        rows[0].title = "a long title ".repeat(20);
        let mut stage = Stage::with(settings, source_list(), rows);
        for size in [(50, 15), (80, 24), (140, 40)] {
            stage.screen(size.0, size.1);
            stage.keys(keys);
            let screen = stage.screen(size.0, size.1);
            let odd = screen.chars().find(|c| !c.is_ascii());
            assert_eq!(odd, None, "{keys} {size:?}\n{screen}");
            if dialog {
                stage.keys("<Esc>");
            }
        }
    }
}

#[test]
fn linear_mode_shows_one_thing_per_line_without_charts() {
    let dialogs = ["w", ",", "?", "%", "v", "a", ":"];
    for (keys, dialog) in [("", false), ("<Tab>", false)]
        .into_iter()
        .chain(dialogs.into_iter().map(|keys| (keys, true)))
    {
        let mut settings = Settings::default();
        (settings.ui.linear, settings.ui.ascii) = (true, true);
        let mut stage = Stage::with(settings, source_list(), item_rows());
        for size in [(40, 12), (80, 24), (160, 50)] {
            stage.screen(size.0, size.1);
            stage.keys(keys);
            let screen = stage.screen(size.0, size.1);
            let is_drawn = |line: &str| line.contains("---") || line.contains("===");
            assert!(!screen.lines().any(is_drawn), "{keys} {size:?}\n{screen}");
            let is_parted = |line: &str| line.contains(" | ") && !line.contains("Pipe");
            assert!(!screen.lines().any(is_parted), "{keys} {size:?}\n{screen}");
            let charts = ["_..", ":::", "###", "##"];
            assert!(!charts.iter().any(|part| screen.contains(part)), "{keys} {size:?}\n{screen}");
            if dialog {
                stage.keys("<Esc>");
            }
        }
    }
}

#[test]
fn linear_mode_names_states_in_words() {
    let mut settings = Settings::default();
    (settings.ui.linear, settings.ui.ascii) = (true, true);
    let mut list = source_list();
    list.sources[1].facts.fail_count = 1;
    let mut rows = item_rows();
    rows[0].pinned = true;
    let mut stage = Stage::with(settings, list, rows);
    let items = stage.screen(120, 40);
    assert!(items.contains("Pinned, Unread: Kernel notes for 6.19; Kernel notes"), "{items}");
    assert!(items.contains("4 min ago"), "{items}");
    // Moving the selection changes only the cursor and attributes, so that only the new row is read aloud.
    stage.keys("j");
    assert_eq!(stage.screen(120, 40), items);
    stage.app.note("Copied");
    let after = stage.screen(120, 40);
    assert_eq!(after.lines().last().map(str::trim), Some("Copied"), "{after}");
    stage.keys("gs");
    let sources = stage.screen(120, 40);
    assert!(sources.contains("Folder City, unfolded"), "{sources}");
    assert!(sources.contains(", failing"), "{sources}");
}

/// A change to the interface's state.
type Change<'a> = &'a dyn Fn(&mut Stage);

#[test]
fn states_differ_in_more_than_colour() {
    // Characters and attributes, without colours.
    let seen = |buffer: &Buffer| -> Vec<(String, Modifier)> {
        buffer.content.iter().map(|cell| (cell.symbol().to_owned(), cell.modifier)).collect()
    };
    for (terminal, support) in TERMINALS {
        for ascii in [false, true] {
            let screen = |change: &dyn Fn(&mut Stage)| {
                let mut stage = stage("auto", support, "");
                stage.app.settings.ui.ascii = ascii;
                change(&mut stage);
                seen(&drawn(&mut stage, SIZE))
            };
            let usual = screen(&|_| {});
            let states: [(&str, Change<'_>); 7] = [
                ("selection", &|stage| stage.app.items.selected = 1),
                ("focus", &|stage| stage.app.focus = Focus::Sources),
                ("read", &|stage| stage.app.items.rows[0].read = true),
                ("pinned", &|stage| stage.app.items.rows[0].pinned = true),
                ("changed", &|stage| stage.app.items.rows[0].substantial = true),
                ("marked", &|stage| {
                    let key = stage.app.items.rows[0].key;
                    stage.app.items.marked.insert(key);
                }),
                ("problem", &|stage| {
                    stage.app.problem("it failed");
                }),
            ];
            for (state, change) in states {
                assert_ne!(screen(change), usual, "{state} in {terminal}, ASCII {ascii}");
            }
        }
    }
}

#[test]
fn previews_every_theme_while_it_is_selected() {
    let names = theme_names(&BTreeMap::new());
    assert!(names.len() > 10, "{names:?}");
    for width in [120, 80, 60] {
        let mut stage = Stage::new();
        stage.screen(width, 36);
        stage.choose_theme("t", "");
        assert_eq!(stage.app.palette.name(), names[0], "the theme in use is the selected one");
        for name in &names[1..] {
            stage.keys("<Right>");
            assert_eq!(stage.app.palette.name(), name);
        }
        stage.keys("<Up>");
        assert_eq!(stage.app.palette.name(), names[names.len() - 2], "{width}");
        stage.keys("<Down><Enter>");
        assert_eq!(stage.app.palette.name(), names[names.len() - 1]);
        assert_eq!(stage.asked_for("Edit"), 1, "{:?}", stage.requested);
    }
}

#[test]
fn a_late_reply_about_the_background_changes_the_theme() {
    let mut stage = Stage::new();
    let ground = |stage: &Stage| stage.app.palette.style(Role::Ground).bg;
    let dark = ground(&stage);
    stage.happen(Event::BackgroundFound(true));
    assert_ne!(ground(&stage), dark);
    stage.happen(Event::BackgroundFound(false));
    assert_eq!(ground(&stage), dark);
}

#[test]
fn the_current_match_is_distinct_in_every_terminal() {
    for (terminal, support) in TERMINALS {
        let mut stage = stage("auto", support, "");
        let html = "<p>a bridge and a bridge</p>";
        let document = Arc::new(from_html(html, None));
        stage.shown = Some(Article { document, ..article(item_rows()[0].clone()) });
        stage.keys("<Enter>");
        drawn(&mut stage, SIZE);
        stage.keys("<C-f>bridge<Enter>");
        let buffer = drawn(&mut stage, SIZE);
        let area = stage.app.areas.reader.unwrap();
        let row = (area.x..area.right()).map(|x| &buffer[(x, area.y)]);
        let styles: Vec<_> = row.map(|cell| (cell.fg, cell.bg, cell.modifier)).collect();
        let text: String = (area.x..area.right()).map(|x| buffer[(x, area.y)].symbol()).collect();
        let [first, second] =
            ["bridge", " and a bridge"].map(|found| text.find(found).unwrap() + found.len() - 1);
        assert_ne!(styles[first], styles[second], "{terminal}");
        assert_ne!(styles[second], styles[text.find("and").unwrap()], "{terminal}");
    }
}

#[test]
fn without_colors_a_scroll_bar_is_dim() {
    for (theme, support) in TERMINALS {
        let mut stage = stage("auto", support, "?");
        let buffer = drawn(&mut stage, (100, 20));
        let thumb = buffer.content.iter().find(|cell| cell.symbol() == "▐").unwrap();
        assert_eq!(thumb.modifier.contains(Modifier::DIM), theme == "mono", "{theme}");
    }
}

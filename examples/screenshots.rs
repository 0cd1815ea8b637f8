//! Runs the demo in a pseudo-terminal, presses keys, and saves the screens as SVG.
//!
//! `cargo run --example screenshots [-- FOLDER]` writes to `docs/images`. The pictures show the real screen
//! at a fixed time, so they only change if the program does. With `--recording` as the first argument, it
//! writes `demo.cast` (for asciinema) and `demo.svg` instead.

#[path = "../tests/tui/term.rs"]
#[allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "shared with the tests")]
mod term;

#[path = "screenshots/names.rs"]
mod names;
#[path = "screenshots/recording.rs"]
mod recording;
#[path = "../tests/cli/sites.rs"]
#[allow(clippy::unwrap_used, reason = "shared with the tests")]
mod sites;
#[path = "screenshots/stage.rs"]
mod stage;

use anyhow::Result;
use portable_pty::CommandBuilder;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use term::{Term, key};

/// A screen: file name, size in cells, theme, and the keys and waits that lead to it.
struct Shot {
    name: &'static str,
    size: (u16, u16),
    theme: &'static str,
    steps: &'static [Step],
}

enum Step {
    Press(&'static str),
    /// Waits until the screen contains a text.
    See(&'static str),
}
use Step::{Press, See};

/// A site without a feed.
const COUNCIL: &str = "http://council.example/\r";
/// Waits for an item of the demo; its title may be cut off.
const READY: Step = See("Harbour bridge");
/// Lists the items of a source with a long article.
const GO: &[Step] =
    &[READY, Press("\x10Kernel\r"), See("tiny allocator"), Press(key::ENTER), See("min left")];

const SHOTS: &[Shot] = &[
    Shot { name: "main", size: (120, 36), theme: "dark", steps: &[READY] },
    Shot { name: "main-light", size: (120, 36), theme: "light", steps: &[READY] },
    Shot { name: "main-mono", size: (80, 24), theme: "mono", steps: &[READY] },
    Shot { name: "main-narrow", size: (50, 15), theme: "dark", steps: &[READY] },
    Shot { name: "reader", size: (120, 36), theme: "dark", steps: GO },
    Shot {
        name: "changes",
        size: (120, 36),
        theme: "dark",
        steps: &[
            READY,
            Press("/is:changed\r"),
            See("will not open"),
            Press(key::ENTER),
            See("Three of"),
            Press("D"),
            See("{+not+}"),
        ],
    },
    Shot {
        name: "search",
        size: (120, 36),
        theme: "dark",
        steps: &[READY, Press("/the source:"), See("eleven times")],
    },
    Shot {
        name: "ways",
        size: (120, 36),
        theme: "dark",
        steps: &[READY, Press("a"), See("Add"), Press(COUNCIL), See("best match")],
    },
    Shot {
        name: "workbench",
        size: (120, 36),
        theme: "dark",
        steps: &[
            READY,
            Press("a"),
            See("Add"),
            Press(COUNCIL),
            See("best match"),
            Press("e"),
            See("Found "),
            See("Eleven lime"),
        ],
    },
    Shot {
        name: "schedule",
        size: (120, 36),
        theme: "dark",
        steps: &[READY, Press("w"), See("Checks")],
    },
    Shot {
        name: "settings",
        size: (120, 36),
        theme: "dark",
        steps: &[READY, Press(","), See("config.toml")],
    },
    Shot {
        name: "commands",
        size: (120, 36),
        theme: "dark",
        steps: &[READY, Press(":"), See("Commands")],
    },
    Shot { name: "help", size: (120, 36), theme: "dark", steps: &[READY, Press("?"), See("Find")] },
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|argument| argument == stage::ARGUMENT).is_some() {
        return stage::run(&arguments.next().unwrap_or_default());
    }
    let recorded = arguments.next_if(|argument| argument == "--recording").is_some();
    let folder = arguments.next().map_or_else(|| "docs/images".into(), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let program = std::env::current_exe()?;
    let names = names::Names::start()?;
    if recorded {
        return recording::write(&program, &names, &folder);
    }
    for shot in SHOTS {
        let svg = take(&program, &names, shot);
        std::fs::write(folder.join(format!("{}.svg", shot.name)), svg)?;
    }
    Ok(())
}

/// Starts the interface in a pseudo-terminal, with the clock and the sources of [`stage`].
fn open(program: &Path, names: &names::Names, theme: &str, size: (u16, u16)) -> Term {
    let mut command = CommandBuilder::new(program);
    command.arg(stage::ARGUMENT);
    command.arg(theme);
    command.env("TZ", "UTC");
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    command.env("COLORFGBG", "15;0");
    command.env("LC_ALL", "C.UTF-8");
    command.env("http_proxy", names.proxy());
    command.env("no_proxy", "127.0.0.0/8");
    Term::spawn(command, size.0, size.1)
}

fn take(program: &Path, names: &names::Names, shot: &Shot) -> String {
    let mut term = open(program, names, shot.theme, shot.size);
    for step in shot.steps {
        step.perform(&mut term);
        term.settle();
    }
    let svg = term.with_screen(|screen| svg(screen, shot));
    // Dropping the terminal stops the program.
    svg
}

impl Step {
    fn perform(&self, term: &mut Term) {
        match self {
            Self::Press(keys) => term.send(keys),
            Self::See(text) => term.wait_for(text),
        }
    }
}

/// Size of a cell, in pixels.
const CELL: (u16, u16) = (9, 19);
/// Font size, in pixels.
const FONT: u16 = 15;

/// Default foreground and background.
fn defaults(theme: &str) -> [&'static str; 2] {
    if theme == "light" { ["#1c1c1c", "#ffffff"] } else { ["#d6d4ce", "#13151b"] }
}

/// The start of the SVG of a screen, with its background.
fn head((columns, rows): (u16, u16), background: &str) -> String {
    let (width, height) = (columns * CELL.0, rows * CELL.1);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"{FONT}\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{background}\"/>\n"
    )
}

fn svg(screen: &vt100::Screen, shot: &Shot) -> String {
    let colours = defaults(shot.theme);
    let mut out = head(shot.size, colours[1]);
    for row in 0..shot.size.1 {
        line(&mut out, screen, (row, row), shot.size.0, colours);
    }
    out.push_str("</svg>\n");
    out
}

/// Draws one row of a screen into a row of the picture: backgrounds first, then text, in runs of equal style.
fn line(
    out: &mut String,
    screen: &vt100::Screen,
    (row, at): (u16, u16),
    columns: u16,
    [text, background]: [&str; 2],
) {
    let mut column = 0;
    while column < columns {
        let start = column;
        let style = style(screen, row, column, [text, background]);
        let mut run = String::new();
        while column < columns && self::style(screen, row, column, [text, background]) == style {
            let cell = screen.cell(row, column);
            let symbol = cell.map(vt100::Cell::contents).unwrap_or_default();
            run.push_str(if symbol.is_empty() { " " } else { symbol });
            let wide = cell.is_some_and(vt100::Cell::is_wide);
            column += if wide { 2 } else { 1 };
            // A wide character ends its run, because its width varies between fonts.
            if wide {
                break;
            }
        }
        draw(out, &run, &style, (start, at), column - start, background);
    }
}

#[derive(PartialEq)]
struct Style {
    foreground: String,
    background: String,
    attributes: String,
}

fn style(screen: &vt100::Screen, row: u16, column: u16, defaults: [&str; 2]) -> Style {
    let Some(cell) = screen.cell(row, column) else {
        let [foreground, background] = defaults.map(str::to_owned);
        return Style { foreground, background, attributes: String::new() };
    };
    let mut foreground = colour(cell.fgcolor(), defaults[0]);
    let mut background = colour(cell.bgcolor(), defaults[1]);
    if cell.inverse() {
        std::mem::swap(&mut foreground, &mut background);
    }
    let mut attributes = String::new();
    for (set, attribute) in [
        (cell.bold(), " font-weight=\"bold\""),
        (cell.italic(), " font-style=\"italic\""),
        (cell.underline(), " text-decoration=\"underline\""),
        (cell.dim(), " opacity=\"0.6\""),
    ] {
        if set {
            attributes.push_str(attribute);
        }
    }
    Style { foreground, background, attributes }
}

fn draw(out: &mut String, run: &str, style: &Style, at: (u16, u16), cells: u16, page: &str) {
    let (x, y, width) = (at.0 * CELL.0, at.1 * CELL.1, cells * CELL.0);
    let Style { foreground, background, attributes } = style;
    if background != page {
        let height = CELL.1;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{background}\"/>"
        );
    }
    if run.trim().is_empty() {
        return;
    }
    let (mut run, mut x, mut cells) = (run, x, cells);
    if !attributes.contains("underline") {
        let start = run.len() - run.trim_start_matches(' ').len();
        let end = run.len() - run.trim_end_matches(' ').len();
        run = run.trim_matches(' ');
        // A space is one byte and one cell.
        let [start, end] = [start, end].map(|n| u16::try_from(n).unwrap_or(cells));
        x += start * CELL.0;
        cells -= start + end;
    }
    // `textLength` aligns the text with the grid, whatever font the viewer has.
    let width = cells * CELL.0;
    let text = run.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let spaces = if run.contains("  ") { " xml:space=\"preserve\"" } else { "" };
    let baseline = y + CELL.1 - 5;
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{baseline}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\"\
         {spaces} fill=\"{foreground}\"{attributes}>{text}</text>"
    );
}

/// A terminal colour as CSS; the first 16 colours are from a common dark palette.
fn colour(colour: vt100::Color, default: &str) -> String {
    const BASIC: [&str; 16] = [
        "#1c1c1c", "#cd3131", "#0dbc79", "#d7ba3d", "#2472c8", "#bc3fbc", "#11a8cd", "#c7c7c7",
        "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#e5e5e5",
    ];
    match colour {
        vt100::Color::Default => default.to_owned(),
        vt100::Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        vt100::Color::Idx(n @ 0..=15) => BASIC[usize::from(n)].to_owned(),
        vt100::Color::Idx(n @ 16..=231) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let n = n - 16;
            let [r, g, b] = [n / 36, n / 6 % 6, n % 6].map(level);
            format!("#{r:02x}{g:02x}{b:02x}")
        }
        vt100::Color::Idx(n) => {
            let grey = 8 + 10 * (n - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

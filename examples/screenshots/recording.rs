//! A recording of the interface: the screen after each step, shown for the duration that the step specifies.
//! The time that drawing took does not matter, so the files only change if the program does.

use crate::names::Names;
use crate::term::key;
use crate::{CELL, Press, See, Step, defaults, head, line, open};
use anyhow::Result;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

const SIZE: (u16, u16) = (112, 30);
const THEME: &str = "dark";

/// Steps, and how long the screen after them is shown, in tenths of a second.
const STEPS: &[(&[Step], u32)] = &[
    (&[See("Harbour bridge")], 20),
    (&[Press("j")], 5),
    (&[Press("j")], 5),
    (&[Press("j")], 12),
    (&[Press(key::ENTER), See("min read")], 25),
    (&[Press(" ")], 20),
    (&[Press("q"), See("All unread")], 12),
    (&[Press("/"), See("Tab lists")], 6),
    (&[Press("allo"), See("tiny allocator")], 8),
    (&[Press("cator"), See("tiny allocator")], 20),
    (&[Press(key::ESC), See("Ferry delayed")], 8),
    (&[Press("a"), See("Add a source")], 8),
    (&[Press("http://coun"), See("http://coun")], 4),
    (&[Press("cil.example/"), See("council.example/")], 8),
    (&[Press(key::ENTER), See("best match")], 35),
    (&[Press(key::ESC), Press(key::ESC), See("Ferry delayed")], 8),
    (&[Press("\x10Kernel\r"), See("tiny allocator")], 12),
    (&[Press("w"), See("Checks")], 40),
    (&[Press(key::ESC)], 15),
];

/// Writes `demo.cast` and `demo.svg`.
pub(crate) fn write(program: &Path, names: &Names, folder: &Path) -> Result<()> {
    let mut term = open(program, names, THEME, SIZE);
    let mut frames = vec![];
    for (steps, shown) in STEPS {
        for step in *steps {
            step.perform(&mut term);
        }
        term.settle();
        frames.push((term.with_screen(Clone::clone), *shown));
    }
    std::fs::write(folder.join("demo.cast"), cast(&frames)?)?;
    std::fs::write(folder.join("demo.svg"), svg(&frames))?;
    Ok(())
}

type Frame = (vt100::Screen, u32);

/// The asciicast v2 format of asciinema: a header, followed by pieces of output with their times in seconds.
fn cast(frames: &[Frame]) -> Result<String> {
    let (width, height) = SIZE;
    let header =
        serde_json::json!({ "version": 2, "width": width, "height": height, "title": "newsfed" });
    let (mut out, mut at) = (format!("{header}\n"), 0);
    let mut before: Option<&vt100::Screen> = None;
    for (screen, shown) in frames {
        let text = before.map_or_else(|| screen.state_formatted(), |old| screen.state_diff(old));
        writeln!(out, "{}", serde_json::json!([f64::from(at) / 10.0, "o", text]))?;
        before = Some(screen);
        at += shown;
    }
    writeln!(out, "{}", serde_json::json!([f64::from(at) / 10.0, "o", ""]))?;
    Ok(out)
}

/// A picture that shows one frame after another. Rows that occur in several frames are stored once.
fn svg(frames: &[Frame]) -> String {
    let colours = defaults(THEME);
    let mut rows: HashMap<String, usize> = HashMap::new();
    let (mut definitions, mut groups, mut style) = (String::new(), String::new(), String::new());
    let whole: u32 = frames.iter().map(|(_, shown)| shown).sum();
    let percent = |at: u32| f64::from(at) * 100.0 / f64::from(whole);
    let mut at = 0;
    for (number, (screen, shown)) in frames.iter().enumerate() {
        let _ = writeln!(groups, "<g class=\"f\" id=\"f{number}\">");
        for row in 0..SIZE.1 {
            let mut drawn = String::new();
            line(&mut drawn, screen, (row, 0), SIZE.0, colours);
            if drawn.is_empty() {
                continue;
            }
            // Keeps the file below the size limit of web pages that show pictures.
            drawn = drawn.replace(" lengthAdjust=\"spacingAndGlyphs\"", "");
            let next = rows.len();
            let id = *rows.entry(drawn.clone()).or_insert(next);
            if id == next {
                let _ = writeln!(definitions, "<g id=\"r{id}\">\n{drawn}</g>");
            }
            let _ = writeln!(groups, "<use href=\"#r{id}\" y=\"{}\"/>", row * CELL.1);
        }
        groups.push_str("</g>\n");
        let _ = writeln!(
            style,
            "#f{number}{{animation-name:k{number}}}\n@keyframes k{number}{{0%{{visibility:hidden}}\
             {:.3}%{{visibility:visible}}{:.3}%{{visibility:hidden}}}}",
            percent(at),
            percent(at + shown)
        );
        at += shown;
    }
    let seconds = f64::from(whole) / 10.0;
    let mut out = head(SIZE, colours[1]);
    // A viewer without animations shows the first frame.
    let _ = write!(
        out,
        "<style>\n.f{{visibility:hidden;animation:{seconds}s step-end infinite}}\n\
         #f0{{visibility:visible}}\n{style}</style>\n<defs>\n{definitions}</defs>\n{groups}</svg>\n"
    );
    out
}

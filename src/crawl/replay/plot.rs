//! Plots targets against requests, as a table and as an SVG.

use super::run::Replayed;
use std::fmt::Write;

/// Maximum number of points per curve.
const POINTS: usize = 400;
/// Size of the picture and its margin, in pixels.
const SIZE: (f64, f64) = (720.0, 440.0);
const MARGIN: f64 = 48.0;

/// One row per request: its number, and the targets found so far in each crawl.
pub fn curve_csv(crawls: &[Replayed]) -> String {
    let mut out = String::from("requests");
    for seed in 0..crawls.len() {
        let _ = write!(out, ",seed_{seed}");
    }
    out.push('\n');
    let longest = crawls.iter().map(|c| c.found.len()).max().unwrap_or(0);
    for at in 0..longest {
        let _ = write!(out, "{}", at + 1);
        for crawl in crawls {
            let _ = write!(out, ",{}", found(crawl, at));
        }
        out.push('\n');
    }
    out
}

/// Targets found after a request. A finished crawl finds no more.
fn found(crawl: &Replayed, at: usize) -> u32 {
    crawl.found.get(at).or(crawl.found.last()).copied().unwrap_or(0)
}

/// One line per crawl, with both axes.
pub fn curve_svg(crawls: &[Replayed], title: &str) -> String {
    let (width, height) = SIZE;
    let longest = crawls.iter().map(|c| c.found.len()).max().unwrap_or(0).max(1);
    let most = crawls.iter().filter_map(|c| c.found.last()).max().copied().unwrap_or(0).max(1);
    let x = |at: usize| MARGIN + (width - 2.0 * MARGIN) * at as f64 / longest as f64;
    let y = |n: u32| height - MARGIN - (height - 2.0 * MARGIN) * f64::from(n) / f64::from(most);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-size=\"14\">{}</text>\n\
         <path d=\"M{MARGIN} {MARGIN}V{}H{}\" fill=\"none\" stroke=\"black\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{longest} requests</text>\n\
         <text x=\"4\" y=\"{}\">{most} targets</text>\n",
        crate::util::html::escape(title),
        height - MARGIN,
        width - MARGIN,
        width - MARGIN,
        height - MARGIN / 2.0,
        MARGIN - 8.0,
    );
    let step = longest.div_ceil(POINTS);
    for crawl in crawls {
        let mut points = format!("M{:.1} {:.1}", x(0), y(0));
        for at in (0..longest).step_by(step).chain([longest - 1]) {
            let _ = write!(points, "L{:.1} {:.1}", x(at + 1), y(found(crawl, at)));
        }
        let _ = writeln!(
            out,
            "<path d=\"{points}\" fill=\"none\" stroke=\"#1f6feb\" stroke-opacity=\"0.5\"/>"
        );
    }
    out.push_str("</svg>\n");
    out
}

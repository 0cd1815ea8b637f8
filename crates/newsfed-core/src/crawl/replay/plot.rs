//! Plots targets against requests, and target bytes against other bytes, as tables and as SVG.

use super::run::Replayed;
use std::fmt::Write;

/// Maximum number of points per curve.
const POINTS: usize = 400;
/// Size of the image, in pixels.
const SIZE: (f64, f64) = (720.0, 440.0);
/// Margin of the image, in pixels.
const MARGIN: f64 = 48.0;

/// One row per request: its number, and the number of targets found so far in each crawl.
pub fn curve_csv(crawls: &[Replayed]) -> String {
    table(crawls, &["seed"], |crawl, at| vec![u64::from(found(crawl, at))])
}

/// One row per request: its number, and the target bytes and other bytes read so far in each crawl.
pub fn bytes_csv(crawls: &[Replayed]) -> String {
    let bytes = |crawl: &Replayed, at| vec![read(&crawl.volume, at), read(&crawl.other, at)];
    table(crawls, &["target_bytes", "other_bytes"], bytes)
}

fn table(
    crawls: &[Replayed],
    columns: &[&str],
    values: impl Fn(&Replayed, usize) -> Vec<u64>,
) -> String {
    let mut out = String::from("requests");
    for seed in 0..crawls.len() {
        for column in columns {
            let _ = write!(out, ",{column}_{seed}");
        }
    }
    out.push('\n');
    for at in 0..longest(crawls) {
        let _ = write!(out, "{}", at + 1);
        for value in crawls.iter().flat_map(|crawl| values(crawl, at)) {
            let _ = write!(out, ",{value}");
        }
        out.push('\n');
    }
    out
}

/// Number of targets found after a request. It stays constant after the end of a crawl.
fn found(crawl: &Replayed, at: usize) -> u32 {
    crawl.found.get(at).or(crawl.found.last()).copied().unwrap_or(0)
}

/// Number of bytes read after a request. It stays constant after the end of a crawl.
fn read(bytes: &[u64], at: usize) -> u64 {
    bytes.get(at).or(bytes.last()).copied().unwrap_or(0)
}

fn longest(crawls: &[Replayed]) -> usize {
    crawls.iter().map(|c| c.found.len()).max().unwrap_or(0)
}

/// Targets against requests, one line per crawl.
pub fn curve_svg(crawls: &[Replayed], title: &str) -> String {
    let point = |crawl: &Replayed, at: usize| (at as f64 + 1.0, f64::from(found(crawl, at)));
    svg(crawls, title, point, ["requests", "targets"])
}

/// Target bytes against other bytes, one line per crawl.
pub fn bytes_svg(crawls: &[Replayed], title: &str) -> String {
    let point = |crawl: &Replayed, at: usize| {
        (read(&crawl.other, at) as f64, read(&crawl.volume, at) as f64)
    };
    svg(crawls, title, point, ["other bytes", "bytes of targets"])
}

/// One line per crawl, with both axes.
fn svg(
    crawls: &[Replayed],
    title: &str,
    point: impl Fn(&Replayed, usize) -> (f64, f64),
    names: [&str; 2],
) -> String {
    let (width, height) = SIZE;
    let longest = longest(crawls).max(1);
    let ends = crawls.iter().map(|crawl| point(crawl, longest - 1));
    let (right, top) = ends.fold((1.0, 1.0), |(x, y), (a, b)| (a.max(x), b.max(y)));
    let x = |value: f64| MARGIN + (width - 2.0 * MARGIN) * value / right;
    let y = |value: f64| height - MARGIN - (height - 2.0 * MARGIN) * value / top;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-size=\"14\">{}</text>\n\
         <path d=\"M{MARGIN} {MARGIN}V{}H{}\" fill=\"none\" stroke=\"black\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{right} {}</text>\n\
         <text x=\"4\" y=\"{}\">{top} {}</text>\n",
        crate::util::html::escape(title),
        height - MARGIN,
        width - MARGIN,
        width - MARGIN,
        height - MARGIN / 2.0,
        names[0],
        MARGIN - 8.0,
        names[1],
    );
    let step = longest.div_ceil(POINTS);
    for crawl in crawls {
        let mut points = format!("M{:.1} {:.1}", x(0.0), y(0.0));
        for at in (0..longest).step_by(step).chain([longest - 1]) {
            let (a, b) = point(crawl, at);
            let _ = write!(points, "L{:.1} {:.1}", x(a), y(b));
        }
        let _ = writeln!(
            out,
            "<path d=\"{points}\" fill=\"none\" stroke=\"#1f6feb\" stroke-opacity=\"0.5\"/>"
        );
    }
    out.push_str("</svg>\n");
    out
}

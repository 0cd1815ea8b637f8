//! A plot of the targets found by the number of requests; plain text where there is no space or no Unicode.

use super::super::app::App;
use crate::config::Role;
use crate::engine::crawl::{CrawlState, Curve};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType};

/// Minimum width and height of a plot.
pub(super) const MIN: (u16, u16) = (40, 6);
/// Number of points at which the text reports the number of results.
const PARTS: u64 = 4;

/// Draws the plot. Its right edge is the last request.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, crawl: &CrawlState, area: Rect) {
    let style = |role| app.palette.style(role);
    let points: Vec<(f64, f64)> =
        crawl.curve.points().map(|(requests, found)| (requests as f64, found as f64)).collect();
    let (requests, found) = crawl.curve.points().last().unwrap_or_default();
    let line = Dataset::default()
        .marker(Marker::Braille)
        .graph_type(GraphType::Line)
        .style(style(Role::Accent))
        .data(&points);
    let axis = |most: u64, labels: Vec<String>| {
        Axis::default().style(style(Role::Dim)).bounds([0.0, most.max(1) as f64]).labels(labels)
    };
    let right = format!("{requests} requests");
    let chart = Chart::new(vec![line])
        .x_axis(axis(requests, vec!["0".to_owned(), right]))
        .y_axis(axis(found, vec!["0".to_owned(), found.max(1).to_string()]))
        .style(style(Role::Raised));
    frame.render_widget(chart, area);
}

/// The curve as text: `Found 3 after 30, 9 after 60, 14 after 90, 20 after 120 requests`; empty without
/// requests.
pub(super) fn describe(curve: &Curve) -> String {
    let requests = curve.points().last().map_or(0, |(requests, _)| requests);
    let mut parts: Vec<u64> = (1..=PARTS).map(|n| requests * n / PARTS).collect();
    parts.retain(|at| *at > 0);
    parts.dedup();
    let found = parts.iter().map(|at| format!("{} after {at}", curve.found_after(*at)));
    match found.collect::<Vec<_>>().join(", ") {
        found if found.is_empty() => found,
        found => format!("Found {found} {}", if requests == 1 { "request" } else { "requests" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_shows_the_results_after_each_quarter() {
        let mut curve = Curve::default();
        assert_eq!(describe(&curve), "");
        curve.add(1, 0);
        assert_eq!(describe(&curve), "Found 0 after 1 request");
        (2..=120).for_each(|n| curve.add(n, n / 10));
        assert_eq!(
            describe(&curve),
            "Found 3 after 30, 6 after 60, 9 after 90, 12 after 120 requests"
        );
    }
}

//! The add dialog.

use super::super::app::{Add, App, Choice, Stage};
use super::chrome::marks;
use super::dialogs::{DialogArea, field_line, role, rows};
use super::frame::window;
use super::row::{Row, age};
use crate::config::Role;
use crate::engine::Discovery;
use crate::model::SourceKind;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

/// Text above the URL field on the first run.
const GREETING: [&str; 3] = ["", "Enter the URL of a feed or of any page that lists articles.", ""];

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, add: &Add, at: DialogArea) {
    let height = match &add.stage {
        Stage::Found { discovery, .. } => {
            let greeting = if add.welcome { GREETING.len() as u16 } else { 0 };
            found_height(app, discovery, at.body.width.min(96)) + greeting
        }
        _ if add.welcome => 11,
        _ => 7,
    };
    let title = if add.welcome { "Welcome to newsfed" } else { "Add a source" };
    let mut area = window(app, frame, at, (title, ""), (100, height));
    let mut line = |text: &str, role: Role, area: &mut Rect| {
        if area.height > 0 {
            let shown = crate::util::text::truncate(text, area.width.into()).into_owned();
            frame.render_widget(
                Line::styled(shown, app.palette.style(role)),
                Rect { height: 1, ..*area },
            );
            *area = Rect { y: area.y + 1, height: area.height - 1, ..*area };
        }
    };
    // On a small screen the choices matter more than empty lines.
    let wide = area.height >= 10 || !add.welcome;
    if add.welcome {
        for text in GREETING.into_iter().filter(|w| wide || !w.is_empty()) {
            line(text, Role::Text, &mut area);
        }
    }
    let field = Rect { height: area.height.min(1), ..area };
    area = Rect { y: area.y + field.height, height: area.height - field.height, ..area };
    if wide {
        line("", Role::Text, &mut area);
    }
    match &add.stage {
        Stage::Typing if add.welcome => {}
        Stage::Typing => line("Press Enter to find the ways to follow it.", Role::Dim, &mut area),
        Stage::Discovering { tried, .. } => {
            for text in tried_lines(app, tried, area.width) {
                line(&text, Role::Dim, &mut area);
            }
            let spinner = ["|", "/", "-", "\\"][(app.now.timestamp_millis() / 200 % 4) as usize];
            line(&format!("{spinner} Searching …"), Role::Accent, &mut area);
        }
        Stage::Following => line("Adding …", Role::Accent, &mut area),
        Stage::Failed(why) => {
            for text in why {
                for part in super::super::reader::wrap_plain(
                    text,
                    usize::from(area.width).saturating_sub(2),
                ) {
                    line(&format!("{} {part}", marks(app).failing), Role::Error, &mut area);
                }
            }
        }
        Stage::Found { discovery, selected } => found(app, frame, discovery, *selected, &mut area),
    }
    if add.welcome && !matches!(add.stage, Stage::Found { .. }) {
        let bottom =
            Rect { y: area.bottom().saturating_sub(4), height: area.height.min(4), ..area };
        choices(app, frame, add, bottom);
    }
    field_line(app, frame, "> ", &add.field, field);
    if let (Some(choice), true) = (add.choice, at.is_top) {
        let y = area.bottom().saturating_sub(3) + u16::try_from(choice).unwrap_or(0);
        frame.set_cursor_position(Position::new(area.x, y));
    }
}

fn choices(app: &App, frame: &mut Frame<'_>, add: &Add, area: Rect) {
    let dim = app.palette.style(Role::Dim);
    frame.render_widget(
        Line::styled("Or press Down for more:", dim),
        Rect { height: area.height.min(1), ..area },
    );
    for (i, choice) in Choice::ALL.into_iter().enumerate() {
        let y = area.y + 1 + u16::try_from(i).unwrap_or(0);
        if y >= area.bottom() {
            break;
        }
        let here = add.choice == Some(i);
        let mut row = Row::new(area.width);
        let style = app.palette.style(if here { Role::Selected } else { Role::Text });
        row.left(if here { marks(app).pointer } else { " " }, style);
        row.left(&format!(" {}", choice.label()), style);
        frame.render_widget(row.line(style), Rect { y, height: 1, ..area });
    }
}

/// Largest number of progress lines above the ways.
const MAX_TRIED: usize = 3;

fn tried_lines(app: &App, tried: &[String], width: u16) -> Vec<String> {
    let tried = tried.join(&format!(" {} ", marks(app).bullet));
    super::super::reader::wrap_plain(&tried, width.into())
}

/// Rows needed for the ways found, independent of the selection.
fn found_height(app: &App, discovery: &Discovery, width: u16) -> u16 {
    let tried = tried_lines(app, &discovery.tried, width.saturating_sub(4)).len().min(MAX_TRIED);
    let entries = discovery.ways.iter().filter_map(|way| Some(way.preview()?.len())).max();
    // The URL, and a blank line between the parts.
    let rows = 4 + tried + discovery.ways.len() + entries.unwrap_or(0);
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Height of the screen from which progress lines are shown.
const ROWS_FOR_TRIED: u16 = 16;

/// The ways found, and a preview of the selected one.
fn found(
    app: &App,
    frame: &mut Frame<'_>,
    discovery: &Discovery,
    selected: usize,
    area: &mut Rect,
) {
    let dim = app.palette.style(Role::Dim);
    let summary = tried_lines(app, &discovery.tried, area.width);
    let limit = if frame.area().height < ROWS_FOR_TRIED { 0 } else { MAX_TRIED };
    for (y, line) in (area.y..area.bottom()).zip(summary.into_iter().take(limit)) {
        frame.render_widget(Line::styled(line, dim), Rect { y, height: 1, ..*area });
        *area = Rect { y: area.y + 1, height: area.height - 1, ..*area };
    }
    let ways = discovery.ways.len();
    // At most half of the space is for the preview.
    let entries = discovery.ways.iter().filter_map(|way| Some(way.preview()?.len())).max();
    let space = area.height.saturating_sub(2);
    let space = space - (space / 2).min(u16::try_from(entries.unwrap_or(0)).unwrap_or(u16::MAX));
    let height = u16::try_from(ways).unwrap_or(u16::MAX).min(space).max(1);
    // Without progress lines, the line below the URL is already blank.
    let top = area.y + u16::from(limit > 0);
    let list = Rect { y: top, height: height.min(area.height.saturating_sub(2)), ..*area };
    let labels = discovery.labels(app.now);
    rows(app, frame, list, ways, selected, |i, row, here| {
        let way = &discovery.ways[i];
        let style = |r| role(app, here, r);
        if way.kind() == SourceKind::Website {
            row.right(format!(" {:.0} %", way.confidence * 100.0), style(Role::Dim));
        }
        row.left(if here { marks(app).pointer } else { " " }, style(Role::Accent));
        row.left(&format!(" {}", labels[i]), style(Role::Text));
        let selector = way.rules.pages().and_then(|rules| rules.articles.as_deref());
        let elsewhere = Some(way.url.as_str()).filter(|_| way.url != discovery.address);
        let title = Some(way.title.as_str()).filter(|title| !title.is_empty());
        if let Some(detail) = selector.or(title).or(elsewhere) {
            row.left(&format!("  {detail}"), style(Role::Dim));
        }
    });
    let Some(preview) = discovery.ways.get(selected).and_then(crate::engine::Way::preview) else {
        return;
    };
    let first = list.bottom() + 1;
    for (y, (title, date)) in (first..area.bottom()).zip(preview) {
        let mut row = Row::new(area.width);
        let when = date.map(|d| age((app.now - d).num_seconds())).unwrap_or_default();
        row.right(format!(" {when:>4}"), dim);
        row.left(&format!("    {title}"), app.palette.style(Role::Text));
        frame
            .render_widget(row.line(app.palette.style(Role::Text)), Rect { y, height: 1, ..*area });
    }
}

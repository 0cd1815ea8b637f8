//! The add dialog.

use super::super::app::{Add, App, Choice, Stage};
use super::chrome::marks;
use super::dialogs::{DialogArea, field_line, role, rows};
use super::frame::window;
use super::row::Row;
use crate::config::Role;
use crate::engine::{Discovery, Way};
use crate::util::text;
use crate::util::time_text::age;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

/// Text above the URL field on the first run.
const GREETING: [&str; 3] = ["", "News from any page, with or without a feed.", ""];

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, add: &Add, at: DialogArea) {
    let height = match &add.stage {
        Stage::Found { discovery, .. } => {
            let greeting = if add.welcome { GREETING.len() as u16 } else { 0 };
            found_height(app, discovery, at.body.width.min(104)) + greeting
        }
        _ if add.welcome => 11,
        _ => 7,
    };
    let title = if add.welcome { "Welcome to newsfed" } else { "Add a source" };
    let subject = match &add.stage {
        Stage::Found { discovery, .. } => discovery.address.host_str().unwrap_or_default(),
        _ => "",
    };
    let mut area = window(app, frame, at, (title, subject), (104, height));
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
        Stage::Typing => line("Paste any address and press Enter.", Role::Dim, &mut area),
        Stage::Discovering { tried, .. } => {
            for text in tried_lines(app, tried, area.width) {
                line(&text, Role::Dim, &mut area);
            }
            line("Searching …", Role::Accent, &mut area);
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
        Stage::Found { discovery, selected } => {
            found(app, frame, add, (discovery, *selected), area);
        }
    }
    if add.welcome && !matches!(add.stage, Stage::Found { .. }) {
        let bottom =
            Rect { y: area.bottom().saturating_sub(4), height: area.height.min(4), ..area };
        choices(app, frame, add, bottom);
    }
    // The field that has the keys is drawn last, for the cursor.
    if !add.in_folder {
        field_line(app, frame, "Address  ", &add.field, field);
    } else {
        let mut row = Row::new(field.width);
        row.left("Address  ", app.palette.style(Role::Soft));
        row.left(add.field.value(), app.palette.style(Role::Text));
        frame.render_widget(row.line(app.palette.style(Role::Text)), field);
    }
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
const MAX_TRIED: usize = 2;

fn tried_lines(app: &App, tried: &[String], width: u16) -> Vec<String> {
    let tried = tried.join(&format!(" {} ", marks(app).bullet));
    super::super::reader::wrap_plain(&tried, width.into())
}

/// Rows needed for the ways found, independent of the selection.
fn found_height(app: &App, discovery: &Discovery, width: u16) -> u16 {
    let tried = tried_lines(app, &discovery.tried, width.saturating_sub(6)).len().min(MAX_TRIED);
    let entries = discovery.ways.iter().filter_map(|way| Some(way.preview()?.len())).max();
    // The URL, headings, the folder, and empty rows between the parts.
    let rows = 8 + tried + discovery.ways.len() + entries.unwrap_or(0).min(MAX_ENTRIES);
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Entries that the preview shows at most.
const MAX_ENTRIES: usize = 8;
/// Height from which there are headings and empty rows, and progress lines.
const ROOMY: u16 = 12;
/// Width from which the ways have columns for how well they match and where they come from.
const WITH_QUALITY: u16 = 64;
const WITH_ORIGIN: u16 = 84;
/// Width of the names of the ways.
const NAMES: usize = 24;

/// The ways found, a preview of the selected one, and the folder.
fn found(
    app: &App,
    frame: &mut Frame<'_>,
    add: &Add,
    (discovery, selected): (&Discovery, usize),
    area: Rect,
) {
    let style = |role| app.palette.style(role);
    let roomy = area.height >= ROOMY;
    let mut y = area.y;
    let line = |frame: &mut Frame<'_>, y: u16, row: Row| {
        if y < area.bottom() {
            frame.render_widget(row.line(style(Role::Text)), Rect { y, height: 1, ..area });
        }
    };
    if roomy {
        for text in tried_lines(app, &discovery.tried, area.width).into_iter().take(MAX_TRIED) {
            let mut row = Row::new(area.width);
            row.left(&text, style(Role::Dim));
            line(frame, y, row);
            y += 1;
        }
        let mut row = Row::new(area.width);
        row.right("best first", style(Role::Dim));
        row.left("Ways to follow it", style(Role::Title));
        line(frame, y + 1, row);
        y += 2;
    }
    let ways = u16::try_from(discovery.ways.len()).unwrap_or(u16::MAX);
    let left = area.bottom().saturating_sub(y);
    // At most half of the space is for the preview; the folder is in the last row.
    let list = Rect { y, height: ways.min((left / 2).max(1)), ..area };
    let labels = discovery.labels(app.now);
    rows(app, frame, list, discovery.ways.len(), selected, |i, row, here| {
        way_row(app, row, (discovery, &labels[i]), i, here);
    });
    let last = area.bottom().saturating_sub(1);
    folder_row(app, frame, add, Rect { y: last, height: u16::from(last > list.bottom()), ..area });
    let preview = discovery.ways.get(selected).and_then(Way::preview).unwrap_or_default();
    let mut y = list.bottom() + 1;
    if roomy && !preview.is_empty() {
        super::dialogs::rule(app, frame, Rect { y: list.bottom(), height: 1, ..area });
        let mut row = Row::new(area.width);
        row.left("Preview", style(Role::Title));
        row.left("  what it gives now", style(Role::Dim));
        line(frame, y, row);
        y += 1;
    }
    for (y, (title, date)) in (y..last.saturating_sub(u16::from(roomy))).zip(preview) {
        let mut row = Row::new(area.width);
        let when = date.map(|d| age((app.now - d).num_seconds())).unwrap_or_default();
        row.left(&format!("{when:>4}  "), style(Role::Dim));
        row.left(&title, style(Role::Bright));
        line(frame, y, row);
    }
}

/// A way: what it is, what it gives, how well it matches, and where it comes from. Its selectors
/// are shown where they can be edited.
fn way_row(app: &App, row: &mut Row, (discovery, label): (&Discovery, &str), i: usize, here: bool) {
    let way = &discovery.ways[i];
    let (name, detail) = way.describe(app.now);
    // What distinguishes it from others of the same kind.
    let own = label.strip_prefix(name).unwrap_or_default();
    let own = own.strip_prefix(&format!(" \u{b7} {detail}")).unwrap_or_default();
    let elsewhere = Some(way.url.as_str()).filter(|_| way.url != discovery.address);
    let title = Some(way.title.as_str()).filter(|title| !title.is_empty());
    let origin = Some(own.trim_start_matches([' ', '\u{b7}'])).filter(|own| !own.is_empty());
    let origin = origin.or(elsewhere).or(title).unwrap_or_default();
    let width = usize::from(row.width());
    if width >= usize::from(WITH_ORIGIN) {
        let origin = text::truncate(origin, width / 4).into_owned();
        row.right(format!("  {origin}"), app.palette.style(Role::Dim));
    }
    if width >= usize::from(WITH_QUALITY) {
        quality(app, row, if i == 0 { None } else { Some(way.confidence) }, way.confidence);
    }
    let name = text::truncate(name, row.free().max(1)).into_owned();
    row.left(&name, role(app, here, Role::Text));
    let gap = NAMES.saturating_sub(text::width(&name)).max(2);
    row.left(&" ".repeat(gap), app.palette.style(Role::Text));
    row.left(&detail, app.palette.style(Role::Soft));
}

/// Five squares and a word. The first way is the best one, however sure it is.
fn quality(app: &App, row: &mut Row, other: Option<f64>, confidence: f64) {
    let word = match other {
        None => "best match",
        Some(0.6..) => "good",
        Some(0.35..) => "fair",
        Some(_) => "weak",
    };
    let filled = (1..=5).filter(|&n| confidence >= f64::from(n) / 5.0 - 0.1).count().max(1);
    let (square, empty) = if app.settings.ui.ascii { ("#", ".") } else { ("▪", "▪") };
    row.right(format!(" {word:<10}"), app.palette.style(Role::Soft));
    row.right(empty.repeat(5 - filled), app.palette.style(Role::Border));
    row.right(format!("  {}", square.repeat(filled)), app.palette.style(Role::Ok));
}

/// The field of the folder.
fn folder_row(app: &App, frame: &mut Frame<'_>, add: &Add, area: Rect) {
    if area.is_empty() {
        return;
    }
    if add.in_folder {
        field_line(app, frame, "Folder  ", &add.folder, area);
        return;
    }
    let mut row = Row::new(area.width);
    let folder = add.folder.value();
    row.right("Tab changes", app.palette.style(Role::Dim));
    row.left("Folder  ", app.palette.style(Role::Soft));
    match folder {
        "" => row.left("none", app.palette.style(Role::Dim)),
        name => row.left(name, app.palette.style(Role::Text)),
    }
    frame.render_widget(row.line(app.palette.style(Role::Text)), area);
}

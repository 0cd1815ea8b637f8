//! Mouse input: hints, borders, the wheel and clicks on rows.

use super::*;
use crate::tui::view::arrangement;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

const LEFT: MouseButton = MouseButton::Left;

fn mouse(stage: &mut Stage, kind: MouseEventKind, column: u16, row: u16) {
    let modifiers = KeyModifiers::NONE;
    stage.happen(Event::MouseUsed(MouseEvent { kind, column, row, modifiers }));
}

/// Clicks on the first occurrence of a text on the screen.
fn click(stage: &mut Stage, (width, height): (u16, u16), words: &str) {
    let screen = stage.screen(width, height);
    let place = |(row, line): (usize, &str)| Some((row, line.split_once(words)?.0.to_owned()));
    let found = screen.lines().enumerate().filter_map(place).last();
    let (row, before) = found.unwrap_or_else(|| panic!("no {words:?} in\n{screen}"));
    let column = u16::try_from(crate::util::text::width(&before)).unwrap();
    mouse(stage, MouseEventKind::Down(LEFT), column, u16::try_from(row).unwrap());
}

#[test]
fn clicks_on_hints_press_their_keys() {
    let size = (120, 40);
    let mut stage = Stage::new();
    click(&mut stage, size, "pin   m mark");
    assert!(stage.rows.iter().filter(|row| row.pinned).count() > 1, "p was pressed");
    click(&mut stage, size, "? help");
    assert!(stage.screen(size.0, size.1).contains("This dialog") || stage.app.dialogs.len() == 1);
    click(&mut stage, size, "Esc close");
    assert!(stage.app.dialogs.is_empty());
    stage.keys("w");
    stage.requested.clear();
    click(&mut stage, size, "check now");
    assert!(stage.requested.iter().any(|effect| effect.contains("Refresh")));
    click(&mut stage, size, "scroll");
    assert_eq!(stage.app.dialogs.len(), 1, "several keys cannot be clicked");
    click(&mut stage, size, "Esc close");
    assert!(stage.app.dialogs.is_empty());
}

#[test]
fn dragging_moves_borders_between_panes() {
    for (size, keys) in [((80, 24), ""), ((140, 40), ""), ((160, 40), "<Enter>")] {
        let mut stage = Stage::new();
        stage.screen(size.0, size.1);
        stage.keys(keys);
        stage.screen(size.0, size.1);
        let widths = |stage: &Stage| arrangement(&stage.app, size.0);
        let selected = stage.app.items.selected;
        let before = widths(&stage);
        let edge = before[0].1 - 1;
        mouse(&mut stage, MouseEventKind::Down(LEFT), edge, 8);
        mouse(&mut stage, MouseEventKind::Drag(LEFT), edge + 5, 9);
        assert_eq!(widths(&stage)[0].1, before[0].1 + 5, "{before:?}");
        stage.screen(size.0, size.1);
        mouse(&mut stage, MouseEventKind::Drag(LEFT), edge + 3, 9);
        mouse(&mut stage, MouseEventKind::Up(LEFT), edge + 3, 9);
        mouse(&mut stage, MouseEventKind::Drag(LEFT), edge + 9, 9);
        assert_eq!(widths(&stage)[0].1, before[0].1 + 3, "released");
        assert_eq!(stage.app.items.selected, selected);
        if before.len() < 3 {
            continue;
        }
        let before = widths(&stage);
        let line = before[0].1 + before[1].1;
        mouse(&mut stage, MouseEventKind::Down(LEFT), line, 8);
        mouse(&mut stage, MouseEventKind::Drag(LEFT), line - 6, 8);
        assert_eq!(widths(&stage)[1].1, before[1].1 - 6);
        mouse(&mut stage, MouseEventKind::Drag(LEFT), 0, 8);
        assert!(widths(&stage).iter().all(|(_, cells)| *cells >= 12), "{:?}", widths(&stage));
        stage.screen(size.0, size.1);
    }
}

#[test]
fn the_wheel_moves_the_pane_under_the_pointer() {
    let mut stage = Stage::new();
    stage.screen(170, 30);
    stage.keys("<Enter>");
    stage.screen(170, 30);
    let (sources, items) = (stage.app.sources.selected, stage.app.items.selected);
    mouse(&mut stage, MouseEventKind::ScrollDown, 5, 10);
    assert_ne!(stage.app.sources.selected, sources);
    assert_eq!((stage.app.focus, stage.app.items.selected), (Focus::Reader, items));
    stage.screen(170, 30);
    mouse(&mut stage, MouseEventKind::ScrollDown, 45, 10);
    assert_ne!(stage.app.items.selected, items);
}

#[test]
fn a_second_click_opens_the_row() {
    // At this height, the Sources pane has no card below the list.
    let size = (120, 24);
    let mut stage = Stage::new();
    click(&mut stage, size, "Postgres 19");
    assert!(stage.app.reader.article.is_none());
    click(&mut stage, size, "Postgres 19");
    assert_eq!(stage.app.reader.article.as_ref().unwrap().row.title, "Postgres 19 enters beta");
    let mut stage = Stage::new();
    click(&mut stage, size, "allocator.e");
    assert_eq!(stage.app.focus, Focus::Sources);
    click(&mut stage, size, "▪ allocator.e");
    assert_eq!(stage.app.focus, Focus::Items);
}

#[test]
fn the_wheel_does_not_focus_an_empty_reader() {
    let mut stage = Stage::new();
    stage.app.settings.ui.preview = false;
    stage.screen(170, 30);
    stage.keys("<Enter>");
    stage.screen(170, 30);
    mouse(&mut stage, MouseEventKind::ScrollDown, 5, 10);
    assert!(stage.app.reader.article.is_none());
    assert_eq!(stage.app.focus, Focus::Items);
    stage.keys_give("p", "1 item unpinned");
}

#[test]
fn dragged_borders_stay_until_their_setting_changes() {
    let mut stage = Stage::new();
    stage.screen(140, 40);
    let widths = |stage: &Stage| arrangement(&stage.app, 140);
    let before = widths(&stage);
    let edge = before[0].1 - 1;
    mouse(&mut stage, MouseEventKind::Down(LEFT), edge, 8);
    mouse(&mut stage, MouseEventKind::Drag(LEFT), edge + 5, 9);
    mouse(&mut stage, MouseEventKind::Up(LEFT), edge + 5, 9);
    let dragged = widths(&stage);
    assert_eq!(dragged[0].1, before[0].1 + 5);
    let mut settings = stage.app.settings.clone();
    settings.ui.unread_only = !settings.ui.unread_only;
    stage.happen(Event::SettingsReloaded(Box::new(settings.clone())));
    assert_eq!(widths(&stage), dragged);
    settings.ui.sources_width = before[0].1 + 2;
    stage.happen(Event::SettingsReloaded(Box::new(settings)));
    assert_eq!(widths(&stage)[0].1, before[0].1 + 2);
}

#[test]
fn clicks_and_the_wheel_preview_themes() {
    let size = (120, 36);
    let mut stage = Stage::new();
    stage.app.size = size;
    stage.choose_theme("t", "");
    click(&mut stage, size, "catppuccin-mocha");
    assert_eq!(stage.app.palette.name(), "catppuccin-mocha");
    assert!(stage.screen(size.0, size.1).contains("Choose a theme"));
    mouse(&mut stage, MouseEventKind::ScrollDown, 60, 12);
    assert_eq!(stage.app.palette.name(), "catppuccin-macchiato");
    mouse(&mut stage, MouseEventKind::ScrollUp, 60, 12);
    stage.keys("<Esc>");
    assert_eq!(stage.app.palette.name(), "auto");
    assert!(stage.app.dialogs.is_empty());
}

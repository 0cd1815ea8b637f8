//! The queue of episodes, with the current episode below it.

use super::super::app::{App, ListenList};
use super::DialogArea;
use super::chrome::marks;
use super::dialogs::{role, rows};
use super::frame::window;
use crate::config::{Action, Context, Role};
use crate::engine::Playing;
use crate::model::Queued;
use crate::util::text;
use crate::util::time_text::clock_time;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

const WIDTH: u16 = 96;
/// Number of rows below the list: an empty row, the current episode and its chapter.
const BELOW: u16 = 3;

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, list: &ListenList, area: DialogArea) {
    let queue = list.queue.as_deref().unwrap_or_default();
    let height = u16::try_from(queue.len()).unwrap_or(u16::MAX).clamp(1, 20);
    let below = if app.player.now.is_some() { BELOW } else { 0 };
    let inner = window(app, frame, area, ("Listen", "the queue"), (WIDTH, height + below));
    let below = below.min(inner.height.saturating_sub(1));
    let top = Rect { height: inner.height - below, ..inner };
    if queue.is_empty() {
        let key = app.keymap.keys_for(Context::Items, Action::Enqueue);
        let key = key.map(|key| format!(" {key} on an item adds its audio or video."));
        let hint = match &list.queue {
            None => "Reading …".to_owned(),
            Some(_) => format!("The queue is empty.{}", key.unwrap_or_default()),
        };
        let line = Line::styled(hint, app.palette.style(Role::Text));
        frame.render_widget(line, Rect { height: top.height.min(1), ..top });
    }
    rows(app, frame, top, queue.len(), list.selected, |i, row, here| {
        let episode = &queue[i];
        let now = app.player.now.as_ref().filter(|now| now.key == episode.key);
        row.right(format!("  {}", place(episode, now)), role(app, here, Role::Dim));
        let mark = match now {
            Some(_) => format!("{} ", marks(app).pointer),
            None => "  ".to_owned(),
        };
        row.left(&mark, role(app, here, Role::Title));
        row.left(&episode.title, role(app, here, Role::Text));
    });
    let rest = Rect { y: top.bottom(), height: below, ..inner };
    if let Some(now) = &app.player.now {
        let lines = [String::new(), summary(now), chapter(now)];
        for (row, line) in (0..rest.height).zip(lines) {
            let line = text::truncate(&line, rest.width.into()).into_owned();
            let tone = if row == 1 { Role::Text } else { Role::Soft };
            let line = Line::styled(line, app.palette.style(tone));
            frame.render_widget(line, Rect { y: rest.y + row, height: 1, ..rest });
        }
    }
}

/// The position in an episode, such as `12:34 / 52:00`; `now` is the live position if the episode is playing.
fn place(episode: &Queued, now: Option<&Playing>) -> String {
    let progress = now.map_or(episode.progress, |now| now.progress);
    let length = progress.length.or(episode.length()).map(clock_time).unwrap_or_default();
    match progress.position >= 1.0 {
        true => format!("{} / {length}", clock_time(progress.position)),
        false => length,
    }
}

/// A short description of the playing episode, such as `Playing 12:34 of 52:00`.
fn summary(now: &Playing) -> String {
    let verb = if now.is_paused { "Paused" } else { "Playing" };
    let length = now.progress.length.map(|length| format!(" of {}", clock_time(length)));
    let at = clock_time(now.progress.position);
    format!("{verb} {at}{}", length.unwrap_or_default())
}

fn chapter(now: &Playing) -> String {
    match now.chapter().and_then(|at| Some((at, now.chapters.get(at)?))) {
        Some((at, chapter)) => {
            let count = now.chapters.len();
            format!("Chapter {} of {count}: {}", at + 1, chapter.title)
        }
        None => String::new(),
    }
}

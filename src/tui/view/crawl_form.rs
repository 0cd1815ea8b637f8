//! The form that starts or resumes a crawl.

use super::super::app::{App, CrawlForm};
use super::super::reader::wrap_plain;
use super::DialogArea;
use super::chrome::marks;
use super::dialogs::field_line;
use super::frame::window;
use crate::config::Role;
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

const WIDTH: u16 = 84;
/// Width of the field labels.
const LABELS: u16 = 10;
/// Number of rows for help or an error below the fields.
const BELOW: u16 = 4;

pub(in crate::tui) fn draw(app: &App, frame: &mut Frame<'_>, form: &CrawlForm, area: DialogArea) {
    let fields = form.fields();
    let height = u16::try_from(fields.len()).unwrap_or(0) + BELOW;
    let (title, subject) = match &form.resumed {
        Some((site, _)) => ("Resume a crawl", site.as_str()),
        None => ("Crawl a website", ""),
    };
    let inner = window(app, frame, area, (title, subject), (WIDTH, height));
    let style = |role| app.palette.style(role);
    let labels = LABELS.min(inner.width / 3);
    let mut focused = None;
    for (y, field) in (inner.y..inner.bottom()).zip(fields) {
        let here = *field == form.focus && form.opening.is_none();
        let row = Rect { y, height: 1, ..inner };
        let role = if here { Role::Title } else { Role::Soft };
        frame.render_widget(Line::styled(field.label(), style(role)), row);
        let at = Rect { x: row.x + labels, width: row.width - labels, ..row };
        if here {
            focused = Some((form.text(*field), at));
            continue;
        }
        frame.buffer_mut().set_style(at, style(Role::Input));
        let value = text::truncate(form.text(*field).value(), at.width.saturating_sub(2).into());
        frame.render_widget(Line::raw(format!(" {value}")), at);
    }
    let used = u16::try_from(fields.len()).unwrap_or(0) + 1;
    let top = (inner.y + used).min(inner.bottom());
    below(app, frame, form, Rect { y: top, height: inner.bottom() - top, ..inner });
    // The focused field is drawn last, because it places the cursor.
    if let Some((field, at)) = focused.filter(|(_, at)| at.width > 1) {
        frame.buffer_mut().set_style(at, style(Role::Input));
        field_line(app, frame, "", field, Rect { x: at.x + 1, width: at.width - 1, ..at });
    }
}

/// Draws help, an error, or a message that the crawl is starting.
fn below(app: &App, frame: &mut Frame<'_>, form: &CrawlForm, area: Rect) {
    let (words, role) = match (&form.opening, &form.error) {
        (Some(_), _) => ("Opening …".to_owned(), Role::Accent),
        (None, Some((_, why))) => (format!("{} {why}", marks(app).failing), Role::Error),
        (None, None) => (form.focus.help(form.resumed.is_some()).to_owned(), Role::Dim),
    };
    let lines = wrap_plain(&words, area.width.max(8).into());
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        let line = Line::styled(line, app.palette.style(role));
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
}

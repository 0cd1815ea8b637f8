//! The keys of the most used commands, on the Keys page of the settings.

use super::super::app::{App, Editor};
use super::row::Row;
use crate::config::{Action, Context, KeyMap, Role, SourceForm, Task};
use crate::util::text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

/// The commands, most useful first, because there may not be space for all of them.
const COMMANDS: [Action; 24] = [
    Action::Open,
    Action::Back,
    Action::NextPane,
    Action::NextUnread,
    Action::ToggleRead,
    Action::ReadAll,
    Action::Pin,
    Action::Later,
    Action::Browser,
    Action::Search,
    Action::Filter,
    Action::Jump,
    Action::Add,
    Action::Edit,
    Action::Delete,
    Action::RefreshAll,
    Action::Refresh,
    Action::Undo,
    Action::Redo,
    Action::Select,
    Action::Settings,
    Action::Palette,
    Action::Help,
    Action::Quit,
];

/// Width of a column.
const COLUMN: u16 = 34;
/// Width of the keys in a column.
const KEYS: usize = 14;

/// The context in which a command is usually run.
fn context(action: Action) -> Context {
    match action.task() {
        Task::Sources => Context::Sources,
        Task::Article => Context::Reader,
        _ => Context::Items,
    }
}

/// Draws the keys that result from the preset selected in the form.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, editor: &Editor, area: Rect) {
    let preview = editor.form.as_ref().and_then(SourceForm::preview_settings);
    // Individual bindings are changed in another dialog, which saves at once.
    let mut keys = app.settings.keys.clone();
    keys.preset = preview.map_or(keys.preset, |settings| settings.keys.preset.clone());
    let Ok(map) = KeyMap::load(&keys) else { return };
    // Leaves an empty row above the title and one below it.
    let height = area.height.saturating_sub(3);
    if height == 0 {
        return;
    }
    let style = |role| app.palette.style(role);
    let title = Line::styled("Common keys", style(Role::Title));
    frame.render_widget(title, Rect { y: area.y + 1, height: 1, ..area });
    let columns = (area.width / COLUMN).max(1);
    let space = usize::from(columns) * usize::from(height);
    let shown = &COMMANDS[..COMMANDS.len().min(space)];
    let rows = u16::try_from(shown.len()).unwrap_or(0).div_ceil(columns).max(1);
    let width = (area.width / columns).min(COLUMN + 4);
    for (i, &action) in (0u16..).zip(shown) {
        let at = Rect {
            x: area.x + i / rows * width,
            y: area.y + 3 + i % rows,
            width: width.saturating_sub(2),
            height: 1,
        };
        let keys = map.all_keys_for(context(action), action);
        let mut names = String::new();
        for key in &keys {
            let gap = if names.is_empty() { "" } else { "  " };
            if text::width(&names) + text::width(gap) + text::width(key) + 2 > KEYS {
                break;
            }
            names += gap;
            names += key;
        }
        let (names, role) = match names.as_str() {
            "" => ("-", Role::Dim),
            names => (names, Role::KeyHint),
        };
        let mut row = Row::new(at.width);
        row.column(names, KEYS, style(role));
        row.left(action.label(), style(Role::Soft));
        frame.render_widget(row.line(Style::new()), at);
    }
}

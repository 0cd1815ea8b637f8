//! Converts terminal key events to keys of the keymap, and provides a one-line text field.

use crate::config::{Key, KeyCode};
use crate::util::text;
use crossterm::event::{KeyCode as Code, KeyEvent, KeyModifiers};
use ratatui_textarea::{CursorMove, TextArea};

/// The key of an event; `None` for keys that have no name in the keymap.
pub(super) fn key(event: KeyEvent) -> Option<Key> {
    let has = |m| event.modifiers.contains(m);
    let (mut shift, ctrl, alt) =
        (has(KeyModifiers::SHIFT), has(KeyModifiers::CONTROL), has(KeyModifiers::ALT));
    let code = match event.code {
        Code::Char(c) => KeyCode::Char(c),
        Code::Enter => KeyCode::Enter,
        Code::Esc => KeyCode::Esc,
        Code::Tab => KeyCode::Tab,
        Code::BackTab => {
            shift = true;
            KeyCode::Tab
        }
        Code::Backspace => KeyCode::Backspace,
        Code::Delete => KeyCode::Delete,
        Code::Insert => KeyCode::Insert,
        Code::Home => KeyCode::Home,
        Code::End => KeyCode::End,
        Code::PageUp => KeyCode::PageUp,
        Code::PageDown => KeyCode::PageDown,
        Code::Up => KeyCode::Up,
        Code::Down => KeyCode::Down,
        Code::Left => KeyCode::Left,
        Code::Right => KeyCode::Right,
        Code::F(n) => KeyCode::F(n),
        _ => return None,
    };
    Some(Key::new(code, ctrl, alt, shift))
}

/// The event for a key that a click on a hint presses.
pub(super) fn event(key: Key) -> KeyEvent {
    let code = match key.code() {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Insert => Code::Insert,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::F(n) => Code::F(n),
    };
    let held = [KeyModifiers::CONTROL, KeyModifiers::ALT, KeyModifiers::SHIFT];
    let held = held.into_iter().zip(key.modifiers()).filter(|(_, is_held)| *is_held);
    KeyEvent::new(code, held.map(|(modifier, _)| modifier).collect())
}

/// A one-line text field.
#[derive(Debug, Clone, Default)]
pub(super) struct Field {
    area: TextArea<'static>,
    /// Whether the first typed character replaces the text.
    replaced: bool,
}

/// Maximum length of a field in bytes.
pub(super) const MAX_FIELD: usize = 8192;
/// Maximum number of bytes of pasted text that are read. It exceeds the length of a field, because whitespace
/// and control characters are removed.
const MAX_PASTED: usize = 8 * MAX_FIELD;

impl Field {
    pub(super) fn new(value: &str) -> Self {
        let mut area = TextArea::new(vec![value.to_owned()]);
        area.move_cursor(CursorMove::End);
        Self { area, replaced: false }
    }

    /// A field with a suggestion that the first typed character replaces.
    pub(super) fn suggestion(value: &str) -> Self {
        Self { replaced: !value.is_empty(), ..Self::new(value) }
    }

    /// Whether the next typed character replaces the text.
    pub(super) fn is_suggestion(&self) -> bool {
        self.replaced
    }

    pub(super) fn value(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    /// Handles a key press. Returns whether the text has changed.
    pub(super) fn input(&mut self, event: KeyEvent) -> bool {
        // The field has only one line, so keys that would insert a newline are ignored here.
        let newline = matches!(event.code, Code::Enter)
            || (event.modifiers.contains(KeyModifiers::CONTROL)
                && matches!(event.code, Code::Char('m' | 'j')));
        if newline {
            return false;
        }
        let typed = !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if std::mem::take(&mut self.replaced) && typed {
            match event.code {
                Code::Char(_) => self.area = TextArea::default(),
                Code::Backspace | Code::Delete => {
                    self.area = TextArea::default();
                    return true;
                }
                _ => {}
            }
        }
        // Control-U deletes to the start of the line, as in a shell.
        if event.modifiers.contains(KeyModifiers::CONTROL) && event.code == Code::Char('u') {
            return self.area.delete_line_by_head();
        }
        let before = self.area.clone();
        let was = self.value().len();
        let changed = self.area.input(event);
        if self.value().len() > MAX_FIELD.max(was) {
            self.area = before;
            return false;
        }
        changed
    }

    /// Byte offset of the cursor.
    pub(super) fn cursor(&self) -> usize {
        let value = self.value();
        value.char_indices().nth(self.area.cursor().1).map_or(value.len(), |(at, _)| at)
    }

    /// Replaces a byte range and puts the cursor after the new text.
    pub(super) fn replace(&mut self, at: std::ops::Range<usize>, with: &str) {
        self.replaced = false;
        let (Some(head), Some(tail)) = (self.value().get(..at.start), self.value().get(at.end..))
        else {
            return;
        };
        let end = u16::try_from(head.chars().count() + with.chars().count()).unwrap_or(u16::MAX);
        self.area = TextArea::new(vec![format!("{head}{with}{tail}")]);
        self.area.move_cursor(CursorMove::Jump(0, end));
    }

    /// Inserts pasted text as one line. Returns whether the whole text fits.
    pub(super) fn paste(&mut self, pasted: &str) -> bool {
        if std::mem::take(&mut self.replaced) {
            self.area = TextArea::default();
        }
        // The text may be huge.
        let read = text::start(pasted, MAX_PASTED);
        let clean = text::visible(read);
        let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
        let kept = text::start(&line, MAX_FIELD.saturating_sub(self.value().len()));
        self.area.insert_str(kept);
        kept.len() == line.len() && pasted[read.len()..].trim_start().is_empty()
    }

    /// The cells of a byte range within the result of [`Self::visible`]; empty if the range is not visible.
    pub(super) fn visible_cells(
        &self,
        width: usize,
        range: std::ops::Range<usize>,
    ) -> std::ops::Range<usize> {
        let (shown, at) = self.visible(width);
        let (value, cursor) = (self.value(), self.cursor());
        let before = text::width(value.get(..cursor).unwrap_or_default());
        // Width of the part to the left of the visible part, in cells.
        let hidden = before.saturating_sub(at);
        let cell = |byte: usize| {
            let cells = text::width(value.get(..byte).unwrap_or(value));
            cells.saturating_sub(hidden).min(text::width(&shown))
        };
        cell(range.start)..cell(range.end)
    }

    /// The part of the text around the cursor that fits into `width` cells, and the cell of the cursor within
    /// it.
    pub(super) fn visible(&self, width: usize) -> (String, usize) {
        let value = self.value();
        let cursor = value.char_indices().nth(self.area.cursor().1).map_or(value.len(), |(i, _)| i);
        let (before, after) = value.split_at(cursor);
        // Zero-width characters are shown too, but their number is limited.
        let limit = 4 * width;
        // At the end of the text, the cursor needs a cell of its own.
        let starts = before.char_indices().rev().take(limit).map(|(i, _)| i);
        let start = starts.take_while(|&i| text::width(&before[i..]) < width).last();
        let mut shown = before[start.unwrap_or(cursor)..].to_owned();
        let at = text::width(&shown);
        for c in after.chars().take(limit) {
            shown.push(c);
            if text::width(&shown) > width {
                shown.pop();
                break;
            }
        }
        (shown, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_part_around_the_cursor() {
        let field = Field::new("https://a.example/日本");
        assert_eq!(field.visible(40), ("https://a.example/日本".to_owned(), 22));
        assert_eq!(field.visible_cells(40, 8..9), 8..9);
        assert_eq!(field.visible_cells(10, 0..8), 0..0);
        assert_eq!(field.visible_cells(10, 18..24), 5..9);
        let (shown, at) = field.visible(10);
        assert!(text::width(&shown) <= 10 && at < 10 && shown.ends_with("日本"), "{shown} {at}");
    }

    #[test]
    fn limits_the_length_of_a_field() {
        let mut field = Field::new("");
        for _ in 0..10 {
            field.paste(&"日 x".repeat(5000));
        }
        assert!(field.value().len() <= MAX_FIELD, "{}", field.value().len());
        for width in [1, 7, 80] {
            let (shown, at) = field.visible(width);
            assert!(text::width(&shown) <= width && at < width, "{shown:?} {at}");
        }
    }

    #[test]
    fn pastes_a_long_text_completely_if_it_fits() {
        let query = "word ".repeat(600);
        let mut field = Field::new("");
        assert!(field.paste(&query));
        assert_eq!(field.value(), query.trim());
        assert!(!field.paste(&"x".repeat(MAX_FIELD)));
        assert_eq!(field.value().len(), MAX_FIELD);
    }

    #[test]
    fn reads_only_the_start_of_a_huge_clipboard() {
        let mut field = Field::new("");
        // This escape sequence ends beyond the part that is read.
        assert!(!field.paste(&format!("\u{1b}]{}\u{7}end", "x".repeat(4 * MAX_PASTED))));
        assert_eq!(field.value(), "x".repeat(MAX_FIELD));
        let mut field = Field::new("");
        assert!(field.paste(&format!("word{}", " ".repeat(4 * MAX_PASTED))));
        assert_eq!(field.value(), "word");
    }

    #[test]
    fn pastes_one_line_without_control_characters() {
        let mut field = Field::new("");
        field.paste("https://a.example/\u{1b}[31m\nsecond");
        assert!(!field.value().contains(['\n', '\u{1b}']), "{}", field.value());
    }

    #[test]
    fn allows_deleting_text_from_a_full_field() {
        let press = |code| KeyEvent::new(code, KeyModifiers::NONE);
        let mut field = Field::new("");
        for _ in 0..10 {
            field.paste(&"x".repeat(1000));
        }
        assert_eq!(field.value().len(), MAX_FIELD);
        assert!(!field.input(press(Code::Char('y'))), "there is no space");
        // A value from a file may be longer than the limit.
        for mut field in [field, Field::new(&"x".repeat(2 * MAX_FIELD))] {
            let len = field.value().len();
            assert!(!field.input(press(Code::Char('日'))));
            assert_eq!(field.value().len(), len);
            assert!(field.input(press(Code::Backspace)));
            assert_eq!(field.value().len(), len - 1);
            field.input(press(Code::Home));
            assert_eq!(field.cursor(), 0);
            field.input(press(Code::End));
            assert!(field.input(KeyEvent::new(Code::Char('u'), KeyModifiers::CONTROL)));
            assert_eq!(field.value(), "");
            // The deleted text is too long to be inserted twice.
            let yank = KeyEvent::new(Code::Char('y'), KeyModifiers::CONTROL);
            field.input(yank);
            field.input(yank);
            assert!(field.value().len() <= MAX_FIELD, "{}", field.value().len());
        }
    }
}

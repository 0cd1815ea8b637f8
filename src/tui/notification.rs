//! Escape sequences for notifications, which reach the user even if another window has the focus.

use crate::config::NotifyWay;
use crate::util::text;

/// The escape sequence that shows a notification; `None` if notifications do not use the terminal.
pub(super) fn sequence(how: NotifyWay, title: &str, message: &str) -> Option<String> {
    // Control characters would end the sequence, and semicolons would separate its parts.
    let clean = |text: &str| text::line(text).replace(';', ",");
    let (title, message) = (clean(title), clean(message));
    Some(match how {
        NotifyWay::Bell => "\x07".to_owned(),
        // The title comes first, because digits at the start would have a different meaning.
        NotifyWay::Osc9 => format!("\x1b]9;{title}: {message}\x07"),
        NotifyWay::Osc99 => format!(
            "\x1b]99;i=newsfed:d=0:p=title;{title}\x1b\\\x1b]99;i=newsfed:d=1:p=body;{message}\x1b\\"
        ),
        NotifyWay::Osc777 => format!("\x1b]777;notify;{title};{message}\x07"),
        NotifyWay::Desktop | NotifyWay::Command | NotifyWay::None => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_hostile_titles_within_the_escape_sequence() {
        let hostile = "a\x07b\x1b]0;x\x1b\\c\u{9c}d;\u{202e}e\nf\0g";
        for (how, expected) in [
            (NotifyWay::Bell, Some("\x07")),
            (NotifyWay::Osc9, Some("\x1b]9;newsfed: abcd,e fg\x07")),
            (
                NotifyWay::Osc99,
                Some(
                    "\x1b]99;i=newsfed:d=0:p=title;newsfed\x1b\\\
                     \x1b]99;i=newsfed:d=1:p=body;abcd,e fg\x1b\\",
                ),
            ),
            (NotifyWay::Osc777, Some("\x1b]777;notify;newsfed;abcd,e fg\x07")),
            (NotifyWay::Desktop, None),
            (NotifyWay::Command, None),
            (NotifyWay::None, None),
        ] {
            assert_eq!(sequence(how, "newsfed", hostile).as_deref(), expected, "{how:?}");
        }
    }
}

//! Queries to the terminal, and its replies.

/// Queries the name of the terminal, its support for kitty's protocol (with a picture of one pixel), and the
/// size of a cell. Terminals ignore unknown queries.
pub(in crate::tui) const GRAPHICS: &str =
    "\x1b[>q\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t";
/// Queries the background colour.
pub(in crate::tui) const BACKGROUND: &str = "\x1b]11;?\x07";
/// Queries the device attributes. All terminals reply to this query. It is sent last, so its reply arrives
/// last.
pub(in crate::tui) const ATTRIBUTES: &str = "\x1b[c";

/// The replies to these queries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::tui) struct Replies {
    /// Whether the background is light.
    pub(in crate::tui) light: Option<bool>,
    pub(in crate::tui) kitty: bool,
    pub(in crate::tui) sixel: bool,
    /// Name and version of the terminal.
    pub(in crate::tui) name: Option<String>,
    /// Width and height of a cell in pixels.
    pub(in crate::tui) cell: Option<(u16, u16)>,
    /// Characters that were typed while the terminal replied. Other keys send escape sequences, and are lost.
    pub(in crate::tui) typed: String,
    /// Whether the reply to the last query has arrived.
    pub(in crate::tui) complete: bool,
}

/// Parses replies that may be mixed with other input.
pub(in crate::tui) fn read(input: &[u8]) -> Replies {
    let text = String::from_utf8_lossy(input);
    let mut replies = Replies::default();
    let mut parts = text.split('\x1b');
    // Text before the first escape, and after a reply, was typed by the user.
    replies.typed.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let body = |start| part.strip_prefix(start);
        if let Some(color) = body("]11;") {
            let (color, typed) = color.split_once('\x07').unwrap_or((color, ""));
            replies.light = light(color);
            replies.typed.push_str(typed);
        } else if let Some(typed) = body("\\") {
            replies.typed.push_str(typed);
        } else if let Some(reply) = body("_Gi=31;") {
            replies.kitty = reply == "OK";
        } else if let Some(name) = body("P>|") {
            replies.name = Some(name.chars().filter(|c| !c.is_control()).take(40).collect());
        } else if let Some(size) = body("[6;").and_then(|rest| rest.split_once('t')) {
            replies.typed.push_str(size.1);
            let size = size.0.split_once(';');
            replies.cell = size.and_then(|(h, w)| Some((w.parse().ok()?, h.parse().ok()?)));
        } else if let Some((attributes, typed)) = body("[?").and_then(|rest| rest.split_once('c')) {
            replies.typed.push_str(typed);
            replies.sixel = attributes.split(';').skip(1).any(|a| a == "4");
            replies.complete = true;
        }
    }
    replies
}

/// Whether a colour such as `rgb:ffff/fafa/f0f0` is light. Each component has one to four digits.
pub(in crate::tui) fn light(color: &str) -> Option<bool> {
    let (_, parts) = color.split_once(':')?;
    let mut parts = parts.split('/').map(|part| {
        let most = 16u32.checked_pow(u32::try_from(part.len()).ok()?)?.checked_sub(1)?;
        let value = u32::from_str_radix(part, 16).ok()?;
        (1..=4).contains(&part.len()).then(|| f64::from(value) / f64::from(most))
    });
    let mut next = || parts.next()?;
    let (red, green, blue) = (next()?, next()?, next()?);
    let linear = |part: f64| part.powf(2.2);
    let luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    // This luminance corresponds to half of the perceived lightness.
    Some(luminance > 0.184)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_recorded_replies() {
        let kitty = "\x1bP>|kitty(0.36.4)\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[6;18;9t\x1b[?62;52;c";
        let foot =
            "\x1b]11;rgb:24/24/24\x1b\\\x1bP>|foot(1.16.2)\x1b\\\x1b[6;21;10t\x1b[?62;4;22;28c";
        let xterm =
            "\x1b]11;rgb:ffff/fafa/f0f0\x07\x1bP>|XTerm(390)\x1b\\\x1b[?64;1;2;4;6;9;15;22c";
        let refuses = "\x1b_Gi=31;ENOTSUPPORTED\x1b\\\x1b[?1;2c";
        let name = |name: &str| Some(name.to_owned());
        for (input, expected) in [
            (
                kitty,
                Replies {
                    kitty: true,
                    name: name("kitty(0.36.4)"),
                    cell: Some((9, 18)),
                    ..Replies::default()
                },
            ),
            (
                foot,
                Replies {
                    sixel: true,
                    light: Some(false),
                    name: name("foot(1.16.2)"),
                    cell: Some((10, 21)),
                    ..Replies::default()
                },
            ),
            (
                xterm,
                Replies {
                    sixel: true,
                    light: Some(true),
                    name: name("XTerm(390)"),
                    ..Replies::default()
                },
            ),
            (refuses, Replies::default()),
            // The user typed keys at the same time.
            (
                "jj\x1b[B\x1b_Gi=31;OK\x1b\\o\x1b]11;rgb:0/0/0\x07p\x1b[6;20;10tq\x1b[?62;4cr",
                Replies {
                    kitty: true,
                    sixel: true,
                    light: Some(false),
                    cell: Some((10, 20)),
                    typed: "jjopqr".to_owned(),
                    ..Replies::default()
                },
            ),
            // The first attribute is the kind of device, so 4 does not mean sixel there.
            ("\x1b[?4c", Replies::default()),
            ("\x1b[6;99999999;1t\x1b]11;rgb:zz\x07\x1b[?c", Replies::default()),
        ] {
            let expected = Replies { complete: true, ..expected };
            assert_eq!(read(input.as_bytes()), expected, "{input:?}");
            for end in 0..input.rfind('c').unwrap_or(0) {
                assert!(!read(&input.as_bytes()[..end]).complete, "{input:?} {end}");
            }
        }
        let odd = read(&[0xff; 100]);
        assert_eq!(Replies { typed: String::new(), ..odd }, Replies::default());
    }

    #[test]
    fn distinguishes_light_from_dark() {
        for (color, expected) in [
            ("rgb:ffff/ffff/ffff", Some(true)),
            ("rgb:0/0/0", Some(false)),
            ("rgb:fd/f6/e3", Some(true)),
            ("rgb:002/2b0/360", Some(false)),
            ("rgba:ffff/ffff/ffff/ffff", Some(true)),
            ("rgb:00/00", None),
            ("rgb:/ff/ff", None),
            ("rgb:fffff/00/00", None),
            ("", None),
        ] {
            assert_eq!(light(color), expected, "{color}");
        }
    }
}

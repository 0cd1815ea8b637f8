//! Converts themes to terminal styles.

use crate::config::{Color, Depth, MIN_CONTRAST, Role, Settings, Theme};
use crate::util::color::{self, Rgb};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color as Ink, Modifier, Style};
use std::collections::HashMap;

/// Colour support of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ColorSupport {
    pub(super) depth: Depth,
    /// Whether the background is light.
    pub(super) light: bool,
    /// Whether the locale's encoding is ASCII only.
    pub(super) ascii: bool,
}

impl ColorSupport {
    /// Truecolor on a dark background.
    pub(super) const DARK: Self = Self { depth: Depth::True, light: false, ascii: false };

    /// Reads `NO_COLOR`, `COLORTERM`, `TERM` and `COLORFGBG` from the environment.
    pub(super) fn detect(var: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name| var(name).unwrap_or_default();
        let term = get("TERM");
        let many = ["256color", "direct", "kitty", "alacritty", "foot", "wezterm", "ghostty"];
        let none = ["dumb", "vt", "ansi-m"];
        let depth = match get("COLORTERM").as_str() {
            _ if !get("NO_COLOR").is_empty() => Depth::Mono,
            "truecolor" | "24bit" => Depth::True,
            _ if term.ends_with("-direct") => Depth::True,
            _ if many.iter().any(|part| term.contains(part)) => Depth::Indexed,
            _ if none.iter().any(|start| term.starts_with(start)) => Depth::Mono,
            _ => Depth::Sixteen,
        };
        // `COLORFGBG` is `15;0` or `15;default;0`: the last number is the background.
        let light = get("COLORFGBG")
            .rsplit(';')
            .next()
            .and_then(|ground| ground.parse::<u8>().ok())
            .is_some_and(|ground| ground == 7 || ground == 15);
        Self { depth, light, ascii: is_ascii_locale(&var) }
    }
}

/// Whether the locale's encoding is ASCII only.
fn is_ascii_locale(var: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &&str| var(name).is_some_and(|value| !value.is_empty());
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(set);
    let locale = name.and_then(&var).unwrap_or_default();
    matches!(locale.as_str(), "C" | "POSIX")
}

/// A theme converted for one terminal.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    name: String,
    support: ColorSupport,
    /// Styles in the order of `Role::ALL`; empty if the theme is invalid.
    styles: Vec<Style>,
    /// The colour that is blended over the screen behind a dialog; only in truecolor.
    backdrop: Option<Rgb>,
}

impl Palette {
    /// Converts a theme. If `transparent`, surfaces keep the terminal's background.
    pub(super) fn new(theme: &Theme, support: ColorSupport, transparent: bool) -> Self {
        let convert = |role: &Role| {
            let left = transparent && matches!(role, Role::Ground | Role::Panel | Role::Sunken);
            let style = convert(theme, *role, support.depth);
            if left { Style { bg: None, ..style } } else { style }
        };
        let styles = Role::ALL.iter().map(convert).collect();
        let backdrop = match theme.style(Role::Sunken).bg {
            Color::Rgb(r, g, b) if support.depth == Depth::True => Some([r, g, b]),
            _ => None,
        };
        Self { name: theme.name.clone(), support, styles, backdrop }
    }

    /// The theme with this name, for this terminal; `None` if its settings are invalid.
    pub(super) fn named(name: &str, settings: &Settings, support: ColorSupport) -> Option<Self> {
        let theme =
            Theme::for_terminal(name, &settings.themes, support.depth, support.light).ok()?;
        let transparent = settings.ui.background == crate::config::Background::Terminal;
        let palette = Self::new(&theme, support, transparent);
        Some(Self { name: name.to_owned(), ..palette })
    }

    /// The theme of the settings; no styles if it is invalid.
    pub(super) fn of(settings: &Settings, support: ColorSupport) -> Self {
        let theme = Self::named(&settings.ui.theme, settings, support);
        theme.unwrap_or_else(|| Self::new(&Theme::plain(), support, false))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn support(&self) -> ColorSupport {
        self.support
    }

    pub(super) fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// Converts a colour without enforcing a minimum contrast.
    fn ink(&self, [r, g, b]: Rgb) -> Ink {
        match self.support.depth {
            Depth::True => Ink::Rgb(r, g, b),
            _ => Ink::Indexed(color::nearest_index([r, g, b], &[], 0.0)),
        }
    }

    /// The symbol and style for a level of a chart, from 0 (nothing) to 4 (most).
    pub(super) fn heat(&self, level: u8, ascii: bool) -> (&'static str, Style) {
        let level = usize::from(level).min(HEAT.len() - 1);
        let (low, high) = (self.style(Role::Sunken).bg, self.style(Role::Accent));
        if let (false, Some(low), Some(high)) = (ascii, rgb(low), rgb(high.fg)) {
            let mixed = color::mix(low, high, HEAT[level]);
            return ("▆", Style::new().fg(self.ink(mixed)));
        }
        let symbols =
            if ascii { [".", ":", "+", "#", "@"] } else { ["·", "▂", "▄", "▆", "█"] };
        (symbols[level], high)
    }

    /// Fades the area behind a dialog. With truecolor, text gets 66 % and surfaces 53 % of the backdrop's
    /// colour.
    pub(super) fn cover(&self, buffer: &mut Buffer, area: Rect) {
        let Some(end) = self.backdrop else {
            let style = match self.support.depth {
                Depth::Mono => Style::new().add_modifier(Modifier::DIM),
                _ => Style::new().fg(Ink::DarkGray).add_modifier(Modifier::DIM),
            };
            for position in area.positions() {
                match buffer.cell_mut(position) {
                    Some(cell) if is_half_block(cell) => self.cover_picture(cell),
                    Some(cell) => drop(cell.set_style(style)),
                    None => {}
                }
            }
            return;
        };
        // A screen has only a few different colours, but thousands of cells.
        let mut mixed: HashMap<(Rgb, bool), Ink> = HashMap::new();
        let mut toward = |ink: Ink, share: f64, text: bool| match ink {
            Ink::Rgb(r, g, b) => *mixed.entry(([r, g, b], text)).or_insert_with(|| {
                let [r, g, b] = color::mix([r, g, b], end, share);
                Ink::Rgb(r, g, b)
            }),
            other => other,
        };
        for position in area.positions() {
            if let Some(cell) = buffer.cell_mut(position) {
                // Fades both colours of a picture's cell equally, because otherwise there would be stripes.
                let picture = is_half_block(cell);
                cell.fg = toward(cell.fg, 0.66, true);
                cell.bg = toward(cell.bg, if picture { 0.66 } else { 0.53 }, picture);
            }
        }
    }

    /// Fades a cell of a picture if the terminal has no truecolor.
    fn cover_picture(&self, cell: &mut Cell) {
        let sunken = rgb(self.style(Role::Sunken).bg);
        let end = sunken.unwrap_or(if self.support.light { [255; 3] } else { [0; 3] });
        let toward = |ink: Ink| match rgb(Some(ink)) {
            Some(from) => self.ink(color::mix(from, end, 0.66)),
            None => ink,
        };
        (cell.fg, cell.bg) = (toward(cell.fg), toward(cell.bg));
    }
}

/// Whether a cell contains two pixels of a picture.
fn is_half_block(cell: &Cell) -> bool {
    cell.symbol() == "▀"
}

/// Proportion of the accent colour at each level of a chart.
const HEAT: [f64; 5] = [0.0, 0.22, 0.45, 0.7, 1.0];

fn rgb(ink: Option<Ink>) -> Option<Rgb> {
    match ink? {
        Ink::Rgb(r, g, b) => Some([r, g, b]),
        // The first 16 colours are the terminal's own.
        Ink::Indexed(index @ 16..) => Some(color::of_index(index)),
        _ => None,
    }
}

/// Converts the style of a role to the terminal's colour depth.
fn convert(theme: &Theme, role: Role, depth: Depth) -> Style {
    let s = theme.style(role);
    let mut style = Style::new();
    style.fg = ink(theme, s.fg, depth, true);
    style.bg = ink(theme, s.bg, depth, false);
    for (on, modifier) in [
        (s.bold, Modifier::BOLD),
        (s.dim, Modifier::DIM),
        (s.underline, Modifier::UNDERLINED),
        (s.reverse, Modifier::REVERSED),
        (s.italic, Modifier::ITALIC),
    ] {
        if on {
            style = style.add_modifier(modifier);
        }
    }
    style
}

fn ink(theme: &Theme, color: Color, depth: Depth, text: bool) -> Option<Ink> {
    match color {
        Color::Default => None,
        _ if depth == Depth::Mono => None,
        Color::Named(n) | Color::Indexed(n) => Some(Ink::Indexed(n)),
        Color::Rgb(r, g, b) if depth == Depth::True => Some(Ink::Rgb(r, g, b)),
        Color::Rgb(r, g, b) => {
            // After rounding to 256 colours, a surface and its text may become too similar. What is faint in
            // the theme, such as lines, may keep its low contrast.
            let least = color::lowest_contrast([r, g, b], theme.surfaces()).min(MIN_CONTRAST);
            let of = |rgb: &Rgb| color::of_index(color::nearest_index(*rgb, &[], 0.0));
            let surfaces: Vec<Rgb> =
                if text { theme.surfaces().iter().map(of).collect() } else { Vec::new() };
            Some(Ink::Indexed(color::nearest_index([r, g, b], &surfaces, least)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::theme_names;
    use std::collections::BTreeMap;

    fn env(pairs: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name: &str| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_owned())
    }

    #[test]
    fn text_stays_readable_in_256_colours() {
        let support = ColorSupport { depth: Depth::Indexed, ..ColorSupport::DARK };
        let rgb = |ink: Option<Ink>| match ink {
            Some(Ink::Indexed(i)) => Some(color::of_index(i)),
            _ => None,
        };
        for name in theme_names(&BTreeMap::new()) {
            let theme = Theme::load(&name, &BTreeMap::new()).unwrap();
            if theme.surfaces().is_empty() {
                continue;
            }
            let palette = Palette::new(&theme, support, false);
            let surfaces = [Role::Ground, Role::Panel, Role::Raised, Role::Sunken, Role::Selected];
            for role in [Role::Text, Role::Soft, Role::Dim, Role::Accent, Role::Error, Role::Link] {
                let text = rgb(palette.style(role).fg).unwrap();
                for surface in surfaces {
                    let ground = rgb(palette.style(surface).bg).unwrap();
                    let contrast = color::contrast(text, ground);
                    assert!(contrast >= MIN_CONTRAST, "{name} {} {contrast:.2}", role.name());
                }
            }
        }
    }

    #[test]
    fn detects_colours_from_the_environment() {
        for (pairs, depth, light) in [
            (&[][..], Depth::Sixteen, false),
            (&[("TERM", "xterm-256color")], Depth::Indexed, false),
            (&[("TERM", "xterm-kitty")], Depth::Indexed, false),
            (&[("TERM", "linux"), ("COLORFGBG", "0;15")], Depth::Sixteen, true),
            (&[("TERM", "vt100")], Depth::Mono, false),
            (&[("COLORTERM", "truecolor"), ("COLORFGBG", "0;default;7")], Depth::True, true),
            (&[("COLORTERM", "truecolor"), ("NO_COLOR", "1")], Depth::Mono, false),
        ] {
            assert_eq!(
                ColorSupport::detect(env(pairs)),
                ColorSupport { depth, light, ascii: false },
                "{pairs:?}"
            );
        }
        assert!(is_ascii_locale(env(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")])));
        assert!(!is_ascii_locale(env(&[("LC_ALL", ""), ("LANG", "de_DE.UTF-8")])));
        assert!(!is_ascii_locale(env(&[])));
    }

    #[test]
    fn fades_both_halves_of_a_picture_equally() {
        let theme = Theme::load("dark", &BTreeMap::new()).unwrap();
        let area = Rect::new(0, 0, 1, 1);
        for (depth, pixel) in
            [(Depth::True, Ink::Rgb(80, 160, 90)), (Depth::Indexed, Ink::Indexed(71))]
        {
            let support = ColorSupport { depth, ..ColorSupport::DARK };
            let mut buffer = Buffer::empty(area);
            buffer[(0, 0)].set_symbol("▀").set_fg(pixel).set_bg(pixel);
            Palette::new(&theme, support, false).cover(&mut buffer, area);
            assert_eq!(buffer[(0, 0)].fg, buffer[(0, 0)].bg, "{depth:?}");
            assert_ne!(buffer[(0, 0)].fg, pixel, "{depth:?}");
        }
    }

    #[test]
    fn fades_text_and_surfaces() {
        let theme = Theme::load("dark", &BTreeMap::new()).unwrap();
        let area = Rect::new(0, 0, 2, 1);
        for (depth, expected) in [(Depth::True, false), (Depth::Mono, true)] {
            let support = ColorSupport { depth, ..ColorSupport::DARK };
            let palette = Palette::new(&theme, support, false);
            let mut buffer = Buffer::empty(area);
            buffer.set_style(area, palette.style(Role::Ground));
            let before = buffer[(0, 0)].style();
            palette.cover(&mut buffer, Rect::new(0, 0, 1, 1));
            assert_ne!(buffer[(0, 0)].style(), before);
            assert_eq!(buffer[(0, 0)].modifier.contains(Modifier::DIM), expected);
            assert_eq!(buffer[(1, 0)].style(), before);
        }
    }
}

//! Converts themes to terminal styles.

use crate::config::{Color, Role, Theme};
use ratatui::style::{Color as Ink, Modifier, Style};

/// Colour support of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// No colours (`NO_COLOR`).
    Mono,
    /// 16 or 256 colours.
    Indexed,
    /// Truecolor, announced by `COLORTERM`.
    True,
}

impl Depth {
    /// Detects the colour support from environment variables.
    pub(super) fn detect(var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| var(name).is_some_and(|v| !v.is_empty());
        match var("COLORTERM").as_deref() {
            _ if set("NO_COLOR") => Self::Mono,
            Some("truecolor" | "24bit") => Self::True,
            _ => Self::Indexed,
        }
    }
}

/// A theme for one terminal.
#[derive(Debug, Clone)]
pub(super) struct Palette {
    theme: Theme,
    depth: Depth,
}

impl Palette {
    pub(super) fn new(theme: Theme, depth: Depth) -> Self {
        Self { theme, depth }
    }

    pub(super) fn name(&self) -> &str {
        &self.theme.name
    }

    pub(super) fn depth(&self) -> Depth {
        self.depth
    }

    pub(super) fn style(&self, role: Role) -> Style {
        let s = self.theme.style(role);
        let mut style = Style::new();
        if self.depth != Depth::Mono {
            if let Some(fg) = self.ink(s.fg) {
                style = style.fg(fg);
            }
            if let Some(bg) = self.ink(s.bg) {
                style = style.bg(bg);
            }
        }
        // Without colours the selection and matches are shown reversed.
        let selected = self.depth == Depth::Mono && matches!(role, Role::Selected | Role::Match);
        for (on, modifier) in [
            (s.bold, Modifier::BOLD),
            (s.dim, Modifier::DIM),
            (s.underline, Modifier::UNDERLINED),
            (s.reverse || selected, Modifier::REVERSED),
            (s.italic, Modifier::ITALIC),
        ] {
            if on {
                style = style.add_modifier(modifier);
            }
        }
        style
    }

    fn ink(&self, color: Color) -> Option<Ink> {
        match color {
            Color::Default => None,
            Color::Named(n) | Color::Indexed(n) => Some(Ink::Indexed(n)),
            Color::Rgb(r, g, b) if self.depth == Depth::True => Some(Ink::Rgb(r, g, b)),
            Color::Rgb(r, g, b) => Some(Ink::Indexed(nearest(r, g, b))),
        }
    }
}

/// The nearest colour of the 256-colour cube or grey ramp.
fn nearest(r: u8, g: u8, b: u8) -> u8 {
    let level = |c: u8| match c {
        0..48 => 0u8,
        48..115 => 1,
        _ => (c - 35) / 40,
    };
    let value = |l: u8| if l == 0 { 0 } else { 55 + 40 * i32::from(l) };
    let (lr, lg, lb) = (level(r), level(g), level(b));
    let grey = (i32::from(r) + i32::from(g) + i32::from(b)) / 3;
    let step = ((grey - 3) / 10).clamp(0, 23);
    let distance = |x: i32, y: i32, z: i32| {
        let d = |a: u8, b: i32| (i32::from(a) - b).pow(2);
        d(r, x) + d(g, y) + d(b, z)
    };
    let ramp = 8 + 10 * step;
    if distance(ramp, ramp, ramp) < distance(value(lr), value(lg), value(lb)) {
        232 + u8::try_from(step).unwrap_or(0)
    } else {
        16 + 36 * lr + 6 * lg + lb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_truecolor_to_the_nearest_of_256_colours() {
        for (rgb, expected) in [
            ((0, 0, 0), 16),
            ((255, 255, 255), 231),
            ((255, 0, 0), 196),
            ((8, 8, 8), 232),
            ((95, 135, 175), 67),
        ] {
            assert_eq!(nearest(rgb.0, rgb.1, rgb.2), expected, "{rgb:?}");
        }
    }

    #[test]
    fn shows_matches_reversed_without_colours() {
        let theme = Theme::load("dark", &Default::default()).unwrap();
        let mono = Palette::new(theme, Depth::Mono);
        for role in [Role::Selected, Role::Match] {
            assert!(mono.style(role).add_modifier.contains(Modifier::REVERSED), "{role:?}");
        }
        assert!(mono.style(Role::Match).fg.is_none());
    }

    #[test]
    fn detects_color_depth_from_environment() {
        let env = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|p| p.0 == name).map(|p| p.1.to_owned())
        };
        assert_eq!(Depth::detect(env(&[])), Depth::Indexed);
        assert_eq!(Depth::detect(env(&[("COLORTERM", "truecolor")])), Depth::True);
        assert_eq!(
            Depth::detect(env(&[("COLORTERM", "truecolor"), ("NO_COLOR", "1")])),
            Depth::Mono
        );
    }
}

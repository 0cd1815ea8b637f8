//! The colours of the built-in themes, and the styles of roles in them.

use super::role::Role;
use super::style::{Color, Style};
use super::theme::{MIN_CONTRAST, ThemeError};
use crate::util::color::{self, Rgb};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Names of the built-in themes, in the order that the next-theme key cycles through.
pub(super) const NAMES: &[&str] = &[
    "dark",
    "light",
    "catppuccin-mocha",
    "catppuccin-macchiato",
    "catppuccin-frappe",
    "catppuccin-latte",
    "gruvbox",
    "nord",
    "tokyo-night",
    "solarized-dark",
    "solarized-light",
    "rose-pine",
    "dracula",
    "everforest",
    "kanagawa",
    "high-contrast",
    "blue-orange",
    "blue-orange-light",
    "ansi",
    "ansi-light",
    "mono",
];

/// The colours that the styles of roles refer to. The first six are the surfaces below text.
const COLORS: [&str; 28] = [
    "ground",
    "panel",
    "raised",
    "sunken",
    "select",
    "selectdim",
    "line",
    "edge",
    "text",
    "bright",
    "soft",
    "faint",
    "accent",
    "heading",
    "pin",
    "changed",
    "error",
    "warn",
    "ok",
    "match",
    "hue-1",
    "hue-2",
    "hue-3",
    "hue-4",
    "hue-5",
    "hue-6",
    "hue-7",
    "hue-8",
];
const SURFACES: usize = 6;
const LINE: usize = 6;
const EDGE: usize = 7;
const MATCH: usize = 19;
/// Minimum contrast of dialog borders: WCAG 2.2, 1.4.11.
const EDGE_CONTRAST: f64 = 3.0;

const FILE: &str = include_str!("../../assets/themes.toml");

/// The names of the colours.
pub(super) fn color_names() -> impl Iterator<Item = &'static str> {
    COLORS.into_iter()
}

/// The colours of a theme.
#[derive(Debug, Clone)]
pub(super) struct Colors([Color; COLORS.len()]);

impl Colors {
    pub(super) fn get(&self, name: &str) -> Option<Color> {
        COLORS.iter().position(|c| *c == name).map(|at| self.0[at])
    }

    /// Changes a colour, if there is one with this name.
    pub(super) fn set(&mut self, name: &str, color: Color) {
        if let Some(at) = COLORS.iter().position(|c| *c == name) {
            self.0[at] = color;
        }
    }

    /// The surfaces below text; empty unless the theme paints all of them.
    pub(super) fn surfaces(&self) -> Vec<Rgb> {
        let surfaces: Option<Vec<Rgb>> = self.0[..SURFACES].iter().map(|c| rgb(*c)).collect();
        surfaces.unwrap_or_default()
    }

    /// Makes the text colours readable on the surfaces.
    pub(super) fn lift(&mut self, surfaces: &[Rgb]) {
        let (Some(&ground), Some(&raised)) = (surfaces.first(), surfaces.get(2)) else { return };
        for (at, color) in self.0.iter_mut().enumerate().skip(SURFACES) {
            let Some(before) = rgb(*color) else { continue };
            let [r, g, b] = match at {
                LINE | MATCH => continue,
                EDGE => color::lift(before, &[ground, raised], EDGE_CONTRAST),
                _ => color::lift(before, surfaces, MIN_CONTRAST),
            };
            *color = Color::Rgb(r, g, b);
        }
    }
}

fn rgb(color: Color) -> Option<Rgb> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        _ => None,
    }
}

/// The file of the built-in themes.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    colors: BTreeMap<String, String>,
    hues: BTreeMap<String, String>,
    roles: BTreeMap<String, String>,
    roles_16: BTreeMap<String, String>,
    roles_mono: BTreeMap<String, String>,
}

/// The built-in themes.
pub(super) struct BuiltIn {
    colors: BTreeMap<&'static str, Colors>,
    file: File,
}

impl BuiltIn {
    /// The colours of a theme in `NAMES`.
    pub(super) fn colors(&self, name: &str) -> Colors {
        let colors = self.colors.get(name).cloned();
        colors.unwrap_or(Colors([Color::Default; COLORS.len()]))
    }

    /// The style of each role, in the order of `Role::ALL`.
    pub(super) fn styles(&self, root: &str, colors: &Colors) -> Vec<Style> {
        let painted = self.colors.get(root).map_or(&[] as &[Color], |c| &c.0);
        let none = BTreeMap::new();
        let fewer = match painted {
            [Color::Rgb(..), ..] => &none,
            colors if colors.iter().all(|c| *c == Color::Default) => &self.file.roles_mono,
            _ => &self.file.roles_16,
        };
        let text = |role: &Role| {
            let name = role.name();
            fewer.get(name).or_else(|| self.file.roles.get(name)).map_or("", String::as_str)
        };
        let style = |role| Style::parse(text(role), |word| colors.get(word)).unwrap_or_default();
        Role::ALL.iter().map(style).collect()
    }
}

/// The built-in themes. Their file is parsed only once.
pub(super) fn built_in() -> Result<&'static BuiltIn, ThemeError> {
    static THEMES: LazyLock<Result<BuiltIn, String>> = LazyLock::new(|| {
        let file: File = toml::from_str(FILE).map_err(|e| e.to_string())?;
        let colors = NAMES.iter().map(|name| Ok((*name, colors(&file, name)?)));
        Ok(BuiltIn { colors: colors.collect::<Result<_, String>>()?, file })
    });
    THEMES.as_ref().map_err(|message| ThemeError {
        theme: "built-in".to_owned(),
        key: String::new(),
        message: message.clone(),
    })
}

fn colors(file: &File, name: &str) -> Result<Colors, String> {
    let words = [&file.colors, &file.hues].into_iter().filter_map(|table| table.get(name));
    let colors: Result<Vec<Color>, _> =
        words.flat_map(|text| text.split_whitespace()).map(str::parse).collect();
    let colors = colors.map_err(|e| format!("{name}: {e}"))?;
    let count = colors.len();
    colors.try_into().map(Colors).map_err(|_| format!("{name}: {count} colours"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_valid_and_cover_exactly_the_roles() {
        let built_in = built_in().unwrap();
        let file = &built_in.file;
        assert_eq!(file.colors.len(), NAMES.len());
        let names: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
        assert_eq!(file.roles.len(), names.len());
        let colors = built_in.colors("dark");
        for (role, text) in file.roles.iter().chain(&file.roles_16).chain(&file.roles_mono) {
            assert!(names.contains(&role.as_str()), "{role}");
            Style::parse(text, |word| colors.get(word)).unwrap();
        }
    }
}

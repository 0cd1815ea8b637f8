//! Themes as plain data: a style for each role.

use super::error::did_you_mean;
use super::palette::{self, Colors};
use super::quote::quote;
use super::role::Role;
use super::style::{Color, Style};
use crate::util::color;
use std::collections::BTreeMap;

/// Chooses a theme that suits the colours and the background of the terminal.
pub const AUTO: &str = "auto";
/// The themes for `auto`, on a dark and a light background.
const TRUECOLOR: [&str; 2] = ["dark", "light"];
const SIXTEEN: [&str; 2] = ["ansi", "ansi-light"];
const MONO: &str = "mono";

/// Aliases of built-in themes.
const ALIASES: [(&str, &str); 2] = [("ink", "dark"), ("paper", "light")];

/// The key for the base of a theme.
pub(super) const BASE: &str = "base";
/// The key that keeps colours unchanged, even if they are hard to read.
pub(super) const CONTRAST: &str = "contrast";
pub(super) const AS_IS: &str = "as-is";

/// Minimum contrast of text on every surface: WCAG 2.2, 1.4.3.
pub const MIN_CONTRAST: f64 = 4.5;

/// A theme as declared: a style for each role or colour, and optionally `base` and `contrast`.
type Declared = BTreeMap<String, String>;

/// The colours that the terminal supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// No colours (`NO_COLOR`).
    Mono,
    /// The 16 colours that the user has set in the terminal.
    Sixteen,
    Indexed,
    True,
}

/// An error in a theme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("themes.{theme}.{key}: {message}")]
pub struct ThemeError {
    pub theme: String,
    /// The key; empty for the theme as a whole.
    pub key: String,
    pub message: String,
}

/// A loaded theme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    pub name: String,
    styles: Vec<Style>,
    /// The surfaces below text, if the theme paints them.
    surfaces: Vec<color::Rgb>,
}

impl Theme {
    /// The theme with this name: one of `own` (`[themes.NAME]`), else a built-in one. `auto` is the default
    /// theme.
    ///
    /// # Errors
    /// Returns all errors in the theme, or an error if there is no theme with this name.
    pub fn load(name: &str, own: &BTreeMap<String, Declared>) -> Result<Self, Vec<ThemeError>> {
        let built_in = palette::built_in().map_err(|e| vec![e])?;
        let (root, chain) = chain(name, own).map_err(|e| vec![e])?;
        let mut errors = Vec::new();
        let mut colors = built_in.colors(root);
        let own_styles: Vec<(&str, &str, Style)> = chain
            .iter()
            .flat_map(|(theme, declared)| declared.iter().map(move |(k, v)| (*theme, k, v)))
            .filter_map(|(theme, key, text)| {
                let style = own_style(key, text, &mut colors);
                let style = style.map_err(|message| {
                    let (theme, key) = (theme.to_owned(), key.clone());
                    errors.push(ThemeError { theme, key, message });
                });
                style.ok().flatten().map(|style| (theme, key.as_str(), style))
            })
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let as_is = chain.iter().rev().find_map(|(_, declared)| declared.get(CONTRAST));
        let surfaces = colors.surfaces();
        let lifted = as_is.is_none_or(|value| value != AS_IS);
        if lifted {
            colors.lift(&surfaces);
        }
        let mut styles = built_in.styles(root, &colors);
        for (_, key, mut style) in own_styles {
            if let (Color::Rgb(r, g, b), Color::Default, true) = (style.fg, style.bg, lifted) {
                let [r, g, b] = color::lift([r, g, b], &surfaces, MIN_CONTRAST);
                style.fg = Color::Rgb(r, g, b);
            }
            if let Some(role) = Role::ALL.iter().position(|role| role.name() == key) {
                styles[role] = style;
            }
        }
        Ok(Self { name: name.to_owned(), styles, surfaces })
    }

    /// The theme with this name for a terminal with these colours and this background; `own` is the same as
    /// in `load`. A truecolor theme is replaced by the 16-colour theme if the terminal has no more colours.
    ///
    /// # Errors
    /// As for `load`.
    pub fn for_terminal(
        name: &str,
        own: &BTreeMap<String, Declared>,
        depth: Depth,
        light: bool,
    ) -> Result<Self, Vec<ThemeError>> {
        let auto = name == AUTO && !own.contains_key(AUTO);
        if depth == Depth::Mono {
            return Self::load(MONO, &BTreeMap::new());
        }
        if auto {
            let names = if depth == Depth::Sixteen { SIXTEEN } else { TRUECOLOR };
            return Self::load(names[usize::from(light)], own);
        }
        let theme = Self::load(name, own)?;
        if depth == Depth::Sixteen && theme.uses_truecolor() {
            return Self::load(SIXTEEN[usize::from(theme.is_light())], &BTreeMap::new());
        }
        Ok(theme)
    }

    /// A theme without styles, for terminals that support none.
    pub fn plain() -> Self {
        Self { name: "plain".to_owned(), styles: Vec::new(), surfaces: Vec::new() }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// The painted surfaces below text; empty if the theme leaves them to the terminal.
    pub fn surfaces(&self) -> &[color::Rgb] {
        &self.surfaces
    }

    /// Whether any colour needs more than the terminal's 16 colours.
    pub fn uses_truecolor(&self) -> bool {
        let rgb = |c| matches!(c, Color::Rgb(..));
        self.styles.iter().any(|s| rgb(s.fg) || rgb(s.bg))
    }

    fn is_light(&self) -> bool {
        self.surfaces.first().is_some_and(|&ground| color::luminance(ground) > 0.4)
    }
}

/// Whether there is a theme with this name.
pub(super) fn is_theme(name: &str, own: &BTreeMap<String, Declared>) -> bool {
    own.contains_key(name) || is_built_in(name)
}

/// Names of all themes: `auto`, the built-in ones, then the user's own.
pub fn theme_names(own: &BTreeMap<String, Declared>) -> Vec<String> {
    let built_in = std::iter::once(AUTO).chain(palette::NAMES.iter().copied());
    let mine = own.keys().map(String::as_str).filter(|n| !is_built_in(n));
    built_in.chain(mine).map(str::to_owned).collect()
}

fn is_built_in(name: &str) -> bool {
    name == AUTO
        || palette::NAMES.contains(&name)
        || ALIASES.iter().any(|(alias, _)| *alias == name)
}

/// The built-in theme with this name or alias.
fn root_of(name: &str) -> Option<&'static str> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, name)| *name);
    let name = if name == AUTO { TRUECOLOR[0] } else { name };
    palette::NAMES.iter().copied().find(|known| *known == name)
}

/// A user's themes, the base first.
type Chain<'a> = Vec<(&'a str, &'a Declared)>;

/// The built-in theme that a theme is based on, and the user's themes in between.
fn chain<'a>(
    name: &'a str,
    own: &'a BTreeMap<String, Declared>,
) -> Result<(&'static str, Chain<'a>), ThemeError> {
    let mut chain: Chain<'a> = Vec::new();
    let mut next = name;
    loop {
        // A user's theme with the name of a built-in theme is based on that built-in theme.
        let seen = chain.iter().any(|(seen, _)| *seen == next);
        let Some((theme, declared)) = own.get_key_value(next).filter(|_| !seen) else {
            let Some(root) = root_of(next) else {
                return Err(if seen { circle(name, &chain) } else { missing(next, &chain, own) });
            };
            chain.reverse();
            return Ok((root, chain));
        };
        chain.push((theme, declared));
        let default = if is_built_in(theme) { theme } else { AUTO };
        next = declared.get(BASE).map_or(default, String::as_str);
    }
}

/// The style of a role in a user's theme; `None` if the key sets a colour. If a key names both a role and a
/// colour, it sets the colour if its value is only a colour.
fn own_style(key: &str, text: &str, colors: &mut Colors) -> Result<Option<Style>, String> {
    let is_role = Role::ALL.iter().any(|role| role.name() == key);
    if key == BASE {
        return Ok(None);
    }
    if key == CONTRAST {
        let expected = format!("expected \"{AS_IS}\", found {}", quote(text));
        return if text == AS_IS { Ok(None) } else { Err(expected) };
    }
    if !is_role && colors.get(key).is_none() {
        let roles = Role::ALL.iter().map(|r| r.name());
        let known = roles.chain(palette::color_names()).chain([BASE, CONTRAST]);
        return Err(format!("unknown setting{}", did_you_mean(key, known)));
    }
    let is_color = colors.get(key).is_some();
    let named = |word: &str| colors.get(word).map_or_else(|| word.parse().ok(), Some);
    if let Some(color) = named(text.trim()).filter(|_| is_color) {
        colors.set(key, color);
        return Ok(None);
    }
    let style = Style::parse(text, |word| colors.get(word)).map_err(|e| e.to_string())?;
    if !is_role {
        let message = format!("expected one colour, found {}", quote(text));
        return Err(message);
    }
    Ok(Some(style))
}

fn missing(name: &str, chain: &Chain<'_>, own: &BTreeMap<String, Declared>) -> ThemeError {
    let names = theme_names(own);
    let hint = did_you_mean(name, names.iter().map(String::as_str));
    let message =
        format!("there is no theme {}; the themes are {}{hint}", quote(name), names.join(", "));
    let (theme, key) = match chain.last() {
        Some((child, _)) => ((*child).to_owned(), BASE.to_owned()),
        None => (name.to_owned(), String::new()),
    };
    ThemeError { theme, key, message }
}

fn circle(theme: &str, chain: &Chain<'_>) -> ThemeError {
    let names: Vec<&str> = chain.iter().map(|(name, _)| *name).collect();
    let message = format!("the themes {} are based on each other", names.join(", "));
    ThemeError { theme: theme.to_owned(), key: BASE.to_owned(), message }
}

#[cfg(test)]
mod tests {
    use super::super::style::Color;
    use super::*;

    fn own(rows: &[(&str, &str, &str)]) -> BTreeMap<String, Declared> {
        let mut own: BTreeMap<String, Declared> = BTreeMap::new();
        for (theme, key, value) in rows {
            own.entry((*theme).to_owned()).or_default().insert((*key).into(), (*value).into());
        }
        own
    }

    /// Roles of text that can be on any surface.
    fn texts() -> impl Iterator<Item = Role> {
        let lines = [Role::Border, Role::BorderFocus, Role::Edge];
        Role::ALL.iter().copied().filter(move |role| !lines.contains(role))
    }

    #[test]
    fn every_text_is_readable_on_every_surface() {
        for name in palette::NAMES {
            let theme = Theme::load(name, &BTreeMap::new()).unwrap();
            let surfaces = theme.surfaces();
            assert_eq!(surfaces.is_empty(), !theme.uses_truecolor(), "{name}");
            for role in texts() {
                let style = theme.style(role);
                let (Color::Rgb(r, g, b), false) = (style.fg, surfaces.is_empty()) else {
                    continue;
                };
                let lowest = match style.bg {
                    Color::Rgb(x, y, z) => color::contrast([r, g, b], [x, y, z]),
                    _ => color::lowest_contrast([r, g, b], surfaces),
                };
                assert!(lowest >= MIN_CONTRAST, "{name}: {} has {lowest:.2}", role.name());
            }
            if let (Color::Rgb(r, g, b), [ground, ..]) = (theme.style(Role::Edge).fg, surfaces) {
                assert!(color::contrast([r, g, b], *ground) >= 3.0, "{name}: edge");
            }
        }
    }

    #[test]
    fn only_16_colour_themes_leave_colours_to_the_terminal() {
        let names = palette::NAMES.iter();
        let few: Vec<&&str> = names
            .filter(|name| !Theme::load(name, &BTreeMap::new()).unwrap().uses_truecolor())
            .collect();
        assert_eq!(few, [&"ansi", &"ansi-light", &"mono"]);
        let mono = Theme::load("mono", &BTreeMap::new()).unwrap();
        assert!(mono.styles.iter().all(|s| s.fg == Color::Default && s.bg == Color::Default));
        let ansi = Theme::load("ansi", &BTreeMap::new()).unwrap();
        let indexed = |c| matches!(c, Color::Indexed(_));
        assert!(!ansi.styles.iter().any(|s| indexed(s.fg) || indexed(s.bg)));
        for theme in [mono, ansi] {
            let style = |role| theme.style(role);
            assert_ne!(style(Role::SelectedTitle), style(Role::SelectedUnfocused));
            assert!(style(Role::Unread).bold && !style(Role::Read).bold, "{}", theme.name);
        }
    }

    /// Simulations of the three types of colour blindness: protanopia, deuteranopia, tritanopia. Machado,
    /// Oliveira, Fernandes 2009, severity 1, in linear RGB.
    const DEFICIENCIES: [[[f64; 3]; 3]; 3] = [
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    fn linear(color: color::Rgb) -> [f64; 3] {
        color.map(|channel| (f64::from(channel) / 255.0).powf(2.2))
    }

    /// Converts to lightness and colour, so that distances approximate perceived differences (Oklab, Ottosson
    /// 2020).
    fn oklab([r, g, b]: [f64; 3]) -> [f64; 3] {
        let l = (0.412_221 * r + 0.536_333 * g + 0.051_446 * b).max(0.0).cbrt();
        let m = (0.211_903 * r + 0.680_700 * g + 0.107_397 * b).max(0.0).cbrt();
        let s = (0.088_302 * r + 0.281_719 * g + 0.629_979 * b).max(0.0).cbrt();
        [
            0.210_454 * l + 0.793_618 * m - 0.004_072 * s,
            1.977_999 * l - 2.428_592 * m + 0.450_594 * s,
            0.025_904 * l + 0.782_772 * m - 0.808_676 * s,
        ]
    }

    #[test]
    fn blue_and_orange_are_distinct_for_colour_blind_users() {
        for name in ["blue-orange", "blue-orange-light"] {
            let theme = Theme::load(name, &BTreeMap::new()).unwrap();
            let seen = |role: Role, eye: &[[f64; 3]; 3]| {
                let Color::Rgb(r, g, b) = theme.style(role).fg else { panic!("{}", role.name()) };
                let light = linear([r, g, b]);
                oklab(eye.map(|row| (0..3).map(|i| row[i] * light[i]).sum::<f64>().max(0.0)))
            };
            for (a, b) in [
                (Role::Error, Role::Ok),
                (Role::Added, Role::Removed),
                (Role::Accent, Role::Pinned),
                (Role::Accent, Role::Heading),
                (Role::Changed, Role::Pinned),
                (Role::Warning, Role::Ok),
            ] {
                for eye in &DEFICIENCIES {
                    let (x, y) = (seen(a, eye), seen(b, eye));
                    let distance = (0..3).map(|i| (x[i] - y[i]).powi(2)).sum::<f64>().sqrt();
                    assert!(distance >= 0.1, "{name}: {} and {} {distance:.3}", a.name(), b.name());
                }
            }
        }
    }

    #[test]
    fn only_themes_without_colours_underline_added_text() {
        for name in palette::NAMES {
            let theme = Theme::load(name, &BTreeMap::new()).unwrap();
            assert_eq!(theme.style(Role::Added).underline, *name == "mono", "{name}");
        }
    }

    #[test]
    fn chooses_a_theme_that_the_terminal_can_show() {
        let none = BTreeMap::new();
        let chosen =
            |name, depth, light| Theme::for_terminal(name, &none, depth, light).unwrap().name;
        for (name, depth, light, expected) in [
            (AUTO, Depth::True, false, "dark"),
            (AUTO, Depth::Indexed, true, "light"),
            (AUTO, Depth::Sixteen, false, "ansi"),
            (AUTO, Depth::Sixteen, true, "ansi-light"),
            ("nord", Depth::Indexed, true, "nord"),
            ("nord", Depth::Sixteen, true, "ansi"),
            ("solarized-light", Depth::Sixteen, false, "ansi-light"),
            ("nord", Depth::Mono, false, "mono"),
            ("paper", Depth::True, false, "paper"),
        ] {
            assert_eq!(chosen(name, depth, light), expected, "{name} {depth:?} {light}");
        }
    }

    #[test]
    fn user_themes_can_have_a_base() {
        let own = own(&[
            ("night", "soft", "208 on 234 bold"),
            ("night", "base", "ansi-light"),
            ("ansi", "title", "red"),
            ("late", "base", "night"),
            ("loud", "accent", "#ff0000"),
            ("loud", "contrast", "as-is"),
            ("mine", "accent", "#101010"),
            ("flat", "ground", "#101010"),
            ("flat", "match", "#00ff00"),
        ]);
        let night = Theme::load("night", &own).unwrap();
        let soft = night.style(Role::Soft);
        assert_eq!((soft.fg, soft.bg), (Color::Indexed(208), Color::Indexed(234)));
        assert!(soft.bold && night.style(Role::Header).fg == Color::Default);
        assert_eq!(night.style(Role::Pinned).fg, Color::Named(5));
        assert_eq!(Theme::load("late", &own).unwrap().style(Role::Soft), soft);
        let ansi = Theme::load("ansi", &own).unwrap();
        assert_eq!(ansi.style(Role::Title).fg, Color::Named(1));
        assert_eq!(ansi.style(Role::Link).fg, Color::Named(6));
        let loud = Theme::load("loud", &own).unwrap();
        assert_eq!(loud.style(Role::Link).fg, Color::Rgb(255, 0, 0));
        let Color::Rgb(r, g, b) = Theme::load("mine", &own).unwrap().style(Role::Link).fg else {
            panic!("no colour")
        };
        assert!(color::lowest_contrast([r, g, b], loud.surfaces()) >= MIN_CONTRAST);
        // A single colour changes every style with that colour, and no style loses its surface.
        let flat = Theme::load("flat", &own).unwrap();
        assert_eq!(flat.style(Role::Ground).bg, Color::Rgb(16, 16, 16));
        assert_eq!(flat.style(Role::Match).bg, Color::Rgb(0, 255, 0));
        assert_eq!(flat.surfaces().len(), 6);
    }

    #[test]
    fn one_rgb_colour_makes_a_theme_truecolor() {
        for (value, want) in [
            ("red on blue", false),
            ("208 on 17", false),
            ("#ff0000", true),
            ("red on #0000ff", true),
        ] {
            let own = own(&[("x", "base", "ansi"), ("x", "title", value)]);
            assert_eq!(Theme::load("x", &own).unwrap().uses_truecolor(), want, "{value}");
        }
    }

    #[test]
    fn reports_errors_in_themes() {
        let cases = [
            ("x", own(&[("x", "acent", "red")]), "did you mean \"accent\""),
            ("x", own(&[("x", "accent", "grene")]), "did you mean \"green\""),
            ("x", own(&[("x", "accent", "red blue")]), "\"blue\""),
            ("x", own(&[("x", "accent", "red on")]), "expected a style"),
            ("x", own(&[("x", "accent", "#12345")]), "#12345"),
            ("x", own(&[("x", "contrast", "none")]), "as-is"),
            ("x", own(&[("x", "base", "drak")]), "did you mean \"dark\""),
            ("x", own(&[("x", "base", "y"), ("y", "base", "x")]), "based on each other"),
            ("nrod", own(&[]), "did you mean \"nord\""),
        ];
        for (name, own, part) in cases {
            let errors = Theme::load(name, &own).unwrap_err();
            assert!(errors[0].to_string().contains(part), "{part} in {errors:?}");
        }
    }
}

//! Themes as plain data: a style for each role.

use super::error::did_you_mean;
use super::quote::quote;
use super::style::Style;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Names of the built-in themes, in the order in which the next-theme key goes through them.
pub const BUILT_IN_THEMES: &[&str] = &["dark", "light", "high-contrast", "mono"];

/// The key that names the theme a theme is based on.
const BASE: &str = "base";

const BUILT_IN: &str = include_str!("../../assets/themes.toml");

/// A theme as declared: role -> style, and optionally `base`.
type Declared = BTreeMap<String, String>;

macro_rules! roles {
    ($($name:ident, $word:literal, $help:literal;)+) => {
        /// The role of a text, which determines its style. Colour is never the only sign of a
        /// state.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $(#[doc = $help] $name,)+
        }

        impl Role {
            /// Every role.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its name in a theme.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }
        }
    };
}

roles! {
    Text, "text", "Running text";
    Dim, "dim", "Less important text";
    Accent, "accent", "The accent colour";
    Title, "title", "Title of an article";
    Border, "border", "Lines between panes";
    BorderFocus, "border-focus", "Lines around the focused pane";
    Header, "header", "Name of a pane or folder";
    Selected, "selected", "The selected row";
    SelectedUnfocused, "selected-unfocused", "The selected row of another pane";
    Unread, "unread", "An unread row";
    Pinned, "pinned", "The mark of a pinned row";
    Error, "error", "Something failed";
    Warning, "warning", "Something needs attention";
    Ok, "ok", "Something succeeded";
    Link, "link", "A link of an article";
    Code, "code", "Code of an article";
    Quote, "quote", "A quotation of an article";
    Emphasis, "emphasis", "Emphasised words of an article";
    Strong, "strong", "Strongly emphasised words of an article";
    Heading, "heading", "A heading of an article";
    Match, "match", "A search match";
    Status, "status", "The status line";
    KeyHint, "key-hint", "A key in a hint";
    Toast, "toast", "A temporary message";
    Input, "input", "A text field";
    Added, "added", "Added text";
    Removed, "removed", "Removed text";
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
}

impl Theme {
    /// The theme with a name: one of `own` (`[themes.NAME]`), else a built-in one.
    ///
    /// # Errors
    /// When there is no such theme, or all errors in it.
    pub fn load(name: &str, own: &BTreeMap<String, Declared>) -> Result<Self, Vec<ThemeError>> {
        let built_in = built_in().map_err(|e| vec![e])?;
        let mut errors = Vec::new();
        let mut styles = vec![None; Role::ALL.len()];
        let mut next = Some(name.to_owned());
        let mut seen = Vec::new();
        while let Some(current) = next.take() {
            // A user's theme with the name of a built-in one is based on that one.
            let mine = own.get(&current).filter(|_| !seen.contains(&current));
            let times = seen.iter().filter(|s| **s == current).count();
            let again = times > usize::from(own.contains_key(&current));
            let below = || built_in.get(&current).filter(|_| !again);
            let Some(declared) = mine.or_else(below) else {
                errors.push(if times == 0 {
                    missing(&current, seen.last(), own)
                } else {
                    circle(name, &seen)
                });
                break;
            };
            fill(&mut styles, &current, declared, &mut errors);
            next = base(&current, declared, mine.is_some());
            seen.push(current);
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let styles = styles.into_iter().map(Option::unwrap_or_default).collect();
        Ok(Self { name: name.to_owned(), styles })
    }

    /// A theme without styles, for terminals that support none.
    pub fn plain() -> Self {
        Self { name: "plain".to_owned(), styles: Vec::new() }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// Whether any colour needs a truecolor terminal.
    pub fn uses_truecolor(&self) -> bool {
        let rgb = |c| matches!(c, super::style::Color::Rgb(..));
        self.styles.iter().any(|s| rgb(s.fg) || rgb(s.bg))
    }
}

/// Names of all themes: the built-in ones, then the user's own.
pub fn theme_names(own: &BTreeMap<String, Declared>) -> Vec<String> {
    let mine = own.keys().map(String::as_str).filter(|n| !BUILT_IN_THEMES.contains(n));
    BUILT_IN_THEMES.iter().copied().chain(mine).map(str::to_owned).collect()
}

/// The built-in themes. Their file is parsed once.
fn built_in() -> Result<&'static BTreeMap<String, Declared>, ThemeError> {
    static THEMES: LazyLock<Result<BTreeMap<String, Declared>, ThemeError>> = LazyLock::new(|| {
        toml::from_str(BUILT_IN).map_err(|e| ThemeError {
            theme: "built-in".to_owned(),
            key: String::new(),
            message: e.to_string(),
        })
    });
    THEMES.as_ref().map_err(ThemeError::clone)
}

/// The base of a theme: the declared one, else `dark` for a user's theme.
fn base(name: &str, declared: &Declared, own: bool) -> Option<String> {
    let default = if BUILT_IN_THEMES.contains(&name) { name } else { BUILT_IN_THEMES[0] };
    declared.get(BASE).cloned().or_else(|| own.then(|| default.to_owned()))
}

fn missing(name: &str, child: Option<&String>, own: &BTreeMap<String, Declared>) -> ThemeError {
    let names = theme_names(own);
    let hint = did_you_mean(name, names.iter().map(String::as_str));
    let message =
        format!("there is no theme {}; there are {}{hint}", quote(name), names.join(", "));
    let (theme, key) = match child {
        Some(child) => (child.clone(), BASE.to_owned()),
        None => (name.to_owned(), String::new()),
    };
    ThemeError { theme, key, message }
}

fn circle(theme: &str, seen: &[String]) -> ThemeError {
    let message = format!("the themes {} are based on each other", seen.join(", "));
    ThemeError { theme: theme.to_owned(), key: BASE.to_owned(), message }
}

/// Adds the styles that no derived theme has set.
fn fill(
    styles: &mut [Option<Style>],
    theme: &str,
    declared: &Declared,
    errors: &mut Vec<ThemeError>,
) {
    for (key, text) in declared.iter().filter(|(key, _)| *key != BASE) {
        let message = match Role::ALL.iter().position(|r| r.name() == key) {
            Some(index) => match text.parse::<Style>() {
                Ok(style) => {
                    styles[index].get_or_insert(style);
                    continue;
                }
                Err(error) => error.to_string(),
            },
            None => {
                let known = Role::ALL.iter().map(|r| r.name()).chain([BASE]);
                format!("unknown key{}", did_you_mean(key, known))
            }
        };
        errors.push(ThemeError { theme: theme.to_owned(), key: key.clone(), message });
    }
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

    #[test]
    fn built_in_themes_style_every_role_with_16_colours() {
        for name in BUILT_IN_THEMES {
            let theme = Theme::load(name, &BTreeMap::new()).unwrap();
            assert!(!theme.uses_truecolor());
            let indexed = |c| matches!(c, Color::Indexed(_));
            assert!(!theme.styles.iter().any(|s| indexed(s.fg) || indexed(s.bg)), "{name}");
            // Rows must differ in more than colour.
            assert_ne!(theme.style(Role::Selected), theme.style(Role::SelectedUnfocused));
            assert!(theme.style(Role::Unread).bold, "{name}");
        }
        assert_eq!(built_in().unwrap().len(), BUILT_IN_THEMES.len());
        for role in Role::ALL {
            assert!(built_in().unwrap()["dark"].contains_key(role.name()), "{}", role.name());
            assert!(built_in().unwrap()["mono"].contains_key(role.name()), "{}", role.name());
        }
        let mono = Theme::load("mono", &BTreeMap::new()).unwrap();
        assert!(mono.styles.iter().all(|s| s.fg == Color::Default && s.bg == Color::Default));
    }

    #[test]
    fn own_themes_can_have_a_base() {
        let own = own(&[
            ("night", "accent", "#88c0d0 on 234 bold"),
            ("night", "base", "light"),
            ("dark", "title", "red"),
            ("late", "base", "night"),
        ]);
        let night = Theme::load("night", &own).unwrap();
        let accent = night.style(Role::Accent);
        assert_eq!((accent.fg, accent.bg), (Color::Rgb(0x88, 0xc0, 0xd0), Color::Indexed(234)));
        assert!(accent.bold && night.uses_truecolor());
        assert_eq!(night.style(Role::Border).fg, Color::Named(7));
        assert_eq!(Theme::load("late", &own).unwrap().style(Role::Accent), accent);
        let dark = Theme::load("dark", &own).unwrap();
        assert_eq!(dark.style(Role::Title).fg, Color::Named(1));
        assert_eq!(dark.style(Role::Accent).fg, Color::Named(6));
        // Themes based on an overridden built-in theme see the change.
        let light = Theme::load("light", &own).unwrap();
        assert_eq!(light.style(Role::Added).fg, Color::Named(2));
    }

    #[test]
    fn reports_errors_in_themes() {
        let cases = [
            ("x", own(&[("x", "acent", "red")]), "did you mean \"accent\""),
            ("x", own(&[("x", "accent", "grene")]), "did you mean \"green\""),
            ("x", own(&[("x", "accent", "red blue")]), "\"blue\""),
            ("x", own(&[("x", "accent", "red on")]), "expected a style"),
            ("x", own(&[("x", "accent", "#12345")]), "#12345"),
            ("x", own(&[("x", "base", "drak")]), "did you mean \"dark\""),
            ("x", own(&[("x", "base", "y"), ("y", "base", "x")]), "based on each other"),
            ("ligth", own(&[]), "did you mean \"light\""),
        ];
        for (name, own, part) in cases {
            let errors = Theme::load(name, &own).unwrap_err();
            assert!(errors[0].to_string().contains(part), "{part} in {errors:?}");
        }
    }
}

//! What people declare: settings and sources, and how both are read and edited.

mod action;
mod clean;
mod document;
mod edit;
mod error;
mod ids;
mod key;
mod keymap;
mod load;
mod paths;
mod render;
mod rule;
mod save;
mod schema;
mod settings;
mod sources;
mod splice;
mod theme;

pub use action::{Action, UnknownAction};
pub use edit::{ConfigFile, EditError, Removed, SourceChange, SourcesFile};
pub use error::{ConfigError, ConfigErrors, Place};
pub use ids::unique_id;
pub use key::{Key, KeyCode, KeyError, LONGEST_SEQUENCE, parse_sequence, show_sequence};
pub use keymap::{BindingError, Context, KeyMap, KeyMapErrors, Lookup};
pub use load::{Loaded, load};
pub use paths::{CONFIG_DIR_VARIABLE, DATA_DIR_VARIABLE, NoHome, Paths};
pub use save::SaveError;
pub use schema::{setting_keys, show_settings};
pub use settings::{
    KeySettings, LogSettings, NetSettings, ScheduleSettings, Settings, SortOrder, UiSettings,
    ViewSettings,
};
pub use sources::source_keys;
pub use theme::{BUILT_IN_THEMES, Color, Role, Style, StyleError, Theme, ThemeError, theme_names};

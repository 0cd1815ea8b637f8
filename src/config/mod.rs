//! What people declare: settings and sources, and how both are read and edited.

mod action;
mod document;
mod edit;
mod edit_config;
mod entry;
mod error;
mod export;
mod form;
mod form_fields;
mod form_settings;
mod hand;
mod ids;
mod import;
mod key;
mod keymap;
mod load;
mod newsboat;
mod opml;
mod paths;
mod quote;
mod rebind;
mod render;
mod rule;
mod save;
mod schema;
mod section;
mod settings;
mod sources;
mod splice;
mod starter;
mod style;
mod theme;
mod website;

pub use action::{Action, UnknownAction};
pub use edit::{Added, EditError, Removed, SourceChange, SourcesFile};
pub use edit_config::{ConfigFile, SettingsEdited, SettingsText};
pub use entry::{Edited, Entry, EntryChange};
pub(crate) use error::did_you_mean;
pub use error::{ConfigError, ConfigErrors, Place};
pub use export::{export_opml, export_urls};
pub use form::{FormBase, FormField, SourceForm};
pub use form_fields::FormPage;
pub use form_settings::{setting_change, setting_choices, setting_shown};
pub use hand::HandEdited;
pub use ids::unique_id;
pub use import::{Import, ImportError, ImportKind, import, read_import};
pub use key::{Key, KeyCode, KeyError, LONGEST_SEQUENCE, parse_sequence, show_sequence};
pub use keymap::{BindingError, Context, KeyMap, KeyMapErrors, Lookup};
pub use load::{Loaded, load};
pub use paths::{CONFIG_DIR_VARIABLE, DATA_DIR_VARIABLE, NoHome, Paths};
pub use rebind::{KeyOrigin, KeyRow, Rebinding, as_in_preset, key_rows, rebind};
pub use save::SaveError;
pub use schema::{setting_keys, show_settings};
pub use settings::{
    KeySettings, LlmSettings, LogSettings, NetSettings, ScheduleSettings, Settings, SortOrder,
    UiSettings, ViewSettings,
};
pub use sources::source_keys;
pub use starter::starter_sources;
pub use style::{Color, Style, StyleError};
pub use theme::{BUILT_IN_THEMES, Role, Theme, ThemeError, theme_names};

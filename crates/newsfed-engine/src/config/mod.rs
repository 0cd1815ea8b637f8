//! What the user declares: settings and sources, and how both are read and edited.

mod accounts;
mod action;
mod action_aliases;
mod action_details;
mod advice;
mod appearance;
mod checks;
mod choices;
mod commands;
mod config_file;
mod declared_file;
mod document;
mod edit_error;
mod elements;
mod error;
mod export;
mod external;
mod file_change;
mod file_edit;
mod followed_list;
mod form;
mod hooks;
mod ids;
mod import;
mod item_rules;
mod json_schema;
mod json_schema_values;
mod key;
mod key_lines;
mod keymap;
mod list_edit;
mod load;
mod machines;
mod newsboat;
mod open;
mod opml;
mod opml_settings;
mod palette;
mod paths;
mod quote;
mod rebind;
mod reference;
mod render;
mod role;
mod rule;
mod save;
mod schema;
mod section;
mod setting;
mod settings;
mod shown;
mod source_change;
mod source_options;
mod source_settings;
mod sources;
mod sources_file;
mod splice;
mod starter;
mod style;
#[cfg(test)]
mod tests;
mod theme;
mod topic;
mod website;

pub use accounts::{AccountSettings, add_account, remove_account};
pub use action::{Action, Task, UnknownAction, begins_as};
pub use appearance::appearance;
pub use choices::{
    Background, COLUMNS, CommandInput, CommandOutput, DateStyle, GraphicsMode, Grouping, HookAfter,
    ListStyle, MarkRead, NotifyWay, SortOrder,
};
pub use config_file::{ConfigFile, ViewChange};
pub use edit_error::EditError;
pub use error::{ConfigError, ConfigErrors, ErrorPlace, did_you_mean, first_warning};
pub use export::{OpmlExport, export_opml, export_urls};
pub use external::{COMMAND_LIMIT, CommandSettings};
pub use file_change::{Applied, FileChange};
pub use file_edit::{FileEdit, FileKind};
pub use followed_list::{
    ListComparison, ListPlan, ListState, Listed, Stay, from_text as list_from_text,
    to_text as list_to_text,
};
pub use form::{FormField, SourceForm};
pub use hooks::{HOOK_LIMIT, HookSettings};
pub use ids::unique_id;
pub use import::{Import, ImportError, ImportKind, import, read_import};
pub use item_rules::RuleChange;
pub use json_schema::{config_schema, sources_schema};
pub use key::{Key, KeyCode, KeyError, MAX_SEQUENCE_KEYS, parse_sequence, show_sequence};
pub use keymap::{BindingError, Context, KeyMap, KeyMapErrors, Lookup};
pub use load::{Loaded, load};
pub use machines::MachineSettings;
pub use paths::{CONFIG_DIR_VARIABLE, CRAWLS_FOLDER, DATA_DIR_VARIABLE, NoHome, Paths};
pub use rebind::{KeyOrigin, KeyRow, Rebinding, key_rows, rebind, restore_preset};
pub use reference::{SettingReference, elements_reference, settings_reference, sources_reference};
pub use render::view_text;
pub use role::Role;
pub use save::EditSaveError;
pub use section::{Checked, KeyChange, Section};
pub use setting::FormPage;
pub use settings::{
    DownloadSettings, FeedsSettings, KeySettings, ListLayout, ListenSettings, LlmSettings,
    LogSettings, NetSettings, NotifySettings, OpenSettings, RUN_LIMIT, RuleSettings,
    ScheduleSettings, ServeSettings, Settings, UiSettings, ViewSettings,
};
pub use shown::{
    SettingRow, setting_change, setting_choices, setting_keys, setting_rows, setting_shown,
    show_settings,
};
pub use source_change::SourceChange;
pub use source_options::{SourceOption, source_options};
pub use source_settings::{own_keys, source_keys, source_values};
pub(crate) use sources::path_url;
pub use sources_file::{Added, Completion, SourcesFile};
pub use starter::starter_sources;
pub use style::{Color, Style, StyleError};
pub use theme::{AUTO as AUTO_THEME, Depth, MIN_CONTRAST, Theme, ThemeError, theme_names};
pub use topic::{Topic, topics};

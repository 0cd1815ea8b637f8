//! What people declare: settings and sources, and how both are read and edited.

mod settings;

pub use settings::{
    KeySettings, LogSettings, NetSettings, ScheduleSettings, Settings, SortOrder, UiSettings,
    ViewSettings,
};

//! Where files are stored: in the folders given as arguments, else those in environment variables, else XDG
//! folders.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Environment variable with the folder of `config.toml` and `sources.toml`.
pub const CONFIG_DIR_VARIABLE: &str = "NEWSFED_CONFIG_DIR";
/// Environment variable with the folder of the database.
pub const DATA_DIR_VARIABLE: &str = "NEWSFED_DATA_DIR";

/// The folder next to the database with the data that crawls of sources have learned.
pub const CRAWLS_FOLDER: &str = "crawls";

/// The folders of one run. They are created only when something is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    config_dir: PathBuf,
    data_dir: PathBuf,
    log_dir: PathBuf,
}

/// No home folder is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no home folder is known for {what}: set HOME, {argument} DIR or {variable}")]
pub struct NoHome {
    what: &'static str,
    argument: &'static str,
    variable: &'static str,
}

impl Paths {
    /// The folders of this process. Arguments override `NEWSFED_*`, which override XDG.
    ///
    /// # Errors
    /// When a folder is not given and no home folder is known.
    pub fn resolve(config_dir: Option<PathBuf>, data_dir: Option<PathBuf>) -> Result<Self, NoHome> {
        let home = directories::ProjectDirs::from("", "", "newsfed");
        Self::choose(config_dir, data_dir, |name| std::env::var_os(name), home.as_ref())
    }

    /// [`Self::resolve`] with the environment as an argument.
    fn choose(
        config_dir: Option<PathBuf>,
        data_dir: Option<PathBuf>,
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<&directories::ProjectDirs>,
    ) -> Result<Self, NoHome> {
        let from_variable =
            |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let config_dir = config_dir
            .or_else(|| from_variable(CONFIG_DIR_VARIABLE))
            .or_else(|| home.map(|h| h.config_dir().to_owned()))
            .ok_or(NoHome {
                what: "the settings",
                argument: "--config-dir",
                variable: CONFIG_DIR_VARIABLE,
            })?;
        let given = data_dir.or_else(|| from_variable(DATA_DIR_VARIABLE));
        // Logs follow a given data folder, so that a trial run leaves no other traces.
        let log_dir = match (&given, home) {
            (None, Some(h)) => h.state_dir().unwrap_or_else(|| h.data_local_dir()).join("log"),
            (Some(dir), _) => dir.join("log"),
            (None, None) => PathBuf::new(),
        };
        let data_dir = given.or_else(|| home.map(|h| h.data_dir().to_owned())).ok_or(NoHome {
            what: "the database",
            argument: "--data-dir",
            variable: DATA_DIR_VARIABLE,
        })?;
        Ok(Self { config_dir, data_dir, log_dir })
    }

    /// The folder for downloads: the configured one, else the user's own downloads folder.
    ///
    /// # Errors
    /// When no home folder is known.
    pub fn downloads(folder: Option<&str>) -> Result<PathBuf, NoHome> {
        let unknown = NoHome { what: "downloads", argument: "--dir", variable: "download.folder" };
        if let Some(folder) = folder {
            return Self::expanded(folder).ok_or(unknown);
        }
        let user = directories::UserDirs::new().ok_or(unknown)?;
        let known = user.download_dir().map(Path::to_owned);
        Ok(known.unwrap_or_else(|| user.home_dir().join("Downloads")))
    }

    /// A folder as written in the settings: absolute, or in the home folder with `~/`. `None` if no home
    /// folder is known.
    pub fn expanded(folder: &str) -> Option<PathBuf> {
        match folder.strip_prefix("~/") {
            None => Some(PathBuf::from(folder)),
            Some(below) => directories::UserDirs::new().map(|user| user.home_dir().join(below)),
        }
    }

    /// All files below one folder, for demos and tests.
    pub fn below(folder: &Path) -> Self {
        let data_dir = folder.join("data");
        Self { config_dir: folder.join("config"), log_dir: data_dir.join("log"), data_dir }
    }

    /// Folder of `config.toml` and `sources.toml`.
    pub fn config_dir(&self) -> &Path {
        &self.config_dir
    }

    /// Folder of the database.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    pub fn sources_file(&self) -> PathBuf {
        self.config_dir.join("sources.toml")
    }

    pub fn database(&self) -> PathBuf {
        self.data_dir.join("newsfed.db")
    }

    /// Folder of the log files.
    pub fn log_dir(&self) -> &Path {
        &self.log_dir
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(
        config: Option<&str>,
        data: Option<&str>,
        variables: &[(&str, &str)],
        home: bool,
    ) -> Result<Paths, NoHome> {
        let home = home.then(|| {
            directories::ProjectDirs::from_path(PathBuf::from("/home/u/newsfed")).unwrap()
        });
        Paths::choose(
            config.map(PathBuf::from),
            data.map(PathBuf::from),
            |name| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v)),
            home.as_ref(),
        )
    }

    #[test]
    fn arguments_override_variables_and_home() {
        let variables = [(CONFIG_DIR_VARIABLE, "/v/c"), (DATA_DIR_VARIABLE, "/v/d")];
        let paths = choose(Some("/a/c"), None, &variables, true).unwrap();
        assert_eq!(paths.config_file(), Path::new("/a/c/config.toml"));
        assert_eq!(paths.database(), Path::new("/v/d/newsfed.db"));
        assert_eq!(paths.log_dir(), Path::new("/v/d/log"));
        let empty = [(CONFIG_DIR_VARIABLE, ""), (DATA_DIR_VARIABLE, "")];
        let paths = choose(None, None, &empty, true).unwrap();
        assert!(paths.sources_file().starts_with("/home") || paths.sources_file().has_root());
        assert_ne!(paths.config_dir(), Path::new(""));
    }

    #[test]
    fn missing_home_error_names_option_and_variable() {
        let error = choose(None, Some("/d"), &[], false).unwrap_err().to_string();
        assert!(error.contains("--config-dir") && error.contains(CONFIG_DIR_VARIABLE), "{error}");
        let error = choose(Some("/c"), None, &[], false).unwrap_err().to_string();
        assert!(error.contains("--data-dir") && error.contains("database"), "{error}");
        assert!(choose(Some("/c"), Some("/d"), &[], false).is_ok());
    }
}

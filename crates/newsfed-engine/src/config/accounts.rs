//! `[[account]]` of `config.toml`: servers of the Google Reader API that newsfed reads.

use super::checks::{ANY_PATH, ARGUMENT, WEB, WORD, word};
use super::declared_file::DeclaredFile;
use super::document::Pair;
use super::edit_error::EditError;
use super::error::{ConfigError, Report, did_you_mean};
use super::file_edit::{Element, FileEdit, FileKind, Step};
use super::ids::{ID_PATTERN, check_id};
use super::load::{Positioned, elements};
use super::paths::Paths;
use super::quote::quote;
use super::rule::{Rule, Slot};
use super::setting::{Setting, read};
use super::settings::Settings;
use super::splice::newline;
use crate::model::Secret;
use crate::util::address::is_loopback_host;
use crate::util::login::without_secrets;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml_edit::{Array, Value};
use url::Url;

/// An account on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSettings {
    /// Its name in lists and messages; unique.
    pub id: String,
    /// The URL of the API, without a trailing slash.
    pub url: String,
    pub user: String,
    /// A command that prints the password, as a list of arguments.
    pub password_command: Vec<String>,
    /// A file with the password, which only its owner can read.
    pub password_file: Option<String>,
    /// An environment variable with the password.
    pub password_env: Option<String>,
    /// Time between two synchronisations.
    pub interval: Duration,
    /// How many of the newest items the first synchronisation fetches.
    pub history: usize,
    /// Whether the password may be sent without encryption.
    pub insecure: bool,
}

impl Default for AccountSettings {
    fn default() -> Self {
        Self {
            id: String::new(),
            url: String::new(),
            user: String::new(),
            password_command: Vec::new(),
            password_file: None,
            password_env: None,
            interval: Duration::from_secs(15 * 60),
            history: 20_000,
            insecure: false,
        }
    }
}

/// Number of seconds in a day.
const DAY: u64 = 24 * 3600;

/// The keys of an `[[account]]`.
pub(super) const KEYS: &[Setting<AccountSettings>] = &[
    Setting::new("id", Rule::Checked(id, ID_PATTERN), |a| Slot::Text(&mut a.id)),
    Setting::new("url", Rule::Address(api, WEB), |a| Slot::Text(&mut a.url)),
    Setting::new("user", WORD, |a| Slot::Text(&mut a.user)),
    Setting::new("password_command", ARGUMENT, |a| Slot::Command(&mut a.password_command)),
    Setting::new("password_file", Rule::Checked(file, ANY_PATH), |a| {
        Slot::MaybeText(&mut a.password_file)
    }),
    Setting::new("password_env", WORD, |a| Slot::MaybeText(&mut a.password_env)),
    Setting::new("interval", Rule::Within(60, DAY), |a| Slot::Time(&mut a.interval)),
    Setting::new("history", Rule::Within(0, 1_000_000), |a| Slot::Count(&mut a.history)),
    Setting::new("insecure", Rule::Any, |a| Slot::Flag(&mut a.insecure)),
];

fn id(text: &str) -> Result<String, String> {
    check_id(text).map(|()| text.to_owned())
}

/// Checks that a path is absolute or in the home folder.
fn file(text: &str) -> Result<String, String> {
    let text = word(text)?;
    if Path::new(&text).is_absolute() || text.starts_with("~/") {
        return Ok(text);
    }
    Err(format!("expected an absolute path, or one that begins with ~/, found {}", quote(&text)))
}

/// Checks the URL of an API and removes trailing slashes.
fn api(text: &str) -> Result<String, String> {
    let error = || {
        let found = quote(&without_secrets(text));
        format!(
            "expected a URL such as \"https://rss.example.org/api/greader.php\" without a password, found {found}"
        )
    };
    let url = Url::parse(text.trim()).map_err(|_| error())?;
    let plain = url.username().is_empty() && url.password().is_none();
    let bare = url.query().is_none() && url.fragment().is_none();
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !plain || !bare {
        return Err(error());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

impl AccountSettings {
    /// Where to read the password from.
    pub fn password(&self) -> Option<Secret> {
        let command = (!self.password_command.is_empty())
            .then(|| Secret::Command(self.password_command.clone()));
        let file = self.password_file.as_deref().map(|file| Secret::File(path_of(file)));
        command.or(file).or_else(|| self.password_env.clone().map(Secret::Env))
    }

    /// Whether the URL would send the password unencrypted to another computer.
    pub fn is_exposed(&self) -> bool {
        let url = Url::parse(&self.url).ok();
        url.is_some_and(|url| url.scheme() == "http" && !is_loopback_host(&url))
    }

    /// The first problem: the key, and what is wrong with it.
    fn problem(&self) -> Option<(&'static str, String)> {
        let missing = [("id", &self.id), ("url", &self.url), ("user", &self.user)];
        if let Some((key, _)) = missing.into_iter().find(|(_, value)| value.is_empty()) {
            return Some((key, "is missing".to_owned()));
        }
        let ways = [
            !self.password_command.is_empty(),
            self.password_file.is_some(),
            self.password_env.is_some(),
        ];
        match ways.into_iter().filter(|way| *way).count() {
            1 => {}
            0 => {
                let message =
                    "is missing; set one of password_command, password_file and password_env";
                return Some(("password_command", message.to_owned()));
            }
            _ => {
                let message = "use only one of password_command, password_file and password_env";
                return Some(("password_command", message.to_owned()));
            }
        }
        (self.is_exposed() && !self.insecure).then(|| {
            let message = "would send the password without encryption; use https, or set \
                           insecure = true if you trust the network";
            ("url", message.to_owned())
        })
    }

    /// The account's entry in `config.toml`.
    fn entry(&self, newline: &str) -> String {
        let text = |text: &str| Value::from(text).to_string();
        let mut lines = vec![
            "[[account]]".to_owned(),
            format!("id = {}", text(&self.id)),
            format!("url = {}", text(&self.url)),
            format!("user = {}", text(&self.user)),
        ];
        if !self.password_command.is_empty() {
            let words: Array = self.password_command.iter().map(String::as_str).collect();
            lines.push(format!("password_command = {words}"));
        }
        let ways = [("password_file", &self.password_file), ("password_env", &self.password_env)];
        for (key, value) in ways {
            lines.extend(value.as_deref().map(|value| format!("{key} = {}", text(value))));
        }
        if self.insecure {
            lines.push("insecure = true".to_owned());
        }
        lines.join(newline) + newline
    }
}

/// A path, with `~/` for the home folder.
fn path_of(text: &str) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}

/// The valid accounts. Invalid ones are reported as errors.
pub(super) fn read_all(pair: &Pair, report: &mut Report) -> Vec<AccountSettings> {
    let mut accounts: Vec<AccountSettings> = Vec::new();
    for (node, table) in elements(pair, report) {
        let mut account = AccountSettings::default();
        let before = report.errors.errors.len() + report.errors.more;
        read(table, &"account.", (KEYS, ""), &["password"], &mut account, report);
        let at = |key: &str| table.iter().find(|p| p.key == key).map_or(node.at, |p| p.node.at);
        if let Some(pair) = table.iter().find(|pair| pair.key == "password") {
            let message = "passwords do not belong in this file; use password_command, \
                           password_file or password_env";
            report.error(pair.at, "account.password", message);
        }
        if report.errors.errors.len() + report.errors.more > before {
            continue;
        }
        let twice = accounts.iter().any(|other| other.id == account.id);
        let twice = twice.then(|| ("id", "another account has the same id".to_owned()));
        match account.problem().or(twice) {
            Some((key, message)) => report.error(at(key), &format!("account.{key}"), message),
            None => accounts.push(account),
        }
    }
    accounts
}

/// Adds an account to `config.toml`.
///
/// # Errors
/// When the file cannot be read or written, or would not be valid.
pub fn add_account(paths: &Paths, account: &AccountSettings) -> Result<FileEdit, EditError> {
    DeclaredFile::of(FileKind::Accounts, paths).change(|text| {
        let entry = account.entry(newline(text));
        Ok(vec![Step::Insert(vec![Element {
            name: account.id.clone(),
            text: entry,
            before: None,
        }])])
    })
}

/// Removes the account with this id from `config.toml`.
///
/// # Errors
/// When the file cannot be read or written.
pub fn remove_account(paths: &Paths, id: &str) -> Result<FileEdit, EditError> {
    DeclaredFile::of(FileKind::Accounts, paths)
        .change(|_| Ok(vec![Step::Remove(vec![id.to_owned()])]))
}
/// Warns about entries of sources whose accounts are not in `config.toml`.
pub(super) fn unknown(
    file: &Path,
    text: &str,
    sources: &Positioned,
    settings: &Settings,
) -> Vec<ConfigError> {
    let mut report = Report::new(file, text);
    let ids = || settings.accounts.iter().map(|account| account.id.as_str());
    for (at, source) in sources {
        let unknown = source.account.as_deref().filter(|account| !ids().any(|id| id == *account));
        if let Some(account) = unknown {
            let hint = did_you_mean(account, ids());
            let key = format!("source {}: account", quote(source.id.as_str()));
            let account = quote(account);
            report.warn(*at, &key, format!("there is no account {account} in config.toml{hint}"));
        }
    }
    report.warnings
}

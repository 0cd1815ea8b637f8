//! Where a feed's document comes from, if not from its URL alone.

use super::hash::stable_hash;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::time::Duration;
use url::Url;

/// Scheme of the URLs that stand for programs.
const EXEC: &str = "exec";
/// Characters that are percent-encoded in the URL of a program.
const READABLE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
/// Maximum length of a program's name in its URL, in characters.
const MAX_NAME: usize = 60;

/// The programs and files that a feed comes from, as written by the user in `sources.toml`. They are never
/// taken from lists, servers or apps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The program that prints the feed, with its arguments.
    pub exec: Vec<String>,
    /// The file with the feed: an absolute path, or one relative to the home directory with `~/`.
    pub file: Option<String>,
    /// The Maildir or mbox file whose emails are the entries: a path of the same form as `file`.
    pub mail: Option<String>,
    /// Only emails whose sender's name or address contains this text are read.
    pub from: Option<String>,
    /// The program that reads the fetched document and prints the feed, with its arguments.
    pub filter: Vec<String>,
    /// Maximum run time of a program; `None` means [`Origin::LIMIT`].
    pub limit: Option<Duration>,
}

impl Origin {
    /// Default for the maximum run time of a program.
    pub const LIMIT: Duration = Duration::from_secs(60);

    /// Whether nothing is fetched from the network.
    pub fn is_local(&self) -> bool {
        !self.exec.is_empty() || self.path().is_some()
    }

    /// The file or mailbox, as the user wrote it.
    pub fn path(&self) -> Option<&str> {
        self.file.as_deref().or(self.mail.as_deref())
    }

    /// The program that a poll runs, with its arguments; empty if it runs none.
    pub fn program(&self) -> &[String] {
        if self.exec.is_empty() { &self.filter } else { &self.exec }
    }

    pub fn time_limit(&self) -> Duration {
        self.limit.unwrap_or(Self::LIMIT)
    }

    /// A hash of the filter; 0 without a filter.
    pub fn filter_fingerprint(&self) -> u64 {
        match self.filter.as_slice() {
            [] => 0,
            argv => stable_hash(argv.iter().map(String::as_str)),
        }
    }
}

/// The URL that stands for a program: its name and a hash of all arguments. Arguments may be secret,
/// and URLs are shown in many places.
pub fn exec_url(argv: &[String]) -> Option<Url> {
    let program = argv.first()?;
    let name = program.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("program");
    let name: String = name.chars().take(MAX_NAME).collect();
    let name = utf8_percent_encode(&name, READABLE);
    let hash = stable_hash(argv.iter().map(String::as_str));
    Url::parse(&format!("{EXEC}:{name}/{hash:016x}")).ok()
}

/// The name of the program that a URL stands for.
pub fn exec_name(url: &Url) -> Option<String> {
    let name = url.path().split('/').next().filter(|_| url.scheme() == EXEC)?;
    Some(percent_encoding::percent_decode_str(name).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_urls_differ_and_hide_arguments() {
        let url = |argv: &[&str]| {
            let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
            exec_url(&argv).unwrap()
        };
        let all = [
            url(&["/opt/a/weather", "--token", "s3cret"]),
            url(&["/opt/b/weather", "--token", "s3cret"]),
            url(&["/opt/a/weather", "--token s3cret"]),
            url(&["weather"]),
            url(&["../x y?#/ä"]),
            url(&["/"]),
        ];
        for (n, one) in all.iter().enumerate() {
            assert!(all[n + 1..].iter().all(|other| other != one), "{one}");
            assert!(!one.as_str().contains("s3cret") && one.host().is_none(), "{one}");
        }
        assert_eq!(all[0], url(&["/opt/a/weather", "--token", "s3cret"]));
        let names: Vec<_> = all.iter().filter_map(exec_name).collect();
        assert_eq!(names, ["weather", "weather", "weather", "weather", "ä", "program"]);
        assert_eq!(exec_name(&"https://e.example/x".parse().unwrap()), None);
        assert_eq!(exec_url(&[]), None);
    }
}

//! `config.toml` as data. Every key has a default; `config.example.toml` shows them all.

use crate::model::{FullText, PolicyKind, Retention, Secret, Source};
use std::collections::BTreeMap;
use std::time::Duration;

/// Everything in `config.toml`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Browser as an argument list; `{url}` stands for the address. Empty: `$BROWSER`, then the
    /// system's opener.
    pub browser: Vec<String>,
    /// Whether that browser draws in the terminal. Well-known text browsers (w3m, lynx, links,
    /// elinks, …) are known as such without it.
    pub browser_in_terminal: bool,
    /// Whose pages are asked for the full text, where a source does not say otherwise.
    pub full_text: FullText,
    /// The network.
    pub net: NetSettings,
    /// When to look.
    pub schedule: ScheduleSettings,
    /// How long items are kept.
    pub retention: Retention,
    /// A language model.
    pub llm: LlmSettings,
    /// The interface.
    pub ui: UiSettings,
    /// Keys.
    pub keys: KeySettings,
    /// Log files.
    pub log: LogSettings,
    /// `[themes.NAME]`: role -> style, merged on the theme named by the key `base` (else `dark`).
    pub themes: BTreeMap<String, BTreeMap<String, String>>,
    /// Saved queries shown beside the smart views.
    pub views: Vec<ViewSettings>,
}

/// `[net]`
#[derive(Debug, Clone, PartialEq)]
pub struct NetSettings {
    /// Requests under way at once over all hosts, 1-1024.
    pub max_in_flight: usize,
    /// Least time between the starts of two requests to one host.
    pub host_delay: Duration,
    /// Contact address in the User-Agent.
    pub contact: String,
    /// Proxy for everything; `None` takes the environment's.
    pub proxy: Option<String>,
    /// Time for one feed request in all.
    pub feed_timeout: Duration,
    /// Time for one page request in all.
    pub page_timeout: Duration,
    /// Time to connect.
    pub connect_timeout: Duration,
    /// Largest body after decoding, in bytes.
    pub max_body: u64,
}

impl Default for NetSettings {
    fn default() -> Self {
        Self {
            max_in_flight: 16,
            host_delay: Duration::from_secs(1),
            contact: env!("CARGO_PKG_HOMEPAGE").to_owned(),
            proxy: None,
            feed_timeout: Duration::from_secs(30),
            page_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            max_body: 10 * 1024 * 1024,
        }
    }
}

/// `[schedule]`
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleSettings {
    /// Policy.
    pub policy: PolicyKind,
    /// Looks per source and day, on the mean over all sources.
    pub polls_per_day: f64,
    /// Looks per day of all sources together; `None` has no limit.
    pub polls_per_day_total: Option<u32>,
    /// Interval of the fixed policy.
    pub interval: Duration,
    /// No automatic poll comes sooner after the last one.
    pub min_interval: Duration,
    /// The same, unless the learned rate of the source warrants more or a user set an interval.
    pub usual_min_interval: Duration,
    /// How often websites and sitemaps are polled at first: each poll may ask for many pages.
    pub site_interval: Duration,
    /// No website or sitemap is polled sooner than this after its last poll.
    pub site_min_interval: Duration,
    /// An automatic poll comes at the latest after this, unless a server asks for more time.
    pub max_interval: Duration,
    /// Hours without automatic polls, as [`crate::model::QuietHours`] reads them.
    pub quiet_hours: Option<String>,
    /// Weight of the last poll in the change rate.
    pub change_rate_smoothing: f64,
    /// How strongly the interval follows the change rate.
    pub change_rate_gain: f64,
    /// Change rate aimed at.
    pub change_rate_target: f64,
    /// Length of a tick.
    pub advarss_tick: Duration,
    /// Largest median in ticks.
    pub advarss_cap: usize,
    /// How much the price grows with the rate.
    pub learned_exponent: f64,
    /// Missing items that make a silence; 0 never.
    pub learned_silence: f64,
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        let (minute, hour) = (Duration::from_secs(60), Duration::from_secs(3600));
        Self {
            policy: PolicyKind::default(),
            polls_per_day: 12.0,
            polls_per_day_total: None,
            interval: hour,
            min_interval: 5 * minute,
            usual_min_interval: hour,
            site_interval: 2 * hour,
            site_min_interval: hour,
            max_interval: 24 * hour,
            quiet_hours: None,
            change_rate_smoothing: 0.3,
            change_rate_gain: 0.2,
            change_rate_target: 0.5,
            advarss_tick: 8 * minute,
            advarss_cap: 25,
            learned_exponent: 0.25,
            learned_silence: 8.0,
        }
    }
}

impl ScheduleSettings {
    /// The settings as they hold for one source. One that declares an interval of its own is looked
    /// at in that interval, unless it names a policy too; bounds of its own replace the general
    /// ones, the one for sources that publish seldom included. That one is for intervals that are
    /// found out: a fixed one is only bound by `min_interval`. Websites and sitemaps cost their
    /// servers more than feeds do, so they are polled less often where nobody says otherwise.
    pub fn of(&self, source: &Source) -> Self {
        let own = &source.schedule;
        let fixed = source.interval.map(|_| PolicyKind::Fixed);
        let (usual, least) = if source.kind().reads_pages() && source.interval.is_none() {
            (self.site_interval, self.site_min_interval)
        } else {
            (Duration::ZERO, Duration::ZERO)
        };
        let policy = own.policy.or(fixed).unwrap_or(self.policy);
        let min_interval = own.min_interval.unwrap_or(self.min_interval.max(least));
        let usual_min_interval = match policy {
            PolicyKind::Fixed => min_interval,
            _ => own.min_interval.unwrap_or(self.usual_min_interval.max(least)),
        };
        Self {
            policy,
            interval: source.interval.unwrap_or(self.interval.max(usual)),
            min_interval,
            usual_min_interval,
            max_interval: own.max_interval.unwrap_or(self.max_interval),
            change_rate_smoothing: own.change_rate_smoothing.unwrap_or(self.change_rate_smoothing),
            change_rate_gain: own.change_rate_gain.unwrap_or(self.change_rate_gain),
            change_rate_target: own.change_rate_target.unwrap_or(self.change_rate_target),
            advarss_tick: own.advarss_tick.unwrap_or(self.advarss_tick),
            advarss_cap: own.advarss_cap.map_or(self.advarss_cap, |cap| cap as usize),
            learned_exponent: own.learned_exponent.unwrap_or(self.learned_exponent),
            learned_silence: own.learned_silence.unwrap_or(self.learned_silence),
            quiet_hours: own.quiet_hours.clone().or_else(|| self.quiet_hours.clone()),
            ..self.clone()
        }
    }
}

/// `[llm]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmSettings {
    /// Address of a service that understands `/chat/completions`; `None` asks nobody.
    pub endpoint: Option<String>,
    /// Name of the model there.
    pub model: String,
    /// Environment variable that holds its key.
    pub key_env: Option<String>,
    /// Command that prints its key, as an argument list.
    pub key_command: Vec<String>,
    /// Time for an answer.
    pub timeout: Duration,
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            endpoint: None,
            model: String::new(),
            key_env: None,
            key_command: Vec::new(),
            timeout: Duration::from_secs(20),
        }
    }
}

impl LlmSettings {
    /// Where its key is, if it has one.
    pub fn key(&self) -> Option<Secret> {
        let command = || (!self.key_command.is_empty()).then(|| self.key_command.clone());
        let env = self.key_env.clone().map(Secret::Env);
        env.or_else(|| command().map(Secret::Command))
    }
}

/// `[ui]`
#[derive(Debug, Clone, PartialEq)]
pub struct UiSettings {
    /// Name of the theme: dark, light, high-contrast, mono, or one of `[themes.NAME]`.
    pub theme: String,
    /// Marks drawn with ASCII only.
    pub ascii: bool,
    /// Whether the mouse is captured.
    pub mouse: bool,
    /// Widest text column of the reader, in cells.
    pub reader_width: u16,
    /// Cells of the sources pane; 0 goes by the screen.
    pub sources_width: u16,
    /// Cells of the items pane beside the reader; 0 goes by the screen.
    pub items_width: u16,
    /// Order of item lists.
    pub sort: SortOrder,
    /// Whether opening an item marks it read.
    pub read_on_open: bool,
}

impl Default for UiSettings {
    fn default() -> Self {
        Self {
            theme: "dark".to_owned(),
            ascii: false,
            mouse: true,
            reader_width: 80,
            sources_width: 0,
            items_width: 0,
            sort: SortOrder::default(),
            read_on_open: true,
        }
    }
}

/// Order of an item list.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum SortOrder {
    /// Pinned first, then newest first.
    #[default]
    PinnedNewest,
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
}

impl SortOrder {
    /// What to call it on the screen.
    pub fn words(self) -> &'static str {
        match self {
            Self::PinnedNewest => "pinned, then newest",
            Self::Newest => "newest first",
            Self::Oldest => "oldest first",
        }
    }
}

impl SortOrder {
    /// Every order, in the order in which a key goes through them.
    pub const ALL: [Self; 3] = [Self::PinnedNewest, Self::Newest, Self::Oldest];
    /// Their names in settings, in the order of [`SortOrder::ALL`].
    pub const NAMES: &[&str] = &["pinned-newest", "newest", "oldest"];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::PinnedNewest => "pinned-newest",
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }
}

/// `[keys]`: a preset, and bindings merged onto it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeySettings {
    /// `default` or `newsboat`.
    pub preset: String,
    /// Per context (`everywhere`, `sources`, `items`, `reader`): key sequence -> action name;
    /// the action `none` removes a binding.
    pub bindings: BTreeMap<String, BTreeMap<String, String>>,
}

impl Default for KeySettings {
    fn default() -> Self {
        Self { preset: "default".to_owned(), bindings: BTreeMap::new() }
    }
}

/// `[log]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// Filter: `error`, `warn`, `info`, `debug`, `trace`, or per module.
    pub level: String,
    /// Daily files kept.
    pub keep: usize,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { level: "info".to_owned(), keep: 5 }
    }
}

/// `[[view]]`: a saved query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewSettings {
    /// Shown in the sources pane.
    pub name: String,
    /// A search as typed after `/`.
    pub query: String,
}

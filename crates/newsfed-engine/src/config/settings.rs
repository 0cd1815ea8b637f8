//! The settings in `config.toml`. Every key has a default; `config.example.toml` lists them all.

use super::accounts::AccountSettings;
use super::choices::{
    Background, COLUMNS, DateStyle, GraphicsMode, Grouping, ListStyle, MarkRead, NotifyWay,
    SortOrder,
};
use super::external::CommandSettings;
use super::hooks::HookSettings;
use super::machines::MachineSettings;
use crate::model::{FullText, PolicyKind, Retention, Secret, Source, SourceKind};
use std::collections::BTreeMap;
use std::time::Duration;

/// Interval between two polls of an OPML list whose source has no interval of its own.
const LIST_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// Minimum time between two polls of an OPML list.
const LIST_MIN_INTERVAL: Duration = Duration::from_secs(3600);

/// The content of `config.toml`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Browser as arguments, with `{url}` for the URL. If empty: `$BROWSER`, or the system's default.
    pub browser: Vec<String>,
    /// Whether the browser runs in the terminal. Common text browsers (w3m, lynx, links, elinks,
    /// …) are recognised without it.
    pub browser_in_terminal: bool,
    pub open: OpenSettings,
    pub download: DownloadSettings,
    pub comments: CommentSettings,
    pub machines: MachineSettings,
    pub save: SaveSettings,
    pub listen: ListenSettings,
    pub feeds: FeedsSettings,
    pub serve: ServeSettings,
    pub notify: NotifySettings,
    /// Which items get their full text from the page, unless a source overrides it.
    pub full_text: FullText,
    /// Number of items of a newly added feed that are unread; `None` means all.
    pub first_unread: Option<u32>,
    pub net: NetSettings,
    pub schedule: ScheduleSettings,
    pub retention: Retention,
    pub llm: LlmSettings,
    pub ui: UiSettings,
    pub keys: KeySettings,
    pub log: LogSettings,
    /// `[themes.NAME]`: styles by role, merged onto the theme named in `base`, or else the default theme.
    pub themes: BTreeMap<String, BTreeMap<String, String>>,
    /// Saved queries, shown below the built-in views.
    pub views: Vec<ViewSettings>,
    /// What happens to new items, in order.
    pub rules: Vec<RuleSettings>,
    /// Programs for items.
    pub commands: Vec<CommandSettings>,
    /// Programs that run after refreshes.
    pub hooks: Vec<HookSettings>,
    /// Accounts on servers with the Google Reader API.
    pub accounts: Vec<AccountSettings>,
}

/// `[open]`: the programs that open files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenSettings {
    /// Lists of arguments by media type, wildcard such as `audio/*`, or `*`.
    pub programs: BTreeMap<String, Vec<String>>,
    /// Programs that run in the terminal, in addition to those that are recognised.
    pub terminal: Vec<String>,
}

/// `[download]`
#[derive(Debug, Clone, PartialEq)]
pub struct DownloadSettings {
    /// Where downloads are stored; `None` means the user's folder for downloads.
    pub folder: Option<String>,
    /// Maximum size of a download, in bytes.
    pub max_size: u64,
    /// Number of days after which downloads are removed; `None` means never.
    pub days: Option<u32>,
}

impl Default for DownloadSettings {
    fn default() -> Self {
        Self { folder: None, max_size: 1 << 30, days: None }
    }
}

/// `[comments]`: the comments on an item, followed as a source.
#[derive(Debug, Clone, PartialEq)]
pub struct CommentSettings {
    /// Number of days without a new comment after which the source is removed; `None` means never.
    pub days: Option<u32>,
}

impl Default for CommentSettings {
    fn default() -> Self {
        Self { days: Some(30) }
    }
}

/// `[listen]`: the queue of episodes.
#[derive(Debug, Clone, PartialEq)]
pub struct ListenSettings {
    /// mpv, or a program that takes its options; without one, episodes open like other enclosures.
    pub player: Vec<String>,
    /// How far a key press seeks forward or back.
    pub step: Duration,
}

impl Default for ListenSettings {
    fn default() -> Self {
        Self { player: vec!["mpv".to_owned()], step: Duration::from_secs(30) }
    }
}

/// `[save]`: articles as files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SaveSettings {
    /// Where saved articles are stored; `None` means the user's folder for downloads.
    pub folder: Option<String>,
    /// Whether their pictures are fetched.
    pub pictures: bool,
}

/// `[feeds]`: views as feeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedsSettings {
    /// The address where the daemon serves them, such as `127.0.0.1:8990`; `None` if they are not served.
    pub address: Option<String>,
    /// Maximum number of items in a feed.
    pub items: usize,
}

impl Default for FeedsSettings {
    fn default() -> Self {
        Self { address: None, items: 50 }
    }
}

/// `[serve]`: the Google Reader API, for apps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeSettings {
    /// The address where the daemon serves it, such as `127.0.0.1:8991`; `None` if it is not served.
    pub address: Option<String>,
    /// The user name for logins.
    pub user: String,
    /// Whether apps can add, change and remove sources.
    pub edit: bool,
}

impl Default for ServeSettings {
    fn default() -> Self {
        Self { address: None, user: "newsfed".to_owned(), edit: false }
    }
}

/// `[net]`
#[derive(Debug, Clone, PartialEq)]
pub struct NetSettings {
    /// Maximum number of concurrent requests to all hosts, 1-1024.
    pub max_in_flight: usize,
    /// Minimum time between the starts of two requests to one host.
    pub host_delay: Duration,
    /// Contact URL in the User-Agent.
    pub contact: String,
    /// Proxy for all requests; `None` uses the environment.
    pub proxy: Option<String>,
    /// Time limit for one feed request.
    pub feed_timeout: Duration,
    /// Time limit for one page request.
    pub page_timeout: Duration,
    /// Time limit for connecting.
    pub connect_timeout: Duration,
    /// Maximum size of a body after decompression, in bytes.
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
    pub policy: PolicyKind,
    /// Polls per source per day, averaged over all sources.
    pub polls_per_day: f64,
    /// Polls per day of all sources in total; `None` sets no limit.
    pub polls_per_day_total: Option<u32>,
    /// Interval of the fixed policy.
    pub interval: Duration,
    /// Minimum time between two scheduled polls.
    pub min_interval: Duration,
    /// Minimum time between two polls of a source that publishes rarely; a user's own interval is exempt.
    pub usual_min_interval: Duration,
    /// Initial interval of websites and sitemaps, because each poll may fetch many pages.
    pub site_interval: Duration,
    /// Minimum time between two scheduled polls of a website or sitemap.
    pub site_min_interval: Duration,
    /// Maximum time between two scheduled polls, unless a server requires more.
    pub max_interval: Duration,
    /// Hours without scheduled polls, as [`crate::model::QuietHours`] parses them.
    pub quiet_hours: Option<String>,
    /// change-rate: weight of the last poll, 0-1.
    pub change_rate_smoothing: f64,
    /// change-rate: how strongly the interval follows the change rate, 0-1.
    pub change_rate_gain: f64,
    /// change-rate: the target change rate, 0-1.
    pub change_rate_target: f64,
    /// advarss: length of a tick.
    pub advarss_tick: Duration,
    /// advarss: maximum median in ticks.
    pub advarss_cap: usize,
    /// advarss: whether `advarss_cap` grows for a source that stays unchanged.
    pub advarss_growth: bool,
    /// advarss: whether the second poll of a source comes after a random number of ticks.
    pub advarss_random_first: bool,
    /// learned: how much the price of a poll grows with the rate, 0-1.
    pub learned_exponent: f64,
    /// learned: number of missing items after which a source is considered silent; 0 means never.
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
            advarss_growth: false,
            advarss_random_first: false,
            learned_exponent: 0.25,
            learned_silence: 8.0,
        }
    }
}

impl ScheduleSettings {
    /// The settings for one source. A source with its own interval is polled at that interval, unless it also
    /// names a policy. Its own limits replace the general ones, including `usual_min_interval`. The fixed and
    /// advaRSS policies are limited only by `min_interval`, because a user who chooses one of them also
    /// chooses the intervals. Websites and sitemaps are polled less often by default, because they cost their
    /// servers more than feeds.
    pub fn of(&self, source: &Source) -> Self {
        let own = &source.schedule;
        let fixed = source.interval.map(|_| PolicyKind::Fixed);
        let (usual, least) = if source.kind().reads_pages() && source.interval.is_none() {
            (self.site_interval, self.site_min_interval)
        } else {
            (Duration::ZERO, Duration::ZERO)
        };
        // A list changes rarely and does not announce its changes.
        let is_list = source.kind() == SourceKind::List;
        let list = is_list.then(|| source.interval.unwrap_or(LIST_INTERVAL));
        let policy = list.map(|_| PolicyKind::Fixed).or(own.policy).or(fixed);
        let policy = policy.unwrap_or(self.policy);
        let min_interval = own.min_interval.unwrap_or(self.min_interval.max(least));
        let min_interval = if is_list { min_interval.max(LIST_MIN_INTERVAL) } else { min_interval };
        let usual_min_interval = match policy {
            PolicyKind::Fixed | PolicyKind::Advarss => min_interval,
            _ => own.min_interval.unwrap_or(self.usual_min_interval.max(least)),
        };
        Self {
            policy,
            interval: list.or(source.interval).unwrap_or(self.interval.max(usual)),
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
    /// URL of a service with `/chat/completions`; `None` disables it.
    pub endpoint: Option<String>,
    /// Name of the model.
    pub model: String,
    /// Environment variable with the API key.
    pub key_env: Option<String>,
    /// Command that prints the API key, as a list of arguments.
    pub key_command: Vec<String>,
    /// Time limit for a response.
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
    /// Where to read the API key from.
    pub fn key(&self) -> Option<Secret> {
        let command = Some(&self.key_command).filter(|command| !command.is_empty()).cloned();
        self.key_env.clone().map(Secret::Env).or(command.map(Secret::Command))
    }
}

/// `[ui]`
#[derive(Debug, Clone, PartialEq)]
pub struct UiSettings {
    /// Name of the theme: `auto`, a built-in one, or one of `[themes.NAME]`.
    pub theme: String,
    /// What paints the surfaces.
    pub background: Background,
    /// How items are drawn in lists.
    pub list: ListStyle,
    /// Whether the Reader shows the selected item.
    pub preview: bool,
    pub ascii: bool,
    /// Whether the interface is drawn for screen readers: one thing per line, in words.
    pub linear: bool,
    pub mouse: bool,
    pub reader_width: u16,
    /// Whether articles are opened without the other panes.
    pub zen: bool,
    /// Whether the Reader fetches and shows the pictures of articles.
    pub images: bool,
    /// How pictures are sent to the terminal.
    pub graphics: GraphicsMode,
    /// Whether long lines of code in the Reader are wrapped instead of cut off; drawings never are.
    pub wrap_code: bool,
    /// Whether the Sources pane is shown even if it is not focused.
    pub sources_pane: bool,
    /// Width of the Sources pane in cells; 0 adapts to the screen.
    pub sources_width: u16,
    /// Width of the Items pane next to the Reader, in cells; 0 adapts to the screen.
    pub items_width: u16,
    pub sort: SortOrder,
    pub dates: DateStyle,
    pub group: Grouping,
    /// Names of [`COLUMNS`].
    pub columns: Vec<String>,
    pub mark_read: MarkRead,
    /// Whether read items, and sources without unread ones, are hidden.
    pub unread_only: bool,
    /// Whether lists show one item of each story.
    pub fold_stories: bool,
    /// Whether reading and pinning an item act on the whole story.
    pub mark_stories: bool,
}

impl Default for UiSettings {
    fn default() -> Self {
        Self {
            theme: super::theme::AUTO.to_owned(),
            background: Background::default(),
            list: ListStyle::default(),
            preview: true,
            ascii: false,
            linear: false,
            mouse: true,
            reader_width: 72,
            zen: false,
            images: false,
            graphics: GraphicsMode::default(),
            wrap_code: true,
            sources_pane: true,
            sources_width: 0,
            items_width: 0,
            sort: SortOrder::default(),
            dates: DateStyle::default(),
            group: Grouping::default(),
            columns: COLUMNS.iter().map(|name| (*name).to_owned()).collect(),
            mark_read: MarkRead::default(),
            unread_only: false,
            fold_stories: false,
            mark_stories: false,
        }
    }
}

/// `[keys]`: a preset, and key bindings merged onto it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeySettings {
    /// `default`, `classic` or `newsboat`.
    pub preset: String,
    /// By context (`everywhere`, `sources`, `items`, `reader`): the command for each key sequence; `none`
    /// removes a binding.
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
    /// Number of daily files kept.
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
    /// Shown in the Sources pane.
    pub name: String,
    /// A search as typed after `/`.
    pub query: String,
    pub layout: ListLayout,
}

/// How a list is shown; unset fields use the value in `[ui]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListLayout {
    pub sort: Option<SortOrder>,
    pub list: Option<ListStyle>,
    pub dates: Option<DateStyle>,
    pub group: Option<Grouping>,
    /// Names of [`COLUMNS`]; if empty, those in `[ui]` apply.
    pub columns: Vec<String>,
}

/// Timeout of a rule's command without a limit of its own.
pub const RUN_LIMIT: Duration = Duration::from_secs(30);

/// `[notify]`: how rules with the effect `notify` announce items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotifySettings {
    pub how: NotifyWay,
    /// A command as a list of arguments, with `{title}` and `{text}`; it is also used without the interface.
    pub command: Vec<String>,
    /// Hours without notifications, such as `22:00-07:00`, in local time.
    pub quiet: Option<String>,
}

/// `[[rule]]`: what happens to items that match a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSettings {
    /// Its name in messages; unique.
    pub name: String,
    /// A search as typed after `/`.
    pub query: String,
    /// The effects; see [`crate::model::Effect`].
    pub effects: Vec<String>,
    /// The last day, such as 2026-12-31; empty for no limit.
    pub until: String,
    /// Whether no further rules apply to the matching items.
    pub stop: bool,
    /// The command of the effect `run`, as a list of arguments.
    pub run: Vec<String>,
    /// Timeout of that command; `None` means [`RUN_LIMIT`].
    pub run_limit: Option<Duration>,
    /// Why the rule does not apply; empty if it does.
    pub problem: String,
}

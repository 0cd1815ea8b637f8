//! The form that starts a crawl, or resumes one.

use super::dialogs::{Dialog, KeyHint, KeyHints, Reply};
use super::{App, CrawlRuns};
use crate::config::{Key, Paths};
use crate::engine::crawl::{
    CrawlBudget, CrawlPlan, CrawlState, DEFAULT_BUDGET, Targets, folder_name,
};
use crate::tui::crawls::CrawlCommand;
use crate::tui::effect::Effect;
use crate::tui::input::Field;
use crate::tui::view::{self, DialogArea};
use crate::util::text::line;
use crate::util::url::parse_web;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use std::path::{Path, PathBuf};
use url::Url;

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CrawlField {
    Url,
    Targets,
    Budget,
    Folder,
}

impl CrawlField {
    const ALL: &[Self] = &[Self::Url, Self::Targets, Self::Budget, Self::Folder];
    /// The fields for resuming a crawl. The crawl's log contains the other values.
    const RESUMING: &[Self] = &[Self::Budget, Self::Url];

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Url => "URL",
            Self::Targets => "Targets",
            Self::Budget => "Budget",
            Self::Folder => "Folder",
        }
    }

    /// Describes the values that a field accepts.
    pub(crate) fn help(self, is_resumed: bool) -> &'static str {
        match self {
            Self::Url if is_resumed => {
                "The URL with its credentials. Needed only if the crawl was started with them."
            }
            Self::Url => "Where the crawl starts. It stays on that host and its subdomains.",
            Self::Targets => {
                "articles, files, data, or media types such as text/csv,application/pdf."
            }
            Self::Budget => "Requests, bytes, time, or several of them: 500req,50MB,10m.",
            Self::Folder => "For the results and the log. Nothing is overwritten.",
        }
    }
}

/// State of the form.
#[derive(Debug)]
pub(crate) struct CrawlForm {
    url: Field,
    targets: Field,
    budget: Field,
    folder: Field,
    pub(crate) focus: CrawlField,
    /// The site and folder of the crawl to resume.
    pub(crate) resumed: Option<(String, PathBuf)>,
    /// An error, with its field if it belongs to one.
    pub(crate) error: Option<(Option<CrawlField>, String)>,
    /// The folder of the crawl that is being opened.
    pub(crate) opening: Option<PathBuf>,
    /// The folder in which crawls are stored, if it is known.
    base: Option<PathBuf>,
    /// Whether the user has typed a folder.
    has_folder: bool,
    /// Whether the host name may resolve to a private address, because the user has typed the URL, or has
    /// allowed it for the source.
    allow_private: bool,
}

impl CrawlForm {
    fn new(url: &str, base: Option<PathBuf>) -> Self {
        Self {
            url: Field::suggestion(url),
            targets: Field::suggestion("files"),
            budget: Field::suggestion(DEFAULT_BUDGET),
            folder: Field::default(),
            focus: CrawlField::Url,
            resumed: None,
            error: None,
            opening: None,
            base,
            has_folder: false,
            allow_private: false,
        }
    }

    /// The form for resuming a crawl that has ended, with a larger budget if the old one was used up.
    pub(super) fn resuming(crawl: &CrawlState) -> Self {
        let budget = crawl.budget.for_resuming(&crawl.progress).to_string();
        Self {
            budget: Field::suggestion(&budget),
            focus: CrawlField::Budget,
            resumed: Some((crawl.site(), crawl.folder.clone())),
            ..Self::new(&crawl.start, None)
        }
    }

    pub(crate) fn fields(&self) -> &'static [CrawlField] {
        if self.resumed.is_some() { CrawlField::RESUMING } else { CrawlField::ALL }
    }

    pub(crate) fn text(&self, field: CrawlField) -> &Field {
        match field {
            CrawlField::Url => &self.url,
            CrawlField::Targets => &self.targets,
            CrawlField::Budget => &self.budget,
            CrawlField::Folder => &self.folder,
        }
    }

    /// Shows why the crawl did not start.
    pub(super) fn failed(&mut self, why: String) {
        self.opening = None;
        self.error = Some((None, why));
    }

    fn step(&mut self, forward: bool) {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.focus).unwrap_or(0);
        let step = if forward { 1 } else { fields.len() - 1 };
        self.focus = fields[(at + step) % fields.len()];
    }

    /// Suggests a folder for the URL that is not used by a known crawl.
    pub(super) fn suggest_folder(&mut self, known: &CrawlRuns) {
        if self.has_folder || self.resumed.is_some() {
            return;
        }
        let url = parse_web(self.url.value()).ok();
        let folder = url.zip(self.base.as_ref()).map(|(web, base)| {
            let name = folder_name(&web.url);
            let numbered = (2..).map(|n| base.join(format!("{name}-{n}")));
            let is_free = |folder: &PathBuf| known.in_folder(folder).is_none();
            std::iter::once(base.join(&name)).chain(numbered).find(is_free).unwrap_or_default()
        });
        let folder = folder.unwrap_or_default();
        self.folder = Field::suggestion(&line(&folder.to_string_lossy()));
    }

    /// The typed folder. A relative path is resolved against the folder for crawls.
    fn typed_folder(&self) -> Result<PathBuf, String> {
        let typed = self.folder.value().trim();
        if typed.is_empty() {
            return Err("a folder is required".to_owned());
        }
        let unknown = || "the home folder is unknown; type an absolute path".to_owned();
        let folder = Paths::expanded(typed).ok_or_else(unknown)?;
        match &self.base {
            _ if folder.is_absolute() => Ok(folder),
            Some(base) => Ok(base.join(folder)),
            None => Err(unknown()),
        }
    }

    /// The crawl that the fields describe.
    fn plan(&self) -> Result<CrawlPlan, (CrawlField, String)> {
        let wrong = |field, why: String| (field, why);
        let url = self.url.value().trim();
        let address = match (&self.resumed, url) {
            (Some(_), "") => None,
            _ => Some(parse_web(url).map_err(|e| wrong(CrawlField::Url, e.to_string()))?),
        };
        let targets: Targets =
            self.targets.value().parse().map_err(|e: <Targets as std::str::FromStr>::Err| {
                wrong(CrawlField::Targets, e.to_string())
            })?;
        let budget = self.budget.value().trim();
        let budget: CrawlBudget =
            budget.parse().map_err(|e: <CrawlBudget as std::str::FromStr>::Err| {
                wrong(CrawlField::Budget, e.to_string())
            })?;
        let folder = match &self.resumed {
            Some((_, folder)) => folder.clone(),
            None => self.typed_folder().map_err(|e| wrong(CrawlField::Folder, e))?,
        };
        let plan = CrawlPlan::new(address, folder);
        let allow_private = self.allow_private || plan.allow_private;
        let resume = self.resumed.is_some();
        Ok(CrawlPlan { targets, budget, resume, allow_private, ..plan })
    }

    fn start(&mut self, app: &mut App) -> Vec<Effect> {
        let plan = match self.plan() {
            Ok(plan) => plan,
            Err((field, why)) => {
                self.focus = field;
                self.error = Some((Some(field), why));
                return vec![];
            }
        };
        let is_running =
            |folder: &Path| app.crawls.in_folder(folder).is_some_and(CrawlState::is_running);
        if is_running(&plan.folder) {
            let why =
                "a crawl is running in this folder; choose another folder, or stop the crawl first";
            self.error = Some((Some(CrawlField::Folder), why.to_owned()));
            return vec![];
        }
        self.opening = Some(plan.folder.clone());
        self.error = None;
        app.crawl_opens(&plan.folder, plan.budget);
        vec![Effect::Crawl(CrawlCommand::Run(Box::new(plan)))]
    }
}

impl App {
    /// Opens the form with the site of the selected source.
    pub(super) fn open_crawl_form(&mut self) -> Vec<Effect> {
        let entry = self.selected_source().and_then(|key| self.sources.entry(key));
        let site = entry.and_then(|entry| {
            let url = || entry.source.web_url().map(ToString::to_string);
            entry.facts.home_url.clone().or_else(url)
        });
        let site = site.unwrap_or_default();
        let base = Paths::downloads(self.settings.download.folder.as_deref()).ok();
        let mut form = CrawlForm::new(&site, base);
        // The publisher chooses the URL of the site, so private addresses are allowed only on the source's
        // own host.
        form.allow_private = entry.is_some_and(|entry| {
            let url = Url::parse(&site).ok();
            entry.source.private && url.is_some_and(|url| url.host() == entry.source.url.host())
        });
        form.suggest_folder(&self.crawls);
        let mut effects = self.push_dialog(form);
        if !self.crawls.is_listed {
            effects.push(self.list_crawls());
        }
        effects
    }
}

impl Dialog for CrawlForm {
    fn key(&mut self, app: &mut App, event: KeyEvent, _key: Key) -> Reply {
        match event.code {
            KeyCode::Esc if self.opening.is_some() => {
                return Reply::close(app.note("The crawl starts in the background"));
            }
            KeyCode::Esc => return Reply::close(vec![]),
            _ if self.opening.is_some() => {}
            KeyCode::Enter => return self.start(app).into(),
            KeyCode::Tab | KeyCode::Down => self.step(true),
            KeyCode::BackTab | KeyCode::Up => self.step(false),
            _ => return self.type_key(app, event),
        }
        Reply::default()
    }

    fn draw(&mut self, app: &App, frame: &mut Frame<'_>, area: DialogArea) {
        view::crawl_form::draw(app, frame, self, area);
    }

    fn hints(&self) -> KeyHints {
        match (&self.opening, &self.resumed) {
            (Some(_), _) => &[KeyHint::Key("Esc", "continue in the background")],
            (None, Some(_)) => &[
                KeyHint::Key("Enter", "resume"),
                KeyHint::Key("Tab", "next field"),
                KeyHint::Key("Esc", "cancel"),
            ],
            (None, None) => &[
                KeyHint::Key("Enter", "start"),
                KeyHint::Key("Tab", "next field"),
                KeyHint::Key("Esc", "cancel"),
            ],
        }
    }

    fn field(&mut self) -> Option<&mut Field> {
        if self.opening.is_some() {
            return None;
        }
        Some(match self.focus {
            CrawlField::Url => &mut self.url,
            CrawlField::Targets => &mut self.targets,
            CrawlField::Budget => &mut self.budget,
            CrawlField::Folder => &mut self.folder,
        })
    }

    fn typed(&mut self, app: &mut App) -> Vec<Effect> {
        self.error = None;
        match self.focus {
            CrawlField::Url => {
                self.allow_private = true;
                self.suggest_folder(&app.crawls);
            }
            CrawlField::Folder => self.has_folder = !self.folder.value().is_empty(),
            CrawlField::Targets | CrawlField::Budget => {}
        }
        vec![]
    }
}

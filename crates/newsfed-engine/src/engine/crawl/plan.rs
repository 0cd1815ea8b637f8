//! A crawl into a folder, started or resumed at the user's request.

use super::{
    Crawl, CrawlBudget, CrawlError, CrawlLocation, CrawlNetwork, CrawlSpec, DEFAULT_BUDGET,
};
use crate::crawl::{Kind, SleepingBanditParameters, Targets};
use crate::engine::follow::access;
use crate::net::Client;
use crate::util::address::is_private_host;
use crate::util::clock::Clock;
use crate::util::url::WebAddress;
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// A crawl into a folder.
#[derive(Debug, Clone)]
pub struct CrawlPlan {
    /// The start URL. A resumed crawl only needs it for its credentials.
    pub address: Option<WebAddress>,
    pub folder: PathBuf,
    /// This field and the next three apply only to a new crawl.
    pub targets: Targets,
    pub strategy: Kind,
    pub parameters: SleepingBanditParameters,
    pub seed: u64,
    pub budget: CrawlBudget,
    /// Whether to continue the crawl in the folder.
    pub resume: bool,
    /// Whether the host may have a private address, because the user has typed or can see the URL.
    pub allow_private: bool,
}

impl CrawlPlan {
    /// A crawl with the default targets, budget and strategy.
    pub fn new(address: Option<WebAddress>, folder: PathBuf) -> Self {
        let allow_private = address.as_ref().is_some_and(|web| is_private_host(&web.url));
        Self {
            allow_private,
            address,
            folder,
            targets: Targets::files(),
            strategy: Kind::Learned,
            parameters: SleepingBanditParameters::default(),
            seed: 0,
            budget: DEFAULT_BUDGET.parse().unwrap_or_default(),
            resume: false,
        }
    }

    /// Starts or resumes the crawl. Reading a long log takes time.
    ///
    /// # Errors
    /// If there already is a crawl, there is none to resume, or the folder is not writable.
    pub fn open(self, client: Client, clock: Arc<dyn Clock>) -> Result<Crawl, CrawlError> {
        let access = self.address.as_ref().map(access).unwrap_or_default();
        let place = CrawlLocation::Folder(self.folder);
        // If the earlier crawl was killed before it stored anything, start a new one.
        let resumes = self.resume && Crawl::is_begun(&place)?;
        let allow_private = self.allow_private || resumes && !Crawl::is_public(&place)?;
        let net = CrawlNetwork { client, clock, access, allow_private, spacing: None };
        let given = self.address.map(|web| web.url);
        let crawl = match given.clone() {
            Some(start) if !resumes => {
                let spec = CrawlSpec {
                    start,
                    declared: None,
                    targets: self.targets,
                    strategy: self.strategy,
                    parameters: self.parameters,
                    seed: self.seed,
                };
                Crawl::begin(&place, spec, self.budget, net)?
            }
            _ => Crawl::resume(&place, self.budget, net)?,
        };
        match given {
            Some(given) if given != crawl.spec().start => Err(CrawlError::Other {
                stored: Box::new(crawl.spec().start.clone()),
                given: Box::new(given),
            }),
            _ => Ok(crawl),
        }
    }
}

/// The default name of the folder for a crawl of a URL.
pub fn folder_name(start: &Url) -> String {
    format!("crawl-{}", start.host_str().unwrap_or_default())
}

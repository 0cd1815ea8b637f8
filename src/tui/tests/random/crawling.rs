//! Random states of crawls.

use super::*;
use crate::engine::crawl::{CrawlEnd, CrawlListing, CrawlPhase, CrawlState};
use crate::tui::crawls::CrawlCommand;
use crate::tui::tests::stock::crawl;

impl Chaos {
    fn crawl_state(&mut self, folder: &str) -> CrawlState {
        let left = CrawlEnd::Left("日本 \u{1b}[2J ".repeat(self.rng.usize(..40)));
        let ends = [CrawlEnd::Done, CrawlEnd::Bytes, CrawlEnd::Stopped, left];
        let phase = match self.rng.u8(..9) {
            0 => CrawlPhase::Opening,
            1 => CrawlPhase::Waiting,
            2 => CrawlPhase::Failed("the disk is full".to_owned()),
            3 => CrawlPhase::InUse,
            4..7 => CrawlPhase::Running,
            _ => CrawlPhase::Ended(ends[self.rng.usize(..4)].clone()),
        };
        let mut state = crawl(folder, phase);
        let sizes = [0, 1, 2, 100, u64::MAX / 4];
        state.progress.requests = sizes[self.rng.usize(..5)];
        state.progress.found = sizes[self.rng.usize(..5)];
        state.progress.bytes = sizes[self.rng.usize(..5)];
        state.speed = [None, Some(0.0), Some(1e-9), Some(1e12)][self.rng.usize(..4)];
        state.finds.truncate([0, 1, 99][self.rng.usize(..3)]);
        if self.rng.bool() {
            state.curve = Default::default();
        }
        if self.rng.u8(..4) == 0 {
            state.start.clear();
        }
        state
    }

    pub(super) fn crawl_reply(&mut self, command: CrawlCommand) -> Option<Event> {
        let folders = ["/crawls/a", "/crawls/日本", "/"];
        Some(match command {
            CrawlCommand::Run(plan) => {
                let folder = plan.folder.to_string_lossy().into_owned();
                Event::CrawlChanged(Box::new(self.crawl_state(&folder)))
            }
            CrawlCommand::Stop(_) | CrawlCommand::Follow { .. } => {
                let folder = folders[self.rng.usize(..3)];
                Event::CrawlChanged(Box::new(self.crawl_state(folder)))
            }
            CrawlCommand::List { .. } => {
                let crawls = folders.map(|folder| self.crawl_state(folder)).to_vec();
                let exploring = vec![(self.rng.i64(..7), vec!["exploring: 日本".to_owned()])];
                let listing = CrawlListing { crawls, except: Vec::new(), exploring };
                Event::CrawlsListed(self.result(listing))
            }
            CrawlCommand::Explorations => Event::ExplorationsListed(self.result(vec![])),
            CrawlCommand::Unlist(folder) => Event::CrawlUnlisted(folder),
        })
    }
}

//! Counts the items of a list that is only partly in memory.

use super::super::App;
use super::Placement;
use crate::model::Time;
use crate::store::Count;
use crate::tui::effect::Effect;
use crate::tui::event::{Failure, RequestId};
use crate::tui::read::Read;
use chrono::TimeDelta;

/// Minimum time between two counts of a list while commits keep arriving.
const PAUSE: TimeDelta = TimeDelta::seconds(1);

/// The number of items in the list on the screen.
#[derive(Debug, Default)]
pub(crate) struct Total {
    /// The number, if it is known.
    pub(crate) count: Option<Count>,
    /// The pending request for the number.
    request: Option<RequestId>,
    /// When the number may be requested again.
    not_before: Option<Time>,
    /// Whether the list has changed since the last request.
    is_old: bool,
}

impl Total {
    /// When the next count is due.
    pub(in crate::tui::app) fn deadline(&self) -> Option<Time> {
        self.not_before.filter(|_| self.is_old)
    }
}

impl App {
    /// Counts the items of the list after rows have arrived, now or when the next count is due.
    pub(super) fn count_list(&mut self, placement: Placement) -> Option<Effect> {
        let items = &mut self.items;
        let is_part = !items.is_complete() && !items.lists_whole_sources();
        let moves = matches!(placement, Placement::Below | Placement::Above);
        let is_counted = items.total.count.is_some() || items.total.request.is_some();
        items.total.is_old = is_part && (items.total.is_old || !moves || !is_counted);
        self.recount_if_due()
    }

    pub(in crate::tui::app) fn recount_if_due(&mut self) -> Option<Effect> {
        let total = &self.items.total;
        if !total.is_old || total.not_before.is_some_and(|at| at > self.now) {
            return None;
        }
        let request = self.request();
        let (count, not_before) = (self.items.total.count, Some(self.now + PAUSE));
        self.items.total = Total { count, request: Some(request), not_before, is_old: false };
        let view = Box::new(self.items.rows_of.clone());
        Some(Effect::Read(Read::Total { request, view }))
    }

    pub(in crate::tui::app) fn total_counted(
        &mut self,
        request: RequestId,
        result: Result<Count, Failure>,
    ) -> Vec<Effect> {
        let total = &mut self.items.total;
        if total.request.take_if(|pending| *pending == request).is_none() {
            return vec![];
        }
        match result {
            Ok(count) => {
                total.count = Some(count);
                vec![]
            }
            Err(why) => self.problem(why),
        }
    }
}

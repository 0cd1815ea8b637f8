//! Performs the requests to the selector workbench.

use super::super::effect::BenchRequest;
use super::super::event::{Event, RequestId};
use super::Driver;
use crate::engine::{Subject, WorkbenchEvent, WorkbenchPage};

impl Driver {
    pub(super) fn open_bench(&mut self, id: RequestId, subject: Subject) {
        let (sender, mut replies) = tokio::sync::mpsc::unbounded_channel();
        let events = self.events.clone();
        tokio::spawn(async move {
            while let Some(reply) = replies.recv().await {
                let _ = events.send(Event::BenchReplied(id, reply));
            }
        });
        self.bench = self.handle.workbench(subject, sender).map(|bench| (id, bench));
        if self.bench.is_none() {
            let why = "The source no longer exists".to_owned();
            let _ = self.events.send(Event::BenchReplied(
                id,
                WorkbenchEvent::Failed { place: WorkbenchPage::List, why },
            ));
        }
    }

    pub(super) fn ask_bench(&mut self, id: RequestId, ask: BenchRequest) {
        let Some((_, bench)) = self.bench.as_mut().filter(|(open, _)| *open == id) else { return };
        match ask {
            BenchRequest::Preview { request, rules, list } => bench.preview(request, *rules, list),
            BenchRequest::Pick { place, element, part } => bench.pick(place, element, part),
            BenchRequest::Fetch { url, place, title } => bench.fetch(url, place, title),
            BenchRequest::Copy(number) => bench.copy(number),
        }
    }
}

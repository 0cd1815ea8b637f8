//! Polls that an earlier process did not finish.

use crate::model::{ErrorKind, Moved, Outcome, Pause, PauseReason, SourceFacts, Time};
use crate::schedule::limits::after_end;
use crate::store::{Result, Store};

/// After this many unfinished polls in a row, manual refreshes are postponed too, because the source makes
/// the program crash.
const CERTAIN: u32 = 2;

/// Postpones the sources whose polls were running when the previous process ended. Only the process with the
/// lock may do that, because polls of another process may still be running.
pub(super) async fn postpone(store: &Store, now: Time) -> Result<()> {
    let message = "newsfed exited while checking this source".to_owned();
    let outcome = Outcome::Failed { kind: ErrorKind::Transient, message };
    let count = store.fail_unfinished_polls(outcome, move |facts, broken| {
        fail(facts, broken, now);
    });
    match count.await? {
        0 => {}
        1 => tracing::warn!("newsfed exited while polling 1 source; its next poll is postponed"),
        count => tracing::warn!(
            "newsfed exited while polling {count} sources; their next polls are postponed"
        ),
    }
    Ok(())
}

fn fail(facts: &mut SourceFacts, broken: u32, now: Time) {
    let until = now + after_end(broken);
    facts.fail_count = facts.fail_count.saturating_add(1);
    if facts.next_poll.is_none_or(|at| at < until) {
        facts.next_poll = Some(until);
        if let Some(planned) = &mut facts.planned {
            planned.next = until;
            planned.moved_by.push(Moved { reason: PauseReason::Ended, to: until });
        }
    }
    if broken >= CERTAIN && facts.pause.is_none_or(|pause| pause.until < until) {
        facts.pause = Some(Pause { until, reason: PauseReason::Ended });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_interrupted_poll_doubles_the_delay() {
        let now = Time::from_timestamp(1_800_000_000, 0).unwrap();
        for (broken, minutes) in [(1, 2), (2, 4), (3, 8), (10, 1024), (11, 1440), (99, 1440)] {
            let mut facts =
                SourceFacts::new(1, crate::model::SourceId("s".to_owned()), String::new());
            fail(&mut facts, broken, now);
            let until = now + chrono::TimeDelta::minutes(minutes);
            assert_eq!((facts.fail_count, facts.next_poll), (1, Some(until)), "{broken}");
            let pause = (broken > 1).then_some(Pause { until, reason: PauseReason::Ended });
            assert_eq!(facts.pause, pause, "{broken}");
        }
    }

    #[test]
    fn does_not_bring_a_later_poll_forward() {
        let now = Time::from_timestamp(1_800_000_000, 0).unwrap();
        let mut facts = SourceFacts::new(1, crate::model::SourceId("s".to_owned()), String::new());
        let later = now + chrono::TimeDelta::days(3);
        facts.next_poll = Some(later);
        fail(&mut facts, 1, now);
        assert_eq!(facts.next_poll, Some(later));
    }
}

//! The account check of `newsfed doctor`: logs in to the servers.

use super::doctor::Finding;
use super::global::Global;
use super::home::Home;
use super::output::Output;
use super::runtime::with_engine;
use crate::config::{AccountSettings, Loaded, Paths};
use crate::engine::{AccountError, AccountProbe, Handle};
use crate::util::text::counted;
use crate::util::time_text::age;
use std::time::Duration;

const TOPIC: &str = "account";
/// Timeout for checking an account.
const PATIENCE: Duration = Duration::from_secs(20);
/// Tolerated difference between clocks, in seconds.
const TOLERATED: i64 = 300;

pub(super) fn check(
    paths: &Paths,
    global: &Global,
    loaded: Loaded,
    out: &mut Output,
) -> Vec<Finding> {
    let Loaded { settings, sources, .. } = loaded;
    let home = Home::new(paths.clone(), global.set.clone(), settings, sources);
    let checked = with_engine(&home, out, async |handle, _| {
        let mut findings = Vec::new();
        for account in &home.settings.accounts {
            findings.push(of_account(handle, account).await);
        }
        Ok(findings)
    });
    // Another finding reports why the database cannot be opened.
    checked.unwrap_or_default()
}

async fn of_account(handle: &Handle, account: &AccountSettings) -> Finding {
    let id = &account.id;
    match tokio::time::timeout(PATIENCE, handle.probe_account(account)).await {
        Err(_) => Finding::warning(
            TOPIC,
            format!("{id}: no response within {} s; check the connection", PATIENCE.as_secs()),
        ),
        Ok(Err(e @ AccountError::Fetch(_))) => Finding::warning(TOPIC, format!("{id}: {e}")),
        Ok(Err(e)) => Finding::problem(TOPIC, format!("{id}: {e}")),
        Ok(Ok(probe)) => describe(id, &probe),
    }
}

fn describe(id: &str, probe: &AccountProbe) -> Finding {
    let AccountProbe { server, sources, unread, ids_per_page, clock_ahead, .. } = probe;
    let arrivals = match probe.lists_arrivals {
        true => "and lists new items",
        false => "but does not list new items, so the newest 1000 ids are compared",
    };
    let what = format!(
        "{id}: {server} accepts {}: {}, {unread} unread; it returns up to {ids_per_page} \
         ids per response, {arrivals}",
        probe.settings.user,
        counted(*sources, "source")
    );
    match clock_ahead {
        None => Finding::ok(TOPIC, format!("{what}; its clock is not known")),
        Some(ahead) if ahead.abs() <= TOLERATED => {
            Finding::ok(TOPIC, format!("{what}; its clock differs by {} s", ahead.abs()))
        }
        Some(ahead) => {
            let way = if *ahead > 0 { "ahead of" } else { "behind" };
            Finding::warning(
                TOPIC,
                format!("{what}; its clock is {} {way} this computer's", age(ahead.abs())),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_difference_between_clocks_is_a_warning() {
        let probe = |clock_ahead| AccountProbe {
            settings: AccountSettings { user: "alice".to_owned(), ..AccountSettings::default() },
            server: "FreshRSS",
            sources: 3,
            unread: 4,
            ids_per_page: 100_000,
            lists_arrivals: true,
            clock_ahead,
        };
        let start = "home: FreshRSS accepts alice: 3 sources, 4 unread; it returns up to 100000 ids per response, \
                     and lists new items; its clock ";
        let cases = [
            (None, Finding::ok(TOPIC, format!("{start}is not known"))),
            (Some(-300), Finding::ok(TOPIC, format!("{start}differs by 300 s"))),
            (Some(7200), Finding::warning(TOPIC, format!("{start}is 2h ahead of this computer's"))),
            (Some(-7200), Finding::warning(TOPIC, format!("{start}is 2h behind this computer's"))),
        ];
        for (ahead, want) in cases {
            assert_eq!(describe("home", &probe(ahead)), want);
        }
    }
}

//! `newsfed daemon`: polls the sources until it is stopped.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::log;
use super::output::Output;
use super::runtime::{asked_to_stop, other_poller, report_ready, report_stopping, runtime};
use super::serve;
use super::view_server::{self, Serving};
use crate::engine::{Handle, ProcessRole};
use crate::util::text::counted;

/// Advice if another process already polls, usually an open interface.
const FIRST: &str = "stop that process, for example an open interface, and start the daemon; an \
                     interface opened after that shows what the daemon finds";

pub(super) fn run(global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    home.show_warnings(out);
    log::start(&home, out.verbose, true);
    let store = home.store()?;
    runtime()?.block_on(async {
        // Install the signal handlers before reporting that the daemon runs.
        let stop = asked_to_stop();
        let reloads = reload_signals();
        let handle = home.engine(store, true).start().await?;
        let role = handle.status().borrow().role;
        let result = match role {
            ProcessRole::Watches(pid) => Err(other_poller("start the daemon", pid, FIRST)),
            ProcessRole::Reads => {
                handle.store().writable().map(|()| Exit::Ok).map_err(Failure::from)
            }
            ProcessRole::Follows | ProcessRole::OnDemand => match start_servers(&handle).await {
                Ok(servers) => {
                    tracing::info!("following {}", counted(home.sources.len(), "source"));
                    report_ready();
                    tokio::select! {
                        () = stop => {}
                        () = reload_on_signal(&handle, reloads) => {}
                    }
                    report_stopping();
                    for server in servers {
                        server.end().await;
                    }
                    Ok(Exit::Ok)
                }
                Err(e) => Err(e),
            },
        };
        handle.shutdown().await;
        result
    })
}

/// Starts the servers that have an address in the settings.
async fn start_servers(handle: &Handle) -> Result<[Serving; 2], Failure> {
    let views = view_server::start(handle).await?;
    match serve::start_configured(handle).await {
        Ok(apps) => Ok([views, apps]),
        Err(e) => {
            views.end().await;
            Err(e)
        }
    }
}

#[cfg(unix)]
type Reloads = Option<tokio::signal::unix::Signal>;
#[cfg(not(unix))]
type Reloads = Option<()>;

fn reload_signals() -> Reloads {
    #[cfg(unix)]
    return tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok();
    #[cfg(not(unix))]
    None
}

async fn reload_on_signal(handle: &Handle, reloads: Reloads) {
    #[cfg(unix)]
    if let Some(mut hangups) = reloads {
        while hangups.recv().await.is_some() {
            reload(handle).await;
        }
    }
    #[cfg(not(unix))]
    let _ = (handle, reloads);
    std::future::pending().await
}

/// Reloads the declared sources. A file with errors changes nothing.
async fn reload(handle: &Handle) {
    match handle.reload().await {
        Ok(()) => {
            let sources = counted(handle.declared().borrow().len(), "source");
            tracing::info!("reloaded {sources} and the settings");
        }
        Err(e) => tracing::error!("sources not reloaded, keeping the old ones: {e}"),
    }
}

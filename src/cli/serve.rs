//! `newsfed serve`: serves the Google Reader API for apps, and sets its password.

use super::exit::{Exit, Failure};
use super::global::Global;
use super::home::Home;
use super::log;
use super::output::Output;
use super::runtime::{asked_to_stop, report_ready, report_stopping, runtime};
use super::view_server::Serving;
use crate::api::{self, Api};
use crate::engine::{Handle, ProcessRole};
use crate::serve::{HttpServer, Limits};
use std::io::{self, BufRead, IsTerminal, Read};
use std::net::{Ipv4Addr, SocketAddr};
use tokio_util::sync::CancellationToken;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(super) struct ServeArgs {
    #[command(subcommand)]
    command: Option<ServeCommand>,
    /// Address to listen on [default: serve.address in config.toml, or 127.0.0.1:8991]
    #[arg(long)]
    address: Option<SocketAddr>,
}

#[derive(Debug, clap::Subcommand)]
enum ServeCommand {
    /// Set the password that apps log in with
    #[command(after_help = PASSWORD)]
    Password,
}

const EXAMPLES: &str = "\
Apps for the Google Reader API, such as those for FreshRSS, can read and mark
newsfed's items. Sources are polled in the background as with `newsfed daemon`,
unless another newsfed process polls them. Apps log in with serve.user in
config.toml and the password that `newsfed serve password` sets. They can
change sources only with serve.edit = true. Connections are not encrypted:
other computers need a proxy with TLS. docs/serve.md has the details.
Stops on SIGTERM and SIGINT.

Examples:
  newsfed serve password
  newsfed serve
  newsfed serve --address 127.0.0.1:9000";

const PASSWORD: &str = "\
Prompts for the password; without a terminal, reads it from the first line of
standard input. The database stores a hash of it. A new password logs out all
apps.

Examples:
  newsfed serve password
  pass show newsfed | newsfed serve password";

/// The default address of the API.
const USUAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8991);

pub(super) fn run(args: &ServeArgs, global: &Global, out: &mut Output) -> Result<Exit, Failure> {
    let home = Home::load(global)?;
    if let Some(ServeCommand::Password) = args.command {
        return set_password(&home, out);
    }
    home.show_warnings(out);
    log::start(&home, out.verbose, true);
    let store = home.store()?;
    if !api::has_password(&store)? {
        let why = "no password is set for apps; run `newsfed serve password` first";
        return Err(Failure::Plain(why.to_owned()));
    }
    runtime()?.block_on(async {
        let stop = asked_to_stop();
        let handle = home.engine(store, true).start().await?;
        let address = args.address.or_else(|| configured(&handle)).unwrap_or(USUAL);
        let result = match start(&handle, address).await {
            Ok(serving) => {
                if let ProcessRole::Watches(_) = handle.status().borrow().role {
                    tracing::info!(
                        "another newsfed process polls the sources; this one only serves apps"
                    );
                }
                report_ready();
                stop.await;
                report_stopping();
                serving.end().await;
                Ok(Exit::Ok)
            }
            Err(e) => Err(e),
        };
        handle.shutdown().await;
        result
    })
}

/// The address of the API in the settings.
fn configured(handle: &Handle) -> Option<SocketAddr> {
    // The config loader has checked that the address is valid.
    handle.settings().serve.address.as_deref().and_then(|address| address.parse().ok())
}

/// Starts the API server in the daemon, if the settings contain an address.
///
/// # Errors
/// If the address is in use.
pub(super) async fn start_configured(handle: &Handle) -> Result<Serving, Failure> {
    let Some(address) = configured(handle) else { return Ok(Serving::none()) };
    if !api::has_password(handle.store())? {
        tracing::warn!("no password is set for apps; run `newsfed serve password`");
    }
    start(handle, address).await
}

/// Starts the API server.
///
/// # Errors
/// If the address is in use.
async fn start(handle: &Handle, address: SocketAddr) -> Result<Serving, Failure> {
    let server = HttpServer::bind(address, Limits::default()).await.map_err(|e| {
        let hint = "choose another address with --address or serve.address in config.toml";
        Failure::Plain(format!("cannot serve apps at {address}: {e}; {hint}"))
    })?;
    let bound = server.address().unwrap_or(address);
    tracing::info!("serving apps at http://{bound}");
    if !bound.ip().is_loopback() {
        tracing::warn!("{bound} is open to other computers without encryption; see docs/serve.md");
    }
    let api = Api::new(handle.clone());
    let stop = CancellationToken::new();
    let respond = move |request| api.clone().respond(request);
    Ok(Serving::of(tokio::spawn(server.run(respond, stop.clone())), stop))
}

fn set_password(home: &Home, out: &mut Output) -> Result<Exit, Failure> {
    let password = if io::stdin().is_terminal() { prompt()? } else { first_line()? };
    api::set_password(&home.store()?, &password)
        .map_err(|e| Failure::Plain(format!("the password was not set: {e}")))?;
    out.result(format!("set the password of the user {}", home.settings.serve.user))?;
    Ok(Exit::Ok)
}

fn prompt() -> Result<String, Failure> {
    let password = rpassword::prompt_password("New password: ")?;
    if rpassword::prompt_password("Repeat the password: ")? != password {
        return Err(Failure::Plain("the passwords do not match; nothing was changed".to_owned()));
    }
    Ok(password)
}

/// The first line of standard input.
fn first_line() -> Result<String, Failure> {
    let mut line = String::new();
    let most = 8 * *api::PASSWORD_LENGTH.end() as u64;
    io::stdin().lock().take(most).read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

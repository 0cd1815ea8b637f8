//! `newsfed account add`: finds a server's API and adds an account.

use super::account_move::{MoveArgs, move_sources};
use super::exit::{Exit, Failure};
use super::home::Home;
use super::output::Output;
use super::runtime::with_engine;
use crate::config::{self, AccountSettings, Loaded, add_account};
use crate::engine::{AccountError, AccountProbe};
use crate::util::text::{self, counted, counted_as};
use crate::util::url::parse_web;
use std::io::{BufRead, IsTerminal};

#[derive(Debug, clap::Args)]
pub(super) struct AddAccountArgs {
    /// URL of the server, or of its API
    url: String,
    /// User name on the server
    #[arg(long)]
    user: String,
    /// Command that prints the password, with arguments separated by spaces
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["password_file", "password_env"],
        conflicts_with_all = ["password_file", "password_env"])]
    password_command: Option<String>,
    /// File that contains the password, and that only you can read
    #[arg(long, value_name = "FILE", conflicts_with = "password_env")]
    password_file: Option<String>,
    /// Environment variable with the password
    #[arg(long, value_name = "NAME")]
    password_env: Option<String>,
    /// Name of the account, and of the folder of its sources
    #[arg(long, default_value = "home")]
    id: String,
    /// Allow sending the password to another computer without encryption
    #[arg(long)]
    insecure: bool,
    /// Add the account without asking
    #[arg(long)]
    yes: bool,
}

pub(super) fn add(home: &Home, args: &AddAccountArgs, out: &mut Output) -> Result<Exit, Failure> {
    if home.settings.accounts.iter().any(|account| account.id == args.id) {
        let id = text::line(&args.id);
        return Err(Failure::Usage(format!(
            "there is already an account \"{id}\"; choose another --id"
        )));
    }
    let web = parse_web(&args.url).map_err(|e| Failure::Usage(e.to_string()))?;
    if web.user.is_some() || web.password.is_some() {
        let message = "the URL contains a user or a password; use --user and --password-command";
        return Err(Failure::Usage(message.to_owned()));
    }
    let command = args.password_command.as_deref().unwrap_or_default();
    let settings = AccountSettings {
        id: args.id.clone(),
        url: web.url.as_str().trim_end_matches('/').to_owned(),
        user: args.user.clone(),
        password_command: command.split_whitespace().map(str::to_owned).collect(),
        password_file: args.password_file.as_deref().map(absolute).transpose()?,
        password_env: args.password_env.clone(),
        insecure: args.insecure,
        ..AccountSettings::default()
    };
    if settings.is_exposed() && !settings.insecure {
        let message = "this URL would send the password without encryption; use https, or \
                       --insecure if you trust the network";
        return Err(Failure::Usage(message.to_owned()));
    }
    let failed = |e: AccountError| Failure::Plain(e.to_string());
    let found = with_engine(home, out, async |handle, _| {
        handle.probe_account(&settings).await.map_err(failed)
    })?;
    let AccountProbe { settings, server, sources, unread, .. } = found;
    let what = format!(
        "{server} at {} accepts {}: {}, {}",
        settings.url,
        settings.user,
        counted(sources, "source"),
        counted(unread, "unread item")
    );
    out.note(&what);
    if !args.yes && !confirmed("Add this account?", out)? {
        return Ok(Exit::Failed);
    }
    add_account(&home.paths, &settings)?;
    out.result(format!("{} added; `newsfed sync` fetches its items", settings.id))?;
    offer_move(home, &settings.id, args.yes, out)
}

/// Offers to let the server poll the user's feeds.
fn offer_move(home: &Home, id: &str, yes: bool, out: &mut Output) -> Result<Exit, Failure> {
    let plan = with_engine(home, out, async |handle, _| Ok(handle.plan_move(None).await?))?;
    let count = plan.moving.len();
    if count == 0 {
        return Ok(Exit::Ok);
    }
    let can_move = counted_as(count, "of your feeds", "of your feeds");
    out.note(format!(
        "the server could poll {can_move} too: `newsfed account move {id} --all --dry-run` shows them"
    ));
    let asks = !yes && !out.json && std::io::stdin().is_terminal();
    if !asks || !confirmed("Move them to the server now?", out)? {
        return Ok(Exit::Ok);
    }
    let Loaded { settings, sources, .. } = config::load(&home.paths, &home.overrides)?;
    let home = Home::new(home.paths.clone(), home.overrides.clone(), settings, sources);
    move_sources(&home, &MoveArgs::all(id), out)
}

/// The path of a file in the form for config.toml: absolute, or starting with `~/`.
fn absolute(path: &str) -> Result<String, Failure> {
    if path.starts_with("~/") {
        return Ok(path.to_owned());
    }
    Ok(std::path::absolute(path)?.display().to_string())
}

pub(super) fn confirmed(question: &str, out: &mut Output) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage("nothing was done; without a terminal, use --yes".to_owned()));
    }
    out.warn(format!("{question} [y/N]"));
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

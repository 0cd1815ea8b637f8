//! Checks of single values, in addition to their types.

use super::error::did_you_mean;
use super::quote::quote;
use super::rule::{Rule, one_of};
use crate::model::QuietHours;
use crate::query::without_invisible;
use crate::util::login::without_secrets;
use crate::util::text::line as clean;

/// Paths that do not depend on the working directory.
pub(super) const ANY_PATH: &str = r"^\s*(~/|/|[A-Za-z]:|\\\\)";
/// Web URLs.
pub(super) const WEB: &str = r"^\s*[hH][tT][tT][pP][sS]?:";

pub(super) const WORD: Rule = Rule::Checked(word, r"\S");
pub(super) const QUERY: Rule = Rule::Checked(query, SOME_TEXT);
pub(super) const RULE_QUERY: Rule = Rule::Checked(rule_query, SOME_TEXT);
const SOME_TEXT: &str = r"^[^\x00]*[^\s\x00][^\x00]*$";
pub(super) const ARGUMENT: Rule = Rule::Checked(argument, r"^[^\x00]*$");
pub(super) const FOLDER: Rule = Rule::Checked(folder, ANY_PATH);
pub(super) const PATH: Rule = Rule::Checked(path, ANY_PATH);
pub(super) const QUIET_HOURS: Rule = Rule::Checked(
    quiet_hours,
    r"^\s*([01]?[0-9]|2[0-3]):[0-5]?[0-9]\s*-\s*([01]?[0-9]|2[0-3]):[0-5]?[0-9]\s*$",
);
pub(super) const ENDPOINT: Rule = Rule::Address(endpoint, WEB);
pub(super) const PROXY: Rule =
    Rule::Address(proxy, r"^\s*([hH][tT][tT][pP][sS]?|[sS][oO][cC][kK][sS]5[hH]?):");
pub(super) const LISTENING: Rule =
    Rule::Checked(listening, r"^([0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9a-fA-F:.%]+\]):[0-9]+$");
pub(super) const LOOPBACK: Rule =
    Rule::Checked(loopback, r"^(127(\.[0-9]{1,3}){3}|\[[0-9a-fA-F:.%]+\]):[0-9]+$");
pub(super) const CONTACT: Rule = Rule::Checked(contact, "^[ -~]{0,200}$");
pub(super) const LOG_LEVEL: Rule = Rule::Checked(
    log_level,
    r"^([^,]*=)?\s*(off|error|warn|info|debug|trace)\s*(,([^,]*=)?\s*(off|error|warn|info|debug|trace)\s*)*$",
);

/// A range of hours of the day.
fn quiet_hours(text: &str) -> Result<String, String> {
    match QuietHours::parse(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("expected hours such as \"23:00-07:00\", found {}", quote(text))),
    }
}

/// The URL of a service.
fn endpoint(text: &str) -> Result<String, String> {
    let good =
        url::Url::parse(text).is_ok_and(|u| matches!(u.scheme(), "http" | "https") && u.has_host());
    if good {
        return Ok(text.to_owned());
    }
    let found = quote(&without_secrets(text));
    Err(format!(
        "expected a URL such as \"http://localhost:11434/v1/chat/completions\", found {found}"
    ))
}

/// A string that is not empty after cleaning.
pub(super) fn word(text: &str) -> Result<String, String> {
    let cleaned = clean(text);
    if cleaned.is_empty() { Err("expected a non-empty string".to_owned()) } else { Ok(cleaned) }
}

/// A folder that does not depend on the working directory.
fn folder(text: &str) -> Result<String, String> {
    if std::path::Path::new(text).is_absolute() || text.starts_with("~/") {
        return Ok(text.to_owned());
    }
    Err(format!("expected a folder such as \"~/Podcasts\", found {}", quote(text)))
}

/// A path that does not depend on the working directory.
fn path(text: &str) -> Result<String, String> {
    if std::path::Path::new(text).is_absolute() || text.starts_with("~/") {
        return Ok(text.to_owned());
    }
    let found = quote(text);
    Err(format!("expected an absolute path or one that begins with \"~/\", found {found}"))
}

/// Maximum length of an argument that Linux passes to a program, in bytes.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

/// A program or an argument, unchanged.
fn argument(text: &str) -> Result<String, String> {
    if text.len() > LONGEST_ARGUMENT {
        return Err(format!(
            "expected at most {LONGEST_ARGUMENT} bytes in an argument, found {}",
            text.len()
        ));
    }
    without_nul(text)
}

fn without_nul(text: &str) -> Result<String, String> {
    match text.contains('\0') {
        true => Err("expected text without NUL characters".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// A query as typed in a search. Its length is checked where it is parsed.
fn query(text: &str) -> Result<String, String> {
    match rule_query(text)? {
        query if query.is_empty() => Err("expected a non-empty string".to_owned()),
        query => Ok(query),
    }
}

/// The query of a rule. An empty one is treated like a missing one.
fn rule_query(text: &str) -> Result<String, String> {
    Ok(without_invisible(&without_nul(text)?).trim().to_owned())
}

/// An address to listen on.
fn listening(text: &str) -> Result<String, String> {
    let address: Option<std::net::SocketAddr> = text.parse().ok();
    match address {
        Some(address) if address.port() > 0 => Ok(text.to_owned()),
        _ => Err(format!(
            "expected an address with a port such as \"127.0.0.1:8991\", found {}",
            quote(text)
        )),
    }
}

/// An address that only programs on this computer can reach.
fn loopback(text: &str) -> Result<String, String> {
    let address: Option<std::net::SocketAddr> = text.parse().ok();
    match address {
        Some(address) if address.ip().is_loopback() && address.port() > 0 => Ok(text.to_owned()),
        Some(address) if address.port() > 0 => Err(format!(
            "expected a loopback address such as \"127.0.0.1:8990\", because feeds of views are not \
             served to other computers; found {}",
            quote(text)
        )),
        _ => Err(format!(
            "expected an address with a port such as \"127.0.0.1:8990\", found {}",
            quote(text)
        )),
    }
}

/// A contact for a request header.
fn contact(text: &str) -> Result<String, String> {
    let good = text.len() <= 200 && text.bytes().all(|b| (0x20..0x7f).contains(&b));
    if good {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "expected a URL or email address of at most 200 ASCII characters, found {}",
            quote(text)
        ))
    }
}

const PROXY_SCHEMES: [&str; 4] = ["http", "https", "socks5", "socks5h"];

/// The URL of a proxy.
pub(crate) fn proxy(text: &str) -> Result<String, String> {
    let good =
        url::Url::parse(text).is_ok_and(|u| PROXY_SCHEMES.contains(&u.scheme()) && u.has_host());
    if good {
        return Ok(text.to_owned());
    }
    Err(format!(
        "expected the URL of a proxy such as \"http://localhost:3128\" (http, https, socks5 or \
         socks5h), found {}",
        quote(&without_secrets(text))
    ))
}

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// A level, or comma-separated `module=level` parts.
fn log_level(text: &str) -> Result<String, String> {
    for part in text.split(',') {
        let level = part.rsplit('=').next().unwrap_or(part).trim();
        if !LEVELS.contains(&level) {
            let hint = did_you_mean(level, LEVELS);
            let expected = one_of(&LEVELS);
            return Err(format!(
                "expected {expected}, optionally per module as in \"info,newsfed_engine::net=debug\", \
                 found {}{hint}",
                quote(level)
            ));
        }
    }
    Ok(text.to_owned())
}

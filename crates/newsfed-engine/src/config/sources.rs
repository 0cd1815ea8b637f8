//! Loads `sources.toml`: one `[[source]]` per source.

use super::document::{Node, Pair, Value};
use super::error::{At, Report, did_you_mean};
use super::ids::{check_id, unique_id};
use super::paths::Paths;
use super::quote::quote;
use super::rule::{mismatch, secret, show_time};
use super::setting::read;
use super::source_settings::{SETTINGS, SourceDraft, own_keys};
use super::website::read_website;
use crate::model::{
    BasicAuth, OwnSettings, Retention, Secret, Source, SourceId, SourceKind, exec_url,
};
use crate::util::login::without_secrets;
use crate::util::url::take_credentials;
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display};
use std::time::Duration;
use url::Url;

/// Keys that are not in the table of settings: tables, and keys that are read by separate code.
const OTHERS: &[&str] = &["id", "account", "list", "retention", "schedule", "website"];

/// Reads the tree of the file. Errors go to the report; the valid sources are returned with the
/// positions of their headers.
pub(crate) fn read_sources(root: &[Pair], report: &mut Report) -> Vec<(At, Source)> {
    let mut drafts = Vec::new();
    for pair in root {
        match (&*pair.key, &pair.node.value) {
            ("source", Value::List(list)) => drafts.extend(list),
            ("source", _) => {
                let message = mismatch("one [[source]] (two brackets) per source", &pair.node);
                report.error(pair.at, "source", message);
            }
            (key, _) => {
                let hint = did_you_mean(key, ["source"]);
                report.error(pair.at, key, format!("unknown setting, expected [[source]]{hint}"));
            }
        }
    }
    let mut read: Vec<Numbered> = Vec::with_capacity(drafts.len());
    for (index, node) in drafts.into_iter().enumerate() {
        read.extend(read_source(index, node, report));
    }
    let sources = settle_ids(read, report);
    check_lists(&sources, report);
    sources
}

/// Warns about sources that name a list that does not exist.
fn check_lists(sources: &[(At, Source)], report: &mut Report) {
    let lists = sources.iter().filter(|(_, source)| source.kind() == SourceKind::List);
    let lists: HashSet<&SourceId> = lists.map(|(_, source)| &source.id).collect();
    for (at, source) in sources {
        let Some(list) = source.list.as_ref().filter(|list| !lists.contains(list)) else {
            continue;
        };
        let key = format!("source {}: list", quote(source.id.as_str()));
        let list = quote(list.as_str());
        report.warn(
            *at,
            &key,
            format!("there is no list {list}, so the source is treated as added by you"),
        );
    }
}

/// A source, possibly without an identifier yet.
struct Numbered {
    source: Source,
    at: At,
    id_at: Option<At>,
}

fn read_source(index: usize, node: &Node, report: &mut Report) -> Option<Numbered> {
    let Value::Table(table) = &node.value else {
        report.error(node.at, "source", mismatch("a table", node));
        return None;
    };
    let find = |key: &str| table.iter().find(|p| p.key == key);
    let prefix = Prefix { index, id: find("id"), url: find("url") };
    let errors = report.errors.errors.len() + report.errors.more;
    let mut draft = SourceDraft::default();
    read(table, &prefix, (SETTINGS, ""), OTHERS, &mut draft, report);
    let id = find("id").and_then(|p| read_id(p, &prefix, report));
    let url = match find("url") {
        _ if find("exec").or(find("file")).or(find("mail")).is_some() => {
            local_url(&draft, table, &prefix, report).map(|url| (url, None))
        }
        Some(pair) => read_url(pair, &prefix, report),
        None => {
            let message = "is missing: every source needs a URL, or exec, file or mail";
            report.error(node.at, &format!("{prefix}url"), message);
            None
        }
    };
    check_origin(&draft, table, &prefix, report);
    if let Some(pair) = find("retention") {
        draft.retention = Some(Retention::default());
        let example = "a table such as { days = 30, items = 500 }";
        read_table(pair, &prefix, example, &mut draft, report);
    }
    if let Some(pair) = find("schedule") {
        read_schedule(pair, &prefix, &mut draft, report);
    }
    if let Some(pair) = find("headers") {
        draft.headers = read_headers(pair, &prefix, report);
    }
    check_login(&draft, table, &prefix, report);
    read_website(node.at, find("website"), &prefix, &mut draft, report);
    if report.errors.errors.len() + report.errors.more > errors {
        return None;
    }
    let (url, url_auth) = url?;
    let mut source = draft.source(id.clone().unwrap_or(SourceId(String::new())), url);
    source.access.auth = source.access.auth.or(url_auth);
    if let Some(pair) = find("account") {
        source.account = Some(read_account(pair, &source, &prefix, report)?);
    }
    if let Some(pair) = find("list") {
        source.list = read_list(pair, &prefix, report);
    }
    Some(Numbered { source, at: node.at, id_at: id.and(find("id")).map(|p| p.node.at) })
}

/// The start of messages about a source: its id, else its URL, else its number. Formatted only when needed.
struct Prefix<'a> {
    index: usize,
    id: Option<&'a Pair>,
    url: Option<&'a Pair>,
}

impl Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |pair: Option<&Pair>| match pair.map(|p| &p.node.value) {
            Some(Value::Text(text)) if !text.is_empty() => Some(quote(&without_secrets(text))),
            _ => None,
        };
        match text(self.id).or_else(|| text(self.url)) {
            Some(name) => write!(f, "source {name}: "),
            None => write!(f, "source number {}: ", self.index + 1),
        }
    }
}

/// Reads the account whose server polls a source. Warns about keys that only apply when newsfed polls it.
fn read_account(
    pair: &Pair,
    source: &Source,
    prefix: &dyn Display,
    report: &mut Report,
) -> Option<String> {
    let Value::Text(account) = &pair.node.value else {
        let message = mismatch("the id of an account in quotation marks", &pair.node);
        report.error(pair.node.at, &format!("{prefix}account"), message);
        return None;
    };
    let foreign = own_keys(source).into_iter().filter(|key| !OwnSettings::KEYS.contains(key));
    for key in foreign {
        let account = quote(account);
        let message =
            format!("has no effect, because the server of the account {account} polls this source");
        report.warn(pair.at, &format!("{prefix}{key}"), message);
    }
    Some(account.clone())
}

/// The list that a source came from.
fn read_list(pair: &Pair, prefix: &dyn Display, report: &mut Report) -> Option<SourceId> {
    if let Value::Text(list) = &pair.node.value {
        return Some(SourceId(list.clone()));
    }
    let message = mismatch("the id of a source with kind = \"list\"", &pair.node);
    report.error(pair.node.at, &format!("{prefix}list"), message);
    None
}

fn read_id(pair: &Pair, prefix: &dyn Display, report: &mut Report) -> Option<SourceId> {
    let checked = match &pair.node.value {
        Value::Text(text) => check_id(text).map(|()| SourceId(text.clone())),
        _ => Err(mismatch("text in quotation marks", &pair.node)),
    };
    checked.map_err(|message| report.error(pair.node.at, &format!("{prefix}id"), message)).ok()
}

fn read_url(
    pair: &Pair,
    prefix: &dyn Display,
    report: &mut Report,
) -> Option<(Url, Option<BasicAuth>)> {
    let read = match &pair.node.value {
        Value::Text(text) => address(text),
        _ => Err(mismatch("a URL in quotation marks", &pair.node)),
    };
    read.map_err(|message| report.error(pair.node.at, &format!("{prefix}url"), message)).ok()
}

/// Whether an error in the command was already reported when the value was read.
fn is_reported(value: &Value, argv: &[String]) -> bool {
    !matches!(value, Value::List(list) if list.is_empty() == argv.is_empty())
}

/// The URL that represents a program or a file.
fn local_url(
    draft: &SourceDraft,
    table: &[Pair],
    prefix: &dyn Display,
    report: &mut Report,
) -> Option<Url> {
    let find = |key: &&str| table.iter().find(|p| p.key == *key);
    let given: Vec<&Pair> = ["url", "exec", "file", "mail"].iter().filter_map(find).collect();
    if let [first, second, ..] = given.as_slice() {
        let message = format!("cannot be combined with `{}`; remove one of them", first.key);
        report.error(second.at, &format!("{prefix}{}", second.key), message);
    }
    let pair = given.first()?;
    let url = match draft.origin.path() {
        Some(path) => path_url(path, draft.origin.from.as_deref()),
        None if is_reported(&pair.node.value, &draft.origin.exec) => return None,
        None if draft.origin.exec.is_empty() => {
            Err("expected a list such as [\"program\", \"argument\"]".to_owned())
        }
        None => exec_url(&draft.origin.exec).ok_or_else(|| "cannot be run".to_owned()),
    };
    let key = format!("{prefix}{}", pair.key);
    url.map_err(|message| report.error(pair.node.at, &key, message)).ok()
}

/// The URL of a file or mailbox, given by an absolute path or one below the home folder, with the sender of
/// the emails as a query parameter.
pub(crate) fn path_url(path: &str, from: Option<&str>) -> Result<Url, String> {
    let full = Paths::expanded(path).ok_or("expected an absolute path: no home folder is known")?;
    let url = Url::from_file_path(full);
    let mut url = url.map_err(|()| format!("expected an absolute path, found {}", quote(path)))?;
    if let Some(from) = from {
        url.query_pairs_mut().append_pair("from", from);
    }
    Ok(url)
}

/// Reports keys that have no effect for a source with a program or a file, or cannot be combined with it.
fn check_origin(draft: &SourceDraft, table: &[Pair], prefix: &dyn Display, report: &mut Report) {
    let origin = &draft.origin;
    for pair in table {
        let name = || format!("{prefix}{}", pair.key);
        match pair.key.as_str() {
            "file" if draft.kind == SourceKind::List => {}
            "exec" | "file" | "mail" | "filter" if draft.kind != SourceKind::Feed => {
                let message = format!("is for feeds, not for the kind \"{}\"", draft.kind.name());
                report.error(pair.at, &name(), message);
            }
            "exec" | "file" | "mail" | "filter" if table.iter().any(|p| p.key == "account") => {
                let message = "is not possible: the server of the account polls the source";
                report.error(pair.at, &name(), message);
            }
            "filter" if !origin.exec.is_empty() => {
                report.error(
                    pair.at,
                    &name(),
                    "cannot be combined with `exec`; remove one of them",
                );
            }
            "from" if !table.iter().any(|p| p.key == "mail") => {
                report.error(pair.at, &name(), "is for sources with `mail`");
            }
            "limit" if origin.program().is_empty() => {
                report.warn(pair.at, &name(), "has no effect without exec or filter");
            }
            "user" | "password" | "headers" | "proxy" | "private" if origin.is_local() => {
                report.warn(pair.at, &name(), "has no effect, because nothing is fetched");
            }
            _ => {}
        }
    }
}

/// Parses an http(s) URL. A user and password in it are separated, so that they are never shown.
pub(crate) fn address(text: &str) -> Result<(Url, Option<BasicAuth>), String> {
    let error = |why: &str| {
        let found = quote(&without_secrets(text));
        format!("expected a URL such as \"https://example.org/feed\", found {found}{why}")
    };
    if text.len() > 8192 {
        return Err(error(" (too long)"));
    }
    let mut url = Url::parse(text.trim()).map_err(|e| match e {
        url::ParseError::RelativeUrlWithoutBase => error("; is https:// missing at the start?"),
        other => error(&format!(" ({other})")),
    })?;
    let other = match url.scheme() {
        "http" | "https" => None,
        "file" => Some(
            "; only http and https URLs can be followed; for a file, write file = \"/path\" instead",
        ),
        "exec" => Some("; for a program, write exec = [\"program\"] instead"),
        "filter" => Some("; write only the URL, and add filter = [\"program\"]"),
        _ => Some("; only http and https URLs can be followed"),
    };
    if let Some(why) = other {
        return Err(error(why));
    }
    let auth = take_credentials(&mut url)
        .map(|(user, password)| BasicAuth { user, password: Secret::Plain(password) });
    Ok((url, auth))
}

/// Reads a table of an entry.
fn read_table(
    pair: &Pair,
    prefix: &dyn Display,
    example: &str,
    draft: &mut SourceDraft,
    report: &mut Report,
) {
    let name = format!("{prefix}{}", pair.key);
    match &pair.node.value {
        Value::Table(table) => {
            // This key belongs next to the table, not inside it.
            let others: &[&str] = if pair.key == "schedule" { &["interval"] } else { &[] };
            read(table, &format!("{name}."), (SETTINGS, &pair.key), others, draft, report);
        }
        _ => report.error(pair.node.at, &name, mismatch(example, &pair.node)),
    }
}

fn read_schedule(pair: &Pair, prefix: &dyn Display, draft: &mut SourceDraft, report: &mut Report) {
    read_table(pair, prefix, "a table such as { priority = \"high\" }", draft, report);
    let name = format!("{prefix}schedule");
    if let Some(pair) = pair.find("interval") {
        let message = "belongs next to `schedule`, not inside it: interval = \"1h\"";
        report.error(pair.at, &format!("{name}.interval"), message);
    }
    let schedule = &draft.schedule;
    if let Some(what) = contradiction([schedule.min_interval, schedule.max_interval]) {
        report.warn(pair.at, &name, what);
    }
}

/// The warning for a minimum interval that exceeds the maximum.
pub(crate) fn contradiction([least, most]: [Option<Duration>; 2]) -> Option<String> {
    let (least, most) = least.zip(most).filter(|(least, most)| least > most)?;
    Some(format!(
        "min_interval ({}) is longer than max_interval ({}), which therefore has no effect",
        show_time(least),
        show_time(most)
    ))
}

/// User and password must be given together.
fn check_login(draft: &SourceDraft, table: &[Pair], prefix: &dyn Display, report: &mut Report) {
    let find = |key: &str| table.iter().find(|p| p.key == key);
    match (&draft.user, find("password")) {
        (None, Some(pair)) => {
            report.error(pair.at, &format!("{prefix}password"), "also needs `user`");
        }
        (Some(_), None) => {
            let at = find("user").map_or_else(At::default, |p| p.at);
            report.error(at, &format!("{prefix}user"), "also needs `password`");
        }
        _ => {}
    }
}

fn read_headers(pair: &Pair, prefix: &dyn Display, report: &mut Report) -> Vec<(String, Secret)> {
    let Value::Table(table) = &pair.node.value else {
        let message = mismatch("a table such as { \"X-Key\" = { env = \"KEY\" } }", &pair.node);
        report.error(pair.node.at, &format!("{prefix}headers"), message);
        return Vec::new();
    };
    let mut headers = Vec::new();
    for header in table {
        let name = format!("{prefix}headers.{}", header.key);
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if header.key.is_empty() || !header.key.bytes().all(token) {
            report.error(header.at, &name, "is not a valid header name");
        }
        match secret(&header.node) {
            Ok(secret) => headers.push((header.key.clone(), secret)),
            Err(message) => report.error(header.node.at, &name, message),
        }
    }
    headers
}

/// Gives every source an identifier. Reports duplicate identifiers and warns about duplicate URLs.
fn settle_ids(read: Vec<Numbered>, report: &mut Report) -> Vec<(At, Source)> {
    let mut taken = HashSet::with_capacity(read.len());
    for one in read.iter().filter(|n| n.id_at.is_some()) {
        if !taken.insert(one.source.id.0.clone()) {
            let key = format!("source \"{}\": id", one.source.id);
            let at = one.id_at.unwrap_or(one.at);
            report.error(at, &key, "another source has the same id; choose a different one");
        }
    }
    let mut addresses: HashMap<(Option<String>, String), SourceId> =
        HashMap::with_capacity(read.len());
    let mut sources = Vec::with_capacity(read.len());
    for mut one in read {
        let place = (one.source.account.clone(), one.source.url.as_str().to_owned());
        let first = addresses.get(&place).cloned();
        if let Some(first) = &first {
            let key = format!("source {}", quote(one.source.url.as_str()));
            let kept = match (one.id_at.is_some(), &one.source.account) {
                (true, None) => "the URL is polled twice",
                (true, Some(_)) => "only one of the two entries applies",
                (false, _) => "this source is skipped",
            };
            report.warn(one.at, &key, format!("\"{first}\" has the same URL; {kept}"));
            if one.id_at.is_none() {
                continue;
            }
        }
        if one.id_at.is_none() {
            one.source.id = unique_id(&one.source.url, &mut taken);
        }
        addresses.insert(place, one.source.id.clone());
        sources.push((one.at, one.source));
    }
    sources
}

//! `sources.toml` as data: one `[[source]]` per source.

use super::document::{Node, Pair, Value};
use super::error::{At, Report, did_you_mean};
use super::ids::{check_id, unique_id};
use super::quote::{quote, without_secrets};
use super::rule::{Field, Rule, Slot, mismatch, read, show_time};
use super::schema::{RETENTION, SOURCE_SCHEDULE, SourceScheduleDraft, YEAR, proxy};
use super::website::read_website;
use crate::model::{
    Access, BasicAuth, FullText, Retention, Secret, Source, SourceId, SourceKind, SourceRules,
    SourceSchedule,
};
use crate::util::text::line as clean;
use crate::util::url::take_credentials;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use url::Url;

/// Words for `kind`.
pub(super) const KINDS: &[&str] = &SourceKind::NAMES;

/// A source while it is read.
#[derive(Default)]
struct Draft {
    kind: Option<String>,
    title: Option<String>,
    folder: Option<String>,
    tags: Vec<String>,
    enabled: bool,
    interval: Option<Duration>,
    full_text: Option<String>,
    user: Option<String>,
    proxy: Option<String>,
}

const FIELDS: &[Field<Draft>] = &[
    Field { key: "kind", rule: Rule::OneOf(KINDS), slot: |d| Slot::MaybeText(&mut d.kind) },
    Field { key: "title", rule: Rule::Checked(line), slot: |d| Slot::MaybeText(&mut d.title) },
    Field { key: "folder", rule: Rule::Checked(folder), slot: |d| Slot::MaybeText(&mut d.folder) },
    Field { key: "tags", rule: Rule::Checked(tag), slot: |d| Slot::Words(&mut d.tags) },
    Field {
        key: "interval",
        rule: Rule::Within(1, YEAR),
        slot: |d| Slot::MaybeTime(&mut d.interval),
    },
    Field {
        key: "full_text",
        rule: Rule::OneOf(FullText::NAMES),
        slot: |d| Slot::MaybeText(&mut d.full_text),
    },
    Field { key: "enabled", rule: Rule::Any, slot: |d| Slot::Flag(&mut d.enabled) },
    Field { key: "user", rule: Rule::Any, slot: |d| Slot::MaybeText(&mut d.user) },
    Field { key: "proxy", rule: Rule::Checked(proxy), slot: |d| Slot::MaybeText(&mut d.proxy) },
];

/// Keys that the fields above do not read.
const OTHERS: &[&str] = &["id", "url", "retention", "schedule", "password", "headers", "website"];

/// Every key of a `[[source]]`.
pub fn source_keys() -> Vec<&'static str> {
    FIELDS.iter().map(|f| f.key).chain(OTHERS.iter().copied()).collect()
}

/// Reads the tree of the file. What is wrong goes to the report; the sources without fault are
/// returned with the place of their header.
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
                report.error(pair.at, key, format!("unknown key, expected [[source]]{hint}"));
            }
        }
    }
    let mut read: Vec<Numbered> = Vec::new();
    for (index, node) in drafts.into_iter().enumerate() {
        read.extend(read_source(index, node, report));
    }
    settle_ids(read, report)
}

/// A source that may still lack its identifier.
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
    let prefix = format!("{}: ", name(index, find("id"), find("url")));
    let errors = report.errors.errors.len() + report.errors.more;
    let mut draft = Draft { enabled: true, ..Draft::default() };
    read(table, &prefix, FIELDS, OTHERS, &mut draft, report);
    let id = find("id").and_then(|p| read_id(p, &prefix, report));
    let url = match find("url") {
        Some(pair) => read_url(pair, &prefix, report),
        None => {
            report.error(
                node.at,
                &format!("{prefix}url"),
                "is missing: every source has an address",
            );
            None
        }
    };
    let retention = find("retention").map(|p| read_retention(p, &prefix, report));
    let schedule = find("schedule").map(|p| read_schedule(p, &prefix, report)).unwrap_or_default();
    let headers = find("headers").map(|p| read_headers(p, &prefix, report)).unwrap_or_default();
    let auth = read_auth(draft.user.take(), table, &prefix, report);
    let kind = draft.kind.as_deref().and_then(SourceKind::named).unwrap_or_default();
    let website = read_website(kind, node.at, find("website"), &prefix, report);
    if report.errors.errors.len() + report.errors.more > errors {
        return None;
    }
    let (url, url_auth) = url?;
    let mut source = Source::feed(id.clone().unwrap_or(SourceId(String::new())), url);
    source.rules = SourceRules::new(kind, website.unwrap_or_default());
    source.title = draft.title;
    source.folder = draft.folder;
    source.tags = draft.tags;
    source.enabled = draft.enabled;
    source.interval = draft.interval;
    source.full_text = draft.full_text.as_deref().and_then(FullText::named);
    source.schedule = schedule;
    source.retention = retention;
    source.access = Access { auth: auth.or(url_auth), headers, proxy: draft.proxy };
    Some(Numbered { source, at: node.at, id_at: id.and(find("id")).map(|p| p.node.at) })
}

/// How messages call a source: by its id, else its address, else its place.
fn name(index: usize, id: Option<&Pair>, url: Option<&Pair>) -> String {
    let text = |pair: Option<&Pair>| match pair.map(|p| &p.node.value) {
        Some(Value::Text(text)) if !text.is_empty() => Some(quote(&without_secrets(text))),
        _ => None,
    };
    match text(id).or_else(|| text(url)) {
        Some(name) => format!("source {name}"),
        None => format!("source number {}", index + 1),
    }
}

fn read_id(pair: &Pair, prefix: &str, report: &mut Report) -> Option<SourceId> {
    let checked = match &pair.node.value {
        Value::Text(text) => check_id(text).map(|()| SourceId(text.clone())),
        _ => Err(mismatch("a word in quotation marks", &pair.node)),
    };
    checked.map_err(|message| report.error(pair.node.at, &format!("{prefix}id"), message)).ok()
}

fn read_url(pair: &Pair, prefix: &str, report: &mut Report) -> Option<(Url, Option<BasicAuth>)> {
    let read = match &pair.node.value {
        Value::Text(text) => address(text),
        _ => Err(mismatch("an address in quotation marks", &pair.node)),
    };
    read.map_err(|message| report.error(pair.node.at, &format!("{prefix}url"), message)).ok()
}

/// An http(s) address. A user and password in it are taken out, so that they are never shown.
pub(crate) fn address(text: &str) -> Result<(Url, Option<BasicAuth>), String> {
    let fault = |why: &str| {
        let found = quote(&without_secrets(text));
        format!("expected an address such as \"https://example.org/feed\", found {found}{why}")
    };
    if text.len() > 8192 {
        return Err(fault(" (too long)"));
    }
    let mut url = Url::parse(text.trim()).map_err(|e| match e {
        url::ParseError::RelativeUrlWithoutBase => fault("; does it lack https:// at the front?"),
        other => fault(&format!(" ({other})")),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(fault("; only http and https can be followed"));
    }
    let auth = take_credentials(&mut url)
        .map(|(user, password)| BasicAuth { user, password: Secret::Plain(password) });
    Ok((url, auth))
}

fn read_retention(pair: &Pair, prefix: &str, report: &mut Report) -> Retention {
    let mut retention = Retention::default();
    let name = format!("{prefix}retention");
    match &pair.node.value {
        Value::Table(table) => {
            read(table, &format!("{name}."), RETENTION, &[], &mut retention, report);
        }
        _ => report.error(
            pair.node.at,
            &name,
            mismatch("a table such as { days = 30, items = 500 }", &pair.node),
        ),
    }
    retention
}

fn read_schedule(pair: &Pair, prefix: &str, report: &mut Report) -> SourceSchedule {
    let mut draft = SourceScheduleDraft::default();
    let name = format!("{prefix}schedule");
    match &pair.node.value {
        Value::Table(table) => {
            read(table, &format!("{name}."), SOURCE_SCHEDULE, &["interval"], &mut draft, report);
            if let Some(pair) = table.iter().find(|p| p.key == "interval") {
                let message = "stands beside `schedule`, not in it: interval = \"1h\"";
                report.error(pair.at, &format!("{name}.interval"), message);
            }
        }
        _ => report.error(
            pair.node.at,
            &name,
            mismatch("a table such as { priority = \"high\" }", &pair.node),
        ),
    }
    let schedule = draft.finish();
    if let Some(what) = contradiction([schedule.min_interval, schedule.max_interval]) {
        report.warn(pair.at, &name, what);
    }
    schedule
}

/// What is odd about a shortest and a longest interval.
pub(crate) fn contradiction([least, most]: [Option<Duration>; 2]) -> Option<String> {
    let (least, most) = least.zip(most).filter(|(least, most)| least > most)?;
    Some(format!(
        "min_interval ({}) is longer than max_interval ({}), which has no effect then",
        show_time(least),
        show_time(most)
    ))
}

/// User and password, which come together or not at all.
fn read_auth(
    user: Option<String>,
    table: &[Pair],
    prefix: &str,
    report: &mut Report,
) -> Option<BasicAuth> {
    let find = |key: &str| table.iter().find(|p| p.key == key);
    match (user, find("password")) {
        (user, Some(pair)) => {
            let name = format!("{prefix}password");
            let password = read_secret(pair, &name, report);
            if user.is_none() {
                report.error(pair.at, &name, "needs a `user` beside it");
            }
            user.zip(password).map(|(user, password)| BasicAuth { user, password })
        }
        (Some(_), None) => {
            let at = find("user").map_or_else(At::default, |p| p.at);
            report.error(at, &format!("{prefix}user"), "needs a `password` beside it");
            None
        }
        (None, None) => None,
    }
}

/// What a secret may be. Its value never goes into a message.
const SECRET_FORMS: &str =
    "expected text, { env = \"NAME\" } or { command = [\"pass\", \"show\", \"name\"] }";

fn read_secret(pair: &Pair, name: &str, report: &mut Report) -> Option<Secret> {
    let secret = match &pair.node.value {
        Value::Text(text) => Some(Secret::Plain(text.clone())),
        Value::Table(table) => match table.as_slice() {
            [one] => secret_of(one),
            _ => None,
        },
        _ => None,
    };
    let usable =
        secret.filter(|s| !matches!(s, Secret::Plain(t) if t.contains(['\r', '\n', '\0'])));
    if usable.is_none() {
        report.error(pair.node.at, name, SECRET_FORMS);
    }
    usable
}

fn secret_of(pair: &Pair) -> Option<Secret> {
    match (&*pair.key, &pair.node.value) {
        ("env", Value::Text(name)) if !name.is_empty() && !name.contains(['=', '\0']) => {
            Some(Secret::Env(name.clone()))
        }
        ("command", Value::List(words)) if !words.is_empty() => {
            let word = |n: &Node| match &n.value {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            };
            words.iter().map(word).collect::<Option<_>>().map(Secret::Command)
        }
        _ => None,
    }
}

fn read_headers(pair: &Pair, prefix: &str, report: &mut Report) -> Vec<(String, Secret)> {
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
            report.error(header.at, &name, "is no name of a request header");
        }
        headers.extend(read_secret(header, &name, report).map(|s| (header.key.clone(), s)));
    }
    headers
}

/// Gives every source an identifier; reports those written twice, warns of addresses listed twice.
fn settle_ids(read: Vec<Numbered>, report: &mut Report) -> Vec<(At, Source)> {
    let mut taken = HashSet::new();
    for one in read.iter().filter(|n| n.id_at.is_some()) {
        if !taken.insert(one.source.id.0.clone()) {
            let key = format!("source \"{}\": id", one.source.id);
            let at = one.id_at.unwrap_or(one.at);
            report.error(at, &key, "another source has the same id; choose another");
        }
    }
    let mut addresses: HashMap<String, SourceId> = HashMap::new();
    let mut sources = Vec::new();
    for mut one in read {
        let first = addresses.get(one.source.url.as_str()).cloned();
        if let Some(first) = &first {
            let key = format!("source {}", quote(one.source.url.as_str()));
            let kept =
                if one.id_at.is_some() { "it is asked twice" } else { "this one is left out" };
            report.warn(one.at, &key, format!("\"{first}\" has the same address; {kept}"));
            if one.id_at.is_none() {
                continue;
            }
        }
        if one.id_at.is_none() {
            one.source.id = unique_id(&one.source.url, &mut taken);
        }
        addresses.insert(one.source.url.to_string(), one.source.id.clone());
        sources.push((one.at, one.source));
    }
    sources
}

fn line(text: &str) -> Result<String, String> {
    let cleaned = clean(text);
    if cleaned.is_empty() {
        Err("expected a text with letters in it".to_owned())
    } else {
        Ok(cleaned)
    }
}

/// Most levels of a folder.
pub(crate) const DEEPEST_FOLDER: usize = 16;

/// A folder, brought to the form `A/B`.
pub(crate) fn folder(text: &str) -> Result<String, String> {
    let levels: Vec<_> = text.split('/').map(clean).filter(|l| !l.is_empty()).collect();
    match levels.len() {
        0 => Err(format!("expected a folder such as \"Tech/Rust\", found {}", quote(text))),
        n if n > DEEPEST_FOLDER => {
            Err(format!("folders go at most {DEEPEST_FOLDER} deep, found {n} levels"))
        }
        _ => Ok(levels.join("/")),
    }
}

/// A tag: OPML puts commas between tags, so that none can hold one.
pub(crate) fn tag(text: &str) -> Result<String, String> {
    let cleaned = clean(text);
    if cleaned.is_empty() || cleaned.contains(',') {
        return Err(format!("expected a tag without commas, found {}", quote(text)));
    }
    Ok(cleaned)
}

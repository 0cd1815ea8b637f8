//! The settings of sources and views as OPML attributes, in a namespace of their own, so that other readers
//! ignore them. The keys come from the tables of settings, not from a separate list.

use super::export::NAMESPACE;
use super::load::{check_settings, check_sources};
use super::rule::Slot;
use super::schema::VIEW;
use super::setting::{Setting, Shape};
use super::settings::ViewSettings;
use super::source_settings::{LOCAL, SETTINGS, SourceDraft, written};
use crate::model::{Retention, Secret, Source, SourceKind, WebsiteRules};
use crate::util::login::has_secrets;
use std::fmt::Write;
use std::path::Path;
use toml_edit::{InlineTable, Value};

/// Keys that OPML has attributes for.
const PLAIN: &[&str] = &["title", "url", "folder", "tags"];
/// Marks a title that is the feed's, not the user's own, and is only exported for other readers.
pub(super) const OWN_TITLE: &str = "own-title";
/// Keys that may contain or name secrets. They are neither exported, because that would publish them, nor
/// imported, because that could run commands or send the user's secrets to a server.
const SECRET: &[&str] = &["user", "password"];
/// Headers without secrets.
const PUBLIC_HEADERS: [&str; 5] =
    ["accept", "accept-language", "cache-control", "referer", "user-agent"];

/// A setting by its key, as the text of an attribute.
pub(super) type Attribute = (String, String);

/// The settings of a source that differ from the defaults, and whether some are left out because they may be
/// secret.
pub(super) fn of_source(source: &Source) -> (Vec<Attribute>, bool) {
    let (mut draft, mut default) = (SourceDraft::from(source), SourceDraft::default());
    let mut attributes = vec![("id".to_owned(), source.id.0.clone())];
    let mut secret = source.access.auth.is_some();
    if source.retention == Some(Retention::default()) {
        attributes.push(("retention".to_owned(), String::new()));
    }
    for setting in SETTINGS {
        if PLAIN.contains(&setting.key) || is_withheld(setting.key) {
            continue;
        }
        let text = attribute(setting, &mut draft, &mut secret);
        if let Some(text) =
            text.filter(|t| Some(t) != attribute(setting, &mut default, &mut false).as_ref())
        {
            attributes.push((setting.key.to_owned(), text));
        }
    }
    (attributes, secret)
}

/// Whether a key is neither exported nor imported.
fn is_withheld(key: &str) -> bool {
    SECRET.contains(&key) || LOCAL.contains(&key)
}

/// The value of a setting as text; `secret` is set if a part of it is left out.
fn attribute(
    setting: &Setting<SourceDraft>,
    draft: &mut SourceDraft,
    secret: &mut bool,
) -> Option<String> {
    if let Slot::Headers(headers) = (setting.slot)(draft) {
        let mut lines = String::new();
        for (name, value) in headers.iter() {
            match value {
                Secret::Plain(value) if is_public(name) => {
                    let _ = writeln!(lines, "{name}: {value}");
                }
                _ => *secret = true,
            }
        }
        return (!lines.is_empty()).then_some(lines);
    }
    let text = text_of(&written((setting.slot)(draft))?);
    if setting.key == "proxy" && has_secrets(&text) {
        *secret = true;
        return None;
    }
    Some(text)
}

fn is_public(header: &str) -> bool {
    PUBLIC_HEADERS.contains(&header.to_ascii_lowercase().as_str())
}

/// A value as the user types it: text without quotation marks, words separated by commas.
fn text_of(value: &Value) -> String {
    match value {
        Value::Array(words) => words.iter().map(text_of).collect::<Vec<_>>().join(", "),
        value => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}

/// The attributes of a view.
pub(super) fn of_view(view: &ViewSettings) -> Vec<Attribute> {
    let mut view = view.clone();
    let attribute = |setting: &Setting<ViewSettings>| {
        Some((setting.key.to_owned(), text_of(&written((setting.slot)(&mut view))?)))
    };
    VIEW.iter().filter_map(attribute).collect()
}

/// The source that the attributes of an imported outline describe.
pub(super) struct Configured {
    pub(super) source: Source,
    /// The settings that are not imported, and why.
    pub(super) left_out: Vec<Attribute>,
}

/// Applies the attributes to a source; the loader checks them. An invalid kind, or an invalid setting that
/// the kind requires, is an error.
pub(super) fn configure(source: Source, attributes: &[Attribute]) -> Result<Configured, String> {
    let is_list = |(key, text): &Attribute| key == "kind" && text.trim() == SourceKind::List.name();
    if attributes.iter().any(is_list) {
        return Err("a list is not imported; `newsfed import --follow` follows it".to_owned());
    }
    let mut left_out = Vec::new();
    let mut values: Vec<(&str, Value)> = Vec::new();
    for (key, text) in attributes {
        match value_of(key, text) {
            Ok(value) => values.push((key, value)),
            Err(why) => left_out.push((key.clone(), why)),
        }
    }
    // The export leaves out selectors that are the defaults, but the loader requires them.
    let is_website =
        |(key, text): &Attribute| key == "kind" && text.trim() == SourceKind::Website.name();
    if attributes.iter().any(is_website) {
        let usual =
            [("website.title", WebsiteRules::TITLE), ("website.content", WebsiteRules::CONTENT)];
        for (key, selector) in usual {
            if !attributes.iter().any(|(known, _)| known == key) {
                values.push((key, selector.into()));
            }
        }
    }
    // `retention` together with one of its keys would define the table twice.
    if values.iter().any(|(key, _)| key.starts_with("retention.")) {
        values.retain(|(key, _)| *key != "retention");
    }
    loop {
        let mut entry = format!("[[source]]\nurl = {}\n", Value::from(source.url.as_str()));
        for (key, value) in &values {
            let _ = writeln!(entry, "{key} = {value}");
        }
        let errors = match check_sources(Path::new(""), &entry) {
            Ok((read, _)) => {
                let Some((_, read)) = read.into_iter().next() else {
                    return Err("the entry cannot be read".to_owned());
                };
                return Ok(Configured { source: with_plain(read, source, &values), left_out });
            }
            Err(errors) => errors.errors,
        };
        let mut removed = false;
        for error in &errors {
            let key = error.key.rsplit_once(": ").map_or(error.key.as_str(), |(_, key)| key);
            // Without its kind it would be a different source, so an invalid kind is an error.
            let at = values.iter().position(|(known, _)| *known == key && key != "kind");
            if let Some(at) = at {
                left_out.push((values.remove(at).0.to_owned(), error.message.clone()));
                removed = true;
            }
        }
        if !removed {
            let first = errors.first().map(|e| format!("{}: {}", e.key, e.message));
            return Err(first.unwrap_or_default());
        }
    }
}

/// The settings that were read, with the plain attributes of the outline. A source without an id of its own
/// keeps the derived one.
fn with_plain(read: Source, outline: Source, values: &[(&str, Value)]) -> Source {
    let has_id = values.iter().any(|(key, _)| *key == "id");
    let mut access = read.access;
    access.auth = outline.access.auth;
    Source {
        id: if has_id { read.id } else { outline.id },
        url: outline.url,
        title: outline.title,
        folder: outline.folder,
        tags: outline.tags,
        access,
        ..read
    }
}

/// The value of an attribute, not checked yet.
fn value_of(key: &str, text: &str) -> Result<Value, String> {
    match key {
        "id" => return Ok(text.into()),
        "retention" => return Ok(Value::InlineTable(InlineTable::new())),
        "headers" => return headers(text),
        key if LOCAL.contains(&key) => {
            return Err("programs and files are never imported; set this one yourself".to_owned());
        }
        key if SECRET.contains(&key) => {
            return Err("passwords are never imported; set this one yourself".to_owned());
        }
        _ => {}
    }
    let setting = SETTINGS.iter().find(|s| s.key == key && !PLAIN.contains(&key));
    let Some(setting) = setting else { return Err("unknown setting".to_owned()) };
    typed(setting.shape(&mut SourceDraft::default()), text)
}

/// Converts text to a value of this shape. Unlike the form, it does not trim spaces.
fn typed(shape: Shape, text: &str) -> Result<Value, String> {
    match shape {
        Shape::Text => Ok(text.into()),
        Shape::Number | Shape::Flag | Shape::Words => {
            shape.value(text).ok_or_else(|| "empty".to_owned())
        }
        // These values could run a program.
        Shape::Command | Shape::Secret | Shape::NewHeader => {
            Err("commands and secrets are never imported".to_owned())
        }
    }
}

fn headers(text: &str) -> Result<Value, String> {
    let mut table = InlineTable::new();
    for line in text.lines() {
        let (name, value) = line.split_once(": ").unwrap_or((line, ""));
        if !is_public(name) {
            return Err(format!("the header {name} may be secret; set it yourself"));
        }
        table.insert(name, value.into());
    }
    Ok(Value::InlineTable(table))
}

/// The view described by the attributes, checked by the loader.
pub(super) fn view(attributes: &[Attribute]) -> Result<ViewSettings, String> {
    let mut entry = "[[view]]\n".to_owned();
    for (key, text) in attributes {
        let Some(setting) = VIEW.iter().find(|setting| setting.key == key) else {
            return Err(format!("unknown setting {key}"));
        };
        let value = typed(setting.shape(&mut ViewSettings::default()), text)?;
        let _ = writeln!(entry, "{key} = {value}");
    }
    match check_settings(Path::new(""), &entry, &[]) {
        Ok((settings, warnings)) => match (settings.views.into_iter().next(), warnings.first()) {
            (_, Some(warning)) => Err(warning.message.clone()),
            (Some(view), None) => Ok(view),
            (None, None) => Err("the view is empty".to_owned()),
        },
        Err(errors) => Err(errors
            .errors
            .first()
            .map(|e| format!("{}: {}", e.key, e.message))
            .unwrap_or_default()),
    }
}

/// The prefix that a declaration such as `xmlns:newsfed="…"` gives to the namespace.
pub(super) fn prefix_of(declaration: &str, value: &str) -> Option<String> {
    let prefix = declaration.strip_prefix("xmlns:")?;
    (value == NAMESPACE).then(|| format!("{prefix}:"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::source_keys;

    #[test]
    fn every_key_of_a_source_is_exported_or_a_secret() {
        let full = "[[source]]\nid = \"full\"\nurl = \"https://e.example/\"\nkind = \"website\"\n\
            title = \"T\"\nfolder = \"F\"\ntags = [\"t\"]\nenabled = false\nfull_text = \"all\"\n\
            color = 3\nremove_after = 30\ninterval = \"2h\"\nuser = \"u\"\npassword = \"p\"\n\
            proxy = \"socks5://localhost:9050\"\nprivate = true\n\
            retention = { days = 3, items = 4, unread = true }\n\
            schedule = { policy = \"fixed\", min_interval = \"10m\", max_interval = \"1d\",\n\
            quiet_hours = \"23:00-07:00\", priority = \"high\", polls_per_day = 3.5,\n\
            change_rate_smoothing = 0.1, change_rate_gain = 0.1, change_rate_target = 0.1,\n\
            advarss_tick = \"9m\", advarss_cap = 9, learned_exponent = 0.1, learned_silence = 2.5 }\n\
            website.articles = \"h2 a\"\nwebsite.next = \".next\"\nwebsite.max_pages = 3\n\
            website.title = \" h1 \"\nwebsite.content = \"main\\n> p\"\nwebsite.author = \".a\"\n\
            website.date = \"time\"\nwebsite.date_format = \"2 January 2006\"\nwebsite.delay = \"3s\"\n\
            headers = { User-Agent = \"x\", X-Key = \"k\", Accept = { env = \"A\" } }\n";
        let (read, _) = check_sources(Path::new("full"), full).unwrap();
        let source = &read[0].1;
        let (attributes, secret) = of_source(source);
        assert!(secret);
        for key in source_keys() {
            // The source is a website, which has no targets.
            let expected = !PLAIN.contains(&key) && !is_withheld(key) && key != "website.targets";
            assert_eq!(attributes.iter().any(|(known, _)| known == key), expected, "{key}");
        }
        let text = format!("{attributes:?}");
        assert!(!text.contains("X-Key") && !text.contains("env"), "{text}");
        let mut outline = source.clone();
        outline.access.auth = None;
        let back = configure(outline.clone(), &attributes).unwrap();
        outline.access.headers.truncate(1);
        assert_eq!((back.source, back.left_out), (outline, vec![]));
    }

    #[test]
    fn leaves_out_invalid_unknown_and_harmful_settings() {
        let plain = || {
            Source::feed(crate::model::SourceId("s".into()), "https://e.example/".parse().unwrap())
        };
        let cases = [
            (("interval", "soon"), "expected a time"),
            (("color", "9"), "from 1 to 8"),
            (("retention.days", "x = 1"), "expected a whole number"),
            (("id", "no spaces"), ""),
            (("password", "command:touch x"), "passwords are never imported"),
            (("user", "u"), "passwords are never imported"),
            (("exec", "touch x"), "programs and files are never imported"),
            (("filter", "touch x"), "programs and files are never imported"),
            (("file", "/etc/passwd"), "programs and files are never imported"),
            (("mail", "/var/mail/x"), "programs and files are never imported"),
            (("limit", "1s"), "programs and files are never imported"),
            (("headers", "Cookie: a=b"), "Cookie may be secret"),
            (("headers", "Accept\u{1}: x"), "may be secret"),
            (("nothing", "x"), "unknown setting"),
            (("url", "https://other.example/"), "unknown setting"),
            (("proxy", "nowhere"), "expected"),
        ];
        for ((key, text), part) in cases {
            let found = configure(plain(), &[(key.to_owned(), text.to_owned())]).unwrap();
            assert_eq!(found.source, plain(), "{key}");
            assert!(
                found.left_out.len() == 1 && found.left_out[0].1.contains(part),
                "{:?}",
                found.left_out
            );
        }
        for (key, text) in [("kind", "exec"), ("kind", "website"), ("website.title", "h1")] {
            assert!(configure(plain(), &[(key.to_owned(), text.to_owned())]).is_err(), "{text}");
        }
    }

    #[test]
    fn every_key_of_a_view_is_exported_and_imported() {
        let full = "[[view]]\nname = \"V\"\nquery = \"is:unread \\\"a b\\\"\"\nsort = \"oldest\"\n\
            list = \"magazine\"\ndates = \"time\"\ngroup = \"none\"\ncolumns = [\"source\", \"date\"]\n";
        let (settings, _) = check_settings(Path::new("full"), full, &[]).unwrap();
        let attributes = of_view(&settings.views[0]);
        assert_eq!(attributes.len(), VIEW.len());
        assert_eq!(view(&attributes).unwrap(), settings.views[0]);
    }
}

//! Follows programs, files and filtered feeds. They can only come from text that the user typed, never from
//! the discovery of URLs, imports, accounts or apps.

use super::discover::Fetched;
use super::follow::FollowError;
use super::handle::Handle;
use super::local::{self, LocalError};
use super::message::{Discovery, TimedResponse, Typed};
use super::ways::feed_way;
use crate::config::{Paths, path_url};
use crate::discover::DocumentKind;
use crate::feed;
use crate::model::{Origin, Source, SourceId, exec_url};
use crate::net::Response;
use crate::util::text;
use crate::util::url::{self as address, WebAddress};

/// A program, a file or a filtered feed that the user typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedOrigin {
    pub origin: Origin,
    /// The URL of a filtered feed, otherwise empty.
    pub url: String,
}

impl TypedOrigin {
    /// Parses `exec:PROGRAM ARGUMENTS`, `filter:PROGRAM ARGUMENTS:URL`, `mail:PATH`, a `file:` URL or a path.
    /// `None` if the text is none of these.
    ///
    /// # Errors
    /// Returns a message if a part is missing.
    pub fn parse(text: &str) -> Option<Result<Self, String>> {
        let text = text.trim();
        let after = |scheme: &str| {
            let start = text.get(..scheme.len())?;
            start.eq_ignore_ascii_case(scheme).then(|| text[scheme.len()..].trim())
        };
        if let Some(command) = after("exec:") {
            return Some(Self::exec(command));
        }
        if let Some(rest) = after("filter:") {
            return Some(Self::filter(rest));
        }
        if let Some(path) = after("mail:") {
            let is_path = path.starts_with('/') || path.starts_with("~/");
            let expected = || "expected \"mail:\" and the path of a Maildir or mbox".to_owned();
            return Some(is_path.then(|| Self::mail(path, None)).ok_or_else(expected));
        }
        if after("file:").is_some() {
            let path = url::Url::parse(text).ok().and_then(|url| url.to_file_path().ok());
            let path =
                path.ok_or_else(|| "expected a URL such as file:///home/me/feed.xml".to_owned());
            return Some(path.map(|path| Self::file(&path.to_string_lossy())));
        }
        let is_path = text.starts_with("~/") || text.starts_with('/') && !text.starts_with("//");
        is_path.then(|| Ok(Self::file(text)))
    }

    fn exec(command: &str) -> Result<Self, String> {
        let exec = split(command)?;
        Ok(Self { origin: Origin { exec, ..Origin::default() }, url: String::new() })
    }

    fn filter(rest: &str) -> Result<Self, String> {
        let at = ["http://", "https://"]
            .iter()
            .filter_map(|scheme| rest.find(&format!(":{scheme}")))
            .min();
        let Some(at) = at else {
            return Err("expected filter:PROGRAM ARGUMENTS:https://…".to_owned());
        };
        let filter = split(&rest[..at])?;
        let origin = Origin { filter, ..Origin::default() };
        Ok(Self { origin, url: rest[at + 1..].to_owned() })
    }

    /// A mailbox, with its path as typed, and the sender of the emails.
    pub fn mail(path: &str, from: Option<String>) -> Self {
        let origin = Origin { mail: Some(path.to_owned()), from, ..Origin::default() };
        Self { origin, url: String::new() }
    }

    /// A file, with its path as typed.
    pub fn file(path: &str) -> Self {
        let origin = Origin { file: Some(path.to_owned()), ..Origin::default() };
        Self { origin, url: String::new() }
    }
}

/// Splits a command as a shell would, without using one.
fn split(command: &str) -> Result<Vec<String>, String> {
    let argv = shlex::split(command).ok_or("a quotation mark is not closed")?;
    match argv.first() {
        Some(program) if !program.is_empty() => Ok(argv),
        _ => Err("no program is given".to_owned()),
    }
}

impl From<LocalError> for FollowError {
    fn from(error: LocalError) -> Self {
        Self::Local(error.message)
    }
}

impl Handle {
    /// Runs a program or reads a file that the user typed, and parses the feed. Nothing is added. Drop the
    /// future to stop the program.
    ///
    /// # Errors
    /// If the program fails, the file cannot be read, or the result is not a feed.
    pub async fn discover_origin(&self, typed: TypedOrigin) -> Result<Discovery, FollowError> {
        let TypedOrigin { mut origin, url } = typed;
        if !origin.filter.is_empty() {
            return self.discover_filtered(origin, &url).await;
        }
        // A folder can only be a mailbox.
        let folder = origin.file.as_deref().and_then(Paths::expanded);
        if let Some(folder) = folder
            && tokio::fs::metadata(folder).await.is_ok_and(|about| about.is_dir())
        {
            origin.mail = origin.file.take();
        }
        let url = match origin.path() {
            Some(path) => path_url(path, origin.from.as_deref()).map_err(FollowError::Local)?,
            None => exec_url(&origin.exec)
                .ok_or_else(|| FollowError::Local("no program is given".to_owned()))?,
        };
        let web = WebAddress { url: url.clone(), user: None, password: None, assumed: false };
        let at = self.now();
        let mut source = Source::feed(SourceId(String::new()), url.clone());
        source.origin = origin.clone();
        let (mut response, notes) = local::read(&self.context, &source, None).await?;
        response.memory = None;
        let bytes = response.body.len();
        let parse = move || {
            let feed = feed::parse_followed(&response.body, None, Some(&response.final_url));
            (feed.map_err(|e| text::line(&e.to_string())), response)
        };
        let parsed = self.context.read_document(bytes, parse).await;
        let (feed, response) = parsed.ok_or(crate::store::StoreError::Closed)?;
        let feed = feed.map_err(|why| FollowError::Local(no_feed(&origin, &why)))?;
        let typed = Box::new(Typed { web, private: false, origin });
        let mut found = Discovery {
            address: url.clone(),
            ways: Vec::new(),
            tried: Vec::new(),
            listener: None,
            typed,
        };
        found.ways.push(feed_way(url, feed, TimedResponse { response, at }, 1.0));
        notes.into_iter().for_each(|note| found.report(note));
        Ok(found)
    }

    /// Passes the fetched document through the typed filter, if there is one.
    pub(super) async fn filter_typed(
        &self,
        typed: &Typed,
        response: Response,
    ) -> Result<Response, FollowError> {
        let mut source = Source::feed(SourceId(String::new()), typed.web.url.clone());
        source.origin = typed.origin.clone();
        Ok(local::filtered(&self.context, &source, response, None).await?)
    }

    async fn discover_filtered(&self, origin: Origin, url: &str) -> Result<Discovery, FollowError> {
        let mut typed = Typed { web: address::parse_web(url)?, private: false, origin };
        let Fetched { found, response, .. } = self.fetch_name(&mut typed).await?;
        let url = typed.web.url.clone();
        let DocumentKind::Feed(feed) = found else {
            return Err(FollowError::Local(no_feed(
                &typed.origin,
                "what it printed is not a feed",
            )));
        };
        let mut found = Discovery {
            address: url.clone(),
            ways: Vec::new(),
            tried: Vec::new(),
            listener: None,
            typed: Box::new(typed),
        };
        found.ways.push(feed_way(url, *feed, response, 1.0));
        Ok(found)
    }
}

/// Why the output of a program, or the content of a file, is not a feed.
fn no_feed(origin: &Origin, why: &str) -> String {
    let from = origin.program().first().map(String::as_str).or(origin.path()).unwrap_or_default();
    format!("{}: {why}", text::line(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_typed_programs_and_files() {
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let exec = |words: &[&str]| Origin { exec: argv(words), ..Origin::default() };
        let filter = |words: &[&str]| Origin { filter: argv(words), ..Origin::default() };
        let file = |path: &str| TypedOrigin::file(path).origin;
        for (text, origin, url) in [
            ("exec:~/bin/x a 'b c'", exec(&["~/bin/x", "a", "b c"]), ""),
            ("EXEC: x; $(y)", exec(&["x;", "$(y)"]), ""),
            (
                "filter:x -u http:https://e.example/a:b",
                filter(&["x", "-u", "http"]),
                "https://e.example/a:b",
            ),
            ("filter:~/x y:http://e.example/", filter(&["~/x", "y"]), "http://e.example/"),
            ("file:///home/a%20b/x.xml", file("/home/a b/x.xml"), ""),
            ("~/x.xml", file("~/x.xml"), ""),
            ("mail:~/Mail/x", TypedOrigin::mail("~/Mail/x", None).origin, ""),
            (" /x y.xml ", file("/x y.xml"), ""),
        ] {
            let read = TypedOrigin::parse(text).unwrap().unwrap();
            assert_eq!((read.origin, read.url.as_str()), (origin, url), "{text}");
        }
        for text in
            ["exec:", "exec:'x", "mail:x", "exec:'' y", "filter:x", "filter::https://e.example/"]
        {
            assert!(TypedOrigin::parse(text).unwrap().is_err(), "{text}");
        }
        for text in
            ["https://e.example/exec:x", "e.example", "//e.example/", "executor.example", ""]
        {
            assert_eq!(TypedOrigin::parse(text), None, "{text}");
        }
    }
}

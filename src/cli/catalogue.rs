//! The declared sources with their facts, and lookup of sources by name.

use super::exit::Failure;
use super::home::Home;
use crate::config::{ViewSettings, did_you_mean};
use crate::engine::Handle;
use crate::model::{BriefFacts, Source, SourceFacts, SourceId};
use crate::query::{NamedSource, Query, unknown_name};
use crate::store::{Reader, SourceOrder, Store};
use crate::util::{clock::Clock, clock::SystemClock, text};
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) source: Arc<Source>,
    pub(super) facts: BriefFacts,
}

/// A source with all stored facts.
pub(super) struct FullEntry {
    pub(super) source: Arc<Source>,
    pub(super) facts: SourceFacts,
}

impl FullEntry {
    pub(super) fn title(&self) -> &str {
        self.facts.title(&self.source)
    }
}

impl Entry {
    pub(super) fn title(&self) -> &str {
        self.facts.title(&self.source)
    }
}

impl Entry {
    fn has_in_title(&self, part: &str) -> bool {
        text::comparable(self.title()).contains(part)
    }

    /// Whether the host and port contain a text. Sources with the same title are shown with their ports.
    fn has_in_host(&self, part: &str) -> bool {
        let url = &self.source.url;
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        url.host_str().is_some_and(|host| format!("{host}{port}").contains(part))
    }
}

/// Maximum number of sources named in an error.
const NAMED: usize = 5;

/// The error for a name that could mean several sources.
fn ambiguous(word: &str, several: &[&Entry]) -> Failure {
    let named = |e: &&Entry| match (e.source.id.as_str(), e.title()) {
        (id, title) if id == title => id.to_owned(),
        (id, title) => format!("{id}: {}", text::line(title)),
    };
    let names: Vec<String> = several.iter().take(NAMED).map(named).collect();
    Failure::Plain(format!(
        "\"{}\" matches {} sources ({}{}); give the full id",
        text::line(word),
        several.len(),
        names.join(", "),
        if several.len() > names.len() { ", …" } else { "" }
    ))
}

/// All sources, in file order.
pub(super) struct Catalogue {
    pub(super) entries: Vec<Entry>,
    /// Tags of the items, without the tags of their sources.
    pub(super) item_tags: Vec<String>,
    pub(super) views: Vec<ViewSettings>,
}

impl Catalogue {
    /// Updates the database to match the declared sources, and reads the facts of the sources.
    pub(super) fn read(home: &Home, store: &Store) -> Result<Self, Failure> {
        let (reader, now) = (store.reader()?, SystemClock.now());
        let facts = match reader.settled_sources(home.declared(), now)? {
            Some(facts) => facts,
            None => match store.reconcile_blocking(home.declared().cloned().collect(), now) {
                // With a read-only database, the sources can still be shown.
                Err(e) if e.leaves_reading() => reader.brief_sources()?,
                other => other?.into_iter().map(BriefFacts::from).collect(),
            },
        };
        let item_tags = reader.item_tags()?;
        store.keep(reader);
        let views = home.settings.views.clone();
        Ok(Self { item_tags, views, ..Self::join(home.sources.iter().cloned(), facts) })
    }

    /// The title of a source, or its id if it is not declared any more.
    pub(super) fn title_of<'a>(&'a self, id: &'a SourceId) -> &'a str {
        let found = self.entries.iter().find(|entry| entry.source.id == *id);
        found.map_or(id.as_str(), Entry::title)
    }

    /// Returns an error if a query contains an unknown name. An unused tag is not an error, because the tags
    /// of items and sources come and go.
    pub(super) fn check_names(&self, query: &Query) -> Result<(), Failure> {
        match unknown_name(query, self.known(), &self.item_tags) {
            Some(unknown) if !unknown.is_tag => Err(Failure::Plain(unknown.message)),
            _ => Ok(()),
        }
    }

    /// The given sources with all stored facts.
    pub(super) fn full<'a>(
        entries: impl IntoIterator<Item = &'a Entry>,
        reader: &Reader,
    ) -> Result<Vec<FullEntry>, Failure> {
        let facts = reader.sources()?.into_iter();
        let mut facts: HashMap<i64, SourceFacts> = facts.map(|facts| (facts.key, facts)).collect();
        let full = entries.into_iter().filter_map(|entry| {
            let facts = facts.remove(&entry.facts.key)?;
            Some(FullEntry { source: entry.source.clone(), facts })
        });
        Ok(full.collect())
    }

    /// The order of the sources in lists that are grouped by source.
    pub(super) fn order(&self) -> SourceOrder {
        SourceOrder::new(self.entries.iter().map(|e| (e.source.folder.as_deref(), e.facts.key)))
    }

    /// The sources of a running engine.
    pub(super) async fn of(handle: &Handle) -> Result<Self, Failure> {
        let declared = handle.declared().borrow().clone();
        Ok(Self::join(declared.iter().cloned(), handle.brief_sources().await?))
    }

    pub(super) fn join(
        sources: impl IntoIterator<Item = Arc<Source>>,
        facts: impl IntoIterator<Item = impl Into<BriefFacts>>,
    ) -> Self {
        let facts: Vec<BriefFacts> = facts.into_iter().map(Into::into).collect();
        let sources: Vec<Arc<Source>> = sources.into_iter().collect();
        let by_id: HashMap<&SourceId, usize> =
            facts.iter().enumerate().map(|(place, f)| (&f.id, place)).collect();
        let places: Vec<Option<usize>> =
            sources.iter().map(|source| by_id.get(&source.id).copied()).collect();
        let mut facts: Vec<Option<BriefFacts>> = facts.into_iter().map(Some).collect();
        let mut entries = Vec::with_capacity(facts.len());
        entries.extend(sources.into_iter().zip(places).filter_map(|(source, place)| {
            let facts = facts.get_mut(place?)?.take()?;
            Some(Entry { source, facts })
        }));
        let mut collected: Vec<BriefFacts> = facts.into_iter().flatten().collect();
        collected.sort_by(|a, b| a.id.cmp(&b.id));
        entries.extend(collected.into_iter().filter_map(|facts| {
            let source = Arc::new(facts.collected_source()?);
            Some(Entry { source, facts })
        }));
        Self { entries, item_tags: vec![], views: vec![] }
    }

    /// The view with a name (case-insensitive).
    ///
    /// # Errors
    /// When there is none. Suggests similar names.
    pub(super) fn view_named(&self, name: &str) -> Result<&ViewSettings, Failure> {
        let comparable = text::comparable(name);
        let view = self.views.iter().find(|view| text::comparable(&view.name) == comparable);
        view.ok_or_else(|| {
            let hint = did_you_mean(name, self.views.iter().map(|view| view.name.as_str()));
            let name = text::line(name);
            Failure::Plain(format!("there is no view \"{name}\"{hint}; `newsfed views` lists them"))
        })
    }

    /// The source with an id, title or URL, or with an unambiguous prefix of its id or part of its title or
    /// host.
    ///
    /// # Errors
    /// When there is none, or there are several. Suggests similar names.
    pub(super) fn find(&self, word: &str) -> Result<&Entry, Failure> {
        let is = |test: &dyn Fn(&Entry) -> bool| -> Vec<&Entry> {
            self.entries.iter().filter(|e| test(e)).collect()
        };
        let typed = crate::util::url::parse_web(word).ok().map(|web| web.url.to_string());
        let moved = |e: &Entry| e.facts.moved_to.as_deref() == typed.as_deref();
        let part = text::comparable(word);
        let tests: [&dyn Fn(&Entry) -> bool; 7] = [
            &|e| e.source.id.as_str() == word,
            &|e| e.title() == word || e.source.title.as_deref() == Some(word),
            &|e| e.source.url.as_str() == word || Some(e.source.url.as_str()) == typed.as_deref(),
            &|e| typed.is_some() && moved(e),
            &|e| !word.is_empty() && e.source.id.as_str().starts_with(word),
            &|e| !part.is_empty() && text::comparable(e.title()) == part,
            &|e| !part.is_empty() && (e.has_in_title(&part) || e.has_in_host(&part)),
        ];
        for test in tests {
            match is(test).as_slice() {
                [] => {}
                [one] => return Ok(one),
                several => return Err(ambiguous(word, several)),
            }
        }
        Err(self.unknown(word))
    }

    /// The sources with these names, without duplicates.
    pub(super) fn find_all(&self, words: &[String]) -> Result<Vec<&Entry>, Failure> {
        let mut found: Vec<&Entry> = Vec::new();
        for word in words {
            let entry = self.find(word)?;
            if !found.iter().any(|e| e.facts.key == entry.facts.key) {
                found.push(entry);
            }
        }
        Ok(found)
    }

    fn unknown(&self, word: &str) -> Failure {
        let ids = self.entries.iter().map(|e| e.source.id.as_str());
        let titles = self.entries.iter().map(Entry::title);
        // There may be a typo in one word of a long title.
        let words = titles.clone().flat_map(|title| title.split_whitespace());
        let hint = did_you_mean(word, ids.chain(titles).chain(words));
        let list = if self.entries.is_empty() {
            "; there are no sources yet: `newsfed add URL` adds one"
        } else if hint.is_empty() {
            "; `newsfed sources` lists them"
        } else {
            ""
        };
        Failure::Plain(format!("there is no source \"{}\"{hint}{list}", text::line(word)))
    }

    /// The sources in the form that queries need.
    pub(super) fn known(&self) -> impl Iterator<Item = NamedSource<'_>> + Clone {
        self.entries.iter().map(|e| NamedSource {
            key: e.facts.key,
            source: &e.source,
            title: e.title(),
        })
    }

    pub(super) fn by_key(&self) -> HashMap<i64, &Entry> {
        self.entries.iter().map(|e| (e.facts.key, e)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        let entry = |key: i64, id: &str, title: Option<&str>, folder: Option<&str>| {
            let port = if id == "council" { ":9751" } else { "" };
            let url = format!("https://{id}.example{port}/feed").parse().unwrap();
            let mut source = Source::feed(SourceId(id.to_owned()), url);
            source.title = title.map(str::to_owned);
            source.folder = folder.map(str::to_owned);
            let facts = SourceFacts::new(key, source.id.clone(), source.url.to_string());
            Entry { source: Arc::new(source), facts: facts.into() }
        };
        Catalogue {
            entries: vec![
                entry(1, "kernel", Some("The Kernel"), Some("Tech")),
                entry(2, "kernel-notes", None, Some("Tech/Linux")),
                entry(3, "council", Some("Council"), None),
            ],
            item_tags: vec![],
            views: vec![],
        }
    }

    #[test]
    fn finds_sources_by_id_title_and_url() {
        let catalogue = catalogue();
        let cases = [
            ("kernel", Ok(1)),
            ("kernel-", Ok(2)),
            ("The Kernel", Ok(1)),
            ("https://council.example:9751/feed", Ok(3)),
            ("council.example:9751/feed", Ok(3)),
            ("9751", Ok(3)),
            (":9751", Ok(3)),
            ("cou", Ok(3)),
            (
                "k",
                Err(
                    "2 sources (kernel: The Kernel, kernel-notes: kernel-notes.example/feed); give",
                ),
            ),
            ("the kernel", Ok(1)),
            ("KERN", Err("\"KERN\" matches 2 sources")),
            ("the", Ok(1)),
            ("notes", Ok(2)),
            ("l.example", Err("matches 2 sources (kernel: The Kernel, council: Council)")),
            ("council.example", Ok(3)),
            ("kernal", Err("did you mean \"kernel\"?")),
            ("cuoncil", Err("did you mean \"council\"?")),
            ("zzzzzz", Err("`newsfed sources` lists them")),
            ("", Err("there is no source")),
            ("x\u{1b}[2J", Err("there is no source \"x\"")),
        ];
        for (word, expected) in cases {
            match (catalogue.find(word), expected) {
                (Ok(entry), Ok(key)) => assert_eq!(entry.facts.key, key, "{word}"),
                (Err(e), Err(part)) => assert!(e.to_string().contains(part), "{word}: {e}"),
                (Ok(e), Err(_)) => panic!("{word} is {}", e.source.id),
                (Err(e), Ok(_)) => panic!("{word}: {e}"),
            }
        }
    }
}

//! Selects the sources that match a name in a search.

use super::{Named, Query, What};
use crate::model::Source;
use crate::util::near::did_you_mean;
use crate::util::text::{comparable, line as clean};
use std::cell::OnceCell;

/// A source that can be selected by name.
#[derive(Debug, Clone, Copy)]
pub struct NamedSource<'a> {
    pub key: i64,
    pub source: &'a Source,
    /// Its title in the list.
    pub title: &'a str,
}

/// Row keys of the sources that a name selects; see [`Directory::resolve`].
pub fn resolve<'a>(named: &Named, all: impl Iterator<Item = NamedSource<'a>> + Clone) -> Vec<i64> {
    Directory::new(all).resolve(named)
}

/// Sources for looking up many names: each name of a source is normalised only once.
#[derive(Debug)]
pub struct Directory<I> {
    all: I,
    sources: OnceCell<Vec<(i64, String)>>,
    folders: OnceCell<Vec<(i64, String)>>,
    tags: OnceCell<Vec<(i64, String)>>,
}

impl<'a, I: Iterator<Item = NamedSource<'a>> + Clone> Directory<I> {
    pub fn new(all: I) -> Self {
        let [sources, folders, tags] = Default::default();
        Self { all, sources, folders, tags }
    }

    /// Row keys of the sources that a name selects, ignoring case: those with an equal name (a folder
    /// includes its subfolders), or if there are none, those whose name contains it.
    pub fn resolve(&self, named: &Named) -> Vec<i64> {
        let cell = match named {
            Named::Source(_) => &self.sources,
            Named::Folder(_) => &self.folders,
            Named::Tag(_) => &self.tags,
        };
        let all = cell.get_or_init(|| {
            let of =
                |known: NamedSource<'a>| names(named, &known).map(move |n| (known.key, plain(n)));
            self.all.clone().flat_map(of).collect()
        });
        let wanted = plain(named.name());
        let below = format!("{wanted}/");
        let keys = |test: &dyn Fn(&str) -> bool| -> Vec<i64> {
            let fitting = all.iter().filter(|(_, name)| test(name)).map(|(key, _)| *key);
            let mut keys: Vec<i64> = fitting.collect();
            keys.dedup();
            keys
        };
        let in_folder = matches!(named, Named::Folder(_));
        let equal = keys(&|n| n == wanted || in_folder && n.starts_with(&below));
        if equal.is_empty() && !wanted.is_empty() { keys(&|n| n.contains(&wanted)) } else { equal }
    }
}

/// Normalises a name for comparison. Quotation marks become spaces, because a query cannot contain them.
fn plain(name: &str) -> String {
    comparable(&name.replace('"', " "))
}

/// The names of a source that are compared with a name of this kind.
fn names<'a>(named: &Named, known: &NamedSource<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let source = known.source;
    let (own, folder, tags): (Vec<&str>, Option<&str>, &[String]) = match named {
        Named::Source(_) => (vec![source.id.as_str(), known.title], None, &[]),
        Named::Folder(_) => (vec![], source.folder.as_deref(), &[]),
        Named::Tag(_) => (vec![], None, &source.tags),
    };
    own.into_iter().chain(folder).chain(tags.iter().map(String::as_str))
}

/// A name in a query that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    pub message: String,
    pub is_tag: bool,
}

/// An error message for the first name in a query that selects no source and is not one of the items'
/// own tags.
pub fn unknown_name<'a>(
    query: &Query,
    all: impl Iterator<Item = NamedSource<'a>> + Clone,
    own_tags: &'a [String],
) -> Option<Unknown> {
    let named = query.all_terms().filter_map(|term| match &term.what {
        What::Of(named) => Some(named),
        _ => None,
    });
    let tagged = |named: &Named| match named {
        Named::Tag(tag) => own_tags.iter().any(|own| plain(own) == plain(tag)),
        _ => false,
    };
    let is_unknown = |named: &&Named| !tagged(named) && resolve(named, all.clone()).is_empty();
    // Names that are an error take precedence over tags.
    let unknown: Vec<&Named> = named.filter(is_unknown).collect();
    let is_tag = |named: &&&Named| matches!(named, Named::Tag(_));
    let unknown = *unknown.iter().find(|named| !is_tag(named)).or(unknown.first())?;
    let own = own_tags.iter().filter(|_| matches!(unknown, Named::Tag(_))).map(String::as_str);
    let known: Vec<&str> = all.flat_map(|known| names(unknown, &known)).chain(own).collect();
    let hint = did_you_mean(unknown.name(), known);
    let name = clean(unknown.name());
    let message = match unknown {
        Named::Source(_) => format!("there is no source \"{name}\"{hint}"),
        Named::Tag(_) => format!("no source or item has the tag \"{name}\"{hint}"),
        _ => format!("no source is in the {} \"{name}\"{hint}", unknown.kind()),
    };
    Some(Unknown { message, is_tag: matches!(unknown, Named::Tag(_)) })
}

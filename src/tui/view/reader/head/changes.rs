//! The facts about earlier versions in the header of an article.

use super::{Fact, key};
use crate::config::{Action, Role};
use crate::model::Revision;
use crate::tui::app::App;
use crate::tui::event::{Article, Difference};
use crate::tui::view::chrome::marks;
use crate::util::time_text::span;

/// A summary of the changes, and the key that shows them.
pub(super) fn summary(app: &App, article: &Article) -> Option<Fact> {
    let mark = marks(app).changed;
    let item = &article.item;
    let shown = article.differences.get(app.reader.difference_at);
    if let Some(difference) = shown.filter(|_| app.reader.show_difference) {
        return Some(shown_difference(app, article, difference));
    }
    let summary = match item.revisions.as_slice() {
        [] if article.row.changed => Revision::summary(&[]),
        [] => String::new(),
        revisions => Revision::summary(revisions),
    };
    let words = match (article.differences.len(), summary.as_str()) {
        _ if article.row.changed => format!("{mark} Changed since you read it"),
        (0, "") => return None,
        (0, _) => format!("{mark} Changed"),
        (1, _) if article.differences[0].of_title => format!("{mark} An earlier title is stored"),
        (1, _) => format!("{mark} An earlier version is stored"),
        (n, _) => format!("{mark} {n} earlier versions are stored"),
    };
    let mut fact = vec![(words, Role::Changed)];
    if let Some(key) = key(app, Action::Difference).filter(|_| !article.differences.is_empty()) {
        fact.push((", ".to_owned(), Role::Changed));
        fact.push((key, Role::KeyHint));
        let shows = if article.row.changed { " shows how" } else { " shows the changes" };
        fact.push((shows.to_owned(), Role::Dim));
    }
    // The summary follows the key, because it may be truncated.
    if !summary.is_empty() {
        fact.push((format!(": {summary}"), Role::Dim));
    }
    Some(fact)
}

/// The position of the shown difference, its summary, and the key that returns to the article.
fn shown_difference(app: &App, article: &Article, difference: &Difference) -> Fact {
    let (at, count) = (app.reader.difference_at + 1, article.differences.len());
    let which = if count > 1 { format!("Change {at} of {count}, ") } else { String::new() };
    let (mark, ago) = (marks(app).changed, span((app.now - difference.at).num_seconds()));
    let mut fact = vec![(format!("{mark} {which}found {ago} ago"), Role::Changed)];
    if let Some(key) = key(app, Action::Difference) {
        fact.push((", ".to_owned(), Role::Changed));
        fact.push((key, Role::KeyHint));
        fact.push((" shows the article".to_owned(), Role::Dim));
    }
    if !difference.summary.is_empty() {
        fact.push((format!(": {}", difference.summary), Role::Dim));
    }
    fact.push(("; [-removed-] {+added+}".to_owned(), Role::Dim));
    fact
}

//! The order in which a thread performs waiting reads.

use super::{Queued, Read};
use std::collections::VecDeque;

/// Takes the first read, unless a newer one supersedes it or it has to wait for more urgent reads. `None`
/// means that the caller should try again with the changed queue.
pub(super) fn next(waiting: &mut VecDeque<Queued>) -> Option<Queued> {
    let queued = waiting.pop_front()?;
    let waits = |kind: fn(&Read) -> bool| waiting.iter().any(|other| kind(&other.read));
    let is_window = |q: &Read| matches!(q, Read::Window { .. });
    let is_article = |q: &Read| matches!(q, Read::Article { .. });
    let is_matches = |q: &Read| matches!(q, Read::Matches { .. });
    let is_total = |q: &Read| matches!(q, Read::Total { .. });
    let is_counts = |q: &Read| matches!(q, Read::Counts { .. });
    let is_urgent = |q: &Read| !matches!(q, Read::Total { .. } | Read::Counts { .. });
    let (is_superseded, must_wait) = match &queued.read {
        // Only the newest read of each of these kinds matters.
        Read::Window { .. } => (waits(is_window), false),
        Read::Article { .. } => (waits(is_article), false),
        Read::Matches { .. } => (waits(is_matches), false),
        // An article is more urgent than the snippets of a list.
        Read::Snippets { .. } => (false, waits(is_article)),
        // Reading the rows of a list is more urgent than counting the items to mark.
        Read::Unread { .. } => (false, waits(is_window)),
        // The rows of a list are more urgent than their number, and only the number for the newest list
        // matters.
        Read::Total { .. } => (waits(is_total), waits(is_urgent)),
        // Counts have the lowest priority.
        Read::Counts { .. } => (waits(is_counts), !waiting.is_empty()),
        _ => (false, false),
    };
    match (is_superseded, must_wait) {
        (true, _) => None,
        (false, true) => {
            waiting.push_back(queued);
            None
        }
        (false, false) => Some(queued),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Anchor, Part, Scope, View};

    fn view() -> Box<View> {
        Box::new(View::of(Scope::All))
    }

    fn window(request: u64) -> Read {
        Read::Window { request, view: view(), anchor: Anchor::First, size: 9 }
    }

    fn unread(request: u64) -> Read {
        Read::Unread { request, view: view(), part: Part::up_to(9) }
    }

    /// The reads in the order in which they are performed, in an abbreviated form.
    fn performed(reads: Vec<Read>) -> String {
        let (reply, _events) = tokio::sync::mpsc::unbounded_channel();
        let queued = |read| Queued { read, reply: reply.clone() };
        let mut waiting: VecDeque<_> = reads.into_iter().map(queued).collect();
        let mut names = Vec::new();
        while !waiting.is_empty() {
            names.extend(next(&mut waiting).map(|queued| match queued.read {
                Read::Window { request, .. } => format!("list {request}"),
                Read::Unread { request, .. } => format!("unread {request}"),
                Read::Total { request, .. } => format!("total {request}"),
                Read::Counts { .. } => "counts".to_owned(),
                Read::Snippets { .. } => "snippets".to_owned(),
                Read::Article { request, .. } => format!("article {request}"),
                other => format!("{other:?}"),
            }));
        }
        names.join(", ")
    }

    #[test]
    fn reads_lists_and_articles_before_counts() {
        let total = |request| Read::Total { request, view: view() };
        let counts = || Read::Counts { left: vec![], done: vec![] };
        let snippets = || Read::Snippets { keys: vec![], expression: None };
        let article = |request| Read::Article { request, key: 1 };
        for (reads, order) in [
            (vec![unread(1), window(2)], "list 2, unread 1"),
            (vec![unread(1), unread(2), window(3), window(4)], "list 4, unread 1, unread 2"),
            (vec![total(1), unread(2), total(3)], "unread 2, total 3"),
            (vec![counts(), total(1), window(2), counts()], "list 2, total 1, counts"),
            (vec![window(1), Read::Log, window(2)], "Log, list 2"),
            (vec![snippets(), article(1), article(2)], "article 2, snippets"),
        ] {
            assert_eq!(performed(reads), order);
        }
    }
}
